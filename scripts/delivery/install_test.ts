// The packages as a stranger meets them: built, served by a registry on this machine, installed into fresh folders by each package manager, and used.
//   deno task test --only install
import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEndedWell, type Ended, exists, nodeFlags, run } from "../../tests/child.ts";
import { deliveryTool } from "./tools.ts";
import { buildJsr, jsrFolder } from "./jsr.ts";
import { buildPackages, manifest, packagesFolder } from "./packages.ts";
import { builtLibrary, isCurrent, libraryFile, type Platform, platforms } from "./platforms.ts";
import { root } from "../process.ts";
import { manifest as symbols } from "../../ffi/symbols.gen.ts";
import { findRuntime, packed } from "../runtimes.ts";
import { compiler } from "../typescript.ts";
import { packages } from "../versions.ts";
import { findZig } from "../zig.ts";
import { startRegistry } from "./registry.ts";

// Others than this user start what lies here.
const folder = mkdtempSync(join(tmpdir(), "tilework-install-"));
chmodSync(folder, 0o755);
const host = platforms.find(({ os, cpu, libc }) => os === process.platform && cpu === process.arch && libc !== "musl")!;
const hostLibrary = join(root, "zig", "zig-out", host.os === "win32" ? "bin" : "lib", libraryFile(host));
const bun = await findRuntime("bun"), deno = await findRuntime("deno");
const timeout = 110_000;

/** Both runtimes under their own names, where everybody may run them. */
const tools = join(folder, "tools");
mkdirSync(tools);
for (const [name, path] of [["bun", bun], ["deno", deno]] as const) {
  const found = path.includes("/") ? path : process.env.PATH!.split(delimiter).map((of) => join(of, path)).find(existsSync)!;
  copyFileSync(realpathSync(found), join(tools, name));
}

/** Libraries of other platforms are those that `zig build cross` has left; where it has not run, a file that no test opens stands for them. */
const isBuilt = (platform: Platform) => platform === host || isCurrent(builtLibrary(platform));
writeFileSync(join(folder, "not-built"), "not built here\n");
const libraryOf = (platform: Platform) =>
  platform === host ? hostLibrary : isBuilt(platform) ? builtLibrary(platform) : join(folder, "not-built");

const registry = await startRegistry(join(folder, "registry"));
after(() => {
  registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A later version of all packages: what tells it from this one is changed in the packages that are built. */
const later = "99.0.0";

function replaceIn(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "latin1"), text = change(before);
  assert.notEqual(text, before, path);
  writeFileSync(path, text, "latin1");
}

async function publish(): Promise<void> {
  for (const tarball of await buildPackages(platforms, libraryOf)) await registry.publish(tarball);
  const changed = join(folder, "later"), said = (text: string) => text.replaceAll(manifest.version, later);
  for (const name of ["tilework", "native", `native-${host.name}`]) {
    const path = join(changed, name);
    cpSync(join(packagesFolder, name), path, { recursive: true });
    replaceIn(join(path, "package.json"), said);
    if (name === "tilework") replaceIn(join(path, "ffi", "symbols.gen.js"), (text) => text.replace(manifest.version, later));
    // In the library the text keeps its length: a shorter status list would not be read.
    if (name.startsWith("native-")) {
      replaceIn(join(path, libraryFile(host)), (text) => text.replace(`"version": "${manifest.version}",\n `, `"version": "${later}",\n`));
    }
    await registry.publish(path, "later");
  }
}
assert.equal(later.length, manifest.version.length + 1, "one space of the manifest makes room for the later version");
await publish();

const product = `import { cpu, matmul, tensor } from "@tilework/tilework";
const a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
console.log([...matmul(a, a).readSync()].join());
`;
const answer = "7,10,15,22\n";

let count = 0;

/** Fresh caches and a fresh home for each project, and nothing of this machine's settings. */
interface Project {
  readonly path: string;
  run(command: readonly string[], more?: Record<string, string>, cwd?: string): Promise<Ended>;
  /** As `run`, of a command that has to end well; what it wrote to its standard output. */
  output(command: readonly string[], more?: Record<string, string>, cwd?: string): Promise<string>;
  write(file: string, text: string): void;
}

function project(files: Record<string, string> = {}, name = `project${++count}`): Project {
  const path = join(folder, name), home = join(folder, `${name}-home`);
  for (const made of [path, home]) mkdirSync(made);
  const env = {
    ...registry.env,
    HOME: home,
    DENO_DIR: join(home, "deno"),
    BUN_INSTALL_CACHE_DIR: join(home, "bun"),
    NPM_CONFIG_CACHE: join(home, "npm"),
    TILEWORK_LIBRARY: "",
  };
  const made: Project = {
    path,
    write: (file, text) => writeFileSync(join(path, file), text),
    run: (command, more = {}, cwd = path) => run(command, { cwd, env: { ...env, ...more }, secondsMax: 100 }),
    async output(command, more, cwd) {
      const ended = await made.run(command, more, cwd);
      assertEndedWell(ended);
      return ended.stdout;
    },
  };
  for (const [file, text] of Object.entries({ "main.ts": product, ...files })) made.write(file, text);
  return made;
}

const esm = JSON.stringify({ name: "a-program", type: "module", private: true });
/** Deno passes over versions that are younger than a day, as all are here. */
const denoJson = (fields: Record<string, unknown> = {}) => JSON.stringify({ minimumDependencyAge: 0, ...fields });
const runDeno = [deno, "run", "--no-prompt", "--allow-ffi"];
const name = manifest.name;

async function withBun(files: Record<string, string> = {}, flags: readonly string[] = [], called?: string): Promise<Project> {
  const made = project({ "package.json": esm, ...files }, called);
  await made.output([bun, "add", ...flags, name]);
  return made;
}

async function withDeno(files: Record<string, string> = {}, fields: Record<string, unknown> = {}): Promise<Project> {
  const made = project({ "deno.json": denoJson(fields), ...files });
  await made.output([deno, "add", `npm:${name}`]);
  return made;
}

test("no release is made of a tree that differs from its commit, or of versions that differ", { timeout }, async () => {
  const clone = join(folder, "clone");
  assertEndedWell(await run(["git", "clone", "--quiet", "--depth=1", pathToFileURL(root).href, clone]));
  replaceIn(join(clone, "deno.json"), (text) => text.replace(`"version": "${manifest.version}"`, `"version": "${later}"`));
  const { code, stderr } = await run([deno, "run", "-A", "--no-check", "scripts/delivery/release.ts"], { cwd: clone });
  assert.equal(code, 1);
  assert.match(stderr, /The tree is not what is committed:\n M deno\.json/);
  assert.ok(stderr.includes(`deno.json: ${later}`) && stderr.includes(`package.json: ${manifest.version}`), stderr);
  assert.ok(!existsSync(join(clone, "out")));
});

test(
  "from an empty folder to a product in under ten seconds, with `bun add` and `bun run`, and with `deno add` and `deno run --allow-ffi`",
  { timeout },
  async () => {
    for (const made of [withBun, withDeno]) {
      const start = performance.now();
      const { output } = await made();
      assert.equal(await output(made === withBun ? [bun, "run", "main.ts"] : [...runDeno, "main.ts"]), answer);
      const seconds = (performance.now() - start) / 1000;
      assert.ok(seconds < 10, `${seconds} s`);
    }
  },
);

test("a product in Bun's isolated layout", { timeout }, async () => {
  const { output, path } = await withBun({}, ["--linker=isolated"]);
  assert.ok(!existsSync(join(path, "node_modules", "@tilework", "native")));
  assert.equal(await output([bun, "run", "main.ts"]), answer);
});

test("a product in Deno with node_modules", { timeout }, async () => {
  const { output, path } = await withDeno({}, { nodeModulesDir: "auto" });
  assert.ok(existsSync(join(path, "node_modules", ".deno")));
  assert.equal(await output([...runDeno, "main.ts"]), answer);
});

test("a product in npm's layout, in Bun and in Deno, with no script run", { timeout }, async () => {
  const { output, path } = project({ "package.json": esm });
  await output(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", name]);
  const installed = readdirSync(join(path, "node_modules", "@tilework")).sort();
  assert.deepEqual(installed, ["native", `native-${host.name}`, "tilework"]);
  for (const command of [[bun], runDeno]) assert.equal(await output([...command, "main.ts"]), answer);
});

test("a product in pnpm's layout, in Bun and in Deno", { timeout }, async () => {
  const { output, path } = project({ "package.json": esm });
  await output([...await deliveryTool("pnpm"), "add", "--store-dir", join(path, "..", "pnpm-store"), name]);
  assert.ok(existsSync(join(path, "node_modules", ".pnpm")));
  for (const command of [[bun], runDeno]) assert.equal(await output([...command, "main.ts"]), answer);
});

test("a product in Node, installed by npm and by pnpm", { timeout }, async () => {
  const node = [await findRuntime("node"), ...nodeFlags];
  for (const install of [["npm", "install", "--no-audit", "--no-fund"], [...await deliveryTool("pnpm"), "add"]]) {
    const { output } = project({ "package.json": esm });
    await output([...install, name]);
    assert.equal(await output([...node, "main.ts"]), answer);
  }
});

test("Workers, in Bun and in Deno", { timeout }, async () => {
  const files = {
    "main.ts": `const worker = new Worker(new URL("./worker.ts", import.meta.url).href, { type: "module" });
worker.onmessage = ({ data }) => { console.log(data); worker.terminate(); };
`,
    "worker.ts": product.replace("console.log", "self.postMessage"),
  };
  assert.equal(await (await withBun(files)).output([bun, "main.ts"]), answer);
  const inDeno = await withDeno(files);
  assert.equal(await inDeno.output([...runDeno, `--allow-read=${inDeno.path}`, "main.ts"]), answer);
});

const expectation = `using a = tensor(cpu, [1, 1], [3]), b = matmul(a, a);
  if (b.itemSync() !== 9) throw new Error("not nine");`;

test("tests of a program, by `deno test` and by `bun test`", { timeout }, async () => {
  const imports = `import { cpu, matmul, tensor } from "@tilework/tilework";\n`;
  const inDeno = await withDeno({ "a_test.ts": `${imports}Deno.test("nine", () => {\n  ${expectation}\n});\n` });
  assert.match(await inDeno.output([deno, "test", "--no-prompt", "--allow-ffi"]), /1 passed/);
  const inBun = await withBun({ "a.test.ts": `${imports}import { test } from "bun:test";\ntest("nine", () => {\n  ${expectation}\n});\n` });
  assert.match((await inBun.run([bun, "test"])).stderr, /1 pass\n/);
});

test("the declarations hold in Deno, and in TypeScript by the settings of bundlers and of Node", { timeout }, async () => {
  const typed = `${product}import { doctor, type Report } from "@tilework/tilework/doctor";
export const report: Report = doctor({ quick: true });
// @ts-expect-error: inner sizes differ
matmul(tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]));
`;
  const inDeno = await withDeno({ "main.ts": typed });
  await inDeno.output([deno, "check", "main.ts"]);
  const inBun = await withBun({ "main.ts": typed });
  const strict = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--skipLibCheck",
    "false",
    "--noEmit",
    "--lib",
    "esnext,dom",
    "--types",
    "",
  ];
  for (const settings of [["esnext", "bundler"], ["nodenext", "nodenext"]]) {
    await inBun.output([
      compiler(),
      ...strict,
      "--target",
      "esnext",
      "--module",
      settings[0]!,
      "--moduleResolution",
      settings[1]!,
      "main.ts",
    ]);
  }
});

test("`tilework doctor` finds the library healthy, in Bun and in Deno", { timeout }, async () => {
  const inBun = await withBun();
  const seen = JSON.parse(
    await inBun.output([bun, "run", "tilework", "doctor", "--quick", "--json"], { PATH: `${tools}${delimiter}${process.env.PATH}` }),
  );
  assert.equal(seen.ok, true);
  assert.equal(seen.library.from, `@tilework/native-${host.name}`);
  const inDeno = await withDeno();
  assert.equal(
    JSON.parse(await inDeno.output([...runDeno, "--allow-env", "--allow-sys", "--allow-read", `npm:${name}/doctor`, "--quick", "--json"]))
      .ok,
    true,
  );
});

test("the sources for JSR take the library from npm, with `--allow-ffi` alone, and can be published", { timeout }, async () => {
  buildJsr();
  const copy = join(folder, "jsr");
  cpSync(jsrFolder, copy, { recursive: true });
  const made = project({ "main.ts": product, "deno.json": denoJson({ imports: { [name]: pathToFileURL(join(copy, "mod.ts")).href } }) });
  assert.equal(await made.output([...runDeno, "main.ts"]), answer);
  replaceIn(join(copy, "deno.json"), (text) => text.replace("{", '{ "minimumDependencyAge": 0,'));
  await made.output([deno, "publish", "--dry-run", "--allow-dirty"], {}, copy);
});

/** What Bun makes of the program, by the flags it is built with. */
const builds: { flags: string[]; executable?: boolean }[] = [
  { flags: ["--target=bun"] },
  { flags: ["--target=bun", "--minify", "--splitting"] },
  { flags: ["--target=bun", "--format=cjs"] },
  { flags: ["--target=bun", "--bytecode"] },
  { flags: ["--compile"], executable: true },
  { flags: ["--compile", "--minify", "--bytecode"], executable: true },
];

for (const { flags, executable } of builds) {
  test(`\`bun build ${flags.join(" ")}\` makes what runs in another place, without a variable`, { timeout }, async () => {
    const { output, path } = await withBun();
    const out = join(path, "out");
    await output([bun, "build", ...flags, "main.ts", ...executable ? ["--outfile", join(out, "main")] : ["--outdir", out]]);
    // An executable is one file; a bundle has the library beside it.
    assert.equal(
      readdirSync(out).some((file) => file.endsWith(host.os === "win32" ? ".dll" : host.os === "darwin" ? ".dylib" : ".so")),
      !executable,
    );
    const elsewhere = project();
    for (const file of readdirSync(out)) copyFileSync(join(out, file), join(elsewhere.path, file));
    rmSync(path, { recursive: true });
    assert.equal(await elsewhere.output(executable ? [join(elsewhere.path, "main")] : [bun, join(elsewhere.path, "main.js")]), answer);
  });
}

const bundlers: [string, (path: string, format: string, external: boolean) => Promise<string[][]>][] = [
  ["esbuild", async (_, format, external) => [[
    ...await deliveryTool("esbuild"),
    "main.ts",
    "--bundle",
    "--platform=node",
    `--format=${format}`,
    `--outfile=out/main.${format === "cjs" ? "cjs" : "mjs"}`,
    "--log-level=error",
    ...external ? ["--packages=external"] : [],
  ]]],
  ["rollup", async (path, format, external) => {
    // Rollup takes JavaScript, and leaves packages alone unless it is told where they are.
    const resolve =
      `{ name: "packages", resolveId(source, from) { return source.startsWith("@tilework/") ? createRequire(from).resolve(source) : null; } }`;
    writeFileSync(
      join(path, "rollup.config.mjs"),
      `import { createRequire } from "node:module";
export default { input: "main.js", external: [/^node:/, ${external ? "/^@tilework/" : ""}], plugins: [${
        external ? "" : resolve
      }], output: { file: "out/main.${format === "cjs" ? "cjs" : "mjs"}", format: "${format}" } };
`,
    );
    writeFileSync(join(path, "main.js"), product);
    return [[...await deliveryTool("rollup"), "--config", "--silent"]];
  }],
];

for (const [bundler, commands] of bundlers) {
  for (const external of [false, true]) {
    test(
      `a program that ${bundler} has bundled, with the package ${external ? "external" : "in it"}, in Bun and in Deno`,
      { timeout },
      async () => {
        const { output, path } = await withBun();
        for (const format of ["esm", "cjs"]) {
          for (const command of await commands(path, format, external)) await output(command);
          const file = join(path, "out", `main.${format === "cjs" ? "cjs" : "mjs"}`);
          assert.equal(await output([bun, file], {}, folder), answer);
          assert.equal(await output([...runDeno, file], {}, folder), answer);
        }
      },
    );
  }
}

test("`deno bundle` makes what runs beside node_modules, in Deno and in Bun", { timeout }, async (t) => {
  const { output, run, path } = await withDeno({}, { nodeModulesDir: "auto" });
  const ended = await run([deno, "bundle", "--external", "@tilework/tilework", "-o", "out.js", "main.ts"]);
  if (/error sending request|dns error|Could not find npm package|Bad response/.test(ended.stderr)) {
    return t.skip("`deno bundle` could not fetch its bundler");
  }
  assertEndedWell(ended);
  for (const command of [runDeno, [bun]]) assert.equal(await output([...command, join(path, "out.js")]), answer);
});

test("`deno compile` makes what runs in another place", { timeout }, async (t) => {
  const { run } = await withDeno();
  const ended = await run([deno, "compile", "--no-check", "--allow-ffi", "-o", "main", "main.ts"]);
  if (/error sending request|dns error|client error/.test(ended.stderr)) {
    return t.skip("`deno compile` could not fetch what its programs begin with");
  }
  assertEndedWell(ended);
  const elsewhere = project();
  assertEndedWell(ended);
  assert.equal(await elsewhere.output([join(elsewhere.path, "main")]), answer);
});

test("a path with spaces and letters beyond ASCII", { timeout }, async () => {
  const { output, path } = await withBun({}, [], "mit Leerraum, äß 線");
  for (const command of [[bun], runDeno]) assert.equal(await output([...command, join(path, "main.ts")]), answer);
});

test("a folder that nobody may write to, and a user who is not root and has no home", {
  timeout,
  skip: process.platform === "win32" ? "has no modes" : false,
}, async (t) => {
  const { output, path } = await withBun();
  await output(["chmod", "-R", "a+rX,a-w", path, tools]);
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !await exists("setpriv", "--version")) return t.skip("no setpriv to become another user by");
  const under = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const env = { HOME: "/nonexistent", DENO_DIR: join(path, "no-such-folder") };
  assert.equal(await output([...under, join(tools, "bun"), "main.ts"], env), answer);
  assert.equal(await output([...under, join(tools, "deno"), "run", "--no-prompt", "--allow-ffi", "main.ts"], env), answer);
  await output(["chmod", "-R", "u+w", path, tools]);
});

test("where only another platform's package is installed, the error says which, and the command that helps", { timeout }, async () => {
  const made = project({ "package.json": esm });
  const foreign = platforms.find(({ os }) => os !== host.os)!;
  await made.output(["npm", "install", "--no-audit", "--no-fund", `--os=${foreign.os}`, `--cpu=${foreign.cpu}`, name]);
  for (const [command, add] of [[[bun], "bun add "], [runDeno, "deno add npm:"]] as const) {
    const { code, stderr } = await made.run([...command, "main.ts"]);
    assert.equal(code, 1);
    assert.match(stderr, /LibraryNotFoundError: The native library of tilework could not be loaded on /);
    assert.match(stderr, new RegExp(`Installed: @tilework/native-${foreign.name}\\.`));
    assert.ok(stderr.includes(`Install it with \`${add}@tilework/native-${host.name}@${manifest.version}\``), stderr);
  }
  // And it does help.
  await made.output([bun, "add", `@tilework/native-${host.name}@${manifest.version}`]);
  assert.equal(await made.output([bun, "main.ts"]), answer);
});

test("two versions side by side compute, and say that a tensor of one is not the other's", { timeout }, async () => {
  const { output } = await withBun({
    "two.ts": `import * as one from "@tilework/tilework";
import * as two from "later";
for (const { cpu, matmul, tensor } of [one, two]) {
  const a = tensor(cpu, [1, 1], [3]);
  console.log(matmul(a, a).itemSync());
}
try {
  one.matmul(two.tensor(two.cpu, [1, 1], [3]) as never, one.tensor(one.cpu, [1, 1], [3]));
} catch (error) {
  console.log(String(error).includes("of another copy of tilework"));
}
`,
  });
  await output([bun, "add", `later@npm:${name}@${later}`]);
  assert.equal(await output([bun, "two.ts"]), "9\n9\ntrue\n");
});

test("a library of another version is refused by a sentence that names both", { timeout }, async () => {
  const { run } = await withBun();
  const { code, stderr } = await run([bun, "main.ts"], {
    TILEWORK_LIBRARY: join(folder, "later", `native-${host.name}`, libraryFile(host)),
  });
  assert.equal(code, 1);
  assert.ok(
    stderr.includes(`it is version ${later}, and this is version ${manifest.version} of tilework: install the same version of both`),
    stderr,
  );
});

const arm = platforms.find(({ name }) => name === "linux-arm64")!;
const noArm = !isBuilt(arm)
  ? "the library for linux-arm64 is not built"
  : await exists("qemu-aarch64", "--version")
  ? false
  : "no qemu-aarch64";
test("on Linux on arm64, emulated", { timeout, skip: process.arch === "x64" ? noArm : "this is no x86-64" }, async () => {
  const { output, path } = project({ "package.json": esm });
  await output(["npm", "install", "--no-audit", "--no-fund", "--os=linux", "--cpu=arm64", "--libc=glibc", name]);
  assert.deepEqual(readdirSync(join(path, "node_modules", "@tilework")).sort(), ["native", "native-linux-arm64", "tilework"]);
  const armBun = await packed("@oven/bun-linux-aarch64", packages.bun!, "bin/bun");
  assert.equal(await output(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", armBun, "main.ts"]), answer);
});

const musl = platforms.find(({ libc, cpu }) => libc === "musl" && cpu === process.arch);
const loader = `/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`;
const noMusl = musl === undefined || !isBuilt(musl) ? "the library for musl is not built" : existsSync(loader) ? false : `no ${loader}`;
test("where musl is the C library, the library of that package computes", { timeout, skip: noMusl }, async () => {
  const made = project({ "package.json": esm });
  await made.output(["npm", "install", "--no-audit", "--no-fund", "--os=linux", `--cpu=${musl!.cpu}`, "--libc=musl", name]);
  assert.deepEqual(readdirSync(join(made.path, "node_modules", "@tilework")).sort(), ["native", `native-${musl!.name}`, "tilework"]);
  // No runtime of musl's runs here: they need what Alpine has. A program does.
  const program = join(made.path, "program"), target = `${musl!.cpu === "x64" ? "x86_64" : "aarch64"}-linux-musl`;
  const compile = [
    "cc",
    "-O2",
    "-fno-sanitize=all",
    "-target",
    target,
    "-dynamic",
    "-o",
    program,
    join(root, "scripts", "delivery", "program.c"),
  ];
  assertEndedWell(await run([...await findZig(), ...compile]));
  const library = join(made.path, "node_modules", "@tilework", `native-${musl!.name}`, libraryFile(musl!));
  assert.equal(await made.output([loader, program, library, String(symbols.settings.length)]), "1800\n");
});

// A program that a bundler or a compiler has put into one file, and one that requires the library, find it and compute.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../scripts/runtimes.ts";
import { assertEndedWell, exists, libraryPath, run, runtime, starting } from "./child.ts";

const bun = await findRuntime("bun");
const deno = await findRuntime("deno");
const folder = await mkdtemp(join(tmpdir(), "tilework-bundle-"));
after(() => rm(folder, { recursive: true, force: true }));

const entry = JSON.stringify(fileURLToPath(new URL("../mod.ts", import.meta.url)));
const product = `
const a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
console.log([...matmul(a, a).readSync()].join());
`;
const program = join(folder, "main.ts"), requiring = join(folder, "main.cjs");
await writeFile(program, `import { cpu, matmul, tensor } from ${entry};${product}`);
await writeFile(requiring, `const { cpu, matmul, tensor } = require(${entry});${product}`);

const env = { TILEWORK_LIBRARY: libraryPath };
const timeout = 110_000;

/** Runs a command, which has to end well, and returns what it wrote to its standard output. */
async function output(...command: string[]): Promise<string> {
  const ended = await run(command, { env, secondsMax: 100 });
  assertEndedWell(ended);
  return ended.stdout;
}

/** An empty folder for what a bundler writes. */
async function place(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

/** What Bun makes of the program, by the flags it is built with; `file` is run by Bun, or by itself if it is an executable. */
const builds: { flags: string[]; file: string; executable?: boolean }[] = [
  { flags: ["--target=bun"], file: "main.js" },
  { flags: ["--target=bun", "--minify", "--splitting"], file: "main.js" },
  { flags: ["--target=bun", "--format=cjs"], file: "main.js" },
  { flags: ["--target=bun", "--bytecode"], file: "main.js" },
  { flags: ["--compile"], file: "main", executable: true },
  { flags: ["--compile", "--bytecode"], file: "main", executable: true },
];

for (const [i, { flags, file, executable }] of builds.entries()) {
  test(`a product in what \`bun build ${flags.join(" ")}\` makes`, { timeout }, async () => {
    const out = await place(`bun${i}`), built = join(out, file);
    await output(bun, "build", ...flags, program, ...executable ? ["--outfile", built] : ["--outdir", out]);
    assert.equal(await output(...executable ? [built] : [bun, built]), "7,10,15,22\n");
  });
}

test("a product in a program that requires the library", { timeout }, async () => {
  assert.equal(await output(...starting, requiring), "7,10,15,22\n");
});

test("the doctor can be required", { timeout }, async () => {
  const path = join(folder, "doctor.cjs");
  await writeFile(path, `console.log(typeof require(${JSON.stringify(fileURLToPath(new URL("../doctor.ts", import.meta.url)))}).doctor);`);
  assert.equal(await output(...starting, path), "function\n");
});

/** What Deno makes of the program. It fetches its bundler, and what compiled programs begin with, when they are first used. */
async function madeByDeno(verb: string, file: string): Promise<{ path: string; skip: string | false }> {
  const path = join(await place(verb), file);
  const ended = await run([deno, verb, ...verb === "compile" ? ["-A", "--no-check"] : [], "-o", path, program], { env, secondsMax: 100 });
  if (/error sending request|dns error/.test(ended.stderr)) return { path, skip: `\`deno ${verb}\` could not fetch what it needs` };
  assertEndedWell(ended);
  return { path, skip: false };
}

const bundle = await madeByDeno("bundle", "main.js");
test("a product in what `deno bundle` makes, in Deno and in Bun", { timeout, skip: bundle.skip }, async () => {
  assert.equal(await output(deno, "run", "-A", bundle.path), "7,10,15,22\n");
  assert.equal(await output(bun, bundle.path), "7,10,15,22\n");
});

const compiled = await madeByDeno("compile", "main");
test("a product in what `deno compile` makes", { timeout, skip: compiled.skip }, async () => {
  assert.equal(await output(compiled.path), "7,10,15,22\n");
});

test("a bundle that no library is named to says that it holds none and what to set", { timeout }, async () => {
  const out = await place("unnamed");
  await output(bun, "build", "--target=bun", program, "--outdir", out);
  const bundle = join(out, "main.js");
  for (const command of [[bun, bundle], [deno, "run", "-A", bundle], [deno, "run", "--no-prompt", "--allow-ffi", bundle]]) {
    const { code, stderr } = await run(command, { env: { TILEWORK_LIBRARY: "" }, secondsMax: 100 });
    assert.equal(code, 1);
    assert.match(stderr, /LibraryNotFoundError: The native library of tilework could not be loaded on /);
    assert.match(
      stderr,
      /Install it with `(?:bun add |deno add npm:)@tilework\/native-.*`, or build it with .*, or set TILEWORK_LIBRARY to its path; .*\nA bundle finds the package /,
    );
    assert.equal(stderr.includes("allow that with --allow-env=TILEWORK_LIBRARY"), command.includes("--allow-ffi"), stderr);
  }
});

const node = await exists("node", "--version") && (await run(["node", "-p", "process.versions.node.split('.')[0]"])).stdout.trim();
test(
  "a bundle in a Node without node:ffi says where it runs and what to do",
  { timeout, skip: node === false ? "no Node" : Number(node) >= 26 && `Node ${node} has it` },
  async () => {
    const out = await place("node");
    await output(bun, "build", "--target=node", program, "--outdir", out);
    const { code, stderr } = await run(["node", join(out, "main.js")], { env });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /LibraryNotFoundError: tilework runs in Deno, Bun and Node 26 or newer, and Node [\d.]+ has no node:ffi: install a newer Node, or/,
    );
  },
);

test("a product in what `bun build --target=node` makes, as a module and as CommonJS", {
  timeout,
  skip: runtime === "node" ? false : "for Node",
}, async () => {
  for (const format of ["esm", "cjs"]) {
    const out = await place(`node-${format}`);
    await output(
      bun,
      "build",
      "--target=node",
      `--format=${format}`,
      program,
      "--outfile",
      join(out, format === "cjs" ? "main.cjs" : "main.mjs"),
    );
    assert.equal(await output(...starting, join(out, format === "cjs" ? "main.cjs" : "main.mjs")), "7,10,15,22\n");
  }
});

// Projects of users, as each runtime and the TypeScript compiler set them up: what the package ships type-checks there, by their settings and stricter ones,
// without the types of the other runtime.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root, run } from "../scripts/process.ts";
import { findRuntime } from "../scripts/runtimes.ts";
import { compiler } from "../scripts/typescript.ts";

const folder = await mkdtemp(join(tmpdir(), "tilework-project-"));
after(() => rm(folder, { recursive: true, force: true }));

const program = `import { cpu, matmul, tensor } from "@tilework/tilework";
import { doctor, type Report } from "@tilework/tilework/doctor";
import { openReport, type Report as Page } from "@tilework/tilework/report";

const a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
console.log(matmul(a, a).readSync());
export const report: Report = doctor({ quick: true });
export const page: Page<"loss"> = openReport({ title: "x", series: { loss: { scale: "log" } } });
page.add(0, { loss: 1 });
// @ts-expect-error there is no such series
page.add(1, { lss: 1 });
`;
const published: { publish: { include: string[] } } = JSON.parse(await readFile(join(root, "deno.json"), "utf8"));
const package_ = join("node_modules", "@tilework", "tilework");
const strict = ["exactOptionalPropertyTypes", "noUncheckedIndexedAccess", "noPropertyAccessFromIndexSignature", "noImplicitOverride"];
strict.push("noImplicitReturns", "noFallthroughCasesInSwitch", "noUnusedLocals", "noUnusedParameters", "verbatimModuleSyntax");
strict.push("erasableSyntaxOnly", "strict");
const flags = [...strict, "allowImportingTsExtensions"].map((name) => `--${name}`).concat("--skipLibCheck", "false", "--pretty", "false");

/** A folder with the package in it, as it is published, and the two programs. */
async function project(name: string, at: string = package_): Promise<string> {
  const path = join(folder, name);
  for (const part of [...published.publish.include, "package.json"]) {
    await cp(join(root, part), join(path, at, part), { recursive: true });
  }
  await cp(join(root, "tests", "types", "layers.ts"), join(path, "layers.ts"));
  await writeFile(join(path, "main.ts"), program);
  return path;
}

/** Runs a command in a project, which has to find nothing. */
async function well(cwd: string, command: string[], env: Record<string, string> = {}): Promise<void> {
  const { code, text } = await run(command, { cwd, output: "keep", env: { NO_COLOR: "1", ...env }, secondsMax: 100 });
  assert.equal(code, 0, `${command.join(" ")}\n${text}`);
}

const timeout = 110_000;

test("what the package ships type-checks in a project that `bun init` makes", { timeout }, async () => {
  const path = await project("bun");
  // Without a registry, and so without the packages that it would install: those of the repository stand there.
  await well(path, [await findRuntime("bun"), "init", "-y"], {
    BUN_CONFIG_REGISTRY: "http://127.0.0.1:1/",
    BUN_INSTALL_CACHE_DIR: join(path, "cache"),
  });
  for (const name of ["@types/bun", "@types/node", "bun-types", "undici-types"]) {
    await mkdir(join(path, "node_modules", "@types"), { recursive: true });
    await symlink(join(root, "node_modules", name), join(path, "node_modules", name), "junction");
  }
  await well(path, [compiler(), "-p", "."]);
  await well(path, [compiler(), "-p", ".", ...flags]);
});

test("what the package ships type-checks in a project that `deno init` makes", { timeout }, async () => {
  const path = await project("deno", "tilework"), deno = await findRuntime("deno");
  const configured = JSON.parse(await readFile(join(await init(deno), "deno.json"), "utf8"));
  const imports = {
    "@tilework/tilework": "./tilework/mod.ts",
    "@tilework/tilework/doctor": "./tilework/doctor.ts",
    "@tilework/tilework/report": "./tilework/report.ts",
  };
  const compilerOptions = Object.fromEntries(strict.map((name) => [name, true]));
  for (const more of [{}, { compilerOptions }]) {
    await writeFile(join(path, "deno.json"), JSON.stringify({ ...configured, imports, ...more }));
    await well(path, [deno, "check", "main.ts", "layers.ts"]);
  }
});

/** What `deno init` makes, elsewhere: it keeps nothing that is there. */
async function init(deno: string): Promise<string> {
  const path = join(folder, "deno-init");
  await well(folder, [deno, "init", path]);
  return path;
}

test(
  "what the package ships type-checks in a project that `tsc --init` makes, with the types of neither runtime",
  { timeout },
  async () => {
    const path = await project("tsc");
    await writeFile(join(path, "package.json"), `{ "type": "module" }`);
    await well(path, [compiler(), "--init"]);
    await well(path, [compiler(), "-p", ".", "--noEmit", ...flags]);
  },
);

test("declarations of layers over generic shapes are written, and a project compiles by them", { timeout }, async () => {
  const path = await project("declarations");
  await writeFile(join(path, "package.json"), `{ "type": "module" }`);
  await writeFile(
    join(path, "use.ts"),
    `import type { Tensor } from "@tilework/tilework";
import { norm, Projection, square, twoLayers } from "./out/layers.js";

declare const x: Tensor<"f32", [2, 3]>, y: Tensor<"f32", [2, 4]>, p: Parameters<typeof twoLayers>;
export const sums: Tensor<"f32", [3]> = norm(x);
export const same: Tensor<"f32", [2, 3]> = square(x);
export const wide: Tensor<"f32", [2, 4]> = twoLayers(y, p[1], p[2]);
export const to: Tensor<"f32", [2, 5]> = new Projection(null! as Tensor<"f32", [5, 3]>).call(x);
// @ts-expect-error it is [3]
export const wrong: Tensor<"f32", [2]> = norm(x);
`,
  );
  await well(path, [compiler(), "--init"]);
  const files = join(path, "tsconfig.json");
  await writeFile(files, (await readFile(files, "utf8")).replace(/}\s*$/, `, "files": ["layers.ts"] }`));
  await well(path, [compiler(), "-p", ".", ...flags, "--emitDeclarationOnly", "--outDir", "out"]);
  const declarations = await readFile(join(path, "out", "layers.d.ts"), "utf8");
  assert.match(
    declarations,
    /norm<S extends Shape>\(x: Tensor<"f32", S>\): Tensor<"f32", import\("@tilework\/tilework"\)\.Replaced<S, 0, \[\]>>/,
  );
  assert.match(declarations, /square: <D extends Float, S extends Shape>\(x: Tensor<D, S>\) => Tensor<D, S>;/);
  await writeFile(files, (await readFile(files, "utf8")).replace('"layers.ts"', '"use.ts"'));
  await well(path, [compiler(), "-p", ".", "--noEmit", ...flags]);
});

// The house rules that no compiler checks: which folder may import which, and that every op has all of its files. docs/architecture.md says why.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { oldest } from "../scripts/versions.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** TypeScript: what each place may import. */
const typescriptRules: Record<string, string[]> = {
  "doctor.ts": ["doctor", "mod.ts", "ffi"],
  doctor: ["mod.ts", "ffi"],
  // A report needs no native library, and so nothing of the layers that reach it.
  "report.ts": ["report", "core"],
  report: ["report", "core"],
  "mod.ts": ["nn", "ops", "core", "ffi"],
  nn: ["nn", "ops", "core"],
  ops: ["ops", "core", "ffi"],
  core: ["core", "ffi"],
  ffi: ["ffi", "native"],
  // A package of its own.
  native: [],
};

/** The files that may name a runtime; a string such as Symbol.for("Deno.customInspect") uses none. */
const runtimeFiles = ["ffi/open_deno.ts", "ffi/open_bun.ts", "ffi/open_node.ts"];

/** Zig: the layer of each file right in zig/; a folder is the layer of its own name. */
const zigLayers: Record<string, string> = {
  "lib.zig": "root",
  "abi.zig": "root",
  "product_kernels.zig": "root",
  "op_kernels.zig": "root",
  "gen_symbols.zig": "root",
  "tests.zig": "root",
  "test_runner.zig": "root",
  "build.zig": "root",
  "fake_vulkan.zig": "root",
  "fuzz.zig": "root",
  "ops.zig": "list",
  "gpu.zig": "ops",
  "device.zig": "state",
  "environment.zig": "state",
  "knobs.zig": "state",
  "tensor.zig": "state",
  "slots.zig": "state",
  "memory.zig": "state",
  "explain.zig": "state",
  "peak.zig": "state",
  "status.zig": "status",
};

/** Zig: what each layer may import beside itself. `testing` holds what only tests use, and any layer's tests may. */
const zigRules: Record<string, string[]> = {
  root: ["fuzz", "list", "ops", "gemm", "row", "gpu", "vulkan", "state", "parallel", "isa", "status"],
  fuzz: ["list", "ops", "state", "parallel", "isa", "status"],
  list: ["ops", "gemm", "row", "state", "isa"],
  ops: ["gemm", "row", "gpu", "vulkan", "state", "parallel", "isa", "status", "testing"],
  gemm: ["row", "gpu", "state", "parallel", "isa", "status", "testing"],
  row: ["gpu", "state", "parallel", "isa", "status", "testing"],
  // How tasks reach a GPU, above what a device is; the driver's side, below it.
  gpu: ["vulkan", "state", "status"],
  state: ["vulkan", "testing", "parallel", "isa", "status"],
  vulkan: ["state", "parallel"],
  parallel: ["testing", "isa", "status"],
  isa: ["testing"],
  status: [],
  testing: ["state", "parallel", "isa", "status"],
};

/** Files that hold nothing but micro-kernels, and all that these may import. */
const kernelFiles = ["gemm/kernel.zig", "row/sweep.zig"];
const kernelImports = ["isa/simd.zig", "isa/math.zig"];

/** Where one Zig op serves several TypeScript ops, or one under another name. Elsewhere the stem is the same. */
const servedBy: Record<string, string[]> = {
  activation: ["gelu", "relu", "sigmoid", "silu", "tanh"],
  copy: ["copy", "cast", "concat"],
  gated_activation: ["geglu", "swiglu"],
  sum: ["sum", "mean"],
};

/** TypeScript ops made of other ops, or of views, with no entry of their own. */
const composed: string[] = ["reshape", "slice", "split", "transpose"];

test("layout: TypeScript imports go mod → nn → ops → core → ffi and never back", () => {
  const wrong: string[] = [];
  for (const file of typescript(Object.keys(typescriptRules))) {
    const place = file.split("/")[0];
    for (const target of imports(file)) {
      const other = target.split("/")[0];
      if (!typescriptRules[place].includes(other)) {
        wrong.push(`${file} imports ${target}: ${place} may import ${list(typescriptRules[place])}`);
      }
    }
  }
  nothing(wrong);
});

test("layout: only the openers name a runtime", () => {
  const wrong: string[] = [];
  for (const file of typescript(Object.keys(typescriptRules))) {
    if (runtimeFiles.includes(file)) continue;
    const name = withoutComments(read(file)).match(/(?<!["'])\b(?:Deno|Bun)\.\w+|["']bun:\w+["']/)?.[0];
    if (name !== undefined) wrong.push(`${file} names ${name}`);
  }
  nothing(wrong);
});

test("layout: what programs import awaits nothing at the top level and imports no runtime's own modules", () => {
  // A Worker of Bun loses the messages that come while its modules await, and what awaits cannot be required. Other runtimes have no "bun:".
  const wrong: string[] = [];
  for (const file of reachable(["mod.ts", "doctor.ts", "report.ts"])) {
    const text = withoutComments(read(file));
    const awaits = text.match(/^\S(?!.*\basync\b).*\bawait\b.*$/m)?.[0];
    if (awaits !== undefined) wrong.push(`${file} awaits at the top level: ${awaits}`);
    for (const [, module] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^."'][^"']*)["']/g)) {
      if (!module.startsWith("node:")) {
        wrong.push(`${file} imports ${module}: only modules of the package and of "node:" are in every runtime`);
      }
    }
  }
  nothing(wrong);
});

test("layout: only ffi/node.ts and report/node.ts import modules of Node, which not every project has the types of", () => {
  const wrong: string[] = [];
  // Only Node asks open_node.ts, and without an import.
  const own = ["ffi/node.ts", "ffi/open_node.ts", "native/mod.ts", "report/node.ts"];
  for (const file of reachable(["mod.ts", "doctor.ts", "report.ts"])) {
    if (own.includes(file)) continue;
    const module = withoutComments(read(file)).match(/["']node:[\w/]+["']/)?.[0];
    if (module !== undefined) {
      wrong.push(`${file} names ${module}: import it from ffi/node.ts, above ffi from core/node.ts, in report from report/node.ts`);
    }
  }
  nothing(wrong);
});

test("layout: errors are made by ffi/errors.ts, so that their stack begins at the user's call", () => {
  const wrong: string[] = [];
  for (const file of typescript(["core", "ffi", "nn", "ops", "report"])) {
    if (file === "ffi/errors.ts") continue;
    const text = withoutComments(read(file));
    const imported = [...text.matchAll(/import \{([^}]*)\} from "[^"]*\/errors\.ts"/g)].flatMap(([, names]) => names!.split(/\W+/));
    for (const name of new Set([...text.matchAll(/\bnew (TypeError|RangeError)\(/g)].map(([, name]) => name!))) {
      if (!imported.includes(name)) {
        wrong.push(`${file} throws a ${name} of the runtime: import { ${name} } from core/errors.ts, in ffi from ffi/errors.ts`);
      }
    }
    if (/\bclass \w+ extends (?:Type|Range)?Error\b/.test(text)) {
      wrong.push(`${file} declares an error that extends the runtime's: extend LibraryError`);
    }
  }
  nothing(wrong);
});

test("layout: a report reaches nothing that opens the native library", () => {
  const opening = ["ffi/library.ts", "ffi/open_deno.ts", "ffi/open_bun.ts"];
  nothing([...reachable(["report.ts"])].filter((file) => opening.includes(file)).map((file) => `report.ts reaches ${file}`));
});

test("layout: examples import the package by its name, as a user does", () => {
  nothing(
    typescript(["examples"]).flatMap((file) =>
      imports(file).filter((target) => !target.startsWith("examples/")).map((target) =>
        `${file} imports ${target}: import "@tilework/tilework"`
      )
    ),
  );
});

test("layout: the oldest versions that are promised are the same wherever they are named", () => {
  const { deno, bun, node } = oldest;
  assert.deepEqual(JSON.parse(read("package.json")).engines, { bun: `>=${bun}`, deno: `>=${deno}` });
  const said = [new RegExp(`Deno ${deno}( or later,)? (or|and) Bun ${bun}`), new RegExp(`Node ${node}`)];
  for (const wanted of said) {
    nothing(
      ["README.md", "docs/development.md"].filter((file) => !wanted.test(read(file))).map((file) => `${file} does not say ${wanted}`),
    );
  }
});

test("layout: Zig imports go lib → ops → gemm → parallel → isa and never back", () => {
  const wrong: string[] = [];
  for (const file of zig()) {
    const from = layer(file);
    if (from === undefined) {
      wrong.push(`zig/${file} belongs to no layer: add it to the tables of this test`);
      continue;
    }
    for (const target of zigImports(file)) {
      const to = layer(target);
      if (!existsSync(join(root, "zig", target))) wrong.push(`zig/${file} imports zig/${target}, which does not exist`);
      else if (kernelFiles.includes(file) && !kernelImports.includes(target)) {
        wrong.push(`zig/${file} holds micro-kernels and imports zig/${target}`);
      } else if (to !== undefined && to !== from && !zigRules[from].includes(to)) {
        wrong.push(`zig/${file} imports zig/${target}: ${from} may import ${list(zigRules[from])}`);
      }
    }
  }
  nothing(wrong);
});

test("layout: every Zig file with tests is one of those that the test executable is built from", () => {
  const reached = [...zigImports("tests.zig"), ...zigImports("ops.zig")];
  nothing(
    zig().filter((file) => /^test "/m.test(read(`zig/${file}`)) && file !== "tests.zig" && !reached.includes(file))
      .map((file) => `zig/${file} has tests that never run: import it in zig/tests.zig`),
  );
});

test("layout: every op has its files in Zig, in TypeScript and in tests, and is exported", () => {
  const ops = [...read("zig/ops.zig").matchAll(/@import\("ops\/(\w+)\.zig"\)/g)].map(([, stem]) => stem);
  assert.ok(ops.length > 0, "zig/ops.zig lists no op");
  const wrong: string[] = [];
  const missing = (file: string, op: string) => existsSync(join(root, file)) || wrong.push(`${op}: ${file} is missing`);
  for (const op of ops) {
    missing(`zig/ops/${op}.zig`, op);
    for (const stem of servedBy[op] ?? [op]) missing(`ops/${stem}.ts`, op);
  }
  const opFiles = zig().filter((name) => name.startsWith("ops/"));
  const tested = (file: string) => opFiles.includes(file) && /^test "/m.test(read(`zig/${file}`));
  for (const file of opFiles) {
    // An op with long tests has them in a file of their own.
    const stem = file.slice("ops/".length, -".zig".length).replace(/_test$/, "");
    if (!ops.includes(stem)) wrong.push(`zig/${file} is not in the list of zig/ops.zig`);
    if (!tested(`ops/${stem}.zig`) && !tested(`ops/${stem}_test.zig`)) wrong.push(`zig/${file} has no test`);
  }

  const claimed = ops.flatMap((op) => servedBy[op] ?? [op]);
  const entry = read("mod.ts");
  for (const file of typescript(["ops"])) {
    const stem = file.slice("ops/".length, -".ts".length);
    if (!claimed.includes(stem) && !composed.includes(stem)) {
      wrong.push(`${file} is served by no op of zig/ops.zig: list it in this test as composed`);
    }
    if (!entry.includes(`"./${file}"`)) wrong.push(`${file} is not exported by mod.ts`);
    missing(`tests/${stem}_test.ts`, stem);
  }
  for (const stem of composed) missing(`ops/${stem}.ts`, stem);
  nothing(wrong);
});

function nothing(wrong: string[]): void {
  assert.equal(wrong.length, 0, `\n${wrong.join("\n")}\n`);
}

function list(names: string[]): string {
  return names.length === 0 ? "nothing else" : names.join(", ");
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Every TypeScript file of these places, relative to the root, with forward slashes. */
function typescript(places: string[]): string[] {
  return places.flatMap((place) => place.endsWith(".ts") ? [place] : files(place, ".ts"));
}

/** Every Zig file, relative to zig/. */
function zig(): string[] {
  return files("zig", ".zig").map((file) => file.slice("zig/".length));
}

function files(folder: string, ending: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "zig-out") return [];
    return entry.isDirectory() ? files(path, ending) : path.endsWith(ending) ? [path] : [];
  }).sort();
}

/** The TypeScript files that these import, and themselves. */
function reachable(entries: string[]): Set<string> {
  const found = new Set(entries);
  // A loop over a set also visits what is added meanwhile.
  for (const file of found) for (const target of imports(file)) if (target.endsWith(".ts")) found.add(target);
  return found;
}

/** The relative imports and re-exports of a TypeScript file, as paths from the root. */
function imports(file: string): string[] {
  const found = withoutComments(read(file)).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g);
  return [...found].map(([, path]) => posix.join(dirname(file), path));
}

function zigImports(file: string): string[] {
  const found = withoutComments(read(`zig/${file}`)).matchAll(/@import\("([^"]+\.zig)"\)/g);
  return [...found].map(([, path]) => posix.join(dirname(file), path));
}

function layer(file: string): string | undefined {
  const folder = dirname(file).split("/")[0];
  const name = folder === "." ? zigLayers[file] : file.startsWith("gpu/vulkan/") || file === "gpu/choice.zig" ? "vulkan" : folder;
  return name !== undefined && name in zigRules ? name : undefined;
}

/** Good enough for imports: a string that holds two slashes loses its end, and no import path does. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
}

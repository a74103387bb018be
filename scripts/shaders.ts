// Compiles every entry point of shaders/*.slang to SPIR-V and Metal's language, validates it, and writes shaders/generated/. Who edits a shader runs it;
// `--check` compiles afresh and fails where what is committed differs.
//   deno run -A scripts/shaders.ts [--check] [NAME …]      NAME: only the entries of shaders/NAME.slang
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fail, root, run } from "./process.ts";
import { pip } from "./python.ts";
import { installed, toolFolder } from "./tools.ts";
import { shaderRequirements } from "./versions.ts";

const sources = join(root, "shaders");
const generated = join(sources, "generated");
const shaderPackages = shaderRequirements.packages;

interface Tools {
  slangc: string;
  spirvVal: string;
  spirvOpt: string;
}

async function findTools(): Promise<Tools> {
  const folder = join(toolFolder(), `shaders-${shaderPackages.join("-").replaceAll("==", "-")}`);
  await installed(folder, async (fresh) => {
    console.error(`Installing ${shaderPackages.join(" and ")} into ${toolFolder()} (once, about 200 MB) …`);
    const { code, text } = await run(pip(["python3"], shaderRequirements, "install", fresh), { output: "keep" });
    if (code !== 0) throw new Error(`${text.trim()}\n\npip could not install ${shaderPackages.join(" and ")}.`);
  }).catch(fail);
  const slang = join(folder, "slangtorch", "bin", "slangc");
  const spirv = join(folder, "cmeel.prefix", "bin");
  await run(["chmod", "+x", slang, join(spirv, "spirv-val"), join(spirv, "spirv-opt")]);
  return { slangc: slang, spirvVal: join(spirv, "spirv-val"), spirvOpt: join(spirv, "spirv-opt") };
}

/** What the table says of an entry point. */
interface Entry {
  name: string;
  threads: number;
  bindings: string[];
  words: string[];
}

/** An entry's parameter as slangc describes it. */
interface Parameter {
  name: string;
  binding?: { kind: string; index?: number; offset?: number };
  type: { kind: string; fields?: Field[] };
}

interface Field {
  name: string;
  type: { kind: string; elementCount?: number };
  binding: { offset: number; size: number };
}

/** `out` is a keyword of Slang: a trailing underscore stands for nothing. */
const plain = (name: string) => name.replace(/_$/, "");

/** Arithmetic as it is written: drivers may else drop the terms that catch what a sum's roundings lose, which in real numbers are 0. */
const exact = ["-fp-mode", "precise"];

async function compile(tools: Tools, source: string, entry: string, out: string): Promise<Entry> {
  const raw = join(out, `${entry}.raw.spv`);
  const spv = join(out, `${entry}.spv`);
  const reflection = join(out, `${entry}.json`);
  const steps = [
    [
      tools.slangc,
      join(sources, source),
      ...["-entry", entry, "-stage", "compute", "-O0", ...exact, "-fvk-use-entrypoint-name", "-line-directive-mode", "none"],
      ...["-reflection-json", reflection, "-target", "spirv", "-profile", "spirv_1_5", "-o", raw],
    ],
    [
      tools.slangc,
      join(sources, source),
      "-entry",
      entry,
      "-stage",
      "compute",
      ...exact,
      "-line-directive-mode",
      "none",
      "-target",
      "metal",
      "-o",
      join(out, `${entry}.metal`),
    ],
    [tools.spirvVal, "--target-env", "vulkan1.2", raw],
    [tools.spirvOpt, "--target-env=vulkan1.2", "-O", "--strip-debug", raw, "-o", spv],
    [tools.spirvVal, "--target-env", "vulkan1.2", spv],
  ];
  for (const step of steps) {
    const { code, text } = await run(step, { output: "keep" });
    if (code !== 0 || text.includes("error")) {
      throw new Error(`shaders/${source}, ${entry}: ${step[0]!.split("/").at(-1)} failed\n${text.trim()}`);
    }
  }
  rmSync(raw);
  const described = JSON.parse(readFileSync(reflection, "utf8"));
  rmSync(reflection);
  return describe(entry, described.entryPoints.find((e: { name: string }) => e.name === entry));
}

function describe(name: string, entry: { parameters: Parameter[]; threadGroupSize: number[] }): Entry {
  const bindings: string[] = [];
  let words: string[] = [];
  for (const { name: parameter, binding, type } of entry.parameters) {
    if (binding?.kind === "descriptorTableSlot") bindings[binding.index!] = plain(parameter);
    else if (binding?.kind === "uniform") {
      words = [];
      for (const { name: field, type: { kind, elementCount = 1 }, binding: { offset, size } } of type.fields!) {
        if ((kind !== "scalar" && kind !== "array") || size !== 4 * elementCount || offset !== 4 * words.length) {
          throw new Error(`${name}: ${parameter}.${field} must be a scalar of 32 bits, or an array of them`);
        }
        for (let i = 0; i < elementCount; i++) words.push(plain(field) + (kind === "array" ? `_${i}` : ""));
      }
    }
  }
  const [x, y, z] = entry.threadGroupSize;
  return { name, threads: x! * y! * z!, bindings, words };
}

/** The Zig table of all entries, beside the code that it embeds. */
function table(entries: readonly Entry[]): string {
  const list = (names: readonly string[]) => names.length ? `&.{ ${names.map((name) => JSON.stringify(name)).join(", ")} }` : "&.{}";
  return `//! The compiled shaders. Written by scripts/shaders.ts.

pub const Shader = struct {
    name: [:0]const u8,
    code: []align(4) const u8,
    /// Threads of a workgroup.
    threads: u32,
    /// Storage buffers, by binding.
    bindings: []const []const u8,
    /// Push constants, 32 bits each.
    words: []const []const u8,
};

fn embed(comptime file: []const u8) []align(4) const u8 {
    const aligned = struct {
        const bytes align(4) = @embedFile(file).*;
    };
    return &aligned.bytes;
}

pub const table = [_]Shader{
${
    entries.map(({ name, threads, bindings, words }) =>
      `    .{ .name = "${name}", .code = embed("${name}.spv"), .threads = ${threads}, .bindings = ${list(bindings)}, .words = ${
        list(words)
      } },\n`
    ).join("")
  }};
`;
}

/** The entry points of a source, in their order. */
function entriesOf(source: string): string[] {
  const text = readFileSync(join(sources, source), "utf8");
  // Written out, or made by a macro of the common part that takes the name last.
  const written = /^\[shader\("compute"\)\]\s*\[numthreads\([^)]*\)\]\s*void\s+(\w+)\s*\(/gm;
  const made = /^[A-Z]+\((?:[\w.]+,\s*)*([a-z]\w*)\)$/gm;
  return [...text.matchAll(written), ...text.matchAll(made)].sort((a, b) => a.index - b.index).map((match) => match[1]!);
}

/** The text of a source and of all that it includes. */
function wholeText(path: string, seen = new Set<string>()): string {
  if (seen.has(path)) return "";
  seen.add(path);
  const text = readFileSync(path, "utf8");
  return text + [...text.matchAll(/^#include "([^"]+)"/gm)].map((match) => wholeText(join(dirname(path), match[1]!), seen)).join("");
}

/** As `compile`; what was compiled before from the same text by the same script is taken from the folder of tools. */
async function compiled(tools: Tools, source: string, entry: string, out: string): Promise<Entry> {
  const hash = createHash("sha256").update(readFileSync(new URL(import.meta.url))).update(shaderPackages.join()).update(entry)
    .update(wholeText(join(sources, source))).digest("hex");
  const folder = await installed(join(toolFolder(), "shader-cache", hash), async (fresh) => {
    const described = await compile(tools, source, entry, fresh);
    writeFileSync(join(fresh, "entry.json"), JSON.stringify(described));
  });
  for (const file of [`${entry}.spv`, `${entry}.metal`]) copyFileSync(join(folder, file), join(out, file));
  return JSON.parse(readFileSync(join(folder, "entry.json"), "utf8"));
}

const checking = process.argv.includes("--check");
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const tools = await findTools();
const out = mkdtempSync(join(tmpdir(), "shaders-"));
const jobs = readdirSync(sources).filter((file) => file.endsWith(".slang")).sort()
  .flatMap((source) => entriesOf(source).map((entry) => ({ source, entry })));
const told = new Map<string, Entry>();
const known = join(generated, "table.json");
if (only.length > 0 && existsSync(known)) {
  for (const entry of JSON.parse(readFileSync(known, "utf8")) as Entry[]) told.set(entry.name, entry);
}
const faults: string[] = [];
const queue = jobs.filter(({ source }) => only.length === 0 || only.includes(source.replace(".slang", "")));
const worker = async () => {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    try {
      told.set(job.entry, await compiled(tools, job.source, job.entry, out));
    } catch (error) {
      faults.push(String(error));
    }
  }
};
await Promise.all([worker(), worker()]);
if (faults.length > 0) fail(faults.join("\n\n"));

const entries = jobs.map(({ entry }) => told.get(entry)).filter((entry) => entry !== undefined);
writeFileSync(join(out, "table.zig"), table(entries));
writeFileSync(join(out, "table.json"), `${JSON.stringify(entries, null, 2)}\n`);
const made = readdirSync(out).sort();
mkdirSync(generated, { recursive: true });
const stale = readdirSync(generated).filter((file) => only.length === 0 && !made.includes(file));
const changed = made.filter((file) => {
  const place = join(generated, file);
  return !existsSync(place) || !readFileSync(place).equals(readFileSync(join(out, file)));
});
for (const file of changed) writeFileSync(join(generated, file), readFileSync(join(out, file)));
for (const file of stale) rmSync(join(generated, file));
rmSync(out, { recursive: true });
console.log(`${entries.length} shaders; ${changed.length} files changed, ${stale.length} removed`);
if (checking && changed.length + stale.length > 0) {
  fail(`shaders/generated was not what the sources say: ${[...changed, ...stale].join(", ")}. Commit the new files.`);
}

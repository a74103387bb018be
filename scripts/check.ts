// Checks that run no code of the library: formatting, lint, types under both runtimes, generated files. Ends with one count a check.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Counts, line, total } from "./counts.ts";
import { root, run } from "./process.ts";
import { ensurePackages, findRuntime } from "./runtimes.ts";
import { findZig } from "./zig.ts";

await ensurePackages();
const deno = await findRuntime("deno");
const bun = await findRuntime("bun");
const zig = await findZig();

/** The modules that programs import. */
const entries: string[] = Object.values(JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).exports);
const generated = join(root, "ffi", "symbols.gen.ts");
const before = existsSync(generated) ? readFileSync(generated, "utf8") : "";

const results: Counts[] = [
  await check("deno fmt --check", [deno, "fmt", "--check"]),
  await check("deno lint", [deno, "lint"]),
  await check("zig fmt --check", [...zig, "fmt", "--check", "zig"]),
  await check("deno check", [
    deno,
    "check",
    "mod.ts",
    "doctor.ts",
    "report.ts",
    ...typeScript("tests"),
    ...typeScript("examples"),
    ...typeScript("bench"),
    ...typeScript("scripts"),
    ...typeScript("scripts/delivery"),
  ]),
  // Every export is documented, and what a public signature mentions is public or says that it is internal.
  await check("deno doc --lint", [deno, "doc", "--lint", ...entries]),
  // Deno takes `bun:ffi` as `any`: only this check compares what open_bun.ts expects of it with its types.
  await check("tsc with Bun's types", [bun, "node_modules/typescript/bin/tsc", "-p", "tsconfig.bun.json"]),
  await check("zig build gen", [...zig, "build", "gen", "--build-file", "zig/build.zig"]),
  same("ffi/symbols.gen.ts is what the Zig signatures say", before, readFileSync(generated, "utf8")),
];

const sum = total(results);
console.log(line(sum));
process.exit(sum.failed > 0 ? 1 : 0);

async function check(name: string, command: string[]): Promise<Counts> {
  const { code, text, seconds } = await run(command, { output: "keep" });
  return report(name, code === 0, text, seconds);
}

function same(name: string, one: string, other: string): Counts {
  return report(name, one === other, "It differed and has been rewritten: commit the new one.", 0);
}

function report(name: string, good: boolean, text: string, seconds: number): Counts {
  console.log(`${good ? "ok    " : "FAILED"} ${name}${seconds >= 0.1 ? ` (${seconds.toFixed(1)} s)` : ""}`);
  if (!good) console.log(text.trimEnd());
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
}

/** The TypeScript files right in a folder: `deno check` of a folder that holds another package's files would read those too. */
function typeScript(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder)).filter((name) => name.endsWith(".ts")).sort().map((name) => `${folder}/${name}`);
}

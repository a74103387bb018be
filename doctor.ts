#!/usr/bin/env bun
/**
 * What the library finds on this machine, whether it computes rightly here, and how fast.
 *
 *     deno run -A jsr:@tilework/tilework/doctor        bunx tilework doctor
 *
 * In the repository: `deno task doctor` or `bun run doctor`. `--quick` tests and measures less, `--json` prints one JSON object. The exit status is 1 where
 * a check fails or the library cannot be loaded.
 *
 * @module
 */

import { type Check, selfTest, type Tried } from "./doctor/self_test.ts";
import { type Rate, speed } from "./doctor/speed.ts";
import { loadedFrom } from "./ffi/library.ts";
import { os, process } from "./ffi/node.ts";
import { manifest } from "./ffi/symbols.gen.ts";
import { cpu, type CpuDescription, cpuDevice, type Isa, UnsupportedError } from "./mod.ts";

export type { Check, Rate };

/** What `doctor` has found. */
export interface Report {
  /** Whether every check passed. */
  readonly ok: boolean;
  /** The version of this TypeScript; the library was built from the same sources, or it would have been refused. */
  readonly version: string;
  /** The library, and who named its path. */
  readonly library: { readonly path: string; readonly from: string };
  /** Deno or Bun. */
  readonly runtime: string;
  /** The processor's name, its architecture, threads that the system counts and memory in bytes. */
  readonly machine: { readonly processor: string; readonly system: string; readonly threads: number; readonly memoryBytes: number };
  /** Instruction sets that run here. */
  readonly instructionSets: readonly Isa[];
  /** What the default device came to. */
  readonly device: CpuDescription;
  /** The environment variables of the library that are set. */
  readonly environment: Readonly<Record<string, string>>;
  /** The self-test. */
  readonly checks: readonly Check[];
  /** Rates of products, of the machine's own loops and of a copy. */
  readonly speed: readonly Rate[];
  /** How long it took. */
  readonly seconds: number;
}

/**
 * Looks at the machine, tests the ops against plain loops and measures. It takes some five seconds, one with `quick`. Throws a LibraryNotFoundError where
 * the library cannot be loaded.
 *
 * ```ts
 * import { doctor } from "@tilework/tilework/doctor";
 *
 * const report = doctor({ quick: true });
 * console.log(report.ok, report.checks.length > 0); // true true
 * ```
 */
export function doctor({ quick = false }: { quick?: boolean } = {}): Report {
  const start = performance.now(), { bun, deno, node } = process.versions;
  const device = cpu.describe();
  const sets = (["portable", "avx2", "avx512", "neon"] as const).filter(usable);
  const checks = selfTest(devices(sets, device.cores), quick);
  const rates = speed(device.cores, quick ? 0.3 : 4);
  return {
    ok: checks.every(({ ok }) => ok),
    version: manifest.version,
    library: { path: loadedFrom!.path, from: loadedFrom!.from }, // `describe` has loaded it
    runtime: bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node}`,
    machine: {
      processor: os.cpus()[0]?.model.trim() || "unknown",
      system: `${process.platform} ${os.arch()}`,
      threads: os.availableParallelism(),
      memoryBytes: os.totalmem(),
    },
    instructionSets: sets,
    device,
    environment: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name.startsWith("TILEWORK_")).map(([name, value]) => [name, value ?? ""]).sort(),
    ),
    checks,
    speed: rates,
    seconds: (performance.now() - start) / 1000,
  };
}

function usable(isa: Isa): boolean {
  try {
    cpuDevice({ isa });
    return true;
  } catch (error) {
    if (error instanceof UnsupportedError) return false;
    throw error;
  }
}

/** Every instruction set, on one worker and on as many as there are, two at least, with nothing too small to be shared. */
function devices(sets: readonly Isa[], cores: number): Tried[] {
  const all = Math.max(2, cores);
  return sets.flatMap((isa) =>
    [1, all].map((threads) => ({
      name: `${isa}, ${threads} worker${threads === 1 ? "" : "s"}`,
      device: cpuDevice({ isa, threads, tuning: { cores: all, parallelThreshold: 0, gemvParallelBytes: 0 } }),
    }))
  );
}

// ── Printing ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Colours for a terminal; nothing elsewhere. */
interface Paint {
  heading(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

function paint(): Paint {
  const on = process.stdout.isTTY === true && !process.env["NO_COLOR"];
  const code = (n: number) => (text: string) => on ? `\x1b[${n}m${text}\x1b[0m` : text;
  return { heading: code(1), good: code(32), bad: code(31) };
}

/** The report as text. */
function format(report: Report, { heading, good, bad }: Paint): string {
  const { device, checks, machine } = report;
  const failed = checks.filter(({ ok }) => !ok);
  return [
    section("tilework", [
      ["version", report.version],
      ["library", `${report.library.path} (${report.library.from})`],
      ["runtime", report.runtime],
    ]),
    section("machine", [
      ["processor", machine.processor],
      ["system", `${machine.system}, ${machine.threads} threads, ${bytes(machine.memoryBytes)}`],
      ["instruction sets", report.instructionSets.map((isa) => isa === device.isa ? `${isa} (chosen)` : isa).join(", ")],
    ]),
    section("device", described({ ...device })),
    section("environment", Object.entries(report.environment), "nothing set"),
    `${heading("self-test")}\n${
      checks.map(({ name, ok, fault }) => `  ${ok ? good("ok    ") : bad("FAILED")} ${name}${ok ? "" : `: ${fault}`}`).join("\n")
    }`,
    `${heading("speed")}\n${rates(report.speed)}`,
    failed.length === 0
      ? good(`Healthy: all ${checks.length} checks passed`) + ` (${report.seconds.toFixed(1)} s)`
      : bad(`${failed.length} of ${checks.length} checks failed: ${failed.map(({ name }) => name).join("; ")}`),
  ].join("\n\n");

  function section(title: string, rows: (readonly [string, string])[], none = ""): string {
    const wide = Math.max(0, ...rows.map(([name]) => name.length));
    return [heading(title), ...rows.map(([name, value]) => `  ${name.padEnd(wide)}  ${value}`), ...(rows.length === 0 ? [`  ${none}`] : [])]
      .join("\n");
  }
}

const { settings } = manifest;

/** Whatever a description holds, one line a value: it grows as descriptions do. */
function described(value: object, prefix = ""): [string, string][] {
  return Object.entries(value).flatMap(([name, v]: [string, unknown]): [string, string][] => {
    if (typeof v === "object" && v !== null && !(Array.isArray(v) && v.every((each) => typeof each === "number"))) {
      return described(v, `${prefix}${name}.`);
    }
    if (prefix.endsWith("caches.")) return [[prefix + name, v === 0 ? "none" : bytes(Number(v))]];
    if (prefix === "tuning." && process.env[variable(name)]) return [[prefix + name, `${String(v)} (${variable(name)})`]];
    return [[prefix + name, Array.isArray(v) ? v.join(", ") || "none" : String(v)]];
  });
}

/** The environment variable behind a knob. */
function variable(knob: string): string {
  return settings.find(({ name }) => name === knob)?.variable ?? "";
}

function bytes(n: number): string {
  const [value, unit] = n < 2 ** 20 ? [n / 1024, "KiB"] : n < 2 ** 30 ? [n / 2 ** 20, "MiB"] : [n / 2 ** 30, "GiB"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** One line a measurement, one column a number of workers. */
function rates(all: readonly Rate[]): string {
  const names = [...new Set(all.map(({ name }) => name))], widths = [...new Set(all.map(({ workers }) => workers))];
  const cell = (name: string, workers: number) => {
    const r = all.find((rate) => rate.name === name && rate.workers === workers);
    if (r === undefined) return "";
    const share = r.peak === null ? "" : ` ${Math.round(100 * r.rate / r.peak)}%`;
    return `${r.rate.toPrecision(3)} ${r.unit}${share}`;
  };
  const first = Math.max(...names.map((name) => name.length));
  const head = `  ${" ".repeat(first)}  ${
    widths.map((n) => `${n} worker${n === 1 ? "" : "s"}`.padEnd(20)).join("")
  }(share of the multiply-add loop)`;
  return [head, ...names.map((name) => `  ${name.padEnd(first)}  ${widths.map((n) => cell(name, n).padEnd(20)).join("")}`.trimEnd())].join(
    "\n",
  );
}

function main(args: readonly string[]): number {
  const unknown = args.filter((arg) => !["doctor", "--quick", "--json"].includes(arg));
  if (unknown.length > 0) {
    console.error(`tilework doctor: unknown argument ${unknown[0]}; there are --quick and --json`);
    return 1;
  }
  const json = args.includes("--json");
  try {
    const report = doctor({ quick: args.includes("--quick") });
    console.log(json ? JSON.stringify(report) : format(report, paint()));
    return report.ok ? 0 : 1;
  } catch (error) {
    // No library, or a variable out of range: what was tried, and what to do.
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    console.log(json ? JSON.stringify({ ok: false, error: text }) : text);
    return 1;
  }
}

// Not every project's types know `main`.
if ((import.meta as { readonly main?: boolean }).main) process.exitCode = main(process.argv.slice(2));

/** What calls would do: kernels, workers, blocking and bytes, told without computing. */

import { TypeError } from "./errors.ts";
import { load } from "../ffi/library.ts";
import type { Isa, Tuning } from "./device.ts";
import { explained, isExplaining, type NotedCall, type NotedStep } from "./explaining.ts";
import { currentRecorder } from "./op.ts";
import { closedScope } from "./scope.ts";
import { checkFunction } from "./shape.ts";

/** One step of a native call. */
export interface Explanation {
  /** The op that made the call, by the name its errors have. */
  readonly op: string;
  /** Which native call of what was explained, counted from 0; the steps of one call share it. */
  readonly call: number;
  /** The part of the call, where it has several or is a part of its op: `dx`, `dw`, `db`, `rows`, `join`, `copy`; else the op's name. */
  readonly step: string;
  /** The micro-kernel, as the library names it, or the shader on a GPU; `null` where a plain loop does the work. */
  readonly kernel: string | null;
  /** The instruction set; `null` on a GPU. */
  readonly isa: Isa | null;
  /** Threads that work on it, the calling one among them; 0 where there is nothing to do, and on a GPU. */
  readonly workers: number;
  /** The width that `workers` stands on, or `null` where the number stands for itself. */
  readonly tier: number | null;
  /** The rule that settled the number of workers. */
  readonly why: string;
  /**
   * What workers claim from the cursor: so many jobs (for a product: of one column block and depth slice), so many of them at a time. On a GPU the
   * workgroups, and the threads of each.
   */
  readonly jobs: number;
  /** See `jobs`. */
  readonly grain: number;
  /** Bytes of the large inputs and outputs, each counted once; 0 on a GPU, where nobody counts. */
  readonly bytes: number;
  /** Floating-point operations of a product, `2·m·n·k` each; `null` for work that is bound by memory. */
  readonly flops: number | null;
  /** Native memory beside the tensors, for packed operands and partial results. */
  readonly scratchBytes: number;
  /** How a matrix product is carried out; `null` for other work. */
  readonly product: ExplainedProduct | null;
  /** What the device's settings came to. */
  readonly tuning: Readonly<Required<Tuning>>;
}

/** How a matrix product is carried out. */
export interface ExplainedProduct {
  /**
   * `direct` is one call of the kernel, `tiles` the full machinery, `transposed` the same on the transposed product of few rows, `gemv` and `outer` are products with a vector and of two, `batch-parallel` deals whole
   * products, `batch-serial` takes them one after another, `sequential-internal` gives each to all workers; `grouped` is one list of
   * jobs over the experts, with the rows dealt evenly, for which the sizes count the rows of all.
   */
  readonly route: string;
  /** Rows of the result. */
  readonly m: number;
  /** Columns of the result. */
  readonly n: number;
  /** The inner size. */
  readonly k: number;
  /** Products of that size. */
  readonly batch: number;
  /** Rows and columns that the kernel holds in registers; `null` where it reads a vector. */
  readonly tile: { readonly mr: number; readonly nr: number } | null;
  /** Rows of A, columns of B and depth of one block; `null` where the kernel takes the product whole. */
  readonly blocking: { readonly mc: number; readonly nc: number; readonly kc: number } | null;
  /** Where the kernel reads each operand: `in place`, or from a copy that lies as the kernel wants it. */
  readonly packing: { readonly a: string; readonly b: string };
}

/**
 * Tells what the ops called in `body` would do, without computing: which kernel on which instruction set, how many workers and why, how a product is cut
 * and what is packed, bytes and operations. The result is an array with one entry for each step, in order, which prints as a table.
 *
 * Nothing changes: tensors made inside are freed at the end, whatever is returned or kept; `out` tensors, parameters in place, optimizer state and random
 * streams stay as they are, and `write` only checks. Arguments are checked as ever, except that labels and ids are not looked at. Reading a value inside
 * is a TypeError, for there is none; so is an explanation inside another one or inside a loss, and an async body.
 *
 * ```ts
 * import { cpu, explain, matmul, zeros } from "@tilework/tilework";
 *
 * using x = zeros(cpu, [512, 768]);
 * using w = zeros(cpu, [768, 3072]);
 * const plan = explain(() => matmul(x, w));
 * console.log(plan[0]?.flops); // 2415919104
 * console.log(String(plan)); // a table
 * ```
 */
export function explain(body: () => unknown): readonly Explanation[] {
  checkFunction("explain", "body", body);
  if (isExplaining()) throw new TypeError("explain: called inside explain");
  if (currentRecorder() !== null) throw new TypeError("explain: called inside a loss, whose gradient would miss what is not computed");
  load();
  const calls = explained(() => closedScope("explain", body));
  const steps = calls.flatMap((call, index) => call.steps.map((step) => explanation(call, index, step)));
  const print = { value: () => table(steps), enumerable: false };
  return Object.defineProperties(steps, { toString: print, [inspect]: print, [inspectDeno]: print });
}

const inspect = Symbol.for("nodejs.util.inspect.custom");
const inspectDeno = Symbol.for("Deno.customInspect");

function explanation(call: NotedCall, index: number, step: NotedStep): Explanation {
  const { product: p } = step;
  return {
    op: call.op,
    call: index,
    step: step.step ?? call.op,
    kernel: step.kernel && (step.isa === null ? step.kernel : `${step.kernel}__${step.isa}`),
    isa: step.isa as Isa | null, // the library's names
    workers: step.workers,
    tier: step.tier || null,
    why: sentence(call, step),
    jobs: step.jobs,
    grain: step.grain,
    bytes: step.bytes,
    flops: step.flops,
    scratchBytes: step.scratch_bytes,
    product: p && {
      route: p.route,
      m: p.m,
      n: p.n,
      k: p.k,
      batch: p.batch,
      tile: p.tile,
      blocking: p.blocking,
      packing: { a: p.a, b: p.b },
    },
    tuning: tuningOf(call),
  };
}

function tuningOf({ cores, pool_classes: poolClasses, knobs }: NotedCall): Required<Tuning> {
  const named = Object.entries(knobs).map(([name, value]) => [name.replace(/_(.)/g, (_, c: string) => c.toUpperCase()), value]);
  return { cores, poolClasses, ...Object.fromEntries(named) } as Required<Tuning>; // the knobs of the library are those of `Tuning`
}

/** The rules of zig/parallel/resolve.zig in words. */
function sentence(call: NotedCall, step: NotedStep): string {
  const knob = (name: string, native: string) => `${name} (${digits(call.knobs[native] ?? 0)})`;
  const counted = step.weight > 1 ? `, counted ${step.weight}-fold for their arithmetic,` : "";
  const rules: Record<string, string> = {
    nothing: "no elements, nothing to do",
    gpu: "a shader on a GPU",
    serial_loop: "a short loop of the calling thread",
    serial_gate: `fewer multiply-adds than ${knob("parallelThreshold", "parallel_threshold")}`,
    serial_request: "threads is serial",
    exact: `threads is ${step.workers}`,
    work: `one for each ${knob("parMnkPerWorker", "par_mnk_per_worker")} multiply-adds`,
    tier: `what the work pays for, rounded down to the tier of ${step.tier}`,
    full_width: "enough work for every core",
    below_floor: `its bytes${counted} are below ${knob("gemvParallelBytes", "gemv_parallel_bytes")}`,
    ladder: `the tier that its bytes${counted} have climbed to`,
    flat_cap: `above the floor ${knob("gemvThreadCap", "gemv_thread_cap")} stands for the tiers`,
    jobs: "the work cannot be cut into more parts",
    cores: `there are no more than ${call.cores} cores`,
  };
  return rules[step.why] ?? step.why;
}

function digits(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, " ");
}

function bytes(n: number): string {
  const [value, unit] = n < 1024 ? [n, "B"] : n < 2 ** 20 ? [n / 1024, "KiB"] : n < 2 ** 30 ? [n / 2 ** 20, "MiB"] : [n / 2 ** 30, "GiB"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

function flops(n: number): string {
  const [value, unit] = n < 1e6 ? [n / 1e3, "kflop"] : n < 1e9 ? [n / 1e6, "Mflop"] : [n / 1e9, "Gflop"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** Two lines a step, one on a GPU: who does it and why, then how. */
function table(steps: readonly Explanation[]): string {
  if (steps.length === 0) return "nothing is called";
  const names = steps.map((s) => s.step === s.op ? s.op : `${s.op}: ${s.step}`);
  const kernels = steps.map((s) => s.kernel ?? "a plain loop");
  const wide = (texts: string[]) => Math.max(...texts.map((text) => text.length));
  const first = wide(names), second = wide(kernels);
  return steps.map((s, i) => {
    const who = s.isa === null ? groups(s) : `${s.workers} ${s.workers === 1 ? "worker " : "workers"}`;
    const how = s.isa === null ? "" : `\n${" ".repeat(first)}  ${details(s)}`;
    return `${names[i]!.padEnd(first)}  ${kernels[i]!.padEnd(second)}  ${who}  ${s.why}${how}`;
  }).join("\n");
}

function groups({ jobs, grain }: Explanation): string {
  return `${digits(jobs)} ${jobs === 1 ? "workgroup" : "workgroups"} of ${grain} threads`;
}

function details(s: Explanation): string {
  const parts: string[] = [];
  const p = s.product;
  if (p !== null) {
    const block = p.blocking && `blocks of ${p.blocking.mc} × ${p.blocking.nc} × ${p.blocking.kc}`;
    parts.push(`${p.batch > 1 ? `${p.batch} × ` : ""}${p.m} × ${p.n} × ${p.k} ${p.route}`);
    if (p.tile) parts.push(`tile ${p.tile.mr} × ${p.tile.nr}`);
    if (block) parts.push(block);
    parts.push(p.packing.a === p.packing.b ? `both operands ${p.packing.a}` : `A ${p.packing.a}, B ${p.packing.b}`);
  }
  if (s.workers > 1) {
    parts.push(`${digits(s.jobs)} jobs, ${digits(s.grain)} a chunk`);
    if (s.tier !== null) parts.push(`tier of ${s.tier}`);
  }
  parts.push(bytes(s.bytes));
  if (s.flops !== null) parts.push(flops(s.flops));
  if (s.scratchBytes > 0) parts.push(`${bytes(s.scratchBytes)} scratch`);
  return parts.join("; ");
}

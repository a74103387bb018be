/**
 * The profile of a program whose runs are all alike: each native call's time beside what the machine's own multiply-adds and copies would take for the same
 * work, and the time outside of calls. What a call does, `explain` tells beforehand.
 *
 * @module
 */
import { explain, type Explanation } from "@tilework/tilework";
import { figure, median, watchOthers } from "./harness.ts";
import type { NativeCall, Watched } from "./native_calls.ts";
import type { Peak } from "./peers/peak.ts";

/** A native call that computes, and its steps by `explain`. */
export interface Planned {
  readonly name: string;
  readonly steps: readonly Explanation[];
}

/** The computing calls that `run` would make, in order. */
function plan(watched: Watched, run: () => void): Planned[] {
  let steps: readonly Explanation[] = [];
  const calls = watched.calls(() => steps = explain(run));
  // The notes of a call are read right after it.
  const explained = calls.filter((_, i) => calls[i + 1]?.name === "tw_explain_read");
  return explained.map(({ name }, index) => ({ name, steps: steps.filter(({ call }) => call === index) }));
}

/**
 * The times of the planned calls, and those of all others: tensors made, viewed and freed. What a commit of several calls took counts for the last of them.
 * Throws where a planned call is not among the calls.
 */
export function matched(calls: readonly NativeCall[], planned: readonly { readonly name: string }[]): { ops: number[]; rest: number[] } {
  const ops: number[] = [], rest: number[] = [];
  for (const { name, ms } of calls) {
    if (name === planned[ops.length]?.name) ops.push(ms);
    else if (name === "tw_together_commit" && ops.length > 0) ops[ops.length - 1]! += ms;
    else rest.push(ms);
  }
  const missed = planned[ops.length];
  if (missed) throw new Error(`explain foretells ${missed.name} as call ${ops.length}, which was not made`);
  return { ops, rest };
}

/** The machine's own rates: what a step of a call would take at them. */
class Roof {
  readonly flopsPerMs: number;
  readonly #peak: Peak;
  readonly #threads: number;
  /** By the floats of each array. */
  readonly #copies = new Map<number, number>();

  private constructor(ceilings: Peak, threads: number, flopsPerMs: number) {
    this.#peak = ceilings;
    this.#threads = threads;
    this.flopsPerMs = flopsPerMs;
  }

  static async of(ceilings: Peak, threads: number): Promise<Roof> {
    const calls = 50, seconds = await least(() => ceilings.multiplyAdd(threads).time(calls));
    return new Roof(ceilings, threads, ceilings.flopsPerCall(threads) * calls / seconds / 1000);
  }

  /** What a copy moves in a millisecond, as many bytes read and written; sizes up to the same power of two share one measurement. */
  async #bytesPerMs(bytes: number): Promise<number> {
    const floats = 2 ** Math.max(10, Math.ceil(Math.log2(bytes / 8))), known = this.#copies.get(floats);
    if (known !== undefined) return known;
    const copy = this.#peak.copy(this.#threads, floats), calls = Math.max(2, Math.ceil(2 ** 24 / floats));
    const rate = 8 * floats * calls / (await least(() => copy.time(calls))) / 1000;
    this.#copies.set(floats, rate);
    return rate;
  }

  async ms({ flops, bytes }: Explanation): Promise<number> {
    return Math.max((flops ?? 0) / this.flopsPerMs, bytes / await this.#bytesPerMs(bytes));
  }
}

/** The shortest of some measurements. */
async function least(time: () => number | Promise<number>): Promise<number> {
  let seconds = Infinity;
  for (let i = 0; i < 7; i++) seconds = Math.min(seconds, await time());
  return seconds;
}

/** All calls of one op and shape. */
export interface ProfileRow {
  readonly op: string;
  readonly shape: string;
  readonly calls: number;
  readonly ms: number;
  /** What the machine's own multiply-adds or copies would take, whichever takes longer. */
  readonly roof_ms: number;
  readonly loss_ms: number;
  readonly share: number;
  /** GFLOP/s where the op multiplies, else GB/s. */
  readonly rate: number;
  readonly unit: "GFLOP/s" | "GB/s";
}

/** Where the time of one run goes. */
export interface Profile {
  /** The median of runs that nobody watched. */
  readonly ms: number;
  readonly gflop: number;
  /** GFLOP/s of the multiply-add loop, and the part of it that a run reaches. */
  readonly peak: number;
  readonly of_peak: number;
  /** The largest loss first. */
  readonly rows: readonly ProfileRow[];
  /** Native calls that make, view and free tensors. */
  readonly other_calls: number;
  readonly other_ms: number;
  /** Between native calls: TypeScript and the collector. */
  readonly outside_ms: number;
  /** How often threads had been waiting for longer than they stay awake, 50 µs, when they were needed again. */
  readonly rests: number;
  /** What rows, other calls and TypeScript sum up to, over the median of the runs that were watched. */
  readonly accounted: number;
  readonly runs: number;
  readonly others: number | undefined;
}

/** Times of the watched runs: of each planned call, and of what lies beside them. */
class Times {
  readonly whole: number[] = [];
  readonly outside: number[] = [];
  readonly other: number[] = [];
  readonly rests: number[] = [];
  readonly calls: number[][];
  otherCalls = 0;

  constructor(planned: readonly Planned[]) {
    this.calls = planned.map(() => []);
  }

  add(took: number, calls: readonly NativeCall[], planned: readonly Planned[]): void {
    const { ops, rest } = matched(calls, planned);
    ops.forEach((ms, i) => this.calls[i]!.push(ms));
    const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
    this.otherCalls = rest.length;
    this.other.push(sum(rest));
    this.whole.push(took);
    this.outside.push(took - sum(calls.map(({ ms }) => ms)));
    const busy = calls.filter(({ name }) => !/^tw_(tensor|together)_/.test(name));
    this.rests.push(busy.filter(({ began }, i) => i > 0 && began - busy[i - 1]!.began - busy[i - 1]!.ms > 0.05).length);
  }
}

/** Profiles `run`, which makes the same calls each time, for some seconds; on a device of so many threads. */
export async function profile(watched: Watched, run: () => void, ceilings: Peak, threads: number, seconds: number): Promise<Profile> {
  const planned = plan(watched, run), roof = await Roof.of(ceilings, threads);
  const times = new Times(planned), plain: number[] = [], others = watchOthers();
  const end = performance.now() + 1000 * seconds;
  do {
    const from = performance.now();
    run();
    const between = performance.now(), calls = watched.calls(run);
    times.add(performance.now() - between, calls, planned);
    plain.push(between - from);
  } while (performance.now() < end || plain.length < 5);
  const taken = others(), ms = median(plain), rows = await rowsOf(planned, times.calls.map(median), roof, ms);
  const gflop = planned.reduce((sum, { steps }) => sum + steps.reduce((flops, s) => flops + (s.flops ?? 0), 0), 0) / 1e9;
  const peak = roof.flopsPerMs / 1e6, other = median(times.other), outside = median(times.outside);
  return {
    ...{ ms: figure(ms), gflop: figure(gflop), peak: figure(peak), of_peak: figure(gflop / ms * 1000 / peak), rows },
    ...{ other_calls: times.otherCalls, other_ms: figure(other), outside_ms: figure(outside), rests: median(times.rests) },
    accounted: figure((rows.reduce((sum, row) => sum + row.ms, 0) + other + outside) / median(times.whole)),
    ...{ runs: plain.length, others: taken && figure(Math.max(0, taken)) },
  };
}

async function rowsOf(planned: readonly Planned[], typical: readonly number[], roof: Roof, whole: number): Promise<ProfileRow[]> {
  const sums = new Map<string, { op: string; shape: string; calls: number; ms: number; roof: number; flops: number; bytes: number }>();
  for (const [i, { name, steps }] of planned.entries()) {
    const op = steps[0]?.op ?? name, shape = shapeOf(steps), key = `${op} ${shape}`;
    const sum = sums.get(key) ?? { op, shape, calls: 0, ms: 0, roof: 0, flops: 0, bytes: 0 };
    sums.set(key, sum);
    sum.calls++;
    sum.ms += typical[i]!;
    for (const step of steps) {
      sum.flops += step.flops ?? 0;
      sum.bytes += step.bytes;
      sum.roof += await roof.ms(step);
    }
  }
  const rows = [...sums.values()].map(({ op, shape, calls, ms, roof, flops, bytes }): ProfileRow => ({
    ...{ op, shape, calls, ms: figure(ms), roof_ms: figure(roof), loss_ms: figure(ms - roof), share: figure(ms / whole) },
    ...{ rate: figure((flops || bytes) / ms / 1e6), unit: flops > 0 ? "GFLOP/s" : "GB/s" },
  }));
  return rows.sort((a, b) => b.loss_ms - a.loss_ms);
}

function shapeOf(steps: readonly Explanation[]): string {
  const products = steps.flatMap(({ product: p }) => p ? [`${p.batch > 1 ? `${p.batch}×` : ""}${p.m}×${p.n}×${p.k}`] : []);
  if (products.length > 0) return products.join(" + ");
  const bytes = steps.reduce((sum, s) => sum + s.bytes, 0);
  return bytes < 1e4 ? `${bytes} B` : `${figure(bytes / 2 ** 20)} MiB`;
}

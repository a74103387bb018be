/**
 * What the results of group `gemm` come to: geometric means over the cases, the worst case, and whether the project's bars hold.
 *
 * @module
 */
import { type Case, describe } from "./gemm_cases.ts";
import { figure, type Line } from "./harness.ts";
import type { Peers } from "./peers/load.ts";
import type { Peer } from "./problem.ts";

/** What the parts of the group found. */
export interface GemmResults {
  readonly peers: Peers;
  readonly rates: RateResult[];
  readonly calls: { readonly size: number; readonly nanoseconds: number; readonly overKernel: number }[];
  readonly busy: { readonly case: Case; readonly threads: number; readonly auto: number }[];
}

/** One case on so many threads. All figures are speed ratios: above 1 is faster. */
export interface RateResult {
  readonly case: Case;
  readonly threads: number;
  /** GFLOP/s. */
  readonly rate: number;
  /** Over each peer. */
  readonly ratios: ReadonlyMap<string, number>;
  /** Over the machine's multiply-add loop on as many threads. */
  share?: number;
  /** Our speed-up over one thread, over the loop's. */
  scaling?: number;
  /** Of the library's own choice of threads, over the better of one and all. */
  auto?: number;
  /** Of a packed weight, over the plain one. */
  prepacked?: number;
}

/** One demand: at least `least`, or at most `most`. */
interface Bar {
  readonly name: string;
  readonly threads: number;
  readonly value: number;
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
  /** The case that decides. */
  readonly at?: string;
  /** How many cases were asked. */
  readonly cases: number;
}

const leastOfBest = 0.97, meanOfBest = 1.05, meanOfEach = 1.15, shareOfPeak = 0.92, scalingOfLoop = 0.97, autoOfBetter = 0.95;
const callNanosecondsMax = 300, overKernelMax = 250;

/** The best of some peers in a case, and our ratio over it. */
function overBest({ ratios }: RateResult, peers: readonly Peer[]): [string, number] | undefined {
  return [...ratios].filter(([name]) => peers.some((peer) => peer.name === name)).sort(([, x], [, y]) => x - y)[0];
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** The bar on the smallest of some figures; nothing where there is none. */
function onWorst(name: string, threads: number, least: number, all: readonly { case: Case; value: number | undefined }[]): Bar[] {
  const known = all.flatMap(({ case: each, value }) => value === undefined ? [] : [{ at: describe(each), value }]);
  if (known.length === 0) return [];
  const worst = known.reduce((one, other) => other.value < one.value ? other : one);
  return [{ name, threads, least, unit: "x", cases: known.length, ...worst }];
}

function onMean(name: string, threads: number, least: number, values: readonly number[]): Bar[] {
  return values.length === 0 ? [] : [{ name, threads, least, unit: "x", cases: values.length, value: geometricMean(values) }];
}

function bars({ peers, rates, calls, busy }: GemmResults): Bar[] {
  const all: Bar[] = [];
  for (const threads of [...new Set(rates.map((result) => result.threads))]) {
    const here = rates.filter((result) => result.threads === threads && result.case.dtype === "f32");
    const best = (some: readonly Peer[]) => here.map((result) => ({ case: result.case, value: overBest(result, some)?.[1] }));
    all.push(...onWorst("worst case over the best peer", threads, leastOfBest, best(peers.present)));
    all.push(
      ...onMean("mean over the best peer of each case", threads, meanOfBest, best(peers.present).flatMap(({ value }) => value ?? [])),
    );
    // A peer in a process of its own pays nothing for being called from JavaScript, which in the smallest cases is all there is.
    const near = peers.present.filter((peer) => peer.inProcess);
    if (near.length < peers.present.length) {
      all.push(...onWorst("worst case over the best peer called by FFI", threads, leastOfBest, best(near)));
      all.push(...onMean("mean over the best peer called by FFI", threads, meanOfBest, best(near).flatMap(({ value }) => value ?? [])));
    }
    for (const { name } of peers.present) {
      all.push(...onMean(`mean over ${name}`, threads, meanOfEach, here.flatMap(({ ratios }) => ratios.get(name) ?? [])));
    }
    const squares = (least: number) => here.filter(({ case: { kind, m } }) => kind === "square" && m >= least);
    const of = (key: "share" | "scaling" | "auto") => (result: RateResult) => ({ case: result.case, value: result[key] });
    all.push(...onWorst("share of the multiply-add peak from 256³ up", threads, shareOfPeak, squares(256).map(of("share"))));
    all.push(...onWorst("scaling over the loop's from 512³ up", threads, scalingOfLoop, squares(512).map(of("scaling"))));
    all.push(...onWorst("auto over the better of serial and all", threads, autoOfBetter, here.map(of("auto"))));
    const doubles = rates.filter((result) => result.threads === threads && result.case.dtype === "f64");
    const bestDoubles = doubles.map((result) => ({ case: result.case, value: overBest(result, peers.present)?.[1] }));
    all.push(...onWorst("f64: worst case over the best peer", threads, leastOfBest, bestDoubles));
    all.push(...onMean("f64: mean over the best peer of each case", threads, meanOfBest, bestDoubles.flatMap(({ value }) => value ?? [])));
  }
  const beside = busy.map((result) => ({ case: result.case, value: result.auto }));
  all.push(...onWorst("auto beside a busy program", busy[0]?.threads ?? 0, autoOfBetter, beside));
  for (const { size, nanoseconds, overKernel } of calls) {
    const rest = { threads: 1, unit: "ns", cases: 1 };
    if (size === 16) all.push({ name: "whole call at 16³", value: nanoseconds, most: callNanosecondsMax, ...rest });
    if (size === 32) all.push({ name: "call at 32³ beside its kernel", value: overKernel, most: overKernelMax, ...rest });
  }
  return all;
}

function holds({ value, least = -Infinity, most = Infinity }: Bar): boolean {
  return value >= least && value <= most;
}

/** One line a bar: `ours` is the figure, `peer` the bar, and a ratio of at least 1 means that it holds. */
export function* summaryLines(group: string, results: GemmResults): Generator<Line> {
  for (const bar of bars(results)) {
    const { name, threads, value, unit, least, most, at, cases } = bar;
    const wanted = least ?? most ?? NaN;
    const ratio = figure(least === undefined ? wanted / value : value / wanted);
    const line = { group, op: "summary", case: name, shape: "", layout: "", dtype: "f32", threads, unit };
    yield { ...line, ours: figure(value), peer: wanted, peer_name: "bar", ratio, holds: holds(bar), at, cases };
  }
}

/** A table for people, on stderr: a row a case with our ratio over each peer, then the bars. */
export function printTable(results: GemmResults): void {
  const { peers, rates } = results;
  const names = peers.present.map((peer) => peer.name);
  const number = (value: number | undefined, width: number) => (value === undefined ? "" : value.toFixed(2)).padStart(width);
  for (const threads of [...new Set(rates.map((result) => result.threads))]) {
    const here = rates.filter((result) => result.threads === threads);
    const columns = names.map((name) => name.slice(0, 11).padStart(12)).join("");
    const title = `${threads} thread${threads === 1 ? "" : "s"}`;
    console.error(`\n${title.padEnd(38)} GFLOP/s   peak  scale   auto packed   best${columns}`);
    for (const result of here) {
      const { case: each, rate, ratios, share, scaling, auto, prepacked } = result;
      const own = `${describe(each).padEnd(38)} ${rate.toFixed(1).padStart(7)}`;
      const figures = [share, scaling, auto, prepacked, overBest(result, peers.present)?.[1]].map((value) => number(value, 7)).join("");
      console.error(`${own}${figures}${names.map((name) => number(ratios.get(name), 12)).join("")}`);
    }
  }
  console.error("");
  for (const bar of bars(results)) {
    const wanted = bar.least === undefined ? `at most ${bar.most}` : `at least ${bar.least}`;
    const value = bar.unit === "ns" ? `${figure(bar.value)} ns` : bar.value.toFixed(3);
    const where = bar.at === undefined ? `${bar.cases} cases` : `${bar.at}, of ${bar.cases} cases`;
    const title = `${bar.name}, ${bar.threads} thread${bar.threads === 1 ? "" : "s"}`;
    console.error(`${holds(bar) ? "holds " : "misses"}  ${title.padEnd(60)} ${value.padStart(9)}  wanted ${wanted}  (${where})`);
  }
}

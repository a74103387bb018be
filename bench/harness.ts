/**
 * Fair comparison on a machine that others use too. All contenders of a case take turns in one run, so that a slow moment meets
 * each of them; a turn lasts long enough for the timer; medians over all rounds are compared, and no round is left out. Before
 * anything is timed, each result is checked against sums in double precision and against the other contenders' results.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { runtime } from "./peers/ffi.ts";

/** Something that can be timed. */
export interface Prepared {
  /** Does the work `calls` times and returns the seconds it took. */
  time(calls: number): number | Promise<number>;
  /** Does the work once, for a timing loop that is not ours. */
  call?(): void | Promise<void>;
  /** What the latest call computed. */
  result?(): Float32Array | Promise<Float32Array>;
  dispose?(): void | Promise<void>;
}

/** One of the things that take turns. */
export interface Contender extends Prepared {
  readonly name: string;
  readonly threads: number;
}

/** A matrix product with its inputs: `a` is stored [m, k], or [k, m] where the layout's first letter is T; `b` likewise. */
export interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly layout: "NN" | "NT" | "TN";
  readonly a: Float32Array<ArrayBuffer>;
  readonly b: Float32Array<ArrayBuffer>;
}

/** A library that can compute products. */
export interface ProductPeer {
  readonly name: string;
  /** What its lines carry besides the figures, such as its version. */
  readonly extra: Record<string, unknown>;
  prepare(product: Product, threads: number): Prepared | Promise<Prepared>;
  /** Ends the process that the peer lives in, where it has one. */
  close?(): void;
}

/** Options of a benchmark run, from the command line. */
export interface Options {
  readonly filter: string | undefined;
  readonly tiny: boolean;
  readonly threads: readonly number[];
  /** Time for the rounds of one case. */
  readonly seconds: number;
  readonly roundsMin: number;
  /** The shortest turn: long against the timer and against starting a call. */
  readonly turnSeconds: number;
  /** How long a case may wait in all for moments in which other processes are idle. */
  readonly quietSeconds: number;
}

/** One printed line: a case against one peer. Where the peer is missing, `peer` and `ratio` are null and `missing` says why. */
export interface Line {
  group: string;
  op: string;
  shape: string;
  layout: string;
  dtype: string;
  threads: number;
  ours: number | null;
  peer: number | null;
  peer_name: string;
  unit: string;
  ratio: number | null;
  [extra: string]: unknown;
}

/** Reads `--filter GROUP`, `--tiny`, `--threads 1,2`, `--seconds S` and `--quiet S`. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      filter: { type: "string" },
      tiny: { type: "boolean" },
      threads: { type: "string" },
      seconds: { type: "string" },
      quiet: { type: "string" },
    },
  });
  const tiny = values.tiny ?? false;
  const threads = (values.threads ?? (tiny ? "1" : "1,2")).split(",").map(Number);
  const seconds = Number(values.seconds ?? (tiny ? 0.02 : 3));
  if (threads.some((t) => !Number.isInteger(t) || t < 1)) throw new RangeError(`--threads ${values.threads}: wants numbers such as 1,2`);
  if (!(seconds > 0)) throw new RangeError(`--seconds ${values.seconds}: wants a positive number`);
  const usable = threads.filter((t) => t <= availableParallelism());
  if (usable.length < threads.length) console.error(`this machine runs ${availableParallelism()} threads at once: more are not measured`);
  return {
    filter: values.filter,
    tiny,
    threads: usable,
    seconds,
    roundsMin: tiny ? 3 : 11,
    turnSeconds: tiny ? 0.0005 : 0.002,
    quietSeconds: Number(values.quiet ?? 0),
  };
}

/** Seconds a call, one entry a round, of each contender, in the order in which they were given. */
export interface Timings {
  readonly seconds: readonly (readonly number[])[];
  readonly rounds: number;
  /** Processor time that other processes took meanwhile, in cores; undefined where the system does not tell. */
  readonly others: number | undefined;
}

/** Times the contenders in turn, round after round, each round in another order. */
export async function interleave(contenders: readonly Contender[], options: Options): Promise<Timings> {
  // All turns last about as long as one call of the slowest, so that each meets as many interruptions as the others.
  let turnSeconds = options.turnSeconds;
  for (const contender of contenders) {
    await contender.time(1);
    turnSeconds = Math.max(turnSeconds, await contender.time(1));
  }
  const calls: number[] = [];
  for (const contender of contenders) calls.push(await callsPerTurn(contender, turnSeconds));
  let patience = 1000 * options.quietSeconds;
  const seconds: number[][] = contenders.map(() => []);
  let rounds = 0, spent = 0, taken: number | undefined = 0;
  while (rounds < options.roundsMin || spent < 1000 * options.seconds) {
    if (patience > 0) patience -= await quiet(patience);
    const others = watchOthers(), start = performance.now();
    for (let turn = 0; turn < contenders.length; turn++) {
      // Rotated by a place each round, and reversed every other time, so that nobody always follows the same neighbour.
      const rotated = (turn + rounds) % contenders.length;
      const index = (rounds / contenders.length | 0) % 2 === 0 ? rotated : contenders.length - 1 - rotated;
      await settle();
      await contenders[index].time(Math.max(1, calls[index] >> 2)); // wakes the threads and warms the caches, for everybody
      seconds[index].push(await contenders[index].time(calls[index]) / calls[index]);
    }
    const elapsed = performance.now() - start, busy = others();
    taken = taken !== undefined && busy !== undefined ? taken + busy * elapsed : undefined;
    spent += elapsed;
    rounds++;
  }
  return { seconds, rounds, others: taken && figure(Math.max(0, taken / spent)) };
}

/** Waits at most `patience` milliseconds for a moment in which other processes are idle, and tells how long it waited. */
async function quiet(patience: number): Promise<number> {
  const start = performance.now();
  for (;;) {
    const others = watchOthers();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const waited = performance.now() - start;
    if ((others() ?? 0) < 0.15 || waited > patience) return waited;
  }
}

async function callsPerTurn(contender: Contender, seconds: number): Promise<number> {
  // The runtimes compile a loop only after they have run it for a while: short turns come after a longer warm-up.
  for (let calls = 1;;) {
    const taken = await contender.time(calls);
    if (taken >= seconds) return calls;
    calls = Math.min(Math.ceil(calls * 1.2 * seconds / Math.max(taken, 1e-7)), calls * 8);
  }
}

/**
 * Waits until this process's threads sleep. Libraries let their threads spin for some milliseconds after a call, hoping for the
 * next one; on a machine with as many threads as cores that would slow down whoever comes next.
 */
async function settle(): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    const before = process.cpuUsage(), start = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 4));
    const used = process.cpuUsage(before);
    if ((used.user + used.system) / 1000 < 0.25 * (performance.now() - start)) return;
  }
}

const ownProcesses: number[] = [];

/** Counts the processor time of a child process as ours, not as that of others. */
export function countAsOwn(pid: number): void {
  ownProcesses.push(pid);
}

/** Starts to watch; the function returned tells how many cores other processes have kept busy since, where the system lets us know. */
export function watchOthers(): () => number | undefined {
  const before = processorTime(), start = performance.now();
  return () => {
    const after = processorTime(), elapsed = (performance.now() - start) / 1000;
    return before && after && (after.machine - before.machine - (after.own - before.own)) / elapsed;
  };
}

/** Processor seconds used so far on the whole machine and by this benchmark with its children, on Linux. */
function processorTime(): { machine: number; own: number } | undefined {
  if (!existsSync("/proc/stat")) return undefined;
  const ticksPerSecond = 100; // USER_HZ is 100 on every Linux these runtimes exist for
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0].trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, steal] = fields;
  let own = 0;
  for (const pid of ["self", ...ownProcesses]) {
    if (!existsSync(`/proc/${pid}/stat`)) continue;
    // utime and stime, and the same of the children that have ended (proc(5)); the fields follow the program's name in parentheses.
    const times = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ").slice(11, 15);
    for (const ticks of times) own += Number(ticks);
  }
  return { machine: (user + nice + system + irq + softirq + steal) / ticksPerSecond, own: own / ticksPerSecond };
}

/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Quarter, half and three quarters of the ratios of two series, round by round: how much the comparison itself wavers. */
export function pairedQuartiles(numerator: readonly number[], denominator: readonly number[]): number[] {
  const ratios = numerator.map((value, round) => value / denominator[round]).sort((x, y) => x - y);
  return [0.25, 0.5, 0.75].map((q) => figure(ratios[Math.round(q * (ratios.length - 1))]));
}

/** Four significant digits, as many as such measurements bear. */
export function figure(value: number): number {
  return Number(value.toPrecision(4));
}

/** Prints a line of JSON on stdout and its gist on stderr. */
export function print(line: Line): void {
  console.log(JSON.stringify({ ...line, ...machine() }));
  const against = line.peer === null ? `${line.peer_name} missing` : `${line.peer_name} ${line.peer}, ratio ${line.ratio}`;
  console.error(`  ${line.op} ${line.shape} ${line.layout} ${line.threads}t: ${line.ours} ${line.unit}, ${against}`);
}

let machineFields: Record<string, unknown> | undefined;

/** What every line says about where it was measured. */
function machine(): Record<string, unknown> {
  if (!machineFields) {
    const info = existsSync("/proc/cpuinfo") ? readFileSync("/proc/cpuinfo", "utf8") : "";
    const family = info.match(/^cpu family\s*: (.*)$/m)?.[1], model = info.match(/^model\s*: (.*)$/m)?.[1];
    const cpu = cpus()[0]?.model ?? "unknown";
    machineFields = {
      runtime,
      platform: `${process.platform}-${process.arch}`,
      cpu: model ? `${cpu} (family ${family} model ${model})` : cpu,
    };
  }
  return machineFields;
}

/** A product with reproducible uniform inputs in [-0.5, 0.5). */
export function randomProduct(m: number, n: number, k: number, layout: Product["layout"] = "NN"): Product {
  return { m, n, k, layout, a: uniform(m * k, 1), b: uniform(k * n, 2) };
}

function uniform(count: number, seed: number): Float32Array<ArrayBuffer> {
  const values = new Float32Array(count);
  let state = seed * 0x9e3779b9 >>> 0;
  for (let i = 0; i < count; i++) { // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = (state >>> 8) / 0x1000000 - 0.5;
  }
  return values;
}

/** Lets each contender compute the product and throws where a result is wrong. Tells the largest error seen. */
export async function checkProduct(product: Product, contenders: readonly Contender[]): Promise<number> {
  const { m, n, k, layout, a, b } = product;
  // A partial sum of j terms has a deviation of sqrt(j)/12, and each of the k roundings errs by up to half an ulp of it: together
  // about eps k/34. Six deviations of the difference of two such sums, over up to a million entries, are eps k/4; four more ulps for
  // the shortest sums.
  const tolerance = 2 ** -23 * (k / 4 + 4);
  let worst = 0;
  let first: Float32Array | undefined;
  for (const contender of contenders) {
    if (!contender.result) continue;
    await contender.time(1);
    const c = await contender.result();
    if (c.length !== m * n) throw new Error(`${contender.name}: ${c.length} results instead of ${m * n}`);
    for (let sample = 0; sample < 64; sample++) {
      const at = sample === 0 ? 0 : sample === 1 ? m * n - 1 : Math.floor(m * n * ((sample * 0.6180339887498949) % 1));
      const i = Math.floor(at / n), j = at % n;
      let sum = 0;
      for (let p = 0; p < k; p++) sum += a[layout[0] === "T" ? p * m + i : i * k + p] * b[layout[1] === "T" ? j * k + p : p * n + j];
      worst = Math.max(worst, demand(contender.name, "the sum in double precision", c[at], sum, tolerance, i, j));
    }
    first ??= c.slice();
    for (let at = 0; at < c.length; at++) {
      demand(contender.name, contenders[0].name, c[at], first[at], tolerance, Math.floor(at / n), at % n);
    }
  }
  return worst;
}

function demand(name: string, other: string, got: number, wanted: number, tolerance: number, row: number, column: number): number {
  const error = Math.abs(got - wanted);
  // A NaN compares as false, and so fails.
  if (!(error <= tolerance)) {
    throw new Error(`${name}: entry (${row}, ${column}) is ${got}, ${other} ${wanted}: off by ${error}, more than ${tolerance}`);
  }
  return error;
}

/**
 * Fair comparison on a machine that others use too. All contenders of a case take turns in one run, so that a slow moment meets
 * each of them; a turn lasts long enough for the timer; medians over all rounds are compared, and no round is left out. `measure.ts`
 * checks each result before anything is timed.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { runtime } from "./peers/ffi.ts";

/** Results, as they are checked. */
export type Values = Float32Array | Float64Array;

/** Something that can be timed. */
export interface Prepared {
  /** Does the work `calls` times and returns the seconds it took. */
  time(calls: number): number | Promise<number>;
  /** Does the work once, for a timing loop that is not ours. */
  call?(): void | Promise<void>;
  /** What the latest call computed. */
  result?(): Values | Promise<Values>;
  dispose?(): void | Promise<void>;
}

/** One of the things that take turns. */
export interface Contender extends Prepared {
  readonly name: string;
  readonly threads: number;
  /** It is not this library: if it fails, the others go on without it. */
  readonly peer?: boolean;
}

/** Options of a benchmark run, from the command line. */
export interface Options {
  /** As it was given: `filter.ts` reads it. */
  readonly filter: string | undefined;
  readonly tiny: boolean;
  /** Cases that take minutes, too. */
  readonly long: boolean;
  readonly threads: readonly number[];
  /** Time for the rounds of one case. */
  readonly seconds: number;
  readonly roundsMin: number;
  /** The shortest turn: long against the timer and against starting a call. */
  readonly turnSeconds: number;
  /** How long a case may wait in all for moments in which other processes are idle. */
  readonly quietSeconds: number;
  /** Only these peers. */
  readonly against: readonly string[] | undefined;
  /** Which cases are measured, by their description. */
  readonly wants: (description: string) => boolean;
  /** Only these parts of the group. */
  readonly parts: readonly string[] | undefined;
}

/**
 * One printed line: a case against one peer. If the peer is missing, `peer` and `ratio` are null and `missing` says why; `wrong` says what
 * is wrong with its result.
 */
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
  missing?: string;
  wrong?: string;
  disturbed?: boolean;
  [extra: string]: unknown;
}

/** Reads the options that `json.ts` describes. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      filter: { type: "string" },
      tiny: { type: "boolean" },
      long: { type: "boolean" },
      threads: { type: "string" },
      seconds: { type: "string" },
      rounds: { type: "string" },
      quiet: { type: "string" },
      against: { type: "string" },
      part: { type: "string" },
    },
  });
  const tiny = values.tiny ?? false;
  const threads = (values.threads ?? "1,2").split(",").map(Number);
  const seconds = Number(values.seconds ?? (tiny ? 0.02 : 3));
  const quietSeconds = Number(values.quiet ?? 0), roundsMin = Number(values.rounds ?? (tiny ? 3 : 11));
  if (threads.some((t) => !Number.isInteger(t) || t < 1)) throw new RangeError(`--threads ${values.threads}: wants numbers such as 1,2`);
  if (!(seconds > 0)) throw new RangeError(`--seconds ${values.seconds}: wants a positive number`);
  if (!(Number.isInteger(roundsMin) && roundsMin > 0)) throw new RangeError(`--rounds ${values.rounds}: wants a positive whole number`);
  if (!(quietSeconds >= 0)) throw new RangeError(`--quiet ${values.quiet}: wants a number of seconds`);
  const usable = threads.filter((t) => t <= availableParallelism());
  if (usable.length < threads.length) console.error(`this machine runs ${availableParallelism()} threads at once: more are not measured`);
  return {
    filter: values.filter,
    tiny,
    long: values.long ?? false,
    threads: usable,
    seconds,
    roundsMin,
    turnSeconds: tiny ? 0.0005 : 0.002,
    quietSeconds,
    against: values.against?.split(","),
    wants: () => true,
    parts: values.part?.split(","),
  };
}

/** How many cores other processes may keep busy before a case is called disturbed. */
const othersMax = 0.15;

/** Whether other processes took so much that figures mean little. */
export function isDisturbed(others: number | undefined): boolean {
  return (others ?? 0) > othersMax;
}

/**
 * Measures, and if other processes disturb that once more, which is to take twice as long; returns the one that they disturb less. `run`
 * gets what was measured before.
 */
export async function leastDisturbed<T extends { readonly others: number | undefined }>(run: (before?: T) => Promise<T>): Promise<T> {
  const first = await run();
  if (!isDisturbed(first.others)) return first;
  const again = await run(first);
  return (again.others ?? 0) < (first.others ?? 0) ? again : first;
}

/** Seconds a call, one entry a round, of each contender, in the order in which they were given. */
export interface Timings {
  /** Empty for a contender that failed. */
  readonly seconds: readonly (readonly number[])[];
  /** Why a peer was left out; undefined for all others. */
  readonly failures: readonly (string | undefined)[];
  readonly rounds: number;
  /** Processor time that other processes took meanwhile, in cores; undefined where the system does not tell. */
  readonly others: number | undefined;
}

/** Times the contenders in turn, round after round, each round in another order. A peer that throws is left out from then on. */
export async function interleave(contenders: readonly Contender[], options: Options, watch: Watch = watchOthers): Promise<Timings> {
  const seconds: number[][] = contenders.map(() => []), failures: (string | undefined)[] = contenders.map(() => undefined);
  const attempt = async (index: number, body: (contender: Contender) => Promise<void>) => {
    if (failures[index] !== undefined) return;
    const why = await failureOf(contenders[index], () => body(contenders[index]));
    if (why === undefined) return;
    failures[index] = why;
    seconds[index].length = 0;
  };
  // Turns last about as long as one call of the slowest, so that each meets as many interruptions as the others; but one that is
  // slower by far does not make the others wait for it.
  const once: number[] = [];
  for (const index of contenders.keys()) {
    await attempt(index, async (contender) => {
      await contender.time(1);
      once.push(Math.min(await contender.time(1), await contender.time(1)));
    });
  }
  const turnSeconds = Math.max(options.turnSeconds, Math.min(Math.max(...once), 10 * Math.min(...once)));
  const calls: number[] = [];
  for (const index of contenders.keys()) {
    await attempt(index, async (contender) => void (calls[index] = await callsPerTurn(contender, turnSeconds)));
  }
  let patience = 1000 * options.quietSeconds;
  let rounds = 0, spent = 0, taken: number | undefined = 0;
  while (rounds < options.roundsMin || spent < 1000 * options.seconds) {
    if (patience > 0) patience -= await quiet(patience);
    const others = watch(), start = performance.now();
    for (let turn = 0; turn < contenders.length; turn++) {
      // Rotated by a place each round, and reversed every other time, so that nobody always follows the same neighbour.
      const rotated = (turn + rounds) % contenders.length;
      const index = (rounds / contenders.length | 0) % 2 === 0 ? rotated : contenders.length - 1 - rotated;
      await attempt(index, async (contender) => {
        await settle();
        await contender.time(Math.max(1, calls[index] >> 2)); // wakes the threads and warms the caches, for everybody
        seconds[index].push(await contender.time(calls[index]) / calls[index]);
      });
    }
    const elapsed = performance.now() - start, busy = others();
    taken = taken !== undefined && busy !== undefined ? taken + busy * elapsed : undefined;
    spent += elapsed;
    rounds++;
  }
  return { seconds, failures, rounds, others: taken && figure(Math.max(0, taken / spent)) };
}

/** Lets a contender do something and says why it failed, or undefined. What this library throws is thrown on. */
export async function failureOf({ peer }: Pick<Contender, "peer">, body: () => unknown): Promise<string | undefined> {
  try {
    await body();
    return undefined;
  } catch (error) {
    if (!peer) throw error;
    return reasonOf(error);
  }
}

/** What an error says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits at most `patience` milliseconds for a moment in which other processes are idle, and tells how long it waited. */
async function quiet(patience: number): Promise<number> {
  const start = performance.now();
  for (;;) {
    const others = watchOthers();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const waited = performance.now() - start;
    if (!isDisturbed(others()) || waited > patience) return waited;
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

/** Starts to watch; the function returned says how many cores other processes have kept busy since, if the system lets us know. */
export type Watch = () => () => number | undefined;

/** Watches the whole machine, on Linux. */
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

/** What has been said on stderr about peers, each once. */
const said = new Set<string>();

/** Prints a line of JSON on stdout and its gist on stderr. */
export function print(line: Line): void {
  console.log(JSON.stringify({ ...line, ...machine() }));
  const against = line.peer === null ? `${line.peer_name} missing` : `${line.peer_name} ${line.peer}, ratio ${line.ratio}`;
  const about = [line.op, line.case, line.kind, line.shape, line.layout, line.dtype === "f32" ? "" : line.dtype].filter((word) => word)
    .join(" ");
  const disturbed = line.disturbed ? `; disturbed: other processes took ${line.others} cores` : "";
  console.error(`  ${about} ${line.threads}t: ${line.ours} ${line.unit}, ${against}${disturbed}`);
  if (line.wrong !== undefined) console.error(`    ${line.peer_name} is wrong: ${line.wrong}`);
  if (line.missing === undefined || said.has(line.missing)) return;
  said.add(line.missing);
  console.error(`    ${line.missing}`);
}

let machineFields: Record<string, unknown> | undefined;

/** What every line says about where it was measured. */
export function machine(): Record<string, unknown> {
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

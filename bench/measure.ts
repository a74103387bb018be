/**
 * The one way in which a case is measured: each contender is prepared, its result is compared with the definition, and those that are there
 * take turns. A peer that cannot be prepared, throws or loses its process is left out, with the reason; one whose result is wrong is timed
 * on and reported. A wrong result of this library ends the run. If other processes took too much time meanwhile, the case is measured once
 * more, for longer.
 *
 * @module
 */
import {
  type Contender,
  failureOf,
  figure,
  interleave,
  isDisturbed,
  leastDisturbed,
  median,
  type Options,
  pairedQuartiles,
  type Prepared,
  type Timings,
  type Watch,
  watchOthers,
} from "./harness.ts";
import { Judge, type Reference } from "./judge.ts";

/** What can become a contender. */
export interface Candidate {
  readonly name: string;
  readonly threads: number;
  /** It is not this library. */
  readonly peer?: boolean;
  /** What its result has to be; undefined for what computes nothing that can be known. */
  readonly reference?: Reference;
  prepare(): Prepared | Promise<Prepared>;
}

/** The part of a line that compares two contenders. */
export interface Compared {
  ours: number;
  peer: number | null;
  peer_name: string;
  ratio: number | null;
  paired?: number[];
  missing?: string;
  wrong?: string;
}

/** Candidates that are prepared and checked. */
interface Field {
  readonly contenders: readonly Contender[];
  readonly missing: Map<string, string>;
  readonly wrong: Map<string, string>;
}

/**
 * Prepares every candidate and checks its result. Throws what this library throws, and a WrongResultError that names the case, `about`, if
 * its result is wrong.
 */
export async function enter(about: string, candidates: readonly Candidate[]): Promise<Field> {
  const contenders: Contender[] = [], missing = new Map<string, string>(), wrong = new Map<string, string>();
  const judges = new Map<Reference, Judge>();
  for (const candidate of candidates) {
    const { name, threads, peer, reference } = candidate;
    let prepared: Prepared | undefined;
    const failure = await failureOf(candidate, async () => {
      prepared = await candidate.prepare();
      const contender: Contender = { ...prepared, name, threads, peer };
      if (reference) {
        if (!judges.has(reference)) judges.set(reference, new Judge(reference, about));
        const why = await check(contender, judges.get(reference)!);
        if (why !== undefined) wrong.set(name, why);
      }
      contenders.push(contender);
    });
    if (failure === undefined) continue;
    missing.set(name, failure);
    await failureOf(candidate, () => prepared?.dispose?.());
  }
  return { contenders, missing, wrong };
}

async function check(contender: Contender, judge: Judge): Promise<string | undefined> {
  await contender.time(1);
  if (!contender.result) throw new Error(`${contender.name} shows no result to check`);
  return judge.look(contender, await contender.result());
}

/** What was measured of a case. */
export class Measurement {
  /** What every line of the case says. */
  readonly common: { rounds: number; others: number | undefined; disturbed?: true };
  /** Processor time that other processes took meanwhile, in cores. */
  readonly others: number | undefined;
  #series: ReadonlyMap<string, readonly number[]>;
  #missing: ReadonlyMap<string, string>;
  #wrong: ReadonlyMap<string, string>;

  constructor({ contenders, missing, wrong }: Field, { seconds, failures, rounds, others }: Timings) {
    const series = new Map<string, readonly number[]>(), gone = new Map(missing);
    for (const [index, { name }] of contenders.entries()) {
      const failure = failures[index];
      if (failure === undefined) series.set(name, seconds[index]);
      else gone.set(name, failure);
    }
    this.#series = series;
    this.#missing = gone;
    this.#wrong = wrong;
    this.others = others;
    this.common = { rounds, others, ...(isDisturbed(others) ? { disturbed: true } : {}) };
  }

  /** Whether a contender was measured. */
  has(name: string): boolean {
    return this.#series.has(name);
  }

  /** Why a peer was not measured. */
  missing(name: string): string {
    return this.#missing.get(name) ?? `there is no ${name} for this case`;
  }

  /** Seconds a call, one entry a round. */
  seconds(name: string): readonly number[] {
    const series = this.#series.get(name);
    if (!series) throw new Error(`${name} was not measured: ${this.missing(name)}`);
    return series;
  }

  /** Seconds of a call, the median over all rounds. */
  median(name: string): number {
    return median(this.seconds(name));
  }

  /** What became of a peer beside one of ours, as a line says it; `value` makes a line's figure of the seconds of a call. */
  against(peerName: string, value: (seconds: number) => number, name: string = "ours"): Compared {
    const ours = figure(value(this.median(name)));
    if (!this.has(peerName)) return { ours, peer: null, peer_name: peerName, ratio: null, missing: this.missing(peerName) };
    const paired = pairedQuartiles(this.seconds(peerName), this.seconds(name)), wrong = this.#wrong.get(peerName);
    const peer = figure(value(this.median(peerName)));
    return { ours, peer, peer_name: peerName, ratio: paired[1], paired, ...(wrong === undefined ? {} : { wrong }) };
  }
}

/** Measures a case, which `about` describes: all candidates in turn, and once more for twice the time if other processes took too much. */
export async function measure(
  about: string,
  candidates: readonly Candidate[],
  options: Options,
  watch: Watch = watchOthers,
): Promise<Measurement> {
  const field = await enter(about, candidates);
  const run = async (before?: Measurement) => {
    const contenders = before ? field.contenders.filter(({ name }) => before.has(name)) : field.contenders;
    const gone = field.contenders.filter((contender) => !contenders.includes(contender)).map(({ name }) => name);
    const missing = new Map([...field.missing, ...gone.map((name): [string, string] => [name, before!.missing(name)])]);
    const seconds = before ? 2 * options.seconds : options.seconds;
    return new Measurement({ ...field, contenders, missing }, await interleave(contenders, { ...options, seconds }, watch));
  };
  const measured = options.tiny ? await run() : await leastDisturbed(run);
  // A peer that is gone has nothing to free any more, or fails at that too.
  for (const contender of field.contenders) await failureOf(contender, () => contender.dispose?.());
  return measured;
}

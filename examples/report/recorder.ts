/**
 * What a report shows of a training run. Figures of single steps are kept in buckets of equally many steps each, a power of two that grows with the run, so
 * that a run of any length stays small: a bucket holds the mean, and where it tells something, the lowest and highest value.
 */

/** What a run is, and where it runs: names and values, shown as they stand. */
export interface About {
  readonly title: string;
  /** What makes it the run that it is. */
  readonly plan: Facts;
  /** Where and how it runs, which changes no result. */
  readonly machine: Facts;
  readonly steps: number;
  readonly tokensPerStep: number;
  /** The gradient norm above which gradients are scaled down. */
  readonly clip: number;
}

/** Names and values, in the order in which they are shown. */
export type Facts = Readonly<Record<string, string | number>>;

/** The figures of one step. One that is NaN is unknown. */
export interface StepFigures {
  readonly loss: number;
  readonly rate: number;
  /** Of all gradients together, before clipping. */
  readonly norm: number;
  readonly seconds: number;
  /** How much of the work each expert got, in any unit; only of a run that has experts. */
  readonly load?: readonly number[];
}

/** One figure over all buckets, null where it is unknown. */
export interface Column {
  readonly mean: (number | null)[];
  readonly min?: (number | null)[];
  readonly max?: (number | null)[];
}

/** A loss that was measured before a step, on text that is not trained on. */
export interface Look {
  readonly step: number;
  readonly loss: number;
}

/** What the model wrote before a step. */
export interface Sample {
  readonly step: number;
  readonly text: string;
}

/** Whether a run still goes on. */
export type RunState = "running" | "stopped" | "finished";

/** A run as data: all of it, or what is new since a mark. */
export interface Run {
  readonly about: About;
  readonly state: RunState;
  /** Steps done. */
  readonly done: number;
  /** Steps in a bucket. */
  readonly every: number;
  /** The first bucket of `figures`; those before it stand as they were sent. */
  readonly from: number;
  readonly figures: {
    readonly loss: Column;
    readonly rate: Column;
    readonly norm: Column;
    readonly seconds: Column;
    readonly load: Column[];
  };
  /** `looks` and `samples` are those of this step and later. */
  readonly since: number;
  readonly looks: readonly Look[];
  readonly samples: readonly Sample[];
  /** What `since` takes to tell what has come after this. */
  readonly mark: string;
}

/** Half of these are always there once a run is that long: about a point for each pixel of a wide chart. */
const bucketsMax = 1024;

/** Collects a run. */
export class Recorder {
  readonly #about: About;
  readonly #id = crypto.randomUUID();
  readonly #columns = { loss: new Buckets(true), rate: new Buckets(false), norm: new Buckets(true), seconds: new Buckets(true) };
  readonly #load: Buckets[] = [];
  readonly #looks: Look[] = [];
  readonly #samples: Sample[] = [];
  #state: RunState = "running";
  #done = 0;
  #every = 1;

  constructor(about: About) {
    this.#about = about;
  }

  /** The next step's figures. */
  step(figures: StepFigures): void {
    if (this.#done === bucketsMax * this.#every) {
      for (const column of [...Object.values(this.#columns), ...this.#load]) column.halve();
      this.#every *= 2;
    }
    const bucket = Math.floor(this.#done++ / this.#every);
    for (const name of ["loss", "rate", "norm", "seconds"] as const) this.#columns[name].add(bucket, figures[name]);
    figures.load?.forEach((load, expert) => (this.#load[expert] ??= new Buckets(false)).add(bucket, load));
  }

  /** The loss on held-out text, before the next step. */
  look(loss: number, step: number = this.#done): void {
    if (Number.isFinite(loss)) this.#looks.push({ step, loss: rounded(loss)! });
  }

  /** What the model writes, before the next step. */
  sample(text: string, step: number = this.#done): void {
    this.#samples.push({ step, text });
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** The run has come to its end, or to where it is left for now. */
  end(state: Exclude<RunState, "running">): void {
    this.#state = state;
  }

  /** All of the run. */
  all(): Run {
    return this.#from(0, 0);
  }

  /** What has changed since the mark of an earlier answer; all, where the buckets have become others or the mark is of another recorder. */
  since(mark: string): Run {
    const [id, every, done] = mark.split("/");
    const step = Number(done);
    if (id !== this.#id || Number(every) !== this.#every || !(step <= this.#done)) return this.all();
    return this.#from(Math.floor(step / this.#every), step);
  }

  #from(from: number, since: number): Run {
    const { loss, rate, norm, seconds } = this.#columns, buckets = Math.ceil(this.#done / this.#every);
    const later = ({ step }: { step: number }) => step >= since;
    return {
      ...{ about: this.#about, state: this.#state, done: this.#done, every: this.#every, from, since },
      figures: {
        ...{ loss: loss.from(from, buckets), rate: rate.from(from, buckets) },
        ...{ norm: norm.from(from, buckets), seconds: seconds.from(from, buckets) },
        load: this.#load.map((column) => column.from(from, buckets)),
      },
      ...{ looks: this.#looks.filter(later), samples: this.#samples.filter(later) },
      mark: `${this.#id}/${this.#every}/${this.#done}`,
    };
  }
}

/** The seconds that a step took, as far as a report still tells; NaN where it does not. */
export function secondsOf({ figures, every }: Run, step: number): number {
  return figures.seconds.mean[Math.floor(step / every)] ?? NaN;
}

/** One figure in buckets. Values that are not finite count nowhere. */
class Buckets {
  readonly #spread: boolean;
  #sums: number[] = [];
  #counts: number[] = [];
  #min: number[] = [];
  #max: number[] = [];

  /** With `spread` the lowest and highest values are kept too. */
  constructor(spread: boolean) {
    this.#spread = spread;
  }

  add(bucket: number, value: number): void {
    if (!Number.isFinite(value)) return;
    this.#join(bucket, value, 1, value, value);
  }

  /** Joins every two neighbours. */
  halve(): void {
    const [sums, counts, min, max] = [this.#sums, this.#counts, this.#min, this.#max];
    [this.#sums, this.#counts, this.#min, this.#max] = [[], [], [], []];
    for (let i = 0; i < sums.length; i++) if (counts[i]) this.#join(i >> 1, sums[i]!, counts[i]!, min[i]!, max[i]!);
  }

  /** The buckets of a range as a column. */
  from(from: number, to: number): Column {
    const column = (value: (i: number) => number) =>
      Array.from({ length: to - from }, (_, i) => this.#counts[from + i] ? rounded(value(from + i)) : null);
    const mean = column((i) => this.#sums[i]! / this.#counts[i]!);
    return this.#spread ? { mean, min: column((i) => this.#min[i]!), max: column((i) => this.#max[i]!) } : { mean };
  }

  #join(bucket: number, sum: number, count: number, min: number, max: number): void {
    while (this.#sums.length <= bucket) {
      this.#sums.push(0);
      this.#counts.push(0);
      this.#min.push(Infinity);
      this.#max.push(-Infinity);
    }
    this.#sums[bucket]! += sum;
    this.#counts[bucket]! += count;
    this.#min[bucket] = Math.min(this.#min[bucket]!, min);
    this.#max[bucket] = Math.max(this.#max[bucket]!, max);
  }
}

/** More digits than a reader or a pixel can tell apart would only make the page longer. */
function rounded(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(5)) : null;
}

/** What a report shows of a run, as data: all of it, or what is new since an earlier answer. */

import { bucketOf, Buckets, type Column, type Grid } from "./buckets.ts";
import type { ChartData, SeriesData } from "./options.ts";

/** What is said of a run before it begins. */
export interface About {
  readonly title: string;
  readonly facts: readonly (readonly [string, string | number])[];
  readonly x: { readonly title: string; readonly scale: "linear" | "log" };
  /** How many steps the run is meant to have; null if that is unknown. */
  readonly steps: number | null;
  readonly series: readonly SeriesData[];
  readonly charts: readonly ChartData[];
}

/** A text that a run made. */
export interface Sample {
  readonly step: number;
  readonly title: string;
  readonly text: string;
}

/** A picture that a run made. */
export interface Picture {
  readonly step: number;
  readonly name: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** A PNG file in base 64. */
  readonly png: string;
}

/** Whether a run still goes on. */
export type RunState = "running" | "stopped" | "finished";

/** A run as data: all of it, or what is new since a mark. */
export interface Run extends About {
  /** The version of this format. */
  readonly version: 1;
  readonly state: RunState;
  /** How long the run has taken, all its parts together, in seconds. */
  readonly seconds: number;
  /** When this was written, in milliseconds since 1970. */
  readonly written: number;
  /** The first step that has values, 0 while there is none. */
  readonly first: number;
  /** The latest step that has values; null while there is none. */
  readonly last: number | null;
  /** Steps done: the steps up to the latest, which may be counted from 0 or from 1. */
  readonly done: number;
  /** Steps in a bucket. */
  readonly every: number;
  /** Whether it is all of the run, in place of what has come since a mark. */
  readonly whole: boolean;
  /** The first bucket of `columns`; those before it stand as they were sent. */
  readonly from: number;
  /** The values of each series, in the order of `series`. */
  readonly columns: readonly Column[];
  /** All samples and pictures, or those that have come or changed. One replaces another of the same step, name and title. */
  readonly samples: readonly Sample[];
  readonly pictures: readonly Picture[];
  /** What `since` takes to return what has come after this. */
  readonly mark: string;
}

/** Half of these are always there once a run is that long: about a point for each pixel of a wide chart. */
const bucketsMax = 1024;
/** More would make the page long; every second one but the latest goes then. Pictures are counted by name. */
const samplesMax = 200, picturesMax = 64;

/** What a run wrote last, and the change that brought it. */
interface Dated<T> {
  readonly change: number;
  readonly value: T;
}

/** Collects a run. */
export class Recorder {
  #about: About;
  readonly #id: string = crypto.randomUUID();
  readonly #buckets = new Map<string, Buckets>();
  #samples: Dated<Sample>[] = [];
  #pictures: Dated<Picture>[] = [];
  #state: RunState = "running";
  #grid: Grid = { first: 0, every: 1 };
  #last: number | undefined;
  /** Whether the latest step came from a file: what is added for it again is a step back. */
  #restored = false;
  /** Rises when what was sent before no longer holds. */
  #generation = 0;
  #changes = 0;
  readonly #began: number;

  /** A new run, or with `before` one that goes on. */
  constructor(about: About, before?: Run) {
    this.#about = before ? continued(about, before) : about;
    this.#began = performance.now() - 1000 * (before?.seconds ?? 0);
    for (const { name } of this.#about.series) this.#buckets.set(name, new Buckets());
    if (!before) return;
    before.series.forEach(({ name }, i) => this.#buckets.set(name, Buckets.of(before.columns[i]!)));
    this.#grid = { first: before.first, every: before.every };
    this.#last = before.last ?? undefined;
    this.#restored = true;
    this.#samples = before.samples.map((value) => ({ change: 0, value }));
    this.#pictures = before.pictures.map((value) => ({ change: 0, value }));
  }

  /** The latest step that has values. */
  get last(): number | undefined {
    return this.#last;
  }

  get about(): About {
    return this.#about;
  }

  /** Values of a step by the series' names. A step before the latest one takes back all that came at it and later. */
  add(step: number, values: readonly (readonly [string, number])[]): void {
    if (this.#last !== undefined && (step < this.#last || step === this.#last && this.#restored)) this.#takeBack(step);
    this.#restored = false;
    if (this.#last === undefined) this.#grid = { first: step, every: 1 };
    this.#last = step;
    let { every } = this.#grid;
    while (step - this.#grid.first >= bucketsMax * every) every *= 2;
    if (every !== this.#grid.every) {
      this.#grid = { ...this.#grid, every };
      this.#generation++;
      for (const buckets of this.#buckets.values()) buckets.regrid(this.#grid);
    }
    for (const [name, value] of values) this.#buckets.get(name)!.add(step, value, this.#grid);
  }

  sample(sample: Sample): void {
    this.#samples = this.#with(this.#samples, sample, (one) => one.title === sample.title, samplesMax, () => true);
  }

  picture(picture: Picture): void {
    const counted = (one: Picture) => one.name === picture.name, same = (one: Picture) => counted(one) && one.title === picture.title;
    this.#pictures = this.#with(this.#pictures, picture, same, picturesMax, counted);
  }

  /** The run has come to its end, or is stopped for now. */
  end(state: Exclude<RunState, "running">): void {
    this.#state = state;
  }

  /** Whether the latest step is the last of those that the run is meant to have; true if that is unknown. */
  get complete(): boolean {
    return this.#about.steps === null || this.#done() >= this.#about.steps;
  }

  /** All of the run. */
  all(): Run {
    return this.#from(0, -1);
  }

  /** What has changed since the mark of an earlier answer; all of it if what was sent no longer holds or the mark is of another recorder. */
  since(mark: string): Run {
    const [id, generation, step, change] = mark.split("/");
    if (id !== this.#id || Number(generation) !== this.#generation || step === "" || !(Number(step) <= (this.#last ?? -1))) {
      return this.all();
    }
    return this.#from(bucketOf(Number(step), this.#grid), Number(change));
  }

  /** With 0-based steps one more than the latest; 1-based ones, and those of a run whose beginning is elsewhere, count themselves. */
  #done(): number {
    const done = this.#last === undefined ? 0 : this.#grid.first === 0 ? this.#last + 1 : this.#last;
    return Math.min(done, this.#about.steps ?? Infinity);
  }

  #takeBack(step: number): void {
    this.#generation++;
    if (step <= this.#grid.first) {
      for (const name of this.#buckets.keys()) this.#buckets.set(name, new Buckets());
      this.#last = undefined;
    } else for (const buckets of this.#buckets.values()) buckets.truncate(step, this.#grid);
    this.#samples = this.#samples.filter(({ value }) => value.step <= step);
    this.#pictures = this.#pictures.filter(({ value }) => value.step <= step);
  }

  /** A list in order of steps with one more, or in the place of the `same` one of its step. Of those that `counted` counts there are at most `max`. */
  #with<T extends { readonly step: number }>(
    list: readonly Dated<T>[],
    value: T,
    same: (one: T) => boolean,
    max: number,
    counted: (one: T) => boolean,
  ): Dated<T>[] {
    const others = list.filter((one) => one.value.step !== value.step || !same(one.value));
    const place = others.findLastIndex((one) => one.value.step <= value.step) + 1;
    const all = others.toSpliced(place, 0, { change: ++this.#changes, value });
    const total = all.filter((one) => counted(one.value)).length;
    if (total <= max) return all;
    this.#generation++;
    let seen = 0;
    return all.filter((one) => !counted(one.value) || seen++ % 2 === 0 || seen === total);
  }

  #from(from: number, change: number): Run {
    const later = <T>(list: readonly Dated<T>[]) => list.filter((one) => one.change > change).map(({ value }) => value);
    return {
      version: 1,
      ...this.#about,
      ...{ state: this.#state, seconds: Math.round(performance.now() - this.#began) / 1000, written: Date.now() },
      ...{ first: this.#grid.first, last: this.#last ?? null, done: this.#done(), every: this.#grid.every },
      ...{ whole: change < 0, from },
      columns: this.#about.series.map(({ name }) => this.#buckets.get(name)!.from(from, this.#grid)),
      ...{ samples: later(this.#samples), pictures: later(this.#pictures) },
      mark: `${this.#id}/${this.#generation}/${this.#last ?? ""}/${this.#changes}`,
    };
  }
}

/** What is said of a run that goes on: as it is now, and the series that it had before and has no longer, as they were. */
function continued(about: About, before: Run): About {
  const names = new Set(about.series.map(({ name }) => name)), gone = before.series.filter(({ name }) => !names.has(name));
  const charts = new Map(
    [...before.charts.filter(({ title }) => gone.some(({ group }) => group === title)), ...about.charts].map((c) => [c.title, c]),
  );
  const order = [...about.charts.map(({ title }) => title), ...charts.keys()];
  return { ...about, series: [...about.series, ...gone], charts: [...new Set(order)].map((title) => charts.get(title)!) };
}

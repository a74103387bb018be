/**
 * One series of a report. Values of single steps are joined into buckets of equally many steps, a power of two that grows with the run, so that a run of any
 * length stays small. A bucket that nothing was measured in is not there; one that held nothing but NaN or an infinity has no mean.
 */

/** A series as data, one entry a bucket. `count`, `min` and `max` are left out while a bucket is one step. */
export interface Column {
  /** The mean step of the bucket's values. */
  readonly at: number[];
  /** Null for what is not finite. */
  readonly mean: (number | null)[];
  readonly count?: number[];
  readonly min?: (number | null)[];
  readonly max?: (number | null)[];
}

/** Which steps a bucket joins: `every` of them, counted from `first`. */
export interface Grid {
  readonly first: number;
  readonly every: number;
}

/** The bucket of a step. */
export function bucketOf(step: number, { first, every }: Grid): number {
  return Math.floor((step - first) / every);
}

interface Bucket {
  readonly at: number;
  /** How many finite values it holds. */
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

/** Collects one series. */
export class Buckets {
  #buckets: Bucket[] = [];
  /** The step of the latest value and what its bucket was without that value, which another one for the same step replaces. */
  #latest: { readonly step: number; readonly before: Bucket | undefined } | undefined;

  /** Adds the value of a step that is not before the latest one. */
  add(step: number, value: number, grid: Grid): void {
    if (this.#latest?.step === step) {
      this.#buckets.pop();
      if (this.#latest.before) this.#buckets.push(this.#latest.before);
    }
    const last = this.#buckets.at(-1), before = last && bucketOf(last.at, grid) === bucketOf(step, grid) ? last : undefined;
    if (before) this.#buckets.pop();
    const one: Bucket = Number.isFinite(value)
      ? { at: step, count: 1, mean: value, min: value, max: value }
      : { at: step, count: 0, mean: 0, min: 0, max: 0 };
    this.#buckets.push(before ? joined(before, one) : one);
    this.#latest = { step, before };
  }

  /** Joins what a wider grid puts into one bucket. */
  regrid(grid: Grid): void {
    const old = this.#buckets;
    this.#buckets = [];
    this.#latest = undefined;
    for (const one of old) {
      const last = this.#buckets.at(-1);
      if (last && bucketOf(last.at, grid) === bucketOf(one.at, grid)) this.#buckets[this.#buckets.length - 1] = joined(last, one);
      else this.#buckets.push(one);
    }
  }

  /** Drops what came at a step and later. Of a bucket that began before it, as many values stay as it has steps before. */
  truncate(step: number, grid: Grid): void {
    this.#latest = undefined;
    const bucket = bucketOf(step, grid), start = grid.first + bucket * grid.every, stay = step - start;
    this.#buckets = this.#buckets.flatMap((one) => {
      const own = bucketOf(one.at, grid);
      if (own !== bucket) return own < bucket ? [one] : [];
      if (stay === 0 || one.count <= 1 && one.at >= step) return [];
      return [{ ...one, at: Math.min(one.at, start + (stay - 1) / 2), count: Math.min(one.count, stay) }];
    });
  }

  /** The buckets from a number on. */
  from(bucket: number, grid: Grid): Column {
    const found = this.#buckets.filter(({ at }) => bucketOf(at, grid) >= bucket);
    const values = (of: (one: Bucket) => number) => found.map((one) => one.count === 0 ? null : rounded(of(one)));
    const column = { at: found.map(({ at }) => Math.round(at * 100) / 100), mean: values(({ mean }) => mean) };
    if (grid.every === 1) return column;
    return { ...column, count: found.map(({ count }) => count), min: values(({ min }) => min), max: values(({ max }) => max) };
  }

  /** A series that was read back from its data. */
  static of({ at, mean, count, min, max }: Column): Buckets {
    const buckets = new Buckets();
    buckets.#buckets = at.map((at, i) => {
      const value = mean[i] ?? null;
      if (value === null) return { at, count: 0, mean: 0, min: 0, max: 0 };
      return { at, count: count?.[i] ?? 1, mean: value, min: min?.[i] ?? value, max: max?.[i] ?? value };
    });
    return buckets;
  }
}

function joined(a: Bucket, b: Bucket): Bucket {
  if (b.count === 0) return a;
  if (a.count === 0) return b;
  const count = a.count + b.count, weight = b.count / count, mix = (x: number, y: number) => x * (1 - weight) + y * weight;
  return { at: mix(a.at, b.at), count, mean: mix(a.mean, b.mean), min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** More digits than a reader or a pixel can tell apart would only make the page longer. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

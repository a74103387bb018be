/**
 * Whether a result is right: its entries beside their definition, computed in double precision (more precisely still where the result
 * itself is f64). Nobody's result is taken for the right one: where two differ, the definition decides.
 *
 * @module
 */
import type { Contender } from "./harness.ts";

/** What a right result is. */
export interface Reference {
  /** Entries of a result. */
  readonly length: number;
  /** The entries that are compared with their definition in every result; all of them if undefined. */
  readonly samples?: readonly number[];
  /** An entry by definition; `found` is what a result has there, for ops that leave a choice. */
  wanted(at: number, found: number): number;
  /** What an error at an entry is a share of. */
  size(at: number): number;
  /** The largest right error, as a share of that. */
  tolerance(at: number): number;
  /** An entry's place, if its index does not tell it. */
  place?(at: number): string;
}

/** The entries at which most is found of all sizes: both ends and 62 between them, spread evenly and the same every time. */
export function spread(count: number): number[] {
  const between = Array.from({ length: 62 }, (_, i) => Math.floor(count * (((i + 2) * 0.6180339887498949) % 1)));
  return [...new Set([0, count - 1, ...between])];
}

/** A part of a result that is known whole. Errors are measured against the largest entry near by. */
export function whole(values: ArrayLike<number>, tolerance: number = 1e-5): Reference {
  const block = 4096;
  const largest = new Float64Array(Math.ceil(values.length / block)).fill(1e-30);
  for (let i = 0; i < values.length; i++) {
    const b = Math.floor(i / block), v = Math.abs(values[i]);
    if (v > largest[b]) largest[b] = v;
  }
  return {
    length: values.length,
    wanted: (at) => values[at],
    size: (at) => largest[Math.floor(at / block)],
    tolerance: () => tolerance,
  };
}

/**
 * A part of a result whose entries are computed when they are asked for. Errors are measured against `size`, or if that is undefined
 * against the largest of the samples.
 */
export function sampled(length: number, wanted: (at: number) => number, size: number | undefined, tolerance: number): Reference {
  const samples = spread(length);
  const against = size ?? samples.reduce((most, at) => Math.max(most, Math.abs(wanted(at))), 1e-30);
  return { length, samples, wanted, size: () => against, tolerance: () => tolerance };
}

/** Parts of a result that lie behind each other. */
export function behindEachOther(parts: readonly Reference[]): Reference {
  if (parts.length === 1) return parts[0];
  const starts = [0];
  for (const part of parts) starts.push(starts[starts.length - 1] + part.length);
  let latest = 0; // entries are mostly asked for in order
  const partOf = (at: number) => {
    if (at < starts[latest] || at >= starts[latest + 1]) latest = starts.findIndex((_, i) => at < starts[i + 1]);
    return latest;
  };
  const samples = parts.flatMap((part, p) => (part.samples ?? everyOne(part.length)).map((at) => starts[p] + at));
  return {
    length: starts[parts.length],
    samples: parts.every((part) => part.samples === undefined) ? undefined : samples,
    wanted(at, found) {
      const p = partOf(at);
      return parts[p].wanted(at - starts[p], found);
    },
    size(at) {
      const p = partOf(at);
      return parts[p].size(at - starts[p]);
    },
    tolerance(at) {
      const p = partOf(at);
      return parts[p].tolerance(at - starts[p]);
    },
    place(at) {
      const p = partOf(at), inside = at - starts[p];
      return `${parts[p].place?.(inside) ?? inside} of result ${p}`;
    },
  };
}

function everyOne(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Says what is wrong with a result, or undefined. Looks at the reference's samples, and at some more entries if they are given. */
export function fault(found: ArrayLike<number>, reference: Reference, more: readonly number[] = []): string | undefined {
  if (found.length !== reference.length) return `${found.length} results instead of ${reference.length}`;
  let largest = 0, worst = -1;
  const look = (at: number) => {
    const tolerance = reference.tolerance(at), difference = Math.abs(found[at] - reference.wanted(at, found[at]));
    const error = difference === 0 ? 0 : difference / reference.size(at);
    // A NaN compares as false, and so is wrong.
    if (error <= tolerance || error <= largest) return;
    largest = Number.isNaN(error) ? Infinity : error;
    worst = at;
  };
  if (reference.samples) reference.samples.forEach(look);
  else for (let at = 0; at < found.length; at++) look(at);
  more.forEach(look);
  if (worst < 0) return undefined;
  const place = reference.place?.(worst) ?? worst, wanted = reference.wanted(worst, found[worst]);
  const share = Number.isFinite(largest) ? `off by ${largest.toExponential(1)} of the largest near by, ` : "";
  return `entry ${place} is ${found[worst]}, by definition ${wanted}: ${share}allowed ${reference.tolerance(worst).toExponential(1)}`;
}

/** How many of the entries that differ between two results are compared with their definition, besides the samples. */
const differingMax = 64;

/** Entries at which two results lie further apart than one of them may from the right one, the furthest apart among them. */
function differing(one: ArrayLike<number>, other: ArrayLike<number>, reference: Reference): number[] {
  const found: number[] = [];
  let largest = 0, furthest = -1;
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    if (one[at] === other[at]) continue;
    const error = Math.abs(one[at] - other[at]) / reference.size(at);
    if (error <= reference.tolerance(at)) continue;
    if (found.length < differingMax) found.push(at);
    if (error > largest) [largest, furthest] = [error, at];
  }
  return furthest < 0 ? found : [...found, furthest];
}

/** A result of this library's that is not right: nothing is measured then. */
export class WrongResultError extends Error {
  override readonly name = "WrongResultError";
}

/** Compares results that come one after the other; the first one is this library's. */
export class Judge {
  #reference: Reference;
  #about: string;
  /** What this library computed, to find entries at which others differ that no sample looks at. */
  #own: { name: string; result: ArrayLike<number> } | undefined;

  /** `about` names the case in errors. */
  constructor(reference: Reference, about: string) {
    this.#reference = reference;
    this.#about = about;
  }

  /** Says what is wrong with a peer's result, or undefined. Throws a WrongResultError if this library's own is wrong. */
  look({ name, peer = false }: Pick<Contender, "name" | "peer">, result: Float32Array | Float64Array): string | undefined {
    const own = this.#own, more = own && this.#reference.samples ? differing(result, own.result, this.#reference) : [];
    if (own && more.length > 0) demandRight(`${this.#about}: ${own.name}`, own.result, this.#reference, more);
    if (!peer) {
      demandRight(`${this.#about}: ${name}`, result, this.#reference, more);
      this.#own ??= { name, result: this.#reference.samples ? result.slice() : result };
      return undefined;
    }
    return fault(result, this.#reference, more);
  }
}

/** Throws a WrongResultError where a result is not what it is by definition. */
export function demandRight(name: string, result: ArrayLike<number>, reference: Reference, more: readonly number[] = []): void {
  const wrong = fault(result, reference, more);
  if (wrong !== undefined) throw new WrongResultError(`${name}: ${wrong}`);
}

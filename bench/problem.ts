/**
 * What is computed: products and the gradients of a linear layer, with reproducible inputs, and what their results are by definition.
 *
 * @module
 */
import type { Prepared, Values } from "./harness.ts";
import { type Reference, spread } from "./judge.ts";
import { alignedDoubles, alignedFloats } from "./peers/ffi.ts";

/** Element types that are measured. */
export type Float = "f32" | "f64";

/** An operand. */
export type Operand = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** How operands are stored: `a` is [m, k], or [k, m] where the first letter is T; `b` is [k, n], or [n, k] where the second is T. */
export type Layout = "NN" | "NT" | "TN";

/** A matrix product, or a batch of them whose operands lie behind each other. */
export interface Product {
  readonly op: "product";
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number;
  readonly layout: Layout;
  readonly dtype: Float;
  /** `a` and `b`. */
  readonly inputs: readonly [Operand, Operand];
}

/**
 * The gradients of a linear layer with m rows, n outputs and k inputs: dx [m, k] = dy weight, dw [n, k] = dyᵀ x, db [n] = the sum of dy's
 * rows. Its result is dx, dw and db behind each other.
 */
export interface LinearBackward {
  readonly op: "linear_backward";
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: 1;
  readonly layout: "NT";
  readonly dtype: Float;
  /** dy [m, n], x [m, k] and weight [n, k]. */
  readonly inputs: readonly [Operand, Operand, Operand];
}

/** Something to compute. */
export type Problem = Product | LinearBackward;

/** A library that can compute such problems. */
export interface Peer {
  readonly name: string;
  /** What its lines carry besides the figures, such as its version. */
  readonly extra: Record<string, unknown>;
  /** It lives in this process and is called through the same FFI as this library: the cost of a call is the same kind of cost. */
  readonly inProcess: boolean;
  /** Element types that it is measured with. */
  readonly dtypes: readonly Float[];
  prepare(problem: Problem, threads: number): Prepared | Promise<Prepared>;
  /** Ends the process that the peer lives in, where it has one. */
  close?(): void;
}

/** A problem with uniform inputs in [-0.5, 0.5), the same every time. */
export function makeProblem(shape: Pick<Problem, "op" | "m" | "n" | "k" | "batch" | "layout"> & { readonly dtype?: Float }): Problem {
  const { op, m, n, k, batch, layout, dtype = "f32" } = shape;
  const make = dtype === "f32" ? uniform : uniformDoubles;
  if (op === "product") return { op, m, n, k, batch, layout, dtype, inputs: [make(batch * m * k, 1), make(batch * k * n, 2)] };
  return { op, m, n, k, batch: 1, layout: "NT", dtype, inputs: [make(m * n, 1), make(m * k, 2), make(n * k, 3)] };
}

/** Memory for results that begins on a cache line. */
export function alignedValues(count: number, dtype: Float): Operand {
  return dtype === "f32" ? alignedFloats(count) : alignedDoubles(count);
}

/** Several results one behind the other, as they are checked. */
export function joined<V extends Values>(parts: readonly V[]): V {
  if (parts.length === 1) return parts[0];
  const count = parts.reduce((sum, part) => sum + part.length, 0);
  const all = new (parts[0].constructor as new (count: number) => V)(count);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Multiplications and additions of a problem. */
export function flopsOf({ op, m, n, k, batch }: Pick<Problem, "op" | "m" | "n" | "k" | "batch">): number {
  return op === "product" ? 2 * m * n * k * batch : 4 * m * n * k + m * n;
}

/** Whether a product is one of a matrix and a vector, for which libraries have a routine of their own. */
export function isVector({ m, n, batch }: Product): boolean {
  return batch === 1 && (m === 1 || n === 1);
}

/** Uniform numbers in [-0.5, 0.5), the same for the same seed. */
export function uniform(count: number, seed: number): Float32Array<ArrayBuffer> {
  return fillUniform(alignedFloats(count), seed);
}

/** The same in f64, with bits that f32 has no room for. */
export function uniformDoubles(count: number, seed: number): Float64Array<ArrayBuffer> {
  return fillUniform(alignedDoubles(count), seed, 2 ** -24);
}

function fillUniform<V extends Values>(values: V, seed: number, fine: number = 0): V {
  let state = seed * 0x9e3779b9 >>> 0;
  for (let i = 0; i < values.length; i++) { // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = (state >>> 8) / 0x1000000 - 0.5 + fine * (state & 255) / 256;
  }
  return values;
}

/** One entry of the result by definition: its terms, how large they are, and a name for it. */
interface Entry {
  readonly terms: number;
  /** The factors of a term; a sum of plain numbers has 1 for the other. */
  term(q: number): [number, number];
  /** How large a term is beside a product of two inputs. */
  readonly scale: number;
  readonly name: string;
}

/** The entry of the result at a flat index. */
function entryOf(problem: Problem, at: number): Entry {
  const { m, n, k, inputs } = problem;
  if (problem.op === "product") {
    const { layout } = problem, [a, b] = inputs;
    const p = Math.floor(at / (m * n)), i = Math.floor(at / n) % m, j = at % n;
    const firstA = p * m * k, firstB = p * k * n;
    const term = (q: number): [number, number] => [
      a[firstA + (layout[0] === "T" ? q * m + i : i * k + q)],
      b[firstB + (layout[1] === "T" ? j * k + q : q * n + j)],
    ];
    return { terms: k, term, scale: 1, name: problem.batch === 1 ? `(${i}, ${j})` : `(${p}, ${i}, ${j})` };
  }
  const [dy, x, weight] = problem.inputs;
  if (at < m * k) {
    const i = Math.floor(at / k), j = at % k;
    return { terms: n, term: (q) => [dy[i * n + q], weight[q * k + j]], scale: 1, name: `dx(${i}, ${j})` };
  }
  if (at < m * k + n * k) {
    const i = Math.floor((at - m * k) / k), j = (at - m * k) % k;
    return { terms: m, term: (q) => [dy[q * n + i], x[q * k + j]], scale: 1, name: `dw(${i}, ${j})` };
  }
  const j = at - m * k - n * k;
  // Uniform numbers vary 12^½ times as much as their products.
  return { terms: m, term: (q) => [dy[q * n + j], 1], scale: 4, name: `db(${j})` };
}

/** How many entries a result has. */
function entriesOf({ op, m, n, k, batch }: Problem): number {
  return op === "product" ? batch * m * n : m * k + n * k + n;
}

/** What the problem's result is: sums in double precision, or in twice that where the result is f64 itself. */
export function reference(problem: Problem): Reference {
  const sum = problem.dtype === "f32" ? plainSum : doubledSum, epsilon = problem.dtype === "f32" ? 2 ** -23 : 2 ** -52;
  // What an entry is usually about: a product of two inputs has a deviation of 1/12.
  const size = (at: number) => {
    const { terms, scale } = entryOf(problem, at);
    return scale * Math.sqrt(terms) / 12;
  };
  const length = entriesOf(problem);
  return {
    length,
    samples: spread(length),
    wanted: (at) => sum(entryOf(problem, at)),
    size,
    // A partial sum of j products has a deviation of sqrt(j)/12, and each of the roundings errs by up to half an ulp of it: together
    // about eps terms/34. Six deviations of the difference of two such sums, over up to a million entries, are eps terms/4; four more
    // ulps for the shortest sums.
    tolerance(at) {
      const { terms, scale } = entryOf(problem, at);
      return epsilon * scale * (terms / 4 + 4) / size(at);
    },
    place: (at) => entryOf(problem, at).name,
  };
}

function plainSum({ terms, term }: Entry): number {
  let sum = 0;
  for (let q = 0; q < terms; q++) {
    const [x, y] = term(q);
    sum += x * y;
  }
  return sum;
}

/**
 * The sum as if in twice the precision: every rounding's error is computed and added (Ogita, Rump and Oishi, "Accurate sum and dot
 * product", 2005).
 */
function doubledSum({ terms, term }: Entry): number {
  let sum = 0, errors = 0;
  const halves = (v: number): [number, number] => {
    const shifted = v * 134217729, high = shifted - (shifted - v); // 2^27 + 1 (Dekker, 1971)
    return [high, v - high];
  };
  for (let q = 0; q < terms; q++) {
    const [x, y] = term(q), product = x * y, [xHigh, xLow] = halves(x), [yHigh, yLow] = halves(y);
    const ofProduct = xLow * yLow - (product - xHigh * yHigh - xLow * yHigh - xHigh * yLow);
    const next = sum + product, part = next - sum;
    errors += sum - (next - part) + (product - part) + ofProduct;
    sum = next;
  }
  return sum + errors;
}

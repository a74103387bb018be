/**
 * What is computed: products and the gradients of a linear layer, with reproducible inputs, and the check of a contender's result
 * against sums in double precision and against the other contenders' results.
 *
 * @module
 */
import type { Contender, Prepared } from "./harness.ts";
import { alignedFloats } from "./peers/ffi.ts";
import type { RowOpName } from "./rows_cases.ts";

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
  /** `a` and `b`. */
  readonly inputs: readonly [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>];
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
  /** dy [m, n], x [m, k] and weight [n, k]. */
  readonly inputs: readonly [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>];
}

/** A row-wise or elementwise op on matrices [rows, cols]: group `rows` says which there are. */
export interface RowProblem {
  readonly op: RowOpName;
  readonly rows: number;
  readonly cols: number;
  readonly inputs: readonly Float32Array<ArrayBuffer>[];
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
  prepare(problem: Problem, threads: number): Prepared | Promise<Prepared>;
  /** Ends the process that the peer lives in, where it has one. */
  close?(): void;
}

/** A problem with uniform inputs in [-0.5, 0.5), the same every time. */
export function makeProblem(shape: Pick<Problem, "op" | "m" | "n" | "k" | "batch" | "layout">): Problem {
  const { op, m, n, k, batch, layout } = shape;
  if (op === "product") return { op, m, n, k, batch, layout, inputs: [uniform(batch * m * k, 1), uniform(batch * k * n, 2)] };
  return { op, m, n, k, batch: 1, layout: "NT", inputs: [uniform(m * n, 1), uniform(m * k, 2), uniform(n * k, 3)] };
}

/** Two results have to agree to `tolerance` of the largest entry near by, sums over rows or all elements to so much of themselves. */
export function agree(
  name: string,
  found: ArrayLike<number>,
  wantedName: string,
  wanted: ArrayLike<number>,
  tolerance: number = 1e-5,
): void {
  if (found.length !== wanted.length) throw new Error(`${name}: ${found.length} results, ${wantedName} has ${wanted.length}`);
  const block = 4096;
  for (let from = 0; from < wanted.length; from += block) {
    const to = Math.min(wanted.length, from + block);
    let largest = 1e-30;
    for (let i = from; i < to; i++) largest = Math.max(largest, Math.abs(wanted[i]));
    for (let i = from; i < to; i++) {
      // A NaN compares as false, and so fails.
      if (!(Math.abs(wanted[i] - found[i]) <= tolerance * largest)) {
        throw new Error(`${name}: entry ${i} is ${found[i]}, ${wantedName} has ${wanted[i]}`);
      }
    }
  }
}

/** Several results one behind the other, as they are checked. */
export function joined(parts: readonly Float32Array[]): Float32Array {
  if (parts.length === 1) return parts[0];
  const all = new Float32Array(parts.reduce((count, part) => count + part.length, 0));
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
  const values = alignedFloats(count);
  let state = seed * 0x9e3779b9 >>> 0;
  for (let i = 0; i < count; i++) { // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = (state >>> 8) / 0x1000000 - 0.5;
  }
  return values;
}

/** One entry of the result by definition: its value in double precision, how many terms it sums, and a name for it. */
interface Entry {
  readonly sum: number;
  readonly terms: number;
  /** How large a term is beside a product of two inputs. */
  readonly scale: number;
  readonly name: string;
}

/** The entry of the result at a flat index. */
function entryOf(problem: Problem, at: number, compute: boolean): Entry {
  const { m, n, k, inputs } = problem;
  let sum = 0;
  if (problem.op === "product") {
    const { layout } = problem, [a, b] = inputs;
    const p = Math.floor(at / (m * n)), i = Math.floor(at / n) % m, j = at % n;
    const firstA = p * m * k, firstB = p * k * n;
    for (let q = 0; compute && q < k; q++) {
      sum += a[firstA + (layout[0] === "T" ? q * m + i : i * k + q)] * b[firstB + (layout[1] === "T" ? j * k + q : q * n + j)];
    }
    return { sum, terms: k, scale: 1, name: problem.batch === 1 ? `(${i}, ${j})` : `(${p}, ${i}, ${j})` };
  }
  const [dy, x, weight] = problem.inputs;
  if (at < m * k) {
    const i = Math.floor(at / k), j = at % k;
    for (let q = 0; compute && q < n; q++) sum += dy[i * n + q] * weight[q * k + j];
    return { sum, terms: n, scale: 1, name: `dx(${i}, ${j})` };
  }
  if (at < m * k + n * k) {
    const i = Math.floor((at - m * k) / k), j = (at - m * k) % k;
    for (let q = 0; compute && q < m; q++) sum += dy[q * n + i] * x[q * k + j];
    return { sum, terms: m, scale: 1, name: `dw(${i}, ${j})` };
  }
  const j = at - m * k - n * k;
  for (let q = 0; compute && q < m; q++) sum += dy[q * n + j];
  return { sum, terms: m, scale: 4, name: `db(${j})` }; // uniform numbers vary 12^½ times as much as their products
}

/** How many entries a result has. */
function entriesOf({ op, m, n, k, batch }: Problem): number {
  return op === "product" ? batch * m * n : m * k + n * k + n;
}

/** Lets each contender compute the problem and throws where a result is wrong. */
export async function checkResults(problem: Problem, contenders: readonly Contender[]): Promise<void> {
  const count = entriesOf(problem);
  let first: Float32Array | undefined;
  for (const contender of contenders) {
    if (!contender.result) continue;
    await contender.time(1);
    const result = await contender.result();
    if (result.length !== count) throw new Error(`${contender.name}: ${result.length} results instead of ${count}`);
    for (let sample = 0; sample < 64; sample++) {
      const at = sample === 0 ? 0 : sample === 1 ? count - 1 : Math.floor(count * ((sample * 0.6180339887498949) % 1));
      const entry = entryOf(problem, at, true);
      demand(contender.name, "the sum in double precision", result[at], entry.sum, entry);
    }
    first ??= result.slice();
    for (let at = 0; at < count; at++) {
      if (result[at] !== first[at]) demand(contender.name, contenders[0].name, result[at], first[at], entryOf(problem, at, false));
    }
  }
}

function demand(name: string, other: string, got: number, wanted: number, { terms, scale, name: entry }: Entry): void {
  // A partial sum of j products has a deviation of sqrt(j)/12, and each of the roundings errs by up to half an ulp of it: together
  // about eps terms/34. Six deviations of the difference of two such sums, over up to a million entries, are eps terms/4; four more
  // ulps for the shortest sums.
  const tolerance = 2 ** -23 * scale * (terms / 4 + 4), error = Math.abs(got - wanted);
  // A NaN compares as false, and so fails.
  if (!(error <= tolerance)) {
    throw new Error(`${name}: entry ${entry} is ${got}, ${other} ${wanted}: off by ${error}, more than ${tolerance}`);
  }
}

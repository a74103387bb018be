/**
 * What the ops of group `rows` are by definition: plain loops in double precision over the same f32 inputs.
 *
 * @module
 */
import type { Values } from "./harness.ts";
import { behindEachOther, type Reference, whole } from "./judge.ts";
import type { Operand } from "./problem.ts";
import type { RowOpName } from "./rows_cases.ts";

/** An op on matrices [rows, cols], each row behind the one before. */
export interface RowProblem {
  readonly op: RowOpName;
  readonly rows: number;
  readonly cols: number;
  readonly inputs: readonly Operand[];
}

/**
 * The error function, to about 10⁻¹⁵: 2/√π e^(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1)), whose terms have one sign (Abramowitz and Stegun, 7.1.6).
 */
export function erf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
}

/** GELU, exact by erf. */
export function gelu(x: number): number {
  return x / 2 * (1 + erf(x * Math.SQRT1_2));
}

/** Its derivative. */
export function geluSlope(x: number): number {
  return (1 + erf(x * Math.SQRT1_2)) / 2 + x * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
}

function silu(x: number): number {
  return x / (1 + Math.exp(-x));
}

/** The weight of a column, which is the bias too, as the contenders make it. */
function weight(j: number): number {
  return 1 + j % 1024 / 1024;
}

const epsilon = 1e-5;

/** Entry by entry. */
function each(count: number, value: (i: number) => number): Float64Array {
  const y = new Float64Array(count);
  for (let i = 0; i < count; i++) y[i] = value(i);
  return y;
}

/** Row by row: `fill` gets the index of the row's first entry, and writes the row. */
function byRow({ rows, cols }: RowProblem, fill: (first: number, y: Float64Array) => void): Float64Array {
  const y = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) fill(i * cols, y);
  return y;
}

function sum(first: number, count: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = first; i < first + count; i++) total += term(i);
  return total;
}

/** The logarithm of the sum of a row's exponentials. */
function logSumExp(x: ArrayLike<number>, first: number, cols: number): number {
  let top = -Infinity;
  for (let i = first; i < first + cols; i++) top = Math.max(top, x[i]);
  return top + Math.log(sum(first, cols, (i) => Math.exp(x[i] - top)));
}

/** A row's mean and the factor that makes it one of deviation 1; the mean is 0 for an RMS norm. */
function statistics(x: ArrayLike<number>, first: number, cols: number, centered: boolean): [number, number] {
  const mean = centered ? sum(first, cols, (i) => x[i]) / cols : 0;
  return [mean, 1 / Math.sqrt(sum(first, cols, (i) => (x[i] - mean) ** 2) / cols + epsilon)];
}

function norm(problem: RowProblem, x: ArrayLike<number>, centered: boolean): Float64Array {
  const { cols } = problem;
  return byRow(problem, (first, y) => {
    const [mean, factor] = statistics(x, first, cols, centered);
    for (let j = 0; j < cols; j++) y[first + j] = (x[first + j] - mean) * factor * weight(j) + (centered ? weight(j) : 0);
  });
}

/** The gradients of a norm: of x, of the weight and, where it is centered, of the bias. */
function normBackward(problem: RowProblem, centered: boolean): Float64Array[] {
  const { cols, inputs: [x, dy] } = problem, dweight = new Float64Array(cols), dbias = new Float64Array(cols);
  const dx = byRow(problem, (first, out) => {
    const [mean, factor] = statistics(x, first, cols, centered);
    let ofSlopes = 0, ofProducts = 0;
    for (let j = 0; j < cols; j++) {
      const normed = (x[first + j] - mean) * factor, slope = dy[first + j] * weight(j);
      ofSlopes += slope;
      ofProducts += slope * normed;
      dweight[j] += dy[first + j] * normed;
      dbias[j] += dy[first + j];
    }
    for (let j = 0; j < cols; j++) {
      const normed = (x[first + j] - mean) * factor;
      out[first + j] = factor * (dy[first + j] * weight(j) - (centered ? ofSlopes / cols : 0) - normed * ofProducts / cols);
    }
  });
  return centered ? [dx, dweight, dbias] : [dx, dweight];
}

/** The label of a row, as the contenders make it. */
function labelOf(row: number, cols: number): number {
  return row * 7919 % cols;
}

function crossEntropy({ rows, cols, inputs: [x] }: RowProblem): number {
  let total = 0;
  for (let i = 0; i < rows; i++) total += logSumExp(x, i * cols, cols) - x[i * cols + labelOf(i, cols)];
  return total / rows;
}

function crossEntropyGradient(problem: RowProblem): Float64Array {
  const { rows, cols, inputs: [x] } = problem;
  return byRow(problem, (first, y) => {
    const logarithm = logSumExp(x, first, cols), label = labelOf(first / cols, cols);
    for (let j = 0; j < cols; j++) y[first + j] = (Math.exp(x[first + j] - logarithm) - (j === label ? 1 : 0)) / rows;
  });
}

const definitions: Record<Exclude<RowOpName, "dropout">, (problem: RowProblem) => Values[]> = {
  copy: ({ inputs: [x] }) => [x],
  softmax: (problem) => [byRow(problem, (first, y) => {
    const { cols, inputs: [x] } = problem, logarithm = logSumExp(x, first, cols);
    for (let i = first; i < first + cols; i++) y[i] = Math.exp(x[i] - logarithm);
  })],
  softmax_backward: (problem) => [byRow(problem, (first, out) => {
    const { cols, inputs: [y, dy] } = problem, dot = sum(first, cols, (i) => y[i] * dy[i]);
    for (let i = first; i < first + cols; i++) out[i] = y[i] * (dy[i] - dot);
  })],
  log_softmax: (problem) => [byRow(problem, (first, y) => {
    const { cols, inputs: [x] } = problem, logarithm = logSumExp(x, first, cols);
    for (let i = first; i < first + cols; i++) y[i] = x[i] - logarithm;
  })],
  log_softmax_backward: (problem) => [byRow(problem, (first, out) => {
    const { cols, inputs: [y, dy] } = problem, total = sum(first, cols, (i) => dy[i]);
    for (let i = first; i < first + cols; i++) out[i] = dy[i] - Math.exp(y[i]) * total;
  })],
  layer_norm: (problem) => [norm(problem, problem.inputs[0], true)],
  layer_norm_backward: (problem) => normBackward(problem, true),
  layer_norm_of_sum(problem) {
    const { inputs: [x, residual] } = problem, sums = each(x.length, (i) => x[i] + residual[i]);
    return [norm(problem, sums, true), sums];
  },
  rms_norm: (problem) => [norm(problem, problem.inputs[0], false)],
  rms_norm_backward: (problem) => normBackward(problem, false),
  gelu: ({ inputs: [x] }) => [each(x.length, (i) => gelu(x[i]))],
  gelu_backward: ({ inputs: [x, dy] }) => [each(x.length, (i) => dy[i] * geluSlope(x[i]))],
  geglu: ({ inputs: [gate, up] }) => [each(gate.length, (i) => gelu(gate[i]) * up[i])],
  geglu_backward: ({ inputs: [gate, up, dy] }) => [
    each(gate.length, (i) => dy[i] * up[i] * geluSlope(gate[i])),
    each(gate.length, (i) => dy[i] * gelu(gate[i])),
  ],
  silu: ({ inputs: [x] }) => [each(x.length, (i) => silu(x[i]))],
  tanh: ({ inputs: [x] }) => [each(x.length, (i) => Math.tanh(x[i]))],
  swiglu: ({ inputs: [gate, up] }) => [each(gate.length, (i) => silu(gate[i]) * up[i])],
  mse: ({ inputs: [x, target] }) => [Float64Array.of(sum(0, x.length, (i) => (x[i] - target[i]) ** 2) / x.length)],
  cross_entropy: (problem) => [Float64Array.of(crossEntropy(problem))],
  cross_entropy_step: (problem) => [crossEntropyGradient(problem)],
  sum_of_squares: ({ inputs: [x] }) => [Float64Array.of(sum(0, x.length, (i) => x[i] * x[i]))],
};

/**
 * The result of an op, to 10⁻⁵ of the largest entry near by, or to 10⁻¹² in f64: sums of rows, not of whole matrices, are as precise as
 * that.
 */
export function rowReference(problem: RowProblem): Reference {
  const { op, inputs } = problem;
  if (op === "dropout") {
    // An entry is left out or it is not, by random numbers of each library's own.
    const kept = whole(each(inputs[0].length, (i) => inputs[0][i] / 0.9));
    return { ...kept, wanted: (at, found) => found === 0 ? 0 : kept.wanted(at, found) };
  }
  return behindEachOther(definitions[op](problem).map((values) => whole(values, inputs[0] instanceof Float64Array ? 1e-12 : 1e-5)));
}

/**
 * What group `rows` measures: row-wise and elementwise ops, how each is called here, and the bytes that it has to move.
 *
 * @module
 */
import {
  copy,
  crossEntropy,
  crossEntropyBackward,
  type Device,
  dropout,
  empty,
  geglu,
  gegluBackward,
  gelu,
  geluBackward,
  layerNorm,
  layerNormBackward,
  logSoftmax,
  logSoftmaxBackward,
  mse,
  random,
  rmsNorm,
  rmsNormBackward,
  silu,
  softmax,
  softmaxBackward,
  sumOfSquares,
  swiglu,
  tanh,
  type Tensor,
  tensor,
} from "@tilework/tilework";
import type { Float } from "./problem.ts";

/** A call ready to be made, and the tensors that hold its results once it was. */
export interface Call {
  run(): void;
  results(): readonly Tensor[];
}

/**
 * Matrices of the case's shape, in the order in which the peer gets them. Some cases are of f64, which the types of the calls need not
 * know.
 */
type Matrices = readonly Tensor<"f32", [number, number]>[];

export interface RowOp {
  /** Matrices that it reads. */
  readonly inputs: number;
  /** Matrices that it has to read or write, each once: the least traffic, parameters and statistics of rows left aside. */
  readonly streams: number;
  /** Makes of a number from 0 to 1 what the first matrix holds; otherwise it is from -0.5 to 0.5, as the others are. */
  readonly first?: (u: number, cols: number) => number;
  readonly prepare: (matrices: Matrices, device: Device) => Call;
}

/** A call that writes to a tensor given before. */
function into(out: Tensor<"f32", [number, number]>, run: (out: Tensor<"f32", [number, number]>) => unknown): Call {
  return { run: () => void run(out), results: () => [out as Tensor] };
}

/** A call whose results are new tensors each time; the ones before are freed, as a scope would. */
function fresh(make: () => readonly Tensor[]): Call {
  let held: readonly Tensor[] = [];
  return {
    run() {
      const made = make();
      for (const t of held) t.dispose();
      held = made;
    },
    results: () => held,
  };
}

function like(x: Tensor<"f32", [number, number]>): Tensor<"f32", [number, number]> {
  return empty(x.device, [...x.shape], x.dtype);
}

/** Weights 1, 1 + 2⁻¹⁰, … of one column each, as the peer makes them too. */
function weights(x: Tensor<"f32", [number, number]>): Tensor<"f32", [number]> {
  const [, cols] = x.shape;
  return tensor(x.device, [cols], Array.from({ length: cols }, (_, j) => 1 + j % 1024 / 1024), { dtype: x.dtype });
}

/** Labels of the rows, as the peer makes them too. */
function labels(device: Device, x: Tensor<"f32", [number, number]>): Tensor<"i32", [number]> {
  const [rows, cols] = x.shape;
  return tensor(device, [rows], Int32Array.from({ length: rows }, (_, i) => i * 7919 % cols));
}

/** From -8 to 8. */
function logits(u: number): number {
  return 16 * u - 8;
}

export const rowOps = {
  copy: { inputs: 1, streams: 2, prepare: ([x]) => into(like(x), (out) => copy(x, { out })) },
  softmax: { inputs: 1, streams: 2, prepare: ([x]) => into(like(x), (out) => softmax(x, { out })) },
  softmax_backward: {
    inputs: 2,
    streams: 3,
    first: (u, cols) => 2 * u / cols, // probabilities
    prepare: ([y, dy]) => into(like(y), (out) => softmaxBackward(y, dy, { out })),
  },
  layer_norm: {
    inputs: 1,
    streams: 2,
    prepare([x]) {
      const weight = weights(x);
      return into(like(x), (out) => layerNorm(x, { weight, bias: weight }, { out }));
    },
  },
  layer_norm_backward: {
    inputs: 2,
    streams: 3,
    prepare([x, dy]) {
      const weight = weights(x);
      return fresh(() => {
        const g = layerNormBackward(x, { weight, bias: weight }, dy);
        return [g.x, g.weight, g.bias!] as unknown as Tensor[]; // of any shape
      });
    },
  },
  gelu: { inputs: 1, streams: 2, prepare: ([x]) => into(like(x), (out) => gelu(x, { out })) },
  gelu_backward: { inputs: 2, streams: 3, prepare: ([x, dy]) => into(like(x), (out) => geluBackward(x, dy, { out })) },
  geglu: { inputs: 2, streams: 3, prepare: ([gate, up]) => into(like(gate), (out) => geglu(gate, up, { out })) },
  geglu_backward: {
    inputs: 3,
    streams: 5,
    prepare: ([gate, up, dy]) =>
      fresh(() => {
        const g = gegluBackward(gate, up, dy);
        return [g.gate, g.up] as unknown as Tensor[]; // of any shape
      }),
  },
  log_softmax: { inputs: 1, streams: 2, prepare: ([x]) => into(like(x), (out) => logSoftmax(x, { out })) },
  log_softmax_backward: {
    inputs: 2,
    streams: 3,
    first: (u, cols) => -Math.log(cols) + u - 0.5, // logarithms of probabilities
    prepare: ([y, dy]) => into(like(y), (out) => logSoftmaxBackward(y, dy, { out })),
  },
  layer_norm_of_sum: {
    inputs: 2,
    streams: 4,
    prepare([x, residual]) {
      const weight = weights(x), out = like(x), sum = like(x);
      return {
        run: () => void layerNorm(x, { weight, bias: weight }, { residual, out, sum }),
        results: () => [out as Tensor, sum as Tensor],
      };
    },
  },
  rms_norm: {
    inputs: 1,
    streams: 2,
    prepare([x]) {
      const weight = weights(x);
      return into(like(x), (out) => rmsNorm(x, { weight }, { out }));
    },
  },
  rms_norm_backward: {
    inputs: 2,
    streams: 3,
    prepare([x, dy]) {
      const weight = weights(x);
      return fresh(() => {
        const g = rmsNormBackward(x, { weight }, dy);
        return [g.x, g.weight] as unknown as Tensor[]; // of any shape
      });
    },
  },
  silu: { inputs: 1, streams: 2, prepare: ([x]) => into(like(x), (out) => silu(x, { out })) },
  tanh: { inputs: 1, streams: 2, prepare: ([x]) => into(like(x), (out) => tanh(x, { out })) },
  swiglu: { inputs: 2, streams: 3, prepare: ([gate, up]) => into(like(gate), (out) => swiglu(gate, up, { out })) },
  dropout: {
    inputs: 1,
    streams: 2,
    prepare([x], device) {
      const rng = random(device, 1);
      return into(like(x), (out) => dropout(x, rng, { rate: 0.1, out }));
    },
  },
  mse: { inputs: 2, streams: 2, prepare: ([x, target]) => fresh(() => [mse(x, target) as unknown as Tensor]) },
  cross_entropy: {
    inputs: 1,
    streams: 1,
    first: logits,
    prepare([x], device) {
      const targets = labels(device, x);
      return fresh(() => [crossEntropy(x, targets) as unknown as Tensor]);
    },
  },
  // As a training step has it: the loss, then its gradient, which reads the logits again.
  cross_entropy_step: {
    inputs: 1,
    streams: 3,
    first: logits,
    prepare([x], device) {
      const targets = labels(device, x), dy = tensor(device, [], [1]);
      return into(like(x), (out) => crossEntropyBackward(x, targets, dy, { out }));
    },
  },
  sum_of_squares: { inputs: 1, streams: 1, prepare: ([x]) => fresh(() => [sumOfSquares(x) as unknown as Tensor]) },
} satisfies Record<string, RowOp>;

export type RowOpName = keyof typeof rowOps;

/** One measurement. */
export interface RowCase {
  readonly op: RowOpName;
  readonly dtype: Float;
  readonly rows: number;
  readonly cols: number;
}

/** The measured sizes: those that others quote for an op, a model's activations, and rows as long as a vocabulary. */
export function rowCases(tiny: boolean): RowCase[] {
  const doubles = ["softmax", "layer_norm", "layer_norm_backward", "gelu"] as const;
  if (tiny) {
    const each = (ops: readonly RowOpName[], dtype: Float) => ops.map((op) => ({ op, dtype, rows: 33, cols: 70 }));
    return [...each(Object.keys(rowOps) as RowOpName[], "f32"), ...each(doubles, "f64")];
  }
  const all: [RowOpName, number, number][] = [
    ["softmax", 4096, 768],
    ["softmax", 512, 50257],
    ["softmax_backward", 4096, 768],
    ["softmax_backward", 512, 50257],
    ["softmax_backward", 16384, 1024],
    ["layer_norm", 4096, 768],
    ["layer_norm", 512, 50257],
    ["layer_norm_backward", 4096, 768],
    ["layer_norm_backward", 8192, 768],
    ["gelu", 4096, 768],
    ["gelu", 512, 50257],
    ["gelu_backward", 4096, 768],
    ["geglu", 8192, 1152],
    ["geglu_backward", 8192, 1152],
    ["log_softmax", 512, 50257],
    ["log_softmax_backward", 512, 50257],
    ["layer_norm_of_sum", 4096, 768],
    ["rms_norm", 4096, 768],
    ["rms_norm_backward", 8192, 768],
    ["silu", 4096, 768],
    ["tanh", 4096, 768],
    ["swiglu", 8192, 1152],
    ["dropout", 4096, 768],
    ["mse", 4096, 768],
    ["cross_entropy", 4096, 768],
    ["cross_entropy", 512, 50257],
    ["cross_entropy_step", 4096, 768],
    ["cross_entropy_step", 512, 50257],
    ["sum_of_squares", 768, 2304],
    ["sum_of_squares", 4096, 768],
    ["sum_of_squares", 512, 50257],
  ];
  return [
    ...all.map(([op, rows, cols]): RowCase => ({ op, dtype: "f32", rows, cols })),
    ...doubles.map((op): RowCase => ({ op, dtype: "f64", rows: 4096, cols: 768 })),
  ];
}

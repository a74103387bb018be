/** Linear layer: a product with a transposed weight, a bias, and the gradients of both in one call. */

import { TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import {
  asRows,
  check,
  checkFlag,
  checkFloat,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  output,
  pairNames,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames, outOf } from "../core/options.ts";
import { formatValue, linearShape } from "../core/shape.ts";
import type { Box, Last, NoLinear, Shape, Size, Unless, WithLast } from "../core/shape.ts";
import { type Tensor, view } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** The parameters of a linear layer: weight `[out, in]`, and a bias `[out]` unless it has none. */
export type Linear<I extends number = number, O extends number = number, D extends Float = "f32"> = {
  weight: Tensor<D, [O, I]>;
  bias?: Tensor<D, [O]> | undefined;
};

type Layer<D extends Float, I extends number, O extends number> = {
  weight: Tensor<NoInfer<D>, [O, I]>;
  bias?: Tensor<NoInfer<D>, [NoInfer<O>]> | undefined;
};

/** @internal The parameters of a layer for an input of shape S, or the sentence that says why they do not fit. */
export type LinearFor<Op extends string, D extends Float, S extends Shape, I extends number, O extends number> = Box<Size<I>> extends
  Box<Size<Last<S>>> ? Layer<D, I, O> : Unless<S, [O, I], Layer<D, I, O>, NoLinear<Op, S, [O, I]>>;

/** @internal A layer of any shape. */
export interface AnyLinear {
  weight: Tensor;
  bias?: Tensor | undefined;
}

/** @internal Checks the parameters against the input and returns the output's shape. */
export function checkLinear(op: string, x: Tensor, p: AnyLinear): number[] {
  checkFloat(op, "x", x);
  if (typeof p !== "object" || p === null) throw new TypeError(`${op}: parameters must be { weight, bias? }, got ${formatValue(p)}`);
  checkLike(op, "weight", p.weight, "x", x);
  const shape = linearShape(op, x.shape, p.weight.shape, pairNames("x", x, "weight", p.weight));
  if (p.bias !== undefined) {
    checkLike(op, "bias", p.bias, "x", x);
    checkShapeIs(op, "bias", p.bias, [p.weight.shape[0]!]);
  }
  return shape;
}

/**
 * Linear layer: `y = x @ weightᵀ + bias` over the last axis. A weight that is used again and again may be prepacked (`prepack`).
 *
 * Throws a RangeError where shapes do not fit, a TypeError for other element types than f32 and f64, a mix of them, or a disposed tensor.
 *
 * ```ts
 * import { cpu, linear, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2, 3], [1, 0, 0, 0, 1, 1]);
 * using bias = tensor(cpu, [2], [10, 20]);
 * using x = tensor(cpu, [1, 3], [1, 2, 3]);
 * using y = linear(x, { weight, bias });
 * console.log(y.readSync()); // Float32Array [11, 25]
 * ```
 *
 * @param x `[…, in]`
 * @param p weight `[out, in]`, bias `[out]`
 * @returns `[…, out]`
 */
export function linear<D extends Float, S extends Shape, I extends number, O extends number>(
  x: Tensor<D, S>,
  p: LinearFor<"linear", D, S, I, O>,
  options?: NoInfer<Out<D, WithLast<S, O>>>,
): Tensor<D, WithLast<S, O>> {
  const shape = checkLinear("linear", x, p as AnyLinear);
  const { weight, bias } = p as AnyLinear;
  const copy = weight.copyFor("linear", "weight", true);
  const out = output<D, WithLast<S, O>>("linear", x, x.dtype, shape, outOf("linear", options) as Tensor | undefined);
  if (x.rank === 1) {
    // A vector is one row.
    check("linear", withRow(x, (row) => withRow(out as Tensor, (y) => call(y, row, weight, copy, bias))));
  } else check("linear", call(out as Tensor, x, weight, copy, bias));
  if (recording(x, weight, bias)) {
    const inputs: Tensor[] = bias === undefined ? [x, weight] : [x, weight, bias];
    record("linear", inputs, [out as Tensor], [x, weight], ([dy], [x, weight], wanted) => {
      const g = gradients(x!, weight!, dy!, { x: wanted[0]!, weight: wanted[1]!, bias: wanted[2] === true }, {}, {});
      return bias === undefined ? [g.x, g.weight] : [g.x, g.weight, g.bias];
    }, { fresh: true });
  }
  return out;
}

/** 2 transposes the weight; a prepacked copy is of its transpose. */
const transposeB = 2;

function call(out: Tensor, x: Tensor, weight: Tensor, copy: number, bias: Tensor | undefined): number {
  const flags = copy === 0 ? transposeB : 0;
  return native.tw_matmul(x.device.handle, out.handle, x.handle, copy || weight.handle, bias === undefined ? 0 : bias.handle, flags, 1, 0);
}

/** Which gradients add to what their output holds. */
export interface LinearAccumulate {
  /** dX; off. */
  x?: boolean;
  /** dW; off. */
  weight?: boolean;
  /** db; on where `out.bias` is given. */
  bias?: boolean;
}

/** Options of `linearBackward`. */
export interface LinearBackwardOptions<D extends Float, S extends Shape, I extends number, O extends number> {
  /** Tensors that take the gradients. */
  out?: { x?: Tensor<D, S> | undefined; weight?: Tensor<D, [O, I]> | undefined; bias?: Tensor<D, [O]> | undefined };
  /** Which gradients add to what their output holds. */
  accumulate?: LinearAccumulate;
}

/** The gradients of a linear layer; `bias` where the layer has one. */
export interface LinearGradients<D extends Float, S extends Shape, I extends number, O extends number> {
  /** `dy @ weight`. */
  x: Tensor<D, S>;
  /** `dyᵀ @ x`. */
  weight: Tensor<D, [O, I]>;
  /** The sum of `dy` over all rows. */
  bias?: Tensor<D, [O]> | undefined;
}

const backwardNames = optionNames<LinearBackwardOptions<Float, Shape, number, number>>({ out: true, accumulate: true });

const gradientNames = optionNames<LinearAccumulate>({ x: true, weight: true, bias: true });

/** @internal Checks the names of the options of a linear layer's gradients, those inside `out` and `accumulate` too. */
export function checkBackwardOptions(op: string, options: { out?: unknown; accumulate?: unknown }): void {
  checkOptions(op, options, backwardNames);
  checkOptions(op, options.out, gradientNames, "out");
  checkOptions(op, options.accumulate, gradientNames, "accumulate");
}

/**
 * Gradients of `linear`: `dX = dY @ weight`, `dW = dYᵀ @ X` and `db = Σ_rows dY`, in one fork of the pool.
 *
 * `db` is summed over the rows first and then added once to the tensor given as `out.bias`, or to zero. Without rows dW is zeros and dX is empty.
 *
 * ```ts
 * import { cpu, linearBackward, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2, 3], [1, 0, 0, 0, 1, 1]);
 * using x = tensor(cpu, [1, 3], [1, 2, 3]);
 * using dy = tensor(cpu, [1, 2], [1, 10]);
 * const g = linearBackward(x, { weight }, dy);
 * console.log(g.x.readSync(), g.weight.readSync()); // [1, 10, 10] [1, 2, 3, 10, 20, 30]
 * ```
 *
 * @param x `[…, in]`, as in the forward call
 * @param p weight `[out, in]`, bias `[out]`
 * @param dy `[…, out]`
 */
export function linearBackward<D extends Float, S extends Shape, I extends number, O extends number>(
  x: Tensor<D, S>,
  p: LinearFor<"linearBackward", D, S, I, O>,
  dy: NoInfer<Tensor<D, WithLast<S, O>>>,
  options: NoInfer<LinearBackwardOptions<D, S, I, O>> = {},
): LinearGradients<D, S, I, O> {
  const op = "linearBackward";
  checkBackwardOptions(op, options);
  const shape = checkLinear(op, x, p as AnyLinear);
  const { weight, bias } = p as AnyLinear;
  checkLike(op, "dy", dy, "x", x);
  checkShapeIs(op, "dy", dy as Tensor, shape);
  checkNotRecording(op);
  const out = (options.out ?? {}) as { x?: Tensor; weight?: Tensor; bias?: Tensor };
  const { accumulate = {} } = options;
  for (const name of ["x", "weight", "bias"] as const) {
    if (checkFlag(op, `accumulate.${name}`, accumulate[name]) && out[name] === undefined) {
      throw new TypeError(`${op}: accumulate.${name} is set, but there is no out.${name} to add to`);
    }
  }
  const g = gradients(
    x,
    weight,
    dy as Tensor,
    { x: true, weight: true, bias: bias !== undefined || out.bias !== undefined },
    out,
    accumulate,
  );
  return (g.bias === null ? { x: g.x, weight: g.weight } : g) as unknown as LinearGradients<D, S, I, O>; // shapes as the inputs' own
}

interface Wanted {
  x: boolean;
  weight: boolean;
  bias: boolean;
}

function gradients(
  x: Tensor,
  weight: Tensor,
  dy: Tensor,
  wanted: Wanted,
  out: { x?: Tensor; weight?: Tensor; bias?: Tensor },
  accumulate: LinearAccumulate,
): { x: Tensor | null; weight: Tensor | null; bias: Tensor | null } {
  const op = "linearBackward";
  const dx = wanted.x ? output(op, x, x.dtype, x.shape, out.x) : null;
  const dw = wanted.weight ? output(op, x, x.dtype, weight.shape, out.weight) : null;
  const db = wanted.bias ? output(op, x, x.dtype, [weight.shape[0]!], out.bias) : null;
  const flags = (accumulate.x ? 1 : 0) + (accumulate.weight ? 2 : 0) + (out.bias !== undefined && accumulate.bias !== false ? 4 : 0);
  const rows = asRows(op, dy), input = asRows(op, x);
  check(op, native.tw_linear_backward(x.device.handle, of(dx), of(dw), of(db), rows.handle, input.handle, weight.handle, flags));
  if (rows !== dy) rows.dispose();
  if (input !== x) input.dispose();
  return { x: dx, weight: dw, bias: db };
}

function of(x: Tensor | null): number {
  return x === null ? 0 : x.handle;
}

/** Calls `body` with a vector as a matrix of one row. */
function withRow(x: Tensor, body: (row: Tensor) => number): number {
  const row = view<Float, Shape>(x as Tensor<Float>, [1, x.shape[0]!], [x.shape[0]! * x.strides[0]!, x.strides[0]!], x.offset);
  try {
    return body(row);
  } finally {
    row.dispose();
  }
}

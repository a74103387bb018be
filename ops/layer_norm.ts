/** Layer norm. */

import type { Float } from "../core/dtype.ts";
import {
  asContiguous,
  asRows,
  check,
  checkFloat,
  checkLike,
  checkNotRecording,
  checkNumber,
  checkShapeIs,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { formatValue } from "../core/shape.ts";
import type { Last, Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** The parameters of a layer norm: weight `[width]`, and a bias `[width]` unless it has none. */
export type LayerNorm<W extends number = number, D extends Float = "f32"> = {
  weight: Tensor<D, [W]>;
  bias?: Tensor<D, [W]> | undefined;
};

/** Options of `layerNorm`. */
export interface LayerNormOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** Added to the variance, 1e-5. */
  eps?: number;
}

interface AnyLayerNorm {
  weight: Tensor;
  bias?: Tensor | undefined;
}

interface AnyOptions {
  eps?: number;
  out?: Tensor | undefined;
}

const none: AnyOptions = {};

/**
 * Layer norm over the last axis: `y = (x − μ)·r·weight + bias` with `r = (var + eps)^-½`; μ and var are the row's mean and its variance divided by the
 * width (Ba, Kiros and Hinton, "Layer normalization", 2016).
 *
 * The variance is the mean of squared deviations from a corrected mean: rows with a large mean keep their digits, and a constant row gives exactly the
 * bias. NaN and infinities stay in their row. `out` may be `x` itself.
 *
 * Throws a RangeError where shapes do not fit or `eps` is negative, a TypeError for other element types than f32 and f64, a mix of them, or a disposed
 * tensor.
 *
 * ```ts
 * import { cpu, layerNorm, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2], [1, 10]);
 * using x = tensor(cpu, [2, 2], [0, 2, 5, 9]);
 * using y = layerNorm(x, { weight }, { eps: 0 });
 * console.log(y.readSync()); // Float32Array [-1, 10, -1, 10]
 * ```
 *
 * @param x `[…, width]`
 * @param p weight `[width]`, bias `[width]`
 * @returns the shape of `x`
 */
export function layerNorm<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  p: NoInfer<LayerNorm<Last<S>, D>>,
  options?: NoInfer<LayerNormOptions<D, S>>,
): Tensor<D, S> {
  return forward("layerNorm", x as Tensor, p as unknown as AnyLayerNorm, options as AnyOptions | undefined) as unknown as Tensor<D, S>; // of x's own shape
}

/** Checks the arguments that forward and backward share; returns eps. */
function checkLayerNorm(op: string, x: Tensor, p: AnyLayerNorm, eps: number = 1e-5): number {
  checkFloat(op, "x", x);
  if (x.rank === 0) throw new RangeError(`${op}: x is [], needs an axis to normalise over`);
  if (typeof p !== "object" || p === null) throw new TypeError(`${op}: parameters must be { weight, bias? }, got ${formatValue(p)}`);
  const width = [x.shape[x.rank - 1]!];
  checkLike(op, "weight", p.weight, "x", x);
  checkShapeIs(op, "weight", p.weight, width);
  if (p.bias !== undefined) {
    checkLike(op, "bias", p.bias, "x", x);
    checkShapeIs(op, "bias", p.bias, width);
  }
  if (!(checkNumber(op, "eps", eps) >= 0 && eps < Infinity)) throw new RangeError(`${op}: eps must be 0 or more, got ${formatValue(eps)}`);
  return eps;
}

/** Mean and reciprocal deviation of each row. */
function statistics(op: string, x: Tensor): Tensor {
  return allocate(op, x.device, x.dtype, [...x.shape.slice(0, -1), 2]) as Tensor;
}

function handleOf(x: Tensor | null | undefined): number {
  return x === null || x === undefined ? 0 : x.handle;
}

function forward(op: string, x: Tensor, p: AnyLayerNorm, options: AnyOptions = none): Tensor {
  const eps = checkLayerNorm(op, x, p, options.eps);
  const { bias } = p;
  const out = output(op, x, x.dtype, x.shape, options.out) as Tensor;
  const tracked = recording(x, p.weight, bias);
  const stats = tracked ? statistics(op, x) : null;
  run(op, out, stats, x, p, eps);
  if (stats !== null) {
    const inputs = bias === undefined ? [x, p.weight] : [x, p.weight, bias];
    record(op, inputs, [out], [x, p.weight, stats], ([dy], [x, weight, stats], wanted) => {
      const g = gradients("layerNormBackward", x!, weight!, stats!, dy!, wanted[0]!, wanted[1]!, wanted[2] === true);
      return bias === undefined ? [g.x, g.weight] : [g.x, g.weight, g.bias];
    });
    stats.dispose(); // the tape has its own holder
  }
  return out;
}

function run(op: string, out: Tensor | null, stats: Tensor | null, x: Tensor, p: AnyLayerNorm, eps: number): void {
  const rows = asRows(op, x), weight = asContiguous(op, p.weight), bias = p.bias && asContiguous(op, p.bias);
  check(op, native.tw_layer_norm(x.device.handle, handleOf(out), handleOf(stats), rows.handle, weight.handle, handleOf(bias), eps));
  if (rows !== x) rows.dispose();
  if (weight !== p.weight) weight.dispose();
  if (bias !== p.bias) bias!.dispose();
}

/** The gradients of a layer norm; `bias` where it has one. */
export interface LayerNormGradients<D extends Float, S extends Shape> {
  /** The gradient of `x`. */
  x: Tensor<D, S>;
  /** The sum of `dy·x̂` over all rows. */
  weight: Tensor<D, [Last<S>]>;
  /** The sum of `dy` over all rows. */
  bias?: Tensor<D, [Last<S>]> | undefined;
}

/**
 * Gradients of `layerNorm`: with `x̂ = (x − μ)·r`, `u = dy·weight` and means over the row, `dx = r·(u − mean(u) − x̂·mean(u·x̂))`; over all rows
 * `dweight = Σ dy·x̂` and `dbias = Σ dy`.
 *
 * The sums over rows go over chunks that depend on the number of rows alone and join in their order: the same bits for any number of workers.
 *
 * ```ts
 * import { cpu, layerNormBackward, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2], [1, 1]);
 * using x = tensor(cpu, [1, 2], [0, 2]);
 * using dy = tensor(cpu, [1, 2], [3, 5]);
 * const g = layerNormBackward(x, { weight, bias: weight }, dy, { eps: 0 });
 * console.log(g.weight.readSync(), g.bias?.readSync()); // Float32Array [-3, 5] Float32Array [3, 5]
 * ```
 *
 * @param x `[…, width]`, as in the forward call
 * @param p weight `[width]`, bias `[width]`
 * @param dy the gradient of the output, of the shape of `x`
 */
export function layerNormBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  p: NoInfer<LayerNorm<Last<S>, D>>,
  dy: NoInfer<Tensor<D, S>>,
  options?: { eps?: number },
): LayerNormGradients<D, S> {
  return backward("layerNormBackward", x as Tensor, p as unknown as AnyLayerNorm, dy as Tensor, options) as unknown as LayerNormGradients<
    D,
    S
  >; // shapes as the inputs' own
}

interface Gradients {
  x: Tensor | null;
  weight: Tensor | null;
  bias: Tensor | null;
}

function backward(op: string, x: Tensor, p: AnyLayerNorm, dy: Tensor, options: { eps?: number } = none) {
  const eps = checkLayerNorm(op, x, p, options.eps);
  checkLike(op, "dy", dy, "x", x);
  checkShapeIs(op, "dy", dy, x.shape);
  checkNotRecording(op);
  const stats = statistics(op, x);
  run(op, null, stats, x, p, eps);
  const g = gradients(op, x, p.weight, stats, dy, true, true, p.bias !== undefined);
  stats.dispose();
  return g.bias === null ? { x: g.x, weight: g.weight } : g;
}

function gradients(
  op: string,
  x: Tensor,
  weight: Tensor,
  stats: Tensor,
  dy: Tensor,
  wantX: boolean,
  wantWeight: boolean,
  wantBias: boolean,
): Gradients {
  const dx = wantX ? allocate(op, x.device, x.dtype, x.shape) as Tensor : null;
  const dweight = wantWeight ? allocate(op, x.device, x.dtype, weight.shape) as Tensor : null;
  const dbias = wantBias ? allocate(op, x.device, x.dtype, weight.shape) as Tensor : null;
  const rows = asRows(op, x), dyRows = asRows(op, dy), dense = asContiguous(op, weight);
  check(
    op,
    native.tw_layer_norm_backward(
      x.device.handle,
      handleOf(dx),
      handleOf(dweight),
      handleOf(dbias),
      dyRows.handle,
      rows.handle,
      dense.handle,
      stats.handle,
    ),
  );
  if (rows !== x) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  if (dense !== weight) dense.dispose();
  return { x: dx, weight: dweight, bias: dbias };
}

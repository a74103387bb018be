/** Layer norm. */

import { RangeError, TypeError } from "../core/errors.ts";
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
  checkTensor,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, lastAxis, optionNames } from "../core/options.ts";
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

/** Options of `layerNorm` with a residual. */
export interface LayerNormSumOptions<D extends Float, S extends Shape> extends LayerNormOptions<D, S> {
  /** Added to `x` before it is normalised, of its shape. */
  residual: Tensor<D, S>;
  /** Takes the sum in place of a new tensor, as `out` takes the norm. */
  sum?: Tensor<D, S> | undefined;
}

/** A layer norm, and the sum that was normalised. */
export interface LayerNormSum<D extends Float, S extends Shape> {
  /** The layer norm of `sum`. */
  y: Tensor<D, S>;
  /** `x + residual`. */
  sum: Tensor<D, S>;
}

interface AnyLayerNorm {
  weight: Tensor;
  bias?: Tensor | undefined;
}

interface AnyOptions {
  eps?: number;
  out?: Tensor | undefined;
  residual?: Tensor | undefined;
  sum?: Tensor | undefined;
}

const none: AnyOptions = {};

const names = optionNames<LayerNormSumOptions<Float, Shape>>({ out: true, eps: true, residual: true, sum: true });

/**
 * Layer norm over the last axis: `y = (x − μ)·r·weight + bias` with `r = (var + eps)^-½`; μ and var are the row's mean and its variance divided by the
 * width (Ba, Kiros and Hinton, "Layer normalization", 2016).
 *
 * The variance is the mean of squared deviations from a corrected mean: rows with a large mean keep their digits, and a constant row gives exactly the
 * bias. Rows of any size are right, however far their squares are from the range of their type. NaN and infinities stay in their row. `out` may be `x` itself.
 *
 * With a `residual` it is the norm of `x + residual`, and both are returned, `{ y, sum }`: the bits of `add` and then `layerNorm`, but memory is passed
 * over once. `out` and `sum` may be `x` or `residual` itself, not the same.
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
  options?: NoInfer<LayerNormOptions<D, S>> & { residual?: undefined },
): Tensor<D, S>;
/** The layer norm of `x + residual`, and that sum. */
export function layerNorm<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  p: NoInfer<LayerNorm<Last<S>, D>>,
  options: NoInfer<LayerNormSumOptions<D, S>>,
): LayerNormSum<D, S>;
export function layerNorm(x: Tensor, p: unknown, options?: unknown): unknown {
  checkOptions("layerNorm", options, names, "", lastAxis);
  return forward("layerNorm", x, p as AnyLayerNorm, options as AnyOptions | undefined);
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

function forward(op: string, x: Tensor, p: AnyLayerNorm, options: AnyOptions = none): Tensor | { y: Tensor; sum: Tensor } {
  const eps = checkLayerNorm(op, x, p, options.eps);
  const { bias } = p, { residual } = options;
  if (residual !== undefined) {
    checkLike(op, "residual", residual, "x", x);
    checkShapeIs(op, "residual", residual, x.shape);
  } else if (options.sum !== undefined) throw new TypeError(`${op}: sum is only there with a residual`);
  const out = output(op, x, x.dtype, x.shape, options.out) as Tensor;
  const sum = residual === undefined ? null : total(op, x, options.sum);
  const tracked = recording(x, p.weight, bias, residual);
  const stats = tracked && x.size > 0 ? statistics(op, x) : null; // rows without elements have none
  run(op, out, stats, x, p, eps, sum, residual);
  if (tracked) {
    const parameters = bias === undefined ? [p.weight] : [p.weight, bias];
    const lead = residual === undefined ? [x] : [x, residual];
    const kept = stats === null ? [sum ?? x, p.weight] : [sum ?? x, p.weight, stats];
    record(op, [...lead, ...parameters], sum === null ? [out] : [out, sum], kept, ([dy, dsum], saved, wanted) => {
      const [z, weight, stats = null] = saved as [Tensor, Tensor, Tensor?]; // as they were saved
      // Where only the sum was used, its gradient goes through as it is.
      if (dy === null) return lead.map(() => dsum!);
      const [wantWeight, wantBias] = wanted.slice(lead.length);
      const wantX = wanted.slice(0, lead.length).includes(true);
      const g = gradients(
        "layerNormBackward",
        z,
        weight,
        stats,
        dy!,
        wantX ? dsum ?? null : null,
        wantX,
        wantWeight!,
        wantBias === true,
        eps,
      );
      return [...lead.map(() => g.x), g.weight, ...(bias === undefined ? [] : [g.bias])];
    }, { fresh: residual === undefined });
    stats?.dispose(); // the tape has its own holder
  }
  return sum === null ? out : { y: out, sum };
}

/** The tensor that takes the sum. */
function total(op: string, x: Tensor, to: Tensor | undefined): Tensor {
  if (to !== undefined) checkTensor(op, "sum", to);
  return output(op, x, x.dtype, x.shape, to) as Tensor;
}

function run(
  op: string,
  out: Tensor | null,
  stats: Tensor | null,
  x: Tensor,
  p: AnyLayerNorm,
  eps: number,
  sum: Tensor | null = null,
  residual?: Tensor,
): void {
  const rows = asRows(op, x), weight = asContiguous(op, p.weight), bias = p.bias && asContiguous(op, p.bias);
  const more = residual && asRows(op, residual);
  const outs = [handleOf(out), handleOf(stats), handleOf(sum)] as const;
  check(op, native.tw_layer_norm(x.device.handle, ...outs, rows.handle, handleOf(more), weight.handle, handleOf(bias), eps));
  if (rows !== x) rows.dispose();
  if (more !== residual) more!.dispose();
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

const epsNames = optionNames<{ eps?: number }>({ eps: true });

/**
 * Gradients of `layerNorm`, without a residual: with `x̂ = (x − μ)·r`, `u = dy·weight` and means over the row, `dx = r·(u − mean(u) − x̂·mean(u·x̂))`; over all rows
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
  checkOptions("layerNormBackward", options, epsNames);
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
  const g = gradients(op, x, p.weight, null, dy, null, true, true, p.bias !== undefined, eps);
  return g.bias === null ? { x: g.x, weight: g.weight } : g;
}

/** `stats` as the forward pass kept them, or null: then they are computed anew, with `eps`. */
function gradients(
  op: string,
  x: Tensor,
  weight: Tensor,
  stats: Tensor | null,
  dy: Tensor,
  dsum: Tensor | null,
  wantX: boolean,
  wantWeight: boolean,
  wantBias: boolean,
  eps: number,
): Gradients {
  const dx = wantX ? allocate(op, x.device, x.dtype, x.shape) as Tensor : null;
  const dweight = wantWeight ? allocate(op, x.device, x.dtype, weight.shape) as Tensor : null;
  const dbias = wantBias ? allocate(op, x.device, x.dtype, weight.shape) as Tensor : null;
  const rows = asRows(op, x), dyRows = asRows(op, dy), dense = asContiguous(op, weight), more = dsum && asRows(op, dsum);
  const outs = Uint32Array.of(handleOf(dx), handleOf(dweight), handleOf(dbias));
  check(
    op,
    native.tw_layer_norm_backward(x.device.handle, outs, dyRows.handle, handleOf(more), rows.handle, dense.handle, handleOf(stats), eps),
  );
  if (rows !== x) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  if (dense !== weight) dense.dispose();
  if (more !== dsum) more!.dispose();
  return { x: dx, weight: dweight, bias: dbias };
}

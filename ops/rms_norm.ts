/** RMS norm. */

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

/** The parameter of an RMS norm: a weight `[width]`. */
export type RmsNorm<W extends number = number, D extends Float = "f32"> = { weight: Tensor<D, [W]> };

/** Options of `rmsNorm`. */
export interface RmsNormOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** Added to the mean square, 1e-5. */
  eps?: number;
}

interface AnyRmsNorm {
  weight: Tensor;
}

interface AnyOptions {
  eps?: number;
  out?: Tensor | undefined;
}

const none: AnyOptions = {};

const names = optionNames<RmsNormOptions<Float, Shape>>({ out: true, eps: true });

/**
 * RMS norm over the last axis: `y = x·r·weight` with `r = (mean(x²) + eps)^-½`, the mean over the row (Zhang and Sennrich, "Root mean square layer
 * normalization", 2019). Rows of any size are right, however far their squares are from the range of their type. NaN and infinities stay in their row. `out`
 * may be `x` itself.
 *
 * Throws a RangeError where shapes do not fit or `eps` is negative, a TypeError for other element types than f32 and f64, a mix of them, or a disposed
 * tensor.
 *
 * ```ts
 * import { cpu, rmsNorm, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2], [1, 10]);
 * using x = tensor(cpu, [2, 2], [3, 3, -2, 2]);
 * using y = rmsNorm(x, { weight }, { eps: 0 });
 * console.log(y.readSync()); // Float32Array [1, 10, -1, 10]
 * ```
 *
 * @param x `[…, width]`
 * @param p weight `[width]`
 * @returns the shape of `x`
 */
export function rmsNorm<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  p: NoInfer<RmsNorm<Last<S>, D>>,
  options?: NoInfer<RmsNormOptions<D, S>>,
): Tensor<D, S> {
  checkOptions("rmsNorm", options, names, "", lastAxis);
  return forward("rmsNorm", x as Tensor, p as unknown as AnyRmsNorm, options as AnyOptions | undefined) as unknown as Tensor<D, S>; // of x's own shape
}

/** Checks the arguments that forward and backward share; returns eps. */
function checkRmsNorm(op: string, x: Tensor, p: AnyRmsNorm, eps: number = 1e-5): number {
  checkFloat(op, "x", x);
  if (x.rank === 0) throw new RangeError(`${op}: x is [], needs an axis to normalise over`);
  if (typeof p !== "object" || p === null) throw new TypeError(`${op}: parameters must be { weight }, got ${formatValue(p)}`);
  checkLike(op, "weight", p.weight, "x", x);
  checkShapeIs(op, "weight", p.weight, [x.shape[x.rank - 1]!]);
  if (!(checkNumber(op, "eps", eps) >= 0 && eps < Infinity)) throw new RangeError(`${op}: eps must be 0 or more, got ${formatValue(eps)}`);
  return eps;
}

/** The factor r of each row. */
function statistics(op: string, x: Tensor): Tensor {
  return allocate(op, x.device, x.dtype, x.shape.slice(0, -1)) as Tensor;
}

function forward(op: string, x: Tensor, p: AnyRmsNorm, options: AnyOptions = none): Tensor {
  const eps = checkRmsNorm(op, x, p, options.eps);
  const out = output(op, x, x.dtype, x.shape, options.out) as Tensor;
  const tracked = recording(x, p.weight);
  const stats = tracked && x.size > 0 ? statistics(op, x) : null; // rows without elements have none
  run(op, out, stats, x, p, eps);
  if (tracked) {
    const kept = stats === null ? [x, p.weight] : [x, p.weight, stats];
    record(op, [x, p.weight], [out], kept, ([dy], [x, weight, stats = null], wanted) => {
      const g = gradients("rmsNormBackward", x!, weight!, stats, dy!, wanted[0]!, wanted[1]!, eps);
      return [g.x, g.weight];
    }, { fresh: true });
    stats?.dispose(); // the tape has its own holder
  }
  return out;
}

function run(op: string, out: Tensor, stats: Tensor | null, x: Tensor, p: AnyRmsNorm, eps: number): void {
  const rows = asRows(op, x), weight = asContiguous(op, p.weight);
  check(op, native.tw_rms_norm(x.device.handle, out.handle, stats?.handle ?? 0, rows.handle, weight.handle, eps));
  if (rows !== x) rows.dispose();
  if (weight !== p.weight) weight.dispose();
}

/** The gradients of an RMS norm. */
export interface RmsNormGradients<D extends Float, S extends Shape> {
  /** The gradient of `x`. */
  x: Tensor<D, S>;
  /** The sum of `dy·x·r` over all rows. */
  weight: Tensor<D, [Last<S>]>;
}

const epsNames = optionNames<{ eps?: number }>({ eps: true });

/**
 * Gradients of `rmsNorm`: with `x̂ = x·r`, `u = dy·weight` and means over the row, `dx = r·(u − x̂·mean(u·x̂))`; over all rows `dweight = Σ dy·x̂`.
 *
 * The sums over rows go over chunks that depend on the number of rows alone and join in their order: the same bits for any number of workers.
 *
 * ```ts
 * import { cpu, rmsNormBackward, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2], [1, 1]);
 * using x = tensor(cpu, [1, 2], [2, 2]);
 * using dy = tensor(cpu, [1, 2], [3, 5]);
 * const g = rmsNormBackward(x, { weight }, dy, { eps: 0 });
 * console.log(g.x.readSync(), g.weight.readSync()); // Float32Array [-0.5, 0.5] Float32Array [3, 5]
 * ```
 *
 * @param x `[…, width]`, as in the forward call
 * @param p weight `[width]`
 * @param dy the gradient of the output, of the shape of `x`
 */
export function rmsNormBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  p: NoInfer<RmsNorm<Last<S>, D>>,
  dy: NoInfer<Tensor<D, S>>,
  options?: { eps?: number },
): RmsNormGradients<D, S> {
  checkOptions("rmsNormBackward", options, epsNames);
  return backward("rmsNormBackward", x as Tensor, p as unknown as AnyRmsNorm, dy as Tensor, options) as unknown as RmsNormGradients<D, S>; // shapes as the inputs' own
}

interface Gradients {
  x: Tensor | null;
  weight: Tensor | null;
}

function backward(op: string, x: Tensor, p: AnyRmsNorm, dy: Tensor, options: { eps?: number } = none): Gradients {
  const eps = checkRmsNorm(op, x, p, options.eps);
  checkLike(op, "dy", dy, "x", x);
  checkShapeIs(op, "dy", dy, x.shape);
  checkNotRecording(op);
  return gradients(op, x, p.weight, null, dy, true, true, eps);
}

/** `stats` as the forward pass kept them, or null: then they are computed anew, with `eps`. */
function gradients(
  op: string,
  x: Tensor,
  weight: Tensor,
  stats: Tensor | null,
  dy: Tensor,
  wantX: boolean,
  wantWeight: boolean,
  eps: number,
): Gradients {
  const dx = wantX ? allocate(op, x.device, x.dtype, x.shape) as Tensor : null;
  const dweight = wantWeight ? allocate(op, x.device, x.dtype, weight.shape) as Tensor : null;
  const rows = asRows(op, x), dyRows = asRows(op, dy), dense = asContiguous(op, weight);
  const outs = [dx?.handle ?? 0, dweight?.handle ?? 0] as const;
  check(op, native.tw_rms_norm_backward(x.device.handle, ...outs, dyRows.handle, rows.handle, dense.handle, stats?.handle ?? 0, eps));
  if (rows !== x) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  if (dense !== weight) dense.dispose();
  return { x: dx, weight: dweight };
}

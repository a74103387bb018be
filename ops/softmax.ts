/** Softmax. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import {
  asContiguous,
  asRows,
  check,
  checkDevice,
  checkFlag,
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
import { formatShape, formatValue } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { sumTo } from "./sum.ts";

/** What a softmax and its gradient are told alike. */
export interface SoftmaxGradientOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** Over the last two axes `[q, k]`, lets row i see the columns up to `i + k − q` alone; the others are 0. Off. */
  causal?: boolean;
  /** What `x` is multiplied by first, above 0; 1. */
  scale?: number;
}

/** Options of `softmax`. */
export interface SoftmaxOptions<D extends Float, S extends Shape> extends SoftmaxGradientOptions<D, S> {
  /**
   * Broadcast over the leading axes of `x`, its last axis that of `x`. One of u32 hides the elements where it is 0; one of the element type of `x` is added
   * after scaling, and hides where it is -Infinity.
   */
  mask?: Tensor<D> | Tensor<"u32"> | undefined;
}

interface AnyOptions {
  causal?: boolean;
  scale?: number;
  mask?: Tensor | undefined;
  out?: Tensor | undefined;
}

const names = optionNames<SoftmaxOptions<Float, Shape>>({ out: true, causal: true, scale: true, mask: true });

/**
 * Softmax over the last axis of `z = scale·x + mask`: `y_j = exp(z_j − m) / Σ_k exp(z_k − m)`, with m the row's maximum, so that no exponential overflows.
 *
 * What a mask or `causal` hides is exactly 0, and what x holds there is not used. A row of which nothing is seen, or all of it is -Infinity, is all zeros,
 * and so is its gradient. NaN or +Infinity in what is seen makes the row NaN, in which a hidden place is NaN or 0. `out` may be `x` itself.
 *
 * Gradients flow into `x`, and into a mask that is added.
 *
 * Throws a TypeError for other element types than f32 and f64, a mask that is neither of these nor u32, a disposed tensor, or an `out` that overlaps `x` or
 * the mask; a RangeError where `x` has no axis, the mask does not broadcast to `x`, or `scale` is not above 0.
 *
 * ```ts
 * import { cpu, softmax, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 2], [5, 5, -Infinity, 0]);
 * using y = softmax(x);
 * console.log(y.readSync()); // Float32Array [0.5, 0.5, 0, 1]
 * ```
 *
 * @param x `[…, n]`
 * @returns the shape of `x`
 */
export function softmax<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<SoftmaxOptions<D, S>>): Tensor<D, S> {
  checkOptions("softmax", options, names, "", lastAxis);
  return forward("softmax", x as Tensor, options as AnyOptions | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

const none: AnyOptions = {};

/** Flags of the native calls. */
function flagsOf(op: string, name: string, x: Tensor, causal: boolean | undefined): number {
  if (x.rank === 0) throw new RangeError(`${op}: ${name} is [], needs an axis to normalise over`);
  if (!checkFlag(op, "causal", causal)) return 0;
  if (x.rank < 2) throw new RangeError(`${op}: ${name} is ${formatShape(x.shape)}, causal needs two axes`);
  return 1;
}

function checkScale(op: string, scale: number = 1): number {
  if (!(checkNumber(op, "scale", scale) > 0 && scale < Infinity)) {
    throw new RangeError(`${op}: scale must be a number above 0, got ${formatValue(scale)}`);
  }
  return scale;
}

function checkMask(op: string, mask: Tensor, x: Tensor): void {
  checkTensor(op, "mask", mask);
  if (mask.dtype !== x.dtype && mask.dtype !== "u32") throw new TypeError(`${op}: mask is ${mask.dtype}, must be ${x.dtype} or u32`);
  checkDevice(op, "mask", mask, "x", x);
  const extra = x.rank - mask.rank;
  const fits = extra >= 0 && mask.rank > 0 &&
    mask.shape.every((size, i) => size === x.shape[i + extra] || (size === 1 && i < mask.rank - 1));
  if (!fits) {
    throw new RangeError(`${op}: mask is ${formatShape(mask.shape)}, must broadcast to ${formatShape(x.shape)} over its leading axes`);
  }
}

/** `mask`, or a contiguous copy of it where its last axis is not dense. */
function asMask(op: string, mask: Tensor): Tensor {
  return mask.shape[mask.rank - 1] === 1 || mask.strides[mask.rank - 1] === 1 ? mask : asContiguous(op, mask);
}

function forward(op: string, x: Tensor, options: AnyOptions = none): Tensor {
  checkFloat(op, "x", x);
  const flags = flagsOf(op, "x", x, options.causal), scale = checkScale(op, options.scale), { mask } = options;
  if (mask !== undefined) checkMask(op, mask, x as Tensor);
  const out = output<Float, Shape>(op, x, x.dtype, x.shape, options.out) as Tensor;
  const rows = asRows(op, x as Tensor), seen = mask && asMask(op, mask);
  check(op, native.tw_softmax(x.device.handle, out.handle, rows.handle, seen === undefined ? 0 : seen.handle, flags, scale));
  if (rows !== x) rows.dispose();
  if (seen !== mask) seen!.dispose();
  if (!recording(x, mask)) return out;
  const name = "softmaxBackward";
  if (mask === undefined || mask.dtype === "u32") {
    record(op, [x], [out], [out], ([dy], [y]) => [gradient(name, y!, dy!, flags, scale, undefined)]);
  } else {
    const maskShape = mask.shape;
    // The gradient of the mask is that of z, summed over the axes along which it was stretched.
    record(op, [x, mask], [out], [out], ([dy], [y], wanted) => [
      wanted[0] ? gradient(name, y!, dy!, flags, scale, undefined) : null,
      wanted[1] ? sumTo(gradient(name, y!, dy!, flags, 1, undefined), maskShape) : null,
    ]);
  }
  return out;
}

const backwardNames = optionNames<SoftmaxGradientOptions<Float, Shape>>({ out: true, causal: true, scale: true });

/**
 * Gradient of `softmax` from its output: `dx_j = scale·y_j·(dy_j − Σ_k dy_k·y_k)`. It needs no mask: where y is 0, as what was hidden is, it is 0 and `dy`
 * is not used. `causal` and `scale` are as in the forward call. `out` may be `dy` or `y` itself.
 *
 * ```ts
 * import { cpu, softmaxBackward, tensor } from "@tilework/tilework";
 *
 * using y = tensor(cpu, [3], [0.5, 0, 0.5]);
 * using dy = tensor(cpu, [3], [1, 2, 3]);
 * using dx = softmaxBackward(y, dy);
 * console.log(dx.readSync()); // Float32Array [-0.5, 0, 0.5]
 * ```
 *
 * @param y what `softmax` returned, `[…, n]`
 * @param dy the gradient of `y`
 * @returns the gradient of `x`
 */
export function softmaxBackward<D extends Float, S extends Shape>(
  y: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<SoftmaxGradientOptions<D, S>>,
): Tensor<D, S> {
  checkOptions("softmaxBackward", options, backwardNames, "", lastAxis);
  return backward("softmaxBackward", y as Tensor, dy as Tensor, options as AnyOptions | undefined) as unknown as Tensor<D, S>; // of y's own shape
}

function backward(op: string, y: Tensor, dy: Tensor, options: AnyOptions = none): Tensor {
  checkFloat(op, "y", y);
  checkLike(op, "dy", dy, "y", y);
  checkShapeIs(op, "dy", dy, y.shape);
  checkNotRecording(op);
  return gradient(op, y, dy, flagsOf(op, "y", y, options.causal), checkScale(op, options.scale), options.out);
}

function gradient(op: string, y: Tensor, dy: Tensor, flags: number, scale: number, to: Tensor | undefined): Tensor {
  const out = output(op, y, y.dtype, y.shape, to) as Tensor;
  const rows = asRows(op, y), dyRows = asRows(op, dy);
  check(op, native.tw_softmax_backward(y.device.handle, out.handle, dyRows.handle, rows.handle, flags, scale));
  if (rows !== y) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  return out;
}

/** Softmax. */

import type { Float } from "../core/dtype.ts";
import { asRows, check, checkFlag, checkFloat, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Options of `softmax`. */
export interface SoftmaxOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** Over the last two axes `[q, k]`, lets row i see the columns up to `i + k − q` alone; the others are 0. Off. */
  causal?: boolean;
}

interface AnyOptions {
  causal?: boolean;
  out?: Tensor | undefined;
}

/**
 * Softmax over the last axis: `y_j = exp(x_j − m) / Σ_k exp(x_k − m)`, with m the row's maximum, so that no exponential overflows.
 *
 * With `causal` the columns that a row does not see are exactly 0, and what x holds there is not used. A row of which nothing is seen, or all of it is
 * -Infinity, is all zeros. NaN or +Infinity in what is seen makes the row NaN. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`; a RangeError where `x` has no axis.
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

function forward(op: string, x: Tensor, options: AnyOptions = none): Tensor {
  checkFloat(op, "x", x);
  const flags = flagsOf(op, "x", x, options.causal);
  const out = output<Float, Shape>(op, x, x.dtype, x.shape, options.out);
  const rows = asRows(op, x as Tensor);
  check(op, native.tw_softmax(x.device.handle, out.handle, rows.handle, flags, 1));
  if (rows !== x) rows.dispose();
  if (recording(x)) record(op, [x], [out], [out], ([dy], [y]) => [gradient("softmaxBackward", y!, dy!, flags, undefined)]);
  return out;
}

/**
 * Gradient of `softmax` from its output: `dx_j = y_j·(dy_j − Σ_k dy_k·y_k)`.
 *
 * With `causal`, as in the forward call, the columns that a row does not see are 0 and `dy` is not used there. `out` may be `dy` or `y` itself.
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
  options?: NoInfer<SoftmaxOptions<D, S>>,
): Tensor<D, S> {
  return backward("softmaxBackward", y as Tensor, dy as Tensor, options as AnyOptions | undefined) as unknown as Tensor<D, S>; // of y's own shape
}

function backward(op: string, y: Tensor, dy: Tensor, options: AnyOptions = none): Tensor {
  checkFloat(op, "y", y);
  checkLike(op, "dy", dy, "y", y);
  checkShapeIs(op, "dy", dy, y.shape);
  checkNotRecording(op);
  return gradient(op, y, dy, flagsOf(op, "y", y, options.causal), options.out);
}

function gradient(op: string, y: Tensor, dy: Tensor, flags: number, to: Tensor | undefined): Tensor {
  const out = output(op, y, y.dtype, y.shape, to) as Tensor;
  const rows = asRows(op, y), dyRows = asRows(op, dy);
  check(op, native.tw_softmax_backward(y.device.handle, out.handle, dyRows.handle, rows.handle, flags, 1));
  if (rows !== y) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  return out;
}

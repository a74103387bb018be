/** Logarithm of the softmax. */

import { RangeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { asRows, check, checkFloat, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * Logarithm of the softmax over the last axis: `y_j = (x_j − m) − log Σ_k exp(x_k − m)`, with m the row's maximum. Probabilities too small for a number
 * keep their logarithm.
 *
 * An element of -Infinity takes no part: its result is -Infinity and its gradient 0, also where a row holds nothing else. NaN or +Infinity makes its row
 * NaN. `out` may be `x` itself. For a loss of logits `crossEntropy` does this and the rest in one go.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`; a RangeError where `x` has no axis.
 *
 * ```ts
 * import { cpu, logSoftmax, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [1000, 0, -Infinity]);
 * using y = logSoftmax(x);
 * console.log(y.readSync()); // Float32Array [0, -1000, -Infinity]
 * ```
 *
 * @param x `[…, n]`
 * @returns the shape of `x`
 */
export function logSoftmax<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return forward("logSoftmax", x as Tensor, outOf("logSoftmax", options) as Tensor | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

function checkAxis(op: string, name: string, x: Tensor): void {
  checkFloat(op, name, x);
  if (x.rank === 0) throw new RangeError(`${op}: ${name} is [], needs an axis to normalise over`);
}

function forward(op: string, x: Tensor, to: Tensor | undefined): Tensor {
  checkAxis(op, "x", x);
  const out = output(op, x, x.dtype, x.shape, to) as Tensor;
  const rows = asRows(op, x);
  check(op, native.tw_log_softmax(x.device.handle, out.handle, rows.handle));
  if (rows !== x) rows.dispose();
  if (recording(x)) record(op, [x], [out], [out], ([dy], [y]) => [gradient("logSoftmaxBackward", y!, dy!, undefined)]);
  return out;
}

/**
 * Gradient of `logSoftmax` from its output: `dx_j = dy_j − exp(y_j)·Σ_k dy_k`. Where y is -Infinity it is 0, and `dy` is not used. `out` may be `dy` or
 * `y` itself.
 *
 * ```ts
 * import { cpu, logSoftmaxBackward, tensor } from "@tilework/tilework";
 *
 * using y = tensor(cpu, [3], [0, -1000, -Infinity]);
 * using dy = tensor(cpu, [3], [1, 2, 3]);
 * using dx = logSoftmaxBackward(y, dy);
 * console.log(dx.readSync()); // Float32Array [-2, 2, 0]
 * ```
 *
 * @param y what `logSoftmax` returned, `[…, n]`
 * @param dy the gradient of `y`
 * @returns the gradient of `x`
 */
export function logSoftmaxBackward<D extends Float, S extends Shape>(
  y: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<Out<D, S>>,
): Tensor<D, S> {
  return backward(
    "logSoftmaxBackward",
    y as Tensor,
    dy as Tensor,
    outOf("logSoftmaxBackward", options) as Tensor | undefined,
  ) as unknown as Tensor<D, S>; // of y's own shape
}

function backward(op: string, y: Tensor, dy: Tensor, to: Tensor | undefined): Tensor {
  checkAxis(op, "y", y);
  checkLike(op, "dy", dy, "y", y);
  checkShapeIs(op, "dy", dy, y.shape);
  checkNotRecording(op);
  return gradient(op, y, dy, to);
}

function gradient(op: string, y: Tensor, dy: Tensor, to: Tensor | undefined): Tensor {
  const out = output(op, y, y.dtype, y.shape, to) as Tensor;
  const rows = asRows(op, y), dyRows = asRows(op, dy);
  check(op, native.tw_log_softmax_backward(y.device.handle, out.handle, dyRows.handle, rows.handle));
  if (rows !== y) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  return out;
}

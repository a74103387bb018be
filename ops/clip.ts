/** The two halves of clipping by a global norm: a factor from sums of squares, and a product with a factor that only the device knows. */

import { check, checkDevice, checkFloat, checkLike, checkNotRecording } from "../core/op.ts";
import type { DType, Float } from "../core/dtype.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, changes, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** A global norm, and what to multiply gradients by. */
export interface ClipFactor {
  /** The root of the sum of all squares. */
  norm: Tensor<"f32", []>;
  /** limit / norm where the norm is finite and above the limit, else 1. */
  factor: Tensor<"f32", []>;
}

/**
 * The global norm of tensors, from the sums of squares of each, and the factor that brings it down to `limit`: limit / norm where the norm is finite and
 * above the limit, else 1. So a norm that is NaN or infinite leaves gradients as they are, and the caller sees it.
 *
 * Throws a RangeError for a limit below 0 or NaN, a TypeError for sums that are not f64.
 *
 * ```ts
 * import { clipFactor, cpu, tensor } from "@tilework/tilework";
 *
 * using sums = tensor(cpu, [2], [9, 16], { dtype: "f64" });
 * const { norm, factor } = clipFactor(sums, 2.5);
 * console.log(norm.itemSync(), factor.itemSync()); // 5 0.5
 * ```
 *
 * @param sums as `sumOfSquares` writes them with `into`
 */
export function clipFactor(sums: Tensor<"f64", [number]>, limit: number): ClipFactor {
  const op = "clipFactor";
  const s = sums as Tensor;
  checkFloat(op, "sums", s);
  if (s.dtype !== "f64") throw new TypeError(`${op}: sums is ${s.dtype}, must be f64`);
  if (s.rank !== 1) throw new RangeError(`${op}: sums is ${formatShape(s.shape)}, must have one axis`);
  if (typeof limit !== "number") throw new TypeError(`${op}: limit must be a number, got ${formatValue(limit)}`);
  if (!(limit >= 0)) throw new RangeError(`${op}: limit must be 0 or more, got ${formatValue(limit)}`);
  checkNotRecording(op);
  const norm = allocate<"f32", []>(op, s.device, "f32", []);
  const factor = allocate<"f32", []>(op, s.device, "f32", []);
  check(op, native.tw_clip_factor(s.device.handle, norm.handle, factor.handle, s.handle, limit));
  return { norm, factor };
}

/**
 * Multiplies `x` in place by a factor that is a tensor of one element. A factor of exactly 1 touches nothing.
 *
 * ```ts
 * import { cpu, scaleBy, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 2]);
 * using half = tensor(cpu, [], [0.5]);
 * scaleBy(x, half);
 * console.log(x.readSync()); // Float32Array [0.5, 1]
 * ```
 */
export function scaleBy<D extends Float, S extends Shape>(x: Tensor<D, S>, factor: Tensor<NoInfer<D>, []>): void {
  const op = "scaleBy";
  const t: Tensor<DType> = x as Tensor, f = factor as Tensor;
  checkFloat(op, "x", t);
  checkLike(op, "factor", f, "x", t);
  checkDevice(op, "factor", f, "x", t);
  if (f.size !== 1) throw new RangeError(`${op}: factor is ${formatShape(f.shape)}, must have one element`);
  checkNotRecording(op);
  changes(t);
  check(op, native.tw_scale_by(t.device.handle, t.handle, t.handle, f.handle));
}

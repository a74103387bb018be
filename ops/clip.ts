/** The two halves of clipping by a global norm: norm and factor of many tensors, and their product in place with a factor that only the device knows. */

import { RangeError, TypeError } from "../core/errors.ts";
import { check, checkFloat, checkLike, checkNotRecording } from "../core/op.ts";
import type { Float } from "../core/dtype.ts";
import { checkColumns, inPlace } from "../core/list.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import { allocate, changes, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** A global norm, and what to multiply gradients by. */
export interface ClipFactor<D extends Float = "f32"> {
  /** The root of the sum of all squares. */
  norm: Tensor<D, []>;
  /** limit / norm where the norm is finite and above the limit, else 1. */
  factor: Tensor<D, []>;
}

/**
 * The global norm of tensors, the root of the sum of all their squares, and the factor that brings it down to `limit`: limit / norm where the norm is
 * finite and above the limit, else 1. So a norm that is NaN or infinite leaves gradients as they are, and the caller sees it. One call; squares of f32 are
 * added in f64, in an order that sizes alone decide.
 *
 * Throws a RangeError for a limit below 0 or NaN, a TypeError for a list without tensors, a mix of element types or a disposed tensor.
 *
 * ```ts
 * import { clipFactor, cpu, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [1], [3]), b = tensor(cpu, [2], [0, 4]);
 * const { norm, factor } = clipFactor([a, b], 2.5);
 * console.log(norm.itemSync(), factor.itemSync()); // 5 0.5
 * ```
 */
export function clipFactor<D extends Float>(gradients: readonly Tensor<D>[], limit: number): ClipFactor<D> {
  const op = "clipFactor";
  checkColumns(op, [["gradients", gradients as readonly Tensor[]]]);
  const first = gradients[0];
  if (first === undefined) throw new TypeError(`${op}: gradients hold no tensor`);
  if (typeof limit !== "number") throw new TypeError(`${op}: limit must be a number, got ${formatValue(limit)}`);
  if (!(limit >= 0)) throw new RangeError(`${op}: limit must be 0 or more, got ${formatValue(limit)}`);
  checkNotRecording(op);
  const norm = allocate<D, []>(op, first.device, first.dtype, []);
  const factor = allocate<D, []>(op, first.device, first.dtype, []);
  const handles = Uint32Array.from(gradients, (x) => x.handle);
  check(op, native.tw_clip_factor(first.device.handle, norm.handle, factor.handle, handles, handles.length, limit));
  return { norm, factor };
}

/**
 * Multiplies tensors in place by a factor that is a tensor of one element, in one call for all contiguous ones. A factor of exactly 1 touches nothing.
 *
 * Throws a RangeError for a factor of more elements, a TypeError for a mix of element types, a disposed tensor, or tensors that overlap.
 *
 * ```ts
 * import { cpu, scaleBy, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 2]);
 * using half = tensor(cpu, [], [0.5]);
 * scaleBy([x], half);
 * console.log(x.readSync()); // Float32Array [0.5, 1]
 * ```
 */
export function scaleBy<D extends Float>(x: readonly Tensor<D>[], factor: Tensor<NoInfer<D>, []>): void {
  const op = "scaleBy";
  checkColumns(op, [["x", x as readonly Tensor[]]]);
  const f: Tensor = factor as Tensor;
  checkFloat(op, "factor", f);
  if (x.length > 0) checkLike(op, "factor", f, "x[0]", x[0] as Tensor);
  if (f.size !== 1) throw new RangeError(`${op}: factor is ${formatShape(f.shape)}, must have one element`);
  const list = x as readonly Tensor[];
  inPlace(
    op,
    [["x", list.filter((t) => t.isContiguous)]],
    1,
    [],
    (device, words, count) => native.tw_scale_by(device.handle, words, count, f.handle),
  );
  for (const view of list) {
    if (view.isContiguous) continue;
    changes(view);
    check(op, native.tw_scale_by(view.device.handle, Uint32Array.of(view.handle), 1, f.handle));
  }
}

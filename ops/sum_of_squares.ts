/** Sum of squares, for gradient norms. */

import { check, checkDevice, checkFloat, checkNotRecording, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import type { DType, Float } from "../core/dtype.ts";
import { checkSize, formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, changes, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** A place in a vector: the sums of many tensors side by side. */
export interface PlaceInVector {
  /** The vector that takes the result, f32 or f64. */
  into: Tensor<Float, [number]>;
  /** Where in it. */
  at: number;
}

/**
 * Sum of squares of all elements: `out = Σ x²`. Squares of f32 are added in f64 and rounded once, in an order that sizes alone decide. With `into` and
 * `at` the result becomes one element of a vector, and nothing is returned.
 *
 * Throws a TypeError for other element types than f32 and f64 or a disposed tensor, a RangeError for a place outside `into`.
 *
 * ```ts
 * import { cpu, sumOfSquares, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [3, 4]);
 * using s = sumOfSquares(x);
 * console.log(Math.sqrt(s.itemSync())); // 5
 * ```
 */
export function sumOfSquares<D extends Float>(x: Tensor<D>, options?: Out<NoInfer<D>, []>): Tensor<D, []>;
/** The sum of squares, written to a place in a vector. */
export function sumOfSquares<D extends Float>(x: Tensor<D>, place: PlaceInVector): void;
export function sumOfSquares(x: Tensor, options: { out?: Tensor | undefined } | PlaceInVector = {}): Tensor | void {
  checkFloat(op, "x", x);
  if ("into" in options) return placed(x, options.into as Tensor, options.at);
  const out: Tensor = output(op, x, x.dtype, [], options.out);
  check(op, native.tw_sum_of_squares(x.device.handle, out.handle, x.handle, 0));
  if (recording(x)) {
    // dx = 2 · dy · x
    record(op, [x], [out], [x], ([dy], [x]) => {
      const dx = allocate<DType, Shape>(op, x!.device, x!.dtype, x!.shape) as Tensor;
      check(op, native.tw_mul(x!.device.handle, dx.handle, x!.handle, dy!.handle));
      check(op, native.tw_scale(x!.device.handle, dx.handle, dx.handle, 2));
      return [dx];
    });
  }
  return out;
}

const op = "sumOfSquares";

function placed(x: Tensor, into: Tensor, at: number): void {
  checkFloat(op, "into", into);
  checkDevice(op, "into", into, "x", x);
  if (into.rank !== 1) throw new RangeError(`${op}: into is ${formatShape(into.shape)}, must have one axis`);
  checkSize(op, "at", at, 0, into.shape[0]! - 1);
  checkNotRecording(op);
  changes(into);
  check(op, native.tw_sum_of_squares(x.device.handle, into.handle, x.handle, at));
}

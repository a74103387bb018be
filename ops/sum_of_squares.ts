/** Sum of squares, for gradient norms. */

import { check, checkFloat, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { DType, Float } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * Sum of squares of all elements: `out = Σ x²`. Squares of f32 are added in f64 and rounded once, in an order that sizes alone decide. A GPU
 * adds f32 with what its roundings lose beside it, about as exact. A sum beyond the largest number of its type, as that of an element of 1e20 in f32, is
 * Infinity, and one below the smallest is 0: for norms take `clipFactor`, which scales.
 *
 * Throws a TypeError for other element types than f32 and f64 or a disposed tensor. `clipFactor` gives the norm of many tensors in one call.
 *
 * ```ts
 * import { cpu, sumOfSquares, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [3, 4]);
 * using s = sumOfSquares(x);
 * console.log(Math.sqrt(s.itemSync())); // 5
 * ```
 */
export function sumOfSquares<D extends Float>(x: Tensor<D>, options?: Out<NoInfer<D>, []>): Tensor<D, []> {
  return summed(x as Tensor, outOf("sumOfSquares", options) as Tensor | undefined) as Tensor<D, []>; // x's own dtype
}

function summed(x: Tensor, into: Tensor | undefined): Tensor {
  const op = "sumOfSquares";
  checkFloat(op, "x", x);
  const out: Tensor = output(op, x, x.dtype, [], into);
  check(op, native.tw_sum_of_squares(x.device.handle, out.handle, x.handle));
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

/** Conversion of element types. */

import { check, checkTensor, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import { type DType, isFloat } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import { checkDType, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * A copy in another element type.
 *
 * - To f32 or f64: rounded to nearest, ties to even.
 * - To i32 or u32: truncated towards zero, then clamped to the range; NaN becomes 0. So -1 as u32 is 0.
 *
 * Gradients flow between f32 and f64; an integer is a constant.
 *
 * Throws a TypeError for a disposed tensor or an unknown element type, a RangeError for an `out` of another shape.
 *
 * ```ts
 * import { cast, cpu, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [4], [1.9, -1.9, 1e10, NaN]);
 * using y = cast(x, "i32");
 * console.log(y.readSync()); // Int32Array [1, -1, 2147483647, 0]
 * ```
 */
export function cast<S extends Shape, D extends DType>(x: Tensor<DType, S>, dtype: D, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return converted(x as Tensor, dtype, outOf("cast", options) as Tensor | undefined) as unknown as Tensor<D, S>; // x's own shape
}

function converted(x: Tensor, dtype: DType, into: Tensor | undefined): Tensor {
  const op = "cast";
  checkTensor(op, "x", x);
  checkDType(op, dtype);
  const out: Tensor = output(op, x, dtype, x.shape, into);
  check(op, native.tw_copy(x.device.handle, out.handle, x.handle));
  if (isFloat(dtype) && recording(x)) {
    const from = x.dtype;
    record(op, [x], [out], [], ([dy]) => [converted(dy!, from, undefined)]);
  }
  return out;
}

/** Copies. */

import { check, checkTensor, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { DType } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * A contiguous copy: `out = x`, whatever the strides of `x`. With `out` the elements go into that tensor, which may be a view of a part of another one.
 *
 * Throws a TypeError for a disposed tensor or an `out` that overlaps `x` in part, a RangeError for an `out` of another shape.
 *
 * ```ts
 * import { copy, cpu, tensor, transpose } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
 * using turned = transpose(x); // shares the memory of x
 * using y = copy(turned);
 * console.log(turned.isContiguous, y.isContiguous, y.readSync()); // false true Float32Array [1, 3, 2, 4]
 * ```
 */
export function copy<D extends DType, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return copied(x as Tensor, outOf("copy", options) as Tensor | undefined) as unknown as Tensor<D, S>; // x's own dtype and shape
}

function copied(x: Tensor, into: Tensor | undefined): Tensor {
  const op = "copy";
  checkTensor(op, "x", x);
  const out: Tensor = output(op, x, x.dtype, x.shape, into);
  check(op, native.tw_copy(x.device.handle, out.handle, x.handle));
  if (recording(x)) record(op, [x], [out], [], ([dy]) => [dy!]);
  return out;
}

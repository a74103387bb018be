/** Another shape for the same elements. */

import { asContiguous, checkTensor, record, recording } from "../core/op.ts";
import type { DType } from "../core/dtype.ts";
import { checkReshape, checkShape, contiguousStrides, viewReshape } from "../core/shape.ts";
import type { NoReshape, Shape, Unless } from "../core/shape.ts";
import type { SameCount } from "../core/shape_count.ts";
import { type Tensor, view } from "../core/tensor.ts";

/**
 * The same elements, row-major, under another shape. A view of the same memory if strides allow it, which they always do for a contiguous tensor;
 * else a view of a contiguous copy.
 *
 * Throws a RangeError where the shapes hold different numbers of elements, a TypeError for a disposed tensor.
 *
 * ```ts
 * import { cpu, reshape, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using y = reshape(x, [3, 2]);
 * console.log(y.shape, y.readSync()); // [3, 2] Float32Array [1, 2, 3, 4, 5, 6]
 * ```
 */
export function reshape<D extends DType, S extends Shape, const T extends Shape>(
  x: Tensor<D, S>,
  shape: SameCount<S, T> extends true ? readonly [...T] : Unless<S, T, readonly [...T], NoReshape<S, T>>,
): Tensor<D, T> {
  return reshaped(x as Tensor, checkShape("reshape", "shape", shape)) as unknown as Tensor<D, T>; // the counts are compared below
}

/** `reshape` on tensors of any shape. @internal */
export function reshaped(x: Tensor, shape: Shape): Tensor {
  const op = "reshape";
  checkTensor(op, "x", x);
  checkReshape(x.shape, shape);
  const strides = viewReshape(x.shape, x.strides, shape);
  const base = strides === null ? asContiguous(op, x) : x;
  const out = view<DType, Shape>(base, shape, strides ?? contiguousStrides(shape), base.offset) as Tensor;
  if (base !== x) base.dispose();
  if (recording(x)) {
    const before = x.shape;
    record(op, [x], [out], [], ([dy]) => [reshaped(dy!, before)]);
  }
  return out;
}

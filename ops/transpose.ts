/** Another order of axes for the same elements. */

import { checkTensor, record, recording } from "../core/op.ts";
import type { DType } from "../core/dtype.ts";
import { checkAxes } from "../core/shape.ts";
import type { NoTranspose, Permuted, Ranked, Ranking, Shape, Transposed, Unless } from "../core/shape.ts";
import { type Tensor, view } from "../core/tensor.ts";

/**
 * A view with the last two axes exchanged, or with all axes in the order that is given: axis i of the result is axis `axes[i]` of `x`. Shares memory,
 * copies nothing.
 *
 * Throws a RangeError for a list that is not an order of the axes, or for fewer than two axes without a list; a TypeError for a disposed tensor.
 *
 * ```ts
 * import { cpu, tensor, transpose } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using y = transpose(x);
 * console.log(y.shape, y.readSync()); // [3, 2] Float32Array [1, 4, 2, 5, 3, 6]
 * ```
 */
export function transpose<D extends DType, S extends Shape>(x: Tensor<D, S>): Tensor<D, Transposed<S>>;
/** A view with the axes in another order. */
export function transpose<D extends DType, S extends Shape, const P extends Shape>(
  x: Tensor<D, S>,
  axes: Ranked<S, P> extends Ranking<P> ? readonly [...P] : Unless<S, P, readonly [...P], NoTranspose<S, P>>,
): Tensor<D, Permuted<S, P>>;
export function transpose(x: Tensor, axes?: readonly number[]): Tensor {
  checkTensor("transpose", "x", x);
  return permuted(x, checkAxes("transpose", x.shape, axes));
}

function permuted(x: Tensor, order: readonly number[]): Tensor {
  const out = view<DType, Shape>(x, order.map((axis) => x.shape[axis]!), order.map((axis) => x.strides[axis]!), x.offset) as Tensor;
  if (recording(x)) {
    const inverse = new Array<number>(order.length);
    order.forEach((axis, i) => inverse[axis] = i);
    record("transpose", [x], [out], [], ([dy]) => [permuted(dy!, inverse)]);
  }
  return out;
}

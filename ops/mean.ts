/** Means. */

import { checkFloat } from "../core/op.ts";
import { checkOptions } from "../core/options.ts";
import type { Float } from "../core/dtype.ts";
import type { AxisGuard, Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { type AnyReduceOptions, reduce, type Reduced, reduceNames, type ReduceOptions } from "./sum.ts";

/**
 * Mean over one axis, or over all elements: `out = Σ x / n`. Summed as `sum` does, divided in f64 and rounded once; without terms it is NaN.
 *
 * Throws a RangeError for an axis that does not exist or an `out` of another shape, a TypeError for other element types than f32 and f64, a disposed
 * tensor, or an `out` that is not contiguous or overlaps `x`.
 *
 * ```ts
 * import { cpu, mean, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using columns = mean(x, { axis: 0, keepDims: true });
 * console.log(columns.shape, columns.readSync()); // [1, 3] Float32Array [2.5, 3.5, 4.5]
 * ```
 */
export function mean<D extends Float, S extends Shape, const X extends number, K extends boolean = false>(
  x: Tensor<D, S>,
  options: ReduceOptions<NoInfer<D>, S, X, K> & AxisGuard<"mean", S, X>,
): Tensor<D, Reduced<S, X, K>>;
/** The mean of all elements. */
export function mean<D extends Float, S extends Shape>(x: Tensor<D, S>): Tensor<D, []>;
export function mean(x: Tensor, options: AnyReduceOptions = {}): Tensor {
  checkOptions("mean", options, reduceNames);
  checkFloat("mean", "x", x);
  return reduce("mean", x, options, true);
}

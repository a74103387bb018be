/** ReLU. */

import { activate, activateBackward } from "../core/activation.ts";
import type { Float } from "../core/dtype.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";

/**
 * Rectified linear unit of each element: `y = max(x, 0)`. NaN stays NaN. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, relu, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-1, 0, 2]);
 * using y = relu(x);
 * console.log(y.readSync()); // Float32Array [0, 0, 2]
 * ```
 *
 * @param x any shape
 * @returns the shape of `x`
 */
export function relu<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return activate("relu", "relu", x as Tensor, outOf("relu", options) as Tensor | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

/**
 * Gradient of `relu`: `dx = dy` if x > 0 or NaN, and 0 if x ≤ 0, whatever `dy` holds. So it is 0 at 0, and behind a NaN, which `relu` lets through, the
 * gradient flows on. `out` may be `dy` or `x` itself.
 *
 * ```ts
 * import { cpu, reluBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-1, 0, 2]);
 * using dy = tensor(cpu, [3], [1, 2, 3]);
 * using dx = reluBackward(x, dy);
 * console.log(dx.readSync()); // Float32Array [0, 0, 3]
 * ```
 *
 * @param x as in the forward call
 * @param dy the gradient of the output, of the shape of `x`
 */
export function reluBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<Out<D, S>>,
): Tensor<D, S> {
  return activateBackward(
    "reluBackward",
    "relu",
    x as Tensor,
    dy as Tensor,
    outOf("reluBackward", options) as Tensor | undefined,
  ) as unknown as Tensor<D, S>; // as above
}

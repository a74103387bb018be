/** The logistic function. */

import { activate, activateBackward } from "../core/activation.ts";
import type { Float } from "../core/dtype.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";

/**
 * Logistic function of each element: `y = 1/(1 + e^-x)`. Small results are accurate in relation to themselves; NaN stays NaN. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, sigmoid, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-Infinity, 0, Infinity]);
 * using y = sigmoid(x);
 * console.log(y.readSync()); // Float32Array [0, 0.5, 1]
 * ```
 *
 * @param x any shape
 * @returns the shape of `x`
 */
export function sigmoid<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return activate("sigmoid", "sigmoid", x as Tensor, outOf("sigmoid", options) as Tensor | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

/**
 * Gradient of `sigmoid`: `dx = dy·y·(1 − y)`, from x and with its relative accuracy kept where y is near 1. `out` may be `dy` or `x` itself.
 *
 * ```ts
 * import { cpu, sigmoidBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-Infinity, 0, Infinity]);
 * using dy = tensor(cpu, [3], [1, 2, 3]);
 * using dx = sigmoidBackward(x, dy);
 * console.log(dx.readSync()); // Float32Array [0, 0.5, 0]
 * ```
 *
 * @param x as in the forward call
 * @param dy the gradient of the output, of the shape of `x`
 */
export function sigmoidBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<Out<D, S>>,
): Tensor<D, S> {
  return activateBackward(
    "sigmoidBackward",
    "sigmoid",
    x as Tensor,
    dy as Tensor,
    outOf("sigmoidBackward", options) as Tensor | undefined,
  ) as unknown as Tensor<
    D,
    S
  >; // as above
}

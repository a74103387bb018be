/** Hyperbolic tangent. */

import { activate, activateBackward } from "../core/activation.ts";
import type { Float } from "../core/dtype.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";

/**
 * Hyperbolic tangent of each element. NaN stays NaN. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, tanh, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-Infinity, 0, Infinity]);
 * using y = tanh(x);
 * console.log(y.readSync()); // Float32Array [-1, 0, 1]
 * ```
 *
 * @param x any shape
 * @returns the shape of `x`
 */
export function tanh<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return activate("tanh", "tanh", x as Tensor, outOf("tanh", options) as Tensor | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

/**
 * Gradient of `tanh`: `dx = dy·(1 − y²)`, from x and with its relative accuracy kept where y is near ±1. `out` may be `dy` or `x` itself.
 *
 * ```ts
 * import { cpu, tanhBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-Infinity, 0, Infinity]);
 * using dy = tensor(cpu, [3], [1, 2, 3]);
 * using dx = tanhBackward(x, dy);
 * console.log(dx.readSync()); // Float32Array [0, 2, 0]
 * ```
 *
 * @param x as in the forward call
 * @param dy the gradient of the output, of the shape of `x`
 */
export function tanhBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<Out<D, S>>,
): Tensor<D, S> {
  return activateBackward(
    "tanhBackward",
    "tanh",
    x as Tensor,
    dy as Tensor,
    outOf("tanhBackward", options) as Tensor | undefined,
  ) as unknown as Tensor<
    D,
    S
  >; // as above
}

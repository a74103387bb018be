/** GELU. */

import { activate, activateBackward, geluForm } from "../core/activation.ts";
import type { Float } from "../core/dtype.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";

/** Options of `gelu`. */
export interface GeluOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** `"none"`, the default, is exact by erf; `"tanh"` the form that some published models were trained with. */
  approximate?: "none" | "tanh";
}

const names = optionNames<GeluOptions<Float, Shape>>({ out: true, approximate: true });

/**
 * Gaussian error linear unit of each element: `y = x·Φ(x)`, with Φ the normal distribution function (Hendrycks and Gimpel, "Gaussian error linear
 * units", 2016). Exact by erf, unless `approximate: "tanh"` asks for `½x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))`.
 *
 * Small results of negative x are accurate in relation to themselves. -Infinity gives 0, +Infinity itself, NaN NaN. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, gelu, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 50]);
 * using y = gelu(x);
 * console.log(y.readSync()); // Float32Array [0.8413447141647339, 50]
 * ```
 *
 * @param x any shape
 * @returns the shape of `x`
 */
export function gelu<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<GeluOptions<D, S>>): Tensor<D, S> {
  checkOptions("gelu", options, names);
  const form = geluForm("gelu", options?.approximate);
  return activate("gelu", form, x as Tensor, options?.out as Tensor | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

/**
 * Gradient of `gelu`: `dx = dy·(Φ(x) + x·φ(x))`, with φ the normal density, or that of the tanh form. `out` may be `dy` or `x` itself.
 *
 * ```ts
 * import { cpu, geluBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [0, 50]);
 * using dy = tensor(cpu, [2], [1, 3]);
 * using dx = geluBackward(x, dy);
 * console.log(dx.readSync()); // Float32Array [0.5, 3]
 * ```
 *
 * @param x as in the forward call
 * @param dy the gradient of the output, of the shape of `x`
 */
export function geluBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<GeluOptions<D, S>>,
): Tensor<D, S> {
  checkOptions("geluBackward", options, names);
  const form = geluForm("geluBackward", options?.approximate);
  return activateBackward("geluBackward", form, x as Tensor, dy as Tensor, options?.out as Tensor | undefined) as unknown as Tensor<D, S>; // as above
}

/** SiLU. */

import { activate, activateBackward } from "../core/activation.ts";
import type { Float } from "../core/dtype.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";

/**
 * Sigmoid linear unit of each element, also called swish: `y = x·σ(x) = x/(1 + e^-x)`. 0 for -Infinity, NaN for NaN. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, silu, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [-Infinity, 0, 100]);
 * using y = silu(x);
 * console.log(y.readSync().map(Math.abs)); // Float32Array [0, 0, 100]
 * ```
 *
 * @param x any shape
 * @returns the shape of `x`
 */
export function silu<D extends Float, S extends Shape>(x: Tensor<D, S>, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return activate("silu", "silu", x as Tensor, outOf("silu", options) as Tensor | undefined) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

/**
 * Gradient of `silu`: `dx = dy·s·(1 + x·(1 − s))` with `s = σ(x)`. `out` may be `dy` or `x` itself.
 *
 * ```ts
 * import { cpu, siluBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [0, 100]);
 * using dy = tensor(cpu, [2], [1, 3]);
 * using dx = siluBackward(x, dy);
 * console.log(dx.readSync()); // Float32Array [0.5, 3]
 * ```
 *
 * @param x as in the forward call
 * @param dy the gradient of the output, of the shape of `x`
 */
export function siluBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  dy: NoInfer<Tensor<D, S>>,
  options?: NoInfer<Out<D, S>>,
): Tensor<D, S> {
  return activateBackward(
    "siluBackward",
    "silu",
    x as Tensor,
    dy as Tensor,
    outOf("siluBackward", options) as Tensor | undefined,
  ) as unknown as Tensor<D, S>; // as above
}

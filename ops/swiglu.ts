/** SwiGLU. */

import type { Float } from "../core/dtype.ts";
import { activateGated, activateGatedBackward } from "../core/gated_activation.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";

/**
 * Gated linear unit with SiLU: `y = gate·sigmoid(gate)·up`, element by element (Shazeer, "GLU variants improve transformer", 2020). The first argument is
 * the one that goes through SiLU.
 *
 * Both may be views, such as the column halves that `split` gives of one product. `out` may be `gate` or `up` itself.
 *
 * Throws a RangeError where shapes differ, a TypeError for other element types than f32 and f64, a mix of them, a disposed tensor, or an `out` that
 * overlaps an input.
 *
 * ```ts
 * import { cpu, swiglu, tensor } from "@tilework/tilework";
 *
 * using gate = tensor(cpu, [2], [0, 50]);
 * using up = tensor(cpu, [2], [3, 4]);
 * using y = swiglu(gate, up);
 * console.log(y.readSync()); // Float32Array [0, 200]
 * ```
 *
 * @param gate any shape
 * @param up the shape of `gate`
 * @returns the shape of `gate`
 */
export function swiglu<D extends Float, S extends Shape>(
  gate: Tensor<D, S>,
  up: NoInfer<Tensor<D, S>>,
  options?: NoInfer<Out<D, S>>,
): Tensor<D, S> {
  const out = outOf("swiglu", options) as Tensor | undefined;
  return activateGated("swiglu", "silu", gate as Tensor, up as Tensor, out) as unknown as Tensor<D, S>; // of gate's own dtype and shape
}

/** The gradients of `swiglu`. */
export interface SwigluGradients<D extends Float, S extends Shape> {
  /** `dy·up·silu'(gate)`. */
  gate: Tensor<D, S>;
  /** `dy·silu(gate)`. */
  up: Tensor<D, S>;
}

/**
 * Gradients of `swiglu`: with `s = sigmoid(gate)`, `dgate = dy·up·s·(1 + gate·(1 − s))` and `dup = dy·gate·s`.
 *
 * ```ts
 * import { cpu, swigluBackward, tensor } from "@tilework/tilework";
 *
 * using gate = tensor(cpu, [2], [0, 50]);
 * using up = tensor(cpu, [2], [3, 4]);
 * using dy = tensor(cpu, [2], [1, 1]);
 * const g = swigluBackward(gate, up, dy);
 * console.log(g.gate.readSync(), g.up.readSync()); // Float32Array [1.5, 4] Float32Array [0, 50]
 * ```
 *
 * @param gate as in the forward call
 * @param up as in the forward call
 * @param dy the gradient of the output, of the shape of `gate`
 */
export function swigluBackward<D extends Float, S extends Shape>(
  gate: Tensor<D, S>,
  up: NoInfer<Tensor<D, S>>,
  dy: NoInfer<Tensor<D, S>>,
): SwigluGradients<D, S> {
  return activateGatedBackward("swigluBackward", "silu", gate as Tensor, up as Tensor, dy as Tensor) as unknown as SwigluGradients<D, S>; // of gate's own shape
}

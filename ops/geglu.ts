/** GEGLU. */

import { geluForm } from "../core/activation.ts";
import type { Float } from "../core/dtype.ts";
import { activateGated, activateGatedBackward } from "../core/gated_activation.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { GeluOptions } from "./gelu.ts";

const names = optionNames<GeluOptions<Float, Shape>>({ out: true, approximate: true });
const backwardNames = optionNames<Omit<GeluOptions<Float, Shape>, "out">>({ approximate: true });

/**
 * Gated linear unit with GELU: `y = gelu(gate)·up`, element by element (Shazeer, "GLU variants improve transformer", 2020). The first argument is the
 * one that goes through GELU, exact by erf unless `approximate: "tanh"`.
 *
 * Both may be views, such as the column halves that `split` gives of one product. `out` may be `gate` or `up` itself.
 *
 * Throws a RangeError where shapes differ, a TypeError for other element types than f32 and f64, a mix of them, a disposed tensor, or an `out` that
 * overlaps an input.
 *
 * ```ts
 * import { cpu, geglu, tensor } from "@tilework/tilework";
 *
 * using gate = tensor(cpu, [2], [0, 50]);
 * using up = tensor(cpu, [2], [3, 4]);
 * using y = geglu(gate, up);
 * console.log(y.readSync()); // Float32Array [0, 200]
 * ```
 *
 * @param gate any shape
 * @param up the shape of `gate`
 * @returns the shape of `gate`
 */
export function geglu<D extends Float, S extends Shape>(
  gate: Tensor<D, S>,
  up: NoInfer<Tensor<D, S>>,
  options?: NoInfer<GeluOptions<D, S>>,
): Tensor<D, S> {
  checkOptions("geglu", options, names);
  const form = geluForm("geglu", options?.approximate);
  const out = options?.out as Tensor | undefined;
  return activateGated("geglu", form, gate as Tensor, up as Tensor, out) as unknown as Tensor<D, S>; // of gate's own dtype and shape
}

/** The gradients of `geglu`. */
export interface GegluGradients<D extends Float, S extends Shape> {
  /** `dy·up·gelu'(gate)`. */
  gate: Tensor<D, S>;
  /** `dy·gelu(gate)`. */
  up: Tensor<D, S>;
}

/**
 * Gradients of `geglu`: `dgate = dy·up·(Φ(gate) + gate·φ(gate))`, or with the slope of the tanh form, and `dup = dy·gelu(gate)`.
 *
 * ```ts
 * import { cpu, gegluBackward, tensor } from "@tilework/tilework";
 *
 * using gate = tensor(cpu, [2], [0, 50]);
 * using up = tensor(cpu, [2], [3, 4]);
 * using dy = tensor(cpu, [2], [1, 1]);
 * const g = gegluBackward(gate, up, dy);
 * console.log(g.gate.readSync(), g.up.readSync()); // Float32Array [1.5, 4] Float32Array [0, 50]
 * ```
 *
 * @param gate as in the forward call
 * @param up as in the forward call
 * @param dy the gradient of the output, of the shape of `gate`
 */
export function gegluBackward<D extends Float, S extends Shape>(
  gate: Tensor<D, S>,
  up: NoInfer<Tensor<D, S>>,
  dy: NoInfer<Tensor<D, S>>,
  options?: { approximate?: "none" | "tanh" },
): GegluGradients<D, S> {
  checkOptions("gegluBackward", options, backwardNames);
  const form = geluForm("gegluBackward", options?.approximate);
  return activateGatedBackward("gegluBackward", form, gate as Tensor, up as Tensor, dy as Tensor) as unknown as GegluGradients<D, S>; // of gate's own shape
}

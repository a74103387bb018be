/** Product with a number. */

import { check, checkFloat, checkNumber, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { Float } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * Product with a number: `out = factor · x`. The factor is rounded to the element type first. `out` may be `x` itself.
 *
 * Throws a TypeError for other element types than f32 and f64, a disposed tensor, a factor that is no number, or an `out` that overlaps `x` in part.
 *
 * ```ts
 * import { cpu, scale, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [1, 2, 3]);
 * using y = scale(x, 0.5);
 * console.log(y.readSync()); // Float32Array [0.5, 1, 1.5]
 * ```
 */
export function scale<D extends Float, S extends Shape>(x: Tensor<D, S>, factor: number, options?: NoInfer<Out<D, S>>): Tensor<D, S> {
  return scaled(x as Tensor, factor, outOf("scale", options) as Tensor | undefined) as unknown as Tensor<D, S>; // x's own dtype and shape
}

function scaled(x: Tensor, factor: number, into: Tensor | undefined): Tensor {
  const op = "scale";
  checkFloat(op, "x", x);
  checkNumber(op, "factor", factor);
  const out: Tensor = output(op, x, x.dtype, x.shape, into);
  check(op, native.tw_scale(x.device.handle, out.handle, x.handle, factor));
  if (recording(x)) record(op, [x], [out], [], ([dy]) => [scaled(dy!, factor, undefined)]);
  return out;
}

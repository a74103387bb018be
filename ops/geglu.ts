/** GEGLU. */

import { geluForm } from "../core/activation.ts";
import { allocateBeside } from "../core/beside.ts";
import type { Float } from "../core/dtype.ts";
import { asRows, check, checkFloat, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "../core/op.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import type { GeluOptions } from "./gelu.ts";

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
  return forward("geglu", gate as Tensor, up as Tensor, options as AnyOptions | undefined) as unknown as Tensor<D, S>; // of gate's own dtype and shape
}

interface AnyOptions {
  approximate?: "none" | "tanh";
  out?: Tensor | undefined;
}

function checkGeglu(op: string, gate: Tensor, up: Tensor, approximate: unknown): number {
  checkFloat(op, "gate", gate);
  checkLike(op, "up", up, "gate", gate);
  checkShapeIs(op, "up", up, gate.shape);
  return geluForm(op, approximate) === "geluTanh" ? 1 : 0;
}

function forward(op: string, gate: Tensor, up: Tensor, options: AnyOptions = {}): Tensor {
  const flags = checkGeglu(op, gate, up, options.approximate);
  const out = output(op, gate, gate.dtype, gate.shape, options.out) as Tensor;
  const g = asRows(op, gate), u = asRows(op, up);
  check(op, native.tw_geglu(gate.device.handle, out.handle, g.handle, u.handle, flags));
  if (g !== gate) g.dispose();
  if (u !== up) u.dispose();
  if (recording(gate, up)) {
    record(op, [gate, up], [out], [gate, up], ([dy], [gate, up]) => {
      const g = gradients("gegluBackward", gate!, up!, dy!, flags);
      return [g.gate, g.up];
    });
  }
  return out;
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
  return backward("gegluBackward", gate as Tensor, up as Tensor, dy as Tensor, options) as unknown as GegluGradients<D, S>; // of gate's own shape
}

function backward(op: string, gate: Tensor, up: Tensor, dy: Tensor, options: AnyOptions = {}): { gate: Tensor; up: Tensor } {
  const flags = checkGeglu(op, gate, up, options.approximate);
  checkLike(op, "dy", dy, "gate", gate);
  checkShapeIs(op, "dy", dy, gate.shape);
  checkNotRecording(op);
  return gradients(op, gate, up, dy, flags);
}

function gradients(op: string, gate: Tensor, up: Tensor, dy: Tensor, flags: number): { gate: Tensor; up: Tensor } {
  const [dgate, dup] = allocateBeside(op, [gate, up]) as [Tensor, Tensor]; // one for each
  const g = asRows(op, gate), u = asRows(op, up), d = asRows(op, dy);
  check(op, native.tw_geglu_backward(gate.device.handle, dgate.handle, dup.handle, d.handle, g.handle, u.handle, flags));
  if (g !== gate) g.dispose();
  if (u !== up) u.dispose();
  if (d !== dy) d.dispose();
  return { gate: dgate, up: dup };
}

/** One step of AdamW on one tensor. */

import { asContiguous, check, checkDevice, checkFloat, checkLike, checkNotRecording, checkShapeIs } from "../core/op.ts";
import type { Float } from "../core/dtype.ts";
import { formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { changes, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * One step of AdamW in one pass, in place on `w`, `m` and `v` (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019):
 *
 *   g' = g · gradScale,   m ← β1 m + (1 − β1) g',   v ← β2 v + (1 − β2) g'²
 *   w ← w (1 − lr · decay) − lr · (m · c1) / (√(v · c2) + eps)
 *
 * where c1 = 1 / (1 − β1ᵗ) and c2 = 1 / (1 − β2ᵗ) correct the bias of step t, counting from 1. The scalars are a tensor, so that a captured program can
 * refresh them; in f64 they reach the kernel as they are, in f32 1 − β2 loses digits (1 − f32(0.999) is 1.3e-5 off).
 *
 * Throws a RangeError where shapes differ, a TypeError for a mix of element types, a disposed tensor, a `w`, `m` or `v` that is not contiguous, or
 * tensors that overlap. `adamW` steps whole trees.
 *
 * ```ts
 * import { adamWStep, cpu, tensor, zeros } from "@tilework/tilework";
 *
 * using w = tensor(cpu, [1], [1]);
 * using g = tensor(cpu, [1], [0.5]);
 * using m = zeros(cpu, [1]), v = zeros(cpu, [1]);
 * using scalars = tensor(cpu, [8], [0.01, 0.9, 0.999, 1e-8, 0, 1 / (1 - 0.9), 1 / (1 - 0.999), 1], { dtype: "f64" });
 * adamWStep(w, m, v, g, scalars);
 * console.log(w.itemSync().toFixed(4)); // 0.9900
 * ```
 *
 * @param scalars lr, β1, β2, eps, decay, c1, c2, gradScale
 */
export function adamWStep<D extends Float, S extends Shape>(
  w: Tensor<D, S>,
  m: NoInfer<Tensor<D, S>>,
  v: NoInfer<Tensor<D, S>>,
  g: NoInfer<Tensor<D, S>>,
  scalars: Tensor<Float, [8]>,
): void {
  step(w as Tensor, m as Tensor, v as Tensor, g as Tensor, scalars as Tensor);
}

function step(w: Tensor, m: Tensor, v: Tensor, g: Tensor, scalars: Tensor): void {
  const op = "adamWStep";
  checkFloat(op, "w", w);
  for (const [name, x] of [["m", m], ["v", v], ["g", g]] as const) {
    checkLike(op, name, x, "w", w);
    checkShapeIs(op, name, x, w.shape);
  }
  checkFloat(op, "scalars", scalars);
  checkDevice(op, "scalars", scalars, "w", w);
  if (scalars.rank !== 1 || scalars.shape[0] !== 8) throw new RangeError(`${op}: scalars is ${formatShape(scalars.shape)}, must be [8]`);
  checkNotRecording(op);
  for (const x of [w, m, v]) changes(x);
  const gradient = asContiguous(op, g);
  try {
    check(op, native.tw_adam_w(w.device.handle, w.handle, m.handle, v.handle, gradient.handle, scalars.handle));
  } finally {
    if (gradient !== g) gradient.dispose();
  }
}

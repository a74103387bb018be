/** One step of AdamW on many tensors. */

import type { Float } from "../core/dtype.ts";
import { checkColumns, checkScalars, decayFlags, decayNames, type DecayOptions, inPlace } from "../core/list.ts";
import { checkOptions } from "../core/options.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * One step of AdamW on many tensors, in one call and one pass over their memory, in place on each of `w`, `m` and `v` (Loshchilov and Hutter, "Decoupled
 * Weight Decay Regularization", 2019):
 *
 *   g' = g · gradScale,   m ← β1 m + (1 − β1) g',   v ← β2 v + (1 − β2) g'²
 *   w ← w (1 − lr · decay) − lr · (m · c1) / (√(v · c2) + eps)
 *
 * where a finite element of g' whose square overflows, which would make v infinite for ever, counts as 2⁶³ (in f64 2⁵¹¹) with its sign, and
 * c1 = 1 / (1 − β1ᵗ) and c2 = 1 / (1 − β2ᵗ) correct the bias of step t, counting from 1. Scalars in f64 reach the kernel as they are; in f32 1 − β2 loses
 * digits (1 − f32(0.999) is 1.3e-5 off).
 *
 * Throws a RangeError where shapes or lengths differ, a TypeError for a mix of element types, a disposed tensor, a `w`, `m` or `v` that is not contiguous,
 * or tensors that overlap; nothing has changed then. `adamW` steps whole trees.
 *
 * ```ts
 * import { adamWStep, cpu, tensor, zeros } from "@tilework/tilework";
 *
 * using w = tensor(cpu, [1], [1]);
 * using g = tensor(cpu, [1], [0.5]);
 * using m = zeros(cpu, [1]), v = zeros(cpu, [1]);
 * using scalars = tensor(cpu, [8], [0.01, 0.9, 0.999, 1e-8, 0, 1 / (1 - 0.9), 1 / (1 - 0.999), 1], { dtype: "f64" });
 * adamWStep([w], [m], [v], [g], scalars);
 * console.log(w.itemSync().toFixed(4)); // 0.9900
 * ```
 *
 * @param w the parameters
 * @param m their running means of gradients, and `v` those of squares
 * @param g their gradients
 * @param scalars lr, β1, β2, eps, decay, c1, c2, gradScale
 */
export function adamWStep<D extends Float>(
  w: readonly Tensor<D>[],
  m: readonly Tensor<NoInfer<D>>[],
  v: readonly Tensor<NoInfer<D>>[],
  g: readonly Tensor<NoInfer<D>>[],
  scalars: Tensor<Float, [8]>,
  options: DecayOptions = {},
): void {
  const op = "adamWStep";
  checkOptions(op, options, decayNames);
  const columns = [["w", w], ["m", m], ["v", v], ["g", g]] as const;
  checkColumns(op, columns);
  checkScalars(op, scalars as Tensor, 8, w[0]);
  const flags = decayFlags(op, options.decays, w.length);
  inPlace(op, columns, 3, flags, (device, words, count) => native.tw_adam_w(device.handle, words, count, scalars.handle));
}

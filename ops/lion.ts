/** One step of Lion on many tensors. */

import type { Float } from "../core/dtype.ts";
import { checkColumns, checkScalars, decayFlags, decayNames, type DecayOptions, inPlace } from "../core/list.ts";
import { checkOptions } from "../core/options.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * One step of Lion on many tensors, in one call and one pass over their memory, in place on each of `w` and `m` (Chen et al., "Symbolic Discovery of
 * Optimization Algorithms", 2023):
 *
 *   g' = g · gradScale
 *   w ← w (1 − lr · decay) − lr · sign(β1 m + (1 − β1) g'),   m ← β2 m + (1 − β2) g'
 *
 * where the sign of zero is zero and that of NaN is NaN.
 *
 * Throws a RangeError where shapes or lengths differ, a TypeError for a mix of element types, a disposed tensor, a `w` or `m` that is not contiguous, or
 * tensors that overlap; nothing has changed then. `lion` steps whole trees.
 *
 * ```ts
 * import { cpu, lionStep, tensor, zeros } from "@tilework/tilework";
 *
 * using w = tensor(cpu, [3], [1, 1, 1]), m = zeros(cpu, [3]);
 * using g = tensor(cpu, [3], [0.5, -3, 0]);
 * using scalars = tensor(cpu, [5], [0.25, 0.9, 0.99, 0, 1], { dtype: "f64" });
 * lionStep([w], [m], [g], scalars);
 * console.log(w.readSync()); // Float32Array [0.75, 1.25, 1]
 * ```
 *
 * @param w the parameters
 * @param m their running means of gradients
 * @param g their gradients
 * @param scalars lr, β1, β2, decay, gradScale
 */
export function lionStep<D extends Float>(
  w: readonly Tensor<D>[],
  m: readonly Tensor<NoInfer<D>>[],
  g: readonly Tensor<NoInfer<D>>[],
  scalars: Tensor<Float, [5]>,
  options: DecayOptions = {},
): void {
  const op = "lionStep";
  checkOptions(op, options, decayNames);
  const columns = [["w", w], ["m", m], ["g", g]] as const;
  checkColumns(op, columns);
  checkScalars(op, scalars as Tensor, 5, w[0]);
  const flags = decayFlags(op, options.decays, w.length);
  inPlace(op, columns, 2, flags, (device, words, count) => native.tw_lion(device.handle, words, count, scalars.handle));
}

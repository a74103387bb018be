/** One step of gradient descent with momentum on many tensors. */

import { TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { checkColumns, checkScalars, decayFlags, type DecayOptions, inPlace } from "../core/list.ts";
import { checkFlag } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Options of `sgdStep`. */
export interface SgdStepOptions extends DecayOptions {
  /** Whether to look ahead as Nesterov does. Off. */
  nesterov?: boolean;
}

const names = optionNames<SgdStepOptions>({ decays: true, nesterov: true });

/**
 * One step of gradient descent on many tensors, in one call and one pass over their memory, in place on each of `w` and its momentum `b` (Sutskever et al.,
 * "On the importance of initialization and momentum in deep learning", 2013, in the form where the rate stands outside the momentum):
 *
 *   g' = g · gradScale + decay · w,   b ← μ b + g'
 *   w ← w − lr · b,   or with `nesterov`   w ← w − lr · (g' + μ b)
 *
 * With `null` in the place of `b` there is no momentum: w ← w − lr · g'.
 *
 * Throws a RangeError where shapes or lengths differ, a TypeError for a mix of element types, a disposed tensor, a `w` or `b` that is not contiguous,
 * tensors that overlap, or `nesterov` without momentum; nothing has changed then. `sgd` steps whole trees.
 *
 * ```ts
 * import { cpu, sgdStep, tensor, zeros } from "@tilework/tilework";
 *
 * using w = tensor(cpu, [1], [1]), b = zeros(cpu, [1]);
 * using g = tensor(cpu, [1], [0.5]);
 * using scalars = tensor(cpu, [4], [0.1, 0.9, 0, 1], { dtype: "f64" });
 * sgdStep([w], [b], [g], scalars);
 * sgdStep([w], [b], [g], scalars);
 * console.log(w.itemSync().toFixed(3), b.itemSync().toFixed(2)); // 0.855 0.95
 * ```
 *
 * @param w the parameters
 * @param b their momenta, or null
 * @param g their gradients
 * @param scalars lr, μ, decay, gradScale
 */
export function sgdStep<D extends Float>(
  w: readonly Tensor<D>[],
  b: readonly Tensor<NoInfer<D>>[] | null,
  g: readonly Tensor<NoInfer<D>>[],
  scalars: Tensor<Float, [4]>,
  options: SgdStepOptions = {},
): void {
  const op = "sgdStep";
  checkOptions(op, options, names);
  const columns = b === null ? [["w", w], ["g", g]] as const : [["w", w], ["b", b], ["g", g]] as const;
  checkColumns(op, columns);
  checkScalars(op, scalars as Tensor, 4, w[0]);
  const nesterov = checkFlag(op, "nesterov", options.nesterov);
  if (nesterov && b === null) throw new TypeError(`${op}: nesterov needs a momentum, but b is null`);
  const decays = decayFlags(op, options.decays, w.length), flags = (b === null ? 0 : 1) + (nesterov ? 2 : 0);
  inPlace(
    op,
    columns,
    columns.length - 1,
    decays,
    (device, words, count) => native.tw_sgd(device.handle, words, count, scalars.handle, flags),
  );
}

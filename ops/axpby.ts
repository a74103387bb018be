/** Weighted sums in place, over lists of tensors. */

import type { Float } from "../core/dtype.ts";
import { checkColumns, inPlace } from "../core/list.ts";
import { checkNumber } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Options of `axpby`. */
export interface AxpbyOptions {
  /** What each `x` is multiplied by, 1. */
  alpha?: number;
  /** What each `y` is multiplied by, 1. With 0 it is not read. */
  beta?: number;
}

const names = optionNames<AxpbyOptions>({ alpha: true, beta: true });

/**
 * Weighted sums of many pairs of tensors, in one call, in place on each of `y`: `y[i] ← alpha · x[i] + beta · y[i]`.
 *
 * Throws a RangeError where shapes or lengths differ, a TypeError for a mix of element types, a disposed tensor, a `y` that is not contiguous, or tensors
 * that overlap; nothing has changed then. `accumulate` adds whole trees.
 *
 * ```ts
 * import { axpby, cpu, tensor } from "@tilework/tilework";
 *
 * using y = tensor(cpu, [2], [1, 2]);
 * using x = tensor(cpu, [2], [10, 20]);
 * axpby([y], [x], { alpha: 0.5 });
 * console.log(y.readSync()); // Float32Array [6, 12]
 * ```
 */
export function axpby<D extends Float>(y: readonly Tensor<D>[], x: readonly Tensor<NoInfer<D>>[], options: AxpbyOptions = {}): void {
  const op = "axpby";
  checkOptions(op, options, names);
  const columns = [["y", y], ["x", x]] as const;
  checkColumns(op, columns);
  const { alpha = 1, beta = 1 } = options;
  checkNumber(op, "alpha", alpha);
  checkNumber(op, "beta", beta);
  inPlace(op, columns, 1, [], (device, words, count) => native.tw_axpby(device.handle, words, count, alpha, beta));
}

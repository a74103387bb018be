/** Steps from tensors towards others, in place, over lists of tensors. */

import type { Float } from "../core/dtype.ts";
import { checkColumns, inPlace } from "../core/list.ts";
import { checkNumber } from "../core/op.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * Linear interpolation of many pairs of tensors, in one call, in place on each of `y`: `y[i] ← y[i] + t · (x[i] − y[i])`. At t = 1 it is `x[i]` exactly, and
 * where the two are equal nothing changes, whatever t.
 *
 * Throws a RangeError where shapes or lengths differ, a TypeError for a mix of element types, a disposed tensor, a `y` that is not contiguous, or tensors
 * that overlap; nothing has changed then. `ema` keeps the running mean of a whole tree.
 *
 * ```ts
 * import { cpu, lerp, tensor } from "@tilework/tilework";
 *
 * using y = tensor(cpu, [2], [0, 1]);
 * using x = tensor(cpu, [2], [4, 1]);
 * lerp([y], [x], 0.25);
 * console.log(y.readSync()); // Float32Array [1, 1]
 * ```
 */
export function lerp<D extends Float>(y: readonly Tensor<D>[], x: readonly Tensor<NoInfer<D>>[], t: number): void {
  const op = "lerp";
  const columns = [["y", y], ["x", x]] as const;
  checkColumns(op, columns);
  checkNumber(op, "t", t);
  inPlace(op, columns, 1, [], (device, words, count) => native.tw_lerp(device.handle, words, count, t));
}

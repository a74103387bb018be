/** Clipping of gradient trees by their global norm. */

import { RangeError, TypeError } from "../core/errors.ts";
import { checkNotRecording } from "../core/op.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import { scope } from "../core/scope.ts";
import type { Tensor } from "../core/tensor.ts";
import { clipParts, scaleByParts } from "../ops/clip.ts";
import { checkDistinct, flatten, type Tree } from "./tree.ts";

/**
 * Scales gradients in place so that their global norm, the root of the sum of all squares, is at most `limit`. Returns the norm as it was. Gradients of which
 * every element is finite are clipped right, however large or small they are; a norm beyond 3.4e38, the largest number of f32, is returned as Infinity all the
 * same. Where an element is NaN or infinite the gradients stay as they are, and so is the norm: the caller sees it. A GPU may take numbers below 1.2e-38 for
 * 0. Two native calls, however many contiguous gradients there are; one that throws has changed nothing.
 *
 * ```ts
 * import { clipByGlobalNorm, cpu, tensor } from "@tilework/tilework";
 *
 * const grads = { a: tensor(cpu, [1], [3]), b: tensor(cpu, [1], [4]) };
 * using norm = clipByGlobalNorm(grads, 1);
 * console.log(norm.itemSync(), grads.a.itemSync()); // 5 0.6000000238418579
 * ```
 */
export function clipByGlobalNorm<P extends Tree<P>>(grads: P, limit: number): Tensor<"f32", []> {
  const op = "clipByGlobalNorm";
  checkNotRecording(op);
  if (!(typeof limit === "number" && limit > 0)) throw new RangeError(`${op}: limit must be positive, got ${formatValue(limit)}`);
  const leaves = flatten(grads, op, "grads");
  checkDistinct(op, "grads", leaves);
  if (leaves.length === 0) throw new TypeError(`${op}: grads hold no tensor`);
  for (const [path, x] of leaves) {
    if (x.dtype !== "f32") throw new TypeError(`${op}: grads.${path} is ${x.dtype} ${formatShape(x.shape)}, must be f32`);
  }
  const list = leaves.map(([, x]) => x as Tensor<"f32">); // just checked
  return scope(() => {
    const { norm, factor } = clipParts(list, limit);
    scaleByParts(list, factor);
    return norm;
  });
}

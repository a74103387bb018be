/** Sums of gradient trees over several batches. */

import { TypeError } from "../core/errors.ts";
import { together } from "../core/list.ts";
import { checkFinite, checkNotRecording } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Float } from "../core/dtype.ts";
import type { Tensor } from "../core/tensor.ts";
import { axpby } from "../ops/axpby.ts";
import { checkApart, checkDistinct, checkSameTree, flatten, type Tree } from "./tree.ts";

/** Options of `accumulate`. */
export interface AccumulateOptions {
  /** What the gradients are multiplied by, 1. */
  weight?: number;
}

const names = optionNames<AccumulateOptions>({ weight: true });

/**
 * Gradient accumulation: adds gradients to others in place, one native call for the whole tree, `into ← into + weight · grads`. A batch that does not fit
 * into memory is computed part by part, and one step is made with the sum. Where each part's loss is a mean over its labels, the mean over the whole batch needs the
 * weight labels of the part / labels of the batch; equal parts weigh 1 / parts each.
 *
 * Throws an error that names the path where the trees differ, or a tensor that is neither f32 nor f64; nothing has changed then.
 *
 * ```ts
 * import { accumulate, adamW, cpu, crossEntropy, linear, random, scope, tensor, treeMap, valueAndGrad, zeros } from "@tilework/tilework";
 * import type { Tensor } from "@tilework/tilework";
 *
 * using rng = random(cpu, 1);
 * const params = { weight: rng.normal([4, 2]) };
 * type X = Tensor<"f32", [number, 2]>;
 * const f = valueAndGrad((p: typeof params, x: X, labels: Tensor<"u32", [number]>) => crossEntropy(linear(x, p), labels));
 * using optimizer = adamW(params);
 * const parts = [
 *   { x: tensor(cpu, [2, 2], [1, 0, 0, 1]), labels: tensor(cpu, [2], new Uint32Array([3, 0])) },
 *   { x: tensor(cpu, [1, 2], [1, 1]), labels: tensor(cpu, [1], new Uint32Array([2])) },
 * ];
 * const count = parts.reduce((n, { labels }) => n + labels.size, 0); // of labels that are not ignored
 *
 * scope(() => { // one step over both parts
 *   const total = treeMap(params, (x) => zeros(cpu, [...x.shape]) as Tensor);
 *   for (const { x, labels } of parts) {
 *     using part = f(params, x, labels); // its gradients are freed before the next part
 *     accumulate(total, part.grads, { weight: labels.size / count });
 *   }
 *   optimizer.step(params, total, 1e-3);
 * });
 * ```
 */
export function accumulate<P extends Tree<P>>(into: P, grads: NoInfer<P>, options: AccumulateOptions = {}): void {
  const op = "accumulate";
  checkOptions(op, options, names);
  checkNotRecording(op);
  const weight = checkFinite(op, "weight", options.weight === undefined ? 1 : options.weight);
  const ys = flatten(into, op, "into"), xs = flatten(grads, op, "grads");
  checkDistinct(op, "into", ys);
  checkSameTree(op, "grads", xs, "into", ys);
  checkApart(op, "into", ys, "grads", xs);
  for (const [path, x] of ys) {
    if (x.dtype !== "f32" && x.dtype !== "f64") throw new TypeError(`${op}: into.${path} is ${x.dtype}, must be f32 or f64`);
  }
  const byPath = new Map(xs);
  // Trees of both element types take a call for each.
  together(op, () => {
    for (const dtype of ["f32", "f64"] as const) {
      const some = ys.filter(([, y]) => y.dtype === dtype);
      axpby(some.map(([, y]) => y as Tensor<Float>), some.map(([path]) => byPath.get(path) as Tensor<Float>), { alpha: weight }); // just checked
    }
  });
}

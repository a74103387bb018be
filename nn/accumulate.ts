/** Sums of gradient trees over several batches. */

import { together } from "../core/list.ts";
import { checkNotRecording, checkNumber } from "../core/op.ts";
import type { Float } from "../core/dtype.ts";
import type { Tensor } from "../core/tensor.ts";
import { axpby } from "../ops/axpby.ts";
import { checkDistinct, checkSameTree, flatten, type Tree } from "./tree.ts";

/** Options of `accumulate`. */
export interface AccumulateOptions {
  /** What the gradients are multiplied by, 1. */
  weight?: number;
}

/**
 * Adds gradients to others in place, one native call for the whole tree: `into ← into + weight · grads`. So a batch that does not fit into memory is taken
 * in parts, and one step is made with the sum, or with the mean if each part weighs 1 / parts.
 *
 * Throws an error that names the path where the trees differ, or a tensor that is neither f32 nor f64; nothing has changed then.
 *
 * ```ts
 * import { accumulate, adamW, cpu, mean, mul, scope, type Tensor, tensor, treeMap, valueAndGrad, zeros } from "@tilework/tilework";
 *
 * const params = { w: tensor(cpu, [2], [1, 2]) };
 * const f = valueAndGrad((p: typeof params, x: Tensor<"f32", [2]>) => mean(mul(p.w, x)));
 * using optimizer = adamW(params);
 * const parts = [tensor(cpu, [2], [1, 1]), tensor(cpu, [2], [3, 1])];
 *
 * scope(() => { // one step over both parts
 *   const total = treeMap(params, (x) => zeros(cpu, [...x.shape]) as Tensor);
 *   for (const x of parts) {
 *     using part = f(params, x); // its gradients are freed before the next part
 *     accumulate(total, part.grads, { weight: 1 / parts.length });
 *   }
 *   console.log(total.w.readSync()); // Float32Array [1, 0.5]
 *   optimizer.step(params, total, 1e-3);
 * });
 * ```
 */
export function accumulate<P extends Tree<P>>(into: P, grads: NoInfer<P>, options: AccumulateOptions = {}): void {
  const op = "accumulate";
  checkNotRecording(op);
  const weight = checkNumber(op, "weight", options.weight ?? 1);
  const ys = flatten(into, op, "into"), xs = flatten(grads, op, "grads");
  checkDistinct(op, "into", ys);
  checkSameTree(op, "grads", xs, "into", ys);
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

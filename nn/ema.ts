/** Exponential moving averages of parameter trees. */

import { TypeError } from "../core/errors.ts";
import { checkNotRecording } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import { Fate, freeAs, keep } from "../core/scope.ts";
import type { Tensor } from "../core/tensor.ts";
import { copy } from "../ops/copy.ts";
import { lerp } from "../ops/lerp.ts";
import { checkSetting } from "./optimizers/optimizer.ts";
import { checkApart, checkDistinct, checkSameTree, flatten, mapTree, type Tree } from "./tree.ts";

/** Settings of `ema`. */
export interface EmaOptions {
  /** How much of the average is kept by an update; 0.999. */
  decay?: number;
}

/** A moving average of parameters. */
export interface Ema<P> extends Disposable {
  /** The averages, a tree like the parameters: to be used in their place, and part of a checkpoint. */
  readonly average: P;
  /** Moves the averages towards the parameters. */
  update(params: P): void;
}

const names = optionNames<EmaOptions>({ decay: true });

/**
 * An exponential moving average of parameters, which often does better than the parameters themselves: after each step of the optimizer
 *
 *   average ← average + (1 − decay) · (params − average)
 *
 * It begins with a copy of the parameters. One native call updates the whole tree, in place. The averages are f32 and belong to no scope: they live until
 * it is disposed. Throws an error that names the path where a tree differs from the one it was made for.
 *
 * ```ts
 * import { cpu, ema, tensor } from "@tilework/tilework";
 *
 * const params = { w: tensor(cpu, [1], [0]) };
 * using mean = ema(params, { decay: 0.75 });
 * params.w.write([4]);
 * mean.update(params);
 * console.log(mean.average.w.itemSync()); // 1
 * ```
 */
export function ema<P extends Tree<P>>(params: P, options: EmaOptions = {}): Ema<P> {
  const op = "ema";
  checkOptions(op, options, names);
  const { decay = 0.999 } = options;
  checkSetting(op, "decay", decay, 1);
  checkNotRecording(op);
  const leaves = flatten(params, op);
  checkDistinct(op, "params", leaves);
  for (const [path, x] of leaves) if (x.dtype !== "f32") throw new TypeError(`${op}: params.${path} is ${x.dtype}, must be f32`);
  const average = mapTree(params, (x) => keep(copy(x)), op);
  const averages = flatten(average, op);
  return {
    average,
    update(now: P): void {
      if (averages.some(([, x]) => x.disposed)) throw new TypeError(`${op}: the average was disposed`);
      checkNotRecording(op);
      const ps = flatten(now, op);
      checkSameTree(op, "params", ps, "average", averages);
      checkApart(op, "average", averages, "params", ps);
      const byPath = new Map(ps);
      lerp(averages.map(([, x]) => x as Tensor<"f32">), averages.map(([path]) => byPath.get(path) as Tensor<"f32">), 1 - decay); // copies of f32
    },
    [Symbol.dispose](): void {
      freeAs(new Fate("was freed with the ema that it belongs to"), averages.map(([, x]) => x));
    },
  };
}

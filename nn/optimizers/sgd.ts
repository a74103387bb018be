/** Gradient descent with momentum over parameter trees. */

import { TypeError } from "../../core/errors.ts";
import { checkFlag } from "../../core/op.ts";
import { checkOptions, optionNames } from "../../core/options.ts";
import { sgdStep } from "../../ops/sgd.ts";
import type { Tree } from "../tree.ts";
import { checkSetting, listOf, makeOptimizer, type Optimizer, optimizerHints, type OptimizerOptions, type StepCount } from "./optimizer.ts";

/** Settings of `sgd`. */
export interface SgdOptions extends OptimizerOptions {
  /** How much of the last step's way is kept, μ; 0.9. With 0 nothing but the count of steps is remembered. */
  momentum?: number;
  /** Whether to look ahead as Nesterov does. Off. */
  nesterov?: boolean;
  /** Weight decay, added to the gradient; 0. */
  weightDecay?: number;
}

/** What `sgd` remembers. */
export interface SgdState<P> {
  /** The sums of gradients, each decayed by the momentum; none where the momentum is 0. */
  momentum?: P;
}

const names = optionNames<SgdOptions>({ momentum: true, nesterov: true, weightDecay: true, decays: true, skipNonFinite: true });

/**
 * Stochastic gradient descent with momentum (Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013), the rate outside
 * the momentum and without dampening, as it is usually written:
 *
 *   g ← g + decay · p,   b ← μ b + g
 *   p ← p − rate · b,   or with `nesterov`   p ← p − rate · (g + μ b)
 *
 * One native call steps all parameters. State is f32 and belongs to no scope: it lives until the optimizer is disposed. Throws a TypeError that names the
 * path where a tree differs from the one it was made for, and for `nesterov` without momentum.
 *
 * ```ts
 * import { cpu, sgd, tensor } from "@tilework/tilework";
 *
 * const params = { w: tensor(cpu, [1], [1]) };
 * using optimizer = sgd(params, { momentum: 0.5 });
 * optimizer.step(params, { w: tensor(cpu, [1], [1]) }, 0.25);
 * optimizer.step(params, { w: tensor(cpu, [1], [1]) }, 0.25);
 * console.log(params.w.readSync()); // Float32Array [0.375]
 * ```
 */
export function sgd<P extends Tree<P>>(params: P, options: SgdOptions = {}): Optimizer<P, SgdState<P> & StepCount> {
  const op = "sgd";
  checkOptions(op, options, names, "", optimizerHints);
  const { momentum = 0.9, weightDecay = 0 } = options;
  checkSetting(op, "momentum", momentum, 1);
  const nesterov = checkFlag(op, "nesterov", options.nesterov);
  if (nesterov && momentum === 0) throw new TypeError(`${op}: nesterov needs a momentum above 0`);
  return makeOptimizer(op, params, { ...options, weightDecay }, ({ buffer, scalars, decays }) => {
    const state: SgdState<P> = momentum === 0 ? {} : { momentum: buffer() as P }; // nothing is left out
    const b = state.momentum === undefined ? null : listOf(state.momentum), numbers = scalars(4);
    return {
      state,
      update({ params, grads, rate }) {
        numbers.write([rate, momentum, weightDecay, 1]);
        sgdStep(params, b, grads, numbers, { decays, nesterov });
      },
    };
  });
}

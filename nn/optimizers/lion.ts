/** Lion over parameter trees. */

import { lionStep } from "../../ops/lion.ts";
import { checkOptions, optionNames } from "../../core/options.ts";
import type { Tree } from "../tree.ts";
import { checkBetas, listOf, makeOptimizer, type Optimizer, optimizerHints, type OptimizerOptions, type StepCount } from "./optimizer.ts";

/** Settings of `lion`. */
export interface LionOptions extends OptimizerOptions {
  /** How the mean and the gradient are mixed for the step, and how the mean decays; 0.9 and 0.99. */
  betas?: readonly [number, number];
  /** Decoupled weight decay; 0. Since Lion wants rates 3 to 10 times smaller than AdamW's, its decay wants to be as much larger. */
  weightDecay?: number;
}

/** What `lion` remembers. */
export interface LionState<P> {
  /** Running means of the gradients. */
  m: P;
}

const names = optionNames<LionOptions>({ betas: true, weightDecay: true, decays: true, skipNonFinite: true });

/**
 * Lion (Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023): every element moves by the rate, in a direction that only a sign tells.
 *
 *   p ← p − rate · decay · p − rate · sign(β1 m + (1 − β1) g),   m ← β2 m + (1 − β2) g
 *
 * It remembers half of what AdamW does. One native call steps all parameters. State is f32 and belongs to no scope: it lives until the optimizer is
 * disposed. Throws a TypeError that names the path where a tree differs from the one it was made for.
 *
 * ```ts
 * import { cpu, lion, tensor } from "@tilework/tilework";
 *
 * const params = { w: tensor(cpu, [2], [1, 1]) };
 * using optimizer = lion(params);
 * optimizer.step(params, { w: tensor(cpu, [2], [0.001, -70]) }, 0.25);
 * console.log(params.w.readSync()); // Float32Array [0.75, 1.25]
 * ```
 */
export function lion<P extends Tree<P>>(params: P, options: LionOptions = {}): Optimizer<P, LionState<P> & StepCount> {
  const op = "lion";
  checkOptions(op, options, names, "", optimizerHints);
  const { betas = [0.9, 0.99], weightDecay = 0 } = options;
  checkBetas(op, "betas", betas);
  return makeOptimizer(op, params, { ...options, weightDecay }, ({ buffer, scalars, decays }) => {
    const state = { m: buffer() as P }; // nothing is left out
    const m = listOf(state.m), numbers = scalars(5);
    return {
      state,
      update({ params, grads, rate }) {
        numbers.write([rate, betas[0], betas[1], weightDecay, 1]);
        lionStep(params, m, grads, numbers, { decays });
      },
    };
  });
}

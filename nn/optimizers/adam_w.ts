/** AdamW over parameter trees. */

import { adamWStep } from "../../ops/adam_w.ts";
import { checkOptions, optionNames } from "../../core/options.ts";
import type { Tree } from "../tree.ts";
import {
  checkBetas,
  checkSetting,
  listOf,
  makeOptimizer,
  type Optimizer,
  optimizerHints,
  type OptimizerOptions,
  type StepCount,
} from "./optimizer.ts";

/** Settings of `adamW`. */
export interface AdamWOptions extends OptimizerOptions {
  /** Decay of the running mean and of the running mean of squares; 0.9 and 0.999. */
  betas?: readonly [number, number];
  /** Added to the root of the mean of squares; 1e-8. */
  eps?: number;
  /** Decoupled weight decay; 0.01. */
  weightDecay?: number;
}

/** What `adamW` remembers. */
export interface AdamWState<P> {
  /** Running means of the gradients. */
  m: P;
  /** Running means of their squares. */
  v: P;
}

const names = optionNames<AdamWOptions>({ betas: true, eps: true, weightDecay: true, decays: true, skipNonFinite: true });

/**
 * AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019): with t counting from 1,
 *
 *   m ← β1 m + (1 − β1) g,   v ← β2 v + (1 − β2) g²
 *   p ← p − rate · decay · p − rate · (m / (1 − β1ᵗ)) / (√(v / (1 − β2ᵗ)) + eps)
 *
 * A finite element of g whose square overflows counts as 2⁶³ (9.2e18) with its sign: v would become infinite, and its parameter would never move again.
 *
 * One native call steps all parameters. State is f32 and belongs to no scope: it lives until the optimizer is disposed. Throws a TypeError that names the
 * path where a tree differs from the one it was made for.
 *
 * ```ts
 * import { adamW, cpu, tensor } from "@tilework/tilework";
 *
 * const params = { w: tensor(cpu, [1], [1]) };
 * using optimizer = adamW(params, { weightDecay: 0 });
 * optimizer.step(params, { w: tensor(cpu, [1], [0.5]) }, 0.01);
 * console.log(params.w.readSync()); // Float32Array [0.99]
 * ```
 */
export function adamW<P extends Tree<P>>(params: P, options: AdamWOptions = {}): Optimizer<P, AdamWState<P> & StepCount> {
  const op = "adamW";
  checkOptions(op, options, names, "", optimizerHints);
  const { betas = [0.9, 0.999], eps = 1e-8, weightDecay = 0.01 } = options;
  checkAdam(op, "", betas, eps);
  return makeOptimizer(op, params, { ...options, weightDecay }, ({ buffer, scalars, decays }) => {
    const state = { m: buffer() as P, v: buffer() as P }; // nothing is left out
    const m = listOf(state.m), v = listOf(state.v), numbers = scalars(8);
    return {
      state,
      update({ params, grads, rate, t }) {
        numbers.write(adamScalars(rate, betas, eps, weightDecay, t));
        adamWStep(params, m, v, grads, numbers, { decays });
      },
    };
  });
}

/** Checks Adam's settings. @internal */
export function checkAdam(op: string, where: string, betas: readonly [number, number], eps: number): void {
  checkBetas(op, `${where}betas`, betas);
  checkSetting(op, `${where}eps`, eps, Infinity);
}

/** The eight numbers of step t. @internal */
export function adamScalars(rate: number, [beta1, beta2]: readonly [number, number], eps: number, decay: number, t: number): number[] {
  return [rate, beta1, beta2, eps, decay, 1 / (1 - power(beta1, t)), 1 / (1 - power(beta2, t)), 1];
}

/** base to a whole power, by squaring: multiplications round alike in every engine, which need not agree on the last bit of `**`. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let e = exponent, square = base; e > 0; e = Math.floor(e / 2), square *= square) if (e % 2 === 1) result *= square;
  return result;
}

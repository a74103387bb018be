/** Muon over parameter trees: matrices step along the nearest orthogonal matrix, everything else by AdamW. */

import { TypeError } from "../../core/errors.ts";
import { together } from "../../core/list.ts";
import { checkFlag } from "../../core/op.ts";
import { scope } from "../../core/scope.ts";
import { checkFunction, formatShape, formatValue } from "../../core/shape.ts";
import { empty, type Tensor, view } from "../../core/tensor.ts";
import { checkOptions, optionNames } from "../../core/options.ts";
import { adamWStep } from "../../ops/adam_w.ts";
import { axpby } from "../../ops/axpby.ts";
import { normalize } from "../../ops/clip.ts";
import { matmulList } from "../../ops/matmul_list.ts";
import type { Tree } from "../tree.ts";
import { adamScalars, checkAdam } from "./adam_w.ts";
import {
  checkSetting,
  type F32,
  listOf,
  makeOptimizer,
  type Optimizer,
  optimizerHints,
  type OptimizerOptions,
  type PartOf,
  type StepCount,
} from "./optimizer.ts";

/** Settings of `muon`. */
export interface MuonOptions extends OptimizerOptions {
  /** How much of the last step's way is kept, μ; 0.95. */
  momentum?: number;
  /** Whether to look ahead as Nesterov does. On. */
  nesterov?: boolean;
  /** Decoupled weight decay, of matrices and of the rest; 0.01. */
  weightDecay?: number;
  /**
   * Which parameters are stepped as matrices, by path: all of two axes or more. Those of more are stacks, of which each matrix is stepped for itself. An
   * embedding and the layer that makes logits usually do better by AdamW: leave them out here.
   */
  matrices?: (path: string, x: Tensor) => boolean;
  /**
   * What a matrix's step is multiplied by. `"rms"`, the default, is 0.2 · √max(rows, columns), which moves elements as far as AdamW does, so that one rate
   * suits both (Liu et al., "Muon is Scalable for LLM Training", 2025). `"shape"` is √max(1, rows / columns), as Jordan has it, and wants rates near 0.02.
   */
  scale?: "rms" | "shape";
  /** Of the parameters that AdamW steps: `rate` multiplies the learning rate, 1; the rest is as for `adamW`. */
  adam?: { rate?: number; betas?: readonly [number, number]; eps?: number };
}

/** What `muon` remembers. */
export interface MuonState<P> {
  /** Of matrices, the sums of gradients, each decayed by the momentum. */
  momentum: PartOf<P>;
  /** Of the others, running means of gradients. */
  m: PartOf<P>;
  /** Of the others, running means of their squares. */
  v: PartOf<P>;
}

/** The polynomial of Jordan et al.: it takes every singular value from 0 to 1 near to 1 in few steps, not to 1 exactly, which does not matter here. */
const [a, b, c] = [3.4445, -4.7750, 2.0315];
const iterations = 5;

const names = optionNames<MuonOptions>({
  momentum: true,
  nesterov: true,
  matrices: true,
  scale: true,
  adam: true,
  weightDecay: true,
  decays: true,
  skipNonFinite: true,
});

const adamNames = optionNames<NonNullable<MuonOptions["adam"]>>({ rate: true, betas: true, eps: true });

/**
 * Muon (Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024). Of each matrix, with gradient G,
 *
 *   B ← μ B + G,   U = G + μ B, or B without `nesterov`
 *   X ← U / ‖U‖,   five times   A = X Xᵀ,   X ← a X + (b A + c A²) X   with a = 3.4445, b = −4.7750, c = 2.0315
 *   p ← p − rate · decay · p − rate · scale · X
 *
 * ‖U‖ is the root of the sum of U's squares, right for every finite U; one of zeros makes no step. The iteration (Newton and Schulz's, with other
 * coefficients) drives all singular values of X towards 1. It runs in f32, over all matrices of one size in
 * one call a product, on the shorter side of each. Parameters that are no matrices are stepped as `adamW` does.
 *
 * State is f32 and belongs to no scope: it lives until the optimizer is disposed. Throws a TypeError that names the path where a tree differs from the one
 * it was made for.
 *
 * ```ts
 * import { cpu, muon, tensor } from "@tilework/tilework";
 *
 * const params = { w: tensor(cpu, [2, 2], [1, 0, 0, 1]), bias: tensor(cpu, [2], [0, 0]) };
 * using optimizer = muon(params, { weightDecay: 0, scale: "shape" });
 * const grads = { w: tensor(cpu, [2, 2], [3, 0, 0, 0.03]), bias: tensor(cpu, [2], [1, -1]) };
 * optimizer.step(params, grads, 0.1);
 * const [first, , , last] = params.w.readSync();
 * console.log(first! < 0.95, last! < 0.95); // true true: both directions moved alike, though one gradient is 100 times the other
 * ```
 */
export function muon<P extends Tree<P>>(params: P, options: MuonOptions = {}): Optimizer<P, MuonState<P> & StepCount> {
  const op = "muon";
  checkOptions(op, options, names, "", optimizerHints);
  const { momentum = 0.95, weightDecay = 0.01, matrices = (_path: string, x: Tensor) => x.rank >= 2, scale: scaling = "rms", adam = {} } =
    options;
  checkOptions(op, adam, adamNames, "adam");
  const { rate: adamRate = 1, betas = [0.9, 0.999], eps = 1e-8 } = adam;
  checkSetting(op, "momentum", momentum, 1);
  checkFunction(op, "matrices", matrices);
  checkSetting(op, "adam.rate", adamRate, Infinity);
  checkAdam(op, "adam.", betas, eps);
  const nesterov = options.nesterov === undefined || checkFlag(op, "nesterov", options.nesterov);
  if (scaling !== "rms" && scaling !== "shape") throw new TypeError(`${op}: scale must be "rms" or "shape", got ${formatValue(scaling)}`);
  return makeOptimizer(op, params, { ...options, weightDecay }, ({ leaves, buffer, scalars, decays }) => {
    const isMatrix = leaves.map(([path, x]) => {
      const chosen = matrices(path, x);
      if (chosen && x.rank < 2) throw new TypeError(`${op}: params.${path} is ${formatShape(x.shape)}, no matrix`);
      return chosen;
    });
    const state: MuonState<P> = {
      momentum: buffer((i) => isMatrix[i]!),
      m: buffer((i) => !isMatrix[i]!),
      v: buffer((i) => !isMatrix[i]!),
    };
    const buffers = listOf(state.momentum), m = listOf(state.m), v = listOf(state.v), numbers = scalars(8);
    const of = <T>(list: readonly T[], matrix: boolean) => list.filter((_, i) => isMatrix[i] === matrix);
    return {
      state,
      update({ params, grads, rate, t }) {
        numbers.write(adamScalars(rate * adamRate, betas, eps, weightDecay, t));
        const ws = of(params, true), gs = of(grads, true), decaying = of(decays, true);
        scope(() => {
          const ways = ws.map(alike);
          axpby(ways, buffers, { beta: 0 });
          axpby(ways, gs, { beta: momentum });
          if (nesterov) axpby(ways, gs, { beta: momentum });
          const steps = orthogonal(ways);
          // Up to here nothing was changed that lives on.
          together(op, () => {
            adamWStep(of(params, false), m, v, of(grads, false), numbers, { decays: of(decays, false) });
            axpby(buffers, gs, { beta: momentum });
            // One call for all matrices of one size that decay, or do not.
            for (const group of groups(ws, (w, i) => `${rows(w)} ${columns(w)} ${decaying[i]}`)) {
              const [first] = group as [number], w = ws[first]!;
              const factor = scaling === "rms"
                ? 0.2 * Math.sqrt(Math.max(rows(w), columns(w)))
                : Math.sqrt(Math.max(1, rows(w) / columns(w)));
              const beta = decaying[first] ? 1 - rate * weightDecay : 1;
              axpby(group.map((i) => ws[i]!), group.map((i) => steps[i]!), { alpha: -rate * factor, beta });
            }
          });
        });
      },
    };
  });
}

const rows = (x: F32): number => x.shape[x.rank - 2]!;
const columns = (x: F32): number => x.shape[x.rank - 1]!;
const alike = (x: F32): F32 => empty(x.device, [...x.shape]) as unknown as F32; // its rank is not known to the compiler

/** Positions by what `key` tells of each, in order. */
function groups(list: readonly F32[], key: (x: F32, i: number) => string): number[][] {
  const found = new Map<string, number[]>();
  list.forEach((x, i) => {
    if (x.size === 0) return;
    const k = key(x, i), group = found.get(k);
    if (group === undefined) found.set(k, [i]);
    else group.push(i);
  });
  return [...found.values()];
}

type Matrix = Tensor<"f32", [number, number]>;

/** The matrices of a contiguous stack. */
function matricesOf(x: F32): Matrix[] {
  const r = rows(x), c = columns(x);
  return Array.from({ length: x.size / (r * c) }, (_, i) => view<"f32", [number, number]>(x, [r, c], [c, 1], x.offset + i * r * c));
}

/** Every matrix of these stacks with its singular values driven towards 1. The stacks are overwritten; the results are they, or others. */
function orthogonal(stacks: readonly F32[]): F32[] {
  const results = [...stacks];
  for (const group of groups(stacks, (x) => `${rows(x)} ${columns(x)}`)) {
    let stack = group.map((i) => stacks[i]!), other = stack.map(alike);
    let x = stack.flatMap(matricesOf), next = other.flatMap(matricesOf);
    const wide = rows(stack[0]!) <= columns(stack[0]!);
    normalize(x);
    const side = Math.min(rows(stack[0]!), columns(stack[0]!));
    const square = () => x.map(({ device }) => empty(device, [side, side]) as Matrix);
    const xx = square(), p = square();
    for (let k = 0; k < iterations; k++) {
      // The shorter side's products: A = X Xᵀ and P X, or A = Xᵀ X and X P, with P = b A + c A².
      matmulList(x, x, { transposeA: !wide, transposeB: wide, out: xx } as never); // one of the two: sizes fit
      axpby(p, xx, { beta: 0 });
      matmulList(xx, xx, { alpha: c, beta: b, out: p });
      axpby(next, x, { beta: 0 });
      if (wide) matmulList(p, x, { beta: a, out: next });
      else matmulList(x, p, { beta: a, out: next });
      [stack, other, x, next] = [other, stack, next, x];
    }
    group.forEach((i, k) => results[i] = stack[k]!);
  }
  return results;
}

/** Optimizers over parameter trees, and clipping by the global norm. */

import { isExplaining } from "../core/explaining.ts";
import { checkNotRecording } from "../core/op.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import { keep, scope } from "../core/scope.ts";
import { type Tensor, tensor } from "../core/tensor.ts";
import { adamWStep } from "../ops/adam_w.ts";
import { type ClipFactor, clipFactor, scaleBy } from "../ops/clip.ts";
import { zeros } from "../ops/fill.ts";
import { sumOfSquares } from "../ops/sum_of_squares.ts";
import { checkDistinct, checkSameTree, flatten, type Leaf, mapTree, type Tree } from "./tree.ts";

/** Settings of `adamW`. */
export interface AdamWOptions {
  /** Decay of the running mean and of the running mean of squares; 0.9 and 0.999. */
  betas?: readonly [number, number];
  /** Added to the root of the mean of squares; 1e-8. */
  eps?: number;
  /** Decoupled weight decay; 0.01. */
  weightDecay?: number;
  /** Which parameters decay, by path; all of two axes or more. */
  decays?: (path: string, x: Tensor) => boolean;
  /** Leaves everything as it is where a gradient is not finite, and reports it. Off. */
  skipNonFinite?: boolean;
}

/** An optimizer and its state. */
export interface Optimizer<P> extends Disposable {
  /** Everything it remembers: part of a checkpoint. */
  readonly state: { m: P; v: P; step: Tensor<"u32", []> };
  /**
   * One step in place. `rate` is the learning rate. Returns how many steps were skipped for a gradient that was not finite: 0 or 1, and 0 unless
   * `skipNonFinite` is set.
   */
  step(params: P, grads: NoInfer<P>, rate: number): number;
}

/**
 * AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019): with t counting from 1,
 *
 *   m ← β1 m + (1 − β1) g,   v ← β2 v + (1 − β2) g²
 *   p ← p − rate · decay · p − rate · (m / (1 − β1ᵗ)) / (√(v / (1 − β2ᵗ)) + eps)
 *
 * State is f32 and belongs to no scope: it lives until the optimizer is disposed. Throws a TypeError that names the path where a tree differs from the one it was made for.
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
export function adamW<P extends Tree<P>>(params: P, options: AdamWOptions = {}): Optimizer<P> {
  const op = "adamW";
  const { betas = [0.9, 0.999], eps = 1e-8, weightDecay = 0.01, skipNonFinite = false } = options;
  const decays = options.decays ?? ((_path: string, x: Tensor) => x.rank >= 2);
  for (
    const [name, value, limit] of [["betas[0]", betas[0], 1], ["betas[1]", betas[1], 1], ["eps", eps, Infinity], [
      "weightDecay",
      weightDecay,
      Infinity,
    ]] as const
  ) {
    if (!(typeof value === "number" && value >= 0 && value < limit)) {
      throw new RangeError(`${op}: ${name} must be a number from 0${limit === 1 ? " to below 1" : ""}, got ${formatValue(value)}`);
    }
  }
  const leaves = flatten(params, op);
  checkDistinct(op, "params", leaves);
  for (const [path, x] of leaves) if (x.dtype !== "f32") throw new TypeError(`${op}: params.${path} is ${x.dtype}, must be f32`);
  if (leaves.length === 0) throw new TypeError(`${op}: params hold no tensor`);
  const device = leaves[0]![1].device;
  const like = (x: Tensor) => keep(zeros(x.device, [...x.shape]) as Tensor);
  const state = {
    m: mapTree(params, like),
    v: mapTree(params, like),
    step: keep(tensor(device, [], [0], { dtype: "u32" })) as Tensor<"u32", []>, // [] as a literal type
  };
  const m = flatten(state.m, op), v = flatten(state.v, op);
  // The eight parameters of the kernel, for tensors that decay and for those that do not. In f64: 1 - 0.999 in f32 is off by 1e-5.
  const withDecay = keep(zeros(device, [8], "f64")), without = keep(zeros(device, [8], "f64"));
  const decaying = leaves.map(([path, x]) => decays(path, x));

  return {
    state,
    step(now: P, grads: P, rate: number): number {
      checkNotRecording(op);
      if (typeof rate !== "number" || !Number.isFinite(rate)) throw new RangeError(`${op}: rate must be finite, got ${formatValue(rate)}`);
      const ps = flatten(now, op), gs = flatten(grads, op, "grads");
      checkSameTree(op, "params", ps, "state", m);
      checkSameTree(op, "grads", gs, "params", ps);
      const byPath = new Map(gs);
      if (skipNonFinite && !isFiniteNorm(gs)) return 1;
      const t = isExplaining() ? 1 : state.step.itemSync() + 1;
      const c1 = 1 / (1 - power(betas[0], t)), c2 = 1 / (1 - power(betas[1], t));
      withDecay.write([rate, betas[0], betas[1], eps, weightDecay, c1, c2, 1]);
      without.write([rate, betas[0], betas[1], eps, 0, c1, c2, 1]);
      for (let i = 0; i < ps.length; i++) {
        const [path, p] = ps[i]!;
        adamWStep(
          p as Tensor<"f32">, // `checkSameTree` has compared it with f32 state
          m[i]![1] as Tensor<"f32">,
          v[i]![1] as Tensor<"f32">,
          byPath.get(path)! as Tensor<"f32">,
          decaying[i] ? withDecay : without,
        );
      }
      state.step.write([t]);
      return 0;
    },
    [Symbol.dispose](): void {
      for (const [, x] of [...m, ...v]) x.dispose();
      for (const x of [state.step, withDecay, without]) x.dispose();
    },
  };
}

/** base to a whole power, by squaring: multiplications round alike in every engine, which need not agree on the last bit of `**`. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let e = exponent, square = base; e > 0; e = Math.floor(e / 2), square *= square) if (e % 2 === 1) result *= square;
  return result;
}

function isFiniteNorm(leaves: readonly Leaf[]): boolean {
  using norm = scope(() => norms(leaves, Infinity).norm);
  return isExplaining() || Number.isFinite(norm.itemSync());
}

/** The global norm and the factor that brings it to `limit`. */
function norms(leaves: readonly Leaf[], limit: number): ClipFactor {
  const first = leaves[0]![1];
  const sums = zeros(first.device, [leaves.length], "f64");
  leaves.forEach(([, x], i) => sumOfSquares(x as Tensor<"f32">, { into: sums, at: i }));
  return clipFactor(sums, limit);
}

/**
 * Scales gradients in place so that their global norm, the root of the sum of all squares, is at most `limit`. Returns the norm as it was. A norm that is
 * not finite leaves the gradients alone: the caller sees it.
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
  return scope(() => {
    const { norm, factor } = norms(leaves, limit);
    for (const [, x] of leaves) scaleBy(x as Tensor<"f32">, factor); // checked above
    return norm;
  });
}

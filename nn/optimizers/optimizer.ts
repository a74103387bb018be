/** What every optimizer is made of: its checks, the trees it keeps, and the step's way from trees to lists of tensors. */

import { RangeError, TypeError } from "../../core/errors.ts";
import { isExplaining } from "../../core/explaining.ts";
import { checkFlag, checkNotRecording, checkNumber } from "../../core/op.ts";
import { checkFunction, formatValue } from "../../core/shape.ts";
import { Fate, freeAs, keep, scope } from "../../core/scope.ts";
import { type Tensor, tensor } from "../../core/tensor.ts";
import { clipParts } from "../../ops/clip.ts";
import { refill, zeros } from "../../ops/fill.ts";
import { byPath, checkApart, checkDistinct, checkSameTree, flatten, type Leaf, mapTree, type Tree } from "../tree.ts";

/** A step is counted in u32. */
const steps_max = 2 ** 32 - 1;

/** Settings that all optimizers have. */
export interface OptimizerOptions {
  /** Weight decay; how it acts, and how much there is by default, each optimizer says. */
  weightDecay?: number;
  /** Which parameters decay, by path; by default all of two axes or more, so embeddings too. */
  decays?: (path: string, x: Tensor) => boolean;
  /** Leaves everything as it is if an element of a gradient is NaN or infinite; `step` then returns 1. Off. */
  skipNonFinite?: boolean;
}

/** An optimizer and its state. All are used alike, so a program can choose one of them at run time. */
export interface Optimizer<P, State extends object = object> extends Disposable {
  /** Everything it remembers: part of a checkpoint. */
  readonly state: State;
  /**
   * One step in place. `rate` is the learning rate. Returns how many steps were skipped for a gradient that was not finite: 0 or 1, and 0 unless
   * `skipNonFinite` is set. A step that throws, for want of memory too, has changed neither parameters nor state. Throws a RangeError after 2³² − 1 steps.
   */
  step(params: P, grads: NoInfer<P>, rate: number): number;
}

/** What all states count: the steps so far. */
export interface StepCount {
  /** Steps made. */
  step: Tensor<"u32", []>;
}

/** A tree of which some tensors may be missing. */
export type PartOf<P> = P extends Tensor ? P | undefined : { [K in keyof P]: PartOf<P[K]> };

/** Tensors of parameters that are stepped; their checks are done. @internal */
export type F32 = Tensor<"f32">;

/** One step, over lists in the order that the parameters had when the optimizer was made. @internal */
export interface Step {
  readonly params: readonly F32[];
  readonly grads: readonly F32[];
  readonly rate: number;
  /** Counted from 1. */
  readonly t: number;
}

/** What an optimizer is made from. @internal */
export interface Making<P> {
  readonly leaves: readonly Leaf[];
  /** For each leaf whether it decays. */
  readonly decays: readonly boolean[];
  readonly weightDecay: number;
  /** A tree of zeros like the parameters, or like those of them whose positions pass. */
  buffer(has?: (i: number) => boolean): PartOf<P>;
  /** Room for the numbers of a step, in f64: 1 - 0.999 in f32 is off by 1e-5. */
  scalars<N extends number>(count: N): Tensor<"f64", [N]>;
}

const rateHint = "the learning rate is an argument of step(params, grads, rate)";

/** Where an optimizer takes what others take as an option. @internal */
export const optimizerHints: Readonly<Record<string, string>> = {
  lr: rateHint,
  rate: rateHint,
  learningRate: rateHint,
  learning_rate: rateHint,
};

/** Checks a number of an optimizer's settings. @internal */
export function checkSetting(op: string, name: string, value: unknown, limit: 1 | typeof Infinity): void {
  if (!(checkNumber(op, name, value) >= 0 && (value as number) < limit)) { // just checked
    throw new RangeError(`${op}: ${name} must be a number from 0${limit === 1 ? " to below 1" : ""}, got ${formatValue(value)}`);
  }
}

/** Checks the decays of two running means. @internal */
export function checkBetas(op: string, name: string, betas: readonly [number, number]): void {
  if (!Array.isArray(betas) || betas.length !== 2) {
    throw new TypeError(`${op}: ${name} must be an array of two numbers, got ${formatValue(betas)}`);
  }
  betas.forEach((beta, i) => checkSetting(op, `${name}[${i}]`, beta, 1));
}

/** The tensors of a tree that an optimizer keeps, in the leaves' order. @internal */
export function listOf(tree: unknown): F32[] {
  return tree === undefined ? [] : flatten(tree).map(([, x]) => x as F32); // kept trees are made of f32
}

/**
 * Makes an optimizer: `make` sets up its state and returns what one step does. State belongs to no scope: it lives until the optimizer is disposed.
 * @internal
 */
export function makeOptimizer<P extends Tree<P>, State extends object>(
  op: string,
  params: P,
  options: OptimizerOptions & { weightDecay: number },
  make: (m: Making<P>) => { state: State; update: (step: Step) => void },
): Optimizer<P, State & StepCount> {
  const { weightDecay, skipNonFinite = false, decays = (_path: string, x: Tensor) => x.rank >= 2 } = options;
  checkSetting(op, "weightDecay", weightDecay, Infinity);
  checkFunction(op, "decays", decays);
  checkFlag(op, "skipNonFinite", skipNonFinite);
  const leaves = flatten(params, op);
  checkDistinct(op, "params", leaves);
  for (const [path, x] of leaves) if (x.dtype !== "f32") throw new TypeError(`${op}: params.${path} is ${x.dtype}, must be f32`);
  if (leaves.length === 0) throw new TypeError(`${op}: params hold no tensor`);
  const device = leaves[0]![1].device;
  const kept: Tensor[] = [];
  const keeping = <T extends Tensor>(x: T): T => {
    kept.push(x as Tensor);
    return keep(x);
  };
  const { state: own, update } = make({
    leaves,
    decays: leaves.map(([path, x]) => decays(path, x)),
    weightDecay,
    buffer(has = () => true) {
      let i = 0;
      const made = mapTree(params, (x) => has(i++) ? keeping(zeros(x.device, [...x.shape]) as Tensor) : undefined, op);
      return made as PartOf<P>; // a tensor of the same shape at every place that `has` tells
    },
    scalars: (count) => keeping(zeros(device, [count], "f64") as unknown as Tensor<"f64", [typeof count]>), // its one size
  });
  // The count of steps lives with the state, on the device. It is read back only after somebody else has written it, as `load` does.
  let known = 0, writes = -1;
  const state = { ...own, step: keeping(tensor(device, [], [0], { dtype: "u32" })) as Tensor<"u32", []> }; // [] as a literal type

  return {
    state,
    step(now: P, grads: P, rate: number): number {
      if (state.step.disposed) throw new TypeError(`${op}: the optimizer was disposed`);
      checkNotRecording(op);
      if (typeof rate !== "number" || !Number.isFinite(rate)) throw new RangeError(`${op}: rate must be finite, got ${formatValue(rate)}`);
      const ps = flatten(now, op), gs = flatten(grads, op, "grads");
      checkSameTree(op, "params", ps, "state", leaves);
      checkSameTree(op, "grads", gs, "params", ps);
      checkDistinct(op, "params", ps);
      checkApart(op, "params", ps, "grads", gs);
      const list = { params: inOrder(leaves, ps), grads: inOrder(leaves, gs) };
      if (skipNonFinite && !areFinite(list.grads)) return 1;
      const { storage } = state.step;
      if (!isExplaining() && storage.writes !== writes) known = state.step.itemSync();
      const t = isExplaining() ? 1 : known + 1;
      if (t > steps_max) throw new RangeError(`${op}: state.step is ${known}, the most that it counts; nothing was changed`);
      update({ ...list, rate, t });
      if (isExplaining()) return 0;
      refill(state.step, t);
      [known, writes] = [t, storage.writes];
      return 0;
    },
    [Symbol.dispose](): void {
      freeAs(new Fate(`was freed with the ${op} optimizer that it belongs to`), kept);
    },
  };
}

/** A tree's tensors in the order of other leaves of the same paths: keys may have been inserted in another order. */
function inOrder(order: readonly Leaf[], leaves: readonly Leaf[]): F32[] {
  const find = byPath(leaves);
  return order.map(([path], i) => find(path, i) as F32); // `checkSameTree` has found it, f32 like the optimizer's
}

/** Whether every element is finite. A norm beyond f32 would still be clipped, one of what is not finite is not. */
function areFinite(grads: readonly F32[]): boolean {
  return scope(() => {
    const { norm, factor } = clipParts(grads, 1);
    return isExplaining() || Number.isFinite(norm.itemSync()) || factor.readSync()[0] !== 1;
  });
}

/**
 * Reverse-mode automatic differentiation over parameter trees.
 *
 * While a loss runs, every op that a parameter flows into leaves a node on a tape: its inputs' and outputs' slots, the tensors its rule needs, and the
 * rule. Backwards from the loss each node turns its outputs' cotangents into its inputs'; what meets in one slot is added in the order of the tape, so a
 * gradient has the same bits in every run. A node's tensors are let go when its rule has run.
 */

import { currentRecorder, type Recorder, type Rule, setRecorder } from "../core/op.ts";
import type { Float } from "../core/dtype.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import { keep, scope } from "../core/scope.ts";
import { Tensor } from "../core/tensor.ts";
import { add } from "../ops/add.ts";
import { copy } from "../ops/copy.ts";
import { full } from "../ops/fill.ts";
import { Prepacked } from "../ops/prepack.ts";
import { checkDistinct, flatten, leafName, mapTree, type Tree } from "./tree.ts";

/** What a loss returns: a scalar tensor. */
export type Scalar = Tensor<Float, []>;

/** A loss and its gradients. Disposing frees the gradients, and the value's tensors. */
export interface ValueAndGrads<R, P> extends Disposable {
  /** What the loss returned. */
  value: R;
  /** The gradient of each parameter, in the parameters' own tree. */
  grads: P;
}

/** Where a value's gradient gathers. */
interface Slot {
  readonly tape: Tape;
  gradient: Tensor | null;
  /** Whether `gradient` is a sum that this tape has made, and may be added to in place. */
  summed: boolean;
}

interface Node {
  readonly op: string;
  readonly inputs: readonly (Slot | null)[];
  readonly outputs: readonly Slot[];
  readonly saved: readonly Tensor[];
  readonly rule: Rule;
}

class Tape implements Recorder {
  readonly nodes: Node[] = [];

  /** A slot for a value that gradients flow into. */
  watch(x: Tensor): Slot {
    const slot: Slot = { tape: this, gradient: null, summed: false };
    x.slot = slot;
    return slot;
  }

  tracks(x: Tensor): boolean {
    return x.slot !== null && (x.slot as Slot).tape === this; // only tapes set slots
  }

  add(op: string, inputs: readonly Tensor[], outputs: readonly Tensor[], saved: readonly Tensor[], rule: Rule): void {
    this.nodes.push({
      op,
      inputs: inputs.map((x) => this.tracks(x) ? x.slot as Slot : null), // as in `tracks`
      outputs: outputs.map((x) => this.watch(x)),
      saved: saved.map((x) => keep(x.alias())),
      rule,
    });
  }

  /** Runs the rules, last node first, from a cotangent of 1 at `loss`. */
  backward(loss: Slot, one: Tensor): void {
    loss.gradient = one;
    for (let node = this.nodes.pop(); node !== undefined; node = this.nodes.pop()) {
      const { inputs, outputs, saved, rule } = node;
      const cotangents = outputs.map((slot) => slot.gradient);
      if (cotangents.some((c) => c !== null)) {
        const wanted = inputs.map((slot) => slot !== null);
        scope(() => {
          const gradients = rule(cotangents, saved, wanted);
          for (let i = 0; i < inputs.length; i++) {
            const slot = inputs[i]!, g = gradients[i];
            if (slot !== null && g) this.#gather(slot, g);
          }
        });
      }
      for (const slot of outputs) {
        slot.gradient?.dispose();
        slot.gradient = null;
      }
      for (const x of saved) x.dispose();
    }
  }

  #gather(slot: Slot, g: Tensor): void {
    const before = slot.gradient;
    if (before === null) {
      // A holder of its own: the rule may have returned its cotangent, or one tensor twice.
      slot.gradient = keep(g.alias());
    } else if (slot.summed) {
      add(before, g as never, { out: before as never }); // the same shape and dtype, whatever they are
    } else {
      slot.gradient = keep(add(before, g as never) as Tensor); // as above
      slot.summed = true;
      before.dispose();
    }
  }

  /** Lets everything go that a loss which threw has left. */
  dispose(): void {
    for (const { outputs, saved } of this.nodes) {
      for (const slot of outputs) slot.gradient?.dispose();
      for (const x of saved) x.dispose();
    }
    this.nodes.length = 0;
  }
}

/**
 * From a loss to a function that returns the loss and its gradients.
 *
 * The loss takes a tree of parameters first and returns a scalar, or a tuple that begins with one. Gradients flow into the parameters alone: tensors
 * that the loss closes over or takes as further arguments are constants. Everything that the loss makes is freed but what it returns.
 *
 * Throws a TypeError for a loss that returns no scalar, does not depend on its parameters, or is asked for inside another loss (there is no
 * gradient of a gradient); an Error naming the path of a parameter that the loss never used.
 *
 * ```ts
 * import { cpu, mul, sum, tensor, valueAndGrad } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [3], [1, 2, 3]);
 * const squares = valueAndGrad((p: { x: typeof x }) => sum(mul(p.x, p.x)));
 * using result = squares({ x });
 * console.log(result.value.itemSync(), result.grads.x.readSync()); // 14 Float32Array [2, 4, 6]
 * ```
 */
export function valueAndGrad<P extends Tree<P>, A extends unknown[], R extends Scalar | readonly [Scalar, ...unknown[]]>(
  loss: (params: P, ...rest: A) => R,
): (params: P, ...rest: A) => ValueAndGrads<R, P> {
  return (params: P, ...rest: A): ValueAndGrads<R, P> => {
    if (currentRecorder() !== null) {
      throw new TypeError("valueAndGrad: called inside a loss; a gradient of a gradient is not supported");
    }
    const tape = new Tape();
    const leaves = flatten(params, "valueAndGrad");
    checkDistinct("valueAndGrad", "params", leaves);
    for (const [path, x] of leaves) {
      if (x instanceof Prepacked) {
        throw new TypeError(`valueAndGrad: ${leafName("params", path)} is prepacked, a constant; take the gradient of its weight`);
      }
      if (x.dtype !== "f32" && x.dtype !== "f64") {
        throw new TypeError(`valueAndGrad: ${leafName("params", path)} is ${x.dtype}, must be f32 or f64`);
      }
    }
    const watched = leaves.map(([, x]) => tape.watch(x));
    const made: Tensor[] = [];
    try {
      const value = scope((() => run(tape, loss, params, rest, watched, leaves)) as () => never) as R; // `run` is synchronous; `scope` checks
      for (let i = 0; i < leaves.length; i++) made.push(own(leaves[i]!, watched[i]!));
      let next = 0;
      const grads = mapTree(params, () => made[next++]!);
      return {
        value,
        grads,
        [Symbol.dispose]() {
          for (const g of made) g.dispose();
          disposeAll(value);
        },
      };
    } catch (error) {
      for (const g of made) g.dispose();
      throw error;
    } finally {
      for (let i = 0; i < leaves.length; i++) {
        const slot = watched[i]!;
        slot.gradient?.dispose();
        slot.gradient = null;
        leaves[i]![1].slot = null;
      }
      tape.dispose();
    }
  };
}

function run<P, A extends unknown[], R>(
  tape: Tape,
  loss: (params: P, ...rest: A) => R,
  params: P,
  rest: A,
  watched: readonly Slot[],
  leaves: readonly (readonly [string, Tensor])[],
): R {
  setRecorder(tape);
  let value: R;
  try {
    value = loss(params, ...rest);
  } finally {
    setRecorder(null);
  }
  const scalar: unknown = Array.isArray(value) ? value[0] : value;
  if (!(scalar instanceof Tensor)) throw new TypeError(`valueAndGrad: the loss returned ${formatValue(scalar)}, must be a scalar tensor`);
  if (scalar.rank !== 0) throw new TypeError(`valueAndGrad: the loss is ${formatShape(scalar.shape)}, must be a scalar: sum or average it`);
  if (!tape.tracks(scalar)) throw new TypeError("valueAndGrad: the loss does not depend on its parameters");
  tape.backward(scalar.slot as Slot, full(scalar.device, [], 1, scalar.dtype) as Tensor); // `tracks` has looked
  for (let i = 0; i < leaves.length; i++) {
    if (watched[i]!.gradient === null) {
      throw new Error(`valueAndGrad: the loss never used ${leafName("params", leaves[i]![0])}`);
    }
  }
  return value;
}

/** A leaf's gradient as a tensor of its own: contiguous, sharing memory with nothing. */
function own([, leaf]: readonly [string, Tensor], slot: Slot): Tensor {
  const g = slot.gradient!; // `run` has looked
  if (g === leaf || g.isView || g.isShared || !g.isContiguous) return copy(g);
  slot.gradient = null;
  return g.owner === null ? adopt(g) : g;
}

/** Hands a kept tensor to the scope around, as if it had been made there. */
function adopt(g: Tensor): Tensor {
  const alias = g.alias();
  g.dispose();
  return alias;
}

function disposeAll(value: unknown): void {
  if (value instanceof Tensor) value.dispose();
  else if (Array.isArray(value)) { for (const v of value) disposeAll(v); }
}

/**
 * Reverse-mode automatic differentiation over parameter trees.
 *
 * While a loss runs, every op that a parameter flows into leaves a node on a tape: its inputs' and outputs' slots, the tensors its rule needs, and the
 * rule. Backwards from the loss each node turns its outputs' cotangents into its inputs'. Gradients that reach the same value are
 * summed in tape order, so they have the same bits in every run. A node's tensors are let go when its rule has run.
 *
 * A checkpoint is one node whose tensors are the arguments alone. When its turn comes on the way back, its function runs once more and leaves its nodes on
 * the same tape, where the way back goes on through them. So everything is added in the order it would have been without the checkpoint.
 */

import { TypeError } from "../core/errors.ts";
import { currentRecorder, type Recorder, type Rule, type RuleTraits, setRecorder, unrecorded } from "../core/op.ts";
import type { Float } from "../core/dtype.ts";
import { checkFunction, formatShape, formatValue, sameShape } from "../core/shape.ts";
import { Fate, freeAs, heldBy, Hold, keep, type Owned, refuseAsync, release, scope, scopeOf } from "../core/scope.ts";
import { Tensor, watchChanges } from "../core/tensor.ts";
import { add } from "../ops/add.ts";
import { copy } from "../ops/copy.ts";
import { full } from "../ops/fill.ts";
import { Prepacked } from "../ops/prepack.ts";
import { checkDistinct, flatten, leafName, mapTree, replaceTensors, type Tree } from "./tree.ts";

/** What a loss returns: a scalar tensor. */
export type Scalar = Tensor<Float, []>;

/** A loss and its gradients. Disposing frees the gradients, and of the value's tensors those that the loss has made. */
export interface ValueAndGrads<R, P> extends Disposable {
  /** What the loss returned. */
  value: R;
  /** The gradient of each parameter, in the parameters' own tree. */
  grads: P;
}

/** Where a value's gradient gathers. */
interface Slot {
  readonly tape: Tape;
  /** The path of a parameter, `params.blocks.0.weight`; null for what the loss makes. */
  readonly path: string | null;
  gradient: Tensor | null;
  /** Whether `gradient` shares memory with nothing, and may be added to in place. */
  own: boolean;
}

interface Node {
  readonly op: string;
  readonly inputs: readonly (Slot | null)[];
  readonly outputs: readonly Slot[];
  readonly saved: readonly Tensor[];
  /** How often each of `saved` had been written to when the op ran. */
  readonly writes: readonly number[];
  /** An op's rule, or what runs a checkpoint's function again and returns its results. */
  readonly back: ({ readonly rule: Rule } & RuleTraits) | { readonly again: (saved: readonly Tensor[]) => readonly Tensor[] };
}

class Tape implements Recorder {
  readonly nodes: Node[] = [];
  /** Owns what nodes and slots hold. */
  readonly #hold = new Hold();

  /** One more holder of a value, for a node or a slot. */
  #holder(x: Tensor): Tensor {
    return heldBy(this.#hold, () => x.alias());
  }

  /** A slot for a value that gradients flow into. */
  watch(x: Tensor, path: string | null = null): Slot {
    const slot: Slot = { tape: this, path, gradient: null, own: false };
    x.slot = slot;
    return slot;
  }

  tracks(x: Tensor): boolean {
    return x.slot !== null && (x.slot as Slot).tape === this; // only tapes set slots
  }

  pathOf(x: Tensor): string | null {
    return this.tracks(x) ? (x.slot as Slot).path : null; // as in `tracks`
  }

  add(
    op: string,
    inputs: readonly Tensor[],
    outputs: readonly Tensor[],
    saved: readonly Tensor[],
    rule: Rule,
    { fresh }: RuleTraits,
  ): void {
    this.#push(op, inputs, outputs, saved, { rule, fresh: fresh === true });
  }

  /** Records a part of the loss that `again` computes once more when its turn comes. The first of `saved` are holders of `inputs`. */
  addCheckpoint(
    inputs: readonly Tensor[],
    outputs: readonly Tensor[],
    saved: readonly Tensor[],
    again: (saved: readonly Tensor[]) => readonly Tensor[],
  ): void {
    this.#push("checkpoint", inputs, outputs, saved, { again });
  }

  #push(op: string, inputs: readonly Tensor[], outputs: readonly Tensor[], saved: readonly Tensor[], back: Node["back"]): void {
    this.nodes.push({
      op,
      inputs: inputs.map((x) => this.tracks(x) ? x.slot as Slot : null), // as in `tracks`
      outputs: outputs.map((x) => this.watch(x)),
      saved: heldBy(this.#hold, () => saved.map((x) => x.alias())),
      writes: saved.map((x) => x.storage.writes),
      back,
    });
  }

  /** Runs the rules, last node first, from a cotangent of 1 at `loss`. */
  backward(loss: Slot, one: Tensor): void {
    loss.gradient = this.#holder(one); // where the loss is a parameter itself, this becomes its gradient
    for (let node = this.nodes.pop(); node !== undefined; node = this.nodes.pop()) {
      try {
        const cotangents = node.outputs.map((slot) => slot.gradient);
        if (cotangents.some((c) => c !== null)) scope(() => this.#through(node!, cotangents)); // as the loop's condition says
      } finally {
        letGo(node);
      }
    }
  }

  /** From the cotangents of a node's outputs to those of its inputs, or to the nodes of a checkpoint. */
  #through({ op, inputs, outputs, saved, writes, back }: Node, cotangents: readonly (Tensor | null)[]): void {
    if ("rule" in back) {
      const changed = saved.find((x, i) => x.storage.writes !== writes[i]);
      if (changed !== undefined) {
        throw new TypeError(
          `valueAndGrad: ${this.pathOf(changed) ?? "a tensor"} ${
            formatShape(changed.shape)
          } that the gradient of ${op} needs was written to inside the loss`,
        );
      }
      const sums = inputs.map((slot) => slot?.own ? slot.gradient : null);
      const gradients = back.rule(cotangents, saved, inputs.map((slot) => slot !== null), sums);
      for (let i = 0; i < inputs.length; i++) {
        const slot = inputs[i]!, g = gradients[i];
        if (slot !== null && g) this.#gather(slot, g, back.fresh === true && !g.isView);
      }
      return;
    }
    inputs.forEach((slot, i) => saved[i]!.slot = slot);
    setRecorder(this);
    let results: readonly Tensor[];
    try {
      results = back.again(saved);
    } finally {
      setRecorder(null);
    }
    if (results.length !== outputs.length) {
      throw new TypeError(`checkpoint: fn returned ${outputs.length} tensors, but ${results.length} when it ran again`);
    }
    results.forEach((y, i) => {
      const c = cotangents[i]!;
      if (c === null) return;
      if (y.dtype !== c.dtype || !sameShape(y.shape, c.shape)) {
        throw new TypeError(
          `checkpoint: fn returned ${c.dtype} ${formatShape(c.shape)}, but ${y.dtype} ${formatShape(y.shape)} when it ran again`,
        );
      }
      if (this.tracks(y)) this.#gather(y.slot as Slot, c, false); // as in `tracks`
    });
  }

  #gather(slot: Slot, g: Tensor, fresh: boolean): void {
    const before = slot.gradient;
    if (before === null) {
      // A holder of its own: the rule may have returned its cotangent, or one tensor twice.
      slot.gradient = this.#holder(g);
      slot.own = fresh;
    } else if (before === g) {
      // The rule has added to it.
    } else if (slot.own) {
      add(before, g as never, { out: before as never }); // the same shape and dtype, whatever they are
    } else {
      // What the rule has just made takes the sum too.
      const sum = fresh ? add(before, g as never, { out: g as never }) : add(before, g as never); // as above
      slot.gradient = this.#holder(sum as Tensor);
      slot.own = true;
      before.dispose();
    }
  }

  /** Lets everything go that a loss which threw has left. */
  dispose(): void {
    for (const node of this.nodes) letGo(node);
    this.nodes.length = 0;
  }
}

function letGo({ outputs, saved }: Node): void {
  for (const slot of outputs) {
    slot.gradient?.dispose();
    slot.gradient = null;
  }
  for (const x of saved) x.dispose();
}

/** Stands for a tape while a checkpoint's function runs unrecorded: what the function uses without being given it would lose its gradient. */
class Guard implements Recorder {
  readonly tape: Tape;

  constructor(tape: Tape) {
    this.tape = tape;
  }

  tracks(x: Tensor): boolean {
    if (!this.tape.tracks(x)) return false;
    throw new TypeError(
      `checkpoint: fn uses ${this.pathOf(x) ?? "a tensor"} ${
        formatShape(x.shape)
      } that a gradient flows into and that is not among its arguments; pass it as one`,
    );
  }

  pathOf(x: Tensor): string | null {
    return this.tape.pathOf(x);
  }

  add(): void {
    throw new TypeError("checkpoint: nothing is recorded here"); // `tracks` is never true
  }
}

/**
 * From a function to one that computes the same, but of which a loss keeps nothing except the arguments: it recomputes instead of keeping, and saves no
 * file (that is `save`). Intermediates are freed, and computed again when gradients flow back (Chen et al., "Training Deep Nets with Sublinear Memory
 * Cost", 2016). So a model of many layers needs memory for one layer at a time, for the price of one more forward pass. Value and gradients have the same
 * bits as without it.
 *
 * The function takes tensors, and arrays and plain objects of them, such as parameters; whatever else it takes stays as it is. It returns a tensor, or
 * arrays and objects of them. Every tensor that a gradient flows into has to be an argument. Random numbers are the same in both runs: what the function
 * changes on its way, the counter of a random stream above all, is set back before it runs again, and afterwards is as it was. Outside of a loss the
 * function just runs. Checkpoints may lie in one another.
 *
 * Throws a TypeError where the function uses a tensor that a gradient flows into and that is no argument, returns no tensor, or returns others when it runs
 * again.
 *
 * ```ts
 * import { checkpoint, cpu, gelu, linear, linearInit, random, sum, type Tensor, tensor, valueAndGrad } from "@tilework/tilework";
 *
 * using rng = random(cpu, 1);
 * const params = { up: linearInit(rng, 2, 8), down: linearInit(rng, 8, 2) };
 * const mlp = checkpoint((x: Tensor<"f32", [1, 2]>, p: typeof params) => linear(gelu(linear(x, p.up)), p.down));
 * using x = tensor(cpu, [1, 2], [1, -1]);
 * using result = valueAndGrad((p: typeof params) => sum(mlp(x, p)))(params); // keeps x and p of the layer, no intermediates
 * console.log(result.grads.up.weight.shape); // [8, 2]
 * ```
 */
export function checkpoint<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
  checkFunction("checkpoint", "fn", fn);
  return (...args: A): R => {
    const tape = currentRecorder();
    if (!(tape instanceof Tape)) return fn(...args); // nothing is recorded, or a checkpoint around this one runs unrecorded
    const inputs: Tensor[] = [], changed: Tensor[] = [], before: Tensor[] = [];
    replaceTensors(args, (x) => {
      inputs.push(x);
      return x;
    });
    const outputs: Tensor[] = [];
    const forward = (): R => {
      // Holders of their own: the tape knows none of them, so nothing is recorded, and the arguments themselves are told from them.
      const held = replaceTensors(args, (x) => x instanceof Prepacked ? x : x.alias());
      const remember = (x: Tensor): void => {
        if (changed.includes(x)) return;
        changed.push(x);
        before.push(keep(unrecorded(() => copy(x))));
      };
      setRecorder(new Guard(tape));
      try {
        const result = watchChanges(remember, () => fn(...held));
        // Aliases, since the function may return an argument, or a constant that is used elsewhere too.
        return replaceTensors(result, (y) => {
          const alias = y.alias();
          outputs.push(alias);
          return alias;
        });
      } finally {
        setRecorder(tape);
      }
    };
    try {
      const result = scope(forward as () => never) as R; // `scope` refuses promises
      if (outputs.length === 0) throw new TypeError(`checkpoint: fn returned ${formatValue(result)}, must be a tensor, or hold some`);
      if (inputs.some((x) => tape.tracks(x))) {
        tape.addCheckpoint(inputs, outputs, [...inputs, ...before], (saved) => {
          const again = () => {
            let next = 0;
            const results: Tensor[] = [];
            replaceTensors(fn(...replaceTensors(args, () => saved[next++]!)), (y) => {
              results.push(y);
              return y;
            });
            return results;
          };
          return withValues(changed, saved.slice(inputs.length), again);
        });
      }
      return result;
    } finally {
      for (const x of before) x.dispose();
    }
  };
}

/** Runs `body` with tensors set back to earlier values, and gives them their later ones again. What was disposed meanwhile is left out. */
function withValues<T>(changed: readonly Tensor[], values: readonly Tensor[], body: () => T): T {
  const live = changed.flatMap((x, i) => x.disposed ? [] : [{ x, value: values[i]!, later: unrecorded(() => copy(x)) }]);
  // Last change first: where two share memory, the earlier value counts.
  const set = (pairs: readonly (readonly [Tensor, Tensor])[]) => unrecorded(() => pairs.forEach(([x, value]) => copy(value, { out: x })));
  set(live.map(({ x, value }) => [x, value] as const).reverse());
  try {
    return body();
  } finally {
    set(live.map(({ x, later }) => [x, later] as const));
  }
}

/**
 * From a loss to a function that returns the loss and its gradients.
 *
 * The loss takes a tree of parameters first and returns a scalar, or a tuple that begins with one. Gradients flow into the tensors of that tree alone,
 * whether the loss takes them from its argument or closes over them; every other tensor, closed over or a further argument, is a constant. Everything that
 * the loss makes is freed, except what it returns.
 *
 * Throws a TypeError for a loss that returns no scalar, is async, does not depend on its parameters, writes to a tensor that a gradient needs, or is asked
 * for inside another loss (there is no gradient of a gradient); an Error naming the path of a parameter that the loss never used.
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
  checkFunction("valueAndGrad", "loss", loss);
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
    const watched = leaves.map(([path, x]) => tape.watch(x, leafName("params", path)));
    const made: Tensor[] = [];
    const returned: Owned[] = [];
    try {
      const value = scopeOf(() => run(tape, loss, params, rest, watched, leaves), returned, withLoss);
      for (let i = 0; i < leaves.length; i++) made.push(own(leaves[i]!, watched[i]!));
      let next = 0;
      const grads = mapTree(params, () => made[next++]!);
      return {
        value,
        grads,
        [Symbol.dispose]() {
          freeAs(withResult, [...made, ...returned]);
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

const withLoss = new Fate("was freed when its loss ended: return it beside the loss, [loss, x], or keep() it");
const withResult = new Fate("was freed with the result of valueAndGrad that it belongs to");

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
  refuseAsync(value, "valueAndGrad: the loss must not be async");
  const scalar: unknown = Array.isArray(value) ? value[0] : value;
  if (!(scalar instanceof Tensor)) throw new TypeError(`valueAndGrad: the loss returned ${formatValue(scalar)}, must be a scalar tensor`);
  if (scalar.rank !== 0) throw new TypeError(`valueAndGrad: the loss is ${formatShape(scalar.shape)}, must be a scalar: sum or average it`);
  if (!tape.tracks(scalar)) throw new TypeError("valueAndGrad: the loss does not depend on its parameters");
  tape.backward(scalar.slot as Slot, full(scalar.device, [], 1, scalar.dtype) as Tensor); // `tracks` has looked
  for (let i = 0; i < leaves.length; i++) {
    if (watched[i]!.gradient === null) {
      throw new TypeError(
        `valueAndGrad: the loss never used ${
          leafName("params", leaves[i]![0])
        }; use it, or leave it out of the parameters and pass it as a further argument, which is a constant`,
      );
    }
  }
  return value;
}

/** A leaf's gradient as a tensor of its own: contiguous, sharing memory with nothing. */
function own([, leaf]: readonly [string, Tensor], slot: Slot): Tensor {
  const g = slot.gradient!; // `run` has looked
  if (g === leaf || g.isView || g.isShared || !g.isContiguous) return copy(g);
  slot.gradient = null;
  return release(g);
}

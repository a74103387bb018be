/** Scaled dot-product attention, fused: no matrix of probabilities is ever held. */

import { RangeError, TypeError } from "../core/errors.ts";
import { allocateBeside } from "../core/beside.ts";
import type { Float, Integer } from "../core/dtype.ts";
import {
  asContiguous,
  check,
  checkDevice,
  checkFinite,
  checkFlag,
  checkFloat,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  checkTensor,
  record,
  recording,
} from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import { checkSize, formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, type Tensor, view } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { statusName } from "../ffi/status.ts";

/** Options of `attention`: which keys a query sees, and how the scores are scaled. What is given together all has to allow a key. */
export interface AttentionOptions<D extends Float = Float> {
  /** Whether position i sees only the positions up to i, counted from the end where the key side is longer. */
  causal?: boolean;
  /** How far a query sees: keys less than so many positions away from its own; with `causal` these are the last `window` positions. */
  window?: number | undefined;
  /**
   * `[batch, heads, queries, keys]`, or what broadcasts to it: integers, 0 for a key that is hidden, or numbers of the element type of `q` that are added
   * to the scaled scores, −Infinity for a key that is hidden. No gradient flows into it.
   */
  mask?: Tensor<D | Integer, Shape> | undefined;
  /**
   * Several sequences, one after another on the queries' axis of a batch of one: sequence s is the queries from `offsets[s]` up to `offsets[s + 1]`. Starts
   * with 0, ends with the number of queries, and never falls; equal neighbours are an empty sequence. Not together with `mask`.
   * A GPU reads them when their turn comes and cannot refuse them: a row belongs to the first sequence s with row < `offsets[s + 1]`, else to the last.
   */
  offsets?: Tensor<"u32", [number]> | undefined;
  /** The same for the keys' axis, as many; `offsets` where it is left out. */
  keyOffsets?: Tensor<"u32", [number]> | undefined;
  /** Factor of the scores, 1/√width. */
  scale?: number | undefined;
}

/** Options of `attention` itself. */
export interface AttentionForwardOptions<D extends Float, B extends number, H extends number, T extends number>
  extends AttentionOptions<D> {
  /**
   * Takes what `attentionBackward` needs to know of each query: its largest score, and the reciprocal of its sum of exponentials relative to that. Together
   * they are the log-sum-exp, `max − log(reciprocal)`; as one number it would lose the sum where scores are large.
   * Queries of width 0 leave it as it was.
   */
  statistics?: Tensor<D, [2, B, H, T]> | undefined;
}

interface AnyOptions {
  causal?: boolean;
  window?: number | undefined;
  mask?: Tensor | undefined;
  offsets?: Tensor | undefined;
  keyOffsets?: Tensor | undefined;
  scale?: number | undefined;
}

const names = optionNames<AttentionForwardOptions<Float, number, number, number>>({
  causal: true,
  window: true,
  mask: true,
  offsets: true,
  keyOffsets: true,
  scale: true,
  statistics: true,
});

/**
 * Scaled dot-product attention: `softmax(scale · q @ kᵀ + mask) @ v` for each batch and head (Vaswani et al., "Attention Is All You Need", 2017).
 *
 * With `causal`, query i sees keys j ≤ i + (keys − queries). A query that sees none gives zeros, and so do its gradients. `k` and `v` may have fewer heads
 * than `q`: with g times fewer, each serves g heads of `q` that follow each other (Ainslie et al., "GQA", 2023). Scores are computed tile by tile and again
 * for the gradient, of which two numbers a query are kept (Dao et al., "FlashAttention", 2022): memory does not grow with queries · keys.
 *
 * A hidden key reaches no output, whatever it holds: no score of it counts, and its gradients are 0. A hidden value takes part as 0 times what it holds, in
 * the result, and so does a hidden key in the gradient of `q`: there NaN and infinities may become NaN, in the rows of queries that do not see them too. Let
 * padding be finite, 0 for one.
 *
 * Views whose last axis is dense are read where they lie. The result's memory is laid out `[batch, time, heads, width]`, so that joining the heads again
 * takes no copy. A query has the same bits alone as among others, and with keys behind those that it sees.
 *
 * Throws a RangeError where shapes or offsets do not fit, a TypeError for other element types than f32 and f64, a mix of them, or a disposed tensor.
 *
 * ```ts
 * import { attention, cpu, tensor } from "@tilework/tilework";
 *
 * using q = tensor(cpu, [1, 1, 2, 2], [1, 0, 0, 1]);
 * using v = tensor(cpu, [1, 1, 2, 2], [1, 2, 3, 4]);
 * using y = attention(q, q, v, { causal: true });
 * console.log(y.readSync().slice(0, 2)); // Float32Array [1, 2]: the first position sees itself alone
 * ```
 *
 * @param q `[batch, heads, queries, width]`
 * @param k `[batch, heads / g, keys, width]`
 * @param v `[batch, heads / g, keys, width]`
 * @returns `[batch, heads, queries, width]`
 */
export function attention<D extends Float, B extends number, H extends number, T extends number, W extends number>(
  q: Tensor<D, [B, H, T, W]>,
  k: NoInfer<Tensor<D, [B, number, number, W]>>,
  v: NoInfer<Tensor<D, [B, number, number, W]>>,
  options?: NoInfer<AttentionForwardOptions<D, B, H, T>>,
): Tensor<D, [B, H, T, W]> {
  checkOptions("attention", options, names);
  return attend(q as Tensor, k as Tensor, v as Tensor, options as AnyForward | undefined) as unknown as Tensor<D, [B, H, T, W]>; // q's own shape
}

type AnyForward = AnyOptions & { statistics?: Tensor | undefined };

const none: AnyForward = {};

/** What a call is made of, checked. */
interface Checked {
  mask: Tensor | undefined;
  offsets: Tensor | undefined;
  keyOffsets: Tensor | undefined;
  /** Positions that a query sees before its own and behind it. */
  left: number;
  right: number;
  scale: number;
}

function checkAttention(op: string, q: Tensor, k: Tensor, v: Tensor, options: AnyOptions): Checked {
  checkFloat(op, "q", q);
  checkLike(op, "k", k, "q", q);
  checkLike(op, "v", v, "q", q);
  const { mask, window } = options;
  const causal = checkFlag(op, "causal", options.causal);
  if (q.rank !== 4) throw new RangeError(`${op}: q is ${formatShape(q.shape)}, must be [batch, heads, queries, width]`);
  const [batch, heads, queries, width] = q.shape as unknown as [number, number, number, number]; // the rank was just checked
  const kvHeads = k.shape[1], keys = k.shape[2];
  if (k.rank !== 4 || k.shape[0] !== batch || k.shape[3] !== width) {
    throw new RangeError(
      `${op}: k is ${formatShape(k.shape)}, must be [${batch}, heads, keys, ${width}] for q ${formatShape(q.shape)}`,
    );
  }
  if (kvHeads === 0 ? heads !== 0 : heads % kvHeads! !== 0) {
    throw new RangeError(`${op}: q has ${heads} heads, which is no multiple of the ${kvHeads} of k`);
  }
  checkShapeIs(op, "v", v, k.shape);
  if (window !== undefined) checkSize(op, "window", window, 1);
  const { scale = width === 0 ? 1 : 1 / Math.sqrt(width) } = options;
  checkFinite(op, "scale", scale);
  if (mask !== undefined) checkMask(op, mask, q, [batch, heads, queries, keys!]);
  const { offsets, keyOffsets } = checkOffsets(op, options, q);
  const reach = window === undefined ? Infinity : window - 1;
  return { mask, offsets, keyOffsets, left: reach, right: causal ? 0 : reach, scale };
}

function checkMask(op: string, mask: Tensor, q: Tensor, whole: Shape): void {
  checkTensor(op, "mask", mask);
  checkDevice(op, "mask", mask, "q", q);
  if (mask.dtype !== q.dtype && mask.dtype !== "u32" && mask.dtype !== "i32") {
    throw new TypeError(`${op}: mask is ${mask.dtype}, must be ${q.dtype}, u32 or i32`);
  }
  const fits = mask.rank <= 4 && mask.shape.every((size, i) => size === 1 || size === whole[4 - mask.rank + i]);
  if (!fits) throw new RangeError(`${op}: mask is ${formatShape(mask.shape)}, must broadcast to ${formatShape(whole)}`);
  if (recording(mask)) throw new TypeError(`${op}: no gradient flows into mask; compute it outside of the loss`);
}

function checkOffsets(op: string, options: AnyOptions, q: Tensor): { offsets: Tensor | undefined; keyOffsets: Tensor | undefined } {
  const { offsets } = options;
  const keyOffsets = options.keyOffsets ?? offsets;
  if (offsets === undefined) {
    if (keyOffsets !== undefined) throw new TypeError(`${op}: keyOffsets was given without offsets`);
    return { offsets, keyOffsets };
  }
  for (const [name, x] of [["offsets", offsets], ["keyOffsets", keyOffsets!]] as const) {
    checkTensor(op, name, x);
    checkDevice(op, name, x, "q", q);
    if (x.dtype !== "u32") throw new TypeError(`${op}: ${name} is ${x.dtype}, must be u32`);
    if (x.rank !== 1 || x.shape[0] === 0) throw new RangeError(`${op}: ${name} is ${formatShape(x.shape)}, must be [sequences + 1]`);
  }
  checkShapeIs(op, "keyOffsets", keyOffsets!, offsets.shape);
  if (options.mask !== undefined) throw new TypeError(`${op}: mask and offsets cannot be given together`);
  if (q.shape[0] !== 1) throw new RangeError(`${op}: q is ${formatShape(q.shape)}, must be a batch of 1 where offsets are given`);
  return { offsets, keyOffsets };
}

/** As `check`; where offsets were refused, a RangeError that names the first that is wrong. */
function checkCall(op: string, c: Checked, queries: number, keys: number, code: number): void {
  if (code !== 0 && statusName(code) === "IndexOutOfRange") {
    for (const [name, x, rows] of [["offsets", c.offsets, queries], ["keyOffsets", c.keyOffsets, keys]] as const) {
      const values = x?.readSync() ?? [];
      for (let i = 0; i < values.length; i++) {
        const is = `${op}: ${name}[${i}] is ${values[i]}, must be`;
        if (i === 0 && values[0] !== 0) throw new RangeError(`${is} 0`);
        if (i > 0 && values[i]! < values[i - 1]!) throw new RangeError(`${is} ${values[i - 1]} or more`);
        if (i === values.length - 1 && values[i] !== rows) throw new RangeError(`${is} ${rows}, the length of the axis`);
      }
    }
  }
  check(op, code);
}

function isDense(x: Tensor): boolean {
  return x.isContiguous || ((x.shape[3] === 1 || x.strides[3] === 1) && (x.shape[2]! <= 1 || x.strides[2]! >= 0));
}

/** `x`, or a copy of it where its last axis is not dense. */
function asDense(op: string, x: Tensor): Tensor {
  return isDense(x) ? x : asContiguous(op, x);
}

const forwardHandles = new Uint32Array(8), backwardHandles = new Uint32Array(12);

/** Gives `body` tensors that the library can read where they lie, and frees what had to be copied for that. */
function withReadable(
  op: string,
  rows: readonly Tensor[],
  c: Checked,
  body: (rows: readonly Tensor[], offsets: number, keyOffsets: number) => void,
): void {
  const given = [...rows, c.offsets, c.keyOffsets];
  const readable = given.map((x, i) => x && (i < rows.length ? asDense(op, x) : asContiguous(op, x)));
  try {
    // What was given is there after the call too, dense or not.
    body(readable.slice(0, rows.length) as Tensor[], handleOf(readable[rows.length]), handleOf(readable[rows.length + 1]));
  } finally {
    readable.forEach((x, i) => x === given[i] || x!.dispose());
  }
}

function handleOf(x: Tensor | null | undefined): number {
  return x ? x.handle : 0;
}

function run(op: string, q: Tensor, k: Tensor, v: Tensor, c: Checked, statistics: Tensor | null): Tensor {
  const out = headsInside(op, q);
  withReadable(op, [q, k, v], c, ([q, k, v], offsets, keyOffsets) => {
    forwardHandles.set([out.handle, handleOf(statistics), q!.handle, k!.handle, v!.handle, handleOf(c.mask), offsets, keyOffsets]);
    const code = native.tw_attention(q!.device.handle, forwardHandles, forwardHandles.length, c.left, c.right, c.scale);
    checkCall(op, c, q!.shape[2]!, k!.shape[2]!, code);
  });
  return out;
}

/** A new tensor of the shape of `q`, `[batch, heads, time, width]`, in memory of `[batch, time, heads, width]`. */
function headsInside(op: string, q: Tensor): Tensor {
  const [b, h, t, w] = q.shape as unknown as [number, number, number, number]; // the callers have checked the rank
  const whole = allocate<Float, Shape>(op, q.device, q.dtype as Float, [b, t, h, w]);
  const out = view<Float, Shape>(whole, [b, h, t, w], [t * h * w, w, h * w, 1], 0) as Tensor;
  whole.dispose();
  return out;
}

/** Tensor for the statistics of the queries, of which those without elements have none. */
function statisticsFor(op: string, q: Tensor): Tensor | null {
  if (q.size === 0) return null;
  return allocate<Float, Shape>(op, q.device, q.dtype as Float, [2, ...q.shape.slice(0, 3)]) as Tensor;
}

function attend(q: Tensor, k: Tensor, v: Tensor, options: AnyForward = none): Tensor {
  const op = "attention";
  const c = checkAttention(op, q, k, v, options);
  const given = options.statistics;
  const tracked = recording(q, k, v);
  if (given !== undefined) {
    checkLike(op, "statistics", given, "q", q);
    checkShapeIs(op, "statistics", given, [2, ...q.shape.slice(0, 3)]);
    checkNotRecording(op);
  }
  const statistics = given ?? (tracked ? statisticsFor(op, q) : null);
  const y = run(op, q, k, v, c, statistics);
  if (tracked) {
    const saved = [q, k, v, y, statistics, c.mask, c.offsets, c.keyOffsets].filter((x) => x !== undefined && x !== null);
    record(op, [q, k, v], [y], saved, ([dy], [q, k, v, y, ...rest], wanted) => {
      // The tape holds these by holders of its own, in this order.
      const kept = statistics && rest.shift()!;
      const mask = c.mask && rest.shift(), offsets = c.offsets && rest.shift(), keyOffsets = c.keyOffsets && rest.shift();
      return gradients(op, q!, k!, v!, y!, dy!, kept, { ...c, mask, offsets, keyOffsets }, wanted);
    });
    statistics?.dispose(); // the tape has its own holder
  }
  return y;
}

function gradients(
  op: string,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  y: Tensor,
  dy: Tensor,
  statistics: Tensor | null,
  c: Checked,
  wanted: readonly boolean[],
): (Tensor | null)[] {
  const outs = gradientTensors(op, [q, k, v], wanted);
  withReadable(op, [q, k, v, y, dy], c, ([q, k, v, y, dy], offsets, keyOffsets) => {
    backwardHandles.set([
      ...outs.map(handleOf),
      dy!.handle,
      y!.handle,
      handleOf(statistics),
      q!.handle,
      k!.handle,
      v!.handle,
      handleOf(c.mask),
      offsets,
      keyOffsets,
    ]);
    const code = native.tw_attention_backward(q!.device.handle, backwardHandles, backwardHandles.length, c.left, c.right, c.scale);
    checkCall(op, c, q!.shape[2]!, k!.shape[2]!, code);
  });
  return outs;
}

/** Tensors for the gradients that are wanted: beside each other where the inputs are, so that joining them takes no copy. */
function gradientTensors(op: string, inputs: readonly Tensor[], wanted: readonly boolean[]): (Tensor | null)[] {
  const fresh = (x: Tensor) => allocate(op, x.device, x.dtype, x.shape) as Tensor;
  if (!wanted.every(Boolean)) return inputs.map((x, i) => wanted[i] ? fresh(x) : null);
  return allocateBeside(op, inputs).map((x) => {
    if (isDense(x)) return x;
    x.dispose();
    return fresh(x);
  });
}

/** Options of `attentionBackward`. */
export interface AttentionBackwardOptions<D extends Float, B extends number, H extends number, T extends number, W extends number>
  extends AttentionOptions<D> {
  /** The result of `attention` and the statistics that it left; without them both are computed anew. */
  forward?: { y: Tensor<D, [B, H, T, W]>; statistics: Tensor<D, [2, B, H, T]> } | undefined;
}

/** The gradients of attention. */
export interface AttentionGradients<D extends Float, Q extends Shape, K extends Shape> {
  /** The gradient of `q`. */
  q: Tensor<D, Q>;
  /** The gradient of `k`, summed over the heads that share one of its own. */
  k: Tensor<D, K>;
  /** The gradient of `v`, likewise. */
  v: Tensor<D, K>;
}

const backwardNames = optionNames<AttentionBackwardOptions<Float, number, number, number, number>>({
  causal: true,
  window: true,
  mask: true,
  offsets: true,
  keyOffsets: true,
  scale: true,
  forward: true,
});

const forwardNames = optionNames<NonNullable<AttentionBackwardOptions<Float, number, number, number, number>["forward"]>>({
  y: true,
  statistics: true,
});

/**
 * Gradients of `attention`: with P the probabilities and `D = Σ dy·y` of a query, `dS = P ∘ (dy @ vᵀ − D)`, `dv = Pᵀ @ dy`, `dk = scale · dSᵀ @ q` and
 * `dq = scale · dS @ k`.
 *
 * Probabilities are computed again, tile by tile. The same bits for any number of workers.
 *
 * ```ts
 * import { attentionBackward, cpu, tensor } from "@tilework/tilework";
 *
 * using q = tensor(cpu, [1, 1, 2, 2], [1, 0, 0, 1]);
 * using dy = tensor(cpu, [1, 1, 2, 2], [1, 2, 3, 4]);
 * const g = attentionBackward(q, q, q, dy, { causal: true });
 * console.log(g.q.readSync().slice(0, 2)); // Float32Array [0, 0]: the first position has no choice
 * ```
 *
 * @param q `[batch, heads, queries, width]`, as in the forward call
 * @param k `[batch, heads / g, keys, width]`
 * @param v `[batch, heads / g, keys, width]`
 * @param dy the gradient of the output, of the shape of `q`
 */
export function attentionBackward<
  D extends Float,
  B extends number,
  H extends number,
  T extends number,
  W extends number,
  K extends [B, number, number, W],
>(
  q: Tensor<D, [B, H, T, W]>,
  k: Tensor<D, K>,
  v: NoInfer<Tensor<D, K>>,
  dy: NoInfer<Tensor<D, [B, H, T, W]>>,
  options?: NoInfer<AttentionBackwardOptions<D, B, H, T, W>>,
): AttentionGradients<D, [B, H, T, W], K> {
  checkOptions("attentionBackward", options, backwardNames);
  const all = backward(q as Tensor, k as unknown as Tensor, v as unknown as Tensor, dy as Tensor, options as AnyBackward | undefined);
  return all as unknown as AttentionGradients<D, [B, H, T, W], K>; // shapes as the inputs' own
}

type AnyBackward = AnyOptions & { forward?: { y: Tensor; statistics: Tensor } | undefined };

function backward(q: Tensor, k: Tensor, v: Tensor, dy: Tensor, options: AnyBackward = none) {
  const op = "attentionBackward";
  const c = checkAttention(op, q, k, v, options);
  checkLike(op, "dy", dy, "q", q);
  checkShapeIs(op, "dy", dy, q.shape);
  checkNotRecording(op);
  const { forward } = options;
  if (forward !== undefined) {
    checkOptions(op, forward, forwardNames, "forward");
    checkLike(op, "forward.y", forward.y, "q", q);
    checkShapeIs(op, "forward.y", forward.y, q.shape);
    checkLike(op, "forward.statistics", forward.statistics, "q", q);
    checkShapeIs(op, "forward.statistics", forward.statistics, [2, ...q.shape.slice(0, 3)]);
  }
  const statistics = forward?.statistics ?? statisticsFor(op, q);
  const y = forward?.y ?? run(op, q, k, v, c, statistics);
  const [dq, dk, dv] = gradients(op, q, k, v, y, dy, statistics, c, [true, true, true]);
  if (forward === undefined) { for (const x of [y, statistics]) x?.dispose(); }
  return { q: dq, k: dk, v: dv };
}

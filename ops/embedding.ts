/** Embedding. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { DType, Float, Integer } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { checkLabels } from "../core/labels.ts";
import {
  asContiguous,
  asRows,
  checkDevice,
  checkFlag,
  checkFloat,
  checkInteger,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  named,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out, Rule } from "../core/op.ts";
import { checkOptions, optionNames, outOf } from "../core/options.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** The parameters of an embedding: weight `[vocabulary, width]`, one row an id. */
export type Embedding<V extends number = number, W extends number = number, D extends Float = "f32"> = { weight: Tensor<D, [V, W]> };

interface AnyEmbedding {
  weight: Tensor;
}

/**
 * Rows of a table, by id: `y[…, :] = weight[ids[…], :]`.
 *
 * Throws a RangeError that names the first id outside the table, before anything is written, or where shapes do not fit; a TypeError for ids that are
 * not i32 or u32, a weight that is not f32 or f64, or a disposed tensor. On a GPU nobody looks at the ids beforehand: one outside the table gives a row of
 * NaN, and no gradient.
 *
 * ```ts
 * import { cpu, embedding, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [3, 2], [0, 1, 10, 11, 20, 21]);
 * using ids = tensor(cpu, [2], new Uint32Array([2, 0]));
 * using y = embedding(ids, { weight });
 * console.log(y.readSync()); // Float32Array [20, 21, 0, 1]
 * ```
 *
 * @param ids `[…]`, each from 0 to vocabulary − 1
 * @param p weight `[vocabulary, width]`
 * @returns `[…, width]`
 */
export function embedding<D extends Float, S extends Shape, V extends number, W extends number>(
  ids: Tensor<Integer, S>,
  p: Embedding<V, W, D>,
  options?: NoInfer<Out<D, [...S, W]>>,
): Tensor<D, [...S, W]> {
  return forward(
    "embedding",
    ids as Tensor,
    p as unknown as AnyEmbedding,
    outOf("embedding", options) as Tensor | undefined,
  ) as unknown as Tensor<
    D,
    [...S, W]
  >; // checked again, as numbers
}

/** Checks ids and table; returns the shape of the looked-up rows. */
function checkEmbedding(op: string, ids: Tensor, p: AnyEmbedding): number[] {
  checkInteger(op, "ids", ids);
  if (typeof p !== "object" || p === null) throw new TypeError(`${op}: parameters must be { weight }, got ${formatValue(p)}`);
  const weight: Tensor = p.weight;
  checkFloat(op, "weight", weight);
  checkDevice(op, "ids", ids, "weight", weight);
  if (weight.rank !== 2) {
    throw new RangeError(`${op}: ${named("weight", weight)} is ${formatShape(weight.shape)}, must be [vocabulary, width]`);
  }
  return [...ids.shape, weight.shape[1]!];
}

function forward(op: string, ids: Tensor, p: AnyEmbedding, to: Tensor | undefined): Tensor {
  const shape = checkEmbedding(op, ids, p);
  const { weight } = p;
  const out = output<DType, Shape>(op, weight, weight.dtype, shape, to) as Tensor;
  const dense = asContiguous(op, ids), table = asRows(op, weight);
  const code = native.tw_embedding(weight.device.handle, out.handle, dense.handle, table.handle);
  if (dense !== ids) dense.dispose();
  if (table !== weight) table.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkLabels(op, "ids", ids, () => allowed(weight), code);
  if (recording(weight)) {
    // A table that is used again has a sum already: its rows are added there, instead of a whole table of zeros and a few rows.
    const rule: Rule = ([dy], [ids], _wanted, [sum]) => [
      gradient("embeddingBackward", ids!, weight.shape, dy!, sum ?? undefined, sum !== null),
    ];
    record(op, [weight], [out], [ids], rule, { fresh: true });
  }
  return out;
}

function allowed(weight: { shape: Shape }): string {
  return weight.shape[0] === 0 ? "absent: the table has no rows" : `from 0 to ${weight.shape[0]! - 1}`;
}

/** Options of `embeddingBackward`. */
export interface EmbeddingBackwardOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** Adds to what `out` holds, in the order of the positions, and leaves rows of ids that do not occur as they are; off. */
  accumulate?: boolean;
}

const backwardNames = optionNames<EmbeddingBackwardOptions<Float, Shape>>({ out: true, accumulate: true });

/**
 * Gradient of `embedding`: `dweight[v, :] = Σ dy[i, :]` over the positions i with id v, in their order; zeros for ids that do not occur, unless
 * `accumulate` adds to `out`. The same bits for any number of workers.
 *
 * Throws what `embedding` throws, and a TypeError where `accumulate` is set without an `out`.
 *
 * ```ts
 * import { cpu, embeddingBackward, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [3, 2], [0, 1, 10, 11, 20, 21]);
 * using ids = tensor(cpu, [3], new Uint32Array([2, 0, 2]));
 * using dy = tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]);
 * using dweight = embeddingBackward(ids, { weight }, dy);
 * console.log(dweight.readSync()); // Float32Array [3, 4, 0, 0, 6, 8]
 * ```
 *
 * @param ids `[…]`, as in the forward call
 * @param p weight `[vocabulary, width]`; only its shape is used
 * @param dy the gradient of the output, `[…, width]`
 * @returns the gradient of `weight`
 */
export function embeddingBackward<D extends Float, S extends Shape, V extends number, W extends number>(
  ids: Tensor<Integer, S>,
  p: Embedding<V, W, D>,
  dy: NoInfer<Tensor<D, [...S, W]>>,
  options?: NoInfer<EmbeddingBackwardOptions<D, [V, W]>>,
): Tensor<D, [V, W]> {
  const op = "embeddingBackward";
  const shape = checkEmbedding(op, ids as Tensor, p as unknown as AnyEmbedding); // checked again, as numbers
  const { weight } = p as unknown as AnyEmbedding;
  checkLike(op, "dy", dy as Tensor, "weight", weight);
  checkShapeIs(op, "dy", dy as Tensor, shape);
  checkNotRecording(op);
  checkOptions(op, options, backwardNames);
  const out = options?.out as Tensor | undefined, accumulate = checkFlag(op, "accumulate", options?.accumulate);
  if (accumulate && out === undefined) throw new TypeError(`${op}: accumulate is set, but there is no out to add to`);
  return gradient(op, ids as Tensor, weight.shape, dy as Tensor, out, accumulate) as unknown as Tensor<D, [V, W]>; // of weight's own shape
}

function gradient(op: string, ids: Tensor, shape: Shape, dy: Tensor, to: Tensor | undefined, accumulate: boolean): Tensor {
  const out = output<DType, Shape>(op, dy, dy.dtype, shape, to) as Tensor;
  const dense = asContiguous(op, ids), rows = asRows(op, dy);
  const code = native.tw_embedding_backward(dy.device.handle, out.handle, rows.handle, dense.handle, accumulate ? 1 : 0);
  if (dense !== ids) dense.dispose();
  if (rows !== dy) rows.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkLabels(op, "ids", ids, () => allowed({ shape }), code);
  return out;
}

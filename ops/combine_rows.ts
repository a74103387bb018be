/** Rows in expert order back to their own order, weighted and added. */

import { RangeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { asContiguous, asRows, checkFloat, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import { formatShape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { type AnyOrder, checkOrder, checkPlaces, type ExpertOrder } from "./expert_order.ts";

/**
 * The weighted answers of each row's experts: `y[r, :] = Σ_s weights[r, s]·h[places[r, s], :]`, the slots in their order.
 *
 * Throws a RangeError where shapes do not fit, or naming the first of `order.places` that `order.order` does not undo, before anything is written; a
 * TypeError for other element types than f32 and f64, a mix of them, or a disposed tensor. On a GPU nobody looks at the order beforehand: rows
 * for which the two do not undo each other are NaN, and have no gradient.
 *
 * ```ts
 * import { combineRows, cpu, expertOrder, tensor } from "@tilework/tilework";
 *
 * using indices = tensor(cpu, [2, 2], new Uint32Array([1, 0, 0, 1]));
 * const order = expertOrder(indices, { experts: 2 });
 * using h = tensor(cpu, [4, 1], [1, 2, 10, 20]);
 * using weights = tensor(cpu, [2, 2], [0.5, 0.5, 0.25, 0.75]);
 * using y = combineRows(h, weights, order);
 * console.log(y.readSync()); // Float32Array [5.5, 15.5]
 * ```
 *
 * @param h `[rows·k, width]`, in expert order
 * @param weights `[rows, k]`
 * @param order of `rows` rows
 * @returns `[rows, width]`
 */
export function combineRows<D extends Float, R extends number, W extends number, K extends number>(
  h: Tensor<D, [number, W]>,
  weights: Tensor<NoInfer<D>, [R, K]>,
  order: NoInfer<ExpertOrder<R, K>>,
  options?: NoInfer<Out<D, [R, W]>>,
): Tensor<D, [R, W]> {
  const to = outOf("combineRows", options) as Tensor | undefined;
  return forward("combineRows", h as Tensor, weights as Tensor, order as unknown as AnyOrder, to) as unknown as Tensor<D, [R, W]>; // of h's dtype and width
}

function checkCombine(op: string, h: Tensor, weights: Tensor, order: AnyOrder): void {
  checkFloat(op, "h", h);
  const { rows, slots } = checkOrder(op, order, "h", h);
  if (h.rank !== 2 || h.shape[0] !== rows * slots) {
    throw new RangeError(`${op}: h is ${formatShape(h.shape)}, must be [${rows * slots}, width]`);
  }
  checkLike(op, "weights", weights, "h", h);
  checkShapeIs(op, "weights", weights, [rows, slots]);
}

function forward(op: string, h: Tensor, weights: Tensor, order: AnyOrder, to: Tensor | undefined): Tensor {
  checkCombine(op, h, weights, order);
  const out = output(op, h, h.dtype, [weights.shape[0]!, h.shape[1]!], to) as Tensor;
  const from = asRows(op, h), dense = asContiguous(op, weights);
  const code = native.tw_combine_rows(h.device.handle, out.handle, from.handle, dense.handle, order.order.handle, order.places.handle);
  if (from !== h) from.dispose();
  if (dense !== weights) dense.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkPlaces(op, order, code);
  if (recording(h, weights)) {
    record(op, [h, weights], [out], [h, weights, order.order, order.places], ([dy], [h, weights, order, places], wanted) => {
      const given = { offsets: order!, order: order!, places: places! }; // offsets are not looked at
      const g = gradients("combineRowsBackward", h!, weights!, given, dy!, wanted[0]!, wanted[1]!);
      return [g.h, g.weights];
    }, { fresh: true });
  }
  return out;
}

/** The gradients of `combineRows`. */
export interface CombineRowsGradients<D extends Float, R extends number, W extends number, K extends number> {
  /** `weights[r, s]·dy[r, :]` at the place of row r and slot s. */
  h: Tensor<D, [number, W]>;
  /** The inner product of `dy[r, :]` and the answer at the place of row r and slot s. */
  weights: Tensor<D, [R, K]>;
}

/**
 * Gradients of `combineRows`: `dh[places[r, s], :] = weights[r, s]·dy[r, :]` and `dweights[r, s] = ⟨dy[r, :], h[places[r, s], :]⟩`, in one pass.
 *
 * ```ts
 * import { combineRowsBackward, cpu, expertOrder, tensor } from "@tilework/tilework";
 *
 * using indices = tensor(cpu, [2, 2], new Uint32Array([1, 0, 0, 1]));
 * const order = expertOrder(indices, { experts: 2 });
 * using h = tensor(cpu, [4, 1], [1, 2, 10, 20]);
 * using weights = tensor(cpu, [2, 2], [0.5, 0.5, 0.25, 0.75]);
 * using dy = tensor(cpu, [2, 1], [1, 2]);
 * const g = combineRowsBackward(h, weights, order, dy);
 * console.log(g.h.readSync(), g.weights.readSync()); // Float32Array [0.5, 0.5, 0.5, 1.5] Float32Array [10, 1, 4, 40]
 * ```
 *
 * @param h as in the forward call
 * @param weights as in the forward call
 * @param order as in the forward call
 * @param dy the gradient of the output, `[rows, width]`
 */
export function combineRowsBackward<D extends Float, R extends number, W extends number, K extends number>(
  h: Tensor<D, [number, W]>,
  weights: Tensor<NoInfer<D>, [R, K]>,
  order: NoInfer<ExpertOrder<R, K>>,
  dy: NoInfer<Tensor<D, [R, W]>>,
): CombineRowsGradients<D, R, W, K> {
  const op = "combineRowsBackward";
  checkCombine(op, h as Tensor, weights as Tensor, order as unknown as AnyOrder);
  checkLike(op, "dy", dy as Tensor, "h", h as Tensor);
  checkShapeIs(op, "dy", dy as Tensor, [weights.shape[0], h.shape[1]]);
  checkNotRecording(op);
  const g = gradients(op, h as Tensor, weights as Tensor, order as unknown as AnyOrder, dy as Tensor, true, true);
  return g as unknown as CombineRowsGradients<D, R, W, K>; // shapes as the inputs' own
}

function gradients(
  op: string,
  h: Tensor,
  weights: Tensor,
  order: AnyOrder,
  dy: Tensor,
  wantH: boolean,
  wantWeights: boolean,
): { h: Tensor | null; weights: Tensor | null } {
  const dh = wantH ? allocate(op, h.device, h.dtype, h.shape) as Tensor : null;
  const dweights = wantWeights ? allocate(op, h.device, h.dtype, weights.shape) as Tensor : null;
  const rows = asRows(op, h), dyRows = asRows(op, dy), dense = asContiguous(op, weights);
  const code = native.tw_combine_rows_backward(
    h.device.handle,
    dh === null ? 0 : dh.handle,
    dweights === null ? 0 : dweights.handle,
    dyRows.handle,
    rows.handle,
    dense.handle,
    order.order.handle,
    order.places.handle,
  );
  if (rows !== h) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  if (dense !== weights) dense.dispose();
  if (isFailure(code)) {
    dh?.dispose();
    dweights?.dispose();
  }
  checkPlaces(op, order, code);
  return { h: dh, weights: dweights };
}

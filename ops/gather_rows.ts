/** Rows to expert order. */

import { RangeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { asRows, checkFloat, checkNotRecording, checkShapeIs, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import { formatShape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { type AnyOrder, checkOrder, checkPlaces, type ExpertOrder } from "./expert_order.ts";

/**
 * The rows of `x` in expert order, each once for each of its slots: `y[places[r, s], :] = x[r, :]`.
 *
 * Throws a RangeError where shapes do not fit, or naming the first of `order.places` that `order.order` does not undo, before anything is written; a
 * TypeError for other element types than f32 and f64, or a disposed tensor. On a GPU nobody looks at the order beforehand: rows
 * for which the two do not undo each other are NaN, and have no gradient.
 *
 * ```ts
 * import { cpu, expertOrder, gatherRows, tensor } from "@tilework/tilework";
 *
 * using indices = tensor(cpu, [2, 2], new Uint32Array([1, 0, 0, 1]));
 * const order = expertOrder(indices, { experts: 2 });
 * using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
 * using y = gatherRows(x, order);
 * console.log(y.readSync()); // Float32Array [1, 2, 3, 4, 1, 2, 3, 4]: both rows at each expert
 * ```
 *
 * @param x `[rows, width]`
 * @param order of `rows` rows
 * @returns `[rows·k, width]`
 */
export function gatherRows<D extends Float, R extends number, W extends number, K extends number>(
  x: Tensor<D, [R, W]>,
  order: ExpertOrder<NoInfer<R>, K>,
  options?: NoInfer<Out<D, [number, W]>>,
): Tensor<D, [number, W]> {
  const to = outOf("gatherRows", options) as Tensor | undefined;
  return forward("gatherRows", x as Tensor, order as unknown as AnyOrder, to) as unknown as Tensor<D, [number, W]>; // of x's dtype and width
}

function forward(op: string, x: Tensor, order: AnyOrder, to: Tensor | undefined): Tensor {
  checkFloat(op, "x", x);
  const { rows, slots } = checkOrder(op, order, "x", x);
  if (x.rank !== 2 || x.shape[0] !== rows) throw new RangeError(`${op}: x is ${formatShape(x.shape)}, must be [${rows}, width]`);
  const out = output(op, x, x.dtype, [rows * slots, x.shape[1]!], to) as Tensor;
  const from = asRows(op, x as Tensor);
  const code = native.tw_gather_rows(x.device.handle, out.handle, from.handle, order.order.handle, order.places.handle);
  if (from !== x) from.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkPlaces(op, order, code);
  if (recording(x)) {
    record(op, [x], [out], [order.order, order.places], ([dy], [order, places]) => {
      return [gradient("gatherRowsBackward", dy!, { offsets: order!, order: order!, places: places! }, undefined)]; // offsets are not looked at
    }, { fresh: true });
  }
  return out;
}

/**
 * Gradient of `gatherRows`: `dx[r, :] = Σ_s dy[places[r, s], :]`, the slots in their order.
 *
 * ```ts
 * import { cpu, expertOrder, gatherRowsBackward, tensor } from "@tilework/tilework";
 *
 * using indices = tensor(cpu, [2, 2], new Uint32Array([1, 0, 0, 1]));
 * const order = expertOrder(indices, { experts: 2 });
 * using dy = tensor(cpu, [4, 1], [1, 2, 10, 20]);
 * using dx = gatherRowsBackward(dy, order);
 * console.log(dx.readSync()); // Float32Array [11, 22]
 * ```
 *
 * @param dy the gradient of the output, `[rows·k, width]`
 * @param order as in the forward call
 * @returns the gradient of `x`, `[rows, width]`
 */
export function gatherRowsBackward<D extends Float, R extends number, W extends number, K extends number>(
  dy: Tensor<D, [number, W]>,
  order: ExpertOrder<R, K>,
  options?: NoInfer<Out<D, [R, W]>>,
): Tensor<D, [R, W]> {
  const op = "gatherRowsBackward";
  checkFloat(op, "dy", dy);
  const { rows, slots } = checkOrder(op, order as unknown as AnyOrder, "dy", dy as Tensor);
  if (dy.rank !== 2) throw new RangeError(`${op}: dy is ${formatShape(dy.shape)}, must be [${rows * slots}, width]`);
  checkShapeIs(op, "dy", dy as Tensor, [rows * slots, dy.shape[1]]);
  checkNotRecording(op);
  const to = outOf(op, options) as Tensor | undefined;
  return gradient(op, dy as Tensor, order as unknown as AnyOrder, to) as unknown as Tensor<D, [R, W]>; // of dy's dtype and width
}

function gradient(op: string, dy: Tensor, order: AnyOrder, to: Tensor | undefined): Tensor {
  const out = output(op, dy, dy.dtype, [order.places.shape[0]!, dy.shape[1]!], to) as Tensor;
  const from = asRows(op, dy);
  const code = native.tw_gather_rows_backward(dy.device.handle, out.handle, from.handle, order.order.handle, order.places.handle);
  if (from !== dy) from.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkPlaces(op, order, code);
  return out;
}

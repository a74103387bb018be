/** The order of rows by expert, in which an expert's rows lie side by side. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Integer } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { checkLabels } from "../core/labels.ts";
import { asContiguous, checkDevice, checkInteger, checkTensor } from "../core/op.ts";
import { checkNeeded, optionNames } from "../core/options.ts";
import { checkSize, formatShape, formatValue } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * Where the rows of each expert lie. Every row stands there once for each expert that it chose; no row is dropped, and none is added to fill an
 * expert up.
 */
export interface ExpertOrder<R extends number = number, K extends number = number> {
  /** `[experts + 1]`: expert e has the places from `offsets[e]` to `offsets[e + 1]`, the second excluded; its load is the difference. */
  offsets: Tensor<"u32", [number]>;
  /** `[rows·k]`: what stands at each place, `row·k + slot`. */
  order: Tensor<"u32", [number]>;
  /** `[rows, k]`: the place of each row and slot. */
  places: Tensor<"u32", [R, K]>;
}

const names = optionNames<{ experts: number }>({ experts: true });

/**
 * The stable order of rows by expert, from the experts that each row chose. Rows of one expert keep their order, so the result is the same for any
 * number of workers.
 *
 * Throws a RangeError that names the first index which is no expert, before anything is written, or where `indices` is no matrix; a TypeError for
 * indices that are not i32 or u32, or a disposed tensor. On a GPU nobody looks at the indices beforehand: one that is no expert counts as the last.
 *
 * ```ts
 * import { cpu, expertOrder, tensor } from "@tilework/tilework";
 *
 * using indices = tensor(cpu, [3, 2], new Uint32Array([2, 0, 0, 2, 2, 0]));
 * const { offsets, order, places } = expertOrder(indices, { experts: 3 });
 * console.log(offsets.readSync()); // Uint32Array [0, 3, 3, 6]
 * console.log(order.readSync()); // Uint32Array [1, 2, 5, 0, 3, 4]
 * console.log(places.readSync()); // Uint32Array [3, 0, 1, 4, 5, 2]
 * ```
 *
 * @param indices `[rows, k]`, each from 0 to experts − 1, such as those of `route`
 */
export function expertOrder<R extends number, K extends number>(
  indices: Tensor<Integer, [R, K]>,
  options: { experts: number },
): ExpertOrder<R, K> {
  checkNeeded("expertOrder", options, names);
  return sort("expertOrder", indices as Tensor, options) as unknown as ExpertOrder<R, K>; // of the shape of indices
}

function sort(op: string, indices: Tensor, options: { experts: number }): AnyOrder {
  checkInteger(op, "indices", indices);
  if (indices.rank !== 2) throw new RangeError(`${op}: indices is ${formatShape(indices.shape)}, must be [rows, k]`);
  const experts = checkSize(op, "experts", options.experts, 0, 2 ** 32 - 2);
  if (indices.size >= 2 ** 32) {
    throw new RangeError(`${op}: indices is ${formatShape(indices.shape)}: more than 2^32 - 1 cannot be counted`);
  }
  const offsets = allocate(op, indices.device, "u32", [experts + 1]) as Tensor;
  const order = allocate(op, indices.device, "u32", [indices.size]) as Tensor;
  const places = allocate(op, indices.device, "u32", indices.shape) as Tensor;
  const dense = asContiguous(op, indices);
  const code = native.tw_expert_order(indices.device.handle, offsets.handle, order.handle, places.handle, dense.handle);
  if (dense !== indices) dense.dispose();
  if (isFailure(code)) { for (const x of [offsets, order, places]) x.dispose(); }
  checkLabels(op, "indices", indices, () => experts === 0 ? "absent: there are no experts" : `from 0 to ${experts - 1}`, code);
  return { offsets, order, places };
}

/** An order of any size. @internal */
export interface AnyOrder {
  offsets: Tensor;
  order: Tensor;
  places: Tensor;
}

/** Checks an order's tensors, whose numbers the library looks at; returns its rows and slots. @internal */
export function checkOrder(op: string, order: AnyOrder, likeName: string, like: Tensor): { rows: number; slots: number } {
  if (typeof order !== "object" || order === null) {
    throw new TypeError(`${op}: order must be { offsets, order, places }, got ${formatValue(order)}`);
  }
  for (const name of ["order", "places"] as const) {
    const x = order[name];
    checkTensor(op, `order.${name}`, x);
    if (x.dtype !== "u32") throw new TypeError(`${op}: order.${name} is ${x.dtype}, must be u32`);
    checkDevice(op, `order.${name}`, x, likeName, like);
    if (!x.isContiguous) throw new RangeError(`${op}: order.${name} is a view with gaps`);
  }
  const { places } = order;
  if (places.rank !== 2) throw new RangeError(`${op}: order.places is ${formatShape(places.shape)}, must be [rows, k]`);
  if (order.order.rank !== 1 || order.order.size !== places.size) {
    throw new RangeError(`${op}: order.order is ${formatShape(order.order.shape)}, must be [${places.size}]`);
  }
  return { rows: places.shape[0]!, slots: places.shape[1]! };
}

/** As `check`; where places and order do not undo each other, a RangeError that names the first such place. @internal */
export function checkPlaces(op: string, order: AnyOrder, code: number): void {
  checkLabels(op, "order.places", order.places, () => "where order.order holds its row and slot", code);
}

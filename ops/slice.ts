/** A part of a tensor along one axis. */

import { RangeError, TypeError } from "../core/errors.ts";
import { check, checkTensor, record, recording } from "../core/op.ts";
import type { DType } from "../core/dtype.ts";
import { formatShape, formatValue, normalizeAxis } from "../core/shape.ts";
import type { AxisGuard, Replaced, Shape } from "../core/shape.ts";
import { allocate, type Tensor, view } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * A view of the indices from `start` to before `end` along one axis. Negative numbers count from the end, and without `end` the part reaches to it:
 * `slice(x, 1, -1)` is the last column. A view is a second tensor on the
 * same memory: nothing is copied, writing to one changes the other, and each keeps the memory alive.
 *
 * Throws a RangeError for an axis that does not exist, or a start and end that are not in order and within the axis; a TypeError for a disposed tensor.
 *
 * ```ts
 * import { cpu, slice, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using y = slice(x, 1, 1);
 * using last = slice(x, 0, -1);
 * console.log(y.readSync(), last.readSync()); // Float32Array [2, 3, 5, 6] Float32Array [4, 5, 6]
 * ```
 */
export function slice<D extends DType, S extends Shape, const X extends number>(
  x: Tensor<D, S> & AxisGuard<"slice", S, X>,
  axis: X,
  start: number,
  end?: number,
): Tensor<D, Replaced<S, X, [number]>> {
  const t = x as unknown as Tensor; // the guard is a type without a value
  const op = "slice";
  checkTensor(op, "x", t);
  const at = normalizeAxis(op, axis, t.rank);
  const size = t.shape[at]!;
  const from = position(t, at, "start", start), to = end === undefined ? size : position(t, at, "end", end);
  if (from > to) throw new RangeError(`${op}: start ${start} lies behind end ${end} on axis ${axis} of ${formatShape(t.shape)}`);
  return part(op, t, at, from, to - from) as unknown as Tensor<D, Replaced<S, X, [number]>>; // x's shape but for the axis
}

function position(x: Tensor, axis: number, name: string, value: unknown): number {
  const size = x.shape[axis]!;
  if (!Number.isInteger(value)) {
    const text = `slice: ${name} must be a whole number, got ${formatValue(value)}`;
    throw typeof value === "number" ? new RangeError(text) : new TypeError(text);
  }
  const index = value as number; // just looked at
  if (index < -size || index > size) {
    throw new RangeError(`slice: ${name} ${index} is out of range for axis ${axis} of ${formatShape(x.shape)}`);
  }
  return index < 0 ? index + size : index;
}

/** A view of `count` indices from `start` on. @internal */
export function part(op: string, x: Tensor, axis: number, start: number, count: number): Tensor {
  const out = range(x, axis, start, count);
  if (recording(x)) {
    const whole = x.shape;
    // The rest of x had no part in the result: its gradient is 0.
    record(op, [x], [out], [], ([dy]) => {
      const dx = allocate<DType, Shape>(op, dy!.device, dy!.dtype, whole) as Tensor;
      check(op, native.tw_fill(dx.device.handle, dx.handle, 0));
      place(op, dy!, dx, axis, start);
      return [dx];
    });
  }
  return out;
}

/** The view alone, not recorded. @internal */
export function range(x: Tensor, axis: number, start: number, count: number): Tensor {
  const shape = x.shape.slice();
  shape[axis] = count;
  // An empty part may lie at the very end: any place inside will do.
  const offset = shape.includes(0) ? x.offset : x.offset + start * x.strides[axis]!;
  return view<DType, Shape>(x, shape, x.strides, offset) as Tensor;
}

/** Copies `x` to the indices of `out` from `start` on. @internal */
export function place(op: string, x: Tensor, out: Tensor, axis: number, start: number): void {
  const target = range(out, axis, start, x.shape[axis]!);
  try {
    check(op, native.tw_copy(x.device.handle, target.handle, x.handle));
  } finally {
    target.dispose();
  }
}

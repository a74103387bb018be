/** Tensors joined along one axis. */

import { RangeError, TypeError } from "../core/errors.ts";
import { checkLike, checkTensor, record, recording } from "../core/op.ts";
import type { DType } from "../core/dtype.ts";
import { formatShape, formatValue, normalizeAxis } from "../core/shape.ts";
import type { AxisGuard, Replaced, Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { place, range } from "./slice.ts";

/**
 * A new tensor that holds the given ones side by side along one axis. All other sizes are equal. Their number need not be known: of a list, all are of one
 * type, such as `Tensor<"f32", [number, 4]>[]`.
 *
 * Throws a RangeError for an axis that does not exist or sizes that differ elsewhere, a TypeError for an empty list, a mix of element types or a disposed
 * tensor.
 *
 * ```ts
 * import { concat, cpu, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [2, 1], [1, 2]);
 * using b = tensor(cpu, [2, 2], [10, 20, 30, 40]);
 * using c = concat([a, b], 1);
 * console.log(c.readSync()); // Float32Array [1, 10, 20, 2, 30, 40]
 * ```
 */
export function concat<const T extends readonly DType[], const L extends readonly Shape[], const X extends number>(
  // The element types and the shapes, one for all of a list whose length is not known. The first says what the others have to be.
  tensors:
    & readonly [...{ [I in keyof T]: Tensor<T[I]> }]
    & readonly [...{ [I in keyof L]: Tensor<DType, L[I]> }]
    & readonly (Tensor<T[0], L[0]> | Tensor<T[0], Replaced<L[0], X, [number]>>)[]
    & ConcatGuard<L, X>,
  axis: X,
): Tensor<T[0], Replaced<L[0], X, [number]>> {
  return joined(tensors as unknown as readonly Tensor[], axis) as unknown as Tensor<T[0], Replaced<L[0], X, [number]>>; // sizes are compared below
}

/** @internal `unknown` if the list holds a tensor and the first one has axis X or may have it, else a sentence that says what is wrong. */
type ConcatGuard<L extends readonly Shape[], X extends number> = L["length"] extends 0 ? "concat: tensors must hold one tensor or more"
  : AxisGuard<"concat", L[0], X>;

function joined(tensors: readonly Tensor[], axis: number): Tensor {
  const op = "concat";
  if (!Array.isArray(tensors)) throw new TypeError(`${op}: tensors must be an array of tensors, got ${formatValue(tensors)}`);
  const first: unknown = tensors[0];
  if (first === undefined) throw new TypeError(`${op}: tensors must hold one tensor or more`);
  checkTensor(op, "tensors[0]", first);
  const at = normalizeAxis(op, axis, first.rank);
  const shape = first.shape.slice();
  tensors.forEach((x, i) => {
    if (i === 0) return;
    checkLike(op, `tensors[${i}]`, x, "tensors[0]", first);
    if (x.rank !== first.rank || x.shape.some((size, k) => k !== at && size !== first.shape[k])) {
      throw new RangeError(
        `${op}: tensors[${i}] is ${formatShape(x.shape)}, tensors[0] is ${formatShape(first.shape)}: sizes differ beside axis ${axis}`,
      );
    }
    shape[at]! += x.shape[at]!;
  });
  const out = allocate<DType, Shape>(op, first.device, first.dtype, shape) as Tensor;
  const starts: number[] = [];
  let start = 0;
  for (const x of tensors) {
    starts.push(start);
    place(op, x, out, at, start);
    start += x.shape[at]!;
  }
  if (recording(...tensors)) {
    const counts = tensors.map((x) => x.shape[at]!);
    // Each tensor's gradient is its part of dy: a view.
    record(op, tensors, [out], [], ([dy], _, wanted) => counts.map((count, i) => wanted[i] ? range(dy!, at, starts[i]!, count) : null));
  }
  return out;
}

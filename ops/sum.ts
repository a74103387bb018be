/** Sums. */

import { asContiguous, check, checkFlag, checkTensor, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { OptionNames } from "../core/options.ts";
import type { DType } from "../core/dtype.ts";
import { contiguousStrides, normalizeAxis, sameShape } from "../core/shape.ts";
import type { AxisGuard, Replaced, Shape } from "../core/shape.ts";
import { allocate, type Tensor, view } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Options of `sum` and `mean` over one axis. */
export interface ReduceOptions<D extends DType, S extends Shape, X extends number, K extends boolean> extends Out<D, Reduced<S, X, K>> {
  /** The axis to sum over; from the end where negative. */
  axis: X;
  /** Keeps the axis, with one element. */
  keepDims?: K;
}

/** @internal A shape without axis X, or with 1 in its place. */
export type Reduced<S extends Shape, X extends number, K extends boolean> = Replaced<S, X, [K] extends [true] ? [1] : []>;

/** @internal The names of `ReduceOptions`. */
export const reduceNames: OptionNames = optionNames<ReduceOptions<DType, Shape, number, boolean>>({
  out: true,
  axis: true,
  keepDims: true,
});

/**
 * Sum over one axis, or over all elements: `out = Σ x`. Without terms it is 0.
 *
 * The order of every sum is fixed by sizes alone, so its bits are the same for any worker count, instruction set and layout. f32 is summed in f64 and
 * rounded once; integers wrap. A GPU, which has no f64, adds f32 with what its roundings lose beside it, about as exact; but a sum that passes the range of
 * f32 on the way stays infinite there.
 *
 * Throws a RangeError for an axis that does not exist or an `out` of another shape, a TypeError for a disposed tensor, or an `out` that is not contiguous
 * or overlaps `x`.
 *
 * ```ts
 * import { cpu, sum, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using rows = sum(x, { axis: 1 });
 * using all = sum(x);
 * console.log(rows.readSync(), all.itemSync()); // Float32Array [6, 15] 21
 * ```
 */
export function sum<D extends DType, S extends Shape, const X extends number, K extends boolean = false>(
  x: Tensor<D, S>,
  options: ReduceOptions<NoInfer<D>, S, X, K> & AxisGuard<"sum", S, X>,
): Tensor<D, Reduced<S, X, K>>;
/** The sum of all elements. */
export function sum<D extends DType, S extends Shape>(x: Tensor<D, S>): Tensor<D, []>;
export function sum(x: Tensor, options: AnyReduceOptions = {}): Tensor {
  checkOptions("sum", options, reduceNames);
  return reduce("sum", x, options, false);
}

/** @internal */
export interface AnyReduceOptions {
  axis?: number;
  keepDims?: boolean;
  out?: Tensor | undefined;
}

/** What the library takes for all axes. */
const allAxes = 0xffffffff;

/** @internal `sum` or `mean` on a tensor of any shape. */
export function reduce(op: string, x: Tensor, options: AnyReduceOptions, mean: boolean): Tensor {
  checkTensor(op, "x", x);
  const keep = checkFlag(op, "keepDims", options.keepDims);
  const axis = options.axis === undefined ? null : normalizeAxis(op, options.axis, x.rank);
  const shape = axis === null ? x.shape.map(() => 1) : x.shape.slice();
  if (axis === null) shape.length = keep ? shape.length : 0;
  else shape.splice(axis, 1, ...(keep ? [1] : []));
  const out: Tensor = output(op, x, x.dtype, shape, options.out);
  check(op, native.tw_sum(x.device.handle, out.handle, x.handle, axis ?? allAxes, mean ? 1 : 0));
  if (recording(x)) {
    const full = x.shape;
    const count = axis === null ? x.size : full[axis]!;
    record(op, [x], [out], [], ([dy]) => [spread(op, dy!, full, axis, keep, mean ? 1 / count : 1)]);
  }
  return out;
}

/** Every term of a sum has the sum's gradient: dy along the axis that was summed, times what a term counts. */
function spread(op: string, dy: Tensor, shape: Shape, axis: number | null, kept: boolean, factor: number): Tensor {
  const strides = shape.map((_, i) => axis === null || i === axis ? 0 : dy.strides[kept || i < axis ? i : i - 1]!);
  const out = allocate<DType, Shape>(op, dy.device, dy.dtype, shape) as Tensor;
  const wide = view<DType, Shape>(dy, shape, strides, dy.offset);
  check(
    op,
    factor === 1
      ? native.tw_copy(dy.device.handle, out.handle, wide.handle)
      : native.tw_scale(dy.device.handle, out.handle, wide.handle, factor),
  );
  wide.dispose();
  return out;
}

/**
 * The gradient of broadcasting: `x` summed over the axes that a tensor of `shape` was stretched along. `x` itself where there are none.
 * @internal
 */
export function sumTo(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const op = "sum";
  // Neighbours that are both summed, or both kept, are one axis: at most a few passes, the leading axes in one.
  const extra = x.rank - shape.length;
  const sizes: number[] = [], summed: boolean[] = [];
  x.shape.forEach((size, i) => {
    const goes = i < extra || (shape[i - extra] === 1 && size !== 1);
    const last = sizes.length - 1;
    if (last >= 0 && (summed[last] === goes || size === 1)) sizes[last]! *= size;
    else {
      sizes.push(size);
      summed.push(goes);
    }
  });
  const dense = asContiguous(op, x);
  let now: Tensor = view<DType, Shape>(dense, sizes, contiguousStrides(sizes), dense.offset);
  if (dense !== x) dense.dispose();
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    if (!summed[axis]) continue;
    sizes.splice(axis, 1);
    const next = allocate<DType, Shape>(op, x.device, x.dtype, sizes.slice());
    check(op, native.tw_sum(x.device.handle, next.handle, now.handle, axis, 0));
    now.dispose();
    now = next;
  }
  const out = view<DType, Shape>(now, shape, contiguousStrides(shape), now.offset);
  now.dispose();
  return out;
}

/** The parts of a tensor along one axis. */

import { RangeError } from "../core/errors.ts";
import { joined } from "../core/beside.ts";
import { check, checkTensor, record, recording } from "../core/op.ts";
import type { DType } from "../core/dtype.ts";
import { checkSizes, formatShape, normalizeAxis } from "../core/shape.ts";
import type { AxisGuard, Replaced, Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { place, range } from "./slice.ts";

/**
 * Views of consecutive parts along one axis, of the sizes given. They share the memory of `x`; nothing is copied.
 *
 * Throws a RangeError for an axis that does not exist or sizes that do not add up to it, a TypeError for a disposed tensor.
 *
 * ```ts
 * import { cpu, split, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * const [a, b] = split(x, [1, 2], 1);
 * console.log(a.readSync(), b.readSync()); // Float32Array [1, 4] Float32Array [2, 3, 5, 6]
 * ```
 */
export function split<D extends DType, S extends Shape, const N extends Shape, const X extends number>(
  x: Tensor<D, S> & AxisGuard<"split", S, X>,
  sizes: readonly [...N],
  axis: X,
): { -readonly [I in keyof N]: Tensor<D, Replaced<S, X, [N[I]]>> } {
  return parts(x as unknown as Tensor, sizes, axis) as unknown as { -readonly [I in keyof N]: Tensor<D, Replaced<S, X, [N[I]]>> }; // one for each size
}

function parts(x: Tensor, sizes: readonly number[], axis: number): Tensor[] {
  const op = "split";
  checkTensor(op, "x", x);
  const at = normalizeAxis(op, axis, x.rank);
  const counts = checkSizes(op, "sizes", sizes);
  const sum = counts.reduce((a, b) => a + b, 0);
  if (sum !== x.shape[at]) {
    throw new RangeError(
      `${op}: sizes ${formatShape(counts)} add up to ${sum}, axis ${axis} of ${formatShape(x.shape)} has ${x.shape[at]}`,
    );
  }
  let start = 0;
  const starts: number[] = [];
  const out: Tensor[] = [];
  for (const count of counts) {
    starts.push(start);
    out.push(range(x, at, start, count));
    start += count;
  }
  if (out.length > 0 && recording(x)) {
    const whole = x.shape;
    // The parts' gradients side by side: as they lie, or in one new tensor; 0 for a part that had no effect.
    record(op, [x], out, [], (cotangents) => {
      const asTheyLie = joined(cotangents, whole, at, starts);
      if (asTheyLie !== null) return [asTheyLie];
      const one = cotangents.find((dy) => dy !== null)!; // a rule runs only if there is one
      const dx = allocate<DType, Shape>(op, one.device, one.dtype, whole) as Tensor;
      cotangents.forEach((dy, i) => {
        if (dy !== null) return place(op, dy, dx, at, starts[i]!);
        const rest = range(dx, at, starts[i]!, counts[i]!);
        check(op, native.tw_fill(dx.device.handle, rest.handle, 0));
        rest.dispose();
      });
      return [dx];
    });
  }
  return out;
}

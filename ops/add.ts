/** Elementwise sum. */

import { check, checkLike, checkTensor, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import type { DType } from "../core/dtype.ts";
import { broadcastShapes, sameShape } from "../core/shape.ts";
import type { Broadcast, BroadcastLeft, BroadcastRight, NoBroadcast, Shape, Unless } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { sumTo } from "./sum.ts";

/**
 * Elementwise sum with broadcasting: `out = a + b`. The last axes are aligned, and a size of 1 stretches. Integers wrap. Strided views are read and
 * written in place; `out` may be an operand itself, as the very same view.
 *
 * Throws a RangeError where shapes do not broadcast, a TypeError for a mix of element types, a disposed tensor, or an `out` that overlaps an operand in
 * part.
 *
 * ```ts
 * import { add, cpu, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using b = tensor(cpu, [3], [10, 20, 30]);
 * using c = add(a, b);
 * console.log(c.readSync()); // Float32Array [11, 22, 33, 14, 25, 36]
 * ```
 */
export function add<D extends DType, A extends Shape, B extends Shape>(
  a: Tensor<D, A>,
  b: BroadcastLeft<A, B> extends BroadcastRight<A, B> ? Tensor<NoInfer<D>, B>
    : Unless<A, B, Tensor<NoInfer<D>, B>, NoBroadcast<"add", A, B>>,
  options?: NoInfer<Out<D, Broadcast<A, B>>>,
): Tensor<D, Broadcast<A, B>> {
  return total(a as Tensor, b as Tensor, outOf("add", options) as Tensor | undefined) as unknown as Tensor<D, Broadcast<A, B>>; // checked below, as numbers
}

function total(a: Tensor, b: Tensor, into: Tensor | undefined): Tensor {
  const op = "add";
  checkTensor(op, "a", a);
  checkLike(op, "b", b, "a", a);
  const shape = sameShape(a.shape, b.shape) ? a.shape : broadcastShapes(op, a.shape, b.shape);
  const out: Tensor = output(op, a, a.dtype, shape, into);
  check(op, native.tw_add(a.device.handle, out.handle, a.handle, b.handle));
  if (recording(a, b)) {
    const shapes = [a.shape, b.shape] as const;
    // Each operand's gradient is dy, summed over the axes along which it was stretched.
    record(op, [a, b], [out], [], ([dy], _, wanted) => [
      wanted[0] ? sumTo(dy!, shapes[0]) : null,
      wanted[1] ? sumTo(dy!, shapes[1]) : null,
    ]);
  }
  return out;
}

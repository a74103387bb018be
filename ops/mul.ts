/** Elementwise product. */

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
 * Elementwise product with broadcasting: `out = a · b`. The last axes are aligned, and a size of 1 stretches. Integers wrap. Strided views are read and
 * written in place; `out` may be an operand itself, as the very same view.
 *
 * Throws a RangeError where shapes do not broadcast, a TypeError for a mix of element types, a disposed tensor, or an `out` that overlaps an operand in
 * part.
 *
 * ```ts
 * import { cpu, mul, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
 * using b = tensor(cpu, [2, 1], [10, 100]);
 * using c = mul(a, b);
 * console.log(c.readSync()); // Float32Array [10, 20, 300, 400]
 * ```
 */
export function mul<D extends DType, A extends Shape, B extends Shape>(
  a: Tensor<D, A>,
  b: BroadcastLeft<A, B> extends BroadcastRight<A, B> ? Tensor<NoInfer<D>, B>
    : Unless<A, B, Tensor<NoInfer<D>, B>, NoBroadcast<"mul", A, B>>,
  options?: NoInfer<Out<D, Broadcast<A, B>>>,
): Tensor<D, Broadcast<A, B>> {
  return product(a as Tensor, b as Tensor, outOf("mul", options) as Tensor | undefined) as unknown as Tensor<D, Broadcast<A, B>>; // checked below, as numbers
}

function product(a: Tensor, b: Tensor, into: Tensor | undefined): Tensor {
  const op = "mul";
  checkTensor(op, "a", a);
  checkLike(op, "b", b, "a", a);
  const shape = sameShape(a.shape, b.shape) ? a.shape : broadcastShapes(op, a.shape, b.shape);
  const out: Tensor = output(op, a, a.dtype, shape, into);
  check(op, native.tw_mul(a.device.handle, out.handle, a.handle, b.handle));
  if (recording(a, b)) {
    // da = dy · b and db = dy · a, each summed over the axes along which its operand was stretched.
    record(op, [a, b], [out], [a, b], ([dy], [a, b], wanted) => [
      wanted[0] ? sumTo(product(dy!, b!, undefined), a!.shape) : null,
      wanted[1] ? sumTo(product(dy!, a!, undefined), b!.shape) : null,
    ]);
  }
  return out;
}

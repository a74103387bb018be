/**
 * Norms that tensors are divided by. The two halves of clipping by a global norm: norm and factor of many tensors, and their product in place with a factor that
 * only the device knows; and tensors over their own norms.
 */

import { RangeError, TypeError } from "../core/errors.ts";
import { check, checkFloat, checkLike, checkNotRecording } from "../core/op.ts";
import type { Float } from "../core/dtype.ts";
import { checkColumns, inPlace, together } from "../core/list.ts";
import { formatShape, formatValue, type Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** A global norm, and what to multiply gradients by. */
export interface ClipFactor<D extends Float = "f32"> {
  /** The root of the sum of all squares; Infinity where that is beyond the largest number of its type. */
  norm: Tensor<D, []>;
  /** limit / norm where every element is finite and the norm above the limit, else 1. */
  factor: Tensor<D, []>;
}

/**
 * The global norm of tensors, the root of the sum of all their squares, and the factor that brings it down to `limit`: limit / norm where every element is
 * finite and the norm above the limit, else 1. So an element that is NaN or infinite leaves gradients as they are, and the caller sees the norm that it
 * makes. One call; squares of f32 are added in f64, in an order that sizes alone decide. No square overflows or vanishes, in f64 and on a GPU neither.
 *
 * A norm beyond the largest number of its type, as that of three elements of 3.4e38 in f32, comes as Infinity; the factor is right all the same, as far as its
 * type goes. A GPU may take a factor below 1.2e-38 for 0; `clipByGlobalNorm` clips right there too.
 *
 * Throws a RangeError for a limit below 0 or NaN, a TypeError for a list without tensors, a mix of element types or a disposed tensor.
 *
 * ```ts
 * import { clipFactor, cpu, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [1], [3]), b = tensor(cpu, [2], [0, 4]);
 * const { norm, factor } = clipFactor([a, b], 2.5);
 * console.log(norm.itemSync(), factor.itemSync()); // 5 0.5
 * ```
 */
export function clipFactor<D extends Float>(gradients: readonly Tensor<D>[], limit: number): ClipFactor<D> {
  const { norm, factor } = factorOf(gradients, limit, []);
  return { norm, factor: factor as Tensor<D, []> }; // of the shape just asked for
}

/**
 * As `clipFactor`, but with the factor in two parts, to be multiplied by one after the other: their product may be smaller than a number of the type.
 * @internal
 */
export function clipParts<D extends Float>(gradients: readonly Tensor<D>[], limit: number): { norm: Tensor<D, []>; factor: Tensor<D> } {
  return factorOf(gradients, limit, [2]);
}

function factorOf<D extends Float>(
  gradients: readonly Tensor<D>[],
  limit: number,
  shape: Shape,
): { norm: Tensor<D, []>; factor: Tensor<D> } {
  const op = "clipFactor";
  checkColumns(op, [["gradients", gradients as readonly Tensor[]]]);
  const first = gradients[0];
  if (first === undefined) throw new TypeError(`${op}: gradients hold no tensor`);
  if (typeof limit !== "number") throw new TypeError(`${op}: limit must be a number, got ${formatValue(limit)}`);
  if (!(limit >= 0)) throw new RangeError(`${op}: limit must be 0 or more, got ${formatValue(limit)}`);
  checkNotRecording(op);
  const norm = allocate<D, []>(op, first.device, first.dtype, []);
  const factor = allocate<D, Shape>(op, first.device, first.dtype, shape);
  const handles = Uint32Array.from(gradients, (x) => x.handle);
  check(op, native.tw_clip_factor(first.device.handle, norm.handle, factor.handle, handles, handles.length, limit));
  return { norm, factor };
}

/**
 * Multiplies tensors in place by a factor that is a tensor of one element, in one call for all contiguous ones. A factor of exactly 1 touches nothing.
 *
 * Throws a RangeError for a factor of more elements, a TypeError for a mix of element types, a disposed tensor, or tensors that overlap.
 *
 * ```ts
 * import { cpu, scaleBy, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 2]);
 * using half = tensor(cpu, [], [0.5]);
 * scaleBy([x], half);
 * console.log(x.readSync()); // Float32Array [0.5, 1]
 * ```
 */
export function scaleBy<D extends Float>(x: readonly Tensor<D>[], factor: Tensor<NoInfer<D>, []>): void {
  const op = "scaleBy";
  checkColumns(op, [["x", x as readonly Tensor[]]]);
  const f: Tensor = factor as Tensor;
  checkFloat(op, "factor", f);
  if (x.length > 0) checkLike(op, "factor", f, "x[0]", x[0] as Tensor);
  if (f.size !== 1) throw new RangeError(`${op}: factor is ${formatShape(f.shape)}, must have one element`);
  scaleByParts(x, f as Tensor<D>); // of x's dtype, as was just checked
}

/** As `scaleBy`, with a factor as `clipParts` gives it. @internal */
export function scaleByParts<D extends Float>(x: readonly Tensor<D>[], factor: Tensor<D>): void {
  const op = "scaleBy";
  const list = x as readonly Tensor[];
  // Contiguous ones take one call, each view one of its own.
  const calls = [list.filter((t) => t.isContiguous), ...list.filter((t) => !t.isContiguous).map((view) => [view])];
  together(op, () => {
    for (const some of calls) {
      inPlace(
        op,
        [["x", some]],
        "any strides",
        [],
        (device, words, count) => native.tw_scale_by(device.handle, words, count, factor.handle),
      );
    }
  });
}

/**
 * Divides each of some contiguous tensors by its norm, the root of the sum of its squares, in place: for every finite one whose elements are not all 0, however
 * large or small. One of zeros stays; one that holds NaN or infinity becomes NaN. One call.
 * @internal
 */
export function normalize(x: readonly Tensor<Float>[]): void {
  const op = "normalize";
  inPlace(op, [["x", x as readonly Tensor[]]], 1, [], (device, words, count) => native.tw_normalize(device.handle, words, count));
}

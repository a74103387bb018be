/** Cross-entropy of a linear layer's outputs, fused so that the logits of all rows never exist at once. */

import type { Float, Integer } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { checkLabels } from "../core/labels.ts";
import { asContiguous, asRows, check, checkLike, checkNotRecording, checkShapeIs, record, recording } from "../core/op.ts";
import { checkOptions } from "../core/options.ts";
import type { Lead, Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { allowedLabels, checkTargets, type CrossEntropyOptions, ignoreNames } from "./cross_entropy.ts";
import { type AnyLinear, checkLinear, type LinearFor, type LinearGradients } from "./linear.ts";

/**
 * Cross-entropy of a linear layer's outputs against labels: `crossEntropy(linear(x, p), targets)`, for large vocabularies. Rows go in chunks, of at least
 * 256 and of as many as have about a million logits, so that memory holds the logits of one chunk alone.
 *
 * Loss and gradients have the bits of the two ops one after the other; only the bias's gradient of more than one chunk is summed in another order. While a
 * gradient is recorded, a chunk's gradients are computed as soon as its losses are, and the backward pass multiplies them by its cotangent: three products,
 * as without fusing. `explain` tells the steps of the first chunk.
 *
 * Throws a RangeError that names the first label which is neither a class nor ignored, before anything is written, or where shapes do not
 * fit or rows have no classes; a TypeError for other element types than f32 and f64, a mix of them, labels that are not i32 or u32, or a
 * disposed tensor. On a GPU labels are not looked at before: one that is neither a class nor ignored makes the loss NaN there, and its
 * row adds nothing to the gradients.
 *
 * ```ts
 * import { cpu, linearCrossEntropy, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using weight = tensor(cpu, [4, 3], [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, -1]);
 * using targets = tensor(cpu, [2], new Int32Array([2, -100]));
 * using loss = linearCrossEntropy(x, { weight }, targets);
 * console.log(loss.itemSync().toFixed(6)); // 0.440190: the second row is ignored
 * ```
 *
 * @param x `[…, width]`
 * @param p weight `[classes, width]`, bias `[classes]`
 * @param targets `[…]`, each from 0 to classes − 1, or `ignoreIndex`
 * @returns a scalar: the mean over the rows whose label is not ignored, 0 where there are none
 */
export function linearCrossEntropy<D extends Float, S extends Shape, I extends number, O extends number>(
  x: Tensor<D, S>,
  p: LinearFor<"linearCrossEntropy", D, S, I, O>,
  targets: NoInfer<Tensor<Integer, Lead<S>>>,
  options?: CrossEntropyOptions,
): Tensor<D, []> {
  checkOptions("linearCrossEntropy", options, ignoreNames);
  const layer = p as AnyLinear;
  return forward("linearCrossEntropy", x as Tensor, layer, targets as Tensor, options) as unknown as Tensor<D, []>; // of x's dtype
}

/** Checks the arguments; returns the ignored label. */
function checkAll(op: string, x: Tensor, p: AnyLinear, targets: Tensor, options: CrossEntropyOptions | undefined): number {
  checkLinear(op, x, p);
  return checkTargets(op, targets, "x", x, p.weight.shape[0]!, options);
}

/** A result of one call: the loss, and the gradients that were wanted. */
interface Results {
  loss: Tensor;
  x: Tensor | null;
  weight: Tensor | null;
  bias: Tensor | null;
}

function run(
  op: string,
  x: Tensor,
  p: AnyLinear,
  targets: Tensor,
  ignored: number,
  wanted: Record<"x" | "weight" | "bias", boolean>,
): Results {
  const like = (of: Tensor) => allocate(op, x.device, x.dtype, of.shape) as Tensor;
  const out: Results = {
    loss: allocate(op, x.device, x.dtype, []) as Tensor,
    x: wanted.x ? like(x) : null,
    weight: wanted.weight ? like(p.weight) : null,
    bias: wanted.bias && p.bias ? like(p.bias) : null,
  };
  const rows = asRows(op, x), labels = asContiguous(op, targets), bias = p.bias && asContiguous(op, p.bias);
  const code = native.tw_linear_cross_entropy(
    x.device.handle,
    out.loss.handle,
    Uint32Array.of(out.x?.handle ?? 0, out.weight?.handle ?? 0, out.bias?.handle ?? 0),
    rows.handle,
    p.weight.handle,
    bias?.handle ?? 0,
    labels.handle,
    ignored,
  );
  if (rows !== x) rows.dispose();
  if (labels !== targets) labels.dispose();
  if (bias !== p.bias) bias?.dispose();
  if (isFailure(code)) { for (const t of [out.loss, out.x, out.weight, out.bias]) t?.dispose(); }
  checkLabels(op, "targets", targets, () => allowedLabels(p.weight.shape[0]!, ignored), code);
  return out;
}

function forward(op: string, x: Tensor, p: AnyLinear, targets: Tensor, options: CrossEntropyOptions | undefined): Tensor {
  const ignored = checkAll(op, x, p, targets, options);
  const { weight, bias } = p;
  const inputs = bias === undefined ? [x, weight] : [x, weight, bias];
  const out = run(op, x, p, targets, ignored, { x: recording(x), weight: recording(weight), bias: recording(bias) });
  if (recording(...inputs)) {
    const slots = bias === undefined ? [out.x, out.weight] : [out.x, out.weight, out.bias];
    const made = slots.filter((g) => g !== null);
    record(op, inputs, [out.loss], made, ([dy], saved) => {
      // They belong to the tape, and each rule runs once: in place.
      scaleInPlace(op, saved, dy!);
      let next = 0;
      return slots.map((g) => g === null ? null : saved[next++]!);
    });
    for (const g of made) g.dispose(); // the tape has its own holders
  }
  return out.loss;
}

/** All gradients in one call; they are new, and contiguous. */
function scaleInPlace(op: string, gradients: readonly Tensor[], factor: Tensor): void {
  const handles = Uint32Array.from(gradients, (g) => g.handle);
  check(op, native.tw_scale_by(factor.device.handle, handles, handles.length, factor.handle));
}

/**
 * Gradients of `linearCrossEntropy`, for the gradient `dy` of the loss: those of `linearBackward` from `crossEntropyBackward`, without all of the logits.
 *
 * ```ts
 * import { cpu, linearCrossEntropyBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [1, 2], [1, 2]);
 * using weight = tensor(cpu, [2, 2], [0, 0, 0, 0]);
 * using targets = tensor(cpu, [1], new Int32Array([1]));
 * using dy = tensor(cpu, [], [1]);
 * const g = linearCrossEntropyBackward(x, { weight }, targets, dy);
 * console.log(g.weight.readSync()); // Float32Array [0.5, 1, -0.5, -1]
 * ```
 *
 * @param x `[…, width]`, as in the forward call
 * @param p weight `[classes, width]`, bias `[classes]`
 * @param targets `[…]`, as in the forward call
 * @param dy the gradient of the loss, a scalar
 */
export function linearCrossEntropyBackward<D extends Float, S extends Shape, I extends number, O extends number>(
  x: Tensor<D, S>,
  p: LinearFor<"linearCrossEntropyBackward", D, S, I, O>,
  targets: NoInfer<Tensor<Integer, Lead<S>>>,
  dy: Tensor<NoInfer<D>, []>,
  options?: CrossEntropyOptions,
): LinearGradients<D, S, I, O> {
  const op = "linearCrossEntropyBackward";
  checkOptions(op, options, ignoreNames);
  const input = x as Tensor, layer = p as AnyLinear, factor = dy as Tensor;
  const ignored = checkAll(op, input, layer, targets as Tensor, options);
  checkLike(op, "dy", factor, "x", input);
  checkShapeIs(op, "dy", factor, []);
  checkNotRecording(op);
  const g = run(op, input, layer, targets as Tensor, ignored, { x: true, weight: true, bias: true });
  g.loss.dispose();
  scaleInPlace(op, [g.x, g.weight, g.bias].filter((t) => t !== null), factor);
  const found = g.bias === null ? { x: g.x, weight: g.weight } : { x: g.x, weight: g.weight, bias: g.bias };
  return found as unknown as LinearGradients<D, S, I, O>; // shapes as the inputs' own
}

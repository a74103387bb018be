/** Cross-entropy, fused with the logarithm of the softmax. */

import { RangeError } from "../core/errors.ts";
import type { Float, Integer } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { checkLabels } from "../core/labels.ts";
import {
  asContiguous,
  asRows,
  checkDevice,
  checkFloat,
  checkInteger,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { OptionNames } from "../core/options.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import type { Lead, Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Options of `crossEntropy`. */
export interface CrossEntropyOptions {
  /** The label whose rows do not count, -100. Only this very value is ignored. */
  ignoreIndex?: number;
}

/** The names of `CrossEntropyOptions`. @internal */
export const ignoreNames: OptionNames = optionNames<CrossEntropyOptions>({ ignoreIndex: true });

/**
 * Cross-entropy of logits against labels: the mean, over the rows whose label is not `ignoreIndex`, of `log Σ_j exp(x_j) − x_label`. Where no row
 * counts it is 0.
 *
 * The row's maximum is taken off before the exponentials and added after the logarithm: no logit is too large. What ignored rows hold is not used. NaN or
 * +Infinity in a row that counts, or a row of nothing but -Infinity, makes the loss NaN.
 *
 * Throws a RangeError that names the first label which is neither a class nor ignored, before anything is written, or where shapes do not
 * fit or rows have no classes; a TypeError for logits that are not f32 or f64, labels that are not i32 or u32, or a disposed tensor. On a
 * GPU labels are not looked at before: one that is neither a class nor ignored makes the loss NaN there, and the gradient of its row is
 * 0.
 *
 * ```ts
 * import { cpu, crossEntropy, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [2, 4], [0, 0, 0, 0, 9, 9, 9, 9]);
 * using targets = tensor(cpu, [2], new Int32Array([1, -100]));
 * using loss = crossEntropy(logits, targets);
 * console.log(loss.itemSync().toFixed(6)); // 1.386294, ln 4: the second row is ignored
 * ```
 *
 * @param logits `[…, classes]`
 * @param targets `[…]`, each from 0 to classes − 1, or `ignoreIndex`
 * @returns a scalar
 */
export function crossEntropy<D extends Float, S extends Shape>(
  logits: Tensor<D, S>,
  targets: NoInfer<Tensor<Integer, Lead<S>>>,
  options?: CrossEntropyOptions,
): Tensor<D, []> {
  checkOptions("crossEntropy", options, ignoreNames);
  return forward("crossEntropy", logits as Tensor, targets as Tensor, options) as unknown as Tensor<D, []>; // of the logits' dtype
}

/** Checks the arguments that forward and backward share; returns the ignored label. */
function checkCrossEntropy(op: string, logits: Tensor, targets: Tensor, options: CrossEntropyOptions | undefined): number {
  checkFloat(op, "logits", logits);
  if (logits.rank === 0) throw new RangeError(`${op}: logits is [], needs an axis of classes`);
  return checkTargets(op, targets, "logits", logits, logits.shape[logits.rank - 1]!, options);
}

/** Checks labels of the rows of `like`, each of so many classes; returns the ignored one. @internal */
export function checkTargets(
  op: string,
  targets: Tensor,
  likeName: string,
  like: Tensor,
  classes: number,
  options: CrossEntropyOptions = {},
): number {
  checkInteger(op, "targets", targets);
  checkDevice(op, "targets", targets, likeName, like);
  checkShapeIs(op, "targets", targets, like.shape.slice(0, -1));
  if (classes === 0 && targets.size > 0) throw new RangeError(`${op}: targets is ${formatShape(targets.shape)}, but there are 0 classes`);
  const { ignoreIndex = -100 } = options;
  if (!Number.isSafeInteger(ignoreIndex)) {
    throw new RangeError(`${op}: ignoreIndex must be a whole number, got ${formatValue(ignoreIndex)}`);
  }
  return ignoreIndex;
}

/** What labels may be. @internal */
export function allowedLabels(classes: number, ignored: number): string {
  return `from 0 to ${classes - 1}, or ${ignored} to be ignored`;
}

/** Maximum and sum of exponentials of each row. */
function statistics(op: string, logits: Tensor): Tensor {
  return allocate(op, logits.device, logits.dtype, [...logits.shape.slice(0, -1), 2]) as Tensor;
}

function forward(op: string, logits: Tensor, targets: Tensor, options: CrossEntropyOptions | undefined): Tensor {
  const ignored = checkCrossEntropy(op, logits, targets, options);
  const stats = recording(logits) ? statistics(op, logits) : null;
  const loss = run(op, logits, targets, stats, ignored);
  if (stats !== null) {
    record(op, [logits], [loss], [logits, targets, stats], ([dy], [logits, targets, stats]) => {
      return [gradient("crossEntropyBackward", logits!, targets!, dy!, stats!, ignored, undefined)];
    });
    stats.dispose(); // the tape has its own holder
  }
  return loss;
}

function run(op: string, logits: Tensor, targets: Tensor, stats: Tensor | null, ignored: number): Tensor {
  const loss = allocate(op, logits.device, logits.dtype, []) as Tensor;
  const rows = asRows(op, logits), labels = asContiguous(op, targets);
  const code = native.tw_cross_entropy(
    logits.device.handle,
    loss.handle,
    stats === null ? 0 : stats.handle,
    rows.handle,
    labels.handle,
    ignored,
  );
  if (rows !== logits) rows.dispose();
  if (labels !== targets) labels.dispose();
  if (isFailure(code)) {
    loss.dispose();
    stats?.dispose();
  }
  checkLabels(op, "targets", targets, () => allowedLabels(logits.shape[logits.rank - 1]!, ignored), code);
  return loss;
}

const backwardNames = optionNames<CrossEntropyOptions & Out<Float, Shape>>({ out: true, ignoreIndex: true });

/**
 * Gradient of `crossEntropy`: `dx_j = dy/count·(softmax(x)_j − [j = label])` in rows that count, 0 in ignored ones. `out` may be `logits` itself.
 *
 * ```ts
 * import { cpu, crossEntropyBackward, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [1, 4], [0, 0, 0, 0]);
 * using targets = tensor(cpu, [1], new Int32Array([1]));
 * using dy = tensor(cpu, [], [1]);
 * using dx = crossEntropyBackward(logits, targets, dy);
 * console.log(dx.readSync()); // Float32Array [0.25, -0.75, 0.25, 0.25]
 * ```
 *
 * @param logits `[…, classes]`, as in the forward call
 * @param targets `[…]`, as in the forward call
 * @param dy the gradient of the loss, a scalar
 * @returns the gradient of `logits`
 */
export function crossEntropyBackward<D extends Float, S extends Shape>(
  logits: Tensor<D, S>,
  targets: NoInfer<Tensor<Integer, Lead<S>>>,
  dy: Tensor<NoInfer<D>, []>,
  options?: CrossEntropyOptions & NoInfer<Out<D, S>>,
): Tensor<D, S> {
  checkOptions("crossEntropyBackward", options, backwardNames);
  const to = options?.out as Tensor | undefined;
  return backward("crossEntropyBackward", logits as Tensor, targets as Tensor, dy as Tensor, options, to) as unknown as Tensor<D, S>; // of the logits' own shape
}

function backward(
  op: string,
  logits: Tensor,
  targets: Tensor,
  dy: Tensor,
  options: CrossEntropyOptions | undefined,
  to: Tensor | undefined,
): Tensor {
  const ignored = checkCrossEntropy(op, logits, targets, options);
  checkLike(op, "dy", dy, "logits", logits);
  checkShapeIs(op, "dy", dy, []);
  checkNotRecording(op);
  const out = output(op, logits, logits.dtype, logits.shape, to) as Tensor;
  const stats = statistics(op, logits);
  run(op, logits, targets, stats, ignored).dispose();
  gradient(op, logits, targets, dy, stats, ignored, out);
  stats.dispose();
  return out;
}

function gradient(op: string, logits: Tensor, targets: Tensor, dy: Tensor, stats: Tensor, ignored: number, to: Tensor | undefined): Tensor {
  const out = output(op, logits, logits.dtype, logits.shape, to) as Tensor;
  const rows = asRows(op, logits), labels = asContiguous(op, targets);
  const code = native.tw_cross_entropy_backward(
    logits.device.handle,
    out.handle,
    dy.handle,
    rows.handle,
    labels.handle,
    stats.handle,
    ignored,
  );
  if (rows !== logits) rows.dispose();
  if (labels !== targets) labels.dispose();
  checkLabels(op, "targets", targets, () => allowedLabels(logits.shape[logits.rank - 1]!, ignored), code);
  return out;
}

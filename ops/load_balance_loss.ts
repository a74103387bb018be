/** Load-balance loss of a router. */

import { TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { checkLabels } from "../core/labels.ts";
import {
  asContiguous,
  asRows,
  checkDevice,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  checkTensor,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { checkLogits, type RouterScore, scoreFlag } from "./route.ts";

/** Options of `loadBalanceLoss`. */
export interface LoadBalanceLossOptions {
  /** What the probabilities are made of: softmax, or sigmoid scores divided by their sum; softmax. */
  score?: RouterScore | undefined;
}

const names = optionNames<LoadBalanceLossOptions>({ score: true });

/**
 * Load-balance loss of a router: `experts · Σ_e f_e·P_e`, with f_e the part of all choices that fell on expert e, a constant, and P_e the expert's
 * mean probability over the rows (Fedus, Zoph and Shazeer, "Switch Transformers", 2022). It is 1 where choices or probabilities are even, however
 * many experts answer for a row, and `experts` at worst. Without rows, or without choices, it is 0.
 *
 * NaN or +Infinity in a row makes the softmax form NaN. A row of nothing but -Infinity has no probabilities and no gradient.
 *
 * Throws a RangeError where shapes do not fit or offsets fall; a TypeError for logits that are not f32 or f64, offsets that are not u32, another
 * score or a disposed tensor. On a GPU nobody looks at the offsets beforehand: where they fall the loss is NaN.
 *
 * ```ts
 * import { cpu, expertOrder, loadBalanceLoss, route, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [2, 2], [40, 0, 40, 0]);
 * const { indices } = route(logits, { topK: 1 });
 * const { offsets } = expertOrder(indices, { experts: 2 });
 * using loss = loadBalanceLoss(logits, offsets);
 * console.log(loss.itemSync()); // 2: all rows go to one of two experts
 * ```
 *
 * @param logits `[rows, experts]`
 * @param offsets `[experts + 1]`, those of `expertOrder`
 * @returns a scalar
 */
export function loadBalanceLoss<D extends Float, R extends number, E extends number>(
  logits: Tensor<D, [R, E]>,
  offsets: Tensor<"u32", [number]>,
  options: LoadBalanceLossOptions = {},
): Tensor<D, []> {
  checkOptions("loadBalanceLoss", options, names);
  return forward("loadBalanceLoss", logits as Tensor, offsets as Tensor, options) as unknown as Tensor<D, []>; // of the logits' dtype
}

/** Checks the arguments that forward and backward share; returns the flags of the native calls. */
function checkLoss(op: string, logits: Tensor, offsets: Tensor, { score }: LoadBalanceLossOptions): number {
  checkLogits(op, logits);
  checkTensor(op, "offsets", offsets);
  if (offsets.dtype !== "u32") throw new TypeError(`${op}: offsets is ${offsets.dtype}, must be u32`);
  checkDevice(op, "offsets", offsets, "logits", logits);
  checkShapeIs(op, "offsets", offsets, [logits.shape[1]! + 1]);
  return scoreFlag(op, score);
}

const allowed = () => "0 at first, and then no less than the one before";

function forward(op: string, logits: Tensor, offsets: Tensor, options: LoadBalanceLossOptions): Tensor {
  const flags = checkLoss(op, logits, offsets, options);
  const loss = allocate(op, logits.device, logits.dtype, []) as Tensor;
  const rows = asRows(op, logits), dense = asContiguous(op, offsets);
  const code = native.tw_load_balance_loss(logits.device.handle, loss.handle, rows.handle, dense.handle, flags);
  if (rows !== logits) rows.dispose();
  if (dense !== offsets) dense.dispose();
  if (isFailure(code)) loss.dispose();
  checkLabels(op, "offsets", offsets, allowed, code);
  if (recording(logits)) {
    record(op, [logits], [loss], [logits, offsets], ([dy], [logits, offsets]) => {
      return [gradient("loadBalanceLossBackward", logits!, offsets!, dy!, flags, undefined)];
    });
  }
  return loss;
}

const backwardNames = optionNames<LoadBalanceLossOptions & Out<Float, Shape>>({ out: true, score: true });

/**
 * Gradient of `loadBalanceLoss`: with `c_e = experts·f_e` and a row's probabilities p, `dx_e = dy/rows · p_e·(c_e − Σ_j c_j·p_j)`, for sigmoid scores
 * times `1 − sigmoid(x_e)`. `out` may be `logits` itself.
 *
 * ```ts
 * import { cpu, loadBalanceLossBackward, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [1, 2], [0, 0]);
 * using offsets = tensor(cpu, [3], new Uint32Array([0, 1, 1]));
 * using dy = tensor(cpu, [], [1]);
 * using dx = loadBalanceLossBackward(logits, offsets, dy);
 * console.log(dx.readSync()); // Float32Array [0.5, -0.5]
 * ```
 *
 * @param logits `[rows, experts]`, as in the forward call
 * @param offsets `[experts + 1]`, as in the forward call
 * @param dy the gradient of the loss, a scalar
 * @returns the gradient of `logits`
 */
export function loadBalanceLossBackward<D extends Float, R extends number, E extends number>(
  logits: Tensor<D, [R, E]>,
  offsets: Tensor<"u32", [number]>,
  dy: Tensor<NoInfer<D>, []>,
  options: LoadBalanceLossOptions & NoInfer<Out<D, [R, E]>> = {},
): Tensor<D, [R, E]> {
  const op = "loadBalanceLossBackward";
  checkOptions(op, options, backwardNames);
  const flags = checkLoss(op, logits as Tensor, offsets as Tensor, options);
  checkLike(op, "dy", dy as Tensor, "logits", logits as Tensor);
  checkShapeIs(op, "dy", dy as Tensor, []);
  checkNotRecording(op);
  const to = options.out as Tensor | undefined;
  return gradient(op, logits as Tensor, offsets as Tensor, dy as Tensor, flags, to) as unknown as Tensor<D, [R, E]>; // of the logits' own shape
}

function gradient(op: string, logits: Tensor, offsets: Tensor, dy: Tensor, flags: number, to: Tensor | undefined): Tensor {
  const out = output(op, logits, logits.dtype, logits.shape, to) as Tensor;
  const rows = asRows(op, logits), dense = asContiguous(op, offsets);
  const code = native.tw_load_balance_loss_backward(logits.device.handle, out.handle, dy.handle, rows.handle, dense.handle, flags);
  if (rows !== logits) rows.dispose();
  if (dense !== offsets) dense.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkLabels(op, "offsets", offsets, allowed, code);
  return out;
}

/** Router z-loss. */

import type { Float } from "../core/dtype.ts";
import { asRows, check, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { checkLogits } from "./route.ts";

/**
 * Router z-loss: the mean over rows of `(log Σ_e exp(x_e))²`, which keeps a router's logits small (Zoph et al., "ST-MoE", 2022). Without rows it is
 * 0.
 *
 * A row of nothing but -Infinity counts as 0 and has no gradient; NaN or +Infinity makes the loss NaN.
 *
 * Throws a RangeError where the logits are no matrix, a TypeError for other element types than f32 and f64 or a disposed tensor.
 *
 * ```ts
 * import { cpu, routerZLoss, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [2, 2], [3, -Infinity, -Infinity, 1]);
 * using loss = routerZLoss(logits);
 * console.log(loss.itemSync()); // 5, the mean of 3² and 1²
 * ```
 *
 * @param logits `[rows, experts]`
 * @returns a scalar
 */
export function routerZLoss<D extends Float, R extends number, E extends number>(logits: Tensor<D, [R, E]>): Tensor<D, []> {
  return forward("routerZLoss", logits as Tensor) as unknown as Tensor<D, []>; // of the logits' dtype
}

function forward(op: string, logits: Tensor): Tensor {
  checkLogits(op, logits);
  const loss = allocate(op, logits.device, logits.dtype, []) as Tensor;
  const rows = asRows(op, logits);
  check(op, native.tw_router_z_loss(logits.device.handle, loss.handle, rows.handle));
  if (rows !== logits) rows.dispose();
  if (recording(logits)) {
    record(op, [logits], [loss], [logits], ([dy], [logits]) => [gradient("routerZLossBackward", logits!, dy!, undefined)]);
  }
  return loss;
}

/**
 * Gradient of `routerZLoss`: `dx_e = dy/rows · 2·z·softmax(x)_e` with `z = log Σ_e exp(x_e)`. `out` may be `logits` itself.
 *
 * ```ts
 * import { cpu, routerZLossBackward, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [1, 2], [3, -Infinity]);
 * using dy = tensor(cpu, [], [1]);
 * using dx = routerZLossBackward(logits, dy);
 * console.log(dx.readSync()); // Float32Array [6, 0]
 * ```
 *
 * @param logits `[rows, experts]`, as in the forward call
 * @param dy the gradient of the loss, a scalar
 * @returns the gradient of `logits`
 */
export function routerZLossBackward<D extends Float, R extends number, E extends number>(
  logits: Tensor<D, [R, E]>,
  dy: Tensor<NoInfer<D>, []>,
  options?: NoInfer<Out<D, [R, E]>>,
): Tensor<D, [R, E]> {
  const op = "routerZLossBackward";
  checkLogits(op, logits as Tensor);
  checkLike(op, "dy", dy as Tensor, "logits", logits as Tensor);
  checkShapeIs(op, "dy", dy as Tensor, []);
  checkNotRecording(op);
  return gradient(op, logits as Tensor, dy as Tensor, outOf(op, options) as Tensor | undefined) as unknown as Tensor<D, [R, E]>; // of the logits' own shape
}

function gradient(op: string, logits: Tensor, dy: Tensor, to: Tensor | undefined): Tensor {
  const out = output(op, logits, logits.dtype, logits.shape, to) as Tensor;
  const rows = asRows(op, logits);
  check(op, native.tw_router_z_loss_backward(logits.device.handle, out.handle, dy.handle, rows.handle));
  if (rows !== logits) rows.dispose();
  return out;
}

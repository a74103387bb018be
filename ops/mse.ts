/** Mean squared error. */

import type { Float } from "../core/dtype.ts";
import { asContiguous, asRows, check, checkFloat, checkLike, checkNotRecording, checkShapeIs, record, recording } from "../core/op.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * Mean squared error: `Σ (x − target)² / n` over all n elements; 0 where there is none. The squares of f32 are added in f64, in an order that depends on n
 * alone. A GPU adds f32 with what its roundings lose beside it: a sum of squares beyond the range of f32 is infinite there.
 *
 * Throws a RangeError where shapes differ, a TypeError for other element types than f32 and f64, a mix of them, or a disposed tensor.
 *
 * ```ts
 * import { cpu, mse, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 5]);
 * using target = tensor(cpu, [2], [1, 2]);
 * using loss = mse(x, target);
 * console.log(loss.itemSync()); // 4.5
 * ```
 *
 * @param x any shape
 * @param target the shape of `x`
 * @returns a scalar
 */
export function mse<D extends Float, S extends Shape>(x: Tensor<D, S>, target: NoInfer<Tensor<D, S>>): Tensor<D, []> {
  return forward("mse", x as Tensor, target as Tensor) as unknown as Tensor<D, []>; // of x's own dtype
}

function checkMse(op: string, x: Tensor, target: Tensor): void {
  checkFloat(op, "x", x);
  checkLike(op, "target", target, "x", x);
  checkShapeIs(op, "target", target, x.shape);
}

function forward(op: string, x: Tensor, target: Tensor): Tensor {
  checkMse(op, x, target);
  const loss = allocate(op, x.device, x.dtype, []) as Tensor;
  const dense = asContiguous(op, x), denseTarget = asContiguous(op, target);
  check(op, native.tw_mse(x.device.handle, loss.handle, dense.handle, denseTarget.handle));
  if (dense !== x) dense.dispose();
  if (denseTarget !== target) denseTarget.dispose();
  if (recording(x, target)) {
    record(op, [x, target], [loss], [x, target], ([dy], [x, target], wanted) => {
      const g = gradients("mseBackward", x!, target!, dy!, wanted[0]!, wanted[1]!);
      return [g.x, g.target];
    });
  }
  return loss;
}

/** The gradients of `mse`. */
export interface MseGradients<D extends Float, S extends Shape> {
  /** `dy·2/n·(x − target)`. */
  x: Tensor<D, S>;
  /** `dy·2/n·(target − x)`. */
  target: Tensor<D, S>;
}

/**
 * Gradients of `mse`: `dx = dy·2/n·(x − target)` and `dtarget = −dx`.
 *
 * ```ts
 * import { cpu, mseBackward, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 5]);
 * using target = tensor(cpu, [2], [1, 2]);
 * using dy = tensor(cpu, [], [1]);
 * const g = mseBackward(x, target, dy);
 * console.log(g.x.readSync(), g.target.readSync()); // Float32Array [0, 3] Float32Array [-0, -3]
 * ```
 *
 * @param x as in the forward call
 * @param target as in the forward call
 * @param dy the gradient of the loss, a scalar
 */
export function mseBackward<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  target: NoInfer<Tensor<D, S>>,
  dy: Tensor<NoInfer<D>, []>,
): MseGradients<D, S> {
  return backward("mseBackward", x as Tensor, target as Tensor, dy as Tensor) as unknown as MseGradients<D, S>; // of x's own shape
}

interface Gradients {
  x: Tensor | null;
  target: Tensor | null;
}

function backward(op: string, x: Tensor, target: Tensor, dy: Tensor): Gradients {
  checkMse(op, x, target);
  checkLike(op, "dy", dy, "x", x);
  checkShapeIs(op, "dy", dy, []);
  checkNotRecording(op);
  return gradients(op, x, target, dy, true, true);
}

function gradients(op: string, x: Tensor, target: Tensor, dy: Tensor, wantX: boolean, wantTarget: boolean): Gradients {
  const dx = wantX ? allocate(op, x.device, x.dtype, x.shape) as Tensor : null;
  const dtarget = wantTarget ? allocate(op, x.device, x.dtype, x.shape) as Tensor : null;
  const rows = asRows(op, x), targetRows = asRows(op, target);
  const outs = [dx?.handle ?? 0, dtarget?.handle ?? 0] as const;
  check(op, native.tw_mse_backward(x.device.handle, ...outs, dy.handle, rows.handle, targetRows.handle));
  if (rows !== x) rows.dispose();
  if (targetRows !== target) targetRows.dispose();
  return { x: dx, target: dtarget };
}

/**
 * Tensors that lie beside each other in one memory, as `split` leaves them: their gradients are made beside each other too, so that joining them again
 * takes no copy.
 */

import type { DType } from "./dtype.ts";
import { contiguousStrides, sameShape } from "./shape.ts";
import type { Shape } from "./shape.ts";
import { allocate, type Tensor, view } from "./tensor.ts";

/** Memory as rows: `run` elements side by side, then the next ones after `period`. */
interface Runs {
  run: number;
  period: number;
  count: number;
}

/** A tensor's elements as runs of one length, one period apart; null where they are none. */
function runsOf(x: Tensor): Runs | null {
  const axes = x.shape.map((size, i) => ({ size, stride: x.strides[i]! })).filter(({ size }) => size !== 1).sort((a, b) =>
    a.stride - b.stride
  );
  let run = 1, at = 0;
  while (at < axes.length && axes[at]!.stride === run) run *= axes[at++]!.size;
  const period = axes[at]?.stride ?? run;
  let count = 1;
  for (; at < axes.length; at++) {
    if (axes[at]!.stride !== period * count) return null;
    count *= axes[at]!.size;
  }
  return { run, period, count };
}

/** A new tensor of the shape of `x`, its axes in memory in the order of x's where x has no gaps: what turned x undoes itself without a copy. @internal */
export function allocateAlike(op: string, x: Tensor): Tensor {
  if (x.isContiguous || runsOf(x)?.run !== x.size) return allocate<DType, Shape>(op, x.device, x.dtype, x.shape) as Tensor;
  const whole = allocate<DType, Shape>(op, x.device, x.dtype, [x.size]);
  const out = view<DType, Shape>(whole, x.shape, x.strides, 0) as Tensor;
  whole.dispose();
  return out;
}

/** New tensors of the shapes of `like`, beside each other if those fill one memory in turns, else each for itself. @internal */
export function allocateBeside(op: string, like: readonly Tensor[]): Tensor[] {
  const first = like[0]!;
  const alone = () => like.map((x) => allocateAlike(op, x));
  if (like.some((x) => x.storage !== first.storage || x.size === 0)) return alone();
  let at = first.offset, run = 0;
  const rows = runsOf(first);
  for (const x of like) {
    const r = runsOf(x);
    if (rows === null || r === null || r.period !== rows.period || r.count !== rows.count || x.offset !== at) return alone();
    at += r.run;
    run += r.run;
  }
  if (rows === null || rows.count < 2 || run !== rows.period) return alone();
  const whole = allocate<DType, Shape>(op, first.device, first.dtype, [rows.count, rows.period]);
  const out = like.map((x) => view<DType, Shape>(whole, x.shape, x.strides, x.offset - first.offset) as Tensor);
  whole.dispose();
  return out;
}

/** The contiguous whole of `shape` whose parts along `axis`, from `starts` on, are these tensors; null where they do not lie so. @internal */
export function joined(parts: readonly (Tensor | null)[], shape: Shape, axis: number, starts: readonly number[]): Tensor | null {
  const first = parts[0];
  if (!first || shape.includes(0)) return null;
  const strides = contiguousStrides(shape);
  for (let i = 0; i < parts.length; i++) {
    const x = parts[i];
    if (!x || x.storage !== first.storage || x.offset !== first.offset + starts[i]! * strides[axis]!) return null;
    const fits = x.shape.map((size, k) => size === 1 ? strides[k]! : x.strides[k]!);
    if (!sameShape(fits, strides)) return null;
  }
  return view<DType, Shape>(first as Tensor<DType>, shape, strides, first.offset) as Tensor;
}

/** What the activation ops share: one native call on every element, forward and backward. */

import { TypeError } from "./errors.ts";
import { native } from "../ffi/library.ts";
import { asRows, check, checkFloat, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "./op.ts";
import { formatValue } from "./shape.ts";
import type { Tensor } from "./tensor.ts";

/** The native numbers of the activations. @internal */
export const activations = { relu: 0, gelu: 1, geluTanh: 2, silu: 3, sigmoid: 4, tanh: 5 } as const;

/** Which form of GELU an `approximate` option names. @internal */
export function geluForm(op: string, approximate: unknown = "none"): "gelu" | "geluTanh" {
  if (approximate !== "none" && approximate !== "tanh") {
    throw new TypeError(`${op}: approximate must be none or tanh, got ${formatValue(approximate)}`);
  }
  return approximate === "tanh" ? "geluTanh" : "gelu";
}

/** `f(x)` for each element. @internal */
export function activate(op: string, kind: keyof typeof activations, x: Tensor, to: Tensor | undefined): Tensor {
  checkFloat(op, "x", x);
  const out = output(op, x as Tensor, x.dtype, x.shape, to) as Tensor;
  const rows = asRows(op, x as Tensor);
  check(op, native.tw_activation(x.device.handle, out.handle, rows.handle, activations[kind]));
  if (rows !== x) rows.dispose();
  if (recording(x)) record(op, [x], [out], [x], ([dy], [x]) => [slope(`${op}Backward`, kind, x!, dy!, undefined)]);
  return out;
}

/** `dy·f'(x)` for each element. @internal */
export function activateBackward(op: string, kind: keyof typeof activations, x: Tensor, dy: Tensor, to: Tensor | undefined): Tensor {
  checkFloat(op, "x", x);
  checkLike(op, "dy", dy, "x", x);
  checkShapeIs(op, "dy", dy, x.shape);
  checkNotRecording(op);
  return slope(op, kind, x, dy, to);
}

function slope(op: string, kind: keyof typeof activations, x: Tensor, dy: Tensor, to: Tensor | undefined): Tensor {
  const out = output(op, x, x.dtype, x.shape, to) as Tensor;
  const rows = asRows(op, x), dyRows = asRows(op, dy);
  check(op, native.tw_activation_backward(x.device.handle, out.handle, dyRows.handle, rows.handle, activations[kind]));
  if (rows !== x) rows.dispose();
  if (dyRows !== dy) dyRows.dispose();
  return out;
}

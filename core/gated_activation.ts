/** What the gated linear units share: one native call on every pair of elements, forward and backward. */

import { native } from "../ffi/library.ts";
import { allocateBeside } from "./beside.ts";
import { asRows, check, checkFloat, checkLike, checkNotRecording, checkShapeIs, output, record, recording } from "./op.ts";
import type { Tensor } from "./tensor.ts";

/** The native numbers of the activations that a gate may go through. @internal */
export const gates = { gelu: 0, geluTanh: 1, silu: 2 } as const;

/** A pair of gradients. @internal */
export interface Gated {
  gate: Tensor;
  up: Tensor;
}

function checkGated(op: string, gate: Tensor, up: Tensor): void {
  checkFloat(op, "gate", gate);
  checkLike(op, "up", up, "gate", gate);
  checkShapeIs(op, "up", up, gate.shape);
}

/** `f(gate)·up` for each element. @internal */
export function activateGated(op: string, kind: keyof typeof gates, gate: Tensor, up: Tensor, to: Tensor | undefined): Tensor {
  checkGated(op, gate, up);
  const out = output(op, gate, gate.dtype, gate.shape, to) as Tensor;
  const g = asRows(op, gate), u = asRows(op, up);
  check(op, native.tw_gated_activation(gate.device.handle, out.handle, g.handle, u.handle, gates[kind]));
  if (g !== gate) g.dispose();
  if (u !== up) u.dispose();
  if (recording(gate, up)) {
    record(op, [gate, up], [out], [gate, up], ([dy], [gate, up]) => {
      const g = gradients(`${op}Backward`, kind, gate!, up!, dy!);
      return [g.gate, g.up];
    });
  }
  return out;
}

/** `dy·up·f'(gate)` and `dy·f(gate)` for each element. @internal */
export function activateGatedBackward(op: string, kind: keyof typeof gates, gate: Tensor, up: Tensor, dy: Tensor): Gated {
  checkGated(op, gate, up);
  checkLike(op, "dy", dy, "gate", gate);
  checkShapeIs(op, "dy", dy, gate.shape);
  checkNotRecording(op);
  return gradients(op, kind, gate, up, dy);
}

function gradients(op: string, kind: keyof typeof gates, gate: Tensor, up: Tensor, dy: Tensor): Gated {
  const g = asRows(op, gate), u = asRows(op, up), d = asRows(op, dy);
  const [dgate, dup] = allocateBeside(op, [g, u]) as [Tensor, Tensor]; // one for each, of rows as these are
  check(op, native.tw_gated_activation_backward(gate.device.handle, dgate.handle, dup.handle, d.handle, g.handle, u.handle, gates[kind]));
  if (g !== gate) g.dispose();
  if (u !== up) u.dispose();
  if (d !== dy) d.dispose();
  return { gate: dgate, up: dup };
}

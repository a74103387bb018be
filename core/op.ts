/**
 * What every op file fills in: checks with the op's name in them, outputs, one native call, and the rule by which gradients flow back.
 *
 * An op reads: check the arguments → make the output → call → record. `ops/matmul.ts` shows the form.
 */

import { RangeError, TypeError } from "./errors.ts";
import { native } from "../ffi/library.ts";
import type { DType, Float } from "./dtype.ts";
import { freedError } from "./scope.ts";
import { formatShape, formatValue, sameShape } from "./shape.ts";
import type { PairNames, Shape } from "./shape.ts";
import { allocate, askForGradients, changes, check, Tensor } from "./tensor.ts";

export { check };

/** What every op that writes one result takes. */
export interface Out<D extends DType, S extends Shape> {
  /** Writes into this tensor, of the same shape and type, instead of allocating one. Not allowed inside a loss, while gradients are recorded. */
  out?: Tensor<D, S> | undefined;
}

/** An argument in a message: its name, and its path where it is one of the parameters of the loss that runs: `weight (params.blocks.0.up.weight)`. @internal */
export function named(name: string, x: Tensor): string {
  const path = recorder?.pathOf?.(x);
  return path ? `${name} (${path})` : name;
}

/** The names of two arguments for a message about their shapes, where a loss runs that may know their paths; made only if there is one to write. @internal */
export function pairNames(aName: string, a: Tensor, bName: string, b: Tensor): PairNames | undefined {
  return recorder === null ? undefined : () => [named(aName, a), named(bName, b)];
}

/** Checks that an argument is a live tensor. @internal */
export function checkTensor(op: string, name: string, x: unknown): asserts x is Tensor {
  if (!(x instanceof Tensor)) throw new TypeError(`${op}: ${name} must be a tensor, got ${formatValue(x)}`);
  if (x.handle === 0) throw freedError(op, name, x);
}

/** Checks that an argument is a live tensor of floats. @internal */
export function checkFloat(op: string, name: string, x: unknown): asserts x is Tensor<Float> {
  checkTensor(op, name, x);
  if (x.dtype !== "f32" && x.dtype !== "f64") throw new TypeError(`${op}: ${named(name, x)} is ${x.dtype}, must be f32 or f64`);
}

/** Checks that an argument is a live tensor of integers. @internal */
export function checkInteger(op: string, name: string, x: unknown): asserts x is Tensor<"i32" | "u32"> {
  checkTensor(op, name, x);
  if (x.dtype !== "i32" && x.dtype !== "u32") throw new TypeError(`${op}: ${named(name, x)} is ${x.dtype}, must be i32 or u32`);
}

/** Checks that `x` is a live tensor of `like`'s element type and device. @internal */
export function checkLike(op: string, name: string, x: unknown, likeName: string, like: Tensor): asserts x is Tensor {
  checkTensor(op, name, x);
  if (x.dtype !== like.dtype) throw new TypeError(`${op}: ${named(name, x)} is ${x.dtype}, ${named(likeName, like)} is ${like.dtype}`);
  checkDevice(op, name, x, likeName, like);
}

/** Checks that two tensors live on the same device. @internal */
export function checkDevice(op: string, name: string, x: Tensor, likeName: string, like: Tensor): void {
  if (x.device !== like.device && x.device.handle !== like.device.handle) {
    throw new TypeError(`${op}: ${named(name, x)} is on ${x.device.name}, ${named(likeName, like)} is on ${like.device.name}`);
  }
}

/** Checks a tensor's shape. @internal */
export function checkShapeIs(op: string, name: string, x: Tensor, wanted: Shape): void {
  if (!sameShape(x.shape, wanted)) {
    throw new RangeError(`${op}: ${named(name, x)} is ${formatShape(x.shape)}, must be ${formatShape(wanted)}`);
  }
}

/** Checks a number that scales or decides: finite unless `NaN` and infinities mean something to the op. @internal */
export function checkNumber(op: string, name: string, value: unknown): number {
  if (typeof value !== "number") throw new TypeError(`${op}: ${name} must be a number, got ${formatValue(value)}`);
  return value;
}

/** Checks a number that must be finite. @internal */
export function checkFinite(op: string, name: string, value: unknown): number {
  if (!Number.isFinite(checkNumber(op, name, value))) throw new RangeError(`${op}: ${name} must be finite, got ${formatValue(value)}`);
  return value as number; // just checked
}

/** Checks a flag. @internal */
export function checkFlag(op: string, name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== "boolean") {
    throw new TypeError(`${op}: ${name} must be true or false, got ${formatValue(value)}`);
  }
  return value === true;
}

/** The tensor an op writes: `out` if it was given and fits, else a new one. @internal */
export function output<D extends DType, S extends Shape>(
  op: string,
  like: Tensor,
  dtype: D,
  shape: Shape,
  out?: Tensor | undefined,
): Tensor<D, S> {
  if (out === undefined) return allocate<D, S>(op, like.device, dtype, shape);
  checkTensor(op, "out", out);
  if (out.dtype !== dtype) throw new TypeError(`${op}: out is ${out.dtype}, must be ${dtype}`);
  checkDevice(op, "out", out, "the input", like);
  checkShapeIs(op, "out", out, shape);
  if (recorder !== null) throw new TypeError(`${op}: out cannot be given while gradients are recorded`);
  return written(out) as unknown as Tensor<D, S>; // dtype and shape were just compared
}

/** A checked `out`, which will change now. @internal */
export function written<T extends Tensor>(out: T): T {
  changes(out);
  return out;
}

/** Fails where an op would change a tensor in place while gradients are recorded. @internal */
export function checkNotRecording(op: string): void {
  if (recorder !== null) throw new TypeError(`${op}: works in place, which is not possible while gradients are recorded`);
}

/** `x`, or a contiguous copy of it where its last axis is not dense or its rows have no single stride. @internal */
export function asRows<T extends Tensor>(op: string, x: T): T {
  return hasRows(x) ? x : contiguous(op, x);
}

/** `x`, or a contiguous copy of it. @internal */
export function asContiguous<T extends Tensor>(op: string, x: T): T {
  return x.isContiguous ? x : contiguous(op, x);
}

function contiguous<T extends Tensor>(op: string, x: T): T {
  const out = allocate(op, x.device, x.dtype, x.shape);
  check(op, native.tw_copy(x.device.handle, out.handle, x.handle));
  return out as T; // the same dtype and shape
}

function hasRows(x: Tensor): boolean {
  const rank = x.rank;
  if (rank === 0 || x.shape.includes(0)) return true;
  if (x.shape[rank - 1] !== 1 && x.strides[rank - 1] !== 1) return false;
  let expected = -1;
  for (let i = rank - 2; i >= 0; i--) {
    if (x.shape[i] === 1) continue;
    if (x.strides[i]! < 0 || (expected >= 0 && x.strides[i] !== expected)) return false;
    expected = x.strides[i]! * x.shape[i]!;
  }
  return true;
}

// ── Gradients ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * From the cotangents of an op's outputs (null where nothing flowed back) and the tensors it saved to those of its inputs, in the inputs' order.
 * `wanted` tells which inputs need one; null for the others. May return a cotangent as it came, or a view of it. `sums` are what has gathered for the inputs
 * so far, where that may be written to: a rule may add to one in place, and returns it then.
 * @internal
 */
export type Rule = (
  cotangents: readonly (Tensor | null)[],
  saved: readonly Tensor[],
  wanted: readonly boolean[],
  sums: readonly (Tensor | null)[],
) => (Tensor | null)[];

/** What the tape may take for granted of a rule. @internal */
export interface RuleTraits {
  /** Each tensor that it returns is new and shares memory with nothing, unless it is a view or one of `sums`. */
  readonly fresh?: boolean;
}

/** What records ops for a gradient. @internal */
export interface Recorder {
  /** Whether a gradient flows into this tensor. */
  tracks(x: Tensor): boolean;
  /** The path of a parameter, for messages; null for other tensors. */
  pathOf?(x: Tensor): string | null;
  add(
    op: string,
    inputs: readonly Tensor[],
    outputs: readonly Tensor[],
    saved: readonly Tensor[],
    rule: Rule,
    traits: RuleTraits,
  ): void;
}

let recorder: Recorder | null = null;

/** The recorder, or null. @internal */
export function currentRecorder(): Recorder | null {
  return recorder;
}

/** Sets the recorder and returns the one before. Only autograd calls this. @internal */
export function setRecorder(next: Recorder | null): Recorder | null {
  const before = recorder;
  recorder = next;
  return before;
}

/** Runs ops for which the op around them has a rule of its own. @internal */
export function unrecorded<T>(body: () => T): T {
  const before = setRecorder(null);
  try {
    return body();
  } finally {
    setRecorder(before);
  }
}

/** Whether a gradient is recorded and flows into one of these tensors: only then is there something to `record`. @internal */
export function recording(...inputs: readonly (Tensor | undefined)[]): boolean {
  if (recorder === null) return false;
  for (const x of inputs) if (x !== undefined && recorder.tracks(x)) return true;
  return false;
}

askForGradients(recording);

/** Records an op once it has run. The tape keeps its own holders of `saved`, so a scope may free them. @internal */
export function record(
  op: string,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
  saved: readonly Tensor[],
  rule: Rule,
  traits: RuleTraits = {},
): void {
  recorder!.add(op, inputs, outputs, saved, rule, traits); // the caller has asked `recording`
}

/** Whether this thread explains calls instead of making them: what `explain` switches, and what devices, tensors and `check` ask. */

import { RangeError, TypeError } from "./errors.ts";
import { native } from "../ffi/library.ts";
import { OutOfMemoryError } from "../ffi/status.ts";
import { manifest } from "../ffi/symbols.gen.ts";

/** A step of a native call as zig/explain.zig notes it. @internal */
export interface NotedStep {
  step: string | null;
  kernel: string | null;
  isa: string | null;
  workers: number;
  tier: number;
  why: string;
  jobs: number;
  grain: number;
  bytes: number;
  flops: number | null;
  scratch_bytes: number;
  product: NotedProduct | null;
  weight: number;
}

/** @internal */
export interface NotedProduct {
  route: string;
  m: number;
  n: number;
  k: number;
  batch: number;
  tile: { mr: number; nr: number } | null;
  blocking: { mc: number; nc: number; kc: number } | null;
  a: string;
  b: string;
}

/** A native call that was explained. @internal */
export interface NotedCall {
  readonly op: string;
  readonly steps: readonly NotedStep[];
  /** What the device's cores and knobs are, by their native names. */
  readonly cores: number;
  readonly pool_classes: number;
  readonly knobs: Readonly<Record<string, number>>;
}

/** Added to a device's handle: 0, or the bit by which the library tells a call to explain from one to make. @internal */
export let handleOffset = 0;
let calls: NotedCall[] | null = null;

/** Whether calls are explained now. @internal */
export function isExplaining(): boolean {
  return calls !== null;
}

/** Fails where a value would be read that was never computed. @internal */
export function refuseReading(op: string, what: string): void {
  if (calls !== null) throw new TypeError(`${op}: ${what} inside explain, which computes nothing`);
}

/** Explains the calls that `body` makes, and returns what they noted. @internal */
export function explained(body: () => void): readonly NotedCall[] {
  if (native.tw_explain_begin() !== 0) throw new OutOfMemoryError("explain: out of memory");
  const noted: NotedCall[] = [];
  calls = noted;
  handleOffset = 2 ** 31;
  try {
    body();
  } finally {
    calls = null;
    handleOffset = 0;
    native.tw_explain_end();
  }
  return noted;
}

const explainedCode = manifest.statuses.indexOf("Explained");
/** Sixteen steps fit; the library's own tests say so. */
let buffer: Uint8Array<ArrayBuffer> | null = null;

/** Whether a status is one of a call that went wrong, rather than one that was made or explained. @internal */
export function isFailure(code: number): boolean {
  return code !== 0 && code !== explainedCode;
}

/** Takes the notes of a call whose status says that it was explained; false for any other status. @internal */
export function takeNotes(op: string, code: number): boolean {
  if (code !== explainedCode || calls === null) return false;
  buffer ??= new Uint8Array(16384);
  const length = native.tw_explain_read(buffer, buffer.length);
  const text = new TextDecoder().decode(buffer.subarray(0, length));
  const { missed, ...call } = JSON.parse(text) as Omit<NotedCall, "op"> & { missed: number }; // as zig/explain.zig writes it
  if (missed > 0) throw new RangeError(`explain: ${op} has ${missed} more steps than can be noted`);
  calls.push({ op, ...call });
  return true;
}

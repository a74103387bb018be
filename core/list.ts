/** Lists of tensors that one call takes: their checks, and the call of ops that change many tensors in place. */

import { RangeError, TypeError } from "./errors.ts";
import { native } from "../ffi/library.ts";
import { asContiguous, check, checkDevice, checkFloat, checkLike, checkNotRecording, checkShapeIs } from "./op.ts";
import { optionNames } from "./options.ts";
import type { OptionNames } from "./options.ts";
import type { Device } from "./device.ts";
import { isExplaining } from "./explaining.ts";
import { formatShape, formatValue } from "./shape.ts";
import { changes, type Tensor } from "./tensor.ts";

/** Checks that an argument is an array, whatever it holds. @internal */
export function checkList(op: string, name: string, list: unknown): asserts list is readonly Tensor[] {
  if (!Array.isArray(list)) throw new TypeError(`${op}: ${name} must be an array of tensors, got ${formatValue(list)}`);
}

/** A list with its name, for messages; those that belong together are of one length and, place by place, of one shape. @internal */
export type Column = readonly [name: string, list: readonly Tensor[]];

/** Checks that columns are lists of live floats of one element type and device, of one length, and of equal shapes place by place. @internal */
export function checkColumns(op: string, columns: readonly Column[]): void {
  const [[firstName, first]] = columns as [Column];
  for (const [name, list] of columns) {
    checkList(op, name, list);
    if (list.length !== first.length) {
      throw new RangeError(`${op}: ${firstName} holds ${first.length} tensors, ${name} holds ${list.length}`);
    }
    for (let i = 0; i < list.length; i++) {
      if (i === 0 && list === first) checkFloat(op, `${name}[0]`, list[0]);
      else checkLike(op, `${name}[${i}]`, list[i], `${firstName}[0]`, first[0]!);
      if (list !== first) checkShapeIs(op, `${name}[${i}]`, list[i]!, first[i]!.shape);
    }
  }
}

/**
 * Makes one call that changes the tensors of the first `written` columns in place and reads the others, which may have any strides; with "any strides" all
 * are changed, and may have any. The call gets the handles, column after column, followed by `flags`. Without tensors there is no call.
 * @internal
 */
export function inPlace(
  op: string,
  columns: readonly Column[],
  written: number | "any strides",
  flags: readonly number[],
  call: (device: Device, words: Uint32Array, count: number) => number,
): void {
  const anywhere = written === "any strides", outs = anywhere ? columns : columns.slice(0, written);
  if (!anywhere) outs.forEach(([name, list]) => checkContiguous(op, name, list));
  checkNotRecording(op);
  const count = columns[0]![1].length;
  if (count === 0) return;
  const words = new Uint32Array(columns.length * count + flags.length);
  words.set(flags, columns.length * count);
  const copies: Tensor[] = [];
  try {
    columns.forEach(([, list], column) =>
      list.forEach((x, i) => {
        const dense = anywhere ? x : asContiguous(op, x);
        if (dense !== x) copies.push(dense);
        words[column * count + i] = dense.handle;
      })
    );
    check(op, call(columns[0]![1][0]!.device, words, count));
    for (const [, list] of outs) waiting.changed.push(...list);
    waiting.copies.push(...copies.splice(0));
  } finally {
    for (const x of copies) x.dispose();
  }
  if (!waiting.open) settle();
}

function checkContiguous(op: string, name: string, list: readonly Tensor[]): void {
  list.forEach((x, i) => {
    if (x.isContiguous) return;
    throw new TypeError(`${op}: ${name}[${i}] is a view of strides ${formatShape(x.strides)}, must be contiguous to be changed in place`);
  });
}

/** What calls in place have changed, or will, and the copies that they read. Nothing is recorded meanwhile, so nobody has to know of a change before it. */
const waiting = { open: false, changed: [] as Tensor[], copies: [] as Tensor[] };

function settle(): void {
  for (const x of waiting.changed.splice(0)) changes(x);
  for (const x of waiting.copies.splice(0)) x.dispose();
}

/**
 * Runs `body`, whose calls of `inPlace` take effect together: until it ends each only does what can fail, and if one throws nothing has changed. No call may
 * read what another one changes.
 * @internal
 */
export function together(op: string, body: () => void): void {
  if (isExplaining()) return body();
  waiting.open = true;
  native.tw_together_begin();
  try {
    body();
    check(op, native.tw_together_commit());
  } catch (error) {
    native.tw_together_cancel();
    waiting.changed.length = 0;
    throw error;
  } finally {
    waiting.open = false;
    settle();
  }
}

/** Which tensors decay. */
export interface DecayOptions {
  /** For each tensor whether it decays. All do. */
  decays?: readonly boolean[];
}

/** The names of options that say which tensors decay. @internal */
export const decayNames: OptionNames = optionNames<DecayOptions>({ decays: true });

/** For each of `count` tensors 1 where it decays, else 0; all do unless `decays` says otherwise. @internal */
export function decayFlags(op: string, decays: readonly boolean[] | undefined, count: number): readonly number[] {
  if (decays === undefined) return new Array<number>(count).fill(1);
  if (!Array.isArray(decays) || decays.length !== count || decays.some((flag) => typeof flag !== "boolean")) {
    throw new TypeError(`${op}: decays must be an array of ${count} booleans, one for each tensor, got ${formatValue(decays)}`);
  }
  return decays.map(Number);
}

/** Checks the numbers of a step. @internal */
export function checkScalars(op: string, scalars: Tensor, count: number, w: Tensor | undefined): void {
  checkFloat(op, "scalars", scalars);
  if (w !== undefined) checkDevice(op, "scalars", scalars, "w[0]", w);
  if (scalars.rank !== 1 || scalars.shape[0] !== count) {
    throw new RangeError(`${op}: scalars is ${formatShape(scalars.shape)}, must be [${count}]`);
  }
}

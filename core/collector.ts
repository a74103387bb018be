/**
 * The garbage collector's attention. It sees a tensor as a few hundred bytes, however large its native memory is, and would let gigabytes of forgotten ones
 * stand. So where tensors outside scopes have come to hold much more than before, it is asked to look. What it finds is freed in the next turn of the event
 * loop: no runtime tells a program of garbage any sooner, so nothing helps a loop that never awaits.
 */

import { collect } from "../ffi/library.ts";

/** Bytes by which tensors outside scopes grow before the collector is asked, at least; beyond four times as much, by a quarter. */
const growth = 256 * 2 ** 20;

let limit = growth;

/** Where the bytes outside scopes at which the collector is asked next lie, when it has just looked. */
function limitAfter(bytes: number): number {
  return bytes + Math.max(growth, bytes / 4);
}

/** Asks the collector to look if tensors outside scopes, which hold so many bytes now, have grown by enough. @internal */
export function grew(bytes: number): void {
  if (bytes <= limit) return;
  limit = limitAfter(bytes);
  collect();
}

/** Tensors that everybody forgot were freed; those that are left outside scopes hold so many bytes. @internal */
export function shrank(bytes: number): void {
  limit = Math.min(limit, limitAfter(bytes));
}

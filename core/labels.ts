/** Ids and labels: what ops that look rows up by number ask of them, and how they say which one was wrong. */

import { RangeError } from "./errors.ts";
import { errorDetail } from "../ffi/library.ts";
import { statusName } from "../ffi/status.ts";
import { check, type Tensor } from "./tensor.ts";

/**
 * As `check`; where an id was out of range, throws a RangeError that names the first such one and what is allowed.
 * @internal
 */
export function checkLabels(op: string, name: string, labels: Tensor, allowed: () => string, code: number): void {
  if (code === 0 || statusName(code) !== "IndexOutOfRange") return check(op, code);
  const [position, value] = errorDetail();
  throw new RangeError(`${op}: ${name}[${place(position, labels.shape)}] is ${value}, must be ${allowed()}`);
}

/** The index of the element that comes at `position` in row-major order. */
function place(position: number, shape: readonly number[]): string {
  const index: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis]!;
    index.unshift(position % size);
    position = Math.floor(position / size);
  }
  return index.join(", ");
}

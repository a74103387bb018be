/** Errors of the library, and how a native status becomes one. */

import { LibraryError, RangeError, TypeError } from "./errors.ts";
import { manifest } from "./symbols.gen.ts";

/** No usable native library: what was tried, and what to do. */
export class LibraryNotFoundError extends LibraryError {
  /** The name of the class, which minifying a program does not change. */
  override readonly name = "LibraryNotFoundError";
}

/** Memory for a tensor or for scratch could not be had. Every tensor is as it was. */
export class OutOfMemoryError extends LibraryError {
  /** The name of the class, which minifying a program does not change. */
  override readonly name = "OutOfMemoryError";
}

/** The device cannot do what was asked: an element type, an instruction set or a size it has no kernel for. */
export class UnsupportedError extends LibraryError {
  /** The name of the class, which minifying a program does not change. */
  override readonly name = "UnsupportedError";
}

/** A GPU failed, and with it everything on it: its tensors have no values any more, and every later call on it throws this. The CPU is not concerned. */
export class DeviceLostError extends LibraryError {
  /** The name of the class, which minifying a program does not change. */
  override readonly name = "DeviceLostError";
}

/** The name of a native status. */
export type StatusName = (typeof manifest.statuses)[number];

/** The name of a native status code. */
export function statusName(code: number): StatusName {
  return manifest.statuses[code] ?? "InvalidArgument";
}

/** @internal The error of a call whose loops would be too long for the driver of a GPU. */
export function tooLongError(op: string, rounds: number, limit: number): UnsupportedError {
  return new UnsupportedError(
    `${op}: sizes like these make a thread's loops ${rounds} rounds long, and this GPU's driver ends them after ${limit}; another GPU takes them`,
  );
}

/**
 * The error for a status that the checks in TypeScript have not foreseen: whatever they miss, the library finds before it touches memory.
 * @internal
 */
export function statusError(op: string, name: StatusName): Error {
  switch (name) {
    case "OutOfMemory":
      return new OutOfMemoryError(`${op}: out of memory`);
    case "Unsupported":
      return new UnsupportedError(`${op}: this device has no kernel for the element type, the setting, or sizes from 2^32 on`);
    case "DeviceLost":
      return new DeviceLostError(`${op}: the GPU was lost; open it anew with vulkan() and make its tensors again`);
    case "InvalidHandle":
      return new TypeError(`${op}: a tensor was disposed, or belongs to another Worker`);
    case "InvalidDevice":
      return new TypeError(`${op}: the device is not one of this library, or a tensor lives on another one`);
    case "DtypeMismatch":
      return new TypeError(`${op}: the tensors' element types do not fit together`);
    case "ShapeMismatch":
      return new RangeError(`${op}: the tensors' shapes do not fit together`);
    case "LayoutMismatch":
      // Inputs of such strides were copied: what is left is a tensor to write to.
      return new TypeError(`${op}: out is a view whose strides are not supported here, give a contiguous tensor`);
    case "Overlap":
      return new TypeError(`${op}: out shares memory with an input or another output`);
    case "IndexOutOfRange":
      return new RangeError(`${op}: an index is out of range`);
    default:
      return new RangeError(`${op}: an argument is out of range`);
  }
}

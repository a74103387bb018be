/** A tensor's elements as arrays of bounded length: one array of them all can be longer than a runtime allows (Bun: 4 GiB). */

import { type Data, type DType, dtypeBytes, newData } from "../core/dtype.ts";
import { asContiguous } from "../core/op.ts";
import { allocate, type Tensor, view } from "../core/tensor.ts";
import { copy } from "../ops/copy.ts";
import { pieceBytesMax } from "./disk.ts";

/** How many elements each array has: all of them together `size`, and at least one array. */
export function pieceLengths(dtype: DType, size: number, bytesMax: number = pieceBytesMax): number[] {
  const most = bytesMax / dtypeBytes(dtype);
  return Array.from({ length: Math.max(1, Math.ceil(size / most)) }, (_, i) => Math.min(most, size - i * most));
}

/** Arrays for a tensor's elements. */
export function newPieces(dtype: DType, size: number, bytesMax?: number): Data[DType][] {
  return pieceLengths(dtype, size, bytesMax).map((length) => newData(dtype, length));
}

/** The elements that a tensor has at the moment of the call, row-major. */
export async function readPieces(op: string, x: Tensor, bytesMax?: number): Promise<Data[DType][]> {
  const lengths = pieceLengths(x.dtype, x.size, bytesMax);
  if (lengths.length === 1) return [await x.read()];
  const dense = asContiguous(op, x), reads: Promise<Data[DType]>[] = [];
  let at = 0;
  try {
    for (const length of lengths) {
      using part = partOf(dense, at, length);
      reads.push(part.read()); // asks for the elements now, and may wait for them
      at += length;
    }
  } finally {
    if (dense !== x) dense.dispose();
  }
  return await Promise.all(reads);
}

/** A write that is prepared: all memory that it needs is there. */
export interface Write extends Disposable {
  /** Overwrites the tensor. */
  commit(): void;
}

/** Prepares to overwrite a tensor's elements, row-major. */
export function prepareWrite(op: string, x: Tensor, pieces: readonly Data[DType][]): Write {
  const direct = x.isContiguous || (pieces.length === 1 && !x.device.isGpu);
  if (direct) return { commit: () => writePieces(x, pieces), [Symbol.dispose]() {} };
  const dense = allocate(op, x.device, x.dtype, x.shape);
  const write: Write = { commit: () => void copy(dense, { out: x }), [Symbol.dispose]: () => dense.dispose() };
  try {
    writePieces(dense, pieces);
  } catch (error) {
    write[Symbol.dispose]();
    throw error;
  }
  return write;
}

/** A view of some elements of a contiguous tensor, counted row-major. */
export function partOf(x: Tensor, first: number, length: number): Tensor {
  return view(x, [length], [1], x.offset + first) as Tensor;
}

function writePieces(x: Tensor, pieces: readonly Data[DType][]): void {
  if (pieces.length === 1) return x.write(pieces[0]!);
  let at = 0;
  for (const piece of pieces) {
    using part = partOf(x, at, piece.length);
    part.write(piece);
    at += piece.length;
  }
}

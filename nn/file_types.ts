/**
 * The element types of safetensors files: how many bits an element takes, which typed array carries it, and what it becomes as a tensor. A
 * file may hold types that no tensor here has; they are listed, and passed over.
 */

import type { Data, DType } from "../core/dtype.ts";

/** The values of a tensor in a file, as `SafetensorsFile.read` returns them. */
export type SafetensorsData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/** A constructor of typed arrays of any kind. */
interface Carrier {
  new (length: number): SafetensorsData;
  readonly BYTES_PER_ELEMENT: number;
}

/**
 * Converts a piece of a file, `raw`, into the elements of `into` from index `at` on. Returns the index in `raw` of the first element that
 * does not fit, or −1.
 * @internal
 */
export type Convert = (raw: ArrayBuffer, into: Data[DType], at: number) => number;

interface FileType {
  readonly bits: number;
  /** The typed array of its elements; bytes if there is none. */
  readonly carrier?: Carrier;
  /** The element type it becomes as a tensor unless another is asked for. */
  readonly tensor?: DType;
  /** How it becomes a tensor of another element type. */
  readonly convert?: { readonly [D in DType]?: Convert };
}

/** Rounds to nearest, ties to even, as a typed array does when it takes a number. */
const copyNumbers = (from: new (buffer: ArrayBuffer) => ArrayLike<number>): Convert => (raw, into, at) => {
  into.set(new from(raw), at);
  return -1;
};

const fromHalf: Convert = (raw, into, at) => {
  const values = halfValues(), bits = new Uint16Array(raw);
  for (let i = 0; i < bits.length; i++) into[at + i] = values[bits[i]!]!;
  return -1;
};

/** bfloat16 is the upper half of an f32. */
const fromBrain: Convert = (raw, into, at) => {
  const bits = Uint32Array.from(new Uint16Array(raw), (half) => half << 16);
  into.set(new Float32Array(bits.buffer), at);
  return -1;
};

/** 64-bit integers, as their lower and upper 32 bits. `upper` is the upper half of those that fit. */
const fromLong = (upper: (low: number) => number): Convert => (raw, into, at) => {
  const halves = new Int32Array(raw);
  for (let i = 0; i < halves.length / 2; i++) {
    const low = halves[2 * i]!;
    if (halves[2 * i + 1] !== upper(low)) return i;
    into[at + i] = low; // a Uint32Array takes it modulo 2^32
  }
  return -1;
};

const fileTypes: Readonly<Record<string, FileType>> = {
  F32: { bits: 32, carrier: Float32Array, tensor: "f32", convert: { f64: copyNumbers(Float32Array) } },
  F64: { bits: 64, carrier: Float64Array, tensor: "f64", convert: { f32: copyNumbers(Float64Array) } },
  I32: { bits: 32, carrier: Int32Array, tensor: "i32" },
  U32: { bits: 32, carrier: Uint32Array, tensor: "u32" },
  F16: { bits: 16, tensor: "f32", convert: { f32: fromHalf, f64: fromHalf } },
  BF16: { bits: 16, tensor: "f32", convert: { f32: fromBrain, f64: fromBrain } },
  I64: { bits: 64, carrier: BigInt64Array, tensor: "i32", convert: { i32: fromLong((low) => low >> 31), u32: fromLong(() => 0) } },
  U64: { bits: 64, carrier: BigUint64Array },
  I16: { bits: 16, carrier: Int16Array },
  U16: { bits: 16, carrier: Uint16Array },
  I8: { bits: 8, carrier: Int8Array },
  U8: { bits: 8 },
  BOOL: { bits: 8 },
  C64: { bits: 64, carrier: Float32Array }, // real and imaginary part
  F8_E4M3: { bits: 8 },
  F8_E5M2: { bits: 8 },
  F8_E8M0: { bits: 8 },
  F8_E4M3FNUZ: { bits: 8 },
  F8_E5M2FNUZ: { bits: 8 },
  F6_E2M3: { bits: 6 },
  F6_E3M2: { bits: 6 },
  F4: { bits: 4 },
};

/** The format's name of an element type. @internal */
export function formatDType(dtype: DType): string {
  return dtype.toUpperCase();
}

/** Bits of one element; undefined for a type that is not known here. @internal */
export function bitsOf(fileType: string): number | undefined {
  return known(fileType)?.bits;
}

/** The element type that a type becomes as a tensor unless another is asked for; undefined if there is none. @internal */
export function tensorType(fileType: string): DType | undefined {
  return known(fileType)?.tensor;
}

/**
 * How elements of a file become a tensor's: "same" if the bytes are the same, undefined if they cannot.
 * @internal
 */
export function conversion(fileType: string, dtype: DType): Convert | "same" | undefined {
  return fileType === formatDType(dtype) ? "same" : known(fileType)?.convert?.[dtype];
}

/** The element type that F16 and BF16 are read as: no typed array of theirs is in every runtime. @internal */
export function readType(fileType: string): DType | undefined {
  return fileType === "F16" || fileType === "BF16" ? "f32" : undefined;
}

/** What carries the bytes of a tensor as they are in the file. @internal */
export function carrierOf(fileType: string): Carrier {
  return known(fileType)?.carrier ?? Uint8Array;
}

/** The integer that a 64-bit element is. @internal */
export function longAt(raw: ArrayBuffer, index: number): bigint {
  return new BigInt64Array(raw)[index]!;
}

function known(fileType: string): FileType | undefined {
  return Object.hasOwn(fileTypes, fileType) ? fileTypes[fileType] : undefined;
}

let halves: Float32Array | undefined;

/** Every float16 as f32, which holds each exactly: sign, 5 bits of exponent with bias 15, 10 bits of fraction (IEEE 754 binary16). */
function halfValues(): Float32Array {
  return halves ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => {
    const exponent = bits >> 10 & 31, fraction = bits & 1023;
    const size = exponent === 31
      ? (fraction === 0 ? Infinity : NaN)
      : exponent === 0
      ? fraction * 2 ** -24
      : (1 + fraction / 1024) * 2 ** (exponent - 15);
    return bits < 2 ** 15 ? size : -size;
  });
}

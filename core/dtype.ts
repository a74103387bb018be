/**
 * Element types. The numeric codes are shared with the native library: they cross the boundary and stand in `zig/tensor.zig` too.
 */

import { RangeError } from "./errors.ts";

/** Element types that products, normalisations and losses compute in. */
export type Float = "f32" | "f64";
/** Element types of ids, labels and counters. */
export type Integer = "i32" | "u32";
/** The element type of a tensor. */
export type DType = Float | Integer;

/** The typed array that carries each element type across the boundary. */
export interface Data {
  /** 32-bit floating point. */
  f32: Float32Array;
  /** 64-bit floating point. */
  f64: Float64Array;
  /** 32-bit signed integers. */
  i32: Int32Array;
  /** 32-bit unsigned integers. */
  u32: Uint32Array;
}

/** What is known of one element type: its code at the native boundary, its size and its typed array. */
export interface DTypeInfo<D extends DType = DType> {
  readonly name: D;
  readonly code: number;
  readonly bytes: number;
  readonly float: boolean;
  readonly array: DataConstructor<D>;
}

/** The constructor of the typed array of an element type. */
export interface DataConstructor<D extends DType> {
  new (length: number): Data[D];
  new (values: ArrayLike<number>): Data[D];
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Data[D];
  readonly BYTES_PER_ELEMENT: number;
}

/** Every element type by name. */
export const dtypes: { readonly [D in DType]: DTypeInfo<D> } = {
  f32: { name: "f32", code: 0, bytes: 4, float: true, array: Float32Array },
  f64: { name: "f64", code: 1, bytes: 8, float: true, array: Float64Array },
  i32: { name: "i32", code: 2, bytes: 4, float: false, array: Int32Array },
  u32: { name: "u32", code: 3, bytes: 4, float: false, array: Uint32Array },
};

const byCode: readonly DType[] = ["f32", "f64", "i32", "u32"];

/** Whether a value names an element type. */
export function isDType(value: unknown): value is DType {
  return typeof value === "string" && Object.hasOwn(dtypes, value);
}

/** The number by which the native library knows an element type. */
export function dtypeCode(dtype: DType): number {
  return dtypes[dtype].code;
}

/** The element type that a native code stands for. */
export function dtypeFromCode(code: number): DType {
  const dtype = byCode[code];
  if (dtype === undefined) throw new RangeError(`dtype: ${code} is no element type's code`);
  return dtype;
}

/** Bytes of one element. */
export function dtypeBytes(dtype: DType): number {
  return dtypes[dtype].bytes;
}

/** Whether an element type is a floating-point one. */
export function isFloat(dtype: DType): dtype is Float {
  return dtypes[dtype].float;
}

// What an array is and how much it holds is asked of the getters that all typed arrays inherit: a subclass, or the array itself, may have
// others that lie, and the library reads as much memory as it is told.
const getters = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Uint8Array.prototype)) as Record<
  "length" | "byteLength" | "buffer" | typeof Symbol.toStringTag,
  Required<PropertyDescriptor>
>;
const tag = getters[Symbol.toStringTag].get, length = getters.length.get, byteLength = getters.byteLength.get, buffer = getters.buffer.get;

/** The number of elements of a typed array, whatever it says itself. */
export function lengthOf(array: ArrayBufferView): number {
  return length.call(array) as number;
}

/** The bytes of a typed array, whatever it says itself. */
export function byteLengthOf(array: ArrayBufferView): number {
  return byteLength.call(array) as number;
}

/** Whether a typed array's memory was transferred away. */
export function isDetached(array: ArrayBufferView): boolean {
  return (buffer.call(array) as { detached?: boolean }).detached === true;
}

/** The element type of a typed array, or `undefined` for everything else. Arrays of another realm and subclasses count; `DataView` does not. */
export function dtypeOf(data: unknown): DType | undefined {
  if (!ArrayBuffer.isView(data)) return undefined;
  switch (tag.call(data)) {
    case "Float32Array":
      return "f32";
    case "Float64Array":
      return "f64";
    case "Int32Array":
      return "i32";
    case "Uint32Array":
      return "u32";
    default:
      return undefined;
  }
}

/** A zeroed typed array for `count` elements; `op` begins the message if the runtime makes none so long. */
export function newData<D extends DType>(dtype: D, count: number, op: string = "newData"): Data[D] {
  const info: DTypeInfo<D> = dtypes[dtype];
  return newArray(op, info.array, count);
}

/** A zeroed typed array of any kind. A RangeError says what to do if the runtime makes none so long. */
export function newArray<A>(op: string, array: { new (length: number): A; readonly BYTES_PER_ELEMENT: number }, count: number): A {
  try {
    return new array(count);
  } catch (error) {
    const bytes = count * array.BYTES_PER_ELEMENT, said = error instanceof Error ? error.message : error;
    throw new RangeError(
      `${op}: this runtime makes no array of ${bytes} bytes (${said}); Bun's hold at most 4 GiB. Read parts: slice(x, axis, start, end)`,
      { cause: error },
    );
  }
}

/**
 * The element type that data decides for a tensor: a typed array its own, a plain array f32.
 * @internal
 */
export type DTypeOf<A> = A extends readonly number[] ? "f32" : { [K in DType]: A extends Data[K] ? K : never }[DType];

interface ArrayName {
  f32: "Float32Array";
  f64: "Float64Array";
  i32: "Int32Array";
  u32: "Uint32Array";
}

/**
 * Data as `tensor` accepts it, or the sentence that says why not.
 * @internal
 */
export type Checked<A, D> = A extends readonly number[] ? A
  : [DTypeOf<A>] extends [never] ? "tensor: data must be a number[], Float32Array, Float64Array, Int32Array or Uint32Array"
  : [DTypeOf<A>] extends [D] ? A
  : `tensor: data is ${DTypeOf<A>}, dtype is ${D & string}: convert it with ${ArrayName[D & DType]}.from(data)`;

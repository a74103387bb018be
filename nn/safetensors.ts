/**
 * The header of a safetensors file, encoded and decoded. Such a file is
 *
 *   8 bytes        length of the header in bytes, little-endian
 *   header         JSON, padded with spaces: { "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, …, "__metadata__": { … } }
 *   data           every tensor row-major and little-endian, offsets counted from here, without gaps
 *
 * A decoded header can be trusted: whatever the file holds, its tensors have known sizes, lie inside it and do not overlap.
 */

import { LibraryError, RangeError, TypeError } from "../core/errors.ts";
import type { DType } from "../core/dtype.ts";
import { dtypeBytes } from "../core/dtype.ts";
import { formatShape, formatValue } from "../core/shape.ts";

/** A checkpoint file that is damaged, not a safetensors file, or does not fit the tree it is loaded into. */
export class CheckpointError extends LibraryError {
  override readonly name = "CheckpointError";
}

/** A tensor to be written. @internal */
export interface NewEntry {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A tensor in a file: its type by the format's name, its sizes, and where its bytes lie in the data. @internal */
export interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** What a header says. @internal */
export interface Header {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly metadata: Record<string, string>;
}

/** Bytes of the length before the header. @internal */
export const prefixBytes = 8;

/** The limit of the format's reference implementation: no file can make a reader allocate more before it was checked. */
const headerBytesMax = 100_000_000;

const metadataKey = "__metadata__";

/** Bytes of one element for each type of the format that fills whole bytes. Only the first four become tensors here. */
const elementBytes: Readonly<Record<string, number>> = {
  ...{ F32: 4, F64: 8, I32: 4, U32: 4 },
  ...{ BOOL: 1, U8: 1, I8: 1, F8_E5M2: 1, F8_E4M3: 1, F8_E8M0: 1, U16: 2, I16: 2, F16: 2, BF16: 2, U64: 8, I64: 8, C64: 8 },
};

/** The format's name of an element type. @internal */
export function formatDType(dtype: DType): string {
  return dtype.toUpperCase();
}

/**
 * The start of a file, length and header, and the order in which the tensors' data follow it: wide elements first, so that every tensor is aligned for
 * those who map the file. `source` begins the messages.
 * @internal
 */
export function encodeHeader(
  source: string,
  tensors: readonly NewEntry[],
  metadata: Readonly<Record<string, string>> = {},
): { bytes: Uint8Array; order: number[] } {
  const fields: [string, unknown][] = [];
  if (
    typeof metadata !== "object" || metadata === null || Array.isArray(metadata) ||
    Object.prototype.toString.call(metadata) !== "[object Object]"
  ) {
    throw new TypeError(`${source}: metadata must be an object of strings, got ${formatValue(metadata)}`);
  }
  const pairs = Object.entries(metadata);
  for (const [key, value] of pairs) {
    if (typeof value !== "string") throw new TypeError(`${source}: metadata.${key} must be a string, got ${formatValue(value)}`);
    if (!key.isWellFormed() || !value.isWellFormed()) throw new TypeError(`${source}: metadata.${key} holds half of a surrogate pair`);
  }
  if (pairs.length > 0) fields.push([metadataKey, Object.fromEntries(pairs)]);

  const order = tensors.map((_, i) => i).sort((i, j) => dtypeBytes(tensors[j]!.dtype) - dtypeBytes(tensors[i]!.dtype));
  let at = 0;
  for (const i of order) {
    const { name, dtype, shape } = tensors[i]!;
    if (name === metadataKey) throw new TypeError(`${source}: a tensor cannot be called ${metadataKey}`);
    if (!name.isWellFormed()) throw new TypeError(`${source}: a tensor's name holds half of a surrogate pair`);
    const end = at + dtypeBytes(dtype) * shape.reduce((count, n) => count * n, 1);
    fields.push([name, { dtype: formatDType(dtype), shape, data_offsets: [at, end] }]);
    at = end;
  }

  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(fields)));
  const length = Math.ceil(json.length / 8) * 8;
  if (length > headerBytesMax) {
    throw new RangeError(`${source}: names and metadata take ${length} bytes, at most ${headerBytesMax} are allowed`);
  }
  const bytes = new Uint8Array(prefixBytes + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(json, prefixBytes);
  return { bytes, order };
}

/** The length of the header that a file of `fileBytes` begins with. @internal */
export function decodeLength(source: string, prefix: Uint8Array, fileBytes: number): number {
  if (prefix.length < prefixBytes) throw new CheckpointError(`${source}: is ${fileBytes} bytes long, too short for a safetensors file`);
  const length = new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true);
  if (length > headerBytesMax || length > fileBytes - prefixBytes) {
    throw new CheckpointError(
      `${source}: claims a header of ${length} bytes in a file of ${fileBytes}: not a safetensors file, or cut short`,
    );
  }
  return Number(length);
}

/** The header of a file whose data take `dataBytes`. Throws a CheckpointError for everything that the format does not allow. @internal */
export function decodeHeader(source: string, json: Uint8Array, dataBytes: number): Header {
  const fail = (what: string): never => {
    throw new CheckpointError(`${source}: ${what}`);
  };
  const found = parse(json, fail);
  const entries = new Map<string, Entry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(found)) {
    if (name === metadataKey) metadata = checkMetadata(value, fail);
    else entries.set(name, checkEntry(name, value, dataBytes, fail));
  }
  checkCover(entries, dataBytes, fail);
  return { entries, metadata };
}

type Fail = (what: string) => never;

function parse(json: Uint8Array, fail: Fail): object {
  let text = "", value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(json);
    value = JSON.parse(text);
  } catch (error) {
    fail(`its header is not JSON in UTF-8 (${error instanceof Error ? error.message : error})`);
  }
  if (!isObject(value) || !text.startsWith("{")) return fail("its header is not a JSON object");
  checkDuplicates(text, fail);
  return value;
}

/** `JSON.parse` takes the last of equal keys in silence, other readers may take the first. The text is known to be JSON. */
function checkDuplicates(text: string, fail: Fail): void {
  const open: Set<string>[] = [];
  for (const [token, quoted, colon] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")[ \t\r\n]*(:)?|[{}]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== undefined) {
      const key: string = JSON.parse(quoted!); // a colon comes with a string before it
      const keys = open[open.length - 1]!;
      if (keys.has(key)) fail(`its header has ${formatName(key)} twice`);
      keys.add(key);
    }
  }
}

function checkMetadata(value: unknown, fail: Fail): Record<string, string> {
  if (!isObject(value)) return fail(`${metadataKey} must be an object of strings`);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== "string") fail(`${metadataKey} must hold strings, ${formatName(key)} is ${formatValue(text)}`);
  }
  return value as Record<string, string>; // every value was looked at
}

function checkEntry(name: string, value: unknown, dataBytes: number, fail: Fail): Entry {
  const wrong = (what: string): never => fail(`tensor ${formatName(name)} ${what}`);
  if (!isObject(value)) return wrong("is not described by an object");
  const { dtype, shape, data_offsets: offsets } = value as Record<string, unknown>;
  if (typeof dtype !== "string" || !Object.hasOwn(elementBytes, dtype)) return wrong(`has the unknown dtype ${formatValue(dtype)}`);
  if (!isSizes(shape)) return wrong("has a shape that is not a list of sizes");
  if (!isSizes(offsets) || offsets.length !== 2) return wrong("has data_offsets that are not two whole numbers");
  const [begin, end] = offsets as [number, number]; // its length was compared
  if (begin > end || end > dataBytes) return wrong(`lies at bytes ${begin} to ${end} of ${dataBytes}`);
  let bytes = elementBytes[dtype]!;
  for (const n of shape) {
    bytes *= n;
    if (!Number.isSafeInteger(bytes)) wrong(`has the impossible shape ${formatShape(shape)}`);
  }
  if (bytes !== end - begin) wrong(`is ${dtype} ${formatShape(shape)}, ${bytes} bytes, but lies at bytes ${begin} to ${end}`);
  return { dtype, shape, begin, end };
}

/** The tensors must fill the data exactly: no overlap, no gap, nothing behind the last. */
function checkCover(entries: ReadonlyMap<string, Entry>, dataBytes: number, fail: Fail): void {
  let at = 0;
  for (const [name, { begin, end }] of [...entries].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end)) {
    if (begin < at) fail(`tensor ${formatName(name)} overlaps another`);
    if (begin > at) fail(`bytes ${at} to ${begin} belong to no tensor`);
    at = end;
  }
  if (at !== dataBytes) fail(`bytes ${at} to ${dataBytes} belong to no tensor`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

/** A name from a file, short enough for a message. */
function formatName(name: string): string {
  return JSON.stringify(name.length <= 80 ? name : `${name.slice(0, 80)}…`);
}

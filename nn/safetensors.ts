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
import { bitsOf, formatDType } from "./file_types.ts";

/**
 * A checkpoint that cannot be read or written, is damaged, is no safetensors file, or does not fit the tree it is loaded into. The message
 * begins with function and path; if the system failed, `cause` is its error.
 */
export class CheckpointError extends LibraryError {
  /** The name of the class, which minifying a program does not change. */
  override readonly name = "CheckpointError";
}

/** @internal A tensor to be written. */
export interface NewEntry {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** @internal A tensor in a file: its type by the format's name, its sizes, and where its bytes lie in the data. */
export interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** @internal What a header says. */
export interface Header {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly metadata: Record<string, string>;
}

/** @internal Bytes of the length before the header. */
export const prefixBytes = 8;

/** @internal The limit of the format's reference implementation: no file can make a reader allocate more before it was checked. */
export const headerBytesMax = 100_000_000;

const metadataKey = "__metadata__";

/**
 * The start of a file, length and header, and the order in which the tensors' data follow it: wide elements first, so that every tensor is
 * aligned for those who map the file. `source` begins the messages.
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
  const characters = pairs.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (characters > headerBytesMax) throw tooLong(source, characters); // before a text is made of it, which may be longer than a text can be
  if (pairs.length > 0) fields.push([metadataKey, Object.fromEntries(pairs)]);

  const order = tensors.map((_, i) => i).sort((i, j) => dtypeBytes(tensors[j]!.dtype) - dtypeBytes(tensors[i]!.dtype));
  let at = 0;
  for (const i of order) {
    const { name, dtype, shape } = tensors[i]!;
    if (name === metadataKey) throw new TypeError(`${source}: a tensor cannot be called ${metadataKey}`);
    if (!name.isWellFormed()) throw new TypeError(`${source}: a tensor's name holds half of a surrogate pair`);
    const end = at + dtypeBytes(dtype) * countOf(shape);
    fields.push([name, { dtype: formatDType(dtype), shape, data_offsets: [at, end] }]);
    at = end;
  }

  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(fields)));
  const length = Math.ceil(json.length / 8) * 8;
  if (length > headerBytesMax) throw tooLong(source, length);
  const bytes = new Uint8Array(prefixBytes + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(json, prefixBytes);
  return { bytes, order };
}

function tooLong(source: string, bytes: number): RangeError {
  return new RangeError(`${source}: names and metadata take ${bytes} bytes, at most ${headerBytesMax} are allowed`);
}

/** @internal The length of the header that a file of `fileBytes` begins with. */
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

/** @internal The header of a file whose data take `dataBytes`. Throws a CheckpointError for everything that the format does not allow. */
export function decodeHeader(source: string, json: Uint8Array, dataBytes: number): Header {
  const fail = (what: string): never => {
    throw new CheckpointError(`${source}: ${what}`);
  };
  const found = parseObject(source, "its header", json);
  const entries = new Map<string, Entry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(found)) {
    if (name === metadataKey) metadata = checkMetadata(value, fail);
    else entries.set(name, checkEntry(name, value, dataBytes, fail));
  }
  checkCover(entries, dataBytes, fail);
  return { entries, metadata };
}

/**
 * From the names of tensors to the files that hold them, as an index of several files says. Such a file is `{ "weight_map": { "name":
 * "file", … } }`; other fields are ignored. The files lie beside it: a name that leads elsewhere is refused.
 * @internal
 */
export function decodeIndex(source: string, json: Uint8Array): Map<string, string> {
  const { weight_map: map } = parseObject(source, "it", json) as { weight_map?: unknown };
  if (!isObject(map)) throw new CheckpointError(`${source}: has no weight_map, an object of file names`);
  const places = new Map<string, string>();
  for (const [name, file] of Object.entries(map)) {
    if (typeof file !== "string" || !/^(?!\.\.?$)[^/\\:\0]+$/.test(file)) {
      throw new CheckpointError(`${source}: places ${formatName(name)} in ${formatValue(file)}, which is no file beside it`);
    }
    places.set(name, file);
  }
  return places;
}

type Fail = (what: string) => never;

/** The object that bytes are in JSON. Throws a CheckpointError for anything else, and for names that stand twice in an object. */
function parseObject(source: string, what: string, json: Uint8Array): object {
  const fail = (message: string): never => {
    throw new CheckpointError(`${source}: ${what} ${message}`);
  };
  let text = "", value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(json);
    value = JSON.parse(text);
  } catch (error) {
    fail(`is not JSON in UTF-8 (${shortened(error instanceof Error ? error.message : `${error}`)})`);
  }
  if (!isObject(value) || !text.startsWith("{")) return fail("is not a JSON object");
  checkDuplicates(json, fail);
  return value;
}

/**
 * `JSON.parse` takes the last of equal keys in silence, other readers may take the first. The bytes are known to be JSON, and may be a
 * hundred megabytes. None of a character that takes several bytes in UTF-8 is one of those that are looked for.
 */
function checkDuplicates(json: Uint8Array, fail: Fail): void {
  const open: Set<string>[] = [], decoder = new TextDecoder();
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === ascii.openBrace) open.push(new Set());
    else if (byte === ascii.closeBrace) open.pop();
    else if (byte === ascii.quote) {
      const end = stringEnd(json, at);
      if (isKey(json, end)) {
        const keys = open[open.length - 1]!; // a colon is inside an object
        const key: string = JSON.parse(decoder.decode(json.subarray(at, end)));
        if (keys.has(key)) fail(`has ${formatName(key)} twice`);
        keys.add(key);
      }
      at = end - 1;
    }
  }
}

const ascii = { quote: 0x22, colon: 0x3a, backslash: 0x5c, openBrace: 0x7b, closeBrace: 0x7d, spaces: [0x20, 0x09, 0x0a, 0x0d] };

/** The index behind the quote that ends the string at `start`. */
function stringEnd(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (json[at] !== ascii.quote) at += json[at] === ascii.backslash ? 2 : 1;
  return at + 1;
}

/** Whether a colon follows. */
function isKey(json: Uint8Array, at: number): boolean {
  while (ascii.spaces.includes(json[at]!)) at++;
  return json[at] === ascii.colon;
}

function checkMetadata(value: unknown, fail: Fail): Record<string, string> {
  if (value === null) return {}; // as some writers say that there is none
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
  if (typeof dtype !== "string") return wrong(`has the dtype ${formatValue(dtype)}`);
  if (!isSizes(shape)) return wrong("has a shape that is not a list of sizes");
  if (!isSizes(offsets) || offsets.length !== 2) return wrong("has data_offsets that are not two whole numbers");
  const [begin, end] = offsets as [number, number]; // its length was compared
  if (begin > end || end > dataBytes) return wrong(`lies at bytes ${begin} to ${end} of ${dataBytes}`);
  const elementBits = bitsOf(dtype);
  if (elementBits !== undefined) { // of a type that the format may get later only the place can be checked
    const bits = elementBits * countOf(shape), is = `is ${dtype} ${formatShape(shape)}`;
    if (!Number.isSafeInteger(bits)) return wrong(`has the impossible shape ${formatShape(shape)}`);
    if (bits % 8 !== 0) return wrong(`${is}, ${bits} bits, which fill no whole number of bytes`);
    if (bits / 8 !== end - begin) return wrong(`${is}, ${bits / 8} bytes, but lies at bytes ${begin} to ${end}`);
  }
  return { dtype, shape, begin, end };
}

/** The number of elements, or more than 2^53 if it cannot be counted exactly. */
function countOf(shape: readonly number[]): number {
  return shape.includes(0) ? 0 : shape.reduce((count, n) => count * n, 1);
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

/** @internal A name from a file, short enough for a message. */
export function formatName(name: string): string {
  return JSON.stringify(shortened(name));
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

/** Pictures as PNG files (W3C, PNG third edition): eight bits a channel, no filter. */

import { RangeError, TypeError } from "../core/errors.ts";
import { checkSize, formatValue } from "../core/shape.ts";
import { zlib } from "./node.ts";

/** The pixels of a picture, row by row from the upper left. */
export interface Pixels {
  /** Pixels in a row, at most 4096. */
  readonly width: number;
  /** Rows, at most 4096. */
  readonly height: number;
  /**
   * One value a pixel for grey, two with alpha, three for red, green and blue, four with alpha: the length says which. Bytes from 0 to 255, or floats from 0
   * to 1, which are cut to that range; NaN becomes 0.
   */
  readonly pixels: Uint8Array | Uint8ClampedArray | Float32Array | Float64Array;
}

const sideMax = 4096;
/** PNG's colour types by the number of channels. */
const colourTypes = [undefined, 0, 4, 2, 6];

/** A PNG file in base 64. */
export function toPng(op: string, { width, height, pixels }: Pixels): string {
  checkSize(op, "width", width, 1, sideMax);
  checkSize(op, "height", height, 1, sideMax);
  const channels = channelsOf(op, width * height, pixels), bytes = toBytes(pixels), row = width * channels;
  const raw = new Uint8Array(height * (row + 1)); // a row begins with its filter, 0 for none
  for (let y = 0; y < height; y++) raw.set(bytes.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
  const header = new Uint8Array(13), view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, colourTypes[channels]!], 8);
  const packed: Uint8Array = zlib.deflateSync(raw);
  return toBase64([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    chunk("IHDR", header),
    chunk("IDAT", packed),
    chunk("IEND", new Uint8Array()),
  ]);
}

function channelsOf(op: string, count: number, pixels: Pixels["pixels"]): number {
  const kinds = [Uint8Array, Uint8ClampedArray, Float32Array, Float64Array];
  if (!kinds.some((kind) => pixels instanceof kind)) {
    throw new TypeError(`${op}: pixels must be a Uint8Array, Uint8ClampedArray, Float32Array or Float64Array, got ${formatValue(pixels)}`);
  }
  const channels = pixels.length / count;
  if (colourTypes[channels] === undefined) {
    throw new RangeError(`${op}: pixels must have ${count} values for grey, twice, three or four times as many, got ${pixels.length}`);
  }
  return channels;
}

function toBytes(pixels: Pixels["pixels"]): Uint8Array | Uint8ClampedArray {
  if (pixels instanceof Uint8Array || pixels instanceof Uint8ClampedArray) return pixels;
  return Uint8ClampedArray.from(pixels, (value) => 255 * value); // cuts, rounds and takes NaN for 0
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length), view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** The cyclic redundancy check of PNG's chunks (its annex D). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function toBase64(parts: readonly Uint8Array[]): string {
  let text = "";
  for (const part of parts) for (let i = 0; i < part.length; i += 8192) text += String.fromCharCode(...part.subarray(i, i + 8192));
  return btoa(text);
}

/**
 * Open safetensors files: what they hold, and single tensors of them. A checkpoint may be one file, or several with an index that says
 * which tensor is in which; either is opened by its path or by that of its folder.
 */

import { type Data, type DType, newArray, newData } from "../core/dtype.ts";
import { TypeError } from "../core/errors.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Device } from "../core/device.ts";
import { files, fs, path as paths } from "../core/node.ts";
import { elementCount, formatShape, formatValue } from "../core/shape.ts";
import { allocate, checkDType, requireDevice, type Tensor } from "../core/tensor.ts";
import { closeFile, errorCode, finishReading, finishReadingSync, openFile, readFully, type Reading, sizeOf } from "./disk.ts";
import { bitsOf, carrierOf, conversion, longAt, readType, type SafetensorsData, tensorType } from "./file_types.ts";
import { partOf, pieceLengths } from "./pieces.ts";
import {
  CheckpointError,
  decodeHeader,
  decodeIndex,
  decodeLength,
  type Entry,
  formatName,
  type Header,
  headerBytesMax,
  prefixBytes,
} from "./safetensors.ts";

/** What a tensor in a file is. */
export interface SafetensorsEntry {
  /** The element type by the format's name: `F32`, `BF16`, `I64` … */
  readonly dtype: string;
  /** The sizes, outermost first. */
  readonly shape: readonly number[];
  /** How many bytes it takes in the file. */
  readonly bytes: number;
}

/** Options of `SafetensorsFile.tensor`. */
export interface SafetensorsTensorOptions<D extends DType> {
  /**
   * The element type of the tensor: the file's own, or one that `load` converts to. By default F16 and BF16 become f32, I64 becomes i32.
   */
  dtype?: D;
}

const tensorNames = optionNames<SafetensorsTensorOptions<DType>>({ dtype: true });

/** An open safetensors file, or several that one index joins. Close it, or let `using` do so; nothing else does. */
export interface SafetensorsFile extends Disposable {
  /** The path that it was opened by. */
  readonly path: string;
  /** The tensors that it holds, by name. */
  readonly tensors: ReadonlyMap<string, SafetensorsEntry>;
  /** The metadata; of several files that of all, the first file by name wins if keys are equal. */
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * The values of a tensor, row-major, and nothing else of the file: converted to `dtype` as `load` does, or else as the file has them.
   * There F16 and BF16 are a Float32Array, C64 is one of pairs, BOOL, U8 and types of less than 16 bits are the bytes; a type that is not
   * known here is bytes too.
   *
   * Throws a TypeError for a name that the file does not hold, a CheckpointError if it cannot be read or a value does not fit.
   */
  read(name: string): Promise<SafetensorsData>;
  /** The values of a tensor as the typed array of `dtype`; a CheckpointError if one of them does not fit. */
  read<D extends DType>(name: string, dtype: D): Promise<Data[D]>;
  /** `read`, while everything else waits. */
  readSync(name: string): SafetensorsData;
  /** `read` with an element type, while everything else waits. */
  readSync<D extends DType>(name: string, dtype: D): Data[D];
  /**
   * A new tensor on a device with the values of one in the file. It belongs to no scope: dispose it.
   *
   * Throws as `read` does, and a CheckpointError for an element type that becomes no tensor.
   */
  tensor<D extends DType = DType>(device: Device, name: string, options?: SafetensorsTensorOptions<D>): Promise<Tensor<D>>;
  /** `tensor`, while everything else waits. The tensor belongs to the scope around the call. */
  tensorSync<D extends DType = DType>(device: Device, name: string, options?: SafetensorsTensorOptions<D>): Tensor<D>;
  /** Closes the file once pending reads have ended. A second call does nothing; every later read is a TypeError. */
  close(): void;
}

/**
 * Opens a safetensors file to look at what it holds and to read single tensors: only its header is read here. The path may also be that of
 * an index (`model.safetensors.index.json`) with its files beside it, or of a folder with a `model.safetensors` or such an index.
 *
 * Throws a CheckpointError, which names the path, for what cannot be read, is damaged or is no such file, and for files that differ from
 * their index.
 *
 * ```ts
 * import { cpu, openSafetensors, save, tensor } from "@tilework/tilework";
 *
 * await save("/tmp/example.safetensors", { weight: tensor(cpu, [2], [1, 2]), bias: tensor(cpu, [1], [3]) });
 * using file = await openSafetensors("/tmp/example.safetensors");
 * for (const [name, { dtype, shape }] of file.tensors) console.log(name, dtype, shape); // weight F32 [2], then bias F32 [1]
 * console.log(await file.read("bias")); // Float32Array [3]
 * using weight = await file.tensor(cpu, "weight", { dtype: "f64" });
 * console.log(weight.readSync()); // Float64Array [1, 2]
 * ```
 */
export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  return await openCheckpoint("openSafetensors", path);
}

/** One file of a checkpoint, open. */
interface Part {
  readonly path: string;
  readonly fd: number;
  readonly header: Header;
  /** Where the tensors' bytes begin. */
  readonly dataStart: number;
}

/** The most bytes that are read at once to be converted, or written to a tensor. */
const convertBytes = 2 ** 22, tensorBytes = 2 ** 26;

/** An open checkpoint. @internal */
export class Checkpoint implements SafetensorsFile {
  readonly path: string;
  readonly tensors: ReadonlyMap<string, SafetensorsEntry>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly #parts: readonly Part[];
  readonly #stored = new Map<string, { readonly part: Part; readonly entry: Entry }>();
  /** Pending reads, and one more until `close` is called: at 0 the files are closed. */
  #users = 1;
  #closed = false;

  /** @internal */
  constructor(path: string, parts: readonly Part[]) {
    this.path = path;
    this.#parts = parts;
    for (const part of parts) for (const [name, entry] of part.header.entries) this.#stored.set(name, { part, entry });
    this.tensors = new Map(
      [...this.#stored].map(([name, { entry: { dtype, shape, begin, end } }]) => [name, { dtype, shape, bytes: end - begin }]),
    );
    this.metadata = Object.fromEntries([...parts].reverse().flatMap(({ header }) => Object.entries(header.metadata)));
  }

  read(name: string): Promise<SafetensorsData>;
  read<D extends DType>(name: string, dtype: D): Promise<Data[D]>;
  read(name: string, dtype?: DType): Promise<SafetensorsData> {
    return this.#wait("read", this.#values(name, dtype));
  }

  readSync(name: string): SafetensorsData;
  readSync<D extends DType>(name: string, dtype: D): Data[D];
  readSync(name: string, dtype?: DType): SafetensorsData {
    return this.#now("read", this.#values(name, dtype));
  }

  tensor<D extends DType = DType>(device: Device, name: string, options: SafetensorsTensorOptions<D> = {}): Promise<Tensor<D>> {
    return this.#wait("tensor", this.#tensor(device, name, options)) as Promise<Tensor<D>>; // `dtype`, if it is there, is D
  }

  tensorSync<D extends DType = DType>(device: Device, name: string, options: SafetensorsTensorOptions<D> = {}): Tensor<D> {
    return this.#now("tensor", this.#tensor(device, name, options)) as Tensor<D>; // `dtype`, if it is there, is D
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Fills `into` with elements of a tensor, from the one of index `first` on, converted if need be. @internal */
  *elements(op: string, name: string, dtype: DType, first: number, into: Data[DType]): Reading<void> {
    const { part, entry } = this.#find(op, name), how = conversion(entry.dtype, dtype);
    if (how === undefined) throw inconvertible(op, part, entry, name, dtype);
    const elementBytes = bitsOf(entry.dtype)! / 8; // what can be converted is known
    const from = part.dataStart + entry.begin + first * elementBytes;
    if (how === "same") return yield* readExactly(op, part, bytesOf(into), from);
    let raw = new Uint8Array(0);
    for (let at = 0; at < into.length; at += convertBytes / elementBytes) {
      const bytes = Math.min(convertBytes, (into.length - at) * elementBytes);
      if (raw.length !== bytes) raw = new Uint8Array(bytes);
      yield* readExactly(op, part, raw, from + at * elementBytes);
      const bad = how(raw.buffer, into, at);
      if (bad < 0) continue;
      const place = formatShape(indexOf(first + at + bad, entry.shape));
      throw failure(op, part.path, `tensor ${formatName(name)} has ${longAt(raw.buffer, bad)} at ${place}, which no ${dtype} is`);
    }
  }

  *#values(name: string, dtype: DType | undefined): Reading<SafetensorsData> {
    const op = "read", { part, entry } = this.#find(op, name);
    const as = dtype === undefined ? readType(entry.dtype) : checkDType(op, dtype);
    const bytes = entry.end - entry.begin;
    if (as === undefined) {
      const data = newArray(op, carrierOf(entry.dtype), bytes / carrierOf(entry.dtype).BYTES_PER_ELEMENT);
      yield* readExactly(op, part, bytesOf(data), part.dataStart + entry.begin);
      return data;
    }
    const data = newData(as, conversion(entry.dtype, as) === undefined ? 0 : elementCount(entry.shape), op);
    yield* this.elements(op, name, as, 0, data);
    return data;
  }

  *#tensor(device: Device, name: string, options: SafetensorsTensorOptions<DType>): Reading<Tensor> {
    const op = "tensor";
    requireDevice(op, device);
    checkOptions(op, options, tensorNames);
    const { dtype } = options;
    const { part, entry } = this.#find(op, name);
    const as = dtype === undefined ? tensorType(entry.dtype) : checkDType(op, dtype);
    if (as === undefined || conversion(entry.dtype, as) === undefined) throw inconvertible(op, part, entry, name, as ?? "a tensor");
    const out: Tensor = allocate(op, device, as, entry.shape);
    try {
      let at = 0;
      for (const length of pieceLengths(as, out.size, tensorBytes)) {
        const piece = newData(as, length);
        yield* this.elements(op, name, as, at, piece);
        using place = partOf(out, at, length);
        place.write(piece);
        at += length;
      }
    } catch (error) {
      out.dispose();
      throw error;
    }
    return out;
  }

  #find(op: string, name: unknown): { readonly part: Part; readonly entry: Entry } {
    const found = this.#stored.get(name as string);
    if (found !== undefined) return found;
    const what = typeof name === "string" ? formatName(name) : formatValue(name);
    throw new TypeError(`${op}: ${this.path} holds no tensor ${what}`);
  }

  #now<T>(op: string, reading: Reading<T>): T {
    this.#checkOpen(op);
    return finishReadingSync(reading);
  }

  async #wait<T>(op: string, reading: Reading<T>): Promise<T> {
    this.#checkOpen(op);
    this.#users++;
    try {
      await null; // a tensor that is made now would belong to the scope around the call, which ends before it is filled
      return await finishReading(reading);
    } finally {
      this.#leave();
    }
  }

  #checkOpen(op: string): void {
    if (this.#closed) throw new TypeError(`${op}: ${this.path} was closed`);
  }

  #leave(): void {
    if (--this.#users > 0) return;
    for (const { fd } of this.#parts) fs.closeSync(fd);
  }
}

// ── Opening ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Opens the checkpoint at a path for a function of the name `op`. @internal */
export async function openCheckpoint(op: string, path: string): Promise<Checkpoint> {
  checkPath(op, path);
  const file = await locate(op, path), parts: Part[] = [];
  try {
    if (file.endsWith(".json")) await openIndexed(op, file, parts);
    else parts.push(await openPart(op, file));
    return new Checkpoint(path, parts);
  } catch (error) {
    for (const { fd } of parts) fs.closeSync(fd);
    throw error;
  }
}

/** Checks that an argument is the name of a file. @internal */
export function checkPath(op: string, path: unknown): void {
  if (typeof path !== "string" || path === "") throw new TypeError(`${op}: path must be the name of a file, got ${formatValue(path)}`);
}

const single = "model.safetensors", indexEnd = ".index.json";

/** The file or index that a path leads to. */
async function locate(op: string, path: string): Promise<string> {
  const found = await look(path);
  if (found === "file") return path;
  if (found === "folder") {
    for (const name of [single, single + indexEnd]) if (await look(paths.join(path, name)) === "file") return paths.join(path, name);
    throw failure(op, path, `is a folder with neither ${single} nor ${single}${indexEnd}`);
  }
  if (errorCode(found) === "ENOENT" && await look(path + indexEnd) === "file") return path + indexEnd;
  throw failure(op, path, found);
}

/** What is at a path. Anything but a file or folder is an error: to open a pipe would wait for its writer. */
async function look(path: string): Promise<"file" | "folder" | Error> {
  try {
    const found = await files.stat(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : new Error("is no file");
  } catch (error) {
    return error as Error; // the system's
  }
}

async function openPart(op: string, path: string): Promise<Part> {
  const fd = await systems(op, path, openFile(path, "r"));
  try {
    const fileBytes = await systems(op, path, sizeOf(fd)), prefix = new Uint8Array(prefixBytes), source = `${op}: ${path}`;
    const got = await systems(op, path, finishReading(readFully(fd, prefix, 0)));
    const json = new Uint8Array(decodeLength(source, prefix.subarray(0, got), fileBytes));
    await finishReading(readExactly(op, { path, fd }, json, prefixBytes));
    const dataStart = prefixBytes + json.length;
    return { path, fd, dataStart, header: decodeHeader(source, json, fileBytes - dataStart) };
  } catch (error) {
    await closeFile(fd);
    throw error;
  }
}

/** Opens the files that an index names, and compares them with it. */
async function openIndexed(op: string, path: string, parts: Part[]): Promise<void> {
  const fd = await systems(op, path, openFile(path, "r"));
  let places: Map<string, string>;
  try {
    const bytes = await systems(op, path, sizeOf(fd));
    if (bytes > headerBytesMax) throw failure(op, path, `is an index of ${bytes} bytes, at most ${headerBytesMax} are allowed`);
    const json = new Uint8Array(bytes);
    await finishReading(readExactly(op, { path, fd }, json, 0));
    places = decodeIndex(`${op}: ${path}`, json);
  } finally {
    await closeFile(fd);
  }
  for (const name of [...new Set(places.values())].sort()) {
    const part = await openPart(op, paths.join(paths.dirname(path), name));
    parts.push(part);
    checkAgrees(op, path, places, name, part);
  }
}

/** Fails where a file holds other tensors than its index says. */
function checkAgrees(op: string, path: string, places: ReadonlyMap<string, string>, file: string, { header: { entries } }: Part): void {
  for (const [name, place] of places) {
    if (place === file && !entries.has(name)) throw failure(op, path, `places ${formatName(name)} in ${file}, which does not hold it`);
  }
  for (const name of entries.keys()) {
    const place = places.get(name);
    if (place === file) continue;
    throw failure(op, path, `${place === undefined ? "does not name" : `places in ${place}`} the tensor ${formatName(name)} of ${file}`);
  }
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* readExactly(op: string, { path, fd }: Pick<Part, "path" | "fd">, bytes: Uint8Array, position: number): Reading<void> {
  let got: number;
  try {
    got = yield* readFully(fd, bytes, position);
  } catch (error) {
    throw failure(op, path, error);
  }
  if (got !== bytes.length) throw failure(op, path, "became shorter while it was read");
}

/** What the system answers, its errors with function and path. */
async function systems<T>(op: string, path: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw failure(op, path, error);
  }
}

/** The error of a function for a path: of a sentence, or of the system's error. @internal */
export function failure(op: string, path: string, what: unknown): CheckpointError {
  const message = `${op}: ${path}: ${what instanceof Error ? what.message : what}`;
  return new CheckpointError(message, what instanceof Error ? { cause: what } : undefined);
}

function inconvertible(op: string, { path }: Part, { dtype }: Entry, name: string, wanted: string): CheckpointError {
  return failure(op, path, `tensor ${formatName(name)} is ${dtype}, which does not become ${wanted}`);
}

/** The bytes of a typed array. All supported machines are little-endian, as the format is. @internal */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The index along each axis of the element at a place in row-major order. */
function indexOf(place: number, shape: readonly number[]): number[] {
  const index = new Array<number>(shape.length);
  for (let i = shape.length - 1; i >= 0; i--) {
    index[i] = place % shape[i]!;
    place = Math.floor(place / shape[i]!);
  }
  return index;
}

/** Tensors: n-dimensional arrays in native memory. */

import { RangeError, TypeError } from "./errors.ts";
import { errorDetail, load, native } from "../ffi/library.ts";
import { OutOfMemoryError, statusError, statusName, tooLongError, UnsupportedError } from "../ffi/status.ts";
import { AnyDevice, type Device, finished } from "./device.ts";
import type { VulkanDevice } from "./gpu.ts";
import {
  byteLengthOf,
  type Checked,
  type Data,
  type DType,
  type DTypeOf,
  dtypeOf,
  dtypes,
  isDetached,
  isDType,
  lengthOf,
  newData,
} from "./dtype.ts";
import { isExplaining, refuseReading, takeNotes } from "./explaining.ts";
import { type Leak, leaks, traceFromNow } from "./leaks.ts";
import { checkOptions, optionNames } from "./options.ts";
import { markOrigin } from "./package_copy.ts";
import { bytesOutside, forgotten, freedError, leave, Owned, tensorsOutside } from "./scope.ts";
import { checkShape, contiguousStrides, elementCount, formatShape, formatValue, isContiguous } from "./shape.ts";
import { isTurnDue, turn } from "./turn.ts";
import type { Shape, shapeOf, Sizes } from "./shape.ts";

/** @internal A native handle and how many `Tensor` objects hold it: one, and those that a gradient tape keeps. */
export interface Cell {
  handle: number;
  holders: number;
  /** Bytes of the memory that came with the handle; 0 for a view. */
  readonly bytes: number;
}

/** @internal Memory that a tensor shares with its views and aliases. */
export interface Storage {
  /** How often it was written to after it was first filled: by `write`, by `out`, by what works in place. */
  writes: number;
}

function letGo(cell: Cell): void {
  if (--cell.holders > 0) return;
  native.tw_tensor_free(cell.handle);
  cell.handle = 0;
}

/**
 * The safety net for tensors outside scopes that nobody disposed. It never runs inside a synchronous loop. A scope holds its own, so that they need none:
 * entering and leaving it is a third of what a small tensor costs, and a training step makes hundreds.
 */
const safetyNet = new FinalizationRegistry((cell: Cell) => {
  forgotten(cell.bytes);
  letGo(cell);
});

const inspect = Symbol.for("nodejs.util.inspect.custom");
const inspectDeno = Symbol.for("Deno.customInspect");

/** The part of a tensor that only the compiler sees. */
export interface Tensor<D extends DType = DType, S extends Shape = Shape> {
  /** @internal Not there at run time: the sizes as the compiler compares them. */
  readonly [shapeOf]: Sizes<S>;
}

/**
 * An n-dimensional array in native memory, of element type D and shape S. Made by `tensor`, `zeros` and their like, and by every op; freed by
 * `dispose`, `using` or the `scope` around it.
 */
export class Tensor<D extends DType = DType, S extends Shape = Shape> extends Owned implements Disposable {
  /** The element type. */
  readonly dtype: D;
  /** Where it lives. */
  readonly device: Device;
  /** The sizes, outermost first: plain numbers, a literal here would forbid `number` to stand for it. */
  readonly shape: { readonly [I in keyof S]: number };
  /** Elements from one index to the next, for each axis. */
  readonly strides: { readonly [I in keyof S]: number };
  /** @internal Elements from the start of its storage. */
  readonly offset: number;
  /** @internal The native handle; 0 once disposed, which no native function takes for a tensor. */
  handle: number;
  /** @internal Whether it shares its storage with the tensor it is a view of. */
  readonly isView: boolean;
  /** @internal Stands for the memory that it shares with its views and aliases. */
  readonly storage: Storage;
  /** @internal What a gradient tape knows of this value. */
  slot: object | null = null;
  readonly #cell: Cell;

  /** @internal */
  constructor(
    device: Device,
    dtype: D,
    shape: Shape,
    strides: Shape,
    offset: number,
    cell: Cell,
    isView: boolean,
    storage: Storage,
  ) {
    super(cell.bytes);
    this.dtype = dtype;
    this.device = device;
    this.shape = shape as typeof this.shape; // S is what the maker says of these sizes
    this.strides = strides as typeof this.strides;
    this.offset = offset;
    this.handle = cell.handle;
    this.isView = isView;
    this.storage = storage;
    this.#cell = cell;
    if (this.owner === null) safetyNet.register(this, cell, this);
  }

  /** @internal */
  override guard(): void {
    safetyNet.register(this, this.#cell, this);
  }

  /** Number of axes. */
  get rank(): number {
    return this.shape.length;
  }

  /** Number of elements. */
  get size(): number {
    return elementCount(this.shape);
  }

  /** Whether the elements lie row-major without gaps. */
  get isContiguous(): boolean {
    return isContiguous(this.shape, this.strides);
  }

  /** Whether `dispose` was called. */
  override get disposed(): boolean {
    return this.handle === 0;
  }

  /**
   * A copy of the elements, row-major, as they are when it is called. On a GPU the event loop runs until they are there. On the CPU they are copied at once,
   * and the event loop gets its turn where it had none for some milliseconds: a loop that awaits this lets timers, signals and sockets through.
   */
  async read(): Promise<Data[D]> {
    if (!this.device.isGpu) {
      const data = this.readSync();
      if (isTurnDue()) await turn();
      return data;
    }
    refuseReading("read", "x has no values");
    // Before the request, which somebody has to take once it is made.
    const out = newData(this.dtype, this.size, "read");
    const request = requestCopy(this);
    try {
      await finished("read", () => native.tw_tensor_downloaded(request));
    } finally {
      check("read", native.tw_tensor_finish(out, request, out.byteLength));
    }
    return out;
  }

  /** A copy of the elements, row-major. Waits for a GPU, and nothing else of the program runs meanwhile. */
  readSync(): Data[D] {
    refuseReading("read", "x has no values");
    const out = newData(this.dtype, this.size, "read");
    if (this.device.isGpu) check("read", native.tw_tensor_finish(out, requestCopy(this), out.byteLength));
    else check("read", native.tw_tensor_read(out, alive("read", this).handle, out.byteLength));
    return out;
  }

  /** The value of a tensor of one element. As `read`, it gives the event loop its turn. */
  async item(): Promise<number> {
    checkOne(this);
    if (this.device.isGpu) return (await this.read())[0]!;
    const value = this.readSync()[0]!;
    if (isTurnDue()) await turn();
    return value;
  }

  /** The value of a tensor of one element. As `readSync`, it waits. */
  itemSync(): number {
    checkOne(this);
    return this.readSync()[0]!;
  }

  /** Overwrites the elements, row-major. Inside `explain` it only checks. */
  write(data: Data[D] | readonly number[]): void {
    writeData("write", alive("write", this), data);
  }

  /**
   * A copy on another device, or on the same one, without gaps. To a GPU it returns once the copy is recorded; from a GPU to a CPU or to another GPU it waits
   * for the elements, as `readSync` does. Throws a TypeError where a gradient flows into this tensor: move what a loss works with before it.
   *
   * ```ts
   * import { cpu, devices, tensor, vulkan } from "@tilework/tilework";
   *
   * using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
   * if (devices().some(({ kind, unusable }) => kind === "discrete" && unusable === null)) {
   *   using onGpu = x.to(await vulkan());
   *   using back = onGpu.to(cpu);
   *   console.log(back.readSync()); // Float32Array [1, 2, 3, 4]
   * }
   * ```
   */
  to(device: Device): Tensor<D, S> {
    const op = "to";
    alive(op, this);
    requireDevice(op, device);
    if (flowsInto(this)) throw new TypeError(`${op}: a gradient flows into x, and does not flow between devices; move x before the loss`);
    const out = allocate<D, S>(op, device, this.dtype, this.shape);
    try {
      const together = this.device.handle === device.handle || (!this.device.isGpu && !device.isGpu);
      if (together) check(op, native.tw_copy(device.handle, out.handle, this.handle));
      else if (!isExplaining()) send(op, out as Tensor, this.readSync());
    } catch (error) {
      out.dispose();
      throw error;
    }
    return out;
  }

  /** Frees the memory now. A second call does nothing; every other use of a disposed tensor is a TypeError. */
  dispose(): void {
    if (this.handle === 0) return;
    this.handle = 0;
    if (this.owner === null) safetyNet.unregister(this);
    leave(this);
    letGo(this.#cell);
  }

  /** `dispose`, as `using` calls it at the end of a block. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Another holder of the same value, freed on its own. */
  alias(): Tensor<D, S> {
    return new Tensor<D, S>(this.device, this.dtype, this.shape, this.strides, this.offset, this.share(), this.isView, this.storage);
  }

  /** @internal The native handle, for one more holder. */
  share(): Cell {
    this.#cell.holders++;
    return this.#cell;
  }

  /**
   * The handle of the copy that a product of this, transposed or not, reads in its place; 0 where it reads this. A prepacked weight has one.
   * @internal
   */
  copyFor(_op: string, _name: string, _transposed: boolean): number {
    return 0;
  }

  /** @internal Whether others hold the same value. */
  get isShared(): boolean {
    return this.#cell.holders > 1;
  }

  /** `Tensor f32 [2, 3] on cpu` and its edge values. */
  override toString(): string {
    const head = `Tensor ${this.dtype} ${formatShape(this.shape)} on ${this.device.name}`;
    return this.disposed ? `${head} (disposed)` : isExplaining() ? `${head} (explained)` : `${head} ${edges(this)}`;
  }

  /** For templates and `String(x)` alone. As a number, or beside one, a tensor is a mistake: a TypeError, in place of a comparison that is always false. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return this.toString();
    throw new TypeError(`a tensor is no number: use x.itemSync() or await x.item() (x is ${this.dtype} ${formatShape(this.shape)})`);
  }

  /** Throws: a tensor's elements are in native memory. */
  toJSON(): never {
    throw new TypeError(
      "JSON.stringify: a tensor has no JSON; give it { shape: x.shape, data: [...x.readSync()] }, or save() the tree to a file",
    );
  }

  /** @internal What `console.log` prints in Bun. */
  [inspect](): string {
    return this.toString();
  }

  /** @internal What `console.log` prints in Deno. */
  [inspectDeno](): string {
    return this.toString();
  }
}

markOrigin(Tensor, "tensor");

function checkOne(x: Tensor): void {
  alive("item", x);
  if (x.size !== 1) throw new RangeError(`item: x is ${formatShape(x.shape)}, must have one element`);
}

/** Asks a GPU for a copy of a tensor's elements. */
function requestCopy(x: Tensor): number {
  alive("read", x);
  const dense = x.isContiguous ? x : allocate("read", x.device, x.dtype, x.shape);
  try {
    if (dense !== x) check("read", native.tw_copy(x.device.handle, dense.handle, x.handle));
    const request = native.tw_tensor_download(dense.handle);
    if (request === 0) throw statusError("read", statusName(native.tw_last_status()));
    return request;
  } finally {
    if (dense !== x) dense.dispose();
  }
}

/** Whether a value is a tensor; narrows to the general type, where `instanceof` would give `any`. */
export function isTensor(value: unknown): value is Tensor {
  return value instanceof Tensor;
}

/** At most six of each axis: three from its start, three from its end. */
function edges(x: Tensor): string {
  const picks = x.shape.map((n) => n <= 6 ? Array.from({ length: n }, (_, i) => i) : [0, 1, 2, n - 3, n - 2, n - 1]);
  // Only the elements shown are read: a view of them is made axis by axis.
  const read = (axis: number, offset: number): string => {
    if (axis === x.rank) {
      const one = view(x, [], [], offset);
      const value = one.readSync()[0]!;
      one.dispose();
      return x.dtype === "f32" || x.dtype === "f64" ? String(Number(value.toPrecision(x.dtype === "f32" ? 5 : 7))) : String(value);
    }
    const parts = picks[axis]!.map((i) => read(axis + 1, offset + i * x.strides[axis]!));
    if (x.shape[axis]! > 6) parts.splice(3, 0, "…");
    return `[${parts.join(", ")}]`;
  };
  return read(0, x.offset);
}

/** Sizes, strides and offset on their way to the library. */
const layout = new Float64Array(1 + 2 * 8);

/** @internal A tensor with undefined content. */
export function allocate<D extends DType, S extends Shape>(op: string, device: Device, dtype: D, shape: Shape): Tensor<D, S> {
  if (shape.length > 8) throw new RangeError(`${op}: ${formatShape(shape)} has ${shape.length} axes, at most 8 are supported`);
  const { code, bytes: width } = dtypes[dtype];
  let bytes = width;
  for (let i = 0; i < shape.length; i++) bytes *= layout[i] = shape[i]!;
  const handle = device.isGpu
    ? native.tw_gpu_tensor(device.handle, code, shape.length, layout)
    : native.tw_tensor_new(code, shape.length, layout);
  if (handle === 0) throw creationError(op, dtype, shape, device);
  return new Tensor<D, S>(device, dtype, shape, contiguousStrides(shape), 0, { handle, holders: 1, bytes }, false, { writes: 0 });
}

/** @internal What stands behind a handle of 0 that an entry answered where it makes a tensor. */
export function creationError(op: string, dtype: DType, shape: Shape, device?: Device): Error {
  const status = statusName(native.tw_last_status());
  if (status === "Unsupported" && device !== undefined) {
    const { tensorBytesMax } = (device as VulkanDevice).describe(); // there is no other kind of GPU
    return new UnsupportedError(
      `${op}: ${dtype} ${formatShape(shape)} is longer than one binding of ${device.name} may be, ${tensorBytesMax} bytes`,
    );
  }
  if (status !== "OutOfMemory") return statusError(op, status);
  const m = memory();
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const what = `${op}: no memory for ${dtype} ${formatShape(shape)}`;
  const advice = bytesOutside() < 2 ** 28 ? "" : "; free them with scope() or using, and see docs/memory.md";
  if (!device?.isGpu) {
    return new OutOfMemoryError(
      `${what}; ${m.tensors} tensors hold ${mebibytes(m.bytes)}, ${tensorsOutside()} of them outside any scope${advice}`,
    );
  }
  const { bytes } = (device as VulkanDevice).statistics(); // there is no other kind of GPU
  return new OutOfMemoryError(
    `${what} on ${device.name}; its tensors hold ${
      mebibytes(bytes)
    }, and ${tensorsOutside()} of all tensors are outside any scope${advice}`,
  );
}

/** @internal A view of a tensor's storage: other sizes, strides and offset over the same memory. */
export function view<D extends DType, S extends Shape>(x: Tensor<D>, shape: Shape, strides: Shape, offset: number): Tensor<D, S> {
  const rank = shape.length;
  layout[0] = offset;
  for (let i = 0; i < rank; i++) {
    layout[1 + i] = shape[i]!;
    layout[1 + rank + i] = strides[i]!;
  }
  const handle = native.tw_tensor_view(x.handle, rank, layout);
  if (handle === 0) throw statusError("view", statusName(native.tw_last_status()));
  return new Tensor<D, S>(x.device, x.dtype, shape, strides, offset, { handle, holders: 1, bytes: 0 }, true, x.storage);
}

/** @internal Tells those who keep a copy of a tensor's elements that these change: called before they do. */
export function changes(x: Tensor): void {
  if (isExplaining()) return;
  watcher?.(x);
  x.storage.writes++;
}

let watcher: ((x: Tensor) => void) | null = null;

/** @internal Runs `body` and tells `next` of each tensor that it changes, before the change. */
export function watchChanges<T>(next: (x: Tensor) => void, body: () => T): T {
  const before = watcher;
  watcher = next;
  try {
    return body();
  } finally {
    watcher = before;
  }
}

let flowsInto: (x: Tensor) => boolean = () => false;

/** @internal Tells how to know whether a gradient is recorded that flows into a tensor. Only core/op.ts, which records, calls this. */
export function askForGradients(next: (x: Tensor) => boolean): void {
  flowsInto = next;
}

/** @internal Throws what a native status means, or keeps the notes of a call that was only explained. */
export function check(op: string, code: number): void {
  if (code === 0 || takeNotes(op, code)) return;
  const status = statusName(code);
  if (status !== "TooLong") throw statusError(op, status);
  throw tooLongError(op, ...errorDetail());
}

function alive<T extends Tensor>(op: string, x: T): T {
  if (x.handle === 0) throw freedError(op, "x", x);
  return x;
}

function writeData(op: string, x: Tensor, data: unknown): void {
  const array = elements(op, data, x.dtype, x.size, x.shape);
  if (isExplaining()) return;
  changes(x);
  send(op, x, array);
}

/** Writes row-major elements to a tensor. */
function send(op: string, x: Tensor, array: ArrayBufferView): void {
  if (!x.device.isGpu) return check(op, native.tw_tensor_write(x.handle, array, byteLengthOf(array)));
  if (x.isContiguous) return check(op, native.tw_tensor_upload(x.handle, array, byteLengthOf(array)));
  const dense = allocate(op, x.device, x.dtype, x.shape);
  try {
    check(op, native.tw_tensor_upload(dense.handle, array, byteLengthOf(array)));
    check(op, native.tw_copy(x.device.handle, x.handle, dense.handle));
  } finally {
    dense.dispose();
  }
}

/** Data as the library takes it: a typed array of the right kind and length, or numbers that fit the element type. */
function elements(op: string, data: unknown, dtype: DType, count: number, shape: Shape): ArrayBufferView {
  const found = dtypeOf(data);
  if (found !== undefined) {
    const array = data as Data[DType]; // `dtypeOf` has looked
    if (isDetached(array)) throw new TypeError(`${op}: data was transferred away and is detached`);
    if (found !== dtype) {
      throw new TypeError(`${op}: data is ${found}, dtype is ${dtype}: convert it with ${dtypes[dtype].array.name}.from(data)`);
    }
    checkCount(op, lengthOf(array), count, shape);
    return array;
  }
  if (!Array.isArray(data)) {
    throw new TypeError(`${op}: data must be a number[], Float32Array, Float64Array, Int32Array or Uint32Array, got ${formatValue(data)}`);
  }
  if (data.length !== count) {
    const nested = data.findIndex((value) => Array.isArray(value) || ArrayBuffer.isView(value));
    if (nested >= 0) throw noNumber(op, nested, data[nested]);
  }
  checkCount(op, data.length, count, shape);
  const whole = !dtypes[dtype].float;
  const [low, high] = dtype === "u32" ? [0, 2 ** 32 - 1] : [-(2 ** 31), 2 ** 31 - 1];
  for (let i = 0; i < data.length; i++) {
    const value: unknown = data[i];
    if (typeof value !== "number") throw noNumber(op, i, value);
    if (whole && !(Number.isInteger(value) && value >= low && value <= high)) {
      throw new RangeError(`${op}: data[${i}] must be a whole number from ${low} to ${high} for ${dtype}, got ${formatValue(value)}`);
    }
  }
  const out = newData(dtype, count, op);
  out.set(data as number[]); // every element was looked at
  return out;
}

function noNumber(op: string, place: number, value: unknown): Error {
  const nested = Array.isArray(value) || ArrayBuffer.isView(value);
  const advice = nested ? ": pass the numbers row-major in one array, nested ones by data.flat(Infinity)" : "";
  return new TypeError(`${op}: data[${place}] must be a number, got ${formatValue(value)}${advice}`);
}

function checkCount(op: string, got: number, count: number, shape: Shape): void {
  if (got !== count) throw new RangeError(`${op}: data holds ${got} elements, ${formatShape(shape)} needs ${count}`);
}

/** Whether the library was loaded and asked what it knows of the environment. */
let loaded = false;

/** @internal Loads the library and checks that an argument is a device. */
export function requireDevice(op: string, device: Device): void {
  if (!loaded) {
    load();
    if (native.tw_memory_traces() !== 0) traceFromNow();
    loaded = true;
  }
  if (!(device instanceof AnyDevice)) {
    throw new TypeError(`${op}: device must be a device such as cpu, got ${formatValue(device)}`);
  }
}

const tensorNames = optionNames<{ dtype?: DType }>({ dtype: true });

/**
 * A tensor of the given shape with a copy of `data`, row-major. A typed array decides the element type; a plain array gives f32 unless `dtype` says
 * otherwise. Throws a TypeError or RangeError that names what does not fit.
 *
 * ```ts
 * import { cpu, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using ids = tensor(cpu, [2], new Uint32Array([7, 9]));
 * console.log(a.dtype, ids.dtype); // f32 u32
 * ```
 */
export function tensor<const S extends Shape, A, D extends DType = DTypeOf<A>>(
  device: Device,
  shape: readonly [...S],
  data: Checked<A, D>,
  options: { dtype?: D } = {},
): Tensor<NoInfer<D>, S> {
  requireDevice("tensor", device);
  checkOptions("tensor", options, tensorNames);
  const dtype = checkDType("tensor", options.dtype === undefined ? dtypeOf(data) ?? "f32" : options.dtype) as D; // the type parameter's default says the same
  const sizes = checkShape("tensor", "shape", shape);
  const array = elements("tensor", data, dtype, elementCount(sizes), sizes);
  const out = allocate<D, S>("tensor", device, dtype, sizes);
  try {
    send("tensor", out, array);
  } catch (error) {
    out.dispose();
    throw error;
  }
  return out;
}

/** @internal Checks that an argument names an element type. */
export function checkDType(op: string, dtype: unknown): DType {
  if (!isDType(dtype)) throw new TypeError(`${op}: dtype must be f32, f64, i32 or u32, got ${formatValue(dtype)}`);
  return dtype;
}

/** A tensor whose content is undefined until something writes it. */
export function empty<const S extends Shape, D extends DType = "f32">(
  device: Device,
  shape: readonly [...S],
  dtype: D = "f32" as D,
): Tensor<NoInfer<D>, S> {
  requireDevice("empty", device);
  checkDType("empty", dtype);
  return allocate<D, S>("empty", device, dtype, checkShape("empty", "shape", shape));
}

/** What is held in native memory by every thread of the process. */
export interface Memory {
  /** Live tensors, views included. */
  readonly tensors: number;
  /** Bytes in use. */
  readonly bytes: number;
  /** The most bytes in use since the last `trim`. */
  readonly peakBytes: number;
  /** Bytes kept for reuse, at most as many as were in use at the peak. */
  readonly keptBytes: number;
  /** Live tensors of this thread that no scope will free. */
  readonly outsideScopes: number;
  /** The bytes of those of them that are no views, on the CPU and on GPUs. */
  readonly outsideBytes: number;
  /** Where those of them were made that were not disposed, the most bytes first; `null` unless the variable `TILEWORK_LEAKS` is 1. */
  readonly leaks: readonly Leak[] | null;
}

/**
 * What is held in native memory.
 *
 * ```ts
 * import { cpu, memory, zeros } from "@tilework/tilework";
 *
 * const before = memory().tensors;
 * using x = zeros(cpu, [4, 4]);
 * console.log(memory().tensors - before, x.size); // 1 16
 * ```
 */
export function memory(): Memory {
  load();
  const out = new Float64Array(4);
  native.tw_memory_statistics(out);
  const [tensors, bytes, peakBytes, keptBytes] = out as unknown as [number, number, number, number]; // as many as it was made for
  return { tensors, bytes, peakBytes, keptBytes, outsideScopes: tensorsOutside(), outsideBytes: bytesOutside(), leaks: leaks() };
}

/** Returns the memory that is kept for reuse to the system. */
export function trim(): void {
  load();
  native.tw_memory_trim();
}

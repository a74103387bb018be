/** Keys and values of the positions that a model has seen, for generating text one position at a time. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Device } from "../core/device.ts";
import type { DType, Float } from "../core/dtype.ts";
import { isExplaining } from "../core/explaining.ts";
import { checkDevice, checkNotRecording, checkTensor } from "../core/op.ts";
import { checkNeeded, optionNames } from "../core/options.ts";
import { Fate, freeAs, keep } from "../core/scope.ts";
import { checkSize, formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, changes, checkDType, requireDevice, type Tensor } from "../core/tensor.ts";
import { place, range } from "../ops/slice.ts";

/** Sizes of a `KeyValueCache`. */
export interface KeyValueCacheOptions<D extends Float, B extends number, H extends number, W extends number> {
  /** Texts that are continued side by side, 1. */
  batch?: B;
  /** Heads of keys and values. */
  heads: H;
  /** The most positions that it can hold. */
  capacity: number;
  /** The width of a head. */
  width: W;
  /** The element type, f32. */
  dtype?: D;
}

/** Keys and values of the positions seen so far, in memory for `capacity` of them. */
export interface KeyValueCache<D extends Float = "f32", B extends number = number, H extends number = number, W extends number = number>
  extends Disposable {
  /** Where it lives. */
  readonly device: Device;
  /** The most positions that it can hold. */
  readonly capacity: number;
  /** How many positions it holds. */
  readonly length: number;
  /** The keys it holds, a view: it belongs to the cache and lives until the length changes. */
  readonly keys: Tensor<D, [B, H, number, W]>;
  /** The values it holds, a view as `keys` is. */
  readonly values: Tensor<D, [B, H, number, W]>;
  /** Adds positions behind those it holds, by a copy. Both or neither: a RangeError where they do not fit changes nothing. */
  append(k: Tensor<D, [B, H, number, W]>, v: NoInfer<Tensor<D, [B, H, number, W]>>): void;
  /** Forgets all but the first `length` positions. */
  truncate(length: number): void;
  /** Forgets everything. */
  reset(): void;
}

const names = optionNames<KeyValueCacheOptions<Float, number, number, number>>({
  batch: true,
  heads: true,
  capacity: true,
  width: true,
  dtype: true,
});

/**
 * A key–value cache. A decoder that writes text needs, for each new position, the keys and values of all before it: with the cache it computes those of the
 * new ones alone, appends them, and asks `attention(q, cache.keys, cache.values, { causal: true })`, where the queries count from the end. The results have
 * the bits that the whole text would give.
 *
 * The cache belongs to no scope: dispose it. `append` works in place and is refused while gradients are recorded; inside `explain` it leaves the cache as it was.
 *
 * Throws a RangeError for sizes that are none, a TypeError for an element type other than f32 and f64.
 *
 * ```ts
 * import { attention, cpu, keyValueCache, tensor } from "@tilework/tilework";
 *
 * using cache = keyValueCache(cpu, { heads: 1, capacity: 8, width: 2 });
 * for (const x of [[1, 0], [0, 1], [1, 1]]) {
 *   using k = tensor(cpu, [1, 1, 1, 2], x);
 *   cache.append(k, k);
 *   using y = attention(k, cache.keys, cache.values);
 *   console.log(cache.length, y.shape); // 1 [1, 1, 1, 2], then 2, then 3
 * }
 * ```
 */
export function keyValueCache<
  const H extends number,
  const W extends number,
  D extends Float = "f32",
  const B extends number = 1,
>(device: Device, options: KeyValueCacheOptions<D, B, H, W>): KeyValueCache<D, B, H, W> {
  const op = "keyValueCache";
  requireDevice(op, device);
  checkNeeded(op, options, names);
  const { batch = 1, heads, capacity, width, dtype = "f32" } = options;
  for (const [name, size] of Object.entries({ batch, heads, capacity, width })) checkSize(op, name, size);
  const type = checkDType(op, dtype);
  if (type !== "f32" && type !== "f64") throw new TypeError(`${op}: dtype is ${type}, must be f32 or f64`);
  return new Cache(device, type, [batch, heads, capacity, width]) as unknown as KeyValueCache<D, B, H, W>; // of these sizes
}

const withCache = new Fate("was freed with the cache that it belongs to");
const outgrown = new Fate("was freed when the cache that it showed changed: take keys and values from the cache again");

class Cache implements KeyValueCache<Float> {
  readonly device: Device;
  readonly capacity: number;
  #length = 0;
  readonly #keys: Tensor;
  readonly #values: Tensor;
  /** Views of the filled part, made when they are asked for. */
  #filled: { keys: Tensor; values: Tensor } | null = null;

  constructor(device: Device, dtype: Float, shape: [number, number, number, number]) {
    this.device = device;
    this.capacity = shape[2];
    this.#keys = keep(allocate<DType, Shape>("keyValueCache", device, dtype, shape) as Tensor);
    try {
      this.#values = keep(allocate<DType, Shape>("keyValueCache", device, dtype, shape) as Tensor);
    } catch (error) {
      this.#keys.dispose();
      throw error;
    }
  }

  get length(): number {
    return this.#length;
  }

  get keys(): Tensor<Float, [number, number, number, number]> {
    return this.#views("keys").keys as unknown as Tensor<Float, [number, number, number, number]>; // of rank 4
  }

  get values(): Tensor<Float, [number, number, number, number]> {
    return this.#views("values").values as unknown as Tensor<Float, [number, number, number, number]>; // of rank 4
  }

  append(k: Tensor<Float, [number, number, number, number]>, v: Tensor<Float, [number, number, number, number]>): void {
    const op = "append";
    this.#checkAlive(op);
    const count = this.#checkNew(op, "k", k as Tensor);
    const values = this.#checkNew(op, "v", v as Tensor);
    if (values !== count) throw new RangeError(`${op}: k and v have ${count} and ${values} positions`);
    if (count > this.capacity - this.#length) {
      throw new RangeError(`${op}: ${count} positions behind ${this.#length} are more than the capacity, ${this.capacity}`);
    }
    checkNotRecording(op);
    for (const x of [this.#keys, this.#values]) changes(x);
    place(op, k as Tensor, this.#keys, 2, this.#length);
    place(op, v as Tensor, this.#values, 2, this.#length);
    if (!isExplaining()) this.#resize(this.#length + count);
  }

  truncate(length: number): void {
    this.#checkAlive("truncate");
    checkSize("truncate", "length", length, 0, this.#length);
    if (!isExplaining()) this.#resize(length);
  }

  reset(): void {
    this.truncate(0);
  }

  [Symbol.dispose](): void {
    this.#forgetViews(withCache);
    freeAs(withCache, [this.#keys, this.#values]);
  }

  #resize(length: number): void {
    if (length === this.#length) return;
    this.#length = length;
    this.#forgetViews();
  }

  #forgetViews(what: Fate = outgrown): void {
    if (this.#filled !== null) freeAs(what, [this.#filled.keys, this.#filled.values]);
    this.#filled = null;
  }

  #views(op: string): { keys: Tensor; values: Tensor } {
    this.#checkAlive(op);
    // Those made inside `explain` end with it.
    if (this.#filled === null || this.#filled.keys.disposed || this.#filled.values.disposed) {
      this.#forgetViews();
      this.#filled = { keys: keep(range(this.#keys, 2, 0, this.#length)), values: keep(range(this.#values, 2, 0, this.#length)) };
    }
    return this.#filled;
  }

  /** Checks keys or values to append; returns how many positions they are of. */
  #checkNew(op: string, name: string, x: Tensor): number {
    checkTensor(op, name, x);
    const own = this.#keys;
    if (x.dtype !== own.dtype) throw new TypeError(`${op}: ${name} is ${x.dtype}, the cache is ${own.dtype}`);
    checkDevice(op, name, x, "the cache", own);
    const fits = x.rank === 4 && [0, 1, 3].every((axis) => x.shape[axis] === own.shape[axis]);
    if (!fits) {
      const [batch, heads, , width] = own.shape;
      throw new RangeError(`${op}: ${name} is ${formatShape(x.shape)}, must be [${batch}, ${heads}, positions, ${width}]`);
    }
    if (x.storage === own.storage || x.storage === this.#values.storage) {
      throw new TypeError(`${op}: ${name} is a view of the cache itself`);
    }
    return x.shape[2]!;
  }

  #checkAlive(op: string): void {
    if (this.#keys.disposed) throw new TypeError(`${op}: the cache was disposed`);
  }
}

/** Random numbers from a seed and a counter. */

import { RangeError, TypeError } from "../core/errors.ts";
import { check, checkFinite, checkFloat, checkNotRecording } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Device } from "../core/device.ts";
import type { DType } from "../core/dtype.ts";
import { refuseReading } from "../core/explaining.ts";
import { checkShape, checkSize, formatShape, formatValue } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { Fate, freeAs, keep } from "../core/scope.ts";
import { allocate, changes, requireDevice, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { statusError, statusName } from "../ffi/status.ts";

/** Range of uniform numbers. */
export interface UniformOptions {
  /** The smallest, 0. */
  low?: number;
  /** What all are below, 1. */
  high?: number;
}

/** Parameters of normal numbers. */
export interface NormalOptions {
  /** The mean, 0. */
  mean?: number;
  /** The standard deviation, 1. */
  deviation?: number;
}

/** How to draw from logits. */
export interface CategoricalOptions {
  /** What logits are divided by, 1. With 0 the largest logit is taken, the first of equal ones. */
  temperature?: number;
  /** How many of the largest logits are left to draw from, the first of equal ones. All. */
  topK?: number;
  /**
   * Leaves the likeliest of these, from the largest down, until they hold this part of their probability together: "nucleus sampling" (Holtzman et al.,
   * 2020). From 0, the largest alone, to 1, all of them; 1.
   */
  topP?: number;
}

/** A stream of random numbers on a device. */
export interface Random extends Disposable {
  /** Where its tensors are made. */
  readonly device: Device;
  /** Seed and counter: saved and restored like every other tensor. */
  readonly state: Tensor<"u32", [6]>;
  /** A whole number from 0 to below `limit`, each as likely as the other. Waits for a GPU. */
  below(limit: number): number;
  /** Numbers in [low, high): multiples of 2⁻²⁴ of the range. */
  uniform<const S extends Shape>(shape: readonly [...S], options?: UniformOptions): Tensor<"f32", S>;
  /** Normally distributed numbers, by Box and Muller's method. */
  normal<const S extends Shape>(shape: readonly [...S], options?: NormalOptions): Tensor<"f32", S>;
  /**
   * An index for each row of logits, drawn from softmax(logits / temperature), or from what `topK` and then `topP` leave of it. A row without a
   * distribution gives the index of its first NaN, or 0 where all are -Infinity.
   */
  categorical<S extends Shape, V extends number>(logits: Tensor<"f32", [...S, V]>, options?: CategoricalOptions): Tensor<"u32", S>;
}

/**
 * A stream of random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), a function of the seed and a counter
 * alone. The same seed gives the same numbers on every device, worker count and runtime, and a saved `state` continues the stream.
 *
 * Throws a RangeError for a seed that is no whole number from 0 to 2^53 - 1.
 *
 * ```ts
 * import { cpu, random } from "@tilework/tilework";
 *
 * using rng = random(cpu, 42);
 * using x = rng.normal([2, 3], { deviation: 0.1 });
 * console.log(x.shape, rng.below(6) < 6); // [2, 3] true
 * ```
 */
export function random(device: Device, seed: number): Random {
  requireDevice("random", device);
  checkSize("random", "seed", seed);
  return new Stream(device, seed);
}

const uniformNames = optionNames<UniformOptions>({ low: true, high: true });
const normalNames = optionNames<NormalOptions>({ mean: true, deviation: true });
const categoricalNames = optionNames<CategoricalOptions>({ temperature: true, topK: true, topP: true });

const withStream = new Fate("was freed with its random stream");

/** Checks that an argument is a random stream, and that it was not disposed. @internal */
export function checkRandom(op: string, rng: unknown): asserts rng is Random {
  if (!(rng instanceof Stream)) throw new TypeError(`${op}: rng must be a random stream, got ${formatValue(rng)}`);
  if (rng.state.disposed) throw new TypeError(`${op}: the random stream was disposed`);
}

class Stream implements Random {
  readonly device: Device;
  readonly state: Tensor<"u32", [6]>;

  constructor(device: Device, seed: number) {
    this.device = device;
    this.state = keep(allocate<"u32", [6]>("random", device, "u32", [6]));
    this.state.write([seed % 2 ** 32, Math.floor(seed / 2 ** 32), 0, 0, 0, 0]);
  }

  below(limit: number): number {
    checkSize("below", "limit", limit, 1);
    refuseReading("below", "there is no number");
    const value = native.tw_random_below(this.device.handle, this.#state("below").handle, limit);
    if (value < 0) throw statusError("below", statusName(native.tw_last_status()));
    return value;
  }

  uniform<const S extends Shape>(shape: readonly [...S], options: UniformOptions = {}): Tensor<"f32", S> {
    const op = "uniform";
    checkOptions(op, options, uniformNames);
    const { low = 0, high = 1 } = options;
    checkFinite(op, "low", low);
    checkFinite(op, "high", high);
    if (low > high) throw new RangeError(`${op}: low is ${low}, must not be above high, ${high}`);
    const state = this.#state(op);
    const out = allocate<"f32", S>(op, this.device, "f32", checkShape(op, "shape", shape));
    check(op, native.tw_random_uniform(this.device.handle, out.handle, state.handle, low, high));
    return out;
  }

  normal<const S extends Shape>(shape: readonly [...S], options: NormalOptions = {}): Tensor<"f32", S> {
    const op = "normal";
    checkOptions(op, options, normalNames);
    const { mean = 0, deviation = 1 } = options;
    checkFinite(op, "mean", mean);
    checkFinite(op, "deviation", deviation);
    if (deviation < 0) throw new RangeError(`${op}: deviation must be 0 or more, got ${deviation}`);
    const state = this.#state(op);
    const out = allocate<"f32", S>(op, this.device, "f32", checkShape(op, "shape", shape));
    check(op, native.tw_random_normal(this.device.handle, out.handle, state.handle, mean, deviation));
    return out;
  }

  categorical<S extends Shape, V extends number>(
    logits: Tensor<"f32", [...S, V]>,
    options: CategoricalOptions = {},
  ): Tensor<"u32", S> {
    const op = "categorical";
    checkOptions(op, options, categoricalNames);
    const { temperature = 1, topK, topP = 1 } = options;
    const x = logits as unknown as Tensor<DType>; // checked next
    checkFloat(op, "logits", x);
    if (x.device.handle !== this.device.handle) {
      throw new TypeError(`${op}: logits are on ${x.device.name}, the random numbers on ${this.device.name}`);
    }
    checkFinite(op, "temperature", temperature);
    if (temperature < 0) throw new RangeError(`${op}: temperature must be 0 or more, got ${temperature}`);
    if (topK !== undefined) checkSize(op, "topK", topK, 1);
    checkFinite(op, "topP", topP);
    if (topP < 0 || topP > 1) throw new RangeError(`${op}: topP must be from 0 to 1, got ${topP}`);
    if (x.rank === 0 || (x.shape[x.rank - 1] === 0 && x.shape.slice(0, -1).every((size) => size > 0))) {
      throw new RangeError(`${op}: logits is ${formatShape(x.shape)}, must have a last axis to choose from`);
    }
    checkNotRecording(op);
    const state = this.#state(op);
    const out = allocate<"u32", S>(op, this.device, "u32", x.shape.slice(0, -1));
    const kept = topK === undefined || topK >= x.shape[x.rank - 1]! ? 0 : topK; // 0 keeps all
    check(op, native.tw_random_categorical(this.device.handle, out.handle, x.handle, state.handle, kept, temperature, topP));
    return out;
  }

  [Symbol.dispose](): void {
    freeAs(withStream, [this.state]);
  }

  #state(op: string): Tensor {
    if (this.state.disposed) throw new TypeError(`${op}: the random stream was disposed`);
    changes(this.state as Tensor); // every draw advances its counter
    return this.state as Tensor;
  }
}

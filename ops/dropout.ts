/** Dropout. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { asRows, check, checkFloat, checkNumber, output, record, recording } from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkNeeded, optionNames } from "../core/options.ts";
import { formatValue } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, changes, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { checkRandom, type Random } from "./random.ts";

/** Options of `dropout`. */
export interface DropoutOptions<D extends Float, S extends Shape> extends Out<D, S> {
  /** The probability that an element is dropped, from 0 to 1. */
  rate: number;
}

const names = optionNames<DropoutOptions<Float, Shape>>({ out: true, rate: true });

/**
 * Dropout: each element is 0 with probability `rate`, else `x/(1 − rate)`, so that the expectation stays (Srivastava et al., "Dropout: a simple way to
 * prevent neural networks from overfitting", 2014). With rate 0 all are kept, with rate 1 none. For training alone: leave the call out to evaluate.
 *
 * An element is kept where `rng.uniform(x.shape)` in place of this call would have given at least the rate (in steps of 2⁻²⁴), and the stream moves on as
 * by that call. The mask is not stored: the gradient draws it again, from where the stream was. It depends on the stream and the element's index alone, not
 * on workers, layout or runtime. What is dropped is 0 whatever it was, NaN too. `out` may be `x` itself.
 *
 * Throws a RangeError for a rate outside 0 to 1, a TypeError for other element types than f32 and f64, a disposed tensor or stream, a stream on another
 * device, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, dropout, ones, random } from "@tilework/tilework";
 *
 * using rng = random(cpu, 1);
 * using x = ones(cpu, [1000]);
 * using y = dropout(x, rng, { rate: 0.75 });
 * const kept = y.readSync().filter((v) => v === 4).length;
 * console.log(kept > 200 && kept < 300); // true
 * ```
 *
 * @param x any shape
 * @returns the shape of `x`
 */
export function dropout<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  rng: Random,
  options: NoInfer<DropoutOptions<D, S>>,
): Tensor<D, S> {
  checkNeeded("dropout", options, names);
  return forward("dropout", x as Tensor, rng, options as AnyOptions) as unknown as Tensor<D, S>; // of x's own dtype and shape
}

interface AnyOptions {
  rate: number;
  out?: Tensor | undefined;
}

/** Bits of the native flags. */
const again = 1;

function forward(op: string, x: Tensor, rng: Random, options: AnyOptions): Tensor {
  checkFloat(op, "x", x);
  checkRandom(op, rng);
  const state = rng.state as Tensor;
  if (state.device.handle !== x.device.handle) {
    throw new TypeError(`${op}: x is on ${x.device.name}, the random stream on ${state.device.name}`);
  }
  const { rate } = options;
  if (!(checkNumber(op, "rate", rate) >= 0 && rate <= 1)) throw new RangeError(`${op}: rate must be from 0 to 1, got ${formatValue(rate)}`);
  const out = output(op, x, x.dtype, x.shape, options.out) as Tensor;
  const tracked = recording(x);
  // Where the stream is now: its counter moves on, and the gradient has to find this place again.
  const place = tracked ? allocate(op, x.device, "u32", [6]) as Tensor : null;
  if (place !== null) check(op, native.tw_copy(x.device.handle, place.handle, state.handle));
  changes(state); // every draw advances its counter
  run(op, out, x, state, 0, rate);
  if (place !== null) {
    record(op, [x], [out], [place], ([dy], [place]) => {
      const dx = allocate("dropoutBackward", dy!.device, dy!.dtype, dy!.shape) as Tensor;
      run("dropoutBackward", dx, dy!, place!, again, rate);
      return [dx];
    });
    place.dispose(); // the tape has its own holder
  }
  return out;
}

function run(op: string, out: Tensor, x: Tensor, state: Tensor, flags: number, rate: number): void {
  const rows = asRows(op, x);
  check(op, native.tw_dropout(x.device.handle, out.handle, rows.handle, state.handle, flags, rate));
  if (rows !== x) rows.dispose();
}

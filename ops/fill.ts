/** Tensors of one value. */

import { RangeError, TypeError } from "../core/errors.ts";
import { check } from "../core/op.ts";
import type { Device } from "../core/device.ts";
import { type DType, dtypes } from "../core/dtype.ts";
import { checkShape, formatValue } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, changes, checkDType, requireDevice, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/**
 * A tensor of zeros.
 *
 * ```ts
 * import { cpu, zeros } from "@tilework/tilework";
 *
 * using x = zeros(cpu, [2, 3]);
 * using counts = zeros(cpu, [4], "u32");
 * console.log(x.readSync().length, counts.dtype); // 6 u32
 * ```
 */
export function zeros<const S extends Shape, D extends DType = "f32">(
  device: Device,
  shape: readonly [...S],
  dtype: D = "f32" as D, // the type parameter's default
): Tensor<NoInfer<D>, S> {
  return filled("zeros", device, shape, 0, dtype);
}

/**
 * A tensor of ones.
 *
 * ```ts
 * import { cpu, ones } from "@tilework/tilework";
 *
 * using x = ones(cpu, [3]);
 * console.log(x.readSync()); // Float32Array [1, 1, 1]
 * ```
 */
export function ones<const S extends Shape, D extends DType = "f32">(
  device: Device,
  shape: readonly [...S],
  dtype: D = "f32" as D, // the type parameter's default
): Tensor<NoInfer<D>, S> {
  return filled("ones", device, shape, 1, dtype);
}

/**
 * A tensor whose elements are all `value`. For integers it must be a whole number that they hold: a RangeError otherwise.
 *
 * ```ts
 * import { cpu, full } from "@tilework/tilework";
 *
 * using x = full(cpu, [2, 2], 0.5);
 * console.log(x.readSync()); // Float32Array [0.5, 0.5, 0.5, 0.5]
 * ```
 */
export function full<const S extends Shape, D extends DType = "f32">(
  device: Device,
  shape: readonly [...S],
  value: number,
  dtype: D = "f32" as D, // the type parameter's default
): Tensor<NoInfer<D>, S> {
  return filled("full", device, shape, value, dtype);
}

function filled<D extends DType, S extends Shape>(
  op: string,
  device: Device,
  shape: readonly number[],
  value: number,
  dtype: D,
): Tensor<D, S> {
  requireDevice(op, device);
  checkDType(op, dtype);
  const sizes = checkShape(op, "shape", shape);
  if (typeof value !== "number") throw new TypeError(`${op}: value must be a number, got ${formatValue(value)}`);
  if (!dtypes[dtype].float) {
    const [low, high] = dtype === "u32" ? [0, 2 ** 32 - 1] : [-(2 ** 31), 2 ** 31 - 1];
    if (!(Number.isInteger(value) && value >= low && value <= high)) {
      throw new RangeError(`${op}: value must be a whole number from ${low} to ${high} for ${dtype}, got ${formatValue(value)}`);
    }
  }
  const out = allocate<D, S>(op, device, dtype, sizes);
  check(op, native.tw_fill(device.handle, out.handle, value));
  return out;
}

/**
 * Makes every element of a tensor `value`, in place. Asks for no memory, on a GPU neither.
 * @internal
 */
export function refill(x: Tensor, value: number): void {
  check("refill", native.tw_fill(x.device.handle, x.handle, value));
  changes(x);
}

/** What the tests of the row-wise ops share beside `harness.ts`: normal numbers, slopes by differences, views, gradient rules, erf. */

import assert from "node:assert/strict";
import {
  type CpuDevice,
  cpuDevice,
  type Data,
  type Device,
  type Float,
  type Shape,
  type Tensor,
  tensor,
  UnsupportedError,
} from "../mod.ts";
import { type Rule, setRecorder } from "../core/op.ts";
import { allocate, view } from "../core/tensor.ts";
import { assertClose, devices, numbers } from "./harness.ts";

/** Normally distributed numbers (Box and Muller, 1958), the same for the same place. */
export function normal(count: number, place: number, deviation = 1): number[] {
  const uniform = numbers(2 * count, place).map((v) => (v + 1) / 2);
  return Array.from(
    { length: count },
    (_, i) => deviation * Math.sqrt(-2 * Math.log(1 - uniform[2 * i]!)) * Math.cos(2 * Math.PI * uniform[2 * i + 1]!),
  );
}

/** Whole numbers from 0 to limit − 1, the same for the same place. */
export function whole(count: number, limit: number, place: number): number[] {
  return numbers(count, place).map((v) => Math.floor((v + 1) / 2 * limit));
}

/** `assertClose` with the tolerance that the row-wise ops share. */
export function close(found: ArrayLike<number>, wanted: ArrayLike<number>, limit = 1e-5, least = 1e-12): void {
  assertClose(found, wanted, limit, "", least);
}

/** The gradient of `f` at `x` by central differences, with an error of about 1e-9 of f's scale. */
export function differences(f: (x: Float64Array) => number, x: ArrayLike<number>): Float64Array {
  const at = Float64Array.from(x);
  return Float64Array.from(at, (value, i) => {
    const h = 1e-5 * Math.max(1, Math.abs(value));
    at[i] = value + h;
    const above = f(at);
    at[i] = value - h;
    const below = f(at);
    at[i] = value;
    return (above - below) / (2 * h);
  });
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** A view that holds `data`, with gaps of NaN between its rows; or, `turned`, with its last axis not dense. */
export function strided<D extends Float>(
  device: Device,
  shape: readonly number[],
  data: Data[D],
  dtype: D,
  turned = false,
): Tensor<D, number[]> {
  const rank = shape.length;
  const sizes = turned ? [...shape].reverse() : shape.map((n, i) => i === rank - 1 ? n + 3 : n);
  const base = allocate<D, Shape>("strided", device, dtype, sizes);
  base.write(new Array(base.size).fill(NaN));
  const strides = turned ? [...base.strides].reverse() : [...base.strides];
  const x = view<D, number[]>(base as Tensor<D>, shape, strides, turned || base.size === 0 ? 0 : 2);
  x.write(data);
  base.dispose();
  return x;
}

/**
 * A view of a matrix that holds `data`, and the tensor it is cut from: 42 stands before, between and after its rows. What an op writes into the view and
 * beside it shows in the whole.
 */
export function framed(
  device: Device,
  [rows, cols]: readonly [number, number],
  data: ArrayLike<number>,
): [Tensor<"f32", number[]>, Tensor] {
  const wide = cols + 5, all = new Float32Array((rows + 2) * wide).fill(42);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) all[(i + 1) * wide + 3 + j] = data[i * cols + j]!;
  const whole = tensor(device, [rows + 2, wide], all);
  const part = view<"f32", number[]>(whole as Tensor<"f32">, [rows, cols], [wide, 1], rows * cols === 0 ? 0 : wide + 3);
  return [part, whole as Tensor];
}

/** Devices that all have to give the same bits: several numbers of workers, and each instruction set that this machine can run. */
export function everyDevice(): CpuDevice[] {
  const isas = (["portable", "avx2", "avx512", "neon"] as const).flatMap((isa) => {
    try {
      return [cpuDevice({ isa })];
    } catch (error) {
      assert.ok(error instanceof UnsupportedError);
      return [];
    }
  });
  return [...devices(), ...isas];
}

/** Runs an op as a loss would, and returns its result and how its gradient rule answers cotangents of all inputs. */
export function taped(run: () => Tensor): { out: Tensor; backward: (dy: Tensor, wanted?: boolean[]) => (Tensor | null)[] } {
  let rule: Rule | undefined, saved: Tensor[] = [], count = 0;
  const before = setRecorder({
    tracks: () => true,
    add(_op, inputs, _outputs, keep, itsRule) {
      [rule, saved, count] = [itsRule, keep.map((x) => x.alias()), inputs.length];
    },
  });
  let out: Tensor;
  try {
    out = run();
  } finally {
    setRecorder(before);
  }
  return { out, backward: (dy, wanted = new Array(count).fill(true)) => rule!([dy], saved, wanted, wanted.map(() => null)) };
}

/** The call has to throw this very sentence. */
export function refuses(call: () => unknown, name: "TypeError" | "RangeError", message: string): void {
  assert.throws(call, { name, message });
}

/** The same numbers as f32 and f64 arrays. */
export function both(numbers: readonly number[]): { f32: Float32Array<ArrayBuffer>; f64: Float64Array<ArrayBuffer> } {
  return { f32: Float32Array.from(numbers), f64: Float64Array.from(numbers) };
}

/** Lengths around the vector of 16 and the block of 64. */
export const lengths: readonly number[] = [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 70, 129];

export function of<D extends Float>(device: Device, shape: readonly number[], data: Data[D], dtype: D): Tensor<D, number[]> {
  return tensor(device, [...shape], data as Data["f64"], { dtype: dtype as "f64" }) as unknown as Tensor<D, number[]>; // dtype decides
}

/** erf by its series below 2.5 and the continued fraction of erfc above, to about 1e-15. */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a < 2.5) {
    let term = a, sum = a;
    for (let n = 1; n < 80; n++) {
      term *= -a * a / n;
      sum += term / (2 * n + 1);
    }
    return Math.sign(x) * 2 / Math.sqrt(Math.PI) * sum;
  }
  return Math.sign(x) * (1 - erfcTail(a));
}

function erfcTail(a: number): number {
  let f = 0;
  for (let n = 120; n > 0; n--) f = n / 2 / (a + f);
  return Math.exp(-a * a) / Math.sqrt(Math.PI) / (a + f);
}

/** Φ(x), with its relative accuracy kept for negative x. */
export function normalCdf(x: number): number {
  const a = -x / Math.SQRT2;
  return a > 2.5 ? erfcTail(a) / 2 : (1 - erf(a)) / 2;
}

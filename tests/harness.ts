/** What the tests of ops share: seeded numbers, comparison with a plain loop in f64, and gradients against central differences. */

import assert from "node:assert/strict";
import process from "node:process";
import {
  add,
  cpu,
  type CpuDevice,
  cpuDevice,
  type Data,
  type Device,
  type DType,
  type Float,
  mul,
  scope,
  type Shape,
  sum,
  type Tensor,
  tensor,
} from "../mod.ts";
import { valueAndGrad } from "../nn/autograd.ts";

/** Every random test starts here; a failure names it. */
export const seed: number = Number(process.env.TILEWORK_SEED ?? 1);

/** Numbers from -1 to 1, the same for the same place. */
export function numbers(count: number, place = 0): number[] {
  let state = (seed * 2654435761 + place * 40503 + 12345) >>> 0;
  return Array.from({ length: count }, () => {
    // Xorshift (Marsaglia, 2003): enough for inputs.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 31 - 1;
  });
}

/** Product of sizes. */
export function count(shape: Shape): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** A tensor of seeded numbers. */
export function randomTensor<D extends Float>(shape: readonly number[], dtype: D, place = 0, device: Device = cpu): Tensor<D, number[]> {
  return tensor(device, [...shape], numbers(count(shape), place), { dtype }) as unknown as Tensor<D, number[]>; // sizes are not known to the compiler
}

/** Devices with one to eight workers, whatever the machine has. */
export function devices(): CpuDevice[] {
  return [1, 2, 3, 5, 8].map((threads) => cpuDevice({ threads, tuning: { cores: 8, gemvParallelBytes: 0, parallelThreshold: 0 } }));
}

/** Compares with a reference: within `tolerance` of the largest finite reference value, or of `least` where that is larger; NaN and infinities where the reference has them. */
export function assertClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, what = "", least = 1e-12): void {
  assert.equal(actual.length, expected.length, `${what}: number of elements`);
  let scale = least;
  for (let i = 0; i < expected.length; i++) if (Number.isFinite(expected[i])) scale = Math.max(scale, Math.abs(expected[i]!));
  for (let i = 0; i < expected.length; i++) {
    const e = expected[i]!, a = actual[i]!;
    const same = Number.isFinite(e) ? Math.abs(a - e) <= tolerance * scale : Object.is(a, e);
    if (!same) assert.fail(`${what}: element ${i} is ${a}, want ${e} within ${tolerance} of ${scale} (seed ${seed})`);
  }
}

/** Equal bits; any NaN equals any NaN. */
export function assertSameBits(actual: ArrayLike<number>, expected: ArrayLike<number>, what = ""): void {
  assert.equal(actual.length, expected.length, `${what}: number of elements`);
  for (let i = 0; i < expected.length; i++) {
    if (!Object.is(actual[i], expected[i])) assert.fail(`${what}: element ${i} is ${actual[i]}, want ${expected[i]} (seed ${seed})`);
  }
}

/** FNV-1a over the bytes of the values, every NaN as one and the same; `from` goes on from another hash. */
export function hash(values: Data[DType], from = 0x811c9dc5): number {
  const copy = values.slice();
  for (let i = 0; i < copy.length; i++) if (Number.isNaN(copy[i])) copy[i] = NaN;
  let h = from;
  for (const byte of new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength)) h = Math.imul(h ^ byte, 0x01000193) >>> 0;
  return h;
}

/** Element indices of a shape, row-major. */
export function* indices(shape: Shape): Generator<number[]> {
  const index = shape.map(() => 0);
  if (shape.includes(0)) return;
  while (true) {
    yield index.slice();
    let axis = shape.length - 1;
    while (axis >= 0 && ++index[axis]! === shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

/** Position of an index in row-major elements of `shape`, where axes of 1 stretch and leading ones may be missing. */
export function at(shape: Shape, index: readonly number[]): number {
  let position = 0;
  shape.forEach((size, i) => position = position * size + (size === 1 ? 0 : index[index.length - shape.length + i]!));
  return position;
}

/** What a gradient check is made of. */
export interface GradientCheck {
  /** The inputs' shapes; elements are seeded numbers unless `values` has them. */
  shapes: readonly (readonly number[])[];
  values?: readonly (readonly number[])[];
  /** Relative to the largest gradient; central differences of a smooth function in f64 have some 1e-9. */
  tolerance?: number;
}

/**
 * Compares the gradients of ⟨op(inputs), c⟩ for a random cotangent c with central differences, in f64. An op with several results has one cotangent each;
 * a result that is `null` is left unused.
 */
export function assertGradients(
  name: string,
  op: (...inputs: Tensor<"f64", number[]>[]) => Tensor<DType> | readonly (Tensor<DType> | null)[],
  { shapes, values, tolerance = 1e-7 }: GradientCheck,
): void {
  const data = shapes.map((shape, i) => Float64Array.from(values?.[i] ?? numbers(count(shape), 100 + i)));
  const make = () => shapes.map((shape, i) => tensor(cpu, [...shape], data[i]!) as unknown as Tensor<"f64", number[]>); // sizes are not known
  const loss = (inputs: Tensor<"f64", number[]>[]): Tensor<"f64", []> => {
    const raw = op(...inputs);
    const results = (Array.isArray(raw) ? raw : [raw]) as (Tensor<"f64"> | null)[];
    let total: Tensor<"f64", []> | null = null;
    results.forEach((y, i) => {
      if (y === null) return;
      const cotangent = tensor(cpu, [...y.shape], Float64Array.from(numbers(y.size, 200 + i)));
      const term = sum(mul(y, cotangent as never)) as unknown as Tensor<"f64", []>;
      total = total === null ? term : add(total, term);
    });
    return total!;
  };
  const inputs = make();
  using result = valueAndGrad((p: { inputs: Tensor<"f64", number[]>[] }) => loss(p.inputs))({ inputs });
  result.grads.inputs.forEach((g, i) => assert.deepEqual(g.shape, [...shapes[i]!], `${name}: shape of gradient ${i}`));
  const h = 1e-5;
  data.forEach((elements, i) => {
    const differences = Array.from(elements, (x, k) => {
      const value = (moved: number) => {
        elements[k] = moved;
        return scope(() => loss(make()).itemSync());
      };
      const d = (value(x + h) - value(x - h)) / (2 * h);
      elements[k] = x;
      return d;
    });
    assertClose(result.grads.inputs[i]!.readSync(), differences, tolerance, `${name}: gradient of input ${i}`);
  });
  for (const t of inputs) t.dispose();
}

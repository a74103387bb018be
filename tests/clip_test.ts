import { test } from "node:test";
import assert from "node:assert/strict";
import {
  clipByGlobalNorm,
  clipFactor,
  cpu,
  type Device,
  full,
  ones,
  scaleBy,
  scope,
  slice,
  sumOfSquares,
  type Tensor,
  tensor,
} from "../mod.ts";
import { gpuTest } from "./gpu_harness.ts";
import { devices, randomTensor } from "./harness.ts";

/** Clips the global norm of some gradients in place, and returns it. */
function clip(gradients: ReturnType<typeof randomTensor<"f32">>[], limit: number): number {
  const { norm, factor } = clipFactor(gradients, limit);
  scaleBy(gradients, factor);
  const value = norm.itemSync();
  norm.dispose();
  factor.dispose();
  return value;
}

const vector = (values: number[]) => tensor(cpu, [values.length], values) as unknown as ReturnType<typeof randomTensor<"f32">>;

test("clipFactor() and scaleBy() bring a norm above the limit down to it", () => {
  using a = vector([3, 0]), b = vector([4]);
  assert.equal(clip([a, b], 2.5), 5);
  assert.deepEqual([...a.readSync(), ...b.readSync()], [1.5, 0, 2]);
  assert.equal(clip([a, b], 2.5), 2.5);
  assert.deepEqual([...a.readSync(), ...b.readSync()], [1.5, 0, 2]);
  using c = vector([300]);
  assert.equal(clip([c], 1), 300);
  assert.ok(Math.abs(c.itemSync() - 1) < 1e-7);
  using none = vector([]);
  assert.equal(clip([none], 1), 0);
});

test("clipFactor() leaves gradients alone whose norm is not finite, and tells the norm", () => {
  using g = vector([Infinity, 1]);
  assert.equal(clip([g], 1), Infinity);
  assert.deepEqual([...g.readSync()], [Infinity, 1]);
  using h = vector([NaN, 1]);
  assert.ok(Number.isNaN(clip([h], 1)));
  assert.deepEqual([...h.readSync()], [NaN, 1]);
});

test("clipFactor() does not overflow where squares would", () => {
  using g = vector([3e30, 4e30]);
  assert.equal(clip([g], 5), Math.fround(5e30));
  assert.deepEqual([...g.readSync()].map((x) => x.toFixed(5)), ["3.00000", "4.00000"]);
});

test("clipping has the same bits for any number of workers, and views are clipped where they lie", () => {
  const results = devices().map((device) => {
    using a = randomTensor([300, 300], "f32", 1, device),
      b = randomTensor([77], "f32", 2, device),
      whole = randomTensor([9, 9], "f32", 3, device);
    using column = slice(whole, 1, 2, 3);
    const outside = [...whole.readSync()].filter((_, i) => i % 9 !== 2);
    const norm = clip([a, column, b], 1);
    assert.deepEqual([...whole.readSync()].filter((_, i) => i % 9 !== 2), outside);
    const all = [...a.readSync(), ...b.readSync(), ...column.readSync()];
    assert.ok(Math.abs(Math.hypot(...all) - 1) < 1e-5);
    return [norm, ...all];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("clipFactor() finds norms of f64 whose squares leave the range", () => {
  const eighth = 2 ** -1074; // the smallest number
  const cases: [number[], number, number][] = [
    [[3e200, 4e200], 5e200, 2e-201],
    [[3e-200, 4e-200], 5e-200, 1],
    [[3 * eighth, 4 * eighth], 5 * eighth, 1],
    [[3e-200, 4e200, 0], 4e200, 1 / 4e200],
    [[1.5e308, -1.5e308], Infinity, 1 / 1.5e308 / Math.SQRT2],
    [[0, -0], 0, 1],
  ];
  for (const [values, norm, factor] of cases) {
    for (const step of [1, 2]) {
      using whole = tensor(cpu, [values.length, step], new Float64Array(values.flatMap((v) => step === 1 ? [v] : [v, 7e300])));
      using x = slice(whole, 1, 0, 1);
      const found = clipFactor([x], 1);
      const near = (a: number, b: number) => a === b || Math.abs(a - b) <= 4e-16 * Math.abs(b);
      assert.ok(near(found.norm.itemSync(), norm), `norm of ${values}: ${found.norm.itemSync()}`);
      assert.ok(near(found.factor.itemSync(), factor), `factor of ${values}: ${found.factor.itemSync()}`);
    }
  }
});

test("clipFactor() and scaleBy() take f64", () => {
  using b = tensor(cpu, [2], new Float64Array([3, 4]));
  const { norm, factor } = clipFactor([b], 1);
  scaleBy([b], factor);
  assert.deepEqual([norm.itemSync(), ...b.readSync()], [5, 3 * 0.2, 4 * 0.2]);
});

test("clipFactor() and scaleBy() say what does not fit", () => {
  using g = ones(cpu, [2]), x = ones(cpu, [3]), wide = ones(cpu, [], "f64"), half = tensor(cpu, [], [0.5]);
  assert.throws(() => clipFactor([g], NaN), { name: "RangeError", message: "clipFactor: limit must be 0 or more, got NaN" });
  assert.throws(() => clipFactor([g], "1" as never), { name: "TypeError" });
  assert.throws(() => clipFactor([], 1), { name: "TypeError", message: "clipFactor: gradients hold no tensor" });
  assert.throws(() => clipFactor([g, wide as never], 1), {
    name: "TypeError",
    message: "clipFactor: gradients[1] is f64, gradients[0] is f32",
  });
  assert.throws(() => clipFactor(g as never, 1), { name: "TypeError", message: /gradients must be an array of tensors/ });
  assert.throws(() => scaleBy([x], g as never), { name: "RangeError", message: "scaleBy: factor is [2], must have one element" });
  assert.throws(() => scaleBy([x], wide as never), { name: "TypeError", message: "scaleBy: factor is f64, x[0] is f32" });
  assert.throws(() => scaleBy([x, x], half), { name: "TypeError" });
  assert.deepEqual([...x.readSync()], [1, 1, 1]);
  scaleBy([], half);
});

/** What a GPU may take for 0, and the CPU holds in part. */
const smallest = 1.2e-38;

/** Clips to `limit` what holds these numbers, scaled, beside a view of others, and compares norm and gradients with what they are in f64. */
function clipsRight(device: Device, values: number[], limit: number): void {
  scope(() => {
    const rounded = values.map(Math.fround);
    const a = tensor(device, [values.length], rounded), whole = tensor(device, [values.length, 2], rounded.flatMap((v) => [v, 7]));
    const column = slice(whole, 1, 0, 1);
    const largest = Math.max(...rounded.map(Math.abs));
    const norm = largest * Math.hypot(...[...rounded, ...rounded].map((v) => v / largest));
    const found = clipByGlobalNorm({ a, column } as Record<string, Tensor>, limit).itemSync();
    const near = (x: number, y: number, what: string) =>
      assert.ok(
        x === y || Math.abs(x - y) <= Math.max(2e-6 * Math.abs(y), smallest),
        `${device.name}: ${what} of ${values} to ${limit}: ${x}, not ${y}`,
      );
    near(found, Math.fround(norm), "norm");
    const factor = norm > limit ? limit / norm : 1;
    for (const x of [a, column]) x.readSync().forEach((g, i) => near(g, rounded[i]! / norm * norm * factor, "gradient"));
    whole.readSync().forEach((x, i) => i % 2 === 1 && assert.equal(x, 7));
  });
}

const extremes = [1e-30, 1e-23, 1e-19, 1e-15, 1e-14, 1, 1e14, 1e15, 1e19, 1e20, 1e30, 1e38];

function clipsExtremes(device: Device): void {
  for (const size of extremes) {
    for (const limit of [1, size, size / 7]) clipsRight(device, [size, -2 * size, 0, size / 3, 3 * size], limit);
  }
  clipsRight(device, [1e20, 1, 1e-20, 0], 1);
  clipsRight(device, [1e-20, 1, 1e-30], 0.5);
  // The true norm is beyond what f32 holds.
  clipsRight(device, [3.4e38, 3.4e38, 3.4e38], 1);
  clipsRight(device, [3.4e38, -3.4e38], 1e-3);
  clipsRight(device, [3.4e38, 3.4e38], 3e38);
  clipsRight(device, [3.4e38, 3.4e38, 3.4e38], 7e38);
  clipsRight(device, [3.4e38, 3.4e38, 3.4e38], 1e39);
  clipsRight(device, [3.4e38, 3.4e38, 3.4e38], Infinity);
}

test("clipByGlobalNorm() clips right what is finite, however large or small", () => {
  clipsExtremes(cpu);
  // The CPU has numbers below 2^-126 too.
  using x = tensor(cpu, [2], [3e-40, 4e-40]);
  assert.equal(clipByGlobalNorm({ x }, 1e-40).itemSync(), Math.fround(5e-40));
  assert.deepEqual([...x.readSync()].map((v) => v.toPrecision(4)), ["6.000e-41", "8.000e-41"]);
});

gpuTest("clipByGlobalNorm() clips right what is finite on a GPU too", (gpu) => {
  clipsExtremes(gpu);
  scope(() => {
    const g = full(gpu, [4], 1e19);
    assert.equal(clipByGlobalNorm({ g }, 1).itemSync(), Math.fround(2e19));
    for (const x of g.readSync()) assert.ok(Math.abs(x - 0.5) < 1e-6);
    // A long vector: parts and their join.
    const long = full(gpu, [100_003], 1e20);
    assert.ok(Math.abs(clipByGlobalNorm({ long }, 1).itemSync() / (1e20 * Math.sqrt(100_003)) - 1) < 1e-6);
    assert.ok(Math.abs(sumOfSquares(long).itemSync() - 1) < 1e-5);
    for (const odd of [Infinity, NaN]) {
      const x = tensor(gpu, [3], [1, odd, 1e20]);
      assert.ok(!Number.isFinite(clipByGlobalNorm({ x }, 1).itemSync()));
      assert.deepEqual([...x.readSync()], [1, odd, Math.fround(1e20)]);
    }
  });
});

gpuTest("clipByGlobalNorm() on a GPU adds what single floats would lose, for elements of any size, as sumOfSquares() does", (gpu) => {
  for (const exponent of [-90, -60, 0, 40, 80]) {
    for (const value of [1.1, 1.3, 1.7]) {
      scope(() => {
        const size = Math.fround(value) * 2 ** exponent;
        const x = full(gpu, [1 << 20], size), small = tensor(gpu, [3], [size, -2 * size, 2 * size]);
        const found = clipByGlobalNorm({ x, small }, Infinity).itemSync() / (size * Math.sqrt(2 ** 20 + 9));
        assert.ok(Math.abs(found - 1) < 1.2e-7, `${value} times 2^${exponent}: ${found} of the norm`);
      });
    }
  }
  // Squares that normal floats cannot hold, in sums of parts that they can: a driver may take denormals for zero.
  using tiny = full(gpu, [1 << 20], 2 ** -64), large = tensor(gpu, [3], [2 ** 60, 2 ** -70, 1]);
  assert.equal(sumOfSquares(tiny).itemSync(), 2 ** -108);
  assert.equal(sumOfSquares(large).itemSync(), 2 ** 120);
});

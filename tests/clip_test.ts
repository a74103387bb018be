import { test } from "node:test";
import assert from "node:assert/strict";
import { clipFactor, cpu, ones, scaleBy, slice, tensor } from "../mod.ts";
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

test("clipFactor() and scaleBy() take f64", () => {
  using a = tensor(cpu, [2], new Float64Array([3e200, 4e200]));
  assert.equal(clipFactor([a], 1).norm.itemSync(), Infinity); // squares of f64 have nothing wider to go to
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

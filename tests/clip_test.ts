import { test } from "node:test";
import assert from "node:assert/strict";
import { clipFactor, cpu, ones, scaleBy, sumOfSquares, tensor, zeros } from "../mod.ts";
import { devices, randomTensor } from "./harness.ts";

/** Clips the global norm of some gradients in place, and returns it. */
function clip(gradients: ReturnType<typeof randomTensor<"f32">>[], limit: number): number {
  const device = gradients[0]!.device;
  using sums = zeros(device, [gradients.length], "f64");
  gradients.forEach((g, at) => sumOfSquares(g, { into: sums, at }));
  const { norm, factor } = clipFactor(sums, limit);
  for (const g of gradients) scaleBy(g, factor);
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

test("clipping has the same bits for any number of workers", () => {
  const results = devices().map((device) => {
    using a = randomTensor([300, 300], "f32", 1, device), b = randomTensor([77], "f32", 2, device);
    return [clip([a, b], 1), ...a.readSync(), ...b.readSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("clipFactor() and scaleBy() say what does not fit", () => {
  using sums = ones(cpu, [2], "f64"), narrow = ones(cpu, [2]), x = ones(cpu, [3]);
  assert.throws(() => clipFactor(sums, NaN), { name: "RangeError", message: "clipFactor: limit must be 0 or more, got NaN" });
  assert.throws(() => clipFactor(sums, "1" as never), { name: "TypeError" });
  assert.throws(() => clipFactor(narrow as never, 1), { name: "TypeError", message: "clipFactor: sums is f32, must be f64" });
  assert.throws(() => scaleBy(x, narrow as never), { name: "RangeError", message: "scaleBy: factor is [2], must have one element" });
  using wide = ones(cpu, [], "f64");
  assert.throws(() => scaleBy(x, wide as never), { name: "TypeError", message: "scaleBy: factor is f64, x is f32" });
  assert.deepEqual([...x.readSync()], [1, 1, 1]);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, full, mean, ones, type Tensor, tensor, zeros } from "../mod.ts";
import { assertClose, assertGradients, devices, randomTensor } from "./harness.ts";

test("mean() over each axis and over all equals the plain loop", () => {
  for (const dtype of ["f32", "f64"] as const) {
    using x = randomTensor([30, 70], dtype);
    const data = [...x.readSync()];
    const rows = Array.from({ length: 30 }, (_, i) => data.slice(i * 70, i * 70 + 70).reduce((a, b) => a + b, 0) / 70);
    using y = mean(x, { axis: 1 }), z = mean(x, { axis: 0, keepDims: true }), all = mean(x);
    assertClose(y.readSync(), rows, dtype === "f32" ? 1e-6 : 1e-13, "rows");
    assert.deepEqual(z.shape, [1, 70]);
    assertClose(
      z.readSync(),
      Array.from({ length: 70 }, (_, j) => rows.reduce((a, _, i) => a + data[i * 70 + j]!, 0) / 30),
      dtype === "f32" ? 1e-6 : 1e-13,
    );
    assertClose(all.readSync(), [rows.reduce((a, b) => a + b, 0) / 30], dtype === "f32" ? 1e-5 : 1e-12);
  }
});

test("mean() rounds once: the mean of equal numbers is that number", () => {
  using x = full(cpu, [3, 9], 0.1);
  using y = mean(x, { axis: 1 });
  assert.deepEqual([...y.readSync()], [0.1, 0.1, 0.1].map(Math.fround));
});

test("mean() of nothing is NaN", () => {
  using x = zeros(cpu, [2, 0]);
  using y = mean(x, { axis: 1 }), z = mean(x);
  assert.ok([...y.readSync(), z.itemSync()].every(Number.isNaN));
});

test("mean() has the same bits for any number of workers", () => {
  const results = devices().map((device) => {
    using x = randomTensor([7000, 3], "f32", 1, device);
    using y = mean(x, { axis: 0 });
    return y.readSync();
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("mean() spreads its gradient over every term, divided by their number", () => {
  assertGradients("mean of all", (x) => mean(x!), { shapes: [[3, 4]] });
  for (const axis of [0, 1, -1]) {
    assertGradients("mean", (x) => mean(x!, { axis }), { shapes: [[3, 4]] });
    assertGradients("mean", (x) => mean(x!, { axis, keepDims: true }), { shapes: [[3, 4]] });
  }
});

test("mean() says what does not fit", () => {
  using x = ones(cpu, [2, 3]) as unknown as Tensor<"f32", number[]>;
  assert.throws(() => mean(x, { axis: -3 }), { name: "RangeError", message: "mean: axis -3 is out of range for rank 2" });
  using i = tensor(cpu, [2], new Int32Array([1, 2]));
  assert.throws(() => mean(i as never), { name: "TypeError", message: "mean: x is i32, must be f32 or f64" });
});

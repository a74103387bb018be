import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, ones, scale, slice, tensor, transpose } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, devices, randomTensor } from "./harness.ts";

test("scale() rounds the factor to the element type, then the product", () => {
  using x = tensor(cpu, [5], [1, -3, NaN, Infinity, -0]);
  using y = scale(x, 0.1);
  assertSameBits(y.readSync(), [0.1, -3 * Math.fround(0.1), NaN, Infinity, -0].map(Math.fround));
  using z = scale(x, 0);
  assertSameBits(z.readSync(), [0, -0, NaN, NaN, -0]);
  using d = tensor(cpu, [1], new Float64Array([3]));
  using e = scale(d, 0.1);
  assert.equal(e.itemSync(), 3 * 0.1);
});

test("scale() of a view, in place, of nothing", () => {
  using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  using y = transpose(x);
  using z = scale(y, 2);
  assert.deepEqual([...z.readSync()], [2, 6, 4, 8]);
  scale(x, -1, { out: x });
  assert.deepEqual([...x.readSync()], [-1, -2, -3, -4]);
  using none = slice(x, 0, 2);
  using same = scale(none, 5);
  assert.deepEqual(same.shape, [0, 2]);
});

test("scale() has the same bits for any number of workers", () => {
  const results = devices().map((device) => {
    using x = randomTensor([10007], "f32", 1, device);
    using y = scale(x, 0.3);
    return y.readSync();
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("scale() scales the gradient", () => assertGradients("scale", (x) => scale(x!, -2.5), { shapes: [[3, 4]] }));

test("scale() says what does not fit", () => {
  using x = ones(cpu, [2]), i = ones(cpu, [2], "i32"), out = ones(cpu, [3]);
  assert.throws(() => scale(x, "2" as never), { name: "TypeError", message: 'scale: factor must be a number, got the string "2"' });
  assert.throws(() => scale(i as never, 2), { name: "TypeError", message: "scale: x is i32, must be f32 or f64" });
  assert.throws(() => scale(x, 2, { out: out as never }), { name: "RangeError", message: "scale: out is [3], must be [2]" });
});

gpuTest("scale() on a GPU has the bits of the CPU, views and in place too, and scales the gradient", (gpu) => {
  for (const n of [0, 1, 15, 16, 17, 33, 65, 127, 255, 257, 1000]) {
    assertAsOnCpu(gpu, `${n}`, (device) => {
      const x = randomTensor([3, n], "f32", 1, device), canvas = ones(device, [3, n + 5]), y = randomTensor([3, n], "f32", 2, device);
      scale(y, -1.5, { out: y });
      scale(x, 0.3, { out: slice(canvas as never, 1, 2, n + 2) });
      return { plain: scale(x, 0.1), turned: scale(transpose(x), 3), inPlace: y, canvas };
    }, 0);
  }
  assertAsOnCpu(gpu, "what is no number", (device) => {
    const x = tensor(device, [5], [1, -3, NaN, Infinity, -0]);
    return { tenth: scale(x, 0.1), none: scale(x, 0), endless: scale(x, Infinity) };
  }, 0);
  assertAsOnCpu(gpu, "gradient", (device) => gradientsOf(device, (x) => scale(x!, -2.5), [randomTensor([3, 40], "f32", 1, device)]));
  using wide = tensor(gpu, [1], new Float64Array([1]));
  assert.throws(() => scale(wide, 2, { out: wide }), { name: "UnsupportedError" });
  assert.equal(wide.itemSync(), 1);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, full, ones, slice, sumOfSquares, type Tensor, tensor, transpose, UnsupportedError, zeros } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertGradients, devices, randomTensor } from "./harness.ts";

test("sumOfSquares() equals the plain loop", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of [0, 1, 31, 32, 33, 256, 257, 1000, 70_000]) {
      using x = randomTensor([n], dtype);
      using s = sumOfSquares(x);
      assert.deepEqual(s.shape, []);
      let expected = 0;
      for (const v of x.readSync()) expected += v * v;
      assertClose(s.readSync(), [expected], dtype === "f32" ? 6e-8 : 1e-12, `${dtype} ${n}`);
    }
  }
});

test("sumOfSquares() counts 2^25 ones, and the root of 40000 of them is 200, for any number of workers", () => {
  for (const device of devices()) {
    using long = ones(device, [1 << 25]), short = ones(device, [200, 200]);
    using a = sumOfSquares(long), b = sumOfSquares(short);
    assert.equal(a.itemSync(), 33554432);
    assert.equal(Math.sqrt(a.itemSync()).toFixed(6), "5792.618751");
    assert.equal(Math.sqrt(b.itemSync()), 200);
  }
});

test("sumOfSquares() adds squares that f32 could not hold, and overflows only in the end", () => {
  using x = tensor(cpu, [2], [1e-30, 2e-30]), y = tensor(cpu, [2], [3e38, 1]), out = tensor(cpu, [], [7]);
  using small = sumOfSquares(x);
  assert.equal(small.itemSync(), 0);
  assert.equal(sumOfSquares(y, { out }), out);
  assert.equal(out.itemSync(), Infinity);
});

test("sumOfSquares() has the same bits for any worker count and layout", () => {
  const results = devices().map((device) => {
    using x = randomTensor([300, 200], "f32", 1, device);
    using turned = transpose(x);
    using dense = tensor(device, [200, 300], turned.readSync());
    using a = sumOfSquares(x), b = sumOfSquares(turned), c = sumOfSquares(dense);
    assert.equal(b.itemSync(), c.itemSync());
    return [a.itemSync(), b.itemSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("sumOfSquares() has the gradient 2x", () => {
  assertGradients("sumOfSquares", (x) => sumOfSquares(x!), { shapes: [[3, 4]] });
  assertGradients("sumOfSquares of a view", (x) => sumOfSquares(transpose(x! as never) as Tensor<"f64">), { shapes: [[3, 4]] });
});

test("sumOfSquares() says what does not fit", () => {
  using x = ones(cpu, []), wide = zeros(cpu, [], "f64"), i = ones(cpu, [2], "i32");
  assert.throws(() => sumOfSquares(i as never), { name: "TypeError", message: "sumOfSquares: x is i32, must be f32 or f64" });
  assert.throws(() => sumOfSquares(x, { out: wide as never }), { name: "TypeError", message: "sumOfSquares: out is f64, must be f32" });
  assert.throws(() => sumOfSquares(x, { out: x }), { name: "TypeError" });
  assert.equal(x.itemSync(), 1);
});

gpuTest("sumOfSquares() on a GPU keeps what squares round away, whether or not its driver fuses multiply-adds", (gpu) => {
  const values = Float32Array.from({ length: 50 }, (_, i) => 1 + ((i + 7) * 0.6180339887) % 1);
  for (const value of values) {
    using x = full(gpu, [1000], value);
    using s = sumOfSquares(x);
    assert.equal(s.itemSync(), Math.fround(1000 * value * value), `1000 times the square of ${value}`);
  }
});

gpuTest("sumOfSquares() on a GPU is that of the CPU at every length around a part, of views, and of values at the border of f32", (gpu) => {
  for (const n of [0, 1, 15, 16, 17, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 70_000, 1_100_000]) {
    assertAsOnCpu(gpu, `${n}`, (device) => ({ sum: sumOfSquares(randomTensor([n], "f32", 1, device)) as Tensor }), 1.2e-7);
  }
  assertAsOnCpu(gpu, "views", (device) => {
    const x = randomTensor([30, 70], "f32", 2, device) as Tensor;
    return {
      turned: sumOfSquares(transpose(x) as Tensor<"f32">),
      part: sumOfSquares(slice(x, 1, 5, 69) as Tensor<"f32">),
    };
  }, 1.2e-7);
  for (const values of [[3e38, 1], [-Infinity, 1], [NaN, 1], [Infinity, NaN], [1e-30, 1e-3], [1e19, 1], [4097, 1e-4]]) {
    assertAsOnCpu(gpu, `${values}`, (device) => ({ sum: sumOfSquares(tensor(device, [2], values)) as Tensor }), 1.2e-7);
  }
  assertAsOnCpu(
    gpu,
    "ones",
    (device) => ({ long: sumOfSquares(full(device, [1 << 25], 1)) as Tensor, short: sumOfSquares(full(device, [40000], 1)) as Tensor }),
    0,
  );
  using x = tensor(gpu, [2], new Float64Array([1, 2])), out = tensor(gpu, [], new Float64Array([7]));
  assert.throws(() => sumOfSquares(x, { out }), UnsupportedError);
  assert.equal(out.itemSync(), 7);
});

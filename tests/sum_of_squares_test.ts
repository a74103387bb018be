import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, ones, sumOfSquares, type Tensor, tensor, transpose, zeros } from "../mod.ts";
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

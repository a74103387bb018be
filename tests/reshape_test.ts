import { test } from "node:test";
import assert from "node:assert/strict";
import { add, cpu, reshape, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertGradients, randomTensor } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("reshape() keeps the elements in row-major order", () => {
  using x = randomTensor([2, 3, 4], "f32");
  for (const shape of [[24], [4, 6], [1, 24, 1], [2, 3, 2, 2], [2, 3, 4]]) {
    using y = reshape(x, shape);
    assert.deepEqual(y.shape, shape);
    assert.deepEqual(y.readSync(), x.readSync());
  }
  using one = tensor(cpu, [1, 1], [5]);
  using scalar = reshape(one, []);
  assert.deepEqual([scalar.shape, scalar.itemSync()], [[], 5]);
});

test("reshape() of a contiguous tensor is a view: what is written to one shows in the other", () => {
  using x = zeros(cpu, [2, 3]);
  using y = reshape(x, [3, 2]);
  y.write([1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...x.readSync()], [1, 2, 3, 4, 5, 6]);
});

test("reshape() of strided views takes a view where there is one, else a copy", () => {
  using x = randomTensor([4, 6, 5], "f32");
  using turned = transpose(x, [1, 0, 2] as never) as Any;
  using copied = reshape(turned, [24, 5]);
  assert.deepEqual(copied.readSync(), turned.readSync());
  using columns = slice(x, 2, 1, 3) as Any;
  using viewed = reshape(columns, [24, 2]);
  assert.ok(!viewed.isContiguous);
  assert.deepEqual(viewed.readSync(), columns.readSync());
});

test("reshape() of nothing", () => {
  using x = zeros(cpu, [0, 3]);
  using y = reshape(x, [5, 0] as never) as Any;
  assert.deepEqual(y.shape, [5, 0]);
});

test("reshape() reshapes the gradient back, through views and copies", () => {
  assertGradients("reshape", (x) => reshape(x!, [2, 6]), { shapes: [[3, 4]] });
  assertGradients("reshape of a transposed tensor", (x) => reshape(transpose(x! as never) as Tensor<"f64", number[]>, [2, 6]), {
    shapes: [[3, 4]],
  });
  assertGradients("reshape used twice", (x) => add(reshape(x!, [2, 6]), reshape(x!, [2, 6])), { shapes: [[3, 4]] });
});

test("reshape() says what does not fit", () => {
  using x = zeros(cpu, [2, 3]) as unknown as Any;
  assert.throws(() => reshape(x, [4]), { name: "RangeError", message: "reshape: [2, 3] and [4] differ in their number of elements" });
  for (const bad of [-1, 1.5, NaN, 2 ** 53]) assert.throws(() => reshape(x, [bad, 2]), { name: "RangeError" });
  assert.throws(() => reshape(x, ["6"] as never), { name: "TypeError" });
  assert.throws(() => reshape(x, 6 as never), { name: "TypeError", message: "reshape: shape must be an array of sizes, got 6" });
});

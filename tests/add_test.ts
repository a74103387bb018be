import { test } from "node:test";
import assert from "node:assert/strict";
import { add, cpu, ones, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { testBinaryOnGpu } from "./binary_harness.ts";
import { assertGradients, assertSameBits, at, devices, indices, randomTensor } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("add() equals the plain loop for every way to broadcast", () => {
  const shapes: [number[], number[]][] = [
    [[], []],
    [[5], [5]],
    [[3, 17], [17]],
    [[3, 17], [3, 1]],
    [[3, 1], [1, 17]],
    [[2, 3, 4], [3, 1]],
    [[2, 1, 2, 1, 2, 1, 2, 3], [1, 2, 1, 2, 1, 2, 3]],
    [[0, 4], [4]],
    [[0, 1], [1, 4]],
  ];
  for (const [sa, sb] of shapes) {
    for (const dtype of ["f32", "f64"] as const) {
      using a = randomTensor(sa, dtype, 1), b = randomTensor(sb, dtype, 2);
      using c = add(a, b as never);
      const x = a.readSync(), y = b.readSync();
      const round = dtype === "f32" ? Math.fround : (v: number) => v;
      assertSameBits(c.readSync(), [...indices(c.shape)].map((i) => round(x[at(sa, i)]! + y[at(sb, i)]!)), `${sa} and ${sb}`);
    }
  }
});

test("add() reads and writes strided views in place, and leaves the rest alone", () => {
  using x = tensor(cpu, [3, 4], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  using turned = transpose(x);
  using a = slice(turned, 1, 0, 2);
  using out = zeros(cpu, [4, 5]);
  using middle = slice(out, 1, 1, 3);
  add(a, a, { out: middle });
  assert.deepEqual([...out.readSync()], [0, 0, 8, 0, 0, 0, 2, 10, 0, 0, 0, 4, 12, 0, 0, 0, 6, 14, 0, 0]);
});

test("add() in place takes the very same view; a partial overlap is an error that touches nothing", () => {
  using x = tensor(cpu, [5], [1, 2, 3, 4, 5]);
  add(x, x, { out: x });
  assert.deepEqual([...x.readSync()], [2, 4, 6, 8, 10]);
  using head = slice(x, 0, 0, 4), tail = slice(x, 0, 1);
  assert.throws(() => add(tail, tail, { out: head }), {
    name: "TypeError",
    message: "add: out shares memory with an input or another output",
  });
  assert.deepEqual([...x.readSync()], [2, 4, 6, 8, 10]);
});

test("add() wraps integers", () => {
  using a = tensor(cpu, [2], new Int32Array([2147483647, -2147483648])), b = tensor(cpu, [2], new Int32Array([1, -1]));
  using c = add(a, b);
  assert.deepEqual([...c.readSync()], [-2147483648, 2147483647]);
  using u = tensor(cpu, [1], new Uint32Array([4294967295]));
  using v = add(u, u);
  assert.deepEqual([...v.readSync()], [4294967294]);
});

test("add() keeps NaN, infinities and the sign of zero", () => {
  using a = tensor(cpu, [5], [NaN, Infinity, Infinity, -0, 1e-45]), b = tensor(cpu, [5], [1, 1, -Infinity, -0, 1e-45]);
  using c = add(a, b);
  assertSameBits(c.readSync(), [NaN, Infinity, NaN, -0, Math.fround(2.8e-45)]);
});

test("add() has the same bits for any number of workers", () => {
  const results = devices().map((device) => {
    using a = randomTensor([61, 157], "f32", 1, device), b = randomTensor([157], "f32", 2, device);
    using c = add(a, b);
    return c.readSync();
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("add() sums the gradient of a stretched operand", () => {
  for (
    const shapes of [[[3, 4], [3, 4]], [[3, 4], [4]], [[3, 4], [3, 1]], [[3, 1], [1, 4]], [[2, 3, 4], [3, 1]], [[], [2, 2]], [
      [2, 1, 3, 1],
      [1, 2, 1, 2],
    ]]
  ) {
    assertGradients("add", (a, b) => add(a!, b! as never), { shapes });
  }
  assertGradients("add", (a) => add(a!, a!), { shapes: [[3]] });
});

test("add() says what does not fit, and leaves out as it was", () => {
  using a = ones(cpu, [2, 3]), b: Any = ones(cpu, [4]) as never, out: Any = zeros(cpu, [2, 4]) as never;
  assert.throws(() => add(a as Any, b), { name: "RangeError", message: "add: [2, 3] and [4] do not broadcast" });
  assert.throws(() => add(a as Any, a as Any, { out }), { name: "RangeError", message: "add: out is [2, 4], must be [2, 3]" });
  using c = ones(cpu, [2, 3], "f64");
  assert.throws(() => add(a, c as never), { name: "TypeError", message: "add: b is f64, a is f32" });
  assert.throws(() => add([1] as never, a as never), { name: "TypeError", message: "add: a must be a tensor, got an array" });
  const gone = ones(cpu, [2, 3]);
  gone.dispose();
  assert.throws(() => add(a, gone), { name: "TypeError", message: "add: b was disposed" });
  assert.deepEqual([...out.readSync()], [0, 0, 0, 0, 0, 0, 0, 0]);
});

testBinaryOnGpu("add", add);

import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, mul, ones, slice, type Tensor, tensor, zeros } from "../mod.ts";
import { testBinaryOnGpu } from "./binary_harness.ts";
import { assertGradients, assertSameBits, at, devices, indices, randomTensor } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("mul() equals the plain loop for every way to broadcast", () => {
  const shapes: [number[], number[]][] = [[[], []], [[5], [5]], [[3, 17], [17]], [[3, 17], [3, 1]], [[3, 1], [1, 17]], [[2, 3, 4], []], [[
    4,
    0,
  ], [1]]];
  for (const [sa, sb] of shapes) {
    for (const dtype of ["f32", "f64"] as const) {
      using a = randomTensor(sa, dtype, 1), b = randomTensor(sb, dtype, 2);
      using c = mul(a, b as never);
      const x = a.readSync(), y = b.readSync();
      const round = dtype === "f32" ? Math.fround : (v: number) => v;
      assertSameBits(c.readSync(), [...indices(c.shape)].map((i) => round(x[at(sa, i)]! * y[at(sb, i)]!)), `${sa} and ${sb}`);
    }
  }
});

test("mul() does not skip zeros: 0 · Infinity is NaN", () => {
  using a = tensor(cpu, [4], [0, NaN, -0, 2]), b = tensor(cpu, [4], [Infinity, 0, 3, -Infinity]);
  using c = mul(a, b);
  assertSameBits(c.readSync(), [NaN, NaN, -0, -Infinity]);
});

test("mul() wraps integers", () => {
  using a = tensor(cpu, [2], new Int32Array([65536, -3])), b = tensor(cpu, [2], new Int32Array([65537, 5]));
  using c = mul(a, b);
  assert.deepEqual([...c.readSync()], [65536, -15]);
});

test("mul() in place takes the very same view", () => {
  using x = tensor(cpu, [4], [1, 2, 3, 4]);
  mul(x, x, { out: x });
  assert.deepEqual([...x.readSync()], [1, 4, 9, 16]);
  using head = slice(x, 0, 0, 3), tail = slice(x, 0, 1);
  assert.throws(() => mul(tail, tail, { out: head }), { name: "TypeError" });
  assert.deepEqual([...x.readSync()], [1, 4, 9, 16]);
});

test("mul() has the same bits for any number of workers", () => {
  const results = devices().map((device) => {
    using a = randomTensor([61, 157], "f32", 1, device), b = randomTensor([61, 1], "f32", 2, device);
    using c = mul(a, b);
    return c.readSync();
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("mul() follows the product rule, summed where an operand was stretched", () => {
  for (const shapes of [[[3, 4], [3, 4]], [[3, 4], [4]], [[3, 1], [1, 4]], [[2, 3, 4], [3, 1]], [[], [2, 2]]]) {
    assertGradients("mul", (a, b) => mul(a!, b! as never), { shapes });
  }
  assertGradients("mul", (a) => mul(a!, a!), { shapes: [[3]] });
});

test("mul() says what does not fit", () => {
  using a: Any = ones(cpu, [2, 3]) as never, b: Any = ones(cpu, [2]) as never, out: Any = zeros(cpu, [3]) as never;
  assert.throws(() => mul(a, b), { name: "RangeError", message: "mul: [2, 3] and [2] do not broadcast" });
  assert.throws(() => mul(a, a, { out }), { name: "RangeError", message: "mul: out is [3], must be [2, 3]" });
  assert.throws(() => mul(a, 2 as never), { name: "TypeError", message: "mul: b must be a tensor, got 2" });
});

testBinaryOnGpu("mul", mul);

import { test } from "node:test";
import assert from "node:assert/strict";
import { cast, cpu, mul, ones, scale, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
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

gpuTest("mul() on a GPU has the bits of the CPU for every way to broadcast, every layout, and integers", (gpu) => {
  const shapes: [number[], number[]][] = [
    [[], []],
    [[257], [257]],
    [[3, 17], [17]],
    [[3, 17], [3, 1]],
    [[33, 1], [1, 17]],
    [[65, 129], []],
    [[2, 3, 4], [3, 1]],
    [[2, 1, 2, 1, 2, 1, 2, 3], [1, 2, 1, 2, 1, 2, 3]],
    [[0, 4], [4]],
    [[66000, 3], [3]],
  ];
  for (const [sa, sb] of shapes) {
    assertAsOnCpu(gpu, `${sa} and ${sb}`, (device) => {
      const a = randomTensor(sa, "f32", 1, device), b = randomTensor(sb, "f32", 2, device);
      const whole = (x: Any, dtype: "i32" | "u32") => cast(scale(x, 2 ** 33), dtype) as Tensor;
      return {
        plain: mul(a, b as never) as Tensor,
        swapped: mul(b, a as never) as Tensor,
        signed: mul(whole(a, "i32"), whole(b, "i32") as never),
        unsigned: mul(whole(a, "u32"), whole(b, "u32") as never),
      };
    }, 0);
  }
  assertAsOnCpu(gpu, "views", (device) => {
    const x = randomTensor([30, 40], "f32", 3, device), canvas = zeros(device, [40, 50]), same = randomTensor([30, 40], "f32", 4, device);
    mul(transpose(x), slice(transpose(same), 1, 0, 30) as never, { out: slice(canvas, 1, 7, 37) as never });
    mul(same, same, { out: same });
    return { canvas, same };
  }, 0);
  assertAsOnCpu(gpu, "what is no number", (device) => {
    const x = tensor(device, [5], [NaN, Infinity, -Infinity, -0, 1e30]);
    return { out: mul(x, tensor(device, [5, 1], [NaN, Infinity, 0, -0, 1e30])) };
  }, 0);
  using wide = tensor(gpu, [1], new Float64Array([3]));
  assert.throws(() => mul(wide, wide, { out: wide }), { name: "UnsupportedError" });
  assert.equal(wide.itemSync(), 3);
});

gpuTest("mul() on a GPU passes gradients on", (gpu) => {
  assertAsOnCpu(gpu, "gradients", (device) => {
    return gradientsOf(device, (a, b) => mul(a!, b! as never), [
      randomTensor([3, 40], "f32", 1, device),
      randomTensor([3, 40], "f32", 2, device),
    ]);
  });
});

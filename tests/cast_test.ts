import { test } from "node:test";
import assert from "node:assert/strict";
import { cast, cpu, dim, type DType, full, slice, type Tensor, tensor, transpose } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, randomTensor } from "./harness.ts";

const edge = [
  0,
  -0,
  0.999,
  -0.999,
  1.5,
  -1.5,
  2.5,
  16777217,
  2147483647,
  2147483648,
  -2147483648,
  -2147483649,
  4294967295,
  4294967296,
  1e300,
  -1e300,
  Infinity,
  -Infinity,
  NaN,
];

function whole(value: number, low: number, high: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), low), high) + 0;
}

test("cast() to integers truncates, clamps, and makes 0 of NaN", () => {
  using x = tensor(cpu, [edge.length], new Float64Array(edge));
  using i = cast(x, "i32"), u = cast(x, "u32"), f = cast(x, "f32");
  assert.deepEqual([...i.readSync()], edge.map((v) => whole(v, -(2 ** 31), 2 ** 31 - 1)));
  assert.deepEqual([...u.readSync()], edge.map((v) => whole(v, 0, 2 ** 32 - 1)));
  assertSameBits(f.readSync(), edge.map(Math.fround));
  using g = cast(f, "i32"), h = cast(f, "u32");
  assert.deepEqual([...g.readSync()], edge.map((v) => whole(Math.fround(v), -(2 ** 31), 2 ** 31 - 1)));
  assert.deepEqual([...h.readSync()], edge.map((v) => whole(Math.fround(v), 0, 2 ** 32 - 1)));
});

test("cast() from integers rounds to nearest, and clamps between signs", () => {
  const values = [-2147483648, -1, 0, 1, 16777217, 16777219, 2147483583, 2147483584, 2147483647];
  using i = tensor(cpu, [values.length], new Int32Array(values));
  using f = cast(i, "f32"), d = cast(i, "f64"), u = cast(i, "u32");
  assertSameBits(f.readSync(), values.map(Math.fround));
  assertSameBits(d.readSync(), values);
  assert.deepEqual([...u.readSync()], values.map((v) => Math.max(v, 0)));
  using big = tensor(cpu, [3], new Uint32Array([4294967295, 2147483648, 5]));
  using back = cast(big, "i32"), wide = cast(big, "f32");
  assert.deepEqual([...back.readSync()], [2147483647, 2147483647, 5]);
  assert.deepEqual([...wide.readSync()], [4294967296, 2147483648, 5]);
});

test("cast() to the same type is a copy, of a view too", () => {
  using x = tensor(cpu, [2, dim("n", 2)], [1, 2, 3, 4]);
  using turned = transpose(x);
  using y = cast(turned, "f32"), z = cast(turned, "u32");
  assert.deepEqual([...y.readSync()], [1, 3, 2, 4]);
  assert.deepEqual([...z.readSync()], [1, 3, 2, 4]);
});

test("cast() lets gradients through between floats", () => {
  // Through f32 the loss moves in steps: values and cotangents that f32 holds, and differences wide enough, keep them exact.
  assertGradients("cast", (x) => cast(cast(x!, "f32"), "f64"), { shapes: [[3]], values: [[0.5, -0.25, 2]], tolerance: 0.05 });
});

test("cast() says what it cannot convert", () => {
  using x = tensor(cpu, [1], [1]);
  assert.throws(() => cast(x, "f16" as DType), {
    name: "TypeError",
    message: 'cast: dtype must be f32, f64, i32 or u32, got the string "f16"',
  });
  using out = tensor(cpu, [1], new Int32Array(1));
  assert.throws(() => cast(x, "f64", { out: out as never }), { name: "TypeError", message: "cast: out is i32, must be f64" });
});

gpuTest("cast() on a GPU converts as on the CPU, every edge at every place, views too", (gpu) => {
  const whole = [0, 1, 16777217, 16777219, 33554431, 2147483583, 2147483584, 2147483647];
  const values = {
    f32: new Float32Array([...edge, 8388607.5, 2147483520, 4294967040, -2147483520, 1e-40, -1e-40]),
    i32: new Int32Array([...whole, -1, -16777217, -16777219, -2147483647, -2147483648]),
    u32: new Uint32Array([...whole, 2147483648, 2147483777, 4294967167, 4294967168, 4294967295]),
  };
  const types = ["f32", "i32", "u32"] as const;
  for (const from of types) {
    for (const n of [1, 15, 16, 17, 33, 65, 255, 257, 600]) {
      assertAsOnCpu(gpu, `from ${from}, ${n}`, (device) => {
        const list = Array.from({ length: 2 * n }, (_, i) => values[from][i % values[from].length]!);
        const x = tensor(device, [2, n], list, { dtype: from }) as Tensor;
        return Object.fromEntries(types.flatMap((to) => [[to, cast(x, to)], [`${to} turned`, cast(transpose(x as never), to) as Tensor]]));
      }, 0);
    }
  }
  // Into a part of a larger tensor, and more elements than one row of groups.
  assertAsOnCpu(gpu, "into a part", (device) => {
    const out = full(device, [70, 50], 9, "i32");
    cast(randomTensor([70, 30], "f32", 1, device), "i32", { out: slice(out as never, 1, 5, 35) });
    return { out };
  });
  using x = tensor(gpu, [2], [1, 2]);
  assert.throws(() => cast(x, "f64"), { name: "UnsupportedError" });
});

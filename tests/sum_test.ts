import { test } from "node:test";
import assert from "node:assert/strict";
import {
  cpu,
  type Device,
  type Float,
  full,
  linearBackward,
  mean,
  ones,
  reshape,
  slice,
  softmax,
  sum,
  type Tensor,
  tensor,
  transpose,
  UnsupportedError,
  zeros,
} from "../mod.ts";
import { slow } from "./child.ts";
import { assertAsOnCpu, gpuTest, type Results } from "./gpu_harness.ts";
import { sumTo } from "../ops/sum.ts";
import { assertClose, assertGradients, assertSameBits, at, devices, indices, randomTensor } from "./harness.ts";

/** Σ over one axis, or all, in f64. */
export function plainSum(x: ArrayLike<number>, shape: readonly number[], axis: number | null): number[] {
  const kept = shape.map((size, i) => axis === null || i === axis ? 1 : size);
  const out = new Array<number>(kept.reduce((a, b) => a * b, 1)).fill(0);
  for (const index of indices(shape)) out[at(kept, index)]! += x[at(shape, index)]!;
  return out;
}

const shapes = [[1], [17], [300], [5000], [3, 70], [70, 3], [200, 33], [2, 3, 4, 5], [3, 130, 7], [1, 1, 9]];

test("sum() over each axis and over all equals the plain loop", () => {
  for (const dtype of ["f32", "f64"] as Float[]) {
    for (const shape of shapes) {
      using x = randomTensor(shape, dtype);
      const data = x.readSync();
      for (let axis = -shape.length; axis < shape.length; axis++) {
        const k = (axis + shape.length) % shape.length;
        using y = sum(x, { axis }), z = sum(x, { axis, keepDims: true });
        assert.deepEqual(y.shape, shape.filter((_, i) => i !== k));
        assert.deepEqual(z.shape, shape.map((size, i) => i === k ? 1 : size));
        assertClose(y.readSync(), plainSum(data, shape, k), dtype === "f32" ? 1e-6 : 1e-13, `${shape} over ${axis}`);
        assertSameBits(z.readSync(), y.readSync());
      }
      using all = sum(x);
      assert.deepEqual(all.shape, []);
      assertClose(all.readSync(), plainSum(data, shape, null), dtype === "f32" ? 1e-6 : 1e-12, `${shape} over all`);
    }
  }
});

test("sum() of nothing is 0", () => {
  using x = zeros(cpu, [3, 0, 2]);
  using y = sum(x, { axis: 1 }), z = sum(x), none = sum(x, { axis: 0 });
  assert.deepEqual([...y.readSync()], [0, 0, 0, 0, 0, 0]);
  assert.equal(z.itemSync(), 0);
  assert.deepEqual(none.shape, [0, 2]);
});

test("sum() neither stalls at 2^24 nor overflows on the way", () => {
  using long = full(cpu, [(1 << 24) + 5000], 1);
  using count = sum(long);
  assert.equal(count.itemSync(), (1 << 24) + 5000);
  using x = tensor(cpu, [3], [3e38, 3e38, -3e38]);
  using y = sum(x);
  assert.equal(y.itemSync(), Math.fround(3e38));
});

test("sum() keeps NaN and infinities in their place", () => {
  using x = tensor(cpu, [4, 2], [1, Infinity, Infinity, -Infinity, NaN, 1, 1, 2]);
  using y = sum(x, { axis: 1 }), z = sum(x, { axis: 0 });
  assertSameBits(y.readSync(), [Infinity, NaN, NaN, 3]);
  assertSameBits(z.readSync(), [NaN, NaN]);
});

test("sum() wraps integers", () => {
  using x = full(cpu, [3, 100], 100_000_000, "i32");
  using y = sum(x, { axis: 1 });
  assert.deepEqual([...y.readSync()], [1410065408, 1410065408, 1410065408]);
});

test("sum() has the same bits for any worker count and layout", () => {
  for (const shape of [[40_000], [3, 7000], [7000, 3], [40, 300, 20]]) {
    let first: ArrayLike<number>[] | null = null;
    for (const device of devices()) {
      using x = randomTensor(shape, "f32", 1, device);
      const found = [...shape.map((_, axis) => {
        using y = sum(x, { axis });
        return y.readSync();
      })];
      using all = sum(x);
      found.push(all.readSync());
      first ??= found;
      found.forEach((y, i) => assertSameBits(y, first![i]!, `${shape}, axis ${i}`));
    }
  }
  using x = randomTensor([300, 200], "f32");
  using turned = transpose(x) as unknown as Tensor<"f32", number[]>;
  using part = slice(turned, 0, 10, 150);
  using dense = tensor(cpu, part.shape as number[], part.readSync());
  for (const axis of [0, 1]) {
    using a = sum(part, { axis }), b = sum(dense, { axis });
    assertSameBits(a.readSync(), b.readSync());
  }
});

test("sum() spreads its gradient over every term", () => {
  for (const shape of [[5], [3, 4], [2, 3, 4]]) {
    assertGradients("sum of all", (x) => sum(x!), { shapes: [shape] });
    for (let axis = 0; axis < shape.length; axis++) {
      assertGradients("sum", (x) => sum(x!, { axis }), { shapes: [shape] });
      assertGradients("sum", (x) => sum(x!, { axis: axis - shape.length, keepDims: true }), { shapes: [shape] });
    }
  }
});

test("sumTo() sums what broadcasting stretched", () => {
  const cases: [number[], number[]][] = [
    [[3, 4], [4]],
    [[3, 4], [3, 1]],
    [[2, 3, 4], [3, 1]],
    [[2, 3, 4], []],
    [[2, 3, 4], [1, 1, 1]],
    [[2, 1, 3, 4], [2, 1, 1, 4]],
    [[0, 3], [3]],
    [[3, 4], [3, 4]],
  ];
  for (const [from, to] of cases) {
    using x = randomTensor(from, "f64");
    const y = sumTo(x as never, to);
    const expected = new Array<number>(to.reduce((a, b) => a * b, 1)).fill(0);
    const data = x.readSync();
    for (const index of indices(from)) expected[at(to, index)]! += data[at(from, index)]!;
    assert.deepEqual(y.shape, to);
    assertClose(y.readSync(), expected, 1e-13, `${from} to ${to}`);
    y.dispose();
  }
});

test("sum() says what does not fit, and leaves out as it was", () => {
  using x = ones(cpu, [2, 3]) as unknown as Tensor<"f32", number[]>;
  assert.throws(() => sum(x, { axis: 2 }), { name: "RangeError", message: "sum: axis 2 is out of range for rank 2" });
  assert.throws(() => sum(x, { axis: 0.5 }), { name: "RangeError", message: "sum: axis must be a whole number, got 0.5" });
  assert.throws(() => sum(x, { axis: "0" as never }), { name: "TypeError" });
  using out = full(cpu, [3], 7) as unknown as Tensor<"f32", number[]>;
  assert.throws(() => sum(x, { axis: 1, out }), { name: "RangeError", message: "sum: out is [3], must be [2]" });
  using inside = slice(x, 0, 0, 1);
  assert.throws(() => sum(x, { axis: 0, keepDims: true, out: inside }), { name: "TypeError" });
  assert.throws(() => sum(x, { axis: 0, keepDims: 1 as never }), {
    name: "TypeError",
    message: "sum: keepDims must be true or false, got 1",
  });
  assert.deepEqual([...out.readSync()], [7, 7, 7]);
  sum(x, { axis: 0, out });
  assert.deepEqual([...out.readSync()], [2, 2, 2]);
});

gpuTest("sum() and mean() on a GPU are those of the CPU over every axis and all, of every length around a part and a chunk", (gpu) => {
  const lengths = [0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000];
  const all = [[], ...shapes, ...lengths.flatMap((n) => [[n], [3, n], [n, 3]]), [70000], [2, 300, 5], [5000, 2], [3, 0, 2]];
  for (const shape of all) {
    assertAsOnCpu(gpu, `[${shape}]`, (device) => {
      const x = randomTensor(shape, "f32", 1, device),
        results: Results = { sum: sum(x), mean: mean(x), kept: sum(x, { keepDims: true } as never) };
      shape.forEach((_, axis) => {
        results[`sum over ${axis}`] = sum(x, { axis });
        results[`mean over ${axis}`] = mean(x, { axis, keepDims: true });
      });
      return results;
    }, 2e-7);
  }
});

gpuTest("sum() on a GPU takes views of any strides, and writes nothing beside its result", (gpu) => {
  const views = (x: Tensor): Tensor[] => [
    transpose(x),
    transpose(x, [1, 2, 0]),
    slice(x, 2, 3, 20),
    slice(x, 1, 2, 29),
    slice(slice(x, 0, 3, 9), 2, 5, 6),
  ];
  assertAsOnCpu(gpu, "views", (device) => {
    const x = randomTensor([9, 30, 40], "f32", 1, device) as Tensor, results: Results = {};
    views(x).forEach((view, i) => {
      for (let axis = 0; axis < 3; axis++) results[`view ${i} over ${axis}`] = sum(view, { axis });
      results[`view ${i}`] = sum(view);
    });
    const frame = full(device, [50], 42) as Tensor;
    sum(slice(x, 2, 0, 5), { axis: 1, out: reshape(slice(frame, 0, 3, 48), [9, 5]) as never } as never);
    return { ...results, frame };
  }, 2e-7);
});

gpuTest(
  "sum() on a GPU neither stalls at 2^24 nor loses what cancels, keeps NaN and infinities in their place, and wraps integers",
  (gpu) => {
    assertAsOnCpu(
      gpu,
      "long",
      (device) => ({ long: sum(full(device, [(1 << 24) + 5000], 1)), turned: sum(full(device, [1 << 21, 3], 1), { axis: 0 }) }),
      0,
    );
    const rows = [[1e8, 1, -1e8, 3], [1, Infinity, 1, 1], [Infinity, 1, -Infinity, 2], [1, NaN, 1, 1], [-Infinity, 0, 0, 0], [
      -0,
      -0,
      -0,
      -0,
    ]];
    assertAsOnCpu(gpu, "values", (device) => {
      const x = tensor(device, [6, 4], rows.flat()) as Tensor;
      // Parts that are joined, too.
      const wide = tensor(device, [6, 1000], rows.flatMap((row) => [...row, ...new Array(996).fill(0)])) as Tensor;
      return {
        rows: sum(x, { axis: 1 }),
        columns: sum(
          tensor(
            device,
            [4, 6],
            [0, 1, 2, 3].flatMap((j) => rows.map((row) => row[j]!)),
          ) as Tensor,
          { axis: 0 },
        ),
        wide: sum(wide, { axis: 1 }),
      };
    }, 0);
    for (const dtype of ["i32", "u32"] as const) {
      assertAsOnCpu(gpu, dtype, (device: Device) => {
        const x = full(device, [700, 3], dtype === "i32" ? -2147483647 : 0x80000001, dtype) as Tensor;
        return { all: sum(x), columns: sum(x, { axis: 0 }), rows: sum(x, { axis: 1 }), turned: sum(transpose(x), { axis: 1 }) };
      }, 0);
    }
  },
);

gpuTest("gpu: sums down columns longer than one thread walks are exact", (gpu) => {
  // Whole numbers, of which every sum is exact; chunks of 256 parts of the column would be longer than they may be.
  const rows = 256 * 4096 + 5000, cols = 3;
  const x = tensor(gpu, [rows, cols], Float32Array.from({ length: rows * cols }, (_, i) => i % 7 - 2));
  const want = [0, 0, 0];
  for (let i = 0; i < rows * cols; i++) want[i % cols]! += i % 7 - 2;
  assert.deepEqual([...sum(x, { axis: 0 }).readSync()], want);
  const whole = tensor(gpu, [rows, cols], Uint32Array.from({ length: rows * cols }, (_, i) => i));
  const wrapped = new Uint32Array(3);
  for (let i = 0; i < rows * cols; i++) wrapped[i % cols]! += i;
  assert.deepEqual(sum(whole, { axis: 0 }).readSync(), wrapped);
  // The gradient of a bias is one too.
  const { bias } = linearBackward(tensor(gpu, [rows, 1], new Float32Array(rows)), {
    weight: tensor(gpu, [cols, 1], [1, 1, 1]),
    bias: tensor(gpu, [cols], [0, 0, 0]),
  }, x);
  assert.deepEqual([...bias!.readSync()], want);
  for (const t of [x, whole]) t.dispose();
});

if (slow) {
  gpuTest("gpu: tensors of 33 million elements have exact sums, and rows that long are refused where they would come out wrong", (gpu) => {
    // A chunk of 256 of a column would take 65 536 rounds.
    const n = 33_554_000;
    using x = full(gpu, [n], 0.5);
    assert.equal(sum(x).itemSync(), n / 2);
    using pairs = reshape(x, [n / 2, 2]);
    using columns = sum(pairs, { axis: 0 });
    assert.deepEqual([...columns.readSync()], [n / 4, n / 4]);
    using row = reshape(x, [1, n]);
    const before = gpu.statistics().dispatches;
    if (gpu.describe().name.includes("llvmpipe")) {
      assert.throws(() => softmax(row), { name: "UnsupportedError", message: /^softmax: .* ends them after 65535/ });
      assert.equal(gpu.statistics().dispatches, before);
    }
    using shorter = reshape(slice(x, 0, 0, 20_000_000), [1, 20_000_000]);
    using y = softmax(shorter);
    const [first, last] = [0, 19_999_999].map((at) => y.readSync()[at]! * 2e7);
    for (const v of [first!, last!]) if (!(Math.abs(v - 1) < 1e-4)) assert.fail(`${first} and ${last}, want 1`);
  }, { timeout: 120_000 });
}

gpuTest("sum() on a GPU has no shader for f64", (gpu) => {
  using x = tensor(gpu, [2], new Float64Array([1, 2])), out = tensor(gpu, [], new Float64Array([7]));
  assert.throws(() => sum(x, { out } as never), UnsupportedError);
  assert.throws(() => mean(x, { out } as never), UnsupportedError);
  assert.equal(out.itemSync(), 7);
});

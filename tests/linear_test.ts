import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, empty, linear, linearBackward, slice, type Tensor, tensor } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertGradients, devices, hash, numbers } from "./harness.ts";

test("linear() is x @ weightᵀ + bias over the last axis, whatever leads", () => {
  const xs = numbers(24, 1), ws = numbers(20, 2), bs = numbers(5, 3);
  const want: number[] = [];
  for (let t = 0; t < 6; t++) {
    for (let o = 0; o < 5; o++) {
      let s = bs[o]!;
      for (let i = 0; i < 4; i++) s += xs[t * 4 + i]! * ws[o * 4 + i]!;
      want.push(s);
    }
  }
  using weight = tensor(cpu, [5, 4], ws);
  using bias = tensor(cpu, [5], bs);
  using x3 = tensor(cpu, [2, 3, 4], xs);
  using y3 = linear(x3, { weight, bias });
  assert.deepEqual(y3.shape, [2, 3, 5]);
  assertClose(y3.readSync(), want, 1e-6);
  using x1 = tensor(cpu, [4], xs.slice(0, 4));
  using y1 = linear(x1, { weight, bias });
  assert.deepEqual(y1.shape, [5]);
  assertClose(y1.readSync(), want.slice(0, 5), 1e-6);
  using out = empty(cpu, [2, 3, 5]);
  assert.equal(linear(x3, { weight, bias }, { out }), out);
  assertClose(out.readSync(), want, 1e-6);
});

/** Rows, inputs and outputs: many rows; one row around vectors and tiles, and larger; few rows of many outputs. */
const gradientSizes: [number, number, number][] = [
  [150, 33, 20],
  ...[[1, 1], [15, 17], [16, 16], [31, 65], [64, 33], [129, 63], [300, 257], [1025, 700]].map((
    [i, o],
  ): [number, number, number] => [1, i!, o!]),
  [40, 3, 1500],
];

for (const [T, I, O] of gradientSizes) {
  test(`linearBackward() of ${T} × [${O}, ${I}] gives the plain sums with the same bits for 1 to 8 workers`, () => {
    const xs = numbers(T * I, 4), ws = numbers(O * I, 5), ds = numbers(T * O, 6);
    const dx = new Float64Array(T * I), dw = new Float64Array(O * I), db = new Float64Array(O);
    for (let t = 0; t < T; t++) {
      for (let o = 0; o < O; o++) {
        const d = ds[t * O + o]!;
        db[o]! += d;
        for (let i = 0; i < I; i++) {
          dx[t * I + i]! += d * ws[o * I + i]!;
          dw[o * I + i]! += d * xs[t * I + i]!;
        }
      }
    }
    const hashes = new Set<string>();
    for (const device of devices()) {
      using x = tensor(device, [T, I], xs);
      using weight = tensor(device, [O, I], ws);
      using bias = tensor(device, [O], new Float32Array(O));
      using dy = tensor(device, [T, O], ds);
      const g = linearBackward(x, { weight, bias }, dy);
      const got = [g.x, g.weight, g.bias!].map((t) => t.readSync());
      assertClose(got[0]!, dx, 1e-5);
      assertClose(got[1]!, dw, 1e-5);
      assertClose(got[2]!, db, 1e-5);
      hashes.add(got.map((v) => hash(v)).join());
    }
    assert.equal(hashes.size, 1);
  });
}

test("linearBackward() adds where it is asked to; a given bias gradient is added to once", () => {
  using x = tensor(cpu, [2, 1], [1, 2]);
  using weight = tensor(cpu, [1, 1], [3]);
  using bias = tensor(cpu, [1], [0]);
  using dy = tensor(cpu, [2, 1], [10, 100]);
  const out = { x: tensor(cpu, [2, 1], [1, 1]), weight: tensor(cpu, [1, 1], [1]), bias: tensor(cpu, [1], [1]) };
  linearBackward(x, { weight, bias }, dy, { out });
  assert.deepEqual([out.x, out.weight, out.bias].map((t) => [...t.readSync()]), [[30, 300], [210], [111]]);
  linearBackward(x, { weight, bias }, dy, { out, accumulate: { x: true, weight: true, bias: false } });
  assert.deepEqual([out.x, out.weight, out.bias].map((t) => [...t.readSync()]), [[60, 600], [420], [110]]);
});

test("a batch of no rows: dW is zeros, db unchanged, dX empty", () => {
  using x = empty(cpu, [0, 3]);
  using dy = empty(cpu, [0, 2]);
  using weight = tensor(cpu, [2, 3], numbers(6, 1));
  using given = tensor(cpu, [2], [4, 5]);
  const g = linearBackward(x, { weight, bias: given }, dy, { out: { bias: given } });
  assert.deepEqual([...g.weight.readSync()], [0, 0, 0, 0, 0, 0]);
  assert.deepEqual([...given.readSync()], [4, 5]);
  assert.deepEqual(g.x.shape, [0, 3]);
});

test("the gradient of linear() is that of differences, with and without a bias", () => {
  const op = (...[x, weight, bias]: Tensor<"f64", number[]>[]) => linear(x!, (bias ? { weight, bias } : { weight }) as never) as never; // shapes fit, as given below
  assertGradients("linear", op, { shapes: [[2, 3, 4], [5, 4], [5]] });
  assertGradients("linear without bias", op, { shapes: [[2, 3, 4], [5, 4]] });
});

test("linear() refuses what does not fit, by name", () => {
  using x = tensor(cpu, [2, 3], numbers(6, 1));
  using weight = tensor(cpu, [5, 4], numbers(20, 1));
  using good = tensor(cpu, [5, 3], numbers(15, 1));
  using bias = tensor(cpu, [4], numbers(4, 1));
  assert.throws(() => linear(x, { weight } as never), {
    name: "RangeError",
    message: /x is \[2, 3\], weight is \[5, 4\]: inner sizes 3 and 4 differ/,
  });
  assert.throws(() => linear(x, { weight: good, bias } as never), { name: "RangeError", message: "linear: bias is [4], must be [5]" });
  assert.throws(() => linear(x, undefined as never), { name: "TypeError" });
  using dy = tensor(cpu, [2, 4], numbers(8, 1));
  assert.throws(() => linearBackward(x, { weight: good }, dy as never), {
    name: "RangeError",
    message: /dy is \[2, 4\], must be \[2, 5\]/,
  });
  using dyGood = tensor(cpu, [2, 5], numbers(10, 1));
  assert.throws(() => linearBackward(x, { weight: good }, dyGood, { accumulate: { x: true } }), /there is no out\.x to add to/);
  assert.throws(() => linearBackward(x, { weight: good }, dyGood, { out: { x } }), /shares memory/);
});

gpuTest("gpu: linear() and its gradients are those of the CPU", (gpu) => {
  for (
    const [rows, inner, out] of [[0, 3, 2], [1, 1, 1], [1, 300, 70], [3, 17, 65], [16, 33, 15], [63, 64, 129], [130, 70, 9], [
      5,
      0,
      4,
    ]] as const
  ) {
    assertAsOnCpu(gpu, `${rows} × [${out}, ${inner}]`, (d) => {
      const given = (place: number, ...shape: number[]) =>
        tensor(d as typeof cpu, shape, numbers(shape.reduce((a, b) => a * b), place)) as Tensor<"f32">;
      const x = given(1, rows, inner), weight = given(2, out, inner), bias = given(3, out), dy = given(4, rows, out);
      const y = linear(x as never, { weight, bias } as never) as Tensor;
      const plain = linear(x as never, { weight } as never) as Tensor;
      const fresh = linearBackward(x as never, { weight, bias } as never, dy as never) as unknown as Record<string, Tensor>; // sizes are not known
      const into = { x: given(5, rows, inner), weight: given(6, out, inner), bias: given(7, out) };
      linearBackward(
        x as never,
        { weight, bias } as never,
        dy as never,
        { out: into, accumulate: { x: true, weight: true, bias: true } } as never,
      );
      return { y, plain, dx: fresh.x!, dw: fresh.weight!, db: fresh.bias!, xInto: into.x, weightInto: into.weight, biasInto: into.bias };
    }, 4e-6);
  }
});

gpuTest("gpu: linear() of strided rows, into rows amid others", (gpu) => {
  assertAsOnCpu(gpu, "strided", (d) => {
    const wide = tensor(d as typeof cpu, [37, 50], numbers(37 * 50, 1));
    const x = slice(slice(wide, 0, 2, 35), 1, 5, 46);
    const weight = tensor(d as typeof cpu, [29, 41], numbers(29 * 41, 2));
    const whole = tensor(d as typeof cpu, [35, 33], new Float32Array(35 * 33).fill(777));
    linear(x, { weight }, { out: slice(slice(whole, 0, 1, 34), 1, 3, 32) as never });
    const dy = slice(slice(whole, 0, 1, 34), 1, 3, 32) as Tensor<"f32", [number, number]>;
    const grads = linearBackward(x, { weight } as never, dy as never) as unknown as Record<string, Tensor>; // as above
    return { whole, dx: grads.x!, dw: grads.weight! };
  }, 4e-6);
});

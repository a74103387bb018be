import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  cpu,
  type CpuDevice,
  empty,
  matmul,
  matmulList,
  memory,
  mul,
  prepack,
  slice,
  split,
  sum,
  type Tensor,
  tensor,
  transpose,
  valueAndGrad,
} from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, devices, numbers } from "./harness.ts";

type Matrix = Tensor<"f32", [number, number]>;

function matrices(device: CpuDevice, count: number, rows: number, cols: number, place: number): Matrix[] {
  return Array.from({ length: count }, (_, i) => tensor(device, [rows, cols], numbers(rows * cols, place + i)));
}

test("matmulList() has the bits of matmul() for each pair: transposed or not, any number of workers, one b or many", () => {
  for (const device of devices()) {
    for (const [count, m, n, k] of [[1, 5, 16, 7], [3, 15, 33, 300], [6, 1, 40, 20], [4, 20, 1, 9], [2, 3, 4, 0]] as const) {
      for (const [transposeA, transposeB] of [[false, false], [true, false], [false, true], [true, true]] as const) {
        const a = matrices(device, count, transposeA ? k : m, transposeA ? m : k, 1);
        const b = matrices(device, count, transposeB ? n : k, transposeB ? k : n, 50);
        const bias = tensor(device, [n as number], numbers(n, 99));
        const options = { transposeA, transposeB, bias, alpha: 0.5, epilogue: "gelu" } as const;
        const what = `${count} times ${m}×${n}×${k}, ${transposeA}, ${transposeB}, on ${device.name}`;
        matmulList(a, b, options).forEach((y, i) => assertSameBits(y.readSync(), matmul(a[i]!, b[i]!, options).readSync(), what));
        const one = b[0]!, fast = prepack(one, { transpose: transposeB });
        const want = a.map((x) => matmul(x, one, options).readSync());
        matmulList(a, one, options).forEach((y, i) => assertSameBits(y.readSync(), want[i]!, what));
        matmulList(a, fast, options).forEach((y, i) => assertSameBits(y.readSync(), want[i]!, `${what}, prepacked`));
      }
    }
  }
});

test("matmulList() writes and scales the given outputs, also column slices of one matrix, and nothing beside them", () => {
  const a = matrices(cpu, 3, 4, 5, 1), b = matrices(cpu, 3, 5, 2, 10);
  using whole = tensor(cpu, [4, 7], new Float32Array(28).fill(3));
  const out = [slice(whole, 1, 0, 2), slice(whole, 1, 2, 4), slice(whole, 1, 5, 7)];
  assert.deepEqual(matmulList(a, b, { out, beta: 2 }), out);
  const three = tensor(cpu, [4, 2], new Float32Array(8).fill(3));
  out.forEach((y, i) => {
    using want = add(three, three);
    matmul(a[i]!, b[i]!, { out: want, beta: 1 });
    assertSameBits(y.readSync(), want.readSync());
  });
  assert.deepEqual([...slice(whole, 1, 4, 5).readSync()], [3, 3, 3, 3]);
});

test("matmulList() reads views in place, and copies those of a list whose strides differ", () => {
  using whole = tensor(cpu, [6, 8], numbers(48, 1));
  const heads = split(whole, [4, 4], 1), rows = tensor(cpu, [6, 4], numbers(24, 2));
  const b = matrices(cpu, 2, 6, 4, 3);
  const before = memory().tensors;
  const check = (a: Matrix[], bs: Matrix[]) =>
    matmulList(a, bs, { transposeB: true }).forEach((y, i) => {
      using want = matmul(a[i]!, bs[i]!, { transposeB: true });
      assertSameBits(y.readSync(), want.readSync());
      y.dispose();
    });
  check([...heads], b);
  check([heads[1], rows], b);
  check([rows, heads[0]], [b[0]!, heads[1]]);
  check([transpose(tensor(cpu, [4, 6], numbers(24, 7))), rows], b);
  assert.equal(memory().tensors - before, 2); // the transposed view and its base: no copy stays
});

test("matmulList() of no matrices is no matrices; repeated operands and prepacked ones beside others are fine", () => {
  assert.deepEqual(matmulList([], []), []);
  assert.deepEqual(matmulList([], [], { out: [] }), []);
  const [a, b] = matrices(cpu, 2, 3, 3, 1) as [Matrix, Matrix];
  const want = matmul(a, b).readSync();
  for (const y of matmulList([a, a, a], [b, prepack(b, { transpose: false }), prepack(b)])) assertSameBits(y.readSync(), want);
  const stale = prepack(b, { transpose: false });
  b.write(numbers(9, 5));
  assert.throws(() => matmulList([a], [stale]), { name: "TypeError", message: /b\[0\] was changed after it was prepacked/ });
});

test("the gradients of matmulList() are those of differences: many b, one b, a bias, an unused result", () => {
  const unknown = (list: unknown) => list as Tensor<"f64">[]; // sizes are not known here
  for (const transposeA of [false, true]) {
    for (const transposeB of [false, true]) {
      const a = transposeA ? [3, 2] : [2, 3], b = transposeB ? [4, 3] : [3, 4];
      const options = { transposeA, transposeB, alpha: 0.5 };
      assertGradients(
        `matmulList, ${transposeA}, ${transposeB}`,
        (a0, a1, b0, b1) => unknown(matmulList([a0, a1] as never, [b0, b1] as never, options as never)),
        { shapes: [a, a, b, b] },
      );
      assertGradients(
        `matmulList by one, ${transposeA}, ${transposeB}`,
        (a0, a1, b, bias) => unknown(matmulList([a0, a1, a0] as never, b as never, { ...options, bias } as never)),
        { shapes: [a, a, b, [4]] },
      );
    }
  }
  assertGradients("matmulList with an unused result", (a0, a1, b, bias) => {
    const [first, second] = unknown(matmulList([a0, a1, a1] as never, b as never, { bias } as never));
    return [first!, null, second!];
  }, { shapes: [[2, 3], [2, 3], [3, 4], [4]] });
  using b = tensor(cpu, [3, 4], numbers(12, 1));
  const params = { a: tensor(cpu, [2, 3], numbers(6, 2)) };
  using plain = valueAndGrad((p: typeof params) => sum(mul(...pair(matmulList([p.a, p.a], b)))))(params);
  using fast = valueAndGrad((p: typeof params) => sum(mul(...pair(matmulList([p.a, p.a], prepack(b, { transpose: false }))))))(params);
  assertSameBits(fast.grads.a.readSync(), plain.grads.a.readSync());
  assert.throws(() => valueAndGrad((p: typeof params) => sum(matmulList([p.a], b, { epilogue: "relu" })[0]!))(params), {
    name: "TypeError",
    message: "matmulList: epilogue relu has no gradient; apply relu() to the product instead",
  });
});

function pair<T>(list: T[]): [T, T] {
  return [list[0]!, list[1]!];
}

test("matmulList() refuses what does not fit, by name, and leaves out as it was", () => {
  const bad = (f: () => unknown, name: string, message: string | RegExp) => assert.throws(f, { name, message });
  const [a0, a1] = matrices(cpu, 2, 2, 3, 1) as [Matrix, Matrix], [b0, b1] = matrices(cpu, 2, 3, 4, 3) as [Matrix, Matrix];
  bad(() => matmulList(a0 as never, [b0]), "TypeError", "matmulList: a must be an array of tensors, got an object (Tensor)");
  bad(() => matmulList([a0], 1 as never), "TypeError", "matmulList: b must be an array of tensors, got 1");
  bad(() => matmulList([a0, a1], [b0]), "RangeError", "matmulList: a holds 2 matrices, b holds 1");
  bad(() => matmulList([a0, b0], [b0, b1]), "RangeError", "matmulList: a[1] is [3, 4], must be [2, 3]");
  bad(() => matmulList([a0, a1], [b0, a1]), "RangeError", "matmulList: b[1] is [2, 3], must be [3, 4]");
  bad(() => matmulList([a0], [a1]), "RangeError", "matmulList: a is [2, 3], b is [2, 3]: inner sizes 3 and 2 differ");
  using cube = tensor(cpu, [1, 2, 3], numbers(6));
  bad(() => matmulList([cube as never], [b0]), "RangeError", "matmulList: a is [1, 2, 3], b is [3, 4]: both need two axes");
  bad(() => matmulList([a0, 1 as never], [b0, b1]), "TypeError", "matmulList: a[1] must be a tensor, got 1");
  using f64 = tensor(cpu, [3, 4], new Float64Array(12));
  bad(() => matmulList([a0, a1], [b0, f64 as never]), "TypeError", "matmulList: b[1] is f64, a[0] is f32");
  bad(() => matmulList([a0], b0, { bias: a0 as never }), "RangeError", "matmulList: bias is [2, 3], must be [4]");
  bad(() => matmulList([a0], b0, { beta: 1 }), "TypeError", /beta is 1, but there is no out/);
  bad(() => matmulList([a0], b0, { epilogue: "tanh" as never }), "TypeError", /epilogue must be none, relu, gelu or silu/);
  using out = tensor(cpu, [5, 4], new Float32Array(20).fill(7));
  const top = slice(out, 0, 0, 2), middle = slice(out, 0, 1, 3), bottom = slice(out, 0, 3, 5);
  bad(() => matmulList([a0, a1], b0, { out: [top] }), "RangeError", "matmulList: a holds 2 matrices, out holds 1");
  bad(() => matmulList([a0, a1], b0, { out: [top, out] }), "RangeError", "matmulList: out is [5, 4], must be [2, 4]");
  bad(() => matmulList([a0, a1], b0, { out: [top, middle] }), "TypeError", /out shares memory/);
  bad(() => matmulList([a0, a1], b0, { out: [top, top] }), "TypeError", /out shares memory/);
  using square = tensor(cpu, [4, 4], new Float32Array(16).fill(7));
  const upper = slice(square, 0, 0, 2), lower = slice(square, 0, 2, 4);
  bad(() => matmulList([upper, lower], square, { out: [top, lower] }), "TypeError", /out shares memory/);
  using wide = empty(cpu, [2, 9]);
  bad(
    () => matmulList([a0, a1], b0, { out: [top, slice(wide, 1, 0, 4)] }),
    "TypeError",
    "matmulList: out[1] has strides [9, 1], out[0] has [4, 1]",
  );
  assert.deepEqual(new Set([...out.readSync(), ...square.readSync()]), new Set([7]));
  matmulList([a0, a1], b0, { out: [top, bottom] });
  assert.deepEqual([...slice(out, 0, 2, 3).readSync()], [7, 7, 7, 7]);
  a1.dispose();
  bad(() => matmulList([a0, a1], b0), "TypeError", "matmulList: a[1] was disposed");
});

gpuTest("gpu: lists of products are those of the CPU: matrices anywhere, one b or many, into slices of one matrix", (gpu) => {
  for (const [m, n, k] of [[5, 16, 7], [3, 70, 90], [66, 3, 100], [65, 67, 33], [4, 5, 0], [0, 4, 3]] as const) {
    assertAsOnCpu(gpu, `${m}×${n}×${k}`, (d) => {
      const as = matrices(d as CpuDevice, 3, m, k, 1), bs = matrices(d as CpuDevice, 3, n, k, 5);
      const bias = tensor(d as CpuDevice, [n], numbers(n, 9));
      const whole = tensor(d as CpuDevice, [m, 3 * n + 2], numbers(m * (3 * n + 2), 10));
      const outs = [0, 1, 2].map((i) => slice(whole, 1, i * n + (i > 1 ? 1 : 0), (i + 1) * n + (i > 1 ? 1 : 0)) as Matrix);
      matmulList(as, bs, { transposeB: true, bias, epilogue: "gelu", alpha: 0.5, beta: 2, out: outs });
      const shared = matmulList(as, prepack(bs[0]!) as Matrix, { transposeB: true });
      return { whole, ...Object.fromEntries(shared.map((t, i) => [`shared${i}`, t])) };
    }, 4e-6);
  }
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { adamWStep, cpu, type Float, full, ones, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertClose, assertSameBits, devices, numbers, randomTensor } from "./harness.ts";

/** lr, β1, β2, eps, decay, c1, c2, gradScale of step t. */
function scalarsAt(t: number, lr: number, decay: number, beta1 = 0.9, beta2 = 0.999, gradScale = 1): number[] {
  return [lr, beta1, beta2, 1e-8, decay, 1 / (1 - beta1 ** t), 1 / (1 - beta2 ** t), gradScale];
}

function scalars(values: number[], dtype: Float = "f64", device = cpu): Tensor<Float, [8]> {
  return tensor(device, [8], values, { dtype });
}

/** The step in f64, written as in the paper. */
function plainStep(w: number[], m: number[], v: number[], g: number[], [lr, beta1, beta2, eps, decay, c1, c2, gradScale]: number[]): void {
  w.forEach((_, i) => {
    const x = g[i]! * gradScale!;
    m[i] = beta1! * m[i]! + (1 - beta1!) * x;
    v[i] = beta2! * v[i]! + (1 - beta2!) * x * x;
    w[i] = w[i]! - lr! * decay! * w[i]! - lr! * (m[i]! * c1!) / (Math.sqrt(v[i]! * c2!) + eps!);
  });
}

test("adamWStep() equals the plain loop over several steps", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of [0, 1, 15, 16, 17, 40, 1000]) {
      using w = randomTensor([n], dtype, 1), m = zeros(cpu, [n], dtype), v = zeros(cpu, [n], dtype);
      const pw = [...w.readSync()], pm = new Array(n).fill(0), pv = new Array(n).fill(0);
      for (let t = 1; t <= 4; t++) {
        const values = scalarsAt(t, 1e-2, 0.1, 0.9, 0.95, 0.5);
        using g = randomTensor([n], dtype, 1 + t), s = scalars(values);
        plainStep(pw, pm, pv, [...g.readSync()], values);
        adamWStep([w], [m as never], [v as never], [g], s);
      }
      const tolerance = dtype === "f32" ? 1e-6 : 1e-13;
      for (const [x, p] of [[w, pw], [m, pm], [v, pv]] as const) assertClose(x.readSync(), p, tolerance, `${dtype} ${n}`);
    }
  }
});

/** One weight through the gradients, from m = v = 0: the weight, m and v. */
function walk(start: number, gradients: number[], lr: number, decay: number): number[] {
  using w = full(cpu, [1], start), m = zeros(cpu, [1]), v = zeros(cpu, [1]);
  gradients.forEach((x, i) => {
    using g = full(cpu, [1], x), s = scalars(scalarsAt(i + 1, lr, decay));
    adamWStep([w], [m], [v], [g], s);
  });
  return [w.itemSync(), m.itemSync(), v.itemSync()];
}

test("adamWStep() adds eps after the correction and outside the root, and decays apart from the gradient", () => {
  assertClose([walk(1, [1e-8], 1e-3, 0)[0]!], [0.9995], 1e-7);
  assert.equal(walk(2, [0], 0.01, 0.1)[0], Math.fround(1.998));
  const gradients = [0.5, -0.25, 0.125];
  [0.9899, 0.9871376, 0.9836346].forEach((expected, i) =>
    assertClose([walk(1, gradients.slice(0, i + 1), 0.01, 0.01)[0]!], [expected], 1e-7)
  );
  const [, m, v] = walk(1, gradients, 0.01, 0.01);
  assertClose([m!], [0.0305], 1e-6);
  assertClose([v!], [3.275628e-4], 3e-7);
});

test("adamWStep() takes its scalars in f32 too, for the digits that f32 keeps", () => {
  using w = ones(cpu, [3]), m = zeros(cpu, [3]), v = zeros(cpu, [3]), g = full(cpu, [3], 0.3), s = scalars(scalarsAt(1, 0.01, 0), "f32");
  adamWStep([w], [m], [v], [g], s);
  assertClose(w.readSync(), [0.99, 0.99, 0.99], 1e-6);
});

test("adamWStep() keeps a NaN where it is", () => {
  using w = ones(cpu, [8]), m = zeros(cpu, [8]), v = zeros(cpu, [8]), s = scalars(scalarsAt(1, 0.01, 0.1));
  using g = tensor(cpu, [8], [1, 1, 1, NaN, 1, 1, 1, 1]);
  adamWStep([w], [m], [v], [g], s);
  for (const x of [w, m, v]) assert.deepEqual([...x.readSync()].map(Number.isNaN), [false, false, false, true, false, false, false, false]);
});

test("adamWStep() has the same bits for any number of workers, and reads a strided gradient", () => {
  const results = devices().map((device) => {
    using w = randomTensor([100, 70], "f32", 1, device), g = randomTensor([70, 100], "f32", 2, device);
    using m = zeros(device, [100, 70]), v = zeros(device, [100, 70]), s = tensor(device, [8], scalarsAt(1, 0.01, 0.1), { dtype: "f64" });
    using turned = transpose(g);
    adamWStep([w], [m as never], [v as never], [turned as never], s);
    return [...w.readSync(), ...m.readSync(), ...v.readSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("adamWStep() of a list has the bits of steps one by one, and only what is told to decays", () => {
  const sizes = [[3], [0], [70, 40], [], [257]];
  const make = () => [1, 2, 3, 4].map((k) => sizes.map((size, i) => randomTensor(size, "f64", 10 * i + k)));
  const [w, m, v, g] = make() as [Tensor<"f64">[], Tensor<"f64">[], Tensor<"f64">[], Tensor<"f64">[]];
  const [w1, m1, v1, g1] = make() as typeof w[];
  for (const x of [...v, ...v1!]) x.write(x.readSync().map(Math.abs)); // means of squares
  using s = scalars(scalarsAt(3, 0.1, 0.2)), still = scalars(scalarsAt(3, 0.1, 0));
  const decays = [true, false, true, false, false];
  adamWStep(w, m, v, g, s, { decays });
  sizes.forEach((_, i) => adamWStep([w1![i]!], [m1![i]!], [v1![i]!], [g1![i]!], decays[i] ? s : still));
  for (const [one, many] of [[w1!, w], [m1!, m], [v1!, v]] as const) {
    many.forEach((x, i) => assertSameBits(x.readSync(), one[i]!.readSync()));
  }
  adamWStep([], [], [], [], s);
});

test("adamWStep() says what does not fit, and touches nothing", () => {
  using w = tensor(cpu, [4], numbers(4)), m = zeros(cpu, [4]), v = zeros(cpu, [4]), g = ones(cpu, [4]), s = scalars(scalarsAt(1, 1, 0));
  using short = ones(cpu, [3]), wide = ones(cpu, [4], "f64");
  const before = w.readSync();
  const fails = (change: Partial<Record<"w" | "m" | "v" | "g" | "s" | "options", unknown>>, error: object) => {
    const all = { w: [w], m: [m], v: [v], g: [g], s, options: {}, ...change } as Record<keyof typeof change, never>; // wrong ones among them
    assert.throws(() => adamWStep(all.w, all.m, all.v, all.g, all.s, all.options), error);
  };
  fails({ g: [short] }, { name: "RangeError", message: "adamWStep: g[0] is [3], must be [4]" });
  fails({ m: [wide] }, { name: "TypeError", message: "adamWStep: m[0] is f64, w[0] is f32" });
  fails({ s: g }, { name: "RangeError", message: "adamWStep: scalars is [4], must be [8]" });
  fails({ g: [] }, { name: "RangeError", message: "adamWStep: w holds 1 tensors, g holds 0" });
  fails({ v }, { name: "TypeError", message: /v must be an array of tensors/ });
  fails({ v: [3] }, { name: "TypeError", message: "adamWStep: v[0] must be a tensor, got 3" });
  fails({ options: { decays: [] } }, { name: "TypeError", message: /decays must be an array of 1 booleans/ });
  fails({ v: [m] }, { name: "TypeError" });
  fails({ g: [w] }, { name: "TypeError" });
  using whole = zeros(cpu, [4, 2]);
  using column = slice(whole, 1, 0, 1);
  using flat = zeros(cpu, [4, 1]);
  fails({ w: [column], m: [flat], v: [flat], g: [flat] }, {
    name: "TypeError",
    message: /w\[0\] is a view of strides \[2, 1\], must be contig/,
  });
  fails({ w: [w, w], m: [m, zeros(cpu, [4])], v: [v, zeros(cpu, [4])], g: [g, g] }, { name: "TypeError" });
  assert.deepEqual(w.readSync(), before);
  assert.deepEqual([...m.readSync(), ...v.readSync()], [0, 0, 0, 0, 0, 0, 0, 0]);
});

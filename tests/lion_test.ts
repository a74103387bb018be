import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, lionStep, ones, tensor, transpose, zeros } from "../mod.ts";
import { assertClose, devices, numbers, randomTensor } from "./harness.ts";

test("lionStep() equals the plain loop over several steps", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of [0, 1, 15, 16, 17, 40, 1000]) {
      using w = randomTensor([n], dtype, 1), m = zeros(cpu, [n], dtype);
      const [lr, beta1, beta2, decay, gradScale] = [0.01, 0.9, 0.99, 0.1, 0.5] as const;
      using s = tensor(cpu, [5], [lr, beta1, beta2, decay, gradScale], { dtype: "f64" });
      const pw = [...w.readSync()], pm = new Array<number>(n).fill(0);
      for (let t = 1; t <= 4; t++) {
        using g = randomTensor([n], dtype, 1 + t);
        [...g.readSync()].forEach((x, i) => {
          const d = x * gradScale, way = Math.sign(beta1 * pm[i]! + (1 - beta1) * d);
          pw[i] = pw[i]! - lr * (way + decay * pw[i]!);
          pm[i] = beta2 * pm[i]! + (1 - beta2) * d;
        });
        lionStep([w], [m as never], [g], s);
      }
      const tolerance = dtype === "f32" ? 1e-6 : 1e-13;
      assertClose(w.readSync(), pw, tolerance, `${dtype} ${n}`);
      assertClose(m.readSync(), pm, tolerance, `${dtype} ${n}`);
    }
  }
});

test("lionStep() moves by the rate, not at all where nothing pulls, and shows a NaN where it is", () => {
  using w = ones(cpu, [4]), m = zeros(cpu, [4]), s = tensor(cpu, [5], [0.25, 0.9, 0.99, 0, 1], { dtype: "f64" });
  using g = tensor(cpu, [4], [1e-30, -1e30, 0, NaN]);
  lionStep([w], [m], [g], s);
  assert.deepEqual([...w.readSync()], [0.75, 1.25, 1, NaN]);
});

test("lionStep() of a list has the same bits for any number of workers, reads strided gradients, and decays what is told to", () => {
  const results = devices().map((device) => {
    using w = randomTensor([100, 70], "f32", 1, device), g = randomTensor([70, 100], "f32", 2, device), m = zeros(device, [100, 70]);
    using w1 = ones(device, [3]), g1 = zeros(device, [3]), m1 = zeros(device, [3]);
    using s = tensor(device, [5], [0.5, 0.9, 0.99, 0.5, 1], { dtype: "f64" }), turned = transpose(g);
    lionStep([w, w1 as never], [m as never, m1 as never], [turned as never, g1 as never], s, { decays: [true, false] });
    assert.deepEqual([...w1.readSync()], [1, 1, 1]);
    return [...w.readSync(), ...m.readSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("lionStep() says what does not fit, and touches nothing", () => {
  using w = tensor(cpu, [4], numbers(4)),
    m = zeros(cpu, [4]),
    g = ones(cpu, [4]),
    s = tensor(cpu, [5], [1, 0.9, 0.99, 0, 1]),
    short = ones(cpu, [3]);
  const before = w.readSync();
  assert.throws(() => lionStep([w], [m], [short], s), { name: "RangeError", message: "lionStep: g[0] is [3], must be [4]" });
  assert.throws(() => lionStep([w], [m], [g], g as never), { name: "RangeError", message: "lionStep: scalars is [4], must be [5]" });
  assert.throws(() => lionStep([w], [w], [g], s), { name: "TypeError" });
  assert.throws(() => lionStep([w], [m], [ones(cpu, [4], "i32") as never], s), {
    name: "TypeError",
    message: "lionStep: g[0] is i32, w[0] is f32",
  });
  assert.deepEqual(w.readSync(), before);
  assert.deepEqual([...m.readSync()], [0, 0, 0, 0]);
});

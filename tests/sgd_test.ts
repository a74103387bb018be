import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, ones, sgdStep, tensor, transpose, zeros } from "../mod.ts";
import { assertClose, devices, numbers, randomTensor } from "./harness.ts";

/** The step in f64, as the definition says; without momentum `b` is not looked at. */
function plainStep(w: number[], b: number[] | null, g: number[], [lr, mu, decay, gradScale]: number[], nesterov: boolean): void {
  w.forEach((x, i) => {
    const d = g[i]! * gradScale! + decay! * x;
    if (b !== null) b[i] = mu! * b[i]! + d;
    w[i] = x - lr! * (b === null ? d : nesterov ? d + mu! * b[i]! : b[i]!);
  });
}

const kinds = [{ momentum: false, nesterov: false }, { momentum: true, nesterov: false }, { momentum: true, nesterov: true }];

test("sgdStep() equals the plain loop over several steps, with and without momentum and look ahead", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const { momentum, nesterov } of kinds) {
      for (const n of [0, 1, 15, 16, 17, 40, 1000]) {
        using w = randomTensor([n], dtype, 1), b = zeros(cpu, [n], dtype);
        const values = [0.05, 0.9, 0.1, 0.5];
        using s = tensor(cpu, [4], values, { dtype: "f64" });
        const pw = [...w.readSync()], pb = momentum ? new Array<number>(n).fill(0) : null;
        for (let t = 1; t <= 4; t++) {
          using g = randomTensor([n], dtype, 1 + t);
          plainStep(pw, pb, [...g.readSync()], values, nesterov);
          sgdStep([w], momentum ? [b as never] : null, [g], s, { nesterov });
        }
        const tolerance = dtype === "f32" ? 1e-6 : 1e-13;
        assertClose(w.readSync(), pw, tolerance, `${dtype} ${n}`);
        assertClose(b.readSync(), pb ?? new Array<number>(n).fill(0), tolerance, `${dtype} ${n}`);
      }
    }
  }
});

test("sgdStep() of a list has the same bits for any number of workers, reads strided gradients, and decays what is told to", () => {
  for (const { momentum, nesterov } of kinds) {
    const results = devices().map((device) => {
      using w = randomTensor([100, 70], "f32", 1, device), g = randomTensor([70, 100], "f32", 2, device), b = zeros(device, [100, 70]);
      using w1 = ones(device, [3]), g1 = zeros(device, [3]), b1 = zeros(device, [3]);
      using s = tensor(device, [4], [0.5, 0.9, 0.5, 1], { dtype: "f64" }), turned = transpose(g);
      sgdStep([w, w1 as never], momentum ? [b as never, b1 as never] : null, [turned as never, g1 as never], s, {
        nesterov,
        decays: [true, false],
      });
      assert.deepEqual([...w1.readSync()], [1, 1, 1]);
      return [...w.readSync(), ...b.readSync()];
    });
    for (const r of results) assert.deepEqual(r, results[0]);
  }
});

test("sgdStep() says what does not fit, and touches nothing", () => {
  using w = tensor(cpu, [4], numbers(4)),
    b = zeros(cpu, [4]),
    g = ones(cpu, [4]),
    s = tensor(cpu, [4], [1, 0.9, 0, 1]),
    short = ones(cpu, [3]);
  const before = w.readSync();
  assert.throws(() => sgdStep([w], [b], [short], s), { name: "RangeError", message: "sgdStep: g[0] is [3], must be [4]" });
  assert.throws(() => sgdStep([w], [], [g], s), { name: "RangeError", message: "sgdStep: w holds 1 tensors, b holds 0" });
  assert.throws(() => sgdStep([w], [b], [g], short as never), { name: "RangeError", message: "sgdStep: scalars is [3], must be [4]" });
  assert.throws(() => sgdStep([w], null, [g], s, { nesterov: true }), { name: "TypeError", message: /nesterov needs a momentum/ });
  assert.throws(() => sgdStep([w], [w], [g], s), { name: "TypeError" });
  assert.deepEqual(w.readSync(), before);
  assert.deepEqual([...b.readSync()], [0, 0, 0, 0]);
});

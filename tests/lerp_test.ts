import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, full, lerp, ones } from "../mod.ts";
import { assertClose, assertSameBits, devices, randomTensor } from "./harness.ts";

test("lerp() equals the plain loop", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of [0, 1, 15, 16, 17, 40, 1000]) {
      for (const t of [0, 1e-4, 0.3, 0.5, 0.9, 1, -1]) {
        using y = randomTensor([n], dtype, 1), x = randomTensor([n], dtype, 2);
        const wanted = [...y.readSync()].map((v, i) => (1 - t) * v + t * x.readSync()[i]!);
        lerp([y], [x], t);
        assertClose(y.readSync(), wanted, dtype === "f32" ? 3e-7 : 1e-15, `${dtype} ${n} ${t}`);
      }
    }
  }
});

test("lerp() keeps y at 0, takes x at 1, and stays where both are equal", () => {
  using y = randomTensor([77], "f32", 1), x = randomTensor([77], "f32", 2);
  const before = y.readSync();
  lerp([y], [x], 0);
  assertSameBits(y.readSync(), before);
  lerp([y], [x], 1);
  assertSameBits(y.readSync(), x.readSync());
  using mean = full(cpu, [20], 0.1), constant = full(cpu, [20], 0.1);
  for (let i = 0; i < 1000; i++) lerp([mean], [constant], 1e-4);
  assertSameBits(mean.readSync(), constant.readSync());
});

test("lerp() of a list has the same bits for any number of workers", () => {
  const results = devices().map((device) => {
    using a = randomTensor([90, 70], "f32", 1, device), b = randomTensor([90, 70], "f32", 2, device);
    using c = randomTensor([3], "f32", 3, device), d = randomTensor([3], "f32", 4, device);
    lerp([a, c], [b, d], 0.1);
    return [...a.readSync(), ...c.readSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("lerp() says what does not fit, and touches nothing", () => {
  using y = ones(cpu, [4]), x = full(cpu, [4], 2), short = ones(cpu, [3]);
  assert.throws(() => lerp([y], [short], 1), { name: "RangeError", message: "lerp: x[0] is [3], must be [4]" });
  assert.throws(() => lerp([y], [x], undefined as never), { name: "TypeError", message: "lerp: t must be a number, got undefined" });
  assert.throws(() => lerp([y], [y], 1), { name: "TypeError" });
  assert.deepEqual([...y.readSync()], [1, 1, 1, 1]);
});

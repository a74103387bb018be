import { test } from "node:test";
import assert from "node:assert/strict";
import { add, axpby, cpu, ones, slice, tensor, transpose } from "../mod.ts";
import { assertClose, assertSameBits, devices, randomTensor } from "./harness.ts";

test("axpby() equals the plain loop", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of [0, 1, 15, 16, 17, 40, 1000]) {
      for (const { alpha, beta } of [{ alpha: 0.3, beta: -2 }, { alpha: undefined, beta: 0.5 }, { alpha: -1, beta: 0 }]) {
        using y = randomTensor([n], dtype, 1), x = randomTensor([n], dtype, 2);
        const wanted = [...y.readSync()].map((v, i) => (alpha ?? 1) * x.readSync()[i]! + beta * v);
        axpby([y], [x], { ...(alpha === undefined ? {} : { alpha }), beta });
        assertClose(y.readSync(), wanted, dtype === "f32" ? 1e-7 : 1e-15, `${dtype} ${n}`);
      }
    }
  }
});

test("axpby() adds with the bits of add(), and with beta 0 does not read y", () => {
  using y = randomTensor([77], "f32", 1), x = randomTensor([77], "f32", 2), sum = add(y, x as never), nan = tensor(cpu, [2], [NaN, 1]);
  axpby([y], [x]);
  assertSameBits(y.readSync(), sum.readSync());
  axpby([nan], [ones(cpu, [2])], { beta: 0 });
  assert.deepEqual([...nan.readSync()], [1, 1]);
});

test("axpby() of a list has the same bits for any number of workers, and reads views", () => {
  const results = devices().map((device) => {
    using a = randomTensor([90, 70], "f32", 1, device),
      b = randomTensor([70, 90], "f32", 2, device),
      c = randomTensor([3], "f32", 3, device);
    using turned = transpose(b), d = randomTensor([3], "f32", 4, device);
    axpby([a, c], [turned as never, d], { alpha: 0.1, beta: 0.7 });
    return [...a.readSync(), ...c.readSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("axpby() says what does not fit, and touches nothing", () => {
  using y = ones(cpu, [4]), x = ones(cpu, [4]), wide = ones(cpu, [4], "f64"), whole = ones(cpu, [4, 2]);
  using column = slice(whole, 1, 0, 1), flat = ones(cpu, [4, 1]);
  assert.throws(() => axpby([y], []), { name: "RangeError", message: "axpby: y holds 1 tensors, x holds 0" });
  assert.throws(() => axpby([y], [wide as never]), { name: "TypeError", message: "axpby: x[0] is f64, y[0] is f32" });
  assert.throws(() => axpby([y], [flat as never]), { name: "RangeError", message: "axpby: x[0] is [4, 1], must be [4]" });
  assert.throws(() => axpby([column], [flat]), { name: "TypeError", message: /y\[0\] is a view of strides \[2, 1\], must be contiguous/ });
  assert.throws(() => axpby([y], [x], { alpha: "2" as never }), {
    name: "TypeError",
    message: 'axpby: alpha must be a number, got the string "2"',
  });
  assert.throws(() => axpby([y], [y]), { name: "TypeError" });
  assert.throws(() => axpby([y, y], [x, x]), { name: "TypeError" });
  assert.throws(() => axpby([ones(cpu, [1], "u32") as never], [ones(cpu, [1], "u32") as never]), { name: "TypeError" });
  assert.deepEqual([...y.readSync()], [1, 1, 1, 1]);
});

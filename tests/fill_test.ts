import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, type DType, full, ones, zeros } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";

test("zeros(), ones() and full() fill every element of every type", () => {
  for (const dtype of ["f32", "f64", "i32", "u32"] as DType[]) {
    for (const shape of [[], [1], [17], [3, 40], [2, 0]]) {
      using a = zeros(cpu, shape, dtype), b = ones(cpu, shape, dtype), c = full(cpu, shape, 7, dtype);
      for (const [x, value] of [[a, 0], [b, 1], [c, 7]] as const) {
        assert.equal(x.dtype, dtype);
        assert.deepEqual(x.shape, shape);
        assert.ok(x.readSync().every((v) => v === value));
      }
    }
  }
  using x = full(cpu, [2], NaN), y = full(cpu, [2], 0.1);
  assert.ok(x.readSync().every(Number.isNaN));
  assert.equal(y.readSync()[1], Math.fround(0.1));
});

test("zeros(), ones() and full() say what does not fit", () => {
  assert.throws(() => full(cpu, [1], 1.5, "i32"), {
    name: "RangeError",
    message: "full: value must be a whole number from -2147483648 to 2147483647 for i32, got 1.5",
  });
  assert.throws(() => full(cpu, [1], -1, "u32"), { name: "RangeError" });
  assert.throws(() => full(cpu, [1], "1" as never), { name: "TypeError", message: 'full: value must be a number, got the string "1"' });
  assert.throws(() => zeros(cpu, [-1]), {
    name: "RangeError",
    message: "zeros: shape[0] must be a whole number from 0 to 2^53 - 1, got -1",
  });
  assert.throws(() => zeros(cpu, [1.5]), { name: "RangeError" });
  assert.throws(() => zeros(cpu, ["2" as never]), { name: "TypeError" });
  assert.throws(() => ones({} as never, [1]), {
    name: "TypeError",
    message: "ones: device must be a device such as cpu, got an object (Object)",
  });
  assert.throws(() => ones(cpu, [1], "f16" as never), { name: "TypeError" });
  assert.throws(() => zeros(cpu, [1, 1, 1, 1, 1, 1, 1, 1, 1]), { name: "RangeError" });
});

gpuTest("zeros(), ones() and full() on a GPU fill every element of every type", (gpu) => {
  for (const shape of [[], [1], [15], [17], [255], [256], [257], [3, 40], [2, 0], [70000, 2]]) {
    for (const dtype of ["f32", "f64", "i32", "u32"] as DType[]) {
      assertAsOnCpu(
        gpu,
        `${dtype} ${shape}`,
        (d) => ({
          zeros: zeros(d, shape, dtype),
          ones: ones(d, shape, dtype),
          full: full(d, shape, 3000000000 * +(dtype === "u32"), dtype),
        }),
        0,
      );
    }
  }
  for (const value of [NaN, Infinity, -0, 0.1, 1e-40]) {
    for (const dtype of ["f32", "f64"] as const) {
      const [want, got] = [cpu, gpu].map((device) => full(device, [5], value, dtype).readSync());
      assert.deepEqual(new Uint8Array(got!.buffer), new Uint8Array(want!.buffer), `${value} ${dtype}`);
    }
  }
});

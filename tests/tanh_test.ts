import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, scope, tanh, tanhBackward, tensor } from "../mod.ts";
import { both, close, differences, dot, everyDevice, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

const reference = (x: number) => Math.tanh(x);

test("tanh() is what f64 gives at every length, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      scope(() => {
        const data = both(normal(2 * n, n + 1, 4))[dtype];
        const wanted = Float64Array.from(data, reference);
        for (const x of [of(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype, true)]) {
          close(tanh(x).readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
        }
        const x = of(cpu, [2, n], data, dtype);
        tanh(x, { out: x });
        close(x.readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
      });
    }
  }
});

test("tanh() has the gradient that central differences give, and keeps its digits where it is small", () => {
  scope(() => {
    const n = 60;
    const x = Float64Array.from(normal(n, 1, 2)), c = Float64Array.from(normal(n, 2));
    const wanted = differences((v) => dot(Float64Array.from(v, reference), c), x);
    const input = tensor(cpu, [n], x), dy = tensor(cpu, [n], c);
    close(tanhBackward(input, dy).readSync(), wanted, 1e-7);
    close(taped(() => tanh(input)).backward(dy)[0]!.readSync(), wanted, 1e-7);
    tanhBackward(input, dy, { out: dy });
    close(dy.readSync(), wanted, 1e-7);
    // 1 − y would be 0 here.
    const far = tanhBackward(tensor(cpu, [1], [20]), tensor(cpu, [1], [1])).itemSync();
    assert.ok(Math.abs(far / (4 * Math.exp(-40)) - 1) < 1e-6, `${far}`);
  });
});

test("tanh() of special inputs", () => {
  scope(() => {
    const x = tensor(cpu, [6], [NaN, Infinity, -Infinity, 3e38, -3e38, -0]);
    assert.deepEqual([...tanh(x).readSync()], [NaN, 1, -1, 1, -1, -0]);
    close(tanhBackward(x, tensor(cpu, [6], [1, 1, 1, 1, 1, 1])).readSync(), [NaN, 0, 0, 0, 0, 1], 0);
  });
});

test("tanh() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(3001, 3));
    const results = everyDevice().map((device) => {
      const x = tensor(device, [3001], data);
      return [tanh(x).readSync(), tanhBackward(x, x).readSync()];
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("tanh() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => tanh(tensor(cpu, [2], new Int32Array(2)) as never), "TypeError", "tanh: x is i32, must be f32 or f64");
    refuses(
      () => tanhBackward(x, tensor(cpu, [2, 1], [1, 2]) as never, { out }),
      "RangeError",
      "tanhBackward: dy is [2, 1], must be [2]",
    );
    x.dispose();
    refuses(() => tanh(x, { out }), "TypeError", "tanh: x was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, scope, silu, siluBackward, tensor } from "../mod.ts";
import { both, close, differences, dot, everyDevice, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

const reference = (x: number) => x / (1 + Math.exp(-x));

test("silu() is what f64 gives at every length, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      scope(() => {
        const data = both(normal(2 * n, n + 1, 4))[dtype];
        const wanted = Float64Array.from(data, reference);
        for (const x of [of(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype, true)]) {
          close(silu(x).readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
        }
        const x = of(cpu, [2, n], data, dtype);
        silu(x, { out: x });
        close(x.readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
      });
    }
  }
});

test("silu() has the gradient that central differences give", () => {
  scope(() => {
    const n = 60;
    const x = Float64Array.from(normal(n, 1, 4)), c = Float64Array.from(normal(n, 2));
    const wanted = differences((v) => dot(Float64Array.from(v, reference), c), x);
    const input = tensor(cpu, [n], x), dy = tensor(cpu, [n], c);
    close(siluBackward(input, dy).readSync(), wanted, 1e-7);
    close(taped(() => silu(input)).backward(dy)[0]!.readSync(), wanted, 1e-7);
    siluBackward(input, dy, { out: dy });
    close(dy.readSync(), wanted, 1e-7);
  });
});

test("silu() of special inputs", () => {
  scope(() => {
    const x = tensor(cpu, [6], [NaN, Infinity, -Infinity, 3e38, -3e38, 0]);
    assert.deepEqual([...silu(x).readSync()].map((v) => v + 0), [NaN, Infinity, 0, Math.fround(3e38), 0, 0]);
    close(siluBackward(x, tensor(cpu, [6], [1, 1, 1, 1, 1, 1])).readSync(), [NaN, 1, 0, 1, 0, 0.5], 1e-36);
  });
});

test("silu() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(3001, 3));
    const results = everyDevice().map((device) => silu(tensor(device, [3001], data)).readSync());
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("silu() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => silu(tensor(cpu, [2], new Int32Array(2)) as never), "TypeError", "silu: x is i32, must be f32 or f64");
    refuses(() => siluBackward(x, tensor(cpu, [2, 1], [1, 2]) as never, { out }), "RangeError", "siluBackward: dy is [2, 1], must be [2]");
    x.dispose();
    refuses(() => silu(x, { out }), "TypeError", "silu: x was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

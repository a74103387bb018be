import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, gelu, geluBackward, scope, tensor } from "../mod.ts";
import { both, close, differences, dot, everyDevice, lengths, normal, normalCdf, of, refuses, strided, taped } from "./row_harness.ts";

const forms = ["none", "tanh"] as const;

/** In f64. The tanh form is x·sigmoid(2u): 1 + tanh(u) would cancel for negative x. */
function reference(approximate: "none" | "tanh", x: number): number {
  if (approximate === "none") return x * normalCdf(x);
  return x / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}

test("gelu() is what f64 gives in both forms, at every length, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const approximate of forms) {
      for (const n of lengths) {
        scope(() => {
          const data = both(normal(2 * n, n + 1, 3))[dtype];
          const wanted = Float64Array.from(data, (v) => reference(approximate, v));
          for (const x of [of(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype, true)]) {
            close(gelu(x, { approximate }).readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
          }
          const x = of(cpu, [2, n], data, dtype);
          gelu(x, { approximate, out: x });
          close(x.readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
        });
      }
    }
  }
});

test("gelu() has the gradient that central differences give", () => {
  scope(() => {
    const n = 60;
    const x = Float64Array.from(normal(n, 1, 3)), c = Float64Array.from(normal(n, 2));
    for (const approximate of forms) {
      const wanted = differences((v) => dot(Float64Array.from(v, (e) => reference(approximate, e)), c), x);
      const input = tensor(cpu, [n], x), dy = tensor(cpu, [n], c);
      close(geluBackward(input, dy, { approximate }).readSync(), wanted, 1e-7);
      close(taped(() => gelu(input, { approximate })).backward(dy)[0]!.readSync(), wanted, 1e-7);
      geluBackward(input, dy, { approximate, out: dy });
      close(dy.readSync(), wanted, 1e-7);
    }
  });
});

test("gelu() for large, very negative and special inputs, in each lane", () => {
  // x, tanh form, erf form
  const cases = [
    [13.24, 13.24, 13.24],
    [50, 50, 50],
    [-50, 0, 0],
    [3e38, 3e38, 3e38],
    [-3e38, 0, 0],
    [Infinity, Infinity, Infinity],
    [-Infinity, 0, 0],
    [NaN, NaN, NaN],
    [-4, -7.024595e-5, -1.26685e-4],
    [-6, -8.439647e-11, -5.919526e-9],
    [1, 0.841192, 0.8413447],
  ] as const;
  for (const [x, ...wanted] of cases) {
    for (let n = 1; n <= 40; n++) {
      scope(() => {
        const input = tensor(cpu, [n], new Array(n).fill(x));
        for (const [i, approximate] of (["tanh", "none"] as const).entries()) {
          for (const y of gelu(input, { approximate }).readSync()) close([y], [wanted[i]!], 1e-5, 1e-36);
        }
      });
    }
  }
});

test("gelu() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(3001, 3, 2)), c = Float32Array.from(normal(3001, 4));
    const results = everyDevice().map((device) => {
      const x = tensor(device, [3001], data);
      return [gelu(x).readSync(), geluBackward(x, tensor(device, [3001], c)).readSync()];
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("gelu() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => gelu(tensor(cpu, [2], new Uint32Array(2)) as never), "TypeError", "gelu: x is u32, must be f32 or f64");
    refuses(
      () => gelu(x, { approximate: "sigmoid" as never, out }),
      "TypeError",
      'gelu: approximate must be none or tanh, got the string "sigmoid"',
    );
    refuses(() => gelu(tensor(cpu, [3], [1, 2, 3]), { out: out as never }), "RangeError", "gelu: out is [2], must be [3]");
    refuses(() => geluBackward(x, tensor(cpu, [1], [1]) as never, { out }), "RangeError", "geluBackward: dy is [1], must be [2]");
    refuses(() => taped(() => gelu(x, { out })), "TypeError", "gelu: out cannot be given while gradients are recorded");
    x.dispose();
    refuses(() => gelu(x, { out }), "TypeError", "gelu: x was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

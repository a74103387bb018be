import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, gelu, geluBackward, scope, tensor } from "../mod.ts";
import { testActivation } from "./activation_harness.ts";
import { close, normalCdf, refuses } from "./row_harness.ts";

const special = [[NaN, NaN, NaN], [Infinity, Infinity, 1], [-Infinity, 0, 0], [3e38, 3e38, 1], [-3e38, 0, 0], [0, 0, 0.5]] as const;

testActivation({ name: "gelu", run: gelu, backward: geluBackward, reference: (x) => x * normalCdf(x), deviation: 3, special });

testActivation({
  name: "gelu",
  form: "tanh",
  run: (x, options) => gelu(x, { approximate: "tanh", ...options }),
  backward: (x, dy, options) => geluBackward(x, dy, { approximate: "tanh", ...options }),
  // x·sigmoid(2u): 1 + tanh(u) would cancel for negative x.
  reference: (x) => x / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  deviation: 3,
  special,
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

test("gelu() refuses a form that it does not know, and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(
      () => gelu(x, { approximate: "sigmoid" as never, out }),
      "TypeError",
      'gelu: approximate must be none or tanh, got the string "sigmoid"',
    );
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, scope, swiglu, swigluBackward, tensor } from "../mod.ts";
import { both, close, differences, dot, everyDevice, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

const reference = (g: number, u: number) => g / (1 + Math.exp(-g)) * u;

test("swiglu() is what f64 gives at every length, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      scope(() => {
        const g = both(normal(3 * n, n + 1, 2))[dtype], u = both(normal(3 * n, n + 2, 2))[dtype];
        const wanted = Float64Array.from(g, (v, i) => reference(v, u[i]!));
        const gates = [of(cpu, [3, n], g, dtype), strided(cpu, [3, n], g, dtype), strided(cpu, [3, n], g, dtype, true)];
        const ups = [strided(cpu, [3, n], u, dtype), of(cpu, [3, n], u, dtype), strided(cpu, [3, n], u, dtype, true)];
        for (const [i, gate] of gates.entries()) close(swiglu(gate, ups[i]!).readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
      });
    }
  }
});

test("swiglu() puts its first argument through SiLU", () => {
  scope(() => {
    const gate = tensor(cpu, [2], [1, 2]), up = tensor(cpu, [2], [3, 4]);
    close(swiglu(gate, up).readSync(), [2.193176, 7.046377], 1e-6);
    close(swiglu(up, gate).readSync(), [2.857722, 7.856110], 1e-6);
  });
});

test("swiglu() has the gradients that central differences give", () => {
  scope(() => {
    const n = 57;
    const [g, u, c] = [1, 2, 3].map((seed) => Float64Array.from(normal(n, seed, 2))) as [
      Float64Array<ArrayBuffer>,
      Float64Array<ArrayBuffer>,
      Float64Array<ArrayBuffer>,
    ];
    const loss = (g: Float64Array, u: Float64Array) => dot(Float64Array.from(g, (v, i) => reference(v, u[i]!)), c);
    const wanted = [differences((v) => loss(v, u), g), differences((v) => loss(g, v), u)];
    const gate = tensor(cpu, [n], g), up = tensor(cpu, [n], u), dy = tensor(cpu, [n], c);
    const found = swigluBackward(gate, up, dy);
    close(found.gate.readSync(), wanted[0]!, 1e-7);
    close(found.up.readSync(), wanted[1]!, 1e-7);
    for (const [i, t] of taped(() => swiglu(gate, up)).backward(dy).entries()) close(t!.readSync(), wanted[i]!, 1e-7);
  });
});

test("swiglu() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = [1, 2, 3].map((seed) => Float32Array.from(normal(41 * 53, seed)));
    const results = everyDevice().map((device) => {
      const [gate, up, dy] = data.map((d) => tensor(device, [41, 53], d));
      const g = swigluBackward(gate!, up!, dy!);
      return [swiglu(gate!, up!), g.gate, g.up].map((t) => t.readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("swiglu() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => swiglu(x, tensor(cpu, [3], [1, 2, 3]) as never, { out }), "RangeError", "swiglu: up is [3], must be [2]");
    refuses(() => swiglu(x, tensor(cpu, [2], new Float64Array(2)) as never, { out }), "TypeError", "swiglu: up is f64, gate is f32");
    refuses(() => swigluBackward(x, x, tensor(cpu, [1], [1]) as never), "RangeError", "swigluBackward: dy is [1], must be [2]");
    const gone = tensor(cpu, [2], [1, 2]);
    gone.dispose();
    refuses(() => swiglu(x, gone, { out }), "TypeError", "swiglu: up was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

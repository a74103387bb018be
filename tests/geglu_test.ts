import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, geglu, gegluBackward, scope, tensor } from "../mod.ts";
import { both, close, differences, dot, everyDevice, lengths, normal, normalCdf, of, refuses, strided, taped } from "./row_harness.ts";

const reference = (g: number, u: number) => g * normalCdf(g) * u;

test("geglu() is what f64 gives at every length, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      scope(() => {
        const g = both(normal(3 * n, n + 1, 2))[dtype], u = both(normal(3 * n, n + 2, 2))[dtype];
        const wanted = Float64Array.from(g, (v, i) => reference(v, u[i]!));
        const gates = [of(cpu, [3, n], g, dtype), strided(cpu, [3, n], g, dtype), strided(cpu, [3, n], g, dtype, true)];
        const ups = [strided(cpu, [3, n], u, dtype), of(cpu, [3, n], u, dtype), strided(cpu, [3, n], u, dtype, true)];
        for (const [i, gate] of gates.entries()) close(geglu(gate, ups[i]!).readSync(), wanted, dtype === "f32" ? 1e-6 : 1e-13);
      });
    }
  }
});

test("geglu() puts its first argument through GELU", () => {
  scope(() => {
    const gate = tensor(cpu, [2], [1, 2]), up = tensor(cpu, [2], [3, 4]), dy = tensor(cpu, [2], [1, 1]);
    const approximate = "tanh";
    close(geglu(gate, up, { approximate }).readSync(), [2.523576, 7.818391], 1e-6);
    close(geglu(up, gate, { approximate }).readSync(), [2.996363, 7.99986], 1e-6);
    const g = gegluBackward(gate, up, dy, { approximate });
    close(g.gate.readSync(), [3.248892, 4.344397], 1e-6);
    close(g.up.readSync(), [0.841192, 1.954598], 1e-6);
  });
});

test("geglu() has the gradients that central differences give", () => {
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
    const found = gegluBackward(gate, up, dy);
    close(found.gate.readSync(), wanted[0]!, 1e-7);
    close(found.up.readSync(), wanted[1]!, 1e-7);
    for (const [i, t] of taped(() => geglu(gate, up)).backward(dy).entries()) close(t!.readSync(), wanted[i]!, 1e-7);
  });
});

test("geglu() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = [1, 2, 3].map((seed) => Float32Array.from(normal(41 * 53, seed)));
    const results = everyDevice().map((device) => {
      const [gate, up, dy] = data.map((d) => tensor(device, [41, 53], d));
      const g = gegluBackward(gate!, up!, dy!);
      return [geglu(gate!, up!), g.gate, g.up].map((t) => t.readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("geglu() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => geglu(x, tensor(cpu, [3], [1, 2, 3]) as never, { out }), "RangeError", "geglu: up is [3], must be [2]");
    refuses(() => geglu(x, tensor(cpu, [2], new Float64Array(2)) as never, { out }), "TypeError", "geglu: up is f64, gate is f32");
    refuses(() => geglu(x, x, { approximate: true as never, out }), "TypeError", "geglu: approximate must be none or tanh, got true");
    refuses(() => gegluBackward(x, x, tensor(cpu, [1], [1]) as never), "RangeError", "gegluBackward: dy is [1], must be [2]");
    const gone = tensor(cpu, [2], [1, 2]);
    gone.dispose();
    refuses(() => geglu(x, gone, { out }), "TypeError", "geglu: up was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

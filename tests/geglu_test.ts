import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, geglu, gegluBackward, scope, tensor } from "../mod.ts";
import { testGated } from "./activation_harness.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { close, normal, normalCdf, of, refuses } from "./row_harness.ts";

testGated({ name: "geglu", run: geglu, backward: gegluBackward, reference: (g, u) => g * normalCdf(g) * u });

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

test("geglu() refuses a form that it does not know, and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => geglu(x, x, { approximate: true as never, out }), "TypeError", "geglu: approximate must be none or tanh, got true");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

gpuTest("geglu() in its tanh form on a GPU is as on the CPU", (gpu) => {
  assertAsOnCpu(gpu, "tanh", (device) => {
    const [gate, up, dy] = [1, 2, 3].map((place) => of(device, [3, 257], Float32Array.from(normal(771, place, 3)), "f32"));
    const g = gegluBackward(gate!, up!, dy!, { approximate: "tanh" });
    return { y: geglu(gate!, up!, { approximate: "tanh" }), gate: g.gate, up: g.up };
  });
});

import { test } from "node:test";
import { cpu, scope, swiglu, swigluBackward, tensor } from "../mod.ts";
import { testGated } from "./activation_harness.ts";
import { close } from "./row_harness.ts";

testGated({ name: "swiglu", run: swiglu, backward: swigluBackward, reference: (g, u) => g / (1 + Math.exp(-g)) * u });

test("swiglu() puts its first argument through SiLU", () => {
  scope(() => {
    const gate = tensor(cpu, [2], [1, 2]), up = tensor(cpu, [2], [3, 4]);
    close(swiglu(gate, up).readSync(), [2.193176, 7.046377], 1e-6);
    close(swiglu(up, gate).readSync(), [2.857722, 7.856110], 1e-6);
  });
});

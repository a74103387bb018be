import assert from "node:assert/strict";
import { add, matmul, mul, softmax, softmaxBackward, tensor, transpose } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { numbers, randomTensor } from "./harness.ts";

gpuTest("gpu: 1000 uploads, ops and reads in turn see no stale data", async (gpu) => {
  using two = tensor(gpu, [], [2]);
  for (let i = 0; i < 200; i++) {
    const n = 1 + i * 25 % 5000;
    using x = tensor(gpu, [n], Float32Array.from({ length: n }, (_, j) => i + j));
    using y = mul(x, two);
    const got = i % 2 ? y.readSync() : await y.read();
    for (let j = 0; j < n; j++) assert.equal(got[j], 2 * (i + j));
  }
});

gpuTest("gpu: sums with broadcasting and views", (gpu) => {
  assertAsOnCpu(gpu, "add", (d) => {
    const a = randomTensor([5, 37], "f32", 1, d as never), b = randomTensor([37], "f32", 2, d as never);
    return { plain: add(a, b), turned: add(transpose(a), transpose(a)), product: mul(a, a) };
  }, 0);
});
void [assertAsOnCpu, matmul, softmax, softmaxBackward, numbers];

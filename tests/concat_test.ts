import { test } from "node:test";
import assert from "node:assert/strict";
import { concat, cpu, split, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { assertGradients, randomTensor } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("concat() joins along an axis, and split() takes apart again", () => {
  using x = randomTensor([3, 5, 4], "f32");
  for (const [axis, sizes] of [[0, [1, 2]], [1, [2, 0, 3]], [-1, [3, 1]]] as [number, number[]][]) {
    const parts = split(x, sizes, axis) as Any[];
    using y = concat(parts as unknown as [Any], axis);
    assert.deepEqual(y.shape, x.shape);
    assert.deepEqual(y.readSync(), x.readSync());
    for (const p of parts) p.dispose();
  }
});

test("concat() reads strided views, and one tensor more than once", () => {
  using x = tensor(cpu, [2, 2], [1, 2, 3, 4]) as unknown as Any;
  using turned = transpose(x) as Any;
  using y = concat([turned, x, turned], 0);
  assert.deepEqual([...y.readSync()], [1, 3, 2, 4, 1, 2, 3, 4, 1, 3, 2, 4]);
  using ids = tensor(cpu, [1], new Uint32Array([7]));
  using two = concat([ids, ids] as never, 0) as Tensor<"u32", number[]>;
  assert.deepEqual([...two.readSync()], [7, 7]);
});

test("concat() gives each tensor its part of the gradient", () => {
  assertGradients("concat", (a, b, c) => concat([a!, b!, c!], 1), { shapes: [[2, 3], [2, 1], [2, 2]] });
  assertGradients("concat of rows", (a, b) => concat([a!, b!], 0), { shapes: [[1, 3], [2, 3]] });
  assertGradients("concat of one tensor twice", (a) => concat([a!, a!], -1), { shapes: [[2, 3]] });
});

test("concat() says what does not fit", () => {
  using a = zeros(cpu, [2, 3]) as unknown as Any, b = zeros(cpu, [3, 3]) as unknown as Any, v = zeros(cpu, [3]) as unknown as Any;
  assert.throws(() => concat([a, b], 1), {
    name: "RangeError",
    message: "concat: tensors[1] is [3, 3], tensors[0] is [2, 3]: sizes differ beside axis 1",
  });
  assert.throws(() => concat([a, v], 0), { name: "RangeError" });
  assert.throws(() => concat([a, b], 2), { name: "RangeError", message: "concat: axis 2 is out of range for rank 2" });
  assert.throws(() => concat([] as never, 0), { name: "TypeError", message: "concat: tensors must hold one tensor or more" });
  assert.throws(() => concat(a as never, 0), {
    name: "TypeError",
    message: "concat: tensors must be an array of tensors, got an object (Tensor)",
  });
  using d = zeros(cpu, [2, 3], "f64");
  assert.throws(() => concat([a, d as never], 0), { name: "TypeError", message: "concat: tensors[1] is f64, tensors[0] is f32" });
});

gpuTest("concat() on a GPU joins along any axis, and gives each tensor its part of the gradient", (gpu) => {
  for (const axis of [0, 1, 2]) {
    const shape = (size: number) => [3, 17, 33].map((n, i) => i === axis ? size : n);
    assertAsOnCpu(gpu, `axis ${axis}`, (device) => {
      const parts = [
        randomTensor(shape(5), "f32", 1, device),
        randomTensor(shape(0), "f32", 2, device),
        randomTensor(shape(20), "f32", 3, device),
      ] as const;
      const joined = concat(parts as never, axis) as Tensor;
      return { joined, ...gradientsOf(device, (a, b, c) => concat([a!, b!, c!] as never, axis) as Tensor, parts) };
    }, 0);
  }
});

import { test } from "node:test";
import assert from "node:assert/strict";
import {
  attention,
  cpu,
  type Device,
  full,
  matmul,
  memory,
  mul,
  ones,
  scope,
  softmax,
  type Tensor,
  tensor,
  transpose,
  zeros,
} from "../mod.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, at, indices, randomTensor } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("transpose() exchanges the last two axes, or orders all of them", () => {
  using x = randomTensor([2, 3, 4], "f32");
  const data = x.readSync();
  using last = transpose(x) as Any;
  assert.deepEqual(last.shape, [2, 4, 3]);
  for (const axes of [[0, 2, 1], [2, 1, 0], [1, 2, 0], [-1, 0, 1]]) {
    using y = transpose(x, axes as never) as Any;
    const order = axes.map((axis) => (axis + 3) % 3);
    assert.deepEqual(y.shape, order.map((axis) => x.shape[axis]));
    const expected = [...indices(y.shape)].map((index) => data[at(x.shape, [0, 1, 2].map((axis) => index[order.indexOf(axis)]!))]!);
    assertSameBits(y.readSync(), expected, `axes ${axes}`);
    if (axes[0] === 0) assertSameBits(last.readSync(), expected);
  }
});

test("transpose() shares memory and copies nothing", () => {
  using x = zeros(cpu, [300, 200]);
  const before = memory().bytes;
  using y = transpose(x);
  assert.equal(memory().bytes, before);
  y.write(new Float32Array(60_000).fill(1));
  assert.ok(x.readSync().every((v) => v === 1));
});

test("transpose() outlives the tensor it is a view of", () => {
  const x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  using y = transpose(x);
  x.dispose();
  assert.deepEqual([...y.readSync()], [1, 3, 2, 4]);
});

test("transpose() transposes the gradient back", () => {
  assertGradients("transpose", (x) => transpose(x! as never), { shapes: [[3, 4]] });
  assertGradients("transpose of three axes", (x) => transpose(x!, [2, 0, 1] as never), { shapes: [[2, 3, 4]] });
  assertGradients("transpose within a product", (x, y) => mul(transpose(x! as never), y! as never), { shapes: [[3, 4], [4, 3]] });
});

test("transpose() says what does not fit", () => {
  using x = zeros(cpu, [2, 3]) as unknown as Any, v = zeros(cpu, [2]) as unknown as Any;
  assert.throws(() => transpose(v), { name: "RangeError", message: "transpose: [2] has 1 axes, needs two or more" });
  assert.throws(() => transpose(x, [0] as never), { name: "RangeError", message: "transpose: [2, 3] has 2 axes, not 1" });
  assert.throws(() => transpose(x, [0, 2] as never), { name: "RangeError", message: "transpose: axis 2 is out of range for rank 2" });
  assert.throws(() => transpose(x, [0, 0] as never), { name: "RangeError" });
  assert.throws(() => transpose(x, [0, 0.5] as never), { name: "RangeError" });
});

/** Empty views are taken whatever their strides; where a view to write to is not, the error names it. */
function assertTakesViews(d: Device): void {
  scope(() => {
    // The last axis of these is not the dense one.
    const none = transpose(zeros(d, [0, 2, 8, 3]), [0, 1, 3, 2]);
    assert.deepEqual(attention(none, none, none).shape, [0, 2, 3, 8]);
    const mask = transpose(zeros(d, [0, 5, 4]), [0, 2, 1]);
    assert.deepEqual(softmax(zeros(d, [0, 4, 5]), { mask }).shape, [0, 4, 5]);
    const turned = transpose(full(d, [3, 2], 7));
    for (const f of [() => softmax(zeros(d, [2, 3]), { out: turned }), () => matmul(ones(d, [2, 4]), ones(d, [4, 3]), { out: turned })]) {
      assert.throws(f, { name: "TypeError", message: /^(softmax|matmul): out is a view whose strides are not supported here/ });
    }
    assert.deepEqual([...turned.readSync()], [7, 7, 7, 7, 7, 7]);
  });
}

test("empty views are taken whatever their strides, and a view to write to that is not taken is named", () => assertTakesViews(cpu));
gpuTest("on a GPU too empty views are taken, and a view to write to that is not taken is named", assertTakesViews);

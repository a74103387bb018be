import { test } from "node:test";
import assert from "node:assert/strict";
import { copy, cpu, slice, tensor, transpose, zeros } from "../mod.ts";
import { assertGradients, assertSameBits, at, devices, indices, randomTensor } from "./harness.ts";

test("copy() makes any view contiguous, row-major", () => {
  using x = randomTensor([3, 40, 50], "f32");
  const data = x.readSync();
  for (const axes of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
    using turned = transpose(x, axes as never);
    using y = copy(turned);
    assert.ok(y.isContiguous);
    const expected = [...indices(y.shape)].map((index) =>
      data[at(x.shape, axes.reduce((out: number[], axis, i) => (out[axis] = index[i]!, out), []))]!
    );
    assertSameBits(y.readSync(), expected, `axes ${axes}`);
  }
});

test("copy() into a view writes that part alone", () => {
  using whole = zeros(cpu, [3, 4]);
  using part = slice(whole, 1, 1, 3);
  using x = tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]);
  assert.equal(copy(x, { out: part }), part);
  assert.deepEqual([...whole.readSync()], [0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0]);
});

test("copy() keeps every bit, integers too", () => {
  using x = tensor(cpu, [4], new Float32Array(new Uint32Array([0x80000000, 1, 0x7f800000, 0x7f7fffff]).buffer));
  using y = copy(x);
  assert.deepEqual(new Uint32Array(y.readSync().buffer), new Uint32Array([0x80000000, 1, 0x7f800000, 0x7f7fffff]));
  using i = tensor(cpu, [2], new Int32Array([-2147483648, 7]));
  using j = copy(i);
  assert.deepEqual([...j.readSync()], [-2147483648, 7]);
});

test("copy() is the same for any number of workers", () => {
  for (const device of devices()) {
    using x = randomTensor([101, 203], "f64", 1, device);
    using turned = transpose(x);
    using y = copy(turned);
    assert.deepEqual(y.readSync(), turned.readSync());
  }
});

test("copy() passes the gradient on", () => assertGradients("copy", (x) => copy(transpose(x! as never)), { shapes: [[3, 4]] }));

test("copy() of overlapping views is an error", () => {
  using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  using turned = transpose(x);
  assert.throws(() => copy(turned, { out: x }), { name: "TypeError", message: "copy: out shares memory with an input or another output" });
  assert.deepEqual([...x.readSync()], [1, 2, 3, 4]);
  assert.throws(() => copy(null as never), { name: "TypeError", message: "copy: x must be a tensor, got null" });
});

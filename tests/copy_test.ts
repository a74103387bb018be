import { test } from "node:test";
import assert from "node:assert/strict";
import { copy, cpu, full, scope, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, at, count, devices, indices, numbers, randomTensor } from "./harness.ts";

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

gpuTest("copy() on a GPU keeps every bit, whatever the layout", (gpu) => {
  // NaNs with a payload, subnormal numbers, zeros of both signs among random bits.
  const bits = (count: number) => {
    const out = Uint32Array.from(numbers(count, 7), (v) => v * 2 ** 32);
    [0x7fc12345, 0xff812345, 1, 0x80000001, 0x80000000, 0x7f800000].forEach((word, i) => i < count && (out[i * 7 % count] = word));
    return out;
  };
  const check = (what: string, shape: number[], view: (x: Tensor) => Tensor) => {
    for (const dtype of ["f32", "f64", "i32", "u32"] as const) {
      const words = bits(count(shape) * (dtype === "f64" ? 2 : 1));
      const data = dtype === "f32"
        ? new Float32Array(words.buffer)
        : dtype === "f64"
        ? new Float64Array(words.buffer)
        : dtype === "i32"
        ? new Int32Array(words.buffer)
        : words;
      scope(() => {
        const [want, got] = [cpu, gpu].map((device) => copy(view(tensor(device, shape, data as Float32Array) as Tensor)).readSync());
        assert.deepEqual(new Uint8Array(got!.buffer), new Uint8Array(want!.buffer), `${what} ${dtype} ${shape}`);
        // Reading a view copies too.
        const seen = view(tensor(gpu, shape, data as Float32Array) as Tensor).readSync();
        assert.deepEqual(new Uint8Array(seen.buffer), new Uint8Array(want!.buffer), `read of ${what} ${dtype} ${shape}`);
      });
    }
  };
  for (const n of [0, 1, 15, 16, 17, 33, 64, 65, 127, 129, 255, 256, 257, 1000]) check("whole", [n], (x) => x);
  for (const n of [1, 15, 16, 17, 31, 32, 33, 65]) for (const m of [15, 16, 33, 70]) check("turned", [n, m], (x) => transpose(x));
  check("part", [9, 40], (x) => slice(x as never, 1, 3, 36));
  check("part turned", [40, 50], (x) => transpose(slice(x as never, 1, 7, 42)));
  for (const axes of [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
    check(`axes ${axes}`, [3, 20, 40], (x) => transpose(x, axes as never));
  }
  // More axes than a shader walks, in an order that lets none of them merge.
  check("eight axes", [2, 3, 2, 3, 2, 3, 2, 3], (x) => transpose(x, [7, 6, 5, 4, 3, 2, 1, 0] as never));
  check("eight axes, squares", [2, 17, 2, 2, 2, 2, 2, 20], (x) => transpose(x, [4, 7, 2, 3, 0, 5, 6, 1] as never));
  check("more rows than a grid has groups", [66000, 2], (x) => transpose(x));
});

gpuTest("copy() on a GPU into a view writes that part alone, and so does write()", (gpu) => {
  for (const [rows, cols, from, to] of [[3, 4, 1, 3], [40, 70, 5, 69], [70, 33, 0, 32]] as const) {
    assertAsOnCpu(gpu, "into a part", (device) => {
      const whole = full(device, [rows, cols], -7), turned = full(device, [cols, rows], -7), written = full(device, [rows, cols], -7);
      const x = randomTensor([rows, to - from], "f32", 3, device);
      copy(x, { out: slice(whole as never, 1, from, to) });
      copy(x, { out: transpose(slice(turned as never, 0, from, to)) as never });
      (slice(written as never, 1, from, to) as Tensor<"f32">).write(numbers(rows * (to - from), 4));
      return { whole, turned, written };
    }, 0);
  }
  using x = tensor(gpu, [2, 2], [1, 2, 3, 4]);
  assert.throws(() => copy(transpose(x), { out: x }), TypeError);
  assert.deepEqual([...x.readSync()], [1, 2, 3, 4]);
});

gpuTest("copy() on a GPU passes the gradient on", (gpu) => {
  assertAsOnCpu(gpu, "gradient", (device) => gradientsOf(device, (x) => copy(transpose(x!)), [randomTensor([5, 20], "f32", 1, device)]), 0);
});

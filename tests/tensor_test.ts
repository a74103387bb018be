import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  add,
  cpu,
  cpuDevice,
  type DType,
  empty,
  explain,
  full,
  isTensor,
  matmul,
  memory,
  mul,
  ones,
  OutOfMemoryError,
  reshape,
  scope,
  slice,
  sum,
  Tensor,
  tensor,
  transpose,
  trim,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { view } from "../core/tensor.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertEndedWell, child, childJson, runtime } from "./child.ts";

const arrays = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u32: Uint32Array };
const dtypes = Object.keys(arrays) as DType[];

/** Calls with arguments that the compiler would refuse. */
const anyTensor = tensor as unknown as (...args: unknown[]) => Tensor;

// ── Creation ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("tensor() takes its element type from a typed array, f32 from a plain one, else from dtype", () => {
  for (const dtype of dtypes) {
    using x = tensor(cpu, [3], new arrays[dtype]([1, 2, 3]) as Float32Array);
    assert.equal(x.dtype, dtype);
    assert.ok(x.readSync() instanceof arrays[dtype]);
    assert.deepEqual([...x.readSync()], [1, 2, 3]);
    using y = tensor(cpu, [3], [1, 2, 3], { dtype });
    assert.equal(y.dtype, dtype);
    assert.deepEqual([...y.readSync()], [1, 2, 3]);
    using z = anyTensor(cpu, [0], new arrays[dtype](0), { dtype });
    assert.equal(z.dtype, dtype);
  }
  using plain = tensor(cpu, [2], [0.5, -1]);
  assert.equal(plain.dtype, "f32");
  using same = tensor(cpu, [2], [1, 2], {});
  assert.equal(same.dtype, "f32");
});

test("tensor() knows its shape, strides, rank, size and device", () => {
  const cases: [number[], number[]][] = [[[], []], [[5], [1]], [[2, 3], [3, 1]], [[2, 3, 4], [12, 4, 1]], [[1, 1, 1, 1, 1, 1, 1, 2], [
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    1,
  ]]];
  for (const [shape, strides] of cases) {
    const size = shape.reduce((a, b) => a * b, 1);
    using x = anyTensor(cpu, shape, Array.from({ length: size }, (_, i) => i));
    assert.deepEqual(x.shape, shape);
    assert.notEqual(x.shape, shape, "the caller's array is not kept");
    assert.deepEqual(x.strides, strides);
    assert.deepEqual([x.rank, x.size, x.isContiguous, x.disposed, x.device], [shape.length, size, true, false, cpu]);
    assert.deepEqual([...x.readSync()], Array.from({ length: size }, (_, i) => i));
  }
  assert.throws(() => anyTensor(cpu, [1, 1, 1, 1, 1, 1, 1, 1, 1], [1]), {
    name: "RangeError",
    message: /tensor: .* has 9 axes, at most 8/,
  });
});

test("tensor() of nothing holds nothing", async () => {
  for (const shape of [[0], [3, 0], [0, 3], [2, 0, 5], [0, 2 ** 40]]) {
    using x = anyTensor(cpu, shape, []);
    assert.deepEqual([x.shape, x.size, x.readSync().length, (await x.read()).length], [shape, 0, 0, 0]);
    x.write([]);
    assert.throws(() => x.itemSync(), { name: "RangeError", message: /item: x is \[.*\], must have one element/ });
  }
});

test("empty(), zeros(), ones() and full() make what they say", () => {
  for (const dtype of dtypes) {
    using e = empty(cpu, [2, 3], dtype);
    assert.deepEqual([e.dtype, e.shape, e.readSync().length], [dtype, [2, 3], 6]);
    using z = zeros(cpu, [17], dtype);
    assert.ok(z.readSync().every((v) => v === 0));
    using o = ones(cpu, [17], dtype);
    assert.ok(o.readSync().every((v) => v === 1));
    using f = full(cpu, [17], 7, dtype);
    assert.ok(f.readSync().every((v) => v === 7));
  }
});

test("tensor() copies its data: neither sees what happens to the other", () => {
  const data = new Float32Array([1, 2, 3]);
  using x = tensor(cpu, [3], data);
  data.fill(9);
  const read = x.readSync();
  assert.deepEqual([...read], [1, 2, 3]);
  read.fill(8);
  assert.deepEqual([...x.readSync()], [1, 2, 3]);
});

test("special values keep their bits through write and read", () => {
  const words = new Uint32Array([0x7fc00001, 0xffc12345, 0x7f800001, 0x80000000, 1, 0x807fffff, 0x7f800000, 0xff800000, 0x7f7fffff]);
  using x = tensor(cpu, [words.length], new Float32Array(words.buffer));
  assert.deepEqual(new Uint32Array(x.readSync().buffer), words);
  using d = tensor(cpu, [4], [-0, 5e-324, NaN, -Infinity], { dtype: "f64" });
  assert.deepEqual([...d.readSync()], [-0, 5e-324, NaN, -Infinity]);
  using u = tensor(cpu, [2], [0, 2 ** 32 - 1], { dtype: "u32" });
  assert.deepEqual([...u.readSync()], [0, 4294967295]);
  using i = tensor(cpu, [2], [-(2 ** 31), 2 ** 31 - 1], { dtype: "i32" });
  assert.deepEqual([...i.readSync()], [-2147483648, 2147483647]);
});

test("isTensor() knows tensors from everything else", () => {
  using x = zeros(cpu, [1]);
  assert.equal(isTensor(x), true);
  for (const other of [null, undefined, 1, "x", {}, [], new Float32Array(1), Tensor]) assert.equal(isTensor(other), false);
});

// ── Reading and writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("read() and item() have synchronous twins, and reject where those throw", async () => {
  using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  assert.deepEqual(await x.read(), x.readSync());
  await assert.rejects(x.item(), { name: "RangeError", message: "item: x is [2, 2], must have one element" });
  for (const shape of [[], [1], [1, 1, 1]]) {
    using one = anyTensor(cpu, shape, [2.5]);
    assert.equal(one.itemSync(), 2.5);
    assert.equal(await one.item(), 2.5);
  }
});

test("write() replaces all elements, or none where it throws", () => {
  using x = tensor(cpu, [3], [1, 2, 3]);
  x.write([4, 5, 6]);
  assert.deepEqual([...x.readSync()], [4, 5, 6]);
  x.write(new Float32Array([7, 8, 9]));
  const write = x.write.bind(x) as (data: unknown) => void;
  const wrong: [unknown, string, RegExp][] = [
    [[1, 2], "RangeError", /^write: data holds 2 elements, \[3\] needs 3$/],
    [new Float32Array(4), "RangeError", /^write: data holds 4 elements, \[3\] needs 3$/],
    [new Float64Array(3), "TypeError", /^write: data is f64, dtype is f32: convert it with Float32Array\.from\(data\)$/],
    [new Uint8Array(12), "TypeError", /^write: data must be .*, got an object \(Uint8Array\)$/],
    [[1, 2, "3"], "TypeError", /^write: data\[2\] must be a number, got the string "3"$/],
    [undefined, "TypeError", /^write: data must be/],
    [7, "TypeError", /^write: data must be .*, got 7$/],
  ];
  for (const [data, name, message] of wrong) assert.throws(() => write(data), { name, message });
  assert.deepEqual([...x.readSync()], [7, 8, 9]);
});

test("views share memory with what they are views of, both ways", () => {
  using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
  using turned = transpose(x);
  using column = slice(x, 1, 1, 2);
  using flat = reshape(x, [6]);
  using back = view(x, [3], [-1], 5); // from the last element to the fourth
  assert.deepEqual([...turned.readSync()], [1, 4, 2, 5, 3, 6]);
  assert.deepEqual([...column.readSync()], [2, 5]);
  assert.deepEqual([...back.readSync()], [6, 5, 4]);
  assert.equal(turned.isContiguous, false);
  turned.write([10, 40, 20, 50, 30, 60]);
  assert.deepEqual([...x.readSync()], [10, 20, 30, 40, 50, 60]);
  column.write([0, -1]);
  assert.deepEqual([...x.readSync()], [10, 0, 30, 40, -1, 60]);
  assert.deepEqual([...flat.readSync()], [10, 0, 30, 40, -1, 60]);
  x.write([1, 1, 1, 2, 2, 2]);
  assert.deepEqual([...turned.readSync()], [1, 2, 1, 2, 1, 2]);
});

test("a view outlives what it is a view of", () => {
  const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
  const column = slice(x, 1, 2, 3);
  const element = slice(column, 0, 1, 2);
  x.dispose();
  for (let i = 0; i < 50; i++) full(cpu, [2, 3], 9).dispose(); // these would reuse the memory if it were free
  assert.deepEqual([...column.readSync()], [3, 6]);
  column.dispose();
  assert.equal(element.itemSync(), 6);
  element.dispose();
  assert.throws(() => element.itemSync(), { name: "TypeError", message: "item: x was disposed" });
});

test("a view that would leave the storage is refused, whatever its numbers are", () => {
  using x = zeros(cpu, [4, 6]);
  using empties = view(x, [0, 3], [100, 1], 24);
  assert.equal(empties.size, 0);
  const wrong: [number[], number[], number][] = [
    [[25], [1], 0],
    [[24], [1], 1],
    [[2], [-1], 0],
    [[1], [1], 24],
    [[2], [24], 0],
    [[1], [1], -1],
    [[1], [1], 1.5],
    [[1], [1], NaN],
    [[1], [1], Infinity],
    [[1.5], [1], 0],
    [[-1], [1], 0],
    [[NaN], [1], 0],
    [[2 ** 53], [1], 0],
    [[2], [0.5], 0],
    [[2], [NaN], 0],
    [[2], [2 ** 53], 0],
    [[2 ** 52, 2 ** 52], [2 ** 52, 1], 0],
    [[3, 2 ** 40], [2 ** 40, 0], 0],
    [[1], [1], 2 ** 60],
  ];
  for (const [shape, strides, offset] of wrong) {
    assert.throws(() => view(x, shape, strides, offset), { name: "RangeError" }, `${shape} by ${strides} from ${offset}`);
  }
  assert.throws(() => view(x, new Array(9).fill(1), new Array(9).fill(1), 0), { name: "RangeError" });
});

// ── Buffers that come in ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("typed arrays with an offset are read from their first element (C04)", () => {
  for (const dtype of dtypes) {
    const bytes = dtype === "f64" ? 8 : 4;
    for (const offset of [1, 3, 5]) {
      for (const n of [1, 2, 15, 16, 17, 33]) {
        const buffer = new ArrayBuffer((offset + n + 2) * bytes);
        const all = new arrays[dtype](buffer).map((_, i) => i + 1);
        const part = new arrays[dtype](buffer, offset * bytes, n).map((v) => v);
        new arrays[dtype](buffer).set(all);
        for (const data of [new arrays[dtype](buffer, offset * bytes, n), new arrays[dtype](buffer).subarray(offset, offset + n)]) {
          using x = anyTensor(cpu, [n], data);
          assert.deepEqual([...x.readSync()], Array.from({ length: part.length }, (_, i) => offset + i + 1), `${dtype} from ${offset}`);
        }
      }
    }
  }
});

test("the length of a typed array is what it holds, whatever a subclass or the array itself says", async () => {
  const liar = (Base: string) =>
    `(() => {
    class Liar extends ${Base} {
      get length() { return 2 ** 28; }
      get byteLength() { return 2 ** 30; }
      get buffer() { return new ArrayBuffer(0); }
      get [Symbol.toStringTag]() { return "Float64Array"; }
    }
    return new Liar(1);
  })()`;
  const messages = await childJson(`
    import { cpu, tensor, zeros } from "tilework";
    const of = (call) => { try { return call(); } catch (e) { return e.name + ": " + e.message; } };
    const own = Object.defineProperty(new Float32Array(1), "length", { value: 2 ** 28 });
    Object.defineProperty(own, "byteLength", { value: 2 ** 30 });
    console.log(JSON.stringify([
      of(() => tensor(cpu, [2 ** 28], ${liar("Float32Array")})),
      of(() => tensor(cpu, [2 ** 28], own)),
      of(() => zeros(cpu, [2 ** 20]).write(${liar("Float32Array")})),
      of(() => String(tensor(cpu, [1], ${liar("Float32Array")}))),
      of(() => String(tensor(cpu, [1], ${liar("Uint32Array")}))),
    ]));`);
  assert.deepEqual(messages, [
    "RangeError: tensor: data holds 1 elements, [268435456] needs 268435456",
    "RangeError: tensor: data holds 1 elements, [268435456] needs 268435456",
    "RangeError: write: data holds 1 elements, [1048576] needs 1048576",
    "Tensor f32 [1] on cpu [0]",
    "Tensor u32 [1] on cpu [0]",
  ]);
});

test("data over shared, resizable and subclassed arrays is fine (C30)", () => {
  const shared = new Float32Array(new SharedArrayBuffer(20), 4, 3);
  shared.set([1, 2, 3]);
  using x = tensor(cpu, [3], shared as Float32Array);
  assert.deepEqual([...x.readSync()], [1, 2, 3]);
  x.write(new Float32Array(new SharedArrayBuffer(12)) as Float32Array);
  assert.deepEqual([...x.readSync()], [0, 0, 0]);

  const resizable = new ArrayBuffer(12, { maxByteLength: 64 });
  const tracking = new Float32Array(resizable);
  tracking.set([4, 5, 6]);
  using y = tensor(cpu, [3], tracking);
  assert.deepEqual([...y.readSync()], [4, 5, 6]);
  resizable.resize(8);
  assert.throws(() => y.write(tracking), { name: "RangeError", message: "write: data holds 2 elements, [3] needs 3" });
  const fixed = new Float32Array(resizable, 0, 2);
  resizable.resize(4); // now out of bounds: its length is 0
  assert.throws(() => y.write(fixed), { name: "RangeError", message: "write: data holds 0 elements, [3] needs 3" });

  class Named extends Float32Array {}
  using z = tensor(cpu, [2], new Named([7, 8]));
  assert.deepEqual([...z.readSync()], [7, 8]);
});

test("data that is no data is a TypeError that names it (C30)", () => {
  const detached = new Float32Array([1, 2, 3]);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const sparse: number[] = [1];
  sparse[2] = 3;
  const wrong: [unknown, string, RegExp][] = [
    [detached, "TypeError", /^tensor: data was transferred away and is detached$/],
    [[1, 2, "3"], "TypeError", /^tensor: data\[2\] must be a number, got the string "3"$/],
    [[1, 2, null], "TypeError", /^tensor: data\[2\] must be a number, got null$/],
    [[1, 2, undefined], "TypeError", /^tensor: data\[2\] must be a number, got undefined$/],
    [[1, 2, 3n], "TypeError", /^tensor: data\[2\] must be a number, got the bigint 3$/],
    [[1, 2, true], "TypeError", /^tensor: data\[2\] must be a number, got true$/],
    [
      [1, [2], 3],
      "TypeError",
      /^tensor: data\[1\] must be a number, got an array: pass the numbers row-major in one array, nested ones by data\.flat\(Infinity\)$/,
    ],
    [sparse, "TypeError", /^tensor: data\[1\] must be a number, got undefined$/],
    [[1, 2], "RangeError", /^tensor: data holds 2 elements, \[3\] needs 3$/],
    [[1, 2, 3, 4], "RangeError", /^tensor: data holds 4 elements, \[3\] needs 3$/],
    [new Float32Array(2), "RangeError", /^tensor: data holds 2 elements, \[3\] needs 3$/],
    [new DataView(new ArrayBuffer(12)), "TypeError", /^tensor: data must be .*, got an object \(DataView\)$/],
    [new ArrayBuffer(12), "TypeError", /^tensor: data must be .*, got an object \(ArrayBuffer\)$/],
    [new SharedArrayBuffer(12), "TypeError", /^tensor: data must be .*, got an object \(SharedArrayBuffer\)$/],
    [new Uint8Array(12), "TypeError", /^tensor: data must be .*, got an object \(Uint8Array\)$/],
    [new BigInt64Array(3), "TypeError", /^tensor: data must be .*, got an object \(BigInt64Array\)$/],
    [undefined, "TypeError", /^tensor: data must be .*, got undefined$/],
    [null, "TypeError", /^tensor: data must be .*, got null$/],
    [3, "TypeError", /^tensor: data must be .*, got 3$/],
    ["123", "TypeError", /^tensor: data must be .*, got the string "123"$/],
    [{ length: 3, 0: 1, 1: 2, 2: 3 }, "TypeError", /^tensor: data must be .*, got an object \(Object\)$/],
    [new Set([1, 2, 3]), "TypeError", /^tensor: data must be .*, got an object \(Set\)$/],
  ];
  const before = memory().outsideScopes;
  for (const [data, name, message] of wrong) assert.throws(() => anyTensor(cpu, [3], data), { name, message });
  assert.throws(() => anyTensor(cpu, [3], new Float64Array(3), { dtype: "f32" }), {
    name: "TypeError",
    message: "tensor: data is f64, dtype is f32: convert it with Float32Array.from(data)",
  });
  assert.equal(memory().outsideScopes, before, "nothing was made");
});

test("integers must be whole and in range", () => {
  const bad: [DType, unknown, RegExp][] = [
    ["u32", -1, /^tensor: data\[0\] must be a whole number from 0 to 4294967295 for u32, got -1$/],
    ["u32", 2 ** 32, /for u32, got 4294967296$/],
    ["u32", 0.5, /for u32, got 0.5$/],
    ["u32", NaN, /for u32, got NaN$/],
    ["i32", 2 ** 31, /^tensor: data\[0\] must be a whole number from -2147483648 to 2147483647 for i32, got 2147483648$/],
    ["i32", -(2 ** 31) - 1, /for i32, got -2147483649$/],
    ["i32", Infinity, /for i32, got Infinity$/],
  ];
  for (const [dtype, value, message] of bad) assert.throws(() => anyTensor(cpu, [1], [value], { dtype }), { name: "RangeError", message });
});

test("a dtype or device that is none is a TypeError that names it", () => {
  for (const dtype of ["f16", "float32", "", "__proto__", "toString", 0, {}, null]) {
    if (dtype !== null) {
      assert.throws(() => anyTensor(cpu, [1], [1], { dtype }), {
        name: "TypeError",
        message: /^tensor: dtype must be f32, f64, i32 or u32, got /,
      });
    }
    for (const make of [empty, zeros, ones] as unknown as ((...args: unknown[]) => Tensor)[]) {
      assert.throws(() => make(cpu, [1], dtype), {
        name: "TypeError",
        message: /^(empty|zeros|ones): dtype must be f32, f64, i32 or u32, got /,
      });
    }
  }
  for (const device of [undefined, null, "cpu", 1, {}, [], { handle: "1" }, { handle: 1, name: "cpu", isGpu: false }, zeros(cpu, [1])]) {
    assert.throws(() => anyTensor(device, [1], [1]), { name: "TypeError", message: /^tensor: device must be a device such as cpu, got / });
    for (const make of [empty, zeros, ones] as unknown as ((...args: unknown[]) => Tensor)[]) {
      assert.throws(() => make(device, [1]), {
        name: "TypeError",
        message: /^(empty|zeros|ones): device must be a device such as cpu, got /,
      });
    }
  }
});

test("sizes that are none name their place (C32)", () => {
  const makers: [string, (shape: unknown) => Tensor][] = [
    ["tensor", (shape) => anyTensor(cpu, shape, [])],
    ["empty", (shape) => empty(cpu, shape as number[])],
    ["zeros", (shape) => zeros(cpu, shape as number[])],
    ["ones", (shape) => ones(cpu, shape as number[])],
    ["full", (shape) => full(cpu, shape as number[], 1)],
  ];
  for (const [name, make] of makers) {
    // Often enough that the runtimes have compiled the call: one of them coerces numbers from then on.
    for (let round = 0; round < 100; round++) {
      for (const bad of [-1, 1.5, NaN, Infinity, -Infinity, 2 ** 53]) {
        assert.throws(
          () => make([2, bad]),
          (e: Error) => e instanceof RangeError && e.message.startsWith(`${name}: shape[1] must be a whole number`),
          `${bad}`,
        );
      }
      for (const bad of ["7", undefined, null, 2n ** 64n, 7n, true, {}, [7]]) {
        assert.throws(
          () => make([2, bad]),
          (e: Error) => e instanceof TypeError && e.message.startsWith(`${name}: shape[1] must be a whole number`),
          `${typeof bad}`,
        );
      }
    }
    // deno-lint-ignore no-sparse-arrays -- a hole in a list of sizes is what is tested
    assert.throws(() => make([2, , 3]), { name: "TypeError", message: new RegExp(`^${name}: shape\\[1\\] must be .* got undefined$`) });
    for (const bad of [undefined, null, 3, "23", { length: 1, 0: 2 }, new Uint32Array([2])]) {
      assert.throws(() => make(bad), { name: "TypeError", message: new RegExp(`^${name}: shape must be an array of sizes, got `) });
    }
    for (const huge of [[2 ** 52, 2 ** 52], [2 ** 32, 2 ** 32], [3, 2 ** 52]]) {
      assert.throws(() => make(huge), { name: "RangeError", message: /holds more than 2\^53 - 1 elements/ });
    }
  }
  using fine = empty(cpu, [-0, 3]);
  assert.ok(Object.is(fine.shape[0], 0));
});

// ── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("3 000 000 000 elements arrive as such: a tensor or an OutOfMemoryError (C32)", () => {
  try {
    using x = empty(cpu, [3_000_000_000]); // its pages are never touched
    assert.equal(x.size, 3_000_000_000);
    using last = view(x, [1], [1], 2_999_999_999);
    last.write([5]);
    assert.equal(last.itemSync(), 5);
  } catch (error) {
    assert.ok(error instanceof OutOfMemoryError, String(error));
  }
  trim();
});

test("more memory than there is gives an OutOfMemoryError that counts tensors, and everything goes on", () => {
  using kept = ones(cpu, [64, 64]);
  for (const shape of [[2 ** 50], [2 ** 25, 2 ** 25], [2 ** 52]]) {
    for (const make of [empty, zeros, ones]) {
      assert.throws(() => make(cpu, shape), (error: Error) => {
        assert.ok(error instanceof OutOfMemoryError);
        assert.match(
          error.message,
          /^(empty|zeros|ones): no memory for f32 \[[\d, ]+\]; \d+ tensors hold [\d.]+ MiB, [1-9]\d* of them outside any scope$/,
        );
        return true;
      });
    }
  }
  {
    using _ = empty(cpu, [2 ** 26]); // nothing is written to it
    assert.throws(() => ones(cpu, [2 ** 50]), {
      message: /outside any scope; free them with scope\(\) or using, and see docs\/memory\.md$/,
    });
  }
  using product = matmul(kept, kept);
  assert.ok(product.readSync().every((v) => v === 64));
});

test("a disposed tensor is a typed error everywhere, and disposing again does nothing", async () => {
  const x = ones(cpu, [2, 2]);
  const before = memory().outsideScopes;
  x.dispose();
  assert.equal(memory().outsideScopes, before - 1);
  x.dispose();
  x[Symbol.dispose]();
  assert.equal(memory().outsideScopes, before - 1);
  assert.equal(x.disposed, true);
  const message = /^(read|write|transpose|slice|reshape): x was disposed$/;
  assert.throws(() => x.readSync(), { name: "TypeError", message });
  await assert.rejects(x.read(), { name: "TypeError", message });
  await assert.rejects(x.item(), { name: "TypeError", message: "item: x was disposed" }); // before that it has not one element
  assert.throws(() => x.itemSync(), { name: "TypeError", message: "item: x was disposed" });
  assert.throws(() => x.write([1, 2, 3, 4]), { name: "TypeError", message });
  assert.throws(() => transpose(x), { name: "TypeError", message });
  using y = ones(cpu, [2, 2]);
  assert.throws(() => matmul(x, y), { name: "TypeError", message: "matmul: a was disposed" });
  assert.throws(() => matmul(y, x as never), { name: "TypeError", message: "matmul: b was disposed" });
  assert.throws(() => add(y, y, { out: x }), { name: "TypeError", message: "add: out was disposed" });
  assert.equal(`${x}`, "Tensor f32 [2, 2] on cpu (disposed)");
});

test("a stale handle stays unknown while thousands of tensors come and go", () => {
  const x = ones(cpu, [1]);
  const handle = x.handle;
  x.dispose();
  x.handle = handle; // as if a bug had kept it
  for (let i = 0; i < 10_000; i++) {
    using _ = empty(cpu, [1]);
    if (i % 100 === 0) {
      assert.throws(() => x.readSync(), { name: "TypeError", message: "read: a tensor was disposed, or belongs to another Worker" });
    }
  }
  x.handle = 0;
});

test("forged handles are typed errors", () => {
  using x = ones(cpu, [1]);
  const handle = x.handle;
  try {
    for (const forged of [1, 2, 0xffffffff, handle ^ (1 << 20), 0x7fffffff, 0xfffff]) {
      x.handle = forged >>> 0;
      assert.throws(() => x.readSync(), { name: "TypeError" }, `${forged}`);
    }
  } finally {
    x.handle = handle;
  }
});

test("memory() counts tensors and bytes, and trim() gives back what was kept", { timeout: 60_000 }, async () => {
  // In a process of its own: other tests leave tensors behind that are freed at any time.
  const seen = await childJson(`
    import { cpu, empty, memory, trim, transpose, zeros } from "tilework";
    const seen = [memory()];
    const x = zeros(cpu, [1024, 1024]);
    seen.push(memory());
    const y = transpose(x);
    seen.push(memory());
    x.dispose();
    seen.push(memory());
    y.dispose();
    seen.push(memory());
    const again = empty(cpu, [1024, 1024]);
    seen.push(memory());
    again.dispose();
    trim();
    seen.push(memory());
    trim();
    console.log(JSON.stringify(seen));`) as Record<string, number>[];
  const MiB4 = 4 << 20;
  assert.deepEqual(seen, [
    { tensors: 0, bytes: 0, peakBytes: 0, keptBytes: 0, outsideScopes: 0, outsideBytes: 0, leaks: null },
    { tensors: 1, bytes: MiB4, peakBytes: MiB4, keptBytes: 0, outsideScopes: 1, outsideBytes: MiB4, leaks: null },
    { tensors: 2, bytes: MiB4, peakBytes: MiB4, keptBytes: 0, outsideScopes: 2, outsideBytes: MiB4, leaks: null },
    { tensors: 1, bytes: MiB4, peakBytes: MiB4, keptBytes: 0, outsideScopes: 1, outsideBytes: 0, leaks: null },
    { tensors: 0, bytes: 0, peakBytes: MiB4, keptBytes: MiB4, outsideScopes: 0, outsideBytes: 0, leaks: null },
    { tensors: 1, bytes: MiB4, peakBytes: MiB4, keptBytes: 0, outsideScopes: 1, outsideBytes: MiB4, leaks: null },
    { tensors: 0, bytes: 0, peakBytes: 0, keptBytes: 0, outsideScopes: 0, outsideBytes: 0, leaks: null },
  ]);
});

test("10 000 times one MiB, made and disposed, leaves resident memory where it was (C36)", { timeout: 60_000 }, async () => {
  const { grown, held } = await childJson(`
    import process from "node:process";
    import { cpu, empty, memory, slice, trim } from "tilework";
    import { native } from "tilework/ffi/library.ts";
    // Every page is touched, as it would be by an op.
    const make = (bytes) => {
      using x = empty(cpu, [bytes / 4096, 1024]);
      using first = slice(x, 1, 0, 1);
      native.tw_fill(cpu.handle, first.handle, 1);
    };
    for (let i = 0; i < 100; i++) make(2 ** 20);
    const start = process.memoryUsage().rss;
    for (let i = 0; i < 10_000; i++) make(2 ** 20);
    const grown = process.memoryUsage().rss - start;
    // Sizes that grow: no kept block fits the next, and what is kept stays below the peak in use.
    let held = 0;
    for (let mib = 1; mib < 64; mib++) {
      make(mib * 2 ** 20);
      const { keptBytes, peakBytes } = memory();
      held = Math.max(held, keptBytes / peakBytes);
    }
    trim();
    console.log(JSON.stringify({ grown: Math.max(grown, process.memoryUsage().rss - start), held }));`) as { grown: number; held: number };
  assert.ok(grown < 64 * 2 ** 20, `${grown} bytes more`);
  assert.ok(held <= 1, `${held} of the peak was kept`);
});

test("tensors that everybody forgot are freed by the collector", { timeout: 60_000 }, async () => {
  const { made, left, outsideScopes, bytes } = await childJson(
    `
    import { cpu, keep, memory, ones, prepack, scope, transpose } from "tilework";
    import { collect } from "tilework/ffi/library.ts";
    const make = (n) => {
      for (let i = 0; i < n; i++) {
        const x = ones(cpu, [100, 100]);
        if (i % 4 === 0) transpose(x);
        if (i % 4 === 1) prepack(x);
        if (i % 4 === 2) scope(() => transpose(scope(() => ones(cpu, [100, 100]))));
        if (i % 4 === 3) scope(() => { keep(ones(cpu, [100, 100])); });
      }
    };
    make(400);
    const made = memory().tensors;
    for (let i = 0; i < 100 && memory().tensors > 50; i++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { tensors: left, outsideScopes, bytes } = memory();
    console.log(JSON.stringify({ made, left, outsideScopes, bytes }));`,
    { flags: ["-A", "--v8-flags=--expose-gc"] },
  ) as Record<string, number>;
  assert.equal(made, 800);
  // A collector that scans the stack may keep some.
  assert.ok(left! <= 50, `${left} of ${made} are left`);
  assert.equal(outsideScopes, left);
  assert.ok(bytes! <= left! * 65536);
});

test("more tensors than there are handles is an OutOfMemoryError, and handles come back", { timeout: 60_000 }, async () => {
  // Through the library itself: a million objects take a collector many seconds.
  const { made, error, product } = await childJson(
    `
    import { cpu, empty, ones, matmul, memory } from "tilework";
    import { native } from "tilework/ffi/library.ts";
    using x = ones(cpu, [4, 4]);
    const sizes = new Float64Array(1), handles = [];
    for (let h = native.tw_tensor_new(0, 1, sizes); h !== 0; h = native.tw_tensor_new(0, 1, sizes)) handles.push(h);
    let error = "";
    try {
      empty(cpu, [0]);
    } catch (e) {
      error = e.name + ": " + e.message;
    }
    for (const h of handles) if (native.tw_tensor_free(h) !== 0) throw new Error("free");
    using y = matmul(x, x);
    console.log(JSON.stringify({ made: handles.length, error, product: y.readSync()[0], left: memory().tensors }));`,
  ) as { made: number; error: string; product: number };
  assert.equal(made, 2 ** 20 - 1);
  assert.match(error, /^OutOfMemoryError: empty: no memory for f32 \[0\]; 1048576 tensors hold [\d.]+ MiB, 1 of them outside any scope$/);
  assert.equal(product, 4);
});

// ── Printing ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a tensor prints its element type, shape, device and edge values", () => {
  const cases: [Tensor, string][] = [
    [tensor(cpu, [], [1.5]) as unknown as Tensor, "Tensor f32 [] on cpu 1.5"],
    [tensor(cpu, [3], [0.1, -0.5, 1e-30]) as unknown as Tensor, "Tensor f32 [3] on cpu [0.1, -0.5, 1e-30]"],
    [tensor(cpu, [3], [NaN, Infinity, -Infinity]) as unknown as Tensor, "Tensor f32 [3] on cpu [NaN, Infinity, -Infinity]"],
    [tensor(cpu, [2], [1 / 3, 2 / 3], { dtype: "f64" }) as unknown as Tensor, "Tensor f64 [2] on cpu [0.3333333, 0.6666667]"],
    [tensor(cpu, [2, 2], new Int32Array([-1, 2, 3, 123456789])) as unknown as Tensor, "Tensor i32 [2, 2] on cpu [[-1, 2], [3, 123456789]]"],
    [tensor(cpu, [0, 3], []) as unknown as Tensor, "Tensor f32 [0, 3] on cpu []"],
    [tensor(cpu, [2, 0], []) as unknown as Tensor, "Tensor f32 [2, 0] on cpu [[], []]"],
    [
      tensor(cpu, [10], new Uint32Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 4294967295])) as unknown as Tensor,
      "Tensor u32 [10] on cpu [0, 1, 2, …, 7, 8, 4294967295]",
    ],
    [zeros(cpuDevice({ threads: 3 }), [1]) as unknown as Tensor, "Tensor f32 [1] on cpu(threads: 3) [0]"],
  ];
  const before = memory().outsideScopes;
  for (const [x, text] of cases) {
    assert.equal(x.toString(), text);
    assert.equal(`${x}`, text);
    assert.equal(inspect(x), text);
    if (runtime === "deno") assert.equal((globalThis as unknown as { Deno: { inspect(x: unknown): string } }).Deno.inspect(x), text);
    if (runtime === "bun") assert.equal((globalThis as unknown as { Bun: { inspect(x: unknown): string } }).Bun.inspect(x), text);
  }
  assert.equal(memory().outsideScopes, before, "printing leaves nothing behind");
  for (const [x] of cases) x.dispose();
});

test("a view prints its own elements", () => {
  using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
  using turned = transpose(x);
  assert.equal(`${turned}`, "Tensor f32 [3, 2] on cpu [[1, 4], [2, 5], [3, 6]]");
  using part = slice(turned, 0, 1, 3);
  assert.equal(`${part}`, "Tensor f32 [2, 2] on cpu [[2, 5], [3, 6]]");
});

test("printing a large tensor reads its edges alone", () => {
  using x = full(cpu, [2000, 2000], 1);
  const start = performance.now();
  const text = inspect({ weights: x });
  assert.ok(performance.now() - start < 2000);
  assert.match(text, /weights: Tensor f32 \[2000, 2000\] on cpu \[\[1, 1, 1, …, 1, 1, 1\], /);
  assert.equal(text.match(/…/g)!.length, 7);
});

test("console.log prints a tensor as a line", { timeout: 60_000 }, async () => {
  const ended = await child(`
    import { cpu, tensor } from "tilework";
    const x = tensor(cpu, [2], [1, 2]);
    console.log(x, { weight: x });`);
  assertEndedWell(ended);
  const text = "Tensor f32 [2] on cpu [1, 2]";
  assert.equal(ended.stdout.replace(/\s+/g, " ").replace(", }", " }").trim(), `${text} { weight: ${text} }`);
});

test("to() copies between CPU devices, views without gaps, and leaves the source alone", () => {
  const other = cpuDevice({ threads: 2 });
  for (const dtype of ["f32", "f64", "i32", "u32"] as const) {
    using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6], { dtype });
    using turned = transpose(x);
    using y = turned.to(other), z = y.to(other);
    assert.deepEqual([y.dtype, y.shape, y.device, y.isContiguous], [dtype, [3, 2], other, true]);
    y.write([0, 0, 0, 0, 0, 0]);
    assert.deepEqual([[...z.readSync()], [...x.readSync()]], [[1, 4, 2, 5, 3, 6], [1, 2, 3, 4, 5, 6]]);
  }
});

test("to() says what does not fit, and refuses to cut a gradient", () => {
  const x = tensor(cpu, [2], [1, 2]);
  assert.throws(() => x.to(undefined as never), { name: "TypeError", message: "to: device must be a device such as cpu, got undefined" });
  const before = memory().tensors;
  assert.throws(() => valueAndGrad((p: { x: typeof x }) => sum(p.x.to(cpu)))({ x }), {
    name: "TypeError",
    message: "to: a gradient flows into x, and does not flow between devices; move x before the loss",
  });
  assert.equal(memory().tensors, before);
  using constant = tensor(cpu, [2], [1, 2]);
  using r = valueAndGrad((p: { x: typeof x }) => sum(mul(p.x, constant.to(cpu))))({ x });
  assert.deepEqual([...r.grads.x.readSync()], [1, 2]);
  x.dispose();
  assert.throws(() => x.to(cpu), { name: "TypeError", message: "to: x was disposed" });
});

test("to() inside explain notes its copy between devices of one kind, and computes nothing", () => {
  using x = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  const steps = explain(() => transpose(x).to(cpuDevice({ threads: 2 })));
  assert.deepEqual(steps.map(({ op, step }) => [op, step]), [["to", "copy"]]);
});

gpuTest("to() moves tensors to a GPU and back with every bit, views and empty ones too", (gpu) => {
  const words = Uint32Array.from({ length: 48 }, (_, i) => (i * 2654435761) >>> 0);
  words[0] = 0x7fc12345;
  for (const data of [new Float32Array(words.buffer), new Float64Array(words.buffer), new Int32Array(words.buffer), words]) {
    using x = tensor(cpu, [data.length / 4, 4], data as Float32Array);
    using turned = transpose(x);
    using there = turned.to(gpu);
    using again = there.to(gpu);
    using view = transpose(again);
    using back = view.to(cpu);
    assert.deepEqual([there.device, there.dtype, there.shape, back.device, back.shape], [gpu, x.dtype, [4, data.length / 4], cpu, x.shape]);
    assert.deepEqual(new Uint8Array(back.readSync().buffer), new Uint8Array(x.readSync().buffer));
  }
  using none = tensor(cpu, [0, 3], []);
  using there = none.to(gpu);
  using back = there.to(cpu);
  assert.deepEqual([there.shape, back.shape], [[0, 3], [0, 3]]);
  using y = tensor(gpu, [2], [1, 2]);
  assert.deepEqual(explain(() => assert.equal(y.to(cpu).device, cpu)), []);
  assert.equal(explain(() => void y.to(gpu)).length, 1);
});

// ── A tensor where a plain value is wanted ──────────────────────────────────────────────────────────────────────────────────────────────

test("a tensor refuses to be compared, added or rounded as a number, and still prints", () => {
  using loss = tensor(cpu, [], [0.5]);
  const x = loss as unknown as number; // as JavaScript programs, and `any`, see it
  let best = Infinity, total = 0;
  const uses: (() => unknown)[] = [
    () => x < best,
    () => best > x,
    () => x <= 3,
    () => (x as unknown) == 0.5,
    () => total += x,
    () => x * 2,
    () => -x,
    () => Math.min(x, 3),
    () => Number(x),
    () => x + " is the loss",
    () => new Float32Array([x]),
    () => isNaN(x),
  ];
  for (const use of uses) {
    assert.throws(use, {
      name: "TypeError",
      message: "a tensor is no number: use x.itemSync() or await x.item() (x is f32 [])",
    }, String(use));
  }
  best = total = loss.itemSync();
  assert.deepEqual([best, total], [0.5, 0.5]);
  const text = "Tensor f32 [] on cpu 0.5";
  assert.deepEqual([`${loss}`, String(loss), loss.toString(), [loss].join()], [text, text, text, text]);
});

test("JSON.stringify of a tensor says what to write instead, wherever it stands", () => {
  using x = tensor(cpu, [2], [1, 2]);
  const message = "JSON.stringify: a tensor has no JSON; give it { shape: x.shape, data: [...x.readSync()] }, or save() the tree to a file";
  for (const value of [x, [x], { params: { x } }]) assert.throws(() => JSON.stringify(value), { name: "TypeError", message });
  assert.equal(JSON.stringify({ shape: x.shape, data: [...x.readSync()] }), '{"shape":[2],"data":[1,2]}');
});

const opaque =
  /^a tensor's elements are in native memory, .*: compare or send what readSync\(\) and shape give; tensor\(cpu, shape, data\) makes/;

test("structuredClone and postMessage of a tensor say what to send instead", () => {
  using x = tensor(cpu, [2], [1, 2]);
  const { port1, port2 } = new MessageChannel();
  // In a scope the tensor holds the scope's others too.
  for (const value of [x, [x], { params: { x } }, scope(() => [ones(cpu, [1])])]) {
    assert.throws(() => structuredClone(value), { message: opaque });
    assert.throws(() => port1.postMessage(value), { message: opaque });
  }
  scope(() => assert.throws(() => structuredClone(ones(cpu, [1])), { message: opaque }));
  port1.close();
  port2.close();
  assert.deepEqual(structuredClone({ shape: x.shape, data: x.readSync() }), { shape: [2], data: new Float32Array([1, 2]) });
});

test("deep equality of two tensors is never a silent answer: it says how to compare", async () => {
  using a = tensor(cpu, [2], [1, 2]);
  using same = tensor(cpu, [2], [1, 2]);
  using other = tensor(cpu, [2], [1, 3]);
  const gone = [tensor(cpu, [2], [1, 2]), tensor(cpu, [2], [5, 6])] as const;
  for (const t of gone) t.dispose();
  const kept = scope(() => [ones(cpu, [2])]);
  const pairs: [unknown, unknown][] = [[a, same], [a, other], [{ w: [a] }, { w: [same] }], gone as never, [a, kept[0]], [a, gone[0]]];
  const equal: ((x: unknown, y: unknown) => void)[] = [
    assert.deepEqual,
    assert.deepStrictEqual,
    assert.notDeepEqual,
    assert.notDeepStrictEqual,
  ];
  if (runtime === "bun") {
    const specifier = "bun:test"; // a variable, since Deno looks up what is written in an import
    const { expect } = await import(specifier) as unknown as { expect: (x: unknown) => Record<string, (y: unknown) => void> };
    equal.push((x, y) => expect(x).toEqual!(y), (x, y) => expect(x).toStrictEqual!(y));
  }
  for (const compare of equal) {
    for (const [x, y] of pairs) assert.throws(() => compare(x, y), { name: "TypeError", message: opaque });
  }
  for (const compare of [equal[0]!, equal[1]!, ...equal.slice(4)]) compare({ a: [a] }, { a: [a] }); // the very same tensor
  assert.deepEqual(a.readSync(), same.readSync());
  kept[0]!.dispose();
});

test("two tensors are never equal by their fields, even where they share what says so", () => {
  const made = Array.from({ length: 65 }, () => ones(cpu, [1]));
  for (const t of made) t.dispose();
  // One in 64 shares the field that explains itself; then their numbers differ.
  assert.throws(() => assert.deepStrictEqual(made[0], made[64]), { name: "AssertionError" });
});

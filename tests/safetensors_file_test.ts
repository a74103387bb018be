import assert from "node:assert/strict";
import { open, stat, truncate, writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { CheckpointError, cpu, explain, memory, openSafetensors, type SafetensorsFile, save, scope, tensor } from "../mod.ts";
import { f32, inFolder, type RawTensor, writeRaw, writeSharded } from "./checkpoint_harness.ts";
import { runtime } from "./child.ts";
import { gpuTest } from "./gpu_harness.ts";

const raw = (dtype: string, bytes: ArrayBufferView, shape: number[]): RawTensor => ({ dtype, shape, bytes });

test("openSafetensors() lists names, types, shapes and metadata", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await save(path, { a: tensor(cpu, [2, 1], [1, 2]), b: { c: tensor(cpu, [], new Uint32Array([3])) } }, { metadata: { step: "3" } });
    using file = await openSafetensors(path);
    assert.equal(file.path, path);
    assert.deepEqual([...file.tensors], [
      ["a", { dtype: "F32", shape: [2, 1], bytes: 8 }],
      ["b.c", { dtype: "U32", shape: [], bytes: 4 }],
    ]);
    assert.deepEqual(file.metadata, { step: "3" });
    await writeRaw(path, {}, { ["__proto__"]: "x" });
    using other = await openSafetensors(path);
    assert.deepEqual(Object.entries(other.metadata), [["__proto__", "x"]]);
  }));

test("read() returns what the file has, of every type, and converts where a type is asked for", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    const values: Record<string, [RawTensor, ArrayBufferView]> = {
      f32: [f32([1, 2, 3, 4], [2, 2]), new Float32Array([1, 2, 3, 4])],
      f64: [raw("F64", new Float64Array([1, 0.1]), [2]), new Float64Array([1, 0.1])],
      i32: [raw("I32", new Int32Array([-1]), []), new Int32Array([-1])],
      u32: [raw("U32", new Uint32Array([2 ** 32 - 1]), [1]), new Uint32Array([2 ** 32 - 1])],
      i64: [raw("I64", new BigInt64Array([-5n, 2n ** 62n]), [2]), new BigInt64Array([-5n, 2n ** 62n])],
      u64: [raw("U64", new BigUint64Array([2n ** 64n - 1n]), [1]), new BigUint64Array([2n ** 64n - 1n])],
      i16: [raw("I16", new Int16Array([-3]), [1]), new Int16Array([-3])],
      u16: [raw("U16", new Uint16Array([65535]), [1]), new Uint16Array([65535])],
      i8: [raw("I8", new Int8Array([-3]), [1]), new Int8Array([-3])],
      u8: [raw("U8", new Uint8Array([200]), [1]), new Uint8Array([200])],
      bool: [raw("BOOL", new Uint8Array([0, 1]), [2]), new Uint8Array([0, 1])],
      f16: [raw("F16", new Uint16Array([0x3c00, 0x0001]), [2]), new Float32Array([1, 2 ** -24])],
      bf16: [raw("BF16", new Uint16Array([0x3f80, 0xc000]), [2]), new Float32Array([1, -2])],
      c64: [raw("C64", new Float32Array([1, 2, 3, 4]), [2]), new Float32Array([1, 2, 3, 4])],
      f8: [raw("F8_E4M3FNUZ", new Uint8Array([1, 2]), [2]), new Uint8Array([1, 2])],
      f4: [raw("F4", new Uint8Array([0x12]), [2]), new Uint8Array([0x12])],
      later: [raw("F3", new Uint8Array([1, 2, 3]), [8]), new Uint8Array([1, 2, 3])],
      none: [raw("F16", new Uint16Array(0), [0, 3]), new Float32Array(0)],
    };
    await writeRaw(path, Object.fromEntries(Object.entries(values).map(([name, [stored]]) => [name, stored])));
    using file = await openSafetensors(path);
    for (const [name, [, expected]] of Object.entries(values)) {
      assert.deepEqual(await file.read(name), expected, name);
      assert.deepEqual(file.readSync(name), expected, name);
    }
    const typed: Float64Array = await file.read("f16", "f64");
    assert.deepEqual(typed, new Float64Array([1, 2 ** -24]));
    assert.deepEqual(file.readSync("f64", "f32"), new Float32Array([1, 0.1]));
    await assert.rejects(
      file.read("i64", "i32"),
      new CheckpointError(`read: ${path}: tensor "i64" has ${2n ** 62n} at [1], which no i32 is`),
    );
    assert.throws(() => file.readSync("i64", "f32"), new CheckpointError(`read: ${path}: tensor "i64" is I64, which does not become f32`));
    assert.throws(() => file.readSync("later", "u32"), /is F3, which does not become u32/);
    assert.throws(() => file.readSync("f32", "f16" as never), /^TypeError: read: dtype must be f32, f64, i32 or u32/);
    await assert.rejects(file.read("toString"), new TypeError(`read: ${path} holds no tensor "toString"`));
    assert.throws(() => file.readSync(3 as never), /^TypeError: read: .* holds no tensor 3$/);
  }));

test("tensor() makes a tensor of the file's type, or of one that is asked for", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await writeRaw(path, {
      x: f32([1, 2, 3, 4, 5, 6], [2, 3]),
      half: raw("BF16", new Uint16Array([0x3f80]), []),
      ids: raw("I64", new BigInt64Array([3n, -1n]), [2]),
      flags: raw("BOOL", new Uint8Array(2), [2]),
      none: f32([], [0, 4]),
      deep: f32([1], [1, 1, 1, 1, 1, 1, 1, 1, 1]),
    });
    using file = await openSafetensors(path);
    const before = memory().tensors;
    type Make = SafetensorsFile["tensor"];
    const now: Make = (...args) => new Promise((resolve) => resolve(file.tensorSync(...args)));
    for (const make of [file.tensor.bind(file), now]) {
      const made = await Promise.all([
        make(cpu, "x"),
        make(cpu, "half"),
        make(cpu, "ids"),
        make(cpu, "none"),
        make(cpu, "x", { dtype: "f64" }),
      ]);
      assert.deepEqual(made.map((x) => [x.dtype, x.shape, [...x.readSync()]]), [
        ["f32", [2, 3], [1, 2, 3, 4, 5, 6]],
        ["f32", [], [1]],
        ["i32", [2], [3, -1]],
        ["f32", [0, 4], []],
        ["f64", [2, 3], [1, 2, 3, 4, 5, 6]],
      ]);
      for (const x of made) x.dispose();
      await assert.rejects(make(cpu, "ids", { dtype: "u32" }), /tensor "ids" has -1 at \[1\], which no u32 is/);
      await assert.rejects(make(cpu, "flags"), /tensor "flags" is BOOL, which does not become a tensor$/);
      await assert.rejects(make(cpu, "flags", { dtype: "f32" }), /tensor "flags" is BOOL, which does not become f32$/);
      await assert.rejects(make(cpu, "deep"), /^RangeError: tensor: .* has 9 axes/);
      await assert.rejects(make(cpu, "y"), /^TypeError: tensor: .* holds no tensor "y"$/);
      await assert.rejects(make({} as never, "x"), /^TypeError: tensor: device must be a device/);
    }
    assert.ok(memory().tensors <= before, "what failed has left something"); // fewer, where the collector has found some of other tests

    const [late, inside] = scope(() => [file.tensor(cpu, "x"), file.tensorSync(cpu, "x")] as const);
    assert.ok(!inside.disposed, "returned from its scope");
    inside.dispose();
    using outlives = await late;
    assert.equal(outlives.readSync()[5], 6, "it is made after the scope and belongs to none");
    let freed = file.tensorSync(cpu, "half");
    freed.dispose();
    scope(() => void (freed = file.tensorSync(cpu, "half")));
    assert.ok(freed.disposed);
    assert.deepEqual(explain(() => file.tensorSync(cpu, "x")), []);
  }));

gpuTest("tensor() makes a tensor on a GPU", (gpu) =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await writeRaw(path, { x: raw("F16", new Uint16Array([0x3c00, 0x4000]), [2]), none: f32([], [0]) });
    using file = await openSafetensors(path);
    using x = await file.tensor(gpu, "x"), y = file.tensorSync(gpu, "x"), none = file.tensorSync(gpu, "none");
    assert.deepEqual([...await x.read(), ...y.readSync(), ...none.readSync()], [1, 2, 1, 2]);
    assert.equal(x.device, gpu);
  }));

test("single tensors are read without the rest: of a file of many gigabytes too", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), big = 3 * 2 ** 31;
    const header = JSON.stringify({
      big: { dtype: "F32", shape: [big / 4], data_offsets: [0, big] },
      w: { dtype: "F32", shape: [2], data_offsets: [big, big + 8] },
    });
    const sparse = await open(path, "w"); // what is not written takes no room
    await sparse.write(new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer), 0, 8, 0);
    await sparse.write(header, 8);
    await sparse.write(new Uint8Array(new Float32Array([5, 6]).buffer), 0, 8, 8 + header.length + big);
    await sparse.close();
    using file = await openSafetensors(path);
    assert.deepEqual(await file.read("w"), new Float32Array([5, 6]));
    using w = file.tensorSync(cpu, "w");
    assert.deepEqual([...w.readSync()], [5, 6]);
    if (runtime === "bun") {
      assert.throws(() => file.readSync("big"), /^RangeError: read: this runtime makes no array of 6442450944 bytes/);
      await assert.rejects(file.read("big"), /^RangeError: read: this runtime makes no array of 6442450944 bytes/);
    }
  }));

test("openSafetensors() opens several files as one", () =>
  inFolder(async (folder) => {
    await writeSharded(folder);
    for (const path of [folder, join(folder, "model.safetensors.index.json")]) {
      using file = await openSafetensors(path);
      assert.deepEqual([...file.tensors.keys()], ["a", "b", "c"]);
      assert.deepEqual([...await file.read("a") as Float32Array, ...file.readSync("c") as Float32Array], [1, 2, 4, 5, 6]);
      assert.deepEqual(file.metadata, { format: "pt", part: "1", more: "yes" });
    }
  }));

test("a closed file reads nothing more, and reads that go on end first", () =>
  inFolder(async (folder) => {
    await writeSharded(folder);
    const openFiles = () => process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
    const before = openFiles();
    const file = await openSafetensors(folder);
    const reads = Promise.all([file.read("a"), file.tensor(cpu, "c")]);
    file.close();
    file.close();
    assert.throws(() => file.readSync("a"), new TypeError(`read: ${folder} was closed`));
    await assert.rejects(file.tensor(cpu, "a"), new TypeError(`tensor: ${folder} was closed`));
    const [a, c] = await reads;
    assert.deepEqual([a, c.readSync()], [new Float32Array([1, 2]), new Float32Array([4, 5, 6])]);
    await writeFile(join(folder, "model-00002-of-00002.safetensors"), "no safetensors file");
    for (let i = 0; i < 20; i++) await assert.rejects(openSafetensors(folder), { name: "CheckpointError" });
    assert.equal(openFiles(), before, "no file stays open, of those that failed to open either");
  }));

test("a file that becomes shorter while it is open is a CheckpointError, and leaves no tensor", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await writeRaw(path, { a: f32([1, 2]), b: f32([3, 4]) });
    using file = await openSafetensors(path);
    const before = memory().tensors;
    await truncate(path, (await stat(path)).size - 1);
    const wanted = (op: string) => new CheckpointError(`${op}: ${path}: became shorter while it was read`);
    await assert.rejects(file.read("b"), wanted("read"));
    await assert.rejects(file.tensor(cpu, "b"), wanted("tensor"));
    assert.throws(() => file.tensorSync(cpu, "b"), wanted("tensor"));
    assert.ok(memory().tensors <= before, "a tensor is left"); // fewer, where the collector has found some of other tests'

    await assert.rejects(openSafetensors(join(folder, "none")), /^CheckpointError: openSafetensors: .*none: ENOENT/);
    await assert.rejects(openSafetensors(7 as never), new TypeError("openSafetensors: path must be the name of a file, got 7"));
  }));

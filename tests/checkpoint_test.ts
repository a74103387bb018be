import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { CheckpointError, cpu, empty, load, memory, readMetadata, save, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { view } from "../core/tensor.ts";
import { prepareWrite, readPieces } from "../nn/pieces.ts";
import { f32, inFolder, type RawTensor, writeRaw, writeSharded } from "./checkpoint_harness.ts";
import { child, runtime, slow } from "./child.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertSameBits, seed } from "./harness.ts";

/** Whether an error is a CheckpointError that begins so. */
function fails(error: unknown, beginning: string, cause?: string): boolean {
  assert.ok(error instanceof CheckpointError, `${error}`);
  assert.equal(error.message.slice(0, beginning.length), beginning);
  if (cause !== undefined) assert.equal((error.cause as { code?: string }).code, cause);
  return true;
}

interface Parameters {
  token: { weight: Tensor<"f32", [2, 3]>; bias?: Tensor<"f32", [3]> | undefined };
  list: [Tensor<"f64", [2]>, Tensor<"i32", [0, 4]>];
  step: Tensor<"u32", []>;
}

const filled = (): Parameters => ({
  token: { weight: tensor(cpu, [2, 3], [1, -0, NaN, Infinity, 1e-45, 3.5]), bias: undefined },
  list: [tensor(cpu, [2], new Float64Array([Math.PI, -5e-324])), tensor(cpu, [0, 4], new Int32Array(0))],
  step: tensor(cpu, [], new Uint32Array([4_000_000_000])),
});

const blank = (): Parameters => ({
  token: { weight: tensor(cpu, [2, 3], [9, 9, 9, 9, 9, 9]) },
  list: [tensor(cpu, [2], new Float64Array([9, 9])), empty(cpu, [0, 4], "i32")],
  step: tensor(cpu, [], new Uint32Array([9])),
});

/** Every element's bits. */
const bits = (p: Parameters): string =>
  [p.token.weight, ...p.list, p.step].map((x) => {
    const data = x.readSync();
    return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4).join();
  }).join(";");

test("load() brings back what save() wrote, bit for bit", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), source = filled(), target = blank();
    await save(path, source, { metadata: { run: "7", text: "Ahab’s 🐳" } });
    await load(path, target);
    assert.equal(bits(target), bits(source));
    assert.deepEqual(await readMetadata(path), { run: "7", text: "Ahab’s 🐳" });
    assert.deepEqual(await readdir(folder), ["a.safetensors"], "nothing else is left");
  }));

test("load() with ignoreExtra fills a tree from a file that holds more, and still wants all of the tree", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), x = tensor(cpu, [2], [1, 2]), y = tensor(cpu, [1], [3]);
    await save(path, { params: { x }, state: { y } });
    const into = { params: { x: tensor(cpu, [2], [0, 0]) } };
    await assert.rejects(load(path, into), { name: "CheckpointError", message: /not in the tree: state\.y$/ });
    assert.deepEqual([...into.params.x.readSync()], [0, 0]);
    await load(path, into, { ignoreExtra: true });
    assert.deepEqual([...into.params.x.readSync()], [1, 2]);
    const more = { params: { x: tensor(cpu, [2], [0, 0]), z: y } };
    await assert.rejects(load(path, more, { ignoreExtra: true }), { name: "CheckpointError", message: /missing in the file: params\.z$/ });
    await assert.rejects(load(path, into, { ignoreExtra: 1 as never }), { name: "TypeError" });
  }));

test("save() replaces a file, and the same tree gives the same bytes", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), other = join(folder, "b.safetensors");
    await writeFile(path, "something longer than nothing".repeat(100));
    await save(path, filled());
    await save(other, filled());
    assert.deepEqual(await readFile(path), await readFile(other));
    assert.deepEqual(await readMetadata(path), {});
  }));

test("save() takes the values of the moment of the call", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), x = tensor(cpu, [2], [1, 2]);
    const saved = save(path, { x });
    x.write([3, 4]);
    await saved;
    await load(path, { x });
    assert.deepEqual(x.readSync(), new Float32Array([1, 2]));
  }));

test("save() writes views row-major, and load() fills them in place", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
    const transposed = view<"f32", [3, 2]>(x, [3, 2], [1, 3], 0);
    await save(path, { x: transposed });
    const target = tensor(cpu, [3, 2], [0, 0, 0, 0, 0, 0]);
    await load(path, { x: target });
    assert.deepEqual(target.readSync(), new Float32Array([1, 4, 2, 5, 3, 6]));
    target.write([10, 40, 20, 50, 30, 60]);
    await save(path, { x: target });
    await load(path, { x: transposed });
    assert.deepEqual(x.readSync(), new Float32Array([10, 20, 30, 40, 50, 60]));
  }));

test("load() lists what is missing, left over and different, and changes nothing", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await save(path, {
      a: tensor(cpu, [2], [1, 2]),
      b: tensor(cpu, [2], [1, 2]),
      c: tensor(cpu, [1], [3]),
      old: { x: tensor(cpu, [1], [3]) },
    });
    const into = {
      a: tensor(cpu, [2], [7, 7]),
      b: tensor(cpu, [2, 1], [7, 7]),
      c: tensor(cpu, [1], new Int32Array([7])),
      fresh: [tensor(cpu, [1], [7])],
    };
    await assert.rejects(
      load(path, into),
      new CheckpointError(
        `load: ${path} does not fit the tree\n  missing in the file: fresh.0\n  not in the tree: old.x\n` +
          "  different: b (F32 [2] in the file, F32 [2, 1] in the tree), c (F32 [1] in the file, I32 [1] in the tree)",
      ),
    );
    for (const x of [into.a, into.b, into.c, into.fresh[0]!]) assert.ok(x.readSync().every((value) => value === 7));
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`x${i}`, tensor(cpu, [1], [7])]));
    await assert.rejects(load(path, many), /missing in the file: x0, x1, .*, x9 and 4 more\n/);
  }));

test("load() refuses files that are cut short or damaged, and changes nothing", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), bad = join(folder, "bad.safetensors"), target = blank(), before = bits(target);
    await save(path, filled(), { metadata: { k: "v" } });
    const good = await readFile(path);
    for (let length = 0; length < good.length; length++) {
      await writeFile(bad, good.subarray(0, length));
      await assert.rejects(load(bad, target), (error) => error instanceof CheckpointError, `${length} bytes`);
    }
    await writeFile(bad, new Uint8Array([...good, 0]));
    await assert.rejects(load(bad, target), (error) => error instanceof CheckpointError && /belong to no tensor/.test(error.message));
    await writeFile(bad, "not a checkpoint at all, but long enough for a length");
    await assert.rejects(readMetadata(bad), (error) => error instanceof CheckpointError && error.message.includes("claims a header"));
    assert.equal(bits(target), before);
  }));

test("save() leaves the old file and no other behind when it fails", () =>
  inFolder(async (folder) => {
    const taken = join(folder, "taken");
    await mkdir(join(taken, "inside"), { recursive: true }); // a folder that is not empty cannot be replaced
    await assert.rejects(save(taken, filled()), (error) => fails(error, `save: ${taken}: is a folder`));
    const nowhere = join(folder, "no", "such", "folder");
    await assert.rejects(save(nowhere, filled()), (error) => fails(error, `save: ${nowhere}: ENOENT`));
    assert.deepEqual(await readdir(folder), ["taken"]);
    const path = join(folder, "a.safetensors"), gone = tensor(cpu, [1], [1]);
    await save(path, filled());
    const before = await readFile(path);
    gone.dispose();
    await assert.rejects(save(path, { gone }), new TypeError("save: tree.gone was disposed"));
    await assert.rejects(save(path, { __metadata__: tensor(cpu, [1], [1]) }), /^TypeError: save: a tensor cannot be called/);
    await assert.rejects(save(path, { n: 3 } as unknown as Parameters), /^TypeError: save: tree\.n must be a tensor/);
    assert.deepEqual(await readFile(path), before);
    assert.deepEqual((await readdir(folder)).sort(), ["a.safetensors", "taken"]);
  }));

test("load() names a file that is not there, a path that is none and a tensor that is gone", () =>
  inFolder(async (folder) => {
    await assert.rejects(load(join(folder, "none"), blank()), (error) => fails(error, `load: ${join(folder, "none")}: ENOENT`));
    await assert.rejects(load(3 as unknown as string, blank()), new TypeError("load: path must be the name of a file, got 3"));
    await assert.rejects(save("", blank()), /^TypeError: save: path must be the name of a file/);
    await assert.rejects(readMetadata(join(folder, "none")), (error) => fails(error, `readMetadata: ${join(folder, "none")}: ENOENT`));
    const path = join(folder, "a.safetensors"), a = tensor(cpu, [1], [1]), b = tensor(cpu, [1], [2]);
    await save(path, { a, b });
    a.write([7]);
    const loading = load(path, { a, b });
    b.dispose(); // while the file is being read
    await assert.rejects(loading, new TypeError("load: into.b was disposed"));
    assert.deepEqual(a.readSync(), new Float32Array([7]));
  }));

// ── Element types ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const raw = (dtype: string, bytes: ArrayBufferView, shape: number[]): RawTensor => ({ dtype, shape, bytes });

test("load() converts floats: exactly where they widen, to nearest and ties to even where they narrow", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    const halves: [number, number][] = [
      ...[[0x0000, 0], [0x8000, -0], [0x0001, 2 ** -24], [0x03ff, 1023 * 2 ** -24], [0x0400, 2 ** -14]] as [number, number][],
      ...[[0x3c01, 1 + 2 ** -10], [0xc000, -2], [0x7bff, 65504], [0x7c00, Infinity], [0xfc00, -Infinity], [0x7e01, NaN]] as [
        number,
        number,
      ][],
    ];
    const brains: [number, number][] = [
      ...[[0x0000, 0], [0x8000, -0], [0x0001, 2 ** -133], [0x3f80, 1], [0xc049, -3.140625]] as [number, number][],
      ...[[0x7f7f, 255 * 2 ** 120], [0x7f80, Infinity], [0xff80, -Infinity], [0x7fc1, NaN]] as [number, number][],
    ];
    const doubles: [number, number][] = [
      ...[[Math.PI, Math.fround(Math.PI)], [1 + 2 ** -24, 1], [1 + 3 * 2 ** -24, 1 + 2 ** -22], [1 + 2 ** -24 + 2 ** -50, 1 + 2 ** -23]],
      ...[[2 ** -150, 0], [2 ** -150 * 1.5, 2 ** -149], [-1e-320, -0], [3.4028235677973366e38, Infinity], [-1e300, -Infinity]],
      ...[[3.4028235677973362e38, 3.4028234663852886e38], [NaN, NaN], [-Infinity, -Infinity]],
    ] as [number, number][];
    const column = (pairs: [number, number][], i: 0 | 1) => pairs.map((pair) => pair[i]);
    const bits16 = (pairs: [number, number][]) => new Uint16Array(column(pairs, 0));
    await writeRaw(path, {
      half: raw("F16", bits16(halves), [halves.length]),
      brain: raw("BF16", bits16(brains), [brains.length]),
      double: raw("F64", new Float64Array(column(doubles, 0)), [doubles.length]),
      single: raw("F32", new Float32Array([1, Math.fround(0.1), 1e-45, -Infinity]), [2, 2]),
      halfToo: raw("F16", bits16(halves), [halves.length]),
      brainToo: raw("BF16", bits16(brains), [brains.length]),
    });
    const into = {
      half: zeros(cpu, [halves.length]),
      brain: zeros(cpu, [brains.length]),
      double: zeros(cpu, [doubles.length]),
      single: zeros(cpu, [2, 2], "f64"),
      halfToo: zeros(cpu, [halves.length], "f64"),
      brainToo: zeros(cpu, [brains.length], "f64"),
    };
    await load(path, into);
    assert.deepEqual([...into.half.readSync()], column(halves, 1));
    assert.deepEqual([...into.brain.readSync()], column(brains, 1));
    assert.deepEqual([...into.double.readSync()], column(doubles, 1));
    assert.deepEqual([...into.single.readSync()], [1, Math.fround(0.1), 2 ** -149, -Infinity]);
    assert.deepEqual([...into.halfToo.readSync()], column(halves, 1));
    assert.deepEqual([...into.brainToo.readSync()], column(brains, 1));
  }));

test("load() converts I64 to i32 and u32 where the values fit, or names the first that does not and changes nothing", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), longs = (...values: bigint[]) => new BigInt64Array(values);
    const into = { w: zeros(cpu, [1]), i: zeros(cpu, [2, 2], "i32"), u: zeros(cpu, [3], "u32") };
    const signed = longs(-(2n ** 31n), -1n, 0n, 2n ** 31n - 1n), unsigned = longs(0n, 2n ** 31n, 2n ** 32n - 1n);
    await writeRaw(path, { w: f32([7]), i: raw("I64", signed, [2, 2]), u: raw("I64", unsigned, [3]) });
    await load(path, into);
    assert.deepEqual([...into.i.readSync()], [-(2 ** 31), -1, 0, 2 ** 31 - 1]);
    assert.deepEqual([...into.u.readSync()], [0, 2 ** 31, 2 ** 32 - 1]);
    for (const bad of [2n ** 31n, -(2n ** 31n) - 1n, 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      await writeRaw(path, { w: f32([8]), i: raw("I64", longs(1n, 2n, 3n, bad), [2, 2]), u: raw("I64", unsigned, [3]) });
      await assert.rejects(load(path, into), new CheckpointError(`load: ${path}: tensor "i" has ${bad} at [1, 1], which no i32 is`));
    }
    for (const bad of [-1n, 2n ** 32n, -(2n ** 32n)]) {
      await writeRaw(path, { w: f32([8]), i: raw("I64", signed, [2, 2]), u: raw("I64", longs(1n, bad, 3n), [3]) });
      await assert.rejects(load(path, into), new CheckpointError(`load: ${path}: tensor "u" has ${bad} at [1], which no u32 is`));
    }
    assert.deepEqual([...into.w.readSync(), ...into.i.readSync()], [7, -(2 ** 31), -1, 0, 2 ** 31 - 1]);
  }));

test("load() converts in parts, so that a long tensor comes out as a short one does", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), rows = 3, columns = 700_001, count = rows * columns; // a part is 2^19 elements of 8 bytes
    const longs = BigInt64Array.from({ length: count }, (_, i) => BigInt(i * 1000 - 7));
    const doubles = Float64Array.from({ length: count }, (_, i) => i / 3);
    await writeRaw(path, { i: raw("I64", longs, [rows, columns]), x: raw("F64", doubles, [rows, columns]) });
    const into = { i: zeros(cpu, [rows, columns], "i32"), x: zeros(cpu, [rows, columns]) };
    await load(path, into);
    assertSameBits(into.i.readSync(), Int32Array.from(longs, Number), "I64");
    assertSameBits(into.x.readSync(), Float32Array.from(doubles), "F64");
    longs[2 * columns + 600_000] = 2n ** 40n;
    await writeRaw(path, { i: raw("I64", longs, [rows, columns]), x: raw("F64", doubles, [rows, columns]) });
    await assert.rejects(load(path, into), /tensor "i" has 1099511627776 at \[2, 600000\], which no i32 is/);
  }));

test("load() refuses to turn floats into integers, and types that are no tensors", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await writeRaw(path, {
      a: raw("F16", new Uint16Array(2), [2]),
      b: raw("I64", new BigInt64Array(2), [2]),
      c: raw("F8_E4M3", new Uint8Array(2), [2]),
      d: raw("I32", new Int32Array(2), [2]),
    });
    const into = { a: zeros(cpu, [2], "i32"), b: zeros(cpu, [2]), c: zeros(cpu, [2]), d: zeros(cpu, [2], "u32") };
    await assert.rejects(load(path, into), (error) =>
      fails(error, `load: ${path} does not fit the tree\n  different: a (F16 [2] in the file, I32 [2] in the tree), b (I64 [2]`) &&
      /c \(F8_E4M3 \[2\] in the file.*d \(I32 \[2\] in the file/.test(String(error)));
  }));

test("load() passes over types that the tree does not want, and metadata that is null", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), w = zeros(cpu, [4]);
    const others: [string, number[], number][] = [
      ...[["F4", [4, 4], 8], ["F6_E2M3", [4, 4], 12], ["F6_E3M2", [4], 3], ["F8_E4M3FNUZ", [4], 4]] as [string, number[], number][],
      ...[["F8_E5M2FNUZ", [4], 4], ["C64", [2], 16], ["BOOL", [3], 3], ["F3_OF_TOMORROW", [5], 2]] as [string, number[], number][],
    ];
    for (const [dtype, shape, bytes] of others) {
      await writeRaw(path, { q: raw(dtype, new Uint8Array(bytes), shape), w: f32([1, 2, 3, 4]) }, null);
      w.write([0, 0, 0, 0]);
      await assert.rejects(load(path, { w }), (error) => fails(error, `load: ${path} does not fit the tree\n  not in the tree: q`));
      await load(path, { w }, { ignoreExtra: true });
      assert.deepEqual([...w.readSync()], [1, 2, 3, 4], dtype);
      assert.deepEqual(await readMetadata(path), {});
      await assert.rejects(load(path, { w, q: zeros(cpu, [4]) }), /different: q \(/);
    }
  }));

// ── Whole files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("metadata of megabytes comes back as it was", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), w = tensor(cpu, [2], [1, 2]), history = "\n".repeat(4e6);
    await save(path, { w }, { metadata: { history } });
    w.write([0, 0]);
    await load(path, { w });
    assert.deepEqual([...w.readSync()], [1, 2]);
    assert.ok((await readMetadata(path)).history === history);
  }));

test("load() with ignoreMissing leaves what the file lacks as it is, and wants something of the tree", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await save(path, { a: tensor(cpu, [2], [1, 2]), old: tensor(cpu, [1], [3]) });
    const into = { a: tensor(cpu, [2], [7, 7]), head: tensor(cpu, [1], [7]) };
    await assert.rejects(load(path, into, { ignoreMissing: true }), /does not fit the tree\n {2}not in the tree: old$/);
    await assert.rejects(load(path, into, { ignoreExtra: true }), /does not fit the tree\n {2}missing in the file: head$/);
    assert.deepEqual([...into.a.readSync()], [7, 7]);
    await load(path, into, { ignoreMissing: true, ignoreExtra: true });
    assert.deepEqual([...into.a.readSync(), ...into.head.readSync()], [1, 2, 7]);
    const elsewhere = { model: into };
    await assert.rejects(
      load(path, elsewhere, { ignoreMissing: true, ignoreExtra: true }),
      /does not fit the tree\n {2}missing in the file: model\.a, model\.head$/,
    );
    await assert.rejects(load(path, into, { ignoreMissing: "yes" as never }), { name: "TypeError" });
  }));

test("load() and readMetadata() take a checkpoint of several files by its index, its folder and the name of the one file", () =>
  inFolder(async (folder) => {
    await writeSharded(folder);
    for (const path of [join(folder, "model.safetensors.index.json"), folder, join(folder, "model.safetensors")]) {
      const into = { a: zeros(cpu, [2], "f64"), b: zeros(cpu, [1]), c: zeros(cpu, [3]) };
      await load(path, into);
      assert.deepEqual([...into.a.readSync(), ...into.b.readSync(), ...into.c.readSync()], [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await readMetadata(path), { format: "pt", part: "1", more: "yes" });
      await assert.rejects(load(path, { a: into.a, b: into.b }), /not in the tree: c$/);
    }
    await writeRaw(join(folder, "model.safetensors"), { a: f32([8]) });
    const one = { a: zeros(cpu, [1]) };
    await load(folder, one);
    assert.equal(one.a.itemSync(), 8, "the one file comes before the index");
  }));

test("load() refuses an index that its files belie, that leads elsewhere or is none, and changes nothing", () =>
  inFolder(async (folder) => {
    const index = join(folder, "model.safetensors.index.json"), second = "model-00002-of-00002.safetensors";
    const into = { a: tensor(cpu, [2], [7, 7]), b: tensor(cpu, [1], [7]), c: tensor(cpu, [3], [7, 7, 7]) };
    const refused = (beginning: string, path = index) => assert.rejects(load(path, into), (error) => fails(error, beginning));
    await writeSharded(folder, (map) => map.d = second);
    await refused(`load: ${index}: places "d" in ${second}, which does not hold it`);
    await writeSharded(folder, (map) => map.a = second);
    await refused(`load: ${index}: places "a" in ${second}, which does not hold it`);
    await writeSharded(folder, (map) => delete map.c);
    await refused(`load: ${index}: does not name the tensor "c" of ${second}`);
    await writeSharded(folder);
    await writeRaw(join(folder, second), { a: f32([1, 2]), b: f32([3]), c: f32([4, 5, 6]) });
    await refused(`load: ${index}: places in model-00001-of-00002.safetensors the tensor "a" of ${second}`);
    await writeRaw(join(folder, "outside.safetensors"), { a: f32([1, 2]) });
    await mkdir(join(folder, "inside"));
    for (const name of ["../outside.safetensors", "..", ".", "", "/etc/passwd", "..\\outside.safetensors", "c:x", "x/../y", "a\0b"]) {
      await writeSharded(join(folder, "inside"), (map) => map.a = name);
      const path = join(folder, "inside", "model.safetensors.index.json");
      await refused(`load: ${path}: places "a" in the string ${JSON.stringify(name)}, which is no file beside it`, path);
    }
    for (const text of ["", "{", "[]", "{}x"]) {
      await writeFile(index, text);
      await refused(`load: ${index}: it is not `);
    }
    for (const text of ["{}", '{"weight_map":[]}', '{"weight_map":null}']) {
      await writeFile(index, text);
      await refused(`load: ${index}: has no weight_map`);
    }
    await writeFile(index, '{"weight_map":{"a":"x","a":"y"}}');
    await refused(`load: ${index}: it has "a" twice`);
    await writeFile(index, '{"weight_map":{"a":3}}');
    await refused(`load: ${index}: places "a" in 3, which is no file`);
    await writeSharded(folder);
    await rm(join(folder, second));
    await refused(`load: ${join(folder, second)}: ENOENT`);
    await refused(`load: ${join(folder, second)}: ENOENT`, folder);
    for (const x of [into.a, into.b, into.c]) assert.ok(x.readSync().every((value) => value === 7));
  }));

test("every read that fails is a CheckpointError with function, path and cause", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), w = tensor(cpu, [2], [7, 7]);
    await save(path, { w: tensor(cpu, [2], [1, 2]) });
    for (const [op, run] of [["load", (path: string) => load(path, { w })], ["readMetadata", readMetadata]] as const) {
      const refused = (path: string, words: string, cause?: string) =>
        assert.rejects(run(path), (error) => fails(error, `${op}: ${path}: ${words}`, cause));
      await refused(join(folder, "none"), "ENOENT", "ENOENT");
      await refused(join(path, "below"), "", process.platform === "win32" ? "ENOENT" : "ENOTDIR");
      await refused(folder, "is a folder with neither model.safetensors nor model.safetensors.index.json");
      if (process.platform === "linux") {
        await refused("/dev/zero", "is no file");
        await refused("/proc/self/mem", "", "EIO"); // whose first bytes are mapped nowhere
        const pipe = join(folder, "pipe");
        spawnSync("mkfifo", [pipe]);
        await refused(pipe, "is no file");
        await rm(pipe);
      }
      if (process.platform !== "win32" && process.getuid!() !== 0) { // who may read everything anyway
        await chmod(path, 0o200);
        await refused(path, "EACCES", "EACCES");
        await chmod(path, 0o600);
      }
    }
    assert.deepEqual([...w.readSync()], [7, 7]);
  }));

test(
  "Deno's permissions: save() and load() need no more than the folder, and say what is missing",
  { skip: runtime !== "deno" },
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.safetensors");
      const leftover = `.tilework-${"0".repeat(16)}-${"0".repeat(8)}-0000000001-00000000.tmp`;
      await writeFile(join(folder, leftover), "");
      const program = `
      import { cpu, load, save, tensor } from "tilework";
      const w = tensor(cpu, [2], [1, 2]);
      try {
        await save(${JSON.stringify(path)}, { w });
        await load(${JSON.stringify(path)}, { w });
        console.log("fine");
      } catch (error) {
        console.log(error.name, error.message, error.cause?.name);
      }`;
      const flags = ["--no-prompt", "--allow-ffi", "--allow-env=TILEWORK_LIBRARY"];
      const allowed = await child(program, { flags: [...flags, `--allow-read=${folder}`, `--allow-write=${folder}`] });
      assert.equal(allowed.stdout.trim(), "fine", allowed.stderr);
      assert.deepEqual(await readdir(folder), [leftover, "a.safetensors"]);
      const refused = await child(program, { flags });
      assert.match(refused.stdout, /^CheckpointError save: .*a\.safetensors: Requires read access to .* NotCapable/);
    }),
);

// ── Size ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a tensor is read and written in parts, views too, with all memory that it takes had before", async () => {
  await inParts((x) => x);
});

gpuTest("a tensor on a GPU is read and written in parts", async (gpu) => {
  await inParts((x) => x.to(gpu) as Tensor<"f32">);
});

async function inParts(place: (x: Tensor<"f32">) => Tensor<"f32">): Promise<void> {
  const values = Float32Array.from({ length: 60 }, (_, i) => i);
  using base = place(tensor(cpu, [3, 20], values) as Tensor<"f32">);
  using turned = transpose(base as Tensor<"f32", [3, 20]>);
  using inner = view<"f32", [2, 20]>(base, [2, 20], [20, 1], 20);
  for (const x of [base, turned, inner] as Tensor[]) {
    const before = x.readSync();
    for (const bytes of [4, 12, 100, 1000]) {
      const pieces = await readPieces("save", x, bytes);
      assert.equal(pieces.length, Math.ceil(4 * x.size / bytes));
      assert.deepEqual(pieces.flatMap((piece) => [...piece]), [...before]);
      const held = memory().tensors;
      {
        using write = prepareWrite("load", x, pieces.map((piece) => piece.map((value) => -value)));
        assert.deepEqual(x.readSync(), before, "nothing is written yet");
        write.commit();
      }
      assert.deepEqual([...x.readSync()], [...before].map((value) => -value));
      x.write(before);
      assert.equal(memory().tensors, held);
    }
  }
}

test(
  "tensors of more than 2 GiB are saved and loaded",
  { skip: !slow && "slow: TILEWORK_SLOW=1", timeout: 600_000 },
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.safetensors"), count = (2 ** 31 + 1024) / 4, last = [1, 2, 3, 4];
      const ends = (x: Tensor): number[] => {
        using end = view(x as Tensor<"f32">, [6], [1], count - 6);
        return [...end.readSync()];
      };
      const header = new TextEncoder().encode(JSON.stringify({ x: { dtype: "F32", shape: [count], data_offsets: [0, 4 * count] } }));
      const sparse = await open(path, "w"); // by another program, which leaves out what is 0
      await sparse.write(new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer), 0, 8, 0);
      await sparse.write(header, 0, header.length, 8);
      await sparse.write(new Uint8Array(new Float32Array(last).buffer), 0, 16, 8 + header.length + 4 * count - 16);
      await sparse.close();
      using x = zeros(cpu, [count]);
      await load(path, { x });
      assert.deepEqual(ends(x), [0, 0, ...last]);
      const again = join(folder, "b.safetensors");
      await save(again, { x });
      x.write(new Float32Array(count));
      await load(again, { x });
      assert.deepEqual(ends(x), [0, 0, ...last]);
    }),
);

test(
  "reading more than an array of the runtime holds says why",
  { skip: runtime !== "bun" && "this runtime's arrays hold more" },
  async () => {
    using x = empty(cpu, [2 ** 30 + 1]); // memory that nobody touches takes none
    const wanted = {
      name: "RangeError",
      message: /^read: this runtime makes no array of 4294967300 bytes \(.+\); Bun's hold at most 4 GiB\. Read parts/,
    };
    assert.throws(() => x.readSync(), wanted);
    await assert.rejects(x.read(), wanted);
  },
);

// ── Python ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const python = [process.env.TILEWORK_PYTHON, "python3", "python"].find((command) =>
  command !== undefined && command !== "" && spawnSync(command, ["-c", "import safetensors.numpy"]).status === 0
);
const noPython = python === undefined && "no Python with safetensors and numpy; TILEWORK_PYTHON names one";

/** Runs a Python program with arguments and returns what it prints. */
function runPython(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(python!, ["-c", program, ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

test("Python's safetensors reads what save() wrote", { skip: noPython }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), source = filled();
    await save(path, source, { metadata: { run: "7", text: "Ahab’s 🐳" } });
    const program = `
import json, sys
from safetensors import safe_open
with safe_open(sys.argv[1], framework="numpy") as f:
    tensors = {name: f.get_tensor(name) for name in f.keys()}
    print(json.dumps({"metadata": f.metadata(), "tensors": {
        name: [str(x.dtype), list(x.shape), x.tobytes().hex()] for name, x in tensors.items()}}))
`;
    const hex = (x: Tensor) => {
      const data = x.readSync();
      return Array.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), (byte) => byte.toString(16).padStart(2, "0")).join(
        "",
      );
    };
    assert.deepEqual(JSON.parse(runPython(program, path)), {
      metadata: { run: "7", text: "Ahab’s 🐳" },
      tensors: {
        "token.weight": ["float32", [2, 3], hex(source.token.weight)],
        "list.0": ["float64", [2], hex(source.list[0])],
        "list.1": ["int32", [0, 4], ""],
        "step": ["uint32", [], hex(source.step)],
      },
    });
  }));

test("load() reads what Python's safetensors wrote", { skip: noPython }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), target = blank();
    const program = `
import sys, numpy
from safetensors.numpy import save_file
save_file({"token.weight": numpy.arange(6, dtype=numpy.float32).reshape(2, 3), "list.0": numpy.array([0.1, 0.2]),
    "list.1": numpy.zeros((0, 4), numpy.int32), "step": numpy.array(12, numpy.uint32)}, sys.argv[1], metadata={"from": "numpy"})
`;
    runPython(program, path);
    await load(path, target);
    assert.deepEqual(target.token.weight.readSync(), new Float32Array([0, 1, 2, 3, 4, 5]));
    assert.deepEqual(target.list[0].readSync(), new Float64Array([0.1, 0.2]));
    assert.equal(target.step.itemSync(), 12);
    assert.deepEqual(await readMetadata(path), { from: "numpy" });
  }));

test(
  "load() converts as NumPy does: every float16, and float64 around every kind of rounding",
  { skip: noPython },
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.safetensors");
      const program = `
import sys, numpy
from safetensors.numpy import save_file
numpy.seterr(all="ignore")
half = numpy.arange(65536, dtype=numpy.uint16).view(numpy.float16)
random = numpy.random.default_rng(${seed})
double = random.integers(0, 2**64, 200_000, dtype=numpy.uint64).view(numpy.float64)
near = random.integers(0, 2**32, 200_000, dtype=numpy.uint32).view(numpy.float32)
tie = (near.astype(numpy.float64) + numpy.nextafter(near, numpy.float32(numpy.inf)).astype(numpy.float64)) / 2
double = numpy.concatenate([double, tie, numpy.nextafter(tie, numpy.inf), numpy.nextafter(tie, -numpy.inf)])
save_file({"half": half, "double": double}, sys.argv[1])
save_file({"half": half.astype(numpy.float32), "double": double.astype(numpy.float32)}, sys.argv[1] + ".f32")
`;
      runPython(program, path);
      const tree = () => ({ half: zeros(cpu, [65536]), double: zeros(cpu, [800_000]) });
      const converted = tree(), expected = tree();
      await load(path, converted);
      await load(`${path}.f32`, expected);
      for (const name of ["half", "double"] as const) assertSameBits(converted[name].readSync(), expected[name].readSync(), name);
    }),
);

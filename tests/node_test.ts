// What only Node does: its own FFI with its ways to take buffers and numbers, its permission model, and its threads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { node } from "../ffi/open_node.ts";
import { manifest } from "../ffi/symbols.gen.ts";
import { cpu, full, tensor } from "../mod.ts";
import { child, childJson, libraryPath, run, runtime, starting } from "./child.ts";

const skip = runtime === "node" ? false : "for Node";
const timeout = 60_000;
const used = `
  import { cpu, isAvailable, matmul, tensor } from "tilework";
  const a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  console.log(JSON.stringify([...matmul(a, a).readSync()]));`;

test("in Node a view is passed where it begins, shared memory too, and an empty one as it is", { skip }, () => {
  const { symbols, close } = node.open(libraryPath, { tw_manifest: { parameters: ["buffer", "u32"], result: "u32" } });
  const read = symbols.tw_manifest as unknown as (out: ArrayBufferView | undefined, capacity: number) => number;
  const size = read(new Uint8Array(0), 0);
  for (const memory of [new ArrayBuffer(size + 16), new SharedArrayBuffer(size + 16)]) {
    const whole = new Uint8Array(memory).fill(255), view = new Uint8Array(memory, 7, size);
    assert.equal(read(view, size), size);
    assert.deepEqual(JSON.parse(new TextDecoder().decode(view.slice())), manifest);
    assert.deepEqual([whole[6], whole[7 + size]], [255, 255]);
    whole.fill(255);
    read(whole.subarray(16), size);
    assert.deepEqual([whole[15], whole[16], whole.at(-1)], [255, ...new TextEncoder().encode("{}")]);
  }
  for (const wrong of [-1, 2 ** 32, 1.5, NaN]) assert.throws(() => read(new Uint8Array(1), wrong), { code: "ERR_INVALID_ARG_VALUE" });
  close();
});

test("in Node tensors are read from and written to views of any place, shared memory too", { skip }, () => {
  const numbers = new Float32Array([9, 1, 2, 3, 4, 9]), shared = new Float32Array(new SharedArrayBuffer(24));
  shared.set(numbers);
  for (const from of [numbers, shared]) {
    using x = tensor(cpu, [4], from.subarray(1, 5));
    assert.deepEqual([...x.readSync()], [1, 2, 3, 4]);
    x.write(from.subarray(2));
    assert.deepEqual([...x.readSync()], [2, 3, 4, 9]);
  }
  using nothing = tensor(cpu, [0], new Float32Array(0));
  assert.deepEqual(nothing.readSync(), new Float32Array(0));
  const small = new Uint32Array([1, 2 ** 31, 2 ** 32 - 1]); // as small as V8 keeps beside the object
  using wide = tensor(cpu, [3], small);
  assert.deepEqual([...wide.readSync()], [1, 2 ** 31, 2 ** 32 - 1]);
});

test("in Node numbers reach the library as they are, rounded to f32 where they are f32", { skip }, () => {
  for (const value of [0.1, -0, NaN, Infinity, 1e300, 2 ** -149]) {
    using x = full(cpu, [2], value);
    assert.deepEqual(x.readSync(), new Float32Array([value, value]));
  }
});

test("in Node a program needs no flag", { timeout, skip }, async () => {
  assert.deepEqual(await childJson(used), [7, 10, 15, 22]);
});

test("in Node a program that requires the library computes", { timeout, skip }, async () => {
  const { stdout, stderr } = await run([
    ...starting,
    "-e",
    `
    const { cpu, matmul, tensor } = require(${JSON.stringify(new URL("../mod.ts", import.meta.url).pathname)});
    const a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
    console.log([...matmul(a, a).readSync()].join());`,
  ]);
  assert.equal(stdout, "7,10,15,22\n", stderr);
});

test("under Node's permission model --allow-ffi is needed, and the error says so", { timeout, skip }, async () => {
  const nodeFlags = ["--permission", "--allow-fs-read=*", "--disable-warning=ExperimentalWarning"];
  const allowed = await child(used, { nodeFlags: [...nodeFlags, "--allow-ffi"] });
  assert.deepEqual([allowed.code, allowed.stdout], [0, "[7,10,15,22]\n"], allowed.stderr);
  const { code, stderr } = await child(used, { nodeFlags });
  assert.equal(code, 1);
  assert.match(stderr, /LibraryNotFoundError: The native library of tilework could not be loaded/);
  assert.ok(stderr.includes(`${libraryPath} `), stderr);
  assert.match(stderr, /: Node's permissions forbid to load it: run with --allow-ffi\n/);
});

test("a Node whose node:ffi is off says which flag turns it on", { timeout, skip }, async () => {
  const { code, stderr } = await child(used, { nodeFlags: ["--no-experimental-ffi"] });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /LibraryNotFoundError: tilework needs node:ffi, which Node [\d.]+ has, but not without a flag: .* --experimental-ffi\./,
  );
});

test("isAvailable() is false in a Node without node:ffi, and nothing is printed", { timeout, skip }, async () => {
  const ended = await child(`import { isAvailable } from "tilework"; console.log(isAvailable());`, {
    nodeFlags: ["--no-experimental-ffi"],
  });
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, "false\n", ""]);
});

test("threads of node:worker_threads compute at the same time", { timeout, skip }, async () => {
  const sums = await childJson(
    `
    import { Worker } from "node:worker_threads";
    const answers = [1, 2, 3].map((workerData) => new Promise((resolve, reject) => {
      const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData });
      worker.on("message", resolve);
      worker.on("error", reject);
    }));
    console.log(JSON.stringify(await Promise.all(answers)));`,
    {
      files: {
        "thread.ts": `
          import { parentPort, workerData } from "node:worker_threads";
          import { cpu, matmul, ones, sum } from "tilework";
          const n = 64 * workerData, x = ones(cpu, [n, n]);
          parentPort.postMessage(sum(matmul(x, x)).readSync()[0]);`,
      },
    },
  );
  assert.deepEqual(sums, [64, 128, 192].map((n) => n ** 3));
});

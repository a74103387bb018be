// GPUs that are not there, or fail: no loader, no driver, no memory, a device that is lost. Each is its typed error, nothing is printed, and the CPU goes on.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import process from "node:process";
import { assertEndedWell, child, libraryPath } from "./child.ts";
import { gpuTest, noGpu } from "./gpu_harness.ts";
import { tensor, UnsupportedError, vulkan } from "../mod.ts";

/** The loader that fails on demand, beside the library that a build of the repository makes. */
const fake = [join(dirname(libraryPath), "libfake_vulkan.so"), new URL("../zig/zig-out/lib/libfake_vulkan.so", import.meta.url).pathname]
  .find((path) => existsSync(path));
const noFake = process.platform !== "linux" ? "the failing loader is built for Linux only" : noGpu ||
  (fake === undefined && "the failing loader is not built: zig build fake");

const prelude = `
import { cpu, devices, mul, sum, tensor, vulkan } from "tilework";
const name = async (body) => { try { await body(); return "nothing"; } catch (e) { return e.name + ": " + e.message; } };
const onCpu = () => { const x = tensor(cpu, [3], [1, 2, 3]); return sum(mul(x, x)).itemSync(); };
`;

/** What a program prints as JSON on its last line; it may print nothing else anywhere. */
async function told(program: string, env: Record<string, string>): Promise<unknown> {
  const ended = await child(prelude + program, { env: { TILEWORK_GPU: "0", ...env } });
  assertEndedWell(ended);
  assert.equal(ended.stderr, "");
  assert.equal(ended.stdout.trim().split("\n").length, 1, ended.stdout);
  return JSON.parse(ended.stdout);
}

const failing = (wish: string) => ({ TILEWORK_VULKAN_LIBRARY: fake!, TILEWORK_FAKE_VULKAN: wish });

test("gpu: without a loader there are no devices, a sentence says why, and the CPU computes", async () => {
  const program = `console.log(JSON.stringify([devices().length, await name(() => vulkan()), onCpu()]));`;
  const [count, error, value] = await told(program, { TILEWORK_VULKAN_LIBRARY: "/nonexistent/libvulkan.so.1" }) as [number, string, number];
  assert.equal(count, 0);
  assert.match(error, /^UnsupportedError: vulkan: no GPU is chosen by itself; there is none: there is no Vulkan loader/);
  assert.equal(value, 14);
});

test("gpu: a loader without a driver, or of which no instance can be made, is the same", { skip: noFake }, async () => {
  const program = `console.log(JSON.stringify([devices().length, await name(() => vulkan()), onCpu()]));`;
  const real = await told(program, { VK_ICD_FILENAMES: "/nonexistent", VK_DRIVER_FILES: "/nonexistent" }) as [number, string, number];
  for (
    const [count, error, value] of [
      real,
      await told(program, failing("instance")) as typeof real,
      await told(program, failing("none")) as typeof real,
    ]
  ) {
    assert.equal(count, 0);
    assert.match(error, /^UnsupportedError: vulkan: no GPU is chosen by itself; there is none: the Vulkan /);
    assert.equal(value, 14);
  }
});

test("gpu: a device that cannot be made is an error, and another try finds it again", { skip: noFake }, async () => {
  const [error, value] = await told(`console.log(JSON.stringify([await name(() => vulkan()), onCpu()]));`, failing("device")) as [
    string,
    number,
  ];
  assert.match(error, /^UnsupportedError: vulkan: /);
  assert.equal(value, 14);
});

test("gpu: a device lost on submission fails that call and every later one at once; it can be opened anew; the CPU goes on", {
  skip: noFake,
}, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    const first = [...await x.read()];
    const errors = [];
    for (let i = 0; i < 3; i++) errors.push(await name(() => mul(x, x).read()));
    errors.push(await name(() => gpu.sync()), await name(() => tensor(gpu, [1], [1])), await name(() => { x.write([3, 2, 1]); }));
    x.dispose();
    const again = await vulkan();
    console.log(JSON.stringify([first, errors, again !== gpu, onCpu()]));`;
  const [first, errors, anew, value] = await told(program, failing("lost:2")) as [number[], string[], boolean, number];
  assert.deepEqual(first, [1, 2, 3]);
  for (const error of errors) assert.match(error, /^DeviceLostError: /);
  assert.equal(anew, true);
  assert.equal(value, 14);
});

test("gpu: what was running when the device was lost is not taken for a result", { skip: noFake }, async () => {
  for (const read of ["await y.read()", "y.readSync()", "await gpu.sync()"]) {
    const program = `
      const gpu = await vulkan();
      const x = tensor(gpu, [3], [1, 2, 3]), y = mul(x, x);
      console.log(JSON.stringify([await name(async () => { ${read}; }), await name(() => mul(x, x)), onCpu()]));`;
    const [error, later, value] = await told(program, failing("wait:1")) as [string, string, number];
    assert.match(error, /^DeviceLostError: (read|sync): /, read);
    assert.match(later, /^DeviceLostError: /);
    assert.equal(value, 14);
  }
});

test("gpu: where memory runs out the tensor is refused, what is there stays, and smaller ones still work", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    await x.read();
    const errors = [await name(() => tensor(gpu, [24 << 20], new Float32Array(24 << 20)))];
    const y = mul(x, x);
    console.log(JSON.stringify([errors, [...await y.read()], onCpu()]));`;
  // Blocks of memory are 64 MiB, larger tensors have their own.
  const [errors, values, value] = await told(program, failing("memory:80")) as [string[], number[], number];
  assert.match(errors[0]!, /^OutOfMemoryError: tensor: no memory for f32 \[25165824\]/);
  assert.deepEqual(values, [1, 4, 9]);
  assert.equal(value, 14);
  const kept = await told(program, failing("once:3")) as [string[], number[], number];
  assert.deepEqual(kept, [["nothing"], [1, 4, 9], 14], "one that fails once is tried again after what is kept was given back");
});

test("gpu: a device without a clock measures nothing, says so, and computes", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    let ran = 0;
    const error = await name(() => gpu.time(() => { ran++; }));
    console.log(JSON.stringify([error, ran, [...await mul(x, x).read()]]));`;
  const [error, ran, values] = await told(program, failing("timeless")) as [string, number, number[]];
  assert.match(error, /^UnsupportedError: time: vulkan\(.*\) has no clock$/);
  assert.equal(ran, 0, "the work is not done unmeasured");
  assert.deepEqual(values, [1, 4, 9]);
});

test("gpu: a device lost while it is measured is told as such, however often", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    const errors = [];
    for (let i = 0; i < 2; i++) errors.push(await name(() => gpu.time(() => mul(x, x))));
    console.log(JSON.stringify([errors, onCpu()]));`;
  for (const wish of ["lost:1", "wait:1"]) {
    const [errors, value] = await told(program, failing(wish)) as [string[], number];
    for (const error of errors) assert.match(error, /^DeviceLostError: (time|sync): /);
    assert.equal(value, 14);
  }
});

test(
  "gpu: a tensor longer than a binding may be is refused with the limit's name before anything is recorded",
  { skip: noFake },
  async () => {
    const program = `
    const gpu = await vulkan();
    const { tensorBytesMax, sharedBytes } = gpu.describe();
    const before = gpu.statistics().bytes;
    const error = await name(() => tensor(gpu, [300000], new Float32Array(300000)));
    const x = tensor(gpu, [200000], new Float32Array(200000).fill(2));
    console.log(JSON.stringify([tensorBytesMax, sharedBytes, error, gpu.statistics().bytes - before > 0, (await mul(x, x).read())[199999]]));`;
    const [range, shared, error, held, last] = await told(program, failing("small")) as [number, number, string, boolean, number];
    assert.deepEqual([range, shared, held, last], [1 << 20, 16384, true, 4]);
    assert.match(error, /^UnsupportedError: tensor: f32 \[300000\] is longer than one binding of vulkan\(.*\) may be/);
  },
);

gpuTest("gpu: 2^40 bytes are refused, then a small tensor works", (gpu) => {
  assert.throws(() => tensor(gpu, [2 ** 20, 2 ** 18], [] as never), RangeError);
  using x = tensor(gpu, [2], [1, 2]);
  assert.deepEqual([...x.readSync()], [1, 2]);
});

test("gpu: names and indices that are not there list what is", { skip: noGpu }, async () => {
  for (const options of [{ index: 99 }, { name: "a name that no device has" }]) {
    await assert.rejects(
      vulkan(options),
      (e) => e instanceof UnsupportedError && /no GPU (has the index 99|is called "a name.*"); there are 0: /.test(e.message),
    );
  }
  await assert.rejects(vulkan({ index: -1 }), RangeError);
  await assert.rejects(vulkan({ index: 1.5 }), RangeError);
  await assert.rejects(vulkan({ name: "" }), RangeError);
  await assert.rejects(vulkan({ name: 3 } as never), TypeError);
});

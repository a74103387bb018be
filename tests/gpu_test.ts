// A GPU's memory, copies and order: nothing stale, nothing that grows, nothing that blocks.
import assert from "node:assert/strict";
import {
  add,
  devices,
  empty,
  explain,
  layerNorm,
  matmul,
  mul,
  scope,
  slice,
  softmax,
  sum,
  tensor,
  transpose,
  vulkan,
  zeros,
} from "../mod.ts";
import type { Tensor, VulkanDevice } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { manifest } from "../ffi/symbols.gen.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { randomTensor } from "./harness.ts";

gpuTest("gpu: 1000 uploads, ops and reads in turn see no stale data (C39)", async (gpu) => {
  using two = tensor(gpu, [], [2]);
  for (let i = 0; i < 1000; i++) {
    const n = 1 + i * 25 % 5000;
    using x = tensor(gpu, [n], Float32Array.from({ length: n }, (_, j) => i + j));
    using y = mul(x, two);
    const got = i % 2 ? y.readSync() : await y.read();
    assert.equal(got.findIndex((v, j) => v !== 2 * (i + j)), -1, `turn ${i}`);
  }
});

gpuTest("gpu: a chain from A to B to A, without waiting, keeps its order (C39)", async (gpu) => {
  const n = 3001, turns = 500;
  using a = tensor(gpu, [n], Float32Array.from({ length: n }, (_, i) => i)), b = empty(gpu, [n]), one = tensor(gpu, [], [1]);
  const before = gpu.statistics();
  for (let i = 0; i < turns; i++) {
    add(a, one, { out: b });
    add(b, one, { out: a });
  }
  const after = gpu.statistics();
  assert.equal(after.dispatches - before.dispatches, 2 * turns);
  assert.ok(after.barriers - before.barriers >= 2 * turns - 1, "each step waits for the one before");
  const got = await a.read();
  assert.equal(got.findIndex((v, i) => v !== i + 2 * turns), -1);
  // What has nothing to do with each other does not wait.
  using c = empty(gpu, [n]), d = empty(gpu, [n]);
  const idle = gpu.statistics().barriers;
  for (let i = 0; i < 10; i++) add(a, one, { out: i % 2 ? c : d });
  assert.ok(gpu.statistics().barriers - idle >= 4, "the same output is written in order");
  const [x, y, z] = [empty(gpu, [n]), empty(gpu, [n]), empty(gpu, [n])];
  await gpu.sync();
  add(a, one, { out: x });
  const first = gpu.statistics().barriers;
  add(a, one, { out: y });
  add(a, one, { out: z });
  assert.equal(gpu.statistics().barriers, first, "three reads of one tensor need no barrier");
  for (const t of [x, y, z]) t.dispose();
});

gpuTest("gpu: an upload into what earlier work still reads changes nothing of that work", async (gpu) => {
  const n = 70_000;
  using x = tensor(gpu, [n], new Float32Array(n).fill(1)), one = tensor(gpu, [], [1]);
  const sums: Tensor<"f32", [number]>[] = [];
  const data = new Float32Array(n);
  for (let i = 0; i < 40; i++) {
    sums.push(add(x, one));
    x.write(data.fill(i));
    data.fill(-1); // The copy is taken already.
  }
  for (const [i, y] of sums.entries()) {
    const got = await y.read();
    assert.equal(got.findIndex((v) => v !== (i === 0 ? 2 : i)), -1, `turn ${i}`);
    y.dispose();
  }
});

gpuTest("gpu: tensors without elements go through every path", async (gpu) => {
  using x = zeros(gpu, [0, 5]), y = tensor(gpu, [5], [1, 2, 3, 4, 5]);
  using filled = tensor(gpu, [0], new Float32Array(0));
  using end = slice(y, 0, 5, 5);
  const before = gpu.statistics();
  using sums = add(x, y), product = matmul(x, transpose(zeros(gpu, [3, 5])));
  for (const t of [x, filled, end, sums]) assert.equal((await t.read()).length, 0);
  assert.deepEqual([product.shape, product.readSync().length], [[0, 3], 0]);
  end.write([]);
  x.write(new Float32Array(0));
  assert.equal(sum(x).itemSync(), 0);
  assert.equal(gpu.statistics().validationMessages, before.validationMessages);
});

gpuTest("gpu: 10000 tensors made and disposed of in turn take the memory of one (C36)", (gpu) => {
  empty(gpu, [1 << 18]).dispose();
  const before = gpu.statistics();
  for (let i = 0; i < 10_000; i++) {
    using x = empty(gpu, [1 << 18]);
    if (i % 500 === 0) x.write(new Float32Array(1 << 18).fill(i));
    assert.equal(gpu.statistics().bytes - before.bytes, 1 << 20);
  }
  const after = gpu.statistics();
  assert.equal(after.bytes, before.bytes);
  assert.ok(after.allocations - before.allocations <= 2, "the driver was asked for memory again and again"); // for the copies
});

gpuTest("gpu: a loop that is warm asks the driver for no memory and compiles nothing", async (gpu) => {
  const x = randomTensor([65, 128], "f32", 1, gpu), w = randomTensor([128, 128], "f32", 2, gpu);
  const p = { weight: randomTensor([128], "f32", 3, gpu) };
  const step = async () => {
    const y = scope(() => {
      const h = layerNorm(matmul(x as never, w as never) as never, p as never) as Tensor;
      return sum(softmax(add(h as never, x as never) as never) as never) as Tensor;
    });
    x.write(new Float32Array(65 * 128).fill(0.5) as never);
    const value = await y.item();
    y.dispose();
    return value;
  };
  for (let i = 0; i < 8; i++) await step();
  const before = gpu.statistics();
  for (let i = 0; i < 50; i++) assert.ok(Math.abs(await step() - 65) < 1e-3);
  const after = gpu.statistics();
  assert.equal(after.allocations, before.allocations);
  assert.equal(after.pipelines, before.pipelines);
  // Less only where the garbage collector meanwhile found what an earlier test had left.
  assert.ok(after.bytes <= before.bytes, `${after.bytes} after ${before.bytes} bytes`);
  assert.ok(after.heldBytes <= before.heldBytes, `${after.heldBytes} after ${before.heldBytes} bytes held`);
  for (const t of [x, w, p.weight]) t.dispose();
});

gpuTest("gpu: 200 MB of small tensors arrive whole", async (gpu) => {
  const n = 4096, count = 12_500;
  const held = gpu.statistics();
  const data = new Float32Array(n);
  const all = Array.from({ length: count }, (_, i) => tensor(gpu, [n], data.fill(i)));
  assert.ok(gpu.statistics().bytes - held.bytes >= 4 * n * count);
  for (let i = 0; i < count; i += 499) assert.equal((await all[i]!.read()).findIndex((v) => v !== i), -1, `tensor ${i}`);
  for (const x of all) x.dispose();
  assert.equal(gpu.statistics().bytes, held.bytes);
  gpu.trim();
  assert.ok(gpu.statistics().heldBytes <= held.heldBytes, "trim gives it back");
});

gpuTest("gpu: a tensor of nearly 128 MiB goes there and back, and one byte class more is refused where that is too long", (gpu) => {
  const n = (1 << 25) - 64;
  const data = new Float32Array(n);
  for (let i = 0; i < n; i += 1023) data[i] = i;
  data[n - 1] = 7;
  using x = tensor(gpu, [n], data);
  const got = x.readSync();
  assert.ok(got.every((v, i) => v === data[i]));
  const { tensorBytesMax } = gpu.describe();
  if (tensorBytesMax < 2 ** 31) assert.throws(() => empty(gpu, [tensorBytesMax / 4 + 1]), { name: "UnsupportedError" });
  x.dispose();
  gpu.trim();
});

/** Records work that takes a while, and answers what it computes: the sum of a product of ones, over and over. */
function long(gpu: VulkanDevice): { y: Tensor<"f32", [number, number]>; value: number } {
  const [n, turns] = gpu.describe().kind === "software" ? [384, 3] : [4096, 40];
  using a = tensor(gpu, [n, n], new Float32Array(n * n).fill(1));
  const y = zeros(gpu, [n, n]) as Tensor<"f32", [number, number]>;
  for (let i = 0; i < turns; i++) matmul(a as never, a as never, { out: y, beta: 1 } as never);
  return { y, value: turns * n };
}

const reached = (gpu: VulkanDevice, ticket: number) => native.tw_gpu_reached(gpu.handle, ticket);

gpuTest("gpu: read() and sync() leave the event loop free while the device works", async (gpu) => {
  long(gpu).y.dispose();
  await gpu.sync();
  for (const wait of [(y: Tensor) => y.read(), () => gpu.sync()]) {
    const { y, value } = long(gpu);
    let during = 0;
    const done = wait(y);
    const ticket = native.tw_gpu_submit(gpu.handle);
    const timer = setInterval(() => {
      if (reached(gpu, ticket) === 0) during++;
    }, 1);
    await done;
    clearInterval(timer);
    assert.ok(during > 1, `a timer fired ${during} times while the device worked`);
    assert.equal(y.readSync()[1], value);
    y.dispose();
  }
});

gpuTest("gpu: an upload returns before earlier work is done", (gpu) => {
  const { y, value } = long(gpu);
  const ticket = native.tw_gpu_submit(gpu.handle);
  using x = tensor(gpu, [50_000], new Float32Array(50_000).fill(3)), z = mul(x, x);
  assert.equal(reached(gpu, ticket), 0, "it waited");
  assert.equal(z.readSync()[49_999], 9);
  assert.equal(reached(gpu, ticket), 1);
  assert.equal(y.readSync()[0], value);
  y.dispose();
});

gpuTest("gpu: nobody waits for a ticket that was never given out", (gpu) => {
  const ticket = native.tw_gpu_submit(gpu.handle);
  const invalid = manifest.statuses.indexOf("InvalidArgument");
  assert.equal(native.tw_gpu_wait(gpu.handle, ticket), 0);
  for (const forged of [ticket + 1000, 2 ** 52, -1, NaN]) {
    assert.equal(native.tw_gpu_wait(gpu.handle, forged), invalid);
    assert.equal(reached(gpu, forged), -invalid);
  }
});

gpuTest("gpu: an adapter that is opened twice is one device, by whatever it is called", async (gpu) => {
  const { index, name, uuid } = gpu.describe();
  for (const options of [{ index }, { name }, { name: uuid }, { name: String(index) }]) assert.equal(await vulkan(options), gpu);
  assert.equal(devices()[index]!.name, name);
});

gpuTest("gpu: a read that cannot be asked for leaves nothing behind", async (gpu) => {
  using x = tensor(gpu, [3], [1, 2, 3]);
  const { copies } = gpu.statistics();
  const gone = tensor(gpu, [1], [1]);
  gone.dispose();
  await assert.rejects(gone.read(), TypeError);
  explain(() => assert.throws(() => x.readSync(), TypeError));
  assert.equal(gpu.statistics().copies, copies + 1); // the upload of `gone`
});

gpuTest("gpu: trim gives back what is free, and what is not stays as it is", async (gpu) => {
  const kept = tensor(gpu, [5 << 20], new Float32Array(5 << 20).fill(4));
  tensor(gpu, [6 << 20], new Float32Array(6 << 20)).dispose();
  const before = gpu.statistics().heldBytes;
  gpu.trim();
  assert.ok(before - gpu.statistics().heldBytes >= 24 << 20);
  const got = await kept.read();
  assert.equal(got[(5 << 20) - 1], 4);
  kept.dispose();
  gpu.trim();
});

gpuTest("gpu: a tensor as long as a block of small ones leaves that one in use", (gpu) => {
  const some: Tensor[] = [];
  const asks = (n: number) => {
    const before = gpu.statistics().allocations;
    some.push(empty(gpu, [n]));
    return gpu.statistics().allocations - before;
  };
  while (asks(5 << 18) === 0);
  assert.deepEqual([asks(16 << 20), asks(5 << 18), asks(16 << 20), asks(5 << 18)], [1, 0, 1, 0]);
  for (const x of some) x.dispose();
  gpu.trim();
});

gpuTest("gpu: sums with broadcasting and views", (gpu) => {
  assertAsOnCpu(gpu, "add", (d) => {
    const a = randomTensor([5, 37], "f32", 1, d), b = randomTensor([37], "f32", 2, d);
    return { plain: add(a, b), turned: add(transpose(a), transpose(a)), product: mul(a, a) };
  }, 0);
});

// gpu.time: what the device's own clock says of the work that a function asks for.
import assert from "node:assert/strict";
import { cpu, keep, matmul, memory, mul, ones, slice, type Tensor, tensor, zeros } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { gpuTest } from "./gpu_harness.ts";

gpuTest("gpu.time() of much work is much, of none nearly nothing, and all lies within what the program waited", async (gpu) => {
  using a = ones(gpu, [256, 256]);
  const start = performance.now();
  const much = await gpu.time(() => {
    for (let i = 0; i < 4; i++) matmul(a, a);
  });
  const waited = (performance.now() - start) / 1000;
  const nothing = await gpu.time(() => {});
  assert.ok(nothing >= 0 && much > nothing, `${much} s for four products, ${nothing} s for nothing`);
  assert.ok(much <= waited, `the device took ${much} s of ${waited} s`);
});

gpuTest("gpu.time() begins when all that was asked before is done", async (gpu) => {
  using a = ones(gpu, [256, 256]), x = tensor(gpu, [4], [1, 2, 3, 4]);
  const products = await gpu.time(() => {
    for (let i = 0; i < 8; i++) matmul(a, a);
  });
  // In one batch with the products, and behind them.
  const kept: Tensor[] = [];
  for (let i = 0; i < 8; i++) kept.push(matmul(a, a) as Tensor);
  const small = await gpu.time(() => mul(x, x));
  for (const t of kept) t.dispose();
  assert.ok(small < products / 2, `a product of four numbers took ${small} s behind products that take ${products} s`);
});

gpuTest("gpu.time() counts what runs in several batches", async (gpu) => {
  using x = tensor(gpu, [4], [1, 2, 3, 4]);
  const before = gpu.statistics().submissions;
  const seconds = await gpu.time(() => {
    for (let i = 0; i < 300; i++) mul(x, x);
  });
  assert.ok(gpu.statistics().submissions - before >= 4);
  assert.ok(seconds > await gpu.time(() => mul(x, x)));
});

gpuTest("gpu.time() measures in each other and side by side, each from its own clock", async (gpu) => {
  using a = ones(gpu, [128, 128]);
  let inner: Promise<number> | undefined;
  const outer = await gpu.time(() => {
    matmul(a, a);
    inner = gpu.time(() => matmul(a, a));
    matmul(a, a);
  });
  assert.ok(await inner! < outer);
  const all = await Promise.all(Array.from({ length: 100 }, () => gpu.time(() => mul(a, a))));
  assert.ok(all.every((seconds) => seconds > 0));
});

gpuTest("gpu.time() frees what is made inside but what is kept, and results are right", async (gpu) => {
  using x = tensor(gpu, [3], [1, 2, 3]);
  const { tensors } = memory();
  let kept: Tensor<"f32", [3]> | undefined;
  await gpu.time(() => {
    kept = keep(mul(x, x));
    return mul(x, x);
  });
  assert.equal(memory().tensors, tensors + 1);
  assert.deepEqual([...await kept!.read()], [1, 4, 9]);
  kept!.dispose();
});

gpuTest("gpu.time() passes on what the work throws and refuses async work; neither keeps a measure from others", async (gpu) => {
  using x = tensor(gpu, [3], [1, 2, 3]);
  const { tensors } = memory();
  for (let i = 0; i < 300; i++) {
    await assert.rejects(
      gpu.time(() => {
        mul(x, x);
        throw new Error("mine");
      }),
      /^Error: mine$/,
    );
  }
  await assert.rejects(gpu.time((async () => await x.read()) as never), /^TypeError: time: the work must not be async$/);
  assert.equal(memory().tensors, tensors);
  assert.ok(await gpu.time(() => mul(x, x)) > 0);
});

gpuTest("gpu.time() refuses more measures than can wait, in words, before the work begins", async (gpu) => {
  let ran = 0;
  const all = await Promise.allSettled(Array.from({ length: 300 }, () => gpu.time(() => void ran++)));
  const refused = all.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  assert.equal(ran, 300 - refused.length);
  assert.equal(refused.length, 300 - 256);
  assert.match(String(refused[0]!.reason), /^RangeError: time: 256 measures wait for their results already; await some first$/);
  assert.ok(await gpu.time(() => {}) >= 0);
});

gpuTest("gpu: the loop of multiply-adds counts its operations and takes longer for more, and the driver's copy copies", async (gpu) => {
  const groups = 4, flops = (iterations: number) => native.tw_gpu_peak_multiply_add(gpu.handle, groups, iterations);
  assert.equal(flops(10), groups * 256 * 10 * 8 * 8 * 2);
  const short = await gpu.time(() => flops(100)), long = await gpu.time(() => flops(2000));
  assert.ok(long > 3 * short, `20 times the work took ${long} s after ${short} s: some of it was left out`);
  assert.ok(native.tw_gpu_peak_multiply_add(gpu.handle, 0, 1) < 0);
  assert.ok(native.tw_gpu_peak_multiply_add(gpu.handle, 2 ** 32 - 1, 1) < 0);
  assert.ok(native.tw_gpu_peak_multiply_add(cpu.handle, 1, 1) < 0);

  using whole = tensor(gpu, [100], Float32Array.from({ length: 100 }, (_, i) => i)), out = zeros(gpu, [100]);
  using x = slice(whole, 0, 10, 40), part = slice(out, 0, 60, 90), near = slice(whole, 0, 5, 35);
  assert.equal(native.tw_gpu_peak_copy(gpu.handle, part.handle, x.handle), 0);
  const wanted = Array.from({ length: 100 }, (_, i) => i >= 60 && i < 90 ? i - 50 : 0);
  assert.deepEqual([...out.readSync()], wanted);
  assert.notEqual(native.tw_gpu_peak_copy(gpu.handle, x.handle, near.handle), 0, "of the same memory");
  assert.notEqual(native.tw_gpu_peak_copy(gpu.handle, out.handle, x.handle), 0, "of another size");
});

// One GPU and several Workers: what each computes is right, what a Worker leaves behind is freed, and the process ends.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { assertEndedWell, child, childJson, runtime, slow, workers } from "./child.ts";
import { noGpu } from "./gpu_harness.ts";

const timeout = slow ? 600_000 : 110_000;
const secondsMax = slow ? 500 : 100;
const env = { TILEWORK_GPU: process.env.TILEWORK_GPU ?? "0", TILEWORK_GPU_VALIDATION: process.env.TILEWORK_GPU_VALIDATION ?? "0" };
const skip = noGpu;

const gone = `
  import { memory } from "tilework";
  import { pause } from "./workers.ts";
  /** Waits until there are no more tensors than before; a Worker's thread ends a little after it was told to. */
  export async function onlyMine(before) {
    for (let turn = 0; memory().tensors > before; turn++) {
      if (turn > 5000) throw new Error(memory().tensors - before + " tensors of Workers are left");
      await pause(2);
    }
  }`;
const files = { "workers.ts": workers, "gone.ts": gone };

test(
  "four Workers that submit to one GPU at once, while its memory is trimmed, all get what they ask for (C10)",
  { timeout, skip },
  async () => {
    const submissions = slow ? 1000 : 250;
    const told = await childJson(
      `
    import { memory, vulkan, tensor, mul } from "tilework";
    import { message, start } from "./workers.ts";
    import { onlyMine } from "./gone.ts";
    const gpu = await vulkan(), x = tensor(gpu, [3], [1, 2, 3]);
    const before = memory().tensors, { bytes, submissions } = gpu.statistics();
    const all = [0, 1, 2, 3].map(() => start("./worker.ts"));
    await Promise.all(all.map(message));
    let working = true;
    const ended = Promise.all(all.map((worker, i) => { const m = message(worker); worker.postMessage(i); return m; })).finally(() => working = false);
    let trims = 0;
    while (working) {
      gpu.trim();
      trims++;
      const y = mul(x, x);
      if ((await y.read()).join() !== "1,4,9") throw new Error("the main thread got something else");
      y.dispose();
    }
    const answers = await ended;
    const held = gpu.statistics().bytes - bytes;
    for (const worker of all) worker.terminate();
    await onlyMine(before);
    console.log(JSON.stringify({
      answers, trims, held, left: gpu.statistics().bytes - bytes, submissions: gpu.statistics().submissions - submissions,
      messages: gpu.statistics().validationMessages,
    }));`,
      {
        files: {
          ...files,
          "worker.ts": `
          import { layerNorm, matmul, ones, scope, softmax, tensor, vulkan } from "tilework";
          self.onmessage = async ({ data: me }) => {
            try {
              const gpu = await vulkan();
              // Held by the Worker, or the garbage collector may take it before the main thread has counted.
              const kept = self.kept = tensor(gpu, [1 << 18], new Float32Array(1 << 18).fill(me));
              const a = ones(gpu, [64, 64]), rows = tensor(gpu, [5, 64], new Float32Array(320).fill(me));
              for (let i = 0; i < ${submissions}; i++) {
                const n = 1 + (i * 37 + me) % 64;
                const x = tensor(gpu, [n, 64], new Float32Array(64 * n).fill(1 + me));
                const c = matmul(x, a), s = softmax(rows);
                const got = i % 3 === 0 ? c.readSync() : await c.read();
                if (got.length !== 64 * n || got.some((v) => v !== 64 * (1 + me))) throw new Error(me + ", " + i + ": a product is wrong");
                if (i % 5 === 0 && s.readSync().some((v) => v !== 1 / 64)) throw new Error(me + ", " + i + ": softmax is wrong");
                for (const t of [x, c, s]) t.dispose();
              }
              if ((await kept.read()).some((v) => v !== me)) throw new Error(me + ": what was kept is gone");
              self.postMessage("right");
            } catch (error) {
              self.postMessage(String(error?.stack ?? error));
            }
          };
          self.postMessage("ready");`,
        },
        env,
        secondsMax,
      },
    ) as { answers: string[]; trims: number; held: number; left: number; submissions: number; messages: number };
    assert.deepEqual(told.answers, ["right", "right", "right", "right"]);
    assert.ok(told.trims > 3, `${told.trims} trims`);
    assert.ok(told.held >= 4 << 20, `each Worker's tensors are its own, on the one device: ${told.held} bytes`);
    assert.ok(told.submissions >= 4 * submissions, `${told.submissions} submissions`);
    assert.deepEqual([told.left, told.messages], [0, 0]);
  },
);

test("a Worker that is terminated while it reads leaves neither tensors nor copies behind", { timeout, skip }, async () => {
  const count = slow ? 40 : 8;
  const { allocations, bytes, messages } = await childJson(
    `
    import { memory, mul, tensor, vulkan } from "tilework";
    import { message, start } from "./workers.ts";
    import { onlyMine } from "./gone.ts";
    const gpu = await vulkan(), x = tensor(gpu, [3], [1, 2, 3]), before = memory().tensors;
    const allocations = [], bytes = [];
    for (let i = 0; i < ${count}; i++) {
      const worker = start("./worker.ts");
      await message(worker);
      worker.terminate();
      await onlyMine(before);
      // Four batches more, and the last one that the Worker handed over is done.
      for (let j = 0; j < 5; j++) if (x.readSync()[2] !== 3) throw new Error("wrong");
      allocations.push(gpu.statistics().allocations);
      bytes.push(gpu.statistics().bytes);
    }
    console.log(JSON.stringify({ allocations, bytes, messages: gpu.statistics().validationMessages }));`,
    {
      files: {
        ...files,
        "worker.ts": `
          import { matmul, ones, tensor, vulkan } from "tilework";
          const gpu = await vulkan();
          const x = tensor(gpu, [5 << 20], new Float32Array(5 << 20)), a = ones(gpu, [256, 256]), c = matmul(a, a);
          for (let i = 0; i < 3; i++) x.read(); // nobody waits
          self.postMessage("reading");`,
      },
      env,
      secondsMax,
    },
  ) as { allocations: number[]; bytes: number[]; messages: number };
  assert.equal(messages, 0);
  assert.equal(allocations.at(-1), allocations[2], `the driver was asked for memory for each: ${allocations}`);
  assert.equal(new Set(bytes).size, 1, `${bytes}`);
});

test("a copy that another thread asked for cannot be taken", { timeout, skip }, async () => {
  const answer = await childJson(
    `
    import { tensor, vulkan } from "tilework";
    import { native } from "tilework/ffi/library.ts";
    import { message, start } from "./workers.ts";
    const gpu = await vulkan(), x = tensor(gpu, [3], [1, 2, 3]);
    const request = native.tw_tensor_download(x.handle);
    const worker = start("./worker.ts");
    await message(worker);
    worker.postMessage([request, x.handle]);
    const theirs = await message(worker);
    const out = new Float32Array(3);
    console.log(JSON.stringify([theirs, native.tw_tensor_finish(out, request, 12), [...out], native.tw_tensor_finish(out, request, 12)]));
    worker.terminate();`,
    {
      files: {
        ...files,
        "worker.ts": `
          import { vulkan } from "tilework";
          import { native } from "tilework/ffi/library.ts";
          self.onmessage = async ({ data: [request, x] }) => {
            await vulkan();
            const out = new Float32Array(3);
            self.postMessage([
              native.tw_tensor_finish(out, request, 12), native.tw_tensor_downloaded(request), native.tw_tensor_download(x), native.tw_tensor_free(x),
            ]);
          };
          self.postMessage("ready");`,
      },
      env,
    },
  );
  assert.deepEqual(answer, [[2, -2, 0, 2], 0, [1, 2, 3], 2]);
});

test("a process ends while its GPU works, by itself, by exit() and by a throw", { timeout, skip }, async () => {
  const ends = [["", 0], ["throw new Error('thrown');", 1], ["y.read(); throw new Error('thrown');", 1]] as const;
  // Drivers crash now and then where exit() finds them at work.
  const exits = Array(slow ? 40 : 8).fill(["process.exit(3);", 3] as const) as ["process.exit(3);", 3][];
  for (const [end, code] of [...ends, ...exits]) {
    const ended = await child(
      `
      import process from "node:process";
      import { matmul, ones, vulkan } from "tilework";
      const gpu = await vulkan();
      const a = ones(gpu, [384, 384]);
      let y = a;
      for (let i = 0; i < 4; i++) y = matmul(y, a);
      gpu.sync();
      ${end}`,
      { env, secondsMax },
    );
    assert.deepEqual([ended.code, ended.signal], [code, null], `${end}: ${ended.stderr}`);
    if (code === 0) assertEndedWell(ended);
  }
});

test("a process that exits while its Workers use a GPU prints nothing and has the code it asked for", {
  timeout,
  skip: runtime === "node" ? "Node may crash there by itself" : skip,
}, async () => {
  for (let round = 0; round < (slow ? 30 : 6); round++) {
    const { code, signal, stdout, stderr, seconds } = await child(
      `
      import process from "node:process";
      import { message, pause, start } from "./workers.ts";
      const all = ["./waiting.ts", "./awaiting.ts", "./waiting.ts"].map(start);
      await Promise.all(all.map(message));
      await pause(${10 * round});
      process.exit(3);`,
      {
        files: {
          "workers.ts": workers,
          "begin.ts": `
            import { matmul, ones, vulkan } from "tilework";
            const gpu = await vulkan(), a = ones(gpu, [128, 128]);
            export const product = () => matmul(a, a);
            self.postMessage("ready");`,
          "waiting.ts": `
            import { product } from "./begin.ts";
            for (;;) {
              const y = product();
              y.readSync();
              y.dispose();
            }`,
          "awaiting.ts": `
            import { product } from "./begin.ts";
            for (;;) {
              const y = product();
              await y.read();
              y.dispose();
            }`,
        },
        env,
        secondsMax,
      },
    );
    assert.deepEqual([code, signal, stdout, stderr], [3, null, "", ""]);
    assert.ok(seconds < 30, `it took ${seconds} s to end`);
  }
});

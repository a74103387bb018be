// The pool as a program sees it: tiny calls from several Workers, threads' names, what an idle pool costs, a thread that the system does not run.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { assertEndedWell, child, childJson, exists, slow } from "./child.ts";
import { seed } from "./harness.ts";

const timeout = slow ? 600_000 : 110_000;
const secondsMax = slow ? 500 : 100;
const notLinux = process.platform === "linux" ? false : "reads /proc";

/** The threads of the pool: their names and the nanoseconds that each has run. */
const threads = `
  import { readdirSync, readFileSync } from "node:fs";
  const read = (id, file) => readFileSync("/proc/self/task/" + id + "/" + file, "utf8");
  export const threads = () => readdirSync("/proc/self/task")
    .map((id) => ({ id, name: read(id, "comm").trim(), ran: Number(read(id, "schedstat").split(" ")[0]) }))
    .filter(({ name }) => name.startsWith("tilework-"));`;

test("thousands of tiny calls from four Workers come to an end, and every element is right", { timeout }, async () => {
  const calls = slow ? 40_000 : 3000;
  const ended = await child(
    `
    const workers = Array.from({ length: 4 }, (_, i) => new Worker(new URL("./worker.ts?" + i, import.meta.url).href, { type: "module" }));
    await Promise.all(workers.map((worker, i) => new Promise((resolve, reject) => {
      worker.onerror = (event) => { event.preventDefault?.(); reject(new Error("a Worker failed: " + event.message)); };
      worker.onmessage = ({ data }) => {
        if (data === "ready") worker.postMessage(i);
        else if (data === "done") resolve();
        else reject(new Error("Worker " + i + ", seed ${seed}: " + data));
      };
    })));
    for (const worker of workers) worker.terminate();`,
    {
      files: {
        "worker.ts": `
          import { cpuDevice, matmul, scope, softmax, tensor } from "tilework";
          self.onmessage = ({ data: number }) => {
            try {
              let state = ${seed} * 4 + number + 1;
              const random = (n) => (state = (state * 48271) % 2147483647) % n; // Lehmer
              // Two workers exactly and as many as the library takes, each with the usual gate of products and with none.
              const devices = [2, "auto"].flatMap((threads) => [undefined, 0].map((parallelThreshold) =>
                cpuDevice({ threads, tuning: { cores: 4, parallelThreshold, parMnkPerWorker: 1000, gemvParallelBytes: 0 } })));
              // A row of ones, times what has the column's number in each column: the sums are k times that number, exactly.
              const sizes = [[1, 16, 16], [3, 8, 33], [16, 16, 16], [48, 256, 48], [49, 257, 48]];
              const cases = devices.map((device) => sizes.map(([m, k, n]) => ({
                m, k, n,
                a: tensor(device, [m, k], new Float32Array(m * k).fill(1)),
                b: tensor(device, [k, n], Float32Array.from({ length: k * n }, (_, i) => i % n)),
              })));
              for (let call = 0; call < ${calls}; call++) {
                const pick = random(8);
                const { m, k, n, a, b } = cases[random(4)][pick < 3 ? 3 : pick < 5 ? 4 : pick - 5];
                scope(() => {
                  const c = matmul(a, b).readSync();
                  for (let i = 0; i < m * n; i++) {
                    if (c[i] !== k * (i % n)) throw new Error("call " + call + ": element " + i + " of " + [m, k, n] + " is " + c[i]);
                  }
                  if (call % 8 === 0) for (const v of softmax(a).readSync()) if (v !== Math.fround(1 / k)) throw new Error("softmax gave " + v);
                });
              }
              self.postMessage("done");
            } catch (error) {
              self.postMessage(String(error?.stack ?? error));
            }
          };
          self.postMessage("ready");`,
      },
      secondsMax,
    },
  );
  assertEndedWell(ended);
});

test("threads of the pool are named and numbered, and after 100 ms they no longer run", { timeout, skip: notLinux }, async () => {
  const { names, before, after } = await childJson(
    `
    import { cpuDevice, matmul, ones } from "tilework";
    import { threads } from "./threads.ts";
    const device = cpuDevice({ threads: 4, tuning: { cores: 4, parallelThreshold: 0 } });
    const a = ones(device, [256, 256]);
    for (let i = 0; i < 20; i++) matmul(a, a).dispose();
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    await pause(100);
    const before = threads();
    await pause(300);
    const after = threads();
    console.log(JSON.stringify({ names: after.map(({ name }) => name).sort(), before: before.map(({ ran }) => ran), after: after.map(({ ran }) => ran) }));`,
    { files: { "threads.ts": threads }, secondsMax },
  ) as { names: string[]; before: number[]; after: number[] };
  assert.deepEqual(names, ["tilework-1", "tilework-2", "tilework-3"]);
  assert.ok(before.some((ns) => ns > 0), "the system counts what they run");
  assert.deepEqual(after, before, "nanoseconds before and after a pause of 300 ms");
});

const noTools = process.platform !== "linux"
  ? "sets how threads are run"
  : await exists("chrt", "--version") && await exists("taskset", "--version")
  ? false
  : "util-linux is not installed";

test("a call does not wait for a thread that the system does not run", { timeout, skip: noTools }, async () => {
  const { apart, serial } = await childJson(
    `
    import { spawn, spawnSync } from "node:child_process";
    import { readFileSync } from "node:fs";
    import process from "node:process";
    import { cpuDevice, matmul, ones } from "tilework";
    import { threads } from "./threads.ts";
    const processor = readFileSync("/proc/self/status", "utf8").match(/Cpus_allowed_list:\\s*(\\d+)/)[1];
    const time = (device) => {
      using a = ones(device, [64, 64]);
      const times = Array.from({ length: 60 }, () => {
        const start = performance.now();
        matmul(a, a).dispose();
        return performance.now() - start;
      });
      return times.sort((x, y) => x - y)[30];
    };
    const tuning = { cores: 2, parallelThreshold: 0 };
    time(cpuDevice({ threads: 2, tuning }));
    // The pool's only thread may use one processor, and only while nobody else wants it; somebody always does.
    const [{ id }] = threads();
    const command = (...words) => { const { status, stderr } = spawnSync(words[0], words.slice(1)); if (status !== 0) throw new Error(String(stderr)); };
    command("taskset", "-c", "-p", processor, id);
    command("chrt", "--idle", "-p", "0", id);
    const busy = spawn("taskset", ["-c", processor, "sh", "-c", "while :; do :; done"], { stdio: "ignore" });
    try {
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(JSON.stringify({ apart: time(cpuDevice({ threads: 2, tuning })), serial: time(cpuDevice({ threads: "serial" })) }));
    } finally {
      busy.kill("SIGKILL");
    }`,
    { files: { "threads.ts": threads }, secondsMax },
  ) as Record<"apart" | "serial", number>;
  // A thread of the idle class gets one slice of 3 ms in a second; the product takes some 20 µs, and waking the thread about as much.
  assert.ok(apart < 20 * serial + 1, `median of ${apart} ms with a worker that is not run, ${serial} ms without it`);
});

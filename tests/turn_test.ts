import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { child } from "./child.ts";
import { gpuTest } from "./gpu_harness.ts";
import { tensor } from "../mod.ts";

/** What a program saw while it trained: ticks of a timer of 10 ms, signals, requests to its server. */
interface Seen {
  ticks: number;
  signals: number;
  answers: number;
  milliseconds: number;
}

/**
 * A training loop that awaits nothing but `each` after a step, until it has answered a request, got a signal and gone on for 300 ms. The signal and the request
 * come from this process once the program says that it listens.
 */
async function train(each: string, loops = 1): Promise<Seen> {
  const signal = process.platform !== "win32"; // where a signal would end the program
  let asked = false;
  const ended = await child(
    `
    import http from "node:http";
    import process from "node:process";
    import { cpu, matmul, ones, sum } from "tilework";
    const seen = { ticks: 0, signals: ${signal ? 0 : 1}, answers: 0, milliseconds: 0 };
    setInterval(() => seen.ticks++, 10);
    process.on("SIGINT", () => seen.signals++);
    const server = http.createServer((_, answer) => { seen.answers++; answer.end("here"); }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    console.log("port " + server.address().port + ";");
    await new Promise((resolve) => setTimeout(resolve, 20)); // the line has to leave before the loop begins, for it is what the test answers
    const x = ones(cpu, [96, 96]), y = ones(cpu, [96, 96]), loss = sum(x);
    const start = performance.now();
    const done = () => seen.signals > 0 && seen.answers > 0 && seen.milliseconds > 300;
    const loop = async () => {
      while (!done() && seen.milliseconds < 15_000) {
        matmul(x, x, { out: y });
        await ${each};
        seen.milliseconds = performance.now() - start;
      }
    };
    await Promise.all(Array.from({ length: ${loops} }, loop));
    console.log(JSON.stringify(seen));
    process.exit(0);`,
    {
      watch(stdout, pid) {
        const port = stdout.match(/port (\d+);/)?.[1];
        if (asked || port === undefined) return;
        asked = true;
        if (signal) process.kill(pid, "SIGINT");
        fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text()).catch(() => {}); // the program ends as soon as it has answered
      },
    },
  );
  assert.equal(ended.code, 0, `${ended.stdout}\n${ended.stderr}`);
  return JSON.parse(ended.stdout.trim().split("\n").at(-1)!) as Seen;
}

for (const each of ["loss.item()", "y.read()", "cpu.sync()"]) {
  test(`a loop that awaits ${each} lets timers, a signal and a socket through`, { timeout: 60_000 }, async () => {
    const { ticks, signals, answers, milliseconds } = await train(each);
    assert.ok(ticks >= milliseconds / 10 / 4, `${ticks} ticks in ${milliseconds} ms`);
    assert.deepEqual([signals, answers], [1, 1]);
  });
}

test("two loops that await what is done do not starve the rest of the program", { timeout: 60_000 }, async () => {
  const { ticks, signals, answers, milliseconds } = await train("loss.item()", 2);
  assert.ok(ticks >= milliseconds / 10 / 4, `${ticks} ticks in ${milliseconds} ms`);
  assert.deepEqual([signals, answers], [1, 1]);
});

gpuTest("a loop that awaits a GPU which is done lets timers through", async (gpu) => {
  using x = tensor(gpu, [1], [1]);
  for (const wait of [() => x.item(), () => gpu.sync()]) {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const start = performance.now();
    while (performance.now() - start < 300) await wait();
    clearInterval(timer);
    assert.ok(ticks >= 5, `${ticks} ticks`);
  }
});

test("a value that is awaited is the one of the moment of the call", async () => {
  const { cpu, ones } = await import("../mod.ts");
  using x = ones(cpu, [1]);
  await new Promise((resolve) => setTimeout(resolve, 10)); // a turn is due
  const item = x.item(), read = x.read();
  x.write([2]);
  assert.deepEqual([await item, [...await read]], [1, [1]]);
});

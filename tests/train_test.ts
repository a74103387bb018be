// The demo as a program: what it prints, that it learns, and that a run that was interrupted comes to the same bits.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { adamW, clipByGlobalNorm, cpu, type Device, memory, random, scope, Tensor, treeMap, valueAndGrad } from "../mod.ts";
import { lossCurve } from "../examples/loss_curve.ts";
import { configs, dense, init, loss, trainingLoss } from "../examples/model.ts";
import { runOf } from "../report/page.ts";
import type { Run } from "../report/recorder.ts";
import { sampleBatch } from "../examples/text.ts";
import { runtime, slow, starting } from "./child.ts";
import { gpuTest, noGpu } from "./gpu_harness.ts";

interface Ended {
  /** The exit code. Deno takes one of 128 + n for the end by a signal; that is turned back. */
  code: number | null;
  stdout: string;
  stderr: string;
}

type Watch = (kill: (signal: NodeJS.Signals) => void, stderr: string, stdout: string, pid: number) => void;

/**
 * Runs the demo in the runtime that runs this test, started by the command `under`. `watch` sees the process and what it has written so
 * far.
 */
function demo(args: string[], watch?: Watch, under: string[] = []): Promise<Ended> {
  const example = fileURLToPath(new URL("../examples/train.ts", import.meta.url));
  return new Promise((resolve, reject) => {
    const [command, ...rest] = [...under, ...starting, example, ...args];
    const child = spawn(command!, rest, { stdio: ["ignore", "pipe", "pipe"] });
    const ended: Ended = { code: null, stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => ended.stdout += chunk);
    child.stderr.on("data", (chunk) => {
      ended.stderr += chunk;
      watch?.((signal) => child.kill(signal), ended.stderr, ended.stdout, child.pid!);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ ...ended, code: code ?? (signal === "SIGINT" ? 130 : null) }));
  });
}

/** Runs the demo and returns the object on the last line. */
async function demoJson(args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await demo([...args, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

/** A folder with a text of its own, so that nothing else has to be there. */
async function inFolder(body: (folder: string, text: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-train-"));
  try {
    const text = join(folder, "text.txt");
    await writeFile(text, "Round and round the rugged rock the ragged rascal ran. ".repeat(200));
    await body(folder, text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The run that the report of a finished or interrupted run shows. */
async function reportOf(out: string): Promise<Run> {
  return runOf(await readFile(join(out, "report.html"), "utf8"))!;
}

/** The steps and values of one series, and those of all series whose name begins so. */
const columnOf = (run: Run, name: string) => run.columns[run.series.findIndex((one) => one.name === name)]!;
const columnsOf = (run: Run, start: string) => run.columns.filter((_, i) => run.series[i]!.name.startsWith(start));

const tiny = (text: string, out: string, ...more: string[]): string[] => ["--size", "tiny", "--text", text, "--out", out, ...more];

test("the demo trains, learns, writes its files and ends with one JSON line", () =>
  inFolder(async (folder, text) => {
    const result = await demoJson(tiny(text, join(folder, "a"), "--steps", "60", "--threads", "2", "--seed", "7"));
    assert.equal(result.runtime, runtime);
    assert.equal(result.threads, 2);
    assert.equal(result.steps, 60);
    assert.ok(typeof result.device === "string" && result.device.startsWith("cpu"));
    assert.ok(Number(result.tokens_per_second) > 0);
    const [first, last, heldOut] = [Number(result.first_loss), Number(result.last_loss), Number(result.heldout_loss)];
    assert.ok(first > 5 && first < 7, `the first loss is ${first}, about ln 256`);
    assert.ok(last < first - 1, `the loss fell from ${first} to ${last}`);
    assert.ok(Math.abs(heldOut - last) < 1, `held-out ${heldOut}, last ${last}`);
    assert.deepEqual((await readdir(join(folder, "a"))).sort(), ["checkpoint.safetensors", "loss.svg", "report.html"]);
    assert.match(await readFile(join(folder, "a", "loss.svg"), "utf8"), /^<svg [\s\S]*<\/svg>\n$/);
    assert.ok(String(result.passage).length > 200);
    const page = await reportOf(join(folder, "a")), { state, done, samples, facts } = page;
    const fact = (name: string) => facts.find(([one]) => one === name)?.[1];
    assert.deepEqual([state, done, fact("seed"), fact("workers")], ["finished", 60, 7, 2]);
    const trained = columnOf(page, "loss").mean;
    assert.ok(Math.abs(trained[0]! - first) < 1e-3 && Math.abs(trained[59]! - last) < 1e-3);
    for (const name of ["loss", "rate", "norm", "speed"]) {
      const { at, mean } = columnOf(page, name);
      assert.deepEqual(at, Array.from({ length: 60 }, (_, step) => step));
      assert.ok(mean.every((value) => value! > 0), `${mean}`);
    }
    const looks = columnOf(page, "heldOut");
    assert.deepEqual([looks.at.length, looks.at[0], looks.at.at(-1)], [11, 0, 60]);
    assert.ok(Math.abs(looks.mean.at(-1)! - heldOut) < 1e-3);
    assert.deepEqual([
      samples.map(({ step }) => step),
      samples.at(-1)!.text,
    ], [[0, 12, 24, 36, 48, 60], result.passage]);

    const experts = columnsOf(page, "expert ");
    assert.deepEqual([result.model, experts.length], ["experts", 4]);
    for (let step = 0; step < 60; step++) {
      const load = experts.map(({ mean }) => mean[step]!);
      assert.ok(Math.abs(load.reduce((a, b) => a + b) - 1) < 1e-3, `the experts have all of the load: ${load}`);
    }

    const dense = await demoJson(tiny(text, join(folder, "c"), "--steps", "20", "--dense"));
    assert.equal(dense.model, "dense");
    assert.ok(Number(dense.last_loss) < Number(dense.first_loss) - 0.5, `the loss fell from ${dense.first_loss} to ${dense.last_loss}`);
    assert.deepEqual(columnsOf(await reportOf(join(folder, "c")), "expert "), [], "a dense model has no experts to show");

    const timed = await demoJson(tiny(text, join(folder, "b"), "--seconds", "0.5"));
    assert.ok(Number(timed.steps) >= 10 && timed.finished, "a time becomes a number of steps");
  }));

test("a run that was stopped and resumed comes to the same bits, with any number of workers", () =>
  inFolder(async (folder, text) => {
    const bytes = (out: string) => readFile(join(folder, out, "checkpoint.safetensors"));
    await demoJson(tiny(text, join(folder, "a"), "--steps", "8", "--threads", "1"));
    const half = await demoJson(tiny(text, join(folder, "b"), "--steps", "8", "--stop-at", "4", "--threads", "2"));
    assert.deepEqual([half.steps, half.steps_done, half.finished, half.heldout_loss], [8, 4, false, null]);
    assert.notDeepEqual(await bytes("b"), await bytes("a"));
    const whole = await demoJson(["--out", join(folder, "b"), "--resume"]);
    assert.deepEqual([whole.steps, whole.steps_done, whole.size, whole.finished], [8, 8, "tiny", true]);
    assert.deepEqual(await bytes("b"), await bytes("a"));
    const [a, b] = [await reportOf(join(folder, "a")), await reportOf(join(folder, "b"))];
    const told = (run: Run) => [run.facts.filter(([name]) => !["device", "workers"].includes(name)), run.series, curves(run), run.samples];
    const curves = (run: Run) => run.columns.filter((_, i) => run.series[i]!.name !== "speed");
    assert.deepEqual(told(b), told(a), "the report shows all of the run");
    const { mean } = columnOf(b, "speed");
    assert.ok(mean.length === 8 && mean.every((value) => value! > 0), "times of both parts");
    const again = await demoJson(["--out", join(folder, "b"), "--resume"]);
    assert.deepEqual([again.heldout_loss, again.passage], [whole.heldout_loss, whole.passage], "a finished run only writes again");
  }));

test(
  "Ctrl-C saves a checkpoint that the run goes on from",
  { skip: process.platform === "win32" && "Windows has no signals" },
  () =>
    inFolder(async (folder, text) => {
      const out = join(folder, "a");
      let asked = false; // a second signal would end it at once
      const { code, stdout, stderr } = await demo(tiny(text, out, "--steps", "1000000"), (kill, stderr) => {
        if (!asked && stderr.includes("step ")) kill("SIGINT"); // the first line of progress
        asked ||= stderr.includes("step ");
      });
      assert.equal(code, 130, stderr);
      const step = Number(/Stopped at step (\d+) of 1000000/.exec(stdout)?.[1]);
      assert.ok(step > 0, stdout);
      assert.ok((await stat(join(out, "checkpoint.safetensors"))).size > 1000);
      const next = await demoJson(["--out", out, "--resume", "--stop-at", `${step + 3}`]);
      assert.equal(next.steps_done, step + 3);
    }),
);

test(
  "--report shows the run while it goes on, and stops with it",
  { skip: process.platform === "win32" && "Windows has no signals" },
  () =>
    inFolder(async (folder, text) => {
      const out = join(folder, "a");
      let heard: Promise<string> | undefined;
      const { code, stdout } = await demo(tiny(text, out, "--steps", "1000000", "--report"), (kill, _, stdout) => {
        const url = /The report is at (\S+) while training goes on/.exec(stdout)?.[1];
        heard ??= url === undefined ? undefined : (async () => {
          assert.equal(runOf(await (await fetch(url)).text())!.state, "running");
          const events = await fetch(`${url}events`);
          let text = "", asked = false; // a second signal would end it at once
          for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) {
            text += chunk;
            if (asked || text.split("\nid: ").length < 3) continue; // until the third event: there were steps in between
            asked = true;
            kill("SIGINT");
          }
          return text;
        })();
      });
      assert.equal(code, 130);
      const events = await heard!, step = Number(/Stopped at step (\d+)/.exec(stdout)?.[1]);
      assert.ok(events.endsWith("event: end\ndata:\n\n"), events.slice(-200));
      const told: Run = JSON.parse(/^data: (.*)\n\nevent: end$/m.exec(events)![1]!);
      assert.deepEqual([told.state, told.done], ["stopped", step], "the last event says where it stopped");
      const report = await reportOf(out);
      assert.deepEqual([report.state, report.done], ["stopped", step]);
    }),
);

test("the demo names a flag that is wrong, a checkpoint that is not there, and a text that is another", () =>
  inFolder(async (folder, text) => {
    const fails = async (args: string[], message: RegExp) => {
      const { code, stderr } = await demo(args);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    };
    await fails(["--steps", "0"], /--steps must be a whole number from 1/);
    await fails(["--size", "huge"], /--size must be base or tiny, not huge/);
    await fails(tiny(text, join(folder, "none"), "--resume"), /ENOENT/);
    await demoJson(tiny(text, join(folder, "a"), "--steps", "1"));
    await fails(["--out", join(folder, "a"), "--resume", "--steps", "2"], /run has steps 1, not 2/);
    await writeFile(text, "Something else entirely. ".repeat(300));
    await fails(["--out", join(folder, "a"), "--resume"], /text\.txt is not the text that this run began with/);
  }));

test("the demo says before it trains that its folder cannot keep a checkpoint", () =>
  inFolder(async (folder, text) => {
    const fails = async (out: string, words: RegExp) => {
      const { code, stdout, stderr } = await demo(tiny(text, out, "--steps", "1000000"));
      assert.deepEqual([code, stdout], [1, ""], stderr);
      assert.match(stderr, words);
      assert.match(stderr, /\nNothing was trained: .*--out DIR names another\.\n$/);
      assert.ok(!stderr.includes("    at "), "a sentence, not a stack");
    };
    await fails(join(text, "below"), /ENOTDIR|EEXIST|ENOENT|Not a directory/);
    const out = join(folder, "a");
    await mkdir(join(out, "checkpoint.safetensors"), { recursive: true });
    await fails(out, /^The state of step 0 could not be kept: save: .*checkpoint\.safetensors: is a folder\n/);
    assert.deepEqual(await readdir(out), ["checkpoint.safetensors"]);
    await rm(join(out, "checkpoint.safetensors"), { recursive: true });
    await mkdir(join(out, "report.html"));
    await fails(out, /^The report of step 0 could not be kept: /);
    assert.deepEqual((await readdir(out)).sort(), ["checkpoint.safetensors", "report.html"]);
  }));

const limits = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;

test(
  "a disk that is full later leaves the demo's last checkpoint, and it says what to do",
  { skip: !limits && "no prlimit" },
  () =>
    inFolder(async (folder, text) => {
      const out = join(folder, "a"), path = join(out, "checkpoint.safetensors");
      // A process may write no file beyond a limit, which falls while it trains. Ignored, the signal of that is an error of the write.
      const under = ["bash", "-c", 'trap "" XFSZ; exec "$@"', "bash"];
      let asked = false; // a second signal would end it at once
      const { code, stdout, stderr } = await demo(tiny(text, out, "--steps", "1000000"), (_, stderr, __, pid) => {
        if (asked || !stderr.includes("step ")) return;
        asked = true;
        assert.equal(spawnSync("prlimit", ["--pid", `${pid}`, "--fsize=1000"]).status, 0);
        process.kill(pid, "SIGINT"); // Deno's child.kill would hide the exit code
      }, under);
      assert.equal(code, 1, stderr);
      const step = Number(/Stopped at step (\d+) of 1000000\.\n/.exec(stdout)?.[1]);
      assert.ok(step > 0, stdout);
      assert.match(
        stderr,
        new RegExp(`\nThe state of step ${step} could not be kept: save: .*checkpoint\\.safetensors: .*(EFBIG|File too large)`),
      );
      assert.match(
        stderr,
        /checkpoint\.safetensors holds step 0\. Make room there; the same command with --resume goes on from that step\.\n$/,
      );
      assert.ok((await readdir(out)).every((name) => !name.endsWith(".tmp")), "what was written in part is gone");
      assert.ok((await stat(path)).size > 1000);
      const next = await demoJson(["--out", out, "--resume", "--stop-at", "2"]);
      assert.equal(next.steps_done, 2);
    }),
);

test("training holds its memory constant", () => {
  const c = configs.tiny, text = new TextEncoder().encode("All my means are sane, my motive and my object mad. ".repeat(50));
  using rng = random(cpu, 3);
  const params = init(rng, c), lossAndGrads = valueAndGrad(loss);
  using optimizer = adamW(params);
  const step = () => {
    using value = scope(() => {
      const { value, grads } = lossAndGrads(params, ...sampleBatch(text, rng, c), c);
      clipByGlobalNorm(grads, 1);
      optimizer.step(params, grads, 1e-3);
      return value;
    });
    return value.itemSync();
  };
  for (let i = 0; i < 3; i++) step();
  const before = memory();
  for (let i = 0; i < 100; i++) step();
  const after = memory();
  // Not equal: what other test files left behind is freed when Deno ends their threads, at any moment.
  assert.ok(after.tensors <= before.tensors && after.bytes <= before.bytes, `${JSON.stringify(before)} became ${JSON.stringify(after)}`);
  assert.equal(after.peakBytes, before.peakBytes);
});

gpuTest("training on a GPU follows the CPU's losses, reads nothing back in a step, and asks its driver for nothing once it runs", (gpu) => {
  const text = new TextEncoder().encode("All my means are sane, my motive and my object mad. ".repeat(50));
  const { read, readSync } = Tensor.prototype;
  for (const c of [configs.tiny, dense(configs.tiny)]) {
    const losses = ([cpu, gpu] as Device[]).map((device) => {
      using rng = random(cpu, 3);
      const params = scope(() => treeMap(init(rng, c), (x) => x.to(device))), lossAndGrads = valueAndGrad(trainingLoss);
      using optimizer = adamW(params);
      const step = () =>
        scope(() => {
          const { value: [, loss], grads } = lossAndGrads(params, ...sampleBatch(text, rng, c, device), c);
          clipByGlobalNorm(grads, 1);
          optimizer.step(params, grads, 1e-2);
          return loss;
        });
      const curve = [step(), step(), step()];
      let reads = 0, before = gpu.statistics();
      Object.assign(Tensor.prototype, { read: () => reads++, readSync: () => reads++ });
      try {
        before = gpu.statistics();
        curve.push(step(), step(), step());
      } finally {
        Object.assign(Tensor.prototype, { read, readSync });
      }
      const { allocations, pipelines } = gpu.statistics();
      assert.deepEqual([reads, allocations, pipelines], [0, before.allocations, before.pipelines]);
      return curve.map((x) => x.itemSync());
    });
    losses[1]!.forEach((onGpu, i) => assert.ok(Math.abs(onGpu - losses[0]![i]!) < 1e-4 * losses[0]![i]!, `step ${i}: ${losses}`));
    assert.ok(losses[1]![5]! < losses[1]![0]! - 0.3, `it learns: ${losses[1]}`);
  }
}, { timeout: 240_000 });

test(
  "the demo trains on a GPU as on the CPU",
  { skip: noGpu || (!slow && "slow: TILEWORK_SLOW=1") },
  () =>
    inFolder(async (folder, text) => {
      const [onCpu, onGpu] = [[], ["--device", "vulkan:0"]].map((more, i) =>
        demoJson(tiny(text, join(folder, `${i}`), "--steps", "50", ...more))
      );
      const [a, b] = [await onCpu!, await onGpu!];
      assert.match(String(b.device), /^vulkan\(/);
      for (const name of ["first_loss", "last_loss", "heldout_loss"]) {
        assert.ok(Math.abs(Number(a[name]) - Number(b[name])) < 1e-3, `${name}: ${a[name]}, ${b[name]}`);
      }
    }),
);

test("lossCurve() draws a run of any length, unfinished ones too", () => {
  for (const count of [1, 2, 9, 100, 5000]) {
    const train = Float32Array.from({ length: count }, (_, i) => i > count * 0.7 ? NaN : 2 + 3 / (1 + i));
    const svg = lossCurve({ title: "A <b> & c", train, heldOut: [[0, 5.5], [count, NaN]] });
    assert.ok(!svg.includes("NaN") && !svg.includes("undefined") && !svg.includes("Infinity"), svg);
    assert.ok(svg.includes("A &lt;b&gt; &amp; c"));
    assert.ok(svg.length < 100_000);
  }
  assert.ok(!lossCurve({ title: "nothing", train: [NaN], heldOut: [] }).includes("NaN"));
});

/**
 * Tests and measures a GPU: whether every op computes there what it computes on the CPU, then how fast each is beside what the device itself can do, its
 * copies and a loop of multiply-adds. Prints one JSON line a case on stdout and a table on stderr. Needs the built library and nothing from a network, and
 * ends within its time, some four minutes.
 *
 *     deno task bench:gpu [options]          bun bench/gpu.ts [options]
 *
 *     --device NAME        a part of its name, its UUID or its index; otherwise what `vulkan()` takes, and where that is none, a processor that plays one
 *     --filter TEXT,…      only the cases whose description (op, layout, shape) holds one of the texts
 *     --seconds S          for everything, 240
 *     --no-tests           only measures
 *     --tiny               sizes that only show that everything runs, and one file of tests
 *
 * Lines are those of `json.ts`. `peer` is the device's own rate, that of its copies (`copy`) for ops that move memory, that of the loop (`fma-loop`) for
 * products, and `ratio` is ours over it. Times are taken by the device's clock, medians over all rounds. An op that the device lacks, or that does not fit
 * it or the time, has `ours` null and the reason in `missing`.
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { copy, devices, empty, OutOfMemoryError, UnsupportedError, vulkan, type VulkanDevice, zeros } from "@tilework/tilework";
// The loop, and the copy by the driver: no op.
import { native } from "../ffi/library.ts";
import { bunCounts, type Counts, denoCounts, line as countsLine, total } from "../scripts/counts.ts";
import { gpuTestArguments, gpuTestFiles } from "../scripts/gpu_tests.ts";
import { run } from "../scripts/process.ts";
import { type GpuCase, gpuCases } from "./gpu_cases.ts";
import { figure, machine, median } from "./harness.ts";

const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    device: { type: "string" },
    filter: { type: "string" },
    seconds: { type: "string", default: "240" },
    "no-tests": { type: "boolean", default: false },
    tiny: { type: "boolean", default: false },
  },
});
const { tiny } = options, secondsAll = Number(options.seconds);
if (!(secondsAll > 0)) throw new RangeError(`--seconds ${options.seconds}: wants a positive number`);
const start = performance.now();
const left = () => secondsAll - (performance.now() - start) / 1000;

/** Of a batch: a span that fits one has no gap in which the device waits for the program. */
const commandsOfBatch = 56;
const turnSeconds = tiny ? 0.0005 : 0.005, roundsMin = tiny ? 2 : 5, roundsMax = tiny ? 2 : 40, caseSecondsMax = 1;

const gpu = await chooseDevice();
const about = gpu.describe();
console.error(`${about.name} (${about.kind}), ${(about.memoryBytes / 2 ** 30).toFixed(1)} GiB`);
let failed = false;
if (!options["no-tests"]) await test();
const peaks = await measurePeaks();
await measureCases();
console.error(`${((performance.now() - start) / 1000).toFixed(0)} s in all`);
process.exit(failed ? 1 : 0);

async function chooseDevice(): Promise<VulkanDevice> {
  if (options.device !== undefined) return vulkan({ name: options.device });
  try {
    return await vulkan();
  } catch (error) {
    const index = devices().find(({ kind, unusable }) => kind === "software" && unusable === null)?.index;
    if (!(error instanceof UnsupportedError) || process.env.TILEWORK_GPU) throw error;
    if (index !== undefined) return vulkan({ index });
    if (!tiny) throw error;
    console.error(error.message); // a machine without any has nothing to show
    process.exit(0);
  }
}

/** Runs the tests that need a GPU on this one, file by file, those of all ops first, for at most 100 seconds. */
async function test(): Promise<void> {
  const first = "backend_test.ts";
  const files = tiny ? ["gpu_time_test.ts"] : [first, ...gpuTestFiles().filter((file) => file !== first)];
  const isBun = process.versions.bun !== undefined;
  const command = gpuTestArguments(isBun ? "bun" : "deno");
  const env = { TILEWORK_GPU: String(about.index), TILEWORK_GPU_VALIDATION: "1", NO_COLOR: "1" };
  const begin = performance.now(), end = begin + 1000 * Math.min(100, left() / 2);
  const sums: Counts[] = [], failedFiles: string[] = [];
  let leftOut = 0;
  for (const file of files) {
    const secondsMax = (end - performance.now()) / 1000;
    if (secondsMax < 1) {
      leftOut++;
      continue;
    }
    const { code, text } = await run([process.execPath, ...command, `./tests/${file}`], { output: "keep", env, secondsMax });
    const counts = (isBun ? bunCounts : denoCounts)(text);
    if (code === 124) leftOut++;
    else if (code !== 0) {
      counts.failed ||= 1; // one that fell before its summary has no counts
      failedFiles.push(file);
      console.error(text.trimEnd().split("\n").slice(-40).join("\n"));
    }
    sums.push(counts);
  }
  const counts = total(sums), seconds = figure((performance.now() - begin) / 1000);
  failed ||= counts.failed > 0 || counts.passed === 0;
  console.log(JSON.stringify({ group: "gpu", op: "tests", ...counts, failed_files: failedFiles, left_out: leftOut, seconds, ...where() }));
  console.error(`tests: ${countsLine(counts)} (${seconds} s)${leftOut > 0 ? `; ${leftOut} files not done in time` : ""}`);
}

interface Measured {
  readonly seconds: number;
  readonly calls: number;
  readonly rounds: number;
}

/** Seconds of a call on the device: rounds of as many calls as fill a turn and fit one batch, for at most `limit` seconds. */
async function measure(call: () => void, limit: number): Promise<Measured> {
  const end = performance.now() + 1000 * limit;
  call(); // compiles the shader
  await gpu.sync();
  const before = gpu.statistics();
  const once = await gpu.time(call);
  if (once > limit) return { seconds: once, calls: 1, rounds: 1 };
  const after = gpu.statistics(), commands = after.dispatches + after.copies - before.dispatches - before.copies;
  const calls = Math.max(1, Math.min(Math.ceil(turnSeconds / once), Math.floor(commandsOfBatch / Math.max(1, commands))));
  const seconds: number[] = [];
  while (seconds.length < roundsMin || (performance.now() < end && seconds.length < roundsMax)) {
    if (seconds.length > 0 && performance.now() > end + 1000 * limit) break; // even the least rounds take too long
    await gpu.sync(); // so that the turn begins a batch
    seconds.push(
      await gpu.time(() => {
        for (let i = 0; i < calls; i++) call();
      }) / calls,
    );
  }
  return { seconds: median(seconds), calls, rounds: seconds.length };
}

interface Peaks {
  /** Bytes a second of the faster one of our copy and the driver's, read and written. */
  readonly copy: number;
  /** Operations a second of the loop. */
  readonly loop: number;
  readonly elements: number;
}

/** What the device can do, and how large matrices may be for its copies to take 20 ms at the most, within its memory. */
async function measurePeaks(): Promise<Peaks> {
  let elements = tiny ? 1 << 14 : 1 << 20;
  const byDriver = async (n: number) => {
    using x = zeros(gpu, [n]), out = empty(gpu, [n]);
    const call = () => {
      const code = native.tw_gpu_peak_copy(gpu.handle, out.handle, x.handle);
      if (code !== 0) throw new Error(`the driver's copy: status ${code}`);
    };
    return await measure(call, caseSecondsMax); // before they are freed
  };
  // A processor that plays a GPU copies fast, and takes a hundred times as long for anything else.
  const most = Math.min(about.kind === "software" ? 1 << 20 : 1 << 26, about.tensorBytesMax / 4, about.memoryBytes / 4 / 32);
  let driver = await byDriver(elements);
  while (!tiny && 2 * elements <= most && 2 * driver.seconds < 0.02) driver = await byDriver(elements *= 2);
  using x = zeros(gpu, [elements]), out = empty(gpu, [elements]);
  const ours = await measure(() => void copy(x, { out }), caseSecondsMax);
  const rates = [ours, driver].map(({ seconds }) => 8 * elements / seconds);
  print({ op: "peak", shape: `copy of ${elements}`, unit: "GB/s", work: 8 * elements, measured: driver, peer: null, peerName: "copy" });

  // As many workgroups as fill any device, as few as keep a turn short; then longer ones.
  let groups = 64, iterations = 64, flops = 0;
  const loop = () => {
    flops = native.tw_gpu_peak_multiply_add(gpu.handle, groups, iterations);
    if (flops < 0) throw new Error(`the loop of multiply-adds: status ${-flops}`);
  };
  loop();
  let seconds = await gpu.time(loop);
  while (seconds < 2 * turnSeconds && iterations < 1 << 20) {
    if (groups < 8192) groups *= 2;
    else iterations *= 2;
    seconds = await gpu.time(loop);
  }
  const half = await measure(loop, caseSecondsMax), flopsHalf = flops;
  iterations *= 2;
  const whole = await measure(loop, caseSecondsMax);
  // A compiler that saw through the loop would leave steps out, and twice the work would take no longer.
  const good = whole.seconds > 1.5 * half.seconds;
  failed ||= !good && !tiny;
  const best = Math.max(flopsHalf / half.seconds, flops / whole.seconds);
  const shape = `multiply-adds, ${groups} workgroups`;
  print({ op: "peak", shape, unit: "GFLOP/s", work: best * whole.seconds, measured: whole, peer: null, peerName: "fma-loop", good });
  return { copy: Math.max(...rates), loop: best, elements };
}

async function measureCases(): Promise<void> {
  const wishes = options.filter?.split(",");
  const cases = gpuCases({ tiny, elements: peaks.elements }).filter((c) => {
    const description = `${c.op} ${c.layout} ${c.shape}`;
    return wishes === undefined || wishes.some((wish) => description.includes(wish));
  });
  if (cases.length === 0) throw new RangeError(`--filter ${options.filter}: no case is called so`);
  const ratios = new Map<string, number>(), latest = new Map<string, number>();
  for (const [i, c] of cases.entries()) {
    const share = Math.max(0, left()) / (cases.length - i);
    const peak = c.unit === "GB/s" ? peaks.copy : peaks.loop, peer = figure(peak / 1e9);
    const line = { ...c, peer, peerName: c.unit === "GB/s" ? "copy" : "fma-loop" };
    // The check, a call that does not count and one that does, as fast as the op was before, or at a third of the peak.
    const expected = 3 * c.work / (latest.get(c.op) ?? peak / 3);
    if (left() < 1 || expected > Math.max(1, 2 * share)) {
      const missing = left() < 1 ? "the time is used up" : `it would take some ${expected.toFixed(0)} s`;
      print({ ...line, measured: null, missing });
      continue;
    }
    const { measured, missing, wrong } = await measureCase(c, Math.min(caseSecondsMax, share / 2));
    failed ||= wrong !== undefined;
    print({ ...line, measured, missing: missing ?? wrong, good: measured === null ? undefined : true });
    if (measured !== null) {
      latest.set(c.op, c.work / measured.seconds);
      ratios.set(`${c.op} ${c.layout} ${c.shape}`, c.work / measured.seconds / peak);
    }
  }
  // What is asked of the back end on a real GPU.
  const worst = (op: string) => Math.min(...[...ratios].filter(([name]) => name.startsWith(`${op}  `)).map(([, ratio]) => ratio));
  const bars: [string, number | undefined, number][] = [
    ["matmul of 4096x4096x4096 over the loop", ratios.get("matmul NN 4096x4096x4096"), 0.7],
    ["layer_norm over copies", worst("layer_norm"), 0.8],
    ["softmax over copies", worst("softmax"), 0.8],
  ];
  for (const [name, ours, bar] of tiny ? [] : bars) {
    if (ours === undefined || !Number.isFinite(ours)) continue;
    const holds = ours >= bar;
    const fields = {
      group: "gpu",
      op: "summary",
      case: name,
      shape: "",
      layout: "",
      dtype: "f32",
      threads: 1,
      ours: figure(ours),
      peer: bar,
    };
    console.log(JSON.stringify({ ...fields, peer_name: "bar", unit: "x", ratio: figure(ours / bar), holds, ...where() }));
    console.error(`${name}: ${figure(ours)}, wanted ${bar}: ${holds ? "met" : "missed"}`);
  }
}

interface Outcome {
  readonly measured: Measured | null;
  readonly missing?: string;
  readonly wrong?: string;
}

/** Checks and measures a case. What the device lacks is an outcome too, and so is a wrong result; a lost device is the end. */
async function measureCase(c: GpuCase, limit: number): Promise<Outcome> {
  let ready;
  try {
    ready = c.prepare(gpu);
    try {
      await ready.check();
    } catch (error) {
      if (error instanceof UnsupportedError || error instanceof OutOfMemoryError) throw error;
      return { measured: null, wrong: `wrong: ${error instanceof Error ? error.message : error}` };
    }
    return { measured: await measure(ready.run, limit) };
  } catch (error) {
    if (error instanceof UnsupportedError) return { measured: null, missing: `unsupported: ${error.message}` };
    if (error instanceof OutOfMemoryError) return { measured: null, missing: error.message };
    throw error;
  } finally {
    ready?.dispose();
  }
}

interface Row {
  readonly op: string;
  readonly shape: string;
  readonly layout?: string;
  readonly unit: string;
  readonly work: number;
  readonly measured: Measured | null;
  readonly peer: number | null;
  readonly peerName: string;
  readonly missing?: string;
  /** Whether the result was checked and right. */
  readonly good?: boolean;
}

/** Prints a line of JSON on stdout and a row of the table on stderr. */
function print({ op, shape, layout = "", unit, work, measured, peer, peerName, missing, good }: Row): void {
  const ours = measured === null ? null : figure(work / measured.seconds / 1e9);
  const ratio = ours === null || peer === null ? null : figure(ours / peer);
  const timing = measured === null ? {} : { seconds: figure(measured.seconds), calls: measured.calls, rounds: measured.rounds };
  const fields = { group: "gpu", op, shape, layout, dtype: "f32", threads: 1, ours, peer, peer_name: peerName, unit, ratio };
  console.log(JSON.stringify({ ...fields, ...timing, missing, checked: good, ...where() }));
  const name = `${op}${layout ? ` ${layout}` : ""}`.padEnd(27),
    rate = ours === null ? missing! : `${String(ours).padStart(9)} ${unit.padEnd(7)}`;
  const time = measured === null ? "" : ` ${(1e6 * measured.seconds).toFixed(1).padStart(11)} µs`;
  console.error(`${name} ${shape.padEnd(20)} ${rate}${time}${ratio === null ? "" : `  ${ratio.toFixed(2)} of ${peerName}`}`);
}

function where(): Record<string, unknown> {
  const { name, kind, memoryBytes } = about;
  return { device: name, kind, memory_bytes: memoryBytes, ...machine() };
}

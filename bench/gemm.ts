/**
 * Group `gemm`: products, matrix-vector products, batches and the gradients of a linear layer against every peer that can be had here, most
 * in f32 and some in f64, on one thread and on several; how the products scale; whether the library's own choice of threads is a good one,
 * also beside a busy program; and what a small call costs from TypeScript. The last lines hold the results against the project's bars.
 *
 * @module
 */
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Case, caseFlops, describe, gemmCases, opOf, shapeOf } from "./gemm_cases.ts";
import { type GemmResults, printTable, summaryLines } from "./gemm_summary.ts";
import { countAsOwn, figure, type Line, median, type Options, pairedQuartiles, type Prepared } from "./harness.ts";
import { type Candidate, measure, type Measurement } from "./measure.ts";
import { prepareOurs, preparePrepacked } from "./ours.ts";
import type { Peers } from "./peers/load.ts";
import { makeProblem, type Peer, type Problem, reference } from "./problem.ts";

const group = "gemm";

/** What `--part` may name. */
const parts = ["call", "rate", "busy"];

/** Cases that are measured beside a busy program too. */
const besideBusy = new Set(["square-64", "square-128", "square-256", "square-512", "square-1024", "mlp-up", "row-4096x4096", "batch-64"]);

/** Measures the group, line by line. */
export async function* gemmLines(options: Options, peers: Peers): AsyncGenerator<Line> {
  for (const part of options.parts ?? []) {
    if (!parts.includes(part)) throw new RangeError(`--part ${part}: there is no such part; there are ${parts.join(", ")}`);
  }
  const wanted = (part: string) => options.parts?.includes(part) ?? true;
  const cases = gemmCases(options);
  if (cases.length === 0) return;
  const results: GemmResults = { peers, rates: [], calls: [], busy: [] };
  const threads = Math.max(...options.threads);
  for (const { name, why } of peers.missing) {
    const nothing = { op: "peer", shape: "", layout: "", dtype: "f32", threads, ours: null, peer: null, unit: "GFLOP/s", ratio: null };
    yield { group, ...nothing, peer_name: name, missing: why };
  }
  const sizes = [16, 32].filter((size) => options.tiny || cases.some(({ kind, m }) => kind === "square" && m === size));
  if (wanted("call")) yield* callLines(sizes, options, peers, results);
  for (const count of options.threads) {
    for (const each of wanted("rate") ? cases : []) yield* rateLines(each, count, options, peers, results);
  }
  if (wanted("busy") && threads > 1) {
    const chosen = options.parts
      ? cases
      : cases.filter(({ name, layout, dtype }) => besideBusy.has(name) && layout === "NN" && dtype === "f32");
    yield* busyLines(chosen, threads, options, results);
  }
  if (options.tiny) console.error("\nThe tiny sizes show that everything runs; their figures and bars mean nothing.");
  yield* summaryLines(group, results);
  printTable(results);
}

/** What all contenders of a case compute, and what it is by definition. */
interface Task {
  readonly problem: Problem;
  readonly known: ReturnType<typeof reference>;
}

function taskOf(shape: Parameters<typeof makeProblem>[0]): Task {
  const problem = makeProblem(shape);
  return { problem, known: reference(problem) };
}

/** Ours under a name of its own. */
function ours(name: string, { problem, known }: Task, threads: number | "auto"): Candidate {
  return { name, threads: threads === "auto" ? 0 : threads, reference: known, prepare: () => prepareOurs(problem, threads) };
}

function candidateOf(peer: Peer, { problem, known }: Task, threads: number): Candidate {
  return { name: peer.name, threads, peer: true, reference: known, prepare: () => peer.prepare(problem, threads) };
}

function lineOf(
  each: Case,
  threads: number,
): Pick<Line, "group" | "op" | "shape" | "layout" | "dtype" | "threads"> & { case: string; kind: string } {
  const op = each.kind === "linear_backward" ? each.kind : "matmul";
  return { group, op, case: each.name, kind: each.kind, shape: shapeOf(each), layout: each.layout, dtype: each.dtype, threads };
}

/** The names of our contenders: exactly as many threads as the line says, one, and as many as the library chooses. */
const exact = "ours", serial = "ours serial", auto = "ours auto", prepacked = "ours prepacked", batched = "ours, many";

/** One case on so many threads: against every peer and the machine's multiply-add rate, all in turn. */
async function* rateLines(each: Case, threads: number, options: Options, peers: Peers, results: GemmResults): AsyncGenerator<Line> {
  const task = taskOf({ ...each, op: opOf(each) });
  const all = [ours(exact, task, threads)];
  if (threads > 1) all.push(ours(serial, task, 1), ours(auto, task, "auto"));
  const packed = preparePrepacked(task.problem, threads);
  if (packed) all.push({ name: prepacked, threads, reference: task.known, prepare: () => packed });
  const rivals = peers.present.filter(({ dtypes }) => dtypes.includes(each.dtype));
  for (const peer of rivals) all.push(candidateOf(peer, task, threads));
  for (const count of peers.peak ? new Set([threads, 1]) : []) {
    all.push({ name: `fma-loop on ${count}`, threads: count, peer: true, prepare: () => peers.peak!.multiplyAdd(count) });
  }
  // A round of the largest cases takes seconds: fewer are enough, since each is a long average already.
  const roundsMin = caseFlops(each) > 1e10 ? Math.min(5, options.roundsMin) : options.roundsMin;
  const measured = await measure(describe(each), all, { ...options, roundsMin });

  const rate = (seconds: number) => caseFlops(each) / seconds / 1e9;
  const line = { ...lineOf(each, threads), unit: "GFLOP/s" };
  const ratios = new Map<string, number>();
  for (const peer of rivals) {
    const compared = measured.against(peer.name, rate);
    if (compared.ratio !== null) ratios.set(peer.name, compared.ratio);
    yield { ...line, ...compared, ...peer.extra, ...measured.common };
  }
  const record: GemmResults["rates"][number] = { case: each, threads, rate: figure(rate(measured.median(exact))), ratios };
  results.rates.push(record);
  if (packed) {
    const best = [...ratios].sort(([, x], [, y]) => x - y)[0]?.[0] ?? exact;
    record.prepacked = measured.against(exact, rate, prepacked).ratio!;
    yield { ...line, kind: "prepacked", ...measured.against(best, rate, prepacked), over_plain: record.prepacked, ...measured.common };
  }
  if (threads > 1) {
    const better = measured.median(serial) < measured.median(exact) ? serial : exact;
    const compared = measured.against(better, rate, auto);
    record.auto = compared.ratio!;
    yield { ...line, kind: "auto", ...compared, ...measured.common };
  }
  yield* ceilingLines(measured, line, record, peers);
}

/** The share of the machine's multiply-add rate, and how both scale with threads. */
function* ceilingLines(
  measured: Measurement,
  line: ReturnType<typeof lineOf> & { unit: string },
  record: GemmResults["rates"][number],
  { peak }: Peers,
): Generator<Line> {
  const { threads, case: each } = record, loop = `fma-loop on ${threads}`;
  if (!peak) return;
  const shown = { ...line, ours: record.rate, peer_name: "fma-loop" };
  if (!measured.has(loop)) {
    yield { ...shown, peer: null, ratio: null, missing: measured.missing(loop), ...measured.common };
    return;
  }
  // The loop is one of f32: of f64 it tells only how the machine scales.
  if (each.dtype === "f32") {
    // The time that the loop takes for as many operations as the case has.
    const scale = caseFlops(each) / peak.flopsPerCall(threads);
    const paired = pairedQuartiles(measured.seconds(loop).map((time) => time * scale), measured.seconds(exact));
    record.share = paired[1];
    const peer = figure(peak.flopsPerCall(threads) / measured.median(loop) / 1e9);
    yield { ...shown, peer, ratio: paired[1], paired, ...measured.common };
  }
  if (threads === 1 || !measured.has("fma-loop on 1")) return;
  const speedups = measured.seconds(serial).map((one, round) => one / measured.seconds(exact)[round]);
  const machine = measured.seconds("fma-loop on 1").map((one, round) => threads * one / measured.seconds(loop)[round]);
  const scaling = pairedQuartiles(speedups, machine);
  record.scaling = scaling[1];
  const figures = { ours: figure(median(speedups)), peer: figure(median(machine)), peer_name: "fma-loop", ratio: scaling[1] };
  yield { ...line, op: "matmul_scaling", unit: "x", ...figures, paired: scaling, ...measured.common };
}

/** Our own choice of threads against the better of one and all, while another program keeps one core busy. */
async function* busyLines(cases: readonly Case[], threads: number, options: Options, results: GemmResults): AsyncGenerator<Line> {
  const program = fileURLToPath(new URL("./spin.ts", import.meta.url));
  const runtime = "Deno" in globalThis ? ["run", "--no-config"] : [];
  const busy = spawn(process.execPath, [...runtime, program], { stdio: ["pipe", "inherit", "inherit"] });
  if (busy.pid !== undefined) countAsOwn(busy.pid);
  try {
    for (const each of cases) {
      const task = taskOf({ ...each, op: opOf(each) });
      const all = [ours(exact, task, threads), ours(serial, task, 1), ours(auto, task, "auto")];
      const measured = await measure(describe(each), all, { ...options, quietSeconds: 0 });
      const better = measured.median(serial) < measured.median(exact) ? serial : exact;
      const compared = measured.against(better, (seconds) => caseFlops(each) / seconds / 1e9, auto);
      results.busy.push({ case: each, threads, auto: compared.ratio! });
      yield { ...lineOf(each, threads), kind: "busy", ...compared, unit: "GFLOP/s", ...measured.common };
    }
  } finally {
    busy.stdin.end();
  }
}

/** How many products of one call tell what a single one takes: few enough to stay in the private cache. */
const kernelBatch = 64;

/** Nanoseconds of a whole small call from TypeScript, with `out`, and how much of it is not the kernel's. */
async function* callLines(sizes: readonly number[], options: Options, peers: Peers, results: GemmResults): AsyncGenerator<Line> {
  const near = peers.present.filter((peer) => peer.inProcess);
  for (const size of sizes) {
    const shape = { op: "product", m: size, n: size, k: size, layout: "NN" } as const;
    const task = taskOf({ ...shape, batch: 1 }), many = taskOf({ ...shape, batch: kernelBatch });
    // The runtimes compile a hot loop in steps: it is warm after some ten thousand calls.
    const warm = (candidate: Candidate): Candidate => ({
      ...candidate,
      async prepare() {
        const prepared: Prepared = await candidate.prepare();
        await prepared.time(options.tiny ? 1000 : candidate.name === "onnxruntime" ? 10_000 : 100_000);
        return prepared;
      },
    });
    const all = [ours(exact, task, 1), ...near.map((peer) => candidateOf(peer, task, 1))].map(warm);
    const short = { ...options, turnSeconds: 0.0005 }; // a thousand calls and more: enough for the timer
    const measured = await measure(`call ${size}`, [...all, ours(batched, many, 1)], short);
    const kernel = measured.seconds(batched).map((time) => time / kernelBatch);
    const beside = figure(median(measured.seconds(exact).map((time, round) => (time - kernel[round]) * 1e9)));
    const nanoseconds = (seconds: number) => 1e9 * seconds, whole = figure(nanoseconds(measured.median(exact)));
    results.calls.push({ size, nanoseconds: whole, overKernel: beside });
    const base = { group, op: "matmul_call", case: `call-${size}`, kind: "call", shape: `${size}x${size}x${size}`, layout: "NN" };
    const line = { ...base, dtype: "f32", threads: 1, ours: whole, unit: "ns", kernel: figure(median(kernel) * 1e9) };
    const common = { over_kernel: beside, ...measured.common };
    for (const peer of near) yield { ...line, ...measured.against(peer.name, nanoseconds), ...peer.extra, ...common };
    if (near.length === 0) yield { ...line, peer: null, peer_name: "none", ratio: null, missing: "no peer in this process", ...common };
  }
}

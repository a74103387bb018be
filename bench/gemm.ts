/**
 * Group `gemm`: f32 products, matrix-vector products, batches and the gradients of a linear layer against every peer that can be had
 * here, on one thread and on several; how the products scale; whether the library's own choice of threads is a good one, also beside a
 * busy program; and what a small call costs from TypeScript. The last lines hold the results against the project's bars.
 *
 * @module
 */
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Case, caseFlops, gemmCases, opOf, shapeOf } from "./gemm_cases.ts";
import { type GemmResults, printTable, summaryLines } from "./gemm_summary.ts";
import { type Contender, countAsOwn, figure, interleave, type Line, median, type Options, pairedQuartiles } from "./harness.ts";
import { prepareOurs, preparePrepacked } from "./ours.ts";
import type { Peers } from "./peers/load.ts";
import { checkResults, makeProblem, type Problem } from "./problem.ts";

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
    const chosen = options.parts ? cases : cases.filter(({ name, layout }) => besideBusy.has(name) && layout === "NN");
    yield* busyLines(chosen, threads, options, results);
  }
  if (options.tiny) console.error("\nThe tiny sizes show that everything runs; their figures and bars mean nothing.");
  yield* summaryLines(group, results);
  printTable(results);
}

/** Ours under a name of its own. */
function ours(name: string, problem: Problem, threads: number | "auto"): Contender {
  return { name, threads: threads === "auto" ? 0 : threads, ...prepareOurs(problem, threads) };
}

function lineOf(
  each: Case,
  threads: number,
): Pick<Line, "group" | "op" | "shape" | "layout" | "dtype" | "threads"> & { case: string; kind: string } {
  const op = each.kind === "linear_backward" ? each.kind : "matmul";
  return { group, op, case: each.name, kind: each.kind, shape: shapeOf(each), layout: each.layout, dtype: "f32", threads };
}

/** The names of our contenders: exactly as many threads as the line says, one, and as many as the library chooses. */
const exact = "ours", serial = "ours serial", auto = "ours auto", prepacked = "ours prepacked";

/** One case on so many threads: against every peer and the machine's multiply-add rate, all in turn. */
async function* rateLines(each: Case, threads: number, options: Options, peers: Peers, results: GemmResults): AsyncGenerator<Line> {
  const problem = makeProblem({ ...each, op: opOf(each) });
  const checked = [ours(exact, problem, threads)];
  if (threads > 1) checked.push(ours(serial, problem, 1), ours(auto, problem, "auto"));
  const packed = preparePrepacked(problem, threads);
  if (packed) checked.push({ name: prepacked, threads, ...packed });
  for (const peer of peers.present) checked.push({ name: peer.name, threads, ...await peer.prepare(problem, threads) });
  await checkResults(problem, checked);
  const loops = peers.peak ? [peers.peak.multiplyAdd(threads), ...(threads > 1 ? [peers.peak.multiplyAdd(1)] : [])] : [];
  const all = [...checked, ...loops.map((loop) => ({ ...loop, name: `fma-loop on ${loop.threads}` }))];
  // A round of the largest cases takes seconds: fewer are enough, since each is a long average already.
  const roundsMin = caseFlops(each) > 1e10 ? Math.min(5, options.roundsMin) : options.roundsMin;
  const timings = await interleave(all, { ...options, roundsMin });
  for (const contender of checked) await contender.dispose?.();

  const seconds = (name: string) => timings.seconds[all.findIndex((contender) => contender.name === name)];
  const has = (name: string) => all.some((contender) => contender.name === name);
  const rate = (name: string) => figure(caseFlops(each) / median(seconds(name)) / 1e9);
  const line = { ...lineOf(each, threads), unit: "GFLOP/s", ours: rate(exact) };
  const common = { rounds: timings.rounds, others: timings.others };
  const ratios = new Map<string, number>();
  for (const peer of peers.present) {
    const paired = pairedQuartiles(seconds(peer.name), seconds(exact));
    ratios.set(peer.name, paired[1]);
    yield { ...line, peer: rate(peer.name), peer_name: peer.name, ratio: paired[1], paired, ...peer.extra, ...common };
  }
  const record: GemmResults["rates"][number] = { case: each, threads, rate: line.ours, ratios };
  results.rates.push(record);
  if (has(prepacked)) {
    const best = [...ratios].sort(([, x], [, y]) => x - y)[0]?.[0] ?? exact;
    const paired = pairedQuartiles(seconds(best), seconds(prepacked));
    record.prepacked = pairedQuartiles(seconds(exact), seconds(prepacked))[1];
    yield {
      ...{ ...line, kind: "prepacked", ours: rate(prepacked), peer: rate(best), peer_name: best, ratio: paired[1], paired },
      over_plain: record.prepacked,
      ...common,
    };
  }
  if (threads > 1) {
    const better = median(seconds(serial)) < median(seconds(exact)) ? serial : exact;
    const paired = pairedQuartiles(seconds(better), seconds(auto));
    record.auto = paired[1];
    yield { ...line, kind: "auto", ours: rate(auto), peer: rate(better), peer_name: better, ratio: paired[1], paired, ...common };
  }
  if (!peers.peak) return;
  const [loop, loopOfOne] = loops.map(({ threads }) => seconds(`fma-loop on ${threads}`));
  const loopRate = (series: readonly number[], count: number) => figure(peers.peak!.flopsPerCall(count) / median(series) / 1e9);
  // The time that the loop takes for as many operations as the case has.
  const scale = caseFlops(each) / peers.peak.flopsPerCall(threads);
  const paired = pairedQuartiles(loop.map((time) => time * scale), seconds(exact));
  record.share = paired[1];
  yield { ...line, peer: loopRate(loop, threads), peer_name: "fma-loop", ratio: paired[1], paired, ...common };
  if (threads === 1) return;
  const speedups = seconds(serial).map((one, round) => one / seconds(exact)[round]);
  const machine = loopOfOne.map((one, round) => threads * one / loop[round]);
  const scaling = pairedQuartiles(speedups, machine);
  record.scaling = scaling[1];
  const figures = { ours: figure(median(speedups)), peer: figure(median(machine)), peer_name: "fma-loop", ratio: scaling[1] };
  yield { ...line, op: "matmul_scaling", unit: "x", ...figures, paired: scaling, ...common };
}

/** Our own choice of threads against the better of one and all, while another program keeps one core busy. */
async function* busyLines(cases: readonly Case[], threads: number, options: Options, results: GemmResults): AsyncGenerator<Line> {
  const program = fileURLToPath(new URL("./spin.ts", import.meta.url));
  const runtime = "Deno" in globalThis ? ["run", "--no-config"] : [];
  const busy = spawn(process.execPath, [...runtime, program], { stdio: ["pipe", "inherit", "inherit"] });
  if (busy.pid !== undefined) countAsOwn(busy.pid);
  try {
    for (const each of cases) {
      const problem = makeProblem({ ...each, op: opOf(each) });
      const all = [ours(exact, problem, threads), ours(serial, problem, 1), ours(auto, problem, "auto")];
      await checkResults(problem, all);
      const { seconds, rounds, others } = await interleave(all, { ...options, quietSeconds: 0 });
      for (const contender of all) await contender.dispose?.();
      const better = median(seconds[1]) < median(seconds[0]) ? 1 : 0;
      const rate = (index: number) => figure(caseFlops(each) / median(seconds[index]) / 1e9);
      const paired = pairedQuartiles(seconds[better], seconds[2]);
      results.busy.push({ case: each, threads, auto: paired[1] });
      const figures = { ours: rate(2), peer: rate(better), peer_name: all[better].name, unit: "GFLOP/s", ratio: paired[1], paired };
      yield { ...lineOf(each, threads), kind: "busy", ...figures, rounds, others };
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
    const problem = makeProblem({ ...shape, batch: 1 }), many = makeProblem({ ...shape, batch: kernelBatch });
    const all = [ours(exact, problem, 1)];
    for (const peer of near) all.push({ name: peer.name, threads: 1, ...await peer.prepare(problem, 1) });
    await checkResults(problem, all);
    const batched = ours("ours, many", many, 1);
    await checkResults(many, [batched]);
    // The runtimes compile a hot loop in steps: it is warm after some ten thousand calls.
    for (const contender of all) await contender.time(options.tiny ? 1000 : contender.name === "onnxruntime" ? 10_000 : 100_000);
    const short = { ...options, turnSeconds: 0.0005 }; // a thousand calls and more: enough for the timer
    const { seconds, rounds, others } = await interleave([...all, batched], short);
    const nanoseconds = (index: number) => figure(median(seconds[index]) * 1e9);
    const kernel = seconds[all.length].map((time) => time / kernelBatch);
    const beside = figure(median(seconds[0].map((time, round) => (time - kernel[round]) * 1e9)));
    results.calls.push({ size, nanoseconds: nanoseconds(0), overKernel: beside });
    const base = { group, op: "matmul_call", case: `call-${size}`, kind: "call", shape: `${size}x${size}x${size}`, layout: "NN" };
    const line = { ...base, dtype: "f32", threads: 1, ours: nanoseconds(0), unit: "ns", kernel: figure(median(kernel) * 1e9) };
    const common = { over_kernel: beside, rounds, others };
    for (const [index, peer] of near.entries()) {
      const paired = pairedQuartiles(seconds[index + 1], seconds[0]);
      const figures = { peer: nanoseconds(index + 1), peer_name: peer.name, ratio: paired[1], paired };
      yield { ...line, ...figures, ...peer.extra, ...common };
    }
    if (near.length === 0) yield { ...line, peer: null, peer_name: "none", ratio: null, missing: "no peer in this process", ...common };
    for (const contender of [...all, batched]) await contender.dispose?.();
  }
}

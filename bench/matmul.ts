/**
 * Group `matmul`: f32 products against OpenBLAS, ONNX Runtime and PyTorch, how the product scales over two threads against how the
 * machine does, and what one small call costs from TypeScript.
 *
 * @module
 */
import { cpuDevice, empty, matmul, tensor } from "@tilework/tilework";
import {
  checkProduct,
  type Contender,
  figure,
  interleave,
  type Line,
  median,
  type Options,
  pairedQuartiles,
  type Prepared,
  type Product,
  randomProduct,
  type Timings,
} from "./harness.ts";
import type { Peers } from "./peers/load.ts";

const group = "matmul";

/** One product to measure. */
export interface MatmulCase {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly layout: Product["layout"];
}

/** The sizes of the group; `tiny` ones check that everything runs. */
export function matmulCases(tiny: boolean): MatmulCase[] {
  const cube = (size: number): MatmulCase => ({ m: size, n: size, k: size, layout: "NN" });
  if (tiny) return [cube(64), { m: 48, n: 64, k: 80, layout: "NT" }];
  return [
    ...[64, 128, 256, 512, 1024].map(cube),
    { m: 512, n: 3072, k: 768, layout: "NN" },
    { m: 512, n: 768, k: 768, layout: "NT" },
    { m: 512, n: 768, k: 768, layout: "TN" },
  ];
}

/** This library's product, with its result written to the same tensor every time. */
export function prepareOurs(product: Product, threads: number): Prepared {
  const { m, n, k, layout } = product;
  const device = cpuDevice({ threads });
  const transposeA = layout[0] === "T", transposeB = layout[1] === "T";
  const a = tensor(device, transposeA ? [k, m] : [m, k], product.a);
  const b = tensor(device, transposeB ? [n, k] : [k, n], product.b);
  const out = empty(device, [m, n]);
  const plain = layout === "NN";
  return {
    time(calls) {
      const start = performance.now();
      if (plain) { for (let i = 0; i < calls; i++) matmul(a, b, { out }); }
      else for (let i = 0; i < calls; i++) matmul(a, b, { transposeA, transposeB, out });
      return (performance.now() - start) / 1000;
    },
    call: plain ? () => void matmul(a, b, { out }) : () => void matmul(a, b, { transposeA, transposeB, out }),
    result: () => out.readSync(),
    dispose() {
      for (const t of [a, b, out]) t.dispose();
    },
  };
}

/** Ours first, then each peer, ready to compute the product; the results are checked. */
export async function contenders(product: Product, threads: number, peers: Peers): Promise<Contender[]> {
  const all: Contender[] = [{ name: "ours", threads, ...prepareOurs(product, threads) }];
  for (const peer of peers.present) all.push({ name: peer.name, threads, ...await peer.prepare(product, threads) });
  await checkProduct(product, all);
  return all;
}

/** Measures the group, line by line. */
export async function* matmulLines(options: Options, peers: Peers): AsyncGenerator<Line> {
  yield* callLines(options, peers);
  for (const threads of options.threads) {
    for (const each of matmulCases(options.tiny)) yield* rateLines(each, threads, options, peers);
  }
  if (options.threads.includes(2)) yield* scalingLines(options, peers);
}

/** GFLOP/s of one product, against every peer; also what part of the machine's own multiply-add rate ours is. */
async function* rateLines(each: MatmulCase, threads: number, options: Options, peers: Peers): AsyncGenerator<Line> {
  const { m, n, k, layout } = each;
  const all = await contenders(randomProduct(m, n, k, layout), threads, peers);
  const measured = peers.peak ? [...all, peers.peak.multiplyAdd(threads)] : all;
  const timings = await interleave(measured, options);
  const flops = 2 * m * n * k;
  const rate = (index: number) => figure(flops / median(timings.seconds[index]) / 1e9);
  const extra: Record<string, unknown> = {};
  if (peers.peak) {
    const ceiling = peers.peak.flopsPerCall(threads) / median(timings.seconds[all.length]) / 1e9;
    extra.fma_loop = figure(ceiling);
    extra.fraction_of_peak = figure(rate(0) / ceiling);
  }
  const line = { group, op: "matmul", shape: `${m}x${n}x${k}`, layout, dtype: "f32", threads };
  yield* against(line, "GFLOP/s", rate, (ours, peer) => ours / peer, all, timings, peers, extra);
  for (const contender of all) await contender.dispose?.();
}

/** Nanoseconds of a whole small call from TypeScript, with `out`. */
async function* callLines(options: Options, peers: Peers): AsyncGenerator<Line> {
  const size = 16;
  const light = { ...peers, present: peers.present.filter((peer) => peer.name === "openblas") };
  const all = await contenders(randomProduct(size, size, size), 1, light);
  // The runtimes compile a hot loop in steps: it is warm after some ten thousand calls.
  for (const contender of all) await contender.time(options.tiny ? 1000 : 100_000);
  const timings = await interleave(all, { ...options, turnSeconds: 0.0005 }); // a thousand calls and more: enough for the timer
  const nanoseconds = (index: number) => figure(median(timings.seconds[index]) * 1e9);
  const line = { group, op: "matmul_call", shape: `${size}x${size}x${size}`, layout: "NN", dtype: "f32", threads: 1 };
  const missing = { ...light, missing: peers.missing.filter((peer) => peer.name === "openblas") };
  yield* against(line, "ns", nanoseconds, (ours, peer) => peer / ours, all, timings, missing, {});
  for (const contender of all) await contender.dispose?.();
}

/** How many times faster two threads are than one: the product against the multiply-add loop, all four in one run. */
async function* scalingLines(options: Options, peers: Peers): AsyncGenerator<Line> {
  const size = options.tiny ? 128 : 1024;
  const product = randomProduct(size, size, size);
  const ours: Contender[] = [1, 2].map((threads) => ({ name: `ours, ${threads} threads`, threads, ...prepareOurs(product, threads) }));
  await checkProduct(product, ours);
  const line = { group, op: "matmul_scaling", shape: `${size}x${size}x${size}`, layout: "NN", dtype: "f32", threads: 2, unit: "x" };
  const loops = peers.peak ? [peers.peak.multiplyAdd(1), peers.peak.multiplyAdd(2)] : [];
  const { seconds, rounds, others } = await interleave([...ours, ...loops], { ...options, seconds: 2 * options.seconds });
  const speedup = figure(median(seconds[0]) / median(seconds[1]));
  const extra = { rounds, others, paired_speedup: pairedQuartiles(seconds[0], seconds[1]) };
  if (peers.peak) {
    const machine = figure(2 * median(seconds[2]) / median(seconds[3]));
    yield { ...line, ours: speedup, peer: machine, peer_name: "fma-loop", ratio: figure(speedup / machine), ...extra };
  } else {
    const missing = peers.missing.find((peer) => peer.name === "fma-loop")?.why;
    yield { ...line, ours: speedup, peer: null, peer_name: "fma-loop", ratio: null, missing, ...extra };
  }
  for (const contender of ours) await contender.dispose?.();
}

function* against(
  line: Pick<Line, "group" | "op" | "shape" | "layout" | "dtype" | "threads">,
  unit: string,
  value: (index: number) => number,
  ratio: (ours: number, peer: number) => number,
  all: readonly Contender[],
  timings: Timings,
  peers: Peers,
  extra: Record<string, unknown>,
): Generator<Line> {
  const ours = value(0);
  const common = { ...extra, rounds: timings.rounds, others: timings.others };
  for (const peer of peers.present) {
    const index = all.findIndex((contender) => contender.name === peer.name);
    const paired = pairedQuartiles(timings.seconds[index], timings.seconds[0]);
    const figures = { ours, peer: value(index), peer_name: peer.name, unit, ratio: figure(ratio(ours, value(index))) };
    yield { ...line, ...figures, paired, ...peer.extra, ...common };
  }
  for (const { name, why } of peers.missing) {
    if (name !== "fma-loop") yield { ...line, ours, peer: null, peer_name: name, unit, ratio: null, missing: why, ...common };
  }
}

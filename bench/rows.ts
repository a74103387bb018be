/**
 * Group `rows`: row-wise and elementwise ops, in turn with PyTorch and with plain copies of as many bytes. Each line says how many GB/s the op moves,
 * counting every matrix that it has to read or write once; `of_copy` is that over what the better of the two libraries' copies moves in the same rounds.
 *
 * @module
 */
import { cpuDevice, type Tensor, tensor } from "@tilework/tilework";
import { type Contender, figure, interleave, type Line, median, type Options, pairedQuartiles, type Prepared } from "./harness.ts";
import type { ServerPeer } from "./peers/server.ts";
import { torchPeer } from "./peers/torch.ts";
import { agree, joined, type RowProblem, uniform } from "./problem.ts";
import { type RowCase, rowCases, type RowOp, rowOps } from "./rows_cases.ts";

/** Measures the group, line by line. */
export async function* rowLines(options: Options): AsyncGenerator<Line> {
  const peer = await torchPeer();
  try {
    yield* linesAgainst(peer, options);
  } finally {
    peer?.close?.();
  }
}

async function* linesAgainst(peer: ServerPeer | undefined, options: Options): AsyncGenerator<Line> {
  const cases = rowCases(options.tiny).filter((each) => options.wants(describe(each)));
  for (const threads of options.threads) {
    const ratios: number[] = [];
    for (const each of cases) {
      const { op, rows, cols } = each, { inputs, streams, first, compared = true }: RowOp = rowOps[op];
      const problem: RowProblem = { op, rows, cols, inputs: Array.from({ length: inputs }, (_, i) => uniform(rows * cols, i + 1)) };
      if (first) { for (const [i, v] of problem.inputs[0].entries()) problem.inputs[0][i] = first(v + 0.5, cols); }
      // The copy is one of as many matrices as the op touches, or it would live in a nearer cache.
      const copied: RowProblem = { op: "copy", rows: Math.max(1, Math.round(rows * streams / 2)), cols, inputs: [] };
      const copies: RowProblem = { ...copied, inputs: [uniform(copied.rows * cols, 9)] };
      const all: Contender[] = [
        { name: "ours", threads, ...ours(problem, threads) },
        { name: "our copy", threads, ...ours(copies, threads) },
      ];
      if (peer) {
        all.push({ name: peer.name, threads, ...await peer.prepareRows(problem, threads) });
        all.push({ name: `${peer.name}'s copy`, threads, ...await peer.prepareRows(copies, threads) });
        if (compared) await compare(all[0], all[2]);
      }
      const { seconds, rounds, others } = await interleave(all, options);
      for (const contender of all) await contender.dispose?.();
      const bytes = 4 * streams * rows * cols;
      const rate = (i: number) => figure(bytes / median(seconds[i]) / 1e9);
      const copyRate = (i: number) => figure(8 * copied.rows * cols / median(seconds[i]) / 1e9);
      const copy = Math.max(copyRate(1), peer ? copyRate(3) : 0);
      const line = { group: "rows", op, shape: `${rows}x${cols}`, layout: "", dtype: "f32", threads, ours: rate(0), unit: "GB/s" };
      const common = { copy, of_copy: figure(rate(0) / copy), rounds, others };
      if (!peer) {
        yield {
          ...line,
          peer: null,
          peer_name: "pytorch",
          ratio: null,
          missing: "TILEWORK_TORCH_PYTHON names no Python with PyTorch",
          ...common,
        };
        continue;
      }
      const paired = pairedQuartiles(seconds[2], seconds[0]);
      ratios.push(paired[1]);
      yield { ...line, peer: rate(2), peer_name: peer.name, ratio: paired[1], paired, ...common, ...peer.extra };
    }
    if (ratios.length === 0) continue;
    const mean = figure(Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length));
    const summary = { group: "rows", op: "summary", shape: "", layout: "", dtype: "f32", threads, peer_name: peer!.name, unit: "x" };
    yield { ...summary, case: "worst case", ours: Math.min(...ratios), peer: 0.97, ratio: figure(Math.min(...ratios) / 0.97) };
    yield { ...summary, case: "geometric mean", ours: mean, peer: 2, ratio: figure(mean / 2) };
  }
}

function describe({ op, rows, cols }: RowCase): string {
  return `${op} ${rows}x${cols}`;
}

/** This library on so many threads. */
function ours({ op, rows, cols, inputs }: RowProblem, threads: number): Prepared {
  const device = cpuDevice({ threads });
  const matrices = inputs.map((data) => tensor(device, [rows, cols], data));
  const each: RowOp = rowOps[op];
  const call = each.prepare(matrices, device);
  return {
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) call.run();
      return (performance.now() - start) / 1000;
    },
    result: () => joined(call.results().map((t) => Float32Array.from(t.readSync()))),
    dispose() {
      for (const t of [...matrices as unknown as Tensor[], ...call.results()]) t.dispose();
    },
  };
}

async function compare(one: Contender, other: Contender): Promise<void> {
  for (const contender of [one, other]) await contender.time(1);
  agree(other.name, await other.result!(), one.name, await one.result!());
}

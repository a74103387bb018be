/**
 * Group `rows`: row-wise and elementwise ops, in turn with PyTorch and with plain copies of as many bytes. Each line says how many GB/s the op moves,
 * counting every matrix that it has to read or write once; `of_copy` is that over what the better of the two libraries' copies moves in the same rounds.
 *
 * @module
 */
import { cpuDevice, type Tensor, tensor } from "@tilework/tilework";
import { figure, type Line, type Options, type Prepared, type Values } from "./harness.ts";
import { type Candidate, measure } from "./measure.ts";
import { Torch } from "./peers/torch.ts";
import { joined, uniform, uniformDoubles } from "./problem.ts";
import { type RowCase, rowCases, type RowOp, rowOps } from "./rows_cases.ts";
import { type RowProblem, rowReference } from "./rows_reference.ts";

/** Measures the group, line by line. */
export async function* rowLines(options: Options): AsyncGenerator<Line> {
  const peer = new Torch("torch_server.py");
  try {
    yield* linesAgainst(peer, options);
  } finally {
    peer.close();
  }
}

async function* linesAgainst(peer: Torch, options: Options): AsyncGenerator<Line> {
  const cases = rowCases(options.tiny).filter((each) => options.wants(describe(each)));
  for (const threads of options.threads) {
    const ratios: number[] = [];
    for (const each of cases) {
      const { op, dtype, rows, cols } = each, make = dtype === "f32" ? uniform : uniformDoubles, bytes = dtype === "f32" ? 4 : 8;
      const { inputs, streams, first }: RowOp = rowOps[op];
      const problem: RowProblem = { op, rows, cols, inputs: Array.from({ length: inputs }, (_, i) => make(rows * cols, i + 1)) };
      if (first) { for (const [i, v] of problem.inputs[0].entries()) problem.inputs[0][i] = first(v + 0.5, cols); }
      // The copy is one of as many matrices as the op touches, or it would live in a nearer cache.
      const copied: RowProblem = { op: "copy", rows: Math.max(1, Math.round(rows * streams / 2)), cols, inputs: [] };
      const copies: RowProblem = { ...copied, inputs: [make(copied.rows * cols, 9)] };
      const candidates = [...both(peer, problem, threads, ""), ...both(peer, copies, threads, "'s copy")];
      const measured = await measure(describe(each), candidates, options);
      const rate = (seconds: number) => 1e-9 * bytes * streams * rows * cols / seconds;
      const copyRate = (name: string) => measured.has(name) ? figure(2e-9 * bytes * copied.rows * cols / measured.median(name)) : 0;
      const copy = Math.max(copyRate("ours's copy"), copyRate(`${peer.name}'s copy`)), compared = measured.against(peer.name, rate);
      if (compared.ratio !== null && dtype === "f32") ratios.push(compared.ratio);
      const line = { group: "rows", op, shape: `${rows}x${cols}`, layout: "", dtype, threads, unit: "GB/s" };
      yield { ...line, ...compared, copy, of_copy: figure(compared.ours / copy), ...measured.common, ...peer.extra };
    }
    if (ratios.length === 0) continue;
    const mean = figure(Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length));
    const summary = { group: "rows", op: "summary", shape: "", layout: "", dtype: "f32", threads, peer_name: peer.name, unit: "x" };
    yield { ...summary, case: "worst case", ours: Math.min(...ratios), peer: 0.97, ratio: figure(Math.min(...ratios) / 0.97) };
    yield { ...summary, case: "geometric mean", ours: mean, peer: 2, ratio: figure(mean / 2) };
  }
}

/** This library and the peer, with the same to compute. */
function both(peer: Torch, problem: RowProblem, threads: number, suffix: string): Candidate[] {
  const { op, rows, cols, inputs } = problem, reference = rowReference(problem);
  return [
    { name: `ours${suffix}`, threads, reference, prepare: () => ours(problem, threads) },
    {
      ...{ name: `${peer.name}${suffix}`, threads, peer: true, reference },
      prepare: () => peer.prepare(threads, `prepare rows ${op} ${rows} ${cols}`, inputs),
    },
  ];
}

function describe({ op, dtype, rows, cols }: RowCase): string {
  return `${op} ${rows}x${cols}${dtype === "f32" ? "" : ` ${dtype}`}`;
}

/** This library on so many threads. */
function ours({ op, rows, cols, inputs }: RowProblem, threads: number): Prepared {
  const device = cpuDevice({ threads });
  const matrices = inputs.map((data) => tensor(device, [rows, cols], data as Float32Array)); // of f64 where they are doubles
  const each: RowOp = rowOps[op];
  const call = each.prepare(matrices, device);
  return {
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) call.run();
      return (performance.now() - start) / 1000;
    },
    result: () => joined(call.results().map((t) => t.readSync() as Values)), // of one type
    dispose() {
      for (const t of [...matrices as unknown as Tensor[], ...call.results()]) t.dispose();
    },
  };
}

/**
 * Group `attention`: the fused op against PyTorch's `scaled_dot_product_attention`, forward and backward. Heads lie as a model's projection leaves them, in
 * memory of `[batch, time, heads, width]`. Results are checked against each other and, at samples, against the formula in double precision.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { attention, attentionBackward, cpuDevice, empty, scope, type Tensor, tensor, transpose } from "@tilework/tilework";
import { type Contender, figure, interleave, type Line, median, type Options, pairedQuartiles, type Prepared } from "./harness.ts";
import { prepare, startServer } from "./peers/server.ts";

/** A case: sizes, and what of it is timed. */
interface Case {
  readonly kind: "forward" | "backward";
  readonly causal: boolean;
  readonly batch: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
}

type Heads = Tensor<"f32", [number, number, number, number]>;

/** Training sizes, those of the demo, and a token at a time over a long past, also with heads that share keys. */
function cases(tiny: boolean): Case[] {
  const sizes = tiny ? [[1, 2, 2, 20, 20, 8], [1, 4, 2, 1, 40, 8]] : [
    [8, 8, 8, 512, 512, 64],
    [16, 4, 4, 128, 128, 32],
    [1, 8, 8, 1, 4096, 64],
    [1, 32, 8, 1, 4096, 64],
  ];
  return sizes.flatMap(([batch, heads, kvHeads, queries, keys, width]) =>
    (queries === 1 ? ["forward"] as const : ["forward", "backward"] as const).flatMap((kind) =>
      (queries === 1 ? [false] : [false, true]).map((causal) => ({ kind, causal, batch, heads, kvHeads, queries, keys, width }))
    )
  );
}

/** Yields one line a case and number of threads. Without `TILEWORK_TORCH_PYTHON` the peer's figures are null. */
export async function* attentionLines(options: Options): AsyncGenerator<Line> {
  const python = options.tiny ? undefined : process.env.TILEWORK_TORCH_PYTHON;
  const missing = options.tiny ? "the tiny sizes have no peer" : "TILEWORK_TORCH_PYTHON names no Python with PyTorch";
  const script = fileURLToPath(new URL("./peers/attention_torch.py", import.meta.url));
  for (const threads of options.threads) {
    const server = python &&
      await startServer("pytorch", { program: [python, script, String(threads)], env: { CUDA_VISIBLE_DEVICES: "" } });
    for (const c of cases(options.tiny)) {
      const { kind, causal, batch, heads, kvHeads, queries, keys, width } = c;
      const shape = `${batch}x${heads}${kvHeads === heads ? "" : `/${kvHeads}`}x${queries}${queries === keys ? "" : `:${keys}`}x${width}`;
      if (!options.wants(`${kind} ${shape} ${causal ? "causal" : ""}`)) continue;
      const inputs = [[heads, queries], [kvHeads, keys], [kvHeads, keys], [heads, queries]].map(([h, t], i) =>
        uniform(batch * h * t * width, i + 1)
      );
      const contenders: Contender[] = [{ name: "tilework", threads, ...ours(c, inputs, threads) }];
      const question = ["prepare", kind, causal, batch, heads, kvHeads, queries, keys, width].join(" ");
      if (server) contenders.push({ name: "pytorch", threads, ...await prepare(server, question, inputs) });
      await checkResults(c, inputs, contenders);
      const { seconds, rounds, others } = await interleave(contenders, options);
      for (const contender of contenders) await contender.dispose?.();
      const pairs = causal ? queries * keys - queries * (queries - 1) / 2 : queries * keys;
      const flops = (kind === "forward" ? 4 : 10) * batch * heads * pairs * width;
      const rate = (taken: readonly number[]) => figure(flops / median(taken) / 1e9);
      const line = {
        group: "attention",
        op: causal ? `${kind}_causal` : kind,
        shape,
        layout: "",
        dtype: "f32",
        threads,
        ours: rate(seconds[0]),
        peer_name: "pytorch",
        unit: "GFLOP/s",
        rounds,
        others: others && figure(others),
      };
      if (!server) yield { ...line, peer: null, ratio: null, missing };
      else {
        const peer = rate(seconds[1]);
        yield {
          ...line,
          peer,
          ratio: figure(median(seconds[1]) / median(seconds[0])),
          paired: pairedQuartiles(seconds[1], seconds[0]),
          pytorch: server.greeting,
        };
      }
    }
    if (server) server.close();
  }
}

function ours(c: Case, inputs: readonly Float32Array<ArrayBuffer>[], threads: number): Prepared {
  const device = cpuDevice({ threads });
  const made: Tensor[] = [];
  const own = <T extends Tensor>(x: T): T => {
    made.push(x);
    return x;
  };
  const [q, k, v, dy] = inputs.map((values, i) => {
    const [heads, time] = i === 1 || i === 2 ? [c.kvHeads, c.keys] : [c.heads, c.queries];
    const whole = own(tensor(device, [c.batch, time, heads, c.width], values) as unknown as Heads);
    return own(transpose(whole, [0, 2, 1, 3]) as Heads);
  }) as [Heads, Heads, Heads, Heads];
  const { causal } = c;
  const statistics = own(empty(device, [2, c.batch, c.heads, c.queries]));
  const y = own(attention(q, k, v, { causal, statistics }));
  const compute = () => c.kind === "forward" ? [attention(q, k, v, { causal })] : gradients();
  const gradients = () => {
    const g = attentionBackward(q, k, v, dy, { causal, forward: { y, statistics } });
    return [g.q, g.k, g.v];
  };
  return {
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) scope(() => void compute());
      return (performance.now() - start) / 1000;
    },
    result: () => scope(() => joined(compute().map((x) => x.readSync() as Float32Array))),
    dispose: () => made.forEach((x) => x.dispose()),
  };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((count, part) => count + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Uniform numbers in [-1, 1), the same every time. */
function uniform(count: number, seed: number): Float32Array<ArrayBuffer> {
  let state = seed * 0x9e3779b9 >>> 0;
  return Float32Array.from({ length: count }, () => {
    state ^= state << 13; // xorshift32
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) / 0x800000 - 1;
  });
}

/** One row of the result of forward, `[batch, head, query]`, in double precision. */
function rowOf(c: Case, inputs: readonly Float32Array[], b: number, h: number, i: number): Float64Array {
  const { heads, kvHeads, keys, queries, width } = c;
  const kv = Math.floor(h * kvHeads / heads), seen = c.causal ? i + keys - queries + 1 : keys;
  const key = (j: number) => ((b * keys + j) * kvHeads + kv) * width, query = ((b * queries + i) * heads + h) * width;
  const scores = new Float64Array(seen).map((_, j) => {
    let s = 0;
    for (let w = 0; w < width; w++) s += inputs[0][query + w] * inputs[1][key(j) + w];
    return s / Math.sqrt(width);
  });
  const top = scores.reduce((x, y) => Math.max(x, y)), e = scores.map((s) => Math.exp(s - top)), total = e.reduce((x, y) => x + y);
  return new Float64Array(width).map((_, w) => e.reduce((sum, p, j) => sum + p / total * inputs[2][key(j) + w], 0));
}

/** Throws where a result of forward is not the formula's at a sample, or contenders differ. */
async function checkResults(c: Case, inputs: readonly Float32Array[], contenders: readonly Contender[]): Promise<void> {
  let first: Float32Array | undefined;
  // Sums of some thousand terms of size one, and gradients that are differences of such.
  const tolerance = 2e-4;
  for (const { name, time, result } of contenders) {
    await time(1);
    const values = await result!();
    if (c.kind === "forward") {
      for (let sample = 0; sample < 8; sample++) {
        const at = Math.floor(c.batch * c.heads * c.queries * ((sample * 0.6180339887498949) % 1));
        const b = Math.floor(at / (c.heads * c.queries)), h = Math.floor(at / c.queries) % c.heads, i = at % c.queries;
        rowOf(c, inputs, b, h, i).forEach((wanted, w) => demand(name, "the formula", values[at * c.width + w], wanted, tolerance));
      }
    }
    first ??= values.slice();
    for (let at = 0; at < first.length; at++) demand(name, contenders[0].name, values[at], first[at], tolerance);
  }
}

function demand(name: string, other: string, got: number, wanted: number, tolerance: number): void {
  // A NaN compares as false, and so fails.
  if (!(Math.abs(got - wanted) <= tolerance)) throw new Error(`${name}: got ${got}, ${other} ${wanted}: off by more than ${tolerance}`);
}

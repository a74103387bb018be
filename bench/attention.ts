/**
 * Group `attention`: the fused op against PyTorch's `scaled_dot_product_attention`, forward and backward. Heads lie as a model's projection leaves them, in
 * memory of `[batch, time, heads, width]`. Results are checked against the formula in double precision, forward and gradients.
 *
 * @module
 */
import { attention, attentionBackward, cpuDevice, empty, scope, type Tensor, tensor, transpose } from "@tilework/tilework";
import type { Line, Options, Prepared } from "./harness.ts";
import { behindEachOther, type Reference, sampled } from "./judge.ts";
import { type Candidate, measure } from "./measure.ts";
import { Torch } from "./peers/torch.ts";
import { joined } from "./problem.ts";

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
  const peer = new Torch("attention_torch.py");
  try {
    for (const threads of options.threads) {
      for (const c of cases(options.tiny)) {
        if (options.wants(`${c.kind} ${shapeOf(c)} ${c.causal ? "causal" : ""}`)) yield await lineOf(c, threads, options, peer);
      }
    }
  } finally {
    peer.close();
  }
}

function shapeOf({ batch, heads, kvHeads, queries, keys, width }: Case): string {
  return `${batch}x${heads}${kvHeads === heads ? "" : `/${kvHeads}`}x${queries}${queries === keys ? "" : `:${keys}`}x${width}`;
}

async function lineOf(c: Case, threads: number, options: Options, peer: Torch): Promise<Line> {
  const { kind, causal, batch, heads, kvHeads, queries, keys, width } = c;
  const inputs = [[heads, queries], [kvHeads, keys], [kvHeads, keys], [heads, queries]].map(([h, t], i) =>
    uniform(batch * h * t * width, i + 1)
  );
  const question = ["prepare", kind, causal, batch, heads, kvHeads, queries, keys, width].join(" "), reference = referenceOf(c, inputs);
  const candidates: Candidate[] = [
    { name: "ours", threads, reference, prepare: () => ours(c, inputs, threads) },
    { name: peer.name, threads, peer: true, reference, prepare: () => peer.prepare(threads, question, inputs) },
  ];
  const measured = await measure(`${kind} ${shapeOf(c)}${causal ? " causal" : ""}`, candidates, options);
  const pairs = causal ? queries * keys - queries * (queries - 1) / 2 : queries * keys;
  const flops = (kind === "forward" ? 4 : 10) * batch * heads * pairs * width;
  const line = { group: "attention", op: causal ? `${kind}_causal` : kind, shape: shapeOf(c), layout: "", dtype: "f32", threads };
  const compared = measured.against(peer.name, (seconds) => 1e-9 * flops / seconds);
  return { ...line, unit: "GFLOP/s", ...compared, ...measured.common, ...peer.extra };
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

/** What one head of keys and the heads of queries that share it give: each `[heads that share, queries or keys, width]`. */
interface Group {
  readonly y: Float64Array;
  readonly dq: Float64Array;
  readonly dk: Float64Array;
  readonly dv: Float64Array;
}

/** The formulas in double precision, for the heads of one batch entry that share head `kv`. */
function groupOf(c: Case, inputs: readonly Float32Array[], b: number, kv: number): Group {
  const { heads, kvHeads, keys, queries, width } = c, shared = heads / kvHeads, [q, k, v, dy] = inputs;
  const group: Group = {
    y: new Float64Array(shared * queries * width),
    dq: new Float64Array(shared * queries * width),
    dk: new Float64Array(keys * width),
    dv: new Float64Array(keys * width),
  };
  const key = (j: number) => ((b * keys + j) * kvHeads + kv) * width, p = new Float64Array(keys), slopes = new Float64Array(keys);
  for (let at = 0; at < shared * queries; at++) {
    const h = kv * shared + Math.floor(at / queries), i = at % queries, from = ((b * queries + i) * heads + h) * width, to = at * width;
    const seen = c.causal ? i + keys - queries + 1 : keys;
    let top = -Infinity, total = 0, mean = 0;
    for (let j = 0; j < seen; j++) {
      p[j] = dot(q, from, k, key(j), width) / Math.sqrt(width);
      top = Math.max(top, p[j]);
    }
    for (let j = 0; j < seen; j++) total += p[j] = Math.exp(p[j] - top);
    for (let j = 0; j < seen; j++) {
      p[j] /= total;
      addTo(group.y, to, p[j], v, key(j), width);
    }
    if (c.kind === "forward") continue;
    for (let j = 0; j < seen; j++) mean += p[j] * (slopes[j] = dot(dy, from, v, key(j), width));
    for (let j = 0; j < seen; j++) {
      const slope = p[j] * (slopes[j] - mean) / Math.sqrt(width);
      addTo(group.dq, to, slope, k, key(j), width);
      addTo(group.dk, j * width, slope, q, from, width);
      addTo(group.dv, j * width, p[j], dy, from, width);
    }
  }
  return group;
}

function dot(a: Float32Array, fromA: number, b: Float32Array, fromB: number, count: number): number {
  let sum = 0;
  for (let w = 0; w < count; w++) sum += a[fromA + w] * b[fromB + w];
  return sum;
}

function addTo(sums: Float64Array, to: number, factor: number, x: Float32Array, from: number, count: number): void {
  for (let w = 0; w < count; w++) sums[to + w] += factor * x[from + w];
}

/** What the op gives by definition: entries of the first and the last group of heads, and others when they are asked for. */
function referenceOf(c: Case, inputs: readonly Float32Array[]): Reference {
  const { batch, heads, kvHeads, queries, keys, width } = c, known = new Map<number, Group>();
  const part = (name: keyof Group, rows: number): Reference => {
    const length = rows * width; // of one group
    const wanted = (at: number) => {
      const index = Math.floor(at / length);
      let group = known.get(index);
      if (!group) known.set(index, group = groupOf(c, inputs, Math.floor(index / kvHeads), index % kvHeads));
      return group[name][at % length];
    };
    const ends = [0, (batch * kvHeads - 1) * length], samples: number[] = [];
    for (const start of new Set(ends)) for (let at = 0; at < length; at++) samples.push(start + at);
    // Sums of some thousand terms of size one, and gradients that are differences of such.
    return { ...sampled(batch * kvHeads * length, wanted, 1, 2e-4), samples };
  };
  const shared = heads / kvHeads, ofQueries = shared * queries;
  return c.kind === "forward" ? part("y", ofQueries) : behindEachOther([part("dq", ofQueries), part("dk", keys), part("dv", keys)]);
}

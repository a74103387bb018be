/**
 * What `gpu.ts` measures: products, row-wise ops and what else a training step is made of, each with the work that a call has to do, and how a call's result
 * is checked.
 *
 * @module
 */
import {
  adamW,
  attention,
  attentionBackward,
  cpu,
  type Device,
  embedding,
  embeddingBackward,
  empty,
  groupedLinear,
  groupedLinearBackward,
  matmul,
  type Tensor,
  tensor,
} from "@tilework/tilework";
import { demandRight, whole } from "./judge.ts";
import { flopsOf, joined, makeProblem, reference, uniform } from "./problem.ts";
import { type Call, type RowOp, type RowOpName, rowOps } from "./rows_cases.ts";

/** One measurement. */
export interface GpuCase {
  readonly op: string;
  readonly shape: string;
  readonly layout: string;
  readonly unit: "GFLOP/s" | "GB/s";
  /** Operations of a call, or bytes that it has to move, each tensor counted once for each time that it has to be read or written. */
  readonly work: number;
  prepare(gpu: Device): Ready;
}

/** A call on the GPU. */
export interface Ready {
  run(): void;
  /** Throws where the result is wrong. To be called first: later calls of what works in place have other inputs. */
  check(): Promise<void>;
  dispose(): void;
}

/** A call and the tensors that it holds. */
interface Made extends Call {
  readonly held: readonly Tensor[];
  dispose?(): void;
}

export interface Sizes {
  readonly tiny: boolean;
  /** Elements of the matrices of row-wise ops: so many that no cache holds them. */
  readonly elements: number;
}

/** All cases, the longest products last of their layout. */
export function gpuCases(sizes: Sizes): GpuCase[] {
  return [...products(sizes), ...rows(sizes), adam(sizes), ...embeddings(sizes), ...experts(sizes), ...heads(sizes)];
}

function products({ tiny }: Sizes): GpuCase[] {
  return (["NN", "NT", "TN"] as const).flatMap((layout) =>
    (tiny ? [64] : [512, 1024, 2048, 4096]).map((n): GpuCase => {
      const shape = { op: "product", m: n, n, k: n, batch: 1, layout } as const;
      const prepare = (gpu: Device): Ready => {
        const problem = makeProblem(shape);
        const [a, b] = problem.inputs.map((values) => tensor(gpu, [n, n], values as Float32Array)) as Tensor<"f32", [number, number]>[];
        const out = empty(gpu, [n, n]);
        const run = () => void matmul(a, b, { transposeA: layout === "TN", transposeB: layout === "NT", out });
        const check = async () => {
          run();
          demandRight("the GPU", await out.read(), reference(problem));
        };
        return { run, check, dispose: () => [a, b, out].forEach((t) => t.dispose()) };
      };
      return { op: "matmul", shape: `${n}x${n}x${n}`, layout, unit: "GFLOP/s", work: flopsOf(shape), prepare };
    })
  );
}

/** Row-wise ops at the width of a model; those of logits at the width of a vocabulary too. */
function rows({ tiny, elements }: Sizes): GpuCase[] {
  const width = tiny ? 70 : 1024, vocabulary = tiny ? 130 : 32768;
  const wide: RowOpName[] = ["softmax", "layer_norm", "cross_entropy", "cross_entropy_step"];
  const all: [RowOpName, number][] = [...(Object.keys(rowOps) as RowOpName[]).map((op) => [op, width] as [RowOpName, number])];
  for (const op of wide) all.push([op, vocabulary]);
  return all.map(([op, cols]) => {
    const n = tiny ? 33 : elements / cols, { inputs, streams, first }: RowOp = rowOps[op];
    const values = () => {
      const made = Array.from({ length: inputs }, (_, i) => numbersOf(n * cols, i + 1));
      if (first) made[0] = made[0].map((v) => first(v + 0.5, cols));
      return made;
    };
    return onBoth({ op, shape: `${n}x${cols}`, layout: "", unit: "GB/s", work: 4 * streams * n * cols }, () => {
      const matrices = values();
      return (device) => {
        const held = matrices.map((data) => tensor(device, [n, cols], data));
        return { ...rowOps[op].prepare(held, device), held: held as unknown as Tensor[] };
      };
    });
  });
}

function adam({ tiny, elements }: Sizes): GpuCase {
  const n = tiny ? 1000 : elements / 2;
  return onBoth({ op: "adam_w", shape: String(n), layout: "", unit: "GB/s", work: 4 * 7 * n }, () => (device) => {
    const params = { w: tensor(device, [n], numbersOf(n, 1)) }, grads = { w: tensor(device, [n], numbersOf(n, 2)) };
    const optimizer = adamW(params, { decays: () => true });
    return {
      run: () => optimizer.step(params, grads, 1e-3),
      results: () => [params.w as Tensor],
      held: [params.w, grads.w] as Tensor[],
      dispose: () => optimizer[Symbol.dispose](),
    };
  });
}

/** Rows of a table, met four times each. */
function embeddings({ tiny, elements }: Sizes): GpuCase[] {
  const width = tiny ? 24 : 512, n = tiny ? 64 : elements / width, table = n / 4;
  const make = (backward: boolean) => () => (device: Device): Made => {
    const ids = tensor(device, [n], Uint32Array.from({ length: n }, (_, i) => i * 7919 % table));
    const weight = tensor(device, [table, width], numbersOf(table * width, 1)), dy = tensor(device, [n, width], numbersOf(n * width, 2));
    const out = empty(device, backward ? [table, width] : [n, width]);
    return {
      run: () => void (backward ? embeddingBackward(ids, { weight }, dy, { out }) : embedding(ids, { weight }, { out })),
      results: () => [out as unknown as Tensor],
      held: [ids, weight, dy, out] as unknown as Tensor[],
    };
  };
  const about = { shape: `${n}:${table}x${width}`, layout: "", unit: "GB/s" } as const;
  return [
    onBoth({ ...about, op: "embedding", work: 4 * 2 * n * width }, make(false)),
    onBoth({ ...about, op: "embedding_backward", work: 4 * (n + table) * width }, make(true)),
  ];
}

function experts({ tiny }: Sizes): GpuCase[] {
  const counts = tiny ? [5, 0, 17, 1] : [250, 31, 180, 97, 5, 290, 121, 50];
  const inner = tiny ? 24 : 512, outer = tiny ? 40 : 1024, n = counts.reduce((sum, count) => sum + count, 0);
  const borders = [0];
  for (const count of counts) borders.push(borders.at(-1)! + count);
  const make = (backward: boolean) => () => (device: Device): Made => {
    const x = tensor(device, [n, inner], numbersOf(n * inner, 1)), dy = tensor(device, [n, outer], numbersOf(n * outer, 3));
    const weight = tensor(device, [counts.length, outer, inner], numbersOf(counts.length * outer * inner, 2));
    const offsets = tensor(device, [borders.length], Uint32Array.from(borders));
    const made = fresh(() => {
      if (!backward) return [groupedLinear(x, offsets, { weight }) as unknown as Tensor];
      const g = groupedLinearBackward(x, offsets, { weight }, dy);
      return [g.x, g.weight] as unknown as Tensor[];
    });
    return { ...made, held: [x, dy, weight, offsets] as unknown as Tensor[] };
  };
  const about = { shape: `${counts.length}:${n}x${outer}x${inner}`, unit: "GFLOP/s" } as const, flops = 2 * n * inner * outer;
  return [
    onBoth({ ...about, op: "grouped_linear", layout: "NT", work: flops }, make(false)),
    onBoth({ ...about, op: "grouped_linear_backward", layout: "", work: 2 * flops }, make(true)),
  ];
}

function heads({ tiny }: Sizes): GpuCase[] {
  const [batch, count, time, width] = tiny ? [1, 2, 20, 8] : [8, 8, 512, 64];
  const each = [false, true].flatMap((causal) => [false, true].map((backward) => ({ causal, backward })));
  return each.map(({ causal, backward }) => {
    const make = () => (device: Device): Made => {
      const [q, k, v, dy] = [1, 2, 3, 4].map((seed) =>
        tensor(device, [batch, count, time, width], numbersOf(batch * count * time * width, seed))
      );
      const statistics = empty(device, [2, batch, count, time]), y = attention(q, k, v, { causal, statistics });
      const made = fresh(() => {
        if (!backward) return [attention(q, k, v, { causal }) as unknown as Tensor];
        const g = attentionBackward(q, k, v, dy, { causal, forward: { y, statistics } });
        return [g.q, g.k, g.v] as unknown as Tensor[];
      });
      return { ...made, held: [q, k, v, dy, y, statistics] as unknown as Tensor[] };
    };
    const pairs = causal ? time * (time + 1) / 2 : time * time;
    const op = `attention${causal ? "_causal" : ""}${backward ? "_backward" : ""}`;
    const work = (backward ? 10 : 4) * batch * count * pairs * width;
    return onBoth({ op, shape: `${batch}x${count}x${time}x${width}`, layout: "", unit: "GFLOP/s", work }, make);
  });
}

/** A call whose results are new tensors each time; the ones before are freed. */
function fresh(make: () => readonly Tensor[]): Call {
  let held: readonly Tensor[] = [];
  return {
    run() {
      const made = make();
      for (const t of held) t.dispose();
      held = made;
    },
    results: () => held,
  };
}

/** A case that is checked against the same call on the CPU. `inputs` makes what both begin with, and answers what makes a call of it on a device. */
function onBoth(about: Omit<GpuCase, "prepare">, inputs: () => (device: Device) => Made): GpuCase {
  const dispose = (made: Made) => {
    for (const t of [...made.results(), ...made.held]) t.dispose();
    made.dispose?.();
  };
  const numbers = async (made: Made) => {
    made.run();
    return joined(await Promise.all(made.results().map(async (t) => Float32Array.from(await t.read()))));
  };
  const prepare = (gpu: Device): Ready => {
    const make = inputs(), ours = make(gpu);
    return {
      run: ours.run,
      async check() {
        const theirs = make(cpu);
        try {
          demandRight("the GPU", await numbers(ours), whole(await numbers(theirs)));
        } finally {
          dispose(theirs);
        }
      },
      dispose: () => dispose(ours),
    };
  };
  return { ...about, prepare };
}

const known = new Map<string, Float32Array<ArrayBuffer>>();

/** `uniform`, kept: hundreds of millions of numbers take a while to make. */
function numbersOf(count: number, seed: number): Float32Array<ArrayBuffer> {
  const key = `${count} ${seed}`;
  let values = known.get(key);
  if (values === undefined) known.set(key, values = uniform(count, seed));
  return values;
}

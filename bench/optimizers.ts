/**
 * Group `optimizers`: steps over whole parameter trees as a user calls them, in turn with PyTorch's fused and multi-tensor forms and with copies of as many
 * bytes. Each line says how many GB/s are moved, every tensor counted once for each time that it has to be read or written; `of_copy` is that over what the
 * better of the two libraries' copies moves in the same rounds. Results of the first call are checked against the formulas in double precision.
 *
 * @module
 */
import { adamW, clipByGlobalNorm, copy, type CpuDevice, cpuDevice, ema, sgd, sumOfSquares, type Tensor, tensor } from "@tilework/tilework";
import { figure, type Line, type Options, type Prepared } from "./harness.ts";
import { type Reference, whole } from "./judge.ts";
import { type Candidate, measure } from "./measure.ts";
import { Torch } from "./peers/torch.ts";
import { joined, uniform } from "./problem.ts";

type Tree = Record<string, Tensor<"f32", [number]>>;

/** How often each element of the parameters is moved, and what one call does. */
interface Op {
  readonly streams: number;
  /** The result of the first call by definition, all tensors behind each other. */
  result(params: Float32Array, grads: Float32Array): ArrayLike<number>;
  /** The call, and the tensors that hold its result. */
  prepare(params: Tree, grads: Tree, device: CpuDevice): { run: () => void; results: () => Tensor[]; dispose?: () => void };
}

const ops: Record<string, Op> = {
  adam_w: {
    streams: 7,
    // From moments of zero both corrected means are those of the gradient itself.
    result: (params, grads) => each(params, (p, i) => p * (1 - 1e-3 * 0.01) - 1e-3 * grads[i] / (Math.abs(grads[i]) + 1e-8)),
    prepare(params, grads) {
      const optimizer = adamW(params, { decays: () => true });
      return { run: () => optimizer.step(params, grads, 1e-3), results: () => listOf(params), dispose: () => optimizer[Symbol.dispose]() };
    },
  },
  sgd: {
    streams: 5,
    result: (params, grads) => each(params, (p, i) => p - 1e-3 * (grads[i] + 0.9 * grads[i])),
    prepare(params, grads) {
      const optimizer = sgd(params, { nesterov: true });
      return { run: () => optimizer.step(params, grads, 1e-3), results: () => listOf(params), dispose: () => optimizer[Symbol.dispose]() };
    },
  },
  ema: {
    streams: 3,
    result: (params, grads) => each(params, (p, i) => 0.999 * p + 0.001 * grads[i]),
    prepare(params, grads) {
      const mean = ema(params, { decay: 0.999 });
      return { run: () => mean.update(grads), results: () => listOf(mean.average), dispose: () => mean[Symbol.dispose]() };
    },
  },
  // The norm, then the product in place. The limit sinks, so that every call has to scale.
  clip: {
    streams: 3,
    result(_params, grads) {
      const norm = Math.sqrt(squares(grads));
      return each(grads, (g) => g / norm);
    },
    prepare(_params, grads) {
      let limit = 1;
      const run = () => {
        clipByGlobalNorm(grads, limit).dispose();
        limit *= 0.99999;
      };
      return { run, results: () => listOf(grads) };
    },
  },
  sum_of_squares: {
    streams: 1,
    result: (_params, grads) => [squares(grads)],
    prepare(_params, grads, device) {
      const out = tensor(device, [], [0]);
      const [first] = Object.values(grads);
      return { run: () => void sumOfSquares(first, { out }), results: () => [out as Tensor], dispose: () => out.dispose() };
    },
  },
  copy: {
    streams: 2,
    result: (_params, grads) => grads,
    prepare(params, grads) {
      const pairs = Object.keys(params).map((key) => [params[key], grads[key]] as const);
      return { run: () => pairs.forEach(([p, g]) => copy(g, { out: p })), results: () => listOf(params) };
    },
  },
};

function each(values: Float32Array, result: (value: number, i: number) => number): Float64Array {
  const y = new Float64Array(values.length);
  for (let i = 0; i < y.length; i++) y[i] = result(values[i], i);
  return y;
}

function squares(values: Float32Array): number {
  let sum = 0;
  for (const v of values) sum += v * v;
  return sum;
}

const listOf = (tree: Tree): Tensor[] => Object.values(tree) as Tensor[];

/** The sizes of spec D, and a model of 50 tensors: an embedding, six layers of four matrices and vectors each, a last norm. */
function cases(tiny: boolean): { name: string; sizes: readonly number[]; ops: readonly string[] }[] {
  const width = tiny ? 8 : 256, layers = tiny ? 1 : 6;
  const layer = [width, 3 * width * width, 3 * width, width * width, width, width, 4 * width * width, 4 * width];
  const model = [width * width, ...Array.from({ length: layers }, () => layer).flat(), width];
  return [
    { name: "one", sizes: [tiny ? 1000 : 768 * 2304], ops: ["adam_w", "sgd", "ema", "clip", "sum_of_squares"] },
    { name: "model", sizes: model, ops: ["adam_w", "sgd", "ema", "clip"] },
  ];
}

/** Yields one line a case and number of threads. Without `TILEWORK_TORCH_PYTHON` the peer's figures are null. */
export async function* optimizerLines(options: Options): AsyncGenerator<Line> {
  const peer = new Torch("optimizers_torch.py");
  try {
    for (const threads of options.threads) {
      for (const { name, sizes, ops: names } of cases(options.tiny)) {
        for (const op of names) {
          if (options.wants(`${op} ${name}`)) yield await lineOf({ op, name, sizes }, threads, options, peer);
        }
      }
    }
  } finally {
    peer.close();
  }
}

async function lineOf(
  { op, name, sizes }: { op: string; name: string; sizes: readonly number[] },
  threads: number,
  options: Options,
  peer: Torch,
): Promise<Line> {
  const { streams } = ops[op], count = sizes.reduce((sum, size) => sum + size, 0);
  // The copy is one of as many bytes as the op moves, or it would live in a nearer cache.
  const copied = [Math.ceil(count * streams / 2)];
  const candidates = [...both(peer, op, sizes, [1, 2], threads, ""), ...both(peer, "copy", copied, [3, 4], threads, "'s copy")];
  const measured = await measure(`${op} ${name}`, candidates, options);
  const copyRate = (contender: string) => measured.has(contender) ? figure(8e-9 * copied[0] / measured.median(contender)) : 0;
  const copy = Math.max(copyRate("ours's copy"), copyRate("pytorch's copy"));
  const compared = measured.against(peer.name, (seconds) => 4e-9 * streams * count / seconds);
  return {
    ...{ group: "optimizers", op, case: name, shape: `${sizes.length}:${count}`, layout: "", dtype: "f32", threads, unit: "GB/s" },
    ...{ ...compared, copy, of_copy: figure(compared.ours / copy), ...measured.common, ...peer.extra },
  };
}

/** This library and the peer, with the same to compute. */
function both(
  peer: Torch,
  op: string,
  sizes: readonly number[],
  seeds: readonly [number, number],
  threads: number,
  suffix: string,
): Candidate[] {
  const count = sizes.reduce((sum, size) => sum + size, 0), inputs = seeds.map((seed) => uniform(count, seed));
  const reference: Reference = whole(ops[op].result(inputs[0], inputs[1]));
  return [
    { name: `ours${suffix}`, threads, reference, prepare: () => ours(op, sizes, inputs, threads) },
    {
      ...{ name: `${peer.name}${suffix}`, threads, peer: true, reference },
      prepare: () => peer.prepare(threads, `prepare ${op} ${sizes.join(",")}`, inputs),
    },
  ];
}

/** This library on so many threads. */
function ours(op: string, sizes: readonly number[], inputs: readonly Float32Array[], threads: number): Prepared {
  const device = cpuDevice({ threads });
  const [params, grads] = inputs.map((values) => {
    let at = 0;
    return Object.fromEntries(sizes.map((size, i) => [`p${i}`, tensor(device, [size], values.slice(at, at += size))])) as Tree;
  });
  const call = ops[op].prepare(params, grads, device);
  return {
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) call.run();
      return (performance.now() - start) / 1000;
    },
    result: () => joined(call.results().map((x) => x.readSync() as Float32Array)), // all are f32
    dispose() {
      call.dispose?.();
      for (const x of [...listOf(params), ...listOf(grads)]) x.dispose();
    },
  };
}

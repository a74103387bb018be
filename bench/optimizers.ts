/**
 * Group `optimizers`: steps over whole parameter trees as a user calls them, in turn with PyTorch's fused and multi-tensor forms and with copies of as many
 * bytes. Each line says how many GB/s are moved, every tensor counted once for each time that it has to be read or written; `of_copy` is that over what the
 * better of the two libraries' copies moves in the same rounds. Results are compared after the first call.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { adamW, clipByGlobalNorm, copy, type CpuDevice, cpuDevice, ema, sgd, sumOfSquares, type Tensor, tensor } from "@tilework/tilework";
import { type Contender, figure, interleave, type Line, median, type Options, pairedQuartiles, type Prepared } from "./harness.ts";
import { prepare, startServer } from "./peers/server.ts";

type Tree = Record<string, Tensor<"f32", [number]>>;

/** How often each element of the parameters is moved, and what one call does. */
interface Op {
  readonly streams: number;
  /** The call, and the tensors that hold its result. */
  prepare(params: Tree, grads: Tree, device: CpuDevice): { run: () => void; results: () => Tensor[]; dispose?: () => void };
}

const ops: Record<string, Op> = {
  adam_w: {
    streams: 7,
    prepare(params, grads) {
      const optimizer = adamW(params, { decays: () => true });
      return { run: () => optimizer.step(params, grads, 1e-3), results: () => listOf(params), dispose: () => optimizer[Symbol.dispose]() };
    },
  },
  sgd: {
    streams: 5,
    prepare(params, grads) {
      const optimizer = sgd(params, { nesterov: true });
      return { run: () => optimizer.step(params, grads, 1e-3), results: () => listOf(params), dispose: () => optimizer[Symbol.dispose]() };
    },
  },
  ema: {
    streams: 3,
    prepare(params, grads) {
      const mean = ema(params, { decay: 0.999 });
      return { run: () => mean.update(grads), results: () => listOf(mean.average), dispose: () => mean[Symbol.dispose]() };
    },
  },
  // The norm, then the product in place. The limit sinks, so that every call has to scale.
  clip: {
    streams: 3,
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
    prepare(_params, grads, device) {
      const out = tensor(device, [], [0]);
      const [first] = Object.values(grads);
      return { run: () => void sumOfSquares(first, { out }), results: () => [out as Tensor], dispose: () => out.dispose() };
    },
  },
  copy: {
    streams: 2,
    prepare(params, grads) {
      const pairs = Object.keys(params).map((key) => [params[key], grads[key]] as const);
      return { run: () => pairs.forEach(([p, g]) => copy(g, { out: p })), results: () => listOf(params) };
    },
  },
};

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
  const python = process.env.TILEWORK_TORCH_PYTHON;
  const script = fileURLToPath(new URL("./peers/optimizers_torch.py", import.meta.url));
  for (const threads of options.threads) {
    const server = python &&
      await startServer("pytorch", { program: [python, script, String(threads)], env: { CUDA_VISIBLE_DEVICES: "" } });
    for (const { name, sizes, ops: names } of cases(options.tiny)) {
      const count = sizes.reduce((sum, size) => sum + size, 0), shape = `${sizes.length}:${count}`;
      const inputs = [uniform(count, 1), uniform(count, 2)];
      for (const op of names) {
        if (!options.wants(`${op} ${name}`)) continue;
        const { streams } = ops[op];
        // The copy is one of as many bytes as the op moves, or it would live in a nearer cache.
        const copied = [Math.ceil(count * streams / 2)], values = [uniform(copied[0], 3), uniform(copied[0], 4)];
        const all: Contender[] = [
          { name: "ours", threads, ...ours(op, sizes, inputs, threads) },
          { name: "our copy", threads, ...ours("copy", copied, values, threads) },
        ];
        if (server) {
          all.push({ name: "pytorch", threads, ...await prepare(server, `prepare ${op} ${sizes.join(",")}`, inputs) });
          all.push({ name: "pytorch's copy", threads, ...await prepare(server, `prepare copy ${copied}`, values) });
          await compare(all[0], all[2]);
        }
        const { seconds, rounds, others } = await interleave(all, options);
        for (const contender of all) await contender.dispose?.();
        const rate = (i: number) => figure(4 * streams * count / median(seconds[i]) / 1e9);
        const copies = Math.max(...[1, 3].filter((i) => i < all.length).map((i) => figure(8 * copied[0] / median(seconds[i]) / 1e9)));
        const line = {
          ...{ group: "optimizers", op, case: name, shape, layout: "", dtype: "f32", threads, unit: "GB/s" },
          ...{
            ours: rate(0),
            peer_name: "pytorch",
            copy: copies,
            of_copy: figure(rate(0) / copies),
            rounds,
            others: others && figure(others),
          },
        };
        if (!server) yield { ...line, peer: null, ratio: null, missing: "TILEWORK_TORCH_PYTHON names no Python with PyTorch" };
        else {
          const paired = pairedQuartiles(seconds[2], seconds[0]);
          yield { ...line, peer: rate(2), ratio: paired[1], paired, pytorch: server.greeting };
        }
      }
    }
    if (server) server.close();
  }
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
    result: () => Float32Array.from(call.results().flatMap((x) => [...x.readSync()])),
    dispose() {
      call.dispose?.();
      for (const x of [...listOf(params), ...listOf(grads)]) x.dispose();
    },
  };
}

/** Both results after one call have to agree to 10⁻⁴ of the largest: PyTorch adds the squares of a norm in f32. */
async function compare(one: Contender, other: Contender): Promise<void> {
  for (const contender of [one, other]) await contender.time(1);
  const a = await one.result!(), b = await other.result!();
  if (a.length !== b.length) throw new Error(`${other.name}: ${b.length} results, ${one.name} has ${a.length}`);
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-30);
  for (let i = 0; i < a.length; i++) {
    // A NaN compares as false, and so fails.
    if (!(Math.abs(a[i] - b[i]) <= 1e-4 * largest)) throw new Error(`${other.name}: entry ${i} is ${b[i]}, ${one.name} has ${a[i]}`);
  }
}

/** Uniform numbers in [-0.5, 0.5), the same every time. */
function uniform(count: number, seed: number): Float32Array<ArrayBuffer> {
  let state = seed * 0x9e3779b9 >>> 0;
  return Float32Array.from({ length: count }, () => {
    state ^= state << 13; // xorshift32
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) / 0x1000000 - 0.5;
  });
}

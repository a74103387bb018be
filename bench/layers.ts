/**
 * Group `layers`: what training calls that is made of several products or passes: the loss of a large vocabulary, a mixture of experts, and the steps that
 * one takes besides its products. In turn with PyTorch's plain way; results are checked against the formulas in double precision before anything is timed.
 *
 * @module
 */
import {
  combineRows,
  combineRowsBackward,
  type CpuDevice,
  cpuDevice,
  expertOrder,
  gatherRows,
  gatherRowsBackward,
  linearCrossEntropy,
  moe,
  mul,
  route,
  scope,
  sum,
  type Tensor,
  tensor,
  valueAndGrad,
} from "@tilework/tilework";
import type { Line, Options, Prepared } from "./harness.ts";
import type { Reference } from "./judge.ts";
import { layerReference, slots } from "./layers_reference.ts";
import { type Candidate, measure } from "./measure.ts";
import { Torch } from "./peers/torch.ts";
import { joined, uniform } from "./problem.ts";

/** `classes` is of a loss, `hidden` and `experts` are of a mixture, in which each row takes two experts. */
export interface Sizes {
  readonly rows: number;
  readonly width: number;
  readonly classes: number;
  readonly hidden: number;
  readonly experts: number;
}

type Matrix = Tensor<"f32", [number, number]>;
type Results = readonly Tensor[];

interface Layer {
  /** The sizes that the line tells, joined. */
  readonly shape: readonly (keyof Sizes)[];
  /** The work of one call, as the unit counts it. */
  readonly amount: (sizes: Sizes) => number;
  readonly unit: "GFLOP/s" | "GB/s" | "million rows/s";
  /** What the peer gets too, integers as floats. */
  readonly inputs: (sizes: Sizes) => readonly Float32Array<ArrayBuffer>[];
  /** A call, which allocates its results as a program's does, and what it works on. */
  readonly prepare: (
    device: CpuDevice,
    sizes: Sizes,
    inputs: readonly Float32Array<ArrayBuffer>[],
  ) => { compute: () => Results; operands: Results };
}

/** Two different experts of each row, spread unevenly: the first ones have more rows. */
function choices({ rows, experts }: Sizes): Float32Array<ArrayBuffer> {
  const first = uniform(rows, 7), second = uniform(rows, 8);
  return Float32Array.from({ length: rows * slots }, (_, at) => {
    const one = Math.floor((first[at >> 1] + 0.5) ** 2 * experts);
    return at % 2 === 0 ? one : (one + 1 + Math.floor((second[at >> 1] + 0.5) * (experts - 1))) % experts;
  });
}

function orderOf(device: CpuDevice, { rows, experts }: Sizes, chosen: Float32Array) {
  return expertOrder(tensor(device, [rows, slots], Uint32Array.from(chosen)), { experts });
}

/** Any of the tensors that a call made. */
function all(...tensors: readonly unknown[]): Results {
  return tensors as Results;
}

/** Passes over matrices `[rows, width]`: how often each element of one is moved. */
function streams(count: number): Pick<Layer, "shape" | "amount" | "unit"> {
  return { shape: ["rows", "width", "experts"], amount: ({ rows, width }) => 4e-9 * count * rows * width, unit: "GB/s" };
}

const perRow: Pick<Layer, "shape" | "amount" | "unit"> = {
  shape: ["rows", "experts"],
  amount: ({ rows }) => 1e-6 * rows,
  unit: "million rows/s",
};

const layers = {
  // The loss and the gradients of x and weight: three products.
  linear_cross_entropy: {
    shape: ["rows", "classes", "width"],
    amount: ({ rows, width, classes }) => 6e-9 * rows * width * classes,
    unit: "GFLOP/s",
    inputs: ({ rows, width, classes }) => [uniform(rows * width, 1), uniform(classes * width, 2)],
    prepare(device, { rows, width, classes }, [x, weight]) {
      const params = { x: tensor(device, [rows, width], x), weight: tensor(device, [classes, width], weight) };
      const targets = tensor(device, [rows], Int32Array.from({ length: rows }, (_, i) => i * 7919 % classes));
      const loss = valueAndGrad(({ x, weight }: typeof params) => linearCrossEntropy(x, { weight }, targets));
      const compute = () => {
        const { value, grads } = loss(params);
        return all(value, grads.x, grads.weight);
      };
      return { compute, operands: all(params.x, params.weight, targets) };
    },
  },
  // A layer of GEGLU experts, its answers weighed by what a loss would send back, and all gradients: three products each of the router, the way up and the way down. Ours also computes the
  // router's two losses, which the layer always returns.
  moe: {
    shape: ["rows", "width", "hidden", "experts"],
    amount: ({ rows, width, hidden, experts }) => 6e-9 * rows * width * (slots * 3 * hidden + experts),
    unit: "GFLOP/s",
    inputs: ({ rows, width, hidden, experts }) => [
      ...[rows * width, experts * width, experts * 2 * hidden * width, experts * width * hidden, rows * width].map((n, i) =>
        uniform(n, i + 1)
      ),
    ],
    prepare(device, { rows, width, hidden, experts }, [x, router, up, down, dy]) {
      const params = {
        x: tensor(device, [rows, width], x) as Matrix,
        router: { weight: tensor(device, [experts, width], router) as Matrix },
        up: { weight: tensor(device, [experts, 2 * hidden, width], up) },
        down: { weight: tensor(device, [experts, width, hidden], down) },
      };
      const weighed = tensor(device, [rows, width], dy) as Matrix;
      const loss = valueAndGrad(({ x, ...layer }: typeof params) => sum(mul(moe(x, layer, { topK: slots }).y, weighed)));
      const compute = () => {
        const { value, grads } = loss(params);
        return all(value, grads.x, grads.router.weight, grads.up.weight, grads.down.weight);
      };
      return { compute, operands: all(params.x, params.router.weight, params.up.weight, params.down.weight, weighed) };
    },
  },
  route: {
    ...perRow,
    inputs: ({ rows, experts }) => [uniform(rows * experts, 1)],
    prepare(device, { rows, experts }, [logits]) {
      const x = tensor(device, [rows, experts], logits) as Matrix;
      const compute = () => {
        const { indices, weights } = route(x, { topK: slots });
        return all(indices, weights);
      };
      return { compute, operands: all(x) };
    },
  },
  expert_order: {
    ...perRow,
    inputs: (sizes) => [choices(sizes)],
    prepare(device, { rows, experts }, [chosen]) {
      const indices = tensor(device, [rows, slots], Uint32Array.from(chosen));
      const compute = () => {
        const { offsets, order, places } = expertOrder(indices, { experts });
        return all(offsets, order, places);
      };
      return { compute, operands: all(indices) };
    },
  },
  gather_rows: {
    ...streams(1 + slots),
    inputs: (sizes) => [choices(sizes), uniform(sizes.rows * sizes.width, 1)],
    prepare(device, sizes, [chosen, values]) {
      const order = orderOf(device, sizes, chosen), x = tensor(device, [sizes.rows, sizes.width], values) as Matrix;
      const compute = () => all(gatherRows(x, order));
      return { compute, operands: all(x, ...Object.values(order)) };
    },
  },
  gather_rows_backward: {
    ...streams(1 + slots),
    inputs: (sizes) => [choices(sizes), uniform(slots * sizes.rows * sizes.width, 1)],
    prepare(device, sizes, [chosen, values]) {
      const order = orderOf(device, sizes, chosen), dy = tensor(device, [slots * sizes.rows, sizes.width], values) as Matrix;
      const compute = () => all(gatherRowsBackward(dy, order));
      return { compute, operands: all(dy, ...Object.values(order)) };
    },
  },
  combine_rows: {
    ...streams(1 + slots),
    inputs: (sizes) => [choices(sizes), uniform(slots * sizes.rows * sizes.width, 1), uniform(slots * sizes.rows, 2)],
    prepare(device, sizes, [chosen, values, factors]) {
      const order = orderOf(device, sizes, chosen), h = tensor(device, [slots * sizes.rows, sizes.width], values) as Matrix;
      const weights = tensor(device, [sizes.rows, slots], factors);
      const compute = () => all(combineRows(h, weights, order));
      return { compute, operands: all(h, weights, ...Object.values(order)) };
    },
  },
  combine_rows_backward: {
    ...streams(1 + 2 * slots),
    inputs: (sizes) => [
      choices(sizes),
      uniform(slots * sizes.rows * sizes.width, 1),
      uniform(slots * sizes.rows, 2),
      uniform(sizes.rows * sizes.width, 3),
    ],
    prepare(device, sizes, [chosen, values, factors, cotangent]) {
      const { rows, width } = sizes;
      const order = orderOf(device, sizes, chosen), h = tensor(device, [slots * rows, width], values) as Matrix;
      const weights = tensor(device, [rows, slots], factors), dy = tensor(device, [rows, width], cotangent) as Matrix;
      const compute = () => {
        const g = combineRowsBackward(h, weights, order, dy);
        return all(g.h, g.weights);
      };
      return { compute, operands: all(h, weights, dy, ...Object.values(order)) };
    },
  },
} satisfies Record<string, Layer>;

/** What the group measures. */
export type LayerName = keyof typeof layers;

/** A byte-pair vocabulary, a layer of a small model and one of the demo's, and the rows of both. */
function cases(tiny: boolean): { op: LayerName; sizes: Sizes }[] {
  const none = { classes: 0, hidden: 0, experts: 0 };
  const [loss, large, demo] = tiny
    ? [
      { ...none, rows: 12, width: 8, classes: 50 },
      { ...none, rows: 11, width: 8, hidden: 6, experts: 8 },
      { ...none, rows: 9, width: 4, hidden: 8, experts: 4 },
    ]
    : [
      { ...none, rows: 1024, width: 256, classes: 50257 },
      { ...none, rows: 2048, width: 512, hidden: 512, experts: 8 },
      { ...none, rows: 2048, width: 128, hidden: 256, experts: 4 },
    ];
  const steps = ["route", "expert_order", "gather_rows", "gather_rows_backward", "combine_rows", "combine_rows_backward"] as const;
  return [
    { op: "linear_cross_entropy", sizes: loss },
    { op: "moe", sizes: large },
    { op: "moe", sizes: demo },
    ...steps.map((op) => ({ op, sizes: large })),
  ];
}

/** Yields one line a case and number of threads. Without `TILEWORK_TORCH_PYTHON` the peer's figures are null. */
export async function* layerLines(options: Options): AsyncGenerator<Line> {
  const peer = new Torch("layers_torch.py");
  /** What takes long to compute is the same for all numbers of threads. */
  const references = new Map<string, Reference>();
  try {
    for (const threads of options.threads) {
      for (const { op, sizes } of cases(options.tiny)) {
        const layer: Layer = layers[op], shape = layer.shape.map((name) => sizes[name]).join("x"), name = `${op} ${shape}`;
        if (!options.wants(name)) continue;
        const inputs = layer.inputs(sizes), { rows, width, classes, hidden, experts } = sizes;
        if (!references.has(name)) references.set(name, layerReference(op, sizes, inputs));
        const question = `prepare ${op} ${rows} ${width} ${classes} ${hidden} ${experts}`, reference = references.get(name);
        const candidates: Candidate[] = [
          { name: "ours", threads, reference, prepare: () => prepareOurs(layer, sizes, inputs, threads) },
          { name: peer.name, threads, peer: true, reference, prepare: () => peer.prepare(threads, question, inputs) },
        ];
        const measured = await measure(name, candidates, options),
          compared = measured.against(peer.name, (seconds) => layer.amount(sizes) / seconds);
        const line = { group: "layers", op, shape, layout: "", dtype: "f32", threads, unit: layer.unit };
        yield { ...line, ...compared, ...measured.common, ...peer.extra };
      }
    }
  } finally {
    peer.close();
  }
}

/** This library on so many threads; integers of its results are floats where they are checked. */
function prepareOurs(layer: Layer, sizes: Sizes, inputs: readonly Float32Array<ArrayBuffer>[], threads: number): Prepared {
  const device = cpuDevice({ threads });
  const { compute, operands } = scope(() => layer.prepare(device, sizes, inputs));
  return {
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) scope(() => void compute());
      return (performance.now() - start) / 1000;
    },
    result: () => scope(() => joined(compute().map((t) => Float32Array.from(t.readSync() as ArrayLike<number>)))),
    dispose: () => operands.forEach((t) => t.dispose()),
  };
}

/** Every function of the package that calls kernels, on small inputs: what it is explained as, and what is compared between devices. */

import * as api from "../mod.ts";
import {
  adamW,
  type Device,
  type Float,
  linear,
  matmul,
  mul,
  random,
  softmax,
  sum,
  type Tensor,
  tensor,
  transpose,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { randomTensor } from "./harness.ts";

type X = Tensor<"f32", number[]>;
type Ids = Tensor<"u32", number[]>;

/** The sizes of the inputs' axes, by name. Axes of one name are of one size in every input. */
export interface Sizes {
  rows: number;
  cols: number;
  outs: number;
  batch: number;
  heads: number;
  length: number;
  width: number;
  groups: number;
  slots: number;
  tall: number;
  narrow: number;
}

/** The sizes that the cases have unless a test gives its own. */
export const sizes: Readonly<Sizes> = {
  rows: 6,
  cols: 8,
  outs: 5,
  batch: 1,
  heads: 2,
  length: 4,
  width: 8,
  groups: 2,
  slots: 2,
  // Long enough in both directions for partial sums that are joined.
  tall: 70,
  narrow: 20,
};

/** The shapes of the inputs. */
export const shapes = (n: Sizes) => ({
  a: [n.rows, n.cols],
  b: [n.rows, n.cols],
  wide: [n.tall, n.narrow],
  weight: [n.outs, n.cols],
  bias: [n.outs],
  dy: [n.rows, n.outs],
  norm: [n.cols],
  q: [n.batch, n.heads, n.length, n.width],
  scalar: [],
  m: [n.rows, n.cols],
  v: [n.rows, n.cols],
  ids: [n.rows],
  experts: [n.groups, n.outs, n.cols],
  biases: [n.groups, n.outs],
  offsets: [n.groups + 1],
  other: [n.cols],
  fourScalars: [4],
  fiveScalars: [5],
  scalars: [8],
  choices: [n.rows, n.slots],
  starts: [n.cols + 1],
  order: [n.rows * n.slots],
  places: [n.rows, n.slots],
  sorted: [n.rows * n.slots, n.cols],
  shares: [n.rows, n.slots],
});

/** The inputs of the cases. */
export function makeInputs(device: Device, dtype: Float = "f32", n: Sizes = sizes) {
  const made = Object.fromEntries(Object.keys(shapes(n)).map((name) => [name, makeInput(name as InputName, device, dtype, n)]));
  return made as unknown as Inputs;
}

/** The name of an input. */
export type InputName = keyof ReturnType<typeof shapes>;

const seeds: Partial<Record<InputName, number>> = {
  ...{
    a: 1,
    b: 2,
    wide: 3,
    weight: 4,
    bias: 5,
    dy: 6,
    norm: 7,
    q: 8,
    scalar: 9,
    m: 10,
    v: 11,
    experts: 12,
    biases: 13,
    other: 12,
    sorted: 12,
  },
  shares: 13,
};
const scalars: Partial<Record<InputName, number[]>> = {
  fourScalars: [0.1, 0.9, 0, 1],
  fiveScalars: [0.1, 0.9, 0.99, 0, 1],
  scalars: [0.1, 0.9, 0.99, 1e-8, 0, 10, 100, 1],
};

/** One input of the cases. */
export function makeInput(name: InputName, device: Device, dtype: Float, n: Sizes): Tensor {
  const shape = shapes(n)[name];
  const seed = seeds[name];
  if (seed !== undefined) return randomTensor(shape, dtype, seed, device);
  const numbers = scalars[name];
  if (numbers !== undefined) return tensor(device, [...shape], Float64Array.from(numbers));
  return tensor(device, [...shape], Uint32Array.from(integersOf(name, n)));
}

const cycle = (values: readonly number[], count: number) => Array.from({ length: count }, (_, i) => values[i % values.length]!);

/** Rows with some of `cols` experts each, and what sorts them by expert. */
function integersOf(name: InputName, n: Sizes): number[] {
  if (name === "ids") return cycle([1, 0, 3, 3, 4, 2], n.rows);
  if (name === "offsets") return Array.from({ length: n.groups + 1 }, (_, i) => i > 0 && i === n.groups ? n.rows : Math.min(2 * i, n.rows));
  if (name === "starts" && n.cols === 0) return [0];
  const choices = cycle([1, 0, 3, 2, 7, 1, 0, 1, 1, 4, 3, 7], n.rows * n.slots);
  if (name === "choices") return choices;
  if (name === "starts") return Array.from({ length: n.cols + 1 }, (_, e) => choices.filter((expert) => expert < e).length);
  const order = choices.map((_, i) => i).sort((i, j) => choices[i]! - choices[j]! || i - j);
  return name === "order" ? order : choices.map((_, i) => order.indexOf(i));
}

/** The inputs by name. */
export interface Inputs extends Record<Exclude<InputName, Integers | "scalar" | "fourScalars" | "fiveScalars" | "scalars">, X> {
  scalar: Tensor<"f32", []>;
  ids: Ids;
  offsets: Tensor<"u32", [number]>;
  choices: Tensor<"u32", [number, number]>;
  starts: Tensor<"u32", [number]>;
  order: Tensor<"u32", [number]>;
  places: Tensor<"u32", [number, number]>;
  fourScalars: Tensor<"f64", [4]>;
  fiveScalars: Tensor<"f64", [5]>;
  scalars: Tensor<"f64", [8]>;
}
type Integers = "ids" | "offsets" | "choices" | "starts" | "order" | "places";

export interface Case {
  /** The call, of inputs of the sizes `n`. */
  run: (i: Inputs, device: Device, n?: Sizes) => unknown;
  /** The steps that it has: `op: step kernel`, the step left out where it is the op. */
  steps: string[];
  /** Shapes of what it makes on the way, if that may hold more than its inputs and its results. */
  holds?: (n: Sizes) => number[][];
}

const some = <T>(x: T) => x as never; // shapes that the compiler does not know here

/** Every function of the package that calls kernels. */
export const cases: Record<string, Case> = {
  adamWStep: { run: ({ a, m, v, b, scalars }) => api.adamWStep([a], [m], [v], [b], some(scalars)), steps: ["adamWStep adam_w_f32_update"] },
  add: { run: ({ a, b }) => api.add(a, some(b)), steps: ["add add_f32_rows"] },
  attention: {
    run: ({ q }) => api.attention(some(q), some(q), some(q), { causal: true }),
    steps: ["attention attention_f32_softmax"],
  },
  attentionBackward: {
    run: ({ q }) => api.attentionBackward(some(q), some(q), some(q), some(q), { causal: true }),
    steps: ["attentionBackward attention_f32_softmax", "attentionBackward: heads attention_f32_gradient"],
  },
  axpby: { run: ({ a, b }) => api.axpby([a], [b]), steps: ["axpby axpby_f32_sum"] },
  cast: { run: ({ a }) => api.cast(a, "i32"), steps: ["cast: copy copy_i32_f32_rows"] },
  combineRows: {
    run: ({ sorted, shares, starts, order, places }) => api.combineRows(some(sorted), some(shares), { offsets: starts, order, places }),
    steps: ["combineRows combine_rows_f32_rows"],
  },
  combineRowsBackward: {
    run: ({ sorted, shares, starts, order, places, a }) =>
      api.combineRowsBackward(some(sorted), some(shares), { offsets: starts, order, places }, some(a)),
    steps: ["combineRowsBackward combine_rows_backward_f32_rows"],
  },
  clipFactor: { run: ({ a, wide }) => api.clipFactor([a, wide], 1), steps: ["clipFactor sum_of_squares_f32_rows"] },
  concat: { run: ({ a, b }) => api.concat([a, some(b)], 0), steps: ["concat: copy copy_u32_u32_rows", "concat: copy copy_u32_u32_rows"] },
  copy: { run: ({ a }) => api.copy(transpose(a)), steps: ["copy copy_u32_turn"] },
  crossEntropy: { run: ({ a, ids }) => api.crossEntropy(a, some(ids)), steps: ["crossEntropy cross_entropy_f32_rows"] },
  crossEntropyBackward: {
    run: ({ a, ids, scalar }) => api.crossEntropyBackward(a, some(ids), scalar),
    steps: ["crossEntropyBackward cross_entropy_f32_rows", "crossEntropyBackward cross_entropy_backward_f32_rows"],
  },
  dropout: { run: ({ a }, device) => api.dropout(a, random(device, 3), { rate: 0.5 }), steps: ["dropout dropout_f32_rows"] },
  embedding: { run: ({ ids, weight }) => api.embedding(ids, { weight: some(weight) }), steps: ["embedding -"] },
  embeddingBackward: {
    run: ({ ids, weight, a }) => api.embeddingBackward(ids, { weight: some(weight) }, some(a)),
    steps: ["embeddingBackward: sort of the ids -", "embeddingBackward embedding_backward_f32_rows"],
  },
  embeddingInit: {
    run: (_, device, n = sizes) => api.embeddingInit(random(device, 3), n.rows, n.cols),
    steps: ["normal random_f32_normal"],
  },
  expertOrder: {
    run: ({ choices }, _, n = sizes) => api.expertOrder(choices, { experts: n.cols }),
    steps: ["expertOrder: count -", "expertOrder: place -"],
  },
  full: { run: ({ a }, device, n = sizes) => api.full(device, [n.rows, n.cols], 2, a.dtype), steps: ["full fill_u32_rows"] },
  gatherRows: {
    run: ({ a, starts, order, places }) => api.gatherRows(some(a), { offsets: starts, order, places }),
    steps: ["gatherRows -"],
  },
  gatherRowsBackward: {
    run: ({ sorted, starts, order, places }) => api.gatherRowsBackward(some(sorted), { offsets: starts, order, places }),
    steps: ["gatherRowsBackward gather_rows_backward_f32_rows"],
  },
  geglu: { run: ({ a, b }) => api.geglu(a, some(b)), steps: ["geglu gated_activation_f32_rows"] },
  gegluBackward: {
    run: ({ a, b, m }) => api.gegluBackward(a, some(b), some(m)),
    steps: ["gegluBackward gated_activation_backward_f32_rows"],
  },
  gelu: { run: ({ a }) => api.gelu(a), steps: ["gelu activation_f32_rows"] },
  geluBackward: { run: ({ a, b }) => api.geluBackward(a, some(b)), steps: ["geluBackward activation_backward_f32_rows"] },
  groupedLinear: {
    run: ({ a, experts, offsets, biases }) => api.groupedLinear(some(a), offsets, some({ weight: experts, bias: biases })),
    steps: ["groupedLinear gemm_f32_strip"],
  },
  groupedLinearBackward: {
    run: ({ a, experts, offsets, biases, dy }) =>
      api.groupedLinearBackward(some(a), offsets, some({ weight: experts, bias: biases }), some(dy)),
    steps: [
      "groupedLinearBackward: dx gemm_f32_strip",
      "groupedLinearBackward: dw gemm_f32_strip",
      "groupedLinearBackward: db column_sums_f32",
    ],
  },
  layerNorm: { run: ({ a, norm }) => api.layerNorm(a, { weight: some(norm) }), steps: ["layerNorm layer_norm_f32_rows"] },
  layerNormBackward: {
    run: ({ a, norm, b }) => api.layerNormBackward(a, { weight: some(norm), bias: some(norm) }, some(b)),
    steps: [
      "layerNormBackward: rows layer_norm_backward_f32_rows",
      "layerNormBackward: join column_sums_f32",
    ],
  },
  layerNormInit: {
    run: (_, device, n = sizes) => api.layerNormInit(random(device, 3), n.cols),
    steps: ["ones fill_u32_rows", "zeros fill_u32_rows"],
  },
  lerp: { run: ({ a, b }) => api.lerp([a], [b], 0.1), steps: ["lerp lerp_f32_near"] },
  linear: { run: ({ a, weight, bias }) => linear(a, some({ weight, bias })), steps: ["linear gemm_f32_strip"] },
  linearBackward: {
    run: ({ a, weight, bias, dy }) => api.linearBackward(a, some({ weight, bias }), some(dy)),
    steps: ["linearBackward: dx gemm_f32_strip", "linearBackward: dw gemm_f32_strip", "linearBackward: db column_sums_f32"],
  },
  linearCrossEntropy: {
    run: ({ a, weight, bias, ids }) => api.linearCrossEntropy(a, some({ weight, bias }), some(ids)),
    steps: ["linearCrossEntropy gemm_f32_strip", "linearCrossEntropy: loss cross_entropy_f32_rows"],
  },
  linearCrossEntropyBackward: {
    run: ({ a, weight, bias, ids, scalar }) => api.linearCrossEntropyBackward(a, some({ weight, bias }), some(ids), scalar),
    steps: [
      "linearCrossEntropyBackward gemm_f32_strip",
      "linearCrossEntropyBackward: loss cross_entropy_f32_rows",
      "linearCrossEntropyBackward: dlogits cross_entropy_backward_f32_rows",
      "linearCrossEntropyBackward: dx gemm_f32_strip",
      "linearCrossEntropyBackward: dw gemm_f32_strip",
      "linearCrossEntropyBackward: db column_sums_f32",
      "linearCrossEntropyBackward scale_by_f32_update",
    ],
  },
  linearInit: {
    run: (_, device, n = sizes) => api.linearInit(random(device, 3), n.rows, n.cols),
    steps: ["normal random_f32_normal", "zeros fill_u32_rows"],
  },
  loadBalanceLoss: {
    run: ({ a, starts }) => api.loadBalanceLoss(some(a), starts),
    steps: ["loadBalanceLoss load_balance_loss_f32_rows"],
  },
  loadBalanceLossBackward: {
    run: ({ a, starts, scalar }) => api.loadBalanceLossBackward(some(a), starts, scalar),
    steps: ["loadBalanceLossBackward load_balance_loss_backward_f32_rows"],
  },
  logSoftmax: { run: ({ a }) => api.logSoftmax(a), steps: ["logSoftmax log_softmax_f32_rows"] },
  logSoftmaxBackward: {
    run: ({ a, b }) => api.logSoftmaxBackward(a, some(b)),
    steps: ["logSoftmaxBackward log_softmax_backward_f32_rows"],
  },
  lionStep: { run: ({ a, m, b, fiveScalars }) => api.lionStep([a], [m], [b], some(fiveScalars)), steps: ["lionStep lion_f32_update"] },
  matmul: { run: ({ a, b }) => matmul(a, some(b), some({ transposeB: true })), steps: ["matmul gemm_f32_strip"] },
  matmulList: { run: ({ a, b }) => api.matmulList([a, b], some([b, a]), some({ transposeB: true })), steps: ["matmulList gemm_f32_strip"] },
  mean: { run: ({ wide }) => api.mean(wide, some({ axis: 0 })), steps: ["mean sum_f32_columns"] },
  mse: { run: ({ a, b }) => api.mse(a, some(b)), steps: ["mse mse_f32_rows"] },
  mseBackward: { run: ({ a, b, scalar }) => api.mseBackward(a, some(b), scalar), steps: ["mseBackward mse_backward_f32_rows"] },
  mul: { run: ({ a, b }) => mul(a, some(b)), steps: ["mul mul_f32_rows"] },
  ones: { run: ({ a }, device, n = sizes) => api.ones(device, [n.rows, n.cols], a.dtype), steps: ["ones fill_u32_rows"] },
  prepack: { run: ({ weight }) => void api.prepack(weight), steps: ["prepack gemm_f32_pack"] },
  relu: { run: ({ a }) => api.relu(a), steps: ["relu activation_f32_rows"] },
  reluBackward: { run: ({ a, b }) => api.reluBackward(a, some(b)), steps: ["reluBackward activation_backward_f32_rows"] },
  reshape: { run: ({ a }, _, n = sizes) => api.reshape(transpose(a), some([n.rows * n.cols])), steps: ["reshape: copy copy_u32_turn"] },
  route: { run: ({ a }, _, n = sizes) => api.route(some(a), { topK: n.slots }), steps: ["route route_f32_rows"] },
  routeBackward: {
    run: ({ a, choices, shares }) => api.routeBackward(some(a), { indices: choices, weights: some(shares) }, some(shares)),
    steps: ["routeBackward route_backward_f32_rows"],
  },
  routerZLoss: { run: ({ a }) => api.routerZLoss(some(a)), steps: ["routerZLoss router_z_loss_f32_rows"] },
  routerZLossBackward: {
    run: ({ a, scalar }) => api.routerZLossBackward(some(a), scalar),
    steps: ["routerZLossBackward router_z_loss_backward_f32_rows"],
  },
  rotary: { run: ({ q }) => api.rotary(some(q)), steps: ["rotary rotary_f32_block"] },
  rotaryBackward: {
    run: ({ q }) => api.rotaryBackward(some(transpose(q))),
    steps: ["rotaryBackward: copy copy_u32_turn", "rotaryBackward rotary_f32_block"],
  },
  rmsNorm: { run: ({ a, norm }) => api.rmsNorm(a, { weight: some(norm) }), steps: ["rmsNorm rms_norm_f32_rows"] },
  rmsNormBackward: {
    run: ({ a, norm, b }) => api.rmsNormBackward(a, { weight: some(norm) }, some(b)),
    steps: [
      "rmsNormBackward: rows rms_norm_backward_f32_rows",
      "rmsNormBackward: join column_sums_f32",
    ],
  },
  scale: { run: ({ a }) => api.scale(a, 3), steps: ["scale mul_f32_rows"] },
  sigmoid: { run: ({ a }) => api.sigmoid(a), steps: ["sigmoid activation_f32_rows"] },
  sigmoidBackward: { run: ({ a, b }) => api.sigmoidBackward(a, some(b)), steps: ["sigmoidBackward activation_backward_f32_rows"] },
  scaleBy: { run: ({ a, scalar }) => api.scaleBy([a], scalar), steps: ["scaleBy scale_by_f32_update"] },
  sgdStep: { run: ({ a, m, b, fourScalars }) => api.sgdStep([a], [m], [b], some(fourScalars)), steps: ["sgdStep sgd_f32_momentum"] },
  silu: { run: ({ a }) => api.silu(a), steps: ["silu activation_f32_rows"] },
  siluBackward: { run: ({ a, b }) => api.siluBackward(a, some(b)), steps: ["siluBackward activation_backward_f32_rows"] },
  slice: { run: ({ a }, _, n = sizes) => api.slice(a, 0, Math.ceil(n.rows / 2), n.rows), steps: [] },
  softmax: { run: ({ a }) => softmax(transpose(a)), steps: ["softmax: copy copy_u32_turn", "softmax softmax_f32_rows"] },
  softmaxBackward: { run: ({ a, b }) => api.softmaxBackward(a, some(b)), steps: ["softmaxBackward softmax_backward_f32_rows"] },
  split: { run: ({ a }, _, n = sizes) => api.split(a, [Math.floor(n.cols / 2), Math.ceil(n.cols / 2)], 1), steps: [] },
  sum: { run: ({ wide }) => sum(transpose(wide)), steps: ["sum: copy copy_u32_turn", "sum sum_f32_rows"] },
  sumOfSquares: { run: ({ wide }) => api.sumOfSquares(wide), steps: ["sumOfSquares sum_of_squares_f32_rows"] },
  swiglu: { run: ({ a, b }) => api.swiglu(a, some(b)), steps: ["swiglu gated_activation_f32_rows"] },
  swigluBackward: {
    run: ({ a, b, m }) => api.swigluBackward(a, some(b), some(m)),
    steps: ["swigluBackward gated_activation_backward_f32_rows"],
  },
  tanh: { run: ({ a }) => api.tanh(a), steps: ["tanh activation_f32_rows"] },
  tanhBackward: { run: ({ a, b }) => api.tanhBackward(a, some(b)), steps: ["tanhBackward activation_backward_f32_rows"] },
  transpose: { run: ({ a }) => transpose(a), steps: [] },
  zeros: { run: ({ a }, device, n = sizes) => zeros(device, [n.rows, n.cols], a.dtype), steps: ["zeros fill_u32_rows"] },
  // Made of others.
  accumulate: { run: ({ a, b }) => api.accumulate({ a }, { a: b }), steps: ["axpby axpby_f32_sum"] },
  adamW: {
    run: ({ a, b }) => adamW({ a }, { skipNonFinite: true }).step({ a }, { a: b }, 0.1),
    steps: [
      "zeros fill_u32_rows",
      "zeros fill_u32_rows",
      "zeros fill_u64_rows",
      "clipFactor sum_of_squares_f32_rows",
      "adamWStep adam_w_f32_update",
    ],
  },
  checkpoint: {
    run: ({ a, weight }) =>
      valueAndGrad((p: { weight: X }) => sum(api.checkpoint((x: X, w: X) => linear(x, some({ weight: w })))(a, p.weight)))({ weight }),
    holds: (n) => [[n.rows, n.outs]],
    steps: [
      "linear gemm_f32_strip",
      "sum sum_f32_rows",
      "full fill_u32_rows",
      "sum: copy copy_u32_u32_rows",
      "linear gemm_f32_strip",
      "linearBackward: dw gemm_f32_strip",
    ],
  },
  clipByGlobalNorm: {
    run: ({ a }) => api.clipByGlobalNorm({ a }, 1),
    steps: ["clipFactor sum_of_squares_f32_rows", "scaleBy scale_by_f32_update"],
  },
  ema: {
    run: ({ a, b }) => api.ema({ a }, { decay: 0.9 }).update({ a: b }),
    steps: ["copy copy_u32_u32_rows", "lerp lerp_f32_near"],
  },
  lion: {
    run: ({ a, b }) => api.lion({ a }).step({ a }, { a: b }, 0.1),
    steps: ["zeros fill_u32_rows", "zeros fill_u64_rows", "lionStep lion_f32_update"],
  },
  muon: {
    run: ({ a, b, norm, other }) => api.muon({ a, norm }).step({ a, norm }, { a: b, norm: other }, 0.1),
    steps: [
      // The momentum, m and v of the vector, and the numbers of its step.
      ...["zeros fill_u32_rows", "zeros fill_u32_rows", "zeros fill_u32_rows", "zeros fill_u64_rows"],
      "axpby axpby_f32_set",
      "axpby axpby_f32_sum",
      "axpby axpby_f32_sum",
      "normalize sum_of_squares_f32_rows",
      "normalize scale_by_f32_update",
      ...Array.from({ length: 5 }, () => [
        "matmulList gemm_f32_strip",
        "axpby axpby_f32_set",
        "matmulList gemm_f32_strip",
        "axpby axpby_f32_set",
        "matmulList gemm_f32_strip",
      ]).flat(),
      "adamWStep adam_w_f32_update",
      "axpby axpby_f32_sum",
      "axpby axpby_f32_sum",
    ],
  },
  moe: {
    run: ({ a }, device, n = sizes) => {
      const [router, up, down] = [[3, n.cols], [3, 8, n.cols], [3, n.cols, 4]].map((shape, i) => ({
        weight: randomTensor(shape, a.dtype, 20 + i, device),
      }));
      return api.moe(some(a), some({ router, up, down }), { topK: n.slots });
    },
    holds: (n) => [[n.rows, 3], [3, n.cols]],
    steps: [
      "linear gemm_f32_strip",
      "route route_f32_rows",
      "expertOrder: count -",
      "expertOrder: place -",
      "gatherRows -",
      "groupedLinear gemm_f32_strip",
      "geglu gated_activation_f32_rows",
      "groupedLinear gemm_f32_strip",
      "combineRows combine_rows_f32_rows",
      "loadBalanceLoss load_balance_loss_f32_rows",
      "routerZLoss router_z_loss_f32_rows",
    ],
  },
  moeInit: {
    run: (_, device, n = sizes) => api.moeInit(random(device, 3), { width: n.cols, hidden: 4, experts: 3, bias: true }),
    steps: [
      "normal random_f32_normal",
      "normal random_f32_normal",
      "normal random_f32_normal",
      "zeros fill_u32_rows",
      "zeros fill_u32_rows",
    ],
  },
  keyValueCache: {
    run: ({ q }, device, n = sizes) => {
      using cache = api.keyValueCache(device, { batch: n.batch, heads: n.heads, capacity: n.length + 5, width: n.width, dtype: q.dtype });
      cache.append(some(q), some(q));
      return [cache.length, cache.keys.shape[2]];
    },
    holds: (n) => [[n.batch, n.heads, n.length + 5, n.width]],
    steps: ["append: copy copy_u32_u32_rows", "append: copy copy_u32_u32_rows"],
  },
  random: {
    run: ({ a }, device) => {
      const rng = random(device, 1);
      return [rng.normal([8]), rng.uniform([8]), rng.categorical(some(a))];
    },
    steps: ["normal random_f32_normal", "uniform random_f32_uniform", "categorical random_f32_choose"],
  },
  sgd: {
    run: ({ a, b }) => api.sgd({ a }, { nesterov: true }).step({ a }, { a: b }, 0.1),
    steps: ["zeros fill_u32_rows", "zeros fill_u64_rows", "sgdStep sgd_f32_nesterov"],
  },
  treeMap: { run: ({ a }) => api.treeMap({ a }, (x) => api.copy(x)), steps: ["copy copy_u32_u32_rows"] },
  valueAndGrad: {
    run: ({ a, weight }) => valueAndGrad((p: { weight: X }) => sum(linear(a, some(p))))({ weight }),
    holds: (n) => [[n.rows, n.outs]],
    steps: [
      "linear gemm_f32_strip",
      "sum sum_f32_rows",
      "full fill_u32_rows",
      "sum: copy copy_u32_u32_rows",
      "linearBackward: dw gemm_f32_strip",
    ],
  },
};

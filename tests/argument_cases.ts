/** Every function of the package with arguments that are right, for the tests of those that are not. */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as api from "../mod.ts";
import { cpu, random, save, type Tensor, tensor, zeros } from "../mod.ts";
import { type Inputs, makeInputs } from "./op_cases.ts";

/** One call: right arguments, and right options behind them; `null` where the function takes none. */
export interface Call {
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>> | null;
  /** Another function than the one of the package that has the case's name, such as a method. */
  readonly of?: (...args: unknown[]) => unknown;
  /** Whether the options have to be there. */
  readonly needed?: boolean;
  /** Places whose argument may be of another kind as well. */
  readonly loose?: readonly (number | string)[];
  /** What its errors begin with, where that is not the case's name. */
  readonly op?: string;
}

/** A case makes the call's arguments anew: some calls change them. */
export type MakeCall = (i: Inputs) => Call | Promise<Call>;

type Method = (...args: unknown[]) => unknown;
const method = (object: object, name: string): Method => (...args) => (object as Record<string, Method>)[name]!(...args);

const ordered = (i: Inputs) => ({ offsets: i.starts, order: i.order, places: i.places });
const layer = (i: Inputs) => ({ weight: i.weight, bias: i.bias });
const grouped = (i: Inputs) => ({ weight: i.experts, bias: i.biases });
const out = (shape: number[]) => ({ out: zeros(cpu, shape) as Tensor });
const like = { out: [6, 8] };
/** Where `save`, `load` and `readMetadata` have a file. */
export const folder: string = mkdtempSync(join(tmpdir(), "tilework-arguments-"));
const file = join(folder, "a.safetensors");

/** A function of one tensor `[6, 8]` and `out`. */
const unary = (...names: (keyof Inputs)[]): MakeCall => (i) => ({ args: names.map((name) => i[name]), options: out(like.out) });

/** Every function of the package that takes arguments, and the methods of what they return. */
export const calls: Record<string, MakeCall> = {
  accumulate: ({ a, b }) => ({ args: [{ a }, { a: b }], loose: [0, 1], options: { weight: 0.5 } }),
  adamW: ({ a }) => ({
    args: [{ a }],
    loose: [0],
    options: { betas: [0.9, 0.99], eps: 1e-6, weightDecay: 0.1, decays: () => true, skipNonFinite: true },
  }),
  adamWStep: ({ a, m, v, b, scalars }) => ({ args: [[a], [m], [v], [b], scalars], options: { decays: [true] } }),
  add: unary("a", "b"),
  attention: ({ q }) => ({
    args: [q, q, q],
    options: { causal: true, window: 2, mask: zeros(cpu, [4, 4]), scale: 2, statistics: zeros(cpu, [2, 1, 2, 4]) },
  }),
  attentionBackward: ({ q }) => ({ args: [q, q, q, q], options: { causal: true, window: 2, scale: 2 } }),
  axpby: ({ a, b }) => ({ args: [[a], [b]], options: { alpha: 2, beta: 0.5 } }),
  cast: ({ a }) => ({ args: [a, "f32"], options: out([6, 8]) }),
  checkpoint: () => ({ args: [(x: unknown) => x], options: null }),
  clipByGlobalNorm: ({ a }) => ({ args: [{ a }, 1], loose: [0], options: null }),
  clipFactor: ({ a }) => ({ args: [[a], 1], options: null }),
  combineRows: (i) => ({ args: [i.sorted, i.shares, ordered(i)], loose: ["offsets"], options: out([6, 8]) }),
  combineRowsBackward: (i) => ({ args: [i.sorted, i.shares, ordered(i), i.a], loose: ["offsets"], options: null }),
  concat: ({ a, b }) => ({ args: [[a, b], 0], options: null }),
  copy: unary("a"),
  cosine: () => ({ args: [], options: { peak: 1, warmup: 1, steps: 10, floor: 0.1 }, needed: true }),
  cpuDevice: () => ({ args: [], options: { threads: 1, tuning: { parMnkPerWorker: 100 } } }),
  crossEntropy: ({ a, ids }) => ({ args: [a, ids], options: { ignoreIndex: -1 } }),
  crossEntropyBackward: ({ a, ids, scalar }) => ({ args: [a, ids, scalar], options: { ignoreIndex: -1, ...out([6, 8]) } }),
  dim: () => ({ args: ["width", 3], options: null }),
  dropout: ({ a }) => ({ args: [a, random(cpu, 3)], options: { rate: 0.5, ...out([6, 8]) }, needed: true }),
  ema: ({ a }) => ({ args: [{ a }], loose: [0], options: { decay: 0.9 } }),
  embedding: ({ ids, weight }) => ({ args: [ids, { weight }], options: out([6, 8]) }),
  embeddingBackward: ({ ids, weight, a }) => ({ args: [ids, { weight }, a], options: { accumulate: true, ...out([5, 8]) } }),
  embeddingInit: () => ({ args: [random(cpu, 3), 4, 8], options: { deviation: 0.1 } }),
  empty: () => ({ args: [cpu, [2, 3], "f32"], options: null }),
  expertOrder: ({ choices }) => ({ args: [choices], options: { experts: 8 }, needed: true }),
  explain: () => ({ args: [() => 0], options: null }),
  full: () => ({ args: [cpu, [2, 3], 1, "f32"], options: null }),
  gatherRows: (i) => ({ args: [i.a, ordered(i)], loose: ["offsets"], options: out([12, 8]) }),
  gatherRowsBackward: (i) => ({ args: [i.sorted, ordered(i)], loose: ["offsets"], options: out([6, 8]) }),
  geglu: ({ a, b }) => ({ args: [a, b], options: { approximate: "tanh", ...out([6, 8]) } }),
  gegluBackward: ({ a, b, m }) => ({ args: [a, b, m], options: { approximate: "tanh" } }),
  gelu: ({ a }) => ({ args: [a], options: { approximate: "tanh", ...out([6, 8]) } }),
  geluBackward: ({ a, b }) => ({ args: [a, b], options: { approximate: "tanh", ...out([6, 8]) } }),
  groupedLinear: (i) => ({ args: [i.a, i.offsets, grouped(i)], options: out([6, 5]) }),
  groupedLinearBackward: (i) => ({
    args: [i.a, i.offsets, grouped(i), i.dy],
    options: {
      out: { x: zeros(cpu, [6, 8]), weight: zeros(cpu, [2, 5, 8]), bias: zeros(cpu, [2, 5]) },
      accumulate: { x: true, weight: true },
    },
  }),
  isTensor: ({ a }) => ({ args: [a], loose: [0], options: null }),
  keep: ({ a }) => ({ args: [a], options: null }),
  keyValueCache: () => ({ args: [cpu], options: { batch: 1, heads: 2, capacity: 3, width: 4, dtype: "f32" }, needed: true }),
  layerNorm: ({ a, norm, b }) => ({
    args: [a, { weight: norm, bias: norm }],
    options: { eps: 1e-3, residual: b, sum: zeros(cpu, [6, 8]), ...out([6, 8]) },
  }),
  layerNormBackward: ({ a, norm, b }) => ({ args: [a, { weight: norm, bias: norm }, b], options: { eps: 1e-3 } }),
  layerNormInit: () => ({ args: [random(cpu, 3), 8], options: { bias: false } }),
  lerp: ({ a, b }) => ({ args: [[a], [b], 0.1], options: null }),
  linear: (i) => ({ args: [i.a, layer(i)], options: out([6, 5]) }),
  linearBackward: (i) => ({
    args: [i.a, layer(i), i.dy],
    options: {
      out: { x: zeros(cpu, [6, 8]), weight: zeros(cpu, [5, 8]), bias: zeros(cpu, [5]) },
      accumulate: { x: true, weight: true, bias: true },
    },
  }),
  linearCrossEntropy: (i) => ({ args: [i.a, layer(i), i.ids], options: { ignoreIndex: -1 } }),
  linearCrossEntropyBackward: (i) => ({ args: [i.a, layer(i), i.ids, i.scalar], options: { ignoreIndex: -1 } }),
  linearInit: () => ({ args: [random(cpu, 3), 4, 8], options: { bias: false, deviation: 0.1 } }),
  lion: ({ a }) => ({
    args: [{ a }],
    loose: [0],
    options: { betas: [0.9, 0.99], weightDecay: 0.1, decays: () => true, skipNonFinite: true },
  }),
  lionStep: ({ a, m, b, fiveScalars }) => ({ args: [[a], [m], [b], fiveScalars], options: { decays: [true] } }),
  load: async ({ a }) => {
    await save(file, { a });
    return { args: [file, { a }], loose: [1], options: { ignoreExtra: true, ignoreMissing: true } };
  },
  loadBalanceLoss: ({ a, starts }) => ({ args: [a, starts], options: { score: "sigmoid" } }),
  loadBalanceLossBackward: ({ a, starts, scalar }) => ({ args: [a, starts, scalar], options: { score: "sigmoid", ...out([6, 8]) } }),
  logSoftmax: unary("a"),
  logSoftmaxBackward: unary("a", "b"),
  matmul: ({ a, b }) => ({
    args: [a, b],
    options: { transposeA: false, transposeB: true, bias: zeros(cpu, [6]), alpha: 2, beta: 1, epilogue: "relu", ...out([6, 6]) },
  }),
  matmulList: ({ a, b }) => ({
    args: [[a], [b]],
    loose: [1],
    options: { transposeA: false, transposeB: true, bias: zeros(cpu, [6]), alpha: 2, beta: 1, epilogue: "relu", out: [zeros(cpu, [6, 6])] },
  }),
  mean: ({ a }) => ({ args: [a], options: { axis: 0, keepDims: true, ...out([1, 8]) } }),
  moe: ({ a }) => ({
    args: [a, { router: { weight: zeros(cpu, [3, 8]) }, up: { weight: zeros(cpu, [3, 8, 8]) }, down: { weight: zeros(cpu, [3, 8, 4]) } }],
    options: { topK: 2, score: "sigmoid", normalize: true, activation: "geglu" },
    needed: true,
  }),
  moeInit: () => ({
    args: [random(cpu, 3)],
    options: { width: 8, hidden: 4, experts: 3, activation: "gelu", bias: true, deviation: { router: 1, up: 1, down: 1 } },
    needed: true,
  }),
  mse: ({ a, b }) => ({ args: [a, b], options: null }),
  mseBackward: ({ a, b, scalar }) => ({ args: [a, b, scalar], options: null }),
  mul: unary("a", "b"),
  muon: ({ a, norm }) => ({
    args: [{ a, norm }],
    loose: [0],
    options: {
      momentum: 0.9,
      nesterov: false,
      weightDecay: 0.1,
      decays: () => true,
      skipNonFinite: true,
      matrices: (_: string, x: Tensor) => x.rank > 1,
      scale: "shape",
      adam: { rate: 2, betas: [0.9, 0.99], eps: 1e-6 },
    },
  }),
  ones: () => ({ args: [cpu, [2, 3], "f32"], options: null }),
  openSafetensors: async ({ a }) => {
    await save(file, { a });
    return { args: [file], options: null };
  },
  parameterCount: ({ a }) => ({ args: [{ a }], loose: [0], options: null }),
  prepack: ({ weight }) => ({ args: [weight], options: { transpose: false } }),
  random: () => ({ args: [cpu, 3], options: null }),
  readMetadata: async ({ a }) => {
    await save(file, { a });
    return { args: [file], options: null };
  },
  relu: unary("a"),
  reluBackward: unary("a", "b"),
  reshape: ({ a }) => ({ args: [a, [48]], options: null }),
  rmsNorm: ({ a, norm }) => ({ args: [a, { weight: norm }], options: { eps: 1e-3, ...out([6, 8]) } }),
  rmsNormBackward: ({ a, norm, b }) => ({ args: [a, { weight: norm }, b], options: { eps: 1e-3 } }),
  rotary: ({ q }) => ({ args: [q], options: { start: 3, rotated: 4, base: 100, interleaved: true, ...out([1, 2, 4, 8]) } }),
  rotaryBackward: ({ q }) => ({ args: [q], options: { start: 3, rotated: 4, base: 100, interleaved: true, ...out([1, 2, 4, 8]) } }),
  route: ({ a }) => ({ args: [a], options: { topK: 2, score: "sigmoid", normalize: false }, needed: true }),
  routeBackward: ({ a, choices, shares }) => ({
    args: [a, { indices: choices, weights: shares }, shares],
    options: { score: "sigmoid", normalize: false },
  }),
  routerZLoss: ({ a }) => ({ args: [a], options: null }),
  routerZLossBackward: unary("a", "scalar"),
  save: ({ a }) => ({ args: [file, { a }], loose: [1], options: { metadata: { step: "3" } } }),
  scale: ({ a }) => ({ args: [a, 3], options: out([6, 8]) }),
  scaleBy: ({ a, scalar }) => ({ args: [[a], scalar], options: null }),
  scope: () => ({ args: [() => 0], options: null }),
  sgd: ({ a }) => ({
    args: [{ a }],
    loose: [0],
    options: { momentum: 0.9, nesterov: true, weightDecay: 0.1, decays: () => true, skipNonFinite: true },
  }),
  sgdStep: ({ a, m, b, fourScalars }) => ({ args: [[a], [m], [b], fourScalars], loose: [1], options: { decays: [true], nesterov: true } }),
  sigmoid: unary("a"),
  sigmoidBackward: unary("a", "b"),
  silu: unary("a"),
  siluBackward: unary("a", "b"),
  slice: ({ a }) => ({ args: [a, 0, 1, 3], options: null }),
  softmax: ({ a }) => ({ args: [a], options: { causal: true, scale: 2, mask: zeros(cpu, [8]), ...out([6, 8]) } }),
  softmaxBackward: ({ a, b }) => ({ args: [a, b], options: { causal: true, scale: 2, ...out([6, 8]) } }),
  split: ({ a }) => ({ args: [a, [4, 4], 1], options: null }),
  sum: ({ a }) => ({ args: [a], options: { axis: 0, keepDims: true, ...out([1, 8]) } }),
  sumOfSquares: ({ a }) => ({ args: [a], options: out([]) }),
  swiglu: unary("a", "b"),
  swigluBackward: ({ a, b, m }) => ({ args: [a, b, m], options: null }),
  tanh: unary("a"),
  tanhBackward: unary("a", "b"),
  tensor: () => ({ args: [cpu, [2], [1, 2]], options: { dtype: "f64" } }),
  transpose: ({ a }) => ({ args: [a, [1, 0]], options: null }),
  treeLeaves: ({ a }) => ({ args: [{ a }], loose: [0], options: null }),
  treeMap: ({ a }) => ({ args: [{ a }, (x: Tensor) => x], loose: [0], options: null }),
  valueAndGrad: () => ({ args: [(p: { a: Tensor }) => api.sum(p.a)], options: null }),
  zeros: () => ({ args: [cpu, [2, 3], "f32"], options: null }),

  // Methods, and functions that are returned.
  "valueAndGrad()": ({ a }) => ({
    args: [{ a }],
    options: null,
    // What is no tensor is left to `valueAndGrad`, and so to its words.
    of: api.valueAndGrad((p: { a: Tensor<"f32", number[]> }) =>
      (api.isTensor(p.a) ? api.sum(p.a) : zeros(cpu, [])) as Tensor<"f32", []>
    ) as Method,
    op: "valueAndGrad",
  }),
  "adamW.step": ({ a, b }) => ({ args: [{ a }, { a: b }, 0.1], options: null, of: method(api.adamW({ a }), "step"), op: "adamW" }),
  "muon.step": ({ a, b }) => ({ args: [{ a }, { a: b }, 0.1], options: null, of: method(api.muon({ a }), "step"), op: "muon" }),
  "cosine()": () => ({ args: [3], options: null, of: api.cosine({ peak: 1, warmup: 1, steps: 10 }) as Method, op: "cosine" }),
  "ema.update": ({ a, b }) => ({ args: [{ a: b }], options: null, of: method(api.ema({ a }), "update"), op: "ema" }),
  "cache.append": ({ q }) => ({
    args: [q, q],
    options: null,
    of: method(api.keyValueCache(cpu, { heads: 2, capacity: 9, width: 8 }), "append"),
    op: "append",
  }),
  "cache.truncate": () => ({
    args: [0],
    options: null,
    of: method(api.keyValueCache(cpu, { heads: 2, capacity: 9, width: 8 }), "truncate"),
    op: "truncate",
  }),
  "random.uniform": () => ({ args: [[3]], options: { low: -1, high: 1 }, of: method(random(cpu, 3), "uniform"), op: "uniform" }),
  "random.normal": () => ({ args: [[3]], options: { mean: 1, deviation: 2 }, of: method(random(cpu, 3), "normal"), op: "normal" }),
  "random.categorical": ({ a }) => ({
    args: [a],
    options: { temperature: 0.5, topK: 2, topP: 0.5 },
    of: method(random(cpu, 3), "categorical"),
    op: "categorical",
  }),
  "random.below": () => ({ args: [3], options: null, of: method(random(cpu, 3), "below"), op: "below" }),
  "tensor.write": () => ({ args: [[1, 2]], options: null, of: method(tensor(cpu, [2], [0, 0]), "write"), op: "write" }),
  "tensor.to": ({ a }) => ({ args: [cpu], options: null, of: method(a, "to"), op: "to" }),
};

/** A call's arguments, the options last. */
export function argumentsOf(call: Call): unknown[] {
  return call.options === null ? [...call.args] : [...call.args, call.options];
}

/** What a case calls. */
export function functionOf(name: string, call: Call): Method {
  return call.of ?? (api as unknown as Record<string, Method>)[name]!;
}

export { makeInputs };

/**
 * The jobs of extents_test.ts for numbers: every number that a function of the package takes, as an option or in its place, is 0, -0, NaN,
 * infinite, negative, a fraction, and around the limits of 32-bit integers and of exact ones. The argument is the device.
 */

import process from "node:process";
import { readdirSync, readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import * as api from "../mod.ts";
import { type Device, isTensor, OutOfMemoryError, scope, type Tensor, UnsupportedError } from "../mod.ts";
import { doJobs, type Job } from "./jobs.ts";
import { type Inputs, makeInputs } from "./op_cases.ts";

const values = [0, -0, NaN, Infinity, -Infinity, -1, 0.5, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e300, 5e-324];

const some = <T>(x: T) => x as never; // shapes and options that the compiler does not know here
type Call = (v: number, i: Inputs, device: Device) => unknown;

/** A step of an optimizer with the options given. */
function step(make: "adamW" | "lion" | "muon" | "sgd", options: (v: number) => object, rate: (v: number) => number = () => 0.1): Call {
  return (v, { a, b }) => {
    const x = { a: api.copy(a) };
    using optimizer = api[make](x, some(options(v)));
    optimizer.step(x, some({ a: b }), rate(v));
    return x.a;
  };
}

const places = ({ starts, order, places }: Inputs) => ({ offsets: starts, order, places });
/** Sizes come beside an axis of no elements, so that none is too large for memory. */
const cacheOf = (size: object): Call => (_, __, device) =>
  api.keyValueCache(device, some({ heads: 0, capacity: 0, width: 0, ...size })).keys;
const knob = (name: string): Call => (v, { a, b }) => {
  const device = api.cpuDevice({ tuning: { [name]: v } });
  const [x, y] = [a.to(device), b.to(device)];
  return [api.softmax(x), api.matmul(x, some(y), some({ transposeB: true }))];
};

/** Every number, by the interface that it is a member of, or by the function that it is an argument of. */
export const calls: Record<string, Call> = {
  "AttentionOptions.window": (v, { q }) => api.attention(some(q), some(q), some(q), { window: v }),
  "AttentionOptions.scale": (v, { q }) => api.attentionBackward(some(q), some(q), some(q), some(q), { scale: v }),
  "AxpbyOptions.alpha": (v, { a, b }) => api.axpby([a], [b], { alpha: v }),
  "AxpbyOptions.beta": (v, { a, b }) => api.axpby([a], [b], { beta: v }),
  "clipFactor(limit)": (v, { a }) => api.clipFactor([a], v),
  "CrossEntropyOptions.ignoreIndex": (v, { a, ids }) =>
    api.crossEntropyBackward(a, some(ids), some(api.ones(a.device, [])), { ignoreIndex: v }),
  "linearCrossEntropy(ignoreIndex)": (v, { a, weight, ids }) => api.linearCrossEntropy(a, some({ weight }), some(ids), { ignoreIndex: v }),
  "DropoutOptions.rate": (v, { a }, device) => api.dropout(a, api.random(device, 1), { rate: v }),
  // Counting takes as much work as there are experts.
  "expertOrder(experts)": (v, { choices }) => api.expertOrder(choices, { experts: v > 2 ** 12 && v < 2 ** 40 ? 2 ** 12 : v }),
  "full(value)": (v, _, device) => (["f32", "f64", "i32", "u32"] as const).map((dtype) => outcome(() => api.full(device, [3], v, dtype))),
  "full(shape)": (v, _, device) => api.full(device, [v, 0], 1),
  "tensor(shape)": (v, _, device) => api.tensor(device, [0, v], []),
  "empty(shape)": (v, _, device) => api.empty(device, [v, 0]),
  "LayerNormOptions.eps": (v, { a, norm }) => api.layerNorm(a, { weight: some(norm) }, { eps: v }),
  "layerNormBackward(eps)": (v, { a, norm, b }) => api.layerNormBackward(a, { weight: some(norm) }, some(b), { eps: v }),
  "lerp(t)": (v, { a, b }) => api.lerp([a], [b], v),
  "MatmulOptions.alpha": (v, { a, b }) => api.matmul(a, some(b), some({ transposeB: true, alpha: v })),
  "MatmulOptions.beta": (v, { a, b }) => api.matmul(a, some(b), some({ transposeB: true, beta: v, out: api.zeros(a.device, [6, 6]) })),
  "matmulList(alpha)": (v, { a, b }) => api.matmulList([a], some([b]), some({ transposeB: true, alpha: v })),
  "UniformOptions.low": (v, _, device) => api.random(device, 1).uniform([9], { low: v, high: 5 }),
  "UniformOptions.high": (v, _, device) => api.random(device, 1).uniform([9], { high: v }),
  "NormalOptions.mean": (v, _, device) => api.random(device, 1).normal([9], { mean: v }),
  "NormalOptions.deviation": (v, _, device) => api.random(device, 1).normal([9], { deviation: v }),
  "CategoricalOptions.temperature": (v, { a }, device) => api.random(device, 1).categorical(some(a), { temperature: v }),
  "CategoricalOptions.topK": (v, { a }, device) => api.random(device, 1).categorical(some(a), { topK: v }),
  "CategoricalOptions.topP": (v, { a }, device) => api.random(device, 1).categorical(some(a), { topP: v }),
  "random(seed)": (v, _, device) => api.random(device, v).normal([9]),
  "random(below)": (v, _, device) => api.random(device, 1).below(v),
  "random(shape)": (v, _, device) => [api.random(device, 1).normal([v, 0]), api.random(device, 1).uniform([0, v])],
  "RmsNormOptions.eps": (v, { a, norm }) => api.rmsNorm(a, { weight: some(norm) }, { eps: v }),
  "rmsNormBackward(eps)": (v, { a, norm, b }) => api.rmsNormBackward(a, { weight: some(norm) }, some(b), { eps: v }),
  "RotaryPlaces.start": (v, { q }) => api.rotary(some(q), { start: v }),
  "RotaryPlaces.rotated": (v, { q }) => api.rotary(some(q), { rotated: v }),
  "RotaryPlaces.base": (v, { q }) => api.rotaryBackward(some(q), { base: v }),
  "RouteOptions.topK": (v, { a }) => api.route(some(a), { topK: v }),
  "scale(factor)": (v, { a }) => api.scale(a, v),
  "slice(axis)": (v, { a }) => api.slice(a, v, 0, 1),
  "slice(start)": (v, { a }) => api.slice(a, 0, v),
  "slice(end)": (v, { a }) => api.slice(a, 0, 0, v),
  "split(sizes)": (v, { a }) => [outcome(() => api.split(a, [v, 8 - v], 1)), outcome(() => api.split(a, [8], some(v)))],
  "concat(axis)": (v, { a }) => api.concat([a, a], some(v)),
  "reshape(shape)": (v, { a }) => [outcome(() => api.reshape(a, some([v, 48 / v]))), outcome(() => api.reshape(a, some([v])))],
  "transpose(axes)": (v, { a }) => api.transpose(a, some([v, 0])),
  "SoftmaxGradientOptions.scale": (
    v,
    { a },
  ) => [outcome(() => api.softmax(a, { scale: v })), api.softmaxBackward(api.softmax(a), a, { scale: v })],
  "sum(axis)": (
    v,
    { wide },
  ) => [outcome(() => api.sum(wide, some({ axis: v }))), outcome(() => api.mean(wide, some({ axis: v })))],
  "AccumulateOptions.weight": (v, { a, b }) => api.accumulate({ a: api.copy(a) }, { a: b }, { weight: v }),
  "KeyValueCacheOptions.capacity": (v, ...rest) => cacheOf({ capacity: v })(v, ...rest),
  "KeyValueCacheOptions.heads": (v, ...rest) => cacheOf({ heads: v })(v, ...rest),
  "KeyValueCacheOptions.width": (v, ...rest) => cacheOf({ width: v })(v, ...rest),
  "KeyValueCacheOptions.batch": (v, ...rest) => cacheOf({ batch: v })(v, ...rest),
  "clipByGlobalNorm(limit)": (v, { a }) => api.clipByGlobalNorm({ a: api.copy(a) }, v),
  "EmaOptions.decay": (v, { a, b }) => {
    using average = api.ema({ a }, { decay: v });
    average.update(some({ a: b }));
    return null;
  },
  "LinearInitOptions.deviation": (v, _, device) => api.linearInit(api.random(device, 1), 3, 4, { deviation: v }),
  "linearInit(sizes)": (v, _, device) =>
    [[v, 0], [0, v]].map(([from, to]) => outcome(() => api.linearInit(api.random(device, 1), from!, to!, { bias: false }))),
  "embeddingInit(deviation)": (v, _, device) => api.embeddingInit(api.random(device, 1), 3, 4, { deviation: v }),
  "embeddingInit(sizes)": (v, _, device) =>
    [[v, 0], [0, v]].map(([rows, width]) => outcome(() => api.embeddingInit(api.random(device, 1), rows!, width!))),
  "MoeInitOptions.deviation": (v, _, device) =>
    api.moeInit(api.random(device, 1), { width: 3, hidden: 2, experts: 2, deviation: { router: v, up: v, down: v } }),
  "MoeInitOptions.sizes": (v, _, device) => {
    const none = { width: 0, hidden: 0, experts: 0 };
    return Object.keys(none).map((name) => outcome(() => api.moeInit(api.random(device, 1), { ...none, [name]: v })));
  },
  "MoeOptions.topK": (v, _, device) => {
    const p = api.moeInit(api.random(device, 1), { width: 8, hidden: 4, experts: 3 });
    return api.moe(some(api.ones(device, [6, 8])), some(p), { topK: v });
  },
  "CosineOptions.peak": (v) => api.cosine({ peak: v, warmup: 2, steps: 9 })(3),
  "CosineOptions.warmup": (v) => api.cosine({ peak: 1, warmup: v, steps: 9 })(3),
  "CosineOptions.steps": (v) => api.cosine({ peak: 1, warmup: 2, steps: v })(3),
  "CosineOptions.floor": (v) => api.cosine({ peak: 1, warmup: 2, steps: 9, floor: v })(3),
  "cosine(step)": (v) => api.cosine({ peak: 1, warmup: 2, steps: 9 })(v),
  "AdamWOptions.betas": (v, ...rest) => [[v, 0.9], [0.9, v]].map((betas) => outcome(() => step("adamW", () => ({ betas }))(v, ...rest))),
  "AdamWOptions.eps": step("adamW", (eps) => ({ eps })),
  "AdamWOptions.weightDecay": step("adamW", (weightDecay) => ({ weightDecay })),
  "LionOptions.betas": (v, ...rest) => [[v, 0.9], [0.9, v]].map((betas) => outcome(() => step("lion", () => ({ betas }))(v, ...rest))),
  "LionOptions.weightDecay": step("lion", (weightDecay) => ({ weightDecay })),
  "MuonOptions.momentum": step("muon", (momentum) => ({ momentum })),
  "MuonOptions.weightDecay": step("muon", (weightDecay) => ({ weightDecay })),
  "MuonOptions.adam": (v, ...rest) =>
    [{ rate: v }, { eps: v }, { betas: [v, 0.9] }].map((adam) => outcome(() => step("muon", () => ({ adam }))(v, ...rest))),
  "OptimizerOptions.weightDecay": step("sgd", (weightDecay) => ({ weightDecay })),
  "SgdOptions.momentum": step("sgd", (momentum) => ({ momentum })),
  "SgdOptions.weightDecay": step("sgd", (weightDecay) => ({ weightDecay })),
  "Optimizer.step(rate)": (v, ...rest) =>
    (["adamW", "lion", "muon", "sgd"] as const).map((make) => outcome(() => step(make, () => ({}), () => v)(v, ...rest))),
  "adamWStep(scalars)": (v, { a, m, b, norm }) => api.adamWStep([a], [m], [api.copy(norm)], [b], some(api.full(a.device, [8], v, "f64"))),
  "groupedLinear(offsets)": (v, { a, experts, biases, offsets }) => {
    offsets.write([0, v, 6]);
    return api.groupedLinear(some(a), offsets, some({ weight: experts, bias: biases }));
  },
  "combineRows(order)": (v, i) => {
    i.order.write([v, ...i.order.readSync().slice(1)]);
    return api.combineRows(some(i.sorted), some(i.shares), places(i));
  },
  "embedding(ids)": (v, { ids, weight }) => {
    ids.write([v, 0, 3, 3, 4, 2]);
    return [
      outcome(() => api.embedding(ids, { weight: some(weight) })),
      outcome(() => api.crossEntropy(some(weight), some(api.slice(ids, 0, 0, 5)))),
    ];
  },
  "VulkanOptions.index": (v) => api.vulkan({ index: v }),
  "dim(size)": (v) => api.dim("width", v),
  "Tuning.threads": (v) => api.cpuDevice({ threads: v }),
  ...Object.fromEntries(
    [
      "cores",
      "poolClasses",
      "parallelThreshold",
      "parMnkPerWorker",
      "fullWidthMnk",
      "parallelOversample",
      "packedOversample",
      "gemvParallelBytes",
    ]
      .concat(["gemvTierStep", "gemvThreadCap", "sharedAWorkers", "sharedAMnk"]).map((name) => [`Tuning.${name}`, knob(name)]),
  ),
};

/** What a call gives, or that it was refused in the package's own words. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (isOurs(error)) return "refused";
    throw error;
  }
}

function isOurs(error: unknown): boolean {
  const typed = [TypeError, RangeError, UnsupportedError, OutOfMemoryError].some((type) => error instanceof type);
  return typed && /^\w+: /.test((error as Error).message);
}

/** Reads the tensors in a value, so that what a GPU was asked for is done. */
function readAll(value: unknown): void {
  if (isTensor(value)) return void (value as Tensor).readSync();
  if (typeof value === "object" && value !== null) Object.values(value).forEach(readAll);
}

/** The numbers that the sources say functions take, by the names of `calls`. */
export function declared(): string[] {
  const found: string[] = [];
  for (const folder of ["core", "ops", "nn", "nn/optimizers"]) {
    const at = new URL(`../${folder}/`, import.meta.url);
    for (const file of readdirSync(at).filter((name) => name.endsWith(".ts"))) {
      const text = readFileSync(new URL(file, at), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
      for (const [, name, body] of text.matchAll(/^export interface ((?!Any)\w*(?:Options|Places|Tuning))\b[^{]*\{\n([\s\S]*?)^\}/gm)) {
        for (const [, member, type] of body!.matchAll(/^ +(\w+)\??: ([^;]*\bnumber\b[^;]*);/gm)) {
          if (!type!.includes("Tensor")) found.push(`${name}.${member}`);
        }
      }
      for (const [, name, signature] of text.matchAll(/^export function (\w+)([\s\S]*?)\{\n/gm)) {
        if (!(name! in api)) continue;
        for (const [, argument] of signature!.matchAll(/(\w+)\??: number\b/g)) found.push(`${name}(${argument})`);
      }
    }
  }
  return [...new Set(found)];
}

function* jobs(device: Device): Generator<Job> {
  for (const [name, call] of Object.entries(calls)) {
    for (const v of values) {
      const text = Object.is(v, -0) ? "-0" : String(v);
      yield {
        name: `${name} of ${text} on ${device.name}`,
        run: async () => {
          let promise: unknown;
          scope(() => {
            const result = outcome(() => call(v, makeInputs(device), device));
            if (result instanceof Promise) promise = result;
            else readAll(result);
          });
          await Promise.resolve(promise).catch((error) => assert.ok(isOurs(error), String(error)));
        },
      };
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const on = process.argv[2]!;
  await doJobs(jobs(on === "cpu" ? api.cpu : await api.vulkan({ name: on })));
}

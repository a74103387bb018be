/**
 * Known answers: what PyTorch computed (`torch/record.py`), values and gradients of each op, AdamW over ten steps, and one training step of the example's
 * model, dense and with a mixture of experts.
 *
 * The CPU answers in f64 and f32, a GPU in f32 what it has a shader for.
 *
 * In f64 the two sides differ by the order of their sums and the last digits of their exponentials: 1e-12 of the largest value. In f32 ours may differ from
 * the recorded f64 values by what f32 rounds, 1e-5 of the largest.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  adamW,
  add,
  attention,
  clipByGlobalNorm,
  combineRows,
  concat,
  cpu,
  crossEntropy,
  type Device,
  dim,
  type DType,
  embedding,
  expertOrder,
  type Float,
  gatherRows,
  geglu,
  gelu,
  groupedLinear,
  layerNorm,
  linear,
  linearCrossEntropy,
  loadBalanceLoss,
  logSoftmax,
  matmul,
  mean,
  moe,
  mse,
  mul,
  relu,
  reshape,
  rmsNorm,
  rotary,
  route,
  routerZLoss,
  scale,
  scope,
  sigmoid,
  silu,
  slice,
  softmax,
  split,
  sum,
  swiglu,
  tanh,
  type Tensor,
  tensor,
  transpose,
  UnsupportedError,
  valueAndGrad,
} from "../mod.ts";
import { trainingLoss } from "../examples/model.ts";
import { flatten } from "../nn/tree.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertClose, count } from "./harness.ts";

type X = Tensor<DType, number[]>;
// Shapes come from a file: the compiler knows none of them, and `never` fits every parameter.
type Args = never[];

/** Where everything is made: the device under test. */
let on: Device = cpu;

const offsetsAt = (...at: number[]) => tensor(on, [at.length], Uint32Array.from(at)) as never;
const weightsOf = (logits: never, options: unknown) => route(logits, options as never).weights;
/** For the choices of `route`. */
const balanceOf = (logits: never, score?: "sigmoid") => {
  const { indices } = route(logits, { topK: 2 });
  return loadBalanceLoss(logits, expertOrder(indices, { experts: 5 }).offsets, { score } as never);
};

/** Our call for each entry of record.py. */
const calls: Record<string, (...inputs: Args) => unknown> = {
  "add": (a, b) => add(a, b),
  "mul": (a, b) => mul(a, b),
  "scale": (x) => scale(x, -1.75),
  "matmul": (a, b) => matmul(a, b),
  "matmul, both transposed, alpha": (a, b) => matmul(a, b, { transposeA: true, transposeB: true, alpha: 0.3 } as never),
  "matmul, batch by matrix": (a, b) => matmul(a, b),
  "matmul, batches broadcast": (a, b) => matmul(a, b),
  "matmul, depth over a block": (a, b) => matmul(a, b),
  "linear": (x, weight, bias) => linear(x, { weight, bias } as never),
  "linear without bias": (x, weight) => linear(x, { weight } as never),
  "layerNorm": (x, weight, bias) => layerNorm(x, { weight, bias }),
  "layerNorm without bias, eps": (x, weight) => layerNorm(x, { weight }, { eps: 0.1 }),
  "softmax": (x) => softmax(x),
  "softmax, scaled, causal": (x) => softmax(scale(x, 0.3) as never, { causal: true }),
  "softmax, scaled, added mask": (x: X) => softmax(x as never, { scale: 0.3, mask: make([3, 5], 78, x.dtype as Float) } as never),
  "logSoftmax": (x) => logSoftmax(scale(x, 3) as never),
  "rmsNorm": (x, weight) => rmsNorm(x, { weight }),
  "layerNorm of a sum": (x, residual, weight, bias) => {
    const { y, sum } = layerNorm(x, { weight, bias }, { residual }) as unknown as { y: X; sum: X };
    return [y, sum];
  },
  "sigmoid": (x) => sigmoid(scale(x, 3) as never),
  "tanh": (x) => tanh(x),
  "swiglu": (gate, up) => swiglu(gate, up),
  "mse": (x, target) => mse(x, target),
  "gelu": (x) => gelu(scale(x, 3) as never),
  "gelu, tanh form": (x) => gelu(scale(x, 3) as never, { approximate: "tanh" } as never),
  "geglu": (gate, up) => geglu(gate, up),
  "silu": (x) => silu(scale(x, 3) as never),
  "relu": (x) => relu(x),
  "embedding": (ids, weight) => embedding(ids, { weight } as never),
  "crossEntropy": (x, labels) => crossEntropy(x, labels),
  "crossEntropy, another label ignored": (x, labels) => crossEntropy(scale(x, 3) as never, labels, { ignoreIndex: 6 }),
  "crossEntropy, leading axes": (x, labels) => crossEntropy(x, labels),
  "crossEntropy, several blocks of classes": (x, labels) => crossEntropy(x, labels),
  "linearCrossEntropy": (x, weight, bias, labels) => linearCrossEntropy(x, { weight, bias } as never, labels),
  "linearCrossEntropy without bias, another label ignored, leading axes": (x, weight, labels) =>
    linearCrossEntropy(x, { weight } as never, labels, { ignoreIndex: 2 }),
  "attention": (q, k, v) => attention(q, k, v),
  "attention, causal": (q, k, v) => attention(q, k, v, { causal: true }),
  "attention, scaled": (q, k, v) => attention(q, k, v, { scale: 0.7 }),
  "attention, heads that share keys, added mask": (q: X, k, v) =>
    attention(q as never, k, v, { mask: make([3, 6], 77, q.dtype as Float) } as never),
  "attention, hidden keys": (q, k, v) =>
    attention(q, k, v, { mask: tensor(on, [3, 3], Int32Array.of(1, 0, 1, 0, 1, 0, 1, 1, 0)) } as never),
  "attention, causal, window": (q, k, v) => attention(q, k, v, { causal: true, window: 3 }),
  "attention, packed sequences, causal": (q, k, v) => attention(q, k, v, { causal: true, offsets: offsetsAt(0, 2, 2, 6) }),
  "attention, packed sequences with more keys, heads that share keys, causal": (q, k, v) =>
    attention(q, k, v, { causal: true, offsets: offsetsAt(0, 2, 5), keyOffsets: offsetsAt(0, 5, 8) }),
  "rotary": (x) => rotary(x, { start: 5 }),
  "rotary, neighbours": (x) => rotary(x, { interleaved: true }),
  "groupedLinear": (x, weight, bias) => groupedLinear(x, offsetsAt(0, 2, 2, 6), { weight, bias } as never),
  "route": (x) => weightsOf(x, { topK: 2 }),
  "route, not normalized": (x) => weightsOf(x, { topK: 3, normalize: false }),
  "route, sigmoid": (x) => weightsOf(x, { topK: 3, score: "sigmoid" }),
  "route, sigmoid, not normalized": (x) => weightsOf(x, { topK: 2, score: "sigmoid", normalize: false }),
  "gatherRows": (choices, x) => gatherRows(x, expertOrder(choices, { experts: 4 }) as never),
  "combineRows": (choices, h, weights) => combineRows(h, weights, expertOrder(choices, { experts: 4 }) as never),
  "loadBalanceLoss": (x) => balanceOf(x),
  "loadBalanceLoss, sigmoid": (x) => balanceOf(x, "sigmoid"),
  "routerZLoss": (x) => routerZLoss(scale(x, 2) as never),
  "moe, sigmoid, silu, biases": (x, router, up, upBias, down, downBias) => {
    const p = { router: { weight: router }, up: { weight: up, bias: upBias }, down: { weight: down, bias: downBias } };
    const { y, balanceLoss, zLoss } = moe(x, p as never, { topK: 2, score: "sigmoid", activation: "silu" } as never);
    return [y, balanceLoss, zLoss];
  },
  "sum": (x) => sum(x),
  "sum over an axis": (x) => sum(x, { axis: 1 } as never),
  "mean": (x) => mean(x),
  "mean over an axis, kept": (x) => mean(x, { axis: 0, keepDims: true } as never),
  "reshape of transpose": (x) => reshape(transpose(x, [2, 0, 1] as never), [6, 4] as never),
  "slice": (x) => slice(x, 1 as never, 1, 4),
  "split": (x) => split(x, [2, 3] as never, 1 as never),
  "concat": (a, b) => concat([a, b] as never, 1 as never),
};

interface Entry {
  inputs: { shape: number[]; seed?: number; whole?: number[] }[];
  results: { shape: number[]; values: number[]; cotangent: number }[];
  gradients: (number[] | null)[];
}

interface Model {
  config: Record<"vocab" | "context" | "width" | "hidden" | "experts" | "topK" | "heads" | "layers" | "batch" | "seed", number>;
  ids: number[];
  following: number[];
  objective: number;
  loss: number;
  offsets: number[][];
  norm: number;
  decay: number;
  lr: number;
  betas: [number, number];
  gradients: Record<string, number[]>;
  stepped: Record<string, number[]>;
}

interface Answers {
  ops: Record<string, Entry>;
  models: Record<string, Model>;
  adamW: {
    shapes: number[][];
    seeds: [number, number];
    decay: number;
    lr: number;
    betas: [number, number];
    eps: number;
    steps: number[][][];
  };
}

const answers: Answers = JSON.parse(readFileSync(new URL("./torch/answers.json", import.meta.url), "utf8"));

/** As `numbers` of record.py. */
function numbers(count: number, seed: number): Float64Array<ArrayBuffer> {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 18) - 8192) / 4096;
  });
}

function make(shape: readonly number[], seed: number, dtype: Float, change = (v: number) => v): X {
  const values = numbers(count(shape), seed).map(change);
  return tensor(on, [...shape], dtype === "f64" ? values : Float32Array.from(values)) as X;
}

type Precision = readonly [dtype: Float, tolerance: number];

/** What was asked of a GPU, and what it lacks: the table of docs/support.md says whether it should. */
let asked = 0;
const lacking: string[] = [];

/** A test of what a device gives on the CPU in f64 and f32, and on a GPU in f32. */
function onEach(name: string, precisions: readonly Precision[], body: (...precision: Precision) => void): void {
  test(name, () => precisions.forEach((precision) => body(...precision)));
  gpuTest(`${name}, on a GPU`, (gpu) => {
    on = gpu;
    asked++;
    try {
      body("f32", precisions.find(([dtype]) => dtype === "f32")![1]);
    } catch (e) {
      if (!(e instanceof UnsupportedError)) throw e;
      lacking.push(name);
    } finally {
      on = cpu;
    }
  });
}

test("PyTorch's answers and our calls name the same ops", () => {
  assert.deepEqual(Object.keys(answers.ops).sort(), Object.keys(calls).sort());
});

for (const [name, { inputs, results, gradients }] of Object.entries(answers.ops)) {
  onEach(`${name}: PyTorch's values and gradients`, [["f64", 1e-12], ["f32", 1e-5]], (dtype, tolerance) => {
    scope(() => {
      const made = inputs.map(({ shape, seed, whole }) =>
        whole ? tensor(on, shape, Int32Array.from(whole)) as X : make(shape, seed!, dtype)
      );
      const floats = made.filter((_, i) => inputs[i]!.whole === undefined);
      const op = calls[name]!;
      // Gradients flow into what the tree holds; labels and ids come from outside.
      const run = valueAndGrad((tree: { floats: X[] }) => {
        let next = 0;
        const given = op(...made.map((x, i) => inputs[i]!.whole ? x : tree.floats[next++]!) as Args);
        const outputs = (Array.isArray(given) ? given : [given]) as X[];
        const terms = outputs.map((y, i) => sum(mul(y, make(results[i]!.shape, results[i]!.cotangent, dtype) as never) as X) as X);
        return [terms.reduce((a, b) => add(a, b as never) as X), ...outputs] as never;
      });
      using found = run({ floats } as never);
      const [, ...outputs] = found.value as unknown as X[];
      assert.equal(outputs.length, results.length);
      outputs.forEach((y, i) => {
        assert.deepEqual(y.shape, results[i]!.shape);
        assertClose(y.readSync(), results[i]!.values, tolerance, `${dtype} result ${i}`);
      });
      const grads = (found.grads as unknown as { floats: X[] }).floats;
      const wanted = gradients.filter((g) => g !== null);
      assert.equal(grads.length, wanted.length);
      grads.forEach((g, i) => assertClose(g.readSync(), wanted[i]!, tolerance, `${dtype} gradient of float ${i}`));
    });
  });
}

onEach("adamW(): PyTorch's parameters after each of ten steps", [["f32", 1e-6]], (dtype, tolerance) => {
  const { shapes, seeds: [first, grads], decay, lr, betas, eps, steps } = answers.adamW;
  scope(() => {
    const params = shapes.map((shape, i) => make(shape, first + i, dtype)) as never as Tensor<"f32", [number]>[];
    using optimizer = adamW(params, { betas, eps, weightDecay: decay });
    steps.forEach((wanted, step) => {
      optimizer.step(params, shapes.map((shape, i) => make(shape, grads + 10 * step + i, dtype)) as never, lr);
      // State and parameters are f32: each step rounds them anew.
      params.forEach((p, i) => assertClose(p.readSync(), wanted[i]!, tolerance * (step + 1), `parameter ${i} after step ${step + 1}`));
    });
  });
});

/** The model's parameters, as `parameters` of record.py makes them. */
function parameters({ vocab, context, width, hidden, experts, layers, seed }: Model["config"], dtype: Float) {
  let next = seed;
  const some = (around: number, ...shape: number[]) => make(shape, ++next, dtype, (v) => v / 4 + around);
  const norm = () => ({ weight: some(1, width), bias: some(0, width) });
  const layer = (inputs: number, outputs: number) => ({ weight: some(0, outputs, inputs), bias: some(0, outputs) });
  const ofExperts = experts > 0 ? [experts] : [];
  return {
    token: { weight: some(0, vocab, width) },
    position: { weight: some(0, context, width) },
    blocks: Array.from({ length: layers }, () => ({
      norm1: norm(),
      qkv: layer(width, 3 * width),
      out: layer(width, width),
      norm2: norm(),
      ...(experts > 0 ? { router: { weight: some(0, experts, width) } } : {}),
      up: { weight: some(0, ...ofExperts, 2 * hidden, width) },
      down: { weight: some(0, ...ofExperts, width, hidden) },
    })),
    norm: norm(),
  };
}

for (const [name, answer] of Object.entries(answers.models)) {
  const what = `the example's model, ${name}: PyTorch's losses and gradients, and its parameters after clipping and a step of AdamW`;
  onEach(what, [["f64", 1e-12], ["f32", 2e-5]], (dtype, tolerance) => {
    const { config, ids, following, objective, loss, offsets, norm, decay, lr, betas, gradients, stepped } = answer;
    const c = {
      ...config,
      ...{ vocab: dim("vocab", config.vocab), context: dim("context", config.context) },
      ...{ width: dim("width", config.width), hidden: dim("hidden", config.hidden) },
    };
    scope(() => {
      const p = parameters(config, dtype);
      const text = (data: number[]) => tensor(on, [config.batch, config.context], Uint32Array.from(data));
      using step = valueAndGrad(trainingLoss)(p as never, text(ids) as never, text(following) as never, c as never);
      const [objectiveFound, lossFound, ...offsetsFound] = step.value as unknown as X[];
      assertClose(objectiveFound!.readSync(), [objective], tolerance, `${dtype} objective`);
      assertClose(lossFound!.readSync(), [loss], tolerance, `${dtype} loss`);
      assert.deepEqual(offsetsFound.map((x) => [...x.readSync()]), offsets);
      const grads = step.grads as unknown as typeof p;
      const found = flatten(grads);
      assert.deepEqual(found.map(([path]) => path).sort(), Object.keys(gradients).sort());
      for (const [path, g] of found) assertClose((g as X).readSync(), gradients[path]!, tolerance, `${dtype} gradient of ${path}`);
      if (dtype === "f64") return; // clipping's norm is f32
      assertClose(clipByGlobalNorm(grads as never, 1).readSync(), [norm], 1e-6, "norm");
      using optimizer = adamW(p as never, { betas, weightDecay: decay });
      optimizer.step(p as never, grads as never, lr);
      // The first step moves each parameter by the rate, whatever the size of its gradient: where that is all rounding, so is the sign of the move.
      for (const [path, x] of flatten(p)) {
        const at = (x as X).readSync();
        stepped[path]!.forEach((wanted, i) => {
          if (Math.abs(gradients[path]![i]!) > 1e-5 * norm) {
            assert.ok(Math.abs(at[i]! - wanted) < 1e-4 * lr + 1e-6, `${path}[${i}] is ${at[i]}, want ${wanted}`);
          }
        });
      }
    });
  });
}

gpuTest("a GPU gave PyTorch's answers to most of what it was asked", () => {
  assert.ok(lacking.length < asked / 4, `of ${asked} it lacks ${lacking.length}: ${lacking.join("; ")}`);
});

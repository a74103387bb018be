/**
 * The same bits everywhere. These hashes hold on every instruction set, for every number of workers, in both runtimes and on every system; CI compares
 * them under emulated processors too. A change of a hash is a change of the contract: it has to be meant.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  adamW,
  attention,
  attentionBackward,
  cast,
  clipByGlobalNorm,
  combineRows,
  combineRowsBackward,
  copy,
  type CpuDevice,
  cpuDevice,
  crossEntropy,
  crossEntropyBackward,
  dropout,
  ema,
  embeddingInit,
  expertOrder,
  gatherRows,
  gatherRowsBackward,
  geglu,
  gegluBackward,
  gelu,
  geluBackward,
  groupedLinear,
  groupedLinearBackward,
  type Isa,
  layerNorm,
  layerNormBackward,
  layerNormInit,
  linearCrossEntropy,
  linearCrossEntropyBackward,
  linearInit,
  lion,
  loadBalanceLoss,
  loadBalanceLossBackward,
  logSoftmax,
  logSoftmaxBackward,
  matmul,
  matmulList,
  mse,
  mseBackward,
  muon,
  prepack,
  type Random,
  random,
  reshape,
  rmsNorm,
  rmsNormBackward,
  rotary,
  rotaryBackward,
  route,
  routeBackward,
  routerZLoss,
  routerZLossBackward,
  scope,
  sgd,
  sigmoid,
  sigmoidBackward,
  slice,
  softmax,
  softmaxBackward,
  swiglu,
  swigluBackward,
  tanh,
  tanhBackward,
  type Tensor,
  tensor,
  transpose,
  UnsupportedError,
  valueAndGrad,
} from "../mod.ts";
import { type Config, configs, dense, loss, type Params } from "../examples/model.ts";
import { flatten } from "../nn/tree.ts";
import { hash } from "./harness.ts";

const golden = {
  matmul: [478645312, 2362493244, 757208969, 130455848],
  products: [
    697370768,
    2642148448,
    2744985023,
    1338229918,
    3756433933,
    3943290863,
    2988210163,
    835843969,
    2567067097,
    380210167,
    739939656,
    1594277760,
    683357893,
    1844759190,
    4205423818,
    3294984242,
    1239597099,
    3709913364,
  ],
  groupedLinear: [2444444965, 1750542729],
  softmax: [3454936557, 3263928836],
  layerNorm: [2750584306, 1990333683],
  attention: [3424443390, 1842369476, 42786214],
  crossEntropy: [3353391122, 2366183699, 24645000],
  experts: [1718391583, 3688894246, 3627111519, 127969479, 2220168338, 2492136143, 1553288756, 212444448],
  rotary: [548320886, 1397356399],
  categorical: [1747348006],
  rows: [794503001, 3145971384, 2088618223, 1560339585, 2226928601, 471989349, 162616306],
  optimizers: [889257289, 609321886, 2205778089, 1523725193, 220100551],
  step: [1297703342],
};

/** Multiples of 2^-12 from -2 to 2, from a linear congruential generator: whole-number arithmetic alone, the same in every engine. */
function inputs(count: number, seed: number): Float32Array {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 18) - 8192) / 4096;
  });
}

/** Every instruction set that this machine has, one and several workers each. */
function* devices(): Generator<CpuDevice> {
  for (const isa of ["portable", "avx2", "avx512", "neon"] as const satisfies readonly Isa[]) {
    for (const threads of [1, 2, 5, 8]) {
      try {
        yield cpuDevice({ isa, threads, tuning: { cores: 8, parallelThreshold: 0, gemvParallelBytes: 0 } });
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        if (threads === 1) console.log(`skipped: this machine lacks ${isa}`);
        break;
      }
    }
  }
}

function hashes(compute: (device: CpuDevice) => number[], wanted: readonly number[]): void {
  let ran = 0;
  for (const device of devices()) {
    assert.deepEqual(compute(device), wanted, device.name);
    ran++;
  }
  assert.ok(ran > 0);
}

function hashOf(...tensors: Tensor[]): number {
  let h: number | undefined;
  for (const t of tensors) {
    h = hash(t.readSync(), h);
    t.dispose();
  }
  return h!;
}

test("matmul: f32 and f64, transposed or not, several depth blocks, edges of every tile", () => {
  hashes((device) => {
    using a = tensor(device, [37, 301], inputs(37 * 301, 1));
    using b = tensor(device, [301, 45], inputs(301 * 45, 2));
    using bt = tensor(device, [45, 301], inputs(301 * 45, 3));
    using bias = tensor(device, [45], inputs(45, 4));
    using a64 = tensor(device, [9, 270], Float64Array.from(inputs(9 * 270, 5), (v) => v / 3));
    return [
      hashOf(matmul(a, b)),
      hashOf(matmul(a, bt, { transposeB: true, bias, epilogue: "gelu", alpha: 0.3 })),
      hashOf(matmul(bt, a, { transposeA: false, transposeB: true })),
      hashOf(matmul(a64, a64, { transposeB: true })),
    ];
  }, golden.matmul);
});

test("products on every route: small and large, packed and in place, prepacked, one row, one column, depth 1 and 0, batches and lists", () => {
  hashes((device) => {
    const results: number[] = [];
    for (const dtype of ["f32", "f64"] as const) {
      // Thirds, so that f64 rounds too.
      const matrix = (rows: number, cols: number, seed: number) =>
        cast(tensor(device, [rows, cols], Float64Array.from(inputs(rows * cols, seed), (v) => v / 3)), dtype) as Tensor<
          "f32",
          [number, number]
        >; // or f64
      const both = (seed: number, m: number, n: number, k: number) => {
        const a = matrix(m, k, seed), at = transpose(a), b = matrix(k, n, seed + 1), bt = transpose(b);
        const turned = copy(at), turnedB = copy(bt), bias = reshape(matrix(1, n, seed + 2), [n]);
        const c = () => copy(transpose(matrix(n, m, seed + 3)));
        results.push(hashOf(
          matmul(a, b),
          matmul(a, turnedB, { transposeB: true, alpha: 0.3, beta: 0.7, out: c() }),
          matmul(turned, b, { transposeA: true, bias, epilogue: "silu" }),
          matmul(turned, turnedB, { transposeA: true, transposeB: true, beta: 1, out: c() }),
          matmul(at, bt, { transposeA: true, transposeB: true }),
          matmul(a, prepack(turnedB), { transposeB: true, bias, beta: 2, out: c() }),
          matmul(turned, prepack(b, { transpose: false }), { transposeA: true, alpha: -1 }),
          ...matmulList([a, copy(a), a], b, { bias, epilogue: "relu" }),
        ));
      };
      scope(() => {
        both(20, 5, 64, 130);
        both(30, 17, 45, 530);
        both(40, 7, 300, 260);
        both(50, 1, 77, 530);
        both(60, 77, 1, 530);
        both(70, 1, 1, 530);
        both(80, 19, 37, 1);
        both(90, 3, 4, 0);
        const a = reshape(matrix(3 * 4, 300, 100), [3, 4, 300]), b = reshape(matrix(3 * 300, 5, 101), [3, 300, 5]);
        results.push(hashOf(matmul(a, b), matmul(a, a, { transposeB: true }), matmul(a, slice(b, 0, 1, 2))));
      });
    }
    return results;
  }, golden.products);
});

test("linear layers of experts, forward and backward: few rows, many, one and none", () => {
  hashes((device) => {
    const x = inputs(400 * 70, 13), w = inputs(5 * 65 * 70, 14), b = inputs(5 * 65, 15), d = inputs(400 * 65, 16);
    using offsets = tensor(device, [6], Uint32Array.from([0, 21, 21, 22, 110, 400]));
    return [Float32Array, Float64Array].map((Values) =>
      scope(() => {
        const of = <S extends readonly number[]>(shape: S, data: Float32Array) =>
          tensor(device, [...shape], Values.from(Array.from(data, (v) => v / 3))) as unknown as Tensor<"f32", S>; // or f64
        const p = { weight: of([5, 65, 70] as const, w), bias: of([5, 65] as const, b) };
        const y = groupedLinear(of([400, 70] as const, x), offsets, p);
        const g = groupedLinearBackward(of([400, 70] as const, x), offsets, p, of([400, 65] as const, d));
        return hashOf(y, g.x, g.weight, g.bias!);
      })
    );
  }, golden.groupedLinear);
});

test("softmax, forward and backward", () => {
  hashes((device) => {
    using x = tensor(device, [19, 77], inputs(19 * 77, 6));
    using square = tensor(device, [2, 33, 33], inputs(2 * 33 * 33, 7));
    const y = softmax(x);
    const causal = softmax(square, { causal: true });
    return [hashOf(softmaxBackward(y, x), y), hashOf(causal)];
  }, golden.softmax);
});

test("layer norm, forward and backward", () => {
  hashes((device) => {
    using x = tensor(device, [130, 70], inputs(130 * 70, 8));
    using dy = tensor(device, [130, 70], inputs(130 * 70, 9));
    using weight = tensor(device, [70], inputs(70, 10));
    using bias = tensor(device, [70], inputs(70, 11));
    const y = layerNorm(x, { weight, bias });
    const g = layerNormBackward(x, { weight, bias }, dy);
    return [hashOf(y), hashOf(g.x, g.weight, g.bias!)];
  }, golden.layerNorm);
});

test("attention, forward and backward: several blocks of keys, shared heads, a window, a mask, packed sequences", () => {
  hashes((device) => {
    const of = (seed: number, heads: number, time: number, dtype: "f32" | "f64") =>
      cast(tensor(device, [1, heads, time, 20], Float64Array.from(inputs(heads * time * 20, seed), (v) => v / 3)), dtype) as Tensor<
        "f32",
        [1, number, number, 20]
      >; // or f64
    return scope(() => {
      const both = (seed: number, dtype: "f32" | "f64", queries: number, keys: number, options: object) => {
        const q = of(seed, 4, queries, dtype), k = of(seed + 1, 2, keys, dtype), v = of(seed + 2, 2, keys, dtype);
        const g = attentionBackward(q, k, v, of(seed + 3, 4, queries, dtype), options);
        return hashOf(attention(q, k, v, options), g.q, g.k, g.v);
      };
      const visible = tensor(
        device,
        [40, 290],
        Uint32Array.from(inputs(40 * 290, 14), (v, i) => Math.floor(i / 290) === 3 ? 0 : Number(v > -1)),
      );
      const cuts = tensor(device, [5], Uint32Array.from([0, 60, 60, 61, 130]));
      return [
        both(15, "f32", 40, 290, { mask: visible }),
        both(20, "f32", 130, 130, { causal: true, window: 50, offsets: cuts }),
        both(25, "f64", 20, 270, { causal: true }),
      ];
    });
  }, golden.attention);
});

test("cross-entropy of one block of classes and of several, and fused with its linear layer, in two chunks", () => {
  hashes((device) => {
    using one = tensor(device, [], [1]);
    const results = [40, 3001].map((classes) => {
      using logits = tensor(device, [21, classes], inputs(21 * classes, 13).map((v) => 5 * v));
      using targets = tensor(device, [21], Int32Array.from(inputs(21, 14), (v, i) => i === 4 ? -100 : Math.floor((v + 2) * classes / 4)));
      return hashOf(crossEntropy(logits, targets), crossEntropyBackward(logits, targets, one));
    });
    using x = tensor(device, [260, 6], inputs(260 * 6, 15));
    using weight = tensor(device, [4100, 6], inputs(4100 * 6, 16));
    using bias = tensor(device, [4100], inputs(4100, 17));
    using targets = tensor(device, [260], Int32Array.from(inputs(260, 18), (v) => Math.floor((v + 2) * 1024)));
    const g = linearCrossEntropyBackward(x, { weight, bias }, targets, one);
    return [...results, hashOf(linearCrossEntropy(x, { weight, bias }, targets), g.x, g.weight, g.bias!)];
  }, golden.crossEntropy);
});

test("routing, expert order, gathering and combining, and the router's losses, forward and backward", () => {
  hashes((device) => {
    const results: number[] = [];
    const [rows, experts, topK, width] = [67, 21, 3, 37];
    for (const dtype of ["f32", "f64"] as const) {
      const matrix = (m: number, n: number, seed: number) =>
        cast(tensor(device, [m, n], Float64Array.from(inputs(m * n, seed), (v) => v / 3)), dtype) as Tensor<"f32", [number, number]>; // or f64
      scope(() => {
        const logits = matrix(rows, experts, 200), x = matrix(rows, width, 201), h = matrix(rows * topK, width, 202);
        const dweights = matrix(rows, topK, 203), dy = reshape(matrix(1, 1, 204), []);
        for (const score of ["softmax", "sigmoid"] as const) {
          const given = [true, false].map((normalize) => {
            const routing = route(logits, { topK, score, normalize });
            return { routing, dlogits: routeBackward(logits, routing, dweights, { score, normalize }) };
          });
          const order = expertOrder(given[0]!.routing.indices, { experts });
          const { weights } = given[0]!.routing;
          const g = combineRowsBackward(h, weights, order, x);
          results.push(
            hashOf(
              loadBalanceLoss(logits, order.offsets, { score }),
              loadBalanceLossBackward(logits, order.offsets, dy, { score }),
              routerZLoss(logits),
              routerZLossBackward(logits, dy),
              gatherRows(x, order),
              gatherRowsBackward(h, order),
              combineRows(h, weights, order),
              g.h,
              g.weights,
            ),
            hashOf(...given.flatMap(({ routing, dlogits }) => [dlogits, routing.indices, routing.weights])),
          );
        }
      });
    }
    return results;
  }, golden.experts);
});

test("rotary embedding in both forms, at long positions, and its gradient", () => {
  hashes((device) => {
    using x = tensor(device, [2, 3, 21, 76], inputs(2 * 3 * 21 * 76, 13));
    using x64 = tensor(device, [1, 2, 3, 40], Float64Array.from(inputs(240, 14), (v) => v / 3));
    using positions = tensor(device, [2, 21], Uint32Array.from(inputs(42, 15), (v) => (v + 2) * 2 ** 18)) as Tensor<"u32">;
    return [
      hashOf(
        rotary(x) as Tensor,
        rotary(x, { positions, rotated: 36, base: 500_000 }) as Tensor,
        rotary(x, { start: 1000, interleaved: true }) as Tensor,
        rotaryBackward(x, { positions }) as Tensor,
      ),
      hashOf(rotary(x64, { start: 2 ** 31 }) as Tensor, rotaryBackward(x64, { interleaved: true, start: 5 }) as Tensor),
    ];
  }, golden.rotary);
});

test("draws from logits, from all of them and from what top-k and top-p leave", () => {
  hashes((device) => {
    using rng = random(device, 17);
    using x = tensor(device, [200, 90], inputs(200 * 90, 16).map((v) => 3 * v));
    using x64 = tensor(device, [50, 17], Float64Array.from(inputs(50 * 17, 17), (v) => v / 3));
    return [
      hashOf(
        rng.categorical(x) as Tensor,
        rng.categorical(x, { temperature: 0.8, topP: 0.9 }) as Tensor,
        rng.categorical(x, { topK: 10, topP: 0.95 }) as Tensor,
        rng.categorical(x64 as unknown as Tensor<"f32", [number, number]>, { temperature: 0.3, topK: 5 }) as Tensor,
      ),
    ];
  }, golden.categorical);
});

test("masked softmax, log-softmax, norm of a sum, RMS norm, activations and their gates, dropout, mean squared error, each with its gradient", () => {
  hashes((device) => {
    const made = (seed: number, ...shape: number[]) => tensor(device, shape, inputs(shape.reduce((a, b) => a * b, 1), seed));
    return scope(() => {
      const x = made(20, 130, 70) as Tensor<"f32", [130, 70]>, dy = made(21, 130, 70) as typeof x, z = made(22, 130, 70) as typeof x;
      const weight = made(23, 70) as Tensor<"f32", [70]>, bias = made(24, 70) as typeof weight;
      const hidden = tensor(device, [70], Uint32Array.from(inputs(70, 25), (v) => v > 0 ? 1 : 0));
      const soft = softmax(x, { mask: z, scale: 0.3 }), seen = softmax(x, { mask: hidden });
      const logs = logSoftmax(x);
      const norm = layerNorm(x, { weight, bias }, { residual: z });
      const rms = rmsNormBackward(x, { weight }, dy);
      const gate = swigluBackward(x, z, dy), tanhGate = gegluBackward(x, z, dy, { approximate: "tanh" }), exact = gegluBackward(x, z, dy);
      const rng = random(device, 5);
      const loss = mse(x, z), pulled = mseBackward(x, z, loss);
      return [
        hashOf(softmaxBackward(soft, dy, { scale: 0.3 }), softmaxBackward(seen, dy), soft, seen),
        hashOf(logSoftmaxBackward(logs, dy), logs),
        hashOf(norm.y, norm.sum),
        hashOf(rmsNorm(x, { weight }), rms.x, rms.weight),
        hashOf(
          ...[sigmoid(x), tanh(x), sigmoidBackward(x, dy), tanhBackward(x, dy), gelu(x), geluBackward(x, dy)],
          ...[swiglu(x, z), geglu(x, z), gate.gate, gate.up, tanhGate.gate, tanhGate.up, exact.gate, exact.up],
        ),
        hashOf(dropout(x, rng, { rate: 0.3 }), rng.state as unknown as Tensor),
        hashOf(loss as unknown as Tensor, pulled.x, pulled.target),
      ];
    });
  }, golden.rows);
});

/** Parameters of the example's model, whatever it starts from itself. */
function parameters(rng: Random, c: Config): Params {
  const small = { deviation: 0.02 };
  return {
    token: embeddingInit(rng, c.vocab, c.width, small),
    position: embeddingInit(rng, c.context, c.width, small),
    blocks: Array.from({ length: c.layers }, () => ({
      norm1: layerNormInit(rng, c.width),
      qkv: linearInit(rng, c.width, 3 * c.width, small),
      out: linearInit(rng, c.width, c.width, small),
      norm2: layerNormInit(rng, c.width),
      up: linearInit(rng, c.width, 2 * c.hidden, { bias: false, ...small }),
      down: linearInit(rng, c.hidden, c.width, { bias: false, ...small }),
    })),
    norm: layerNormInit(rng, c.width),
  };
}

test("one full training step of the example's tiny model: random parameters, loss, gradients, clip, AdamW", () => {
  const c = { ...dense(configs.tiny), layers: 1, batch: 2 };
  hashes((device) => {
    using rng = random(device, 7);
    const params = parameters(rng, c);
    using optimizer = adamW(params, { betas: [0.9, 0.95], weightDecay: 0.1 });
    const bytes = Uint32Array.from(inputs(2 * c.context, 12), (v) => Math.floor((v + 2) * 60));
    using ids = tensor(device, [c.batch as number, c.context as number], bytes);
    using next = tensor(device, [c.batch as number, c.context as number], bytes.slice().reverse());
    using step = valueAndGrad(loss)(params, ids, next, c);
    using norm = clipByGlobalNorm(step.grads, 1);
    optimizer.step(params, step.grads, 3e-3);
    const all = [step.value, norm, ...flatten(step.grads).map(([, g]) => g), ...flatten(params).map(([, p]) => p)];
    return [hashOf(...all as Tensor[])];
  }, golden.step);
});

test("two steps of every optimizer over matrices, a stack and vectors, clipped, and their moving average", () => {
  hashes((device) => {
    const tree = (seed: number) => ({
      wide: tensor(device, [9, 30], inputs(270, seed)),
      tall: tensor(device, [300, 7], inputs(2100, seed + 1)),
      stack: tensor(device, [3, 5, 5], inputs(75, seed + 2)),
      vector: tensor(device, [1003], inputs(1003, seed + 3)),
    });
    return [adamW, sgd, (p: ReturnType<typeof tree>) => sgd(p, { nesterov: true, weightDecay: 0.1 }), lion, muon].map((make) => {
      const params = tree(100);
      using optimizer = make(params), mean = ema(params, { decay: 0.9 });
      for (const seed of [110, 120]) {
        const grads = tree(seed);
        clipByGlobalNorm(grads, 1).dispose();
        optimizer.step(params, grads, 0.1);
        mean.update(params);
        for (const [, g] of flatten(grads)) g.dispose();
      }
      const kept = flatten({ state: optimizer.state, average: mean.average }).map(([, x]) => copy(x));
      return hashOf(...flatten(params).map(([, x]) => x), ...kept);
    });
  }, golden.optimizers);
});

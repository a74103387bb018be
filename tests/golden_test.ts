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
  copy,
  type CpuDevice,
  cpuDevice,
  crossEntropy,
  crossEntropyBackward,
  ema,
  embeddingInit,
  type Isa,
  layerNorm,
  layerNormBackward,
  layerNormInit,
  linearCrossEntropy,
  linearCrossEntropyBackward,
  linearInit,
  lion,
  matmul,
  matmulList,
  muon,
  prepack,
  type Random,
  random,
  reshape,
  scope,
  sgd,
  slice,
  softmax,
  softmaxBackward,
  type Tensor,
  tensor,
  transpose,
  UnsupportedError,
  valueAndGrad,
} from "../mod.ts";
import { type Config, configs, loss, type Params } from "../examples/model.ts";
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
  softmax: [3454936557, 3263928836],
  layerNorm: [2750584306, 1990333683],
  attention: [3424443390, 1842369476, 42786214],
  crossEntropy: [3353391122, 2366183699, 24645000],
  step: [3654305058],
  optimizers: [889257289, 609321886, 2205778089, 1523725193, 4147828245],
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
  const c = { ...configs.tiny, layers: 1, batch: 2 };
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

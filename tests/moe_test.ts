import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  combineRows,
  cpu,
  type CpuDevice,
  type Device,
  dim,
  expertOrder,
  type Float,
  gatherRows,
  geglu,
  gelu,
  linear,
  loadBalanceLoss,
  memory,
  moe,
  type MoeActivation,
  moeInit,
  type MoeOptions,
  mul,
  random,
  route,
  routerZLoss,
  scale,
  scope,
  split,
  sum,
  type Tensor,
  tensor,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { flatten } from "../nn/tree.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertSameBits } from "./harness.ts";
import { close, differences, dot, everyDevice, normal, normalCdf, refuses } from "./row_harness.ts";

interface Sizes {
  rows: number;
  width: number;
  hidden: number;
  experts: number;
}

/** A layer's numbers, in the order of its parameters. */
interface Numbers {
  router: Float64Array;
  up: Float64Array;
  upBias: Float64Array;
  down: Float64Array;
  downBias: Float64Array;
}

const values: Record<MoeActivation, (h: Float64Array, hidden: number) => Float64Array> = {
  geglu: (h, hidden) => Float64Array.from({ length: hidden }, (_, j) => h[j]! * normalCdf(h[j]!) * h[hidden + j]!),
  gelu: (h) => h.map((v) => v * normalCdf(v)),
  relu: (h) => h.map((v) => Math.max(v, 0)),
  silu: (h) => h.map((v) => v / (1 + Math.exp(-v))),
};

/** Plain loops in f64, row after row: the answers, the loads and both losses; `gap` is how far the closest choice was from another, and ReLU from its kink. */
function reference(x: ArrayLike<number>, n: Numbers, s: Sizes, o: MoeOptions) {
  const { rows, width, hidden, experts } = s, activation = o.activation ?? "geglu", inner = n.up.length / experts / width;
  const y = new Float64Array(rows * width), loads = new Array<number>(experts).fill(0), means = new Float64Array(experts);
  let zLoss = 0, gap = Infinity;
  for (let r = 0; r < rows; r++) {
    const row = Array.from({ length: width }, (_, j) => x[r * width + j]!);
    const logits = Array.from({ length: experts }, (_, e) => dot(row, n.router.subarray(e * width, (e + 1) * width)));
    const sumExp = logits.reduce((a, v) => a + Math.exp(v), 0);
    const scores = logits.map((v) => o.score === "sigmoid" ? 1 / (1 + Math.exp(-v)) : Math.exp(v) / sumExp);
    const total = scores.reduce((a, v) => a + v, 0);
    scores.forEach((v, e) => means[e]! += v / total / rows);
    zLoss += Math.log(sumExp) ** 2 / rows;
    const order = logits.map((_, e) => e).sort((a, b) => logits[b]! - logits[a]! || a - b);
    if (o.topK < experts) gap = Math.min(gap, logits[order[o.topK - 1]!]! - logits[order[o.topK]!]!);
    const chosen = order.slice(0, o.topK);
    const part = o.normalize ?? o.topK > 1 ? chosen.reduce((a, e) => a + scores[e]!, 0) : 1;
    for (const e of chosen) {
      loads[e]!++;
      const h = Float64Array.from({ length: inner }, (_, i) => {
        const at = e * inner + i;
        return dot(row, n.up.subarray(at * width, (at + 1) * width)) + n.upBias[at]!;
      });
      if (activation === "relu") gap = h.reduce((a, v) => Math.min(a, Math.abs(v)), gap);
      const a = values[activation](h, hidden);
      for (let j = 0; j < width; j++) {
        const at = e * width + j;
        y[r * width + j]! += scores[e]! / part * (dot(a, n.down.subarray(at * hidden, (at + 1) * hidden)) + n.downBias[at]!);
      }
    }
  }
  const balanceLoss = means.reduce((a, p, e) => a + experts * loads[e]! / Math.max(1, rows * o.topK) * p, 0);
  return { y, loads, balanceLoss, zLoss, gap };
}

function numbersOf({ width, hidden, experts }: Sizes, activation: MoeActivation, place: number): Numbers {
  const inner = activation === "geglu" ? 2 * hidden : hidden;
  const of = (count: number, at: number, deviation = 0.5) => Float64Array.from(normal(count, place + at, deviation));
  return {
    router: of(experts * width, 1),
    up: of(experts * inner * width, 2),
    upBias: of(experts * inner, 3, 0.1),
    down: of(experts * width * hidden, 4),
    downBias: of(experts * width, 5, 0.1),
  };
}

function paramsOf(device: CpuDevice, n: Numbers, { width, hidden, experts }: Sizes, dtype: Float) {
  const inner = n.up.length / experts / width;
  const of = (shape: number[], data: Float64Array) =>
    tensor(device, shape, dtype === "f32" ? Float32Array.from(data) : data as never) as Tensor;
  return {
    router: { weight: of([experts, width], n.router) },
    up: { weight: of([experts, inner, width], n.up), bias: of([experts, inner], n.upBias) },
    down: { weight: of([experts, width, hidden], n.down), bias: of([experts, width], n.downBias) },
  };
}

type Params = ReturnType<typeof paramsOf>;

const activations = ["geglu", "gelu", "relu", "silu"] as const;
const ways: MoeOptions[] = [
  { topK: 1 },
  { topK: 2 },
  { topK: 2, normalize: false },
  { topK: 3, score: "sigmoid" },
  { topK: 2, score: "sigmoid", normalize: false },
  { topK: 5 },
];

/** Loads from offsets. */
const loadsOf = (offsets: ArrayLike<number>) => Array.from({ length: offsets.length - 1 }, (_, e) => offsets[e + 1]! - offsets[e]!);

/** ⟨y, c⟩ and both losses, so that every way back to the parameters is taken. */
function lossOf(x: Tensor, p: Params, c: Tensor, o: MoeOptions) {
  const { y, balanceLoss, zLoss } = moe(x as never, p as never, o) as unknown as Record<string, Tensor>;
  const answers = sum(mul(y!, c as never)) as never;
  return add(add(answers, scale(balanceLoss as never, 0.7)), scale(zLoss as never, 0.3)) as unknown as Tensor<"f32", []>;
}

for (const dtype of ["f32", "f64"] as const) {
  test(`moe() in ${dtype} answers as a plain f64 loop over rows does, for every activation and scoring, and drops no row`, () => {
    const s: Sizes = { rows: 21, width: 9, hidden: 6, experts: 5 };
    for (const activation of activations) {
      for (const way of ways) {
        scope(() => {
          const o = { ...way, activation }, n = numbersOf(s, activation, 10 * way.topK), data = normal(s.rows * s.width, 3);
          const want = reference(data, n, s, o);
          const x = tensor(cpu, [3, 7, s.width], dtype === "f32" ? Float32Array.from(data) : Float64Array.from(data) as never);
          const { y, offsets, balanceLoss, zLoss } = moe(x as never, paramsOf(cpu, n, s, dtype) as never, o) as unknown as Record<
            string,
            Tensor
          >;
          const limit = dtype === "f32" ? 1e-5 : 1e-12;
          assert.deepEqual(y!.shape, [3, 7, s.width]);
          close(y!.readSync(), want.y, limit);
          assert.deepEqual(loadsOf(offsets!.readSync()), want.loads);
          close(balanceLoss!.readSync(), [want.balanceLoss], limit);
          close(zLoss!.readSync(), [want.zLoss], limit);
        });
      }
    }
  });
}

test("moe() has the gradients that differences of a plain f64 loop give, through answers, weights and both losses, for x and every parameter", () => {
  const s: Sizes = { rows: 6, width: 5, hidden: 3, experts: 5 };
  for (const [i, way] of ways.entries()) {
    const activation = activations[i % 2 === 0 ? 0 : (i + 1) / 2]!;
    const o = { ...way, activation }, c = Float64Array.from(normal(s.rows * s.width, i + 2));
    let place = i, x: Float64Array, n: Numbers;
    do { // a small step may neither change a choice nor cross a kink
      n = numbersOf(s, activation, 10 * place);
      x = Float64Array.from(normal(s.rows * s.width, ++place));
    } while (reference(x, n, s, o).gap < 1e-3);
    const at = (x: ArrayLike<number>, n: Numbers) => {
      const r = reference(x, n, s, o);
      return dot(r.y, c) + 0.7 * r.balanceLoss + 0.3 * r.zLoss;
    };
    scope(() => {
      const params = { x: tensor(cpu, [s.rows, s.width], x) as unknown as Tensor, p: paramsOf(cpu, n, s, "f64") };
      const cotangent = tensor(cpu, [s.rows, s.width], c) as unknown as Tensor;
      const { value, grads } = valueAndGrad((q: typeof params) => lossOf(q.x, q.p, cotangent, o))(params as never) as unknown as {
        value: Tensor;
        grads: typeof params;
      };
      close(value.readSync(), [at(x, n)], 1e-12);
      const wanted = {
        x: differences((v) => at(v, n), x),
        "p.router.weight": differences((v) => at(x, { ...n, router: v }), n.router),
        "p.up.weight": differences((v) => at(x, { ...n, up: v }), n.up),
        "p.up.bias": differences((v) => at(x, { ...n, upBias: v }), n.upBias),
        "p.down.weight": differences((v) => at(x, { ...n, down: v }), n.down),
        "p.down.bias": differences((v) => at(x, { ...n, downBias: v }), n.downBias),
      };
      const found = new Map(flatten(grads));
      assert.deepEqual([...found.keys()], Object.keys(wanted));
      for (const [path, want] of Object.entries(wanted)) {
        assertClose(found.get(path)!.readSync(), want, 1e-7, `${JSON.stringify(o)}: ${path}`, 1e-2);
      }
    });
  }
});

test("moe() of one expert is the dense layer, to the bit", () => {
  scope(() => {
    using rng = random(cpu, 1);
    const p = moeInit(rng, { width: 12, hidden: 20, experts: 1 });
    const x = rng.normal([30, 12]);
    const dense = (w: Tensor, shape: number[]) => tensor(cpu, shape, w.readSync() as Float32Array);
    const [gate, up] = split(linear(x, { weight: dense(p.up.weight as never, [40, 12]) } as never) as Tensor<"f32", [number, number]>, [
      20,
      20,
    ], 1);
    const y = linear(geglu(gate, up), { weight: dense(p.down.weight as never, [12, 20]) } as never);
    for (const o of [{ topK: 1 }, { topK: 1, normalize: true }]) assertSameBits(moe(x, p, o).y.readSync(), (y as Tensor).readSync());
  });
});

test("moe() gives an expert that no row chose, and all of them where there are no rows, gradients of zero", () => {
  scope(() => {
    using rng = random(cpu, 2);
    const p = moeInit(rng, { width: 4, hidden: 5, experts: 3, bias: true });
    // The third expert's logit is the lowest in every row.
    p.router.weight.write(Float32Array.from([1, 0, 0, 0, 2, 0, 0, 0, -9, 0, 0, 0]));
    for (const rows of [6, 0]) {
      const x = add(zeros(cpu, [rows, 4]), tensor(cpu, [4], [1, 2, 3, 4]));
      const { grads } = valueAndGrad((q: typeof p) => {
        const { y, balanceLoss, zLoss } = moe(x as Tensor<"f32", [number, 4]>, q, { topK: 2 });
        return add(sum(y), add(balanceLoss, zLoss)) as Tensor<"f32", []>;
      })(p as never) as unknown as { grads: typeof p };
      for (const [path, g] of flatten(grads)) {
        const values = [...g.readSync()];
        const unused = rows === 0 ? values : path.startsWith("router") ? [] : values.slice(values.length / 3 * 2);
        assert.deepEqual(unused, unused.map(() => 0), path);
        if (rows > 0) assert.ok(values.some((v) => v !== 0), path);
      }
    }
  });
});

test("moe() gives the same bits on 1 to 8 workers and every instruction set, gradients included", () => {
  const s: Sizes = { rows: 67, width: 21, hidden: 18, experts: 5 };
  const n = numbersOf(s, "geglu", 7),
    data = Float32Array.from(normal(s.rows * s.width, 3)),
    slope = Float32Array.from(normal(data.length, 4));
  scope(() => {
    const results = everyDevice().map((device) => {
      const p = paramsOf(device, n, s, "f32");
      const x = tensor(device, [s.rows, s.width], data) as unknown as Tensor,
        c = tensor(device, [s.rows, s.width], slope) as unknown as Tensor;
      const { value, grads } = valueAndGrad((q: Params) => lossOf(x, q, c, { topK: 2 }))(p as never) as unknown as {
        value: Tensor;
        grads: Params;
      };
      const { y, offsets } = moe(x as never, p as never, { topK: 2 }) as unknown as Record<string, Tensor>;
      return [value, y!, offsets!, ...flatten(grads).map(([, g]) => g)].map((t) => t.readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("moe() frees what lies between its input and its results", () => {
  scope(() => {
    using rng = random(cpu, 3);
    const p = moeInit(rng, { width: 8, hidden: 8, experts: 4 }), x = rng.normal([10, 8]);
    const before = memory().tensors;
    const result = moe(x, p, { topK: 2 });
    assert.equal(memory().tensors - before, 4);
    for (const t of Object.values(result)) (t as Tensor).dispose();
    assert.equal(memory().tensors, before);
  });
});

test("moeInit() makes what moe() takes", () => {
  scope(() => {
    using rng = random(cpu, 4);
    const width = dim("width", 64),
      p = moeInit(rng, { width, hidden: 128, experts: 8, bias: true, deviation: { router: 0.5, down: 0.01 } });
    assert.deepEqual(flatten(p).map(([path, t]) => [path, ...t.shape]), [
      ["router.weight", 8, 64],
      ["up.weight", 8, 256, 64],
      ["up.bias", 8, 256],
      ["down.weight", 8, 64, 128],
      ["down.bias", 8, 64],
    ]);
    const deviation = (t: Tensor) => Math.sqrt([...t.readSync()].reduce((a, v) => a + v * v, 0) / t.size);
    for (const [t, want] of [[p.router.weight, 0.5], [p.up.weight, 1 / 8], [p.down.weight, 0.01]] as const) {
      assert.ok(Math.abs(deviation(t as never) / want - 1) < 0.1);
    }
    assert.deepEqual(moeInit(rng, { width: 4, hidden: 6, experts: 2, activation: "relu" }).up.weight.shape, [2, 6, 4]);
    refuses(
      () => moeInit(rng, { width: 4, hidden: -1, experts: 2 }),
      "RangeError",
      "moeInit: hidden must be a whole number from 0 to 2^53 - 1, got -1",
    );
    refuses(
      () => moeInit(rng, 4 as never),
      "TypeError",
      "moeInit: options must be an object { width, hidden, experts, activation, bias, deviation }, got 4",
    );
  });
});

test("moe() says what is wrong, in its own words", () => {
  scope(() => {
    using rng = random(cpu, 5);
    const p = moeInit(rng, { width: 4, hidden: 3, experts: 2 }), x = rng.normal([5, 4]);
    const bad = (x: unknown, p: unknown, o: unknown, name: "TypeError" | "RangeError", message: string) =>
      refuses(() => moe(x as never, p as never, o as never), name, message);
    bad(rng.normal([5, 3]), p, { topK: 1 }, "RangeError", "moe: router.weight is [2, 4], must be [2, 3]");
    bad(x, p, { topK: 1, activation: "gelu" }, "RangeError", "moe: up.weight is [2, 6, 4], must be [2, 3, 4]");
    bad(x, { ...p, down: p.up }, { topK: 1 }, "RangeError", "moe: up.weight is [2, 6, 4], must be [2, 8, 4]");
    bad(x, { ...p, router: { weight: rng.normal([3, 4]) } }, { topK: 1 }, "RangeError", "moe: up.weight is [2, 6, 4], must be [3, 6, 4]");
    bad(x, { ...p, up: p.router }, { topK: 1 }, "RangeError", "moe: up.weight is [2, 4], must have 3 axes");
    bad(x, { router: p.router, up: p.up }, { topK: 1 }, "TypeError", "moe: down must be { weight, bias? }, got undefined");
    bad(x, null, { topK: 1 }, "TypeError", "moe: parameters must be { router, up, down }, got null");
    bad(x, p, undefined, "TypeError", "moe: options must be an object { topK, score, normalize, activation }, got undefined");
    bad(
      x,
      p,
      { topK: 1, activation: "toString" },
      "TypeError",
      'moe: activation must be "geglu", "gelu", "relu", "silu", got the string "toString"',
    );
    bad(x, p, { topK: 3 }, "RangeError", "moe: topK must be a whole number from 1 to 2, got 3");
    bad(rng.normal([]), p, { topK: 1 }, "RangeError", "moe: x is [], needs an axis of features");
  });
});

gpuTest("moe(): all around the experts' products runs on a GPU as on the CPU, without a word to the host", (gpu) => {
  const [rows, width, experts] = [70, 24, 6], topK = 2;
  const x = Float32Array.from(normal(rows * width, 1)), router = Float32Array.from(normal(experts * width, 2, 0.2));
  // Were all answers for a row alike, the router would have no gradient but rounding.
  const factors = Float32Array.from(normal(rows * topK, 3));
  const stepOn = (device: Device) => {
    const inputs = { x: tensor(device, [rows, width], x), router: tensor(device, [experts, width], router) };
    const factor = tensor(device, [rows * topK, 1], factors) as never;
    return () =>
      valueAndGrad((p: typeof inputs) => {
        const logits = linear(p.x, { weight: p.router }), { indices, weights } = route(logits, { topK });
        const order = expertOrder(indices, { experts });
        const y = combineRows(mul(gelu(gatherRows(p.x, order)), factor) as never, weights, order);
        const loss = add(sum(mul(y, y)), add(scale(loadBalanceLoss(logits, order.offsets), 0.1), scale(routerZLoss(logits), 0.1)));
        return [loss, y, order.offsets, order.places] as const;
      })(inputs);
  };
  scope(() => {
    assertAsOnCpu(gpu, "a step", (device) => {
      const { value: [loss, y, offsets, places], grads } = stepOn(device)();
      return { loss, y, offsets, places, ...grads } as unknown as Record<string, Tensor>;
    }, 1e-5);
  });
  scope(() => {
    const step = stepOn(gpu), three = () => [1, 2, 3].forEach(() => scope(() => void step()));
    const counts = () => {
      const { copies, pipelines, allocations } = gpu.statistics();
      return { copies, pipelines, allocations };
    };
    three();
    const before = counts();
    three();
    assert.deepEqual(counts(), before);
  });
});

gpuTest("moe() and its gradients on a GPU are those of the CPU, every activation, without a word to the host", (gpu) => {
  const x = Float32Array.from(normal(70 * 24, 1));
  for (const activation of ["geglu", "gelu", "relu", "silu"] as const) {
    const stepOn = (device: Device) => {
      using rng = random(device, 3);
      const params = { x: tensor(device, [70, 24], x), p: moeInit(rng, { width: 24, hidden: 16, experts: 6, activation, bias: true }) };
      return () =>
        valueAndGrad((q: typeof params) => {
          const { y, offsets, balanceLoss, zLoss } = moe(q.x, q.p, { topK: 2, activation });
          return [add(sum(mul(y, y)), add(scale(balanceLoss, 0.1), scale(zLoss, 0.1))), y, offsets] as const;
        })(params);
    };
    scope(() => {
      assertAsOnCpu(gpu, activation, (device) => {
        const { value: [loss, y, offsets], grads } = stepOn(device)();
        return { loss, y, offsets, ...Object.fromEntries(flatten(grads).map(([path, t]) => [path, t])) } as unknown as Record<
          string,
          Tensor
        >;
      }, 2e-5);
    });
    scope(() => {
      const step = stepOn(gpu), three = () => [1, 2, 3].forEach(() => scope(() => void step()));
      three();
      const before = gpu.statistics();
      three();
      const { copies, pipelines, allocations } = gpu.statistics();
      assert.deepEqual([copies, pipelines, allocations], [before.copies, before.pipelines, before.allocations]);
    });
  }
});

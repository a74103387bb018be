import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, route, routeBackward, scope, softmax, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, numbers } from "./harness.ts";
import { both, close, everyDevice, framed, normal, of, refuses, strided } from "./row_harness.ts";

type Score = "softmax" | "sigmoid";
const ways = (["softmax", "sigmoid"] as const).flatMap((score) => [true, false].map((normalize) => ({ score, normalize })));

/** Plain loops in f64: by k looks over each row. */
function reference(x: ArrayLike<number>, experts: number, k: number, score: Score, normalize: boolean) {
  const indices: number[] = [], weights: number[] = [];
  for (let at = 0; at < x.length; at += experts) {
    const row = Array.from({ length: experts }, (_, e) => x[at + e]!);
    const m = Math.max(...row), sum = row.reduce((s, v) => s + Math.exp(v - m), 0);
    const scores = row.map((v) => score === "softmax" ? Math.exp(v - m) / sum : 1 / (1 + Math.exp(-v)));
    const chosen: number[] = [];
    for (let s = 0; s < k; s++) {
      let best = -1;
      for (let e = 0; e < experts; e++) if (!chosen.includes(e) && (best < 0 || row[e]! > row[best]!)) best = e;
      chosen.push(best);
    }
    const total = normalize ? chosen.reduce((s, e) => s + scores[e]!, 0) : 1;
    indices.push(...chosen);
    weights.push(...chosen.map((e) => scores[e]! / total));
  }
  return { indices, weights };
}

for (const dtype of ["f32", "f64"] as const) {
  test(`route() in ${dtype} chooses and weighs as plain f64 loops do, from one expert to all, dense or strided, ties included`, () => {
    for (const experts of [1, 2, 4, 15, 16, 17, 33, 64, 65]) {
      for (const k of new Set([1, 2, Math.ceil(experts / 2), experts])) {
        if (k > experts) continue;
        for (const rows of [0, 1, 9]) {
          scope(() => {
            // Quarters, so that many are equal.
            const data = both(normal(rows * experts, experts + k, 2).map((v) => Math.round(v * 4) / 4))[dtype];
            for (const way of ways) {
              const want = reference(data, experts, k, way.score, way.normalize);
              for (const logits of [of(cpu, [rows, experts], data, dtype), strided(cpu, [rows, experts], data, dtype)]) {
                const { indices, weights } = route(logits as never, { topK: k, ...way }) as { indices: Tensor; weights: Tensor };
                assert.deepEqual([indices.shape, weights.shape], [[rows, k], [rows, k]]);
                assert.deepEqual([...indices.readSync()], want.indices);
                close(weights.readSync(), want.weights, dtype === "f32" ? 1e-6 : 1e-14);
              }
            }
          });
        }
      }
    }
  });
}

test("route() has the gradients that central differences give", () => {
  const [rows, experts] = [5, 6];
  // A row's logits are no closer than 0.05: no difference changes a choice.
  const x = Array.from({ length: rows }, (_, r) => {
    const order = numbers(experts, 40 + r).map((v, e) => [v, e] as const).sort(([a], [b]) => a - b);
    const row = new Array<number>(experts);
    order.forEach(([v, e], i) => row[e] = 0.3 * i - 1 + 0.1 * v);
    return row;
  }).flat();
  for (const way of ways) {
    for (const topK of [1, 2, experts]) {
      if (topK === 1 && way.score === "softmax" && way.normalize) continue; // always 1: below
      const what = `route ${JSON.stringify({ topK, ...way })}`;
      assertGradients(what, (logits) => route(logits as never, { topK, ...way }).weights, { shapes: [[rows, experts]], values: [x] });
    }
  }
});

test("route() normalizes by default where more than one expert answers, and a lone weight of 1 has no gradient", () => {
  scope(() => {
    const logits = tensor(cpu, [1, 3], [0, Math.log(3), -50]);
    close(route(logits, { topK: 1 }).weights.readSync(), [0.75]);
    close(route(logits, { topK: 1, normalize: true }).weights.readSync(), [1]);
    close(route(logits, { topK: 2 }).weights.readSync(), [0.75, 0.25]);
    const one = route(logits, { topK: 1, normalize: true });
    assert.deepEqual([...routeBackward(logits, one, tensor(cpu, [1, 1], [7]), { normalize: true }).readSync()], [0, 0, 0]);
    // By default the gradient is that of the default weights.
    const two = route(logits, { topK: 2 });
    close(routeBackward(logits, two, tensor(cpu, [1, 2], [1, 0])).readSync(), [-0.1875, 0.1875, 0]);
  });
});

test("route() weights that are not normalized are the very bits of softmax()", () => {
  scope(() => {
    const logits = tensor(cpu, [40, 37], Float32Array.from(normal(40 * 37, 1, 3)));
    const { indices, weights } = route(logits, { topK: 5, normalize: false });
    const p = softmax(logits).readSync();
    const chosen = Array.from(indices.readSync(), (e, i) => p[Math.floor(i / 5) * 37 + e]!);
    assertSameBits(weights.readSync(), chosen);
  });
});

test("route() ranks NaN first and shows it, and knows what to do with infinities", () => {
  scope(() => {
    const at = (x: number[], topK: number, score: Score, normalize: boolean) => {
      const { indices, weights } = route(tensor(cpu, [1, x.length], x), { topK, score, normalize });
      return [[...indices.readSync()], [...weights.readSync()]];
    };
    assert.deepEqual(at([1, NaN, Infinity, NaN], 3, "softmax", true), [[1, 3, 2], [NaN, NaN, NaN]]);
    assert.deepEqual(at([5, 1, NaN], 2, "softmax", false), [[2, 0], [NaN, NaN]]);
    assert.deepEqual(at([0, -1, NaN], 2, "sigmoid", false), [[2, 0], [NaN, 0.5]]);
    assert.deepEqual(at([0, 0, -Infinity], 3, "softmax", true), [[0, 1, 2], [0.5, 0.5, 0]]);
    assert.deepEqual(at([-Infinity, -Infinity], 2, "softmax", true), [[0, 1], [0, 0]]);
    assert.deepEqual(at([-Infinity, -Infinity], 2, "sigmoid", true), [[0, 1], [0, 0]]);
    assert.deepEqual(at([-0, 0, 0], 2, "softmax", true), [[0, 1], [0.5, 0.5]]);
  });
});

test("route() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, experts, topK] = [331, 21, 3];
    const data = Float32Array.from(normal(rows * experts, 1)), cotangent = Float32Array.from(normal(rows * topK, 2));
    for (const way of ways) {
      const results = everyDevice().map((device) => {
        const logits = tensor(device, [rows, experts], data), dweights = tensor(device, [rows, topK], cotangent);
        const routing = route(logits, { topK, ...way });
        return [routing.indices, routing.weights, routeBackward(logits, routing, dweights as never, way)].map((t) =>
          (t as Tensor).readSync()
        );
      });
      for (const result of results) assert.deepEqual(result, results[0]);
    }
  });
});

test("route() and routeBackward() say what is wrong", () => {
  scope(() => {
    const logits = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
    const bad = (options: unknown, name: "TypeError" | "RangeError", message: string) =>
      refuses(() => route(logits, options as never), name, message);
    bad({ topK: 0 }, "RangeError", "route: topK must be a whole number from 1 to 3, got 0");
    bad({ topK: 4 }, "RangeError", "route: topK must be a whole number from 1 to 3, got 4");
    bad({ topK: 1.5 }, "RangeError", "route: topK must be a whole number from 1 to 3, got 1.5");
    bad({}, "TypeError", "route: topK must be a whole number from 1 to 3, got undefined");
    bad(undefined, "TypeError", "route: options must be an object { topK, score, normalize }, got undefined");
    bad({ topK: 1, score: "tanh" }, "TypeError", 'route: score must be "softmax" or "sigmoid", got the string "tanh"');
    bad({ topK: 1, normalize: 1 }, "TypeError", "route: normalize must be true or false, got 1");
    refuses(() => route(tensor(cpu, [3], [1, 2, 3]) as never, { topK: 1 }), "RangeError", "route: logits is [3], must be [rows, experts]");
    refuses(() => route(tensor(cpu, [2, 0], []), { topK: 1 }), "RangeError", "route: logits is [2, 0]: there is no expert to choose");
    const ints = tensor(cpu, [2, 3], new Int32Array(6));
    refuses(() => route(ints as never, { topK: 1 }), "TypeError", "route: logits is i32, must be f32 or f64");

    const routing = route(logits, { topK: 2 }), dw = tensor(cpu, [2, 2], [1, 1, 1, 1]);
    const wrong = { ...routing, indices: tensor(cpu, [2, 2], new Uint32Array([0, 1, 3, 0])) };
    refuses(() => routeBackward(logits, wrong, dw), "RangeError", "routeBackward: routing.indices[1, 0] is 3, must be from 0 to 2");
    refuses(
      () => routeBackward(logits, routing as never, tensor(cpu, [2, 1], [1, 1])),
      "RangeError",
      "routeBackward: dweights is [2, 1], must be [2, 2]",
    );
    refuses(
      () => routeBackward(tensor(cpu, [3, 3], new Array(9).fill(0)), routing as never, dw as never),
      "RangeError",
      "routeBackward: routing.indices is [2, 2], must be [3, 1 to 3]",
    );
    refuses(() => routeBackward(logits, null as never, dw), "TypeError", "routeBackward: routing must be { indices, weights }, got null");
  });
});

gpuTest("route() and its gradient on a GPU are those of the CPU, from one expert to all, dense or strided, ties included", (gpu) => {
  for (const experts of [1, 2, 4, 15, 16, 17, 33, 63, 64, 65, 127, 128, 129, 300]) {
    for (const topK of new Set([1, 2, Math.ceil(experts / 8), Math.min(experts, 20)])) {
      if (topK > experts) continue;
      for (const rows of experts < 16 ? [0, 1, 130] : [9]) {
        scope(() => {
          // Quarters, so that many are equal.
          const data = normal(rows * experts, experts + topK, 2).map((v) => Math.round(v * 4) / 4);
          const dw = Float32Array.from(normal(rows * topK, 5));
          for (const way of ways) {
            assertAsOnCpu(gpu, `${rows} rows, ${topK} of ${experts}, ${JSON.stringify(way)}`, (device) => {
              const logits = framed(device, [rows, experts], data)[0] as never, dweights = tensor(device, [rows, topK], dw);
              const routing = route(logits, { topK, ...way }) as unknown as { indices: Tensor; weights: Tensor };
              return { ...routing, dlogits: routeBackward(logits, routing as never, dweights as never, way) };
            }, 3e-6);
          }
        });
      }
    }
  }
});

gpuTest("route() on a GPU ranks NaN first, zeros alike and infinities as the CPU does, and divides tiny scores", (gpu) => {
  const inf = Infinity,
    rows = [
      ...[[1, NaN, inf, NaN], [5, 1, NaN, 2], [0, 0, -inf, -inf], [-inf, -inf, -inf, -inf], [-0, 0, 0, -0], [3e38, -3e38, 1e-40, -1e-40]],
      // A GPU's exp loses digits there.
      [-80, -81, -82, -90],
    ];
  for (const row of rows) {
    for (const way of ways) {
      for (const topK of [1, 2, 4]) {
        scope(() => {
          assertAsOnCpu(gpu, `${row} ${topK} ${JSON.stringify(way)}`, (device) => {
            const logits = tensor(device, [1, 4], row), routing = route(logits, { topK, ...way });
            const dlogits = routeBackward(logits, routing, tensor(device, [1, topK], [1, 2, 3, 4].slice(0, topK)), way);
            return { indices: routing.indices as Tensor, weights: routing.weights as Tensor, dlogits: dlogits as Tensor };
          }, row[0] === -80 ? 3e-4 : 3e-6);
        });
      }
    }
  }
});

gpuTest("routeBackward() on a GPU gives an index that is no expert no gradient; f64 has no shader", (gpu) => {
  scope(() => {
    const logits = tensor(gpu, [1, 3], [1, 2, 3]), one = tensor(gpu, [1, 2], [1, 1]);
    const routing = { indices: tensor(gpu, [1, 2], Uint32Array.of(3, 1)), weights: tensor(gpu, [1, 2], [0, 0.5]) };
    assert.deepEqual([...routeBackward(logits, routing, one).readSync()], [0, 0.25, 0]);
    const wide = tensor(gpu, [1, 3], new Float64Array(3)), half = tensor(gpu, [1, 2], new Float64Array(2));
    assert.throws(() => route(wide, { topK: 2 }), UnsupportedError);
    assert.throws(() => routeBackward(wide, { ...routing, weights: half }, half), UnsupportedError);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { attention, cpu, empty, memory, reshape, scope, tensor, transpose } from "../mod.ts";
import { assertClose, assertGradients, devices, hash, numbers } from "./harness.ts";

/** The plain formula in f64. */
function plain(q: number[], k: number[], v: number[], [B, H, T, S, W]: readonly number[], causal: boolean, scale: number): Float64Array {
  const out = new Float64Array(B! * H! * T! * W!);
  for (let b = 0; b < B! * H!; b++) {
    for (let i = 0; i < T!; i++) {
      const seen = causal ? Math.min(S!, Math.max(0, i + S! - T! + 1)) : S!;
      const scores: number[] = [];
      for (let j = 0; j < seen; j++) {
        let s = 0;
        for (let w = 0; w < W!; w++) s += q[(b * T! + i) * W! + w]! * k[(b * S! + j) * W! + w]!;
        scores.push(scale * s);
      }
      const top = Math.max(...scores), e = scores.map((s) => Math.exp(s - top)), total = e.reduce((x, y) => x + y, 0);
      for (let j = 0; j < seen; j++) for (let w = 0; w < W!; w++) out[(b * T! + i) * W! + w]! += e[j]! / total * v[(b * S! + j) * W! + w]!;
    }
  }
  return out;
}

test("attention() is softmax(q kᵀ / √width) v, causal or not, with as many or more keys", () => {
  for (const [B, H, T, S, W] of [[1, 1, 1, 1, 1], [2, 3, 5, 5, 4], [1, 2, 7, 19, 8], [1, 1, 33, 33, 16], [1, 1, 4, 2, 3]] as const) {
    const q = numbers(B * H * T * W, 1), k = numbers(B * H * S * W, 2), v = numbers(B * H * S * W, 3);
    for (const causal of [false, true]) {
      using tq = tensor(cpu, [B, H, T, W] as const as never, q);
      using tk = tensor(cpu, [B, H, S, W] as const as never, k);
      using tv = tensor(cpu, [B, H, S, W] as const as never, v);
      using y = attention(tq as never, tk as never, tv as never, { causal });
      assertClose(y.readSync(), plain(q, k, v, [B, H, T, S, W], causal, 1 / Math.sqrt(W)), 2e-6);
      using z = attention(tq as never, tk as never, tv as never, { causal, scale: 0.3 });
      assertClose(z.readSync(), plain(q, k, v, [B, H, T, S, W], causal, 0.3), 2e-6);
    }
  }
});

test("a query that sees no key gives zeros", () => {
  using q = tensor(cpu, [1, 1, 3, 2], numbers(6, 1));
  using k = tensor(cpu, [1, 1, 1, 2], [1, 2]);
  using y = attention(q, k, k, { causal: true });
  assert.deepEqual([...y.readSync()], [0, 0, 0, 0, 1, 2]);
});

test("heads are joined again without a copy", () => {
  using q = tensor(cpu, [2, 3, 4, 5], numbers(120, 1));
  using y = attention(q, q, q);
  const bytes = memory().bytes;
  using joined = reshape(transpose(y, [0, 2, 1, 3]), [2, 4, 15]);
  assert.equal(memory().bytes, bytes);
  assert.deepEqual(joined.shape, [2, 4, 15]);
});

test("attention() has the same bits for 1 to 8 workers, also on strided heads", () => {
  const data = numbers(2 * 9 * 4 * 8, 4);
  const hashes = new Set<number>();
  for (const device of devices()) {
    using x = tensor(device, [2, 9, 4, 8], data);
    using y = scope(() => {
      const heads = transpose(x, [0, 2, 1, 3]);
      return attention(heads, heads, heads, { causal: true });
    });
    hashes.add(hash(y.readSync()));
  }
  assert.equal(hashes.size, 1);
});

test("the gradient of attention() is that of differences", () => {
  for (const causal of [false, true]) {
    assertGradients(
      `attention ${causal ? "causal" : "open"}`,
      (q, k, v) => attention(q as never, k as never, v as never, { causal }) as never, // shapes fit, as given below
      { shapes: [[1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4]], tolerance: 1e-6 },
    );
  }
});

test("attention() takes no rows and refuses what does not fit, by name", () => {
  using none = empty(cpu, [0, 2, 3, 4]);
  using y = attention(none, none, none);
  assert.deepEqual(y.shape, [0, 2, 3, 4]);
  using q = tensor(cpu, [1, 2, 3, 4], numbers(24, 1));
  using k = tensor(cpu, [1, 1, 3, 4], numbers(12, 1));
  assert.throws(() => attention(q, k, k), { name: "RangeError", message: /k is \[1, 1, 3, 4\], must be \[1, 2, 3, 4\]/ });
  using flat = tensor(cpu, [3, 4], numbers(12, 1));
  assert.throws(() => attention(flat as never, k, k), {
    name: "RangeError",
    message: /q is \[3, 4\], must be \[batch, heads, queries, width\]/,
  });
  assert.throws(() => attention(q, q, q, { causal: 1 as never }), { name: "TypeError", message: /causal must be true or false, got 1/ });
});

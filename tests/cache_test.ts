import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attention,
  concat,
  copy,
  cpu,
  explain,
  type KeyValueCache,
  keyValueCache,
  memory,
  scope,
  slice,
  sum,
  type Tensor,
  tensor,
  transpose,
  valueAndGrad,
} from "../mod.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertClose, assertSameBits, numbers, randomTensor } from "./harness.ts";
import { everyDevice, refuses } from "./row_harness.ts";

type X<D extends "f32" | "f64" = "f32"> = Tensor<D, [number, number, number, number]>;
const random = (shape: [number, number, number, number], place: number) => randomTensor(shape, "f32", place) as unknown as X;

test("keys and values are what was appended, in order, whatever the pieces and their layout", () => {
  scope(() => {
    using cache = keyValueCache(cpu, { batch: 2, heads: 3, capacity: 20, width: 5 }) as KeyValueCache;
    const k = random([2, 3, 17, 5], 1), v = random([2, 3, 17, 5], 2);
    assert.deepEqual([cache.length, cache.capacity, cache.keys.shape], [0, 20, [2, 3, 0, 5]]);
    let at = 0;
    for (const count of [4, 1, 0, 1, 11]) {
      // As a projection leaves them: heads moved forward.
      const part = (x: X) => transpose(copy(transpose(slice(x, 2, at, at + count), [0, 2, 1, 3])), [0, 2, 1, 3]);
      cache.append(part(k), part(v));
      at += count;
      assert.equal(cache.length, at);
      assertSameBits(cache.keys.readSync(), slice(k, 2, 0, at).readSync());
      assertSameBits(cache.values.readSync(), slice(v, 2, 0, at).readSync());
    }
    cache.truncate(6);
    assertSameBits(cache.keys.readSync(), slice(k, 2, 0, 6).readSync());
    cache.append(slice(v, 2, 6, 8), slice(k, 2, 6, 8));
    assertSameBits(cache.values.readSync(), concat([slice(v, 2, 0, 6), slice(k, 2, 6, 8)], 2).readSync());
    cache.reset();
    assert.deepEqual([cache.length, cache.values.shape], [0, [2, 3, 0, 5]]);
    cache.append(k, v);
    assertSameBits(cache.values.readSync(), v.readSync());
  });
});

test("attention one position at a time, over the cache, has the bits of attention over the whole text", () => {
  for (const device of everyDevice()) {
    scope(() => {
      const time = 40, shape = [2, 3, time, 8] as const;
      const [q, k, v] = [1, 2, 3].map((place) => tensor(device, shape, numbers(2 * 3 * time * 8, place))) as [X, X, X];
      const whole = attention(q, k, v, { causal: true });
      using cache = keyValueCache(device, { batch: 2, heads: 3, capacity: time, width: 8 }) as KeyValueCache;
      for (const [from, to] of [[0, 7], ...Array.from({ length: time - 7 }, (_, i) => [i + 7, i + 8])] as [number, number][]) {
        cache.append(slice(k, 2, from, to), slice(v, 2, from, to));
        const y = attention(slice(q, 2, from, to), cache.keys, cache.values, { causal: true });
        assertSameBits(y.readSync(), slice(whole, 2, from, to).readSync(), `${device.name}, from ${from}`);
      }
    });
  }
});

test("a cache in f64, and one with nothing in it", () => {
  scope(() => {
    using cache = keyValueCache(cpu, { heads: 1, capacity: 3, width: 2, dtype: "f64" });
    const x = tensor(cpu, [1, 1, 1, 2], Float64Array.from([1 / 3, 2]));
    cache.append(x, x);
    assert.deepEqual([...cache.keys.readSync()], [1 / 3, 2]);
    using none = keyValueCache(cpu, { heads: 2, capacity: 0, width: 2 });
    assert.deepEqual([none.length, none.keys.shape], [0, [1, 2, 0, 2]]);
  });
});

test("what does not fit is refused, and nothing is written", () => {
  scope(() => {
    using cache = keyValueCache(cpu, { batch: 1, heads: 2, capacity: 4, width: 3 }) as KeyValueCache;
    const x = random([1, 2, 3, 3], 1);
    cache.append(x, x);
    const two = random([1, 2, 2, 3], 2), one = random([1, 2, 1, 3], 3);
    refuses(() => cache.append(two, two), "RangeError", "append: 2 positions behind 3 are more than the capacity, 4");
    refuses(() => cache.append(one, two), "RangeError", "append: k and v have 1 and 2 positions");
    refuses(() => cache.append(one, random([2, 2, 1, 3], 1)), "RangeError", "append: v is [2, 2, 1, 3], must be [1, 2, positions, 3]");
    refuses(() => cache.append(tensor(cpu, [6], numbers(6)) as never, one), "RangeError", "append: k is [6], must be [1, 2, positions, 3]");
    refuses(() => cache.append(one, randomTensor([1, 2, 1, 3], "f64") as never), "TypeError", "append: v is f64, the cache is f32");
    refuses(() => cache.append(one, slice(cache.keys, 2, 0, 1)), "TypeError", "append: v is a view of the cache itself");
    refuses(() => cache.append(null as never, one), "TypeError", "append: k must be a tensor, got null");
    const gone = copy(one);
    gone.dispose();
    refuses(() => cache.append(one, gone), "TypeError", "append: v was disposed");
    for (const length of [-1, 4, 1.5, NaN]) assert.throws(() => cache.truncate(length), { name: "RangeError" });
    valueAndGrad((p: { x: X }) => {
      refuses(() => cache.append(one, one), "TypeError", "append: works in place, which is not possible while gradients are recorded");
      return sum(p.x);
    })({ x })[Symbol.dispose]();
    assert.equal(cache.length, 3);
    assertSameBits(cache.keys.readSync(), x.readSync());
    assertSameBits(cache.values.readSync(), x.readSync());
    // The fourth place is as it was: it can still be filled.
    cache.append(one, one);
    assertSameBits(slice(cache.keys, 2, 3).readSync(), one.readSync());

    const make = (options: object) => () => keyValueCache(cpu, { heads: 1, capacity: 2, width: 3, ...options });
    for (const name of ["batch", "heads", "capacity", "width"]) {
      assert.throws(make({ [name]: -1 }), { name: "RangeError", message: new RegExp(`^keyValueCache: ${name} must be a whole number`) });
      assert.throws(make({ [name]: "2" }), { name: "TypeError" });
    }
    refuses(make({ dtype: "u32" }), "TypeError", "keyValueCache: dtype is u32, must be f32 or f64");
    assert.throws(() => keyValueCache(cpu, undefined as never), { name: "TypeError" });
    assert.throws(() => keyValueCache(null as never, { heads: 1, capacity: 1, width: 1 }), { name: "TypeError" });
  });
});

test("a cache belongs to no scope, frees all it holds, and is then refused", () => {
  const before = memory();
  const { cache } = scope(() => {
    const cache = keyValueCache(cpu, { heads: 1, capacity: 5, width: 2 });
    using x = tensor(cpu, [1, 1, 1, 2], [1, 2]);
    for (let i = 0; i < 3; i++) {
      cache.append(x, x);
      attention(x, cache.keys, cache.values);
    }
    return { cache };
  });
  assert.deepEqual([...cache.keys.readSync()], [1, 2, 1, 2, 1, 2]);
  const keys = cache.keys;
  assert.equal(cache.keys, keys); // the same view until the length changes
  cache.truncate(1);
  assert.ok(keys.disposed);
  assert.equal(memory().tensors - before.tensors, 2);
  cache[Symbol.dispose]();
  cache[Symbol.dispose]();
  assert.deepEqual([memory().tensors, memory().outsideScopes], [before.tensors, before.outsideScopes]);
  using x = tensor(cpu, [1, 1, 1, 2], [1, 2]);
  refuses(() => cache.append(x, x), "TypeError", "append: the cache was disposed");
  refuses(() => cache.keys, "TypeError", "keys: the cache was disposed");
  refuses(() => cache.reset(), "TypeError", "truncate: the cache was disposed");
});

test("explain() of a step leaves the cache as it was", () => {
  scope(() => {
    using cache = keyValueCache(cpu, { batch: 1, heads: 1, capacity: 5, width: 2 }) as KeyValueCache;
    const x = random([1, 1, 2, 2], 1);
    cache.append(x, x);
    const plan = explain(() => {
      cache.append(x, x);
      cache.truncate(1);
      attention(x, cache.keys, cache.values);
    });
    assert.deepEqual([plan[0]!.op, plan[1]!.op, plan[2]!.op], ["append", "append", "attention"]);
    assert.equal(cache.length, 2);
    assertSameBits(cache.keys.readSync(), x.readSync());
  });
});

gpuTest("gpu: text written one position at a time by a cache is the whole text at once", (gpu) => {
  scope(() => {
    const of = (heads: number, place: number) => tensor(gpu, [1, heads, 40, 8], numbers(heads * 320, place)) as unknown as X;
    const q = of(4, 1), k = of(2, 2), v = of(2, 3);
    const whole = attention(q as never, k as never, v as never, { causal: true }) as unknown as X;
    using cache = keyValueCache(gpu, { heads: 2, capacity: 40, width: 8 }) as unknown as KeyValueCache;
    for (const [from, to] of [[0, 31], [31, 32], [32, 33], [33, 40]] as const) {
      const cut = (t: X) => slice(t, 2, from, to) as never;
      cache.append(cut(k), cut(v));
      const y = attention(cut(q), cache.keys as never, cache.values as never, { causal: true }) as unknown as X;
      assertClose(y.readSync(), slice(whole, 2, from, to).readSync(), 1e-6, `${from} to ${to}`);
    }
  });
}, { timeout: 240_000 });

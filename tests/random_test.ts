import { test } from "node:test";
import assert from "node:assert/strict";
import { cpu, type Device, ones, random, scope, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { devices, numbers } from "./harness.ts";

/** Philox4x32-10, as the paper has it. */
function philox(key: number[], counter: number[]): number[] {
  let [k0, k1] = key as [number, number];
  let c = counter.slice();
  const multiply = (a: number, b: number) => {
    const p = BigInt(a) * BigInt(b);
    return [Number(p >> 32n), Number(p & 0xffffffffn)] as const;
  };
  for (let round = 0; round < 10; round++) {
    const [h0, l0] = multiply(0xD2511F53, c[0]!), [h1, l1] = multiply(0xCD9E8D57, c[2]!);
    c = [(h1 ^ c[1]! ^ k0) >>> 0, l1, (h0 ^ c[3]! ^ k1) >>> 0, l0];
    k0 = (k0 + 0x9E3779B9) >>> 0;
    k1 = (k1 + 0xBB67AE85) >>> 0;
  }
  return c;
}

test("the stream is Philox4x32-10 of seed and counter", () => {
  // Known answers of Random123, the authors' own code.
  assert.deepEqual(philox([0, 0], [0, 0, 0, 0]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
  assert.deepEqual(philox([0xa4093822, 0x299f31d0], [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]), [
    0xd16cfe09,
    0x94fdcceb,
    0x5001e420,
    0x24126ea1,
  ]);
  const seed = 0x1_2345_6789;
  using rng = random(cpu, seed);
  assert.deepEqual([...rng.state.readSync()], [0x2345_6789, 1, 0, 0, 0, 0]);
  using u = rng.uniform([10]);
  const words = [0, 1, 2].flatMap((block) => philox([0x2345_6789, 1], [block, 0, 0, 0])).slice(0, 10);
  assert.deepEqual([...u.readSync()], words.map((w) => (w >>> 8) / 2 ** 24));
  assert.deepEqual([...rng.state.readSync()], [0x2345_6789, 1, 3, 0, 0, 0]);
});

test("uniform() lies in its range, normal() has its mean and deviation", () => {
  using rng = random(cpu, 1);
  using u = rng.uniform([200, 500], { low: -2, high: 3 });
  const values = u.readSync();
  assert.ok(values.every((x) => x >= -2 && x < 3));
  // Five standard errors.
  assert.ok(Math.abs(values.reduce((a, b) => a + b) / 1e5 - 0.5) < 5 * Math.sqrt(25 / 12 / 1e5));
  using n = rng.normal([200, 500], { mean: 10, deviation: 2 });
  const z = [...n.readSync()].map((x) => (x - 10) / 2);
  const moment = (k: number) => z.reduce((a, x) => a + x ** k, 0) / 1e5;
  [[1, 0, 1], [2, 1, 2], [3, 0, 15], [4, 3, 96]].forEach(([k, wanted, variance]) =>
    assert.ok(Math.abs(moment(k!) - wanted!) < 5 * Math.sqrt(variance! / 1e5), `moment ${k} is ${moment(k!)}`)
  );
  using constant = rng.normal([3], { deviation: 0, mean: 7 });
  assert.deepEqual([...constant.readSync()], [7, 7, 7]);
  using none = rng.uniform([0, 3]);
  assert.deepEqual(none.shape, [0, 3]);
});

test("a stream is the same for any number of workers, and in one call or two", () => {
  const results = devices().map((device) => {
    using rng = random(device, 7);
    using a = rng.normal([70_000]), b = rng.uniform([999]), c = rng.normal([70_000]);
    return [...a.readSync(), ...b.readSync(), ...c.readSync(), rng.below(1000)];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
  using one = random(cpu, 7), two = random(cpu, 7);
  using whole = one.normal([1000]), first = two.normal([600]), rest = two.normal([400]);
  assert.deepEqual([...first.readSync(), ...rest.readSync()], [...whole.readSync()]);
});

test("numbers are recorded: they may not change", () => {
  using rng = random(cpu, 2026);
  using n = rng.normal([6]), u = rng.uniform([3]);
  assert.deepEqual([...n.readSync()], recorded.normal);
  assert.deepEqual([...u.readSync()], recorded.uniform);
  assert.deepEqual([rng.below(100), rng.below(100), rng.below(2 ** 53 - 1)], recorded.below);
});

const recorded = {
  normal: [-1.284524917602539, -0.18145592510700226, -0.2422918677330017, 0.804907500743866, -0.08936356008052826, 0.12486548721790314],
  uniform: [0.6941791772842407, 0.7194191813468933, 0.9328175187110901],
  below: [92, 15, 775406513429517],
};

test("a saved state continues the stream", () => {
  using rng = random(cpu, 3);
  rng.normal([100]).dispose();
  const saved = rng.state.readSync();
  using expected = rng.normal([50]);
  using other = random(cpu, 0);
  other.state.write(saved);
  using found = other.normal([50]);
  assert.deepEqual(found.readSync(), expected.readSync());
});

test("below() is within its limit and without bias", () => {
  using rng = random(cpu, 4);
  const counts = new Array<number>(7).fill(0);
  for (let i = 0; i < 7000; i++) counts[rng.below(7)]!++;
  for (const c of counts) assert.ok(Math.abs(c - 1000) < 5 * Math.sqrt(1000));
  for (let i = 0; i < 100; i++) {
    assert.equal(rng.below(1), 0);
    const x = rng.below(2 ** 53 - 1);
    assert.ok(Number.isSafeInteger(x) && x >= 0);
  }
});

test("categorical() follows softmax of logits over temperature", () => {
  using rng = random(cpu, 5);
  const logits = [0, 1, -1, 2, -Infinity, 0.5];
  using x = tensor(cpu, [5000, 6], Array.from({ length: 30_000 }, (_, i) => logits[i % 6]!));
  for (const temperature of [1, 0.5, 3]) {
    using ids = rng.categorical(x, { temperature });
    assert.equal(ids.dtype, "u32");
    const counts = logits.map(() => 0);
    for (const i of ids.readSync()) counts[i]!++;
    const weights = logits.map((l) => Math.exp(l / temperature)), total = weights.reduce((a, b) => a + b);
    weights.forEach((w, i) =>
      assert.ok(Math.abs(counts[i]! - 5000 * w / total) <= 5 * Math.sqrt(5000 * w / total), `index ${i}: ${counts[i]}`)
    );
  }
});

test("categorical() at temperature 0 takes the largest, the first of equal ones; views and one row work", () => {
  using rng = random(cpu, 6);
  using x = tensor(cpu, [2, 3, 3], [1, 3, 3, 0, 0, 0, 9, -Infinity, NaN, -Infinity, -Infinity, -Infinity, 5, 6, 7, 7, 6, 5]);
  using a = rng.categorical(x, { temperature: 0 });
  assert.deepEqual([...a.readSync()], [1, 0, 2, 0, 2, 0]);
  using last = slice(x, 1, -1);
  using b = rng.categorical(last as never, { temperature: 0 });
  assert.deepEqual([b.shape, [...b.readSync()]], [[2, 1], [2, 0]]);
  using one = rng.categorical(tensor(cpu, [3], [-100, 100, -100]));
  assert.deepEqual([one.shape, one.itemSync()], [[], 1]);
});

/** Weights of what top-k and then top-p leave of a row: sorted from the largest, equal logits by index. */
function left(logits: readonly number[], topK: number, topP: number): number[] {
  const order = logits.map((_, i) => i).sort((a, b) => logits[b]! - logits[a]! || a - b).slice(0, topK);
  const total = order.reduce((sum, i) => sum + Math.exp(logits[i]!), 0), weights = logits.map(() => 0);
  let held = 0;
  for (const i of order) {
    if (held > 0 && held >= topP * total) break;
    held += weights[i] = Math.exp(logits[i]!);
  }
  return weights;
}

test("categorical() draws from what topK and then topP leave", () => {
  using rng = random(cpu, 9);
  const logits = [0, 1, -1, 2, -Infinity, 0.5, 1, 2, -3, 1.5, 1, 0, 0, 0, 0, 0, 0, 0.25, -0.5];
  using x = tensor(cpu, [4000, 19], Array.from({ length: 4000 * 19 }, (_, i) => logits[i % 19]!));
  for (const [topK, topP] of [[1, 1], [3, 1], [4, 1], [100, 0.5], [100, 0.31], [5, 0.6], [6, 0.97], [19, 0], [2, 0.999]] as const) {
    using ids = rng.categorical(x, { topK, topP });
    const counts = logits.map(() => 0);
    for (const i of ids.readSync()) counts[i]!++;
    const weights = left(logits, topK, topP), total = weights.reduce((a, b) => a + b);
    weights.forEach((w, i) => {
      const expected = 4000 * w / total;
      assert.ok(Math.abs(counts[i]! - expected) <= 5 * Math.sqrt(expected), `topK ${topK}, topP ${topP}, index ${i}: ${counts[i]}`);
    });
  }
});

test("categorical() with topK and topP that leave all draws as without", () => {
  using x = random(cpu, 10).normal([300, 40]);
  using one = random(cpu, 11), two = random(cpu, 11);
  using plain = one.categorical(x), all = two.categorical(x, { topK: 40, topP: 1 });
  assert.deepEqual(all.readSync(), plain.readSync());
  using greedy = two.categorical(x, { temperature: 0, topK: 3, topP: 0.5 }), largest = one.categorical(x, { topK: 1 });
  assert.deepEqual(greedy.readSync(), largest.readSync());
});

test("categorical() has the same choices for any number of workers", () => {
  const results = devices().map((device) => {
    using rng = random(device, 8);
    using x = rng.normal([500, 33]);
    using ids = rng.categorical(x), some = rng.categorical(x, { topK: 20, topP: 0.8, temperature: 0.7 });
    return [...ids.readSync(), ...some.readSync()];
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("a stream outlives the scope it was made in", () => {
  using rng = scope(() => ({ made: random(cpu, 1) })).made;
  assert.ok(rng.below(10) < 10);
});

test("random() and its methods say what does not fit, and the stream stays", () => {
  for (const seed of [-1, 1.5, NaN, 2 ** 53, Infinity]) assert.throws(() => random(cpu, seed), { name: "RangeError" });
  for (const seed of ["7", undefined, 2n ** 64n]) assert.throws(() => random(cpu, seed as never), { name: "TypeError" });
  assert.throws(() => random(null as never, 1), { name: "TypeError", message: "random: device must be a device such as cpu, got null" });
  using rng = random(cpu, 1);
  for (const limit of [0, -1, 1.5, NaN, 2 ** 53]) assert.throws(() => rng.below(limit), { name: "RangeError" });
  assert.throws(() => rng.uniform([2], { low: 1, high: 0 }), {
    name: "RangeError",
    message: "uniform: low is 1, must not be above high, 0",
  });
  assert.throws(() => rng.uniform([2], { low: -Infinity }), { name: "RangeError", message: "uniform: low must be finite, got -Infinity" });
  assert.throws(() => rng.uniform([2], { low: -3e38, high: 3e38 }), { name: "RangeError" });
  assert.throws(() => rng.normal([2], { deviation: -1 }), { name: "RangeError", message: "normal: deviation must be 0 or more, got -1" });
  assert.throws(() => rng.normal([-2]), { name: "RangeError" });
  using x = ones(cpu, [2, 3]), i = ones(cpu, [2], "i32"), empty = zeros(cpu, [2, 0]), none = ones(cpu, []);
  assert.throws(() => rng.categorical(x, { temperature: -1 }), { name: "RangeError" });
  for (const topK of [0, -1, 1.5, NaN]) assert.throws(() => rng.categorical(x, { topK }), { name: "RangeError" });
  for (const topP of [-0.1, 1.1]) {
    assert.throws(() => rng.categorical(x, { topP }), {
      name: "RangeError",
      message: `categorical: topP must be from 0 to 1, got ${topP}`,
    });
  }
  assert.throws(() => rng.categorical(x, { topP: NaN }), { name: "RangeError" });
  assert.throws(() => rng.categorical(x, { topP: "1" as never }), {
    name: "TypeError",
    message: 'categorical: topP must be a number, got the string "1"',
  });
  assert.throws(() => rng.categorical(i as never), { name: "TypeError", message: "categorical: logits is i32, must be f32 or f64" });
  assert.throws(() => rng.categorical(empty), {
    name: "RangeError",
    message: "categorical: logits is [2, 0], must have a last axis to choose from",
  });
  assert.throws(() => rng.categorical(none as never), { name: "RangeError" });
  assert.deepEqual([...rng.state.readSync()], [1, 0, 0, 0, 0, 0]);
  const gone = random(cpu, 1);
  gone[Symbol.dispose]();
  assert.throws(() => gone.below(2), { name: "TypeError", message: "below: the random stream was disposed" });
});

/** A stream whose counter is about to carry over all its words. */
function carrying(device: Device) {
  const rng = random(device, 2 ** 40 + 7);
  rng.state.write([3, 4, 0xfffffff0, 0xffffffff, 0xffffffff, 7]);
  return rng;
}

const drawn = [0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 127, 129, 1023, 1024, 1025, 5000];

gpuTest("random numbers on a GPU are the stream of the CPU: the same bits for integers and uniform ones", (gpu) => {
  for (const n of drawn) {
    assertAsOnCpu(gpu, `${n} uniform`, (device) => {
      const rng = carrying(device);
      const bits = zeros(device, [n], "u32");
      native.tw_random_bits(device.handle, bits.handle, rng.state.handle);
      // The last range is so narrow that sums are rounded, and the upper end would be reached.
      const numbers = {
        a: rng.uniform([n]),
        b: rng.uniform([n], { low: -3, high: 0.1 }),
        c: rng.uniform([n], { low: 1, high: 1 + 2 ** -22 }),
      };
      return { bits, ...numbers, state: rng.state as Tensor };
    }, 0);
    assertAsOnCpu(gpu, `${n} normal`, (device) => {
      const rng = carrying(device);
      return { a: rng.normal([n]), b: rng.normal([n], { mean: 2, deviation: 0.5 }), state: rng.state as Tensor };
    }, 3e-7);
  }
});

gpuTest("random numbers on a GPU: normal ones near 0 and far out keep their digits", (gpu) => {
  const [want, got] = [cpu, gpu].map((device) => random(device, 3).normal([200000]).readSync());
  got!.forEach((v, i) => {
    const w = want![i]!;
    assert.ok(Math.abs(v - w) <= 2e-6 * Math.abs(w) + 1e-9, `element ${i} is ${v}, the CPU has ${w}`);
  });
});

gpuTest("below() on a GPU draws what the CPU draws, and leaves the stream where that does", (gpu) => {
  assertAsOnCpu(gpu, "below", (device) => {
    const rng = carrying(device);
    rng.uniform([3]);
    const list = Array.from({ length: 20 }, (_, i) => rng.below(i < 10 ? 6 : 2 ** 32 - i));
    return { list: tensor(device, [20], list, { dtype: "u32" }), next: rng.uniform([5]), state: rng.state as Tensor };
  }, 0);
});

gpuTest("categorical() on a GPU chooses as the CPU does, with any temperature, topK and topP", (gpu) => {
  for (const n of [1, 2, 15, 17, 65, 255, 256, 257, 1000]) {
    for (const ties of [false, true]) {
      const logits = Float32Array.from(numbers(6 * n, n), (v) => ties ? Math.round(v * 3) : v * 6);
      if (n > 2) logits.set([-0, 0, -Infinity], n);
      assertAsOnCpu(gpu, `${n}${ties ? " with ties" : ""}`, (device) => {
        const rng = carrying(device), x = tensor(device, [6, n], logits);
        const forms = [{}, { temperature: 0 }, { temperature: 0.3 }, { topK: 1 }, { topK: 5 }, { topP: 0 }, { topP: 0.5 }, {
          topP: 0.9,
          temperature: 2,
        }, {
          topK: 40,
          topP: 0.8,
        }];
        const turned = transpose(tensor(device, [n, 6], Float32Array.from(numbers(6 * n, 9), (v) => 4 * v)));
        return {
          ...Object.fromEntries(forms.map((form) => [JSON.stringify(form), rng.categorical(x, form) as Tensor])),
          part: rng.categorical(slice(x, 1, 0, (n + 1) >> 1) as never) as Tensor,
          turned: rng.categorical(turned) as Tensor,
          state: rng.state as Tensor,
        };
      });
    }
  }
  assertAsOnCpu(gpu, "a long row", (device) => {
    const rng = random(device, 4), x = tensor(device, [3, 50257], Float32Array.from(numbers(3 * 50257, 1), (v) => 12 * v));
    return { all: rng.categorical(x), some: rng.categorical(x, { topP: 0.9 }), few: rng.categorical(x, { topK: 50 }) };
  });
});

gpuTest("gpu: categorical() refuses rows that make loops too long for the driver, and draws nothing then", (gpu) => {
  const rng = random(gpu, 3);
  const x = tensor(gpu, [1, 1_250_000], new Float32Array(1_250_000));
  const draw = () => rng.categorical(x, { topK: 1000, topP: 0.5 }).readSync();
  if (!gpu.describe().name.includes("llvmpipe")) return void draw();
  const before = rng.state.readSync(), { dispatches } = gpu.statistics();
  assert.throws(draw, (e: Error) => e.name === "UnsupportedError" && /categorical: .* 7\d{4} rounds long, .* after 65535;/.test(e.message));
  assert.equal(gpu.statistics().dispatches, dispatches);
  assert.deepEqual(rng.state.readSync(), before);
  // Without limits a row is walked less often.
  assert.equal(rng.categorical(x).size, 1);
});

gpuTest("categorical() on a GPU without a distribution gives the first NaN, or 0", (gpu) => {
  assertAsOnCpu(gpu, "none", (device) => {
    const rows = [
      [1, NaN, 3, NaN],
      [-Infinity, -Infinity, -Infinity, -Infinity],
      [1, Infinity, 2, Infinity],
      [-Infinity, -Infinity, 0, -Infinity],
      [3e38, -3e38, 3e38, 0],
    ];
    const x = tensor(device, [5, 4], rows.flat()), rng = random(device, 6);
    const forms = [{}, { temperature: 0 }, { temperature: 1e-45 }, { temperature: 1e30 }, { topK: 2, topP: 0.9 }];
    return Object.fromEntries(forms.map((form) => [JSON.stringify(form), rng.categorical(x, form) as Tensor]));
  });
});

gpuTest("categorical() on a GPU follows softmax, and draws no element that topP leaves out", (gpu) => {
  using rng = random(gpu, 12);
  const row = [0, 1, 2, -1, 0.5], n = 2000;
  using x = tensor(gpu, [n, 5], Float32Array.from({ length: 5 * n }, (_, i) => row[i % 5]!));
  const weights = row.map(Math.exp), whole = weights.reduce((a, b) => a + b);
  const shares = (ids: Uint32Array) => row.map((_, i) => ids.filter((id) => id === i).length / n);
  shares(rng.categorical(x).readSync()).forEach((share, i) => assert.ok(Math.abs(share - weights[i]! / whole) < 0.04, `${i}: ${share}`));
  // The two largest hold 0.77 of it.
  const two = shares(rng.categorical(x, { topP: 0.75 }).readSync());
  assert.deepEqual([two[0], two[3], two[4]], [0, 0, 0]);
  assert.ok(Math.abs(two[2]! - weights[2]! / (weights[1]! + weights[2]!)) < 0.04);
});

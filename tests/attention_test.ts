import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attention,
  attentionBackward,
  type AttentionOptions,
  cpu,
  type CpuDevice,
  cpuDevice,
  type Device,
  empty,
  memory,
  mul,
  reshape,
  scope,
  slice,
  split,
  sum,
  type Tensor,
  tensor,
  transpose,
  trim,
  UnsupportedError,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertGradients, assertSameBits, devices, hash, numbers, randomTensor } from "./harness.ts";

type Any = Tensor<"f32", [number, number, number, number]>;

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

test("attention() and its gradients have the same bits for 1 to 8 workers, also on strided heads", () => {
  const data = numbers(2 * 90 * 3 * 4 * 8, 4), slope = numbers(2 * 4 * 90 * 8, 5);
  const hashes = new Set<number>();
  for (const device of devices()) {
    using x = tensor(device, [2, 90, 96], data);
    using dy = tensor(device, [2, 4, 90, 8], slope);
    hashes.add(scope(() => {
      const [q, k, v] = split(x, [32, 32, 32], -1).map((t) => transpose(reshape(t, [2, 90, 4, 8]), [0, 2, 1, 3])) as [Any, Any, Any];
      const options = { causal: true, window: 50 };
      const g = attentionBackward(q, k, v, dy as never, options as never);
      return [g.q, g.k, g.v].reduce((h, t) => hash(t.readSync(), h), hash(attention(q, k, v, options).readSync()));
    }));
  }
  assert.equal(hashes.size, 1);
});

/** Ones and zeros, of which the third row is all zeros. */
function seen(rows: number, cols: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(numbers(rows * cols, 9), (x, i) => Math.floor(i / cols) === 2 ? 0 : Number(x > -0.4));
}

test("a mask of integers hides keys, and is what −Infinity added to the scores is", () => {
  using q = randomTensor([2, 4, 5, 8], "f32", 1), k = randomTensor([2, 2, 37, 8], "f32", 2), v = randomTensor([2, 2, 37, 8], "f32", 3);
  const visible = seen(5, 37);
  using integers = tensor(cpu, [5, 37], visible);
  using added = tensor(cpu, [1, 1, 5, 37], Float32Array.from(visible, (x) => x === 0 ? -Infinity : 0));
  const of = (mask: AttentionOptions["mask"]) => attention(q as never, k as never, v as never, { mask } as never) as unknown as Any;
  using y = of(integers as never);
  using z = of(added as never);
  assertSameBits(y.readSync(), z.readSync());
  // What a query sees, given alone.
  for (let i = 0; i < 5; i++) {
    const columns = [...Array(37).keys()].filter((j) => visible[i * 37 + j] === 1);
    using query = slice(q as unknown as Any, 2, i, i + 1);
    const pick = (x: Tensor) => {
      const data = x.readSync(), out: number[] = [];
      for (let h = 0; h < 4; h++) for (const j of columns) out.push(...data.slice((h * 37 + j) * 8, (h * 37 + j + 1) * 8) as Float32Array);
      return tensor(cpu, [2, 2, columns.length, 8], out);
    };
    using few = pick(k as Tensor), values = pick(v as Tensor);
    using alone = attention(query as never, few as never, values as never);
    using row = slice(y, 2, i, i + 1);
    assertClose(row.readSync(), Float64Array.from(alone.readSync()), 1e-6, `query ${i}`);
  }
  // Along the keys alone: padding, one mask for all queries of a sequence.
  using padding = tensor(cpu, [2, 1, 1, 37], Int32Array.from({ length: 74 }, (_, i) => i % 37 < 30 ? 7 : 0));
  using padded = of(padding as never);
  using short = attention(q as never, slice(k as unknown as Any, 2, 0, 30) as never, slice(v as unknown as Any, 2, 0, 30) as never);
  assertSameBits(padded.readSync(), short.readSync());
});

test("rows that see nothing are zeros, and so are their gradients, whatever else happens (no NaN)", () => {
  using q = randomTensor([1, 1, 3, 4], "f32", 1), k = randomTensor([1, 1, 20, 4], "f32", 2), dy = randomTensor([1, 1, 3, 4], "f32", 3);
  using nothing = tensor(cpu, [20], new Float32Array(20).fill(-Infinity));
  for (const mask of [nothing, zeros(cpu, [1, 20], "u32")]) {
    using y = attention(q as never, k as never, k as never, { mask } as never);
    assert.deepEqual([...(y as Tensor).readSync()], new Array(12).fill(0));
    const g = attentionBackward(q as never, k as never, k as never, dy as never, { mask } as never) as unknown as Record<string, Tensor>;
    for (const x of Object.values(g)) assert.ok(x.readSync().every((value) => value === 0), "a gradient is not zero");
  }
});

/** What a hidden key may not reach, whatever it holds: every result but the gradient of queries, of which the rows that see it hidden may be NaN. */
function assertHidden(device: Device): void {
  const shape = [1, 1, 20, 4], bad = 7;
  const filled = (seed: number) => Float32Array.from(numbers(80, seed));
  const on = (values: Float32Array) => tensor(device, shape, values) as never;
  const masks: { mask: Tensor }[] = [
    { mask: tensor(device, [20], Int32Array.from({ length: 20 }, (_, j) => j === bad ? 0 : 1)) },
    { mask: tensor(device, [20], Float32Array.from({ length: 20 }, (_, j) => j === bad ? -Infinity : 0)) },
    { mask: tensor(device, [20, 20], Float32Array.from({ length: 400 }, (_, i) => i % 20 === bad ? -Infinity : 0.1)) },
  ];
  for (const options of masks) {
    const results = [1, NaN, Infinity, -Infinity].map((value) => {
      const keys = filled(2);
      keys.fill(value, bad * 4, bad * 4 + 4);
      const q = on(filled(1)), k = on(keys), v = on(filled(3)), dy = on(filled(4));
      const y = attention(q, k, v, options as never) as unknown as Any;
      const g = attentionBackward(q, k, v, dy, options as never) as unknown as Record<string, Any>;
      return { y: y.readSync(), dk: g.k!.readSync(), dv: g.v!.readSync(), dq: g.q!.readSync() };
    });
    for (const { y, dk, dv, dq } of results) {
      assert.ok(y.every(Number.isFinite), "y is not finite");
      assertSameBits(y, results[0]!.y as Float32Array, "y");
      assertSameBits(dk, results[0]!.dk as Float32Array, "dk");
      assertSameBits(dv, results[0]!.dv as Float32Array, "dv");
      dq.forEach((value, i) => assert.ok(Number.isNaN(value) || value === results[0]!.dq[i], `dq ${i} is ${value}`));
    }
    assert.deepEqual([...results[0]!.dk.slice(bad * 4, bad * 4 + 4)].map(Math.abs), [0, 0, 0, 0], "the hidden key's gradient");
  }
}

test("a hidden key reaches neither the result nor the gradients of keys and values, whatever it holds", () => assertHidden(cpu));

test("packed sequences are what each is alone, empty ones too", () => {
  const cuts = [0, 3, 3, 40, 57], keyCuts = [0, 300, 310, 350, 350];
  using q = randomTensor([1, 4, 57, 8], "f32", 1), k = randomTensor([1, 2, 350, 8], "f32", 2), v = randomTensor([1, 2, 350, 8], "f32", 3);
  using offsets = tensor(cpu, [5], Uint32Array.from(cuts)), keyOffsets = tensor(cpu, [5], Uint32Array.from(keyCuts));
  for (const causal of [false, true]) {
    using y = attention(q as never, k as never, v as never, { offsets, keyOffsets, causal } as never) as unknown as Any;
    for (let s = 0; s < 4; s++) {
      using alone = attention(
        slice(q as unknown as Any, 2, cuts[s]!, cuts[s + 1]!) as never,
        slice(k as unknown as Any, 2, keyCuts[s]!, keyCuts[s + 1]!) as never,
        slice(v as unknown as Any, 2, keyCuts[s]!, keyCuts[s + 1]!) as never,
        { causal },
      );
      using part = slice(y, 2, cuts[s]!, cuts[s + 1]!);
      assertSameBits(part.readSync(), (alone as Tensor).readSync() as Float32Array, `sequence ${s}`);
    }
  }
});

test("one query gives the bits of the last of many: a token at a time is the whole at once", () => {
  // With heads of their own a query is a row alone; with shared ones its group's heads are the rows of a tile. 300 keys are two blocks.
  for (const isa of ["portable", "avx2", "avx512", "neon"] as const) {
    let device: CpuDevice;
    try {
      device = cpuDevice({ isa });
    } catch (error) {
      if (error instanceof UnsupportedError) continue;
      throw error;
    }
    for (const dtype of ["f32", "f64"] as const) {
      for (const [kvHeads, width] of [[4, 16], [4, 5], [2, 16]] as const) {
        using q = randomTensor([1, 4, 300, width], dtype, 1, device), k = randomTensor([1, kvHeads, 300, width], dtype, 2, device);
        using v = randomTensor([1, kvHeads, 300, width], dtype, 3, device);
        using whole = attention(q as never, k as never, v as never, { causal: true, window: 290 }) as unknown as Any;
        for (const i of [0, 15, 16, 255, 256, 299]) {
          const to = (x: unknown, from: number) => slice(x as Any, 2, from, i + 1) as never;
          using one = attention(to(q, i), to(k, 0), to(v, 0), { causal: true, window: 290 });
          using row = slice(whole, 2, i, i + 1);
          assertSameBits(
            (one as Tensor).readSync() as Float32Array,
            row.readSync(),
            `token ${i} of ${kvHeads} heads, ${width}, ${dtype}, ${isa}`,
          );
        }
      }
    }
  }
});

test("the gradient of attention() is that of differences, with every option", () => {
  const mask = tensor(cpu, [3, 5], Float64Array.from(numbers(15, 8), (x, i) => i === 7 || (i > 9 && x > 0.9) ? -Infinity : x));
  const hidden = tensor(cpu, [2, 1, 3, 5], Uint32Array.from({ length: 30 }, (_, i) => Math.floor(i / 5) % 3 === 1 ? 0 : i % 3));
  const offsets = tensor(cpu, [4], Uint32Array.from([0, 2, 2, 3])), keyOffsets = tensor(cpu, [4], Uint32Array.from([0, 1, 3, 5]));
  const same = [[2, 2, 3, 4], [2, 2, 5, 4], [2, 2, 5, 4]], grouped = [[2, 4, 3, 4], [2, 2, 5, 4], [2, 2, 5, 4]];
  const cases: [string, AttentionOptions<"f64">, number[][]][] = [
    ["open", {}, same],
    ["causal", { causal: true, scale: 0.7 }, same],
    ["shared heads", { causal: true }, grouped],
    ["window", { window: 2 }, grouped],
    ["sliding", { causal: true, window: 2 }, same],
    ["added mask", { mask: mask as never }, grouped],
    ["integer mask", { mask: hidden as never, causal: true }, same],
    ["packed", { offsets: offsets as never, keyOffsets: keyOffsets as never, causal: true }, [[1, 4, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4]]],
  ];
  for (const [name, options, shapes] of cases) {
    assertGradients(name, (q, k, v) => attention(q as never, k as never, v as never, options as never) as never, {
      shapes,
      tolerance: 1e-6,
    });
  }
  // Views whose last axis is not dense.
  assertGradients("turned", (q, k) => {
    const turn = (x: unknown) => transpose(x as Any, [0, 1, 3, 2]) as never;
    return attention(turn(q), turn(k), turn(k)) as never;
  }, { shapes: [[1, 2, 4, 3], [1, 2, 4, 5]], tolerance: 1e-6 });
});

test("attentionBackward() computes anew what attention() keeps for it, with the same bits", () => {
  using q = randomTensor([1, 4, 9, 8], "f32", 1), k = randomTensor([1, 2, 12, 8], "f32", 2), v = randomTensor([1, 2, 12, 8], "f32", 3);
  using dy = randomTensor([1, 4, 9, 8], "f32", 4);
  using statistics = empty(cpu, [2, 1, 4, 9]);
  using y = attention(q as never, k as never, v as never, { causal: true, statistics } as never);
  const run = (options: object) =>
    attentionBackward(q as never, k as never, v as never, dy as never, { causal: true, ...options } as never) as unknown as Record<
      string,
      Tensor
    >;
  const kept = run({ forward: { y, statistics } }), anew = run({});
  for (const name of ["q", "k", "v"]) assertSameBits(kept[name]!.readSync() as Float32Array, anew[name]!.readSync() as Float32Array, name);
  using step = valueAndGrad((p: { q: Any; k: Any; v: Any }) =>
    sum(mul(attention(p.q, p.k as never, p.v as never, { causal: true }), dy as never))
  )({
    q: q as never,
    k: k as never,
    v: v as never,
  });
  for (const name of ["q", "k", "v"] as const) {
    assertSameBits(step.grads[name].readSync(), kept[name]!.readSync() as Float32Array, `tape, ${name}`);
  }
});

test("attention() holds memory in proportion to time, not to its square", () => {
  // 16 MiB of probabilities would be needed for one head of 2048.
  using x = randomTensor([1, 1, 2048, 4], "f32", 1);
  trim();
  const before = memory();
  using y = attention(x as never, x as never, x as never, { causal: true });
  assert.ok((y as Tensor).size > 0);
  assert.ok(memory().bytes - before.bytes <= 2048 * 4 * 4, "the result is all that is left");
  assert.ok(memory().peakBytes - before.bytes < 1 << 20, `${memory().peakBytes - before.bytes} bytes at the peak`);
});

test("attention() takes no rows and refuses what does not fit, by name", () => {
  using none = empty(cpu, [0, 2, 3, 4]);
  using y = attention(none, none, none);
  assert.deepEqual(y.shape, [0, 2, 3, 4]);
  using q = tensor(cpu, [1, 2, 3, 4], numbers(24, 1));
  using k = tensor(cpu, [1, 1, 3, 4], numbers(12, 1));
  const throws = (f: () => unknown, name: string, message: RegExp) => assert.throws(f, { name, message });
  const some = <T>(x: T) => x as never; // what the compiler would refuse
  using narrow = tensor(cpu, [1, 1, 3, 3], numbers(9, 1));
  throws(
    () => attention(q, some(narrow), k),
    "RangeError",
    /attention: k is \[1, 1, 3, 3\], must be \[1, heads, keys, 4\] for q \[1, 2, 3, 4\]/,
  );
  throws(() => attention(q, k, q), "RangeError", /attention: v is \[1, 2, 3, 4\], must be \[1, 1, 3, 4\]/);
  throws(() => attention(k, q, q), "RangeError", /attention: q has 1 heads, which is no multiple of the 2 of k/);
  throws(() => attention(q, k, k, { window: 0 }), "RangeError", /attention: window must be/);
  throws(() => attention(q, k, k, { scale: Infinity }), "RangeError", /attention: scale must be finite, got Infinity/);
  throws(() => attention(q, k, k, { mask: zeros(cpu, [3, 4]) }), "RangeError", /mask is \[3, 4\], must broadcast to \[1, 2, 3, 3\]/);
  throws(() => attention(q, k, k, { mask: some(zeros(cpu, [3, 3], "f64")) }), "TypeError", /mask is f64, must be f32, u32 or i32/);
  using statistics = empty(cpu, [2, 2, 3, 1]);
  throws(() => attention(q, k, k, { statistics: some(statistics) }), "RangeError", /statistics is \[2, 2, 3, 1\], must be \[2, 1, 2, 3\]/);
  const offsets = (...values: number[]) => tensor(cpu, [values.length], Uint32Array.from(values)) as Tensor<"u32", [number]>;
  throws(() => attention(q, k, k, { offsets: offsets(0, 2) }), "RangeError", /offsets\[1\] is 2, must be 3, the length of the axis/);
  throws(() => attention(q, k, k, { offsets: offsets(1, 3) }), "RangeError", /offsets\[0\] is 1, must be 0/);
  throws(() => attention(q, k, k, { offsets: offsets(0, 2, 1, 3) }), "RangeError", /offsets\[2\] is 1, must be 2 or more/);
  throws(() => attention(q, k, k, { offsets: offsets(0, 3), keyOffsets: offsets(0, 2) }), "RangeError", /keyOffsets\[1\] is 2, must be 3/);
  throws(
    () => attention(q, k, k, { offsets: offsets(0, 3), keyOffsets: offsets(0, 1, 3) }),
    "RangeError",
    /keyOffsets is \[3\], must be \[2\]/,
  );
  throws(() => attention(q, k, k, { keyOffsets: offsets(0, 3) }), "TypeError", /keyOffsets was given without offsets/);
  throws(
    () => attention(q, k, k, { offsets: offsets(0, 3), mask: zeros(cpu, [3, 3]) }),
    "TypeError",
    /mask and offsets cannot be given together/,
  );
  throws(() => attentionBackward(q, k, k, some(k)), "RangeError", /attentionBackward: dy is \[1, 1, 3, 4\], must be \[1, 2, 3, 4\]/);
  const withMask = (p: { m: Tensor<"f32", [3, 3]> }) => sum(attention(q, k, k, { mask: some(p.m) }));
  throws(() => valueAndGrad(withMask)({ m: zeros(cpu, [3, 3]) }), "TypeError", /no gradient flows into mask/);
  using flat = tensor(cpu, [3, 4], numbers(12, 1));
  assert.throws(() => attention(flat as never, k, k), {
    name: "RangeError",
    message: /q is \[3, 4\], must be \[batch, heads, queries, width\]/,
  });
  assert.throws(() => attention(q, q, q, { causal: 1 as never }), { name: "TypeError", message: /causal must be true or false, got 1/ });
});

// Compiling these shaders takes a processor that plays a GPU seconds, the first time.
const compiling = { timeout: 240_000 };

/** Result and gradients of one call, of seeded numbers on a device. */
function everything(d: CpuDevice, [B, H, G, T, S, W]: readonly number[], options: (d: CpuDevice) => object): Record<string, Tensor> {
  const q = randomTensor([B!, H!, T!, W!], "f32", 1, d),
    k = randomTensor([B!, G!, S!, W!], "f32", 2, d),
    v = randomTensor([B!, G!, S!, W!], "f32", 3, d);
  const dy = randomTensor([B!, H!, T!, W!], "f32", 4, d);
  const given = options(d);
  const y = attention(q as never, k as never, v as never, given as never) as unknown as Tensor;
  const g = attentionBackward(q as never, k as never, v as never, dy as never, given as never) as unknown as Record<string, Tensor>;
  return { y, dq: g.q!, dk: g.k!, dv: g.v! };
}

gpuTest(
  "gpu: attention() and its gradients are those of the CPU, at sizes around tiles, open, causal, in a window, with shared heads",
  (gpu) => {
    const sizes: [number, number, number, number, number, number][] = [
      [1, 1, 1, 1, 1, 1],
      [2, 3, 3, 5, 7, 4],
      [1, 2, 1, 31, 33, 16],
      [1, 4, 2, 32, 64, 15],
      [1, 2, 2, 33, 65, 17],
      [2, 2, 1, 65, 63, 64],
      [1, 1, 1, 3, 200, 65],
      [1, 2, 2, 40, 36, 130],
      [1, 1, 1, 129, 127, 33],
      // Few queries, whose keys are dealt to several jobs.
      [1, 4, 2, 1, 700, 16],
      [2, 2, 1, 33, 1030, 9],
      [1, 1, 1, 5, 520, 130],
      [0, 2, 1, 3, 4, 5],
      [1, 2, 1, 0, 4, 5],
      [1, 2, 1, 3, 0, 5],
      [1, 2, 1, 3, 4, 0],
      [1, 2, 1, 3, 4, 0],
    ];
    for (const size of sizes) {
      for (const options of [{}, { causal: true, scale: 0.7 }, { causal: true, window: 9 }, { window: 20 }]) {
        assertAsOnCpu(gpu, `${size} ${JSON.stringify(options)}`, (d) => everything(d as CpuDevice, size, () => options), 4e-6);
      }
    }
  },
  compiling,
);

gpuTest("gpu: calls of attention() one after another copy nothing, and each has its own parameters", async (gpu) => {
  const turns = 150, [B, H, T, W] = [1, 2, 9, 8];
  const given = (on: Device, place: number) => tensor(on as CpuDevice, [B, H, T, W], numbers(B * H * T * W, place)) as Any;
  const [q, k, v] = [1, 2, 3].map((place) => given(gpu, place)) as [Any, Any, Any];
  const [p, r, u] = [1, 2, 3].map((place) => given(cpu, place)) as [Any, Any, Any];
  attention(q, k, v).readSync();
  await gpu.sync();
  // More calls than there are batches, of which none waits for another.
  const before = gpu.statistics();
  const results = Array.from({ length: turns }, (_, i) => attention(q, k, v, { scale: i / 20, causal: i % 2 === 0 }));
  const { copies, barriers, dispatches } = gpu.statistics();
  assert.deepEqual([copies - before.copies, dispatches - before.dispatches], [0, turns]);
  // One where the first result takes the memory of the one that was read.
  assert.ok(barriers - before.barriers <= 1, `${barriers - before.barriers} barriers`);
  for (const [i, y] of results.entries()) {
    assertClose(y.readSync(), Float64Array.from(attention(p, r, u, { scale: i / 20, causal: i % 2 === 0 }).readSync()), 4e-6);
  }
  const held = gpu.statistics();
  for (let i = 0; i < turns; i++) attention(q, k, v).dispose();
  assert.equal(gpu.statistics().allocations, held.allocations, "the driver was asked for memory again");
});

gpuTest("gpu: attention() with masks of integers and of numbers, of any axes, and rows that see nothing", (gpu) => {
  const size = [2, 4, 2, 5, 70, 8];
  const visible = seen(5, 70);
  const masks: Record<string, (d: CpuDevice) => Tensor> = {
    integers: (d) => tensor(d, [5, 70], visible),
    added: (d) => tensor(d, [1, 1, 5, 70], Float32Array.from(numbers(350, 5), (x, i) => visible[i] === 0 ? -Infinity : 3 * x)),
    padding: (d) => tensor(d, [2, 1, 1, 70], Int32Array.from({ length: 140 }, (_, i) => i % 70 < 30 ? 7 : 0)),
    heads: (d) => tensor(d, [4, 1, 70], numbers(280, 6)),
    turned: (d) => transpose(tensor(d, [70, 5], numbers(350, 7)) as never) as unknown as Tensor,
    nothing: (d) => tensor(d, [70], new Float32Array(70).fill(-Infinity)),
  };
  for (const [name, mask] of Object.entries(masks)) {
    for (const causal of [false, true]) {
      assertAsOnCpu(gpu, `${name} ${causal}`, (d) => everything(d as CpuDevice, size, (on) => ({ mask: mask(on), causal })), 4e-6);
    }
  }
}, compiling);

gpuTest("gpu: packed sequences are those of the CPU, empty ones and single rows too", (gpu) => {
  const packs: [number[], number[]][] = [
    [[0, 3, 3, 40, 57], [0, 90, 91, 97, 97]],
    [[0, 57], [0, 97]],
    [[0, 0, 33, 33, 57], [0, 0, 32, 97, 97]],
    [[0, 2, 3, 5], [0, 600, 600, 970]],
  ];
  for (const [cuts, keyCuts] of packs) {
    for (const options of [{}, { causal: true }, { causal: true, window: 11 }]) {
      assertAsOnCpu(gpu, `${cuts} ${keyCuts} ${JSON.stringify(options)}`, (d) => {
        const offsets = tensor(d as CpuDevice, [cuts.length], Uint32Array.from(cuts)),
          keyOffsets = tensor(d as CpuDevice, [cuts.length], Uint32Array.from(keyCuts));
        return everything(d as CpuDevice, [1, 4, 2, cuts.at(-1)!, keyCuts.at(-1)!, 8], () => ({ offsets, keyOffsets, ...options }));
      }, 4e-6);
    }
  }
  // More sequences than a workgroup has threads.
  const many = Uint32Array.from({ length: 602 }, (_, i) => Math.min(700, Math.floor(i * 1.3)));
  many[601] = 700;
  assertAsOnCpu(gpu, "many", (d) => {
    const offsets = tensor(d as CpuDevice, [602], many);
    return everything(d as CpuDevice, [1, 1, 1, 700, 700, 4], () => ({ offsets }));
  }, 4e-6);
}, compiling);

gpuTest("gpu: offsets that make no sense lead nowhere outside: a row has the first sequence that ends behind it, else the last", (gpu) => {
  const cases: [number[], number[]][] = [
    [[0, 30, 10, 57], [0, 30, 30, 57]],
    [[9, 5, 20, 40], [0, 5, 20, 57]],
    [[0, 4294967295, 3, 2], [0, 57, 57, 57]],
    [[0, 0, 0, 0], [0, 0, 0, 57]],
  ];
  for (const [wrong, right] of cases) {
    const of = (list: number[]) => {
      const offsets = tensor(gpu, [4], Uint32Array.from(list));
      const r = everything(gpu as unknown as CpuDevice, [1, 2, 2, 57, 57, 8], () => ({ offsets, causal: true }));
      return Object.values(r).map((t) => t.readSync() as Float32Array);
    };
    const want = of(right);
    of(wrong).forEach((got, i) => assertSameBits(got, want[i]!, `${wrong}`));
  }
}, compiling);

gpuTest("gpu: heads side by side in one tensor, and their gradients, are as on the CPU", (gpu) => {
  assertAsOnCpu(gpu, "strided", (d) => {
    const x = randomTensor([2, 40, 100], "f32", 4, d as CpuDevice);
    const cut = (t: unknown) =>
      split(t as Tensor, [32, 32, 32, 4], -1).slice(0, 3).map((p) =>
        transpose(reshape(p as never, [2, 40, 4, 8]), [0, 2, 1, 3])
      ) as unknown as [Any, Any, Any];
    const [q, k, v] = cut(x);
    const dy = randomTensor([2, 4, 40, 8], "f32", 5, d as CpuDevice);
    const options = { causal: true, window: 30 };
    const y = attention(q, k, v, options);
    const g = attentionBackward(q, k, v, dy as never, options);
    return { y: y as unknown as Tensor, ...g as unknown as Record<string, Tensor> };
  }, 4e-6);
}, compiling);

gpuTest("gpu: a token at a time is the whole at once; large logits keep their probabilities; NaN stays where it is seen", (gpu) => {
  for (const kvHeads of [4, 2]) {
    const make = (place: number, heads: number) =>
      randomTensor([1, heads, 100, 16], "f32", place, gpu as unknown as CpuDevice) as unknown as Any;
    const q = make(1, 4), k = make(2, kvHeads), v = make(3, kvHeads);
    const whole = attention(q as never, k as never, v as never, { causal: true, window: 70 }) as unknown as Any;
    for (const i of [0, 63, 64, 99]) {
      const to = (x: Any, from: number) => slice(x, 2, from, i + 1) as never;
      const one = attention(to(q, i), to(k, 0), to(v, 0), { causal: true, window: 70 }) as unknown as Any;
      assertClose(one.readSync(), Float64Array.from(slice(whole, 2, i, i + 1).readSync()), 1e-6, `token ${i}`);
    }
  }
  const one = (values: number[]) => tensor(gpu, [1, 1, values.length, 1], values) as never;
  const y = attention(one([1e30]), one([1, 1]), one([3, 5]), { scale: 1 }) as unknown as Any;
  const g = attentionBackward(one([1e30]), one([1, 1]), one([3, 5]), one([1]), { scale: 1 } as never) as unknown as Record<string, Any>;
  assert.deepEqual([[...y.readSync()], [...g.v!.readSync()]], [[4], [0.5, 0.5]]);
  for (const bad of [NaN, Infinity]) {
    const keys = new Float32Array(40 * 4).fill(0.5);
    keys[20 * 4] = bad;
    const ones = tensor(gpu, [1, 1, 40, 4], new Float32Array(160).fill(1));
    const z = attention(ones as never, tensor(gpu, [1, 1, 40, 4], keys) as never, ones as never, { causal: true }) as unknown as Any;
    z.readSync().forEach((value, i) => assert.equal(Number.isNaN(value), Math.floor(i / 4) >= 20, `${bad}, ${i}`));
  }
}, compiling);

gpuTest("gpu: a hidden key reaches neither the result nor the gradients of keys and values, whatever it holds", (gpu) => {
  assertHidden(gpu);
}, compiling);

gpuTest("gpu: the gradient of attention() through a tape is that of attentionBackward()", (gpu) => {
  const make = (place: number) => randomTensor([1, 2, 20, 8], "f32", place, gpu as unknown as CpuDevice) as unknown as Any;
  const p = { q: make(1), k: make(2), v: make(3) }, dy = make(4);
  const { grads } = valueAndGrad((t: typeof p) => sum(mul(attention(t.q, t.k, t.v, { causal: true }), dy)) as never)(p);
  const g = attentionBackward(p.q, p.k, p.v, dy, { causal: true }) as unknown as Record<string, Any>;
  for (const name of ["q", "k", "v"] as const) assertSameBits((grads as typeof p)[name].readSync(), g[name]!.readSync(), name);
}, compiling);

gpuTest("gpu: attention() in f64 is refused, and its statistics are as they were", (gpu) => {
  using q = tensor(gpu, [1, 1, 2, 2], new Float64Array([1, 2, 3, 4]));
  using statistics = tensor(gpu, [2, 1, 1, 2], new Float64Array(4).fill(7));
  assert.throws(() => attention(q, q, q, { statistics }), { name: "UnsupportedError" });
  assert.deepEqual([...statistics.readSync()], [7, 7, 7, 7]);
});

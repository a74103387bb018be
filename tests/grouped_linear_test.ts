import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cpu,
  type CpuDevice,
  type Data,
  type Float,
  full,
  groupedLinear,
  groupedLinearBackward,
  linear,
  linearBackward,
  mul,
  reshape,
  slice,
  sum,
  type Tensor,
  tensor,
  transpose,
  valueAndGrad,
} from "../mod.ts";
import { childJson } from "./child.ts";
import { groupedHash } from "./gpu_grouped.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertClose, assertGradients, assertSameBits, devices, hash, numbers, randomTensor } from "./harness.ts";

type Any = Tensor<Float, number[]>;

/** Where each expert's rows begin. */
function offsetsOf(device: CpuDevice, rows: readonly number[]): Tensor<"u32", [number]> {
  const list = new Uint32Array(rows.length + 1);
  rows.forEach((n, e) => list[e + 1] = list[e]! + n);
  return tensor(device, [list.length], list);
}

interface Results {
  y: Data["f32"];
  x: Data["f32"];
  weight: Data["f32"];
  bias: Data["f32"];
}

/** Seeded inputs of a layer: x [rows, in], weight [experts, out, in], bias [experts, out], dy [rows, out]. */
function layer(device: CpuDevice, shares: readonly number[], inner: number, out: number) {
  const rows = shares.reduce((a, b) => a + b, 0), experts = shares.length;
  return {
    x: randomTensor([rows, inner], "f32", 1, device),
    offsets: offsetsOf(device, shares),
    weight: randomTensor([experts, out, inner], "f32", 2, device),
    bias: randomTensor([experts, out], "f32", 3, device),
    dy: randomTensor([rows, out], "f32", 4, device),
  };
}

const some = <T>(x: T) => x as never; // shapes that the compiler does not know here

/** The loop that a grouped product stands for: a linear layer over each expert's rows. */
function loop(shares: readonly number[], { x, weight, bias, dy }: ReturnType<typeof layer>): Results {
  const lists: Record<keyof Results, number[]> = { y: [], x: [], weight: [], bias: [] };
  let row = 0;
  shares.forEach((n, e) => {
    const p = {
      weight: reshape(slice(weight, 0, e, e + 1), weight.shape.slice(1)),
      bias: reshape(slice(bias, 0, e, e + 1), [bias.shape[1]!]),
    };
    const part = slice(x, 0, row, row + n), given = slice(dy, 0, row, row + n);
    const g = linearBackward(part, some(p), some(given));
    lists.y.push(...linear(part, some(p)).readSync());
    for (const name of ["x", "weight", "bias"] as const) lists[name].push(...(g[name] as unknown as Any).readSync());
    row += n;
  });
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, Float32Array.from(list)])) as unknown as Results; // the same keys
}

const shares = [
  [7, 0, 1, 20, 0],
  [0, 70, 3],
  [150],
  [1, 1, 1, 1],
  [0, 0],
];

test("groupedLinear() and its gradients have the bits of a loop over the experts, for 1 to 8 workers and any shares of rows", () => {
  for (const rows of shares) {
    for (const [inner, out] of [[33, 20], [300, 70], [16, 65]] as const) {
      const want = loop(rows, layer(cpu, rows, inner, out));
      for (const device of devices()) {
        const { x, offsets, weight, bias, dy } = layer(device, rows, inner, out);
        const what = `${device.name}, rows ${rows}, ${inner} to ${out}`;
        const y = groupedLinear(some(x), offsets, some({ weight, bias })) as unknown as Any;
        assertSameBits(y.readSync(), want.y, `${what}: y`);
        const g = groupedLinearBackward(some(x), offsets, some({ weight, bias }), some(dy));
        for (const name of ["x", "weight", "bias"] as const) {
          assertSameBits((g[name] as unknown as Any).readSync(), want[name], `${what}: ${name}`);
        }
      }
    }
  }
});

test("groupedLinear() gives the plain sums, in f64 too, and to an out", () => {
  const rows = [2, 0, 3], inner = 4, out = 3;
  const xs = numbers(5 * inner, 1), ws = numbers(3 * out * inner, 2), bs = numbers(3 * out, 3);
  const want: number[] = [];
  let row = 0;
  rows.forEach((n, e) => {
    for (const end = row + n; row < end; row++) {
      for (let o = 0; o < out; o++) {
        let s = bs[e * out + o]!;
        for (let i = 0; i < inner; i++) s += xs[row * inner + i]! * ws[(e * out + o) * inner + i]!;
        want.push(s);
      }
    }
  });
  for (const [dtype, tolerance] of [["f32", 1e-6], ["f64", 1e-14]] as const) {
    const x = tensor(cpu, [5, inner], xs, { dtype }), weight = tensor(cpu, [3, out, inner], ws, { dtype });
    const bias = tensor(cpu, [3, out], bs, { dtype });
    const y = groupedLinear(x, offsetsOf(cpu, rows), { weight, bias });
    assert.deepEqual(y.shape, [5, out]);
    assertClose(y.readSync(), want, tolerance, dtype);
    const into = full(cpu, [5, out], NaN, dtype);
    assert.equal(groupedLinear(x, offsetsOf(cpu, rows), { weight, bias }, { out: into }), into);
    assertClose(into.readSync(), want, tolerance, `${dtype}, out`);
  }
});

test("views are read as they lie: rows apart, a weight [experts, in, out] turned, an expert's matrices apart", () => {
  const rows = [3, 5];
  const wide = randomTensor([8, 9], "f32", 1), x = slice(wide, 1, 2, 7);
  const stored = randomTensor([2, 5, 6], "f32", 2), weight = transpose(stored);
  const offsets = offsetsOf(cpu, rows);
  const copyOf = (t: Any) => tensor(cpu, [...t.shape], t.readSync()) as unknown as Any;
  const y = groupedLinear(some(x), offsets, some({ weight })) as unknown as Any;
  assertSameBits(y.readSync(), (groupedLinear(some(copyOf(x)), offsets, some({ weight: copyOf(weight) })) as unknown as Any).readSync());
  const dy = slice(randomTensor([8, 12], "f32", 3), 1, 0, 6);
  const g = groupedLinearBackward(some(x), offsets, some({ weight }), some(dy));
  const h = groupedLinearBackward(some(copyOf(x)), offsets, some({ weight: copyOf(weight) }), some(copyOf(dy)));
  assertSameBits((g.x as unknown as Any).readSync(), (h.x as unknown as Any).readSync());
  assertSameBits((g.weight as unknown as Any).readSync(), (h.weight as unknown as Any).readSync());
});

test("experts without rows: dW is zeros, or unchanged where it is added to; no rows at all; no experts", () => {
  const rows = [2, 0, 3, 0];
  const x = full(cpu, [5, 3], 1), dy = full(cpu, [5, 2], 1), weight = full(cpu, [4, 2, 3], 1), offsets = offsetsOf(cpu, rows);
  const dw = full(cpu, [4, 2, 3], NaN);
  groupedLinearBackward(x, offsets, { weight }, dy, { out: { weight: dw } });
  const each = (list: number[]) => list.flatMap((v) => Array(6).fill(v));
  assert.deepEqual([...dw.readSync()], each([2, 0, 3, 0]));
  const ten = full(cpu, [4, 2, 3], 10);
  groupedLinearBackward(x, offsets, { weight }, dy, { out: { weight: ten }, accumulate: { weight: true } });
  assert.deepEqual([...ten.readSync()], each([12, 10, 13, 10]));

  const none = offsetsOf(cpu, [0, 0, 0, 0]), nothing = full(cpu, [0, 3], 1), no = full(cpu, [0, 2], 1);
  assert.deepEqual(groupedLinear(nothing, none, { weight }).shape, [0, 2]);
  const db = full(cpu, [4, 2], 7);
  const g = groupedLinearBackward(nothing, none, { weight }, no, { out: { weight: full(cpu, [4, 2, 3], NaN), bias: db } });
  assert.deepEqual(g.x.shape, [0, 3]);
  assert.deepEqual([...g.weight.readSync()], each([0, 0, 0, 0]));
  assert.deepEqual([...db.readSync()], Array(8).fill(7));

  const nobody = offsetsOf(cpu, []), absent = full(cpu, [0, 2, 3], 1);
  assert.deepEqual(groupedLinear(nothing, nobody, { weight: absent }).shape, [0, 2]);
  assert.deepEqual(groupedLinearBackward(nothing, nobody, { weight: absent }, no).weight.shape, [0, 2, 3]);
  assert.throws(() => groupedLinear(x, nobody, { weight: absent }), {
    name: "RangeError",
    message: "groupedLinear: offsets[0] is 0, must be 5, the number of rows",
  });
});

test("groupedLinearBackward() adds where it is asked to; a given bias gradient is added to once", () => {
  const x = tensor(cpu, [2, 1], [1, 2]), weight = tensor(cpu, [2, 1, 1], [3, 5]), dy = tensor(cpu, [2, 1], [10, 100]);
  const bias = full(cpu, [2, 1], 0), offsets = offsetsOf(cpu, [1, 1]);
  const out = { x: full(cpu, [2, 1], 1), weight: full(cpu, [2, 1, 1], 1), bias: full(cpu, [2, 1], 1) };
  const now = () => [out.x, out.weight, out.bias].map((t) => [...t.readSync()]);
  groupedLinearBackward(x, offsets, { weight, bias }, dy, { out });
  assert.deepEqual(now(), [[30, 500], [10, 200], [11, 101]]);
  groupedLinearBackward(x, offsets, { weight, bias }, dy, { out, accumulate: { x: true, weight: true, bias: false } });
  assert.deepEqual(now(), [[60, 1000], [20, 400], [10, 100]]);
});

test("the gradient of groupedLinear() is that of differences, with and without a bias", () => {
  const offsets = offsetsOf(cpu, [2, 0, 3]);
  const op = (...[x, weight, bias]: Tensor<"f64", number[]>[]) =>
    groupedLinear(some(x!), offsets, some(bias ? { weight, bias } : { weight }));
  assertGradients("groupedLinear", op, { shapes: [[5, 4], [3, 6, 4], [3, 6]] });
  assertGradients("groupedLinear without bias", op, { shapes: [[5, 4], [3, 6, 4]] });
});

test("only what a gradient flows into is computed", () => {
  const offsets = offsetsOf(cpu, [2, 1]);
  const x = randomTensor([3, 4], "f64", 1), weight = randomTensor([2, 5, 4], "f64", 2), bias = randomTensor([2, 5], "f64", 3);
  const c = randomTensor([3, 5], "f64", 4);
  const whole = groupedLinearBackward(some(x), offsets, some({ weight, bias }), some(c));
  const of = (p: Record<string, Any>) =>
    valueAndGrad((q: Record<string, Any>) => {
      const all = { x, weight, bias, ...q };
      return sum(mul(groupedLinear(some(all.x), offsets, some({ weight: all.weight, bias: all.bias })), some(c))) as unknown as Tensor<
        "f64",
        []
      >;
    })(p as never).grads as unknown as Record<string, Any>;
  for (const [name, value] of Object.entries({ x, weight, bias })) {
    const grads = of({ [name]: value });
    assertSameBits(grads[name]!.readSync(), (whole[name as "x" | "weight" | "bias"] as unknown as Any).readSync(), name);
  }
});

test("a NaN in one expert's rows stays in them, and what memory held before does not show", () => {
  const x = full(cpu, [4, 3], 1), weight = full(cpu, [2, 2, 3], 1), offsets = offsetsOf(cpu, [2, 2]);
  const poisoned = tensor(cpu, [4, 3], [NaN, 1, 1, 1, 1, 1, ...Array(6).fill(1)]);
  const out = full(cpu, [4, 2], NaN);
  assert.deepEqual([...groupedLinear(poisoned, offsets, { weight }, { out }).readSync()], [NaN, NaN, 3, 3, 3, 3, 3, 3]);
  assert.deepEqual([...groupedLinear(x, offsets, { weight }, { out }).readSync()], Array(8).fill(3));
  const g = groupedLinearBackward(poisoned, offsets, { weight }, full(cpu, [4, 2], 1));
  assert.deepEqual([...g.weight.readSync()], [NaN, 2, 2, NaN, 2, 2, 2, 2, 2, 2, 2, 2]);
});

test("offsets that make no sense are refused by index, and nothing is written", () => {
  const x = full(cpu, [5, 2], 1), weight = full(cpu, [3, 4, 2], 1), dy = full(cpu, [5, 4], 1);
  const out = full(cpu, [5, 4], 777), dw = full(cpu, [3, 4, 2], 777), dx = full(cpu, [5, 2], 777), db = full(cpu, [3, 4], 777);
  const refused = (offsets: unknown, error: { name: string; message: RegExp }) => {
    assert.throws(() => groupedLinear(x, some(offsets), { weight }, { out }), error);
    assert.throws(() => groupedLinear(x, some(offsets), { weight }), error);
    assert.throws(() => groupedLinearBackward(x, some(offsets), { weight }, dy, { out: { x: dx, weight: dw, bias: db } }), error);
    for (const t of [out, dw, dx, db] as Tensor[]) for (const v of t.readSync()) assert.equal(v, 777);
  };
  const u32 = (list: number[]) => tensor(cpu, [list.length], Uint32Array.from(list));
  const range = (message: RegExp) => ({ name: "RangeError", message });
  refused(u32([0, 3, 2, 5]), range(/: offsets\[2\] is 2, must be from 3 to 5: offsets do not fall$/));
  refused(u32([1, 2, 2, 5]), range(/: offsets\[0\] is 1, must be 0$/));
  refused(u32([0, 2, 2, 4]), range(/: offsets\[3\] is 4, must be 5, the number of rows$/));
  refused(u32([0, 2, 2, 6]), range(/: offsets\[3\] is 6, must be 5, the number of rows$/));
  refused(u32([0, 2, 6, 5]), range(/: offsets\[2\] is 6, must be from 2 to 5/));
  refused(u32([-1, 2, 2, 5]), range(/: offsets\[0\] is 4294967295, must be 0$/));
  refused(u32([0, 2, 2, 2 ** 31]), range(/: offsets\[3\] is 2147483648, must be 5/));
  refused(u32([0, 2, 4]), range(/: offsets is \[3\], must be \[4\]$/));
  refused(tensor(cpu, [4], Int32Array.from([0, 2, 2, 5])), { name: "TypeError", message: /: offsets is i32, must be u32$/ });
  refused([0, 2, 2.5, 5], { name: "TypeError", message: /: offsets must be a tensor, got an array$/ });
  refused([0, 2, NaN, 5], { name: "TypeError", message: /: offsets must be a tensor, got an array$/ });
  // Rightly given, also as every second element of a longer list.
  const apart = slice(reshape(u32([0, 9, 2, 9, 2, 9, 5, 9]), [4, 2]), 1, 0, 1);
  groupedLinear(x, reshape(apart, [4]), { weight }, { out });
  assert.deepEqual([...out.readSync()], Array(20).fill(2));
});

test("groupedLinear() refuses what does not fit, by name", () => {
  const x = full(cpu, [5, 2], 1), offsets = offsetsOf(cpu, [2, 3]), weight = full(cpu, [2, 4, 2], 1);
  const range = (message: string) => ({ name: "RangeError", message });
  assert.throws(
    () => groupedLinear(x, offsets, some({ weight: full(cpu, [2, 4, 3], 1) })),
    range("groupedLinear: x is [5, 2], weight is [2, 4, 3]: inner sizes 2 and 3 differ"),
  );
  assert.throws(
    () => groupedLinear(x, offsets, some({ weight: full(cpu, [4, 2], 1) })),
    range("groupedLinear: weight is [4, 2], must be [experts, out, in]"),
  );
  assert.throws(() => groupedLinear(some(full(cpu, [5], 1)), offsets, { weight }), range("groupedLinear: x is [5], must be [rows, in]"));
  assert.throws(
    () => groupedLinear(x, offsets, some({ weight, bias: full(cpu, [4], 1) })),
    range("groupedLinear: bias is [4], must be [2, 4]"),
  );
  assert.throws(() => groupedLinear(x, offsets, some(undefined)), { name: "TypeError", message: /parameters must be/ });
  assert.throws(() => groupedLinear(x, offsets, some({ weight: full(cpu, [2, 4, 2], 1, "f64") })), {
    name: "TypeError",
    message: /weight is f64, x is f32/,
  });
  assert.throws(() => groupedLinear(some(full(cpu, [5, 2], 1, "u32")), offsets, { weight }), {
    name: "TypeError",
    message: /x is u32, must be f32 or f64/,
  });
  assert.throws(
    () => groupedLinearBackward(x, offsets, { weight }, some(full(cpu, [5, 3], 1))),
    range("groupedLinearBackward: dy is [5, 3], must be [5, 4]"),
  );
  const dy = full(cpu, [5, 4], 1);
  assert.throws(() => groupedLinearBackward(x, offsets, { weight }, dy, { accumulate: { x: true } }), {
    name: "TypeError",
    message: /there is no out\.x to add to/,
  });
  assert.throws(() => groupedLinearBackward(x, offsets, { weight }, dy, { out: { x } }), { name: "TypeError", message: /shares memory/ });
  const whole = full(cpu, [5, 4], 1);
  assert.throws(() => groupedLinear(slice(whole, 1, 0, 2), offsets, { weight }, { out: whole }), {
    name: "TypeError",
    message: /shares memory/,
  });
});

test("a wrong inner size does not compile", () => {
  const x = full(cpu, [5, 2], 1), offsets = offsetsOf(cpu, [2, 3]), weight = full(cpu, [2, 4, 3], 1);
  // @ts-expect-error: x is [5, 2], weight is [2, 4, 3]
  assert.throws(() => groupedLinear(x, offsets, { weight }));
});

test("uneven experts are shared out however many there are: one with nearly all rows, hundreds with few", () => {
  const many = Array.from({ length: 300 }, (_, e) => e === 17 ? 400 : e % 3);
  const hashes = new Set<string>();
  for (const device of devices()) {
    const { x, offsets, weight, bias, dy } = layer(device, many, 24, 40);
    const y = groupedLinear(some(x), offsets, some({ weight, bias })) as unknown as Any;
    const g = groupedLinearBackward(some(x), offsets, some({ weight, bias }), some(dy));
    hashes.add([y, g.x, g.weight, g.bias].map((t) => hash((t as unknown as Any).readSync())).join());
  }
  assert.equal(hashes.size, 1);
});

gpuTest("gpu: groupedLinear() and its gradients are those of the CPU, by either variant with the same bits", async (gpu) => {
  const program = `
    import { vulkan } from "tilework";
    import { groupedHash } from ${JSON.stringify(new URL("./gpu_grouped.ts", import.meta.url).href)};
    console.log(JSON.stringify(groupedHash(await vulkan({ name: "${gpu.describe().index}" }))));`;
  const generic = await childJson(program, { env: { TILEWORK_GPU_VARIANT: "generic" }, secondsMax: 240 });
  assert.equal(groupedHash(gpu), generic);
}, { timeout: 300_000 });

gpuTest("gpu: bias gradients of experts with very uneven rows: many parts in a second dispatch, few rows in one", (gpu) => {
  const cols = 40,
    dispatchesOf = (rows: readonly number[]) => {
      const total = rows.reduce((a, b) => a + b, 0);
      const results = [gpu, cpu].map((device) => {
        const on = device as CpuDevice;
        using o = offsetsOf(on, rows), x = full(on, [total, 1], 1), weight = full(on, [rows.length, cols, 1], 1);
        using bias = full(on, [rows.length, cols], 7), dy = tensor(on, [total, cols], numbers(total * cols, 9));
        const out = { bias }, before = device === gpu ? gpu.statistics().dispatches : 0;
        const g = groupedLinearBackward(
          x as never,
          o as never,
          { weight, bias } as never,
          dy as never,
          { out, accumulate: { bias: true } } as never,
        ) as unknown as Record<string, Tensor>;
        const count = device === gpu ? gpu.statistics().dispatches - before : 0;
        const values = bias.readSync();
        for (const [name, t] of Object.entries(g)) if (name !== "bias") t.dispose();
        return { count, values };
      });
      assertClose(results[0]!.values, Float64Array.from(results[1]!.values), 4e-6, `${rows}`);
      return results[0]!.count;
    };
  const few = dispatchesOf([100, 0, 50, 3]);
  for (const rows of [[20_000, 0, 3, 7], [1, 0, 0, 20_000], [5000, 5000], [257, 0, 0]]) {
    // The gradient of the weight is cut, and joined, for itself.
    const count = dispatchesOf(rows);
    assert.ok(count >= few + 1 && count <= few + 2, `${rows}: ${count} dispatches, ${few} for few rows`);
  }
});

gpuTest("gpu: groupedLinear() in f64 is refused, and out is as it was", (gpu) => {
  using x = tensor(gpu, [2, 2], new Float64Array([1, 2, 3, 4]));
  using weight = tensor(gpu, [1, 2, 2], new Float64Array(4));
  using offsets = tensor(gpu, [2], new Uint32Array([0, 2]));
  using out = tensor(gpu, [2, 2], new Float64Array(4).fill(7));
  assert.throws(() => groupedLinear(x, offsets, { weight }, { out }), { name: "UnsupportedError" });
  assert.deepEqual([...out.readSync()], [7, 7, 7, 7]);
});

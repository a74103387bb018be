/** Matrix products on a GPU against a plain sum in f64: what every variant of the shader has to pass, here and in programs that ask for a variant. */

import assert from "node:assert/strict";
import { cpu, empty, type Epilogue, matmul, slice, type Tensor, tensor, transpose, type VulkanDevice } from "../mod.ts";
import { assertClose, hash, numbers } from "./harness.ts";

/** Around the tiles of all variants, their depth, and the vectors of a processor that plays a GPU. */
const sizes = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 70, 127, 129, 535];

/** Around where the depth is cut into parts, for few rows, few columns and tiles, each twice for the ways that operands lie. */
const deep: [number, number, number][] = [
  ...[[1, 1, 511], [1, 1, 5000], [4, 2, 4097], [3, 300, 1030], [5, 6, 1023], [6, 5, 1024], [8, 8, 1025], [17, 70, 1531], [
    65,
    33,
    2081,
  ]] as const,
].flatMap((x) => [[...x], [...x], [x[1], x[0], x[2]]] as [number, number, number][]);

type Any = Tensor<"f32", [number, number]>;

/** A matrix inside a larger one of NaN: what lies around it must not be read. */
function amid(device: VulkanDevice, rows: number, cols: number, data: readonly number[]): Any {
  const stride = cols + 3;
  const all = new Float32Array((rows + 2) * stride).fill(NaN);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) all[(i + 1) * stride + j + 1] = data[i * cols + j]!;
  using whole = tensor(device, [rows + 2, stride], all);
  using some = slice(whole, 0, 1, rows + 1);
  return slice(some, 1, 1, cols + 1) as Any;
}

/** What a product has to be, and for each element the sum of absolute products, of which a part is allowed as error. */
function exact(a: readonly number[], b: readonly number[], m: number, n: number, k: number, ta: boolean, tb: boolean): Float64Array[] {
  const make = (x: readonly number[], f: (v: number) => number) => Float64Array.from(x, (v) => f(Math.fround(v)));
  return [(v: number) => v, Math.abs].map((f) => {
    using x = tensor(cpu, ta ? [k, m] : [m, k], make(a, f));
    using y = tensor(cpu, tb ? [n, k] : [k, n], make(b, f));
    using z = matmul(x as never, y as never, { transposeA: ta, transposeB: tb } as never) as Tensor<"f64">; // sizes are not known
    return z.readSync();
  });
}

function assertSums(got: Float32Array, [sums, bounds]: Float64Array[], what: string): void {
  assert.equal(got.length, sums!.length, what);
  for (let i = 0; i < got.length; i++) {
    if (!(Math.abs(got[i]! - sums![i]!) <= 1e-5 * bounds![i]!)) assert.fail(`${what}: element ${i} is ${got[i]}, want ${sums![i]}`);
  }
}

/** Each size beside small ones: every edge of a tile, along each axis. With `all`, each with each other. */
function triples(all: boolean): [number, number, number][] {
  const list: [number, number, number][] = [];
  if (all) { for (const m of sizes) for (const n of sizes) for (const k of sizes) list.push([m, n, k]); }
  else {
    for (const s of sizes) for (const [x, y] of [[1, 9], [17, 3], [65, 17]] as const) list.push([s, x, y], [x, s, y], [y, x, s]);
    list.push([129, 127, 70], [70, 129, 63], [63, 65, 535]);
  }
  list.push(...deep);
  return list;
}

/** Runs all cases on a device; the hash of all results. */
export function productsHash(device: VulkanDevice, all = false): number {
  let h = 0;
  const seen = (t: Tensor): Float32Array => {
    const data = t.readSync() as Float32Array; // all are f32
    h = hash(data, h);
    return data;
  };
  triples(all).forEach(([m, n, k], i) => {
    const ta = i % 2 === 1, tb = i % 4 >= 2;
    const a = numbers(m * k, i), b = numbers(k * n, i + 1);
    using x = ta ? amid(device, k, m, a) : amid(device, m, k, a);
    using y = tb ? amid(device, n, k, b) : amid(device, k, n, b);
    using whole = tensor(device, [m + 2, n + 3], new Float32Array((m + 2) * (n + 3)).fill(777));
    using rows = slice(whole, 0, 1, m + 1);
    using out = slice(rows, 1, 2, n + 2);
    matmul(x, y as never, { transposeA: ta, transposeB: tb, out: out as never });
    const what = `${m}×${n}×${k}, transposed ${ta} ${tb}`;
    assertSums(seen(out), exact(a, b, m, n, k, ta, tb), what);
    const around = whole.readSync().filter((_, at) => at < n + 3 || at >= (m + 1) * (n + 3) || at % (n + 3) < 2 || at % (n + 3) === n + 2);
    assert.deepEqual(new Set(around), new Set([777]), what);
  });

  // bias, alpha, beta and what closes a product; C as it was counts only with beta, and NaN in it must not show otherwise.
  for (
    const [m, n, k] of [[3, 70, 90], [70, 3, 90], [66, 67, 20], [130, 129, 5], [5, 6, 0], [2, 70, 1500], [70, 2, 1500], [
      66,
      67,
      1100,
    ]] as const
  ) {
    const a = numbers(m * k, 1), b = numbers(k * n, 2), bias = numbers(n, 3), c = numbers(m * n, 4);
    using x = tensor(device, [m, k], a);
    using y = tensor(device, [k, n], b);
    using v = tensor(device, [n], bias);
    using cx = tensor(cpu, [m, k], Float32Array.from(a));
    using cy = tensor(cpu, [k, n], Float32Array.from(b));
    using cv = tensor(cpu, [n], Float32Array.from(bias));
    for (const epilogue of ["none", "relu", "gelu", "silu"] as Epilogue[]) {
      for (const [alpha, beta] of [[1, 0], [0.5, -2], [0, 2], [0, 0]] as const) {
        const start = Float32Array.from(c, (e) => beta === 0 ? NaN : e);
        using out = tensor(device, [m, n], start);
        using want = tensor(cpu, [m, n], start);
        matmul(x as never, y as never, { bias: v as never, epilogue, alpha, beta, out: out as never });
        matmul(cx as never, cy as never, { bias: cv as never, epilogue, alpha, beta, out: want as never });
        assertClose(seen(out), want.readSync(), 4e-6, `${m}×${n}×${k} ${epilogue} ${alpha} ${beta}`);
      }
    }
  }

  // Nothing is read with alpha 0, and nothing else is left out for being 0.
  for (const [m, n, k] of [[2, 3, 70], [70, 70, 9]] as const) {
    using nan = tensor(device, [m, k], new Float32Array(m * k).fill(NaN));
    using ones = tensor(device, [k, n], new Float32Array(k * n).fill(1));
    using c = tensor(device, [m, n], new Float32Array(m * n).fill(3));
    matmul(nan as never, ones as never, { alpha: 0, beta: 2, out: c as never });
    assert.deepEqual(new Set(seen(c)), new Set([6]));
    using infinite = tensor(device, [m, k], new Float32Array(m * k).fill(Infinity));
    using zeros = tensor(device, [k, n], new Float32Array(k * n));
    using product = matmul(infinite as never, zeros as never) as Tensor;
    assert.deepEqual(new Set(seen(product)), new Set([NaN]));
  }
  for (const [m, n] of [[0, 4], [4, 0], [0, 0]] as const) {
    assert.equal(seen(matmul(empty(device, [m, 3]), empty(device, [3, n]))).length, 0);
  }

  // Batches over more axes than a dispatch walks, broadcast on either side, and out of views.
  const batch = [2, 3, 2, 2, 3];
  const count = batch.reduce((p, q) => p * q);
  const strange = (d: typeof cpu | VulkanDevice) => {
    const a = tensor(d as VulkanDevice, [...batch, 5, 4] as number[], numbers(count * 20, 5));
    const b = tensor(d as VulkanDevice, [3, 1, 2, 1, 6, 4] as number[], numbers(6 * 24, 6));
    const first = matmul(a as never, transpose(b, [0, 1, 2, 3, 5, 4] as never) as never) as Tensor;
    // One matrix b for a whole batch, and one a.
    const wide = tensor(d as VulkanDevice, [2, 3, 70, 66] as number[], numbers(6 * 70 * 66, 7));
    const one = tensor(d as VulkanDevice, [66, 3] as number[], numbers(66 * 3, 8));
    const row = tensor(d as VulkanDevice, [1, 2, 70] as number[], numbers(140, 9));
    // Products of some depth, of tiles and of single elements.
    const long = tensor(d as VulkanDevice, [2, 1, 1, 1, 9, 1300] as number[], numbers(2 * 9 * 1300, 10));
    const longer = tensor(d as VulkanDevice, [2, 1, 2, 1, 1300, 6] as number[], numbers(4 * 6 * 1300, 11));
    const few = slice(long, 4, 2, 5) as Tensor;
    return [
      first,
      matmul(wide as never, one as never) as Tensor,
      matmul(row as never, wide as never) as Tensor,
      matmul(long as never, transpose(long, [0, 1, 2, 3, 5, 4] as never) as never) as Tensor,
      matmul(long as never, longer as never) as Tensor,
      matmul(few as never, longer as never) as Tensor,
    ];
  };
  const want = strange(cpu);
  strange(device).forEach((t, i) => {
    assert.deepEqual(t.shape, want[i]!.shape);
    assertClose(seen(t), want[i]!.readSync() as Float32Array, 4e-6, `batch ${i}`);
  });
  return h;
}

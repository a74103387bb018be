import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, empty, matmul, slice, type Tensor, tensor, transpose } from "../mod.ts";
import { childJson, slow } from "./child.ts";
import { gpuTest } from "./gpu_harness.ts";
import { productsHash } from "./gpu_products.ts";
import { assertClose, assertGradients, assertSameBits, devices, hash, numbers } from "./harness.ts";

type Any = Tensor<"f32", [number, number]>;

function plain(a: number[], b: number[], m: number, n: number, k: number, ta: boolean, tb: boolean): Float64Array {
  const out = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let s = 0;
      for (let p = 0; p < k; p++) s += a[ta ? p * m + i : i * k + p]! * b[tb ? j * k + p : p * n + j]!;
      out[i * n + j] = s;
    }
  }
  return out;
}

test("matmul() gives the plain sums, each transposition, around tiles and depth blocks", () => {
  for (const [m, n, k] of [[1, 1, 1], [1, 33, 257], [15, 33, 17], [31, 7, 300], [64, 64, 64]] as const) {
    const a = numbers(m * k, m + n), b = numbers(k * n, n + k);
    for (const transposeA of [false, true]) {
      for (const transposeB of [false, true]) {
        const want = plain(a, b, m, n, k, transposeA, transposeB);
        for (const dtype of ["f32", "f64"] as const) {
          using x = tensor(cpu, transposeA ? [k, m] as number[] : [m, k] as number[], a, { dtype });
          using y = tensor(cpu, transposeB ? [n, k] as number[] : [k, n] as number[], b, { dtype });
          using z = matmul(x, y, { transposeA, transposeB });
          assertClose(z.readSync(), want, dtype === "f32" ? 1e-5 : 1e-13);
        }
      }
    }
  }
});

test("matmul() has the same bits for 1 to 8 workers and for every run", () => {
  const a = numbers(70 * 530, 1), b = numbers(530 * 90, 2);
  const hashes = new Set<number>();
  for (const device of devices()) {
    using x = tensor(device, [70, 530], a);
    using y = tensor(device, [530, 90], b);
    for (let run = 0; run < 5; run++) {
      using z = matmul(x, y);
      hashes.add(hash(z.readSync()));
    }
  }
  assert.equal(hashes.size, 1);
});

test("one row, large blocks of zeros, great depth: parallel and serial are the same in every run", { timeout: 60_000 }, () => {
  const n = 1003; // odd, two quarters exactly 0
  const block = Float32Array.from(numbers(n * n, 3), (v, i) => (Math.floor(i / n) < n / 2) === (i % n < n / 2) ? v : 0);
  const depth = 100_000, long = numbers(8 * depth, 4);
  const row = numbers(56, 5), weight = numbers(444 * 56, 6);
  const wantRow = plain(row, weight, 1, 444, 56, false, true), wantLong = plain(long, long, 8, 8, depth, true, false);
  const seen = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const device of devices()) {
    using x = tensor(device, [n, n], block);
    using l = tensor(device, [depth, 8], long);
    using r = tensor(device, [1, 56], row);
    using w = tensor(device, [444, 56], weight);
    for (let run = 0; run < 20; run++) {
      using one = matmul(r, w, { transposeB: true });
      seen[0]!.add(hash(one.readSync()));
      using dw = matmul(l, l, { transposeA: true });
      seen[1]!.add(hash(dw.readSync()));
      if (run > 0) continue;
      assertClose(one.readSync(), wantRow, 1e-5);
      assertClose(dw.readSync(), wantLong, 1e-5);
    }
    for (let run = 0; run < 3; run++) {
      using square = matmul(x, x);
      seen[2]!.add(hash(square.readSync()));
    }
  }
  assert.deepEqual(seen.map((s) => s.size), [1, 1, 1]);
});

test("more workers than rows change nothing", () => {
  const a = numbers(15, 5), b = numbers(10, 6);
  for (const device of devices()) {
    using x = tensor(device, [3, 5], a);
    using y = tensor(device, [5, 2], b);
    using z = matmul(x, y);
    assertClose(z.readSync(), plain(a, b, 3, 2, 5, false, false), 1e-6);
  }
});

test("beta 0 does not read out; alpha 0 and an empty inner axis read no operand", () => {
  const nan = (count: number) => new Float32Array(count).fill(NaN);
  using ones = tensor(cpu, [5, 3], new Float32Array(15).fill(1));
  using c = tensor(cpu, [5, 5], nan(25));
  matmul(ones, ones, { transposeB: true, out: c });
  assert.deepEqual(new Set(c.readSync()), new Set([3]));
  using bad = tensor(cpu, [5, 3], nan(15));
  c.write(new Float32Array(25).fill(3));
  matmul(bad, ones, { transposeB: true, out: c, alpha: 0, beta: 2 });
  assert.deepEqual(new Set(c.readSync()), new Set([6]));
  c.write(nan(25));
  matmul(bad, ones, { transposeB: true, out: c, alpha: 0 });
  assert.deepEqual(new Set(c.readSync()), new Set([0]));
  using a0 = empty(cpu, [3, 0]);
  using b0 = empty(cpu, [0, 4]);
  using out = tensor(cpu, [3, 4], new Float32Array(12).fill(2));
  matmul(a0, b0, { out, beta: 0.5 });
  assert.deepEqual(new Set(out.readSync()), new Set([1]));
  using bias = tensor(cpu, [4], [10, 20, 30, 40]);
  using biased = matmul(a0, b0, { bias });
  assert.deepEqual([...biased.readSync()], [10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40]);
  using none = matmul(b0, empty(cpu, [4, 0]));
  assert.deepEqual(none.shape, [0, 0]);
});

test("infinity times zero is NaN: no factor is skipped", () => {
  using a = tensor(cpu, [1, 1], [Infinity]);
  using b = tensor(cpu, [1, 1], [0]);
  using c = matmul(a, b);
  assert.ok(Number.isNaN(c.itemSync()));
});

test("batches broadcast, and strided views are read in place", () => {
  const a = numbers(2 * 3 * 4, 7), b = numbers(5 * 4, 8);
  using x = tensor(cpu, [2, 3, 4], a);
  using y = tensor(cpu, [5, 4], b);
  using z = matmul(x, transpose(y));
  for (let i = 0; i < 2; i++) {
    assertClose(z.readSync().subarray(i * 15, i * 15 + 15), plain(a.slice(i * 12, i * 12 + 12), b, 3, 5, 4, false, true), 1e-6);
  }
  using wide = tensor(cpu, [3, 9], numbers(27, 9));
  const cut = slice(wide, 1, 2, 6);
  using w = matmul(cut, transpose(y));
  const rows = [...cut.readSync()];
  assertClose(w.readSync(), plain(rows, b, 3, 5, 4, false, true), 1e-6);
});

test("epilogues: bias, then ReLU, GELU or SiLU", () => {
  using a = tensor(cpu, [3, 1], new Float64Array([-1, 0.5, 2]));
  using b = tensor(cpu, [1, 1], new Float64Array([1]));
  using bias = tensor(cpu, [1], new Float64Array([0.25]));
  const x = [-0.75, 0.75, 2.25];
  const wanted = {
    none: x,
    relu: x.map((v) => Math.max(v, 0)),
    gelu: [-0.16997051642861733, 0.5800294835713827, 2.2224949365261493],
    silu: x.map((v) => v / (1 + Math.exp(-v))),
  };
  for (const [epilogue, want] of Object.entries(wanted)) {
    using y = matmul(a, b, { bias, epilogue: epilogue as "none" });
    assertClose(y.readSync(), want, 1e-6, epilogue);
  }
});

test("the gradient of a product is that of differences: each transposition, a bias, a batch that was broadcast", () => {
  for (const transposeA of [false, true]) {
    for (const transposeB of [false, true]) {
      assertGradients(
        `matmul ${transposeA} ${transposeB}`,
        (a, b) => matmul(a as never, b as never, { transposeA, transposeB, alpha: 1.5 }) as unknown as Tensor<"f64">, // shapes fit, as given below
        { shapes: [transposeA ? [2, 4, 3] : [2, 3, 4], transposeB ? [5, 4] : [4, 5]] },
      );
    }
  }
  assertGradients(
    "matmul with bias",
    (a, b, bias) => matmul(a as never, b as never, { bias: bias as never }) as unknown as Tensor<"f64">, // as above
    { shapes: [[3, 4], [4, 5], [5]] },
  );
});

test("matmul() refuses what does not fit, by name, and leaves out as it was", () => {
  using a = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
  using b = tensor(cpu, [4, 5], numbers(20, 1));
  using c = tensor(cpu, [3, 2], numbers(6, 1));
  using f64 = tensor(cpu, [3, 2], new Float64Array(6));
  using ids = tensor(cpu, [3, 2], new Uint32Array(6));
  using out = tensor(cpu, [2, 2], [7, 7, 7, 7]);
  const bad = (f: () => unknown, name: string, message: string | RegExp) => assert.throws(f, { name, message });
  bad(() => matmul(a, b as Any as never), "RangeError", "matmul: a is [2, 3], b is [4, 5]: inner sizes 3 and 4 differ");
  bad(() => matmul(a, f64 as never), "TypeError", "matmul: b is f64, a is f32");
  bad(() => matmul(ids as never, c as never), "TypeError", "matmul: a is u32, must be f32 or f64");
  bad(() => matmul(a, [1] as never), "TypeError", "matmul: b must be a tensor, got an array");
  bad(() => matmul(a, c, { alpha: "1" as never }), "TypeError", /matmul: alpha must be a number, got the string "1"/);
  bad(() => matmul(a, c, { beta: 1 }), "TypeError", /beta is 1, but there is no out/);
  bad(() => matmul(a, c, { epilogue: "tanh" as never }), "TypeError", /epilogue must be none, relu, gelu or silu/);
  bad(() => matmul(a, c, { bias: a as never }), "RangeError", "matmul: bias is [2, 3], must be [2]");
  bad(() => matmul(a, c, { out: c as never }), "RangeError", "matmul: out is [3, 2], must be [2, 2]");
  using square = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  bad(() => matmul(square, square, { out: square }), "TypeError", /out shares memory/);
  bad(() => matmul(square, slice(out, 0, 0, 2), { out }), "TypeError", /out shares memory/);
  assert.deepEqual([...out.readSync()], [7, 7, 7, 7]);
  assert.deepEqual([...square.readSync()], [1, 2, 3, 4]);
  const gone = tensor(cpu, [3, 2], numbers(6, 1));
  gone.dispose();
  bad(() => matmul(a, gone), "TypeError", "matmul: b was disposed");
});

gpuTest("gpu: products of all sizes around tiles, amid NaN, are the plain sums", (gpu) => {
  productsHash(gpu, slow);
});

gpuTest("gpu: every variant of the product gives the plain sums, and all but the skinny one the same bits", async (gpu) => {
  const program = `
    import { vulkan } from "tilework";
    import { productsHash } from ${JSON.stringify(new URL("./gpu_products.ts", import.meta.url).href)};
    console.log(JSON.stringify(productsHash(await vulkan({ name: "${gpu.describe().index}" }), ${slow})));`;
  const of = (variant: string) => childJson(program, { env: { TILEWORK_GPU_VARIANT: variant }, secondsMax: 240 });
  const registers = await of("registers");
  for (const other of ["tiled", "tiled_64", "elements"]) assert.equal(await of(other), registers, other);
  assert.equal(typeof await of("skinny"), "number");
}, { timeout: 300_000 });

gpuTest("gpu: 65537 products in one batch", (gpu) => {
  const n = 65537;
  using a = tensor(gpu, [n, 1, 1], Float32Array.from({ length: n }, (_, i) => i));
  using b = tensor(gpu, [1, 1, 1], [2]);
  using two = tensor(gpu, [n, 1, 1], new Float32Array(n).fill(2));
  using c = matmul(a, b);
  using d = matmul(a, two);
  for (const t of [c, d]) t.readSync().forEach((v, i) => v === 2 * i || assert.fail(`${i}: ${v}`));
});

gpuTest("gpu: products deeper than a driver lets loops be, few rows and columns or more, again with the same bits", (gpu) => {
  for (const [m, n, k] of [[1, 1, 600_000], [2, 3, 530_001], [5, 7, 70_001], [8, 8, 131_073]] as const) {
    const a = Float32Array.from(numbers(m * k, 1)), b = Float32Array.from(numbers(k * n, 2));
    using x = tensor(gpu, [m, k], a);
    using y = tensor(gpu, [n, k], b);
    using z = matmul(x, y, { transposeB: true });
    using again = matmul(x, y, { transposeB: true });
    const got = z.readSync();
    assert.deepEqual(again.readSync(), got);
    for (let i = 0; i < m * n; i++) {
      let sum = 0, bound = 0;
      for (let p = 0; p < k; p++) {
        const term = a[Math.floor(i / n) * k + p]! * b[i % n * k + p]!;
        sum += term;
        bound += Math.abs(term);
      }
      if (!(Math.abs(got[i]! - sum) <= 1e-5 * bound)) assert.fail(`${m}×${n}×${k}: element ${i} is ${got[i]}, want ${sum}`);
    }
  }
});

test("pooling a packed batch by one product: a sequence has the same bits in any batch while it lies in one block of 256 positions", () => {
  const width = 8, length = 100;
  const sequence = Float32Array.from(numbers(length * width, 1));
  /** The mean of the sequence, which lies from `start` on among other positions. */
  const pooled = (start: number): Float32Array => {
    const positions = 600, x = Float32Array.from(numbers(positions * width, 2)), share = new Float32Array(positions);
    x.set(sequence, start * width);
    share.fill(1 / length, start, start + length);
    using weights = tensor(cpu, [1, positions], share);
    using rows = tensor(cpu, [positions, width], x);
    using y = matmul(weights, rows);
    return y.readSync();
  };
  const alone = pooled(0);
  for (const start of [1, 100, 156, 256, 300, 412]) assertSameBits(pooled(start), alone, `from ${start} on`);
  // Across the border of two blocks the sum is one of two partial sums: as right, but of its own bits.
  for (const start of [157, 200, 255, 500]) assertClose(pooled(start), alone, 1e-6, `from ${start} on`);
});

gpuTest("gpu: a product of much work is several dispatches, and the same product", (gpu) => {
  // More than a processor that plays a GPU has in one; a GPU takes a thousand times as much.
  const m = 2048, n = 320, k = 1024, x = Float32Array.from(numbers(m * k, 1)), y = Float32Array.from(numbers(k * n, 2));
  using a = tensor(gpu, [m, k], x);
  using b = tensor(gpu, [k, n], y);
  const before = gpu.statistics().dispatches;
  using c = matmul(a, b);
  const cut = gpu.statistics().dispatches - before;
  if (gpu.describe().kind === "software") assert.equal(cut, 2);
  using ca = tensor(cpu, [m, k], x);
  using cb = tensor(cpu, [k, n], y);
  using want = matmul(ca, cb);
  assertClose(c.readSync(), want.readSync(), 4e-6);
});

gpuTest("gpu: products in f64 are refused, and out is as it was", (gpu) => {
  using a = tensor(gpu, [2, 2], new Float64Array([1, 2, 3, 4]));
  using b = tensor(gpu, [2, 2], new Float64Array(4));
  using out = tensor(gpu, [2, 2], new Float64Array(4).fill(7));
  assert.throws(() => matmul(a, b, { out }), { name: "UnsupportedError" });
  assert.deepEqual([...out.readSync()], [7, 7, 7, 7]);
});

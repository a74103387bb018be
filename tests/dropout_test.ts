import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, cpuDevice, dropout, random, scope, slice, sum, type Tensor, tensor, valueAndGrad } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { both, everyDevice, lengths, normal, of, refuses, strided } from "./row_harness.ts";

test("dropout() keeps what uniform() at its place gives at least the rate, and moves the stream on as that does", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      for (const rate of [0, 0.25, 0.9, 1]) {
        scope(() => {
          const data = both(normal(3 * n, n + 1))[dtype];
          const inputs = [
            of(cpu, [3, n], data, dtype),
            strided(cpu, [3, n], data, dtype),
            strided(cpu, [3, n], data, dtype, true),
          ];
          for (const x of inputs) {
            using rng = random(cpu, 5);
            using other = random(cpu, 5);
            other.uniform([7]);
            rng.uniform([7]);
            const u = other.uniform([3, n]).readSync(), y = dropout(x, rng, { rate });
            const factor = dtype === "f32" ? Math.fround(1 / (1 - rate)) : 1 / (1 - rate);
            const round = dtype === "f32" ? Math.fround : (v: number) => v;
            assert.deepEqual([...y.readSync()], Array.from(data, (v, i) => u[i]! >= rate ? round(v * factor) : 0));
            assert.deepEqual(rng.state.readSync(), other.state.readSync());
          }
        });
      }
    }
  }
});

test("dropout() drops about as many as the rate says, and keeps the sum about as it was", () => {
  scope(() => {
    using rng = random(cpu, 3);
    const n = 200_000;
    for (const rate of [0.1, 0.5]) {
      const y = dropout(tensor(cpu, [n], new Float32Array(n).fill(1)), rng, { rate }).readSync();
      const dropped = y.filter((v) => v === 0).length / n, total = y.reduce((a, b) => a + b, 0) / n;
      // Five deviations.
      assert.ok(Math.abs(dropped - rate) < 5 * Math.sqrt(rate * (1 - rate) / n), `${dropped}`);
      assert.ok(Math.abs(total - 1) < 5 * Math.sqrt(rate / (1 - rate) / n), `${total}`);
    }
  });
});

test("dropout() has the gradient of its own mask, also after further draws from the stream", () => {
  using rng = random(cpu, 11);
  using twin = random(cpu, 11);
  const n = 333, rate = 0.4;
  using x = tensor(cpu, [n], normal(n, 1));
  using step = valueAndGrad((p: { x: typeof x }) => {
    const once = dropout(p.x, rng, { rate });
    return sum(dropout(once, rng, { rate: 0.1 }));
  })({ x });
  using ones = tensor(cpu, [n], new Float32Array(n).fill(1));
  using first = dropout(ones, twin, { rate });
  using second = dropout(first, twin, { rate: 0.1 });
  // The slopes are those of a product with the masks, whatever the order of the factors rounds to.
  const found = step.grads.x.readSync();
  for (const [i, v] of second.readSync().entries()) assert.ok(Math.abs(found[i]! - v) <= 1e-6 * v, `${i}: ${found[i]}, ${v}`);
  assert.deepEqual(rng.state.readSync(), twin.state.readSync());
});

test("dropout() makes 0 of what it drops, whatever it was, and works in place", () => {
  scope(() => {
    using rng = random(cpu, 1);
    const x = tensor(cpu, [4], [NaN, Infinity, -Infinity, 1]);
    assert.deepEqual([...dropout(x, rng, { rate: 1 }).readSync()], [0, 0, 0, 0]);
    assert.equal(dropout(x, rng, { rate: 0, out: x }), x);
    assert.deepEqual([...x.readSync()], [NaN, Infinity, -Infinity, 1]);
  });
});

test("dropout() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(30_001, 3));
    const results = everyDevice().map((device) => {
      using rng = random(device, 2 ** 40 + 3);
      return dropout(tensor(device, [30_001], data), rng, { rate: 0.3 }).readSync();
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("dropout() says what is wrong, leaves out as it was and the stream where it was", () => {
  scope(() => {
    using rng = random(cpu, 1);
    const before = rng.state.readSync();
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => dropout(x, rng, { rate: 1.5, out }), "RangeError", "dropout: rate must be from 0 to 1, got 1.5");
    refuses(() => dropout(x, rng, { rate: NaN, out }), "RangeError", "dropout: rate must be from 0 to 1, got NaN");
    refuses(() => dropout(x, rng, { out } as never), "TypeError", "dropout: rate must be a number, got undefined");
    refuses(() => dropout(x, rng, undefined as never), "TypeError", "dropout: options must be an object { out, rate }, got undefined");
    refuses(() => dropout(x, undefined as never, { rate: 0.5 }), "TypeError", "dropout: rng must be a random stream, got undefined");
    refuses(
      () => dropout(tensor(cpu, [2], new Int32Array(2)) as never, rng, { rate: 0.5 }),
      "TypeError",
      "dropout: x is i32, must be f32 or f64",
    );
    refuses(
      () => dropout(x, rng, { rate: 0.5, out: tensor(cpu, [3], [1, 2, 3]) as never }),
      "RangeError",
      "dropout: out is [3], must be [2]",
    );
    const other = cpuDevice({ threads: 3 });
    using far = random(other, 1);
    refuses(
      () => dropout(x, far, { rate: 0.5, out }),
      "TypeError",
      `dropout: x is on ${cpu.name}, the random stream on ${other.name}`,
    );
    far.state.dispose();
    refuses(() => dropout(x, far, { rate: 0.5, out }), "TypeError", "dropout: the random stream was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
    assert.deepEqual(rng.state.readSync(), before);
  });
});

gpuTest("dropout() on a GPU has the bits of the CPU, and leaves the stream where that does", (gpu) => {
  for (const n of [...lengths, 255, 256, 257, 341, 342, 1023, 1024, 1025]) {
    for (const rate of [0, 0.25, 0.9, 1]) {
      assertAsOnCpu(gpu, `${n} at ${rate}`, (device) => {
        const data = Float32Array.from(normal(3 * n, n + 1));
        if (n > 0) data.set([NaN, Infinity, -0]);
        const rng = random(device, 5);
        // Just below a carry over all words of the counter.
        rng.state.write([3, 4, 0xfffffff0, 0xffffffff, 0xffffffff, 7]);
        const canvas = tensor(device, [3, n + 4], new Float32Array(3 * n + 12).fill(7)), same = of(device, [3, n], data, "f32");
        const results = {
          dense: dropout(of(device, [3, n], data, "f32"), rng, { rate }),
          gaps: dropout(strided(device, [3, n], data, "f32"), rng, { rate }),
          turned: dropout(strided(device, [3, n], data, "f32", true), rng, { rate }),
        };
        dropout(same, rng, { rate, out: slice(canvas as never, 1, 1, n + 1) as never });
        dropout(same, rng, { rate, out: same });
        return { ...results, canvas, same, state: rng.state as Tensor };
      }, 0);
    }
  }
  assertAsOnCpu(
    gpu,
    "rows",
    (device) => ({ y: dropout(strided(device, [66000, 3], new Float32Array(198000).fill(1), "f32"), random(device, 1), { rate: 0.5 }) }),
    0,
  );
});

gpuTest("dropout() on a GPU draws its mask again for the gradient, and has no f64", (gpu) => {
  assertAsOnCpu(gpu, "gradient", (device) => {
    const rng = random(device, 8);
    rng.uniform([5]);
    const results = gradientsOf(device, (x) => dropout(x!, rng, { rate: 0.4 }), [
      of(device, [7, 150], Float32Array.from(normal(1050, 2)), "f32"),
    ]);
    return { ...results, state: rng.state as Tensor };
  }, 0);
  using wide = tensor(gpu, [2], new Float64Array([1, 2])), rng = random(gpu, 1);
  assert.throws(() => dropout(wide, rng, { rate: 0.5, out: wide }), { name: "UnsupportedError" });
  assert.deepEqual([[...wide.readSync()], [...rng.state.readSync()]], [[1, 2], [1, 0, 0, 0, 0, 0]]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, logSoftmax, logSoftmaxBackward, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { both, close, differences, dot, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

/** Plain loops in f64. */
function reference(x: ArrayLike<number>, cols: number): Float64Array {
  const y = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += cols) {
    let max = -Infinity, sum = 0;
    for (let j = 0; j < cols; j++) max = Math.max(max, x[at + j]!);
    for (let j = 0; j < cols; j++) sum += Math.exp(x[at + j]! - max);
    for (let j = 0; j < cols; j++) y[at + j] = x[at + j]! - max - Math.log(sum);
  }
  return y;
}

for (const dtype of ["f32", "f64"] as const) {
  test(`logSoftmax() in ${dtype} is what plain f64 loops give, at every length, from dense tensors and views`, () => {
    const limit = dtype === "f32" ? 1e-6 : 1e-13;
    for (const cols of lengths) {
      for (const rows of [0, 1, 5]) {
        scope(() => {
          const data = both(normal(rows * cols, cols + 1, 3))[dtype];
          const wanted = reference(data, cols);
          const inputs = [
            of(cpu, [rows, cols], data, dtype),
            strided(cpu, [rows, cols], data, dtype),
            strided(cpu, [rows, cols], data, dtype, true),
          ];
          for (const x of inputs) close(logSoftmax(x).readSync(), wanted, limit, 1);
          const x = of(cpu, [rows, cols], data, dtype);
          assert.equal(logSoftmax(x, { out: x }), x);
          close(x.readSync(), wanted, limit, 1);
        });
      }
    }
  });
}

test("logSoftmax() has the gradient that central differences give", () => {
  scope(() => {
    const [rows, cols] = [3, 19];
    const x = Float64Array.from(normal(rows * cols, 1)), c = Float64Array.from(normal(rows * cols, 2));
    const wanted = differences((v) => dot(reference(v, cols), c), x);
    const y = logSoftmax(tensor(cpu, [rows, cols], x)), dy = tensor(cpu, [rows, cols], c);
    close(logSoftmaxBackward(y, dy).readSync(), wanted, 1e-7);
    close(taped(() => logSoftmax(tensor(cpu, [rows, cols], x))).backward(dy)[0]!.readSync(), wanted, 1e-7);
    logSoftmaxBackward(y, dy, { out: dy });
    close(dy.readSync(), wanted, 1e-7);
  });
});

test("logSoftmax() of masked, infinite, NaN and huge rows", () => {
  const ln2 = -Math.fround(Math.LN2);
  const cases: [number[], number[]][] = [
    [[-Infinity, -Infinity, -Infinity], [-Infinity, -Infinity, -Infinity]],
    [[1, -Infinity, 1], [ln2, -Infinity, ln2]],
    [[3e38, 3e38], [ln2, ln2]],
    [[1000, 0], [0, -1000]],
    [[Infinity, 0], [NaN, NaN]],
    [[-Infinity, NaN], [NaN, NaN]],
    [[], []],
  ];
  for (const [data, wanted] of cases) {
    scope(() => {
      const y = logSoftmax(tensor(cpu, [data.length], data));
      assert.deepEqual([...y.readSync()], wanted);
      // What takes no part has no gradient, whatever reaches it.
      const dx = logSoftmaxBackward(y, tensor(cpu, [data.length], wanted.map((v) => v === -Infinity ? NaN : 1))).readSync();
      for (const [i, v] of wanted.entries()) if (v === -Infinity) assert.ok(Object.is(dx[i], 0));
    });
  }
});

test("logSoftmax() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(37 * 53, 6, 2)), c = Float32Array.from(normal(37 * 53, 7));
    const results = everyDevice().map((device) => {
      const y = logSoftmax(tensor(device, [37, 53], data));
      return [y.readSync(), logSoftmaxBackward(y, tensor(device, [37, 53], c)).readSync()];
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("logSoftmax() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), out = tensor(cpu, [2, 3], [7, 7, 7, 7, 7, 7]);
    refuses(() => logSoftmax(tensor(cpu, [2], new Int32Array(2)) as never), "TypeError", "logSoftmax: x is i32, must be f32 or f64");
    refuses(() => logSoftmax(tensor(cpu, [], [1])), "RangeError", "logSoftmax: x is [], needs an axis to normalise over");
    refuses(
      () => logSoftmaxBackward(x, tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]) as never, { out }),
      "RangeError",
      "logSoftmaxBackward: dy is [3, 2], must be [2, 3]",
    );
    x.dispose();
    refuses(() => logSoftmax(x, { out }), "TypeError", "logSoftmax: x was disposed");
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7, 7, 7]);
  });
});

gpuTest("logSoftmax() on a GPU is that of the CPU, forward and backward, at every length, from views, in place and into views", (gpu) => {
  for (const cols of [...lengths, 127, 128, 1000, 1023, 1024, 1025, 2500]) {
    for (const rows of [0, 1, 3]) {
      scope(() => {
        const [a, d] = [normal(rows * cols, cols + 1, 3), normal(rows * cols, 2)];
        assertAsOnCpu(gpu, `${rows}×${cols}`, (device) => {
          const x = tensor(device, [rows, cols], Float32Array.from(a!)), dy = tensor(device, [rows, cols], Float32Array.from(d!));
          const y = logSoftmax(x), dx = logSoftmaxBackward(y, dy);
          const [view] = framed(device, [rows, cols], a!), [out, whole] = framed(device, [rows, cols], d!);
          const [dview, dwhole] = framed(device, [rows, cols], d!);
          logSoftmax(view, { out });
          logSoftmaxBackward(out, dview, { out: dview });
          logSoftmax(x, { out: x });
          return { y, dx, whole, dwhole, own: x };
        }, 4e-6);
      });
    }
  }
});

gpuTest("logSoftmax() on a GPU does with infinities, NaN and huge numbers what the CPU does, and has no shader for f64", (gpu) => {
  scope(() => {
    const rows = [
      [-Infinity, -Infinity, -Infinity, 1, NaN, 3],
      [1, -Infinity, 1, 1, NaN, 3],
      [3e38, 3e38, 3e38, 1, 0, 1],
      [1000, 0, -1000, 1, 2, 3],
      [-1e30, -1e30, -1e30, 1, 0, 1],
      [Infinity, 0, 0, 1, 1, 1],
      [1, NaN, 2, 1, 1, 1],
      [-Infinity, NaN, -Infinity, 1, 1, 1],
    ];
    for (const row of rows) {
      assertAsOnCpu(gpu, `${row}`, (device) => {
        const y = logSoftmax(tensor(device, [3], row.slice(0, 3)));
        return { y: y as Tensor, dx: logSoftmaxBackward(y, tensor(device, [3], row.slice(3))) as Tensor };
      });
    }
    const x = tensor(gpu, [2], new Float64Array([1, 2])), out = tensor(gpu, [2], new Float64Array([7, 7]));
    assert.throws(() => logSoftmax(x, { out }), UnsupportedError);
    assert.throws(() => logSoftmaxBackward(x, x, { out }), UnsupportedError);
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

gpuTest("exp on a GPU is good to 2 units in the last place all over its range, 0 below it, and NaN of NaN", (gpu) => {
  // dx = dy − exp(y)·Σ dy: with one 1 and else zeros it shows exp itself.
  const count = 200_000;
  const y = Float32Array.from({ length: count }, (_, i) => i < 1000 ? -(2 ** (-i / 40)) : -87 * ((i - 1000) / (count - 1001)));
  y.set([0, -0, -87.00001, -88, -104, -1e30, -Infinity, NaN, -NaN]);
  const last = 9, dy = new Float32Array(count);
  dy[count - 1] = 1;
  using x = tensor(gpu, [1, count], y), c = tensor(gpu, [1, count], dy);
  using dx = logSoftmaxBackward(x as never, c as never) as unknown as Tensor;
  const found = dx.readSync();
  assert.deepEqual([...found.slice(0, last)].map((v) => -v + 0), [1, 1, 0, 0, 0, 0, 0, NaN, NaN]);
  for (let i = last; i < count - 1; i++) {
    const want = Math.exp(y[i]!), unit = 2 ** (Math.floor(Math.log2(want)) - 23);
    if (!(Math.abs(-found[i]! - want) <= 2 * unit)) assert.fail(`exp(${y[i]}) is ${-found[i]!}, must be ${want}`);
  }
});

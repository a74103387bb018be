import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, type Device, rmsNorm, rmsNormBackward, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertSameBits } from "./harness.ts";
import { both, close, differences, dot, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

/** Plain loops in f64. */
function reference(x: ArrayLike<number>, weight: ArrayLike<number>, eps = 1e-5): Float64Array {
  const y = new Float64Array(x.length), cols = weight.length;
  for (let at = 0; at < x.length; at += cols) {
    let square = 0;
    for (let j = 0; j < cols; j++) square += x[at + j]! ** 2 / cols;
    for (let j = 0; j < cols; j++) y[at + j] = x[at + j]! / Math.sqrt(square + eps) * weight[j]!;
  }
  return y;
}

for (const dtype of ["f32", "f64"] as const) {
  test(`rmsNorm() in ${dtype} is what plain f64 loops give, at every width, from dense tensors and views`, () => {
    const limit = dtype === "f32" ? 1e-6 : 1e-13;
    for (const cols of lengths) {
      for (const rows of [0, 1, 6]) {
        scope(() => {
          const data = both(normal(rows * cols, cols + 1, 3))[dtype], w = both(normal(cols, 2))[dtype];
          const weight = of(cpu, [cols], w, dtype);
          const inputs = [
            of(cpu, [rows, cols], data, dtype),
            strided(cpu, [rows, cols], data, dtype),
            strided(cpu, [rows, cols], data, dtype, true),
          ];
          for (const x of inputs) {
            close(rmsNorm(x, { weight } as never).readSync(), reference(data, w), limit);
          }
          const x = of(cpu, [rows, cols], data, dtype);
          rmsNorm(x, { weight } as never, { out: x, eps: 0.5 });
          close(x.readSync(), reference(data, w, 0.5), limit);
        });
      }
    }
  });
}

test("rmsNorm() has the gradients that central differences give", () => {
  const [rows, cols] = [130, 7]; // three chunks of rows
  const x = Float64Array.from(normal(rows * cols, 1)), w = Float64Array.from(normal(cols, 2));
  const c = Float64Array.from(normal(rows * cols, 3));
  scope(() => {
    const wanted = [differences((v) => dot(reference(v, w), c), x), differences((v) => dot(reference(x, v), c), w)];
    const input = tensor(cpu, [rows, cols], x), dy = tensor(cpu, [rows, cols], c);
    const p = { weight: tensor(cpu, [cols], w) };
    const g = rmsNormBackward(input, p as never, dy);
    for (const [i, found] of [g.x, g.weight].entries()) close(found.readSync(), wanted[i]!, 1e-6);
    const tape = taped(() => rmsNorm(input, p as never));
    for (const [i, found] of tape.backward(dy).entries()) close(found!.readSync(), wanted[i]!, 1e-6);
    const some = tape.backward(dy, [false, true]);
    assert.deepEqual(some.map((t) => t !== null), [false, true]);
    assert.deepEqual(some[1]!.readSync(), g.weight.readSync());
    // Views of x and dy give the same bits.
    const views = rmsNormBackward(strided(cpu, [rows, cols], x, "f64"), p as never, strided(cpu, [rows, cols], c, "f64", true));
    assert.deepEqual(views.x.readSync(), g.x.readSync());
    assert.deepEqual(views.weight.readSync(), g.weight.readSync());
  });
});

test("rmsNorm() keeps NaN in its row, and without rows has a gradient of zero", () => {
  scope(() => {
    const x = tensor(cpu, [3, 2], [1, 2, NaN, 2, 0, 0]), p = { weight: tensor(cpu, [2], [1, 1]) };
    const y = rmsNorm(x, p).readSync(), dx = rmsNormBackward(x, p, tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6])).x.readSync();
    for (const values of [y, dx]) assert.deepEqual([...values].map((v) => Number.isNaN(v)), [false, false, true, true, false, false]);
    assert.deepEqual([...y.slice(4)], [0, 0]);
    const none = tensor(cpu, [0, 2], []);
    assert.deepEqual([...rmsNormBackward(none, p, none).weight.readSync()], [0, 0]);
  });
});

test("rmsNorm() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, cols] = [331, 75];
    const data = [rows * cols, cols, rows * cols].map((n, i) => Float32Array.from(normal(n, i + 1)));
    const results = everyDevice().map((device) => {
      const [x, dy] = [data[0]!, data[2]!].map((d) => tensor(device, [rows, cols], d));
      const p = { weight: tensor(device, [cols], data[1]!) };
      const g = rmsNormBackward(x!, p as never, dy!);
      return [rmsNorm(x!, p as never), g.x, g.weight].map((t) => t.readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("rmsNorm() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), out = tensor(cpu, [2, 3], [7, 7, 7, 7, 7, 7]);
    const weight = tensor(cpu, [3], [1, 1, 1]);
    refuses(() => rmsNorm(x, { weight: tensor(cpu, [2], [1, 1]) } as never, { out }), "RangeError", "rmsNorm: weight is [2], must be [3]");
    refuses(
      () => rmsNorm(x, { weight: tensor(cpu, [3], new Float64Array(3)) } as never, { out }),
      "TypeError",
      "rmsNorm: weight is f64, x is f32",
    );
    refuses(() => rmsNorm(x, undefined as never), "TypeError", "rmsNorm: parameters must be { weight }, got undefined");
    refuses(() => rmsNorm(x, { weight }, { eps: -1, out }), "RangeError", "rmsNorm: eps must be 0 or more, got -1");
    refuses(() => rmsNorm(tensor(cpu, [], [1]) as never, { weight }), "RangeError", "rmsNorm: x is [], needs an axis to normalise over");
    refuses(
      () => rmsNormBackward(x, { weight }, tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]) as never),
      "RangeError",
      "rmsNormBackward: dy is [3, 2], must be [2, 3]",
    );
    weight.dispose();
    refuses(() => rmsNorm(x, { weight }, { out }), "TypeError", "rmsNorm: weight was disposed");
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7, 7, 7]);
  });
});

gpuTest("rmsNorm() on a GPU is that of the CPU, forward and backward, at every width, over chunks of rows", (gpu) => {
  const sizes = [...lengths, 127, 128, 1000, 1023, 1024, 1025, 2500].flatMap((cols) => [0, 1, 3].map((rows) => [rows, cols] as const));
  for (const [rows, cols] of [...sizes, [64, 33], [65, 70], [129, 65], [700, 5]] as const) {
    scope(() => {
      const data = [1, 2].map((place) => Float32Array.from(normal(rows * cols, place + cols, 2))), w = Float32Array.from(normal(cols, 3));
      assertAsOnCpu(gpu, `${rows}×${cols}`, (device) => {
        const x = tensor(device, [rows, cols], data[0]!), dy = tensor(device, [rows, cols], data[1]!), weight = tensor(device, [cols], w);
        const g = rmsNormBackward(x, { weight } as never, dy);
        const tape = taped(() => rmsNorm(x, { weight } as never) as Tensor);
        const alone = tape.backward(dy as Tensor, [false, true])[1]!;
        return { y: tape.out, other: rmsNorm(x, { weight } as never, { eps: 0.1 }), dx: g.x, dweight: g.weight, alone };
      }, 1e-5);
    });
  }
});

gpuTest("rmsNorm() on a GPU takes views, works in place, and writes nothing beside its result", (gpu) => {
  for (const cols of [1, 17, 64, 129, 1500]) {
    scope(() => {
      const rows = 5, values = normal(rows * cols, 1), w = Float32Array.from(normal(cols, 5));
      assertAsOnCpu(gpu, `${cols}`, (device) => {
        const weight = tensor(device, [cols], w), p = { weight } as never;
        const [x] = framed(device, [rows, cols], values), [out, whole] = framed(device, [rows, cols], values);
        rmsNorm(x, p, { out });
        const own = tensor(device, [rows, cols], Float32Array.from(values));
        rmsNorm(own, p, { out: own });
        const g = rmsNormBackward(x, p, framed(device, [rows, cols], normal(rows * cols, 2))[0]);
        return { whole, own: own as Tensor, dx: g.x as Tensor, dweight: g.weight as Tensor };
      }, 4e-6);
    });
  }
});

gpuTest("rmsNorm() on a GPU has dweight of dy and x also where dx takes their place", (gpu) => {
  scope(() => {
    const rows = 70, cols = 37;
    const data = [1, 2].map((place) => Float32Array.from(normal(rows * cols, place))), w = Float32Array.from(normal(cols, 3));
    for (const place of [0, 1]) {
      assertAsOnCpu(gpu, `dx in place of ${place === 0 ? "x" : "dy"}`, (device) => {
        const [x, dy] = data.map((values) => tensor(device, [rows, cols], values));
        const weight = tensor(device, [cols], w),
          dweight = tensor(device, [cols], w),
          stats = tensor(device, [rows], new Float32Array(rows));
        assert.equal(native.tw_rms_norm(device.handle, 0, stats.handle, x!.handle, weight.handle, 1e-5), 0);
        const dx = [x!, dy!][place]!;
        assert.equal(
          native.tw_rms_norm_backward(device.handle, dx.handle, dweight.handle, dy!.handle, x!.handle, weight.handle, stats.handle, 1e-5),
          0,
        );
        return { dx: dx as Tensor, dweight: dweight as Tensor, stats: stats as Tensor };
      }, 4e-6);
    }
  });
});

gpuTest("rmsNorm() on a GPU keeps NaN and infinities in their row, and has no shader for f64", (gpu) => {
  scope(() => {
    assertAsOnCpu(gpu, "NaN and infinities", (device) => {
      const x = tensor(device, [4, 2], [1, 2, NaN, 2, 3, -Infinity, 5, 6]), p = { weight: tensor(device, [2], [1, 1]) };
      const { x: dx } = rmsNormBackward(x, p, tensor(device, [4, 2], [1, 2, 3, 4, 5, 6, 7, 8]));
      return { y: rmsNorm(x, p) as Tensor, dx: dx as Tensor };
    });
    const x = tensor(gpu, [2, 2], new Float64Array([1, 2, 3, 4])), out = tensor(gpu, [2, 2], new Float64Array([7, 7, 7, 7]));
    const weight = tensor(gpu, [2], new Float64Array([1, 1]));
    assert.throws(() => rmsNorm(x, { weight }, { out }), UnsupportedError);
    assert.throws(() => rmsNormBackward(x, { weight }, x), UnsupportedError);
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7]);
  });
});

/**
 * Rows of any size, in groups with usual ones: x̂ and the gradients of a row times s are those of the row, and dx those over s, if eps is multiplied by s²; it is
 * left out where it counts for nothing. `exponents` are those of s.
 */
function ofAnySize(device: Device, dtype: "f32" | "f64", exponents: number[], limit: number): void {
  for (const cols of [3, 40, 1100]) {
    for (const exponent of exponents) {
      scope(() => {
        const rows = 6, scale = (i: number) => i === 1 || i === 4 ? 2 ** exponent : 1;
        const base = both(normal(rows * cols, cols, 0.5))[dtype], w = both(normal(cols, 2))[dtype], c = both(normal(rows * cols, 3))[dtype];
        const data = base.map((v, k) => v * scale(Math.floor(k / cols)));
        const weight = of(device, [cols], w, dtype), dy = of(device, [rows, cols], c, dtype);
        const p = { weight } as never, x = of(device, [rows, cols], data, dtype), usual = of(cpu, [rows, cols], base, dtype);
        const plain = { weight: of(cpu, [cols], w, dtype) } as never, eps = 0;
        const what = `2^${exponent}, ${cols} columns, ${dtype} on ${device.name}`;
        const same = (found: Tensor, wanted: Tensor, factor: (i: number) => number, width = cols) => {
          const a = Float64Array.from(found.readSync() as Float32Array), b = Float64Array.from(wanted.readSync() as Float32Array);
          assertClose(a.map((v, k) => v / factor(Math.floor(k / width))), b, limit, what);
        };
        same(rmsNorm(x, p, { eps }) as Tensor, rmsNorm(usual, plain, { eps }) as Tensor, () => 1);
        const wanted = rmsNormBackward(usual, plain, of(cpu, [rows, cols], c, dtype), { eps });
        const tape = taped(() => rmsNorm(x, p, { eps }) as Tensor).backward(dy);
        for (const found of [rmsNormBackward(x, p, dy, { eps }), { x: tape[0]!, weight: tape[1]! }]) {
          // What f32 cannot hold of dx is no fault: it is compared where it is.
          if (Math.abs(exponent) < (dtype === "f64" ? 1000 : 100)) same(found.x, wanted.x, (i) => 1 / scale(i));
          same(found.weight, wanted.weight, () => 1, cols);
        }
        // In place, and with the usual eps, beside which a small row is nothing.
        const there = rmsNorm(of(device, [rows, cols], data, dtype), p) as Tensor;
        rmsNorm(x, p, { out: x });
        assertClose(x.readSync(), there.readSync(), 0, what);
      });
    }
  }
}

test("rmsNorm() and its gradients are right for rows of any size", () => {
  ofAnySize(cpu, "f32", [-120, -100, -70, -40, 40, 63, 66, 100, 125], 1e-5);
  ofAnySize(cpu, "f64", [-1000, -600, -400, 400, 511, 600, 1020], 1e-12);
});

gpuTest("rmsNorm() and its gradients are right for rows of any size on a GPU too", (gpu) => {
  ofAnySize(gpu, "f32", [-110, -70, -40, 40, 63, 66, 100, 125], 1e-5);
});

test("rmsNorm() of rows of any size has the same bits on 1 to 8 workers and every instruction set", () => {
  for (const [dtype, exponents] of [["f32", [-70, 63, 100]], ["f64", [-600, 511, 600]]] as const) {
    for (const exponent of exponents) {
      scope(() => {
        const [rows, cols] = [70, 37];
        const x = normal(rows * cols, 1).map((v, k) => v * (Math.floor(k / cols) % 3 === 1 ? 2 ** exponent : 1));
        const results = everyDevice().map((device) => {
          const p = { weight: of(device, [cols], both(normal(cols, 2))[dtype], dtype) } as never;
          const data = of(device, [rows, cols], both(x)[dtype], dtype),
            g = rmsNormBackward(data, p, of(device, [rows, cols], both(normal(rows * cols, 4))[dtype], dtype));
          return [rmsNorm(data, p) as Tensor, ...Object.values(g)].map((t) => (t as Tensor).readSync());
        });
        for (const result of results) result.forEach((t, i) => assertSameBits(t, results[0]![i]!, `2^${exponent}`));
      });
    }
  }
});

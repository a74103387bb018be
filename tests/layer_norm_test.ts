import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  cpu,
  type Device,
  layerNorm,
  layerNormBackward,
  mul,
  scope,
  sum,
  type Tensor,
  tensor,
  UnsupportedError,
  valueAndGrad,
} from "../mod.ts";
import { setRecorder } from "../core/op.ts";
import { native } from "../ffi/library.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertSameBits } from "./harness.ts";
import { both, close, differences, dot, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

/** Plain loops in f64. */
function reference(
  x: ArrayLike<number>,
  weight: ArrayLike<number>,
  bias: ArrayLike<number> | null,
  cols: number,
  eps = 1e-5,
): Float64Array {
  const y = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += cols) {
    let mean = 0, variance = 0;
    for (let j = 0; j < cols; j++) mean += x[at + j]! / cols;
    for (let j = 0; j < cols; j++) variance += (x[at + j]! - mean) ** 2 / cols;
    for (let j = 0; j < cols; j++) y[at + j] = (x[at + j]! - mean) / Math.sqrt(variance + eps) * weight[j]! + (bias ? bias[j]! : 0);
  }
  return y;
}

for (const dtype of ["f32", "f64"] as const) {
  test(`layerNorm() in ${dtype} is what plain f64 loops give, at every width, from dense tensors and views`, () => {
    const limit = dtype === "f32" ? 1e-5 : 1e-12;
    for (const cols of lengths) {
      for (const rows of [0, 1, 6]) {
        scope(() => {
          const data = both(normal(rows * cols, cols + 1, 3))[dtype];
          const w = both(normal(cols, 2))[dtype], b = both(normal(cols, 3))[dtype];
          const weight = of(cpu, [cols], w, dtype), bias = of(cpu, [cols], b, dtype);
          for (
            const x of [
              of(cpu, [rows, cols], data, dtype),
              strided(cpu, [rows, cols], data, dtype),
              strided(cpu, [rows, cols], data, dtype, true),
            ]
          ) {
            close(layerNorm(x, { weight, bias } as never).readSync(), reference(data, w, b, cols), limit);
            close(layerNorm(x, { weight } as never).readSync(), reference(data, w, null, cols), limit);
          }
          const x = of(cpu, [rows, cols], data, dtype);
          layerNorm(x, { weight } as never, { out: x });
          close(x.readSync(), reference(data, w, null, cols), limit);
        });
      }
    }
  });
}

test("layerNorm() has the gradients that central differences give", () => {
  const [rows, cols] = [130, 7]; // three chunks of rows
  const x = Float64Array.from(normal(rows * cols, 1)), w = Float64Array.from(normal(cols, 2)), b = Float64Array.from(normal(cols, 3));
  const c = Float64Array.from(normal(rows * cols, 4));
  scope(() => {
    const on = (x: Float64Array, w: Float64Array, b: Float64Array) => dot(reference(x, w, b, cols), c);
    const wanted = [
      differences((v) => on(v, w, b), x),
      differences((v) => on(x, v, b), w),
      differences((v) => on(x, w, v), b),
    ];
    const input = tensor(cpu, [rows, cols], x), dy = tensor(cpu, [rows, cols], c);
    const p = { weight: tensor(cpu, [cols], w), bias: tensor(cpu, [cols], b) };
    const g = layerNormBackward(input, p as never, dy);
    for (const [i, found] of [g.x, g.weight, g.bias!].entries()) close(found.readSync(), wanted[i]!, 1e-6);
    const tape = taped(() => layerNorm(input, p as never));
    for (const [i, found] of tape.backward(dy).entries()) close(found!.readSync(), wanted[i]!, 1e-6);
    // Only what is asked for, and nothing for a bias that is not there.
    const some = tape.backward(dy, [false, true, false]);
    assert.deepEqual(some.map((t) => t !== null), [false, true, false]);
    const bare = layerNormBackward(input, { weight: p.weight } as never, dy);
    assert.deepEqual(Object.keys(bare), ["x", "weight"]);
    assert.deepEqual(bare.x.readSync(), g.x.readSync());
    // Views of x and dy give the same bits.
    const views = layerNormBackward(strided(cpu, [rows, cols], x, "f64"), p as never, strided(cpu, [rows, cols], c, "f64", true));
    assert.deepEqual(views.x.readSync(), g.x.readSync());
    assert.deepEqual(views.weight.readSync(), g.weight.readSync());
  });
});

test("layerNorm() keeps its digits with a large mean, and gives the bias for constant rows", () => {
  scope(() => {
    const ones = (n: number) => ({ weight: tensor(cpu, [n], new Array(n).fill(1)) });
    close(layerNorm(tensor(cpu, [4], [40000, 40001, 40002, 40003]), ones(4) as never).readSync(), [
      -1.341635,
      -0.447212,
      0.447212,
      1.341635,
    ], 1e-5);

    const near = layerNorm(tensor(cpu, [16], Array.from({ length: 16 }, (_, i) => 1000 + i * 0.001)), ones(16) as never).readSync();
    assert.ok(Math.abs(near[0]! + 1.341508) < 1e-4 && Math.abs(near[15]! - 1.344237) < 1e-4, `${near[0]} ${near[15]}`);

    const bias = tensor(cpu, [256], normal(256, 1));
    const flat = layerNorm(tensor(cpu, [256], new Array(256).fill(1234)), { ...ones(256), bias } as never);
    assert.deepEqual(flat.readSync(), bias.readSync());

    const g = layerNormBackward(tensor(cpu, [4], [1234, 1234, 1234, 1234]), ones(4) as never, tensor(cpu, [4], [1, 2, 3, 4]));
    close(g.x.readSync(), [-474.3416, -158.1139, 158.1139, 474.3416], 1e-6);
  });
});

test("layerNorm() of a sum is add() and then layerNorm(), forward and backward, to the bit", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const cols of lengths) {
      scope(() => {
        const rows = 70, shape = [rows, cols];
        const [a, r, d, e] = [1, 2, 3, 4].map((seed) => both(normal(rows * cols, seed))[dtype]);
        const weight = of(cpu, [cols], both(normal(cols, 5))[dtype], dtype), bias = of(cpu, [cols], both(normal(cols, 6))[dtype], dtype);
        const dy = of(cpu, shape, d!, dtype), dsum = of(cpu, shape, e!, dtype);
        const x = of(cpu, shape, a!, dtype), residual = of(cpu, shape, r!, dtype);
        const plain = add(x, residual as never), wanted = layerNorm(plain, { weight, bias } as never);
        const g = layerNormBackward(plain as typeof x, { weight, bias } as never, dy);
        const dx = add(g.x, dsum as never).readSync();
        for (
          const [left, right] of [[x, residual], [
            strided(cpu, shape, a!, dtype),
            strided(cpu, shape, r!, dtype, true),
          ]] as const
        ) {
          const both = layerNorm(left, { weight, bias } as never, { residual: right });
          assert.deepEqual(both.y.readSync(), wanted.readSync());
          assert.deepEqual(both.sum.readSync(), plain.readSync());
        }
        const tape = tapedAll(() => layerNorm(x, { weight, bias } as never, { residual }));
        for (const found of tape([dy, dsum]).slice(0, 2)) assert.deepEqual(found!.readSync(), dx);
        assert.deepEqual(tape([dy, null])[1]!.readSync(), g.x.readSync());
        assert.deepEqual(tape([dy, dsum])[2]!.readSync(), g.weight.readSync());
        assert.deepEqual(tape([dy, dsum])[3]!.readSync(), g.bias!.readSync());
        assert.equal(tape([null, dsum])[0], dsum);
        assert.deepEqual(tape([dy, dsum], [false, false, true, false]).map((t) => t !== null), [false, false, true, false]);

        const into = layerNorm(x, { weight, bias } as never, { residual, out: x, sum: residual });
        assert.ok(into.y === x && into.sum === residual);
        assert.deepEqual([...x.readSync()], [...wanted.readSync()]);
        assert.deepEqual([...residual.readSync()], [...plain.readSync()]);
      });
    }
  }
});

test("layerNorm() of a sum trains like add() and then layerNorm()", () => {
  using x = tensor(cpu, [5, 7], normal(35, 1));
  using r = tensor(cpu, [5, 7], normal(35, 2));
  using weight = tensor(cpu, [7], normal(7, 3));
  const p = { x, r, norm: { weight } };
  using one = valueAndGrad((q: typeof p) => {
    const { y, sum: s } = layerNorm(q.x, q.norm, { residual: q.r });
    return sum(mul(y, s));
  })(p);
  using two = valueAndGrad((q: typeof p) => {
    const s = add(q.x, q.r);
    return sum(mul(layerNorm(s, q.norm), s));
  })(p);
  assert.equal(one.value.itemSync(), two.value.itemSync());
  for (const [a, b] of [[one.grads.x, two.grads.x], [one.grads.r, two.grads.r], [one.grads.norm.weight, two.grads.norm.weight]] as const) {
    close(a.readSync(), b.readSync(), 1e-6);
  }
});

test("layerNorm() refuses residuals that do not fit", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), weight = tensor(cpu, [3], [1, 1, 1]);
    const out = tensor(cpu, [2, 3], [7, 7, 7, 7, 7, 7]);
    refuses(
      () => layerNorm(x, { weight }, { residual: tensor(cpu, [3], [1, 2, 3]) as never, out }),
      "RangeError",
      "layerNorm: residual is [3], must be [2, 3]",
    );
    refuses(
      () => layerNorm(x, { weight }, { residual: tensor(cpu, [2, 3], new Float64Array(6)) as never, out }),
      "TypeError",
      "layerNorm: residual is f64, x is f32",
    );
    refuses(() => layerNorm(x, { weight }, { sum: out } as never), "TypeError", "layerNorm: sum is only there with a residual");
    refuses(
      () => layerNorm(x, { weight }, { residual: x, sum: tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]) as never, out }),
      "RangeError",
      "layerNorm: out is [3, 2], must be [2, 3]",
    );
    assert.throws(() => layerNorm(x, { weight }, { residual: x, out, sum: out }), TypeError);
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7, 7, 7]);
  });
});

/** Runs an op of several results as a loss would, and returns how its rule answers cotangents of them. */
function tapedAll(run: () => unknown): (cotangents: (Tensor | null)[], wanted?: boolean[]) => (Tensor | null)[] {
  let answer: ((cotangents: (Tensor | null)[], wanted?: boolean[]) => (Tensor | null)[]) | undefined;
  const before = setRecorder({
    tracks: () => true,
    add(_op, inputs, _outputs, keep, rule) {
      const saved = keep.map((x) => x.alias());
      answer = (cotangents, wanted = inputs.map(() => true)) => rule(cotangents, saved, wanted, wanted.map(() => null));
    },
  });
  try {
    run();
  } finally {
    setRecorder(before);
  }
  return answer!;
}

test("layerNorm() keeps NaN and infinities in their row", () => {
  scope(() => {
    const x = tensor(cpu, [3, 2], [1, 2, NaN, 2, 3, -Infinity]);
    const p = { weight: tensor(cpu, [2], [1, 1]) };
    const y = layerNorm(x, p).readSync(), dx = layerNormBackward(x, p, tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6])).x.readSync();
    for (const values of [y, dx]) assert.deepEqual([...values].map((v) => Number.isNaN(v)), [false, false, true, true, true, true]);
  });
});

test("layerNorm() without rows has gradients of zero", () => {
  scope(() => {
    const p = { weight: tensor(cpu, [3], [1, 2, 3]), bias: tensor(cpu, [3], [1, 2, 3]) };
    const x = tensor(cpu, [0, 3], []);
    assert.deepEqual(layerNorm(x, p).shape, [0, 3]);
    const g = layerNormBackward(x, p, tensor(cpu, [0, 3], []));
    assert.deepEqual([...g.weight.readSync(), ...g.bias!.readSync()], [0, 0, 0, 0, 0, 0]);
  });
});

test("layerNorm() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, cols] = [331, 75];
    const data = [rows * cols, cols, cols, rows * cols].map((n, i) => Float32Array.from(normal(n, i + 1)));
    const results = everyDevice().map((device) => {
      const [x, dy] = [data[0]!, data[3]!].map((d) => tensor(device, [rows, cols], d));
      const p = { weight: tensor(device, [cols], data[1]!), bias: tensor(device, [cols], data[2]!) };
      const g = layerNormBackward(x!, p as never, dy!);
      return [layerNorm(x!, p as never), g.x, g.weight, g.bias!].map((t) => t.readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("layerNorm() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
    const out = tensor(cpu, [2, 3], [7, 7, 7, 7, 7, 7]);
    const weight = tensor(cpu, [3], [1, 1, 1]);
    refuses(
      () => layerNorm(x, { weight: tensor(cpu, [2], [1, 1]) } as never, { out }),
      "RangeError",
      "layerNorm: weight is [2], must be [3]",
    );
    refuses(
      () => layerNorm(x, { weight, bias: tensor(cpu, [4], [1, 1, 1, 1]) } as never, { out }),
      "RangeError",
      "layerNorm: bias is [4], must be [3]",
    );
    refuses(
      () => layerNorm(x, { weight: tensor(cpu, [3], new Float64Array(3)) } as never, { out }),
      "TypeError",
      "layerNorm: weight is f64, x is f32",
    );
    refuses(() => layerNorm(x, undefined as never), "TypeError", "layerNorm: parameters must be { weight, bias? }, got undefined");
    refuses(() => layerNorm(x, { weight }, { eps: -1, out }), "RangeError", "layerNorm: eps must be 0 or more, got -1");
    refuses(
      () => layerNorm(tensor(cpu, [3], new Int32Array(3)) as never, { weight }),
      "TypeError",
      "layerNorm: x is i32, must be f32 or f64",
    );
    refuses(
      () => layerNormBackward(x, { weight }, tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]) as never),
      "RangeError",
      "layerNormBackward: dy is [3, 2], must be [2, 3]",
    );
    weight.dispose();
    refuses(() => layerNorm(x, { weight }, { out }), "TypeError", "layerNorm: weight was disposed");
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7, 7, 7]);
  });
});

gpuTest("layerNorm() on a GPU is that of the CPU, forward and backward, at every width", (gpu) => {
  for (const cols of [...lengths, 127, 128, 1000, 1023, 1024, 1025, 2500]) {
    for (const rows of [0, 1, 3]) {
      scope(() => {
        const data = [1, 2].map((place) => Float32Array.from(normal(rows * cols, place + cols, 2)));
        const w = Float32Array.from(normal(cols, 3)), b = Float32Array.from(normal(cols, 4));
        assertAsOnCpu(gpu, `${rows}×${cols}`, (device) => {
          const x = tensor(device, [rows, cols], data[0]!), dy = tensor(device, [rows, cols], data[1]!);
          const weight = tensor(device, [cols], w), bias = tensor(device, [cols], b);
          const g = layerNormBackward(x, { weight, bias } as never, dy), bare = layerNormBackward(x, { weight } as never, dy);
          return {
            y: layerNorm(x, { weight, bias } as never),
            plain: layerNorm(x, { weight } as never, { eps: 0.1 }),
            dx: g.x,
            dweight: g.weight,
            dbias: g.bias!,
            bare: bare.weight,
          };
        }, 4e-6);
      });
    }
  }
});

gpuTest("layerNorm() on a GPU sums gradients over chunks of rows", (gpu) => {
  for (const [rows, cols] of [[64, 33], [65, 70], [129, 65], [700, 5]] as const) {
    scope(() => {
      const data = [1, 2].map((place) => Float32Array.from(normal(rows * cols, place)));
      assertAsOnCpu(gpu, `${rows}×${cols}`, (device) => {
        const x = tensor(device, [rows, cols], data[0]!), dy = tensor(device, [rows, cols], data[1]!);
        const weight = tensor(device, [cols], data[0]!.slice(0, cols));
        const g = layerNormBackward(x, { weight, bias: weight } as never, dy);
        return { y: layerNorm(x, { weight } as never), dx: g.x, dweight: g.weight, dbias: g.bias! };
      }, 1e-5);
    });
  }
});

gpuTest("layerNorm() on a GPU with a residual, from views, in place, and into views with nothing written beside them", (gpu) => {
  for (const cols of [1, 17, 64, 129, 1500]) {
    scope(() => {
      const rows = 5, [a, r, d, e] = [1, 2, 3, 4].map((place) => normal(rows * cols, place)), w = Float32Array.from(normal(cols, 5));
      assertAsOnCpu(gpu, `${cols}`, (device) => {
        const weight = tensor(device, [cols], w), p = { weight, bias: weight } as never;
        const on = (data: number[]) => tensor(device, [rows, cols], Float32Array.from(data)) as unknown as Tensor<"f32", number[]>; // sizes are not known
        const [x] = framed(device, [rows, cols], a!), [residual] = framed(device, [rows, cols], r!);
        const [out, outWhole] = framed(device, [rows, cols], new Float32Array(rows * cols));
        const [sum, sumWhole] = framed(device, [rows, cols], new Float32Array(rows * cols));
        layerNorm(x, p, { residual, out, sum });
        const own = on(a!), ownResidual = on(r!);
        layerNorm(own, p, { residual: ownResidual, out: own, sum: ownResidual });
        const alone = on(a!);
        layerNorm(alone, p, { out: alone });
        const tape = tapedAll(() => layerNorm(on(a!), p, { residual: on(r!) }));
        const [dx, dresidual, dweight, dbias] = tape([on(d!), on(e!)]);
        assert.equal(dx, dresidual);
        const biasAlone = tape([on(d!), on(e!)], [false, false, false, true])[3]!;
        return {
          outWhole,
          sumWhole,
          own: own as Tensor,
          ownResidual: ownResidual as Tensor,
          alone: alone as Tensor,
          dx: dx!,
          dweight: dweight!,
          dbias: dbias!,
          biasAlone,
        };
      }, 4e-6);
    });
  }
});

gpuTest("layerNorm() on a GPU has the gradients over rows of dy and x also where dx takes their place", (gpu) => {
  scope(() => {
    const rows = 70, cols = 37;
    const data = [1, 2].map((place) => Float32Array.from(normal(rows * cols, place))), w = Float32Array.from(normal(cols, 3));
    for (const place of [0, 1]) {
      assertAsOnCpu(gpu, `dx in place of ${place === 0 ? "x" : "dy"}`, (device) => {
        const [x, dy] = data.map((values) => tensor(device, [rows, cols], values));
        const weight = tensor(device, [cols], w), stats = tensor(device, [rows, 2], new Float32Array(2 * rows));
        const dweight = tensor(device, [cols], w), dbias = tensor(device, [cols], w);
        assert.equal(native.tw_layer_norm(device.handle, 0, stats.handle, 0, x!.handle, 0, weight.handle, 0, 1e-5), 0);
        const dx = [x!, dy!][place]!, outs = Uint32Array.of(dx.handle, dweight.handle, dbias.handle);
        assert.equal(native.tw_layer_norm_backward(device.handle, outs, dy!.handle, 0, x!.handle, weight.handle, stats.handle, 1e-5), 0);
        return { dx: dx as Tensor, dweight: dweight as Tensor, dbias: dbias as Tensor, stats: stats as Tensor };
      });
    }
  });
});

gpuTest("layerNorm() on a GPU keeps its digits with a large mean, and NaN and infinities in their row", (gpu) => {
  scope(() => {
    const ones = (n: number) => ({ weight: tensor(gpu, [n], new Array(n).fill(1)) });
    close(layerNorm(tensor(gpu, [4], [40000, 40001, 40002, 40003]), ones(4) as never).readSync(), [
      -1.341635,
      -0.447212,
      0.447212,
      1.341635,
    ], 1e-5);
    const near = layerNorm(tensor(gpu, [16], Array.from({ length: 16 }, (_, i) => 1000 + i * 0.001)), ones(16) as never).readSync();
    assert.ok(Math.abs(near[0]! + 1.341508) < 1e-4 && Math.abs(near[15]! - 1.344237) < 1e-4, `${near[0]} ${near[15]}`);
    const bias = tensor(gpu, [256], normal(256, 1));
    const flat = layerNorm(tensor(gpu, [256], new Array(256).fill(1234)), { ...ones(256), bias } as never);
    assert.deepEqual(flat.readSync(), bias.readSync());
    const g = layerNormBackward(tensor(gpu, [4], [1234, 1234, 1234, 1234]), ones(4) as never, tensor(gpu, [4], [1, 2, 3, 4]));
    close(g.x.readSync(), [-474.3416, -158.1139, 158.1139, 474.3416], 1e-6);
    assertAsOnCpu(gpu, "NaN and infinities", (device) => {
      const x = tensor(device, [4, 2], [1, 2, NaN, 2, 3, -Infinity, 5, 6]), p = { weight: tensor(device, [2], [1, 1]) };
      const { x: dx } = layerNormBackward(x, p, tensor(device, [4, 2], [1, 2, 3, 4, 5, 6, 7, 8]));
      return { y: layerNorm(x, p) as Tensor, dx: dx as Tensor };
    }, 1e-5);
  });
});

gpuTest("layerNorm() on a GPU has no shader for f64, and leaves out as it was", (gpu) => {
  scope(() => {
    const x = tensor(gpu, [2, 2], new Float64Array([1, 2, 3, 4])), out = tensor(gpu, [2, 2], new Float64Array([7, 7, 7, 7]));
    const weight = tensor(gpu, [2], new Float64Array([1, 1]));
    assert.throws(() => layerNorm(x, { weight }, { out }), UnsupportedError);
    assert.throws(() => layerNormBackward(x, { weight }, x), UnsupportedError);
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
        const weight = of(device, [cols], w, dtype), bias = of(device, [cols], w, dtype), dy = of(device, [rows, cols], c, dtype);
        const p = { weight, bias } as never, x = of(device, [rows, cols], data, dtype), usual = of(cpu, [rows, cols], base, dtype);
        const plain = { weight: of(cpu, [cols], w, dtype), bias: of(cpu, [cols], w, dtype) } as never, eps = 0;
        const what = `2^${exponent}, ${cols} columns, ${dtype} on ${device.name}`;
        const same = (found: Tensor, wanted: Tensor, factor: (i: number) => number, width = cols) => {
          const a = Float64Array.from(found.readSync() as Float32Array), b = Float64Array.from(wanted.readSync() as Float32Array);
          assertClose(a.map((v, k) => v / factor(Math.floor(k / width))), b, limit, what);
        };
        same(layerNorm(x, p, { eps }) as Tensor, layerNorm(usual, plain, { eps }) as Tensor, () => 1);
        const wanted = layerNormBackward(usual, plain, of(cpu, [rows, cols], c, dtype), { eps });
        const tape = taped(() => layerNorm(x, p, { eps }) as Tensor).backward(dy);
        for (const found of [layerNormBackward(x, p, dy, { eps }), { x: tape[0]!, weight: tape[1]! }]) {
          // What f32 cannot hold of dx is no fault: it is compared where it is.
          if (Math.abs(exponent) < (dtype === "f64" ? 1000 : 100)) same(found.x, wanted.x, (i) => 1 / scale(i));
          same(found.weight, wanted.weight, () => 1, cols);
        }
        // In place, and with the usual eps, beside which a small row is nothing.
        const there = layerNorm(of(device, [rows, cols], data, dtype), p) as Tensor;
        layerNorm(x, p, { out: x });
        assertClose(x.readSync(), there.readSync(), 0, what);
      });
    }
  }
}

test("layerNorm() and its gradients are right for rows of any size", () => {
  ofAnySize(cpu, "f32", [-120, -100, -70, -40, 40, 63, 66, 100, 125], 1e-5);
  ofAnySize(cpu, "f64", [-1000, -600, -400, 400, 511, 600, 1020], 1e-12);
});

gpuTest("layerNorm() and its gradients are right for rows of any size on a GPU too", (gpu) => {
  ofAnySize(gpu, "f32", [-110, -70, -40, 40, 63, 66, 100, 125], 1e-5);
});

function rowsOfOneValue(device: Device): void {
  for (const value of [3.4e38, -1e38, 1e30, 1e20, 1, 0]) {
    for (const cols of [1, 5, 33]) {
      scope(() => {
        const x = tensor(device, [2, cols], new Array<number>(2 * cols).fill(value)), weight = tensor(device, [cols], normal(cols, 1));
        const bias = tensor(device, [cols], normal(cols, 2)), b = bias.readSync(), p = { weight, bias } as never;
        const y = layerNorm(x, p) as Tensor;
        y.readSync().forEach((v, i) =>
          assert.ok(Math.abs(v - b[i % cols]!) < 1e-4, `${value}, ${cols} columns on ${device.name}: ${v}, not ${b[i % cols]}`)
        );
        // dx = (u − mean(u))/√eps.
        const dy = tensor(device, [2, cols], normal(2 * cols, 3)), u = mul(dy, weight as never).readSync();
        const level = (i: number) => u.subarray(i * cols, (i + 1) * cols).reduce((a, v) => a + v / cols, 0);
        const wanted = Float64Array.from(u, (v, k) => (v - level(Math.floor(k / cols))) / Math.sqrt(1e-5));
        for (const dx of [layerNormBackward(x, p, dy as never).x as Tensor, taped(() => layerNorm(x, p) as Tensor).backward(dy)[0]!]) {
          assertClose(dx.readSync(), wanted, 1e-3, `${value}, ${cols} columns on ${device.name}`);
        }
      });
    }
  }
}

test("layerNorm() of a row of one value, however large, is the bias", () => rowsOfOneValue(cpu));

gpuTest("layerNorm() of a row of one value, however large, is the bias on a GPU too", (gpu) => rowsOfOneValue(gpu));

test("layerNorm() of a sum that is large is right, and so is its gradient", () => {
  scope(() => {
    const half = normal(40, 1).map(Math.fround),
      x = tensor(cpu, [4, 10], half.map((v) => v * 2 ** 66)),
      weight = tensor(cpu, [10], normal(10, 2));
    const { y, sum } = layerNorm(x, { weight } as never, { residual: x } as never) as unknown as { y: Tensor; sum: Tensor };
    close(sum.readSync(), half.map((v) => v * 2 ** 67), 0);
    close(y.readSync(), reference(half, weight.readSync(), null, 10, 0), 1e-5);
  });
});

test("layerNorm() of rows of any size has the same bits on 1 to 8 workers and every instruction set", () => {
  for (const [dtype, exponents] of [["f32", [-70, 63, 100]], ["f64", [-600, 511, 600]]] as const) {
    for (const exponent of exponents) {
      scope(() => {
        const [rows, cols] = [70, 37];
        const x = normal(rows * cols, 1).map((v, k) => v * (Math.floor(k / cols) % 3 === 1 ? 2 ** exponent : 1));
        const results = everyDevice().map((device) => {
          const p = {
            weight: of(device, [cols], both(normal(cols, 2))[dtype], dtype),
            bias: of(device, [cols], both(normal(cols, 3))[dtype], dtype),
          } as never;
          const data = of(device, [rows, cols], both(x)[dtype], dtype),
            g = layerNormBackward(data, p, of(device, [rows, cols], both(normal(rows * cols, 4))[dtype], dtype));
          return [layerNorm(data, p) as Tensor, ...Object.values(g)].map((t) => (t as Tensor).readSync());
        });
        for (const result of results) result.forEach((t, i) => assertSameBits(t, results[0]![i]!, `2^${exponent}`));
      });
    }
  }
});

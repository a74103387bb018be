import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, scope, softmax, softmaxBackward, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { both, close, differences, dot, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

/** Plain loops in f64. */
function reference(x: ArrayLike<number>, cols: number, queries = 0): Float64Array {
  const y = new Float64Array(x.length);
  for (let row = 0; row * cols < x.length; row++) {
    const seen = queries === 0 ? cols : Math.max(0, Math.min(cols, row % queries + 1 + cols - queries));
    const at = row * cols;
    let max = -Infinity, sum = 0;
    for (let j = 0; j < seen; j++) max = Math.max(max, x[at + j]!);
    for (let j = 0; j < seen; j++) sum += Math.exp(x[at + j]! - max);
    for (let j = 0; j < seen; j++) y[at + j] = Math.exp(x[at + j]! - max) / sum;
  }
  return y;
}

for (const dtype of ["f32", "f64"] as const) {
  const limit = dtype === "f32" ? 1e-5 : 1e-13;

  test(`softmax() in ${dtype} is what plain f64 loops give, at every length, from dense tensors and views`, () => {
    for (const cols of lengths) {
      for (const rows of [0, 1, 5]) {
        scope(() => {
          const data = both(normal(rows * cols, cols + 1, 3))[dtype];
          const wanted = reference(data, cols);
          for (
            const x of [
              of(cpu, [rows, cols], data, dtype),
              strided(cpu, [rows, cols], data, dtype),
              strided(cpu, [rows, cols], data, dtype, true),
            ]
          ) {
            close(softmax(x).readSync(), wanted, limit);
          }
          const x = of(cpu, [rows, cols], data, dtype);
          assert.equal(softmax(x, { out: x }), x);
          close(x.readSync(), wanted, limit);
        });
      }
    }
  });

  test(`softmax() in ${dtype}, causal, sees nothing to the right, forward and backward`, () => {
    for (const [queries, keys] of [[1, 1], [5, 5], [17, 17], [3, 40], [40, 3], [70, 70]] as const) {
      scope(() => {
        const data = both(normal(2 * queries * keys, 3, 2))[dtype];
        const wanted = reference(data, keys, queries);
        const dyData = both(normal(2 * queries * keys, 4))[dtype];
        const wantedDx = reference(data, keys, queries);
        for (let row = 0; row < 2 * queries; row++) {
          const at = row * keys;
          const inner = dot(wanted.slice(at, at + keys), dyData.slice(at, at + keys));
          for (let j = 0; j < keys; j++) wantedDx[at + j]! *= dyData[at + j]! - inner;
        }
        // What is not seen must not be used either.
        for (let i = 0; i < data.length; i++) if (wanted[i] === 0) data[i] = dyData[i] = NaN;
        const x = of(cpu, [2, queries, keys], data, dtype), dy = of(cpu, [2, queries, keys], dyData, dtype);
        const y = softmax(x, { causal: true });
        close(y.readSync(), wanted, limit);
        const dx = softmaxBackward(y, dy, { causal: true });
        const found = y.readSync();
        for (let i = 0; i < found.length; i++) {
          if (wanted[i] !== 0) continue;
          wantedDx[i] = 0;
          assert.ok(Object.is(found[i], 0));
        }
        close(dx.readSync(), wantedDx, limit, 0.1);
      });
    }
  });
}

test("softmax() has the gradient that central differences give", () => {
  scope(() => {
    const [rows, cols] = [3, 19];
    const x = Float64Array.from(normal(rows * cols, 1)), c = Float64Array.from(normal(rows * cols, 2));
    for (const causal of [false, true]) {
      const wanted = differences((v) => scope(() => dot(softmax(tensor(cpu, [rows, cols], v), { causal }).readSync(), c)), x);
      const y = softmax(tensor(cpu, [rows, cols], x), { causal });
      const dy = tensor(cpu, [rows, cols], c);
      close(softmaxBackward(y, dy, { causal }).readSync(), wanted, 1e-7);
      const tape = taped(() => softmax(tensor(cpu, [rows, cols], x), { causal }));
      close(tape.backward(dy)[0]!.readSync(), wanted, 1e-7);
    }
  });
});

test("softmax() adds masks that broadcast, or hides by them, and scales first", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const [shape, sizes] of [[[2, 3, 17], [17]], [[2, 3, 17], [3, 17]], [[2, 3, 17], [2, 1, 17]], [[2, 3, 17], [2, 3, 17]]] as const) {
      for (const kind of ["boolean", "added"] as const) {
        scope(() => {
          const [rows, cols] = [6, 17], count = sizes.reduce<number>((a, b) => a * b, 1);
          const data = both(normal(rows * cols, 1, 2))[dtype];
          const seen = normal(count, 2).map((v, i) => i >= cols ? v > 0 : sizes[0] === 17 ? v > 0 : false); // the first row of several hides all
          const added = both(normal(count, 3).map((v, i) => seen[i] ? v : -Infinity))[dtype];
          const z = Float64Array.from(data, (v, i) => {
            const row = Math.floor(i / cols), of = sizes.length === 3 && sizes[1] === 1 ? Math.floor(row / 3) : row % (count / cols);
            const at = of * cols + i % cols;
            return kind === "added" ? 0.5 * v + added[at]! : seen[at] ? 0.5 * v : -Infinity;
          });
          const wanted = Float64Array.from(reference(z, cols), (v) => Number.isNaN(v) ? 0 : v);
          // What is hidden is not used.
          for (let i = 0; i < data.length; i++) if (z[i] === -Infinity) data[i] = NaN;
          const bits = Uint32Array.from(seen, (v) => v ? 7 : 0);
          const masks = kind === "boolean"
            ? [tensor(cpu, [...sizes] as number[], bits)]
            : [of(cpu, sizes, added, dtype), strided(cpu, sizes, added, dtype), strided(cpu, sizes, added, dtype, true)];
          for (const mask of masks) {
            const y = softmax(of(cpu, shape, data, dtype), { mask: mask as never, scale: 0.5 });
            close(y.readSync(), wanted, dtype === "f32" ? 1e-5 : 1e-13);
            const dx = softmaxBackward(y, of(cpu, shape, data, dtype), { scale: 0.5 }).readSync();
            for (let i = 0; i < wanted.length; i++) if (wanted[i] === 0) assert.ok(Object.is(dx[i], 0));
          }
        });
      }
    }
  }
});

test("softmax() with scale and mask has the gradients that central differences give, of an added mask too", () => {
  scope(() => {
    const [rows, cols] = [6, 5];
    const x = Float64Array.from(normal(rows * cols, 1)), m = Float64Array.from(normal(3 * cols, 2));
    const c = Float64Array.from(normal(rows * cols, 3));
    const loss = (x: Float64Array, m: Float64Array) =>
      dot(reference(Float64Array.from(x, (v, i) => 0.7 * v + m[i % (3 * cols)]!), cols), c);
    const wanted = [differences((v) => loss(v, m), x), differences((v) => loss(x, v), m)];
    const input = tensor(cpu, [2, 3, 5], x), mask = tensor(cpu, [1, 3, 5], m), dy = tensor(cpu, [2, 3, 5], c);
    const tape = taped(() => softmax(input, { mask, scale: 0.7 }));
    for (const [i, found] of tape.backward(dy).entries()) close(found!.readSync(), wanted[i]!, 1e-7);
    assert.deepEqual(tape.backward(dy, [false, true]).map((t) => t?.shape), [undefined, [1, 3, 5]]);
    const hidden = tensor(cpu, [5], Uint32Array.from([1, 0, 1, 1, 0]));
    const masked = differences((v) => scope(() => dot(softmax(tensor(cpu, [2, 3, 5], v), { mask: hidden }).readSync(), c)), x);
    close(taped(() => softmax(input, { mask: hidden })).backward(dy)[0]!.readSync(), masked, 1e-7);
  });
});

test("softmax() refuses masks and scales that mean nothing", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), out = tensor(cpu, [2, 3], [7, 7, 7, 7, 7, 7]);
    for (const scale of [0, -1, NaN, Infinity]) {
      refuses(() => softmax(x, { scale, out }), "RangeError", `softmax: scale must be a number above 0, got ${scale}`);
    }
    for (const [shape, text] of [[[2], "[2]"], [[1], "[1]"], [[], "[]"], [[3, 3], "[3, 3]"], [[1, 2, 3], "[1, 2, 3]"]] as const) {
      const mask = tensor(cpu, [...shape] as number[], new Float32Array(shape.reduce<number>((a, b) => a * b, 1)));
      refuses(
        () => softmax(x, { mask, out }),
        "RangeError",
        `softmax: mask is ${text}, must broadcast to [2, 3] over its leading axes`,
      );
    }
    refuses(
      () => softmax(x, { mask: tensor(cpu, [3], new Int32Array(3)) as never, out }),
      "TypeError",
      "softmax: mask is i32, must be f32 or u32",
    );
    refuses(() => softmax(x, { mask: true as never, out }), "TypeError", "softmax: mask must be a tensor, got true");
    refuses(() => softmaxBackward(x, x, { scale: 0, out }), "RangeError", "softmaxBackward: scale must be a number above 0, got 0");
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7, 7, 7]);
  });
});

test("softmax() rows sum to one", () => {
  scope(() => {
    const y = softmax(tensor(cpu, [50, 77], normal(50 * 77, 5, 4))).readSync();
    for (let row = 0; row < 50; row++) assert.ok(Math.abs(y.subarray(row * 77, row * 77 + 77).reduce((a, b) => a + b, 0) - 1) < 1e-5);
  });
});

test("softmax() of masked, infinite, NaN and huge rows", () => {
  const cases: [number[], number[]][] = [
    [[-Infinity, -Infinity, -Infinity, -Infinity], [0, 0, 0, 0]],
    [[1, -Infinity, 1], [0.5, 0, 0.5]],
    [[3e38, 3e38], [0.5, 0.5]],
    [[Infinity, 0], [NaN, NaN]],
    [[1, NaN, 2], [NaN, NaN, NaN]],
    [[-Infinity, NaN], [NaN, NaN]],
    [[-1e30, -1e30, -1e30, -1e30], [0.25, 0.25, 0.25, 0.25]],
    [[], []],
  ];
  for (const [data, wanted] of cases) {
    scope(() => {
      const y = softmax(tensor(cpu, [data.length], data));
      assert.deepEqual([...y.readSync()], wanted);
      if (wanted.every((v) => v === 0)) {
        const dx = softmaxBackward(y, tensor(cpu, [data.length], data.map((_, i) => i)));
        assert.ok(dx.readSync().every((v) => v === 0));
      }
    });
  }
  scope(() => {
    const dx = softmaxBackward(tensor(cpu, [3], [0.5, 0, 0.5]), tensor(cpu, [3], [1, 2, 3]));
    assert.deepEqual([...dx.readSync()], [-0.5, 0, 0.5]);
  });
});

test("softmax() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(3 * 37 * 53, 6, 2)), c = Float32Array.from(normal(3 * 37 * 53, 7));
    const results = everyDevice().map((device) => {
      const y = softmax(tensor(device, [3, 37, 53], data), { causal: true });
      return [y.readSync(), softmaxBackward(y, tensor(device, [3, 37, 53], c), { causal: true }).readSync()];
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("softmax() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
    const out = tensor(cpu, [2, 3], [7, 7, 7, 7, 7, 7]);
    refuses(() => softmax(tensor(cpu, [2], new Int32Array(2)) as never), "TypeError", "softmax: x is i32, must be f32 or f64");
    refuses(() => softmax([1, 2] as never), "TypeError", "softmax: x must be a tensor, got an array");
    refuses(() => softmax(tensor(cpu, [], [1])), "RangeError", "softmax: x is [], needs an axis to normalise over");
    refuses(() => softmax(tensor(cpu, [2], [1, 2]), { causal: true }), "RangeError", "softmax: x is [2], causal needs two axes");
    refuses(() => softmax(x, { causal: 1 as never }), "TypeError", "softmax: causal must be true or false, got 1");
    refuses(
      () => softmax(tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]), { out: out as never }),
      "RangeError",
      "softmax: out is [2, 3], must be [3, 2]",
    );
    refuses(() => softmax(x, { out: tensor(cpu, [2, 3], new Float64Array(6)) as never }), "TypeError", "softmax: out is f64, must be f32");
    refuses(
      () => softmaxBackward(x, tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]) as never, { out }),
      "RangeError",
      "softmaxBackward: dy is [3, 2], must be [2, 3]",
    );
    x.dispose();
    refuses(() => softmax(x, { out }), "TypeError", "softmax: x was disposed");
    assert.deepEqual([...out.readSync()], [7, 7, 7, 7, 7, 7]);
  });
});

gpuTest("softmax() on a GPU is that of the CPU, forward and backward, at every length, from views, in place and into views", (gpu) => {
  for (const cols of [...lengths, 127, 128, 1000, 1023, 1024, 1025, 2500]) {
    for (const rows of [0, 1, 3]) {
      scope(() => {
        const data = normal(rows * cols, cols + 1, 3), c = normal(rows * cols, 2);
        assertAsOnCpu(gpu, `${rows}×${cols}`, (device) => {
          const x = tensor(device, [rows, cols], data), dy = tensor(device, [rows, cols], c);
          const [view] = framed(device, [rows, cols], data),
            [out, whole] = framed(device, [rows, cols], c),
            [slope, slopes] = framed(device, [rows, cols], c);
          softmax(view, { out, scale: 0.5 });
          softmaxBackward(out, slope, { out: slope, scale: 0.5 });
          const y = softmax(x), dx = softmaxBackward(y, dy);
          softmax(x, { out: x });
          return { y, dx, whole, slopes, x };
        }, 1e-5);
      });
    }
  }
});

gpuTest("softmax() on a GPU, causal, sees nothing to the right, and uses nothing of it", (gpu) => {
  for (const [queries, keys] of [[1, 1], [5, 5], [17, 17], [3, 40], [40, 3], [70, 70], [3, 1500], [2, 1025]] as const) {
    scope(() => {
      const data = normal(2 * queries * keys, 3, 2), c = normal(2 * queries * keys, 4);
      data.forEach((_, i) => {
        if (i % keys > Math.floor(i / keys) % queries + keys - queries) data[i] = c[i] = NaN;
      });
      assertAsOnCpu(gpu, `${queries}×${keys}`, (device) => {
        const y = softmax(tensor(device, [2, queries, keys], data), { causal: true });
        return { y: y as Tensor, dx: softmaxBackward(y, tensor(device, [2, queries, keys], c), { causal: true }) as Tensor };
      }, 4e-6);
    });
  }
});

gpuTest("softmax() on a GPU adds masks that broadcast, or hides by them, and gives an added one its gradient", (gpu) => {
  for (const cols of [17, 1500]) {
    for (const sizes of [[cols], [3, cols], [2, 1, cols], [2, 3, cols]]) {
      const count = sizes.reduce((a, b) => a * b, 1),
        hides = normal(count, 2).map((v, i) => i >= cols || sizes.length === 1 ? v < 0 : true); // a row that hides all
      const data = normal(6 * cols, 1, 2), c = normal(6 * cols, 4), added = normal(count, 3);
      scope(() => {
        assertAsOnCpu(gpu, `[${sizes}]`, (device) => {
          const x = tensor(device, [2, 3, cols], data), dy = tensor(device, [2, 3, cols], c);
          const bits = tensor(device, sizes, Uint32Array.from(hides, (v) => v ? 0 : 7)),
            mask = tensor(device, sizes, added.map((v, i) => hides[i] ? -Infinity : v));
          const hidden = softmax(x, { mask: bits as never, scale: 0.5 });
          const tape = taped(() => softmax(x, { mask: mask as never, scale: 0.5 }) as Tensor), [dx, dmask] = tape.backward(dy as Tensor);
          return {
            hidden: hidden as Tensor,
            dhidden: softmaxBackward(hidden, dy, { scale: 0.5 }) as Tensor,
            y: tape.out,
            dx: dx!,
            dmask: dmask!,
          };
        }, 4e-6);
        if (sizes.length > 1) return;
        // Masks of strides of their own, and one that hides what is not finite.
        assertAsOnCpu(gpu, "strided masks", (device) => {
          const x = tensor(device, [2, 3, cols], data.map((v, i) => hides[i % cols] ? NaN : v));
          const mask = added.map((v, i) => hides[i] ? -Infinity : v),
            six = Float32Array.from({ length: 3 * cols }, (_, i) => mask[i % cols]!);
          return {
            gaps: softmax(x, { mask: strided(device as never, [3, cols], six, "f32") as never }) as Tensor,
            turned: softmax(x, { mask: strided(device as never, [3, cols], six, "f32", true) as never }) as Tensor,
          };
        }, 4e-6);
      });
    }
  }
});

gpuTest("softmax() on a GPU does with masked, infinite, NaN and huge rows what the CPU does, and has no shader for f64", (gpu) => {
  scope(() => {
    const rows = [
      [-Infinity, -Infinity, -Infinity],
      [1, -Infinity, 1],
      [3e38, 3e38, 3e38],
      [Infinity, 0, -Infinity],
      [1, NaN, 2],
      [-Infinity, NaN, -Infinity],
      [-1e30, -1e30, -1e30],
    ];
    for (const row of rows) {
      assertAsOnCpu(gpu, `${row}`, (device) => {
        const y = softmax(tensor(device, [3], row));
        return { y: y as Tensor, dx: softmaxBackward(y, tensor(device, [3], [1, NaN, 3])) as Tensor };
      });
    }
    const dx = softmaxBackward(tensor(gpu, [3], [0.5, 0, 0.5]), tensor(gpu, [3], [1, NaN, 3]));
    assert.deepEqual([...dx.readSync()], [-0.5, 0, 0.5]);
    const x = tensor(gpu, [2], new Float64Array([1, 2])), out = tensor(gpu, [2], new Float64Array([7, 7]));
    assert.throws(() => softmax(x, { out }), UnsupportedError);
    assert.throws(() => softmaxBackward(x, x, { out }), UnsupportedError);
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

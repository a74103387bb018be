import assert from "node:assert/strict";
import { test } from "node:test";
import {
  concat,
  cpu,
  explain,
  memory,
  mul,
  reshape,
  rotary,
  rotaryBackward,
  scope,
  slice,
  split,
  sum,
  type Tensor,
  tensor,
  transpose,
  valueAndGrad,
} from "../mod.ts";
import type { RotaryPlaces } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, at, indices, randomTensor } from "./harness.ts";
import { both, close, everyDevice, normal, of, refuses, strided, taped, whole } from "./row_harness.ts";

type Shape4 = [number, number, number, number];
type X<D extends "f32" | "f64" = "f32"> = Tensor<D, Shape4>;

/** Rows turned one pair at a time, in f64. */
function reference(x: ArrayLike<number>, shape: Shape4, places: Omit<RotaryPlaces, "positions"> & { positions?: number[] }): Float64Array {
  const [, , time, width] = shape;
  const { start = 0, rotated = width, base = 10000, interleaved = false, positions } = places;
  const y = Float64Array.from(x);
  for (const index of indices(shape)) {
    const [b, , t, j] = index as Shape4;
    const pair = interleaved ? j >> 1 : j % (rotated / 2), first = interleaved ? j % 2 === 0 : j < rotated / 2;
    if (j >= rotated) continue;
    const position = positions === undefined ? start + t : positions[positions.length === time ? t : b * time + t]!;
    const angle = position * base ** (-2 * pair / rotated);
    const partner = j + (first ? 1 : -1) * (interleaved ? 1 : rotated / 2);
    const own = x[at(shape, index)]!, other = x[at(shape, [...index.slice(0, 3), partner])]!;
    y[at(shape, index)] = own * Math.cos(angle) + (first ? -1 : 1) * other * Math.sin(angle);
  }
  return y;
}

test("rotary() is what f64 gives for every width, part, form and layout", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const width of [0, 1, 2, 6, 14, 16, 18, 30, 32, 34, 64, 66, 130, 300]) {
      for (const interleaved of [false, true]) {
        for (const rotated of [width - width % 2, 2 * (width >> 2)]) {
          scope(() => {
            const shape: Shape4 = [2, 3, 19, width];
            const data = both(normal(2 * 3 * 19 * width, width + 1))[dtype];
            const wanted = reference(data, shape, { start: 3, rotated, interleaved });
            for (const x of [of(cpu, shape, data, dtype), strided(cpu, shape, data, dtype), strided(cpu, shape, data, dtype, true)]) {
              close(
                rotary(x as unknown as X<"f64">, { start: 3, rotated, interleaved }).readSync(),
                wanted,
                dtype === "f32" ? 2e-7 : 1e-13,
              );
            }
          });
        }
      }
    }
  }
});

test("rotary() in place gives the same bits, and takes positions for all batches or for each", () => {
  scope(() => {
    const shape: Shape4 = [3, 2, 21, 40];
    const data = Float32Array.from(normal(3 * 2 * 21 * 40, 5));
    const each = whole(3 * 21, 100_000, 6), common = each.slice(0, 21);
    for (const places of [{ rotated: 24 }, { interleaved: true, base: 500_000 }]) {
      for (const list of [common, each]) {
        const sizes: number[] = list === each ? [3, 21] : [21];
        const positions = tensor(cpu, sizes, Uint32Array.from(list)) as Tensor<"u32">;
        const x = tensor(cpu, shape, data) as unknown as X;
        const y = rotary(x, { ...places, positions });
        close(y.readSync(), reference(data, shape, { ...places, positions: list }), 2e-7);
        assert.equal(rotary(x, { ...places, positions, out: x }), x);
        assertSameBits(x.readSync(), y.readSync());
      }
    }
    // Positions that are a view with gaps.
    const wide = tensor(cpu, [21, 2], Uint32Array.from(common.flatMap((p) => [p, 9])));
    const [positions] = split(wide, [1, 1], 1);
    const x = tensor(cpu, shape, data) as unknown as X;
    close(
      rotary(x, { positions: reshape(positions, [21]) as Tensor<"u32"> }).readSync(),
      reference(data, shape, { positions: common }),
      2e-7,
    );
  });
});

test("rotary() is right to f32 at long positions", () => {
  scope(() => {
    for (const start of [4095, 131_071, 2 ** 20, 2 ** 31 + 1]) {
      const shape: Shape4 = [1, 1, 3, 128], data = Float32Array.from(normal(3 * 128, 7));
      // What f64 loses in the reference itself comes on top.
      close(
        rotary(tensor(cpu, shape, data) as unknown as X, { start }).readSync(),
        reference(data, shape, { start }),
        2e-7 + 1e-15 * start,
      );
    }
  });
});

test("rotary() makes the product of a query and a key depend on their distance alone", () => {
  scope(() => {
    const q = randomTensor([1, 1, 1, 64], "f64", 1) as unknown as X<"f64">,
      k = randomTensor([1, 1, 1, 64], "f64", 2) as unknown as X<"f64">;
    const score = (from: number, to: number) => sum(mul(rotary(q, { start: from }), rotary(k, { start: to }))).itemSync();
    for (const shift of [1, 100, 5000]) close([score(17 + shift, 5 + shift)], [score(17, 5)], 1e-11);
  });
});

test("rotary() has the gradients that central differences give, and rotaryBackward() turns back", () => {
  const positions = tensor(cpu, [2, 3], Uint32Array.from([5, 1, 9, 0, 7, 2])) as Tensor<"u32">;
  for (const places of [{}, { start: 11, rotated: 6 }, { interleaved: true, base: 100 }, { positions }]) {
    assertGradients("rotary", (x) => rotary(x as unknown as X<"f64">, places), { shapes: [[2, 2, 3, 10]] });
    scope(() => {
      const x = randomTensor([2, 2, 3, 10], "f64", 3) as unknown as X<"f64">;
      const dy = randomTensor([2, 2, 3, 10], "f64", 4) as unknown as X<"f64">;
      const dx = rotaryBackward(dy, places);
      const recorded = taped(() => rotary(x, places) as unknown as Tensor).backward(dy as unknown as Tensor)[0]!;
      assertSameBits(recorded.readSync(), dx.readSync());
      close(rotary(dx, places).readSync(), dy.readSync(), 1e-14);
      assert.equal(rotaryBackward(dy, { ...places, out: dy }), dy);
      assertSameBits(dy.readSync(), dx.readSync());
    });
  }
  positions.dispose();
});

test("rotary() of a projection's heads hands back gradients in the projection's order", () => {
  scope(() => {
    const w = randomTensor([2, 5, 24], "f64", 8) as unknown as Tensor<"f64", [number, number, number]>;
    const c = randomTensor([2, 3, 5, 4], "f64", 9) as unknown as X<"f64">;
    const heads = (x: typeof w) => {
      const [q] = split(x, [12, 12], -1);
      return transpose(reshape(q, [2, 5, 3, 4]), [0, 2, 1, 3]) as unknown as X<"f64">;
    };
    const result = valueAndGrad((p: { w: typeof w }) => sum(mul(rotary(heads(p.w)), c)) as unknown as Tensor<"f64", []>)({ w });
    const dx = transpose(rotaryBackward(c), [0, 2, 1, 3]);
    const wanted = concat([reshape(dx, [2, 5, 12]), tensor(cpu, [2, 5, 12], new Float64Array(120))], -1);
    assertSameBits(result.grads.w.readSync(), wanted.readSync());
    const back = taped(() => rotary(heads(w)) as unknown as Tensor).backward(c as unknown as Tensor)[0]!;
    assert.deepEqual(back.strides, [60, 4, 12, 1]);
  });
});

test("rotary() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(3 * 2 * 70 * 36, 12));
    const results = everyDevice().map((device) => {
      const x = tensor(device, [3, 2, 70, 36], data);
      const wide = tensor(device, [3, 2, 70, 36], Float64Array.from(data));
      return [rotary(x, { start: 99 }), rotaryBackward(x, { interleaved: true, rotated: 20 }), rotary(wide, { start: 2 ** 20 })].map((t) =>
        t.readSync()
      );
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("rotary() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [1, 1, 2, 4], [1, 2, 3, 4, 5, 6, 7, 8]), out = tensor(cpu, [1, 1, 2, 4], new Array(8).fill(7));
    const p = (shape: number[], data: number[]) => tensor(cpu, shape, data, { dtype: "u32" }) as Tensor<"u32">;
    refuses(
      () => rotary(tensor(cpu, [2, 4], new Float32Array(8)) as never),
      "RangeError",
      "rotary: x is [2, 4], must be [batch, heads, time, width]",
    );
    refuses(() => rotary(x, { rotated: 3, out }), "RangeError", "rotary: rotated is 3, must be even and at most the width of x, 4");
    refuses(() => rotary(x, { rotated: 6, out }), "RangeError", "rotary: rotated is 6, must be even and at most the width of x, 4");
    refuses(
      () => rotary(tensor(cpu, [1, 1, 1, 3], [1, 2, 3])),
      "RangeError",
      "rotary: rotated is 3, must be even and at most the width of x, 3",
    );
    refuses(() => rotary(x, { base: 0.5, out }), "RangeError", "rotary: base must be finite and 1 or more, got 0.5");
    refuses(() => rotary(x, { base: NaN, out }), "RangeError", "rotary: base must be finite and 1 or more, got NaN");
    refuses(() => rotary(x, { start: -1, out }), "RangeError", "rotary: start must be a whole number from 0 to 4294967295, got -1");
    refuses(() => rotary(x, { start: 2 ** 32 - 1, out }), "RangeError", "rotary: 2 rows from position 4294967295 on go beyond 4294967295");
    refuses(() => rotary(x, { positions: p([3], [1, 2, 3]), out }), "RangeError", "rotary: positions is [3], must be [2] or [1, 2]");
    refuses(() => rotary(x, { positions: tensor(cpu, [2], [1, 2]) as never, out }), "TypeError", "rotary: positions is f32, must be u32");
    refuses(() => rotary(x, { positions: p([2], [1, 2]), start: 1, out }), "TypeError", "rotary: positions and start are both given");
    refuses(() => rotary(x, { interleaved: 1 as never, out }), "TypeError", "rotary: interleaved must be true or false, got 1");
    refuses(() => rotary(tensor(cpu, [1, 1, 1, 2], new Int32Array(2)) as never), "TypeError", "rotary: x is i32, must be f32 or f64");
    refuses(
      () => rotary(x, { out: tensor(cpu, [1, 1, 2, 2], [1, 2, 3, 4]) as never }),
      "RangeError",
      "rotary: out is [1, 1, 2, 2], must be [1, 1, 2, 4]",
    );
    const gone = p([2], [1, 2]);
    gone.dispose();
    refuses(() => rotaryBackward(x, { positions: gone, out }), "TypeError", "rotaryBackward: positions was disposed");
    assert.deepEqual([...out.readSync()], new Array(8).fill(7));
    valueAndGrad((q: { x: typeof x }) => {
      refuses(() => rotary(q.x, { out }), "TypeError", "rotary: out cannot be given while gradients are recorded");
      refuses(() => rotaryBackward(q.x), "TypeError", "rotaryBackward: works in place, which is not possible while gradients are recorded");
      return sum(rotary(q.x));
    })({ x })[Symbol.dispose]();
  });
});

test("rotary() copies nothing where the last axis is dense, and leaves no tensor behind", () => {
  scope(() => {
    const base = randomTensor([2, 5, 12], "f32", 1) as unknown as Tensor<"f32", [number, number, number]>;
    const heads = transpose(reshape(base, [2, 5, 3, 4]), [0, 2, 1, 3]);
    assert.deepEqual(explain(() => rotary(heads)).map((s) => s.op), ["rotary"]);
    const before = memory().tensors;
    rotary(strided(cpu, [1, 1, 3, 4], new Float32Array(12), "f32", true) as unknown as X).dispose();
    assert.equal(memory().tensors, before + 1); // the view itself
  });
});

gpuTest("rotary() on a GPU is as on the CPU for every width, part, form and layout, forward and backward", (gpu) => {
  for (const width of [0, 1, 2, 6, 15, 16, 17, 33, 64, 66, 130, 300]) {
    for (const interleaved of [false, true]) {
      for (const rotated of [width - width % 2, 2 * (width >> 2), 0]) {
        assertAsOnCpu(gpu, `width ${width}, ${rotated} turned${interleaved ? ", interleaved" : ""}`, (device) => {
          const shape: Shape4 = [2, 3, 19, width], options = { start: 3, rotated, interleaved };
          const data = Float32Array.from(normal(2 * 3 * 19 * width, width + 1));
          const x = of(device, shape, data, "f32") as X,
            gaps = strided(device, shape, data, "f32") as X,
            turned = strided(device, shape, data, "f32", true) as X;
          const canvas = tensor(device, [2, 3, 19, width + 4], new Float32Array(2 * 3 * 19 * (width + 4)).fill(7));
          rotary(gaps, { ...options, out: slice(canvas as never, 3, 1, width + 1) as never });
          const results = {
            x: rotary(x, options),
            gaps: rotary(gaps, options),
            turned: rotary(turned, options),
            back: rotaryBackward(gaps, options),
          };
          rotary(x, { ...options, out: x });
          return { ...results, canvas, inPlace: x };
        }, 4e-7);
      }
    }
  }
});

gpuTest("rotary() on a GPU turns far positions as exactly as near ones, by any base", (gpu) => {
  for (const base of [1, 1.5, 10000, 500000, 1e30, 1.7e308]) {
    for (const start of [0, 1, 1000, 2 ** 20, 2 ** 24 + 1, 2 ** 31]) {
      assertAsOnCpu(gpu, `base ${base} from ${start}`, (device) => {
        const x = of(device, [1, 2, 33, 128], Float32Array.from(normal(2 * 33 * 128, 1)), "f32") as X;
        return { x: rotary(x, { start, base }) };
        // An angle is p·θ, and θ known to 2^-53: at position 2^31 to some 1e-6 on either side.
      }, start < 2 ** 25 ? 4e-7 : 4e-6);
    }
  }
});

gpuTest("rotary() on a GPU takes positions, one row for all or one for each batch, and passes gradients on", (gpu) => {
  const time = 37;
  for (const rows of [1, 3]) {
    assertAsOnCpu(gpu, `${rows}`, (device) => {
      const list = Uint32Array.from(whole(rows * time, 5000, 2));
      const positions = tensor(device, [...(rows === 1 ? [time] : [rows, time])], list) as never;
      const x = of(device, [3, 2, time, 16], Float32Array.from(normal(3 * 2 * time * 16, 3)), "f32");
      return { x: rotary(x as X, { positions }), ...gradientsOf(device, (v) => rotary(v as X, { positions, rotated: 8 }), [x]) };
    }, 1e-6);
  }
  // More rows than a grid has groups.
  assertAsOnCpu(
    gpu,
    "many rows",
    (device) => ({ x: rotary(of(device, [1, 66000, 1, 4], Float32Array.from(normal(264000, 3)), "f32") as X, { start: 9 }) }),
    1e-6,
  );
  using wide = tensor(gpu, [1, 1, 1, 2], new Float64Array([1, 2]));
  assert.throws(() => rotary(wide, { out: wide }), { name: "UnsupportedError" });
  assert.deepEqual([...wide.readSync()], [1, 2]);
});

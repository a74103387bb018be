import assert from "node:assert/strict";
import { test } from "node:test";
import { combineRows, combineRowsBackward, cpu, type Device, expertOrder, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients } from "./harness.ts";
import { both, close, everyDevice, framed, lengths, normal, of, refuses, strided, taped, whole } from "./row_harness.ts";

function orderOf(device: Device, rows: number, k: number) {
  return expertOrder(tensor(device, [rows, k], Uint32Array.from(whole(rows * k, 5, rows + k))), { experts: 5 });
}

for (const dtype of ["f32", "f64"] as const) {
  test(`combineRows() in ${dtype} is what plain f64 loops give, at every width and number of slots, dense or strided`, () => {
    const limit = dtype === "f32" ? 1e-6 : 1e-14;
    for (const width of lengths) {
      for (const [rows, k] of [[0, 2], [1, 1], [9, 1], [9, 2], [7, 3], [5, 4], [4, 0]] as const) {
        scope(() => {
          const h = both(normal(rows * k * width, width + 1))[dtype], w = both(normal(rows * k, width + 2))[dtype];
          const order = orderOf(cpu, rows, k), places = order.places.readSync();
          const want = new Float64Array(rows * width);
          for (let i = 0; i < rows * k; i++) {
            for (let j = 0; j < width; j++) want[Math.floor(i / k) * width + j]! += w[i]! * h[places[i]! * width + j]!;
          }
          for (const turned of [null, false, true]) {
            const shape = [rows * k, width];
            const rowsOf = turned === null ? of(cpu, shape, h, dtype) : strided(cpu, shape, h, dtype, turned);
            const weights = turned === null ? of(cpu, [rows, k], w, dtype) : strided(cpu, [rows, k], w, dtype, turned);
            const y = combineRows(rowsOf as never, weights as never, order as never) as Tensor;
            assert.deepEqual(y.shape, [rows, width]);
            close(y.readSync(), want, limit, 1);
          }
        });
      }
    }
  });
}

test("combineRows() has the gradients that central differences give", () => {
  scope(() => {
    for (const [rows, k, width] of [[6, 1, 5], [5, 2, 17], [4, 3, 3]] as const) {
      const order = orderOf(cpu, rows, k);
      assertGradients("combineRows", (h, w) => combineRows(h as never, w as never, order as never), {
        shapes: [[rows * k, width], [rows, k]],
      });
      const h = tensor(cpu, [rows * k, width], normal(rows * k * width, 1)), w = tensor(cpu, [rows, k], normal(rows * k, 2));
      const dy = tensor(cpu, [rows, width], normal(rows * width, 3));
      const tape = taped(() => combineRows(h as never, w as never, order as never));
      const g = combineRowsBackward(h as never, w as never, order as never, dy as never);
      const [dh, dw] = tape.backward(dy);
      assert.deepEqual([dh!.readSync(), dw!.readSync()], [g.h.readSync(), g.weights.readSync()]);
      // Only what is asked for, with the same bits.
      const [only] = tape.backward(dy, [true, false]), [none, other] = tape.backward(dy, [false, true]);
      assert.equal(none, null);
      assert.deepEqual([only!.readSync(), other!.readSync()], [g.h.readSync(), g.weights.readSync()]);
    }
  });
});

test("combineRows() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, k, width] = [131, 3, 75];
    const data = [rows * k * width, rows * k, rows * width].map((n, i) => Float32Array.from(normal(n, i + 1)));
    const results = everyDevice().map((device) => {
      const order = orderOf(device, rows, k);
      const h = tensor(device, [rows * k, width], data[0]!),
        w = tensor(device, [rows, k], data[1]!),
        dy = tensor(device, [rows, width], data[2]!);
      const g = combineRowsBackward(h as never, w as never, order as never, dy as never);
      return [combineRows(h as never, w as never, order as never), g.h, g.weights].map((t) => (t as Tensor).readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("combineRows() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const h = tensor(cpu, [4, 3], normal(12, 1)), w = tensor(cpu, [2, 2], [1, 1, 1, 1]), out = tensor(cpu, [2, 3], new Array(6).fill(7));
    const order = expertOrder(tensor(cpu, [2, 2], new Uint32Array([1, 0, 0, 1])), { experts: 2 });
    const bad = (h: unknown, w: unknown, order: unknown, name: "TypeError" | "RangeError", message: string) =>
      refuses(() => combineRows(h as never, w as never, order as never, { out: out as never }), name, message);
    const twice = { ...order, places: tensor(cpu, [2, 2], new Uint32Array([2, 0, 0, 3])) };
    bad(h, w, twice, "RangeError", "combineRows: order.places[1, 0] is 0, must be where order.order holds its row and slot");
    bad(out, w, order, "RangeError", "combineRows: h is [2, 3], must be [4, width]");
    bad(h, tensor(cpu, [4], [1, 1, 1, 1]), order, "RangeError", "combineRows: weights is [4], must be [2, 2]");
    bad(h, tensor(cpu, [2, 2], new Float64Array(4)), order, "TypeError", "combineRows: weights is f64, h is f32");
    bad(h, w, null, "TypeError", "combineRows: order must be { offsets, order, places }, got null");
    refuses(
      () => combineRowsBackward(h as never, w, order, h as never),
      "RangeError",
      "combineRowsBackward: dy is [4, 3], must be [2, 3]",
    );
    refuses(
      () => combineRowsBackward(h as never, w, twice, out as never),
      "RangeError",
      "combineRowsBackward: order.places[1, 0] is 0, must be where order.order holds its row and slot",
    );
    assert.deepEqual([...out.readSync()], new Array(6).fill(7));
  });
});

gpuTest(
  "combineRows() and its gradients on a GPU are those of the CPU, at every width and number of slots, from views and into them",
  (gpu) => {
    for (const width of [...lengths, 127, 128, 257]) {
      for (const [rows, k] of [[0, 2], [1, 1], [9, 1], [65, 2], [7, 3], [5, 4], [3, 5], [3, 9], [4, 0]] as const) {
        scope(() => {
          const [h, w, dy] = [rows * k * width, rows * k, rows * width].map((n, i) => Float32Array.from(normal(n, width + i))) as [
            Float32Array,
            Float32Array,
            Float32Array,
          ];
          assertAsOnCpu(gpu, `${rows} rows of ${width}, ${k} slots`, (device) => {
            const order = orderOf(device, rows, k), weights = tensor(device, [rows, k], w as Float32Array<ArrayBuffer>);
            const [from] = framed(device, [rows * k, width], h), [cotangent] = framed(device, [rows, width], dy);
            const [out, beside] = framed(device, [rows, width], new Float32Array(dy.length));
            combineRows(from as never, weights as never, order as never, { out: out as never });
            const tape = taped(() => combineRows(from as never, weights as never, order as never));
            const [dh, dw] = tape.backward(cotangent as Tensor), [only] = tape.backward(cotangent as Tensor, [true, false]);
            const [, other] = tape.backward(cotangent as Tensor, [false, true]);
            // dh in the place of h.
            const [own, besideOwn] = framed(device, [rows * k, width], h);
            const handles = [device, own, cotangent, own, weights, order.order, order.places].map((x) => x.handle) as [
              number,
              number,
              number,
              number,
              number,
              number,
              number,
            ];
            assert.equal(
              native.tw_combine_rows_backward(handles[0], handles[1], 0, ...handles.slice(2) as [number, number, number, number, number]),
              0,
            );
            return { beside, dh: dh!, dw: dw!, only: only!, other: other!, besideOwn };
          }, 1e-6);
        });
      }
    }
  },
);

gpuTest("combineRows() on a GPU gives NaN where order and places do not undo each other, and no gradient; f64 has no shader", (gpu) => {
  scope(() => {
    const u32 = (shape: number[], ...list: number[]) => tensor(gpu, shape, Uint32Array.from(list));
    const h = tensor(gpu, [4, 1], [1, 2, 3, 4]), w = tensor(gpu, [2, 2], [5, 6, 7, 8]), dy = tensor(gpu, [2, 1], [10, 100]);
    // Row 0 is at places 1 and 2. Row 1 claims one of them too, and a place outside.
    const order = { offsets: u32([2], 0, 4), order: u32([4], 4000000000, 0, 1, 3), places: u32([2, 2], 1, 2, 2, 77) } as never;
    assert.deepEqual([...combineRows(h, w, order).readSync()], [5 * 2 + 6 * 3, NaN]);
    const g = combineRowsBackward(h, w, order, dy as never);
    assert.deepEqual([[...g.h.readSync()], [...g.weights.readSync()]], [[0, 50, 60, 0], [20, 30, 0, 0]]);
    const wide = {
      h: tensor(gpu, [4, 1], new Float64Array(4)),
      w: tensor(gpu, [2, 2], new Float64Array(4)),
      dy: tensor(gpu, [2, 1], new Float64Array([7, 7])),
    };
    const good = orderOf(gpu, 2, 2) as never;
    assert.throws(() => combineRows(wide.h, wide.w, good, { out: wide.dy as never }), UnsupportedError);
    assert.throws(() => combineRowsBackward(wide.h, wide.w, good, wide.dy as never), UnsupportedError);
    assert.deepEqual([...wide.dy.readSync()], [7, 7]);
  });
});

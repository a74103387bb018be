import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, type Device, expertOrder, gatherRows, gatherRowsBackward, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients } from "./harness.ts";
import { both, everyDevice, framed, lengths, normal, of, refuses, strided, taped, whole } from "./row_harness.ts";

function orderOf(device: Device, rows: number, k: number) {
  return expertOrder(tensor(device, [rows, k], Uint32Array.from(whole(rows * k, 5, rows + k))), { experts: 5 });
}

for (const dtype of ["f32", "f64"] as const) {
  test(`gatherRows() and its gradient in ${dtype} are plain loops, at every width and number of slots, dense or strided`, () => {
    for (const width of lengths) {
      for (const [rows, k] of [[0, 2], [1, 1], [9, 1], [9, 2], [7, 3], [5, 4], [4, 0]] as const) {
        scope(() => {
          const data = both(normal(rows * width, width + 1))[dtype], dyData = both(normal(rows * k * width, width + 2))[dtype];
          const order = orderOf(cpu, rows, k), places = order.places.readSync();
          const want = new Float64Array(rows * k * width), wantDx = data.map(() => 0);
          for (let i = 0; i < rows * k; i++) {
            const r = Math.floor(i / k), at = places[i]! * width;
            for (let j = 0; j < width; j++) {
              want[at + j] = data[r * width + j]!;
              // In the type itself and in the order of the slots: equal bits.
              wantDx[r * width + j]! += dyData[at + j]!;
            }
          }
          for (const x of [of(cpu, [rows, width], data, dtype), strided(cpu, [rows, width], data, dtype)]) {
            const y = gatherRows(x as never, order as never) as Tensor;
            assert.deepEqual(y.shape, [rows * k, width]);
            assert.deepEqual([...y.readSync()], [...want]);
          }
          for (const dy of [of(cpu, [rows * k, width], dyData, dtype), strided(cpu, [rows * k, width], dyData, dtype, true)]) {
            assert.deepEqual([...(gatherRowsBackward(dy as never, order as never) as Tensor).readSync()], [...wantDx]);
          }
        });
      }
    }
  });
}

test("gatherRows() has the gradients that central differences give, and takes out", () => {
  scope(() => {
    const order = orderOf(cpu, 7, 3);
    assertGradients("gatherRows", (x) => gatherRows(x as never, order as never), { shapes: [[7, 5]] });
    const x = tensor(cpu, [7, 5], normal(35, 1)), dy = tensor(cpu, [21, 5], normal(105, 2));
    const out = tensor(cpu, [21, 5], new Array(105).fill(7)), dx = tensor(cpu, [7, 5], new Array(35).fill(7));
    assert.equal(gatherRows(x, order as never, { out: out as never }), out);
    assert.deepEqual(out.readSync(), gatherRows(x, order as never).readSync());
    gatherRowsBackward(dy as never, order as never, { out: dx as never });
    assert.deepEqual(dx.readSync(), taped(() => gatherRows(x, order as never)).backward(dy)[0]!.readSync());
  });
});

test("gatherRows() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, k, width] = [131, 3, 75];
    const data = Float32Array.from(normal(rows * width, 1)), dy = Float32Array.from(normal(rows * k * width, 2));
    const results = everyDevice().map((device) => {
      const order = orderOf(device, rows, k);
      return [
        gatherRows(tensor(device, [rows, width], data), order as never),
        gatherRowsBackward(tensor(device, [rows * k, width], dy) as never, order as never),
      ].map((t) => (t as Tensor).readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("gatherRows() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), out = tensor(cpu, [4, 3], new Array(12).fill(7)), to = { out: out as never };
    const order = expertOrder(tensor(cpu, [2, 2], new Uint32Array([1, 0, 0, 1])), { experts: 2 });
    const twice = { ...order, places: tensor(cpu, [2, 2], new Uint32Array([2, 0, 0, 3])) };
    refuses(
      () => gatherRows(x, twice, to),
      "RangeError",
      "gatherRows: order.places[1, 0] is 0, must be where order.order holds its row and slot",
    );
    refuses(
      () => gatherRowsBackward(out as never, { ...twice, places: tensor(cpu, [2, 2], new Uint32Array([2, 0, 1, 4])) }),
      "RangeError",
      "gatherRowsBackward: order.places[1, 1] is 4, must be where order.order holds its row and slot",
    );
    refuses(
      () => gatherRows(tensor(cpu, [3, 3], new Array(9).fill(0)) as never, order, to),
      "RangeError",
      "gatherRows: x is [3, 3], must be [2, width]",
    );
    refuses(() => gatherRowsBackward(x as never, order), "RangeError", "gatherRowsBackward: dy is [2, 3], must be [4, 3]");
    refuses(() => gatherRows(x, order, { out: x as never }), "RangeError", "gatherRows: out is [2, 3], must be [4, 3]");
    refuses(
      () => gatherRows(x, undefined as never, to),
      "TypeError",
      "gatherRows: order must be { offsets, order, places }, got undefined",
    );
    refuses(() => gatherRows(x, { ...order, order: x } as never, to), "TypeError", "gatherRows: order.order is f32, must be u32");
    const flat = tensor(cpu, [4], new Uint32Array(4)), three = tensor(cpu, [3], new Uint32Array(3));
    refuses(
      () => gatherRows(x, { ...order, places: flat } as never, to),
      "RangeError",
      "gatherRows: order.places is [4], must be [rows, k]",
    );
    refuses(() => gatherRows(x, { ...order, order: three }, to), "RangeError", "gatherRows: order.order is [3], must be [4]");
    assert.deepEqual([...out.readSync()], new Array(12).fill(7));
  });
});

gpuTest(
  "gatherRows() and its gradient on a GPU are those of the CPU, at every width and number of slots, from views and into them",
  (gpu) => {
    for (const width of [...lengths, 127, 128, 257]) {
      for (const [rows, k] of [[0, 2], [1, 1], [9, 1], [65, 2], [7, 3], [5, 4], [3, 5], [3, 9], [4, 0]] as const) {
        scope(() => {
          const x = Float32Array.from(normal(rows * width, width + 1)), dy = Float32Array.from(normal(rows * k * width, width + 2));
          assertAsOnCpu(gpu, `${rows} rows of ${width}, ${k} slots`, (device) => {
            const order = orderOf(device, rows, k) as never;
            const [rowsOf] = framed(device, [rows, width], x), [gradients] = framed(device, [rows * k, width], dy);
            const [out, beside] = framed(device, [rows * k, width], new Float32Array(dy.length));
            const [dx, besideDx] = framed(device, [rows, width], new Float32Array(x.length));
            gatherRows(rowsOf as never, order, { out: out as never });
            gatherRowsBackward(gradients as never, order, { out: dx as never });
            return { beside, besideDx, y: taped(() => gatherRows(tensor(device, [rows, width], x), order)).out };
          }, 3e-7);
        });
      }
    }
  },
);

gpuTest("gatherRows() on a GPU gives NaN where order and places do not undo each other, and no gradient; f64 has no shader", (gpu) => {
  scope(() => {
    const u32 = (shape: number[], ...list: number[]) => tensor(gpu, shape, Uint32Array.from(list));
    const x = tensor(gpu, [3, 1], [1, 2, 3]), dy = tensor(gpu, [3, 1], [10, 20, 30]);
    // Row 0 is at place 1. Two more claim that place, and one place is outside.
    const order = { offsets: u32([2], 0, 3), order: u32([3], 4000000000, 0, 1), places: u32([3, 1], 1, 1, 77) } as never;
    assert.deepEqual([...gatherRows(x, order).readSync()], [NaN, 1, NaN]);
    assert.deepEqual([...gatherRowsBackward(dy as never, order).readSync() as Float32Array], [20, 0, 0]);
    const f64 = tensor(gpu, [3, 1], new Float64Array(3)),
      good = orderOf(gpu, 3, 1) as never,
      out = tensor(gpu, [3, 1], new Float64Array([7, 7, 7]));
    assert.throws(() => gatherRows(f64, good, { out: out as never }), UnsupportedError);
    assert.throws(() => gatherRowsBackward(f64 as never, good, { out: out as never }), UnsupportedError);
    assert.deepEqual([...out.readSync()], [7, 7, 7]);
  });
});

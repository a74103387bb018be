import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, type Device, relu, reluBackward, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { both, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

test("relu() and its gradient are exact at every length, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      scope(() => {
        const data = both(normal(2 * n, n + 1))[dtype], c = both(normal(2 * n, n + 2))[dtype];
        const wanted = [...data].map((v) => Math.max(v, 0)), wantedDx = [...data].map((v, i) => v > 0 ? c[i]! : 0);
        const dy = of(cpu, [2, n], c, dtype);
        for (const x of [of(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype, true)]) {
          const tape = taped(() => relu(x));
          assert.deepEqual([...tape.out.readSync()], wanted);
          assert.deepEqual([...tape.backward(dy)[0]!.readSync()], wantedDx);
          assert.deepEqual([...reluBackward(x, dy).readSync()], wantedDx);
        }
        const x = of(cpu, [2, n], data, dtype);
        reluBackward(x, dy, { out: dy });
        assert.deepEqual([...dy.readSync()], wantedDx);
        relu(x, { out: x });
        assert.deepEqual([...x.readSync()], wanted);
      });
    }
  }
});

test("relu() of NaN is NaN, of infinities and zeros what max says; its slope at 0 is 0", () => {
  scope(() => {
    const x = tensor(cpu, [5], [NaN, Infinity, -Infinity, 0, -0]);
    assert.deepEqual([...relu(x).readSync()].map((v) => v + 0), [NaN, Infinity, 0, 0, 0]);
    assert.deepEqual([...reluBackward(x, tensor(cpu, [5], [1, 1, 1, 1, 1])).readSync()].slice(1), [1, 0, 0, 0]);
  });
});

/** Behind a NaN the gradient flows on; where the slope is 0 it is 0, whatever it holds. */
function assertSlopes(device: Device): void {
  scope(() => {
    for (const dy of [2, NaN, Infinity, -Infinity]) {
      const dx = reluBackward(tensor(device, [6], [NaN, -NaN, 1, 0, -0, -1]), tensor(device, [6], new Array(6).fill(dy)));
      assert.deepEqual([...dx.readSync()].map((v) => v + 0), [dy, dy, dy, 0, 0, 0]);
    }
  });
}

test("reluBackward() is dy at NaN and 0 from 0 down, whatever dy holds", () => assertSlopes(cpu));

gpuTest("reluBackward() on a GPU is dy at NaN and 0 from 0 down, whatever dy holds", (gpu) => assertSlopes(gpu));

test("relu() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const data = Float32Array.from(normal(3001, 3));
    const results = everyDevice().map((device) => relu(tensor(device, [3001], data)).readSync());
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("relu() says what is wrong and leaves out as it was", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
    refuses(() => relu(tensor(cpu, [2], new Int32Array(2)) as never), "TypeError", "relu: x is i32, must be f32 or f64");
    refuses(() => relu(tensor(cpu, [3], [1, 2, 3]), { out: out as never }), "RangeError", "relu: out is [2], must be [3]");
    refuses(
      () => reluBackward(x, tensor(cpu, [2], new Float64Array(2)) as never, { out }),
      "TypeError",
      "reluBackward: dy is f64, x is f32",
    );
    x.dispose();
    refuses(() => relu(x, { out }), "TypeError", "relu: x was disposed");
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

gpuTest("relu() on a GPU has the values of the CPU at every length, from views, in place, into views, and of special inputs", (gpu) => {
  for (const n of [...lengths, 127, 128, 255, 256, 257, 1000]) {
    scope(() => {
      const data = normal(2 * n, n + 1), c = normal(2 * n, 2);
      assertAsOnCpu(gpu, `${n}`, (device) => {
        const x = tensor(device, [2, n], data), dy = tensor(device, [2, n], c);
        const [view] = framed(device, [2, n], data), [out, whole] = framed(device, [2, n], c), [slope, slopes] = framed(device, [2, n], c);
        relu(view, { out });
        reluBackward(view, slope, { out: slope });
        const results = { y: relu(x), dx: reluBackward(x, dy), whole, slopes };
        reluBackward(x, dy, { out: dy });
        relu(x, { out: x });
        return { ...results, x, dy };
      }, 0);
    });
  }
  scope(() => {
    assertAsOnCpu(gpu, "special inputs", (device) => {
      const x = tensor(device, [6], [NaN, Infinity, -Infinity, 0, -0, -1]), dy = tensor(device, [6], [1, 2, NaN, NaN, Infinity, NaN]);
      return { y: relu(x) as Tensor, dx: reluBackward(x, dy) as Tensor };
    }, 0);
    const x = tensor(gpu, [2], new Float64Array([1, 2])), out = tensor(gpu, [2], new Float64Array([7, 7]));
    assert.throws(() => relu(x, { out }), UnsupportedError);
    assert.throws(() => reluBackward(x, x, { out }), UnsupportedError);
    assert.deepEqual([...out.readSync()], [7, 7]);
  });
});

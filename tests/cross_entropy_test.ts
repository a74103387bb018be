import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, crossEntropy, crossEntropyBackward, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { numbers } from "./harness.ts";
import { both, close, differences, everyDevice, framed, lengths, normal, of, refuses, strided, taped, whole } from "./row_harness.ts";

/** Plain loops in f64. */
function reference(x: ArrayLike<number>, labels: ArrayLike<number>, classes: number, ignored = -100): number {
  let loss = 0, count = 0;
  for (let row = 0; row < labels.length; row++) {
    if (labels[row] === ignored) continue;
    count++;
    const at = row * classes;
    let max = -Infinity, sum = 0;
    for (let j = 0; j < classes; j++) max = Math.max(max, x[at + j]!);
    for (let j = 0; j < classes; j++) sum += Math.exp(x[at + j]! - max);
    loss += Math.log(sum) + (max - x[at + labels[row]!]!);
  }
  return count === 0 ? 0 : loss / count;
}

/** Labels of which about a quarter are ignored. */
function someLabels(rows: number, classes: number, place: number): Int32Array<ArrayBuffer> {
  const ignored = numbers(rows, place);
  return Int32Array.from(whole(rows, classes, place + 1), (label, i) => ignored[i]! > 0.5 ? -100 : label);
}

test("crossEntropy() is what plain f64 loops give, from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const classes of lengths.filter((n) => n > 0)) {
      for (const rows of [0, 1, 15, 16, 33]) {
        scope(() => {
          const data = both(normal(rows * classes, classes, 3))[dtype], labels = someLabels(rows, classes, rows);
          const wanted = reference(data, labels, classes);
          const targets = tensor(cpu, [rows], labels);
          for (const turned of [undefined, false, true]) {
            const logits = turned === undefined
              ? of(cpu, [rows, classes], data, dtype)
              : strided(cpu, [rows, classes], data, dtype, turned);
            close([crossEntropy(logits, targets).itemSync()], [wanted], dtype === "f32" ? 1e-5 : 1e-13, 0.1);
          }
        });
      }
    }
  }
});

test("crossEntropy() has the gradient that central differences give", () => {
  scope(() => {
    const [rows, classes] = [7, 19];
    const x = Float64Array.from(normal(rows * classes, 1, 2)), labels = someLabels(rows, classes, 5);
    const wanted = differences((v) => 1.5 * reference(v, labels, classes), x);
    const targets = tensor(cpu, [rows], labels), dy = tensor(cpu, [], new Float64Array([1.5]));
    const logits = tensor(cpu, [rows, classes], x);
    close(taped(() => crossEntropy(logits, targets as never)).backward(dy)[0]!.readSync(), wanted, 1e-7);
    close(crossEntropyBackward(strided(cpu, [rows, classes], x, "f64", true), targets, dy).readSync(), wanted, 1e-7);
    crossEntropyBackward(logits, targets as never, dy, { out: logits });
    close(logits.readSync(), wanted, 1e-7);
  });
});

test("crossEntropy() leaves ignored rows out of mean and gradient; with none left it is 0", () => {
  scope(() => {
    const logits = tensor(cpu, [2, 4], [0, 0, 0, 0, NaN, NaN, NaN, NaN]);
    const targets = tensor(cpu, [2], new Int32Array([1, -100]));
    const one = tensor(cpu, [], [1]);
    assert.ok(Math.abs(crossEntropy(logits, targets).itemSync() - 1.386294) < 1e-6);
    assert.deepEqual([...crossEntropyBackward(logits, targets, one).readSync()], [0.25, -0.75, 0.25, 0.25, 0, 0, 0, 0]);

    const all = tensor(cpu, [2], new Uint32Array([255, 255]));
    const out = tensor(cpu, [2, 4], new Array(8).fill(7));
    assert.equal(crossEntropy(logits, all, { ignoreIndex: 255 }).itemSync(), 0);
    crossEntropyBackward(logits, all, one, { ignoreIndex: 255, out });
    assert.ok(out.readSync().every((v) => v === 0));
    assert.equal(crossEntropy(tensor(cpu, [0, 4], []), tensor(cpu, [0], new Uint32Array(0))).itemSync(), 0);
  });
});

test("crossEntropy() of large logits", () => {
  scope(() => {
    const logits = tensor(cpu, [3], [-431, 279, 427]), targets = tensor(cpu, [], new Uint32Array([0]));
    assert.equal(crossEntropy(logits, targets).itemSync(), 858);
    close(crossEntropyBackward(logits, targets, tensor(cpu, [], [1])).readSync(), [-1, 0, 1], 1e-7);
  });
});

test("crossEntropy() takes any leading axes", () => {
  scope(() => {
    const data = normal(2 * 3 * 5, 8), labels = someLabels(6, 5, 9);
    const loss = crossEntropy(tensor(cpu, [2, 3, 5], data), tensor(cpu, [2, 3], labels));
    close([loss.itemSync()], [reference(data, labels, 5)]);
    assert.deepEqual(loss.shape, []);
  });
});

test("crossEntropy() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, classes] = [101, 37];
    const data = Float32Array.from(normal(rows * classes, 3, 2)), labels = someLabels(rows, classes, 4);
    const results = everyDevice().map((device) => {
      const logits = tensor(device, [rows, classes], data), targets = tensor(device, [rows], labels);
      const dx = crossEntropyBackward(logits, targets as never, tensor(device, [], [1]));
      return [crossEntropy(logits, targets as never).readSync(), dx.readSync()];
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("crossEntropy() names the label that is no class, and says what else is wrong; out stays as it was", () => {
  scope(() => {
    const logits = tensor(cpu, [3, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]), one = tensor(cpu, [], [1]);
    const out = tensor(cpu, [3, 3], new Array(9).fill(7));
    for (const wrong of [new Int32Array([0, 2, -1]), new Int32Array([0, 2, 3]), new Uint32Array([0, 2, 2 ** 31])]) {
      const targets = tensor(cpu, [3], wrong as Uint32Array<ArrayBuffer>);
      const said = `targets[2] is ${wrong[2]}, must be from 0 to 2, or -100 to be ignored`;
      refuses(() => crossEntropy(logits, targets), "RangeError", `crossEntropy: ${said}`);
      refuses(() => crossEntropyBackward(logits, targets, one, { out }), "RangeError", `crossEntropyBackward: ${said}`);
    }
    const targets = tensor(cpu, [3], new Int32Array([0, 2, 255]));
    assert.ok(Number.isFinite(crossEntropy(logits, targets, { ignoreIndex: 255 }).itemSync()));
    refuses(
      () => crossEntropy(logits, targets, { ignoreIndex: 0.5 }),
      "RangeError",
      "crossEntropy: ignoreIndex must be a whole number, got 0.5",
    );
    refuses(
      () => crossEntropy(logits, tensor(cpu, [2], new Int32Array(2)) as never),
      "RangeError",
      "crossEntropy: targets is [2], must be [3]",
    );
    refuses(
      () => crossEntropy(logits, tensor(cpu, [3], [0, 1, 2]) as never),
      "TypeError",
      "crossEntropy: targets is f32, must be i32 or u32",
    );
    refuses(
      () => crossEntropyBackward(logits, targets, tensor(cpu, [1], [1]) as never, { out }),
      "RangeError",
      "crossEntropyBackward: dy is [1], must be []",
    );
    logits.dispose();
    refuses(() => crossEntropy(logits, targets), "TypeError", "crossEntropy: logits was disposed");
    assert.ok(out.readSync().every((v) => v === 7));
  });
});

gpuTest("crossEntropy() on a GPU is that of the CPU, forward and backward, at every number of classes and rows", (gpu) => {
  const sizes = lengths.filter((n) => n > 0).flatMap((classes) => [0, 1, 15, 33].map((rows) => [rows, classes] as const));
  for (const [rows, classes] of [...sizes, [3, 127], [3, 128], [2, 1023], [2, 1024], [2, 1025], [2, 3000], [300, 3], [5000, 2]] as const) {
    scope(() => {
      const data = Float32Array.from(normal(rows * classes, classes, 3)), labels = someLabels(rows, classes, rows);
      assertAsOnCpu(gpu, `${rows}×${classes}`, (device) => {
        const logits = tensor(device, [rows, classes], data), targets = tensor(device, [rows], labels), dy = tensor(device, [], [1.5]);
        const [view] = framed(device, [rows, classes], data), [out, whole] = framed(device, [rows, classes], data);
        const tape = taped(() => crossEntropy(view, targets as never) as Tensor);
        crossEntropyBackward(view, targets as never, dy, { out });
        const results = {
          loss: crossEntropy(logits, targets),
          all: crossEntropy(logits, tensor(device, [rows], labels.map((label) => Math.max(0, label)))),
          viewed: tape.out,
          taped: tape.backward(dy as Tensor)[0]!,
          dlogits: crossEntropyBackward(logits, targets, dy),
          whole,
        };
        crossEntropyBackward(logits, targets, dy, { out: logits });
        return { ...results, logits };
      }, 4e-6);
    });
  }
});

gpuTest("crossEntropy() on a GPU takes large logits, what is masked, ignored rows whatever they hold, and none that counts", (gpu) => {
  scope(() => {
    const classes = 3000, target = classes - 1;
    const one = (fill: number, at: number, value: number) => Array.from({ length: classes }, (_, j) => j === at ? value : fill);
    const cases: [rows: number[][], labels: number[], ignored: number][] = [
      [[[-431, 279, 427]], [0], -100],
      [[[3e38, 3e38, -3e38]], [1], -100],
      [[[0, 0, 0, 0], [NaN, NaN, Infinity, 1]], [1, -100], -100],
      [[[1, 1, 1], [1, 1, 1]], [255, 255], 255],
      [[[1, NaN, 2], [1, 2, 3]], [0, 1], -100],
      [[[1, Infinity, 2]], [0], -100],
      [[[-Infinity, -Infinity]], [0], -100],
      [[[-Infinity, 1, -Infinity]], [1], -100],
      [[one(0, 2900, NaN)], [target], -100],
      [[one(0, 1500, Infinity)], [target], -100],
      [[one(0, 1500, -Infinity)], [target], -100],
      [[one(-Infinity, 1500, NaN)], [target], -100],
      [[one(-Infinity, target, -3)], [target], -100],
    ];
    cases.forEach(([rows, labels, ignoreIndex], i) => {
      assertAsOnCpu(gpu, `case ${i}`, (device) => {
        const logits = tensor(device, [rows.length, rows[0]!.length], rows.flat()),
          targets = tensor(device, [labels.length], Int32Array.from(labels));
        return {
          loss: crossEntropy(logits, targets, { ignoreIndex }) as Tensor,
          dlogits: crossEntropyBackward(logits, targets, tensor(device, [], [1]), { ignoreIndex }) as Tensor,
        };
      });
    });
  });
});

gpuTest(
  "crossEntropy() on a GPU looks labels up there: one that is no class makes the loss NaN and its row's gradient 0",
  (gpu) => {
    for (
      const wrong of [new Int32Array([1, -1]), new Int32Array([1, 3]), new Uint32Array([1, 2 ** 31]), new Uint32Array([1, 4294967295])]
    ) {
      scope(() => {
        const logits = tensor(gpu, [2, 3], [0, 0, 0, 1, 2, 3]), targets = tensor(gpu, [2], wrong as Int32Array);
        assert.ok(Number.isNaN(crossEntropy(logits, targets).itemSync()));
        const dx = crossEntropyBackward(logits, targets, tensor(gpu, [], [2])).readSync();
        close(dx.slice(0, 3), [1 / 3, -2 / 3, 1 / 3], 1e-6);
        assert.deepEqual([...dx.slice(3)], [0, 0, 0]);
      });
    }
    scope(() => {
      // u32 labels, leading axes, and f64, which has no shader.
      assertAsOnCpu(gpu, "leading axes", (device) => {
        const logits = tensor(device, [2, 3, 5], normal(30, 1)), targets = tensor(device, [2, 3], Uint32Array.from([0, 4, 1, 1, 2, 3]));
        return {
          loss: crossEntropy(logits, targets) as Tensor,
          dx: crossEntropyBackward(logits, targets, tensor(device, [], [1])) as Tensor,
        };
      });
      const logits = tensor(gpu, [1, 2], new Float64Array([1, 2])), targets = tensor(gpu, [1], new Int32Array([1]));
      assert.throws(() => crossEntropy(logits, targets), UnsupportedError);
      assert.throws(() => crossEntropyBackward(logits, targets, tensor(gpu, [], new Float64Array([1])), { out: logits }), UnsupportedError);
      assert.deepEqual([...logits.readSync()], [1, 2]);
    });
  },
);

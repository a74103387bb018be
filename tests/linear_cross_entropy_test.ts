import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cpu,
  crossEntropy,
  type Device,
  linear,
  linearCrossEntropy,
  linearCrossEntropyBackward,
  memory,
  reshape,
  scale,
  scope,
  type Tensor,
  tensor,
  transpose,
  trim,
  UnsupportedError,
  valueAndGrad,
} from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertGradients, assertSameBits, randomTensor } from "./harness.ts";
import { everyDevice, refuses, whole } from "./row_harness.ts";

type Any = Tensor<"f32", number[]>;
interface Params {
  x: Any;
  weight: Any;
  bias?: Any;
}

const fused = (p: Params, targets: unknown, options?: { ignoreIndex?: number }): Tensor<"f32", []> =>
  linearCrossEntropy(p.x, p as never, targets as never, options) as never;
const apart = (p: Params, targets: unknown, options?: { ignoreIndex?: number }): Tensor<"f32", []> =>
  crossEntropy(linear(p.x, p as never) as Any, targets as never, options) as never;

/** Some labels, of which about every fifth is -100. */
function labels(rows: number, classes: number, place: number): Int32Array<ArrayBuffer> {
  const ignored = whole(rows, 5, place);
  return Int32Array.from(whole(rows, classes, place + 1), (label, i) => ignored[i] === 0 ? -100 : label);
}

function params(rows: number, width: number, classes: number, bias: boolean, device: Device = cpu): Params {
  const p = { x: randomTensor([rows, width], "f32", 1, device), weight: randomTensor([classes, width], "f32", 2, device) };
  return bias ? { ...p, bias: randomTensor([classes], "f32", 3, device) } : p;
}

test("linearCrossEntropy() has the bits of linear() and crossEntropy(), loss and gradients, in one chunk and several", () => {
  for (const [rows, width, classes] of [[1, 1, 1], [7, 5, 17], [33, 16, 64], [300, 9, 5000]] as const) {
    for (const bias of [false, true]) {
      scope(() => {
        const p = params(rows, width, classes, bias), targets = tensor(cpu, [rows], labels(rows, classes, rows));
        const one = valueAndGrad((p: Params) => fused(p, targets))(p), two = valueAndGrad((p: Params) => apart(p, targets))(p);
        assertSameBits(one.value.readSync(), two.value.readSync(), "loss");
        assertSameBits(fused(p, targets).readSync(), two.value.readSync(), "loss without gradients");
        assertSameBits(one.grads.x.readSync(), two.grads.x.readSync(), "dx");
        assertSameBits(one.grads.weight.readSync(), two.grads.weight.readSync(), "dweight");
        if (bias) assertClose(one.grads.bias!.readSync(), two.grads.bias!.readSync(), 1e-6, "dbias");
      });
    }
  }
});

test("linearCrossEntropy() has the gradients that central differences give", () => {
  const targets = tensor(cpu, [6], new Int32Array([0, 6, -100, 3, 3, 1]));
  for (const shapes of [[[6, 3], [7, 3]], [[6, 3], [7, 3], [7]]]) {
    assertGradients(
      "linearCrossEntropy",
      (x, weight, bias) => linearCrossEntropy(x, { weight, bias } as never, targets as never),
      { shapes },
    );
  }
});

test("linearCrossEntropyBackward() and the tape multiply by what comes after the loss", () => {
  scope(() => {
    const p = params(9, 4, 11, true), targets = tensor(cpu, [9], labels(9, 11, 4));
    const dy = tensor(cpu, [], [-2.5]);
    const g = linearCrossEntropyBackward(p.x, p as never, targets as never, dy);
    const taped = valueAndGrad((p: Params) => scale(apart(p, targets), -2.5))(p);
    const own = valueAndGrad((p: Params) => scale(fused(p, targets), -2.5))(p);
    for (const name of ["x", "weight", "bias"] as const) {
      assertClose(g[name]!.readSync() as Float32Array, taped.grads[name]!.readSync(), 1e-6, name);
      assertSameBits(own.grads[name]!.readSync(), g[name]!.readSync() as Float32Array, name);
    }
  });
});

test("linearCrossEntropy() of some parameters alone, and of one weight used twice", () => {
  scope(() => {
    const p = params(9, 4, 11, true), targets = tensor(cpu, [9], labels(9, 11, 4));
    const all = valueAndGrad((p: Params) => fused(p, targets))(p);
    for (const name of ["x", "weight", "bias"] as const) {
      const one = valueAndGrad((q: Record<string, Any>) => fused({ ...p, ...q }, targets))({ [name]: p[name]! });
      assertSameBits(one.grads[name]!.readSync(), all.grads[name]!.readSync(), name);
    }
    // As a model whose output layer is its embedding.
    const square = { w: randomTensor([4, 4], "f32", 8) }, small = tensor(cpu, [9], labels(9, 4, 4));
    const twice = valueAndGrad((q: { w: Any }) => fused({ x: linear(p.x, { weight: q.w } as never) as never, weight: q.w }, small))(square);
    const wanted = valueAndGrad((q: { w: Any }) => apart({ x: linear(p.x, { weight: q.w } as never) as never, weight: q.w }, small))(
      square,
    );
    assertClose(twice.grads.w.readSync(), wanted.grads.w.readSync(), 1e-6);
  });
});

test("linearCrossEntropy() holds the logits of one chunk, not of all rows", () => {
  scope(() => {
    const [rows, width, classes] = [2048, 8, 8192];
    const p = params(rows, width, classes, false), targets = tensor(cpu, [rows], labels(rows, classes, 1));
    const run = valueAndGrad((p: Params) => fused(p, targets));
    trim();
    const before = memory().bytes;
    run(p)[Symbol.dispose]();
    const used = memory().peakBytes - before;
    // 67 MB of logits; a chunk of 256 rows has 8 MB, and classes are packed and memory rounded up.
    assert.ok(used < 4 * rows * classes / 4, `${used} bytes at the peak`);
  });
});

test("linearCrossEntropy() takes leading axes, a vector and views", () => {
  scope(() => {
    const p = params(6, 4, 5, true), targets = tensor(cpu, [6], new Uint32Array([0, 1, 2, 3, 4, 0]));
    const wanted = valueAndGrad((p: Params) => fused(p, targets))(p);
    const cube = valueAndGrad((p: Params) => fused({ ...p, x: reshape(p.x, [2, 3, 4]) as never }, reshape(targets, [2, 3])))(p);
    assertSameBits(cube.value.readSync(), wanted.value.readSync());
    assertSameBits(cube.grads.x.readSync(), wanted.grads.x.readSync());
    // Columns of x apart, and a weight whose rows are columns of its memory.
    const turned = { x: randomTensor([4, 6], "f32", 9), weight: randomTensor([4, 5], "f32", 10) };
    const view = (p: typeof turned) => ({ x: transpose(p.x) as never as Any, weight: transpose(p.weight) as never as Any });
    const one = valueAndGrad((p: typeof turned) => fused(view(p), targets))(turned);
    const two = valueAndGrad((p: typeof turned) => apart(view(p), targets))(turned);
    assertSameBits(one.value.readSync(), two.value.readSync());
    assertSameBits(one.grads.x.readSync(), two.grads.x.readSync());
    assertSameBits(one.grads.weight.readSync(), two.grads.weight.readSync());
    const vector = randomTensor([4], "f32", 11), label = tensor(cpu, [], new Int32Array([2]));
    const row = fused({ ...p, x: reshape(vector, [1, 4]) as never }, reshape(label, [1]));
    assertSameBits(fused({ ...p, x: vector }, label).readSync(), row.readSync());
  });
});

test("linearCrossEntropy() without rows, or with all of them ignored, is 0, and so are its gradients", () => {
  scope(() => {
    for (const [rows, label] of [[0, 0], [3, -100]] as const) {
      const p = params(rows, 4, 5, true), targets = tensor(cpu, [rows], new Int32Array(rows).fill(label));
      const { value, grads } = valueAndGrad((p: Params) => fused(p, targets))(p);
      assert.equal(value.itemSync(), 0);
      for (const g of [grads.x, grads.weight, grads.bias!]) assert.ok(g.readSync().every((v) => v === 0));
    }
    const p = params(2, 4, 5, false), targets = tensor(cpu, [2], new Uint32Array([255, 3]));
    const wanted = fused({ ...p, x: reshape(p.x, [2, 4]) as never }, tensor(cpu, [2], new Int32Array([-100, 3])));
    assertSameBits(fused(p, targets, { ignoreIndex: 255 }).readSync(), wanted.readSync());
  });
});

test("linearCrossEntropy() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const results = everyDevice().map((device) => {
      const p = params(270, 7, 4100, true, device), targets = tensor(device, [270], labels(270, 4100, 3));
      const { value, grads } = valueAndGrad((p: Params) => fused(p, targets))(p);
      return [value, grads.x, grads.weight, grads.bias!].map((t) => t.readSync());
    });
    for (const result of results) result.forEach((t, i) => assertSameBits(t, results[0]![i]!));
  });
});

test("linearCrossEntropy() names the label that is no class, and says what else is wrong", () => {
  scope(() => {
    const op = "linearCrossEntropy";
    const p = params(3, 2, 4, true), targets = tensor(cpu, [3], new Int32Array([0, 1, 2]));
    const held = memory().tensors;
    const said = "targets[1] is 4, must be from 0 to 3, or -100 to be ignored";
    const wrong = tensor(cpu, [3], new Int32Array([0, 4, 2])), dy = tensor(cpu, [], [1]);
    refuses(() => fused(p, wrong), "RangeError", `${op}: ${said}`);
    refuses(() => valueAndGrad((p: Params) => fused(p, wrong))(p), "RangeError", `${op}: ${said}`);
    refuses(() => linearCrossEntropyBackward(p.x, p as never, wrong as never, dy), "RangeError", `${op}Backward: ${said}`);
    assert.equal(memory().tensors, held + 2, "a refused call left tensors behind");
    refuses(() => fused(p, tensor(cpu, [2], new Int32Array(2))), "RangeError", `${op}: targets is [2], must be [3]`);
    refuses(() => fused(p, tensor(cpu, [3], [0, 1, 2])), "TypeError", `${op}: targets is f32, must be i32 or u32`);
    refuses(() => fused(p, targets, { ignoreIndex: 0.5 }), "RangeError", `${op}: ignoreIndex must be a whole number, got 0.5`);
    refuses(() => fused({ ...p, bias: randomTensor([3], "f32") }, targets), "RangeError", `${op}: bias is [3], must be [4]`);
    refuses(
      () => fused({ ...p, weight: randomTensor([4, 2], "f64") as never }, targets),
      "TypeError",
      `${op}: weight is f64, x is f32`,
    );
    refuses(
      () => linearCrossEntropyBackward(p.x, p as never, targets as never, tensor(cpu, [1], [1]) as never),
      "RangeError",
      `${op}Backward: dy is [1], must be []`,
    );
    p.x.dispose();
    refuses(() => fused(p, targets), "TypeError", `${op}: x was disposed`);
  });
});

gpuTest("linearCrossEntropy() on a GPU is that of the CPU, loss and gradients, in one chunk and several", (gpu) => {
  for (const [rows, width, classes] of [[0, 3, 4], [1, 1, 1], [7, 5, 17], [33, 16, 64], [65, 33, 129], [300, 9, 5000]] as const) {
    for (const bias of [false, true]) {
      scope(() => {
        assertAsOnCpu(gpu, `${rows}, ${width}, ${classes}`, (device) => {
          const p = params(rows, width, classes, bias, device), targets = tensor(device, [rows], labels(rows, classes, rows));
          const { value, grads } = valueAndGrad((p: Params) => fused(p, targets))(p);
          const g = linearCrossEntropyBackward(p.x, p as never, targets as never, tensor(device, [], [-2]));
          return {
            value: value as Tensor,
            alone: fused(p, targets) as Tensor,
            ...grads as unknown as Record<string, Tensor>,
            again: g.x as Tensor,
          };
        }, 2e-5);
      });
    }
  }
});

gpuTest("linearCrossEntropy() on a GPU holds the logits of one chunk, not of all rows", (gpu) => {
  scope(() => {
    const [rows, width, classes] = [3072, 4, 8192];
    const p = params(rows, width, classes, false, gpu), targets = tensor(gpu, [rows], labels(rows, classes, 1));
    const before = gpu.statistics().heldBytes;
    assert.ok(Math.abs(fused(p, targets).itemSync() - Math.log(classes)) < 1);
    // 100 MB of logits; memory is asked for in blocks of 64 MiB.
    assert.ok(gpu.statistics().heldBytes - before <= 64 << 20, `${gpu.statistics().heldBytes - before} bytes`);
  });
});

gpuTest("linearCrossEntropy() on a GPU: views, ignored rows alone, labels that are no class, and no shader for f64", (gpu) => {
  scope(() => {
    assertAsOnCpu(gpu, "views", (device) => {
      const x = randomTensor([6, 4], "f32", 1, device), turned = randomTensor([4, 9], "f32", 2, device);
      const p = { x: x as Any, weight: transpose(turned) as unknown as Any },
        targets = tensor(device, [6], Uint32Array.from([0, 8, 3, 3, 1, 7]));
      const { value, grads } = valueAndGrad((p: Params) => fused(p, targets))(p);
      return { value: value as Tensor, x: grads.x as Tensor, weight: grads.weight as Tensor };
    }, 1e-5);
    assertAsOnCpu(gpu, "all ignored", (device) => {
      const p = params(5, 3, 4, true, device), targets = tensor(device, [5], Int32Array.from([7, 7, 7, 7, 7]));
      const { value, grads } = valueAndGrad((p: Params) => fused(p, targets, { ignoreIndex: 7 }))(p);
      return { value: value as Tensor, x: grads.x as Tensor, weight: grads.weight as Tensor, bias: grads.bias as Tensor };
    });
    const p = params(2, 3, 4, false, gpu);
    const wrong = valueAndGrad((p: Params) => fused(p, tensor(gpu, [2], Int32Array.from([1, 4]))))(p);
    assert.ok(Number.isNaN(wrong.value.itemSync()));
    assert.deepEqual([...wrong.grads.x.readSync()].map((v) => v === 0), [false, false, false, true, true, true]);
    const x = tensor(gpu, [1, 2], new Float64Array([1, 2])), weight = tensor(gpu, [2, 2], new Float64Array(4));
    assert.throws(() => linearCrossEntropy(x, { weight }, tensor(gpu, [1], new Int32Array([1]))), UnsupportedError);
  });
});

gpuTest("linearCrossEntropy() on a GPU has gradients of 0 if all rows are ignored, whatever x and the weight hold", (gpu) => {
  for (const classes of [5, 20_000]) {
    scope(() => {
      assertAsOnCpu(gpu, `${classes} classes`, (device) => {
        const p = params(3, 2, classes, true, device), targets = tensor(device, [3], Int32Array.of(-100, -100, -100));
        p.x.write(Float32Array.of(NaN, 1, Infinity, 2, 3, -Infinity));
        p.weight.write(new Float32Array(2 * classes).fill(NaN));
        const { value, grads } = valueAndGrad((p: Params) => fused(p, targets))(p);
        return { value: value as Tensor, x: grads.x as Tensor, weight: grads.weight as Tensor, bias: grads.bias as Tensor };
      });
    });
  }
});

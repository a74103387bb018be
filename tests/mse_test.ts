import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, full, mse, mseBackward, scope, type Tensor, tensor, UnsupportedError, valueAndGrad } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { both, close, differences, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

function reference(x: ArrayLike<number>, target: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i]! - target[i]!) ** 2;
  return x.length === 0 ? 0 : sum / x.length;
}

test("mse() is what f64 gives at every length, the same bits from dense tensors and views", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const n of lengths) {
      scope(() => {
        const x = both(normal(3 * n, n + 1, 2))[dtype], t = both(normal(3 * n, n + 2))[dtype];
        const dense = mse(of(cpu, [3, n], x, dtype), of(cpu, [3, n], t, dtype)).itemSync();
        close([dense], [reference(x, t)], dtype === "f32" ? 1e-6 : 1e-13);
        for (const turned of [false, true]) {
          assert.equal(mse(strided(cpu, [3, n], x, dtype, turned), strided(cpu, [3, n], t, dtype, !turned)).itemSync(), dense);
        }
      });
    }
  }
});

test("mse() has the gradients that central differences give, each alone too", () => {
  scope(() => {
    const n = 57;
    const x = Float64Array.from(normal(n, 1)), t = Float64Array.from(normal(n, 2));
    const wanted = [differences((v) => 1.5 * reference(v, t), x), differences((v) => 1.5 * reference(x, v), t)];
    const input = tensor(cpu, [3, 19], x), target = tensor(cpu, [3, 19], t), dy = tensor(cpu, [], new Float64Array([1.5]));
    const g = mseBackward(input, target, dy);
    for (const [i, found] of [g.x, g.target].entries()) close(found.readSync(), wanted[i]!, 1e-7);
    const tape = taped(() => mse(input, target) as never);
    for (const [i, found] of tape.backward(dy as never).entries()) close(found!.readSync(), wanted[i]!, 1e-7);
    for (const which of [0, 1]) {
      const some = tape.backward(dy as never, [which === 0, which === 1]);
      assert.equal(some[1 - which], null);
      assert.deepEqual(some[which]!.readSync(), (which === 0 ? g.x : g.target).readSync());
    }
    const views = mseBackward(strided(cpu, [3, 19], x, "f64"), strided(cpu, [3, 19], t, "f64", true), dy);
    assert.deepEqual(views.target.readSync(), g.target.readSync());
  });
});

test("mse() trains a parameter towards its target", () => {
  using target = tensor(cpu, [2], [3, 5]);
  using w = tensor(cpu, [2], [1, 1]);
  using step = valueAndGrad((p: { w: typeof w }) => mse(p.w, target))({ w });
  assert.equal(step.value.itemSync(), 10);
  assert.deepEqual([...step.grads.w.readSync()], [-2, -4]);
});

test("mse() of nothing, of NaN and of long tensors", () => {
  scope(() => {
    const none = tensor(cpu, [0, 3], []), one = tensor(cpu, [], [1]);
    assert.equal(mse(none, none).itemSync(), 0);
    assert.deepEqual(mseBackward(none, none, one).x.shape, [0, 3]);
    assert.ok(Number.isNaN(mse(tensor(cpu, [2], [1, NaN]), tensor(cpu, [2], [1, 1])).itemSync()));
    // The square of 2e19 is beyond f32, the mean of four is not.
    close([mse(tensor(cpu, [4], [2e19, 0, 0, 0]), tensor(cpu, [4], [0, 0, 0, 0])).itemSync()], [1e38], 1e-6);
  });
});

test("mse() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [x, t] = [1, 2].map((seed) => Float32Array.from(normal(30_001, seed)));
    const results = everyDevice().map((device) => {
      const a = tensor(device, [30_001], x!), b = tensor(device, [30_001], t!);
      const loss = mse(a, b), g = mseBackward(a, b, loss);
      return [loss, g.x, g.target].map((r) => r.readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("mse() says what is wrong", () => {
  scope(() => {
    const x = tensor(cpu, [2], [1, 2]);
    refuses(() => mse(x, tensor(cpu, [3], [1, 2, 3]) as never), "RangeError", "mse: target is [3], must be [2]");
    refuses(() => mse(x, tensor(cpu, [2], new Float64Array(2)) as never), "TypeError", "mse: target is f64, x is f32");
    const integers = tensor(cpu, [2], new Int32Array(2)) as never;
    refuses(() => mse(integers, integers), "TypeError", "mse: x is i32, must be f32 or f64");
    refuses(() => mseBackward(x, x, x as never), "RangeError", "mseBackward: dy is [2], must be []");
  });
});

gpuTest("mse() on a GPU is that of the CPU at every length, forward and backward, each gradient alone, and from views", (gpu) => {
  for (const cols of [...lengths, 127, 128, 255, 256, 257, 1000]) {
    for (const rows of [1, 3, 70]) {
      scope(() => {
        const [a, b] = [normal(rows * cols, 1, 2), normal(rows * cols, 2)];
        assertAsOnCpu(gpu, `${rows}×${cols}`, (device) => {
          const x = tensor(device, [rows, cols], a!), target = tensor(device, [rows, cols], b!), dy = tensor(device, [], [1.5]);
          const tape = taped(() => mse(x, target) as Tensor);
          const g = mseBackward(x, target, dy);
          const [dx, none] = tape.backward(dy as Tensor, [true, false]), dtarget = tape.backward(dy as Tensor, [false, true])[1]!;
          assert.equal(none, null);
          const views = mseBackward(framed(device, [rows, cols], a!)[0], framed(device, [rows, cols], b!)[0], dy);
          return {
            loss: tape.out,
            dx: g.x,
            alone: dx!,
            dtarget: g.target,
            targetAlone: dtarget,
            viewed: views.x as Tensor,
            viewedTarget: views.target as Tensor,
          };
        }, 3e-7);
      });
    }
  }
});

gpuTest("mse() on a GPU keeps every term of a long sum, shows NaN and infinities, and has no shader for f64", (gpu) => {
  scope(() => {
    const n = (1 << 24) + 3;
    assert.equal(mse(full(gpu, [n], 1), full(gpu, [n], 4)).itemSync(), 9);
    for (const value of [NaN, Infinity, -Infinity]) {
      assertAsOnCpu(gpu, `${value}`, (device) => {
        const x = tensor(device, [2], [1, value]), target = tensor(device, [2], [2, 1]);
        return { loss: mse(x, target) as Tensor, dx: mseBackward(x, target, tensor(device, [], [1])).x as Tensor };
      });
    }
    const x = tensor(gpu, [2], new Float64Array([1, 2]));
    assert.throws(() => mse(x, x), UnsupportedError);
    assert.throws(() => mseBackward(x, x, tensor(gpu, [], new Float64Array([1]))), UnsupportedError);
  });
});

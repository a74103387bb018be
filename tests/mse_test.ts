import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, mse, mseBackward, scope, tensor, valueAndGrad } from "../mod.ts";
import { both, close, differences, everyDevice, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

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

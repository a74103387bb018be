import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, routerZLoss, routerZLossBackward, scope, type Tensor, tensor } from "../mod.ts";
import { assertGradients } from "./harness.ts";
import { both, close, everyDevice, normal, of, refuses, strided } from "./row_harness.ts";

/** Plain loops in f64. */
function reference(x: ArrayLike<number>, experts: number): number {
  let loss = 0;
  for (let at = 0; at < x.length; at += experts) {
    let sum = 0;
    for (let e = 0; e < experts; e++) sum += Math.exp(x[at + e]!);
    loss += Math.log(sum) ** 2 * experts / x.length;
  }
  return loss;
}

for (const dtype of ["f32", "f64"] as const) {
  test(`routerZLoss() in ${dtype} is what plain f64 loops give, dense or strided`, () => {
    for (const experts of [1, 2, 4, 15, 16, 17, 33, 65]) {
      for (const rows of [1, 15, 16, 17, 70]) {
        scope(() => {
          const data = both(normal(rows * experts, experts, 2))[dtype];
          for (const logits of [of(cpu, [rows, experts], data, dtype), strided(cpu, [rows, experts], data, dtype, true)]) {
            close(
              [(routerZLoss(logits as never) as Tensor<"f64", []>).itemSync()],
              [reference(data, experts)],
              dtype === "f32" ? 1e-5 : 1e-13,
            );
          }
        });
      }
    }
  });
}

test("routerZLoss() has the gradients that central differences give", () => {
  for (const experts of [1, 5, 18]) assertGradients("routerZLoss", (x) => routerZLoss(x as never), { shapes: [[17, experts]] });
});

test("routerZLoss() of large, masked and missing rows", () => {
  scope(() => {
    const one = tensor(cpu, [], [1]);
    const at = (x: number[]) => {
      const logits = tensor(cpu, [x.length / 2, 2], x);
      return [routerZLoss(logits).itemSync(), ...routerZLossBackward(logits, one).readSync()];
    };
    assert.deepEqual(at([1000, 0]), [1e6, 2000, 0]);
    assert.deepEqual(at([-Infinity, -3]), [9, -0, -6]);
    assert.deepEqual(at([-Infinity, -Infinity]), [0, 0, 0]);
    assert.deepEqual(at([NaN, 0, -Infinity, 3]), [NaN, NaN, NaN, 0, 3]);
    assert.deepEqual(at([Infinity, 0, -Infinity, 3]), [NaN, NaN, NaN, 0, 3]);
    assert.deepEqual(at([]), [0]);
  });
});

test("routerZLoss() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, experts] = [331, 21];
    const data = Float32Array.from(normal(rows * experts, 1));
    const results = everyDevice().map((device) => {
      const logits = tensor(device, [rows, experts], data);
      return [routerZLoss(logits), routerZLossBackward(logits, tensor(device, [], [1.5]))].map((t) => (t as Tensor).readSync());
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("routerZLoss() says what is wrong, and its gradient may take the place of the logits", () => {
  scope(() => {
    const logits = tensor(cpu, [2, 2], [1, 2, 3, 4]), dy = tensor(cpu, [], [1]);
    refuses(() => routerZLoss(dy as never), "RangeError", "routerZLoss: logits is [], must be [rows, experts]");
    refuses(
      () => routerZLoss(tensor(cpu, [1, 1], new Uint32Array(1)) as never),
      "TypeError",
      "routerZLoss: logits is u32, must be f32 or f64",
    );
    refuses(() => routerZLossBackward(logits, logits as never), "RangeError", "routerZLossBackward: dy is [2, 2], must be []");
    const want = routerZLossBackward(logits, dy).readSync();
    routerZLossBackward(logits, dy, { out: logits });
    assert.deepEqual(logits.readSync(), want);
  });
});

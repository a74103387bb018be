import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, routerZLoss, routerZLossBackward, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients } from "./harness.ts";
import { both, close, everyDevice, framed, normal, of, refuses, strided } from "./row_harness.ts";

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

gpuTest("routerZLoss() and its gradient on a GPU are those of the CPU, from views and in place", (gpu) => {
  for (const experts of [1, 2, 4, 15, 16, 17, 33, 64, 65, 128, 129, 300]) {
    for (const rows of [0, 1, 6, 70, 4500]) {
      if (rows > 70 && experts > 4) continue;
      scope(() => {
        const data = normal(rows * experts, experts, 2);
        assertAsOnCpu(gpu, `${rows} rows of ${experts}`, (device) => {
          const logits = framed(device, [rows, experts], data)[0] as never, dloss = tensor(device, [], [1.5]);
          const [own, beside] = framed(device, [rows, experts], data);
          assert.equal(native.tw_router_z_loss_backward(device.handle, own.handle, dloss.handle, own.handle), 0);
          return { loss: routerZLoss(logits) as Tensor, dlogits: routerZLossBackward(logits, dloss) as Tensor, beside };
        }, 4e-6);
      });
    }
  }
});

gpuTest("routerZLoss() on a GPU of large and masked rows, NaN and infinities; f64 has no shader", (gpu) => {
  scope(() => {
    const { Infinity: inf, NaN: nan } = globalThis;
    assertAsOnCpu(gpu, "edges", (device) => {
      const dloss = tensor(device, [], [1]), all: Record<string, Tensor> = {};
      for (
        const row of [[1000, 0, 0, -1000], [-inf, 3, -inf, -inf], [0, -inf, 0, -inf], [nan, 1, 3, -inf], [inf, 1, 3, -inf], [
          nan,
          -inf,
          nan,
          nan,
        ], [0.5, -0.9, 1, 2]]
      ) {
        const logits = tensor(device, [2, 2], row);
        all[`loss of ${row}`] = routerZLoss(logits) as Tensor;
        all[`gradient of ${row}`] = routerZLossBackward(logits, dloss) as Tensor;
      }
      return all;
    }, 4e-6);
    const wide = tensor(gpu, [1, 2], new Float64Array(2));
    assert.throws(() => routerZLoss(wide), UnsupportedError);
    assert.throws(() => routerZLossBackward(wide, tensor(gpu, [], new Float64Array(1))), UnsupportedError);
  });
});

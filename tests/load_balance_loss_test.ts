import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, expertOrder, loadBalanceLoss, loadBalanceLossBackward, route, scope, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { native } from "../ffi/library.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertGradients } from "./harness.ts";
import { both, close, everyDevice, framed, normal, of, refuses, strided } from "./row_harness.ts";

const scores = ["softmax", "sigmoid"] as const;

/** Plain loops in f64. */
function reference(x: ArrayLike<number>, offsets: readonly number[], score: typeof scores[number]): number {
  const experts = offsets.length - 1, rows = x.length / experts;
  const means = new Float64Array(experts);
  for (let r = 0; r < rows; r++) {
    const raw = Array.from(
      { length: experts },
      (_, e) => score === "softmax" ? Math.exp(x[r * experts + e]!) : 1 / (1 + Math.exp(-x[r * experts + e]!)),
    );
    const sum = raw.reduce((a, b) => a + b, 0);
    raw.forEach((v, e) => means[e]! += v / sum / rows);
  }
  return means.reduce((loss, p, e) => loss + experts * (offsets[e + 1]! - offsets[e]!) / offsets[experts]! * p, 0);
}

/** Loads that differ, with experts that nobody chose. */
function offsetsOf(experts: number): number[] {
  const offsets = [0];
  for (let e = 0; e < experts; e++) offsets.push(offsets[e]! + (e % 3 === 1 ? 0 : e + 1));
  return offsets;
}

for (const dtype of ["f32", "f64"] as const) {
  test(`loadBalanceLoss() in ${dtype} is what plain f64 loops give, dense or strided, both scores`, () => {
    for (const experts of [1, 2, 4, 15, 16, 17, 33, 65]) {
      for (const rows of [1, 6, 70]) {
        scope(() => {
          const data = both(normal(rows * experts, experts, 2))[dtype], offsets = offsetsOf(experts);
          for (const score of scores) {
            for (const logits of [of(cpu, [rows, experts], data, dtype), strided(cpu, [rows, experts], data, dtype)]) {
              const loss = loadBalanceLoss(logits as never, tensor(cpu, [experts + 1], Uint32Array.from(offsets)) as never, { score });
              close([(loss as Tensor<"f64", []>).itemSync()], [reference(data, offsets, score)], dtype === "f32" ? 1e-5 : 1e-13);
            }
          }
        });
      }
    }
  });
}

test("loadBalanceLoss() has the gradients that central differences give; offsets are constants", () => {
  for (const score of scores) {
    for (const experts of [2, 5, 18]) {
      scope(() => {
        const offsets = tensor(cpu, [experts + 1], Uint32Array.from(offsetsOf(experts))) as never;
        assertGradients("loadBalanceLoss", (x) => loadBalanceLoss(x as never, offsets, { score }), { shapes: [[7, experts]] });
      });
    }
  }
});

test("loadBalanceLoss() is 1 for an even load, whatever topK is, experts for one expert alone, and 0 without rows", () => {
  scope(() => {
    const logits = tensor(cpu, [4, 4], [9, 3, 0, 0, 0, 9, 3, 0, 0, 0, 9, 3, 3, 0, 0, 9]);
    for (const topK of [1, 2, 4]) {
      const { offsets } = expertOrder(route(logits, { topK }).indices as never, { experts: 4 });
      close([loadBalanceLoss(logits, offsets as never).itemSync()], [1]);
    }
    const peaks = tensor(cpu, [2, 3], [90, 0, 0, 90, 0, 0]);
    close([loadBalanceLoss(peaks, tensor(cpu, [4], new Uint32Array([0, 2, 2, 2]))).itemSync()], [3]);
    assert.equal(loadBalanceLoss(tensor(cpu, [0, 3], []), tensor(cpu, [4], new Uint32Array(4))).itemSync(), 0);
    assert.equal(loadBalanceLoss(tensor(cpu, [1, 2], [NaN, 0]), tensor(cpu, [3], new Uint32Array([0, 1, 1]))).itemSync(), NaN);
  });
});

test("loadBalanceLoss() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const [rows, experts] = [331, 21];
    const data = Float32Array.from(normal(rows * experts, 1)), places = Uint32Array.from(offsetsOf(experts));
    for (const score of scores) {
      const results = everyDevice().map((device) => {
        const logits = tensor(device, [rows, experts], data), offsets = tensor(device, [experts + 1], places) as never;
        const dx = loadBalanceLossBackward(logits, offsets, tensor(device, [], [1.5]), { score });
        return [loadBalanceLoss(logits, offsets, { score }), dx].map((t) => (t as Tensor).readSync());
      });
      for (const result of results) assert.deepEqual(result, results[0]);
    }
  });
});

test("loadBalanceLoss() says what is wrong, and its gradient may take the place of the logits", () => {
  scope(() => {
    const logits = tensor(cpu, [2, 2], [1, 2, 3, 4]), dy = tensor(cpu, [], [1]), offsets = tensor(cpu, [3], new Uint32Array([0, 1, 4]));
    const falling = tensor(cpu, [3], new Uint32Array([0, 3, 2]));
    const rule = "must be 0 at first, and then no less than the one before";
    refuses(() => loadBalanceLoss(logits, falling), "RangeError", `loadBalanceLoss: offsets[2] is 2, ${rule}`);
    refuses(
      () => loadBalanceLossBackward(logits, falling, dy, { out: logits }),
      "RangeError",
      `loadBalanceLossBackward: offsets[2] is 2, ${rule}`,
    );
    assert.deepEqual([...logits.readSync()], [1, 2, 3, 4]);
    const late = tensor(cpu, [3], new Uint32Array([1, 3, 4]));
    refuses(() => loadBalanceLoss(logits, late), "RangeError", `loadBalanceLoss: offsets[0] is 1, ${rule}`);
    refuses(
      () => loadBalanceLoss(logits, tensor(cpu, [2], new Uint32Array(2))),
      "RangeError",
      "loadBalanceLoss: offsets is [2], must be [3]",
    );
    refuses(
      () => loadBalanceLoss(logits, tensor(cpu, [3], new Int32Array(3)) as never),
      "TypeError",
      "loadBalanceLoss: offsets is i32, must be u32",
    );
    refuses(
      () => loadBalanceLoss(logits, offsets, { score: "none" } as never),
      "TypeError",
      'loadBalanceLoss: score must be "softmax" or "sigmoid", got the string "none"',
    );
    refuses(
      () => loadBalanceLossBackward(logits, offsets, logits as never),
      "RangeError",
      "loadBalanceLossBackward: dy is [2, 2], must be []",
    );
    const want = loadBalanceLossBackward(logits, offsets, dy).readSync();
    loadBalanceLossBackward(logits, offsets, dy, { out: logits });
    assert.deepEqual(logits.readSync(), want);
  });
});

gpuTest("loadBalanceLoss() and its gradient on a GPU are those of the CPU, both scores, from views and in place", (gpu) => {
  for (const experts of [1, 2, 4, 15, 16, 17, 33, 64, 65, 128, 129, 300]) {
    for (const rows of [0, 1, 6, 70, 4500]) {
      if (rows > 70 && experts > 4) continue;
      scope(() => {
        const data = normal(rows * experts, experts, 2), starts = Uint32Array.from(offsetsOf(experts));
        for (const score of scores) {
          assertAsOnCpu(gpu, `${rows} rows of ${experts}, ${score}`, (device) => {
            const offsets = tensor(device, [experts + 1], starts) as never, dloss = tensor(device, [], [1.5]);
            const logits = framed(device, [rows, experts], data)[0] as never;
            const [own, beside] = framed(device, [rows, experts], data);
            const code = native.tw_load_balance_loss_backward(
              device.handle,
              own.handle,
              dloss.handle,
              own.handle,
              (offsets as Tensor).handle,
              score === "sigmoid" ? 1 : 0,
            );
            assert.equal(code, 0);
            return {
              loss: loadBalanceLoss(logits, offsets, { score }),
              dlogits: loadBalanceLossBackward(logits, offsets, dloss, { score }),
              beside,
            } as Record<string, Tensor>;
          }, 4e-6);
        }
      });
    }
  }
});

gpuTest("loadBalanceLoss() on a GPU shows NaN, infinities and offsets that fall; no choices count as none; f64 has no shader", (gpu) => {
  scope(() => {
    const { Infinity: inf, NaN: nan } = globalThis;
    for (const score of scores) {
      assertAsOnCpu(gpu, `edges, ${score}`, (device) => {
        const offsets = tensor(device, [3], Uint32Array.of(0, 1, 4)), dloss = tensor(device, [], [1]), all: Record<string, Tensor> = {};
        for (const row of [[nan, 1, 2, 3], [inf, 0, 1, 2], [-inf, -inf, 0, 1], [-80, -85, -inf, 0]]) {
          const logits = tensor(device, [2, 2], row);
          all[`loss of ${row}`] = loadBalanceLoss(logits, offsets, { score }) as Tensor;
          all[`gradient of ${row}`] = loadBalanceLossBackward(logits, offsets, dloss, { score }) as Tensor;
        }
        all["no choices"] = loadBalanceLoss(tensor(device, [1, 2], [1, 2]), tensor(device, [3], Uint32Array.of(0, 0, 0)), {
          score,
        }) as Tensor;
        return all;
      }, 3e-5);
    }
    const logits = tensor(gpu, [1, 2], [1, 2]);
    for (const starts of [[0, 2, 1], [1, 2, 3]]) {
      assert.equal(loadBalanceLoss(logits, tensor(gpu, [3], Uint32Array.from(starts))).itemSync(), NaN);
    }
    const wide = tensor(gpu, [1, 2], new Float64Array(2)), offsets = tensor(gpu, [3], Uint32Array.of(0, 1, 2));
    assert.throws(() => loadBalanceLoss(wide, offsets), UnsupportedError);
    assert.throws(() => loadBalanceLossBackward(wide, offsets, tensor(gpu, [], new Float64Array(1))), UnsupportedError);
  });
});

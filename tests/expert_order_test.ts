import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, expertOrder, scope, type Tensor, tensor, transpose } from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { devices } from "./harness.ts";
import { refuses, whole } from "./row_harness.ts";

/** What a look over all indices for each expert gives. */
function reference(indices: readonly number[], experts: number) {
  const offsets = [0], order: number[] = [], places = new Array<number>(indices.length);
  for (let e = 0; e < experts; e++) {
    indices.forEach((index, i) => {
      if (index !== e) return;
      places[i] = order.length;
      order.push(i);
    });
    offsets.push(order.length);
  }
  return { offsets, order, places };
}

test("expertOrder() is the stable order by expert on 1 to 8 workers, i32 and u32, dense or transposed, with experts that nobody chose", () => {
  for (const device of devices()) {
    for (const [rows, k, experts] of [[0, 2, 3], [1, 1, 1], [17, 2, 4], [33, 3, 70], [6000, 2, 5]] as const) {
      scope(() => {
        const list = whole(rows * k, experts, rows).map((e) => e === 1 ? 0 : e);
        const want = reference(list, experts);
        const turned = Array.from(list, (_, i) => list[i % rows * k + Math.floor(i / rows)]!);
        for (
          const indices of [
            tensor(device, [rows, k], Uint32Array.from(list)),
            tensor(device, [rows, k], Int32Array.from(list)),
            transpose(tensor(device, [k, rows], Uint32Array.from(turned))),
          ]
        ) {
          const { offsets, order, places } = expertOrder(indices as never, { experts });
          assert.deepEqual([offsets.shape, order.shape, places.shape], [[experts + 1], [rows * k], [rows, k]]);
          assert.deepEqual([...offsets.readSync()], want.offsets);
          assert.deepEqual([...order.readSync()], want.order);
          assert.deepEqual([...places.readSync()], want.places);
        }
      });
    }
  }
});

test("expertOrder() says what is wrong", () => {
  scope(() => {
    const indices = tensor(cpu, [2, 2], new Int32Array([0, 1, -1, 2]));
    refuses(() => expertOrder(indices, { experts: 3 }), "RangeError", "expertOrder: indices[1, 0] is -1, must be from 0 to 2");
    const high = tensor(cpu, [1, 2], new Uint32Array([2, 3]));
    refuses(() => expertOrder(high, { experts: 3 }), "RangeError", "expertOrder: indices[0, 1] is 3, must be from 0 to 2");
    refuses(() => expertOrder(high, { experts: 0 }), "RangeError", "expertOrder: indices[0, 0] is 2, must be absent: there are no experts");
    refuses(
      () => expertOrder(high, { experts: -1 }),
      "RangeError",
      "expertOrder: experts must be a whole number from 0 to 4294967294, got -1",
    );
    refuses(() => expertOrder(high, undefined as never), "TypeError", "expertOrder: options must be an object { experts }, got undefined");
    const flat = tensor(cpu, [2], new Uint32Array([0, 1]));
    refuses(() => expertOrder(flat as never, { experts: 2 }), "RangeError", "expertOrder: indices is [2], must be [rows, k]");
    const floats = tensor(cpu, [1, 1], [0]);
    refuses(() => expertOrder(floats as never, { experts: 2 }), "TypeError", "expertOrder: indices is f32, must be i32 or u32");
  });
});

gpuTest(
  "expertOrder() on a GPU is that of the CPU, for sizes around its stretches and many experts, i32 and u32, dense or transposed",
  (gpu) => {
    const shapes = [
      ...[[0, 2, 3], [0, 2, 0], [4, 0, 3], [1, 1, 1], [17, 2, 4], [33, 3, 70], [255, 1, 3], [256, 1, 3], [257, 1, 3], [128, 4, 2]],
      // More experts than a workgroup has threads or counters, long chunks, and more chunks than threads.
      ...[[200, 3, 256], [200, 3, 257], [700, 3, 1100], [3000, 3, 5000], [33000, 2, 8]],
    ] as const;
    for (const [rows, k, experts] of shapes) {
      scope(() => {
        const list = whole(rows * k, Math.max(1, experts), rows).map((e) => e === 1 ? 0 : e);
        const turned = Array.from(list, (_, i) => list[i % rows * k + Math.floor(i / rows)]!);
        for (const [type, as] of [["i32", Int32Array], ["u32", Uint32Array], ["transposed", null]] as const) {
          if (rows > 1000 && type !== "u32") continue; // once is enough
          assertAsOnCpu(gpu, `${rows} rows, ${k} of ${experts}, ${type}`, (device) => {
            const indices = as === null
              ? transpose(tensor(device, [k, rows], Uint32Array.from(turned)))
              : tensor(device, [rows, k], as.from(list) as Uint32Array<ArrayBuffer>);
            return { ...expertOrder(indices as never, { experts }) } as Record<string, Tensor>;
          });
        }
      });
    }
  },
);

gpuTest("expertOrder() on a GPU counts an index that is no expert as the last one, and stays a permutation", async (gpu) => {
  const list = [1, 7, -1, 0, 2147483647, 2, -2147483648, 1];
  const want = reference(list.map((e) => e < 0 || e > 2 ? 2 : e), 3);
  const { offsets, order, places } = expertOrder(tensor(gpu, [4, 2], Int32Array.from(list)), { experts: 3 });
  assert.deepEqual([[...await offsets.read()], [...await order.read()], [...await places.read()]], [want.offsets, want.order, want.places]);
  assert.throws(() => expertOrder(tensor(gpu, [1, 1], Uint32Array.of(0)), { experts: 0 }), RangeError);
});

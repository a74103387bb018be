/** What the tests of elementwise ops of two operands share on a GPU. */

import assert from "node:assert/strict";
import { cast, scale, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { randomTensor } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

/** An op of two operands of any shapes that broadcast. */
type Binary = (a: Tensor, b: Tensor, options?: { out?: Tensor }) => Tensor;

/** Tests an op against the CPU: every way to broadcast, views, in place, integers, what is no number, and its gradients. */
export function testBinaryOnGpu(name: string, op_: unknown): void {
  const op = op_ as Binary; // the op's own type compares shapes, which these tests do not know

  gpuTest(`${name}() on a GPU has the bits of the CPU for every way to broadcast, every layout, and integers`, (gpu) => {
    const shapes: [number[], number[]][] = [
      [[], []],
      [[257], [257]],
      [[3, 17], [17]],
      [[3, 17], [3, 1]],
      [[33, 1], [1, 17]],
      [[65, 129], []],
      [[2, 3, 4], [3, 1]],
      [[2, 1, 2, 1, 2, 1, 2, 3], [1, 2, 1, 2, 1, 2, 3]],
      [[0, 4], [4]],
      [[66000, 3], [3]],
    ];
    for (const [sa, sb] of shapes) {
      assertAsOnCpu(gpu, `${sa} and ${sb}`, (device) => {
        const a = randomTensor(sa, "f32", 1, device), b = randomTensor(sb, "f32", 2, device);
        const whole = (x: Any, dtype: "i32" | "u32") => cast(scale(x, 2 ** 33), dtype) as Tensor;
        return {
          plain: op(a, b) as Tensor,
          swapped: op(b, a) as Tensor,
          signed: op(whole(a, "i32"), whole(b, "i32")),
          unsigned: op(whole(a, "u32"), whole(b, "u32")),
        };
      }, 0);
    }
    assertAsOnCpu(gpu, "views", (device) => {
      const x = randomTensor([30, 40], "f32", 3, device), canvas = zeros(device, [40, 50]), same = randomTensor([30, 40], "f32", 4, device);
      op(transpose(x), slice(transpose(same), 1, 0, 30), { out: slice(canvas, 1, 7, 37) });
      op(same, same, { out: same });
      return { canvas, same };
    }, 0);
    assertAsOnCpu(gpu, "what is no number", (device) => {
      const x = tensor(device, [5], [NaN, Infinity, -Infinity, -0, 1e30]);
      return { out: op(x, tensor(device, [5, 1], [NaN, Infinity, 0, -0, 1e30])) };
    }, 0);
    using wide = tensor(gpu, [1], new Float64Array([3]));
    assert.throws(() => op(wide, wide, { out: wide }), { name: "UnsupportedError" });
    assert.equal(wide.itemSync(), 3);
  });

  gpuTest(`${name}() on a GPU passes gradients on`, (gpu) => {
    assertAsOnCpu(gpu, "gradients", (device) => {
      return gradientsOf(device, (a, b) => op(a!, b!), [
        randomTensor([3, 40], "f32", 1, device),
        randomTensor([3, 40], "f32", 2, device),
      ]);
    });
  });
}

/** Products of experts on a GPU against those of the CPU: what every variant of the shaders has to pass, here and in programs that ask for a variant. */

import assert from "node:assert/strict";
import {
  cpu,
  type CpuDevice,
  type Device,
  groupedLinear,
  groupedLinearBackward,
  slice,
  type Tensor,
  tensor,
  transpose,
  type VulkanDevice,
} from "../mod.ts";
import { assertAsOnCpu, type Results } from "./gpu_harness.ts";
import { assertSameBits, hash, numbers } from "./harness.ts";

/** Rows of each expert: none, one, around the tiles, all with one expert, more experts than a workgroup has threads. */
const shares: [number[], number, number][] = [
  [[3, 0, 1, 17], 5, 7],
  [[0, 33, 0, 0], 40, 33],
  [[1, 1, 1], 16, 31],
  [[130, 15, 2, 64], 48, 65],
  [[31, 32, 33], 17, 64],
  [[63, 64, 65, 0], 64, 17],
  [[129], 33, 127],
  // Deep enough for parts: of all experts, of one that has most rows, and of rows that fill parts to the last.
  [[1100, 1030, 1200], 9, 6],
  [[3, 2900, 0, 600], 7, 66],
  [[1024, 1024], 5, 5],
  [[5, 0, 7], 0, 4],
  [[5, 0, 7], 4, 0],
  [[0, 0], 4, 5],
  [[], 4, 5],
  [Array.from({ length: 600 }, (_, e) => e % 7 === 3 ? 5 : Number(e % 5 === 0)), 3, 2],
];

const some = <T>(x: T) => x as never; // shapes that the compiler does not know here

/** Tensors of seeded numbers on any device. */
function made(device: Device) {
  return (place: number, ...shape: number[]) =>
    tensor(device as CpuDevice, shape, numbers(shape.reduce((a, b) => a * b, 1), place)) as Tensor<"f32">;
}

function everything(device: Device, rows: readonly number[], inner: number, out: number): Results {
  const given = made(device);
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((n, e) => offsets[e + 1] = offsets[e]! + n);
  const o = tensor(device as CpuDevice, [offsets.length], offsets);
  const total = offsets.at(-1)!, experts = rows.length;
  const x = given(1, total, inner), weight = given(2, experts, out, inner), bias = given(3, experts, out), dy = given(4, total, out);
  const p = { weight, bias };
  const y = groupedLinear(some(x), o, some(p)) as Tensor;
  const plain = groupedLinear(some(x), o, some({ weight })) as Tensor;
  const g = groupedLinearBackward(some(x), o, some(p), some(dy)) as unknown as Record<string, Tensor>;
  const into = { x: given(5, total, inner), weight: given(6, experts, out, inner), bias: given(7, experts, out) };
  groupedLinearBackward(some(x), o, some(p), some(dy), some({ out: into, accumulate: { x: true, weight: true, bias: true } }));
  return { y, plain, dx: g.x!, dw: g.weight!, db: g.bias!, dxInto: into.x, dwInto: into.weight, dbInto: into.bias };
}

/** Runs all cases on a device; the hash of the results that have one order of sums in all variants. */
export function groupedHash(gpu: VulkanDevice): number {
  let h = 0;
  for (const [rows, inner, out] of shares) {
    assertAsOnCpu(gpu, `${rows.slice(0, 5)} × [${out}, ${inner}]`, (device) => {
      const results = everything(device, rows, inner, out);
      if (device !== cpu) { for (const t of Object.values(results)) h = hash(t.readSync(), h); }
      return results;
    }, 4e-6);
  }
  // A transposed weight, rows of wider matrices, NaN where it is written.
  assertAsOnCpu(gpu, "strided", (device) => {
    const given = made(device);
    const o = tensor(device as CpuDevice, [4], new Uint32Array([0, 30, 30, 75]));
    const x = slice(slice(given(1, 77, 50), 0, 1, 76), 1, 4, 45);
    const weight = transpose(some(given(2, 3, 41, 37)), some([0, 2, 1])) as unknown as Tensor;
    const whole = tensor(device as CpuDevice, [77, 40], new Float32Array(77 * 40).fill(777));
    const y = slice(slice(whole, 0, 1, 76), 1, 2, 39);
    y.write(new Float32Array(75 * 37).fill(NaN));
    groupedLinear(some(x), o, some({ weight }), some({ out: y }));
    const g = groupedLinearBackward(some(x), o, some({ weight }), some(y)) as unknown as Record<string, Tensor>;
    for (const t of [whole, g.x!, g.weight!]) if (device !== cpu) h = hash(t.readSync(), h);
    return { whole, dx: g.x!, dw: g.weight! };
  }, 4e-6);
  // Offsets that make no sense lead nowhere outside: a row has the first expert that ends behind it, else the last.
  const cases = [
    [[0, 30, 10, 57], [0, 30, 30, 57]],
    [[9, 5, 20, 40], [0, 5, 20, 57]],
    [[0, 4294967295, 3, 2], [0, 57, 57, 57]],
    [[0, 0, 0, 0], [0, 0, 0, 57]],
  ] as const;
  const given = made(gpu);
  const x = given(1, 57, 9), dy = given(4, 57, 8), p = { weight: given(2, 3, 8, 9), bias: given(3, 3, 8) };
  const of = (list: readonly number[]) => {
    const o = tensor(gpu, [4], Uint32Array.from(list));
    const y = groupedLinear(some(x), o, some(p)) as Tensor;
    const g = groupedLinearBackward(some(x), o, some(p), some(dy)) as unknown as Record<string, Tensor>;
    return [y, g.x!, g.weight!, g.bias!].map((t) => t.readSync());
  };
  for (const [wrong, right] of cases) {
    const want = of(right);
    of(wrong).forEach((got, i) => assertSameBits(got as Float32Array, want[i] as Float32Array, `${wrong}`));
  }
  assert.throws(() => groupedLinear(some(x), some(tensor(gpu, [1], new Uint32Array(1))), some({ weight: given(2, 0, 8, 9) })), RangeError);
  return h;
}

/** What the tests of ops on a GPU share: the device, and comparison with the CPU. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { cpu, type Device, devices, matmul, reshape, type Tensor, tensor, valueAndGrad, vulkan, type VulkanDevice } from "../mod.ts";
import { libraryPath } from "./child.ts";
import { numbers } from "./harness.ts";

/** The GPU under test: the one that `TILEWORK_GPU` names, else a processor that plays one, which gives the same results on every machine. */
export const gpuName: string = process.env.TILEWORK_GPU ??
  String(devices().find(({ kind, unusable }) => kind === "software" && unusable === null)?.index ?? "");

/** Why tests of a GPU are skipped; `false` where they run. */
export const noGpu: string | false = gpuName === "" ? "no software GPU (Mesa's lavapipe), and TILEWORK_GPU names none" : false;

/** The loader that fails on demand, beside the library that a build of the repository makes. */
const fake = [join(dirname(libraryPath), "libfake_vulkan.so"), new URL("../zig/zig-out/lib/libfake_vulkan.so", import.meta.url).pathname]
  .find((path) => existsSync(path));
/** Why tests that need it are skipped; `false` where they run. */
export const noFake: string | false = process.platform !== "linux" ? "the failing loader is built for Linux only" : noGpu ||
  (fake === undefined && "the failing loader is not built: zig build fake");

/** The environment of a child whose loader fails as zig/fake_vulkan.zig says of `wish`. */
export function failing(wish: string): Record<string, string> {
  return { TILEWORK_VULKAN_LIBRARY: fake!, TILEWORK_FAKE_VULKAN: wish };
}

let gpu: VulkanDevice | undefined;

/** A test that needs a GPU, skipped with the reason where there is none. The validation layer, where it is on, may not have said anything. */
export function gpuTest(name: string, body: (gpu: VulkanDevice) => void | Promise<void>, options: { timeout?: number } = {}): void {
  test(name, { ...options, skip: noGpu }, async () => {
    gpu ??= await vulkan({ name: gpuName });
    const before = gpu.statistics().validationMessages;
    await body(gpu);
    await gpu.sync();
    assert.equal(gpu.statistics().validationMessages, before, "messages of the validation layer");
  });
}

/** Tensors of an op's results, by name. */
export type Results = Record<string, Tensor>;

/**
 * Runs `body` on the CPU and twice on the GPU: the GPU's results lie within `tolerance` of the largest value of the CPU's, NaN and infinities in the same
 * places, and its second run gives the same bits. Integers are equal. `body` makes its inputs on the device it is given, from seeded numbers.
 */
export function assertAsOnCpu(on: Device, what: string, body: (device: Device) => Results, tolerance = 2e-6): void {
  const run = (device: Device) => {
    const results = body(device);
    return Object.entries(results).map(([name, t]) => ({ name, shape: [...t.shape], dtype: t.dtype, data: t.readSync() }));
  };
  const expected = run(cpu);
  const actual = run(on);
  const again = run(on);
  assert.deepEqual(
    actual.map(({ name, shape, dtype }) => ({ name, shape, dtype })),
    expected.map(({ name, shape, dtype }) => ({ name, shape, dtype })),
  );
  expected.forEach((want, i) => {
    const got = actual[i]!.data, label = `${what}: ${want.name}`;
    assert.deepEqual(new Uint8Array(again[i]!.data.buffer), new Uint8Array(got.buffer), `${label}: a second run gives other bits`);
    const whole = want.dtype === "u32" || want.dtype === "i32";
    let scale = 1e-12;
    for (const e of want.data) if (Number.isFinite(e)) scale = Math.max(scale, Math.abs(e));
    for (let j = 0; j < got.length; j++) {
      const e = want.data[j]!, a = got[j]!;
      const good = whole || !Number.isFinite(e) ? Object.is(a, e) : Math.abs(a - e) <= tolerance * scale;
      if (!good) assert.fail(`${label}: element ${j} is ${a}, the CPU has ${e}, within ${tolerance} of ${scale}`);
    }
  });
}

type Floats = Tensor<"f32", number[]>;

/** The gradients of ⟨op(inputs), c⟩ with respect to the inputs, for a seeded cotangent c, as results by name. */
export function gradientsOf(device: Device, op: (...inputs: Floats[]) => Tensor, inputs: readonly Floats[]): Results {
  const loss = (p: { inputs: Floats[] }) => {
    const y = op(...p.inputs) as Floats;
    const c = tensor(device, [y.size, 1], numbers(y.size, 300));
    return reshape(matmul(reshape(y, [1, y.size]), c as never), []) as Tensor<"f32", []>;
  };
  const { grads } = valueAndGrad(loss)({ inputs: [...inputs] });
  return Object.fromEntries(grads.inputs.map((g, i) => [`gradient ${i}`, g]));
}

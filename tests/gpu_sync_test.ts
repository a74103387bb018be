// Order on a GPU as the validation layer sees it: its checks of synchronization over every op, of descriptors pushed and pooled. They find a missing barrier.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEndedWell, childJson, run, runtime, slow, testing } from "./child.ts";
import { failing, noFake } from "./gpu_harness.ts";

const env = {
  TILEWORK_GPU: process.env.TILEWORK_GPU ?? "0",
  TILEWORK_GPU_VALIDATION: "1",
  VK_LAYER_ENABLES: "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
};

/** Whether the layer is there, what it has said of a chain of sums with and without barriers, and its last words. */
function chain(more: Record<string, string>): Promise<unknown> {
  return childJson(
    `
    import { add, tensor, vulkan } from "tilework";
    import { native } from "tilework/ffi/library.ts";
    const gpu = await vulkan(), x = tensor(gpu, [100], new Float32Array(100)), one = tensor(gpu, [], [1]);
    let y = x;
    for (let i = 0; i < 5; i++) y = add(y, one);
    y.readSync();
    const numbers = new Float64Array(9), letters = new Uint8Array(4096);
    native.tw_gpu_describe(numbers, 9, gpu.describe().index);
    const said = new TextDecoder().decode(letters.subarray(0, native.tw_gpu_text(letters, 4096, 0, 4)));
    console.log(JSON.stringify([numbers[8], gpu.statistics().validationMessages, said]));`,
    { env: { ...env, ...more } },
  );
}

const skip = noFake || ((await chain({}) as [number])[0] !== 1 && "the validation layer is not installed");

for (const sets of ["pushed", "pooled"]) {
  const pooled = { TILEWORK_GPU_POOLED_SETS: sets === "pooled" ? "1" : "0" };

  test(
    `the validation layer sees a barrier that is left out, and finds nothing where none is (${sets} descriptors)`,
    { skip },
    async () => {
      assert.deepEqual(await chain(pooled), [1, 0, ""]);
      const [, count, said] = await chain({ ...failing("unordered"), ...pooled }) as [number, number, string];
      assert.ok(count >= 5, `${count} messages`);
      assert.match(said, /SYNC-HAZARD/);
    },
  );

  test(`every op and every copy is in order for the validation layer (${sets} descriptors)`, {
    skip: slow ? skip : "long: TILEWORK_SLOW=1 runs it",
    timeout: 900_000,
  }, async () => {
    for (const [name, tests] of [["gpu_test.ts", "^gpu: "], ["backend_test.ts", "is as on the CPU"]] as const) {
      const only = { deno: ["--filter", `/${tests}/`], bun: ["-t", tests], node: ["--test-name-pattern", tests] }[runtime];
      const command = [...testing, ...only, fileURLToPath(new URL(name, import.meta.url))];
      assertEndedWell(await run(command, { env: { ...env, ...pooled }, secondsMax: 400 }));
    }
  });
}

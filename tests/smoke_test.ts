// What every version of the runtimes that is promised has to do; scripts/oldest.ts runs it in the oldest ones. It asks no more of node:test than they have.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  adamW,
  CheckpointError,
  cpu,
  crossEntropy,
  linear,
  linearInit,
  load,
  matmul,
  parameterCount,
  random,
  readMetadata,
  save,
  scope,
  tensor,
  valueAndGrad,
  zeros,
} from "../mod.ts";

/** Runs a test in a folder of its own. */
async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-smoke-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a product, its elements read in both ways", async () => {
  using a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  using b = matmul(a, a);
  assert.deepEqual([...b.readSync()], [7, 10, 15, 22]);
  assert.deepEqual([...await b.read()], [7, 10, 15, 22]);
  assert.equal(String(b), "Tensor f32 [2, 2] on cpu [[7, 10], [15, 22]]");
});

test("a mistake is a typed error that names the op, and changes nothing", () => {
  using a = zeros(cpu, [2, 3]);
  assert.throws(() => matmul(a, a as never), new RangeError("matmul: a is [2, 3], b is [2, 3]: inner sizes 3 and 2 differ"));
});

test("a few steps of training lower the loss", () => {
  using rng = random(cpu, 1);
  const params = linearInit(rng, 4, 3);
  using x = rng.normal([16, 4]);
  using labels = tensor(cpu, [16], Uint32Array.from({ length: 16 }, (_, i) => i % 3));
  const gradients = valueAndGrad((p: typeof params) => crossEntropy(linear(x, p), labels));
  using optimizer = adamW(params);
  const losses = Array.from({ length: 8 }, () =>
    scope(() => {
      const { value, grads } = gradients(params);
      optimizer.step(params, grads, 0.05);
      return value.itemSync();
    }));
  assert.ok(losses.at(-1)! < 0.9 * losses[0]!, losses.join(" "));
  assert.equal(parameterCount(params), 15);
  for (const p of Object.values(params)) p.dispose();
});

test("a checkpoint is saved, replaced and loaded; a damaged one is refused", () =>
  inFolder(async (folder) => {
    const path = join(folder, "model.safetensors");
    const tree = { a: tensor(cpu, [2, 2], [1, 2, 3, 4]), list: [tensor(cpu, [3], Int32Array.of(-1, 0, 1))] };
    const into = { a: zeros(cpu, [2, 2]), list: [zeros(cpu, [3], "i32")] };
    await save(path, { a: into.a });
    await save(path, tree, { metadata: { step: "12" } });
    await load(path, into);
    assert.deepEqual([...into.a.readSync()], [1, 2, 3, 4]);
    assert.deepEqual([...into.list[0]!.readSync()], [-1, 0, 1]);
    assert.equal((await readMetadata(path)).step, "12");
    await writeFile(path, "no checkpoint");
    await assert.rejects(load(path, into), CheckpointError);
    for (const x of [tree.a, into.a, ...tree.list, ...into.list]) x.dispose();
  }));

test("a Worker that imports the library answers a message that is posted at once", () =>
  inFolder(async (folder) => {
    const path = join(folder, "worker.ts"), entry = fileURLToPath(new URL("../mod.ts", import.meta.url));
    await writeFile(
      path,
      `import { cpu, matmul, tensor } from ${JSON.stringify(entry)};
       self.onmessage = ({ data }) => {
         const a = tensor(cpu, [2, 2], new Float32Array(data));
         self.postMessage([...matmul(a, a).readSync()]);
       };`,
    );
    const worker = new Worker(pathToFileURL(path).href, { type: "module" });
    const answer = new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
    worker.postMessage([1, 2, 3, 4]);
    assert.deepEqual(await answer, [7, 10, 15, 22]);
    worker.terminate();
  }));

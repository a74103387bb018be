// Two copies of the package in one program: what one has made the other refuses, and says where it comes from.
import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { relu } from "../mod.ts";
import { childJson, libraryPath } from "./child.ts";

const ours = new URL("..", import.meta.url).href;
const folder = await mkdtemp(join(tmpdir(), "tilework-copy-"));
const theirs = pathToFileURL(join(folder, "/")).href;
after(() => rm(folder, { recursive: true, force: true }));
for (const name of ["mod.ts", "native", "ffi", "core", "ops", "nn"]) {
  await cp(fileURLToPath(new URL(name, ours)), join(folder, name), { recursive: true });
}

test("a tensor or device of another copy of the package is refused with a sentence that says where both copies are", async () => {
  const found = await childJson(
    `
    import * as ours from "tilework";
    import * as theirs from ${JSON.stringify(`${theirs}mod.ts`)};
    const x = theirs.tensor(theirs.cpu, [1], [1]), own = ours.tensor(ours.cpu, [1], [1]);
    const uses = {
      relu: () => ours.relu(x),
      add: () => ours.add(own, x),
      sum: () => theirs.sum(own),
      treeLeaves: () => ours.treeLeaves({ w: x }),
      valueAndGrad: () => ours.valueAndGrad(() => x)({ w: own }),
      zeros: () => ours.zeros(theirs.cpu, [1]),
      tensor: () => theirs.tensor(ours.cpu, [1], [1]),
      to: () => own.to(theirs.cpuDevice()),
      random: () => ours.random(theirs.cpu, 1),
      "tensor of a number": () => ours.tensor({ handle: 1 }, [1], [1]),
    };
    const messages = {};
    for (const [name, use] of Object.entries(uses)) {
      try { use(); } catch (error) { messages[name] = error instanceof TypeError ? error.message : String(error); }
    }
    console.log(JSON.stringify(messages));`,
    { env: { TILEWORK_LIBRARY: libraryPath } },
  );
  const where = (made: string, used: string) => `of another copy of tilework (that one is ${made}, this one ${used})`;
  const theirTensor = `a tensor ${where(theirs, ours)}`, theirDevice = `a device ${where(theirs, ours)}`;
  assert.deepEqual(found, {
    relu: `relu: x must be a tensor, got ${theirTensor}`,
    add: `add: b must be a tensor, got ${theirTensor}`,
    sum: `sum: x must be a tensor, got a tensor ${where(ours, theirs)}`,
    treeLeaves: `treeLeaves: tree.w must be a tensor, or an object or array of tensors, got ${theirTensor}`,
    valueAndGrad: `valueAndGrad: the loss returned ${theirTensor}, must be a scalar tensor`,
    zeros: `zeros: device must be a device such as cpu, got ${theirDevice}`,
    tensor: `tensor: device must be a device such as cpu, got a device ${where(ours, theirs)}`,
    to: `to: device must be a device such as cpu, got ${theirDevice}`,
    random: `random: device must be a device such as cpu, got ${theirDevice}`,
    "tensor of a number": "tensor: device must be a device such as cpu, got an object (Object)",
  });
});

test("a copy of the package that was loaded twice from one place is named as such", () => {
  const place = ours;
  const made = Object.create({ [Symbol.for("tilework.origin")]: { kind: "tensor", place } });
  assert.throws(
    () => relu(made),
    new TypeError(`relu: x must be a tensor, got a tensor of another copy of tilework (loaded twice from ${place})`),
  );
});

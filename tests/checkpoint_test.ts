import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { CheckpointError, cpu, empty, load, readMetadata, save, type Tensor, tensor } from "../mod.ts";
import { view } from "../core/tensor.ts";

/** Runs `body` with a folder of its own. */
async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-checkpoint-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Parameters {
  token: { weight: Tensor<"f32", [2, 3]>; bias?: Tensor<"f32", [3]> | undefined };
  list: [Tensor<"f64", [2]>, Tensor<"i32", [0, 4]>];
  step: Tensor<"u32", []>;
}

const filled = (): Parameters => ({
  token: { weight: tensor(cpu, [2, 3], [1, -0, NaN, Infinity, 1e-45, 3.5]), bias: undefined },
  list: [tensor(cpu, [2], new Float64Array([Math.PI, -5e-324])), tensor(cpu, [0, 4], new Int32Array(0))],
  step: tensor(cpu, [], new Uint32Array([4_000_000_000])),
});

const blank = (): Parameters => ({
  token: { weight: tensor(cpu, [2, 3], [9, 9, 9, 9, 9, 9]) },
  list: [tensor(cpu, [2], new Float64Array([9, 9])), empty(cpu, [0, 4], "i32")],
  step: tensor(cpu, [], new Uint32Array([9])),
});

/** Every element's bits. */
const bits = (p: Parameters): string =>
  [p.token.weight, ...p.list, p.step].map((x) => {
    const data = x.readSync();
    return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4).join();
  }).join(";");

test("load() brings back what save() wrote, bit for bit", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), source = filled(), target = blank();
    await save(path, source, { metadata: { run: "7", text: "Ahab’s 🐳" } });
    await load(path, target);
    assert.equal(bits(target), bits(source));
    assert.deepEqual(await readMetadata(path), { run: "7", text: "Ahab’s 🐳" });
    assert.deepEqual(await readdir(folder), ["a.safetensors"], "nothing else is left");
  }));

test("load() with ignoreExtra fills a tree from a file that holds more, and still wants all of the tree", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), x = tensor(cpu, [2], [1, 2]), y = tensor(cpu, [1], [3]);
    await save(path, { params: { x }, state: { y } });
    const into = { params: { x: tensor(cpu, [2], [0, 0]) } };
    await assert.rejects(load(path, into), { name: "CheckpointError", message: /not in the tree: state\.y$/ });
    assert.deepEqual([...into.params.x.readSync()], [0, 0]);
    await load(path, into, { ignoreExtra: true });
    assert.deepEqual([...into.params.x.readSync()], [1, 2]);
    const more = { params: { x: tensor(cpu, [2], [0, 0]), z: y } };
    await assert.rejects(load(path, more, { ignoreExtra: true }), { name: "CheckpointError", message: /missing in the file: params\.z$/ });
    await assert.rejects(load(path, into, { ignoreExtra: 1 as never }), { name: "TypeError" });
  }));

test("save() replaces a file, and the same tree gives the same bytes", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), other = join(folder, "b.safetensors");
    await writeFile(path, "something longer than nothing".repeat(100));
    await save(path, filled());
    await save(other, filled());
    assert.deepEqual(await readFile(path), await readFile(other));
    assert.deepEqual(await readMetadata(path), {});
  }));

test("save() takes the values of the moment of the call", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), x = tensor(cpu, [2], [1, 2]);
    const saved = save(path, { x });
    x.write([3, 4]);
    await saved;
    await load(path, { x });
    assert.deepEqual(x.readSync(), new Float32Array([1, 2]));
  }));

test("save() writes views row-major, and load() fills them in place", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
    const transposed = view<"f32", [3, 2]>(x, [3, 2], [1, 3], 0);
    await save(path, { x: transposed });
    const target = tensor(cpu, [3, 2], [0, 0, 0, 0, 0, 0]);
    await load(path, { x: target });
    assert.deepEqual(target.readSync(), new Float32Array([1, 4, 2, 5, 3, 6]));
    target.write([10, 40, 20, 50, 30, 60]);
    await save(path, { x: target });
    await load(path, { x: transposed });
    assert.deepEqual(x.readSync(), new Float32Array([10, 20, 30, 40, 50, 60]));
  }));

test("load() lists what is missing, left over and different, and changes nothing", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors");
    await save(path, {
      a: tensor(cpu, [2], [1, 2]),
      b: tensor(cpu, [2], [1, 2]),
      c: tensor(cpu, [1], [3]),
      old: { x: tensor(cpu, [1], [3]) },
    });
    const into = {
      a: tensor(cpu, [2], [7, 7]),
      b: tensor(cpu, [2, 1], [7, 7]),
      c: tensor(cpu, [1], new Int32Array([7])),
      fresh: [tensor(cpu, [1], [7])],
    };
    await assert.rejects(
      load(path, into),
      new CheckpointError(
        `load: ${path} does not fit the tree\n  missing in the file: fresh.0\n  not in the tree: old.x\n` +
          "  different: b (F32 [2] in the file, F32 [2, 1] in the tree), c (F32 [1] in the file, I32 [1] in the tree)",
      ),
    );
    for (const x of [into.a, into.b, into.c, into.fresh[0]!]) assert.ok(x.readSync().every((value) => value === 7));
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`x${i}`, tensor(cpu, [1], [7])]));
    await assert.rejects(load(path, many), /missing in the file: x0, x1, .*, x9 and 4 more\n/);
  }));

test("load() refuses files that are cut short or damaged, and changes nothing", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), bad = join(folder, "bad.safetensors"), target = blank(), before = bits(target);
    await save(path, filled(), { metadata: { k: "v" } });
    const good = await readFile(path);
    for (let length = 0; length < good.length; length++) {
      await writeFile(bad, good.subarray(0, length));
      await assert.rejects(load(bad, target), (error) => error instanceof CheckpointError, `${length} bytes`);
    }
    await writeFile(bad, new Uint8Array([...good, 0]));
    await assert.rejects(load(bad, target), (error) => error instanceof CheckpointError && /belong to no tensor/.test(error.message));
    await writeFile(bad, "not a checkpoint at all, but long enough for a length");
    await assert.rejects(readMetadata(bad), (error) => error instanceof CheckpointError && error.message.includes("claims a header"));
    assert.equal(bits(target), before);
  }));

test("save() leaves the old file and no other behind when it fails", () =>
  inFolder(async (folder) => {
    const taken = join(folder, "taken");
    await mkdir(join(taken, "inside"), { recursive: true }); // a folder that is not empty cannot be replaced
    await assert.rejects(save(taken, filled()));
    await assert.rejects(save(join(folder, "no", "such", "folder"), filled()), /ENOENT/);
    assert.deepEqual(await readdir(folder), ["taken"]);
    const path = join(folder, "a.safetensors"), gone = tensor(cpu, [1], [1]);
    await save(path, filled());
    const before = await readFile(path);
    gone.dispose();
    await assert.rejects(save(path, { gone }), new TypeError("save: tree.gone was disposed"));
    await assert.rejects(save(path, { __metadata__: tensor(cpu, [1], [1]) }), /^TypeError: save: a tensor cannot be called/);
    await assert.rejects(save(path, { n: 3 } as unknown as Parameters), /^TypeError: save: tree\.n must be a tensor/);
    assert.deepEqual(await readFile(path), before);
    assert.deepEqual((await readdir(folder)).sort(), ["a.safetensors", "taken"]);
  }));

test("load() names a file that is not there, a path that is none and a tensor that is gone", () =>
  inFolder(async (folder) => {
    await assert.rejects(load(join(folder, "none"), blank()), /ENOENT/);
    await assert.rejects(load(3 as unknown as string, blank()), new TypeError("load: path must be the name of a file, got 3"));
    await assert.rejects(save("", blank()), /^TypeError: save: path must be the name of a file/);
    await assert.rejects(readMetadata(join(folder, "none")), /ENOENT/);
    const path = join(folder, "a.safetensors"), a = tensor(cpu, [1], [1]), b = tensor(cpu, [1], [2]);
    await save(path, { a, b });
    a.write([7]);
    const loading = load(path, { a, b });
    b.dispose(); // while the file is being read
    await assert.rejects(loading, new TypeError("load: into.b was disposed"));
    assert.deepEqual(a.readSync(), new Float32Array([7]));
  }));

const python = [process.env.TILEWORK_PYTHON, "python3", "python"].find((command) =>
  command !== undefined && command !== "" && spawnSync(command, ["-c", "import safetensors.numpy"]).status === 0
);
const noPython = python === undefined && "no Python with safetensors and numpy; TILEWORK_PYTHON names one";

/** Runs a Python program with arguments and returns what it prints. */
function runPython(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(python!, ["-c", program, ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

test("Python's safetensors reads what save() wrote", { skip: noPython }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), source = filled();
    await save(path, source, { metadata: { run: "7", text: "Ahab’s 🐳" } });
    const program = `
import json, sys
from safetensors import safe_open
with safe_open(sys.argv[1], framework="numpy") as f:
    tensors = {name: f.get_tensor(name) for name in f.keys()}
    print(json.dumps({"metadata": f.metadata(), "tensors": {
        name: [str(x.dtype), list(x.shape), x.tobytes().hex()] for name, x in tensors.items()}}))
`;
    const hex = (x: Tensor) => {
      const data = x.readSync();
      return Array.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), (byte) => byte.toString(16).padStart(2, "0")).join(
        "",
      );
    };
    assert.deepEqual(JSON.parse(runPython(program, path)), {
      metadata: { run: "7", text: "Ahab’s 🐳" },
      tensors: {
        "token.weight": ["float32", [2, 3], hex(source.token.weight)],
        "list.0": ["float64", [2], hex(source.list[0])],
        "list.1": ["int32", [0, 4], ""],
        "step": ["uint32", [], hex(source.step)],
      },
    });
  }));

test("load() reads what Python's safetensors wrote", { skip: noPython }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), target = blank();
    const program = `
import sys, numpy
from safetensors.numpy import save_file
save_file({"token.weight": numpy.arange(6, dtype=numpy.float32).reshape(2, 3), "list.0": numpy.array([0.1, 0.2]),
    "list.1": numpy.zeros((0, 4), numpy.int32), "step": numpy.array(12, numpy.uint32)}, sys.argv[1], metadata={"from": "numpy"})
`;
    runPython(program, path);
    await load(path, target);
    assert.deepEqual(target.token.weight.readSync(), new Float32Array([0, 1, 2, 3, 4, 5]));
    assert.deepEqual(target.list[0].readSync(), new Float64Array([0.1, 0.2]));
    assert.equal(target.step.itemSync(), 12);
    assert.deepEqual(await readMetadata(path), { from: "numpy" });
    runPython(
      `import sys, numpy; from safetensors.numpy import save_file; save_file({"x": numpy.zeros(2, numpy.float16)}, sys.argv[1])`,
      path,
    );
    await assert.rejects(load(path, { x: tensor(cpu, [2], [1, 2]) }), /different: x \(F16 \[2\] in the file, F32 \[2\] in the tree\)/);
  }));

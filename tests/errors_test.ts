// Where an error says that it happened: at the user's call, whatever lies between that and the place in the library that throws.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cpu, cpuDevice, linear, mean, moe, random, relu, softmax, type Tensor, tensor, UnsupportedError, valueAndGrad } from "../mod.ts";
import { child, childJson, libraryPath, run, runtime } from "./child.ts";

/** What a call throws. */
function thrown(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error; // the library throws nothing else
  }
  assert.fail("nothing was thrown");
}

/** The frames of an error's stack; the first one is line 1 of the list. */
function frames(error: Error): string[] {
  return error.stack!.split("\n").filter((line) => /^\s+at /.test(line));
}

const ownFile = /errors_test\.ts:\d+:\d+/;

test("the stack of an error begins at the user's call, behind any number of the library's functions", () => {
  const x = tensor(cpu, [1, 2], [1, 2]);
  const calls: [string, () => unknown][] = [
    ["an op", () => {
      const y = relu(null as never);
      throw y;
    }],
    ["ops made of ops", () => {
      const y = moe(x as never, null as never, { topK: 1 });
      throw y;
    }],
    ["a method", () => {
      x.write([1]);
      throw x;
    }],
    ["a class of the library's own", () => {
      const device = cpuDevice({ isa: cpu.describe().isa === "neon" ? "avx512" : "neon" });
      throw device;
    }],
    ["a callback of the runtime", () => {
      const all = [null].map((value) => {
        const y = softmax(value as never);
        throw y;
      });
      throw all;
    }],
  ];
  for (const [what, call] of calls) {
    const error = thrown(call);
    assert.ok(error instanceof Error, `${what}: ${error}`);
    const [first] = frames(error);
    assert.match(first!, ownFile, `${what}: ${error.stack}`);
    assert.ok(error.stack!.startsWith(`${error.name}: ${error.message}\n`), String(error.stack));
  }
});

test("the stack keeps what lies below the user's call: the loss, what called it, and the caller of that", () => {
  const weight = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), x = tensor(cpu, [1, 2], [1, 2]);
  function model(p: { weight: Tensor }): never {
    const y = linear(x as never, p as never);
    throw mean(y as never);
  }
  const error = thrown(() => {
    const found = valueAndGrad(model as never)({ weight } as never);
    throw found;
  });
  const list = frames(error);
  assert.match(list[0]!, /model.*errors_test\.ts/);
  assert.ok(list.some((line) => line.includes("autograd.ts")), "the library below the user's call is hidden");
  assert.ok(list.filter((line) => ownFile.test(line)).length >= 2, `the caller is hidden: ${error.stack}`);
});

test("errors are of the built-in classes and of the library's own", () => {
  const error = thrown(() => relu(null as never));
  assert.equal(error.constructor, TypeError);
  assert.equal(Object.keys(error).length, 0);
  assert.equal(thrown(() => random(cpu, -1)).constructor, RangeError);
  const unsupported = thrown(() => cpuDevice({ isa: cpu.describe().isa === "neon" ? "avx512" : "neon" }));
  assert.ok(unsupported instanceof UnsupportedError);
  assert.equal(unsupported.name, "UnsupportedError");
});

test("a program's own Error.prepareStackTrace and Error.stackTraceLimit are left as they are", async () => {
  const result = await childJson(`
    import { relu } from "tilework";
    const thrown = () => {
      try {
        const y = relu(null);
        return y;
      } catch (error) {
        return error;
      }
    };
    Error.stackTraceLimit = 3;
    const few = thrown().stack.split("\\n").filter((line) => /^ +at /.test(line)).length;
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    const none = thrown().message;
    Error.stackTraceLimit = 10;
    Error.prepareStackTrace = () => 7;
    const own = thrown();
    console.log(JSON.stringify({ few: few <= 3, limit, none, message: own.message, isTypeError: own instanceof TypeError }));`);
  const message = "relu: x must be a tensor, got null";
  assert.deepEqual(result, { few: true, limit: 3, none: message, message, isTypeError: true });
});

test("an uncaught error prints the user's line first, of a plain call, a loss and a promise", async () => {
  const program = (last: string) => `
    import { cpu, linear, mean, tensor, valueAndGrad } from "tilework";
    const weight = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]), x = tensor(cpu, [1, 2], [1, 2]);
    function model(p) {
      const y = linear(x, p); // line 5
      console.log("never here");
      return mean(y);
    }
    ${last}
    console.log("never here");`;
  for (
    const last of [
      "model({ weight });",
      "valueAndGrad(model)({ weight });",
      "await (async () => { await 1; model({ weight }); console.log(1); })();",
    ]
  ) {
    const ended = await child(program(last));
    assert.notEqual(ended.code, 0, last);
    const [first] = ended.stderr.split("\n").filter((line) => /^\s+at /.test(line));
    assert.match(first ?? "", /model.*main\.ts:5:\d+/, `${last}\n${ended.stderr}`);
    assert.match(ended.stderr, /RangeError: linear: x is \[1, 2\]/, last);
  }
});

// Deno's own bundler is a program that it fetches from a registry.
test("in a bundle no frame is hidden", { skip: runtime !== "bun" && "there is no bundler at hand" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "tilework-bundle-"));
  try {
    const main = join(folder, "main.ts"), bundle = join(folder, "bundle.js");
    const { writeFile } = await import("node:fs/promises");
    const entry = fileURLToPath(new URL("../mod.ts", import.meta.url));
    await writeFile(main, `import { relu } from ${JSON.stringify(entry)};\nfunction mine() { relu(null); console.log(1); }\nmine();\n`);
    const built = await run([process.execPath, "build", "--target=bun", `--outfile=${bundle}`, main]);
    assert.equal(built.code, 0, built.stderr);
    const ended = await run([process.execPath, bundle], { env: { TILEWORK_LIBRARY: libraryPath } });
    assert.notEqual(ended.code, 0);
    assert.match(ended.stderr, /TypeError: relu: x must be a tensor/);
    assert.match(ended.stderr, /at mine \(/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

// A trained model that writes: that the cache changes no bit, what happens beyond the context, and the program itself.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { adamW, cpu, type CpuDevice, memory, random, save, scope, slice, tensor, valueAndGrad } from "../mod.ts";
import { configs, init, loss, model, type Params, pastFor, step } from "../examples/model.ts";
import { planToMetadata } from "../examples/options.ts";
import { continuation, type Style, write, writing } from "../examples/sample.ts";
import { sampleBatch } from "../examples/text.ts";
import { starting } from "./child.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertSameBits, devices, seed } from "./harness.ts";

const c = configs.tiny;

/** Parameters that foresee something else for every byte and position: those of the demo are nearly even before training. */
function parameters(device: CpuDevice = cpu): Params {
  using rng = random(device, seed);
  const p = init(rng, c);
  for (const { weight } of [p.token, p.position, ...p.blocks.flatMap((b) => [b.qkv, b.out, b.up, b.down])]) {
    weight.write(weight.readSync().map((v) => 6 * v));
  }
  return p;
}

function release(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("dispose" in value) (value as { dispose(): void }).dispose();
  else Object.values(value).forEach(release);
}

async function take(bytes: AsyncGenerator<number>, count: number): Promise<number[]> {
  const list: number[] = [];
  for await (const byte of bytes) if (list.push(byte) === count) break;
  return list;
}

const encode = (text: string) => new TextEncoder().encode(text);

// The contract that makes it so: a row of a product, of a norm and of a causal softmax has the same bits alone as among others.
test("step() gives the bits of model() at every position of the context, whatever the pieces", () => {
  for (const device of [cpu, ...devices().slice(1, 3)]) {
    scope(() => {
      const p = parameters(device), bytes = Array.from({ length: 2 * c.context }, (_, i) => (i * 37 + i * i) % 256);
      const ids = tensor(device, [2, c.context as number], bytes, { dtype: "u32" });
      const whole = model(p, ids, c);
      for (const pieces of [new Array<number>(c.context).fill(1), [5, 1, 1, 9, 1, 15], [31, 1], [32]]) {
        const past = pastFor(device, c, 2);
        let at = 0;
        for (const count of pieces) {
          const logits = step(p, slice(ids, 1, at, at + count), past, c);
          at += count;
          assert.deepEqual(logits.shape, [2, 1, 256]);
          assertSameBits(logits.readSync(), slice(whole, 1, at - 1, at).readSync(), `position ${at - 1}`);
        }
        assert.deepEqual(past.map((cache) => cache.length), new Array(c.layers).fill(c.context));
        for (const cache of past) cache[Symbol.dispose]();
      }
    });
  }
});

test("continuation() writes the same bytes with the cache and without, on any number of workers", async () => {
  const styles: Style[] = [{ temperature: 0 }, {}, { temperature: 1.3, topP: 0.7 }];
  const prompts = ["a", "Some years ago - never mind how long precisely"];
  const results = new Map<string, number[][]>();
  for (const device of [cpu, devices()[2]!]) {
    const p = parameters(device);
    for (const prompt of prompts) {
      for (const style of styles) {
        for (const cached of [true, false]) {
          using rng = random(device, 5);
          const key = JSON.stringify({ prompt, ...style }),
            bytes = await take(continuation(p, encode(prompt), rng, c, { ...style, cached }), 55);
          results.set(key, [...results.get(key) ?? [], bytes]);
        }
      }
    }
    release(p);
  }
  for (const [key, lists] of results) {
    for (const bytes of lists) assert.deepEqual(bytes, lists[0], key);
    assert.ok(new Set(lists[0]).size > 3, `the model says one thing only: ${key}`);
  }
  assert.equal(results.size, 6);
});

test("continuation() beyond the context goes on from the last half of what it saw", async () => {
  const p = parameters(), prompt = encode("Whenever I find myself growing grim about the mouth");
  using rng = random(cpu, 1);
  const found = await take(continuation(p, prompt, rng, c, { temperature: 0 }), 80);
  let seen = [...prompt].slice(-c.context);
  for (const [i, byte] of found.entries()) {
    const wanted = scope(() => {
      const logits = slice(model(p, tensor(cpu, [1, seen.length], seen, { dtype: "u32" }), c), 1, -1).readSync();
      return logits.indexOf(Math.max(...logits));
    });
    assert.equal(byte, wanted, `byte ${i}, after ${seen.length}`);
    seen = seen.length === c.context ? [...seen, byte].slice(-c.context / 2) : [...seen, byte];
  }
  release(p);
});

test("continuation() leaves no tensor behind, however it ends", async () => {
  const p = parameters();
  using rng = random(cpu, 1);
  const before = memory().outsideScopes;
  await take(continuation(p, encode("abc"), rng, c), 40);
  await assert.rejects(take(continuation(p, encode(""), rng, c), 1), {
    name: "RangeError",
    message: "A prompt must have at least one byte.",
  });
  await assert.rejects(take(continuation(p, encode("abc"), rng, c, { topP: 2 }), 1), { name: "RangeError" });
  assert.equal(memory().outsideScopes, before);
  release(p);
});

test("writing() hands out whole characters, though the model writes bytes", async () => {
  // A model that has learnt one text, of characters of four, two and one byte.
  const text = encode("🐳éa".repeat(40));
  using rng = random(cpu, 3);
  const p = init(rng, c), lossAndGrads = valueAndGrad(loss);
  using optimizer = adamW(p, { betas: [0.9, 0.95] });
  for (let i = 0; i < 60; i++) {
    scope(() => {
      const { grads } = lossAndGrads(p, ...sampleBatch(text, rng, c), c);
      optimizer.step(p, grads, 5e-3);
    });
  }
  const pieces: string[] = [];
  for await (const piece of writing(p, "🐳", 80, rng, c, { temperature: 0 })) pieces.push(piece);
  assert.ok(pieces.every((piece) => /^(🐳|é|a|)$/u.test(piece)), JSON.stringify(pieces));
  assert.equal(pieces.join(""), "🐳éa".repeat(12));
  assert.equal(pieces.length, 82); // the prompt, a piece a byte, the rest
  // A text that ends inside a character, and control characters.
  let cut = "";
  for await (const piece of writing(p, "🐳éa", 2, rng, c, { temperature: 0 })) cut += piece;
  assert.equal(cut, "🐳éa\ufffd");
  assert.equal(await write(p, "a\u001b[2J\tb\n", 0, 1, cpu, c), "a\ufffd[2J\tb\n");
  release(p);
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the program in the runtime that runs this test. */
function program(args: string[]): Promise<Ended> {
  const [command, ...flags] = starting;
  const example = fileURLToPath(new URL("../examples/generate.ts", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(command!, [...flags, example, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const ended: Ended = { code: null, stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => ended.stdout += chunk);
    child.stderr.on("data", (chunk) => ended.stderr += chunk);
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...ended, code }));
  });
}

const metadata = planToMetadata({ size: "tiny", dense: false, seed: 1, steps: 1, text: undefined, textHash: "" });

/** Leaves a checkpoint such as the training program does. */
async function keepModel(checkpoint: string, p: Params): Promise<void> {
  using rng = random(cpu, 1);
  await save(checkpoint, { params: p, rng: rng.state }, { metadata });
}

test("the program writes the same text with the cache and without, and says what is wrong", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tilework-generate-"));
  try {
    const checkpoint = join(folder, "model.safetensors"), p = parameters();
    await keepModel(checkpoint, p);
    const expected = async (draws: number) => {
      using rng = random(cpu, draws);
      let text = "";
      for await (const piece of writing(p, "Ahab’s ", 70, rng, c, { temperature: 0.7, topP: 0.8 })) text += piece;
      return text;
    };
    const flags = ["--checkpoint", checkpoint, "--prompt", "Ahab’s ", "--bytes", "70", "--temperature", "0.7", "--top-p", "0.8", "--json"];
    for (const more of [["--seed", "9"], ["--seed", "9", "--no-cache", "--threads", "2"]]) {
      const { code, stdout, stderr } = await program([...flags, ...more]);
      assert.equal(code, 0, stderr);
      const lines = stdout.trimEnd().split("\n"), result = JSON.parse(lines.at(-1)!);
      assert.equal(result.text, await expected(9));
      assert.equal(lines.slice(0, -1).join("\n"), result.text);
      assert.deepEqual([result.cached, result.size, result.bytes, result.seed], [more.length === 2, "tiny", 70, 9]);
      assert.ok(result.tokens_per_second > 0);
    }
    assert.notEqual(await expected(8), await expected(9));

    const fails = async (args: string[], message: RegExp) => {
      const { code, stdout, stderr } = await program(args);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr, message);
    };
    await fails(["--checkpoint", join(folder, "none")], /There is no .*none: train a model first/);
    await fails(["--checkpoint", checkpoint, "--top-p", "1.5"], /--top-p must be a number from 0 to 1, not 1\.5/);
    await fails(["--checkpoint", checkpoint, "--prompt", ""], /--prompt must have at least one byte/);
    await save(checkpoint, { p: p.norm });
    await fails(["--checkpoint", checkpoint], /The checkpoint is none of this demo's/);
    await save(checkpoint, { params: { norm: p.norm } }, { metadata });
    await fails(["--checkpoint", checkpoint], /missing in the file: params\.token\.weight/);
    release(p);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

gpuTest("the program writes on a GPU what it writes on the CPU", async (gpu) => {
  const folder = await mkdtemp(join(tmpdir(), "tilework-generate-"));
  try {
    const checkpoint = join(folder, "model.safetensors"), p = parameters();
    await keepModel(checkpoint, p);
    release(p);
    // Rounding differs, and would show only where a draw falls between two sums that differ by it.
    const texts = await Promise.all(["cpu", `vulkan:${gpu.describe().index}`].map(async (device) => {
      const flags = ["--bytes", "40", "--top-p", "0.8", "--json", "--device", device];
      const { code, stdout, stderr } = await program(["--checkpoint", checkpoint, ...flags]);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout.trimEnd().split("\n").at(-1)!).text as string;
    }));
    assert.equal(texts[1], texts[0]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, { timeout: 120_000 });

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { test } from "node:test";
import * as api from "../mod.ts";
import {
  adamW,
  cpu,
  type CpuDevice,
  cpuDevice,
  type DType,
  explain,
  type Explanation,
  keep,
  matmul,
  memory,
  mul,
  random,
  scope,
  softmax,
  sum,
  Tensor,
  tensor,
  transpose,
  UnsupportedError,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { native } from "../ffi/library.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertSameBits, numbers } from "./harness.ts";
import { cases, makeInputs } from "./op_cases.ts";

/** Eight cores without tiers, whatever the machine has, and its best instruction set. */
const eight: CpuDevice = cpuDevice({ tuning: { cores: 8, poolClasses: 0, gemvParallelBytes: 1 << 20 } });

const some = <T>(x: T) => x as never; // shapes that the compiler does not know here
const isa = cpu.describe().isa;

/** What calls no kernel. */
const others = [
  ...[
    "cosine",
    "cpuDevice",
    "devices",
    "dim",
    "empty",
    "explain",
    "isAvailable",
    "isTensor",
    "keep",
    "load",
    "memory",
    "openSafetensors",
    "parameterCount",
    "readMetadata",
    "save",
    "scope",
  ],
  ...["tensor", "treeLeaves", "trim", "vulkan"],
];

const label = (s: Explanation) => `${s.op}${s.step === s.op ? "" : `: ${s.step}`} ${s.kernel?.replace(`__${isa}`, "") ?? "-"}`;

/** The tensors in a value. */
function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(tensorsIn) : [];
}

/** What memory holds where a tensor lies, inside explain too. */
function raw(x: Tensor): Uint8Array {
  const bytes = new Uint8Array(x.size * (x.dtype === "f64" ? 8 : 4));
  assert.equal(native.tw_tensor_read(bytes, x.handle, bytes.length), 0);
  return bytes;
}

/** What the links of kept blocks take of them, zig/memory.zig. */
const linkBytes = 24;

/** Leaves blocks for tensors like `x` behind that hold 42 in every byte but the first, where kept blocks are linked. */
function poison(x: { shape: readonly number[]; dtype: DType }): void {
  const blocks = Array.from({ length: 8 }, () => {
    const block = api.empty(eight, [...x.shape], x.dtype);
    const bytes = new Uint8Array(block.size * (x.dtype === "f64" ? 8 : 4)).fill(42);
    assert.equal(native.tw_tensor_write(block.handle, bytes, bytes.length), 0);
    return block;
  });
  for (const block of blocks) block.dispose();
}

test("explain() has a case for every function of the package that calls kernels", () => {
  const functions = Object.entries(api).filter(([name, value]) => typeof value === "function" && !/^[A-Z]/.test(name)).map(([name]) =>
    name
  );
  assert.deepEqual([...Object.keys(cases), ...others].sort(), functions.sort());
});

for (const [name, { run, steps }] of Object.entries(cases)) {
  test(`explain() tells what ${name}() does and does none of it`, () => {
    scope(() => {
      const inputs = makeInputs(eight);
      const all = Object.values(inputs) as unknown as Tensor[];
      const before = all.map(raw);
      let plan: readonly Explanation[] = [];
      const shapes: { shape: readonly number[]; dtype: DType }[] = [];
      explain(() => shapes.push(...tensorsIn(run(inputs, eight)).map(({ shape, dtype }) => ({ shape, dtype }))));
      // Memory that the results will take again holds a pattern, so that a write shows. All threads share the kept blocks: one that another thread gives
      // back in between, as the end of another test file's worker does, is taken first and holds no pattern. That is chance, a write is there every time.
      let written: Uint8Array | undefined;
      for (let attempt = 0; attempt === 0 || (written !== undefined && attempt < 3); attempt++) {
        shapes.forEach(poison);
        const held = memory();
        let results: { x: Tensor; bytes: Uint8Array }[] = [];
        plan = explain(() => results = tensorsIn(run(inputs, eight)).filter((x) => !x.isView).map((x) => ({ x, bytes: raw(x) })));
        const after = memory();
        assert.deepEqual(
          [after.tensors, after.bytes, after.outsideScopes],
          [held.tensors, held.bytes, held.outsideScopes],
          "something leaked",
        );
        assert.deepEqual(plan.map(label), steps);
        results = results.filter(({ x }) => !all.includes(x));
        assert.ok(results.every(({ x }) => x.disposed), "a result outlives the explanation");
        written = results.find(({ bytes }) => bytes.subarray(linkBytes).some((byte) => byte !== 42))?.bytes;
      }
      assert.equal(written, undefined, "a result was written");
      all.forEach((x, i) => assert.deepEqual(raw(x), before[i], `input ${i} was changed`));
      for (const s of plan) {
        assert.equal(s.isa, isa);
        assert.ok(s.workers >= 1 && s.workers <= 8 && s.jobs >= 1 && s.grain >= 1 && s.grain <= s.jobs && s.bytes > 0, JSON.stringify(s));
        assert.ok(s.why.length > 0 && !s.why.includes("_"), s.why);
        assert.ok(s.product === null || s.flops !== null, JSON.stringify(s));
        assert.equal(s.tuning.cores, 8);
      }
      // The same calls really made: they are made after all, and still work.
      run(inputs, eight);
    });
  });
}

gpuTest("explain() on a GPU tells shaders and their workgroups, and runs none", (gpu) => {
  scope(() => {
    const x = zeros(gpu, [70, 128]), none = zeros(gpu, [0, 128]);
    const shaders = new Set(
      (JSON.parse(readFileSync(new URL("../shaders/generated/table.json", import.meta.url), "utf8")) as { name: string }[]).map((
        { name },
      ) => name),
    );
    const before = gpu.statistics(), held = memory().tensors;
    const plan = explain(() => [softmax(x), softmax(none), softmax(transpose(x))]);
    assert.deepEqual(plan.map(({ op, step, kernel, isa, workers, jobs, why }) => [op, step, kernel, isa, workers, jobs, why]), [
      ["softmax", "softmax", "softmax_f32_rows", null, 0, 70, "a shader on a GPU"],
      ["softmax", "softmax", "softmax_f32_rows", null, 0, 0, "no elements, nothing to do"],
      ["softmax", "copy", "copy_u32_turn", null, 0, plan[2]!.jobs, "a shader on a GPU"],
      ["softmax", "softmax", "softmax_f32_rows", null, 0, 128, "a shader on a GPU"],
    ]);
    const threads = plan[0]!.grain;
    assert.ok(threads >= 32 && threads <= 256 && plan[2]!.jobs >= 1);
    assert.equal(
      String(plan).split("\n")[0],
      `softmax        softmax_f32_rows  70 workgroups of ${threads} threads  a shader on a GPU`,
    );
    assert.equal(inspect(plan), String(plan));
    assert.equal(gpu.statistics().dispatches, before.dispatches);
    assert.equal(memory().tensors, held);
    // What is said of every function that a GPU has is a shader of that name, and none runs.
    for (const [name, { run }] of Object.entries(cases)) {
      try {
        run(makeInputs(gpu), gpu);
      } catch (e) {
        if (e instanceof UnsupportedError) continue;
        throw e;
      }
      const inputs = makeInputs(gpu), { dispatches } = gpu.statistics();
      for (const s of explain(() => run(inputs, gpu))) {
        assert.ok(
          s.isa === null && shaders.has(s.kernel!) && (s.jobs > 0 || s.why.startsWith("no elements")),
          `${name}: ${JSON.stringify(s)}`,
        );
      }
      assert.equal(gpu.statistics().dispatches, dispatches, name);
    }
  });
});

test("explain() leaves scalar results and out tensors unwritten", () => {
  scope(() => {
    const { a, b, wide, ids } = makeInputs(eight);
    const scalar = { shape: [], dtype: "f32" as const };
    poison(scalar);
    /** What lies in the memory that the next scalars take, in their order: a freed block is the first to be used again. */
    const next = (count: number) => {
      const probes = Array.from({ length: count }, () => api.empty(eight, []) as Tensor);
      const bytes = probes.map(raw);
      for (const probe of probes.reverse()) probe.dispose();
      return bytes;
    };
    explain(() => {
      const before = next(1);
      assert.deepEqual([raw(api.crossEntropy(a, some(ids)) as Tensor)], before);
    });
    explain(() => {
      const before = next(2);
      const { norm, factor } = api.clipFactor([wide], 1);
      assert.deepEqual([raw(norm as Tensor), raw(factor as Tensor)], before);
    });
    const out = api.full(eight, [6, 6], 7);
    const total = api.full(eight, [], 7);
    explain(() => matmul(a, some(b), some({ transposeB: true, out, beta: 1 })));
    explain(() => sum(wide, some({ out: total })));
    explain(() => api.sumOfSquares(wide, { out: total }));
    for (const x of [...out.readSync(), total.itemSync()]) assert.equal(x, 7);
  });
});

test("explain() counts workers, and says which rule gave them", () => {
  scope(() => {
    const plan = (m: number, n: number, k: number, device = eight) =>
      explain(() => matmul(zeros(device, [m, k]), zeros(device, [k, n])))[2]!;
    const small = plan(16, 16, 16);
    assert.deepEqual([small.workers, small.product?.route, small.flops], [1, "direct", 8192]);
    assert.match(small.why, /fewer multiply-adds than parallelThreshold \(589 824\)/);
    assert.equal(plan(128, 128, 256).workers, 2);
    assert.match(plan(128, 128, 256).why, /parMnkPerWorker \(2 000 000\)/);
    const large = plan(1024, 1024, 1024);
    assert.deepEqual([large.workers, large.flops, large.bytes, large.product?.route], [8, 2 ** 31, 3 * 2 ** 22, "tiles"]);
    assert.ok(large.scratchBytes > 0 && large.product!.blocking!.kc === 256);
    const three = cpuDevice({ threads: 3, tuning: { cores: 8 } });
    assert.deepEqual([plan(512, 512, 512, three).workers, plan(512, 512, 512, three).why], [3, "threads is 3"]);
    const serial = cpuDevice({ threads: "serial", tuning: { cores: 8 } });
    assert.deepEqual([plan(512, 512, 512, serial).workers, plan(512, 512, 512, serial).why], [1, "threads is serial"]);
    const capped = cpuDevice({ threads: 8, tuning: { cores: 2 } });
    assert.match(plan(512, 512, 512, capped).why, /no more than 2 cores/);
    const one = plan(1, 8, 1_000_000);
    assert.deepEqual([one.workers, one.why], [1, "the work cannot be cut into more parts"]);

    const x = zeros(eight, [1024, 256]);
    const rows = explain(() => softmax(x))[0]!;
    assert.deepEqual([rows.workers, rows.bytes, rows.flops], [8, 2 ** 21, null]);
    const few = explain(() => softmax(api.slice(x, 0, 0, 4)))[0]!;
    assert.deepEqual([few.workers, few.why], [1, "its bytes are below gemvParallelBytes (1 048 576)"]);
    assert.match(explain(() => random(eight, 1).normal([4]))[0]!.why, /counted 8-fold/);
    const nothing = explain(() => softmax(zeros(eight, [0, 4])))[1]!;
    assert.deepEqual([nothing.workers, nothing.bytes, nothing.why], [0, 0, "no elements, nothing to do"]);
  });
});

test("explain() names the tier that a count stands on", () => {
  scope(() => {
    const tiers = cpuDevice({ tuning: { cores: 8, poolClasses: 2, gemvParallelBytes: 1 << 20 } });
    const product = (n: number) => explain(() => matmul(zeros(tiers, [n, n]), zeros(tiers, [n, n])))[2]!;
    assert.deepEqual([product(240).workers, product(240).tier], [4, 4]);
    assert.match(product(240).why, /rounded down to the tier of 4/);
    assert.deepEqual([product(1024).workers, product(1024).tier, product(1024).why], [8, 8, "enough work for every core"]);
    const rows = explain(() => softmax(zeros(tiers, [1024, 256])))[1]!;
    assert.deepEqual([rows.workers, rows.tier, rows.why], [2, 2, "the tier that its bytes have climbed to"]);
    const flat = cpuDevice({ tuning: { cores: 8, gemvParallelBytes: 0, gemvThreadCap: 3 } });
    const capped = explain(() => softmax(zeros(flat, [64, 64])))[1]!;
    assert.deepEqual([capped.workers, capped.tier, capped.why], [3, null, "above the floor gemvThreadCap (3) stands for the tiers"]);
    assert.equal(capped.tuning.poolClasses, flat.describe().tuning.poolClasses);
    assert.deepEqual(capped.tuning, flat.describe().tuning);
  });
});

test("each oversampling knob cuts the calls that it is for into more chunks, and no others", () => {
  const device = (parallelOversample: number, packedOversample: number) =>
    cpuDevice({ threads: 2, tuning: { cores: 8, parallelThreshold: 0, parallelOversample, packedOversample } });
  const few = device(2, 2), parallel = device(32, 2), packed = device(2, 32);
  const product = (a: number[], b: number[], options: object = {}) => (d: CpuDevice) =>
    matmul(zeros(d, a), some(zeros(d, b)), some(options));
  const heads = (d: CpuDevice) => zeros(d, [2, 8, 512, 32]);
  const ids = (d: CpuDevice) => tensor(d, [64], new Uint32Array(64));
  const calls: Record<string, [step: string, ofPacked: boolean, call: (d: CpuDevice) => unknown]> = {
    "a row and a matrix": ["matmul", false, product([1, 64], [64, 8192])],
    "a row and a transposed matrix": ["matmul", false, product([1, 64], [8192, 64], { transposeB: true })],
    "a column and a row": ["matmul", false, product([512, 1], [1, 64])],
    "a product of nothing": ["matmul", false, product([512, 0], [0, 64])],
    "A in place": ["matmul", false, product([1024, 256], [256, 256])],
    "few rows and a transposed matrix": ["matmul", false, product([16, 256], [4096, 256], { transposeB: true })],
    "few rows and a B that is packed": ["matmul", false, product([64, 512], [512, 2048])],
    "a transposed A": ["matmul", true, product([256, 4096], [256, 512], { transposeA: true })],
    "a batch": ["matmul", false, product([256, 8, 8], [256, 8, 8])],
    "rows": ["softmax", false, (d) => softmax(zeros(d, [512, 8]))],
    "elements": ["add", false, (d) => api.add(zeros(d, [1 << 16]), zeros(d, [1 << 16]))],
    "attention": ["attention", false, (d) => api.attention(heads(d), heads(d), heads(d))],
    "attention's gradients": ["heads", false, (d) => api.attentionBackward(some(heads(d)), some(heads(d)), some(heads(d)), some(heads(d)))],
    "a bias gradient": ["db", false, (d) => {
      const weight = zeros(d, [8192, 1]), bias = zeros(d, [8192]);
      return api.linearBackward(zeros(d, [64, 1]), { weight, bias }, zeros(d, [64, 8192]));
    }],
    "an embedding's gradient": ["embeddingBackward", false, (d) => {
      return api.embeddingBackward(ids(d), { weight: zeros(d, [1000, 16]) }, zeros(d, [64, 16]));
    }],
  };
  for (const [name, [step, ofPacked, call]] of Object.entries(calls)) {
    scope(() => {
      const chunks = (d: CpuDevice) => {
        const found = explain(() => call(d)).filter((s) => s.step === step);
        assert.ok(found.length >= 1, `${name}: no step is called ${step}`);
        const { jobs, grain, workers } = found.at(-1)!;
        assert.equal(workers, 2, name);
        return Math.ceil(jobs / grain);
      };
      const [before, byParallel, byPacked] = [chunks(few), chunks(parallel), chunks(packed)];
      const moved = `${name}: ${before} chunks, ${byParallel} with parallelOversample of 32, ${byPacked} with packedOversample`;
      assert.ok(ofPacked ? byPacked > before : byParallel > before, moved);
      assert.equal(ofPacked ? byParallel : byPacked, before, moved);
    });
  }
});

test("explain() shows how a batch and an empty product are done", () => {
  scope(() => {
    const batch = explain(() => matmul(zeros(eight, [64, 64, 64]), zeros(eight, [64, 64, 64])))[2]!;
    assert.deepEqual([batch.product!.route, batch.product!.batch, batch.jobs, batch.workers], ["batch-parallel", 64, 64, 8]);
    assert.equal(batch.flops, 2 * 64 ** 4);
    assert.equal(batch.bytes, 3 * 64 ** 3 * 4);
    const large = explain(() => matmul(zeros(eight, [2, 512, 512]), zeros(eight, [1, 512, 512]), some({ transposeA: true })))[2]!;
    assert.deepEqual([large.product!.route, large.product!.batch], ["sequential-internal", 2]);
    assert.equal(large.bytes, (2 + 1 + 2) * 512 ** 2 * 4);
    const few = explain(() => matmul(zeros(eight, [2, 4, 4]), zeros(eight, [2, 4, 4])))[2]!;
    assert.deepEqual([few.product!.route, few.workers, few.grain], ["batch-serial", 1, 2]);
    // A matrix and a vector, either way and in either order in memory; then a column times a row.
    const w = zeros(eight, [96, 200]);
    const route = (a: number[], b: Tensor, options: object = {}) => {
      const { kernel, product: p } = explain(() => matmul(zeros(eight, a), some(b), some(options))).at(-1)!;
      return [kernel!.replace(`__${isa}`, ""), p!.route, p!.packing.a, p!.packing.b, p!.tile];
    };
    assert.deepEqual(route([1, 96], w as Tensor), ["gemv_f32_rows", "gemv", "in place", "in place", null]);
    assert.deepEqual(route([1, 200], w as Tensor, { transposeB: true }), [
      "gemv_f32_turned",
      "gemv",
      "in place",
      "turned in registers",
      null,
    ]);
    assert.deepEqual(route([30, 96], zeros(eight, [96, 1]) as Tensor), [
      "gemv_f32_turned",
      "gemv",
      "turned in registers",
      "in place",
      null,
    ]);
    assert.deepEqual(route([30, 1], zeros(eight, [1, 40]) as Tensor), ["outer_f32", "outer", "in place", "in place", null]);
    const empty = explain(() => matmul(zeros(eight, [3, 0]), zeros(eight, [0, 4])))[2]!;
    assert.deepEqual([empty.product!.route, empty.flops], ["scaling only", 0]);
  });
});

test("explain() of a call equals what a second explanation says", () => {
  scope(() => {
    const x = zeros(eight, [100, 100]);
    const once = () => JSON.stringify(explain(() => matmul(x, x)));
    assert.equal(once(), once());
  });
});

test("explain() changes neither parameters, optimizer state nor random streams", () => {
  scope(() => {
    const p = { w: tensor(eight, [2, 2], [1, 2, 3, 4]) };
    const g = { w: tensor(eight, [2, 2], [1, 1, 1, 1]) };
    const optimizer = adamW(p), other = adamW({ w: api.copy(p.w) });
    const rng = random(eight, 5), twin = random(eight, 5);
    explain(() => {
      optimizer.step(p, g, 0.1);
      rng.normal([100]);
      p.w.write([9, 9, 9, 9]);
      return api.clipByGlobalNorm(g, 0.5);
    });
    assertSameBits(p.w.readSync(), [1, 2, 3, 4]);
    assertSameBits(g.w.readSync(), [1, 1, 1, 1]);
    assert.equal(optimizer.state.step.itemSync(), 0);
    assertSameBits(optimizer.state.m.w.readSync(), [0, 0, 0, 0]);
    assertSameBits(rng.normal([10]).readSync(), twin.normal([10]).readSync());
    const copy = { w: tensor(eight, [2, 2], [1, 2, 3, 4]) };
    optimizer.step(p, g, 0.1);
    other.step(copy, g, 0.1);
    assertSameBits(p.w.readSync(), copy.w.readSync(), "the first real step");
    optimizer[Symbol.dispose]();
    other[Symbol.dispose]();
    rng[Symbol.dispose]();
    twin[Symbol.dispose]();
  });
});

test("explain() takes labels that are not computed yet", () => {
  scope(() => {
    const logits = zeros(eight, [4, 3]), table = zeros(eight, [3, 2]);
    const plan = explain(() => {
      const ids = random(eight, 1).categorical(logits);
      poison(ids);
      api.embedding(some(ids), { weight: table });
      return api.crossEntropy(logits, some(api.cast(logits, "i32") && ids));
    });
    assert.equal(plan.at(-1)!.op, "crossEntropy");
  });
});

test("explain() frees what is kept or returned inside it, and nothing else", () => {
  const before = memory();
  let inside: Tensor | undefined;
  const outside = tensor(eight, [1], [3]);
  explain(() => {
    inside = keep(zeros(eight, [4])) as Tensor;
    scope(() => keep(zeros(eight, [4])));
    keep(outside);
    return zeros(eight, [5]);
  });
  assert.ok(inside!.disposed);
  assert.equal(outside.itemSync(), 3);
  outside.dispose();
  const after = memory();
  assert.deepEqual([after.tensors, after.outsideScopes], [before.tensors, before.outsideScopes]);
});

test("explain() refuses to read values, itself, async bodies and losses, and ends after every error", () => {
  scope(() => {
    const x = tensor(eight, [2], [1, 2]);
    const reading = /inside explain, which computes nothing/;
    assert.throws(() => explain(() => mul(x, x).readSync()), { name: "TypeError", message: reading });
    assert.throws(() => explain(() => sum(x).itemSync()), { name: "TypeError", message: reading });
    assert.throws(() => explain(() => random(eight, 1).below(6)), { name: "TypeError", message: reading });
    assert.throws(() => explain(() => explain(() => x)), { name: "TypeError", message: /inside explain/ });
    assert.throws(() => explain(() => Promise.resolve(1)), { name: "TypeError", message: /must not be async/ });
    assert.throws(() => explain(some(3)), { name: "TypeError", message: /body must be a function, got 3/ });
    assert.throws(() => explain(() => matmul(some(x), some(x))), RangeError);
    assert.throws(() =>
      explain(() => {
        throw new Error("mine");
      }), { message: "mine" });
    const loss = valueAndGrad((p: { x: typeof x }) => {
      assert.throws(() => explain(() => mul(p.x, p.x)), { name: "TypeError", message: /inside a loss/ });
      return sum(mul(p.x, p.x));
    });
    using result = loss({ x });
    assertSameBits(result.grads.x.readSync(), [2, 4]);
    explain(() => assert.match(String(mul(x, x)), /^Tensor f32 \[2\] on cpu.* \(explained\)$/));
    // Calls are made again, and an explanation made meanwhile counts them from 0.
    assertSameBits(mul(x, x).readSync(), [1, 4]);
    assert.equal(explain(() => mul(x, x))[0]!.call, 0);
  });
});

test("explain() rejects a read that nobody waits for until later", async () => {
  const x = tensor(eight, [2], [1, 2]);
  let late: Promise<unknown> | undefined;
  explain(() => {
    late = mul(x, x).read();
  });
  await assert.rejects(late!, { name: "TypeError", message: /inside explain/ });
  x.dispose();
});

test("explain() prints as a table in every runtime", () => {
  scope(() => {
    const x = zeros(eight, [512, 768]), w = zeros(eight, [768, 3072]);
    const plan = explain(() => {
      matmul(x, w);
      softmax(transpose(x));
    });
    const text = String(plan);
    const shown = "Deno" in globalThis
      ? (globalThis as unknown as { Deno: { inspect(x: unknown): string } }).Deno.inspect(plan)
      : inspect(plan);
    assert.equal(shown, text);
    const lines = text.split("\n");
    assert.equal(lines.length, 6);
    assert.match(lines[0]!, /^matmul +gemm_f32_strip__\w+ +8 workers /);
    assert.match(lines[1]!, /512 × 3072 × 768 tiles; tile \d+ × \d+; blocks of .*; 16.5 MiB; 2.42 Gflop; [\d.]+ MiB scratch$/);
    assert.match(lines[2]!, /^softmax: copy +copy_u32_turn__/);
    assert.equal(String(explain(() => 1)), "nothing is called");
    // Plain data: it survives JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(plan)), [...plan]);
  });
});

test("explain() works for f64 and names every instruction set that the machine runs", () => {
  scope(() => {
    for (const name of ["portable", "avx2", "avx512", "neon"] as const) {
      let device: CpuDevice;
      try {
        device = cpuDevice({ isa: name, tuning: { cores: 8 } });
      } catch {
        continue;
      }
      const x = tensor(device, [3, 3], Float64Array.from(numbers(9)));
      const step = explain(() => matmul(x, x))[0]!;
      assert.deepEqual([step.isa, step.kernel], [name, `gemm_f64_strip__${name}`]);
    }
  });
});

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { cpu, type CpuDescription, cpuDevice, type CpuOptions, type Isa, matmul, ones, tensor, UnsupportedError } from "../mod.ts";
import { childJson, exists, runtime } from "./child.ts";

/** What the machine itself says, whatever the environment of this test asks for. */
const machine = await describe({});
const isas: readonly Isa[] = process.arch === "x64" ? ["portable", "avx2", "avx512"] : ["neon"];
const foreign: Isa = process.arch === "x64" ? "neon" : "avx2";

/** What the default device comes to in a process with these variables, or its error. */
async function describe(env: Record<string, string>): Promise<CpuDescription> {
  const result = await tryDescribe(env);
  assert.ok("description" in result, JSON.stringify(result));
  return result.description!;
}

function tryDescribe(env: Record<string, string>, under: string[] = []): Promise<{ description?: CpuDescription; error?: string }> {
  return childJson(
    `
    import { cpu, tensor } from "tilework";
    try {
      tensor(cpu, [1], [1]); // the first use of the device reports what is wrong with it
      console.log(JSON.stringify({ description: cpu.describe() }));
    } catch (error) {
      console.log(JSON.stringify({ error: error.name + ": " + error.message }));
    }`,
    { env, under },
  ) as Promise<{ description?: CpuDescription; error?: string }>;
}

test("cpu: describe() tells what the defaults came to", () => {
  assert.equal(machine.threads, "auto");
  assert.ok(isas.includes(machine.isa));
  assert.ok(machine.cores >= 1 && Number.isInteger(machine.cores));
  assert.equal(machine.tuning.cores, machine.cores);
  const { parallelThreshold, parMnkPerWorker, parallelOversample, packedOversample, gemvParallelBytes } = machine.tuning;
  assert.deepEqual([parallelThreshold, parMnkPerWorker, parallelOversample, packedOversample], [589_824, 2_000_000, 8, 8]);
  assert.ok(gemvParallelBytes > 0);
  assert.ok(machine.caches.l1 >= 4096 && machine.caches.l2 >= machine.caches.l1);
  assert.equal(cpu.name, "cpu");
});

test("describe() works before anything else has loaded the library", { timeout: 60_000 }, async () => {
  assert.equal(typeof await childJson(`import { cpu } from "tilework"; console.log(JSON.stringify(cpu.describe().cores));`), "number");
});

test("cpuDevice() keeps its settings, names them and describes them", () => {
  const d = cpuDevice({
    threads: 3,
    isa: isas[0]!,
    tuning: {
      cores: 5,
      parallelThreshold: 0,
      parMnkPerWorker: 1,
      parallelOversample: 1024,
      packedOversample: 1,
      gemvParallelBytes: 2 ** 53 - 1,
    },
  });
  const { threads, isa, cores, tuning } = d.describe();
  assert.deepEqual({ threads, isa, cores, tuning }, {
    threads: 3,
    isa: isas[0],
    cores: 5,
    tuning: {
      cores: 5,
      parallelThreshold: 0,
      parMnkPerWorker: 1,
      parallelOversample: 1024,
      packedOversample: 1,
      gemvParallelBytes: 2 ** 53 - 1,
    },
  });
  assert.match(d.name, /^cpu\(threads: 3, isa: \w+, cores: 5, parallelThreshold: 0, /);
  assert.equal(cpuDevice({ threads: "serial" }).describe().threads, "serial");
  assert.equal(cpuDevice({ threads: 1 }).describe().threads, "serial");
  assert.equal(cpuDevice({ threads: "auto" }).describe().threads, "auto");
  assert.equal(cpuDevice({ threads: 256 }).describe().threads, 256);
  using x = tensor(d, [1], [1]);
  assert.equal(x.device, d);
});

test("cpuDevice() with the same settings is the same native device, and its tensors mix", () => {
  const make = (threads: number) => cpuDevice({ threads, tuning: { cores: 7 } });
  assert.equal(make(4).handle, make(4).handle);
  assert.notEqual(make(4).handle, make(5).handle);
  using a = ones(make(4), [2, 2]);
  using b = ones(make(4), [2, 2]);
  using c = matmul(a, b);
  assert.deepEqual([...c.readSync()], [2, 2, 2, 2]);
  using other = ones(make(5), [2, 2]);
  assert.throws(() => matmul(a, other), {
    name: "TypeError",
    message: "matmul: b is on cpu(threads: 5, cores: 7), a is on cpu(threads: 4, cores: 7)",
  });
});

test("cpuDevice() says which setting is out of range (C08)", () => {
  const any = cpuDevice as unknown as (options: unknown) => unknown;
  const wrong: [unknown, string, RegExp][] = [
    [{ threads: 0 }, "RangeError", /^cpuDevice: threads must be a whole number from 1 to 256, got 0$/],
    [{ threads: -1 }, "RangeError", /^cpuDevice: threads must be .*, got -1$/],
    [{ threads: 1.5 }, "RangeError", /^cpuDevice: threads must be .*, got 1.5$/],
    [{ threads: NaN }, "RangeError", /^cpuDevice: threads must be .*, got NaN$/],
    [{ threads: Infinity }, "RangeError", /^cpuDevice: threads must be .*, got Infinity$/],
    [{ threads: 257 }, "RangeError", /^cpuDevice: threads must be .*, got 257$/],
    [{ threads: 2 ** 32 + 1 }, "RangeError", /^cpuDevice: threads must be .*, got 4294967297$/],
    [{ threads: "2" }, "TypeError", /^cpuDevice: threads must be .*, got the string "2"$/],
    [{ threads: 2n }, "TypeError", /^cpuDevice: threads must be .*, got the bigint 2$/],
    [{ threads: null }, "TypeError", /^cpuDevice: threads must be .*, got null$/],
    [{ isa: "sse9" }, "RangeError", /^cpuDevice: isa must be one of portable, avx2, avx512, neon, got the string "sse9"$/],
    [{ isa: 1 }, "RangeError", /^cpuDevice: isa must be one of .*, got 1$/],
    [{ tuning: { cores: 0 } }, "RangeError", /^cpuDevice: cores must be a whole number from 1 to 256, got 0$/],
    [{ tuning: { parMnkPerWorker: 0 } }, "RangeError", /^cpuDevice: parMnkPerWorker must be a whole number from 1 to 2\^53 - 1, got 0$/],
    [{ tuning: { parallelThreshold: -1 } }, "RangeError", /^cpuDevice: parallelThreshold must be .*, got -1$/],
    [
      { tuning: { parallelOversample: 1025 } },
      "RangeError",
      /^cpuDevice: parallelOversample must be a whole number from 1 to 1024, got 1025$/,
    ],
    [{ tuning: { packedOversample: "4" } }, "TypeError", /^cpuDevice: packedOversample must be .*, got the string "4"$/],
    [{ tuning: { gemvParallelBytes: 2 ** 53 } }, "RangeError", /^cpuDevice: gemvParallelBytes must be .*, got 9007199254740992$/],
    [{ tuning: { threads: 3 } }, "RangeError", /^cpuDevice: tuning has no knob threads; there are cores, parallelThreshold, /],
    [{ tuning: { oversample: 3 } }, "RangeError", /^cpuDevice: tuning has no knob oversample; there are /],
  ];
  for (const [options, name, message] of wrong) {
    assert.throws(
      () => any(options),
      { name, message },
      JSON.stringify(options, (_, v) => typeof v === "bigint" ? `${v}n` : v),
    );
  }
  const unset: CpuOptions = { threads: undefined, isa: undefined, tuning: { cores: undefined } } as never;
  assert.equal(cpuDevice(unset).handle, cpuDevice().handle);
});

test("cpuDevice() fails with an UnsupportedError where the machine lacks the instruction set", () => {
  const missing = [foreign, ...isas.slice(isas.indexOf(machine.isa) + 1)];
  for (const isa of missing) {
    assert.throws(() => cpuDevice({ isa }), (error: Error) => {
      assert.ok(error instanceof UnsupportedError);
      assert.equal(error.message, `cpuDevice: isa "${isa}" cannot run on this machine`);
      return true;
    });
  }
});

test("every instruction set of the machine gives the same product", () => {
  const usable = isas.slice(0, isas.indexOf(machine.isa) + 1);
  const results = usable.map((isa) => {
    const d = cpuDevice({ isa });
    assert.equal(d.describe().isa, isa);
    using a = tensor(d, [17, 33], Float32Array.from({ length: 17 * 33 }, (_, i) => Math.sin(i)));
    using b = tensor(d, [33, 19], Float32Array.from({ length: 33 * 19 }, (_, i) => Math.cos(i)));
    using c = matmul(a, b);
    return new Uint32Array(c.readSync().buffer);
  });
  for (const r of results) assert.deepEqual(r, results[0]);
});

test("sync() is a promise", async () => {
  assert.equal(await cpu.sync(), undefined);
});

// ── The environment ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("every knob is read from its variable, and a given setting goes before it", { timeout: 60_000 }, async () => {
  const env = {
    TILEWORK_THREADS: "6",
    TILEWORK_ISA: isas[0]!,
    TILEWORK_CORES: "12",
    TILEWORK_PARALLEL_THRESHOLD: "11",
    TILEWORK_PAR_MNK_PER_WORKER: "22",
    TILEWORK_PARALLEL_OVERSAMPLE: "33",
    TILEWORK_PACKED_OVERSAMPLE: "44",
    TILEWORK_GEMV_PARALLEL_BYTES: "55",
  };
  const [byDefault, given] = await childJson(
    `
    import { cpu, cpuDevice } from "tilework";
    console.log(JSON.stringify([cpu.describe(), cpuDevice({ threads: "auto", tuning: { cores: 3, packedOversample: 1 } }).describe()]));`,
    { env },
  ) as [CpuDescription, CpuDescription];
  const { threads, isa, cores, tuning } = byDefault;
  assert.deepEqual([threads, isa, cores], [6, isas[0], 12]);
  assert.deepEqual(tuning, {
    cores: 12,
    parallelThreshold: 11,
    parMnkPerWorker: 22,
    parallelOversample: 33,
    packedOversample: 44,
    gemvParallelBytes: 55,
  });
  assert.deepEqual([given.threads, given.cores, given.tuning.packedOversample, given.tuning.parallelOversample], ["auto", 3, 1, 33]);
});

test("TILEWORK_THREADS takes auto, serial and numbers; an empty variable is an unset one", { timeout: 60_000 }, async () => {
  for (const [text, threads] of [["auto", "auto"], ["serial", "serial"], ["1", "serial"], ["256", 256], ["", "auto"]] as const) {
    assert.equal((await describe({ TILEWORK_THREADS: text })).threads, threads, text);
  }
});

test("TILEWORK_ISA pins each instruction set that the machine has", { timeout: 60_000 }, async () => {
  for (const isa of isas.slice(0, isas.indexOf(machine.isa) + 1)) assert.equal((await describe({ TILEWORK_ISA: isa })).isa, isa);
});

test("the knobs are read where Deno may not read the environment", { timeout: 60_000, skip: runtime === "bun" }, async () => {
  const cores = await childJson(`import { cpu } from "tilework"; console.log(JSON.stringify(cpu.describe().cores));`, {
    flags: ["--no-prompt", "--allow-ffi"],
    env: { TILEWORK_CORES: "5" },
  });
  assert.equal(cores, 5);
});

test("a variable with a wrong value is a typed error that names it", { timeout: 60_000 }, async () => {
  const wrong: [string, string, RegExp][] = [
    ["TILEWORK_THREADS", "0", /^RangeError: .*TILEWORK_THREADS must be auto, serial or a whole number from 1 to 256, got something else$/],
    ["TILEWORK_THREADS", "-1", /^RangeError: .*TILEWORK_THREADS must be .*, got something else$/],
    ["TILEWORK_THREADS", "1.5", /^RangeError: .*TILEWORK_THREADS must be/],
    ["TILEWORK_THREADS", "257", /^RangeError: .*TILEWORK_THREADS must be .*, got 257$/],
    ["TILEWORK_ISA", "bogus", /^RangeError: .*TILEWORK_ISA must be one of portable, avx2, avx512, neon/],
    ["TILEWORK_ISA", foreign, new RegExp(`^UnsupportedError: .*isa "${foreign}" cannot run on this machine$`)],
    ["TILEWORK_CORES", "0", /^RangeError: .*TILEWORK_CORES must be a whole number from 1 to 256, got 0$/],
    ["TILEWORK_PARALLEL_OVERSAMPLE", "many", /^RangeError: .*TILEWORK_PARALLEL_OVERSAMPLE must be a whole number from 1 to 1024/],
    ["TILEWORK_PAR_MNK_PER_WORKER", "99999999999999999999", /^RangeError: .*TILEWORK_PAR_MNK_PER_WORKER must be/],
  ];
  for (const [name, value, message] of wrong) {
    assert.match((await tryDescribe({ [name]: value })).error ?? "no error", message, `${name}=${value}`);
  }
});

test("a process that may use one processor counts one core (C27)", {
  timeout: 60_000,
  skip: await exists("taskset", "-c", "0", "true") ? false : "taskset is missing",
}, async () => {
  const { description } = await tryDescribe({}, ["taskset", "-c", "0"]);
  assert.equal(description!.cores, 1);
  const asked = await tryDescribe({ TILEWORK_CORES: "4" }, ["taskset", "-c", "0"]);
  assert.equal(asked.description!.cores, 4, "an explicit count wins");
});

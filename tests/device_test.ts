import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { manifest } from "../ffi/symbols.gen.ts";
import {
  cpu,
  type CpuDescription,
  type CpuDevice,
  cpuDevice,
  type CpuOptions,
  type Data,
  type Isa,
  matmul,
  ones,
  scope,
  softmax,
  sum,
  tensor,
  type Tuning,
  UnsupportedError,
  valueAndGrad,
} from "../mod.ts";
import { childJson, exists, runtime, workers } from "./child.ts";
import { assertSameBits, numbers, randomTensor, seed } from "./harness.ts";

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

/** The environment variable of a knob, by the rule that the documentation gives. */
function variableOf(name: string): string {
  return `TILEWORK_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;
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
  assert.ok(machine.tuning.gemvParallelBytes > 0);
  assert.ok(machine.caches.l1 >= 4096 && machine.caches.l2 >= machine.caches.l1);
  const { processors, quota, classes } = machine.machine;
  assert.ok(processors >= machine.cores && (quota === null || quota > 0));
  assert.ok(classes.length >= 1 && classes[0]!.capacity === 1024);
  assert.ok(classes.reduce((sum, { cores }) => sum + cores, 0) >= machine.cores);
  assert.deepEqual(classes[0]!.caches, machine.caches);
  assert.equal(cpu.name, "cpu");
});

test("docs/tuning.md has each knob's variable, range and default as the library has them", () => {
  const rows = readFileSync(new URL("../docs/tuning.md", import.meta.url), "utf8").split("\n")
    .filter((line) => /^\| `\w+` /.test(line))
    .map((line) => line.split("|").slice(1, 5).map((cell) => cell.trim().replaceAll("`", "")));
  const plain = (n: number) => n === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : `${n}`.replace(/\B(?=(?:\d{3})+$)/g, " ");
  const here = process.arch === "arm64" ? "aarch64" : "x86-64";
  const documented = rows.map(([name, variable, range, byDefault]) => {
    const cases = Object.fromEntries(byDefault!.split(", ").filter((text) => text.includes(": ")).map((text) => text.split(": ")));
    return [name, variable, range, cases[here] ?? byDefault];
  });
  const wanted = manifest.settings.map(({ name, variable, words, range }) => {
    const value = name === "threads" || name === "isa" ? undefined : machine.tuning[name];
    const byDefault = { threads: "auto", isa: "the best", cores: "detected", gemvParallelBytes: "from the caches" }[name as string];
    return [name, variable, [...words, ...range ? [range.map(plain).join(" to ")] : []].join(", "), byDefault ?? plain(value!)];
  });
  assert.deepEqual(documented, wanted);
});

test("describe() works before anything else has loaded the library", { timeout: 60_000 }, async () => {
  assert.equal(typeof await childJson(`import { cpu } from "tilework"; console.log(JSON.stringify(cpu.describe().cores));`), "number");
});

test("cpuDevice() keeps its settings, names them and describes them", () => {
  const given: Required<Tuning> = {
    cores: 9,
    poolClasses: 1,
    parallelThreshold: 0,
    parMnkPerWorker: 1,
    fullWidthMnk: 0,
    parallelOversample: 1024,
    packedOversample: 1,
    gemvParallelBytes: 2 ** 53 - 1,
    gemvTierStep: 1,
    gemvThreadCap: 256,
    sharedAWorkers: 0,
    sharedAMnk: 7,
  };
  const d = cpuDevice({ threads: 3, isa: isas[0]!, tuning: given });
  const { threads, isa, cores, tiers, tuning } = d.describe();
  assert.deepEqual({ threads, isa, cores, tiers, tuning }, { threads: 3, isa: isas[0], cores: 9, tiers: [4], tuning: given });
  assert.match(d.name, /^cpu\(threads: 3, isa: \w+, cores: 9, poolClasses: 1, parallelThreshold: 0, /);
  assert.equal(cpuDevice({ threads: "serial" }).describe().threads, "serial");
  assert.equal(cpuDevice({ threads: 1 }).describe().threads, "serial");
  assert.equal(cpuDevice({ threads: "auto" }).describe().threads, "auto");
  assert.equal(cpuDevice({ threads: 256 }).describe().threads, 256);
  using x = tensor(d, [1], [1]);
  assert.equal(x.device, d);
});

test("tiers are halves of the cores, as many as there are pool classes", () => {
  const tiers = (cores: number, poolClasses: number) => cpuDevice({ tuning: { cores, poolClasses } }).describe().tiers;
  assert.deepEqual(tiers(8, 2), [4, 2]);
  assert.deepEqual(tiers(8, 0), []);
  assert.deepEqual(tiers(2, 3), []); // a width of 1 is no tier
  assert.deepEqual(tiers(64, 1000), [32, 16, 8]);
  assert.equal(cpuDevice({ tuning: { poolClasses: 1000 } }).describe().tuning.poolClasses, 3); // more is taken as 3
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

const manyDevices = `
  import process from "node:process";
  import { cpu, cpuDevice, devices, ones, sum, vulkan } from "tilework";
  const gpu = devices().find(({ unusable }) => unusable === null);
  const make = (i) => cpuDevice({ tuning: { parallelThreshold: i } });
  /** Whether the devices that need no settings work, though none of them was used before. */
  async function others() {
    const results = [sum(ones(cpu, [3])).itemSync()];
    if (gpu) results.push(await sum(ones(await vulkan({ index: gpu.index }), [3])).item());
    return results.every((value) => value === 3);
  }
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));`;

test("hundreds of devices of their own settings in one loop take nothing from cpu and vulkan()", { timeout: 60_000 }, async () => {
  const result = await childJson(`${manyDevices}
    let sums = 0;
    for (let i = 0; i < 513; i++) sums += sum(ones(make(i), [2])).itemSync();
    console.log(JSON.stringify([sums, await others()]));`);
  assert.deepEqual(result, [2 * 513, true]);
});

test(
  "more devices than there is room for fail by themselves, and have room once nobody holds the others",
  { timeout: 60_000 },
  async () => {
    const { made, error, others, again, held } = await childJson(`${manyDevices}
    const held = make(10_000);
    let made = 0, error;
    try {
      for (; made < 10_000; made++) make(made);
    } catch (e) {
      error = e.name + ": " + e.message;
    }
    const result = { made, error, others: await others(), again: 0 };
    for (let i = 0; i < 3 * made; i++) {
      if (i % 500 === 0) for (let wait = 0; wait < 4; wait++) await pause();
      try {
        make(i);
        result.again++;
      } catch {
        await pause();
      }
    }
    console.log(JSON.stringify({ ...result, held: held.describe().tuning.parallelThreshold }));`) as Record<string, unknown>;
    assert.equal(
      error,
      `OutOfMemoryError: cpuDevice: ${
        made as number + 1
      } devices of different settings are there already; what nobody holds is freed between turns of the event loop`,
    );
    assert.equal(others, true);
    assert.ok(again as number > 2.5 * (made as number), `${again} of ${3 * (made as number)}`);
    assert.equal(held, 10_000, "what somebody holds is still there");
  },
);

test("a device of two threads outlives either, and ends with the last", { timeout: 60_000 }, async () => {
  const result = await childJson(
    `
    import process from "node:process";
    import { cpuDevice, ones, sum } from "tilework";
    import { native } from "tilework/ffi/library.ts";
    import { message, pause, start } from "./workers.js";
    const make = (i) => cpuDevice({ tuning: { fullWidthMnk: i } });
    const both = make(5), worker = start("./worker.ts");
    const handles = await message(worker);
    const status = (handle) => native.tw_device_describe(new Float64Array(1), 1, handle); // of a live device: that one number does not hold it
    const before = handles.map(status);
    worker.terminate();
    for (let wait = 0; wait < 500 && status(handles[1]) === before[1]; wait++) await pause(10);
    console.log(JSON.stringify({
      same: handles[0] === both.handle,
      before: before[0] === before[1],
      kept: status(handles[0]) === before[0],
      gone: status(handles[1]) !== before[1],
      sum: sum(ones(both, [3])).itemSync(),
    }));
    process.exit(0);`,
    {
      files: {
        "workers.js": workers,
        "worker.ts": `
          import { cpuDevice } from "tilework";
          const made = [5, 6].map((i) => cpuDevice({ tuning: { fullWidthMnk: i } }));
          globalThis.onmessage = () => made;
          postMessage(made.map(({ handle }) => handle));`,
      },
    },
  );
  assert.deepEqual(result, { same: true, before: true, kept: true, gone: true, sum: 3 });
});

test("cpuDevice() says which setting is out of range (C08)", () => {
  const any = cpuDevice as unknown as (options: unknown) => unknown;
  const wrong: [unknown, string, RegExp][] = [
    [{ threads: 0 }, "RangeError", /^cpuDevice: threads must be auto, serial or a whole number from 1 to 256, got 0$/],
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
    [{ tuning: { gemvTierStep: 0 } }, "RangeError", /^cpuDevice: gemvTierStep must be a whole number from 1 to 2\^53 - 1, got 0$/],
    [{ tuning: { gemvThreadCap: 257 } }, "RangeError", /^cpuDevice: gemvThreadCap must be a whole number from 0 to 256, got 257$/],
    [{ tuning: { poolClasses: 0.5 } }, "RangeError", /^cpuDevice: poolClasses must be .*, got 0.5$/],
    [{ tuning: { sharedAMnk: null } }, "TypeError", /^cpuDevice: sharedAMnk must be .*, got null$/],
    [
      { tuning: { threads: 3 } },
      "TypeError",
      /^cpuDevice: there is no option tuning.threads; there are tuning.cores, tuning.poolClasses, /,
    ],
    [{ tuning: { chunks: 3 } }, "TypeError", /^cpuDevice: there is no option tuning.chunks; there are /],
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

test("no request, tier or knob changes a bit of a result", () => {
  const picks = numbers(1000, 1);
  const pick = <T>(values: readonly T[]): T => values[Math.floor((picks.pop()! + 1) / 2 * values.length)]!;
  const results = (device: CpuDevice): Data["f32"][] =>
    scope(() => {
      const x = randomTensor([97, 300], "f32", 2, device), w = randomTensor([300, 130], "f32", 3, device);
      const row = randomTensor([1, 300], "f32", 4, device), batch = randomTensor([5, 33, 47], "f32", 5, device);
      const loss = valueAndGrad((p: { w: typeof w }) => sum(matmul(x, p.w)));
      const outputs = [
        matmul(x, w),
        matmul(row, w),
        matmul(batch, batch, { transposeB: true }),
        softmax(x),
        sum(x, { axis: 0 }),
        loss({ w }).grads.w,
      ];
      return outputs.map((t) => t.readSync());
    });
  const wanted = results(cpuDevice({ threads: "serial" }));
  const widths = new Set<number>();
  for (let round = 0; round < 12; round++) {
    const cores = pick([2, 3, 8, 16]), threads = pick(["auto", "auto", 2, 5] as const);
    const tuning: Tuning = {
      cores,
      poolClasses: pick([0, 1, 2, 3]),
      parallelThreshold: 0,
      parMnkPerWorker: pick([1, 100_000, 700_000]),
      fullWidthMnk: pick([0, 1_000_000, Number.MAX_SAFE_INTEGER]),
      parallelOversample: pick([1, 3, 8]),
      packedOversample: pick([1, 2, 8]),
      gemvParallelBytes: pick([0, 1000]),
      gemvTierStep: pick([1, 2, 8]),
      gemvThreadCap: pick([0, 0, 3]),
      sharedAWorkers: pick([0, 16]),
      sharedAMnk: pick([0, Number.MAX_SAFE_INTEGER]),
    };
    results(cpuDevice({ threads, tuning })).forEach((values, i) => {
      assertSameBits(values, wanted[i]!, `output ${i} of ${JSON.stringify({ threads, tuning })}`);
    });
    cpuDevice({ threads, tuning }).describe().tiers.forEach((width) => widths.add(width));
  }
  assert.ok(widths.size > 2, `only the tiers ${[...widths]} came up (seed ${seed})`);
});

test("sync() is a promise", async () => {
  assert.equal(await cpu.sync(), undefined);
});

// ── The environment ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("every knob is read from its variable, and a given setting goes before it", { timeout: 60_000 }, async () => {
  const wanted: Required<Tuning> = {
    cores: 12,
    poolClasses: 1,
    parallelThreshold: 11,
    parMnkPerWorker: 22,
    fullWidthMnk: 66,
    parallelOversample: 33,
    packedOversample: 44,
    gemvParallelBytes: 55,
    gemvTierStep: 77,
    gemvThreadCap: 88,
    sharedAWorkers: 99,
    sharedAMnk: 111,
  };
  const env: Record<string, string> = { TILEWORK_THREADS: "6", TILEWORK_ISA: isas[0]! };
  for (const [name, value] of Object.entries(wanted)) env[variableOf(name)] = `${value}`;
  const given: Required<Tuning> = { ...wanted };
  for (const name of Object.keys(given) as (keyof Tuning)[]) given[name] += 1;
  const [byDefault, own] = await childJson(
    `
    import { cpu, cpuDevice } from "tilework";
    console.log(JSON.stringify([cpu.describe(), cpuDevice({ threads: "auto", tuning: ${JSON.stringify(given)} }).describe()]));`,
    { env },
  ) as [CpuDescription, CpuDescription];
  const { threads, isa, cores, tiers, tuning } = byDefault;
  assert.deepEqual({ threads, isa, cores, tiers, tuning }, { threads: 6, isa: isas[0], cores: 12, tiers: [6], tuning: wanted });
  assert.deepEqual([own.threads, own.cores, own.tiers, own.tuning], ["auto", 13, [6, 3], given]);
});

test("the variables of the process are read once, those of a device each time", {
  timeout: 60_000,
  skip: runtime === "bun" && "process.env does not reach the library",
}, async () => {
  const [first, second] = await childJson(
    `
    import process from "node:process";
    import { cpuDevice } from "tilework";
    const first = cpuDevice().describe();
    Object.assign(process.env, { TILEWORK_CORES: "9", TILEWORK_POOL_CLASSES: "3", TILEWORK_FULL_WIDTH_MNK: "9" });
    console.log(JSON.stringify([first, cpuDevice().describe()]));`,
    { env: { TILEWORK_CORES: "12", TILEWORK_FULL_WIDTH_MNK: "8" } },
  ) as [CpuDescription, CpuDescription];
  assert.equal(first.cores, 12);
  assert.deepEqual([second.cores, second.tiers], [first.cores, first.tiers]);
  assert.deepEqual([first.tuning.fullWidthMnk, second.tuning.fullWidthMnk], [8, 9]);
});

test("TILEWORK_THREADS takes auto, serial and numbers; an empty variable is an unset one", { timeout: 60_000 }, async () => {
  for (const [text, threads] of [["auto", "auto"], ["serial", "serial"], ["1", "serial"], ["256", 256], ["", "auto"]] as const) {
    assert.equal((await describe({ TILEWORK_THREADS: text })).threads, threads, text);
  }
});

test("TILEWORK_ISA pins each instruction set that the machine has", { timeout: 60_000 }, async () => {
  for (const isa of isas.slice(0, isas.indexOf(machine.isa) + 1)) assert.equal((await describe({ TILEWORK_ISA: isa })).isa, isa);
});

test("the knobs are read where Deno may not read the environment", {
  timeout: 60_000,
  skip: runtime === "deno" ? false : "only Deno has that permission",
}, async () => {
  const cores = await childJson(`import { cpu } from "tilework"; console.log(JSON.stringify(cpu.describe().cores));`, {
    flags: ["--no-prompt", "--allow-ffi"],
    env: { TILEWORK_CORES: "5" },
  });
  assert.equal(cores, 5);
});

test("a variable with a wrong value is a typed error that names it", { timeout: 60_000 }, async () => {
  const wrong: [string, string, string | RegExp][] = [
    ["TILEWORK_THREADS", "lots", 'auto, serial or a whole number from 1 to 256, got "lots"'],
    ["TILEWORK_THREADS", "0", 'auto, serial or a whole number from 1 to 256, got "0"'],
    ["TILEWORK_THREADS", "1.5", 'auto, serial or a whole number from 1 to 256, got "1.5"'],
    ["TILEWORK_THREADS", "257", 'auto, serial or a whole number from 1 to 256, got "257"'],
    ["TILEWORK_ISA", "bogus", 'one of portable, avx2, avx512, neon, got "bogus"'],
    ["TILEWORK_ISA", "x".repeat(1000), `one of portable, avx2, avx512, neon, got "${"x".repeat(64)}…"`],
    ["TILEWORK_ISA", foreign, new RegExp(`^UnsupportedError: .*isa "${foreign}" cannot run on this machine$`)],
  ];
  for (const { variable, words, range } of manifest.settings) {
    if (range === null || words.length > 0) continue;
    const [low, high] = range;
    const text = `a whole number from ${low} to ${high === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : high}, got `;
    const value = low > 0 ? `${low - 1}` : `${BigInt(high) + 1n}`;
    wrong.push([variable, value, `${text}"${value}"`]);
  }
  for (const [name, value, message] of wrong) {
    const { error = "no error" } = await tryDescribe({ [name]: value });
    if (typeof message === "string") assert.equal(error, `RangeError: cpuDevice: ${name} must be ${message}`);
    else assert.match(error, message, `${name}=${value}`);
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

// GPUs that are not there, or fail: no loader, no driver, no memory, a device that is lost. Each is its typed error, nothing is printed, and the CPU goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEndedWell, child } from "./child.ts";
import { failing, gpuTest, noFake, noGpu } from "./gpu_harness.ts";
import { tensor, UnsupportedError, vulkan } from "../mod.ts";

const prelude = `
import { cpu, devices, mul, sum, tensor, vulkan } from "tilework";
const name = async (body) => { try { await body(); return "nothing"; } catch (e) { return e.name + ": " + e.message; } };
const onCpu = () => { const x = tensor(cpu, [3], [1, 2, 3]); return sum(mul(x, x)).itemSync(); };
`;

/** What a program prints as JSON on its last line; it may print nothing else anywhere. */
async function told(program: string, env: Record<string, string>): Promise<unknown> {
  const ended = await child(prelude + program, { env: { TILEWORK_GPU: "0", ...env } });
  assertEndedWell(ended);
  assert.equal(ended.stderr, "");
  assert.equal(ended.stdout.trim().split("\n").length, 1, ended.stdout);
  return JSON.parse(ended.stdout);
}

test("gpu: without a loader there are no devices, a sentence says why, and the CPU computes", async () => {
  const program = `console.log(JSON.stringify([devices().length, await name(() => vulkan()), onCpu()]));`;
  const [count, error, value] = await told(program, { TILEWORK_VULKAN_LIBRARY: "/nonexistent/libvulkan.so.1" }) as [number, string, number];
  assert.equal(count, 0);
  assert.match(error, /^UnsupportedError: vulkan: no GPU .*; there is none: there is no Vulkan loader .*; TILEWORK_VULKAN_LIBRARY names "/);
  assert.equal(value, 14);
});

test("gpu: a loader without a driver, or of which no instance can be made, is the same", { skip: noFake }, async () => {
  const program = `console.log(JSON.stringify([devices().length, await name(() => vulkan()), onCpu()]));`;
  const real = await told(program, { VK_ICD_FILENAMES: "/nonexistent", VK_DRIVER_FILES: "/nonexistent" }) as [number, string, number];
  for (
    const [count, error, value] of [
      real,
      await told(program, failing("instance")) as typeof real,
      await told(program, failing("none")) as typeof real,
    ]
  ) {
    assert.equal(count, 0);
    assert.match(error, /^UnsupportedError: vulkan: no GPU .*; there is none: the Vulkan /);
    assert.equal(value, 14);
  }
});

test("gpu: a device that cannot be made is an error, and another try finds it again", { skip: noFake }, async () => {
  const [error, value] = await told(`console.log(JSON.stringify([await name(() => vulkan()), onCpu()]));`, failing("device")) as [
    string,
    number,
  ];
  assert.match(error, /^UnsupportedError: vulkan: /);
  assert.equal(value, 14);
});

// Opening a processor that plays a GPU is one submission, one wait and one look.
test("gpu: a device lost on submission fails that call and every later one at once; it can be opened anew; the CPU goes on", {
  skip: noFake,
}, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    const first = [...await x.read()];
    const errors = [];
    for (let i = 0; i < 3; i++) errors.push(await name(() => mul(x, x).read()));
    errors.push(await name(() => gpu.sync()), await name(() => tensor(gpu, [1], [1])), await name(() => { x.write([3, 2, 1]); }));
    x.dispose();
    const again = await vulkan();
    console.log(JSON.stringify([first, errors, again !== gpu, onCpu()]));`;
  const [first, errors, anew, value] = await told(program, failing("lost:3")) as [number[], string[], boolean, number];
  assert.deepEqual(first, [1, 2, 3]);
  for (const error of errors) assert.match(error, /^DeviceLostError: /);
  assert.equal(anew, true);
  assert.equal(value, 14);
});

test("gpu: what was running when the device was lost is not taken for a result", { skip: noFake }, async () => {
  for (const read of ["await y.read()", "y.readSync()", "await gpu.sync()"]) {
    const program = `
      const gpu = await vulkan();
      const x = tensor(gpu, [3], [1, 2, 3]), y = mul(x, x);
      console.log(JSON.stringify([await name(async () => { ${read}; }), await name(() => mul(x, x)), onCpu()]));`;
    const [error, later, value] = await told(program, failing("wait:3")) as [string, string, number];
    assert.match(error, /^DeviceLostError: (read|sync): /, read);
    assert.match(later, /^DeviceLostError: /);
    assert.equal(value, 14);
  }
});

test("gpu: where memory runs out the tensor is refused, what is there stays, and smaller ones still work", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    await x.read();
    const errors = [await name(() => tensor(gpu, [24 << 20], new Float32Array(24 << 20)))];
    const y = mul(x, x);
    console.log(JSON.stringify([errors, [...await y.read()], onCpu()]));`;
  // Blocks of memory are 64 MiB, larger tensors have their own.
  const [errors, values, value] = await told(program, failing("memory:80")) as [string[], number[], number];
  assert.match(
    errors[0]!,
    /^OutOfMemoryError: tensor: no memory for f32 \[25165824\] on vulkan\(.*\); its tensors hold 0\.0 MiB, and 1 of all tensors are outside any scope$/,
  );
  assert.deepEqual(values, [1, 4, 9]);
  assert.equal(value, 14);
  const kept = await told(program, failing("once:3")) as [string[], number[], number];
  assert.deepEqual(kept, [["nothing"], [1, 4, 9], 14], "one that fails once is tried again after what is kept was given back");
});

test("gpu: a device without a clock measures nothing, says so, and computes", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    let ran = 0;
    const error = await name(() => gpu.time(() => { ran++; }));
    console.log(JSON.stringify([error, ran, [...await mul(x, x).read()]]));`;
  const [error, ran, values] = await told(program, failing("timeless")) as [string, number, number[]];
  assert.match(error, /^UnsupportedError: time: vulkan\(.*\) has no clock$/);
  assert.equal(ran, 0, "the work is not done unmeasured");
  assert.deepEqual(values, [1, 4, 9]);
});

test("gpu: a device lost while it is measured is told as such, however often", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    const errors = [];
    for (let i = 0; i < 2; i++) errors.push(await name(() => gpu.time(() => mul(x, x))));
    console.log(JSON.stringify([errors, onCpu()]));`;
  for (const wish of ["lost:2", "wait:3"]) {
    const [errors, value] = await told(program, failing(wish)) as [string[], number];
    for (const error of errors) assert.match(error, /^DeviceLostError: (time|sync): /);
    assert.equal(value, 14);
  }
});

test(
  "gpu: a tensor longer than a binding may be is refused with the limit's name before anything is recorded",
  { skip: noFake },
  async () => {
    const program = `
    const gpu = await vulkan();
    const { tensorBytesMax, sharedBytes } = gpu.describe();
    const before = gpu.statistics().bytes;
    const error = await name(() => tensor(gpu, [300000], new Float32Array(300000)));
    const x = tensor(gpu, [200000], new Float32Array(200000).fill(2));
    console.log(JSON.stringify([tensorBytesMax, sharedBytes, error, gpu.statistics().bytes - before > 0, (await mul(x, x).read())[199999]]));`;
    const [range, shared, error, held, last] = await told(program, failing("small")) as [number, number, string, boolean, number];
    assert.deepEqual([range, shared, held, last], [1 << 20, 16384, true, 4]);
    assert.match(error, /^UnsupportedError: tensor: f32 \[300000\] is longer than one binding of vulkan\(.*\) may be/);
  },
);

test("gpu: a batch that finds no memory is handed over again; where it never finds any, what it was to write is lost and is not read", {
  skip: noFake,
}, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    const first = [...await x.read()], errors = [], values = [];
    for (let i = 0; i < 2; i++) {
      const y = mul(x, x);
      errors.push(await name(async () => { values.push(...await y.read()); }));
    }
    console.log(JSON.stringify([first, errors, values, onCpu()]));`;
  assert.deepEqual(await told(program, failing("full:3:only")), [[1, 2, 3], ["nothing", "nothing"], [1, 4, 9, 1, 4, 9], 14]);
  const [first, errors, values, value] = await told(program.replace("i < 2", "i < 1"), failing("full:3")) as [
    number[],
    string[],
    number[],
    number,
  ];
  assert.match(errors[0]!, /^DeviceLostError: read: /);
  assert.deepEqual([first, values, value], [[1, 2, 3], [], 14]);
});

test("gpu: a device that is lost as it is opened is an error, and is opened anew", { skip: noFake }, async () => {
  const program = `
    const error = await name(() => vulkan());
    const gpu = await vulkan(), x = tensor(gpu, [3], [1, 2, 3]);
    console.log(JSON.stringify([error, [...await mul(x, x).read()]]));`;
  for (const wish of ["lost:1:only", "wait:1:only", "gone:2:only"]) {
    const [error, values] = await told(program, failing(wish)) as [string, number[]];
    assert.match(error, /^DeviceLostError: vulkan: /, wish);
    assert.deepEqual(values, [1, 4, 9], wish);
  }
});

test("gpu: a driver that lets go whoever waits for a lost device is not believed", { skip: noFake }, async () => {
  for (const read of ["await y.read()", "y.readSync()", "await gpu.sync()"]) {
    const program = `
      const gpu = await vulkan();
      const x = tensor(gpu, [3], [1, 2, 3]), y = mul(x, x);
      console.log(JSON.stringify([await name(async () => { ${read}; }), await name(() => mul(x, x)), onCpu()]));`;
    const [error, later, value] = await told(program, failing("gone:3")) as [string, string, number];
    assert.match(error, /^DeviceLostError: (read|sync): /, read);
    assert.match(later, /^DeviceLostError: /);
    assert.equal(value, 14);
  }
});

test(
  "gpu: memory of a lost device goes back to the driver as its tensors are freed; trim says that it is lost",
  { skip: noFake },
  async () => {
    const program = `
    const gpu = await vulkan();
    const large = tensor(gpu, [5 << 20], new Float32Array(5 << 20)), small = tensor(gpu, [3], [1, 2, 3]);
    await small.read();
    const errors = [await name(() => mul(small, small).read()), await name(() => gpu.trim())];
    const held = [gpu.statistics().heldBytes];
    large.dispose();
    held.push(gpu.statistics().heldBytes);
    console.log(JSON.stringify([errors, held, gpu.statistics().validationMessages]));`;
    const [errors, held, messages] = await told(program, { ...failing("lost:3"), TILEWORK_GPU_VALIDATION: "1" }) as [
      string[],
      [number, number],
      number,
    ];
    for (const error of errors) assert.match(error, /^DeviceLostError: /);
    assert.equal(held[0] - held[1], 20 << 20);
    assert.equal(messages, 0);
  },
);

test("gpu: a device of which a part cannot be made leaves nothing behind, and is made at the next try", { skip: noFake }, async () => {
  const program = `
    const error = await name(() => vulkan());
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    console.log(JSON.stringify([error, [...await mul(x, x).read()], gpu.statistics().validationMessages]));`;
  // A probe for each heap, the semaphore, the cache, then pools and command buffers.
  for (const [part, sets] of [[1, "0"], [2, "0"], [3, "0"], [4, "0"], [5, "0"], [6, "0"], [7, "1"], [12, "0"]] as const) {
    const [error, values, messages] = await told(program, {
      ...failing(`making:${part}:only`),
      TILEWORK_GPU_VALIDATION: "1",
      TILEWORK_GPU_POOLED_SETS: sets,
      TILEWORK_GPU_CACHE: "0",
    }) as [string, number[], number];
    assert.match(error, /^OutOfMemoryError: vulkan: /, `part ${part}`);
    assert.deepEqual([values, messages], [[1, 4, 9], 0], `part ${part}`);
  }
});

test("gpu: an upload in pieces that finds memory for the first one only is as good as any", { skip: noFake }, async () => {
  // A block of small tensors and one of their copies, the tensor, and the first piece: no more is to be had for the others.
  const program = `
    const gpu = await vulkan(), n = 9 << 20;
    tensor(gpu, [1], [1]).readSync();
    const x = tensor(gpu, [n], Float32Array.from({ length: n }, (_, i) => i % 1000003));
    const got = [gpu.statistics().allocations];
    for (const at of [0, 1, 4194303, 4194304, 8388607, 8388608, n - 1]) {
      got.push(slice(x, 0, at, at + 1).readSync()[0] === at % 1000003);
    }
    console.log(JSON.stringify(got));`;
  assert.deepEqual(await told(`import { slice } from "tilework";${program}`, failing("room:4")), [4, ...Array(7).fill(true)]);
});

test("gpu: so many allocations as a device allows, then a typed error; freed ones make room", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan(), many = [];
    const error = await name(() => { for (let i = 0; i < 9; i++) many.push(empty(gpu, [5 << 20])); });
    const made = many.length;
    many.forEach((x) => x.dispose());
    const x = tensor(gpu, [6 << 20], new Float32Array(6 << 20).fill(3));
    console.log(JSON.stringify([made, error, (await mul(x, x).read())[(6 << 20) - 1]]));`;
  const [made, error, value] = await told(`import { empty } from "tilework";${program}`, failing("blocks:6")) as [number, string, number];
  assert.deepEqual([made, value], [5, 9]);
  assert.match(error, /^OutOfMemoryError: empty: no memory for f32 \[5242880\]/);
});

test("gpu: a device that takes too few buffers or threads cannot be used, and says why", { skip: noFake }, async () => {
  for (
    const [wish, why] of [["buffers:15", "its shaders take fewer than 16 buffers"], [
      "threads:64",
      "its workgroups have fewer than",
    ]] as const
  ) {
    const program = `console.log(JSON.stringify([devices()[0].unusable, await name(() => vulkan()), onCpu()]));`;
    const [unusable, error, value] = await told(program, failing(wish)) as [string, string, number];
    assert.ok(unusable.startsWith(why), unusable);
    assert.ok(error.startsWith("UnsupportedError: vulkan: ") && error.includes(`cannot be used: ${why}`), error);
    assert.equal(value, 14);
  }
});

test("gpu: no tensor is longer than an allocation may be", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [16 << 20], new Float32Array(16 << 20).fill(2));
    console.log(JSON.stringify([gpu.describe().tensorBytesMax, await name(() => tensor(gpu, [(16 << 20) + 1], new Float32Array((16 << 20) + 1))), x.readSync()[9]]));`;
  const [most, error, value] = await told(program, failing("largest:64")) as [number, string, number];
  assert.deepEqual([most, value], [64 << 20, 2]);
  assert.match(error, /^UnsupportedError: tensor: f32 \[16777217\] is longer/);
});

test("gpu: memory of the host that is not cached serves as well", { skip: noFake }, async () => {
  const program = `
    const gpu = await vulkan();
    const x = tensor(gpu, [3], [1, 2, 3]);
    console.log(JSON.stringify([...await mul(x, x).read()]));`;
  assert.deepEqual(await told(program, failing("uncached")), [1, 4, 9]);
});

gpuTest("gpu: 2^40 bytes are refused, then a small tensor works", (gpu) => {
  assert.throws(() => tensor(gpu, [2 ** 20, 2 ** 18], [] as never), RangeError);
  using x = tensor(gpu, [2], [1, 2]);
  assert.deepEqual([...x.readSync()], [1, 2]);
});

test("gpu: names and indices that are not there list what is", { skip: noGpu }, async () => {
  for (const options of [{ index: 99 }, { name: "a name that no device has" }]) {
    await assert.rejects(
      vulkan(options),
      (e) => e instanceof UnsupportedError && /no GPU (has the index 99|is called "a name.*"); there are 0: /.test(e.message),
    );
  }
  await assert.rejects(vulkan({ index: -1 }), RangeError);
  await assert.rejects(vulkan({ index: 1.5 }), RangeError);
  await assert.rejects(vulkan({ name: "" }), RangeError);
  await assert.rejects(vulkan({ name: 3 } as never), TypeError);
});

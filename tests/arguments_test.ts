// Arguments that are wrong, in every place of every function: what is thrown is the library's own, names the function, and changes nothing. And options that
// nobody knows: neither runtime checks types, so a misspelt name would compute something else.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as api from "../mod.ts";
import { CheckpointError, cpu, DeviceLostError, OutOfMemoryError, type Tensor, UnsupportedError, zeros } from "../mod.ts";
import { argumentsOf, calls, folder, functionOf, makeInputs } from "./argument_cases.ts";
import { childJson } from "./child.ts";
import { gpuTest } from "./gpu_harness.ts";

after(() => rmSync(folder, { recursive: true, force: true }));

/** Functions without arguments, and one that needs a driver. */
const withoutCase = ["devices", "isAvailable", "memory", "trim", "vulkan"];

const root = fileURLToPath(new URL("..", import.meta.url));
const functions = Object.entries(api).filter(([, value]) => typeof value === "function" && !/^class /.test(String(value))).map(([name]) =>
  name
);

/** What is wrong nearly everywhere. */
const wrong =
  (): unknown[] => [null, 5, "no such folder/x", {}, [], true, [null], { weight: null }, () => {}, Symbol("s"), new Map(), zeros(cpu, [3])];

const ours = [TypeError, RangeError, CheckpointError, OutOfMemoryError, UnsupportedError, DeviceLostError];

/** What a call throws, a promise's rejection too; null where it is fine. */
async function thrown(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return null;
  } catch (error) {
    return error;
  }
}

/** Says what is wrong with an error: it has to be one of ours and to begin with the function's name. A file that is not there is the system's to name. */
function fault(error: unknown, op: string): string | null {
  if (error === null || (error as { code?: unknown }).code === "ENOENT") return null;
  if (!(error instanceof Error) || !ours.some((kind) => error.constructor === kind)) return `throws ${error}`;
  if (!error.message.startsWith(`${op}: `)) return `says ${JSON.stringify(error.message)}`;
  return null;
}

test("every function of the package has a case, with options where its signature has some", () => {
  const missing = functions.filter((name) => !(name in calls) && !withoutCase.includes(name));
  assert.deepEqual(missing, []);
  const sources = ["core", "nn", "nn/optimizers", "ops"].flatMap((folder) =>
    readdirSync(`${root}/${folder}`).filter((file) => file.endsWith(".ts")).map((file) => readFileSync(`${root}/${folder}/${file}`, "utf8"))
  );
  const inputs = makeInputs(cpu);
  for (const name of functions) {
    if (!(name in calls)) continue;
    const signatures = sources.flatMap((
      text,
    ) => [...text.matchAll(new RegExp(`^export (?:async )?function ${name}\\b[\\s\\S]*?(?:;| \\{)$`, "gm"))]);
    assert.ok(signatures.length > 0, `${name}: no signature was found`);
    const takesOptions = signatures.some(([signature]) => /\b(?:options|scoring)\??:/.test(signature));
    const made = calls[name]!(inputs);
    if (!(made instanceof Promise)) assert.equal(made.options !== null, takesOptions, `${name}: options in the case and in the signature`);
  }
});

for (const [name, make] of Object.entries(calls)) {
  test(`${name}: right arguments are taken, wrong ones are refused in its own words`, async () => {
    const first = await make(makeInputs(cpu));
    const op = first.op ?? name;
    assert.equal(await thrown(() => functionOf(name, first)(...argumentsOf(first))), null, "right arguments");
    const faults: string[] = [];
    const loose = (place: number, key?: string) => first.loose?.some((one) => one === place || one === key) ?? false;
    const attempt = async (what: string, mayPass: boolean, change: (args: unknown[]) => void) => {
      const call = await make(makeInputs(cpu));
      const args = argumentsOf(call);
      change(args);
      const error = await thrown(() => functionOf(name, call)(...args));
      const found = error === null && !mayPass ? "is taken" : fault(error, op);
      if (found !== null) faults.push(`${what}: ${found}`);
    };
    for (let place = 0; place < argumentsOf(first).length; place++) {
      for (const value of [undefined, ...wrong()]) {
        const mayPass = value === undefined || loose(place) || kind(value) === kind(argumentsOf(first)[place]);
        await attempt(`argument ${place} ${show(value)}`, mayPass, (args) => args[place] = value);
      }
      // Objects of tensors: each member in turn.
      const whole = argumentsOf(first)[place];
      if (!isPlain(whole)) continue;
      for (const key of Object.keys(whole)) {
        for (const value of wrong()) {
          const mayPass = loose(place, key) || kind(value) === kind((whole as Record<string, unknown>)[key]);
          await attempt(
            `argument ${place}.${key} ${show(value)}`,
            mayPass,
            (args) => args[place] = { ...args[place] as object, [key]: value },
          );
        }
      }
    }
    assert.deepEqual(faults, []);
  });

  test(`${name}: an option that it does not know is refused, whatever else is right`, async (t) => {
    const { options, needed, op = name } = await make(makeInputs(cpu));
    if (options === null) return t.skip("it takes no options");
    const run = async (change: (options: Record<string, unknown>) => unknown) => {
      const call = await make(makeInputs(cpu));
      const inputs = JSON.stringify(call.args.map(contents));
      const error = await thrown(() => functionOf(name, call)(...call.args, change({ ...call.options })));
      if (error !== null && !(call.args[0] as { disposed?: boolean })?.disposed) {
        assert.equal(JSON.stringify(call.args.map(contents)), inputs, "a rejected call has changed something");
      }
      return error;
    };
    const unknown = await run((options) => ({ ...options, zzz: 1 }));
    assert.ok(unknown instanceof TypeError, String(unknown));
    assert.match(unknown.message, new RegExp(`^${op}: there is no option zzz; there (is|are) \\w`));
    const [known] = Object.keys(options) as [string];
    const near = `${known}x`;
    const misspelt = await run(({ [known]: value, ...others }) => ({ ...others, [near]: value }));
    assert.ok(misspelt instanceof TypeError, String(misspelt));
    assert.match(misspelt.message, new RegExp(`^${op}: there is no option ${near}; did you mean ${known}\\?$`));
    assert.equal(await run((options) => ({ ...options, zzz: undefined })), null, "an undefined option is absent");
    for (const value of [null, 5, "x", [], [1], new Map(), zeros(cpu, [2]), () => {}, new Float32Array(0), new Date()]) {
      const error = await run(() => value);
      assert.ok(error instanceof TypeError && error.message.startsWith(`${op}: options must be an object { `), `${show(value)}: ${error}`);
    }
    const absent = await run(() => undefined);
    if (needed) assert.match(String(absent), new RegExp(`^TypeError: ${op}: options must be an object`));
    else assert.equal(fault(absent, op), null, "no options");
  });
}

test("the name that was likely meant is in the message, other libraries' names for it included", async () => {
  const { a, ids, norm } = makeInputs(cpu);
  const said: [string, () => unknown, RegExp][] = [
    ["axis of softmax", () => api.softmax(a, { axis: 0 } as never), /^softmax: there is no option axis; it goes over the last axis/],
    ["dim of sum", () => api.sum(a, { dim: 0 } as never), /^sum: there is no option dim; did you mean axis\?$/],
    ["keepdim of sum", () => api.sum(a, { axis: 0, keepdim: true } as never), /^sum: there is no option keepdim; did you mean keepDims\?$/],
    [
      "label smoothing",
      () => api.crossEntropy(a, ids as never, { labelSmoothing: 0.1 } as never),
      /^crossEntropy: there is no option labelSmoothing; there is ignoreIndex$/,
    ],
    ["ignore_index", () => api.crossEntropy(a, ids as never, { ignore_index: 0 } as never), /did you mean ignoreIndex\?$/],
    [
      "epsilon",
      () => api.layerNorm(a, { weight: norm } as never, { epsilon: 1e-12 } as never),
      /^layerNorm: there is no option epsilon; did you mean eps\?$/,
    ],
    ["lr", () => api.adamW({ a }, { lr: 1e-3 } as never), /^adamW: there is no option lr; the learning rate is an argument of step/],
    ["weight_decay", () => api.adamW({ a }, { weight_decay: 1e-3 } as never), /did you mean weightDecay\?$/],
    [
      "trans_a",
      () => api.matmul(a, a as never, { transa: true } as never),
      /^matmul: there is no option transa; did you mean transposeA\?$/,
    ],
    [
      "threshold",
      () => api.cpuDevice({ tuning: { parallelTreshold: 0 } as never }),
      /^cpuDevice: there is no option tuning.parallelTreshold; did you mean tuning.parallelThreshold\?$/,
    ],
    [
      "a knob beside tuning",
      () => api.cpuDevice({ cores: 2 } as never),
      /^cpuDevice: there is no option cores; did you mean tuning.cores\?$/,
    ],
    [
      "inside out",
      () => api.linearBackward(a, { weight: a } as never, a as never, { out: { wieght: a } } as never),
      /^linearBackward: there is no option out.wieght; did you mean out.weight\?$/,
    ],
    [
      "inside adam",
      () => api.muon({ a }, { adam: { beta: [0, 0] } } as never),
      /^muon: there is no option adam.beta; did you mean adam.betas\?$/,
    ],
    ["constructor", () => api.sum(a, { constructor: 1 } as never), /^sum: there is no option constructor; there are/],
  ];
  for (const [what, call, wanted] of said) {
    const error = await thrown(call);
    assert.ok(error instanceof TypeError, `${what}: ${error}`);
    assert.match(error.message, wanted, what);
  }
  await assert.rejects(
    async () => await api.vulkan({ device: 0 } as never),
    /^TypeError: vulkan: there is no option device; there are index, name$/,
  );
});

test("options may be instances of a class or without a prototype, and inherit", () => {
  const { a } = makeInputs(cpu);
  class Settings {
    axis = 0;
    keepDims = true;
  }
  assert.deepEqual(api.sum(a, new Settings() as never).shape, [1, 8]);
  assert.deepEqual(api.sum(a, Object.assign(Object.create(null), { axis: 0 })).shape, [8]);
  assert.deepEqual(api.sum(a, Object.create({ axis: 0 })).shape, [8]);
  assert.throws(() => api.sum(a, Object.create({ dim: 0 })), /^TypeError: sum: there is no option dim/);
});

/** A value in a test's words. */
function show(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(contents(value)) ?? "an object" : String(value);
}

/** What kind of value it is; values of one kind may both be right. */
function kind(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return api.isTensor(value) ? "tensor" : Array.isArray(value) ? "array" : isPlain(value) ? "object" : (value as object).constructor.name;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** What an argument holds, tensors by their elements. */
function contents(value: unknown): unknown {
  if (api.isTensor(value)) return value.disposed ? "disposed" : [...(value as Tensor).readSync()].map(String);
  if (Array.isArray(value)) return value.map(contents);
  if (isPlain(value)) return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, contents(part)]));
  return typeof value;
}

test("accumulate() refuses a weight that would spoil every gradient", () => {
  for (const weight of [NaN, Infinity, -Infinity]) {
    const { a, b } = makeInputs(cpu), before = contents(a);
    assert.throws(() => api.accumulate({ a }, { a: b }, { weight }), {
      name: "RangeError",
      message: `accumulate: weight must be finite, got ${weight}`,
    });
    assert.deepEqual(contents(a), before);
  }
});

test("what is changed in place and what is read have to be two tensors, and the message is about them", () => {
  const { a, b } = makeInputs(cpu), before = contents(a);
  const view = api.reshape(a, [6, 8] as never) as Tensor;
  for (const make of [api.adamW, api.sgd, api.lion, api.muon]) {
    using optimizer = make({ w: a as Tensor });
    assert.throws(() => optimizer.step({ w: a as Tensor }, { w: a as Tensor }, 0.1), {
      name: "TypeError",
      message: `${make.name}: params.w and grads.w are the same tensor`,
    });
    assert.throws(() => optimizer.step({ w: a as Tensor }, { w: view }, 0.1), {
      name: "TypeError",
      message: `${make.name}: params.w and grads.w share their memory`,
    });
  }
  using pair = api.sgd({ w: a as Tensor, v: b as Tensor });
  assert.throws(() => pair.step({ w: a as Tensor, v: b as Tensor }, { w: b as Tensor, v: zeros(cpu, [6, 8]) as Tensor }, 0.1), {
    message: "sgd: params.v and grads.w are the same tensor",
  });
  assert.throws(() => api.accumulate({ a }, { a }), { message: "accumulate: into.a and grads.a are the same tensor" });
  using mean = api.ema({ a: b as Tensor });
  assert.throws(() => mean.update(mean.average), { message: "ema: average.a and params.a are the same tensor" });
  assert.deepEqual(contents(a), before);
});

test("data of another kind comes with what to do: nested arrays are flattened, typed arrays converted", () => {
  const nested = [[1, 2], [3, 4]];
  const flat = "data[0] must be a number, got an array: pass the numbers row-major in one array, nested ones by data.flat(Infinity)";
  assert.throws(() => api.tensor(cpu, [2, 2], nested as never), { name: "TypeError", message: `tensor: ${flat}` });
  assert.deepEqual([...api.tensor(cpu, [2, 2], nested.flat(Infinity) as number[]).readSync()], [1, 2, 3, 4]);
  const x = zeros(cpu, [2, 2]);
  assert.throws(() => x.write(nested as never), { name: "TypeError", message: `write: ${flat}` });
  const wide = Float64Array.of(1, 2, 3, 4);
  assert.throws(() => x.write(wide as never), { message: "write: data is f64, dtype is f32: convert it with Float32Array.from(data)" });
  x.write(Float32Array.from(wide));
  assert.deepEqual(contents(x), ["1", "2", "3", "4"]);
});

test("a parameter that the loss never used may be left out and passed on as a constant, as the message says", () => {
  const { a, b } = makeInputs(cpu);
  const loss = (p: { a: Tensor<"f32", number[]> }, frozen: Tensor<"f32", number[]>) =>
    api.sum(api.mul(p.a, frozen as never)) as unknown as Tensor<"f32", []>;
  assert.throws(
    () => api.valueAndGrad((p: { a: typeof a; b: typeof a }) => loss(p, a))({ a, b }),
    /never used params\.b; use it, or leave it out/,
  );
  assert.deepEqual(contents(api.valueAndGrad(loss)({ a }, b).grads.a), contents(b));
});

test("inside a loss a message names a parameter by its path", () => {
  const { a, weight } = makeInputs(cpu);
  const params = { blocks: [{ up: { weight, bias: zeros(cpu, [4]) } }], norm: { weight: zeros(cpu, [3]) } };
  type P = typeof params;
  const some = <T>(x: T) => x as never;
  const wrong: [(p: P) => unknown, string][] = [
    [(p) => api.linear(some(a), some(p.blocks[0]!.up)), "linear: bias (params.blocks.0.up.bias) is [4], must be [5]"],
    [
      (p) => api.linear(zeros(cpu, [1, 4]), some({ weight: p.blocks[0]!.up.weight })),
      "linear: x is [1, 4], weight (params.blocks.0.up.weight) is [5, 8]: inner sizes 4 and 8 differ",
    ],
    [(p) => api.layerNorm(some(a), some(p.norm)), "layerNorm: weight (params.norm.weight) is [3], must be [8]"],
    [
      (p) => api.matmul(some(a), some(p.blocks[0]!.up.weight)),
      "matmul: a is [6, 8], b (params.blocks.0.up.weight) is [5, 8]: inner sizes 8 and 5 differ",
    ],
    [
      (p) => api.add(some(zeros(cpu, [4], "f64")), some(p.blocks[0]!.up.bias)),
      "add: b (params.blocks.0.up.bias) is f32, a is f64",
    ],
    [
      (p) => api.checkpoint(() => api.sum(p.norm.weight))(),
      "checkpoint: fn uses params.norm.weight [3] that a gradient flows into and that is not among its arguments; pass it as one",
    ],
  ];
  for (const [loss, message] of wrong) {
    assert.throws(() => api.valueAndGrad(loss as never)(params as never), { message });
  }
  assert.throws(
    () => api.layerNorm(some(a), some(params.norm)),
    { message: "layerNorm: weight is [3], must be [8]" },
    "after the loss it has no path",
  );
});

test("a TILEWORK_GPU or TILEWORK_VULKAN_LIBRARY that is wrong is named in the message", async () => {
  const program = `
    import { vulkan } from "tilework";
    console.log(JSON.stringify(await vulkan().then(() => "opened", (error) => error.name + " " + error.message)));`;
  const gpu = await childJson(program, { env: { TILEWORK_GPU: "no such GPU" } });
  assert.match(String(gpu), /^UnsupportedError vulkan: no GPU is called "no such GPU", which TILEWORK_GPU names; there (is|are) /);
  const loader = await childJson(program, { env: { TILEWORK_VULKAN_LIBRARY: "/no/such/loader.so" } });
  assert.match(
    String(loader),
    /^UnsupportedError vulkan: no GPU .*; there is none: .*; TILEWORK_VULKAN_LIBRARY names "\/no\/such\/loader\.so"$/,
  );
});

gpuTest("gpu: a size of 2^32 or more is named as the reason", (gpu) => {
  assert.throws(
    () => zeros(gpu, [2 ** 32]),
    /UnsupportedError: zeros: f32 \[4294967296\] is longer than one binding of .* may be, \d+ bytes$/,
  );
});

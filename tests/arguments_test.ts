// Arguments that are wrong, in every place of every function: what is thrown is the library's own, names the function, and changes nothing. And options that
// nobody knows: neither runtime checks types, so a misspelt name would compute something else.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as api from "../mod.ts";
import { CheckpointError, cpu, DeviceLostError, OutOfMemoryError, type Tensor, UnsupportedError, zeros } from "../mod.ts";
import { argumentsOf, type Call, calls, functionOf, makeInputs } from "./argument_cases.ts";

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

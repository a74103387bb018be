// Every function of the package on every back end: what has a shader gives what the CPU gives, twice the same bits; what has none is an UnsupportedError that
// changes nothing. docs/support.md is the table of it; `TILEWORK_WRITE=1` rewrites that file.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cpu, type Device, type Float, scope, Tensor, UnsupportedError } from "../mod.ts";
import { assertEndedWell, run, testing } from "./child.ts";
import { assertAsOnCpu, gpuTest, noGpu, type Results } from "./gpu_harness.ts";
import { cases, makeInputs } from "./op_cases.ts";

/** Differs from the CPU by more than rounding: signs and roots of numbers near 0, or twenty products in a row. */
const tolerances: Record<string, number> = { muon: 1e-4, lion: 1e-5 };

/** The tensors in a value, by where they stand. */
function tensorsIn(value: unknown, path = "result"): Results {
  if (value instanceof Tensor) return { [path]: value };
  if (typeof value !== "object" || value === null) return {};
  return Object.assign({}, ...Object.entries(value).map(([key, part]) => tensorsIn(part, `${path}.${key}`)));
}

/** A case's results, and its inputs, which it may have changed in place. */
function runCase(name: string, device: Device, dtype: Float): Results {
  const inputs = makeInputs(device, dtype);
  const results = tensorsIn(cases[name]!.run(inputs, device));
  return { ...results, ...tensorsIn(inputs, "inputs") };
}

/** `absent` where the function has no floats of this kind to take or to make. */
type Support = "yes" | "no" | "absent";

/** Whether a device has a function for a dtype. Anything but an UnsupportedError is a fault. */
function supports(name: string, device: Device, dtype: Float): Support {
  return scope(() => {
    // The case takes what it needs of the inputs by name.
    const taken = new Set<string>();
    const inputs = makeInputs(device, dtype);
    const noting = new Proxy(inputs, {
      get(target, key) {
        const x = target[key as keyof typeof target];
        taken.add(x.dtype);
        return x;
      },
    });
    try {
      for (const x of Object.values(tensorsIn(cases[name]!.run(noting, device)))) taken.add(x.dtype);
      return taken.has(dtype) ? "yes" : "absent";
    } catch (e) {
      // What is made for f32 alone, whatever the device, says so first.
      if (!(e instanceof UnsupportedError || dtype === "f64" && e instanceof TypeError && /\bf64\b/.test(e.message))) throw e;
      return "no";
    }
  });
}

for (const name of Object.keys(cases)) {
  gpuTest(`${name}() on a GPU is as on the CPU, or unsupported`, (gpu) => {
    if (supports(name, gpu, "f32") === "no") {
      const inputs = makeInputs(gpu), before = tensorsIn(inputs);
      const values = Object.values(before).map((x) => x.readSync());
      assert.throws(() => cases[name]!.run(inputs, gpu), UnsupportedError);
      Object.values(before).forEach((x, i) => assert.deepEqual(x.readSync(), values[i], `${name} changed an input`));
      return;
    }
    scope(() => assertAsOnCpu(gpu, name, (device) => runCase(name, device, "f32"), tolerances[name]));
  });
}

test("every function gives the same on a GPU that takes three workgroups at a time", {
  skip: noGpu || process.env.TILEWORK_GPU_GROUPS !== undefined,
}, async () => {
  const ended = await run([...testing, fileURLToPath(import.meta.url)], {
    env: { TILEWORK_GPU: process.env.TILEWORK_GPU ?? "0", TILEWORK_GPU_GROUPS: "3" },
    secondsMax: 300,
  });
  assertEndedWell(ended);
});

const path = new URL("../docs/support.md", import.meta.url);

gpuTest("docs/support.md says what each back end has", (gpu) => {
  const rows = Object.keys(cases).sort((a, b) => a < b ? -1 : 1).map((name) => {
    const of = (device: Device) => {
      const found = (["f32", "f64"] as const).map((dtype) => ({ dtype, support: supports(name, device, dtype) }));
      if (found.every(({ support }) => support === "absent")) return "integers";
      return found.filter(({ support }) => support === "yes").map(({ dtype }) => dtype).join(", ") || "–";
    };
    return `| \`${name}\` | ${of(cpu)} | ${of(gpu)} |`;
  });
  const text = `# What each back end has

Written by a test (\`TILEWORK_WRITE=1 deno test -A tests/backend_test.ts\`), which calls each function on each device: the element types of floats that it takes or makes.
What a GPU lacks is an \`UnsupportedError\`, nothing falls back to another device; what no device has is a \`TypeError\`.

| function | CPU | Vulkan |
| --- | --- | --- |
${rows.join("\n")}
`;
  if (process.env.TILEWORK_WRITE === "1") writeFileSync(path, text);
  assert.equal(text, readFileSync(path, "utf8"), "docs/support.md is not up to date: run the test with TILEWORK_WRITE=1");
});

test("backends: tests of a GPU ran, or say why not", () => {
  if (noGpu) console.log(`# GPU tests skipped: ${noGpu}`);
});

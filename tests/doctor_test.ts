import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cpu } from "../mod.ts";
import { selfTest } from "../doctor/self_test.ts";
import type { Report } from "../doctor.ts";
import { libraryPath, run, runtime, starting } from "./child.ts";

const program = fileURLToPath(new URL("../doctor.ts", import.meta.url));

function doctor(args: string[], env: Record<string, string> = {}) {
  return run([...starting, program, ...args], { env, secondsMax: 120 });
}

test("doctor --quick --json finds the library, the machine and no fault, and measures both", async () => {
  const { code, stdout, stderr } = await doctor(["doctor", "--quick", "--json"], {
    TILEWORK_LIBRARY: libraryPath,
    TILEWORK_PARALLEL_OVERSAMPLE: "4",
  });
  assert.equal(code, 0, stdout + stderr);
  const report = JSON.parse(stdout) as Report;
  assert.equal(report.ok, true);
  assert.deepEqual(report.library, { path: libraryPath, from: "TILEWORK_LIBRARY" });
  assert.match(report.runtime, { deno: /^Deno 2\./, bun: /^Bun 1\./, node: /^Node 2\d\./ }[runtime]);
  assert.ok(report.instructionSets.includes(report.device.isa));
  assert.equal(report.device.tuning.parallelOversample, 4);
  assert.equal(report.environment.TILEWORK_PARALLEL_OVERSAMPLE, "4");
  assert.ok(report.checks.length > 10 && report.checks.every(({ ok }) => ok));
  assert.deepEqual([...new Set(report.speed.map(({ workers }) => workers))], report.device.cores > 1 ? [1, report.device.cores] : [1]);
  assert.ok(report.speed.every(({ rate, peak }) => rate > 0 && (peak === null || peak > 0)), stdout);
});

test("doctor prints sections, each knob that a variable sets beside its name, and no colours into a pipe", async () => {
  const { code, stdout } = await doctor(["--quick"], { TILEWORK_PACKED_OVERSAMPLE: "3", TILEWORK_LIBRARY: libraryPath });
  assert.equal(code, 0, stdout);
  for (const part of ["tilework\n", "machine\n", "device\n", "environment\n", "self-test\n", "speed\n", "multiply-add loop", "GFLOP/s"]) {
    assert.ok(stdout.includes(part), `${part} is missing in ${stdout}`);
  }
  assert.match(stdout, /tuning\.packedOversample +3 \(TILEWORK_PACKED_OVERSAMPLE\)/);
  assert.match(stdout, /all \d+ checks passed/);
  assert.ok(!stdout.includes("\x1b"));
});

test("doctor ends with 1 and says why where there is no library, a variable is wrong or an argument is unknown", async () => {
  const missing = await doctor(["--json"], { TILEWORK_LIBRARY: "/nowhere/libtilework.so" });
  assert.equal(missing.code, 1);
  const { ok, error } = JSON.parse(missing.stdout) as { ok: boolean; error: string };
  assert.equal(ok, false);
  assert.match(error, /^LibraryNotFoundError: .*\n.*\n +\/nowhere\/libtilework\.so/);
  const wrong = await doctor(["--quick"], { TILEWORK_THREADS: "many", TILEWORK_LIBRARY: libraryPath });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stdout, /RangeError: .*TILEWORK_THREADS/);
  const argument = await doctor(["--fast"]);
  assert.equal(argument.code, 1);
  assert.match(argument.stderr, /unknown argument --fast/);
});

test("doctor's self-test names the check that fails, and the others go on", () => {
  // The plain loop itself is made wrong: that is what a wrong kernel looks like from here.
  const tanh = Math.tanh;
  Math.tanh = (x) => tanh(x) * 1.001;
  try {
    const checks = selfTest([{ name: "default", device: cpu }], true);
    assert.deepEqual(checks.filter(({ ok }) => !ok).map(({ name }) => name), ["gelu (tanh) of 6920"]);
    assert.match(checks.find(({ ok }) => !ok)!.fault, /^default: element \d+ is [-\d.e]+, want [-\d.e]+$/);
  } finally {
    Math.tanh = tanh;
  }
  const broken = selfTest([{ name: "none", device: undefined as never }], true); // what an op throws is a fault of its check
  assert.ok(broken.every(({ ok, fault }) => !ok && fault.startsWith("none: tensor: device must be")));
});

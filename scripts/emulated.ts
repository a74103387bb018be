// Runs the golden-hash test in whole runtimes on processors that this machine is not: older x86-64 levels and aarch64, all under qemu.
// Linux x86-64 only. Needs qemu-user, Debian's arm64 cross libraries and npm; .ci/run installs them.
//   deno run -A scripts/emulated.ts [nehalem|haswell|aarch64 …]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.ts";
import { bunCounts, type Counts, denoCounts, line, total } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { ensurePackages, findRuntime, type Runtime } from "./runtimes.ts";
import { installed, toolFolder } from "./tools.ts";
import { denoVersion, packages } from "./versions.ts";

/** One emulated processor: how a program starts on it, and which library and which executables it takes. */
interface Machine {
  /** Emulation takes minutes: on x86-64, where both runtimes run natively too, the quicker of them shows that no instruction is too new. */
  runtimes: Runtime[];
  qemu: string[];
  env: Record<string, string>;
  runtime: (runtime: Runtime) => Promise<string>;
}

const golden = "tests/golden_test.ts";
const armLibrary = "zig/zig-out/aarch64-linux-gnu";

// Without the features that qemu cannot emulate and would warn of at each start; no program can tell.
const haswell = "Haswell,pcid=off,x2apic=off,tsc-deadline=off,hle=off,invpcid=off,rtm=off";

const machines: Record<string, () => Promise<Machine>> = {
  // Nehalem has SSE4.2 and no AVX: the portable object. Haswell has AVX2 and FMA and no AVX-512.
  nehalem: () =>
    Promise.resolve({
      runtimes: ["bun"],
      qemu: ["qemu-x86_64", "-cpu", "Nehalem"],
      env: { TILEWORK_ISA: "portable" },
      runtime: findRuntime,
    }),
  haswell: () =>
    Promise.resolve({ runtimes: ["bun"], qemu: ["qemu-x86_64", "-cpu", haswell], env: { TILEWORK_ISA: "avx2" }, runtime: findRuntime }),
  aarch64: async () => {
    await build(["-Dtarget=aarch64-linux-gnu.2.17", "--prefix", join(root, armLibrary)]);
    return {
      runtimes: ["deno", "bun"],
      qemu: ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
      env: { TILEWORK_LIBRARY: join(root, armLibrary, "lib", "libtilework.so") },
      runtime: armRuntime,
    };
  },
};

const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(machines);
if (names.some((name) => !(name in machines))) fail(`Usage: scripts/emulated.ts [${Object.keys(machines).join("|")} …]`);
if (process.platform !== "linux" || process.arch !== "x64") fail("scripts/emulated.ts runs on Linux x86-64 only.");

await ensurePackages();
await build();
const results: Counts[] = [];
for (const name of names) {
  const machine = await machines[name]();
  for (const runtime of machine.runtimes) {
    console.log(`\n== ${golden} in ${runtime} on ${name}`);
    const path = await machine.runtime(runtime);
    // Type checks were done natively; under emulation they would take most of the time. Deno's calls are shown by two tests, one of them a training step, in
    // a minute; all of them take three, and Bun has them all in a third of one.
    const some = "/^matmul|one full training step/";
    const args = runtime === "deno"
      ? ["test", "-A", "--no-check", "--filter", some, golden]
      : ["test", "--timeout", "900000", `./${golden}`];
    const env = { ...machine.env, NO_COLOR: "1", TILEWORK_EMULATED: "1" };
    const { code, text, seconds } = await run([...machine.qemu, path, ...args], { output: "tee", env });
    const counts = runtime === "deno" ? denoCounts(text) : bunCounts(text);
    if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) {
      console.log(code !== 0 ? `the runtime ended with exit code ${code}` : "no test ran");
      counts.failed = 1;
    }
    results.push(counts);
    console.log(`-- ${runtime} on ${name}: ${line(counts)} (${seconds.toFixed(1)} s)`);
  }
}
const sum = total(results);
console.log(`\n${line(sum)}`);
process.exit(sum.failed > 0 ? 1 : 0);

/** The arm64 executable of a runtime, of the pinned version, from its npm package; kept beside the other tools. */
async function armRuntime(runtime: Runtime): Promise<string> {
  const version = runtime === "deno" ? denoVersion : packages.bun;
  const spec = runtime === "deno" ? `@deno/linux-arm64-glibc@${version}` : `@oven/bun-linux-aarch64@${version}`;
  const folder = await installed(join(toolFolder(), `${runtime}-${version}-arm64`), async (fresh) => {
    const packed = await run(["npm", "pack", "--silent", spec], { cwd: fresh, output: "keep" });
    const archive = packed.text.trim().split("\n").at(-1) ?? "";
    const unpacked = packed.code === 0 ? await run(["tar", "xzf", archive], { cwd: fresh, output: "keep" }) : packed;
    if (unpacked.code !== 0) {
      throw new Error(`${unpacked.text.trim()}\n\n\`npm pack ${spec}\` failed: this check needs npm and its registry.`);
    }
    rmSync(join(fresh, archive));
  }).catch(fail);
  return join(folder, "package", runtime === "deno" ? "deno" : "bin/bun");
}

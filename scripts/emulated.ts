// Runs the golden-hash test in whole runtimes on what this machine is not: older x86-64 levels and aarch64 under qemu, Windows under Wine.
// Linux x86-64 only. Needs qemu-user, Debian's arm64 cross libraries and npm; .ci/run installs them. Windows needs Wine 10, which it does not install.
//   deno run -A scripts/emulated.ts [nehalem|haswell|aarch64|windows …]
import { join } from "node:path";
import { build } from "./build.ts";
import { bunCounts, type Counts, denoCounts, judged, line, total } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { ensurePackages, findRuntime, packed, type Runtime } from "./runtimes.ts";
import { toolFolder } from "./tools.ts";
import { denoVersion, packages } from "./versions.ts";

/** One emulated machine: how a program starts on it, and which library and which executables it takes. */
interface Machine {
  /** Emulation takes minutes: on x86-64, where both runtimes run natively too, the quicker of them shows that no instruction is too new. */
  runtimes: Runtime[];
  emulator: string[];
  env: Record<string, string>;
  runtime: (runtime: Runtime) => Promise<string>;
}

const golden = "tests/golden_test.ts";
const armLibrary = "zig/zig-out/aarch64-linux-gnu";
const windowsLibrary = "zig/zig-out/x86_64-windows-gnu";

// Without the features that qemu cannot emulate and would warn of at each start; no program can tell.
const haswell = "Haswell,pcid=off,x2apic=off,tsc-deadline=off,hle=off,invpcid=off,rtm=off";

const machines: Record<string, () => Promise<Machine>> = {
  // Nehalem has SSE4.2 and no AVX: the portable object. Haswell has AVX2 and FMA and no AVX-512.
  nehalem: () =>
    Promise.resolve({
      runtimes: ["bun"],
      emulator: ["qemu-x86_64", "-cpu", "Nehalem"],
      env: { TILEWORK_ISA: "portable" },
      runtime: findRuntime,
    }),
  haswell: () =>
    Promise.resolve({ runtimes: ["bun"], emulator: ["qemu-x86_64", "-cpu", haswell], env: { TILEWORK_ISA: "avx2" }, runtime: findRuntime }),
  aarch64: async () => {
    await build(["-Dtarget=aarch64-linux-gnu.2.17", "--prefix", join(root, armLibrary)]);
    return {
      runtimes: ["deno", "bun"],
      emulator: ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
      env: { TILEWORK_LIBRARY: join(root, armLibrary, "lib", "libtilework.so") },
      runtime: (runtime) =>
        runtime === "deno"
          ? packed("@deno/linux-arm64-glibc", denoVersion, "deno")
          : packed("@oven/bun-linux-aarch64", packages.bun, "bin/bun"),
    };
  },
  windows: async () => {
    await needWine();
    await build(["-Dtarget=x86_64-windows-gnu", "--prefix", join(root, windowsLibrary)]);
    return {
      runtimes: ["deno", "bun"],
      emulator: ["wine"],
      // Wine has the root folder as drive Z. A machine of its own, so that nobody's settings matter.
      env: {
        TILEWORK_LIBRARY: `Z:${join(root, windowsLibrary, "bin", "tilework.dll")}`,
        WINEDEBUG: "-all",
        WINEPREFIX: join(toolFolder(), "wine"),
      },
      runtime: (runtime) =>
        runtime === "deno"
          ? packed("@deno/win32-x64", denoVersion, "deno.exe")
          : packed("@oven/bun-windows-x64", packages.bun, "bin/bun.exe"),
    };
  },
};

const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(machines).filter((name) => name !== "windows");
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
    const { code, text, seconds } = await run([...machine.emulator, path, ...args], { output: "tee", env });
    const counts = judged(runtime === "deno" ? denoCounts(text) : bunCounts(text), code, runtime);
    results.push(counts);
    console.log(`-- ${runtime} on ${name}: ${line(counts)} (${seconds.toFixed(1)} s)`);
  }
}
const sum = total(results);
console.log(`\n${line(sum)}`);
process.exit(sum.failed > 0 ? 1 : 0);

/** Wine 8 runs neither: it lacks bcryptprimitives.dll, which both load, and the placeholders of memory that Deno's V8 reserves. */
async function needWine(): Promise<void> {
  const { code, text } = await run(["wine", "--version"], { output: "keep" });
  const version = code === 0 ? Number(text.match(/wine-(\d+)/)?.[1]) : 0;
  if (version >= 10) return;
  fail(
    `The runtimes for Windows need Wine 10 or later, and ${version > 0 ? `here is Wine ${version}` : "here is none"}. ` +
      `Debian has it from version 13: \`apt-get install --no-install-recommends wine wine64\`.`,
  );
}

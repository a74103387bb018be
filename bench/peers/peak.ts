/**
 * The machine's own ceilings as peers: an f32 multiply-add loop that touches no memory, and a copy of large arrays. `peak.zig` is
 * compiled for the processor at hand and kept in the cache folder.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findZig } from "../../scripts/zig.ts";
import { cached, runProgram } from "./cache.ts";
import { openLibrary } from "./ffi.ts";
import type { Contender } from "../harness.ts";

/** Iterations of the loop in one call: about a tenth of a millisecond. */
const iterationsPerCall = 20_000;

/** Slices of some 10 µs in a burst. */
const slicesPerBurst = 200;

/** The opened ceilings. */
export interface Peak {
  /** The multiply-add loop on some threads; a call does `flopsPerCall(threads)` operations. */
  multiplyAdd(threads: number): Contender;
  flopsPerCall(threads: number): number;
  /** A burst of the loop on threads that have to start first; a call is some 2 ms of work for one of them. */
  burst(threads: number): Contender;
  /** Copying `floats` f32 values from one array to another; a call moves 8 bytes a value, one read and one written. */
  copy(threads: number, floats: number): Contender;
}

/** Opens the ceilings, compiling them first where they are not there yet. */
export async function peak(): Promise<Peak> {
  const source = fileURLToPath(new URL("./peak.zig", import.meta.url));
  const key = createHash("sha256").update(readFileSync(source)).update(cpus()[0]?.model ?? "").update(features()).digest("hex").slice(
    0,
    12,
  );
  const file = { darwin: "libpeak.dylib", win32: "peak.dll" }[process.platform as string] ?? "libpeak.so";
  const folder = await cached(`peak-${key}`, async (target) => {
    const build = ["build-lib", "-dynamic", "-OReleaseFast", "-mcpu=native", "-lc", "-fstrip", `-femit-bin=${join(target, file)}`, source];
    const cache = join(target, "zig-cache");
    const env = { ZIG_LOCAL_CACHE_DIR: cache, ZIG_GLOBAL_CACHE_DIR: cache };
    await runProgram([...await findZig(), ...build], { cwd: target, env });
    rmSync(cache, { recursive: true, force: true });
  });
  const library = await openLibrary(join(folder, file), {
    peak_flops_per_iteration: { parameters: [], result: "u32" },
    peak_fma: { parameters: ["u32", "u32"], result: "f64" },
    peak_burst: { parameters: ["u32", "u32"], result: "f64" },
    peak_copy: { parameters: ["buffer", "buffer", "u32", "u32", "u32"], result: "f64" },
  });
  const flops = library.peak_flops_per_iteration() * iterationsPerCall;
  return {
    flopsPerCall: (threads) => flops * threads,
    multiplyAdd: (threads) => ({ name: "fma-loop", threads, time: (calls) => taken(library.peak_fma(threads, calls * iterationsPerCall)) }),
    burst: (threads) => ({ name: "fma-loop", threads, time: (calls) => taken(library.peak_burst(threads, calls * slicesPerBurst)) }),
    copy(threads, floats) {
      const to = new Float32Array(floats), from = new Float32Array(floats).fill(1);
      return { name: "copy-loop", threads, time: (calls) => taken(library.peak_copy(to, from, floats, calls, threads)) };
    },
  };
}

function taken(seconds: number): number {
  if (seconds < 0) throw new Error("the threads of the machine's own loop could not be started");
  return seconds;
}

/** The processor's features where Linux lists them: a library compiled for one processor must not run on another. */
function features(): string {
  try {
    return readFileSync("/proc/cpuinfo", "utf8").match(/^(flags|Features)\s*:.*$/m)?.[0] ?? "";
  } catch {
    return "";
  }
}

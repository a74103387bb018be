/**
 * OpenBLAS as a peer: what a program can call today through the runtime's FFI without any library around it. The binary comes from
 * PyPI's `scipy-openblas32`, which is new enough to know current processors (a distribution's OpenBLAS often is not).
 *
 * @module
 */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { cached, findProgram, runProgram } from "./cache.ts";
import { type Functions, openLibrary } from "./ffi.ts";
import type { Prepared, Product, ProductPeer } from "../harness.ts";

const version = "0.3.34.481.3";

const signatures = {
  scipy_cblas_sgemm: {
    parameters: ["i32", "i32", "i32", "i32", "i32", "i32", "f32", "buffer", "i32", "buffer", "i32", "f32", "buffer", "i32"],
    result: "void",
  },
  scipy_openblas_set_num_threads: { parameters: ["i32"], result: "void" },
  scipy_openblas_get_corename: { parameters: [], result: "cstring" },
} as const;

/** Kernels of processors without AVX2: OpenBLAS falls back to one of them when it does not know the model. */
const oldKernels =
  /^(prescott|core2|penryn|dunnington|nehalem|atom|katmai|coppermine|northwood|banias|opteron|barcelona|athlon|sandybridge|generic)/i;

/** Opens OpenBLAS, installing it first where it is missing, and says which kernel it chose. */
export async function openblas(): Promise<ProductPeer> {
  const folder = await cached(`openblas-${version}`, async (target) => {
    const python = await findProgram(process.env.PYTHON, "python3", "python");
    if (!python) throw new Error("python3 with pip is needed to install scipy-openblas32");
    const pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
    await runProgram([...pip, "--target", target, `scipy-openblas32==${version}`]);
  });
  const file =
    { linux: "libscipy_openblas.so", darwin: "libscipy_openblas.dylib", win32: "libscipy_openblas.dll" }[process.platform as string] ??
      "libscipy_openblas.so";
  const path = join(folder, "scipy_openblas32", "lib", file);

  // A choice of kernel left in the environment would hold the peer back: it is removed for the C library too, which Bun's
  // process.env does not reach.
  const forced = process.env.TILEWORK_OPENBLAS_CORETYPE;
  await setNativeVariable("OPENBLAS_CORETYPE", forced);
  let blas = await openLibrary(path, signatures);
  let kernel = blas.scipy_openblas_get_corename();
  if (!forced && oldKernels.test(kernel) && bestKernel()) {
    // OpenBLAS reads the variable once, when it is loaded; a copy of the file is loaded anew.
    const copy = join(folder, `second_${file}`);
    if (!existsSync(copy)) copyFileSync(path, copy);
    await setNativeVariable("OPENBLAS_CORETYPE", bestKernel());
    blas = await openLibrary(copy, signatures);
    kernel = blas.scipy_openblas_get_corename();
    await setNativeVariable("OPENBLAS_CORETYPE", undefined);
  }
  return {
    name: "openblas",
    extra: { openblas: version, kernel },
    prepare: (product, threads) => prepare(blas, product, threads),
  };
}

function prepare(blas: Functions<typeof signatures>, product: Product, threads: number): Prepared {
  const { m, n, k, a, b } = product;
  const transA = product.layout[0] === "T" ? 112 : 111, lda = product.layout[0] === "T" ? m : k;
  const transB = product.layout[1] === "T" ? 112 : 111, ldb = product.layout[1] === "T" ? k : n;
  const c = new Float32Array(m * n);
  const sgemm = blas.scipy_cblas_sgemm;
  return {
    call() {
      useThreads(blas, threads);
      sgemm(101, transA, transB, m, n, k, 1, a, lda, b, ldb, 0, c, n);
    },
    time(calls) {
      useThreads(blas, threads);
      const start = performance.now();
      for (let i = 0; i < calls; i++) sgemm(101, transA, transB, m, n, k, 1, a, lda, b, ldb, 0, c, n);
      return (performance.now() - start) / 1000;
    },
    result: () => c,
  };
}

let threadsNow = 0;

function useThreads(blas: Functions<typeof signatures>, threads: number): void {
  if (threads !== threadsNow) blas.scipy_openblas_set_num_threads(threadsNow = threads);
}

/** The kernel for this processor's instruction set, where Linux tells it. */
function bestKernel(): string | undefined {
  if (!existsSync("/proc/cpuinfo")) return undefined;
  const flags = readFileSync("/proc/cpuinfo", "utf8").match(/^flags.*$/m)?.[0] ?? "";
  if (/\bavx512vl\b/.test(flags)) return "SkylakeX";
  return /\bavx2\b/.test(flags) ? "Haswell" : undefined;
}

async function setNativeVariable(name: string, value: string | undefined): Promise<void> {
  const library = { linux: "libc.so.6", darwin: "libSystem.dylib" }[process.platform as string];
  if (!library) return;
  const libc = await openLibrary(library, {
    setenv: { parameters: ["buffer", "buffer", "i32"], result: "i32" },
    unsetenv: { parameters: ["buffer"], result: "i32" },
  });
  const text = (s: string) => new TextEncoder().encode(`${s}\0`);
  if (value === undefined) libc.unsetenv(text(name));
  else libc.setenv(text(name), text(value), 1);
}

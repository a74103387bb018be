/**
 * OpenBLAS as a peer: what a program can call today through the runtime's FFI without any library around it. The binary comes from
 * PyPI's `scipy-openblas32`, which is new enough to know current processors (a distribution's OpenBLAS often is not).
 *
 * @module
 */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Peer } from "../problem.ts";
import {
  cblasDgemm,
  cblasDgemv,
  cblasSgemm,
  cblasSgemmBatchStrided,
  cblasSgemv,
  fromCblas,
  prepareBlas,
  processorFlags,
  setNativeVariable,
} from "./blas.ts";
import { pip, requirements } from "../../scripts/python.ts";
import { cached, findProgram, runProgram } from "./cache.ts";
import { openLibrary } from "./ffi.ts";

const list = requirements("bench/peers/openblas.txt");
const version = list.packages[0]!.split("==")[1]!;

const signatures = {
  scipy_cblas_sgemm: cblasSgemm,
  scipy_cblas_sgemv: cblasSgemv,
  scipy_cblas_dgemm: cblasDgemm,
  scipy_cblas_dgemv: cblasDgemv,
  scipy_cblas_sgemm_batch_strided: cblasSgemmBatchStrided,
  scipy_openblas_set_num_threads: { parameters: ["i32"], result: "void" },
  scipy_openblas_get_corename: { parameters: [], result: "cstring" },
} as const;

/** Kernels of processors without AVX2: OpenBLAS falls back to one of them when it does not know the model. */
const oldKernels =
  /^(prescott|core2|penryn|dunnington|nehalem|atom|katmai|coppermine|northwood|banias|opteron|barcelona|athlon|sandybridge|generic)/i;

/** Opens OpenBLAS, installing it first where it is missing, and says which kernel it chose. */
export async function openblas(): Promise<Peer> {
  const folder = await cached(`openblas-${version}`, async (target) => {
    const python = await findProgram(process.env.PYTHON, "python3", "python");
    if (!python) throw new Error("python3 with pip is needed to install scipy-openblas32");
    await runProgram(pip([python], list, "install", target));
  });
  const file =
    { linux: "libscipy_openblas.so", darwin: "libscipy_openblas.dylib", win32: "libscipy_openblas.dll" }[process.platform as string] ??
      "libscipy_openblas.so";
  const path = join(folder, "scipy_openblas32", "lib", file);

  // A choice of kernel left in the environment would hold the peer back.
  const forced = process.env.TILEWORK_OPENBLAS_CORETYPE;
  await setNativeVariable("OPENBLAS_CORETYPE", forced);
  await setNativeVariable("OPENBLAS_L2_SIZE", undefined);
  let library = await openLibrary(path, signatures);
  let kernel = library.scipy_openblas_get_corename();
  if (!forced && oldKernels.test(kernel) && bestKernel()) {
    // OpenBLAS reads the variable once, when it is loaded; a copy of the file is loaded anew.
    const copy = join(folder, `second_${file}`);
    if (!existsSync(copy)) copyFileSync(path, copy);
    await setNativeVariable("OPENBLAS_CORETYPE", bestKernel());
    library = await openLibrary(copy, signatures);
    kernel = library.scipy_openblas_get_corename();
    await setNativeVariable("OPENBLAS_CORETYPE", undefined);
  }
  const blas = fromCblas({
    sgemm: library.scipy_cblas_sgemm,
    sgemv: library.scipy_cblas_sgemv,
    dgemm: library.scipy_cblas_dgemm,
    dgemv: library.scipy_cblas_dgemv,
    sgemmBatchStrided: library.scipy_cblas_sgemm_batch_strided,
    setThreads: library.scipy_openblas_set_num_threads,
  });
  return {
    name: "openblas",
    extra: { openblas: version, kernel },
    inProcess: true,
    dtypes: ["f32", "f64"],
    prepare: (problem, threads) => prepareBlas(blas, problem, threads),
  };
}

/** The kernel for this processor's instruction set, where Linux tells it. */
function bestKernel(): string | undefined {
  const flags = processorFlags();
  if (flags.has("avx512vl")) return "SkylakeX";
  return flags.has("avx2") ? "Haswell" : undefined;
}

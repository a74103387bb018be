/**
 * Intel's MKL as a peer, through the runtime's FFI like OpenBLAS. The binaries are PyPI's `mkl` and `intel-openmp`.
 *
 * @module
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Peer } from "../problem.ts";
import { cblasDgemm, cblasDgemv, cblasSgemm, cblasSgemmBatchStrided, cblasSgemv, fromCblas, prepareBlas } from "./blas.ts";
import { pip, requirements } from "../../scripts/python.ts";
import { cached, findProgram, runProgram } from "./cache.ts";
import { openLibrary } from "./ffi.ts";

const list = requirements("bench/peers/mkl.txt");
const version = list.packages[0]!.split("==")[1]!;

/** The folder in the cache. */
export const mklFolder = `mkl-${version}`;

/** Of the wheels' 1 GB: the dispatcher, 32-bit integers, Intel's threads, and the kernels. */
const needed = /^lib(mkl_(rt|core|intel_lp64|intel_thread|def|mc3|avx\w*)\.so\.\d+|iomp5\.so)$/;

/** Opens MKL, installing it first where it is missing (about 220 MB to download). Linux on x86-64 only. */
export async function mkl(): Promise<Peer> {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error("MKL is loaded on Linux on x86-64 only");
  const folder = await cached(mklFolder, async (target) => {
    const python = await findProgram(process.env.PYTHON, "python3", "python");
    if (!python) throw new Error("python3 with pip is needed to install mkl");
    // `pip install --target` leaves out a wheel's lib folder: the wheels are unpacked as they are.
    const wheels = join(target, "wheels");
    await runProgram(pip([python], list, "download", wheels));
    for (const wheel of readdirSync(wheels)) await runProgram([python, "-m", "zipfile", "-e", join(wheels, wheel), wheels]);
    const lib = join(target, "lib");
    mkdirSync(lib);
    for (const name of [`mkl-${version}`, `intel_openmp-${version}`]) {
      const from = join(wheels, `${name}.data`, "data", "lib");
      for (const file of readdirSync(from)) if (needed.test(file)) renameSync(join(from, file), join(lib, file));
    }
    rmSync(wheels, { recursive: true, force: true });
  });
  const lib = join(folder, "lib");
  const rt = readdirSync(lib).find((file) => file.startsWith("libmkl_rt"));
  if (!rt) throw new Error(`${lib} holds no libmkl_rt`);
  // MKL opens its threads' library by name: it finds the one that is loaded already.
  const openmp = await openLibrary(join(lib, "libiomp5.so"), { kmp_set_blocktime: { parameters: ["i32"], result: "void" } });
  const library = await openLibrary(join(lib, rt), {
    cblas_sgemm: cblasSgemm,
    cblas_sgemv: cblasSgemv,
    cblas_dgemm: cblasDgemm,
    cblas_dgemv: cblasDgemv,
    cblas_sgemm_batch_strided: cblasSgemmBatchStrided,
    MKL_Set_Interface_Layer: { parameters: ["i32"], result: "i32" },
    MKL_Set_Threading_Layer: { parameters: ["i32"], result: "i32" },
    MKL_Set_Num_Threads: { parameters: ["i32"], result: "void" },
  });
  // 32-bit integers, and Intel's threads: left to itself MKL takes GNU's where another library has brought them into the process.
  library.MKL_Set_Interface_Layer(0);
  library.MKL_Set_Threading_Layer(0);
  const blas = fromCblas({
    sgemm: library.cblas_sgemm,
    sgemv: library.cblas_sgemv,
    dgemm: library.cblas_dgemm,
    dgemv: library.cblas_dgemv,
    sgemmBatchStrided: library.cblas_sgemm_batch_strided,
    setThreads(threads) {
      library.MKL_Set_Num_Threads(threads);
      // Its threads spin for 200 ms after a call, into the turns of others. Within its own turn the next call comes at once, so that
      // 2 ms cost it nothing.
      openmp.kmp_set_blocktime(2);
    },
  });
  return {
    name: "mkl",
    extra: { mkl: version },
    inProcess: true,
    dtypes: ["f32", "f64"],
    prepare: (problem, threads) => prepareBlas(blas, problem, threads),
  };
}

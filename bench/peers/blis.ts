/**
 * BLIS as a peer, through the runtime's FFI. The binary is Debian's `libblis4-openmp`, fetched by apt-get without being installed; its
 * kernel is chosen for it, because that version knows no processor after 2019 and would take its AVX2 one.
 *
 * @module
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Peer } from "../problem.ts";
import { type Blas, prepareBlas, processorFlags, type Routines, setNativeVariable } from "./blas.ts";
import { cached, findProgram, runProgram } from "./cache.ts";
import { openLibrary } from "./ffi.ts";

/** The folder in the cache. */
export const blisFolder = "blis-debian";

const signatures = {
  bli_init: { parameters: [], result: "void" },
  bli_arch_query_id: { parameters: [], result: "i32" },
  bli_arch_string: { parameters: ["i32"], result: "cstring" },
  bli_info_get_version_str: { parameters: [], result: "cstring" },
  bli_thread_set_num_threads: { parameters: ["i64"], result: "void" },
  bli_sgemm: {
    parameters: [
      ...["i32", "i32", "i64", "i64", "i64", "buffer", "buffer", "i64", "i64"] as const,
      ...["buffer", "i64", "i64", "buffer", "buffer", "i64", "i64"] as const,
    ],
    result: "void",
  },
  bli_sgemv: {
    parameters: ["i32", "i32", "i64", "i64", "buffer", "buffer", "i64", "i64", "buffer", "i64", "buffer", "buffer", "i64"],
    result: "void",
  },
} as const;

/** Opens BLIS, fetching it first where it is missing. Debian and its kin only. */
export async function blis(): Promise<Peer> {
  const folder = await cached(blisFolder, async (target) => {
    if (!await findProgram("apt-get") || !await findProgram("dpkg-deb")) throw new Error("apt-get and dpkg-deb are needed to fetch BLIS");
    await runProgram(["apt-get", "download", "-q", "libblis4-openmp"], { cwd: target });
    for (const file of readdirSync(target)) {
      await runProgram(["dpkg-deb", "-x", file, target], { cwd: target });
      rmSync(join(target, file));
    }
  });
  const lib = join(folder, "usr", "lib");
  const path = readdirSync(lib, { recursive: true }).map(String).find((file) => /blis-openmp\/libblis\.so\.\d+$/.test(file));
  if (!path) throw new Error(`${lib} holds no libblis`);
  if (process.arch === "x64" && processorFlags().has("avx512vl")) await setNativeVariable("BLIS_ARCH_TYPE", "skx");
  const library = await openLibrary(join(lib, path), signatures);
  library.bli_init();
  const kernel = library.bli_arch_string(library.bli_arch_query_id());
  // BLIS's own interface, not CBLAS: names that another BLAS in this process defines too might be bound to that one.
  const one = new Float32Array([1]), zero = new Float32Array([0]);
  const asStored = 0, transpose = 8; // BLIS_NO_TRANSPOSE and BLIS_TRANSPOSE
  const f32: Routines = {
    gemm(tA, tB, m, n, k, a, b, c) {
      const { bli_sgemm } = library;
      bli_sgemm(tA ? transpose : asStored, tB ? transpose : asStored, m, n, k, one, a, tA ? m : k, 1, b, tB ? k : n, 1, zero, c, n, 1);
    },
    gemv(transposed, rows, columns, a, x, y) {
      library.bli_sgemv(transposed ? transpose : asStored, 0, rows, columns, one, a, columns, 1, x, 1, zero, y, 1);
    },
  };
  const blas: Blas = { f32, setThreads: library.bli_thread_set_num_threads };
  return {
    name: "blis",
    extra: { blis: library.bli_info_get_version_str(), kernel },
    inProcess: true,
    dtypes: ["f32"],
    prepare: (problem, threads) => prepareBlas(blas, problem, threads),
  };
}

/**
 * What the BLAS libraries among the peers share: which routines compute a problem, and how they are timed.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import type { Prepared, Values } from "../harness.ts";
import { alignedValues, isVector, type LinearBackward, type Operand, type Problem, type Product } from "../problem.ts";
import { openLibrary } from "./ffi.ts";

/** The routines of one library for one element type on row-major matrices, all with alpha 1 and beta 0. */
export interface Routines {
  /** c [m, n] = op(a) op(b); an operand that is marked is stored transposed. */
  gemm(tA: boolean, tB: boolean, m: number, n: number, k: number, a: Operand, b: Operand, c: Operand): void;
  /** y = op(a) x, with a stored [rows, columns]. */
  gemv(transposed: boolean, rows: number, columns: number, a: Operand, x: Operand, y: Operand): void;
  /** A batch of products in one call, where the library has such an entry. */
  gemmBatch?(product: Product, c: Operand): void;
}

/** What one library has. */
export interface Blas {
  readonly f32: Routines;
  readonly f64?: Routines;
  setThreads(threads: number): void;
}

/** One call of the library's best routines for the problem, ready to be timed. */
export function prepareBlas(blas: Blas, problem: Problem, threads: number): Prepared {
  const routines = blas[problem.dtype];
  if (!routines) throw new Error(`${problem.dtype} is not measured there`);
  const { compute, result } = problem.op === "product" ? prepareProduct(routines, problem) : prepareLinearBackward(routines, problem);
  return {
    call() {
      useThreads(blas, threads);
      compute();
    },
    time(calls) {
      useThreads(blas, threads);
      const start = performance.now();
      for (let i = 0; i < calls; i++) compute();
      return (performance.now() - start) / 1000;
    },
    result,
  };
}

const threadsNow = new WeakMap<Blas, number>();

function useThreads(blas: Blas, threads: number): void {
  if (threadsNow.get(blas) === threads) return;
  threadsNow.set(blas, threads);
  blas.setThreads(threads);
}

interface Work {
  compute(): void;
  result(): Values;
}

function prepareProduct(blas: Routines, product: Product): Work {
  const { m, n, k, batch, layout, inputs: [a, b] } = product;
  const tA = layout[0] === "T", tB = layout[1] === "T";
  const c = alignedValues(batch * m * n, product.dtype);
  const result = () => c;
  if (isVector(product)) {
    // A row times a matrix is that matrix, transposed, times a column.
    if (n === 1) return { compute: () => blas.gemv(tA, tA ? k : m, tA ? m : k, a, b, c), result };
    return { compute: () => blas.gemv(!tB, tB ? n : k, tB ? k : n, b, a, c), result };
  }
  if (batch === 1) return { compute: () => blas.gemm(tA, tB, m, n, k, a, b, c), result };
  if (blas.gemmBatch) return { compute: () => blas.gemmBatch?.(product, c), result };
  const parts = Array.from({ length: batch }, (_, p) => [
    a.subarray(p * m * k, (p + 1) * m * k),
    b.subarray(p * k * n, (p + 1) * k * n),
    c.subarray(p * m * n, (p + 1) * m * n),
  ]);
  return {
    compute() {
      for (const [a, b, c] of parts) blas.gemm(tA, tB, m, n, k, a, b, c);
    },
    result,
  };
}

function prepareLinearBackward(blas: Routines, { m, n, k, dtype, inputs: [dy, x, weight] }: LinearBackward): Work {
  const all = alignedValues(m * k + n * k + n, dtype), ones = alignedValues(m, dtype).fill(1);
  const dx = all.subarray(0, m * k), dw = all.subarray(m * k, m * k + n * k), db = all.subarray(m * k + n * k);
  return {
    compute() {
      if (m === 1) blas.gemv(true, n, k, weight, dy, dx);
      else blas.gemm(false, false, m, k, n, dy, weight, dx);
      blas.gemm(true, false, n, k, m, dy, x, dw);
      if (m === 1) db.set(dy);
      else blas.gemv(true, m, n, dy, ones, db);
    },
    result: () => all,
  };
}

/** The processor's features, where Linux lists them: libraries older than a processor fall back to kernels of another age. */
export function processorFlags(): Set<string> {
  if (!existsSync("/proc/cpuinfo")) return new Set();
  return new Set(readFileSync("/proc/cpuinfo", "utf8").match(/^flags\s*:(.*)$/m)?.[1].trim().split(" "));
}

/** Sets a variable for the C library, which Bun's `process.env` does not reach; undefined removes it. */
export async function setNativeVariable(name: string, value: string | undefined): Promise<void> {
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

const rowMajor = 101, asStored = 111, transpose = 112;

type Factor = "f32" | "f64";
const gemmParameters = <F extends Factor>(factor: F) =>
  ({
    parameters: ["i32", "i32", "i32", "i32", "i32", "i32", factor, "buffer", "i32", "buffer", "i32", factor, "buffer", "i32"],
    result: "void",
  }) as const;
const gemvParameters = <F extends Factor>(factor: F) =>
  ({
    parameters: ["i32", "i32", "i32", "i32", factor, "buffer", "i32", "buffer", "i32", factor, "buffer", "i32"],
    result: "void",
  }) as const;

/** The parameters of `cblas_sgemm`. */
export const cblasSgemm = gemmParameters("f32");
/** The parameters of `cblas_dgemm`. */
export const cblasDgemm = gemmParameters("f64");
/** The parameters of `cblas_sgemv`. */
export const cblasSgemv = gemvParameters("f32");
/** The parameters of `cblas_dgemv`. */
export const cblasDgemv = gemvParameters("f64");
/** The parameters of `cblas_sgemm_batch_strided`. */
export const cblasSgemmBatchStrided = {
  parameters: [
    ...["i32", "i32", "i32", "i32", "i32", "i32", "f32", "buffer", "i32", "i32", "buffer", "i32", "i32"] as const,
    ...["f32", "buffer", "i32", "i32", "i32"] as const,
  ],
  result: "void",
} as const;

/** A library's functions under their CBLAS names, without its prefix. */
export interface Cblas {
  sgemm: Gemm;
  sgemv: Gemv;
  sgemmBatchStrided(...args: CblasArguments<typeof cblasSgemmBatchStrided.parameters>): void;
  dgemm: Gemm;
  dgemv: Gemv;
  setThreads(threads: number): void;
}
type CblasArguments<P extends readonly string[]> = { -readonly [I in keyof P]: P[I] extends "buffer" ? Operand : number };
type Gemm = (...args: CblasArguments<typeof cblasSgemm.parameters>) => void;
type Gemv = (...args: CblasArguments<typeof cblasSgemv.parameters>) => void;

/** The routines of a library with a CBLAS interface. */
export function fromCblas({ sgemm, sgemv, sgemmBatchStrided, dgemm, dgemv, setThreads }: Cblas): Blas {
  const f32: Routines = {
    ...routinesOf(sgemm, sgemv),
    gemmBatch({ m, n, k, batch, layout, inputs: [a, b] }, c) {
      const tA = layout[0] === "T" ? transpose : asStored, tB = layout[1] === "T" ? transpose : asStored;
      const lda = layout[0] === "T" ? m : k, ldb = layout[1] === "T" ? k : n;
      sgemmBatchStrided(rowMajor, tA, tB, m, n, k, 1, a, lda, m * k, b, ldb, k * n, 0, c, n, m * n, batch);
    },
  };
  return { f32, f64: routinesOf(dgemm, dgemv), setThreads };
}

function routinesOf(gemm: Gemm, gemv: Gemv): Routines {
  return {
    gemm(tA, tB, m, n, k, a, b, c) {
      gemm(rowMajor, tA ? transpose : asStored, tB ? transpose : asStored, m, n, k, 1, a, tA ? m : k, b, tB ? k : n, 0, c, n);
    },
    gemv(transposed, rows, columns, a, x, y) {
      gemv(rowMajor, transposed ? transpose : asStored, rows, columns, 1, a, columns, x, 1, 0, y, 1);
    },
  };
}

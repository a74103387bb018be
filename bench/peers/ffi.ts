/**
 * Opens a peer's shared library through the FFI of the runtime at hand, with one small table of types for both.
 *
 * @module
 */

type Scalar = "i32" | "u32" | "i64" | "f32" | "f64";

/** A parameter: a number, or memory that crosses for the length of the call. */
export type Parameter = Scalar | "buffer";

/** A function of the library: its parameters and what it returns; `cstring` is read into a string. */
export interface Signature {
  readonly parameters: readonly Parameter[];
  readonly result: Scalar | "void" | "cstring";
}

type Argument<P extends Parameter> = P extends "buffer" ? Float32Array | Float64Array | Uint8Array : number;
type Arguments<P extends readonly Parameter[]> = { -readonly [I in keyof P]: Argument<P[I]> };
type Result<R> = R extends "void" ? void : R extends "cstring" ? string : number;

/** The functions of an opened library, typed by their signatures. */
export type Functions<T extends Record<string, Signature>> = {
  readonly [K in keyof T]: (...args: Arguments<T[K]["parameters"]>) => Result<T[K]["result"]>;
};

/** The runtime that runs this program, with its version. */
export const runtime: string = "Deno" in globalThis ? `deno ${Deno.version.deno}` : `bun ${process.versions.bun}`;

/** Opens the library at `path`. The library stays open until the process ends. */
export async function openLibrary<const T extends Record<string, Signature>>(path: string, signatures: T): Promise<Functions<T>> {
  const functions = "Deno" in globalThis ? openDeno(path, signatures) : await openBun(path, signatures);
  // Both openers return one function for each name of the table, with the parameters that the table gives.
  return functions as Functions<T>;
}

function openDeno(path: string, signatures: Record<string, Signature>): Record<string, unknown> {
  const table: Record<string, Deno.ForeignFunction> = {};
  for (const [name, { parameters, result }] of Object.entries(signatures)) {
    table[name] = { parameters: [...parameters], result: result === "cstring" ? "pointer" : result };
  }
  const symbols: Record<string, unknown> = { ...Deno.dlopen(path, table).symbols };
  for (const [name, { result }] of Object.entries(signatures)) {
    if (result !== "cstring") continue;
    const read = symbols[name] as (...args: unknown[]) => Deno.PointerValue;
    symbols[name] = (...args: unknown[]) => {
      const pointer = read(...args);
      return pointer === null ? "" : Deno.UnsafePointerView.getCString(pointer);
    };
  }
  return symbols;
}

async function openBun(path: string, signatures: Record<string, Signature>): Promise<Record<string, unknown>> {
  const { dlopen } = await import("bun:ffi");
  const table: Record<string, { args: (Scalar | "ptr")[]; returns: Signature["result"] }> = {};
  for (const [name, { parameters, result }] of Object.entries(signatures)) {
    table[name] = { args: parameters.map((p) => p === "buffer" ? "ptr" : p), returns: result };
  }
  const symbols: Record<string, unknown> = { ...dlopen(path, table).symbols };
  for (const [name, { result }] of Object.entries(signatures)) {
    if (result !== "cstring") continue;
    const read = symbols[name] as (...args: unknown[]) => unknown;
    symbols[name] = (...args: unknown[]) => String(read(...args) ?? "");
  }
  return symbols;
}

/**
 * Floats that begin on a cache line, as a native program would allocate them: where an array of the runtime begins is chance, and a
 * peer must not lose by it.
 */
export function alignedFloats(count: number): Float32Array<ArrayBuffer> {
  const [buffer, offset] = alignedBytes(4 * count);
  return new Float32Array(buffer, offset, count);
}

/** The same for doubles. */
export function alignedDoubles(count: number): Float64Array<ArrayBuffer> {
  const [buffer, offset] = alignedBytes(8 * count);
  return new Float64Array(buffer, offset, count);
}

function alignedBytes(count: number): [ArrayBuffer, number] {
  const buffer = new ArrayBuffer(count + 64);
  const past = addressOf(new Uint8Array(buffer)) % 64;
  return [buffer, past === 0 ? 0 : 64 - past];
}

const addressOf: (bytes: Uint8Array<ArrayBuffer>) => number = await (async () => {
  if ("Deno" in globalThis) return (bytes: Uint8Array<ArrayBuffer>) => Number(Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)));
  const { ptr } = await import("bun:ffi");
  return (bytes: Uint8Array<ArrayBuffer>) => Number(ptr(bytes));
})();

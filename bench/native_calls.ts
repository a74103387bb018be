/**
 * Every call of the native library with the time it took, for a profile of whole programs. The runtime's own way to open a library is wrapped, so the library's
 * code is as it ships; `watchNativeCalls` comes before the first tensor or device is made.
 *
 * @module
 */
import { createRequire } from "node:module";
import process from "node:process";

/** A call of the library: the function, when it began, and how long it took, in milliseconds. */
export interface NativeCall {
  readonly name: string;
  readonly began: number;
  readonly ms: number;
}

/** What notes the calls of the library. */
export interface Watched {
  /** Runs `body` and tells the calls it made. */
  calls(body: () => void): NativeCall[];
}

type Opener = (path: string, table: never) => { symbols: Record<string, (...args: never[]) => unknown>; close(): void };

/** Wraps the library that is opened after this, in Deno and in Bun. */
export function watchNativeCalls(): Watched {
  let noted: NativeCall[] | null = null;
  const wrapped = (name: string, call: (...args: never[]) => unknown) => (...args: never[]) => {
    if (noted === null) return call(...args);
    const began = performance.now(), result = call(...args);
    noted.push({ name, began, ms: performance.now() - began });
    return result;
  };
  const openers: { dlopen: Opener } = "Bun" in globalThis
    ? createRequire(process.execPath)("bun:ffi")
    : (globalThis as unknown as { Deno: { dlopen: Opener } }).Deno;
  const open = openers.dlopen;
  openers.dlopen = (path, table) => {
    const library = open(path, table);
    const symbols = Object.fromEntries(Object.entries(library.symbols).map(([name, call]) => [name, wrapped(name, call)]));
    return { symbols, close: () => library.close() };
  };
  return {
    calls(body) {
      const mine: NativeCall[] = noted = [];
      try {
        body();
      } finally {
        noted = null;
      }
      return mine;
    },
  };
}

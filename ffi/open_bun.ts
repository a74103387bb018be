/** Opens a library through bun:ffi, whose table is `{ args, returns }`. */

import { dlopen } from "bun:ffi";
import type { Opened, Symbols } from "./types.ts";

/** Bun has no permissions. */
export function permitted(_path: string): boolean {
  return true;
}

/** Opens `path` with the given symbols. Throws the system's own error. */
export function open(path: string, symbols: Symbols): Opened {
  const table: Parameters<typeof dlopen>[1] = {};
  for (const [name, s] of Object.entries(symbols)) {
    table[name] = { args: s.parameters.map((p) => p === "buffer" ? "ptr" : p), returns: s.result } as (typeof table)[string]; // Bun's names but for buffers
  }
  const library = dlopen(path, table);
  return { symbols: library.symbols as unknown as Opened["symbols"], close: () => library.close() };
}

/** An environment variable. */
export function variable(name: string): string | undefined {
  return process.env[name];
}

/** The C library that this runtime uses, or an empty string where the system has only one. */
export function libc(): string {
  if (process.platform !== "linux") return "";
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }; // the one field of a report that is read here
  return header.glibcVersionRuntime === undefined ? "musl" : `glibc ${header.glibcVersionRuntime}`;
}

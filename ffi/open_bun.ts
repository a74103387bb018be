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
  const library = opened(path, table);
  return { symbols: library.symbols as unknown as Opened["symbols"], close: () => library.close() };
}

function opened(path: string, table: Parameters<typeof dlopen>[1]): ReturnType<typeof dlopen> {
  try {
    return dlopen(path, table);
  } catch (error) {
    // On Windows Bun tells the system's number and not its sentence.
    const sentence = error instanceof Error && windowsErrors[error.message.match(/error code (\d+)/)?.[1] ?? ""];
    throw sentence ? new Error(`${error.message}, ${sentence}`, { cause: error }) : error;
  }
}

const windowsErrors: Record<string, string> = {
  5: "the system denies access to it",
  126: "it, or a library that it needs, could not be found",
  193: "it is no library, or one for another processor",
};

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

/** Lets the garbage collector look. */
export function collect(): void {
  const { Bun } = globalThis as unknown as { Bun: { gc(wait: boolean): void } }; // Deno checks this file too, without Bun's types
  Bun.gc(true);
}

/** Opens a library through Deno.dlopen. */

import type { Opened, Symbols } from "./types.ts";

/** Whether code without a prompt may load `path`; `false` only where Deno would refuse. */
export function permitted(path: string): boolean {
  return Deno.permissions.querySync({ name: "ffi", path }).state !== "denied";
}

/** Opens `path` with the given symbols. Throws the system's own error. */
export function open(path: string, symbols: Symbols): Opened {
  const library = Deno.dlopen(path, symbols as Deno.ForeignLibraryInterface); // the table's type names are Deno's own
  return { symbols: library.symbols as unknown as Opened["symbols"], close: () => library.close() };
}

/** An environment variable, or `undefined` where it is unset or may not be read. Never prompts. */
export function variable(name: string): string | undefined {
  return Deno.permissions.querySync({ name: "env", variable: name }).state === "granted" ? Deno.env.get(name) : undefined;
}

/** The C library that this runtime was built for, or an empty string where the system has only one. */
export function libc(): string {
  return Deno.build.os !== "linux" ? "" : Deno.build.target.endsWith("musl") ? "musl" : "glibc";
}

/**
 * Makes the garbage collector look: Deno has no call for it, but V8 counts the bytes of array buffers, and looks when they are many. Nothing is written to
 * these, so the system gives them no memory.
 */
export function collect(): void {
  for (let i = 0; i < 4; i++) new ArrayBuffer(64 * 2 ** 20);
}

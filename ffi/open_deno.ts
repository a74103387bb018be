/** Opens a library through Deno.dlopen. */

import type { Opened, Runtime, Symbols } from "./types.ts";

/** The part of Deno that is used here, so that this file needs no types of Deno: a project for Bun has none. @internal */
export interface DenoApi {
  dlopen(path: string, symbols: Symbols): Opened;
  readonly permissions: {
    querySync(permission: Permission): { readonly state: string };
  };
  readonly env: { get(name: string): string | undefined };
  readonly build: { readonly os: string; readonly target: string };
}

type Permission =
  | { name: "ffi"; path: string }
  | { name: "env"; variable: string }
  | { name: "run" }
  | { name: "sys"; kind: "hostname" };

/** Not read before it is used: this module is imported in Bun and in Node too. */
const api = (): DenoApi => (globalThis as unknown as { readonly Deno: DenoApi }).Deno;

/** Deno, as the loader sees it. @internal */
export const deno: Runtime = {
  lacking: () => undefined,

  refused: (path) =>
    api().permissions.querySync({ name: "ffi", path }).state === "denied"
      ? "Deno's permissions forbid to load it: run with --allow-ffi, or --allow-ffi=<this path>"
      : undefined,

  open(path, symbols) {
    const library = api().dlopen(path, symbols); // the table's type names are Deno's own
    return { symbols: library.symbols, close: () => library.close() };
  },

  readable: (variable) => api().permissions.querySync({ name: "env", variable }).state === "granted",

  mayAskProcesses() {
    const wanted: Permission[] = [{ name: "run" }, { name: "sys", kind: "hostname" }];
    return wanted.every((permission) => api().permissions.querySync(permission).state === "granted");
  },

  variable: (name) => deno.readable(name) ? api().env.get(name) : undefined,

  /**
   * Deno has no call for it, but V8 counts the bytes of array buffers, and looks when they are many. Nothing is written to these, so the system gives them
   * no memory.
   */
  collect() {
    for (let i = 0; i < 4; i++) new ArrayBuffer(64 * 2 ** 20);
  },

  add: (name, version) => `deno add npm:${name}@${version}`,

  libc() {
    const { os, target } = api().build;
    return os !== "linux" ? "" : target.endsWith("musl") ? "musl" : "glibc";
  },
};

/** Opens a library through bun:ffi, whose table is `{ args, returns }`. */

import { modules, process } from "./node.ts";
import type { Ffi, Opened, Parameter, Runtime } from "./types.ts";

/** The part of bun:ffi that is used here, so that this file needs no types of Bun: a project for Deno has none. @internal */
export interface BunFfi {
  dlopen(path: string, table: Record<string, { args: readonly BunParameter[]; returns: Exclude<Ffi, "buffer"> }>): Opened;
}
/** Bun's type names are Deno's except for buffers. */
type BunParameter = Exclude<Parameter, "buffer"> | "ptr";

/**
 * bun:ffi, at first use. Neither a static import, which no other runtime and no bundler for one resolves, nor `await import()`: in Bun a
 * Worker whose modules await at the top level loses the messages that come meanwhile, and what awaits cannot be required or compiled to
 * bytecode. `process.getBuiltinModule` is younger than the oldest Bun that is promised.
 */
const ffi = (): BunFfi => modules.createRequire(process.execPath)("bun:ffi");

const windowsErrors: Record<string, string> = {
  5: "the system denies access to it",
  126: "it, or a library that it needs, could not be found",
  193: "it is no library, or one for another processor",
};

/** Bun, as the loader sees it. It has no permissions. @internal */
export const bun: Runtime = {
  lacking: () => undefined,

  refused: () => undefined,

  open(path, symbols) {
    const table = Object.fromEntries(
      Object.entries(symbols).map(([name, { parameters, result }]) => [
        name,
        { args: parameters.map((type) => type === "buffer" ? "ptr" : type), returns: result },
      ]),
    );
    try {
      const library = ffi().dlopen(path, table);
      return { symbols: library.symbols, close: () => library.close() };
    } catch (error) {
      // On Windows Bun gives the system's number and not its sentence.
      const sentence = error instanceof Error && windowsErrors[error.message.match(/error code (\d+)/)?.[1] ?? ""];
      throw sentence ? new Error(`${error.message}, ${sentence}`, { cause: error }) : error;
    }
  },

  readable: () => true,

  mayAskProcesses: () => true,

  variable: (name) => process.env[name],

  collect() {
    const { Bun } = globalThis as unknown as { Bun: { gc(wait: boolean): void } }; // only where this runs
    Bun.gc(true);
  },

  add: (name, version) => `bun add ${name}@${version}`,

  libc() {
    if (process.platform !== "linux") return "";
    // The one field of a report that is read here.
    const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
    return header.glibcVersionRuntime === undefined ? "musl" : `glibc ${header.glibcVersionRuntime}`;
  },
};

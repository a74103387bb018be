/** What a library looks like before anything is known of it: shared by the loader and by the files that open one in each runtime. */

/** FFI type names, as Deno spells them. @internal */
export type Ffi = "u32" | "i32" | "f32" | "f64" | "buffer" | "void";
/** FFI type names of parameters. @internal */
export type Parameter = Exclude<Ffi, "void">;
/** A table of symbols. @internal */
export type Symbols = { readonly [name: string]: { readonly parameters: readonly Parameter[]; readonly result: Exclude<Ffi, "buffer"> } };
/** An open library. @internal */
export interface Opened {
  readonly symbols: Record<string, (...args: never[]) => unknown>;
  close(): void;
}
/** What the loader needs of a runtime. @internal */
export interface Runtime {
  /** Why no library can be opened here at all, as a sentence; `undefined` where one can. */
  lacking(): string | undefined;
  /** Why the runtime's permissions forbid to load `path`; `undefined` if it can be loaded without a prompt, or after one. */
  refused(path: string): string | undefined;
  /** Opens `path` with the given symbols. Throws the system's own error. */
  open(path: string, symbols: Symbols): Opened;
  /** Whether an environment variable may be read without a prompt. */
  readable(name: string): boolean;
  /** Whether the machine's name and the state of other processes may be asked for. Never prompts. */
  mayAskProcesses(): boolean;
  /** An environment variable; `undefined` if it is unset or may not be read. Never prompts. */
  variable(name: string): string | undefined;
  /** Makes the garbage collector look. */
  collect(): void;
  /** The command that adds a package to a project. */
  add(name: string, version: string): string;
  /** The C library of this runtime, or an empty string on a system that has only one. */
  libc(): string;
}

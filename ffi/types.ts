/** What a library looks like before anything is known of it: shared by the loader and by the files that open one in each runtime. */

/** FFI type names that both runtimes share. @internal */
export type Ffi = "u32" | "i32" | "f32" | "f64" | "buffer" | "void";
/** A table of symbols. @internal */
export type Symbols = { readonly [name: string]: { readonly parameters: readonly Ffi[]; readonly result: Ffi } };
/** An open library. @internal */
export interface Opened {
  readonly symbols: Record<string, (...args: never[]) => number>;
  close(): void;
}

/**
 * The native library: found, opened and compared with the generated table at first use. Importing this module never opens anything and never throws.
 */

import { find } from "../native/mod.ts";
import { process, url } from "./node.ts";
import { bun } from "./open_bun.ts";
import { deno } from "./open_deno.ts";
import { node } from "./open_node.ts";
import { LibraryNotFoundError } from "./status.ts";
import { manifest } from "./symbols.gen.ts";
import type { Ffi, Runtime, Symbols } from "./types.ts";

type ArgumentOf = { u32: number; i32: number; f32: number; f64: number; buffer: ArrayBufferView; void: never };
type ResultOf = { u32: number; i32: number; f32: number; f64: number; buffer: never; void: void };
type Arguments<P extends readonly Ffi[]> = { -readonly [I in keyof P]: ArgumentOf[P[I]] };
type Table = typeof manifest.symbols;
/** The library's functions, typed from the generated table. @internal */
export type Native = { [K in keyof Table]: (...args: Arguments<Table[K]["parameters"]>) => ResultOf[Table[K]["result"]] };

/** The loaded functions. Whoever holds a tensor or a device handle may call them: `load` ran before either could be made. @internal */
export let native: Native = undefined as unknown as Native; // assigned by `load` before anything can call it

const runtime: Runtime = "Bun" in globalThis ? bun : "Deno" in globalThis ? deno : node;

const fileName = process.platform === "win32" ? "tilework.dll" : process.platform === "darwin" ? "libtilework.dylib" : "libtilework.so";

/** A path to the library, and who names it. @internal */
export interface Candidate {
  readonly path: string;
  readonly from: string;
}

/** What `load` has opened. @internal */
export let loadedFrom: Candidate | undefined;

/** The variable that names a library. */
const libraryVariable = "TILEWORK_LIBRARY";

/** Where this code lies. Some bundlers leave nothing of `import.meta` in CommonJS. */
const here: string = import.meta.url ?? "";

/** Whether a bundler has moved this code into another file: then nothing is known of what lies beside it. */
const bundled = !/\/ffi\/library\.[jt]s(?:[?#].*)?$/.test(here);

/** The library that is built in the repository, where this is one of its sources. */
const built: string | undefined = /^file:.*\/ffi\/library\.ts(?:[?#].*)?$/.test(here)
  ? url.fileURLToPath(new URL(`../zig/zig-out/${process.platform === "win32" ? "bin" : "lib"}/${fileName}`, here))
  : undefined;

/** An environment variable as far as this program may read it, for messages: the library reads its own. @internal */
export function variable(name: string): string | undefined {
  return runtime.variable(name);
}

/** Every platform that has a package: system, processor and, where it is not the usual one, C library. @internal */
export const allPlatforms: readonly string[] = [
  "linux-x64",
  "linux-x64-musl",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
  "win32-arm64",
];

/** The name of a platform's package. @internal */
export const packageOf = (platform: string): string => `@tilework/native-${platform}`;

/** The platform of this process as its package is named, or undefined where there is none. */
function ownPlatform(): string | undefined {
  const own = `${process.platform}-${process.arch}${runtime.libc().startsWith("musl") ? "-musl" : ""}`;
  return allPlatforms.find((platform) => platform === own);
}

/** Paths to the library, in the order in which they are tried. */
function candidates(): Candidate[] {
  const override = runtime.variable(libraryVariable);
  if (override) return [{ path: override, from: libraryVariable }];
  const own = ownPlatform(), path = own && find(packageOf(own), fileName);
  return [
    ...own && path ? [{ path, from: packageOf(own) }] : [],
    ...built ? [{ path: built, from: "the build folder" }] : [],
  ];
}

/** What to do if no candidate could be loaded. */
function advice(): string {
  const own = ownPlatform();
  const build = "build it with `deno task build` in the repository", allow = "in Deno allow it with --allow-ffi";
  const install = own === undefined
    ? `there is no package for ${process.platform} ${process.arch}`
    : `install it with \`${runtime.add(packageOf(own), manifest.version)}\``;
  const first = built === undefined ? `${install}, or ${build}` : build;
  const lines = [`${first[0]!.toUpperCase()}${first.slice(1)}, or set ${libraryVariable} to its path; ${allow}.`];
  if (bundled) {
    lines.push("A bundle finds the package where a program beside it would; `bun build --compile` puts the library into the program.");
  } else {
    // Not from a bundle: where there is no node_modules, Bun installs what it is asked for.
    const installed = allPlatforms.map(packageOf).filter((name) => find(name, "package.json") !== undefined);
    if (installed.length > 0) lines.unshift(`Installed: ${installed.join(", ")}.`);
  }
  // Nothing can tell whether it is set.
  if (!runtime.readable(libraryVariable)) {
    lines.push(`${libraryVariable} may not be read here and was passed over if it is set: allow that with --allow-env=${libraryVariable}.`);
  }
  return lines.join("\n");
}

const onlyManifest = { tw_manifest: { parameters: ["buffer", "u32"], result: "u32" } } as const satisfies Symbols;

/** Opens a library whose manifest is the one this code was generated from, or throws a sentence. */
function openChecked(path: string): Native {
  const refused = runtime.refused(path);
  if (refused !== undefined) throw new Error(refused);
  const probe = runtime.open(path, onlyManifest);
  // As in `onlyManifest`.
  const { tw_manifest: read } = probe.symbols as unknown as { tw_manifest: (out: Uint8Array, capacity: number) => number };
  const bytes = new Uint8Array(read(new Uint8Array(1), 0));
  read(bytes, bytes.length);
  const found = new TextDecoder().decode(bytes);
  probe.close();
  if (!isManifest(found)) throw new Error(otherSources(found));
  return runtime.open(path, manifest.symbols).symbols as unknown as Native; // the table is what the library has just said of itself
}

/** Why a library with this manifest is none of this code's. */
function otherSources(found: string): string {
  const theirs = found.match(/"version": "([^"]+)"/)?.[1];
  return theirs === undefined || theirs === manifest.version
    ? "it was built from other sources than this TypeScript: rebuild it with `deno task build`, or install matching versions"
    : `it is version ${theirs}, and this is version ${manifest.version} of tilework: install the same version of both`;
}

/** Whether the text says the same as the generated table, however it is spaced. */
function isManifest(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(manifest);
  } catch {
    return false;
  }
}

/** Loads the library once. Throws a LibraryNotFoundError that says what was tried. */
export function load(): Native {
  if (native) return native;
  const lacking = runtime.lacking();
  if (lacking !== undefined) throw new LibraryNotFoundError(lacking);
  const tried: string[] = [];
  for (const candidate of candidates()) {
    try {
      native = openChecked(candidate.path);
      loadedFrom = candidate;
      return native;
    } catch (error) {
      tried.push(`  ${candidate.path} (${candidate.from}): ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const libc = runtime.libc();
  throw new LibraryNotFoundError(
    `The native library of tilework could not be loaded on ${process.platform} ${process.arch}${libc && `, ${libc}`}.\n${
      tried.length ? `Tried:\n${tried.join("\n")}` : "There was no path to try."
    }\n${advice()}`,
  );
}

/** Asks the garbage collector to look for what is forgotten now. @internal */
export function collect(): void {
  const { gc } = globalThis as { gc?: () => void }; // there where a runtime was started so
  (gc ?? runtime.collect)();
}

/** The two numbers behind the last status of this thread that has some: see `detail` in zig/status.zig. @internal */
export function errorDetail(): [number, number] {
  const detail = new Float64Array(2);
  native.tw_error_detail(detail);
  return [detail[0]!, detail[1]!];
}

/**
 * Whether the native library can be loaded here; `false` where every other function would throw a LibraryNotFoundError.
 *
 * ```ts
 * import { isAvailable } from "@tilework/tilework";
 *
 * if (!isAvailable()) console.log("no native kernels on this machine");
 * ```
 *
 * Deno's `deno test --sanitize-resources`, which older versions do unasked, takes the library for a leak of the first test that uses it: it
 * stays open for the life of the process. `isAvailable();` at the top of a test file loads it before any test.
 */
export function isAvailable(): boolean {
  try {
    load();
    return true;
  } catch {
    return false;
  }
}

/** Whether the machine's name and the state of other processes may be asked for, without a prompt. @internal */
export function mayAskProcesses(): boolean {
  return runtime.mayAskProcesses();
}

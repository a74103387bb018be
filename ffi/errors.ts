/**
 * Errors whose stack begins at the user's call. A file that throws imports `TypeError` and `RangeError` from here, under the names of the built-in classes that
 * they make: what is thrown is a plain TypeError, of which the library's own frames are taken away. Nothing is done before something fails.
 */

import { url } from "./node.ts";

/** The folders of the library's own modules, as stacks name them; none where they were bundled, and nothing tells them from the user's. */
const ownFolders: readonly string[] = foldersFrom(import.meta.url);

function foldersFrom(own: string | undefined): string[] {
  if (own === undefined || !/\/ffi\/errors\.[jt]s$/.test(own)) return [];
  const urls = ["core", "ffi", "nn", "ops", "report"].map((folder) => new URL(`../${folder}/`, own));
  const paths = urls.filter(({ protocol }) => protocol === "file:").map((own) => url.fileURLToPath(own)); // as Bun writes them
  return [...urls.map(({ href }) => href), ...paths];
}

/** @internal Whether a frame of a stack lies in one of the library's own modules. */
export function isOwnFrame(frame: string): boolean {
  return ownFolders.some((folder) => frame.includes(folder));
}

/** Frames that may lie between the user's call and the one that failed: the library's are found even below deep nesting. */
const framesMax = 100;

/** @internal V8's limit on the frames of a stack, which JavaScriptCore has too; not every project's types know it. */
export const engine: { stackTraceLimit?: unknown } = Error as unknown as { stackTraceLimit?: unknown };

/** The frames of this moment from the user's call on, or null where they cannot be told. */
function userFrames(): string[] | null {
  const limit = engine.stackTraceLimit;
  if (ownFolders.length === 0 || typeof limit !== "number" || !Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")?.writable) {
    return null;
  }
  engine.stackTraceLimit = Math.max(limit, framesMax);
  const { stack } = new Error();
  engine.stackTraceLimit = limit;
  if (typeof stack !== "string") return null; // the program's own `Error.prepareStackTrace` may return anything
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const first = frames.findIndex((frame) => hasPlace(frame) && !isOwnFrame(frame));
  return first < 0 ? null : frames.slice(first, first + limit).map(named);
}

/** Whether a frame lies in a file, rather than in the runtime. */
function hasPlace(frame: string): boolean {
  return /:\d+:\d+\)?$/.test(frame) && !/(?:\(|\bat |\basync )(?:ext|node|bun|native|unknown):/.test(frame);
}

/** Bun passes over frames without a name when it prints an error's own stack. */
function named(frame: string): string {
  return "Bun" in globalThis ? frame.replace(/^(\s+at )((?:async )?)([^()]+)$/, "$1$2<anonymous> ($3)") : frame;
}

/** Lets an error's stack begin at the user's call. The engine's own one is never read: Deno would print that of an uncaught error. */
function beginAtUser<E extends Error>(error: E, name: string): E {
  const frames = userFrames();
  if (frames === null) return error;
  const value = [`${name}: ${error.message}`, ...frames].join("\n");
  return Object.defineProperty(error, "stack", { value, writable: true, configurable: true, enumerable: false });
}

/** @internal What makes errors of a built-in class. */
export type MakesErrors<E extends Error> = new (message: string, options?: ErrorOptions) => E;

function atUser<E extends Error>(Kind: MakesErrors<E>): MakesErrors<E> {
  const make = (message: string, options?: ErrorOptions) => beginAtUser(new Kind(message, options), Kind.name);
  // A plain function, since `new` on it returns what it returns: an error of the built-in class itself.
  return function (message: string, options?: ErrorOptions) {
    return make(message, options);
  } as unknown as MakesErrors<E>;
}

/** @internal Makes a TypeError whose stack begins at the user's call. */
export const TypeError: MakesErrors<globalThis.TypeError> = atUser(globalThis.TypeError);
/** @internal Makes a RangeError whose stack begins at the user's call. */
export const RangeError: MakesErrors<globalThis.RangeError> = atUser(globalThis.RangeError);

/** @internal What the library's own classes extend: the stack begins at the user's call. */
export class LibraryError extends Error {
  /** As `Error`'s. */
  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    beginAtUser(this, new.target.name);
  }
}

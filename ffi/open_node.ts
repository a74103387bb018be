/** Opens a library through node:ffi of Node 26 and newer, whose table is `{ arguments, return }`. It is experimental there. */

import { process } from "./node.ts";
import type { Ffi, Opened, Runtime, Symbols } from "./types.ts";

type NodeType = "uint32" | "int32" | "float32" | "float64" | "buffer" | "void";
type NodeSymbols = Record<string, { arguments: readonly NodeType[]; return: NodeType }>;
/** The part of node:ffi that is used here, so that this file needs no types of Node. @internal */
export interface NodeFfi {
  dlopen(path: string, table: NodeSymbols): { lib: { close(): void }; functions: Opened["symbols"] };
}
/** The part of Node's `process` that Bun and Deno lack, or need not have. */
interface NodeProcess {
  getBuiltinModule?(name: "node:ffi"): NodeFfi | undefined;
  getBuiltinModule?(name: "node:v8"): { setFlagsFromString(flags: string): void };
  getBuiltinModule?(name: "node:vm"): { runInNewContext(code: string): () => void };
  /** There under the permission model alone. */
  readonly permission?: { has(scope: string): boolean };
  readonly allowedNodeEnvironmentFlags: ReadonlySet<string>;
  readonly report: { excludeNetwork: boolean; getReport(): { header: { glibcVersionRuntime?: string } } };
}
const api = process as unknown as NodeProcess;

const types: Record<Ffi, NodeType> = { u32: "uint32", i32: "int32", f32: "float32", f64: "float64", buffer: "buffer", void: "void" };

/**
 * node:ffi, at first use; `undefined` where this Node has none. Never by an import, which no other runtime and no bundler for one resolves. Node says
 * once a process that it is experimental.
 */
const ffi = (): NodeFfi | undefined => api.getBuiltinModule?.("node:ffi");

function table(symbols: Symbols): NodeSymbols {
  return Object.fromEntries(
    Object.entries(symbols).map(([name, { parameters, result }]) => [
      name,
      { arguments: parameters.map((type) => types[type]), return: types[result] },
    ]),
  );
}

let gc: (() => void) | undefined;

/** V8's own call, which is there where Node was started with --expose-gc, or in a context that is made after that flag was set. */
function exposed(): () => void {
  api.getBuiltinModule!("node:v8").setFlagsFromString("--expose-gc");
  return api.getBuiltinModule!("node:vm").runInNewContext("gc");
}

/** Node, as the loader sees it. @internal */
export const node: Runtime = {
  lacking() {
    if (process.versions.node === undefined) return "tilework runs in Deno, Bun and Node 26 or newer, and this is none of them.";
    if (ffi() !== undefined) return undefined;
    const flag = "--experimental-ffi", name = `Node ${process.versions.node}`;
    if (!api.allowedNodeEnvironmentFlags.has(flag)) {
      return `tilework runs in Deno, Bun and Node 26 or newer, and ${name} has no node:ffi: install a newer Node, or use Deno or Bun.`;
    }
    return `tilework needs node:ffi, which ${name} has, but not without a flag: start it with ${flag}.`;
  },

  refused: () => api.permission?.has("ffi") === false ? "Node's permissions forbid to load it: run with --allow-ffi" : undefined,

  open(path, symbols) {
    const { lib, functions } = ffi()!.dlopen(path, table(symbols)); // `lacking` has seen that it is there
    return { symbols: functions, close: () => lib.close() };
  },

  readable: () => true,

  mayAskProcesses: () => true,

  variable: (name) => process.env[name],

  collect: () => (gc ??= exposed())(),

  add: (name, version) => `npm install ${name}@${version}`,

  libc() {
    if (process.platform !== "linux") return "";
    const { report } = api, { excludeNetwork } = report;
    report.excludeNetwork = true; // a report would else ask for the names of open connections
    const { header } = report.getReport();
    report.excludeNetwork = excludeNetwork;
    return header.glibcVersionRuntime === undefined ? "musl" : `glibc ${header.glibcVersionRuntime}`;
  },
};

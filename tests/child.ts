/** Programs of their own, for what a test can only see from outside: environment variables, permissions, memory, how a process ends. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The runtime that runs this test, and its children. */
export const runtime: "deno" | "bun" | "node" = process.versions.bun !== undefined
  ? "bun"
  : process.versions.deno !== undefined
  ? "deno"
  : "node";

/** What stands between Node and a program or its `--test`: a Worker like the web's, and no word that node:ffi is experimental. */
export const nodeFlags: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  new URL("../scripts/web_workers_for_node.js", import.meta.url).href,
];

/** What starts a program with all permissions in the runtime that runs this test: the path of the program and its arguments follow. */
export const starting: readonly string[] = [process.execPath, ...{ deno: ["run", "-A"], bun: [], node: nodeFlags }[runtime]];

/** What runs the tests of files in it: more flags and the paths of the files follow. */
export const testing: readonly string[] = [
  process.execPath,
  ...{ deno: ["test", "-A", "--no-check"], bun: ["test"], node: [...nodeFlags, "--test"] }[runtime],
];

/** Whether the long forms of the tests were asked for. */
export const slow: boolean = Boolean(process.env.TILEWORK_SLOW);

const entry = new URL("../mod.ts", import.meta.url).href;

/** The library that the tests use. */
export const libraryPath: string = process.env.TILEWORK_LIBRARY ||
  fileURLToPath(
    new URL(
      `../zig/zig-out/${
        process.platform === "win32" ? "bin/tilework.dll" : process.platform === "darwin" ? "lib/libtilework.dylib" : "lib/libtilework.so"
      }`,
      import.meta.url,
    ),
  );

/** How a program ended. */
export interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  seconds: number;
}

/** How a child starts. */
export interface ChildOptions {
  /** Added to the environment, from which every knob of the library is removed. */
  env?: Record<string, string>;
  /** The folder that it runs in, instead of this process's. */
  cwd?: string;
  /** Deno's flags in place of `-A`. One has to be about permissions: without any, Deno's own child_process adds `-A`. */
  flags?: readonly string[];
  /** Node's flags in place of those that give it a Worker like the web's and keep it quiet. */
  nodeFlags?: readonly string[];
  /** A program, with arguments, that starts the runtime. */
  under?: readonly string[];
  /** More modules beside the program, by name. */
  files?: Record<string, string>;
  /** It is killed after this time, and the test fails. */
  secondsMax?: number;
  /** Called with what it has written so far, and its process id. */
  watch?: (stdout: string, pid: number) => void;
}

/** Runs a command to its end. */
export function run(command: readonly string[], { env = {}, cwd, secondsMax = 60, watch }: ChildOptions = {}): Promise<Ended> {
  const inherited: Record<string, string | undefined> = { ...process.env, NO_COLOR: "1" };
  for (const name of Object.keys(inherited)) if (name.startsWith("TILEWORK_") && name !== "TILEWORK_LIBRARY") delete inherited[name];
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command[0]!, command.slice(1), {
      env: { ...inherited, ...env } as NodeJS.ProcessEnv,
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended: Ended = { code: null, signal: null, stdout: "", stderr: "", seconds: 0 };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${command.join(" ")} did not end within ${secondsMax} s\n${ended.stdout}\n${ended.stderr}`));
    }, secondsMax * 1000);
    child.stdout.on("data", (chunk) => {
      ended.stdout += chunk;
      watch?.(ended.stdout, child.pid!);
    });
    child.stderr.on("data", (chunk) => ended.stderr += chunk);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ ...ended, code, signal, seconds: (performance.now() - start) / 1000 });
    });
  });
}

/** Runs a program in the runtime that runs this test. It imports the library as "tilework", and other modules of it as "tilework/core/…". */
export async function child(program: string, options: ChildOptions = {}): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-child-"));
  try {
    for (const [name, text] of Object.entries({ ...options.files, "main.ts": program })) {
      await writeFile(
        join(folder, name),
        text.replace(/(["'])tilework(\/[\w./]+)?\1/g, (_, quote, path) => quote + (path ? new URL(`.${path}`, entry).href : entry) + quote),
      );
    }
    const flags = { deno: options.flags && ["run", ...options.flags], bun: undefined, node: options.nodeFlags }[runtime];
    const start = flags === undefined ? starting : [process.execPath, ...flags];
    return await run([...options.under ?? [], ...start, join(folder, "main.ts")], options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As `child`, of a program that has to end well; returns what its last line of output holds as JSON. */
export async function childJson(program: string, options?: ChildOptions): Promise<unknown> {
  const ended = await child(program, options);
  assertEndedWell(ended);
  return JSON.parse(ended.stdout.trim().split("\n").at(-1)!);
}

/** A module for children: it starts Workers and waits for what they say. */
export const workers: string = `
  export function start(name) {
    return new Worker(new URL(name, import.meta.url).href, { type: "module" });
  }
  /** The next message of a Worker, or its error. */
  export function message(worker) {
    return new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => { event.preventDefault?.(); reject(new Error("a Worker failed: " + event.message)); };
    });
  }
  export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));`;

/** Fails where a program was ended by a signal or with a code other than 0. */
export function assertEndedWell(ended: Ended): void {
  assert.deepEqual([ended.code, ended.signal], [0, null], `${ended.stdout}\n${ended.stderr}`);
}

/** Whether a program can be started at all. */
export async function exists(command: string, ...args: string[]): Promise<boolean> {
  try {
    return (await run([command, ...args])).code === 0;
  } catch {
    return false;
  }
}

/** A C compiler's command, or null where there is none. */
export async function findCompiler(): Promise<readonly string[] | null> {
  const zig = process.env.TILEWORK_ZIG;
  for (const command of [["cc"], ["gcc"], ["clang"], ["zig", "cc"], ...zig ? [[zig, "cc"]] : []]) {
    if (await exists(command[0]!, ...command.slice(1), "--version")) return command;
  }
  return null;
}

/** Compiles and links a C program. */
export async function compile(flags: readonly string[], source: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-c-"));
  try {
    const path = join(folder, "main.c");
    await writeFile(path, source);
    const command = await findCompiler();
    assertEndedWell(await run([...command!, "-O1", "-Wall", ...flags, path, ...process.platform === "linux" ? ["-ldl", "-lpthread"] : []]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// Runs other programs. Only node: modules, so that Deno and Bun both run it.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** How a program ended. */
export interface Ended {
  /** The exit code; 124 when its time was up, 127 when the program could not be started, 128 when a signal ended it. */
  code: number;
  /** Standard output and standard error in the order in which they arrived, where they were kept. */
  text: string;
  seconds: number;
}

/** Where and how a program runs. */
export interface RunOptions {
  cwd?: string;
  /** Added to the environment of this process. */
  env?: Record<string, string>;
  /** `inherit` shows it as it is, `stderr` shows all of it on standard error, `tee` shows and keeps it, `keep` only keeps it. */
  output?: "inherit" | "stderr" | "tee" | "keep";
  /** After this time the program and all that it started are killed, and the exit code is 124. Not on Windows. */
  secondsMax?: number;
}

/** Runs `command` and waits for its end; a program that is not there is an exit code, never an exception. */
export function run(command: string[], options: RunOptions = {}): Promise<Ended> {
  const { cwd = root, env = {}, output = "inherit", secondsMax } = options;
  const start = performance.now();
  return new Promise((resolve) => {
    let text = "";
    let late = false;
    const end = (code: number) => {
      clearTimeout(timer);
      resolve({ code: late ? 124 : code, text, seconds: (performance.now() - start) / 1000 });
    };
    const child = spawn(command[0], command.slice(1), {
      cwd,
      env: { ...process.env, ...env },
      stdio: output === "inherit" ? "inherit" : output === "stderr" ? ["ignore", 2, 2] : ["ignore", "pipe", "pipe"],
      // A group of its own, so that all of it can be killed.
      detached: secondsMax !== undefined,
    });
    const timer = secondsMax === undefined ? undefined : setTimeout(() => {
      late = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, secondsMax * 1000);
    const take = (chunk: Uint8Array) => {
      text += new TextDecoder().decode(chunk);
      if (output === "tee") process.stdout.write(chunk);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.on("error", (error) => {
      text += String(error);
      end(127);
    });
    child.on("close", (code) => end(code ?? 128));
  });
}

/** Ends this script with a sentence that says what to do. */
export function fail(reason: string | Error): never {
  console.error(`\n${reason instanceof Error ? reason.message : reason}`);
  process.exit(1);
}

/** Many small jobs in a program of their own, so that one which ends the process or never returns is a failure with a name. */

import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { starting } from "./child.ts";

/** A job: its name, and what does it. It throws if it fails. */
export interface Job {
  name: string;
  run: () => void | Promise<void>;
}

/** How long a job may take. */
const secondsMax = 20;
/** Programs that are started again after a job that ended them, before the rest of the jobs is given up. */
const restartsMax = 6;

/** Does the jobs from the number on that `runJobs` asks for. To be called by the program itself. */
export async function doJobs(jobs: Iterable<Job>): Promise<void> {
  const from = Number(process.argv.at(-1));
  const say = (line: string) => void writeSync(1, `${line}\n`);
  let index = 0;
  for (const { name, run } of jobs) {
    if (index++ < from) continue;
    say(`> ${name}`);
    try {
      await run();
    } catch (error) {
      say(`! ${name}: ${(error instanceof Error ? error.stack ?? error.message : String(error)).replaceAll("\n", "\\n")}`);
    }
  }
  say("done");
}

/** Runs a program of this folder that calls `doJobs`, as often as jobs end it. Returns what went wrong, by job, and how many there were. */
export async function runJobs(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failures: [] };
  for (let start = 0; start <= restartsMax; start++) {
    const fault = await runFrom(program, args, env, outcome);
    if (fault === null) return outcome;
    outcome.failures.push(fault);
  }
  outcome.failures.push(`the jobs behind the first ${outcome.done} were not tried`);
  return outcome;
}

/** How jobs went. */
export interface Outcome {
  done: number;
  failures: string[];
}

function runFrom(program: string, args: readonly string[], env: Record<string, string>, outcome: Outcome): Promise<string | null> {
  const [command, ...flags] = [
    ...starting,
    fileURLToPath(new URL(program, import.meta.url)),
    ...args,
    `${outcome.done}`,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(command!, flags, { env: { ...process.env, NO_COLOR: "1", ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let rest = "", said = "", current = "the start", ended = false, hangs = false;
    const kill = () => {
      hangs = true;
      child.kill("SIGKILL");
    };
    let timer = setTimeout(kill, secondsMax * 1000);
    child.stdout.on("data", (chunk) => {
      clearTimeout(timer);
      timer = setTimeout(kill, secondsMax * 1000);
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith("! ")) outcome.failures.push(line.slice(2).replaceAll("\\n", "\n"));
        else if (line === "done") ended = true;
        else if (line.startsWith("> ")) {
          outcome.done++;
          current = line.slice(2);
        }
      }
    });
    child.stderr.on("data", (chunk) => said += chunk);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (ended && code === 0) return resolve(null);
      const how = hangs ? `did not end within ${secondsMax} s` : `ended the process: ${signal ?? `code ${code}`}`;
      resolve(`${current}: ${how}\n${said.slice(0, 500)}`);
    });
  });
}

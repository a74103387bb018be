/**
 * Where peers are kept: a folder outside the repository, beside the tools that the build installs, filled on demand.
 * `TILEWORK_PEERS` names another one, and `TILEWORK_PEERS_OFFLINE=1` measures only what the folder holds already.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { installed, toolFolder } from "../../scripts/tools.ts";

/** The folder that holds the peers. */
export const cacheFolder: string = process.env.TILEWORK_PEERS || join(toolFolder(), "peers");

/** The folder of one peer, filled by `fill(folder)` where it does not exist yet. */
export function cached(name: string, fill: (folder: string) => void | Promise<void>): Promise<string> {
  const folder = join(cacheFolder, name);
  if (!existsSync(folder) && process.env.TILEWORK_PEERS_OFFLINE === "1") {
    return Promise.reject(new Error(`${folder} does not exist and TILEWORK_PEERS_OFFLINE=1 forbids to fetch it`));
  }
  return installed(folder, fill);
}

/** Runs a program to its end; throws with the last lines it wrote where it fails. */
export function runProgram(program: string, args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}): string {
  const done = spawnSync(program, [...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (done.error) throw new Error(`${program} could not be started: ${done.error.message}`);
  if (done.status !== 0) {
    const tail = `${done.stdout}${done.stderr}`.trim().split("\n").slice(-5).join("\n");
    throw new Error(`${[program, ...args].join(" ")} failed:\n${tail}`);
  }
  return done.stdout;
}

/** The first of the programs that can be started and answers `--version`. */
export function findProgram(...candidates: (string | undefined)[]): string | undefined {
  return candidates.find((program) => program && spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0);
}

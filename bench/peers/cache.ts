/**
 * Where peers are kept: a folder outside the repository, beside the tools that the build installs, filled on demand.
 * `TILEWORK_PEERS` names another one, and `TILEWORK_PEERS_OFFLINE=1` measures only what the folder holds already.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { run, type RunOptions } from "../../scripts/process.ts";
import { installed, toolFolder } from "../../scripts/tools.ts";

/** The folder that holds the peers. */
export const cacheFolder: string = process.env.TILEWORK_PEERS || join(toolFolder(), "peers");

/** The folder of one peer, made by `fill(folder)` where it does not exist yet. */
export function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder, name);
  if (process.env.TILEWORK_PEERS_OFFLINE === "1" && !existsSync(folder)) {
    throw new Error(`${folder} does not exist and TILEWORK_PEERS_OFFLINE=1 forbids to fill it`);
  }
  return installed(folder, fill);
}

/** Whether a peer is in the folder already. */
export function isCached(name: string): boolean {
  return existsSync(join(cacheFolder, name));
}

/** Runs a program to its end, quietly; throws with the last lines it wrote where it fails. */
export async function runProgram(command: string[], options: RunOptions = {}): Promise<void> {
  const { code, text } = await run(command, { ...options, output: "keep" });
  if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${text.trim().split("\n").slice(-5).join("\n")}`);
}

/** The first of the programs that can be started and answers `--version`. */
export async function findProgram(...candidates: (string | undefined)[]): Promise<string | undefined> {
  for (const program of candidates) {
    if (program && (await run([program, "--version"], { output: "keep" })).code === 0) return program;
  }
}

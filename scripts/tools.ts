// The folder of the tools that the scripts install.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Where this project keeps the tools that it installs; outside the repository, so that every clone shares them. */
export function toolFolder(): string {
  const { TILEWORK_CACHE, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (TILEWORK_CACHE) return TILEWORK_CACHE;
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "tilework");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "tilework");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "tilework");
}

/**
 * The folder, filled by `fill(fresh)` where it is not there yet. It is filled beside its place and then renamed, so that two scripts at once, or one
 * that was interrupted, never leave half a tool there. Throws what `fill` throws.
 */
export async function installed(folder: string, fill: (fresh: string) => void | Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  try {
    mkdirSync(dirname(folder), { recursive: true });
  } catch (error) {
    throw new Error(`Cannot make ${dirname(folder)} (${error}). Set TILEWORK_CACHE to a folder that can be written.`);
  }
  const fresh = mkdtempSync(`${folder}.part-`);
  try {
    await fill(fresh);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another script was faster: its copy is as good.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

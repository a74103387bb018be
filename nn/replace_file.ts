/**
 * Replacing a file in one step. The new content is written beside the file, flushed and renamed: whatever happens, there is either the old
 * file or the whole new one. The name beside it has a fixed length, so every name that the file system takes can be saved to.
 *
 * A process that is killed leaves what it has written beside the file. The next save of the same file removes such leftovers. It never
 * removes what another process is writing: a leftover counts only if its process has ended, as the system says of processes of this
 * machine, or if nobody has written to it for a day by the file system's own clock. The day is for folders that machines share, for
 * containers and for permissions that forbid to ask. A save that was suspended for longer than that, a laptop's lid closed in the middle of
 * it, still has all values in memory: it finds its file gone and writes it again.
 */

import { files, path as paths } from "../core/node.ts";
import { hasEnded, hashed, processName } from "../core/processes.ts";
import { closeFile, errorCode, flushFile, openFile, setMode, writeFully } from "./disk.ts";

const staleMs = 24 * 60 * 60 * 1000;

/** The name of a file that is being written: of which file, by which process, and which of its saves. */
const pattern = /^\.tilework-([0-9a-f]{16})-([0-9a-f]{8}-\d{10})-[0-9a-f]{8}\.tmp$/;

/**
 * Writes `chunks`, one behind the other, in place of a file. Behind a symbolic link it is the file that is replaced, not the link;
 * permissions of a file that is there stay. Throws the system's error, and then nothing has changed.
 */
export async function replaceFile(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const place = await behindLinks(path), mode = await modeOf(place);
  for (let attempt = 1;; attempt++) {
    const beside = paths.join(paths.dirname(place), besideName(place));
    try {
      await writeNew(beside, place, mode, chunks);
      if (await renamed(beside, place, attempt < 3)) break;
    } catch (error) {
      await files.unlink(beside).catch(() => {}); // the first error says more
      throw error;
    }
  }
  await flushFolder(paths.dirname(place));
}

/** The name under which a file's next content is written, in the same folder. */
function besideName(place: string): string {
  return `.tilework-${hashed(paths.basename(place), 16)}-${processName()}-${crypto.randomUUID().slice(0, 8)}.tmp`;
}

async function writeNew(beside: string, place: string, mode: number | undefined, chunks: readonly Uint8Array[]): Promise<void> {
  const file = await openFile(beside, "wx", mode);
  try {
    if (mode !== undefined) await setMode(file, mode); // the process's mask may have taken bits away
    await removeLeftovers(place, beside); // before anything is written: they may be what fills the disk
    for (const bytes of chunks) await writeFully(file, bytes);
    await flushFile(file);
  } finally {
    await closeFile(file);
  }
}

/** Renames the written file; `false` if it is gone and may be written again: see above. */
async function renamed(beside: string, place: string, again: boolean): Promise<boolean> {
  try {
    await files.rename(beside, place);
    return true;
  } catch (error) {
    if (again && errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Removes what killed saves of the same file have left. That some cannot be seen or removed is no failure of this save. */
async function removeLeftovers(place: string, own: string): Promise<void> {
  const folder = paths.dirname(place), file = hashed(paths.basename(place), 16);
  try {
    const now = (await files.stat(own)).mtimeMs; // just made: the clock of the file system that the others' times come from
    for (const name of await files.readdir(folder)) {
      const [, of, process] = pattern.exec(name) ?? [];
      if (of !== file || name === paths.basename(own)) continue;
      const leftover = paths.join(folder, name);
      if (hasEnded(process!) || now - (await files.stat(leftover)).mtimeMs > staleMs) await files.unlink(leftover);
    }
  } catch {
    // They stay for another save.
  }
}

/** The file that a path leads to: it need not be there, but no symbolic link is. */
async function behindLinks(path: string): Promise<string> {
  for (let links = 0; links < 40; links++) {
    if (!await isLink(path)) return path;
    const target = await files.readlink(path);
    // Not joined: `..` behind a linked folder means the folder that is really above.
    path = paths.isAbsolute(target) ? target : `${await files.realpath(paths.dirname(path))}/${target}`;
  }
  await files.stat(path); // the system's own error for links that go round
  return path;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await files.lstat(path)).isSymbolicLink();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The permissions of a file that is there. What is no file is refused: a folder or a device must not be renamed over. */
async function modeOf(place: string): Promise<number | undefined> {
  try {
    const found = await files.stat(place);
    if (!found.isFile()) throw new Error(found.isDirectory() ? "is a folder" : "is no file");
    return found.mode & 0o777;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes a rename survive a power cut, if the system can flush a folder (Windows cannot). */
async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await openFile(path, "r");
    try {
      await flushFile(folder);
    } finally {
      await closeFile(folder);
    }
  } catch {
    // The file itself is complete.
  }
}

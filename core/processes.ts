/**
 * Processes: a name for this one, and whether another of this machine has ended. For files that a process may leave behind when it is
 * killed.
 */

import { mayAskProcesses } from "../ffi/library.ts";
import { crypto, os, process } from "../ffi/node.ts";

/** Stands for a machine whose name may not be asked for: whether a process of it has ended is then unknown. */
const unknownMachine = "00000000";

/** A name for this process, always of the same length: of its machine, and its number there. @internal */
export function processName(): string {
  return `${machineName()}-${process.pid.toString().padStart(10, "0")}`;
}

/**
 * Whether the process of a name has certainly ended. `false` if that cannot be known: it runs on another machine or in another container,
 * whose host name differs, or Deno's permissions forbid to ask. A number that was given to a later process counts as running.
 * @internal
 */
export function hasEnded(name: string): boolean {
  const [machine, number] = name.split("-");
  if (machine === unknownMachine || machine !== machineName()) return false;
  const id = Number(number);
  if (!(id > 0 && id < 2 ** 31)) return false; // other numbers stand for many processes
  try {
    process.kill(id, 0); // asks, and sends nothing
    return false;
  } catch (error) {
    return (error as { code?: string }).code === "ESRCH"; // there is no such process
  }
}

/** The first letters of a text's hash. @internal */
export function hashed(text: string, letters: number): string {
  return crypto.createHash("sha256").update(text).digest("hex").slice(0, letters);
}

function machineName(): string {
  return mayAskProcesses() ? hashed(os.hostname(), unknownMachine.length) : unknownMachine;
}

/**
 * Reading and writing open files, in pieces that every system takes in one call: macOS refuses 2³¹ bytes, Linux cuts them, and the
 * runtimes' own limits differ. Files are plain descriptors: `FileHandle.sync` is missing in old versions of Deno.
 */

import { fs, process } from "../core/node.ts";

/** The most bytes that one call of the system is asked for. */
export const pieceBytesMax: number = 2 ** 30;

/** A read to be made: as many bytes as `bytes` has, from a position in the file. */
export interface ReadRequest {
  readonly fd: number;
  readonly bytes: Uint8Array;
  readonly position: number;
}

/** Steps that yield the reads they need and receive how many bytes each brought: the same steps run with and without waiting. */
export type Reading<T> = Generator<ReadRequest, T, number>;

/** Fills `bytes` from a place in the file; returns how many there were. */
export function* readFully(fd: number, bytes: Uint8Array, position: number): Reading<number> {
  let at = 0;
  while (at < bytes.length) {
    const piece = bytes.subarray(at, at + pieceBytesMax);
    const got = yield { fd, bytes: piece, position: position + at };
    if (got === 0) break;
    at += checkCount("read", got, piece.length);
  }
  return at;
}

/** Runs steps, waiting for each read. `read` is the system's, or that of a test. */
export async function finishReading<T>(reading: Reading<T>, read: (request: ReadRequest) => Promise<number> = systemRead): Promise<T> {
  let step = reading.next();
  while (!step.done) {
    let got: number;
    try {
      got = await read(step.value);
    } catch (error) {
      step = reading.throw(error); // the steps undo what they have begun
      continue;
    }
    step = reading.next(got);
  }
  return step.value;
}

/** Runs steps without letting anything else run. */
export function finishReadingSync<T>(reading: Reading<T>): T {
  let step = reading.next();
  while (!step.done) {
    const { fd, bytes, position } = step.value;
    let got: number;
    try {
      got = fs.readSync(fd, bytes, 0, bytes.length, position);
    } catch (error) {
      step = reading.throw(error);
      continue;
    }
    step = reading.next(got);
  }
  return step.value;
}

/** Writes all of `bytes` behind what was written before. `write` is the system's, or that of a test. */
export async function writeFully(
  fd: number,
  bytes: Uint8Array,
  write: (fd: number, bytes: Uint8Array) => Promise<number> = systemWrite,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + pieceBytesMax);
    const put = await write(fd, piece);
    if (put === 0) throw new Error(`the system wrote none of ${piece.length} bytes and gave no reason`);
    at += checkCount("wrote", put, piece.length);
  }
}

/** Opens a file; the mode is that of a new one. */
export function openFile(path: string, flags: "r" | "wx", mode: number = 0o666): Promise<number> {
  return called((done) => fs.open(path, flags, mode, done));
}

/** How many bytes an open file has. */
export async function sizeOf(fd: number): Promise<number> {
  return (await called<fs.Stats>((done) => fs.fstat(fd, done))).size;
}

/** Sets the permissions of an open file, whatever has become of its name; Windows has none of them. */
export async function setMode(fd: number, mode: number): Promise<void> {
  if (process.platform !== "win32") await called((done) => fs.fchmod(fd, mode, done));
}

/** Makes what was written survive a power cut. */
export function flushFile(fd: number): Promise<void> {
  return called((done) => fs.fsync(fd, done));
}

/** Closes a file. */
export function closeFile(fd: number): Promise<void> {
  return called((done) => fs.close(fd, done));
}

/** What a system's error says of itself, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as { code?: string }).code : undefined;
}

function systemRead({ fd, bytes, position }: ReadRequest): Promise<number> {
  return called((done) => fs.read(fd, bytes, 0, bytes.length, position, done));
}

function systemWrite(fd: number, bytes: Uint8Array): Promise<number> {
  return called((done) => fs.write(fd, bytes, 0, bytes.length, null, done));
}

/** A number that the system, or a network's file system, may report wrongly: believed, it would send the loop backwards or past the end. */
function checkCount(did: string, count: number, asked: number): number {
  if (Number.isInteger(count) && count > 0 && count <= asked) return count;
  throw new Error(`the system says that it ${did} ${count} of ${asked} bytes`);
}

/** A call with a callback as a promise. */
function called<T = void>(call: (done: (error: Error | null, result: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => call((error, result) => error ? reject(error) : resolve(result)));
}

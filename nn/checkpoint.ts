/** Checkpoints: parameter trees in safetensors files, which Python's `safetensors` package reads too. */

import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { newData } from "../core/dtype.ts";
import { checkFlag } from "../core/op.ts";
import { freedError } from "../core/scope.ts";
import { formatShape, formatValue, sameShape } from "../core/shape.ts";
import { CheckpointError, decodeHeader, decodeLength, encodeHeader, formatDType, type Header, prefixBytes } from "./safetensors.ts";
import { flatten, type Leaf, type Tree } from "./tree.ts";

/** Options of `save`. */
export interface SaveOptions {
  /** Kept beside the tensors; `readMetadata` returns it. */
  metadata?: Readonly<Record<string, string>>;
}

/** Options of `load`. */
export interface LoadOptions {
  /** Passes over tensors of the file that the tree lacks, to load the parameters of a whole training state, say; else they are an error. Off. */
  ignoreExtra?: boolean;
}

/**
 * Writes a tree's tensors to a safetensors file, under their paths: `blocks.0.norm1.weight`. The values are those of the moment of the call. The file is
 * written beside its place, flushed, and renamed: whatever happens, there is either the old file or the whole new one.
 *
 * Throws a TypeError for a tree that holds anything but live tensors, and the system's error where the file cannot be written.
 *
 * ```ts
 * import { cpu, load, save, tensor } from "@tilework/tilework";
 *
 * const params = { weight: tensor(cpu, [2], [1, 2]) };
 * await save("/tmp/example.safetensors", params, { metadata: { step: "3" } });
 * params.weight.write([0, 0]);
 * await load("/tmp/example.safetensors", params);
 * console.log(params.weight.readSync()); // Float32Array [1, 2]
 * ```
 */
export async function save<P extends Tree<P>>(path: string, tree: P, options: SaveOptions = {}): Promise<void> {
  checkPath("save", path);
  const leaves = flatten(tree, "save", "tree");
  const tensors = leaves.map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  const { bytes, order } = encodeHeader("save", tensors, options.metadata);
  const data = await Promise.all(order.map((i) => leaves[i]![1].read()));

  const beside = `${path}.${crypto.randomUUID()}.tmp`;
  const file = await open(beside, "wx");
  try {
    try {
      await writeAll(file, bytes);
      for (const array of data) await writeAll(file, bytesOf(array));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await unlink(beside).catch(() => {}); // the first error says more
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Fills a tree's tensors from a file that `save` or another program has written. Names, shapes and element types are compared first: either every tensor
 * is overwritten or none.
 *
 * Throws a CheckpointError that lists what is missing, left over or different, or says how the file is damaged; the system's error where it cannot be
 * read.
 *
 * ```ts
 * import { cpu, load, save, tensor } from "@tilework/tilework";
 *
 * await save("/tmp/example.safetensors", { weight: tensor(cpu, [2], [1, 2]) });
 * const params = { weight: tensor(cpu, [2], [0, 0]) };
 * await load("/tmp/example.safetensors", params);
 * console.log(params.weight.readSync()); // Float32Array [1, 2]
 * ```
 */
export async function load<P extends Tree<P>>(path: string, into: P, options: LoadOptions = {}): Promise<void> {
  checkPath("load", path);
  const ignoreExtra = checkFlag("load", "ignoreExtra", options.ignoreExtra);
  const leaves = flatten(into, "load", "into");
  const source = `load: ${path}`;
  const file = await open(path, "r");
  const data = [];
  try {
    const { header, dataStart } = await readHeader(source, file);
    checkFits(source, header, leaves, ignoreExtra);
    for (const [name, { dtype, size }] of leaves) {
      const array = newData(dtype, size);
      const bytes = bytesOf(array);
      const got = await readAll(file, bytes, dataStart + header.entries.get(name)!.begin); // `checkFits` has found it
      if (got !== bytes.length) throw new CheckpointError(`${source}: became shorter while it was read`);
      data.push(array);
    }
  } finally {
    await file.close();
  }
  // From here nothing waits: what was checked still holds when it is written.
  for (const [name, x] of leaves) if (x.disposed) throw freedError("load", `into.${name}`, x);
  for (let i = 0; i < leaves.length; i++) leaves[i]![1].write(data[i]!);
}

/**
 * The metadata that a safetensors file was saved with; an empty object where there is none. Throws a CheckpointError for a damaged file.
 *
 * ```ts
 * import { cpu, readMetadata, save, tensor } from "@tilework/tilework";
 *
 * await save("/tmp/example.safetensors", { weight: tensor(cpu, [2], [1, 2]) }, { metadata: { step: "3" } });
 * console.log((await readMetadata("/tmp/example.safetensors")).step); // 3
 * ```
 */
export async function readMetadata(path: string): Promise<Record<string, string>> {
  checkPath("readMetadata", path);
  const file = await open(path, "r");
  try {
    return (await readHeader(`readMetadata: ${path}`, file)).header.metadata;
  } finally {
    await file.close();
  }
}

function checkPath(op: string, path: unknown): void {
  if (typeof path !== "string" || path === "") throw new TypeError(`${op}: path must be the name of a file, got ${formatValue(path)}`);
}

async function readHeader(source: string, file: FileHandle): Promise<{ header: Header; dataStart: number }> {
  const { size } = await file.stat();
  const prefix = new Uint8Array(prefixBytes);
  const length = decodeLength(source, prefix.subarray(0, await readAll(file, prefix, 0)), size);
  const json = new Uint8Array(length);
  if (await readAll(file, json, prefixBytes) !== length) throw new CheckpointError(`${source}: became shorter while it was read`);
  const dataStart = prefixBytes + length;
  return { header: decodeHeader(source, json, size - dataStart), dataStart };
}

function checkFits(source: string, { entries }: Header, leaves: readonly Leaf[], ignoreExtra: boolean): void {
  const missing: string[] = [], different: string[] = [];
  for (const [name, x] of leaves) {
    const entry = entries.get(name);
    if (entry === undefined) missing.push(name);
    else if (entry.dtype !== formatDType(x.dtype) || !sameShape(entry.shape, x.shape)) {
      different.push(
        `${name} (${entry.dtype} ${formatShape(entry.shape)} in the file, ${formatDType(x.dtype)} ${formatShape(x.shape)} in the tree)`,
      );
    }
  }
  const names = new Set(leaves.map(([name]) => name));
  const extra = ignoreExtra ? [] : [...entries.keys()].filter((name) => !names.has(name));
  if (missing.length + different.length + extra.length === 0) return;
  const list = (what: string, items: string[]): string => {
    if (items.length === 0) return "";
    const more = items.length > 10 ? ` and ${items.length - 10} more` : "";
    return `\n  ${what}: ${items.slice(0, 10).join(", ")}${more}`;
  };
  throw new CheckpointError(
    `${source} does not fit the tree` + list("missing in the file", missing) + list("not in the tree", extra) +
      list("different", different),
  );
}

/** The bytes of a typed array. All supported machines are little-endian, as the format is. */
function bytesOf(array: ArrayBufferView<ArrayBufferLike>): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
}

/** Fills `bytes` from a place in the file; returns how many there were. */
async function readAll(file: FileHandle, bytes: Uint8Array, from: number): Promise<number> {
  let at = 0;
  while (at < bytes.length) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at;
}

/** Makes a rename survive a power cut, where the system lets a folder be flushed (Windows does not). */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The file itself is complete.
  }
}

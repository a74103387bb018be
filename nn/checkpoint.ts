/** Checkpoints: parameter trees in safetensors files, which Python's `safetensors` package reads too. */

import type { Data, DType } from "../core/dtype.ts";
import { checkFlag } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import { freedError } from "../core/scope.ts";
import { formatShape, sameShape } from "../core/shape.ts";
import { finishReading } from "./disk.ts";
import { conversion, formatDType } from "./file_types.ts";
import { newPieces, prepareWrite, readPieces, type Write } from "./pieces.ts";
import { replaceFile } from "./replace_file.ts";
import { CheckpointError, encodeHeader } from "./safetensors.ts";
import { bytesOf, checkPath, type Checkpoint, failure, openCheckpoint } from "./safetensors_file.ts";
import { flatten, type Leaf, type Tree } from "./tree.ts";

/** Options of `save`. */
export interface SaveOptions {
  /** Kept beside the tensors; `readMetadata` returns it. */
  metadata?: Readonly<Record<string, string>>;
}

/** Options of `load`. */
export interface LoadOptions {
  /**
   * Passes over tensors of the file that the tree lacks, to load the parameters of a whole training state, say; else they are an error.
   * Off.
   */
  ignoreExtra?: boolean;
  /** Leaves tensors of the tree that the file lacks as they are, of a layer that was added, say; else they are an error. Off. */
  ignoreMissing?: boolean;
}

const saveNames = optionNames<SaveOptions>({ metadata: true });

/**
 * Writes a tree's tensors to a safetensors file, under their paths: `blocks.0.norm1.weight`. The values are those of the moment of the
 * call. The file is written beside its place, flushed, and renamed: whatever happens, there is either the old file or the whole new one.
 * Behind a symbolic link it is the file that is replaced; permissions of a file that is there stay. What a killed save of the same file has
 * left is removed, once its process has ended or, if that cannot be known, after a day.
 *
 * Throws a TypeError for a tree that holds anything but live tensors and for metadata that is no object of strings, a RangeError for names
 * and metadata of more than 100 MB, and a CheckpointError with the path if the file cannot be written; its `cause` is the system's error.
 * In Deno it needs permission to read and write in the file's folder.
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
  const op = "save";
  checkPath(op, path);
  checkOptions(op, options, saveNames);
  const leaves = flatten(tree, op, "tree");
  const tensors = leaves.map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  const { bytes, order } = encodeHeader(op, tensors, options.metadata);
  const data = (await Promise.all(order.map((i) => readPieces(op, leaves[i]![1])))).flat();
  try {
    await replaceFile(path, [bytes, ...data.map(bytesOf)]);
  } catch (error) {
    throw failure(op, path, error);
  }
}

const loadNames = optionNames<LoadOptions>({ ignoreExtra: true, ignoreMissing: true });

/**
 * Fills a tree's tensors from a file that `save` or another program has written. Names, shapes and element types are compared first: either
 * every tensor is overwritten or none. The path may also be that of an index of several files (`model.safetensors.index.json`), or of a
 * folder with a `model.safetensors` or such an index.
 *
 * If element types differ, F16, BF16 and F64 become f32, and F16, BF16 and F32 become f64: rounded to nearest, ties to even, beyond the
 * range to infinity. I64 becomes i32 or u32 if all values fit. Every other difference is an error.
 *
 * Throws a CheckpointError with the path, which lists what is missing, left over or different, names the first value that does not fit, or
 * says how the file is damaged or why it cannot be read; then `cause` is the system's error. With `ignoreMissing` it is an error too if the
 * file has nothing of the tree.
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
  const op = "load";
  checkPath(op, path);
  checkOptions(op, options, loadNames);
  const ignoreExtra = checkFlag(op, "ignoreExtra", options.ignoreExtra),
    ignoreMissing = checkFlag(op, "ignoreMissing", options.ignoreMissing);
  const leaves = flatten(into, op, "into");
  using file = await openCheckpoint(op, path);
  const wanted = checkFits(op, file, leaves, ignoreExtra, ignoreMissing), data: Data[DType][][] = [];
  for (const [name, { dtype, size }] of wanted) {
    const pieces = newPieces(dtype, size);
    let at = 0;
    for (const piece of pieces) {
      await finishReading(file.elements(op, name, dtype, at, piece));
      at += piece.length;
    }
    data.push(pieces);
  }
  // From here nothing waits: what was checked still holds when it is written.
  for (const [name, x] of leaves) if (x.disposed) throw freedError(op, `into.${name}`, x);
  const writes: Write[] = [];
  try {
    wanted.forEach(([, x], i) => writes.push(prepareWrite(op, x, data[i]!)));
    for (const write of writes) write.commit();
  } finally {
    for (const write of writes) write[Symbol.dispose]();
  }
}

/**
 * The metadata that a safetensors file was saved with; an empty object if there is none. The path may be that of an index or a folder, as
 * for `load`.
 *
 * Throws a CheckpointError with the path for a file that is damaged or cannot be read; then `cause` is the system's error.
 *
 * ```ts
 * import { cpu, readMetadata, save, tensor } from "@tilework/tilework";
 *
 * await save("/tmp/example.safetensors", { weight: tensor(cpu, [2], [1, 2]) }, { metadata: { step: "3" } });
 * console.log((await readMetadata("/tmp/example.safetensors")).step); // 3
 * ```
 */
export async function readMetadata(path: string): Promise<Record<string, string>> {
  using file = await openCheckpoint("readMetadata", path);
  return file.metadata;
}

/** The tensors of a tree that a file fills. Throws what does not fit. */
function checkFits(op: string, file: Checkpoint, leaves: readonly Leaf[], ignoreExtra: boolean, ignoreMissing: boolean): readonly Leaf[] {
  const wanted: Leaf[] = [], missing: string[] = [], different: string[] = [];
  for (const leaf of leaves) {
    const [name, x] = leaf, entry = file.tensors.get(name);
    if (entry === undefined) missing.push(name);
    else if (conversion(entry.dtype, x.dtype) !== undefined && sameShape(entry.shape, x.shape)) wanted.push(leaf);
    else {
      different.push(
        `${name} (${entry.dtype} ${formatShape(entry.shape)} in the file, ${formatDType(x.dtype)} ${formatShape(x.shape)} in the tree)`,
      );
    }
  }
  const names = new Set(leaves.map(([name]) => name));
  const extra = ignoreExtra ? [] : [...file.tensors.keys()].filter((name) => !names.has(name));
  if (ignoreMissing && missing.length < leaves.length) missing.length = 0;
  if (missing.length + different.length + extra.length === 0) return wanted;
  const list = (what: string, items: string[]): string => {
    if (items.length === 0) return "";
    const more = items.length > 10 ? ` and ${items.length - 10} more` : "";
    return `\n  ${what}: ${items.slice(0, 10).join(", ")}${more}`;
  };
  throw new CheckpointError(
    `${op}: ${file.path} does not fit the tree` + list("missing in the file", missing) + list("not in the tree", extra) +
      list("different", different),
  );
}

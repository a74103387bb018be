/** Folders and safetensors files for tests. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `body` with a folder of its own. */
export async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-checkpoint-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A tensor as it lies in a file. */
export interface RawTensor {
  dtype: string;
  shape: number[];
  bytes: ArrayBufferView;
}

/** The bytes of a safetensors file, as another program writes it. */
export function rawFile(tensors: Record<string, RawTensor>, metadata?: unknown): Uint8Array {
  const header: Record<string, unknown> = metadata === undefined ? {} : { __metadata__: metadata };
  let at = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at += bytes.byteLength] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + at);
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true);
  file.set(json, 8);
  at = 8 + json.length;
  for (const { bytes } of Object.values(tensors)) {
    file.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), at);
    at += bytes.byteLength;
  }
  return file;
}

/** Writes such a file. */
export async function writeRaw(path: string, tensors: Record<string, RawTensor>, metadata?: unknown): Promise<void> {
  await writeFile(path, rawFile(tensors, metadata));
}

/** f32 values as a file has them. */
export function f32(values: number[], shape: number[] = [values.length]): RawTensor {
  return { dtype: "F32", shape, bytes: new Float32Array(values) };
}

/** Writes a checkpoint of two files with an index: `a` in the first, `b` and `c` in the second. */
export async function writeSharded(folder: string, change: (index: Record<string, string>) => unknown = () => {}): Promise<void> {
  const first = "model-00001-of-00002.safetensors", second = "model-00002-of-00002.safetensors";
  await writeRaw(join(folder, first), { a: f32([1, 2]) }, { format: "pt", part: "1" });
  await writeRaw(join(folder, second), { b: f32([3]), c: f32([4, 5, 6]) }, { format: "pt", part: "2", more: "yes" });
  const map: Record<string, string> = { a: first, b: second, c: second };
  change(map);
  await writeFile(join(folder, "model.safetensors.index.json"), JSON.stringify({ metadata: { total_size: 24 }, weight_map: map }));
}

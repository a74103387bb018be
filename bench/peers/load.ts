/**
 * The peers that can be had on this machine, and why the others cannot.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { ProductPeer } from "../harness.ts";
import { cacheFolder } from "./cache.ts";
import { onnxruntime } from "./onnxruntime.ts";
import { openblas } from "./openblas.ts";
import { type Peak, peak } from "./peak.ts";
import { torch } from "./torch.ts";

/** Peers by what became of them. */
export interface Peers {
  readonly present: readonly ProductPeer[];
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  readonly peak: Peak | undefined;
}

/**
 * Loads OpenBLAS, ONNX Runtime, PyTorch where `TILEWORK_TORCH_PYTHON` names one, and the machine's own ceilings. `light` leaves out
 * what would have to be downloaded at length: then ONNX Runtime takes part only if it is there already.
 */
export async function loadPeers(light: boolean, torchPython = process.env.TILEWORK_TORCH_PYTHON ?? ""): Promise<Peers> {
  const present: ProductPeer[] = [], missing: { name: string; why: string }[] = [];
  const attempt = async <T>(name: string, load: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await load();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      console.error(`${name} is missing: ${why}`);
      missing.push({ name, why });
    }
  };
  const add = (peer: ProductPeer | undefined) => {
    if (!peer) return;
    console.error(`${peer.name}: ${JSON.stringify(peer.extra)}`);
    present.push(peer);
  };
  add(await attempt("openblas", openblas));
  if (!light || onnxruntimeIsHere()) add(await attempt("onnxruntime", onnxruntime));
  if (torchPython && !light) add(await attempt("pytorch", () => torch(torchPython)));
  return { present, missing, peak: await attempt("fma-loop", peak) };
}

function onnxruntimeIsHere(): boolean {
  const manifest = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
  return existsSync(join(cacheFolder, `onnxruntime-${manifest.dependencies["onnxruntime-node"]}`));
}

/**
 * The peers that can be had on this machine, and why the others cannot.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import type { Peer } from "../problem.ts";
import { blis, blisFolder } from "./blis.ts";
import { isCached } from "./cache.ts";
import { mkl, mklFolder } from "./mkl.ts";
import { onnxruntime } from "./onnxruntime.ts";
import { openblas } from "./openblas.ts";
import { type Peak, peak } from "./peak.ts";
import { rust, rustCrates, rustFolder } from "./rust.ts";
import { torch } from "./torch.ts";

/** Peers by what became of them. */
export interface Peers {
  readonly present: readonly Peer[];
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  readonly peak: Peak | undefined;
}

/** Which peers are wanted. */
export interface Wanted {
  /** Leaves out what would have to be downloaded or built at length: such a peer takes part only if it is there already. */
  readonly light: boolean;
  /** Only peers of these names; undefined means all. */
  readonly names: readonly string[] | undefined;
  /** Only peers that live in this process. */
  readonly inProcess?: boolean;
}

interface Candidate {
  readonly name: string;
  load(): Promise<Peer>;
  /** Whether loading it takes no long download or build. */
  readonly light: boolean;
  readonly inProcess: boolean;
}

function candidates(): Candidate[] {
  const manifest = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
  const python = process.env.TILEWORK_TORCH_PYTHON;
  const ort = `onnxruntime-${manifest.dependencies["onnxruntime-node"]}`;
  return [
    { name: "openblas", load: openblas, light: true, inProcess: true },
    { name: "blis", load: blis, light: isCached(blisFolder), inProcess: true },
    { name: "mkl", load: mkl, light: isCached(mklFolder), inProcess: true },
    { name: "onnxruntime", load: onnxruntime, light: isCached(ort), inProcess: true },
    {
      name: "pytorch",
      load() {
        if (!python) throw new Error("TILEWORK_TORCH_PYTHON names no Python with PyTorch");
        return torch(python);
      },
      light: python !== undefined,
      inProcess: false,
    },
    ...rustCrates.map((name) => ({ name, load: () => rust(name), light: isCached(rustFolder()), inProcess: false })),
  ];
}

/** Loads the wanted peers and the machine's own ceilings. */
export async function loadPeers({ light, names, inProcess }: Wanted): Promise<Peers> {
  const all = candidates();
  for (const name of names ?? []) {
    if (!all.some((peer) => peer.name === name)) {
      throw new RangeError(`no peer is called ${name}: ${all.map((peer) => peer.name).join(", ")}`);
    }
  }
  const present: Peer[] = [], missing: { name: string; why: string }[] = [];
  const attempt = async <T>(name: string, load: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await load();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      console.error(`${name} is missing: ${why}`);
      missing.push({ name, why });
    }
  };
  for (const candidate of all) {
    if (names ? !names.includes(candidate.name) : light && !candidate.light) continue;
    if (inProcess && !candidate.inProcess) continue;
    const peer = await attempt(candidate.name, async () => await candidate.load());
    if (!peer) continue;
    console.error(`${peer.name}: ${JSON.stringify(peer.extra)}`);
    present.push(peer);
  }
  return { present, missing, peak: await attempt("fma-loop", peak) };
}

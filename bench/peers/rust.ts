/**
 * Rust's crates for matrix products as peers: a small program in `rust/`, built by cargo into the cache folder and run as one server
 * process a crate and number of threads.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Peer } from "../problem.ts";
import { cached, findProgram, runProgram } from "./cache.ts";
import { serverPeer } from "./server.ts";

/** The crates, under their own names. */
export const rustCrates = ["gemmkit", "gemm", "faer", "private-gemm-x86", "matrixmultiply"] as const;

const source = fileURLToPath(new URL("./rust/", import.meta.url));
const text = (path: string) => readFileSync(join(source, path), "utf8");

/** The folder of the built program in the cache: another source is another program. */
export function rustFolder(): string {
  const hash = createHash("sha256");
  for (const path of ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/crates.rs"]) hash.update(text(path));
  return `rust-gemm-${hash.digest("hex").slice(0, 12)}`;
}

let built: Promise<string> | undefined;

/** Starts one crate, building the program first where it is not there yet (some minutes). */
export async function rust(crate: (typeof rustCrates)[number]): Promise<Peer> {
  const program = await (built ??= build());
  const version = text("Cargo.lock").match(new RegExp(`name = "${crate}"\\nversion = "([^"]+)"`))?.[1] ?? "unknown";
  return serverPeer(crate, (threads) => {
    // Some crates read their number of threads once, from the environment.
    const env = { RAYON_NUM_THREADS: String(threads), MATMUL_NUM_THREADS: String(threads) };
    return { program: [program, crate, String(threads)], env };
  }, () => ({ [crate]: version }));
}

async function build(): Promise<string> {
  const program = process.platform === "win32" ? "tilework-gemm-peers.exe" : "tilework-gemm-peers";
  const folder = await cached(rustFolder(), async (fresh) => {
    const cargo = await findProgram(process.env.CARGO, "cargo", join(homedir(), ".cargo", "bin", "cargo"));
    if (!cargo) throw new Error("cargo is needed to build the Rust peers");
    console.error("building the Rust peers: some minutes, once");
    const target = join(fresh, "target");
    await runProgram([cargo, "build", "--release", "--locked", "--manifest-path", join(source, "Cargo.toml")], {
      env: { CARGO_TARGET_DIR: target },
    });
    copyFileSync(join(target, "release", program), join(fresh, program));
    rmSync(target, { recursive: true, force: true });
  });
  return join(folder, program);
}

/**
 * PyTorch (MKL, oneDNN and its own kernels, eager) as an optional peer: `TILEWORK_TORCH_PYTHON` names a Python that can import torch and
 * numpy; it runs `torch_server.py` beside this process.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type ServerPeer, serverPeer } from "./server.ts";

/** Starts PyTorch, where there is one. */
export function torch(python: string): Promise<ServerPeer> {
  const script = fileURLToPath(new URL("./torch_server.py", import.meta.url));
  const command = (threads: number) => ({ program: [python, script, String(threads)], env: { CUDA_VISIBLE_DEVICES: "" } });
  return serverPeer("pytorch", command, (version) => ({ pytorch: version }));
}

/** PyTorch where `TILEWORK_TORCH_PYTHON` names one, for groups that have no other peer. */
export async function torchPeer(): Promise<ServerPeer | undefined> {
  const python = process.env.TILEWORK_TORCH_PYTHON;
  return python ? await torch(python) : undefined;
}

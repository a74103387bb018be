/**
 * PyTorch (MKL, oneDNN and its own kernels, eager) as an optional peer: `TILEWORK_TORCH_PYTHON` names a Python that can import torch and
 * numpy; it runs one of the scripts beside this file as a process of its own.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Prepared, Values } from "../harness.ts";
import type { Peer } from "../problem.ts";
import { type Command, serverPeer, Servers } from "./server.ts";

/** Why there is no PyTorch. */
export const noTorch = "TILEWORK_TORCH_PYTHON names no Python with PyTorch";

function command(python: string, script: string): Command {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return (threads) => ({ program: [python, path, String(threads)], env: { CUDA_VISIBLE_DEVICES: "" } });
}

/** Starts PyTorch as a peer of group `gemm`. */
export function torch(python: string): Promise<Peer> {
  return serverPeer("pytorch", command(python, "torch_server.py"), (version) => ({ pytorch: version }));
}

/** PyTorch for a group that has no other peer. */
export class Torch {
  readonly name = "pytorch";
  #servers: Servers | undefined;
  #version: string | undefined;

  /** One of the scripts beside this file; it starts with the first problem. */
  constructor(script: string) {
    const python = process.env.TILEWORK_TORCH_PYTHON;
    this.#servers = python ? new Servers("pytorch", command(python, script)) : undefined;
  }

  /** A problem on so many threads. Throws an Error that says why, if there is no PyTorch. */
  async prepare(threads: number, question: string, inputs: readonly Values[]): Promise<Prepared> {
    if (!this.#servers) throw new Error(noTorch);
    this.#version = (await this.#servers.for(threads)).greeting;
    return this.#servers.prepare(threads, question, inputs);
  }

  /** What its lines carry besides the figures. */
  get extra(): Record<string, unknown> {
    return this.#version === undefined ? {} : { pytorch: this.#version };
  }

  close(): void {
    this.#servers?.close();
  }
}

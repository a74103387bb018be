/**
 * PyTorch as an optional peer. `TILEWORK_TORCH_PYTHON` names a Python that can import torch; it runs `torch_server.py` beside this
 * process, which times its own calls, so that the pipe between the two costs nothing.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { countAsOwn, type Prepared, type Product, type ProductPeer } from "../harness.ts";

/** Starts PyTorch, where there is one. */
export async function torch(python: string): Promise<ProductPeer> {
  const child = spawn(python, [fileURLToPath(new URL("./torch_server.py", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, CUDA_VISIBLE_DEVICES: "" },
  });
  const lines = createInterface({ input: child.stdout });
  const waiting: { resolve(answer: Record<string, unknown>): void; reject(error: Error): void }[] = [];
  lines.on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)));
  const fail = (why: string) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${python}: ${why}`));
  };
  child.on("error", (error) => fail(error.message));
  child.stdin.on("error", (error) => fail(error.message));
  child.on("exit", (code) => fail(`PyTorch's process ended with status ${code}`));
  const next = () => new Promise<Record<string, unknown>>((resolve, reject) => waiting.push({ resolve, reject }));
  const ask = (question: Record<string, unknown>) => {
    const answer = next();
    child.stdin.write(JSON.stringify(question) + "\n");
    return answer;
  };
  const { torch: version } = await next();
  if (child.pid !== undefined) countAsOwn(child.pid);
  return {
    name: "pytorch",
    extra: { pytorch: version },
    prepare: (product, threads) => prepare(ask, product, threads),
    close: () => child.stdin.end(),
  };
}

async function prepare(
  ask: (question: Record<string, unknown>) => Promise<Record<string, unknown>>,
  product: Product,
  threads: number,
): Promise<Prepared> {
  const { m, n, k, layout } = product;
  const base64 = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
  const { id } = await ask({ op: "prepare", m, n, k, layout, threads, a: base64(product.a), b: base64(product.b) });
  return {
    time: async (calls) => Number((await ask({ op: "time", id, calls })).seconds),
    async result() {
      const bytes = Buffer.from(String((await ask({ op: "result", id })).c), "base64");
      return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    },
    dispose: async () => void await ask({ op: "drop", id }),
  };
}

/**
 * ONNX Runtime (its MLAS kernels) as a peer, by npm's `onnxruntime-node`: a graph of one node whose inputs both arrive at run time,
 * with the output's memory given. The package is installed on demand into the cache folder, without its install script, which
 * would download GPU libraries.
 *
 * @module
 */
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cached, findProgram, runProgram } from "./cache.ts";
import type { Prepared, Product, ProductPeer } from "../harness.ts";

/** The part of the package that is used here. */
interface OnnxRuntime {
  readonly Tensor: new (type: "float32", data: Float32Array, dims: readonly number[]) => OnnxTensor;
  readonly InferenceSession: { create(model: Uint8Array, options: Record<string, unknown>): Promise<Session> };
}
interface OnnxTensor {
  readonly data: Float32Array;
}
interface Session {
  run(feeds: Record<string, OnnxTensor>, fetches: Record<string, OnnxTensor>): Promise<Record<string, OnnxTensor>>;
  release(): Promise<void>;
}

/** Loads ONNX Runtime, installing it first where it is missing. */
export async function onnxruntime(): Promise<ProductPeer> {
  const manifest = fileURLToPath(new URL("./package.json", import.meta.url));
  const version: string = JSON.parse(readFileSync(manifest, "utf8")).dependencies["onnxruntime-node"];
  const folder = await cached(`onnxruntime-${version}`, async (target) => {
    copyFileSync(manifest, join(target, "package.json"));
    const npm = await findProgram(process.platform === "win32" ? "npm.cmd" : "npm");
    if (npm) await runProgram([npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], { cwd: target });
    else if (process.versions.bun) await runProgram([process.execPath, "install", "--ignore-scripts", "--no-save"], { cwd: target });
    else throw new Error("npm is needed to install onnxruntime-node");
  });
  const ort: OnnxRuntime = createRequire(join(folder, "package.json"))("onnxruntime-node");
  return {
    name: "onnxruntime",
    extra: { onnxruntime: version },
    prepare: (product, threads) => prepare(ort, product, threads),
  };
}

async function prepare(ort: OnnxRuntime, product: Product, threads: number): Promise<Prepared> {
  const { m, n, k, layout } = product;
  const shapeA = layout[0] === "T" ? [k, m] : [m, k], shapeB = layout[1] === "T" ? [n, k] : [k, n];
  const flags = { transA: layout[0] === "T" ? 1 : 0, transB: layout[1] === "T" ? 1 : 0 };
  const model = layout === "NN" ? graph("MatMul", shapeA, shapeB, [m, n], {}) : graph("Gemm", shapeA, shapeB, [m, n], flags);
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const feeds = { a: new ort.Tensor("float32", product.a, shapeA), b: new ort.Tensor("float32", product.b, shapeB) };
  const fetches = { y: new ort.Tensor("float32", new Float32Array(m * n), [m, n]) };
  let latest = fetches.y;
  return {
    call: async () => void await session.run(feeds, fetches),
    async time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) latest = (await session.run(feeds, fetches)).y;
      return (performance.now() - start) / 1000;
    },
    result: () => latest.data,
    dispose: () => session.release(),
  };
}

// A model is a protobuf message; of its fields the few that one node needs are written here by hand, under the numbers that
// onnx.proto gives them.

/** An ONNX model of one node `y = op(a, b)` on float32 matrices, with integer attributes. */
function graph(op: string, a: number[], b: number[], y: number[], attributes: Record<string, number>): Uint8Array<ArrayBuffer> {
  const node = [
    ...text(1, "a"),
    ...text(1, "b"),
    ...text(2, "y"),
    ...text(4, op),
    ...Object.entries(attributes).flatMap(([name, value]) => message(5, [...text(1, name), ...integer(3, value), ...integer(20, 2)])),
  ];
  const graph = [...message(1, node), ...text(2, "graph"), ...value(11, "a", a), ...value(11, "b", b), ...value(12, "y", y)];
  const opset = [...text(1, ""), ...integer(2, 17)];
  return new Uint8Array([...integer(1, 8), ...message(8, opset), ...message(7, graph)]);
}

/** A ValueInfoProto: a name with a float32 tensor type of known sizes. */
function value(field: number, name: string, sizes: number[]): number[] {
  const shape = sizes.flatMap((size) => message(1, integer(1, size)));
  return message(field, [...text(1, name), ...message(2, message(1, [...integer(1, 1), ...message(2, shape)]))]);
}

function message(field: number, bytes: number[]): number[] {
  return [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
}

function text(field: number, s: string): number[] {
  return message(field, [...new TextEncoder().encode(s)]);
}

function integer(field: number, n: number): number[] {
  return [...varint(field * 8), ...varint(n)];
}

function varint(n: number): number[] {
  const bytes: number[] = [];
  for (; n > 127; n = Math.floor(n / 128)) bytes.push(n % 128 + 128);
  return [...bytes, n];
}

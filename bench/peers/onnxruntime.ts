/**
 * ONNX Runtime (its MLAS kernels) as a peer, by npm's `onnxruntime-node`: a graph of one node, or a few, whose inputs all arrive at
 * run time, with the outputs' memory given. The package is installed on demand into the cache folder, without its install script, which
 * would download GPU libraries.
 *
 * @module
 */
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Prepared } from "../harness.ts";
import { joined } from "../problem.ts";
import type { Peer, Problem } from "../problem.ts";
import { cached, findProgram, runProgram } from "./cache.ts";
import { alignedFloats } from "./ffi.ts";

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
export async function onnxruntime(): Promise<Peer> {
  const manifest = fileURLToPath(new URL("./package.json", import.meta.url));
  const lock = fileURLToPath(new URL("./package-lock.json", import.meta.url));
  const version: string = JSON.parse(readFileSync(manifest, "utf8")).dependencies["onnxruntime-node"];
  const folder = await cached(`onnxruntime-${version}`, async (target) => {
    copyFileSync(manifest, join(target, "package.json"));
    const npm = await findProgram(process.platform === "win32" ? "npm.cmd" : "npm");
    // The lockfile pins the hash of every package, for Bun too, which reads it where there is no other.
    copyFileSync(lock, join(target, "package-lock.json"));
    if (npm) await runProgram([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: target });
    else if (process.versions.bun) {
      await runProgram([process.execPath, "install", "--ignore-scripts", "--frozen-lockfile"], { cwd: target });
    } else throw new Error("npm is needed to install onnxruntime-node");
  });
  const ort: OnnxRuntime = createRequire(join(folder, "package.json"))("onnxruntime-node");
  return {
    name: "onnxruntime",
    extra: { onnxruntime: version },
    inProcess: true,
    dtypes: ["f32"],
    prepare: (problem, threads) => prepare(ort, problem, threads),
  };
}

async function prepare(ort: OnnxRuntime, problem: Problem, threads: number): Promise<Prepared> {
  const { nodes, inputs, outputs } = graphOf(problem);
  const session = await ort.InferenceSession.create(model(nodes, inputs, outputs), {
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const feeds: Record<string, OnnxTensor> = {}, fetches: Record<string, OnnxTensor> = {};
  Object.entries(inputs).forEach(([name, sizes], index) =>
    feeds[name] = new ort.Tensor("float32", problem.inputs[index] as Float32Array, sizes)
  );
  for (const [name, sizes] of Object.entries(outputs)) {
    fetches[name] = new ort.Tensor("float32", alignedFloats(sizes.reduce((product, size) => product * size, 1)), sizes);
  }
  let latest = fetches;
  return {
    call: async () => void await session.run(feeds, fetches),
    async time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) latest = await session.run(feeds, fetches);
      return (performance.now() - start) / 1000;
    },
    result() {
      const parts = Object.keys(outputs).map((name) => latest[name].data);
      return joined(parts);
    },
    dispose: () => session.release(),
  };
}

type Sizes = Record<string, number[]>;

/** An operator with its inputs, its output and its integer attributes. */
interface Node {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Record<string, number | readonly number[]>;
}

interface Graph {
  readonly nodes: readonly Node[];
  readonly inputs: Sizes;
  readonly outputs: Sizes;
}

/** The operators that compute the problem; inputs in the problem's order. */
function graphOf({ op, m, n, k, batch, layout }: Problem): Graph {
  if (op === "linear_backward") {
    return {
      nodes: [
        { op: "MatMul", inputs: ["dy", "weight"], output: "dx" },
        { op: "Gemm", inputs: ["dy", "x"], output: "dw", attributes: { transA: 1 } },
        { op: "ReduceSum", inputs: ["dy"], output: "db", attributes: { axes: [0], keepdims: 0 } },
      ],
      inputs: { dy: [m, n], x: [m, k], weight: [n, k] },
      outputs: { dx: [m, k], dw: [n, k], db: [n] },
    };
  }
  const [tA, tB] = [layout[0] === "T", layout[1] === "T"];
  const lead = batch === 1 ? [] : [batch];
  const inputs = { a: [...lead, ...(tA ? [k, m] : [m, k])], b: [...lead, ...(tB ? [n, k] : [k, n])] };
  const outputs = { y: [...lead, m, n] };
  if (!tA && !tB) return { nodes: [{ op: "MatMul", inputs: ["a", "b"], output: "y" }], inputs, outputs };
  if (batch === 1) {
    const attributes = { transA: tA ? 1 : 0, transB: tB ? 1 : 0 };
    return { nodes: [{ op: "Gemm", inputs: ["a", "b"], output: "y", attributes }], inputs, outputs };
  }
  // ONNX Runtime fuses a transposition into the product that follows.
  const turned = (name: string): Node => ({ op: "Transpose", inputs: [name], output: `${name}T`, attributes: { perm: [0, 2, 1] } });
  const nodes = [
    ...(tA ? [turned("a")] : []),
    ...(tB ? [turned("b")] : []),
    { op: "MatMul", inputs: [tA ? "aT" : "a", tB ? "bT" : "b"], output: "y" },
  ];
  return { nodes, inputs, outputs };
}

// A model is a protobuf message; of its fields the few that these nodes need are written here by hand, under the numbers that
// onnx.proto gives them.

/** An ONNX model of some nodes on float32 tensors. */
function model(nodes: readonly Node[], inputs: Sizes, outputs: Sizes): Uint8Array<ArrayBuffer> {
  const graph = [
    ...nodes.flatMap((node) => message(1, nodeFields(node))),
    ...text(2, "graph"),
    ...Object.entries(inputs).flatMap(([name, sizes]) => value(11, name, sizes)),
    ...Object.entries(outputs).flatMap(([name, sizes]) => value(12, name, sizes)),
  ];
  const opset = [...text(1, ""), ...integer(2, 12)];
  return new Uint8Array([...integer(1, 7), ...message(8, opset), ...message(7, graph)]);
}

function nodeFields({ op, inputs, output, attributes = {} }: Node): number[] {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...text(2, output),
    ...text(4, op),
    ...Object.entries(attributes).flatMap(([name, set]) => {
      const fields = typeof set === "number"
        ? [...integer(3, set), ...integer(20, 2)]
        : [...set.flatMap((i) => integer(8, i)), ...integer(20, 7)];
      return message(5, [...text(1, name), ...fields]);
    }),
  ];
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

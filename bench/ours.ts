/**
 * This library as a contender: the call that a user writes, with its result written to the same tensors every time.
 *
 * @module
 */
import {
  cpuDevice,
  type Device,
  empty,
  linear,
  linearBackward,
  matmul,
  prepack,
  type Shape,
  type Tensor,
  tensor,
  type Threads,
} from "@tilework/tilework";
import type { Prepared, Values } from "./harness.ts";
import { joined } from "./problem.ts";
import type { Float, LinearBackward, Operand, Problem, Product } from "./problem.ts";

/** This library on so many threads. */
export function prepareOurs(problem: Problem, threads: Threads): Prepared {
  const device = cpuDevice({ threads });
  if (problem.op === "linear_backward") return prepareLinearBackward(device, problem);
  return problem.batch === 1 ? prepareProduct(device, problem) : prepareBatch(device, problem);
}

function prepareProduct(device: Device, { m, n, k, layout, dtype, inputs }: Product): Prepared {
  const transposeA = layout[0] === "T", transposeB = layout[1] === "T";
  const a = tensorOf(device, transposeA ? [k, m] : [m, k], inputs[0]);
  const b = tensorOf(device, transposeB ? [n, k] : [k, n], inputs[1]);
  const out = emptyOf(device, [m, n], dtype);
  if (layout !== "NN") return timed(() => matmul(a, b, { transposeA, transposeB, out }), [out], [a, b]);
  return {
    ...timed(() => matmul(a, b, { out }), [out], [a, b]),
    // The loop that a user would write around a small call: nothing between it and the op.
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) matmul(a, b, { out });
      return (performance.now() - start) / 1000;
    },
  };
}

function prepareBatch(device: Device, { m, n, k, batch, layout, dtype, inputs }: Product): Prepared {
  const transposeA = layout[0] === "T", transposeB = layout[1] === "T";
  const a = tensorOf(device, transposeA ? [batch, k, m] : [batch, m, k], inputs[0]);
  const b = tensorOf(device, transposeB ? [batch, n, k] : [batch, k, n], inputs[1]);
  const out = emptyOf(device, [batch, m, n], dtype);
  return timed(() => matmul(a, b, { transposeA, transposeB, out }), [out], [a, b]);
}

function prepareLinearBackward(device: Device, { m, n, k, dtype, inputs }: LinearBackward): Prepared {
  const dy = tensorOf(device, [m, n], inputs[0]), x = tensorOf(device, [m, k], inputs[1]), weight = tensorOf(device, [n, k], inputs[2]);
  const out = { x: emptyOf(device, [m, k], dtype), weight: emptyOf(device, [n, k], dtype), bias: emptyOf(device, [n], dtype) };
  const accumulate = { bias: false };
  return timed(() => linearBackward(x, { weight }, dy, { out, accumulate }), [out.x, out.weight, out.bias], [dy, x, weight]);
}

/** A linear layer whose weight was packed before: undefined where the problem is none. */
export function preparePrepacked(problem: Problem, threads: Threads): Prepared | undefined {
  if (problem.op !== "product" || problem.layout !== "NT" || problem.batch !== 1) return undefined;
  const { m, n, k, dtype, inputs } = problem;
  const device = cpuDevice({ threads });
  const x = tensorOf(device, [m, k], inputs[0]), plain = tensorOf(device, [n, k], inputs[1]);
  const weight = prepack(plain), out = emptyOf(device, [m, n], dtype);
  return timed(() => linear(x, { weight }, { out }), [out], [x, plain, weight]);
}

/** A problem has one element type; which one, the types of the calls need not know. */
function tensorOf<const S extends Shape>(device: Device, shape: S, values: Operand): Tensor<"f32", S> {
  const made: unknown = values instanceof Float64Array ? tensor(device, shape, values) : tensor(device, shape, values);
  return made as Tensor<"f32", S>;
}

function emptyOf<const S extends Shape>(device: Device, shape: S, dtype: Float): Tensor<"f32", S> {
  return empty(device, shape, dtype as "f32") as unknown as Tensor<"f32", S>;
}

/** A call, the tensors that take its results, and what else it uses. */
function timed(compute: () => unknown, results: readonly Tensor[], inputs: readonly Tensor[]): Prepared {
  return {
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) compute();
      return (performance.now() - start) / 1000;
    },
    call: () => void compute(),
    result() {
      return joined(results.map((result) => result.readSync() as Values)); // all are f32, or all f64
    },
    dispose() {
      for (const used of [...inputs, ...results]) used.dispose();
    },
  };
}

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
  type Tensor,
  tensor,
  type Threads,
} from "@tilework/tilework";
import type { Prepared } from "./harness.ts";
import { joined } from "./problem.ts";
import type { LinearBackward, Problem, Product } from "./problem.ts";

/** This library on so many threads. */
export function prepareOurs(problem: Problem, threads: Threads): Prepared {
  const device = cpuDevice({ threads });
  if (problem.op === "linear_backward") return prepareLinearBackward(device, problem);
  return problem.batch === 1 ? prepareProduct(device, problem) : prepareBatch(device, problem);
}

function prepareProduct(device: Device, { m, n, k, layout, inputs }: Product): Prepared {
  const transposeA = layout[0] === "T", transposeB = layout[1] === "T";
  const a = tensor(device, transposeA ? [k, m] : [m, k], inputs[0]);
  const b = tensor(device, transposeB ? [n, k] : [k, n], inputs[1]);
  const out = empty(device, [m, n]);
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

function prepareBatch(device: Device, { m, n, k, batch, layout, inputs }: Product): Prepared {
  const transposeA = layout[0] === "T", transposeB = layout[1] === "T";
  const a = tensor(device, transposeA ? [batch, k, m] : [batch, m, k], inputs[0]);
  const b = tensor(device, transposeB ? [batch, n, k] : [batch, k, n], inputs[1]);
  const out = empty(device, [batch, m, n]);
  return timed(() => matmul(a, b, { transposeA, transposeB, out }), [out], [a, b]);
}

function prepareLinearBackward(device: Device, { m, n, k, inputs }: LinearBackward): Prepared {
  const dy = tensor(device, [m, n], inputs[0]), x = tensor(device, [m, k], inputs[1]), weight = tensor(device, [n, k], inputs[2]);
  const out = { x: empty(device, [m, k]), weight: empty(device, [n, k]), bias: empty(device, [n]) };
  const accumulate = { bias: false };
  return timed(() => linearBackward(x, { weight }, dy, { out, accumulate }), [out.x, out.weight, out.bias], [dy, x, weight]);
}

/** A linear layer whose weight was packed before: undefined where the problem is none. */
export function preparePrepacked(problem: Problem, threads: Threads): Prepared | undefined {
  if (problem.op !== "product" || problem.layout !== "NT" || problem.batch !== 1) return undefined;
  const { m, n, k, inputs } = problem;
  const device = cpuDevice({ threads });
  const x = tensor(device, [m, k], inputs[0]), plain = tensor(device, [n, k], inputs[1]);
  const weight = prepack(plain), out = empty(device, [m, n]);
  return timed(() => linear(x, { weight }, { out }), [out], [x, plain, weight]);
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
      const parts = results.map((result) => result.readSync() as Float32Array); // all are f32
      return joined(parts);
    },
    dispose() {
      for (const used of [...inputs, ...results]) used.dispose();
    },
  };
}

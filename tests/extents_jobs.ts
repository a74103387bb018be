/**
 * The jobs of extents_test.ts: every function of the package with axes of no elements, alone and beside axes of 2^40, whose product is
 * still nothing. The first argument is what is done with each call, the second the device, the third the element type.
 */

import assert from "node:assert/strict";
import process from "node:process";
import * as api from "../mod.ts";
import { type Device, explain, type Float, scope, type Shape, sum, Tensor, UnsupportedError, valueAndGrad } from "../mod.ts";
import { numbers } from "./harness.ts";
import { doJobs, type Job } from "./jobs.ts";
import { type Case, cases, type InputName, type Inputs, makeInput, shapes, type Sizes } from "./op_cases.ts";

type Axis = keyof Sizes;
type Scalar = Tensor<"f32", []>;

const huge = 2 ** 40;
/** More elements than a test makes. */
const elementsMax = 2 ** 20;

const some = <T>(x: T) => x as never; // shapes that the compiler does not know here
const variant = (run: Case["run"], holds?: Case["holds"]): Case => ({ run, steps: [], ...holds === undefined ? {} : { holds } });
const scores = (n: Sizes) => [[n.batch, n.heads, n.length, n.length]];

/** Functions that do other things with other arguments. */
const variants: Record<string, Case> = {
  "attention() of few neighbours": variant(({ q }) => api.attention(some(q), some(q), some(q), { window: 2 })),
  "attention() with a mask": variant(
    ({ q }, device, n = distinct) => api.attention(some(q), some(q), some(q), { mask: some(api.zeros(device, [1, n.length])) }),
    (n) => [[n.length]],
  ),
  "attention() with shared keys": variant(
    ({ q }, device, n = distinct) => {
      const keys = some<Tensor>(api.zeros(device, [n.batch, 1, n.length, n.width]));
      return api.attention(some(q), keys, keys);
    },
    (n) => [[n.batch, n.length, n.width]],
  ),
  "categorical() with limits": variant(({ a }, device) => api.random(device, 1).categorical(some(a), { topK: 3, topP: 0.5 })),
  "concat() along axis 2": variant(({ q }) => api.sum(api.concat([q, some(q)], 2))),
  "copy() of another order": variant(({ q }) => api.copy(api.transpose(q, some([3, 1, 0, 2])))),
  "layerNorm() of a sum": variant(({ a, b, norm }) => api.layerNorm(a, { weight: some(norm) }, { residual: some(b) })),
  "linear() by a prepacked weight": variant(({ a, weight }) => {
    using packed = api.prepack(weight);
    return api.linear(a, some({ weight: packed }));
  }),
  "linear() without bias": variant(({ a, weight }) => api.linear(a, some({ weight }))),
  "linearBackward() without bias": variant(({ a, weight, dy }) => api.linearBackward(a, some({ weight }), some(dy))),
  "linearCrossEntropy() without bias": variant(
    ({ a, weight, ids }) => api.linearCrossEntropy(a, some({ weight }), some(ids)),
    (n) => [[n.rows, n.outs]],
  ),
  "matmul() of few columns": variant(({ a, weight }) => api.matmul(a, some(weight), some({ transposeB: true, alpha: 2 }))),
  "matmul() of few columns, a transposed": variant(({ dy, a }) => api.matmul(dy, some(a), some({ transposeA: true }))),
  "matmulList() by one weight": variant(({ a, b, weight }) => api.matmulList([a, b, a], some(weight), some({ transposeB: true }))),
  "matmul() of batches": variant(({ q }) => api.matmul(q, some(q), some({ transposeB: true })), scores),
  "matmul() of batches, a transposed": variant(({ q }) => api.matmul(q, some(q), some({ transposeA: true }))),
  "matmul() of batches by one matrix": variant(
    ({ q }, device, n = distinct) => api.matmul(q, some(api.zeros(device, [n.width, n.length])), some({ alpha: 2 })),
    (n) => [...scores(n), [n.width, n.length]],
  ),
  "mean() of all": variant(({ q }) => api.mul(api.mean(q), some(api.zeros(q.device, [])))),
  "muon() of many matrices": variant(({ experts }) => {
    const p = { experts: api.copy(experts) };
    using optimizer = api.muon(p);
    optimizer.step(p, some({ experts }), 0.1);
    return p.experts;
  }),
  "rotary() with positions": variant(
    ({ q }, device, n = distinct) => api.rotary(some(q), { positions: some(api.zeros(device, [n.length], "u32")) }),
    (n) => [[n.length]],
  ),
  "softmax() of what comes before": variant(({ q }) => api.softmax(q, some({ causal: true }))),
  "sum() along axis 1": variant(({ q }) => api.sum(q, some({ axis: 1 }))),
  "sum() along the last axis": variant(({ q }) => api.sum(q, some({ axis: -1 }))),
};
const tried: Record<string, Case> = { ...Object.fromEntries(Object.entries(cases).map(([name, of]) => [`${name}()`, of])), ...variants };

/** Sizes that tell from a result's sizes which axes it has. */
const distinct: Sizes = {
  ...{ rows: 41, cols: 26, outs: 19, batch: 5, heads: 7, length: 12, width: 22, groups: 30, slots: 2, tall: 71, narrow: 29 },
};

/** What a size of a result is made of: the function of `Sizes` that gives it, or that number itself. */
function termOf(size: number): (n: Sizes) => number {
  const axes = Object.keys(distinct) as Axis[];
  const terms: ((n: Sizes) => number)[] = [
    ...axes.map((axis) => (n: Sizes) => n[axis]),
    (n) => n.cols + 1,
    (n) => n.groups + 1,
    (n) => n.rows * n.slots,
    (n) => n.rows * n.cols,
    (n) => n.length + 5,
    (n) => Math.floor(n.rows / 2),
    (n) => Math.floor(n.cols / 2),
  ];
  return terms.find((term) => term(distinct) === size) ?? (() => size);
}

const elements = (shape: Shape) => shape.includes(0) ? 0 : shape.reduce((count, size) => count * size, 1);

/** The tensors in a value, in their order. */
function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(tensorsIn) : [];
}

const [way, on, dtype] = process.argv.slice(2) as [string, string, Float];

/** The inputs of a case, each made when it is asked for, and the names of those that were. */
function lazyInputs(device: Device, n: Sizes, given: Record<string, Tensor> = {}, of: Float = dtype) {
  const made: Record<string, Tensor> = { ...given };
  const inputs = new Proxy({} as Inputs, {
    get: (_, name: InputName) => made[name] ??= makeInput(name, device, of, n),
  });
  return { inputs, made };
}

/** What a case looks like at distinct sizes: its inputs, the axes that it depends on, and the shapes of its results by the sizes. */
interface Form {
  inputs: InputName[];
  axes: Axis[];
  results: ((n: Sizes) => number[])[];
}

function formOf(name: string): Form {
  return scope(() => {
    const { inputs, made } = lazyInputs(api.cpu, distinct, {}, "f32");
    const read = new Set<Axis>();
    const n = new Proxy(distinct, {
      get(target, axis: Axis) {
        read.add(axis);
        return target[axis];
      },
    });
    const results = tensorsIn(tried[name]!.run(inputs, api.cpu, n)).map(({ shape }) => {
      const terms = shape.map(termOf);
      return (n: Sizes) => terms.map((term) => term(n));
    });
    const names = Object.keys(made) as InputName[];
    const shapesAt = (n: Sizes) => JSON.stringify(names.map((input) => shapes(n)[input]));
    const moves = (axis: Axis) => shapesAt(distinct) !== shapesAt({ ...distinct, [axis]: distinct[axis] + 2 });
    return { inputs: names, axes: (Object.keys(distinct) as Axis[]).filter((axis) => read.has(axis) || moves(axis)), results };
  });
}

/** Sizes of a case of which some are 0 and the others small or huge, in every combination in which all tensors can be made. */
function* extentsOf({ axes, inputs, results }: Form, holds: Case["holds"]): Generator<Sizes> {
  for (let combination = 0; combination < 3 ** axes.length; combination++) {
    const n = { ...distinct };
    axes.forEach((axis, i) => n[axis] = [distinct[axis], 0, huge][Math.floor(combination / 3 ** i) % 3]!);
    if (axes.every((axis) => n[axis] > 0)) continue;
    const made = [...inputs.map((input) => shapes(n)[input]), ...results.map((shape) => shape(n)), ...holds?.(n) ?? []];
    if (made.every((shape) => elements(shape) <= elementsMax)) yield n;
  }
}

/** Whether an error is one of the package's own, in its own words. */
function isOurs(error: unknown): boolean {
  const typed = error instanceof TypeError || error instanceof RangeError || error instanceof UnsupportedError;
  return typed && /^\w+: /.test(error.message);
}

/** The sizes with which a case cannot be done, since what it is asked for does not exist. It has to say so. */
const refused: Record<string, (n: Sizes) => boolean> = {
  ...both("crossEntropy", (n) => n.cols === 0 && n.rows > 0),
  ...both("linearCrossEntropy", (n) => n.outs === 0 && n.rows > 0),
  ...both("embedding", (n) => n.outs === 0 && n.rows > 0),
  ...both("groupedLinear", (n) => n.rows > 0 && (n.groups === 0 || n.rows === huge)), // offsets of so many rows are not made
  ...both("route", (n) => n.slots === 0 || n.slots > n.cols || n.cols === huge),
  ...both("rotary", (n) => n.length === huge || n.width === huge), // positions and widths of 32 bits
  "expertOrder()": (n) => n.cols === 0 && n.rows * n.slots > 0,
  "moe()": (n) => n.slots === 0 || n.slots === huge,
  "random()": (n) => n.cols === 0 && n.rows > 0,
  "categorical() with limits": (n) => n.cols === 0 && n.rows > 0,
  "linearCrossEntropy() without bias": (n) => n.outs === 0 && n.rows > 0,
  "rotary() with positions": (n) => n.width === huge,
};

function both(name: string, when: (n: Sizes) => boolean) {
  return { [`${name}()`]: when, [`${name}Backward()`]: when };
}

/** Calls that a GPU does all the same: it does not look at ids, and what they lead to is NaN. */
const unseen = ["embedding()", "embeddingBackward()"];

/** What is not the sum of nothing: results that biases, tokens and random numbers fill. Others have to be 0. */
const filled: Record<string, (n: Sizes, results: readonly number[][]) => boolean> = {
  "linear()": (n, [y]) => y!.every((value, i) => near(value, numbers(n.outs, 5)[i % n.outs]!)),
  "groupedLinear()": (n, [y]) => y!.length === n.rows * n.outs && y!.every((value) => value !== 0),
  "linearBackward()": (_, [dx, dw, db]) => [...dx!, ...dw!].every((value) => value === 0) && db!.every((value) => value !== 0),
  "groupedLinearBackward()": (_, [dx, dw]) => [...dx!, ...dw!].every((value) => value === 0),
  // By the biases alone.
  "linearCrossEntropy()": (_, [loss]) => loss![0]! > 0,
  "linearCrossEntropyBackward()": (_, [dx, dw, db]) => [...dx!, ...dw!].every((value) => value === 0) && Math.abs(total(db!)) < 1e-6,
  "linearCrossEntropy() without bias": (n, [loss]) => near(loss![0]!, Math.log(n.outs)),
  "categorical() with limits": () => true,
  "clipFactor()": (n, [norm, factor]) =>
    near(factor![0]!, 1 / Math.max(1, norm![0]!)) && (norm![0] === 0) === (n.rows * n.cols + n.tall * n.narrow === 0),
  "mean()": (_, [y]) => y!.every(Number.isNaN), // 0/0, as elsewhere
  "mean() of all": (_, [y]) => Number.isNaN(y![0]),
  "moe()": (_, [y]) => y!.every((value) => value === 0),
  "random()": () => true,
};

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const near = (a: number, b: number) => Math.abs(a - b) < 1e-5;

/** The inputs that a gradient may flow into. */
function floatsOf({ inputs }: Form): InputName[] {
  const whole = ["ids", "offsets", "choices", "starts", "order", "places", "fourScalars", "fiveScalars", "scalars"];
  return inputs.filter((input) => !whole.includes(input));
}

/** The sum of all floats in a value, for a loss. */
function lossOf(value: unknown, device: Device): Scalar {
  let all = api.zeros(device, [], dtype) as Scalar;
  for (const x of tensorsIn(value)) if (x.dtype === dtype) all = api.add(all, sum(x as never) as Scalar);
  return all;
}

/** What is done with a call. */
const ways: Record<string, (name: string, device: Device, n: Sizes, form: Form) => Tensor[]> = {
  forward: (name, device, n) => tensorsIn(tried[name]!.run(lazyInputs(device, n).inputs, device, n)),
  explained: (name, device, n) => {
    const { inputs } = lazyInputs(device, n);
    let results: Tensor[] = [];
    explain(() => results = tensorsIn(tried[name]!.run(inputs, device, n)));
    return results;
  },
  backward: (name, device, n, form) => {
    const { inputs, made } = lazyInputs(device, n);
    for (const input of form.inputs) inputs[input];
    const floats = Object.fromEntries(floatsOf(form).map((input) => [input, made[input]!]));
    const loss = (p: Record<string, Tensor>) =>
      lossOf(tried[name]!.run(lazyInputs(device, n, { ...made, ...p }).inputs, device, n), device);
    const { grads } = valueAndGrad(loss)(floats);
    return Object.values(grads as Record<string, Tensor>);
  },
};

function* jobs(device: Device): Generator<Job> {
  for (const name of Object.keys(tried)) {
    const form = formOf(name);
    for (const n of extentsOf(form, tried[name]!.holds)) {
      const text = form.axes.map((axis) => `${axis} ${n[axis] === huge ? "2^40" : n[axis]}`).join(", ");
      yield { name: `${name} ${way} in ${dtype} on ${on}, ${text}`, run: () => scope(() => void checkCase(name, device, n, form)) };
    }
  }
}

function checkCase(name: string, device: Device, n: Sizes, form: Form): void {
  const isRefused = refused[name]?.(n) ?? false;
  let results: Tensor[];
  try {
    results = ways[way]!(name, device, n, form);
  } catch (error) {
    // What works in place, makes constants or nothing of floats has no place in a loss, and says so.
    const outside = way === "backward" &&
      /while gradients are recorded|inside a loss|does not depend on|outside the loss/.test((error as Error).message);
    // A shader counts in 32 bits.
    const tooLong = device.isGpu && error instanceof UnsupportedError && form.axes.some((axis) => n[axis] === huge);
    const single = dtype === "f64" && /\bf64\b/.test((error as Error).message); // what is made for f32 alone says so
    if (isOurs(error) && (isRefused || outside || tooLong || single)) return;
    throw error;
  }
  // Labels are looked at when something is computed on the CPU, sizes always.
  if (isRefused && way === "forward" && !(device.isGpu && unseen.includes(name))) throw new Error("was not refused");
  const shapesWanted = way === "backward" ? floatsOf(form).map((input) => shapes(n)[input]) : form.results.map((shape) => shape(n));
  assert.deepEqual(results.map(({ shape }) => [...shape]), shapesWanted);
  if (way === "explained" || isRefused) return;
  const values = results.map((x) => [...x.readSync()]);
  if (way === "backward") {
    assert.ok(values.flat().every(Number.isFinite) || name.startsWith("mean()"), `gradients ${JSON.stringify(values)}`);
  } else if (values.flat().some((value) => value !== 0)) assert.ok(filled[name]?.(n, values), `results ${JSON.stringify(values)}`);
}

const device = on === "cpu"
  ? api.cpuDevice({ tuning: { cores: 8, gemvParallelBytes: 0, parallelThreshold: 0 } })
  : await api.vulkan({ name: on });
await doJobs(jobs(device));

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Case, describe, gemmCases } from "../bench/gemm_cases.ts";
import { choose } from "../bench/filter.ts";
import { type GemmResults, summaryLines } from "../bench/gemm_summary.ts";
import { gpuCases } from "../bench/gpu_cases.ts";
import { matched } from "../bench/step_profile.ts";
import { demandRight, fault, Judge, whole, WrongResultError } from "../bench/judge.ts";
import { makeProblem, type Problem, reference } from "../bench/problem.ts";

/** The result by definition. */
function compute(problem: Problem): Float32Array | Float64Array {
  const { m, n, k } = problem;
  const Values = (problem.dtype === "f32" ? Float32Array : Float64Array) as Float32ArrayConstructor; // which are called alike
  const product = (rows: number, columns: number, depth: number, term: (i: number, j: number, q: number) => number) =>
    Values.from({ length: rows * columns }, (_, at) => {
      let sum = 0;
      for (let q = 0; q < depth; q++) sum += term(Math.floor(at / columns), at % columns, q);
      return sum;
    });
  if (problem.op === "linear_backward") {
    const [dy, x, weight] = problem.inputs;
    const dx = product(m, k, n, (i, j, q) => dy[i * n + q] * weight[q * k + j]);
    const dw = product(n, k, m, (i, j, q) => dy[q * n + i] * x[q * k + j]);
    const db = product(1, n, m, (_, j, q) => dy[q * n + j]);
    return Values.from([...dx, ...dw, ...db]);
  }
  const { batch, layout, inputs: [a, b] } = problem;
  return Values.from(
    Array.from({ length: batch }, (_, p) => {
      const at = (i: number, q: number) => a[p * m * k + (layout[0] === "T" ? q * m + i : i * k + q)];
      const bt = (q: number, j: number) => b[p * k * n + (layout[1] === "T" ? j * k + q : q * n + j)];
      return [...product(m, n, k, (i, j, q) => at(i, q) * bt(q, j))];
    }).flat(),
  );
}

const problems = [
  makeProblem({ op: "product", m: 7, n: 9, k: 300, batch: 1, layout: "NN" }),
  makeProblem({ op: "product", m: 5, n: 6, k: 4, batch: 3, layout: "NT" }),
  makeProblem({ op: "product", m: 1, n: 40, k: 33, batch: 1, layout: "TN" }),
  makeProblem({ op: "linear_backward", m: 3, n: 11, k: 13, batch: 1, layout: "NT" }),
  makeProblem({ op: "product", m: 7, n: 9, k: 300, batch: 1, layout: "TN", dtype: "f64" }),
  makeProblem({ op: "linear_backward", m: 3, n: 11, k: 13, batch: 1, layout: "NT", dtype: "f64" }),
];
const ours = { name: "ours" }, peer = { name: "other", peer: true };

test("right results of every kind of problem pass", () => {
  for (const problem of problems) {
    const right = compute(problem), judge = new Judge(reference(problem), "a case");
    assert.equal(judge.look(ours, right), undefined);
    assert.equal(judge.look(peer, right), undefined);
  }
});

test("a wrong result of a peer is reported in any entry, and one of this library's is an error", () => {
  for (const problem of problems) {
    const right = compute(problem), little = problem.dtype === "f32" ? 1e-3 : 1e-10;
    for (const at of right.keys()) {
      const wrong = right.slice();
      wrong[at] += little;
      const judge = new Judge(reference(problem), "a case");
      assert.equal(judge.look(ours, right), undefined);
      assert.match(judge.look(peer, wrong)!, /^entry .* is .*, by definition .*: off by .* of the largest near by, allowed /);
      // Where no sample looks it is found beside another one's.
      assert.throws(() => {
        const judge = new Judge(reference(problem), "a case");
        judge.look(ours, wrong);
        judge.look(peer, right);
      }, WrongResultError);
    }
    const last = right.slice(), none = right.slice(), judge = new Judge(reference(problem), "a case");
    last[last.length - 1] += little;
    none[1] = NaN;
    assert.throws(() => new Judge(reference(problem), "a case").look(ours, last), /^WrongResultError: a case: ours: entry /);
    judge.look(ours, right);
    assert.match(judge.look(peer, none)!, /^entry .* is NaN, by definition /);
    assert.match(judge.look(peer, right.slice(1))!, /results instead of/);
  }
});

test("a result of f64 is held against sums of twice its precision", () => {
  // 1 + 2^-80 - 1: a sum in f64 loses what is left.
  const problem = makeProblem({ op: "product", m: 1, n: 1, k: 3, batch: 1, layout: "NN", dtype: "f64" });
  problem.inputs[0].set([1, 2 ** -40, -1]);
  problem.inputs[1].set([1, 2 ** -40, 1]);
  assert.equal(reference(problem).wanted(0, 0), 2 ** -80);
});

test("a result that is known whole may differ by rounding, and not by more, however small beside far ones, and holds no NaN", () => {
  const wanted = Float32Array.from({ length: 10000 }, (_, i) => i < 5000 ? 1000 : 1), known = whole(wanted);
  demandRight("one", wanted.map((v) => v * (1 + 5e-6)), known);
  const small = wanted.slice(), none = wanted.slice();
  small[9999] += 1e-4;
  none[0] = NaN;
  assert.throws(
    () => demandRight("one", small, known),
    /^WrongResultError: one: entry 9999 is 1\.0001.*, by definition 1: off by 1\.0e-4 /,
  );
  assert.throws(() => demandRight("one", none, known), /^WrongResultError: one: entry 0 is NaN, by definition 1000: allowed 1\.0e-5$/);
  assert.equal(fault(wanted.subarray(1), known), "9999 results instead of 10000");
});

test("cases of a GPU are told apart by their descriptions, and each has work to do", () => {
  for (const sizes of [{ tiny: true, elements: 1 << 14 }, { tiny: false, elements: 1 << 20 }, { tiny: false, elements: 1 << 26 }]) {
    const all = gpuCases(sizes), names = all.map(({ op, layout, shape }) => `${op} ${layout} ${shape}`);
    assert.equal(new Set(names).size, all.length, names.join(", "));
    for (const { op, work } of all) assert.ok(Number.isSafeInteger(work) && work > 0, op);
  }
});

test("gemm cases are told apart by their descriptions, and chosen by a part of it", () => {
  const all = gemmCases({ tiny: false, long: true });
  assert.equal(new Set(all.map(describe)).size, all.length);
  const chosen = (text: string) => gemmCases({ tiny: false, long: false, wants: (about) => about.includes(text) }).map(describe);
  assert.deepEqual(chosen("TN 512x768x768"), ["projection TN 512x768x768"]);
  assert.deepEqual(chosen("square-4096"), []);
});

const groups = { gemm: { tags: [] }, rows: { tags: ["training"] }, demo: { tags: ["training"] } };

test("a filter takes groups, what a tag names, and single cases of either", () => {
  const chosen = (filter?: string) =>
    choose(filter, groups).chosen.map(({ group, wants }) => `${group}:${["softmax 4x7", "gelu 4x7", "step"].filter(wants)}`);
  assert.deepEqual(chosen(), ["gemm", "rows", "demo"].map((name) => `${name}:softmax 4x7,gelu 4x7,step`));
  assert.deepEqual(chosen("demo,gemm"), ["gemm", "demo"].map((name) => `${name}:softmax 4x7,gelu 4x7,step`));
  assert.deepEqual(chosen("training"), ["rows", "demo"].map((name) => `${name}:softmax 4x7,gelu 4x7,step`));
  assert.deepEqual(chosen("rows/softmax 4,rows/gelu"), ["rows:softmax 4x7,gelu 4x7"]);
  assert.deepEqual(chosen("training/step,rows/gelu"), ["rows:gelu 4x7,step", "demo:step"]);
});

test("a filter that names no group is refused, and one that no case answers is told", () => {
  assert.throws(() => choose("row", groups), /^RangeError: --filter row: no group is called row; there are gemm, rows, demo, training$/);
  const { chosen, unmet } = choose("training/step,rows/sofmax,gemm", groups);
  assert.deepEqual(unmet(), ["training/step", "rows/sofmax", "gemm"]);
  for (const { group, wants } of chosen) wants(group === "demo" ? "step" : "softmax 4x7");
  assert.deepEqual(unmet(), ["rows/sofmax"]);
});

const square = (size: number): Case => ({
  ...{ name: `square-${size}`, kind: "square", layout: "NN", dtype: "f32", m: size, n: size, k: size, batch: 1, long: false },
});

/** Results against two peers, of which `far` lives in another process. */
function results(rates: GemmResults["rates"]): GemmResults {
  const prepare = () => ({ time: () => 0 }), dtypes = ["f32"] as const;
  const present = [{ name: "near", extra: {}, inProcess: true, dtypes, prepare }, {
    name: "far",
    extra: {},
    inProcess: false,
    dtypes,
    prepare,
  }];
  return { peers: { present, missing: [], peak: undefined }, rates, calls: [], busy: [] };
}

function figures(all: GemmResults): Record<string, [number | null, unknown]> {
  return Object.fromEntries([...summaryLines("gemm", all)].map((line) => [`${line.case}, ${line.threads}`, [line.ours, line.holds]]));
}

test("the summary takes the best peer of each case, geometric means, and the worst case", () => {
  const ratios = (near: number, far: number) => new Map([["near", near], ["far", far]]);
  const found = figures(results([
    { case: square(64), threads: 1, rate: 1, ratios: ratios(4, 1) },
    { case: square(256), threads: 1, rate: 1, ratios: ratios(1, 4), share: 0.93 },
    { case: square(512), threads: 1, rate: 1, ratios: ratios(2, 0.96), share: 0.91 },
    { case: square(512), threads: 2, rate: 1, ratios: ratios(2, 3), share: 0.95, scaling: 0.98, auto: 0.9 },
  ]));
  assert.deepEqual(found, {
    "worst case over the best peer, 1": [0.96, false],
    "mean over the best peer of each case, 1": [0.9865, false], // 0.96^⅓
    "worst case over the best peer called by FFI, 1": [1, true],
    "mean over the best peer called by FFI, 1": [2, true], // (4 · 1 · 2)^⅓
    "mean over near, 1": [2, true],
    "mean over far, 1": [1.566, true], // (1 · 4 · 0.96)^⅓
    "share of the multiply-add peak from 256³ up, 1": [0.91, false],
    "worst case over the best peer, 2": [2, true],
    "mean over the best peer of each case, 2": [2, true],
    "worst case over the best peer called by FFI, 2": [2, true],
    "mean over the best peer called by FFI, 2": [2, true],
    "mean over near, 2": [2, true],
    "mean over far, 2": [3, true],
    "share of the multiply-add peak from 256³ up, 2": [0.95, true],
    "scaling over the loop's from 512³ up, 2": [0.98, true],
    "auto over the better of serial and all, 2": [0.9, false],
  });
});

test("the summary holds the times of small calls against their bars from above", () => {
  const calls = [{ size: 16, nanoseconds: 299, overKernel: 0 }, { size: 32, nanoseconds: 900, overKernel: 251 }];
  assert.deepEqual(figures({ ...results([]), calls }), {
    "whole call at 16³, 1": [299, true],
    "call at 32³ beside its kernel, 1": [251, false],
  });
});

test("each call that was foretold gets its time, a commit's counts for the call before it, and the rest is kept apart", () => {
  const calls = [["tw_tensor_new", 1], ["tw_add", 2], ["tw_tensor_free", 4], ["tw_scale_by", 8], ["tw_together_commit", 16], [
    "tw_fill",
    32,
  ]];
  const noted = calls.map(([name, ms]) => ({ name: name as string, began: 0, ms: ms as number }));
  assert.deepEqual(matched(noted, [{ name: "tw_add" }, { name: "tw_scale_by" }]), { ops: [2, 24], rest: [1, 4, 32] });
  assert.throws(
    () => matched(noted, [{ name: "tw_scale_by" }, { name: "tw_add" }]),
    /^Error: explain foretells tw_add as call 1, which was not made$/,
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { adamW, clipByGlobalNorm, cpu, memory, scope, tensor } from "../mod.ts";
import { assertClose } from "./harness.ts";

test("adamW() steps as the formula says: three steps with decay", () => {
  const params = { p: tensor(cpu, [1, 1], [1]) };
  using optimizer = adamW(params, { weightDecay: 0.01 });
  const wanted = [0.9899, 0.9871376, 0.9836346];
  [0.5, -0.25, 0.125].forEach((g, i) => {
    using grad = tensor(cpu, [1, 1], [g]);
    assert.equal(optimizer.step(params, { p: grad }, 0.01), 0);
    assertClose(params.p.readSync(), [wanted[i]!], 1e-6);
  });
  assert.equal(optimizer.state.step.itemSync(), 3);
  assertClose(optimizer.state.m.p.readSync(), [0.0305], 1e-6);
  assertClose(optimizer.state.v.p.readSync(), [3.275628e-4], 1e-6);
  params.p.dispose();
});

test("eps stands outside the root and after the correction; decay is neither in the gradient nor corrected", () => {
  const tiny = { p: tensor(cpu, [1, 1], [1]) };
  using a = adamW(tiny, { weightDecay: 0 });
  using g = tensor(cpu, [1, 1], [1e-8]);
  a.step(tiny, { p: g }, 1e-3);
  assertClose(tiny.p.readSync(), [0.9995], 1e-7);
  const still = { p: tensor(cpu, [1, 1], [2]) };
  using b = adamW(still, { weightDecay: 0.1 });
  using zero = tensor(cpu, [1, 1], [0]);
  b.step(still, { p: zero }, 0.01);
  assertClose(still.p.readSync(), [1.998], 1e-6);
});

test("vectors do not decay unless they are told to", () => {
  const params = { matrix: tensor(cpu, [1, 1], [1]), vector: tensor(cpu, [1], [1]) };
  const grads = { matrix: tensor(cpu, [1, 1], [0]), vector: tensor(cpu, [1], [0]) };
  using usual = adamW(params, { weightDecay: 0.5 });
  usual.step(params, grads, 0.1);
  assertClose([params.matrix.itemSync(), params.vector.itemSync()], [0.95, 1], 1e-6);
  using all = adamW(params, { weightDecay: 0.5, decays: () => true });
  all.step(params, grads, 0.1);
  assertClose(params.vector.readSync(), [0.95], 1e-6);
});

test("a NaN gradient spoils its own element alone, or nothing with skipNonFinite", () => {
  const params = { p: tensor(cpu, [8], new Array<number>(8).fill(1)) };
  using g = tensor(cpu, [8], [1, 1, 1, NaN, 1, 1, 1, 1]);
  using careful = adamW(params, { skipNonFinite: true });
  assert.equal(careful.step(params, { p: g }, 0.01), 1);
  assert.deepEqual([...params.p.readSync()], new Array(8).fill(1));
  assert.equal(careful.state.step.itemSync(), 0);
  assert.deepEqual([...careful.state.m.p.readSync()], new Array(8).fill(0));
  using usual = adamW(params);
  assert.equal(usual.step(params, { p: g }, 0.01), 0);
  assert.deepEqual([...params.p.readSync()].map(Number.isNaN), [0, 0, 0, 1, 0, 0, 0, 0].map(Boolean));
});

test("adamW() names what does not fit and leaves everything as it was", () => {
  const params = { deep: [{ w: tensor(cpu, [2, 2], [1, 2, 3, 4]) }] };
  using optimizer = adamW(params);
  const wrong = tensor(cpu, [2], [1, 2]), good = tensor(cpu, [2, 2], [1, 1, 1, 1]);
  assert.throws(() => optimizer.step(params, { deep: [{ w: wrong }] } as never, 0.1), { name: "RangeError", message: /deep\.0\.w/ });
  assert.throws(() => optimizer.step(params, { deep: [] } as never, 0.1), { name: "TypeError", message: /deep\.0\.w/ });
  assert.throws(() => optimizer.step(params, { deep: [{ w: good }] }, NaN), {
    name: "RangeError",
    message: /rate must be finite, got NaN/,
  });
  assert.throws(() => adamW(params, { betas: [1, 0.9] }), {
    name: "RangeError",
    message: /betas\[0\] must be a number from 0 to below 1, got 1/,
  });
  assert.throws(() => adamW({ w: tensor(cpu, [1], new Float64Array(1)) } as never), {
    name: "TypeError",
    message: /params\.w is f64, must be f32/,
  });
  assert.deepEqual([...params.deep[0]!.w.readSync()], [1, 2, 3, 4]);
  assert.equal(optimizer.state.step.itemSync(), 0);
});

test("clipByGlobalNorm() scales all gradients by one factor and returns the norm before", () => {
  const grads = { a: tensor(cpu, [1], [3]), b: { c: tensor(cpu, [2], [0, 4]) } };
  using norm = clipByGlobalNorm(grads, 1);
  assert.equal(norm.itemSync(), 5);
  assertClose([...grads.a.readSync(), ...grads.b.c.readSync()], [0.6, 0, 0.8], 1e-6);
  using again = clipByGlobalNorm(grads, 10);
  assertClose(again.readSync(), [1], 1e-6);
  assertClose(grads.a.readSync(), [0.6], 1e-6);
});

test("a norm that is not finite is returned, and the gradients stay", () => {
  const grads = { g: tensor(cpu, [2], [Infinity, 1]) };
  using norm = clipByGlobalNorm(grads, 1);
  assert.equal(norm.itemSync(), Infinity);
  assert.deepEqual([...grads.g.readSync()], [Infinity, 1]);
  assert.throws(() => clipByGlobalNorm(grads, 0), { name: "RangeError", message: /limit must be positive, got 0/ });
  assert.throws(() => clipByGlobalNorm({ a: grads.g, b: grads.g }, 1), /same tensor/);
});

test("steps hold no memory", () => {
  const params = { w: tensor(cpu, [4, 4], new Array<number>(16).fill(1)) };
  using optimizer = adamW(params);
  const step = () =>
    scope(() => {
      const g = { w: tensor(cpu, [4, 4], new Array<number>(16).fill(0.5)) };
      clipByGlobalNorm(g, 1);
      optimizer.step(params, g, 1e-3);
    });
  step();
  const before = memory();
  for (let i = 0; i < 100; i++) step();
  const after = memory();
  // Not equal: what other test files left behind is freed when Deno ends their threads, at any moment.
  assert.ok(after.tensors <= before.tensors && after.bytes <= before.bytes, `${JSON.stringify(before)} became ${JSON.stringify(after)}`);
});

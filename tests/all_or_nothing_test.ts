// A call in place that fails has changed nothing, whichever of its allocations it is that fails: those of tensors, of a call's lists, of a GPU's memory alike.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accumulate,
  adamW,
  axpby,
  clipByGlobalNorm,
  copy,
  cpu,
  type Device,
  ema,
  lion,
  matmul,
  memory,
  mul,
  muon,
  type Optimizer,
  OutOfMemoryError,
  scaleBy,
  scope,
  sgd,
  slice,
  sum,
  type Tensor,
  tensor,
  treeLeaves,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { native } from "../ffi/library.ts";
import { gpuTest } from "./gpu_harness.ts";
import { randomTensor } from "./harness.ts";

type Params = { wide: Tensor<"f32">; tall: Tensor<"f32">; stack: Tensor<"f32">; bias: Tensor<"f32"> };

const shapes = { wide: [3, 5], tall: [40, 30], stack: [2, 4, 4], bias: [7] };

const tree = (device: Device, seed: number): Params =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, randomTensor(shape, "f32", seed + i, device)])) as Params; // of those keys

const bits = (trees: unknown): Uint8Array[] =>
  treeLeaves(trees as Params).map(([, x]) => {
    const data = x.readSync();
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  });

/**
 * Runs `call` with its n-th allocation failing, for n = 1, 2 and so on until it succeeds: `state` is as before after each failure, and changed after the success.
 * Returns how many allocations there were.
 */
function failing(what: string, state: () => unknown, call: () => void): number {
  const before = bits(state());
  for (let n = 1; n < 10_000; n++) {
    native.tw_memory_fail(n);
    let failed = true;
    try {
      call();
      failed = false;
    } catch (error) {
      assert.ok(error instanceof OutOfMemoryError, `${what}, allocation ${n}: ${error}`);
    } finally {
      native.tw_memory_fail(0);
    }
    const after = bits(state());
    if (!failed) {
      assert.notDeepEqual(after, before, `${what} changed nothing`);
      return n - 1;
    }
    assert.deepEqual(after, before, `${what}: allocation ${n} failed, and something has changed`);
  }
  return assert.fail(`${what} never succeeds`);
}

const optimizers: Record<string, (params: Params) => Optimizer<Params>> = {
  adamW: (p) => adamW(p),
  "adamW that skips": (p) => adamW(p, { skipNonFinite: true }),
  "sgd without momentum": (p) => sgd(p, { momentum: 0 }),
  sgd: (p) => sgd(p, { nesterov: true }),
  lion: (p) => lion(p),
  muon: (p) => muon(p),
  "muon without nesterov, that skips": (p) => muon(p, { nesterov: false, skipNonFinite: true }),
};

function steps(device: Device): void {
  for (const [name, make] of Object.entries(optimizers)) {
    scope(() => {
      const params = tree(device, 1), grads = tree(device, 20);
      // A gradient that a step copies first.
      const whole = randomTensor([40, 60], "f32", 30, device);
      grads.tall = slice(whole, 1, 0, 30);
      using optimizer = make(params);
      optimizer.step(params, grads, 0.01);
      const count = failing(name, () => ({ params, state: optimizer.state }), () => optimizer.step(params, grads, 0.01));
      assert.ok(count > 2, `${name}: ${count} allocations`);
      // The steps that failed leave no trace: a twin without them has the same bits.
      const twin = tree(device, 1);
      using other = make(twin);
      for (let t = 0; t < 2; t++) other.step(twin, grads, 0.01);
      assert.deepEqual(bits({ params, state: optimizer.state }), bits({ params: twin, state: other.state }), name);
    });
  }
}

test("a step of any optimizer that runs out of memory, at any allocation, has changed nothing", () => steps(cpu));

gpuTest("on a GPU a step that runs out of memory, at any allocation, has changed nothing", (gpu) => steps(gpu));

function others(device: Device): void {
  scope(() => {
    const grads = tree(device, 1), whole = randomTensor([9, 9], "f32", 9, device);
    const clipped = { ...grads, column: slice(whole, 1, 2, 3), other: slice(whole, 1, 4, 5) };
    failing("clipByGlobalNorm", () => ({ grads, whole }), () => scope(() => clipByGlobalNorm(clipped as never, 1)));
    using factor = tensor(device, [], [0.5]);
    failing("scaleBy", () => ({ grads, whole }), () => scaleBy(Object.values(clipped) as Tensor<"f32">[], factor));
    const more = tree(device, 10);
    failing("axpby", () => grads, () => axpby(Object.values(grads), Object.values(more)));
    using mean = ema(grads);
    failing("ema", () => mean.average, () => mean.update(more));
  });
}

test("clipping, scaling, sums and averages in place that run out of memory have changed nothing", () => others(cpu));

gpuTest("on a GPU clipping, scaling, sums and averages in place that run out of memory have changed nothing", (gpu) => others(gpu));

test("accumulate() over trees of both element types changes all or nothing", () => {
  scope(() => {
    const whole = randomTensor([8, 6], "f64", 1);
    const into = { a: zeros(cpu, [4]), b: zeros(cpu, [8, 3], "f64") };
    const grads = { a: randomTensor([4], "f32", 2), b: slice(whole, 1, 0, 3) };
    failing("accumulate", () => into, () => accumulate(into as never, grads as never));
    assert.deepEqual(into.b.readSync(), copy(grads.b).readSync());
  });
});

test("valueAndGrad() that runs out of memory holds none, and works again", () => {
  scope(() => {
    const params = { w: randomTensor([5, 5], "f32", 1), v: randomTensor([5, 5], "f32", 2) };
    const step = valueAndGrad((p: typeof params) =>
      sum(mul(matmul(p.w as never, p.v as never) as Tensor<"f32">, p.w)) as Tensor<"f32", []>
    );
    const wanted = bits(step(params).grads), before = memory().tensors;
    let failures = 0;
    for (;; failures++) {
      native.tw_memory_fail(failures + 1);
      try {
        using result = step(params);
        native.tw_memory_fail(0);
        assert.deepEqual(bits(result.grads), wanted);
        break;
      } catch (error) {
        native.tw_memory_fail(0);
        assert.ok(error instanceof OutOfMemoryError, String(error));
        assert.ok(memory().tensors <= before, `allocation ${failures + 1} left ${memory().tensors - before} tensors`);
      }
    }
    assert.ok(failures > 4, `${failures} allocations`);
  });
});

test("a step that state.step cannot count is refused before anything changes", () => {
  for (const [name, make] of Object.entries(optimizers)) {
    scope(() => {
      const params = tree(cpu, 1), grads = tree(cpu, 20);
      using optimizer = make(params);
      optimizer.step(params, grads, 0.01);
      const { step } = (optimizer as Optimizer<Params, { step: Tensor<"u32", []> }>).state;
      step.write([2 ** 32 - 2]);
      optimizer.step(params, grads, 0.01);
      assert.equal(step.itemSync(), 2 ** 32 - 1, name);
      const before = bits({ params, state: optimizer.state });
      assert.throws(() => optimizer.step(params, grads, 0.01), {
        name: "RangeError",
        message: /state\.step is 4294967295, the most that it counts; nothing was changed$/,
      });
      assert.deepEqual(bits({ params, state: optimizer.state }), before, name);
    });
  }
});

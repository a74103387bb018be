import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  accumulate,
  adamW,
  clipByGlobalNorm,
  copy,
  cpu,
  type Device,
  ema,
  full,
  lion,
  load,
  matmul,
  memory,
  mul,
  muon,
  type Optimizer,
  save,
  scale,
  scope,
  sgd,
  slice,
  sum,
  Tensor,
  tensor,
  treeLeaves,
  treeMap,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { assertAsOnCpu, gpuTest } from "./gpu_harness.ts";
import { assertClose, assertSameBits, devices, numbers, randomTensor } from "./harness.ts";

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

// ── Against PyTorch: tests/torch/optimizers.py has recorded the values ────────────────────────────────────────────────────────────────────

type Tree = Record<string, Tensor<"f32">>;
type Numbers = Record<string, number[]>;

const recorded = JSON.parse(readFileSync(new URL("./torch/optimizers.json", import.meta.url), "utf8")) as {
  shapes: Numbers;
  start: Numbers;
  gradients: Numbers[];
  cases: Record<string, Record<string, Numbers>>;
  "muon in bfloat16": Record<string, Numbers>;
  clip: { limit: number; norm: number; gradients: Numbers };
};

const treeOf = (values: Numbers, names = Object.keys(values)): Tree =>
  Object.fromEntries(names.map((name) => [name, tensor(cpu, [...recorded.shapes[name]!], values[name]!) as unknown as Tensor<"f32">])); // sizes are not known

/** Takes the recorded steps, and compares the parameters wherever the record has them. */
function compare(
  wanted: Record<string, Numbers>,
  make: (params: Tree) => (grads: Tree) => Tree,
  tolerance: number,
  names?: string[],
): void {
  scope(() => {
    const step = make(treeOf(recorded.start, names));
    recorded.gradients.forEach((grads, i) => {
      const now = step(treeOf(grads, names)), expected = wanted[i + 1];
      for (const [name, x] of expected === undefined ? [] : Object.entries(now)) {
        assertClose(x.readSync(), expected![name]!, tolerance, `${name}, step ${i + 1}`);
      }
    });
  });
}

const stepping = (make: (params: Tree) => Optimizer<Tree>, rate: number) => (params: Tree) => {
  const optimizer = make(params);
  return (grads: Tree) => {
    optimizer.step(params, grads, rate);
    return params;
  };
};

test("ten steps of every optimizer end where PyTorch's do", () => {
  // Ten steps in f32 against f64: some ulps each.
  const few = 1e-6;
  const { cases } = recorded;
  compare(cases.adamW!, stepping((p) => adamW(p, { betas: [0.9, 0.95], weightDecay: 0.1 }), 0.01), few);
  compare(cases.sgd!, stepping((p) => sgd(p, { momentum: 0 }), 0.05), few);
  compare(cases["sgd momentum"]!, stepping((p) => sgd(p, { momentum: 0.9, weightDecay: 0.1 }), 0.05), few);
  compare(cases["sgd nesterov"]!, stepping((p) => sgd(p, { momentum: 0.8, nesterov: true, weightDecay: 0.1 }), 0.05), few);
  // A small singular value is multiplied by 3.4445⁵ = 485, and its rounding with it; a step is a hundredth of the parameters.
  compare(cases["muon rms"]!, stepping((p) => muon(p, { weightDecay: 0.1 }), 0.01), 1e-5);
  const jordan = { momentum: 0.9, nesterov: false, weightDecay: 0, scale: "shape", adam: { rate: 0.05 } } as const;
  compare(cases["muon shape"]!, stepping((p) => muon(p, jordan), 0.02), 1e-5);
});

test("ten steps of Muon end near those of PyTorch, whose iteration is in bfloat16", () => {
  // Ten steps of 0.02: what bfloat16 loses of each, up to a tenth.
  compare(recorded["muon in bfloat16"], stepping((p) => muon(p, { weightDecay: 0, scale: "shape" }), 0.02), 0.02, [
    "wide",
    "tall",
    "square",
  ]);
});

test("a moving average and clipping end where PyTorch's do", () => {
  compare(recorded.cases.ema!, (params) => {
    const mean = ema(params, { decay: 0.9 });
    return (now) => (mean.update(now), mean.average);
  }, 1e-6);
  scope(() => {
    const grads = treeOf(recorded.gradients[0]!), { limit, norm, gradients } = recorded.clip;
    assertClose(clipByGlobalNorm(grads, limit).readSync(), [norm], 1e-7);
    for (const [name, g] of Object.entries(grads)) assertClose(g.readSync(), gradients[name]!, 1e-6, name);
  });
});

// ── What all optimizers have in common ────────────────────────────────────────────────────────────────────────────────────────────────────

const kinds: Record<string, (params: Tree) => Optimizer<Tree>> = {
  adamW: (p) => adamW(p, { skipNonFinite: true }),
  "sgd without momentum": (p) => sgd(p, { momentum: 0, skipNonFinite: true }),
  sgd: (p) => sgd(p, { skipNonFinite: true }),
  lion: (p) => lion(p, { skipNonFinite: true }),
  muon: (p) => muon(p, { skipNonFinite: true }),
};

const values = (tree: unknown): number[] => treeLeaves(tree as Tree).flatMap(([, x]) => [...x.readSync()]);

for (const [name, make] of Object.entries(kinds)) {
  test(`${name}: a run that was saved and resumed ends in the same bits`, async () => {
    const file = join(tmpdir(), `tilework-${crypto.randomUUID()}.safetensors`);
    const grads = recorded.gradients.map((g) => treeOf(g));
    const straight = treeOf(recorded.start), first = treeOf(recorded.start), second = treeOf(recorded.gradients[5]!);
    using a = make(straight), b = make(first), c = make(second);
    for (const g of grads) a.step(straight, g, 0.01);
    for (const g of grads.slice(0, 4)) b.step(first, g, 0.01);
    await save(file, { params: first, optimizer: b.state });
    await load(file, { params: second, optimizer: c.state });
    for (const g of grads.slice(4)) c.step(second, g, 0.01);
    await rm(file);
    assertSameBits(values({ second, state: c.state }), values({ straight, state: a.state }));
    for (const tree of [straight, first, second, ...grads]) for (const x of Object.values(tree)) x.dispose();
  });

  test(`${name}: the order of keys, strided gradients and the number of workers change no bit`, () => {
    const results = devices().map((device, i) =>
      scope(() => {
        const w = randomTensor([40, 30], "f32", 1, device), bias = randomTensor([30], "f32", 2, device);
        const whole = randomTensor([40, 60], "f32", 3, device), left = slice(whole, 1, 0, 30), gb = randomTensor([30], "f32", 4, device);
        const optimizer = make({ w, bias });
        for (let t = 0; t < 3; t++) {
          if (i % 2 === 0) optimizer.step({ w, bias }, { w: copy(left), bias: gb }, 0.1);
          else optimizer.step({ bias, w }, { bias: gb, w: left }, 0.1);
        }
        const all = values({ w, bias, state: optimizer.state });
        optimizer[Symbol.dispose]();
        return all;
      })
    );
    for (const r of results) assertSameBits(r, results[0]!);
  });

  test(`${name}: what does not fit, and a gradient that is not finite, leave everything as it was`, () => {
    scope(() => {
      const params = treeOf(recorded.start), good = treeOf(recorded.gradients[0]!);
      using optimizer = make(params);
      optimizer.step(params, good, 0.01);
      const before = values({ params, state: optimizer.state });
      const nan = treeOf(recorded.gradients[1]!);
      nan.vector!.write([1, NaN, 1, 1, 1]);
      assert.equal(optimizer.step(params, nan, 0.01), 1);
      const { vector: _, ...rest } = good;
      assert.throws(() => optimizer.step(params, rest, 0.01), {
        name: "TypeError",
        message: /params\.vector has no counterpart in grads/,
      });
      assert.throws(() => optimizer.step(rest, rest, 0.01), { name: "TypeError", message: /state\.vector has no counterpart in params/ });
      assert.throws(() => optimizer.step(params, { ...good, vector: params.vector! }, 0.01), { name: "TypeError" });
      const twice = { ...params, square: params.vector! };
      assert.throws(() => optimizer.step(twice, good, 0.01), {
        name: "RangeError",
        message: /params\.square is \[5\], state\.square is \[4, 4\]/,
      });
      assert.throws(() => optimizer.step(params, good, Infinity), { name: "RangeError", message: /rate must be finite/ });
      assert.throws(
        () => valueAndGrad((p: Tree) => (optimizer.step(params, good, 0.01), sum(mul(p.wide!, p.wide! as never))))(params),
        { name: "TypeError", message: /works in place/ },
      );
      assertSameBits(values({ params, state: optimizer.state }), before);
      assert.equal(optimizer.step(params, good, 0.01), 0);
    });
  });

  test(`${name}: making, stepping and disposing holds no memory`, () => {
    scope(() => {
      const params = treeOf(recorded.start), grads = treeOf(recorded.gradients[0]!);
      const before = memory();
      const optimizer = make(params);
      for (let i = 0; i < 3; i++) optimizer.step(params, grads, 0.01);
      optimizer[Symbol.dispose]();
      assert.ok(memory().tensors <= before.tensors && memory().bytes <= before.bytes);
    });
  });
}

test("settings are checked, and named", () => {
  const params = { w: zeros(cpu, [2, 2]), b: zeros(cpu, [2]) };
  const fails = (f: () => unknown, message: RegExp) => assert.throws(f, message);
  fails(() => sgd(params, { momentum: 1 }), /^RangeError: sgd: momentum must be a number from 0 to below 1, got 1$/);
  fails(() => sgd(params, { momentum: 0, nesterov: true }), /^TypeError: sgd: nesterov needs a momentum above 0$/);
  fails(() => lion(params, { betas: [0.9, -1] }), /^RangeError: lion: betas\[1\] must be a number from 0 to below 1, got -1$/);
  fails(() => lion(params, { weightDecay: NaN }), /^RangeError: lion: weightDecay must be a number from 0, got NaN$/);
  fails(() => muon(params, { scale: "mean" as never }), /^TypeError: muon: scale must be "rms" or "shape"/);
  fails(() => muon(params, { matrices: () => true }), /^TypeError: muon: params\.b is \[2\], no matrix$/);
  fails(() => muon(params, { adam: { betas: [2, 0] } }), /^RangeError: muon: adam\.betas\[0\] must be a number from 0 to below 1, got 2$/);
  fails(() => ema(params, { decay: 1 }), /^RangeError: ema: decay must be a number from 0 to below 1, got 1$/);
  fails(() => sgd({}), /^TypeError: sgd: params hold no tensor$/);
});

test("muon() makes steps nearly orthogonal, of each matrix of a stack as of that matrix alone", () => {
  scope(() => {
    for (const shape of [[5, 12], [12, 5], [8, 8], [1, 6], [6, 1], [1, 1]]) {
      const stack = randomTensor([3, ...shape], "f32", 1), none = randomTensor([0, ...shape], "f32", 1);
      const params = { stack: zeros(cpu, [3, ...shape]), none: zeros(cpu, [0, ...shape]) };
      using optimizer = muon(params, { scale: "shape", weightDecay: 0 });
      optimizer.step(params, { stack, none } as never, 1);
      const [rows, columns] = shape as [number, number], factor = Math.sqrt(Math.max(1, rows / columns));
      for (let i = 0; i < 3; i++) {
        const one = { w: zeros(cpu, shape) },
          part = tensor(cpu, shape, stack.readSync().slice(i * rows * columns, (i + 1) * rows * columns));
        using alone = muon(one, { scale: "shape", weightDecay: 0 });
        alone.step(one as never, { w: part } as never, 1);
        const w = one.w.readSync();
        assertSameBits(params.stack.readSync().slice(i * rows * columns, (i + 1) * rows * columns), w, String(shape));
        // The shorter side's products of the step with itself: near to those of an orthogonal matrix, singular values from 0.68 to 1.2.
        const step = tensor(cpu, shape, w.map((x) => x / factor)) as never;
        const square = (rows <= columns
          ? matmul(step, step, { transposeB: true } as never)
          : matmul(step, step, { transposeA: true } as never)) as Tensor;
        const trace = [...square.readSync()].filter((_, k) =>
          k % (square.shape[0]! + 1) === 0
        ).reduce((x, y) => x + y, 0) / square.shape[0]!;
        assert.ok(trace > 0.4 && trace < 1.5, `${shape}: mean of the squared singular values ${trace}`);
      }
    }
  });
});

/** Of the gradient [1, 2, 3, -1, 0.5, 2], the same for any scale of it. */
const oneStepOfMuon = [-0.525, -0.481, -0.437, 0.857, 0.141, -0.576];

function muonAtScale(device: Device, size: number): void {
  scope(() => {
    const params = { w: zeros(device, [2, 3]), stack: zeros(device, [2, 3, 2]) };
    const g = [1, 2, 3, -1, 0.5, 2].map((x) => x * size), turned = [0, 3, 1, 4, 2, 5].map((i) => g[i]!);
    // The second matrix of the stack has no gradient at all: it stays.
    const grads = { w: tensor(device, [2, 3], g), stack: tensor(device, [2, 3, 2], [...turned, 0, 0, 0, 0, 0, 0]) };
    using optimizer = muon(params, { weightDecay: 0, scale: "shape", nesterov: false });
    optimizer.step(params, grads, 1);
    assertClose(params.w.readSync(), oneStepOfMuon, 1e-3, `${device.name}, gradients of ${size}`);
    const factor = Math.sqrt(3 / 2), stepped = [0, 3, 1, 4, 2, 5].map((i) => factor * oneStepOfMuon[i]!);
    assertClose(params.stack.readSync(), [...stepped, 0, 0, 0, 0, 0, 0], 2e-3, `${device.name}, a stack of gradients of ${size}`);
  });
}

const muonSizes = Array.from({ length: 31 }, (_, i) => 10 ** (2 * i - 30));

test("muon() makes the same step for gradients of any size, and none for zeros", () => {
  for (const size of [...muonSizes, 1e-37, 5e37]) muonAtScale(cpu, size);
});

gpuTest("muon() makes the same step for gradients of any size on a GPU too", (gpu) => {
  for (const size of [...muonSizes, 1e-36, 1e37]) muonAtScale(gpu, size);
});

function skipsOnlyWhatIsNotFinite(device: Device): void {
  for (const make of Object.values(kinds)) {
    for (const [size, skipped] of [[1e20, 0], [3e38, 0], [1e-30, 0], [0, 0], [Infinity, 1], [-Infinity, 1], [NaN, 1]] as const) {
      scope(() => {
        const params = { w: full(device, [2, 3], 1), v: full(device, [5], 1) } as unknown as Tree; // sizes are not known
        using optimizer = make(params);
        const grads = { w: full(device, [2, 3], 1), v: full(device, [5], size) } as unknown as Tree; // as above
        assert.equal(optimizer.step(params, grads, 0.01), skipped, `${size} on ${device.name}`);
      });
    }
  }
}

test("skipNonFinite skips what is not finite, and nothing else", () => skipsOnlyWhatIsNotFinite(cpu));

gpuTest("skipNonFinite skips what is not finite on a GPU, and nothing else", (gpu) => skipsOnlyWhatIsNotFinite(gpu));

function adamWOfHugeGradients(device: Device): void {
  for (const size of [1e18, 1e20, -3e38]) {
    scope(() => {
      const params = { p: full(device, [3], 1) };
      using optimizer = adamW(params, { weightDecay: 0, skipNonFinite: true });
      for (let t = 1; t <= 3; t++) {
        assert.equal(optimizer.step(params, { p: full(device, [3], size) }, 0.01), 0);
        assertClose(params.p.readSync(), new Array<number>(3).fill(1 - Math.sign(size) * 0.01 * t), 1e-5, `${size}, step ${t}`);
      }
    });
  }
}

test("adamW() steps by its rate where the square of a gradient overflows", () => adamWOfHugeGradients(cpu));

gpuTest("adamW() steps by its rate where the square of a gradient overflows on a GPU", (gpu) => adamWOfHugeGradients(gpu));

test("muon() steps by AdamW what is no matrix to it", () => {
  scope(() => {
    const params = treeOf(recorded.start), twin = treeOf(recorded.start), grads = treeOf(recorded.gradients[0]!);
    using a = muon(params, { matrices: (path) => path === "wide", adam: { rate: 2, betas: [0.8, 0.9] } }),
      b = adamW(twin, { betas: [0.8, 0.9] });
    a.step(params, grads, 0.01);
    b.step(twin, grads, 0.02);
    // The matrices decay by the same 0.01 of the rate that each optimizer has.
    for (const name of ["tall", "square", "vector"]) assertSameBits(params[name]!.readSync(), twin[name]!.readSync(), name);
    assert.notDeepEqual(params.wide!.readSync(), twin.wide!.readSync());
    assert.deepEqual(Object.entries(a.state as { m: Tree }).map(([key]) => key), ["momentum", "m", "v", "step"]);
  });
});

test("each optimizer finds the minimum of a quadratic", () => {
  const target = numbers(12, 7);
  const rates: Record<string, number> = { adamW: 0.05, "sgd without momentum": 0.2, sgd: 0.05, lion: 0.01, muon: 0.05 };
  for (const [name, make] of Object.entries(kinds)) {
    scope(() => {
      const params = { w: randomTensor([3, 4], "f32", 1) } as Tree;
      using optimizer = make(params);
      for (let t = 0; t < 600; t++) {
        const w = params.w!.readSync();
        optimizer.step(
          params,
          { w: tensor(cpu, [3, 4], w.map((x, i) => x - target[i]!)) as unknown as Tensor<"f32"> },
          rates[name]! * (1 - t / 600),
        );
      }
      assertClose(params.w!.readSync(), target, 0.03, name);
    });
  }
});

// ── Sums and averages of trees ────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("accumulate() over parts gives the gradient of the whole batch", () => {
  scope(() => {
    const params = { w: randomTensor([3, 4], "f64", 1), deep: [{ b: tensor(cpu, [1, 4], [1, 2, 3, 4]) }] };
    const x = randomTensor([8, 3], "f64", 2);
    const f = valueAndGrad((p: typeof params, part: Tensor<"f64">) =>
      sum(matmul(part as never, p.w as never) as Tensor<"f64">) as Tensor<"f64", []>
    );
    const total = treeMap(params, (t) => zeros(cpu, [...t.shape], t.dtype) as Tensor);
    const half = { w: params.w };
    const g = valueAndGrad((p: typeof half, part: Tensor<"f64">) =>
      sum(matmul(part as never, p.w as never) as Tensor<"f64">) as Tensor<"f64", []>
    );
    assert.throws(() => f(params, x), /never used params\.deep\.0\.b/);
    for (let i = 0; i < 4; i++) accumulate({ w: total.w }, g(half, slice(x, 0, 2 * i, 2 * i + 2) as never).grads, { weight: 0.25 });
    const whole = g(half, x).grads.w;
    assertClose(total.w.readSync(), whole.readSync().map((v) => v / 4), 1e-14);
    // Trees of both element types, and of another order of keys.
    const ones = treeMap(
      params,
      (t) => tensor(cpu, [...t.shape], new Array<number>(t.size).fill(1), { dtype: t.dtype as "f32" }) as unknown as Tensor,
    );
    accumulate(total, { deep: ones.deep, w: ones.w });
    assert.deepEqual([...total.deep[0]!.b.readSync()], [1, 1, 1, 1]);
    assertClose(total.w.readSync(), whole.readSync().map((v) => v / 4 + 1), 1e-14);
  });
});

test("accumulate() and ema() name what does not fit, and leave everything as it was", () => {
  scope(() => {
    const into = { a: tensor(cpu, [2], [1, 2]), b: { c: tensor(cpu, [1], [3]) } };
    const fails = (f: () => unknown, message: RegExp) => assert.throws(f, message);
    fails(() => accumulate(into, { a: into.a } as never), /accumulate: into\.b\.c has no counterpart in grads/);
    fails(() => accumulate(into, { a: into.b.c, b: into.b } as never), /accumulate: grads\.a is \[1\], into\.a is \[2\]/);
    fails(() => accumulate(into, into), /accumulate: into\.\w+ and grads\.\w+ (are the same tensor|share their memory)/);
    fails(() => accumulate({ i: zeros(cpu, [1], "u32") }, { i: zeros(cpu, [1], "u32") }), /accumulate: into\.i is u32, must be f32 or f64/);
    fails(
      () => valueAndGrad((p: { a: typeof into.a }) => (accumulate({ a: into.a }, { a: into.a }), sum(p.a)))({ a: into.a }),
      /works in place/,
    );
    using mean = ema(into);
    fails(() => mean.update({ a: into.a } as never), /ema: average\.b\.c has no counterpart in params/);
    fails(() => ema({ w: zeros(cpu, [1], "f64") }), /ema: params\.w is f64, must be f32/);
    assert.deepEqual([values(into), values(mean.average)], [[1, 2, 3], [1, 2, 3]]);
  });
});

test("ema() is resumed from a checkpoint, does not drift, and is freed", async () => {
  const file = join(tmpdir(), `tilework-${crypto.randomUUID()}.safetensors`);
  const before = memory().tensors;
  const params = { w: tensor(cpu, [3], [0.1, 0.2, 0.3]) };
  const a = ema(params, { decay: 0.99 }), b = ema(params, { decay: 0.99 });
  for (let i = 0; i < 50; i++) a.update(params);
  assertSameBits(values(a.average), values(params));
  params.w.write([1, 2, 3]);
  a.update(params);
  await save(file, { average: a.average });
  await load(file, { average: b.average });
  for (const mean of [a, b]) mean.update(params);
  assertSameBits(values(a.average), values(b.average));
  assertClose(values(a.average), [0.1, 0.2, 0.3].map((x, i) => x * 0.99 ** 2 + (i + 1) * (1 - 0.99 ** 2)), 1e-6);
  await rm(file);
  for (const x of [a, b]) x[Symbol.dispose]();
  params.w.dispose();
  assert.ok(memory().tensors <= before); // what earlier tests forgot may be freed at any moment
});

gpuTest("muon() on a GPU reads nothing back, takes gradients of any size, and steps as on the CPU", (gpu) => {
  const { readSync } = Tensor.prototype;
  for (const size of [1e-2, 1, 1e6]) {
    assertAsOnCpu(gpu, `gradients of ${size}`, (device) => {
      const params = { tall: randomTensor([33, 17], "f32", 1, device), stack: randomTensor([2, 5, 8], "f32", 2, device) };
      using optimizer = muon(params as never, { weightDecay: 0.1 }) as Optimizer<never, object>;
      let reads = 0;
      for (let t = 0; t < 3; t++) {
        const grads = { tall: randomTensor([33, 17], "f32", 5 + t, device), stack: randomTensor([2, 5, 8], "f32", 9 + t, device) };
        for (const g of Object.values(grads)) scale(g, size, { out: g });
        // The first step looks at the count that a checkpoint may have brought.
        if (t > 0) {
          Tensor.prototype.readSync = function (this: Tensor) {
            if (this.device.isGpu) reads++;
            return readSync.call(this) as never;
          };
        }
        try {
          optimizer.step(params as never, grads as never, 1e-2);
        } finally {
          Tensor.prototype.readSync = readSync;
        }
      }
      assert.equal(reads, 0);
      return params as Record<string, Tensor>;
    }, 1e-5);
  }
  const zero = { w: tensor(gpu, [2, 2], [1, 2, 3, 4]) };
  using optimizer = muon(zero, { weightDecay: 0 });
  optimizer.step(zero, { w: tensor(gpu, [2, 2], [0, 0, 0, 0]) }, 0.1);
  assert.deepEqual([...zero.w.readSync()], [1, 2, 3, 4]);
});

gpuTest("optimizers: steps on a GPU are those of the CPU, within rounding, and the count of steps is not read back", (gpu) => {
  const shapes: Record<string, number[]> = { w: [33, 17], b: [17], one: [1], none: [0] };
  const tree = (device: Device, place: number) =>
    Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, randomTensor(shape, "f32", place + i, device)]));
  const optimizers = {
    adamW: (params: Record<string, Tensor>) => adamW(params as never, { betas: [0.9, 0.999], weightDecay: 0.1 }),
    lion: (params: Record<string, Tensor>) => lion(params as never, { weightDecay: 0.1 }),
    plain: (params: Record<string, Tensor>) => sgd(params as never, { momentum: 0, weightDecay: 0.1 }),
    momentum: (params: Record<string, Tensor>) => sgd(params as never, { momentum: 0.9 }),
    nesterov: (params: Record<string, Tensor>) => sgd(params as never, { momentum: 0.9, nesterov: true, weightDecay: 0.1 }),
  };
  for (const [name, make] of Object.entries(optimizers)) {
    assertAsOnCpu(gpu, name, (device) => {
      const params = tree(device, 1);
      using optimizer = make(params as Record<string, Tensor>) as Optimizer<never, object>;
      for (let t = 0; t < 3; t++) {
        const copies = device === gpu ? gpu.statistics().copies : 0;
        const grads = tree(device, 10 * t + 20);
        optimizer.step(params as never, grads as never, 1e-2);
        // Four gradients, the step's numbers and its count go there; nothing comes back but the first look at the count.
        if (device === gpu) assert.ok(gpu.statistics().copies - copies <= (t === 0 ? 8 : 6), `${name}: copies of step ${t}`);
      }
      return params as Record<string, Tensor>;
    });
  }
  assertAsOnCpu(gpu, "clip, accumulate and ema", (device) => {
    const grads = tree(device, 1), more = tree(device, 7), kept = tree(device, 9);
    accumulate(grads as never, more as never);
    using average = ema(kept as never, { decay: 0.9 }), quick = ema(kept as never, { decay: 0.3 });
    average.update(grads as never);
    quick.update(more as never);
    const norm = clipByGlobalNorm(grads as never, 0.5), small = clipByGlobalNorm(more as never, 1e6);
    return {
      ...(grads as Record<string, Tensor>),
      norm,
      small,
      average: copy((average.average as typeof kept).w!),
      quick: copy((quick.average as typeof kept).w!),
    };
  });
  assertAsOnCpu(gpu, "clip of what is not finite", (device) => {
    const x = tensor(device, [3], [1, NaN, 2]);
    return { norm: clipByGlobalNorm({ x }, 1) as Tensor, x: x as Tensor };
  });
});

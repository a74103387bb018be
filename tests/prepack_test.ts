import assert from "node:assert/strict";
import { test } from "node:test";
import {
  adamW,
  clipByGlobalNorm,
  copy,
  cpu,
  cpuDevice,
  type DType,
  explain,
  keep,
  linear,
  linearBackward,
  matmul,
  matmulList,
  memory,
  mul,
  prepack,
  Prepacked,
  reshape,
  scope,
  slice,
  sum,
  type Tensor,
  tensor,
  transpose,
  valueAndGrad,
} from "../mod.ts";
import { gpuTest } from "./gpu_harness.ts";
import { assertGradients, assertSameBits, devices, numbers, randomTensor } from "./harness.ts";

test("prepack() changes no bit: linear() and matmul(), any number of rows and workers, around tiles and depth blocks", () => {
  for (const dtype of ["f32", "f64"] as const) {
    for (const [out, inner] of [[1, 1], [33, 300], [70, 17], [5, 0], [0, 5]] as const) {
      for (const device of devices()) {
        using weight = randomTensor([out, inner], dtype, 1, device);
        using fast = prepack(weight);
        using turned = prepack(transpose(weight), { transpose: false });
        using bias = randomTensor([out], dtype, 2, device);
        for (const rows of [0, 1, 2, 15, 70]) {
          using x = randomTensor([rows, inner], dtype, 3, device);
          using want = linear(x, { weight, bias } as never) as Tensor;
          using got = linear(x, { weight: fast, bias } as never) as Tensor; // sizes are not known
          assertSameBits(got.readSync(), want.readSync(), `${dtype} ${rows} × [${out}, ${inner}] on ${device.name}`);
          using product = matmul(x, fast as never, { transposeB: true, bias: bias as never, epilogue: "relu", alpha: 0.5 });
          using plain = matmul(x, weight as never, { transposeB: true, bias: bias as never, epilogue: "relu", alpha: 0.5 });
          assertSameBits(product.readSync(), plain.readSync());
          using straight = matmul(x, turned as never, { bias: bias as never, epilogue: "relu", alpha: 0.5 });
          assertSameBits(straight.readSync(), plain.readSync());
        }
      }
    }
  }
});

test("a prepacked weight takes inputs of any rank, a vector, transposed and strided ones", () => {
  using weight = tensor(cpu, [5, 4], numbers(20, 1));
  using fast = prepack(weight);
  using x = tensor(cpu, [2, 3, 4], numbers(24, 2));
  assertSameBits(linear(x, { weight: fast }).readSync(), linear(x, { weight }).readSync());
  assertSameBits(matmul(x, fast, { transposeB: true }).readSync(), matmul(x, weight, { transposeB: true }).readSync());
  using vector = tensor(cpu, [4], numbers(4, 3));
  assertSameBits(linear(vector, { weight: fast }).readSync(), linear(vector, { weight }).readSync());
  using a = tensor(cpu, [4, 6], numbers(24, 4));
  const options = { transposeA: true, transposeB: true };
  assertSameBits(matmul(a, fast, options).readSync(), matmul(a, weight, options).readSync());
  const cut = slice(slice(x, 2, 0, 4), 1, 0, 2);
  assertSameBits(linear(cut, { weight: fast }).readSync(), linear(copy(cut), { weight }).readSync());
  using out = tensor(cpu, [3, 5], numbers(15, 5)), same = copy(out);
  using rows = tensor(cpu, [3, 4], numbers(12, 6));
  matmul(rows, fast, { transposeB: true, beta: -1, out });
  matmul(rows, weight, { transposeB: true, beta: -1, out: same });
  assertSameBits(out.readSync(), same.readSync());
});

test("a prepacked view: slices and transposes are packed from where they lie", () => {
  using whole = tensor(cpu, [6, 10], numbers(60, 1));
  const view = slice(transpose(whole), 0, 3, 8);
  using fast = prepack(view);
  using x = tensor(cpu, [2, 6], numbers(12, 2));
  using y = linear(x, { weight: fast });
  assertSameBits(y.readSync(), linear(x, { weight: copy(view) }).readSync());
});

test("a prepacked weight is the weight: other ops, the other transposition and gradients read it as it is", () => {
  const w = tensor(cpu, [3, 3], numbers(9, 1));
  using fast = prepack(w);
  assert.ok(fast instanceof Prepacked);
  assert.equal(fast.weight, w);
  assert.deepEqual([...fast.readSync()], [...w.readSync()]);
  assert.deepEqual(mul(fast, fast).readSync(), mul(w, w).readSync());
  using x = tensor(cpu, [2, 3], numbers(6, 2));
  assertSameBits(matmul(x, fast).readSync(), matmul(x, w).readSync());
  assertSameBits(matmul(fast, x, { transposeB: true }).readSync(), matmul(w, x, { transposeB: true }).readSync());
  using dy = tensor(cpu, [2, 3], numbers(6, 3));
  const got = linearBackward(x, { weight: fast }, dy), want = linearBackward(x, { weight: w }, dy);
  assertSameBits(got.x.readSync(), want.x.readSync());
  assertSameBits(got.weight.readSync(), want.weight.readSync());
  w.dispose();
  assert.ok(fast.weight.disposed);
  assert.equal(linear(x, { weight: fast }).size, 6); // it holds the memory itself
  assert.equal(linearBackward(x, { weight: fast }, dy).x.size, 6);
});

test("gradients flow through a prepacked weight to what is multiplied by it; itself it is a constant", () => {
  const w = tensor(cpu, [5, 4], Float64Array.from(numbers(20, 1)));
  using fast = prepack(w);
  using turned = prepack(transpose(w), { transpose: false });
  const unknown = (y: unknown) => y as Tensor<"f64">; // sizes are not known here
  assertGradients("linear by a prepacked weight", (x) => unknown(linear(x as never, { weight: fast } as never)), { shapes: [[3, 4]] });
  assertGradients("matmul by a prepacked weight", (x) => unknown(matmul(x as never, turned)), { shapes: [[2, 3, 4]] });
  using x = tensor(cpu, [3, 4], Float64Array.from(numbers(12, 2)));
  // The tensor it was made from is a parameter: only its own use counts.
  using both = valueAndGrad((p: { w: typeof w }) => sum(mul(linear(x, { weight: p.w }), linear(x, { weight: fast }))))({ w });
  using y = linear(x, { weight: w });
  using once = linearBackward(x, { weight: w }, y).weight;
  assertSameBits(both.grads.w.readSync(), once.readSync());
  assert.throws(() => valueAndGrad((p: { w: typeof w }) => sum(linear(x, { weight: prepack(p.w) })))({ w }), {
    name: "TypeError",
    message: /prepack: a gradient flows into weight/,
  });
  assert.throws(() => valueAndGrad((p: { w: Tensor<"f64", [5, 4]> }) => sum(linear(x, { weight: p.w })))({ w: fast }), {
    name: "TypeError",
    message: "valueAndGrad: params.w is prepacked, a constant; take the gradient of its weight",
  });
});

test("a change of the weight in place makes the copy refuse, whatever made the change", () => {
  const x = tensor(cpu, [1, 2], [1, 1]), one = tensor(cpu, [2, 2], [1, 1, 1, 1]);
  const changes: Record<string, (w: Tensor<"f32", [2, 2]>) => void> = {
    write: (w) => w.write([1, 2, 3, 4]),
    "write to a view": (w) => reshape(w, [4]).write([1, 2, 3, 4]),
    out: (w) => void mul(one, one, { out: w }),
    "a product's out": (w) => void matmul(one, one, { out: w, beta: 1 }),
    "a step": (w) => {
      using optimizer = adamW({ w });
      optimizer.step({ w }, { w: one }, 0.1);
    },
    clip: (w) => void clipByGlobalNorm({ w }, 0.1),
  };
  for (const [what, change] of Object.entries(changes)) {
    using w = tensor(cpu, [2, 2], [5, 6, 7, 8]);
    using fast = prepack(w), other = prepack(w, { transpose: false });
    linear(x, { weight: fast });
    change(w);
    const message = " was changed after it was prepacked; prepack it again";
    assert.throws(() => linear(x, { weight: fast }), { name: "TypeError", message: `linear: weight${message}` }, what);
    assert.throws(() => matmul(x, other), { name: "TypeError", message: `matmul: b${message}` }, what);
    assert.equal(matmul(x, fast).size, 2); // this one reads the weight
    using again = prepack(fast);
    assertSameBits(linear(x, { weight: again }).readSync(), linear(x, { weight: w }).readSync(), what);
  }
  using w = tensor(cpu, [2, 2], [5, 6, 7, 8]);
  using fast = prepack(w);
  mul(w, w); // reading is no change
  linear(x, { weight: fast });
  fast.write([1, 2, 3, 4]);
  assert.throws(() => linear(x, { weight: fast }), /prepack it again/);
});

test("a prepacked weight is freed like a tensor: once, by scope, by using; memory() counts its copy", () => {
  const w = tensor(cpu, [64, 64], numbers(4096, 1));
  using x = tensor(cpu, [1, 64], numbers(64));
  const before = memory();
  {
    using fast = prepack(w);
    const now = memory();
    assert.deepEqual([now.tensors - before.tensors, now.outsideScopes - before.outsideScopes], [1, 1]);
    assert.ok(now.bytes - before.bytes >= 4096 * 4);
    fast.dispose();
    assert.ok(fast.disposed);
    assert.throws(() => linear(x, { weight: fast }), /weight was disposed/);
  }
  assert.deepEqual([memory().tensors, memory().bytes], [before.tensors, before.bytes]);
  const kept = scope(() => {
    prepack(w);
    const returned = prepack(w);
    const late = keep(prepack(w));
    return { returned, late: () => late };
  });
  assert.equal(memory().tensors - before.tensors, 2);
  assert.ok(!kept.returned.disposed && !kept.late().disposed);
  kept.returned.dispose();
  kept.late().dispose();
  assert.deepEqual([memory().tensors, memory().bytes], [before.tensors, before.bytes]);
  const last = prepack(w);
  w.dispose();
  assert.equal(memory().tensors - before.tensors, 1); // the weight's memory lives on
  last.dispose();
  assert.equal(memory().tensors - before.tensors, -1);
});

test("explain() tells of packing and of products that read the copy, and changes nothing", () => {
  using w = tensor(cpu, [64, 64], numbers(4096, 1));
  using x = tensor(cpu, [20, 64], numbers(1280, 2));
  using fast = prepack(w);
  const before = memory().tensors;
  const plan = explain(() => {
    const inside = prepack(w);
    linear(x, { weight: inside });
    linear(x, { weight: fast });
    matmul(x, fast);
    matmulList([x, x], fast, { transposeB: true });
    mul(w, w, { out: w });
    w.write(numbers(4096, 3));
  });
  assert.deepEqual(plan.map((step) => [step.op, step.kernel?.replace(/__.*/, ""), step.product?.packing.b]).slice(0, 5), [
    ["prepack", "gemm_f32_pack", undefined],
    ["linear", "gemm_f32_strip", "prepacked"],
    ["linear", "gemm_f32_strip", "prepacked"],
    ["matmul", "gemm_f32_strip", "in place"],
    ["matmulList", "gemm_f32_strip", "prepacked"],
  ]);
  assert.equal(plan[4]!.product!.batch, 2);
  assert.equal(memory().tensors, before);
  assertSameBits(linear(x, { weight: fast }).readSync(), linear(x, { weight: w }).readSync()); // nothing was written: it is not refused
});

test("a prepacked weight prints as what it is", () => {
  using w = tensor(cpu, [1, 2], [1, 2]);
  const fast = prepack(w);
  assert.equal(String(fast), "Prepacked f32 [1, 2] on cpu [[1, 2]]");
  const shown = (fast as unknown as Record<symbol, () => string>)[Symbol.for("nodejs.util.inspect.custom")]!(); // what both runtimes print
  assert.equal(shown, String(fast));
  fast.dispose();
  assert.equal(String(fast), "Prepacked f32 [1, 2] on cpu (disposed)");
});

test("prepack() refuses what it cannot pack, by name", () => {
  const bad = (f: () => unknown, name: string, message: string | RegExp) => assert.throws(f, { name, message });
  using cube = tensor(cpu, [2, 2, 2], numbers(8));
  bad(() => prepack(cube), "RangeError", "prepack: weight is [2, 2, 2], must have two axes");
  using ids: Tensor<DType> = tensor(cpu, [2, 2], new Uint32Array(4));
  bad(() => prepack(ids as never), "TypeError", "prepack: weight is u32, must be f32 or f64");
  bad(() => prepack([1] as never), "TypeError", "prepack: weight must be a tensor, got an array");
  using w = tensor(cpu, [2, 2], numbers(4));
  bad(() => prepack(w, { transpose: 1 as never }), "TypeError", "prepack: transpose must be true or false, got 1");
  using fast = prepack(w);
  using x = tensor(cpuDevice({ threads: 2 }), [1, 2], [1, 2]);
  bad(() => linear(x, { weight: fast }), "TypeError", /weight is on cpu, x is on cpu\(threads: 2\)/);
  w.dispose();
  bad(() => prepack(w), "TypeError", "prepack: weight was disposed");
});

gpuTest("gpu: a prepacked weight is the weight: the same bits, no copy, the same refusal after a change", (gpu) => {
  using weight = tensor(gpu, [70, 33], numbers(70 * 33, 1));
  using x = tensor(gpu, [5, 33], numbers(5 * 33, 2));
  const before = gpu.statistics().allocations;
  const fast = prepack(weight), straight = prepack(transpose(weight), { transpose: false });
  assert.ok(fast instanceof Prepacked);
  assert.equal(gpu.statistics().allocations, before);
  using want = linear(x, { weight });
  using by = linear(x, { weight: fast });
  using turned = matmul(x, straight);
  using other = matmul(transpose(x) as never, fast as never, { transposeA: true, transposeB: true } as never) as Tensor;
  for (const y of [by, turned, other]) assertSameBits(y.readSync() as Float32Array, want.readSync());
  using left = tensor(gpu, [1, 5], numbers(5, 3));
  using right = tensor(gpu, [70, 1], numbers(70, 4));
  const total = (y: Tensor) => reshape(matmul(matmul(left, y as never), right) as Tensor, []);
  const { grads } = valueAndGrad((p: { x: typeof x }) => total(linear(p.x, { weight: fast })) as never)({ x });
  const { grads: plain } = valueAndGrad((p: { x: typeof x }) => total(linear(p.x, { weight })) as never)({ x });
  assertSameBits(grads.x.readSync(), plain.x.readSync());
  weight.write(new Float32Array(70 * 33));
  assert.throws(() => linear(x, { weight: fast }), { name: "TypeError", message: /was changed after it was prepacked/ });
  fast.dispose();
  fast.dispose();
  assert.equal(weight.disposed, false);
  assert.equal(weight.readSync()[0], 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { add, cpu, linear, memory, mul, scale, scope, slice, sum, type Tensor, tensor, valueAndGrad } from "../mod.ts";

const x2 = () => tensor(cpu, [2], new Float64Array([3, -2]));

test("valueAndGrad() returns the loss and gradients in the parameters' tree", () => {
  using x = x2();
  using y = x2();
  const f = valueAndGrad((p: { a: typeof x; rest: [typeof y] }) => sum(mul(mul(p.a, p.a), p.rest[0])));
  using r = f({ a: x, rest: [y] });
  assert.equal(r.value.itemSync(), 27 - 8);
  assert.deepEqual([...r.grads.a.readSync()], [18, 8]); // 2ab
  assert.deepEqual([...r.grads.rest[0].readSync()], [9, 4]); // a²
});

test("a value used several times gathers the sum of what flows back", () => {
  using x = x2();
  const f = valueAndGrad((p: { x: typeof x }) => {
    const y = add(p.x, p.x);
    return sum(add(add(y, p.x), mul(y, y))); // 3x + 4x²
  });
  using r = f({ x });
  assert.deepEqual([...r.grads.x.readSync()], [3 + 24, 3 - 16]);
});

test("gradients are contiguous tensors of their own, also where a rule passes its cotangent on", () => {
  using x = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
  const f = valueAndGrad((p: { x: typeof x }) => sum(p.x));
  using r = f({ x });
  assert.ok(r.grads.x.isContiguous);
  assert.deepEqual([...r.grads.x.readSync()], [1, 1, 1, 1, 1, 1]);
  r.grads.x.write([9, 9, 9, 9, 9, 9]);
  assert.deepEqual([...x.readSync()], [1, 2, 3, 4, 5, 6]);
});

test("what gathers for a value is never added to what another value holds", () => {
  using b = tensor(cpu, [1, 2], [5, 7]), x = tensor(cpu, [1, 2], [3, -2]), weight = tensor(cpu, [2, 2], [1, 2, 3, 4]);
  using c = tensor(cpu, [1, 2], [10, 100]);
  const params = { b, x, weight };
  // One cotangent, c, flows into b and x; what the layer's rule makes joins it for x alone.
  const f = valueAndGrad((p: typeof params) => sum(mul(add(p.b, add(p.x, linear(p.x, { weight: p.weight }))), c)));
  using r = f(params);
  assert.deepEqual([...r.grads.b.readSync()], [10, 100]);
  assert.deepEqual([...r.grads.x.readSync()], [10 + 310, 100 + 420]);
  assert.deepEqual([...r.grads.weight.readSync()], [30, -20, 300, -200]);
});

test("constants get no gradient, and nothing is recorded for them", () => {
  using x = x2();
  using c = x2();
  const f = valueAndGrad((p: { x: typeof x }, k: typeof c) => sum(mul(p.x, mul(k, c))));
  using r = f({ x }, c);
  assert.deepEqual([...r.grads.x.readSync()], [9, 4]);
  assert.deepEqual(Object.keys(r.grads), ["x"]);
});

test("a parameter that the loss closes over gets its gradient as one taken from the argument does; other tensors are constants", () => {
  using x = x2();
  using c = x2();
  using r = valueAndGrad((p: { x: typeof x }) => sum(mul(mul(x, p.x), c)))({ x });
  assert.deepEqual([...r.grads.x.readSync()], [2 * 9, 2 * 4]);
});

test("a scope inside a loss may free what the gradient still needs", () => {
  using x = x2();
  const f = valueAndGrad((p: { x: typeof x }) => {
    const y = scope(() => {
      const inner = mul(p.x, p.x);
      return mul(inner, inner);
    });
    return sum(y);
  });
  using r = f({ x });
  assert.deepEqual([...r.grads.x.readSync()], [4 * 27, 4 * -8]);
});

test("a tuple comes out with its loss first", () => {
  using x = x2();
  const f = valueAndGrad((p: { x: typeof x }) => [sum(p.x), scale(p.x, 2), "note"] as const);
  using r = f({ x });
  assert.equal(r.value[0].itemSync(), 1);
  assert.deepEqual([...r.value[1].readSync()], [6, -4]);
  assert.equal(r.value[2], "note");
});

test("disposing a result frees what the loss made and returned, and nothing that was there before", () => {
  using x = x2();
  using c = x2();
  const before = memory().tensors;
  const r = valueAndGrad((p: { x: typeof x }) => [sum(p.x), p.x, { c, y: scale(p.x, 2), list: [mul(p.x, c)] }] as const)({ x });
  const [, returned, { y, list }] = r.value;
  r[Symbol.dispose]();
  assert.equal(returned, x);
  assert.deepEqual([x, c, y, list[0]!].map((t) => t.disposed), [false, false, true, true]);
  assert.equal(memory().tensors, before);
});

test("a loss may be a parameter itself", () => {
  using x = tensor(cpu, [], [3]);
  const before = memory().tensors;
  const r = valueAndGrad((p: { x: typeof x }) => p.x)({ x });
  assert.equal(r.value.itemSync(), 3);
  assert.equal(r.grads.x.itemSync(), 1);
  r[Symbol.dispose]();
  assert.equal(x.disposed, false);
  assert.equal(memory().tensors, before);
});

test("everything that a loss makes is freed, whether it returns or throws", () => {
  using x = x2();
  const f = valueAndGrad((p: { x: typeof x }, fail: boolean) => {
    const y = mul(p.x, p.x);
    if (fail) throw new Error("stop");
    return sum(mul(y, p.x));
  });
  f({ x }, false)[Symbol.dispose]();
  const before = memory().tensors;
  for (let i = 0; i < 3; i++) f({ x }, false)[Symbol.dispose]();
  assert.equal(memory().tensors, before);
  assert.throws(() => f({ x }, true), /^Error: stop$/);
  assert.equal(memory().tensors, before);
  // The tape is closed: ops outside record nothing, and `out` works again.
  using out = x2();
  mul(x, x, { out });
  f({ x }, false)[Symbol.dispose]();
});

test("valueAndGrad() says what is wrong", () => {
  using x = x2();
  using unused = x2();
  using ids = tensor(cpu, [2], new Uint32Array([1, 2]));
  type P = { x: typeof x };
  const loss = (p: P) => sum(p.x);
  assert.throws(() => valueAndGrad((p: P & { deep: { unused: typeof x } }) => sum(p.x))({ x, deep: { unused } }), {
    message:
      "valueAndGrad: the loss never used params.deep.unused; use it, or leave it out of the parameters and pass it as a further argument, which is a constant",
  });
  assert.throws(() => valueAndGrad((p: P) => mul(p.x, p.x) as unknown as Tensor<"f64", []>)({ x }), /the loss is \[2\], must be a scalar/);
  assert.throws(() => valueAndGrad((_: P) => 3 as unknown as Tensor<"f64", []>)({ x }), /the loss returned 3, must be a scalar tensor/);
  assert.throws(() => valueAndGrad((_: P) => sum(unused))({ x }), /does not depend on its parameters/);
  assert.throws(
    () => valueAndGrad((p: { a: typeof x; b: typeof x }) => sum(add(p.a, p.b)))({ a: x, b: x }),
    /params\.a and params\.b are the same tensor/,
  );
  assert.throws(
    () => valueAndGrad((p: { ids: Tensor }) => sum(p.ids) as Tensor<"f64", []>)({ ids }),
    /params\.ids is u32, must be f32 or f64/,
  );
  assert.throws(() => valueAndGrad((p: P) => valueAndGrad(loss)(p).value)({ x }), /a gradient of a gradient is not supported/);
  using out = x2();
  assert.throws(() => valueAndGrad((p: P) => sum(mul(p.x, p.x, { out })))({ x }), /out cannot be given while gradients are recorded/);
  // None of these has left anything behind.
  using r = valueAndGrad(loss)({ x });
  assert.deepEqual([...r.grads.x.readSync()], [1, 1]);
});

test("a tensor that a gradient needs and that is written to before the way back is an error, and no gradient of other values", () => {
  using x = x2();
  using c = x2();
  const before = memory().tensors;
  const fails = (loss: (p: { x: typeof x }) => Tensor<"f64", []>) =>
    assert.throws(() => valueAndGrad(loss)({ x }), {
      name: "TypeError",
      message: "valueAndGrad: a tensor [2] that the gradient of mul needs was written to inside the loss",
    });
  fails((p) => {
    const y = mul(p.x, p.x);
    p.x.write([5, 5]);
    return sum(y);
  });
  fails((p) => {
    const y = mul(p.x, c);
    scope(() => slice(c, 0, 1, 2).write([9]));
    return sum(y);
  });
  assert.equal(memory().tensors, before);
  // What no gradient needs any more may change.
  using r = valueAndGrad((p: { x: typeof x }) => {
    const y = add(p.x, c);
    c.write([1, 1]);
    return sum(mul(y, c));
  })({ x });
  assert.deepEqual([...r.grads.x.readSync()], [1, 1]);
});

test("an async loss is refused, and leaves no rejection behind", async () => {
  using x = x2();
  const loss = async (p: { x: typeof x }) => {
    await Promise.resolve();
    return sum(mul(p.x, x.alias() as never));
  };
  assert.throws(() => valueAndGrad(loss as never)({ x } as never), {
    name: "TypeError",
    message: "valueAndGrad: the loss must not be async",
  });
  x.dispose();
  await new Promise((resolve) => setTimeout(resolve, 5));
});

test("a disposed parameter is named", () => {
  const x = x2();
  x.dispose();
  assert.throws(() => valueAndGrad((p: { x: typeof x }) => sum(p.x))({ x }), /params\.x was disposed/);
});

test("the gradient of a linear model is that of the plain sums", () => {
  using x = tensor(cpu, [3, 2], new Float64Array([1, 2, 3, 4, 5, 6]));
  using weight = tensor(cpu, [4, 2], new Float64Array([1, -1, 0.5, 2, 0, 3, -2, 1]));
  using bias = tensor(cpu, [4], new Float64Array([0.1, 0.2, 0.3, 0.4]));
  const f = valueAndGrad((p: { weight: typeof weight; bias: typeof bias }) => {
    const y = linear(x, p);
    return sum(mul(y, y));
  });
  using r = f({ weight, bias });
  using y = linear(x, { weight, bias });
  const ys = y.readSync(), xs = x.readSync();
  const dw = new Float64Array(8), db = new Float64Array(4);
  for (let t = 0; t < 3; t++) {
    for (let o = 0; o < 4; o++) {
      db[o]! += 2 * ys[t * 4 + o]!;
      for (let i = 0; i < 2; i++) dw[o * 2 + i]! += 2 * ys[t * 4 + o]! * xs[t * 2 + i]!;
    }
  }
  assert.deepEqual([...r.grads.weight.readSync()].map((v) => v.toFixed(9)), [...dw].map((v) => v.toFixed(9)));
  assert.deepEqual([...r.grads.bias.readSync()].map((v) => v.toFixed(9)), [...db].map((v) => v.toFixed(9)));
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { add, attention, copy, cpu, geglu, mul, reshape, split, sum, type Tensor, tensor, transpose, valueAndGrad, zeros } from "../mod.ts";
import { assertGradients, assertSameBits, numbers } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("split() cuts an axis into views", () => {
  using x = tensor(cpu, [2, 6], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const [a, b, c] = split(x, [1, 3, 2], -1);
  assert.deepEqual([a.shape, b.shape, c.shape], [[2, 1], [2, 3], [2, 2]]);
  assert.deepEqual([a, b, c].map((y) => [...y.readSync()]), [[0, 6], [1, 2, 3, 7, 8, 9], [4, 5, 10, 11]]);
  b.write([-1, -2, -3, -4, -5, -6]);
  assert.deepEqual([...x.readSync()], [0, -1, -2, -3, 4, 5, 6, -4, -5, -6, 10, 11]);
  for (const y of [a, b, c]) y.dispose();
  const rows = split(x as unknown as Any, [2, 0], 0);
  assert.deepEqual(rows.map((y) => y.shape), [[2, 6], [0, 6]]);
  for (const y of rows) y.dispose();
});

test("split() joins the gradients of its parts, zeros for those that were not used", () => {
  assertGradients("split", (x) => split(x!, [1, 2, 1], 1), { shapes: [[3, 4]] });
  assertGradients("split of rows", (x) => split(x!, [2, 1], 0), { shapes: [[3, 4]] });
  assertGradients("split, one part used", (x) => split(x!, [1, 2, 1], 1)[1]!, { shapes: [[3, 4]] });
  assertGradients("split, two parts used", (x) => {
    const [a, , c] = split(x!, [1, 2, 1], 1);
    return [a!, null, c!];
  }, { shapes: [[3, 4]] });
});

test("split() says what does not fit", () => {
  using x = zeros(cpu, [2, 4]) as unknown as Any;
  assert.throws(() => split(x, [1, 2], 1), { name: "RangeError", message: "split: sizes [1, 2] add up to 3, axis 1 of [2, 4] has 4" });
  assert.throws(() => split(x, [2], 2), { name: "RangeError", message: "split: axis 2 is out of range for rank 2" });
  for (const bad of [-1, 0.5, NaN]) assert.throws(() => split(x, [bad, 4], 1), { name: "RangeError" });
  assert.throws(() => split(x, ["4"] as never, 1), { name: "TypeError" });
  assert.throws(() => split(x, 4 as never, 1), { name: "TypeError", message: "split: sizes must be an array of sizes, got 4" });
});

test("parts whose gradients are made side by side are joined without a copy, with the same bits", () => {
  // [2, 3, 8] split into halves for GEGLU, and into heads for attention: the joined gradient is a view of what the ops wrote.
  const data = numbers(2 * 3 * 12, 77);
  const loss = (whole: boolean) => (p: { x: Tensor<"f64", [number, number, number]> }) => {
    const parts = split(p.x, [4, 4, 4], -1).map((t) => whole ? t : copy(t)) as Tensor<"f64", [number, number, number]>[];
    const [q, k, v] = parts.map((t) => transpose(reshape(t, [2, 3, 2, 2]), [0, 2, 1, 3]));
    const y = attention(q!, k!, v!, { causal: true });
    const [gate, up] = split(p.x, [6, 6], -1).map((t) => whole ? t : copy(t)) as Tensor<"f64", [number, number, number]>[];
    return add(sum(mul(y, y)), sum(geglu(gate!, up!)));
  };
  using x = tensor(cpu, [2, 3, 12], Float64Array.from(data)) as unknown as Tensor<"f64", [number, number, number]>;
  using joined = valueAndGrad(loss(true))({ x });
  using copied = valueAndGrad(loss(false))({ x });
  assertSameBits(joined.grads.x.readSync(), copied.grads.x.readSync());
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { add, cpu, slice, type Tensor, tensor, transpose, zeros } from "../mod.ts";
import { assertGradients } from "./harness.ts";

type Any = Tensor<"f32", number[]>;

test("slice() is a part along one axis, counted from either end", () => {
  using x = tensor(cpu, [3, 4], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) as unknown as Any;
  const cases: [number, number, number | undefined, number[]][] = [
    [0, 1, undefined, [4, 5, 6, 7, 8, 9, 10, 11]],
    [0, -1, undefined, [8, 9, 10, 11]],
    [1, 1, 3, [1, 2, 5, 6, 9, 10]],
    [-1, -2, -1, [2, 6, 10]],
    [1, 0, 4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    [1, 4, 4, []],
    [0, 3, undefined, []],
    [0, -3, -3, []],
  ];
  for (const [axis, start, end, expected] of cases) {
    using y = slice(x, axis, start, end);
    assert.deepEqual([...y.readSync()], expected, `${axis}, ${start}, ${end}`);
  }
});

test("slice() shares memory, of a view too", () => {
  using x = zeros(cpu, [2, 3]) as unknown as Any;
  using turned = transpose(x) as Any;
  using part = slice(turned, 0, 1, 3);
  part.write([1, 2, 3, 4]);
  assert.deepEqual([...x.readSync()], [0, 1, 3, 0, 2, 4]);
});

test("slice() gives zeros to what it left out", () => {
  assertGradients("slice", (x) => slice(x!, 1, 1, 3), { shapes: [[3, 4]] });
  assertGradients("slice of rows", (x) => slice(x!, 0, -1), { shapes: [[3, 4]] });
  assertGradients("two slices", (x) => add(slice(x!, 1, 0, 2), slice(x!, 1, 1, 3)), { shapes: [[3, 4]] });
});

test("slice() says what does not fit", () => {
  using x = zeros(cpu, [3, 4]) as unknown as Any;
  assert.throws(() => slice(x, 2, 0), { name: "RangeError", message: "slice: axis 2 is out of range for rank 2" });
  assert.throws(() => slice(x, 1, 5), { name: "RangeError", message: "slice: start 5 is out of range for axis 1 of [3, 4]" });
  assert.throws(() => slice(x, 1, -5), { name: "RangeError", message: "slice: start -5 is out of range for axis 1 of [3, 4]" });
  assert.throws(() => slice(x, 1, 0, 5), { name: "RangeError", message: "slice: end 5 is out of range for axis 1 of [3, 4]" });
  assert.throws(() => slice(x, 1, 3, 1), { name: "RangeError", message: "slice: start 3 lies behind end 1 on axis 1 of [3, 4]" });
  for (const bad of [0.5, NaN, Infinity, 2 ** 53]) assert.throws(() => slice(x, 1, bad), { name: "RangeError" });
  for (const bad of ["0", null, undefined, 1n]) assert.throws(() => slice(x, 1, bad as never), { name: "TypeError" });
  assert.throws(() => slice(x, 1, 0, "2" as never), {
    name: "TypeError",
    message: 'slice: end must be a whole number, got the string "2"',
  });
});

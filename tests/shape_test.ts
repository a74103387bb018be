import { test } from "node:test";
import assert from "node:assert/strict";
import {
  broadcastShapes,
  checkAxes,
  checkReshape,
  checkShape,
  checkSize,
  contiguousStrides,
  dim,
  elementCount,
  formatShape,
  isContiguous,
  linearShape,
  matmulShape,
  normalizeAxis,
  sameShape,
  viewReshape,
} from "../core/shape.ts";

const max = Number.MAX_SAFE_INTEGER;

function throws(body: () => unknown, kind: typeof RangeError | typeof TypeError, message: string): void {
  assert.throws(body, (error: unknown) => {
    assert.ok(error instanceof kind, `${error} is no ${kind.name}`);
    assert.equal(error.message, message);
    return true;
  });
}

test("checkSize() passes whole numbers from 0 to 2^53 - 1 unchanged", () => {
  for (const size of [0, 1, 3_000_000_000, 2 ** 32 + 1, max]) assert.equal(checkSize("matmul", "m", size), size);
  assert.ok(Object.is(checkSize("matmul", "m", -0), 0));
});

test("checkSize() names op, argument, what was wanted and what came", () => {
  const wanted = "matmul: m must be a whole number from 0 to 2^53 - 1, got";
  for (const value of [-1, 1.5, NaN, Infinity, -Infinity, 2 ** 53, 2 ** 64]) {
    throws(() => checkSize("matmul", "m", value), RangeError, `${wanted} ${value}`);
  }
  throws(() => checkSize("matmul", "m", "7"), TypeError, `${wanted} the string "7"`);
  throws(() => checkSize("matmul", "m", undefined), TypeError, `${wanted} undefined`);
  throws(() => checkSize("matmul", "m", null), TypeError, `${wanted} null`);
  throws(() => checkSize("matmul", "m", 2n ** 64n), TypeError, `${wanted} the bigint 18446744073709551616`);
  throws(() => checkSize("matmul", "m", true), TypeError, `${wanted} true`);
  throws(() => checkSize("matmul", "m", [7]), TypeError, `${wanted} an array`);
  throws(() => checkSize("matmul", "m", new Number(7)), TypeError, `${wanted} an object (Number)`);
  throws(() => checkSize("matmul", "m", Object.create(null)), TypeError, `${wanted} an object (no class)`);
  throws(() => checkSize("matmul", "m", () => 7), TypeError, `${wanted} a function`);
  throws(() => checkSize("matmul", "m", Symbol("m")), TypeError, `${wanted} a symbol`);
});

test("checkSize() keeps to other bounds where they are given", () => {
  assert.equal(checkSize("adamW", "step", 1, 1, 2 ** 32 - 1), 1);
  throws(() => checkSize("adamW", "step", 0, 1), RangeError, "adamW: step must be a whole number from 1 to 2^53 - 1, got 0");
  throws(
    () => checkSize("adamW", "step", 2 ** 32, 1, 2 ** 32 - 1),
    RangeError,
    "adamW: step must be a whole number from 1 to 4294967295, got 4294967296",
  );
});

test("checkShape() copies a good shape and names the size that is none", () => {
  const shape = [2, 0, 3];
  const copy = checkShape("zeros", "shape", shape);
  assert.deepEqual(copy, shape);
  assert.notEqual(copy, shape);
  throws(() => checkShape("zeros", "shape", [2, -1]), RangeError, "zeros: shape[1] must be a whole number from 0 to 2^53 - 1, got -1");
  throws(
    () => checkShape("zeros", "shape", new Array(1)),
    TypeError,
    "zeros: shape[0] must be a whole number from 0 to 2^53 - 1, got undefined",
  );
  throws(() => checkShape("zeros", "shape", 7), TypeError, "zeros: shape must be an array of sizes, got 7");
  throws(
    () => checkShape("zeros", "shape", [2 ** 30, 2 ** 30]),
    RangeError,
    "zeros: shape [1073741824, 1073741824] holds more than 2^53 - 1 elements",
  );
});

test("dim() is the plain number", () => {
  assert.equal(dim("width", 128), 128);
  throws(() => dim("width", 1.5), RangeError, "dim: width must be a whole number from 0 to 2^53 - 1, got 1.5");
});

test("formatShape() reads like the types", () => {
  assert.equal(formatShape([]), "[]");
  assert.equal(formatShape([2, 3]), "[2, 3]");
});

test("elementCount() is exact up to 2^53 - 1 and refuses more", () => {
  assert.equal(elementCount([]), 1);
  assert.equal(elementCount([3_000_000_000]), 3_000_000_000);
  assert.equal(elementCount([65536, 65536, 2]), 2 ** 33);
  assert.equal(elementCount([6361, 69431, 20394401]), max); // the prime factors of 2^53 - 1
  assert.equal(elementCount([max, max, 0]), 0);
  throws(() => elementCount([2 ** 52, 2]), RangeError, "shape [4503599627370496, 2] holds more than 2^53 - 1 elements");
  throws(() => elementCount([max, 3]), RangeError, "shape [9007199254740991, 3] holds more than 2^53 - 1 elements");
});

test("sameShape() compares size by size", () => {
  assert.ok(sameShape([], []));
  assert.ok(sameShape([2, 3], [2, 3]));
  assert.ok(!sameShape([2, 3], [3, 2]));
  assert.ok(!sameShape([2], [2, 1]));
});

test("normalizeAxis() counts from the end where negative", () => {
  assert.equal(normalizeAxis("sum", 1, 2), 1);
  assert.equal(normalizeAxis("sum", -1, 2), 1);
  assert.ok(Object.is(normalizeAxis("sum", -2, 2), 0));
  assert.ok(Object.is(normalizeAxis("sum", -0, 2), 0));
  throws(() => normalizeAxis("sum", 2, 2), RangeError, "sum: axis 2 is out of range for rank 2");
  throws(() => normalizeAxis("sum", -3, 2), RangeError, "sum: axis -3 is out of range for rank 2");
  throws(() => normalizeAxis("mean", 0, 0), RangeError, "mean: axis 0 is out of range for rank 0");
  throws(() => normalizeAxis("sum", 0.5, 2), RangeError, "sum: axis must be a whole number, got 0.5");
  throws(() => normalizeAxis("sum", "1" as unknown as number, 2), TypeError, 'sum: axis must be a whole number, got the string "1"');
});

test("broadcastShapes() aligns the last axes and stretches 1", () => {
  assert.deepEqual(broadcastShapes("add", [2, 3], [3]), [2, 3]);
  assert.deepEqual(broadcastShapes("add", [2, 1], [1, 3]), [2, 3]);
  assert.deepEqual(broadcastShapes("add", [], [2, 3]), [2, 3]);
  assert.deepEqual(broadcastShapes("add", [0, 3], [1, 3]), [0, 3]);
  assert.deepEqual(broadcastShapes("add", [1], [0]), [0]);
  throws(() => broadcastShapes("add", [2, 3], [4]), RangeError, "add: [2, 3] and [4] do not broadcast");
  throws(() => broadcastShapes("mul", [2, 3, 4], [5, 3, 4]), RangeError, "mul: [2, 3, 4] and [5, 3, 4] do not broadcast");
  throws(() => broadcastShapes("add", [0], [2]), RangeError, "add: [0] and [2] do not broadcast");
});

test("matmulShape() follows the transposes and broadcasts the batch", () => {
  assert.deepEqual(matmulShape([2, 3], [3, 4]), [2, 4]);
  assert.deepEqual(matmulShape([2, 3], [4, 3], false, true), [2, 4]);
  assert.deepEqual(matmulShape([3, 2], [3, 4], true), [2, 4]);
  assert.deepEqual(matmulShape([3, 2], [4, 3], true, true), [2, 4]);
  assert.deepEqual(matmulShape([5, 1, 2, 3], [7, 3, 4]), [5, 7, 2, 4]);
  assert.deepEqual(matmulShape([2, 0], [0, 4]), [2, 4]);
});

test("matmulShape() refuses in the words of the types", () => {
  throws(() => matmulShape([2, 3], [4, 5]), RangeError, "matmul: a is [2, 3], b is [4, 5]: inner sizes 3 and 4 differ");
  throws(() => matmulShape([2, 3], [3, 4], false, true), RangeError, "matmul: a is [2, 3], b is [3, 4]: inner sizes 3 and 4 differ");
  throws(() => matmulShape([2, 3], [3, 4], true), RangeError, "matmul: a is [2, 3], b is [3, 4]: inner sizes 2 and 3 differ");
  throws(
    () => matmulShape([2, 3, 4], [5, 3, 4], false, true),
    RangeError,
    "matmul: a is [2, 3, 4], b is [5, 3, 4]: batch sizes do not broadcast",
  );
  throws(() => matmulShape([3], [3, 4]), RangeError, "matmul: a is [3], b is [3, 4]: both need two axes or more");
  throws(() => matmulShape([2, 3], [3]), RangeError, "matmul: a is [2, 3], b is [3]: both need two axes or more");
  throws(() => matmulShape([], [2, 3]), RangeError, "matmul: a is [], b is [2, 3]: both need two axes or more");
});

test("linearShape() keeps the leading axes", () => {
  assert.deepEqual(linearShape("linear", [2, 5, 3], [4, 3]), [2, 5, 4]);
  assert.deepEqual(linearShape("linear", [3], [4, 3]), [4]);
  throws(() => linearShape("linear", [2, 3], [4, 5]), RangeError, "linear: x is [2, 3], weight is [4, 5]: inner sizes 3 and 5 differ");
  throws(() => linearShape("linear", [], [4, 5]), RangeError, "linear: x is [], weight is [4, 5]: inner sizes none and 5 differ");
  throws(() => linearShape("linear", [2, 3], [3]), RangeError, "linear: weight is [3], must be [out, in]");
});

test("checkReshape() compares element counts", () => {
  checkReshape([2, 3], [3, 2, 1]);
  checkReshape([0, 3], [0, 7]);
  checkReshape([], [1, 1]);
  throws(() => checkReshape([2, 3], [4, 2]), RangeError, "reshape: [2, 3] and [4, 2] differ in their number of elements");
  throws(() => checkReshape([], [2]), RangeError, "reshape: [] and [2] differ in their number of elements");
});

test("checkAxes() takes every axis once", () => {
  assert.deepEqual(checkAxes("transpose", [2, 3, 4]), [0, 2, 1]);
  assert.deepEqual(checkAxes("transpose", [2, 3, 4], [2, 0, 1]), [2, 0, 1]);
  assert.deepEqual(checkAxes("transpose", [2, 3, 4], [-1, 0, -2]), [2, 0, 1]);
  throws(() => checkAxes("transpose", [2, 3, 4], [1, 0]), RangeError, "transpose: [2, 3, 4] has 3 axes, not 2");
  throws(() => checkAxes("transpose", [2, 3, 4], [0, 1, 3]), RangeError, "transpose: axis 3 is out of range for rank 3");
  throws(() => checkAxes("transpose", [2, 3], [1, -1]), RangeError, "transpose: axes [1, -1] name an axis twice");
  throws(() => checkAxes("transpose", [2]), RangeError, "transpose: [2] has 1 axes, needs two or more");
});

test("contiguousStrides() are row-major, in elements", () => {
  assert.deepEqual(contiguousStrides([]), []);
  assert.deepEqual(contiguousStrides([2, 3, 4]), [12, 4, 1]);
  assert.deepEqual(contiguousStrides([65536, 65536, 2]), [131072, 2, 1]);
  assert.deepEqual(contiguousStrides([2, 0, 4]), [4, 4, 1]);
  for (const stride of contiguousStrides([0, max, max, max])) assert.ok(Number.isSafeInteger(stride));
});

test("isContiguous() ignores the stride of one element and all strides of none", () => {
  assert.ok(isContiguous([], []));
  assert.ok(isContiguous([2, 3], [3, 1]));
  assert.ok(!isContiguous([3, 2], [1, 3]));
  assert.ok(!isContiguous([2, 3], [4, 1]));
  assert.ok(!isContiguous([2, 3], [0, 1]));
  assert.ok(isContiguous([1, 3], [99, 1]));
  assert.ok(isContiguous([3, 1], [1, 99]));
  assert.ok(isContiguous([0, 3], [7, 7]));
  assert.ok(isContiguous([3, 0], [7, 7]));
});

test("viewReshape() gives strides where a view can take the shape", () => {
  assert.deepEqual(viewReshape([2, 3], [3, 1], [3, 2]), [2, 1]);
  assert.deepEqual(viewReshape([2, 3], [5, 1], [2, 1, 3]), [5, 3, 1]);
  assert.deepEqual(viewReshape([3, 2], [1, 3], [6]), null);
  assert.deepEqual(viewReshape([2, 3, 4], [12, 1, 3], [2, 3, 2, 2]), [12, 1, 6, 3]);
  assert.deepEqual(viewReshape([1, 6], [99, 2], [2, 3]), [6, 2]);
  assert.deepEqual(viewReshape([4, 3], [0, 1], [2, 2, 3]), [0, 0, 1]);
  assert.deepEqual(viewReshape([1, 1], [9, 9], []), []);
  assert.deepEqual(viewReshape([0, 3], [99, 99], [7, 0]), [1, 1]);
  throws(() => viewReshape([2, 3], [3, 1], [4]), RangeError, "reshape: [2, 3] and [4] differ in their number of elements");
});

test("viewReshape() finds the strides exactly when there are some", () => {
  let state = 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
  const factored = (count: number) => {
    const shape: number[] = [];
    while (count > 1 || (below(3) === 0 && shape.length < 6)) {
      const divisors = [1, 2, 3, 4, 6, 8].filter((d) => count % d === 0);
      const size = divisors[below(divisors.length)]!;
      shape.push(size);
      count /= size;
    }
    return shape;
  };
  const places = (shape: readonly number[], strides: readonly number[]) =>
    shape.reduce((all, size, i) => all.flatMap((place) => Array.from({ length: size }, (_, j) => place + j * strides[i]!)), [0]);
  const seen = { view: 0, copy: 0 };
  for (let n = 0; n < 5000; n++) {
    const count = [1, 2, 6, 12, 24, 48][below(6)]!;
    const base = factored(count), step = contiguousStrides(base), gap = below(3) === 0 ? 2 : 1;
    const order = base.map((_, i) => i);
    if (order.length > 1 && below(2) === 0) order.push(...order.splice(below(order.length), 1));
    const shape = order.map((i) => base[i]!), strides = order.map((i) => step[i]! * (i === 0 ? gap : 1)), wanted = factored(count);
    const got = viewReshape(shape, strides, wanted), all = places(shape, strides);
    // Where a view exists, its strides are the distances that the elements have anyway.
    const steps = contiguousStrides(wanted);
    const only = got ?? wanted.map((size, i) => size === 1 ? 0 : all[steps[i]!]!);
    assert.equal(String(places(wanted, only)) === String(all), got !== null, JSON.stringify({ shape, strides, wanted, got }));
    seen[got ? "view" : "copy"]++;
  }
  assert.ok(seen.view > 500 && seen.copy > 500, JSON.stringify(seen));
});

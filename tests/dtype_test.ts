import { test } from "node:test";
import assert from "node:assert/strict";
import { type DType, dtypeBytes, dtypeCode, dtypeFromCode, dtypeOf, dtypes, isDType, isFloat, newData } from "../core/dtype.ts";

test("element types have the codes and sizes of the native library", () => {
  assert.deepEqual(Object.keys(dtypes).map((name) => [name, dtypeCode(name as DType), dtypeBytes(name as DType)]), [
    ["f32", 0, 4],
    ["f64", 1, 8],
    ["i32", 2, 4],
    ["u32", 3, 4],
  ]);
  for (const { name, code } of Object.values(dtypes)) assert.equal(dtypeFromCode(code), name);
  assert.throws(() => dtypeFromCode(4), { name: "RangeError", message: "dtype: 4 is no element type's code" });
});

test("isDType() takes the four names alone", () => {
  assert.ok(isDType("f32"));
  for (const other of ["f16", "toString", "", 0, null, undefined]) assert.ok(!isDType(other));
  assert.deepEqual((Object.keys(dtypes) as DType[]).filter(isFloat), ["f32", "f64"]);
});

test("dtypeOf() is decided by the typed array", () => {
  for (const { name, array, bytes } of Object.values(dtypes)) {
    assert.equal(dtypeOf(new array(2)), name);
    assert.equal(newData(name, 3).byteLength, 3 * bytes);
  }
  assert.equal(dtypeOf(new Float32Array(new SharedArrayBuffer(8))), "f32");
  assert.equal(dtypeOf(new (class extends Float32Array {})(1)), "f32");
  for (
    const other of [[1], new Uint8Array(4), new DataView(new ArrayBuffer(4)), new ArrayBuffer(4), null, undefined, {
      [Symbol.toStringTag]: "Float32Array",
    }]
  ) {
    assert.equal(dtypeOf(other), undefined);
  }
});

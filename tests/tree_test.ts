import assert from "node:assert/strict";
import { test } from "node:test";
import { copy, cpu, cpuDevice, parameterCount, tensor, treeLeaves, treeMap } from "../mod.ts";
import type { Tensor } from "../mod.ts";
import { checkDistinct, checkSameTree, flatten, mapTree } from "../nn/tree.ts";

const one = (): Tensor<"f32", [2]> => tensor(cpu, [2], [1, 2]);

test("flatten() joins keys by dots, in the order of insertion", () => {
  const tree = { token: { weight: one() }, blocks: [{ norm: { weight: one(), bias: one() } }, { norm: { weight: one() } }], a: one() };
  assert.deepEqual(flatten(tree).map(([path]) => path), [
    "token.weight",
    "blocks.0.norm.weight",
    "blocks.0.norm.bias",
    "blocks.1.norm.weight",
    "a",
  ]);
  assert.equal(flatten(tree)[4]![1], tree.a);
});

test("flatten() leaves out what is undefined, and takes a bare tensor and empty trees", () => {
  assert.deepEqual(flatten({ weight: one(), bias: undefined }).map(([path]) => path), ["weight"]);
  assert.deepEqual(flatten(one()).map(([path]) => path), [""]);
  assert.deepEqual(flatten({}), []);
  assert.deepEqual(flatten({ a: [], b: {} }), []);
  assert.deepEqual(flatten(Object.assign(Object.create(null), { x: one() })).map(([path]) => path), ["x"]);
});

test("flatten() names the path of what is no tensor", () => {
  const wrong = (leaf: unknown) => () => flatten({ blocks: [{ weight: leaf }] }, "save", "tree");
  assert.throws(wrong(3), new TypeError("save: tree.blocks.0.weight must be a tensor, or an object or array of tensors, got 3"));
  for (const leaf of [null, "x", new Float32Array(2), new Map(), new Date(), () => 1, Promise.resolve(), Symbol("x"), true]) {
    assert.throws(wrong(leaf), /^TypeError: save: tree\.blocks\.0\.weight must be a tensor/);
  }
  assert.throws(() => flatten(undefined, "save", "tree"), /^TypeError: save: tree must be a tensor/);
});

test("flatten() refuses disposed tensors, names that meet, and trees that contain themselves", () => {
  const gone = one();
  gone.dispose();
  assert.throws(() => flatten({ a: { b: gone } }, "adamW"), new TypeError("adamW: params.a.b was disposed"));
  assert.throws(() => flatten({ "a.b": one(), a: { b: one() } }), new TypeError("flatten: two tensors are called params.a.b"));
  assert.throws(() => flatten({ "": { a: one() }, a: one() }), new TypeError("flatten: two tensors are called params.a"));
  const loop: { self?: unknown } = {};
  loop.self = [loop];
  assert.throws(() => flatten(loop), new TypeError("flatten: params.self.0 contains itself"));
  const shared = { weight: one() };
  assert.equal(flatten([shared, shared]).length, 2);
});

test("mapTree() keeps the structure, undefined leaves and awkward keys included", () => {
  const tree = { w: one(), b: undefined, list: [one(), { x: one() }], ["__proto__"]: one(), "": one() };
  const paths: string[] = [];
  const made = mapTree(tree, (_, path) => {
    paths.push(path);
    return one();
  });
  assert.deepEqual(paths, ["w", "list.0", "list.1.x", "__proto__", ""]);
  assert.deepEqual(Object.keys(made), Object.keys(tree));
  assert.ok("b" in made && made.b === undefined && Array.isArray(made.list) && Object.hasOwn(made, "__proto__"));
  assert.notEqual(made.w, tree.w);
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
});

test("checkDistinct() names both places of a tensor that stands twice", () => {
  const w = one();
  checkDistinct("adamW", "params", flatten({ a: w, b: one() }));
  assert.throws(
    () => checkDistinct("adamW", "params", flatten({ a: w, head: { b: w } })),
    new TypeError("adamW: params.a and params.head.b are the same tensor"),
  );
});

test("checkSameTree() names the first difference", () => {
  const same = (a: unknown, b: unknown) => checkSameTree("step", "params", flatten(a), "grads", flatten(b));
  same({ a: one(), b: undefined }, { a: one() });
  same({ a: one(), b: one() }, { b: one(), a: one() });
  assert.throws(() => same({ a: one(), b: one() }, { a: one() }), new TypeError("step: params.b has no counterpart in grads"));
  assert.throws(() => same({ a: one() }, { a: one(), c: [one()] }), new TypeError("step: grads.c.0 has no counterpart in params"));
  assert.throws(() => same({ a: one() }, { b: one() }), new TypeError("step: params.a has no counterpart in grads"));
  assert.throws(
    () => same({ a: one() }, { a: tensor(cpu, [1, 2], [1, 2]) }),
    new RangeError("step: params.a is [2], grads.a is [1, 2]"),
  );
  assert.throws(
    () => same({ a: one() }, { a: tensor(cpu, [2], new Float64Array(2)) }),
    new TypeError("step: params.a is f32, grads.a is f64"),
  );
  assert.throws(
    () => same({ a: one() }, { a: tensor(cpuDevice({ threads: "serial" }), [2], [1, 2]) }),
    new TypeError("step: params.a is on cpu, grads.a is on cpu(threads: serial)"),
  );
});

test("treeLeaves() and parameterCount() walk a tree, a shared tensor counted once", () => {
  const w = one(), tree = { a: w, list: [{ b: one() }, undefined], tied: w };
  assert.deepEqual(treeLeaves(tree as never).map(([path, x]) => [path, x.size]), [["a", 2], ["list.0.b", 2], ["tied", 2]]);
  assert.equal(parameterCount(tree as never), 4);
  assert.equal(parameterCount({}), 0);
  assert.throws(
    () => parameterCount({ a: 3 } as never),
    new TypeError("parameterCount: tree.a must be a tensor, or an object or array of tensors, got 3"),
  );
});

test("treeMap() gives a tree of the same type, and takes nothing else", () => {
  const tree = { a: one(), list: [{ b: tensor(cpu, [1, 1], new Float64Array([3])) }] as const };
  const twin = treeMap(tree, (x) => copy(x));
  tree.a.write([8, 9]);
  assert.deepEqual([[...twin.a.readSync()], twin.list[0].b.itemSync()], [[1, 2], 3]);
  const paths: string[] = [];
  treeMap(tree, (x, path) => (paths.push(path), x));
  assert.deepEqual(paths, ["a", "list.0.b"]);
  const wrong = (y: unknown) => () => treeMap({ p: one() }, () => y as Tensor);
  assert.throws(wrong(1), new TypeError("treeMap: change returned for tree.p 1, must be a tensor"));
  assert.throws(wrong(tree.list[0].b), new TypeError("treeMap: change returned for tree.p f64 [1, 1], must be f32 [2]"));
  const gone = one();
  gone.dispose();
  assert.throws(() => treeMap({ gone }, (x) => x), new TypeError("treeMap: tree.gone was disposed"));
});

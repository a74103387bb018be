/**
 * Parameter trees: tensors in plain nested objects and arrays. A leaf's path is its keys joined by dots, `blocks.0.norm1.weight`; leaves come in the order
 * of insertion. `undefined` stands for a parameter that is not there, such as a bias.
 */

import { RangeError, TypeError } from "../core/errors.ts";
import { freedError } from "../core/scope.ts";
import { checkFunction, formatShape, formatValue, sameShape } from "../core/shape.ts";
import { isTensor, type Tensor } from "../core/tensor.ts";

/** A parameter tree: tensors in nested objects and arrays, nothing else. `P` is the tree's own type: `<P extends Tree<P>>`. */
export type Tree<P> =
  | Tensor
  | {
    [K in keyof P]: P[K] extends Tensor | undefined ? P[K]
      : P[K] extends object ? Tree<P[K]>
      : NonNullable<P[K]> extends object ? Tree<NonNullable<P[K]>> | undefined
      : Tensor;
  };

/** A tensor of a tree and its path, its keys joined by dots. */
export type Leaf = readonly [path: string, tensor: Tensor];

/** A leaf's name in messages: `params.blocks.0.norm1.weight`. @internal */
export function leafName(name: string, path: string): string {
  return path === "" ? name : `${name}.${path}`;
}

/**
 * The live tensors of a tree with their paths; `op` and `name` are for messages. Throws a TypeError that names the path of whatever else the tree holds, of a disposed tensor, and of a name
 * that two tensors have (`{ "a.b": x, a: { b: y } }`).
 * @internal
 */
export function flatten(tree: unknown, op: string = "flatten", name: string = "params"): Leaf[] {
  const leaves: Leaf[] = [];
  if (!collect(op, name, tree, "", [], leaves)) return leaves;
  const paths = new Set<string>();
  for (const [path] of leaves) {
    if (paths.has(path)) throw new TypeError(`${op}: two tensors are called ${leafName(name, path)}`);
    paths.add(path);
  }
  return leaves;
}

/** Adds the live tensors of a tree to `leaves`. Whether a key is empty or holds a dot: only then can two tensors have one path. */
function collect(op: string, name: string, node: unknown, path: string, above: object[], leaves: Leaf[]): boolean {
  if (isTensor(node)) {
    if (node.disposed) throw freedError(op, leafName(name, path), node);
    leaves.push([path, node]);
    return false;
  }
  enter(op, name, node, path, above);
  let odd = false;
  for (const key of Object.keys(node)) {
    const child = (node as Record<string, unknown>)[key]; // an array has its indices as keys
    if (child === undefined) continue;
    odd = key === "" || key.includes(".") || odd;
    odd = collect(op, name, child, path === "" ? key : `${path}.${key}`, above, leaves) || odd;
  }
  above.pop();
  return odd;
}

/** Goes into a node that has to be a branch, and not one of those above it. */
function enter(op: string, name: string, node: unknown, path: string, above: object[]): asserts node is object {
  if (!isBranch(node)) {
    throw new TypeError(`${op}: ${leafName(name, path)} must be a tensor, or an object or array of tensors, got ${formatValue(node)}`);
  }
  if (above.includes(node)) throw new TypeError(`${op}: ${leafName(name, path)} contains itself`);
  above.push(node);
}

/** A tree of the same structure, each tensor replaced by what `change` makes of it: a tensor of the same kind, if P is to be true. @internal */
export function mapTree<P>(tree: P, change: (x: Tensor, path: string) => unknown, op: string = "mapTree", name: string = "params"): P {
  return walk(op, name, tree, "", [], (path, x) => change(x, path)) as P; // the same keys, and at the same places what `change` makes
}

/**
 * The tensors of a parameter tree with their paths, such as `blocks.0.norm1.weight`, in the order of insertion.
 *
 * Throws a TypeError that names the path of whatever else the tree holds, and of a disposed tensor.
 *
 * ```ts
 * import { cpu, treeLeaves, zeros } from "@tilework/tilework";
 *
 * const params = { blocks: [{ weight: zeros(cpu, [2, 3]), bias: undefined }], norm: zeros(cpu, [3]) };
 * for (const [path, x] of treeLeaves(params)) console.log(path, x.shape); // blocks.0.weight [2, 3], then norm [3]
 * ```
 */
export function treeLeaves<P extends Tree<P>>(tree: P): Leaf[] {
  return flatten(tree, "treeLeaves", "tree");
}

/**
 * A tree of the same structure and type, each tensor replaced by what `change` makes of it: copies, zeros like the parameters, the same on another device.
 *
 * Throws a TypeError that names the path where the tree holds anything but live tensors, or where `change` returned anything but a tensor of the same
 * element type and shape. To compute other things of each tensor take `treeLeaves`.
 *
 * ```ts
 * import { copy, cpu, ones, treeMap } from "@tilework/tilework";
 *
 * const params = { w: ones(cpu, [2]), layers: [{ b: ones(cpu, []) }] };
 * const before = treeMap(params, (x) => copy(x));
 * params.w.write([5, 6]);
 * console.log(before.w.readSync()); // Float32Array [1, 1]
 * ```
 */
export function treeMap<P extends Tree<P>>(tree: P, change: (x: Tensor, path: string) => Tensor): P {
  const op = "treeMap";
  checkFunction(op, "change", change);
  flatten(tree, op, "tree");
  return mapTree(
    tree,
    (x, path) => {
      const y: unknown = change(x, path);
      const where = `${op}: change returned for ${leafName("tree", path)}`;
      if (!isTensor(y)) throw new TypeError(`${where} ${formatValue(y)}, must be a tensor`);
      if (y.dtype !== x.dtype || !sameShape(y.shape, x.shape)) {
        throw new TypeError(`${where} ${y.dtype} ${formatShape(y.shape)}, must be ${x.dtype} ${formatShape(x.shape)}`);
      }
      return y;
    },
    op,
    "tree",
  );
}

/**
 * How many numbers a parameter tree holds; a tensor that stands at several places counts once.
 *
 * ```ts
 * import { cpu, linearInit, parameterCount, random } from "@tilework/tilework";
 *
 * console.log(parameterCount(linearInit(random(cpu, 1), 3, 4))); // 16
 * ```
 */
export function parameterCount<P extends Tree<P>>(tree: P): number {
  let count = 0;
  for (const x of new Set(flatten(tree, "parameterCount", "tree").map(([, x]) => x))) count += x.size;
  return count;
}

/** Fails where a tensor stands at two places of a tree: what updates both in place would do so twice. @internal */
export function checkDistinct(op: string, name: string, leaves: readonly Leaf[]): void {
  if (new Set(leaves.map(([, x]) => x)).size === leaves.length) return;
  const seen = new Map<Tensor, string>();
  for (const [path, x] of leaves) {
    const before = seen.get(x);
    if (before !== undefined) throw new TypeError(`${op}: ${leafName(name, before)} and ${leafName(name, path)} are the same tensor`);
    seen.set(x, path);
  }
}

/** Fails where a tensor of one tree has the same elements in memory as one of another: what changes the one would change the other as it is read. @internal */
export function checkApart(op: string, aName: string, a: readonly Leaf[], bName: string, b: readonly Leaf[]): void {
  const byMemory = new Map(a.map((leaf) => [leaf[1].storage, leaf]));
  for (const [path, y] of b) {
    const found = byMemory.get(y.storage);
    if (found === undefined || found[1].offset !== y.offset || y.size === 0) continue;
    const what = found[1] === y ? "are the same tensor" : "share their memory";
    throw new TypeError(`${op}: ${leafName(aName, found[0])} and ${leafName(bName, path)} ${what}`);
  }
}

/** Finds a tree's tensors by their paths, fast where they are asked for in the tree's own order. @internal */
export function byPath(leaves: readonly Leaf[]): (path: string, place: number) => Tensor | undefined {
  let map: Map<string, Tensor> | undefined;
  return (path, place) => leaves[place]?.[0] === path ? leaves[place]![1] : (map ??= new Map(leaves)).get(path);
}

/** Fails where two trees differ in their paths, or in the shape, element type or device at one of them. @internal */
export function checkSameTree(op: string, aName: string, a: readonly Leaf[], bName: string, b: readonly Leaf[]): void {
  const theirs = byPath(b);
  for (let i = 0; i < a.length; i++) {
    const [path, x] = a[i]!, y = theirs(path, i);
    if (y === undefined) throw new TypeError(`${op}: ${leafName(aName, path)} has no counterpart in ${bName}`);
    const where = `${leafName(aName, path)} is`;
    if (x.dtype !== y.dtype) throw new TypeError(`${op}: ${where} ${x.dtype}, ${leafName(bName, path)} is ${y.dtype}`);
    if (!sameShape(x.shape, y.shape)) {
      throw new RangeError(`${op}: ${where} ${formatShape(x.shape)}, ${leafName(bName, path)} is ${formatShape(y.shape)}`);
    }
    if (x.device !== y.device && x.device.handle !== y.device.handle) {
      throw new TypeError(`${op}: ${where} on ${x.device.name}, ${leafName(bName, path)} is on ${y.device.name}`);
    }
  }
  if (a.length === b.length) return;
  const ours = new Set(a.map(([path]) => path));
  const [path] = b.find(([path]) => !ours.has(path))!; // paths are distinct, so one of b's is not among a's
  throw new TypeError(`${op}: ${leafName(bName, path)} has no counterpart in ${aName}`);
}

/** Visits the tensors in order and rebuilds the tree of what `visit` returns. `above` holds the objects on the way here. */
function walk(
  op: string,
  name: string,
  node: unknown,
  path: string,
  above: object[],
  visit: (path: string, x: Tensor) => unknown,
): unknown {
  if (isTensor(node)) return visit(path, node);
  enter(op, name, node, path, above);
  const entries = Object.keys(node).map((key): [string, unknown] => {
    const child = (node as Record<string, unknown>)[key]; // an array has its indices as keys
    return [key, child === undefined ? undefined : walk(op, name, child, path === "" ? key : `${path}.${key}`, above, visit)];
  });
  above.pop();
  return Array.isArray(node) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}

/** Whether a value is a plain object or an array: those of other realms count, instances of classes do not. */
function isBranch(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/**
 * A value of any kind with every tensor in its arrays and plain objects replaced, in order. Whatever else it holds stays as it is.
 * @internal
 */
export function replaceTensors<T>(value: T, change: (x: Tensor) => Tensor, above: readonly object[] = []): T {
  const inner = (node: unknown): unknown => {
    if (isTensor(node)) return change(node);
    if (!isBranch(node)) return node;
    if (above.includes(node)) throw new TypeError("checkpoint: an argument or result contains itself");
    const deeper = (child: unknown) => replaceTensors(child, change, [...above, node]);
    return Array.isArray(node) ? node.map(deeper) : Object.fromEntries(Object.entries(node).map(([key, child]) => [key, deeper(child)]));
  };
  return inner(value) as T; // the same structure with tensors at the same places
}

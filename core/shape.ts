/**
 * Shapes, in types and at run time. A size is a literal where it is known, a name where it is configured (`dim("width", 128)`) and `number` where it is
 * neither. One rule holds for operands, arguments and assignments alike: two known sizes must be equal, `number` fits every size. A mistake reads like the
 * run-time error:
 *
 *   Argument of type 'Tensor<"f32", [512, 3072]>' is not assignable to parameter of type
 *   '"matmul: a is [512, 768], b is [512, 3072]: inner sizes 768 and 512 differ"'.
 *
 * Knowledge ends where arithmetic begins: a size that is summed, divided or read from `x.shape` is `number`, and is checked when the program runs. So is
 * what a function does with a shape of which it does not know the rank, `<S extends Shape>`; a generic size, `<N extends number>`, equals itself alone. The
 * functions in the second half of this file are those checks, in the same words.
 */

import { RangeError, TypeError } from "./errors.ts";
import { fromOtherCopy } from "./package_copy.ts";

/** The sizes of a tensor, outermost first. */
export type Shape = readonly number[];

declare const named: unique symbol;
/** @internal The name of a `Dim`, which tells it from other numbers. It does not exist at run time. */
interface Named<Name extends string> {
  readonly [named]: Name;
}
/** A size with a name, for models whose sizes come from a configuration: equal to itself alone. A plain number when the program runs. */
export type Dim<Name extends string> = number & Named<Name>;

/**
 * Names a configured size, so that the compiler tells it from other sizes of any value.
 *
 * ```ts
 * import { cpu, dim, zeros } from "@tilework/tilework";
 *
 * const width = dim("width", 128);
 * const x = zeros(cpu, [2, width]); // Tensor<"f32", [2, Dim<"width">]>
 * ```
 */
export function dim<const Name extends string>(name: Name, size: number): Dim<Name> {
  if (typeof name !== "string") throw new TypeError(`dim: name must be a string, got ${formatValue(name)}`);
  return checkSize("dim", name, size) as Dim<Name>; // the name lives in the type alone
}

/**
 * The key of the member by which the compiler compares two tensors' sizes. It does not exist at run time.
 * @internal
 */
export declare const shapeOf: unique symbol;

// ── Sizes against sizes ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
// `any` is what lets `number` fit in both directions. Checks compare boxes, never bare types or tuples, and each `infer` repeats its bound: only so does
// the compiler settle `B` against `B` inside a generic function.

/** @internal A size as the compiler compares it. */
// deno-lint-ignore no-explicit-any
export type Size<N> = number extends N ? any : N;
/** @internal A size as the compiler compares it where 1 stretches. */
// deno-lint-ignore no-explicit-any
export type SizeOrOne<N> = number extends N ? any : N extends 1 ? any : N;
/** @internal A shape as the compiler compares it: the type of the member `shapeOf`, and the name its messages give it. */
export type Sizes<S extends Shape> = { readonly [I in keyof S]: Size<S[I]> };
/** @internal A shape as the compiler compares it where 1 stretches. */
export type SizesOrOne<S extends Shape> = { readonly [I in keyof S]: SizeOrOne<S[I]> };
/** @internal Holds the sides of a check. */
export type Box<A, B = 0> = { a: A; b: B };

/**
 * What stands where a check of two shapes does not say yes: `No`, a sentence, but `Yes` too where a bound leaves the very rank of a generic shape open. So
 * the body of a function that is generic over whole shapes compiles, and is checked when it runs. A look-up, because the compiler puts bounds in place of
 * what is generic there, and because one alternative of a bound suffices that has any rank.
 * @internal
 */
export type Unless<A extends Shape, B extends Shape, Yes, No> = ByRank<Yes, ByRank<Yes, No>[B["length"]]>[A["length"]];
/** `No` for the ranks that tensors have, where they are known. */
interface ByRank<Yes, No> {
  [rank: number]: Yes | No;
  0: No;
  1: No;
  2: No;
  3: No;
  4: No;
  5: No;
  6: No;
  7: No;
  8: No;
}

// ── Parts of a shape ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

// What results have is written as a conditional type that distributes over the operands' shapes, even where there is nothing to ask: only so does the
// compiler know of a result that is generic what its bounds make of it, a shape of any rank, and lets it be an operand again.

/** @internal `Yes` where even the rank is unknown. */
export type AnyRank<S extends Shape, Yes, No> = number extends S["length"] ? Yes : No;
/** The last size of a shape; `number` where the rank is not known. */
export type Last<S extends Shape> = S extends readonly [...infer _L extends Shape, infer N extends number] ? N : AnyRank<S, number, never>;
/** All sizes of a shape but the last: those of the labels of logits. `Shape` where the rank is not known. */
export type Lead<S extends Shape> = S extends readonly [...infer L extends Shape, infer _N extends number] ? L : Shape;
/** The shape of `linear(x, p)`: all sizes but the last, then N. */
export type WithLast<S extends Shape, N extends number> = S extends readonly [...infer L extends Shape, infer _N extends number] ? [...L, N]
  : [...Shape, N];
/** @internal The last size but one. */
export type Rows<S extends Shape> = Last<Lead<S>>;
/** @internal All sizes but the last two. */
export type Batch<S extends Shape> = Lead<Lead<S>>;
/** The shape of `transpose(x)`: the last two axes exchanged, if T; both `number`, if T may be either. */
export type Transposed<S extends Shape, T extends boolean = true> = [T] extends [false] ? S
  : S extends readonly [...infer L extends Shape, infer M extends number, infer N extends number]
    ? [T] extends [true] ? [...L, N, M] : [...L, number, number]
  : S;

/** @internal Every axis of S as its decimal text, counted from the start and from the end. */
export type Axes<S extends Shape> = keyof S & `${number}` | `-${Exclude<keyof S & `${number}`, "0">}` | `-${S["length"]}`;
type IsAxis<S extends Shape, X extends number> = [X] extends [never] ? "known" // whose kind nobody says
  : X extends unknown // distributes, so that a generic X is judged by its bound: any axis
    ? number extends X ? "known" : `${X}` extends Axes<S> ? "known" : "unknown"
  : never;
/**
 * `unknown` where X is an axis of S or may be one, else a sentence. Meant to be intersected with the type of a parameter: a conditional type in its place
 * would refuse every axis in a function that is generic over whole shapes.
 * @internal
 */
export type AxisGuard<Op extends string, S extends Shape, X extends number> = Unless<
  S,
  [],
  unknown,
  { known: unknown; unknown: NoAxis<Op, X, S["length"]> }[IsAxis<S, X>]
>;

/** A shape in which axis X, counted from the end where negative, gives way to the sizes V: `[]` for a sum over it, `[number]` for a slice. */
export type Replaced<S extends Shape, X extends number, V extends Shape> = S extends unknown
  ? number extends X | S["length"] ? Shape : `${X}` extends `-${infer P}` ? FromEnd<S, P, V> : FromStart<S, X, V>
  : never;
/** @internal `Replaced` for an axis counted from the start. */
type FromStart<S extends Shape, X, V extends Shape, Done extends Shape = []> = S extends
  readonly [infer N extends number, ...infer R extends Shape]
  ? Done["length"] extends X ? [...Done, ...V, ...R] : FromStart<R, X, V, [...Done, N]>
  : Shape;
/** @internal `Replaced` for an axis counted from the end. */
type FromEnd<S extends Shape, P, V extends Shape, Done extends Shape = []> = S extends
  readonly [...infer L extends Shape, infer N extends number]
  ? `${[N, ...Done]["length"]}` extends P ? [...L, ...V, ...Done] : FromEnd<L, P, V, [N, ...Done]>
  : Shape;

/** The size of axis X of a shape, counted from the end where negative; `number` where it is not known. */
export type SizeAt<S extends Shape, X extends number> = `${X}` extends keyof S ? S[`${X}`] & number
  : `${X}` extends `-${infer P}` ? SizeFromEnd<S, P>
  : number;
/** @internal `SizeAt` for an axis counted from the end. */
type SizeFromEnd<S extends Shape, P, Done extends Shape = []> = S extends readonly [...infer L extends Shape, infer N extends number]
  ? `${[N, ...Done]["length"]}` extends P ? N : SizeFromEnd<L, P, [N, ...Done]>
  : number;

type BadAxis<S extends Shape, X extends number> = number extends X ? never : Exclude<`${X}`, Axes<S>>;
/** @internal `Ranked<S, P> extends Ranking<P>` asks whether P names as many axes as S has, and no other ones. */
export type Ranked<S extends Shape, P extends Shape> = Box<
  AnyRank<S, P["length"], S["length"]>,
  Box<AnyRank<S, never, BadAxis<S, P[number]>>>
>;
/** @internal The other side of `Ranked`. */
export type Ranking<P extends Shape> = Box<P["length"], Box<never>>;
/** The shape of `transpose(x, P)`: the axes of S in the order P. */
export type Permuted<S extends Shape, P extends Shape> = { -readonly [I in keyof P]: SizeAt<S, P[I]> };

// ── Broadcasting ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
// The last axes are aligned and 1 stretches. A known size that meets an unknown one becomes unknown: it may have been 1.

type Slots<S extends Shape> = { [I in keyof S]: unknown };
type Longer<A extends Shape, B extends Shape> = A extends readonly [...Slots<B>, ...unknown[]] ? A : B;
type Shorter<A extends Shape, B extends Shape> = A extends readonly [...Slots<B>, ...unknown[]] ? B : A;
type Tail<S extends Shape, N> = S["length"] extends N ? S : S extends readonly [unknown, ...infer R extends Shape] ? Tail<R, N> : S;
type Joined<A, B> = Box<Size<A>> extends Box<Size<B>> ? A | B : B extends 1 ? A : A extends 1 ? B : number;
type Zipped<A extends Shape, B extends Shape> = { -readonly [I in keyof A]: Joined<A[I], B[I & keyof B]> };
type Over<A extends Shape, B extends Shape, Head extends Shape = []> = A["length"] extends B["length"] ? [...Head, ...Zipped<A, B>]
  : A extends readonly [infer N extends number, ...infer R extends Shape] ? Over<R, B, [...Head, N]>
  : Shape;
/** The shape of `add(a, b)` and of every elementwise result: the last axes are aligned, and a size of 1 stretches. `Shape` where a rank is not known. */
export type Broadcast<A extends Shape, B extends Shape> = Box<A, B> extends Box<B, A> ? A // of one shape, even if it is generic
  : Stretched<A, B>;
/** @internal `Broadcast` of two shapes that are not the same type. */
type Stretched<A extends Shape, B extends Shape> = A extends unknown
  ? B extends unknown ? AnyRank<Shorter<A, B>, Shape, Over<Longer<A, B>, Shorter<A, B>>> : never
  : never;
// deno-lint-ignore no-explicit-any
type LongSide<A extends Shape, B extends Shape> = AnyRank<Longer<A, B>, any, SizesOrOne<Tail<Longer<A, B>, Shorter<A, B>["length"]>>>;
type ShortSide<A extends Shape, B extends Shape> = SizesOrOne<Shorter<A, B>>;
/** @internal `BroadcastLeft<A, B> extends BroadcastRight<A, B>` asks whether two shapes broadcast; equal ones do, whatever they are. */
export type BroadcastLeft<A extends Shape, B extends Shape> = Box<LongSide<A, B>, A>;
/** @internal The other side of `BroadcastLeft`. */
// deno-lint-ignore no-explicit-any
export type BroadcastRight<A extends Shape, B extends Shape> = Box<ShortSide<A, B>, any> | Box<any, B>;

// ── Products ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type TwoAxes<S extends Shape> = AnyRank<S, true, S extends readonly [unknown, unknown, ...unknown[]] ? true : false>;
/** @internal `ProductLeft<A, B> extends ProductRight<A, B>` asks whether `A @ B` exists, the operands already transposed. */
export type ProductLeft<A extends Shape, B extends Shape> = Box<
  Box<Size<Last<A>>, LongSide<Batch<A>, Batch<B>>>,
  Box<TwoAxes<A>, TwoAxes<B>>
>;
/** @internal The other side of `ProductLeft`. */
export type ProductRight<A extends Shape, B extends Shape> = Box<Box<Size<Rows<B>>, ShortSide<Batch<A>, Batch<B>>>, Box<true, true>>;
/** @internal `PairLeft<A, B> extends PairRight<A, B>` asks whether `A @ B` is a product of two plain matrices. */
export type PairLeft<A extends Shape, B extends Shape> = Box<Size<Last<A>>, Box<IsMatrix<A>, IsMatrix<B>>>;
/** @internal The other side of `PairLeft`. */
export type PairRight<B extends Shape> = Box<Size<Rows<B>>, Box<true, true>>;
type IsMatrix<S extends Shape> = AnyRank<S, true, S["length"] extends 2 ? true : false>;
/** The shape of `matmul(a, b)`, of the operands as the product sees them: already `Transposed` where that is asked. `Shape` where a rank is not known. */
export type MatmulShape<A extends Shape, B extends Shape> = A extends unknown
  ? B extends unknown ? number extends A["length"] | B["length"] ? Shape : [...Broadcast<Batch<A>, Batch<B>>, Rows<A>, Last<B>] : never
  : never;

// ── Sentences ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** @internal A size in a sentence. */
export type Word<N> = [N] extends [never] ? "none" : number extends N ? "number" : N extends Dim<infer Name> ? Name : `${N & number}`;
type Words<S> = S extends readonly [infer N, ...infer R] ? R extends readonly [] ? Word<N> : `${Word<N>}, ${Words<R>}` : "";
/** @internal A shape in a sentence. */
export type Text<S extends Shape> = AnyRank<S, "[…]", `[${Words<S>}]`>;
/** @internal Says why there is no `a @ b`: the shapes as they came, the inner sizes K and L as they meet. */
export type NoProduct<A extends Shape, B extends Shape, K, L> = `matmul: a is ${Text<A>}, b is ${Text<
  B
>}: ${Box<TwoAxes<A>, TwoAxes<B>> extends Box<true, true>
  ? Box<Size<K>> extends Box<Size<L>> ? "batch sizes do not broadcast" : `inner sizes ${Word<K>} and ${Word<L>} differ`
  : "both need two axes or more"}`;
/** @internal Says why there is no product of two lists of matrices. */
export type NoPairs<A extends Shape, B extends Shape, K, L> = `matmulList: a is ${Text<A>}, b is ${Text<
  B
>}: ${Box<IsMatrix<A>, IsMatrix<B>> extends Box<true, true> ? `inner sizes ${Word<K>} and ${Word<L>} differ` : "both need two axes"}`;
/** @internal Says why a layer's weight does not fit its input. */
export type NoLinear<Op extends string, S extends Shape, W extends Shape> = `${Op}: x is ${Text<S>}, weight is ${Text<
  W
>}: inner sizes ${Word<Last<S>>} and ${Word<Last<W>>} differ`;
/** @internal Says that two shapes do not broadcast. */
export type NoBroadcast<Op extends string, A extends Shape, B extends Shape> = `${Op}: ${Text<A>} and ${Text<B>} do not broadcast`;
/** @internal Says that a new shape holds another number of elements. */
export type NoReshape<A extends Shape, B extends Shape> = `reshape: ${Text<A>} and ${Text<B>} differ in their number of elements`;
/** @internal Says that an axis does not exist. */
export type NoAxis<Op extends string, X extends number, Rank extends number> = `${Op}: axis ${X} is out of range for rank ${Rank}`;
/** @internal Says why a list of axes is no order of the shape's axes. */
export type NoTranspose<S extends Shape, P extends Shape> = S["length"] extends P["length"]
  ? `transpose: axis ${BadAxis<S, P[number]>} is out of range for rank ${S["length"]}`
  : `transpose: ${Text<S>} has ${S["length"]} axes, not ${P["length"]}`;

// ── The same at run time ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A shape in a sentence: `[2, 3]`. */
export function formatShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

/** A value in a sentence: a number as it is, everything else with its kind. */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case "number":
      return Object.is(value, -0) ? "-0" : `${value}`;
    case "string":
      return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
    case "bigint":
      return `the bigint ${value}`;
    case "boolean":
    case "undefined":
      return `${value}`;
    case "symbol":
    case "function":
      return `a ${typeof value}`;
    default:
      if (value === null || value === undefined) return "null";
      return fromOtherCopy(value) ?? (Array.isArray(value) ? "an array" : `an object (${value.constructor?.name ?? "no class"})`);
  }
}

/**
 * A size, count, offset or step that may cross the native boundary: a whole number from `min` to `max`. Both runtimes would wrap or cut anything else
 * without a word. Throws a TypeError for what is no number, a RangeError for a number that is out of range.
 */
export function checkSize(op: string, name: string, value: unknown, min: number = 0, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return (value as number) + 0; // + 0 turns -0 into 0
  const text = `${op}: ${name} must be a whole number from ${min} to ${max === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : max}, got ${
    formatValue(value)
  }`;
  throw typeof value === "number" ? new RangeError(text) : new TypeError(text);
}

/** @internal Checks that an argument is a function. */
export function checkFunction(op: string, name: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`${op}: ${name} must be a function, got ${formatValue(value)}`);
}

/** A list of sizes, copied once it is checked. */
export function checkSizes(op: string, name: string, value: unknown): number[] {
  if (!Array.isArray(value)) throw new TypeError(`${op}: ${name} must be an array of sizes, got ${formatValue(value)}`);
  const sizes: number[] = [];
  for (let i = 0; i < value.length; i++) sizes.push(checkSize(op, `${name}[${i}]`, value[i])); // by index: a hole is an error too
  return sizes;
}

/** As `checkSizes`, of the sizes of a tensor; one that holds more elements than can be counted exactly is a RangeError. */
export function checkShape(op: string, name: string, value: unknown): number[] {
  const shape = checkSizes(op, name, value);
  countWithin(`${op}: ${name}`, shape);
  return shape;
}

/** The number of elements of a shape, exact up to 2^53 - 1; beyond that a RangeError. */
export function elementCount(shape: Shape): number {
  return countWithin("shape", shape);
}

function countWithin(subject: string, shape: Shape): number {
  if (shape.includes(0)) return 0; // before the product, which may not be exact
  let count = 1;
  for (const size of shape) count *= size; // a product that leaves the exact range stays above it
  if (count > Number.MAX_SAFE_INTEGER) throw new RangeError(`${subject} ${formatShape(shape)} holds more than 2^53 - 1 elements`);
  return count;
}

/** Whether two shapes are equal, size by size. */
export function sameShape(a: Shape, b: Shape): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** An axis counted from the start: -1 is the last one. */
export function normalizeAxis(op: string, axis: number, rank: number): number {
  if (!Number.isInteger(axis)) {
    const text = `${op}: axis must be a whole number, got ${formatValue(axis)}`;
    throw typeof axis === "number" ? new RangeError(text) : new TypeError(text);
  }
  if (axis < -rank || axis >= rank) throw new RangeError(`${op}: axis ${axis} is out of range for rank ${rank}`);
  return (axis < 0 ? axis + rank : axis) + 0;
}

/** The shape of an elementwise result: the last axes are aligned and 1 stretches. */
export function broadcastShapes(op: string, a: Shape, b: Shape): number[] {
  const out = broadcastOrNull(a, b);
  if (out === null) throw new RangeError(`${op}: ${formatShape(a)} and ${formatShape(b)} do not broadcast`);
  return out;
}

function broadcastOrNull(a: Shape, b: Shape): number[] | null {
  const rank = Math.max(a.length, b.length);
  const out: number[] = new Array(rank);
  for (let i = 1; i <= rank; i++) {
    const m = a[a.length - i] ?? 1, n = b[b.length - i] ?? 1;
    if (m !== n && m !== 1 && n !== 1) return null;
    out[rank - i] = m === 1 ? n : m; // 1 against 0 is 0
  }
  return out;
}

/** @internal What two operands are called in a message. */
export type PairNames = () => readonly [string, string];

/** The shape of `a @ b`, batch axes broadcast; the sentence names the shapes as they came and the inner sizes as they meet. */
export function matmulShape(a: Shape, b: Shape, transposeA: boolean = false, transposeB: boolean = false, names?: PairNames): number[] {
  const r = a.length, s = b.length;
  if (r < 2 || s < 2) throw noProduct(a, b, names, "both need two axes or more");
  const m = a[transposeA ? r - 1 : r - 2]!, k = a[transposeA ? r - 2 : r - 1]!;
  const l = b[transposeB ? s - 1 : s - 2]!, n = b[transposeB ? s - 2 : s - 1]!;
  if (k !== l) throw noProduct(a, b, names, `inner sizes ${k} and ${l} differ`);
  if (r === 2 && s === 2) return [m, n];
  const batch = broadcastOrNull(a.slice(0, -2), b.slice(0, -2));
  if (batch === null) throw noProduct(a, b, names, "batch sizes do not broadcast");
  batch.push(m, n);
  return batch;
}

function noProduct(a: Shape, b: Shape, names: PairNames | undefined, why: string): Error {
  const [aName, bName] = names?.() ?? ["a", "b"];
  return new RangeError(`matmul: ${aName} is ${formatShape(a)}, ${bName} is ${formatShape(b)}: ${why}`);
}

/** The shape of the products of two lists of matrices, in the words of `matmulShape`. */
export function pairShape(a: Shape, b: Shape, transposeA: boolean = false, transposeB: boolean = false): number[] {
  const no = (why: string): never => {
    throw new RangeError(`matmulList: a is ${formatShape(a)}, b is ${formatShape(b)}: ${why}`);
  };
  if (a.length !== 2 || b.length !== 2) return no("both need two axes");
  const [m, k] = lastTwo(a, transposeA), [l, n] = lastTwo(b, transposeB);
  return k === l ? [m, n] : no(`inner sizes ${k} and ${l} differ`);
}

function lastTwo(shape: Shape, transposed: boolean): [number, number] {
  const rows = shape[shape.length - 2]!, cols = shape[shape.length - 1]!; // the caller has checked the rank
  return transposed ? [cols, rows] : [rows, cols];
}

/** The shape of `x @ weightᵀ` for a layer whose weight is [out, in]. */
export function linearShape(op: string, x: Shape, weight: Shape, names?: PairNames): number[] {
  const inner = x[x.length - 1], wanted = weight[1];
  if (weight.length === 2 && inner === wanted) return [...x.slice(0, -1), weight[0]!];
  const [xName, weightName] = names?.() ?? ["x", "weight"];
  if (weight.length !== 2) throw new RangeError(`${op}: ${weightName} is ${formatShape(weight)}, must be [out, in]`);
  throw new RangeError(
    `${op}: ${xName} is ${formatShape(x)}, ${weightName} is ${formatShape(weight)}: inner sizes ${inner ?? "none"} and ${wanted} differ`,
  );
}

/** Checks that a new shape holds as many elements as the old one. */
export function checkReshape(from: Shape, to: Shape): void {
  if (elementCount(from) !== elementCount(to)) {
    throw new RangeError(`reshape: ${formatShape(from)} and ${formatShape(to)} differ in their number of elements`);
  }
}

/** The axes of a transposition, each counted from the start; without a list the last two are exchanged. */
export function checkAxes(op: string, shape: Shape, axes?: readonly number[]): number[] {
  const rank = shape.length;
  if (axes === undefined) {
    if (rank < 2) throw new RangeError(`${op}: ${formatShape(shape)} has ${rank} axes, needs two or more`);
    const order = shape.map((_, i) => i);
    [order[rank - 2], order[rank - 1]] = [rank - 1, rank - 2];
    return order;
  }
  if (!Array.isArray(axes)) throw new TypeError(`${op}: axes must be an array of axes, got ${formatValue(axes)}`);
  if (axes.length !== rank) throw new RangeError(`${op}: ${formatShape(shape)} has ${rank} axes, not ${axes.length}`);
  const order = axes.map((axis) => normalizeAxis(op, axis, rank));
  if (new Set(order).size !== rank) throw new RangeError(`${op}: axes ${formatShape(axes)} name an axis twice`);
  return order;
}

// ── Strides, in elements ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Row-major strides: the last axis moves by 1. */
export function contiguousStrides(shape: Shape): number[] {
  const strides: number[] = new Array(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = step;
    // An empty axis counts as 1, and only an empty tensor can reach the bound: it has no element whose place would matter.
    step = Math.min(step * Math.max(1, shape[i]!), Number.MAX_SAFE_INTEGER);
  }
  return strides;
}

/** Whether the elements lie row-major without gaps. An axis of one element may have any stride, an empty tensor all of them. */
export function isContiguous(shape: Shape, strides: Shape): boolean {
  let step = 1;
  let contiguous = true;
  for (let i = shape.length - 1; i >= 0; i--) {
    const size = shape[i]!;
    if (size === 0) return true;
    if (size !== 1 && strides[i] !== step) contiguous = false;
    step *= size;
  }
  return contiguous;
}

/**
 * The strides under which a strided view takes a new shape without a copy, or null where there are none. The shapes hold equally many elements.
 * Axes of one element are left out; the old and the new axes are then cut into groups of equal count, and each group of old axes must be one even run.
 */
export function viewReshape(shape: Shape, strides: Shape, newShape: Shape): number[] | null {
  checkReshape(shape, newShape);
  const out = contiguousStrides(newShape);
  if (shape.includes(0)) return out;
  const axes = shape.map((_, i) => i).filter((i) => shape[i] !== 1);
  let first = 0, newFirst = 0; // where the current group begins
  while (first < axes.length) {
    let last = first + 1, newLast = newFirst + 1;
    let count = shape[axes[first]!]!, newCount = newShape[newFirst]!;
    while (count !== newCount) {
      if (count < newCount) count *= shape[axes[last++]!]!;
      else newCount *= newShape[newLast++]!;
    }
    for (let i = first; i < last - 1; i++) {
      const outer = axes[i]!, inner = axes[i + 1]!;
      if (strides[outer] !== strides[inner]! * shape[inner]!) return null;
    }
    let step = strides[axes[last - 1]!]!;
    for (let i = newLast - 1; i >= newFirst; i--) {
      out[i] = step;
      step *= newShape[i]!;
    }
    first = last;
    newFirst = newLast;
  }
  const step = newFirst > 0 ? out[newFirst - 1]! : 1;
  for (let i = newFirst; i < newShape.length; i++) out[i] = step; // trailing axes of one element
  return out;
}

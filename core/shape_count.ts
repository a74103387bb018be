/**
 * Element counts in types, for `reshape`: sizes found on both sides cancel, the rest is multiplied as on paper. A number is its decimal columns, lowest
 * first, and a column holding d is a tuple of d zeros. A size of unknown value or a name that does not cancel ends the check: it is then made at run time.
 */
import type { Box, Dim, Shape } from "./shape.ts";

type Column = readonly 0[];
// deno-fmt-ignore
type Digits = [[], [0], [0, 0], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 0, 0, 0]];
type Digit = keyof Digits & `${number}`;
type Parsed<N, Out extends Column[] = []> = N extends `${infer H extends Digit}${infer R}` ? Parsed<R, [Digits[H], ...Out]> : Out;
type Repeated<C extends Column, By> = By extends readonly [0, ...infer R] ? [...C, ...Repeated<C, R>] : [];
type Plus<A extends Column[], B extends Column[]> = A extends [infer X extends Column, ...infer AR extends Column[]]
  ? B extends [infer Y extends Column, ...infer BR extends Column[]] ? [[...X, ...Y], ...Plus<AR, BR>] : A
  : B;
type Carried<A extends Column[], In extends Column = []> = A extends [infer C extends Column, ...infer R extends Column[]]
  ? `${[...C, ...In]["length"] & number}` extends `${infer T extends Digit}${infer U extends Digit}` ? [Digits[U], ...Carried<R, Digits[T]>]
  : [[...C, ...In], ...Carried<R>]
  : In extends [] ? []
  : [In];
type Times<A extends Column[], B extends Column[]> = B extends [infer C, ...infer R extends Column[]]
  ? Carried<Plus<Carried<{ [I in keyof A]: Repeated<A[I], C> }>, [[], ...Times<A, R>]>>
  : [];
type Product<S extends Shape, Out extends Column[] = [[0]]> = S extends readonly [infer N extends number, ...infer R extends Shape]
  ? Product<R, Times<Out, Parsed<`${N}`>>>
  : Out;
type Without<S extends Shape, N, Done extends Shape = []> = S extends readonly [infer H extends number, ...infer R extends Shape]
  ? H extends N ? [...Done, ...R] : Without<R, N, [...Done, H]>
  : never;
type SameRest<A extends Shape, B extends Shape, Kept extends Shape = []> = A extends
  readonly [infer N extends number, ...infer R extends Shape]
  ? [Without<B, N>] extends [never] ? SameRest<R, B, [...Kept, N]> : SameRest<R, Without<B, N>, Kept>
  : [Extract<Kept[number] | B[number], Dim<string>>] extends [never] ? Box<Product<Kept>> extends Box<Product<B>> ? true : false
  : true;

/**
 * Whether two shapes hold equally many elements, as far as the compiler can know: `true` where it cannot.
 * @internal
 */
export type SameCount<A extends Shape, B extends Shape> = Box<number> extends Box<A[number] | B[number]> ? true
  : 0 extends A[number] & B[number] ? true
  : SameRest<A, B>;

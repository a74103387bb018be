/** Matrix products of lists of matrices. */

import { RangeError, TypeError } from "../core/errors.ts";
import { asContiguous, check, checkFlag, checkFloat, checkLike, checkNumber, checkShapeIs, output, record, recording } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Float } from "../core/dtype.ts";
import { checkList } from "../core/list.ts";
import { formatShape, pairShape, sameShape } from "../core/shape.ts";
import type { Last, MatmulShape, NoPairs, PairLeft, PairRight, Rows, Shape, Transposed, Unless } from "../core/shape.ts";
import { isTensor, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { type AnyOptions, checkBias, epilogueCode, type MatmulOptions, noGradient, product } from "./matmul.ts";
import { add } from "./add.ts";
import { sumTo } from "./sum.ts";

/** Options of `matmulList`. */
export interface MatmulListOptions<D extends Float, N extends number, O extends Shape, TA extends boolean, TB extends boolean>
  extends Omit<MatmulOptions<D, N, O, TA, TB>, "out"> {
  /** Take the results in place of new tensors, one each; rows of equal stride. Not allowed while gradients are recorded. */
  out?: readonly Tensor<D, O>[] | undefined;
}

const names = optionNames<MatmulListOptions<Float, number, Shape, boolean, boolean>>({
  out: true,
  transposeA: true,
  transposeB: true,
  bias: true,
  alpha: true,
  beta: true,
  epilogue: true,
});

/**
 * Matrix products of two lists, in one call: `out[i] = epilogue(alpha · op(a[i]) @ op(b[i]) + beta · out[i] + bias)`. All of `a` have one shape, and all
 * of `b`, but each matrix may lie anywhere: what other libraries call a batch by pointers. One tensor as `b` is multiplied by each of `a`; a prepacked
 * one (`prepack`) stands there too. The bits are those of `matmul` for each.
 *
 * Views are read in place where those of a list have equal strides; of a list with unequal ones the views that are not contiguous are copied first.
 *
 * Throws a RangeError where shapes or lengths do not fit, a TypeError for other element types than f32 and f64, a mix of them, a disposed tensor, or
 * outputs of which one overlaps another, or some and an operand lie in each other's range of memory.
 *
 * ```ts
 * import { cpu, matmulList, tensor } from "@tilework/tilework";
 *
 * using a0 = tensor(cpu, [1, 2], [1, 2]);
 * using a1 = tensor(cpu, [1, 2], [3, 4]);
 * using b = tensor(cpu, [2, 2], [1, 0, 1, 1]);
 * const [c0, c1] = matmulList([a0, a1], b);
 * console.log(c0!.readSync(), c1!.readSync()); // [3, 2] [7, 4]
 * ```
 *
 * @param a `[m, k]` each, or `[k, m]` with `transposeA`
 * @param b `[k, n]` each, or `[n, k]` with `transposeB`; as many as `a`, or one for all
 * @returns `[m, n]` each
 */
export function matmulList<D extends Float, A extends Shape, B extends Shape, TA extends boolean = false, TB extends boolean = false>(
  a: readonly Tensor<D, A>[],
  b: PairLeft<Transposed<A, TA>, Transposed<B, TB>> extends PairRight<Transposed<B, TB>>
    ? Tensor<NoInfer<D>, B> | readonly Tensor<NoInfer<D>, B>[]
    : Unless<
      A,
      B,
      Tensor<NoInfer<D>, B> | readonly Tensor<NoInfer<D>, B>[],
      NoPairs<A, B, Last<Transposed<A, TA>>, Rows<Transposed<B, TB>>>
    >,
  options?: MatmulListOptions<NoInfer<D>, Last<Transposed<B, TB>>, MatmulShape<Transposed<A, TA>, Transposed<B, TB>>, TA, TB>,
): Tensor<D, MatmulShape<Transposed<A, TA>, Transposed<B, TB>>>[] {
  checkOptions("matmulList", options, names);
  return products(
    "matmulList",
    a as readonly Tensor[],
    b as Tensor | readonly Tensor[],
    options as ListOptions | undefined,
  ) as unknown as Tensor<
    // shapes are checked again below, as numbers
    D,
    MatmulShape<Transposed<A, TA>, Transposed<B, TB>>
  >[];
}

type ListOptions = Omit<AnyOptions, "out"> & { out?: readonly Tensor[] | undefined };

const plain: ListOptions = {};

function products(op: string, a: readonly Tensor[], b: Tensor | readonly Tensor[], options: ListOptions = plain): Tensor[] {
  const { transposeA = false, transposeB = false, bias, alpha = 1, beta = 0, epilogue = "none", out: given } = options;
  checkFlag(op, "transposeA", transposeA);
  checkFlag(op, "transposeB", transposeB);
  checkList(op, "a", a);
  const count = a.length;
  const bs: readonly Tensor[] = isTensor(b) ? new Array<Tensor>(count).fill(b) : b;
  checkList(op, "b", bs);
  if (bs.length !== count) throw new RangeError(`${op}: a holds ${count} matrices, b holds ${bs.length}`);
  if (given !== undefined) {
    checkList(op, "out", given);
    if (given.length !== count) throw new RangeError(`${op}: a holds ${count} matrices, out holds ${given.length}`);
  }
  checkNumber(op, "alpha", alpha);
  checkNumber(op, "beta", beta);
  if (beta !== 0 && given === undefined) throw new TypeError(`${op}: beta is ${beta}, but there is no out to scale`);
  const closing = epilogueCode(op, epilogue);
  const first = a[0];
  if (first === undefined) return [];
  checkFloat(op, "a[0]", first);
  checkLike(op, isTensor(b) ? "b" : "b[0]", bs[0], "a[0]", first);
  const shape = pairShape(first.shape, bs[0].shape, transposeA, transposeB);
  checkAlike(op, "a", a, first);
  checkAlike(op, "b", bs, first);
  if (bias !== undefined) checkBias(op, bias, first, shape[1]!);
  const inputs = [...a, ...(isTensor(b) ? [b] : bs), ...(bias === undefined ? [] : [bias])];
  const tracked = recording(...inputs);
  if (closing !== 0 && tracked) throw noGradient(op, epilogue);
  const copies = isTensor(b)
    ? new Array<number>(count).fill(b.copyFor(op, "b", transposeB))
    : bs.map((x, i) => x.copyFor(op, `b[${i}]`, transposeB));
  const packed = !copies.includes(0);
  const outs = a.map((_, i) => output<Float, Shape>(op, first, first.dtype as Float, shape, given?.[i]) as Tensor); // `checkFloat` has looked
  const odd = outs.findIndex((x) => !sameStrides(x, outs[0]!));
  if (odd >= 0) {
    throw new TypeError(`${op}: out[${odd}] has strides ${formatShape(outs[odd]!.strides)}, out[0] has ${formatShape(outs[0]!.strides)}`);
  }
  const as = evenStrides(op, a), right = packed ? bs : evenStrides(op, bs);
  const handles = new Uint32Array(3 * count);
  for (let i = 0; i < count; i++) {
    handles[i] = outs[i]!.handle;
    handles[count + i] = as[i]!.handle;
    handles[2 * count + i] = packed ? copies[i]! : right[i]!.handle;
  }
  const flags = (transposeA ? 1 : 0) + (transposeB && !packed ? 2 : 0) + closing * 4; // a copy has its order in it
  try {
    check(op, native.tw_matmul_list(first.device.handle, handles, count, bias === undefined ? 0 : bias.handle, flags, alpha, beta));
  } finally {
    as.forEach((x, i) => x === a[i] || x.dispose());
    right.forEach((x, i) => x === bs[i] || x.dispose());
  }
  if (tracked) {
    const one = isTensor(b);
    record(op, inputs, outs, [...a, ...(one ? [b] : bs)], (dys, saved, wanted) => {
      // As for matmul: dA = dC Bᵀ and dB = Aᵀ dC, or their transposes. A product that nothing flowed back from adds nothing.
      const gradients: (Tensor | null)[] = inputs.map(() => null);
      const live = dys.flatMap((dy, i) => dy === null ? [] : [i]);
      const dy = (i: number) => dys[i]!, left = (i: number) => saved[i]!, rightOf = (i: number) => saved[count + (one ? 0 : i)]!;
      const each = (at: (i: number) => number, left: (i: number) => Tensor, right: (i: number) => Tensor, tx: boolean, ty: boolean) => {
        const some = live.filter((i) => wanted[at(i)]);
        products(op, some.map(left), some.map(right), { transposeA: tx, transposeB: ty, alpha }).forEach((g, k) =>
          gradients[at(some[k]!)] = g
        );
      };
      if (transposeA) each((i) => i, rightOf, dy, transposeB, true);
      else each((i) => i, dy, rightOf, false, !transposeB);
      if (!one) {
        if (transposeB) each((i) => count + i, dy, left, true, transposeA);
        else each((i) => count + i, left, dy, !transposeA, false);
      } else if (wanted[count]) {
        let sum: Tensor | undefined;
        for (const i of live) {
          const more: AnyOptions = sum === undefined ? { alpha } : { alpha, beta: 1, out: sum };
          sum = transposeB
            ? product(op, dy(i), left(i), { transposeA: true, transposeB: transposeA, ...more })
            : product(op, left(i), dy(i), { transposeA: !transposeA, ...more });
        }
        gradients[count] = sum!; // the rule runs where something flows back
      }
      if (bias !== undefined && wanted[inputs.length - 1]) {
        gradients[inputs.length - 1] = live.map((i) => sumTo(dy(i), bias.shape)).reduce((x, y) => add(x, y as never) as Tensor); // one shape
      }
      return gradients;
    });
  }
  return outs;
}

/** Checks that each of a list is a tensor like the list's first one, on the device of `a`. */
function checkAlike(op: string, name: string, list: readonly Tensor[], a: Tensor): void {
  for (let i = 0; i < list.length; i++) {
    checkLike(op, `${name}[${i}]`, list[i], "a[0]", a);
    checkShapeIs(op, `${name}[${i}]`, list[i]!, list[0]!.shape);
  }
}

/** Whether two tensors of one shape have one layout: an axis of one element may have any stride. */
function sameStrides(x: Tensor, y: Tensor): boolean {
  return sameShape(x.strides, y.strides) || x.strides.every((stride, i) => x.shape[i]! <= 1 || stride === y.strides[i]);
}

/** The list as it is where its strides are equal, else with contiguous copies of those that are not contiguous. */
function evenStrides(op: string, list: readonly Tensor[]): readonly Tensor[] {
  return list.every((x) => sameStrides(x, list[0]!)) ? list : list.map((x) => asContiguous(op, x));
}

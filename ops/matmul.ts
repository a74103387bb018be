/** Matrix product. */

import { RangeError, TypeError } from "../core/errors.ts";
import {
  check,
  checkFlag,
  checkFloat,
  checkLike,
  checkNumber,
  currentRecorder,
  output,
  pairNames,
  record,
  recording,
  written,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import type { Float } from "../core/dtype.ts";
import { formatShape, formatValue, matmulShape } from "../core/shape.ts";
import type { Last, MatmulShape, NoProduct, ProductLeft, ProductRight, Rows, Shape, Transposed, Unless } from "../core/shape.ts";
import { Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { sumTo } from "./sum.ts";

/** An activation that is applied to the product in the same pass over memory: ReLU, GELU (exact, by erf) or SiLU. */
export type Epilogue = "none" | "relu" | "gelu" | "silu";

/** Options of `matmul`. */
export interface MatmulOptions<D extends Float, N extends number, O extends Shape, TA extends boolean, TB extends boolean>
  extends Out<D, O> {
  /** Exchanges the last two axes of `a` first. */
  transposeA?: TA;
  /** Exchanges the last two axes of `b` first. */
  transposeB?: TB;
  /** Added to each row. */
  bias?: Tensor<D, [N]> | undefined;
  /** Factor of the product, 1. */
  alpha?: number;
  /** Factor of what `out` holds, 0: then `out` is not read. */
  beta?: number;
  /** Applied last. */
  epilogue?: Epilogue;
}

const epilogues = { none: 0, relu: 1, gelu: 2, silu: 3 } as const;

/**
 * Matrix product over the last two axes: `out = epilogue(alpha · op(a) @ op(b) + beta · out + bias)`, where `op` transposes if asked. Leading axes are a
 * batch and broadcast. Strided views are read in place. A `b` that many products have in common may be prepacked (`prepack`).
 *
 * Each element is a chain of fused multiply-adds over k in blocks of 256, whatever the machine, worker count or batch: the same bits everywhere.
 * With `beta` 0 `out` is never read; with `alpha` 0 or an inner size of 0 neither operand is.
 *
 * Throws a RangeError where shapes do not fit, a TypeError for other element types than f32 and f64, a mix of them, a disposed tensor, or an `out` that
 * overlaps an operand.
 *
 * ```ts
 * import { cpu, matmul, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]);
 * using b = tensor(cpu, [3, 2], [1, 0, 0, 1, 1, 1]);
 * using c = matmul(a, b);
 * console.log(c.readSync()); // Float32Array [4, 5, 10, 11]
 * ```
 *
 * @param a `[…, m, k]`, or `[…, k, m]` with `transposeA`
 * @param b `[…, k, n]`, or `[…, n, k]` with `transposeB`
 * @returns `[…, m, n]`
 */
export function matmul<D extends Float, A extends Shape, B extends Shape, TA extends boolean = false, TB extends boolean = false>(
  a: Tensor<D, A>,
  b: ProductLeft<Transposed<A, TA>, Transposed<B, TB>> extends ProductRight<Transposed<A, TA>, Transposed<B, TB>> ? Tensor<NoInfer<D>, B>
    : Unless<A, B, Tensor<NoInfer<D>, B>, NoProduct<A, B, Last<Transposed<A, TA>>, Rows<Transposed<B, TB>>>>,
  options?: MatmulOptions<NoInfer<D>, Last<Transposed<B, TB>>, MatmulShape<Transposed<A, TA>, Transposed<B, TB>>, TA, TB>,
): Tensor<D, MatmulShape<Transposed<A, TA>, Transposed<B, TB>>> {
  checkOptions("matmul", options, names);
  return product("matmul", a, b as Tensor, options as AnyOptions | undefined) as unknown as Tensor<
    // shapes are checked again below, as numbers
    D,
    MatmulShape<Transposed<A, TA>, Transposed<B, TB>>
  >;
}

/** The number that stands for an epilogue. @internal */
export function epilogueCode(op: string, epilogue: Epilogue): number {
  if (epilogue === "none") return 0;
  const code = typeof epilogue === "string" && Object.hasOwn(epilogues, epilogue) ? epilogues[epilogue] : undefined;
  if (code === undefined) throw new TypeError(`${op}: epilogue must be none, relu, gelu or silu, got ${formatValue(epilogue)}`);
  return code;
}

/** A gradient needs the value before the epilogue. @internal */
export function noGradient(op: string, epilogue: Epilogue): TypeError {
  return new TypeError(`${op}: epilogue ${epilogue} has no gradient; apply ${epilogue}() to the product instead`);
}

/** Checks a bias for products of n columns. @internal */
export function checkBias(op: string, bias: Tensor, a: Tensor, n: number): void {
  checkLike(op, "bias", bias, "a", a);
  if (bias.shape.length !== 1 || bias.shape[0] !== n) throw new RangeError(`${op}: bias is ${formatShape(bias.shape)}, must be [${n}]`);
}

/** The options of a product of any shape. @internal */
export interface AnyOptions {
  transposeA?: boolean;
  transposeB?: boolean;
  bias?: Tensor | undefined;
  alpha?: number;
  beta?: number;
  epilogue?: Epilogue;
  out?: Tensor | undefined;
}

const plain: AnyOptions = {};

const names = optionNames<MatmulOptions<Float, number, Shape, boolean, boolean>>({
  out: true,
  transposeA: true,
  transposeB: true,
  bias: true,
  alpha: true,
  beta: true,
  epilogue: true,
});

/**
 * Whether these are what most products take, two live matrices of floats and a third that their product fits: then there is nothing that a check could name.
 * A 16×16×16 product takes 212 ns this way, and 242 if each is looked at by itself (Deno, Zen 3).
 */
function matricesFit(a: Tensor, b: Tensor, out: Tensor | undefined, transposeA: boolean, transposeB: boolean): boolean {
  if (!(a instanceof Tensor && b instanceof Tensor && out instanceof Tensor)) return false;
  const x = a.shape, y = b.shape, z = out.shape, { dtype, device } = a;
  return a.handle !== 0 && b.handle !== 0 && out.handle !== 0 &&
    (dtype === "f32" || dtype === "f64") && b.dtype === dtype && out.dtype === dtype && b.device === device && out.device === device &&
    x.length === 2 && y.length === 2 && z.length === 2 &&
    x[transposeA ? 0 : 1] === y[transposeB ? 1 : 0] && z[0] === x[transposeA ? 1 : 0] && z[1] === y[transposeB ? 0 : 1];
}

/** `matmul` on tensors of any shape, for ops that are made of products. @internal */
export function product(op: string, a: Tensor, b: Tensor, options: AnyOptions = plain): Tensor {
  const { transposeA = false, transposeB = false, bias, alpha = 1, beta = 0, epilogue = "none", out: into } = options;
  if (typeof transposeA !== "boolean") checkFlag(op, "transposeA", transposeA);
  if (typeof transposeB !== "boolean") checkFlag(op, "transposeB", transposeB);
  if (typeof alpha !== "number") checkNumber(op, "alpha", alpha);
  if (typeof beta !== "number") checkNumber(op, "beta", beta);
  const inLoss = currentRecorder() !== null;
  const ready = !inLoss && matricesFit(a, b, into, transposeA, transposeB);
  if (!ready) {
    checkFloat(op, "a", a);
    checkLike(op, "b", b, "a", a);
  }
  const shape = ready ? into!.shape : matmulShape(a.shape, b.shape, transposeA, transposeB, inLoss ? pairNames("a", a, "b", b) : undefined);
  const closing = epilogueCode(op, epilogue);
  if (bias !== undefined) checkBias(op, bias, a, shape[shape.length - 1]!);
  const copy = b.copyFor(op, "b", transposeB);
  const flags = (transposeA ? 1 : 0) + (transposeB && copy === 0 ? 2 : 0) + closing * 4; // a copy has its order in it
  const out = ready ? written(into!) : output(op, a, a.dtype, shape, into);
  if (beta !== 0 && into === undefined) throw new TypeError(`${op}: beta is ${beta}, but there is no out to scale`);
  const tracked = inLoss && recording(a, b, bias);
  if (closing !== 0 && tracked) throw noGradient(op, epilogue);
  check(
    op,
    native.tw_matmul(a.device.handle, out.handle, a.handle, copy || b.handle, bias === undefined ? 0 : bias.handle, flags, alpha, beta),
  );
  if (tracked) {
    const inputs = bias === undefined ? [a, b] : [a, b, bias];
    record(op, inputs, [out], [a, b], ([dy], [a, b], wanted) => {
      const gradient = (x: Tensor, y: Tensor, tx: boolean, ty: boolean, like: Tensor) =>
        sumTo(product(op, x, y, { transposeA: tx, transposeB: ty, alpha }), like.shape);
      // C = A B: dA = dC Bᵀ and dB = Aᵀ dC; an operand that was transposed gets its gradient transposed: dA = (dC Bᵀ)ᵀ = B dCᵀ.
      return [
        !wanted[0] ? null : transposeA ? gradient(b!, dy!, transposeB, true, a!) : gradient(dy!, b!, false, !transposeB, a!),
        !wanted[1] ? null : transposeB ? gradient(dy!, a!, true, transposeA, b!) : gradient(a!, dy!, !transposeA, false, b!),
        ...(bias === undefined ? [] : [wanted[2] ? sumTo(dy!, [dy!.shape[dy!.rank - 1]!]) : null]),
      ];
    }, { fresh: bias === undefined });
  }
  return out;
}

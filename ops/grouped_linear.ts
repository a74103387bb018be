/** Linear layers of experts: each expert's rows meet a weight of their own, all of them in one call. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import {
  asContiguous,
  asRows,
  check,
  checkDevice,
  checkFlag,
  checkFloat,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  checkTensor,
  named,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { outOf } from "../core/options.ts";
import { formatShape, formatValue } from "../core/shape.ts";
import type { Box, NoLinear, Size } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { errorDetail, native } from "../ffi/library.ts";
import { statusName } from "../ffi/status.ts";
import { checkBackwardOptions, type LinearAccumulate } from "./linear.ts";

/** The parameters of linear layers of experts: weight `[experts, out, in]`, and a bias `[experts, out]` unless they have none. */
export type GroupedLinear<E extends number = number, I extends number = number, O extends number = number, D extends Float = "f32"> = {
  weight: Tensor<D, [E, O, I]>;
  bias?: Tensor<D, [E, O]> | undefined;
};

interface AnyGroupedLinear {
  weight: Tensor;
  bias?: Tensor | undefined;
}

/** Checks input, offsets and parameters, and returns the output's shape. What the offsets hold is checked by the library. */
function checkGrouped(op: string, x: Tensor, offsets: Tensor, p: AnyGroupedLinear): number[] {
  checkFloat(op, "x", x);
  if (typeof p !== "object" || p === null) throw new TypeError(`${op}: parameters must be { weight, bias? }, got ${formatValue(p)}`);
  const weight: Tensor = p.weight;
  checkLike(op, "weight", weight, "x", x);
  if (x.rank !== 2) throw new RangeError(`${op}: x is ${formatShape(x.shape)}, must be [rows, in]`);
  if (weight.rank !== 3) {
    throw new RangeError(`${op}: ${named("weight", weight)} is ${formatShape(weight.shape)}, must be [experts, out, in]`);
  }
  const [experts, out, inner] = weight.shape as unknown as [number, number, number]; // the rank was just checked
  if (x.shape[1] !== inner) {
    throw new RangeError(
      `${op}: x is ${formatShape(x.shape)}, ${named("weight", weight)} is ${formatShape(weight.shape)}: inner sizes ${
        x.shape[1]
      } and ${inner} differ`,
    );
  }
  if (p.bias !== undefined) {
    checkLike(op, "bias", p.bias, "x", x);
    checkShapeIs(op, "bias", p.bias, [experts, out]);
  }
  checkTensor(op, "offsets", offsets);
  if (offsets.dtype !== "u32") throw new TypeError(`${op}: offsets is ${offsets.dtype}, must be u32`);
  checkDevice(op, "offsets", offsets, "x", x);
  checkShapeIs(op, "offsets", offsets, [experts + 1]);
  return [x.shape[0]!, out];
}

/** As `check`; a wrong offset is a RangeError that names its place and what would be right there. */
function checkOffsets(op: string, offsets: Tensor, rows: number, code: number): void {
  if (code === 0 || statusName(code) !== "IndexOutOfRange") return check(op, code);
  const [place, value] = errorDetail();
  const last = place === offsets.size - 1;
  const from = () => (offsets.readSync() as Uint32Array)[place - 1];
  const right = last ? `${rows}, the number of rows` : place === 0 ? "0" : `from ${from()} to ${rows}: offsets do not fall`;
  throw new RangeError(`${op}: offsets[${place}] is ${value}, must be ${right}`);
}

/**
 * Linear layers of experts (a grouped product): the rows of x lie sorted by expert, `offsets[e]` to `offsets[e + 1]` are those of expert e, and
 * `y[r, :] = x[r, :] @ weight[e]ᵀ + bias[e]`. An expert may have no rows.
 *
 * On a GPU the offsets are read there, when their turn comes, and cannot be refused: a row belongs to the first expert e with row < `offsets[e + 1]`, else
 * to the last, whatever the offsets hold.
 *
 * All experts are one list of jobs that the threads share, however uneven their rows are; the bits are those of `linear` over each expert's rows.
 *
 * Throws a RangeError where shapes do not fit or an offset makes no sense, naming its index, before anything is written: `offsets[0]` is 0, the last one
 * is the number of rows, none is less than the one before. Throws a TypeError for offsets that are no u32 tensor, other element types than f32 and f64, a
 * mix of them, or a disposed tensor.
 *
 * ```ts
 * import { cpu, groupedLinear, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2, 1, 2], [1, 1, 10, 0]); // two experts, each [1, 2]
 * using bias = tensor(cpu, [2, 1], [0, 5]);
 * using x = tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]);
 * using offsets = tensor(cpu, [3], new Uint32Array([0, 1, 3])); // one row for expert 0, two for expert 1
 * using y = groupedLinear(x, offsets, { weight, bias });
 * console.log(y.readSync()); // Float32Array [3, 35, 55]
 * ```
 *
 * @param x `[rows, in]`, sorted by expert
 * @param offsets `[experts + 1]`, where each expert's rows begin
 * @param p weight `[experts, out, in]`, bias `[experts, out]`
 * @returns `[rows, out]`
 */
export function groupedLinear<D extends Float, R extends number, K extends number, E extends number, I extends number, O extends number>(
  x: Tensor<D, [R, K]>,
  offsets: Tensor<"u32", [number]>,
  p: Box<Size<I>> extends Box<Size<K>>
    ? { weight: Tensor<NoInfer<D>, [E, O, I]>; bias?: Tensor<NoInfer<D>, [NoInfer<E>, NoInfer<O>]> | undefined }
    : NoLinear<"groupedLinear", [R, K], [E, O, I]>,
  options?: NoInfer<Out<D, [R, O]>>,
): Tensor<D, [R, O]> {
  return forward(
    x as Tensor,
    offsets as Tensor,
    p as unknown as AnyGroupedLinear,
    outOf("groupedLinear", options) as Tensor | undefined,
  ) as unknown as Tensor<
    D,
    [R, O]
  >; // checked again, as numbers
}

function forward(x: Tensor, offsets: Tensor, p: AnyGroupedLinear, to: Tensor | undefined): Tensor {
  const op = "groupedLinear";
  const shape = checkGrouped(op, x, offsets, p);
  const { weight, bias } = p;
  const out = output<Float, number[]>(op, x, x.dtype as Float, shape, to) as Tensor; // `checkFloat` has looked
  const rows = asRows(op, x), dense = asContiguous(op, offsets), added = bias && asRows(op, bias);
  const code = native.tw_grouped_linear(x.device.handle, out.handle, rows.handle, dense.handle, weight.handle, of(added));
  if (rows !== x) rows.dispose();
  if (dense !== offsets) dense.dispose();
  if (added !== bias) added!.dispose();
  if (isFailure(code) && to === undefined) out.dispose();
  checkOffsets(op, offsets, shape[0]!, code);
  if (recording(x, weight, bias)) {
    const inputs: Tensor[] = bias === undefined ? [x, weight] : [x, weight, bias];
    record(op, inputs, [out], [x, offsets, weight], ([dy], [x, offsets, weight], wanted) => {
      const g = gradients(x!, offsets!, weight!, dy!, { x: wanted[0]!, weight: wanted[1]!, bias: wanted[2] === true }, {}, {});
      return bias === undefined ? [g.x, g.weight] : [g.x, g.weight, g.bias];
    }, { fresh: true });
  }
  return out;
}

/** Options of `groupedLinearBackward`. */
export interface GroupedLinearBackwardOptions<
  D extends Float,
  R extends number,
  E extends number,
  I extends number,
  O extends number,
> {
  /** Tensors that take the gradients. */
  out?: { x?: Tensor<D, [R, I]> | undefined; weight?: Tensor<D, [E, O, I]> | undefined; bias?: Tensor<D, [E, O]> | undefined };
  /** Which gradients add to what their output holds. */
  accumulate?: LinearAccumulate;
}

/** The gradients of linear layers of experts; `bias` where they have one. */
export interface GroupedLinearGradients<D extends Float, R extends number, E extends number, I extends number, O extends number> {
  /** `dy[r, :] @ weight[e]`. */
  x: Tensor<D, [R, I]>;
  /** `dyᵀ @ x` over each expert's rows. */
  weight: Tensor<D, [E, O, I]>;
  /** The sum of `dy` over each expert's rows. */
  bias?: Tensor<D, [E, O]> | undefined;
}

/**
 * Gradients of `groupedLinear`: `dX[r, :] = dY[r, :] @ weight[e]`, `dW[e] = dY_eᵀ @ X_e` and `db[e] = Σ dY_e` over the rows of expert e, in one fork of the
 * pool. dW of an expert without rows is zeros. The bits are those of `linearBackward` over each expert's rows.
 *
 * `db` is summed over the rows first and then added once to the tensor given as `out.bias`, or to zero. Throws as `groupedLinear` does.
 *
 * ```ts
 * import { cpu, groupedLinearBackward, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2, 1, 2], [1, 1, 10, 0]);
 * using x = tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]);
 * using offsets = tensor(cpu, [3], new Uint32Array([0, 1, 3]));
 * using dy = tensor(cpu, [3, 1], [1, 1, 2]);
 * const g = groupedLinearBackward(x, offsets, { weight }, dy);
 * console.log(g.x.readSync(), g.weight.readSync()); // [1, 1, 10, 0, 20, 0] [1, 2, 13, 16]
 * ```
 *
 * @param x `[rows, in]`, as in the forward call
 * @param offsets `[experts + 1]`
 * @param p weight `[experts, out, in]`, bias `[experts, out]`
 * @param dy `[rows, out]`
 */
export function groupedLinearBackward<
  D extends Float,
  R extends number,
  K extends number,
  E extends number,
  I extends number,
  O extends number,
>(
  x: Tensor<D, [R, K]>,
  offsets: Tensor<"u32", [number]>,
  p: Box<Size<I>> extends Box<Size<K>>
    ? { weight: Tensor<NoInfer<D>, [E, O, I]>; bias?: Tensor<NoInfer<D>, [NoInfer<E>, NoInfer<O>]> | undefined }
    : NoLinear<"groupedLinearBackward", [R, K], [E, O, I]>,
  dy: NoInfer<Tensor<D, [R, O]>>,
  options: NoInfer<GroupedLinearBackwardOptions<D, R, E, I, O>> = {},
): GroupedLinearGradients<D, R, E, I, O> {
  const op = "groupedLinearBackward";
  checkBackwardOptions(op, options);
  const shape = checkGrouped(op, x as Tensor, offsets as Tensor, p as unknown as AnyGroupedLinear); // checked again, as numbers
  const { weight, bias } = p as unknown as AnyGroupedLinear;
  checkLike(op, "dy", dy as Tensor, "x", x as Tensor);
  checkShapeIs(op, "dy", dy as Tensor, shape);
  checkNotRecording(op);
  const out = (options.out ?? {}) as Some;
  const { accumulate = {} } = options;
  for (const name of ["x", "weight", "bias"] as const) {
    if (checkFlag(op, `accumulate.${name}`, accumulate[name]) && out[name] === undefined) {
      throw new TypeError(`${op}: accumulate.${name} is set, but there is no out.${name} to add to`);
    }
  }
  const wanted = { x: true, weight: true, bias: bias !== undefined || out.bias !== undefined };
  const g = gradients(x as Tensor, offsets as Tensor, weight, dy as Tensor, wanted, out, accumulate);
  return (g.bias === null ? { x: g.x, weight: g.weight } : g) as unknown as GroupedLinearGradients<D, R, E, I, O>; // shapes as the inputs' own
}

type Some = { x?: Tensor; weight?: Tensor; bias?: Tensor };

function gradients(
  x: Tensor,
  offsets: Tensor,
  weight: Tensor,
  dy: Tensor,
  wanted: { x: boolean; weight: boolean; bias: boolean },
  out: Some,
  accumulate: LinearAccumulate,
): { x: Tensor | null; weight: Tensor | null; bias: Tensor | null } {
  const op = "groupedLinearBackward";
  const dtype = x.dtype as Float; // `checkFloat` has looked
  const dx = wanted.x ? output<Float, number[]>(op, x, dtype, x.shape, out.x) as Tensor : null;
  const dw = wanted.weight ? output<Float, number[]>(op, x, dtype, weight.shape, out.weight) as Tensor : null;
  const db = wanted.bias ? output<Float, number[]>(op, x, dtype, weight.shape.slice(0, 2), out.bias) as Tensor : null;
  const flags = (accumulate.x ? 1 : 0) + (accumulate.weight ? 2 : 0) + (out.bias !== undefined && accumulate.bias !== false ? 4 : 0);
  const rows = asRows(op, dy), input = asRows(op, x), dense = asContiguous(op, offsets);
  const handles = Uint32Array.of(of(dx), of(dw), of(db), input.handle, dense.handle, weight.handle);
  const code = native.tw_grouped_linear_backward(x.device.handle, handles, rows.handle, flags);
  if (rows !== dy) rows.dispose();
  if (input !== x) input.dispose();
  if (dense !== offsets) dense.dispose();
  if (isFailure(code)) {
    for (const [name, t] of [["x", dx], ["weight", dw], ["bias", db]] as const) if (out[name] === undefined) t?.dispose();
  }
  checkOffsets(op, offsets, dy.shape[0]!, code);
  return { x: dx, weight: dw, bias: db };
}

function of(x: Tensor | null | undefined): number {
  return x ? x.handle : 0;
}

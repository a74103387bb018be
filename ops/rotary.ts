/** Rotary position embedding. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { DType, Float } from "../core/dtype.ts";
import {
  asContiguous,
  check,
  checkDevice,
  checkFlag,
  checkFloat,
  checkNotRecording,
  checkNumber,
  checkTensor,
  output,
  record,
  recording,
} from "../core/op.ts";
import type { Out } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import { checkSize, formatShape, sameShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { allocate, type Tensor, view } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Where rows stand, and how they are turned. */
export interface RotaryPlaces {
  /** The position of the first row in time, 0; the others follow. */
  start?: number;
  /** The position of every row, u32 `[time]` or `[batch, time]`, in place of `start`. */
  positions?: Tensor<"u32">;
  /** How many elements of a row are turned, an even number; the others stay. All. */
  rotated?: number;
  /** What the wavelengths are powers of, 10000. */
  base?: number;
  /** Turns neighbours together, elements 2i and 2i + 1, as GPT-J does; else elements i and i + rotated/2, as GPT-NeoX and Llama do. Off. */
  interleaved?: boolean;
}

/** Options of `rotary`. */
export interface RotaryOptions<D extends Float, S extends Shape> extends RotaryPlaces, Out<D, S> {}

const names = optionNames<RotaryOptions<Float, Shape>>({
  out: true,
  start: true,
  positions: true,
  rotated: true,
  base: true,
  interleaved: true,
});

/**
 * Rotary position embedding: pair i of a row at position p is turned by the angle `p·base^(−2i/rotated)` (Su et al., "RoFormer: Enhanced transformer with
 * rotary position embedding", 2021). The product of a turned query and a turned key then tells how far apart they are, not where.
 *
 *     y_a = x_a·cos − x_b·sin,  y_b = x_b·cos + x_a·sin
 *
 * Angles are formed in f64 and right to the last places of f32 at any position; for f64 the error is about `p·2⁻⁵⁴`. The axes before the last may lie in
 * memory in any order, as where a projection is split and its heads are moved forward. `out` may be `x` itself.
 *
 * Throws a RangeError for shapes, positions or a base that do not fit; a TypeError for other element types than f32 and f64, positions that are not u32, a
 * disposed tensor, or an `out` that overlaps `x`.
 *
 * ```ts
 * import { cpu, rotary, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [1, 1, 2, 2], [1, 0, 1, 0]);
 * using y = rotary(x); // the row at position 1 is turned by one radian
 * console.log([...y.readSync()].map((v) => v.toFixed(4))); // [ "1.0000", "0.0000", "0.5403", "0.8415" ]
 * ```
 *
 * @param x `[batch, heads, time, width]`
 * @returns the shape of `x`
 */
export function rotary<D extends Float, B extends number, H extends number, T extends number, W extends number>(
  x: Tensor<D, [B, H, T, W]>,
  options?: NoInfer<RotaryOptions<D, [B, H, T, W]>>,
): Tensor<D, [B, H, T, W]> {
  checkOptions("rotary", options, names);
  return forward("rotary", x as Tensor, options as AnyOptions | undefined) as unknown as Tensor<D, [B, H, T, W]>; // x's own shape
}

interface AnyOptions extends RotaryPlaces {
  out?: Tensor | undefined;
}

/** What the native call takes beside its tensors. */
interface Turn {
  readonly positions: Tensor | undefined;
  readonly start: number;
  readonly rotated: number;
  readonly flags: number;
  readonly base: number;
}

const interleavedForm = 1, turnBack = 2;
const u32Max = 2 ** 32 - 1;

function checkTurn(op: string, name: string, x: Tensor, options: AnyOptions): Turn {
  checkFloat(op, name, x);
  if (x.rank !== 4) throw new RangeError(`${op}: ${name} is ${formatShape(x.shape)}, must be [batch, heads, time, width]`);
  const [batch, , time, width] = x.shape as unknown as [number, number, number, number]; // the rank was just checked
  const { positions, base = 10000 } = options;
  const rotated = checkSize(op, "rotated", options.rotated === undefined ? width : options.rotated, 0, u32Max);
  const start = checkSize(op, "start", options.start === undefined ? 0 : options.start, 0, u32Max);
  if (rotated % 2 !== 0 || rotated > width) {
    throw new RangeError(`${op}: rotated is ${rotated}, must be even and at most the width of ${name}, ${width}`);
  }
  checkNumber(op, "base", base);
  if (!(base >= 1 && base < Infinity)) throw new RangeError(`${op}: base must be finite and 1 or more, got ${base}`);
  if (positions !== undefined) {
    checkTensor(op, "positions", positions);
    const given = positions as Tensor; // of any element type, as far as is known here
    if (given.dtype !== "u32") throw new TypeError(`${op}: positions is ${given.dtype}, must be u32`);
    checkDevice(op, "positions", given, name, x);
    if (options.start !== undefined) throw new TypeError(`${op}: positions and start are both given`);
    if (!sameShape(given.shape, [time]) && !sameShape(given.shape, [batch, time])) {
      throw new RangeError(`${op}: positions is ${formatShape(given.shape)}, must be [${time}] or [${batch}, ${time}]`);
    }
  } else if (start + time - 1 > u32Max) throw new RangeError(`${op}: ${time} rows from position ${start} on go beyond ${u32Max}`);
  const interleaved = checkFlag(op, "interleaved", options.interleaved);
  return { positions, start, rotated, flags: interleaved ? interleavedForm : 0, base };
}

function call(op: string, out: Tensor, x: Tensor, turn: Turn): void {
  const dense = x.shape[3] === 1 || x.strides[3] === 1 ? x : asContiguous(op, x);
  const positions = turn.positions && asContiguous(op, turn.positions);
  const code = native.tw_rotary(
    x.device.handle,
    out.handle,
    dense.handle,
    positions?.handle ?? 0,
    turn.start,
    turn.rotated,
    turn.flags,
    turn.base,
  );
  if (dense !== x) dense.dispose();
  if (positions !== turn.positions) positions!.dispose();
  check(op, code);
}

const none: AnyOptions = {};

function forward(op: string, x: Tensor, options: AnyOptions = none): Tensor {
  const turn = checkTurn(op, "x", x, options);
  const out = output<DType, Shape>(op, x, x.dtype, x.shape, options.out) as Tensor;
  call(op, out, x, turn);
  if (recording(x)) {
    const { positions, ...rest } = turn, order = x.strides;
    record(op, [x], [out], positions ? [positions] : [], ([dy], [positions]) => {
      const dx = allocateInOrder("rotaryBackward", dy!, order);
      call("rotaryBackward", dx, dy!, { ...rest, positions, flags: rest.flags | turnBack });
      return [dx];
    });
  }
  return out;
}

/**
 * A new tensor of the shape of `like` whose heads lie before or after its times in memory as `strides` have them: where x was a projection's part with its
 * heads moved forward, moving them back takes no copy.
 */
function allocateInOrder(op: string, like: Tensor, strides: Shape): Tensor {
  const [batch, heads, time, width] = like.shape as unknown as [number, number, number, number]; // as x
  if (strides[1]! >= strides[2]!) return allocate<DType, Shape>(op, like.device, like.dtype, like.shape) as Tensor;
  const whole = allocate<DType, Shape>(op, like.device, like.dtype, [batch, time, heads, width]) as Tensor<DType>;
  const out = view<DType, Shape>(whole, like.shape, [time * heads * width, width, heads * width, 1], 0) as Tensor;
  whole.dispose();
  return out;
}

/**
 * Gradient of `rotary`: the turn back, `dx_a = dy_a·cos + dy_b·sin`, `dx_b = dy_b·cos − dy_a·sin`. It needs nothing of x.
 *
 * ```ts
 * import { cpu, rotary, rotaryBackward, tensor } from "@tilework/tilework";
 *
 * using dy = tensor(cpu, [1, 1, 1, 4], [1, 2, 3, 4]);
 * using dx = rotaryBackward(dy, { start: 7 });
 * using again = rotary(dx, { start: 7 });
 * console.log([...again.readSync()].map(Math.round)); // [ 1, 2, 3, 4 ]
 * ```
 *
 * @param dy the gradient of the output, `[batch, heads, time, width]`
 * @param options as in the forward call; `out` may be `dy` itself
 * @returns the gradient of `x`
 */
export function rotaryBackward<D extends Float, B extends number, H extends number, T extends number, W extends number>(
  dy: Tensor<D, [B, H, T, W]>,
  options?: NoInfer<RotaryOptions<D, [B, H, T, W]>>,
): Tensor<D, [B, H, T, W]> {
  checkOptions("rotaryBackward", options, names);
  return backward("rotaryBackward", dy as Tensor, options as AnyOptions | undefined) as unknown as Tensor<D, [B, H, T, W]>; // dy's own shape
}

function backward(op: string, dy: Tensor, options: AnyOptions = none): Tensor {
  const turn = checkTurn(op, "dy", dy, options);
  checkNotRecording(op);
  const dx = output<DType, Shape>(op, dy, dy.dtype, dy.shape, options.out) as Tensor;
  call(op, dx, dy, { ...turn, flags: turn.flags | turnBack });
  return dx;
}

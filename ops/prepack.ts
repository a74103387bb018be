/** Weights that are packed once, for all products that multiply by them. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { check, checkFlag, checkFloat, recording } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import { formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { creationError, Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** Options of `prepack`. */
export interface PrepackOptions {
  /** Whether products multiply by the weight's transpose: `linear`, and `matmul` with `transposeB`. On; off is for `matmul(x, weight)`. */
  transpose?: boolean;
}

/** The safety net for copies that nobody disposed, as the one for tensors. */
const safetyNet = new FinalizationRegistry((handle: number) => void native.tw_tensor_free(handle));

/**
 * A weight with a copy of its elements in the order in which products read them, made by `prepack`. It is one more holder of the weight's own memory, so
 * that it stands wherever the weight may stand; products that multiply by it read the copy instead. `dispose`, `using` and `scope` free it like every
 * tensor, its copy and its hold on the memory; the weight itself stays.
 */
export class Prepacked<D extends Float = Float, S extends Shape = Shape> extends Tensor<D, S> {
  /** The tensor it was made from. */
  readonly weight: Tensor<D, S>;
  readonly #copy: number;
  readonly #transposed: boolean;
  readonly #writes: number;

  /** @internal */
  constructor(weight: Tensor<D, S>, copy: number, transposed: boolean) {
    super(weight.device, weight.dtype, weight.shape, weight.strides, weight.offset, weight.share(), weight.isView, weight.storage);
    this.weight = weight;
    this.#copy = copy;
    this.#transposed = transposed;
    this.#writes = weight.storage.writes;
    if (copy !== 0) safetyNet.register(this, copy, this);
  }

  /** Frees the copy and this hold on the memory; the weight that it was made from stays. A second call does nothing. */
  override dispose(): void {
    if (this.disposed) return;
    if (this.#copy !== 0) {
      safetyNet.unregister(this);
      native.tw_tensor_free(this.#copy);
    }
    super.dispose();
  }

  /** @internal 0 for products of the other kind and on a GPU; a TypeError where the weight has changed. */
  override copyFor(op: string, name: string, transposed: boolean): number {
    if (transposed !== this.#transposed) return 0;
    if (this.storage.writes !== this.#writes) throw new TypeError(`${op}: ${name} was changed after it was prepacked; prepack it again`);
    return this.#copy;
  }

  /** As a tensor's, and that it is prepacked. */
  override toString(): string {
    return super.toString().replace("Tensor", "Prepacked");
  }
}

const names = optionNames<PrepackOptions>({ transpose: true });

/**
 * Packs a weight once, for many products by it: `linear`, and `matmul` with `transposeB`; with `transpose: false`, `matmul` without it. Without a copy
 * each call transposes or packs the weight again, which is much of the time of a product of few rows; `prepack` pays that cost once. Results
 * have the same bits either way.
 *
 * One row gains most: on one thread a prepacked weight takes it to 1.0 to 1.3 times OpenBLAS's speed on a Zen 4, 0.97 to 1.22 on a Zen 3; the weight as
 * it lies, rows of `in` side by side, is read more slowly than OpenBLAS reads it. So prepack what text is generated with, position by position.
 *
 * The copy holds what the weight held. After a change in place (`write`, `out`, an optimizer's step) of the weight, or of any tensor that shares memory
 * with it, products by the copy throw a TypeError: prepack the weight again. Everything but such products reads the weight itself: other ops, products
 * that transpose the other way, gradients. A prepacked weight is a constant of a loss, and gradients flow through it to the other operand.
 *
 * A GPU reads weights as they lie: there nothing is copied and nothing gained, and all else is the same, the TypeError after a change too.
 *
 * Throws a RangeError for a weight that is no matrix, a TypeError for other element types than f32 and f64, a disposed tensor, or a weight that a
 * gradient flows into.
 *
 * ```ts
 * import { cpu, linear, prepack, tensor } from "@tilework/tilework";
 *
 * using weight = tensor(cpu, [2, 3], [1, 0, 0, 0, 1, 1]);
 * using fast = prepack(weight);
 * using x = tensor(cpu, [1, 3], [1, 2, 3]);
 * using y = linear(x, { weight: fast });
 * console.log(y.readSync()); // Float32Array [1, 5]
 * ```
 *
 * @param weight `[out, in]`, or `[in, out]` without `transpose`
 */
export function prepack<D extends Float, S extends Shape>(weight: Tensor<D, S>, options: PrepackOptions = {}): Prepacked<D, S> {
  const op = "prepack";
  checkOptions(op, options, names);
  const w: Tensor = weight as Tensor;
  checkFloat(op, "weight", w);
  if (w.rank !== 2) throw new RangeError(`${op}: weight is ${formatShape(w.shape)}, must have two axes`);
  const transposed = options.transpose === undefined || checkFlag(op, "transpose", options.transpose);
  if (recording(w)) {
    throw new TypeError(
      `${op}: a gradient flows into weight, and a prepacked one is a constant; prepack it outside the loss, or use it as it is`,
    );
  }
  if (w.device.isGpu) return new Prepacked<D, S>(weight, 0, transposed);
  const flags = transposed ? 1 : 0;
  const copy = native.tw_prepacked_new(w.device.handle, w.handle, flags);
  if (copy === 0) throw creationError(op, w.dtype, w.shape);
  const out = new Prepacked<D, S>(weight, copy, transposed);
  check(op, native.tw_prepack(w.device.handle, copy, w.handle, flags));
  return out;
}

/** Scaled dot-product attention, composed of two batched products and a softmax. */

import { allocateAlike, allocateBeside } from "../core/beside.ts";
import type { Float } from "../core/dtype.ts";
import { asContiguous, check, checkFlag, checkFloat, checkLike, checkNumber, record, recording, unrecorded } from "../core/op.ts";
import { formatShape } from "../core/shape.ts";
import type { Shape } from "../core/shape.ts";
import { scope } from "../core/scope.ts";
import { allocate, type Tensor, view } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";
import { product } from "./matmul.ts";

/** Options of `attention`. */
export interface AttentionOptions {
  /** Whether position i sees only the positions up to i, counted from the end where the key side is longer. */
  causal?: boolean;
  /** Factor of the scores, 1/√width. */
  scale?: number;
}

/**
 * Scaled dot-product attention: `softmax(scale · q @ kᵀ) @ v` for each batch and head (Vaswani et al., "Attention Is All You Need", 2017).
 *
 * With `causal`, query i sees keys j ≤ i + (keys − queries); a query that sees none gives zeros. The probabilities are kept for the gradient: memory
 * grows with queries · keys. The result's memory is laid out `[batch, time, heads, width]`, so that joining the heads again takes no copy.
 *
 * Throws a RangeError where shapes do not fit, a TypeError for other element types than f32 and f64, a mix of them, or a disposed tensor.
 *
 * ```ts
 * import { attention, cpu, tensor } from "@tilework/tilework";
 *
 * using q = tensor(cpu, [1, 1, 2, 2], [1, 0, 0, 1]);
 * using v = tensor(cpu, [1, 1, 2, 2], [1, 2, 3, 4]);
 * using y = attention(q, q, v, { causal: true });
 * console.log(y.readSync().slice(0, 2)); // Float32Array [1, 2]: the first position sees itself alone
 * ```
 *
 * @param q `[batch, heads, queries, width]`
 * @param k `[batch, heads, keys, width]`
 * @param v `[batch, heads, keys, width]`
 * @returns `[batch, heads, queries, width]`
 */
export function attention<D extends Float, B extends number, H extends number, T extends number, W extends number>(
  q: Tensor<D, [B, H, T, W]>,
  k: NoInfer<Tensor<D, [B, number, number, W]>>,
  v: NoInfer<Tensor<D, [B, number, number, W]>>,
  options: AttentionOptions = {},
): Tensor<D, [B, H, T, W]> {
  return attend(q as Tensor, k as Tensor, v as Tensor, options) as unknown as Tensor<D, [B, H, T, W]>; // q's own shape
}

const op = "attention";

function attend(q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions): Tensor {
  checkFloat(op, "q", q);
  checkLike(op, "k", k, "q", q);
  checkLike(op, "v", v, "q", q);
  const causal = checkFlag(op, "causal", options.causal) ? 1 : 0;
  if (q.rank !== 4) throw new RangeError(`${op}: q is ${formatShape(q.shape)}, must be [batch, heads, queries, width]`);
  const [batch, heads, , width] = q.shape as unknown as [number, number, number, number]; // the rank was just checked
  const keys = k.shape[2];
  const fits = (x: Tensor) => x.rank === 4 && x.shape[0] === batch && x.shape[1] === heads && x.shape[3] === width && x.shape[2] === keys;
  for (const [name, x] of [["k", k], ["v", v]] as const) {
    if (!fits(x)) {
      throw new RangeError(
        `${op}: ${name} is ${formatShape(x.shape)}, must be [${batch}, ${heads}, ${keys ?? "keys"}, ${width}] for q ${
          formatShape(q.shape)
        }`,
      );
    }
  }
  const scale = checkNumber(op, "scale", options.scale ?? 1 / Math.sqrt(width));
  const device = q.device.handle;
  const tracked = recording(q, k, v);
  const p = unrecorded(() => product(op, q, k, { transposeB: true }));
  check(op, native.tw_softmax(device, p.handle, p.handle, causal, scale));
  const y = unrecorded(() => into(q.shape, q, (out) => product(op, p, v, { out })));
  if (tracked) {
    record(op, [q, k, v], [y], [q, k, v, p], ([dy], [q, k, v, p], wanted) => {
      // P = softmax(s Q Kᵀ), Y = P V: dV = Pᵀ dY, dP = dY Vᵀ, dS = s P (dP − ⟨dP, P⟩), dQ = dS K, dK = dSᵀ Q.
      const grad = asContiguous(op, dy!);
      const [dq, dk, dv] = wanted.every(Boolean)
        ? allocateBeside(op, [q!, k!, v!])
        : [q!, k!, v!].map((x, i) => wanted[i] ? allocateAlike(op, x) : null);
      if (dv) product(op, p!, grad, { transposeA: true, out: dv });
      if (dq || dk) {
        const ds = product(op, grad, v!, { transposeB: true });
        check(op, native.tw_softmax_backward(device, ds.handle, ds.handle, p!.handle, causal, scale));
        if (dq) product(op, ds, k!, { out: dq });
        if (dk) product(op, ds, q!, { transposeA: true, out: dk });
      }
      return [dq ?? null, dk ?? null, dv ?? null];
    });
  }
  // The tape holds the probabilities itself.
  p.dispose();
  return y;
}

/** A result `[batch, heads, time, width]` in memory of `[batch, time, heads, width]`. */
function into(shape: Shape, like: Tensor, write: (out: Tensor) => void): Tensor {
  const [b, h, t, w] = shape as unknown as [number, number, number, number]; // the callers' operands have rank 4
  return scope(() => {
    const whole = allocate<Float, Shape>(op, like.device, like.dtype as Float, [b, t, h, w]);
    const out = view<Float, Shape>(whole, [b, h, t, w], [t * h * w, w, h * w, 1], 0) as Tensor;
    write(out);
    return out;
  });
}

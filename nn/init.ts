/** Initial parameters of each layer. */

import { checkSize } from "../core/shape.ts";
import type { Embedding } from "../ops/embedding.ts";
import type { LayerNorm } from "../ops/layer_norm.ts";
import type { Linear } from "../ops/linear.ts";
import type { Random } from "../ops/random.ts";
import { ones, zeros } from "../ops/fill.ts";

/** Options of `linearInit`. */
export interface LinearInitOptions {
  /** Whether the layer has a bias; it begins at 0. On. */
  bias?: boolean;
  /** Standard deviation of the weights, 1/√inputs: then outputs vary as much as inputs do. */
  deviation?: number;
}

/**
 * Parameters of a linear layer: normal weights `[outputs, inputs]`, a bias of zeros.
 *
 * ```ts
 * import { cpu, linear, linearInit, ones, random } from "@tilework/tilework";
 *
 * using rng = random(cpu, 1);
 * const up = linearInit(rng, 4, 8);
 * using x = ones(cpu, [2, 4]);
 * using y = linear(x, up);
 * console.log(y.shape); // [2, 8]
 * ```
 */
export function linearInit<I extends number, O extends number>(
  rng: Random,
  inputs: I,
  outputs: O,
  options: LinearInitOptions = {},
): Linear<I, O> {
  checkSize("linearInit", "inputs", inputs);
  checkSize("linearInit", "outputs", outputs);
  const { bias = true, deviation = 1 / Math.sqrt(Math.max(1, inputs)) } = options;
  const weight = rng.normal([outputs, inputs], { deviation });
  return bias ? { weight, bias: zeros(rng.device, [outputs]) } : { weight };
}

/**
 * Parameters of a layer norm: weights of 1, a bias of zeros unless it is turned off.
 */
export function layerNormInit<W extends number>(rng: Random, width: W, options: { bias?: boolean } = {}): LayerNorm<W> {
  checkSize("layerNormInit", "width", width);
  const weight = ones(rng.device, [width]);
  return options.bias === false ? { weight } : { weight, bias: zeros(rng.device, [width]) };
}

/**
 * Parameters of an embedding: one normal row for each of `count` ids.
 */
export function embeddingInit<V extends number, W extends number>(
  rng: Random,
  count: V,
  width: W,
  options: { deviation?: number } = {},
): Embedding<V, W> {
  checkSize("embeddingInit", "count", count);
  checkSize("embeddingInit", "width", width);
  return { weight: rng.normal([count, width], { deviation: options.deviation ?? 0.02 }) };
}

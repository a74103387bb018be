/** Initial parameters of each layer. */

import { RangeError } from "../core/errors.ts";
import { checkFlag, checkNumber } from "../core/op.ts";
import { checkOptions, optionNames } from "../core/options.ts";
import { checkSize, formatValue } from "../core/shape.ts";
import type { Embedding } from "../ops/embedding.ts";
import type { LayerNorm } from "../ops/layer_norm.ts";
import type { Linear } from "../ops/linear.ts";
import { checkRandom, type Random } from "../ops/random.ts";
import { ones, zeros } from "../ops/fill.ts";

/** Checks a standard deviation of initial weights; `otherwise` where it is absent. @internal */
export function checkDeviation(op: string, name: string, value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  const deviation = checkNumber(op, name, value);
  if (!(deviation >= 0 && deviation < Infinity)) {
    throw new RangeError(`${op}: ${name} must be finite and 0 or more, got ${formatValue(value)}`);
  }
  return deviation;
}

/** Options of `linearInit`. */
export interface LinearInitOptions {
  /** Whether the layer has a bias; it begins at 0. On. */
  bias?: boolean;
  /** Standard deviation of the weights, 1/√inputs: then outputs vary as much as inputs do. */
  deviation?: number;
}

const linearNames = optionNames<LinearInitOptions>({ bias: true, deviation: true });

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
  checkRandom("linearInit", rng);
  checkOptions("linearInit", options, linearNames);
  checkSize("linearInit", "inputs", inputs);
  checkSize("linearInit", "outputs", outputs);
  const bias = options.bias === undefined || checkFlag("linearInit", "bias", options.bias);
  const deviation = checkDeviation("linearInit", "deviation", options.deviation, 1 / Math.sqrt(Math.max(1, inputs)));
  const weight = rng.normal([outputs, inputs], { deviation });
  return bias ? { weight, bias: zeros(rng.device, [outputs]) } : { weight };
}

const biasNames = optionNames<{ bias?: boolean }>({ bias: true });

/**
 * Parameters of a layer norm: weights of 1, a bias of zeros unless it is turned off.
 */
export function layerNormInit<W extends number>(rng: Random, width: W, options: { bias?: boolean } = {}): LayerNorm<W> {
  checkRandom("layerNormInit", rng);
  checkOptions("layerNormInit", options, biasNames);
  checkSize("layerNormInit", "width", width);
  const bias = options.bias === undefined || checkFlag("layerNormInit", "bias", options.bias);
  const weight = ones(rng.device, [width]);
  return bias ? { weight, bias: zeros(rng.device, [width]) } : { weight };
}

const deviationNames = optionNames<{ deviation?: number }>({ deviation: true });

/**
 * Parameters of an embedding: one normal row for each of `count` ids.
 */
export function embeddingInit<V extends number, W extends number>(
  rng: Random,
  count: V,
  width: W,
  options: { deviation?: number } = {},
): Embedding<V, W> {
  checkRandom("embeddingInit", rng);
  checkOptions("embeddingInit", options, deviationNames);
  checkSize("embeddingInit", "count", count);
  checkSize("embeddingInit", "width", width);
  const deviation = checkDeviation("embeddingInit", "deviation", options.deviation, 0.02);
  return { weight: rng.normal([count, width], { deviation }) };
}

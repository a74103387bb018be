/** The router of a mixture of experts: which experts answer for a row, and with which weights. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { isFailure } from "../core/explaining.ts";
import { checkLabels } from "../core/labels.ts";
import {
  asContiguous,
  asRows,
  check,
  checkDevice,
  checkFlag,
  checkFloat,
  checkInteger,
  checkLike,
  checkNotRecording,
  checkShapeIs,
  record,
  recording,
} from "../core/op.ts";
import { checkNeeded, checkOptions, optionNames } from "../core/options.ts";
import { checkSize, formatShape, formatValue } from "../core/shape.ts";
import { allocate, type Tensor } from "../core/tensor.ts";
import { native } from "../ffi/library.ts";

/** What a router's logits become: probabilities of all experts together, or a score of each for itself. */
export type RouterScore = "softmax" | "sigmoid";

/** How logits become weights. */
export interface RouteScoring {
  /** Softmax over all experts, or the logistic function of each logit; softmax. */
  score?: RouterScore | undefined;
  /**
   * Divides the weights of a row by their sum. On, unless `topK` is 1: the only weight would always be 1, and the router would learn nothing from the
   * answers.
   */
  normalize?: boolean | undefined;
}

/** Options of `route`. */
export interface RouteOptions<K extends number = number> extends RouteScoring {
  /** How many experts answer for each row. */
  topK: K;
}

/** The experts that answer for each row, the one with the largest logit first, and the weights of their answers. */
export interface Routing<D extends Float = Float, R extends number = number, K extends number = number> {
  /** `[rows, topK]`: the numbers of the experts that answer for each row, by falling logit; of equal logits the lower number comes first. */
  indices: Tensor<"u32", [R, K]>;
  /** `[rows, topK]`: the weights of their answers, in the same order; those of a row sum to 1 if they are normalized. */
  weights: Tensor<D, [R, K]>;
}

const names = optionNames<RouteOptions>({ topK: true, score: true, normalize: true });

/**
 * Top-k routing: the `topK` experts with the largest logits of each row, in falling order, and the weights of their answers. A weight is the expert's
 * score, `softmax(logits)` over all experts or `sigmoid(logit)`, divided by the sum of the row's weights where they are normalized (Shazeer et al.,
 * "Outrageously large neural networks", 2017; sigmoid: DeepSeek-AI, "DeepSeek-V3 technical report", 2024).
 *
 * Logits decide, and of equal ones the lower index comes first; scores may be equal by rounding alone. NaN counts as larger than any number, so that
 * it does not go unseen: its expert is chosen and its weight is NaN. With softmax, NaN or +Infinity makes all weights of the row NaN, and a row of
 * nothing but
 * -Infinity has weights of 0. Gradients flow through the weights to the logits; `indices` are constants.
 *
 * Throws a RangeError where the logits are no matrix or `topK` is not from 1 to the number of experts; a TypeError for other element types than f32
 * and f64, other options or a disposed tensor.
 *
 * ```ts
 * import { cpu, route, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [2, 3], [0, 2, 2, Math.log(3), -9, 0]);
 * const { indices, weights } = route(logits, { topK: 2 });
 * console.log(indices.readSync()); // Uint32Array [1, 2, 0, 2]
 * console.log(weights.readSync()); // Float32Array [0.5, 0.5, 0.75, 0.25], but for rounding
 * ```
 *
 * @param logits `[rows, experts]`
 * @returns `indices` and `weights`, `[rows, topK]`
 */
export function route<D extends Float, R extends number, E extends number, const K extends number>(
  logits: Tensor<D, [R, E]>,
  options: RouteOptions<K>,
): Routing<D, R, K> {
  checkNeeded("route", options, names);
  return forward("route", logits as Tensor, options) as unknown as Routing<D, R, K>; // of the logits' dtype and rows
}

interface AnyRouting {
  indices: Tensor;
  weights: Tensor;
}

/** 1 for logistic scores; throws for a score that is none. @internal */
export function scoreFlag(op: string, score: unknown): number {
  if (score !== undefined && score !== "softmax" && score !== "sigmoid") {
    throw new TypeError(`${op}: score must be "softmax" or "sigmoid", got ${formatValue(score)}`);
  }
  return score === "sigmoid" ? 1 : 0;
}

/** Checks that logits are a matrix of floats. @internal */
export function checkLogits(op: string, logits: Tensor): void {
  checkFloat(op, "logits", logits);
  if (logits.rank !== 2) throw new RangeError(`${op}: logits is ${formatShape(logits.shape)}, must be [rows, experts]`);
}

function flagsOf(op: string, topK: number, { score, normalize }: RouteScoring): number {
  checkFlag(op, "normalize", normalize);
  return scoreFlag(op, score) + (normalize ?? topK > 1 ? 2 : 0);
}

function forward(op: string, logits: Tensor, options: RouteOptions): AnyRouting {
  checkLogits(op, logits);
  const k = checkSize(op, "topK", options.topK, 1, Math.max(1, logits.shape[1]!));
  if (k > logits.shape[1]!) throw new RangeError(`${op}: logits is ${formatShape(logits.shape)}: there is no expert to choose`);
  const flags = flagsOf(op, k, options);
  const shape = [logits.shape[0]!, k];
  const indices = allocate(op, logits.device, "u32", shape) as Tensor, weights = allocate(op, logits.device, logits.dtype, shape) as Tensor;
  const rows = asRows(op, logits);
  check(op, native.tw_route(logits.device.handle, indices.handle, weights.handle, rows.handle, flags));
  if (rows !== logits) rows.dispose();
  if (recording(logits)) {
    record(op, [logits], [weights], [logits, indices, weights], ([dy], [logits, indices, weights]) => {
      return [gradient("routeBackward", logits!, indices!, weights!, dy!, flags)];
    });
  }
  return { indices, weights };
}

const scoringNames = optionNames<RouteScoring>({ score: true, normalize: true });

/**
 * Gradient of `route`, from that of its weights. With `c = Σ_s dweights_s·weights_s` over the row's choices, or 0 for sigmoid scores that are not
 * normalized, `dlogits = weights·(dweights − c)` at the chosen experts, for sigmoid times `1 − sigmoid(logit)`. The others have 0, but for softmax
 * that is not normalized `−softmax(logits)·c`.
 *
 * ```ts
 * import { cpu, route, routeBackward, tensor } from "@tilework/tilework";
 *
 * using logits = tensor(cpu, [1, 3], [0, 2, 2]);
 * const routing = route(logits, { topK: 2 });
 * using dweights = tensor(cpu, [1, 2], [1, 3]);
 * using dlogits = routeBackward(logits, routing, dweights);
 * console.log(dlogits.readSync()); // Float32Array [0, -0.5, 0.5]
 * ```
 *
 * @param logits `[rows, experts]`, as in the forward call
 * @param routing what `route` returned for them
 * @param dweights the gradient of `routing.weights`
 * @param scoring as in the forward call
 * @returns the gradient of `logits`
 */
export function routeBackward<D extends Float, R extends number, E extends number, K extends number>(
  logits: Tensor<D, [R, E]>,
  routing: NoInfer<Routing<D, R, K>>,
  dweights: Tensor<NoInfer<D>, [NoInfer<R>, K]>,
  scoring: RouteScoring = {},
): Tensor<D, [R, E]> {
  const op = "routeBackward";
  checkOptions(op, scoring, scoringNames);
  return backward(op, logits as Tensor, routing as unknown as AnyRouting, dweights as Tensor, scoring) as unknown as Tensor<D, [R, E]>; // of the logits' own shape
}

function backward(op: string, logits: Tensor, routing: AnyRouting, dweights: Tensor, scoring: RouteScoring): Tensor {
  checkLogits(op, logits);
  if (typeof routing !== "object" || routing === null) {
    throw new TypeError(`${op}: routing must be { indices, weights }, got ${formatValue(routing)}`);
  }
  const { indices, weights } = routing;
  checkInteger(op, "routing.indices", indices);
  if (indices.dtype !== "u32") throw new TypeError(`${op}: routing.indices is ${indices.dtype}, must be u32`);
  checkDevice(op, "routing.indices", indices, "logits", logits);
  checkLike(op, "routing.weights", weights, "logits", logits);
  checkLike(op, "dweights", dweights, "logits", logits);
  const [rows, experts] = logits.shape as [number, number];
  if (indices.rank !== 2 || indices.shape[0] !== rows || indices.shape[1]! < 1 || indices.shape[1]! > experts) {
    throw new RangeError(`${op}: routing.indices is ${formatShape(indices.shape)}, must be [${rows}, 1 to ${experts}]`);
  }
  checkShapeIs(op, "routing.weights", weights, indices.shape);
  checkShapeIs(op, "dweights", dweights, indices.shape);
  checkNotRecording(op);
  return gradient(op, logits, indices, weights, dweights, flagsOf(op, indices.shape[1]!, scoring));
}

function gradient(op: string, logits: Tensor, indices: Tensor, weights: Tensor, dweights: Tensor, flags: number): Tensor {
  const out = allocate(op, logits.device, logits.dtype, logits.shape) as Tensor;
  const rows = asRows(op, logits), dense = [indices, weights, dweights].map((x) => asContiguous(op, x)) as [Tensor, Tensor, Tensor]; // one of each
  const code = native.tw_route_backward(
    logits.device.handle,
    out.handle,
    dense[2].handle,
    rows.handle,
    dense[0].handle,
    dense[1].handle,
    flags,
  );
  if (rows !== logits) rows.dispose();
  [indices, weights, dweights].forEach((x, i) => dense[i] !== x && dense[i]!.dispose());
  if (isFailure(code)) out.dispose();
  checkLabels(op, "routing.indices", indices, () => `from 0 to ${logits.shape[1]! - 1}`, code);
  return out;
}

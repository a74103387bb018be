/** Mixture of experts: a feed-forward layer of which each row uses a few experts. */

import { RangeError, TypeError } from "../core/errors.ts";
import type { Float } from "../core/dtype.ts";
import { checkFlag, checkFloat, checkTensor, named } from "../core/op.ts";
import { checkNeeded, checkOptions, optionNames } from "../core/options.ts";
import { scope } from "../core/scope.ts";
import { checkSize, formatShape, formatValue, sameShape } from "../core/shape.ts";
import type { Last, Shape } from "../core/shape.ts";
import type { Tensor } from "../core/tensor.ts";
import { combineRows } from "../ops/combine_rows.ts";
import { expertOrder } from "../ops/expert_order.ts";
import { zeros } from "../ops/fill.ts";
import { gatherRows } from "../ops/gather_rows.ts";
import { geglu } from "../ops/geglu.ts";
import { gelu } from "../ops/gelu.ts";
import { groupedLinear } from "../ops/grouped_linear.ts";
import type { GroupedLinear } from "../ops/grouped_linear.ts";
import { linear } from "../ops/linear.ts";
import type { Linear } from "../ops/linear.ts";
import { loadBalanceLoss } from "../ops/load_balance_loss.ts";
import { checkRandom, type Random } from "../ops/random.ts";
import { relu } from "../ops/relu.ts";
import { reshape } from "../ops/reshape.ts";
import { route, type RouteOptions, scoreFlag } from "../ops/route.ts";
import { routerZLoss } from "../ops/router_z_loss.ts";
import { silu } from "../ops/silu.ts";
import { split } from "../ops/split.ts";
import { checkDeviation } from "./init.ts";

/** What an expert computes between its two products. `geglu` takes twice as many columns as it leaves: the gate first. */
export type MoeActivation = "geglu" | "gelu" | "relu" | "silu";

/**
 * The parameters of a mixture of experts: a router `[experts, width]`, and of each expert the way up, `[experts, hidden, width]` or for `geglu`
 * `[experts, 2·hidden, width]`, and down, `[experts, width, hidden]`.
 */
export type Moe<W extends number = number, E extends number = number, H extends number = number, D extends Float = "f32"> = {
  router: Linear<W, E, D>;
  up: GroupedLinear<E, W, number, D>;
  down: GroupedLinear<E, H, W, D>;
};

/** Options of `moe`. */
export interface MoeOptions extends RouteOptions {
  /** What an expert computes between its two products, `geglu`. */
  activation?: MoeActivation;
}

/** What a mixture of experts answers. */
export interface MoeResult<D extends Float, S extends Shape> {
  /** The weighted answers of each row's experts. */
  y: Tensor<D, S>;
  /** `[experts + 1]`: expert e had `offsets[e + 1] − offsets[e]` rows. */
  offsets: Tensor<"u32", [number]>;
  /** `loadBalanceLoss` of the router, a scalar: add a hundredth or so of it to the loss. */
  balanceLoss: Tensor<D, []>;
  /** `routerZLoss` of the router, a scalar: add a thousandth or so of it to the loss. */
  zLoss: Tensor<D, []>;
}

const names = optionNames<MoeOptions>({ topK: true, score: true, normalize: true, activation: true });

/**
 * Mixture of experts: a router chooses `topK` experts for each row (`route`), and the result is the sum of their answers, `down(activation(up(x)))`,
 * by the router's weights. Rows lie by expert in between (`expertOrder`, `gatherRows`, `groupedLinear`, `combineRows`). No row is dropped, however
 * many choose one expert; an expert that no row chooses has gradients of zero.
 *
 * Throws a RangeError where shapes do not fit, a TypeError for other element types than f32 and f64, a mix of them, other options or a disposed
 * tensor.
 *
 * ```ts
 * import { add, cpu, mean, moe, moeInit, ones, random, scale, valueAndGrad } from "@tilework/tilework";
 *
 * using rng = random(cpu, 1);
 * const params = moeInit(rng, { width: 8, hidden: 16, experts: 4 });
 * using x = ones(cpu, [2, 5, 8]);
 * using result = valueAndGrad((p: typeof params) => {
 *   const { y, balanceLoss } = moe(x, p, { topK: 2 });
 *   return add(mean(y), scale(balanceLoss, 0.01));
 * })(params);
 * console.log(result.grads.up.weight.shape); // [4, 32, 8]
 * ```
 *
 * @param x `[…, width]`
 * @returns `y` of the shape of `x`, the experts' loads and the router's losses
 */
export function moe<D extends Float, S extends Shape>(
  x: Tensor<D, S>,
  p: NoInfer<Moe<Last<S>, number, number, D>>,
  options: MoeOptions,
): MoeResult<D, S> {
  checkNeeded("moe", options, names);
  return forward("moe", x as Tensor, p as unknown as AnyMoe, options) as unknown as MoeResult<D, S>; // of x's own dtype and shape
}

interface AnyMoe {
  router: Linear;
  up: GroupedLinear;
  down: GroupedLinear;
}

const activations: Record<MoeActivation, { gated: boolean; of: (h: Tensor<"f32", [number, number]>) => Tensor<"f32", [number, number]> }> =
  {
    geglu: {
      gated: true,
      of: (h) => {
        const half = h.shape[1] / 2;
        const [gate, up] = split(h, [half, half], 1);
        return geglu(gate, up);
      },
    },
    gelu: { gated: false, of: (h) => gelu(h) },
    relu: { gated: false, of: (h) => relu(h) },
    silu: { gated: false, of: (h) => silu(h) },
  };

function activationOf(op: string, name: unknown = "geglu") {
  if (typeof name !== "string" || !Object.hasOwn(activations, name)) {
    throw new TypeError(`${op}: activation must be ${Object.keys(activations).map((n) => `"${n}"`).join(", ")}, got ${formatValue(name)}`);
  }
  return activations[name as MoeActivation]; // one of its keys
}

/** Checks the parameters against the input, in the words of this layer rather than of the ops that it is made of. */
function checkMoe(op: string, x: Tensor, p: AnyMoe, gated: boolean): void {
  checkFloat(op, "x", x);
  if (x.rank === 0) throw new RangeError(`${op}: x is [], needs an axis of features`);
  if (typeof p !== "object" || p === null) throw new TypeError(`${op}: parameters must be { router, up, down }, got ${formatValue(p)}`);
  for (const name of ["router", "up", "down"] as const) {
    if (typeof p[name] !== "object" || p[name] === null) {
      throw new TypeError(`${op}: ${name} must be { weight, bias? }, got ${formatValue(p[name])}`);
    }
    const weight = p[name].weight as Tensor;
    checkTensor(op, `${name}.weight`, weight);
    const axes = name === "router" ? 2 : 3;
    if (weight.rank !== axes) {
      throw new RangeError(`${op}: ${named(`${name}.weight`, weight)} is ${formatShape(weight.shape)}, must have ${axes} axes`);
    }
  }
  const width = x.shape[x.rank - 1]!, experts = p.router.weight.shape[0], hidden = p.down.weight.shape[2];
  const wanted = {
    router: [experts, width],
    up: [experts, gated ? 2 * hidden : hidden, width],
    down: [experts, width, hidden],
  };
  for (const name of ["router", "up", "down"] as const) {
    const { shape } = p[name].weight;
    if (!sameShape(shape, wanted[name])) {
      throw new RangeError(
        `${op}: ${named(`${name}.weight`, p[name].weight as Tensor)} is ${formatShape(shape)}, must be ${formatShape(wanted[name])}`,
      );
    }
  }
}

function forward(op: string, x: Tensor, p: AnyMoe, options: MoeOptions): MoeResult<"f32", Shape> {
  const { topK, score, normalize } = options;
  const activation = activationOf(op, options.activation);
  scoreFlag(op, score);
  checkFlag(op, "normalize", normalize);
  checkMoe(op, x, p, activation.gated);
  checkSize(op, "topK", topK, 1, Math.max(1, p.router.weight.shape[0]));
  const experts = p.router.weight.shape[0], width = x.shape[x.rank - 1]!;
  const count = x.shape.slice(0, -1).reduce((a, b) => a * b, 1);
  // Intermediates are freed here, except those the gradient needs.
  return scope(() => {
    const rows = reshape(x, [count, width]) as Tensor<"f32", [number, number]>; // f32 or f64, as p is
    const logits = linear(rows, p.router);
    const { indices, weights } = route(logits, { topK, score, normalize });
    const order = expertOrder(indices, { experts });
    const hidden = activation.of(groupedLinear(gatherRows(rows, order), order.offsets, p.up));
    const y = combineRows(groupedLinear(hidden, order.offsets, p.down), weights, order);
    return {
      y: reshape(y, x.shape),
      offsets: order.offsets,
      balanceLoss: loadBalanceLoss(logits, order.offsets, { score }),
      zLoss: routerZLoss(logits),
    };
  });
}

/** Sizes and options of `moeInit`. */
export interface MoeInitOptions<W extends number, H extends number, E extends number> {
  /** Features of a row. */
  width: W;
  /** Features inside an expert. */
  hidden: H;
  /** The number of experts. */
  experts: E;
  /** The activation that the layer will be used with: `geglu` makes the way up twice as wide. */
  activation?: MoeActivation;
  /** Whether the experts have biases; they begin at 0. Off. The router has none. */
  bias?: boolean;
  /** Standard deviations of the weights, 1/√inputs each: then outputs vary as much as inputs do. */
  deviation?: { router?: number; up?: number; down?: number };
}

const initNames = optionNames<MoeInitOptions<number, number, number>>({
  width: true,
  hidden: true,
  experts: true,
  activation: true,
  bias: true,
  deviation: true,
});

const deviationNames = optionNames<NonNullable<MoeInitOptions<number, number, number>["deviation"]>>({
  router: true,
  up: true,
  down: true,
});

/**
 * Parameters of a mixture of experts: normal weights, biases of zeros where there are any.
 *
 * ```ts
 * import { cpu, moeInit, random } from "@tilework/tilework";
 *
 * using rng = random(cpu, 1);
 * const p = moeInit(rng, { width: 8, hidden: 16, experts: 4 });
 * console.log(p.router.weight.shape, p.up.weight.shape, p.down.weight.shape); // [4, 8] [4, 32, 8] [4, 8, 16]
 * ```
 */
export function moeInit<W extends number, H extends number, E extends number>(rng: Random, options: MoeInitOptions<W, H, E>): Moe<W, E, H> {
  const op = "moeInit";
  checkRandom(op, rng);
  checkNeeded(op, options, initNames);
  const { width, hidden, experts, deviation = {} } = options;
  checkOptions(op, deviation, deviationNames, "deviation");
  checkSize(op, "width", width);
  checkSize(op, "hidden", hidden);
  checkSize(op, "experts", experts);
  const bias = checkFlag(op, "bias", options.bias);
  const inner: number = activationOf(op, options.activation).gated ? 2 * hidden : hidden;
  const fromWidth = 1 / Math.sqrt(Math.max(1, width)), fromHidden = 1 / Math.sqrt(Math.max(1, hidden));
  const of = (name: "router" | "up" | "down", otherwise: number) => checkDeviation(op, `deviation.${name}`, deviation[name], otherwise);
  const router = { weight: rng.normal([experts, width], { deviation: of("router", fromWidth) }) };
  const up = { weight: rng.normal([experts, inner, width], { deviation: of("up", fromWidth) }) };
  const down = { weight: rng.normal([experts, width, hidden], { deviation: of("down", fromHidden) }) };
  if (!bias) return { router, up, down };
  return {
    router,
    up: { ...up, bias: zeros(rng.device, [experts, inner]) },
    down: { ...down, bias: zeros(rng.device, [experts, width]) },
  };
}

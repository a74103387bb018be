/**
 * What the calls of group `layers` give by definition: plain loops in double precision over the same f32 inputs. Gradients of weights are
 * computed entry by entry as they are asked for.
 *
 * @module
 */
import { behindEachOther, type Reference, sampled, whole } from "./judge.ts";
import type { LayerName, Sizes } from "./layers.ts";
import { gelu, geluSlope } from "./rows_reference.ts";

/** As doubles: a loop over arrays of one type is a fast one. */
type Inputs = readonly Float64Array[];

/** How many experts each row takes. */
export const slots = 2;

/** Integers have to be the same. */
function exact(values: ArrayLike<number>): Reference {
  return whole(values, 0);
}

/** Gradients are sums of some thousand terms. */
const tolerance = 1e-4;

function dot(a: Float64Array, fromA: number, b: Float64Array, fromB: number, count: number): number {
  let s0 = 0, s1 = 0, s2 = 0, s3 = 0, w = 0; // independent sums: one would wait for itself
  for (; w + 4 <= count; w += 4) {
    s0 += a[fromA + w] * b[fromB + w];
    s1 += a[fromA + w + 1] * b[fromB + w + 1];
    s2 += a[fromA + w + 2] * b[fromB + w + 2];
    s3 += a[fromA + w + 3] * b[fromB + w + 3];
  }
  for (; w < count; w++) s0 += a[fromA + w] * b[fromB + w];
  return s0 + s1 + (s2 + s3);
}

/**
 * Of each row, the logarithm of the sum of its logits' exponentials. Products of inputs below a half are too small to overflow, so that no
 * largest one has to be left out. Four classes at a time: these are most of the multiplications that all references take.
 */
function logSumExps(x: Float64Array, weight: Float64Array, rows: number, classes: number, width: number): Float64Array {
  const sums = new Float64Array(rows), whole = classes - classes % 4;
  for (let c = 0; c < whole; c += 4) {
    for (let i = 0; i < rows; i++) {
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (let w = 0, p = i * width, q = c * width; w < width; w++, p++, q++) {
        const value = x[p];
        s0 += value * weight[q];
        s1 += value * weight[q + width];
        s2 += value * weight[q + 2 * width];
        s3 += value * weight[q + 3 * width];
      }
      sums[i] += Math.exp(s0) + Math.exp(s1) + Math.exp(s2) + Math.exp(s3);
    }
  }
  for (let c = whole; c < classes; c++) for (let i = 0; i < rows; i++) sums[i] += Math.exp(dot(x, i * width, weight, c * width, width));
  return sums.map(Math.log);
}

/** The loss, and the gradients of x and weight. */
function linearCrossEntropy({ rows, width, classes }: Sizes, inputs: Inputs): Reference[] {
  const [x, weight] = inputs, label = (row: number) => row * 7919 % classes;
  const logarithms = logSumExps(x, weight, rows, classes, width);
  let loss = 0;
  for (let i = 0; i < rows; i++) loss += logarithms[i] - dot(x, i * width, weight, label(i) * width, width);
  /** Of the logit of a row and a class. */
  const slope = (i: number, c: number) =>
    (Math.exp(dot(x, i * width, weight, c * width, width) - logarithms[i]) - (c === label(i) ? 1 : 0)) / rows;
  const dx = (at: number) => {
    const i = Math.floor(at / width), w = at % width;
    let sum = 0;
    for (let c = 0; c < classes; c++) sum += slope(i, c) * weight[c * width + w];
    return sum;
  };
  const dweight = (at: number) => {
    const c = Math.floor(at / width), w = at % width;
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += slope(i, c) * x[i * width + w];
    return sum;
  };
  return [
    whole([loss / rows], tolerance),
    sampled(rows * width, remembered(dx), undefined, tolerance),
    sampled(classes * width, remembered(dweight), undefined, tolerance),
  ];
}

/** A function that takes long, asked for the same entries by each contender. */
function remembered(compute: (at: number) => number): (at: number) => number {
  const known = new Map<number, number>();
  return (at) => {
    let value = known.get(at);
    if (value === undefined) known.set(at, value = compute(at));
    return value;
  };
}

/** The two largest logits of a row, the first of equal ones before the others, and the shares that the row gives them. */
function bestTwo(logits: ArrayLike<number>, first: number, experts: number): { chosen: [number, number]; shares: [number, number] } {
  let one = -1, two = -1;
  for (let e = 0; e < experts; e++) {
    if (one < 0 || logits[first + e] > logits[first + one]) [one, two] = [e, one];
    else if (two < 0 || logits[first + e] > logits[first + two]) two = e;
  }
  const share = 1 / (1 + Math.exp(logits[first + two] - logits[first + one]));
  return { chosen: [one, two], shares: [share, 1 - share] };
}

/** The weighed answers' sum, and the gradients of x, the router, the way up and the way down. */
function mixture({ rows, width, hidden, experts }: Sizes, [x, router, up, down, dy]: Inputs): Reference[] {
  const count = rows * slots;
  // Of each row and slot: the expert, the slope of its logit, the slopes of gate and value, and the activation times the share.
  const expert = new Uint32Array(count), ofLogit = new Float64Array(count);
  const ofGate = new Float64Array(count * hidden), ofValue = new Float64Array(count * hidden), activated = new Float64Array(count * hidden);
  const logits = new Float64Array(experts), back = new Float64Array(hidden);
  let loss = 0;
  for (let i = 0; i < rows; i++) {
    for (let e = 0; e < experts; e++) logits[e] = dot(x, i * width, router, e * width, width);
    const { chosen, shares } = bestTwo(logits, 0, experts);
    const answers = chosen.map((e, s) => {
      const at = (i * slots + s) * hidden;
      expert[i * slots + s] = e;
      back.fill(0);
      for (let w = 0; w < width; w++) {
        const from = (e * width + w) * hidden, slope = dy[i * width + w];
        for (let j = 0; j < hidden; j++) back[j] += slope * down[from + j];
      }
      let answer = 0;
      for (let j = 0; j < hidden; j++) {
        const gate = dot(x, i * width, up, (e * 2 * hidden + j) * width, width);
        const value = dot(x, i * width, up, (e * 2 * hidden + hidden + j) * width, width), active = gelu(gate);
        answer += active * value * back[j];
        ofGate[at + j] = shares[s] * back[j] * value * geluSlope(gate);
        ofValue[at + j] = shares[s] * back[j] * active;
        activated[at + j] = shares[s] * active * value;
      }
      return answer;
    });
    loss += shares[0] * answers[0] + shares[1] * answers[1];
    ofLogit[i * slots] = shares[0] * shares[1] * (answers[0] - answers[1]);
    ofLogit[i * slots + 1] = -ofLogit[i * slots];
  }
  const overRowsOf = (e: number, term: (place: number, row: number) => number) => {
    let sum = 0;
    for (let place = 0; place < count; place++) if (expert[place] === e) sum += term(place, Math.floor(place / slots));
    return sum;
  };
  const dx = (at: number) => {
    const i = Math.floor(at / width), w = at % width;
    let sum = 0;
    for (let place = i * slots; place < (i + 1) * slots; place++) {
      const e = expert[place], first = e * 2 * hidden;
      sum += ofLogit[place] * router[e * width + w];
      for (let j = 0; j < hidden; j++) {
        sum += ofGate[place * hidden + j] * up[(first + j) * width + w] +
          ofValue[place * hidden + j] * up[(first + hidden + j) * width + w];
      }
    }
    return sum;
  };
  const drouter = (at: number) => overRowsOf(Math.floor(at / width), (place, i) => ofLogit[place] * x[i * width + at % width]);
  const dup = (at: number) => {
    const e = Math.floor(at / (2 * hidden * width)), unit = Math.floor(at / width) % (2 * hidden), w = at % width;
    const slopes = unit < hidden ? ofGate : ofValue;
    return overRowsOf(e, (place, i) => slopes[place * hidden + unit % hidden] * x[i * width + w]);
  };
  const ddown = (at: number) => {
    const e = Math.floor(at / (width * hidden)), w = Math.floor(at / hidden) % width, j = at % hidden;
    return overRowsOf(e, (place, i) => activated[place * hidden + j] * dy[i * width + w]);
  };
  return [
    whole([loss], tolerance),
    sampled(rows * width, dx, undefined, tolerance),
    sampled(experts * width, drouter, undefined, tolerance),
    sampled(experts * 2 * hidden * width, dup, undefined, tolerance),
    sampled(experts * width * hidden, ddown, undefined, tolerance),
  ];
}

function route({ rows, experts }: Sizes, [logits]: Inputs): Reference[] {
  const best = Array.from({ length: rows }, (_, i) => bestTwo(logits, i * experts, experts));
  return [exact(best.flatMap(({ chosen }) => chosen)), whole(best.flatMap(({ shares }) => shares))];
}

/** Borders between the experts, what stands at each place, and the place of each row and slot, of experts by row and slot. */
function orderOf({ experts }: Sizes, [chosen]: Inputs): { offsets: number[]; order: number[]; places: number[] } {
  const offsets = [0], order: number[] = [], places: number[] = [];
  for (let e = 0; e < experts; e++) {
    for (const [at, expert] of chosen.entries()) {
      if (expert !== e) continue;
      places[at] = order.length;
      order.push(at);
    }
    offsets.push(order.length);
  }
  return { offsets, order, places };
}

function expertOrder(sizes: Sizes, inputs: Inputs): Reference[] {
  const { offsets, order, places } = orderOf(sizes, inputs);
  return [exact(offsets), exact(order), exact(places)];
}

/** A matrix by rows and columns. */
function matrix(rows: number, width: number, value: (row: number, w: number) => number, allowed?: number): Reference {
  const y = new Float64Array(rows * width);
  for (let i = 0; i < rows; i++) for (let w = 0; w < width; w++) y[i * width + w] = value(i, w);
  return whole(y, allowed);
}

function gatherRows(sizes: Sizes, inputs: Inputs): Reference[] {
  const { order } = orderOf(sizes, inputs), { rows, width } = sizes, x = inputs[1];
  return [matrix(rows * slots, width, (place, w) => x[Math.floor(order[place] / slots) * width + w], 0)];
}

function gatherRowsBackward(sizes: Sizes, inputs: Inputs): Reference[] {
  const { places } = orderOf(sizes, inputs), { rows, width } = sizes, dy = inputs[1];
  return [matrix(rows, width, (i, w) => dy[places[i * slots] * width + w] + dy[places[i * slots + 1] * width + w])];
}

function combineRows(sizes: Sizes, inputs: Inputs): Reference[] {
  const { places } = orderOf(sizes, inputs), { rows, width } = sizes, [, h, weights] = inputs;
  const term = (at: number, w: number) => weights[at] * h[places[at] * width + w];
  return [matrix(rows, width, (i, w) => term(i * slots, w) + term(i * slots + 1, w))];
}

function combineRowsBackward(sizes: Sizes, inputs: Inputs): Reference[] {
  const { order, places } = orderOf(sizes, inputs), { rows, width } = sizes, [, h, weights, dy] = inputs;
  return [
    matrix(rows * slots, width, (place, w) => weights[order[place]] * dy[Math.floor(order[place] / slots) * width + w]),
    matrix(rows, slots, (i, s) => dot(dy, i * width, h, places[i * slots + s] * width, width)),
  ];
}

const definitions: Record<LayerName, (sizes: Sizes, inputs: Inputs) => Reference[]> = {
  linear_cross_entropy: linearCrossEntropy,
  moe: mixture,
  route,
  expert_order: expertOrder,
  gather_rows: gatherRows,
  gather_rows_backward: gatherRowsBackward,
  combine_rows: combineRows,
  combine_rows_backward: combineRowsBackward,
};

/** The result of a call, its tensors behind each other. */
export function layerReference(op: LayerName, sizes: Sizes, inputs: readonly Float32Array[]): Reference {
  return behindEachOther(definitions[op](sizes, inputs.map((values) => new Float64Array(values))));
}

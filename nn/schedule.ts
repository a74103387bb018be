/** Learning-rate schedules: functions from the step to the rate, so that a resumed run has the same rates as an uninterrupted one. */

import { RangeError } from "../core/errors.ts";
import { checkNumber } from "../core/op.ts";
import { checkNeeded, optionNames } from "../core/options.ts";
import { checkSize } from "../core/shape.ts";

/** Settings of `cosine`. */
export interface CosineOptions {
  /** The highest rate, reached at the end of the warm-up. */
  peak: number;
  /** Steps of the linear warm-up; 0 for none. */
  warmup: number;
  /** Steps in all, the warm-up included. */
  steps: number;
  /** The lowest rate, which the last steps approach; 0. */
  floor?: number;
}

const names = optionNames<CosineOptions>({ peak: true, warmup: true, steps: true, floor: true });

/**
 * Linear warm-up, then half a cosine down to the floor. With steps counted from 0:
 *
 *   rate(s) = peak · (s + 1) / warmup                                                        s < warmup
 *   rate(s) = floor + (peak − floor) · (1 + cos(π · (s − warmup) / (steps − warmup))) / 2    warmup ≤ s < steps
 *   rate(s) = floor                                                                          s ≥ steps
 *
 * The cosine is computed here: the same bits in every runtime, which `Math.cos` does not promise.
 *
 * ```ts
 * import { cosine } from "@tilework/tilework";
 *
 * const rate = cosine({ peak: 0.01, warmup: 10, steps: 110 });
 * console.log(rate(0), rate(10), rate(60), rate(110)); // 0.001 0.01 0.005 0
 * ```
 */
export function cosine(options: CosineOptions): (step: number) => number {
  checkNeeded("cosine", options, names);
  const { peak, warmup, steps, floor = 0 } = options;
  checkRate("peak", peak, Infinity);
  checkRate("floor", floor, peak);
  checkSize("cosine", "steps", steps, 1);
  checkSize("cosine", "warmup", warmup, 0, steps);
  return (step) => {
    checkSize("cosine", "step", step);
    if (step < warmup) return peak * (step + 1) / warmup;
    if (step >= steps) return floor;
    return floor + (peak - floor) * (1 + cosPi((step - warmup) / (steps - warmup))) / 2;
  };
}

function checkRate(name: string, value: number, max: number): void {
  checkNumber("cosine", name, value);
  if (!(value >= 0 && value < Infinity)) throw new RangeError(`cosine: ${name} must be at least 0 and finite, got ${value}`);
  if (value > max) throw new RangeError(`cosine: ${name} ${value} is above the peak ${max}`);
}

/** cos(πx) for x in [0, 1]: Taylor's series of the nearer of cosine and sine, at most π/4 away from 0, where the first term left out is below 1e-17. */
function cosPi(x: number): number {
  if (x > 0.5) return -cosPi(1 - x);
  const near = x <= 0.25;
  const angle = Math.PI * (near ? x : 0.5 - x);
  let term = near ? 1 : angle, sum = term;
  for (let i = near ? 1 : 2; i < 18; i += 2) {
    term *= -(angle * angle) / (i * (i + 1));
    sum += term;
  }
  return sum;
}

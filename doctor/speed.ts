/** How fast products run here, next to what the machine can do: a loop of multiply-adds that touches no memory, and a copy. */

import { copy, type CpuDevice, cpuDevice, empty, matmul, ones, scope } from "../mod.ts";
import { native } from "../ffi/library.ts";

/** A rate at a number of workers. */
export interface Rate {
  /** What ran: "multiply-add loop", "copy", or "matmul" with its m×n×k and the layout. */
  readonly name: string;
  /** Threads that ran it. */
  readonly workers: number;
  /** GFLOP/s, or GB/s of a copy, read and written. */
  readonly rate: number;
  /** The unit of `rate` and `peak`: 10⁹ operations or bytes a second. */
  readonly unit: "GFLOP/s" | "GB/s";
  /** What the multiply-add loop reached in the same turns, on as many workers; `null` for what is no product. */
  readonly peak: number | null;
}

/** Measures on one worker and on all. Each number is the best of turns that share `seconds`: what others do to the machine only ever slows it down. */
export function speed(cores: number, seconds: number): Rate[] {
  const rates: Rate[] = [];
  const widths = cores > 1 ? [1, cores] : [1];
  const cell = seconds / widths.length / 6;
  const one = cpuDevice({ threads: 1, tuning: { cores } });
  const iterations = iterationsFor(one, 2);
  const peak = best(loop(one, 1, iterations), cell / 4);
  // A slow machine does not wait for a large product: a few of them fit the time of one number.
  const n = [1024, 512, 256, 128].find((size) => 2 * size ** 3 / (peak * 1e9) <= cell / 4) ?? 64;
  const sizes = [[n, n, n, ""], [n / 2, 3 * n, 3 * n / 4, ""], [n / 2, 3 * n / 4, 3 * n / 4, " NT"], [
    n / 2,
    3 * n / 4,
    3 * n / 4,
    " TN",
  ]] as const;
  for (const workers of widths) {
    const device = cpuDevice({ threads: workers, tuning: { cores } });
    const ceiling = loop(device, workers, iterations);
    rates.push({ name: "multiply-add loop", workers, rate: best(ceiling, cell), unit: "GFLOP/s", peak: null });
    for (const [m, columns, k, layout] of sizes) {
      // The loop once more beside each product: the machine's own clock moves from one number to the next.
      const [rate, now] = scope(() => turns([product(device, m, columns, k, layout), ceiling], cell));
      rates.push({ name: `matmul ${m}×${columns}×${k}${layout}`, workers, rate: rate!, unit: "GFLOP/s", peak: now! });
    }
    rates.push({ name: "copy", workers, rate: scope(() => best(copying(device, cell), cell)), unit: "GB/s", peak: null });
  }
  return rates;
}

/** A call that answers its rate in thousand millions a second. */
type Turn = () => number;

function timed(work: number, call: () => void): Turn {
  call();
  return () => {
    const start = performance.now();
    call();
    return work / (performance.now() - start) / 1e6;
  };
}

function best(turn: Turn, seconds: number): number {
  return turns([turn], seconds)[0]!;
}

/** The best rate of each, taken in turn. */
function turns(all: readonly Turn[], seconds: number): number[] {
  const rates = all.map(() => 0);
  const end = performance.now() + 1000 * seconds;
  do all.forEach((turn, i) => rates[i] = Math.max(rates[i]!, turn())); while (performance.now() < end);
  return rates;
}

/** Iterations of the loop that take some milliseconds on one worker. */
function iterationsFor(device: CpuDevice, milliseconds: number): number {
  for (let iterations = 64;; iterations *= 2) {
    const start = performance.now();
    native.tw_peak_multiply_add(device.handle, 1, iterations);
    if (performance.now() - start >= milliseconds || iterations >= 2 ** 28) return iterations;
  }
}

function loop(device: CpuDevice, workers: number, iterations: number): Turn {
  return () => native.tw_peak_multiply_add(device.handle, workers, iterations) / 1e9;
}

/** The caller's scope frees the operands. */
function product(device: CpuDevice, m: number, n: number, k: number, layout: "" | " NT" | " TN"): Turn {
  const transposeA = layout === " TN", transposeB = layout === " NT";
  const a = ones(device, transposeA ? [k, m] : [m, k]), b = ones(device, transposeB ? [n, k] : [k, n]), out = empty(device, [m, n]);
  return timed(2 * m * n * k, () => void matmul(a, b as never, { transposeA, transposeB, out } as never)); // checked as numbers
}

/** Arrays far beyond the caches of a core, smaller where there is little time. */
function copying(device: CpuDevice, seconds: number): Turn {
  const bytes = seconds > 0.05 ? 2 ** 26 : 2 ** 24;
  const x = ones(device, [bytes / 4]), out = empty(device, [bytes / 4]);
  return timed(2 * bytes, () => void copy(x, { out }));
}

/** The self-test: ops against plain loops in f64, on every instruction set and number of workers, with equal bits. */

import {
  add,
  attention,
  type CpuDevice,
  crossEntropy,
  gelu,
  layerNorm,
  layerNormBackward,
  linearBackward,
  matmul,
  scope,
  softmax,
  sum,
  type Tensor,
  tensor,
} from "../mod.ts";

/** How a check went. */
export interface Check {
  /** What was checked, in words. */
  readonly name: string;
  /** Whether it passed. */
  readonly ok: boolean;
  /** What was wrong; empty if it passed. */
  readonly fault: string;
}

/** Something that is computed on a device and, once, by plain loops. */
interface Trial {
  readonly name: string;
  readonly run: (device: CpuDevice) => readonly Tensor[];
  readonly want: readonly Float64Array[];
  /** Relative to the largest value of a result. Sums of some hundred f32 are off by a few 1e-7 of their largest terms. */
  readonly tolerance: number;
}

/** A device and what it is called in a fault. */
export interface Tried {
  readonly name: string;
  readonly device: CpuDevice;
}

/** Runs each trial on each device: close to the plain loops, and the same bits everywhere. */
export function selfTest(devices: readonly Tried[], quick: boolean): Check[] {
  return trials(quick).map((trial) => {
    let first: Uint8Array[] | null = null;
    for (const { name, device } of devices) {
      let got: Float32Array[];
      try {
        got = scope(() => trial.run(device).map((x) => x.readSync() as Float32Array)); // every trial is f32
      } catch (error) {
        return { name: trial.name, ok: false, fault: `${name}: ${error instanceof Error ? error.message : String(error)}` };
      }
      for (const [i, want] of trial.want.entries()) {
        const fault = difference(got[i]!, want, trial.tolerance);
        if (fault !== "") return { name: trial.name, ok: false, fault: `${name}: ${fault}` };
      }
      const bits = got.map((x) => new Uint8Array(x.buffer, x.byteOffset, x.byteLength));
      first ??= bits;
      if (!bits.every((part, i) => part.every((byte, k) => byte === first![i]![k]))) {
        return { name: trial.name, ok: false, fault: `${name}: other bits than ${devices[0]!.name}` };
      }
    }
    return { name: trial.name, ok: true, fault: "" };
  });
}

function difference(got: Float32Array, want: Float64Array, tolerance: number): string {
  if (got.length !== want.length) return `${got.length} elements, want ${want.length}`;
  const scale = want.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-30);
  for (let i = 0; i < want.length; i++) {
    if (!(Math.abs(got[i]! - want[i]!) <= tolerance * scale)) return `element ${i} is ${got[i]}, want ${want[i]}`;
  }
  return "";
}

function trials(quick: boolean): Trial[] {
  const sizes: [number, number, number][] = [
    [1, 33, 300],
    [16, 16, 16],
    [65, 70, 257],
    ...(quick ? [] : [[190, 130, 520] as [number, number, number]]),
  ];
  const rows = quick ? 40 : 300, cols = 173;
  return [
    ...sizes.flatMap(([m, n, k]) =>
      [["", false, false], [" NT", false, true], [" TN", true, false], [" TT", true, true]].map((layout) => {
        const [suffix, ta, tb] = layout as [string, boolean, boolean]; // as written above
        return product(`matmul ${m}×${n}×${k}${suffix}`, m, n, k, ta, tb);
      })
    ),
    softmaxTrial(rows, cols),
    layerNormTrial(rows, cols),
    crossEntropyTrial(rows, cols),
    geluTrial(rows * cols),
    linearTrial(quick ? 40 : 200, 70, 90),
    attentionTrial(quick ? 20 : 65, 24),
    sumTrial(rows, cols),
  ];
}

/** The same numbers from -1 to 1 for the same place, in f32. */
function numbers(count: number, place: number): Float32Array<ArrayBuffer> {
  let state = (place * 2654435761 + 12345) >>> 0;
  return Float32Array.from({ length: count }, () => {
    // Xorshift (Marsaglia, 2003).
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 31 - 1;
  });
}

/** A tensor of sizes that the compiler does not follow. */
function on(device: CpuDevice, shape: readonly number[], data: Float32Array<ArrayBuffer>): Tensor<"f32", number[]> {
  return tensor(device, shape, data) as unknown as Tensor<"f32", number[]>; // as above
}

/** Σ_p a[i, p] · b[p, j] by strides. */
function multiply(
  a: ArrayLike<number>,
  aStrides: [number, number],
  b: ArrayLike<number>,
  bStrides: [number, number],
  [m, n, k]: [number, number, number],
): Float64Array {
  const out = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const x = a[i * aStrides[0] + p * aStrides[1]]!;
      for (let j = 0; j < n; j++) out[i * n + j]! += x * b[p * bStrides[0] + j * bStrides[1]]!;
    }
  }
  return out;
}

function product(name: string, m: number, n: number, k: number, transposeA: boolean, transposeB: boolean): Trial {
  const a = numbers(m * k, 1), b = numbers(k * n, 2);
  return {
    name,
    run: (device) => [
      matmul(
        on(device, transposeA ? [k, m] : [m, k], a),
        on(device, transposeB ? [n, k] : [k, n], b) as never,
        { transposeA, transposeB } as never,
      ), // checked as numbers
    ],
    want: [multiply(a, transposeA ? [1, m] : [k, 1], b, transposeB ? [1, k] : [n, 1], [m, n, k])],
    tolerance: 1e-5,
  };
}

function softmaxRow(row: Float64Array): Float64Array {
  const most = row.reduce((a, b) => Math.max(a, b), -Infinity);
  const e = row.map((x) => Math.exp(x - most));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}

function byRow(data: ArrayLike<number>, cols: number, row: (x: Float64Array, i: number) => ArrayLike<number>): Float64Array {
  const parts = Array.from(
    { length: data.length / cols },
    (_, i) => row(Float64Array.from({ length: cols }, (_, j) => data[i * cols + j]!), i),
  );
  return Float64Array.from(parts.flatMap((part) => Array.from(part)));
}

function softmaxTrial(rows: number, cols: number): Trial {
  const x = numbers(rows * cols, 3).map((v) => 8 * v);
  return {
    name: `softmax ${rows}×${cols}`,
    run: (device) => [softmax(on(device, [rows, cols], x))],
    want: [byRow(x, cols, softmaxRow)],
    tolerance: 1e-5,
  };
}

/** Mean and reciprocal deviation. */
function moments(row: Float64Array): [number, number] {
  const mean = row.reduce((a, b) => a + b, 0) / row.length;
  return [mean, 1 / Math.sqrt(row.reduce((a, b) => a + (b - mean) ** 2, 0) / row.length + 1e-5)];
}

function layerNormTrial(rows: number, cols: number): Trial {
  const x = numbers(rows * cols, 4), weight = numbers(cols, 5), bias = numbers(cols, 6), dy = numbers(rows * cols, 7);
  const dweight = new Float64Array(cols);
  const dx = byRow(x, cols, (row, i) => {
    const [mean, r] = moments(row);
    const hat = row.map((v) => (v - mean) * r);
    const u = hat.map((_, j) => dy[i * cols + j]! * weight[j]!);
    hat.forEach((v, j) => dweight[j]! += dy[i * cols + j]! * v);
    const meanU = u.reduce((a, b) => a + b, 0) / cols, meanUx = u.reduce((a, b, j) => a + b * hat[j]!, 0) / cols;
    return u.map((v, j) => r * (v - meanU - hat[j]! * meanUx));
  });
  return {
    name: `layerNorm ${rows}×${cols} and its gradient`,
    run: (device) => {
      const t = on(device, [rows, cols], x), p = { weight: on(device, [cols], weight) as never, bias: on(device, [cols], bias) as never }; // of one axis
      const g = layerNormBackward(t, p, on(device, [rows, cols], dy));
      return [layerNorm(t, p), g.x, g.weight as Tensor];
    },
    want: [
      byRow(x, cols, (row) => {
        const [mean, r] = moments(row);
        return row.map((v, j) => (v - mean) * r * weight[j]! + bias[j]!);
      }),
      dx,
      dweight,
    ],
    tolerance: 1e-5,
  };
}

function crossEntropyTrial(rows: number, cols: number): Trial {
  const x = numbers(rows * cols, 8).map((v) => 5 * v);
  const labels = Uint32Array.from({ length: rows }, (_, i) => i * 7 % cols);
  let loss = 0;
  byRow(x, cols, (row, i) => [loss -= Math.log(softmaxRow(row)[labels[i]!]!) / rows]);
  return {
    name: `crossEntropy ${rows}×${cols}`,
    run: (device) => [crossEntropy(on(device, [rows, cols], x), tensor(device, [rows], labels) as never)], // of the logits' leading shape
    want: [Float64Array.of(loss)],
    tolerance: 1e-5,
  };
}

function geluTrial(count: number): Trial {
  const x = numbers(count, 9).map((v) => 4 * v);
  const form = (v: number) => 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));
  return {
    name: `gelu (tanh) of ${count}`,
    run: (device) => [gelu(on(device, [count], x), { approximate: "tanh" })],
    want: [Float64Array.from(x, form)],
    tolerance: 1e-5,
  };
}

function linearTrial(rows: number, inputs: number, outputs: number): Trial {
  const x = numbers(rows * inputs, 10), w = numbers(outputs * inputs, 11), dy = numbers(rows * outputs, 12);
  return {
    name: `linearBackward ${rows}×${inputs}→${outputs}`,
    run: (device) => {
      const p = { weight: on(device, [outputs, inputs], w), bias: on(device, [outputs], numbers(outputs, 13)) };
      const g = linearBackward(on(device, [rows, inputs], x), p as never, on(device, [rows, outputs], dy) as never); // checked as numbers
      return [g.x as Tensor, g.weight as Tensor, g.bias as unknown as Tensor]; // there is a bias
    },
    want: [
      multiply(dy, [outputs, 1], w, [inputs, 1], [rows, inputs, outputs]),
      multiply(dy, [1, outputs], x, [inputs, 1], [outputs, inputs, rows]),
      multiply(dy, [1, outputs], new Float64Array(rows).fill(1), [1, 1], [outputs, 1, rows]),
    ],
    tolerance: 1e-5,
  };
}

function attentionTrial(length: number, width: number): Trial {
  const [q, k, v] = [14, 15, 16].map((place) => numbers(length * width, place)) as [
    Float32Array<ArrayBuffer>,
    Float32Array<ArrayBuffer>,
    Float32Array<ArrayBuffer>,
  ]; // three
  const scores = multiply(q, [width, 1], k, [1, width], [length, length, width]);
  const weights = byRow(scores, length, (row, i) => softmaxRow(row.map((s, j) => j > i ? -Infinity : s / Math.sqrt(width))));
  return {
    name: `attention ${length}×${width}, causal`,
    run: (device) => {
      const [a, b, c] = [q, k, v].map((data) => on(device, [1, 1, length, width], data) as never) as [never, never, never]; // of four axes
      return [attention(a, b, c, { causal: true })];
    },
    want: [multiply(weights, [length, 1], v, [width, 1], [length, width, length])],
    tolerance: 1e-5,
  };
}

function sumTrial(rows: number, cols: number): Trial {
  const x = numbers(rows * cols, 17), row = numbers(cols, 18);
  const wide = byRow(x, cols, (r) => r.map((v, j) => Math.fround(v + row[j]!)));
  const total = new Float64Array(cols);
  wide.forEach((v, i) => total[i % cols]! += v);
  return {
    name: `add and sum ${rows}×${cols}`,
    run: (device) => {
      const y = add(on(device, [rows, cols], x), on(device, [cols], row) as never); // broadcast
      return [y as Tensor, sum(y as Tensor<"f32", number[]>, { axis: 0 } as never) as Tensor]; // as above
    },
    want: [wide, total],
    tolerance: 1e-5,
  };
}

/**
 * Group `grouped`: linear layers of experts whose rows are shared out unevenly, forward and each gradient apart, against PyTorch's loop over the experts,
 * its `torch._grouped_mm`, and the loop that our own plain products make.
 *
 * @module
 */
import { cpuDevice, empty, groupedLinear, reshape, slice, type Tensor, tensor } from "@tilework/tilework";
// The gradients one by one: the public call computes both.
import { native } from "../ffi/library.ts";
import type { Line, Options, Prepared } from "./harness.ts";
import { type Reference, sampled } from "./judge.ts";
import { type Candidate, measure } from "./measure.ts";
import { Torch } from "./peers/torch.ts";

const parts = ["forward", "dx", "dw"] as const;
type Part = (typeof parts)[number];

/** Rows of each expert, and the layer's sizes. */
interface Case {
  readonly name: string;
  readonly rows: readonly number[];
  readonly inner: number;
  readonly out: number;
}

const cases: readonly Case[] = [
  { name: "uneven", rows: [250, 31, 180, 97, 5, 290, 121, 50], inner: 512, out: 1024 },
  { name: "one-has-all", rows: [0, 0, 0, 1024, 0, 0, 0, 0], inner: 512, out: 1024 },
  { name: "few-rows", rows: [16, 3, 9, 0, 21, 8, 1, 6], inner: 512, out: 1024 },
];
const tiny: readonly Case[] = [{ name: "tiny", rows: [5, 0, 17, 1], inner: 24, out: 40 }];

interface Layer extends Case {
  readonly borders: readonly number[];
  /** x [rows, in], weight [experts, out, in] and dy [rows, out]. */
  readonly inputs: readonly [Float32Array, Float32Array, Float32Array];
}

function makeLayer(each: Case): Layer {
  const borders = [0];
  for (const n of each.rows) borders.push(borders[borders.length - 1] + n);
  const rows = borders[borders.length - 1];
  let state = 1;
  const uniform = (count: number) =>
    Float32Array.from({ length: count }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state >>> 8) / 0x1000000 - 0.5;
    });
  const inputs = [uniform(rows * each.inner), uniform(each.rows.length * each.out * each.inner), uniform(rows * each.out)] as const;
  return { ...each, borders, inputs };
}

/** Measures the group, line by line. */
export async function* groupedLines(options: Options): AsyncGenerator<Line> {
  const peer = new Torch("torch_server.py");
  try {
    for (const each of options.tiny ? tiny : cases) {
      const wanted = parts.filter((part) => options.wants(`${part} ${each.name}`));
      if (wanted.length === 0) continue;
      const layer = makeLayer(each);
      for (const threads of options.threads) for (const part of wanted) yield* partLines(layer, part, threads, options, peer);
    }
  } finally {
    peer.close();
  }
}

async function* partLines(layer: Layer, part: Part, threads: number, options: Options, peer: Torch): AsyncGenerator<Line> {
  const rows = layer.borders[layer.rows.length], experts = layer.rows.length, reference = referenceOf(layer, part);
  const candidates: Candidate[] = [
    { name: "ours", threads, reference, prepare: () => prepareOurs(layer, part, threads, false) },
    { name: "ours, a loop", threads, reference, prepare: () => prepareOurs(layer, part, threads, true) },
  ];
  const inputs = [...layer.inputs, Float32Array.from(layer.borders)];
  for (const way of ["loop", "grouped_mm"]) {
    const question = `prepare grouped_${part} ${way} ${rows} ${layer.out} ${layer.inner} ${experts}`;
    const name = way === "loop" ? "pytorch, a loop" : "pytorch, grouped_mm";
    candidates.push({ name, threads, peer: true, reference, prepare: () => peer.prepare(threads, question, inputs) });
  }
  const measured = await measure(`${part} ${layer.name}`, candidates, options);
  const flops = 2 * rows * layer.out * layer.inner, shape = `${rows}x${layer.out}x${layer.inner}`;
  const layout = part === "forward" ? "NT" : part === "dx" ? "NN" : "TN";
  const line = { group: "grouped", op: `grouped_${part}`, case: layer.name, shape, layout, dtype: "f32", threads, unit: "GFLOP/s" };
  for (const { name, peer: other } of candidates.slice(1)) {
    const compared = measured.against(name, (seconds) => 1e-9 * flops / seconds);
    yield { ...line, ...compared, ...(other ? peer.extra : {}), ...measured.common };
  }
}

function prepareOurs({ rows, inner, out, borders, inputs }: Layer, part: Part, threads: number, loop: boolean): Prepared {
  const device = cpuDevice({ threads });
  const total = borders[rows.length];
  const x = tensor(device, [total, inner], inputs[0]), weight = tensor(device, [rows.length, out, inner], inputs[1]);
  const dy = tensor(device, [total, out], inputs[2]), offsets = tensor(device, [borders.length], Uint32Array.from(borders));
  const results = { forward: empty(device, [total, out]), dx: empty(device, [total, inner]), dw: empty(device, [rows.length, out, inner]) };
  const ok = (code: number) => {
    if (code !== 0) throw new Error(`the library answered ${code}`);
  };
  const of = (name: Part) => name === part ? results[name].handle : 0;
  let call: () => void;
  if (!loop) {
    const handles = Uint32Array.of(of("dx"), of("dw"), 0, x.handle, offsets.handle, weight.handle);
    call = part === "forward"
      ? () => void groupedLinear(x, offsets, { weight }, { out: results.forward })
      : () => ok(native.tw_grouped_linear_backward(device.handle, handles, dy.handle, 0));
  } else {
    const some = (t: Tensor, e: number) => slice(t as Tensor<"f32", [number, number]>, 0, borders[e], borders[e + 1]);
    const one = (t: Tensor<"f32", [number, number, number]>, e: number) => reshape(slice(t, 0, e, e + 1), [out, inner]);
    // Tensors, not their handles: what nothing holds is freed.
    const each = rows.map((_, e) => ({
      x: some(x, e),
      weight: one(weight, e),
      dy: some(dy, e),
      out: part === "dw" ? one(results.dw, e) : some(results[part], e),
    }));
    call = part === "forward"
      ? () => each.forEach((p) => ok(native.tw_matmul(device.handle, p.out.handle, p.x.handle, p.weight.handle, 0, 2, 1, 0)))
      : () =>
        each.forEach((p) => {
          const dx = part === "dx" ? p.out.handle : 0, dw = part === "dw" ? p.out.handle : 0;
          ok(native.tw_linear_backward(device.handle, dx, dw, 0, p.dy.handle, p.x.handle, p.weight.handle, 0));
        });
  }
  return {
    call,
    time(calls) {
      const start = performance.now();
      for (let i = 0; i < calls; i++) call();
      return (performance.now() - start) / 1000;
    },
    result: () => results[part].readSync(),
    dispose: () => [x, weight, dy, offsets, ...Object.values(results)].forEach((t) => t.dispose()),
  };
}

/** What a part is by definition, entry by entry. */
function referenceOf({ rows, inner, out, borders, inputs: [x, weight, dy] }: Layer, part: Part): Reference {
  const columns = part === "forward" ? out : inner, total = borders[rows.length];
  const entry = (at: number): number => {
    const row = Math.floor(at / columns), j = at % columns;
    let sum = 0;
    if (part === "dw") {
      const e = Math.floor(row / out);
      for (let r = borders[e]; r < borders[e + 1]; r++) sum += dy[r * out + row % out] * x[r * inner + j];
      return sum;
    }
    const e = rows.findIndex((_, e) => row < borders[e + 1]);
    for (let q = 0; part === "forward" && q < inner; q++) sum += x[row * inner + q] * weight[(e * out + j) * inner + q];
    for (let q = 0; part === "dx" && q < out; q++) sum += dy[row * out + q] * weight[(e * out + q) * inner + j];
    return sum;
  };
  // Products of two inputs have a deviation of 1/12; each rounding of a sum of j of them errs by at most half an ulp of about sqrt(j)/12.
  const terms = part === "forward" ? inner : part === "dx" ? out : Math.max(...rows), size = Math.sqrt(terms) / 12;
  return sampled((part === "dw" ? rows.length * out : total) * columns, entry, size, 2 ** -23 * (terms / 4 + 4) / size);
}

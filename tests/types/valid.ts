/**
 * What compiles, and to which type. This file is compiled, never run: `is<T>(value)` holds when the value's type is T to the letter.
 */
import {
  add,
  attention,
  cast,
  concat,
  crossEntropy,
  embedding,
  geglu,
  gelu,
  layerNorm,
  linear,
  matmul,
  matmulList,
  mean,
  mul,
  prepack,
  relu,
  reshape,
} from "../../mod.ts";
import { dropout, mse, rmsNorm, scale, silu, slice, softmax, split, sum, swiglu, transpose } from "../../mod.ts";
import { cpu, dim, empty, full, isTensor, keep, ones, random, scope, tensor, zeros } from "../../mod.ts";
import { combineRows, expertOrder, gatherRows, loadBalanceLoss, moe, moeInit, route } from "../../mod.ts";
import { adamW, clipByGlobalNorm, cosine, embeddingInit, layerNormInit, linearInit, load, save, valueAndGrad } from "../../mod.ts";
import { openSafetensors, type SafetensorsData, type SafetensorsEntry, type SafetensorsFile } from "../../mod.ts";
import { accumulate, checkpoint, copy, ema, lion, muon, type Optimizer, parameterCount, sgd, treeMap } from "../../mod.ts";
import type { Broadcast, Dim, DType, Float, Linear, Prepacked, Replaced, Shape, Tensor } from "../../mod.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<E>(): <A>(value: A, ...same: Equal<A, E> extends true ? [] : ["the type is another one"]) => void;
type F<S extends Shape> = Tensor<"f32", S>;

declare const size: number;
declare const w: Dim<"width">, h: Dim<"hidden">;
declare const s23: F<[2, 3]>, s34: F<[3, 4]>, s43: F<[4, 3]>, s3: F<[3]>, s4: F<[4]>, s13: F<[1, 3]>, s234: F<[2, 3, 4]>;
declare const d34: Tensor<"f64", [3, 4]>;
declare const rows: F<[number, Dim<"width">]>, x3: F<[number, number, Dim<"width">]>, any: F<Shape>, someN: F<[2, number]>;
declare const up: F<[Dim<"hidden">, Dim<"width">]>;
declare const ids: Tensor<"u32", [2, 5]>, list: F<[number, 4]>[];

// ── Making tensors: a typed array decides the dtype, sizes keep what is known of them ──
is<F<[2, 3]>>()(tensor(cpu, [2, 3], new Float32Array(6)));
is<Tensor<"f64", [2, 3]>>()(tensor(cpu, [2, 3], new Float64Array(6)));
is<Tensor<"i32", [6]>>()(tensor(cpu, [6], new Int32Array(6)));
is<Tensor<"u32", [number]>>()(tensor(cpu, [size], new Uint32Array(6)));
is<F<[2]>>()(tensor(cpu, [2], [1, 2]));
is<Tensor<"u32", [2]>>()(tensor(cpu, [2], [1, 2], { dtype: "u32" }));
is<F<[]>>()(tensor(cpu, [], [1]));
is<F<[0, 3]>>()(tensor(cpu, [0, 3], []));
is<F<number[]>>()(tensor(cpu, [] as number[], []));
is<F<[2, Dim<"width">]>>()(zeros(cpu, [2, w]));
is<Tensor<"f64", [2, 3]>>()(ones(cpu, [2, 3], "f64"));
is<Tensor<"i32", [2, 3]>>()(empty(cpu, [2, 3], "i32"));
is<F<[2, 3]>>()(full(cpu, [2, 3], 1.5));
is<Dim<"width">>()(dim("width", 128));
is<number>()(3 * w);

// ── Assignments follow the same rule as arguments: `number` fits both ways, the rank and the dtype need not be known ──
export const known: F<[2, 3]> = someN;
export const unknown: F<[2, number]> = s23;
export const anyRank: F<Shape> = s23;
export const anything: Tensor = s23;
export const named: F<[2, number]> = zeros(cpu, [2, w]);
is<readonly [number, number]>()(s23.shape as readonly [number, number]);
export function narrowed(value: unknown): Tensor | undefined {
  return isTensor(value) ? value : undefined;
}

// ── Products ──
is<F<[2, 4]>>()(matmul(s23, s34));
is<F<[2, 4]>>()(matmul(s23, s43, { transposeB: true }));
is<F<[3, 3]>>()(matmul(s23, s23, { transposeA: true }));
is<F<[4, 2]>>()(matmul(s34, s23, { transposeA: true, transposeB: true }));
is<F<[2, 4]>>()(matmul(s23, s34, { bias: s4, alpha: 0.5, epilogue: "gelu" }));
is<F<[2, 4]>>()(matmul(s23, s34, { out: zeros(cpu, [2, 4]), beta: 1 }));
is<F<[2, 4]>>()(matmul(someN, s34));
is<F<[2, number]>>()(matmul(s23, transpose(zeros(cpu, [size, 3]))));
is<F<[2, 3, 3]>>()(matmul(s234, s43));
is<F<[2, 2, 4]>>()(matmul(s23, zeros(cpu, [2, 3, 4])));
is<F<[5, 2, 3, 6]>>()(matmul(zeros(cpu, [2, 3, 4]), zeros(cpu, [5, 1, 4, 6])));
is<F<[number, Dim<"hidden">]>>()(matmul(rows, up, { transposeB: true }));
is<F<Shape>>()(matmul(any, s34));
is<F<Shape>>()(matmul(s34, any));
is<Tensor<"f64", [3, 3]>>()(matmul(d34, d34, { transposeB: true }));
export function flagged(a: F<[3, 3]>, flag: boolean): F<[3, 3]> {
  return matmul(a, a, { transposeB: flag });
}
export function square<N extends number>(a: F<[N, N]>): F<[N, N]> {
  return matmul(a, a);
}
export function gram<D extends Float, B extends number, M extends number, K extends number>(a: Tensor<D, [B, M, K]>): Tensor<D, [B, M, M]> {
  return matmul(a, a, { transposeB: true });
}
is<F<[2, 4]>[]>()(matmulList([s23, s23], [s34, s34]));
is<F<[2, 4]>[]>()(matmulList([s23, s23], s34, { bias: s4, out: [zeros(cpu, [2, 4])], beta: 1 }));
is<F<[3, 4]>[]>()(matmulList([s23], [zeros(cpu, [4, 2])], { transposeA: true, transposeB: true }));
is<F<[number, Dim<"hidden">]>[]>()(matmulList([rows, rows], prepack(up), { transposeB: true }));
is<F<Shape>[]>()(matmulList([any], s34));
is<F<[2, 4]>>()(linear(s23, { weight: s43 }));
is<F<[2, 4]>>()(linear(s23, { weight: s43, bias: s4 }));
is<F<[4]>>()(linear(s3, { weight: s43 }));
is<F<[2, 3, 5]>>()(linear(s234, { weight: zeros(cpu, [5, 4]) }));
is<F<[number, number, Dim<"hidden">]>>()(linear(x3, { weight: up, bias: undefined }));
is<Prepacked<"f32", [4, 3]>>()(prepack(s43));
is<Prepacked<"f64", [3, 4]>>()(prepack(d34, { transpose: false }));
is<F<[4, 3]>>()(prepack(s43).weight);
is<F<[2, 4]>>()(linear(s23, { weight: prepack(s43), bias: s4 }));
is<F<[2, 4]>>()(matmul(s23, prepack(s43), { transposeB: true }));
is<F<[2, 3, 3]>>()(matmul(s234, prepack(s43, { transpose: false })));
is<F<[number, number, Dim<"hidden">]>>()(linear(x3, { weight: prepack(up) }));
export const packedLayer: Linear<3, 4> = { weight: prepack(s43) };

// ── Elementwise, with broadcasting ──
is<F<[2, 3]>>()(add(s23, s23));
is<F<[2, 3]>>()(add(s23, s3));
is<F<[2, 3]>>()(mul(s3, s23));
is<F<[2, 3]>>()(mul(s13, s23));
is<F<[2, 3]>>()(add(zeros(cpu, [2, 1]), s13));
is<F<[2, 3]>>()(add(s23, zeros(cpu, [])));
is<F<[0, 3]>>()(add(zeros(cpu, [0, 3]), s13));
is<F<[2, number]>>()(add(s23, someN)); // the 3 may stretch, so that the compiler cannot tell
is<F<[number, Dim<"width">]>>()(add(rows, rows));
is<F<Shape>>()(add(s23, any));
is<F<Shape>>()(add(any, s23));
is<F<[2, 3]>>()(scale(s23, 0.5));
is<F<[2, 3]>>()(gelu(relu(silu(softmax(s23, { causal: true })))));
is<F<[2, 3]>>()(geglu(s23, s23));
export function gated<D extends Float, S extends Shape>(x: Tensor<D, S>): Tensor<D, S> {
  add(x, x);
  return geglu(softmax(x, { out: x }), gelu(x));
}
// Of one generic shape is the result, too; where a generic shape leaves the rank open, the rest is checked when it runs.
is<<S extends Shape>(x: F<S>) => F<S>>()(<S extends Shape>(x: F<S>) => add(mul(x, x), x));
export const sub = <D extends Float, S extends Shape>(a: Tensor<D, S>, b: Tensor<D, S>): Tensor<D, S> => add(a, scale(b, -1));
is<F<[2, 3]>>()(sub(s23, s23));
export const squaredError = <D extends Float, S extends Shape>(x: Tensor<D, S>, y: Tensor<D, S>): Tensor<D, []> =>
  mean(mul(sub(x, y), sub(x, y)));
export const interleaved = <D extends Float, S extends Shape>(x: Tensor<D, S>, out: Tensor<D, S>): Tensor<D, S> => add(x, x, { out });
export const gatedUnits = <D extends Float, S extends Shape>(x: Tensor<D, S>, up: Tensor<D, S>): Tensor<D, S> =>
  add(swiglu(x, up), geglu(add(x, up), mul(x, up)));
export const distance = <D extends Float, S extends Shape>(x: Tensor<D, S>, y: Tensor<D, S>): Tensor<D, []> => mse(add(x, y), mul(x, y));
export const shifted = <S extends Shape>(x: F<S>, by: F<[3]>): F<Broadcast<S, [3]>> => add(x, by);
is<F<[2, 3]>>()(shifted(s23, s3));
export const centred = <S extends Shape>(x: F<S>): F<Shape> => add(x, scale(mean(x, { axis: -1, keepDims: true }), -1));
export const pair = <A extends Shape, B extends Shape>(a: F<A>, b: F<B>): F<Shape> => mul(add(a, b), add(b, a));
export const twice = <S extends Shape>(x: F<S>): F<Shape> => add(matmul(gelu(matmul(x, s34)), s43), x);
is<F<[2, 4]>>()((<S extends Shape>(x: F<S>) => matmul(x, s34))(s23));
is<F<[5, 4]>>()(
  (<S extends Shape>(x: F<S>) => linear(gelu(linear(x, { weight: s43 })), { weight: zeros(cpu, [4, 4]) }))(zeros(cpu, [5, 3])),
);
is<F<[]>>()((<S extends Shape>(x: F<S>, axis: 0 | 1) => sum(sum(x, { axis }), { axis: -1 }))(s23, 0));
is<F<[number, 3]>>()((<S extends Shape>(x: F<S>[]) => concat(x, 0))([s23, s23]));
is<F<[3, 2]>>()((<S extends Shape>(x: F<S>) => transpose(reshape(x, [2, 3]), [1, 0]))(s23));
export const axisOf = <S extends Shape, X extends number>(x: F<S>, axis: X): F<Replaced<S, X, []>> => sum(x, { axis });
is<F<[2]>>()(axisOf(s23, 1));
export function residual<B extends number, T extends number>(
  x: F<[B, T, Dim<"width">]>,
  y: F<[B, T, Dim<"width">]>,
): F<[B, T, Dim<"width">]> {
  return add(x, y);
}

// ── Axes ──
is<F<[2]>>()(sum(s23, { axis: 1 }));
is<F<[2]>>()(sum(s23, { axis: -1 }));
is<F<[3]>>()(mean(s23, { axis: -2 }));
is<F<[2, 1]>>()(mean(s23, { axis: 1, keepDims: true }));
is<F<[]>>()(sum(s3, { axis: 0 }));
is<F<[]>>()(sum(s23));
is<F<[]>>()(mean(any));
is<F<Shape>>()(sum(any, { axis: 7 }));
is<F<Shape>>()(sum(s23, { axis: size }));
export function total<S extends Shape>(x: F<S>): void {
  sum(x, { axis: -1 }); // the rank is not known here: checked when it runs
  slice(x, 0, 1);
}
is<F<[number, 3]>>()(slice(s23, 0, 1));
is<F<[2, number, 4]>>()(slice(s234, -2, 0, 2));
is<F<[number, number, Dim<"width">]>>()(slice(x3, 1, -1));
is<[F<[2, 1]>, F<[2, 2]>]>()(split(s23, [1, 2], 1));
is<[F<[number, Dim<"hidden">]>, F<[number, Dim<"hidden">]>]>()(split(zeros(cpu, [size, 2 * h]), [h, h], -1));
is<F<[2, number]>>()(concat([s23, zeros(cpu, [2, 5])], 1));
is<F<[number, 3]>>()(concat([s23, s43, s13], 0));
is<F<[number, 4]>>()(concat(list, 0));
is<F<[number, number]>>()(concat(list as readonly F<[number, 4]>[], -1));
is<F<[number, 4]>>()(concat(list.map((x) => scale(x, 2)), 0));
is<F<[number, 4]>>()(concat([s34, ...list], 0));
is<F<Shape>>()(concat([any, any] as F<Shape>[], 5));

// ── Views ──
is<F<[3, 2]>>()(transpose(s23));
is<F<[2, 4, 3]>>()(transpose(s234));
is<F<[4, 2, 3]>>()(transpose(s234, [2, 0, 1]));
is<F<[4, 2, 3]>>()(transpose(s234, [-1, 0, -2]));
is<F<[number, Dim<"width">, number]>>()(transpose(x3, [0, 2, 1]));
is<F<[6]>>()(reshape(s23, [6]));
is<F<[3, 2, 1]>>()(reshape(s23, [3, 2, 1]));
is<F<[4096, 768]>>()(reshape(zeros(cpu, [512, 8, 12, 64]), [4096, 768]));
is<F<[1000000, 999999]>>()(reshape(zeros(cpu, [999999, 1000000]), [1000000, 999999]));
is<F<[3, 333667, 999]>>()(reshape(zeros(cpu, [999999999]), [3, 333667, 999]));
is<F<[number, 2]>>()(reshape(s23, [size, 2]));
is<F<[number, number, 4, number]>>()(reshape(x3, [size, size, 4, w / 4]));
is<F<[Dim<"width">, 2]>>()(reshape(zeros(cpu, [2, w]), [w, 2]));
is<F<[0, 7]>>()(reshape(zeros(cpu, [0, 3]), [0, 7]));
is<F<[1, 1]>>()(reshape(zeros(cpu, []), [1, 1]));
is<Tensor<"u32", [2, 3]>>()(cast(s23, "u32"));

// ── Layers ──
is<F<[2, 3]>>()(layerNorm(s23, { weight: s3 }));
is<F<[2, 3]>>()(layerNorm(s23, { weight: s3, bias: s3 }, { eps: 1e-6 }));
is<{ y: F<[2, 3]>; sum: F<[2, 3]> }>()(layerNorm(s23, { weight: s3 }, { residual: s23, sum: s23 }));
is<F<[2, 3]>>()(rmsNorm(s23, { weight: s3 }));
is<F<[]>>()(mse(s23, s23));
is<F<[2, 3]>>()(dropout(swiglu(s23, softmax(s23, { mask: s3, scale: 2 })), random(cpu, 1), { rate: 0.1 }));
is<F<[2, 5, Dim<"width">]>>()(embedding(ids, { weight: zeros(cpu, [256, w]) }));
is<F<[]>>()(crossEntropy(zeros(cpu, [2, 5, 256]), ids, { ignoreIndex: 0 }));
is<F<[2, 4, 5, 8]>>()(attention(zeros(cpu, [2, 4, 5, 8]), zeros(cpu, [2, 1, 9, 8]), zeros(cpu, [2, 1, 9, 8]), { causal: true }));

// ── Mixtures of experts: the number of choices comes from `topK`, what is counted is a number ──
const rng = random(cpu, 1);
const routing = route(s23, { topK: 2 });
is<Tensor<"u32", [2, 2]>>()(routing.indices);
is<Tensor<"f64", [3, 1]>>()(route(d34, { topK: 1, score: "sigmoid" }).weights);
const order = expertOrder(routing.indices, { experts: 3 });
is<Tensor<"u32", [2, 2]>>()(order.places);
is<F<[number, Dim<"width">]>>()(gatherRows(rows, order));
is<F<[2, 3]>>()(combineRows(gatherRows(s23, order), routing.weights, order));
is<F<[]>>()(loadBalanceLoss(s23, order.offsets));
const mixture = moeInit(rng, { width: w, hidden: h, experts: 4 });
is<F<[4, Dim<"width">]>>()(mixture.router.weight);
is<F<[4, Dim<"width">, Dim<"hidden">]>>()(mixture.down.weight);
is<F<[number, number, Dim<"width">]>>()(moe(x3, mixture, { topK: 2, activation: "geglu" }).y);
is<F<[]>>()(moe(rows, mixture, { topK: 1 }).zLoss);

// ── Training ──
const params = { in: linearInit(rng, 3, h), blocks: [{ norm: layerNormInit(rng, h) }], table: embeddingInit(rng, 7, 3) };
const loss = (p: typeof params, x: F<[2, 3]>, labels: Tensor<"u32", [2]>) => crossEntropy(linear(x, p.in), labels);
const { value, grads } = valueAndGrad(loss)(params, s23, zeros(cpu, [2], "u32"));
is<F<[]>>()(value);
is<typeof params>()(grads);
is<[F<[]>, F<[2, 3]>]>()(valueAndGrad((p: typeof params, x: F<[2, 3]>): [F<[]>, F<[2, 3]>] => [sum(p.in.weight), x])(params, s23).value);
const optimizer = adamW(params, { betas: [0.9, 0.95], weightDecay: 0.1 });
is<number>()(optimizer.step(params, grads, cosine({ peak: 1e-3, warmup: 10, steps: 100 })(1)));
is<F<[]>>()(clipByGlobalNorm(grads, 1));
is<Promise<void>>()(save("x.safetensors", { params, optimizer: optimizer.state, rng: rng.state }));
// Any of them stands for an optimizer of these parameters, and its state is part of a checkpoint.
const others: Optimizer<typeof params>[] = [optimizer, sgd(params, { nesterov: true }), lion(params), muon(params)];
for (const { state } of others) is<Promise<void>>()(save("x.safetensors", { params, state }));
is<Promise<void>>()(save("x.safetensors", { momentum: sgd(params).state, muon: muon(params).state, average: ema(params).average }));
is<typeof params>()(ema(params).average);
is<typeof params>()(treeMap(params, (x) => copy(x)));
is<number>()(parameterCount(params));
accumulate(grads, valueAndGrad(loss)(params, s23, zeros(cpu, [2], "u32")).grads, { weight: 0.5 });
is<F<[]>>()(checkpoint(loss)(params, s23, zeros(cpu, [2], "u32")));
is<Promise<void>>()(load("x.safetensors", { params, optimizer: optimizer.state, rng: rng.state }));
is<Promise<void>>()(load("x.safetensors", params, { ignoreExtra: true, ignoreMissing: true }));
const file: SafetensorsFile = await openSafetensors("x.safetensors");
is<ReadonlyMap<string, SafetensorsEntry>>()(file.tensors);
is<Promise<SafetensorsData>>()(file.read("w"));
is<Float64Array>()(file.readSync("w", "f64"));
is<Promise<Tensor<DType>>>()(file.tensor(cpu, "w"));
is<Promise<Tensor<"i32">>>()(file.tensor(cpu, "w", { dtype: "i32" }));
is<Tensor<"f32">>()(file.tensorSync(cpu, "w", { dtype: "f32" }));
is<F<[2, 3]>>()(scope(() => keep(add(s23, s23))));
is<number>()(scope(() => 1));
is<Tensor<"u32", [2]>>()(rng.categorical(s23, { temperature: 0.8 }));

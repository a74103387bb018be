/**
 * What does not compile, and what the compiler says. This file is compiled, never run. The text behind each directive must stand in the compiler's message
 * for the line below it; `scripts/type_tests.ts` compares them. Sentences that also exist at run time are repeated in tests/shape_test.ts.
 */
import {
  add,
  attention,
  cast,
  concat,
  crossEntropy,
  embedding,
  geglu,
  layerNorm,
  linear,
  matmul,
  matmulList,
  mean,
  mul,
  prepack,
  reshape,
  scale,
} from "../../mod.ts";
import { mse, rmsNorm, slice, softmax, split, sum, transpose } from "../../mod.ts";
import { cpu, full, keep, random, scope, tensor, zeros } from "../../mod.ts";
import { combineRows, expertOrder, gatherRows, moe, moeInit, route } from "../../mod.ts";
import { adamW, checkpoint, embeddingInit, layerNormInit, linearInit, openSafetensors, save, valueAndGrad } from "../../mod.ts";
import type { Dim, Prepacked, Shape, Tensor, VulkanDevice } from "../../mod.ts";

declare const w: Dim<"width">, h: Dim<"hidden">;
declare const s23: Tensor<"f32", [2, 3]>, s45: Tensor<"f32", [4, 5]>, s34: Tensor<"f32", [3, 4]>;
declare const s3: Tensor<"f32", [3]>,
  s4: Tensor<"f32", [4]>,
  s234: Tensor<"f32", [2, 3, 4]>,
  s534: Tensor<"f32", [5, 3, 4]>,
  s0: Tensor<"f32", []>;
declare const d34: Tensor<"f64", [3, 4]>, i23: Tensor<"i32", [2, 3]>;
declare const rows: Tensor<"f32", [number, Dim<"width">]>,
  up: Tensor<"f32", [Dim<"hidden">, Dim<"width">]>,
  x4: Tensor<"f32", [2, 4, 5, 8]>;
declare const ids: Tensor<"u32", [2, 5]>;
declare const list: Tensor<"f32", [number, 4]>[];
declare const gpu: VulkanDevice;

// ── Making tensors ──
// @ts-expect-error tensor: data is f32, dtype is f64: convert it with Float64Array.from(data)
tensor(cpu, [2, 3], new Float32Array(6), { dtype: "f64" });
// @ts-expect-error tensor: data must be a number[], Float32Array, Float64Array, Int32Array or Uint32Array
tensor(cpu, [2, 3], new Uint8Array(6));
// @ts-expect-error '"f16"'
zeros(cpu, [2, 3], "f16");
// @ts-expect-error Type 'string' is not assignable to type 'number'
zeros(cpu, [2, "3"]);
// @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'number'
full(cpu, [2], "1");

// ── Assignments ──
// @ts-expect-error Type 'Tensor<"f32", [2, 3]>' is not assignable to type 'Tensor<"f32", [3, 2]>'
export const exchanged: Tensor<"f32", [3, 2]> = s23;
// @ts-expect-error Type 'Tensor<"f32", [2, 3]>' is not assignable to type 'Tensor<"f32", [2]>'
export const lowerRank: Tensor<"f32", [2]> = s23;
// @ts-expect-error Type 'Tensor<"f64", [3, 4]>' is not assignable to type 'Tensor<"f32", [3, 4]>'
export const otherType: Tensor<"f32", [3, 4]> = d34;
// @ts-expect-error Type 'Dim<"width">' is not assignable to type 'Dim<"hidden">'
export const otherName: Dim<"hidden"> = w;
// @ts-expect-error Type 'number' is not assignable to type 'Dim<"width">'
export const arithmetic: Dim<"width"> = 2 * w;

// ── Products ──
// @ts-expect-error matmul: a is [2, 3], b is [4, 5]: inner sizes 3 and 4 differ
matmul(s23, s45);
// @ts-expect-error matmul: a is [2, 3], b is [3, 4]: inner sizes 3 and 4 differ
matmul(s23, s34, { transposeB: true });
// @ts-expect-error matmul: a is [2, 3], b is [3, 4]: inner sizes 2 and 3 differ
matmul(s23, s34, { transposeA: true });
// @ts-expect-error matmul: a is [number, width], b is [hidden, width]: inner sizes width and hidden differ
matmul(rows, up);
// @ts-expect-error matmul: a is [2, 3, 4], b is [5, 3, 4]: batch sizes do not broadcast
matmul(s234, s534, { transposeB: true });
// @ts-expect-error matmul: a is [3], b is [3, 4]: both need two axes or more
matmul(s3, s34);
// @ts-expect-error matmul: a is [2, 3], b is [3]: both need two axes or more
matmul(s23, s3);
// @ts-expect-error matmul: a is [], b is [2, 3]: both need two axes or more
matmul(s0, s23);
// @ts-expect-error 'Tensor<"f64", [3, 4]>' is not assignable to parameter of type 'Tensor<"f32", [3, 4]>'
matmul(s23, d34);
// @ts-expect-error 'Tensor<"i32", [2, 3]>' is not assignable to parameter of type 'Tensor<Float, [2, 3]>'
matmul(i23, i23, { transposeB: true });
// @ts-expect-error Type 'Tensor<"f32", [3]>' is not assignable to type 'Tensor<"f32", [4]>'
matmul(s23, s34, { bias: s3 });
// @ts-expect-error Type 'Tensor<"f32", [2, 3]>' is not assignable to type 'Tensor<"f32", [2, 4]>'
matmul(s23, s34, { out: s23 });
// @ts-expect-error Type '"tanh"' is not assignable to type
matmul(s23, s34, { epilogue: "tanh" });
// @ts-expect-error linear: x is [2, 3], weight is [4, 5]: inner sizes 3 and 5 differ
linear(s23, { weight: s45 });
// @ts-expect-error linear: x is [number, width], weight is [width, hidden]: inner sizes width and hidden differ
linear(rows, linearInit(random(cpu, 1), h, w));
// @ts-expect-error linear: x is [], weight is [4, 5]: inner sizes none and 5 differ
linear(s0, { weight: s45 });
// @ts-expect-error Type 'Tensor<"f32", [3]>' is not assignable to type 'Tensor<"f32", [4]>'
linear(zeros(cpu, [2, 5]), { weight: s45, bias: s3 });

// @ts-expect-error linear: x is [2, 3], weight is [4, 5]: inner sizes 3 and 5 differ
linear(s23, { weight: prepack(s45) });
// @ts-expect-error linear: x is [number, width], weight is [width, hidden]: inner sizes width and hidden differ
linear(rows, { weight: prepack(zeros(cpu, [w, h])) });
// @ts-expect-error matmul: a is [2, 3], b is [4, 5]: inner sizes 3 and 4 differ
matmul(s23, prepack(s45, { transpose: false }));
// @ts-expect-error 'Prepacked<"f64", [3, 4]>' is not assignable to parameter of type 'Tensor<"f32", [3, 4]>'
matmul(s23, prepack(d34, { transpose: false }));
// @ts-expect-error 'Tensor<"i32", [2, 3]>' is not assignable to parameter of type 'Tensor<Float, [2, 3]>'
prepack(i23);
// @ts-expect-error Type 'Tensor<"f32", [4, 3]>' is missing the following properties from type 'Prepacked<"f32", [4, 3]>'
export const notPacked: Prepacked<"f32", [4, 3]> = zeros(cpu, [4, 3]);
// @ts-expect-error matmulList: a is [2, 3], b is [4, 5]: inner sizes 3 and 4 differ
matmulList([s23, s23], [s45, s45]);
// @ts-expect-error matmulList: a is [2, 3], b is [4, 5]: inner sizes 2 and 5 differ
matmulList([s23], s45, { transposeA: true, transposeB: true });
// @ts-expect-error matmulList: a is [2, 3, 4], b is [4, 5]: both need two axes
matmulList([s234], s45);
// @ts-expect-error Type 'Tensor<"f32", [4, 5]>' is not assignable to type 'Tensor<"f32", [2, 3]>'
matmulList([s23, s45], s34);
// @ts-expect-error Type 'Tensor<"f32", [4, 5]>' is not assignable to type 'Tensor<"f32", [3, 4]>'
matmulList([s23, s23], [s34, s45]);
// @ts-expect-error Type 'Tensor<"f32", [2, 3]>' is not assignable to type 'Tensor<"f32", [2, 4]>'
matmulList([s23], s34, { out: [s23] });

// ── Generic sizes: each equals itself alone ──
// @ts-expect-error is not assignable to parameter of type
export const otherInner = <M extends number, K extends number>(a: Tensor<"f32", [M, K]>, b: Tensor<"f32", [M, K]>) => matmul(a, b);
// @ts-expect-error is not assignable to parameter of type
export const otherLength = <M extends number, N extends number>(a: Tensor<"f32", [M]>, b: Tensor<"f32", [N]>) => add(a, b);
// @ts-expect-error is not assignable to parameter of type
export const otherKind = <S extends Shape>(a: Tensor<"f32", S>, b: Tensor<"f64", S>) => mul(a, b);
// @ts-expect-error Type 'Tensor<"f32", Broadcast<S, [3]>>' is not assignable to type 'Tensor<"f32", S>'
export const stretched = <S extends Shape>(a: Tensor<"f32", S>): Tensor<"f32", S> => add(a, s3);
// ── Elementwise ──
// @ts-expect-error add: [2, 3] and [4] do not broadcast
add(s23, s4);
// @ts-expect-error mul: [2, 3, 4] and [5, 3, 4] do not broadcast
mul(s234, s534);
// @ts-expect-error add: [number, width] and [hidden] do not broadcast
add(rows, zeros(cpu, [h]));
// @ts-expect-error 'Tensor<"i32", [2, 3]>' is not assignable to parameter of type 'Tensor<"f32", [2, 3]>'
add(s23, i23);
// @ts-expect-error Type 'Tensor<"f32", [2, 3]>' is not assignable to type 'Tensor<"f32", [3]>'
add(s3, s3, { out: s23 });
// @ts-expect-error 'Tensor<"f32", [2, 3]>' is not assignable to parameter of type 'number'
scale(s23, s23);
// @ts-expect-error 'Tensor<"i32", [2, 3]>' is not assignable to parameter of type 'Tensor<Float, [2, 3]>'
softmax(i23);
// @ts-expect-error 'Tensor<"f32", [4, 5]>' is not assignable to parameter of type 'Tensor<"f32", [2, 3]>'
geglu(s23, s45);

// ── Axes ──
// @ts-expect-error sum: axis 2 is out of range for rank 2
sum(s23, { axis: 2 });
// @ts-expect-error sum: axis -3 is out of range for rank 2
sum(s23, { axis: -3 });
// @ts-expect-error mean: axis 0 is out of range for rank 0
mean(s0, { axis: 0 });
// @ts-expect-error slice: axis 2 is out of range for rank 2
slice(s23, 2, 0);
// @ts-expect-error split: axis 3 is out of range for rank 3
split(s234, [1, 2], 3);
// @ts-expect-error concat: axis 2 is out of range for rank 2
concat([s23, s23], 2);
// @ts-expect-error Type 'Tensor<"f32", [4, 5]>' is not assignable to type 'Tensor<"f32", [number, 3]>'
concat([s23, s45], 0);
// @ts-expect-error Type 'Tensor<"f64", [3, 4]>' is not assignable to type 'Tensor<"f32", [number, 4]>'
concat([s34, d34], 0);
// @ts-expect-error concat: axis 2 is out of range for rank 2
concat(list, 2);
// @ts-expect-error concat: tensors must hold one tensor or more
concat([], 0);
// @ts-expect-error 'Tensor<"f32", [2, 2]>'
export const piece: Tensor<"f32", [2, 2]> = split(s23, [1, 2], 1)[0];

// ── Views ──
// @ts-expect-error reshape: [2, 3] and [4, 2] differ in their number of elements
reshape(s23, [4, 2]);
// @ts-expect-error reshape: [2, 3] and [7] differ in their number of elements
reshape(s23, [7]);
// @ts-expect-error reshape: [2, 3] and [-1] differ in their number of elements
reshape(s23, [-1]);
// @ts-expect-error reshape: [4096, 768] and [512, 8, 12, 65] differ in their number of elements
reshape(zeros(cpu, [4096, 768]), [512, 8, 12, 65]);
// @ts-expect-error reshape: [] and [2] differ in their number of elements
reshape(s0, [2]);
// @ts-expect-error transpose: [2, 3, 4] has 3 axes, not 2
transpose(s234, [1, 0]);
// @ts-expect-error transpose: axis 3 is out of range for rank 3
transpose(s234, [0, 1, 3]);
// @ts-expect-error '"f16"'
cast(s23, "f16");

// ── Layers: the first operand fixes the others, and the expected type is message enough ──
// @ts-expect-error Type 'Tensor<"f32", [4]>' is not assignable to type 'Tensor<"f32", [3]>'
layerNorm(s23, { weight: s4 });
// @ts-expect-error Type 'Tensor<"f32", [4]>' is not assignable to type 'Tensor<"f32", [3]>'
rmsNorm(s23, { weight: s4 });
// @ts-expect-error 'Tensor<"f32", [4, 5]>' is not assignable to parameter of type 'Tensor<"f32", [2, 3]>'
mse(s23, s45);
// @ts-expect-error Type 'Tensor<"f32", [Dim<"hidden">]>' is not assignable to type 'Tensor<"f32", [Dim<"width">]>'
layerNorm(rows, { weight: zeros(cpu, [h]) });
// @ts-expect-error 'Tensor<"f32", [2, 3]>' is not assignable to parameter of type 'Tensor<Integer, [2, 3]>'
embedding(s23, { weight: s34 });
// @ts-expect-error 'Tensor<"u32", [2, 5]>' is not assignable to parameter of type 'Tensor<Integer, [2]>'
crossEntropy(s23, ids);
// @ts-expect-error 'Tensor<"f32", [2]>' is not assignable to parameter of type 'Tensor<Integer, [2]>'
crossEntropy(s23, zeros(cpu, [2]));
// @ts-expect-error 'Tensor<"f32", [2]>' is not assignable to parameter of type 'Tensor<Integer, [2]>'
crossEntropy(s23, tensor(cpu, [2], [0, 1]));
// @ts-expect-error 'Tensor<"f32", [2, 4, 5, 9]>' is not assignable to parameter of type 'Tensor<"f32", [2, number, number, 8]>'
attention(x4, zeros(cpu, [2, 4, 5, 9]), x4);

// ── Mixtures of experts ──
const order = expertOrder(route(s23, { topK: 2 }).indices, { experts: 3 });
// @ts-expect-error Argument of type 'ExpertOrder<2, 2>' is not assignable to parameter of type 'ExpertOrder<3, 2>'
gatherRows(s34, order);
// @ts-expect-error Argument of type 'ExpertOrder<2, 2>' is not assignable to parameter of type 'ExpertOrder<3, 4>'
combineRows(s34, s34, order);
// @ts-expect-error Type 'Dim<"hidden">' is not assignable to type 'Dim<"width">'
moe(rows, moeInit(random(cpu, 1), { width: h, hidden: w, experts: 4 }), { topK: 2 });
// @ts-expect-error Property 'topK' is missing
route(s23, {});
// @ts-expect-error Type '"tanh"' is not assignable to type 'RouterScore | undefined'
route(s23, { topK: 1, score: "tanh" });
// @ts-expect-error Type '"f32"' is not assignable to type 'Integer'
expertOrder(s23, { experts: 3 });

// ── A tensor is no number ──
// @ts-expect-error Operator '<' cannot be applied to types 'Tensor<"f32", []>' and 'number'
export const better: boolean = sum(s23) < 3;
// @ts-expect-error Operator '+' cannot be applied to types 'number' and 'Tensor<"f32", []>'
export const total: number = 1 + sum(s23);
// @ts-expect-error Argument of type 'Tensor<"f32", []>' is not assignable to parameter of type 'number'
Math.min(sum(s23), 3);

// ── Training ──
// @ts-expect-error scope: the body must not be async; await its result outside
scope(async () => await s23.item());
// @ts-expect-error time: the work must not be async
gpu.time(async () => await s23.item());
// @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'Owned'
keep(1);
// @ts-expect-error Type 'readonly [2, 3]' is not assignable to type 'readonly []'
valueAndGrad((p: { a: Tensor<"f32", [2, 3]> }) => p.a);
// @ts-expect-error Argument of type 'Tensor<"f32", [3]>' is not assignable to parameter of type 'Tensor<"f32", [4]>'
valueAndGrad((p: { a: Tensor<"f32", [4]> }, x: Tensor<"f32", [4]>) => sum(mul(p.a, x)))({ a: s4 }, s3);
// @ts-expect-error Type 'number' is not assignable to type 'Tensor<DType, Shape>'
adamW({ a: s23, b: 1 });
// @ts-expect-error Type 'Tensor<"f32", [3]>' is not assignable to type 'Tensor<"f32", [4]>'
adamW({ a: s4 }).step({ a: s4 }, { a: s3 }, 0.1);
// @ts-expect-error Argument of type 'Tensor<"f32", [3]>' is not assignable to parameter of type 'Tensor<"f32", [4]>'
checkpoint((x: Tensor<"f32", [4]>) => mul(x, x))(s3);
// @ts-expect-error Type 'string' is not assignable to type 'Tensor<DType, Shape>'
save("x.safetensors", { a: "b" });
// @ts-expect-error Type '"f16"' is not assignable to type 'DType | undefined'
(await openSafetensors("x.safetensors")).tensorSync(cpu, "w", { dtype: "f16" });
// @ts-expect-error 'Dim<"width">' is not assignable to type 'Dim<"hidden">'
layerNorm(zeros(cpu, [2, h]), layerNormInit(random(cpu, 1), w));
// @ts-expect-error 'Dim<"width">' is not assignable to type 'Dim<"hidden">'
export const table: { weight: Tensor<"f32", [7, Dim<"hidden">]> } = embeddingInit(random(cpu, 1), 7, w);

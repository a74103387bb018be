/**
 * Layers as a library of layers exports them: without a type for what they return, over shapes that are not known. `tests/project_test.ts` compiles this file
 * in projects of its own and has its declarations written, which name what the compiler has inferred by what the package exports.
 */
import {
  adamW,
  add,
  attention,
  checkpoint,
  concat,
  cpu,
  type DType,
  ema,
  explain,
  type Float,
  geglu,
  gelu,
  keyValueCache,
  layerNorm,
  type Linear,
  linear,
  linearBackward,
  linearInit,
} from "@tilework/tilework";
import { lion, matmul, matmulList, mean, memory, type Moe, moe, mse, mseBackward, mul, muon, openSafetensors } from "@tilework/tilework";
import {
  prepack,
  random,
  reshape,
  route,
  scale,
  sgd,
  type Shape,
  slice,
  softmax,
  split,
  sum,
  swiglu,
  type Tensor,
} from "@tilework/tilework";
import { transpose, treeLeaves, treeMap, valueAndGrad, vulkan } from "@tilework/tilework";

type F<S extends Shape> = Tensor<"f32", S>;

export function norm<S extends Shape>(x: Tensor<"f32", S>) {
  return sum(x, { axis: 0 });
}
export const part = <S extends Shape>(x: F<S>) => slice(x, -1, 0, 4);
export const gram = <S extends Shape>(x: F<S>) => matmul(x, x, { transposeB: true });
export const grams = <S extends Shape>(x: F<S>) => matmulList([x], x, { transposeA: true });
export const gramOf = <B extends number, N extends number>(x: F<[B, N]>) => matmul(x, x, { transposeB: true });
export const kept = <S extends Shape>(x: F<S>) => mean(x, { axis: -1, keepDims: true });
export const along = <S extends Shape, X extends number>(x: F<S>, axis: X) => sum(x, { axis });
export const halves = <S extends Shape>(x: F<S>) => split(x, [1, 2], 0);
export const joined = <D extends DType, S extends Shape>(x: Tensor<D, S>[]) => concat(x, -1);
export const exchanged = <S extends Shape>(x: F<S>) => transpose(x);
export const permuted = <S extends Shape>(x: F<S>) => transpose(x, [1, 0]);
export const folded = <S extends Shape>(x: F<S>) => reshape(x, [2, 3]);
export const dense = <S extends Shape, I extends number, O extends number>(x: F<[...S, I]>, p: Linear<I, O>) => linear(x, p);
export const twoLayers = <S extends Shape>(x: F<S>, a: Linear<4, 8>, b: Linear<8, 4>) => add(linear(gelu(linear(x, a)), b), x);
export const products = <S extends Shape>(x: F<S>, w: F<[2, 3]>, v: F<[3, 2]>) => add(matmul(softmax(matmul(x, w)), v), x);
export const square = <D extends Float, S extends Shape>(x: Tensor<D, S>) => add(mul(x, x), x);
export const sub = <D extends Float, S extends Shape>(a: Tensor<D, S>, b: Tensor<D, S>): Tensor<D, S> => add(a, scale(b, -1));
export const pair = <A extends Shape, B extends Shape>(a: F<A>, b: F<B>) => mul(add(a, b), add(b, a));
export const gated = <D extends Float, S extends Shape>(x: Tensor<D, S>, up: Tensor<D, S>) => swiglu(geglu(x, up), add(x, up));
export const losses = <D extends Float, S extends Shape>(x: Tensor<D, S>, y: Tensor<D, S>) => [mse(add(x, y), y), mean(x)] as const;
export const normed = <N extends number>(x: F<[number, N]>, weight: F<[N]>) => layerNorm(x, { weight });
export const headsOf = <B extends number, T extends number>(x: F<[B, 4, T, 16]>) => attention(x, x, x, { causal: true });
export const experts = <R extends number>(x: F<[R, 4]>, p: Moe<4, 8>) => moe(x, p, { topK: 2 });
export const choices = <R extends number>(x: F<[R, 4]>) => route(x, { topK: 1 });
export const gradients = <D extends Float, S extends Shape>(x: Tensor<D, S>) => valueAndGrad((p: { x: Tensor<D, S> }) => sum(p.x))({ x });
export const backward = <D extends Float, S extends Shape>(x: Tensor<D, S>, dy: Tensor<D, []>) => mseBackward(x, x, dy);
export const layerBackward = (x: F<[2, 3]>, p: Linear<3, 4>, dy: F<[2, 4]>) => linearBackward(x, p, dy);
export const again = <S extends Shape>(x: F<S>) => checkpoint((p: F<S>) => mul(p, p))(x);
export const mapped = <S extends Shape>(x: F<S>) => treeMap({ x }, (y) => y);
export const packed = <I extends number, O extends number>(w: F<[O, I]>) => prepack(w);
export const facts = <D extends DType, S extends Shape>(x: Tensor<D, S>) => ({ shape: x.shape, device: x.device, data: x.readSync() });
export const cache = () => keyValueCache(cpu, { heads: 2, width: 4, capacity: 3 });
export const parameters = () => ({ in: linearInit(random(cpu, 1), 2, 3), rest: [linearInit(random(cpu, 1), 3, 3)] });
export const optimizers = (p: ReturnType<typeof parameters>) => [adamW(p), sgd(p), lion(p), muon(p), ema(p), treeLeaves(p)] as const;
export const about = () => [explain(() => 1), openSafetensors("x"), memory(), vulkan(), cpu.describe(), random(cpu, 1)] as const;
export class Projection<I extends number, O extends number> {
  readonly weight: F<[O, I]>;

  constructor(weight: F<[O, I]>) {
    this.weight = weight;
  }

  call<S extends Shape>(x: F<S>) {
    return matmul(x, this.weight, { transposeB: true });
  }
}

/**
 * Compute kernels for training and running neural networks in Deno and Bun.
 *
 * ```ts
 * import { cpu, matmul, tensor } from "@tilework/tilework";
 *
 * using a = tensor(cpu, [2, 2], [1, 2, 3, 4]);
 * using b = matmul(a, a);
 * console.log(b.readSync()); // Float32Array [7, 10, 15, 22]
 * ```
 *
 * @module
 */

export { isAvailable } from "./ffi/library.ts";
export { LibraryNotFoundError, OutOfMemoryError, UnsupportedError } from "./ffi/status.ts";
export { cpu, cpuDevice } from "./core/device.ts";
export type { CoreClass, CpuDescription, CpuDevice, CpuOptions, Device, Isa, MachineDescription, Threads, Tuning } from "./core/device.ts";
export { explain } from "./core/explain.ts";
export type { ExplainedProduct, Explanation } from "./core/explain.ts";
export type { Data, DType, Float, Integer } from "./core/dtype.ts";
export type { DecayOptions } from "./core/list.ts";
export type { Out } from "./core/op.ts";
export { keep, scope } from "./core/scope.ts";
export { dim } from "./core/shape.ts";
export type { Dim, Shape } from "./core/shape.ts";
export { empty, isTensor, memory, Tensor, tensor, trim } from "./core/tensor.ts";
export type { Memory } from "./core/tensor.ts";
export { adamWStep } from "./ops/adam_w.ts";
export { add } from "./ops/add.ts";
export { attention, attentionBackward } from "./ops/attention.ts";
export type { AttentionBackwardOptions, AttentionForwardOptions, AttentionGradients, AttentionOptions } from "./ops/attention.ts";
export { axpby } from "./ops/axpby.ts";
export type { AxpbyOptions } from "./ops/axpby.ts";
export { cast } from "./ops/cast.ts";
export { clipFactor, scaleBy } from "./ops/clip.ts";
export type { ClipFactor } from "./ops/clip.ts";
export { concat } from "./ops/concat.ts";
export { copy } from "./ops/copy.ts";
export { crossEntropy, crossEntropyBackward } from "./ops/cross_entropy.ts";
export type { CrossEntropyOptions } from "./ops/cross_entropy.ts";
export { embedding, embeddingBackward } from "./ops/embedding.ts";
export type { Embedding } from "./ops/embedding.ts";
export { full, ones, zeros } from "./ops/fill.ts";
export { geglu, gegluBackward } from "./ops/geglu.ts";
export type { GegluGradients } from "./ops/geglu.ts";
export { gelu, geluBackward } from "./ops/gelu.ts";
export type { GeluOptions } from "./ops/gelu.ts";
export { layerNorm, layerNormBackward } from "./ops/layer_norm.ts";
export type { LayerNorm, LayerNormGradients, LayerNormOptions } from "./ops/layer_norm.ts";
export { lerp } from "./ops/lerp.ts";
export { linear, linearBackward } from "./ops/linear.ts";
export type { Linear, LinearAccumulate, LinearBackwardOptions, LinearGradients } from "./ops/linear.ts";
export { linearCrossEntropy, linearCrossEntropyBackward } from "./ops/linear_cross_entropy.ts";
export { lionStep } from "./ops/lion.ts";
export { matmul } from "./ops/matmul.ts";
export type { Epilogue, MatmulOptions } from "./ops/matmul.ts";
export { matmulList } from "./ops/matmul_list.ts";
export type { MatmulListOptions } from "./ops/matmul_list.ts";
export { mean } from "./ops/mean.ts";
export { mul } from "./ops/mul.ts";
export { prepack, Prepacked } from "./ops/prepack.ts";
export type { PrepackOptions } from "./ops/prepack.ts";
export { random } from "./ops/random.ts";
export type { CategoricalOptions, NormalOptions, Random, UniformOptions } from "./ops/random.ts";
export { relu, reluBackward } from "./ops/relu.ts";
export { reshape } from "./ops/reshape.ts";
export { scale } from "./ops/scale.ts";
export { sgdStep } from "./ops/sgd.ts";
export type { SgdStepOptions } from "./ops/sgd.ts";
export { silu, siluBackward } from "./ops/silu.ts";
export { slice } from "./ops/slice.ts";
export { softmax, softmaxBackward } from "./ops/softmax.ts";
export type { SoftmaxOptions } from "./ops/softmax.ts";
export { split } from "./ops/split.ts";
export { sum } from "./ops/sum.ts";
export type { ReduceOptions } from "./ops/sum.ts";
export { sumOfSquares } from "./ops/sum_of_squares.ts";
export { transpose } from "./ops/transpose.ts";
export { accumulate } from "./nn/accumulate.ts";
export type { AccumulateOptions } from "./nn/accumulate.ts";
export { checkpoint, valueAndGrad } from "./nn/autograd.ts";
export type { Scalar, ValueAndGrads } from "./nn/autograd.ts";
export { load, readMetadata, save } from "./nn/checkpoint.ts";
export type { SaveOptions } from "./nn/checkpoint.ts";
export { clipByGlobalNorm } from "./nn/clip.ts";
export { ema } from "./nn/ema.ts";
export type { Ema, EmaOptions } from "./nn/ema.ts";
export { embeddingInit, layerNormInit, linearInit } from "./nn/init.ts";
export type { LinearInitOptions } from "./nn/init.ts";
export { adamW } from "./nn/optimizers/adam_w.ts";
export type { AdamWOptions, AdamWState } from "./nn/optimizers/adam_w.ts";
export { lion } from "./nn/optimizers/lion.ts";
export type { LionOptions, LionState } from "./nn/optimizers/lion.ts";
export { muon } from "./nn/optimizers/muon.ts";
export type { MuonOptions, MuonState } from "./nn/optimizers/muon.ts";
export type { Optimizer, OptimizerOptions, PartOf, StepCount } from "./nn/optimizers/optimizer.ts";
export { sgd } from "./nn/optimizers/sgd.ts";
export type { SgdOptions, SgdState } from "./nn/optimizers/sgd.ts";
export { CheckpointError } from "./nn/safetensors.ts";
export { cosine } from "./nn/schedule.ts";
export type { CosineOptions } from "./nn/schedule.ts";
export { parameterCount, treeLeaves, treeMap } from "./nn/tree.ts";
export type { Leaf, Tree } from "./nn/tree.ts";

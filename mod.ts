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
export { cast } from "./ops/cast.ts";
export { clipFactor, scaleBy } from "./ops/clip.ts";
export type { ClipFactor } from "./ops/clip.ts";
export { combineRows, combineRowsBackward } from "./ops/combine_rows.ts";
export type { CombineRowsGradients } from "./ops/combine_rows.ts";
export { concat } from "./ops/concat.ts";
export { copy } from "./ops/copy.ts";
export { crossEntropy, crossEntropyBackward } from "./ops/cross_entropy.ts";
export type { CrossEntropyOptions } from "./ops/cross_entropy.ts";
export { dropout } from "./ops/dropout.ts";
export type { DropoutOptions } from "./ops/dropout.ts";
export { embedding, embeddingBackward } from "./ops/embedding.ts";
export type { Embedding } from "./ops/embedding.ts";
export { expertOrder } from "./ops/expert_order.ts";
export type { ExpertOrder } from "./ops/expert_order.ts";
export { full, ones, zeros } from "./ops/fill.ts";
export { gatherRows, gatherRowsBackward } from "./ops/gather_rows.ts";
export { geglu, gegluBackward } from "./ops/geglu.ts";
export type { GegluGradients } from "./ops/geglu.ts";
export { gelu, geluBackward } from "./ops/gelu.ts";
export type { GeluOptions } from "./ops/gelu.ts";
export { groupedLinear, groupedLinearBackward } from "./ops/grouped_linear.ts";
export type { GroupedLinear, GroupedLinearBackwardOptions, GroupedLinearGradients } from "./ops/grouped_linear.ts";
export { layerNorm, layerNormBackward } from "./ops/layer_norm.ts";
export type { LayerNorm, LayerNormGradients, LayerNormOptions, LayerNormSum, LayerNormSumOptions } from "./ops/layer_norm.ts";
export { linear, linearBackward } from "./ops/linear.ts";
export type { Linear, LinearAccumulate, LinearBackwardOptions, LinearGradients } from "./ops/linear.ts";
export { linearCrossEntropy, linearCrossEntropyBackward } from "./ops/linear_cross_entropy.ts";
export { loadBalanceLoss, loadBalanceLossBackward } from "./ops/load_balance_loss.ts";
export type { LoadBalanceLossOptions } from "./ops/load_balance_loss.ts";
export { logSoftmax, logSoftmaxBackward } from "./ops/log_softmax.ts";
export { matmul } from "./ops/matmul.ts";
export type { Epilogue, MatmulOptions } from "./ops/matmul.ts";
export { matmulList } from "./ops/matmul_list.ts";
export type { MatmulListOptions } from "./ops/matmul_list.ts";
export { mean } from "./ops/mean.ts";
export { mse, mseBackward } from "./ops/mse.ts";
export type { MseGradients } from "./ops/mse.ts";
export { mul } from "./ops/mul.ts";
export { prepack, Prepacked } from "./ops/prepack.ts";
export type { PrepackOptions } from "./ops/prepack.ts";
export { random } from "./ops/random.ts";
export type { CategoricalOptions, NormalOptions, Random, UniformOptions } from "./ops/random.ts";
export { relu, reluBackward } from "./ops/relu.ts";
export { reshape } from "./ops/reshape.ts";
export { route, routeBackward } from "./ops/route.ts";
export type { RouteOptions, RouterScore, RouteScoring, Routing } from "./ops/route.ts";
export { routerZLoss, routerZLossBackward } from "./ops/router_z_loss.ts";
export { rotary, rotaryBackward } from "./ops/rotary.ts";
export type { RotaryOptions, RotaryPlaces } from "./ops/rotary.ts";
export { rmsNorm, rmsNormBackward } from "./ops/rms_norm.ts";
export type { RmsNorm, RmsNormGradients, RmsNormOptions } from "./ops/rms_norm.ts";
export { scale } from "./ops/scale.ts";
export { sigmoid, sigmoidBackward } from "./ops/sigmoid.ts";
export { silu, siluBackward } from "./ops/silu.ts";
export { slice } from "./ops/slice.ts";
export { softmax, softmaxBackward } from "./ops/softmax.ts";
export type { SoftmaxGradientOptions, SoftmaxOptions } from "./ops/softmax.ts";
export { split } from "./ops/split.ts";
export { sum } from "./ops/sum.ts";
export type { ReduceOptions } from "./ops/sum.ts";
export { sumOfSquares } from "./ops/sum_of_squares.ts";
export type { PlaceInVector } from "./ops/sum_of_squares.ts";
export { swiglu, swigluBackward } from "./ops/swiglu.ts";
export type { SwigluGradients } from "./ops/swiglu.ts";
export { tanh, tanhBackward } from "./ops/tanh.ts";
export { transpose } from "./ops/transpose.ts";
export { valueAndGrad } from "./nn/autograd.ts";
export type { Scalar, ValueAndGrads } from "./nn/autograd.ts";
export { keyValueCache } from "./nn/cache.ts";
export type { KeyValueCache, KeyValueCacheOptions } from "./nn/cache.ts";
export { load, readMetadata, save } from "./nn/checkpoint.ts";
export type { LoadOptions, SaveOptions } from "./nn/checkpoint.ts";
export { embeddingInit, layerNormInit, linearInit } from "./nn/init.ts";
export type { LinearInitOptions } from "./nn/init.ts";
export { moe, moeInit } from "./nn/moe.ts";
export type { Moe, MoeActivation, MoeInitOptions, MoeOptions, MoeResult } from "./nn/moe.ts";
export { adamW, clipByGlobalNorm } from "./nn/optimizer.ts";
export type { AdamWOptions, Optimizer } from "./nn/optimizer.ts";
export { CheckpointError } from "./nn/safetensors.ts";
export { cosine } from "./nn/schedule.ts";
export type { CosineOptions } from "./nn/schedule.ts";
export type { Tree } from "./nn/tree.ts";

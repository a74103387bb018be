//! The compiled shaders. Written by scripts/shaders.ts.

pub const Shader = struct {
    name: [:0]const u8,
    code: []align(4) const u8,
    /// Threads of a workgroup.
    threads: u32,
    /// Storage buffers, by binding.
    bindings: []const []const u8,
    /// Push constants, 32 bits each.
    words: []const []const u8,
};

fn embed(comptime file: []const u8) []align(4) const u8 {
    const aligned = struct {
        const bytes align(4) = @embedFile(file).*;
    };
    return &aligned.bytes;
}

pub const table = [_]Shader{
    .{ .name = "activation_f32_rows", .code = embed("activation_f32_rows.spv"), .threads = 256, .bindings = &.{ "out", "x" }, .words = &.{ "groups", "out_at", "x_at", "rows", "cols", "out_stride", "x_stride", "kind" } },
    .{ .name = "activation_backward_f32_rows", .code = embed("activation_backward_f32_rows.spv"), .threads = 256, .bindings = &.{ "dx", "dy", "x" }, .words = &.{ "groups", "dx_at", "dy_at", "x_at", "rows", "cols", "dx_stride", "dy_stride", "x_stride", "kind" } },
    .{ .name = "adam_w_f32_update", .code = embed("adam_w_f32_update.spv"), .threads = 256, .bindings = &.{ "data_0", "data_1", "data_2", "gradient", "scalars" }, .words = &.{ "groups", "data_0_at", "data_1_at", "data_2_at", "gradient_at", "scalars_at", "count", "wide", "decays" } },
    .{ .name = "add_f32", .code = embed("add_f32.spv"), .threads = 256, .bindings = &.{ "out", "a", "b" }, .words = &.{ "groups", "out_at", "a_at", "b_at", "axes_count", "axes_sizes_0", "axes_sizes_1", "axes_sizes_2", "axes_sizes_3", "axes_strides_0", "axes_strides_1", "axes_strides_2", "axes_strides_3", "axes_strides_4", "axes_strides_5", "axes_strides_6", "axes_strides_7", "axes_strides_8", "axes_strides_9", "axes_strides_10", "axes_strides_11" } },
    .{ .name = "add_u32", .code = embed("add_u32.spv"), .threads = 256, .bindings = &.{ "out", "a", "b" }, .words = &.{ "groups", "out_at", "a_at", "b_at", "axes_count", "axes_sizes_0", "axes_sizes_1", "axes_sizes_2", "axes_sizes_3", "axes_strides_0", "axes_strides_1", "axes_strides_2", "axes_strides_3", "axes_strides_4", "axes_strides_5", "axes_strides_6", "axes_strides_7", "axes_strides_8", "axes_strides_9", "axes_strides_10", "axes_strides_11" } },
    .{ .name = "axpby_f32", .code = embed("axpby_f32.spv"), .threads = 256, .bindings = &.{ "y", "x" }, .words = &.{ "groups", "y_at", "x_at", "count", "alpha", "beta" } },
    .{ .name = "norm_parts_f32", .code = embed("norm_parts_f32.spv"), .threads = 128, .bindings = &.{ "out", "x" }, .words = &.{ "groups", "out_at", "x_at", "count", "each" } },
    .{ .name = "clip_factor_f32", .code = embed("clip_factor_f32.spv"), .threads = 128, .bindings = &.{ "norm", "factor", "parts" }, .words = &.{ "groups", "norm_at", "factor_at", "parts_at", "count", "limit" } },
    .{ .name = "scale_by_f32_update", .code = embed("scale_by_f32_update.spv"), .threads = 256, .bindings = &.{ "x", "factor" }, .words = &.{ "groups", "x_at", "factor_at", "count" } },
    .{ .name = "column_sums_f32", .code = embed("column_sums_f32.spv"), .threads = 64, .bindings = &.{ "out", "x" }, .words = &.{ "groups", "out_at", "x_at", "rows", "cols", "stride", "chunk_rows", "chunks", "accumulate" } },
    .{ .name = "layer_norm_f32_rows", .code = embed("layer_norm_f32_rows.spv"), .threads = 128, .bindings = &.{ "out", "stats", "sum", "x", "residual", "weight", "bias" }, .words = &.{ "groups", "out_at", "stats_at", "sum_at", "x_at", "residual_at", "weight_at", "bias_at", "rows", "cols", "out_stride", "stats_stride", "sum_stride", "x_stride", "residual_stride", "eps" } },
    .{ .name = "layer_norm_backward_f32_rows", .code = embed("layer_norm_backward_f32_rows.spv"), .threads = 128, .bindings = &.{ "dx", "delta", "dy", "dsum", "x", "weight", "stats" }, .words = &.{ "groups", "dx_at", "delta_at", "dy_at", "dsum_at", "x_at", "weight_at", "stats_at", "rows", "cols", "dx_stride", "dy_stride", "dsum_stride", "x_stride" } },
    .{ .name = "layer_norm_backward_f32_columns", .code = embed("layer_norm_backward_f32_columns.spv"), .threads = 64, .bindings = &.{ "sums", "dy", "x", "stats", "delta" }, .words = &.{ "groups", "sums_at", "dy_at", "x_at", "stats_at", "delta_at", "rows", "cols", "dy_stride", "x_stride", "chunk_rows", "chunks" } },
    .{ .name = "lerp_f32", .code = embed("lerp_f32.spv"), .threads = 256, .bindings = &.{ "y", "x" }, .words = &.{ "groups", "y_at", "x_at", "count", "t", "rest", "far" } },
    .{ .name = "lion_f32_update", .code = embed("lion_f32_update.spv"), .threads = 256, .bindings = &.{ "data_0", "data_1", "gradient", "scalars" }, .words = &.{ "groups", "data_0_at", "data_1_at", "gradient_at", "scalars_at", "count", "wide", "decays" } },
    .{ .name = "matmul_f32_registers", .code = embed("matmul_f32_registers.spv"), .threads = 64, .bindings = &.{ "c", "a", "b", "bias" }, .words = &.{ "groups", "c_at", "a_at", "b_at", "bias_at", "m", "n", "k", "a_row", "a_col", "b_row", "b_col", "ldc", "alpha", "beta", "epilogue", "count", "sizes_0", "sizes_1", "sizes_2", "batch_a_0", "batch_a_1", "batch_a_2", "batch_b_0", "batch_b_1", "batch_b_2", "batch_c_0", "batch_c_1", "batch_c_2" } },
    .{ .name = "matmul_f32_tiled", .code = embed("matmul_f32_tiled.spv"), .threads = 256, .bindings = &.{ "c", "a", "b", "bias" }, .words = &.{ "groups", "c_at", "a_at", "b_at", "bias_at", "m", "n", "k", "a_row", "a_col", "b_row", "b_col", "ldc", "alpha", "beta", "epilogue", "count", "sizes_0", "sizes_1", "sizes_2", "batch_a_0", "batch_a_1", "batch_a_2", "batch_b_0", "batch_b_1", "batch_b_2", "batch_c_0", "batch_c_1", "batch_c_2" } },
    .{ .name = "mul_f32", .code = embed("mul_f32.spv"), .threads = 256, .bindings = &.{ "out", "a", "b" }, .words = &.{ "groups", "out_at", "a_at", "b_at", "axes_count", "axes_sizes_0", "axes_sizes_1", "axes_sizes_2", "axes_sizes_3", "axes_strides_0", "axes_strides_1", "axes_strides_2", "axes_strides_3", "axes_strides_4", "axes_strides_5", "axes_strides_6", "axes_strides_7", "axes_strides_8", "axes_strides_9", "axes_strides_10", "axes_strides_11" } },
    .{ .name = "mul_u32", .code = embed("mul_u32.spv"), .threads = 256, .bindings = &.{ "out", "a", "b" }, .words = &.{ "groups", "out_at", "a_at", "b_at", "axes_count", "axes_sizes_0", "axes_sizes_1", "axes_sizes_2", "axes_sizes_3", "axes_strides_0", "axes_strides_1", "axes_strides_2", "axes_strides_3", "axes_strides_4", "axes_strides_5", "axes_strides_6", "axes_strides_7", "axes_strides_8", "axes_strides_9", "axes_strides_10", "axes_strides_11" } },
    .{ .name = "sgd_f32_plain", .code = embed("sgd_f32_plain.spv"), .threads = 256, .bindings = &.{ "data_0", "gradient", "scalars" }, .words = &.{ "groups", "data_0_at", "gradient_at", "scalars_at", "count", "wide", "decays" } },
    .{ .name = "sgd_f32_momentum", .code = embed("sgd_f32_momentum.spv"), .threads = 256, .bindings = &.{ "data_0", "data_1", "gradient", "scalars" }, .words = &.{ "groups", "data_0_at", "data_1_at", "gradient_at", "scalars_at", "count", "wide", "decays" } },
    .{ .name = "sgd_f32_nesterov", .code = embed("sgd_f32_nesterov.spv"), .threads = 256, .bindings = &.{ "data_0", "data_1", "gradient", "scalars" }, .words = &.{ "groups", "data_0_at", "data_1_at", "gradient_at", "scalars_at", "count", "wide", "decays" } },
    .{ .name = "softmax_f32_rows", .code = embed("softmax_f32_rows.spv"), .threads = 128, .bindings = &.{ "out", "x", "mask_data" }, .words = &.{ "groups", "out_at", "x_at", "mask_data_at", "mask_kind", "mask_rank", "mask_sizes_0", "mask_sizes_1", "mask_sizes_2", "mask_sizes_3", "mask_sizes_4", "mask_sizes_5", "mask_sizes_6", "mask_strides_0", "mask_strides_1", "mask_strides_2", "mask_strides_3", "mask_strides_4", "mask_strides_5", "mask_strides_6", "rows", "cols", "out_stride", "x_stride", "row", "queries", "scale" } },
    .{ .name = "softmax_backward_f32_rows", .code = embed("softmax_backward_f32_rows.spv"), .threads = 128, .bindings = &.{ "dx", "dy", "y" }, .words = &.{ "groups", "dx_at", "dy_at", "y_at", "rows", "cols", "dx_stride", "dy_stride", "y_stride", "row", "queries", "scale" } },
};

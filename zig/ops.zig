//! The lists: every op, and every other file with micro-kernels or entries.

/// An op joins here. Its file may hold `ukernels`, compiled for each instruction set, and holds `entries`, exported as `tw_<name>`.
pub const ops = .{
    @import("ops/matmul.zig"),
    @import("ops/matmul_list.zig"),
    @import("ops/prepack.zig"),
    @import("ops/linear.zig"),
    @import("ops/grouped_linear.zig"),
    @import("ops/layer_norm.zig"),
    @import("ops/add.zig"),
    @import("ops/mul.zig"),
    @import("ops/scale.zig"),
    @import("ops/rms_norm.zig"),
    @import("ops/softmax.zig"),
    @import("ops/log_softmax.zig"),
    @import("ops/activation.zig"),
    @import("ops/attention.zig"),
    @import("ops/gated_activation.zig"),
    @import("ops/embedding.zig"),
    @import("ops/cross_entropy.zig"),
    @import("ops/linear_cross_entropy.zig"),
    @import("ops/route.zig"),
    @import("ops/expert_order.zig"),
    @import("ops/gather_rows.zig"),
    @import("ops/combine_rows.zig"),
    @import("ops/load_balance_loss.zig"),
    @import("ops/router_z_loss.zig"),
    @import("ops/copy.zig"),
    @import("ops/fill.zig"),
    @import("ops/sum.zig"),
    @import("ops/sum_of_squares.zig"),
    @import("ops/clip.zig"),
    @import("ops/adam_w.zig"),
    @import("ops/sgd.zig"),
    @import("ops/lion.zig"),
    @import("ops/axpby.zig"),
    @import("ops/lerp.zig"),
    @import("ops/random.zig"),
    @import("ops/rotary.zig"),
    @import("ops/dropout.zig"),
    @import("ops/mse.zig"),
};

/// Files with micro-kernels that belong to no single op. Those of products are in product_kernels.zig.
pub const kernel_files = .{
    @import("gemm/columns.zig"),
    @import("row/scores.zig"),
    @import("gemm/turn.zig"),
    @import("peak.zig"),
};

/// Every file with entries.
pub const entry_files = .{
    @import("tensor.zig"),
    @import("memory.zig"),
    @import("row/list.zig"),
    @import("device.zig"),
    @import("gpu.zig"),
    @import("explain.zig"),
    @import("peak.zig"),
} ++ ops;

//! Root of the object that holds the product's and the mathematical micro-kernels of one instruction set. They take most of the time of a build and
//! import nothing that changes with an op or the device, so a build after such a change finds this object in its cache.

const variant = @import("isa/variant.zig");

pub const std_options = variant.std_options;

const files = .{
    @import("gemm/kernel.zig"),
    @import("gemm/vector.zig"),
    @import("isa/math_kernels.zig"),
};

comptime {
    variant.exportKernels(files);
}

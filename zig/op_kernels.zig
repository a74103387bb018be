//! Root of the object that holds the micro-kernels of every op for one instruction set.

const variant = @import("isa/variant.zig");
const list = @import("ops.zig");

pub const std_options = variant.std_options;

comptime {
    variant.exportKernels(list.ops ++ list.kernel_files);
}

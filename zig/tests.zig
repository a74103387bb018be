//! Root of the unit tests. The executable is built once, in debug mode, and links the release objects of every instruction set; each run takes the
//! kernels of one set, which `TILEWORK_ISA` names.

const std = @import("std");
const builtin = @import("builtin");
const list = @import("ops.zig");

pub const std_options: std.Options = .{ .signal_stack_size = null };

const detect = @import("isa/detect.zig");
const pick = @import("isa/pick.zig");

export fn testLevelName() [*:0]const u8 {
    return @tagName(pick.testLevel());
}

export fn testLevelUsable() bool {
    return detect.usable(pick.testLevel());
}

test {
    inline for (list.entry_files ++ list.kernel_files) |file| _ = file;
    _ = @import("slots.zig");
    _ = @import("memory.zig");
    _ = @import("fuzz/contracts.zig");
    // The fuzzer is for systems with fork.
    if (builtin.os.tag != .windows) _ = @import("fuzz/guarded.zig");
    _ = @import("knobs.zig");
    _ = detect;
    _ = @import("parallel/topology.zig");
    _ = @import("parallel/topology/model.zig");
    _ = @import("parallel/topology/processor.zig");
    _ = @import("parallel/topology/cgroup.zig");
    _ = @import("parallel/topology/tree.zig");
    _ = @import("parallel/topology/linux_test.zig");
    _ = @import("parallel/topology/macos.zig");
    _ = @import("parallel/topology/windows_test.zig");
    _ = @import("parallel/resolve.zig");
    _ = @import("parallel/cursor.zig");
    _ = @import("parallel/futex.zig");
    _ = @import("parallel/placement.zig");
    _ = @import("parallel/stream.zig");
    _ = @import("parallel/pool.zig");
    _ = @import("gpu/choice.zig");
    _ = @import("gpu/launch.zig");
    _ = @import("gpu/vulkan/chunks.zig");
    _ = @import("gpu/vulkan/float_modes.zig");
    _ = @import("gpu/vulkan/gpu.zig");
    _ = @import("gpu/vulkan/heap.zig");
    _ = @import("row/strided.zig");
    _ = @import("row/fold.zig");
    _ = @import("row/nucleus.zig");
    _ = @import("row/split.zig");
    _ = @import("row/list.zig");
    _ = @import("isa/math_kernels.zig");
    _ = @import("gemm/kernel.zig");
    _ = @import("gemm/vector.zig");
    _ = @import("gemm/blocking.zig");
    _ = @import("gemm/driver.zig");
    _ = @import("gemm/gpu_grouped.zig");
    _ = @import("gemm/gpu_product.zig");
    _ = @import("gemm/driver_test.zig");
    _ = @import("ops/attention_test.zig");
}

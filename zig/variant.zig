//! Root of the micro-kernel object of one instruction set: exports every kernel as `<name>__<level>`, hidden.

const std = @import("std");
const simd = @import("isa/simd.zig");
const list = @import("ops.zig");

pub const std_options: std.Options = .{ .signal_stack_size = null };

comptime {
    for (list.ops ++ list.kernel_files) |file| {
        if (@hasDecl(file, "ukernels")) {
            for (std.meta.declarations(file.ukernels)) |name|
                @export(&@field(file.ukernels, name), .{ .name = name ++ "__" ++ @tagName(simd.isa), .visibility = .hidden });
        }
    }
}

//! What the roots of micro-kernel objects share.

const std = @import("std");
const simd = @import("simd.zig");

/// Without this the standard library keeps 256 KiB of thread-local storage for signal stacks.
pub const std_options: std.Options = .{ .signal_stack_size = null };

/// Exports every micro-kernel of `files` as `<name>__<level>`, hidden.
pub fn exportKernels(comptime files: anytype) void {
    for (files) |file| {
        if (@hasDecl(file, "ukernels")) {
            for (std.meta.declarations(file.ukernels)) |name|
                @export(&@field(file.ukernels, name), .{ .name = name ++ "__" ++ @tagName(simd.isa), .visibility = .hidden });
        }
    }
}

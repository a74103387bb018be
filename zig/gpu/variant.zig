//! Which variant of a shader was asked for: the variable TILEWORK_GPU_VARIANT, as it is at the first look, so that tests run on any device what another
//! device would choose. An op that has no variant of that name goes by its own rule.

const std = @import("std");

var text: std.atomic.Value(?[*:0]const u8) = .init(null);

pub fn asked(comptime Variant: type) ?Variant {
    const t = text.load(.monotonic) orelse first: {
        const read = std.c.getenv("TILEWORK_GPU_VARIANT") orelse "";
        text.store(read, .monotonic);
        break :first read;
    };
    if (t[0] == 0) return null;
    return std.meta.stringToEnum(Variant, std.mem.span(t));
}

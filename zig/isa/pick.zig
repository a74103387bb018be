//! From a micro-kernel's name and a level to its address. Each object exports `<name>__<level>` as a hidden symbol.

const std = @import("std");
const detect = @import("detect.zig");

pub const Level = detect.Level;

/// The micro-kernel `name` of type `Fn`, compiled for `level`. The caller has made sure that the machine can run it.
pub inline fn pick(level: Level, comptime Fn: type, comptime name: []const u8) *const Fn {
    inline for (detect.built) |l| {
        if (l == level) return @extern(*const Fn, .{ .name = name ++ "__" ++ @tagName(l), .visibility = .hidden });
    }
    unreachable;
}

/// The level under test: `TILEWORK_ISA`, or the best of the machine.
pub fn testLevel() Level {
    const wanted = std.c.getenv("TILEWORK_ISA") orelse return detect.best();
    return std.meta.stringToEnum(Level, std.mem.span(wanted)).?;
}

/// The micro-kernel `name` for the level under test.
pub fn testKernel(comptime name: []const u8, comptime Fn: type) *const Fn {
    return pick(testLevel(), Fn, name);
}

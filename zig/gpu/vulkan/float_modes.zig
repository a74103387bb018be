//! Modes of float arithmetic that a shader asks its driver for. Without them Vulkan lets a driver take NaN and infinities for numbers that
//! never occur, round as it likes and take subnormal numbers for 0. A shader that asks for what the device does not offer is invalid, so the
//! compiled code asks for none, and what the device offers is written into it when a pipeline is made.

const std = @import("std");
const api = @import("api.zig");

const Mode = enum(u32) { denorm_preserve = 4459, signed_zero_inf_nan_preserve = 4461, rounding_mode_rte = 4462 };

/// A mode's number as a capability is this much above that as an execution mode.
const capability_offset = 5;

pub const Modes = std.EnumSet(Mode);

/// What a device offers for numbers of 32 bits.
pub fn offered(p: *const api.FloatControlsProperties) Modes {
    const apart = api.FloatControlsProperties.independence_none;
    return .init(.{
        .signed_zero_inf_nan_preserve = p.signed_zero_inf_nan_preserve[1] != 0,
        // A device whose types of 16, 32 and 64 bits cannot differ leaves open what the others are.
        .denorm_preserve = p.denorm_preserve[1] != 0 and p.denorm_independence != apart,
        .rounding_mode_rte = p.rounding_mode_rte[1] != 0 and p.rounding_independence != apart,
    });
}

const header_words = 5;
const Op = enum(u16) { entry_point = 15, execution_mode = 16, capability = 17, _ };

/// The words of a module that `ask` writes at the most.
pub fn wordsMax(code: []const u32) usize {
    return code.len + Modes.len * (2 + 4);
}

/// Writes a SPIR-V module of one entry point into `out`, asking for `modes`: a capability for each, which a module begins with, and an
/// execution mode behind the entry point.
pub fn ask(out: []u32, code: []const u32, modes: Modes) []const u32 {
    var words: std.ArrayList(u32) = .initBuffer(out);
    words.appendSliceAssumeCapacity(code[0..header_words]);
    var each = modes.iterator();
    while (each.next()) |mode| words.appendSliceAssumeCapacity(&.{ first(.capability, 2), @backingInt(mode) + capability_offset });
    var at: usize = header_words;
    while (at < code.len) {
        const instruction = code[at..][0 .. code[at] >> 16];
        words.appendSliceAssumeCapacity(instruction);
        if (code[at] & 0xffff == @backingInt(Op.entry_point)) {
            each = modes.iterator();
            while (each.next()) |mode| words.appendSliceAssumeCapacity(&.{ first(.execution_mode, 4), instruction[2], @backingInt(mode), 32 });
        }
        at += instruction.len;
    }
    return words.items;
}

fn first(op: Op, words: u32) u32 {
    return words << 16 | @backingInt(op);
}

const testing = std.testing;
const shaders = @import("shaders");

test "a shader asks for the modes that a device offers, and is else what it was" {
    for (shaders.table) |shader| {
        const code: []const u32 = @ptrCast(shader.code);
        const out = try testing.allocator.alloc(u32, wordsMax(code));
        defer testing.allocator.free(out);
        try testing.expectEqualSlices(u32, code, ask(out, code, .empty));
        const asked = ask(out, code, .full);
        try testing.expectEqual(out.len, asked.len);
        // Capabilities come before all else, modes behind the one entry point and before what names things.
        try testing.expectEqualSlices(u32, &.{ 0x20011, 4464, 0x20011, 4466, 0x20011, 4467, 0x20011 }, asked[5..12]);
        const entry = std.mem.findScalar(u32, asked, 0x40010).?;
        try testing.expectEqualSlices(u32, &.{ 4459, 32, 0x40010, asked[entry + 1], 4461, 32, 0x40010, asked[entry + 1], 4462, 32 }, asked[entry + 2 ..][0..10]);
        // What is left without them.
        const rest = try std.mem.concat(testing.allocator, u32, &.{ asked[0..5], asked[11..entry], asked[entry + 12 ..] });
        defer testing.allocator.free(rest);
        try testing.expectEqualSlices(u32, code, rest);
    }
}

test "a device is asked for what it offers to 32 bits alone, and only if that leaves its other types as they are" {
    var p: api.FloatControlsProperties = .{};
    try testing.expectEqual(Modes.empty, offered(&p));
    p.signed_zero_inf_nan_preserve = .{ 1, 0, 1 };
    try testing.expectEqual(Modes.empty, offered(&p));
    p.signed_zero_inf_nan_preserve[1] = 1;
    p.denorm_preserve[1] = 1;
    p.rounding_mode_rte[1] = 1;
    try testing.expectEqual(Modes.full, offered(&p));
    p.rounding_independence = api.FloatControlsProperties.independence_none;
    try testing.expectEqual(Modes.init(.{ .signed_zero_inf_nan_preserve = true, .denorm_preserve = true }), offered(&p));
    p.denorm_independence = api.FloatControlsProperties.independence_none;
    try testing.expectEqual(Modes.init(.{ .signed_zero_inf_nan_preserve = true }), offered(&p));
}

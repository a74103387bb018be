//! Which device a user means: a pure function of what there is and what was asked.

const std = @import("std");

pub const Kind = enum(u8) { discrete, integrated, virtual, software, other };

/// What choosing looks at.
pub const Candidate = struct {
    kind: Kind,
    name: []const u8,
    uuid: [16]u8 = @splat(0),
    usable: bool = true,
    memory_bytes: u64 = 0,
};

/// A wish: an index into the list, or text that is an index, a UUID in hexadecimal digits, or part of a name, whatever its case.
pub const Wish = union(enum) { best, index: usize, text: []const u8 };

/// The index of the device that is meant, or null where there is none. The best one is discrete before integrated before virtual before other, then that of
/// the most memory; a processor that plays a GPU is never it.
pub fn choose(list: []const Candidate, wish: Wish) ?usize {
    switch (wish) {
        .index => |i| return if (i < list.len) i else null,
        .text => |text| return named(list, text),
        .best => {
            var best: ?usize = null;
            for (list, 0..) |c, i| {
                if (!c.usable or c.kind == .software) continue;
                const b = best orelse {
                    best = i;
                    continue;
                };
                const rank = rankOf(c.kind);
                const before = rankOf(list[b].kind);
                if (rank < before or (rank == before and c.memory_bytes > list[b].memory_bytes)) best = i;
            }
            return best;
        },
    }
}

fn rankOf(kind: Kind) u8 {
    return switch (kind) {
        .discrete => 0,
        .integrated => 1,
        .virtual => 2,
        .other => 3,
        .software => 4,
    };
}

fn named(list: []const Candidate, text: []const u8) ?usize {
    if (text.len == 0) return null;
    if (std.fmt.parseInt(usize, text, 10)) |i| return if (i < list.len) i else null else |_| {}
    for (list, 0..) |c, i| if (sameUuid(c.uuid, text)) return i;
    // A whole name wins over a part of one; a usable device over one that is not.
    for ([_]bool{ true, false }) |whole| for ([_]bool{ true, false }) |usable| for (list, 0..) |c, i| {
        if (c.usable != usable) continue;
        if (if (whole) std.ascii.eqlIgnoreCase(c.name, text) else std.ascii.findIgnoreCase(c.name, text) != null) return i;
    };
    return null;
}

fn sameUuid(uuid: [16]u8, text: []const u8) bool {
    var digits: [32]u8 = undefined;
    var count: usize = 0;
    for (text) |c| {
        if (c == '-') continue;
        if (!std.ascii.isHex(c) or count == 32) return false;
        digits[count] = c;
        count += 1;
    }
    if (count != 32) return false;
    var bytes: [16]u8 = undefined;
    _ = std.fmt.hexToBytes(&bytes, &digits) catch return false;
    return std.mem.eql(u8, &bytes, &uuid);
}

const testing = std.testing;

test "choice: discrete, integrated, virtual, never software unless asked for; index, UUID and name win" {
    const software: Candidate = .{ .kind = .software, .name = "llvmpipe (LLVM 15)", .uuid = @splat(0xab) };
    const integrated: Candidate = .{ .kind = .integrated, .name = "Intel Iris" };
    const discrete: Candidate = .{ .kind = .discrete, .name = "NVIDIA H200", .memory_bytes = 10 };
    const larger: Candidate = .{ .kind = .discrete, .name = "NVIDIA H200 NVL", .memory_bytes = 20 };
    try testing.expectEqual(2, choose(&.{ software, integrated, discrete }, .best));
    try testing.expectEqual(1, choose(&.{ software, integrated }, .best));
    try testing.expectEqual(null, choose(&.{software}, .best));
    try testing.expectEqual(null, choose(&.{}, .best));
    try testing.expectEqual(1, choose(&.{ discrete, larger }, .best));
    try testing.expectEqual(0, choose(&.{software}, .{ .index = 0 }));
    try testing.expectEqual(null, choose(&.{software}, .{ .index = 1 }));
    try testing.expectEqual(0, choose(&.{ software, discrete }, .{ .text = "LLVMpipe" }));
    try testing.expectEqual(0, choose(&.{ software, discrete }, .{ .text = "0" }));
    try testing.expectEqual(0, choose(&.{ software, discrete }, .{ .text = "abababab-abab-abab-abab-abababababab" }));
    try testing.expectEqual(1, choose(&.{ larger, discrete }, .{ .text = "nvidia h200" }));
    try testing.expectEqual(null, choose(&.{ software, discrete }, .{ .text = "radeon" }));
    try testing.expectEqual(null, choose(&.{ software, discrete }, .{ .text = "" }));
    const broken: Candidate = .{ .kind = .discrete, .name = "Old", .usable = false };
    try testing.expectEqual(1, choose(&.{ broken, integrated }, .best));
}

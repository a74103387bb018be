//! What a device can be told, in one table: from it come the positions in the list that TypeScript passes, the names of `tuning` and of the environment,
//! and the ranges that both sides check. The manifest carries it to TypeScript. A value is a number; where it has words, the words name the values 0, 1, ….

const std = @import("std");
const detect = @import("isa/detect.zig");
const pool = @import("parallel/pool.zig");
const resolve = @import("parallel/resolve.zig");

pub const Setting = struct {
    /// As a field of `resolve.Knobs`, where it is one.
    name: []const u8,
    words: []const []const u8 = &.{},
    /// The least and the largest number that is allowed beside the words.
    range: ?[2]u64 = null,
    /// Whether its variable is read once for the whole process.
    of_process: bool = false,

    /// The value that a variable's text stands for, or null where there is none: a word, or digits and nothing else.
    pub fn parse(s: Setting, text: []const u8) ?u64 {
        for (s.words, 0..) |word, value| if (std.mem.eql(u8, word, text)) return value;
        for (text) |c| if (!std.ascii.isDigit(c)) return null;
        const value = std.fmt.parseInt(u64, text, 10) catch return null;
        return if (s.inRange(value)) value else null;
    }

    /// Whether a number may be passed for it.
    pub fn allows(s: Setting, value: f64) bool {
        if (value != @trunc(value) or value < 0 or value > most) return false;
        const n: u64 = @intFromFloat(value);
        return n < s.words.len or s.inRange(n);
    }

    fn inRange(s: Setting, value: u64) bool {
        const range = s.range orelse return false;
        return value >= range[0] and value <= range[1];
    }
};

/// The largest whole number that both sides count exactly.
pub const most: u64 = (1 << 53) - 1;

pub const table = [_]Setting{
    .{ .name = "threads", .words = &.{ "auto", "serial" }, .range = .{ 1, pool.workers_max } },
    .{ .name = "isa", .words = std.meta.fieldNames(detect.Level) },
    .{ .name = "cores", .range = .{ 1, pool.workers_max }, .of_process = true },
    .{ .name = "pool_classes", .range = .{ 0, most }, .of_process = true },
    .{ .name = "parallel_threshold", .range = .{ 0, most } },
    .{ .name = "par_mnk_per_worker", .range = .{ 1, most } },
    .{ .name = "full_width_mnk", .range = .{ 0, most } },
    .{ .name = "parallel_oversample", .range = .{ 1, 1024 } },
    .{ .name = "packed_oversample", .range = .{ 1, 1024 } },
    .{ .name = "gemv_parallel_bytes", .range = .{ 0, most } },
    .{ .name = "gemv_tier_step", .range = .{ 1, most } },
    .{ .name = "gemv_thread_cap", .range = .{ 0, pool.workers_max } },
    .{ .name = "shared_a_workers", .range = .{ 0, most } },
    .{ .name = "shared_a_mnk", .range = .{ 0, most } },
};

/// The place of a setting in the table.
pub fn position(comptime name: []const u8) comptime_int {
    for (table, 0..) |s, i| if (std.mem.eql(u8, s.name, name)) return i;
    @compileError("no setting is called " ++ name);
}

comptime {
    // Every knob can be set, and its default is in its range.
    for (std.meta.fieldNames(resolve.Knobs)) |name| {
        const s = table[position(name)];
        const default: ?u64 = @field(resolve.Knobs{}, name);
        if (default) |value| std.debug.assert(s.inRange(value));
    }
}

/// `TILEWORK_<NAME>`.
pub fn variable(comptime name: []const u8) [:0]const u8 {
    return comptime text: {
        var upper: [name.len]u8 = undefined;
        break :text "TILEWORK_" ++ std.ascii.upperString(&upper, name);
    };
}

/// The name in TypeScript: parallel_threshold is parallelThreshold there.
pub fn camel(comptime name: []const u8) []const u8 {
    return comptime text: {
        var text: []const u8 = "";
        var words = std.mem.splitScalar(u8, name, '_');
        while (words.next()) |word| {
            text = text ++ if (text.len == 0) word else .{std.ascii.toUpper(word[0])} ++ word[1..];
        }
        break :text text;
    };
}

const testing = std.testing;

test "a setting's text is a word or digits within the range, and nothing else" {
    const threads = table[position("threads")];
    try testing.expectEqual(0, threads.parse("auto"));
    try testing.expectEqual(1, threads.parse("serial"));
    try testing.expectEqual(1, threads.parse("1"));
    try testing.expectEqual(256, threads.parse("256"));
    for ([_][]const u8{ "0", "257", "-1", "+1", "1.5", "1_0", " 1", "1 ", "0x1", "Auto", "lots", "18446744073709551616", "99999999999999999999" }) |text| {
        try testing.expectEqual(null, threads.parse(text));
    }
    const isa = table[position("isa")];
    try testing.expectEqual(@backingInt(detect.Level.neon), isa.parse("neon"));
    for ([_][]const u8{ "0", "1", "3", "sse9" }) |text| try testing.expectEqual(null, isa.parse(text));
    const bytes = table[position("gemv_parallel_bytes")];
    try testing.expectEqual(0, bytes.parse("0"));
    try testing.expectEqual(most, bytes.parse("9007199254740991"));
    try testing.expectEqual(null, bytes.parse("9007199254740992"));
}

test "a setting allows the numbers of its words and of its range" {
    const nan = std.math.nan(f64);
    const inf = std.math.inf(f64);
    for (table) |s| {
        for ([_]f64{ -1, 0.5, 1.5, nan, inf, -inf, 9007199254740992 }) |value| try testing.expect(!s.allows(value));
        const low, const high = s.range orelse .{ 1, 0 };
        for (0..600) |value| try testing.expectEqual(value < s.words.len or (value >= low and value <= high), s.allows(@floatFromInt(value)));
    }
}

test "names come out as the environment and TypeScript have them" {
    try testing.expectEqualStrings("TILEWORK_PAR_MNK_PER_WORKER", variable("par_mnk_per_worker"));
    try testing.expectEqualStrings("parMnkPerWorker", camel("par_mnk_per_worker"));
    try testing.expectEqualStrings("sharedAMnk", camel("shared_a_mnk"));
    try testing.expectEqualStrings("cores", camel("cores"));
}

//! macOS: what `sysctlbyname` tells. The system has no affinity mask and no quota.

const std = @import("std");
const builtin = @import("builtin");
const model = @import("model.zig");
const processor = @import("processor.zig");
const Class = model.Class;

pub const System = struct {
    extern "c" fn sysctlbyname(name: [*:0]const u8, old: ?*anyopaque, old_len: ?*usize, new: ?*const anyopaque, new_len: usize) c_int;

    /// A number of 4 or 8 bytes.
    pub fn number(_: System, name: [:0]const u8) ?u64 {
        var value: u64 = 0;
        var length: usize = @sizeOf(u64);
        return if (sysctlbyname(name, &value, &length, null, 0) == 0) value else null;
    }
};

/// Level 0 is the fastest. Of the others macOS tells the order, not the speed: a half lies between the efficiency cores of M1 (a third)
/// and the performance cores that stand below M5's super cores.
const capacities = [model.classes_max]u32{ 1024, 512, 256, 128 };

/// What the process may use. `source.number(name)` is the value of a name, null where there is none.
pub fn understand(source: anytype) model.Topology {
    const s: Sysctl(@TypeOf(source)) = .{ .source = source };
    const physical = s.count("hw.physicalcpu") orelse 1;
    const logical = s.count("hw.logicalcpu") orelse physical;
    var classes: [model.classes_max]Class = undefined;
    var count: usize = 0;
    for (0..@min(s.count("hw.nperflevels") orelse 0, model.classes_max)) |level| {
        // A level whose cores are all switched off has none.
        const cores = s.countOf(level, "physicalcpu") orelse continue;
        classes[count] = .{ .cores = cores, .capacity = capacities[count], .caches = s.caches(level, cores, @max(logical / physical, 1)) };
        count += 1;
    }
    if (count == 0) {
        // Before macOS 12 there are no levels.
        classes[0] = .{ .cores = physical, .capacity = 1024, .caches = s.caches(null, physical, @max(logical / physical, 1)) };
        count = 1;
    }
    return .init(null, logical, classes[0..count]);
}

fn Sysctl(Source: type) type {
    return struct {
        source: Source,

        const Self = @This();

        /// A count, null where it is unknown or 0.
        fn count(s: Self, name: [:0]const u8) ?u32 {
            const n = s.source.number(name) orelse return null;
            return if (n > 0) @intCast(@min(n, model.processors_max)) else null;
        }

        fn ofLevel(s: Self, level: usize, name: []const u8) ?u64 {
            var buffer: [64]u8 = undefined;
            return s.source.number(std.fmt.bufPrintSentinel(&buffer, "hw.perflevel{d}.{s}", .{ level, name }, 0) catch return null);
        }

        fn countOf(s: Self, level: usize, name: []const u8) ?u32 {
            const n = s.ofLevel(level, name) orelse return null;
            return if (n > 0) @intCast(@min(n, model.processors_max)) else null;
        }

        /// Bytes of a cache, 0 where there is none: the level's own, else the machine's, which are those of its slowest cores.
        fn bytes(s: Self, level: ?usize, comptime name: []const u8) usize {
            const own = if (level) |l| s.ofLevel(l, name) else null;
            return std.math.lossyCast(usize, own orelse s.source.number("hw." ++ name) orelse 0);
        }

        fn caches(s: Self, level: ?usize, cores: u32, threads: u32) model.Caches {
            const assumed = processor.assumed(builtin.cpu.arch, cores);
            const l1 = s.bytes(level, "l1dcachesize");
            const l2 = s.bytes(level, "l2cachesize");
            const l3 = s.bytes(level, "l3cachesize");
            // Sharers are counted in logical processors. Where they are not told, the last level is the shared one: Intel's processors have
            // a third level and a second for each core, Apple's have no third.
            const l2_told = if (level) |l| s.countOf(l, "cpusperl2") else null;
            const l2_sharers = @min(cores, if (l2_told) |n| @max(1, n / threads) else if (l3 > 0) 1 else cores);
            const l3_told = if (level) |l| s.countOf(l, "cpusperl3") else null;
            return .{
                .l1 = if (l1 > 0) l1 else assumed.l1,
                .l2 = if (l2 > 0) l2 else assumed.l2,
                .l2_private = if (l2_told) |n| n <= threads else l3 > 0,
                .l3 = l3,
                .l2_sharers = l2_sharers,
                .l3_sharers = if (l3 == 0) 1 else @min(cores, if (l3_told) |n| @max(1, n / threads) else cores),
            };
        }
    };
}

const testing = std.testing;
const MiB = 1 << 20;
const KiB = 1 << 10;

/// Lines as `sysctl hw` prints them.
const Recorded = struct {
    text: []const u8,

    pub fn number(r: Recorded, name: [:0]const u8) ?u64 {
        var lines = std.mem.tokenizeScalar(u8, r.text, '\n');
        while (lines.next()) |line| {
            if (!std.mem.startsWith(u8, line, name) or !std.mem.startsWith(u8, line[name.len..], ": ")) continue;
            return std.fmt.parseInt(u64, line[name.len + 2 ..], 10) catch null;
        }
        return null;
    }
};

/// The lines of a chip with performance cores and efficiency cores, in the form of macOS 12 and later. The names without a level tell the caches
/// of the efficiency cores.
fn apple(
    comptime p: struct { cores: u32, l2: u32, sharers: u32 },
    comptime e: struct { cores: u32, l2: u32, sharers: u32 },
) Recorded {
    return .{ .text = std.fmt.comptimePrint(
        \\hw.ncpu: {0}
        \\hw.physicalcpu: {0}
        \\hw.logicalcpu: {0}
        \\hw.nperflevels: 2
        \\hw.perflevel0.physicalcpu: {1}
        \\hw.perflevel0.l1dcachesize: 131072
        \\hw.perflevel0.l2cachesize: {2}
        \\hw.perflevel0.cpusperl2: {3}
        \\hw.perflevel1.physicalcpu: {4}
        \\hw.perflevel1.l1dcachesize: 65536
        \\hw.perflevel1.l2cachesize: {5}
        \\hw.perflevel1.cpusperl2: {6}
        \\hw.l1dcachesize: 65536
        \\hw.l2cachesize: {5}
    , .{ p.cores + e.cores, p.cores, p.l2, p.sharers, e.cores, e.l2, e.sharers }) };
}

fn expect(recorded: Recorded, cores: u32, fast: Class, slow: Class) !void {
    const t = understand(recorded);
    try testing.expectEqual(cores, t.cores);
    try testing.expectEqual(cores, t.processors);
    try testing.expectEqual(null, t.quota);
    try testing.expectEqualSlices(Class, &.{ fast, slow }, t.all());
    try testing.expectEqual(fast.caches, t.caches);
}

fn clusters(cores: u32, capacity: u32, l1: usize, l2: usize, sharers: u32) Class {
    return .{ .cores = cores, .capacity = capacity, .caches = .{ .l1 = l1, .l2 = l2, .l2_private = false, .l3 = 0, .l2_sharers = sharers } };
}

test "topology: Apple's chips have two kinds of cores, each in clusters on one second level" {
    const m1 = apple(.{ .cores = 4, .l2 = 12582912, .sharers = 4 }, .{ .cores = 4, .l2 = 4194304, .sharers = 4 });
    try expect(m1, 8, clusters(4, 1024, 128 * KiB, 12 * MiB, 4), clusters(4, 512, 64 * KiB, 4 * MiB, 4));
    const m1_pro_8 = apple(.{ .cores = 6, .l2 = 12582912, .sharers = 3 }, .{ .cores = 2, .l2 = 4194304, .sharers = 2 });
    try expect(m1_pro_8, 8, clusters(6, 1024, 128 * KiB, 12 * MiB, 3), clusters(2, 512, 64 * KiB, 4 * MiB, 2));
    const m1_max = apple(.{ .cores = 8, .l2 = 12582912, .sharers = 4 }, .{ .cores = 2, .l2 = 4194304, .sharers = 2 });
    try expect(m1_max, 10, clusters(8, 1024, 128 * KiB, 12 * MiB, 4), clusters(2, 512, 64 * KiB, 4 * MiB, 2));
    const m1_ultra = apple(.{ .cores = 16, .l2 = 12582912, .sharers = 4 }, .{ .cores = 4, .l2 = 4194304, .sharers = 2 });
    try expect(m1_ultra, 20, clusters(16, 1024, 128 * KiB, 12 * MiB, 4), clusters(4, 512, 64 * KiB, 4 * MiB, 2));
    const m3 = apple(.{ .cores = 4, .l2 = 16777216, .sharers = 4 }, .{ .cores = 4, .l2 = 4194304, .sharers = 4 });
    try expect(m3, 8, clusters(4, 1024, 128 * KiB, 16 * MiB, 4), clusters(4, 512, 64 * KiB, 4 * MiB, 4));
    const m3_ultra = apple(.{ .cores = 20, .l2 = 16777216, .sharers = 5 }, .{ .cores = 8, .l2 = 4194304, .sharers = 4 });
    try expect(m3_ultra, 28, clusters(20, 1024, 128 * KiB, 16 * MiB, 5), clusters(8, 512, 64 * KiB, 4 * MiB, 4));
    const m4 = apple(.{ .cores = 4, .l2 = 16777216, .sharers = 4 }, .{ .cores = 6, .l2 = 4194304, .sharers = 6 });
    try expect(m4, 10, clusters(4, 1024, 128 * KiB, 16 * MiB, 4), clusters(6, 512, 64 * KiB, 4 * MiB, 6));
    const m4_pro = apple(.{ .cores = 10, .l2 = 16777216, .sharers = 5 }, .{ .cores = 4, .l2 = 4194304, .sharers = 4 });
    try expect(m4_pro, 14, clusters(10, 1024, 128 * KiB, 16 * MiB, 5), clusters(4, 512, 64 * KiB, 4 * MiB, 4));
    const m5_max = apple(.{ .cores = 6, .l2 = 16777216, .sharers = 6 }, .{ .cores = 12, .l2 = 8388608, .sharers = 6 });
    try expect(m5_max, 18, clusters(6, 1024, 128 * KiB, 16 * MiB, 6), clusters(12, 512, 64 * KiB, 8 * MiB, 6));
}

test "topology: macOS 11 on M1 tells no levels, and the smaller caches" {
    const t = understand(Recorded{ .text = "hw.physicalcpu: 8\nhw.logicalcpu: 8\nhw.l1dcachesize: 65536\nhw.l2cachesize: 4194304\n" });
    try testing.expectEqualSlices(Class, &.{clusters(8, 1024, 64 * KiB, 4 * MiB, 8)}, t.all());
}

test "topology: an Intel Mac counts its cores once, and each has its second level" {
    const caches: model.Caches = .{ .l1 = 32 * KiB, .l2 = 256 * KiB, .l2_private = true, .l3 = 16 * MiB, .l2_sharers = 1, .l3_sharers = 8 };
    const old = "hw.physicalcpu: 8\nhw.logicalcpu: 16\nhw.packages: 1\nhw.l1dcachesize: 32768\nhw.l2cachesize: 262144\nhw.l3cachesize: 16777216\n";
    const levels = "hw.nperflevels: 1\nhw.perflevel0.physicalcpu: 8\nhw.perflevel0.logicalcpu: 16\nhw.perflevel0.l1dcachesize: 32768\n" ++
        "hw.perflevel0.l2cachesize: 262144\nhw.perflevel0.l3cachesize: 16777216\nhw.perflevel0.cpusperl2: 2\nhw.perflevel0.cpusperl3: 16\n";
    for ([_][]const u8{ old, old ++ levels }) |text| {
        const t = understand(Recorded{ .text = text });
        try testing.expectEqual(8, t.cores);
        try testing.expectEqual(16, t.processors);
        try testing.expectEqualSlices(Class, &.{.{ .cores = 8, .capacity = 1024, .caches = caches }}, t.all());
    }
}

test "topology: a Mac that answers nothing, or nonsense, still has a core" {
    try testing.expectEqual(1, understand(Recorded{ .text = "" }).cores);
    const t = understand(Recorded{ .text = "hw.nperflevels: 99\nhw.physicalcpu: 18446744073709551615\nhw.logicalcpu: 0\n" ++
        "hw.perflevel0.physicalcpu: 0\nhw.perflevel3.physicalcpu: 3\n" ++
        "hw.perflevel3.l2cachesize: 18446744073709551615\nhw.perflevel3.cpusperl2: 0\n" });
    try testing.expectEqual(3, t.cores);
    try testing.expectEqual(1, t.class_count);
}

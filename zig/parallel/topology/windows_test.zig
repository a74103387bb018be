//! Windows' reader on records written as the system lays them out, of machines that the tests describe.

const std = @import("std");
const model = @import("model.zig");
const windows = @import("windows.zig");
const Caches = model.Caches;
const Processors = model.Processors;
const granted = windows.granted;
const understand = windows.understand;
const skipSlow = @import("../../testing/slow.zig").skip;
const testing = std.testing;
const MiB = 1 << 20;
const KiB = 1 << 10;

/// Writes records as the system does.
const Writer = struct {
    buffer: [64 << 10]u8 = @splat(0),
    length: usize = 0,

    const Mask = struct { group: u16 = 0, bits: u64 };

    fn begin(w: *Writer, relation: u32, size: u32) []u8 {
        const record = w.buffer[w.length..][0..size];
        w.length += size;
        std.mem.writeInt(u32, record[0..4], relation, .little);
        std.mem.writeInt(u32, record[4..8], size, .little);
        return record[8..];
    }

    fn affinityAt(bytes: []u8, mask: Mask) void {
        std.mem.writeInt(u64, bytes[0..8], mask.bits, .little);
        std.mem.writeInt(u16, bytes[8..10], mask.group, .little);
    }

    fn core(w: *Writer, efficiency_class: u8, mask: Mask) void {
        const bytes = w.begin(0, 48);
        bytes[0] = @intFromBool(@popCount(mask.bits) > 1); // LTP_PC_SMT
        bytes[1] = efficiency_class;
        std.mem.writeInt(u16, bytes[22..24], 1, .little);
        affinityAt(bytes[24..], mask);
    }

    fn cache(w: *Writer, level: u8, kind: enum(u32) { unified, instruction, data }, size: u32, group_count: u16, mask: Mask) void {
        const bytes = w.begin(2, 56);
        bytes[0] = level;
        bytes[1] = 8; // associativity
        std.mem.writeInt(u16, bytes[2..4], 64, .little);
        std.mem.writeInt(u32, bytes[4..8], size, .little);
        std.mem.writeInt(u32, bytes[8..12], @backingInt(kind), .little);
        std.mem.writeInt(u16, bytes[30..32], group_count, .little);
        affinityAt(bytes[32..], mask);
    }

    /// A group record, which nothing here reads: 24 bytes and 48 for each group.
    fn groups(w: *Writer, count: u16) void {
        const bytes = w.begin(4, 8 + 24 + 48 * @as(u32, count));
        std.mem.writeInt(u16, bytes[0..2], count, .little);
        std.mem.writeInt(u16, bytes[2..4], count, .little);
        for (0..count) |i| @memset(bytes[24 + 48 * i ..][0..2], 64);
    }

    fn text(w: *const Writer) []const u8 {
        return w.buffer[0..w.length];
    }
};

/// An i5-14600K: 6 performance cores of 2 threads with 2 MiB, 8 efficiency cores in clusters of 4 with 4 MiB, all on 24 MiB.
fn hybrid() Writer {
    var w: Writer = .{};
    w.groups(1);
    for (0..6) |i| {
        const mask = @as(u64, 3) << @intCast(2 * i);
        w.core(1, .{ .bits = mask });
        w.cache(1, .data, 48 * KiB, 1, .{ .bits = mask });
        w.cache(1, .instruction, 32 * KiB, 1, .{ .bits = mask });
        w.cache(2, .unified, 2 * MiB, 1, .{ .bits = mask });
    }
    w.cache(3, .unified, 24 * MiB, 1, .{ .bits = 0xfffff });
    for (12..20) |i| {
        const mask = @as(u64, 1) << @intCast(i);
        w.core(0, .{ .bits = mask });
        w.cache(1, .data, 32 * KiB, 1, .{ .bits = mask });
        w.cache(1, .instruction, 64 * KiB, 1, .{ .bits = mask });
    }
    w.cache(2, .unified, 4 * MiB, 1, .{ .bits = 0xf000 });
    w.cache(2, .unified, 4 * MiB, 1, .{ .bits = 0xf0000 });
    return w;
}

/// Two sockets of 32 cores with 2 threads, a group each; 8 cores share a third level. Caches as older systems tell them, with 0 groups.
fn twoGroups() Writer {
    var w: Writer = .{};
    w.groups(2);
    for (0..2) |group| for (0..32) |i| {
        const mask: Writer.Mask = .{ .group = @intCast(group), .bits = @as(u64, 3) << @intCast(2 * i) };
        w.core(0, mask);
        w.cache(1, .data, 32 * KiB, 0, mask);
        w.cache(2, .unified, 512 * KiB, 0, mask);
        if (i % 8 == 0) w.cache(3, .unified, 32 * MiB, 0, .{ .group = mask.group, .bits = @as(u64, 0xffff) << @intCast(2 * i) });
    };
    return w;
}

fn bits(group: u16, mask: u64) Processors {
    var set: Processors = .empty;
    windows.addGroup(&set, group, mask);
    return set;
}

test "topology: Windows tells performance cores and efficiency cores apart" {
    const w = hybrid();
    const t = understand(w.text(), bits(0, 0xfffff), null);
    const fast: Caches = .{ .l1 = 48 * KiB, .l2 = 2 * MiB, .l2_private = true, .l3 = 24 * MiB, .l2_sharers = 1, .l3_sharers = 14 };
    const slow: Caches = .{ .l1 = 32 * KiB, .l2 = 4 * MiB, .l2_private = false, .l3 = 24 * MiB, .l2_sharers = 4, .l3_sharers = 14 };
    try testing.expectEqual(14, t.cores);
    try testing.expectEqual(20, t.processors);
    try testing.expectEqualSlices(model.Class, &.{
        .{ .cores = 6, .capacity = 1024, .caches = fast },
        .{ .cores = 8, .capacity = 512, .caches = slow },
    }, t.all());
    try testing.expectEqual(fast, t.caches);
}

test "topology: an affinity mask on Windows takes cores away and leaves SMT siblings one core" {
    const w = hybrid();
    // Both threads of core 1, one of core 2, and three of the first cluster of efficiency cores.
    const t = understand(w.text(), bits(0, 0b0111_0000_0001_1100), null);
    try testing.expectEqual(5, t.cores);
    try testing.expectEqual(6, t.processors);
    try testing.expectEqual(2, t.classes[0].cores);
    try testing.expectEqual(3, t.classes[1].cores);
    try testing.expectEqual(3, t.classes[1].caches.l2_sharers);
    try testing.expectEqual(5, t.classes[1].caches.l3_sharers);
    // One core of a cluster: the cache is still not its own.
    const one = understand(w.text(), bits(0, 1 << 15), null);
    try testing.expectEqual(1, one.cores);
    try testing.expectEqual(1024, one.classes[0].capacity);
    try testing.expect(!one.caches.l2_private);
    try testing.expectEqual(1, one.caches.l2_sharers);
}

test "topology: 128 processors in two groups count as far as the process spans them" {
    const w = twoGroups();
    const caches: Caches = .{ .l1 = 32 * KiB, .l2 = 512 * KiB, .l2_private = true, .l3 = 32 * MiB, .l2_sharers = 1, .l3_sharers = 8 };
    const both = understand(w.text(), bits(0, std.math.maxInt(u64)).unionWith(bits(1, std.math.maxInt(u64))), null);
    try testing.expectEqual(64, both.cores);
    try testing.expectEqual(128, both.processors);
    try testing.expectEqualSlices(model.Class, &.{.{ .cores = 64, .capacity = 1024, .caches = caches }}, both.all());
    const second = understand(w.text(), bits(1, std.math.maxInt(u64)), null);
    try testing.expectEqual(32, second.cores);
    try testing.expectEqual(64, second.processors);
    try testing.expectEqual(caches, second.caches);
}

test "topology: two cores on one second level, and no third, as on a Core 2 Duo" {
    var w: Writer = .{};
    for (0..2) |i| {
        const mask: Writer.Mask = .{ .bits = @as(u64, 1) << @intCast(i) };
        w.core(0, mask);
        w.cache(1, .data, 32 * KiB, 1, mask);
        w.cache(1, .instruction, 64 * KiB, 1, mask);
    }
    w.cache(2, .unified, 6 * MiB, 1, .{ .bits = 3 });
    const t = understand(w.text(), bits(0, 3), null);
    try testing.expectEqual(Caches{ .l1 = 32 * KiB, .l2 = 6 * MiB, .l2_private = false, .l3 = 0, .l2_sharers = 2 }, t.caches);
}

test "topology: a job's rate is a share of the whole machine" {
    const w = twoGroups();
    // 2.5 % of 128 processors are 3.2.
    const t = understand(w.text(), bits(0, std.math.maxInt(u64)), .{ .flags = 1 | 4, .value = 250 });
    try testing.expectApproxEqAbs(3.2, t.quota.?, 1e-12);
    try testing.expectEqual(4, t.cores);
    try testing.expectEqual(32, t.classes[0].cores);
    try testing.expectApproxEqAbs(64, granted(.{ .flags = 1 | 16, .value = 5000 << 16 | 1000 }, 128).?, 1e-12);
    for ([_]windows.CpuRateControl{
        .{ .flags = 0, .value = 250 }, // no job
        .{ .flags = 4, .value = 250 }, // not enabled
        .{ .flags = 1 | 2, .value = 5 }, // a weight
        .{ .flags = 1 | 2 | 4, .value = 5 },
        .{ .flags = 1 | 4, .value = 10_000 }, // all
        .{ .flags = 1 | 4, .value = 0 },
    }) |limit| try testing.expectEqual(null, granted(limit, 128));
}

test "topology: records of Windows that are cut off or hold nonsense never stop a process" {
    try skipSlow();
    const whole = hybrid();
    for (0..whole.length) |length| {
        const t = understand(whole.text()[0..length], bits(0, 0xfffff), null);
        try testing.expect(t.cores >= 1 and t.cores <= 14);
    }
    var random = std.Random.DefaultPrng.init(testing.random_seed);
    for (0..500) |_| {
        var w = hybrid();
        for (0..1 + random.random().uintLessThan(usize, 20)) |_| {
            w.buffer[random.random().uintLessThan(usize, w.length)] = random.random().int(u8);
        }
        const t = understand(w.text(), bits(0, 0xfffff), .{ .flags = random.random().int(u32), .value = random.random().int(u32) });
        try testing.expect(t.cores >= 1 and t.cores <= model.processors_max);
        try testing.expect(t.class_count >= 1 and t.caches.l1 > 0 and t.caches.l2 > 0);
    }
    try testing.expectEqual(1, understand("", .empty, null).cores);
    // A core told twice is one.
    var twice: Writer = .{};
    for (0..2) |_| twice.core(0, .{ .bits = 3 });
    try testing.expectEqual(1, understand(twice.text(), bits(0, 3), null).cores);
}

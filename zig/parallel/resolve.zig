//! How many workers a call deserves: pure functions of sizes, knobs and topology.

const std = @import("std");
const Caches = @import("topology.zig").Caches;

/// What a device asks for.
pub const Request = union(enum) { serial, auto, exactly: u32 };

/// A device's knobs; each is a `TILEWORK_<NAME>` variable and a field of the typed `tuning`.
pub const Knobs = struct {
    /// Multiply-adds below which a product is serial whatever was asked; 0 turns the gate off.
    parallel_threshold: u64 = 48 * 48 * 256,
    /// Multiply-adds that pay for one worker more.
    par_mnk_per_worker: u64 = 2_000_000,
    /// Chunks per worker on the job cursor.
    parallel_oversample: u64 = 8,
    /// Chunks per worker where each chunk packs its own block of A. Small blocks cost nothing where a panel, not a block, is what stays in cache; with 2
    /// chunks a worker that loses its processor for a moment holds up the other: 157 against 202 GFLOP/s at 1024³ on two busy cores.
    packed_oversample: u64 = 8,
    /// Bytes below which a bandwidth-bound call is serial; null derives it from the caches.
    gemv_parallel_bytes: ?u64 = null,
};

pub const Sizes = struct { m: usize, n: usize, k: usize };

/// m·n·k, saturating.
pub fn work(s: Sizes) u64 {
    return @as(u64, s.m) *| @as(u64, s.n) *| @as(u64, s.k);
}

/// Workers for a compute-bound call of `mnk` multiply-adds that can be cut into `jobs` jobs.
pub fn compute(request: Request, knobs: Knobs, cores: u32, mnk: u64, jobs: u64) u32 {
    if (mnk < knobs.parallel_threshold) return 1;
    const wanted: u64 = switch (request) {
        .serial => 1,
        .exactly => |n| n,
        .auto => @max(1, mnk / @max(1, knobs.par_mnk_per_worker)),
    };
    return @intCast(@max(1, @min(wanted, cores, jobs)));
}

/// Bytes from which a second worker pays for a bandwidth-bound call: past the cache that one core has to itself. Where
/// the second level is shared and last, a core's share of it counts as a quarter.
pub fn bandwidthFloor(knobs: Knobs, caches: Caches) u64 {
    return knobs.gemv_parallel_bytes orelse if (caches.l3 > 0 and caches.l2_private) caches.l2 else caches.l2 / 4;
}

/// Workers for a bandwidth-bound call that touches `bytes` bytes and can be cut into `jobs` jobs.
pub fn bandwidth(request: Request, knobs: Knobs, caches: Caches, cores: u32, bytes: u64, jobs: u64) u32 {
    const wanted: u64 = switch (request) {
        .serial => 1,
        .exactly => |n| n,
        .auto => if (bytes < bandwidthFloor(knobs, caches)) 1 else cores,
    };
    return @intCast(@max(1, @min(wanted, cores, jobs)));
}

const testing = std.testing;
const some: Caches = .{ .l1 = 48 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 300 << 20 };

test "compute: the serial gate stands before everything, then request, cores and jobs" {
    const knobs: Knobs = .{};
    try testing.expectEqual(1, compute(.{ .exactly = 8 }, knobs, 8, 48 * 48 * 256 - 1, 100));
    try testing.expectEqual(8, compute(.{ .exactly = 8 }, knobs, 8, 48 * 48 * 256, 100));
    try testing.expectEqual(8, compute(.{ .exactly = 16 }, knobs, 8, 1 << 40, 100));
    try testing.expectEqual(3, compute(.{ .exactly = 16 }, knobs, 8, 1 << 40, 3));
    try testing.expectEqual(1, compute(.serial, knobs, 8, 1 << 40, 100));
    try testing.expectEqual(1, compute(.auto, knobs, 8, 3_999_999, 100));
    try testing.expectEqual(2, compute(.auto, knobs, 8, 4_000_000, 100));
    try testing.expectEqual(1, compute(.auto, knobs, 8, 1 << 40, 0));
    var off = knobs;
    off.parallel_threshold = 0;
    try testing.expectEqual(2, compute(.{ .exactly = 2 }, off, 8, 1, 100));
}

test "compute: work of huge sizes saturates" {
    try testing.expectEqual(46341 * 46341 * 46341, work(.{ .m = 46341, .n = 46341, .k = 46341 }));
    try testing.expectEqual(2_147_488_281, work(.{ .m = 46341, .n = 46341, .k = 1 }));
    try testing.expectEqual(2_148_378_000, work(.{ .m = 12347, .n = 174000, .k = 1 }));
    try testing.expectEqual(1 << 32, work(.{ .m = 65536, .n = 65536, .k = 1 }));
    try testing.expectEqual(std.math.maxInt(u64), work(.{ .m = 1 << 32, .n = 1 << 32, .k = 8 }));
}

test "bandwidth: serial below the private cache, wide above" {
    try testing.expectEqual(1, bandwidth(.auto, .{}, some, 8, (2 << 20) - 1, 100));
    try testing.expectEqual(8, bandwidth(.auto, .{}, some, 8, 2 << 20, 100));
    try testing.expectEqual(5, bandwidth(.{ .exactly = 5 }, .{}, some, 8, 1, 100));
    try testing.expectEqual(2, bandwidth(.{ .exactly = 5 }, .{}, some, 8, 1, 2));
    try testing.expectEqual(8, bandwidth(.auto, .{ .gemv_parallel_bytes = 0 }, some, 8, 0, 100));
    var shared = some;
    shared.l3 = 0;
    try testing.expectEqual(512 << 10, bandwidthFloor(.{}, shared));
}

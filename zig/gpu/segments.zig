//! Segments of an axis whose offsets live on a GPU: sequences packed on one axis, rows sorted by expert. A small shader resolves them there, so that nothing
//! is read on the host and no offset, whatever it holds, leads outside: a row belongs to the first segment e with row < offsets[e + 1], else to the last.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("launch.zig");
const Scratch = @import("scratch.zig").Scratch;
const Error = @import("../status.zig").Error;

pub const Segments = struct {
    scratch: Scratch,
    count: usize,
    /// The most tiles that there can be: each segment has at most one that is not full.
    tiles_max: usize,

    /// Resolves the offsets of `count` segments of `rows` rows, cut into tiles of `tile` rows.
    pub fn init(d: *const device.Device, offsets: [*]const u32, count: usize, rows: usize, tile: usize) Error!Segments {
        const most = @min(rows, (std.math.divCeil(usize, rows, tile) catch unreachable) + count);
        const self: Segments = .{ .scratch = try .init(d, 4 * (count + 2 + 3 * most)), .count = count, .tiles_max = most };
        errdefer self.deinit();
        try launch.launch(d, "segments_u32", Args{
            .bounds = self.scratch.ptr(u32),
            .tiles = self.scratch.ptr(u32) + count + 1,
            .offsets = offsets,
            .count = count,
            .rows = rows,
            .tile = tile,
        }, .{ .groups = 1, .cost = 8 * (count + most), .rounds = 20 * (count / 256 + 1) + 10 * (most / 256 + 1), .step = "segments" });
        return self;
    }

    pub fn deinit(self: Segments) void {
        self.scratch.deinit();
    }

    /// Segment e has the rows from the e-th bound up to the next.
    pub fn bounds(self: *const Segments) [*]const u32 {
        return self.scratch.ptr(u32);
    }

    /// How many tiles there are; then of each its segment, its first row and the row behind its last one.
    pub fn tiles(self: *const Segments) [*]const u32 {
        return self.scratch.ptr(u32) + self.count + 1;
    }

    const Args = extern struct { bounds: [*]u32, tiles: [*]u32, offsets: [*]const u32, count: usize, rows: usize, tile: usize };
};

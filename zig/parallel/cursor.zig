//! The job cursor: one atomic counter from which workers claim contiguous chunks until none are left.

const std = @import("std");

pub const Range = struct { begin: usize, end: usize };

pub const Cursor = struct {
    next: std.atomic.Value(usize) align(64) = .init(0),
    jobs: usize = 0,
    grain: usize = 1,

    /// Ready for a phase. The workers must not run it yet: a barrier publishes it.
    pub fn reset(self: *Cursor, jobs: usize, grain: usize) void {
        self.jobs = jobs;
        self.grain = @max(1, grain);
        self.next.store(0, .monotonic);
    }

    pub fn claim(self: *Cursor) ?Range {
        // A look first, so that the counter passes `jobs` by at most one claim a worker and cannot wrap.
        if (self.next.load(.monotonic) >= self.jobs) return null;
        const begin = self.next.fetchAdd(self.grain, .monotonic);
        if (begin >= self.jobs) return null;
        return .{ .begin = begin, .end = @min(begin +| self.grain, self.jobs) };
    }
};

/// The chunk that makes about `oversample` chunks per worker, in whole multiples of `unit`.
pub fn grainFor(jobs: usize, workers: usize, oversample: usize, unit: usize) usize {
    const chunks = @max(1, workers *| @max(1, oversample));
    const grain = @max(1, std.math.divCeil(usize, jobs, chunks) catch 1);
    return (std.math.divCeil(usize, grain, unit) catch 1) * unit;
}

test "every job is claimed once" {
    var c: Cursor = .{};
    for ([_]usize{ 0, 1, 7, 64, 65 }) |jobs| for ([_]usize{ 1, 3, 8, 100 }) |grain| {
        c.reset(jobs, grain);
        var at: usize = 0;
        while (c.claim()) |r| {
            try std.testing.expectEqual(at, r.begin);
            try std.testing.expect(r.end > r.begin);
            at = r.end;
        }
        try std.testing.expectEqual(jobs, at);
    };
    try std.testing.expectEqual(1, grainFor(0, 4, 8, 1));
    try std.testing.expectEqual(4, grainFor(100, 4, 8, 1));
    try std.testing.expectEqual(16, grainFor(100, 1, 8, 16));
}

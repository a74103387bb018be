//! The order of rows by expert: from the experts that each row chose, indices [rows, k], a stable counting sort of all (row, slot), counted row by
//! row.
//!
//! offsets[e] is the first place of expert e and offsets[experts] = rows·k, so that expert e has offsets[e + 1] − offsets[e] rows: none is dropped
//! and none is padded. order[p] = row·k + slot tells what stands at place p, and places[row, slot] = p undoes it. Within an expert rows keep their
//! order.
//!
//! A stable sort has one answer, so it may be cut into chunks: each chunk counts, a running sum over experts and then chunks gives each chunk its
//! first places, and each chunk sets down its own.
//!
//! On a GPU nothing is known of the indices when the call is made: one that is no expert counts as the last one there.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const Labels = @import("../row/labels.zig").Labels;
const memory = @import("../memory.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;

/// Indices of one chunk at least: less is not worth a wake-up.
const chunk_min = 4096;
const chunks_max = 256;

/// Counting is a load, an addition and a store that wait for each other: about a nanosecond, where a copy moves ten bytes.
const count_weight = 4;

const Task = struct {
    offsets: []u32,
    order: [*]u32,
    places: [*]u32,
    indices: []const u32,

    pub fn run(self: Task, d: *const Device) Error!void {
        const n = self.indices.len;
        const experts = self.offsets.len - 1;
        // Every chunk has counters of its own: no more chunks than pay for them.
        const most = std.math.clamp(n / @max(1, experts), 1, chunks_max);
        const chunks = std.math.clamp(n / chunk_min, 1, most);
        const bytes = @sizeOf(u32) * chunks * experts;
        const scratch = try memory.alloc(bytes);
        defer memory.free(scratch, bytes);
        const call: Chunks = .{ .task = self, .counters = @as([*]u32, @ptrCast(scratch))[0 .. chunks * experts], .experts = experts, .chunks = chunks };
        d.overRange(.{ .step = "count", .kernel = null, .weight = count_weight }, chunks, 1, @sizeOf(u32) * n + bytes, call, Chunks.count);
        if (d.explanation) |e| e.noteScratch(bytes) else call.start();
        d.overRange(.{ .step = "place", .kernel = null, .weight = count_weight }, chunks, 1, 3 * @sizeOf(u32) * n + bytes, call, Chunks.place);
    }

    /// Chunks are counted, the counts of each expert and then those of all become running sums, and chunks are set down. Where experts are many, chunks
    /// are long, lest their counts take more room than the indices; a workgroup sees a stretch of 256 at a time and compares all with each other.
    pub fn dispatch(self: Task, d: *const Device) Error!void {
        const n = self.indices.len;
        const experts = self.offsets.len - 1;
        const stretch = comptime launch.threads("expert_order_u32_place");
        const chunk_len = stretch * std.math.clamp(experts / stretch, 1, 16);
        const chunks = std.math.divCeil(usize, n, chunk_len) catch unreachable;
        const scratch: Scratch = try .init(d, @sizeOf(u32) * chunks * experts);
        defer scratch.deinit();
        const counters = scratch.ptr(u32);
        const offsets = self.offsets.ptr;
        const Count = extern struct { counters: [*]u32, indices: [*]const u32, count: usize, experts: usize, chunk_len: usize, chunks: usize };
        try launch.launch(d, "expert_order_u32_count", Count{
            .counters = counters,
            .indices = self.indices.ptr,
            .count = n,
            .experts = experts,
            .chunk_len = chunk_len,
            .chunks = chunks,
        }, .{ .groups = chunks, .cost = 4 * n + 2 * chunks * experts, .rounds = 32 * (experts / 1024 + 1), .step = "count" });
        const Scan = extern struct { counters: [*]u32, offsets: [*]u32, experts: usize, chunks: usize };
        try launch.launch(d, "expert_order_u32_scan", Scan{
            .counters = counters,
            .offsets = offsets,
            .experts = experts,
            .chunks = chunks,
        }, .{ .groups = experts, .cost = 16 * (stretch + chunks) * experts, .rounds = 12 * (chunks / stretch + 1), .step = "scan" });
        const Offsets = extern struct { offsets: [*]u32, experts: usize };
        try launch.launch(d, "expert_order_u32_offsets", Offsets{ .offsets = offsets, .experts = experts }, .{
            .groups = 1,
            .cost = 16 * (stretch + experts),
            .rounds = 12 * (experts / stretch + 1),
            .step = "offsets",
        });
        const Place = extern struct {
            order: [*]u32,
            places: [*]u32,
            offsets: [*]const u32,
            counters: [*]const u32,
            indices: [*]const u32,
            count: usize,
            experts: usize,
            chunk_len: usize,
            chunks: usize,
        };
        try launch.launch(d, "expert_order_u32_place", Place{
            .order = self.order,
            .places = self.places,
            .offsets = offsets,
            .counters = counters,
            .indices = self.indices.ptr,
            .count = n,
            .experts = experts,
            .chunk_len = chunk_len,
            .chunks = chunks,
        }, .{ .groups = chunks, .cost = n * chunk_len, .rounds = 68 * chunk_len / stretch * (chunk_len / stretch + 1) / 2, .step = "place" });
    }
};

const Chunks = struct {
    task: Task,
    /// Of each chunk one for each expert: how many it has, then the place of the next one.
    counters: []u32,
    experts: usize,
    chunks: usize,

    fn begin(c: Chunks, q: usize) usize {
        return c.task.indices.len / c.chunks * q + @min(q, c.task.indices.len % c.chunks);
    }

    fn count(c: Chunks, first: usize, end: usize) void {
        for (first..end) |q| {
            const counters = c.counters[q * c.experts ..][0..c.experts];
            @memset(counters, 0);
            for (c.task.indices[c.begin(q)..c.begin(q + 1)]) |e| counters[e] += 1;
        }
    }

    fn start(c: Chunks) void {
        var sum: u32 = 0;
        for (0..c.experts) |e| {
            c.task.offsets[e] = sum;
            for (0..c.chunks) |q| {
                const counter = &c.counters[q * c.experts + e];
                const own = counter.*;
                counter.* = sum;
                sum += own;
            }
        }
        c.task.offsets[c.experts] = sum;
    }

    fn place(c: Chunks, first: usize, end: usize) void {
        for (first..end) |q| {
            const next = c.counters[q * c.experts ..][0..c.experts];
            const from = c.begin(q);
            for (c.task.indices[from..c.begin(q + 1)], from..) |e, i| {
                const at = next[e];
                next[e] = at + 1;
                c.task.order[at] = @intCast(i);
                c.task.places[i] = at;
            }
        }
    }
};

fn expertOrder(d: *const Device, offsets_: u32, order_: u32, places_: u32, indices_: u32) Error!void {
    const offsets = try tensor.typed(offsets_, .u32);
    const order = try tensor.typed(order_, .u32);
    const places = try tensor.typed(places_, .u32);
    const indices = try tensor.get(indices_);
    const labels = try Labels.of(indices);
    if (offsets.rank != 1 or offsets.count() < 1 or order.rank != 1 or indices.rank != 2) return error.ShapeMismatch;
    if (!places.sameShape(indices) or order.count() != indices.count()) return error.ShapeMismatch;
    if (indices.count() > std.math.maxInt(u32)) return error.Unsupported;
    const outs = [_]*const tensor.Tensor{ offsets, order, places };
    for (outs, 0..) |out, i| {
        if (!out.contiguous()) return error.LayoutMismatch;
        try tensor.checkApart(out, indices);
        for (outs[0..i]) |other| try tensor.checkApart(out, other);
    }
    // Indices need not be seen to know that they are no experts where there are none.
    if (offsets.count() == 1 and indices.count() > 0 and !d.sees()) return error.ShapeMismatch;
    _ = try labels.checkOn(d, offsets.count() - 1, null);
    try d.submit(Task{
        .offsets = offsets.ptr(u32)[0..offsets.count()],
        .order = order.ptr(u32),
        .places = places.ptr(u32),
        .indices = labels.bits,
    });
}

fn expertOrderOn(device_: u32, offsets: u32, order: u32, places: u32, indices: u32) Error!void {
    return expertOrder(try device.get(device_), offsets, order, places, indices);
}

pub const entries = struct {
    /// `indices` i32 or u32 [rows, k]; `offsets` u32 [experts + 1], `order` u32 [rows·k], `places` u32 [rows, k]. An index that is no expert is
    /// IndexOutOfRange with its position and value; on a GPU it counts as the last expert.
    pub fn expert_order(device_: u32, offsets: u32, order: u32, places: u32, indices: u32) callconv(.c) i32 {
        return status.of(expertOrderOn(device_, offsets, order, places, indices));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// What a look over all indices for each expert gives.
fn expectSorted(indices: []const u32, offsets: []const u32, order: []const u32, places: []const u32) !void {
    var p: u32 = 0;
    for (0..offsets.len - 1) |e| {
        try testing.expectEqual(p, offsets[e]);
        for (indices, 0..) |index, i| if (index == e) {
            try testing.expectEqual(i, order[p]);
            try testing.expectEqual(p, places[i]);
            p += 1;
        };
    }
    try testing.expectEqual(indices.len, offsets[offsets.len - 1]);
}

test "expert_order: a stable sort, for any sizes, number of chunks and number of workers, i32 and u32" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const Size = struct { rows: usize, k: usize, experts: usize };
    for ([_]Size{
        .{ .rows = 0, .k = 2, .experts = 3 },
        .{ .rows = 0, .k = 0, .experts = 0 },
        .{ .rows = 1, .k = 1, .experts = 1 },
        .{ .rows = 7, .k = 1, .experts = 1 },
        .{ .rows = 17, .k = 2, .experts = 4 },
        .{ .rows = 33, .k = 3, .experts = 70 },
        .{ .rows = 5000, .k = 2, .experts = 5 },
        .{ .rows = 20003, .k = 3, .experts = 9 },
    }) |s| for (1..9) |workers| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(@intCast(workers));
        const dims = [_]usize{ s.rows, s.k };
        const indices = try t.empty(u32, &dims);
        // The last experts are rare, and often have nothing.
        for (arrays.data(u32, indices)) |*e| e.* = @intCast(random.uintLessThan(usize, 1 + random.uintLessThan(usize, s.experts)));
        const offsets = try t.filled(u32, &.{s.experts + 1}, 42);
        const order = try t.filled(u32, &.{s.rows * s.k}, 42);
        const places = try t.filled(u32, &dims, 42);
        try expertOrder(&d, offsets, order, places, indices);
        try expectSorted(arrays.data(u32, indices), arrays.data(u32, offsets), arrays.data(u32, order), arrays.data(u32, places));
        if (workers > 1) continue;
        const signed = try t.empty(i32, &dims);
        for (arrays.data(i32, signed), arrays.data(u32, indices)) |*a, b| a.* = @intCast(b);
        try expertOrder(&d, offsets, order, places, signed);
        try expectSorted(arrays.data(u32, indices), arrays.data(u32, offsets), arrays.data(u32, order), arrays.data(u32, places));
    };
}

test "expert_order: an index that is no expert is named, and a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const offsets = try t.filled(u32, &.{4}, 42);
    const order = try t.filled(u32, &.{4}, 42);
    const places = try t.filled(u32, &.{ 2, 2 }, 42);
    const wrong = [_]u32{
        try t.from(i32, &.{ 2, 2 }, &.{ 0, 1, -1, 2 }),
        try t.from(i32, &.{ 2, 2 }, &.{ 0, 1, 3, 2 }),
        try t.from(u32, &.{ 2, 2 }, &.{ 0, 1, 1 << 31, 2 }),
    };
    for (wrong, [_]f64{ -1, 3, 2147483648 }) |indices, value| {
        status.detail = .{ 0, 0 };
        try testing.expectError(error.IndexOutOfRange, expertOrder(&d, offsets, order, places, indices));
        try testing.expectEqual([2]f64{ 2, value }, status.detail);
    }
    const good = try t.filled(u32, &.{ 2, 2 }, 0);
    try testing.expectError(error.ShapeMismatch, expertOrder(&d, try t.empty(u32, &.{0}), order, places, good));
    try testing.expectError(error.ShapeMismatch, expertOrder(&d, offsets, try t.empty(u32, &.{3}), places, good));
    try testing.expectError(error.ShapeMismatch, expertOrder(&d, offsets, order, try t.empty(u32, &.{ 4, 1 }), good));
    try testing.expectError(error.ShapeMismatch, expertOrder(&d, offsets, order, places, try t.filled(u32, &.{4}, 0)));
    try testing.expectError(error.DtypeMismatch, expertOrder(&d, offsets, order, places, try t.filled(f32, &.{ 2, 2 }, 0)));
    try testing.expectError(error.DtypeMismatch, expertOrder(&d, offsets, order, try t.filled(i32, &.{ 2, 2 }, 0), good));
    try testing.expectError(error.Overlap, expertOrder(&d, offsets, order, good, good));
    try testing.expectError(error.Overlap, expertOrder(&d, order, order, places, good));
    for ([_]u32{ offsets, order, places }) |h| for (arrays.data(u32, h)) |v| try testing.expectEqual(42, v);
}

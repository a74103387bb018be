//! Embedding: out[i, :] = weight[ids[i], :]. Backward: dweight[v, :] = Σ dy[i, :] over the i with ids[i] = v, in order of i from 0.
//!
//! On a GPU nothing looks at ids before they are used: one outside the table gives a row of NaN, and no gradient.
//!
//! Backward sorts the positions by id (a counting sort keeps their order), so that each element of dweight is summed in a register and written once, by
//! whichever worker: there is nothing to clear first, and no result depends on the workers. If it accumulates, the sum of a row begins with what dweight
//! holds, and rows of ids that do not occur are not touched. Workers share the work, not the table: see `Shares`.

const std = @import("std");
const device = @import("../device.zig");
const fill = @import("fill.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const Labels = @import("../row/labels.zig").Labels;
const Scratch = @import("../gpu/scratch.zig").Scratch;
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const split = @import("../row/split.zig");
const status = @import("../status.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

fn Sums(comptime T: type) type {
    return extern struct {
        dweight: [*]T,
        dy: [*]const T,
        /// Positions of the id of row v: `positions[starts[v]..starts[v + 1]]`.
        starts: [*]const usize,
        positions: [*]const usize,
        /// Of dweight.
        rows: usize,
        cols: usize,
        dweight_stride: usize,
        /// From row to row; dy itself stays, since rows of it are named by their positions.
        lddy: usize,
        /// Adds to what dweight holds.
        accumulate: bool,

        pub const starts_stride = 1;
    };
}

/// Columns that the kernel sums in one pass over the positions.
const block = 4 * simd.lanes;

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        fn sums(p: *const Sums(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |v| {
                const out = p.dweight + v * p.dweight_stride;
                const positions = p.positions[p.starts[v]..p.starts[v + 1]];
                if (positions.len == 0) {
                    if (!p.accumulate) @memset(out[0..p.cols], 0);
                    continue;
                }
                var j: usize = 0;
                while (p.cols - j >= block) : (j += block) {
                    var acc: [4]V = @splat(@splat(0));
                    if (p.accumulate) inline for (&acc, 0..) |*a, k| {
                        a.* = simd.load(T, out + j + k * simd.lanes);
                    };
                    for (positions) |i| {
                        const dy = p.dy + i * p.lddy + j;
                        inline for (&acc, 0..) |*a, k| a.* += simd.load(T, dy + k * simd.lanes);
                    }
                    inline for (acc, 0..) |a, k| simd.store(out + j + k * simd.lanes, a);
                }
                sweep.each(p.cols - j, Rest{ .out = out + j, .dy = p.dy + j, .lddy = p.lddy, .positions = positions, .accumulate = p.accumulate });
            }
        }

        const Rest = struct {
            out: [*]T,
            dy: [*]const T,
            lddy: usize,
            positions: []const usize,
            accumulate: bool,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                var acc: V = if (s.accumulate) sweep.read(T, whole, s.out + j, left, 0) else @splat(0);
                for (s.positions) |i| acc += sweep.read(T, whole, s.dy + i * s.lddy + j, left, 0);
                sweep.write(T, whole, s.out + j, acc, left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const embedding_backward_f32_rows = Kernels(f32).sums;
    pub const embedding_backward_f64_rows = Kernels(f64).sums;
};

/// What the shaders take.
const Lookup = extern struct {
    out: [*]u32,
    weight: [*]const u32,
    ids: [*]const u32,
    rows: usize,
    cols: usize,
    out_stride: usize,
    weight_stride: usize,
    limit: usize,
};
const Order = extern struct { order: [*]u32, runs: [*]u32, ids: [*]const u32, count: usize, limit: usize };
const RunSums = extern struct {
    dweight: [*]f32,
    dy: [*]const f32,
    ids: [*]const u32,
    order: [*]const u32,
    runs: [*]const u32,
    count: usize,
    cols: usize,
    dweight_stride: usize,
    lddy: usize,
};

const ForwardTask = struct {
    out: [*]u8,
    weight: [*]const u8,
    ids: []const u32,
    row_bytes: usize,
    out_stride: usize,
    weight_stride: usize,
    /// Bytes of an element.
    size: usize,
    /// Ids in the table.
    limit: usize,

    pub fn dispatch(self: @This(), d: *const Device) Error!void {
        if (self.size != 4) return error.Unsupported;
        return launch.launch(d, "embedding_f32", Lookup{
            .out = @ptrCast(@alignCast(self.out)),
            .weight = @ptrCast(@alignCast(self.weight)),
            .ids = self.ids.ptr,
            .rows = self.ids.len,
            .cols = self.row_bytes / 4,
            .out_stride = self.out_stride / 4,
            .weight_stride = self.weight_stride / 4,
            .limit = self.limit,
        }, launch.byElement("embedding_f32", self.ids.len * self.row_bytes / 4));
    }

    pub fn run(self: @This(), d: *const Device) void {
        d.overRange(.{ .kernel = null }, self.ids.len, 1, 2 * self.row_bytes * self.ids.len, self, copy);
    }

    fn copy(self: @This(), begin: usize, end: usize) void {
        for (self.ids[begin..end], begin..) |id, i| {
            @memcpy((self.out + i * self.out_stride)[0..self.row_bytes], (self.weight + id * self.weight_stride)[0..self.row_bytes]);
        }
    }
};

fn BackwardTask(comptime T: type) type {
    return struct {
        args: Sums(T),
        ids: []const u32,
        /// Ids in the table.
        limit: usize,

        /// Positions that are sorted at a time on a GPU: each is compared with all of them, and no more than this keeps that short. A
        /// thread never adds more rows than these, whatever its jobs.
        const positions_max = 1 << 13;

        /// Rows of the table without elements, however many.
        pub fn isEmpty(self: *const @This()) bool {
            return self.args.rows == 0 or self.args.cols == 0;
        }

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = &self.args;
            if (!a.accumulate) try fill.clearOn(d, @ptrCast(a.dweight), .{ .rows = a.rows, .cols = a.cols, .stride = a.dweight_stride });
            if (self.ids.len == 0) return;
            const scratch = try Scratch.init(d, 2 * @sizeOf(u32) * @as(usize, @min(positions_max, self.ids.len)));
            defer scratch.deinit();
            var first: usize = 0;
            while (first < self.ids.len) : (first += positions_max) {
                const ids = self.ids[first..@min(self.ids.len, first + positions_max)];
                const order = scratch.ptr(u32);
                const runs = order + ids.len;
                try launch.launch(d, "embedding_order_u32", Order{ .order = order, .runs = runs, .ids = ids.ptr, .count = ids.len, .limit = self.limit }, .{
                    .groups = std.math.divCeil(usize, ids.len, 256) catch unreachable,
                    .cost = 4 * ids.len * ids.len,
                    .rounds = ids.len + ids.len / 256 + launch.few_rounds,
                    .step = "sort of the ids",
                });
                try launch.launch(d, "embedding_backward_f32_rows", RunSums{
                    .dweight = a.dweight,
                    .dy = a.dy + first * a.lddy,
                    .ids = ids.ptr,
                    .order = order,
                    .runs = runs,
                    .count = ids.len,
                    .cols = a.cols,
                    .dweight_stride = a.dweight_stride,
                    .lddy = a.lddy,
                }, .{ .groups = ids.len * (std.math.divCeil(usize, a.cols, 64) catch unreachable), .cost = 8 * ids.len * a.cols });
            }
        }

        pub fn run(self: @This(), d: *const Device) Error!void {
            var args = self.args;
            const vocabulary = args.rows;
            const words = vocabulary + 1 + self.ids.len;
            const bytes = words * @sizeOf(usize);
            const scratch = try memory.alloc(bytes);
            defer memory.free(scratch, bytes);
            const list = @as([*]usize, @ptrCast(scratch))[0..words];
            const starts = list[0 .. vocabulary + 1];
            const positions = list[vocabulary + 1 ..];
            if (d.explanation) |e| {
                e.noteSerial("sort of the ids", bytes);
                e.noteScratch(bytes);
            } else sort(self.ids, starts, positions);
            args.starts = starts.ptr;
            args.positions = positions.ptr;

            const name = "embedding_backward_" ++ @typeName(T) ++ "_rows";
            const shares: Shares(T) = .of(args, d.kernel(fn (*const Sums(T)) callconv(.c) void, name));
            const touched = @sizeOf(T) * args.cols * (vocabulary + self.ids.len);
            d.overRange(.{ .kernel = name }, vocabulary + self.ids.len * shares.position, 1, touched, shares, Shares(T).some);
        }
    };
}

/// The work of all rows, one after another, to be cut anywhere: a unit for a row, and `position` units for each position that is added to it. What begins or
/// ends inside a row's work has as much of its columns, in the order of both, so that workers share a frequent id, and few ids with wide rows; no sum is cut.
/// Against shares of the table, two cores of a Zen 3, 8192 rows of 768: one id of 256 takes 0.60 of the time, ids as frequent as words (1/id) of 50257 that
/// are added 0.22, and written, when zeros are most of the work, 1.00.
fn Shares(comptime T: type) type {
    return struct {
        const Self = @This();

        args: Sums(T),
        kernel: *const fn (*const Sums(T)) callconv(.c) void,
        position: usize,
        /// Columns that stay together: whole passes of the kernel, or whole cache lines if there are few passes.
        unit: usize,

        fn of(args: Sums(T), kernel: *const fn (*const Sums(T)) callconv(.c) void) Self {
            return .{
                .args = args,
                .kernel = kernel,
                // A row is written as a position is read. If it accumulates, a row without positions is only passed by: eight elements take that time.
                .position = if (args.accumulate) @max(1, args.cols / 8) else 1,
                .unit = if (args.cols >= 8 * block) block else simd.lanes,
            };
        }

        /// Work of the rows before row `v`.
        fn before(s: *const Self, v: usize) usize {
            return s.args.starts[v] * s.position + v;
        }

        /// The row in whose work `at` lies, or the number of rows behind all work.
        fn rowAt(s: *const Self, at: usize) usize {
            var low: usize = 0;
            var high = s.args.rows + 1;
            while (high - low > 1) {
                const middle = low + (high - low) / 2;
                if (s.before(middle) <= at) low = middle else high = middle;
            }
            return low;
        }

        fn some(s: Self, begin: usize, end: usize) void {
            var first = s.rowAt(begin);
            if (s.before(first) < begin) {
                s.columns(first, begin, @min(end, s.before(first + 1)));
                first += 1;
            }
            const last = s.rowAt(end);
            if (last < first) return;
            if (last > first) s.kernel(&split.part(s.args, first, last - first));
            if (s.before(last) < end) s.columns(last, s.before(last), end);
        }

        /// The columns of a row that the part `from..to` of the work stands for.
        fn columns(s: *const Self, row: usize, from: usize, to: usize) void {
            const begin = s.column(row, from);
            const end = s.column(row, to);
            if (begin == end) return;
            var args = split.part(s.args, row, 1);
            args.dweight += begin;
            args.dy += begin;
            args.cols = end - begin;
            s.kernel(&args);
        }

        fn column(s: *const Self, row: usize, at: usize) usize {
            const units: u128 = std.math.divCeil(usize, s.args.cols, s.unit) catch unreachable;
            const own = s.before(row + 1) - s.before(row);
            return @min(s.args.cols, s.unit * @as(usize, @intCast(units * (at - s.before(row)) / own)));
        }
    };
}

/// Counting sort of the positions by id, on one thread: some 0.1 ms for 8192 positions of 50257 ids, a hundredth of their sums at 768 columns, a quarter at
/// 64. Dealing positions to ranges of ids first, so that each worker sorts ranges of its own, is a second pass: with two workers the whole gradient of 65536
/// positions took 1.2 times as long.
///
/// While it runs, `starts[v + 1]` counts the ids below v + 1, then walks from the first place of id v to its end, which is the start of id v + 1.
fn sort(ids: []const u32, starts: []usize, positions: []usize) void {
    @memset(starts, 0);
    // Counts go two places up, where there is room: after the running sum starts[v + 1] is the first place of id v.
    for (ids) |id| {
        if (id + 2 < starts.len) starts[id + 2] += 1;
    }
    var sum: usize = 0;
    for (starts) |*s| {
        sum += s.*;
        s.* = sum;
    }
    for (ids, 0..) |id, i| {
        positions[starts[id + 1]] = i;
        starts[id + 1] += 1;
    }
}

/// Checks [vocabulary, width] against ids and rows of width.
fn match(rows: *const tensor.Tensor, ids: *const tensor.Tensor, table: *const tensor.Tensor) Error!void {
    if (table.rank != 2 or rows.rank != ids.rank + 1) return error.ShapeMismatch;
    if (rows.fromEnd(0) != table.fromEnd(0)) return error.ShapeMismatch;
    for (ids.shape(), rows.shape()[0..ids.rank]) |a, b| if (a != b) return error.ShapeMismatch;
}

fn forward(d: *const Device, out_: u32, ids_: u32, weight_: u32) Error!void {
    const weight = try tensor.get(weight_);
    const out = try tensor.typed(out_, weight.dtype);
    const ids = try tensor.get(ids_);
    const labels = try Labels.of(ids);
    if (weight.dtype != .f32 and weight.dtype != .f64) return error.Unsupported;
    try match(out, ids, weight);
    const out_rows = try shape.written(out);
    const weight_rows = try weight.rows();
    try tensor.checkApart(out, weight);
    try tensor.checkApart(out, ids);
    _ = try labels.checkOn(d, weight_rows.rows, null);
    const size = weight.dtype.bytes();
    try d.submit(ForwardTask{
        .out = out.data,
        .weight = weight.data,
        .ids = labels.bits,
        .row_bytes = size * weight_rows.cols,
        .out_stride = size * out_rows.stride,
        .weight_stride = size * weight_rows.stride,
        .size = size,
        .limit = labels.limit(weight_rows.rows),
    });
}

/// Bit of `flags`.
const accumulate = 1;

fn backward(d: *const Device, dweight_: u32, dy_: u32, ids_: u32, flags: u32) Error!void {
    if (flags & ~@as(u32, accumulate) != 0) return error.InvalidArgument;
    const dy = try tensor.get(dy_);
    const dweight = try tensor.typed(dweight_, dy.dtype);
    const ids = try tensor.get(ids_);
    const labels = try Labels.of(ids);
    try match(dy, ids, dweight);
    const dy_rows = try dy.rows();
    const dweight_rows = try shape.written(dweight);
    try tensor.checkApart(dweight, dy);
    try tensor.checkApart(dweight, ids);
    _ = try labels.checkOn(d, dweight.shape_[0], null);
    switch (dy.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .ids = labels.bits,
                .limit = labels.limit(dweight_rows.rows),
                .args = .{
                    .dweight = dweight.ptr(T),
                    .dy = dy.ptr(T),
                    .starts = undefined,
                    .positions = undefined,
                    .rows = dweight_rows.rows,
                    .cols = dweight_rows.cols,
                    .dweight_stride = dweight_rows.stride,
                    .lddy = dy_rows.stride,
                    .accumulate = flags & accumulate != 0,
                },
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, ids: u32, weight: u32) Error!void {
    return forward(try device.get(device_), out, ids, weight);
}

fn backwardOn(device_: u32, dweight: u32, dy: u32, ids: u32, flags: u32) Error!void {
    return backward(try device.get(device_), dweight, dy, ids, flags);
}

pub const entries = struct {
    /// `ids` are i32 or u32 without gaps; one outside the table is IndexOutOfRange with its position and value.
    pub fn embedding(device_: u32, out: u32, ids: u32, weight: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, ids, weight));
    }

    /// Overwrites `dweight`, or adds to it with 1 in `flags`.
    pub fn embedding_backward(device_: u32, dweight: u32, dy: u32, ids: u32, flags: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dweight, dy, ids, flags));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

fn randomIds(t: *arrays.Tensors, comptime I: type, n: usize, vocabulary: usize, random: std.Random) !u32 {
    const ids = try t.empty(I, &.{n});
    // Low ids are frequent, as in text.
    for (arrays.data(I, ids)) |*id| id.* = @intCast(random.uintLessThan(usize, 1 + random.uintLessThan(usize, vocabulary)));
    return ids;
}

test "embedding: rows and summed gradients as in plain loops, at every width, i32 and u32" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| inline for (.{ i32, u32 }) |I| for (arrays.lengths) |width| for ([_]usize{ 0, 1, 29 }) |n| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const vocabulary = 11;
        const ids = try randomIds(&t, I, n, vocabulary, prng.random());
        const weight = try t.normal(T, &.{ vocabulary, width }, prng.random(), 1);
        const y = try t.empty(T, &.{ n, width });
        try forward(&d, y, ids, weight);
        const dy = try t.normal(T, &.{ n, width }, prng.random(), 1);
        // Summed in the same order, in the type itself: equal bits.
        const want = try testing.allocator.alloc(T, vocabulary * width);
        defer testing.allocator.free(want);
        @memset(want, 0);
        for (arrays.data(I, ids), 0..) |id, i| for (0..width) |j| {
            const row: usize = @intCast(id);
            try testing.expectEqual(arrays.data(T, weight)[row * width + j], arrays.data(T, y)[i * width + j]);
            want[row * width + j] += arrays.data(T, dy)[i * width + j];
        };
        const dweight = try t.filled(T, &.{ vocabulary, width }, 42);
        try backward(&d, dweight, dy, ids, 0);
        try arrays.expectSameBits(T, want, arrays.data(T, dweight));
        // Once more on top: each row's chain of sums goes on, and rows without an id keep their bits, a negative zero too.
        for (want) |*w| if (w.* == 0) {
            w.* = -0.0;
        };
        @memcpy(arrays.data(T, dweight), want);
        for (arrays.data(I, ids), 0..) |id, i| for (0..width) |j| {
            want[@as(usize, @intCast(id)) * width + j] += arrays.data(T, dy)[i * width + j];
        };
        try backward(&d, dweight, dy, ids, accumulate);
        try arrays.expectSameBits(T, want, arrays.data(T, dweight));
    };
}

test "embedding: the same bits for any number of workers, and for views" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const width = 37;
    const ids = try randomIds(&t, u32, 300, 101, prng.random());
    const dy = try t.normal(f32, &.{ 300, width }, prng.random(), 1);
    const want = try t.empty(f32, &.{ 101, width });
    try backward(&device.forTest(1), want, dy, ids, 0);
    const wide = try t.filled(f32, &.{ 101, 40 }, 42);
    for (2..9) |workers| {
        const d = device.forTest(@intCast(workers));
        try backward(&d, try t.view(wide, 2, &.{ 101, width }, &.{ 40, 1 }), dy, ids, 0);
        for (arrays.data(f32, wide), 0..) |v, i| {
            const inside = i % 40 >= 2 and i % 40 < 2 + width;
            try testing.expectEqual(if (inside) arrays.data(f32, want)[i / 40 * width + i % 40 - 2] else 42, v);
        }
    }
}

test "embedding: the work of a gradient is cut anywhere, inside a row too, and each element is summed once" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| for ([_]usize{ 1, 15, 16, 64, 100, 511, 512, 700 }) |width| for ([_]usize{ 1, 40 }) |vocabulary| for ([_]bool{ false, true }) |adds| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const n = 300;
        const ids = try t.empty(u32, &.{n});
        // Nine tenths are one id.
        for (arrays.data(u32, ids)) |*id| id.* = if (random.uintLessThan(u32, 10) > 0) @intCast(vocabulary / 2) else random.uintLessThan(u32, @intCast(vocabulary));
        const dy = try t.normal(T, &.{ n, width }, random, 1);
        const want = try t.filled(T, &.{ vocabulary, width }, 0.5);
        const got = try t.filled(T, &.{ vocabulary, width }, 0.5);
        if (!adds) @memset(arrays.data(T, want), 0);
        for (arrays.data(u32, ids), 0..) |id, i| for (0..width) |j| {
            arrays.data(T, want)[id * width + j] += arrays.data(T, dy)[i * width + j];
        };
        const list = try testing.allocator.alloc(usize, vocabulary + 1 + n);
        defer testing.allocator.free(list);
        const positions = list[vocabulary + 1 ..];
        sort(arrays.data(u32, ids), list[0 .. vocabulary + 1], positions);
        const shares: Shares(T) = .of(.{
            .dweight = arrays.data(T, got).ptr,
            .dy = arrays.data(T, dy).ptr,
            .starts = list.ptr,
            .positions = positions.ptr,
            .rows = vocabulary,
            .cols = width,
            .dweight_stride = width,
            .lddy = width,
            .accumulate = adds,
        }, pick.testKernel("embedding_backward_" ++ @typeName(T) ++ "_rows", fn (*const Sums(T)) callconv(.c) void));
        const total = vocabulary + n * shares.position;
        var at: usize = 0;
        while (at < total) {
            const to = @min(total, at + 1 + random.uintLessThan(usize, total / 4 + 1));
            shares.some(at, to);
            at = to;
        }
        try arrays.expectSameBits(T, arrays.data(T, want), arrays.data(T, got));
    };
}

test "embedding: half of the work of one frequent id is half of its columns" {
    const kernel = pick.testKernel("embedding_backward_f32_rows", fn (*const Sums(f32)) callconv(.c) void);
    const width = 768;
    const dy: [4 * width]f32 = @splat(1);
    for ([_]bool{ false, true }) |adds| {
        var out: [3 * width]f32 = @splat(0);
        const shares: Shares(f32) = .of(.{
            .dweight = &out,
            .dy = &dy,
            .starts = &[_]usize{ 0, 0, 4, 4 },
            .positions = &[_]usize{ 0, 1, 2, 3 },
            .rows = 3,
            .cols = width,
            .dweight_stride = width,
            .lddy = width,
            .accumulate = adds,
        }, kernel);
        shares.some(0, (3 + 4 * shares.position) / 2);
        const done = std.mem.countScalar(f32, out[width .. 2 * width], 4);
        try testing.expect(done >= width / 4 and done <= width * 5 / 8);
        for (out[width..][0..done]) |v| try testing.expectEqual(4, v);
    }
}

test "embedding: an id outside the table is named and nothing is written" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const weight = try t.filled(f32, &.{ 3, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    const dweight = try t.filled(f32, &.{ 3, 4 }, 42);
    const wrong = [_]u32{
        try t.from(i32, &.{2}, &.{ 0, -1 }),
        try t.from(i32, &.{2}, &.{ 2, 3 }),
        try t.from(u32, &.{2}, &.{ 0, 1 << 31 }),
        try t.from(u32, &.{2}, &.{ 0, std.math.maxInt(u32) }),
    };
    for (wrong, [_]f64{ -1, 3, 2147483648, 4294967295 }) |ids, value| {
        status.detail = .{ 0, 0 };
        try testing.expectError(error.IndexOutOfRange, forward(&d, y, ids, weight));
        try testing.expectEqual([2]f64{ 1, value }, status.detail);
        try testing.expectError(error.IndexOutOfRange, backward(&d, dweight, y, ids, 0));
        try testing.expectError(error.InvalidArgument, backward(&d, dweight, y, ids, 2));
    }
    const ids = try t.from(u32, &.{2}, &.{ 0, 1 });
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.from(u32, &.{3}, &.{ 0, 1, 2 }), weight));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, ids, try t.filled(f32, &.{ 3, 5 }, 1)));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, try t.filled(f32, &.{2}, 0), weight));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, ids, try t.filled(f64, &.{ 3, 4 }, 1)));
    try testing.expectError(error.Overlap, forward(&d, try t.view(weight, 4, &.{ 2, 4 }, &.{ 4, 1 }), ids, weight));
    for ([_]u32{ y, dweight }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "embedding: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const kernel = pick.testKernel("embedding_backward_" ++ @typeName(T) ++ "_rows", fn (*const Sums(T)) callconv(.c) void);
        const values: [3 * 70]T = @splat(1);
        const starts = [_]usize{ 0, 0, 3 };
        const positions = [_]usize{ 0, 1, 2 };
        for (1..71) |cols| {
            const dy = try arrays.atBorder(T, values[0 .. 3 * cols]);
            defer dy.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. 2 * cols]);
            defer out.memory.deinit();
            kernel(&.{
                .dweight = out.items.ptr,
                .dy = dy.items.ptr,
                .starts = &starts,
                .positions = &positions,
                .rows = 2,
                .cols = cols,
                .dweight_stride = cols,
                .lddy = cols,
                .accumulate = false,
            });
            for (out.items, 0..) |v, i| try testing.expectEqual(@as(T, if (i < cols) 0 else 3), v);
        }
    }
}

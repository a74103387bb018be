//! Sums and means over one axis, or over all elements: out = Σ x, or Σ x / n. The order of every sum is that of row/fold.zig: along the last axis by parts,
//! along any other one down columns. f32 is summed in f64; a mean divides there too, and the result is rounded once. Integers wrap and have no mean.
//! On a GPU f32 is summed in pairs of f32, in the same parts and chunks; inside a part the order is that of the shader.

const std = @import("std");
const fold = @import("../row/fold.zig");
const copy = @import("copy.zig");
const device = @import("../device.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const memory = @import("../memory.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// The axis that stands for all of them.
const all_axes = std.math.maxInt(u32);
/// Bit 0 of `flags`.
const flag_mean = 1;

pub const ukernels = struct {
    pub const sum_f32_rows = fold.Kernel(f32, .itself).rows;
    pub const sum_f64_rows = fold.Kernel(f64, .itself).rows;
    pub const sum_u32_rows = fold.Kernel(u32, .itself).rows;
    pub const sum_f32_columns = fold.Kernel(f32, .itself).columns;
    pub const sum_f64_columns = fold.Kernel(f64, .itself).columns;
    pub const sum_u32_columns = fold.Kernel(u32, .itself).columns;
};

/// x as [outer, n, inner], and the sum over n.
fn Task(comptime T: type) type {
    return struct {
        const Self = @This();

        out: [*]T,
        x: Tensor,
        /// First axis of those that are summed, and one past the last: one axis, or all.
        axis: usize,
        end: usize,
        mean: bool,

        /// Without sums; a sum of nothing is one.
        pub fn isEmpty(self: *const Self) bool {
            return product(self.x.shape()[0..self.axis]) == 0 or product(self.x.shape()[self.end..]) == 0;
        }

        pub fn run(self: Self, d: *const Device) Error!void {
            if (self.inPlace()) return self.reduce(d, &self.x);
            // Other layouts are made contiguous first, so that no order of sums depends on strides.
            const bytes = self.x.count() * @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            const dense = try copy.compact(d, &self.x, block);
            return self.reduce(d, &dense);
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            if (T == f64) return error.Unsupported;
            if (self.inPlace() and (self.x.contiguous() or self.axis == 0 or self.end == self.x.rank)) return self.dispatchOn(d, &self.x);
            const block: Scratch = try .init(d, self.x.count() * @sizeOf(T));
            defer block.deinit();
            const dense = try copy.compact(d, &self.x, block.chunk.address());
            return self.dispatchOn(d, &dense);
        }

        fn dispatchOn(self: *const Self, d: *const Device, x: *const Tensor) Error!void {
            const outer = product(x.shape()[0..self.axis]);
            const n = product(x.shape()[self.axis..self.end]);
            const cols = product(x.shape()[self.end..]);
            const to: fold.Closed(T) = .{ .out = self.out, .divisor = if (self.mean) @floatFromInt(n) else 1 };
            if (cols == 1) {
                const rows: tensor.Rows = if (x.contiguous()) .{ .rows = outer, .cols = n, .stride = n } else try x.rows();
                return fold.dispatchRows(T, d, x.ptr(T), rows, to);
            }
            return fold.dispatchColumns(T, d, .{ .x = x.ptr(T), .outer = outer, .rows = n, .cols = cols, .row_stride = x.strides_[self.axis] }, to);
        }

        fn product(sizes: []const usize) usize {
            var n: usize = 1;
            for (sizes) |size| n *|= size; // more than there can be only beside a size of 0
            return n;
        }

        /// Whether the kernels can read x as it lies.
        fn inPlace(self: *const Self) bool {
            const x = &self.x;
            if (x.contiguous()) return true;
            if (self.end - self.axis != 1) return false;
            if (self.end == x.rank) return if (x.rows()) |_| true else |_| false;
            var expected: isize = 1;
            var i: usize = x.rank;
            while (i > self.end) {
                i -= 1;
                if (x.shape_[i] != 1 and x.strides_[i] != expected) return false;
                expected *= @intCast(x.shape_[i]);
            }
            return expected > 1;
        }

        fn reduce(self: *const Self, d: *const Device, x: *const Tensor) Error!void {
            const outer = product(x.shape()[0..self.axis]);
            const n = product(x.shape()[self.axis..self.end]);
            const cols = product(x.shape()[self.end..]);
            const to: Out = .{ .out = self.out, .cols = cols, .n = n, .mean = self.mean };
            if (cols == 1) {
                const rows: tensor.Rows = if (x.contiguous()) .{ .rows = outer, .cols = n, .stride = n } else try x.rows();
                return fold.sumRows(T, "sum", d, x.ptr(T), rows, to, Out.one);
            }
            return fold.sumColumns(T, "sum", d, .{
                .x = x.ptr(T),
                .outer = outer,
                .rows = n,
                .cols = cols,
                .row_stride = x.strides_[self.axis],
                .outer_rank = self.axis,
                .outer_sizes = x.shape_,
                .outer_strides = x.strides_,
            }, to, Out.many);
        }

        const Out = struct {
            out: [*]T,
            cols: usize,
            n: usize,
            mean: bool,

            fn one(o: @This(), row: usize, total: fold.Acc(T)) void {
                o.out[row] = o.round(total);
            }

            fn many(o: @This(), matrix: usize, col: usize, totals: []const fold.Acc(T)) void {
                for ((o.out + matrix * o.cols + col)[0..totals.len], totals) |*x, total| x.* = o.round(total);
            }

            fn round(o: *const @This(), total: fold.Acc(T)) T {
                if (T == u32) return total;
                return @floatCast(if (o.mean) total / @as(f64, @floatFromInt(o.n)) else total);
            }
        };
    };
}

/// Whether `out` has the shape of `x` without `axis`, or with one element in its place; for all axes, whether it has one element.
fn fits(out: *const Tensor, x: *const Tensor, axis: ?usize) bool {
    const k = axis orelse return out.count() == 1;
    const o = out.shape();
    const s = x.shape();
    if (o.len == s.len) return o[k] == 1 and std.mem.eql(usize, o[0..k], s[0..k]) and std.mem.eql(usize, o[k + 1 ..], s[k + 1 ..]);
    return o.len + 1 == s.len and std.mem.eql(usize, o[0..k], s[0..k]) and std.mem.eql(usize, o[k..], s[k + 1 ..]);
}

fn onDevice(d: *const Device, out: *const Tensor, x: *const Tensor, axis: u32, flags: u32) Error!void {
    if (flags & ~@as(u32, flag_mean) != 0) return error.InvalidArgument;
    if (out.dtype != x.dtype) return error.DtypeMismatch;
    const all = axis == all_axes;
    if (!all and axis >= x.rank) return error.InvalidArgument;
    if (!fits(out, x, if (all) null else axis)) return error.ShapeMismatch;
    if (!out.contiguous()) return error.LayoutMismatch;
    try tensor.checkApart(out, x);
    const mean = flags & flag_mean != 0;
    if (mean and x.dtype != .f32 and x.dtype != .f64) return error.Unsupported;
    switch (x.dtype) {
        inline else => |dtype| {
            const T = switch (dtype) {
                .f32 => f32,
                .f64 => f64,
                .i32, .u32 => u32,
            };
            try d.submit(Task(T){
                .out = out.ptr(T),
                .x = x.*,
                .axis = if (all) 0 else axis,
                .end = if (all) x.rank else axis + 1,
                .mean = mean,
            });
        },
    }
}

fn checked(device_: u32, out: u32, x: u32, axis: u32, flags: u32) Error!void {
    return onDevice(try device.get(device_), try tensor.get(out), try tensor.get(x), axis, flags);
}

pub const entries = struct {
    /// `axis` 0xffffffff stands for all axes; `flags` 1 takes the mean. `out` is contiguous, the axis left out or of one element.
    pub fn sum(device_: u32, out: u32, x: u32, axis: u32, flags: u32) callconv(.c) i32 {
        return status.of(checked(device_, out, x, axis, flags));
    }
};

const slow = @import("../testing/slow.zig");
const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const guard = @import("../testing/guard.zig");

/// Σ over the axis in f64, one after another; [outer, n, inner].
fn plain(comptime T: type, reference: []f64, x: []const T, n: usize, inner: usize, mean: bool) void {
    for (reference, 0..) |*r, i| {
        r.* = 0;
        for (0..n) |k| r.* += x[(i / inner * n + k) * inner + i % inner];
        if (mean) r.* /= @as(f64, @floatFromInt(n));
    }
}

/// Sums a contiguous x over one axis or all, and compares with the plain loop, and the bits with those of a single worker.
fn expectSum(comptime T: type, workers: u32, x: *const Tensor, axis: ?usize, mean: bool) !void {
    var all: arrays.Tensors = .{};
    defer all.free();
    var shape: [tensor.rank_max]usize = undefined;
    var rank: usize = 0;
    if (axis) |k| for (x.shape(), 0..) |size, i| if (i != k) {
        shape[rank] = size;
        rank += 1;
    };
    const out = try tensor.get(try all.empty(T, shape[0..rank]));
    const again = try tensor.get(try all.empty(T, shape[0..rank]));
    const d = device.forTest(workers);
    const one = device.forTest(1);
    const number: u32 = if (axis) |k| @intCast(k) else all_axes;
    try onDevice(&d, out, x, number, @intFromBool(mean));
    try onDevice(&one, again, x, number, @intFromBool(mean));
    const count = out.count();
    try arrays.expectSameBits(T, again.ptr(T)[0..count], out.ptr(T)[0..count]);
    const reference = try testing.allocator.alloc(f64, count);
    defer testing.allocator.free(reference);
    var inner: usize = 1;
    if (axis) |k| for (x.shape()[k + 1 ..]) |size| {
        inner *= size;
    };
    plain(T, reference, x.ptr(T)[0..x.count()], if (axis) |k| x.shape_[k] else x.count(), inner, mean);
    try arrays.expectWithin(T, reference, out.ptr(T)[0..count], if (T == f32) 1e-6 else 1e-13);
}

test "sum: rows and columns of all lengths equal the plain loop" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths) |n| for ([_]usize{ 1, 65 }) |other| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const x = try tensor.get(try all.normal(T, &.{ other, n }, prng.random(), 1));
        const turned = try tensor.get(try all.normal(T, &.{ n, other }, prng.random(), 1));
        for ([_]bool{ false, true }) |mean| {
            if (mean and n == 0) continue;
            try expectSum(T, 3, x, 1, mean);
            try expectSum(T, 3, turned, 0, mean);
            try expectSum(T, 3, x, null, mean);
        }
    };
}

test "sum: long rows, long columns, every axis, any number of workers" {
    try slow.skip();
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const shapes = [_][]const usize{ &.{30011}, &.{ 3, 20011 }, &.{ 20011, 3 }, &.{ 1, 517, 3, 700 }, &.{ 70, 300, 2 }, &.{ 100, 1, 1, 300 }, &.{ 2, 200, 600 }, &.{} };
    inline for (.{ f32, f64 }) |T| for (shapes) |shape| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const x = try tensor.get(try all.normal(T, shape, prng.random(), 1));
        for ([_]u32{ 2, 7, 8 }) |workers| {
            for (0..shape.len) |axis| try expectSum(T, workers, x, axis, axis % 2 == 1);
            try expectSum(T, workers, x, null, workers == 7);
        }
    };
}

test "sum: a strided view gives the bits of its contiguous copy" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const base = try all.normal(T, &.{ 20, 30, 40 }, prng.random(), 1);
        const views = [_]u32{
            try all.view(base, 5, &.{ 20, 30, 17 }, &.{ 1200, 40, 1 }),
            try all.view(base, 0, &.{ 40, 30, 20 }, &.{ 1, 40, 1200 }),
            try all.view(base, 0, &.{ 30, 20, 40 }, &.{ 40, 1200, 1 }),
            try all.view(base, 0, &.{ 7, 30, 40 }, &.{ 0, 40, 1 }),
            try all.view(base, 0, &.{ 20, 30, 1 }, &.{ 1200, 40, 1 }),
            try all.view(base, 0, &.{ 20, 15, 40 }, &.{ 1200, 80, 1 }),
        };
        for (views) |v| {
            var some: arrays.Tensors = .{};
            defer some.free();
            const d = device.forTest(2);
            const x = try tensor.get(v);
            const dense = try tensor.get(try some.empty(T, x.shape()));
            _ = try copy.compact(&d, x, @alignCast(dense.data));
            for (0..4) |axis| {
                var shape: [3]usize = undefined;
                for (&shape, x.shape(), 0..) |*s, size, i| s.* = if (i == axis or axis == 3) 1 else size;
                const a = try some.empty(T, &shape);
                const b = try some.empty(T, &shape);
                const number: u32 = if (axis == 3) all_axes else @intCast(axis);
                try onDevice(&d, try tensor.get(a), x, number, 0);
                try onDevice(&d, try tensor.get(b), dense, number, 0);
                try arrays.expectSameBits(T, arrays.data(T, b), arrays.data(T, a));
            }
        }
    }
}

test "sum: empty sums are 0, their mean is NaN, no element is left unset" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(2);
    const x = try tensor.get(try all.empty(f32, &.{ 3, 0, 2 }));
    const out = try all.filled(f32, &.{ 3, 2 }, 7);
    try onDevice(&d, try tensor.get(out), x, 1, 0);
    try arrays.expectSameBits(f32, &.{ 0, 0, 0, 0, 0, 0 }, arrays.data(f32, out));
    const one = try all.filled(f32, &.{}, 7);
    try onDevice(&d, try tensor.get(one), x, all_axes, 0);
    try testing.expectEqual(0, arrays.data(f32, one)[0]);
    try onDevice(&d, try tensor.get(one), x, all_axes, flag_mean);
    try testing.expect(std.math.isNan(arrays.data(f32, one)[0]));
    try onDevice(&d, try tensor.get(try all.empty(f32, &.{ 3, 0 })), x, 2, 0);
}

test "sum: NaN and infinities, cancellation, and sums that f32 could not hold on the way" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const inf = std.math.inf(f32);
    const x = try tensor.get(try all.from(f32, &.{ 5, 3 }, &.{ 1, inf, 2, inf, -inf, 1, 1, std.math.nan(f32), 1, 3e38, 3e38, -3e38, 1e8, 1, -1e8 }));
    const out = try all.empty(f32, &.{5});
    try onDevice(&d, try tensor.get(out), x, 1, 0);
    try arrays.expectSameBits(f32, &.{ inf, std.math.nan(f32), std.math.nan(f32), 3e38, 1 }, arrays.data(f32, out));
    // More ones than f32 can count one by one.
    const n = (1 << 24) + 5000;
    const ones = try all.filled(f32, &.{ n, 1 }, 1);
    const total = try all.empty(f32, &.{1});
    try onDevice(&d, try tensor.get(total), try tensor.get(ones), 0, 0);
    try testing.expectEqual(@as(f32, n), arrays.data(f32, total)[0]);
}

test "sum: integers wrap" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(2);
    const x = try all.filled(u32, &.{ 1000, 3 }, 0x8000_0001);
    const out = try all.empty(u32, &.{3});
    try onDevice(&d, try tensor.get(out), try tensor.get(x), 0, 0);
    for (arrays.data(u32, out)) |v| try testing.expectEqual(1000, v);
    const y = try all.filled(i32, &.{ 2, 999 }, -3);
    const sums = try all.empty(i32, &.{ 2, 1 });
    try onDevice(&d, try tensor.get(sums), try tensor.get(y), 1, 0);
    try testing.expectEqual(-2997, arrays.data(i32, sums)[1]);
    try testing.expectError(error.Unsupported, onDevice(&d, try tensor.get(sums), try tensor.get(y), 1, flag_mean));
}

test "sum: what does not fit is an error" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const x = try tensor.get(try all.filled(f32, &.{ 4, 5 }, 1));
    const out = try tensor.get(try all.empty(f32, &.{4}));
    try testing.expectError(error.InvalidArgument, onDevice(&d, out, x, 2, 0));
    try testing.expectError(error.InvalidArgument, onDevice(&d, out, x, 1, 2));
    try testing.expectError(error.ShapeMismatch, onDevice(&d, out, x, 0, 0));
    try testing.expectError(error.ShapeMismatch, onDevice(&d, out, x, all_axes, 0));
    try testing.expectError(error.DtypeMismatch, onDevice(&d, try tensor.get(try all.empty(f64, &.{4})), x, 1, 0));
    const handle = try all.filled(f32, &.{ 4, 5 }, 1);
    try testing.expectError(error.Overlap, onDevice(&d, try tensor.get(try all.view(handle, 0, &.{4}, &.{1})), try tensor.get(handle), 1, 0));
    try testing.expectError(error.LayoutMismatch, onDevice(&d, try tensor.get(try all.view(handle, 0, &.{4}, &.{2})), x, 1, 0));
}

test "sum: reads end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| for ([_]usize{ 0, 1 }) |axis| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const in = try guard.Guarded.init(3 * n * @sizeOf(T));
        defer in.deinit();
        const shape: [2]usize = if (axis == 1) .{ 3, n } else .{ n, 3 };
        var x = (try tensor.get(try all.empty(T, &shape))).*;
        for (in.last(T, 3 * n), 0..) |*v, i| v.* = @floatFromInt(i);
        x.data = @ptrCast(in.last(T, 3 * n).ptr);
        try expectSum(T, 1, &x, axis, false);
        x.shape_ = .{ 3, n } ++ @as([6]usize, @splat(1));
        x.strides_[0..2].* = .{ @intCast(n), 1 };
        try expectSum(T, 1, &x, 0, false);
    };
}

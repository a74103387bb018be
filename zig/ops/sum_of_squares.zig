//! Sum of squares of all elements: out[index] = Σ x². One element of a vector for each of many tensors is what a global norm needs.
//!
//! Squares of f32 are exact in f64 and are added there, by the parts of row/fold.zig, so neither the squares nor the sum overflow.

const std = @import("std");
const fold = @import("../row/fold.zig");
const copy = @import("copy.zig");
const device = @import("../device.zig");
const memory = @import("../memory.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

pub const ukernels = struct {
    pub const sum_of_squares_f32_rows = fold.Kernel(f32, .square).rows;
    pub const sum_of_squares_f64_rows = fold.Kernel(f64, .square).rows;
};

fn Task(comptime Out: type, comptime T: type) type {
    return struct {
        out: *Out,
        x: Tensor,

        pub fn run(self: @This(), d: *const Device) Error!void {
            if (self.x.contiguous()) return self.reduce(d, &self.x);
            const bytes = self.x.count() * @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            const dense = try copy.compact(d, &self.x, block);
            return self.reduce(d, &dense);
        }

        fn reduce(self: *const @This(), d: *const Device, x: *const Tensor) Error!void {
            const n = x.count();
            return fold.sumRows(T, "sum_of_squares", d, x.ptr(T), .{ .rows = 1, .cols = n, .stride = n }, self.out, done);
        }

        fn done(out: *Out, row: usize, total: f64) void {
            _ = row;
            out.* = @floatCast(total);
        }
    };
}

fn onDevice(d: *const Device, out: *const Tensor, x: *const Tensor, index: u32) Error!void {
    if (index >= out.count()) return error.InvalidArgument;
    if (!out.contiguous()) return error.LayoutMismatch;
    try tensor.checkApart(out, x);
    switch (out.dtype) {
        inline .f32, .f64 => |to| switch (x.dtype) {
            inline .f32, .f64 => |from| {
                const Out = if (to == .f32) f32 else f64;
                const T = if (from == .f32) f32 else f64;
                try d.submit(Task(Out, T){ .out = &out.ptr(Out)[index], .x = x.* });
            },
            else => return error.Unsupported,
        },
        else => return error.Unsupported,
    }
}

fn checked(device_: u32, out: u32, x: u32, index: u32) Error!void {
    return onDevice(try device.get(device_), try tensor.get(out), try tensor.get(x), index);
}

pub const entries = struct {
    /// Writes element `index` of `out`, which is contiguous, f32 or f64, and may be wider than `x`.
    pub fn sum_of_squares(device_: u32, out: u32, x: u32, index: u32) callconv(.c) i32 {
        return status.of(checked(device_, out, x, index));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const guard = @import("../testing/guard.zig");

fn sumsq(comptime T: type, workers: u32, x: *const Tensor) !f64 {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(workers);
    const out = try all.filled(f64, &.{3}, 7);
    try onDevice(&d, try tensor.get(out), x, 1);
    try testing.expectEqual(7, arrays.data(f64, out)[0]);
    try testing.expectEqual(7, arrays.data(f64, out)[2]);
    var reference: f64 = 0;
    if (x.contiguous()) {
        for (x.ptr(T)[0..x.count()]) |v| reference += @as(f64, v) * @as(f64, v);
        try testing.expectApproxEqRel(reference, arrays.data(f64, out)[1], 1e-11);
    }
    return arrays.data(f64, out)[1];
}

test "sum of squares: all lengths, the same bits for any workers and layout" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        for (arrays.lengths ++ [_]usize{ 257, 1023, 40000, 300001 }) |n| {
            var all: arrays.Tensors = .{};
            defer all.free();
            const base = try all.empty(T, &.{ n + 1, 2 });
            for (arrays.data(T, base)) |*v| v.* = @floatCast(prng.random().floatNorm(f64));
            const view = try tensor.get(try all.view(base, 1, &.{n}, &.{2}));
            const dense = try tensor.get(try all.empty(T, &.{n}));
            for (dense.ptr(T)[0..n], 0..) |*v, i| v.* = view.ptr(T)[2 * i];
            const first = try sumsq(T, 1, dense);
            for ([_]u32{ 2, 3, 8 }) |workers| try testing.expectEqual(first, try sumsq(T, workers, dense));
            try testing.expectEqual(first, try sumsq(T, 2, view));
        }
    }
}

test "sum of squares: long vectors of ones are counted, for any workers" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const long = try tensor.get(try all.filled(f32, &.{1 << 25}, 1));
    const short = try tensor.get(try all.filled(f32, &.{40000}, 1));
    for ([_]u32{ 1, 2, 5, 16 }) |workers| {
        const d = device.forTest(workers);
        const out = try all.empty(f32, &.{});
        try onDevice(&d, try tensor.get(out), long, 0);
        try testing.expectEqual(33554432, arrays.data(f32, out)[0]);
        try onDevice(&d, try tensor.get(out), short, 0);
        try testing.expectEqual(40000, arrays.data(f32, out)[0]);
    }
}

test "sum of squares: squares that f32 could not hold, NaN, infinities, nothing" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const out = try all.empty(f64, &.{});
    try onDevice(&d, try tensor.get(out), try tensor.get(try all.from(f32, &.{2}, &.{ 3e38, 1e-30 })), 0);
    try testing.expectApproxEqRel(9e76, arrays.data(f64, out)[0], 1e-6);
    try onDevice(&d, try tensor.get(out), try tensor.get(try all.from(f32, &.{2}, &.{ -std.math.inf(f32), 1 })), 0);
    try testing.expectEqual(std.math.inf(f64), arrays.data(f64, out)[0]);
    try onDevice(&d, try tensor.get(out), try tensor.get(try all.from(f32, &.{2}, &.{ std.math.nan(f32), 1 })), 0);
    try testing.expect(std.math.isNan(arrays.data(f64, out)[0]));
    try onDevice(&d, try tensor.get(out), try tensor.get(try all.empty(f32, &.{0})), 0);
    try testing.expectEqual(0, arrays.data(f64, out)[0]);
    try testing.expectError(error.InvalidArgument, onDevice(&d, try tensor.get(out), try tensor.get(try all.empty(f32, &.{1})), 1));
    try testing.expectError(error.Unsupported, onDevice(&d, try tensor.get(out), try tensor.get(try all.empty(i32, &.{1})), 0));
    try testing.expectError(error.Overlap, onDevice(&d, try tensor.get(out), try tensor.get(out), 0));
}

test "sum of squares: reads end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const in = try guard.Guarded.init(n * @sizeOf(T));
        defer in.deinit();
        var x = (try tensor.get(try all.empty(T, &.{n}))).*;
        for (in.last(T, n), 0..) |*v, i| v.* = @floatFromInt(i);
        x.data = @ptrCast(in.last(T, n).ptr);
        _ = try sumsq(T, 1, &x);
    };
}

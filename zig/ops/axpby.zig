//! y[i] = alpha·x[i] + beta·y[i] for many pairs in one pass, in place on y: sums of gradients, running sums, updates. With beta 0 y is not read. No
//! multiplication is fused with an addition, so alpha and beta of 1 add exactly as `add` does.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const list = @import("../row/list.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const status = @import("../status.zig");
const Error = status.Error;
const tensor = @import("../tensor.zig");
const Device = device.Device;

fn Step(comptime T: type) type {
    return extern struct { alpha: T, beta: T };
}

const Kind = enum { sum, set };

fn Formula(comptime T: type, comptime kind: Kind) type {
    return struct {
        const V = simd.Vec(T);

        pub inline fn next(s: *const Step(T), x: [2]V) [1]V {
            const term = @as(V, @splat(s.alpha)) * x[1];
            return .{if (kind == .set) term else term + @as(V, @splat(s.beta)) * x[0]};
        }
    };
}

pub const ukernels = struct {
    pub const axpby_f32_sum = list.Kernel(f32, 2, 1, Step(f32), Formula(f32, .sum)).update;
    pub const axpby_f64_sum = list.Kernel(f64, 2, 1, Step(f64), Formula(f64, .sum)).update;
    pub const axpby_f32_set = list.Kernel(f32, 2, 1, Step(f32), Formula(f32, .set)).update;
    pub const axpby_f64_set = list.Kernel(f64, 2, 1, Step(f64), Formula(f64, .set)).update;
};

fn Task(comptime T: type) type {
    return struct {
        pairs: list.List(2, 1),
        numbers: struct { alpha: f64, beta: f64 },

        pub fn run(self: *const @This(), d: *const Device) void {
            const steps = [1]Step(T){.{ .alpha = @floatCast(self.numbers.alpha), .beta = @floatCast(self.numbers.beta) }};
            const name = "axpby_" ++ @typeName(T) ++ "_";
            if (steps[0].beta == 0) {
                self.pairs.update(d, T, name ++ "set", @as([]const Step(T), &steps));
            } else self.pairs.update(d, T, name ++ "sum", @as([]const Step(T), &steps));
        }

        pub fn deinit(self: *const @This()) void {
            self.pairs.deinit();
        }

        const Args = extern struct { y: [*]f32, x: [*]const f32, count: usize, alpha: f32, beta: f32 };

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            for (self.pairs.items) |*item| try launch.launch(d, "axpby_f32", Args{
                .y = item.ptr(T, 0),
                .x = item.ptr(T, 1),
                .count = item.count,
                .alpha = @floatCast(self.numbers.alpha),
                .beta = @floatCast(self.numbers.beta),
            }, launch.byElement("axpby_f32", item.count));
        }
    };
}

/// Each y and its x.
const pairs = list.Pairs(Task);
const onDevice = pairs.onDevice;
const checked = pairs.checked;

pub const entries = struct {
    /// `handles`: `count` y, then as many x. All are contiguous and of one dtype, f32 or f64, those of a pair of one shape.
    pub fn axpby(device_: u32, handles: [*]const u32, count: u32, alpha: f64, beta: f64) callconv(.c) i32 {
        return status.of(checked(device_, handles[0 .. 2 * @as(usize, count)], .{ .alpha = alpha, .beta = beta }));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

test "axpby: lists of all lengths equal the plain loop, for any workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{ 1000, 5003 }) |n| {
        for ([_][2]f64{ .{ 1, 1 }, .{ 0.3, -2 }, .{ -0.5, 0 } }) |c| for ([_]u32{ 1, 3, 8 }) |workers| {
            var all: arrays.Tensors = .{};
            defer all.free();
            var handles: [4]u32 = undefined;
            var want: [2][]T = undefined;
            for (0..2) |i| {
                const len = if (i == 0) n else (n + 7) % 100;
                handles[i] = try all.normal(T, &.{len}, prng.random(), 1);
                handles[2 + i] = try all.normal(T, &.{len}, prng.random(), 1);
                if (len > 2) arrays.data(T, handles[i])[1] = std.math.nan(T);
                want[i] = try testing.allocator.dupe(T, arrays.data(T, handles[i]));
                const alpha: T = @floatCast(c[0]);
                const beta: T = @floatCast(c[1]);
                for (want[i], arrays.data(T, handles[2 + i])) |*y, x| y.* = if (beta == 0) alpha * x else alpha * x + beta * y.*;
            }
            defer for (want) |w| testing.allocator.free(w);
            const tensors = try list.lookUp(&handles);
            defer list.free(tensors);
            try onDevice(&device.forTest(workers), tensors, .{ .alpha = c[0], .beta = c[1] });
            for (want, handles[0..2]) |w, h| try arrays.expectSameBits(T, w, arrays.data(T, h));
        };
    };
}

test "axpby: what does not fit is an error, and nothing is touched" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.defaultForTest();
    const y = try all.filled(f32, &.{4}, 1);
    const x = try all.filled(f32, &.{4}, 1);
    const one: @FieldType(Task(f32), "numbers") = .{ .alpha = 1, .beta = 1 };
    const expect = testing.expectError;
    try expect(error.Overlap, checked(d, &.{ y, y }, one));
    try expect(error.Overlap, checked(d, &.{ y, y, x, x }, one));
    try expect(error.ShapeMismatch, checked(d, &.{ y, try all.filled(f32, &.{ 2, 2 }, 1) }, one));
    try expect(error.DtypeMismatch, checked(d, &.{ y, try all.filled(f64, &.{4}, 1) }, one));
    try expect(error.Unsupported, checked(d, &.{ try all.filled(u32, &.{4}, 1), try all.filled(u32, &.{4}, 1) }, one));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(1, v);
    try checked(d, &.{}, one);
}

test "axpby: reads and writes end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var at: arrays.AtBorder(2) = try .init(T, n, 0.25);
        defer at.free();
        const d = device.forTest(1);
        try onDevice(&d, &at.pointers(), .{ .alpha = 1, .beta = 2 });
        for (at.tensors[0].ptr(T)[0..n]) |y| try testing.expectEqual(0.75, y);
    };
}

//! y[i] moves towards x[i] for many pairs in one pass, in place on y: y + t·(x − y), which is y at t = 0, and where t is not below a half
//! x − (x − y)·(1 − t), which is x at t = 1. Where the two are equal y stays as it is: a running mean of a constant does not drift, as decay·y + t·x would
//! once decay and t are rounded.

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
    return extern struct { t: T, rest: T };
}

const Kind = enum { near, far };

fn Formula(comptime T: type, comptime kind: Kind) type {
    return struct {
        const V = simd.Vec(T);

        pub inline fn next(s: *const Step(T), pair: [2]V) [1]V {
            const y, const x = pair;
            return .{if (kind == .near) y + @as(V, @splat(s.t)) * (x - y) else x - (x - y) * @as(V, @splat(s.rest))};
        }
    };
}

pub const ukernels = struct {
    pub const lerp_f32_near = list.Kernel(f32, 2, 1, Step(f32), Formula(f32, .near)).update;
    pub const lerp_f64_near = list.Kernel(f64, 2, 1, Step(f64), Formula(f64, .near)).update;
    pub const lerp_f32_far = list.Kernel(f32, 2, 1, Step(f32), Formula(f32, .far)).update;
    pub const lerp_f64_far = list.Kernel(f64, 2, 1, Step(f64), Formula(f64, .far)).update;
};

fn Task(comptime T: type) type {
    return struct {
        pairs: list.List(2, 1),
        /// t.
        numbers: f64,

        pub fn run(self: *const @This(), d: *const Device) void {
            const t = self.numbers;
            const steps = [1]Step(T){.{ .t = @floatCast(t), .rest = @floatCast(1 - t) }};
            const name = "lerp_" ++ @typeName(T) ++ "_";
            if (t < 0.5) {
                self.pairs.update(d, T, name ++ "near", @as([]const Step(T), &steps));
            } else self.pairs.update(d, T, name ++ "far", @as([]const Step(T), &steps));
        }

        pub fn deinit(self: *const @This()) void {
            self.pairs.deinit();
        }

        const Args = extern struct { y: [*]f32, x: [*]const f32, count: usize, t: f32, rest: f32, far: bool };

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            for (self.pairs.items) |*item| try launch.launch(d, "lerp_f32", Args{
                .y = item.ptr(T, 0),
                .x = item.ptr(T, 1),
                .count = item.count,
                .t = @floatCast(self.numbers),
                .rest = @floatCast(1 - self.numbers),
                .far = self.numbers >= 0.5,
            }, launch.byElement("lerp_f32", item.count));
        }
    };
}

/// Each y and its x.
const pairs = list.Pairs(Task);
const onDevice = pairs.onDevice;
const checked = pairs.checked;

pub const entries = struct {
    /// `handles`: `count` y, then as many x. All are contiguous and of one dtype, f32 or f64, those of a pair of one shape.
    pub fn lerp(device_: u32, handles: [*]const u32, count: u32, t: f64) callconv(.c) i32 {
        return status.of(checked(device_, handles[0 .. 2 * @as(usize, count)], t));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

test "lerp: lists of all lengths equal the plain loop, for any workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{ 1000, 5003 }) |n| {
        for ([_]f64{ 0, 1e-4, 0.3, 0.5, 0.9, 1, 1.5 }) |t| for ([_]u32{ 1, 8 }) |workers| {
            var all: arrays.Tensors = .{};
            defer all.free();
            var handles: [4]u32 = undefined;
            var want: [2][]f64 = undefined;
            for (0..2) |i| {
                const len = if (i == 0) n else (n + 7) % 100;
                handles[i] = try all.normal(T, &.{len}, prng.random(), 1);
                handles[2 + i] = try all.normal(T, &.{len}, prng.random(), 1);
                want[i] = try arrays.widen(T, arrays.data(T, handles[i]));
                for (want[i], arrays.data(T, handles[2 + i])) |*y, x| y.* = (1 - t) * y.* + t * x;
            }
            defer for (want) |w| testing.allocator.free(w);
            const tensors = try list.lookUp(&handles);
            defer list.free(tensors);
            try onDevice(&device.forTest(workers), tensors, t);
            for (want, handles[0..2]) |w, h| try arrays.expectClose(T, w, arrays.data(T, h));
            if (t == 1) for (handles[0..2], handles[2..]) |y, x| try arrays.expectSameBits(T, arrays.data(T, x), arrays.data(T, y));
        };
    };
}

test "lerp: a mean of a constant stays that constant" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const y = try all.filled(f32, &.{20}, 0.1);
    const x = try all.filled(f32, &.{20}, 0.1);
    for ([_]f64{ 1e-4, 0.3, 0.999 }) |t| for (0..100) |_| try checked(device.defaultForTest(), &.{ y, x }, t);
    for (arrays.data(f32, y)) |v| try testing.expectEqual(0.1, v);
}

test "lerp: what does not fit is an error, and nothing is touched" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.defaultForTest();
    const y = try all.filled(f32, &.{4}, 1);
    const expect = testing.expectError;
    try expect(error.Overlap, checked(d, &.{ y, y }, 1));
    try expect(error.ShapeMismatch, checked(d, &.{ y, try all.filled(f32, &.{5}, 1) }, 1));
    try expect(error.Unsupported, checked(d, &.{ try all.filled(u32, &.{4}, 1), try all.filled(u32, &.{4}, 1) }, 1));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(1, v);
    try checked(d, &.{}, 1);
}

test "lerp: reads and writes end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var at: arrays.AtBorder(2) = try .init(T, n, 0.25);
        defer at.free();
        @memset(at.tensors[1].ptr(T)[0..n], 1.25);
        const d = device.forTest(1);
        try onDevice(&d, &at.pointers(), 0.25);
        for (at.tensors[0].ptr(T)[0..n]) |y| try testing.expectEqual(0.5, y);
    };
}

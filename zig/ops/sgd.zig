//! One step of gradient descent with momentum for many parameters in one pass, in place on w and its momentum b (Polyak, 1964; Nesterov, 1983, in the form
//! of Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013):
//!
//!     g' = g·scale + decay·w,  b = μ·b + g',  w = w − lr·b,  or with Nesterov's look ahead  w = w − lr·(g' + μ·b)
//!
//! and without momentum w = w − lr·g'. From b = 0 the first step is the gradient itself. As for AdamW no multiplication is fused with an addition.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const list = @import("../row/list.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

fn Step(comptime T: type) type {
    return extern struct {
        rate: T,
        momentum: T,
        decay: T,
        gradient_scale: T,

        /// lr, μ, decay, scale of the gradient.
        pub fn of(p: [4]f64, decays: bool) @This() {
            return .{
                .rate = @floatCast(p[0]),
                .momentum = @floatCast(p[1]),
                .decay = if (decays) @floatCast(p[2]) else 0,
                .gradient_scale = @floatCast(p[3]),
            };
        }
    };
}

const Kind = enum { plain, momentum, nesterov };

fn Formula(comptime T: type, comptime kind: Kind) type {
    return struct {
        const V = simd.Vec(T);
        const columns = if (kind == .plain) 2 else 3;

        pub inline fn next(s: *const Step(T), x: [columns]V) [columns - 1]V {
            const w = x[0];
            const g = x[columns - 1] * all(s.gradient_scale) + all(s.decay) * w;
            if (kind == .plain) return .{w - all(s.rate) * g};
            const b = all(s.momentum) * x[1] + g;
            const way = if (kind == .nesterov) g + all(s.momentum) * b else b;
            return .{ w - all(s.rate) * way, b };
        }

        inline fn all(x: T) V {
            return @splat(x);
        }

        const kernel = list.Kernel(T, columns, columns - 1, Step(T), @This()).update;
    };
}

pub const ukernels = struct {
    pub const sgd_f32_plain = Formula(f32, .plain).kernel;
    pub const sgd_f64_plain = Formula(f64, .plain).kernel;
    pub const sgd_f32_momentum = Formula(f32, .momentum).kernel;
    pub const sgd_f64_momentum = Formula(f64, .momentum).kernel;
    pub const sgd_f32_nesterov = Formula(f32, .nesterov).kernel;
    pub const sgd_f64_nesterov = Formula(f64, .nesterov).kernel;
};

/// w, its momentum unless there is none, and the gradient of each parameter.
fn Update(comptime kind: Kind) type {
    return list.Optimizer("sgd", @tagName(kind), Formula(f32, kind).columns, 4, Step);
}

fn onDevice(d: *const Device, comptime kind: Kind, tensors: []const *const Tensor, decays: []const u32, scalars: *const Tensor) Error!void {
    return Update(kind).onDevice(d, tensors, decays, scalars);
}

const has_momentum: u32 = 1;
const looks_ahead: u32 = 2;

fn checked(device_: u32, words: [*]const u32, count: usize, scalars: u32, flags: u32) Error!void {
    switch (flags) {
        inline 0, has_momentum, has_momentum | looks_ahead => |f| {
            const kind: Kind = switch (f) {
                0 => .plain,
                has_momentum => .momentum,
                else => .nesterov,
            };
            return Update(kind).checked(device_, words[0 .. (Formula(f32, kind).columns + 1) * count], scalars);
        },
        else => return error.InvalidArgument,
    }
}

pub const entries = struct {
    /// `words`: the handles of `count` w, with flag 1 of as many momenta, of as many gradients, then for each whether it decays, 0 or 1. Flag 2 looks ahead
    /// as Nesterov does, and wants flag 1. All are contiguous and of one dtype, those of one parameter of one shape; w and momenta are updated in place.
    /// `scalars` are four numbers, f32 or f64: lr, μ, decay and the scale of the gradients.
    pub fn sgd(device_: u32, words: [*]const u32, count: u32, scalars: u32, flags: u32) callconv(.c) i32 {
        return status.of(checked(device_, words, count, scalars, flags));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// The step in f64, as the definition says.
fn Plain(comptime kind: Kind) type {
    return struct {
        fn step(values: []const *f64, gradient: f64, p: [4]f64) void {
            const w = values[0];
            const g = gradient * p[3] + p[2] * w.*;
            if (kind == .plain) {
                w.* -= p[0] * g;
                return;
            }
            const b = values[1];
            b.* = p[1] * b.* + g;
            w.* -= p[0] * (if (kind == .nesterov) g + p[1] * b.* else b.*);
        }

        fn at(_: f64) [4]f64 {
            return .{ 0.1, 0.9, 0.05, 0.5 };
        }
    };
}

test "SGD: lists of all lengths equal the plain loop over several steps, the same bits for any workers" {
    inline for (.{ Kind.plain, Kind.momentum, Kind.nesterov }) |kind| try list.expectPlainSteps(Update(kind), Plain(kind).at, 2, Plain(kind).step);
}

test "SGD: one NaN stays where it is" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const w = try all.filled(f32, &.{8}, 1);
    const b = try all.filled(f32, &.{8}, 0);
    const g = try all.filled(f32, &.{8}, 1);
    arrays.data(f32, g)[3] = std.math.nan(f32);
    const tensors = try list.lookUp(&.{ w, b, g });
    defer list.free(tensors);
    try onDevice(&d, .nesterov, tensors, &.{1}, try tensor.get(try all.from(f64, &.{4}, &.{ 0.1, 0.9, 0.1, 1 })));
    for (0..8) |i| for ([_]u32{ w, b }) |x| try testing.expectEqual(i == 3, std.math.isNan(arrays.data(f32, x)[i]));
}

test "SGD: what does not fit is an error, and nothing is touched" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.defaultForTest();
    const p = try all.filled(f32, &.{4}, 1);
    var t: [3]u32 = undefined;
    for (&t) |*x| x.* = try all.filled(f32, &.{5}, 1);
    const expect = testing.expectError;
    try expect(error.InvalidArgument, checked(d, &.{ t[0], t[1], 1 }, 1, p, looks_ahead));
    try expect(error.InvalidArgument, checked(d, &.{ t[0], t[1], 2 }, 1, p, 0));
    try expect(error.ShapeMismatch, checked(d, &.{ t[0], t[1], 1 }, 1, t[2], 0));
    try expect(error.Overlap, checked(d, &.{ t[0], t[0], t[2], 1 }, 1, p, 1));
    const whole = try all.filled(i32, &.{5}, 1);
    const other = try all.filled(i32, &.{5}, 1);
    try expect(error.Unsupported, checked(d, &.{ whole, other, 1 }, 1, p, 0));
    try expect(error.InvalidHandle, checked(d, &.{ t[0], 0, 1 }, 1, p, 0));
    for (t) |x| for (arrays.data(f32, x)) |v| try testing.expectEqual(1, v);
    try checked(d, &.{}, 0, p, 0);
    try checked(d, &.{ t[0], t[1], t[2], 0 }, 1, p, 3);
    try testing.expect(arrays.data(f32, t[0])[4] != 1);
}

test "SGD: reads and writes end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var at: arrays.AtBorder(3) = try .init(T, n, 0.25);
        defer at.free();
        const d = device.forTest(1);
        try onDevice(&d, .momentum, &at.pointers(), &.{1}, try tensor.get(try at.all.from(f64, &.{4}, &.{ 0.1, 0.9, 0, 1 })));
        for (at.tensors[0].ptr(T)[0..n]) |w| try testing.expectEqual(at.tensors[0].ptr(T)[0], w);
    };
}

//! One step of Lion for many parameters in one pass, in place on w and m (Chen et al., "Symbolic discovery of optimization algorithms", 2023):
//!
//!     g' = g·scale,  w = w·(1 − lr·decay) − lr·sign(β1·m + (1 − β1)·g'),  m = β2·m + (1 − β2)·g'
//!
//! The sign of a zero is that zero, and of NaN it is NaN: what is wrong shows. As for AdamW no multiplication is fused with an addition.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const list = @import("../row/list.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");

/// What a step needs of its scalars, worked out in f64 and rounded once.
fn Step(comptime T: type) type {
    return extern struct {
        gradient_scale: T,
        beta1: T,
        one_minus_beta1: T,
        beta2: T,
        one_minus_beta2: T,
        /// 1 − lr·decay
        kept: T,
        rate: T,

        /// lr, β1, β2, decay, scale of the gradient. What does not decay is multiplied by exactly 1.
        pub fn of(p: [5]f64, decays: bool) @This() {
            return .{
                .rate = @floatCast(p[0]),
                .beta1 = @floatCast(p[1]),
                .one_minus_beta1 = @floatCast(1 - p[1]),
                .beta2 = @floatCast(p[2]),
                .one_minus_beta2 = @floatCast(1 - p[2]),
                .kept = if (decays) @floatCast(1 - p[0] * p[3]) else 1,
                .gradient_scale = @floatCast(p[4]),
            };
        }
    };
}

fn Formula(comptime T: type) type {
    return struct {
        const V = simd.Vec(T);

        pub inline fn next(s: *const Step(T), x: [3]V) [2]V {
            const w, const m, const gradient = x;
            const g = gradient * all(s.gradient_scale);
            const way = all(s.beta1) * m + all(s.one_minus_beta1) * g;
            const sign = @select(T, way > all(0), all(1), @select(T, way < all(0), all(-1), way));
            return .{ w * all(s.kept) - all(s.rate) * sign, all(s.beta2) * m + all(s.one_minus_beta2) * g };
        }

        inline fn all(x: T) V {
            return @splat(x);
        }
    };
}

pub const ukernels = struct {
    pub const lion_f32_update = list.Kernel(f32, 3, 2, Step(f32), Formula(f32)).update;
    pub const lion_f64_update = list.Kernel(f64, 3, 2, Step(f64), Formula(f64)).update;
};

/// w, m and the gradient of each parameter.
const step = list.Optimizer("lion", "update", 3, 5, Step);
const onDevice = step.onDevice;
const checked = step.checked;

pub const entries = struct {
    /// `words`: the handles of `count` w, as many m and gradients, then for each whether it decays, 0 or 1. All are contiguous and of one dtype, those of one
    /// parameter of one shape; w and m are updated in place. `scalars` are five numbers, f32 or f64: lr, β1, β2, decay and the scale of the gradients.
    pub fn lion(device_: u32, words: [*]const u32, count: u32, scalars: u32) callconv(.c) i32 {
        return status.of(checked(device_, words[0 .. 4 * @as(usize, count)], scalars));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// The step in f64, written as in the paper's second listing.
fn plain(values: []const *f64, gradient: f64, p: [5]f64) void {
    const w, const m = values[0..2].*;
    const g = gradient * p[4];
    const way = p[1] * m.* + (1 - p[1]) * g;
    const sign: f64 = if (way > 0) 1 else if (way < 0) -1 else way;
    w.* -= p[0] * (sign + p[3] * w.*);
    m.* = p[2] * m.* + (1 - p[2]) * g;
}

test "Lion: lists of all lengths equal the plain loop over several steps, the same bits for any workers" {
    const at = struct {
        fn at(_: f64) [5]f64 {
            return .{ 0.01, 0.9, 0.99, 0.1, 0.5 };
        }
    }.at;
    try list.expectPlainSteps(step, at, 3, plain);
}

test "Lion: a zero gradient from rest changes nothing, and NaN shows where it is" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const w = try all.filled(f32, &.{8}, 1);
    const m = try all.filled(f32, &.{8}, 0);
    const g = try all.filled(f32, &.{8}, 0);
    arrays.data(f32, g)[3] = std.math.nan(f32);
    const tensors = try list.lookUp(&.{ w, m, g });
    defer list.free(tensors);
    try onDevice(&d, tensors, &.{0}, try tensor.get(try all.from(f64, &.{5}, &.{ 0.1, 0.9, 0.99, 0.1, 1 })));
    for (0..8) |i| {
        if (i != 3) try testing.expectEqual(1, arrays.data(f32, w)[i]);
        for ([_]u32{ w, m }) |x| try testing.expectEqual(i == 3, std.math.isNan(arrays.data(f32, x)[i]));
    }
}

test "Lion: what does not fit is an error, and nothing is touched" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.defaultForTest();
    const p = try all.filled(f32, &.{5}, 1);
    var t: [3]u32 = undefined;
    for (&t) |*x| x.* = try all.filled(f32, &.{6}, 1);
    const expect = testing.expectError;
    try expect(error.InvalidArgument, checked(d, &.{ t[0], t[1], t[2], 2 }, p));
    try expect(error.ShapeMismatch, checked(d, &.{ t[0], t[1], t[2], 1 }, t[2]));
    try expect(error.Overlap, checked(d, &.{ t[0], t[0], t[2], 1 }, p));
    try expect(error.InvalidHandle, checked(d, &.{ t[0], t[1], 0, 1 }, p));
    for (t) |x| for (arrays.data(f32, x)) |v| try testing.expectEqual(1, v);
    try checked(d, &.{}, p);
}

test "Lion: reads and writes end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var at: arrays.AtBorder(3) = try .init(T, n, 0.25);
        defer at.free();
        const d = device.forTest(1);
        try onDevice(&d, &at.pointers(), &.{1}, try tensor.get(try at.all.from(f64, &.{5}, &.{ 0.1, 0.9, 0.99, 0, 1 })));
        for (at.tensors[0].ptr(T)[0..n]) |w| try testing.expectEqual(at.tensors[0].ptr(T)[0], w);
    };
}

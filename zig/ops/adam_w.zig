//! One step of AdamW for many parameters in one pass, in place on w, m and v (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019):
//!
//!     g' = g·scale,  m = β1·m + (1 − β1)·g',  v = β2·v + (1 − β2)·g'²,  w = w·(1 − lr·decay) − lr·(m·c1) / (√(v·c2) + eps)
//!
//! with the bias corrections c1 = 1/(1 − β1ᵗ) and c2 = 1/(1 − β2ᵗ). A finite element of g' whose square would take v beyond 2¹²⁶ (f64: 2¹⁰²²) counts as 2⁶³
//! (2⁵¹¹) with its sign: an infinite v would stop its parameter for ever. No multiplication is fused with an addition: the pass waits for memory anyway
//! (28 bytes an element of f32; 1 769 472 of them took 1.24 ms on one core of a Xeon, 40 GB/s), and the same source is the same bits without hardware FMA.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const list = @import("../row/list.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Tensor = tensor.Tensor;

/// What a step needs of its eight parameters, worked out in f64 and rounded once.
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
        eps: T,
        c1: T,
        c2: T,

        /// lr, β1, β2, eps, decay, c1, c2, scale of the gradient. What does not decay is multiplied by exactly 1.
        pub fn of(p: [8]f64, decays: bool) @This() {
            return .{
                .rate = @floatCast(p[0]),
                .beta1 = @floatCast(p[1]),
                .one_minus_beta1 = @floatCast(1 - p[1]),
                .beta2 = @floatCast(p[2]),
                .one_minus_beta2 = @floatCast(1 - p[2]),
                .eps = @floatCast(p[3]),
                .kept = if (decays) @floatCast(1 - p[0] * p[4]) else 1,
                .c1 = @floatCast(p[5]),
                .c2 = @floatCast(p[6]),
                .gradient_scale = @floatCast(p[7]),
            };
        }
    };
}

fn Formula(comptime T: type) type {
    return struct {
        const V = simd.Vec(T);

        pub inline fn next(s: *const Step(T), x: [4]V) [3]V {
            const w, const m, const v, const gradient = x;
            var g = gradient * all(s.gradient_scale);
            var v1 = all(s.beta2) * v + all(s.one_minus_beta2) * (g * g);
            if (mayOverflow(v1) and @reduce(.Or, v1 > all(largest(T) * largest(T)))) {
                @branchHint(.cold);
                g = bounded(g);
                v1 = all(s.beta2) * v + all(s.one_minus_beta2) * (g * g);
            }
            const m1 = all(s.beta1) * m + all(s.one_minus_beta1) * g;
            const change = (m1 * all(s.c1)) / (@sqrt(v1 * all(s.c2)) + all(s.eps));
            return .{ w * all(s.kept) - all(s.rate) * change, m1, v1 };
        }

        /// Whether an element is 2 or more, or NaN: one bit of each, for one test of all, where comparisons would cost a twentieth of the pass.
        inline fn mayOverflow(v: V) bool {
            const Bits = @Vector(simd.lanes, @Int(.unsigned, @bitSizeOf(T)));
            const two: Bits = @splat(1 << (@bitSizeOf(T) - 2));
            return @reduce(.Or, @as(Bits, @bitCast(v)) & two) != 0;
        }

        /// What is not finite stays.
        inline fn bounded(g: V) V {
            const within = simd.max(all(-largest(T)), simd.min(all(largest(T)), g));
            return @select(T, @abs(g) > all(std.math.floatMax(T)), g, within);
        }

        inline fn all(x: T) V {
            return @splat(x);
        }
    };
}

/// What a gradient counts as whose square overflows.
fn largest(comptime T: type) T {
    return if (T == f32) 0x1p63 else 0x1p511;
}

pub const ukernels = struct {
    pub const adam_w_f32_update = list.Kernel(f32, 4, 3, Step(f32), Formula(f32)).update;
    pub const adam_w_f64_update = list.Kernel(f64, 4, 3, Step(f64), Formula(f64)).update;
};

/// w, m, v and the gradient of each parameter.
const step = list.Optimizer("adam_w", "update", 4, 8, Step);
const onDevice = step.onDevice;
const checked = step.checked;

pub const entries = struct {
    /// `words`: the handles of `count` w, as many m, v and gradients, then for each whether it decays, 0 or 1. All are contiguous and of one dtype, those of
    /// one parameter of one shape; w, m and v are updated in place. `scalars` are eight numbers, f32 or f64: lr, β1, β2, eps, decay, c1, c2 and the scale of
    /// the gradients.
    pub fn adam_w(device_: u32, words: [*]const u32, count: u32, scalars: u32) callconv(.c) i32 {
        return status.of(checked(device_, words[0 .. 5 * @as(usize, count)], scalars));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// The step in f64, written as in the paper.
fn plain(values: []const *f64, gradient: f64, p: [8]f64) void {
    const w, const m, const v = values[0..3].*;
    const g = gradient * p[7];
    m.* = p[1] * m.* + (1 - p[1]) * g;
    v.* = p[2] * v.* + (1 - p[2]) * g * g;
    w.* -= p[0] * p[4] * w.*;
    w.* -= p[0] * (m.* * p[5]) / (@sqrt(v.* * p[6]) + p[3]);
}

fn parametersAt(t: f64, lr: f64, decay: f64, beta1: f64, beta2: f64) [8]f64 {
    return .{ lr, beta1, beta2, 1e-8, decay, 1 / (1 - std.math.pow(f64, beta1, t)), 1 / (1 - std.math.pow(f64, beta2, t)), 1 };
}

/// A step of one parameter that decays.
fn stepOne(d: *const Device, handles: [4]u32, scalars: *const Tensor) !void {
    const tensors = try list.lookUp(&handles);
    defer list.free(tensors);
    try onDevice(d, tensors, &.{1}, scalars);
}

test "AdamW: lists of all lengths equal the plain loop over several steps, the same bits for any workers" {
    const at = struct {
        fn at(t: f64) [8]f64 {
            var p = parametersAt(t, 1e-2, 0.1, 0.9, 0.95);
            p[7] = 0.5;
            return p;
        }
    }.at;
    try list.expectPlainSteps(step, at, 4, plain);
}

/// One weight through the gradients, from m = v = 0.
fn walk(w0: f32, gradients: []const f32, lr: f64, decay: f64) ![3]f32 {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const w = try all.filled(f32, &.{1}, w0);
    const m = try all.filled(f32, &.{1}, 0);
    const v = try all.filled(f32, &.{1}, 0);
    for (gradients, 1..) |x, t| {
        const p = parametersAt(@floatFromInt(t), lr, decay, 0.9, 0.999);
        try stepOne(&d, .{ w, m, v, try all.filled(f32, &.{1}, x) }, try tensor.get(try all.from(f64, &.{8}, &p)));
    }
    return .{ arrays.data(f32, w)[0], arrays.data(f32, m)[0], arrays.data(f32, v)[0] };
}

test "AdamW: eps after the correction and outside the root, decay apart from the gradient" {
    try testing.expectApproxEqAbs(@as(f32, 0.9995), (try walk(1, &.{1e-8}, 1e-3, 0))[0], 1e-7);
    try testing.expectEqual(@as(f32, 1.998), (try walk(2, &.{0}, 0.01, 0.1))[0]);
    try testing.expectApproxEqAbs(@as(f32, 0.9899000), (try walk(1, &.{0.5}, 0.01, 0.01))[0], 1e-7);
    try testing.expectApproxEqAbs(@as(f32, 0.9871376), (try walk(1, &.{ 0.5, -0.25 }, 0.01, 0.01))[0], 1e-7);
    const third = try walk(1, &.{ 0.5, -0.25, 0.125 }, 0.01, 0.01);
    try testing.expectApproxEqAbs(@as(f32, 0.9836346), third[0], 1e-7);
    try testing.expectApproxEqRel(@as(f32, 0.0305), third[1], 1e-6);
    try testing.expectApproxEqRel(@as(f32, 3.275628e-4), third[2], 3e-7);
}

test "AdamW: a list has the bits of steps one by one, decaying or not, for any workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const sizes = [_]usize{ 1, 0, 17, 300, 5003, 256, 7 };
    inline for (.{ f32, f64 }) |T| for (1..9) |workers| {
        var all: arrays.Tensors = .{};
        defer all.free();
        var words: [5 * sizes.len]u32 = undefined;
        var twins: [3][sizes.len]u32 = undefined;
        var p = parametersAt(3, 1e-2, 0.1, 0.9, 0.95);
        const scalars = try tensor.get(try all.from(f64, &.{8}, &p));
        p[4] = 0;
        const still = try tensor.get(try all.from(f64, &.{8}, &p));
        const one = device.forTest(1);
        for (sizes, 0..) |n, i| {
            for (0..4) |k| {
                const x = try all.normal(T, &.{n}, prng.random(), 1);
                if (k == 2) for (arrays.data(T, x)) |*v| {
                    v.* = @abs(v.*);
                };
                words[k * sizes.len + i] = x;
                if (k < 3) twins[k][i] = try all.from(T, &.{n}, arrays.data(T, x));
            }
            words[4 * sizes.len + i] = @intCast(i % 2);
            try stepOne(&one, .{ twins[0][i], twins[1][i], twins[2][i], words[3 * sizes.len + i] }, if (i % 2 == 1) scalars else still);
        }
        const tensors = try list.lookUp(words[0 .. 4 * sizes.len]);
        defer list.free(tensors);
        try onDevice(&device.forTest(@intCast(workers)), tensors, words[4 * sizes.len ..], scalars);
        for (0..3) |k| for (0..sizes.len) |i| {
            try arrays.expectSameBits(T, arrays.data(T, twins[k][i]), arrays.data(T, words[k * sizes.len + i]));
        };
    };
}

test "AdamW: parameters in f32 give the step of their rounded values" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const p = parametersAt(1, 1e-2, 0, 0.9, 0.999);
    var narrow: [8]f32 = undefined;
    for (&narrow, p) |*n, x| n.* = @floatCast(x);
    const w = try all.filled(f32, &.{1}, 1);
    const m = try all.filled(f32, &.{1}, 0);
    const v = try all.filled(f32, &.{1}, 0);
    try stepOne(&d, .{ w, m, v, try all.filled(f32, &.{1}, 0.3) }, try tensor.get(try all.from(f32, &.{8}, &narrow)));
    // 1 − f32(0.999) is 1.3e-5 away from 0.001.
    try testing.expectApproxEqAbs(@as(f32, 0.99), arrays.data(f32, w)[0], 1e-6);
}

test "AdamW: a gradient whose square overflows makes a step of the rate, and later ones count" {
    for ([_]f32{ 1e19, 1e20, 3e38, -3e38 }) |g| {
        const first = try walk(1, &.{g}, 0.01, 0);
        try testing.expectApproxEqAbs(1 - std.math.copysign(@as(f32, 0.01), g), first[0], 1e-6);
        const w, _, const v = try walk(1, &.{ g, g }, 0.01, 0);
        try testing.expectApproxEqAbs(1 - std.math.copysign(@as(f32, 0.02), g), w, 1e-6);
        try testing.expect(std.math.isFinite(v));
    }
    const w, _, _ = try walk(1, &.{std.math.inf(f32)}, 0.01, 0);
    try testing.expect(!std.math.isFinite(w));
}

test "AdamW: one NaN stays where it is" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const p = try tensor.get(try all.from(f64, &.{8}, &parametersAt(1, 1e-2, 0.1, 0.9, 0.999)));
    const w = try all.filled(f32, &.{8}, 1);
    const m = try all.filled(f32, &.{8}, 0);
    const v = try all.filled(f32, &.{8}, 0);
    const g = try all.filled(f32, &.{8}, 1);
    arrays.data(f32, g)[3] = std.math.nan(f32);
    try stepOne(&d, .{ w, m, v, g }, p);
    for (0..8) |i| for ([_]u32{ w, m, v }) |x| try testing.expectEqual(i == 3, std.math.isNan(arrays.data(f32, x)[i]));
}

test "AdamW: what does not fit is an error, and nothing is touched" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const p = try tensor.get(try all.filled(f32, &.{8}, 1));
    var t: [4]*const Tensor = undefined;
    for (&t) |*x| x.* = try tensor.get(try all.filled(f32, &.{4}, 1));
    const expect = testing.expectError;
    try expect(error.Overlap, onDevice(&d, &.{ t[0], t[0], t[2], t[3] }, &.{1}, p));
    try expect(error.Overlap, onDevice(&d, &.{ t[0], t[1], t[2], t[2] }, &.{1}, p));
    try expect(error.ShapeMismatch, onDevice(&d, &.{ t[0], t[1], t[2], p }, &.{1}, p));
    try expect(error.ShapeMismatch, onDevice(&d, &t, &.{1}, t[3]));
    try expect(error.Overlap, onDevice(&d, &.{ p, try tensor.get(try all.empty(f32, &.{8})), try tensor.get(try all.empty(f32, &.{8})), p }, &.{1}, p));
    try expect(error.DtypeMismatch, onDevice(&d, &.{ t[0], t[1], t[2], try tensor.get(try all.empty(f64, &.{4})) }, &.{1}, p));
    try expect(error.InvalidArgument, onDevice(&d, &t, &.{2}, p));
    for (t) |x| for (x.ptr(f32)[0..4]) |v| try testing.expectEqual(1, v);
}

test "AdamW: reads and writes end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var at: arrays.AtBorder(4) = try .init(T, n, 0.25);
        defer at.free();
        const d = device.forTest(1);
        try onDevice(&d, &at.pointers(), &.{1}, try tensor.get(try at.all.from(f64, &.{8}, &parametersAt(1, 1e-2, 0, 0.9, 0.999))));
        for (at.tensors[0].ptr(T)[0..n]) |w| try testing.expectEqual(at.tensors[0].ptr(T)[0], w);
    };
}

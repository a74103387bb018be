//! Activations, element by element: out = f(x), and dx = dy·f'(x).
//!
//! relu(x) = max(x, 0), with relu(NaN) = NaN and relu'(0) = 0. gelu(x) = x·Φ(x), exact by erf, and its tanh form ½x·(1 + tanh(√(2/π)·(x + 0.044715x³)))
//! (Hendrycks and Gimpel, "Gaussian error linear units", 2016). silu(x) = x/(1 + e^-x), sigmoid(x) = 1/(1 + e^-x).

const std = @import("std");
const device = @import("../device.zig");
const math = @import("../isa/math.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const split = @import("../row/split.zig");
const status = @import("../status.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;

pub const Kind = enum(u32) { relu, gelu, gelu_tanh, silu, sigmoid, tanh };

fn Forward(comptime T: type) type {
    return extern struct { out: [*]T, x: [*]const T, rows: usize, cols: usize, out_stride: usize, x_stride: usize, kind: Kind };
}

fn Backward(comptime T: type) type {
    return extern struct { dx: [*]T, dy: [*]const T, x: [*]const T, rows: usize, cols: usize, dx_stride: usize, dy_stride: usize, x_stride: usize, kind: Kind };
}

fn Kernels(comptime T: type) type {
    return struct {
        fn forward(p: *const Forward(T)) callconv(.c) void {
            switch (p.kind) {
                inline else => |kind| forwardOf(kind, p),
            }
        }

        fn forwardOf(comptime kind: Kind, p: *const Forward(T)) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| sweep.eachPair(T, p.cols, Value(kind){ .out = p.out + i * p.out_stride, .x = p.x + i * p.x_stride });
        }

        fn Value(comptime kind: Kind) type {
            return struct {
                out: [*]T,
                x: [*]const T,

                pub inline fn at(s: @This(), comptime vectors: usize, comptime whole: bool, j: usize, left: usize) void {
                    if (whole) inline for (0..vectors) |k| {
                        sweep.ask(T, s.x + j + k * simd.lanes + sweep.ahead, false);
                        sweep.ask(T, s.out + j + k * simd.lanes + sweep.ahead, true);
                    };
                    const x = sweep.readSome(T, vectors, whole, s.x + j, left);
                    const zero: @TypeOf(x) = @splat(0);
                    const y = switch (kind) {
                        .relu => @select(T, x < zero, zero, x),
                        .gelu => math.geluErf(x),
                        .gelu_tanh => math.geluTanh(x),
                        .silu => math.silu(x),
                        .sigmoid => math.sigmoid(x),
                        .tanh => math.tanh(x),
                    };
                    sweep.write(T, whole, s.out + j, y, left);
                }
            };
        }

        fn backward(p: *const Backward(T)) callconv(.c) void {
            switch (p.kind) {
                inline else => |kind| backwardOf(kind, p),
            }
        }

        fn backwardOf(comptime kind: Kind, p: *const Backward(T)) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                sweep.eachPair(T, p.cols, Gradient(kind){ .dx = p.dx + i * p.dx_stride, .dy = p.dy + i * p.dy_stride, .x = p.x + i * p.x_stride });
            }
        }

        fn Gradient(comptime kind: Kind) type {
            return struct {
                dx: [*]T,
                dy: [*]const T,
                x: [*]const T,

                pub inline fn at(s: @This(), comptime vectors: usize, comptime whole: bool, j: usize, left: usize) void {
                    if (whole) inline for (0..vectors) |k| {
                        sweep.ask(T, s.x + j + k * simd.lanes + sweep.ahead, false);
                        sweep.ask(T, s.dy + j + k * simd.lanes + sweep.ahead, false);
                        sweep.ask(T, s.dx + j + k * simd.lanes + sweep.ahead, true);
                    };
                    const x = sweep.readSome(T, vectors, whole, s.x + j, left);
                    const dy = sweep.readSome(T, vectors, whole, s.dy + j, left);
                    const zero: @TypeOf(x) = @splat(0);
                    const dx = switch (kind) {
                        .relu => @select(T, x <= zero, zero, dy),
                        .gelu => dy * math.geluErfGrad(x),
                        .gelu_tanh => dy * math.geluTanhGrad(x),
                        .silu => dy * math.siluGrad(x),
                        .sigmoid => dy * math.sigmoidGrad(x),
                        .tanh => dy * math.tanhGrad(x),
                    };
                    sweep.write(T, whole, s.dx + j, dx, left);
                }
            };
        }
    };
}

pub const ukernels = struct {
    pub const activation_f32_rows = Kernels(f32).forward;
    pub const activation_f64_rows = Kernels(f64).forward;
    pub const activation_backward_f32_rows = Kernels(f32).backward;
    pub const activation_backward_f64_rows = Kernels(f64).backward;
};

fn ForwardTask(comptime T: type) type {
    return split.Elements(Forward(T), .{ .kernel = "activation_" ++ @typeName(T) ++ "_rows" }, 2);
}

fn BackwardTask(comptime T: type) type {
    return split.Elements(Backward(T), .{ .kernel = "activation_backward_" ++ @typeName(T) ++ "_rows" }, 3);
}

fn kindOf(kind: u32) Error!Kind {
    if (kind >= std.enums.values(Kind).len) return error.InvalidArgument;
    return @fromBackingInt(kind);
}

fn forward(d: *const Device, out_: u32, x_: u32, kind_: u32) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.typed(out_, x.dtype);
    const kind = try kindOf(kind_);
    const rows = try shape.flattened(2, .{ out, x });
    _ = try shape.written(out);
    try tensor.checkInPlace(out, x);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .args = .{
                .out = out.ptr(T),
                .x = x.ptr(T),
                .rows = rows[0].rows,
                .cols = rows[0].cols,
                .out_stride = rows[0].stride,
                .x_stride = rows[1].stride,
                .kind = kind,
            } });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dx_: u32, dy_: u32, x_: u32, kind_: u32) Error!void {
    const x = try tensor.get(x_);
    const dx = try tensor.typed(dx_, x.dtype);
    const dy = try tensor.typed(dy_, x.dtype);
    const kind = try kindOf(kind_);
    const rows = try shape.flattened(3, .{ dx, dy, x });
    _ = try shape.written(dx);
    try tensor.checkInPlace(dx, dy);
    try tensor.checkInPlace(dx, x);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){ .args = .{
                .dx = dx.ptr(T),
                .dy = dy.ptr(T),
                .x = x.ptr(T),
                .rows = rows[0].rows,
                .cols = rows[0].cols,
                .dx_stride = rows[0].stride,
                .dy_stride = rows[1].stride,
                .x_stride = rows[2].stride,
                .kind = kind,
            } });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, x: u32, kind: u32) Error!void {
    return forward(try device.get(device_), out, x, kind);
}

fn backwardOn(device_: u32, dx: u32, dy: u32, x: u32, kind: u32) Error!void {
    return backward(try device.get(device_), dx, dy, x, kind);
}

pub const entries = struct {
    /// `kind`: 0 ReLU, 1 GELU, 2 GELU in its tanh form, 3 SiLU, 4 the logistic function, 5 tanh. `out` may be `x`.
    pub fn activation(device_: u32, out: u32, x: u32, kind: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, x, kind));
    }

    /// `x` is the input of `activation`. `dx` may be `dy` or `x`.
    pub fn activation_backward(device_: u32, dx: u32, dy: u32, x: u32, kind: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dx, dy, x, kind));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");
extern "c" fn erfc(f64) f64;

const kinds = std.enums.values(Kind);

/// Value and slope in f64, by libm.
fn reference(kind: Kind, x: f64) [2]f64 {
    const sigmoid = 1 / (1 + @exp(-x));
    switch (kind) {
        .relu => return .{ if (x < 0) 0 else x, if (x <= 0) 0 else 1 },
        .gelu => {
            const cdf = 0.5 * erfc(-x / @sqrt(2.0));
            return .{ x * cdf, cdf + x * @exp(-x * x / 2) / @sqrt(2 * std.math.pi) };
        },
        .gelu_tanh => {
            const c = 2 * @sqrt(2.0 / std.math.pi);
            const s = 1 / (1 + @exp(-c * (x + 0.044715 * x * x * x)));
            return .{ x * s, s + x * s * (1 - s) * c * (1 + 3 * 0.044715 * x * x) };
        },
        .silu => return .{ x * sigmoid, sigmoid * (1 + x * (1 - sigmoid)) },
        .sigmoid => return .{ sigmoid, sigmoid / (1 + @exp(x)) },
        .tanh => return .{ std.math.tanh(x), 1 / (std.math.cosh(x) * std.math.cosh(x)) },
    }
}

test "activation: values and slopes as in f64 at every length" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (kinds) |kind| for (arrays.lengths) |n| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(1);
        const x = try t.normal(T, &.{n}, prng.random(), 3);
        const dy = try t.normal(T, &.{n}, prng.random(), 1);
        const want = try testing.allocator.alloc(f64, n);
        defer testing.allocator.free(want);
        const want_dx = try testing.allocator.alloc(f64, n);
        defer testing.allocator.free(want_dx);
        for (arrays.data(T, x), arrays.data(T, dy), want, want_dx) |v, g, *w, *wd| {
            const both = reference(kind, v);
            w.* = both[0];
            wd.* = g * both[1];
        }
        const y = try t.empty(T, &.{n});
        const dx = try t.empty(T, &.{n});
        try forward(&d, y, x, @backingInt(kind));
        try arrays.expectClose(T, want, arrays.data(T, y));
        try backward(&d, dx, dy, x, @backingInt(kind));
        try arrays.expectClose(T, want_dx, arrays.data(T, dx));
        // In place.
        try backward(&d, dy, dy, x, @backingInt(kind));
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, dy));
        try forward(&d, x, x, @backingInt(kind));
        try arrays.expectSameBits(T, arrays.data(T, y), arrays.data(T, x));
    };
}

test "activation: large, very negative and special inputs in each lane" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    const Case = struct { x: f32, gelu: f64, gelu_tanh: f64 };
    const cases = [_]Case{
        .{ .x = 13.24, .gelu = 13.24, .gelu_tanh = 13.24 },
        .{ .x = 50, .gelu = 50, .gelu_tanh = 50 },
        .{ .x = -50, .gelu = 0, .gelu_tanh = 0 },
        .{ .x = 3e38, .gelu = 3e38, .gelu_tanh = 3e38 },
        .{ .x = -3e38, .gelu = 0, .gelu_tanh = 0 },
        .{ .x = inf, .gelu = inf, .gelu_tanh = inf },
        .{ .x = -inf, .gelu = 0, .gelu_tanh = 0 },
        .{ .x = nan, .gelu = nan, .gelu_tanh = nan },
        .{ .x = -4, .gelu = -1.266850e-4, .gelu_tanh = -7.024595e-5 },
        .{ .x = -6, .gelu = -5.919526e-9, .gelu_tanh = -8.439647e-11 },
        .{ .x = 1, .gelu = 0.8413447, .gelu_tanh = 0.8411920 },
        .{ .x = -0.0, .gelu = 0, .gelu_tanh = 0 },
        .{ .x = 1e-45, .gelu = 0, .gelu_tanh = 0 },
    };
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    for (1..41) |n| for (cases) |case| {
        const x = try t.filled(f32, &.{n}, case.x);
        const y = try t.empty(f32, &.{n});
        for ([_]Kind{ .gelu, .gelu_tanh }, [_]f64{ case.gelu, case.gelu_tanh }) |kind, w| {
            try forward(&d, y, x, @backingInt(kind));
            // Relative to the result itself, not to the largest.
            for (arrays.data(f32, y)) |v| try arrays.expectScaled(f32, &.{w}, &.{v}, 1e-5, 1e-36);
        }
        t.free();
    };
    for (kinds) |kind| {
        const x = try t.from(f32, &.{5}, &.{ nan, inf, -inf, 0, -0.0 });
        const y = try t.empty(f32, &.{5});
        const dx = try t.empty(f32, &.{5});
        try forward(&d, y, x, @backingInt(kind));
        try backward(&d, dx, try t.filled(f32, &.{5}, 1), x, @backingInt(kind));
        const values: [5]f64 = switch (kind) {
            .sigmoid => .{ nan, 1, 0, 0.5, 0.5 },
            .tanh => .{ nan, 1, -1, 0, 0 },
            else => .{ nan, inf, 0, 0, 0 },
        };
        const slopes: [4]f64 = switch (kind) {
            .relu => .{ 1, 0, 0, 0 },
            .sigmoid => .{ 0, 0, 0.25, 0.25 },
            .tanh => .{ 0, 0, 1, 1 },
            else => .{ 1, 0, 0.5, 0.5 },
        };
        try arrays.expectScaled(f32, &values, arrays.data(f32, y), 0, 1);
        // A slope may end in the last denormal rather than in 0.
        try arrays.expectWithin(f32, &slopes, arrays.data(f32, dx)[1..], 1e-36);
        if (kind != .relu) try testing.expect(std.math.isNan(arrays.data(f32, dx)[0]));
    }
}

test "activation: the same bits for any number of workers and for views" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const rows = 37;
    const cols = 53;
    const wide = 60;
    for (kinds) |kind| {
        const base = try t.normal(f32, &.{ rows, wide }, prng.random(), 2);
        const x = try t.empty(f32, &.{ rows, cols });
        for (0..rows) |i| @memcpy(arrays.data(f32, x)[i * cols ..][0..cols], arrays.data(f32, base)[i * wide + 3 ..][0..cols]);
        const want = try t.empty(f32, &.{ rows, cols });
        try forward(&device.forTest(1), want, x, @backingInt(kind));
        for (2..9) |workers| {
            const d = device.forTest(@intCast(workers));
            const y = try t.empty(f32, &.{ rows, cols });
            try forward(&d, y, x, @backingInt(kind));
            try arrays.expectSameBits(f32, arrays.data(f32, want), arrays.data(f32, y));
        }
        const d = device.forTest(3);
        const out = try t.filled(f32, &.{ rows, wide }, 42);
        try forward(&d, try t.view(out, 3, &.{ rows, cols }, &.{ wide, 1 }), try t.view(base, 3, &.{ rows, cols }, &.{ wide, 1 }), @backingInt(kind));
        for (arrays.data(f32, out), 0..) |v, i| {
            const inside = i % wide >= 3 and i % wide < 3 + cols;
            try testing.expectEqual(if (inside) arrays.data(f32, want)[i / wide * cols + i % wide - 3] else 42, v);
        }
        t.free();
    }
}

test "activation: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    try testing.expectError(error.InvalidArgument, forward(&d, y, x, kinds.len));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{8}, 1), 0));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, try t.filled(i32, &.{ 2, 4 }, 1), 0));
    try testing.expectError(error.ShapeMismatch, backward(&d, y, try t.filled(f32, &.{ 4, 2 }, 1), x, 0));
    const base = try t.filled(f32, &.{9}, 1);
    try testing.expectError(error.Overlap, forward(&d, try t.view(base, 0, &.{8}, &.{1}), try t.view(base, 1, &.{8}, &.{1}), 0));
    const integers = try t.filled(i32, &.{4}, 1);
    try testing.expectError(error.Unsupported, forward(&d, integers, integers, 0));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(42, v);
}

test "activation: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("activation_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("activation_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const values: [70]T = @splat(1);
        for (kinds) |kind| for (1..71) |n| {
            const x = try arrays.atBorder(T, values[0..n]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0..n]);
            defer out.memory.deinit();
            forward_kernel(&.{ .out = out.items.ptr, .x = x.items.ptr, .rows = 1, .cols = n, .out_stride = n, .x_stride = n, .kind = kind });
            backward_kernel(&.{
                .dx = out.items.ptr,
                .dy = x.items.ptr,
                .x = x.items.ptr,
                .rows = 1,
                .cols = n,
                .dx_stride = n,
                .dy_stride = n,
                .x_stride = n,
                .kind = kind,
            });
        };
    }
}

//! Logarithm of the softmax over the last axis: out_j = (x_j − m) − log Σ_k exp(x_k − m), with m the row's maximum.
//! Backward, from the output y: dx_j = dy_j − exp(y_j)·Σ_k dy_k.
//!
//! An element of −Inf takes no part: its result is −Inf, its gradient 0, and its dy is not used. So a row of nothing but −Inf is −Inf throughout, and has
//! gradients of 0. A NaN or +Inf makes its row NaN.

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
const Vec = simd.Vec;

fn Forward(comptime T: type) type {
    return extern struct { out: [*]T, x: [*]const T, rows: usize, cols: usize, out_stride: usize, x_stride: usize };
}

fn Backward(comptime T: type) type {
    return extern struct { dx: [*]T, dy: [*]const T, y: [*]const T, rows: usize, cols: usize, dx_stride: usize, dy_stride: usize, y_stride: usize };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);
        const infinity = std.math.inf(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        /// Short rows go four at a time.
        fn forward(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            if (p.cols <= sweep.group_cols_max) while (p.rows - i >= 4) : (i += 4) rowGroup(4, p, i);
            while (i < p.rows) : (i += 1) rowGroup(1, p, i);
        }

        inline fn rowGroup(comptime group: usize, p: *const Forward(T), first: usize) void {
            var m: [group]T = undefined;
            var sums: [simd.lanes]T = @splat(1);
            for (0..group) |g| m[g] = sweep.largest(T, p.cols, Row{ .x = p.x + (first + g) * p.x_stride });
            for (0..group) |g| {
                // Of a row of −Inf nothing is taken off: it stays as it is, a NaN in it makes the sum NaN.
                if (m[g] == -infinity) m[g] = 0;
                const row: Row = .{ .x = p.x + (first + g) * p.x_stride };
                const sum = sweep.sums(T, 1, 2, p.cols, Exponentials{ .row = row, .m = all(m[g]), .next = p.x + (first + g + group) * p.x_stride, .out = p.out + (first + g) * p.out_stride })[0];
                sums[g] = if (sum == 0) 1 else sum;
            }
            const log_sum: [simd.lanes]T = math.log(@as(V, sums));
            for (0..group) |g| {
                const i = first + g;
                const row: Row = .{ .x = p.x + i * p.x_stride };
                sweep.each(p.cols, Difference{
                    .out = p.out + i * p.out_stride,
                    .row = row,
                    .m = all(m[g]),
                    .log_sum = all(log_sum[g]),
                });
            }
        }

        const Row = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) V {
                return sweep.read(T, whole, s.x + j, left, -infinity);
            }
        };

        const Exponentials = struct {
            row: Row,
            m: V,
            /// The row that this one asks for.
            next: [*]const T,
            /// The row that is written next.
            out: [*]T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                if (whole) {
                    sweep.ask(T, s.next + j, false);
                    sweep.ask(T, s.out + j, true);
                }
                return .{math.expNegative(s.row.at(whole, j, left) - s.m)};
            }
        };

        const Difference = struct {
            out: [*]T,
            row: Row,
            m: V,
            log_sum: V,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                sweep.write(T, whole, s.out + j, (s.row.at(whole, j, left) - s.m) - s.log_sum, left);
            }
        };

        fn backward(p: *const Backward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const dy = p.dy + i * p.dy_stride;
                const y = p.y + i * p.y_stride;
                const dx = p.dx + i * p.dx_stride;
                const sum = sweep.sums(T, 1, 4, p.cols, Seen{ .dy = dy, .y = y, .dx = dx })[0];
                sweep.each(p.cols, Gradient{
                    .dx = dx,
                    .dy = dy,
                    .y = y,
                    .sum = all(sum),
                    .dy_next = dy + p.dy_stride,
                    .y_next = y + p.y_stride,
                });
            }
        }

        const Seen = struct {
            dy: [*]const T,
            y: [*]const T,
            /// The row that is written next, which this one asks for.
            dx: [*]T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                if (whole) sweep.ask(T, s.dx + j, true);
                const y = sweep.read(T, whole, s.y + j, left, -infinity);
                return .{@select(T, y == all(-infinity), all(0), sweep.read(T, whole, s.dy + j, left, 0))};
            }
        };

        const Gradient = struct {
            dx: [*]T,
            dy: [*]const T,
            y: [*]const T,
            sum: V,
            /// The rows that this one asks for.
            dy_next: [*]const T,
            y_next: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                if (whole) {
                    sweep.ask(T, s.dy_next + j, false);
                    sweep.ask(T, s.y_next + j, false);
                }
                const y = sweep.read(T, whole, s.y + j, left, -infinity);
                const dx = simd.fma(-math.expNegative(y), s.sum, sweep.read(T, whole, s.dy + j, left, 0));
                sweep.write(T, whole, s.dx + j, @select(T, y == all(-infinity), all(0), dx), left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const log_softmax_f32_rows = Kernels(f32).forward;
    pub const log_softmax_f64_rows = Kernels(f64).forward;
    pub const log_softmax_backward_f32_rows = Kernels(f32).backward;
    pub const log_softmax_backward_f64_rows = Kernels(f64).backward;
};

fn ForwardTask(comptime T: type) type {
    return split.Rows(Forward(T), .{ .kernel = "log_softmax_" ++ @typeName(T) ++ "_rows" }, 2);
}

fn BackwardTask(comptime T: type) type {
    return split.Rows(Backward(T), .{ .kernel = "log_softmax_backward_" ++ @typeName(T) ++ "_rows" }, 3);
}

fn forward(d: *const Device, out_: u32, x_: u32) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.typed(out_, x.dtype);
    if (!out.sameShape(x) or x.rank == 0) return error.ShapeMismatch;
    const x_rows = try x.rows();
    const out_rows = try shape.written(out);
    try tensor.checkInPlace(out, x);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .args = .{
                .out = out.ptr(T),
                .x = x.ptr(T),
                .rows = x_rows.rows,
                .cols = x_rows.cols,
                .out_stride = out_rows.stride,
                .x_stride = x_rows.stride,
            } });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dx_: u32, dy_: u32, y_: u32) Error!void {
    const y = try tensor.get(y_);
    const dx = try tensor.typed(dx_, y.dtype);
    const dy = try tensor.typed(dy_, y.dtype);
    if (!dx.sameShape(y) or !dy.sameShape(y) or y.rank == 0) return error.ShapeMismatch;
    const y_rows = try y.rows();
    const dy_rows = try dy.rows();
    const dx_rows = try shape.written(dx);
    try tensor.checkInPlace(dx, dy);
    try tensor.checkInPlace(dx, y);
    switch (y.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){ .args = .{
                .dx = dx.ptr(T),
                .dy = dy.ptr(T),
                .y = y.ptr(T),
                .rows = y_rows.rows,
                .cols = y_rows.cols,
                .dx_stride = dx_rows.stride,
                .dy_stride = dy_rows.stride,
                .y_stride = y_rows.stride,
            } });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, x: u32) Error!void {
    return forward(try device.get(device_), out, x);
}

fn backwardOn(device_: u32, dx: u32, dy: u32, y: u32) Error!void {
    return backward(try device.get(device_), dx, dy, y);
}

pub const entries = struct {
    /// `out` may be `x`.
    pub fn log_softmax(device_: u32, out: u32, x: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, x));
    }

    /// `y` is what `log_softmax` answered. `dx` may be `dy` or `y`.
    pub fn log_softmax_backward(device_: u32, dx: u32, dy: u32, y: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dx, dy, y));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

/// Plain loops in f64: the result, and the gradient for dy.
fn reference(y: []f64, dx: []f64, x: []const f64, dy: []const f64, cols: usize) void {
    const rows = if (cols == 0) 0 else x.len / cols;
    for (0..rows) |i| {
        const row = x[i * cols ..][0..cols];
        var m = -std.math.inf(f64);
        for (row) |v| m = @max(m, v);
        var sum: f64 = 0;
        var total: f64 = 0;
        for (row, dy[i * cols ..][0..cols]) |v, g| {
            sum += @exp(v - m);
            total += g;
        }
        for (row, y[i * cols ..][0..cols], dx[i * cols ..][0..cols], dy[i * cols ..][0..cols]) |v, *o, *gradient, g| {
            o.* = v - m - @log(sum);
            gradient.* = g - @exp(o.*) * total;
        }
    }
}

test "log_softmax: values and gradients as in f64 at every length, in place and from views" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{768}) |cols| for ([_]usize{ 0, 1, 7 }) |rows| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const dims = [_]usize{ rows, cols };
        const x = try t.normal(T, &dims, prng.random(), 3);
        const dy = try t.normal(T, &dims, prng.random(), 1);
        var wide: [4][]f64 = undefined;
        for (wide[0..2], [_]u32{ x, dy }) |*w, h| w.* = try arrays.widen(T, arrays.data(T, h));
        for (wide[2..4]) |*w| w.* = try testing.allocator.alloc(f64, rows * cols);
        defer for (wide) |w| testing.allocator.free(w);
        reference(wide[2], wide[3], wide[0], wide[1], cols);
        const y = try t.filled(T, &dims, 42);
        try forward(&d, y, x);
        // One column: 0, which nothing is relative to.
        try arrays.expectScaled(T, wide[2], arrays.data(T, y), arrays.tolerance(T), 1);
        const dx = try t.filled(T, &dims, 42);
        try backward(&d, dx, dy, y);
        try arrays.expectScaled(T, wide[3], arrays.data(T, dx), arrays.tolerance(T), 1);

        if (rows == 0) continue;
        const gap = cols + 7;
        const base = try t.filled(T, &.{ rows, gap }, 42);
        const view = try t.view(base, 3, &dims, &.{ gap, 1 });
        for (0..rows) |i| @memcpy(arrays.data(T, base)[i * gap + 3 ..][0..cols], arrays.data(T, x)[i * cols ..][0..cols]);
        try forward(&d, view, view);
        try backward(&d, dy, dy, view);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, dy));
        try backward(&d, view, try t.filled(T, &dims, 1), view);
        for (arrays.data(T, base), 0..) |v, i| if (i % gap < 3 or i % gap >= 3 + cols) try testing.expectEqual(42, v);
        try forward(&d, x, x);
        try arrays.expectSameBits(T, arrays.data(T, y), arrays.data(T, x));
    };
}

test "log_softmax: infinities, NaN and huge values do what is documented, forward and backward" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    const ln2 = -@log(2.0);
    const Case = struct { x: []const f32, y: []const f64, dy: []const f32, dx: []const f64 };
    const cases = [_]Case{
        .{ .x = &.{ -inf, -inf, -inf }, .y = &.{ -inf, -inf, -inf }, .dy = &.{ 1, nan, 3 }, .dx = &.{ 0, 0, 0 } },
        .{ .x = &.{ 1, -inf, 1 }, .y = &.{ ln2, -inf, ln2 }, .dy = &.{ 1, nan, 3 }, .dx = &.{ -1, 0, 1 } },
        .{ .x = &.{ 3e38, 3e38 }, .y = &.{ ln2, ln2 }, .dy = &.{ 1, 0 }, .dx = &.{ 0.5, -0.5 } },
        .{ .x = &.{ 1000, 0 }, .y = &.{ 0, -1000 }, .dy = &.{ 1, 2 }, .dx = &.{ -2, 2 } },
        .{ .x = &.{ -1e30, -1e30 }, .y = &.{ ln2, ln2 }, .dy = &.{ 1, 0 }, .dx = &.{ 0.5, -0.5 } },
        .{ .x = &.{ inf, 0 }, .y = &.{ nan, nan }, .dy = &.{ 1, 1 }, .dx = &.{ nan, nan } },
        .{ .x = &.{ 1, nan, 2 }, .y = &.{ nan, nan, nan }, .dy = &.{ 1, 1, 1 }, .dx = &.{ nan, nan, nan } },
        .{ .x = &.{ -inf, nan }, .y = &.{ nan, nan }, .dy = &.{ 1, 1 }, .dx = &.{ nan, nan } },
    };
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    for (cases) |case| {
        const y = try t.empty(f32, &.{case.x.len});
        try forward(&d, y, try t.from(f32, &.{case.x.len}, case.x));
        for (case.y, arrays.data(f32, y)) |want, found| try expectNear(want, found);
        const dx = try t.empty(f32, &.{case.x.len});
        try backward(&d, dx, try t.from(f32, &.{case.x.len}, case.dy), y);
        for (case.dx, arrays.data(f32, dx)) |want, found| try expectNear(want, found);
    }
}

fn expectNear(want: f64, found: f32) !void {
    if (std.math.isNan(want)) return testing.expect(std.math.isNan(found));
    if (std.math.isInf(want)) return testing.expectEqual(want, found);
    try testing.expectApproxEqAbs(want, found, 1e-6 * @max(1, @abs(want)));
}

test "log_softmax: the same bits for any number of workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const dims = [_]usize{ 37, 53 };
    const x = try t.normal(f32, &dims, prng.random(), 2);
    const dy = try t.normal(f32, &dims, prng.random(), 1);
    var first: [2]u32 = undefined;
    for (1..9) |workers| {
        const d = device.forTest(@intCast(workers));
        const outs = [2]u32{ try t.empty(f32, &dims), try t.empty(f32, &dims) };
        try forward(&d, outs[0], x);
        try backward(&d, outs[1], dy, outs[0]);
        if (workers == 1) first = outs;
        for (first, outs) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
    }
}

test "log_softmax: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{ 4, 2 }, 1)));
    try testing.expectError(error.ShapeMismatch, forward(&d, try t.empty(f32, &.{}), try t.empty(f32, &.{})));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, try t.filled(f64, &.{ 2, 4 }, 1)));
    try testing.expectError(error.InvalidHandle, forward(&d, y, 0));
    try testing.expectError(error.LayoutMismatch, forward(&d, y, try t.view(x, 0, &.{ 2, 4 }, &.{ 1, 2 })));
    try testing.expectError(error.ShapeMismatch, backward(&d, y, x, try t.filled(f32, &.{ 2, 3 }, 1)));
    const integers = try t.filled(u32, &.{ 2, 4 }, 1);
    try testing.expectError(error.Unsupported, forward(&d, integers, integers));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(42, v);
}

test "log_softmax: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("log_softmax_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("log_softmax_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const values: [5 * 70]T = @splat(1);
        for (1..71) |cols| {
            const x = try arrays.atBorder(T, values[0 .. 5 * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. 5 * cols]);
            defer out.memory.deinit();
            forward_kernel(&.{ .out = out.items.ptr, .x = x.items.ptr, .rows = 5, .cols = cols, .out_stride = cols, .x_stride = cols });
            const backward_args: Backward(T) = .{
                .dx = out.items.ptr,
                .dy = x.items.ptr,
                .y = out.items.ptr,
                .rows = 5,
                .cols = cols,
                .dx_stride = cols,
                .dy_stride = cols,
                .y_stride = cols,
            };
            backward_kernel(&backward_args);
        }
    }
}

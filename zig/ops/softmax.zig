//! Softmax over the last axis of z = scale·x + mask: out_j = exp(z_j − m) / Σ_k exp(z_k − m), with m the row's maximum.
//! Backward, from the output y: dx_j = scale·y_j·(dy_j − Σ_k dy_k·y_k).
//!
//! A mask is broadcast over the leading axes of x. A boolean one, u32, hides the elements where it is 0; an additive one, of x's element type, hides those
//! where it is −Inf. Causal, over the last two axes [q, k], hides from row i the columns beyond i + (k − q).
//!
//! What is hidden is 0 in the result, and what the inputs hold there is not used. A row of which nothing is seen, or all of it is −Inf, is all zeros. A NaN
//! or +Inf in what is seen makes its row NaN. Where y is 0 the gradient is 0, and dy is not used.

const std = @import("std");
const device = @import("../device.zig");
const math = @import("../isa/math.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const status = @import("../status.zig");
const split = @import("../row/split.zig");
const strided = @import("../row/strided.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

const MaskKind = enum(u32) { none, boolean, additive };

/// Where the mask of each row lies: the leading axes of x, the last one first, with the mask's steps along them.
const Mask = extern struct {
    data: ?*const anyopaque = null,
    kind: MaskKind = .none,
    rank: u32 = 0,
    sizes: [tensor.rank_max - 1]usize = @splat(1),
    strides: [tensor.rank_max - 1]isize = @splat(0),

    inline fn row(mask: *const Mask, comptime M: type, index: usize) [*]const M {
        var at: isize = 0;
        var rest = index;
        for (mask.sizes[0..mask.rank], mask.strides[0..mask.rank]) |size, stride| {
            at += stride * @as(isize, @intCast(rest % size));
            rest /= size;
        }
        const data: [*]const M = @ptrCast(@alignCast(mask.data.?));
        return strided.offset(data, at);
    }
};

fn Forward(comptime T: type) type {
    return extern struct {
        out: [*]T,
        x: [*]const T,
        mask: Mask,
        rows: usize,
        cols: usize,
        out_stride: usize,
        x_stride: usize,
        /// Place of the first row, and the rows of a matrix; 0 where every row sees all columns.
        row: usize,
        queries: usize,
        scale: T,
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dx: [*]T,
        dy: [*]const T,
        y: [*]const T,
        rows: usize,
        cols: usize,
        dx_stride: usize,
        dy_stride: usize,
        y_stride: usize,
        row: usize,
        queries: usize,
        scale: T,
    };
}

/// The columns that a row of matrices of `queries` rows sees.
inline fn seen(row: usize, queries: usize, cols: usize) usize {
    if (queries == 0) return cols;
    // i + (k − q) + 1, cut at 0 and never above k.
    return (row % queries + 1 + cols) -| queries;
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);
        const infinity = std.math.inf(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        fn forward(p: *const Forward(T)) callconv(.c) void {
            switch (p.mask.kind) {
                inline else => |kind| normalize(kind, p),
            }
        }

        /// Short rows go four at a time.
        fn normalize(comptime kind: MaskKind, p: *const Forward(T)) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            if (p.cols <= sweep.group_cols_max) while (p.rows - i >= 4) : (i += 4) rowGroup(4, kind, p, i);
            while (i < p.rows) : (i += 1) rowGroup(1, kind, p, i);
        }

        inline fn rowGroup(comptime group: usize, comptime kind: MaskKind, p: *const Forward(T), first: usize) void {
            var n: [group]usize = undefined;
            var z: [group]Logits(kind) = undefined;
            var m: [group]T = undefined;
            var sum: [group]T = undefined;
            for (0..group) |g| {
                const row = p.row + first + g;
                n[g] = seen(row, p.queries, p.cols);
                z[g] = .{
                    .x = p.x + (first + g) * p.x_stride,
                    .mask = if (kind == .none) {} else p.mask.row(MaskElement(kind), row),
                    .scale = all(p.scale),
                };
                m[g] = sweep.largest(T, n[g], z[g]);
            }
            for (0..group) |g| {
                const out = p.out + (first + g) * p.out_stride;
                if (m[g] == -infinity) {
                    nothing(kind, out, z[g], n[g], p.cols);
                    n[g] = 0;
                    continue;
                }
                sum[g] = sweep.sums(T, 1, 1, n[g], Exponentials(kind){ .out = out, .z = z[g], .m = all(m[g]), .cols = p.cols, .next = group * p.x_stride })[0];
                // Zeros have been written up to here.
                n[g] = @min(std.mem.alignForward(usize, n[g], simd.lanes), p.cols);
                for (out[n[g]..p.cols]) |*rest| rest.* = 0;
            }
            for (0..group) |g| sweep.each(n[g], Product{ .out = p.out + (first + g) * p.out_stride, .factor = all(1 / sum[g]) });
        }

        /// A row whose maximum is −Inf: zeros, or NaN where one is seen.
        noinline fn nothing(comptime kind: MaskKind, out: [*]T, z: Logits(kind), n: usize, cols: usize) void {
            const unordered = sweep.sums(T, 1, 1, n, Unordered(kind){ .z = z })[0];
            @memset(out[0..n], if (unordered > 0) std.math.nan(T) else 0);
            @memset(out[n..cols], 0);
        }

        fn MaskElement(comptime kind: MaskKind) type {
            return if (kind == .boolean) u32 else T;
        }

        /// z; −Inf where it is hidden and in lanes that are missing.
        fn Logits(comptime kind: MaskKind) type {
            return struct {
                x: [*]const T,
                mask: if (kind == .none) void else [*]const MaskElement(kind),
                scale: V,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) V {
                    const x = sweep.read(T, whole, s.x + j, left, -infinity);
                    switch (kind) {
                        .none => return x * s.scale,
                        .boolean => {
                            const mask = sweep.read(u32, whole, s.mask + j, left, 0);
                            return @select(T, mask == @as(Vec(u32), @splat(0)), all(-infinity), x * s.scale);
                        },
                        .additive => {
                            const mask = sweep.read(T, whole, s.mask + j, left, -infinity);
                            return @select(T, mask == all(-infinity), mask, simd.fma(x, s.scale, mask));
                        },
                    }
                }
            };
        }

        /// 1 for each NaN.
        fn Unordered(comptime kind: MaskKind) type {
            return struct {
                z: Logits(kind),

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                    const z = s.z.at(whole, j, left);
                    return .{@select(T, z == z, all(0), all(1))};
                }
            };
        }

        fn Exponentials(comptime kind: MaskKind) type {
            return struct {
                out: [*]T,
                z: Logits(kind),
                m: V,
                cols: usize,
                /// How far on the row is that this one asks for.
                next: usize,

                /// Lanes beyond those seen become 0 and are stored as far as the row goes.
                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                    if (whole) {
                        sweep.ask(T, s.z.x + s.next + j, false);
                        sweep.ask(T, s.out + j + 256, true);
                    }
                    const e = math.expNegative(s.z.at(whole, j, left) - s.m);
                    const room = s.cols - j;
                    if (whole or room >= simd.lanes) simd.store(s.out + j, e) else simd.storePartial(s.out + j, e, room);
                    return .{e};
                }
            };
        }

        const Product = struct {
            out: [*]T,
            factor: V,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                sweep.write(T, whole, s.out + j, sweep.read(T, whole, s.out + j, left, 0) * s.factor, left);
            }
        };

        fn backward(p: *const Backward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const dx = p.dx + i * p.dx_stride;
                const dy = p.dy + i * p.dy_stride;
                const y = p.y + i * p.y_stride;
                const n = seen(p.row + i, p.queries, p.cols);
                const dot = sweep.sums(T, 1, 4, n, Dot{ .dy = dy, .y = y, .dx = dx })[0];
                sweep.each(n, Gradient{
                    .dx = dx,
                    .dy = dy,
                    .y = y,
                    .dot = all(dot),
                    .scale = all(p.scale),
                    .dy_next = dy + p.dy_stride,
                    .y_next = y + p.y_stride,
                });
                @memset(dx[n..p.cols], 0);
            }
        }

        const Dot = struct {
            dy: [*]const T,
            y: [*]const T,
            /// The row that is written next, which this one asks for.
            dx: [*]T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                if (whole) sweep.ask(T, s.dx + j, true);
                const y = sweep.read(T, whole, s.y + j, left, 0);
                return .{@select(T, y == all(0), y, sweep.read(T, whole, s.dy + j, left, 0) * y)};
            }
        };

        const Gradient = struct {
            dx: [*]T,
            dy: [*]const T,
            y: [*]const T,
            dot: V,
            scale: V,
            /// The rows that this one asks for.
            dy_next: [*]const T,
            y_next: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                if (whole) {
                    sweep.ask(T, s.dy_next + j, false);
                    sweep.ask(T, s.y_next + j, false);
                }
                const y = sweep.read(T, whole, s.y + j, left, 0);
                const dy = sweep.read(T, whole, s.dy + j, left, 0);
                sweep.write(T, whole, s.dx + j, @select(T, y == all(0), all(0), s.scale * y * (dy - s.dot)), left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const softmax_f32_rows = Kernels(f32).forward;
    pub const softmax_f64_rows = Kernels(f64).forward;
    pub const softmax_backward_f32_rows = Kernels(f32).backward;
    pub const softmax_backward_f64_rows = Kernels(f64).backward;
};

fn ForwardTask(comptime T: type) type {
    return split.Rows(Forward(T), .{ .kernel = "softmax_" ++ @typeName(T) ++ "_rows" }, 2);
}

fn BackwardTask(comptime T: type) type {
    return split.Rows(Backward(T), .{ .kernel = "softmax_backward_" ++ @typeName(T) ++ "_rows" }, 3);
}

/// Bits of `flags`.
const causal = 1;

/// The mask of a tensor of x's shape, over whose leading axes it is broadcast; its last axis is x's own.
fn maskOf(handle: u32, out: *const tensor.Tensor, x: *const tensor.Tensor) Error!Mask {
    if (handle == 0) return .{};
    const mask = try tensor.get(handle);
    if (mask.dtype != x.dtype and mask.dtype != .u32) return error.DtypeMismatch;
    if (mask.rank == 0 or mask.rank > x.rank or mask.fromEnd(0) != x.fromEnd(0)) return error.ShapeMismatch;
    if (mask.fromEnd(0) > 1 and mask.strideFromEnd(0) != 1) return error.LayoutMismatch;
    try tensor.checkApart(out, mask);
    var m: Mask = .{ .kind = if (mask.dtype == .u32) .boolean else .additive, .rank = x.rank - 1, .data = mask.data };
    for (1..x.rank) |i| {
        if (mask.fromEnd(i) != x.fromEnd(i) and mask.fromEnd(i) != 1) return error.ShapeMismatch;
        m.sizes[i - 1] = x.fromEnd(i);
        m.strides[i - 1] = if (mask.fromEnd(i) == 1) 0 else mask.strideFromEnd(i);
    }
    return m;
}

fn forward(d: *const Device, out_: u32, x_: u32, mask_: u32, flags: u32, scale: f64) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.typed(out_, x.dtype);
    if (flags >> 1 != 0) return error.InvalidArgument;
    if (!out.sameShape(x) or x.rank == 0) return error.ShapeMismatch;
    const x_rows = try x.rows();
    const out_rows = try shape.written(out);
    try tensor.checkInPlace(out, x);
    const mask = try maskOf(mask_, out, x);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const factor: T = @floatCast(scale);
            if (!(factor > 0 and factor < std.math.inf(T))) return error.InvalidArgument;
            try d.submit(ForwardTask(T){ .args = .{
                .out = out.ptr(T),
                .x = x.ptr(T),
                .mask = mask,
                .rows = x_rows.rows,
                .cols = x_rows.cols,
                .out_stride = out_rows.stride,
                .x_stride = x_rows.stride,
                .row = 0,
                .queries = if (flags & causal != 0) x.fromEnd(1) else 0,
                .scale = factor,
            } });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dx_: u32, dy_: u32, y_: u32, flags: u32, scale: f64) Error!void {
    const y = try tensor.get(y_);
    const dx = try tensor.typed(dx_, y.dtype);
    const dy = try tensor.typed(dy_, y.dtype);
    if (flags >> 1 != 0) return error.InvalidArgument;
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
                .row = 0,
                .queries = if (flags & causal != 0) y.fromEnd(1) else 0,
                .scale = @floatCast(scale),
            } });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, x: u32, mask: u32, flags: u32, scale: f64) Error!void {
    return forward(try device.get(device_), out, x, mask, flags, scale);
}

fn backwardOn(device_: u32, dx: u32, dy: u32, y: u32, flags: u32, scale: f64) Error!void {
    return backward(try device.get(device_), dx, dy, y, flags, scale);
}

pub const entries = struct {
    /// `mask` is 0 where there is none. `flags`: 1 causal. `scale` is finite and above 0. `out` may be `x`.
    pub fn softmax(device_: u32, out: u32, x: u32, mask: u32, flags: u32, scale: f64) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, x, mask, flags, scale));
    }

    /// `y` is what `softmax` answered for the same `flags` and `scale`. `dx` may be `dy` or `y`.
    pub fn softmax_backward(device_: u32, dx: u32, dy: u32, y: u32, flags: u32, scale: f64) callconv(.c) i32 {
        return status.of(backwardOn(device_, dx, dy, y, flags, scale));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

/// Plain loops in f64.
fn reference(y: []f64, x: []const f64, cols: usize, queries: usize, scale: f64) void {
    const rows = if (cols == 0) 0 else x.len / cols;
    for (0..rows) |i| {
        const n = if (queries == 0) cols else @min(cols, (i % queries + 1 + cols) -| queries);
        const out = y[i * cols ..][0..cols];
        @memset(out, 0);
        var m = -std.math.inf(f64);
        for (x[i * cols ..][0..n]) |v| m = @max(m, scale * v);
        if (m == -std.math.inf(f64)) continue;
        var sum: f64 = 0;
        for (x[i * cols ..][0..n]) |v| sum += @exp(scale * v - m);
        for (out[0..n], x[i * cols ..][0..n]) |*o, v| o.* = @exp(scale * v - m) / sum;
    }
}

fn referenceBackward(dx: []f64, dy: []const f64, y: []const f64, cols: usize, scale: f64) void {
    const rows = if (cols == 0) 0 else y.len / cols;
    for (0..rows) |i| {
        var dot: f64 = 0;
        for (dy[i * cols ..][0..cols], y[i * cols ..][0..cols]) |a, b| dot += a * b;
        for (dx[i * cols ..][0..cols], dy[i * cols ..][0..cols], y[i * cols ..][0..cols]) |*o, a, b| o.* = scale * b * (a - dot);
    }
}

fn compare(comptime T: type, dims: []const usize, flags: u32, scale: f64, workers: u32, random: std.Random) !void {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(workers);
    const x = try t.normal(T, dims, random, 3);
    const dy = try t.normal(T, dims, random, 1);
    const cols = dims[dims.len - 1];
    const queries = if (flags & causal != 0) dims[dims.len - 2] else 0;
    const x_wide = try arrays.widen(T, arrays.data(T, x));
    defer testing.allocator.free(x_wide);
    const dy_wide = try arrays.widen(T, arrays.data(T, dy));
    defer testing.allocator.free(dy_wide);
    const want = try testing.allocator.alloc(f64, x_wide.len);
    defer testing.allocator.free(want);
    reference(want, x_wide, cols, queries, scale);
    if (queries > 0) {
        // What is not seen is not used either.
        for (arrays.data(T, x), arrays.data(T, dy), 0..) |*a, *b, i| if (want[i] == 0) {
            a.* = std.math.nan(T);
            b.* = std.math.nan(T);
            dy_wide[i] = 0;
        };
    }
    const y = try t.filled(T, dims, 42);
    try forward(&d, y, x, 0, flags, scale);
    try arrays.expectClose(T, want, arrays.data(T, y));
    const dx = try t.filled(T, dims, 42);
    try backward(&d, dx, dy, y, flags, scale);
    const want_dx = try testing.allocator.alloc(f64, x_wide.len);
    defer testing.allocator.free(want_dx);
    referenceBackward(want_dx, dy_wide, want, cols, scale);
    // One column: dy − dy·1, which is rounding alone.
    try arrays.expectScaled(T, want_dx, arrays.data(T, dx), arrays.tolerance(T), 0.1);
    if (queries > 0) for (arrays.data(T, y), arrays.data(T, dx), want) |a, b, w| if (w == 0) {
        try arrays.expectSameBits(T, &.{ 0, 0 }, &.{ a, b });
    };
    // In place.
    try forward(&d, x, x, 0, flags, scale);
    try arrays.expectSameBits(T, arrays.data(T, y), arrays.data(T, x));
    try backward(&d, dy, dy, y, flags, scale);
    try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, dy));
    try backward(&d, y, dy, y, flags, scale);
}

test "softmax: values and gradients as in f64 at every length, whole and causal" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        for (arrays.lengths) |cols| {
            for ([_]usize{ 0, 1, 5 }) |rows| try compare(T, &.{ rows, cols }, 0, 1, 1, prng.random());
            try compare(T, &.{ 2, 3, cols }, causal, 0.125, 1, prng.random());
            if (cols <= 40) try compare(T, &.{ 2, cols, cols }, causal, 0.5, 2, prng.random());
        }
        try compare(T, &.{ 2, 2, 70, 70 }, causal, 0.125, 3, prng.random());
        try compare(T, &.{ 3, 20, 7 }, causal, 1, 2, prng.random());
        try compare(T, &.{ 70, 768 }, 0, 1, 2, prng.random());
    }
}

test "softmax: the same bits for any number of workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const dims = [_]usize{ 3, 37, 53 };
    const x = try t.normal(f32, &dims, prng.random(), 2);
    const dy = try t.normal(f32, &dims, prng.random(), 1);
    var first: [2]u32 = undefined;
    for (1..9) |workers| {
        const d = device.forTest(@intCast(workers));
        const outs = [2]u32{ try t.empty(f32, &dims), try t.empty(f32, &dims) };
        try forward(&d, outs[0], x, 0, causal, 0.3);
        try backward(&d, outs[1], dy, outs[0], causal, 0.3);
        if (workers == 1) first = outs;
        for (first, outs) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
    }
}

test "softmax: masked rows are zeros, infinities and huge values do what is documented" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    const Case = struct { x: []const f32, y: []const f64 };
    const cases = [_]Case{
        .{ .x = &.{ -inf, -inf, -inf, -inf }, .y = &.{ 0, 0, 0, 0 } },
        .{ .x = &.{ 1, -inf, 1 }, .y = &.{ 0.5, 0, 0.5 } },
        .{ .x = &.{ 3e38, 3e38 }, .y = &.{ 0.5, 0.5 } },
        .{ .x = &.{ 3e38, -3e38 }, .y = &.{ 1, 0 } },
        .{ .x = &.{ inf, 0 }, .y = &.{ nan, nan } },
        .{ .x = &.{ 1, nan, 2 }, .y = &.{ nan, nan, nan } },
        .{ .x = &.{ -inf, nan }, .y = &.{ nan, nan } },
        .{ .x = &.{ -1e30, -1e30, -1e30, -1e30 }, .y = &.{ 0.25, 0.25, 0.25, 0.25 } },
        .{ .x = &.{ -0.0, 0.0 }, .y = &.{ 0.5, 0.5 } },
        .{ .x = &.{ 1e-45, -1e-45 }, .y = &.{ 0.5, 0.5 } },
    };
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    for (cases) |case| {
        const x = try t.from(f32, &.{case.x.len}, case.x);
        const y = try t.filled(f32, &.{case.x.len}, 42);
        try forward(&d, y, x, 0, 0, 1);
        try arrays.expectWithin(f32, case.y, arrays.data(f32, y), 0);
        const dx = try t.filled(f32, &.{case.x.len}, 42);
        try backward(&d, dx, try t.filled(f32, &.{case.x.len}, 1), y, 0, 1);
        for (case.y, arrays.data(f32, dx)) |v, g| try testing.expect(if (std.math.isNan(v)) std.math.isNan(g) else g == 0);
    }
    const y = try t.from(f32, &.{3}, &.{ 0.5, 0, 0.5 });
    const dx = try t.empty(f32, &.{3});
    try backward(&d, dx, try t.from(f32, &.{3}, &.{ 1, 2, 3 }), y, 0, 1);
    try arrays.expectWithin(f32, &.{ -0.5, 0, 0.5 }, arrays.data(f32, dx), 0);
}

test "softmax: masks are broadcast, and hide what they hide, forward and backward" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const inf = std.math.inf(f64);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths) |cols| for ([_]MaskKind{ .boolean, .additive }) |kind| {
        for ([_][]const usize{ &.{ 3, 4, cols }, &.{ 3, 1, cols }, &.{ 4, cols }, &.{ 1, cols }, &.{cols} }) |mask_dims| for ([_]u32{ 0, causal }) |flags| {
            var t: arrays.Tensors = .{};
            defer t.free();
            const d = device.forTest(2);
            const rows = 12;
            const x = try t.normal(T, &.{ 3, 4, cols }, random, 2);
            const dy = try t.normal(T, &.{ 3, 4, cols }, random, 1);
            const mask = if (kind == .boolean) try t.filled(u32, mask_dims, 0) else try t.normal(T, mask_dims, random, 1);
            const mask_rows = if (cols == 0) 1 else (try tensor.get(mask)).count() / cols;
            // The first row of the mask hides all.
            for (0..mask_rows) |i| for (0..cols) |j| {
                const hides = i == 0 or random.boolean();
                if (kind == .boolean) {
                    arrays.data(u32, mask)[i * cols + j] = if (hides) 0 else random.int(u32) | 1;
                } else if (hides) arrays.data(T, mask)[i * cols + j] = -std.math.inf(T);
            };
            const z = try testing.allocator.alloc(f64, rows * cols);
            defer testing.allocator.free(z);
            for (0..rows) |i| for (0..cols) |j| {
                const mask_row = if (mask_dims[0] == 3 and mask_dims.len == 3) (if (mask_dims[1] == 1) i / 4 else i) else i % mask_rows;
                const at = mask_row * cols + j;
                const v: f64 = arrays.data(T, x)[i * cols + j];
                z[i * cols + j] = if (kind == .boolean) (if (arrays.data(u32, mask)[at] == 0) -inf else 0.5 * v) else 0.5 * v + arrays.data(T, mask)[at];
            };
            const want = try testing.allocator.alloc(f64, rows * cols);
            defer testing.allocator.free(want);
            reference(want, z, cols, if (flags == causal) 4 else 0, 1);
            const wide = try arrays.widen(T, arrays.data(T, dy));
            defer testing.allocator.free(wide);
            for (arrays.data(T, x), arrays.data(T, dy), wide, want) |*a, *b, *w, y| if (y == 0) {
                a.* = std.math.nan(T);
                b.* = std.math.nan(T);
                w.* = 0;
            };
            const y = try t.filled(T, &.{ 3, 4, cols }, 42);
            try forward(&d, y, x, mask, flags, 0.5);
            try arrays.expectClose(T, want, arrays.data(T, y));
            const dx = try t.filled(T, &.{ 3, 4, cols }, 42);
            try backward(&d, dx, dy, y, flags, 0.5);
            const want_dx = try testing.allocator.alloc(f64, rows * cols);
            defer testing.allocator.free(want_dx);
            referenceBackward(want_dx, wide, want, cols, 0.5);
            try arrays.expectScaled(T, want_dx, arrays.data(T, dx), arrays.tolerance(T), 0.1);
            for (arrays.data(T, y), arrays.data(T, dx), want) |a, b, w| if (w == 0) try arrays.expectSameBits(T, &.{ 0, 0 }, &.{ a, b });
        };
    };
}

test "softmax: a mask that does not fit is refused" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 3, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 3, 4 }, 42);
    for ([_][]const usize{ &.{}, &.{3}, &.{1}, &.{ 2, 4 }, &.{ 1, 2, 3, 4 }, &.{ 3, 3, 4 } }) |dims| {
        try testing.expectError(error.ShapeMismatch, forward(&d, y, x, try t.filled(f32, dims, 1), 0, 1));
    }
    try testing.expectError(error.DtypeMismatch, forward(&d, y, x, try t.filled(f64, &.{4}, 1), 0, 1));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, x, try t.filled(i32, &.{4}, 1), 0, 1));
    try testing.expectError(error.LayoutMismatch, forward(&d, y, x, try t.view(try t.filled(f32, &.{8}, 1), 0, &.{4}, &.{2}), 0, 1));
    try testing.expectError(error.Overlap, forward(&d, y, x, y, 0, 1));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(42, v);
}

test "softmax: views, and nothing written beside the output" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(2);
    for ([_]usize{ 1, 15, 16, 17, 37, 64, 70 }) |cols| for ([_]u32{ 0, causal }) |flags| {
        const rows = 5;
        const wide = cols + 7;
        const x_base = try t.normal(f32, &.{ rows, wide }, prng.random(), 1);
        const y_base = try t.filled(f32, &.{ rows, wide }, 42);
        const dense = try t.empty(f32, &.{ rows, cols });
        for (0..rows) |i| @memcpy(arrays.data(f32, dense)[i * cols ..][0..cols], arrays.data(f32, x_base)[i * wide + 3 ..][0..cols]);
        try forward(&d, try t.view(y_base, 3, &.{ rows, cols }, &.{ wide, 1 }), try t.view(x_base, 3, &.{ rows, cols }, &.{ wide, 1 }), 0, flags, 1);
        try forward(&d, dense, dense, 0, flags, 1);
        for (arrays.data(f32, y_base), 0..) |v, i| {
            const inside = i % wide >= 3 and i % wide < 3 + cols;
            try testing.expectEqual(if (inside) arrays.data(f32, dense)[i / wide * cols + i % wide - 3] else 42, v);
        }
        t.free();
    };
}

test "softmax: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{ 4, 2 }, 1), 0, 0, 1));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, try t.filled(f64, &.{ 2, 4 }, 1), 0, 0, 1));
    try testing.expectError(error.InvalidArgument, forward(&d, y, x, 0, 2, 1));
    try testing.expectError(error.InvalidArgument, forward(&d, y, x, 0, 0, 0));
    try testing.expectError(error.InvalidArgument, forward(&d, y, x, 0, 0, std.math.nan(f64)));
    try testing.expectError(error.InvalidHandle, forward(&d, y, 0, 0, 0, 1));
    try testing.expectError(error.LayoutMismatch, forward(&d, y, try t.view(try t.filled(f32, &.{ 4, 2 }, 1), 0, &.{ 2, 4 }, &.{ 1, 2 }), 0, 0, 1));
    try testing.expectError(error.ShapeMismatch, backward(&d, y, x, try t.filled(f32, &.{ 2, 3 }, 1), 0, 1));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(42, v);
}

test "softmax: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("softmax_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("softmax_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const values: [3 * 70]T = @splat(1);
        for (1..71) |cols| for ([_]usize{ 0, 3 }) |queries| {
            const x = try arrays.atBorder(T, values[0 .. 3 * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. 3 * cols]);
            defer out.memory.deinit();
            forward_kernel(&.{
                .out = out.items.ptr,
                .x = x.items.ptr,
                .mask = .{},
                .rows = 3,
                .cols = cols,
                .out_stride = cols,
                .x_stride = cols,
                .row = 0,
                .queries = queries,
                .scale = 1,
            });
            backward_kernel(&.{
                .dx = out.items.ptr,
                .dy = x.items.ptr,
                .y = out.items.ptr,
                .rows = 3,
                .cols = cols,
                .dx_stride = cols,
                .dy_stride = cols,
                .y_stride = cols,
                .row = 0,
                .queries = queries,
                .scale = 1,
            });
        };
    }
}

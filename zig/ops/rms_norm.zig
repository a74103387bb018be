//! RMS norm over the last axis: x̂ = x·r with r = (mean(x²) + eps)^-½, out = x̂·weight (Zhang and Sennrich, "Root mean square layer normalization", 2019).
//!
//! Backward, with u = dy·weight and means over the row: dx = r·(u − x̂·mean(u·x̂)), dweight = Σ_rows dy·x̂. Forward keeps each row's r.
//!
//! Where no r was kept the backward pass takes it from the row itself, as the forward pass does.
//!
//! A row whose squares leave the range of their type is taken by row/extreme.zig.
//!
//! The sums over rows go over chunks of rows that depend on the number of rows alone, and the chunks' sums join in their order.

const std = @import("std");
const column_sums = @import("../gemm/columns.zig");
const fold = @import("../row/fold.zig");
const device = @import("../device.zig");
const extreme = @import("../row/extreme.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
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
    return extern struct {
        /// Null where only the statistics are wanted.
        out: ?[*]T,
        /// r of each row; null where nobody wants it.
        stats: ?[*]T,
        x: [*]const T,
        weight: [*]const T,
        rows: usize,
        cols: usize,
        out_stride: usize,
        stats_stride: usize = 1,
        x_stride: usize,
        eps: T,

        /// Of the shader over a row, at the most.
        pub const passes = 4;
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dx: ?[*]T,
        /// Sums of this chunk: dweight.
        sums: ?[*]T,
        dy: [*]const T,
        x: [*]const T,
        weight: [*]const T,
        /// Null where nobody kept them.
        stats: ?[*]const T,
        rows: usize,
        cols: usize,
        dx_stride: usize,
        dy_stride: usize,
        x_stride: usize,
        stats_stride: usize = 1,
        /// For factors that nobody kept.
        eps: T,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        /// Short rows go four at a time.
        fn rows(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            if (p.cols <= sweep.group_cols_max) while (p.rows - i >= 4) : (i += 4) normalizeGroup(4, p, i);
            while (i < p.rows) : (i += 1) normalizeGroup(1, p, i);
        }

        inline fn normalizeGroup(comptime group: usize, p: *const Forward(T), first: usize) void {
            var r: [group]T = undefined;
            for (0..group) |g| r[g] = factor(p.x + (first + g) * p.x_stride, p.cols, p.eps, if (p.out) |out| out + (first + g) * p.out_stride else null);
            for (0..group) |g| {
                const i = first + g;
                const x = p.x + i * p.x_stride;
                if (!extreme.usual(T, r[g])) {
                    extreme.normalize(T, false, &.{
                        .out = if (p.out) |out| out + i * p.out_stride else null,
                        .stats = if (p.stats) |stats| stats + i else null,
                        .x = x,
                        .weight = p.weight,
                        .bias = null,
                        .cols = p.cols,
                        .eps = p.eps,
                    });
                    continue;
                }
                if (p.stats) |stats| stats[i] = r[g];
                const out = p.out orelse continue;
                sweep.each(p.cols, Normalize{ .out = out + i * p.out_stride, .x = x, .weight = p.weight, .r = all(r[g]), .next = group * p.x_stride });
            }
        }

        /// r of a row. The mean square of nothing is 0. It asks for `out`, which is written next.
        inline fn factor(x: [*]const T, cols: usize, eps: T, out: ?[*]T) T {
            const squares = if (out) |o|
                sweep.sums(T, 1, 4, cols, Squares(true){ .x = x, .out = o })[0]
            else
                sweep.sums(T, 1, 4, cols, Squares(false){ .x = x, .out = undefined })[0];
            return 1 / @sqrt(squares / @as(T, @floatFromInt(@max(1, cols))) + eps);
        }

        fn Squares(comptime asks: bool) type {
            return struct {
                x: [*]const T,
                out: [*]T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                    if (whole and asks) sweep.ask(T, s.out + j, true);
                    const x = sweep.read(T, whole, s.x + j, left, 0);
                    return .{x * x};
                }
            };
        }

        const Normalize = struct {
            out: [*]T,
            x: [*]const T,
            weight: [*]const T,
            r: V,
            /// How far on the row is that this one asks for.
            next: usize,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                if (whole) sweep.ask(T, s.x + s.next + j, false);
                const x_hat = sweep.read(T, whole, s.x + j, left, 0) * s.r;
                sweep.write(T, whole, s.out + j, x_hat * sweep.read(T, whole, s.weight + j, left, 0), left);
            }
        };

        fn backwardRows(p: *const Backward(T)) callconv(.c) void {
            if (p.sums) |sums| {
                @memset(sums[0..p.cols], 0);
                if (p.dx == null) differentiate(false, true, p) else differentiate(true, true, p);
            } else differentiate(true, false, p);
        }

        /// All passes over one row before the next, but short rows go four at a time; see layer_norm.zig.
        fn differentiate(comptime want_dx: bool, comptime want_sums: bool, p: *const Backward(T)) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            if (p.cols <= sweep.group_cols_max) while (p.rows - i >= 4) : (i += 4) rowGroup(4, want_dx, want_sums, p, i);
            while (i < p.rows) : (i += 1) rowGroup(1, want_dx, want_sums, p, i);
        }

        inline fn rowGroup(comptime group: usize, comptime want_dx: bool, comptime want_sums: bool, p: *const Backward(T), first: usize) void {
            const n: T = @floatFromInt(@max(1, p.cols));
            var r: [group]T = undefined;
            var slope: [group]T = undefined;
            for (0..group) |g| {
                const i = first + g;
                r[g] = if (p.stats) |stats| stats[i] else factor(p.x + i * p.x_stride, p.cols, p.eps, null);
            }
            if (want_dx) for (0..group) |g| {
                const i = first + g;
                // mean(u·x̂) = r·mean(u·x).
                slope[g] = r[g] * (sweep.sums(T, 1, 4, p.cols, Products{
                    .x = p.x + i * p.x_stride,
                    .dy = p.dy + i * p.dy_stride,
                    .weight = p.weight,
                    .x_next = p.x + (i + group) * p.x_stride,
                    .dx = p.dx.? + i * p.dx_stride,
                })[0] / n);
            };
            for (0..group) |g| {
                const i = first + g;
                if (!extreme.usual(T, r[g])) {
                    @branchHint(.unlikely);
                    extremeRow(want_dx, p, i);
                    continue;
                }
                sweep.each(p.cols, Gradients(want_dx, want_sums){
                    .dx = if (want_dx) p.dx.? + i * p.dx_stride else undefined,
                    .x = p.x + i * p.x_stride,
                    .dy = p.dy + i * p.dy_stride,
                    .r = all(r[g]),
                    .slope = if (want_dx) all(slope[g]) else undefined,
                    .weight = p.weight,
                    .dweight = if (want_sums) p.sums.? else undefined,
                    .x_next = p.x + (i + group) * p.x_stride,
                    .dy_next = p.dy + (i + group) * p.dy_stride,
                });
            }
        }

        fn extremeRow(comptime want_dx: bool, p: *const Backward(T), i: usize) void {
            extreme.differentiate(T, false, &.{
                .dx = if (want_dx) p.dx.? + i * p.dx_stride else null,
                .dweight = p.sums,
                .dbias = null,
                .dy = p.dy + i * p.dy_stride,
                .dsum = null,
                .x = p.x + i * p.x_stride,
                .weight = p.weight,
                .cols = p.cols,
                .eps = p.eps,
            });
        }

        /// It asks for the next row of x, and for the row that is written next: the passes share what waits for memory.
        const Products = struct {
            x: [*]const T,
            dy: [*]const T,
            weight: [*]const T,
            x_next: [*]const T,
            dx: [*]T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                if (whole) {
                    sweep.ask(T, s.x_next + j, false);
                    sweep.ask(T, s.dx + j, true);
                }
                const u = sweep.read(T, whole, s.dy + j, left, 0) * sweep.read(T, whole, s.weight + j, left, 0);
                return .{u * sweep.read(T, whole, s.x + j, left, 0)};
            }
        };

        fn Gradients(comptime want_dx: bool, comptime want_sums: bool) type {
            return struct {
                dx: [*]T,
                x: [*]const T,
                dy: [*]const T,
                r: V,
                slope: V,
                weight: [*]const T,
                dweight: [*]T,
                /// The rows that this one asks for.
                x_next: [*]const T,
                dy_next: [*]const T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    if (whole) {
                        if (!want_dx) sweep.ask(T, s.x_next + j, false);
                        sweep.ask(T, s.dy_next + j, false);
                    }
                    const dy = sweep.read(T, whole, s.dy + j, left, 0);
                    const x_hat = sweep.read(T, whole, s.x + j, left, 0) * s.r;
                    if (want_sums) sweep.write(T, whole, s.dweight + j, sweep.read(T, whole, s.dweight + j, left, 0) + dy * x_hat, left);
                    if (want_dx) {
                        const weight = sweep.read(T, whole, s.weight + j, left, 0);
                        sweep.write(T, whole, s.dx + j, s.r * (dy * weight - x_hat * s.slope), left);
                    }
                }
            };
        }
    };
}

pub const ukernels = struct {
    pub const rms_norm_f32_rows = Kernels(f32).rows;
    pub const rms_norm_f64_rows = Kernels(f64).rows;
    pub const rms_norm_backward_f32_rows = Kernels(f32).backwardRows;
    pub const rms_norm_backward_f64_rows = Kernels(f64).backwardRows;
};

fn ForwardTask(comptime T: type) type {
    return split.Rows(Forward(T), .{ .kernel = "rms_norm_" ++ @typeName(T) ++ "_rows" }, 2);
}

fn BackwardTask(comptime T: type) type {
    return struct {
        const Chunked = column_sums.Chunked(T, Backward(T), "rms_norm_backward_" ++ @typeName(T) ++ "_rows", 1);

        chunked: Chunked,

        pub fn isEmpty(self: *const @This()) bool {
            return self.chunked.isEmpty();
        }

        pub fn run(self: @This(), d: *const Device) Error!void {
            return self.chunked.run(d);
        }

        /// The columns of chunks of rows come first: dx may take the place of what they read.
        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const p = &self.chunked.args;
            const kept: ?Scratch = if (p.stats == null) try .init(d, p.rows * @sizeOf(T)) else null;
            defer if (kept) |s| s.deinit();
            const stats: [*]const T = p.stats orelse kept.?.ptr(T);
            if (kept) |s| try (ForwardTask(T){ .args = .{
                .out = null,
                .stats = s.ptr(T),
                .x = p.x,
                .weight = p.weight,
                .rows = p.rows,
                .cols = p.cols,
                .out_stride = 0,
                .x_stride = p.x_stride,
                .eps = p.eps,
            } }).dispatch(d);
            if (self.chunked.outs[0]) |out| {
                const chunks = fold.gpuChunkCount(p.rows);
                const sums: Scratch = try .init(d, chunks * p.cols * @sizeOf(T));
                defer sums.deinit();
                const name = "rms_norm_backward_f32_columns";
                try launch.launch(d, name, GpuColumns{
                    .sums = sums.ptr(T),
                    .dy = p.dy,
                    .x = p.x,
                    .stats = stats,
                    .rows = p.rows,
                    .cols = p.cols,
                    .dy_stride = p.dy_stride,
                    .x_stride = p.x_stride,
                    .chunk_rows = fold.gpuChunkRows(p.rows),
                    .chunks = chunks,
                }, launch.byColumn(name, p.rows, p.cols, chunks));
                try column_sums.dispatchJoin(d, out, sums.ptr(T), chunks, p.cols, false);
            }
            if (p.dx) |dx| try launch.launch(d, "rms_norm_backward_f32_rows", GpuRows{
                .dx = dx,
                .dy = p.dy,
                .x = p.x,
                .weight = p.weight,
                .stats = stats,
                .rows = p.rows,
                .cols = p.cols,
                .dx_stride = p.dx_stride,
                .dy_stride = p.dy_stride,
                .x_stride = p.x_stride,
            }, launch.byRow(p.rows, p.cols, 3));
        }
    };
}

/// What the shader of rows takes.
const GpuRows = extern struct {
    dx: [*]f32,
    dy: [*]const f32,
    x: [*]const f32,
    weight: [*]const f32,
    stats: [*]const f32,
    rows: usize,
    cols: usize,
    dx_stride: usize,
    dy_stride: usize,
    x_stride: usize,
};

/// What the shader of columns takes: dweight of each chunk of rows.
const GpuColumns = extern struct {
    sums: [*]f32,
    dy: [*]const f32,
    x: [*]const f32,
    stats: [*]const f32,
    rows: usize,
    cols: usize,
    dy_stride: usize,
    x_stride: usize,
    chunk_rows: usize,
    chunks: usize,
};

fn parameter(t: *const tensor.Tensor, cols: usize) Error!void {
    if (t.rank != 1 or t.shape_[0] != cols) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

fn statistics(t: *const tensor.Tensor, rows: usize) Error!void {
    if (t.count() != rows) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

fn forward(d: *const Device, out_: u32, stats_: u32, x_: u32, weight_: u32, eps: f64) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.optional(out_, x.dtype);
    const stats = try tensor.optional(stats_, x.dtype);
    const weight = try tensor.typed(weight_, x.dtype);
    if (x.rank == 0) return error.ShapeMismatch;
    if (!(eps >= 0)) return error.InvalidArgument;
    const x_rows = try x.rows();
    var out_stride: usize = 0;
    try parameter(weight, x_rows.cols);
    if (out) |o| {
        if (!o.sameShape(x)) return error.ShapeMismatch;
        out_stride = (try shape.written(o)).stride;
        try tensor.checkInPlace(o, x);
        try tensor.checkApart(o, weight);
    }
    if (stats) |s| {
        try statistics(s, x_rows.rows);
        for ([_]?*const tensor.Tensor{ out, x, weight }) |other| if (other) |t| try tensor.checkApart(s, t);
    }
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .args = .{
                .out = if (out) |t| t.ptr(T) else null,
                .stats = if (stats) |s| s.ptr(T) else null,
                .x = x.ptr(T),
                .weight = weight.ptr(T),
                .rows = x_rows.rows,
                .cols = x_rows.cols,
                .out_stride = out_stride,
                .x_stride = x_rows.stride,
                .eps = @floatCast(eps),
            } });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dx_: u32, dweight_: u32, dy_: u32, x_: u32, weight_: u32, stats_: u32, eps: f64) Error!void {
    const x = try tensor.get(x_);
    const dx = try tensor.optional(dx_, x.dtype);
    const dweight = try tensor.optional(dweight_, x.dtype);
    const dy = try tensor.typed(dy_, x.dtype);
    const weight = try tensor.typed(weight_, x.dtype);
    const stats = try tensor.optional(stats_, x.dtype);
    if (!dy.sameShape(x) or x.rank == 0) return error.ShapeMismatch;
    if (!(eps >= 0)) return error.InvalidArgument;
    const x_rows = try x.rows();
    const dy_rows = try dy.rows();
    try parameter(weight, x_rows.cols);
    if (stats) |s| try statistics(s, x_rows.rows);
    var dx_stride: usize = 0;
    if (dx) |out| {
        if (!out.sameShape(x)) return error.ShapeMismatch;
        dx_stride = (try shape.written(out)).stride;
        try tensor.checkInPlace(out, dy);
        try tensor.checkInPlace(out, x);
        try tensor.checkApart(out, weight);
        if (stats) |s| try tensor.checkApart(out, s);
    }
    if (dweight) |out| {
        try parameter(out, x_rows.cols);
        for ([_]?*const tensor.Tensor{ dx, dy, x, weight, stats }) |other| if (other) |t| try tensor.checkApart(out, t);
    }
    if (dx == null and dweight == null) return;
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .chunked = .{
                    .args = .{
                        .dx = if (dx) |t| t.ptr(T) else null,
                        .sums = null,
                        .dy = dy.ptr(T),
                        .x = x.ptr(T),
                        .weight = weight.ptr(T),
                        .stats = if (stats) |s| s.ptr(T) else null,
                        .rows = x_rows.rows,
                        .cols = x_rows.cols,
                        .dx_stride = dx_stride,
                        .dy_stride = dy_rows.stride,
                        .x_stride = x_rows.stride,
                        .eps = @floatCast(eps),
                    },
                    .outs = .{if (dweight) |t| t.ptr(T) else null},
                    .streams = 3,
                },
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, stats: u32, x: u32, weight: u32, eps: f64) Error!void {
    return forward(try device.get(device_), out, stats, x, weight, eps);
}

fn backwardOn(device_: u32, dx: u32, dweight: u32, dy: u32, x: u32, weight: u32, stats: u32, eps: f64) Error!void {
    return backward(try device.get(device_), dx, dweight, dy, x, weight, stats, eps);
}

pub const entries = struct {
    /// `stats` has a number, r, for each row of `x`. `out` and `stats` are 0 where there is none. `out` may be `x`.
    pub fn rms_norm(device_: u32, out: u32, stats: u32, x: u32, weight: u32, eps: f64) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, stats, x, weight, eps));
    }

    /// `stats` as `rms_norm` left it, or 0: it is computed anew, with `eps`. `dx` and `dweight` are 0 where they are not wanted; `dx` may be `dy` or `x`.
    pub fn rms_norm_backward(device_: u32, dx: u32, dweight: u32, dy: u32, x: u32, weight: u32, stats: u32, eps: f64) callconv(.c) i32 {
        return status.of(backwardOn(device_, dx, dweight, dy, x, weight, stats, eps));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

const eps_usual = 1e-5;

/// Plain loops in f64: y, r, dx and dweight for x, weight and dy.
fn reference(want: *[4][]f64, x: []const f64, weight: []const f64, dy: []const f64) void {
    const cols = weight.len;
    const n: f64 = @floatFromInt(@max(1, cols));
    @memset(want[3], 0);
    for (want[1], 0..) |*r, i| {
        const row = x[i * cols ..][0..cols];
        var square: f64 = 0;
        for (row) |v| square += v * v / n;
        r.* = 1 / @sqrt(square + eps_usual);
        var slope: f64 = 0;
        for (row, weight, dy[i * cols ..][0..cols], 0..) |v, w, g, j| {
            want[0][i * cols + j] = v * r.* * w;
            slope += g * w * v * r.* / n;
            want[3][j] += g * v * r.*;
        }
        for (row, weight, dy[i * cols ..][0..cols], 0..) |v, w, g, j| want[2][i * cols + j] = r.* * (g * w - v * r.* * slope);
    }
}

test "rms_norm: values and gradients as in f64 at every length, each result alone too, in place and from views" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{768}) |cols| for ([_]usize{ 0, 1, 6, 70 }) |rows| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const dims = [_]usize{ rows, cols };
        const x = try t.normal(T, &dims, prng.random(), 2);
        const weight = try t.normal(T, &.{cols}, prng.random(), 1);
        const dy = try t.normal(T, &dims, prng.random(), 1);
        var wide: [3][]f64 = undefined;
        for (&wide, [_]u32{ x, weight, dy }) |*w, h| w.* = try arrays.widen(T, arrays.data(T, h));
        defer for (wide) |w| testing.allocator.free(w);
        var want: [4][]f64 = undefined;
        for (&want, [_]usize{ rows * cols, rows, rows * cols, cols }) |*w, len| w.* = try testing.allocator.alloc(f64, len);
        defer for (want) |w| testing.allocator.free(w);
        reference(&want, wide[0], wide[1], wide[2]);

        const y = try t.empty(T, &dims);
        const stats = try t.empty(T, &.{rows});
        try forward(&d, y, stats, x, weight, eps_usual);
        try arrays.expectClose(T, want[0], arrays.data(T, y));
        try arrays.expectClose(T, want[1], arrays.data(T, stats));
        const dx = try t.empty(T, &dims);
        const dweight = try t.empty(T, &.{cols});
        try backward(&d, dx, dweight, dy, x, weight, stats, eps_usual);
        // For one column dx is r·u less nearly the same.
        try arrays.expectScaled(T, want[2], arrays.data(T, dx), arrays.tolerance(T), 1);
        try arrays.expectClose(T, want[3], arrays.data(T, dweight));

        const alone = try t.empty(T, &.{rows});
        try forward(&d, 0, alone, x, weight, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, stats), arrays.data(T, alone));
        const alone_weight = try t.empty(T, &.{cols});
        const again = [2]u32{ try t.empty(T, &dims), try t.empty(T, &.{cols}) };
        try backward(&d, again[0], again[1], dy, x, weight, 0, eps_usual);
        for ([_]u32{ dx, dweight }, again) |kept, anew| try arrays.expectSameBits(T, arrays.data(T, kept), arrays.data(T, anew));
        try backward(&d, 0, alone_weight, dy, x, weight, stats, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, dweight), arrays.data(T, alone_weight));

        if (rows == 0) continue;
        const gap = cols + 7;
        const base = try t.filled(T, &.{ rows, gap }, 42);
        const view = try t.view(base, 3, &dims, &.{ gap, 1 });
        for (0..rows) |i| @memcpy(arrays.data(T, base)[i * gap + 3 ..][0..cols], arrays.data(T, x)[i * cols ..][0..cols]);
        try backward(&d, dy, 0, dy, view, weight, stats, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, dy));
        try forward(&d, view, 0, view, weight, eps_usual);
        for (arrays.data(T, base), 0..) |v, i| {
            const inside = i % gap >= 3 and i % gap < 3 + cols;
            try testing.expectEqual(if (inside) arrays.data(T, y)[i / gap * cols + i % gap - 3] else 42, v);
        }
    };
}

test "rms_norm: the same bits for any number of workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const dims = [_]usize{ 331, 75 };
    const x = try t.normal(f32, &dims, prng.random(), 2);
    const weight = try t.normal(f32, &.{75}, prng.random(), 1);
    const dy = try t.normal(f32, &dims, prng.random(), 1);
    var first: [4]u32 = undefined;
    for (1..9) |workers| {
        const d = device.forTest(@intCast(workers));
        const outs = [4]u32{ try t.empty(f32, &dims), try t.empty(f32, &.{331}), try t.empty(f32, &dims), try t.empty(f32, &.{75}) };
        try forward(&d, outs[0], outs[1], x, weight, eps_usual);
        try backward(&d, outs[2], outs[3], dy, x, weight, outs[1], eps_usual);
        if (workers == 1) first = outs;
        for (first, outs) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
    }
}

test "rms_norm: a row of zeros is zeros, and NaN stays in its row" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const nan = std.math.nan(f32);
    const x = try t.from(f32, &.{ 3, 2 }, &.{ 0, 0, nan, 2, 3, 4 });
    const ones = try t.filled(f32, &.{2}, 1);
    const y = try t.empty(f32, &.{ 3, 2 });
    const stats = try t.empty(f32, &.{3});
    try forward(&d, y, stats, x, ones, eps_usual);
    const dx = try t.empty(f32, &.{ 3, 2 });
    try backward(&d, dx, 0, try t.filled(f32, &.{ 3, 2 }, 1), x, ones, stats, eps_usual);
    try arrays.expectSameBits(f32, &.{ 0, 0 }, arrays.data(f32, y)[0..2]);
    try testing.expectApproxEqRel(316.2278, arrays.data(f32, dx)[0], 1e-6);
    for ([_]u32{ y, dx }) |h| {
        for (arrays.data(f32, h)[2..4]) |v| try testing.expect(std.math.isNan(v));
        for (arrays.data(f32, h)[4..6]) |v| try testing.expect(std.math.isFinite(v));
    }
}

test "rms_norm: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    const stats = try t.filled(f32, &.{2}, 42);
    const weight = try t.filled(f32, &.{4}, 1);
    try testing.expectError(error.ShapeMismatch, forward(&d, y, stats, x, try t.filled(f32, &.{3}, 1), eps_usual));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{3}, 1), x, weight, eps_usual));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, stats, x, try t.filled(f64, &.{4}, 1), eps_usual));
    try testing.expectError(error.InvalidArgument, forward(&d, y, stats, x, weight, -1));
    try testing.expectError(error.Overlap, backward(&d, 0, weight, x, x, weight, stats, eps_usual));
    try testing.expectError(error.InvalidArgument, backward(&d, y, 0, x, x, weight, 0, -1));
    try testing.expectError(error.ShapeMismatch, backward(&d, y, 0, try t.filled(f32, &.{8}, 1), x, weight, stats, eps_usual));
    const integers = try t.filled(u32, &.{ 2, 4 }, 1);
    try testing.expectError(error.Unsupported, forward(&d, integers, 0, integers, try t.filled(u32, &.{4}, 1), eps_usual));
    for ([_]u32{ y, stats }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "rms_norm: kernels read and write nothing past the last element" {
    const isa = @import("../isa/pick.zig");
    const rows = 5;
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = isa.testKernel("rms_norm_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = isa.testKernel("rms_norm_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        for (1..71) |cols| {
            const values: [rows * 70]T = @splat(1);
            const x = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer out.memory.deinit();
            const weight = try arrays.atBorder(T, values[0..cols]);
            defer weight.memory.deinit();
            const stats = try arrays.atBorder(T, values[0..rows]);
            defer stats.memory.deinit();
            const sums = try arrays.atBorder(T, values[0..cols]);
            defer sums.memory.deinit();
            forward_kernel(&.{
                .out = out.items.ptr,
                .stats = stats.items.ptr,
                .x = x.items.ptr,
                .weight = weight.items.ptr,
                .rows = rows,
                .cols = cols,
                .out_stride = cols,
                .x_stride = cols,
                .eps = 0,
            });
            for (out.items) |v| try testing.expectEqual(1, v);
            for ([_]?[*]const T{ stats.items.ptr, null }) |kept| backward_kernel(&.{
                .dx = out.items.ptr,
                .sums = sums.items.ptr,
                .dy = x.items.ptr,
                .x = x.items.ptr,
                .weight = weight.items.ptr,
                .stats = kept,
                .rows = rows,
                .cols = cols,
                .dx_stride = cols,
                .dy_stride = cols,
                .x_stride = cols,
                .eps = 0,
            });
            for (sums.items) |v| try testing.expectEqual(rows, v);
        }
    }
}

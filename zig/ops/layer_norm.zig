//! Layer norm over the last axis: x̂ = (x − μ)·r with r = (var + eps)^-½, out = x̂·weight + bias.
//!
//! Forward sweeps a row three times, twice from the first-level cache. The first sum gives m, close to the mean. The second sweep sums d = x − m and d²;
//! c = mean(d) is what m lacks of the mean, so var = mean(d²) − c² and x̂ = ((x − m) − c)·r keep their digits when the mean is large against the deviation
//! (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983, corrected two-pass form). The row's (μ, r) are kept as m + c and r.
//!
//! With a residual the row is x + residual; the first sweep writes that sum too, and the others read it.
//!
//! Backward, with u = dy·weight and means over the row: dx = r·(u − mean(u) − x̂·mean(u·x̂)), dweight = Σ_rows dy·x̂, dbias = Σ_rows dy. The kept μ is rounded,
//! which for large means moves all x̂ of a row by one number δ; since mean(x̂) = 0, δ = mean((x − μ)·r) gives it back:
//! with z = (x − μ)·r, x̂ = z − δ and mean(u·x̂) = mean(u·z) − δ·mean(u). The gradient that reaches x + residual by another way is added to dx.
//!
//! Where no (μ, r) were kept the backward pass takes them from the row itself, as the forward pass does, while the row is in the first-level cache: x is still
//! read from memory once.
//!
//! A row whose sum or squares leave the range of their type is taken by row/extreme.zig.
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
const status = @import("../status.zig");
const split = @import("../row/split.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

fn Forward(comptime T: type) type {
    return extern struct {
        /// Null where only the statistics are wanted.
        out: ?[*]T,
        /// (μ, r) of each row; null where nobody wants them.
        stats: ?[*]T,
        /// x + residual, where there is a residual.
        sum: ?[*]T,
        x: [*]const T,
        residual: ?[*]const T,
        weight: [*]const T,
        bias: ?[*]const T,
        rows: usize,
        cols: usize,
        out_stride: usize,
        stats_stride: usize = 2,
        sum_stride: usize,
        x_stride: usize,
        residual_stride: usize,
        eps: T,

        /// Of the shader over a row, at the most.
        pub const passes = 6;
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dx: ?[*]T,
        /// Sums of this chunk: dweight, then dbias.
        sums: ?[*]T,
        dy: [*]const T,
        /// What is added to dx.
        dsum: ?[*]const T,
        x: [*]const T,
        weight: [*]const T,
        /// Null where nobody kept them.
        stats: ?[*]const T,
        rows: usize,
        cols: usize,
        dx_stride: usize,
        dy_stride: usize,
        dsum_stride: usize,
        x_stride: usize,
        stats_stride: usize = 2,
        /// For statistics that nobody kept.
        eps: T,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        fn rows(p: *const Forward(T)) callconv(.c) void {
            if (p.residual != null) {
                if (p.bias == null) normalize(true, false, p) else normalize(true, true, p);
            } else if (p.bias == null) normalize(false, false, p) else normalize(false, true, p);
        }

        /// Short rows go four at a time.
        fn normalize(comptime has_residual: bool, comptime has_bias: bool, p: *const Forward(T)) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            if (p.cols <= sweep.group_cols_max) while (p.rows - i >= 4) : (i += 4) normalizeGroup(4, has_residual, has_bias, p, i);
            while (i < p.rows) : (i += 1) normalizeGroup(1, has_residual, has_bias, p, i);
        }

        inline fn normalizeGroup(comptime group: usize, comptime has_residual: bool, comptime has_bias: bool, p: *const Forward(T), first: usize) void {
            const n = count(p.cols);
            var m: [group]T = undefined;
            var c: [group]T = undefined;
            var r: [group]T = undefined;
            var x: [group][*]const T = undefined;
            for (0..group) |g| {
                const own = p.x + (first + g) * p.x_stride;
                if (has_residual) {
                    const sum = p.sum.? + (first + g) * p.sum_stride;
                    m[g] = sweep.sums(T, 1, 4, p.cols, Total{ .sum = sum, .x = own, .residual = p.residual.? + (first + g) * p.residual_stride })[0] / n;
                    x[g] = sum;
                } else {
                    m[g] = sweep.sums(T, 1, 4, p.cols, Sum{ .x = own })[0] / n;
                    x[g] = own;
                }
            }
            for (0..group) |g| {
                c[g], r[g] = spread(x[g], p.cols, m[g], p.eps, if (p.cols <= sweep.ask_cols_max and p.out != null) p.out.? + (first + g) * p.out_stride else null);
            }
            for (0..group) |g| {
                const i = first + g;
                if (!extreme.usual(T, r[g])) {
                    extreme.normalize(T, true, &.{
                        .out = if (p.out) |out| out + i * p.out_stride else null,
                        .stats = if (p.stats) |stats| stats + 2 * i else null,
                        .x = x[g],
                        .weight = p.weight,
                        .bias = if (has_bias) p.bias else null,
                        .cols = p.cols,
                        .eps = p.eps,
                    });
                    continue;
                }
                if (p.stats) |stats| {
                    stats[2 * i] = m[g] + c[g];
                    stats[2 * i + 1] = r[g];
                }
                const out = p.out orelse continue;
                sweep.each(p.cols, Normalize(has_bias){
                    .out = out + i * p.out_stride,
                    .x = x[g],
                    .weight = p.weight,
                    .bias = p.bias,
                    .m = all(m[g]),
                    .c = all(c[g]),
                    .r = all(r[g]),
                    .next = p.x + (i + group) * p.x_stride,
                });
            }
        }

        /// What means over a row divide by. A row of nothing has mean and variance 0.
        inline fn count(cols: usize) T {
            return @floatFromInt(@max(1, cols));
        }

        /// (c, r) of a row whose mean is close to m. It asks for `out`, which is written next.
        inline fn spread(x: [*]const T, cols: usize, m: T, eps: T, out: ?[*]T) [2]T {
            const n = count(cols);
            const deviations = if (out) |o| sweep.sums(T, 2, 2, cols, Deviations(true){ .x = x, .m = m, .out = o }) else sweep.sums(T, 2, 2, cols, Deviations(false){ .x = x, .m = m, .out = undefined });
            const c = deviations[0] / n;
            // Rounding may leave a constant row a variance just below 0; NaN stays NaN.
            const v = deviations[1] / n - c * c;
            const variance = if (v < 0) 0 else v;
            return .{ c, 1 / @sqrt(variance + eps) };
        }

        /// (μ, r) of a row, as the forward pass keeps them.
        noinline fn statistics(x: [*]const T, cols: usize, eps: T) [2]T {
            const m = sweep.sums(T, 1, 4, cols, Sum{ .x = x })[0] / count(cols);
            const c, const r = spread(x, cols, m, eps, null);
            return .{ m + c, r };
        }

        const Sum = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                return .{sweep.read(T, whole, s.x + j, left, 0)};
            }
        };

        const Total = struct {
            sum: [*]T,
            x: [*]const T,
            residual: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                const sum = sweep.read(T, whole, s.x + j, left, 0) + sweep.read(T, whole, s.residual + j, left, 0);
                sweep.write(T, whole, s.sum + j, sum, left);
                return .{sum};
            }
        };

        fn Deviations(comptime asks: bool) type {
            return struct {
                x: [*]const T,
                m: T,
                out: [*]T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [2]V {
                    if (whole and asks) sweep.ask(T, s.out + j, true);
                    // Missing lanes hold m: their deviation is 0.
                    const d = sweep.read(T, whole, s.x + j, left, s.m) - all(s.m);
                    return .{ d, d * d };
                }
            };
        }

        fn Normalize(comptime has_bias: bool) type {
            return struct {
                out: [*]T,
                x: [*]const T,
                weight: [*]const T,
                bias: ?[*]const T,
                m: V,
                c: V,
                r: V,
                /// The row that this one asks for.
                next: [*]const T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    if (whole) sweep.ask(T, s.next + j, false);
                    const centred = (sweep.read(T, whole, s.x + j, left, 0) - s.m) - s.c;
                    var y = centred * s.r * sweep.read(T, whole, s.weight + j, left, 0);
                    if (has_bias) y += sweep.read(T, whole, s.bias.? + j, left, 0);
                    sweep.write(T, whole, s.out + j, y, left);
                }
            };
        }

        fn backwardRows(p: *const Backward(T)) callconv(.c) void {
            if (p.sums) |sums| {
                @memset(sums[0 .. 2 * p.cols], 0);
                if (p.dx == null) differentiate(false, false, true, p) else differentiateBoth(true, p);
            } else differentiateBoth(false, p);
        }

        fn differentiateBoth(comptime want_sums: bool, p: *const Backward(T)) void {
            if (p.dsum == null) differentiate(true, false, want_sums, p) else differentiate(true, true, want_sums, p);
        }

        /// All passes over one row before the next: its elements, the weight and the sums stay in the first-level cache. The last pass over four rows together, which
        /// loads and stores the sums once for four, took 1.5 times as long at 8192×768 and 1.2 at 64×768 (Zen 3). Short rows go four at a time.
        fn differentiate(comptime want_dx: bool, comptime has_dsum: bool, comptime want_sums: bool, p: *const Backward(T)) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            if (p.cols <= sweep.group_cols_max) while (p.rows - i >= 4) : (i += 4) rowGroup(4, want_dx, has_dsum, want_sums, p, i);
            while (i < p.rows) : (i += 1) rowGroup(1, want_dx, has_dsum, want_sums, p, i);
        }

        inline fn rowGroup(comptime group: usize, comptime want_dx: bool, comptime has_dsum: bool, comptime want_sums: bool, p: *const Backward(T), first: usize) void {
            const n = count(p.cols);
            var mean: [group]T = undefined;
            var r: [group]T = undefined;
            var means: [group][3]T = undefined;
            for (0..group) |g| {
                const i = first + g;
                mean[g], r[g] = if (p.stats) |stats| stats[2 * i ..][0..2].* else statistics(p.x + i * p.x_stride, p.cols, p.eps);
            }
            for (0..group) |g| {
                const i = first + g;
                means[g] = sweep.sums(T, 3, 2, p.cols, Means(want_dx, has_dsum){
                    .x = p.x + i * p.x_stride,
                    .dy = p.dy + i * p.dy_stride,
                    .weight = p.weight,
                    .mean = mean[g],
                    .r = r[g],
                    .x_next = p.x + (i + group) * p.x_stride,
                    .dx = if (want_dx) p.dx.? + i * p.dx_stride else undefined,
                    .dsum = if (has_dsum) p.dsum.? + i * p.dsum_stride else undefined,
                });
            }
            for (0..group) |g| {
                const i = first + g;
                if (!extreme.usual(T, r[g])) {
                    @branchHint(.unlikely);
                    extremeRow(want_dx, has_dsum, p, i);
                    continue;
                }
                const delta = means[g][2] / n;
                const level = means[g][0] / n;
                sweep.each(p.cols, Gradients(want_dx, has_dsum, want_sums){
                    .dx = if (want_dx) p.dx.? + i * p.dx_stride else undefined,
                    .x = p.x + i * p.x_stride,
                    .dy = p.dy + i * p.dy_stride,
                    .dsum = if (has_dsum) p.dsum.? + i * p.dsum_stride else undefined,
                    .mean = all(mean[g]),
                    .r = all(r[g]),
                    .delta = all(delta),
                    .slope = all(means[g][1] / n - delta * level),
                    .level = all(level),
                    .weight = p.weight,
                    .dweight = if (want_sums) p.sums.? else undefined,
                    .dbias = if (want_sums) p.sums.? + p.cols else undefined,
                    .dy_next = p.dy + (i + group) * p.dy_stride,
                });
            }
        }

        fn extremeRow(comptime want_dx: bool, comptime has_dsum: bool, p: *const Backward(T), i: usize) void {
            extreme.differentiate(T, true, &.{
                .dx = if (want_dx) p.dx.? + i * p.dx_stride else null,
                .dweight = p.sums,
                .dbias = if (p.sums) |sums| sums + p.cols else null,
                .dy = p.dy + i * p.dy_stride,
                .dsum = if (has_dsum) p.dsum.? + i * p.dsum_stride else null,
                .x = p.x + i * p.x_stride,
                .weight = p.weight,
                .cols = p.cols,
                .eps = p.eps,
            });
        }

        /// u, u·z and z. It asks for the next row of x, and for the row that is written next: the passes share what waits for memory.
        fn Means(comptime want_dx: bool, comptime has_dsum: bool) type {
            return struct {
                x: [*]const T,
                dy: [*]const T,
                weight: [*]const T,
                mean: T,
                r: T,
                x_next: [*]const T,
                dx: [*]T,
                dsum: [*]const T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [3]V {
                    if (whole) {
                        sweep.ask(T, s.x_next + j, false);
                        if (want_dx) sweep.ask(T, s.dx + j, true);
                        if (has_dsum) sweep.ask(T, s.dsum + j, false);
                    }
                    const z = (sweep.read(T, whole, s.x + j, left, s.mean) - all(s.mean)) * all(s.r);
                    const u = sweep.read(T, whole, s.dy + j, left, 0) * sweep.read(T, whole, s.weight + j, left, 0);
                    return .{ u, u * z, z };
                }
            };
        }

        fn Gradients(comptime want_dx: bool, comptime has_dsum: bool, comptime want_sums: bool) type {
            return struct {
                dx: [*]T,
                x: [*]const T,
                dy: [*]const T,
                dsum: [*]const T,
                mean: V,
                r: V,
                delta: V,
                slope: V,
                level: V,
                weight: [*]const T,
                dweight: [*]T,
                dbias: [*]T,
                /// The row that this one asks for.
                dy_next: [*]const T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    if (whole) sweep.ask(T, s.dy_next + j, false);
                    const dy = sweep.read(T, whole, s.dy + j, left, 0);
                    const x_hat = (sweep.read(T, whole, s.x + j, left, 0) - s.mean) * s.r - s.delta;
                    if (want_sums) {
                        sweep.write(T, whole, s.dweight + j, sweep.read(T, whole, s.dweight + j, left, 0) + dy * x_hat, left);
                        sweep.write(T, whole, s.dbias + j, sweep.read(T, whole, s.dbias + j, left, 0) + dy, left);
                    }
                    if (want_dx) {
                        const weight = sweep.read(T, whole, s.weight + j, left, 0);
                        var dx = s.r * ((dy * weight - s.level) - x_hat * s.slope);
                        if (has_dsum) dx += sweep.read(T, whole, s.dsum + j, left, 0);
                        sweep.write(T, whole, s.dx + j, dx, left);
                    }
                }
            };
        }
    };
}

pub const ukernels = struct {
    pub const layer_norm_f32_rows = Kernels(f32).rows;
    pub const layer_norm_f64_rows = Kernels(f64).rows;
    pub const layer_norm_backward_f32_rows = Kernels(f32).backwardRows;
    pub const layer_norm_backward_f64_rows = Kernels(f64).backwardRows;
};

fn ForwardTask(comptime T: type) type {
    return split.Rows(Forward(T), .{ .kernel = "layer_norm_" ++ @typeName(T) ++ "_rows" }, 2);
}

fn SumTask(comptime T: type) type {
    return split.Rows(Forward(T), .{ .kernel = "layer_norm_" ++ @typeName(T) ++ "_rows" }, 4);
}

fn BackwardTask(comptime T: type) type {
    return struct {
        const Chunked = column_sums.Chunked(T, Backward(T), "layer_norm_backward_" ++ @typeName(T) ++ "_rows", 2);

        chunked: Chunked,

        pub fn isEmpty(self: *const @This()) bool {
            return self.chunked.isEmpty();
        }

        pub fn run(self: @This(), d: *const Device) Error!void {
            return self.chunked.run(d);
        }

        /// Rows, then columns of chunks of rows, which need a number of each row. Where dx takes the place of what the columns still read it comes last,
        /// in a pass of its own.
        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const p = &self.chunked.args;
            const kept: ?Scratch = if (p.stats == null) try .init(d, 2 * p.rows * @sizeOf(T)) else null;
            defer if (kept) |s| s.deinit();
            const stats: [*]const T = p.stats orelse kept.?.ptr(T);
            if (kept) |s| try (ForwardTask(T){ .args = .{
                .out = null,
                .stats = s.ptr(T),
                .sum = null,
                .x = p.x,
                .residual = null,
                .weight = p.weight,
                .bias = null,
                .rows = p.rows,
                .cols = p.cols,
                .out_stride = 0,
                .sum_stride = 0,
                .x_stride = p.x_stride,
                .residual_stride = 0,
                .eps = p.eps,
            } }).dispatch(d);
            var args: GpuRows = .{
                .dx = p.dx,
                .delta = null,
                .dy = p.dy,
                .dsum = p.dsum,
                .x = p.x,
                .weight = p.weight,
                .stats = stats,
                .rows = p.rows,
                .cols = p.cols,
                .dx_stride = p.dx_stride,
                .dy_stride = p.dy_stride,
                .dsum_stride = p.dsum_stride,
                .x_stride = p.x_stride,
            };
            const work = launch.byRow(p.rows, p.cols, 3);
            const name = "layer_norm_backward_f32_rows";
            if (self.chunked.outs[0] == null and self.chunked.outs[1] == null) return launch.launch(d, name, args, work);
            const chunks = fold.gpuChunkCount(p.rows);
            const scratch: Scratch = try .init(d, (2 * chunks * p.cols + p.rows) * @sizeOf(T));
            defer scratch.deinit();
            const sums = scratch.ptr(T);
            const delta = sums + 2 * chunks * p.cols;
            const late = p.dx != null and (p.dx == @as(?[*]const T, p.dy) or p.dx == @as(?[*]const T, p.x));
            args.delta = delta;
            if (late) args.dx = null;
            try launch.launch(d, name, args, work);
            const columns: GpuColumns = .{
                .sums = sums,
                .dy = p.dy,
                .x = p.x,
                .stats = stats,
                .delta = delta,
                .rows = p.rows,
                .cols = p.cols,
                .dy_stride = p.dy_stride,
                .x_stride = p.x_stride,
                .chunk_rows = fold.gpuChunkRows(p.rows),
                .chunks = chunks,
            };
            try launch.launch(d, "layer_norm_backward_f32_columns", columns, launch.byColumn("layer_norm_backward_f32_columns", p.rows, p.cols, chunks));
            if (late) {
                args.dx = p.dx;
                args.delta = null;
                try launch.launch(d, name, args, work);
            }
            for (self.chunked.outs, 0..) |out, i| {
                if (out) |o| try column_sums.dispatchJoin(d, o, sums + i * chunks * p.cols, chunks, p.cols, false);
            }
        }
    };
}

/// What the shader of rows takes: dx, and what a row's deviations lack of a mean of 0, for the columns; null where it is not wanted.
const GpuRows = extern struct {
    dx: ?[*]f32,
    delta: ?[*]f32,
    dy: [*]const f32,
    dsum: ?[*]const f32,
    x: [*]const f32,
    weight: [*]const f32,
    stats: [*]const f32,
    rows: usize,
    cols: usize,
    dx_stride: usize,
    dy_stride: usize,
    dsum_stride: usize,
    x_stride: usize,
};

/// What the shader of columns takes: the sums of each chunk of rows, dweight of all chunks before dbias.
const GpuColumns = extern struct {
    sums: [*]f32,
    dy: [*]const f32,
    x: [*]const f32,
    stats: [*]const f32,
    delta: [*]const f32,
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

fn checkStatistics(t: *const tensor.Tensor, rows: usize) Error!void {
    if (t.fromEnd(0) != 2 or t.count() != 2 * rows) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

fn forward(d: *const Device, out_: u32, stats_: u32, sum_: u32, x_: u32, residual_: u32, weight_: u32, bias_: u32, eps: f64) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.optional(out_, x.dtype);
    const stats = try tensor.optional(stats_, x.dtype);
    const sum = try tensor.optional(sum_, x.dtype);
    const residual = try tensor.optional(residual_, x.dtype);
    const weight = try tensor.typed(weight_, x.dtype);
    const bias = try tensor.optional(bias_, x.dtype);
    if (x.rank == 0) return error.ShapeMismatch;
    if (!(eps >= 0) or (sum == null) != (residual == null)) return error.InvalidArgument;
    const x_rows = try x.rows();
    var out_stride: usize = 0;
    var sum_stride: usize = 0;
    var residual_stride: usize = 0;
    try parameter(weight, x_rows.cols);
    if (bias) |b| try parameter(b, x_rows.cols);
    if (residual) |r| {
        if (!r.sameShape(x)) return error.ShapeMismatch;
        residual_stride = (try r.rows()).stride;
    }
    inline for (.{ out, sum }, .{ &out_stride, &sum_stride }) |written, stride| if (written) |o| {
        if (!o.sameShape(x)) return error.ShapeMismatch;
        stride.* = (try shape.written(o)).stride;
        try tensor.checkInPlace(o, x);
        if (residual) |r| try tensor.checkInPlace(o, r);
        try tensor.checkApart(o, weight);
        if (bias) |b| try tensor.checkApart(o, b);
    };
    if (out != null and sum != null) try tensor.checkApart(out.?, sum.?);
    if (stats) |s| {
        try checkStatistics(s, x_rows.rows);
        for ([_]?*const tensor.Tensor{ out, sum, x, residual, weight, bias }) |other| if (other) |t| try tensor.checkApart(s, t);
    }
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const args: Forward(T) = .{
                .out = if (out) |t| t.ptr(T) else null,
                .stats = if (stats) |s| s.ptr(T) else null,
                .sum = if (sum) |t| t.ptr(T) else null,
                .x = x.ptr(T),
                .residual = if (residual) |t| t.ptr(T) else null,
                .weight = weight.ptr(T),
                .bias = if (bias) |b| b.ptr(T) else null,
                .rows = x_rows.rows,
                .cols = x_rows.cols,
                .out_stride = out_stride,
                .sum_stride = sum_stride,
                .x_stride = x_rows.stride,
                .residual_stride = residual_stride,
                .eps = @floatCast(eps),
            };
            if (residual == null) return d.submit(ForwardTask(T){ .args = args });
            try d.submit(SumTask(T){ .args = args });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, outs: [3]u32, dy_: u32, dsum_: u32, x_: u32, weight_: u32, stats_: u32, eps: f64) Error!void {
    const x = try tensor.get(x_);
    const dx = try tensor.optional(outs[0], x.dtype);
    const dweight = try tensor.optional(outs[1], x.dtype);
    const dbias = try tensor.optional(outs[2], x.dtype);
    const dy = try tensor.typed(dy_, x.dtype);
    const dsum = try tensor.optional(dsum_, x.dtype);
    const weight = try tensor.typed(weight_, x.dtype);
    const stats = try tensor.optional(stats_, x.dtype);
    if (!dy.sameShape(x) or x.rank == 0) return error.ShapeMismatch;
    if (!(eps >= 0)) return error.InvalidArgument;
    if (dsum != null and (!dsum.?.sameShape(x) or dx == null)) return error.ShapeMismatch;
    const x_rows = try x.rows();
    const dy_rows = try dy.rows();
    const dsum_stride = if (dsum) |t| (try t.rows()).stride else 0;
    try parameter(weight, x_rows.cols);
    if (stats) |s| try checkStatistics(s, x_rows.rows);
    var dx_stride: usize = 0;
    if (dx) |out| {
        if (!out.sameShape(x)) return error.ShapeMismatch;
        dx_stride = (try shape.written(out)).stride;
        try tensor.checkInPlace(out, dy);
        try tensor.checkInPlace(out, x);
        if (dsum) |t| try tensor.checkInPlace(out, t);
        try tensor.checkApart(out, weight);
        if (stats) |s| try tensor.checkApart(out, s);
    }
    inline for (.{ dweight, dbias }) |gradient| if (gradient) |out| {
        try parameter(out, x_rows.cols);
        for ([_]?*const tensor.Tensor{ dy, dsum, x, weight, stats }) |in| if (in) |t| try tensor.checkApart(out, t);
        if (dx) |other| try tensor.checkApart(out, other);
    };
    if (dweight != null and dbias != null) try tensor.checkApart(dweight.?, dbias.?);
    if (dx == null and dweight == null and dbias == null) return;
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .chunked = .{
                    .args = .{
                        .dx = if (dx) |t| t.ptr(T) else null,
                        .sums = null,
                        .dy = dy.ptr(T),
                        .dsum = if (dsum) |t| t.ptr(T) else null,
                        .x = x.ptr(T),
                        .weight = weight.ptr(T),
                        .stats = if (stats) |s| s.ptr(T) else null,
                        .rows = x_rows.rows,
                        .cols = x_rows.cols,
                        .dx_stride = dx_stride,
                        .dy_stride = dy_rows.stride,
                        .dsum_stride = dsum_stride,
                        .x_stride = x_rows.stride,
                        .eps = @floatCast(eps),
                    },
                    .outs = .{ if (dweight) |t| t.ptr(T) else null, if (dbias) |t| t.ptr(T) else null },
                    .streams = if (dsum == null) 3 else 4,
                },
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, stats: u32, sum: u32, x: u32, residual: u32, weight: u32, bias: u32, eps: f64) Error!void {
    return forward(try device.get(device_), out, stats, sum, x, residual, weight, bias, eps);
}

fn backwardOn(device_: u32, outs: [3]u32, dy: u32, dsum: u32, x: u32, weight: u32, stats: u32, eps: f64) Error!void {
    return backward(try device.get(device_), outs, dy, dsum, x, weight, stats, eps);
}

pub const entries = struct {
    /// `stats` has a row (μ, r) for each row of `x`. `out`, `stats` and `bias` are 0 where there is none, `sum` and `residual` both or neither. `out` and
    /// `sum` may be `x` or `residual`.
    pub fn layer_norm(device_: u32, out: u32, stats: u32, sum: u32, x: u32, residual: u32, weight: u32, bias: u32, eps: f64) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, stats, sum, x, residual, weight, bias, eps));
    }

    /// `outs` are dx, dweight and dbias, each 0 where it is not wanted. `stats` as `layer_norm` left it, or 0: it is computed anew, with `eps`; `x` is its sum where there was a residual, and
    /// `dsum`, or 0, is added to dx. dx may be `dy`, `dsum` or `x`.
    pub fn layer_norm_backward(device_: u32, outs: [*]const u32, dy: u32, dsum: u32, x: u32, weight: u32, stats: u32, eps: f64) callconv(.c) i32 {
        return status.of(backwardOn(device_, outs[0..3].*, dy, dsum, x, weight, stats, eps));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// Plain loops in f64.
const Reference = struct {
    y: []f64,
    stats: []f64,
    dx: []f64,
    dweight: []f64,
    dbias: []f64,
    /// The largest |dy·weight·r|.
    slope: f64 = 0,

    fn init(x: []const f64, weight: []const f64, bias: ?[]const f64, dy: []const f64, cols: usize, eps: f64) !Reference {
        const a = testing.allocator;
        const rows = if (cols == 0) 0 else x.len / cols;
        var self: Reference = .{
            .y = try a.alloc(f64, x.len),
            .stats = try a.alloc(f64, 2 * rows),
            .dx = try a.alloc(f64, x.len),
            .dweight = try a.alloc(f64, cols),
            .dbias = try a.alloc(f64, cols),
        };
        @memset(self.dweight, 0);
        @memset(self.dbias, 0);
        const n: f64 = @floatFromInt(cols);
        for (0..rows) |i| {
            const row = x[i * cols ..][0..cols];
            const g = dy[i * cols ..][0..cols];
            var mean: f64 = 0;
            for (row) |v| mean += v / n;
            var variance: f64 = 0;
            for (row) |v| variance += (v - mean) * (v - mean) / n;
            const r = 1 / @sqrt(variance + eps);
            self.stats[2 * i] = mean;
            self.stats[2 * i + 1] = r;
            var mean_u: f64 = 0;
            var mean_ux: f64 = 0;
            for (row, g, weight, 0..) |v, dv, w, j| {
                const x_hat = (v - mean) * r;
                self.y[i * cols + j] = x_hat * w + if (bias) |b| b[j] else 0;
                mean_u += dv * w / n;
                self.slope = @max(self.slope, @abs(dv * w * r));
                mean_ux += dv * w * x_hat / n;
                self.dweight[j] += dv * x_hat;
                self.dbias[j] += dv;
            }
            for (row, g, weight, 0..) |v, dv, w, j| self.dx[i * cols + j] = r * (dv * w - mean_u - (v - mean) * r * mean_ux);
        }
        return self;
    }

    fn free(self: Reference) void {
        inline for (.{ self.y, self.stats, self.dx, self.dweight, self.dbias }) |list| testing.allocator.free(list);
    }
};

const eps_usual = 1e-5;

fn compare(comptime T: type, rows: usize, cols: usize, workers: u32, random: std.Random, offset: f64) !void {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(workers);
    const x = try t.normal(T, &.{ rows, cols }, random, 2);
    for (arrays.data(T, x)) |*v| v.* += @floatCast(offset);
    const weight = try t.normal(T, &.{cols}, random, 1);
    const bias = try t.normal(T, &.{cols}, random, 1);
    const dy = try t.normal(T, &.{ rows, cols }, random, 1);
    var wide: [4][]f64 = undefined;
    for (&wide, [_]u32{ x, weight, bias, dy }) |*w, h| w.* = try arrays.widen(T, arrays.data(T, h));
    defer for (wide) |w| testing.allocator.free(w);

    for ([_]bool{ true, false }) |has_bias| {
        const want = try Reference.init(wide[0], wide[1], if (has_bias) wide[2] else null, wide[3], cols, eps_usual);
        defer want.free();
        const y = try t.empty(T, &.{ rows, cols });
        const stats = try t.empty(T, &.{ rows, 2 });
        try forward(&d, y, stats, 0, x, 0, weight, if (has_bias) bias else 0, eps_usual);
        try arrays.expectClose(T, want.y, arrays.data(T, y));
        if (cols > 0) try arrays.expectClose(T, want.stats, arrays.data(T, stats));

        const dx = try t.empty(T, &.{ rows, cols });
        const dweight = try t.empty(T, &.{cols});
        const dbias = try t.empty(T, &.{cols});
        try backward(&d, .{ dx, dweight, if (has_bias) dbias else 0 }, dy, 0, x, weight, stats, eps_usual);
        // dx is what is left of u·r after two projections: nothing but rounding for two columns.
        try arrays.expectScaled(T, want.dx, arrays.data(T, dx), arrays.tolerance(T), want.slope);
        try arrays.expectClose(T, want.dweight, arrays.data(T, dweight));
        if (has_bias) try arrays.expectClose(T, want.dbias, arrays.data(T, dbias));
        // Each result alone is the same bits.
        const alone_stats = try t.empty(T, &.{ rows, 2 });
        try forward(&d, 0, alone_stats, 0, x, 0, weight, 0, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, stats), arrays.data(T, alone_stats));
        const alone = try t.empty(T, &.{ rows, cols });
        const again = [3]u32{ try t.empty(T, &.{ rows, cols }), try t.empty(T, &.{cols}), try t.empty(T, &.{cols}) };
        try backward(&d, again, dy, 0, x, weight, 0, eps_usual);
        for ([_]u32{ dx, dweight }, again[0..2]) |kept, anew| try arrays.expectSameBits(T, arrays.data(T, kept), arrays.data(T, anew));
        if (has_bias) try arrays.expectSameBits(T, arrays.data(T, dbias), arrays.data(T, again[2]));
        try backward(&d, .{ alone, 0, 0 }, dy, 0, x, weight, stats, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, alone));
        const alone_weight = try t.empty(T, &.{cols});
        try backward(&d, .{ 0, alone_weight, 0 }, dy, 0, x, weight, stats, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, dweight), arrays.data(T, alone_weight));
    }
}

test "layer_norm: values and gradients as in f64 at every length, with and without bias" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        for (arrays.lengths) |cols| for ([_]usize{ 0, 1, 6 }) |rows| try compare(T, rows, cols, 1, prng.random(), 0);
        try compare(T, 70, 768, 2, prng.random(), 0.5);
        try compare(T, 333, 33, 3, prng.random(), -3);
    }
}

test "layer_norm: the same bits for any number of workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const rows = 331;
        const cols = 75;
        const x = try t.normal(T, &.{ rows, cols }, prng.random(), 2);
        const weight = try t.normal(T, &.{cols}, prng.random(), 1);
        const bias = try t.normal(T, &.{cols}, prng.random(), 1);
        const dy = try t.normal(T, &.{ rows, cols }, prng.random(), 1);
        var first: [5]u32 = undefined;
        for (1..9) |workers| {
            const d = device.forTest(@intCast(workers));
            const outs = [5]u32{ try t.empty(T, &.{ rows, cols }), try t.empty(T, &.{ rows, 2 }), try t.empty(T, &.{ rows, cols }), try t.empty(T, &.{cols}), try t.empty(T, &.{cols}) };
            try forward(&d, outs[0], outs[1], 0, x, 0, weight, bias, eps_usual);
            try backward(&d, .{ outs[2], outs[3], outs[4] }, dy, 0, x, weight, outs[1], eps_usual);
            if (workers == 1) first = outs;
            for (first, outs) |a, b| try arrays.expectSameBits(T, arrays.data(T, a), arrays.data(T, b));
        }
    }
}

test "layer_norm: large means and constant rows keep their digits" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    {
        const ones = try t.filled(f32, &.{4}, 1);
        const x = try t.from(f32, &.{4}, &.{ 40000, 40001, 40002, 40003 });
        const y = try t.empty(f32, &.{4});
        const stats = try t.empty(f32, &.{2});
        try forward(&d, y, stats, 0, x, 0, ones, 0, eps_usual);
        try arrays.expectWithin(f32, &.{ -1.341635, -0.447212, 0.447212, 1.341635 }, arrays.data(f32, y), 1e-5);
        try arrays.expectWithin(f32, &.{0.8944236}, arrays.data(f32, stats)[1..], 1e-6);
    }
    {
        // A plain two-pass sum in f32 is off by about 6e-3 here.
        const ones = try t.filled(f32, &.{16}, 1);
        const x = try t.empty(f32, &.{16});
        for (arrays.data(f32, x), 0..) |*v, i| v.* = @floatCast(1000 + @as(f64, @floatFromInt(i)) * 0.001);
        const y = try t.empty(f32, &.{16});
        const stats = try t.empty(f32, &.{ 1, 2 });
        try forward(&d, y, stats, 0, x, 0, ones, 0, eps_usual);
        try testing.expectApproxEqAbs(-1.341508, arrays.data(f32, y)[0], 1e-4);
        try testing.expectApproxEqAbs(1.344237, arrays.data(f32, y)[15], 1e-4);
        // dweight for dy = 1 is x̂ itself: the kept mean, rounded to f32, does not move it.
        const dweight = try t.empty(f32, &.{16});
        try backward(&d, .{ 0, dweight, 0 }, ones, 0, x, ones, stats, eps_usual);
        try testing.expectApproxEqAbs(-1.341508, arrays.data(f32, dweight)[0], 1e-4);
        try testing.expectApproxEqAbs(1.344237, arrays.data(f32, dweight)[15], 1e-4);
    }
    {
        const ones = try t.filled(f32, &.{256}, 1);
        const bias = try t.empty(f32, &.{256});
        for (arrays.data(f32, bias), 0..) |*v, i| v.* = @floatFromInt(i);
        const x = try t.filled(f32, &.{256}, 1234);
        const y = try t.empty(f32, &.{256});
        const stats = try t.empty(f32, &.{2});
        try forward(&d, y, stats, 0, x, 0, ones, bias, eps_usual);
        try arrays.expectSameBits(f32, arrays.data(f32, bias), arrays.data(f32, y));
        try testing.expectApproxEqRel(316.2278, arrays.data(f32, stats)[1], 1e-6);
    }
    {
        const ones = try t.filled(f32, &.{4}, 1);
        const x = try t.filled(f32, &.{4}, 1234);
        const y = try t.empty(f32, &.{4});
        const stats = try t.empty(f32, &.{2});
        try forward(&d, y, stats, 0, x, 0, ones, 0, eps_usual);
        const dx = try t.empty(f32, &.{4});
        try backward(&d, .{ dx, 0, 0 }, try t.from(f32, &.{4}, &.{ 1, 2, 3, 4 }), 0, x, ones, stats, eps_usual);
        try arrays.expectWithin(f32, &.{ -474.3416, -158.1139, 158.1139, 474.3416 }, arrays.data(f32, dx), 1e-6);
    }
}

test "layer_norm: views, in place, and nothing written beside the output" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(2);
    for ([_]usize{ 1, 15, 16, 17, 37, 64, 70 }) |cols| {
        const rows = 5;
        const wide = cols + 7;
        const x_base = try t.normal(f32, &.{ rows, wide }, prng.random(), 1);
        const y_base = try t.filled(f32, &.{ rows, wide }, 42);
        const x = try t.view(x_base, 3, &.{ rows, cols }, &.{ wide, 1 });
        const y = try t.view(y_base, 3, &.{ rows, cols }, &.{ wide, 1 });
        const weight = try t.normal(f32, &.{cols}, prng.random(), 1);
        const dense = try t.empty(f32, &.{ rows, cols });
        for (0..rows) |i| @memcpy(arrays.data(f32, dense)[i * cols ..][0..cols], arrays.data(f32, x_base)[i * wide + 3 ..][0..cols]);
        const want = try t.empty(f32, &.{ rows, cols });
        const stats = try t.empty(f32, &.{ rows, 2 });
        try forward(&d, want, stats, 0, dense, 0, weight, 0, eps_usual);
        try forward(&d, y, 0, 0, x, 0, weight, 0, eps_usual);
        for (arrays.data(f32, y_base), 0..) |v, i| {
            const inside = i % wide >= 3 and i % wide < 3 + cols;
            try testing.expectEqual(if (inside) arrays.data(f32, want)[i / wide * cols + i % wide - 3] else 42, v);
        }
        // The gradient in place of dy, then the forward in place of x.
        const dy = try t.normal(f32, &.{ rows, cols }, prng.random(), 1);
        const dx = try t.empty(f32, &.{ rows, cols });
        try backward(&d, .{ dx, 0, 0 }, dy, 0, x, weight, stats, eps_usual);
        try backward(&d, .{ dy, 0, 0 }, dy, 0, x, weight, stats, eps_usual);
        try arrays.expectSameBits(f32, arrays.data(f32, dx), arrays.data(f32, dy));
        try forward(&d, dense, 0, 0, dense, 0, weight, 0, eps_usual);
        try arrays.expectSameBits(f32, arrays.data(f32, want), arrays.data(f32, dense));
        t.free();
    }
}

test "layer_norm: with a residual the same bits as after a sum of its own, in place too, and its gradient joins" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths) |cols| for ([_]bool{ true, false }) |has_bias| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const rows = 70;
        const dims = [_]usize{ rows, cols };
        const x = try t.normal(T, &dims, prng.random(), 2);
        const residual = try t.normal(T, &dims, prng.random(), 1);
        const weight = try t.normal(T, &.{cols}, prng.random(), 1);
        const bias = if (has_bias) try t.normal(T, &.{cols}, prng.random(), 1) else 0;
        const plain = try t.empty(T, &dims);
        for (arrays.data(T, plain), arrays.data(T, x), arrays.data(T, residual)) |*s, a, b| s.* = a + b;
        const want = try t.empty(T, &dims);
        const want_stats = try t.empty(T, &.{ rows, 2 });
        try forward(&d, want, want_stats, 0, plain, 0, weight, bias, eps_usual);
        const y = try t.filled(T, &dims, 42);
        const sum = try t.filled(T, &dims, 42);
        const stats = try t.empty(T, &.{ rows, 2 });
        try forward(&d, y, stats, sum, x, residual, weight, bias, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, want), arrays.data(T, y));
        try arrays.expectSameBits(T, arrays.data(T, plain), arrays.data(T, sum));
        try arrays.expectSameBits(T, arrays.data(T, want_stats), arrays.data(T, stats));

        const dy = try t.normal(T, &dims, prng.random(), 1);
        const dsum = try t.normal(T, &dims, prng.random(), 1);
        const alone = try t.empty(T, &dims);
        const alone_weight = try t.empty(T, &.{cols});
        try backward(&d, .{ alone, alone_weight, 0 }, dy, 0, sum, weight, stats, eps_usual);
        for (arrays.data(T, alone), arrays.data(T, dsum)) |*a, b| a.* += b;
        const dx = try t.empty(T, &dims);
        const dweight = try t.empty(T, &.{cols});
        try backward(&d, .{ dx, dweight, 0 }, dy, dsum, sum, weight, stats, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, alone), arrays.data(T, dx));
        try arrays.expectSameBits(T, arrays.data(T, alone_weight), arrays.data(T, dweight));
        try backward(&d, .{ dsum, 0, 0 }, dy, dsum, sum, weight, stats, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, dsum));

        // The results in place of the operands.
        try forward(&d, x, 0, residual, x, residual, weight, bias, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, want), arrays.data(T, x));
        try arrays.expectSameBits(T, arrays.data(T, plain), arrays.data(T, residual));
        try testing.expectError(error.InvalidArgument, forward(&d, y, 0, 0, x, residual, weight, bias, eps_usual));
        try testing.expectError(error.InvalidArgument, forward(&d, y, 0, sum, x, 0, weight, bias, eps_usual));
        if (cols > 0) try testing.expectError(error.Overlap, forward(&d, y, 0, y, x, residual, weight, bias, eps_usual));
    };
}

test "layer_norm: a NaN stays in its row, forward and in dx" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.from(f32, &.{ 3, 2 }, &.{ 1, 2, std.math.nan(f32), 2, 3, std.math.inf(f32) });
    const ones = try t.filled(f32, &.{2}, 1);
    const y = try t.empty(f32, &.{ 3, 2 });
    const stats = try t.empty(f32, &.{ 3, 2 });
    try forward(&d, y, stats, 0, x, 0, ones, 0, eps_usual);
    const dx = try t.empty(f32, &.{ 3, 2 });
    try backward(&d, .{ dx, 0, 0 }, try t.filled(f32, &.{ 3, 2 }, 1), 0, x, ones, stats, eps_usual);
    for ([_]u32{ y, dx }) |h| {
        for (arrays.data(f32, h)[0..2]) |v| try testing.expect(std.math.isFinite(v));
        for (arrays.data(f32, h)[2..6]) |v| try testing.expect(std.math.isNan(v));
    }
}

test "layer_norm: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    const stats = try t.filled(f32, &.{ 2, 2 }, 42);
    const weight = try t.filled(f32, &.{4}, 1);
    try testing.expectError(error.ShapeMismatch, forward(&d, y, stats, 0, x, 0, try t.filled(f32, &.{3}, 1), 0, eps_usual));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, stats, 0, x, 0, weight, try t.filled(f32, &.{5}, 1), eps_usual));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{ 3, 2 }, 1), 0, x, 0, weight, 0, eps_usual));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, stats, 0, x, 0, try t.filled(f64, &.{4}, 1), 0, eps_usual));
    try testing.expectError(error.InvalidArgument, forward(&d, y, stats, 0, x, 0, weight, 0, -1));
    try testing.expectError(error.InvalidHandle, forward(&d, y, stats, 0, 0, 0, weight, 0, eps_usual));
    const base = try t.filled(f32, &.{12}, 1);
    try testing.expectError(error.Overlap, forward(&d, try t.view(base, 0, &.{ 2, 4 }, &.{ 4, 1 }), 0, 0, try t.view(base, 2, &.{ 2, 4 }, &.{ 4, 1 }), 0, weight, 0, eps_usual));
    try testing.expectError(error.Overlap, forward(&d, try t.view(base, 0, &.{ 2, 4 }, &.{ 0, 1 }), 0, 0, x, 0, weight, 0, eps_usual));
    try testing.expectError(error.Overlap, backward(&d, .{ 0, weight, 0 }, x, 0, x, weight, stats, eps_usual));
    try testing.expectError(error.InvalidArgument, backward(&d, .{ y, 0, 0 }, x, 0, x, weight, 0, -1));
    const integers = try t.filled(u32, &.{ 2, 4 }, 1);
    const integer_weight = try t.filled(u32, &.{4}, 1);
    try testing.expectError(error.Unsupported, forward(&d, integers, 0, 0, integers, 0, integer_weight, 0, eps_usual));
    for ([_]u32{ y, stats }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "layer_norm: kernels read and write nothing past the last element" {
    const isa = @import("../isa/pick.zig");
    const rows = 5;
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = isa.testKernel("layer_norm_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = isa.testKernel("layer_norm_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        for (1..71) |cols| {
            const values: [rows * 70]T = @splat(1);
            const x = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer out.memory.deinit();
            const sum = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer sum.memory.deinit();
            const residual = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer residual.memory.deinit();
            const weight = try arrays.atBorder(T, values[0..cols]);
            defer weight.memory.deinit();
            const stats = try arrays.atBorder(T, values[0 .. 2 * rows]);
            defer stats.memory.deinit();
            const sums = try arrays.atBorder(T, values[0 .. 2 * cols]);
            defer sums.memory.deinit();
            forward_kernel(&.{
                .out = out.items.ptr,
                .stats = stats.items.ptr,
                .sum = sum.items.ptr,
                .residual = residual.items.ptr,
                .x = x.items.ptr,
                .weight = weight.items.ptr,
                .bias = weight.items.ptr,
                .rows = rows,
                .cols = cols,
                .out_stride = cols,
                .sum_stride = cols,
                .x_stride = cols,
                .residual_stride = cols,
                .eps = 1e-5,
            });
            for (out.items) |v| try testing.expectEqual(1, v);
            for ([_]?[*]const T{ stats.items.ptr, null }) |kept| backward_kernel(&.{
                .dx = out.items.ptr,
                .sums = sums.items.ptr,
                .dy = x.items.ptr,
                .dsum = residual.items.ptr,
                .x = x.items.ptr,
                .weight = weight.items.ptr,
                .stats = kept,
                .rows = rows,
                .cols = cols,
                .dx_stride = cols,
                .dy_stride = cols,
                .dsum_stride = cols,
                .x_stride = cols,
                .eps = 1e-5,
            });
            for (sums.items[cols..]) |v| try testing.expectEqual(rows, v);
        }
    }
}

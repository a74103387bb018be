//! Layer norm over the last axis: x̂ = (x − μ)·r with r = (var + eps)^-½, out = x̂·weight + bias.
//!
//! Forward sweeps a row three times, twice from the first-level cache. The first sum gives m, close to the mean. The second sweep sums d = x − m and d²;
//! c = mean(d) is what m lacks of the mean, so var = mean(d²) − c² and x̂ = ((x − m) − c)·r keep their digits when the mean is large against the deviation
//! (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983, corrected two-pass form). The row's (μ, r) are kept as m + c and r.
//!
//! Backward, with u = dy·weight and means over the row: dx = r·(u − mean(u) − x̂·mean(u·x̂)), dweight = Σ_rows dy·x̂, dbias = Σ_rows dy. The kept μ is rounded,
//! which for large means moves all x̂ of a row by one number δ; since mean(x̂) = 0, δ = mean((x − μ)·r) gives it back:
//! with z = (x − μ)·r, x̂ = z − δ and mean(u·x̂) = mean(u·z) − δ·mean(u).
//!
//! The sums over rows go over chunks of rows that depend on the number of rows alone, and the chunks' sums join in their order.

const std = @import("std");
const column_sums = @import("../gemm/columns.zig");
const device = @import("../device.zig");
const memory = @import("../memory.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
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
        /// (μ, r) of each row; null where nobody wants them.
        stats: ?[*]T,
        x: [*]const T,
        weight: [*]const T,
        bias: ?[*]const T,
        rows: usize,
        cols: usize,
        out_stride: usize,
        x_stride: usize,
        eps: T,
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dx: ?[*]T,
        /// Sums of this chunk: dweight, then dbias.
        sums: ?[*]T,
        dy: [*]const T,
        x: [*]const T,
        weight: [*]const T,
        stats: [*]const T,
        rows: usize,
        cols: usize,
        dx_stride: usize,
        dy_stride: usize,
        x_stride: usize,
    };
}

fn Join(comptime T: type) type {
    return extern struct { out: [*]T, parts: [*]const T, count: usize, stride: usize, cols: usize };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        fn rows(p: *const Forward(T)) callconv(.c) void {
            if (p.bias == null) normalize(false, p) else normalize(true, p);
        }

        /// Rows go four at a time, a pass over each before the next pass: what one row waits for, the others fill.
        fn normalize(comptime has_bias: bool, p: *const Forward(T)) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            while (p.rows - i >= 4) : (i += 4) normalizeGroup(4, has_bias, p, i);
            while (i < p.rows) : (i += 1) normalizeGroup(1, has_bias, p, i);
        }

        inline fn normalizeGroup(comptime group: usize, comptime has_bias: bool, p: *const Forward(T), first: usize) void {
            // A row of nothing has mean and variance 0.
            const n: T = @floatFromInt(@max(1, p.cols));
            var m: [group]T = undefined;
            var c: [group]T = undefined;
            var r: [group]T = undefined;
            for (0..group) |g| m[g] = sweep.sums(T, 1, 4, p.cols, Sum{ .x = p.x + (first + g) * p.x_stride })[0] / n;
            for (0..group) |g| {
                const deviations = sweep.sums(T, 2, 2, p.cols, Deviations{ .x = p.x + (first + g) * p.x_stride, .m = m[g] });
                c[g] = deviations[0] / n;
                // Rounding may leave a constant row a variance just below 0; NaN stays NaN.
                const v = deviations[1] / n - c[g] * c[g];
                const variance = if (v < 0) 0 else v;
                r[g] = 1 / @sqrt(variance + p.eps);
            }
            for (0..group) |g| {
                const i = first + g;
                if (p.stats) |stats| {
                    stats[2 * i] = m[g] + c[g];
                    stats[2 * i + 1] = r[g];
                }
                const out = p.out orelse continue;
                sweep.each(p.cols, Normalize(has_bias){
                    .out = out + i * p.out_stride,
                    .x = p.x + i * p.x_stride,
                    .weight = p.weight,
                    .bias = p.bias,
                    .m = all(m[g]),
                    .c = all(c[g]),
                    .r = all(r[g]),
                });
            }
        }

        const Sum = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                return .{sweep.read(T, whole, s.x + j, left, 0)};
            }
        };

        const Deviations = struct {
            x: [*]const T,
            m: T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [2]V {
                // Missing lanes hold m: their deviation is 0.
                const d = sweep.read(T, whole, s.x + j, left, s.m) - all(s.m);
                return .{ d, d * d };
            }
        };

        fn Normalize(comptime has_bias: bool) type {
            return struct {
                out: [*]T,
                x: [*]const T,
                weight: [*]const T,
                bias: ?[*]const T,
                m: V,
                c: V,
                r: V,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
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
                if (p.dx == null) differentiate(false, true, p) else differentiate(true, true, p);
            } else differentiate(true, false, p);
        }

        /// Rows go four at a time where sums over rows are wanted: the sums are loaded and stored once for four.
        fn differentiate(comptime want_dx: bool, comptime want_sums: bool, p: *const Backward(T)) void {
            @setEvalBranchQuota(20_000);
            const group = if (want_sums) 4 else 1;
            var i: usize = 0;
            while (p.rows - i >= group) : (i += group) rowGroup(group, want_dx, want_sums, p, i);
            while (i < p.rows) : (i += 1) rowGroup(1, want_dx, want_sums, p, i);
        }

        inline fn rowGroup(comptime group: usize, comptime want_dx: bool, comptime want_sums: bool, p: *const Backward(T), first: usize) void {
            const n: T = @floatFromInt(@max(1, p.cols));
            var pass: Gradients(group, want_dx, want_sums) = undefined;
            pass.cols = p.cols;
            pass.weight = p.weight;
            if (want_sums) pass.sums = p.sums.?;
            inline for (0..group) |g| {
                const i = first + g;
                const x = p.x + i * p.x_stride;
                const dy = p.dy + i * p.dy_stride;
                const mean = p.stats[2 * i];
                const r = p.stats[2 * i + 1];
                const s = sweep.sums(T, 3, 2, p.cols, Means{ .x = x, .dy = dy, .weight = p.weight, .mean = mean, .r = r });
                const delta = s[2] / n;
                const mean_u = s[0] / n;
                const slope = s[1] / n - delta * mean_u;
                pass.x[g] = x;
                pass.dy[g] = dy;
                pass.mean[g] = mean;
                pass.r[g] = r;
                pass.delta[g] = delta;
                pass.slope[g] = slope;
                pass.level[g] = mean_u;
                if (want_dx) pass.dx[g] = p.dx.? + i * p.dx_stride;
            }
            sweep.each(p.cols, pass);
        }

        /// u, u·z and z.
        const Means = struct {
            x: [*]const T,
            dy: [*]const T,
            weight: [*]const T,
            mean: T,
            r: T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [3]V {
                const z = (sweep.read(T, whole, s.x + j, left, s.mean) - all(s.mean)) * all(s.r);
                const u = sweep.read(T, whole, s.dy + j, left, 0) * sweep.read(T, whole, s.weight + j, left, 0);
                return .{ u, u * z, z };
            }
        };

        fn Gradients(comptime group: usize, comptime want_dx: bool, comptime want_sums: bool) type {
            return struct {
                dx: [group][*]T,
                x: [group][*]const T,
                dy: [group][*]const T,
                mean: [group]T,
                r: [group]T,
                delta: [group]T,
                slope: [group]T,
                level: [group]T,
                weight: [*]const T,
                sums: [*]T,
                cols: usize,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    const weight: V = if (want_dx) sweep.read(T, whole, s.weight + j, left, 0) else undefined;
                    var dweight: V = if (want_sums) sweep.read(T, whole, s.sums + j, left, 0) else undefined;
                    var dbias: V = if (want_sums) sweep.read(T, whole, s.sums + s.cols + j, left, 0) else undefined;
                    inline for (0..group) |g| {
                        const dy = sweep.read(T, whole, s.dy[g] + j, left, 0);
                        const x_hat = (sweep.read(T, whole, s.x[g] + j, left, 0) - all(s.mean[g])) * all(s.r[g]) - all(s.delta[g]);
                        if (want_sums) {
                            dweight += dy * x_hat;
                            dbias += dy;
                        }
                        if (want_dx) {
                            const dx = all(s.r[g]) * ((dy * weight - all(s.level[g])) - x_hat * all(s.slope[g]));
                            sweep.write(T, whole, s.dx[g] + j, dx, left);
                        }
                    }
                    if (want_sums) {
                        sweep.write(T, whole, s.sums + j, dweight, left);
                        sweep.write(T, whole, s.sums + s.cols + j, dbias, left);
                    }
                }
            };
        }

        /// out = Σ of the parts, in their order.
        fn join(p: *const Join(T)) callconv(.c) void {
            sweep.each(p.cols, Parts{ .p = p });
        }

        const Parts = struct {
            p: *const Join(T),

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                var sum = sweep.read(T, whole, s.p.parts + j, left, 0);
                for (1..s.p.count) |i| sum += sweep.read(T, whole, s.p.parts + i * s.p.stride + j, left, 0);
                sweep.write(T, whole, s.p.out + j, sum, left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const layer_norm_f32_rows = Kernels(f32).rows;
    pub const layer_norm_f64_rows = Kernels(f64).rows;
    pub const layer_norm_backward_f32_rows = Kernels(f32).backwardRows;
    pub const layer_norm_backward_f64_rows = Kernels(f64).backwardRows;
    pub const layer_norm_backward_f32_join = Kernels(f32).join;
    pub const layer_norm_backward_f64_join = Kernels(f64).join;
};

fn name(comptime T: type, comptime prefix: []const u8, comptime suffix: []const u8) []const u8 {
    return prefix ++ "_" ++ @typeName(T) ++ "_" ++ suffix;
}

fn ForwardTask(comptime T: type) type {
    return struct {
        args: Forward(T),

        pub fn run(self: @This(), d: *const Device) void {
            const a = self.args;
            const Call = struct {
                args: Forward(T),
                kernel: *const fn (*const Forward(T)) callconv(.c) void,

                fn rows(c: @This(), begin: usize, end: usize) void {
                    var part = c.args;
                    if (part.out) |out| part.out = out + begin * part.out_stride;
                    part.x += begin * part.x_stride;
                    if (part.stats) |s| part.stats = s + 2 * begin;
                    part.rows = end - begin;
                    c.kernel(&part);
                }
            };
            const pass: device.Pass = .{ .kernel = comptime name(T, "layer_norm", "rows") };
            const kernel = d.kernel(fn (*const Forward(T)) callconv(.c) void, pass.kernel.?);
            d.overRange(pass, a.rows, 1, 2 * @sizeOf(T) * a.rows * a.cols, Call{ .args = a, .kernel = kernel }, Call.rows);
        }
    };
}

fn BackwardTask(comptime T: type) type {
    return struct {
        args: Backward(T),
        dweight: ?[*]T,
        dbias: ?[*]T,

        pub fn run(self: @This(), d: *const Device) Error!void {
            var args = self.args;
            // Chunks by the number of rows alone: at least 64 rows each as long as there are at most 256.
            const chunks = column_sums.chunks(args.rows);
            const chunk_rows = column_sums.chunkRows(args.rows);
            const want_sums = self.dweight != null or self.dbias != null;
            const bytes = if (want_sums) chunks * 2 * args.cols * @sizeOf(T) else 0;
            const scratch = if (want_sums) try memory.alloc(bytes) else undefined;
            defer if (want_sums) memory.free(scratch, bytes);
            args.sums = if (want_sums) @ptrCast(scratch) else null;

            const Call = struct {
                args: Backward(T),
                chunk_rows: usize,
                kernel: *const fn (*const Backward(T)) callconv(.c) void,

                fn chunk(c: @This(), begin: usize, end: usize) void {
                    for (begin..end) |q| {
                        var part = c.args;
                        const first = @min(q * c.chunk_rows, part.rows);
                        part.rows = @min(c.chunk_rows, part.rows - first);
                        if (part.dx) |dx| part.dx = dx + first * part.dx_stride;
                        if (part.sums) |s| part.sums = s + q * 2 * part.cols;
                        part.dy += first * part.dy_stride;
                        part.x += first * part.x_stride;
                        part.stats += 2 * first;
                        c.kernel(&part);
                    }
                }
            };
            const pass: device.Pass = .{ .step = "rows", .kernel = comptime name(T, "layer_norm_backward", "rows") };
            const kernel = d.kernel(fn (*const Backward(T)) callconv(.c) void, pass.kernel.?);
            d.overRange(pass, chunks, 1, 3 * @sizeOf(T) * args.rows * args.cols, Call{ .args = args, .chunk_rows = chunk_rows, .kernel = kernel }, Call.chunk);
            if (d.explanation) |e| e.noteScratch(bytes);
            if (!want_sums) return;

            const Close = struct {
                parts: [*]const T,
                count: usize,
                cols: usize,
                outs: [2]?[*]T,
                kernel: *const fn (*const Join(T)) callconv(.c) void,

                fn columns(c: @This(), begin: usize, end: usize) void {
                    for (c.outs, 0..) |out, which| {
                        const o = out orelse continue;
                        c.kernel(&.{ .out = o + begin, .parts = c.parts + which * c.cols + begin, .count = c.count, .stride = 2 * c.cols, .cols = end - begin });
                    }
                }
            };
            const last: device.Pass = .{ .step = "join", .kernel = comptime name(T, "layer_norm_backward", "join") };
            d.overRange(last, args.cols, simd.lanes, bytes, Close{
                .parts = args.sums.?,
                .count = chunks,
                .cols = args.cols,
                .outs = .{ self.dweight, self.dbias },
                .kernel = d.kernel(fn (*const Join(T)) callconv(.c) void, last.kernel.?),
            }, Close.columns);
        }
    };
}

fn parameter(t: *const tensor.Tensor, cols: usize) Error!void {
    if (t.rank != 1 or t.shape_[0] != cols) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

fn statistics(t: *const tensor.Tensor, rows: usize) Error!void {
    if (t.fromEnd(0) != 2 or t.count() != 2 * rows) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

fn forward(d: *const Device, out_: u32, stats_: u32, x_: u32, weight_: u32, bias_: u32, eps: f64) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.optional(out_, x.dtype);
    const stats = try tensor.optional(stats_, x.dtype);
    const weight = try tensor.typed(weight_, x.dtype);
    const bias = try tensor.optional(bias_, x.dtype);
    if (x.rank == 0) return error.ShapeMismatch;
    if (!(eps >= 0)) return error.InvalidArgument;
    const x_rows = try x.rows();
    var out_stride: usize = 0;
    try parameter(weight, x_rows.cols);
    if (bias) |b| try parameter(b, x_rows.cols);
    if (out) |o| {
        if (!o.sameShape(x)) return error.ShapeMismatch;
        out_stride = (try shape.written(o)).stride;
        try tensor.checkInPlace(o, x);
        try tensor.checkApart(o, weight);
        if (bias) |b| try tensor.checkApart(o, b);
    }
    if (stats) |s| {
        try statistics(s, x_rows.rows);
        for ([_]?*const tensor.Tensor{ out, x, weight, bias }) |other| if (other) |t| try tensor.checkApart(s, t);
    }
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .args = .{
                .out = if (out) |t| t.ptr(T) else null,
                .stats = if (stats) |s| s.ptr(T) else null,
                .x = x.ptr(T),
                .weight = weight.ptr(T),
                .bias = if (bias) |b| b.ptr(T) else null,
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

fn backward(d: *const Device, dx_: u32, dweight_: u32, dbias_: u32, dy_: u32, x_: u32, weight_: u32, stats_: u32) Error!void {
    const x = try tensor.get(x_);
    const dx = try tensor.optional(dx_, x.dtype);
    const dweight = try tensor.optional(dweight_, x.dtype);
    const dbias = try tensor.optional(dbias_, x.dtype);
    const dy = try tensor.typed(dy_, x.dtype);
    const weight = try tensor.typed(weight_, x.dtype);
    const stats = try tensor.typed(stats_, x.dtype);
    if (!dy.sameShape(x) or x.rank == 0) return error.ShapeMismatch;
    const x_rows = try x.rows();
    const dy_rows = try dy.rows();
    try parameter(weight, x_rows.cols);
    try statistics(stats, x_rows.rows);
    var dx_stride: usize = 0;
    if (dx) |out| {
        if (!out.sameShape(x)) return error.ShapeMismatch;
        dx_stride = (try shape.written(out)).stride;
        try tensor.checkInPlace(out, dy);
        try tensor.checkInPlace(out, x);
        try tensor.checkApart(out, weight);
        try tensor.checkApart(out, stats);
    }
    inline for (.{ dweight, dbias }) |gradient| if (gradient) |out| {
        try parameter(out, x_rows.cols);
        for ([_]*const tensor.Tensor{ dy, x, weight, stats }) |t| try tensor.checkApart(out, t);
        if (dx) |other| try tensor.checkApart(out, other);
    };
    if (dweight != null and dbias != null) try tensor.checkApart(dweight.?, dbias.?);
    if (dx == null and dweight == null and dbias == null) return;
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .args = .{
                    .dx = if (dx) |t| t.ptr(T) else null,
                    .sums = null,
                    .dy = dy.ptr(T),
                    .x = x.ptr(T),
                    .weight = weight.ptr(T),
                    .stats = stats.ptr(T),
                    .rows = x_rows.rows,
                    .cols = x_rows.cols,
                    .dx_stride = dx_stride,
                    .dy_stride = dy_rows.stride,
                    .x_stride = x_rows.stride,
                },
                .dweight = if (dweight) |t| t.ptr(T) else null,
                .dbias = if (dbias) |t| t.ptr(T) else null,
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, out: u32, stats: u32, x: u32, weight: u32, bias: u32, eps: f64) Error!void {
    return forward(try device.get(device_), out, stats, x, weight, bias, eps);
}

fn backwardOn(device_: u32, dx: u32, dweight: u32, dbias: u32, dy: u32, x: u32, weight: u32, stats: u32) Error!void {
    return backward(try device.get(device_), dx, dweight, dbias, dy, x, weight, stats);
}

pub const entries = struct {
    /// `stats` has a row (μ, r) for each row of `x`. `out`, `stats` and `bias` are 0 where there is none. `out` may be `x`.
    pub fn layer_norm(device_: u32, out: u32, stats: u32, x: u32, weight: u32, bias: u32, eps: f64) callconv(.c) i32 {
        return status.of(forwardOn(device_, out, stats, x, weight, bias, eps));
    }

    /// `stats` as `layer_norm` left it. `dx`, `dweight` and `dbias` are 0 where they are not wanted; `dx` may be `dy` or `x`.
    pub fn layer_norm_backward(device_: u32, dx: u32, dweight: u32, dbias: u32, dy: u32, x: u32, weight: u32, stats: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dx, dweight, dbias, dy, x, weight, stats));
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
        try forward(&d, y, stats, x, weight, if (has_bias) bias else 0, eps_usual);
        try arrays.expectClose(T, want.y, arrays.data(T, y));
        if (cols > 0) try arrays.expectClose(T, want.stats, arrays.data(T, stats));

        const dx = try t.empty(T, &.{ rows, cols });
        const dweight = try t.empty(T, &.{cols});
        const dbias = try t.empty(T, &.{cols});
        try backward(&d, dx, dweight, if (has_bias) dbias else 0, dy, x, weight, stats);
        // dx is what is left of u·r after two projections: nothing but rounding for two columns.
        try arrays.expectScaled(T, want.dx, arrays.data(T, dx), arrays.tolerance(T), want.slope);
        try arrays.expectClose(T, want.dweight, arrays.data(T, dweight));
        if (has_bias) try arrays.expectClose(T, want.dbias, arrays.data(T, dbias));
        // Each result alone is the same bits.
        const alone_stats = try t.empty(T, &.{ rows, 2 });
        try forward(&d, 0, alone_stats, x, weight, 0, eps_usual);
        try arrays.expectSameBits(T, arrays.data(T, stats), arrays.data(T, alone_stats));
        const alone = try t.empty(T, &.{ rows, cols });
        try backward(&d, alone, 0, 0, dy, x, weight, stats);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, alone));
        const alone_weight = try t.empty(T, &.{cols});
        try backward(&d, 0, alone_weight, 0, dy, x, weight, stats);
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
            try forward(&d, outs[0], outs[1], x, weight, bias, eps_usual);
            try backward(&d, outs[2], outs[3], outs[4], dy, x, weight, outs[1]);
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
        try forward(&d, y, stats, x, ones, 0, eps_usual);
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
        try forward(&d, y, stats, x, ones, 0, eps_usual);
        try testing.expectApproxEqAbs(-1.341508, arrays.data(f32, y)[0], 1e-4);
        try testing.expectApproxEqAbs(1.344237, arrays.data(f32, y)[15], 1e-4);
        // dweight for dy = 1 is x̂ itself: the kept mean, rounded to f32, does not move it.
        const dweight = try t.empty(f32, &.{16});
        try backward(&d, 0, dweight, 0, ones, x, ones, stats);
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
        try forward(&d, y, stats, x, ones, bias, eps_usual);
        try arrays.expectSameBits(f32, arrays.data(f32, bias), arrays.data(f32, y));
        try testing.expectApproxEqRel(316.2278, arrays.data(f32, stats)[1], 1e-6);
    }
    {
        const ones = try t.filled(f32, &.{4}, 1);
        const x = try t.filled(f32, &.{4}, 1234);
        const y = try t.empty(f32, &.{4});
        const stats = try t.empty(f32, &.{2});
        try forward(&d, y, stats, x, ones, 0, eps_usual);
        const dx = try t.empty(f32, &.{4});
        try backward(&d, dx, 0, 0, try t.from(f32, &.{4}, &.{ 1, 2, 3, 4 }), x, ones, stats);
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
        try forward(&d, want, stats, dense, weight, 0, eps_usual);
        try forward(&d, y, 0, x, weight, 0, eps_usual);
        for (arrays.data(f32, y_base), 0..) |v, i| {
            const inside = i % wide >= 3 and i % wide < 3 + cols;
            try testing.expectEqual(if (inside) arrays.data(f32, want)[i / wide * cols + i % wide - 3] else 42, v);
        }
        // The gradient in place of dy, then the forward in place of x.
        const dy = try t.normal(f32, &.{ rows, cols }, prng.random(), 1);
        const dx = try t.empty(f32, &.{ rows, cols });
        try backward(&d, dx, 0, 0, dy, x, weight, stats);
        try backward(&d, dy, 0, 0, dy, x, weight, stats);
        try arrays.expectSameBits(f32, arrays.data(f32, dx), arrays.data(f32, dy));
        try forward(&d, dense, 0, dense, weight, 0, eps_usual);
        try arrays.expectSameBits(f32, arrays.data(f32, want), arrays.data(f32, dense));
        t.free();
    }
}

test "layer_norm: a NaN stays in its row, forward and in dx" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.from(f32, &.{ 3, 2 }, &.{ 1, 2, std.math.nan(f32), 2, 3, std.math.inf(f32) });
    const ones = try t.filled(f32, &.{2}, 1);
    const y = try t.empty(f32, &.{ 3, 2 });
    const stats = try t.empty(f32, &.{ 3, 2 });
    try forward(&d, y, stats, x, ones, 0, eps_usual);
    const dx = try t.empty(f32, &.{ 3, 2 });
    try backward(&d, dx, 0, 0, try t.filled(f32, &.{ 3, 2 }, 1), x, ones, stats);
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
    try testing.expectError(error.ShapeMismatch, forward(&d, y, stats, x, try t.filled(f32, &.{3}, 1), 0, eps_usual));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, stats, x, weight, try t.filled(f32, &.{5}, 1), eps_usual));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{ 3, 2 }, 1), x, weight, 0, eps_usual));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, stats, x, try t.filled(f64, &.{4}, 1), 0, eps_usual));
    try testing.expectError(error.InvalidArgument, forward(&d, y, stats, x, weight, 0, -1));
    try testing.expectError(error.InvalidHandle, forward(&d, y, stats, 0, weight, 0, eps_usual));
    const base = try t.filled(f32, &.{12}, 1);
    try testing.expectError(error.Overlap, forward(&d, try t.view(base, 0, &.{ 2, 4 }, &.{ 4, 1 }), 0, try t.view(base, 2, &.{ 2, 4 }, &.{ 4, 1 }), weight, 0, eps_usual));
    try testing.expectError(error.Overlap, forward(&d, try t.view(base, 0, &.{ 2, 4 }, &.{ 0, 1 }), 0, x, weight, 0, eps_usual));
    try testing.expectError(error.Overlap, backward(&d, 0, weight, 0, x, x, weight, stats));
    const integers = try t.filled(u32, &.{ 2, 4 }, 1);
    const integer_weight = try t.filled(u32, &.{4}, 1);
    try testing.expectError(error.Unsupported, forward(&d, integers, 0, integers, integer_weight, 0, eps_usual));
    for ([_]u32{ y, stats }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "layer_norm: kernels read and write nothing past the last element" {
    const isa = @import("../isa/pick.zig");
    const rows = 5;
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = isa.testKernel(name(T, "layer_norm", "rows"), fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = isa.testKernel(name(T, "layer_norm_backward", "rows"), fn (*const Backward(T)) callconv(.c) void);
        for (1..71) |cols| {
            const values: [rows * 70]T = @splat(1);
            const x = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer out.memory.deinit();
            const weight = try arrays.atBorder(T, values[0..cols]);
            defer weight.memory.deinit();
            const stats = try arrays.atBorder(T, values[0 .. 2 * rows]);
            defer stats.memory.deinit();
            const sums = try arrays.atBorder(T, values[0 .. 2 * cols]);
            defer sums.memory.deinit();
            forward_kernel(&.{
                .out = out.items.ptr,
                .stats = stats.items.ptr,
                .x = x.items.ptr,
                .weight = weight.items.ptr,
                .bias = weight.items.ptr,
                .rows = rows,
                .cols = cols,
                .out_stride = cols,
                .x_stride = cols,
                .eps = 1e-5,
            });
            for (out.items) |v| try testing.expectEqual(1, v);
            backward_kernel(&.{
                .dx = out.items.ptr,
                .sums = sums.items.ptr,
                .dy = x.items.ptr,
                .x = x.items.ptr,
                .weight = weight.items.ptr,
                .stats = stats.items.ptr,
                .rows = rows,
                .cols = cols,
                .dx_stride = cols,
                .dy_stride = cols,
                .x_stride = cols,
            });
            for (sums.items[cols..]) |v| try testing.expectEqual(rows, v);
        }
    }
}

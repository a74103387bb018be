//! Rows that a norm divides by a deviation so large or small that its square leaves the range of T. They are found by what the usual way makes of them, a
//! reciprocal deviation far from 1 that may be 0, infinite or NaN, and are taken anew here, one at a time: in f64, where squares of f32 fit; rows of f64 scaled by a
//! power of two. Deviations are those from the row's first element, so that a row of one value, however large, has none.

const std = @import("std");

/// Whether a row's reciprocal deviation is one that the usual way finds right. NaN is not.
pub inline fn usual(comptime T: type, r: T) bool {
    const bound: T = if (T == f32) 0x1p50 else 0x1p450;
    return r >= 1 / bound and r <= bound;
}

/// A row as f64: x̂ = ((x·scale − first) − mean)·factor. Without `centred` nothing is subtracted.
fn Row(comptime T: type, comptime centred: bool) type {
    return struct {
        const Self = @This();

        scale: f64 = 1,
        first: f64 = 0,
        mean: f64 = 0,
        factor: f64 = undefined,
        /// The reciprocal deviation of the row itself.
        r: f64 = undefined,

        fn of(x: []const T, eps: f64) Self {
            var row: Self = .{};
            if (T == f64) row.scale = scaleOf(x, eps);
            const n: f64 = @floatFromInt(@max(1, x.len));
            if (centred and x.len > 0) {
                row.first = x[0] * row.scale;
                var sum: f64 = 0;
                for (x) |v| sum += v * row.scale - row.first;
                row.mean = sum / n;
            }
            var squares: f64 = 0;
            for (x) |v| squares += row.deviation(v) * row.deviation(v);
            const root = @sqrt(squares / n + eps * row.scale * row.scale);
            row.factor = 1 / root;
            row.r = row.factor * row.scale;
            if (root == 0 and eps > 0) {
                // Nothing deviates, and the scaled eps has vanished.
                row.factor = 0;
                row.r = 1 / @sqrt(eps);
            }
            return row;
        }

        /// A power of two that brings the largest element, or the root of eps, near to 1. What is not finite stays so with any.
        fn scaleOf(x: []const T, eps: f64) f64 {
            var largest = @sqrt(eps);
            for (x) |v| if (@abs(v) > largest) {
                largest = @abs(v);
            };
            if (largest == 0 or !std.math.isFinite(largest)) return 1;
            return std.math.ldexp(@as(f64, 1), std.math.clamp(-std.math.frexp(largest).exponent, -1000, 1000));
        }

        fn deviation(row: *const Self, x: f64) f64 {
            return if (centred) (x * row.scale - row.first) - row.mean else x * row.scale;
        }

        fn hat(row: *const Self, x: T) f64 {
            return row.deviation(x) * row.factor;
        }
    };
}

pub fn Forward(comptime T: type) type {
    return struct {
        out: ?[*]T,
        /// The row's (μ, r), or r alone where nothing is centred.
        stats: ?[*]T,
        x: [*]const T,
        weight: [*]const T,
        bias: ?[*]const T,
        cols: usize,
        eps: T,
    };
}

pub noinline fn normalize(comptime T: type, comptime centred: bool, p: *const Forward(T)) void {
    const row: Row(T, centred) = .of(p.x[0..p.cols], p.eps);
    if (p.stats) |stats| {
        if (centred) stats[0] = @floatCast((row.first + row.mean) / row.scale);
        stats[if (centred) 1 else 0] = @floatCast(row.r);
    }
    const out = p.out orelse return;
    for (0..p.cols) |j| {
        const y = @as(T, @floatCast(row.hat(p.x[j]))) * p.weight[j];
        out[j] = if (p.bias) |bias| y + bias[j] else y;
    }
}

pub fn Backward(comptime T: type) type {
    return struct {
        dx: ?[*]T,
        /// What the row is added to: dy·x̂, and dy.
        dweight: ?[*]T,
        dbias: ?[*]T,
        dy: [*]const T,
        /// What is added to dx.
        dsum: ?[*]const T,
        x: [*]const T,
        weight: [*]const T,
        cols: usize,
        eps: T,
    };
}

/// dx = r·(u − mean(u) − x̂·mean(u·x̂)) with u = dy·weight, the first mean only if `centred`.
pub noinline fn differentiate(comptime T: type, comptime centred: bool, p: *const Backward(T)) void {
    const row: Row(T, centred) = .of(p.x[0..p.cols], p.eps);
    var level: f64 = 0;
    var slope: f64 = 0;
    for (0..p.cols) |j| {
        const u = @as(f64, p.dy[j]) * p.weight[j];
        if (centred) level += u;
        slope += u * row.hat(p.x[j]);
    }
    const n: f64 = @floatFromInt(@max(1, p.cols));
    for (0..p.cols) |j| {
        const hat = row.hat(p.x[j]);
        const dy = p.dy[j];
        if (p.dweight) |dweight| dweight[j] += dy * @as(T, @floatCast(hat));
        if (p.dbias) |dbias| dbias[j] += dy;
        const dx = p.dx orelse continue;
        const change: T = @floatCast(row.r * ((@as(f64, dy) * p.weight[j] - level / n) - hat * (slope / n)));
        dx[j] = if (p.dsum) |dsum| change + dsum[j] else change;
    }
}

//! The router of a mixture of experts: for each row of logits the k experts with the largest ones, in falling order, and the weights of their
//! answers.
//!
//! Equal logits go to the lower index. NaN counts as larger than any number: it is chosen, and its weight shows it. The order is that of the logits,
//! not of the scores, which may be equal by rounding alone.
//!
//! Scores are softmax over all experts, or the logistic function of each. Weights are the scores of the chosen, divided by their sum where they are
//! normalized. For softmax these are the softmax of the chosen logits alone, since the sum over all experts cancels: they are computed so, and can be
//! neither 0/0 nor lose digits. A softmax row of nothing but −Inf has weights of zero, one with NaN or +Inf of NaN; normalized logistic scores that
//! are all zero remain so.
//!
//! Backward, with i_s the chosen, w their weights, f_s = 1 for softmax and 1 − σ(x) for the logistic function, and c = Σ_s dw_s·w_s, or 0 for plain
//! logistic scores: dx[i_s] = w_s·f_s·(dw_s − c); the others have 0, or −p·c for plain softmax, where p is their own probability.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const Labels = @import("../row/labels.zig").Labels;
const math = @import("../isa/math.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const split = @import("../row/split.zig");
const Softmax = @import("../row/exponentials.zig").Softmax;
const status = @import("../status.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

/// Bits of `flags`.
const logistic = 1;
const normalized = 2;

fn Forward(comptime T: type) type {
    return extern struct {
        /// `k` of each row, and their weights.
        indices: [*]u32,
        weights: [*]T,
        logits: [*]const T,
        rows: usize,
        experts: usize,
        k: usize,
        indices_stride: usize,
        weights_stride: usize,
        logits_stride: usize,
        flags: u32,
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dlogits: [*]T,
        dweights: [*]const T,
        logits: [*]const T,
        indices: [*]const u32,
        weights: [*]const T,
        rows: usize,
        experts: usize,
        k: usize,
        dlogits_stride: usize,
        dweights_stride: usize,
        logits_stride: usize,
        indices_stride: usize,
        weights_stride: usize,
        flags: u32,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        fn forward(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const x = p.logits + i * p.logits_stride;
                const weights = p.weights + i * p.weights_stride;
                choose(x, p.experts, p.k, p.indices + i * p.indices_stride, weights);
                if (p.flags & logistic == 0) {
                    // The largest comes first.
                    const s: Softmax(T) = if (p.flags & normalized != 0) .withMaximum(weights, p.k, weights[0]) else .withMaximum(x, p.experts, weights[0]);
                    var chosen = s;
                    chosen.x = weights;
                    sweep.each(p.k, Store(Softmax(T)){ .out = weights, .from = chosen });
                } else {
                    sweep.each(p.k, Store(Sigmoid){ .out = weights, .from = .{ .x = weights } });
                    if (p.flags & normalized == 0) continue;
                    const sum = sweep.sums(T, 1, 1, p.k, Elements{ .x = weights })[0];
                    // The reciprocal of a tiny sum would be infinite.
                    if (sum != 0) sweep.each(p.k, Store(Quotient){ .out = weights, .from = .{ .x = weights, .divisor = @splat(sum) } });
                }
            }
        }

        const I = @Int(.signed, @bitSizeOf(T));
        const Keys = @Vector(simd.lanes, I);
        const none = std.math.minInt(I);

        /// The `k` largest of `n` elements in falling order, and where they were found. Each slot takes one look over the row, 16 elements at a time,
        /// for the largest of what comes after the last one: 0.12 µs a row for 4 of 64 experts with AVX-512, where insertion into a sorted list,
        /// which the processor cannot foresee, took 1.6.
        inline fn choose(x: [*]const T, n: usize, k: usize, indices: [*]u32, best: [*]T) void {
            var last: Place = .{ .key = std.math.maxInt(I), .rank = 1 };
            for (0..k) |s| {
                var look: Look = .{ .last = last };
                var j: usize = 0;
                while (n - j >= simd.lanes) : (j += simd.lanes) look.at(keys(simd.load(T, x + j)), j);
                if (j < n) {
                    const count: Keys = @splat(@intCast(n - j));
                    const nothing: Keys = @splat(none);
                    look.at(@select(I, iota < count, keys(simd.loadPartial(T, x + j, n - j, 0)), nothing), j);
                }
                last = look.largest();
                const e: usize = @intCast(-last.rank);
                indices[s] = @intCast(e);
                best[s] = x[e];
            }
        }

        const iota = std.simd.iota(I, simd.lanes);

        /// Integers in the order of the elements, both zeros the same and NaN above all; `none` is below them.
        inline fn keys(x: V) Keys {
            const zero: V = @splat(0);
            const top: Keys = @splat(std.math.maxInt(I));
            // −0 + 0 is +0.
            const bits: Keys = @bitCast(x + zero);
            const sign = bits >> @splat(@bitSizeOf(T) - 1);
            return @select(I, x == x, bits ^ (sign & top), top);
        }

        /// Where an element stands: larger keys first, of equal ones the larger rank, which is the negated index.
        const Place = struct { key: I, rank: I };

        /// The first place of each lane that comes after `last`.
        const Look = struct {
            last: Place,
            key: Keys = @splat(none),
            rank: Keys = @splat(0),

            inline fn at(s: *Look, key: Keys, j: usize) void {
                const first: Keys = @splat(-@as(I, @intCast(j)));
                const rank = first - iota;
                const last_key: Keys = @splat(s.last.key);
                const last_rank: Keys = @splat(s.last.rank);
                const after = (key < last_key) | ((key == last_key) & (rank < last_rank));
                const better = after & (key > s.key);
                s.key = @select(I, better, key, s.key);
                s.rank = @select(I, better, rank, s.rank);
            }

            inline fn largest(s: Look) Place {
                const key = simd.maxTree(s.key);
                const all_keys: Keys = @splat(key);
                const lowest: Keys = @splat(none);
                return .{ .key = key, .rank = simd.maxTree(@select(I, s.key == all_keys, s.rank, lowest)) };
            }
        };

        fn backward(p: *const Backward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            const plain = p.flags & normalized == 0;
            for (0..p.rows) |i| {
                const x = p.logits + i * p.logits_stride;
                const out = p.dlogits + i * p.dlogits_stride;
                const dweights = p.dweights + i * p.dweights_stride;
                const weights = p.weights + i * p.weights_stride;
                const indices = p.indices + i * p.indices_stride;
                const c: T = if (plain and p.flags & logistic != 0) 0 else sweep.sums(T, 1, 1, p.k, Products{ .a = dweights, .b = weights })[0];
                if (plain and p.flags & logistic == 0) {
                    sweep.each(p.experts, Store(Scaled){ .out = out, .from = .{ .p = .of(x, p.experts), .c = @splat(-c) } });
                } else @memset(out[0..p.experts], 0);
                var first: usize = 0;
                while (first < p.k) : (first += simd.lanes) {
                    const group = @min(simd.lanes, p.k - first);
                    var chosen: [simd.lanes]T = @splat(0);
                    for (indices[first .. first + group], chosen[0..group]) |e, *v| v.* = x[e];
                    const factor: V = if (p.flags & logistic != 0) math.sigmoid(-@as(V, chosen)) else @splat(1);
                    const w = if (group == simd.lanes) simd.load(T, weights + first) else simd.loadPartial(T, weights + first, group, 0);
                    const dw = if (group == simd.lanes) simd.load(T, dweights + first) else simd.loadPartial(T, dweights + first, group, 0);
                    const dx: [simd.lanes]T = w * factor * (dw - @as(V, @splat(c)));
                    for (indices[first .. first + group], dx[0..group]) |e, v| out[e] = v;
                }
            }
        }

        fn Store(comptime From: type) type {
            return struct {
                out: [*]T,
                from: From,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    sweep.write(T, whole, s.out + j, s.from.at(whole, j, left), left);
                }
            };
        }

        const Sigmoid = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) V {
                return math.sigmoid(sweep.read(T, whole, s.x + j, left, 0));
            }
        };

        const Quotient = struct {
            x: [*]const T,
            divisor: V,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) V {
                return sweep.read(T, whole, s.x + j, left, 0) / s.divisor;
            }
        };

        const Scaled = struct {
            p: Softmax(T),
            c: V,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) V {
                return s.p.at(whole, j, left) * s.c;
            }
        };

        const Elements = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                return .{sweep.read(T, whole, s.x + j, left, 0)};
            }
        };

        const Products = struct {
            a: [*]const T,
            b: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                return .{sweep.read(T, whole, s.a + j, left, 0) * sweep.read(T, whole, s.b + j, left, 0)};
            }
        };
    };
}

pub const ukernels = struct {
    pub const route_f32_rows = Kernels(f32).forward;
    pub const route_f64_rows = Kernels(f64).forward;
    pub const route_backward_f32_rows = Kernels(f32).backward;
    pub const route_backward_f64_rows = Kernels(f64).backward;
};

/// A row takes some 50 ns for 2 of 4 experts and 120 for 4 of 64, in which a copy moves one kilobyte and three.
const choose_weight = 8;

fn ForwardTask(comptime T: type) type {
    return struct {
        args: Forward(T),

        const name = "route_" ++ @typeName(T) ++ "_rows";

        pub fn run(self: @This(), d: *const Device) void {
            const a = self.args;
            const bytes = a.rows * (@sizeOf(T) * (a.experts + a.k) + @sizeOf(u32) * a.k);
            split.overRows(d, .{ .kernel = name, .weight = choose_weight }, a, 1, bytes);
        }

        const Args = extern struct {
            indices: [*]u32,
            weights: [*]f32,
            logits: [*]const f32,
            rows: usize,
            experts: usize,
            k: usize,
            logits_stride: usize,
            flags: u32,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = self.args;
            // A pass and a tree for each expert that is chosen.
            var work = launch.byTeam(name, a.rows, a.experts, a.k + 3);
            work.rounds +|= 9 *| a.k;
            work.cost *= 1 + a.k;
            try launch.launch(d, name, Args{
                .indices = a.indices,
                .weights = a.weights,
                .logits = a.logits,
                .rows = a.rows,
                .experts = a.experts,
                .k = a.k,
                .logits_stride = a.logits_stride,
                .flags = a.flags,
                .across = launch.across(name, a.experts),
            }, work);
        }
    };
}

fn BackwardTask(comptime T: type) type {
    return struct {
        args: Backward(T),

        const name = "route_backward_" ++ @typeName(T) ++ "_rows";

        pub fn run(self: @This(), d: *const Device) void {
            const a = self.args;
            const bytes = a.rows * (2 * @sizeOf(T) * (a.experts + a.k) + @sizeOf(u32) * a.k);
            split.overRows(d, .{ .kernel = name }, a, 1, bytes);
        }

        const Args = extern struct {
            dlogits: [*]f32,
            dweights: [*]const f32,
            logits: [*]const f32,
            indices: [*]const u32,
            weights: [*]const f32,
            rows: usize,
            experts: usize,
            k: usize,
            dlogits_stride: usize,
            logits_stride: usize,
            flags: u32,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = self.args;
            var work = launch.byTeam(name, a.rows, a.experts, 3);
            work.rounds +|= 2 *| a.k;
            work.cost += a.rows * a.k;
            try launch.launch(d, name, Args{
                .dlogits = a.dlogits,
                .dweights = a.dweights,
                .logits = a.logits,
                .indices = a.indices,
                .weights = a.weights,
                .rows = a.rows,
                .experts = a.experts,
                .k = a.k,
                .dlogits_stride = a.dlogits_stride,
                .logits_stride = a.logits_stride,
                .flags = a.flags,
                .across = launch.across(name, a.experts),
            }, work);
        }
    };
}

/// Checks [rows, k] against logits [rows, experts], 1 ≤ k ≤ experts.
fn match(logits: *const tensor.Tensor, chosen: *const tensor.Tensor) Error!void {
    if (logits.rank != 2 or chosen.rank != 2 or chosen.shape_[0] != logits.shape_[0]) return error.ShapeMismatch;
    if (chosen.shape_[1] < 1 or chosen.shape_[1] > logits.shape_[1]) return error.ShapeMismatch;
    // Ranks are i32 beside keys of f32.
    if (logits.shape_[1] > std.math.maxInt(i32)) return error.Unsupported;
}

fn forward(d: *const Device, indices_: u32, weights_: u32, logits_: u32, flags: u32) Error!void {
    const logits = try tensor.get(logits_);
    const indices = try tensor.typed(indices_, .u32);
    const weights = try tensor.typed(weights_, logits.dtype);
    if (flags >> 2 != 0) return error.InvalidArgument;
    try match(logits, indices);
    if (!weights.sameShape(indices)) return error.ShapeMismatch;
    if (!indices.contiguous() or !weights.contiguous()) return error.LayoutMismatch;
    const rows = try logits.rows();
    for ([_]*const tensor.Tensor{ indices, weights }) |out| try tensor.checkApart(out, logits);
    try tensor.checkApart(indices, weights);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .args = .{
                .indices = indices.ptr(u32),
                .weights = weights.ptr(T),
                .logits = logits.ptr(T),
                .rows = rows.rows,
                .experts = rows.cols,
                .k = indices.shape_[1],
                .indices_stride = indices.shape_[1],
                .weights_stride = indices.shape_[1],
                .logits_stride = rows.stride,
                .flags = flags,
            } });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dlogits_: u32, dweights_: u32, logits_: u32, indices_: u32, weights_: u32, flags: u32) Error!void {
    const logits = try tensor.get(logits_);
    const dlogits = try tensor.typed(dlogits_, logits.dtype);
    const dweights = try tensor.typed(dweights_, logits.dtype);
    const weights = try tensor.typed(weights_, logits.dtype);
    const indices = try tensor.typed(indices_, .u32);
    const labels = try Labels.of(indices);
    if (flags >> 2 != 0) return error.InvalidArgument;
    try match(logits, indices);
    if (!dlogits.sameShape(logits) or !weights.sameShape(indices) or !dweights.sameShape(indices)) return error.ShapeMismatch;
    if (!weights.contiguous() or !dweights.contiguous()) return error.LayoutMismatch;
    const rows = try logits.rows();
    const dlogits_rows = try shape.written(dlogits);
    for ([_]*const tensor.Tensor{ dweights, logits, indices, weights }) |in| try tensor.checkApart(dlogits, in);
    _ = try labels.checkOn(d, rows.cols, null);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){ .args = .{
                .dlogits = dlogits.ptr(T),
                .dweights = dweights.ptr(T),
                .logits = logits.ptr(T),
                .indices = labels.bits.ptr,
                .weights = weights.ptr(T),
                .rows = rows.rows,
                .experts = rows.cols,
                .k = indices.shape_[1],
                .dlogits_stride = dlogits_rows.stride,
                .dweights_stride = indices.shape_[1],
                .logits_stride = rows.stride,
                .indices_stride = indices.shape_[1],
                .weights_stride = indices.shape_[1],
                .flags = flags,
            } });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, indices: u32, weights: u32, logits: u32, flags: u32) Error!void {
    return forward(try device.get(device_), indices, weights, logits, flags);
}

fn backwardOn(device_: u32, dlogits: u32, dweights: u32, logits: u32, indices: u32, weights: u32, flags: u32) Error!void {
    return backward(try device.get(device_), dlogits, dweights, logits, indices, weights, flags);
}

pub const entries = struct {
    /// `indices` u32 and `weights` are [rows, k], `logits` [rows, experts]. `flags`: 1 takes logistic scores, 2 normalizes the weights.
    pub fn route(device_: u32, indices: u32, weights: u32, logits: u32, flags: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, indices, weights, logits, flags));
    }

    /// `indices` and `weights` as `route` left them for the same `logits` and `flags`; an index that is no expert is IndexOutOfRange, and
    /// on a GPU has no gradient.
    pub fn route_backward(device_: u32, dlogits: u32, dweights: u32, logits: u32, indices: u32, weights: u32, flags: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dlogits, dweights, logits, indices, weights, flags));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

/// Plain loops in f64: the chosen by k looks over the whole row, the weights, and the gradient for `dw` by the Jacobian of scores and weights.
fn reference(indices: []u32, w: []f64, dx: []f64, x: []const f64, dw: []const f64, k: usize, flags: u32) !void {
    const n = x.len;
    const scores = try testing.allocator.alloc(f64, n);
    defer testing.allocator.free(scores);
    if (flags & logistic != 0) {
        for (scores, x) |*s, v| s.* = 1 / (1 + @exp(-v));
    } else {
        var m = -std.math.inf(f64);
        for (x) |v| m = @max(m, v);
        var sum: f64 = 0;
        for (x) |v| sum += @exp(v - m);
        for (scores, x) |*s, v| s.* = @exp(v - m) / sum;
    }
    const taken = try testing.allocator.alloc(bool, n);
    defer testing.allocator.free(taken);
    @memset(taken, false);
    var total: f64 = 0;
    for (0..k) |s| {
        var best: ?usize = null;
        for (x, 0..) |v, e| if (!taken[e] and (best == null or v > x[best.?])) {
            best = e;
        };
        taken[best.?] = true;
        indices[s] = @intCast(best.?);
        w[s] = scores[best.?];
        total += w[s];
    }
    // ds of the chosen scores, then through the scores to the logits.
    var dot: f64 = 0;
    if (flags & normalized != 0) {
        for (w) |*v| v.* /= total;
        for (w, dw) |a, b| dot += a * b;
    }
    const ds = try testing.allocator.alloc(f64, n);
    defer testing.allocator.free(ds);
    @memset(ds, 0);
    for (indices, dw) |e, g| ds[e] = if (flags & normalized != 0) (g - dot) / total else g;
    if (flags & logistic != 0) {
        for (dx, ds, scores) |*o, g, s| o.* = g * s * (1 - s);
    } else {
        var mean: f64 = 0;
        for (ds, scores) |g, s| mean += g * s;
        for (dx, ds, scores) |*o, g, s| o.* = s * (g - mean);
    }
}

test "route: choice, weights and gradients as in f64 for every number of experts, one of them and all" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| for (0..4) |flags_| for (arrays.lengths) |experts| for ([_]usize{ 1, 2, 8, 17, 33, experts }) |k| {
        if (k > experts or k == 0 or (k > 2 and experts > 70)) continue;
        const flags: u32 = @intCast(flags_);
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const rows = 3;
        const x = try t.normal(T, &.{ rows, experts }, random, 2);
        // Ties in each row, in front of k and behind it.
        for (0..rows) |i| for (0..experts / 3) |_| {
            const row = arrays.data(T, x)[i * experts ..][0..experts];
            row[random.uintLessThan(usize, experts)] = row[random.uintLessThan(usize, experts)];
        };
        const dw = try t.normal(T, &.{ rows, k }, random, 1);
        const indices = try t.filled(u32, &.{ rows, k }, 42);
        const weights = try t.filled(T, &.{ rows, k }, 42);
        const dx = try t.filled(T, &.{ rows, experts }, 42);
        try forward(&d, indices, weights, x, flags);
        try backward(&d, dx, dw, x, indices, weights, flags);
        const wide = try arrays.widen(T, arrays.data(T, x));
        defer testing.allocator.free(wide);
        const dw_wide = try arrays.widen(T, arrays.data(T, dw));
        defer testing.allocator.free(dw_wide);
        const want = try testing.allocator.alloc(f64, rows * (k + experts));
        defer testing.allocator.free(want);
        const chosen = try testing.allocator.alloc(u32, rows * k);
        defer testing.allocator.free(chosen);
        const want_w = want[0 .. rows * k];
        const want_dx = want[rows * k ..];
        for (0..rows) |i| try reference(
            chosen[i * k ..][0..k],
            want_w[i * k ..][0..k],
            want_dx[i * experts ..][0..experts],
            wide[i * experts ..][0..experts],
            dw_wide[i * k ..][0..k],
            k,
            flags,
        );
        try testing.expectEqualSlices(u32, chosen, arrays.data(u32, indices));
        try arrays.expectClose(T, want_w, arrays.data(T, weights));
        // One expert has a weight of 1: its gradient is rounding alone.
        try arrays.expectScaled(T, want_dx, arrays.data(T, dx), arrays.tolerance(T), 0.1);
    };
}

test "route: ties, NaN, infinities and zeros of both signs" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    const Case = struct { x: []const f32, k: usize = 2, flags: u32 = normalized, indices: []const u32, weights: []const f64 };
    const cases = [_]Case{
        .{ .x = &.{ 1, 1, 1, 1 }, .indices = &.{ 0, 1 }, .weights = &.{ 0.5, 0.5 } },
        .{ .x = &.{ 0, 1, 1, 2, 2 }, .k = 3, .flags = 0, .indices = &.{ 3, 4, 1 }, .weights = &.{ 0.3482993, 0.3482993, 0.1281321 } },
        .{ .x = &.{ -0.0, 0.0, -1 }, .indices = &.{ 0, 1 }, .weights = &.{ 0.5, 0.5 } },
        .{ .x = &.{ 0.0, -0.0 }, .k = 1, .flags = 0, .indices = &.{0}, .weights = &.{0.5} },
        // Equal scores by rounding alone: the logits decide.
        .{ .x = &.{ 90, 100, 95 }, .flags = logistic, .indices = &.{ 1, 2 }, .weights = &.{ 1, 1 } },
        .{ .x = &.{ 3e38, 3e38, -3e38 }, .indices = &.{ 0, 1 }, .weights = &.{ 0.5, 0.5 } },
        // NaN is above everything, and the first of two comes first.
        .{ .x = &.{ 1, nan, inf, nan }, .k = 3, .indices = &.{ 1, 3, 2 }, .weights = &.{ nan, nan, nan } },
        .{ .x = &.{ 5, 1, nan }, .flags = 0, .indices = &.{ 2, 0 }, .weights = &.{ nan, nan } },
        .{ .x = &.{ 0, 1, nan }, .flags = logistic, .indices = &.{ 2, 1 }, .weights = &.{ nan, 0.7310586 } },
        .{ .x = &.{ 0, 1, nan }, .flags = logistic | normalized, .indices = &.{ 2, 1 }, .weights = &.{ nan, nan } },
        .{ .x = &.{ 0, inf, 1 }, .flags = 0, .indices = &.{ 1, 2 }, .weights = &.{ nan, nan } },
        .{ .x = &.{ 0, inf, -inf }, .k = 3, .flags = logistic, .indices = &.{ 1, 0, 2 }, .weights = &.{ 1, 0.5, 0 } },
        .{ .x = &.{ -inf, 3, -inf }, .k = 3, .indices = &.{ 1, 0, 2 }, .weights = &.{ 1, 0, 0 } },
        // Nothing to choose from.
        .{ .x = &.{ -inf, -inf, -inf }, .indices = &.{ 0, 1 }, .weights = &.{ 0, 0 } },
        .{ .x = &.{ -inf, -inf, -inf }, .flags = 0, .indices = &.{ 0, 1 }, .weights = &.{ 0, 0 } },
        .{ .x = &.{ -inf, -inf, -inf }, .flags = logistic | normalized, .indices = &.{ 0, 1 }, .weights = &.{ 0, 0 } },
    };
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    for (cases) |case| {
        const x = try t.from(f32, &.{ 1, case.x.len }, case.x);
        const indices = try t.filled(u32, &.{ 1, case.k }, 42);
        const weights = try t.filled(f32, &.{ 1, case.k }, 42);
        try forward(&d, indices, weights, x, case.flags);
        try testing.expectEqualSlices(u32, case.indices, arrays.data(u32, indices));
        try arrays.expectWithin(f32, case.weights, arrays.data(f32, weights), 1e-6);
        // NaN weights have NaN gradients; weights of zero and of one have none.
        const dx = try t.filled(f32, &.{ 1, case.x.len }, 42);
        try backward(&d, dx, try t.filled(f32, &.{ 1, case.k }, 1), x, indices, weights, case.flags);
        const plain_logistic = case.flags == logistic;
        for (case.indices, case.weights) |e, w| {
            const g = arrays.data(f32, dx)[e];
            if (std.math.isNan(w)) try testing.expect(std.math.isNan(g)) else if (plain_logistic) try testing.expectApproxEqAbs(w * (1 - w), g, 1e-6);
        }
        if (case.flags & logistic == 0 and std.math.isNan(case.weights[0])) {
            for (arrays.data(f32, dx), 0..) |g, e| {
                const chosen = std.mem.findScalar(u32, case.indices, @intCast(e)) != null;
                try testing.expect(if (chosen or case.flags == 0) std.math.isNan(g) else g == 0);
            }
        }
        t.free();
    }
    // A row that is not to be chosen from has no gradient, whatever arrives.
    const x = try t.filled(f32, &.{ 1, 3 }, -inf);
    const indices = try t.from(u32, &.{ 1, 2 }, &.{ 0, 1 });
    const weights = try t.filled(f32, &.{ 1, 2 }, 0);
    for (0..4) |flags| {
        const dx = try t.filled(f32, &.{ 1, 3 }, 42);
        try backward(&d, dx, try t.from(f32, &.{ 1, 2 }, &.{ 3, -1 }), x, indices, weights, @intCast(flags));
        for (arrays.data(f32, dx)) |g| try testing.expectEqual(0, g);
    }
}

test "route: NaN among many experts is found wherever it is" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const indices = try t.empty(u32, &.{ 1, 2 });
    const weights = try t.empty(f32, &.{ 1, 2 });
    const x = try t.empty(f32, &.{ 1, 70 });
    for (0..70) |e| {
        for (arrays.data(f32, x), 0..) |*v, i| v.* = -@as(f32, @floatFromInt(i));
        arrays.data(f32, x)[e] = std.math.nan(f32);
        try forward(&d, indices, weights, x, logistic);
        try testing.expectEqualSlices(u32, &.{ @intCast(e), if (e == 0) 1 else 0 }, arrays.data(u32, indices));
    }
}

test "route: the same bits for any number of workers, for views and without rows" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| {
        const rows = 101;
        const experts = 37;
        const k = 5;
        for (0..4) |flags_| {
            const flags: u32 = @intCast(flags_);
            var t: arrays.Tensors = .{};
            defer t.free();
            const wide = try t.normal(T, &.{ rows, 40 }, random, 2);
            const x = try t.empty(T, &.{ rows, experts });
            for (0..rows) |i| @memcpy(arrays.data(T, x)[i * experts ..][0..experts], arrays.data(T, wide)[i * 40 + 2 ..][0..experts]);
            const view = try t.view(wide, 2, &.{ rows, experts }, &.{ 40, 1 });
            const dw = try t.normal(T, &.{ rows, k }, random, 1);
            var first: [3]u32 = undefined;
            for (1..9) |workers| {
                const d = device.forTest(@intCast(workers));
                const outs = [3]u32{ try t.empty(u32, &.{ rows, k }), try t.empty(T, &.{ rows, k }), try t.empty(T, &.{ rows, experts }) };
                const from = if (workers % 2 == 0) view else x;
                try forward(&d, outs[0], outs[1], from, flags);
                try backward(&d, outs[2], dw, from, outs[0], outs[1], flags);
                if (workers == 1) first = outs;
                try testing.expectEqualSlices(u32, arrays.data(u32, first[0]), arrays.data(u32, outs[0]));
                for (first[1..], outs[1..]) |a, b| try arrays.expectSameBits(T, arrays.data(T, a), arrays.data(T, b));
            }
        }
    }
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(2);
    const x = try t.empty(f32, &.{ 0, 4 });
    const none = [2]u32{ try t.empty(u32, &.{ 0, 2 }), try t.empty(f32, &.{ 0, 2 }) };
    try forward(&d, none[0], none[1], x, 0);
    try backward(&d, try t.empty(f32, &.{ 0, 4 }), none[1], x, none[0], none[1], 0);
}

test "route: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const indices = try t.filled(u32, &.{ 2, 2 }, 3);
    const weights = try t.filled(f32, &.{ 2, 2 }, 42);
    const dx = try t.filled(f32, &.{ 2, 4 }, 42);
    try testing.expectError(error.InvalidArgument, forward(&d, indices, weights, x, 4));
    try testing.expectError(error.DtypeMismatch, forward(&d, weights, weights, x, 0));
    try testing.expectError(error.DtypeMismatch, forward(&d, indices, try t.filled(f64, &.{ 2, 2 }, 1), x, 0));
    try testing.expectError(error.ShapeMismatch, forward(&d, indices, try t.filled(f32, &.{ 2, 1 }, 1), x, 0));
    try testing.expectError(error.ShapeMismatch, forward(&d, try t.empty(u32, &.{ 2, 0 }), try t.empty(f32, &.{ 2, 0 }), x, 0));
    try testing.expectError(error.ShapeMismatch, forward(&d, try t.empty(u32, &.{ 2, 5 }), try t.empty(f32, &.{ 2, 5 }), x, 0));
    try testing.expectError(error.ShapeMismatch, forward(&d, indices, weights, try t.filled(f32, &.{ 3, 4 }, 1), 0));
    try testing.expectError(error.Overlap, forward(&d, indices, try t.view(x, 0, &.{ 2, 2 }, &.{ 2, 1 }), x, 0));
    arrays.data(u32, indices)[3] = 4;
    try testing.expectError(error.IndexOutOfRange, backward(&d, dx, weights, x, indices, weights, 0));
    try testing.expectEqual([2]f64{ 3, 4 }, status.detail);
    arrays.data(u32, indices)[3] = 3;
    try testing.expectError(error.ShapeMismatch, backward(&d, weights, weights, x, indices, weights, 0));
    try testing.expectError(error.Overlap, backward(&d, x, weights, x, indices, weights, 0));
    for ([_]u32{ weights, dx }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
    for (arrays.data(u32, indices)) |v| try testing.expectEqual(3, v);
}

test "route: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("route_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("route_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const rows = 3;
        const values: [rows * 70]T = @splat(1);
        const ids: [rows * 70]u32 = @splat(0);
        for (1..71) |experts| for ([_]usize{ 1, (experts + 1) / 2, experts }) |k| for (0..4) |flags| {
            const x = try arrays.atBorder(T, values[0 .. rows * experts]);
            defer x.memory.deinit();
            const dx = try arrays.atBorder(T, values[0 .. rows * experts]);
            defer dx.memory.deinit();
            const w = try arrays.atBorder(T, values[0 .. rows * k]);
            defer w.memory.deinit();
            const dw = try arrays.atBorder(T, values[0 .. rows * k]);
            defer dw.memory.deinit();
            const indices = try arrays.atBorder(u32, ids[0 .. rows * k]);
            defer indices.memory.deinit();
            forward_kernel(&.{
                .indices = indices.items.ptr,
                .weights = w.items.ptr,
                .logits = x.items.ptr,
                .rows = rows,
                .experts = experts,
                .k = k,
                .indices_stride = k,
                .weights_stride = k,
                .logits_stride = experts,
                .flags = @intCast(flags),
            });
            // All logits are equal: the first k are chosen.
            for (indices.items, 0..) |e, i| try testing.expectEqual(i % k, e);
            backward_kernel(&.{
                .dlogits = dx.items.ptr,
                .dweights = dw.items.ptr,
                .logits = x.items.ptr,
                .indices = indices.items.ptr,
                .weights = w.items.ptr,
                .rows = rows,
                .experts = experts,
                .k = k,
                .dlogits_stride = experts,
                .dweights_stride = k,
                .logits_stride = experts,
                .indices_stride = k,
                .weights_stride = k,
                .flags = @intCast(flags),
            });
        };
    }
}

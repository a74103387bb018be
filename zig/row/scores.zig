//! Micro-kernels over a tile of attention scores: the keys of one block against a few queries. A key's scores lie side by side, so that whatever runs along the
//! keys, the maximum and the sum of a softmax, runs down the tile: 16 queries in a vector, no reduction across lanes.
//!
//! The order of a sum over the keys is the contract: key r of the block goes to sum r mod 16, keys ascending, and the sixteen join by the tree of
//! `simd.sumTree`. So a query alone, whose scores are a row, has the same bits as among others. Queries never meet.

const std = @import("std");
const math = @import("../isa/math.zig");
const simd = @import("../isa/simd.zig");
const sweep = @import("sweep.zig");
const lanes = simd.lanes;

/// What decides which keys a query sees beside the tile's own bounds.
pub const MaskKind = enum(u32) {
    none,
    /// Numbers of the tile's type, added to the scores.
    added,
    /// Integers, 0 where a key is hidden.
    seen,
};

pub fn Tile(comptime T: type) type {
    return extern struct {
        /// Key r's scores begin at `s + r·ld`; `ld` is 1 where there is one query, else it has room for whole vectors of 16.
        s: [*]T,
        ld: usize,
        queries: usize,
        /// The keys of the block that were computed; `begin` is a multiple of 16.
        begin: usize,
        end: usize,
        /// Query i sees the keys from `low + i·step` up to, not including, `high + i·step`.
        low: isize,
        high: isize,
        step: isize,
        /// The mask's element of the first query and of the block's key 0, and its strides.
        mask: ?*const anyopaque,
        mask_kind: MaskKind,
        mask_query: isize,
        mask_key: isize,
    };
}

/// Scores become exponentials: s := exp(s − max), 0 where a key is hidden.
pub fn Softmax(comptime T: type) type {
    return extern struct {
        tile: Tile(T),
        /// Of each query: its largest score, −Inf where it sees nothing, and the sum of its exponentials. Room for whole vectors.
        max: [*]T,
        sum: [*]T,
    };
}

/// Joins what a block of keys adds to what those before it made: sums weighted with exponentials, of which each part is relative to its own maximum.
pub fn Join(comptime T: type) type {
    return extern struct {
        out: [*]T,
        part: [*]const T,
        ld: usize,
        queries: usize,
        width: usize,
        max: [*]T,
        sum: [*]T,
        part_max: [*]const T,
        part_sum: [*]const T,
    };
}

/// Divides by the sum of exponentials; a query that saw nothing gets zeros.
pub fn Finish(comptime T: type) type {
    return extern struct {
        out: [*]T,
        out_stride: usize,
        sums: [*]const T,
        ld: usize,
        queries: usize,
        width: usize,
        max: [*]const T,
        sum: [*]const T,
        /// What backward needs: the maximum and the reciprocal of the sum, both 0 where nothing was seen. Null where nobody does.
        stat_max: ?[*]T,
        stat_scale: ?[*]T,
    };
}

/// s := P = exp(s − max)·scale, and slope := P·(slope − delta).
pub fn Gradient(comptime T: type) type {
    return extern struct {
        tile: Tile(T),
        /// Null where only P is wanted; rows as in the tile.
        slope: ?[*]T,
        max: [*]const T,
        scale: [*]const T,
        /// Room for whole vectors.
        delta: [*]const T,
    };
}

/// delta[i] = Σ dy·y over row i.
pub fn Delta(comptime T: type) type {
    return extern struct { delta: [*]T, dy: [*]const T, y: [*]const T, rows: usize, width: usize, dy_stride: usize, y_stride: usize };
}

/// Copies rows that lie apart to rows that do not, or back.
pub fn Copy(comptime T: type) type {
    return extern struct { to: [*]T, from: [*]const T, rows: usize, width: usize, to_stride: usize, from_stride: usize };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = simd.Vec(T);
        const I = @Vector(lanes, i32);
        const infinity = std.math.inf(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        /// What to subtract: where nothing was seen, 0, so that −Inf − max stays −Inf.
        inline fn finite(max: V) V {
            return @select(T, max == all(-infinity), all(0), max);
        }

        /// The place of key `r` in memory, from query `i` on.
        inline fn at(t: *const Tile(T), r: usize, i: usize) [*]T {
            return t.s + r * t.ld + i;
        }

        fn softmax(p: *const Softmax(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            const t = &p.tile;
            if (t.ld == 1) return softmaxRow(p);
            var i: usize = 0;
            while (i < t.queries) : (i += lanes) {
                hide(t, i);
                const max = largest(t, i);
                simd.store(p.max + i, max);
                simd.store(p.sum + i, exponentials(t, i, finite(max)));
            }
        }

        /// One query: its scores are a row, and the sixteen sums the lanes of a vector.
        fn softmaxRow(p: *const Softmax(T)) void {
            const t = &p.tile;
            hideRow(t);
            const s = t.s + t.begin;
            const n = t.end - t.begin;
            const max = sweep.largest(T, n, Scores{ .s = s });
            p.max[0] = max;
            p.sum[0] = sweep.sums(T, 1, 1, n, Exponentials{ .s = s, .max = finite(all(max)) })[0];
        }

        const Scores = struct {
            s: [*]const T,

            pub inline fn at(x: @This(), comptime whole: bool, j: usize, left: usize) V {
                return sweep.read(T, whole, x.s + j, left, -infinity);
            }
        };

        const Exponentials = struct {
            s: [*]T,
            max: V,

            pub inline fn at(x: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                const e = math.expNegative(sweep.read(T, whole, x.s + j, left, -infinity) - x.max);
                sweep.write(T, whole, x.s + j, e, left);
                return .{e};
            }
        };

        inline fn largest(t: *const Tile(T), i: usize) V {
            var acc: [4]V = @splat(all(-infinity));
            var r = t.begin;
            while (t.end - r >= 4) : (r += 4) {
                inline for (0..4) |u| acc[u] = simd.max(simd.load(T, at(t, r + u, i)), acc[u]);
            }
            while (r < t.end) : (r += 1) acc[0] = simd.max(simd.load(T, at(t, r, i)), acc[0]);
            return simd.max(simd.max(acc[0], acc[2]), simd.max(acc[1], acc[3]));
        }

        /// Keys whose exponentials are computed side by side, where they take no more than four registers: with the bounds of `Seen` computed by lanes and
        /// `delta` asking for rows ahead, causal backward of 128 positions takes 0.94 of the time (Zen 3).
        const abreast = if (2 * lanes / simd.width(T) <= 4) 2 else 1;

        inline fn both(a: V, b: V) @Vector(2 * lanes, T) {
            return std.simd.join(a, b);
        }

        inline fn two(v: @Vector(2 * lanes, T)) [2]V {
            return .{ std.simd.extract(v, 0, lanes), std.simd.extract(v, lanes, lanes) };
        }

        inline fn exponentials(t: *const Tile(T), i: usize, max: V) V {
            var sums: [lanes]V = @splat(all(0));
            var r = t.begin;
            while (r < t.end) : (r += lanes) {
                const left = @min(lanes, t.end - r);
                var j: usize = 0;
                if (abreast == 2) while (left - j >= 2) : (j += 2) {
                    const e = two(math.expNegative(both(simd.load(T, at(t, r + j, i)), simd.load(T, at(t, r + j + 1, i))) - both(max, max)));
                    inline for (0..2) |u| {
                        simd.store(at(t, r + j + u, i), e[u]);
                        sums[j + u] += e[u];
                    }
                };
                while (j < left) : (j += 1) {
                    const e = math.expNegative(simd.load(T, at(t, r + j, i)) - max);
                    simd.store(at(t, r + j, i), e);
                    sums[j] += e;
                }
            }
            comptime var half = lanes / 2;
            inline while (half > 0) : (half /= 2) {
                inline for (0..half) |j| sums[j] += sums[j + half];
            }
            return sums[0];
        }

        /// The keys that 16 queries from `i` on see, and those that all of them see.
        const Seen = struct {
            low: I,
            high: I,
            common_low: usize,
            common_high: usize,

            inline fn of(t: *const Tile(T), i: usize) Seen {
                const end: isize = @intCast(t.end);
                // Lanes behind the last query do as it does. Bounds grow from lane to lane, so those of all are the last lane's and the first one's.
                const last: i32 = @intCast(@min(lanes, t.queries - i) - 1);
                const first: isize = @as(isize, @intCast(i)) * t.step;
                const steps = @min(numbers, all32(last)) * all32(@intCast(t.step));
                const low = clampEach(all32(@intCast(std.math.clamp(t.low + first, -lanes, end))) + steps, @intCast(end));
                const high = clampEach(all32(@intCast(std.math.clamp(t.high + first, -lanes, end))) + steps, @intCast(end));
                const common_low = @max(t.begin, @as(usize, @intCast(low[lanes - 1])));
                return .{ .low = low, .high = high, .common_low = common_low, .common_high = @max(common_low, @min(t.end, @as(usize, @intCast(high[0])))) };
            }

            const numbers = std.simd.iota(i32, lanes);

            inline fn all32(n: i32) I {
                return @splat(n);
            }

            inline fn clampEach(v: I, end: i32) I {
                const positive = @select(i32, v < all32(0), all32(0), v);
                return @select(i32, positive > all32(end), all32(end), positive);
            }
        };

        /// Gives the 16 queries from `i` on −Inf for what they do not see, and adds the mask.
        inline fn hide(t: *const Tile(T), i: usize) void {
            switch (t.mask_kind) {
                .none => {},
                inline else => |kind| applyMask(kind, t, i),
            }
            const seen: Seen = .of(t, i);
            hideRange(t, i, &seen, t.begin, seen.common_low);
            hideRange(t, i, &seen, seen.common_high, t.end);
        }

        inline fn hideRange(t: *const Tile(T), i: usize, seen: *const Seen, from: usize, to: usize) void {
            for (from..to) |r| {
                const key: I = @splat(@intCast(r));
                const s = simd.load(T, at(t, r, i));
                const low_enough = @select(T, key < seen.high, s, all(-infinity));
                simd.store(at(t, r, i), @as(V, @select(T, key >= seen.low, low_enough, all(-infinity))));
            }
        }

        fn hideRow(t: *const Tile(T)) void {
            const end: isize = @intCast(t.end);
            const low: usize = @intCast(std.math.clamp(t.low, 0, end));
            const high: usize = @intCast(std.math.clamp(t.high, 0, end));
            switch (t.mask_kind) {
                .none => {},
                inline else => |kind| {
                    var key = maskAt(kind, t, 0, t.begin);
                    for (t.begin..t.end) |r| {
                        t.s[r] = masked(kind, t.s[r], key[0]);
                        key = step(kind, key, t.mask_key);
                    }
                },
            }
            if (t.begin < low) @memset(t.s[t.begin..low], -infinity);
            if (high < t.end) @memset(t.s[@max(high, t.begin)..t.end], -infinity);
        }

        fn Element(comptime kind: MaskKind) type {
            return if (kind == .added) T else u32;
        }

        inline fn step(comptime kind: MaskKind, from: [*]const Element(kind), elements: isize) [*]const Element(kind) {
            return @ptrFromInt(@intFromPtr(from) +% @as(usize, @bitCast(elements * @sizeOf(Element(kind)))));
        }

        inline fn maskAt(comptime kind: MaskKind, t: *const Tile(T), query: usize, key: usize) [*]const Element(kind) {
            const first: [*]const Element(kind) = @ptrCast(@alignCast(t.mask.?));
            return step(kind, first, @as(isize, @intCast(query)) * t.mask_query + @as(isize, @intCast(key)) * t.mask_key);
        }

        inline fn masked(comptime kind: MaskKind, s: anytype, m: anytype) @TypeOf(s) {
            // A hidden key's score may be NaN or infinite: the sum would show it.
            if (kind == .added and @TypeOf(s) == T) return if (m == -infinity) m else s + m;
            if (kind == .added) return @select(T, m == all(-infinity), m, s + m);
            if (@TypeOf(s) == T) return if (m != 0) s else -infinity;
            return @select(T, m != @as(@TypeOf(m), @splat(0)), s, all(-infinity));
        }

        /// Masks 16 queries, whose rows of the mask are turned 16×16 at a time where the keys lie side by side.
        noinline fn applyMask(comptime kind: MaskKind, t: *const Tile(T), i: usize) void {
            const E = Element(kind);
            const left = @min(lanes, t.queries - i);
            // Lanes behind the last query do as it does.
            var rows: [lanes][*]const E = undefined;
            for (&rows, 0..) |*row, j| row.* = maskAt(kind, t, @min(i + j, t.queries - 1), t.begin);
            var r = t.begin;
            if (@sizeOf(E) == 4 and t.mask_key == 1) {
                while (t.end - r >= lanes) : (r += lanes) {
                    const turned = simd.loadTurned(f32, @ptrCast(&rows));
                    for (&turned, 0..) |v, j| simd.store(at(t, r + j, i), masked(kind, simd.load(T, at(t, r + j, i)), @as(@Vector(lanes, E), @bitCast(v))));
                    for (&rows) |*row| row.* += lanes;
                }
            }
            while (r < t.end) : (r += 1) {
                for (0..left) |j| {
                    at(t, r, i)[j] = masked(kind, at(t, r, i)[j], rows[j][0]);
                    rows[j] = step(kind, rows[j], t.mask_key);
                }
            }
        }

        fn join(p: *const Join(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            while (i < p.queries) : (i += lanes) {
                const before = simd.load(T, p.max + i);
                const part = simd.load(T, p.part_max + i);
                const max = simd.max(part, before);
                const keep: [lanes]T = math.expNegative(before - finite(max));
                const add: [lanes]T = math.expNegative(part - finite(max));
                const sum = simd.fma(@as(V, add), simd.load(T, p.part_sum + i), @as(V, keep) * simd.load(T, p.sum + i));
                simd.store(p.max + i, max);
                simd.store(p.sum + i, sum);
                for (0..@min(lanes, p.queries - i)) |j| {
                    sweep.each(p.width, Weighted{ .out = p.out + (i + j) * p.ld, .part = p.part + (i + j) * p.ld, .keep = all(keep[j]), .add = all(add[j]) });
                }
            }
        }

        const Weighted = struct {
            out: [*]T,
            part: [*]const T,
            keep: V,
            add: V,

            pub inline fn at(x: @This(), comptime whole: bool, j: usize, left: usize) void {
                const kept = x.keep * sweep.read(T, whole, x.out + j, left, 0);
                sweep.write(T, whole, x.out + j, simd.fma(x.add, sweep.read(T, whole, x.part + j, left, 0), kept), left);
            }
        };

        fn finish(p: *const Finish(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var i: usize = 0;
            while (i < p.queries) : (i += lanes) {
                const sum = simd.load(T, p.sum + i);
                const none = sum == all(0);
                const factors: [lanes]T = @select(T, none, all(0), all(1) / sum);
                const left = @min(lanes, p.queries - i);
                if (p.stat_max) |to| storeLanes(to + i, @select(T, none, all(0), simd.load(T, p.max + i)), left);
                if (p.stat_scale) |to| storeLanes(to + i, factors, left);
                for (0..left) |j| {
                    const out = p.out + (i + j) * p.out_stride;
                    // Nothing was seen: what values hold does not matter, NaN neither.
                    if (factors[j] == 0) @memset(out[0..p.width], 0) else sweep.each(p.width, Product{ .out = out, .x = p.sums + (i + j) * p.ld, .factor = all(factors[j]) });
                }
            }
        }

        const Product = struct {
            out: [*]T,
            x: [*]const T,
            factor: V,

            pub inline fn at(x: @This(), comptime whole: bool, j: usize, left: usize) void {
                sweep.write(T, whole, x.out + j, sweep.read(T, whole, x.x + j, left, 0) * x.factor, left);
            }
        };

        inline fn storeLanes(to: [*]T, v: V, left: usize) void {
            if (left == lanes) simd.store(to, v) else simd.storePartial(to, v, left);
        }

        inline fn loadLanes(from: [*]const T, left: usize) V {
            return if (left >= lanes) simd.load(T, from) else simd.loadPartial(T, from, left, 0);
        }

        fn gradient(p: *const Gradient(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            const t = &p.tile;
            var i: usize = 0;
            while (i < t.queries) : (i += lanes) {
                hide(t, i);
                const max = loadLanes(p.max + i, t.queries - i);
                const scale = loadLanes(p.scale + i, t.queries - i);
                if (p.slope) |slope| slopes(t, slope, i, max, scale, simd.load(T, p.delta + i)) else for (t.begin..t.end) |r| {
                    simd.store(at(t, r, i), probability(t, r, i, max, scale));
                }
            }
        }

        inline fn probability(t: *const Tile(T), r: usize, i: usize, max: V, scale: V) V {
            return math.expNegative(simd.load(T, at(t, r, i)) - max) * scale;
        }

        inline fn slopes(t: *const Tile(T), slope: [*]T, i: usize, max: V, scale: V, delta: V) void {
            var r = t.begin;
            if (abreast == 2) while (t.end - r >= 2) : (r += 2) {
                const s = both(simd.load(T, at(t, r, i)), simd.load(T, at(t, r + 1, i)));
                const e = two(math.expNegative(s - both(max, max)));
                inline for (0..2) |u| slopeOf(t, slope, r + u, i, e[u] * scale, delta);
            };
            while (r < t.end) : (r += 1) slopeOf(t, slope, r, i, probability(t, r, i, max, scale), delta);
        }

        inline fn slopeOf(t: *const Tile(T), slope: [*]T, r: usize, i: usize, x: V, delta: V) void {
            const to = slope + r * t.ld + i;
            const d = x * (simd.load(T, to) - delta);
            simd.store(at(t, r, i), x);
            // A hidden key has no gradient, whatever its value holds.
            simd.store(to, @as(V, @select(T, x == all(0), all(0), d)));
        }

        fn deltas(p: *const Delta(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const x = p.dy + i * p.dy_stride;
                const y = p.y + i * p.y_stride;
                p.delta[i] = sweep.sums(T, 1, 4, p.width, Dot{ .x = x, .y = y, .x_ahead = rows_ahead * p.dy_stride, .y_ahead = rows_ahead * p.y_stride })[0];
            }
        }

        /// Rows ahead of the one that is copied for which it asks: rows far apart are short stretches of memory that the hardware's prefetcher does not get
        /// to know. Copies of 256 numbers each 2 KiB apart take half the time.
        const rows_ahead = 12;

        fn copy(p: *const Copy(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const to = p.to + i * p.to_stride;
                const from = p.from + i * p.from_stride;
                sweep.each(p.width, Row{ .to = to, .from = from, .to_ahead = rows_ahead * p.to_stride, .from_ahead = rows_ahead * p.from_stride });
            }
        }

        const Row = struct {
            to: [*]T,
            from: [*]const T,
            to_ahead: usize,
            from_ahead: usize,

            pub inline fn at(x: @This(), comptime whole: bool, j: usize, left: usize) void {
                sweep.ask(T, x.from + j + x.from_ahead, false);
                sweep.ask(T, x.to + j + x.to_ahead, true);
                sweep.write(T, whole, x.to + j, sweep.read(T, whole, x.from + j, left, 0), left);
            }
        };

        const Dot = struct {
            x: [*]const T,
            y: [*]const T,
            x_ahead: usize,
            y_ahead: usize,

            pub inline fn at(d: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                sweep.ask(T, d.x + j + d.x_ahead, false);
                sweep.ask(T, d.y + j + d.y_ahead, false);
                return .{sweep.read(T, whole, d.x + j, left, 0) * sweep.read(T, whole, d.y + j, left, 0)};
            }
        };
    };
}

pub const ukernels = struct {
    pub const attention_f32_softmax = Kernels(f32).softmax;
    pub const attention_f64_softmax = Kernels(f64).softmax;
    pub const attention_f32_join = Kernels(f32).join;
    pub const attention_f64_join = Kernels(f64).join;
    pub const attention_f32_finish = Kernels(f32).finish;
    pub const attention_f64_finish = Kernels(f64).finish;
    pub const attention_f32_gradient = Kernels(f32).gradient;
    pub const attention_f64_gradient = Kernels(f64).gradient;
    pub const attention_f32_delta = Kernels(f32).deltas;
    pub const attention_f64_delta = Kernels(f64).deltas;
    pub const attention_f32_copy = Kernels(f32).copy;
    pub const attention_f64_copy = Kernels(f64).copy;
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

test "scores: kernels read and write no row past its last element" {
    inline for (.{ f32, f64 }) |T| {
        const prefix = "attention_" ++ @typeName(T) ++ "_";
        const delta = pick.testKernel(prefix ++ "delta", fn (*const Delta(T)) callconv(.c) void);
        const finish = pick.testKernel(prefix ++ "finish", fn (*const Finish(T)) callconv(.c) void);
        const join = pick.testKernel(prefix ++ "join", fn (*const Join(T)) callconv(.c) void);
        const copy = pick.testKernel(prefix ++ "copy", fn (*const Copy(T)) callconv(.c) void);
        const ones: [3 * 70]T = @splat(1);
        const zeros: [16]T = @splat(0);
        for (1..71) |n| {
            const rows = 3;
            var guarded: [4]@TypeOf(arrays.atBorder(T, &ones) catch unreachable) = undefined;
            for (&guarded, [_]usize{ rows * n, rows * n, rows, rows }) |*g, len| g.* = try arrays.atBorder(T, ones[0..len]);
            defer for (guarded) |g| g.memory.deinit();
            const x, const out, const first, const second = .{ guarded[0].items, guarded[1].items, guarded[2].items, guarded[3].items };
            delta(&.{ .delta = first.ptr, .dy = x.ptr, .y = x.ptr, .rows = rows, .width = n, .dy_stride = n, .y_stride = n });
            for (first) |v| try testing.expectEqual(@as(T, @floatFromInt(n)), v);
            var max: [16]T = @splat(0);
            var sum: [16]T = @splat(1);
            join(&.{ .out = out.ptr, .part = x.ptr, .ld = n, .queries = rows, .width = n, .max = &max, .sum = &sum, .part_max = &zeros, .part_sum = &ones });
            for (out) |v| try testing.expectEqual(2, v);
            finish(&.{
                .out = x.ptr,
                .out_stride = n,
                .sums = out.ptr,
                .ld = n,
                .queries = rows,
                .width = n,
                .max = &max,
                .sum = &sum,
                .stat_max = first.ptr,
                .stat_scale = second.ptr,
            });
            for (x) |v| try testing.expectEqual(1, v);
            for (second) |v| try testing.expectEqual(0.5, v);
            @memset(x, 3);
            copy(&.{ .to = out.ptr, .from = x.ptr, .rows = rows, .width = n, .to_stride = n, .from_stride = n });
            for (out) |v| try testing.expectEqual(3, v);
        }
    }
}

//! Micro-kernels of products with a vector: matrix times vector in three layouts, and the product of a column with a row.
//!
//! The order of every sum is that of the matrix product (kernel.zig), so that a row has the same bits alone and among a thousand: a chain of fused
//! multiply-adds per element, k ascending from 0, inside a block of at most 256, and block sums joined by `y = fma(alpha, sum, beta·y)`.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const kernel = @import("kernel.zig");

/// Depth of a block, as in blocking.zig, which micro-kernels may not import.
const kc = 256;

/// y[j] := alpha · Σ_k x[k] · w(k, j) + beta · y[j].
pub fn Gemv(comptime T: type) type {
    return extern struct {
        y: [*]T,
        /// Elements from one y to the next.
        y_step: usize,
        x: [*]const T,
        /// The matrix, and the elements from one of its rows to the next: rows of n for each k, or rows of k for each j; or prepacked column panels, where
        /// `stride` is the width of all of them.
        w: [*]const T,
        stride: isize,
        /// The elements of y to compute.
        begin: usize,
        end: usize,
        k: usize,
        alpha: T,
        /// Factor of what y holds; y is not read where `read_y` is 0.
        beta: T,
        read_y: u32,
        /// Whether the matrix is larger than a core's own cache.
        far: u32,
    };
}

/// c[i, j] := alpha · a[i] · b[j] + beta · c[i, j].
pub fn Outer(comptime T: type) type {
    return extern struct {
        c: [*]T,
        ldc: usize,
        a: [*]const T,
        a_step: isize,
        /// Side by side.
        b: [*]const T,
        rows: usize,
        cols: usize,
        alpha: T,
        beta: T,
        read_c: u32,
        /// Whether c is so large that it is written past the caches.
        passing: u32,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = simd.Vec(T);

        inline fn join(g: *const Gemv(T), sum: anytype, y: anytype, first: bool) @TypeOf(sum) {
            const S = @TypeOf(sum);
            const alpha: S = if (@typeInfo(S) == .vector) @splat(g.alpha) else g.alpha;
            if (first and g.read_y == 0) return alpha * sum;
            const beta: S = if (@typeInfo(S) == .vector) @splat(g.beta) else g.beta;
            return simd.fma(alpha, sum, if (first) beta * y else y);
        }

        /// Adds `count` finished sums to y.
        fn close(g: *const Gemv(T), at: usize, sums: [*]const T, count: usize, first: bool) void {
            const reads = g.read_y != 0 or !first;
            if (g.y_step != 1) {
                for (0..count) |j| {
                    const y = &g.y[(at + j) * g.y_step];
                    y.* = join(g, sums[j], if (reads) y.* else 0, first);
                }
                return;
            }
            const E = @Vector(8, T);
            const none: E = @splat(0);
            const y = g.y + at;
            var j: usize = 0;
            while (j + 8 <= count) : (j += 8) simd.store(y + j, join(g, simd.load(E, sums + j), if (reads) simd.load(E, y + j) else none, first));
            if (j == count) return;
            const left = count - j;
            simd.storePartial(y + j, join(g, simd.loadPartial(E, sums + j, left, 0), if (reads) simd.loadPartial(E, y + j, left, 0) else none, first), left);
        }

        /// y from the sums of blocks of k, which are the rows of the matrix: `k` of them.
        fn gemvJoin(g: *const Gemv(T)) callconv(.c) void {
            for (0..g.k) |b| close(g, g.begin, kernel.step(T, g.w, @as(isize, @intCast(b)) * g.stride) + g.begin, g.end - g.begin, b == 0);
        }

        /// Columns whose sums wait in the first-level cache while rows of the matrix pass: 16 KiB.
        const chunk_max = (16 << 10) / @sizeOf(T);

        /// Rows that pass together: the sums are loaded and stored once for all of them. More are more streams than the hardware prefetches.
        const together = if (simd.has_fma) 8 else 2; // without FMA in hardware each is a hundred instructions

        /// Rows of n for each k.
        fn gemvRows(g: *const Gemv(T)) callconv(.c) void {
            var sums: [chunk_max]T align(64) = undefined;
            var j0 = g.begin;
            while (j0 < g.end) : (j0 += chunk_max) {
                const count = @min(chunk_max, g.end - j0);
                var k0: usize = 0;
                while (k0 < g.k) : (k0 += kc) {
                    const end = @min(g.k, k0 + kc);
                    var k = k0;
                    while (k < end) {
                        const w = kernel.step(T, g.w, @as(isize, @intCast(k)) * g.stride) + j0;
                        const rows = @min(together, end - k);
                        switch (rows) {
                            inline 1...together => |r| if (k == k0) pass(r, true, &sums, g.x + k, w, g.stride, count) else pass(r, false, &sums, g.x + k, w, g.stride, count),
                            else => unreachable,
                        }
                        k += rows;
                    }
                    close(g, j0, &sums, count, k0 == 0);
                }
            }
        }

        /// Some rows on top of the sums.
        fn pass(comptime rows: usize, comptime first: bool, sums: [*]align(64) T, x: [*]const T, w: [*]const T, stride: isize, count: usize) void {
            @setEvalBranchQuota(20_000);
            var row: [rows][*]const T = undefined;
            inline for (&row, 0..) |*r, i| r.* = kernel.step(T, w, stride * @as(isize, i));
            var j: usize = 0;
            while (j + 32 <= count) : (j += 32) {
                var sum: [2]V = undefined;
                inline for (0..2) |v| sum[v] = if (first) @splat(0) else simd.load(T, sums + j + 16 * v);
                inline for (0..rows) |i| {
                    const each: V = @splat(x[i]);
                    inline for (0..2) |v| sum[v] = simd.fma(each, simd.load(T, row[i] + j + 16 * v), sum[v]);
                }
                inline for (0..2) |v| simd.store(sums + j + 16 * v, sum[v]);
            }
            if (j + 16 <= count) {
                var sum: V = if (first) @splat(0) else simd.load(T, sums + j);
                inline for (0..rows) |i| sum = simd.fma(@as(V, @splat(x[i])), simd.load(T, row[i] + j), sum);
                simd.store(sums + j, sum);
                j += 16;
            }
            if (j == count) return;
            const left = count - j;
            var sum: V = if (first) @splat(0) else simd.load(T, sums + j);
            inline for (0..rows) |i| sum = simd.fma(@as(V, @splat(x[i])), simd.loadPartial(T, row[i] + j, left, 0), sum);
            simd.store(sums + j, sum);
        }

        /// Rows of k for each j: parts of 128 bits are transposed on their way into registers, so that each lane is one chain. The usual form, a lane for
        /// every eighth k, is up to twice as fast inside the cache and has other bits than a row of a larger product.
        ///
        /// The limits, on one core of a Zen 3 at 3.2 GHz: the loads, two a cycle, are 46 GB/s of f32; the latency of a chain, four cycles over eight rows, 26.
        /// The third level gives 40 to 57 GB/s, memory 18 to 20. AVX-512 has not been measured: it runs the same vectors.
        fn gemvTurned(g: *const Gemv(T)) callconv(.c) void {
            // Rows a multiple of 4 KiB apart share one set of the first-level cache, which has eight ways or a few more: with sixteen, lines leave before all of
            // them is read. GB/s with 16 rows and with 8: 38 and 26 at 768×768, 38 and 25 at 1024×3840, 13 and 25 at 1024×4096, 12 and 20 at 4096×4096. In f64
            // 8 rows are chains enough: with 16, 0.97 of the speed at 768×768 and 0.45 at 1024×4096.
            const crowded = @abs(g.stride) *% @sizeOf(T) % 4096 == 0;
            var j = g.begin;
            if (T == f32 and !crowded) {
                while (j + 2 * eight <= g.end) : (j += 2 * eight) turned(2, g, j, eight);
            }
            while (j < g.end) : (j += eight) turned(1, g, j, @min(eight, g.end - j));
        }

        /// Rows that have a pointer each.
        const eight = 8;

        /// Lanes of chains. Vectors of 512 bits are put together by one more shuffle, on the port that all shuffles need.
        const c_lanes = @min(simd.width(T), 32 / @sizeOf(T));
        const C = @Vector(c_lanes, T);

        /// Rows from end to end: one or two times eight, of the last eight those that the matrix has.
        fn turned(comptime sets: usize, g: *const Gemv(T), j: usize, have: usize) void {
            var from: [eight][*]const T = undefined;
            // A row that is missing is read from the last one and thrown away.
            for (&from, 0..) |*row, i| row.* = kernel.step(T, g.w, @as(isize, @intCast(j + @min(i, have - 1))) * g.stride);
            var k0: usize = 0;
            while (k0 < g.k) : (k0 += kc) {
                const depth = @min(kc, g.k - k0);
                // What is asked for in a row's last block lies behind the row: short rows are slower for it, 0.92 of the speed at 768×768.
                const asks = g.far != 0 and g.k >= long and k0 + kc < g.k;
                const next = eight * g.stride;
                const sums = if (asks) chains(sets, true, &from, next, g.x + k0, depth) else chains(sets, false, &from, next, g.x + k0, depth);
                close(g, j, &sums, eight * (sets - 1) + have, k0 == 0);
                for (&from) |*row| row.* += depth;
            }
        }

        /// Elements of a row that is asked for ahead of its use, where it comes from afar.
        const long = 8 * kc;

        /// Lines ahead: 1.08 to 1.13 times as fast at 4096×3840 in f32, at 4096×4096 and 1024×3840 in f64. Eight gain less.
        const lines_ahead = 4;

        /// Sums of a block of rows, the second eight `next` elements behind the first: twice eight pointers would not fit the registers.
        inline fn chains(comptime sets: usize, comptime asks: bool, from: *const [eight][*]const T, next: isize, x: [*]const T, depth: usize) [sets * eight]T {
            @setEvalBranchQuota(100_000);
            const line = 64 / @sizeOf(T);
            const part = 16 / @sizeOf(T);
            const groups = eight / c_lanes;
            // The exact emulation of a multiply-add is long: unrolled no further than it must be.
            const unrolled = if (simd.has_fma) line else part;
            var sum: [sets][groups]C = @splat(@splat(@splat(0)));
            var k: usize = 0;
            while (k + unrolled <= depth) : (k += unrolled) {
                inline for (&sum, 0..) |*of_set, set| {
                    const at = @as(isize, @intCast(k)) + @as(isize, set) * next;
                    if (asks) inline for (from) |row| @prefetch(kernel.step(T, row, at + lines_ahead * line), .{});
                    inline for (0..unrolled / part) |q| inline for (of_set, 0..) |*s, group| {
                        var rows: [c_lanes][*]const T = undefined;
                        inline for (&rows, from[group * c_lanes ..][0..c_lanes]) |*row, start| row.* = kernel.step(T, start, at + q * part);
                        const columns = simd.loadColumns(C, &rows, 0);
                        inline for (columns, 0..) |column, i| s.* = simd.fma(@as(C, @splat(x[k + q * part + i])), column, s.*);
                    };
                }
            }
            while (k < depth) : (k += 1) {
                inline for (&sum, 0..) |*of_set, set| inline for (of_set, 0..) |*s, group| {
                    var column: [c_lanes]T = undefined;
                    inline for (&column, from[group * c_lanes ..][0..c_lanes]) |*v, row| v.* = kernel.step(T, row, @as(isize, @intCast(k)) + @as(isize, set) * next)[0];
                    s.* = simd.fma(@as(C, @splat(x[k])), @as(C, column), s.*);
                };
            }
            return @bitCast(sum);
        }

        const w_lanes = simd.width(T);
        const W = @Vector(w_lanes, T);

        /// Panels that pass together: chains enough to hide the latency of one.
        const panels_together = 4;

        /// Prepacked panels of `panel` columns. `begin` is a panel's border; the last panel is filled up to whole vectors.
        fn gemvPanels(g: *const Gemv(T)) callconv(.c) void {
            const width: usize = @intCast(g.stride);
            var k0: usize = 0;
            while (k0 < g.k) : (k0 += kc) {
                const depth = @min(kc, g.k - k0);
                const w = g.w + k0 * width;
                var j = g.begin;
                while (j + panels_together * panel <= g.end) : (j += panels_together * panel) panels(panels_together, panel_vectors, g, w, j, k0, depth, panels_together * panel);
                while (j < g.end) : (j += panel) {
                    const have = @min(panel, g.end - j);
                    switch ((have + w_lanes - 1) / w_lanes) {
                        inline 1...panel_vectors => |vectors| panels(1, vectors, g, w, j, k0, depth, have),
                        else => unreachable,
                    }
                }
            }
        }

        const panel = kernel.Panels(T).columns;
        const panel_vectors = panel / w_lanes;

        fn panels(comptime count: usize, comptime vectors: usize, g: *const Gemv(T), w: [*]const T, j: usize, k0: usize, depth: usize, have: usize) void {
            var sum: [count][vectors]W = @splat(@splat(@splat(0)));
            for (0..depth) |k| {
                const x: W = @splat(g.x[k0 + k]);
                inline for (0..count) |p| {
                    const row = w + (j + p * panel) * depth + k * (vectors * w_lanes);
                    inline for (0..vectors) |v| sum[p][v] = simd.fma(x, simd.load(W, row + v * w_lanes), sum[p][v]);
                }
            }
            var sums: [count * panel]T = undefined;
            inline for (0..count) |p| {
                inline for (0..vectors) |v| simd.store(@as([*]T, &sums) + p * panel + v * w_lanes, sum[p][v]);
            }
            close(g, j, &sums, have, k0 == 0);
        }

        fn outer(p: *const Outer(T)) callconv(.c) void {
            for (0..p.rows) |i| {
                const a: V = @splat(kernel.step(T, p.a, @as(isize, @intCast(i)) * p.a_step)[0]);
                const c = p.c + i * p.ldc;
                var j: usize = 0;
                if (p.read_c == 0 and p.passing != 0 and @intFromPtr(c) % 64 == 0) {
                    while (j + 16 <= p.cols) : (j += 16) simd.storePassing(c + j, product(p, a, simd.load(T, p.b + j), @splat(0)));
                } else while (j + 16 <= p.cols) : (j += 16) {
                    simd.store(c + j, product(p, a, simd.load(T, p.b + j), if (p.read_c != 0) simd.load(T, c + j) else @splat(0)));
                }
                if (j == p.cols) continue;
                const left = p.cols - j;
                const old: V = if (p.read_c != 0) simd.loadPartial(T, c + j, left, 0) else @splat(0);
                simd.storePartial(c + j, product(p, a, simd.loadPartial(T, p.b + j, left, 0), old), left);
            }
            if (p.passing != 0) simd.fencePassing();
        }

        /// A chain of one: from 0, so that a product of −0 is 0.
        inline fn product(p: *const Outer(T), a: V, b: V, c: V) V {
            const sum = simd.fma(a, b, @as(V, @splat(0)));
            const alpha: V = @splat(p.alpha);
            if (p.read_c == 0) return alpha * sum;
            return simd.fma(alpha, sum, @as(V, @splat(p.beta)) * c);
        }
    };
}

pub const ukernels = struct {
    pub const gemv_f32_rows = Kernels(f32).gemvRows;
    pub const gemv_f64_rows = Kernels(f64).gemvRows;
    pub const gemv_f32_join = Kernels(f32).gemvJoin;
    pub const gemv_f64_join = Kernels(f64).gemvJoin;
    pub const gemv_f32_turned = Kernels(f32).gemvTurned;
    pub const gemv_f64_turned = Kernels(f64).gemvTurned;
    pub const gemv_f32_panels = Kernels(f32).gemvPanels;
    pub const gemv_f64_panels = Kernels(f64).gemvPanels;
    pub const outer_f32 = Kernels(f32).outer;
    pub const outer_f64 = Kernels(f64).outer;
};

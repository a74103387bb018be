//! Micro-kernels of the matrix product: register tiles over packed panels, packing, and the closing pass over a tile of C.
//!
//! The order of every sum is the contract: one chain of fused multiply-adds per element, k ascending from 0, inside a block of at most 256; block sums
//! join as `c = fma(alpha, sum, beta·c)`. Tiles, panels and instruction sets only change which elements are computed together.

const std = @import("std");
const assert = std.debug.assert;
const simd = @import("../isa/simd.zig");
const math = @import("../isa/math.zig");

/// Register tiles: rows × vectors. Accumulators, one row of B and one broadcast of A have to fit the register file: 14·2 + 2 + 1 of 32 zmm, 6·2 + 2 + 1 of
/// 16 ymm, 8·3 + 3 + 2 of 32 NEON registers. Without hardware FMA the exact emulation is some twenty times slower, and small tiles keep its code small.
const rows_max = switch (simd.isa) {
    .avx512 => 14,
    .avx2 => 6,
    .neon => 8,
    .portable => 4,
};
const vectors_max = switch (simd.isa) {
    .avx512, .avx2, .portable => 2,
    .neon => 3,
};

/// Rows of B that a tile asks for ahead of their use; 0 leaves it to the hardware, whose prefetcher gives up on strides beyond 2 KiB. With B read in place
/// from the second level, rows of 4 KiB: 0.975 of the peak with 4, 0.92 without; packed tiles gain as soon as B is larger than the second level. Measured
/// on x86 only.
const ahead = switch (simd.isa) {
    .avx512, .avx2 => 4,
    .neon, .portable => 0,
};

/// Whether a strip may ask for the next panel of A, which takes a loop of its own: 512×768×3072 of f64 is no faster with it (Zen 3).
fn fetchesPanels(comptime T: type) bool {
    return ahead > 0 and T == f32;
}

/// Column tiles of C against every row panel of a block of A. A panel stays in the first-level cache while the tiles of B stream past it, and its rows of C
/// are written from left to right.
pub fn Strip(comptime T: type) type {
    return extern struct {
        a: [*]const T,
        a_form: Form,
        /// Where A is read in place: elements from one row to the next, or, its rows side by side, from one k to the next.
        lda: usize,
        /// Rows of the highest panel, at most the tile's.
        panel_rows: usize,
        /// Tiles of B, `b_next` apart: one row of whole vectors for each k, rows `ldb` apart.
        b: [*]const T,
        ldb: usize,
        b_next: usize,
        /// The last tile where it is not a full one.
        b_last: [*]const T,
        ldb_last: usize,
        /// Whether B comes from afar: then the first row panel asks for the next tile's rows while it works on one, not for a few rows ahead.
        b_far: u32,
        /// Whether A, its k side by side, comes from afar: then tiles ask for the next row panel.
        a_far: u32,
        c: [*]T,
        ldc: usize,
        rows: usize,
        cols: usize,
        k: usize,
        alpha: T,
        /// Factor of what C holds; C is not read where `read_c` is 0.
        beta: T,
        read_c: u32,
        /// Whether these sums are the last ones: then bias and epilogue follow.
        closes: u32,
        bias: ?[*]const T,
        epilogue: Epilogue,
    };
}

/// Column panels of B as a pack or a prepacked weight holds them.
pub fn Panels(comptime T: type) type {
    return struct {
        pub const columns = vectors_max * simd.width(T);
    };
}

/// How a strip finds A: packed panels, one behind the other, each `k × its rows`; or the matrix itself, k side by side or its rows side by side.
pub const Form = enum(u32) { panels, k_contiguous, rows_contiguous };

/// Rows dealt evenly: the first parts have one more than the others where they do not come out even.
pub const Deal = struct {
    each: usize,
    more: usize,

    pub inline fn of(rows: usize, parts: usize) Deal {
        return .{ .each = rows / parts, .more = rows % parts };
    }

    pub inline fn start(d: Deal, part: usize) usize {
        return part * d.each + @min(part, d.more);
    }
};

/// Rows or columns of an operand to pack, `count` in all, each `k` deep. Panel after panel, each holds `k` times its width.
pub fn Pack(comptime T: type) type {
    return extern struct {
        out: [*]T,
        in: [*]const T,
        count: usize,
        panels: usize,
        /// Of every panel but the last, which is cut to whole vectors and filled up with zeros; 0 deals the rows evenly, without filling.
        width: usize,
        /// Elements from one panel to the next, where they have a width; else they follow each other.
        panel_stride: usize,
        k: usize,
        /// The part of k to pack. Only elements that lie side by side are packed in parts.
        k_begin: usize,
        k_end: usize,
        /// Distance in elements from one of the `count` to the next, and from one k to the next.
        stride: isize,
        stride_k: isize,
    };
}

pub const Epilogue = enum(u32) { none, relu, gelu, silu };

/// The closing pass over a tile of C: bias, then activation.
pub fn Close(comptime T: type) type {
    return extern struct {
        c: [*]T,
        ldc: usize,
        rows: usize,
        cols: usize,
        bias: ?[*]const T,
        epilogue: Epilogue,
    };
}

/// The same pointer, kept in a register: the compiler would otherwise derive each row's address anew from the row before it, an addition a row and k.
inline fn kept(comptime T: type, p: [*]const T) [*]const T {
    return asm (""
        : [out] "=r" (-> [*]const T),
        : [in] "0" (p),
    );
}

/// The same bytes, kept in a register: a multiple of elements would be added up anew for each row, since no addressing mode multiplies by sixteen.
inline fn keptBytes(n: usize) usize {
    return asm (""
        : [out] "=r" (-> usize),
        : [in] "0" (n),
    );
}

/// The address some elements on or back: strides may be negative.
pub inline fn step(comptime T: type, from: [*]const T, elements: isize) [*]const T {
    return @ptrFromInt(@intFromPtr(from) +% @as(usize, @bitCast(elements * @sizeOf(T))));
}

fn Kernels(comptime T: type) type {
    return struct {
        const w = simd.width(T);
        const V = @Vector(w, T);

        /// rows_max in the upper half, columns of a full tile in the lower.
        fn shape() callconv(.c) u32 {
            return rows_max << 16 | Panels(T).columns << 8 | w;
        }

        fn strip(s: *const Strip(T)) callconv(.c) void {
            @setEvalBranchQuota(1_000_000);
            const panels = std.math.divCeil(usize, s.rows, s.panel_rows) catch unreachable;
            const deal: Deal = .of(s.rows, panels);
            for (0..panels) |p| {
                const from = deal.start(p);
                const c = s.c + from * s.ldc;
                const far = p == 0 and s.b_far != 0;
                switch (deal.start(p + 1) - from) {
                    inline 1...rows_max => |r| switch (s.a_form) {
                        .panels => tiles(r, false, s, s.a + from * s.k, r, c, far),
                        .rows_contiguous => tiles(r, false, s, s.a + from, s.lda, c, far),
                        .k_contiguous => tiles(r, true, s, s.a + from * s.lda, 1, c, far),
                    },
                    else => unreachable,
                }
                if (s.closes != 0) close(&.{ .c = c, .ldc = s.ldc, .rows = deal.start(p + 1) - from, .cols = s.cols, .bias = s.bias, .epilogue = s.epilogue });
            }
        }

        inline fn tiles(comptime rows: usize, comptime spread: bool, s: *const Strip(T), a: [*]const T, a_next: usize, c: [*]T, far: bool) void {
            var b = s.b;
            var j: usize = 0;
            while (j < s.cols) : (j += vectors_max * w) {
                const cols = @min(vectors_max * w, s.cols - j);
                const full = cols == vectors_max * w;
                const ldb = if (full) s.ldb else s.ldb_last;
                const walk: Walk = .{
                    .a_next = a_next,
                    .ldb = ldb,
                    .ahead = if (far) s.b_next else ahead * ldb,
                };
                const from = if (full) b else s.b_last;
                if (spread and fetchesPanels(T) and s.a_far != 0 and full and j == 0) {
                    tile(rows, vectors_max, .spread_fetching, s, a, from, walk, c, cols);
                } else switch ((cols + w - 1) / w) {
                    inline 1...vectors_max => |nv| tile(rows, nv, if (spread) .spread else .dense, s, a, from, walk, c + j, cols),
                    else => unreachable,
                }
                b += s.b_next;
            }
        }

        const Walk = struct {
            /// Elements from one k of A to the next, where a panel's rows lie side by side.
            a_next: usize,
            /// Elements from one row of B to the next, and to the one to ask for.
            ldb: usize,
            ahead: usize,
        };

        const Rows = enum {
            /// Side by side, one k `a_next` behind the other.
            dense,
            /// `lda` apart.
            spread,
            /// `lda` apart and from afar: while the first tile is computed, the next panel is asked for, whose rows are short stretches of memory that the
            /// hardware's prefetcher does not get to know.
            spread_fetching,
        };

        inline fn tile(comptime rows: usize, comptime nv: usize, comptime form: Rows, s: *const Strip(T), a: [*]const T, b_tile: [*]const T, walk: Walk, c: [*]T, cols: usize) void {
            const spread = form != .dense;
            const ldc = s.ldc;
            // The rows of C are wanted only after the chain; their way from memory overlaps a long one (5 to 10 % from 256³ up). A short
            // one's C is small and near: 4 % at 16³.
            if (s.k >= 128) {
                comptime var line = 0;
                // Rows a multiple of 4 KiB apart share the sets of the first level, where their second lines would drive A and B out: 3 % at 1024³.
                inline while (line < nv * w * @sizeOf(T)) : (line += 64) {
                    if (line == 0 or ldc * @sizeOf(T) % 4096 != 0) {
                        inline for (0..rows) |i| @prefetch(c + i * ldc + line / @sizeOf(T), .{ .rw = .write });
                    }
                }
            }
            var acc: [rows][nv]V = @splat(@splat(@splat(0)));
            // One pointer for three rows: base, base + lda and base + 2·lda are one addressing mode each, and all pointers fit the registers. In elements of
            // f64 they are not: counted in bytes, products of f64 run 1.3 times as fast (0.9 of the peak, Zen 3).
            const group = 3;
            var from: [if (spread) (rows + group - 1) / group else 1][*]const T = undefined;
            inline for (&from, 0..) |*base, g| base.* = a + g * group * s.lda;
            var b = b_tile;
            var left = s.k;
            const lda_bytes = keptBytes(s.lda * @sizeOf(T));
            // Two k a turn halve what the loop itself costs. Without FMA in hardware that is nothing, and each k much code.
            const unroll = if (simd.has_fma) 2 else 1;
            while (left >= unroll) {
                // A line of memory at a time: the same one of each row of the next panel.
                var lines = if (form == .spread_fetching) @min(left, 64 / @sizeOf(T)) else left;
                if (form == .spread_fetching) {
                    inline for (0..rows) |i| @prefetch(from[i / group] + (rows + i % group) * s.lda, .{ .locality = 2 });
                }
                left -= lines / unroll * unroll;
                while (lines >= unroll) : (lines -= unroll) {
                    inline for (0..unroll) |u| depth(rows, nv, spread, u, &acc, &from, lda_bytes, walk, b + u * walk.ldb);
                    inline for (&from) |*base| base.* = kept(T, base.* + (if (spread) unroll else unroll * walk.a_next));
                    b += unroll * walk.ldb;
                }
            }
            if (unroll > 1 and left > 0) depth(rows, nv, spread, 0, &acc, &from, lda_bytes, walk, b);
            const alpha: V = @splat(s.alpha);
            if (cols < nv * w) {
                var sums: [rows_max * nv]V = undefined;
                inline for (0..rows) |i| {
                    inline for (0..nv) |j| sums[i * nv + j] = acc[i][j];
                }
                return partial(nv, &sums, s, c, rows, cols);
            }
            // All of C is read before any of it is written: with rows a multiple of 4 KiB apart a load would wait for the store before it, whose address
            // has the same last twelve bits. 5 % at a row length of 1024.
            if (s.read_c != 0) {
                inline for (0..rows) |i| {
                    inline for (0..nv) |j| acc[i][j] = join(alpha, acc[i][j], s, simd.load(V, c + i * ldc + j * w));
                }
            } else if (s.alpha != 1) {
                inline for (0..rows) |i| {
                    inline for (0..nv) |j| acc[i][j] = alpha * acc[i][j];
                }
            }
            inline for (0..rows) |i| {
                inline for (0..nv) |j| simd.store(c + i * ldc + j * w, acc[i][j]);
            }
        }

        /// One k of a tile, `u` behind the pointers.
        inline fn depth(comptime rows: usize, comptime nv: usize, comptime spread: bool, comptime u: usize, acc: *[rows][nv]V, from: anytype, lda_bytes: usize, walk: Walk, b: [*]const T) void {
            if (ahead > 0) {
                comptime var line = 0;
                inline while (line < nv * w * @sizeOf(T)) : (line += 64) @prefetch(b + walk.ahead + line / @sizeOf(T), .{});
            }
            var bv: [nv]V = undefined;
            inline for (0..nv) |j| bv[j] = simd.load(V, b + j * w);
            inline for (0..rows) |i| {
                const av: V = @splat(if (spread) @as([*]const T, @ptrFromInt(@intFromPtr(from[i / 3]) + i % 3 * lda_bytes))[u] else (from[0] + u * walk.a_next)[i]);
                inline for (0..nv) |j| acc[i][j] = simd.fma(av, bv[j], acc[i][j]);
            }
        }

        inline fn join(alpha: V, sum: V, s: *const Strip(T), c: V) V {
            if (s.read_c == 0) return alpha * sum;
            return simd.fma(alpha, sum, @as(V, @splat(s.beta)) * c);
        }

        /// A tile whose last vector sticks out of C.
        noinline fn partial(comptime nv: usize, sums: *const [rows_max * nv]V, s: *const Strip(T), c: [*]T, rows: usize, cols: usize) void {
            const alpha: V = @splat(s.alpha);
            const tail = cols - (nv - 1) * w;
            for (0..rows) |i| {
                const row = c + i * s.ldc;
                inline for (0..nv - 1) |j| {
                    const at = row + j * w;
                    simd.store(at, join(alpha, sums[i * nv + j], s, if (s.read_c != 0) simd.load(V, at) else @splat(0)));
                }
                const at = row + (nv - 1) * w;
                const old: V = if (s.read_c != 0) simd.loadPartial(V, at, tail, 0) else @splat(0);
                simd.storePartial(at, join(alpha, sums[i * nv + nv - 1], s, old), tail);
            }
        }

        const Panel = struct { start: usize, count: usize, width: usize, out: [*]T };

        inline fn panelOf(p: *const Pack(T), deal: Deal, i: usize) Panel {
            if (p.width == 0) {
                const start = deal.start(i);
                const count = deal.start(i + 1) - start;
                return .{ .start = start, .count = count, .width = count, .out = p.out + start * p.k };
            }
            const start = i * p.width;
            const count = @min(p.width, p.count - start);
            return .{ .start = start, .count = count, .width = (count + w - 1) / w * w, .out = p.out + i * p.panel_stride };
        }

        fn pack(p: *const Pack(T)) callconv(.c) void {
            if (p.stride == 1) return packCopy(p);
            const deal: Deal = .of(p.count, p.panels);
            for (0..p.panels) |i| {
                const panel = panelOf(p, deal, i);
                const in = step(T, p.in, @as(isize, @intCast(panel.start)) * p.stride);
                const out = panel.out;
                if (p.stride_k == 1 and p.k >= side) {
                    packTurn(p, out, in, panel);
                } else packPlain(p, out, in, panel, 0);
            }
        }

        const copy_ahead = 16;

        /// Vectors that hold any row panel.
        const panel_vectors = (rows_max + w - 1) / w;

        /// The elements of one k lie side by side: copy them, k by k through all panels, so that memory is read in order. A whole vector is read where
        /// the row goes on, and stored where what sticks out of its place falls on the next k of the panel, which comes later.
        fn packCopy(p: *const Pack(T)) void {
            const deal: Deal = .of(p.count, p.panels);
            const whole = panel_vectors * w;
            for (p.k_begin..p.k_end) |kk| {
                const in = step(T, p.in, @as(isize, @intCast(kk)) * p.stride_k);
                // A few rows ahead: where each is a short stretch of a page of its own, the hardware's prefetcher does not get to know them.
                const coming = step(T, in, copy_ahead * p.stride_k);
                var line: usize = 0;
                while (line < p.count) : (line += 64 / @sizeOf(T)) @prefetch(coming + line, .{ .locality = 2 });
                var i: usize = 0;
                if (p.width == 0) {
                    if ((p.k - kk) * deal.each >= whole) {
                        i = copyPanels(p, in, kk, 0, 0, deal.more, deal.each + 1);
                        if (i == deal.more) i = copyPanels(p, in, kk, deal.more * (deal.each + 1), i, p.panels, deal.each);
                    }
                } else {
                    const full = p.count / p.width;
                    var to = p.out + kk * p.width;
                    while (i < full) : (i += 1) {
                        inline for (0..vectors_max) |j| simd.store(to + j * w, simd.load(V, in + i * p.width + j * w));
                        to += p.panel_stride;
                    }
                }
                while (i < p.panels) : (i += 1) {
                    const panel = panelOf(p, deal, i);
                    copyExactly(panel.out + kk * panel.width, in + panel.start, panel);
                }
            }
        }

        /// Copies one k of the panels from `first` on, all of one width, as long as whole vectors of the row are left. Returns the panel it stopped at.
        inline fn copyPanels(p: *const Pack(T), in: [*]const T, kk: usize, first_start: usize, first: usize, end: usize, width: usize) usize {
            const whole = panel_vectors * w;
            var start = first_start;
            var to = p.out + start * p.k + kk * width;
            var i = first;
            while (i < end and start + whole <= p.count) : (i += 1) {
                inline for (0..panel_vectors) |j| simd.store(to + j * w, simd.load(V, in + start + j * w));
                start += width;
                to += width * p.k;
            }
            return i;
        }

        fn copyExactly(to: [*]T, from: [*]const T, panel: Panel) void {
            var j: usize = 0;
            while (j + w <= panel.count) : (j += w) simd.store(to + j, simd.load(V, from + j));
            if (j == panel.count) return;
            const v = simd.loadPartial(V, from + j, panel.count - j, 0);
            // A panel that is filled up with zeros has room for the whole vector.
            if (panel.width > panel.count) simd.store(to + j, v) else simd.storePartial(to + j, v, panel.count - j);
        }

        /// Rows and columns of a tile that is transposed in registers.
        const side = 64 / @sizeOf(T);

        /// The k of one element lie side by side: transpose square tiles in registers. A panel narrower than a tile is stored by whole vectors all the
        /// same, k ascending: what sticks out falls on the next k, which comes later. Only where that would pass the panel's end are stores cut.
        fn packTurn(p: *const Pack(T), to: [*]T, in: [*]const T, panel: Panel) void {
            const blocks = p.k / side;
            const width = panel.width;
            var i: usize = 0;
            while (i < width) : (i += side) {
                const rows = @min(side, width - i);
                const have = @min(rows, panel.count -| i);
                var from: [side][*]const T = @splat(&nothing);
                for (from[0..have], i..) |*row, r| row.* = step(T, in, @as(isize, @intCast(r)) * p.stride);
                for (0..blocks) |block| {
                    // The rows behind these: short stretches of memory that the hardware's prefetcher does not get to know.
                    for (from[0..have]) |row| @prefetch(step(T, row, side * p.stride), .{});
                    const turned = simd.loadTurned(T, &from);
                    for (from[0..have]) |*row| row.* += side;
                    const out = to + block * side * width + i;
                    if (rows == side or (width < side and (block * side + side - 1) * width + side <= p.k * width)) {
                        inline for (0..side) |kk| simd.store(out + kk * width, turned[kk]);
                    } else for (&turned, 0..) |v, kk| simd.storePartial(out + kk * width, v, rows);
                }
            }
            packPlain(p, to, in, panel, blocks * side);
        }

        /// What a row behind the last one is read from.
        const nothing: [side]T = @splat(0);

        fn packPlain(p: *const Pack(T), to: [*]T, in: [*]const T, panel: Panel, from: usize) void {
            for (from..p.k) |kk| {
                const out = to + kk * panel.width;
                var at = step(T, in, @as(isize, @intCast(kk)) * p.stride_k);
                for (0..panel.count) |i| {
                    out[i] = at[0];
                    at = step(T, at, p.stride);
                }
                for (panel.count..panel.width) |i| out[i] = 0;
            }
        }

        /// C := beta·C without reading it where beta is 0: what is left of a product of nothing.
        fn scale(c: [*]T, ldc: usize, rows: usize, cols: usize, beta: T) callconv(.c) void {
            for (0..rows) |i| {
                for ((c + i * ldc)[0..cols]) |*x| x.* = if (beta == 0) 0 else beta * x.*;
            }
        }

        fn close(p: *const Close(T)) callconv(.c) void {
            switch (p.epilogue) {
                inline else => |e| closeRows(e, p),
            }
        }

        fn closeRows(comptime epilogue: Epilogue, p: *const Close(T)) void {
            const lanes = simd.lanes;
            for (0..p.rows) |i| {
                const row = p.c + i * p.ldc;
                var j: usize = 0;
                while (j + lanes <= p.cols) : (j += lanes) {
                    var v = simd.load(T, row + j);
                    if (p.bias) |bias| v += simd.load(T, bias + j);
                    simd.store(row + j, activate(epilogue, v));
                }
                if (j < p.cols) {
                    var v = simd.loadPartial(T, row + j, p.cols - j, 0);
                    if (p.bias) |bias| v += simd.loadPartial(T, bias + j, p.cols - j, 0);
                    simd.storePartial(row + j, activate(epilogue, v), p.cols - j);
                }
            }
        }

        inline fn activate(comptime epilogue: Epilogue, v: simd.Vec(T)) simd.Vec(T) {
            return switch (epilogue) {
                .none => v,
                .relu => @select(T, v < @as(simd.Vec(T), @splat(0)), @as(simd.Vec(T), @splat(0)), v),
                .gelu => math.geluErf(v),
                .silu => math.silu(v),
            };
        }
    };
}

pub const ukernels = struct {
    pub const gemm_f32_shape = Kernels(f32).shape;
    pub const gemm_f64_shape = Kernels(f64).shape;
    pub const gemm_f32_strip = Kernels(f32).strip;
    pub const gemm_f64_strip = Kernels(f64).strip;
    pub const gemm_f32_pack = Kernels(f32).pack;
    pub const gemm_f64_pack = Kernels(f64).pack;
    pub const gemm_f32_scale = Kernels(f32).scale;
    pub const gemm_f64_scale = Kernels(f64).scale;
    pub const gemm_f32_close = Kernels(f32).close;
    pub const gemm_f64_close = Kernels(f64).close;
};

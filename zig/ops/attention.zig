//! Scaled dot-product attention, fused: out = softmax(scale·Q Kᵀ + mask)·V for each sequence and head, and its gradients, without ever holding the matrix of
//! probabilities (Dao, Fu, Ermon, Rudra and Ré, "FlashAttention: fast and memory-efficient exact attention with IO-awareness", 2022).
//!
//! A tile of scores holds a block of keys against a few queries, key by key: Sᵀ = K·Qᵀ, so that K is read where it lies and a softmax runs down the tile
//! (row/scores.zig). For each block of keys: m = max S, p = exp(S − m), l = Σp, o = p·V; the blocks of one query join in order by
//! M = max(m, m'): l = l·exp(m − M) + l'·exp(m' − M), o likewise. In the end out = o/l. Each part is relative to its own block's maximum, so that it does
//! not depend on the blocks before it. Backward keeps of each query its maximum m and 1/l, the log-sum-exp in two parts: as one number it would lose l where
//! logits are large.
//!
//! Backward computes each tile anew. With D = Σ dY·Y of a query: P = exp(S − m)/l, dS = P∘(dY·Vᵀ − D), dV = Pᵀ·dY, dK = scale·dSᵀ·Q, dQ = scale·dS·K.
//!
//! The order of sums is fixed by sizes alone. A score is a chain of fused multiply-adds over the width as in a product. Over the keys a chain runs within a
//! block of 256 keys, counted from the sequence's first; over the queries, for dK and dV, within a block of 64; blocks join in order, heads of a group too.
//! Which queries share a tile, and who computes it, decides nothing. A hidden key takes part as an exact zero.

const std = @import("std");
const assert = std.debug.assert;
const blocking = @import("../gemm/blocking.zig");
const device = @import("../device.zig");
const on_gpu = @import("../gpu/attention.zig");
const gemm = @import("../gemm/kernel.zig");
const gemv = @import("../gemm/vector.zig");
const memory = @import("../memory.zig");
const pool = @import("../parallel/pool.zig");
const product = @import("../gemm/product.zig");
const resolve = @import("../parallel/resolve.zig");
const scores = @import("../row/scores.zig");
const simd = @import("../isa/simd.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Explanation = @import("../explain.zig").Explanation;
const Tensor = tensor.Tensor;

/// Keys of a block: the depth of a chain of the product with V and of dQ. As deep as a block of a product, so that one call of its kernel makes it.
const key_block = blocking.kc;
/// Queries of a tile in forward: a tile of scores, 256·32 floats, stays in the first-level cache.
const forward_queries = 32;
/// Tiles of a job in forward, at most: they share a block of keys and values that was copied out of rows far apart.
const tiles_max = 8;
/// Queries of a tile in backward: the depth of a chain of dK and dV, and so part of the contract.
const backward_queries = 64;
/// Blocks of queries, and elements of them, that a job of backward keeps as the products take them, from one block of keys to the next: in f32 half a MiB,
/// four copies of 512 queries of 64 numbers.
const kept_max = 64;
const kept_elements_max = 512 * 64;

/// The rows of one operand: `[batch, heads, rows, width]` anywhere in memory, the width side by side.
fn Matrix(comptime T: type) type {
    return struct {
        first: [*]T,
        batch: isize,
        head: isize,
        row: usize,

        fn of(t: *const Tensor) Error!@This() {
            if (t.fromEnd(0) > 1 and t.strideFromEnd(0) != 1) return error.LayoutMismatch;
            const row = if (t.fromEnd(1) > 1) t.strideFromEnd(1) else @as(isize, @intCast(t.fromEnd(0)));
            if (row < 0) return error.LayoutMismatch;
            return .{
                .first = t.ptr(T),
                .batch = if (t.fromEnd(3) > 1) t.strideFromEnd(3) else 0,
                .head = if (t.fromEnd(2) > 1) t.strideFromEnd(2) else 0,
                .row = @intCast(row),
            };
        }

        fn at(m: @This(), batch: usize, head: usize, row: usize) [*]T {
            const b: isize = @intCast(batch);
            const h: isize = @intCast(head);
            return @constCast(gemm.step(T, m.first, b * m.batch + h * m.head)) + row * m.row;
        }
    };
}

/// The mask's elements by strides, 0 where an axis is broadcast.
const Mask = struct {
    first: ?[*]const u8 = null,
    kind: scores.MaskKind = .none,
    element: isize = 0,
    batch: isize = 0,
    head: isize = 0,
    query: isize = 0,
    key: isize = 0,

    fn at(m: Mask, batch: usize, head: usize, query: usize, key: usize) ?*const anyopaque {
        const first = m.first orelse return null;
        const elements = signed(batch) * m.batch + signed(head) * m.head + signed(query) * m.query + signed(key) * m.key;
        return @ptrFromInt(@intFromPtr(first) +% @as(usize, @bitCast(elements * m.element)));
    }
};

fn signed(n: usize) isize {
    return @intCast(n);
}

/// A distance that hides nothing.
const far: isize = std.math.maxInt(isize) / 4;

/// Queries and keys that belong together, whole axes or parts of one packed axis.
const Sequence = struct { batch: usize, q: usize, k: usize, queries: usize, keys: usize };

const Span = struct { begin: usize, end: usize };

/// The keys of a block that each sixteen queries of a tile see, in sixteens, no edge of which goes back from one sixteen to the next. With `causal` they are a
/// flight of stairs, beyond which nothing is computed: 16 times 4 heads of 128 positions, width 32, one core of a Zen 3: backward takes 0.79 of the time that
/// it takes with whole tiles, forward 0.91.
const Stairs = struct {
    queries: usize,
    spans: [@max(forward_queries, backward_queries) / each]Span = undefined,

    /// Queries that go together: a vector of the softmax.
    const each = simd.lanes;

    /// Keys and queries all of which are computed together.
    const Stair = struct { keys: Span, queries: Span };

    fn groups(s: *const Stairs) usize {
        return std.math.divCeil(usize, s.queries, each) catch unreachable;
    }

    fn first(s: *const Stairs) ?Stair {
        return s.from(s.spans[0].begin);
    }

    /// Walks keys: the next ones that the same queries see.
    fn after(s: *const Stairs, stair: Stair) ?Stair {
        return s.from(stair.keys.end);
    }

    fn from(s: *const Stairs, key: usize) ?Stair {
        var stair: Stair = .{ .keys = .{ .begin = key, .end = std.math.maxInt(usize) }, .queries = .{ .begin = 0, .end = 0 } };
        for (s.spans[0..s.groups()], 0..) |span, g| {
            if (key >= span.end) {
                stair.queries = .{ .begin = (g + 1) * each, .end = (g + 1) * each };
            } else if (key < span.begin) {
                stair.keys.end = @min(stair.keys.end, span.begin);
            } else {
                stair.keys.end = @min(stair.keys.end, span.end);
                stair.queries.end = @min(s.queries, (g + 1) * each);
            }
        }
        return if (stair.queries.begin < s.queries) stair else null;
    }

    /// Walks queries: the next ones, from `query` on, that see the same keys.
    fn alike(s: *const Stairs, query: usize) ?Stair {
        if (query >= s.queries) return null;
        const keys = s.spans[query / each];
        var g = query / each + 1;
        while (g < s.groups() and s.spans[g].begin == keys.begin and s.spans[g].end == keys.end) g += 1;
        return .{ .keys = keys, .queries = .{ .begin = query, .end = @min(s.queries, g * each) } };
    }
};

/// What forward and backward share, checked.
fn Problem(comptime T: type) type {
    return struct {
        q: Matrix(T),
        k: Matrix(T),
        v: Matrix(T),
        mask: Mask = .{},
        sequences: usize,
        heads: usize,
        kv_heads: usize,
        /// Rows of the axes; of one sequence where there are no offsets.
        queries: usize,
        keys: usize,
        width: usize,
        q_offsets: ?[*]const u32 = null,
        k_offsets: ?[*]const u32 = null,
        /// A query sees so many keys before its own position, and so many behind it.
        left: isize,
        right: isize,
        /// Positions from one query to the next: 0 where the rows are heads of one query.
        step: isize = 1,
        scale: T,

        fn sequence(p: *const @This(), s: usize) Sequence {
            const q = p.q_offsets orelse return .{ .batch = s, .q = 0, .k = 0, .queries = p.queries, .keys = p.keys };
            const k = p.k_offsets.?;
            return .{ .batch = 0, .q = q[s], .k = k[s], .queries = q[s + 1] - q[s], .keys = k[s + 1] - k[s] };
        }

        /// The position of a query among the keys: both ends of a sequence meet.
        fn position(p: *const @This(), s: *const Sequence, query: usize) isize {
            if (p.step == 0) return signed(s.keys) - 1;
            return signed(query) + signed(s.keys) - signed(s.queries);
        }

        /// The keys that some of these queries see.
        fn seen(p: *const @This(), s: *const Sequence, query: usize, count: usize) Span {
            const end = std.math.clamp(p.position(s, query + count - 1) + p.right + 1, 0, signed(s.keys));
            const begin = std.math.clamp(p.position(s, query) - p.left, 0, end);
            return .{ .begin = @intCast(begin), .end = @intCast(end) };
        }

        /// Pairs of a query and a key that it sees, of one head, or a few more: masks and offsets may leave out more.
        fn pairs(p: *const @This()) u64 {
            var n: u64 = 0;
            for (0..p.sequences) |s| {
                const one = p.sequence(s);
                const window: u64 = @min(one.keys, @as(u64, @intCast(p.left +| p.right +| 1)));
                const all = @as(u64, one.queries) *| window;
                // Causal: of as many keys as there are queries half.
                const square = @min(one.queries, window);
                n +|= all - (if (p.right == 0) square * (square -| 1) / 2 else 0);
                if (p.q_offsets == null) return n *| p.sequences;
            }
            return n;
        }

        /// Heads that share keys and values; none where there are no heads.
        pub fn group(p: *const @This()) usize {
            return p.heads / @max(1, p.kv_heads);
        }

        /// Where a query's statistics are.
        fn place(p: *const @This(), s: *const Sequence, head: usize, query: usize) usize {
            return (s.batch * p.heads + head) * p.queries + s.q + query;
        }

        /// Sequences one after another on one axis: how many blocks of `size` there are in each.
        fn blocks(p: *const @This(), comptime axis: enum { queries, keys }, size: usize) Blocks {
            const offsets = if (axis == .queries) p.q_offsets else p.k_offsets;
            const rows = if (axis == .queries) p.queries else p.keys;
            return .{ .offsets = offsets, .sequences = p.sequences, .each = std.math.divCeil(usize, rows, size) catch unreachable, .size = size };
        }
    };
}

/// Blocks of rows of each sequence and head, as jobs: the blocks of a head follow each other.
const Blocks = struct {
    offsets: ?[*]const u32,
    sequences: usize,
    /// Blocks of all rows of the axis.
    each: usize,
    size: usize,

    const Found = struct { sequence: usize, head: usize, block: usize, blocks: usize };

    /// Places for blocks on one axis: what sequences of no fixed length leave empty is skipped.
    fn places(b: Blocks) usize {
        return if (b.offsets == null) b.each else b.each + b.sequences;
    }

    fn jobs(b: Blocks, heads: usize) usize {
        return b.places() *| heads *| (if (b.offsets == null) b.sequences else 1);
    }

    /// The block behind a job. On a packed axis the blocks of sequence s begin at place s + offset/size, which leaves each sequence its own: it has at most
    /// one block that is not whole.
    fn find(b: Blocks, heads: usize, job: usize) ?Found {
        const row = job / b.places();
        const place = job % b.places();
        const offsets = b.offsets orelse return .{ .sequence = row / heads, .head = row % heads, .block = place, .blocks = b.each };
        var low: usize = 0;
        var high = b.sequences;
        while (high - low > 1) {
            const middle = low + (high - low) / 2;
            if (middle + offsets[middle] / b.size <= place) low = middle else high = middle;
        }
        const n = std.math.divCeil(usize, offsets[low + 1] - offsets[low], b.size) catch unreachable;
        const block = place - (low + offsets[low] / b.size);
        return if (block < n) .{ .sequence = low, .head = row, .block = block, .blocks = n } else null;
    }
};

/// Kernels and tile of a device.
fn Kernels(comptime T: type) type {
    return struct {
        gemm: product.Kernels(T),
        gemv_rows: *const fn (*const gemv.Gemv(T)) callconv(.c) void,
        gemv_turned: *const fn (*const gemv.Gemv(T)) callconv(.c) void,
        softmax: *const fn (*const scores.Softmax(T)) callconv(.c) void,
        join: *const fn (*const scores.Join(T)) callconv(.c) void,
        finish: *const fn (*const scores.Finish(T)) callconv(.c) void,
        gradient: *const fn (*const scores.Gradient(T)) callconv(.c) void,
        delta: *const fn (*const scores.Delta(T)) callconv(.c) void,
        copy: *const fn (*const scores.Copy(T)) callconv(.c) void,

        const prefix = "attention_" ++ @typeName(T) ++ "_";

        fn of(d: *const Device) @This() {
            return .{
                .gemm = .of(d),
                .gemv_rows = d.kernel(fn (*const gemv.Gemv(T)) callconv(.c) void, "gemv_" ++ @typeName(T) ++ "_rows"),
                .gemv_turned = d.kernel(fn (*const gemv.Gemv(T)) callconv(.c) void, "gemv_" ++ @typeName(T) ++ "_turned"),
                .softmax = d.kernel(fn (*const scores.Softmax(T)) callconv(.c) void, prefix ++ "softmax"),
                .join = d.kernel(fn (*const scores.Join(T)) callconv(.c) void, prefix ++ "join"),
                .finish = d.kernel(fn (*const scores.Finish(T)) callconv(.c) void, prefix ++ "finish"),
                .gradient = d.kernel(fn (*const scores.Gradient(T)) callconv(.c) void, prefix ++ "gradient"),
                .delta = d.kernel(fn (*const scores.Delta(T)) callconv(.c) void, prefix ++ "delta"),
                .copy = d.kernel(fn (*const scores.Copy(T)) callconv(.c) void, prefix ++ "copy"),
            };
        }
    };
}

/// The right operand of a product as the kernel takes it.
fn Right(comptime T: type) type {
    return struct {
        b: [*]const T,
        ld: usize,
        next: usize,
        last: [*]const T,
        ld_last: usize,

        /// The operand from its row `k` on.
        fn from(r: @This(), k: usize) @This() {
            var part = r;
            part.b += k * r.ld;
            part.last += k * r.ld_last;
            return part;
        }
    };
}

/// Rows of K or V as a product's left operand.
fn Rows(comptime T: type) type {
    return struct {
        first: [*]const T,
        stride: usize,

        fn from(r: @This(), row: usize) @This() {
            return .{ .first = r.first + row * r.stride, .stride = r.stride };
        }
    };
}

/// The left operand.
fn Left(comptime T: type) type {
    return struct { a: [*]const T, ld: usize, form: gemm.Form };
}

/// Scratch of a worker, in elements from its begin on.
const Room = struct {
    len: usize = 0,

    fn take(r: *Room, len: usize) usize {
        defer r.len += product.align16(len);
        return r.len;
    }
};

/// What forward and backward do with a tile of scores.
fn Tiles(comptime T: type) type {
    return struct {
        p: Problem(T),
        kernels: Kernels(T),
        /// Elements from one key's scores to the next.
        ld: usize,

        const Self = @This();

        /// Room for the transpose of so many rows.
        fn turnedLen(self: *const Self, rows: usize) usize {
            return blocking.roundUp(rows, self.kernels.gemm.tile.nr) * self.p.width;
        }

        /// Room for rows that a product reads as its right operand.
        fn rightLen(self: *const Self, rows: usize) usize {
            return rows * blocking.roundUp(self.p.width, self.kernels.gemm.tile.nr);
        }

        /// Panels `[width, rows]` of rows.
        fn turn(self: *const Self, out: [*]T, rows: [*]const T, stride: usize, count: usize) Right(T) {
            return self.panels(out, rows, count, self.p.width, signed(stride), 1);
        }

        /// Rows side by side, or as panels where the last vector of a row would be read past its end.
        fn right(self: *const Self, room: [*]T, rows: [*]const T, stride: usize, count: usize) Right(T) {
            if (!self.wholeVectors()) return self.rightInPlace(room, rows, stride, count);
            const near = self.dense(room, rows, stride, count);
            return self.rightInPlace(room, near.first, near.stride, count);
        }

        /// As `right`, for rows that lie side by side or are used too seldom for a copy to pay.
        fn rightInPlace(self: *const Self, room: [*]T, rows: [*]const T, stride: usize, count: usize) Right(T) {
            const tile = self.kernels.gemm.tile;
            const width = self.p.width;
            if (!self.wholeVectors()) return self.panels(room, rows, width, count, 1, signed(stride));
            return .{ .b = rows, .ld = stride, .next = tile.nr, .last = rows + width / tile.nr * tile.nr, .ld_last = stride };
        }

        /// Whether a row can be read by whole vectors.
        fn wholeVectors(self: *const Self) bool {
            return self.p.width % self.kernels.gemm.tile.w == 0;
        }

        /// Rows as they are, or side by side: rows 6 KiB apart, as those of a head in a product of queries, keys and values are, share a few sets of the
        /// first-level cache. 512 keys of 64 numbers: forward takes 0.8 of the time, backward 0.75.
        fn dense(self: *const Self, room: [*]T, rows: [*]const T, stride: usize, count: usize) Rows(T) {
            const width = self.p.width;
            if (stride == width) return .{ .first = rows, .stride = stride };
            self.copy(room, width, rows, stride, count);
            return .{ .first = room, .stride = width };
        }

        fn copy(self: *const Self, to: [*]T, to_stride: usize, from: [*]const T, from_stride: usize, count: usize) void {
            self.kernels.copy(&.{ .to = to, .from = from, .rows = count, .width = self.p.width, .to_stride = to_stride, .from_stride = from_stride });
        }

        fn panels(self: *const Self, out: [*]T, in: [*]const T, count: usize, k: usize, stride: isize, stride_k: isize) Right(T) {
            const tile = self.kernels.gemm.tile;
            self.kernels.gemm.pack(&.{
                .out = out,
                .in = in,
                .count = count,
                .panels = product.rowPanels(count, tile.nr),
                .width = tile.nr,
                .panel_stride = tile.nr * k,
                .k = k,
                .k_begin = 0,
                .k_end = k,
                .stride = stride,
                .stride_k = stride_k,
            });
            return .{
                .b = out,
                .ld = tile.nr,
                .next = tile.nr * k,
                .last = out + count / tile.nr * tile.nr * k,
                .ld_last = blocking.roundUp(count % tile.nr, tile.w),
            };
        }

        /// c := alpha·a·b, or c += alpha·a·b, with at most 256 steps of depth.
        fn multiply(self: *const Self, c: [*]T, ldc: usize, a: Left(T), b: Right(T), rows: usize, cols: usize, k: usize, alpha: T, adds: bool) void {
            const tile = self.kernels.gemm.tile;
            self.kernels.gemm.strip(&.{
                .a = a.a,
                .a_form = a.form,
                .lda = a.ld,
                .panel_rows = if (a.form == .k_contiguous) blocking.panelRows(tile, a.ld, @sizeOf(T)) else tile.mr,
                .b = b.b,
                .ldb = b.ld,
                .b_next = b.next,
                .b_last = b.last,
                .ldb_last = b.ld_last,
                .b_far = 0,
                .a_far = 0,
                .c = c,
                .ldc = ldc,
                .rows = rows,
                .cols = cols,
                .k = k,
                .alpha = alpha,
                .beta = 1,
                .read_c = @intFromBool(adds),
                .closes = 0,
                .bias = null,
                .epilogue = .none,
            });
        }

        /// The products of a tile's rows of K or V with turned queries or their gradients, where a stair's queries see them. `rows` begin with the tile's key `first`.
        fn against(self: *const Self, tile: [*]T, rows: Rows(T), first: usize, turned: Right(T), stairs: *const Stairs, alpha: T) void {
            const nr = self.kernels.gemm.tile.nr;
            var stair = stairs.first();
            while (stair) |now| : (stair = stairs.after(now)) {
                // Whole tiles of columns: what the queries beside these get is not looked at.
                const begin = now.queries.begin / nr * nr;
                const cols = @min(stairs.queries, blocking.roundUp(now.queries.end, nr)) - begin;
                const c = tile + now.keys.begin * self.ld + begin;
                const from = rows.from(now.keys.begin - first);
                var right_side = turned;
                right_side.b += begin / nr * turned.next;
                var k: usize = 0;
                while (k == 0 or k < self.p.width) : (k += blocking.kc) {
                    const depth = @min(blocking.kc, self.p.width - k);
                    const a: Left(T) = .{ .a = from.first + k, .ld = from.stride, .form = .k_contiguous };
                    self.multiply(c, self.ld, a, right_side.from(k), now.keys.end - now.keys.begin, cols, depth, alpha, k > 0);
                }
            }
        }

        /// Products of one query's row: `y = alpha · rows · x` where the rows are turned, else `y = x · rows`. Each number of the rows is used once, so that
        /// this goes as fast as they come from memory; the bits are those of a tile.
        fn alone(self: *const Self, comptime turned: bool, y: [*]T, x: [*]const T, rows: [*]const T, stride: usize, count: usize, alpha: T) void {
            const kernel = if (turned) self.kernels.gemv_turned else self.kernels.gemv_rows;
            kernel(&.{
                .y = y,
                .y_step = 1,
                .x = x,
                .w = rows,
                .stride = signed(stride),
                .begin = 0,
                .end = if (turned) count else self.p.width,
                .k = if (turned) self.p.width else count,
                .alpha = alpha,
                .beta = 0,
                .read_y = 0,
                .far = 1,
            });
        }

        /// The part of a block of keys that some of the queries see, its begin a multiple of 16.
        fn part(span: Span, block: usize) ?Span {
            const first = block * key_block;
            const end = @min(span.end, first + key_block);
            const begin = @max(span.begin, first);
            return if (begin < end) .{ .begin = (begin - first) / 16 * 16, .end = end - first } else null;
        }

        /// How far into a block of keys the queries of a tile see, of which `keys` is the part that some of them do.
        fn stairsOf(self: *const Self, one: *const Sequence, query: usize, count: usize, block: usize, keys: Span) Stairs {
            var stairs: Stairs = .{ .queries = count };
            for (stairs.spans[0..stairs.groups()], 0..) |*span, g| {
                const from = g * Stairs.each;
                const seen = self.p.seen(one, query + from, @min(Stairs.each, count - from));
                // Queries that see nothing of it have sixteen keys all the same, hidden ones.
                const begin = std.math.clamp(seen.begin -| block * key_block, keys.begin, keys.end - 1) / Stairs.each * Stairs.each;
                const end = @max(blocking.roundUp(seen.end -| block * key_block, Stairs.each), begin + Stairs.each);
                span.* = .{ .begin = begin, .end = @min(end, keys.end) };
            }
            return stairs;
        }

        /// The scores of a tile's queries from `from` on against the keys of a block from its first to the last that they see.
        fn tileOf(self: *const Self, tile: [*]T, one: *const Sequence, head: usize, first_query: usize, now: Stairs.Stair, block: usize) scores.Tile(T) {
            const p = &self.p;
            const keys = now.keys;
            const s = tile + now.queries.begin;
            const query = first_query + now.queries.begin;
            const count = now.queries.end - now.queries.begin;
            const first = block * key_block;
            const position = p.position(one, query) - signed(first);
            return .{
                .s = s,
                .ld = self.ld,
                .queries = count,
                .begin = keys.begin,
                .end = keys.end,
                .low = position - p.left,
                .high = position + p.right + 1,
                .step = p.step,
                .mask = p.mask.at(one.batch, head, query, first),
                .mask_kind = p.mask.kind,
                .mask_query = p.mask.query,
                .mask_key = p.mask.key,
            };
        }
    };
}

/// Elements from one key's scores to the next: whole vectors, or one where there is one query.
fn tileStride(queries: usize, most: usize) usize {
    return if (queries == 1) 1 else blocking.roundUp(@max(1, @min(queries, most)), 16);
}

fn Forward(comptime T: type) type {
    return struct {
        p: Problem(T),
        out: Matrix(T),
        /// The maxima of all queries, then the reciprocal sums; null where nobody wants them.
        stats: ?[*]T,

        const Self = @This();

        /// One call: the task with what its workers need.
        const Call = struct {
            d: *const Device,
            tiles: Tiles(T),
            out: Matrix(T),
            stats: ?[*]T,
            blocks: Blocks,
            scratch: [*]T = undefined,
            turned_len: usize,
            turned: usize,
            s: usize,
            sums: usize,
            part: usize,
            keys: usize,
            values: usize,
            max: usize,
            sum: usize,
            part_max: usize,
            part_sum: usize,
            len: usize,

            fn jobs(c: *const Call) usize {
                return c.blocks.jobs(c.tiles.p.heads);
            }

            fn work(c: *const Call, w: *pool.Worker) void {
                var mine = c.*;
                mine.scratch += w.id * c.len;
                w.phase(c.jobs(), c.d.grain(c.jobs(), w.count, 1), @as(*const Call, &mine), blocksOf);
            }

            fn blocksOf(c: *const Call, begin: usize, end: usize) void {
                for (begin..end) |job| c.block(job);
            }

            /// A head's blocks follow each other, so that its keys and values stay near, the last one first: with `causal` it is the longest.
            fn block(c: *const Call, job: usize) void {
                const p = &c.tiles.p;
                const found = c.blocks.find(p.heads, job) orelse return;
                const one = p.sequence(found.sequence);
                const query = (found.blocks - 1 - found.block) * c.blocks.size;
                c.queries(&one, found.head, query, @min(c.blocks.size, one.queries - query));
            }

            /// A block of queries, tile by tile against each block of keys.
            fn queries(c: *const Call, one: *const Sequence, head: usize, query: usize, count: usize) void {
                const t = &c.tiles;
                const p = &t.p;
                const kv_head = head / p.group();
                const several = count > forward_queries;
                const max = c.scratch + c.max;
                const sum = c.scratch + c.sum;
                @memset(max[0..c.blocks.size], -std.math.inf(T));
                @memset(sum[0..c.blocks.size], 0);
                const span = p.seen(one, query, count);
                var turned: [tiles_max]Right(T) = undefined;
                const alone = t.ld == 1;
                if (span.begin < span.end and !alone) {
                    for (0..std.math.divCeil(usize, count, forward_queries) catch unreachable) |i| {
                        const from = i * forward_queries;
                        const rows = p.q.at(one.batch, head, one.q + query + from);
                        turned[i] = t.turn(c.scratch + c.turned + i * c.turned_len, rows, p.q.row, @min(forward_queries, count - from));
                    }
                }
                for (span.begin / key_block..(std.math.divCeil(usize, span.end, key_block) catch unreachable)) |b| {
                    const all = Tiles(T).part(span, b) orelse continue;
                    const row = one.k + b * key_block + all.begin;
                    const n = all.end - all.begin;
                    const k = p.k.at(one.batch, kv_head, row);
                    const v = p.v.at(one.batch, kv_head, row);
                    const keys: Rows(T) = if (several) t.dense(c.scratch + c.keys, k, p.k.row, n) else .{ .first = k, .stride = p.k.row };
                    const values: Right(T) = if (several)
                        t.right(c.scratch + c.values, v, p.v.row, n)
                    else if (alone)
                        .{ .b = v, .ld = p.v.row, .next = undefined, .last = v, .ld_last = 0 }
                    else
                        t.rightInPlace(c.scratch + c.values, v, p.v.row, n);
                    var i: usize = 0;
                    while (i * forward_queries < count) : (i += 1) {
                        const from = i * forward_queries;
                        c.tile(one, head, query + from, @min(forward_queries, count - from), i, turned[i], b, all.begin, keys, values);
                    }
                }
                const place = p.place(one, head, query);
                t.kernels.finish(&.{
                    .out = c.out.at(one.batch, head, one.q + query),
                    .out_stride = c.out.row,
                    .sums = c.scratch + c.sums,
                    .ld = p.width,
                    .queries = count,
                    .width = p.width,
                    .max = max,
                    .sum = sum,
                    .stat_max = if (c.stats) |stats| stats + place else null,
                    .stat_scale = if (c.stats) |stats| stats + statsLen(T, p) + place else null,
                });
            }

            /// Tile `i` of a job against a block of keys, of which those from `begin` on are given.
            fn tile(c: *const Call, one: *const Sequence, head: usize, query: usize, count: usize, i: usize, turned: Right(T), b: usize, begin: usize, k: Rows(T), v: Right(T)) void {
                const t = &c.tiles;
                const p = &t.p;
                const span = p.seen(one, query, count);
                const keys = Tiles(T).part(span, b) orelse return;
                const first = b == span.begin / key_block;
                const s = c.scratch + c.s;
                const from = i * forward_queries;
                const max = c.scratch + c.max + from;
                const sum = c.scratch + c.sum + from;
                const sums = c.scratch + c.sums + from * p.width;
                const part = c.scratch + c.part;
                const part_max = c.scratch + c.part_max;
                const part_sum = c.scratch + c.part_sum;
                const stairs = t.stairsOf(one, query, count, b, keys);
                if (t.ld == 1) {
                    const rows = k.from(keys.begin - begin);
                    t.alone(true, s + keys.begin, p.q.at(one.batch, head, one.q + query), rows.first, rows.stride, keys.end - keys.begin, p.scale);
                } else t.against(s, k, begin, turned, &stairs, p.scale);
                const to = if (first) sums else part;
                var q: usize = 0;
                while (stairs.alike(q)) |now| : (q = now.queries.end) {
                    t.kernels.softmax(&.{
                        .tile = t.tileOf(s, one, head, query, now, b),
                        .max = (if (first) max else part_max) + q,
                        .sum = (if (first) sum else part_sum) + q,
                    });
                    const values = v.from(now.keys.begin - begin);
                    const n = now.keys.end - now.keys.begin;
                    const at = s + now.keys.begin * t.ld + q;
                    if (t.ld == 1) {
                        t.alone(false, to, at, values.b, values.ld, n, 1);
                    } else {
                        const a: Left(T) = .{ .a = at, .ld = t.ld, .form = .rows_contiguous };
                        t.multiply(to + q * p.width, p.width, a, values, now.queries.end - q, p.width, n, 1, false);
                    }
                }
                if (!first) t.kernels.join(&.{
                    .out = sums,
                    .part = part,
                    .ld = p.width,
                    .queries = count,
                    .width = p.width,
                    .max = max,
                    .sum = sum,
                    .part_max = part_max,
                    .part_sum = part_sum,
                });
            }
        };

        /// Plans the call for so many workers: each gets several jobs, if there are enough tiles.
        fn plan(self: *const Self, d: *const Device, workers: usize) Call {
            const p = &self.p;
            const tiles: Tiles(T) = .{ .p = self.p, .kernels = .of(d), .ld = tileStride(p.queries, forward_queries) };
            var each: usize = @min(tiles_max, std.math.ceilPowerOfTwoAssert(usize, std.math.divCeil(usize, @max(1, p.queries), forward_queries) catch unreachable));
            while (each > 1 and p.blocks(.queries, each * forward_queries).jobs(p.heads) < 4 * workers) each /= 2;
            const rows = each * forward_queries;
            const turned_len = product.align16(tiles.turnedLen(forward_queries));
            var room: Room = .{};
            return .{
                .d = d,
                .tiles = tiles,
                .out = self.out,
                .stats = self.stats,
                .blocks = p.blocks(.queries, rows),
                .turned_len = turned_len,
                .turned = room.take(each * turned_len),
                .s = room.take(key_block * tiles.ld),
                .sums = room.take(rows * p.width),
                .part = room.take(forward_queries * p.width),
                .keys = room.take(if (each > 1) key_block * p.width else 0),
                .values = room.take(tiles.rightLen(key_block)),
                .max = room.take(rows),
                .sum = room.take(rows),
                .part_max = room.take(forward_queries),
                .part_sum = room.take(forward_queries),
                .len = room.len,
            };
        }

        /// Two products, whose jobs can be as small as a tile.
        fn decide(self: *const Self, d: *const Device) resolve.Decision {
            const p = &self.p;
            const jobs = p.blocks(.queries, forward_queries).jobs(p.heads);
            return d.compute(2 *| p.pairs() *| p.heads *| p.width, jobs);
        }

        /// Rows without elements have statistics all the same.
        pub fn isEmpty(self: *const Self) bool {
            const p = &self.p;
            return p.sequences == 0 or p.heads == 0 or p.queries == 0 or (p.width == 0 and self.stats == null);
        }

        pub fn run(self: Self, d: *const Device) Error!void {
            const workers = self.decide(d).workers;
            var c = self.plan(d, workers);
            const bytes = workers * c.len * @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            c.scratch = @ptrCast(block);
            pool.run(workers, d.exact(), @as(*const Call, &c), Call.work);
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            try on_gpu.forward(d, &self.p, self.out, self.stats);
        }

        pub fn explain(self: Self, d: *const Device, e: *Explanation) void {
            const p = &self.p;
            const decision = self.decide(d);
            const c = self.plan(d, decision.workers);
            e.note(.{
                .kernel = Kernels(T).prefix ++ "softmax",
                .workers = decision.workers,
                .tier = decision.tier,
                .why = @tagName(decision.why),
                .jobs = c.jobs(),
                .grain = d.grain(c.jobs(), decision.workers, 1),
                .bytes = operandBytes(T, p),
                .flops = 4 *| p.pairs() *| p.heads *| p.width,
                .scratch_bytes = decision.workers * c.len * @sizeOf(T),
            });
        }
    };
}

/// Statistics of one kind: one for each query and head.
fn statsLen(comptime T: type, p: *const Problem(T)) usize {
    const batch = if (p.q_offsets == null) p.sequences else 1;
    return batch *| p.heads *| p.queries;
}

/// Bytes of q, k, v and the result.
fn operandBytes(comptime T: type, p: *const Problem(T)) u64 {
    const batch: u64 = if (p.q_offsets == null) p.sequences else 1;
    return 2 * @sizeOf(T) * batch *| (p.heads *| p.queries +| p.kv_heads *| p.keys) *| p.width;
}

fn Backward(comptime T: type) type {
    return struct {
        p: Problem(T),
        dy: Matrix(T),
        y: Matrix(T),
        stats: [*]const T,
        dq: ?Matrix(T),
        dk: ?Matrix(T),
        dv: ?Matrix(T),

        const Self = @This();

        const Call = struct {
            d: *const Device,
            task: Self,
            tiles: Tiles(T),
            /// Whether a job is a whole head of keys; else blocks of keys and blocks of queries are jobs of their own.
            whole: bool,
            /// D of every query and head.
            deltas: [*]T = undefined,
            scratch: [*]T = undefined,
            /// Blocks of queries that stay as they were prepared.
            kept: usize,
            turned: usize,
            turned_len: usize,
            rows: usize,
            rows_len: usize,
            right_k: usize,
            k: usize,
            v: usize,
            dk: usize,
            dv: usize,
            s: usize,
            slope: usize,
            len: usize,

            fn queryBlocks(c: *const Call) Blocks {
                return c.task.p.blocks(.queries, backward_queries);
            }

            fn keyBlocks(c: *const Call) Blocks {
                return c.task.p.blocks(.keys, key_block);
            }

            fn wantsSlope(c: *const Call) bool {
                return c.task.dq != null or c.task.dk != null;
            }

            fn wantsKeys(c: *const Call) bool {
                return c.task.dk != null or c.task.dv != null;
            }

            fn keyJobs(c: *const Call) usize {
                return if (c.wantsKeys()) c.keyBlocks().jobs(c.task.p.kv_heads) else 0;
            }

            fn queryJobs(c: *const Call) usize {
                return if (c.task.dq != null) c.queryBlocks().jobs(c.task.p.heads) else 0;
            }

            fn work(c: *const Call, w: *pool.Worker) void {
                var mine = c.*;
                mine.scratch += w.id * c.len;
                const me: *const Call = &mine;
                if (c.whole) {
                    const jobs = c.task.p.sequences * c.task.p.kv_heads;
                    return w.phase(jobs, c.d.grain(jobs, w.count, 1), me, wholeHeads);
                }
                const rows = c.queryBlocks().jobs(c.task.p.heads);
                if (c.wantsSlope()) w.phase(rows, c.d.grain(rows, w.count, 1), me, deltaBlocks);
                const jobs = c.keyJobs() + c.queryJobs();
                w.phase(jobs, c.d.grain(jobs, w.count, 1), me, blocks);
            }

            fn wholeHeads(c: *const Call, begin: usize, end: usize) void {
                const p = &c.task.p;
                for (begin..end) |job| {
                    const one = p.sequence(job / p.kv_heads);
                    const kv_head = job % p.kv_heads;
                    for (kv_head * p.group()..(kv_head + 1) * p.group()) |head| {
                        if (c.wantsSlope()) c.delta(&one, head, 0, one.queries);
                        if (c.task.dq) |dq| if (one.keys == 0) clear(T, dq, one.batch, head, one.q, one.queries, p.width);
                    }
                    var kept: Kept = .{};
                    for (0..std.math.divCeil(usize, one.keys, key_block) catch unreachable) |b| c.keys(&one, kv_head, b, c.task.dq, &kept);
                }
            }

            fn deltaBlocks(c: *const Call, begin: usize, end: usize) void {
                const p = &c.task.p;
                for (begin..end) |job| {
                    const found = c.queryBlocks().find(p.heads, job) orelse continue;
                    const one = p.sequence(found.sequence);
                    const query = found.block * backward_queries;
                    c.delta(&one, found.head, query, @min(backward_queries, one.queries - query));
                }
            }

            /// Blocks of keys, then blocks of queries, the longest first with `causal`.
            fn blocks(c: *const Call, begin: usize, end: usize) void {
                const p = &c.task.p;
                for (begin..end) |job| {
                    if (job < c.keyJobs()) {
                        const found = c.keyBlocks().find(p.kv_heads, job) orelse continue;
                        var kept: Kept = .{};
                        c.keys(&p.sequence(found.sequence), found.head, found.block, null, &kept);
                    } else {
                        const found = c.queryBlocks().find(p.heads, job - c.keyJobs()) orelse continue;
                        c.queries(&p.sequence(found.sequence), found.head, (found.blocks - 1 - found.block) * backward_queries);
                    }
                }
            }

            fn delta(c: *const Call, one: *const Sequence, head: usize, query: usize, count: usize) void {
                c.tiles.kernels.delta(&.{
                    .delta = c.deltas + c.task.p.place(one, head, query),
                    .dy = c.task.dy.at(one.batch, head, one.q + query),
                    .y = c.task.y.at(one.batch, head, one.q + query),
                    .rows = count,
                    .width = c.task.p.width,
                    .dy_stride = c.task.dy.row,
                    .y_stride = c.task.y.row,
                });
            }

            /// The gradients of a block of keys and of its values, and what it adds to those of the queries where `dq` is given.
            fn keys(c: *const Call, one: *const Sequence, kv_head: usize, b: usize, dq: ?Matrix(T), kept: *Kept) void {
                const t = &c.tiles;
                const p = &t.p;
                const row = one.k + b * key_block;
                const n = @min(key_block, one.keys - b * key_block);
                const k = p.k.at(one.batch, kv_head, row);
                const v = p.v.at(one.batch, kv_head, row);
                const near = t.dense(c.scratch + c.k, k, p.k.row, n);
                const of: Keys = .{
                    .k = near,
                    .v = if (c.wantsSlope()) t.dense(c.scratch + c.v, v, p.v.row, n) else undefined,
                    .right = if (dq != null) t.rightInPlace(c.scratch + c.right_k, near.first, near.stride, n) else undefined,
                    .dk = if (c.task.dk != null) c.scratch + c.dk else null,
                    .dv = if (c.task.dv != null) c.scratch + c.dv else null,
                    .dq = dq,
                };
                for ([_]?[*]T{ of.dk, of.dv }) |sums| if (sums) |to| @memset(to[0 .. n * p.width], 0);
                var slot: usize = 0;
                for (kv_head * p.group()..(kv_head + 1) * p.group()) |head| {
                    var query: usize = 0;
                    while (query < one.queries) : (query += backward_queries) {
                        const count = @min(backward_queries, one.queries - query);
                        const span = p.seen(one, query, count);
                        if (Tiles(T).part(span, b)) |part| {
                            if (!kept.made[slot]) {
                                kept.rows[slot] = c.prepare(one, head, query, count, slot, of.dk != null, of.dv != null);
                                kept.made[slot] = c.kept > 1;
                            }
                            c.pair(one, head, query, count, b, part, &kept.rows[slot], &of, b == span.begin / key_block);
                        } else if (dq) |to| if (b == 0 and span.begin == span.end) clear(T, to, one.batch, head, one.q + query, count, p.width);
                        if (c.kept > 1) slot += 1;
                    }
                }
                for ([_]?[*]T{ of.dk, of.dv }, [_]?Matrix(T){ c.task.dk, c.task.dv }) |sums, to| {
                    const out = to orelse continue;
                    t.copy(out.at(one.batch, kv_head, row), out.row, sums.?, p.width, n);
                }
            }

            /// The gradient of a block of queries.
            fn queries(c: *const Call, one: *const Sequence, head: usize, query: usize) void {
                const t = &c.tiles;
                const p = &t.p;
                const count = @min(backward_queries, one.queries - query);
                const kv_head = head / p.group();
                const span = p.seen(one, query, count);
                const dq = c.task.dq.?;
                if (span.begin == span.end) return clear(T, dq, one.batch, head, one.q + query, count, p.width);
                const rows = c.prepare(one, head, query, count, 0, false, false);
                for (span.begin / key_block..std.math.divCeil(usize, span.end, key_block) catch unreachable) |b| {
                    const part = Tiles(T).part(span, b).?;
                    const row = one.k + b * key_block;
                    const n = @min(key_block, one.keys - b * key_block);
                    const k = p.k.at(one.batch, kv_head, row);
                    c.pair(one, head, query, count, b, part, &rows, &.{
                        .k = .{ .first = k, .stride = p.k.row },
                        .v = .{ .first = p.v.at(one.batch, kv_head, row), .stride = p.v.row },
                        .right = t.rightInPlace(c.scratch + c.right_k, k, p.k.row, n),
                        .dk = null,
                        .dv = null,
                        .dq = dq,
                    }, b == span.begin / key_block);
                }
            }

            /// A block of queries as the products take it.
            const Queries = struct { q: Right(T), dy: Right(T), right_q: Right(T), right_dy: Right(T) };

            /// A block of keys, and the sums for its gradients.
            const Keys = struct { k: Rows(T), v: Rows(T), right: Right(T), dk: ?[*]T, dv: ?[*]T, dq: ?Matrix(T) };

            /// Blocks of queries that a job meets again with its next block of keys.
            const Kept = struct { made: [kept_max]bool = @splat(false), rows: [kept_max]Queries = undefined };

            fn prepare(c: *const Call, one: *const Sequence, head: usize, query: usize, count: usize, slot: usize, to_k: bool, to_v: bool) Queries {
                const p = &c.task.p;
                const dy = c.task.dy;
                const q = c.sides(2 * slot, p.q.at(one.batch, head, one.q + query), p.q.row, count, true, to_k);
                const of_dy = c.sides(2 * slot + 1, dy.at(one.batch, head, one.q + query), dy.row, count, c.wantsSlope(), to_v);
                return .{ .q = q.turned, .dy = of_dy.turned, .right_q = q.right, .right_dy = of_dy.right };
            }

            /// Rows turned, and as a product's right operand, whichever are wanted.
            fn sides(c: *const Call, place: usize, rows: [*]const T, stride: usize, count: usize, turns: bool, right: bool) struct { turned: Right(T), right: Right(T) } {
                const t = &c.tiles;
                const side: Right(T) = if (right) t.right(c.scratch + c.rows + place * c.rows_len, rows, stride, count) else undefined;
                // What was brought near is turned from there.
                const from: Rows(T) = if (right and t.wholeVectors()) .{ .first = side.b, .stride = side.ld } else .{ .first = rows, .stride = stride };
                return .{
                    .turned = if (turns) t.turn(c.scratch + c.turned + place * c.turned_len, from.first, from.stride, count) else undefined,
                    .right = side,
                };
            }

            /// A block of queries against the part of a block of keys that they see. `first`: the first block for these queries, whose sums begin here.
            fn pair(c: *const Call, one: *const Sequence, head: usize, query: usize, count: usize, b: usize, part: Span, rows: *const Queries, of: *const Keys, first: bool) void {
                const t = &c.tiles;
                const p = &t.p;
                const width = p.width;
                const s = c.scratch + c.s;
                const slope = c.scratch + c.slope;
                const wants_slope = of.dq != null or of.dk != null;
                const stairs = t.stairsOf(one, query, count, b, part);
                t.against(s, of.k, 0, rows.q, &stairs, p.scale);
                if (wants_slope) t.against(slope, of.v, 0, rows.dy, &stairs, 1);
                var q: usize = 0;
                while (stairs.alike(q)) |now| : (q = now.queries.end) {
                    const place = p.place(one, head, query + q);
                    t.kernels.gradient(&.{
                        .tile = t.tileOf(s, one, head, query, now, b),
                        .slope = if (wants_slope) slope + q else null,
                        .max = c.task.stats + place,
                        .scale = c.task.stats + statsLen(T, p) + place,
                        .delta = c.deltas + place,
                    });
                    const dq = of.dq orelse continue;
                    const a: Left(T) = .{ .a = slope + now.keys.begin * t.ld + q, .ld = t.ld, .form = .rows_contiguous };
                    const to = dq.at(one.batch, head, one.q + query + q);
                    t.multiply(to, dq.row, a, of.right.from(now.keys.begin), now.queries.end - q, width, now.keys.end - now.keys.begin, p.scale, !first);
                }
                var stair = stairs.first();
                while (stair) |now| : (stair = stairs.after(now)) {
                    const n = now.keys.end - now.keys.begin;
                    const depth = now.queries.end - now.queries.begin;
                    const at = now.keys.begin * t.ld + now.queries.begin;
                    const sums = now.keys.begin * width;
                    const right_dy = if (of.dv != null) rows.right_dy.from(now.queries.begin) else undefined;
                    if (of.dv) |dv| t.multiply(dv + sums, width, .{ .a = s + at, .ld = t.ld, .form = .k_contiguous }, right_dy, n, width, depth, 1, true);
                    const right_q = if (of.dk != null) rows.right_q.from(now.queries.begin) else undefined;
                    if (of.dk) |dk| t.multiply(dk + sums, width, .{ .a = slope + at, .ld = t.ld, .form = .k_contiguous }, right_q, n, width, depth, p.scale, true);
                }
            }
        };

        /// Blocks of queries that a job keeps: those of all heads that share its keys, if there are not too many, or one.
        fn keeps(self: *const Self) usize {
            const p = &self.p;
            if (p.keys <= key_block) return 1;
            const blocks = p.group() *| (std.math.divCeil(usize, p.queries, backward_queries) catch unreachable);
            return if (blocks <= kept_max and blocks * backward_queries *| p.width <= kept_elements_max) @max(1, blocks) else 1;
        }

        fn call(self: *const Self, d: *const Device) Call {
            const p = &self.p;
            const tiles: Tiles(T) = .{ .p = self.p, .kernels = .of(d), .ld = blocking.roundUp(@max(1, @min(p.queries, backward_queries)), 16) };
            const kept = self.keeps();
            const turned_len = product.align16(tiles.turnedLen(backward_queries));
            const rows_len = product.align16(tiles.rightLen(backward_queries));
            var room: Room = .{};
            return .{
                .d = d,
                .task = self.*,
                .tiles = tiles,
                .whole = undefined,
                .kept = kept,
                .turned = room.take(2 * kept * turned_len),
                .turned_len = turned_len,
                .rows = room.take(2 * kept * rows_len),
                .rows_len = rows_len,
                .right_k = room.take(tiles.rightLen(key_block)),
                .k = room.take(key_block * p.width),
                .v = room.take(key_block * p.width),
                .dk = room.take(key_block * p.width),
                .dv = room.take(key_block * p.width),
                .s = room.take(key_block * tiles.ld),
                .slope = room.take(key_block * tiles.ld),
                .len = room.len,
            };
        }

        /// Settles the workers and what a job is. Five products make all gradients.
        fn decide(self: *const Self, d: *const Device, c: *Call) resolve.Decision {
            const p = &self.p;
            const heads = p.sequences *| p.kv_heads;
            const jobs = @max(heads, c.keyJobs() + c.queryJobs());
            const decision = d.compute(5 *| p.pairs() *| p.heads *| p.width, jobs);
            c.whole = wholeJobs(heads, decision.workers);
            return decision;
        }

        pub fn isEmpty(self: *const Self) bool {
            const p = &self.p;
            return p.sequences == 0 or p.kv_heads == 0 or p.width == 0 or (p.queries == 0 and p.keys == 0);
        }

        pub fn run(self: Self, d: *const Device) Error!void {
            var c = self.call(d);
            const workers = self.decide(d, &c).workers;
            const deltas = product.align16(statsLen(T, &self.p));
            const bytes = (deltas + workers * c.len) * @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            c.deltas = @ptrCast(block);
            c.scratch = c.deltas + deltas;
            pool.run(workers, d.exact(), @as(*const Call, &c), Call.work);
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            try on_gpu.backward(d, &self);
        }

        pub fn explain(self: Self, d: *const Device, e: *Explanation) void {
            const p = &self.p;
            var c = self.call(d);
            const decision = self.decide(d, &c);
            const jobs = if (c.whole) p.sequences * p.kv_heads else c.keyJobs() + c.queryJobs();
            e.note(.{
                .step = if (c.whole) "heads" else "blocks",
                .kernel = Kernels(T).prefix ++ "gradient",
                .workers = decision.workers,
                .tier = decision.tier,
                .why = @tagName(decision.why),
                .jobs = jobs,
                .grain = d.grain(jobs, decision.workers, 1),
                .bytes = 2 *| operandBytes(T, p),
                .flops = @as(u64, if (c.whole) 10 else 14) *| p.pairs() *| p.heads *| p.width,
                .scratch_bytes = (product.align16(statsLen(T, p)) + decision.workers * c.len) * @sizeOf(T),
            });
        }
    };
}

fn clear(comptime T: type, m: Matrix(T), batch: usize, head: usize, row: usize, count: usize, width: usize) void {
    for (row..row + count) |i| @memset(m.at(batch, head, i)[0..width], 0);
}

/// Whether backward takes whole heads as jobs. They compute each tile once and all that follows from it, five products; blocks of keys and of queries, which
/// any number of workers can share, compute it twice, seven products in all. The bits are the same.
pub fn wholeJobs(heads: usize, workers: usize) bool {
    const rounds = std.math.divCeil(usize, heads, workers) catch unreachable;
    return rounds * workers * 5 <= heads * 7;
}

// ── Entries ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// Elements of a tensor that will be written may not share memory.
fn checkWritten(t: *const Tensor) Error!void {
    if (t.count() == 0) return;
    var axes: [tensor.rank_max]usize = undefined;
    var count: usize = 0;
    for (t.shape(), t.strides(), 0..) |size, stride, i| {
        if (size == 1) continue;
        if (stride <= 0) return error.LayoutMismatch;
        axes[count] = i;
        count += 1;
    }
    std.sort.insertion(usize, axes[0..count], t, struct {
        fn before(x: *const Tensor, a: usize, b: usize) bool {
            return x.strides_[a] < x.strides_[b];
        }
    }.before);
    var reach: isize = 0;
    for (axes[0..count]) |i| {
        if (t.strides_[i] <= reach) return error.Overlap;
        reach += t.strides_[i] * signed(t.shape_[i] - 1);
    }
}

/// A distance in positions: a whole number, or infinity.
fn distance(value: f64) Error!isize {
    if (!(value >= 0)) return error.InvalidArgument;
    if (value >= @as(f64, @floatFromInt(far))) return far;
    if (value != @trunc(value)) return error.InvalidArgument;
    return @intFromFloat(value);
}

/// Offsets of sequences on an axis of `rows`.
fn offsetsOf(t: *const Tensor, rows: usize) Error![*]const u32 {
    if (t.rank != 1 or t.count() == 0) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
    // Those of a GPU are resolved there, where somebody has each row.
    if (t.storage.chunk != null) return if (t.count() > 1 or rows == 0) t.ptr(u32) else error.ShapeMismatch;
    const offsets = t.ptr(u32)[0..t.count()];
    if (offsets[0] != 0) return status.outOfRange(0, offsets[0]);
    for (offsets[1..], offsets[0 .. offsets.len - 1], 1..) |next, before, i| if (next < before) return status.outOfRange(i, next);
    const last = offsets[offsets.len - 1];
    if (last != rows) return status.outOfRange(offsets.len - 1, last);
    return offsets.ptr;
}

/// Handles of what forward and backward read; 0 for what there is not.
const Inputs = struct { q: u32, k: u32, v: u32, mask: u32, q_offsets: u32, k_offsets: u32 };

pub const Options = struct { left: f64, right: f64, scale: f64 };

fn problem(comptime T: type, in: Inputs, o: Options) Error!Problem(T) {
    const dtype = tensor.Dtype.of(T);
    const q = try tensor.typed(in.q, dtype);
    const k = try tensor.typed(in.k, dtype);
    const v = try tensor.typed(in.v, dtype);
    if (q.rank != 4 or k.rank != 4 or !k.sameShape(v)) return error.ShapeMismatch;
    const batch = q.shape_[0];
    const heads = q.shape_[1];
    const kv_heads = k.shape_[1];
    if (k.shape_[0] != batch or k.shape_[3] != q.shape_[3]) return error.ShapeMismatch;
    if (if (kv_heads == 0) heads != 0 else heads % kv_heads != 0) return error.ShapeMismatch;
    const scale: T = @floatCast(o.scale);
    if (!std.math.isFinite(scale)) return error.InvalidArgument;
    var p: Problem(T) = .{
        .q = try .of(q),
        .k = try .of(k),
        .v = try .of(v),
        .sequences = batch,
        .heads = heads,
        .kv_heads = kv_heads,
        .queries = q.shape_[2],
        .keys = k.shape_[2],
        .width = q.shape_[3],
        .left = try distance(o.left),
        .right = try distance(o.right),
        .scale = scale,
    };
    if (in.mask != 0) p.mask = try maskOf(T, try tensor.get(in.mask), &p);
    if ((in.q_offsets == 0) != (in.k_offsets == 0)) return error.InvalidArgument;
    if (in.q_offsets != 0) {
        const q_offsets = try tensor.typed(in.q_offsets, .u32);
        const k_offsets = try tensor.typed(in.k_offsets, .u32);
        if (batch != 1 or in.mask != 0 or !q_offsets.sameShape(k_offsets)) return error.ShapeMismatch;
        p.q_offsets = try offsetsOf(q_offsets, p.queries);
        p.k_offsets = try offsetsOf(k_offsets, p.keys);
        p.sequences = q_offsets.count() - 1;
    }
    return p;
}

fn maskOf(comptime T: type, t: *const Tensor, p: *const Problem(T)) Error!Mask {
    const kind: scores.MaskKind = if (t.dtype == tensor.Dtype.of(T)) .added else if (t.dtype == .u32 or t.dtype == .i32) .seen else return error.DtypeMismatch;
    if (t.rank > 4) return error.ShapeMismatch;
    var strides: [4]isize = @splat(0);
    for (&strides, [4]usize{ p.keys, p.queries, p.heads, p.sequences }, 0..) |*stride, size, i| {
        const own = t.fromEnd(i);
        if (own != 1 and own != size) return error.ShapeMismatch;
        if (own != 1) stride.* = t.strideFromEnd(i);
    }
    return .{
        .first = t.data,
        .kind = kind,
        .element = signed(t.dtype.bytes()),
        .key = strides[0],
        .query = strides[1],
        .head = strides[2],
        .batch = strides[3],
    };
}

/// One query: the heads that share keys and values become the rows of one tile, so that these are read once for all of them. Strides of what has no
/// elements may be of any size and are left alone.
fn fold(comptime T: type, task: *Forward(T)) void {
    const p = &task.p;
    if (task.isEmpty() or p.keys == 0) return;
    const group = p.group();
    if (p.queries != 1 or group == 1 or p.q_offsets != null or p.q.head < 0 or task.out.head < 0) return;
    for ([_]*Matrix(T){ &p.q, &task.out }) |m| {
        m.row = @intCast(m.head);
        m.head *= signed(group);
    }
    p.mask.query = p.mask.head;
    p.mask.head *= signed(group);
    p.queries = group;
    p.heads = p.kv_heads;
    p.step = 0;
}

/// Takes out of a gradient what there is any number of without an element in memory, before it is walked over: heads without queries,
/// sequences and heads of keys beside no queries and no keys.
fn withoutEmpty(comptime T: type, p: *Problem(T)) void {
    if (p.queries > 0 and p.heads > 0) return;
    if (p.keys == 0) p.sequences = 0;
    if (p.queries == 0) p.heads = p.kv_heads else if (p.q_offsets == null) p.queries = 0;
}

fn checkStats(t: *const Tensor, q: *const Tensor) Error!void {
    if (t.rank != 4 or t.shape_[0] != 2 or !std.mem.eql(usize, t.shape()[1..], q.shape()[0..3])) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

/// Handles of a forward call, in this order.
pub const ForwardHandles = extern struct { out: u32, stats: u32, q: u32, k: u32, v: u32, mask: u32, q_offsets: u32, k_offsets: u32 };
pub const BackwardHandles = extern struct { dq: u32, dk: u32, dv: u32, dy: u32, y: u32, stats: u32, q: u32, k: u32, v: u32, mask: u32, q_offsets: u32, k_offsets: u32 };

fn inputsOf(h: anytype) Inputs {
    return .{ .q = h.q, .k = h.k, .v = h.v, .mask = h.mask, .q_offsets = h.q_offsets, .k_offsets = h.k_offsets };
}

fn checkApartFrom(out: *const Tensor, handles: []const u32) Error!void {
    for (handles) |h| if (h != 0) try tensor.checkApart(out, try tensor.get(h));
}

pub fn forward(d: *const Device, h: ForwardHandles, o: Options) Error!void {
    const q = try tensor.get(h.q);
    switch (q.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const out = try tensor.typed(h.out, dtype);
            const stats = try tensor.optional(h.stats, dtype);
            var task: Forward(T) = .{
                .p = try problem(T, inputsOf(h), o),
                .out = try .of(out),
                .stats = if (stats) |t| t.ptr(T) else null,
            };
            if (!out.sameShape(q)) return error.ShapeMismatch;
            try checkWritten(out);
            const inputs = [_]u32{ h.q, h.k, h.v, h.mask, h.q_offsets, h.k_offsets };
            try checkApartFrom(out, &inputs);
            if (stats) |t| {
                try checkStats(t, q);
                try checkApartFrom(t, &inputs);
                try tensor.checkApart(t, out);
            }
            fold(T, &task);
            // Without elements there may be any number of keys to walk over; the gradient takes no statistics then.
            if (task.p.width == 0) task.p.queries = 0;
            try d.submit(task);
        },
        else => return error.Unsupported,
    }
}

pub fn backward(d: *const Device, h: BackwardHandles, o: Options) Error!void {
    const q = try tensor.get(h.q);
    switch (q.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const dy = try tensor.typed(h.dy, dtype);
            const y = try tensor.typed(h.y, dtype);
            // Queries without elements have none.
            const stats = if (q.count() == 0) try tensor.optional(h.stats, dtype) else try tensor.typed(h.stats, dtype);
            if (!dy.sameShape(q) or !y.sameShape(q)) return error.ShapeMismatch;
            if (stats) |s| try checkStats(s, q);
            var task: Backward(T) = .{
                .p = try problem(T, inputsOf(h), o),
                .dy = try .of(dy),
                .y = try .of(y),
                .stats = if (stats) |s| s.ptr(T) else y.ptr(T), // which nothing is read of
                .dq = null,
                .dk = null,
                .dv = null,
            };
            const handles = [3]u32{ h.dq, h.dk, h.dv };
            const likes = [3]u32{ h.q, h.k, h.v };
            const to = [3]*?Matrix(T){ &task.dq, &task.dk, &task.dv };
            for (handles, likes, to, 0..) |handle, like, matrix, i| {
                const out = try tensor.optional(handle, dtype) orelse continue;
                if (!out.sameShape(try tensor.get(like))) return error.ShapeMismatch;
                try checkWritten(out);
                matrix.* = try .of(out);
                try checkApartFrom(out, &.{ h.q, h.k, h.v, h.dy, h.y, h.stats, h.mask, h.q_offsets, h.k_offsets });
                try checkApartFrom(out, handles[0..i]);
            }
            withoutEmpty(T, &task.p);
            try d.submit(task);
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, h: *const ForwardHandles, o: Options) Error!void {
    return forward(try device.get(device_), h.*, o);
}

fn backwardOn(device_: u32, h: *const BackwardHandles, o: Options) Error!void {
    return backward(try device.get(device_), h.*, o);
}

pub const entries = struct {
    /// `handles`: out, stats `[2, batch, heads, queries]` or 0, q, k, v, mask or 0, offsets of queries and of keys or 0. A query sees `left` positions
    /// before its own and `right` behind it, whole numbers or infinity. Queries without elements leave `stats` as it was.
    pub fn attention(device_: u32, handles: [*]const u32, count: u32, left: f64, right: f64, scale: f64) callconv(.c) i32 {
        if (count != @sizeOf(ForwardHandles) / @sizeOf(u32)) return status.code(error.InvalidArgument);
        return status.of(forwardOn(device_, @ptrCast(handles), .{ .left = left, .right = right, .scale = scale }));
    }

    /// `handles`: dq, dk, dv, each or 0, dy, y, stats as forward left them, then as in forward from q on.
    pub fn attention_backward(device_: u32, handles: [*]const u32, count: u32, left: f64, right: f64, scale: f64) callconv(.c) i32 {
        if (count != @sizeOf(BackwardHandles) / @sizeOf(u32)) return status.code(error.InvalidArgument);
        return status.of(backwardOn(device_, @ptrCast(handles), .{ .left = left, .right = right, .scale = scale }));
    }
};

const testing = std.testing;

test "attention: the stairs of a tile are each sixteen queries' keys, once, whatever the edges are" {
    const seed = testing.random_seed;
    errdefer std.debug.print("seed {}\n", .{seed});
    var prng: std.Random.DefaultPrng = .init(seed);
    const random = prng.random();
    for (0..2000) |_| {
        // Spans as windows give them: no edge goes back from one sixteen to the next, and no key between two of them is left out.
        const end = random.intRangeAtMost(usize, 1, key_block);
        var stairs: Stairs = .{ .queries = random.intRangeAtMost(usize, 1, backward_queries) };
        var before: Span = .{ .begin = 0, .end = 1 };
        for (stairs.spans[0..stairs.groups()]) |*span| {
            const begin = random.intRangeAtMost(usize, before.begin, @max(before.begin, @min(before.end, end - 1))) / 16 * 16;
            span.begin = @max(begin, before.begin);
            span.end = @min(end, @max(before.end, random.intRangeAtMost(usize, span.begin / 16 + 1, 16) * 16));
            before = span.*;
        }
        var seen: [key_block][backward_queries]u8 = @splat(@splat(0));
        var stair = stairs.first();
        while (stair) |now| : (stair = stairs.after(now)) {
            for (now.keys.begin..now.keys.end) |key| for (now.queries.begin..now.queries.end) |query| {
                seen[key][query] += 1;
            };
        }
        var query: usize = 0;
        while (stairs.alike(query)) |now| : (query = now.queries.end) {
            try testing.expectEqual(query, now.queries.begin);
            for (now.keys.begin..now.keys.end) |key| for (now.queries.begin..now.queries.end) |q| {
                seen[key][q] += 2;
            };
        }
        try testing.expectEqual(stairs.queries, query);
        for (seen, 0..) |row, key| for (row[0..stairs.queries], 0..) |times, q| {
            const span = stairs.spans[q / Stairs.each];
            try testing.expectEqual(@as(u8, if (key >= span.begin and key < span.end) 3 else 0), times);
        };
    }
}

//! Sums of many terms in a fixed order, along rows or down columns. The terms of f32 are added in f64 and rounded once at the end, so a long sum neither
//! stalls nor overflows on the way; integers wrap.
//!
//! A row is cut into min(ceil(n/256), 4096) parts of equal length, a multiple of 32. Inside a part element i goes to lane i mod 32; the lanes join as a
//! tree, the parts in order. A column is cut into chunks of clamp(ceil(rows/64), 1, 256) pieces; inside a chunk the rows are added one after another, the
//! chunks join in order. Only sizes decide, never workers.
//!
//! Adding in f64 costs nothing beyond the first-level cache: one core of a Xeon with AVX-512 read 40 GB/s of f32 from its second level and 22 from its
//! third, along rows and down columns alike, about what a plain copy reads there.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const memory = @import("../memory.zig");
const strided = @import("strided.zig");
const sweep = @import("sweep.zig");
const tensor = @import("../tensor.zig");
const device = @import("../device.zig");
const gpu_scratch = @import("../gpu/scratch.zig");
const launch = @import("../gpu/launch.zig");
const Device = device.Device;
const Error = @import("../status.zig").Error;

/// What terms of T are added in.
pub fn Acc(comptime T: type) type {
    return switch (T) {
        f32, f64 => f64,
        u32 => u32,
        else => unreachable,
    };
}

pub const parts_max = 4096;
const part_min = 256;
const lanes = 2 * simd.lanes;

/// Elements of each part of a row of n, but for a shorter last one.
pub fn partLen(n: usize) usize {
    const parts = std.math.clamp(ceilDiv(n, part_min), 1, parts_max);
    return @max(1, ceilDiv(ceilDiv(n, parts), lanes)) * lanes;
}

/// Rows of each chunk of a column of n, except the last one, which may be shorter: those of clamp(ceil(n/64), 1, 256) chunks. Part of the contract of
/// equal bits, for every sum down columns: here, of bias gradients (gemm/columns.zig) and of norms' gradients.
pub fn chunkRows(n: usize) usize {
    const chunks = std.math.clamp(ceilDiv(n, 64), 1, 256);
    return @max(1, ceilDiv(n, chunks));
}

/// Chunks of a column of n, none of them empty unless n is 0.
pub fn chunkCount(n: usize) usize {
    return @max(1, ceilDiv(n, chunkRows(n)));
}

/// Rows of each chunk on a GPU: as on the CPU, but no more than one thread may walk.
pub fn gpuChunkRows(n: usize) usize {
    return @min(chunkRows(n), gpu_chunk_max);
}

/// Chunks on a GPU.
pub fn gpuChunkCount(n: usize) usize {
    return @max(1, ceilDiv(n, gpuChunkRows(n)));
}

/// The most rows of a chunk on a GPU, where one thread walks them, and some drivers end loops that are too long.
const gpu_chunk_max = 4096;

/// Rounds of a thread of a shader that deals so many elements to a workgroup, one at a time, with a tree of sums.
pub fn rounds(elements: usize) usize {
    return elements / 128 + launch.few_rounds;
}

fn ceilDiv(a: usize, b: usize) usize {
    return std.math.divCeil(usize, a, b) catch unreachable;
}

/// Rows of x, each `cols` contiguous elements.
pub fn Rows(comptime T: type) type {
    return extern struct { out: [*]Acc(T), x: [*]const T, rows: usize, cols: usize, stride: isize, part: usize };
}

/// `rows` rows of x, of which the sums of `cols` contiguous columns are taken.
pub fn Columns(comptime T: type) type {
    return extern struct { out: [*]Acc(T), x: [*]const T, rows: usize, cols: usize, stride: isize };
}

pub const Term = enum { itself, square };

pub fn Kernel(comptime T: type, comptime term: Term) type {
    return struct {
        const A = Acc(T);

        /// out[i] = sum of row i.
        pub fn rows(p: *const Rows(T)) callconv(.c) void {
            var x = p.x;
            for (p.out[0..p.rows]) |*o| {
                var total = part(x, @min(p.part, p.cols));
                var at = p.part;
                while (at < p.cols) : (at += p.part) total = plus(total, part(x + at, @min(p.part, p.cols - at)));
                o.* = total;
                x = strided.offset(x, p.stride);
            }
        }

        inline fn part(x: [*]const T, n: usize) A {
            var acc: [2]simd.Vec(A) = @splat(@splat(0));
            var i: usize = 0;
            while (i + lanes <= n) : (i += lanes) {
                inline for (0..2) |k| {
                    sweep.ask(T, x + i + k * simd.lanes + 2 * sweep.ahead, false);
                    acc[k] = more(acc[k], simd.load(T, x + i + k * simd.lanes));
                }
            }
            // What is left goes to its lanes, zeros beside it.
            var k: usize = 0;
            if (n - i >= simd.lanes) {
                acc[0] = more(acc[0], simd.load(T, x + i));
                i += simd.lanes;
                k = 1;
            }
            if (i < n) {
                const v = simd.loadPartial(T, x + i, n - i, 0);
                if (k == 0) acc[0] = more(acc[0], v) else acc[1] = more(acc[1], v);
            }
            return tree(plus(acc[0], acc[1]));
        }

        inline fn tree(v: simd.Vec(A)) A {
            if (A == f64) return simd.sumTree(v);
            var rest: [simd.lanes]A = v;
            inline for (.{ 8, 4, 2, 1 }) |half| {
                inline for (0..half) |i| rest[i] +%= rest[i + half];
            }
            return rest[0];
        }

        /// out[j] = sum of column j, row after row.
        pub fn columns(p: *const Columns(T)) callconv(.c) void {
            // Accumulators of 64 bits for 64 columns take 8 of 32 registers with AVX-512; elsewhere 32 columns take 8 of 16, or 16 of 32.
            const vectors = if (simd.isa == .avx512) 4 else 2;
            var j: usize = 0;
            while (j + vectors * simd.lanes <= p.cols) : (j += vectors * simd.lanes) block(vectors, p, j);
            while (j + simd.lanes <= p.cols) : (j += simd.lanes) block(1, p, j);
            if (j < p.cols) {
                var acc: simd.Vec(A) = @splat(0);
                var x = p.x + j;
                for (0..p.rows) |_| {
                    acc = more(acc, simd.loadPartial(T, x, p.cols - j, 0));
                    x = strided.offset(x, p.stride);
                }
                simd.storePartial(p.out + j, acc, p.cols - j);
            }
        }

        inline fn block(comptime vectors: usize, p: *const Columns(T), j: usize) void {
            var acc: [vectors]simd.Vec(A) = @splat(@splat(0));
            var x = p.x + j;
            for (0..p.rows) |_| {
                inline for (0..vectors) |k| acc[k] = more(acc[k], simd.load(T, x + k * simd.lanes));
                x = strided.offset(x, p.stride);
            }
            inline for (0..vectors) |k| {
                const v = acc[k];
                simd.store(p.out + j + k * simd.lanes, v);
            }
        }

        /// The sum so far with the terms of x. The square of an f32 is exact in f64, so that one fused step rounds as the addition alone does.
        inline fn more(sum: simd.Vec(A), x: simd.Vec(T)) simd.Vec(A) {
            const wide: simd.Vec(A) = if (T == f32) @floatCast(x) else x;
            if (term == .itself) return plus(sum, wide);
            return if (T == f32 and simd.has_fma) simd.fma(wide, wide, sum) else plus(sum, wide * wide);
        }

        inline fn plus(a: anytype, b: @TypeOf(a)) @TypeOf(a) {
            return if (A == u32) a +% b else a + b;
        }
    };
}

/// Room on the stack for partial sums: no trip to the allocator for short sums.
const stack_len = 1024;

fn Scratch(comptime A: type) type {
    return struct {
        stack: [stack_len]A = undefined,
        heap: ?[*]align(memory.alignment) u8 = null,
        len: usize = 0,

        fn take(self: *@This(), len: usize) Error![*]A {
            self.len = len;
            if (len <= stack_len) return &self.stack;
            const block = try memory.alloc(len * @sizeOf(A));
            self.heap = block;
            return @ptrCast(block);
        }

        fn free(self: *@This()) void {
            if (self.heap) |block| memory.free(block, self.len * @sizeOf(A));
        }
    };
}

/// Sums each row of a matrix; `done(ctx, row, sum)` takes the results, in any order and on any worker.
pub fn sumRows(
    comptime T: type,
    comptime kernel_name: []const u8,
    d: *const Device,
    x: [*]const T,
    r: tensor.Rows,
    ctx: anytype,
    comptime done: fn (@TypeOf(ctx), usize, Acc(T)) void,
) Error!void {
    const pass: device.Pass = .{ .kernel = kernel_name ++ "_" ++ @typeName(T) ++ "_rows" };
    const kernel = d.kernel(fn (*const Rows(T)) callconv(.c) void, pass.kernel.?);
    const bytes = r.rows *| r.cols *| @sizeOf(T);
    const part = partLen(r.cols);
    const parts = @max(1, ceilDiv(r.cols, part));
    const Job = struct {
        x: [*]const T,
        r: tensor.Rows,
        part: usize,
        parts: usize,
        sums: [*]Acc(T),
        kernel: *const fn (*const Rows(T)) callconv(.c) void,
        ctx: @TypeOf(ctx),

        fn row(j: *const @This(), i: usize) [*]const T {
            return j.x + i * j.r.stride;
        }

        fn whole(j: *const @This(), begin: usize, end: usize) void {
            var sums: [64]Acc(T) = undefined;
            var i = begin;
            while (i < end) {
                const n = @min(sums.len, end - i);
                j.kernel(&.{ .out = &sums, .x = j.row(i), .rows = n, .cols = j.r.cols, .stride = @intCast(j.r.stride), .part = j.part });
                for (sums[0..n], i..) |s, k| done(j.ctx, k, s);
                i += n;
            }
        }

        fn pieces(j: *const @This(), begin: usize, end: usize) void {
            for (begin..end) |q| {
                const at = q % j.parts * j.part;
                j.kernel(&.{ .out = j.sums + q, .x = j.row(q / j.parts) + at, .rows = 1, .cols = @min(j.part, j.r.cols - at), .stride = 0, .part = j.part });
            }
        }
    };
    var job: Job = .{ .x = x, .r = r, .part = part, .parts = parts, .sums = undefined, .kernel = kernel, .ctx = ctx };
    // With rows enough for everybody a worker takes whole rows; else the parts are dealt out and joined here, in the same order.
    if (parts == 1 or r.rows >= 64) return d.overRange(pass, r.rows, 1, bytes, &job, Job.whole);
    var scratch: Scratch(Acc(T)) = .{};
    defer scratch.free();
    job.sums = try scratch.take(r.rows * parts);
    d.overRange(pass, r.rows * parts, 1, bytes, &job, Job.pieces);
    if (d.explanation) |e| return e.noteScratch(r.rows * parts * @sizeOf(Acc(T)));
    for (0..r.rows) |i| done(ctx, i, join(Acc(T), job.sums[i * parts ..][0..parts]));
}

fn join(comptime A: type, sums: []const A) A {
    var total = sums[0];
    for (sums[1..]) |s| total = if (A == u32) total +% s else total + s;
    return total;
}

/// A vector whose elements are summed.
pub fn Vector(comptime T: type) type {
    return struct { x: [*]const T, len: usize };
}

/// Sums each of many vectors, whose parts are one flat list of jobs; the sum of vector i goes to `out[i]`, with the bits of `sumRows`.
pub fn sumVectors(comptime T: type, comptime kernel_name: []const u8, d: *const Device, vectors: []const Vector(T), out: []Acc(T)) Error!void {
    const A = Acc(T);
    const pass: device.Pass = .{ .kernel = kernel_name ++ "_" ++ @typeName(T) ++ "_rows" };
    const kernel = d.kernel(fn (*const Rows(T)) callconv(.c) void, pass.kernel.?);
    const Cut = struct {
        part: usize,
        /// Parts of the vectors before.
        first: usize,
    };
    const gpa = memory.gpa;
    const cuts = gpa.alloc(Cut, vectors.len) catch return error.OutOfMemory;
    defer gpa.free(cuts);
    var parts: usize = 0;
    var elements: u64 = 0;
    for (cuts, vectors) |*cut, v| {
        cut.* = .{ .part = partLen(v.len), .first = parts };
        parts += @max(1, ceilDiv(v.len, cut.part));
        elements +|= v.len;
    }
    const Job = struct {
        vectors: []const Vector(T),
        cuts: []const Cut,
        sums: [*]A,
        kernel: *const fn (*const Rows(T)) callconv(.c) void,

        fn range(j: *const @This(), begin: usize, end: usize) void {
            var low: usize = 0;
            var high = j.cuts.len;
            while (high - low > 1) {
                const middle = low + (high - low) / 2;
                if (j.cuts[middle].first <= begin) low = middle else high = middle;
            }
            var at = begin;
            var i = low;
            while (at < end) : (i += 1) {
                const next = if (i + 1 < j.cuts.len) @min(end, j.cuts[i + 1].first) else end;
                j.one(i, at, next);
                at = next;
            }
        }

        /// Parts of one vector: as rows of a matrix all but the last, which may be shorter.
        fn one(j: *const @This(), i: usize, begin: usize, end: usize) void {
            const v = j.vectors[i];
            const part = j.cuts[i].part;
            const at = (begin - j.cuts[i].first) * part;
            const whole = @min(end - begin, (v.len - at) / part);
            if (whole > 0) j.kernel(&.{ .out = j.sums + begin, .x = v.x + at, .rows = whole, .cols = part, .stride = @intCast(part), .part = part });
            if (whole == end - begin) return;
            const rest = at + whole * part;
            j.kernel(&.{ .out = j.sums + begin + whole, .x = v.x + rest, .rows = 1, .cols = v.len - rest, .stride = 0, .part = part });
        }
    };
    var scratch: Scratch(A) = .{};
    defer scratch.free();
    const job: Job = .{ .vectors = vectors, .cuts = cuts, .sums = try scratch.take(parts), .kernel = kernel };
    d.overRange(pass, parts, 1, elements *| @sizeOf(T), &job, Job.range);
    if (d.explanation) |e| return e.noteScratch(parts * @sizeOf(A));
    for (out, cuts, 0..) |*o, cut, i| o.* = join(A, job.sums[cut.first..if (i + 1 < cuts.len) cuts[i + 1].first else parts]);
}

/// A stack of matrices, of each of which the columns are summed.
pub fn Stack(comptime T: type) type {
    return struct {
        x: [*]const T,
        outer: usize,
        rows: usize,
        cols: usize,
        row_stride: isize,
        /// The place of matrix i.
        outer_rank: usize,
        outer_sizes: [tensor.rank_max]usize,
        outer_strides: [tensor.rank_max]isize,

        fn matrix(s: *const @This(), index: usize) [*]const T {
            var rest = index;
            var at: isize = 0;
            var axis = s.outer_rank;
            while (axis > 0) {
                axis -= 1;
                at += s.outer_strides[axis] * @as(isize, @intCast(rest % s.outer_sizes[axis]));
                rest /= s.outer_sizes[axis];
            }
            return strided.offset(s.x, at);
        }
    };
}

/// Columns of one job: 2 KiB of each row of f32.
const width = 512;

/// Sums each column of each matrix; `done(ctx, matrix, first column, sums)` takes the results, in any order and on any worker.
pub fn sumColumns(
    comptime T: type,
    comptime kernel_name: []const u8,
    d: *const Device,
    s: Stack(T),
    ctx: anytype,
    comptime done: fn (@TypeOf(ctx), usize, usize, []const Acc(T)) void,
) Error!void {
    const A = Acc(T);
    const pass: device.Pass = .{ .kernel = kernel_name ++ "_" ++ @typeName(T) ++ "_columns" };
    const kernel = d.kernel(fn (*const Columns(T)) callconv(.c) void, pass.kernel.?);
    const bytes = s.outer *| s.rows *| s.cols *| @sizeOf(T);
    const chunk = chunkRows(s.rows);
    const chunks = chunkCount(s.rows);
    const blocks = ceilDiv(s.cols, width);
    const Job = struct {
        s: *const Stack(T),
        chunk: usize,
        chunks: usize,
        blocks: usize,
        sums: [*]A,
        kernel: *const fn (*const Columns(T)) callconv(.c) void,
        ctx: @TypeOf(ctx),

        fn colsOf(j: *const @This(), block: usize) usize {
            return @min(width, j.s.cols - block * width);
        }

        fn one(j: *const @This(), q: usize, c: usize, out: [*]A) void {
            const block = q % j.blocks;
            const from = @min(c * j.chunk, j.s.rows);
            j.kernel(&.{
                .out = out,
                .x = strided.offset(j.s.matrix(q / j.blocks), @as(isize, @intCast(from)) * j.s.row_stride) + block * width,
                .rows = @min(j.chunk, j.s.rows - from),
                .cols = j.colsOf(block),
                .stride = j.s.row_stride,
            });
        }

        /// All chunks of a block of columns.
        fn whole(j: *const @This(), begin: usize, end: usize) void {
            var total: [width]A = undefined;
            var next: [width]A = undefined;
            for (begin..end) |q| {
                const n = j.colsOf(q % j.blocks);
                j.one(q, 0, &total);
                for (1..j.chunks) |c| {
                    j.one(q, c, &next);
                    addTo(A, total[0..n], next[0..n]);
                }
                done(j.ctx, q / j.blocks, q % j.blocks * width, total[0..n]);
            }
        }

        fn pieces(j: *const @This(), begin: usize, end: usize) void {
            for (begin..end) |q| j.one(q / j.chunks, q % j.chunks, j.sums + q * width);
        }

        fn joined(j: *const @This(), q: usize) void {
            const n = j.colsOf(q % j.blocks);
            const total = (j.sums + q * j.chunks * width)[0..n];
            for (1..j.chunks) |c| addTo(A, total, (j.sums + (q * j.chunks + c) * width)[0..n]);
            done(j.ctx, q / j.blocks, q % j.blocks * width, total);
        }
    };
    var job: Job = .{ .s = &s, .chunk = chunk, .chunks = chunks, .blocks = blocks, .sums = undefined, .kernel = kernel, .ctx = ctx };
    const wide = s.outer * blocks;
    if (chunks == 1 or wide >= 64) return d.overRange(pass, wide, 1, bytes, &job, Job.whole);
    var scratch: Scratch(A) = .{};
    defer scratch.free();
    job.sums = try scratch.take(wide * chunks * width);
    d.overRange(pass, wide * chunks, 1, bytes, &job, Job.pieces);
    if (d.explanation) |e| return e.noteScratch(wide * chunks * width * @sizeOf(A));
    for (0..wide) |q| job.joined(q);
}

fn addTo(comptime A: type, total: []A, more: []const A) void {
    for (total, more) |*t, m| t.* = if (A == u32) t.* +% m else t.* + m;
}

/// What becomes of sums on a GPU. It has no f64: a sum there is a pair of f32, what it is and what its roundings lost, until it is closed.
pub fn Closed(comptime T: type) type {
    return struct {
        out: [*]T,
        /// What f32 sums are divided by, unless it is a number that the device holds; of none the mean is 0.
        divisor: f32 = 1,
        count: ?[*]const u32 = null,
    };
}

/// Partial sums on a GPU, `len` for each of a number of results.
pub fn Partials(comptime T: type) type {
    return struct {
        scratch: gpu_scratch.Scratch,
        out: [*]T,
        lost: ?[*]T,

        pub fn init(d: *const Device, len: usize) Error!@This() {
            const scratch: gpu_scratch.Scratch = try .init(d, @as(usize, if (T == f32) 2 else 1) * len * @sizeOf(T));
            return .{ .scratch = scratch, .out = scratch.ptr(T), .lost = if (T == f32) scratch.ptr(T) + len else null };
        }

        pub fn deinit(p: @This()) void {
            p.scratch.deinit();
        }

        fn half(p: @This()) Half(T) {
            return .{ .out = p.out, .lost = p.lost };
        }
    };
}

/// Where a dispatch leaves its sums: as pairs, or closed where `lost` is null.
fn Half(comptime T: type) type {
    return struct { out: [*]T, lost: ?[*]T, divisor: f32 = 1, count: ?[*]const u32 = null };
}

fn closed(comptime T: type, to: Closed(T)) Half(T) {
    return .{ .out = to.out, .lost = null, .divisor = to.divisor, .count = to.count };
}

/// Sums each row of a matrix on a GPU: parts, and then what joins them.
pub fn dispatchRows(comptime T: type, d: *const Device, x: [*]const T, r: tensor.Rows, to: Closed(T)) Error!void {
    const part = partLen(r.cols);
    const parts = @max(1, ceilDiv(r.cols, part));
    if (parts == 1) return launchRows(T, d, null, closed(T, to), x, null, r, part, 1);
    const partials: Partials(T) = try .init(d, r.rows * parts);
    defer partials.deinit();
    try launchRows(T, d, "parts", partials.half(), x, null, r, part, parts);
    try dispatchJoin(T, d, partials, r.rows, parts, to);
}

/// Joins `parts` partial sums of each of `rows` results.
pub fn dispatchJoin(comptime T: type, d: *const Device, partials: Partials(T), rows: usize, parts: usize, to: Closed(T)) Error!void {
    try launchRows(T, d, "join", closed(T, to), partials.out, partials.lost, .{ .rows = rows, .cols = parts, .stride = parts }, parts, 1);
}

fn launchRows(comptime T: type, d: *const Device, step: ?[]const u8, to: Half(T), x: [*]const T, lost: ?[*]const T, r: tensor.Rows, part: usize, parts: usize) Error!void {
    const work: launch.Work = .{ .groups = r.rows * parts, .cost = r.rows *| r.cols, .rounds = rounds(part), .step = step };
    if (T == f32) {
        const Args = extern struct {
            out: [*]f32,
            lost: ?[*]f32,
            x: [*]const f32,
            x_lost: ?[*]const f32,
            count: ?[*]const u32,
            rows: usize,
            cols: usize,
            stride: usize,
            part: usize,
            parts: usize,
            divisor: f32,
        };
        return launch.launch(d, "sum_f32_rows", Args{
            .out = to.out,
            .lost = to.lost,
            .x = x,
            .x_lost = lost,
            .count = to.count,
            .rows = r.rows,
            .cols = r.cols,
            .stride = r.stride,
            .part = part,
            .parts = parts,
            .divisor = to.divisor,
        }, work);
    }
    const Args = extern struct { out: [*]T, x: [*]const T, rows: usize, cols: usize, stride: usize, part: usize, parts: usize };
    return launch.launch(d, "sum_" ++ @typeName(T) ++ "_rows", Args{
        .out = to.out,
        .x = x,
        .rows = r.rows,
        .cols = r.cols,
        .stride = r.stride,
        .part = part,
        .parts = parts,
    }, work);
}

/// Matrices one behind another, of each of which the columns are summed on a GPU.
pub fn Pile(comptime T: type) type {
    return struct { x: [*]const T, outer: usize, rows: usize, cols: usize, row_stride: isize };
}

/// Sums each column of each matrix on a GPU: chunks of rows, and then what joins them.
pub fn dispatchColumns(comptime T: type, d: *const Device, p: Pile(T), to: Closed(T)) Error!void {
    const chunk = gpuChunkRows(p.rows);
    const chunks = gpuChunkCount(p.rows);
    if (chunks == 1) return launchColumns(T, d, null, closed(T, to), p, null, chunk, 1);
    const partials: Partials(T) = try .init(d, p.outer * chunks * p.cols);
    defer partials.deinit();
    try launchColumns(T, d, "chunks", partials.half(), p, null, chunk, chunks);
    const again: Pile(T) = .{ .x = partials.out, .outer = p.outer, .rows = chunks, .cols = p.cols, .row_stride = @intCast(p.cols) };
    try launchColumns(T, d, "join", closed(T, to), again, partials.lost, chunks, 1);
}

fn launchColumns(comptime T: type, d: *const Device, step: ?[]const u8, to: Half(T), p: Pile(T), lost: ?[*]const T, chunk: usize, chunks: usize) Error!void {
    const name = "sum_" ++ @typeName(T) ++ "_columns";
    var work = launch.byElement(name, p.outer * chunks * p.cols);
    work.cost = p.outer *| p.rows *| p.cols;
    work.rounds = chunk + launch.few_rounds;
    work.step = step;
    if (T == f32) {
        const Args = extern struct {
            out: [*]f32,
            lost: ?[*]f32,
            x: [*]const f32,
            x_lost: ?[*]const f32,
            outer: usize,
            rows: usize,
            cols: usize,
            matrix_stride: usize,
            row_stride: isize,
            chunk: usize,
            chunks: usize,
            divisor: f32,
        };
        return launch.launch(d, name, Args{
            .out = to.out,
            .lost = to.lost,
            .x = p.x,
            .x_lost = lost,
            .outer = p.outer,
            .rows = p.rows,
            .cols = p.cols,
            .matrix_stride = p.rows * p.cols,
            .row_stride = p.row_stride,
            .chunk = chunk,
            .chunks = chunks,
            .divisor = to.divisor,
        }, work);
    }
    const Args = extern struct {
        out: [*]T,
        x: [*]const T,
        outer: usize,
        rows: usize,
        cols: usize,
        matrix_stride: usize,
        row_stride: isize,
        chunk: usize,
        chunks: usize,
    };
    return launch.launch(d, name, Args{
        .out = to.out,
        .x = p.x,
        .outer = p.outer,
        .rows = p.rows,
        .cols = p.cols,
        .matrix_stride = p.rows * p.cols,
        .row_stride = p.row_stride,
        .chunk = chunk,
        .chunks = chunks,
    }, work);
}

test "fold: parts and chunks are cut by sizes" {
    const expectEqual = std.testing.expectEqual;
    try expectEqual(32, partLen(0));
    try expectEqual(256, partLen(256));
    try expectEqual(160, partLen(257));
    try expectEqual(448, partLen(768 * 2304));
    try expectEqual(8192, partLen(1 << 25));
    try expectEqual(1, chunkRows(0));
    try expectEqual(64, chunkRows(64));
    try expectEqual(33, chunkRows(65));
    try expectEqual(64, chunkRows(1 << 14));
    try expectEqual(65, chunkRows((1 << 14) + 1));
    for ([_]usize{ 1, 63, 64, 65, 129, 1 << 14, (1 << 14) + 1, 100_000, (1 << 20) + 1, 1 << 40 }) |n| {
        const each = chunkRows(n);
        try std.testing.expect(each * chunkCount(n) >= n and each * (chunkCount(n) - 1) < n and chunkCount(n) <= 256);
        try std.testing.expect(gpuChunkRows(n) * gpuChunkCount(n) >= n and gpuChunkRows(n) <= gpu_chunk_max);
    }
    try expectEqual(1, chunkCount(0));
}

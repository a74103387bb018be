//! Column sums of a matrix, deterministic and parallel: rows are cut into chunks by their number alone, each chunk sums its rows in order, and the
//! chunks' partial sums join in order. The bias gradient is one; so are the parameter gradients of a normalisation.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const blocking = @import("blocking.zig");
const parts = @import("product.zig").rowPanels;
const pool = @import("../parallel/pool.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const fold = @import("../row/fold.zig");
const split = @import("../row/split.zig");
const Device = device.Device;
const Error = @import("../status.zig").Error;

/// Columns that the kernel sums in one pass over the rows.
const block = 64;

/// How a matrix is dealt for its column sums: chunks of rows, which are part of the order of sums, times pieces of columns, which are not.
pub const Cut = struct {
    chunks: usize,
    /// Rows of every chunk but the last.
    rows: usize,
    pieces: usize,
    /// Columns of every piece but the last.
    cols: usize,

    /// Elements that a piece of a chunk has at least.
    const piece_min = 4096;

    /// As many jobs as are wanted, if need be by cutting columns: up to 64 rows are one chunk. 64 rows of 50257 columns, 13 MB, take
    /// 0.46 of the time of one job on two cores of a Zen 3, 64×8192 0.6, 16×3072 0.7; 1024×3072 and 8192×768, which are chunks enough, the same.
    pub fn of(rows: usize, cols: usize, wanted: usize) Cut {
        const chunks = fold.chunkCount(rows);
        const each = fold.chunkRows(rows);
        const least = @max(block, piece_min / each);
        const pieces = std.math.clamp(parts(wanted, chunks), 1, @max(1, cols / least));
        const width = blocking.roundUp(parts(@max(1, cols), pieces), block);
        return .{ .chunks = chunks, .rows = each, .pieces = @max(1, parts(cols, width)), .cols = width };
    }

    pub fn jobs(c: Cut) usize {
        return c.chunks * c.pieces;
    }

    /// The part of a matrix that is job `q`. Jobs of a chunk follow each other along its rows.
    pub fn part(c: Cut, rows: usize, cols: usize, q: usize) struct { chunk: usize, row: usize, rows: usize, col: usize, cols: usize } {
        const chunk = q / c.pieces;
        const row = @min(rows, chunk * c.rows);
        const col = q % c.pieces * c.cols;
        return .{ .chunk = chunk, .row = row, .rows = @min(c.rows, rows - row), .col = col, .cols = @min(c.cols, cols - col) };
    }
};

pub fn Kernel(comptime T: type) type {
    return struct {
        pub const name = "column_sums_" ++ @typeName(T);

        sum: *const fn ([*]T, [*]const T, usize, usize, usize, bool) callconv(.c) void,

        pub inline fn of(d: *const Device) @This() {
            return .{ .sum = d.kernel(fn ([*]T, [*]const T, usize, usize, usize, bool) callconv(.c) void, name) };
        }
    };
}

/// out[c] (+)= Σ_r x[r, c].
pub fn Sum(comptime T: type) type {
    return struct {
        const Self = @This();

        out: [*]T,
        x: [*]const T,
        rows: usize,
        cols: usize,
        stride: usize,
        accumulate: bool,

        /// How it is dealt to a number of workers.
        pub fn cut(s: *const Self, d: *const Device, workers: usize) Cut {
            return .of(s.rows, s.cols, if (workers == 1) 1 else workers *| @as(usize, @intCast(d.knobs.parallel_oversample)));
        }

        /// The most jobs it can be cut into.
        pub fn jobsMax(s: *const Self) usize {
            return Cut.of(s.rows, s.cols, std.math.maxInt(usize)).jobs();
        }

        /// Elements of scratch: a single chunk's sums are the result.
        pub fn partialLen(s: *const Self) usize {
            const chunks = fold.chunkCount(s.rows);
            return if (chunks == 1) 0 else chunks * s.cols;
        }

        /// Every worker of a region calls this with the same scratch.
        pub fn run(s: *const Self, d: *const Device, kernel: Kernel(T), partials: [*]T, w: *pool.Worker) void {
            const job: Job = .{ .s = s, .cut = s.cut(d, w.count), .kernel = kernel, .partials = partials };
            w.phase(job.cut.jobs(), 1, job, Job.some);
            if (job.cut.chunks == 1) return;
            w.phase(s.cols, d.grain(s.cols, w.count, block), job, Job.join);
        }

        pub fn dispatch(s: *const Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const chunks = fold.gpuChunkCount(s.rows);
            const partials: Scratch = try .init(d, chunks * s.cols * @sizeOf(T));
            defer partials.deinit();
            try launchSums(d, "partials", .{
                .out = partials.ptr(T),
                .x = s.x,
                .rows = s.rows,
                .cols = s.cols,
                .stride = s.stride,
                .chunk_rows = fold.gpuChunkRows(s.rows),
                .chunks = chunks,
                .accumulate = false,
            });
            try dispatchJoin(d, s.out, partials.ptr(T), chunks, s.cols, s.accumulate);
        }

        const Job = struct {
            s: *const Self,
            cut: Cut,
            kernel: Kernel(T),
            partials: [*]T,

            fn some(j: Job, begin: usize, end: usize) void {
                const s = j.s;
                const only = j.cut.chunks == 1;
                for (begin..end) |q| {
                    const p = j.cut.part(s.rows, s.cols, q);
                    const out = if (only) s.out else j.partials + p.chunk * s.cols;
                    j.kernel.sum(out + p.col, s.x + p.row * s.stride + p.col, p.rows, p.cols, s.stride, only and s.accumulate);
                }
            }

            /// The partials are a matrix again, one row a chunk.
            fn join(j: Job, begin: usize, end: usize) void {
                j.kernel.sum(j.s.out + begin, j.partials + begin, j.cut.chunks, end - begin, j.s.cols, j.s.accumulate);
            }
        };
    };
}

/// What the shader takes: sums of each chunk of rows.
const Sums = extern struct { out: [*]f32, x: [*]const f32, rows: usize, cols: usize, stride: usize, chunk_rows: usize, chunks: usize, accumulate: bool };

/// On a GPU: out[c] (+)= Σ over the rows of `partials`, ascending.
pub fn dispatchJoin(d: *const Device, out: [*]f32, partials: [*]const f32, rows: usize, cols: usize, accumulate: bool) Error!void {
    try launchSums(d, "join", .{ .out = out, .x = partials, .rows = rows, .cols = cols, .stride = cols, .chunk_rows = rows, .chunks = 1, .accumulate = accumulate });
}

fn launchSums(d: *const Device, step: []const u8, args: Sums) Error!void {
    const across = std.math.divCeil(usize, args.cols, comptime launch.threads("column_sums_f32")) catch unreachable;
    return launch.launch(d, "column_sums_f32", args, .{ .groups = across * args.chunks, .cost = args.rows * args.cols, .rounds = args.chunk_rows + launch.few_rounds, .step = step });
}

/// out[c] = (add ? out[c] : 0) + Σ_r x[r, c], the sum taken first, rows ascending from 0.
fn columnSums(comptime T: type) fn ([*]T, [*]const T, usize, usize, usize, bool) callconv(.c) void {
    return struct {
        const V = simd.Vec(T);

        fn run(out: [*]T, x: [*]const T, rows: usize, cols: usize, stride: usize, add: bool) callconv(.c) void {
            var c: usize = 0;
            // Four vectors a pass: enough independent sums to hide the adder's latency.
            while (c + block <= cols) : (c += block) {
                var sums: [4]V = @splat(@splat(0));
                for (0..rows) |r| {
                    inline for (0..4) |j| sums[j] += simd.load(T, x + r * stride + c + 16 * j);
                }
                inline for (0..4) |j| put(out + c + 16 * j, sums[j], 16, add);
            }
            while (c < cols) : (c += 16) {
                const n = @min(16, cols - c);
                var sums: V = @splat(0);
                for (0..rows) |r| sums += if (n == 16) simd.load(T, x + r * stride + c) else simd.loadPartial(T, x + r * stride + c, n, 0);
                put(out + c, sums, n, add);
            }
        }

        inline fn put(out: [*]T, sums: V, n: usize, add: bool) void {
            if (n == 16) {
                simd.store(out, if (add) simd.load(T, out) + sums else sums);
            } else {
                simd.storePartial(out, if (add) simd.loadPartial(T, out, n, 0) + sums else sums, n);
            }
        }
    }.run;
}

/// A task: a kernel of rows, as row/split.zig describes them, that leaves sums over its rows beside what else it does. It runs over chunks of rows, each
/// with `args.sums` of its own, `outs.len` times `cols` sums behind each other; these join in the order of the chunks. Where no sum is wanted
/// `args.sums` is null and there are no chunks to keep.
pub fn Chunked(comptime T: type, comptime Args: type, comptime kernel_name: []const u8, comptime count: usize) type {
    return struct {
        args: Args,
        outs: [count]?[*]T,
        /// Matrices that a call touches.
        streams: u64,

        /// Without columns there are no sums either.
        pub fn isEmpty(self: *const @This()) bool {
            return self.args.cols == 0;
        }

        pub fn run(self: @This(), d: *const Device) Error!void {
            var args = self.args;
            const chunks = fold.chunkCount(args.rows);
            var want_sums = false;
            for (self.outs) |out| want_sums = want_sums or out != null;
            const bytes = if (want_sums) chunks * count * args.cols * @sizeOf(T) else 0;
            const scratch = if (want_sums) try memory.alloc(bytes) else undefined;
            defer if (want_sums) memory.free(scratch, bytes);
            args.sums = if (want_sums) @ptrCast(scratch) else null;

            const Call = struct {
                args: Args,
                each: usize,
                kernel: *const fn (*const Args) callconv(.c) void,

                fn some(c: @This(), begin: usize, end: usize) void {
                    for (begin..end) |q| {
                        const first = @min(q * c.each, c.args.rows);
                        var part = split.part(c.args, first, @min(c.each, c.args.rows - first));
                        if (part.sums) |s| part.sums = s + q * count * part.cols;
                        c.kernel(&part);
                    }
                }
            };
            const pass: device.Pass = .{ .step = "rows", .kernel = kernel_name };
            const kernel = d.kernel(fn (*const Args) callconv(.c) void, kernel_name);
            const touched = self.streams * @sizeOf(T) * args.rows * args.cols;
            d.overRange(pass, chunks, 1, touched, Call{ .args = args, .each = fold.chunkRows(args.rows), .kernel = kernel }, Call.some);
            if (d.explanation) |e| e.noteScratch(bytes);
            if (!want_sums) return;

            const Close = struct {
                parts: [*]const T,
                chunks: usize,
                cols: usize,
                outs: [count]?[*]T,
                kernel: Kernel(T),

                fn columns(c: @This(), begin: usize, end: usize) void {
                    for (c.outs, 0..) |out, which| {
                        const o = out orelse continue;
                        c.kernel.sum(o + begin, c.parts + which * c.cols + begin, c.chunks, end - begin, count * c.cols, false);
                    }
                }
            };
            const last: device.Pass = .{ .step = "join", .kernel = Kernel(T).name };
            d.overRange(last, args.cols, simd.lanes, bytes, Close{
                .parts = args.sums.?,
                .chunks = chunks,
                .cols = args.cols,
                .outs = self.outs,
                .kernel = .of(d),
            }, Close.columns);
        }
    };
}

test "column sums: few rows are cut into pieces of columns, which cover every element once" {
    const expectEqual = std.testing.expectEqual;
    // 16 jobs for two workers, whatever the number of rows.
    try expectEqual(16, Cut.of(64, 50257, 16).jobs());
    try expectEqual(16, Cut.of(100, 50257, 16).jobs());
    try expectEqual(16, Cut.of(1024, 50257, 16).jobs());
    try expectEqual(1, Cut.of(64, 50257, 1).jobs());
    // A piece of fewer than 4096 elements costs more to claim than to sum.
    try expectEqual(1, Cut.of(1, 4000, 16).jobs());
    try expectEqual(3, Cut.of(16, 768, 16).jobs());
    for ([_]usize{ 0, 1, 2, 63, 64, 65, 300, 20_000 }) |rows| for ([_]usize{ 0, 1, 63, 64, 65, 767, 50257 }) |cols| for ([_]usize{ 1, 2, 16, std.math.maxInt(usize) }) |wanted| {
        const c: Cut = .of(rows, cols, wanted);
        var elements: usize = 0;
        var next_row: usize = 0;
        for (0..c.chunks) |chunk| {
            var next_col: usize = 0;
            for (0..c.pieces) |piece| {
                const p = c.part(rows, cols, chunk * c.pieces + piece);
                try expectEqual(.{ chunk, next_row, next_col }, .{ p.chunk, p.row, p.col });
                next_col += p.cols;
                elements += p.rows * p.cols;
                if (piece + 1 == c.pieces) next_row += p.rows;
            }
            try expectEqual(cols, next_col);
        }
        try expectEqual(rows * cols, elements);
    };
}

pub const ukernels = struct {
    pub const column_sums_f32 = columnSums(f32);
    pub const column_sums_f64 = columnSums(f64);
};

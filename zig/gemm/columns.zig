//! Column sums of a matrix, deterministic and parallel: rows are cut into chunks by their number alone, each chunk sums its rows in order, and the
//! chunks' partial sums join in order. The bias gradient is one; so are the parameter gradients of a normalisation.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const pool = @import("../parallel/pool.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const fold = @import("../row/fold.zig");
const split = @import("../row/split.zig");
const Device = device.Device;
const Error = @import("../status.zig").Error;

/// Chunks for a number of rows: 64 rows or more each, at most 256 chunks.
pub fn chunks(rows: usize) usize {
    return std.math.clamp(std.math.divCeil(usize, rows, 64) catch unreachable, 1, 256);
}

/// Rows of every chunk on a GPU: as on the CPU, but no more than a thread may walk one by one.
pub fn gpuChunkRows(rows: usize) usize {
    return @min(chunkRows(rows), fold.gpu_chunk_max);
}

/// Chunks on a GPU.
pub fn gpuChunks(rows: usize) usize {
    return if (chunkRows(rows) > fold.gpu_chunk_max) std.math.divCeil(usize, rows, fold.gpu_chunk_max) catch unreachable else chunks(rows);
}

/// Rows of every chunk but the last ones, which may be shorter or empty.
pub fn chunkRows(rows: usize) usize {
    return std.math.divCeil(usize, rows, chunks(rows)) catch unreachable;
}

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

        /// Elements of scratch.
        pub fn partialLen(s: *const Self) usize {
            return chunks(s.rows) * s.cols;
        }

        /// Every worker of a region calls this with the same scratch.
        pub fn run(s: *const Self, kernel: Kernel(T), partials: [*]T, w: *pool.Worker) void {
            const job: Job = .{ .s = s, .kernel = kernel, .partials = partials };
            w.phase(chunks(s.rows), 1, job, Job.chunk);
            const grain = @max(64, s.cols / (4 * @as(usize, w.count)));
            w.phase(s.cols, grain, job, Job.join);
        }

        pub fn dispatch(s: *const Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const parts = gpuChunks(s.rows);
            const partials: Scratch = try .init(d, parts * s.cols * @sizeOf(T));
            defer partials.deinit();
            try launchSums(d, "partials", .{
                .out = partials.ptr(T),
                .x = s.x,
                .rows = s.rows,
                .cols = s.cols,
                .stride = s.stride,
                .chunk_rows = gpuChunkRows(s.rows),
                .chunks = parts,
                .accumulate = false,
            });
            try dispatchJoin(d, s.out, partials.ptr(T), parts, s.cols, s.accumulate);
        }

        const Job = struct {
            s: *const Self,
            kernel: Kernel(T),
            partials: [*]T,

            fn chunk(j: Job, begin: usize, end: usize) void {
                const each = chunkRows(j.s.rows);
                for (begin..end) |c| {
                    const from = @min(j.s.rows, c * each);
                    const to = @min(j.s.rows, from + each);
                    j.kernel.sum(j.partials + c * j.s.cols, j.s.x + from * j.s.stride, to - from, j.s.cols, j.s.stride, false);
                }
            }

            /// The partials are a matrix again, one row a chunk.
            fn join(j: Job, begin: usize, end: usize) void {
                const n = chunks(j.s.rows);
                j.kernel.sum(j.out() + begin, j.partials + begin, n, end - begin, j.s.cols, j.s.accumulate);
            }

            fn out(j: Job) [*]T {
                return j.s.out;
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
            while (c + 64 <= cols) : (c += 64) {
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
            const chunks_ = chunks(args.rows);
            var want_sums = false;
            for (self.outs) |out| want_sums = want_sums or out != null;
            const bytes = if (want_sums) chunks_ * count * args.cols * @sizeOf(T) else 0;
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
            d.overRange(pass, chunks_, 1, touched, Call{ .args = args, .each = chunkRows(args.rows), .kernel = kernel }, Call.some);
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
                .chunks = chunks_,
                .cols = args.cols,
                .outs = self.outs,
                .kernel = .of(d),
            }, Close.columns);
        }
    };
}

pub const ukernels = struct {
    pub const column_sums_f32 = columnSums(f32);
    pub const column_sums_f64 = columnSums(f64);
};

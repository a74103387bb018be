//! The routes that a product may take: by register tiles, as its transpose, with a vector, of two vectors, or of nothing.

const std = @import("std");
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const vector = @import("vector.zig");
const product = @import("product.zig");
const Product = product.Product;
const Kernels = product.Kernels;
const Plan = @import("tiles.zig").Plan;
const pool = @import("../parallel/pool.zig");
const resolve = @import("../parallel/resolve.zig");
const Device = @import("../device.zig").Device;

/// A product with a vector, by its outputs: y[j] = Σ_k x[k] · w(k, j).
pub fn Vector(comptime T: type) type {
    return struct {
        const Self = @This();

        d: *const Device,
        p: Product(T),
        form: enum { rows, turned, panels },
        gemv: vector.Gemv(T),
        x_step: isize,
        kernel: *const fn (*const vector.Gemv(T)) callconv(.c) void,
        joins: *const fn (*const vector.Gemv(T)) callconv(.c) void,
        close: *const fn (*const kernel.Close(T)) callconv(.c) void,
        /// Outputs that a job computes: whole panels, and lines of memory.
        unit: usize,
        /// Whether y is a row of C, or else a column.
        is_row: bool,

        /// Null where the matrix lies in neither order.
        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T)) ?Self {
            const is_row = p.m == 1;
            // The matrix: its stride along the outputs and along k.
            const along: isize = if (is_row) p.b_col else p.a_row;
            const deep: isize = if (is_row) p.b_row else p.a_col;
            const of: []const u8 = "gemv_" ++ @typeName(T) ++ "_";
            const Fn = fn (*const vector.Gemv(T)) callconv(.c) void;
            var self: Self = .{
                .d = d,
                .p = p,
                .form = undefined,
                .gemv = .{
                    .y = p.c,
                    .y_step = if (is_row) 1 else p.ldc,
                    .x = if (is_row) p.a else p.b,
                    .w = if (is_row) p.b else p.a,
                    .stride = undefined,
                    .begin = 0,
                    .end = if (is_row) p.n else p.m,
                    .k = p.k,
                    .alpha = p.alpha,
                    .beta = p.beta,
                    .read_y = @intFromBool(p.beta != 0),
                    .far = @intFromBool(resolve.touched(p.sizes(), @sizeOf(T)) > d.machine.caches.l2),
                },
                .x_step = if (is_row) p.a_col else p.b_row,
                .kernel = undefined,
                .joins = d.kernel(Fn, of ++ "join"),
                .close = kernels.close,
                .unit = blocking.roundUp(64, kernels.tile.nr),
                .is_row = is_row,
            };
            if (p.b_packed) {
                // A single column of panels is no vector to read.
                if (!is_row) return null;
                self.form = .panels;
                self.kernel = d.kernel(Fn, of ++ "panels");
                self.gemv.stride = @intCast(blocking.roundUp(p.n, kernels.tile.w));
            } else if (along == 1 or self.gemv.end == 1) {
                self.form = .rows;
                self.kernel = d.kernel(Fn, of ++ "rows");
                self.gemv.stride = deep;
            } else if (deep == 1) {
                self.form = .turned;
                self.kernel = d.kernel(Fn, of ++ "turned");
                self.gemv.stride = along;
            } else return null;
            return self;
        }

        /// A vector whose elements are apart is copied once; blocks of k that are dealt leave sums.
        pub fn scratchLen(self: *const Self, workers: usize) usize {
            return self.copyLen() + if (self.cut(workers)) |c| c.blocks * c.width else 0;
        }

        fn copyLen(self: *const Self) usize {
            return if (self.x_step == 1) 0 else product.align16(self.p.k);
        }

        /// How the blocks of k are dealt, whose sums join in a second phase.
        const Cut = struct {
            blocks: usize,
            /// Pieces of columns that a block is cut into.
            pieces: usize,
            /// Elements from one block's sums to the next's.
            width: usize,
        };

        /// A block of a matrix that lies row by row is one stretch of memory, where the columns of a chunk are many short ones, which are read more slowly.
        /// Against columns, two cores of a Zen 3 are 1.3 to 1.4 times as fast at a row by 3072×768 and 4096×4096, 1.2 to 1.7 at 2048×2048 and 4096×1024, 1.1 to 1.5 in f64.
        /// Null where columns are dealt.
        fn cut(self: *const Self, workers: usize) ?Cut {
            const blocks = std.math.divCeil(usize, self.p.k, blocking.kc) catch unreachable;
            if (self.form != .rows or workers == 1 or blocks < blocks_min or self.gemv.end * @sizeOf(T) > sums_max) return null;
            const pieces = std.math.divCeil(usize, 2 * workers, blocks) catch unreachable;
            return .{ .blocks = blocks, .pieces = @min(pieces, self.units()), .width = blocking.roundUp(self.gemv.end, self.unit) };
        }

        /// Fewer are not dealt evenly: three, as six halves, are 0.71 of the speed at 768×768.
        const blocks_min = 8;

        /// Bytes of a block's sums: as many as wait in the first-level cache.
        const sums_max = 16 << 10;

        pub fn run(self: *const Self, scratch: [*]T, w: *pool.Worker) void {
            var mine = self.*;
            if (self.x_step != 1) {
                mine.gemv.x = scratch;
                w.phase(1, 1, Gather{ .v = self, .out = scratch }, Gather.all);
            }
            const c = self.cut(w.count) orelse return w.phase(self.units(), self.grain(w.count), &mine, some);
            const by_block: ByBlock = .{ .v = &mine, .cut = c, .sums = scratch + self.copyLen() };
            w.phase(c.blocks * c.pieces, 1, by_block, ByBlock.sum);
            w.phase(self.units(), self.d.grain(self.units(), w.count, 1), by_block, ByBlock.join);
        }

        const ByBlock = struct {
            v: *const Self,
            cut: Cut,
            sums: [*]T,

            fn sum(b: ByBlock, begin: usize, end: usize) void {
                const each = std.math.divCeil(usize, b.v.units(), b.cut.pieces) catch unreachable;
                for (begin..end) |q| {
                    const block = q / b.cut.pieces;
                    const k = block * blocking.kc;
                    const first = q % b.cut.pieces * each * b.v.unit;
                    var g = b.v.gemv;
                    g.y = b.sums + block * b.cut.width;
                    g.y_step = 1;
                    g.x += k;
                    g.w = kernel.step(T, g.w, @as(isize, @intCast(k)) * g.stride);
                    g.k = @min(blocking.kc, g.k - k);
                    g.begin = @min(g.end, first);
                    g.end = @min(g.end, first + each * b.v.unit);
                    g.alpha = 1;
                    g.read_y = 0;
                    b.v.kernel(&g);
                }
            }

            fn join(b: ByBlock, begin: usize, end: usize) void {
                var g = b.v.gemv;
                g.w = b.sums;
                g.stride = @intCast(b.cut.width);
                g.k = b.cut.blocks;
                b.v.finish(&g, b.v.joins, begin, end);
            }
        };

        /// Jobs of a chunk. Of a matrix whose rows a chunk crosses, each gives it a stretch of memory: of 1 KiB at least, unless a worker would then have none.
        /// Against eight chunks a worker, two cores of a Zen 3 take 0.71 of the time at 1024×4096, 0.92 at 768×768, the same at 4096×4096.
        pub fn grain(self: *const Self, workers: usize) usize {
            if (self.cut(workers) != null) return 1;
            const each = self.d.grain(self.units(), workers, 1);
            if (self.form != .rows or workers == 1) return each;
            const wide = std.math.divCeil(usize, stretch / @sizeOf(T), self.unit) catch unreachable;
            const evenly = @max(1, self.units() / wide / workers) * workers;
            return @max(each, std.math.divCeil(usize, self.units(), evenly) catch unreachable);
        }

        /// Bytes of a row of the matrix that a chunk reads side by side.
        const stretch = 1 << 10;

        /// Jobs of the phase that reads the matrix.
        pub fn jobs(self: *const Self, workers: usize) usize {
            return if (self.cut(workers)) |c| c.blocks * c.pieces else self.units();
        }

        pub fn units(self: *const Self) usize {
            return std.math.divCeil(usize, self.gemv.end, self.unit) catch unreachable;
        }

        const Gather = struct {
            v: *const Self,
            out: [*]T,

            fn all(g: Gather, _: usize, _: usize) void {
                for (0..g.v.p.k) |k| g.out[k] = kernel.step(T, g.v.gemv.x, g.v.x_step * @as(isize, @intCast(k)))[0];
            }
        };

        /// The jobs `begin..end`, for who deals them himself; the vector's elements lie side by side.
        pub fn some(self: *const Self, begin: usize, end: usize) void {
            var g = self.gemv;
            self.finish(&g, self.kernel, begin, end);
        }

        fn finish(self: *const Self, g: *vector.Gemv(T), of: *const fn (*const vector.Gemv(T)) callconv(.c) void, begin: usize, end: usize) void {
            g.begin = begin * self.unit;
            g.end = @min(self.gemv.end, end * self.unit);
            of(g);
            const p = &self.p;
            if (p.bias == null and p.epilogue == .none) return;
            self.close(&.{
                .c = p.c + g.begin * g.y_step,
                .ldc = p.ldc,
                .rows = if (self.is_row) 1 else g.end - g.begin,
                .cols = if (self.is_row) g.end - g.begin else 1,
                .bias = if (p.bias) |bias| (if (self.is_row) bias + g.begin else bias) else null,
                .epilogue = p.epilogue,
            });
        }
    };
}

/// The product of a column with a row.
pub fn Outer(comptime T: type) type {
    return struct {
        const Self = @This();

        d: *const Device,
        p: Product(T),
        kernel: *const fn (*const vector.Outer(T)) callconv(.c) void,
        close: *const fn (*const kernel.Close(T)) callconv(.c) void,
        passing: bool,

        /// Null where the row's elements are apart.
        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T)) ?Self {
            if (p.b_packed or (p.b_col != 1 and p.n != 1)) return null;
            return .{
                .d = d,
                .p = p,
                .kernel = d.kernel(fn (*const vector.Outer(T)) callconv(.c) void, "outer_" ++ @typeName(T)),
                .close = kernels.close,
                .passing = p.m *| p.n *| @sizeOf(T) > 8 * d.machine.caches.l2,
            };
        }

        pub fn run(self: *const Self, w: *pool.Worker) void {
            w.phase(self.p.m, self.grain(w.count), self, rows);
        }

        /// Jobs of a chunk.
        pub fn grain(self: *const Self, workers: usize) usize {
            return self.d.grain(self.p.m, workers, 1);
        }

        pub fn rows(self: *const Self, begin: usize, end: usize) void {
            const p = &self.p;
            const c = p.c + begin * p.ldc;
            self.kernel(&.{
                .c = c,
                .ldc = p.ldc,
                .a = product.at(T, p.a, p.a_row, begin, 0, 0),
                .a_step = p.a_row,
                .b = p.b,
                .rows = end - begin,
                .cols = p.n,
                .alpha = p.alpha,
                .beta = p.beta,
                .read_c = @intFromBool(p.beta != 0),
                .passing = @intFromBool(self.passing and p.bias == null and p.epilogue == .none),
            });
            if (p.bias == null and p.epilogue == .none) return;
            self.close(&.{ .c = c, .ldc = p.ldc, .rows = end - begin, .cols = p.n, .bias = p.bias, .epilogue = p.epilogue });
        }
    };
}

/// A product of few rows with a transposed B, computed as its transpose: Cᵀ = Bᵀ·Aᵀ. The weight's rows are then a left operand, which is read where it is; the
/// few rows of A are what is turned and packed, and C is turned at the end.
pub fn Swapped(comptime T: type) type {
    return struct {
        const Self = @This();

        d: *const Device,
        p: Product(T),
        plan: Plan(T),
        kernels: Kernels(T),
        /// Elements of the transpose of C.
        c_len: usize,

        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T), workers: usize) Self {
            const ldc = blocking.roundUp(p.m, kernels.tile.w);
            return .{
                .d = d,
                .p = p,
                .kernels = kernels,
                .c_len = product.align16(p.n * ldc),
                .plan = .init(d, kernels, .{
                    .m = p.n,
                    .n = p.m,
                    .k = p.k,
                    .a = p.b,
                    .a_row = p.b_col,
                    .a_col = p.b_row,
                    .b = p.a,
                    .b_row = p.a_col,
                    .b_col = p.a_row,
                    // Where it lies is known only once there is scratch.
                    .c = undefined,
                    .ldc = ldc,
                    .alpha = p.alpha,
                    .beta = p.beta,
                }, workers),
            };
        }

        pub fn scratchLen(self: *const Self, workers: usize) usize {
            return self.c_len + self.plan.scratchLen(workers);
        }

        pub fn run(self: *const Self, scratch: [*]T, w: *pool.Worker) void {
            var mine = self.*;
            mine.plan.p.c = scratch;
            const grain = self.d.grain(self.p.n, w.count, 64);
            if (self.p.beta != 0) w.phase(self.p.n, grain, &mine, take);
            mine.plan.run(scratch + self.c_len, w);
            w.phase(self.p.n, grain, &mine, give);
        }

        fn take(self: *const Self, begin: usize, end: usize) void {
            const p = &self.p;
            for (0..p.m) |i| for (begin..end) |j| {
                self.plan.p.c[j * self.plan.p.ldc + i] = p.c[i * p.ldc + j];
            };
        }

        /// Some columns of C.
        fn give(self: *const Self, begin: usize, end: usize) void {
            const p = &self.p;
            const ld = self.plan.p.ldc;
            for (0..p.m) |i| {
                const from = self.plan.p.c + i;
                for (begin..end, p.c[i * p.ldc + begin .. i * p.ldc + end]) |j, *c| c.* = from[j * ld];
            }
            if (p.bias == null and p.epilogue == .none) return;
            self.kernels.close(&.{
                .c = p.c + begin,
                .ldc = p.ldc,
                .rows = p.m,
                .cols = end - begin,
                .bias = if (p.bias) |bias| bias + begin else null,
                .epilogue = p.epilogue,
            });
        }
    };
}

/// A product of nothing: C := epilogue(beta·C + bias).
pub fn Nothing(comptime T: type) type {
    return struct {
        const Self = @This();

        d: *const Device,
        p: Product(T),
        kernels: Kernels(T),

        fn run(self: *const Self, w: *pool.Worker) void {
            w.phase(self.p.m, self.grain(w.count), self, rows);
        }

        /// Jobs of a chunk.
        pub fn grain(self: *const Self, workers: usize) usize {
            return self.d.grain(self.p.m, workers, 1);
        }

        pub fn rows(self: *const Self, begin: usize, end: usize) void {
            const p = &self.p;
            const c = p.c + begin * p.ldc;
            self.kernels.scale(c, p.ldc, end - begin, p.n, p.beta);
            if (p.bias == null and p.epilogue == .none) return;
            self.kernels.close(&.{ .c = c, .ldc = p.ldc, .rows = end - begin, .cols = p.n, .bias = p.bias, .epilogue = p.epilogue });
        }
    };
}

/// The way that a product takes, cut for a number of workers. Every worker of a region calls `run` with the same scratch.
pub fn Route(comptime T: type) type {
    return union(enum) {
        const Self = @This();

        nothing: Nothing(T),
        outer: Outer(T),
        vector: Vector(T),
        swapped: Swapped(T),
        tiles: Plan(T),

        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T), workers: usize) Self {
            if (p.m == 0 or p.n == 0 or p.k == 0 or p.alpha == 0) return .{ .nothing = .{ .d = d, .p = p, .kernels = kernels } };
            if (p.m == 1 or p.n == 1) {
                if (Vector(T).init(d, kernels, p)) |v| return .{ .vector = v };
            }
            if (p.k == 1) {
                if (Outer(T).init(d, kernels, p)) |o| return .{ .outer = o };
            }
            if (!p.b_packed and p.b_row == 1 and p.b_col > 0 and blocking.swaps(kernels.tile, p.m, p.n, p.k)) return .{ .swapped = .init(d, kernels, p, workers) };
            return .{ .tiles = .init(d, kernels, p, workers) };
        }

        pub fn scratchLen(self: *const Self, workers: usize) usize {
            return switch (self.*) {
                .nothing, .outer => 0,
                .vector => |*v| v.scratchLen(workers),
                .swapped => |*x| x.scratchLen(workers),
                .tiles => |*plan| plan.scratchLen(workers),
            };
        }

        pub fn run(self: *const Self, scratch: [*]T, w: *pool.Worker) void {
            switch (self.*) {
                .nothing => |*x| x.run(w),
                .outer => |*x| x.run(w),
                .vector => |*x| x.run(scratch, w),
                .swapped => |*x| x.run(scratch, w),
                .tiles => |*x| x.run(scratch, w),
            }
        }
    };
}

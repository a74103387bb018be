//! The matrix product C := epilogue(alpha·A·B + beta·C + bias): packs B together, then deals row blocks × column tiles through the job cursor. Knows no
//! instruction set; the kernels come from the device.

const std = @import("std");
const assert = std.debug.assert;
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const memory = @import("../memory.zig");
const pool = @import("../parallel/pool.zig");
const resolve = @import("../parallel/resolve.zig");
const Device = @import("../device.zig").Device;

pub const Epilogue = kernel.Epilogue;
const kc = blocking.kc;

/// An m×k matrix times a k×n one, by strides in elements; rows of C are contiguous.
pub fn Product(comptime T: type) type {
    return struct {
        m: usize,
        n: usize,
        k: usize,
        a: [*]const T,
        a_row: isize,
        a_col: isize,
        b: [*]const T,
        b_row: isize,
        b_col: isize,
        c: [*]T,
        ldc: usize,
        alpha: T = 1,
        beta: T = 0,
        bias: ?[*]const T = null,
        epilogue: Epilogue = .none,
    };
}

/// Kernels and tile of a device for T.
pub fn Kernels(comptime T: type) type {
    return struct {
        tile: blocking.Tile,
        strip: *const fn (*const kernel.Strip(T)) callconv(.c) void,
        pack: *const fn (*const kernel.Pack(T)) callconv(.c) void,
        scale: *const fn ([*]T, usize, usize, usize, T) callconv(.c) void,
        close: *const fn (*const kernel.Close(T)) callconv(.c) void,

        pub inline fn of(d: *const Device) @This() {
            const prefix = "gemm_" ++ @typeName(T) ++ "_";
            return .{
                .tile = .of(d.kernel(fn () callconv(.c) u32, prefix ++ "shape")()),
                .strip = d.kernel(fn (*const kernel.Strip(T)) callconv(.c) void, prefix ++ "strip"),
                .pack = d.kernel(fn (*const kernel.Pack(T)) callconv(.c) void, prefix ++ "pack"),
                .scale = d.kernel(fn ([*]T, usize, usize, usize, T) callconv(.c) void, prefix ++ "scale"),
                .close = d.kernel(fn (*const kernel.Close(T)) callconv(.c) void, prefix ++ "close"),
            };
        }
    };
}

/// One product, cut for a number of workers, with the room it packs into. Every worker of a region calls `run` on the same plan.
pub fn Plan(comptime T: type) type {
    return struct {
        const Self = @This();

        p: Product(T),
        kernels: Kernels(T),
        cut: blocking.Blocking,
        /// Depth that is packed and computed between two barriers: a multiple of the 256 of a block, or all of k.
        depth: usize,
        /// Elements of the shared packed slice of B, and of one worker's packed block of A.
        b_len: usize,
        a_len: usize,
        /// Operands that are read where they are.
        a_in_place: bool,
        b_in_place: bool,

        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T), workers: usize) Self {
            const cut = blocking.plan(kernels.tile, d.machine.caches, d.knobs, workers, p.m, p.n, @sizeOf(T), blocking.rowsLeast(p.a_row == 1, p.m, workers, @sizeOf(T)));
            const a_in_place = p.a_col == 1 and p.a_row > 0 and blocking.keepA(kernels.tile, p.n, @intCast(p.a_row), @sizeOf(T));
            const b_in_place = p.b_col == 1 and p.b_row > 0 and blocking.keepB(d.machine.caches, p.k, @intCast(p.b_row), @sizeOf(T));
            const b_cols = if (b_in_place) kernels.tile.nr else @min(cut.nc, blocking.roundUp(p.n, kernels.tile.w));
            const a_rows = if (a_in_place) 0 else cut.mc;
            const depth = @min(p.k, kc * blocking.depthBlocks(d.machine.caches, b_cols * @sizeOf(T), a_rows * @sizeOf(T)));
            return .{
                .p = p,
                .kernels = kernels,
                .cut = cut,
                .depth = depth,
                .b_len = align16(depth * b_cols),
                .a_len = align16(depth * a_rows),
                .a_in_place = a_in_place,
                .b_in_place = b_in_place,
            };
        }

        /// Elements of scratch for `workers` workers; each part starts at a 64-byte border.
        pub fn scratchLen(self: *const Self, workers: usize) usize {
            return self.b_len + self.a_len * workers;
        }

        pub fn run(self: *const Self, scratch: [*]T, w: *pool.Worker) void {
            const p = &self.p;
            if (p.m == 0 or p.n == 0) return;
            if (p.k == 0 or p.alpha == 0) return w.phase(p.m, rowsOfNothing(p.m, w.count), self, nothing);
            var j0: usize = 0;
            while (j0 < p.n) : (j0 += self.cut.nc) {
                var k0: usize = 0;
                while (k0 < p.k) : (k0 += self.depth) {
                    var slice: Slice = .{
                        .plan = self,
                        .j0 = j0,
                        .cols = @min(self.cut.nc, p.n - j0),
                        .k0 = k0,
                        .depth = @min(self.depth, p.k - k0),
                        .b = scratch,
                        .a = scratch + self.b_len + w.id * self.a_len,
                    };
                    const count = slice.tileCount();
                    if (!self.b_in_place or slice.cols % self.kernels.tile.w != 0) {
                        w.phase(slice.blocksDeep() * slice.piecesOfB(), 1, &slice, Slice.packPieces);
                    }
                    w.phase(self.cut.blocks * count, @min(self.cut.grain, count), &slice, Slice.compute);
                }
            }
        }

        fn nothing(self: *const Self, begin: usize, end: usize) void {
            const p = &self.p;
            const c = p.c + begin * p.ldc;
            self.kernels.scale(c, p.ldc, end - begin, p.n, p.beta);
            if (p.bias == null and p.epilogue == .none) return;
            self.kernels.close(&.{ .c = c, .ldc = p.ldc, .rows = end - begin, .cols = p.n, .bias = p.bias, .epilogue = p.epilogue });
        }

        /// One column block of a few depth blocks.
        const Slice = struct {
            plan: *const Self,
            j0: usize,
            cols: usize,
            k0: usize,
            depth: usize,
            b: [*]T,
            a: [*]T,
            /// The row block that `a` holds.
            packed_block: usize = std.math.maxInt(usize),

            fn tileCount(s: *const Slice) usize {
                return std.math.divCeil(usize, s.cols, s.plan.kernels.tile.nr) catch unreachable;
            }

            /// Tiles of B that a worker packs at a time: some 10 µs of work.
            const piece_tiles = 4;

            fn blocksDeep(s: *const Slice) usize {
                return std.math.divCeil(usize, s.depth, kc) catch unreachable;
            }

            /// The depth of block `g`.
            fn depthOf(s: *const Slice, g: usize) usize {
                return @min(kc, s.depth - g * kc);
            }

            fn piecesOfB(s: *const Slice) usize {
                return std.math.divCeil(usize, s.tileCount(), piece_tiles) catch unreachable;
            }

            fn packPieces(s: *Slice, begin: usize, end: usize) void {
                const of_b = s.piecesOfB();
                for (begin..end) |piece| {
                    const first = piece % of_b * piece_tiles;
                    s.packB(piece / of_b, first, @min(s.tileCount(), first + piece_tiles));
                }
            }

            fn packB(s: *Slice, g: usize, begin: usize, end: usize) void {
                const p = &s.plan.p;
                const tile = s.plan.kernels.tile;
                // Where B is read in place, only a last tile that sticks out is packed.
                const from = if (s.plan.b_in_place) end - 1 else begin;
                const j = from * tile.nr;
                const count = @min(end * tile.nr, s.cols) - j;
                if (s.inPlace(count)) return;
                s.plan.kernels.pack(&.{
                    .out = s.packedB(g, j),
                    .in = at(p.b, p.b_row, s.k0 + g * kc, p.b_col, s.j0 + j),
                    .count = count,
                    .panels = end - from,
                    .width = tile.nr,
                    .k = s.depthOf(g),
                    .stride = p.b_col,
                    .stride_k = p.b_row,
                });
            }

            /// Whether a tile of this many columns is read from B itself: a load is a whole vector, so one that sticks out is packed all the same.
            fn inPlace(s: *const Slice, cols: usize) bool {
                return s.plan.b_in_place and cols % s.plan.kernels.tile.w == 0;
            }

            /// Where a tile lies packed: depth block by depth block, tiles side by side.
            fn packedB(s: *const Slice, g: usize, j: usize) [*]T {
                const tile = s.plan.kernels.tile;
                if (s.plan.b_in_place) return s.b + g * kc * tile.nr;
                return s.b + g * kc * blocking.roundUp(s.cols, tile.w) + j * s.depthOf(g);
            }

            /// Where the worker's row block lies packed: depth block by depth block.
            fn packedA(s: *const Slice, g: usize) [*]T {
                return s.a + g * kc * s.plan.cut.mc;
            }

            fn packA(s: *Slice, block: usize) void {
                const plan = s.plan;
                const p = &plan.p;
                const from = plan.cut.deal.start(block);
                const rows = plan.cut.deal.start(block + 1) - from;
                for (0..s.blocksDeep()) |g| plan.kernels.pack(&.{
                    .out = s.packedA(g),
                    .in = at(p.a, p.a_row, from, p.a_col, s.k0 + g * kc),
                    .count = rows,
                    .panels = rowPanels(rows, plan.kernels.tile.mr),
                    .width = 0,
                    .k = s.depthOf(g),
                    .stride = p.a_row,
                    .stride_k = p.a_col,
                });
                s.packed_block = block;
            }

            fn compute(s: *Slice, begin: usize, end: usize) void {
                const n_tiles = s.tileCount();
                var job = begin;
                while (job < end) {
                    const block = job / n_tiles;
                    const first = job % n_tiles;
                    const count = @min(end - job, n_tiles - first);
                    s.strip(block, first, first + count);
                    job += count;
                }
            }

            /// The column tiles `first..end` of one row block, depth block after depth block: what they share of C stays in cache.
            fn strip(s: *Slice, block: usize, first: usize, end: usize) void {
                const plan = s.plan;
                const p = &plan.p;
                const tile = plan.kernels.tile;
                if (!plan.a_in_place and block != s.packed_block) s.packA(block);
                const from = plan.cut.deal.start(block);
                const j = first * tile.nr;
                const cols = @min(end * tile.nr, s.cols) - j;
                const last = cols / tile.nr * tile.nr;
                const last_in_place = s.inPlace(cols - last);
                for (0..s.blocksDeep()) |g| {
                    const k0 = s.k0 + g * kc;
                    const depth = s.depthOf(g);
                    plan.kernels.strip(&.{
                        .a = if (plan.a_in_place) at(p.a, p.a_row, from, p.a_col, k0) else s.packedA(g),
                        .lda = if (plan.a_in_place) @intCast(p.a_row) else 0,
                        .b = if (plan.b_in_place) at(p.b, p.b_row, k0, p.b_col, s.j0 + j) else s.packedB(g, j),
                        .ldb = if (plan.b_in_place) @intCast(p.b_row) else tile.nr,
                        .b_next = if (plan.b_in_place) tile.nr else tile.nr * depth,
                        .b_last = if (last_in_place) at(p.b, p.b_row, k0, p.b_col, s.j0 + j + last) else s.packedB(g, j + last),
                        .ldb_last = if (last_in_place) @intCast(p.b_row) else blocking.roundUp(cols - last, tile.w),
                        .c = p.c + from * p.ldc + s.j0 + j,
                        .ldc = p.ldc,
                        .rows = plan.cut.deal.start(block + 1) - from,
                        .cols = cols,
                        .k = depth,
                        .alpha = p.alpha,
                        .beta = if (k0 == 0) p.beta else 1,
                        .read_c = @intFromBool(k0 > 0 or p.beta != 0),
                        .closes = @intFromBool(k0 + depth == p.k and (p.bias != null or p.epilogue != .none)),
                        .bias = if (p.bias) |bias| bias + s.j0 + j else null,
                        .epilogue = p.epilogue,
                    });
                }
            }

            fn at(base: [*]const T, row_stride: isize, row: usize, col_stride: isize, col: usize) [*]const T {
                return kernel.step(T, base, row_stride * @as(isize, @intCast(row)) + col_stride * @as(isize, @intCast(col)));
            }
        };
    };
}

/// Register tiles of an m×n matrix: the most jobs that a product can be cut into.
pub fn tiles(tile: blocking.Tile, m: usize, n: usize) usize {
    return rowPanels(m, tile.mr) *| rowPanels(n, tile.nr);
}

fn align16(len: usize) usize {
    return blocking.roundUp(len, 16);
}

fn rowPanels(rows: usize, mr: usize) usize {
    return std.math.divCeil(usize, rows, mr) catch unreachable;
}

fn rowsOfNothing(m: usize, workers: usize) usize {
    return @max(1, m / (4 * workers));
}

/// Room on the stack for products that need little: no trip to the allocator.
const stack_bytes = 32 << 10;

/// Runs one product on the workers that it deserves.
pub fn multiply(comptime T: type, d: *const Device, p: Product(T)) error{OutOfMemory}!void {
    const mnk = resolve.work(.{ .m = p.m, .n = p.n, .k = p.k });
    const kernels: Kernels(T) = .of(d);
    const workers = resolve.compute(&d.machine, d.request, &d.knobs, mnk, tiles(kernels.tile, p.m, p.n)).workers;
    if (workers == 1 and direct(T, d, kernels, &p)) return;
    const plan: Plan(T) = .init(d, kernels, p, workers);
    const len = plan.scratchLen(workers);
    var stack: [stack_bytes]u8 align(memory.alignment) = undefined;
    const heap = len * @sizeOf(T) > stack_bytes;
    const block = if (heap) try memory.alloc(len * @sizeOf(T)) else &stack;
    defer if (heap) memory.free(block, len * @sizeOf(T));
    const scratch: [*]T = @ptrCast(@alignCast(block));
    if (workers == 1) {
        var alone: pool.Worker = .alone;
        return plan.run(scratch, &alone);
    }
    const Region = struct {
        plan: *const Plan(T),
        scratch: [*]T,
        fn body(r: @This(), w: *pool.Worker) void {
            r.plan.run(r.scratch, w);
        }
    };
    pool.run(workers, d.exact(), Region{ .plan = &plan, .scratch = scratch }, Region.body);
}

/// Runs a small product of operands that are read where they are: one call of the kernel, no plan, no scratch. Answers whether it was one. A 16×16×16 product
/// took 137 ns that way and 185 with a plan, each in its quietest run.
fn direct(comptime T: type, d: *const Device, kernels: Kernels(T), p: *const Product(T)) bool {
    const tile = kernels.tile;
    if (p.m == 0 or p.n == 0 or p.k == 0 or p.k > kc or p.alpha == 0) return false;
    if (p.a_col != 1 or p.b_col != 1 or p.a_row <= 0 or p.b_row <= 0 or p.n % tile.w != 0) return false;
    const lda: usize = @intCast(p.a_row);
    const ldb: usize = @intCast(p.b_row);
    if (!blocking.keepA(tile, p.n, lda, @sizeOf(T)) or !blocking.keepB(d.machine.caches, p.k, ldb, @sizeOf(T))) return false;
    kernels.strip(&.{
        .a = p.a,
        .lda = lda,
        .b = p.b,
        .ldb = ldb,
        .b_next = tile.nr,
        .b_last = p.b + p.n / tile.nr * tile.nr,
        .ldb_last = ldb,
        .c = p.c,
        .ldc = p.ldc,
        .rows = p.m,
        .cols = p.n,
        .k = p.k,
        .alpha = p.alpha,
        .beta = p.beta,
        .read_c = @intFromBool(p.beta != 0),
        .closes = @intFromBool(p.bias != null or p.epilogue != .none),
        .bias = p.bias,
        .epilogue = p.epilogue,
    });
    return true;
}

/// Products of one size over a batch: its axes, the fastest first, with each operand's strides, 0 where it is broadcast.
pub fn Batch(comptime T: type) type {
    return struct {
        p: Product(T),
        rank: usize,
        sizes: [8]usize,
        a: [8]isize,
        b: [8]isize,
        c: [8]isize,

        pub fn count(self: *const @This()) usize {
            var n: usize = 1;
            for (self.sizes[0..self.rank]) |size| n *= size;
            return n;
        }

        fn at(self: *const @This(), index: usize) Product(T) {
            var p = self.p;
            var rest = index;
            var a: isize = 0;
            var b: isize = 0;
            var c: isize = 0;
            for (0..self.rank) |axis| {
                const i: isize = @intCast(rest % self.sizes[axis]);
                rest /= self.sizes[axis];
                a += i * self.a[axis];
                b += i * self.b[axis];
                c += i * self.c[axis];
            }
            p.a = kernel.step(T, p.a, a);
            p.b = kernel.step(T, p.b, b);
            p.c = @constCast(kernel.step(T, p.c, c));
            return p;
        }
    };
}

/// Runs a batch: whole products per worker where there are enough of them, else one after another with all workers inside.
pub fn multiplyBatch(comptime T: type, d: *const Device, batch: *const Batch(T)) error{OutOfMemory}!void {
    const n = batch.count();
    if (n == 0) return;
    if (n == 1) return multiply(T, d, if (batch.rank == 0) batch.p else batch.at(0));
    const p = &batch.p;
    const each = resolve.work(.{ .m = p.m, .n = p.n, .k = p.k });
    const workers = resolve.compute(&d.machine, d.request, &d.knobs, each *| n, std.math.maxInt(u32)).workers;
    if (workers > n) {
        for (0..n) |i| try multiply(T, d, batch.at(i));
        return;
    }
    // Whole products: no barrier inside, each worker packs for itself.
    const plan: Plan(T) = .init(d, .of(d), batch.at(0), 1);
    const len = plan.scratchLen(1);
    const bytes = len * @sizeOf(T) * workers;
    const block = try memory.alloc(bytes);
    defer memory.free(block, bytes);
    const Region = struct {
        batch: *const Batch(T),
        plan: *const Plan(T),
        scratch: [*]T,
        len: usize,
        n: usize,
        grain: usize,

        fn body(r: @This(), w: *pool.Worker) void {
            w.phase(r.n, r.grain, Mine{ .r = &r, .scratch = r.scratch + w.id * r.len }, Mine.products);
        }

        const Mine = struct {
            r: *const Outer,
            scratch: [*]T,

            fn products(self: @This(), begin: usize, end: usize) void {
                for (begin..end) |i| {
                    var one = self.r.plan.*;
                    one.p = self.r.batch.at(i);
                    var alone: pool.Worker = .alone;
                    one.run(self.scratch, &alone);
                }
            }
        };
        const Outer = @This();
    };
    pool.run(workers, d.exact(), Region{
        .batch = batch,
        .plan = &plan,
        .scratch = @ptrCast(@alignCast(block)),
        .len = len,
        .n = n,
        .grain = @max(1, n / (workers * @as(usize, @intCast(d.knobs.parallel_oversample)))),
    }, Region.body);
}

//! The matrix product C := epilogue(alpha·A·B + beta·C + bias): packs B together, then deals row blocks × column tiles through the job cursor. Knows no
//! instruction set; the kernels come from the device.

const std = @import("std");
const assert = std.debug.assert;
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const vector = @import("vector.zig");
const memory = @import("../memory.zig");
const cursor = @import("../parallel/cursor.zig");
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
        /// Whether `b` is a prepacked weight: its strides mean nothing then.
        b_packed: bool = false,
        c: [*]T,
        ldc: usize,
        alpha: T = 1,
        beta: T = 0,
        bias: ?[*]const T = null,
        epilogue: Epilogue = .none,

        pub fn sizes(p: *const @This()) resolve.Sizes {
            return .{ .m = p.m, .n = p.n, .k = p.k };
        }
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

/// Elements between panels of packed B: without them, panels of 256×32 would be 32 KiB apart, and a row that is packed into all of them would fall on the same
/// sets of the caches.
const pad = 16;

/// The address of an element of a strided matrix.
fn at(comptime T: type, base: [*]const T, row_stride: isize, row: usize, col_stride: isize, col: usize) [*]const T {
    return kernel.step(T, base, row_stride * @as(isize, @intCast(row)) + col_stride * @as(isize, @intCast(col)));
}

/// One product by register tiles, cut for a number of workers, with the room it packs into. Every worker of a region calls `run` on the same plan.
pub fn Plan(comptime T: type) type {
    return struct {
        const Self = @This();

        p: Product(T),
        kernels: Kernels(T),
        cut: blocking.Blocking,
        /// Depth that is packed and computed between two barriers: a multiple of the 256 of a block, or all of k.
        depth: usize,
        /// Elements of the shared packed slice of B, and of what one worker packs for itself: a block of A, and the last tile of a B that is read in place.
        b_len: usize,
        a_len: usize,
        tail_len: usize,
        /// Elements of A packed once for all workers before they compute, or 0 where each packs the blocks that it claims.
        shared_a_len: usize,
        a_form: kernel.Form,
        panel_rows: usize,
        a_far: bool,
        b_form: enum { packed_here, in_place, prepacked },
        /// Columns that every row panel walks before the next ones.
        group: usize,
        /// Tiles of B that a worker packs for itself and takes through all of A and k, or 0 where all workers pack B together.
        own_tiles: usize,

        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T), workers: usize) Self {
            const tile = kernels.tile;
            const element = @sizeOf(T);
            const cut = blocking.plan(tile, d.machine.caches, d.knobs, workers, p.m, p.n, element, blocking.rowsLeast(p.a_row == 1, p.m, workers, element));
            var self: Self = .{
                .p = p,
                .kernels = kernels,
                .cut = cut,
                .depth = p.k,
                .b_len = 0,
                .a_len = 0,
                .tail_len = 0,
                .shared_a_len = 0,
                .a_form = .panels,
                .panel_rows = tile.mr,
                .a_far = p.m *| p.k *| element > d.machine.caches.l2 / 4,
                .b_form = .packed_here,
                .group = std.math.maxInt(usize),
                .own_tiles = 0,
            };
            if (p.a_col == 1 and p.a_row > 0) {
                self.a_form = .k_contiguous;
                self.panel_rows = blocking.panelRows(tile, @intCast(p.a_row), element);
            } else if (p.a_row == 1 and p.a_col > 0 and blocking.keepTurnedA(tile, p.n, @intCast(p.a_col), element)) self.a_form = .rows_contiguous;
            if (p.b_packed) {
                self.b_form = .prepacked;
                self.group = blocking.groupColumns(tile, d.machine.caches, element);
            } else if (p.b_col == 1 and p.b_row > 0 and blocking.keepB(d.machine.caches, tile, p.m, p.n, p.k, @intCast(p.b_row), element)) {
                self.b_form = .in_place;
                self.group = blocking.groupColumns(tile, d.machine.caches, element);
                self.cut.nc = blocking.roundUp(p.n, tile.nr);
            }
            if (self.b_form == .packed_here and self.a_form != .panels) self.own_tiles = blocking.ownTiles(tile, p.m, p.n, workers);
            const b_cols = if (self.own_tiles > 0) self.own_tiles * tile.nr else if (self.b_form == .packed_here) @min(cut.nc, blocking.roundUp(p.n, tile.w)) else 0;
            const a_rows = if (self.a_form == .panels) cut.mc else 0;
            // A load is a whole vector: where B is read in place, a last tile that sticks out is packed all the same.
            const tail_cols = if (self.b_form == .in_place and p.n % tile.nr % tile.w != 0) blocking.roundUp(p.n % tile.nr, tile.w) else 0;
            // All workers stay within as much of B as the second level holds, whoever packed it.
            const b_walked = if (self.b_form == .packed_here) b_cols else @min(self.cut.nc, p.n);
            self.depth = @min(p.k, kc * blocking.depthBlocks(d.machine.caches, b_walked * element, a_rows * element));
            if (self.own_tiles > 0) self.depth = @min(p.k, kc);
            self.b_len = if (b_cols == 0) 0 else rowPanels(self.depth, kc) * rowPanels(b_cols, tile.nr) * (kc * tile.nr + pad);
            if (a_rows > 0 and workers > 1 and (workers >= d.knobs.shared_a_workers or resolve.work(p.sizes()) >= d.knobs.shared_a_mnk)) {
                self.shared_a_len = align16(self.depth * cut.mc * cut.blocks);
            } else self.a_len = align16(self.depth * a_rows);
            self.tail_len = align16(self.depth * tail_cols);
            return self;
        }

        /// Elements of scratch for `workers` workers; each part starts at a 64-byte border.
        pub fn scratchLen(self: *const Self, workers: usize) usize {
            if (self.own_tiles > 0) return self.b_len * workers;
            return self.b_len + self.shared_a_len + (self.a_len + self.tail_len) * workers;
        }

        pub fn run(self: *const Self, scratch: [*]T, w: *pool.Worker) void {
            const p = &self.p;
            if (self.own_tiles > 0) {
                const groups = rowPanels(p.n, self.own_tiles * self.kernels.tile.nr);
                return w.phase(groups, 1, Own{ .plan = self, .b = scratch + w.id * self.b_len }, Own.groups);
            }
            const shared_a = scratch + self.b_len;
            const own = shared_a + self.shared_a_len + w.id * (self.a_len + self.tail_len);
            var j0: usize = 0;
            while (j0 < p.n) : (j0 += self.cut.nc) {
                var k0: usize = 0;
                while (k0 < p.k) : (k0 += self.depth) {
                    var slice: Slice = .{
                        .plan = self,
                        .workers = w.count,
                        .j0 = j0,
                        .cols = @min(self.cut.nc, p.n - j0),
                        .k0 = k0,
                        .depth = @min(self.depth, p.k - k0),
                        .b = scratch,
                        .a = if (self.shared_a_len > 0) shared_a else own,
                        .tail = own + self.a_len,
                    };
                    const count = slice.tileCount();
                    if (self.b_form == .packed_here) w.phase(slice.blocksDeep() * slice.piecesOfB(), 1, &slice, Slice.packPieces);
                    if (self.shared_a_len > 0) w.phase(self.cut.blocks, 1, &slice, Slice.packBlocks);
                    w.phase(self.cut.blocks * count, @min(self.cut.grain, count), &slice, Slice.compute);
                }
            }
        }

        /// Groups of tiles that a worker packs for itself: no barrier, and nothing that it reads lies in another's cache.
        const Own = struct {
            plan: *const Self,
            b: [*]T,

            fn groups(self: Own, begin: usize, end: usize) void {
                const plan = self.plan;
                const cols = plan.own_tiles * plan.kernels.tile.nr;
                for (begin..end) |group| {
                    var k0: usize = 0;
                    while (k0 < plan.p.k) : (k0 += kc) {
                        var slice: Slice = .{
                            .plan = plan,
                            .workers = 1,
                            .j0 = group * cols,
                            .cols = @min(cols, plan.p.n - group * cols),
                            .k0 = k0,
                            .depth = @min(kc, plan.p.k - k0),
                            .b = self.b,
                            .a = undefined,
                            .tail = undefined,
                        };
                        slice.packPieces(0, slice.piecesOfB());
                        for (0..plan.cut.blocks) |block| slice.strip(block, 0, slice.tileCount());
                    }
                }
            }
        };

        /// One column block of a few depth blocks.
        const Slice = struct {
            plan: *const Self,
            workers: u32,
            j0: usize,
            cols: usize,
            k0: usize,
            depth: usize,
            b: [*]T,
            a: [*]T,
            tail: [*]T,
            /// The row block that `a` holds.
            packed_block: usize = std.math.maxInt(usize),
            /// Which 64ths of the tiles this worker has been through: the others come from memory, or from the cache of the worker that packed them.
            visited: u64 = 0,
            tail_packed: bool = false,

            fn tileCount(s: *const Slice) usize {
                return std.math.divCeil(usize, s.cols, s.plan.kernels.tile.nr) catch unreachable;
            }

            /// What a worker packs of a depth block of B at a time, some 10 µs of work: tiles of a turned one; else whole rows, for long stretches of memory are
            /// what the hardware prefetches.
            const piece_tiles = 4;
            const piece_rows = 16;

            fn blocksDeep(s: *const Slice) usize {
                return std.math.divCeil(usize, s.depth, kc) catch unreachable;
            }

            /// The depth of block `g`.
            fn depthOf(s: *const Slice, g: usize) usize {
                return @min(kc, s.depth - g * kc);
            }

            fn piecesOfB(s: *const Slice) usize {
                return if (s.plan.p.b_col == 1) kc / piece_rows else rowPanels(s.tileCount(), piece_tiles);
            }

            fn packPieces(s: *Slice, begin: usize, end: usize) void {
                const of_b = s.piecesOfB();
                const nr = s.plan.kernels.tile.nr;
                for (begin..end) |job| {
                    const g = job / of_b;
                    const piece = job % of_b;
                    const tiles_ = s.tilesOf(g, 0);
                    const depth = s.depthOf(g);
                    const whole: kernel.Pack(T) = s.packOf(g, 0, s.cols, @constCast(tiles_.from), tiles_.next);
                    if (s.plan.p.b_col == 1) {
                        var rows = whole;
                        rows.k_begin = @min(depth, piece * piece_rows);
                        rows.k_end = @min(depth, rows.k_begin + piece_rows);
                        s.plan.kernels.pack(&rows);
                    } else {
                        const j = piece * piece_tiles * nr;
                        s.plan.kernels.pack(&s.packOf(g, j, @min(s.cols - j, piece_tiles * nr), whole.out + piece * piece_tiles * tiles_.next, tiles_.next));
                    }
                }
            }

            /// Columns of B as panels.
            fn packOf(s: *const Slice, g: usize, j: usize, count: usize, out: [*]T, panel_stride: usize) kernel.Pack(T) {
                const p = &s.plan.p;
                const tile = s.plan.kernels.tile;
                return .{
                    .out = out,
                    .in = at(T, p.b, p.b_row, s.k0 + g * kc, p.b_col, s.j0 + j),
                    .count = count,
                    .panels = rowPanels(count, tile.nr),
                    .width = tile.nr,
                    .panel_stride = panel_stride,
                    .k = s.depthOf(g),
                    .k_begin = 0,
                    .k_end = s.depthOf(g),
                    .stride = p.b_col,
                    .stride_k = p.b_row,
                };
            }

            /// Tiles of B: where column `j` of the slice lies in depth block `g`, and how to walk from there.
            const Tiles = struct { from: [*]const T, ld: usize, next: usize };

            fn tilesOf(s: *const Slice, g: usize, j: usize) Tiles {
                const p = &s.plan.p;
                const tile = s.plan.kernels.tile;
                const depth = s.depthOf(g);
                return switch (s.plan.b_form) {
                    .in_place => .{ .from = at(T, p.b, p.b_row, s.k0 + g * kc, p.b_col, s.j0 + j), .ld = @intCast(p.b_row), .next = tile.nr },
                    .packed_here => .{ .from = s.b + g * s.tileCount() * (kc * tile.nr + pad) + j / tile.nr * (depth * tile.nr + pad), .ld = tile.nr, .next = tile.nr * depth + pad },
                    .prepacked => .{ .from = p.b + (s.k0 + g * kc) * blocking.roundUp(p.n, tile.w) + (s.j0 + j) * depth, .ld = tile.nr, .next = tile.nr * depth },
                };
            }

            /// The last tile, `cols` wide, where it is not a full one.
            fn lastTile(s: *Slice, g: usize, j: usize, cols: usize) Tiles {
                const tile = s.plan.kernels.tile;
                var tiles_ = s.tilesOf(g, j);
                if (cols == 0) return tiles_;
                if (s.plan.b_form != .in_place) {
                    tiles_.ld = blocking.roundUp(cols, tile.w);
                } else if (cols % tile.w != 0) {
                    const width = blocking.roundUp(cols, tile.w);
                    if (!s.tail_packed) {
                        for (0..s.blocksDeep()) |each| s.plan.kernels.pack(&s.packOf(each, j, cols, s.tail + each * kc * width, 0));
                        s.tail_packed = true;
                    }
                    tiles_ = .{ .from = s.tail + g * kc * width, .ld = width, .next = 0 };
                }
                return tiles_;
            }

            /// Where a row block lies packed, depth block by depth block: in a place of its own, or in the one place of this worker.
            fn packedA(s: *const Slice, block: usize, g: usize) [*]T {
                const mc = s.plan.cut.mc;
                return s.a + (if (s.plan.shared_a_len > 0) block * mc * s.plan.depth else 0) + g * kc * mc;
            }

            fn packBlocks(s: *Slice, begin: usize, end: usize) void {
                for (begin..end) |block| s.packA(block);
            }

            fn packA(s: *Slice, block: usize) void {
                const plan = s.plan;
                const p = &plan.p;
                const from = plan.cut.deal.start(block);
                const rows = plan.cut.deal.start(block + 1) - from;
                for (0..s.blocksDeep()) |g| plan.kernels.pack(&.{
                    .out = s.packedA(block, g),
                    .in = at(T, p.a, p.a_row, from, p.a_col, s.k0 + g * kc),
                    .count = rows,
                    .panels = rowPanels(rows, plan.panel_rows),
                    .width = 0,
                    .panel_stride = 0,
                    .k = s.depthOf(g),
                    .k_begin = 0,
                    .k_end = s.depthOf(g),
                    .stride = p.a_row,
                    .stride_k = p.a_col,
                });
                s.packed_block = block;
            }

            fn compute(s: *Slice, begin: usize, end: usize) void {
                const n_tiles = s.tileCount();
                const group = @max(1, s.plan.group / s.plan.kernels.tile.nr);
                var job = begin;
                while (job < end) {
                    const block = job / n_tiles;
                    const first = job % n_tiles;
                    const count = @min(end - job, n_tiles - first, group);
                    s.strip(block, first, first + count);
                    job += count;
                }
            }

            /// The column tiles `first..end` of one row block, depth block after depth block: what they share of C stays in cache.
            fn strip(s: *Slice, block: usize, first: usize, end: usize) void {
                const plan = s.plan;
                const p = &plan.p;
                const tile = plan.kernels.tile;
                if (plan.a_len > 0 and block != s.packed_block) s.packA(block);
                const from = plan.cut.deal.start(block);
                const j = first * tile.nr;
                const cols = @min(end * tile.nr, s.cols) - j;
                const last = cols / tile.nr * tile.nr;
                const part = @as(u64, 1) << @intCast(first * 64 / s.tileCount());
                const far = (plan.b_form != .packed_here or s.workers > 1) and s.visited & part == 0;
                s.visited |= part;
                for (0..s.blocksDeep()) |g| {
                    const k0 = s.k0 + g * kc;
                    const depth = s.depthOf(g);
                    const b = s.tilesOf(g, j);
                    const b_last = s.lastTile(g, j + last, cols - last);
                    plan.kernels.strip(&.{
                        .a = if (plan.a_form == .panels) s.packedA(block, g) else at(T, p.a, p.a_row, from, p.a_col, k0),
                        .a_form = plan.a_form,
                        .lda = switch (plan.a_form) {
                            .panels => 0,
                            .k_contiguous => @intCast(p.a_row),
                            .rows_contiguous => @intCast(p.a_col),
                        },
                        .panel_rows = plan.panel_rows,
                        .b = b.from,
                        .ldb = b.ld,
                        .b_next = b.next,
                        .b_last = b_last.from,
                        .ldb_last = b_last.ld,
                        .b_far = @intFromBool(far),
                        .a_far = @intFromBool(plan.a_far),
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
        };
    };
}

/// A product with a vector, by its outputs: y[j] = Σ_k x[k] · w(k, j).
pub fn Vector(comptime T: type) type {
    return struct {
        const Self = @This();

        p: Product(T),
        form: enum { rows, turned, panels },
        gemv: vector.Gemv(T),
        x_step: isize,
        kernel: *const fn (*const vector.Gemv(T)) callconv(.c) void,
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

        /// A vector whose elements are apart is copied once.
        pub fn scratchLen(self: *const Self) usize {
            return if (self.x_step == 1) 0 else align16(self.p.k);
        }

        pub fn run(self: *const Self, scratch: [*]T, w: *pool.Worker) void {
            var mine = self.*;
            if (self.x_step != 1) {
                mine.gemv.x = scratch;
                w.phase(1, 1, Gather{ .v = self, .out = scratch }, Gather.all);
            }
            w.phase(self.units(), @max(1, self.units() / (8 * @as(usize, w.count))), &mine, some);
        }

        /// Jobs.
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

        fn some(self: *const Self, begin: usize, end: usize) void {
            var g = self.gemv;
            g.begin = begin * self.unit;
            g.end = @min(self.gemv.end, end * self.unit);
            self.kernel(&g);
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

        p: Product(T),
        kernel: *const fn (*const vector.Outer(T)) callconv(.c) void,
        close: *const fn (*const kernel.Close(T)) callconv(.c) void,
        passing: bool,

        /// Null where the row's elements are apart.
        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T)) ?Self {
            if (p.b_packed or (p.b_col != 1 and p.n != 1)) return null;
            return .{
                .p = p,
                .kernel = d.kernel(fn (*const vector.Outer(T)) callconv(.c) void, "outer_" ++ @typeName(T)),
                .close = kernels.close,
                .passing = p.m *| p.n *| @sizeOf(T) > 8 * d.machine.caches.l2,
            };
        }

        pub fn run(self: *const Self, w: *pool.Worker) void {
            w.phase(self.p.m, @max(1, self.p.m / (8 * @as(usize, w.count))), self, rows);
        }

        fn rows(self: *const Self, begin: usize, end: usize) void {
            const p = &self.p;
            const c = p.c + begin * p.ldc;
            self.kernel(&.{
                .c = c,
                .ldc = p.ldc,
                .a = at(T, p.a, p.a_row, begin, 0, 0),
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

        p: Product(T),
        plan: Plan(T),
        kernels: Kernels(T),
        /// Elements of the transpose of C.
        c_len: usize,

        pub fn init(d: *const Device, kernels: Kernels(T), p: Product(T), workers: usize) Self {
            const ldc = blocking.roundUp(p.m, kernels.tile.w);
            return .{
                .p = p,
                .kernels = kernels,
                .c_len = align16(p.n * ldc),
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
            const grain = @max(64, self.p.n / (4 * @as(usize, w.count)));
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
fn Nothing(comptime T: type) type {
    return struct {
        const Self = @This();

        p: Product(T),
        kernels: Kernels(T),

        fn run(self: *const Self, w: *pool.Worker) void {
            w.phase(self.p.m, @max(1, self.p.m / (4 * @as(usize, w.count))), self, rows);
        }

        fn rows(self: *const Self, begin: usize, end: usize) void {
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
            if (p.m == 0 or p.n == 0 or p.k == 0 or p.alpha == 0) return .{ .nothing = .{ .p = p, .kernels = kernels } };
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
                .vector => |*v| v.scratchLen(),
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

/// Whether a product is bound by memory rather than by arithmetic: each element of an operand or of the result is used once.
fn boundByMemory(comptime T: type, p: *const Product(T)) bool {
    return p.m == 1 or p.n == 1 or p.k == 1;
}

/// Elements of a prepacked k×n matrix: every row of it is filled up to whole vectors.
pub fn prepackedLen(tile: blocking.Tile, k: usize, n: usize) error{OutOfMemory}!usize {
    const vectors = n / tile.w + @intFromBool(n % tile.w != 0);
    const row = std.math.mul(usize, vectors, tile.w) catch return error.OutOfMemory;
    return std.math.mul(usize, k, row) catch error.OutOfMemory;
}

/// Packs a k×n matrix as `Product.b_packed` reads it: depth block after depth block; in each, panels of nr columns side by side, each k by k, the last
/// one cut to whole vectors and filled up with zeros. In a block `depth` deep the panel that begins with column j lies j·depth elements behind the
/// block's begin.
pub fn prepack(comptime T: type, d: *const Device, out: [*]T, b: [*]const T, b_row: isize, b_col: isize, k: usize, n: usize) void {
    if (k == 0 or n == 0) return;
    const kernels: Kernels(T) = .of(d);
    const packing: Prepack(T) = .{ .kernels = kernels, .out = out, .b = b, .b_row = b_row, .b_col = b_col, .k = k, .n = n };
    const bytes = @as(u64, k) *| n *| (2 * @sizeOf(T));
    d.overRange(.{ .kernel = "gemm_" ++ @typeName(T) ++ "_pack" }, rowPanels(k, kc) * packing.pieces(), 1, bytes, &packing, Prepack(T).some);
}

fn Prepack(comptime T: type) type {
    return struct {
        const Self = @This();

        kernels: Kernels(T),
        out: [*]T,
        b: [*]const T,
        b_row: isize,
        b_col: isize,
        k: usize,
        n: usize,

        /// Panels that a job packs: some 10 µs of work.
        const piece_panels = 4;

        fn pieces(self: *const Self) usize {
            return rowPanels(self.n, piece_panels * self.kernels.tile.nr);
        }

        fn some(self: *const Self, begin: usize, end: usize) void {
            const tile = self.kernels.tile;
            for (begin..end) |job| {
                const k0 = job / self.pieces() * kc;
                const j = job % self.pieces() * piece_panels * tile.nr;
                const depth = @min(kc, self.k - k0);
                const cols = @min(piece_panels * tile.nr, self.n - j);
                self.kernels.pack(&.{
                    .out = self.out + k0 * blocking.roundUp(self.n, tile.w) + j * depth,
                    .in = at(T, self.b, self.b_row, k0, self.b_col, j),
                    .count = cols,
                    .panels = rowPanels(cols, tile.nr),
                    .width = tile.nr,
                    .panel_stride = depth * tile.nr,
                    .k = depth,
                    .k_begin = 0,
                    .k_end = depth,
                    .stride = self.b_col,
                    .stride_k = self.b_row,
                });
            }
        }
    };
}

/// Workers for products that one call computes together.
pub fn workersFor(comptime T: type, d: *const Device, tile: blocking.Tile, products: []const Product(T)) resolve.Decision {
    var mnk: u64 = 0;
    var bytes: u64 = 0;
    var jobs: u64 = 1;
    var by_memory = true;
    for (products) |*p| {
        mnk +|= resolve.work(p.sizes());
        bytes +|= resolve.touched(p.sizes(), @sizeOf(T));
        by_memory = by_memory and boundByMemory(T, p);
        jobs = @max(jobs, if (boundByMemory(T, p)) rowPanels(p.m, 1) *| rowPanels(p.n, 64) else tiles(tile, p.m, p.n));
    }
    return if (by_memory) resolve.bandwidth(&d.machine, d.request, &d.knobs, bytes, jobs) else resolve.compute(&d.machine, d.request, &d.knobs, mnk, jobs);
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

/// Room on the stack for products that need little: no trip to the allocator.
const stack_bytes = 32 << 10;

/// Runs one product on the workers that it deserves.
pub fn multiply(comptime T: type, d: *const Device, p: *const Product(T)) error{OutOfMemory}!void {
    const kernels: Kernels(T) = .of(d);
    // The serial gate first: what is below it needs no other question answered.
    const gated = resolve.work(p.sizes()) < d.knobs.parallel_threshold;
    const workers = if (gated and !boundByMemory(T, p)) 1 else workersFor(T, d, kernels.tile, p[0..1]).workers;
    if (workers == 1 and isDirect(T, d, kernels.tile, p)) return direct(T, kernels, p);
    const route: Route(T) = .init(d, kernels, p.*, workers);
    return together(T, d, workers, &.{route});
}

/// Runs some products, each dealt to all workers, in one fork of the pool. A phase ends in a barrier, so they share one scratch.
fn together(comptime T: type, d: *const Device, workers: u32, routes: []const Route(T)) error{OutOfMemory}!void {
    var len: usize = 0;
    for (routes) |*route| len = @max(len, route.scratchLen(workers));
    var stack: [stack_bytes]u8 align(memory.alignment) = undefined;
    const heap = len * @sizeOf(T) > stack_bytes;
    const block = if (heap) try memory.alloc(len * @sizeOf(T)) else &stack;
    defer if (heap) memory.free(block, len * @sizeOf(T));
    const Region = struct {
        routes: []const Route(T),
        scratch: [*]T,
        fn body(r: @This(), w: *pool.Worker) void {
            for (r.routes) |*route| route.run(r.scratch, w);
        }
    };
    const region: Region = .{ .routes = routes, .scratch = @ptrCast(@alignCast(block)) };
    if (workers > 1) return pool.run(workers, d.exact(), region, Region.body);
    var alone: pool.Worker = .alone;
    Region.body(region, &alone);
}

/// Whether a product is small and its operands are read where they are: calls of the kernel, no plan, no scratch. A 16×16×16 product took 137 ns that way
/// and 185 with a plan, each in its quietest run.
pub inline fn isDirect(comptime T: type, d: *const Device, tile: blocking.Tile, p: *const Product(T)) bool {
    if (p.m <= 1 or p.n <= 1 or p.k <= 1 or p.k > kc or p.alpha == 0 or p.b_packed) return false;
    if (p.a_col != 1 or p.b_col != 1 or p.a_row <= 0 or p.b_row <= 0 or p.n % tile.w != 0) return false;
    return blocking.keepB(d.machine.caches, tile, p.m, p.n, p.k, @intCast(p.b_row), @sizeOf(T));
}

inline fn direct(comptime T: type, kernels: Kernels(T), p: *const Product(T)) void {
    const tile = kernels.tile;
    const lda: usize = @intCast(p.a_row);
    const ldb: usize = @intCast(p.b_row);
    kernels.strip(&.{
        .a = p.a,
        .a_form = .k_contiguous,
        .lda = lda,
        .panel_rows = blocking.panelRows(tile, lda, @sizeOf(T)),
        .b = p.b,
        .ldb = ldb,
        .b_next = tile.nr,
        .b_last = p.b + p.n / tile.nr * tile.nr,
        .ldb_last = ldb,
        .b_far = 0,
        .a_far = 0,
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
}

/// The matrices of one product of a list.
pub fn Item(comptime T: type) type {
    return struct { a: [*]const T, b: [*]const T, c: [*]T };
}

/// Products of one size over a batch: a list of matrices, or its axes, the fastest first, with each operand's strides, 0 where it is broadcast.
pub fn Batch(comptime T: type) type {
    return struct {
        p: Product(T),
        list: ?[]const Item(T) = null,
        rank: usize = 0,
        sizes: [8]usize = undefined,
        a: [8]isize = undefined,
        b: [8]isize = undefined,
        c: [8]isize = undefined,

        pub fn count(self: *const @This()) usize {
            if (self.list) |list| return list.len;
            var n: usize = 1;
            for (self.sizes[0..self.rank]) |size| n *= size;
            return n;
        }

        /// How many of the products have an operand of their own, given the operand's strides.
        pub fn distinct(self: *const @This(), strides: *const [8]isize) usize {
            if (self.list) |list| return list.len;
            var n: usize = 1;
            for (self.sizes[0..self.rank], strides[0..self.rank]) |size, stride| {
                if (stride != 0) n *|= size;
            }
            return n;
        }

        fn at(self: *const @This(), index: usize) Product(T) {
            var p = self.p;
            if (self.list) |list| {
                p.a, p.b, p.c = .{ list[index].a, list[index].b, list[index].c };
                return p;
            }
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

/// Runs a batch as its plan says: whole products dealt to the workers, or one after another with all workers inside.
pub fn multiplyBatch(comptime T: type, d: *const Device, batch: *const Batch(T)) error{OutOfMemory}!void {
    const n = batch.count();
    if (n == 0) return;
    if (n == 1) return if (batch.list == null and batch.rank == 0) multiply(T, d, &batch.p) else multiply(T, d, &batch.at(0));
    const sizes = batch.p.sizes();
    const workers: u32 = switch (resolve.batched(&d.machine, d.request, &d.knobs, sizes, n, resolve.touched(sizes, @sizeOf(T)))) {
        .serial => 1,
        .batch_parallel => |workers| workers,
        .sequential_internal => {
            for (0..n) |i| try multiply(T, d, &batch.at(i));
            return;
        },
    };
    const kernels: Kernels(T) = .of(d);
    const first: Route(T) = .init(d, kernels, batch.at(0), 1);
    const whole: Whole(T) = .{ .batch = batch, .d = d, .kernels = kernels, .len = first.scratchLen(1), .scratch = undefined };
    return whole.run(n, workers);
}

/// Products a chunk.
pub fn batchGrain(d: *const Device, n: usize, workers: usize) usize {
    return cursor.grainFor(n, workers, @intCast(d.knobs.parallel_oversample), 1);
}

/// Whole products: no barrier inside, each worker packs for itself.
fn Whole(comptime T: type) type {
    return struct {
        const Self = @This();

        batch: *const Batch(T),
        d: *const Device,
        kernels: Kernels(T),
        /// Elements of scratch that a product takes.
        len: usize,
        scratch: [*]T,

        fn run(w: Self, n: usize, workers: u32) error{OutOfMemory}!void {
            const bytes = w.len * @sizeOf(T) * workers;
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            var self = w;
            self.scratch = @ptrCast(@alignCast(block));
            if (workers == 1) return self.products(0, n);
            const Region = struct {
                all: *const Self,
                n: usize,
                grain: usize,

                fn body(r: @This(), worker: *pool.Worker) void {
                    var mine = r.all.*;
                    mine.scratch += worker.id * mine.len;
                    worker.phase(r.n, r.grain, &mine, products);
                }
            };
            pool.run(workers, w.d.exact(), Region{ .all = &self, .n = n, .grain = batchGrain(w.d, n, workers) }, Region.body);
        }

        fn products(self: *const Self, begin: usize, end: usize) void {
            for (begin..end) |i| {
                const p = self.batch.at(i);
                if (isDirect(T, self.d, self.kernels.tile, &p)) {
                    direct(T, self.kernels, &p);
                    continue;
                }
                const route: Route(T) = .init(self.d, self.kernels, p, 1);
                var alone: pool.Worker = .alone;
                route.run(self.scratch, &alone);
            }
        }
    };
}

const testing = std.testing;
const device = @import("../device.zig");

test "A packed once for all workers gives the bits that each worker's own packing gives" {
    const m, const n, const k = .{ 70, 300, 300 };
    const gpa = testing.allocator;
    const a = try gpa.alloc(f32, k * m);
    defer gpa.free(a);
    const b = try gpa.alloc(f32, k * n);
    defer gpa.free(b);
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    for (a) |*x| x.* = prng.random().floatNorm(f32);
    for (b) |*x| x.* = prng.random().floatNorm(f32);
    var results: [2][]f32 = undefined;
    for (&results, 0..) |*c, i| {
        c.* = try gpa.alloc(f32, m * n);
        var d = device.forTest(3);
        d.knobs.shared_a_workers = if (i == 0) 100 else 2;
        const p: Product(f32) = .{ .m = m, .n = n, .k = k, .a = a.ptr, .a_row = 1, .a_col = m, .b = b.ptr, .b_row = n, .b_col = 1, .c = c.ptr, .ldc = n };
        const plan: Plan(f32) = .init(&d, .of(&d), p, 3);
        try testing.expectEqual(i == 1, plan.shared_a_len > 0);
        try multiply(f32, &d, &p);
    }
    defer for (results) |c| gpa.free(c);
    try testing.expectEqualSlices(f32, results[0], results[1]);
}

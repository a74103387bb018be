//! A product by register tiles: operands packed or read in place, row blocks × column tiles dealt through the job cursor.

const std = @import("std");
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const product = @import("product.zig");
const Product = product.Product;
const Kernels = product.Kernels;
const pool = @import("../parallel/pool.zig");
const resolve = @import("../parallel/resolve.zig");
const Device = @import("../device.zig").Device;

const kc = blocking.kc;

/// Elements between panels of packed B: without them, panels of 256×32 would be 32 KiB apart, and a row that is packed into all of them would fall on the same
/// sets of the caches.
const pad = 16;

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
            const a_in_place = p.a_col == 1 and p.a_row > 0;
            const turned_in_place = !a_in_place and p.a_row == 1 and p.a_col > 0 and blocking.keepTurnedA(tile, p.m, p.n, @intCast(p.a_col), element);
            const cut = blocking.plan(tile, d.machine.caches, d.knobs, workers, p.m, p.n, element, .{
                .is_transposed = p.a_row == 1 and p.a_col != 1,
                .is_packed = !a_in_place and !turned_in_place,
            });
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
            if (a_in_place) {
                self.a_form = .k_contiguous;
                self.panel_rows = blocking.panelRows(tile, @intCast(p.a_row), element);
            } else if (turned_in_place) self.a_form = .rows_contiguous;
            if (p.b_packed) {
                self.b_form = .prepacked;
                self.group = blocking.groupColumns(tile, d.machine.caches.l2Of(workers), element);
            } else if (p.b_col == 1 and p.b_row > 0 and blocking.keepB(d.machine.caches.l2, tile, cut.rows_each, p.n, p.k, @intCast(p.b_row), element)) {
                self.b_form = .in_place;
                self.group = blocking.groupColumns(tile, d.machine.caches.l2Of(workers), element);
                self.cut.nc = blocking.roundUp(p.n, tile.nr);
            }
            if (self.b_form == .packed_here and self.a_form != .panels) self.own_tiles = blocking.ownTiles(tile, d.knobs, p.m, p.n, workers);
            const b_cols = if (self.own_tiles > 0) self.own_tiles * tile.nr else if (self.b_form == .packed_here) @min(cut.nc, blocking.roundUp(p.n, tile.w)) else 0;
            const a_rows = if (self.a_form == .panels) cut.mc else 0;
            // A load is a whole vector: where B is read in place, a last tile that sticks out is packed all the same.
            const tail_cols = if (self.b_form == .in_place and p.n % tile.nr % tile.w != 0) blocking.roundUp(p.n % tile.nr, tile.w) else 0;
            // One worker has no barriers to save, and what it packs stays nearer in slices of one depth block.
            const shares_a = a_rows > 0 and workers > 1 and (workers >= d.knobs.shared_a_workers or resolve.work(p.sizes()) >= d.knobs.shared_a_mnk);
            // All workers stay within as much of B as the second level holds, whoever packed it.
            const b_walked = if (self.b_form == .packed_here) b_cols else @min(self.cut.nc, p.n);
            self.depth = @min(p.k, kc * blocking.depthBlocks(d.machine.caches, b_walked * element, if (shares_a or workers == 1) a_rows * element else 0));
            if (self.own_tiles > 0) self.depth = @min(p.k, kc);
            self.b_len = if (b_cols == 0) 0 else product.rowPanels(self.depth, kc) * product.rowPanels(b_cols, tile.nr) * (kc * tile.nr + pad);
            if (shares_a) {
                self.shared_a_len = product.align16(self.depth * cut.mc * cut.blocks);
            } else self.a_len = product.align16(@min(self.depth, kc) * a_rows);
            self.tail_len = product.align16(self.depth * tail_cols);
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
                const groups = product.rowPanels(p.n, self.own_tiles * self.kernels.tile.nr);
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
                        for (0..plan.cut.blocks) |block| slice.strip(block, 0, slice.tileCount(), 0, 1);
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
                return if (s.plan.p.b_col == 1) kc / piece_rows else product.rowPanels(s.tileCount(), piece_tiles);
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
                    .in = product.at(T, p.b, p.b_row, s.k0 + g * kc, p.b_col, s.j0 + j),
                    .count = count,
                    .panels = product.rowPanels(count, tile.nr),
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
                    .in_place => .{ .from = product.at(T, p.b, p.b_row, s.k0 + g * kc, p.b_col, s.j0 + j), .ld = @intCast(p.b_row), .next = tile.nr },
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

            /// Where a depth block of a row block lies packed: in a place of its own, or in the one place of this worker.
            fn packedA(s: *const Slice, block: usize, g: usize) [*]T {
                const mc = s.plan.cut.mc;
                return if (s.plan.shared_a_len > 0) s.a + block * mc * s.plan.depth + g * kc * mc else s.a;
            }

            fn packBlocks(s: *Slice, begin: usize, end: usize) void {
                for (begin..end) |block| s.packA(block);
            }

            fn packA(s: *const Slice, block: usize) void {
                for (0..s.blocksDeep()) |g| s.packDeep(block, g);
            }

            /// Packs one depth block of a row block of A.
            fn packDeep(s: *const Slice, block: usize, g: usize) void {
                const plan = s.plan;
                const p = &plan.p;
                const from = plan.cut.deal.start(block);
                const rows = plan.cut.deal.start(block + 1) - from;
                plan.kernels.pack(&.{
                    .out = s.packedA(block, g),
                    .in = product.at(T, p.a, p.a_row, from, p.a_col, s.k0 + g * kc),
                    .count = rows,
                    .panels = product.rowPanels(rows, plan.panel_rows),
                    .width = 0,
                    .panel_stride = 0,
                    .k = s.depthOf(g),
                    .k_begin = 0,
                    .k_end = s.depthOf(g),
                    .stride = p.a_row,
                    .stride_k = p.a_col,
                });
            }

            fn compute(s: *Slice, begin: usize, end: usize) void {
                const n_tiles = s.tileCount();
                var job = begin;
                while (job < end) {
                    const block = job / n_tiles;
                    const first = job % n_tiles;
                    const count = @min(end - job, n_tiles - first);
                    s.tilesOfBlock(block, first, first + count);
                    job += count;
                }
            }

            /// The column tiles `first..end` of one row block, by groups of columns. What is packed of A for a depth block serves all groups; where A is read in
            /// place, a group goes through all depth blocks, so that what they share of C stays in cache.
            fn tilesOfBlock(s: *Slice, block: usize, first: usize, end: usize) void {
                const group = @max(1, s.plan.group / s.plan.kernels.tile.nr);
                if (s.plan.a_len > 0) {
                    for (0..s.blocksDeep()) |g| {
                        s.packDeep(block, g);
                        var at = first;
                        while (at < end) : (at +|= group) s.strip(block, at, @min(end, at +| group), g, g + 1);
                    }
                } else {
                    var at = first;
                    while (at < end) : (at +|= group) s.strip(block, at, @min(end, at +| group), 0, s.blocksDeep());
                }
            }

            /// The column tiles `first..end` of one row block over the depth blocks `g_begin..g_end`.
            fn strip(s: *Slice, block: usize, first: usize, end: usize, g_begin: usize, g_end: usize) void {
                const plan = s.plan;
                const p = &plan.p;
                const tile = plan.kernels.tile;
                const from = plan.cut.deal.start(block);
                const j = first * tile.nr;
                const cols = @min(end * tile.nr, s.cols) - j;
                const last = cols / tile.nr * tile.nr;
                const part = @as(u64, 1) << @intCast(first * 64 / s.tileCount());
                const far = (plan.b_form != .packed_here or s.workers > 1) and s.visited & part == 0;
                if (g_end == s.blocksDeep()) s.visited |= part;
                for (g_begin..g_end) |g| {
                    const k0 = s.k0 + g * kc;
                    const depth = s.depthOf(g);
                    const b = s.tilesOf(g, j);
                    const b_last = s.lastTile(g, j + last, cols - last);
                    plan.kernels.strip(&.{
                        .a = if (plan.a_form == .panels) s.packedA(block, g) else product.at(T, p.a, p.a_row, from, p.a_col, k0),
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

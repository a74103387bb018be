//! Products of experts: rows lie sorted by expert, and each expert's rows meet matrices of their own. All products of a call are one flat list of jobs,
//! which the workers claim from the cursor: no expert waits for another, and one with all the rows is cut as finely as many with few.
//!
//! A job is a block of one product: some of its columns × some of its rows, over all of its depth. Its worker reads operands in place or packs them for
//! itself, so there is no barrier inside either. Jobs of the same columns follow each other, and what was packed for them is kept from one to the next.
//! Every element is the sum that the plain product takes, in the same order, so the bits are those of a loop over the experts.

const std = @import("std");
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const columns = @import("columns.zig");
const product = @import("product.zig");
const route = @import("route.zig");
const Turn = @import("turn.zig").Turn;
const memory = @import("../memory.zig");
const pool = @import("../parallel/pool.zig");
const resolve = @import("../parallel/resolve.zig");
const explain = @import("../explain.zig");
const Device = @import("../device.zig").Device;

pub const Product = product.Product;
const Kernels = product.Kernels;
const kc = blocking.kc;
const max = std.math.maxInt(usize);

/// The rows of each expert.
pub const Experts = struct {
    count: usize,
    rows: usize,
    /// Expert `e` has the rows from the e-th offset to the next. Null where they are not known yet, because the call is only explained: then they count as
    /// dealt evenly.
    offsets: ?[*]const u32,

    fn begin(x: Experts, e: usize) usize {
        return if (x.offsets) |o| o[e] else kernel.Deal.of(x.rows, x.count).start(e);
    }
};

/// One product of each expert.
pub fn Group(comptime T: type) type {
    return struct {
        /// Which part of its op it is.
        step: ?[]const u8 = null,
        /// What the products share: the pointers are those of expert 0 if it began with row 0, and what is ragged counts the rows of all.
        p: Product(T),
        /// Whether an expert's rows are the rows of its product, each expert having its own B, or its depth, each having its own C.
        ragged: enum { rows, depth },
        /// Elements from one expert's own matrix to the next.
        stride: isize,
        bias_stride: usize = 0,

        fn of(g: *const @This(), e: usize, begin: usize, rows: usize) Product(T) {
            var p = g.p;
            const own = g.stride * @as(isize, @intCast(e));
            switch (g.ragged) {
                .rows => {
                    p.m = rows;
                    p.a = product.at(T, p.a, p.a_row, begin, 0, 0);
                    p.b = kernel.step(T, p.b, own);
                    p.c += begin * p.ldc;
                    if (p.bias) |bias| p.bias = bias + e * g.bias_stride;
                },
                .depth => {
                    p.k = rows;
                    p.a = product.at(T, p.a, p.a_col, begin, 0, 0);
                    p.b = product.at(T, p.b, p.b_row, begin, 0, 0);
                    p.c = @constCast(kernel.step(T, p.c, own));
                },
            }
            return p;
        }

        /// Elements of all operands and results.
        fn touched(g: *const @This(), experts: usize) usize {
            const p = &g.p;
            const a, const b, const c = .{ p.m *| p.k, p.k *| p.n, p.m *| p.n *| @as(usize, if (p.beta != 0) 2 else 1) };
            return a +| (if (g.ragged == .rows) b *| experts else b) +| (if (g.ragged == .depth) c *| experts else c);
        }
    };
}

/// The sums over each expert's rows of every column.
pub fn Sums(comptime T: type) type {
    return struct {
        out: [*]T,
        /// Elements from one expert's sums to the next.
        stride: usize,
        x: [*]const T,
        x_stride: usize,
        cols: usize,
        accumulate: bool,
    };
}

/// The way that one expert's product takes; `sums` are its column sums.
const Way = enum { nothing, outer, vector, swapped, tiles, sums };

/// How the product of one expert is cut: `across` groups of columns × `down` parts of its rows; jobs of one group follow each other.
const Cut = struct {
    /// Its first job.
    first: usize,
    group: usize,
    expert: usize,
    begin: usize,
    rows: usize,
    way: Way = .tiles,
    across: usize = 1,
    /// Columns of a group.
    cols: usize = 0,
    down: usize = 0,
    /// What is dealt into parts: rows, sixteens of rows of a transposed product, or units of a product with a vector.
    deal: kernel.Deal = .{ .each = 0, .more = 0 },
    /// Rows of A that are packed, or of the transposed C that are computed, at a time.
    block: usize = max,
    a_form: kernel.Form = .panels,
    panel_rows: usize = 0,
    a_far: bool = false,
    b_in_place: bool = false,
    /// Whether B is packed over all of its depth and kept for the next jobs of its group.
    held: bool = false,
    /// How column sums are dealt, and the first of their partial sums.
    sums: columns.Cut = .{ .chunks = 0, .rows = 0, .pieces = 0, .cols = 0 },
    partial: usize = 0,

    fn jobs(c: *const Cut) usize {
        return c.across * c.down;
    }
};

/// What a call computes.
pub fn Work(comptime T: type) type {
    return struct {
        const Self = @This();

        experts: Experts,
        groups: []const Group(T),
        sums: ?Sums(T) = null,

        /// Workers for all of it, wherever the rows lie: what multiplies asks for them, and what only moves memory, such as the zeros of an expert without
        /// rows.
        fn decide(self: *const Self, d: *const Device) resolve.Decision {
            var mnk: u64 = 0;
            var len: u64 = 0;
            for (self.groups) |*g| {
                mnk +|= resolve.work(g.p.sizes());
                len +|= g.touched(self.experts.count);
            }
            if (self.sums) |s| len +|= self.experts.rows *| s.cols;
            const bytes = len *| @sizeOf(T);
            const by_work = d.compute(mnk, max);
            if (bytes < resolve.bandwidthFloor(&d.machine, &d.knobs)) return by_work;
            const by_bytes = resolve.bandwidth(&d.machine, d.request, &d.knobs, bytes, max);
            return if (by_bytes.workers > by_work.workers) by_bytes else by_work;
        }

        pub fn run(self: *const Self, d: *const Device) error{OutOfMemory}!void {
            const list_bytes = self.cutCount() * @sizeOf(Cut);
            const list = try memory.alloc(list_bytes);
            defer memory.free(list, list_bytes);
            const cuts = @as([*]Cut, @ptrCast(list))[0..self.cutCount()];
            const decided = self.decide(d).workers;
            var plan: Plan = .init(self, d, cuts, decided);
            const jobs = plan.jobs();
            if (jobs == 0) return;
            const workers: u32 = @intCast(@min(decided, jobs));
            const bytes = plan.scratchLen(workers) * @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            plan.scratch = @ptrCast(@alignCast(block));
            if (workers == 1) {
                var alone: pool.Worker = .alone;
                return Plan.body(&plan, &alone);
            }
            pool.run(workers, d.exact(), @as(*const Plan, &plan), Plan.body);
        }

        /// Notes what `run` does, with the rows dealt evenly if it does not know better.
        pub fn note(self: *const Self, d: *const Device, e: *explain.Explanation) error{OutOfMemory}!void {
            const list_bytes = self.cutCount() * @sizeOf(Cut);
            const list = try memory.alloc(list_bytes);
            defer memory.free(list, list_bytes);
            const cuts = @as([*]Cut, @ptrCast(list))[0..self.cutCount()];
            var decision = self.decide(d);
            const plan: Plan = .init(self, d, cuts, decision.workers);
            const jobs = plan.jobs();
            if (jobs == 0) return;
            if (jobs < decision.workers) decision = .{ .workers = @intCast(jobs), .why = .jobs };
            const t = @typeName(T);
            for (self.groups, 0..) |*g, i| {
                const mine = cuts[i * self.experts.count ..][0..self.experts.count];
                var cut = &mine[0];
                var of_group: usize = 0;
                for (mine) |*c| {
                    of_group += c.jobs();
                    if (c.rows > cut.rows) cut = c;
                }
                if (of_group == 0) continue;
                const tile = plan.kernels.tile;
                const turned = cut.way == .swapped;
                const by_tiles = turned or cut.way == .tiles;
                // What the micro-kernel reads as its B is packed; the weight of a transposed product is its A.
                const b: explain.Packing = if (!by_tiles or cut.b_in_place) .@"in place" else .@"packed by each worker";
                const a: explain.Packing = if (by_tiles and cut.a_form == .panels) .@"packed by each worker" else .@"in place";
                e.note(.{
                    .step = g.step,
                    .kernel = switch (cut.way) {
                        .nothing => "gemm_" ++ t ++ "_scale",
                        .outer => "outer_" ++ t,
                        .vector => switch (route.Vector(T).init(d, plan.kernels, g.of(cut.expert, cut.begin, cut.rows)).?.form) {
                            .rows => "gemv_" ++ t ++ "_rows",
                            .turned => "gemv_" ++ t ++ "_turned",
                            .panels => unreachable,
                        },
                        .swapped, .tiles => "gemm_" ++ t ++ "_strip",
                        .sums => unreachable,
                    },
                    .workers = decision.workers,
                    .tier = decision.tier,
                    .why = @tagName(decision.why),
                    .jobs = of_group,
                    .grain = 1,
                    .bytes = g.touched(self.experts.count) *| @sizeOf(T),
                    .flops = 2 *| resolve.work(g.p.sizes()),
                    .scratch_bytes = (plan.a_len + plan.b_len + plan.c_len) * decision.workers * @sizeOf(T),
                    .product = .{
                        .route = .grouped,
                        .m = g.p.m,
                        .n = g.p.n,
                        .k = g.p.k,
                        .tile = if (by_tiles) .{ .mr = tile.mr, .nr = tile.nr } else null,
                        .blocking = if (by_tiles) .{ .mc = @min(cut.block, if (turned) g.p.n else cut.rows), .nc = cut.cols, .kc = @min(kc, g.p.k) } else null,
                        .a = if (turned) b else a,
                        .b = if (turned) a else b,
                    },
                });
            }
            if (self.sums) |s| e.note(.{
                .step = "db",
                .kernel = columns.Kernel(T).name,
                .workers = decision.workers,
                .tier = decision.tier,
                .why = @tagName(decision.why),
                .jobs = jobs - plan.cuts[self.groups.len * self.experts.count].first,
                .bytes = (self.experts.rows +| self.experts.count) *| s.cols *| @sizeOf(T),
                .scratch_bytes = plan.partials *| s.cols *| @sizeOf(T),
            });
        }

        /// One for each expert of each part, and one behind the last.
        fn cutCount(self: *const Self) usize {
            return self.experts.count * (self.groups.len + @intFromBool(self.sums != null)) + 1;
        }

        /// The jobs of a call, cut for a number of workers, and the room that they take.
        const Plan = struct {
            work: *const Self,
            d: *const Device,
            kernels: Kernels(T),
            sum: columns.Kernel(T),
            turn: *const fn (*const Turn(T)) callconv(.c) void,
            cuts: []Cut,
            /// Elements that a worker packs into: a block of A, a group of B, and a block of the transpose of C.
            a_len: usize = 0,
            b_len: usize = 0,
            c_len: usize = 0,
            /// Rows of partial sums.
            partials: usize = 0,
            scratch: [*]T = undefined,

            fn init(work: *const Self, d: *const Device, cuts: []Cut, workers: u32) Plan {
                var plan: Plan = .{
                    .work = work,
                    .d = d,
                    .kernels = .of(d),
                    .sum = .of(d),
                    .turn = d.kernel(fn (*const Turn(T)) callconv(.c) void, "gemm_" ++ @typeName(T) ++ "_turn"),
                    .cuts = cuts,
                };
                const x = work.experts;
                const target = plan.costOfJob(workers);
                var first: usize = 0;
                var i: usize = 0;
                for (work.groups, 0..) |*g, group| for (0..x.count) |e| {
                    const begin = x.begin(e);
                    const rows = x.begin(e + 1) - begin;
                    const cut = &cuts[i];
                    cut.* = .{ .first = first, .group = group, .expert = e, .begin = begin, .rows = rows };
                    plan.cutProduct(cut, &g.of(e, begin, rows), target, workers);
                    first += cut.jobs();
                    i += 1;
                };
                if (work.sums) |s| for (0..x.count) |e| {
                    const begin = x.begin(e);
                    const rows = x.begin(e + 1) - begin;
                    const sums: columns.Cut = .of(rows, s.cols, parts(costOfSums(rows, s.cols), target));
                    cuts[i] = .{ .first = first, .group = max, .expert = e, .begin = begin, .rows = rows, .way = .sums, .down = sums.jobs(), .sums = sums, .partial = plan.partials };
                    plan.partials += sums.chunks;
                    first += cuts[i].jobs();
                    i += 1;
                };
                cuts[i] = .{ .first = first, .group = max, .expert = max, .begin = 0, .rows = 0 };
                return plan;
            }

            fn jobs(plan: *const Plan) usize {
                return plan.cuts[plan.cuts.len - 1].first;
            }

            fn scratchLen(plan: *const Plan, workers: usize) usize {
                const cols = if (plan.work.sums) |s| s.cols else 0;
                return product.align16(plan.partials * cols) + (plan.a_len + plan.b_len + plan.c_len) * workers;
            }

            /// What a product takes, in multiply-adds. An element of memory counts as sixteen: 4 bytes at 12 GB/s pass while one core does so many. It is
            /// what a product of few rows takes.
            fn costOf(m: usize, n: usize, k: usize) u64 {
                return m *| n *| k +| 16 *| (m *| n +| n *| k +| m *| k);
            }

            fn costOfSums(rows: usize, cols: usize) u64 {
                return 16 *| rows *| cols;
            }

            /// The most that a job may take: the workers' last jobs end far apart if they are long. Chunks of jobs differ in length as experts do, so there
            /// are twice as many as of a plain product.
            fn costOfJob(plan: *const Plan, workers: usize) u64 {
                if (workers == 1) return std.math.maxInt(u64);
                const x = plan.work.experts;
                var cost: u64 = 0;
                for (plan.work.groups) |*g| {
                    const p = &g.p;
                    // The matrix that each expert has of its own.
                    const own = if (g.ragged == .rows) p.n *| p.k else p.m *| p.n;
                    cost +|= costOf(p.m, p.n, p.k) +| 16 *| own *| (x.count -| 1);
                }
                if (plan.work.sums) |s| cost +|= costOfSums(x.rows, s.cols);
                return @max(1, cost / (workers * 2 *| plan.d.knobs.parallel_oversample));
            }

            fn cutProduct(plan: *Plan, cut: *Cut, p: *const Product(T), target: u64, workers: usize) void {
                if (p.m == 0 or p.n == 0) return;
                // What a job packs or walks is its worker's own.
                const l2 = plan.d.machine.caches.l2Of(workers);
                const tile = plan.kernels.tile;
                const element = @sizeOf(T);
                const pieces: usize = @intCast(std.math.divCeil(u64, costOf(p.m, p.n, p.k), target) catch unreachable);
                if (p.k == 0) {
                    cut.way = .nothing;
                    cut.down = if (workers == 1) 1 else std.math.clamp(p.m *| p.n *| element >> 18, 1, p.m);
                    cut.deal = .of(p.m, cut.down);
                    return;
                }
                if (p.m == 1 or p.n == 1) {
                    if (route.Vector(T).init(plan.d, plan.kernels, p.*)) |v| if (v.x_step == 1) {
                        cut.way = .vector;
                        cut.down = @min(pieces, v.units());
                        cut.deal = .of(v.units(), cut.down);
                        return;
                    };
                }
                if (p.k == 1 and route.Outer(T).init(plan.d, plan.kernels, p.*) != null) {
                    cut.way = .outer;
                    cut.down = @min(pieces, p.m);
                    cut.deal = .of(p.m, cut.down);
                    return;
                }
                if (swaps(p)) {
                    // All depth of some rows of A, turned, stays in half of the second level while rows of the weight pass.
                    const most = std.math.clamp(l2 / 2 / (p.k *| element) / tile.nr * tile.nr, tile.nr, 256);
                    cut.way = .swapped;
                    cut.cols = blocking.roundUp(parts(p.m, parts(p.m, most)), 16);
                    cut.across = parts(p.m, cut.cols);
                    const units = parts(p.n, 16);
                    cut.down = std.math.clamp(parts(pieces, cut.across), 1, parts(units, 4));
                    cut.deal = .of(units, cut.down);
                    // Whole row panels and whole sixteens to turn, as many as leave their transpose in an eighth of the second level: 1.08 times as fast as
                    // blocks of 112 rows at 128 to 256 columns.
                    const whole = 16 * tile.mr / std.math.gcd(16, tile.mr);
                    cut.block = @max(1, @min(l2 / 8 / (cut.cols * element), 256) / whole) * whole;
                    cut.a_form = .k_contiguous;
                    cut.panel_rows = blocking.panelRows(tile, @intCast(p.b_col), element);
                    cut.a_far = p.n *| p.k *| element > l2 / 4;
                    cut.held = true;
                    plan.c_len = @max(plan.c_len, product.align16(@min(cut.block, blocking.roundUp(p.n, 16)) * cut.cols));
                    plan.b_len = @max(plan.b_len, product.align16(parts(p.k, kc) * plan.blockLen(cut.cols, p.k)));
                    return;
                }
                cut.panel_rows = tile.mr;
                if (p.a_col == 1 and p.a_row > 0) {
                    cut.a_form = .k_contiguous;
                    cut.panel_rows = blocking.panelRows(tile, @intCast(p.a_row), element);
                } else if (p.a_row == 1 and p.a_col > 0 and blocking.keepTurnedA(tile, p.m, p.n, @intCast(p.a_col), element)) cut.a_form = .rows_contiguous;
                cut.a_far = p.m *| p.k *| element > l2 / 4;
                const tiles_ = parts(p.n, tile.nr);
                // Wide groups first, eight tiles at least, and parts of eight row panels at least: a panel of A is brought near once for all tiles of a
                // group. 1024×1024×512 on two cores: 0.88 of a plain product's speed in groups of one tile, 0.94 of two, 0.98 of four, 1.02 of eight.
                const least = parts(tiles_, blocking.groupColumns(tile, l2, element) / tile.nr);
                const rows_min = if (cut.a_form == .panels) 4 * tile.mr else 8 * tile.mr;
                cut.across = if (cut.a_form == .panels) least else std.math.clamp(pieces, least, @max(least, tiles_ / 8));
                cut.down = std.math.clamp(parts(pieces, cut.across), 1, @max(1, p.m / rows_min));
                // Narrow ones where these are too few for the workers.
                const few = @min(pieces, 4 * workers);
                if (cut.across * cut.down < few) cut.across = std.math.clamp(parts(few, cut.down), cut.across, @max(cut.across, tiles_ / 2));
                if (cut.a_form == .panels) {
                    const block = @max(tile.mr, l2 / 8 / (kc * element) / tile.mr * tile.mr);
                    cut.block = @min(block, parts(p.m, cut.down));
                    plan.a_len = @max(plan.a_len, product.align16(cut.block * @min(kc, p.k)));
                }
                cut.deal = .of(p.m, cut.down);
                cut.cols = parts(tiles_, cut.across) * tile.nr;
                cut.across = parts(p.n, cut.cols);
                cut.b_in_place = p.b_col == 1 and p.b_row > 0 and
                    blocking.keepB(l2, tile, parts(p.m, cut.down), cut.cols, p.k, @intCast(p.b_row), element);
                cut.held = !cut.b_in_place and cut.down > 1 and cut.cols *| p.k *| element <= l2 / 2;
                const cols = if (cut.b_in_place) tile.nr else cut.cols;
                plan.b_len = @max(plan.b_len, product.align16((if (cut.held) parts(p.k, kc) else 1) * plan.blockLen(cols, p.k)));
            }

            /// Whether a product with a transposed B is computed as its transpose, so that the weight is read where it lies: turning the other operand and C
            /// has to be half of turning B, for the rows that fill up the last tile are lost. Against turning B, at 512×1024: 1.25 times as fast with 32
            /// rows, 1.2 with 64, 1.08 with 128, 0.97 with 180.
            fn swaps(p: *const Product(T)) bool {
                return p.b_row == 1 and p.b_col > 0 and p.beta == 0 and 2 *| blocking.roundUp(p.m, 16) *| (p.n +| p.k) <= p.n *| p.k;
            }

            /// Elements of a depth block of B, packed: its panels and what parts them. Panels of 256×32 right behind each other would share sets of the caches.
            fn blockLen(plan: *const Plan, cols: usize, k: usize) usize {
                return parts(cols, plan.kernels.tile.nr) * panelLen(plan.kernels.tile, @min(kc, k));
            }

            fn panelLen(tile: blocking.Tile, depth: usize) usize {
                return depth * tile.nr + 16;
            }

            /// What every worker runs.
            fn body(plan: *const Plan, w: *pool.Worker) void {
                const cols = if (plan.work.sums) |s| s.cols else 0;
                const own = plan.scratch + product.align16(plan.partials * cols) + w.id * (plan.a_len + plan.b_len + plan.c_len);
                var hand: Hand = .{ .plan = plan, .a = own, .b = own + plan.a_len, .c = own + plan.a_len + plan.b_len };
                w.phase(plan.jobs(), 1, &hand, Hand.some);
                if (plan.partials > 0) w.phase(plan.work.experts.count * plan.joinPieces(), 1, plan, join);
            }

            /// Columns of partial sums that are joined at a time.
            const join_cols = 1024;

            fn joinPieces(plan: *const Plan) usize {
                return parts(plan.work.sums.?.cols, join_cols);
            }

            fn join(plan: *const Plan, begin: usize, end: usize) void {
                const s = &plan.work.sums.?;
                const of_sums = plan.cuts[plan.cuts.len - 1 - plan.work.experts.count ..];
                for (begin..end) |job| {
                    const e = job / plan.joinPieces();
                    const j = job % plan.joinPieces() * join_cols;
                    const cut = &of_sums[e];
                    plan.sum.sum(s.out + e * s.stride + j, plan.scratch + cut.partial * s.cols + j, cut.sums.chunks, @min(join_cols, s.cols - j), s.cols, s.accumulate);
                }
            }
        };

        /// A worker: where it is in the list of jobs, and what it has packed.
        const Hand = struct {
            plan: *const Plan,
            a: [*]T,
            b: [*]T,
            c: [*]T,
            /// The cut of its latest job; a worker claims jobs in ascending order.
            at: usize = 0,
            /// The cut and the group of columns that `b` holds.
            held: [2]usize = .{ max, max },

            fn some(h: *Hand, begin: usize, end: usize) void {
                const cuts = h.plan.cuts;
                for (begin..end) |q| {
                    while (q >= cuts[h.at + 1].first) h.at += 1;
                    h.job(&cuts[h.at], q - cuts[h.at].first);
                }
            }

            fn job(h: *Hand, cut: *const Cut, q: usize) void {
                const plan = h.plan;
                if (cut.way == .sums) return h.chunk(cut, q);
                const p = plan.work.groups[cut.group].of(cut.expert, cut.begin, cut.rows);
                const group = q / cut.down;
                const from = cut.deal.start(q % cut.down);
                const to = cut.deal.start(q % cut.down + 1);
                switch (cut.way) {
                    .sums => unreachable,
                    .nothing => (route.Nothing(T){ .d = plan.d, .p = p, .kernels = plan.kernels }).rows(from, to),
                    .outer => {
                        var outer = route.Outer(T).init(plan.d, plan.kernels, p).?;
                        outer.passing = plan.work.groups[cut.group].touched(plan.work.experts.count) *| @sizeOf(T) > 8 * plan.d.machine.caches.l2;
                        outer.rows(from, to);
                    },
                    .vector => route.Vector(T).init(plan.d, plan.kernels, p).?.some(from, to),
                    .swapped => h.swapped(cut, &p, group, 16 * from, @min(p.n, 16 * to)),
                    .tiles => h.tiles(cut, &p, group, from, to),
                }
            }

            /// The sums of some columns of a chunk of an expert's rows.
            fn chunk(h: *Hand, cut: *const Cut, q: usize) void {
                const s = &h.plan.work.sums.?;
                const p = cut.sums.part(cut.rows, s.cols, q);
                const out = h.plan.scratch + (cut.partial + p.chunk) * s.cols + p.col;
                h.plan.sum.sum(out, s.x + (cut.begin + p.row) * s.x_stride + p.col, p.rows, p.cols, s.x_stride, false);
            }

            /// Packs a depth block of B, from column `j` on.
            fn pack(h: *Hand, p: *const Product(T), out: [*]T, k0: usize, j: usize, cols: usize) void {
                const tile = h.plan.kernels.tile;
                const depth = @min(kc, p.k - k0);
                h.plan.kernels.pack(&.{
                    .out = out,
                    .in = product.at(T, p.b, p.b_row, k0, p.b_col, j),
                    .count = cols,
                    .panels = parts(cols, tile.nr),
                    .width = tile.nr,
                    .panel_stride = Plan.panelLen(tile, depth),
                    .k = depth,
                    .k_begin = 0,
                    .k_end = depth,
                    .stride = p.b_col,
                    .stride_k = p.b_row,
                });
            }

            /// Packs B over all of its depth, unless this worker has done so for the job before.
            fn hold(h: *Hand, p: *const Product(T), group: usize, j: usize, cols: usize) void {
                const what = [2]usize{ h.at, group };
                if (std.mem.eql(usize, &h.held, &what)) return;
                h.held = what;
                var k0: usize = 0;
                while (k0 < p.k) : (k0 += kc) h.pack(p, h.b + k0 / kc * h.plan.blockLen(cols, p.k), k0, j, cols);
            }

            /// Where a depth block of B is read: the first tile, and the last one where it is not full.
            const Tiles = struct { b: [*]const T, ldb: usize, next: usize, last: [*]const T, ldb_last: usize };

            fn packedTiles(h: *const Hand, b: [*]const T, depth: usize, cols: usize) Tiles {
                const tile = h.plan.kernels.tile;
                const next = Plan.panelLen(tile, depth);
                return .{ .b = b, .ldb = tile.nr, .next = next, .last = b + cols / tile.nr * next, .ldb_last = blocking.roundUp(cols % tile.nr, tile.w) };
            }

            fn tilesInPlace(h: *Hand, p: *const Product(T), k0: usize, j: usize, cols: usize) Tiles {
                const tile = h.plan.kernels.tile;
                const b = product.at(T, p.b, p.b_row, k0, p.b_col, j);
                const ldb: usize = @intCast(p.b_row);
                const full = cols / tile.nr * tile.nr;
                var tiles_: Tiles = .{ .b = b, .ldb = ldb, .next = tile.nr, .last = b + full, .ldb_last = ldb };
                // A load is a whole vector: a last tile that sticks out is packed all the same.
                if (cols % tile.w != 0) {
                    h.held = .{ max, max };
                    h.pack(p, h.b, k0, j + full, cols - full);
                    tiles_.last = h.b;
                    tiles_.ldb_last = blocking.roundUp(cols - full, tile.w);
                }
                return tiles_;
            }

            fn tiles(h: *Hand, cut: *const Cut, p: *const Product(T), group: usize, from: usize, to: usize) void {
                const kernels = h.plan.kernels;
                const j = group * cut.cols;
                const cols = @min(cut.cols, p.n - j);
                if (cut.held) h.hold(p, group, j, cols);
                const blocks = parts(to - from, cut.block);
                const deal: kernel.Deal = .of(to - from, blocks);
                var k0: usize = 0;
                while (k0 < p.k) : (k0 += kc) {
                    const depth = @min(kc, p.k - k0);
                    const b: Tiles = if (cut.b_in_place) h.tilesInPlace(p, k0, j, cols) else packed_: {
                        const at = h.b + (if (cut.held) k0 / kc * h.plan.blockLen(cols, p.k) else 0);
                        if (!cut.held) {
                            h.held = .{ max, max };
                            h.pack(p, at, k0, j, cols);
                        }
                        break :packed_ h.packedTiles(at, depth, cols);
                    };
                    for (0..blocks) |block| {
                        const i = from + deal.start(block);
                        const rows = from + deal.start(block + 1) - i;
                        const a = product.at(T, p.a, p.a_row, i, p.a_col, k0);
                        if (cut.a_form == .panels) kernels.pack(&.{
                            .out = h.a,
                            .in = a,
                            .count = rows,
                            .panels = parts(rows, cut.panel_rows),
                            .width = 0,
                            .panel_stride = 0,
                            .k = depth,
                            .k_begin = 0,
                            .k_end = depth,
                            .stride = p.a_row,
                            .stride_k = p.a_col,
                        });
                        kernels.strip(&.{
                            .a = if (cut.a_form == .panels) h.a else a,
                            .a_form = cut.a_form,
                            .lda = switch (cut.a_form) {
                                .panels => 0,
                                .k_contiguous => @intCast(p.a_row),
                                .rows_contiguous => @intCast(p.a_col),
                            },
                            .panel_rows = cut.panel_rows,
                            .b = b.b,
                            .ldb = b.ldb,
                            .b_next = b.next,
                            .b_last = b.last,
                            .ldb_last = b.ldb_last,
                            .b_far = @intFromBool(cut.b_in_place and block == 0),
                            .a_far = @intFromBool(cut.a_far),
                            .c = p.c + i * p.ldc + j,
                            .ldc = p.ldc,
                            .rows = rows,
                            .cols = cols,
                            .k = depth,
                            .alpha = 1,
                            .beta = if (k0 == 0) p.beta else 1,
                            .read_c = @intFromBool(k0 > 0 or p.beta != 0),
                            .closes = @intFromBool(k0 + depth == p.k and p.bias != null),
                            .bias = if (p.bias) |bias| bias + j else null,
                            .epilogue = .none,
                        });
                    }
                }
            }

            /// Some columns of C, `from..to`, for some of its rows, as Cᵀ = Bᵀ·Aᵀ. A block of the transpose is finished and turned while it is near.
            fn swapped(h: *Hand, cut: *const Cut, p: *const Product(T), group: usize, from: usize, to: usize) void {
                const j = group * cut.cols;
                const cols = @min(cut.cols, p.m - j);
                var turned = p.*;
                turned.b, turned.b_row, turned.b_col = .{ p.a, p.a_col, p.a_row };
                h.hold(&turned, group, j, cols);
                var i = from;
                while (i < to) : (i += cut.block) {
                    const rows = @min(cut.block, to - i);
                    var k0: usize = 0;
                    while (k0 < p.k) : (k0 += kc) {
                        const depth = @min(kc, p.k - k0);
                        const b = h.packedTiles(h.b + k0 / kc * h.plan.blockLen(cols, p.k), depth, cols);
                        h.plan.kernels.strip(&.{
                            .a = product.at(T, p.b, p.b_col, i, p.b_row, k0),
                            .a_form = .k_contiguous,
                            .lda = @intCast(p.b_col),
                            .panel_rows = cut.panel_rows,
                            .b = b.b,
                            .ldb = b.ldb,
                            .b_next = b.next,
                            .b_last = b.last,
                            .ldb_last = b.ldb_last,
                            .b_far = 0,
                            .a_far = @intFromBool(cut.a_far),
                            .c = h.c,
                            .ldc = cut.cols,
                            .rows = rows,
                            .cols = cols,
                            .k = depth,
                            .alpha = 1,
                            .beta = 1,
                            .read_c = @intFromBool(k0 > 0),
                            .closes = 0,
                            .bias = null,
                            .epilogue = .none,
                        });
                    }
                    h.plan.turn(&.{
                        .c = p.c + j * p.ldc + i,
                        .ldc = p.ldc,
                        .d = h.c,
                        .ldd = cut.cols,
                        .rows = cols,
                        .cols = rows,
                        .bias = if (p.bias) |bias| bias + i else null,
                    });
                }
            }
        };
    };
}

/// Parts of at most `each`.
const parts = product.rowPanels;

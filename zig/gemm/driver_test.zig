//! Every route of a product against the contract written down as a scalar loop, bit for bit: operands in every order that a route tells apart, each
//! ending at a page that may not be touched; every factor, bias and epilogue; one to eight workers.

const std = @import("std");
const blocking = @import("blocking.zig");
const device = @import("../device.zig");
const driver = @import("driver.zig");
const prepacked = @import("prepacked.zig");
const kernel = @import("kernel.zig");
const resolve = @import("../parallel/resolve.zig");
const arrays = @import("../testing/arrays.zig");
const Caches = @import("../parallel/topology.zig").Caches;
const Device = device.Device;
const Guarded = @import("../testing/guard.zig").Guarded;
const Sparse = @import("../testing/guard.zig").Sparse;
const slow = @import("../testing/slow.zig");
const testing = std.testing;
const kc = blocking.kc;

/// How an operand lies: its rows or its columns without gaps, neither, or as a prepacked copy, made of one or the other.
const Order = enum { rows, columns, apart, packed_rows, packed_columns };

/// Caches that hold all of a small product, and ones so small that it is cut into several column blocks and blocks of rows.
const roomy: Caches = .{ .l1 = 48 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 32 << 20 };
const tight: Caches = .{ .l1 = 16 << 10, .l2 = 16 << 10, .l2_private = true, .l3 = 0 };
/// Four cores to a second level.
const cluster: Caches = .{ .l1 = 16 << 10, .l2 = 64 << 10, .l2_private = false, .l3 = 0, .l2_sharers = 4 };

const Case = struct {
    m: usize,
    n: usize,
    k: usize,
    a: Order = .rows,
    b: Order = .rows,
    /// Elements between the end of a row, or column, of an operand or of C and the next one.
    gap: usize = 0,
    caches: Caches = roomy,
};

/// The ways that the cases took, so that a changed threshold cannot leave one without a test.
const Seen = struct {
    direct: bool = false,
    nothing: bool = false,
    outer: bool = false,
    row: [3]bool = @splat(false),
    /// No route reads a column vector from panels.
    column: [2]bool = @splat(false),
    gathered: bool = false,
    swapped: bool = false,
    rows_packed: bool = false,
    a_form: [3]bool = @splat(false),
    b_form: [3]bool = @splat(false),
    tail: bool = false,
    own_a: bool = false,
    shared_a: bool = false,
    several_blocks: bool = false,
    several_slices: bool = false,

    fn note(seen: *Seen, comptime T: type, d: *const Device, p: driver.Product(T)) void {
        const kernels: driver.Kernels(T) = .of(d);
        const workers = driver.workersFor(T, d, kernels.tile, &.{p}).workers;
        if (workers == 1 and driver.isDirect(T, d, kernels.tile, &p)) {
            seen.direct = true;
            return;
        }
        const route: driver.Route(T) = .init(d, kernels, p, workers);
        switch (route) {
            .nothing => seen.nothing = true,
            .outer => seen.outer = true,
            .vector => |v| {
                const forms: []bool = if (v.is_row) &seen.row else &seen.column;
                forms[@backingInt(v.form)] = true;
                seen.gathered = seen.gathered or v.scratchLen(1) > 0;
            },
            .swapped => seen.swapped = true,
            .tiles => |plan| {
                seen.rows_packed = seen.rows_packed or (plan.b_form == .packed_here and p.b_col == 1);
                seen.a_form[@backingInt(plan.a_form)] = true;
                seen.b_form[@backingInt(plan.b_form)] = true;
                seen.own_a = seen.own_a or plan.a_len > 0;
                seen.shared_a = seen.shared_a or plan.shared_a_len > 0;
                seen.tail = seen.tail or plan.tail_len > 0;
                seen.several_blocks = seen.several_blocks or (plan.cut.blocks > 1 and plan.cut.nc < p.n);
                seen.several_slices = seen.several_slices or plan.depth < p.k;
            },
        }
    }
};

/// Memory for the operands of all cases.
const Memory = struct {
    a: Guarded,
    b: Guarded,
    panels: Guarded,
    c: Guarded,
    bias: Guarded,

    const bytes = 16 << 20;

    fn init() !Memory {
        return .{ .a = try .init(bytes), .b = try .init(bytes), .panels = try .init(bytes), .c = try .init(bytes), .bias = try .init(64 << 10) };
    }

    fn deinit(self: Memory) void {
        inline for (.{ "a", "b", "panels", "c", "bias" }) |name| @field(self, name).deinit();
    }
};

/// A matrix of random numbers that ends at the border, and its strides.
fn Operand(comptime T: type) type {
    return struct {
        at: [*]const T,
        row: isize,
        col: isize,

        fn init(memory: Guarded, rows: usize, cols: usize, order: Order, gap: usize, random: std.Random) @This() {
            const row: usize, const col: usize = switch (order) {
                .rows, .packed_rows => .{ cols + gap, 1 },
                .columns, .packed_columns => .{ 1, rows + gap },
                .apart => .{ 2 * cols + gap, 2 },
            };
            const len = if (rows == 0 or cols == 0) 0 else (rows - 1) * row + (cols - 1) * col + 1;
            const all = memory.last(T, len);
            for (all) |*x| x.* = @floatCast(random.floatNorm(f64));
            return .{ .at = all.ptr, .row = @intCast(row), .col = @intCast(col) };
        }

        fn get(self: @This(), i: usize, j: usize) T {
            return kernel.step(T, self.at, self.row * @as(isize, @intCast(i)) + self.col * @as(isize, @intCast(j)))[0];
        }
    };
}

/// What C holds before a product that reads it.
fn old(comptime T: type, at: usize) T {
    return @as(T, @floatFromInt(at % 17)) / 4 - 2;
}

fn deviceFor(workers: u32, caches: Caches) Device {
    var d = device.forTest(workers);
    d.machine = .init(64, resolve.pool_classes_default, caches);
    // Small caches stand for the other way of packing A too: once for all workers, from two of them.
    if (caches.l2 == tight.l2) d.knobs.shared_a_workers = 2;
    return d;
}

const scalars = [_][2]f64{ .{ 1, 0 }, .{ 1, 1 }, .{ 0.3, 0 }, .{ -2, 0.7 }, .{ 0, 2 }, .{ 0, 0 } };

fn testCase(comptime T: type, case: Case, memory: *const Memory, seen: *Seen, random: std.Random) !void {
    const m, const n, const k = .{ case.m, case.n, case.k };
    const gpa = testing.allocator;
    const a: Operand(T) = .init(memory.a, m, k, case.a, case.gap, random);
    const b: Operand(T) = .init(memory.b, k, n, case.b, case.gap, random);
    const bias = memory.bias.last(T, n);
    for (bias) |*x| x.* = @floatCast(random.floatNorm(f64));
    const serial = deviceFor(1, case.caches);
    const kernels: driver.Kernels(T) = .of(&serial);

    const b_packed = case.b == .packed_rows or case.b == .packed_columns;
    const panels = memory.panels.last(T, if (b_packed) try prepacked.prepackedLen(kernels.tile, k, n) else 0);
    if (b_packed) {
        @memset(panels, std.math.nan(T));
        prepacked.prepack(T, &deviceFor(@intCast(1 + m % 3), case.caches), panels.ptr, b.at, b.row, b.col, k, n);
        // What no column fills is zero: a stray NaN would be a slow operand, and a trap where traps are on.
        for (panels) |x| try testing.expect(!std.math.isNan(x));
    }

    // The sums of each depth block, by the contract: a chain of fused multiply-adds, k ascending from 0.
    const blocks = std.math.divCeil(usize, k, kc) catch unreachable;
    const sums = try gpa.alloc(T, blocks * m * n);
    defer gpa.free(sums);
    for (0..blocks) |g| for (0..m) |i| for (0..n) |j| {
        var sum: T = 0;
        for (g * kc..@min(k, (g + 1) * kc)) |x| sum = @mulAdd(T, a.get(i, x), b.get(x, j), sum);
        sums[(g * m + i) * n + j] = sum;
    };

    const want = try gpa.alloc(T, m * n);
    defer gpa.free(want);
    const ldc = n + case.gap;
    const c = memory.c.last(T, if (m == 0 or n == 0) 0 else (m - 1) * ldc + n);
    var turn: usize = 0;
    for (scalars) |pair| for ([_]bool{ false, true }) |biased| for (std.enums.values(kernel.Epilogue)) |epilogue| {
        const alpha: T, const beta: T = .{ @floatCast(pair[0]), @floatCast(pair[1]) };
        for (want, 0..) |*x, at| {
            x.* = if (beta == 0) 0 else beta * old(T, at);
            if (alpha != 0) for (0..blocks) |g| {
                const sum = sums[g * m * n + at];
                x.* = if (g == 0 and beta == 0) alpha * sum else @mulAdd(T, alpha, sum, x.*);
            };
            if (biased) x.* += bias[at % n];
        }
        if (epilogue != .none) kernels.close(&.{ .c = want.ptr, .ldc = n, .rows = m, .cols = n, .bias = null, .epilogue = epilogue });
        turn += 1;
        for ([_]u32{ 1, ([_]u32{ 2, 3, 5, 8 })[turn % 4] }) |workers| {
            const d = deviceFor(workers, case.caches);
            // With beta 0 what C holds must not be read; between its rows nothing is written.
            @memset(c, 77);
            for (0..m) |i| for (0..n) |j| {
                c[i * ldc + j] = if (beta == 0) std.math.nan(T) else old(T, i * n + j);
            };
            const p: driver.Product(T) = .{
                .m = m,
                .n = n,
                .k = k,
                .a = a.at,
                .a_row = a.row,
                .a_col = a.col,
                .b = if (b_packed) panels.ptr else b.at,
                .b_row = if (b_packed) 0 else b.row,
                .b_col = if (b_packed) 0 else b.col,
                .b_packed = b_packed,
                .c = c.ptr,
                .ldc = ldc,
                .alpha = alpha,
                .beta = beta,
                .bias = if (biased) bias.ptr else null,
                .epilogue = epilogue,
            };
            seen.note(T, &d, p);
            try driver.multiply(T, &d, &p);
            if (c.len > 0) for (0..m) |i| {
                errdefer std.debug.print("row {d} of {any}, {s}: alpha {d}, beta {d}, bias {}, {t}, {d} workers\n", .{
                    i, case, @typeName(T), alpha, beta, biased, epilogue, workers,
                });
                try arrays.expectSameBits(T, want[i * n ..][0..n], c[i * ldc ..][0..n]);
                if (i + 1 < m) for (c[i * ldc + n ..][0..case.gap]) |x| try testing.expectEqual(77, x);
            };
        }
    };
}

test "products: the contract's bits on every route, with every factor, bias, epilogue and number of workers" {
    try slow.skip();
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const memory: Memory = try .init();
    defer memory.deinit();
    inline for (.{ f32, f64 }) |T| {
        var seen: Seen = .{};
        const tile = driver.Kernels(T).of(&device.forTest(1)).tile;
        const wide = 8 * tile.nr + 5; // too many columns to read a turned A in place
        const tall = 8 * tile.mr + 3; // too many rows to read B in place where it is far
        for ([_]usize{ 0, 3 }) |gap| {
            for ([_]Case{
                // Small ones, whole vectors of columns: no plan.
                .{ .m = 5, .n = 2 * tile.w, .k = 7 },
                .{ .m = tile.mr + 1, .n = tile.nr + tile.w, .k = 31 },
                // Tiles of operands read where they are, and with last columns that are no whole vector.
                .{ .m = 9, .n = tile.nr + 3, .k = 261 },
                .{ .m = 2 * tile.mr + 1, .n = tile.nr + tile.w + 1, .k = 20 },
                .{ .m = 7, .n = 3, .k = 2, .a = .columns },
                .{ .m = tile.mr + 3, .n = tile.nr, .k = 258, .a = .columns },
                // Few rows, and a B that lies turned: as the transpose.
                .{ .m = 9, .n = tile.nr + 3, .k = 261, .b = .columns },
                .{ .m = tile.nr + 1, .n = 2 * tile.mr + tile.nr + 5, .k = 130, .a = .columns, .b = .columns },
                .{ .m = 2, .n = 19, .k = 300, .a = .apart, .b = .columns, .caches = tight },
                // Packed.
                .{ .m = 2 * tile.nr + 1, .n = tile.nr + 3, .k = 261, .b = .columns },
                .{ .m = tall, .n = tile.nr + 3, .k = 261, .caches = tight },
                .{ .m = 2 * tile.mr + 5, .n = 2 * tile.nr + tile.w + 1, .k = 33, .a = .columns, .b = .columns },
                .{ .m = 6, .n = wide, .k = 5, .a = .columns },
                .{ .m = 11, .n = 13, .k = 30, .a = .apart, .b = .apart },
                .{ .m = tall, .n = 2 * tile.nr + 3, .k = 18, .b = .columns, .caches = tight },
                .{ .m = tall, .n = 4 * tile.nr + 3, .k = 70, .caches = tight },
                .{ .m = tall, .n = 4 * tile.nr + 3, .k = 300, .caches = cluster },
                .{ .m = tall, .n = tile.nr + 3, .k = 300, .a = .apart, .b = .columns, .caches = cluster },
                // Prepacked.
                .{ .m = 9, .n = tile.nr + 3, .k = 261, .b = .packed_columns },
                .{ .m = 2 * tile.mr + 5, .n = 5 * tile.nr + tile.w + 1, .k = 33, .a = .columns, .b = .packed_rows },
                .{ .m = tall, .n = 4 * tile.nr + 3, .k = 18, .a = .apart, .b = .packed_columns, .caches = tight },
                .{ .m = 3, .n = tile.w, .k = 1, .b = .packed_rows },
                .{ .m = 5, .n = 1, .k = 9, .b = .packed_columns },
                .{ .m = 3, .n = 4, .k = 0, .b = .packed_rows },
                // One row.
                .{ .m = 1, .n = 67, .k = 259, .b = .rows },
                .{ .m = 1, .n = 67, .k = 259, .b = .columns },
                .{ .m = 1, .n = 19, .k = 1024, .b = .columns }, // rows that share a set of the first-level cache
                .{ .m = 1, .n = 27, .k = 2310, .b = .columns, .caches = tight }, // long ones from afar
                .{ .m = 1, .n = 5 * tile.nr + 7, .k = 259, .b = .packed_columns },
                .{ .m = 1, .n = 3, .k = 18, .a = .apart, .b = .packed_rows },
                .{ .m = 1, .n = 40, .k = 35, .a = .apart, .b = .columns },
                .{ .m = 1, .n = 19, .k = 6, .b = .apart },
                .{ .m = 1, .n = 1, .k = 300 },
                // One column: of C, rows are apart.
                .{ .m = 67, .n = 1, .k = 259, .a = .rows },
                .{ .m = 67, .n = 1, .k = 259, .a = .columns, .b = .columns },
                .{ .m = 19, .n = 1, .k = 40, .a = .columns, .b = .apart },
                .{ .m = 19, .n = 1, .k = 6, .a = .apart },
                // A column times a row.
                .{ .m = 9, .n = 37, .k = 1 },
                .{ .m = 9, .n = 37, .k = 1, .a = .columns, .b = .columns },
                .{ .m = 7, .n = 1, .k = 1 },
                .{ .m = 1, .n = 1, .k = 1 },
                // Nothing.
                .{ .m = 3, .n = 4, .k = 0 },
                .{ .m = 1, .n = 4, .k = 0 },
                .{ .m = 4, .n = 1, .k = 0 },
                .{ .m = 0, .n = 4, .k = 5 },
                .{ .m = 3, .n = 0, .k = 5 },
            }) |each| {
                var case = each;
                case.gap = gap;
                try testCase(T, case, &memory, &seen, random);
            }
        }
        // Deeper than what is packed between two barriers.
        try testCase(T, .{ .m = 2, .n = 1100, .k = 515, .b = .apart }, &memory, &seen, random);
        inline for (@typeInfo(Seen).@"struct".field_names) |name| {
            const taken = @field(seen, name);
            errdefer std.debug.print("no case with {s} of {s}: {any}\n", .{ name, @typeName(T), taken });
            try testing.expect(if (@TypeOf(taken) == bool) taken else std.mem.allEqual(bool, &taken, true));
        }
    }
}

/// The kinds of products that a layer makes: A and B as they lie, and prepacked.
const Kind = struct { a: Order = .rows, b: Order = .rows };
const kinds = [_]Kind{
    .{},
    .{ .b = .columns },
    .{ .a = .columns },
    .{ .a = .columns, .b = .columns },
    .{ .b = .packed_columns },
    .{ .b = .packed_rows },
};

test "products: a row has the same bits in a product of any height, on every route" {
    try slow.skip();
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const memory: Memory = try .init();
    defer memory.deinit();
    const rows_max = 200;
    const k = 300;
    const d = deviceFor(1, roomy);
    inline for (.{ f32, f64 }) |T| {
        const tile = driver.Kernels(T).of(&d).tile;
        for (kinds) |kind| for ([_]usize{ 1, 5, 64, 101 }) |n| {
            const a: Operand(T) = .init(memory.a, rows_max, k, kind.a, 0, random);
            const b: Operand(T) = .init(memory.b, k, n, kind.b, 0, random);
            const panels = memory.panels.last(T, try prepacked.prepackedLen(tile, k, n));
            prepacked.prepack(T, &d, panels.ptr, b.at, b.row, b.col, k, n);
            const b_packed = kind.b == .packed_columns or kind.b == .packed_rows;
            const c = memory.c.last(T, rows_max * n);
            const bias = memory.bias.last(T, n);
            for (bias) |*x| x.* = @floatCast(random.floatNorm(f64));
            var p: driver.Product(T) = .{
                .m = 1,
                .n = n,
                .k = k,
                .a = a.at,
                .a_row = a.row,
                .a_col = a.col,
                .b = if (b_packed) panels.ptr else b.at,
                .b_row = b.row,
                .b_col = b.col,
                .b_packed = b_packed,
                .c = c.ptr,
                .ldc = n,
                .alpha = 0.75,
                .bias = bias.ptr,
                .epilogue = .gelu,
            };
            // The rows one by one, then in products of several.
            const alone = try testing.allocator.alloc(T, rows_max * n);
            defer testing.allocator.free(alone);
            for (0..rows_max) |i| {
                p.a = kernel.step(T, a.at, a.row * @as(isize, @intCast(i)));
                p.c = alone.ptr + i * n;
                try driver.multiply(T, &d, &p);
            }
            p.a = a.at;
            p.c = c.ptr;
            for ([_]usize{ 1, 2, 3, 7, 13, 14, 15, 29, 64, 200 }) |m| for ([_]u32{ 1, 3 }) |workers| {
                p.m = m;
                @memset(c, std.math.nan(T));
                try driver.multiply(T, &deviceFor(workers, roomy), &p);
                errdefer std.debug.print("{d} rows, {d} columns, {any}, {s}\n", .{ m, n, kind, @typeName(T) });
                try arrays.expectSameBits(T, alone[0 .. m * n], c[0 .. m * n]);
            };
        };
    }
}

test "products: batches by strides and by lists have the bits of their products, on every plan" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const memory: Memory = try .init();
    defer memory.deinit();
    var seen: std.EnumSet(std.meta.Tag(resolve.Plan)) = .empty;
    const count_max = 7;
    for ([_]Case{
        .{ .m = 5, .n = 16, .k = 7 },
        .{ .m = 17, .n = 50, .k = 261, .b = .columns, .caches = tight },
        .{ .m = 17, .n = 50, .k = 40, .a = .columns, .b = .packed_columns, .caches = tight },
        .{ .m = 70, .n = 40, .k = 33, .a = .columns, .b = .apart, .caches = tight },
        .{ .m = 1, .n = 40, .k = 300, .b = .columns },
        .{ .m = 1, .n = 40, .k = 300, .a = .apart, .b = .packed_rows },
        .{ .m = 40, .n = 1, .k = 30, .a = .columns },
        .{ .m = 6, .n = 9, .k = 1 },
        .{ .m = 6, .n = 9, .k = 0 },
    }) |case| for ([_]usize{ 1, 2, count_max }) |count| for ([_]u32{ 1, 2, 8 }) |workers| {
        const T = f32;
        const m, const n, const k = .{ case.m, case.n, case.k };
        const d = deviceFor(workers, case.caches);
        const tile = driver.Kernels(T).of(&d).tile;
        // The matrices of each operand stand one below the other.
        const a: Operand(T) = .init(memory.a, count * m, k, if (case.a == .columns) .rows else case.a, 1, random);
        const b: Operand(T) = .init(memory.b, count * k, n, case.b, 1, random);
        const b_packed = case.b == .packed_columns or case.b == .packed_rows;
        const len = try prepacked.prepackedLen(tile, k, n);
        const panels = memory.panels.last(T, count * len);
        const c = memory.c.last(T, count * m * n);
        const want = try testing.allocator.alloc(T, count * m * n);
        defer testing.allocator.free(want);
        for (c, want, 0..) |*x, *y, at| {
            x.* = old(T, at);
            y.* = old(T, at);
        }
        var batch: driver.Batch(T) = .{
            .p = .{
                .m = m,
                .n = n,
                .k = k,
                .a = a.at,
                .a_row = a.row,
                .a_col = a.col,
                .b = if (b_packed) panels.ptr else b.at,
                .b_row = b.row,
                .b_col = b.col,
                .b_packed = b_packed,
                .c = c.ptr,
                .ldc = n,
                .alpha = 0.5,
                .beta = -1,
            },
            .rank = 1,
            .sizes = undefined,
            .a = undefined,
            .b = undefined,
            .c = undefined,
        };
        batch.sizes[0] = count;
        batch.a[0] = a.row * @as(isize, @intCast(m));
        batch.b[0] = if (b_packed) @intCast(len) else b.row * @as(isize, @intCast(k));
        batch.c[0] = @intCast(m * n);
        var items: [count_max]driver.Item(T) = undefined;
        for (0..count) |i| {
            const way: isize = @intCast(i);
            const from = kernel.step(T, b.at, b.row * @as(isize, @intCast(i * k)));
            if (b_packed) prepacked.prepack(T, &d, panels.ptr + i * len, from, b.row, b.col, k, n);
            items[i] = .{ .a = kernel.step(T, a.at, batch.a[0] * way), .b = kernel.step(T, batch.p.b, batch.b[0] * way), .c = c.ptr + i * m * n };
            var p = batch.p;
            p.a, p.b, p.c = .{ items[i].a, items[i].b, want.ptr + i * m * n };
            try driver.multiply(T, &deviceFor(1, roomy), &p);
        }
        const sizes = batch.p.sizes();
        seen.insert(resolve.batched(&d.machine, d.request, &d.knobs, sizes, count, resolve.touched(sizes, @sizeOf(T)), 0));
        errdefer std.debug.print("{d} of {any}, {d} workers\n", .{ count, case, workers });
        try driver.multiplyBatch(T, &d, &batch);
        try arrays.expectSameBits(T, want, c);
        // A list in another order than memory's.
        for (c, 0..) |*x, at| x.* = old(T, at);
        std.mem.reverse(driver.Item(T), items[0..count]);
        batch.list = items[0..count];
        batch.rank = 0;
        try driver.multiplyBatch(T, &d, &batch);
        try arrays.expectSameBits(T, want, c);
    };
    try testing.expect(seen.eql(.full));
}

test "products: rows 4 GiB apart are read where they are (C07)" {
    try slow.skip();
    const apart = 1 << 30;
    const k = 4;
    const matrix = Sparse.init((2 * apart + k) * @sizeOf(f32)) catch return error.SkipZigTest;
    defer matrix.deinit();
    for (0..3) |i| for (try matrix.open(f32, i * apart, k), 0..) |*x, j| {
        x.* = @floatFromInt(10 * i + j);
    };
    const a: [*]const f32 = @ptrCast(@alignCast(matrix.pages.ptr));
    const d = deviceFor(1, roomy);
    for ([_]usize{ 1, 20 }) |n| {
        var b: [k * 20]f32 = @splat(2);
        var c: [3 * 20]f32 = undefined;
        try driver.multiply(f32, &d, &.{ .m = 3, .n = n, .k = k, .a = a, .a_row = apart, .a_col = 1, .b = &b, .b_row = @intCast(n), .b_col = 1, .c = &c, .ldc = n });
        for (0..3) |i| for (c[i * n ..][0..n]) |x| try testing.expectEqual(@as(f32, @floatFromInt(2 * (40 * i + 6))), x);
    }
}

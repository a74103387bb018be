//! How a product is cut. Pure functions of sizes, tile, caches, knobs and workers; none of them moves a bit of the result, because depth is always cut
//! in blocks of 256.

const std = @import("std");
const Caches = @import("../parallel/topology.zig").Caches;
const Knobs = @import("../parallel/resolve.zig").Knobs;
const Deal = @import("kernel.zig").Deal;

/// Depth of a block: part of the contract of equal bits, never tuned. A panel of B, 256·32 floats, fills two thirds of a 48 KiB first-level cache.
pub const kc = 256;

/// The register tile of an instruction set: rows, columns, and lanes of one vector.
pub const Tile = struct {
    mr: usize,
    nr: usize,
    w: usize,

    pub fn of(packed_shape: u32) Tile {
        return .{ .mr = packed_shape >> 16, .nr = packed_shape >> 8 & 0xff, .w = packed_shape & 0xff };
    }
};

pub const Blocking = struct {
    /// Row blocks, dealt evenly over m.
    blocks: usize,
    deal: Deal,
    /// Rows of the largest block.
    mc: usize,
    /// Rows of the blocks that one worker takes, where jobs are whole row blocks; else m.
    rows_each: usize,
    /// Columns of a column block, a multiple of nr.
    nc: usize,
    /// Jobs a chunk.
    grain: usize,
};

/// Columns packed at once: a depth block of them fills half of the second level, so that it is read from there by every row block, or a megabyte where
/// a third level holds it.
fn columns(tile: Tile, caches: Caches, n: usize, element: usize) usize {
    const bytes = @max(caches.l2 / 2, if (caches.l3 > 0) @as(usize, 1 << 20) else 0);
    const most = @max(tile.nr, bytes / (kc * element) / tile.nr * tile.nr);
    return @min(most, roundUp(n, tile.nr));
}

/// Rows of a block of a transposed A, which lie side by side in memory: 1 KiB of each k, for in small blocks a worker touches a page for a few hundred bytes.
/// Blocks of 128, 256 and 512 rows differ by less than the noise, 10 %, at 1024×128×2048 on two cores.
const turned_rows = 256;

/// Rows below which a block of a transposed A is cut no further.
const turned_rows_min = 64;

/// How A lies.
pub const Left = struct {
    /// Whether its rows, not its k, are side by side in memory.
    is_transposed: bool,
    /// Whether the worker that claims a block packs it, or else reads it in place.
    is_packed: bool,
};

/// A block of A takes a quarter of a worker's share of the second level, and no more than leaves each worker a few chunks. A transposed A is dealt by whole row blocks, as many
/// for each worker: only one worker then packs or walks each, and B is often read in place. Over 2048 k, two cores, against chunks of a few tiles of a block,
/// each of whose workers packed all of it, medians of six runs, whose spread is 15 to 40 %: 384×128 takes 0.88 of the time, 512×128 0.89, 1024×128 0.87,
/// 128×512 0.82, and in place 256×128 0.78, 128×128 0.89.
///
/// Each worker finds several blocks if that leaves them `turned_rows_min` rows, so that one beside a busy core takes fewer. Against one or two each, two cores
/// of a Zen 3, one of them kept busy: 1024×128×2048 takes 0.69 of the time, 768×768×1024 0.73, 2048×512×512 0.73, 512×512×2048 0.80, 256×128×2048 0.88; with
/// both cores idle all of these take 0.99 to 1.02.
pub fn plan(tile: Tile, caches: Caches, knobs: Knobs, workers: usize, m: usize, n: usize, element: usize, left: Left) Blocking {
    const fits = @max(tile.mr, caches.l2Of(workers) / 4 / (kc * element) / tile.mr * tile.mr);
    const chunks = workers * @as(usize, @intCast(if (left.is_packed) knobs.packed_oversample else knobs.parallel_oversample));
    const nc = columns(tile, caches, n, element);
    const tiles = std.math.divCeil(usize, @min(n, nc), tile.nr) catch unreachable;
    if (left.is_transposed and workers > 1 and m >= workers * tile.mr) {
        const least = std.math.divCeil(usize, m, @min(fits, turned_rows)) catch unreachable;
        const blocks = roundUp(@max(least, @min(chunks, m / turned_rows_min)), workers);
        return .{
            .blocks = blocks,
            .deal = .of(m, blocks),
            .mc = std.math.divCeil(usize, m, blocks) catch unreachable,
            .rows_each = std.math.divCeil(usize, m, workers) catch unreachable,
            .nc = nc,
            .grain = std.math.maxInt(usize),
        };
    }
    var mc = @min(fits, roundUp(@max(m, 1), tile.mr));
    if (workers > 1) mc = @max(tile.mr, @min(mc, roundUp(std.math.divCeil(usize, m, chunks) catch unreachable, tile.mr)));
    const blocks = @max(1, std.math.divCeil(usize, m, mc) catch unreachable);
    // Few row blocks: cut the tiles of each into equal parts, so that no chunk straddles two blocks.
    var parts: usize = 1;
    if (workers > 1) {
        while (blocks * parts < chunks and tiles % (parts * 2) == 0) parts *= 2;
        // Neither enough blocks nor an even cut: any contiguous chunk will do.
        if (blocks * parts < workers) parts = @min(tiles, std.math.divCeil(usize, chunks, blocks) catch unreachable);
    }
    return .{
        .blocks = blocks,
        .deal = .of(m, blocks),
        .mc = std.math.divCeil(usize, m, blocks) catch unreachable,
        .rows_each = m,
        .nc = nc,
        .grain = @max(1, tiles / parts),
    };
}

/// Whether A, its rows side by side, is read where it is: packing saves nothing where each element is used by few column tiles, and there are few rows. Over
/// 2048 k, two cores, packed 512×128 takes 0.81 of the time, 384×128 0.87, 128×128 1.1 times. Columns a multiple of 4 KiB apart share the sets of the
/// first-level cache: 1024×128 packed takes 0.66.
pub fn keepTurnedA(tile: Tile, m: usize, n: usize, lda: usize, element: usize) bool {
    return m <= 256 and n <= 8 * tile.nr and lda *| element % 4096 != 0;
}

/// Whether 256 rows so far apart share so few sets of the second level that they drive each other out: at 8 KiB sixteen of 2048 sets of sixteen ways.
fn crowded(stride: usize, element: usize) bool {
    return stride *| element % 8192 == 0;
}

/// Rows of a panel that is read in place, its k side by side: as fast as a packed one (0.99 of the peak), so that A is never packed then. Rows a multiple of
/// 4 KiB apart share the sets of the first-level cache, which has eight to twelve ways.
pub fn panelRows(tile: Tile, lda: usize, element: usize) usize {
    return if (lda * element % 4096 == 0) @min(tile.mr, 8) else tile.mr;
}

/// Depth blocks that are packed together, so that fewer barriers part them: as many as keep B in half of the second level and A in a quarter of it.
/// A weight gradient of 128×128 over 2048 rows has eight depth blocks of 30 µs each.
pub fn depthBlocks(caches: Caches, b_row_bytes: usize, a_row_bytes: usize) usize {
    const of_b = @max(caches.l2 / 2, 1 << 20) / (kc *| @max(1, b_row_bytes));
    const of_a = @max(caches.l2 / 4, 256 << 10) / (kc *| @max(1, a_row_bytes));
    return @max(1, @min(of_b, of_a));
}

/// Whether B, its columns side by side, is read where it is: where all of it stays in half of the second level and packing it would not pay, or where few row
/// panels use it, which walk it in groups of columns. `m` counts the rows that one worker has, where each takes whole row blocks.
/// `l2` are the bytes of second level in which it has to stay: all of it if all workers read the same B, or one worker's share.
pub fn keepB(l2: usize, tile: Tile, m: usize, n: usize, k: usize, ldb: usize, element: usize) bool {
    if (k > 64 and crowded(ldb, element)) return false;
    return (m <= 512 and n *| k *| element <= l2 / 2) or m <= 8 * tile.mr;
}

/// Whether a product of few rows with a transposed B is computed as its transpose: turning B would cost more than the product, and the transpose of C is small
/// against B.
pub fn swaps(tile: Tile, m: usize, n: usize, k: usize) bool {
    return m <= 2 * tile.nr and n > m and k >= 128;
}

/// Tiles of B that a worker packs for itself and uses up at once, or 0 where B is packed by all and stays: with few rows packing is most of what B costs, and
/// 64×4096×512 on two cores runs 1.37 times as fast when what was packed is still near. With many rows it makes no difference (0.94 to 1.06).
pub fn ownTiles(tile: Tile, knobs: Knobs, m: usize, n: usize, workers: usize) usize {
    if (m > 256) return 0;
    // Half as many chunks as of other work: each begins by packing.
    const chunks = @max(1, knobs.parallel_oversample / 2) *| workers;
    const each: usize = @intCast(n / tile.nr / chunks);
    return if (each < 2) 0 else @min(each, 8);
}

/// Columns of B in place that every row panel walks before the next ones: a depth block of them stays in a quarter of a worker's share of the second level.
pub fn groupColumns(tile: Tile, l2: usize, element: usize) usize {
    return @max(tile.nr, l2 / 4 / (kc * element) / tile.nr * tile.nr);
}

pub fn roundUp(n: usize, unit: usize) usize {
    return (std.math.divCeil(usize, n, unit) catch unreachable) * unit;
}

const testing = std.testing;

test "blocking: every row and column is covered, whatever the sizes" {
    const caches: Caches = .{ .l1 = 48 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 0 };
    for ([_]Tile{ .{ .mr = 14, .nr = 32, .w = 16 }, .{ .mr = 6, .nr = 16, .w = 8 }, .{ .mr = 8, .nr = 12, .w = 4 } }) |tile| {
        for ([_]usize{ 1, 2, 13, 14, 15, 64, 1000, 46341, 174000, 1 << 40 }) |m| for ([_]usize{ 1, 31, 32, 33, 5000, 1 << 40 }) |n| {
            for ([_]usize{ 1, 2, 3, 8, 64 }) |workers| {
                for ([_]bool{ false, true }) |turned| {
                    const b = plan(tile, caches, .{}, workers, m, n, 4, .{ .is_transposed = turned, .is_packed = turned });
                    try testing.expect(b.blocks >= 1 and b.mc >= 1 and b.grain >= 1 and b.nc % tile.nr == 0 and b.nc > 0);
                    try testing.expectEqual(0, b.deal.start(0));
                    try testing.expectEqual(m, b.deal.start(b.blocks));
                    try testing.expect(b.deal.start(1) <= b.mc);
                    try testing.expect(b.mc * kc * 4 <= (512 << 10) + tile.mr * kc * 4);
                    // A transposed A: whole row blocks, as many for each worker.
                    if (turned and workers > 1 and m >= workers * tile.mr) {
                        // Several for each worker wherever they are not too small, so that one beside a busy core may do fewer.
                        try testing.expect(b.blocks >= @min(4 * workers, m / turned_rows_min));
                        try testing.expect(b.blocks % workers == 0 and b.mc <= turned_rows and b.grain == std.math.maxInt(usize) and b.rows_each < m);
                    }
                }
            }
        };
    }
}

test "blocking: what is packed, and by whom, is decided for any size" {
    const caches: Caches = .{ .l1 = 48 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 0 };
    const tile: Tile = .{ .mr = 14, .nr = 32, .w = 16 };
    const huge = std.math.maxInt(usize);
    // Sizes whose products leave 32 and 64 bits (C07).
    for ([_]usize{ 46341, 174000, 65536, 1 << 40, huge / 4 }) |big| {
        try testing.expect(!keepB(caches.l2, tile, 1000, big, big, big, 4));
        try testing.expect(!swaps(tile, big, big, big));
        try testing.expectEqual(0, ownTiles(tile, .{}, big, big, 2));
        try testing.expectEqual(1, depthBlocks(caches, big, big));
        try testing.expect(!keepTurnedA(tile, 64, big, 65, 4) and !keepTurnedA(tile, big, 64, 65, 4));
    }
    // B in place: half of the second level, or few row panels, unless its rows drive each other out.
    try testing.expect(keepB(caches.l2, tile, 512, 512, 512, 513, 4));
    try testing.expect(!keepB(caches.l2, tile, 512, 512, 513, 513, 4));
    try testing.expect(!keepB(caches.l2, tile, 513, 512, 512, 513, 4));
    try testing.expect(keepB(caches.l2, tile, 8 * 14, 5000, 5000, 5000, 4));
    try testing.expect(!keepB(caches.l2, tile, 8 * 14, 4096, 65, 4096, 4));
    try testing.expect(keepB(caches.l2, tile, 8 * 14, 4096, 64, 4096, 4));
    // Rows of A in place: fewer where they share sets of the first level.
    try testing.expectEqual(14, panelRows(tile, 1000, 4));
    try testing.expectEqual(8, panelRows(tile, 1024, 4));
    try testing.expectEqual(6, panelRows(.{ .mr = 6, .nr = 16, .w = 8 }, 1024, 4));
    try testing.expect(keepTurnedA(tile, 256, 256, 100, 4));
    try testing.expect(!keepTurnedA(tile, 257, 256, 100, 4) and !keepTurnedA(tile, 256, 257, 100, 4) and !keepTurnedA(tile, 256, 256, 1024, 4));
    // Few rows: each worker packs its own tiles, at least two and at most eight.
    try testing.expectEqual(8, ownTiles(tile, .{}, 256, 4096, 2));
    try testing.expectEqual(2, ownTiles(tile, .{}, 64, 2 * 8 * 32, 2));
    try testing.expectEqual(0, ownTiles(tile, .{}, 64, 2 * 8 * 32 - 1, 2));
    try testing.expectEqual(0, ownTiles(tile, .{}, 257, 4096, 2));
    // Few rows against a transposed matrix.
    try testing.expect(swaps(tile, 64, 65, 128));
    try testing.expect(!swaps(tile, 65, 4096, 4096) and !swaps(tile, 64, 64, 128) and !swaps(tile, 64, 65, 127));
    // Depth packed between two barriers: half of the second level for B, a quarter for A.
    try testing.expectEqual(8, depthBlocks(caches, 128 * 4, 64 * 4));
    try testing.expectEqual(1, depthBlocks(caches, 0, huge));
    try testing.expectEqual(512, groupColumns(tile, caches.l2, 4));
    try testing.expectEqual(tile.nr, groupColumns(tile, 1, 8));
}

test "blocking: blocks of workers that share a second level fit it together" {
    const tile: Tile = .{ .mr = 8, .nr = 12, .w = 4 };
    // Four cores to a second level of 1 MiB, as in many processors for phones and boards; and the same caches, one to a core.
    const own: Caches = .{ .l1 = 32 << 10, .l2 = 1 << 20, .l2_private = true, .l3 = 0 };
    var shared = own;
    shared.l2_private = false;
    shared.l2_sharers = 4;
    const left: Left = .{ .is_transposed = false, .is_packed = true };
    for ([_]usize{ 1, 2, 4, 8, 64 }) |workers| {
        const apart = plan(tile, own, .{}, workers, 1 << 16, 4096, 4, left);
        const together = plan(tile, shared, .{}, workers, 1 << 16, 4096, 4, left);
        const sharers = @min(workers, 4);
        // The blocks of A of those that share take the quarter that one worker would; B is one for all.
        try testing.expect(together.mc * kc * 4 * sharers <= 256 << 10 and (together.mc + tile.mr) * sharers > apart.mc);
        try testing.expectEqual(apart.nc, together.nc);
        try testing.expectEqual(groupColumns(tile, own.l2, 4) / sharers / tile.nr, groupColumns(tile, shared.l2Of(workers), 4) / tile.nr);
    }
}

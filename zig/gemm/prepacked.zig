//! Weights packed once: the order in which a product by tiles finds B.

const std = @import("std");
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const product = @import("product.zig");
const Product = product.Product;
const Kernels = product.Kernels;
const Device = @import("../device.zig").Device;

const kc = blocking.kc;

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
    d.overRange(.{ .kernel = "gemm_" ++ @typeName(T) ++ "_pack" }, product.rowPanels(k, kc) * packing.pieces(), 1, bytes, &packing, Prepack(T).some);
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
            return product.rowPanels(self.n, piece_panels * self.kernels.tile.nr);
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
                    .in = product.at(T, self.b, self.b_row, k0, self.b_col, j),
                    .count = cols,
                    .panels = product.rowPanels(cols, tile.nr),
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

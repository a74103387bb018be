//! How elementwise work over rows is cut: by rows, or inside the row where there is only one.

const device = @import("../device.zig");

pub const Part = struct { row: usize, rows: usize, col: usize, cols: usize };

/// Elements that stay together when one long row is cut: whole cache lines, whole vectors.
const unit = 256;

/// Runs `body(ctx, part)` over parts of `rows` × `cols` elements for a call that touches `bytes` bytes.
pub fn overElements(
    d: *const device.Device,
    comptime pass: device.Pass,
    rows: usize,
    cols: usize,
    bytes: u64,
    ctx: anytype,
    comptime body: fn (@TypeOf(ctx), Part) void,
) void {
    const Cut = struct {
        ctx: @TypeOf(ctx),
        cols: usize,

        fn byRow(c: @This(), begin: usize, end: usize) void {
            body(c.ctx, .{ .row = begin, .rows = end - begin, .col = 0, .cols = c.cols });
        }

        fn inside(c: @This(), begin: usize, end: usize) void {
            body(c.ctx, .{ .row = 0, .rows = 1, .col = begin, .cols = end - begin });
        }
    };
    const cut: Cut = .{ .ctx = ctx, .cols = cols };
    if (rows == 1) d.overRange(pass, cols, unit, bytes, cut, Cut.inside) else d.overRange(pass, rows, 1, bytes, cut, Cut.byRow);
}

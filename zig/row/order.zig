//! The order of rows by expert, as expert_order.zig makes it: `order[p]` tells which (row, slot), counted row by row, stands at place p, and
//! `places[row, slot]` where it stands. Ops write by the one and read by the other without a look, so both are checked first: each has to undo the
//! other.

const Device = @import("../device.zig").Device;
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;

pub const Order = struct {
    order: []const u32,
    places: []const u32,
    rows: usize,
    slots: usize,

    pub fn of(order_: u32, places_: u32) Error!Order {
        const order = try tensor.typed(order_, .u32);
        const places = try tensor.typed(places_, .u32);
        if (order.rank != 1 or places.rank != 2 or order.count() != places.count()) return error.ShapeMismatch;
        if (!order.contiguous() or !places.contiguous()) return error.LayoutMismatch;
        const n = order.count();
        return .{ .order = order.ptr(u32)[0..n], .places = places.ptr(u32)[0..n], .rows = places.shape_[0], .slots = places.shape_[1] };
    }

    /// Checks [rows, width] and [rows·slots, width].
    pub fn match(o: Order, rows: *const tensor.Tensor, sorted: *const tensor.Tensor) Error!void {
        if (rows.rank != 2 or sorted.rank != 2 or rows.shape_[1] != sorted.shape_[1]) return error.ShapeMismatch;
        if (rows.shape_[0] != o.rows or sorted.shape_[0] != o.order.len) return error.ShapeMismatch;
    }

    /// Fails with the first of `places` that is not where `order` has it. What is undone everywhere is a permutation: no place is met twice. What a
    /// GPU holds its shaders look up (shaders/common/order.slang); where the call is only explained the numbers may not be there yet.
    pub fn checkOn(o: Order, d: *const Device) Error!void {
        if (!d.sees()) return;
        for (o.places, 0..) |p, i| {
            if (p >= o.order.len or o.order[p] != i) return status.outOfRange(i, p);
        }
    }

    /// Whether a tensor shares memory with neither of them.
    pub fn checkApart(out: *const tensor.Tensor, order_: u32, places_: u32) Error!void {
        for ([_]u32{ order_, places_ }) |handle| try tensor.checkApart(out, try tensor.typed(handle, .u32));
    }
};

//! Rows in expert order back to their own, weighted: y[r, :] = Σ_s weights[r, s]·h[places[r, s], :], the slots in their order.
//! Backward: dh[places[r, s], :] = weights[r, s]·dy[r, :] and dweights[r, s] = ⟨dy[r, :], h[places[r, s], :]⟩.
//!
//! Backward reads dy and h and writes dh in one pass over the rows of dy. Both run at the rate of a copy: 23 GB/s on one core of a Xeon of 2023 for
//! 2048 rows of 128 f32 in two slots, where `copy` moved 24.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const Order = @import("../row/order.zig").Order;
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const split = @import("../row/split.zig");
const status = @import("../status.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

fn Forward(comptime T: type) type {
    return extern struct {
        y: [*]T,
        h: [*]const T,
        /// `slots` of each row.
        weights: [*]const T,
        places: [*]const u32,
        rows: usize,
        slots: usize,
        cols: usize,
        y_stride: usize,
        weights_stride: usize,
        places_stride: usize,
        /// From row to row; h itself stays, since rows of it are named by their places.
        ldh: usize,
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        /// Null where it is not wanted.
        dh: ?[*]T,
        dweights: ?[*]T,
        dy: [*]const T,
        h: [*]const T,
        weights: [*]const T,
        places: [*]const u32,
        rows: usize,
        slots: usize,
        cols: usize,
        dweights_stride: usize,
        dy_stride: usize,
        weights_stride: usize,
        places_stride: usize,
        lddh: usize,
        ldh: usize,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        inline fn all(v: T) V {
            return @splat(v);
        }

        fn forward(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const out = p.y + i * p.y_stride;
                const places = p.places[i * p.places_stride ..][0..p.slots];
                const weights = p.weights + i * p.weights_stride;
                switch (places.len) {
                    0 => @memset(out[0..p.cols], 0),
                    // The usual numbers of experts a row, without a loop inside the row.
                    inline 1, 2, 4 => |slots| fixed(slots, p, out, places, weights),
                    else => sweep.each(p.cols, Any{ .out = out, .p = p, .places = places, .weights = weights }),
                }
            }
        }

        inline fn fixed(comptime slots: usize, p: *const Forward(T), out: [*]T, places: []const u32, weights: [*]const T) void {
            var pass: Fixed(slots) = .{ .out = out, .h = undefined, .weights = undefined };
            inline for (0..slots) |s| {
                pass.h[s] = p.h + places[s] * p.ldh;
                pass.weights[s] = all(weights[s]);
            }
            sweep.each(p.cols, pass);
        }

        fn Fixed(comptime slots: usize) type {
            return struct {
                out: [*]T,
                h: [slots][*]const T,
                weights: [slots]V,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    var sum = s.weights[0] * sweep.read(T, whole, s.h[0] + j, left, 0);
                    inline for (s.h[1..], s.weights[1..]) |h, w| sum += w * sweep.read(T, whole, h + j, left, 0);
                    sweep.write(T, whole, s.out + j, sum, left);
                }
            };
        }

        const Any = struct {
            out: [*]T,
            p: *const Forward(T),
            places: []const u32,
            weights: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                var sum = all(s.weights[0]) * sweep.read(T, whole, s.p.h + s.places[0] * s.p.ldh + j, left, 0);
                for (s.places[1..], s.weights[1..s.places.len]) |place, w| sum += all(w) * sweep.read(T, whole, s.p.h + place * s.p.ldh + j, left, 0);
                sweep.write(T, whole, s.out + j, sum, left);
            }
        };

        fn backward(p: *const Backward(T)) callconv(.c) void {
            if (p.dh == null) differentiate(false, true, p) else if (p.dweights == null) differentiate(true, false, p) else differentiate(true, true, p);
        }

        fn differentiate(comptime want_dh: bool, comptime want_dweights: bool, p: *const Backward(T)) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const dy = p.dy + i * p.dy_stride;
                const weights = p.weights + i * p.weights_stride;
                for (p.places[i * p.places_stride ..][0..p.slots], 0..) |place, s| {
                    const pass: Slot(want_dh, want_dweights) = .{
                        .dh = if (want_dh) p.dh.? + place * p.lddh else {},
                        .dy = dy,
                        .h = p.h + place * p.ldh,
                        .weight = all(weights[s]),
                    };
                    if (want_dweights) p.dweights.?[i * p.dweights_stride + s] = sweep.sums(T, 1, 4, p.cols, pass)[0] else sweep.each(p.cols, pass);
                }
            }
        }

        /// Writes dh, and answers the terms of the inner product.
        fn Slot(comptime want_dh: bool, comptime want_dweights: bool) type {
            return struct {
                dh: if (want_dh) [*]T else void,
                dy: [*]const T,
                h: [*]const T,
                weight: V,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) if (want_dweights) [1]V else void {
                    const dy = sweep.read(T, whole, s.dy + j, left, 0);
                    if (want_dh) sweep.write(T, whole, s.dh + j, s.weight * dy, left);
                    if (want_dweights) return .{dy * sweep.read(T, whole, s.h + j, left, 0)};
                }
            };
        }
    };
}

pub const ukernels = struct {
    pub const combine_rows_f32_rows = Kernels(f32).forward;
    pub const combine_rows_f64_rows = Kernels(f64).forward;
    pub const combine_rows_backward_f32_rows = Kernels(f32).backward;
    pub const combine_rows_backward_f64_rows = Kernels(f64).backward;
};

fn ForwardTask(comptime T: type) type {
    return struct {
        args: Forward(T),
        order: [*]const u32,

        pub fn isEmpty(self: *const @This()) bool {
            return self.args.cols == 0;
        }

        pub fn run(self: @This(), d: *const Device) void {
            const a = self.args;
            split.overRows(d, .{ .kernel = "combine_rows_" ++ @typeName(T) ++ "_rows" }, a, 1, @sizeOf(T) * a.rows * a.cols * (1 + a.slots));
        }

        const Args = extern struct {
            y: [*]f32,
            h: [*]const f32,
            weights: [*]const f32,
            order: [*]const u32,
            places: [*]const u32,
            rows: usize,
            slots: usize,
            cols: usize,
            y_stride: usize,
            ldh: usize,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const name = "combine_rows_f32";
            const a = self.args;
            var work = launch.byTeam(name, a.rows, a.cols, 1 + a.slots / 4);
            work.cost *= 1 + a.slots;
            try launch.launch(d, name, Args{
                .y = a.y,
                .h = a.h,
                .weights = a.weights,
                .order = self.order,
                .places = a.places,
                .rows = a.rows,
                .slots = a.slots,
                .cols = a.cols,
                .y_stride = a.y_stride,
                .ldh = a.ldh,
                .across = launch.across(name, a.cols),
            }, work);
        }
    };
}

fn BackwardTask(comptime T: type) type {
    return struct {
        args: Backward(T),
        order: [*]const u32,

        /// Without slots there is nothing to have a gradient.
        pub fn isEmpty(self: *const @This()) bool {
            return self.args.slots == 0;
        }

        pub fn run(self: @This(), d: *const Device) void {
            const a = self.args;
            const passes = 1 + a.slots * (@as(usize, @intFromBool(a.dh != null)) + @intFromBool(a.dweights != null));
            split.overRows(d, .{ .kernel = "combine_rows_backward_" ++ @typeName(T) ++ "_rows" }, a, 1, @sizeOf(T) * a.rows * a.cols * passes);
        }

        const Args = extern struct {
            dh: ?[*]f32,
            dweights: ?[*]f32,
            dy: [*]const f32,
            h: [*]const f32,
            weights: [*]const f32,
            order: [*]const u32,
            places: [*]const u32,
            rows: usize,
            slots: usize,
            cols: usize,
            dy_stride: usize,
            lddh: usize,
            ldh: usize,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const name = "combine_rows_backward_f32";
            const a = self.args;
            // A tree of sums for each slot.
            var work = launch.byTeam(name, a.rows, a.cols, a.slots);
            work.rounds +|= 8 *| a.slots;
            work.cost *= 1 + 2 * a.slots;
            try launch.launch(d, name, Args{
                .dh = a.dh,
                .dweights = a.dweights,
                .dy = a.dy,
                .h = a.h,
                .weights = a.weights,
                .order = self.order,
                .places = a.places,
                .rows = a.rows,
                .slots = a.slots,
                .cols = a.cols,
                .dy_stride = a.dy_stride,
                .lddh = a.lddh,
                .ldh = a.ldh,
                .across = launch.across(name, a.cols),
            }, work);
        }
    };
}

/// Checks [rows, width], [rows·slots, width] and weights [rows, slots] against the order.
fn match(rows: *const tensor.Tensor, sorted: *const tensor.Tensor, weights: *const tensor.Tensor, order: Order) Error!void {
    try order.match(rows, sorted);
    if (weights.rank != 2 or weights.shape_[0] != order.rows or weights.shape_[1] != order.slots) return error.ShapeMismatch;
    if (!weights.contiguous()) return error.LayoutMismatch;
}

fn forward(d: *const Device, y_: u32, h_: u32, weights_: u32, order_: u32, places_: u32) Error!void {
    const h = try tensor.get(h_);
    const y = try tensor.typed(y_, h.dtype);
    const weights = try tensor.typed(weights_, h.dtype);
    const order: Order = try .of(order_, places_);
    try match(y, h, weights, order);
    const h_rows = try h.rows();
    const y_rows = try shape.written(y);
    for ([_]*const tensor.Tensor{ h, weights }) |in| try tensor.checkApart(y, in);
    try Order.checkApart(y, order_, places_);
    try order.checkOn(d);
    switch (h.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .order = order.order.ptr, .args = .{
                .y = y.ptr(T),
                .h = h.ptr(T),
                .weights = weights.ptr(T),
                .places = order.places.ptr,
                .rows = order.rows,
                .slots = order.slots,
                .cols = y_rows.cols,
                .y_stride = y_rows.stride,
                .weights_stride = order.slots,
                .places_stride = order.slots,
                .ldh = h_rows.stride,
            } });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dh_: u32, dweights_: u32, dy_: u32, h_: u32, weights_: u32, order_: u32, places_: u32) Error!void {
    const h = try tensor.get(h_);
    const dh = try tensor.optional(dh_, h.dtype);
    const dweights = try tensor.optional(dweights_, h.dtype);
    const dy = try tensor.typed(dy_, h.dtype);
    const weights = try tensor.typed(weights_, h.dtype);
    const order: Order = try .of(order_, places_);
    if (dh == null and dweights == null) return error.InvalidArgument;
    try match(dy, h, weights, order);
    const h_rows = try h.rows();
    const dy_rows = try dy.rows();
    var lddh: usize = 0;
    if (dh) |out| {
        if (!out.sameShape(h)) return error.ShapeMismatch;
        lddh = (try shape.written(out)).stride;
        // An element is read before it is written, and no other element is read for it.
        try tensor.checkInPlace(out, h);
        for ([_]*const tensor.Tensor{ dy, weights }) |in| try tensor.checkApart(out, in);
        try Order.checkApart(out, order_, places_);
    }
    if (dweights) |out| {
        if (!out.sameShape(weights)) return error.ShapeMismatch;
        if (!out.contiguous()) return error.LayoutMismatch;
        for ([_]*const tensor.Tensor{ dy, h, weights }) |in| try tensor.checkApart(out, in);
        if (dh) |other| try tensor.checkApart(out, other);
        try Order.checkApart(out, order_, places_);
    }
    try order.checkOn(d);
    switch (h.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){ .order = order.order.ptr, .args = .{
                .dh = if (dh) |out| out.ptr(T) else null,
                .dweights = if (dweights) |out| out.ptr(T) else null,
                .dy = dy.ptr(T),
                .h = h.ptr(T),
                .weights = weights.ptr(T),
                .places = order.places.ptr,
                .rows = order.rows,
                .slots = order.slots,
                .cols = h_rows.cols,
                .dweights_stride = order.slots,
                .dy_stride = dy_rows.stride,
                .weights_stride = order.slots,
                .places_stride = order.slots,
                .lddh = lddh,
                .ldh = h_rows.stride,
            } });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, y: u32, h: u32, weights: u32, order: u32, places: u32) Error!void {
    return forward(try device.get(device_), y, h, weights, order, places);
}

fn backwardOn(device_: u32, dh: u32, dweights: u32, dy: u32, h: u32, weights: u32, order: u32, places: u32) Error!void {
    return backward(try device.get(device_), dh, dweights, dy, h, weights, order, places);
}

pub const entries = struct {
    /// `order` and `places` as `expert_order` left them; where they do not undo each other, IndexOutOfRange names the first of `places`. On a
    /// GPU such rows of `y` are NaN.
    pub fn combine_rows(device_: u32, y: u32, h: u32, weights: u32, order: u32, places: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, y, h, weights, order, places));
    }

    /// `dh` or `dweights` may be 0: not wanted. `dh` may be `h`. On a GPU what `order` and `places` do not agree on has gradients of 0.
    pub fn combine_rows_backward(device_: u32, dh: u32, dweights: u32, dy: u32, h: u32, weights: u32, order: u32, places: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dh, dweights, dy, h, weights, order, places));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

test "combine_rows: values and gradients as in f64 at every width and number of slots, whichever are wanted" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| for (arrays.lengths) |width| for ([_]usize{ 0, 1, 2, 3, 4, 5 }) |slots| for ([_]usize{ 0, 1, 13 }) |rows| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const order = try arrays.permutation(&t, rows, slots, random);
        const places = arrays.data(u32, order.places);
        const h = try t.normal(T, &.{ rows * slots, width }, random, 1);
        const weights = try t.normal(T, &.{ rows, slots }, random, 1);
        const dy = try t.normal(T, &.{ rows, width }, random, 1);
        const want = try testing.allocator.alloc(f64, rows * width + rows * slots);
        defer testing.allocator.free(want);
        @memset(want, 0);
        const dh = try t.filled(T, &.{ rows * slots, width }, 42);
        const dweights = try t.filled(T, &.{ rows, slots }, 42);
        try backward(&d, dh, dweights, dy, h, weights, order.order, order.places);
        for (0..rows) |r| for (0..slots) |s| for (0..width) |j| {
            const i = r * slots + s;
            const value: f64 = arrays.data(T, h)[places[i] * width + j];
            const slope: f64 = arrays.data(T, dy)[r * width + j];
            want[r * width + j] += arrays.data(T, weights)[i] * value;
            want[rows * width + i] += slope * value;
            try testing.expectEqual(arrays.data(T, weights)[i] * arrays.data(T, dy)[r * width + j], arrays.data(T, dh)[places[i] * width + j]);
        };
        const y = try t.filled(T, &.{ rows, width }, 42);
        try forward(&d, y, h, weights, order.order, order.places);
        try arrays.expectScaled(T, want[0 .. rows * width], arrays.data(T, y), arrays.tolerance(T), 1);
        try arrays.expectScaled(T, want[rows * width ..], arrays.data(T, dweights), arrays.tolerance(T), 1);
        // One of the two alone, and in place.
        const alone = try t.filled(T, &.{ rows, slots }, 42);
        try backward(&d, 0, alone, dy, h, weights, order.order, order.places);
        try arrays.expectSameBits(T, arrays.data(T, dweights), arrays.data(T, alone));
        try backward(&d, h, 0, dy, h, weights, order.order, order.places);
        try arrays.expectSameBits(T, arrays.data(T, dh), arrays.data(T, h));
    };
}

test "combine_rows: NaN, infinities and -0 stay in their rows" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const order = try t.from(u32, &.{4}, &.{ 0, 2, 1, 3 });
    const places = try t.from(u32, &.{ 2, 2 }, &.{ 0, 2, 1, 3 });
    const h = try t.from(f32, &.{ 4, 2 }, &.{ nan, -0.0, 1, 2, -0.0, -0.0, inf, 3 });
    const weights = try t.from(f32, &.{ 2, 2 }, &.{ 1, 1, 1, 1 });
    const y = try t.empty(f32, &.{ 2, 2 });
    try forward(&d, y, h, weights, order, places);
    try arrays.expectSameBits(f32, &.{ nan, -0.0, inf, 5 }, arrays.data(f32, y));
}

test "combine_rows: the same bits for any number of workers, and views leave what is between their rows" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    var t: arrays.Tensors = .{};
    defer t.free();
    const width = 37;
    const rows = 101;
    const slots = 2;
    const order = try arrays.permutation(&t, rows, slots, random);
    const h = try t.normal(f32, &.{ slots * rows, width }, random, 1);
    const weights = try t.normal(f32, &.{ rows, slots }, random, 1);
    const dy = try t.normal(f32, &.{ rows, width }, random, 1);
    const want = [3]u32{ try t.empty(f32, &.{ rows, width }), try t.empty(f32, &.{ slots * rows, width }), try t.empty(f32, &.{ rows, slots }) };
    const one = device.forTest(1);
    try forward(&one, want[0], h, weights, order.order, order.places);
    try backward(&one, want[1], want[2], dy, h, weights, order.order, order.places);
    const y = try t.filled(f32, &.{ rows, 40 }, 42);
    const dh = try t.filled(f32, &.{ slots * rows, 40 }, 42);
    const dweights = try t.empty(f32, &.{ rows, slots });
    for (2..9) |workers| {
        const d = device.forTest(@intCast(workers));
        try forward(&d, try t.view(y, 2, &.{ rows, width }, &.{ 40, 1 }), h, weights, order.order, order.places);
        try backward(&d, try t.view(dh, 2, &.{ slots * rows, width }, &.{ 40, 1 }), dweights, dy, h, weights, order.order, order.places);
        try arrays.expectSameBits(f32, arrays.data(f32, want[2]), arrays.data(f32, dweights));
        for ([_]u32{ y, dh }, want[0..2]) |wide, dense| for (arrays.data(f32, wide), 0..) |v, i| {
            const inside = i % 40 >= 2 and i % 40 < 2 + width;
            try testing.expectEqual(if (inside) arrays.data(f32, dense)[i / 40 * width + i % 40 - 2] else 42, v);
        };
    }
}

test "combine_rows: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const h = try t.filled(f32, &.{ 4, 4 }, 1);
    const weights = try t.filled(f32, &.{ 2, 2 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    const dh = try t.filled(f32, &.{ 4, 4 }, 42);
    const dweights = try t.filled(f32, &.{ 2, 2 }, 42);
    const order = try t.from(u32, &.{4}, &.{ 1, 2, 0, 3 });
    const places = try t.from(u32, &.{ 2, 2 }, &.{ 2, 0, 1, 3 });
    const twice = try t.from(u32, &.{ 2, 2 }, &.{ 2, 0, 0, 3 });
    try testing.expectError(error.IndexOutOfRange, forward(&d, y, h, weights, order, twice));
    try testing.expectError(error.IndexOutOfRange, backward(&d, dh, dweights, y, h, weights, order, twice));
    try testing.expectError(error.InvalidArgument, backward(&d, 0, 0, y, h, weights, order, places));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, h, try t.filled(f32, &.{4}, 1), order, places));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, try t.filled(f32, &.{ 4, 3 }, 1), weights, order, places));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, y, weights, order, places));
    try testing.expectError(error.ShapeMismatch, backward(&d, y, dweights, y, h, weights, order, places));
    try testing.expectError(error.ShapeMismatch, backward(&d, dh, y, y, h, weights, order, places));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, h, try t.filled(f64, &.{ 2, 2 }, 1), order, places));
    try testing.expectError(error.Overlap, forward(&d, try t.view(h, 0, &.{ 2, 4 }, &.{ 4, 1 }), h, weights, order, places));
    try testing.expectError(error.Overlap, backward(&d, dh, weights, y, h, weights, order, places));
    try testing.expectError(error.Overlap, backward(&d, dh, dweights, try t.view(dh, 0, &.{ 2, 4 }, &.{ 4, 1 }), h, weights, order, places));
    for ([_]u32{ y, dh, dweights }) |out| for (arrays.data(f32, out)) |v| try testing.expectEqual(42, v);
}

test "combine_rows: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("combine_rows_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("combine_rows_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const values: [6 * 70]T = @splat(1);
        for (1..71) |cols| for (1..7) |slots| {
            const places = try arrays.atBorder(u32, ([_]u32{ 5, 4, 3, 2, 1, 0 })[0..slots]);
            defer places.memory.deinit();
            const h = try arrays.atBorder(T, values[0 .. 6 * cols]);
            defer h.memory.deinit();
            const dh = try arrays.atBorder(T, values[0 .. 6 * cols]);
            defer dh.memory.deinit();
            const y = try arrays.atBorder(T, values[0..cols]);
            defer y.memory.deinit();
            const weights = try arrays.atBorder(T, values[0..slots]);
            defer weights.memory.deinit();
            const dweights = try arrays.atBorder(T, values[0..slots]);
            defer dweights.memory.deinit();
            forward_kernel(&.{
                .y = y.items.ptr,
                .h = h.items.ptr,
                .weights = weights.items.ptr,
                .places = places.items.ptr,
                .rows = 1,
                .slots = slots,
                .cols = cols,
                .y_stride = cols,
                .weights_stride = slots,
                .places_stride = slots,
                .ldh = cols,
            });
            for (y.items) |v| try testing.expectEqual(@as(T, @floatFromInt(slots)), v);
            backward_kernel(&.{
                .dh = dh.items.ptr,
                .dweights = dweights.items.ptr,
                .dy = y.items.ptr,
                .h = h.items.ptr,
                .weights = weights.items.ptr,
                .places = places.items.ptr,
                .rows = 1,
                .slots = slots,
                .cols = cols,
                .dweights_stride = slots,
                .dy_stride = cols,
                .weights_stride = slots,
                .places_stride = slots,
                .lddh = cols,
                .ldh = cols,
            });
            for (dweights.items) |v| try testing.expectEqual(@as(T, @floatFromInt(slots * cols)), v);
        };
    }
}

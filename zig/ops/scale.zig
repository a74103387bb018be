//! Product with a number: out = x · factor, the factor rounded to the dtype first.

const std = @import("std");
const binary = @import("../row/binary.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const strided = @import("../row/strided.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// What the shader takes.
const Dispatch = extern struct { out: [*]f32, x: [*]const f32, axes: strided.Axes(2) = undefined, factor: f32 };

/// A product whose second operand is one number for all.
fn Task(comptime T: type) type {
    return struct {
        product: binary.Task(T, "mul"),
        factor: T,

        fn init(out: *const Tensor, x: *const Tensor, factor: f64) Error!@This() {
            return .{ .product = try .withNumber(out, x), .factor = @floatCast(factor) };
        }

        pub fn run(self: @This(), d: *const device.Device) void {
            var product = self.product;
            product.b = @ptrCast(&self.factor);
            product.run(d);
        }

        pub fn dispatch(self: @This(), d: *const device.Device) Error!void {
            if (T != f32) return error.Unsupported;
            const p = &self.product;
            return p.walk.only(2).dispatch(d, "scale_f32", Dispatch{ .out = p.out, .x = p.a, .factor = self.factor });
        }
    };
}

fn onDevice(d: *const device.Device, out: *const Tensor, x: *const Tensor, factor: f64) Error!void {
    if (out.dtype != x.dtype) return error.DtypeMismatch;
    switch (x.dtype) {
        .f32 => try d.submit(try Task(f32).init(out, x, factor)),
        .f64 => try d.submit(try Task(f64).init(out, x, factor)),
        else => return error.Unsupported,
    }
}

fn checked(device_: u32, out: u32, x: u32, factor: f64) Error!void {
    return onDevice(try device.get(device_), try tensor.get(out), try tensor.get(x), factor);
}

pub const entries = struct {
    /// f32 and f64. `out` may be the very same view as `x`.
    pub fn scale(device_: u32, out: u32, x: u32, factor: f64) callconv(.c) i32 {
        return status.of(checked(device_, out, x, factor));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

fn expectScaled(comptime T: type) !void {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    for (arrays.lengths) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const x = try all.normal(T, &.{ 3, n }, prng.random(), 1);
        const out = try all.empty(T, &.{ 3, n });
        if (n > 3) arrays.data(T, x)[0..3].* = .{ std.math.nan(T), std.math.inf(T), -0.0 };
        for ([_]u32{ 1, 3 }) |workers| for ([_]f64{ 0.1, 0, -3, std.math.inf(f64) }) |factor| {
            const d = device.forTest(workers);
            try onDevice(&d, try tensor.get(out), try tensor.get(x), factor);
            const wanted = try testing.allocator.dupe(T, arrays.data(T, x));
            defer testing.allocator.free(wanted);
            for (wanted) |*w| w.* *= @as(T, @floatCast(factor));
            try arrays.expectSameBits(T, wanted, arrays.data(T, out));
        };
    }
}

test "scale: equals the plain loop, in f32 and f64" {
    try expectScaled(f32);
    try expectScaled(f64);
}

test "scale: in place is the very same view" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const x = try all.filled(f32, &.{10}, 3);
    const d = device.forTest(1);
    try onDevice(&d, try tensor.get(x), try tensor.get(x), 2);
    try testing.expectEqual(6, arrays.data(f32, x)[9]);
    const head = try all.view(x, 0, &.{9}, &.{1});
    const tail = try all.view(x, 1, &.{9}, &.{1});
    try testing.expectError(error.Overlap, onDevice(&d, try tensor.get(head), try tensor.get(tail), 2));
    try testing.expectError(error.ShapeMismatch, onDevice(&d, try tensor.get(head), try tensor.get(x), 2));
    try testing.expectError(error.Unsupported, onDevice(&d, try tensor.get(try all.empty(i32, &.{1})), try tensor.get(try all.empty(i32, &.{1})), 2));
}

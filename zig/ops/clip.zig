//! Clipping by a global norm. With the sums of squares of every gradient in one vector: norm = √Σ sums, and the factor limit / norm where the norm is
//! finite and above the limit, else 1. A norm that is NaN or infinite leaves the gradients as they are, so that the caller sees what happened.

const std = @import("std");
const mul = @import("../row/binary.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Where a number goes, in f32 or f64.
const Place = union(enum) {
    f32: *f32,
    f64: *f64,

    fn of(t: *const Tensor) Error!Place {
        if (t.count() != 1) return error.ShapeMismatch;
        return switch (t.dtype) {
            .f32 => .{ .f32 = &t.ptr(f32)[0] },
            .f64 => .{ .f64 = &t.ptr(f64)[0] },
            else => error.Unsupported,
        };
    }

    fn set(p: Place, value: f64) void {
        switch (p) {
            inline else => |at| at.* = @floatCast(value),
        }
    }
};

const Factor = struct {
    norm: Place,
    factor: Place,
    sums: []const f64,
    limit: f64,

    pub fn run(self: Factor, d: *const Device) void {
        if (d.explanation) |e| return e.noteSerial(null, self.sums.len * @sizeOf(f64));
        var total: f64 = 0;
        for (self.sums) |s| total += s;
        const norm = @sqrt(total);
        const clips = std.math.isFinite(norm) and norm > self.limit;
        self.norm.set(norm);
        self.factor.set(if (clips) self.limit / norm else 1);
    }
};

fn factorOn(d: *const Device, norm: *const Tensor, factor: *const Tensor, sums: *const Tensor, limit: f64) Error!void {
    if (!(limit >= 0)) return error.InvalidArgument;
    if (sums.dtype != .f64) return error.DtypeMismatch;
    if (!sums.contiguous()) return error.LayoutMismatch;
    for ([_]*const Tensor{ norm, factor }) |out| try tensor.checkApart(out, sums);
    try tensor.checkApart(norm, factor);
    try d.submit(Factor{ .norm = try .of(norm), .factor = try .of(factor), .sums = sums.ptr(f64)[0..sums.count()], .limit = limit });
}

/// out = x · factor, for a factor known only on the device; in place by 1 it touches nothing.
fn ScaleBy(comptime T: type) type {
    return struct {
        product: mul.Task(T, "mul"),
        factor: *const T,
        in_place: bool,

        pub fn run(self: @This(), d: *const Device) void {
            if (self.in_place and !d.explains() and self.factor.* == 1) return;
            var product = self.product;
            product.b = @ptrCast(self.factor);
            product.run(d);
        }
    };
}

fn scaleOn(d: *const Device, out: *const Tensor, x: *const Tensor, factor: *const Tensor) Error!void {
    if (out.dtype != x.dtype or factor.dtype != x.dtype) return error.DtypeMismatch;
    if (factor.count() != 1) return error.ShapeMismatch;
    try tensor.checkApart(out, factor);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ScaleBy(T){ .product = try .withNumber(out, x), .factor = &factor.ptr(T)[0], .in_place = tensor.identical(out, x) });
        },
        else => return error.Unsupported,
    }
}

fn clipChecked(device_: u32, norm: u32, factor: u32, sums: u32, limit: f64) Error!void {
    return factorOn(try device.get(device_), try tensor.get(norm), try tensor.get(factor), try tensor.get(sums), limit);
}

fn scaleChecked(device_: u32, out: u32, x: u32, factor: u32) Error!void {
    return scaleOn(try device.get(device_), try tensor.get(out), try tensor.get(x), try tensor.get(factor));
}

pub const entries = struct {
    /// `sums` is a contiguous f64 tensor; `norm` and `factor` hold one element each, f32 or f64.
    pub fn clip_factor(device_: u32, norm: u32, factor: u32, sums: u32, limit: f64) callconv(.c) i32 {
        return status.of(clipChecked(device_, norm, factor, sums, limit));
    }

    /// `factor` holds one element of x's dtype. `out` may be the very same view as `x`.
    pub fn scale_by(device_: u32, out: u32, x: u32, factor: u32) callconv(.c) i32 {
        return status.of(scaleChecked(device_, out, x, factor));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

fn clip(comptime T: type, sums: []const f64, limit: f64, gradient: []T) !T {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(2);
    const norm = try all.filled(T, &.{}, 7);
    const factor = try all.filled(T, &.{}, 7);
    try factorOn(&d, try tensor.get(norm), try tensor.get(factor), try tensor.get(try all.from(f64, &.{sums.len}, sums)), limit);
    const g = try all.from(T, &.{gradient.len}, gradient);
    try scaleOn(&d, try tensor.get(g), try tensor.get(g), try tensor.get(factor));
    @memcpy(gradient, arrays.data(T, g));
    return arrays.data(T, norm)[0];
}

test "clip: a norm above the limit is brought down to it" {
    inline for (.{ f32, f64 }) |T| {
        var g = [_]T{300};
        try testing.expectEqual(300, try clip(T, &.{90000}, 1, &g));
        try testing.expectApproxEqRel(@as(T, 1), g[0], 1e-7);
        var h = [_]T{ 3, 4 };
        try testing.expectEqual(5, try clip(T, &.{ 9, 16 }, 10, &h));
        try testing.expectEqualSlices(T, &.{ 3, 4 }, &h);
        try testing.expectEqual(5, try clip(T, &.{ 9, 16 }, 2.5, &h));
        try testing.expectEqualSlices(T, &.{ 1.5, 2 }, &h);
        try testing.expectEqual(0, try clip(T, &.{}, 1, &h));
    }
}

test "clip: a norm that is not finite changes nothing" {
    const inf = std.math.inf(f32);
    var g = [_]f32{ inf, 1 };
    try testing.expectEqual(inf, try clip(f32, &.{ std.math.inf(f64), 1 }, 1, &g));
    try testing.expectEqualSlices(f32, &.{ inf, 1 }, &g);
    try testing.expect(std.math.isNan(try clip(f32, &.{std.math.nan(f64)}, 1, &g)));
    try testing.expectEqualSlices(f32, &.{ inf, 1 }, &g);
}

test "clip: what does not fit is an error" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const one = try tensor.get(try all.filled(f32, &.{1}, 1));
    const other = try tensor.get(try all.filled(f32, &.{1}, 1));
    const sums = try tensor.get(try all.filled(f64, &.{2}, 1));
    try testing.expectError(error.InvalidArgument, factorOn(&d, one, other, sums, std.math.nan(f64)));
    try testing.expectError(error.InvalidArgument, factorOn(&d, one, other, sums, -1));
    try testing.expectError(error.Overlap, factorOn(&d, one, one, sums, 1));
    try testing.expectError(error.DtypeMismatch, factorOn(&d, one, other, one, 1));
    try testing.expectError(error.ShapeMismatch, factorOn(&d, sums, one, try tensor.get(try all.empty(f64, &.{1})), 1));
    try testing.expectError(error.DtypeMismatch, scaleOn(&d, one, one, sums));
    try testing.expectError(error.Overlap, scaleOn(&d, one, one, one));
}

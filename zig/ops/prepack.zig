//! A weight copied once into the order in which products read it: the panels that a product would otherwise pack, or turn, in every call.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("../gemm/driver.zig");
const prepacked = @import("../gemm/prepacked.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Of `flags`: products multiply by the weight's transpose, as a linear layer does by its [out, in].
const transposed = 1;

fn Task(comptime T: type) type {
    return struct {
        out: [*]T,
        b: [*]const T,
        b_row: isize,
        b_col: isize,
        k: usize,
        n: usize,

        pub fn run(self: @This(), d: *const device.Device) void {
            prepacked.prepack(T, d, self.out, self.b, self.b_row, self.b_col, self.k, self.n);
        }
    };
}

/// The sizes of what a weight is packed as, and its strides along them.
const Shape = struct {
    k: usize,
    n: usize,
    row: isize,
    col: isize,

    fn of(weight: *const Tensor, flags: u32) Error!Shape {
        if (flags > transposed) return error.InvalidArgument;
        if (weight.rank != 2) return error.ShapeMismatch;
        const turned: usize = @intFromBool(flags & transposed != 0);
        return .{
            .k = weight.fromEnd(1 - turned),
            .n = weight.fromEnd(turned),
            .row = weight.strideFromEnd(1 - turned),
            .col = weight.strideFromEnd(turned),
        };
    }
};

/// A GPU has no panels: its products read the weight as it lies.
fn create(d: *const device.Device, weight_: u32, flags: u32) Error!u32 {
    if (d.gpu != null) return error.Unsupported;
    const weight = try tensor.get(weight_);
    const shape: Shape = try .of(weight, flags);
    switch (weight.dtype) {
        inline .f32, .f64 => |dtype| {
            const tile = driver.Kernels(if (dtype == .f32) f32 else f64).of(d).tile;
            const len = try prepacked.prepackedLen(tile, shape.k, shape.n);
            return tensor.createPanels(dtype, shape.k, shape.n, .{ .nr = @intCast(tile.nr), .w = @intCast(tile.w) }, len);
        },
        else => return error.Unsupported,
    }
}

fn checked(d: *const device.Device, out_: u32, weight_: u32, flags: u32) Error!void {
    const weight = try tensor.get(weight_);
    const shape: Shape = try .of(weight, flags);
    const out = try tensor.getWeight(out_, weight.dtype);
    switch (weight.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const tile = driver.Kernels(T).of(d).tile;
            const panels = out.panels orelse return error.LayoutMismatch;
            if (panels.nr != tile.nr or panels.w != tile.w) return error.LayoutMismatch;
            if (out.shape_[0] != shape.k or out.shape_[1] != shape.n) return error.ShapeMismatch;
            try d.submit(Task(T){ .out = out.ptr(T), .b = weight.ptr(T), .b_row = shape.row, .b_col = shape.col, .k = shape.k, .n = shape.n });
        },
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// A tensor for `prepack` of this weight, in the order of the device's instruction set, not filled. Answers its handle, or 0.
    pub fn prepacked_new(device_: u32, weight: u32, flags: u32) callconv(.c) u32 {
        return status.handle(if (device.get(device_)) |d| create(d, weight, flags) else |e| e);
    }

    /// Packs a matrix, or with `flags` 1 its transpose, into what `prepacked_new` answered: for matmul's `b`.
    pub fn prepack(device_: u32, out: u32, weight: u32, flags: u32) callconv(.c) i32 {
        return status.of(if (device.get(device_)) |d| checked(d, out, weight, flags) else |e| e);
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const matmul = @import("matmul.zig");

test "prepack: products have the bits of those by the weight, however it lies and whatever leads" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const sizes = [_][2]usize{ .{ 1, 1 }, .{ 33, 300 }, .{ 7, 12 }, .{ 70, 17 } };
    inline for (.{ f32, f64 }) |T| for (sizes) |size| for ([_]u32{ 0, transposed }) |flags| for ([_]u32{ 1, 3, 8 }) |workers| {
        const n, const k = size;
        var made: arrays.Tensors = .{};
        defer made.free();
        const d = device.forTest(workers);
        // The weight is a slice of a wider matrix, [n, k] or [k, n].
        const rows, const cols = if (flags == transposed) .{ n, k } else .{ k, n };
        const wide = try made.normal(T, &.{ rows, cols + 3 }, prng.random(), 1);
        const weight = try made.view(wide, 2, &.{ rows, cols }, &.{ cols + 3, 1 });
        const fast = try create(&d, weight, flags);
        defer _ = tensor.entries.tensor_free(fast);
        try checked(&d, fast, weight, flags);
        const bias = try made.normal(T, &.{n}, prng.random(), 1);
        const a = try made.normal(T, &.{ 2, 3, k }, prng.random(), 1);
        const a_turned = try made.view(a, 0, &.{ 2, k, 3 }, &.{ 3 * k, 1, k });
        for ([_]u32{ 0, matmul.transpose_a }) |way| {
            const left = if (way == 0) a else a_turned;
            const want = try made.filled(T, &.{ 2, 3, n }, 0.5);
            const got = try made.filled(T, &.{ 2, 3, n }, 0.5);
            try matmul.checked(&d, want, left, weight, bias, way | flags << 1 | 1 << 2, 0.3, 2);
            try matmul.checked(&d, got, left, fast, bias, way | 1 << 2, 0.3, 2);
            try arrays.expectSameBits(T, arrays.data(T, want), arrays.data(T, got));
        }
    };
}

test "prepack: only a product takes it, as its right operand, where everything fits; else nothing is written" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(1);
    const weight = try made.normal(f32, &.{ 4, 3 }, prng.random(), 1);
    const a = try made.normal(f32, &.{ 2, 3 }, prng.random(), 1);
    const out = try made.filled(f32, &.{ 2, 4 }, 7);
    const fast = try create(&d, weight, transposed);
    defer _ = tensor.entries.tensor_free(fast);
    try checked(&d, fast, weight, transposed);
    const expect = testing.expectError;
    try expect(error.LayoutMismatch, matmul.checked(&d, out, fast, a, 0, 0, 1, 0));
    try expect(error.LayoutMismatch, matmul.checked(&d, fast, a, weight, 0, matmul.transpose_b, 1, 0));
    try expect(error.LayoutMismatch, matmul.checked(&d, out, a, fast, fast, 0, 1, 0));
    try expect(error.LayoutMismatch, create(&d, fast, 0));
    try expect(error.LayoutMismatch, checked(&d, fast, fast, 0));
    try expect(error.LayoutMismatch, checked(&d, out, weight, 0));
    try expect(error.ShapeMismatch, checked(&d, fast, weight, 0));
    // Its order is in it already.
    try expect(error.InvalidArgument, matmul.checked(&d, out, a, fast, 0, matmul.transpose_b, 1, 0));
    try expect(error.ShapeMismatch, matmul.checked(&d, out, out, fast, 0, 0, 1, 0));
    const doubles = try made.filled(f64, &.{ 2, 3 }, 7);
    const doubles_out = try made.filled(f64, &.{ 2, 4 }, 7);
    try expect(error.DtypeMismatch, matmul.checked(&d, doubles_out, doubles, fast, 0, 0, 1, 0));
    // Panels of another instruction set.
    const tile = driver.Kernels(f32).of(&d).tile;
    for ([_]tensor.Panels{ .{ .nr = @intCast(2 * tile.nr), .w = @intCast(tile.w) }, .{ .nr = @intCast(tile.nr), .w = @intCast(tile.nr) } }) |panels| {
        const other = try tensor.createPanels(.f32, 3, 4, panels, 3 * 2 * tile.nr);
        defer _ = tensor.entries.tensor_free(other);
        try expect(error.LayoutMismatch, matmul.checked(&d, out, a, other, 0, 0, 1, 0));
        try expect(error.LayoutMismatch, checked(&d, other, weight, transposed));
    }
    try expect(error.InvalidArgument, create(&d, weight, 2));
    try expect(error.InvalidArgument, checked(&d, fast, weight, 2));
    try expect(error.ShapeMismatch, create(&d, try made.filled(f32, &.{ 2, 2, 2 }, 1), 0));
    try expect(error.Unsupported, create(&d, try made.empty(u32, &.{ 2, 2 }), 0));
    try expect(error.InvalidHandle, create(&d, 0, 0));
    try expect(error.DtypeMismatch, checked(&d, fast, doubles, 0));
    for (arrays.data(f32, out)) |x| try testing.expectEqual(7, x);
    try matmul.checked(&d, out, a, fast, 0, 0, 1, 0);
    // Neither operand is read with alpha 0.
    try matmul.checked(&d, out, a, fast, 0, 0, 0, 0);
    for (arrays.data(f32, out)) |x| try testing.expectEqual(0, x);
}

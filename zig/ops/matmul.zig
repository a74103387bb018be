//! Matrix product: out = epilogue(alpha · op(a) @ op(b) + beta · out + bias), over the last two axes, batched over broadcast leading axes.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("../gemm/driver.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Bits of `flags`: 0 transposes a, 1 transposes b, 2 and 3 hold the epilogue.
const transpose_a = 1;
const transpose_b = 2;

/// The task of one call, checked: what the device runs now, or a recorder would keep.
fn Task(comptime T: type) type {
    return struct {
        batch: driver.Batch(T),

        pub fn run(self: @This(), d: *const device.Device) Error!void {
            return driver.multiplyBatch(T, d, self.batch);
        }
    };
}

/// Builds the task of `out = epilogue(alpha · op(a) @ op(b) + beta · out + bias)`.
fn prepare(comptime T: type, out: *const Tensor, a: *const Tensor, b: *const Tensor, bias: ?*const Tensor, flags: u32, alpha: f64, beta: f64) Error!Task(T) {
    if (flags >> 4 != 0) return error.InvalidArgument;
    if (a.rank < 2 or b.rank < 2 or out.rank < 2) return error.ShapeMismatch;
    const a_turned: usize = @intFromBool(flags & transpose_a != 0);
    const b_turned: usize = @intFromBool(flags & transpose_b != 0);
    var batch: driver.Batch(T) = .{
        .p = .{
            .m = a.fromEnd(1 - a_turned),
            .k = a.fromEnd(a_turned),
            .n = b.fromEnd(b_turned),
            .a = a.ptr(T),
            .a_row = a.strideFromEnd(1 - a_turned),
            .a_col = a.strideFromEnd(a_turned),
            .b = b.ptr(T),
            .b_row = b.strideFromEnd(1 - b_turned),
            .b_col = b.strideFromEnd(b_turned),
            .c = out.ptr(T),
            .ldc = undefined,
            .alpha = @floatCast(alpha),
            .beta = @floatCast(beta),
            .bias = null,
            .epilogue = @fromBackingInt(flags >> 2),
        },
        .rank = 0,
        .sizes = undefined,
        .a = undefined,
        .b = undefined,
        .c = undefined,
    };
    const p = &batch.p;
    if (b.fromEnd(1 - b_turned) != p.k or out.fromEnd(1) != p.m or out.fromEnd(0) != p.n) return error.ShapeMismatch;
    // Rows of out have to be contiguous and apart.
    if (p.n > 1 and out.strideFromEnd(0) != 1) return error.LayoutMismatch;
    if (out.strideFromEnd(1) < 0 or (p.m > 1 and @as(usize, @intCast(out.strideFromEnd(1))) < p.n)) return error.LayoutMismatch;
    p.ldc = @intCast(out.strideFromEnd(1));
    if (bias) |v| {
        if (v.rank != 1 or v.shape_[0] != p.n) return error.ShapeMismatch;
        if (p.n > 1 and v.strides_[0] != 1) return error.LayoutMismatch;
        try tensor.checkApart(out, v);
        p.bias = v.ptr(T);
    }
    try tensor.checkApart(out, a);
    try tensor.checkApart(out, b);
    const lead = @max(a.rank, b.rank) - 2;
    if (out.rank - 2 != lead) return error.ShapeMismatch;
    // Leading axes, the last first; neighbours that every operand walks with one stride become one axis.
    for (0..lead) |i| {
        const axis = 2 + i;
        const size = out.fromEnd(axis);
        for ([_]*const Tensor{ a, b }) |x| if (x.fromEnd(axis) != size and x.fromEnd(axis) != 1) return error.ShapeMismatch;
        if (size == 1) continue;
        const sa = if (a.fromEnd(axis) == 1) 0 else a.strideFromEnd(axis);
        const sb = if (b.fromEnd(axis) == 1) 0 else b.strideFromEnd(axis);
        const sc = out.strideFromEnd(axis);
        if (sc == 0) return error.Overlap;
        // One matrix b for all: the axis is only more rows, so the product sees it whole.
        if (batch.rank == 0 and sb == 0 and size > 0 and p.m > 0 and sa == p.a_row * @as(isize, @intCast(p.m)) and sc == @as(isize, @intCast(p.ldc * p.m))) {
            p.m *= size;
            continue;
        }
        batch.sizes[batch.rank] = size;
        batch.a[batch.rank] = sa;
        batch.b[batch.rank] = sb;
        batch.c[batch.rank] = sc;
        batch.rank += 1;
    }
    return .{ .batch = batch };
}

fn checked(device_: u32, out_: u32, a_: u32, b_: u32, bias_: u32, flags: u32, alpha: f64, beta: f64) Error!void {
    const d = try device.get(device_);
    const a = try tensor.get(a_);
    const out = try tensor.typed(out_, a.dtype);
    const b = try tensor.typed(b_, a.dtype);
    const bias = try tensor.optional(bias_, a.dtype);
    switch (a.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(try prepare(T, out, a, b, bias, flags, alpha, beta));
        },
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// `flags`: 1 transposes a, 2 transposes b, epilogue · 4 (0 none, 1 ReLU, 2 GELU, 3 SiLU). `bias` 0 is none.
    pub fn matmul(device_: u32, out: u32, a: u32, b: u32, bias: u32, flags: u32, alpha: f64, beta: f64) callconv(.c) i32 {
        return status.of(checked(device_, out, a, b, bias, flags, alpha, beta));
    }
};

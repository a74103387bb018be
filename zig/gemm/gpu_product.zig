//! Matrix products on a GPU: which variant of the shader takes which product, and how a batch is laid out for it.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("driver.zig");
const launch = @import("../gpu/launch.zig");
const Error = @import("../status.zig").Error;

/// Batch axes that one dispatch walks; those beyond are walked here.
const axes = 3;

const Args = extern struct {
    c: [*]f32,
    a: [*]const f32,
    b: [*]const f32,
    bias: ?[*]const f32,
    m: usize,
    n: usize,
    k: usize,
    a_row: isize,
    a_col: isize,
    b_row: isize,
    b_col: isize,
    ldc: usize,
    alpha: f32,
    beta: f32,
    epilogue: u32,
    count: usize,
    sizes: [axes]usize,
    batch_a: [axes]isize,
    batch_b: [axes]isize,
    batch_c: [axes]isize,
};

/// Records a batch of products. Elements of f64 have no shader.
pub fn dispatch(comptime T: type, d: *const device.Device, batch: *const driver.Batch(T)) Error!void {
    if (T != f32) return error.Unsupported;
    if (batch.list != null) return error.Unsupported;
    const p = &batch.p;
    var args: Args = .{
        .c = p.c,
        .a = p.a,
        .b = p.b,
        .bias = p.bias,
        .m = p.m,
        .n = p.n,
        .k = p.k,
        .a_row = p.a_row,
        .a_col = p.a_col,
        .b_row = p.b_row,
        .b_col = p.b_col,
        .ldc = p.ldc,
        .alpha = p.alpha,
        .beta = p.beta,
        .epilogue = @backingInt(p.epilogue),
        .count = 1,
        .sizes = @splat(1),
        .batch_a = @splat(0),
        .batch_b = @splat(0),
        .batch_c = @splat(0),
    };
    const inner = @min(batch.rank, axes);
    for (0..inner) |i| {
        args.sizes[i] = batch.sizes[i];
        args.batch_a[i] = batch.a[i];
        args.batch_b[i] = batch.b[i];
        args.batch_c[i] = batch.c[i];
        args.count *= batch.sizes[i];
    }
    var outer: usize = 1;
    for (batch.sizes[inner..batch.rank]) |size| outer *= size;
    const c, const a, const b = .{ args.c, args.a, args.b };
    for (0..outer) |index| {
        var rest = index;
        args.c, args.a, args.b = .{ c, a, b };
        for (inner..batch.rank) |i| {
            const at: isize = @intCast(rest % batch.sizes[i]);
            rest /= batch.sizes[i];
            args.c = moved(c, at * batch.c[i]);
            args.a = @constCast(moved(@constCast(a), at * batch.a[i]));
            args.b = @constCast(moved(@constCast(b), at * batch.b[i]));
        }
        try one(d, args);
    }
}

fn moved(p: [*]f32, by: isize) [*]f32 {
    return if (by >= 0) p + @as(usize, @intCast(by)) else p - @abs(by);
}

/// One product of plain matrices, for ops that are made of them.
pub fn single(comptime T: type, d: *const device.Device, p: *const driver.Product(T)) Error!void {
    var batch: driver.Batch(T) = undefined;
    batch.p = p.*;
    batch.list = null;
    batch.rank = 0;
    return dispatch(T, d, &batch);
}

fn one(d: *const device.Device, args: Args) Error!void {
    const cost = 2 *| args.m *| args.n *| @max(1, args.k) *| args.count;
    // Shared memory pays where it is memory of its own, and a tile of 128 where it is mostly full.
    const tiled = d.gpu.?.adapter.kind() != .software and args.m >= 64 and args.n >= 64;
    const tile: usize = if (tiled) 128 else 32;
    const work: launch.Work = .{ .groups = args.count *| (ceil(args.m, tile) *| ceil(args.n, tile)), .cost = cost };
    if (tiled) return launch.launch(d, "matmul_f32_tiled", args, work);
    return launch.launch(d, "matmul_f32_registers", args, work);
}

fn ceil(n: usize, by: usize) usize {
    return std.math.divCeil(usize, n, by) catch unreachable;
}

//! Matrix products on a GPU: which variant of the shader takes which product, and how a batch is laid out for it.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("driver.zig");
const launch = @import("../gpu/launch.zig");
const variant_ = @import("../gpu/variant.zig");
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
    turned: bool,
};

/// Variants of the shader. All but `skinny` give the same bits.
const Variant = enum { registers, tiled, tiled_64, elements, skinny };

/// The most rows of a `skinny` product.
const few = 4;

/// Records a batch of products. Elements of f64 have no shader.
pub fn dispatch(comptime T: type, d: *const device.Device, batch: *const driver.Batch(T)) Error!void {
    if (T != f32) return error.Unsupported;
    const p = &batch.p;
    var args: Args = .{
        .c = p.c,
        .a = p.a,
        .b = p.b,
        .bias = p.bias,
        .m = p.m,
        .n = p.n,
        // Nothing is read for a sum that counts nothing.
        .k = if (p.alpha == 0) 0 else p.k,
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
        .turned = false,
    };
    if (batch.list) |list| {
        for (list) |item| {
            args.c, args.a, args.b = .{ item.c, item.a, item.b };
            try one(d, args);
        }
        return;
    }
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
    switch (variantOf(d, &args)) {
        .skinny => {
            const cols: usize = if (args.b_row == 1) 8 else 32;
            return if (args.m > few) one(d, turned(args)) else launch.launch(d, "matmul_f32_skinny", args, .{ .groups = args.count *| @intFromBool(args.m > 0) *| ceil(args.n, cols), .cost = cost });
        },
        .elements => return launch.launch(d, "matmul_f32_elements", args, .{ .groups = ceil(args.count *| (args.m *| args.n), 64), .cost = cost }),
        inline else => |variant| {
            const rows: usize, const cols: usize = switch (variant) {
                .registers => .{ 64, 64 },
                .tiled => .{ 128, 128 },
                .tiled_64 => .{ 64, 64 },
                .elements, .skinny => unreachable,
            };
            return launch.launch(d, "matmul_f32_" ++ @tagName(variant), args, .{ .groups = tiles(&args, rows, cols), .cost = cost });
        },
    }
}

fn tiles(args: *const Args, rows: usize, cols: usize) usize {
    return args.count *| (ceil(args.m, rows) *| ceil(args.n, cols));
}

/// Shared memory pays where it is memory of its own, which it is not where a processor plays a GPU. Large tiles read least, and small ones leave fewer of a
/// GPU's hundred or so multiprocessors idle. A few rows or columns over some depth are bound by reading the other operand, which takes all threads.
fn variantOf(d: *const device.Device, args: *const Args) Variant {
    if (variant_.asked(Variant)) |asked| if (asked != .skinny or @min(args.m, args.n) <= few) return asked;
    if (@min(args.m, args.n) <= few and args.k >= 64) return .skinny;
    // So few elements leave most threads of a tile without work.
    if (args.m *| args.n <= 64 and args.count > 1) return .elements;
    if (d.gpu.?.adapter.kind() == .software) return .registers;
    return if (tiles(args, 128, 128) >= 100) .tiled else .tiled_64;
}

/// The same product as Cᵀ = Bᵀ·Aᵀ.
fn turned(args: Args) Args {
    var t = args;
    t.turned = true;
    t.m, t.n = .{ args.n, args.m };
    t.a, t.b = .{ args.b, args.a };
    t.a_row, t.a_col = .{ args.b_col, args.b_row };
    t.b_row, t.b_col = .{ args.a_col, args.a_row };
    t.batch_a, t.batch_b = .{ args.batch_b, args.batch_a };
    return t;
}

fn ceil(n: usize, by: usize) usize {
    return std.math.divCeil(usize, n, by) catch unreachable;
}

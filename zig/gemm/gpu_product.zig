//! Matrix products on a GPU: which variant of the shader takes which product, and how a batch is laid out for it.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("driver.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
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
    /// Parts of the depth, and how deep each is but for a shallower last one.
    parts: usize,
    part: usize,
};

/// What joins the sums of parts.
const Join = extern struct {
    c: [*]f32,
    partials: [*]const f32,
    bias: ?[*]const f32,
    m: usize,
    n: usize,
    ldc: usize,
    alpha: f32,
    beta: f32,
    epilogue: u32,
    count: usize,
    sizes: [axes]usize,
    batch_c: [axes]isize,
    turned: bool,
    parts: usize,
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
        .parts = 1,
        .part = 0,
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

/// How a variant goes about a product: the workgroups for each part of its depth, and over how many threads that share an element it deals the depth.
const Shape = struct { groups: usize, lanes: usize = 1 };

fn one(d: *const device.Device, product: Args) Error!void {
    const variant = variantOf(d, &product);
    var args = if (variant == .skinny and product.m > few) turned(product) else product;
    const shape = shapeOf(variant, &args);
    // Variants that give the same bits are cut alike, by tiles of 64×64.
    const jobs = if (variant == .skinny) shape.groups else tiles(&args, 64, 64);
    args.parts, args.part = cut(jobs, shape.lanes, args.k, d.gpu.?.adapter.rounds_max);
    if (args.parts == 1) return run(d, variant, args, shape, null);
    const partials: Scratch = try .init(d, args.parts *| args.count *| (args.m *| args.n) *| @sizeOf(f32));
    defer partials.deinit();
    var some = args;
    some.c = partials.ptr(f32);
    some.bias = null;
    try run(d, variant, some, shape, "parts");
    return launch.launch(d, "matmul_f32_join", Join{
        .c = args.c,
        .partials = partials.ptr(f32),
        .bias = args.bias,
        .m = args.m,
        .n = args.n,
        .ldc = args.ldc,
        .alpha = args.alpha,
        .beta = args.beta,
        .epilogue = args.epilogue,
        .count = args.count,
        .sizes = args.sizes,
        .batch_c = args.batch_c,
        .turned = args.turned,
        .parts = args.parts,
    }, .{
        .groups = ceil(args.count *| (args.m *| args.n), 64),
        .cost = args.parts *| args.m *| args.n *| args.count,
        .rounds = args.parts / 8 + 4,
        .step = "join",
    });
}

fn run(d: *const device.Device, variant: Variant, args: Args, shape: Shape, step: ?[]const u8) Error!void {
    const work: launch.Work = .{
        .groups = args.parts *| shape.groups,
        .cost = 2 *| args.m *| args.n *| @max(1, args.k) *| args.count,
        // An eighth more for the steps of tiles, and what an element or a tile takes beside its sums.
        .rounds = args.part / shape.lanes *| 9 / 8 + 80,
        .step = step,
    };
    switch (variant) {
        inline else => |v| return launch.launch(d, "matmul_f32_" ++ @tagName(v), args, work),
    }
}

fn shapeOf(variant: Variant, args: *const Args) Shape {
    return switch (variant) {
        .skinny => of: {
            // As the shader deals 256 threads to columns and to the depth.
            const lanes: usize = if (args.b_row == 1) 32 else 8;
            break :of .{ .groups = args.count *| @intFromBool(args.m > 0) *| ceil(args.n, 256 / lanes), .lanes = lanes };
        },
        .elements => .{ .groups = ceil(args.count *| (args.m *| args.n), 64) },
        .tiled => .{ .groups = tiles(args, 128, 128) },
        .registers, .tiled_64 => .{ .groups = tiles(args, 64, 64) },
    };
}

/// Parts of a depth, and how deep each is but for a shallower last one. Fewer jobs than a GPU has multiprocessors, of which there are a hundred or so, leave
/// some idle: there are as many parts then as give each about two jobs, as long as a part keeps so much depth that its sums of 64×64, which are written
/// once and read once, are an eighth of what is read for them. What goes in is a product's sizes and a limit of the driver, so the same device always sums
/// in the same order.
pub fn cut(jobs: usize, lanes: usize, k: usize, rounds_max: usize) struct { usize, usize } {
    if (jobs == 0 or k == 0) return .{ 1, k };
    // Threads that share an element take turns along the depth, 64 of them or more each.
    const least = if (lanes == 1) 512 else 64 * lanes;
    const wanted = if (jobs >= 128) 1 else @min(ceil(256, jobs), k / least);
    const parts = @max(1, wanted, ceil(k, rounds_max / 4 *| lanes));
    if (parts == 1) return .{ 1, k };
    const part = std.mem.alignForward(usize, ceil(k, parts), 32);
    return .{ ceil(k, part), part };
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

test "gpu product: the depth is cut where tiles are few, and where a thread's loops would be too long" {
    const expectEqual = std.testing.expectEqual;
    const none = std.math.maxInt(usize);
    for ([_]struct { [4]usize, [2]usize }{
        // jobs, lanes, k, rounds; parts, part
        .{ .{ 64, 1, 512, none }, .{ 1, 512 } },
        .{ .{ 1, 1, 1023, none }, .{ 1, 1023 } },
        .{ .{ 1, 1, 1024, none }, .{ 2, 512 } },
        .{ .{ 1, 1, 1025, none }, .{ 2, 544 } },
        .{ .{ 64, 1, 4096, none }, .{ 4, 1024 } },
        .{ .{ 127, 1, 4096, none }, .{ 3, 1376 } },
        .{ .{ 128, 1, 1 << 20, none }, .{ 1, 1 << 20 } },
        .{ .{ 1, 1, 65536, none }, .{ 128, 512 } },
        .{ .{ 1, 1, 1 << 20, none }, .{ 256, 4096 } },
        .{ .{ 128, 1, 1 << 20, 65535 }, .{ 65, 16160 } },
        .{ .{ 1, 8, 1 << 25, 65535 }, .{ 257, 130592 } },
        .{ .{ 24, 8, 3072, none }, .{ 6, 512 } },
        .{ .{ 0, 1, 1 << 20, none }, .{ 1, 1 << 20 } },
        .{ .{ 1, 1, 0, none }, .{ 1, 0 } },
    }) |case| {
        const parts, const part = cut(case[0][0], case[0][1], case[0][2], case[0][3]);
        try expectEqual(case[1], .{ parts, part });
    }
}

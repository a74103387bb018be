//! Products of experts on a GPU. The offsets live there and are resolved there; see gpu/segments.zig.

const std = @import("std");
const device = @import("../device.zig");
const gpu_product = @import("gpu_product.zig");
const grouped = @import("grouped.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const Segments = @import("../gpu/segments.zig").Segments;
const variant_ = @import("../gpu/variant.zig");
const Error = @import("../status.zig").Error;
const Device = device.Device;

/// `generic` is the oracle of `tiled` and gives the same bits.
const Variant = enum { tiled, generic };

/// Rows and columns of a tile.
fn side(variant: Variant) usize {
    return switch (variant) {
        .tiled => 64,
        .generic => 32,
    };
}

/// Records the products of a call. Elements of f64 have no shader.
pub fn dispatch(comptime T: type, d: *const Device, work: *const grouped.Work(T)) Error!void {
    if (T != f32) return error.Unsupported;
    const experts = &work.experts;
    const variant = variant_.asked(Variant) orelse .tiled;
    const segments: Segments = try .init(d, experts.offsets.?, experts.count, experts.rows, side(variant));
    defer segments.deinit();
    for (work.groups) |*group| switch (variant) {
        inline else => |v| try product(d, v, work, group, &segments),
    };
    if (work.sums) |*s| try columnSums(d, experts, s, &segments);
}

const Sums = extern struct {
    out: [*]f32,
    x: [*]const f32,
    bounds: [*]const u32,
    stride: usize,
    x_stride: usize,
    cols: usize,
    experts: usize,
    accumulate: bool,
    parts: usize,
    part: usize,
};

/// Rows of a part of each expert's, where their columns are added. How the rows are shared out is known to the device alone, and one expert may have them all:
/// so a part is a 256th of all the work, whoever has it, and no workgroup has more than that; but 256 rows at least, so that what the join reads is little.
/// Of 16 384 rows of 768 columns, nearly all one expert's, a thread adds 192 in turn, and 2000 without parts: then 24 workgroups do all. The partial sums of 4
/// experts are 135 KB beside the 50 MB that are read. Not timed on a GPU; on two cores lavapipe takes as long for the whole gradient (1.01).
fn sumsPart(experts: usize, cols: usize, rows: usize, rounds_max: usize) usize {
    const balanced = @max(256, ceil(rows *| ceil(cols, 32), 256));
    const parts_max = @max(1, partial_bytes_max / (@sizeOf(f32) * @max(1, experts *| cols)));
    const part = @min(@max(ceil(rows, parts_max), balanced), 2 *| rounds_max);
    return @max(1, @min(rows, std.mem.alignForward(usize, part, 8)));
}

/// The sums of x down each expert's rows: in one dispatch, or in parts that a second one joins in their order.
fn columnSums(d: *const Device, experts: *const grouped.Experts, s: *const grouped.Sums(f32), segments: *const Segments) Error!void {
    const part = sumsPart(experts.count, s.cols, experts.rows, d.gpu.?.adapter.rounds_max);
    const parts = @max(1, ceil(experts.rows, part));
    const across = ceil(s.cols, 32);
    const partials: ?Scratch = if (parts > 1) try .init(d, parts *| experts.count *| s.cols *| @sizeOf(f32)) else null;
    defer if (partials) |x| x.deinit();
    try launch.launch(d, "grouped_sums_f32", Sums{
        .out = if (partials) |x| x.ptr(f32) else s.out,
        .x = s.x,
        .bounds = segments.bounds(),
        .stride = s.stride,
        .x_stride = s.x_stride,
        .cols = s.cols,
        .experts = experts.count,
        .accumulate = s.accumulate,
        .parts = parts,
        .part = part,
    }, .{ .groups = parts *| experts.count *| across, .cost = experts.rows *| s.cols, .rounds = part / 8 + launch.few_rounds, .step = "db" });
    if (partials) |x| try join(d, s.out, x, segments, .{
        .m = 1,
        .n = s.cols,
        .into = .{ .ldc = 0, .c_expert = @intCast(s.stride), .experts = experts.count, .accumulate = s.accumulate, .parts = parts, .part = part },
    }, experts.rows);
}

const Rows = extern struct {
    c: [*]f32,
    a: [*]const f32,
    b: [*]const f32,
    bias: ?[*]const f32,
    bounds: [*]const u32,
    tiles: [*]const u32,
    m: usize,
    n: usize,
    k: usize,
    a_row: isize,
    a_col: isize,
    b_row: isize,
    b_col: isize,
    b_expert: isize,
    ldc: usize,
    bias_stride: usize,
    experts: usize,
    tiles_max: usize,
    accumulate: bool,
};

const Depth = extern struct {
    c: [*]f32,
    a: [*]const f32,
    b: [*]const f32,
    bounds: [*]const u32,
    m: usize,
    n: usize,
    a_row: isize,
    a_col: isize,
    b_row: isize,
    b_col: isize,
    into: Into,
};

/// Where the gradients of weights go, and the parts of each expert's rows whose sums make them up.
const Into = extern struct {
    pub const spread = {};

    ldc: usize,
    c_expert: isize,
    experts: usize,
    accumulate: bool,
    parts: usize,
    part: usize,
};

const DepthJoin = extern struct {
    c: [*]f32,
    partials: [*]const f32,
    bounds: [*]const u32,
    sizes: Sizes,

    const Sizes = extern struct {
        pub const spread = {};

        m: usize,
        n: usize,
        into: Into,
    };
};

/// Adds the parts of each expert, in their order.
fn join(d: *const Device, c: [*]f32, partials: Scratch, segments: *const Segments, sizes: DepthJoin.Sizes, rows: usize) Error!void {
    const into = &sizes.into;
    const size = sizes.m *| sizes.n;
    return launch.launch(d, "grouped_depth_f32_join", DepthJoin{
        .c = c,
        .partials = partials.ptr(f32),
        .bounds = segments.bounds(),
        .sizes = sizes,
    }, .{ .groups = ceil(into.experts *| size, 64), .cost = rows / into.part *| size, .rounds = into.parts +| launch.few_rounds, .step = "join" });
}

/// The most bytes of partial sums.
const partial_bytes_max = 64 << 20;

/// Rows of a part of each expert's. How many an expert has is known to the device alone: parts are as long as suits their mean, and as many as one expert
/// takes that has all rows; those that are empty cost little but their memory.
fn partOf(experts: usize, m: usize, n: usize, rows: usize, rounds_max: usize) usize {
    const jobs = experts *| (ceil(m, 64) *| ceil(n, 64));
    const parts, const part = gpu_product.cut(jobs, 1, rows / experts, rounds_max);
    const parts_max = @max(1, partial_bytes_max / (@sizeOf(f32) * @max(1, experts *| m *| n)));
    return @max(ceil(rows, parts_max), if (parts > 1) part else @min(@max(1, rows), rounds_max / 4));
}

fn product(d: *const Device, comptime variant: Variant, work: *const grouped.Work(f32), group: *const grouped.Group(f32), segments: *const Segments) Error!void {
    const p = &group.p;
    const tile = side(variant);
    const cost = 2 *| p.m *| p.n *| @max(1, p.k);
    switch (group.ragged) {
        .rows => {
            const down = if (variant == .tiled) segments.tiles_max else ceil(p.m, tile);
            try launch.launch(d, "grouped_rows_f32_" ++ @tagName(variant), Rows{
                .c = p.c,
                .a = p.a,
                .b = p.b,
                .bias = p.bias,
                .bounds = segments.bounds(),
                .tiles = segments.tiles(),
                .m = p.m,
                .n = p.n,
                .k = p.k,
                .a_row = p.a_row,
                .a_col = p.a_col,
                .b_row = p.b_row,
                .b_col = p.b_col,
                .b_expert = group.stride,
                .ldc = p.ldc,
                .bias_stride = group.bias_stride,
                .experts = work.experts.count,
                .tiles_max = segments.tiles_max,
                .accumulate = p.beta != 0,
            }, .{
                .groups = down *| ceil(p.n, tile),
                .cost = cost,
                // A tile of `generic` that crosses a border takes its 16 sums of a thread one after another.
                .rounds = if (variant == .tiled) p.k *| 9 / 8 + 80 else 16 *| (p.k +| 80),
                .step = group.step,
            });
        },
        .depth => {
            const experts = work.experts.count;
            const rows = work.experts.rows;
            const part = partOf(experts, p.m, p.n, rows, d.gpu.?.adapter.rounds_max);
            const parts = @max(1, ceil(rows, part));
            const into: Into = .{ .ldc = p.ldc, .c_expert = group.stride, .experts = experts, .accumulate = p.beta != 0, .parts = parts, .part = part };
            const partials: ?Scratch = if (parts > 1) try .init(d, parts *| experts *| (p.m *| p.n) *| @sizeOf(f32)) else null;
            defer if (partials) |x| x.deinit();
            try launch.launch(d, "grouped_depth_f32_" ++ @tagName(variant), Depth{
                .c = if (partials) |x| x.ptr(f32) else p.c,
                .a = p.a,
                .b = p.b,
                .bounds = segments.bounds(),
                .m = p.m,
                .n = p.n,
                .a_row = p.a_row,
                .a_col = p.a_col,
                .b_row = p.b_row,
                .b_col = p.b_col,
                .into = into,
            }, .{ .groups = parts *| experts *| (ceil(p.m, tile) *| ceil(p.n, tile)), .cost = cost, .rounds = 2 *| @min(part, rows) +| 80, .step = group.step });
            if (partials) |x| try join(d, p.c, x, segments, .{ .m = p.m, .n = p.n, .into = into }, rows);
        },
    }
}

fn ceil(n: usize, by: usize) usize {
    return std.math.divCeil(usize, n, by) catch unreachable;
}

test "grouped sums: a part is a 256th of the work, of no more rounds and partial sums than there may be" {
    const expectEqual = std.testing.expectEqual;
    const free = std.math.maxInt(u32);
    try expectEqual(1, sumsPart(4, 64, 0, free));
    try expectEqual(200, sumsPart(4, 64, 200, free));
    try expectEqual(256, sumsPart(4, 64, 2000, free));
    try expectEqual(768, sumsPart(8, 768, 8192, free));
    try expectEqual(4096, sumsPart(8, 8192, 4096, free));
    try expectEqual(130_000, sumsPart(1, 1 << 15, 130_000, 65_000));
    // 2^17 experts of 32 columns: four parts are 64 MiB.
    try expectEqual(1 << 18, sumsPart(1 << 17, 32, 1 << 20, free));
}

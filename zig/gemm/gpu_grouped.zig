//! Products of experts on a GPU. The offsets live there and are resolved there; see gpu/segments.zig.

const std = @import("std");
const device = @import("../device.zig");
const grouped = @import("grouped.zig");
const launch = @import("../gpu/launch.zig");
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
    if (experts.count == 0) return;
    const variant = variant_.asked(Variant) orelse .tiled;
    const segments: Segments = try .init(d, experts.offsets.?, experts.count, experts.rows, side(variant));
    defer segments.deinit();
    for (work.groups) |*group| switch (variant) {
        inline else => |v| try product(d, v, work, group, &segments),
    };
    if (work.sums) |s| try launch.launch(d, "grouped_sums_f32", Sums{
        .out = s.out,
        .x = s.x,
        .bounds = segments.bounds(),
        .stride = s.stride,
        .x_stride = s.x_stride,
        .cols = s.cols,
        .experts = experts.count,
        .accumulate = s.accumulate,
    }, .{ .groups = experts.count *| ceil(s.cols, 32), .cost = experts.rows *| s.cols, .step = "db" });
}

const Sums = extern struct { out: [*]f32, x: [*]const f32, bounds: [*]const u32, stride: usize, x_stride: usize, cols: usize, experts: usize, accumulate: bool };

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
    ldc: usize,
    c_expert: isize,
    experts: usize,
    accumulate: bool,
};

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
            }, .{ .groups = down *| ceil(p.n, tile), .cost = cost, .step = group.step });
        },
        .depth => try launch.launch(d, "grouped_depth_f32_" ++ @tagName(variant), Depth{
            .c = p.c,
            .a = p.a,
            .b = p.b,
            .bounds = segments.bounds(),
            .m = p.m,
            .n = p.n,
            .a_row = p.a_row,
            .a_col = p.a_col,
            .b_row = p.b_row,
            .b_col = p.b_col,
            .ldc = p.ldc,
            .c_expert = group.stride,
            .experts = work.experts.count,
            .accumulate = p.beta != 0,
        }, .{ .groups = work.experts.count *| (ceil(p.m, tile) *| ceil(p.n, tile)), .cost = cost, .step = group.step }),
    }
}

fn ceil(n: usize, by: usize) usize {
    return std.math.divCeil(usize, n, by) catch unreachable;
}

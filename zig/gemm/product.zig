//! A matrix product as the routes see it, the kernels that a device has for it, and what both are measured in.

const std = @import("std");
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const resolve = @import("../parallel/resolve.zig");
const Device = @import("../device.zig").Device;

pub const Epilogue = kernel.Epilogue;

/// An m×k matrix times a k×n one, by strides in elements; rows of C are contiguous.
pub fn Product(comptime T: type) type {
    return struct {
        m: usize,
        n: usize,
        k: usize,
        a: [*]const T,
        a_row: isize,
        a_col: isize,
        b: [*]const T,
        b_row: isize,
        b_col: isize,
        /// Whether `b` is a prepacked weight: its strides mean nothing then.
        b_packed: bool = false,
        c: [*]T,
        ldc: usize,
        alpha: T = 1,
        beta: T = 0,
        bias: ?[*]const T = null,
        epilogue: Epilogue = .none,

        pub fn sizes(p: *const @This()) resolve.Sizes {
            return .{ .m = p.m, .n = p.n, .k = p.k };
        }
    };
}

/// Kernels and tile of a device for T.
pub fn Kernels(comptime T: type) type {
    return struct {
        tile: blocking.Tile,
        strip: *const fn (*const kernel.Strip(T)) callconv(.c) void,
        pack: *const fn (*const kernel.Pack(T)) callconv(.c) void,
        scale: *const fn ([*]T, usize, usize, usize, T) callconv(.c) void,
        close: *const fn (*const kernel.Close(T)) callconv(.c) void,

        pub inline fn of(d: *const Device) @This() {
            const prefix = "gemm_" ++ @typeName(T) ++ "_";
            return .{
                .tile = .of(d.kernel(fn () callconv(.c) u32, prefix ++ "shape")()),
                .strip = d.kernel(fn (*const kernel.Strip(T)) callconv(.c) void, prefix ++ "strip"),
                .pack = d.kernel(fn (*const kernel.Pack(T)) callconv(.c) void, prefix ++ "pack"),
                .scale = d.kernel(fn ([*]T, usize, usize, usize, T) callconv(.c) void, prefix ++ "scale"),
                .close = d.kernel(fn (*const kernel.Close(T)) callconv(.c) void, prefix ++ "close"),
            };
        }
    };
}

/// The address of an element of a strided matrix.
pub fn at(comptime T: type, base: [*]const T, row_stride: isize, row: usize, col_stride: isize, col: usize) [*]const T {
    return kernel.step(T, base, row_stride * @as(isize, @intCast(row)) + col_stride * @as(isize, @intCast(col)));
}

/// Whether a product is bound by memory rather than by arithmetic: each element of an operand or of the result is used once.
pub fn boundByMemory(comptime T: type, p: *const Product(T)) bool {
    return p.m == 1 or p.n == 1 or p.k == 1;
}

/// Register tiles of an m×n matrix: the most jobs that a product can be cut into.
pub fn tiles(tile: blocking.Tile, m: usize, n: usize) usize {
    return rowPanels(m, tile.mr) *| rowPanels(n, tile.nr);
}

/// Elements rounded up to 64 bytes.
pub fn align16(len: usize) usize {
    return blocking.roundUp(len, 16);
}

/// Panels of `mr` rows, the last of which may be lower.
pub fn rowPanels(rows: usize, mr: usize) usize {
    return std.math.divCeil(usize, rows, mr) catch unreachable;
}

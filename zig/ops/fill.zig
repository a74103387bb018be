//! One value for every element: out = value, converted as `copy` does.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const strided = @import("../row/strided.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Rows × columns to fill with the bits of one value; steps in elements.
fn Rows(comptime T: type) type {
    return extern struct { out: [*]T, rows: usize, cols: usize, out_row: isize, out_col: isize, value: T };
}

fn rows(comptime T: type) fn (*const Rows(T)) callconv(.c) void {
    return struct {
        fn f(p: *const Rows(T)) callconv(.c) void {
            var out = p.out;
            for (0..p.rows) |_| {
                if (p.cols == 1 or p.out_col == 1) row(out, p.cols, p.value) else scattered(p, out);
                out = strided.offset(out, p.out_row);
            }
        }

        inline fn row(out: [*]T, n: usize, value: T) void {
            const v: simd.Vec(T) = @splat(value);
            var j: usize = 0;
            while (j + simd.lanes <= n) : (j += simd.lanes) simd.store(out + j, v);
            if (j < n) simd.storePartial(out + j, v, n - j);
        }

        fn scattered(p: *const Rows(T), first: [*]T) void {
            var out = first;
            for (0..p.cols) |_| {
                out[0] = p.value;
                out = strided.offset(out, p.out_col);
            }
        }
    }.f;
}

pub const ukernels = struct {
    pub const fill_u32_rows = rows(u32);
    pub const fill_u64_rows = rows(u64);
};

/// What the shaders take: the value as words.
fn Dispatch(comptime T: type) type {
    return extern struct { out: [*]T, axes: strided.Axes(1) = undefined, value: if (T == u32) u32 else [2]u32 };
}

fn Task(comptime T: type) type {
    return struct {
        const Self = @This();

        walk: strided.Walk(1),
        out: [*]T,
        value: T,

        pub fn run(self: Self, d: *const Device) void {
            const Run = struct {
                task: *const Self,
                kernel: *const fn (*const Rows(T)) callconv(.c) void,
                fn block(r: @This(), k: strided.Block(1)) void {
                    r.kernel(&.{
                        .out = strided.offset(r.task.out, k.at[0]),
                        .rows = k.rows,
                        .cols = k.cols,
                        .out_row = k.row[0],
                        .out_col = k.col[0],
                        .value = r.task.value,
                    });
                }
            };
            const pass: device.Pass = .{ .kernel = "fill_" ++ @typeName(T) ++ "_rows" };
            const kernel = d.kernel(fn (*const Rows(T)) callconv(.c) void, pass.kernel.?);
            self.walk.run(d, pass, self.walk.count *| @sizeOf(T), Run{ .task = &self, .kernel = kernel }, Run.block);
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            const words = if (T == u32) self.value else [2]u32{ @truncate(self.value), @truncate(self.value >> 32) };
            return self.walk.dispatch(d, "fill_" ++ @typeName(T), Dispatch(T){ .out = self.out, .value = words });
        }
    };
}

/// Zeros for rows in the memory of a GPU, as a part of another op.
pub fn clearOn(d: *const Device, out: [*]u32, rows_: tensor.Rows) Error!void {
    var walk: strided.Walk(1) = .{ .rank = 2, .count = rows_.rows * rows_.cols };
    walk.sizes[0..2].* = .{ rows_.cols, rows_.rows };
    walk.strides[0..2].* = .{ .{1}, .{@intCast(rows_.stride)} };
    return walk.dispatchAs(d, "fill_u32", Dispatch(u32){ .out = out, .value = 0 }, .{ .step = "clear" });
}

fn onDevice(d: *const Device, out: *const Tensor, value: f64) Error!void {
    const walk: strided.Walk(1) = try .init(.{out});
    switch (out.dtype) {
        .f64 => try d.submit(Task(u64){ .walk = walk, .out = out.ptr(u64), .value = @bitCast(value) }),
        .f32 => try d.submit(Task(u32){ .walk = walk, .out = out.ptr(u32), .value = @bitCast(@as(f32, @floatCast(value))) }),
        // Truncates, clamps, and makes 0 of a NaN.
        .i32 => try d.submit(Task(u32){ .walk = walk, .out = out.ptr(u32), .value = @bitCast(std.math.lossyCast(i32, value)) }),
        .u32 => try d.submit(Task(u32){ .walk = walk, .out = out.ptr(u32), .value = std.math.lossyCast(u32, value) }),
    }
}

fn checked(device_: u32, out: u32, value: f64) Error!void {
    return onDevice(try device.get(device_), try tensor.get(out), value);
}

pub const entries = struct {
    /// Any dtype, any strides.
    pub fn fill(device_: u32, out: u32, value: f64) callconv(.c) i32 {
        return status.of(checked(device_, out, value));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

test "fill: all lengths, several workers, a view leaves the rest alone" {
    inline for (.{ f32, f64, i32, u32 }) |T| {
        for (arrays.lengths) |n| {
            var all: arrays.Tensors = .{};
            defer all.free();
            const base = try all.filled(T, &.{ 5, n + 3 }, 7);
            const d = device.forTest(3);
            try onDevice(&d, try tensor.get(try all.view(base, 1, &.{ 5, n }, &.{ n + 3, 1 })), 2);
            for (arrays.data(T, base), 0..) |v, i| {
                const col = i % (n + 3);
                try testing.expectEqual(@as(T, if (col >= 1 and col < n + 1) 2 else 7), v);
            }
            try onDevice(&d, try tensor.get(try all.view(base, 0, &.{ n + 3, 5 }, &.{ 1, n + 3 })), 3);
            for (arrays.data(T, base)) |v| try testing.expectEqual(@as(T, 3), v);
        }
    }
}

test "fill: values convert as copies do" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const i = try all.empty(i32, &.{2});
    const u = try all.empty(u32, &.{2});
    for ([_]f64{ 1.9, -1.9, 1e10, -1e10, std.math.nan(f64) }, [_]i32{ 1, -1, 2147483647, -2147483648, 0 }, [_]u32{ 1, 0, 4294967295, 0, 0 }) |value, a, b| {
        try onDevice(&d, try tensor.get(i), value);
        try onDevice(&d, try tensor.get(u), value);
        try testing.expectEqual(a, arrays.data(i32, i)[1]);
        try testing.expectEqual(b, arrays.data(u32, u)[1]);
    }
    const f = try all.empty(f32, &.{1});
    try onDevice(&d, try tensor.get(f), 0.1);
    try testing.expectEqual(@as(f32, 0.1), arrays.data(f32, f)[0]);
}

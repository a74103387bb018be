//! Sum of squares of all elements: out = Σ x².
//!
//! Squares of f32 are exact in f64 and are added there, by the parts of row/fold.zig, so neither the squares nor the sum overflow.

const std = @import("std");
const fold = @import("../row/fold.zig");
const copy = @import("copy.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const memory = @import("../memory.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

pub const ukernels = struct {
    pub const sum_of_squares_f32_rows = fold.Kernel(f32, .square).rows;
    pub const sum_of_squares_f64_rows = fold.Kernel(f64, .square).rows;
};

/// The sums of squares of tensors of T, one after another; those that are not contiguous are copied first. Clipping takes its norm from here.
pub fn sums(comptime T: type, d: *const Device, tensors: []const *const Tensor, out: []f64) Error!void {
    const gpa = memory.gpa;
    const vectors = gpa.alloc(fold.Vector(T), tensors.len) catch return error.OutOfMemory;
    defer gpa.free(vectors);
    var bytes: usize = 0;
    for (tensors) |x| bytes += if (x.contiguous()) 0 else std.mem.alignForward(usize, x.count() * @sizeOf(T), memory.alignment);
    const block = try memory.alloc(bytes);
    defer memory.free(block, bytes);
    var used: usize = 0;
    for (vectors, tensors) |*v, x| {
        const n = x.count();
        v.* = .{ .x = x.ptr(T), .len = n };
        if (x.contiguous()) continue;
        v.x = (try copy.compact(d, x, @alignCast(block + used))).ptr(T);
        used += std.mem.alignForward(usize, n * @sizeOf(T), memory.alignment);
    }
    return fold.sumVectors(T, "sum_of_squares", d, vectors, out);
}

fn Task(comptime T: type) type {
    return struct {
        out: *T,
        x: *const Tensor,

        pub fn run(self: @This(), d: *const Device) Error!void {
            var total: [1]f64 = undefined;
            try sums(T, d, &.{self.x}, &total);
            if (!d.explains()) self.out.* = @floatCast(total[0]);
        }

        const Parts = extern struct { out: [*]f32, lost: ?[*]f32, x: [*]const f32, count: usize, part: usize, parts: usize };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            if (self.x.contiguous()) return self.dispatchOn(d, self.x.ptr(T));
            const block: Scratch = try .init(d, self.x.count() * @sizeOf(T));
            defer block.deinit();
            const dense = try copy.compact(d, self.x, block.chunk.address());
            return self.dispatchOn(d, dense.ptr(T));
        }

        fn dispatchOn(self: @This(), d: *const Device, x: [*]const f32) Error!void {
            const n = self.x.count();
            const name = "sum_of_squares_f32_rows";
            const part = fold.partLen(n);
            const parts = @max(1, std.math.divCeil(usize, n, part) catch unreachable);
            const out: *f32 = self.out;
            if (parts == 1) return launch.launch(d, name, Parts{ .out = @ptrCast(out), .lost = null, .x = x, .count = n, .part = part, .parts = 1 }, .{ .groups = 1, .cost = n, .rounds = fold.rounds(part) });
            const partials: fold.Partials(f32) = try .init(d, parts);
            defer partials.deinit();
            const args: Parts = .{ .out = partials.out, .lost = partials.lost, .x = x, .count = n, .part = part, .parts = parts };
            try launch.launch(d, name, args, .{ .groups = parts, .cost = 2 * n, .rounds = fold.rounds(part), .step = "parts" });
            try fold.dispatchJoin(f32, d, partials, 1, parts, .{ .out = @ptrCast(out) });
        }
    };
}

fn onDevice(d: *const Device, out: *const Tensor, x: *const Tensor) Error!void {
    if (out.dtype != x.dtype) return error.DtypeMismatch;
    if (out.count() != 1) return error.ShapeMismatch;
    try tensor.checkApart(out, x);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(Task(T){ .out = &out.ptr(T)[0], .x = x });
        },
        else => return error.Unsupported,
    }
}

fn checked(device_: u32, out: u32, x: u32) Error!void {
    return onDevice(try device.get(device_), try tensor.get(out), try tensor.get(x));
}

pub const entries = struct {
    /// `out` holds one element of x's dtype, f32 or f64.
    pub fn sum_of_squares(device_: u32, out: u32, x: u32) callconv(.c) i32 {
        return status.of(checked(device_, out, x));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const guard = @import("../testing/guard.zig");

fn sumsq(comptime T: type, workers: u32, x: *const Tensor) !f64 {
    const d = device.forTest(workers);
    var out: [1]f64 = undefined;
    try sums(T, &d, &.{x}, &out);
    var reference: f64 = 0;
    if (x.contiguous()) {
        for (x.ptr(T)[0..x.count()]) |v| reference += @as(f64, v) * @as(f64, v);
        try testing.expectApproxEqRel(reference, out[0], 1e-11);
    }
    return out[0];
}

test "sum of squares: of a list has the bits of each alone, for any workers and layouts" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const lens = [_]usize{ 1, 0, 255, 256, 257, 5003, 17, 0, 70001 };
    inline for (.{ f32, f64 }) |T| {
        var all: arrays.Tensors = .{};
        defer all.free();
        var tensors: [lens.len + 1]*const Tensor = undefined;
        for (lens, tensors[0..lens.len]) |n, *x| x.* = try tensor.get(try all.normal(T, &.{n}, prng.random(), 1));
        tensors[lens.len] = try tensor.get(try all.view(try all.normal(T, &.{ 300, 2 }, prng.random(), 1), 1, &.{300}, &.{2}));
        for (1..9) |workers| {
            var out: [tensors.len]f64 = undefined;
            try sums(T, &device.forTest(@intCast(workers)), &tensors, &out);
            for (tensors, out) |x, found| try testing.expectEqual(try sumsq(T, 1, x), found);
        }
    }
}

test "sum of squares: all lengths, the same bits for any workers and layout" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        for (arrays.lengths ++ [_]usize{ 257, 1023, 40000, 300001 }) |n| {
            var all: arrays.Tensors = .{};
            defer all.free();
            const base = try all.empty(T, &.{ n + 1, 2 });
            for (arrays.data(T, base)) |*v| v.* = @floatCast(prng.random().floatNorm(f64));
            const view = try tensor.get(try all.view(base, 1, &.{n}, &.{2}));
            const dense = try tensor.get(try all.empty(T, &.{n}));
            for (dense.ptr(T)[0..n], 0..) |*v, i| v.* = view.ptr(T)[2 * i];
            const first = try sumsq(T, 1, dense);
            for ([_]u32{ 2, 3, 8 }) |workers| try testing.expectEqual(first, try sumsq(T, workers, dense));
            try testing.expectEqual(first, try sumsq(T, 2, view));
        }
    }
}

test "sum of squares: long vectors of ones are counted, for any workers" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const long = try tensor.get(try all.filled(f32, &.{1 << 25}, 1));
    const short = try tensor.get(try all.filled(f32, &.{40000}, 1));
    for ([_]u32{ 1, 2, 5, 16 }) |workers| {
        const d = device.forTest(workers);
        const out = try all.empty(f32, &.{});
        try onDevice(&d, try tensor.get(out), long);
        try testing.expectEqual(33554432, arrays.data(f32, out)[0]);
        try onDevice(&d, try tensor.get(out), short);
        try testing.expectEqual(40000, arrays.data(f32, out)[0]);
    }
}

test "sum of squares: squares that f32 could not hold, NaN, infinities, nothing" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const inf = std.math.inf(f32);
    try testing.expectApproxEqRel(9e76, try sumsq(f32, 1, try tensor.get(try all.from(f32, &.{2}, &.{ 3e38, 1e-30 }))), 1e-6);
    const out = try tensor.get(try all.empty(f32, &.{}));
    for ([_][2]f32{ .{ -inf, 1 }, .{ std.math.nan(f32), 1 }, .{ 3e38, 1 } }, [_]f32{ inf, std.math.nan(f32), inf }) |values, want| {
        try onDevice(&d, out, try tensor.get(try all.from(f32, &.{2}, &values)));
        try arrays.expectSameBits(f32, &.{want}, out.ptr(f32)[0..1]);
    }
    try onDevice(&d, out, try tensor.get(try all.empty(f32, &.{0})));
    try testing.expectEqual(0, out.ptr(f32)[0]);
    const expect = testing.expectError;
    try expect(error.ShapeMismatch, onDevice(&d, try tensor.get(try all.empty(f32, &.{2})), out));
    try expect(error.DtypeMismatch, onDevice(&d, try tensor.get(try all.empty(f64, &.{})), out));
    try expect(error.Unsupported, onDevice(&d, try tensor.get(try all.empty(i32, &.{})), try tensor.get(try all.empty(i32, &.{1}))));
    try expect(error.Overlap, onDevice(&d, out, out));
}

test "sum of squares: reads end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const in = try guard.Guarded.init(n * @sizeOf(T));
        defer in.deinit();
        var x = (try tensor.get(try all.empty(T, &.{n}))).*;
        for (in.last(T, n), 0..) |*v, i| v.* = @floatFromInt(i);
        x.data = @ptrCast(in.last(T, n).ptr);
        _ = try sumsq(T, 1, &x);
    };
}

//! Copy between tensors of one shape and any strides, converting where their dtypes differ: out = x.
//!
//! To a float: rounded to nearest, ties to even. To an integer: truncated towards zero, then clamped to the range; NaN becomes 0.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const strided = @import("../row/strided.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Rows × columns of `out = x`; steps in elements.
fn Rows(comptime To: type, comptime From: type) type {
    return extern struct {
        out: [*]To,
        x: [*]const From,
        rows: usize,
        cols: usize,
        out_row: isize,
        x_row: isize,
        out_col: isize,
        x_col: isize,
    };
}

fn Kernel(comptime To: type, comptime From: type) type {
    return struct {
        fn rows(p: *const Rows(To, From)) callconv(.c) void {
            var out = p.out;
            var x = p.x;
            const dense = p.cols == 1 or (p.out_col == 1 and p.x_col == 1);
            for (0..p.rows) |_| {
                if (dense) row(out, x, p.cols) else scattered(p, out, x);
                out = strided.offset(out, p.out_row);
                x = strided.offset(x, p.x_row);
            }
        }

        inline fn row(out: [*]To, x: [*]const From, n: usize) void {
            const lanes = simd.lanes;
            var j: usize = 0;
            while (j + 4 * lanes <= n) : (j += 4 * lanes) {
                inline for (0..4) |k| simd.store(out + j + k * lanes, convert(simd.Vec(To), simd.load(From, x + j + k * lanes)));
            }
            while (j + lanes <= n) : (j += lanes) simd.store(out + j, convert(simd.Vec(To), simd.load(From, x + j)));
            if (j < n) simd.storePartial(out + j, convert(simd.Vec(To), simd.loadPartial(From, x + j, n - j, 0)), n - j);
        }

        fn scattered(p: *const Rows(To, From), out_row: [*]To, x_row: [*]const From) void {
            var out = out_row;
            var x = x_row;
            for (0..p.cols) |_| {
                out[0] = convert(@Vector(1, To), @as(@Vector(1, From), .{x[0]}))[0];
                out = strided.offset(out, p.out_col);
                x = strided.offset(x, p.x_col);
            }
        }
    };
}

inline fn convert(comptime V: type, x: anytype) V {
    const To = @typeInfo(V).vector.child;
    const From = @typeInfo(@TypeOf(x)).vector.child;
    if (To == From) return x;
    if (@typeInfo(To) == .float) return if (@typeInfo(From) == .float) @floatCast(x) else @floatFromInt(x);
    if (@typeInfo(From) == .int) {
        // i32 and u32 in either direction: what both can hold starts at 0 and ends at the largest i32.
        const zero: @TypeOf(x) = @splat(0);
        const top: @TypeOf(x) = @splat(std.math.maxInt(i32));
        return @bitCast(if (From == i32) @select(From, x > zero, x, zero) else @select(From, x < top, x, top));
    }
    const zero: @TypeOf(x) = @splat(0);
    const low: @TypeOf(x) = @splat(std.math.minInt(To));
    // The first float that the integer cannot hold: a power of two.
    const high: @TypeOf(x) = @splat(@as(From, std.math.maxInt(To) / 2 + 1) * 2);
    const below = @select(From, x < high, x, zero); // a NaN compares false
    const inside = @select(From, below > low, below, zero);
    const whole: V = @intFromFloat(inside);
    const capped = @select(To, x >= high, @as(V, @splat(std.math.maxInt(To))), whole);
    return @select(To, x <= low, @as(V, @splat(std.math.minInt(To))), capped);
}

/// A transposition: `out[i·out_row + j] = x[i + j·x_row]`, i below `rows`, j below `cols`.
fn Turn(comptime T: type) type {
    return extern struct { out: [*]T, x: [*]const T, rows: usize, cols: usize, out_row: isize, x_row: isize };
}

/// Edge of a square that is read by whole lines of x and written by whole lines of out.
fn edge(comptime T: type) comptime_int {
    return 64 / @sizeOf(T);
}

fn turn(comptime T: type) fn (*const Turn(T)) callconv(.c) void {
    return struct {
        const side = edge(T);

        fn f(p: *const Turn(T)) callconv(.c) void {
            // Along the rows of out, whose lines are then written in order.
            var i: usize = 0;
            while (i < p.rows) : (i += side) {
                var j: usize = 0;
                while (j < p.cols) : (j += side) {
                    const out = strided.offset(p.out, p.out_row * @as(isize, @intCast(i))) + j;
                    const x = strided.offset(p.x, p.x_row * @as(isize, @intCast(j))) + i;
                    square(p, out, x, @min(side, p.rows - i), @min(side, p.cols - j));
                }
            }
        }

        inline fn square(p: *const Turn(T), out: [*]T, x: [*]const T, rows: usize, cols: usize) void {
            @setEvalBranchQuota(100_000);
            if (rows == side and cols == side) {
                const F = if (T == u32) f32 else f64;
                var tile: [side][*]const F = undefined;
                inline for (&tile, 0..) |*row, k| row.* = @ptrCast(strided.offset(x, p.x_row * k));
                const turned = simd.loadTurned(F, &tile);
                inline for (turned, 0..) |v, k| simd.store(@as([*]F, @ptrCast(strided.offset(out, p.out_row * k))), v);
                return;
            }
            for (0..rows) |i| {
                const to = strided.offset(out, p.out_row * @as(isize, @intCast(i)));
                for (0..cols) |j| to[j] = strided.offset(x, p.x_row * @as(isize, @intCast(j)))[i];
            }
        }
    }.f;
}

pub const ukernels = struct {
    pub const copy_u32_u32_rows = Kernel(u32, u32).rows;
    pub const copy_u64_u64_rows = Kernel(u64, u64).rows;
    pub const copy_f32_f64_rows = Kernel(f32, f64).rows;
    pub const copy_f32_i32_rows = Kernel(f32, i32).rows;
    pub const copy_f32_u32_rows = Kernel(f32, u32).rows;
    pub const copy_f64_f32_rows = Kernel(f64, f32).rows;
    pub const copy_f64_i32_rows = Kernel(f64, i32).rows;
    pub const copy_f64_u32_rows = Kernel(f64, u32).rows;
    pub const copy_i32_f32_rows = Kernel(i32, f32).rows;
    pub const copy_i32_f64_rows = Kernel(i32, f64).rows;
    pub const copy_i32_u32_rows = Kernel(i32, u32).rows;
    pub const copy_u32_f32_rows = Kernel(u32, f32).rows;
    pub const copy_u32_f64_rows = Kernel(u32, f64).rows;
    pub const copy_u32_i32_rows = Kernel(u32, i32).rows;
    pub const copy_u32_turn = turn(u32);
    pub const copy_u64_turn = turn(u64);
};

/// What the shaders take.
fn Dispatch(comptime To: type, comptime From: type) type {
    return extern struct { out: [*]To, x: [*]const From, axes: strided.Axes(2) = undefined };
}

/// Edge of a square that a workgroup turns, and the least that pays for it.
const gpu_edge = 32;
const gpu_edge_least = 16;

fn Task(comptime To: type, comptime From: type) type {
    return struct {
        const Self = @This();

        walk: strided.Walk(2),
        out: [*]To,
        x: [*]const From,

        pub fn run(self: Self, d: *const Device) void {
            const bytes = self.walk.count *| (@sizeOf(To) + @sizeOf(From));
            if (To == From) if (self.turned(4)) |axis| return self.runTurn(d, axis, bytes);
            const Run = struct {
                task: *const Self,
                kernel: *const fn (*const Rows(To, From)) callconv(.c) void,
                fn block(r: @This(), k: strided.Block(2)) void {
                    r.kernel(&.{
                        .out = strided.offset(r.task.out, k.at[0]),
                        .x = strided.offset(r.task.x, k.at[1]),
                        .rows = k.rows,
                        .cols = k.cols,
                        .out_row = k.row[0],
                        .x_row = k.row[1],
                        .out_col = k.col[0],
                        .x_col = k.col[1],
                    });
                }
            };
            const pass: device.Pass = .{ .step = "copy", .kernel = "copy_" ++ @typeName(To) ++ "_" ++ @typeName(From) ++ "_rows" };
            const kernel = d.kernel(fn (*const Rows(To, From)) callconv(.c) void, pass.kernel.?);
            self.walk.run(d, pass, bytes, Run{ .task = &self, .kernel = kernel }, Run.block);
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            const pair = @typeName(To) ++ "_" ++ @typeName(From);
            if (comptime !launch.exists("copy_" ++ pair)) return error.Unsupported;
            const args: Dispatch(To, From) = .{ .out = self.out, .x = self.x };
            if (To == From) if (self.turned(gpu_edge_least)) |axis| {
                return self.walk.withSecond(axis).dispatchAs(d, "copy_" ++ @typeName(To) ++ "_turn", args, .{ .step = "copy", .square = gpu_edge });
            };
            return self.walk.dispatchAs(d, "copy_" ++ pair, args, .{ .step = "copy" });
        }

        /// The axis along which x is contiguous, where out is so along another one and both are long enough for a transposition in squares.
        fn turned(self: *const Self, least: usize) ?usize {
            const w = &self.walk;
            if (w.rank < 2 or w.strides[0][0] != 1 or w.strides[0][1] == 1 or w.sizes[0] < least) return null;
            for (1..w.rank) |axis| if (w.strides[axis][1] == 1 and w.sizes[axis] >= least) return axis;
            return null;
        }

        /// Rows and columns of one job: 16 KiB in and out for f32, which the first level cache holds. Transposing f32 ran at 12 to 17 GB/s for 2048×2048,
        /// whose rows lie a power of two apart, and at 19 for 2064×2064, read and written counted; a plain copy of that size took 25.
        const job_rows = 64;
        const job_cols = 64;

        fn runTurn(self: *const Self, d: *const Device, axis: usize, bytes: u64) void {
            const w = &self.walk;
            const Run = struct {
                task: *const Self,
                axis: usize,
                row_jobs: usize,
                col_jobs: usize,
                kernel: *const fn (*const Turn(To)) callconv(.c) void,

                fn jobs(r: @This(), begin: usize, end: usize) void {
                    for (begin..end) |job| r.one(job);
                }

                fn one(r: @This(), job: usize) void {
                    const walk = &r.task.walk;
                    const j = job % r.col_jobs * job_cols;
                    const i = job / r.col_jobs % r.row_jobs * job_rows;
                    var rest = job / r.col_jobs / r.row_jobs;
                    var out = @as(isize, @intCast(i)) * walk.strides[r.axis][0] + @as(isize, @intCast(j));
                    var x = @as(isize, @intCast(i)) + @as(isize, @intCast(j)) * walk.strides[0][1];
                    for (1..walk.rank) |k| {
                        if (k == r.axis) continue;
                        const index: isize = @intCast(rest % walk.sizes[k]);
                        rest /= walk.sizes[k];
                        out += index * walk.strides[k][0];
                        x += index * walk.strides[k][1];
                    }
                    r.kernel(&.{
                        .out = strided.offset(r.task.out, out),
                        .x = strided.offset(r.task.x, x),
                        .rows = @min(job_rows, walk.sizes[r.axis] - i),
                        .cols = @min(job_cols, walk.sizes[0] - j),
                        .out_row = walk.strides[r.axis][0],
                        .x_row = walk.strides[0][1],
                    });
                }
            };
            const row_jobs = std.math.divCeil(usize, w.sizes[axis], job_rows) catch unreachable;
            const col_jobs = std.math.divCeil(usize, w.sizes[0], job_cols) catch unreachable;
            const outer = w.count / w.sizes[0] / w.sizes[axis];
            const pass: device.Pass = .{ .step = "copy", .kernel = "copy_" ++ @typeName(To) ++ "_turn" };
            const kernel = d.kernel(fn (*const Turn(To)) callconv(.c) void, pass.kernel.?);
            d.overRange(pass, outer * row_jobs * col_jobs, 1, bytes, Run{ .task = self, .axis = axis, .row_jobs = row_jobs, .col_jobs = col_jobs, .kernel = kernel }, Run.jobs);
        }
    };
}

fn Storage(comptime dtype: tensor.Dtype) type {
    return switch (dtype) {
        .f32 => f32,
        .f64 => f64,
        .i32 => i32,
        .u32 => u32,
    };
}

fn onDevice(d: *const Device, out: *const Tensor, x: *const Tensor) Error!void {
    if (!out.sameShape(x)) return error.ShapeMismatch;
    const walk: strided.Walk(2) = try .init(.{ out, x });
    try tensor.checkInPlace(out, x);
    switch (out.dtype) {
        inline else => |to| switch (x.dtype) {
            inline else => |from| {
                // Equal dtypes move bits.
                const To = if (to != from) Storage(to) else if (to == .f64) u64 else u32;
                const From = if (to != from) Storage(from) else To;
                try d.submit(Task(To, From){ .walk = walk, .out = out.ptr(To), .x = x.ptr(From) });
            },
        },
    }
}

/// x without gaps, in memory of its device that the caller gives.
pub fn compact(d: *const Device, x: *const Tensor, block: [*]align(memory.alignment) u8) Error!Tensor {
    var dense = x.*;
    dense.data = block;
    var stride: isize = 1;
    var axis: usize = x.rank;
    while (axis > 0) {
        axis -= 1;
        dense.strides_[axis] = stride;
        stride *= @intCast(@max(1, x.shape_[axis]));
    }
    const walk: strided.Walk(2) = try .init(.{ &dense, x });
    switch (x.dtype.bytes()) {
        inline 4, 8 => |bytes| {
            const T = @Int(.unsigned, 8 * bytes);
            const task: Task(T, T) = .{ .walk = walk, .out = dense.ptr(T), .x = x.ptr(T) };
            if (d.gpu != null) try task.dispatch(d) else task.run(d);
        },
        else => unreachable,
    }
    if (d.explanation) |e| e.noteScratch(x.count() * x.dtype.bytes());
    return dense;
}

fn checked(device_: u32, out: u32, x: u32) Error!void {
    return onDevice(try device.get(device_), try tensor.get(out), try tensor.get(x));
}

pub const entries = struct {
    /// Any dtypes, any strides, equal shapes.
    pub fn copy(device_: u32, out: u32, x: u32) callconv(.c) i32 {
        return status.of(checked(device_, out, x));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const guard = @import("../testing/guard.zig");

/// The documented conversion, one element at a time, in 128 bits.
fn plain(comptime To: type, x: anytype) To {
    const From = @TypeOf(x);
    if (To == From) return x;
    if (@typeInfo(To) == .float) return if (@typeInfo(From) == .float) @floatCast(x) else @floatFromInt(x);
    if (@typeInfo(From) == .int) return std.math.lossyCast(To, x);
    if (std.math.isNan(x)) return 0;
    if (x >= 1e12) return std.math.maxInt(To);
    if (x <= -1e12) return std.math.minInt(To);
    return std.math.lossyCast(To, @as(i128, @intFromFloat(x)));
}

const whole_numbers = [_]f64{ 0, -1, 1, 16777217, -16777217, 16777219, 2147483583, 2147483584, 2147483647, 2147483648, -2147483648 } ++
    [_]f64{ 4294967167, 4294967168, 4294967295 };
const floats = [_]f64{ std.math.nan(f64), std.math.inf(f64), -std.math.inf(f64), -0.0, 5e-324, 1e-45, 3.4e38, 1e300, -1e300, 0.999, -0.999 } ++
    [_]f64{ -1.5, 2.5, 1 + 1e-9, 2147483647.5, -2147483648.5, -2147483904, 4294967295.5, 4294967296 };

/// Values at the edges of every dtype, as T has them.
fn special(comptime T: type) []const T {
    @setEvalBranchQuota(10_000);
    comptime {
        var list: []const T = &.{};
        for (whole_numbers) |v| {
            if (@typeInfo(T) == .float) {
                list = list ++ .{@as(T, @floatCast(v))};
            } else if (v >= std.math.minInt(T) and v <= std.math.maxInt(T)) list = list ++ .{@as(T, @intFromFloat(v))};
        }
        if (@typeInfo(T) == .float) for (floats) |v| {
            list = list ++ .{@as(T, @floatCast(v))};
        };
        return list;
    }
}

fn element(x: *const Tensor, comptime T: type, i: usize) *T {
    var rest = i;
    var at: isize = 0;
    for (0..x.rank) |axis| {
        at += x.strideFromEnd(axis) * @as(isize, @intCast(rest % x.fromEnd(axis)));
        rest /= x.fromEnd(axis);
    }
    return &strided.offset(x.ptr(T), at)[0];
}

fn expectCopied(comptime To: type, comptime From: type, workers: u32, out: *const Tensor, x: *const Tensor) !void {
    const d = device.forTest(workers);
    try onDevice(&d, out, x);
    for (0..out.count()) |i| {
        const wanted = plain(To, element(x, From, i).*);
        const found = element(out, To, i).*;
        if (@typeInfo(To) == .float and std.math.isNan(wanted) and std.math.isNan(found)) continue;
        try testing.expectEqual(@as([@sizeOf(To)]u8, @bitCast(wanted)), @as([@sizeOf(To)]u8, @bitCast(found)));
    }
}

test "copy: converts as documented, each value at each place" {
    inline for (.{ f32, f64, i32, u32 }) |To| inline for (.{ f32, f64, i32, u32 }) |From| {
        for (comptime special(From), 0..) |value, k| for ([_]usize{ 1, 15, 16, 17, 40 }) |n| {
            var all: arrays.Tensors = .{};
            defer all.free();
            const x = try tensor.get(try all.filled(From, &.{n}, if (@typeInfo(From) == .float) 1.75 else 3));
            const out = try tensor.get(try all.filled(To, &.{n}, 9));
            x.ptr(From)[k % n] = value;
            x.ptr(From)[n - 1] = value;
            try expectCopied(To, From, 1, out, x);
        };
    };
}

test "copy: integers to floats are rounded to nearest, for any bits" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var all: arrays.Tensors = .{};
    defer all.free();
    inline for (.{ i32, u32 }) |From| {
        const x = try tensor.get(try all.empty(From, &.{5000}));
        for (x.ptr(From)[0..5000]) |*v| v.* = @bitCast(prng.random().int(u32));
        try expectCopied(f32, From, 1, try tensor.get(try all.empty(f32, &.{5000})), x);
        try expectCopied(f64, From, 3, try tensor.get(try all.empty(f64, &.{5000})), x);
    }
}

test "copy: every layout, every cut, and nothing beside the output is touched" {
    inline for (.{ f32, f64 }) |T| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const x = try all.empty(T, &.{ 3, 70, 90 });
        for (arrays.data(T, x), 0..) |*v, i| v.* = @floatFromInt(i);
        for ([_]u32{ 1, 2, 5, 8 }) |workers| {
            const flat = try tensor.get(try all.empty(T, &.{ 3, 70, 90 }));
            try expectCopied(T, T, workers, flat, try tensor.get(x));
            // Transposed both ways, over two axes and over three, into a part of a larger tensor.
            const base = try all.filled(T, &.{ 3, 90, 75 }, -1);
            const inside = try tensor.get(try all.view(base, 2, &.{ 3, 90, 70 }, &.{ 90 * 75, 75, 1 }));
            try expectCopied(T, T, workers, inside, try tensor.get(try all.view(x, 0, &.{ 3, 90, 70 }, &.{ 70 * 90, 1, 90 })));
            for (arrays.data(T, base), 0..) |v, i| {
                if (i % 75 < 2 or i % 75 >= 72) try testing.expectEqual(-1, v);
            }
            try expectCopied(T, T, workers, try tensor.get(try all.empty(T, &.{ 90, 70, 3 })), try tensor.get(try all.view(x, 0, &.{ 90, 70, 3 }, &.{ 1, 90, 70 * 90 })));
            try expectCopied(T, T, workers, try tensor.get(try all.empty(T, &.{ 70, 3, 90 })), try tensor.get(try all.view(x, 0, &.{ 70, 3, 90 }, &.{ 90, 70 * 90, 1 })));
            // Broadcast: one row for all.
            try expectCopied(T, T, workers, try tensor.get(try all.empty(T, &.{ 20, 90 })), try tensor.get(try all.view(x, 0, &.{ 20, 90 }, &.{ 0, 1 })));
            // A conversion of a transposed view.
            try expectCopied(i32, T, workers, try tensor.get(try all.empty(i32, &.{ 90, 70 })), try tensor.get(try all.view(x, 0, &.{ 90, 70 }, &.{ 1, 90 })));
        }
    }
}

test "copy: transpositions of all small sizes" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const x = try all.empty(f32, &.{ 35, 35 });
    for (arrays.data(f32, x), 0..) |*v, i| v.* = @floatFromInt(i);
    for (0..36) |rows| for (0..36) |cols| {
        var some: arrays.Tensors = .{};
        defer some.free();
        const out = try tensor.get(try some.empty(f32, &.{ rows, cols }));
        try expectCopied(f32, f32, 1, out, try tensor.get(try some.view(x, 0, &.{ rows, cols }, &.{ 1, 35 })));
    };
}

test "copy: overlap is an error, the very same view does nothing, shapes have to be equal" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const x = try all.filled(f32, &.{ 4, 4 }, 3);
    const turned = try all.view(x, 0, &.{ 4, 4 }, &.{ 1, 4 });
    try onDevice(&d, try tensor.get(x), try tensor.get(x));
    try testing.expectError(error.Overlap, onDevice(&d, try tensor.get(x), try tensor.get(turned)));
    try testing.expectError(error.Overlap, onDevice(&d, try tensor.get(try all.view(x, 0, &.{ 4, 4 }, &.{ 0, 1 })), try tensor.get(try all.empty(f32, &.{ 4, 4 }))));
    try testing.expectError(error.ShapeMismatch, onDevice(&d, try tensor.get(x), try tensor.get(try all.empty(f32, &.{4}))));
}

test "copy: reads and writes end at the border" {
    inline for (.{ f32, f64, i32 }) |To| for (1..71) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const in = try guard.Guarded.init(n * 4);
        defer in.deinit();
        const to = try guard.Guarded.init(n * @sizeOf(To));
        defer to.deinit();
        var x = (try tensor.get(try all.empty(f32, &.{n}))).*;
        var out = (try tensor.get(try all.empty(To, &.{n}))).*;
        for (in.last(f32, n), 0..) |*v, i| v.* = @floatFromInt(i);
        x.data = @ptrCast(in.last(f32, n).ptr);
        out.data = @ptrCast(to.last(To, n).ptr);
        try expectCopied(To, f32, 1, &out, &x);
    };
}

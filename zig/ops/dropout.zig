//! Dropout: out = x/(1 − rate) where an element is kept, else 0 (Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting",
//! 2014). It is its own gradient: the same call on dy with the same place of the stream.
//!
//! Element i, counted along the rows, is kept where word i of the random stream, as a number u = (word >> 8)·2⁻²⁴, is at least the rate: where `uniform` at
//! this place of the stream gives f32 numbers of at least the rate. So nothing is stored, and no mask depends on workers, layout or element type. With rate
//! 0 all are kept, with rate 1 none; what is not kept is 0, whatever x holds.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const philox = @import("../row/philox.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const split = @import("../row/split.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

/// Elements of 16 blocks of the stream.
const group = 64;

fn Args(comptime T: type) type {
    return extern struct {
        out: [*]T,
        x: [*]const T,
        rows: usize,
        cols: usize,
        out_stride: usize,
        x_stride: usize,
        /// Place of the first element in the stream, whose words begin with block `counter`.
        first: usize,
        key: [2]u32,
        counter: [4]u32,
        /// An element is kept where its word's upper 24 bits are at least this, which is up to 2^24.
        least: i32,
        factor: T,
    };
}

fn Kernel(comptime T: type) type {
    return struct {
        const Ints = Vec(i32);

        fn rows(p: *const Args(T)) callconv(.c) void {
            @setEvalBranchQuota(100_000);
            for (0..p.rows) |i| {
                const out = p.out + i * p.out_stride;
                const x = p.x + i * p.x_stride;
                const first = p.first + i * p.cols;
                var j: usize = @min(p.cols, (group - first % group) % group);
                if (j > 0) some(p, out, x, first, j);
                while (p.cols - j >= group) : (j += group) {
                    const drawn = draw(p, first + j);
                    inline for (0..4) |k| {
                        const v = simd.load(T, x + j + k * simd.lanes) * @as(Vec(T), @splat(p.factor));
                        simd.store(out + j + k * simd.lanes, @select(T, drawn[k] >= @as(Ints, @splat(p.least)), v, @as(Vec(T), @splat(0))));
                    }
                }
                if (j < p.cols) some(p, out + j, x + j, first + j, p.cols - j);
            }
        }

        /// The upper bits of the words of a group, the one that the place lies in.
        inline fn draw(p: *const Args(T), place: usize) [4]Ints {
            const counter = philox.fromWords(p.counter) +% place / group * simd.lanes;
            const w = philox.inOrder(u32, 4, philox.blocks(philox.Words, p.key, philox.counters(philox.words(counter))));
            var out: [4]Ints = undefined;
            inline for (&out, w) |*o, word| o.* = @bitCast(word >> @splat(8));
            return out;
        }

        /// Elements of one group that are not all of it.
        noinline fn some(p: *const Args(T), out: [*]T, x: [*]const T, first: usize, count: usize) void {
            var upper: [group]i32 = undefined;
            inline for (draw(p, first), 0..) |v, k| simd.store(upper[k * simd.lanes ..].ptr, v);
            for (out[0..count], x[0..count], upper[first % group ..][0..count]) |*o, v, u| o.* = if (u >= p.least) v * p.factor else 0;
        }
    };
}

pub const ukernels = struct {
    pub const dropout_f32_rows = Kernel(f32).rows;
    pub const dropout_f64_rows = Kernel(f64).rows;
};

/// What the shader takes: it reads key and counter where they lie.
const Dispatch = extern struct {
    out: [*]f32,
    x: [*]const f32,
    state: [*]const u32,
    rows: usize,
    cols: usize,
    out_stride: usize,
    x_stride: usize,
    least: i32,
    factor: f32,
};

fn Task(comptime T: type) type {
    return struct {
        /// Without key and counter.
        args: Args(T),
        state: philox.State,
        again: bool,

        pub fn run(self: @This(), d: *const Device) void {
            var args = self.args;
            args.key = self.state.key();
            args.counter = philox.words(self.state.counter());
            // The ten rounds for an element take about as long as copying it once more.
            (split.Elements(Args(T), .{ .kernel = "dropout_" ++ @typeName(T) ++ "_rows", .weight = 2 }, 2){ .args = args }).run(d);
            if (!d.explains() and !self.again) self.state.advance(self.blocks());
        }

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = &self.args;
            try launch.launch(d, "dropout_f32", Dispatch{
                .out = a.out,
                .x = a.x,
                .state = self.state.words,
                .rows = a.rows,
                .cols = a.cols,
                .out_stride = a.out_stride,
                .x_stride = a.x_stride,
                .least = a.least,
                .factor = a.factor,
            }, philox.draws(a.rows * a.cols));
            if (!self.again) try self.state.advanceOn(d, self.blocks());
        }

        fn blocks(self: @This()) usize {
            return std.math.divCeil(usize, self.args.rows * self.args.cols, 4) catch unreachable;
        }
    };
}

/// Bits of `flags`.
const again = 1;

fn dropout(d: *const Device, out_: u32, x_: u32, state_: u32, flags: u32, rate: f64) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.typed(out_, x.dtype);
    const state_tensor = try tensor.get(state_);
    const state: philox.State = try .of(state_tensor);
    if (flags >> 1 != 0 or !(rate >= 0 and rate <= 1)) return error.InvalidArgument;
    const rows = try shape.flattened(2, .{ out, x });
    _ = try shape.written(out);
    try tensor.checkInPlace(out, x);
    try tensor.checkApart(out, state_tensor);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(Task(T){
                .args = .{
                    .out = out.ptr(T),
                    .x = x.ptr(T),
                    .rows = rows[0].rows,
                    .cols = rows[0].cols,
                    .out_stride = rows[0].stride,
                    .x_stride = rows[1].stride,
                    .first = 0,
                    .key = undefined,
                    .counter = undefined,
                    .least = @intFromFloat(@ceil(rate * 0x1p24)),
                    .factor = @floatCast(1 / (1 - rate)),
                },
                .state = state,
                .again = flags & again != 0,
            });
        },
        else => return error.Unsupported,
    }
}

fn dropoutOn(device_: u32, out: u32, x: u32, state: u32, flags: u32, rate: f64) Error!void {
    return dropout(try device.get(device_), out, x, state, flags, rate);
}

pub const entries = struct {
    /// `rate` is from 0 to 1. Moves the state's counter by a block for every four elements, unless `flags` is 1. `out` may be `x`.
    pub fn dropout(device_: u32, out: u32, x: u32, state: u32, flags: u32, rate: f64) callconv(.c) i32 {
        return status.of(dropoutOn(device_, out, x, state, flags, rate));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

const key = [2]u32{ 7, 9 };

fn keeps(start: u128, i: usize, rate: f64) bool {
    const word = philox.blocks(u32, key, philox.words(start +% i / 4))[i % 4];
    return @as(f64, @floatFromInt(word >> 8)) * 0x1p-24 >= rate;
}

test "dropout: each element by its word of the stream, at every length, rate and number of workers, in place and in views" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    // Just below a carry over two words of the counter.
    const start: u128 = 0xffff_ffff_ffff_fff9;
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{ 257, 1000 }) |cols| for ([_]f64{ 0, 0.1, 0.5, 0.999, 1 }) |rate| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const rows = 5;
        const d = device.forTest(@intCast(1 + cols % 8));
        const dims = [_]usize{ rows, cols };
        const x = try t.normal(T, &dims, prng.random(), 1);
        // What is dropped is 0, whatever it was.
        for (arrays.data(T, x), 0..) |*v, i| if (!keeps(start, i, rate)) {
            v.* = std.math.nan(T);
        };
        const want = try testing.allocator.alloc(T, rows * cols);
        defer testing.allocator.free(want);
        const factor: T = @floatCast(1 / (1 - rate));
        for (want, arrays.data(T, x), 0..) |*w, v, i| w.* = if (keeps(start, i, rate)) v * factor else 0;
        const state = try t.from(u32, &.{6}, &(key ++ philox.words(start)));
        const y = try t.filled(T, &dims, 42);
        try dropout(&d, y, x, state, again, rate);
        try arrays.expectSameBits(T, want, arrays.data(T, y));
        try testing.expectEqual(philox.words(start), arrays.data(u32, state)[2..6].*);

        const gap = cols + 7;
        const base = try t.filled(T, &.{ rows, gap }, 42);
        const view = try t.view(base, 3, &dims, &.{ gap, 1 });
        for (0..rows) |i| @memcpy(arrays.data(T, base)[i * gap + 3 ..][0..cols], arrays.data(T, x)[i * cols ..][0..cols]);
        try dropout(&d, view, view, state, 0, rate);
        for (arrays.data(T, base), 0..) |v, i| {
            const inside = i % gap >= 3 and i % gap < 3 + cols;
            try testing.expectEqual(if (inside) want[i / gap * cols + i % gap - 3] else 42, v);
        }
        try testing.expectEqual(philox.words(start +% (rows * cols + 3) / 4), arrays.data(u32, state)[2..6].*);
        try testing.expectEqual(key, arrays.data(u32, state)[0..2].*);
    };
}

test "dropout: a refused call writes nothing and leaves the stream where it was" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    const state = try t.from(u32, &.{6}, &.{ 1, 2, 3, 4, 5, 6 });
    for ([_]f64{ -0.1, 1.1, std.math.nan(f64) }) |rate| try testing.expectError(error.InvalidArgument, dropout(&d, y, x, state, 0, rate));
    try testing.expectError(error.InvalidArgument, dropout(&d, y, x, state, 2, 0.5));
    try testing.expectError(error.ShapeMismatch, dropout(&d, y, try t.filled(f32, &.{8}, 1), state, 0, 0.5));
    try testing.expectError(error.ShapeMismatch, dropout(&d, y, x, try t.filled(u32, &.{5}, 1), 0, 0.5));
    try testing.expectError(error.DtypeMismatch, dropout(&d, y, x, x, 0, 0.5));
    const integers = try t.filled(i32, &.{4}, 1);
    try testing.expectError(error.Unsupported, dropout(&d, integers, integers, state, 0, 0.5));
    for (arrays.data(f32, y)) |v| try testing.expectEqual(42, v);
    try testing.expectEqual([6]u32{ 1, 2, 3, 4, 5, 6 }, arrays.data(u32, state)[0..6].*);
}

test "dropout: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const kernel = pick.testKernel("dropout_" ++ @typeName(T) ++ "_rows", fn (*const Args(T)) callconv(.c) void);
        const values: [2 * 150]T = @splat(1);
        for (1..150) |cols| {
            const x = try arrays.atBorder(T, values[0 .. 2 * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. 2 * cols]);
            defer out.memory.deinit();
            kernel(&.{
                .out = out.items.ptr,
                .x = x.items.ptr,
                .rows = 2,
                .cols = cols,
                .out_stride = cols,
                .x_stride = cols,
                .first = 3,
                .key = key,
                .counter = .{ 1, 2, 3, 4 },
                .least = 1 << 23,
                .factor = 2,
            });
            for (out.items) |v| try testing.expect(v == 0 or v == 2);
        }
    }
}

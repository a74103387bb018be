//! Rotary position embedding (Su et al., "RoFormer: Enhanced transformer with rotary position embedding", 2021) of [batch, heads, time, width]: pair i of the
//! first `rotated` elements of a row at position p is turned by the angle p·θᵢ, θᵢ = base^(−2i/rotated); the rest of the row stays.
//!
//!     out_a = x_a·cos − x_b·sin,  out_b = x_b·cos + x_a·sin
//!
//! (a, b) are (i, i + rotated/2) in the half form and (2i, 2i + 1) in the interleaved one. The gradient is the turn back: the same with −sin.
//!
//! Angles are formed in f64 whatever the storage, in half turns: p·θ/π is an exact product of two parts, whose whole turns are taken off before they are
//! added, so that only the rounding of θ is left: p·2^-54 or so of a radian, which at position 2^20 is far below what f32 holds.
//!
//! A job takes 16 positions through all heads: their sines and cosines are computed once, lie in the first-level cache, and serve batch·heads rows.
//! Turning [8, 8, 512, 64] in f32 took 1.07 times what `copy` of it took; PyTorch's `x·cos + turned(x)·sin`, its tables ready, took some 20 times as long.
//! A sine with its cosine costs 1.3 ns, which shows where there are few heads: one alone takes five times what its copy takes.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const math = @import("../isa/math.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const simd = @import("../isa/simd.zig");
const status = @import("../status.zig");
const strided = @import("../row/strided.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;
const lanes = simd.lanes;

/// Bits of `flags`.
const interleaved_form = 1;
const turn_back = 2;

/// Positions of one job.
const block_times = 16;
/// Columns of the tables of sines and cosines: with 16 positions 8 KiB each in f32.
const table_cols = 128;
/// Fewer jobs than this are cut by batches too.
const jobs_wanted = 16;

fn Block(comptime T: type) type {
    return extern struct {
        out: [*]T,
        x: [*]const T,
        /// Positions of the rows; where it is null they go from `first` on.
        positions: ?[*]const u32,
        first: u64,
        batch: usize,
        heads: usize,
        /// At most `block_times`.
        times: usize,
        width: usize,
        rotated: usize,
        /// Of batch, head and time.
        out_strides: [3]isize,
        x_strides: [3]isize,
        base: f64,
        flags: u32,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);
        const Wide = Vec(f64);

        fn block(p: *const Block(T)) callconv(.c) void {
            if (p.flags & interleaved_form != 0) turn(true, p) else turn(false, p);
        }

        const Tables = struct {
            cos: [block_times * table_cols]T,
            sin: [block_times * table_cols]T,
        };

        /// Pairs go in parts whose tables fit; every row passes once for each part, most models having one.
        fn turn(comptime interleaved: bool, p: *const Block(T)) void {
            @setEvalBranchQuota(20_000);
            const pairs_max = if (interleaved) table_cols / 2 else table_cols;
            var tables: Tables = undefined;
            var pair: usize = 0;
            while (true) {
                const pairs = @min(pairs_max, p.rotated / 2 - pair);
                fill(interleaved, p, &tables, pair, pairs);
                rows(interleaved, p, &tables, pair, pairs);
                pair += pairs;
                if (pair >= p.rotated / 2) break;
            }
        }

        inline fn wide(v: f64) Wide {
            return @splat(v);
        }

        /// Row t of the tables: cosines and sines of the pairs from `pair` on, whole vectors of them. Interleaved, each stands twice, the first sine negated.
        fn fill(comptime interleaved: bool, p: *const Block(T), tables: *Tables, pair: usize, pairs: usize) void {
            const back = p.flags & turn_back != 0;
            const log_base = math.log(wide(p.base));
            var k: usize = 0;
            while (k < pairs) : (k += lanes) {
                const index = wide(@floatFromInt(pair + k)) + std.simd.iota(f64, lanes);
                const theta = math.exp(-((index + index) / wide(@floatFromInt(p.rotated)) * log_base));
                // θ/π as a sum of two.
                const inverse_pi_high = 0.3183098861837907;
                const inverse_pi_low = -1.9678676675182486e-17;
                const high = theta * wide(inverse_pi_high);
                const low = simd.fma(theta, wide(inverse_pi_low), simd.fma(theta, wide(inverse_pi_high), -high));
                for (0..p.times) |t| {
                    const place: u64 = if (p.positions) |given| given[t] else p.first + t;
                    const position = wide(@floatFromInt(place));
                    const angle = position * high;
                    const lost = simd.fma(position, high, -angle);
                    // Whole turns off: adding 1.5·2^52 rounds to an integer, and the difference is exact.
                    const rounder = wide(0x1.8p52);
                    const turns = simd.fma(angle, wide(0.5), rounder) - rounder;
                    const rest = simd.fma(turns, wide(-2), angle) + simd.fma(position, low, lost);
                    const both = math.sinCosPi(rest);
                    const cos: V = @floatCast(both.cos);
                    const sin: V = @floatCast(if (back) -both.sin else both.sin);
                    if (interleaved) {
                        const at = t * table_cols + 2 * k;
                        inline for (0..2) |half| {
                            simd.store(@as([*]T, &tables.cos) + at + half * lanes, @shuffle(T, cos, undefined, twice(half, false)));
                            simd.store(@as([*]T, &tables.sin) + at + half * lanes, @shuffle(T, sin, -sin, twice(half, true)));
                        }
                    } else {
                        const at = t * table_cols + k;
                        simd.store(@as([*]T, &tables.cos) + at, cos);
                        simd.store(@as([*]T, &tables.sin) + at, sin);
                    }
                }
            }
        }

        /// Each lane of one half twice, the first of the two from the second vector where `negated`.
        fn twice(comptime half: comptime_int, comptime negated: bool) @Vector(lanes, i32) {
            comptime {
                var mask: [lanes]i32 = undefined;
                for (&mask, 0..) |*m, i| {
                    const lane = half * lanes / 2 + i / 2;
                    m.* = if (negated and i % 2 == 0) ~@as(i32, lane) else lane;
                }
                return mask;
            }
        }

        /// Heads and times in the order in which they lie in x.
        fn rows(comptime interleaved: bool, p: *const Block(T), tables: *const Tables, pair: usize, pairs: usize) void {
            const times_inside = @abs(p.x_strides[2]) <= @abs(p.x_strides[1]);
            const outer = if (times_inside) p.heads else p.times;
            const inner = if (times_inside) p.times else p.heads;
            for (0..p.batch) |b| for (0..outer) |i| for (0..inner) |j| {
                const head = if (times_inside) i else j;
                const time = if (times_inside) j else i;
                const out = strided.offset(p.out, offsetOf(p.out_strides, b, head, time));
                const x = strided.offset(p.x, offsetOf(p.x_strides, b, head, time));
                const table = time * table_cols;
                if (interleaved) {
                    sweep.each(2 * pairs, Interleaved{
                        .out = out + 2 * pair,
                        .x = x + 2 * pair,
                        .cos = @as([*]const T, &tables.cos) + table,
                        .sin = @as([*]const T, &tables.sin) + table,
                    });
                } else {
                    sweep.each(pairs, Halves{
                        .out = out + pair,
                        .x = x + pair,
                        .half = p.rotated / 2,
                        .cos = @as([*]const T, &tables.cos) + table,
                        .sin = @as([*]const T, &tables.sin) + table,
                    });
                }
                if (pair == 0 and p.rotated < p.width and out != x) sweep.each(p.width - p.rotated, Rest{ .out = out + p.rotated, .x = x + p.rotated });
            };
        }

        inline fn offsetOf(strides: [3]isize, b: usize, head: usize, time: usize) isize {
            return @as(isize, @intCast(b)) * strides[0] + @as(isize, @intCast(head)) * strides[1] + @as(isize, @intCast(time)) * strides[2];
        }

        const Halves = struct {
            out: [*]T,
            x: [*]const T,
            half: usize,
            cos: [*]const T,
            sin: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                const a = sweep.read(T, whole, s.x + j, left, 0);
                const b = sweep.read(T, whole, s.x + s.half + j, left, 0);
                const cos = simd.load(T, s.cos + j);
                const sin = simd.load(T, s.sin + j);
                sweep.write(T, whole, s.out + j, a * cos - b * sin, left);
                sweep.write(T, whole, s.out + s.half + j, b * cos + a * sin, left);
            }
        };

        const Interleaved = struct {
            out: [*]T,
            x: [*]const T,
            cos: [*]const T,
            sin: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                const x = sweep.read(T, whole, s.x + j, left, 0);
                const partner = @shuffle(T, x, undefined, exchanged: {
                    var mask: [lanes]i32 = undefined;
                    for (&mask, 0..) |*m, i| m.* = i ^ 1;
                    break :exchanged mask;
                });
                sweep.write(T, whole, s.out + j, x * simd.load(T, s.cos + j) + partner * simd.load(T, s.sin + j), left);
            }
        };

        const Rest = struct {
            out: [*]T,
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                sweep.write(T, whole, s.out + j, sweep.read(T, whole, s.x + j, left, 0), left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const rotary_f32_block = Kernels(f32).block;
    pub const rotary_f64_block = Kernels(f64).block;
};

/// What the shaders take: first the table of cosines and sines, a row for each position, then the turn by it.
const Angles = extern struct {
    table: [*][2]f32,
    positions: ?[*]const u32,
    first: u64,
    rows: usize,
    pairs: usize,
    /// log2(base)·2/rotated in words of 2^-64, 2^-32 and 1.
    exponent: [3]u32,
    back: bool,
};
const Pairs = extern struct {
    out: [*]f32,
    x: [*]const f32,
    table: [*]const [2]f32,
    batch: usize,
    heads: usize,
    times: usize,
    width: usize,
    rotated: usize,
    out_strides: [3]isize,
    x_strides: [3]isize,
    interleaved: bool,
    per_batch: bool,
};

/// Positions of a thread of the shader of angles.
const gpu_steps = 16;

fn Task(comptime T: type) type {
    return struct {
        /// Of the whole: `times` and the strides are those of the tensors.
        args: Block(T),
        /// Whether each batch has positions of its own.
        per_batch: bool,

        pub fn isEmpty(self: *const @This()) bool {
            const a = &self.args;
            return a.batch == 0 or a.heads == 0 or a.times == 0 or a.width == 0;
        }

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = &self.args;
            const count = a.batch * a.heads * a.times * (a.width - a.rotated / 2);
            const rows = if (self.per_batch) a.batch * a.times else a.times;
            const pairs = a.rotated / 2;
            const scratch = try Scratch.init(d, @sizeOf([2]f32) * rows * pairs);
            defer scratch.deinit();
            const table = scratch.ptr([2]f32);
            const exponent = if (pairs == 0) 0 else @log2(a.base) / @as(f64, @floatFromInt(pairs));
            const fraction: [2]u32 = @bitCast(@as(u64, @intFromFloat((exponent - @floor(exponent)) * 0x1p64)));
            const angles: Angles = .{
                .table = table,
                .positions = a.positions,
                .first = a.first,
                .rows = rows,
                .pairs = pairs,
                .exponent = fraction ++ .{@as(u32, @intFromFloat(exponent))},
                .back = a.flags & turn_back != 0,
            };
            var work = launch.byElement("rotary_f32_angles", pairs * (std.math.divCeil(usize, rows, gpu_steps) catch unreachable));
            work.step = "angles";
            work.cost = 64 *| rows *| pairs;
            try launch.launch(d, "rotary_f32_angles", angles, work);
            return launch.launch(d, "rotary_f32_pairs", self.pairsBy(table), launch.byElement("rotary_f32_pairs", count));
        }

        fn pairsBy(self: *const @This(), table: [*]const [2]f32) Pairs {
            const a = &self.args;
            return .{
                .out = a.out,
                .x = a.x,
                .table = table,
                .batch = a.batch,
                .heads = a.heads,
                .times = a.times,
                .width = a.width,
                .rotated = a.rotated,
                .out_strides = a.out_strides,
                .x_strides = a.x_strides,
                .interleaved = a.flags & interleaved_form != 0,
                .per_batch = self.per_batch,
            };
        }

        pub fn run(self: @This(), d: *const Device) void {
            const a = self.args;
            const blocks = std.math.divCeil(usize, a.times, block_times) catch unreachable;
            const parts = if (self.per_batch) a.batch else @min(a.batch, std.math.divCeil(usize, jobs_wanted, blocks) catch unreachable);
            const Call = struct {
                args: Block(T),
                blocks: usize,
                part_batch: usize,
                per_batch: bool,
                kernel: *const fn (*const Block(T)) callconv(.c) void,

                fn jobs(c: @This(), begin: usize, end: usize) void {
                    for (begin..end) |q| {
                        var p = c.args;
                        const time = q % c.blocks * block_times;
                        const b = q / c.blocks * c.part_batch;
                        if (b >= c.args.batch) continue;
                        p.batch = @min(c.part_batch, c.args.batch - b);
                        p.times = @min(block_times, c.args.times - time);
                        p.first += time;
                        if (p.positions) |given| p.positions = given + time + if (c.per_batch) b * c.args.times else 0;
                        p.out = strided.offset(p.out, Kernels(T).offsetOf(p.out_strides, b, 0, time));
                        p.x = strided.offset(p.x, Kernels(T).offsetOf(p.x_strides, b, 0, time));
                        c.kernel(&p);
                    }
                }
            };
            const pass: device.Pass = .{ .kernel = "rotary_" ++ @typeName(T) ++ "_block" };
            d.overRange(pass, parts * blocks, 1, 2 * @sizeOf(T) * a.batch * a.heads * a.times * a.width, Call{
                .args = a,
                .blocks = blocks,
                .part_batch = std.math.divCeil(usize, a.batch, parts) catch unreachable,
                .per_batch = self.per_batch,
                .kernel = d.kernel(fn (*const Block(T)) callconv(.c) void, pass.kernel.?),
            }, Call.jobs);
        }
    };
}

fn rotate(d: *const Device, out_: u32, x_: u32, positions_: u32, start: u32, rotated: u32, flags: u32, base: f64) Error!void {
    const x = try tensor.get(x_);
    const out = try tensor.typed(out_, x.dtype);
    const positions = try tensor.optional(positions_, .u32);
    if (x.rank != 4 or !out.sameShape(x)) return error.ShapeMismatch;
    const batch, const heads, const times, const width = x.shape_[0..4].*;
    if (rotated % 2 != 0 or rotated > width) return error.ShapeMismatch;
    if (flags >> 2 != 0 or !(base >= 1) or !std.math.isFinite(base)) return error.InvalidArgument;
    for ([_]*const tensor.Tensor{ out, x }) |t| if (width > 1 and x.count() > 0 and t.strides_[3] != 1) return error.LayoutMismatch;
    // Refuses an output whose elements meet.
    _ = try strided.Walk(1).init(.{out});
    try tensor.checkInPlace(out, x);
    if (positions) |given| {
        const fits = (given.rank == 1 and given.shape_[0] == times) or (given.rank == 2 and given.shape_[0] == batch and given.shape_[1] == times);
        if (!fits) return error.ShapeMismatch;
        if (!given.contiguous()) return error.LayoutMismatch;
        try tensor.checkApart(out, given);
    } else if (@as(u64, start) + times > 1 << 32) return error.InvalidArgument;
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(Task(T){
                .args = .{
                    .out = out.ptr(T),
                    .x = x.ptr(T),
                    .positions = if (positions) |given| given.ptr(u32) else null,
                    .first = start,
                    .batch = batch,
                    .heads = heads,
                    .times = times,
                    .width = width,
                    .rotated = rotated,
                    .out_strides = out.strides_[0..3].*,
                    .x_strides = x.strides_[0..3].*,
                    .base = base,
                    .flags = flags,
                },
                .per_batch = if (positions) |given| given.rank == 2 else false,
            });
        },
        else => return error.Unsupported,
    }
}

fn rotateOn(device_: u32, out: u32, x: u32, positions: u32, start: u32, rotated: u32, flags: u32, base: f64) Error!void {
    return rotate(try device.get(device_), out, x, positions, start, rotated, flags, base);
}

pub const entries = struct {
    /// `positions` are u32 without gaps, [time] or [batch, time]; with 0 they go from `start` on. `flags`: 1 pairs neighbours instead of halves, 2 turns back.
    /// `out` may be `x`.
    pub fn rotary(device_: u32, out: u32, x: u32, positions: u32, start: u32, rotated: u32, flags: u32, base: f64) callconv(.c) i32 {
        return status.of(rotateOn(device_, out, x, positions, start, rotated, flags, base));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

/// One row by libm, in f64.
fn reference(out: []f64, x: []const f64, position: f64, rotated: usize, flags: u32, base: f64) void {
    @memcpy(out, x);
    const half = rotated / 2;
    for (0..half) |i| {
        const theta = std.math.pow(f64, base, -2 * @as(f64, @floatFromInt(i)) / @as(f64, @floatFromInt(rotated)));
        const sign: f64 = if (flags & turn_back != 0) -1 else 1;
        const cos = @cos(position * theta);
        const sin = sign * @sin(position * theta);
        const a = if (flags & interleaved_form != 0) 2 * i else i;
        const b = if (flags & interleaved_form != 0) 2 * i + 1 else i + half;
        out[a] = x[a] * cos - x[b] * sin;
        out[b] = x[b] * cos + x[a] * sin;
    }
}

const Shape = struct { batch: usize, heads: usize, times: usize, width: usize };

/// The whole tensor, row-major; `positions` has one for each time, or for each batch and time.
fn referenceOf(x: []const f64, s: Shape, positions: []const u32, rotated: usize, flags: u32, base: f64) ![]f64 {
    const out = try testing.allocator.alloc(f64, x.len);
    for (0..s.batch) |b| for (0..s.heads) |h| for (0..s.times) |t| {
        const at = ((b * s.heads + h) * s.times + t) * s.width;
        const position = positions[if (positions.len == s.times) t else b * s.times + t];
        reference(out[at..][0..s.width], x[at..][0..s.width], @floatFromInt(position), rotated, flags, base);
    };
    return out;
}

fn compare(comptime T: type, s: Shape, rotated: u32, start: u32, workers: u32, random: std.Random, limit: f64) !void {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(workers);
    const dims = [_]usize{ s.batch, s.heads, s.times, s.width };
    const x = try t.normal(T, &dims, random, 1);
    const x_wide = try arrays.widen(T, arrays.data(T, x));
    defer testing.allocator.free(x_wide);
    const positions = try testing.allocator.alloc(u32, s.times);
    defer testing.allocator.free(positions);
    for (positions, 0..) |*p, i| p.* = start + @as(u32, @intCast(i));
    for (0..4) |flags| {
        const f: u32 = @intCast(flags);
        const want = try referenceOf(x_wide, s, positions, rotated, f, 10000);
        defer testing.allocator.free(want);
        const out = try t.filled(T, &dims, 42);
        try rotate(&d, out, x, 0, start, rotated, f, 10000);
        try arrays.expectWithin(T, want, arrays.data(T, out), limit);
        // Positions that are given are the same bits, and so is the turn in place.
        const given = try t.from(u32, &.{s.times}, positions);
        const again = try t.from(T, &dims, arrays.data(T, x));
        try rotate(&d, again, again, given, 0, rotated, f, 10000);
        try arrays.expectSameBits(T, arrays.data(T, out), arrays.data(T, again));
    }
}

test "rotary: values as in f64 at every width, part of it and form" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        const limit: f64 = if (T == f32) 2e-7 else 1e-14;
        for (arrays.lengths) |width| {
            const all: u32 = @intCast(width & ~@as(usize, 1));
            try compare(T, .{ .batch = 2, .heads = 1, .times = 3, .width = width }, all, 5, 2, prng.random(), limit);
            try compare(T, .{ .batch = 1, .heads = 2, .times = 2, .width = width }, all / 4 * 2, 0, 1, prng.random(), limit);
        }
        // More pairs than a table has, more times than a job has, no rows.
        for ([_]Shape{
            .{ .batch = 1, .heads = 2, .times = 17, .width = 600 },
            .{ .batch = 3, .heads = 2, .times = 50, .width = 34 },
            .{ .batch = 0, .heads = 2, .times = 3, .width = 4 },
            .{ .batch = 1, .heads = 2, .times = 0, .width = 4 },
        }) |s| try compare(T, s, @intCast(s.width), 0, 3, prng.random(), 4 * limit);
    }
}

test "rotary: angles hold their digits at long positions" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    for ([_]u32{ 1000, 131_071, 1 << 20, 16_777_217, std.math.maxInt(u32) - 4 }) |start| {
        const far: f64 = @floatFromInt(start);
        const s: Shape = .{ .batch = 1, .heads = 1, .times = 5, .width = 128 };
        // The reference rounds θ and its product with the position, each by half an ulp of the angle.
        try compare(f64, s, 128, start, 1, prng.random(), 1e-14 + 1e-15 * far);
        try compare(f32, s, 128, start, 1, prng.random(), 2e-7 + 1e-15 * far);
    }
}

test "rotary: known values, in both forms" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    // cos 1, sin 1 for the first pair; θ = 1/100 for the second.
    const x = try t.from(f64, &.{ 1, 1, 1, 4 }, &.{ 1, 2, 3, 4 });
    const out = try t.empty(f64, &.{ 1, 1, 1, 4 });
    try rotate(&d, out, x, 0, 1, 4, 0, 10000);
    try arrays.expectWithin(f64, &.{ 0.5403023058681398 - 3 * 0.8414709848078965, 2 * 0.9999500004166653 - 4 * 0.009999833334166664, 3 * 0.5403023058681398 + 0.8414709848078965, 4 * 0.9999500004166653 + 2 * 0.009999833334166664 }, arrays.data(f64, out), 1e-15);
    try rotate(&d, out, x, 0, 1, 4, interleaved_form, 10000);
    try arrays.expectWithin(f64, &.{ 0.5403023058681398 - 2 * 0.8414709848078965, 2 * 0.5403023058681398 + 0.8414709848078965, 3 * 0.9999500004166653 - 4 * 0.009999833334166664, 4 * 0.9999500004166653 + 3 * 0.009999833334166664 }, arrays.data(f64, out), 1e-15);
    // Position 0 changes nothing, the bits of -0 and NaN aside.
    try rotate(&d, out, x, 0, 0, 4, 0, 10000);
    try testing.expectEqualSlices(f64, &.{ 1, 2, 3, 4 }, arrays.data(f64, out));
}

test "rotary: positions of each batch, on views in any order of axes, by any number of workers: the same bits" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const s: Shape = .{ .batch = 3, .heads = 5, .times = 37, .width = 20 };
        const dims = [_]usize{ s.batch, s.heads, s.times, s.width };
        // As a projection leaves it: [batch, time, heads · width] with a gap behind.
        const row = s.heads * s.width + 4;
        const base = try t.normal(T, &.{ s.batch, s.times, row }, prng.random(), 1);
        const strides = [_]usize{ s.times * row, s.width, row, 1 };
        const x = try t.view(base, 0, &dims, &strides);
        const dense = try t.empty(T, &dims);
        for (0..s.batch) |b| for (0..s.heads) |h| for (0..s.times) |time| for (0..s.width) |j| {
            arrays.data(T, dense)[((b * s.heads + h) * s.times + time) * s.width + j] = arrays.data(T, base)[(b * s.times + time) * row + h * s.width + j];
        };
        const positions = try t.empty(u32, &.{ s.batch, s.times });
        for (arrays.data(u32, positions)) |*p| p.* = prng.random().uintLessThan(u32, 5000);
        const x_wide = try arrays.widen(T, arrays.data(T, dense));
        defer testing.allocator.free(x_wide);
        const want = try referenceOf(x_wide, s, arrays.data(u32, positions), 12, 0, 500000);
        defer testing.allocator.free(want);
        const first = try t.empty(T, &dims);
        try rotate(&device.forTest(1), first, dense, positions, 0, 12, 0, 500000);
        try arrays.expectWithin(T, want, arrays.data(T, first), if (T == f32) 2e-7 else 1e-11);
        for (1..9) |workers| {
            const d = device.forTest(@intCast(workers));
            const out = try t.empty(T, &dims);
            try rotate(&d, out, x, positions, 0, 12, 0, 500000);
            try arrays.expectSameBits(T, arrays.data(T, first), arrays.data(T, out));
            // Into a view: what lies between its rows stays.
            const wide_out = try t.filled(T, &.{ s.batch, s.times, row }, 42);
            try rotate(&d, try t.view(wide_out, 0, &dims, &strides), dense, positions, 0, 12, 0, 500000);
            for (arrays.data(T, wide_out), 0..) |v, i| {
                const col = i % row;
                const b = i / row / s.times;
                const time = i / row % s.times;
                const wanted = if (col >= s.heads * s.width) 42 else arrays.data(T, first)[((b * s.heads + col / s.width) * s.times + time) * s.width + col % s.width];
                try testing.expectEqual(wanted, v);
            }
        }
    }
}

test "rotary: NaN and infinities stay in their pair" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const width = 40;
    const x = try t.filled(f32, &.{ 1, 1, 1, width }, 1);
    arrays.data(f32, x)[3] = std.math.nan(f32);
    arrays.data(f32, x)[6] = std.math.inf(f32);
    const out = try t.empty(f32, &.{ 1, 1, 1, width });
    for ([_]u32{ 0, interleaved_form }) |flags| {
        try rotate(&d, out, x, 0, 7, width, flags, 10000);
        for (arrays.data(f32, out), 0..) |v, i| {
            const of: [2]usize = if (flags == 0) .{ i % 20, i % 20 } else .{ i & ~@as(usize, 1), i | 1 };
            const touched = of[0] == 3 or of[1] == 3 or of[0] == 6 or of[1] == 6;
            try testing.expectEqual(!touched, std.math.isFinite(v));
        }
    }
}

test "rotary: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const dims = [_]usize{ 2, 1, 3, 4 };
    const x = try t.filled(f32, &dims, 1);
    const out = try t.filled(f32, &dims, 42);
    const positions = try t.filled(u32, &.{3}, 0);
    try testing.expectError(error.ShapeMismatch, rotate(&d, out, x, 0, 0, 3, 0, 10000));
    try testing.expectError(error.ShapeMismatch, rotate(&d, out, x, 0, 0, 6, 0, 10000));
    try testing.expectError(error.ShapeMismatch, rotate(&d, out, try t.filled(f32, &.{ 2, 3, 4 }, 1), 0, 0, 4, 0, 10000));
    try testing.expectError(error.ShapeMismatch, rotate(&d, out, x, try t.filled(u32, &.{2}, 0), 0, 4, 0, 10000));
    try testing.expectError(error.ShapeMismatch, rotate(&d, out, x, try t.filled(u32, &.{ 3, 2 }, 0), 0, 4, 0, 10000));
    try testing.expectError(error.DtypeMismatch, rotate(&d, out, x, try t.filled(f32, &.{3}, 0), 0, 4, 0, 10000));
    try testing.expectError(error.DtypeMismatch, rotate(&d, out, try t.filled(f64, &dims, 1), 0, 0, 4, 0, 10000));
    try testing.expectError(error.InvalidArgument, rotate(&d, out, x, 0, 0, 4, 4, 10000));
    try testing.expectError(error.InvalidArgument, rotate(&d, out, x, 0, 0, 4, 0, 0.5));
    try testing.expectError(error.InvalidArgument, rotate(&d, out, x, 0, 0, 4, 0, std.math.nan(f64)));
    try testing.expectError(error.InvalidArgument, rotate(&d, out, x, 0, std.math.maxInt(u32), 4, 0, 10000));
    try testing.expectError(error.LayoutMismatch, rotate(&d, out, try t.view(x, 0, &.{ 2, 1, 3, 4 }, &.{ 12, 12, 1, 3 }), positions, 0, 4, 0, 10000));
    try testing.expectError(error.Overlap, rotate(&d, try t.view(out, 0, &dims, &.{ 0, 12, 4, 1 }), x, 0, 0, 4, 0, 10000));
    try testing.expectError(error.Overlap, rotate(&d, try t.view(out, 4, &.{ 1, 1, 3, 4 }, &.{ 12, 12, 4, 1 }), try t.view(out, 0, &.{ 1, 1, 3, 4 }, &.{ 12, 12, 4, 1 }), 0, 0, 4, 0, 10000));
    for (arrays.data(f32, out)) |v| try testing.expectEqual(42, v);
}

test "rotary: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const kernel = pick.testKernel("rotary_" ++ @typeName(T) ++ "_block", fn (*const Block(T)) callconv(.c) void);
        const values: [70]T = @splat(1);
        for ([_]u32{ 0, interleaved_form }) |flags| for (1..71) |n| for ([_]usize{ n, n / 2 }) |part| {
            const x = try arrays.atBorder(T, values[0..n]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0..n]);
            defer out.memory.deinit();
            const positions = try arrays.atBorder(u32, &.{3});
            defer positions.memory.deinit();
            const zero: [3]isize = @splat(0);
            kernel(&.{
                .out = out.items.ptr,
                .x = x.items.ptr,
                .positions = positions.items.ptr,
                .first = 0,
                .batch = 1,
                .heads = 1,
                .times = 1,
                .width = n,
                .rotated = part & ~@as(usize, 1),
                .out_strides = zero,
                .x_strides = zero,
                .base = 10000,
                .flags = flags,
            });
        };
    }
}

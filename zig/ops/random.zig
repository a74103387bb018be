//! Random numbers by counter: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
//!
//! The state is six u32: a key of two words, then a counter of 128 bits, lowest word first. A call takes the blocks from the counter on, four words each,
//! and moves the counter by the number of blocks it used, so a stream is the same for any number of workers, instruction set and cut into chunks.
//!
//! - f32 takes one word an element: uniform u = (word >> 8)·2⁻²⁴ in [0, 1). f64 takes two: u = (64 bits >> 11)·2⁻⁵³.
//! - normal is Box–Muller on pairs: √(−2 ln u₁) times cos 2πu₂ and sin 2πu₂, u₁ in (0, 1] from 32 bits for f32 and 53 for f64.
//! - categorical takes one block a row and inverts the distribution of softmax(logits / temperature), summed in f64 one after another, over the part of it
//!   that top-k and then top-p leave.

const std = @import("std");
const assert = std.debug.assert;
const simd = @import("../isa/simd.zig");
const math = @import("../isa/math.zig");
const copy = @import("copy.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const nucleus = @import("../row/nucleus.zig");
const philox = @import("../row/philox.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;
const State = philox.State;
const Words = philox.Words;

const Kind = enum { bits, uniform, normal };

/// `count` elements from block `counter` on: a + b·u with low and width, or mean and deviation; a uniform number that reaches `limit` becomes `top`.
fn Draw(comptime T: type) type {
    return extern struct { out: [*]T, count: usize, key: [2]u32, counter: [4]u32, a: T, b: T, limit: T, top: T };
}

/// Elements that one block gives.
fn perBlock(comptime T: type) comptime_int {
    return 16 / @sizeOf(T);
}

fn draw(comptime T: type, comptime kind: Kind) fn (*const Draw(T)) callconv(.c) void {
    return struct {
        const V = simd.Vec(T);
        /// Vectors of one group of 16 blocks.
        const vectors = perBlock(T);
        const group = vectors * simd.lanes;

        fn f(p: *const Draw(T)) callconv(.c) void {
            @setEvalBranchQuota(100_000);
            var counter = philox.fromWords(p.counter);
            var i: usize = 0;
            while (i < p.count) : (i += group) {
                const v = philox.inOrder(T, vectors, values(p, philox.blocks(Words, p.key, philox.counters(philox.words(counter)))));
                counter +%= simd.lanes;
                if (p.count - i >= group) {
                    inline for (0..vectors) |k| simd.store(p.out + i + k * simd.lanes, v[k]);
                } else {
                    var left = p.count - i;
                    inline for (0..vectors) |k| {
                        const at = p.out + i + k * simd.lanes;
                        if (left >= simd.lanes) simd.store(at, v[k]) else if (left > 0) simd.storePartial(at, v[k], left);
                        left -|= simd.lanes;
                    }
                }
            }
        }

        /// Vector k holds value k of each of the 16 blocks.
        inline fn values(p: *const Draw(T), w: [4]Words) [vectors]V {
            if (kind == .bits) return w;
            var out: [vectors]V = undefined;
            if (kind == .uniform) {
                inline for (0..vectors) |k| {
                    const u = if (T == f32) unit32(w[k]) else unit64(w[2 * k], w[2 * k + 1]);
                    const v = all(p.a) + all(p.b) * u;
                    // Rounding may reach the upper end, which does not belong to the range.
                    out[k] = @select(T, v < all(p.limit), v, all(p.top));
                }
                return out;
            }
            inline for (0..vectors / 2) |k| {
                const pair = if (T == f32) polar(open32(w[2 * k]), unit32(w[2 * k + 1])) else polar(unit64(w[0], w[1]) + all(0x1p-53), unit64(w[2], w[3]));
                out[2 * k] = all(p.a) + all(p.b) * pair[0];
                out[2 * k + 1] = all(p.a) + all(p.b) * pair[1];
            }
            return out;
        }

        inline fn polar(u: V, turn: V) [2]V {
            const radius = @sqrt(all(-2) * math.log(u));
            const angle = math.sinCosPi(turn + turn);
            return .{ radius * angle.cos, radius * angle.sin };
        }

        inline fn all(x: T) V {
            return @splat(x);
        }
    }.f;
}

/// [0, 1) from 24 bits.
inline fn unit32(w: Words) simd.Vec(f32) {
    const small: simd.Vec(i32) = @bitCast(w >> @splat(8));
    return @as(simd.Vec(f32), @floatFromInt(small)) * @as(simd.Vec(f32), @splat(0x1p-24));
}

/// (0, 1] from 32 bits.
inline fn open32(w: Words) simd.Vec(f32) {
    // Halves are exact; their sum is rounded once.
    const high: simd.Vec(i32) = @bitCast(w >> @splat(16));
    const low: simd.Vec(i32) = @bitCast(w & @as(Words, @splat(0xffff)));
    const whole = @as(simd.Vec(f32), @floatFromInt(high)) * @as(simd.Vec(f32), @splat(65536)) + @as(simd.Vec(f32), @floatFromInt(low));
    return whole * @as(simd.Vec(f32), @splat(0x1p-32)) + @as(simd.Vec(f32), @splat(0x1p-33));
}

/// [0, 1) from the upper 53 of 64 bits: 32 and 21 of them, each exact.
inline fn unit64(low: Words, high: Words) simd.Vec(f64) {
    return wide(high) * @as(simd.Vec(f64), @splat(0x1p-32)) + wide(low >> @splat(11)) * @as(simd.Vec(f64), @splat(0x1p-53));
}

/// u32 to f64 by way of i32, which every instruction set converts.
inline fn wide(w: Words) simd.Vec(f64) {
    const offset: simd.Vec(i32) = @bitCast(w ^ @as(Words, @splat(0x8000_0000)));
    return @as(simd.Vec(f64), @floatFromInt(offset)) + @as(simd.Vec(f64), @splat(0x1p31));
}

fn unit64One(w: [4]u32) f64 {
    const bits = @as(u64, w[1]) << 32 | w[0];
    return @as(f64, @floatFromInt(bits >> 11)) * 0x1p-53;
}

/// Rows of logits, and the index drawn for each.
fn Choice(comptime T: type) type {
    return extern struct {
        out: [*]u32,
        x: [*]const T,
        rows: usize,
        cols: usize,
        stride: usize,
        key: [2]u32,
        counter: [4]u32,
        temperature: T,
        /// How many of the largest logits are left, and how much of their weight.
        top_k: usize,
        top_p: f64,
    };
}

fn choose(comptime T: type) fn (*const Choice(T)) callconv(.c) void {
    return struct {
        const V = simd.Vec(T);
        const inf = std.math.inf(T);

        fn f(p: *const Choice(T)) callconv(.c) void {
            @setEvalBranchQuota(100_000);
            const first = philox.fromWords(p.counter);
            for (p.out[0..p.rows], 0..) |*o, i| {
                const x = p.x + i * p.stride;
                o.* = @intCast(if (p.temperature == 0) largest(x, p.cols) else sampled(p, x, unit64One(philox.blocks(u32, p.key, philox.words(first +% i)))));
            }
        }

        /// The first of the largest; the first NaN where there is one.
        fn largest(x: [*]const T, n: usize) usize {
            var at: usize = 0;
            for (x[0..n], 0..) |v, i| {
                if (v != v) return i;
                if (v > x[at]) at = i;
            }
            return at;
        }

        fn sampled(p: *const Choice(T), x: [*]const T, u: f64) usize {
            @setEvalBranchQuota(100_000);
            const at = largest(x, p.cols);
            const row: Row = .{ .x = x, .cols = p.cols, .top = x[at], .temperature = p.temperature };
            if (!(row.top > -inf)) return at; // a NaN, or nothing but -Inf: no distribution
            var part: nucleus.Part(T) = .whole;
            if (p.top_k < p.cols) part = nucleus.select(T, false, row, p.cols, p.top_k, 0);
            if (p.top_p < 1) part = nucleus.select(T, true, row, p.cols, p.top_k, p.top_p * row.total(part));
            const target = u * row.total(part);
            var sum: f64 = 0;
            var last = at;
            var rest = part;
            var j: usize = 0;
            while (j < p.cols) : (j += simd.lanes) {
                for (row.left(j, &rest) orelse continue, j..) |v, i| {
                    sum += v;
                    if (sum > target) return i;
                    if (v > 0) last = i;
                }
            }
            return last;
        }

        const Row = struct {
            x: [*]const T,
            cols: usize,
            top: T,
            temperature: T,

            /// 16 elements, -Inf past the end of the row.
            pub inline fn block(r: @This(), j: usize) V {
                const n = r.cols - j;
                return if (n >= simd.lanes) simd.load(T, r.x + j) else simd.loadPartial(T, r.x + j, n, -inf);
            }

            /// e^((x − top) / temperature) of 16 elements, 0 past the end of the row.
            pub inline fn weights(r: @This(), j: usize) [simd.lanes]T {
                const v = r.block(j);
                const peak: V = @splat(r.top);
                const e = math.exp((v - peak) / @as(V, @splat(r.temperature)));
                const some = @select(T, v > @as(V, @splat(-inf)), e, @as(V, @splat(0)));
                return @select(T, v == peak, @as(V, @splat(1)), some); // Inf − Inf is NaN
            }

            /// Weights of 16 elements, 0 for those that do not belong to the part, whose ties are counted down; null where none does.
            inline fn left(r: @This(), j: usize, part: *nucleus.Part(T)) ?[simd.lanes]T {
                if (part.key == 0) return r.weights(j);
                const keys = nucleus.keys(r.block(j));
                if (!@reduce(.Or, keys >= @as(@TypeOf(keys), @splat(part.key)))) return null;
                var w = r.weights(j);
                for (&w, @as([simd.lanes]nucleus.Bits(T), keys)) |*v, key| if (!part.takes(key)) {
                    v.* = 0;
                };
                return w;
            }

            noinline fn total(r: @This(), part: nucleus.Part(T)) f64 {
                @setEvalBranchQuota(100_000);
                var rest = part;
                var sum: f64 = 0;
                var j: usize = 0;
                while (j < r.cols) : (j += simd.lanes) {
                    for (r.left(j, &rest) orelse continue) |v| sum += v;
                }
                return sum;
            }
        };
    }.f;
}

pub const ukernels = struct {
    pub const random_u32_bits = draw(u32, .bits);
    pub const random_f32_uniform = draw(f32, .uniform);
    pub const random_f64_uniform = draw(f64, .uniform);
    pub const random_f32_normal = draw(f32, .normal);
    pub const random_f64_normal = draw(f64, .normal);
    pub const random_f32_choose = choose(f32);
    pub const random_f64_choose = choose(f64);
};

/// What the shader of a draw takes: it reads key and counter where they lie.
fn Dispatch(comptime T: type) type {
    return extern struct { out: [*]T, state: [*]const u32, count: usize, a: T, b: T, limit: T, top: T };
}

/// What the shader that chooses takes, top_p as a fraction of 64 bits.
const ChoiceDispatch = extern struct {
    out: [*]u32,
    x: [*]const f32,
    state: [*]const u32,
    rows: usize,
    cols: usize,
    stride: usize,
    temperature: f32,
    top_k: usize,
    top_p: [2]u32,
    some: bool,
};

fn DrawTask(comptime T: type, comptime kind: Kind) type {
    return struct {
        const Self = @This();

        out: [*]T,
        count: usize,
        state: State,
        a: T,
        b: T,
        limit: T,
        top: T,

        pub fn run(self: Self, d: *const Device) void {
            const Part = struct {
                task: *const Self,
                kernel: *const fn (*const Draw(T)) callconv(.c) void,
                fn range(r: @This(), begin: usize, end: usize) void {
                    const t = r.task;
                    assert(begin % perBlock(T) == 0);
                    r.kernel(&.{
                        .out = t.out + begin,
                        .count = end - begin,
                        .key = t.state.key(),
                        .counter = philox.words(t.state.counter() +% begin / perBlock(T)),
                        .a = t.a,
                        .b = t.b,
                        .limit = t.limit,
                        .top = t.top,
                    });
                }
            };
            // 1.3 ns for a uniform f32 and 1.8 ns for a normal one with AVX-512, some eight times what writing it costs: counted as that many bytes.
            const pass: device.Pass = .{ .kernel = "random_" ++ @typeName(T) ++ "_" ++ @tagName(kind), .weight = 8 };
            const kernel = d.kernel(fn (*const Draw(T)) callconv(.c) void, pass.kernel.?);
            d.overRange(pass, self.count, 64, self.count *| @sizeOf(T), Part{ .task = &self, .kernel = kernel }, Part.range);
            if (!d.explains()) self.state.advance(self.blocks());
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            if (@sizeOf(T) != 4) return error.Unsupported;
            const args: Dispatch(T) = .{ .out = self.out, .state = self.state.words, .count = self.count, .a = self.a, .b = self.b, .limit = self.limit, .top = self.top };
            try launch.launch(d, "random_" ++ @typeName(T) ++ "_" ++ @tagName(kind), args, philox.draws(self.count));
            try self.state.advanceOn(d, self.blocks());
        }

        fn blocks(self: Self) usize {
            return std.math.divCeil(usize, self.count, perBlock(T)) catch unreachable;
        }
    };
}

fn drawOn(comptime kind: Kind, d: *const Device, out: *const Tensor, state: *const Tensor, a: f64, b: f64) Error!void {
    const s: State = try .of(state);
    if (!out.contiguous()) return error.LayoutMismatch;
    try tensor.checkApart(out, state);
    switch (out.dtype) {
        inline .f32, .f64 => |dtype| {
            if (kind == .bits) return error.Unsupported;
            const T = if (dtype == .f32) f32 else f64;
            const first: T = @floatCast(a);
            const second: T = @floatCast(b);
            const width = if (kind == .uniform) second - first else second;
            if (!std.math.isFinite(first) or !std.math.isFinite(width) or width < 0) return error.InvalidArgument;
            const top = @max(first, std.math.nextAfter(T, second, -std.math.inf(T)));
            try d.submit(DrawTask(T, kind){ .out = out.ptr(T), .count = out.count(), .state = s, .a = first, .b = width, .limit = second, .top = top });
        },
        .u32 => {
            if (kind != .bits) return error.Unsupported;
            try d.submit(DrawTask(u32, .bits){ .out = out.ptr(u32), .count = out.count(), .state = s, .a = 0, .b = 0, .limit = 0, .top = 0 });
        },
        else => return error.Unsupported,
    }
}

fn drawChecked(comptime kind: Kind, device_: u32, out: u32, state: u32, a: f64, b: f64) Error!void {
    return drawOn(kind, try device.get(device_), try tensor.get(out), try tensor.get(state), a, b);
}

fn ChoiceTask(comptime T: type) type {
    return struct {
        const Self = @This();

        out: [*]u32,
        x: Tensor,
        state: State,
        temperature: T,
        top_k: usize,
        top_p: f64,

        pub fn run(self: Self, d: *const Device) Error!void {
            if (self.x.rows()) |r| return self.pick(d, self.x.ptr(T), r) else |_| {}
            const bytes = self.x.count() * @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            const dense = try copy.compact(d, &self.x, block);
            return self.pick(d, dense.ptr(T), try dense.rows());
        }

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            if (self.x.rows()) |r| return self.pickOn(d, self.x.ptr(T), r) else |_| {}
            const scratch = try Scratch.init(d, self.x.count() * @sizeOf(T));
            defer scratch.deinit();
            const dense = try copy.compact(d, &self.x, @alignCast(scratch.ptr(u8)));
            return self.pickOn(d, dense.ptr(T), try dense.rows());
        }

        fn pickOn(self: *const Self, d: *const Device, x: [*]const f32, rows: tensor.Rows) Error!void {
            // Passes over a row, each with a loop over the stretches of threads or over the 256 values of a byte: the largest element, ties, sum and draw, and
            // what each limit takes to be found.
            const passes: usize = 4 + @as(usize, if (self.top_k < rows.cols) 4 else 0) + @as(usize, if (self.top_p < 1) 6 else 0);
            const share: u64 = if (self.top_p < 1) @intFromFloat(self.top_p * 0x1p64) else 0;
            try launch.launch(d, "random_f32_choose", ChoiceDispatch{
                .out = self.out,
                .x = x,
                .state = self.state.words,
                .rows = rows.rows,
                .cols = rows.cols,
                .stride = rows.stride,
                .temperature = self.temperature,
                .top_k = @min(self.top_k, rows.cols),
                .top_p = @bitCast(share),
                .some = self.top_p < 1,
            }, .{ .groups = rows.rows, .cost = 64 *| rows.rows *| rows.cols, .rounds = passes *| (rows.cols / 256 + 290) });
            try self.state.advanceOn(d, rows.rows);
        }

        fn pick(self: *const Self, d: *const Device, x: [*]const T, rows: tensor.Rows) void {
            const Part = struct {
                task: *const Self,
                x: [*]const T,
                rows: tensor.Rows,
                kernel: *const fn (*const Choice(T)) callconv(.c) void,
                fn range(r: @This(), begin: usize, end: usize) void {
                    r.kernel(&.{
                        .out = r.task.out + begin,
                        .x = r.x + begin * r.rows.stride,
                        .rows = end - begin,
                        .cols = r.rows.cols,
                        .stride = r.rows.stride,
                        .key = r.task.state.key(),
                        .counter = philox.words(r.task.state.counter() +% begin),
                        .temperature = r.task.temperature,
                        .top_k = r.task.top_k,
                        .top_p = r.task.top_p,
                    });
                }
            };
            const pass: device.Pass = .{ .kernel = "random_" ++ @typeName(T) ++ "_choose", .weight = 8 };
            const kernel = d.kernel(fn (*const Choice(T)) callconv(.c) void, pass.kernel.?);
            d.overRange(pass, rows.rows, 1, rows.rows *| rows.cols *| @sizeOf(T), Part{ .task = self, .x = x, .rows = rows, .kernel = kernel }, Part.range);
            if (!d.explains()) self.state.advance(rows.rows);
        }
    };
}

fn categoricalOn(d: *const Device, out: *const Tensor, x: *const Tensor, state: *const Tensor, top_k: u32, temperature: f64, top_p: f64) Error!void {
    const s: State = try .of(state);
    if (out.dtype != .u32) return error.DtypeMismatch;
    if (x.rank == 0 or out.rank + 1 != x.rank or !std.mem.eql(usize, out.shape(), x.shape()[0 .. x.rank - 1])) return error.ShapeMismatch;
    if (!out.contiguous()) return error.LayoutMismatch;
    if (!(temperature >= 0) or !std.math.isFinite(temperature) or !(top_p >= 0 and top_p <= 1)) return error.InvalidArgument;
    const cols = x.fromEnd(0);
    if (out.count() > 0 and (cols == 0 or cols > std.math.maxInt(u32))) return error.ShapeMismatch;
    try tensor.checkApart(out, x);
    try tensor.checkApart(out, state);
    try tensor.checkApart(state, x);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            // A temperature too small for T is the smallest that it has; 0 alone means the largest logit.
            const t: T = if (temperature == 0) 0 else @max(@as(T, @floatCast(temperature)), std.math.floatTrueMin(T));
            try d.submit(ChoiceTask(T){
                .out = out.ptr(u32),
                .x = x.*,
                .state = s,
                .temperature = t,
                .top_k = if (top_k == 0) std.math.maxInt(usize) else top_k,
                .top_p = top_p,
            });
        },
        else => return error.Unsupported,
    }
}

fn categoricalChecked(device_: u32, out: u32, x: u32, state: u32, top_k: u32, temperature: f64, top_p: f64) Error!void {
    return categoricalOn(try device.get(device_), try tensor.get(out), try tensor.get(x), try tensor.get(state), top_k, temperature, top_p);
}

/// A whole number in [0, limit) without bias: the upper half of a product of 64 bits each, rejecting the few lowest ones (Lemire, "Fast random integer
/// generation in an interval", 2019). One block a try.
fn below(state: State, limit: u64) u64 {
    while (true) {
        const w = philox.blocks(u32, state.key(), philox.words(state.counter()));
        state.advance(1);
        const wide_product = @as(u128, @as(u64, w[1]) << 32 | w[0]) * limit;
        if (@as(u64, @truncate(wide_product)) >= (0 -% limit) % limit) return @truncate(wide_product >> 64);
    }
}

fn belowChecked(device_: u32, state: u32, limit: f64) Error!f64 {
    const d = try device.get(device_);
    if (!(limit >= 1 and limit <= 0x1p53) or limit != @trunc(limit)) return error.InvalidArgument;
    const s: State = try .of(try tensor.get(state));
    if (d.explains()) return error.Explained;
    const g = d.gpu orelse return @floatFromInt(below(s, @intFromFloat(limit)));
    // The number is asked for now: the state comes here for it.
    const at = @intFromPtr(s.words);
    var here: [6]u32 = undefined;
    try g.finish(try g.download(at, @sizeOf(@TypeOf(here))), std.mem.asBytes(&here));
    const number = below(.{ .words = &here }, @intFromFloat(limit));
    try g.upload(at, std.mem.asBytes(&here));
    return @floatFromInt(number);
}

pub const entries = struct {
    /// Uniform in [low, high), f32 or f64, contiguous. One word of the stream for an f32, two for an f64; whole blocks of four are used up.
    pub fn random_uniform(device_: u32, out: u32, state: u32, low: f64, high: f64) callconv(.c) i32 {
        return status.of(drawChecked(.uniform, device_, out, state, low, high));
    }

    /// Normally distributed, f32 or f64, contiguous.
    pub fn random_normal(device_: u32, out: u32, state: u32, mean: f64, deviation: f64) callconv(.c) i32 {
        return status.of(drawChecked(.normal, device_, out, state, mean, deviation));
    }

    /// The words of the stream, u32.
    pub fn random_bits(device_: u32, out: u32, state: u32) callconv(.c) i32 {
        return status.of(drawChecked(.bits, device_, out, state, 0, 0));
    }

    /// An index for each row of logits, drawn from softmax(logits / temperature); with temperature 0 the first of the largest. Uses one block a row.
    /// A row without a distribution gives the index of its first NaN, or 0 where all are -Inf. `top_k`, if not 0, leaves so many of the largest logits, equal
    /// ones by index; `top_p` below 1 the fewest of these, from the largest down, that hold that part of their probability.
    pub fn random_categorical(device_: u32, out: u32, logits: u32, state: u32, top_k: u32, temperature: f64, top_p: f64) callconv(.c) i32 {
        return status.of(categoricalChecked(device_, out, logits, state, top_k, temperature, top_p));
    }

    /// A whole number in [0, limit), limit from 1 to 2^53; -1 with the code left for `last_status` where it fails.
    pub fn random_below(device_: u32, state: u32, limit: f64) callconv(.c) f64 {
        return belowChecked(device_, state, limit) catch |e| {
            status.last = status.code(e);
            return -1;
        };
    }
};

const slow = @import("../testing/slow.zig");
const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const guard = @import("../testing/guard.zig");

test "random: Philox gives the published vectors" {
    // From the known-answer file of Random123, the authors' own code (kat_vectors, philox4x32 10).
    const cases = [_]struct { counter: [4]u32, key: [2]u32, out: [4]u32 }{
        .{ .counter = @splat(0), .key = @splat(0), .out = .{ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        .{ .counter = @splat(0xffffffff), .key = @splat(0xffffffff), .out = .{ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        .{ .counter = .{ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, .key = .{ 0xa4093822, 0x299f31d0 }, .out = .{ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (cases) |c| {
        try testing.expectEqual(c.out, philox.blocks(u32, c.key, c.counter));
        try testing.expectEqual(c.counter, philox.words(philox.fromWords(c.counter)));
        // The vector kernel starts there too.
        var out: [4]u32 = undefined;
        const kernel = device.forTest(1).kernel(fn (*const Draw(u32)) callconv(.c) void, "random_u32_bits");
        kernel(&.{ .out = &out, .count = 4, .key = c.key, .counter = c.counter, .a = 0, .b = 0, .limit = 0, .top = 0 });
        try testing.expectEqual(c.out, out);
    }
}

/// A tensor drawn from a state.
fn drawn(comptime kind: Kind, comptime T: type, all: *arrays.Tensors, n: usize, state: u32, workers: u32, a: f64, b: f64) ![]T {
    const d = device.forTest(workers);
    const out = try all.empty(T, &.{n});
    try drawOn(kind, &d, try tensor.get(out), try tensor.get(state), a, b);
    return arrays.data(T, out);
}

test "random: words follow the counter across every carry, for any length and workers" {
    const starts = [_]u128{ 0, 0xffff_fff0, 0xffff_ffff_ffff_fff9, 0xffff_ffff_ffff_ffff_ffff_fffd, std.math.maxInt(u128) - 3 };
    for (starts) |start| for (arrays.lengths ++ [_]usize{ 1000, 3001 }) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const key = [2]u32{ 7, 9 };
        const state = try all.from(u32, &.{6}, &(key ++ philox.words(start)));
        const out = try drawn(.bits, u32, &all, n, state, @intCast(1 + n % 8), 0, 0);
        for (out, 0..) |w, i| try testing.expectEqual(philox.blocks(u32, key, philox.words(start +% i / 4))[i % 4], w);
        try testing.expectEqual(philox.words(start +% (n + 3) / 4), arrays.data(u32, state)[2..6].*);
        try testing.expectEqual(key, arrays.data(u32, state)[0..2].*);
    };
}

fn expectUniform(comptime T: type) !void {
    for (arrays.lengths ++ [_]usize{5000}) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const state = try all.from(u32, &.{6}, &.{ 1, 2, 0xffff_fffe, 0, 0, 0 });
        const out = try drawn(.uniform, T, &all, n, state, @intCast(1 + n % 8), -2, 3);
        for (out, 0..) |v, i| {
            const w = philox.blocks(u32, .{ 1, 2 }, philox.words(0xffff_fffe + i / perBlock(T)));
            const u: T = if (T == f32) @as(f32, @floatFromInt(w[i % 4] >> 8)) * 0x1p-24 else unit64One(.{ w[i % 2 * 2], w[i % 2 * 2 + 1], 0, 0 });
            try testing.expectEqual(-2 + 5 * u, v);
            try testing.expect(v >= -2 and v < 3);
        }
    }
}

test "random: uniform numbers are those of their words, below the upper end" {
    try expectUniform(f32);
    try expectUniform(f64);
    var all: arrays.Tensors = .{};
    defer all.free();
    // 1 + u rounds to 2 for the largest u.
    const state = try all.from(u32, &.{6}, &.{ 5, 0, 0, 0, 0, 0 });
    for (0..40) |_| {
        var some: arrays.Tensors = .{};
        defer some.free();
        for (try drawn(.uniform, f32, &some, 4096, state, 2, 16777215, 16777216)) |v| try testing.expectEqual(16777215, v);
        for (try drawn(.uniform, f32, &some, 100, state, 2, 3, 3)) |v| try testing.expectEqual(3, v);
    }
}

fn expectNormal(comptime T: type) !void {
    var all: arrays.Tensors = .{};
    defer all.free();
    const n = 4003;
    const state = try all.from(u32, &.{6}, &.{ 3, 4, 0, 0, 0, 0 });
    const out = try drawn(.normal, T, &all, n, state, 3, 0.5, 2);
    for (out, 0..) |v, i| {
        const w = philox.blocks(u32, .{ 3, 4 }, philox.words(i / perBlock(T)));
        const k = i % perBlock(T) / 2 * 2;
        const u = if (T == f32) (@as(f64, @floatFromInt(w[k])) + 0.5) * 0x1p-32 else unit64One(w) + 0x1p-53;
        const turn = if (T == f32) @as(f64, @floatFromInt(w[k + 1] >> 8)) * 0x1p-24 else unit64One(.{ w[2], w[3], 0, 0 });
        const radius = @sqrt(-2 * @log(u));
        const z = radius * if (i % 2 == 0) @cos(2 * std.math.pi * turn) else @sin(2 * std.math.pi * turn);
        try testing.expectApproxEqAbs(0.5 + 2 * z, @as(f64, v), if (T == f32) 4e-6 else 1e-13);
    }
}

test "random: normal numbers are Box–Muller of their words" {
    try expectNormal(f32);
    try expectNormal(f64);
}

test "random: moments of a million normal numbers, their extremes are finite" {
    try slow.skip();
    inline for (.{ f32, f64 }) |T| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const n = 1 << 20;
        const state = try all.from(u32, &.{6}, &.{ 42, 0, 0, 0, 0, 0 });
        var moments: [4]f64 = @splat(0);
        for (try drawn(.normal, T, &all, n, state, 2, 0, 1)) |v| {
            try testing.expect(std.math.isFinite(v));
            var power: f64 = 1;
            for (&moments) |*m| {
                power *= v;
                m.* += power / n;
            }
        }
        // Five standard errors of each.
        for (moments, [_]f64{ 0, 1, 0, 3 }, [_]f64{ 1, 2, 15, 96 }) |m, wanted, variance| try testing.expectApproxEqAbs(wanted, m, 5 * @sqrt(variance / n));
    }
    // The words that would be ln 0 and ln 1.
    const zero: simd.Vec(f32) = open32(@splat(0));
    const top: simd.Vec(f32) = open32(@splat(0xffff_ffff));
    try testing.expectEqual(0x1p-33, zero[0]);
    try testing.expectEqual(1, top[0]);
}

test "random: two calls are one stream, where the first ends with a block" {
    inline for (.{ f32, f64 }) |T| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const state = try all.from(u32, &.{6}, &.{ 8, 1, 5, 0, 0, 0 });
        const again = try all.from(u32, &.{6}, &.{ 8, 1, 5, 0, 0, 0 });
        const whole = try drawn(.normal, T, &all, 1000, state, 8, 0, 1);
        const first = try drawn(.normal, T, &all, 300, again, 1, 0, 1);
        const second = try drawn(.normal, T, &all, 700, again, 3, 0, 1);
        try testing.expectEqualSlices(T, whole[0..300], first);
        try testing.expectEqualSlices(T, whole[300..], second);
        try testing.expectEqualSlices(u32, arrays.data(u32, state), arrays.data(u32, again));
    }
}

test "random: the same bits on every instruction set" {
    // Recorded once, from any of them.
    try testing.expectEqual(golden_f32, try hash(f32));
    try testing.expectEqual(golden_f64, try hash(f64));
}

const golden_f32 = 12744226224357974537;
const golden_f64 = 6047019645191778027;

fn hash(comptime T: type) !u64 {
    var all: arrays.Tensors = .{};
    defer all.free();
    const state = try all.from(u32, &.{6}, &.{ 2026, 7, 0, 0, 0, 0 });
    var h: std.hash.Fnv1a_64 = .init();
    h.update(std.mem.sliceAsBytes(try drawn(.normal, T, &all, 10007, state, 4, 0, 1)));
    h.update(std.mem.sliceAsBytes(try drawn(.uniform, T, &all, 999, state, 4, -1, 1)));
    return h.final();
}

fn choice(all: *arrays.Tensors, workers: u32, x: u32, state: u32, top_k: u32, temperature: f64, top_p: f64) ![]u32 {
    const d = device.forTest(workers);
    const t = try tensor.get(x);
    const out = try all.empty(u32, t.shape()[0 .. t.rank - 1]);
    try categoricalOn(&d, try tensor.get(out), t, try tensor.get(state), top_k, temperature, top_p);
    return arrays.data(u32, out);
}

test "random: categorical follows softmax of logits over temperature" {
    try slow.skip();
    const n = 20000;
    const logits = [_]f64{ 0, 1, -1, 2, -std.math.inf(f64), 0.5, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, -20 };
    inline for (.{ f32, f64 }) |T| for ([_]f64{ 1, 0.5, 2 }) |temperature| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const x = try all.empty(T, &.{ n, logits.len });
        for (arrays.data(T, x), 0..) |*v, i| v.* = @floatCast(logits[i % logits.len]);
        const state = try all.from(u32, &.{6}, &.{ 11, 0, 0, 0, 0, 0 });
        const out = try choice(&all, 3, x, state, 0, temperature, 1);
        try testing.expectEqual(n, arrays.data(u32, state)[2]);
        var counts: [logits.len]f64 = @splat(0);
        for (out) |i| counts[i] += 1;
        var total: f64 = 0;
        for (logits) |l| total += @exp(l / temperature);
        for (logits, counts) |l, count| {
            const p = @exp(l / temperature) / total;
            try testing.expectApproxEqAbs(p * n, count, 5 * @sqrt(p * n) + 1e-9);
        }
        // A strided view of the same logits, on one worker, from the same state: the same choices.
        const again = try all.from(u32, &.{6}, &.{ 11, 0, 0, 0, 0, 0 });
        const view = try all.view(x, 0, &.{ 100, logits.len }, &.{ logits.len, 1 });
        try testing.expectEqualSlices(u32, out[0..100], try choice(&all, 1, view, again, 0, temperature, 1));
    };
}

test "random: categorical after top-k and top-p follows what is left of the distribution" {
    try slow.skip();
    const n = 20000;
    // Largest first: 3, 2, then 1 at places 1, 6 and 7, then 0.5.
    const logits = [_]f64{ 0, 1, -1, 2, -std.math.inf(f64), 0.5, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, -20 };
    var weights: [logits.len]f64 = undefined;
    var total: f64 = 0;
    for (&weights, logits) |*w, l| {
        w.* = @exp(l);
        total += w.*;
    }
    const three = weights[16] + weights[3] + weights[1];
    const Case = struct { top_k: u32, top_p: f64, left: []const usize };
    const cases = [_]Case{
        .{ .top_k = 1, .top_p = 1, .left = &.{16} },
        .{ .top_k = 4, .top_p = 1, .left = &.{ 16, 3, 1, 6 } },
        .{ .top_k = 0, .top_p = 0, .left = &.{16} },
        .{ .top_k = 0, .top_p = (three - 0.1) / total, .left = &.{ 16, 3, 1 } },
        .{ .top_k = 0, .top_p = (three + 0.1) / total, .left = &.{ 16, 3, 1, 6 } },
        // Of the first four, not of all.
        .{ .top_k = 4, .top_p = 0.85, .left = &.{ 16, 3, 1 } },
        .{ .top_k = 2, .top_p = 0.999, .left = &.{ 16, 3 } },
        .{ .top_k = 100, .top_p = 1, .left = &.{ 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 } },
    };
    inline for (.{ f32, f64 }) |T| for (cases) |c| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const x = try all.empty(T, &.{ n, logits.len });
        for (arrays.data(T, x), 0..) |*v, i| v.* = @floatCast(logits[i % logits.len]);
        const state = try all.from(u32, &.{6}, &.{ 13, 0, 0, 0, 0, 0 });
        const out = try choice(&all, 3, x, state, c.top_k, 1, c.top_p);
        var counts: [logits.len]f64 = @splat(0);
        for (out) |i| counts[i] += 1;
        var left: f64 = 0;
        for (c.left) |i| left += weights[i];
        for (weights, counts, 0..) |w, count, i| {
            const p = if (std.mem.indexOfScalar(usize, c.left, i) != null) w / left else 0;
            try testing.expectApproxEqAbs(p * n, count, 5 * @sqrt(p * n) + 1e-9);
        }
        const again = try all.from(u32, &.{6}, &.{ 13, 0, 0, 0, 0, 0 });
        try testing.expectEqualSlices(u32, out, try choice(&all, 1, x, again, c.top_k, 1, c.top_p));
    };
}

test "random: categorical at temperature 0, at extreme ones, and without a distribution" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    var all: arrays.Tensors = .{};
    defer all.free();
    const state = try all.from(u32, &.{6}, &.{ 1, 0, 0, 0, 0, 0 });
    const x = try all.from(f32, &.{ 6, 3 }, &.{ 1, 3, 3, -inf, -inf, -inf, 1, nan, nan, -inf, inf, inf, -5, -5, -5, 0, 1e30, -1e30 });
    try testing.expectEqualSlices(u32, &.{ 1, 0, 1, 1, 0, 1 }, try choice(&all, 1, x, state, 0, 0, 1));
    for (0..50) |_| {
        var some: arrays.Tensors = .{};
        defer some.free();
        const out = try choice(&some, 2, x, state, 0, 1e-60, 1);
        try testing.expect(out[0] == 1 or out[0] == 2);
        try testing.expectEqual(0, out[1]);
        try testing.expectEqual(1, out[2]);
        try testing.expect(out[3] == 1 or out[3] == 2);
        try testing.expectEqual(1, out[5]);
        // Where there is no distribution, or an infinite logit, parts of it change nothing.
        for ([_]u32{ 0, 2 }) |top_k| {
            const part = try choice(&some, 1, x, state, top_k, 1, 0.7);
            try testing.expectEqual(0, part[1]);
            try testing.expectEqual(1, part[2]);
            try testing.expect(part[3] == 1 or part[3] == 2);
            try testing.expectEqual(1, part[5]);
        }
    }
}

test "random: whole numbers below a limit are without bias and within it" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const handle = try all.from(u32, &.{6}, &.{ 1, 2, 0, 0, 0, 0 });
    const state: State = try .of(try tensor.get(handle));
    var counts: [7]f64 = @splat(0);
    for (0..70000) |_| counts[below(state, 7)] += 1;
    for (counts) |c| try testing.expectApproxEqAbs(10000, c, 500);
    try testing.expectEqual(70000, state.counter());
    for (0..1000) |_| {
        try testing.expectEqual(0, below(state, 1));
        try testing.expect(below(state, 1 << 53) < 1 << 53);
        try testing.expect(below(state, (1 << 63) + 1) <= 1 << 63);
    }
}

test "random: what does not fit is an error, and the state stays" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const state = try tensor.get(try all.filled(u32, &.{6}, 9));
    const out = try tensor.get(try all.empty(f32, &.{4}));
    try testing.expectError(error.InvalidArgument, drawOn(.uniform, &d, out, state, 1, 0));
    try testing.expectError(error.InvalidArgument, drawOn(.uniform, &d, out, state, -3e38, 3e38));
    try testing.expectError(error.InvalidArgument, drawOn(.normal, &d, out, state, std.math.nan(f64), 1));
    try testing.expectError(error.InvalidArgument, drawOn(.normal, &d, out, state, 0, -1));
    try testing.expectError(error.Unsupported, drawOn(.normal, &d, try tensor.get(try all.empty(u32, &.{4})), state, 0, 1));
    try testing.expectError(error.Unsupported, drawOn(.bits, &d, out, state, 0, 1));
    try testing.expectError(error.DtypeMismatch, drawOn(.uniform, &d, out, out, 0, 1));
    try testing.expectError(error.ShapeMismatch, drawOn(.uniform, &d, out, try tensor.get(try all.empty(u32, &.{5})), 0, 1));
    try testing.expectError(error.Overlap, drawOn(.bits, &d, state, state, 0, 1));
    const chosen = try tensor.get(try all.empty(u32, &.{2}));
    try testing.expectError(error.ShapeMismatch, categoricalOn(&d, chosen, try tensor.get(try all.empty(f32, &.{ 3, 4 })), state, 0, 1, 1));
    try testing.expectError(error.ShapeMismatch, categoricalOn(&d, chosen, try tensor.get(try all.empty(f32, &.{ 2, 0 })), state, 0, 1, 1));
    try testing.expectError(error.InvalidArgument, categoricalOn(&d, chosen, try tensor.get(try all.empty(f32, &.{ 2, 4 })), state, 0, -1, 1));
    for ([_]f64{ -0.1, 1.1, std.math.nan(f64) }) |top_p| {
        try testing.expectError(error.InvalidArgument, categoricalOn(&d, chosen, try tensor.get(try all.empty(f32, &.{ 2, 4 })), state, 0, 1, top_p));
    }
    for (state.ptr(u32)[0..6]) |w| try testing.expectEqual(9, w);
}

test "random: writes and reads end at the border" {
    inline for (.{ f32, f64 }) |T| for (1..71) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const d = device.forTest(1);
        const state = try tensor.get(try all.filled(u32, &.{6}, 9));
        const g = try guard.Guarded.init(n * @sizeOf(T));
        defer g.deinit();
        var x = (try tensor.get(try all.empty(T, &.{n}))).*;
        x.data = @ptrCast(g.last(T, n).ptr);
        try drawOn(.uniform, &d, &x, state, 0, 1);
        try drawOn(.normal, &d, &x, state, 0, 1);
        try categoricalOn(&d, try tensor.get(try all.empty(u32, &.{})), &x, state, 0, 1, 1);
        try categoricalOn(&d, try tensor.get(try all.empty(u32, &.{})), &x, state, 3, 1, 0.5);
    };
}

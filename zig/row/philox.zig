//! Philox4x32-10, random words by counter (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011), and the tensor that
//! holds a stream's place: six u32, a key of two words, then a counter of 128 bits, lowest word first. Block n of a stream is four words, a function of the
//! key and of counter + n alone.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const simd = @import("../isa/simd.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;

const multipliers = [2]u32{ 0xD2511F53, 0xCD9E8D57 };
/// Added to the key before each round but the first: the golden ratio and √3 − 1.
const weyl = [2]u32{ 0x9E3779B9, 0xBB67AE85 };

/// A word of each of 16 blocks.
pub const Words = simd.Vec(u32);

/// The four words of each lane's block. W is u32 or `Words`.
pub inline fn blocks(comptime W: type, key: [2]u32, counter: [4]W) [4]W {
    var c = counter;
    var k = key;
    inline for (0..10) |round| {
        if (round > 0) k = .{ k[0] +% weyl[0], k[1] +% weyl[1] };
        const a = product(W, c[0], multipliers[0]);
        const b = product(W, c[2], multipliers[1]);
        c = .{ b.high ^ c[1] ^ broadcast(W, k[0]), b.low, a.high ^ c[3] ^ broadcast(W, k[1]), a.low };
    }
    return c;
}

fn Product(comptime W: type) type {
    return struct { high: W, low: W };
}

inline fn product(comptime W: type, a: W, comptime b: u32) Product(W) {
    if (W == u32) {
        const both = @as(u64, a) * b;
        return .{ .high = @truncate(both >> 32), .low = @truncate(both) };
    }
    // Even and odd lanes apart, each in the low half of 64 bits: no lane leaves its place, and the product of two such halves is one instruction.
    const Pairs = @Vector(simd.lanes / 2, u64);
    const low: Pairs = @splat(0xffff_ffff);
    const half: @Vector(simd.lanes / 2, u6) = @splat(32);
    const factor: Pairs = @splat(b);
    const pairs: Pairs = @bitCast(a);
    const even = (pairs & low) * factor;
    const odd = (pairs >> half) * factor;
    return .{ .high = @bitCast((even >> half) | (odd & ~low)), .low = @bitCast((even & low) | (odd << half)) };
}

inline fn broadcast(comptime W: type, x: u32) W {
    return if (W == u32) x else @splat(x);
}

pub fn words(counter: u128) [4]u32 {
    return @bitCast([4]u32{ @truncate(counter), @truncate(counter >> 32), @truncate(counter >> 64), @truncate(counter >> 96) });
}

pub fn fromWords(w: [4]u32) u128 {
    return @as(u128, w[3]) << 96 | @as(u128, w[2]) << 64 | @as(u128, w[1]) << 32 | w[0];
}

/// The counters of 16 blocks in a row.
pub inline fn counters(first: [4]u32) [4]Words {
    const step = std.simd.iota(u32, simd.lanes);
    const low = @as(Words, @splat(first[0])) +% step;
    const carried = low < step;
    const zero: Words = @splat(0);
    const one: Words = @splat(1);
    var out: [4]Words = .{ low, undefined, undefined, undefined };
    var carry = @select(u32, carried, one, zero);
    inline for (1..4) |i| {
        out[i] = @as(Words, @splat(first[i])) +% carry;
        carry = @select(u32, out[i] < carry, one, zero);
    }
    return out;
}

/// Of vectors that hold value k of each of 16 blocks, those values block after block.
pub inline fn inOrder(comptime T: type, comptime vectors: usize, v: [vectors]simd.Vec(T)) [vectors]simd.Vec(T) {
    var pairs: [vectors]simd.Vec(T) = undefined;
    inline for (0..vectors / 2) |k| {
        inline for (0..2) |half| pairs[2 * k + half] = @shuffle(T, v[2 * k], v[2 * k + 1], zip(1, half * 8));
    }
    if (vectors == 2) return pairs;
    var out: [vectors]simd.Vec(T) = undefined;
    inline for (0..2) |half| {
        inline for (0..2) |quarter| out[2 * half + quarter] = @shuffle(T, pairs[half], pairs[2 + half], zip(2, quarter * 8));
    }
    return out;
}

/// Alternates runs of `run` lanes of two vectors, from lane `from` of each.
fn zip(comptime run: comptime_int, comptime from: comptime_int) @Vector(simd.lanes, i32) {
    comptime {
        var mask: [simd.lanes]i32 = undefined;
        for (&mask, 0..) |*m, i| {
            const lane = from + i / (2 * run) * run + i % run;
            m.* = if (i / run % 2 == 0) lane else ~@as(i32, lane);
        }
        return mask;
    }
}

/// The state tensor: key and counter.
pub const State = struct {
    words: *[6]u32,

    pub fn of(t: *const tensor.Tensor) Error!State {
        if (t.dtype != .u32) return error.DtypeMismatch;
        if (t.rank != 1 or t.shape_[0] != 6) return error.ShapeMismatch;
        if (!t.contiguous()) return error.LayoutMismatch;
        return .{ .words = t.ptr(u32)[0..6] };
    }

    pub fn key(s: State) [2]u32 {
        return s.words[0..2].*;
    }

    pub fn counter(s: State) u128 {
        return fromWords(s.words[2..6].*);
    }

    pub fn advance(s: State, count: u128) void {
        s.words[2..6].* = words(s.counter() +% count);
    }

    /// For a state of a GPU, which shaders read there: records that its counter moves on.
    pub fn advanceOn(s: State, d: *const device.Device, count: usize) Error!void {
        const Advance = extern struct { state: [*]u32, blocks: usize };
        return launch.launch(d, "random_advance_u32", Advance{ .state = s.words, .blocks = count }, .{ .groups = @intFromBool(count > 0), .cost = 1, .step = "advance" });
    }
};

/// Elements that a workgroup of a shader draws.
const drawn_by_group = 1024;

/// A draw of `count` elements, as shaders take it.
pub fn draws(count: usize) launch.Work {
    return .{ .groups = std.math.divCeil(usize, count, drawn_by_group) catch unreachable, .cost = 32 *| count };
}

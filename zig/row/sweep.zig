//! Passes over one row, for micro-kernels. A pass is a struct whose `at(whole, j, left)` handles the 16 elements from `j` on: all of them where the
//! compile-time `whole` holds, else the first `left`.
//!
//! Sums have one order on every instruction set. Blocks of `ways` vectors go to `ways` accumulators of 16 lanes, vector i of a block to accumulator i;
//! the vectors after the last whole block go to the first one, missing lanes as zeros. The accumulators join as a tree, then the lanes by `sumTree`.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const Vec = simd.Vec;
const lanes = simd.lanes;

/// 16·`vectors` elements, or the first `left` of 16 and zeros for the others.
pub inline fn readSome(comptime T: type, comptime vectors: usize, comptime whole: bool, at: [*]const T, left: usize) @Vector(vectors * lanes, T) {
    return if (whole) simd.load(@Vector(vectors * lanes, T), at) else simd.loadPartial(T, at, left, 0);
}

/// 16 elements, or the first `left` of them and `fill` for the others.
pub inline fn read(comptime T: type, comptime whole: bool, at: [*]const T, left: usize, fill: T) Vec(T) {
    return if (whole) simd.load(T, at) else simd.loadPartial(T, at, left, fill);
}

/// Stores all elements of v, or the first `left` of 16.
pub inline fn write(comptime T: type, comptime whole: bool, at: [*]T, v: anytype, left: usize) void {
    if (whole) simd.store(at, v) else simd.storePartial(at, v, left);
}

/// Rows up to this length go four at a time, a pass over each before the next pass: what one row waits for, a sum or a root, the others fill. Layer norm of rows of
/// 32 to 256 takes 0.7 to 0.8 of the time of one row after another on a Zen 3. Longer rows keep the processor busy themselves, and their passes find more in the
/// first-level cache: from 512 to 3072 one after another takes 0.75 to 0.95 of the time of four.
pub const group_cols_max = 256;

/// Rows up to this length are asked for as a whole before they are written: longer ones would push what is read out of the second-level cache (layer norm of
/// rows of 50257 took 1.08 times as long on a Zen 3).
pub const ask_cols_max = 8192;

/// Asks for the 16 elements at an address that is read soon, or written as `for_writing` says; it may lie beyond the memory. Where rows pass several times
/// their first pass waits for memory and the others for arithmetic: what asks in the later ones for the next rows lets both go on at once.
pub inline fn ask(comptime T: type, at: [*]const T, comptime for_writing: bool) void {
    const address = @intFromPtr(at);
    inline for (0..lanes * @sizeOf(T) / 64) |line| {
        const byte: *allowzero const u8 = @ptrFromInt(address +% 64 * line);
        @prefetch(byte, .{ .rw = if (for_writing) .write else .read, .locality = 2 });
    }
}

/// How far ahead of their use a single pass asks for the elements that it reads: the hardware's own prefetching leaves arithmetic of some twenty cycles a
/// cache line waiting. GELU of 4096×768 numbers of f32 took 1.2 times as long without.
pub const ahead = 512;

/// `pass.at` over the `n` elements of a row, in order.
pub inline fn each(n: usize, pass: anytype) void {
    var j: usize = 0;
    while (n - j >= lanes) : (j += lanes) pass.at(true, j, lanes);
    if (j < n) pass.at(false, j, n - j);
}

/// As `each`, for passes of long formulas whose `at(vectors, whole, j, left)` handles 16·`vectors` elements: two vectors at a time where they take no more than
/// four registers, whose steps `simd.abreast` overlaps.
pub inline fn eachPair(comptime T: type, n: usize, pass: anytype) void {
    var j: usize = 0;
    if (2 * lanes / simd.width(T) <= 4) while (n - j >= 2 * lanes) : (j += 2 * lanes) pass.at(2, true, j, 2 * lanes);
    while (n - j >= lanes) : (j += lanes) pass.at(1, true, j, lanes);
    if (j < n) pass.at(1, false, j, n - j);
}

/// `count` sums over the `n` elements of a row; `pass.at` answers one term of each, `[count]Vec(T)`, with zeros in lanes that are missing.
pub inline fn sums(comptime T: type, comptime count: usize, comptime ways: usize, n: usize, pass: anytype) [count]T {
    var acc: [ways][count]Vec(T) = @splat(@splat(@splat(0)));
    var j: usize = 0;
    while (n - j >= ways * lanes) : (j += ways * lanes) {
        inline for (0..ways) |i| add(T, count, &acc[i], pass.at(true, j + i * lanes, lanes));
    }
    while (n - j >= lanes) : (j += lanes) add(T, count, &acc[0], pass.at(true, j, lanes));
    if (j < n) add(T, count, &acc[0], pass.at(false, j, n - j));
    var out: [count]T = undefined;
    inline for (0..count) |k| {
        comptime var width = ways;
        inline while (width > 1) : (width /= 2) {
            inline for (0..width / 2) |i| acc[i][k] += acc[i + width / 2][k];
        }
        out[k] = simd.sumTree(acc[0][k]);
    }
    return out;
}

inline fn add(comptime T: type, comptime count: usize, acc: *[count]Vec(T), terms: [count]Vec(T)) void {
    inline for (0..count) |k| acc[k] += terms[k];
}

/// The largest element that `pass.at` answers, NaN left aside; -Inf where there is none. Missing lanes are -Inf.
pub inline fn largest(comptime T: type, n: usize, pass: anytype) T {
    const ways = 4;
    var acc: [ways]Vec(T) = @splat(@splat(-std.math.inf(T)));
    var j: usize = 0;
    while (n - j >= ways * lanes) : (j += ways * lanes) {
        inline for (0..ways) |i| acc[i] = simd.max(pass.at(true, j + i * lanes, lanes), acc[i]);
    }
    while (n - j >= lanes) : (j += lanes) acc[0] = simd.max(pass.at(true, j, lanes), acc[0]);
    if (j < n) acc[0] = simd.max(pass.at(false, j, n - j), acc[0]);
    return simd.maxTree(simd.max(simd.max(acc[0], acc[2]), simd.max(acc[1], acc[3])));
}

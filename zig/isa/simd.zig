//! The vector vocabulary of the micro-kernels. One source is compiled once per instruction set, and every
//! function here returns the same bits on all of them (a NaN equals any NaN).
//!
//! Rules that keep it so: no float mode but the default one (it neither contracts nor reassociates), fused
//! multiply-adds only through `fma`, sums only through `sumTree` or in a stated order, maxima only through
//! `max` and `maxTree`, never `@reduce`, `@max`, `@min`, `@exp` and their like.

const std = @import("std");
const builtin = @import("builtin");
const assert = std.debug.assert;

pub const Isa = enum { portable, avx2, avx512, neon };

/// The instruction set that this compilation may use.
pub const isa: Isa = switch (builtin.cpu.arch) {
    .x86_64 => if (builtin.cpu.hasAll(.x86, &.{ .avx512f, .avx512vl, .avx512dq, .avx512bw, .avx2, .fma }))
        .avx512
    else if (builtin.cpu.hasAll(.x86, &.{ .avx2, .fma }))
        .avx2
    else
        .portable,
    .aarch64 => .neon,
    else => .portable,
};

/// Whether `fma` is one instruction. Without it `fma` is exact but some twenty times slower.
pub const has_fma: bool = isa != .portable;

/// Registers' worth of lanes of T. `std.simd.suggestVectorLength` says 8 for f32 on x86_64_v4, whose model
/// prefers 256-bit vectors in compiler-made code; kernels written for 512 bits gain from all of them.
pub fn width(comptime T: type) comptime_int {
    const register_bytes = switch (isa) {
        .avx512 => 64,
        .avx2 => 32,
        .neon, .portable => 16,
    };
    return register_bytes / @sizeOf(T);
}

/// Lanes of a row reduction, whatever the hardware's width: part of the contract of equal bits.
pub const lanes = 16;

/// The fixed vector of `lanes` elements.
pub fn Vec(comptime T: type) type {
    return @Vector(lanes, T);
}

/// A vector type as it is, an element type as its vector of 16 lanes.
fn VectorOf(comptime T: type) type {
    return if (@typeInfo(T) == .vector) T else Vec(T);
}

fn Element(comptime T: type) type {
    return switch (@typeInfo(T)) {
        .vector => |info| info.child,
        else => T,
    };
}

/// T's shape, a scalar or a vector, with other elements.
fn Like(comptime T: type, comptime E: type) type {
    return switch (@typeInfo(T)) {
        .vector => |info| @Vector(info.len, E),
        else => E,
    };
}

fn splat(comptime T: type, value: Element(T)) T {
    return if (@typeInfo(T) == .vector) @splat(value) else value;
}

/// a·b + c with one rounding, for f32 and f64, scalars and vectors.
pub inline fn fma(a: anytype, b: @TypeOf(a), c: @TypeOf(a)) @TypeOf(a) {
    const T = @TypeOf(a);
    if (has_fma) return @mulAdd(T, a, b, c);
    return switch (Element(T)) {
        f32 => if (@sizeOf(T) > 32) fmaOutOfLine(T, a, b, c) else fmaThroughF64(a, b, c),
        f64 => if (@typeInfo(T) == .vector) fmaByParts(T, a, b, c) else fmaByIntegers(a, b, c),
        else => @compileError("fma takes f32 and f64"),
    };
}

/// The product of two f32 is exact in f64. The sum with c is rounded to odd there; rounding that to f32 equals one
/// rounding of the exact value, for denormal results too, since f64 has more than two spare bits (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008). Nothing here
/// overflows or underflows in f64.
fn fmaThroughF64(a: anytype, b: @TypeOf(a), c: @TypeOf(a)) @TypeOf(a) {
    const Wide = Like(@TypeOf(a), f64);
    const product = @as(Wide, @floatCast(a)) * @as(Wide, @floatCast(b));
    return @floatCast(sumToOdd(product, @as(Wide, @floatCast(c))));
}

/// v as it is, where it is two or four registers computed side by side up to here. Left alone the compiler makes a chain of dependent steps for each register, one
/// behind the other, and the processor does not look far enough ahead to overlap them: GELU of 32 elements of f32 at a time takes 0.83 of the time with it, of 16
/// of f64 0.72 (AVX2, Zen 3).
pub inline fn abreast(v: anytype) @TypeOf(v) {
    const T = Element(@TypeOf(v));
    if (isa != .avx2 and isa != .avx512) return v;
    const each = comptime width(T);
    switch (@typeInfo(@TypeOf(v)).vector.len / each) {
        2 => {
            var a = register(v, each, 0);
            var b = register(v, each, 1);
            asm (""
                : [a] "+x" (a),
                  [b] "+x" (b),
            );
            return joined(a, b);
        },
        4 => {
            var a = register(v, each, 0);
            var b = register(v, each, 1);
            var c = register(v, each, 2);
            var d = register(v, each, 3);
            asm (""
                : [a] "+x" (a),
                  [b] "+x" (b),
                  [c] "+x" (c),
                  [d] "+x" (d),
            );
            return joined(joined(a, b), joined(c, d));
        },
        else => return v,
    }
}

/// Lanes of a first vector, and of a second one, as `@shuffle` counts them.
const of_first = [32]i32{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
const of_second: [32]i32 = ~@as(@Vector(32, i32), of_first);

inline fn register(v: anytype, comptime each: usize, comptime place: usize) @Vector(each, Element(@TypeOf(v))) {
    return @shuffle(Element(@TypeOf(v)), v, undefined, of_first[place * each ..][0..each].*);
}

inline fn joined(a: anytype, b: @TypeOf(a)) @Vector(2 * @typeInfo(@TypeOf(a)).vector.len, Element(@TypeOf(a))) {
    const n = @typeInfo(@TypeOf(a)).vector.len;
    return @shuffle(Element(@TypeOf(a)), a, b, of_first[0..n].* ++ of_second[0..n].*);
}

/// `@select` for scalars and vectors.
inline fn select(condition: anytype, a: anytype, b: @TypeOf(a)) @TypeOf(a) {
    if (@typeInfo(@TypeOf(a)) == .vector) return @select(Element(@TypeOf(a)), condition, a, b);
    return if (condition) a else b;
}

/// A wide vector's `fma` is some hundred instructions: out of line, the kernels are half as large and an eighth slower.
noinline fn fmaOutOfLine(comptime T: type, a: T, b: T, c: T) T {
    return fmaThroughF64(a, b, c);
}

/// The same in f64, where nothing wider is at hand: the product as an exact sum of two (Dekker's, with Veltkamp's
/// splitting), the addend joined to its low and its high part by TwoSum, the two errors added with rounding to odd, and
/// that to the high part (Boldo and Melquiond's algorithm). It holds while no part over- or underflows, which
/// is so for operands between 2^-300 and 2^300. Zeros go another way, since they would lose their sign; a
/// vector with any other operand goes lane by lane in integers.
noinline fn fmaByParts(comptime T: type, a: T, b: T, c: T) T {
    const zero = splat(T, 0);
    const unusual = unusualBits(a) | unusualBits(b) | unusualBits(c);
    if (@reduce(.Or, unusual) >> 63 != 0) return fmaByLane(T, a, b, c);
    const product = a * b;
    const a_high = highHalf(a);
    const b_high = highHalf(b);
    const a_low = a - a_high;
    const b_low = b - b_high;
    const product_low = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    const inner = twoSum(c, product_low);
    const outer = twoSum(product, inner.sum);
    const fused = outer.sum + sumToOdd(inner.lost, outer.lost);
    // With a zero among the operands one rounding is all there is.
    const plain = @select(bool, product == zero, product == zero, c == zero);
    return select(plain, product + c, fused);
}

/// Negative where v is neither zero nor between 2^-300 and 2^300. The comparison is one of exponents, by subtraction.
inline fn unusualBits(v: anytype) Like(@TypeOf(v), u64) {
    const U = Like(@TypeOf(v), u64);
    const magnitude = @as(U, @bitCast(v)) & splat(U, (1 << 63) - 1);
    const below = magnitude -% splat(U, (1023 - 300) << 52);
    const above = splat(U, (1023 + 300) << 52) -% magnitude;
    // Zero is below as well; zero minus one is negative for it alone.
    const zero = magnitude -% splat(U, 1);
    return (below & ~zero) | above;
}

/// The upper 26 bits of v.
inline fn highHalf(v: anytype) @TypeOf(v) {
    const scaled = v * splat(@TypeOf(v), (1 << 27) + 1);
    return scaled - (scaled - v);
}

inline fn twoSum(a: anytype, b: @TypeOf(a)) struct { sum: @TypeOf(a), lost: @TypeOf(a) } {
    const sum = a + b;
    const b_part = sum - a;
    return .{ .sum = sum, .lost = (a - (sum - b_part)) + (b - b_part) };
}

/// a + b, rounded to odd: towards zero, the last bit set when anything was lost. NaN and infinities are left alone.
inline fn sumToOdd(a: anytype, b: @TypeOf(a)) @TypeOf(a) {
    const T = @TypeOf(a);
    const U = Like(T, u64);
    const s = twoSum(a, b);
    const sum_bits: U = @bitCast(s.sum);
    const lost_bits: U = @bitCast(s.lost);
    const zero = splat(T, 0);
    const one = splat(U, 1);
    const none = splat(U, 0);
    const inexact = select(s.lost > zero, one, none) | select(s.lost < zero, one, none);
    // When the lost part points towards zero, the sum was rounded away from zero: one step back truncates.
    const step_back = ((sum_bits ^ lost_bits) >> splat(Like(T, u6), 63)) & inexact;
    return @bitCast((sum_bits -% step_back) | inexact);
}

noinline fn fmaByLane(comptime T: type, a: T, b: T, c: T) T {
    const as: [@typeInfo(T).vector.len]f64 = a;
    const bs: [as.len]f64 = b;
    const cs: [as.len]f64 = c;
    var out: [as.len]f64 = undefined;
    for (&out, as, bs, cs) |*o, x, y, z| o.* = fmaByIntegers(x, y, z);
    return out;
}

/// For any operands. Not `@mulAdd`: its software version in Zig 0.17.1 returns c where the product is below 2^-53·|c|,
/// though for a power of two c the numbers below are twice as dense: fma(-0x1.cp-28, 0x1.cp-27, 1) gives 1.
noinline fn fmaByIntegers(a: f64, b: f64, c: f64) f64 {
    const product = a * b;
    // A zero or an infinity leaves at most one rounding; so does c = 0, where the sum could lose a tiny product's sign.
    if (!isFinite(c) and isFinite(a) and isFinite(b)) return c;
    if (!isFinite(a) or !isFinite(b) or a == 0 or b == 0) return product + c;
    if (c == 0) return product;
    const x = Parts.of(a);
    const y = Parts.of(b);
    var large = Parts.normal(x.negative != y.negative, x.fraction * y.fraction, x.exponent + y.exponent);
    var small = Parts.of(c);
    small = Parts.normal(small.negative, small.fraction, small.exponent);
    if (small.exponent > large.exponent or (small.exponent == large.exponent and small.fraction > large.fraction)) {
        std.mem.swap(Parts, &large, &small);
    }
    // Bits shifted out survive as a last bit far below the place of rounding.
    const distance = large.exponent - small.exponent;
    const kept = if (distance < 256) small.fraction >> @intCast(distance) else 0;
    const lost = if (distance < 256) (kept << @intCast(distance)) != small.fraction else true;
    const aligned = kept | @intFromBool(lost);
    const sum = if (large.negative == small.negative) large.fraction + aligned else large.fraction - aligned;
    if (sum == 0) return 0;
    // The result's last place, and the sum in units of it, ties to even.
    const top: i32 = 255 - @as(i32, @clz(sum));
    const place = @max(large.exponent + top - 52, -1074);
    const drop = place - large.exponent;
    var units: u64 = undefined;
    if (drop <= 0) {
        units = @intCast(sum << @intCast(-drop));
    } else if (drop > 255) {
        units = 0;
    } else {
        units = @intCast(sum >> @intCast(drop));
        const half = @as(u256, 1) << @intCast(drop - 1);
        const rest = sum & ((half << 1) - 1);
        if (rest > half or (rest == half and units & 1 == 1)) units += 1;
    }
    // Both products are exact, or the second overflows as it should.
    const first_half = @divFloor(place, 2);
    const magnitude = @as(f64, @floatFromInt(units)) * powerOfTwo(first_half) * powerOfTwo(place - first_half);
    return if (large.negative) -magnitude else magnitude;
}

fn isFinite(x: f64) bool {
    return @abs(x) < std.math.inf(f64);
}

fn powerOfTwo(exponent: i32) f64 {
    return @bitCast(@as(u64, @intCast(exponent + 1023)) << 52);
}

/// ±fraction·2^exponent.
const Parts = struct {
    negative: bool,
    fraction: u256,
    exponent: i32,

    fn of(x: f64) Parts {
        const bits: u64 = @bitCast(x);
        const biased: i32 = @intCast(bits >> 52 & 0x7ff);
        const fraction = bits & ((1 << 52) - 1);
        return .{
            .negative = bits >> 63 != 0,
            .fraction = if (biased == 0) fraction else fraction | 1 << 52,
            .exponent = (if (biased == 0) 1 else biased) - 1075,
        };
    }

    /// With the top bit of the fraction, which is not 0, at place 200: room for a carry above, a sticky bit below.
    fn normal(negative: bool, fraction: u256, exponent: i32) Parts {
        const up: i32 = @as(i32, @clz(fraction)) - 55;
        return .{ .negative = negative, .fraction = fraction << @intCast(up), .exponent = exponent - up };
    }
};

/// Whether `scaleByPower` takes a vector of type V.
pub fn hasScaleByPower(comptime V: type) bool {
    return isa == .avx512 and @sizeOf(V) % 64 == 0;
}

/// v·2^n with one rounding, for whole n: one instruction where it takes six.
pub inline fn scaleByPower(v: anytype, n: @TypeOf(v)) @TypeOf(v) {
    const E = Element(@TypeOf(v));
    const Register = @Vector(width(E), E);
    const name = if (E == f32) "vscalefps" else "vscalefpd";
    const count = @sizeOf(@TypeOf(v)) / @sizeOf(Register);
    var parts: [count]Register = @bitCast(v);
    const powers: [count]Register = @bitCast(n);
    inline for (&parts, powers) |*part, power| part.* = asm (name ++ " %[power], %[part], %[out]"
        : [out] "=v" (-> Register),
        : [power] "v" (power),
          [part] "v" (part.*),
    );
    return @bitCast(parts);
}

/// The larger of a and b, lane by lane. Where the comparison fails (either is NaN, or zeros of both signs) the
/// answer is b: so `max(x, acc)` skips a NaN in x and keeps one in acc, and `max(acc, x)` the other way round.
pub inline fn max(a: anytype, b: @TypeOf(a)) @TypeOf(a) {
    return select(a > b, a, b);
}

/// The smaller of a and b, lane by lane; b where the comparison fails, as in `max`.
pub inline fn min(a: anytype, b: @TypeOf(a)) @TypeOf(a) {
    return select(a < b, a, b);
}

/// Sum of 16 lanes in one fixed order: lane i + lane i+8, then +4, +2, +1.
pub inline fn sumTree(v: anytype) Element(@TypeOf(v)) {
    const E = Element(@TypeOf(v));
    comptime assert(@TypeOf(v) == Vec(E));
    const by8 = low(v) + high(v);
    const by4 = low(by8) + high(by8);
    const by2 = low(by4) + high(by4);
    return by2[0] + by2[1];
}

/// Largest of 16 lanes by the tree of `sumTree`, each node `max(low, high)`. A NaN may or may not survive: a caller
/// that must tell of NaN looks for it separately.
pub inline fn maxTree(v: anytype) Element(@TypeOf(v)) {
    const E = Element(@TypeOf(v));
    comptime assert(@TypeOf(v) == Vec(E));
    const by8 = max(low(v), high(v));
    const by4 = max(low(by8), high(by8));
    const by2 = max(low(by4), high(by4));
    return max(@as(E, by2[0]), @as(E, by2[1]));
}

fn Half(comptime V: type) type {
    const info = @typeInfo(V).vector;
    return @Vector(info.len / 2, info.child);
}

inline fn low(v: anytype) Half(@TypeOf(v)) {
    const len = @typeInfo(Half(@TypeOf(v))).vector.len;
    return @shuffle(Element(@TypeOf(v)), v, undefined, std.simd.iota(i32, len));
}

inline fn high(v: anytype) Half(@TypeOf(v)) {
    const len = @typeInfo(Half(@TypeOf(v))).vector.len;
    const first: @Vector(len, i32) = @splat(len);
    return @shuffle(Element(@TypeOf(v)), v, undefined, std.simd.iota(i32, len) + first);
}

inline fn join(a: anytype, b: @TypeOf(a)) @Vector(2 * @typeInfo(@TypeOf(a)).vector.len, Element(@TypeOf(a))) {
    const len = @typeInfo(@TypeOf(a)).vector.len;
    const second: @Vector(len, i32) = @splat(-1);
    return @shuffle(Element(@TypeOf(a)), a, b, std.simd.join(std.simd.iota(i32, len), second - std.simd.iota(i32, len)));
}

/// Loads a vector from any address that suits its elements. T is an element type (16 lanes) or a vector type.
pub inline fn load(comptime T: type, ptr: [*]const Element(T)) VectorOf(T) {
    return @as(*align(@alignOf(Element(T))) const VectorOf(T), @ptrCast(ptr)).*;
}

/// Stores a vector to any address that suits its elements.
pub inline fn store(ptr: anytype, v: anytype) void {
    const E = Element(@TypeOf(v));
    const at: [*]E = ptr;
    @as(*align(@alignOf(E)) @TypeOf(v), @ptrCast(at)).* = v;
}

/// Stores 16 lanes to an address of a whole line, past the caches where the machine can: memory is then not read before it is written. What follows on
/// other threads needs `fencePassing` first.
pub inline fn storePassing(ptr: anytype, v: anytype) void {
    const T = Element(@TypeOf(v));
    const at: [*]T = ptr;
    switch (isa) {
        .avx512, .avx2 => {
            const Register = @Vector(width(T), T);
            const parts: [@sizeOf(@TypeOf(v)) / @sizeOf(Register)]Register = @bitCast(v);
            inline for (parts, 0..) |part, i| asm volatile ("vmovntps %[part], (%[to])"
                :
                : [to] "r" (at + i * width(T)),
                  [part] "x" (part),
                : .{ .memory = true });
        },
        .neon, .portable => store(at, v),
    }
}

/// Puts all that `storePassing` wrote in order before later stores.
pub inline fn fencePassing() void {
    if (isa == .avx512 or isa == .avx2) asm volatile ("sfence" ::: .{ .memory = true });
}

/// Loads the first `count` lanes, count < the vector's length, and sets the others to `fill`. Touches no memory past
/// them. T is an element type (16 lanes) or a vector type.
pub inline fn loadPartial(comptime T: type, ptr: [*]const Element(T), count: usize, fill: Element(T)) VectorOf(T) {
    const V = VectorOf(T);
    assert(count < @typeInfo(V).vector.len);
    return if (hasMasks(V)) loadMasked(V, ptr, leading(count), fill) else loadPieces(V, ptr, count, fill);
}

/// Stores the first `count` lanes, count < the vector's length. Touches no memory past them.
pub inline fn storePartial(ptr: anytype, v: anytype, count: usize) void {
    assert(count < @typeInfo(@TypeOf(v)).vector.len);
    if (hasMasks(@TypeOf(v))) storeMasked(ptr, v, leading(count)) else storePieces(ptr, v, count);
}

/// Masked moves need AVX-512 and the compiler's LLVM back end. Other sizes than one or two registers go in pieces.
fn hasMasks(comptime V: type) bool {
    return isa == .avx512 and builtin.zig_backend == .stage2_llvm and @sizeOf(V) >= 16 and @sizeOf(V) <= 128;
}

/// A mask register's worth of leading ones.
inline fn leading(count: usize) u64 {
    return (@as(u64, 1) << @intCast(count)) - 1;
}

/// The element's bits: vectors of f16 are no operand of inline assembly.
fn Bits(comptime V: type) type {
    return Like(V, @Int(.unsigned, 8 * @sizeOf(Element(V))));
}

fn Mask(comptime V: type) type {
    return @Int(.unsigned, @max(8, @typeInfo(V).vector.len));
}

fn maskedMove(comptime V: type) []const u8 {
    return switch (@sizeOf(Element(V))) {
        1 => "vmovdqu8",
        2 => "vmovdqu16",
        4 => "vmovups",
        8 => "vmovupd",
        else => unreachable,
    };
}

inline fn loadMasked(comptime V: type, ptr: [*]const Element(V), mask: u64, fill: Element(V)) V {
    if (@sizeOf(V) <= 64) return loadRegister(V, "", ptr, mask, fill);
    const len = @typeInfo(Half(V)).vector.len;
    return join(loadRegister(Half(V), "", ptr, mask, fill), loadRegister(Half(V), "64", ptr, mask >> len, fill));
}

inline fn storeMasked(ptr: anytype, v: anytype, mask: u64) void {
    if (@sizeOf(@TypeOf(v)) <= 64) return storeRegister("", ptr, v, mask);
    const len = @typeInfo(Half(@TypeOf(v))).vector.len;
    storeRegister("", ptr, low(v), mask);
    storeRegister("64", ptr, high(v), mask >> len);
}

/// The compiler forms no masked moves from conditional loads and has no builtin for them, hence the assembly. Lanes
/// whose mask bit is off are not touched, and cannot fault. The offset is text, since a pointer to the second register
/// may lie outside the object.
inline fn loadRegister(comptime V: type, comptime offset: []const u8, ptr: [*]const Element(V), mask: u64, fill: Element(V)) V {
    const filled: V = @splat(fill);
    return @bitCast(asm volatile (maskedMove(V) ++ " " ++ offset ++ "(%[ptr]), %[v]{%[k]}"
        : [v] "=v" (-> Bits(V)),
        : [ptr] "r" (ptr),
          [k] "^Yk" (@as(Mask(V), @truncate(mask))),
          [filled] "0" (@as(Bits(V), @bitCast(filled))),
        : .{ .memory = true }));
}

inline fn storeRegister(comptime offset: []const u8, ptr: anytype, v: anytype, mask: u64) void {
    const V = @TypeOf(v);
    const at: [*]Element(V) = ptr;
    asm volatile (maskedMove(V) ++ " %[v], " ++ offset ++ "(%[ptr]){%[k]}"
        :
        : [ptr] "r" (at),
          [k] "^Yk" (@as(Mask(V), @truncate(mask))),
          [v] "v" (@as(Bits(V), @bitCast(v))),
        : .{ .memory = true });
}

/// Pieces of 1, 2, 4 … lanes for the bits of count, the last elements first: each piece moves those behind it up by
/// its own size, so every shuffle is fixed and the vector never leaves the registers.
inline fn loadPieces(comptime V: type, ptr: [*]const Element(V), count: usize, fill: Element(V)) V {
    const E = Element(V);
    const len = @typeInfo(V).vector.len;
    var v: V = @splat(fill);
    comptime var piece = 1;
    inline while (piece < len) : (piece *= 2) {
        if (count & piece != 0) {
            // What the larger bits of count say lies before this piece.
            const at = ptr + (count & ~@as(usize, 2 * piece - 1));
            const loaded = load(@Vector(piece, E), at);
            const widened: V = @shuffle(E, loaded, undefined, Piece(len, piece).widened);
            v = @shuffle(E, widened, v, Piece(len, piece).before);
        }
    }
    return v;
}

/// Pieces of … 4, 2, 1 lanes for the bits of count, the first elements first; the rest moves down.
inline fn storePieces(ptr: anytype, v: anytype, count: usize) void {
    const V = @TypeOf(v);
    const E = Element(V);
    const len = @typeInfo(V).vector.len;
    var at: [*]E = ptr;
    var rest = v;
    comptime var piece = len / 2;
    inline while (piece > 0) : (piece /= 2) {
        if (count & piece != 0) {
            const first = @shuffle(E, rest, undefined, std.simd.iota(i32, piece));
            store(at, first);
            at += piece;
            rest = @shuffle(E, rest, undefined, Piece(len, piece).dropped);
        }
    }
}

/// Shuffle masks, as constants of a type, so that they are made once and outside the quota of the inlining caller.
fn Piece(comptime len: comptime_int, comptime piece: comptime_int) type {
    return struct {
        /// The piece's own lanes; what lies above is not used.
        const widened: @Vector(len, i32) = blk: {
            var mask: [len]i32 = undefined;
            for (&mask, 0..) |*m, i| m.* = if (i < piece) i else 0;
            break :blk mask;
        };
        /// The first `piece` lanes of the first vector, then the first lanes of the second.
        const before: @Vector(len, i32) = blk: {
            var mask: [len]i32 = undefined;
            for (&mask, 0..) |*m, i| m.* = if (i < piece) i else ~@as(i32, i - piece);
            break :blk mask;
        };
        /// The lanes from `piece` on moved down to 0; what comes in above is not used.
        const dropped: @Vector(len, i32) = blk: {
            var mask: [len]i32 = undefined;
            for (&mask, 0..) |*m, i| m.* = if (i + piece < len) i + piece else 0;
            break :blk mask;
        };
    };
}

/// Lanes of T in 128 bits, the widest piece of memory that joins a vector without a shuffle.
fn partOf(comptime T: type) comptime_int {
    return 16 / @sizeOf(T);
}

/// As many elements as a line of memory holds: 16 of f32, 8 of f64.
pub fn Line(comptime T: type) type {
    return @Vector(64 / @sizeOf(T), T);
}

/// The transpose of a square of as many rows as a line has elements, each a line long, that start at the given addresses.
pub inline fn loadTurned(comptime T: type, rows: *const [64 / @sizeOf(T)][*]const T) [64 / @sizeOf(T)]Line(T) {
    @setEvalBranchQuota(20_000);
    const part = partOf(T);
    var out: [64 / @sizeOf(T)]Line(T) = undefined;
    inline for (0..out.len / part) |q| out[q * part ..][0..part].* = loadColumns(Line(T), rows, q * part);
    return out;
}

/// The columns from `at` on of rows that start at the given addresses, a row for each lane of V: four of f32, two of f64. The grid of blocks of 128 bits is
/// transposed by the loads: with four to a block, part l of a vector comes from row 4l + i. One or two rounds of interleaving transpose the blocks: half of the
/// shuffles that whole rows would need, and a part from memory joins a vector of 256 bits on any port, a shuffle on one or two.
pub inline fn loadColumns(comptime V: type, rows: *const [@typeInfo(V).vector.len][*]const Element(V), at: usize) [partOf(Element(V))]V {
    const T = Element(V);
    const part = partOf(T);
    const parts = @typeInfo(V).vector.len / part;
    var x: [part]V = undefined;
    inline for (&x, 0..) |*v, i| {
        var pieces: [parts]@Vector(part, T) = undefined;
        inline for (&pieces, 0..) |*piece, l| piece.* = load(@Vector(part, T), rows[l * part + i] + at);
        v.* = joinParts(pieces);
    }
    if (part == 2) return .{ shuffle2(x[0], x[1], .{ 0, 2 }), shuffle2(x[0], x[1], .{ 1, 3 }) };
    const evens = [2]V{ shuffle2(x[0], x[1], .{ 0, 4, 1, 5 }), shuffle2(x[2], x[3], .{ 0, 4, 1, 5 }) };
    const odds = [2]V{ shuffle2(x[0], x[1], .{ 2, 6, 3, 7 }), shuffle2(x[2], x[3], .{ 2, 6, 3, 7 }) };
    return .{
        shuffle2(evens[0], evens[1], .{ 0, 1, 4, 5 }),
        shuffle2(evens[0], evens[1], .{ 2, 3, 6, 7 }),
        shuffle2(odds[0], odds[1], .{ 0, 1, 4, 5 }),
        shuffle2(odds[0], odds[1], .{ 2, 3, 6, 7 }),
    };
}

inline fn joinParts(x: anytype) @Vector(x.len * @typeInfo(@TypeOf(x[0])).vector.len, Element(@TypeOf(x[0]))) {
    return switch (x.len) {
        1 => x[0],
        2 => join(x[0], x[1]),
        4 => join(join(x[0], x[1]), join(x[2], x[3])),
        else => comptime unreachable,
    };
}

/// In each 128-bit part of the result, lanes picked from the same part of a (numbered from 0) and b (numbered on).
inline fn shuffle2(a: anytype, b: @TypeOf(a), comptime pick: [partOf(Element(@TypeOf(a)))]i32) @TypeOf(a) {
    return @shuffle(Element(@TypeOf(a)), a, b, struct {
        const of_pick = blk: {
            var mask: [@typeInfo(@TypeOf(a)).vector.len]i32 = undefined;
            for (&mask, 0..) |*m, i| {
                const len: i32 = pick.len;
                const p = pick[i % pick.len];
                const part: i32 = i / pick.len * pick.len;
                m.* = if (p < len) p + part else ~(p - len + part);
            }
            break :blk mask;
        };
    }.of_pick);
}

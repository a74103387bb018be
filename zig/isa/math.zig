//! Elementary functions on vectors of f32 and f64, with the same bits on every instruction set: only fused
//! multiply-adds, + - * /, comparisons, selects and bit operations, no libm. Branch-free, any vector length.
//!
//! The method is classic: an exact range reduction, a polynomial, a reassembly. Each polynomial is our own minimax fit:
//! Remez exchange at 50 digits on the relative error of the function, coefficients rounded to the type lowest first
//! and the others refitted after each. "Fit 2^-28" says the relative error that is left before rounding counts.
//!
//! Errors in units of the last place (ulp). f32: the worst of all 2^32 inputs (math_exhaustive.zig). f64: the worst
//! seen in some 60 000 samples against 40-digit values, so a lower bound.
//!
//! Time per element with AVX-512 (Xeon of the Sapphire Rapids kind, data in the first cache), f32 / f64: exp 0.26 / 0.7 ns,
//! log 0.38 / 1.1, tanh 0.48 / 1.4, erf 0.75 / 2.6, Φ and GELU's erf form 0.64 / 2.3, its tanh form 0.53 / 1.3.

const std = @import("std");
const simd = @import("simd.zig");

fn Element(comptime V: type) type {
    return @typeInfo(V).vector.child;
}

/// The bits of a float vector.
fn Bits(comptime V: type) type {
    return @Vector(@typeInfo(V).vector.len, @Int(.unsigned, @bitSizeOf(Element(V))));
}

/// Numbers of the formats and of the range reductions. Pairs `high + low` hold a constant to twice the precision.
fn Format(comptime T: type) type {
    return switch (T) {
        f32 => struct {
            const fraction_bits = 23;
            const bias = 127;
            /// 1.5·2^23: adding it to a small number rounds that to an integer, which the low bits then hold.
            const rounder: f32 = 0x1.8p23;
            const log2e: f32 = 1.442695;
            const ln2_high: f32 = 0.6931472;
            const ln2_low: f32 = -1.9046542e-09;
            const pi_high: f32 = 3.1415927;
            const pi_low: f32 = -8.742278e-08;
            /// exp overflows above 88.73 and is below half the least denormal under -103.98.
            const exp_max: f32 = 89;
            const exp_min: f32 = -104;
            /// exp is a normal number from here on.
            const exp_normal_min: f32 = -87;
            /// 2·exp(-2x) is below half an ulp of 1 from here on.
            const tanh_max: f32 = 10;
            /// erfc(x) is below half an ulp of 1 from here on.
            const erf_max: f32 = 4;
            /// x·Φ(-x) and x·φ(x) are below half the least denormal from here on.
            const gauss_max: f32 = 15;
            /// x·sigmoid(-x), and that of the tanh form of GELU, are below half the least denormal from here on.
            const silu_max: f32 = 110;
            const gelu_tanh_max: f32 = 11;
        },
        f64 => struct {
            const fraction_bits = 52;
            const bias = 1023;
            const rounder: f64 = 0x1.8p52;
            const log2e: f64 = 1.4426950408889634;
            const ln2_high: f64 = 0.6931471805599453;
            const ln2_low: f64 = 2.3190468138462996e-17;
            const pi_high: f64 = 3.141592653589793;
            const pi_low: f64 = 1.2246467991473532e-16;
            const exp_max: f64 = 710;
            const exp_min: f64 = -746;
            const exp_normal_min: f64 = -708;
            const tanh_max: f64 = 20;
            const erf_max: f64 = 6;
            const gauss_max: f64 = 39;
            const silu_max: f64 = 760;
            const gelu_tanh_max: f64 = 22;
        },
        else => @compileError("f32 and f64 only"),
    };
}

inline fn all(comptime V: type, value: Element(V)) V {
    return @splat(value);
}

inline fn allBits(comptime V: type, value: comptime_int) Bits(V) {
    return @splat(value);
}

inline fn shift(comptime V: type, count: comptime_int) @Vector(@typeInfo(V).vector.len, std.math.Log2Int(Element(Bits(V)))) {
    return @splat(count);
}

inline fn toBits(v: anytype) Bits(@TypeOf(v)) {
    return @bitCast(v);
}

inline fn fromBits(comptime V: type, bits: Bits(V)) V {
    return @bitCast(bits);
}

inline fn select(condition: anytype, a: anytype, b: @TypeOf(a)) @TypeOf(a) {
    return @select(Element(@TypeOf(a)), condition, a, b);
}

fn signBit(comptime V: type) Bits(V) {
    return @splat(1 << (@bitSizeOf(Element(V)) - 1));
}

inline fn abs(v: anytype) @TypeOf(v) {
    return fromBits(@TypeOf(v), toBits(v) & ~signBit(@TypeOf(v)));
}

/// A magnitude with the sign of v.
inline fn withSign(magnitude: anytype, v: @TypeOf(magnitude)) @TypeOf(magnitude) {
    return fromBits(@TypeOf(v), toBits(magnitude) | (toBits(v) & signBit(@TypeOf(v))));
}

/// Limits v from above or below; NaN stays NaN.
inline fn atMost(v: anytype, limit: Element(@TypeOf(v))) @TypeOf(v) {
    return simd.min(all(@TypeOf(v), limit), v);
}

inline fn atLeast(v: anytype, limit: Element(@TypeOf(v))) @TypeOf(v) {
    return simd.max(all(@TypeOf(v), limit), v);
}

/// c0 + c1·x + c2·x² + …, highest first (Horner).
inline fn polynomial(x: anytype, comptime coefficients: []const Element(@TypeOf(x))) @TypeOf(x) {
    const V = @TypeOf(x);
    @setEvalBranchQuota(100_000);
    var sum = all(V, coefficients[coefficients.len - 1]);
    comptime var i = coefficients.len - 1;
    inline while (i > 0) : (i -= 1) sum = simd.abreast(simd.fma(sum, x, all(V, coefficients[i - 1])));
    return sum;
}

// ---------------------------------------------------------------------------------------------------------------------
// exp

/// (e^r - 1 - r) / r² for |r| ≤ ln 2 / 2. Fits 2^-28.2 and 2^-57.9.
fn expCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ 0.49999994, 0.16666517, 0.041668102, 0.008369197, 0.0013839066 }
    else
        &.{ 0.5000000000000011, 0.16666666666666438, 0.04166666666652576, 0.008333333333473683, 0.0013888888944876335, 0.0001984126956077719, 2.480149172411963e-05, 2.7557529956480423e-06, 2.7630765346196857e-07, 2.502038590411647e-08 };
}

/// A number fraction·2^n, n not yet put in: products with `fraction` keep full precision where the result is denormal.
fn Scaled(comptime V: type) type {
    return struct {
        fraction: V,
        n: V,
        /// The low bits hold n + 2·bias.
        exponent: Bits(V),
    };
}

/// exp(x + low), |low| under an ulp of x, for x within the caller's limits (|n| at most 1.5·bias).
/// x = n·ln 2 + r: `fma` makes x - n·ln2_high exact, since both are multiples of the product's last place. Adding
/// `rounder` rounds x·log2(e) to n; its surplus of 2·bias makes the low bits a sum of two biased exponents.
inline fn expScaled(x: anytype, low: ?@TypeOf(x)) Scaled(@TypeOf(x)) {
    return expScaledBy(2 * Format(Element(@TypeOf(x))).bias, x, low);
}

/// As `expScaled`, with a surplus for the caller's purpose.
inline fn expScaledBy(comptime surplus: comptime_int, x: anytype, low: ?@TypeOf(x)) Scaled(@TypeOf(x)) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const rounder = all(V, F.rounder + surplus);
    const rounded = simd.fma(x, all(V, F.log2e), rounder);
    const n = rounded - rounder;
    var r = simd.fma(n, all(V, -F.ln2_high), x);
    if (low) |l| r += l;
    r = simd.fma(n, all(V, -F.ln2_low), r);
    const tail = simd.fma(r * r, polynomial(r, expCoefficients(Element(V))), r);
    return .{ .fraction = tail + all(V, 1), .n = n, .exponent = toBits(rounded) };
}

/// v·2^n with one rounding: 2^n in two halves, as n may pass the exponent's range. The first product is exact.
inline fn scale(v: anytype, e: Scaled(@TypeOf(v))) @TypeOf(v) {
    const V = @TypeOf(v);
    if (comptime simd.hasScaleByPower(V)) return simd.scaleByPower(v, e.n);
    const F = Format(Element(V));
    const half = e.exponent >> shift(V, 1);
    const rest = e.exponent -% half;
    return v * fromBits(V, half << shift(V, F.fraction_bits)) * fromBits(V, rest << shift(V, F.fraction_bits));
}

/// v·2^n for |n| < bias.
inline fn scaleNear(v: anytype, e: Scaled(@TypeOf(v))) @TypeOf(v) {
    const V = @TypeOf(v);
    if (comptime simd.hasScaleByPower(V)) return simd.scaleByPower(v, e.n);
    const F = Format(Element(V));
    return v * fromBits(V, (e.exponent -% allBits(V, F.bias)) << shift(V, F.fraction_bits));
}

/// e^x. f32: 1.02 ulp; f64: 0.95 ulp.
pub inline fn exp(x: anytype) @TypeOf(x) {
    const F = Format(Element(@TypeOf(x)));
    const e = expScaled(atLeast(atMost(x, F.exp_max), F.exp_min), null);
    return scale(e.fraction, e);
}

/// e^x for x ≤ 0, but 0 where that is below the normal numbers: what a softmax needs. It is a third shorter than `exp`, and a mask of -Inf does not cost
/// the hundred cycles that some processors take for a denormal. Same error as `exp`; NaN stays NaN. What is too small is not limited first: whatever comes
/// out, and it is never a denormal on the way, the last select drops.
pub inline fn expNegative(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const e = expScaledBy(F.bias, x, null);
    const power = fromBits(V, e.exponent << shift(V, F.fraction_bits));
    return select(x < all(V, F.exp_normal_min), all(V, 0), e.fraction * power);
}

// ---------------------------------------------------------------------------------------------------------------------
// log

/// f32: (log(1 + f) - f + f²/2) / f³ for 1 + f from √½ to √2. Fit 2^-27.2.
/// f64: (log((1 + s)/(1 - s)) - 2s) / s³ in s², s = f/(2 + f), same range. Fit 2^-59.5.
fn logCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ 0.3333333, -0.25000823, 0.20001256, -0.16623354, 0.1420111, -0.13159837, 0.12766214, -0.076403745 }
    else
        &.{ 0.6666666666666734, 0.3999999999941663, 0.2857142874203651, 0.22222198603590562, 0.1818356295647764, 0.1531408147161991, 0.1479567332220876 };
}

/// log x; -Inf for ±0, NaN below. f32: 0.87 ulp; f64: 0.76 ulp.
///
/// x = 2^k·m, m from √½ to √2, f = m - 1 (exact): log x = k·ln 2 + f - f²/2 + …. In f64 a polynomial in f would be
/// long; there log(1 + f) = f - h + s·(h + s²·P(s²)) with h = f²/2, which is the series in s with its 2s written as
/// f - s·f (since 2s = f - s·f, and s·f = h - s·h).
pub inline fn log(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const T = Element(V);
    const F = Format(T);
    const one_bits = comptime toBits(@Vector(1, T){1})[0];
    const root_half_bits = comptime toBits(@Vector(1, T){@sqrt(0.5)})[0];
    const fraction_mask = (1 << F.fraction_bits) - 1;
    // Denormals gain the bits they lack. (Zero and negative numbers come here too, and are replaced at the end.)
    const lift = F.fraction_bits;
    const small = x < all(V, std.math.floatMin(T));
    const lifted = select(small, x * all(V, 1 << lift), x);
    // Adding 1 - √½ in bits carries into the exponent from m = √2 on.
    const bits = toBits(lifted) +% allBits(V, one_bits - root_half_bits);
    const m = fromBits(V, (bits & allBits(V, fraction_mask)) +% allBits(V, root_half_bits));
    // The biased exponent as a float: written into the fraction of 2^fraction_bits, that then taken off.
    const big: T = 1 << F.fraction_bits;
    const big_bits = comptime toBits(@Vector(1, T){big})[0];
    const biased = fromBits(V, (bits >> shift(V, F.fraction_bits)) | allBits(V, big_bits));
    const k = biased - select(small, all(V, big + F.bias + lift), all(V, big + F.bias));
    const f = m - all(V, 1);
    const square = f * f;
    const k_low = k * all(V, F.ln2_low);
    const correction = if (T == f32)
        simd.fma(square, all(V, -0.5), simd.fma(square * f, polynomial(f, logCoefficients(T)), k_low))
    else blk: {
        const h = square * all(V, 0.5);
        const s = f / (f + all(V, 2));
        const z = s * s;
        break :blk simd.fma(s, simd.fma(z, polynomial(z, logCoefficients(T)), h), k_low) - h;
    };
    const finite = simd.fma(k, all(V, F.ln2_high), f + correction);
    const infinity = all(V, std.math.inf(T));
    const special = select(x == all(V, 0), -infinity, all(V, std.math.nan(T)));
    return select(x > all(V, 0), select(x < infinity, finite, x), special);
}

// ---------------------------------------------------------------------------------------------------------------------
// tanh and the logistic function

/// (tanh(x)/x - 1) / x² in x², |x| ≤ 0.625. Fits 2^-27.7 and 2^-56.4.
fn tanhCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ -0.3333328, 0.13331406, -0.053736515, 0.020628506, -0.00569334 }
    else
        &.{ -0.33333333333332854, 0.1333333333326193, -0.05396825393119257, 0.02186948757438762, -0.008863220980468345, 0.0035919889965581797, -0.0014549579746654777, 0.0005863135999278019, -0.00022855829358137047, 7.713765981658546e-05, -1.6069296416219042e-05 };
}

/// tanh x: a polynomial up to 0.625, 1 - 2/(e^2|x| + 1) from there. f32: 1.34 ulp; f64: 1.27 ulp.
pub inline fn tanh(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = abs(x);
    const square = a * a;
    const near = simd.fma(a * square, polynomial(square, tanhCoefficients(Element(V))), a);
    const limited = atMost(a, F.tanh_max);
    const e = expScaled(limited + limited, null);
    const far = all(V, 1) - all(V, 2) / (scaleNear(e.fraction, e) + all(V, 1));
    return withSign(select(a < all(V, 0.625), near, far), x);
}

/// 1/(1 + e^-x), as e^x/(1 + e^x) for negative x, so that it is accurate where it is small. f32: 2.41 ulp;
/// f64: 2.3 ulp.
pub inline fn sigmoid(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const e = exp(-atMost(abs(x), -F.exp_min));
    return select(x < all(V, 0), e, all(V, 1)) / (all(V, 1) + e);
}

/// d/dx of `sigmoid`: e/(1 + e)² with e = e^-|x|, which keeps its relative accuracy where the slope is small. f32: 4.22 ulp.
pub inline fn sigmoidGrad(x: anytype) @TypeOf(x) {
    return bell(exp(-abs(x)));
}

/// d/dx of `tanh`: 1 - tanh(x)² = 4e/(1 + e)² with e = e^-2|x|. f32: 4.22 ulp.
pub inline fn tanhGrad(x: anytype) @TypeOf(x) {
    const a = abs(x);
    return all(@TypeOf(x), 4) * bell(exp(-(a + a)));
}

inline fn bell(e: anytype) @TypeOf(e) {
    const d = all(@TypeOf(e), 1) + e;
    return e / (d * d);
}

// ---------------------------------------------------------------------------------------------------------------------
// The normal distribution and erf

/// (a + 5)·e^(a²/2)·Φ(-a) in t = (a - 5)/(a + 5), for a from 0 to 14.5 and 39: nearly flat, so that a short polynomial
/// does (the map of Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x)exp(x²)erfc x in 0 ≤ x < ∞", 1981;
/// the pole at 5 by trial). Fits 2^-25.3 and 2^-54.2.
fn millsCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ 0.76919305, -0.6653825, 0.49530637, -0.31353393, 0.16500671, -0.06911594, 0.02087657, -0.0029613778, -0.00097149133, 0.00040502843 }
    else
        &.{ 0.769193049750063, -0.6653825028900566, 0.495305615969977, -0.31353315667131576, 0.1650203661703615, -0.06911863870595177, 0.020795066800242977, -0.0029933767756984424, -0.0007978694014844069, 0.0005448991058835046, -5.937571126056263e-05, -4.9763010290115925e-05, 1.6681144764629475e-05, 3.981491343929592e-06, -2.76905504807522e-06, -3.377432494553535e-07, 4.3268620642173823e-07, 4.361239553654535e-08, -6.531965153475645e-08, -1.021087529549395e-08, 7.1819089676277e-09, 2.013894285567605e-09 };
}

/// e^(a²/2)·Φ(-a), 0 ≤ a ≤ gauss_max. With t as 2·a/(a + 5) - 1 the error of the inverse enters t in proportion to a
/// and is partly taken back by the factor; as 1 - 10/(a + 5), it would come back fourfold near 0.
inline fn mills(a: anytype) @TypeOf(a) {
    const V = @TypeOf(a);
    const inverse = all(V, 1) / (a + all(V, 5));
    const t = simd.fma(a * inverse, all(V, 2), all(V, -1));
    return inverse * polynomial(t, millsCoefficients(Element(V)));
}

/// e^(factor·a²): the square's rounding error goes along, which for a = 10 would otherwise be some fifty ulp.
inline fn expOfSquare(a: anytype, factor: Element(@TypeOf(a))) Scaled(@TypeOf(a)) {
    const scaled = a * all(@TypeOf(a), factor);
    const square = scaled * a;
    return expScaled(square, simd.fma(scaled, a, -square));
}

/// (erf(x)/x - 1) in x², |x| ≤ 1. Fits 2^-29.4 and 2^-55.9.
fn erfCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ 0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.005187162, -0.0007997853, 7.806903e-05 }
    else
        &.{ 0.12837916709551256, -0.37612638903183343, 0.11283791670936943, -0.026866170641956722, 0.005223977596704315, -0.0008548325483223865, 0.0001205528044784949, -1.4924465007964487e-05, 1.644414875387475e-06, -1.6184035840839387e-07, 1.3617184415528461e-08, -7.609308367344978e-10 };
}

/// erf x: a polynomial up to 1, from there 1 - 2·Φ(-√2·|x|). f32: 1.10 ulp; f64: 1 ulp.
pub inline fn erf(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = abs(x);
    const near = simd.fma(a, polynomial(a * a, erfCoefficients(Element(V))), a);
    const limited = atMost(a, F.erf_max);
    const e = expOfSquare(limited, -1);
    const tail = mills(limited * all(V, @sqrt(2.0)));
    const far = simd.fma(scaleNear(e.fraction, e), all(V, -2) * tail, all(V, 1));
    return withSign(select(a < all(V, 1), near, far), x);
}

const inverse_root_two_pi = 0.398942280401432677939946059934381868;

/// Φ(x), the normal distribution function, with its relative accuracy kept down to where it underflows.
/// f32: 4.68 ulp; f64: 3.5 ulp.
pub inline fn normalCdf(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = atMost(abs(x), F.gauss_max);
    const e = expOfSquare(a, -0.5);
    const tail = scale(e.fraction * mills(a), e);
    return select(x < all(V, 0), tail, all(V, 1) - tail);
}

/// φ(x) = e^(-x²/2)/√(2π), the normal density. f32: 2.13 ulp; f64: 2.1 ulp.
pub inline fn normalPdf(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const e = expOfSquare(atMost(abs(x), F.gauss_max), -0.5);
    return scale(e.fraction * all(V, inverse_root_two_pi), e);
}

// ---------------------------------------------------------------------------------------------------------------------
// sin πx and cos πx

/// (sin(πr)/r - π) / r² in r², |r| ≤ ¼. Fits 2^-27.9 and 2^-57.9.
fn sinCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ -5.1677094, 2.5498197, -0.5895762 }
    else
        &.{ -5.16771278004996, 2.5501640398740597, -0.5992645289781814, 0.08214587022508321, -0.007370035117694676, 0.0004615990214817523 };
}

/// (cos(πr) - 1) / r² in r², |r| ≤ ¼. Fits 2^-31.1 and 2^-61.5.
fn cosCoefficients(comptime T: type) []const T {
    return if (T == f32)
        &.{ -4.934802, 4.0586967, -1.3347582, 0.22898854 }
    else
        &.{ -4.934802200544679, 4.058712126416667, -1.3352627688435823, 0.23533062979390637, -0.025806876106132436, 0.0019293528514216386, -0.00010304553598228542 };
}

pub fn SinCos(comptime V: type) type {
    return struct { sin: V, cos: V };
}

/// sin πx and cos πx for |x| < 2^20 (f32) or 2^50 (f64); beyond, numbers without meaning. ±Inf and NaN give NaN.
/// x = q/2 + r exactly, |r| ≤ ¼. Relative accuracy, at the zeros too. f32: 0.97 and 0.88 ulp;
/// f64: 0.85 and 0.8 ulp.
pub inline fn sinCosPi(x: anytype) SinCos(@TypeOf(x)) {
    const V = @TypeOf(x);
    const T = Element(V);
    const F = Format(T);
    const rounded = simd.fma(x, all(V, 2), all(V, F.rounder));
    const r = simd.fma(rounded - all(V, F.rounder), all(V, -0.5), x);
    const quarter = toBits(rounded);
    const square = r * r;
    const sin_tail = simd.fma(square, polynomial(square, sinCoefficients(T)), all(V, F.pi_low));
    const sin = simd.fma(r, all(V, F.pi_high), r * sin_tail);
    const cos = simd.fma(square, polynomial(square, cosCoefficients(T)), all(V, 1));
    const swap = (quarter & allBits(V, 1)) != allBits(V, 0);
    const to_sign = shift(V, @bitSizeOf(T) - 2);
    const sin_sign = (quarter << to_sign) & signBit(V);
    const cos_sign = ((quarter +% allBits(V, 1)) << to_sign) & signBit(V);
    return .{
        .sin = fromBits(V, toBits(select(swap, cos, sin)) ^ sin_sign),
        .cos = fromBits(V, toBits(select(swap, sin, cos)) ^ cos_sign),
    };
}

pub inline fn sinPi(x: anytype) @TypeOf(x) {
    return sinCosPi(x).sin;
}

pub inline fn cosPi(x: anytype) @TypeOf(x) {
    return sinCosPi(x).cos;
}

// ---------------------------------------------------------------------------------------------------------------------
// Activations. All give 0 for -Inf, +Inf for +Inf (their gradients 0 and 1), NaN for NaN, and never Inf - Inf or 0·Inf.

/// GELU, erf form: x·Φ(x) = max(x, 0) - |x|·Φ(-|x|), accurate relative to the result for negative x. f32: 4.97 ulp;
/// f64: 3.8 ulp.
pub inline fn geluErf(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = atMost(abs(x), F.gauss_max);
    const e = expOfSquare(a, -0.5);
    const tail = scale(-a * (e.fraction * mills(a)), e);
    return select(x < all(V, 0), all(V, 0), x) + tail;
}

/// d/dx x·Φ(x) = Φ(x) + x·φ(x), to 1.5 ulp of max(|y|, 1) in f32, 1.3 in f64. With d(a) = Φ(-a) - a·φ(a) that is d(|x|) for negative x and 1 - d(|x|) else.
pub inline fn geluErfGrad(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = atMost(abs(x), F.gauss_max);
    const e = expOfSquare(a, -0.5);
    const d = scale(e.fraction * simd.fma(a, all(V, -inverse_root_two_pi), mills(a)), e);
    return select(x < all(V, 0), d, all(V, 1) - d);
}

/// x·sigmoid(v), where v has the sign of x, from a = |x| limited and |v|. With e = exp(-|v|): x/(1 + e), and x·e/(1 + e)
/// for negative x, where x·e is formed before its scale is put in.
inline fn gated(x: anytype, a: @TypeOf(x), v_abs: @TypeOf(x)) @TypeOf(x) {
    const V = @TypeOf(x);
    const e = expScaled(-v_abs, null);
    const negative = scale(-a * e.fraction, e);
    return select(x < all(V, 0), negative, x) / (all(V, 1) + scale(e.fraction, e));
}

/// d/dx x·sigmoid(v) = s + x·v'·s·(1 - s), s = sigmoid(v), from y = |x|·v'. With e = exp(-|v|), d = 1 + e:
/// (d + e·y)/d², and e·(d - y)/d² for negative x.
inline fn gatedGrad(x: anytype, y: @TypeOf(x), v_abs: @TypeOf(x)) @TypeOf(x) {
    const V = @TypeOf(x);
    const e = expScaled(-v_abs, null);
    const e_full = scale(e.fraction, e);
    const d = all(V, 1) + e_full;
    const negative = scale(e.fraction * (d - y), e);
    return select(x < all(V, 0), negative, simd.fma(e_full, y, d)) / (d * d);
}

/// 2·√(2/π), and that times 0.044715: 2u = x·(c1 + c3·x²).
const gelu_c1 = 1.59576912160573071175978;
const gelu_c3 = gelu_c1 * 0.044715;

/// GELU, tanh form: x/2·(1 + tanh u) = x·sigmoid(2u), u = √(2/π)·(x + 0.044715·x³). Relative to the result for negative
/// x, some |2u| ulp off, by the rounding of 2u: 3e-6 at x = -6 in f32, 215 ulp where it underflows; 1.6 ulp of max(|y|, 1).
pub inline fn geluTanh(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = atMost(abs(x), F.gelu_tanh_max);
    return gated(x, a, a * simd.fma(a * a, all(V, gelu_c3), all(V, gelu_c1)));
}

/// d/dx of `geluTanh`, to 2.3 ulp of max(|y|, 1) in f32, 2 in f64.
pub inline fn geluTanhGrad(x: anytype) @TypeOf(x) {
    const V = @TypeOf(x);
    const F = Format(Element(V));
    const a = atMost(abs(x), F.gelu_tanh_max);
    const square = a * a;
    const v = a * simd.fma(square, all(V, gelu_c3), all(V, gelu_c1));
    return gatedGrad(x, a * simd.fma(square, all(V, 3 * gelu_c3), all(V, gelu_c1)), v);
}

/// x·sigmoid(x). f32: 3.40 ulp; f64: 3 ulp.
pub inline fn silu(x: anytype) @TypeOf(x) {
    const a = atMost(abs(x), Format(Element(@TypeOf(x))).silu_max);
    return gated(x, a, a);
}

/// d/dx of `silu`, to 2.1 ulp of max(|y|, 1) in f32, 1.8 in f64.
pub inline fn siluGrad(x: anytype) @TypeOf(x) {
    const a = atMost(abs(x), Format(Element(@TypeOf(x))).silu_max);
    return gatedGrad(x, a, a);
}

//! The functions of math.zig over arrays, one per function and dtype, and what of simd.zig has a meaning of its own:
//! through these the tests reach the object of each instruction set.

const std = @import("std");
const simd = @import("simd.zig");
const math = @import("math.zig");

pub const ukernels = struct {
    pub const exp_f32 = Map(f32, math.exp).run;
    pub const log_f32 = Map(f32, math.log).run;
    pub const tanh_f32 = Map(f32, math.tanh).run;
    pub const erf_f32 = Map(f32, math.erf).run;
    pub const sigmoid_f32 = Map(f32, math.sigmoid).run;
    pub const normal_cdf_f32 = Map(f32, math.normalCdf).run;
    pub const normal_pdf_f32 = Map(f32, math.normalPdf).run;
    pub const sin_pi_f32 = Map(f32, math.sinPi).run;
    pub const cos_pi_f32 = Map(f32, math.cosPi).run;
    pub const gelu_erf_f32 = Map(f32, math.geluErf).run;
    pub const gelu_erf_grad_f32 = Map(f32, math.geluErfGrad).run;
    pub const gelu_tanh_f32 = Map(f32, math.geluTanh).run;
    pub const gelu_tanh_grad_f32 = Map(f32, math.geluTanhGrad).run;
    pub const silu_f32 = Map(f32, math.silu).run;
    pub const silu_grad_f32 = Map(f32, math.siluGrad).run;
    pub const sigmoid_grad_f32 = Map(f32, math.sigmoidGrad).run;
    pub const tanh_grad_f32 = Map(f32, math.tanhGrad).run;
    pub const exp_f64 = Map(f64, math.exp).run;
    pub const log_f64 = Map(f64, math.log).run;
    pub const tanh_f64 = Map(f64, math.tanh).run;
    pub const erf_f64 = Map(f64, math.erf).run;
    pub const sigmoid_f64 = Map(f64, math.sigmoid).run;
    pub const normal_cdf_f64 = Map(f64, math.normalCdf).run;
    pub const normal_pdf_f64 = Map(f64, math.normalPdf).run;
    pub const sin_pi_f64 = Map(f64, math.sinPi).run;
    pub const cos_pi_f64 = Map(f64, math.cosPi).run;
    pub const gelu_erf_f64 = Map(f64, math.geluErf).run;
    pub const gelu_erf_grad_f64 = Map(f64, math.geluErfGrad).run;
    pub const gelu_tanh_f64 = Map(f64, math.geluTanh).run;
    pub const gelu_tanh_grad_f64 = Map(f64, math.geluTanhGrad).run;
    pub const silu_f64 = Map(f64, math.silu).run;
    pub const silu_grad_f64 = Map(f64, math.siluGrad).run;
    pub const sigmoid_grad_f64 = Map(f64, math.sigmoidGrad).run;
    pub const tanh_grad_f64 = Map(f64, math.tanhGrad).run;
    pub const fma_f32 = Simd(f32).fma;
    pub const fma_f64 = Simd(f64).fma;
    pub const sum_tree_f32 = Simd(f32).sumTree;
    pub const sum_tree_f64 = Simd(f64).sumTree;
    pub const max_tree_f32 = Simd(f32).maxTree;
    pub const max_tree_f64 = Simd(f64).maxTree;
    pub const partial_f32 = Simd(f32).partial;
    pub const partial_f64 = Simd(f64).partial;
    pub const partial_u16 = Simd(u16).partial;
    pub const load_turned_f32 = loadTurned(f32);
    pub const load_turned_f64 = loadTurned(f64);
};

fn Map(comptime T: type, comptime function: anytype) type {
    return struct {
        fn run(out: [*]T, x: [*]const T, n: usize) callconv(.c) void {
            var i: usize = 0;
            while (n - i >= simd.lanes) : (i += simd.lanes) simd.store(out + i, function(simd.load(T, x + i)));
            if (i < n) simd.storePartial(out + i, function(simd.loadPartial(T, x + i, n - i, 1)), n - i);
        }
    };
}

fn Simd(comptime T: type) type {
    return struct {
        fn fma(out: *[16]T, a: *const [16]T, b: *const [16]T, c: *const [16]T) callconv(.c) void {
            simd.store(out, simd.fma(simd.load(T, a), simd.load(T, b), simd.load(T, c)));
        }

        fn sumTree(x: *const [16]T) callconv(.c) T {
            return simd.sumTree(simd.load(T, x));
        }

        fn maxTree(x: *const [16]T) callconv(.c) T {
            return simd.maxTree(simd.load(T, x));
        }

        /// Copies `count` lanes of 16, or of one register where `narrow` says so, and all lanes as loaded to `full`.
        fn partial(out: [*]T, full: *[16]T, x: [*]const T, count: usize, fill: *const T, narrow: bool) callconv(.c) void {
            if (narrow) {
                const v = simd.loadPartial(@Vector(simd.width(T), T), x, count, fill.*);
                simd.storePartial(out, v, count);
                if (simd.width(T) <= 16) simd.store(full, v);
            } else {
                const v = simd.loadPartial(T, x, count, fill.*);
                simd.storePartial(out, v, count);
                simd.store(full, v);
            }
        }
    };
}

fn Turned(comptime T: type) type {
    const side = 64 / @sizeOf(T);
    return fn (out: *[side][side]T, x: *const [side][side]T) callconv(.c) void;
}

fn loadTurned(comptime T: type) Turned(T) {
    const side = 64 / @sizeOf(T);
    return struct {
        fn f(out: *[side][side]T, x: *const [side][side]T) callconv(.c) void {
            var rows: [side][*]const T = undefined;
            for (&rows, x) |*row, *from| row.* = from;
            for (simd.loadTurned(T, &rows), out) |column, *to| to.* = column;
        }
    }.f;
}

// ---------------------------------------------------------------------------------------------------------------------
// Tests

const testing = std.testing;
const pick = @import("pick.zig");
const detect = @import("detect.zig");
const Guarded = @import("../testing/guard.zig").Guarded;

fn MapFn(comptime T: type) type {
    return fn (out: [*]T, x: [*]const T, n: usize) callconv(.c) void;
}

fn kernel(comptime T: type, comptime name: []const u8) *const MapFn(T) {
    return pick.testKernel(name ++ "_" ++ @typeName(T), MapFn(T));
}

/// f(x) of one number.
fn at(comptime T: type, comptime name: []const u8, x: T) T {
    var out: T = undefined;
    kernel(T, name)(@ptrCast(&out), @ptrCast(&x), 1);
    return out;
}

const names = [_][]const u8{
    "exp",      "log",           "tanh",      "erf",            "sigmoid", "normal_cdf", "normal_pdf",   "sin_pi",    "cos_pi",
    "gelu_erf", "gelu_erf_grad", "gelu_tanh", "gelu_tanh_grad", "silu",    "silu_grad",  "sigmoid_grad", "tanh_grad",
};

/// Plain f64 references. Those of the standard library are good to an ulp or two of f64, the others to 1e-14 or so.
const reference = struct {
    fn exp(x: f64) f64 {
        return std.math.exp(x);
    }

    fn log(x: f64) f64 {
        return @log(x);
    }

    fn tanh(x: f64) f64 {
        return std.math.tanh(x);
    }

    /// The Maclaurin series of erf, and for |x| ≥ 2 the continued fraction of erfc from its end.
    fn erf(x: f64) f64 {
        return if (@abs(x) < 2) erfSeries(x) else std.math.copysign(1 - erfcFraction(@abs(x)), x);
    }

    fn erfc(x: f64) f64 {
        return if (@abs(x) < 2) 1 - erfSeries(x) else if (x > 0) erfcFraction(x) else 2 - erfcFraction(-x);
    }

    /// e^(-x²)·2x/√π·Σ (2x²)^k / (1·3·5…(2k+1)): all terms positive.
    fn erfSeries(x: f64) f64 {
        var term: f64 = 1;
        var sum: f64 = 1;
        var k: f64 = 1;
        while (term > sum * 1e-17) : (k += 1) {
            term *= 2 * x * x / (2 * k + 1);
            sum += term;
        }
        return std.math.exp(-x * x) * x * sum * (2.0 / @sqrt(std.math.pi));
    }

    fn erfcFraction(x: f64) f64 {
        if (x > 28) return 0;
        var tail: f64 = 0;
        var k: f64 = 60;
        while (k > 0) : (k -= 1) tail = k / 2 / (x + tail);
        // e^(-x²) by parts, since the rounding of x² would show.
        const high: f64 = @as(f32, @floatCast(x));
        return std.math.exp(-high * high) * std.math.exp((high - x) * (high + x)) / ((x + tail) * @sqrt(std.math.pi));
    }

    fn sigmoid(x: f64) f64 {
        return if (x < 0) exp(x) / (1 + exp(x)) else 1 / (1 + exp(-x));
    }

    fn normal_cdf(x: f64) f64 {
        return erfc(-x * @sqrt(0.5)) / 2;
    }

    fn normal_pdf(x: f64) f64 {
        return exp(-x * x / 2) / @sqrt(2 * std.math.pi);
    }

    fn sin_pi(x: f64) f64 {
        const r = x - 2 * @round(x / 2);
        if (@abs(r) > 0.5) return @sin(std.math.pi * (std.math.copysign(@as(f64, 1), r) - r));
        return @sin(std.math.pi * r);
    }

    fn cos_pi(x: f64) f64 {
        return sin_pi(0.5 - @abs(x - 2 * @round(x / 2)));
    }

    fn gelu_erf(x: f64) f64 {
        if (x < -40) return 0;
        return if (x > 40) x else x * normal_cdf(x);
    }

    fn gelu_erf_grad(x: f64) f64 {
        return normal_cdf(x) + if (@abs(x) > 40) 0 else x * normal_pdf(x);
    }

    fn twoU(x: f64) f64 {
        return 2 * @sqrt(2.0 / std.math.pi) * (x + 0.044715 * x * x * x);
    }

    fn gelu_tanh(x: f64) f64 {
        if (x < -40) return 0;
        return if (x > 40) x else x * sigmoid(twoU(x));
    }

    fn gelu_tanh_grad(x: f64) f64 {
        const s = sigmoid(twoU(x));
        if (@abs(x) > 40) return s;
        return s + x * s * sigmoid(-twoU(x)) * 2 * @sqrt(2.0 / std.math.pi) * (1 + 3 * 0.044715 * x * x);
    }

    fn silu(x: f64) f64 {
        if (x < -800) return 0;
        return if (x > 800) x else x * sigmoid(x);
    }

    fn silu_grad(x: f64) f64 {
        const s = sigmoid(x);
        return if (@abs(x) > 800) s else s + x * s * sigmoid(-x);
    }

    fn sigmoid_grad(x: f64) f64 {
        return sigmoid(x) * sigmoid(-x);
    }

    fn tanh_grad(x: f64) f64 {
        return 4 * sigmoid_grad(2 * x);
    }
};

/// What an f32 result may be off, in units of its own last place or, for gradients, which pass through zero, of that of
/// 1. The bounds are the worst of all inputs (math_exhaustive.zig), rounded up. GELU's tanh form carries the
/// rounding of its exponent v, which grows with |v|: some 25 ulp at x = -6, 215 where it underflows.
const Bound = struct { name: []const u8, ulp: f64, least: f64 = 0, domain: f32 = std.math.inf(f32) };

const bounds = [_]Bound{
    .{ .name = "exp", .ulp = 1.1 },
    .{ .name = "log", .ulp = 1 },
    .{ .name = "tanh", .ulp = 1.4 },
    .{ .name = "erf", .ulp = 1.2 },
    .{ .name = "sigmoid", .ulp = 2.5 },
    .{ .name = "normal_cdf", .ulp = 4.7 },
    .{ .name = "normal_pdf", .ulp = 2.2 },
    .{ .name = "sin_pi", .ulp = 1, .domain = 1 << 20 },
    .{ .name = "cos_pi", .ulp = 1, .domain = 1 << 20 },
    .{ .name = "gelu_erf", .ulp = 5 },
    .{ .name = "gelu_erf_grad", .ulp = 3, .least = 1 },
    .{ .name = "gelu_tanh", .ulp = 220 },
    .{ .name = "gelu_tanh_grad", .ulp = 3, .least = 1 },
    .{ .name = "silu", .ulp = 3.5 },
    .{ .name = "silu_grad", .ulp = 3, .least = 1 },
    .{ .name = "sigmoid_grad", .ulp = 5 },
    .{ .name = "tanh_grad", .ulp = 5 },
};

fn ulpOf(y: f64) f64 {
    const exponent_bits = @as(u64, @bitCast(@max(@abs(y), 0x1p-126))) & (0x7ff << 52);
    return @as(f64, @bitCast(exponent_bits)) * 0x1p-23;
}

fn expectNear(name: []const u8, x: f64, got: f64, want: f64, allowed: f64) !void {
    if (got == want or (std.math.isNan(got) and std.math.isNan(want)) or @abs(got - want) <= allowed) return;
    std.debug.print("{s}({e}) is {e}, want {e}: off by {e}, allowed {e}\n", .{ name, x, got, want, @abs(got - want), allowed });
    return error.TestExpectedApproxEq;
}

test "f32 functions keep within their ulp over all bit patterns, sampled" {
    inline for (bounds) |bound| {
        var x: [512]f32 = undefined;
        var y: [512]f32 = undefined;
        var bits: u64 = 1;
        while (bits < 1 << 32) {
            var n: usize = 0;
            while (n < x.len and bits < 1 << 32) : (bits += 65521) {
                x[n] = @bitCast(@as(u32, @truncate(bits)));
                if (@abs(x[n]) <= bound.domain) n += 1;
            }
            kernel(f32, bound.name)(&y, &x, n);
            for (x[0..n], y[0..n]) |v, got| try check(bound, v, got);
        }
        // The range that networks live in, more densely.
        for (0..8) |block| {
            for (&x, 0..) |*v, i| v.* = @as(f32, @floatFromInt(block * x.len + i)) * (16.0 / 4096.0) - 8.0013;
            kernel(f32, bound.name)(&y, &x, x.len);
            for (x, y) |v, got| try check(bound, v, got);
        }
    }
}

fn check(comptime bound: Bound, x: f32, got: f32) !void {
    const exact = @field(reference, bound.name)(x);
    const want: f64 = if (std.math.isInf(@as(f32, @floatCast(exact)))) @as(f32, @floatCast(exact)) else exact;
    try expectNear(bound.name, x, got, want, bound.ulp * ulpOf(@max(@abs(want), bound.least)));
}

test "f64 functions agree with plain references" {
    inline for (bounds) |bound| {
        var x: [2048]f64 = undefined;
        var y: [2048]f64 = undefined;
        for (&x, 0..) |*v, i| v.* = @as(f64, @floatFromInt(i)) * (24.0 / 2048.0) - 16.00137;
        kernel(f64, bound.name)(&y, &x, x.len);
        for (x, y) |v, got| {
            const want = @field(reference, bound.name)(v);
            // References of Φ cancel between -2.8 and 0, gradients at their zero.
            const absolute: f64 = if (v > -2.9) 2e-15 else 0;
            try expectNear(bound.name, v, got, want, 2e-13 * @abs(want) + absolute);
        }
    }
    // exp, log and tanh have references to the last places.
    inline for (.{ "exp", "log", "tanh" }) |name| {
        var i: f64 = 1;
        while (i < 500) : (i += 1) {
            const x = if (name.len == 3 and name[0] == 'l') std.math.exp(i * 2.8 - 700) else i * 2.8 - 700.003;
            const want = @field(reference, name)(x);
            try expectNear(name, x, at(f64, name, x), want, 4 * std.math.floatEps(f64) * @abs(want));
        }
    }
}

test "special values" {
    const inf = std.math.inf(f64);
    const nan = std.math.nan(f64);
    const half: f64 = 0.5;
    const table = .{
        //  name            -Inf  -0    +0    +Inf
        .{ "exp", 0, 1, 1, inf },
        .{ "log", nan, -inf, -inf, inf },
        .{ "tanh", -1, -0.0, 0, 1 },
        .{ "erf", -1, -0.0, 0, 1 },
        .{ "sigmoid", 0, half, half, 1 },
        .{ "normal_cdf", 0, half, half, 1 },
        .{ "normal_pdf", 0, 0.3989422804014327, 0.3989422804014327, 0 },
        .{ "sin_pi", nan, 0, 0, nan },
        .{ "cos_pi", nan, 1, 1, nan },
        .{ "gelu_erf", 0, -0.0, 0, inf },
        .{ "gelu_erf_grad", 0, half, half, 1 },
        .{ "gelu_tanh", 0, -0.0, 0, inf },
        .{ "gelu_tanh_grad", 0, half, half, 1 },
        .{ "silu", 0, -0.0, 0, inf },
        .{ "silu_grad", 0, half, half, 1 },
        .{ "sigmoid_grad", 0, 0.25, 0.25, 0 },
        .{ "tanh_grad", 0, 1, 1, 0 },
    };
    inline for (.{ f32, f64 }) |T| {
        inline for (table) |row| {
            const name = row[0];
            try testing.expect(std.math.isNan(at(T, name, std.math.nan(T))));
            inline for (.{ -inf, @as(f64, -0.0), @as(f64, 0.0), inf }, .{ row[1], row[2], row[3], row[4] }) |x, want| {
                try expectSame(T, at(T, name, @floatCast(x)), @floatCast(@as(f64, want)));
            }
        }
        // Denormals pass through where the slope at zero is 1, and log takes them apart.
        const least = std.math.floatTrueMin(T);
        inline for (.{"tanh"}) |name| try testing.expectEqual(-3 * least, at(T, name, -3 * least));
        try testing.expectEqual(@as(T, 1), at(T, "exp", least));
        try testing.expectEqual(@as(T, @floatCast(@log(@as(f64, least)))), at(T, "log", least));
        try testing.expectEqual(@as(T, 0), at(T, "log", 1));
        try testing.expect(std.math.isNan(at(T, "log", -least)));
        // Odd quarters of a turn, exactly.
        try testing.expectEqual(@as(T, 1), at(T, "sin_pi", 0.5));
        try testing.expectEqual(@as(T, -1), at(T, "sin_pi", 1.5));
        try testing.expectEqual(@as(T, 0), at(T, "cos_pi", 0.5));
        try testing.expectEqual(@as(T, -1), at(T, "cos_pi", -1));
    }
    // Overflow, denormal results and underflow.
    try testing.expectApproxEqRel(@as(f32, 3.4027985e38), at(f32, "exp", 88.72283), 1.2e-7);
    try testing.expect(std.math.isInf(at(f32, "exp", 88.72284)));
    try testing.expectEqual(std.math.floatTrueMin(f32), at(f32, "exp", -103.9));
    try testing.expectEqual(@as(f32, 0), at(f32, "exp", -104));
    try testing.expectEqual(std.math.floatTrueMin(f64), at(f64, "exp", -745));
    try testing.expect(std.math.isInf(at(f64, "exp", 709.79)));
}

/// Equal, any NaN for any NaN, and zeros by their sign where -0 is wanted.
fn expectSame(comptime T: type, got: T, want: T) !void {
    if (std.math.isNan(got) and std.math.isNan(want)) return;
    try testing.expectEqual(want, got);
    if (want == 0 and std.math.signbit(want)) try testing.expect(std.math.signbit(got));
}

test "GELU for large and very negative inputs, at every lane and length" {
    const inf = std.math.inf(f32);
    const inputs = [_]f32{ 13.24, 50, -50, 3e38, -3e38, inf, -inf, -4, -6, 1 };
    const tanh_form = [_]f32{ 13.24, 50, 0, 3e38, 0, inf, 0, -7.024595e-5, -8.439647e-11, 0.8411920 };
    const erf_form = [_]f32{ 13.24, 50, 0, 3e38, 0, inf, 0, -1.266850e-4, -5.919526e-9, 0.8413447 };
    inline for (.{ "gelu_tanh", "gelu_erf" }, .{ tanh_form, erf_form }) |name, form| {
        for (inputs, form) |x, want| {
            for (1..41) |n| {
                var buffer: [40]f32 = @splat(0.25);
                var out: [41]f32 = @splat(-77);
                for (0..n) |lane| {
                    buffer[lane] = x;
                    kernel(f32, name)(&out, &buffer, n);
                    try expectNear(name, x, out[lane], want, 1e-5 * @abs(want));
                    if (n > 1) try testing.expect(out[(lane + 1) % n] > 0.1);
                    buffer[lane] = 0.25;
                }
                try testing.expectEqual(@as(f32, -77), out[n]);
            }
        }
        try testing.expect(std.math.isNan(at(f32, name, std.math.nan(f32))));
    }
}

test "every length gives what each element alone gives, in place too, and nothing past the end" {
    inline for (.{ f32, f64 }) |T| {
        inline for (names) |name| {
            const memory = try Guarded.init(40 * @sizeOf(T));
            defer memory.deinit();
            const target = try Guarded.init(40 * @sizeOf(T));
            defer target.deinit();
            var want: [40]T = undefined;
            for (&want, 0..) |*w, i| w.* = at(T, name, input(T, i));
            for (0..41) |n| {
                const x = memory.last(T, n);
                for (x, 0..) |*v, i| v.* = input(T, i);
                const out = target.last(T, n);
                (out.ptr - 1)[0] = 99;
                kernel(T, name)(out.ptr, x.ptr, n);
                try testing.expectEqualSlices(T, want[0..n], out);
                try testing.expectEqual(@as(T, 99), (out.ptr - 1)[0]);
                // Away from the border, so that a store too many is seen rather than faults.
                var inside: [42]T = @splat(99);
                kernel(T, name)(inside[1..].ptr, x.ptr, n);
                try testing.expectEqualSlices(T, want[0..n], inside[1..][0..n]);
                try testing.expectEqual(@as(T, 99), inside[n + 1]);
                kernel(T, name)(x.ptr, x.ptr, n);
                try testing.expectEqualSlices(T, want[0..n], x);
            }
        }
    }
}

fn input(comptime T: type, i: usize) T {
    return (@as(T, @floatFromInt(i)) + 0.3) * 0.17;
}

test "monotone functions do not step back between neighbours" {
    inline for (.{ "exp", "log", "tanh", "erf", "sigmoid", "normal_cdf" }) |name| {
        // Runs of neighbours across the places where the method changes branch or exponent.
        for ([_]f32{ 0.34657, 0.625, 1, 0.70710, 1.41421, 2, 5 }) |start| {
            var x: [256]f32 = undefined;
            var y: [256]f32 = undefined;
            for (&x, 0..) |*v, i| v.* = @bitCast(@as(u32, @bitCast(start)) + @as(u32, @intCast(i)) -% 128);
            kernel(f32, name)(&y, &x, x.len);
            // An error of up to 2.5 ulp allows a step back of that many; a wrong branch would be far more.
            for (y[0 .. y.len - 1], y[1..]) |a, b| try testing.expect(b >= a - 3 * @as(f32, @floatCast(ulpOf(a))));
        }
    }
}

/// Inputs of the hashes: all magnitudes and both signs, then the range from -8 to 8.
fn hashInput(comptime T: type, i: usize) T {
    const U = @Int(.unsigned, @bitSizeOf(T));
    if (i % 2 == 0) return @bitCast(@as(U, @truncate(@as(u64, i) *% 0x9e3779b97f4a7c15 >> (64 - @bitSizeOf(T)))));
    return @as(T, @floatFromInt(i)) * (16.0 / 4096.0) - 8;
}

/// Hash of results, any NaN as one.
fn hashOf(comptime T: type, values: []const T) u64 {
    const U = @Int(.unsigned, @bitSizeOf(T));
    var hash = std.hash.Wyhash.init(0);
    for (values) |v| {
        const bits: U = if (std.math.isNan(v)) @bitCast(std.math.nan(T)) else @bitCast(v);
        hash.update(&std.mem.toBytes(std.mem.nativeToLittle(U, bits)));
    }
    return hash.final();
}

/// f32, then f64: the same on every instruction set. Changed only together with a formula in math.zig.
const golden = [_][2]u64{
    .{ 0x89bc506314637416, 0x7f434977277a5adc }, // exp
    .{ 0x6744ef106d265700, 0xeeed4df36565e7c9 }, // log
    .{ 0x04c129f220ba32ff, 0xbb9acb0c985a6a0c }, // tanh
    .{ 0x89d35d472b282db3, 0x2db596fc4cf5cfc3 }, // erf
    .{ 0xdf40f97abec7ba75, 0xcf69149397dc33c5 }, // sigmoid
    .{ 0x80db039c78391512, 0xfd0938b8ed33eca8 }, // normal_cdf
    .{ 0xcaed95a6172fc13c, 0x2aa3926e6daa9935 }, // normal_pdf
    .{ 0x90677f4b51d2ab5f, 0x66149f3bcd69758f }, // sin_pi
    .{ 0x01d12aafdf666b73, 0x9c5a93d281e67d86 }, // cos_pi
    .{ 0x09823dc5ab568346, 0x71c317f66259e4d5 }, // gelu_erf
    .{ 0xaaafca1eecfa58ff, 0x7a6af68906d3409b }, // gelu_erf_grad
    .{ 0x2592e01ef327b7b9, 0x8d2ab7713251c7ef }, // gelu_tanh
    .{ 0x08c5885d0e9dfaa8, 0x242bec6e25f556a0 }, // gelu_tanh_grad
    .{ 0x5812faa8d6a1e6a8, 0x4a4c4f54cf5230a8 }, // silu
    .{ 0x85453bb79cf2adae, 0x8693cd6551fd4995 }, // silu_grad
    .{ 0xb7fe87b9e8923053, 0x9b3690b8da75ff49 }, // sigmoid_grad
    .{ 0x85c9fd8f33eac2e8, 0xc07b539968b3dbcd }, // tanh_grad
};

test "golden hashes: the same bits on every instruction set" {
    var differences: usize = 0;
    inline for (.{ f32, f64 }, 0..) |T, column| {
        var x: [4096]T = undefined;
        var y: [4096]T = undefined;
        for (&x, 0..) |*v, i| v.* = hashInput(T, i);
        inline for (names, golden) |name, row| {
            kernel(T, name)(&y, &x, x.len);
            const hash = hashOf(T, &y);
            if (hash != row[column]) {
                std.debug.print("{s}_{s}: 0x{x:0>16}\n", .{ name, @typeName(T), hash });
                differences += 1;
            }
        }
    }
    try testing.expectEqual(0, differences);
}

test "fma rounds once: known cases" {
    // Valgrind computes the instruction itself, and loses the sign of a product that underflows.
    if (std.c.getenv("TILEWORK_VALGRIND") != null) return error.SkipZigTest;
    const cases = [_][4]f64{
        // a, b, c, result
        .{ 1 + 0x1p-52, 1 - 0x1p-52, -1, -0x1p-104 },
        .{ -0x1.cp-28, 0x1.cp-27, 1, 1 - 0x1p-53 },
        .{ 0x1p-54, 1, 1, 1 },
        .{ 0x1p-53, 1, 1 + 0x1p-52, 1 + 0x1p-51 },
        .{ 0x1p1000, 0x1p1000, -std.math.inf(f64), -std.math.inf(f64) },
        .{ 0x1p1000, 0x1p100, -0x1.fffffffffffffp1023, std.math.inf(f64) },
        .{ 0x1p1000, 0x1.8p24, -0x1.fffffffffffffp1023, 0x1.0000000000001p1023 },
        .{ 0x1p-1000, 0x1p-74, 0, 0x1p-1074 },
        .{ 0x1p-1000, -0x1p-500, 0, -0.0 },
        .{ 0x1p-600, 0x1p-475, 0x1p-1074, 0x1p-1073 },
        .{ 0x1p-600, 0x1p-476, 0x1p-1074, 0x1p-1074 },
        .{ -0.0, 1, -0.0, -0.0 },
        .{ -0.0, 1, 0, 0 },
        .{ 3, 5, -15, 0 },
    };
    const kernel64 = pick.testKernel("fma_f64", FmaFn(f64));
    for (cases) |case| {
        // A lane beside it picks the way: 1 leaves all ways open, a denormal takes the one for any operands.
        for ([_]f64{ 1, std.math.floatTrueMin(f64) }) |beside| {
            var in: [3][16]f64 = @splat(@splat(beside));
            for (&in, case[0..3]) |*v, x| v[5] = x;
            var out: [16]f64 = undefined;
            kernel64(&out, &in[0], &in[1], &in[2]);
            try testing.expectEqual(@as(u64, @bitCast(case[3])), @as(u64, @bitCast(out[5])));
        }
    }
}

fn FmaFn(comptime T: type) type {
    return fn (out: *[16]T, a: *const [16]T, b: *const [16]T, c: *const [16]T) callconv(.c) void;
}

test "fma agrees with the machine's instruction" {
    const best = detect.best();
    if (best == .portable) return error.SkipZigTest;
    var prng = std.Random.DefaultPrng.init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| {
        const U = @Int(.unsigned, @bitSizeOf(T));
        const special = [_]T{ 0, -0.0, 1, -1, 1.5, std.math.inf(T), -std.math.inf(T), std.math.nan(T), std.math.floatMax(T), std.math.floatMin(T), std.math.floatTrueMin(T) };
        for (0..4000) |round| {
            var a: [16]T = undefined;
            var b: [16]T = undefined;
            var c: [16]T = undefined;
            for (&a, &b, &c) |*x, *y, *z| {
                for ([_]*T{ x, y, z }) |v| v.* = switch (round % 4) {
                    0 => @bitCast(random.int(U)),
                    1 => if (random.boolean()) special[random.uintLessThan(usize, special.len)] else @bitCast(random.int(U)),
                    else => (random.float(T) + 1) * if (random.boolean()) @as(T, 1) else -1,
                };
                // Near cancellation, where a product rounded before the sum shows; results around the denormals.
                if (round % 4 == 3) {
                    z.* = -(x.* * y.*) * if (random.boolean()) @as(T, 1) else 1 + std.math.floatEps(T);
                    if (round % 8 == 3) for ([_]*T{ x, z }) |v| {
                        v.* *= std.math.floatMin(T) * (1 + random.float(T));
                    };
                }
            }
            var got: [16]T = undefined;
            var want: [16]T = undefined;
            pick.testKernel("fma_" ++ @typeName(T), FmaFn(T))(&got, &a, &b, &c);
            pick.pick(best, FmaFn(T), "fma_" ++ @typeName(T))(&want, &a, &b, &c);
            for (got, want) |g, w| {
                if (std.math.isNan(g) and std.math.isNan(w)) continue;
                try testing.expectEqual(@as(U, @bitCast(w)), @as(U, @bitCast(g)));
            }
        }
    }
}

test "trees add and compare lane i with i+8, then +4, +2, +1" {
    var prng = std.Random.DefaultPrng.init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        const Fn = fn (*const [16]T) callconv(.c) T;
        for (0..200) |_| {
            var x: [16]T = undefined;
            for (&x) |*v| v.* = @floatCast(prng.random().floatNorm(f64));
            var sums = x;
            var width: usize = 8;
            while (width > 0) : (width /= 2) {
                for (0..width) |i| sums[i] += sums[i + width];
            }
            try testing.expectEqual(sums[0], pick.testKernel("sum_tree_" ++ @typeName(T), Fn)(&x));
            try testing.expectEqual(std.mem.max(T, &x), pick.testKernel("max_tree_" ++ @typeName(T), Fn)(&x));
        }
    }
}

test "partial loads and stores touch count lanes and fill the others" {
    inline for (.{ f32, f64, u16 }) |T| {
        const Fn = fn ([*]T, *[16]T, [*]const T, usize, *const T, bool) callconv(.c) void;
        const copy = pick.testKernel("partial_" ++ @typeName(T), Fn);
        const memory = try Guarded.init(16 * @sizeOf(T));
        defer memory.deinit();
        const target = try Guarded.init(16 * @sizeOf(T));
        defer target.deinit();
        const fill: T = 7;
        for ([_]bool{ false, true }) |narrow| {
            // Sixteen bytes are the narrowest register.
            const lanes: usize = if (narrow) 16 / @sizeOf(T) else 16;
            // A register of more than 16 lanes comes back without its lanes.
            const shown = !(narrow and T == u16);
            for (0..lanes) |n| {
                const x = memory.last(T, n);
                const out = target.last(T, n);
                for (x, 0..) |*v, i| v.* = if (T == u16) @intCast(i + 20) else @floatFromInt(i + 20);
                (out.ptr - 1)[0] = 99;
                var full: [16]T = @splat(fill);
                copy(out.ptr, &full, x.ptr, n, &fill, narrow);
                try testing.expectEqualSlices(T, x, out);
                if (shown) try testing.expectEqualSlices(T, x, full[0..n]);
                if (shown) for (full[n..]) |v| try testing.expectEqual(fill, v);
                try testing.expectEqual(@as(T, 99), (out.ptr - 1)[0]);
                var inside: [17]T = @splat(99);
                copy(&inside, &full, x.ptr, n, &fill, narrow);
                for (inside[n..]) |v| try testing.expectEqual(@as(T, 99), v);
            }
        }
    }
}

test "loadTurned swaps rows and columns" {
    inline for (.{ f32, f64 }) |T| {
        const side = 64 / @sizeOf(T);
        var x: [side][side]T = undefined;
        var y: [side][side]T = undefined;
        for (&x, 0..) |*row, i| for (row, 0..) |*v, j| {
            v.* = @floatFromInt(side * i + j);
        };
        pick.testKernel("load_turned_" ++ @typeName(T), Turned(T))(&y, &x);
        for (x, 0..) |row, i| for (row, 0..) |v, j| try testing.expectEqual(v, y[j][i]);
    }
}

//! Measures the f32 functions of math.zig on all 2^32 inputs against their f64 versions, and prints the worst error in
//! ulp and its input. A few seconds to a minute per function on one core:
//!
//!     zig build-exe -OReleaseFast -mcpu=native zig/isa/math_exhaustive.zig && ./math_exhaustive [function…]

const std = @import("std");
const simd = @import("simd.zig");
const math = @import("math.zig");

const Case = struct {
    name: []const u8,
    /// Inputs to leave out: the largest magnitude that the function's contract covers.
    limit: f32 = std.math.inf(f32),
};

const cases = [_]Case{
    .{ .name = "exp" },                     .{ .name = "log" },
    .{ .name = "tanh" },                    .{ .name = "erf" },
    .{ .name = "sigmoid" },                 .{ .name = "normalCdf" },
    .{ .name = "normalPdf" },               .{ .name = "sinPi", .limit = 1 << 20 },
    .{ .name = "cosPi", .limit = 1 << 20 }, .{ .name = "geluErf" },
    .{ .name = "geluErfGrad" },             .{ .name = "geluTanh" },
    .{ .name = "geluTanhGrad" },            .{ .name = "silu" },
    .{ .name = "siluGrad" },                .{ .name = "sigmoidGrad" },
    .{ .name = "tanhGrad" },
};

const Worst = struct {
    /// In units of the last place of the result.
    ulp: f64 = 0,
    ulp_at: u32 = 0,
    /// In units of the last place of the result or of 1, whichever is larger.
    absolute: f64 = 0,
    absolute_at: u32 = 0,
    /// Inputs where one result is NaN or infinite and the other is not.
    mismatches: u32 = 0,
    mismatch_at: u32 = 0,
};

pub fn main(init: std.process.Init) !void {
    const args = try init.minimal.args.toSlice(init.arena.allocator());
    inline for (cases) |case| {
        var wanted = args.len < 2;
        for (args[@min(1, args.len)..]) |arg| wanted = wanted or std.mem.eql(u8, arg, case.name);
        if (wanted) {
            const w = sweep(case);
            std.debug.print("{s}: {d:.3} ulp at {x:0>8} ({e}), {d:.3} ulp of max(|y|, 1) at {e}, {d} mismatches (one at {e})\n", .{
                case.name, w.ulp, w.ulp_at, float(w.ulp_at), w.absolute, float(w.absolute_at), w.mismatches, float(w.mismatch_at),
            });
        }
    }
}

fn float(bits: u32) f32 {
    return @bitCast(bits);
}

fn sweep(comptime case: Case) Worst {
    const function = @field(math, case.name);
    const V = simd.Vec(f32);
    const W = simd.Vec(f64);
    var worst: Worst = .{};
    var first: u64 = 0;
    while (first < 1 << 32) : (first += simd.lanes) {
        const base: @Vector(simd.lanes, u32) = @splat(@truncate(first));
        const bits = base + std.simd.iota(u32, simd.lanes);
        const x: V = @bitCast(bits);
        const wide: W = @floatCast(x);
        const got_vector = function(x);
        const want_vector = function(wide);
        if (unremarkable(got_vector, want_vector, worst)) continue;
        const got: [simd.lanes]f32 = got_vector;
        const want: [simd.lanes]f64 = want_vector;
        for (got, want, 0..) |g, y, lane| {
            const at: u32 = @as(u32, @truncate(first)) + @as(u32, @intCast(lane));
            if (@abs(float(at)) > case.limit) continue;
            const rounded: f32 = @floatCast(y);
            if (g == rounded) {
                // Right to the last bit, infinities included: at most half an ulp off.
                if (std.math.isInf(g)) continue;
            } else if (std.math.isNan(g) or std.math.isNan(rounded) or (std.math.isInf(g) and std.math.isInf(rounded))) {
                if (std.math.isNan(g) and std.math.isNan(rounded)) continue;
                worst.mismatches += 1;
                worst.mismatch_at = at;
                continue;
            }
            // An overflow against the largest finite number counts as the distance to 2^128.
            const value: f64 = if (std.math.isInf(g)) std.math.copysign(@as(f64, 0x1p128), g) else g;
            const difference = @abs(value - y);
            const ulp = difference / ulpOf(y);
            if (ulp > worst.ulp) {
                worst.ulp = ulp;
                worst.ulp_at = at;
            }
            const absolute = difference / ulpOf(@max(@abs(y), 1));
            if (absolute > worst.absolute) {
                worst.absolute = absolute;
                worst.absolute_at = at;
            }
        }
    }
    return worst;
}

/// Whether no lane can change `worst`: all within its errors, or all NaN as they should.
inline fn unremarkable(got: simd.Vec(f32), want: simd.Vec(f64), worst: Worst) bool {
    const W = simd.Vec(f64);
    const U = @Vector(simd.lanes, u64);
    const difference = @abs(@as(W, @floatCast(got)) - want);
    const magnitude = simd.max(@abs(want), @as(W, @splat(0x1p-126)));
    const power: W = @bitCast(@as(U, @bitCast(magnitude)) & @as(U, @splat(0x7ff << 52)));
    const ulp = power * @as(W, @splat(0x1p-23));
    const ulp_of_one = simd.max(ulp, @as(W, @splat(0x1p-23)));
    const within = difference <= ulp * @as(W, @splat(worst.ulp));
    const within_absolute = difference <= ulp_of_one * @as(W, @splat(worst.absolute));
    if (@reduce(.And, within) and @reduce(.And, within_absolute)) return true;
    return @reduce(.And, got != got) and @reduce(.And, want != want);
}

/// The distance of neighbouring f32 at y.
fn ulpOf(y: f64) f64 {
    const least: f64 = 0x1p-126;
    const exponent_bits = @as(u64, @bitCast(@max(@abs(y), least))) & (0x7ff << 52);
    return @as(f64, @bitCast(exponent_bits)) * 0x1p-23;
}

//! The softmax of a row that is not kept, for micro-kernels that need its elements once more: p_j = exp(x_j − m)·(1/Σ_k exp(x_k − m)), m the row's
//! maximum. The sum has the order of softmax itself, so these are its very bits.
//!
//! A row of nothing but −Inf is all zeros, and one with NaN or +Inf is all NaN, without a branch: the shift of such a row is 0, which leaves −Inf a
//! zero and NaN what it is.

const std = @import("std");
const math = @import("../isa/math.zig");
const simd = @import("../isa/simd.zig");
const sweep = @import("sweep.zig");
const Vec = simd.Vec;

pub fn Softmax(comptime T: type) type {
    return struct {
        x: [*]const T,
        m: T,
        sum: T,
        /// 1/sum, or 0 where nothing was added up.
        factor: T,

        const Self = @This();

        pub inline fn of(x: [*]const T, n: usize) Self {
            return withMaximum(x, n, sweep.largest(T, n, Elements{ .x = x }));
        }

        /// As `of`, the largest of the `n` elements being known.
        pub inline fn withMaximum(x: [*]const T, n: usize, largest: T) Self {
            const m: T = if (largest == -std.math.inf(T)) 0 else largest;
            const sum = sweep.sums(T, 1, 1, n, Terms{ .x = x, .m = @splat(m) })[0];
            return .{ .x = x, .m = m, .sum = sum, .factor = if (sum == 0) 0 else 1 / sum };
        }

        /// 16 elements, or the first `left` of them and zeros.
        pub inline fn at(s: Self, comptime whole: bool, j: usize, left: usize) Vec(T) {
            const factor: Vec(T) = @splat(s.factor);
            return (Terms{ .x = s.x, .m = @splat(s.m) }).at(whole, j, left)[0] * factor;
        }

        const Elements = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) Vec(T) {
                return sweep.read(T, whole, s.x + j, left, -std.math.inf(T));
            }
        };

        const Terms = struct {
            x: [*]const T,
            m: Vec(T),

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]Vec(T) {
                return .{math.expNegative(sweep.read(T, whole, s.x + j, left, -std.math.inf(T)) - s.m)};
            }
        };
    };
}

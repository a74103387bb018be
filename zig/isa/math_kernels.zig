//! The functions of math.zig over arrays, one per function and dtype: what the tests and the fuzzers of equal bits reach.

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

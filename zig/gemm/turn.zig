//! Micro-kernel that writes a matrix whose transpose has been computed: C := Dᵀ + bias.

const std = @import("std");
const simd = @import("../isa/simd.zig");

pub fn Turn(comptime T: type) type {
    return extern struct {
        c: [*]T,
        ldc: usize,
        /// Row `j` holds column `j` of C. Rows are at least `rows` rounded up to 16 elements apart, and that many may be read of each.
        d: [*]const T,
        ldd: usize,
        rows: usize,
        cols: usize,
        bias: ?[*]const T,
    };
}

fn turn(comptime T: type) fn (*const Turn(T)) callconv(.c) void {
    return struct {
        fn run(t: *const Turn(T)) callconv(.c) void {
            if (T == f32) byTiles(t) else plainly(t);
        }

        /// 16×16 tiles are transposed in registers. Sixteen rows of C are written from end to end: as many streams as the hardware follows.
        fn byTiles(t: *const Turn(T)) void {
            var i: usize = 0;
            while (i < t.rows) : (i += 16) {
                const rows = @min(16, t.rows - i);
                var j: usize = 0;
                while (j < t.cols) : (j += 16) {
                    const cols = @min(16, t.cols - j);
                    var from: [16][*]const T = undefined;
                    // A row that is missing is read from the last one and thrown away.
                    for (&from, 0..) |*row, k| row.* = t.d + (j + @min(k, cols - 1)) * t.ldd + i;
                    const turned = simd.loadTurned16(&from);
                    const c = t.c + i * t.ldc + j;
                    const bias: simd.Vec(T) = if (t.bias) |b| (if (cols == 16) simd.load(T, b + j) else simd.loadPartial(T, b + j, cols, 0)) else @splat(0);
                    const adds = t.bias != null;
                    if (rows == 16 and cols == 16) {
                        inline for (0..16) |k| simd.store(c + k * t.ldc, if (adds) turned[k] + bias else turned[k]);
                    } else for (turned[0..rows], 0..) |v, k| {
                        const sum = if (adds) v + bias else v;
                        if (cols == 16) simd.store(c + k * t.ldc, sum) else simd.storePartial(c + k * t.ldc, sum, cols);
                    }
                }
            }
        }

        fn plainly(t: *const Turn(T)) void {
            for (0..t.rows) |i| {
                const c = t.c + i * t.ldc;
                for (0..t.cols) |j| c[j] = if (t.bias) |bias| t.d[j * t.ldd + i] + bias[j] else t.d[j * t.ldd + i];
            }
        }
    }.run;
}

pub const ukernels = struct {
    pub const gemm_f32_turn = turn(f32);
    pub const gemm_f64_turn = turn(f64);
};

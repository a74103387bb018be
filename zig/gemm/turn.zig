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
        /// Rows and columns of a tile.
        const side = 64 / @sizeOf(T);

        /// Square tiles are transposed in registers. The rows of C that a tile has are written from end to end: no more streams than the hardware follows.
        fn run(t: *const Turn(T)) callconv(.c) void {
            var i: usize = 0;
            while (i < t.rows) : (i += side) {
                const rows = @min(side, t.rows - i);
                var j: usize = 0;
                while (j < t.cols) : (j += side) {
                    const cols = @min(side, t.cols - j);
                    var from: [side][*]const T = undefined;
                    // A row that is missing is read from the last one and thrown away.
                    for (&from, 0..) |*row, k| row.* = t.d + (j + @min(k, cols - 1)) * t.ldd + i;
                    const turned = simd.loadTurned(T, &from);
                    const c = t.c + i * t.ldc + j;
                    const bias: simd.Line(T) = if (t.bias) |b| (if (cols == side) simd.load(simd.Line(T), b + j) else simd.loadPartial(simd.Line(T), b + j, cols, 0)) else @splat(0);
                    const adds = t.bias != null;
                    if (rows == side and cols == side) {
                        inline for (0..side) |k| simd.store(c + k * t.ldc, if (adds) turned[k] + bias else turned[k]);
                    } else for (turned[0..rows], 0..) |v, k| {
                        const sum = if (adds) v + bias else v;
                        if (cols == side) simd.store(c + k * t.ldc, sum) else simd.storePartial(c + k * t.ldc, sum, cols);
                    }
                }
            }
        }
    }.run;
}

pub const ukernels = struct {
    pub const gemm_f32_turn = turn(f32);
    pub const gemm_f64_turn = turn(f64);
};

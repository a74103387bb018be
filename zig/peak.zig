//! The ceiling that products are held against: the rate of a multiply-add loop that touches no memory, on the pool's own threads.

const std = @import("std");
const device = @import("device.zig");
const pool = @import("parallel/pool.zig");
const simd = @import("isa/simd.zig");

const V = simd.Vec(f32);

/// Independent chains of 16 lanes: more than the latency of a multiply-add times its ports (4 · 2 registers), and few enough to stay in registers, of which
/// AVX2 has 16 for eight lanes each. Where the multiply-add is emulated, any number will do.
const chains = switch (simd.isa) {
    .avx512 => 12,
    .avx2, .neon => 6,
    .portable => 2,
};

/// Answers the floating-point operations done.
fn multiplyAdd(iterations: u32) callconv(.c) f64 {
    // The optimiser sees neither where the operands come from nor where the sums go, so it can leave out no step.
    var seed: f32 = 0;
    std.mem.doNotOptimizeAway(&seed);
    const a: V = @splat(seed + 0.5);
    const b: V = @splat(seed + 0.25);
    var sums: [chains]V = undefined;
    inline for (&sums, 0..) |*s, i| s.* = @splat(seed + i);
    for (0..iterations) |_| {
        inline for (&sums) |*s| s.* = simd.fma(a, b, s.*);
    }
    for (&sums) |*s| std.mem.doNotOptimizeAway(s);
    return @as(f64, @floatFromInt(iterations)) * (chains * simd.lanes * 2);
}

pub const ukernels = struct {
    pub const peak_f32_fma = multiplyAdd;
};

const Loop = struct {
    iterations: u32,
    kernel: *const fn (u32) callconv(.c) f64,
    done: *[pool.workers_max]f64,

    /// A loop for each worker. Where one comes too late another takes his, so that all are done.
    fn body(l: Loop, w: *pool.Worker) void {
        w.phase(w.count, 1, l, some);
    }

    fn some(l: Loop, begin: usize, end: usize) void {
        for (l.done[begin..end]) |*flops| flops.* = l.kernel(l.iterations);
    }
};

pub const entries = struct {
    /// Runs `iterations` of the loop on each of `workers` threads of the pool. Answers the floating-point operations of all of them, or a negative number
    /// where there is no such device or no such number of workers.
    pub fn peak_multiply_add(device_: u32, workers: u32, iterations: u32) callconv(.c) f64 {
        const d = device.get(device_) catch return -1;
        if (workers == 0 or workers > pool.workers_max) return -1;
        var done: [pool.workers_max]f64 = @splat(0);
        pool.run(workers, true, Loop{ .iterations = iterations, .kernel = d.kernel(fn (u32) callconv(.c) f64, "peak_f32_fma"), .done = &done }, Loop.body);
        var total: f64 = 0;
        for (done) |flops| total += flops;
        return total;
    }
};

test "peak: operations are counted for every worker" {
    const one = entries.peak_multiply_add(device.defaultForTest(), 1, 10);
    try std.testing.expect(one > 0);
    try std.testing.expectEqual(3 * one, entries.peak_multiply_add(device.defaultForTest(), 3, 10));
    try std.testing.expectEqual(-1, entries.peak_multiply_add(0, 1, 10));
    try std.testing.expectEqual(-1, entries.peak_multiply_add(device.defaultForTest(), 0, 10));
}

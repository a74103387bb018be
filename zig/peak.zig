//! The ceiling that products are held against: the rate of a multiply-add loop that touches no memory. It runs on threads of its own, each on a processor of
//! its own, so that a fault in how the pool uses the cores lowers the rates of products, and not the ceiling with them.

const std = @import("std");
const device = @import("device.zig");
const futex = @import("parallel/futex.zig");
const pin = @import("parallel/pin.zig");
const placement = @import("parallel/placement.zig");
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

const Kernel = fn (u32) callconv(.c) f64;

/// One measurement: the threads start together, and the last to end ends it.
const Run = struct {
    kernel: *const Kernel,
    iterations: u32,
    mask: ?placement.Mask,
    ready: std.atomic.Value(u32) = .init(0),
    start: std.atomic.Value(u32) = .init(0),
    operations: [pool.workers_max]f64 = undefined,
    ends_ns: [pool.workers_max]u64 = undefined,

    fn worker(run: *Run, index: u32) void {
        if (run.mask) |mask| _ = mask.one(index).set(0);
        _ = run.ready.fetchAdd(1, .release);
        while (run.start.load(.acquire) == 0) futex.wait(&run.start, 0);
        run.operations[index] = run.kernel(run.iterations);
        run.ends_ns[index] = futex.monotonic_ns();
    }
};

/// Floating-point operations a second of so many threads; null where one cannot be started.
fn rate(kernel: *const Kernel, workers: u32, iterations: u32) ?f64 {
    pin.library();
    var run: Run = .{ .kernel = kernel, .iterations = iterations, .mask = placement.Mask.of(0) };
    var threads: [pool.workers_max]std.Thread = undefined;
    var started: u32 = 0;
    while (started < workers) : (started += 1) threads[started] = std.Thread.spawn(.{ .stack_size = 1 << 20 }, Run.worker, .{ &run, started }) catch break;
    while (run.ready.load(.acquire) < started) std.Thread.yield() catch {};
    const start_ns = futex.monotonic_ns();
    run.start.store(1, .release);
    futex.wake(&run.start, std.math.maxInt(i32));
    for (threads[0..started]) |thread| thread.join();
    if (started < workers) return null;
    var operations: f64 = 0;
    for (run.operations[0..workers]) |some| operations += some;
    const elapsed_ns = std.mem.max(u64, run.ends_ns[0..workers]) - start_ns;
    return 1e9 * operations / @as(f64, @floatFromInt(@max(1, elapsed_ns)));
}

pub const entries = struct {
    /// Runs `iterations` of the loop on each of `workers` threads. Answers the floating-point operations a second of all of them, or a negative number where
    /// there is no such device or number of workers, or where the threads cannot be started.
    pub fn peak_multiply_add(device_: u32, workers: u32, iterations: u32) callconv(.c) f64 {
        const d = device.get(device_) catch return -1;
        if (workers == 0 or workers > pool.workers_max) return -1;
        return rate(d.kernel(Kernel, "peak_f32_fma"), workers, iterations) orelse -1;
    }
};

test "peak: a rate for every number of threads, and none for what is not there" {
    for ([_]u32{ 1, 2, 3 }) |workers| try std.testing.expect(entries.peak_multiply_add(device.defaultForTest(), workers, 1000) > 0);
    try std.testing.expectEqual(-1, entries.peak_multiply_add(0, 1, 10));
    try std.testing.expectEqual(-1, entries.peak_multiply_add(device.defaultForTest(), 0, 10));
    try std.testing.expectEqual(-1, entries.peak_multiply_add(device.defaultForTest(), pool.workers_max + 1, 10));
    // The operations of a call are those of its iterations.
    const kernel = d: {
        const d = try device.get(device.defaultForTest());
        break :d d.kernel(Kernel, "peak_f32_fma");
    };
    try std.testing.expectEqual(3 * kernel(10), kernel(30));
}

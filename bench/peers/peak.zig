//! Ceilings of the machine, measured in the same run as what is held against them: the rate of an f32 fused-multiply-add loop
//! that touches no memory, and the rate of copying arrays. Built for the processor at hand by peak.ts and called through FFI.

const std = @import("std");
const builtin = @import("builtin");

// A thread started inside Deno or Bun must not bring thread-local signal stacks with it.
pub const std_options: std.Options = .{ .signal_stack_size = null };

const cpu = builtin.cpu;
const x86 = cpu.arch == .x86_64;

/// f32 lanes of the widest register.
const lanes = if (x86 and cpu.has(.x86, .avx512f)) 16 else if (x86 and cpu.has(.x86, .avx)) 8 else 4;

/// Independent chains: more than latency (4) times ports (2), and few enough to stay in registers (16 without AVX-512 on x86-64).
const chains = if (x86 and lanes < 16) 12 else 24;

const Vec = @Vector(lanes, f32);

const threads_max = 64;

/// Floating-point operations that one thread does in one iteration: the caller turns a wanted time into a number of iterations.
export fn peak_flops_per_iteration() u32 {
    return chains * lanes * 2;
}

/// Runs `iterations` of the loop on each of `threads` threads, none of which is the caller or anybody's pool; each has a processor of its own, on Linux.
/// Returns the seconds from the common start to the last thread's end, or a negative number where a thread could not start.
export fn peak_fma(threads: u32, iterations: u32) f64 {
    return together(threads, fmaThread, .{iterations});
}

/// Iterations that a thread takes at a time in `peak_burst`: about 10 µs.
const slice = 2000;

/// Runs the loop `slices` times over `slice` iterations, dealt to `threads` threads that start with the call, each on a processor of its own, on Linux.
/// Returns the seconds from before the first was started to the last one's end, or a negative number where one could not start.
export fn peak_burst(threads: u32, slices: u32) f64 {
    if (threads == 0 or threads > threads_max) return -1;
    const Run = struct {
        taken: std.atomic.Value(u32) = .init(0),
        slices: u32,

        fn worker(run: *@This(), index: u32) void {
            stay(index);
            while (run.taken.fetchAdd(1, .monotonic) < run.slices) fmaThread(0, 1, slice);
        }
    };
    var run: Run = .{ .slices = slices };
    var handles: [threads_max]std.Thread = undefined;
    var started: u32 = 0;
    const start = now();
    while (started < threads) : (started += 1) {
        handles[started] = std.Thread.spawn(.{ .stack_size = 1 << 20 }, Run.worker, .{ &run, started }) catch break;
    }
    for (handles[0..started]) |handle| handle.join();
    return if (started < threads) -1 else now() - start;
}

/// Copies `floats` f32 values `repeats` times, split over the threads. The arrays belong to the caller. Returns seconds, as above.
export fn peak_copy(to: [*]f32, from: [*]const f32, floats: u32, repeats: u32, threads: u32) f64 {
    return together(threads, copyThread, .{ to, from, floats, repeats });
}

fn fmaThread(_: u32, _: u32, iterations: u32) void {
    // The optimiser can see neither where the operands come from nor where the sum goes, so that no step can be left out.
    var seed: f32 = 0;
    std.mem.doNotOptimizeAway(&seed);
    const a: Vec = @splat(seed + 0.5);
    const b: Vec = @splat(seed + 0.25);
    var acc: [chains]Vec = @splat(@splat(seed));
    for (0..iterations) |_| {
        inline for (&acc) |*s| s.* = @mulAdd(Vec, a, b, s.*);
    }
    var sum: Vec = @splat(0);
    for (acc) |s| sum += s;
    std.mem.doNotOptimizeAway(&sum);
}

fn copyThread(index: u32, threads: u32, to: [*]f32, from: [*]const f32, floats: u32, repeats: u32) void {
    const first = part(floats, index, threads);
    const last = part(floats, index + 1, threads);
    for (0..repeats) |_| {
        var i = first;
        while (i + lanes <= last) : (i += lanes) to[i..][0..lanes].* = from[i..][0..lanes].*;
        while (i < last) : (i += 1) to[i] = from[i];
        std.mem.doNotOptimizeAway(to);
    }
}

/// The start of part `index` of `parts`, on a cache line.
fn part(floats: u32, index: u32, parts: u32) usize {
    if (index == parts) return floats;
    return @as(usize, floats) * index / parts / 16 * 16;
}

fn together(threads: u32, comptime body: anytype, args: anytype) f64 {
    if (threads == 0 or threads > threads_max) return -1;
    const Run = struct {
        ready: std.atomic.Value(u32) = .init(0),
        start: std.atomic.Value(u32) = .init(0),
        ends: [threads_max]f64 = undefined,

        fn worker(run: *@This(), index: u32, count: u32, inner: @TypeOf(args)) void {
            stay(index);
            _ = run.ready.fetchAdd(1, .acq_rel);
            while (run.start.load(.acquire) == 0) std.Thread.yield() catch {};
            @call(.auto, body, .{ index, count } ++ inner);
            run.ends[index] = now();
        }
    };
    var run: Run = .{};
    var handles: [threads_max]std.Thread = undefined;
    var started: u32 = 0;
    while (started < threads) : (started += 1) {
        handles[started] = std.Thread.spawn(.{ .stack_size = 1 << 20 }, Run.worker, .{ &run, started, threads, args }) catch break;
    }
    while (run.ready.load(.acquire) < started) std.Thread.yield() catch {};
    const start = now();
    run.start.store(1, .release);
    for (handles[0..started]) |handle| handle.join();
    if (started < threads) return -1;
    return std.mem.max(f64, run.ends[0..threads]) - start;
}

/// Keeps the calling thread on the `index`-th of the processors that it may use, counted around. Where the system has no such call it changes nothing.
fn stay(index: u32) void {
    if (builtin.os.tag != .linux) return;
    const linux = std.os.linux;
    var mask: linux.cpu_set_t = @splat(0);
    if (linux.sched_getaffinity(0, @sizeOf(linux.cpu_set_t), &mask) != 0) return;
    var count: u32 = 0;
    for (mask) |word| count += @popCount(word);
    var left = index % @max(1, count);
    for (&mask) |*word| {
        const here = @popCount(word.*);
        if (left >= here) {
            left -= here;
            word.* = 0;
            continue;
        }
        var rest = word.*;
        while (left > 0) : (left -= 1) rest &= rest - 1;
        word.* = rest & -%rest;
        left = std.math.maxInt(u32);
    }
    linux.sched_setaffinity(0, &mask) catch {};
}

fn now() f64 {
    if (builtin.os.tag == .windows) {
        const ntdll = std.os.windows.ntdll;
        var ticks: i64 = undefined;
        var per_second: i64 = undefined;
        _ = ntdll.RtlQueryPerformanceCounter(&ticks);
        _ = ntdll.RtlQueryPerformanceFrequency(&per_second);
        return @as(f64, @floatFromInt(ticks)) / @as(f64, @floatFromInt(per_second));
    }
    var time: std.c.timespec = undefined;
    _ = std.c.clock_gettime(.MONOTONIC, &time);
    return @as(f64, @floatFromInt(time.sec)) + 1e-9 * @as(f64, @floatFromInt(time.nsec));
}

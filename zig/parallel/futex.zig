//! Waiting on a 32-bit word, without std.Io (whose global instance adds 8 seconds to a release build), and a bounded wait awake.

const std = @import("std");
const builtin = @import("builtin");
const Word = std.atomic.Value(u32);

/// Sleeps while the word holds `expected`. May return early; the caller checks again.
pub fn wait(word: *const Word, expected: u32) void {
    sleep(word, expected, null);
}

/// As `wait`, for no longer than `ns` nanoseconds, which are not 0.
pub fn waitFor(word: *const Word, expected: u32, ns: u64) void {
    sleep(word, expected, ns);
}

fn sleep(word: *const Word, expected: u32, ns: ?u64) void {
    switch (builtin.os.tag) {
        .linux => {
            const time: std.os.linux.timespec = if (ns) |n| .{ .sec = @intCast(n / std.time.ns_per_s), .nsec = @intCast(n % std.time.ns_per_s) } else undefined;
            _ = std.os.linux.futex_4arg(&word.raw, .{ .cmd = .WAIT, .private = true }, expected, if (ns != null) &time else null);
        },
        // Microseconds, of which 0 are without end.
        .macos => _ = std.c.__ulock_wait(.{ .op = .COMPARE_AND_WAIT, .NO_ERRNO = true }, &word.raw, expected, if (ns) |n| @intCast(@min(n / 1000 + 1, std.math.maxInt(u32))) else 0),
        .windows => {
            var copy = expected;
            // Units of 100 ns, negative from now on.
            const time: i64 = if (ns) |n| -@as(i64, @intCast(n / 100 + 1)) else 0;
            _ = RtlWaitOnAddress(&word.raw, &copy, 4, if (ns != null) &time else null);
        },
        else => @compileError("no futex for this system"),
    }
}

/// Wakes up to `count` sleepers of the word.
pub fn wake(word: *const Word, count: u32) void {
    switch (builtin.os.tag) {
        .linux => _ = std.os.linux.futex_3arg(&word.raw, .{ .cmd = .WAKE, .private = true }, count),
        .macos => _ = std.c.__ulock_wake(.{ .op = .COMPARE_AND_WAIT, .NO_ERRNO = true, .WAKE_ALL = count > 1 }, &word.raw, 0),
        .windows => RtlWakeAddressAll(&word.raw),
        else => @compileError("no futex for this system"),
    }
}

extern "ntdll" fn RtlWaitOnAddress(address: *const anyopaque, compare: *const anyopaque, size: usize, timeout: ?*const i64) callconv(.winapi) u32;
extern "ntdll" fn RtlWakeAddressAll(address: *const anyopaque) callconv(.winapi) void;

/// A wait awake: pauses until its time is over.
pub const Spin = struct {
    pauses: u32 = 0,
    end_ns: u64 = 0,

    /// How long a waiter stays awake: consecutive ops of a training step follow each other sooner. To be woken takes 11 µs on two cores of a Xeon of
    /// 2023 with nothing else to do, some 100 where the system has others to run, and costs whoever wakes 2.5.
    pub const time_ns = 50_000;

    /// One whose time is over.
    pub const over: Spin = .{ .end_ns = 1 };

    /// Pauses between two looks at the clock. A pause takes 13 to 70 ns on x86-64 and on aarch64, the clock 30.
    const pauses_between = 32;

    /// Pauses once; false when the time is over. A clock bounds it because the length of a pause differs tenfold between processors, and so that one
    /// who was not run for a while goes to sleep instead of spinning on.
    pub fn again(spin: *Spin) bool {
        if (spin.end_ns == over.end_ns) return false;
        std.atomic.spinLoopHint();
        spin.pauses +%= 1;
        if (spin.pauses % pauses_between != 0) return true;
        const now = monotonic_ns();
        if (spin.end_ns == 0) spin.end_ns = now + time_ns;
        return now < spin.end_ns;
    }
};

/// A clock that never goes back, in nanoseconds.
pub fn monotonic_ns() u64 {
    if (builtin.os.tag == .windows) {
        var ticks: i64 = 0;
        var each_second: i64 = 1;
        _ = std.os.windows.ntdll.RtlQueryPerformanceCounter(&ticks);
        _ = std.os.windows.ntdll.RtlQueryPerformanceFrequency(&each_second);
        return @intCast(@divTrunc(@as(i128, ticks) * std.time.ns_per_s, each_second));
    }
    var now: std.c.timespec = undefined;
    _ = std.c.clock_gettime(.MONOTONIC, &now);
    return @as(u64, @intCast(now.sec)) * std.time.ns_per_s + @as(u64, @intCast(now.nsec));
}

/// A lock of three states: 0 free, 1 held, 2 held with sleepers.
pub const Mutex = struct {
    state: Word = .init(0),

    pub fn tryLock(self: *Mutex) bool {
        return self.state.cmpxchgStrong(0, 1, .acquire, .monotonic) == null;
    }

    pub fn lock(self: *Mutex) void {
        for (0..100) |_| {
            if (self.tryLock()) return;
            std.atomic.spinLoopHint();
        }
        while (self.state.swap(2, .acquire) != 0) wait(&self.state, 2);
    }

    /// Locks unless that takes longer than `ns` nanoseconds; whether it has.
    pub fn lockWithin(self: *Mutex, ns: u64) bool {
        for (0..100) |_| {
            if (self.tryLock()) return true;
            std.atomic.spinLoopHint();
        }
        const end = monotonic_ns() +| ns;
        // A look at the lock follows each sleep, so that no wake is lost with one whose time is over.
        while (self.state.swap(2, .acquire) != 0) {
            const now = monotonic_ns();
            if (now >= end) return false;
            waitFor(&self.state, 2, end - now);
        }
        return true;
    }

    pub fn unlock(self: *Mutex) void {
        if (self.state.swap(0, .release) == 2) wake(&self.state, 1);
    }
};

test "futex: a lock is waited for within a time, and had as soon as it is free" {
    var mutex: Mutex = .{};
    try std.testing.expect(mutex.lockWithin(1));
    const begin = monotonic_ns();
    try std.testing.expect(!mutex.lockWithin(5_000_000));
    const waited = monotonic_ns() - begin;
    try std.testing.expect(waited >= 5_000_000);
    const Other = struct {
        fn work(m: *Mutex, got: *bool) void {
            got.* = m.lockWithin(60 * std.time.ns_per_s);
            if (got.*) m.unlock();
        }
    };
    var got: [3]bool = @splat(false);
    var others: [3]std.Thread = undefined;
    for (&others, &got) |*t, *g| t.* = try std.Thread.spawn(.{}, Other.work, .{ &mutex, g });
    @import("../testing/sleep.zig").sleep(2_000_000);
    mutex.unlock();
    for (others) |t| t.join();
    try std.testing.expectEqual(@as([3]bool, @splat(true)), got);
    try std.testing.expect(mutex.tryLock());
}

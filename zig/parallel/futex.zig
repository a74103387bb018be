//! Waiting on a 32-bit word, without std.Io (whose global instance adds 8 seconds to a release build), and a bounded wait awake.

const std = @import("std");
const builtin = @import("builtin");
const Word = std.atomic.Value(u32);

/// Sleeps while the word holds `expected`. May return early; the caller checks again.
pub fn wait(word: *const Word, expected: u32) void {
    switch (builtin.os.tag) {
        .linux => _ = std.os.linux.futex_4arg(&word.raw, .{ .cmd = .WAIT, .private = true }, expected, null),
        .macos => _ = std.c.__ulock_wait(.{ .op = .COMPARE_AND_WAIT, .NO_ERRNO = true }, &word.raw, expected, 0),
        .windows => {
            var copy = expected;
            _ = RtlWaitOnAddress(&word.raw, &copy, 4, null);
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

    pub fn unlock(self: *Mutex) void {
        if (self.state.swap(0, .release) == 2) wake(&self.state, 1);
    }
};

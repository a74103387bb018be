//! Waiting on a 32-bit word, without std.Io (whose global instance adds 8 seconds to a release build).

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

/// A word with waiters that spin before they sleep, and changes that only enter the kernel when somebody sleeps.
pub const Gate = struct {
    word: Word align(64) = .init(0),
    sleepers: Word = .init(0),

    /// Returns once the word differs from `seen`: after up to `spins` pauses awake, then asleep.
    pub fn waitWhile(gate: *Gate, seen: u32, spins: u32) void {
        for (0..spins) |_| {
            if (gate.word.load(.acquire) != seen) return;
            std.atomic.spinLoopHint();
        }
        // Sequential consistency on both words: either the changer sees the sleeper, or the sleeper sees the change.
        _ = gate.sleepers.fetchAdd(1, .seq_cst);
        while (gate.word.load(.seq_cst) == seen) wait(&gate.word, seen);
        _ = gate.sleepers.fetchSub(1, .monotonic);
    }

    /// Adds to the word, wakes who sleeps on it, and returns the old value.
    pub fn add(gate: *Gate, amount: u32) u32 {
        const old = gate.word.fetchAdd(amount, .seq_cst);
        if (gate.sleepers.load(.seq_cst) != 0) wake(&gate.word, std.math.maxInt(i32));
        return old;
    }

    pub fn load(gate: *const Gate) u32 {
        return gate.word.load(.acquire);
    }
};

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

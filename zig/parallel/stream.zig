//! Whether a stream of calls deserves to have the pool's threads woken. A call of 20 µs does not pay for a wake-up of 30 to 100, but a hundred in a row do,
//! since a thread that was woken stays awake between them. So each is made alone until they have come for as long as a wake-up takes: whatever follows, no
//! more is lost than was spent already. Where waking did not help, because calls are so far apart that threads fall asleep in between, or because others
//! have the cores, the next try comes after twice as long.

const std = @import("std");

/// Calls of one thread that would rather have threads awake and found them asleep. All times in nanoseconds.
pub const Stream = struct {
    /// When it began, and when its last call did.
    begin: u64 = 0,
    last: u64 = 0,
    /// How long it has to last.
    need: u64 = need_min,

    /// What a wake-up costs its caller: 10 µs on one machine, 30 on a virtual one. Until the thread comes, after 80 there, the caller works on.
    const need_min = 40_000;
    /// With this one wake-up in vain takes less than a hundredth of the time.
    const need_max = 10_000_000;
    /// Calls that begin further apart than this are no stream: threads would sleep again.
    const gap_max = 200_000;

    /// A call that begins now has found the threads asleep: whether it should wake them.
    pub fn wakes(s: *Stream, now: u64) bool {
        const gap = now -| s.last;
        s.last = now;
        if (gap > gap_max) s.begin = now;
        if (gap > need_max) s.need = need_min;
        if (now -| s.begin < s.need) return false;
        s.begin = now;
        s.need = @min(2 * s.need, need_max);
        return true;
    }

    /// A call has found threads awake: waking them was worth it.
    pub fn found(s: *Stream) void {
        s.need = need_min;
    }
};

test "stream: threads are woken once calls have come for as long as a wake-up takes" {
    var s: Stream = .{};
    var now: u64 = 5_000_000;
    for (0..2) |_| {
        try std.testing.expect(!s.wakes(now));
        now += 20_000;
    }
    try std.testing.expect(s.wakes(now)); // 40 µs after the first
    s.found();
    // After a rest it begins anew.
    now += 5_000_000;
    try std.testing.expect(!s.wakes(now));
    try std.testing.expect(!s.wakes(now + 35_000));
    try std.testing.expect(s.wakes(now + 45_000));
}

test "stream: where waking does not help it is tried ever more seldom, and anew after a long rest" {
    var s: Stream = .{};
    var now: u64 = 1_000_000;
    var woken: usize = 0;
    for (0..10_000) |_| { // a second of calls 100 µs apart
        woken += @intFromBool(s.wakes(now));
        now += 100_000;
    }
    try std.testing.expect(woken > 50 and woken < 120);
    // Calls that are each by themselves wake nobody.
    for (0..100) |_| {
        now += 300_000;
        try std.testing.expect(!s.wakes(now));
    }
    now += 11_000_000;
    try std.testing.expect(!s.wakes(now));
    try std.testing.expect(!s.wakes(now + 30_000));
    try std.testing.expect(s.wakes(now + 50_000));
}

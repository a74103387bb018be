//! The one pool of the process: persistent threads, made when first needed, each woken by its own word.
//!
//! `run` wakes exactly the threads it engages and the caller works too. A call from inside a worker runs on that worker alone. While another
//! caller has the pool, a call that did not ask for an exact count runs on its own thread: results never depend on the count, and the cores are
//! busy anyway; an exact count waits, but for no longer than `exact_wait_ns`. Threads that cannot be made are done without.
//!
//! A call never waits for a thread that has not arrived. The system may not run a woken thread for milliseconds, because another process has its
//! core, while the work takes microseconds: then the caller does the work, and who comes late finds nothing left. So two things have to be
//! settled: who may touch the region, which lies on the caller's stack, and who may take jobs of the phase that is open.
//!
//! The region. Each thread has a word, `Thread.state`, in memory that lives as long as the process. Each arrow is one atomic exchange:
//!
//!     idle | asleep → called    the caller, who holds the pool's lock and has written `Thread.region`; a sleeper is then woken
//!     called → joined           the thread: from here on it may touch the region, and runs the body
//!     called → idle             the caller, when its own part of the body is done: the thread comes too late and is not waited for
//!     joined → idle             the thread, when it is done: it touches the region no more
//!     joined → waited           the caller, before it sleeps until the thread is done
//!     waited → idle             the thread, when it is done; it then wakes the caller
//!     idle → asleep             the thread, when nobody has called it for a while
//!
//! Of the two ways out of `called` one exchange succeeds: a thread either has joined, and the caller waits for it, or it cannot join any more. A
//! thread that saw `called`, was stopped, and goes on when that call is over and another has begun joins the other: it reads `Thread.region` only
//! after it has joined, and the caller writes it only while the state is idle or asleep. Whoever joins has acquired what the caller released by
//! calling it, and the caller acquires what the thread released by leaving. No wake-up is lost, because the word that is slept on is the word that
//! is changed: the system lets nobody fall asleep on a word that no longer holds the value he gives. One that comes late, when the word has moved
//! on, finds a waiter that looks again.
//!
//! The phases. All workers run the same body, so they meet the same phases in the same order, and each counts them. `Region.stage` holds the number
//! of the open phase and how many threads are inside. Only the caller changes the number, from p with nobody inside to p + 1, in one exchange; a
//! thread gets inside p only by an exchange that finds p open. So when p + 1 is open, all jobs of p are done, and none of its jobs can be taken any
//! more. A thread that comes to a phase which is over goes on to the next: one that joined late skips what was done without it, and no phase waits
//! for a thread that is between two phases. One that comes to a phase before the caller waits for it. There are two cursors in turn: the caller sets
//! that of p + 1 while p is open, when nobody is inside p - 1 and nobody can get there.
//!
//! Whoever waits for the stage sleeps on `Region.bell`. He counts himself as a sleeper, then looks at the stage again; who changes the stage looks
//! for sleepers afterwards. All four steps are sequentially consistent, so at least one of the two sees the other. A thread rings the bell before it
//! leaves the region.
//!
//! Measured on two cores of a Xeon of 2023, against a pool whose callers wait for all they have woken: an empty region with an awake thread 0.06 µs
//! instead of 0.5, each further phase 0.3 instead of 0.6, a call of 30 µs on cores that others keep busy 25 µs instead of 370, alone 23. To wake 1, 8
//! or 63 of 63 sleeping threads takes the caller 1, 8 or 76 µs: a call pays for those it engages and for no others.

const std = @import("std");
const builtin = @import("builtin");
const futex = @import("futex.zig");
const placement = @import("placement.zig");
const pin = @import("pin.zig");
const Cursor = @import("cursor.zig").Cursor;
const Word = std.atomic.Value(u32);

pub const workers_max = 256;

/// One fork: what the workers run, and where they meet.
const Region = struct {
    count: u32,
    context: *const anyopaque,
    body: *const fn (*const anyopaque, *Worker) void,
    /// Those who sleep until the stage changes, and the word they sleep on.
    sleepers: Word = .init(0),
    bell: Word = .init(0),
    stage: std.atomic.Value(u64) align(64) = .init(0),
    cursors: [2]Cursor = @splat(.{}),

    /// The open phase, the first being 1, and the threads inside it; the caller is not counted.
    const Stage = packed struct(u64) { inside: u16, phase: u48 };

    fn look(r: *Region) Stage {
        return @bitCast(r.stage.load(.seq_cst));
    }

    /// The caller opens a phase, once all jobs of the one before are done.
    fn open(r: *Region, phase: u48, jobs: usize, grain: usize) *Cursor {
        const cursor = &r.cursors[phase % 2];
        cursor.reset(jobs, grain);
        hesitate();
        const before: Stage = .{ .inside = 0, .phase = phase - 1 };
        const after: Stage = .{ .inside = 0, .phase = phase };
        while (r.stage.cmpxchgStrong(@bitCast(before), @bitCast(after), .seq_cst, .monotonic) != null) r.wait(.{}, nobodyInside, phase);
        r.ring();
        return cursor;
    }

    /// A thread goes into a phase, and waits for it before. Null where it is over.
    fn enter(r: *Region, phase: u48) ?*Cursor {
        r.wait(patience(), begun, phase);
        var seen = r.look();
        hesitate();
        while (seen.phase == phase) {
            const after: Stage = .{ .inside = seen.inside + 1, .phase = phase };
            seen = @bitCast(r.stage.cmpxchgWeak(@bitCast(seen), @bitCast(after), .acquire, .monotonic) orelse return &r.cursors[phase % 2]);
        }
        return null;
    }

    fn leave(r: *Region) void {
        const before: Stage = @bitCast(r.stage.fetchSub(@bitCast(Stage{ .inside = 1, .phase = 0 }), .seq_cst));
        hesitate();
        if (before.inside == 1) r.ring();
    }

    fn ring(r: *Region) void {
        if (r.sleepers.load(.seq_cst) == 0) return;
        hesitate();
        _ = r.bell.fetchAdd(1, .seq_cst);
        futex.wake(&r.bell, std.math.maxInt(i32));
    }

    fn nobodyInside(s: Stage, _: u48) bool {
        return s.inside == 0;
    }

    fn begun(s: Stage, phase: u48) bool {
        return s.phase >= phase;
    }

    fn wait(r: *Region, patient: futex.Spin, comptime over: fn (Stage, u48) bool, phase: u48) void {
        var spin = patient;
        while (true) {
            if (over(r.look(), phase)) return;
            if (!spin.again()) break;
        }
        hesitate();
        _ = r.sleepers.fetchAdd(1, .seq_cst);
        defer _ = r.sleepers.fetchSub(1, .monotonic);
        while (true) {
            const seen = r.bell.load(.seq_cst);
            if (over(r.look(), phase)) return;
            hesitate();
            futex.wait(&r.bell, seen);
        }
    }
};

/// A worker's place in a region. The caller is number 0; the others' numbers are below `count`, but not each need have come.
pub const Worker = struct {
    id: u32,
    count: u32,
    region: *Region,
    phases: u48 = 0,

    /// The only worker of a call that no pool has to hear of.
    pub const alone: Worker = .{ .id = 0, .count = 1, .region = undefined };

    /// A parallel phase: calls `body(ctx, begin, end)` for chunks of `jobs` jobs until none are left. Every worker of the region has to come here
    /// with the same numbers, in the same order. No job begins before all jobs of the phase before are done; so what a phase has written is read in
    /// later phases and after the region, not between two phases, where others may still be at it or already further.
    pub fn phase(w: *Worker, jobs: usize, grain: usize, ctx: anytype, comptime body: fn (@TypeOf(ctx), usize, usize) void) void {
        if (jobs == 0) return;
        if (w.count == 1) return body(ctx, 0, jobs);
        w.phases += 1;
        const cursor = if (w.id == 0) w.region.open(w.phases, jobs, grain) else w.region.enter(w.phases) orelse return;
        while (cursor.claim()) |r| body(ctx, r.begin, r.end);
        if (w.id != 0) w.region.leave();
    }
};

const State = enum(u32) { idle, asleep, called, joined, waited };

const Thread = struct {
    state: std.atomic.Value(State) align(64) = .init(.idle),
    /// Belongs to the caller while the thread is idle or asleep, to the thread once it has joined.
    region: *Region = undefined,
    id: u32 = 0,
    sleeper: placement.Sleeper = .{},

    fn word(t: *const Thread) *const Word {
        return @ptrCast(&t.state);
    }

    fn exchange(t: *Thread, from: State, to: State) bool {
        hesitate();
        return t.state.cmpxchgStrong(from, to, .acq_rel, .monotonic) == null;
    }

    /// The thread waits until it is called, and joins: awake for a while, then asleep.
    fn join(t: *Thread) void {
        while (true) {
            var spin = patience();
            while (true) {
                if (t.tryJoin()) return;
                if (!spin.again()) break;
            }
            t.sleeper.rest();
            if (t.exchange(.idle, .asleep)) {
                while (t.state.load(.acquire) == .asleep) futex.wait(t.word(), @backingInt(State.asleep));
                t.sleeper.settle();
            }
        }
    }

    fn tryJoin(t: *Thread) bool {
        return t.state.load(.monotonic) == .called and t.exchange(.called, .joined);
    }

    /// The thread is done with the region.
    fn leave(t: *Thread) void {
        hesitate();
        if (t.state.swap(.idle, .acq_rel) == .waited) futex.wake(t.word(), 1);
    }

    /// Whether the thread sleeps. Then it does so until the caller, who holds the pool's lock, calls it.
    fn sleeps(t: *const Thread) bool {
        return t.state.load(.acquire) == .asleep;
    }

    /// The caller calls the thread to a region. Answers whether it has to be woken.
    fn call(t: *Thread, region: *Region) bool {
        t.region = region;
        return t.state.swap(.called, .acq_rel) == .asleep;
    }

    /// The caller no longer wants the thread, if it has not come.
    fn dismiss(t: *Thread) void {
        if (t.state.load(.monotonic) == .called) _ = t.exchange(.called, .idle);
    }

    /// The caller waits for a thread that has joined.
    fn waitFor(t: *Thread) void {
        var spin: futex.Spin = .{};
        while (t.working()) if (!spin.again()) break;
        // Looks again even if the exchange failed: only this look acquires what the thread has done.
        _ = t.exchange(.joined, .waited);
        while (t.working()) futex.wait(t.word(), @backingInt(State.waited));
    }

    fn working(t: *const Thread) bool {
        return switch (t.state.load(.acquire)) {
            .idle, .asleep => false,
            .called => unreachable,
            .joined, .waited => true,
        };
    }
};

var lock: futex.Mutex = .{};
var threads: [workers_max - 1]Thread = @splat(.{});
var thread_count: u32 = 0;
/// Threads that may be made. A test makes it less, as a system would that refuses more.
var threads_max: u32 = workers_max - 1;
/// Calls that still do without the threads that the system refused.
var refused: u32 = 0;
/// Whether forks are watched.
var watching = false;
/// Where the caller ran that last woke somebody.
var callers_processor: std.atomic.Value(i32) = .init(-1);
threadlocal var inside = false;

/// How long a call of an exact count waits for another caller's to end: longer than most calls take. Without a bound one call of seconds would hold up all
/// others, which their own threads can do meanwhile.
const exact_wait_ns = 50 * std.time.ns_per_ms;

/// Sleepers that are kept off their waker's processor wherever they slept, which takes some microseconds each; beyond that only those that slept on it.
const kept_off_max = 8;

/// Runs `body(ctx, worker)` on up to `count` workers, the caller among them, and returns when it has ended on all of them. Their numbers are below
/// `count`. `exact` waits for the pool for `exact_wait_ns` if it is taken.
pub fn run(count: u32, exact: bool, ctx: anytype, comptime body: fn (@TypeOf(ctx), *Worker) void) void {
    const Erased = struct {
        fn call(context: *const anyopaque, w: *Worker) void {
            const typed: *const @TypeOf(ctx) = @ptrCast(@alignCast(context));
            body(typed.*, w);
        }
    };
    fork(count, exact, @ptrCast(&ctx), &Erased.call);
}

fn fork(wanted: u32, exact: bool, context: *const anyopaque, body: *const fn (*const anyopaque, *Worker) void) void {
    const alone = wanted <= 1 or inside or !(if (exact) lock.lockWithin(exact_wait_ns) else lock.tryLock());
    const was = inside;
    defer inside = was;
    inside = true;
    if (alone) {
        var self: Worker = .alone;
        return body(context, &self);
    }
    defer lock.unlock();
    const engaged = threads[0..available(@min(wanted, workers_max) - 1)];
    var region: Region = .{ .count = @intCast(1 + engaged.len), .context = context, .body = body };
    // Those who are awake are called first, and begin at once: to wake one enters the kernel.
    var sleeping: [workers_max]u8 = undefined;
    var sleeping_count: usize = 0;
    for (engaged, 0..) |*t, i| if (t.sleeps() or t.call(&region)) {
        sleeping[sleeping_count] = @intCast(i);
        sleeping_count += 1;
    };
    if (sleeping_count > 0) wake(&region, sleeping[0..sleeping_count]);
    var self: Worker = .{ .id = 0, .count = region.count, .region = &region };
    body(context, &self);
    for (engaged) |*t| t.dismiss();
    for (engaged) |*t| t.waitFor();
}

/// How many of the first `wanted` threads wait for work awake, up to the first that does not. They may be asleep or at work when they are called.
pub fn awake(wanted: u32) u32 {
    if (inside) return 0;
    const made = @min(wanted, @atomicLoad(u32, &thread_count, .monotonic));
    for (threads[0..made], 0..) |*t, i| if (t.state.load(.monotonic) != .idle) return @intCast(i);
    return made;
}

/// Calls the threads that still sleep, and wakes all of them; one that fell asleep only when it was called has been called already.
fn wake(region: *Region, sleeping: []const u8) void {
    const here = placement.processor();
    callers_processor.store(here, .monotonic);
    // To look after each of many costs more than one of them in the wrong place.
    const anywhere = sleeping.len <= kept_off_max and placement.isGuest();
    for (sleeping) |i| {
        const t = &threads[i];
        if (t.sleeps()) {
            t.sleeper.keepOff(here, anywhere);
            _ = t.call(region);
        }
        futex.wake(t.word(), 1);
    }
}

/// Threads at hand, at most `wanted`, making what is missing.
fn available(wanted: u32) u32 {
    if (thread_count >= wanted) return wanted;
    if (refused > 0) {
        refused -= 1;
        return thread_count;
    }
    pin.library();
    if (builtin.os.tag != .windows and !watching) {
        watching = true;
        _ = std.c.pthread_atfork(null, null, &forked);
    }
    while (thread_count < wanted) {
        make(&threads[thread_count], thread_count + 1) catch {
            // A vain attempt costs more than a small call: try again later.
            refused = 1000;
            break;
        };
        @atomicStore(u32, &thread_count, thread_count + 1, .monotonic);
    }
    return thread_count;
}

fn make(t: *Thread, id: u32) !void {
    if (id > threads_max) return error.ThreadQuotaExceeded;
    t.id = id;
    const thread = try std.Thread.spawn(.{ .stack_size = 2 << 20 }, loop, .{t});
    // Named before the call goes on, which does not wait until the thread has started.
    if (builtin.os.tag == .linux) {
        var buffer: NameBuffer = undefined;
        _ = std.c.pthread_setname_np(thread.getHandle(), name(&buffer, id));
    }
    thread.detach();
}

/// In a child that was forked without a new program no thread but the caller's is left: it makes a pool of its own.
fn forked() callconv(.c) void {
    lock = .{};
    threads = @splat(.{});
    thread_count = 0;
    refused = 0;
}

fn loop(t: *Thread) void {
    inside = true;
    introduce(t.id);
    t.sleeper.introduce();
    while (true) {
        t.join();
        const region = t.region;
        var self: Worker = .{ .id = t.id, .count = region.count, .region = region };
        region.body(region.context, &self);
        t.leave();
    }
}

/// How long a thread waits awake: not at all on the processor where the caller ran that last woke somebody. There it keeps from running the very one
/// that it waits for: calls of 16 µs took 125.
fn patience() futex.Spin {
    const here = placement.processor();
    return if (here >= 0 and here == callers_processor.load(.monotonic)) .over else .{};
}

/// A thread tells the system how it wants to be run, and on macOS, where only it can, its name.
fn introduce(id: u32) void {
    switch (builtin.os.tag) {
        .linux => {
            // A batch thread has the same share of a processor as others, but takes none away when it wakes up. Where all are busy, an ordinary one
            // often takes its caller's, who gets it back after somebody else's slice: with other processes busy on both of two cores, calls of 30 µs
            // took 25 µs at the median with batch threads, 290 without.
            const linux = std.os.linux;
            if (linux.sched_getscheduler(0) == 0) _ = linux.sched_setscheduler(0, .{ .mode = .BATCH }, &.{ .priority = 0 });
        },
        .macos => {
            var buffer: NameBuffer = undefined;
            _ = std.c.pthread_setname_np(name(&buffer, id));
            // Somebody waits for it: else it would run on slow cores.
            _ = std.c.pthread_set_qos_class_self_np(.USER_INITIATED, 0);
        },
        else => {},
    }
}

/// Linux takes 15 characters and the zero.
const NameBuffer = [16]u8;

fn name(buffer: *NameBuffer, id: u32) [:0]const u8 {
    return std.fmt.bufPrintSentinel(buffer, "tilework-{d}", .{id}, 0) catch unreachable;
}

/// In a test that wants it, stops the thread now and then between two steps of the protocol, for as long as others may need for several.
fn hesitate() void {
    if (!builtin.is_test) return;
    if (!hesitant.load(.monotonic)) return;
    if (hesitation == 0) hesitation = @intFromPtr(&hesitation) ^ testing.random_seed; // each thread its own sequence
    hesitation = hesitation *% 6364136223846793005 +% 1442695040888963407;
    switch (hesitation >> 58) {
        0 => sleep(1000),
        1, 2, 3, 4, 5 => std.Thread.yield() catch {},
        6, 7, 8 => for (0..hesitation >> 32 & 255) |_| std.atomic.spinLoopHint(),
        else => {},
    }
}

var hesitant: std.atomic.Value(bool) = .init(false);
threadlocal var hesitation: u64 = 0;

const sleep = @import("../testing/sleep.zig").sleep;
const testing = std.testing;

test "a phase runs each job once, on any number of workers" {
    const Count = struct {
        hits: []std.atomic.Value(u32),
        fn body(self: @This(), w: *Worker) void {
            for (0..3) |_| w.phase(self.hits.len, 3, self, mark);
        }
        fn mark(self: @This(), begin: usize, end: usize) void {
            for (self.hits[begin..end]) |*h| _ = h.fetchAdd(1, .monotonic);
        }
    };
    var hits: [101]std.atomic.Value(u32) = @splat(.init(0));
    for ([_]u32{ 1, 2, 3, 5, 8, 16 }) |count| {
        for (&hits) |*h| h.store(0, .monotonic);
        for (0..20) |_| run(count, true, Count{ .hits = &hits }, Count.body);
        for (&hits) |*h| try testing.expectEqual(60, h.load(.monotonic));
    }
}

test "a thread that comes too late cannot join, is not waited for, and joins the next call" {
    var region: Region = .{ .count = 2, .context = undefined, .body = undefined };
    var t: Thread = .{};
    try testing.expect(!t.tryJoin());
    try testing.expect(!t.call(&region)); // it is awake
    t.dismiss();
    t.waitFor();
    try testing.expect(!t.tryJoin());
    try testing.expectEqual(State.idle, t.state.load(.monotonic));

    var next: Region = .{ .count = 3, .context = undefined, .body = undefined };
    try testing.expect(!t.call(&next));
    try testing.expect(t.tryJoin());
    t.dismiss(); // it has come, so this changes nothing
    try testing.expectEqual(State.joined, t.state.load(.monotonic));
    try testing.expectEqual(3, t.region.count);
    t.leave();
    t.waitFor();

    t.state.store(.asleep, .monotonic);
    try testing.expect(t.call(&next)); // it has to be woken
    t.dismiss();
    t.waitFor();
}

test "who joins late skips the phases that are over and takes part in the one that is open" {
    const Late = struct {
        region: *Region,
        late: *Worker,
        who: *[3][4]u8,
        /// The jobs of one phase, done by the caller, or by the late worker from within the caller's first job of the last phase.
        fn mark(self: At, begin: usize, end: usize) void {
            for (begin..end) |job| {
                self.of.who[self.phase][job] = if (self.by_late) 'l' else 'c';
                if (self.phase != 2 or self.by_late) continue;
                for (0..3) |p| self.of.late.phase(4, 1, At{ .of = self.of, .phase = p, .by_late = true }, mark);
                testing.expectEqual(0, self.of.region.look().inside) catch unreachable;
            }
        }
        const At = struct { of: *const Self, phase: usize, by_late: bool };
        const Self = @This();
    };
    var region: Region = .{ .count = 2, .context = undefined, .body = undefined };
    var caller: Worker = .{ .id = 0, .count = 2, .region = &region };
    var late: Worker = .{ .id = 1, .count = 2, .region = &region };
    var who: [3][4]u8 = @splat(@splat('-'));
    const of: Late = .{ .region = &region, .late = &late, .who = &who };
    for (0..3) |p| caller.phase(4, 1, Late.At{ .of = &of, .phase = p, .by_late = false }, Late.mark);
    try testing.expectEqualStrings("cccc", &who[0]);
    try testing.expectEqualStrings("cccc", &who[1]);
    try testing.expectEqualStrings("clll", &who[2]);
}

test "what a phase writes is read whole in the next, by whoever takes part" {
    const Sums = struct {
        a: []u64,
        b: []u64,
        round: u64,
        fn body(self: @This(), w: *Worker) void {
            w.phase(self.a.len, 1, self, fill);
            w.phase(self.b.len, 1, self, add);
            w.phase(self.a.len, 2, self, back);
        }
        fn fill(self: @This(), begin: usize, end: usize) void {
            for (begin..end) |i| self.a[i] = self.round + i;
        }
        fn add(self: @This(), begin: usize, end: usize) void {
            for (begin..end) |i| {
                self.b[i] = i;
                for (self.a) |v| self.b[i] += v;
            }
        }
        fn back(self: @This(), begin: usize, end: usize) void {
            for (begin..end) |i| self.a[i] = self.b[self.b.len - 1 - i];
        }
    };
    hesitant.store(true, .monotonic);
    defer hesitant.store(false, .monotonic);
    var a: [24]u64 = @splat(0);
    var b: [24]u64 = @splat(0);
    for (0..300) |round| {
        run(@intCast(2 + round % 5), true, Sums{ .a = &a, .b = &b, .round = round }, Sums.body);
        for (a, 0..) |v, i| try testing.expectEqual(24 * round + 23 * 12 + 23 - i, v);
    }
}

test "a thread that fell asleep on its caller's processor is woken on another one, and may run anywhere afterwards" {
    const own = placement.Mask.of(0) orelse return error.SkipZigTest;
    defer _ = own.set(0);
    const first = own.one(0);
    if (std.meta.eql(first, own.one(1))) return error.SkipZigTest; // one processor
    const Where = struct {
        here: [2]std.atomic.Value(i32) = @splat(.init(-1)),
        arrived: Word = .init(0),
        fn body(self: *@This(), w: *Worker) void {
            self.here[w.id].store(placement.processor(), .seq_cst);
            _ = self.arrived.fetchAdd(1, .seq_cst);
            // Both are there at once, each on a processor of its own, however long the other is busy with somebody else.
            while (w.id == 0 and self.arrived.load(.seq_cst) < 2) std.atomic.spinLoopHint();
        }
    };
    for (0..5) |_| {
        var warm: Where = .{};
        run(2, true, &warm, Where.body); // there is a thread
        const t = &threads[0];
        const thread = t.sleeper.thread.load(.monotonic);
        try testing.expect(first.set(thread));
        while (!t.sleeps() or !first.has(t.sleeper.processor.load(.monotonic))) {
            run(2, false, {}, struct {
                fn nothing(_: void, _: *Worker) void {}
            }.nothing);
            sleep(1_000_000);
        }
        try testing.expect(own.set(thread) and first.set(0));
        var where: Where = .{};
        run(2, true, &where, Where.body);
        try testing.expect(first.has(where.here[0].load(.seq_cst)) and !first.has(where.here[1].load(.seq_cst)));
        try testing.expectEqual(own, placement.Mask.of(thread).?);
        try testing.expect(own.set(0));
    }
}

test "a thread counts as awake until it sleeps, and again once it was called" {
    const Nothing = struct {
        fn body(_: void, _: *Worker) void {}
    };
    run(2, true, {}, Nothing.body); // there is a thread
    while (!threads[0].sleeps()) sleep(100_000);
    try testing.expectEqual(0, awake(1));
    try testing.expectEqual(0, awake(0));
    // Awake for 50 µs after a call, which a busy machine may take from us.
    for (0..1000) |_| {
        run(2, true, {}, Nothing.body);
        if (awake(1) == 1) break;
    } else return error.NeverAwake;
    inside = true; // within a worker nobody can be called
    defer inside = false;
    try testing.expectEqual(0, awake(1));
}

test "threads that cannot be made are done without" {
    const Count = struct {
        total: std.atomic.Value(u64) = .init(0),
        count: u32 = 0,
        fn body(self: *@This(), w: *Worker) void {
            if (w.id == 0) self.count = w.count;
            w.phase(100, 1, self, add);
            w.phase(100, 7, self, add);
        }
        fn add(self: *@This(), begin: usize, end: usize) void {
            _ = self.total.fetchAdd(end - begin, .monotonic);
        }
    };
    defer threads_max = workers_max - 1;
    defer refused = 0;
    const had = thread_count;
    for (0..3) |more| {
        threads_max = had + @as(u32, @intCast(more));
        refused = 0;
        var c: Count = .{};
        for (0..20) |_| run(had + 10, true, &c, Count.body);
        try testing.expectEqual(1 + threads_max, c.count);
        try testing.expectEqual(20 * 200, c.total.load(.monotonic));
    }
    // Until the system is asked again.
    threads_max = had + 3;
    var c: Count = .{};
    run(had + 10, true, &c, Count.body);
    try testing.expectEqual(1 + had + 2, c.count);
}

test "thousands of tiny calls from several threads: every job runs once, and none hangs" {
    const jobs_max = 40;
    const Caller = struct {
        seed: u64,
        calls: usize,
        failed: bool = false,

        fn go(self: *@This()) void {
            var prng: std.Random.DefaultPrng = .init(self.seed);
            const random = prng.random();
            for (0..self.calls) |_| {
                var call: Call = .{
                    .phases = random.uintAtMost(u32, 4),
                    .jobs = random.uintAtMost(u32, jobs_max),
                    .grain = random.uintAtMost(u32, 9),
                    .nested = random.uintLessThan(u32, 8) == 0,
                };
                run(random.intRangeAtMost(u32, 1, 8), random.boolean(), &call, Call.body);
                for (call.hits[0..call.jobs]) |*h| if (h.load(.monotonic) != call.phases) {
                    self.failed = true;
                };
                if (call.below.load(.monotonic) != if (call.nested) call.jobs * call.phases * 3 else 0) self.failed = true;
                // Pauses around the time that a thread stays awake.
                if (random.uintLessThan(u32, 50) == 0) for (0..random.uintLessThan(u32, 3000)) |_| std.atomic.spinLoopHint();
            }
        }

        const Call = struct {
            phases: u32,
            jobs: u32,
            grain: u32,
            nested: bool,
            hits: [jobs_max]Word = @splat(.init(0)),
            below: Word = .init(0),

            fn body(call: *Call, w: *Worker) void {
                for (0..call.phases) |_| w.phase(call.jobs, call.grain, call, mark);
            }
            fn mark(call: *Call, begin: usize, end: usize) void {
                for (begin..end) |i| {
                    _ = call.hits[i].fetchAdd(1, .monotonic);
                    if (call.nested) run(3, i % 2 == 0, call, inner);
                }
            }
            fn inner(call: *Call, w: *Worker) void {
                w.phase(3, 1, call, add);
            }
            fn add(call: *Call, begin: usize, end: usize) void {
                _ = call.below.fetchAdd(@intCast(end - begin), .monotonic);
            }
        };
    };
    const Watch = struct {
        /// A hang would stop the whole run of tests without a word.
        fn go(done: *const Word) void {
            for (0..6000) |_| {
                if (done.load(.monotonic) == 1) return;
                sleep(20_000_000);
            }
            @panic("calls of the pool have not ended for two minutes");
        }
    };
    var done: Word = .init(0);
    const watch = try std.Thread.spawn(.{}, Watch.go, .{&done});
    for ([_]bool{ false, true }) |hesitating| {
        hesitant.store(hesitating, .monotonic);
        defer hesitant.store(false, .monotonic);
        for ([_]usize{ 1, 2, 5, 8 }) |count| {
            var callers: [8]Caller = undefined;
            var running: [8]std.Thread = undefined;
            for (callers[0..count], running[0..count], 0..) |*c, *t, i| {
                c.* = .{ .seed = testing.random_seed + 100 * count + i, .calls = if (hesitating) 300 / count else 2000 };
                t.* = try std.Thread.spawn(.{}, Caller.go, .{c});
            }
            for (running[0..count]) |*t| t.join();
            for (callers[0..count]) |c| try testing.expect(!c.failed);
        }
    }
    done.store(1, .monotonic);
    watch.join();
}

test "a call of an exact count does not wait for ever while another call has the pool" {
    const Call = struct {
        fn go(workers: *std.atomic.Value(u32)) void {
            run(2, true, workers, body);
        }
        fn body(workers: *std.atomic.Value(u32), w: *Worker) void {
            workers.store(w.count, .monotonic);
        }
    };
    lock.lock();
    defer lock.unlock();
    var workers: std.atomic.Value(u32) = .init(0);
    const other = try std.Thread.spawn(.{}, Call.go, .{&workers});
    other.join();
    try testing.expectEqual(1, workers.load(.monotonic));
}

test "calls from several threads and from inside a worker come to an end" {
    const Sum = struct {
        total: *std.atomic.Value(u64),
        fn outer(self: @This(), w: *Worker) void {
            w.phase(8, 1, self, nested);
        }
        fn nested(self: @This(), begin: usize, end: usize) void {
            for (begin..end) |_| run(4, true, self, inner);
        }
        fn inner(self: @This(), w: *Worker) void {
            testing.expectEqual(1, w.count) catch unreachable;
            w.phase(10, 3, self, add);
        }
        fn add(self: @This(), begin: usize, end: usize) void {
            _ = self.total.fetchAdd(end - begin, .monotonic);
        }
        fn caller(self: @This()) void {
            for (0..200) |i| run(4, i % 2 == 0, self, outer);
        }
    };
    var total: std.atomic.Value(u64) = .init(0);
    var callers: [4]std.Thread = undefined;
    for (&callers) |*t| t.* = try std.Thread.spawn(.{}, Sum.caller, .{Sum{ .total = &total }});
    for (&callers) |*t| t.join();
    try testing.expectEqual(4 * 200 * 8 * 10, total.load(.monotonic));
}

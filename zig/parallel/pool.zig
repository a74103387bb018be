//! The one pool of the process: persistent threads, made when first needed, each woken by its own word.
//!
//! `run` wakes exactly the threads it engages and the caller works too. A call from inside a worker runs on that worker alone. While another
//! caller has the pool, a call that did not ask for an exact count runs on its own thread: results never depend on the count, and the cores are
//! busy anyway; an exact count waits. Threads that cannot be made are done without.

const std = @import("std");
const builtin = @import("builtin");
const futex = @import("futex.zig");
const pin = @import("pin.zig");
const Cursor = @import("cursor.zig").Cursor;
const Word = std.atomic.Value(u32);

pub const workers_max = 256;

/// Pauses before a waiter sleeps: 54 µs, measured on a Xeon of 2023. Consecutive ops of a training step follow each other sooner, so their workers are
/// still awake; a sleeping one has to be woken through the kernel.
const spins = 2000;

/// One fork: what the workers run, and where they meet.
const Region = struct {
    count: u32,
    context: *const anyopaque,
    body: *const fn (*const anyopaque, *Worker) void,
    arrived: Word align(64) = .init(0),
    phase: futex.Gate = .{},
    cursors: [3]Cursor = @splat(.{}),
};

/// A worker's place in a region.
pub const Worker = struct {
    id: u32,
    count: u32,
    region: *Region,
    phases: u32 = 0,

    /// The only worker of a call that no pool has to hear of.
    pub const alone: Worker = .{ .id = 0, .count = 1, .region = undefined };

    /// Waits for all workers of the region.
    pub fn barrier(w: *Worker) void {
        if (w.count == 1) return;
        const r = w.region;
        const seen = r.phase.load();
        if (r.arrived.fetchAdd(1, .acq_rel) + 1 == w.count) {
            r.arrived.store(0, .monotonic);
            _ = r.phase.add(1);
        } else r.phase.waitWhile(seen, spins);
    }

    /// A parallel phase: calls `body(ctx, begin, end)` for chunks of `jobs` jobs until none are left, then waits for all.
    /// Every worker of the region has to come here with the same numbers.
    pub fn phase(w: *Worker, jobs: usize, grain: usize, ctx: anytype, comptime body: fn (@TypeOf(ctx), usize, usize) void) void {
        if (w.count == 1) {
            if (jobs > 0) body(ctx, 0, jobs);
            return;
        }
        // Three cursors in turn: the one for the next phase was last used two phases ago, when all had left it.
        const cursors = &w.region.cursors;
        const cursor = &cursors[w.phases % 3];
        if (w.id == 0) cursor.reset(jobs, grain);
        w.phases += 1;
        w.barrier();
        while (cursor.claim()) |r| body(ctx, r.begin, r.end);
        w.barrier();
    }
};

const Thread = struct {
    /// Counts the regions that it was called to; the thread sleeps on it.
    signal: futex.Gate = .{},
    region: ?*Region = null,
    id: u32 = 0,
};

var lock: futex.Mutex = .{};
var threads: [workers_max]Thread = @splat(.{});
var thread_count: u32 = 0;
/// Whether forks are watched.
var watching = false;
/// Threads still inside the current region. Not part of it: the last thread touches this after the region may be gone.
var running: futex.Gate = .{};
threadlocal var inside = false;

/// Runs `body(ctx, worker)` on `count` workers, the caller among them, and returns when all are done. `exact` waits for the pool where it is taken.
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
    const alone = wanted <= 1 or inside or !(if (exact) held: {
        lock.lock();
        break :held true;
    } else lock.tryLock());
    if (alone) {
        var region: Region = .{ .count = 1, .context = context, .body = body };
        var self: Worker = .{ .id = 0, .count = 1, .region = &region };
        const was = inside;
        defer inside = was;
        inside = true;
        return body(context, &self);
    }
    defer lock.unlock();
    const count = 1 + available(@min(wanted, workers_max) - 1);
    var region: Region = .{ .count = count, .context = context, .body = body };
    running.word.store(count - 1, .monotonic);
    for (threads[0 .. count - 1]) |*t| {
        t.region = &region;
        _ = t.signal.add(1);
    }
    inside = true;
    var self: Worker = .{ .id = 0, .count = count, .region = &region };
    body(context, &self);
    inside = false;
    // The region lives on this stack: wait until no worker can touch it.
    while (true) {
        const left = running.load();
        if (left == 0) break;
        running.waitWhile(left, spins);
    }
}

/// Threads at hand, at most `wanted`, making what is missing.
fn available(wanted: u32) u32 {
    pin.library();
    if (builtin.os.tag != .windows and !watching) {
        watching = true;
        _ = std.c.pthread_atfork(null, null, &forked);
    }
    while (thread_count < wanted) {
        const t = &threads[thread_count];
        t.id = thread_count + 1;
        const handle = std.Thread.spawn(.{ .stack_size = 2 << 20 }, loop, .{t}) catch break;
        handle.detach();
        thread_count += 1;
    }
    return @min(wanted, thread_count);
}

/// In a child that was forked without a new program no thread but the caller's is left: it makes a pool of its own.
fn forked() callconv(.c) void {
    lock = .{};
    threads = @splat(.{});
    thread_count = 0;
    running = .{};
}

fn loop(t: *Thread) void {
    inside = true;
    name(t.id);
    var seen: u32 = 0;
    while (true) {
        t.signal.waitWhile(seen, spins);
        seen +%= 1;
        const region = t.region.?;
        var self: Worker = .{ .id = t.id, .count = region.count, .region = region };
        region.body(region.context, &self);
        _ = running.add(std.math.maxInt(u32)); // one less
    }
}

fn name(id: u32) void {
    var buffer: [32]u8 = undefined;
    const text = std.fmt.bufPrintSentinel(&buffer, "tilework-{d}", .{id}, 0) catch return;
    switch (builtin.os.tag) {
        .linux => _ = std.c.pthread_setname_np(std.c.pthread_self(), text),
        .macos => _ = std.c.pthread_setname_np(text),
        else => {},
    }
}

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

//! How many workers a call deserves, and how a batch is dealt: pure functions of sizes, knobs and topology. None of them moves a bit of a result.
//!
//! A tier is a width that automatic calls stand on: the cores halved, once for each pool class. Between two tiers a count is rounded down, so that the
//! calls of a program settle on few widths, each of which leaves the rest of the cores asleep. There is one pool, and a tier is a width of it.

const std = @import("std");
const builtin = @import("builtin");
const Caches = @import("topology.zig").Caches;

/// What a device asks for.
pub const Request = union(enum) { serial, auto, exactly: u32 };

/// A device's knobs; `knobs.zig` has their ranges and how they are set, docs/tuning.md tells what each does.
pub const Knobs = struct {
    /// Multiply-adds below which a product is serial whatever was asked; 0 turns the gate off.
    parallel_threshold: u64 = 48 * 48 * 256,
    /// Multiply-adds that pay for one worker more whose thread sleeps; for one that is awake a seventh of them do (`awakeMnk`).
    par_mnk_per_worker: u64 = 2_000_000,
    /// Multiply-adds from which a product leaves the largest tier for every core.
    full_width_mnk: u64 = if (builtin.cpu.arch == .aarch64) 14_000_000 else 110_000_000,
    /// Chunks per worker on the job cursor. With 2 a worker that loses its processor for a moment holds up the other: 157 against 202 GFLOP/s at 1024³ on two
    /// busy cores.
    parallel_oversample: u64 = 8,
    /// Chunks per worker if whoever claims one packs its block of A. Small blocks cost little: see `plan` in gemm/blocking.zig.
    packed_oversample: u64 = 8,
    /// Bytes below which a bandwidth-bound call is serial; null derives it from the caches.
    gemv_parallel_bytes: ?u64 = null,
    /// A bandwidth-bound call climbs one tier for each such factor of bytes above the floor.
    gemv_tier_step: u64 = 8,
    /// Replaces that ladder with one flat width; 0 leaves the ladder.
    gemv_thread_cap: u64 = 0,
    /// Workers from which A is packed once for all of them, whatever the size.
    shared_a_workers: u64 = 16,
    /// Multiply-adds from which A is packed once for all workers, however few. Never, until a measurement says where it pays.
    shared_a_mnk: u64 = (1 << 53) - 1,
};

pub const tiers_max = 3;

/// Halved widths below the full one where a machine of this architecture has none given. More tiers pay where waking many threads is slow.
pub const pool_classes_default: u32 = switch (builtin.cpu.arch) {
    .x86_64 => 2,
    .aarch64 => 1,
    else => 0,
};

/// The tier widths of so many physical cores, the largest first: 8 cores and 2 classes make 4 and 2. Widths under 2 are no tiers.
pub fn tiers(buffer: *[tiers_max]u32, physical_cores: u32, pool_classes: u32) []const u32 {
    var count: usize = 0;
    var width = physical_cores / 2;
    while (count < @min(pool_classes, tiers_max) and width >= 2) : (width /= 2) {
        buffer[count] = width;
        count += 1;
    }
    return buffer[0..count];
}

/// What a device may run on.
pub const Machine = struct {
    /// Physical cores that the process may use: never 0.
    cores: u32,
    caches: Caches,
    /// Halvings asked for, each of which is a tier where it leaves two cores.
    pool_classes: u32,
    tier_buffer: [tiers_max]u32 = @splat(0),
    tier_count: u32 = 0,

    pub fn init(cores: u32, pool_classes: u32, caches: Caches) Machine {
        var m: Machine = .{ .cores = cores, .caches = caches, .pool_classes = @min(pool_classes, tiers_max) };
        m.tier_count = @intCast(tiers(&m.tier_buffer, cores, pool_classes).len);
        return m;
    }

    /// Tier widths, the largest first.
    pub fn widths(m: *const Machine) []const u32 {
        return m.tier_buffer[0..m.tier_count];
    }
};

/// The rule that settled a count: the last one that changed it, or else the one it came from.
pub const Why = enum {
    /// Too little work for a second worker, whatever was asked.
    serial_gate,
    /// The device is serial.
    serial_request,
    /// The count that was asked for.
    exact,
    /// What the work pays for.
    work,
    /// What the work pays for, on a tier.
    tier,
    /// All cores.
    full_width,
    /// What is touched fits one core's own cache.
    below_floor,
    /// The tier that the bytes have climbed to.
    ladder,
    /// `gemv_thread_cap`.
    flat_cap,
    /// There are no more jobs.
    jobs,
    /// There are no more cores.
    cores,
};

pub const Decision = struct {
    workers: u32,
    /// The tier, or the full width, that `workers` stands on; 0 where the count stands for itself.
    tier: u32 = 0,
    why: Why,

    /// The larger count where it needs no thread to be woken.
    fn orAwake(d: Decision, larger: Decision, awake: u32) Decision {
        const n = @min(larger.workers, awake +| 1);
        return if (n > d.workers) .{ .workers = n, .why = .work } else d;
    }

    /// Jobs cap last. A count that they cut stands on no tier any more.
    fn upTo(d: Decision, jobs: u64) Decision {
        if (d.workers <= @max(1, jobs)) return d;
        return .{ .workers = @intCast(@max(1, jobs)), .why = .jobs };
    }
};

fn exact(n: u64, machine: *const Machine, why: Why) Decision {
    if (n > machine.cores) return .{ .workers = machine.cores, .why = .cores };
    return .{ .workers = @intCast(@max(1, n)), .why = why };
}

fn full(machine: *const Machine) Decision {
    return .{ .workers = machine.cores, .tier = machine.cores, .why = .full_width };
}

/// Workers for a compute-bound call of `mnk` multiply-adds that can be cut into `jobs` jobs, while `awake` threads of the pool wait for work.
pub fn compute(machine: *const Machine, request: Request, knobs: *const Knobs, mnk: u64, jobs: u64, awake: u32) Decision {
    if (mnk < knobs.parallel_threshold) return .{ .workers = 1, .why = .serial_gate };
    const d: Decision = switch (request) {
        .serial => .{ .workers = 1, .why = .serial_request },
        .exactly => |n| exact(n, machine, .exact),
        .auto => byWork(machine, knobs, mnk).orAwake(exact(mnk / awakeMnk(knobs), machine, .work), awake),
    };
    return d.upTo(jobs);
}

/// Multiply-adds that pay for one worker more whose thread is awake. Two workers over one in a stream of products, on a Zen 3: 84×84×84 1.57, 96 1.76,
/// 112 1.79, 128 1.75, 160 1.84.
pub fn awakeMnk(knobs: *const Knobs) u64 {
    return @max(1, knobs.par_mnk_per_worker / 7);
}

/// Whether threads that are awake can change the count for a call of `mnk` multiply-adds.
pub fn mindsAwake(machine: *const Machine, request: Request, knobs: *const Knobs, mnk: u64) bool {
    if (request != .auto or mnk < knobs.parallel_threshold or mnk / 2 < awakeMnk(knobs)) return false;
    return byWork(machine, knobs, mnk).workers < machine.cores;
}

fn byWork(machine: *const Machine, knobs: *const Knobs, mnk: u64) Decision {
    const d = exact(mnk / @max(1, knobs.par_mnk_per_worker), machine, .work);
    const widths = machine.widths();
    if (widths.len == 0) return d;
    if (mnk >= knobs.full_width_mnk) return full(machine);
    for (widths) |width| if (d.workers >= width) return .{ .workers = width, .tier = width, .why = .tier };
    return d;
}

/// Bytes of second-level cache that one core can count on: its own where a third level stands behind it, a quarter of it where it is the last and shared.
pub fn privateBytes(caches: Caches) u64 {
    return if (caches.l3 > 0 and caches.l2_private) caches.l2 else caches.l2 / 4;
}

/// Bytes from which a second worker pays for a bandwidth-bound call: past the cache that one core can count on.
pub fn bandwidthFloor(machine: *const Machine, knobs: *const Knobs) u64 {
    return knobs.gemv_parallel_bytes orelse privateBytes(machine.caches);
}

/// Workers for a bandwidth-bound call that touches `bytes` bytes and can be cut into `jobs` jobs.
pub fn bandwidth(machine: *const Machine, request: Request, knobs: *const Knobs, bytes: u64, jobs: u64) Decision {
    const d: Decision = switch (request) {
        .serial => .{ .workers = 1, .why = .serial_request },
        .exactly => |n| exact(n, machine, .exact),
        .auto => byBytes(machine, knobs, bytes),
    };
    return d.upTo(jobs);
}

fn byBytes(machine: *const Machine, knobs: *const Knobs, bytes: u64) Decision {
    const floor = bandwidthFloor(machine, knobs);
    if (bytes < floor) return .{ .workers = 1, .why = .below_floor };
    if (knobs.gemv_thread_cap > 0) return exact(knobs.gemv_thread_cap, machine, .flat_cap);
    const widths = machine.widths();
    if (widths.len == 0) return full(machine);
    // A floor of 0 is passed by every factor, so that anything at all stands on the largest tier.
    var ratio = bytes / @max(1, floor);
    var above: usize = 0;
    while (above + 1 < widths.len and ratio >= knobs.gemv_tier_step) : (above += 1) ratio /= @max(1, knobs.gemv_tier_step);
    const width = widths[widths.len - 1 - above];
    return .{ .workers = width, .tier = width, .why = .ladder };
}

pub const Sizes = struct { m: usize, n: usize, k: usize };

/// m·n·k, saturating.
pub fn work(s: Sizes) u64 {
    return @as(u64, s.m) *| @as(u64, s.n) *| @as(u64, s.k);
}

/// Bytes that a product touches, its three matrices once each, saturating.
pub fn touched(s: Sizes, element: usize) u64 {
    const m: u64, const n: u64, const k: u64 = .{ s.m, s.n, s.k };
    return (m *| k +| k *| n +| m *| n) *| element;
}

/// How a batch of products of one size is dealt.
pub const Plan = union(enum) {
    /// All on the caller's thread.
    serial,
    /// Whole products to so many workers, one fork for the batch.
    batch_parallel: u32,
    /// One product after another, each on as many workers as it deserves. Two workers of a Zen 3, against whole products: two of 256³ take 0.89 of the time, of
    /// 512³ 0.91, of 1024³ 0.96; three, of which one worker has two whole ones, 0.88, 0.88 and 0.87.
    sequential_internal,
};

/// The plan for `batch` products, each of which touches `bytes` bytes, while `awake` threads of the pool wait for work.
pub fn batched(machine: *const Machine, request: Request, knobs: *const Knobs, sizes: Sizes, batch: u64, bytes: u64, awake: u32) Plan {
    // A batch of one is that product.
    if (batch <= 1) return if (batch == 0) .serial else .sequential_internal;
    if (sizes.m == 1 or sizes.n == 1) return whole(bandwidth(machine, request, knobs, bytes *| batch, batch));
    const each = work(sizes);
    const deserved = compute(machine, request, knobs, each *| batch, std.math.maxInt(u64), awake);
    if (batch < deserved.workers and bytes > privateBytes(machine.caches)) {
        if (compute(machine, request, knobs, each, std.math.maxInt(u64), awake).workers > 1) return .sequential_internal;
    }
    return whole(deserved.upTo(batch));
}

fn whole(d: Decision) Plan {
    return if (d.workers == 1) .serial else .{ .batch_parallel = d.workers };
}

// ── Tests: every function against the specification's sentences, restated without care for speed ────────────────────────────────────────────────────

const testing = std.testing;
const requests = [_]Request{ .serial, .auto, .{ .exactly = 1 }, .{ .exactly = 2 }, .{ .exactly = 5 }, .{ .exactly = 100 } };
const max = std.math.maxInt(u64);

/// 2 MiB of second level to each core, and a third.
const server: Caches = .{ .l1 = 48 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 300 << 20 };

/// A second level of four bytes, so that small numbers reach past it.
const toy: Caches = .{ .l1 = 1, .l2 = 4, .l2_private = true, .l3 = 8 };

const restated = struct {
    /// "Halving widths below full, above 3 taken as 3, widths under 2 dropped."
    fn tierList(list: *std.ArrayList(u128), cores: u128, classes: u128) !void {
        list.clearRetainingCapacity();
        const divisors = [_]u128{ 2, 4, 8 };
        for (divisors, 1..) |divisor, class| {
            if (class <= classes and cores / divisor >= 2) try list.append(testing.allocator, cores / divisor);
        }
    }

    fn least(values: []const u128) u128 {
        return std.mem.min(u128, values);
    }

    /// Rounded down to a tier: the largest that is not above the count.
    fn roundedDown(list: []const u128, count: u128) u128 {
        var best: u128 = 0;
        for (list) |width| {
            if (width <= count and width > best) best = width;
        }
        return best;
    }

    fn compute(cores: u128, list: []const u128, request: Request, knobs: Knobs, mnk: u128, jobs: u128) u128 {
        if (knobs.parallel_threshold != 0 and mnk < knobs.parallel_threshold) return 1;
        const count: u128 = switch (request) {
            .serial => 1,
            .exactly => |n| least(&.{ n, cores }),
            .auto => auto: {
                const n = least(&.{ cores, @max(1, mnk / knobs.par_mnk_per_worker) });
                if (list.len == 0) break :auto n;
                if (mnk >= knobs.full_width_mnk) break :auto cores;
                break :auto if (n < least(list)) n else roundedDown(list, n);
            },
        };
        return least(&.{ count, @max(1, jobs) });
    }

    fn bandwidth(cores: u128, list: []const u128, request: Request, knobs: Knobs, floor: u128, bytes: u128, jobs: u128) u128 {
        const count: u128 = switch (request) {
            .serial => 1,
            .exactly => |n| least(&.{ n, cores }),
            .auto => auto: {
                if (bytes < floor) break :auto 1;
                if (knobs.gemv_thread_cap != 0) break :auto least(&.{ knobs.gemv_thread_cap, cores });
                if (list.len == 0) break :auto cores;
                // The list ascends from its end; the tier at rung r is reached at floor·step^r bytes.
                var width: u128 = list[list.len - 1];
                var reached: u128 = @max(1, floor);
                for (1..list.len) |rung| {
                    reached *|= knobs.gemv_tier_step;
                    if (bytes >= reached) width = list[list.len - 1 - rung];
                }
                break :auto width;
            },
        };
        return least(&.{ count, @max(1, jobs) });
    }
};

test "tiers: halves of the cores, at most three, none under 2" {
    var buffer: [tiers_max]u32 = undefined;
    try testing.expectEqualSlices(u32, &.{ 4, 2 }, tiers(&buffer, 8, 2));
    try testing.expectEqualSlices(u32, &.{4}, tiers(&buffer, 8, 1));
    try testing.expectEqualSlices(u32, &.{}, tiers(&buffer, 8, 0));
    try testing.expectEqualSlices(u32, &.{ 32, 16, 8 }, tiers(&buffer, 64, 1000));
    try testing.expectEqualSlices(u32, &.{}, tiers(&buffer, 2, 2));
    try testing.expectEqualSlices(u32, &.{3}, tiers(&buffer, 6, 2));
    var list: std.ArrayList(u128) = .empty;
    defer list.deinit(testing.allocator);
    for (0..300) |cores| for ([_]u32{ 0, 1, 2, 3, 4, 5, std.math.maxInt(u32) }) |classes| {
        try restated.tierList(&list, cores, classes);
        const got = tiers(&buffer, @intCast(cores), classes);
        try testing.expectEqual(list.items.len, got.len);
        for (list.items, got) |want, width| try testing.expectEqual(want, width);
    };
}

test "compute: the restated rules, for all small values" {
    var list: std.ArrayList(u128) = .empty;
    defer list.deinit(testing.allocator);
    for ([_]u32{ 1, 2, 3, 4, 6, 8, 9, 17 }) |cores| for ([_]u32{ 0, 1, 2, 4 }) |classes| {
        try restated.tierList(&list, cores, classes);
        const machine: Machine = .init(cores, classes, toy);
        for ([_]u64{ 0, 1, 7 }) |threshold| for ([_]u64{ 1, 3 }) |per_worker| for ([_]u64{ 0, 6, 23, max }) |full_width| {
            const knobs: Knobs = .{ .parallel_threshold = threshold, .par_mnk_per_worker = per_worker, .full_width_mnk = full_width };
            for (requests) |request| for ([_]u64{ 0, 3, max }) |jobs| {
                var before: u32 = 0;
                for (0..40) |mnk| {
                    const d = compute(&machine, request, &knobs, mnk, jobs, 0);
                    try testing.expectEqual(restated.compute(cores, list.items, request, knobs, mnk, jobs), d.workers);
                    // More work never takes fewer workers, and a tier that is named is a width of the machine and the count itself.
                    try testing.expect(d.workers >= before);
                    before = d.workers;
                    if (d.tier != 0) try testing.expect(d.tier == d.workers and (d.tier == cores or std.mem.findScalar(u32, machine.widths(), d.tier) != null));
                    try testing.expectEqual(switch (d.why) {
                        .serial_gate => mnk < threshold,
                        .serial_request => request == .serial,
                        .exact => request == .exactly and request.exactly == d.workers,
                        .work, .tier => request == .auto and d.workers <= @max(1, mnk / per_worker),
                        .full_width => request == .auto and mnk >= full_width and d.workers == cores,
                        .jobs => d.workers == @max(1, jobs),
                        .cores => d.workers == cores,
                        .below_floor, .ladder, .flat_cap => false,
                    }, true);
                }
            };
        };
    };
}

test "compute: the numbers of the specification" {
    const eight: Machine = .init(8, 2, server);
    const x86: Knobs = .{ .full_width_mnk = 110_000_000 };
    const arm: Knobs = .{ .full_width_mnk = 14_000_000 };
    const Case = struct { u64, u32, u32, Why };
    for ([_]Case{
        .{ 48 * 48 * 256 - 1, 1, 0, .serial_gate },
        .{ 48 * 48 * 256, 1, 0, .work },
        .{ 3_999_999, 1, 0, .work },
        .{ 4_000_000, 2, 2, .tier },
        .{ 7_999_999, 2, 2, .tier },
        .{ 8_000_000, 4, 4, .tier },
        .{ 109_999_999, 4, 4, .tier },
        .{ 110_000_000, 8, 8, .full_width },
    }) |case| {
        const d = compute(&eight, .auto, &x86, case[0], 1000, 0);
        try testing.expectEqual(Decision{ .workers = case[1], .tier = case[2], .why = case[3] }, d);
    }
    const one_class: Machine = .init(8, 1, server);
    for ([_]Case{ .{ 6_000_000, 3, 0, .work }, .{ 8_000_000, 4, 4, .tier }, .{ 13_999_999, 4, 4, .tier }, .{ 14_000_000, 8, 8, .full_width } }) |case| {
        const d = compute(&one_class, .auto, &arm, case[0], 1000, 0);
        try testing.expectEqual(Decision{ .workers = case[1], .tier = case[2], .why = case[3] }, d);
    }
    // Without tiers the count stands.
    const plain: Machine = .init(8, 0, server);
    try testing.expectEqual(Decision{ .workers = 5, .why = .work }, compute(&plain, .auto, &x86, 10_000_000, 1000, 0));
    try testing.expectEqual(Decision{ .workers = 8, .why = .cores }, compute(&plain, .auto, &x86, 100_000_000, 1000, 0));
    // The gate stands before an explicit count, and 0 turns it off.
    try testing.expectEqual(Decision{ .workers = 1, .why = .serial_gate }, compute(&eight, .{ .exactly = 8 }, &x86, 589_823, 1000, 0));
    try testing.expectEqual(Decision{ .workers = 3, .why = .exact }, compute(&eight, .{ .exactly = 3 }, &.{ .parallel_threshold = 0 }, 0, 1000, 0));
    try testing.expectEqual(Decision{ .workers = 8, .why = .cores }, compute(&eight, .{ .exactly = 16 }, &x86, 1 << 40, 1000, 0));
    try testing.expectEqual(Decision{ .workers = 3, .why = .jobs }, compute(&eight, .auto, &x86, 1 << 40, 3, 0));
    try testing.expectEqual(Decision{ .workers = 1, .why = .jobs }, compute(&eight, .auto, &x86, 1 << 40, 0, 0));
}

test "compute: threads that are awake cost a seventh, and only they" {
    const knobs: Knobs = .{ .par_mnk_per_worker = 50, .parallel_threshold = 7, .full_width_mnk = 5000 };
    for ([_]u32{ 1, 2, 5, 8 }) |cores| for ([_]u32{ 0, 2 }) |classes| {
        const machine: Machine = .init(cores, classes, toy);
        for (0..600) |mnk| for ([_]u64{ 2, max }) |jobs| for (0..10) |awake| for (requests) |request| {
            const asleep = compute(&machine, request, &knobs, mnk, jobs, 0);
            const d = compute(&machine, request, &knobs, mnk, jobs, @intCast(awake));
            const minds = mindsAwake(&machine, request, &knobs, mnk);
            const most = @min(jobs, cores, mnk / 7, awake + 1);
            const want: u64 = if (minds) @max(asleep.workers, most) else asleep.workers;
            try testing.expectEqual(want, d.workers);
            if (d.workers != asleep.workers) try testing.expect(request == .auto and mnk >= 14);
        };
    };
    const two: Machine = .init(2, 2, server);
    const n96 = work(.{ .m = 96, .n = 96, .k = 96 });
    try testing.expectEqual(1, compute(&two, .auto, &.{}, n96, 1000, 0).workers);
    try testing.expectEqual(Decision{ .workers = 2, .why = .work }, compute(&two, .auto, &.{}, n96, 1000, 1));
    try testing.expect(mindsAwake(&two, .auto, &.{}, n96) and !mindsAwake(&two, .auto, &.{}, 4_000_000) and !mindsAwake(&two, .auto, &.{}, 48 * 48 * 256 - 1));
    try testing.expect(!mindsAwake(&two, .{ .exactly = 2 }, &.{}, n96) and !mindsAwake(&two, .serial, &.{}, n96));
}

test "bandwidth: the restated rules, for all small values" {
    var list: std.ArrayList(u128) = .empty;
    defer list.deinit(testing.allocator);
    for ([_]u32{ 1, 2, 3, 4, 6, 8, 9, 17 }) |cores| for ([_]u32{ 0, 1, 2, 4 }) |classes| {
        try restated.tierList(&list, cores, classes);
        const machine: Machine = .init(cores, classes, toy);
        for ([_]?u64{ null, 0, 3 }) |floor| for ([_]u64{ 1, 3, max }) |step| for ([_]u64{ 0, 3, 100 }) |cap| {
            const knobs: Knobs = .{ .gemv_parallel_bytes = floor, .gemv_tier_step = step, .gemv_thread_cap = cap };
            for (requests) |request| for ([_]u64{ 0, 3, max }) |jobs| {
                var before: u32 = 0;
                for (0..40) |bytes| {
                    const d = bandwidth(&machine, request, &knobs, bytes, jobs);
                    try testing.expectEqual(restated.bandwidth(cores, list.items, request, knobs, floor orelse 4, bytes, jobs), d.workers);
                    try testing.expect(d.workers >= before);
                    before = d.workers;
                    if (d.tier != 0) try testing.expect(d.tier == d.workers and (d.tier == cores or std.mem.findScalar(u32, machine.widths(), d.tier) != null));
                    try testing.expectEqual(switch (d.why) {
                        .serial_request => request == .serial,
                        .exact => request == .exactly and request.exactly == d.workers,
                        .below_floor => request == .auto and bytes < floor orelse 4,
                        .ladder => machine.tier_count > 0 and cap == 0,
                        .full_width => machine.tier_count == 0 and cap == 0 and d.workers == cores,
                        .flat_cap => d.workers == cap,
                        .jobs => d.workers == @max(1, jobs),
                        .cores => d.workers == cores,
                        .serial_gate, .work, .tier => false,
                    }, true);
                }
            };
        };
    };
}

test "bandwidth: the floor is a core's own cache, then one tier for each factor of 8" {
    const wide: Machine = .init(32, 3, server);
    const own = 2 << 20;
    const Case = struct { u64, u32, u32, Why };
    for ([_]Case{
        .{ own - 1, 1, 0, .below_floor },
        .{ own, 4, 4, .ladder },
        .{ 8 * own - 1, 4, 4, .ladder },
        .{ 8 * own, 8, 8, .ladder },
        .{ 64 * own - 1, 8, 8, .ladder },
        .{ 64 * own, 16, 16, .ladder },
        .{ max, 16, 16, .ladder },
    }) |case| {
        const d = bandwidth(&wide, .auto, &.{}, case[0], 1000);
        try testing.expectEqual(Decision{ .workers = case[1], .tier = case[2], .why = case[3] }, d);
    }
    const two: Machine = .init(2, 2, server);
    try testing.expectEqual(Decision{ .workers = 2, .tier = 2, .why = .full_width }, bandwidth(&two, .auto, &.{}, own, 1000));
    try testing.expectEqual(Decision{ .workers = 5, .why = .exact }, bandwidth(&wide, .{ .exactly = 5 }, &.{}, 0, 1000));
    try testing.expectEqual(Decision{ .workers = 6, .why = .flat_cap }, bandwidth(&wide, .auto, &.{ .gemv_thread_cap = 6 }, own, 1000));
    // One shared second level and nothing behind it: a quarter is a core's. A third level behind a shared one leaves it a quarter too.
    for ([_]Caches{ .{ .l1 = 1, .l2 = 4 << 20, .l2_private = false, .l3 = 0 }, .{ .l1 = 1, .l2 = 4 << 20, .l2_private = false, .l3 = 8 << 20 } }) |caches| {
        try testing.expectEqual(1 << 20, bandwidthFloor(&.init(8, 1, caches), &.{}));
    }
    try testing.expectEqual(0, bandwidthFloor(&wide, &.{ .gemv_parallel_bytes = 0 }));
}

test "batched: whole products where there are enough, one after another where they are few, large and beyond the caches" {
    const eight: Machine = .init(8, 2, server);
    const Case = struct { Request, Sizes, u64, Plan };
    const small: Sizes = .{ .m = 16, .n = 16, .k = 16 };
    const medium: Sizes = .{ .m = 128, .n = 128, .k = 128 };
    const snug: Sizes = .{ .m = 256, .n = 256, .k = 256 };
    const large: Sizes = .{ .m = 1024, .n = 1024, .k = 1024 };
    for ([_]Case{
        .{ .auto, large, 0, .serial },
        .{ .auto, large, 1, .sequential_internal },
        // Work decides for the batch as a whole: the gate of one product does not stop 1 000 of them.
        .{ .auto, small, 100, .serial },
        .{ .auto, small, 1000, .{ .batch_parallel = 2 } },
        .{ .auto, medium, 2, .{ .batch_parallel = 2 } },
        .{ .auto, medium, 4, .{ .batch_parallel = 4 } },
        .{ .auto, medium, 100, .{ .batch_parallel = 8 } },
        // Fewer than the workers they deserve: 3 MiB each is beyond a core's own cache, 768 KiB is not.
        .{ .auto, snug, 3, .{ .batch_parallel = 3 } },
        .{ .auto, large, 7, .sequential_internal },
        .{ .auto, large, 8, .{ .batch_parallel = 8 } },
        .{ .serial, large, 7, .serial },
        .{ .{ .exactly = 3 }, large, 2, .sequential_internal },
        .{ .{ .exactly = 3 }, snug, 2, .{ .batch_parallel = 2 } },
        .{ .{ .exactly = 3 }, small, 100, .serial },
        .{ .{ .exactly = 3 }, small, 1000, .{ .batch_parallel = 3 } },
        // One row or column: by bytes, and never split.
        .{ .auto, .{ .m = 1, .n = 4096, .k = 4096 }, 2, .{ .batch_parallel = 2 } },
        .{ .auto, .{ .m = 4096, .n = 1, .k = 4096 }, 64, .{ .batch_parallel = 4 } },
        .{ .auto, .{ .m = 1, .n = 64, .k = 64 }, 100, .serial },
        .{ .auto, .{ .m = 1, .n = 64, .k = 64 }, 900, .{ .batch_parallel = 2 } },
        .{ .{ .exactly = 5 }, .{ .m = 1, .n = 1, .k = 1 }, 3, .{ .batch_parallel = 3 } },
    }) |case| {
        try testing.expectEqual(case[3], batched(&eight, case[0], &.{ .full_width_mnk = 110_000_000 }, case[1], case[2], touched(case[1], 4), 0));
    }
    // Beyond the caches, but none worth a second worker alone: whole products.
    const thin: Sizes = .{ .m = 3, .n = 1000, .k = 1000 };
    try testing.expectEqual(Plan{ .batch_parallel = 2 }, batched(&.init(8, 0, server), .auto, &.{}, thin, 2, touched(thin, 4), 0));
}

test "batched: the restated rules, for all small values" {
    for ([_]u32{ 1, 2, 4, 8 }) |cores| for ([_]u32{ 0, 2 }) |classes| {
        const machine: Machine = .init(cores, classes, toy);
        const knobs: Knobs = .{ .parallel_threshold = 4, .par_mnk_per_worker = 3, .full_width_mnk = 40 };
        for (requests) |request| for (1..5) |m| for (1..5) |n| for (1..4) |k| for (0..12) |batch| for ([_]u64{ 0, 1, 4, 5, 100 }) |bytes| {
            const got = batched(&machine, request, &knobs, .{ .m = m, .n = n, .k = k }, batch, bytes, 0);
            const mnk = m * n * k;
            const vector = m == 1 or n == 1;
            const deserved = if (vector)
                bandwidth(&machine, request, &knobs, bytes * batch, max).workers
            else
                compute(&machine, request, &knobs, mnk * batch, max, 0).workers;
            const alone = compute(&machine, request, &knobs, mnk, max, 0).workers;
            const want: Plan = if (batch == 0)
                .serial
            else if (batch == 1)
                .sequential_internal
            else if (deserved == 1)
                .serial
            else if (batch >= deserved)
                .{ .batch_parallel = deserved }
            else if (!vector and bytes > 4 and alone > 1)
                .sequential_internal
            else
                .{ .batch_parallel = @intCast(batch) };
            try testing.expectEqual(want, got);
        };
    };
}

test "sizes whose products leave 32 bits or 64 are counted or saturate (C07)" {
    try testing.expectEqual(46341 * 46341 * 46341, work(.{ .m = 46341, .n = 46341, .k = 46341 }));
    try testing.expectEqual(2_147_488_281, work(.{ .m = 46341, .n = 46341, .k = 1 }));
    try testing.expectEqual(2_148_378_000, work(.{ .m = 12347, .n = 174000, .k = 1 }));
    try testing.expectEqual(1 << 32, work(.{ .m = 65536, .n = 65536, .k = 1 }));
    try testing.expectEqual(max, work(.{ .m = 1 << 32, .n = 1 << 32, .k = 8 }));
    try testing.expectEqual(4 * (2_147_488_281 + 2 * 46341), touched(.{ .m = 46341, .n = 1, .k = 46341 }, 4));
    try testing.expectEqual(8 * ((1 << 32) + 2 * 65536), touched(.{ .m = 65536, .n = 65536, .k = 1 }, 8));
    try testing.expectEqual(max, touched(.{ .m = 1 << 40, .n = 1, .k = 1 << 40 }, 4));

    const eight: Machine = .init(8, 2, server);
    for ([_]Sizes{ .{ .m = 46341, .n = 46341, .k = 46341 }, .{ .m = 65536, .n = 65536, .k = 1 }, .{ .m = 12347, .n = 174000, .k = 1 }, .{ .m = max, .n = max, .k = max } }) |s| {
        try testing.expectEqual(8, compute(&eight, .auto, &.{}, work(s), max, 0).workers);
        try testing.expectEqual(4, bandwidth(&eight, .auto, &.{}, touched(s, 4), max).workers);
        try testing.expectEqual(Plan.sequential_internal, batched(&eight, .auto, &.{}, s, 7, touched(s, 4), 0));
        try testing.expectEqual(Plan{ .batch_parallel = 8 }, batched(&eight, .auto, &.{}, s, max, touched(s, 4), 0));
    }
    for ([_]Sizes{ .{ .m = 1, .n = 46341, .k = 46341 }, .{ .m = 65536, .n = 1, .k = 65536 }, .{ .m = 1, .n = max, .k = max } }) |s| {
        try testing.expectEqual(Plan{ .batch_parallel = 2 }, batched(&eight, .auto, &.{}, s, 2, touched(s, 4), 0));
        try testing.expectEqual(Plan{ .batch_parallel = 4 }, batched(&eight, .auto, &.{}, s, max, touched(s, 4), 0));
    }
    try testing.expectEqual(1, compute(&eight, .auto, &.{ .par_mnk_per_worker = (1 << 53) - 1, .full_width_mnk = max }, (1 << 53) - 1, max, 0).workers);
}

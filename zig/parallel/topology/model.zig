//! The words in which every system's reader tells what the process may use, and the rules that no system changes.

const std = @import("std");
const assert = std.debug.assert;

pub const Caches = struct {
    /// Bytes of the first-level data cache of one core.
    l1: usize,
    /// Bytes of one second-level cache.
    l2: usize,
    /// Whether one core of the machine has the second level to itself.
    l2_private: bool,
    /// Bytes of one third-level cache, 0 where there is none.
    l3: usize,
    /// Cores that the process may use and that share one second level.
    l2_sharers: u32 = 1,
    /// Cores that the process may use and that share one third level.
    l3_sharers: u32 = 1,

    /// Bytes of the second level that each of some workers can fill with what it alone uses: what all of them read, such as a packed B, lies there once.
    pub fn l2Of(c: Caches, workers: usize) usize {
        return c.l2 / @max(1, @min(workers, c.l2_sharers));
    }
};

/// Cores that are alike: all of most machines, or the performance cores and the efficiency cores.
pub const Class = struct {
    cores: u32,
    /// Speed of one core: 1024 for the fastest class.
    capacity: u32,
    caches: Caches,
};

pub const classes_max = 4;

pub const Topology = struct {
    /// Workers that can run at once: cores behind the affinity mask, SMT siblings once, within the quota. Never 0.
    cores: u32,
    /// Logical processors in the affinity mask.
    processors: u32,
    /// Processors' worth of time that the cgroup or job object grants, null for no limit.
    quota: ?f64,
    /// Fastest first. They hold every core behind the affinity mask; the quota takes none away.
    classes: [classes_max]Class,
    class_count: u32,
    /// Those of the fastest class: what blocking is cut for.
    caches: Caches,

    pub fn init(quota: ?f64, processors: u32, classes: []const Class) Topology {
        assert(classes.len > 0);
        assert(classes.len <= classes_max);
        var t: Topology = .{
            .cores = 0,
            .processors = processors,
            .quota = quota,
            .classes = @splat(.{ .cores = 0, .capacity = 0, .caches = classes[0].caches }),
            .class_count = @intCast(classes.len),
            .caches = classes[0].caches,
        };
        for (classes, t.classes[0..classes.len]) |class, *place| {
            place.* = class;
            t.cores += class.cores;
        }
        t.cores = workersFor(t.cores, quota);
        return t;
    }

    pub fn all(t: *const Topology) []const Class {
        return t.classes[0..t.class_count];
    }
};

/// Linux is built for at most 8192 processors; Windows for 32 groups of 64.
pub const processors_max = 8192;

/// A set of logical processors.
pub const Processors = std.bit_set.Static(processors_max);

/// One core that the process may use.
pub const Core = struct {
    /// Its first processor among those that the process may use.
    processor: u32,
    /// In any unit: only the ratios between the cores of one machine count.
    speed: u64,
};

/// The topology of a list of cores, which is sorted on the way. `reader.caches(cores)` tells the caches of the cores of one class.
pub fn assemble(cores: []Core, processors: u32, quota: ?f64, reader: anytype) Topology {
    assert(cores.len > 0);
    std.sort.insertion(Core, cores, {}, faster);
    var classes: [classes_max]Class = undefined;
    var count: usize = 0;
    var begin: usize = 0;
    while (begin < cores.len) : (count += 1) {
        var end = begin + 1;
        while (end < cores.len and (count == classes_max - 1 or alike(cores[begin], cores[end]))) end += 1;
        const class = cores[begin..end];
        classes[count] = .{ .cores = @intCast(class.len), .capacity = relative(class[0].speed, cores[0].speed), .caches = reader.caches(class) };
        begin = end;
    }
    return .init(quota, processors, classes[0..count]);
}

fn faster(_: void, a: Core, b: Core) bool {
    return a.speed > b.speed;
}

/// Cores of one kind differ by up to 8 % in the frequency that they may reach, as the maker sorts them (5.8 and 5.5 GHz, 5.75 and 5.25 GHz); kinds
/// differ by 15 % and more.
fn alike(fast: Core, slow: Core) bool {
    return slow.speed *| 10 >= fast.speed *| 9;
}

fn relative(speed: u64, fastest: u64) u32 {
    return if (fastest == 0) 1024 else @intCast((@as(u128, speed) * 1024 + fastest / 2) / fastest);
}

/// Workers for a number of cores and a quota: half processors round up, because two workers on 1.5 processors still beat one.
pub fn workersFor(cores: u32, quota: ?f64) u32 {
    const limit: u32 = if (quota) |q| @intFromFloat(std.math.clamp(@ceil(q - 1e-9), 1, processors_max)) else processors_max;
    return @max(1, @min(cores, limit));
}

const testing = std.testing;

const Alike = struct {
    fn caches(_: Alike, class: []const Core) Caches {
        return .{ .l1 = class[0].processor, .l2 = 0, .l2_private = true, .l3 = 0 };
    }
};

test "topology: a worker has its share of a second level, of as many as may work beside it" {
    const cluster: Caches = .{ .l1 = 32 << 10, .l2 = 2 << 20, .l2_private = false, .l3 = 0, .l2_sharers = 4 };
    for ([_]usize{ 0, 1, 2, 3, 4, 8 }, [_]usize{ 2 << 20, 2 << 20, 1 << 20, (2 << 20) / 3, 512 << 10, 512 << 10 }) |workers, bytes| {
        try testing.expectEqual(bytes, cluster.l2Of(workers));
    }
    const own: Caches = .{ .l1 = 32 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 0 };
    try testing.expectEqual(2 << 20, own.l2Of(64));
}

test "topology: half a processor of quota counts as one, and no quota leaves nobody to work" {
    try testing.expectEqual(2, workersFor(64, 2.0));
    try testing.expectEqual(2, workersFor(64, 1.5));
    try testing.expectEqual(1, workersFor(64, 0.5));
    try testing.expectEqual(1, workersFor(64, 0.001));
    try testing.expectEqual(3, workersFor(64, 3.0));
    try testing.expectEqual(64, workersFor(64, null));
    try testing.expectEqual(1, workersFor(0, null));
    try testing.expectEqual(2, workersFor(2, 7.0));
    try testing.expectEqual(64, workersFor(64, 1e300));
    try testing.expectEqual(1, workersFor(64, -1.0));
}

test "topology: cores within a tenth of the fastest are one class, fastest class first" {
    var cores = [_]Core{
        .{ .processor = 0, .speed = 400 }, .{ .processor = 1, .speed = 1000 }, .{ .processor = 2, .speed = 900 },
        .{ .processor = 3, .speed = 899 }, .{ .processor = 4, .speed = 1000 },
    };
    const t = assemble(&cores, 7, null, Alike{});
    try testing.expectEqual(3, t.class_count);
    try testing.expectEqual(5, t.cores);
    try testing.expectEqual(7, t.processors);
    try testing.expectEqual(3, t.classes[0].cores);
    try testing.expectEqual(1024, t.classes[0].capacity);
    try testing.expectEqual(1, t.classes[0].caches.l1);
    try testing.expectEqual(1, t.caches.l1);
    // 899 · 1024 / 1000 = 920.6, 400 · 1024 / 1000 = 409.6
    try testing.expectEqual(921, t.classes[1].capacity);
    try testing.expectEqual(410, t.classes[2].capacity);
}

test "topology: more kinds of cores than classes: the slowest share the last one" {
    var cores: [6]Core = undefined;
    for (&cores, 0..) |*core, i| core.* = .{ .processor = @intCast(i), .speed = @as(u64, 1) << @intCast(i) };
    const t = assemble(&cores, 6, 4.0, Alike{});
    try testing.expectEqual(4, t.class_count);
    try testing.expectEqual(4, t.cores);
    try testing.expectEqual(1, t.classes[2].cores);
    try testing.expectEqual(3, t.classes[3].cores);
    try testing.expectEqual(128, t.classes[3].capacity);
}

test "topology: cores of no known speed are one class" {
    var cores = [_]Core{ .{ .processor = 0, .speed = 0 }, .{ .processor = 1, .speed = 0 } };
    const t = assemble(&cores, 2, null, Alike{});
    try testing.expectEqual(1, t.class_count);
    try testing.expectEqual(1024, t.classes[0].capacity);
}

//! What the process may use: processors (affinity mask, SMT siblings once, cgroup quota) and cache sizes.
//! Parsing is pure and tested on texts; reading happens once.

const std = @import("std");
const builtin = @import("builtin");

pub const Caches = struct {
    /// Bytes of the first-level data cache of one core.
    l1: usize,
    /// Bytes of the second level.
    l2: usize,
    /// Whether one core has the second level to itself.
    l2_private: bool,
    /// Bytes of the third level, 0 where there is none.
    l3: usize,
};

pub const Topology = struct {
    /// Workers that can run at once without sharing a core: never 0.
    cores: u32,
    caches: Caches,
};

/// Where nothing can be read: what most machines of the last ten years have at least.
const caches_default: Caches = .{ .l1 = 32 << 10, .l2 = if (builtin.cpu.arch == .aarch64) 4 << 20 else 512 << 10, .l2_private = builtin.cpu.arch != .aarch64, .l3 = if (builtin.cpu.arch == .aarch64) 0 else 8 << 20 };

/// `cpu.max` of cgroup v2: "QUOTA PERIOD" or "max PERIOD". Processors granted, or null for no limit.
pub fn quotaV2(text: []const u8) ?f64 {
    var words = std.mem.tokenizeAny(u8, text, " \t\n");
    const quota = words.next() orelse return null;
    const period = words.next() orelse "100000";
    if (std.mem.eql(u8, quota, "max")) return null;
    return ratio(quota, period);
}

/// `cpu.cfs_quota_us` and `cpu.cfs_period_us` of cgroup v1; a quota of -1 is no limit.
pub fn quotaV1(quota: []const u8, period: []const u8) ?f64 {
    return ratio(std.mem.trim(u8, quota, " \t\n"), std.mem.trim(u8, period, " \t\n"));
}

fn ratio(quota: []const u8, period: []const u8) ?f64 {
    const q = std.fmt.parseInt(i64, quota, 10) catch return null;
    const p = std.fmt.parseInt(i64, period, 10) catch return null;
    if (q <= 0 or p <= 0) return null;
    return @as(f64, @floatFromInt(q)) / @as(f64, @floatFromInt(p));
}

/// Workers for a number of cores and a quota: half processors round up, because two workers on 1.5 processors still beat one.
pub fn workersFor(cores: u32, quota: ?f64) u32 {
    const limit: u32 = if (quota) |q| @max(1, @as(u32, @intFromFloat(@min(@ceil(q - 1e-9), 1e6)))) else std.math.maxInt(u32);
    return @max(1, @min(cores, limit));
}

/// The first number of a list such as "0-3,8": the name of a core for its SMT siblings.
pub fn firstOf(list: []const u8) ?u32 {
    const end = std.mem.indexOfAny(u8, list, "-, \n") orelse list.len;
    return std.fmt.parseInt(u32, list[0..end], 10) catch null;
}

/// How many processors a list such as "0-3,8" names.
pub fn lengthOf(list: []const u8) u32 {
    var n: u32 = 0;
    var ranges = std.mem.tokenizeAny(u8, list, ", \n");
    while (ranges.next()) |range| {
        var ends = std.mem.splitScalar(u8, range, '-');
        const first = std.fmt.parseInt(u32, ends.first(), 10) catch continue;
        const last = std.fmt.parseInt(u32, ends.next() orelse range, 10) catch continue;
        n += last -| first + 1;
    }
    return n;
}

/// "48K", "2048K", "32M" in bytes.
pub fn sizeOf(text: []const u8) ?usize {
    const t = std.mem.trim(u8, text, " \t\n");
    if (t.len == 0) return null;
    const unit: usize = switch (t[t.len - 1]) {
        'K' => 1 << 10,
        'M' => 1 << 20,
        'G' => 1 << 30,
        else => return std.fmt.parseInt(usize, t, 10) catch null,
    };
    return (std.fmt.parseInt(usize, t[0 .. t.len - 1], 10) catch return null) * unit;
}

/// The group's path in /proc/self/cgroup for a v1 controller ("cpu"), or for v2 ("").
pub fn groupOf(text: []const u8, controller: []const u8) ?[]const u8 {
    var lines = std.mem.tokenizeScalar(u8, text, '\n');
    while (lines.next()) |line| {
        var fields = std.mem.splitScalar(u8, line, ':');
        _ = fields.next() orelse continue;
        const controllers = fields.next() orelse continue;
        const path = fields.rest();
        if (controllers.len == 0 and controller.len == 0) return path;
        var names = std.mem.splitScalar(u8, controllers, ',');
        while (names.next()) |name| {
            if (controller.len > 0 and std.mem.eql(u8, name, controller)) return path;
        }
    }
    return null;
}

var state: std.atomic.Value(u32) = .init(0);
var known: Topology = undefined;

/// The machine as this process sees it, read at the first call.
pub fn get() Topology {
    if (state.load(.acquire) != 2) {
        const found: Topology = switch (builtin.os.tag) {
            .linux => linux.read(),
            .macos => macos.read(),
            .windows => windows.read(),
            else => .{ .cores = 1, .caches = caches_default },
        };
        // Whoever is first publishes; all would find the same.
        if (state.cmpxchgStrong(0, 1, .acquire, .acquire) == null) {
            known = found;
            state.store(2, .release);
        } else while (state.load(.acquire) != 2) std.atomic.spinLoopHint();
    }
    return known;
}

const linux = struct {
    const c = struct {
        extern "c" fn open(path: [*:0]const u8, flags: c_int, ...) c_int;
        extern "c" fn read(fd: c_int, buffer: [*]u8, count: usize) isize;
        extern "c" fn close(fd: c_int) c_int;
    };

    fn text(buffer: []u8, comptime format: []const u8, args: anytype) ?[]const u8 {
        var path_buffer: [512]u8 = undefined;
        const path = std.fmt.bufPrintSentinel(&path_buffer, format, args, 0) catch return null;
        const fd = c.open(path, 0x80000); // O_RDONLY | O_CLOEXEC
        if (fd < 0) return null;
        defer _ = c.close(fd);
        const n = c.read(fd, buffer.ptr, buffer.len);
        return if (n > 0) buffer[0..@intCast(n)] else null;
    }

    fn read() Topology {
        return .{ .cores = workersFor(cores(), quota()), .caches = caches() };
    }

    /// Cores behind the processors of the affinity mask, SMT siblings counted once.
    fn cores() u32 {
        // The kernel refuses a mask shorter than its own: grow until it fits.
        var mask: [8192]usize = @splat(0);
        var words: usize = 16;
        const got = while (words <= mask.len) : (words *= 2) {
            const bytes = std.os.linux.syscall3(.sched_getaffinity, 0, words * @sizeOf(usize), @intFromPtr(&mask));
            if (@as(isize, @bitCast(bytes)) > 0) break bytes;
        } else return 1;
        var seen: std.StaticBitSet(65536) = .empty;
        var n: u32 = 0;
        var buffer: [256]u8 = undefined;
        for (0..got * 8) |cpu| {
            if (mask[cpu / @bitSizeOf(usize)] >> @intCast(cpu % @bitSizeOf(usize)) & 1 == 0) continue;
            const siblings = text(&buffer, "/sys/devices/system/cpu/cpu{d}/topology/thread_siblings_list", .{cpu});
            const core = if (siblings) |s| firstOf(s) orelse @as(u32, @intCast(cpu)) else @as(u32, @intCast(cpu));
            if (core < seen.capacity()) {
                if (seen.isSet(core)) continue;
                seen.set(core);
            }
            n += 1;
        }
        return @max(n, 1);
    }

    /// The least quota of the process's group and its parents.
    fn quota() ?f64 {
        var buffer: [4096]u8 = undefined;
        var least: ?f64 = null;
        const groups = text(&buffer, "/proc/self/cgroup", .{}) orelse return null;
        var a: [256]u8 = undefined;
        var b: [64]u8 = undefined;
        if (groupOf(groups, "")) |path| {
            var p = path;
            while (true) {
                if (text(&a, "/sys/fs/cgroup{s}/cpu.max", .{if (p.len == 1) "" else p})) |t| least = lesser(least, quotaV2(t));
                p = parent(p) orelse break;
            }
        }
        if (groupOf(groups, "cpu")) |path| {
            var p = path;
            while (true) {
                const dir = if (p.len == 1) "" else p;
                if (text(&a, "/sys/fs/cgroup/cpu{s}/cpu.cfs_quota_us", .{dir})) |t| {
                    if (text(&b, "/sys/fs/cgroup/cpu{s}/cpu.cfs_period_us", .{dir})) |period| least = lesser(least, quotaV1(t, period));
                }
                p = parent(p) orelse break;
            }
        }
        return least;
    }

    fn caches() Caches {
        var found = caches_default;
        var buffer: [256]u8 = undefined;
        var saw = false;
        var l3: usize = 0;
        for (0..8) |index| {
            const level = text(&buffer, "/sys/devices/system/cpu/cpu0/cache/index{d}/level", .{index}) orelse break;
            const n = sizeOf(level) orelse continue;
            const kind = text(&buffer, "/sys/devices/system/cpu/cpu0/cache/index{d}/type", .{index}) orelse continue;
            if (std.mem.startsWith(u8, kind, "Instruction")) continue;
            const size = sizeOf(text(&buffer, "/sys/devices/system/cpu/cpu0/cache/index{d}/size", .{index}) orelse continue) orelse continue;
            saw = true;
            switch (n) {
                1 => found.l1 = size,
                2 => {
                    found.l2 = size;
                    const sharers = text(&buffer, "/sys/devices/system/cpu/cpu0/cache/index{d}/shared_cpu_list", .{index}) orelse "0";
                    const siblings_text = text(buffer[128..], "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", .{}) orelse "0";
                    found.l2_private = lengthOf(sharers[0..@min(sharers.len, 128)]) <= lengthOf(siblings_text);
                },
                3 => l3 = size,
                else => {},
            }
        }
        if (saw) found.l3 = l3;
        return found;
    }
};

/// The group above, or null above the root.
fn parent(path: []const u8) ?[]const u8 {
    if (path.len <= 1) return null;
    const slash = std.mem.lastIndexOfScalar(u8, path, '/') orelse return null;
    return if (slash == 0) "/" else path[0..slash];
}

fn lesser(a: ?f64, b: ?f64) ?f64 {
    return if (a) |x| if (b) |y| @min(x, y) else x else b;
}

const macos = struct {
    extern "c" fn sysctlbyname(name: [*:0]const u8, old: ?*anyopaque, old_len: ?*usize, new: ?*const anyopaque, new_len: usize) c_int;

    fn value(name: [*:0]const u8) ?usize {
        var v: u64 = 0;
        var len: usize = @sizeOf(u64);
        return if (sysctlbyname(name, &v, &len, null, 0) == 0 and v > 0) @intCast(v) else null;
    }

    fn read() Topology {
        var found = caches_default;
        if (value("hw.perflevel0.l1dcachesize") orelse value("hw.l1dcachesize")) |n| found.l1 = n;
        if (value("hw.perflevel0.l2cachesize") orelse value("hw.l2cachesize")) |n| found.l2 = n;
        found.l3 = value("hw.l3cachesize") orelse 0;
        return .{ .cores = workersFor(@intCast(value("hw.physicalcpu") orelse 1), null), .caches = found };
    }
};

const windows = struct {
    extern "kernel32" fn GetCurrentProcess() callconv(.winapi) *anyopaque;
    extern "kernel32" fn GetProcessAffinityMask(process: *anyopaque, mask: *usize, system: *usize) callconv(.winapi) i32;

    fn read() Topology {
        var mask: usize = 0;
        var system: usize = 0;
        const cores: u32 = if (GetProcessAffinityMask(GetCurrentProcess(), &mask, &system) != 0) @popCount(mask) else 1;
        return .{ .cores = workersFor(cores, null), .caches = caches_default };
    }
};

const testing = std.testing;

test "cgroup texts give processors" {
    try testing.expectEqual(2, workersFor(64, quotaV2("200000 100000\n")));
    try testing.expectEqual(2, workersFor(64, quotaV2("150000 100000")));
    try testing.expectEqual(1, workersFor(64, quotaV2("50000 100000")));
    try testing.expectEqual(64, workersFor(64, quotaV2("max 100000")));
    try testing.expectEqual(64, workersFor(64, quotaV1("-1\n", "100000\n")));
    try testing.expectEqual(3, workersFor(64, quotaV1("300000\n", "100000\n")));
    try testing.expectEqual(64, workersFor(64, quotaV2("")));
    try testing.expectEqual(1, workersFor(0, null));
    try testing.expectEqual(2, workersFor(2, 7.0));
}

test "lists, sizes and groups are parsed" {
    try testing.expectEqual(3, firstOf("3,9\n").?);
    try testing.expectEqual(0, firstOf("0-1\n").?);
    try testing.expectEqual(6, lengthOf("0-3,8,10\n"));
    try testing.expectEqual(48 << 10, sizeOf("48K\n").?);
    try testing.expectEqual(300 << 20, sizeOf("300M").?);
    try testing.expectEqualStrings("/a/b", groupOf("12:cpu,cpuacct:/x\n0::/a/b\n", "").?);
    try testing.expectEqualStrings("/x", groupOf("12:cpu,cpuacct:/x\n0::/a/b\n", "cpu").?);
    try testing.expectEqualStrings("/a", parent("/a/b").?);
    try testing.expectEqualStrings("/", parent("/a").?);
    try testing.expectEqual(null, parent("/"));
}

//! Linux: affinity mask, sysfs and control groups.
//!
//! Reading and understanding are apart. A `source` has
//!   read(path, buffer) ?[]const u8    the text of a file, cut off where the buffer ends; null where it cannot be read
//!   affinity() ?Processors            the processors that the process may run on
//!   unknownCaches(cores) Caches       what stands in for caches that sysfs does not tell
//! `System` is the machine; tests pass recorded trees of others.

const std = @import("std");
const cgroup = @import("cgroup.zig");
const model = @import("model.zig");
const processor = @import("processor.zig");
const Caches = model.Caches;
const Core = model.Core;
const Processors = model.Processors;

pub const System = struct {
    extern "c" fn open(path: [*:0]const u8, flags: c_int, ...) c_int;
    extern "c" fn close(fd: c_int) c_int;

    pub fn read(_: System, path: []const u8, buffer: []u8) ?[]const u8 {
        var terminated: [4096]u8 = undefined;
        const fd = open(std.fmt.bufPrintSentinel(&terminated, "{s}", .{path}, 0) catch return null, 0x80000); // O_RDONLY | O_CLOEXEC
        if (fd < 0) return null;
        defer _ = close(fd);
        var length: usize = 0;
        // The kernel answers a long text in pieces.
        while (length < buffer.len) {
            const n = std.c.read(fd, buffer[length..].ptr, buffer.len - length);
            if (n < 0) return null;
            if (n == 0) break;
            length += @intCast(n);
        }
        return buffer[0..length];
    }

    pub fn affinity(_: System) ?Processors {
        // The kernel refuses a mask shorter than its own, and answers how many bytes its own has.
        var mask: [model.processors_max / 64]u64 = @splat(0);
        const answer = std.os.linux.syscall3(.sched_getaffinity, 0, @sizeOf(@TypeOf(mask)), @intFromPtr(&mask));
        if (@as(isize, @bitCast(answer)) <= 0) return null;
        var set: Processors = .empty;
        for (mask, 0..) |bits, i| {
            var rest = bits;
            while (rest != 0) : (rest &= rest - 1) set.set(i * 64 + @ctz(rest));
        }
        return set;
    }

    pub fn unknownCaches(_: System, cores: u32) Caches {
        return processor.caches(cores);
    }
};

/// What the process may use, as `source` tells it.
pub fn understand(source: anytype) model.Topology {
    const sysfs: Sysfs(@TypeOf(source)) = .{ .source = source };
    // A sandbox may hide the mask. The list of online processors is not asked otherwise: containers show one that disagrees with the mask.
    var allowed = source.affinity() orelse sysfs.list("/sys/devices/system/cpu/online") orelse Processors.empty;
    if (allowed.count() == 0) allowed.set(0);

    var all: [model.processors_max]Core = undefined;
    var firsts: Processors = .empty;
    var siblings: Processors = .empty;
    var count: usize = 0;
    var processors = allowed.iterator(.{});
    while (processors.next()) |index| {
        if (siblings.isSet(index)) continue;
        siblings.setUnion(sysfs.threads(index));
        firsts.set(index);
        all[count] = .{ .processor = @intCast(index), .speed = 0 };
        count += 1;
    }
    const cores = all[0..count];
    sysfs.speeds(cores);
    const reader: CacheReader(@TypeOf(source)) = .{ .sysfs = sysfs, .firsts = &firsts };
    return model.assemble(cores, @intCast(allowed.count()), cgroup.quota(source), reader);
}

/// The files of /sys/devices that tell of processors.
fn Sysfs(Source: type) type {
    return struct {
        source: Source,

        const Self = @This();

        fn text(s: Self, buffer: []u8, comptime format: []const u8, args: anytype) ?[]const u8 {
            var path: [256]u8 = undefined;
            return s.source.read(std.fmt.bufPrint(&path, format, args) catch return null, buffer);
        }

        fn list(s: Self, path: []const u8) ?Processors {
            var buffer: [4096]u8 = undefined;
            return parseList(s.source.read(path, &buffer) orelse return null);
        }

        fn number(s: Self, index: usize, comptime file: []const u8) u32 {
            var buffer: [64]u8 = undefined;
            const found = s.text(&buffer, "/sys/devices/system/cpu/cpu{d}/" ++ file, .{index}) orelse return 0;
            return std.fmt.parseInt(u32, std.mem.trim(u8, found, " \t\n"), 10) catch 0;
        }

        /// The processors of one core.
        fn threads(s: Self, index: usize) Processors {
            var buffer: [4096]u8 = undefined;
            var alone: Processors = .empty;
            alone.set(index);
            const found = s.text(&buffer, "/sys/devices/system/cpu/cpu{d}/topology/thread_siblings_list", .{index}) orelse return alone;
            const siblings = parseList(found);
            return if (siblings.isSet(index)) siblings else alone;
        }

        /// Sets the cores' speeds: the capacity that the kernel schedules by, or the frequency where that is the same for all. It is on
        /// x86 while SMT is on, and where a device tree does not tell the kinds of cores apart.
        fn speeds(s: Self, cores: []Core) void {
            var least: u64 = std.math.maxInt(u64);
            var most: u64 = 0;
            for (cores) |*core| {
                core.speed = s.number(core.processor, "cpu_capacity");
                least = @min(least, core.speed);
                most = @max(most, core.speed);
            }
            if (least > 0 and least < most) return;

            // The kernel's own ratio of what Intel's two kinds of cores do in a cycle is 78741 : 100000.
            const atoms = s.list("/sys/devices/cpu_atom/cpus") orelse Processors.empty;
            var known = true;
            for (cores) |*core| {
                core.speed = s.number(core.processor, "cpufreq/cpuinfo_max_freq");
                known = known and core.speed > 0;
            }
            for (cores) |*core| {
                if (!known) core.speed = 1;
                core.speed *= if (atoms.isSet(core.processor)) 3 else 4;
            }
        }
    };
}

fn CacheReader(Source: type) type {
    return struct {
        sysfs: Sysfs(Source),
        /// The first processor of every core that the process may use.
        firsts: *const Processors,

        const Self = @This();

        pub fn caches(r: Self, class: []const Core) Caches {
            var found = r.sysfs.source.unknownCaches(@intCast(class.len));
            var any = false;
            var l3: usize = 0;
            for (0..8) |index| {
                var buffer: [64]u8 = undefined;
                const kind = r.text(&buffer, class[0].processor, index, "type") orelse continue;
                if (std.mem.startsWith(u8, kind, "Instruction")) continue;
                const size = parseSize(r.text(&buffer, class[0].processor, index, "size") orelse continue) orelse continue;
                const level = std.mem.trim(u8, r.text(&buffer, class[0].processor, index, "level") orelse continue, " \t\n");
                any = true;
                if (std.mem.eql(u8, level, "1")) found.l1 = size;
                if (std.mem.eql(u8, level, "2")) {
                    found.l2 = size;
                    found.l2_private = r.shared(class[0].processor, index).subsetOf(r.sysfs.threads(class[0].processor));
                    found.l2_sharers = if (found.l2_private) 1 else r.sharersMost(class, index);
                }
                if (std.mem.eql(u8, level, "3")) {
                    l3 = size;
                    found.l3_sharers = r.sharersMost(class, index);
                }
            }
            if (any) found.l3 = l3;
            if (found.l3 == 0) found.l3_sharers = 1;
            return found;
        }

        fn text(r: Self, buffer: []u8, cpu: u32, index: usize, comptime file: []const u8) ?[]const u8 {
            return r.sysfs.text(buffer, "/sys/devices/system/cpu/cpu{d}/cache/index{d}/" ++ file, .{ cpu, index });
        }

        /// The processors that share a cache, at least the one asked for.
        fn shared(r: Self, cpu: u32, index: usize) Processors {
            var buffer: [4096]u8 = undefined;
            var set = parseList(r.text(&buffer, cpu, index, "shared_cpu_list") orelse "");
            set.set(cpu);
            return set;
        }

        /// Cores of the process that share one cache of a kind, where that is most: an affinity mask may leave fewer of one cluster than
        /// of another.
        fn sharersMost(r: Self, class: []const Core, index: usize) u32 {
            var seen: Processors = .empty;
            var most: usize = 1;
            for (class) |core| {
                if (seen.isSet(core.processor)) continue;
                const set = r.shared(core.processor, index);
                seen.setUnion(set);
                most = @max(most, set.intersectWith(r.firsts.*).count());
            }
            return @intCast(most);
        }
    };
}

/// The processors of a list such as "0-3,8". What is no number is skipped, and so is what no machine has.
pub fn parseList(text: []const u8) Processors {
    var set: Processors = .empty;
    var ranges = std.mem.tokenizeAny(u8, text, ", \t\n");
    while (ranges.next()) |range| {
        var ends = std.mem.splitScalar(u8, range, '-');
        const first = std.fmt.parseInt(u32, ends.first(), 10) catch continue;
        const last = if (ends.next()) |end| std.fmt.parseInt(u32, end, 10) catch continue else first;
        if (first <= last and first < model.processors_max) {
            set.setRangeValue(.{ .start = first, .end = @min(@as(usize, last) + 1, model.processors_max) }, true);
        }
    }
    return set;
}

/// "48K", "2048K", "32M" in bytes; null for what is no size or 0.
pub fn parseSize(text: []const u8) ?usize {
    const t = std.mem.trim(u8, text, " \t\n");
    if (t.len == 0) return null;
    const shift: u6 = switch (t[t.len - 1]) {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        else => 0,
    };
    const n = std.fmt.parseInt(u32, if (shift > 0) t[0 .. t.len - 1] else t, 10) catch return null;
    return if (n == 0) null else @as(usize, n) << shift;
}

//! Windows: the records of GetLogicalProcessorInformationEx, the process's affinity, and its job object's limit.

const std = @import("std");
const model = @import("model.zig");
const processor = @import("processor.zig");
const Caches = model.Caches;
const Core = model.Core;
const Processors = model.Processors;

const group_processors = 64;
const groups_max = model.processors_max / group_processors;

/// What the process may use, read from the system.
pub fn read() model.Topology {
    var length: u32 = 0;
    _ = kernel32.GetLogicalProcessorInformationEx(kernel32.relation_all, null, &length);
    const memory: [*]u8 = @ptrCast(std.c.malloc(@max(length, 1)) orelse return understand("", .empty, null));
    defer std.c.free(memory);
    if (kernel32.GetLogicalProcessorInformationEx(kernel32.relation_all, memory, &length) == 0) length = 0;

    var limit: CpuRateControl = .{ .flags = 0, .value = 0 };
    // Without a job the call fails and the flags stay 0.
    _ = kernel32.QueryInformationJobObject(null, kernel32.job_cpu_rate_control, &limit, @sizeOf(CpuRateControl), null);
    return understand(memory[0..length], affinity(), limit);
}

/// A process that may use processors of one group has a mask. One of several groups (the default since Windows 11 where there are more than 64
/// processors) may use all of them.
fn affinity() Processors {
    const process = kernel32.GetCurrentProcess();
    var groups: [groups_max]u16 = undefined;
    var count: u16 = groups_max;
    if (kernel32.GetProcessGroupAffinity(process, &count, &groups) == 0 or count == 0) {
        groups[0] = 0;
        count = 1;
    }
    var mask: usize = 0;
    var system: usize = 0;
    if (kernel32.GetProcessAffinityMask(process, &mask, &system) == 0) mask = 0;
    var set: Processors = .empty;
    for (groups[0..count]) |group| addGroup(&set, group, if (count == 1 and mask != 0) mask else std.math.maxInt(u64));
    return set;
}

/// JOBOBJECT_CPU_RATE_CONTROL_INFORMATION; `value` is CpuRate, or MinRate below MaxRate in 16 bits each.
pub const CpuRateControl = extern struct { flags: u32, value: u32 };

const kernel32 = struct {
    const relation_all = 0xffff;
    const job_cpu_rate_control = 15;

    extern "kernel32" fn GetCurrentProcess() callconv(.winapi) *anyopaque;
    extern "kernel32" fn GetProcessAffinityMask(process: *anyopaque, mask: *usize, system: *usize) callconv(.winapi) i32;
    extern "kernel32" fn GetProcessGroupAffinity(process: *anyopaque, count: *u16, groups: [*]u16) callconv(.winapi) i32;
    extern "kernel32" fn GetLogicalProcessorInformationEx(relation: u32, buffer: ?[*]u8, length: *u32) callconv(.winapi) i32;
    extern "kernel32" fn QueryInformationJobObject(
        job: ?*anyopaque,
        class: u32,
        information: *anyopaque,
        length: u32,
        returned: ?*u32,
    ) callconv(.winapi) i32;
};

/// What a process may use on a machine with these records (SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX); processor p is bit p % 64 of group p / 64.
pub fn understand(buffer: []const u8, allowed: Processors, limit: ?CpuRateControl) model.Topology {
    var cores: [model.processors_max]Core = undefined;
    var count: usize = 0;
    var machine: Processors = .empty;
    var reader: CacheReader = .{ .buffer = buffer, .firsts = .empty, .machine_firsts = .empty };
    var records: Records = .{ .rest = buffer };
    while (records.next()) |record| {
        if (record.relation != .core) continue;
        const threads = record.processors();
        const first = threads.findFirstSet() orelse continue;
        machine.setUnion(threads);
        reader.machine_firsts.set(first);
        const mine = threads.intersectWith(allowed).findFirstSet() orelse continue;
        if (reader.firsts.isSet(mine)) continue;
        reader.firsts.set(mine);
        // The efficiency class tells an order, higher is faster: each step is taken for half the speed.
        cores[count] = .{ .processor = @intCast(mine), .speed = @as(u64, 1) << @min(record.bytes[1], 40) };
        count += 1;
    }
    if (count == 0) {
        cores[0] = .{ .processor = 0, .speed = 1 };
        count = 1;
    }
    const processors: u32 = @intCast(@max(1, machine.intersectWith(allowed).count()));
    const quota = if (limit) |l| granted(l, @intCast(machine.count())) else null;
    return model.assemble(cores[0..count], processors, quota, &reader);
}

/// Rates are ten-thousandths of the time of all processors of the machine. A weight is no limit, nor is a rate that is not enforced.
pub fn granted(limit: CpuRateControl, processors: u32) ?f64 {
    const enabled = 1;
    const weight_based = 2;
    const hard_cap = 4;
    const min_max = 16;
    if (limit.flags & enabled == 0 or limit.flags & weight_based != 0 or processors == 0) return null;
    const rate: u32 = if (limit.flags & min_max != 0) limit.value >> 16 else if (limit.flags & hard_cap != 0) limit.value else 0;
    if (rate == 0 or rate >= 10_000) return null;
    return @as(f64, @floatFromInt(rate)) / 10_000 * @as(f64, @floatFromInt(processors));
}

const CacheReader = struct {
    buffer: []const u8,
    /// The first processor of every core that the process may use, and of every core of the machine.
    firsts: Processors,
    machine_firsts: Processors,

    pub fn caches(r: *const CacheReader, class: []const Core) Caches {
        var found = processor.caches(@intCast(class.len));
        var members: Processors = .empty;
        for (class) |core| members.set(core.processor);
        var any = false;
        var l3: usize = 0;
        var l2_sharers: usize = 1;
        var l3_sharers: usize = 1;
        var records: Records = .{ .rest = r.buffer };
        while (records.next()) |record| {
            const instructions = 1;
            if (record.relation != .cache or record.word(8) == instructions) continue;
            const shared = record.processors();
            if (shared.intersectWith(members).count() == 0) continue;
            const sharers = shared.intersectWith(r.firsts).count();
            const representative = shared.isSet(class[0].processor);
            const size = record.word(4);
            if (size == 0) continue;
            any = true;
            switch (record.bytes[0]) {
                1 => if (representative) {
                    found.l1 = size;
                },
                2 => {
                    l2_sharers = @max(l2_sharers, sharers);
                    if (representative) {
                        found.l2 = size;
                        found.l2_private = shared.intersectWith(r.machine_firsts).count() <= 1;
                    }
                },
                3 => {
                    l3_sharers = @max(l3_sharers, sharers);
                    if (representative) l3 = size;
                },
                else => {},
            }
        }
        if (!any) return found;
        found.l2_sharers = @intCast(l2_sharers);
        found.l3 = l3;
        found.l3_sharers = @intCast(l3_sharers);
        return found;
    }
};

const Record = struct {
    relation: enum { core, cache },
    /// Behind Relationship and Size.
    bytes: []const u8,

    fn word(r: Record, at: usize) u32 {
        return std.mem.readInt(u32, r.bytes[at..][0..4], .little);
    }

    /// The group masks: GroupCount, then GROUP_AFFINITY of 16 bytes each (mask, group, 3 words reserved). Older systems leave 0 in the count
    /// of a cache, which has one group there.
    fn processors(r: Record) Processors {
        const at: usize = if (r.relation == .core) 24 else 32;
        const count = @max(1, std.mem.readInt(u16, r.bytes[at - 2 ..][0..2], .little));
        var set: Processors = .empty;
        var rest = r.bytes[at..];
        for (0..count) |_| {
            if (rest.len < 16) break;
            addGroup(&set, std.mem.readInt(u16, rest[8..10], .little), std.mem.readInt(u64, rest[0..8], .little));
            rest = rest[16..];
        }
        return set;
    }
};

/// Adds the processors of one group's mask.
pub fn addGroup(set: *Processors, group: u16, mask: u64) void {
    if (group >= groups_max) return;
    var rest = mask;
    while (rest != 0) : (rest &= rest - 1) set.set(@as(usize, group) * group_processors + @ctz(rest));
}

/// The records of cores (RelationProcessorCore, 0) and caches (RelationCache, 2), as far as they are whole.
const Records = struct {
    rest: []const u8,

    fn next(r: *Records) ?Record {
        while (r.rest.len >= 8) {
            const relation = std.mem.readInt(u32, r.rest[0..4], .little);
            const size = std.mem.readInt(u32, r.rest[4..8], .little);
            if (size < 8 or size > r.rest.len) return null;
            const bytes = r.rest[8..size];
            r.rest = r.rest[size..];
            if (relation == 0 and bytes.len >= 24 + 16) return .{ .relation = .core, .bytes = bytes };
            if (relation == 2 and bytes.len >= 32 + 16) return .{ .relation = .cache, .bytes = bytes };
        }
        return null;
    }
};

//! What the processor itself tells of its caches, and what is assumed where nobody tells anything.

const std = @import("std");
const builtin = @import("builtin");
const detect = @import("../../isa/detect.zig");
const Caches = @import("model.zig").Caches;

/// The caches of the running core, where the system tells nothing of them and `cores` of its kind may be used.
pub fn caches(cores: u32) Caches {
    if (builtin.cpu.arch == .x86_64) if (fromCpuid(detect.cpuid, cores)) |found| return found;
    return assumed(builtin.cpu.arch, cores);
}

/// What most machines of the last ten years have at least: a private second level below a shared third on x86, one second level for four cores on
/// arm64, as Cortex-A72 clusters have it.
pub fn assumed(arch: std.Target.Cpu.Arch, cores: u32) Caches {
    return if (arch == .aarch64)
        .{ .l1 = 32 << 10, .l2 = 1 << 20, .l2_private = false, .l3 = 0, .l2_sharers = @min(cores, 4) }
    else
        .{ .l1 = 32 << 10, .l2 = 512 << 10, .l2_private = true, .l3 = 8 << 20, .l3_sharers = cores };
}

/// The cache leaf of CPUID: 4 at Intel, 0x8000001D in the same format at AMD. Null where the processor has neither.
fn fromCpuid(cpuid: *const fn (u32, u32) detect.Cpuid, cores: u32) ?Caches {
    const basic = cpuid(0, 0);
    const amd = basic.ebx == word("Auth") or basic.ebx == word("Hygo");
    const leaf: u32 = if (amd) 0x8000_001d else 4;
    const most = if (amd) cpuid(0x8000_0000, 0).eax else basic.eax;
    // AMD's leaf counts only with the topology extensions, bit 22.
    if (most < leaf or (amd and cpuid(0x8000_0001, 0).ecx & 1 << 22 == 0)) return null;

    var found: Caches = .{ .l1 = 0, .l2 = 0, .l2_private = true, .l3 = 0 };
    var threads: u32 = 1;
    for (0..16) |sub| {
        const r = cpuid(leaf, @intCast(sub));
        const instructions = 2;
        switch (r.eax & 31) {
            0 => break,
            instructions => continue,
            else => {},
        }
        const size = @as(u64, (r.ebx >> 22) + 1) * ((r.ebx >> 12 & 0x3ff) + 1) * ((r.ebx & 0xfff) + 1) *| (@as(u64, r.ecx) + 1);
        // Thread numbers set aside for the sharers: the first level tells how many threads a core has. Numbers may be unused, so that
        // no more sharers are believed than there are cores.
        const numbers = (r.eax >> 14 & 0xfff) + 1;
        const sharers = @max(1, @min(numbers / threads, cores));
        switch (r.eax >> 5 & 7) {
            1 => {
                found.l1 = @intCast(size);
                threads = numbers;
            },
            2 => {
                found.l2 = @intCast(size);
                found.l2_private = numbers <= threads;
                found.l2_sharers = sharers;
            },
            3 => {
                found.l3 = @intCast(size);
                found.l3_sharers = sharers;
            },
            else => {},
        }
    }
    return if (found.l1 > 0 and found.l2 > 0) found else null;
}

fn word(name: *const [4]u8) u32 {
    return std.mem.readInt(u32, name, .little);
}

const testing = std.testing;

/// An Intel Core i7-8650U: 4 cores of 2 threads, 32 KiB, 256 KiB, 8 MiB.
fn i7_8650u(leaf: u32, sub: u32) detect.Cpuid {
    return switch (leaf) {
        0 => .{ .eax = 0x16, .ebx = 0x756e6547, .ecx = 0x6c65746e, .edx = 0x49656e69 },
        4 => switch (sub) {
            0 => .{ .eax = 0x1c004121, .ebx = 0x01c0003f, .ecx = 0x3f, .edx = 0 },
            1 => .{ .eax = 0x1c004122, .ebx = 0x01c0003f, .ecx = 0x3f, .edx = 0 },
            2 => .{ .eax = 0x1c004143, .ebx = 0x00c0003f, .ecx = 0x3ff, .edx = 0 },
            3 => .{ .eax = 0x1c03c163, .ebx = 0x03c0003f, .ecx = 0x1fff, .edx = 6 },
            else => nothing(leaf, sub),
        },
        else => nothing(leaf, sub),
    };
}

/// A guest of two processors on a Xeon of the fifth generation: 48 KiB of data and 32 KiB of instructions, 2 MiB, 300 MiB.
fn guest(leaf: u32, sub: u32) detect.Cpuid {
    return switch (leaf) {
        0 => .{ .eax = 0x20, .ebx = 0x756e6547, .ecx = 0x6c65746e, .edx = 0x49656e69 },
        4 => switch (sub) {
            0 => .{ .eax = 0x04000121, .ebx = 0x02c0003f, .ecx = 0x3f, .edx = 0 },
            1 => .{ .eax = 0x04000122, .ebx = 0x01c0003f, .ecx = 0x3f, .edx = 0 },
            2 => .{ .eax = 0x04000143, .ebx = 0x03c0003f, .ecx = 0x7ff, .edx = 0 },
            3 => .{ .eax = 0x04004163, .ebx = 0x04c0003f, .ecx = 0x3bfff, .edx = 4 },
            else => nothing(leaf, sub),
        },
        else => nothing(leaf, sub),
    };
}

/// An AMD EPYC of the third generation: 8 cores of 2 threads on one 32 MiB third level, 32 KiB and 512 KiB a core.
fn epyc(leaf: u32, sub: u32) detect.Cpuid {
    return switch (leaf) {
        0 => .{ .eax = 0x10, .ebx = 0x68747541, .ecx = 0x444d4163, .edx = 0x69746e65 },
        0x8000_0000 => .{ .eax = 0x8000_0023, .ebx = 0x68747541, .ecx = 0x444d4163, .edx = 0x69746e65 },
        0x8000_0001 => .{ .eax = 0x00a00f11, .ebx = 0x40000000, .ecx = 0x75c237ff, .edx = 0x2fd3fbff },
        0x8000_001d => switch (sub) {
            0 => .{ .eax = 0x00004121, .ebx = 0x01c0003f, .ecx = 0x3f, .edx = 0 },
            1 => .{ .eax = 0x00004122, .ebx = 0x01c0003f, .ecx = 0x3f, .edx = 0 },
            2 => .{ .eax = 0x00004143, .ebx = 0x01c0003f, .ecx = 0x3ff, .edx = 2 },
            3 => .{ .eax = 0x0003c163, .ebx = 0x03c0003f, .ecx = 0x7fff, .edx = 1 },
            else => nothing(leaf, sub),
        },
        else => nothing(leaf, sub),
    };
}

fn nothing(_: u32, _: u32) detect.Cpuid {
    return .{ .eax = 0, .ebx = 0, .ecx = 0, .edx = 0 };
}

test "topology: the cache leaf of CPUID tells sizes and sharers" {
    try testing.expectEqual(
        Caches{ .l1 = 32 << 10, .l2 = 256 << 10, .l2_private = true, .l3 = 8 << 20, .l2_sharers = 1, .l3_sharers = 4 },
        fromCpuid(i7_8650u, 4).?,
    );
    try testing.expectEqual(
        Caches{ .l1 = 48 << 10, .l2 = 2 << 20, .l2_private = true, .l3 = 300 << 20, .l2_sharers = 1, .l3_sharers = 2 },
        fromCpuid(guest, 2).?,
    );
    try testing.expectEqual(
        Caches{ .l1 = 32 << 10, .l2 = 512 << 10, .l2_private = true, .l3 = 32 << 20, .l2_sharers = 1, .l3_sharers = 8 },
        fromCpuid(epyc, 64).?,
    );
    try testing.expectEqual(2, fromCpuid(epyc, 2).?.l3_sharers);
}

test "topology: a processor without a cache leaf leaves the assumptions" {
    try testing.expectEqual(null, fromCpuid(nothing, 4));
    const x = caches(3);
    try testing.expect(x.l1 > 0 and x.l2 >= x.l1);
    try testing.expectEqual(4, assumed(.aarch64, 8).l2_sharers);
    try testing.expectEqual(1, assumed(.aarch64, 1).l2_sharers);
}

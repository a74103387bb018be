//! Linux's reader on the trees of other machines. Expected values are worked out from what the machines are.

const std = @import("std");
const linux = @import("linux.zig");
const model = @import("model.zig");
const Tree = @import("tree.zig").Tree;
const Caches = model.Caches;
const Class = model.Class;
const slow = @import("../../testing/slow.zig");
const testing = std.testing;

const KiB = 1 << 10;
const MiB = 1 << 20;

const kvm_guest = @embedFile("trees/kvm_guest.txt");
const i9_13900k = @embedFile("trees/core_i9_13900k.txt");
const epyc = @embedFile("trees/epyc_7513_two_sockets.txt");
const rk3588 = @embedFile("trees/rk3588.txt");
const graviton2 = @embedFile("trees/graviton2.txt");
const pi_4 = @embedFile("trees/raspberry_pi_4.txt");
const pi_5 = @embedFile("trees/raspberry_pi_5.txt");
const gvisor = @embedFile("trees/gvisor.txt");
const machines = [_][]const u8{ kvm_guest, i9_13900k, epyc, rk3588, graviton2, pi_4, pi_5, gvisor };

const performance: Caches = .{ .l1 = 48 * KiB, .l2 = 2 * MiB, .l2_private = true, .l3 = 36 * MiB, .l2_sharers = 1, .l3_sharers = 24 };
const efficiency: Caches = .{ .l1 = 32 * KiB, .l2 = 4 * MiB, .l2_private = false, .l3 = 36 * MiB, .l2_sharers = 4, .l3_sharers = 24 };
const ccx: Caches = .{ .l1 = 32 * KiB, .l2 = 512 * KiB, .l2_private = true, .l3 = 32 * MiB, .l2_sharers = 1, .l3_sharers = 8 };

fn on(machine: []const u8) model.Topology {
    return linux.understand(Tree{ .texts = &.{machine} });
}

fn masked(machine: []const u8, mask: []const u8) model.Topology {
    return linux.understand(Tree{ .texts = &.{machine}, .mask = mask });
}

/// `container` tells over the machine what it shows otherwise.
fn inside(container: []const u8, machine: []const u8) model.Topology {
    return linux.understand(Tree{ .texts = &.{ container, machine } });
}

fn expect(t: model.Topology, cores: u32, processors: u32, classes: []const Class) !void {
    try testing.expectEqual(cores, t.cores);
    try testing.expectEqual(processors, t.processors);
    try testing.expectEqualSlices(Class, classes, t.all());
    try testing.expectEqual(classes[0].caches, t.caches);
}

test "topology: a guest of two processors without SMT" {
    const t = on(kvm_guest);
    try expect(t, 2, 2, &.{.{
        .cores = 2,
        .capacity = 1024,
        .caches = .{ .l1 = 48 * KiB, .l2 = 2 * MiB, .l2_private = true, .l3 = 300 * MiB, .l2_sharers = 1, .l3_sharers = 2 },
    }});
    try testing.expectEqual(null, t.quota);
}

test "topology: performance and efficiency cores, SMT siblings once, by frequency and kind" {
    // 4.3 GHz · 3/4 of 5.8 GHz is 0.556, and 1024 times that 569.4.
    try expect(on(i9_13900k), 24, 32, &.{
        .{ .cores = 8, .capacity = 1024, .caches = performance },
        .{ .cores = 16, .capacity = 569, .caches = efficiency },
    });
}

test "topology: capacities decide where they differ, and the kinds of cores where they do not" {
    const cpu = "/sys/devices/system/cpu/";
    const all_alike = cpu ++ "cpu[0-31]/cpu_capacity\t1024\n";
    try testing.expectEqual(on(i9_13900k), inside(all_alike, i9_13900k));
    const scaled = cpu ++ "cpu[0-7,12-15]/cpu_capacity\t1009\n" ++ cpu ++ "cpu[8-11]/cpu_capacity\t1024\n" ++ cpu ++ "cpu[16-31]/cpu_capacity\t623\n";
    try expect(inside(scaled, i9_13900k), 24, 32, &.{
        .{ .cores = 8, .capacity = 1024, .caches = performance },
        .{ .cores = 16, .capacity = 623, .caches = efficiency },
    });
    // Neither capacities nor frequencies: what is left are the lists of kinds, 3 against 4.
    const t = linux.understand(Tree{ .texts = &.{i9_13900k}, .unreadable = "cpufreq" });
    try expect(t, 24, 32, &.{
        .{ .cores = 8, .capacity = 1024, .caches = performance },
        .{ .cores = 16, .capacity = 768, .caches = efficiency },
    });
}

test "topology: a process on efficiency cores alone is cut for them" {
    var caches = efficiency;
    caches.l3_sharers = 16;
    try expect(masked(i9_13900k, "16-31"), 16, 16, &.{.{ .cores = 16, .capacity = 1024, .caches = caches }});
    // Two of one cluster and one of the next.
    caches.l2_sharers = 2;
    caches.l3_sharers = 3;
    try expect(masked(i9_13900k, "20,16,21"), 3, 3, &.{.{ .cores = 3, .capacity = 1024, .caches = caches }});
    // One alone shares its second level with processes elsewhere.
    caches.l2_sharers = 1;
    caches.l3_sharers = 1;
    try expect(masked(i9_13900k, "31"), 1, 1, &.{.{ .cores = 1, .capacity = 1024, .caches = caches }});
}

test "topology: two sockets, 8 cores to a third level" {
    try expect(on(epyc), 64, 128, &.{.{ .cores = 64, .capacity = 1024, .caches = ccx }});
}

test "topology: an affinity mask leaves SMT siblings one core, whichever of them is left" {
    var caches = ccx;
    caches.l3_sharers = 2;
    try expect(masked(epyc, "0,64,1"), 2, 3, &.{.{ .cores = 2, .capacity = 1024, .caches = caches }});
    // Second threads only: the first ones are not allowed.
    caches.l3_sharers = 8;
    try expect(masked(epyc, "64-71"), 8, 8, &.{.{ .cores = 8, .capacity = 1024, .caches = caches }});
    // Three processors, two cores, on two third levels.
    caches.l3_sharers = 1;
    try expect(masked(epyc, "7,8,71"), 2, 3, &.{.{ .cores = 2, .capacity = 1024, .caches = caches }});
    try testing.expectEqual(2, masked(epyc, "3,9").cores);
}

test "topology: offline processors are in no list" {
    // Core 5 is off, and the second threads of cores 0 to 3.
    const cpu = "/sys/devices/system/cpu/cpu";
    comptime var off: []const u8 = "affinity\t0-4,6-63,68,70-127\n" ++
        cpu ++ "[0-4,6-7,68,70-71]/cache/index3/shared_cpu_list\t0-4,6-7,68,70-71\n";
    inline for (.{ "0", "1", "2", "3" }) |i| {
        off = off ++ cpu ++ i ++ "/topology/thread_siblings_list\t" ++ i ++ "\n" ++ cpu ++ i ++ "/cache/index[0-2]/shared_cpu_list\t" ++ i ++ "\n";
    }
    const t = inside(off, epyc);
    try expect(t, 63, 63 + 59, &.{.{ .cores = 63, .capacity = 1024, .caches = ccx }});
}

test "topology: a list of siblings that leaves out its own processor is not believed" {
    const wrong = "/sys/devices/system/cpu/cpu[1]/topology/thread_siblings_list\t0,2\n";
    try testing.expectEqual(4, inside(wrong, gvisor).cores);
    const right = "/sys/devices/system/cpu/cpu[1]/topology/thread_siblings_list\t1-2\n";
    try testing.expectEqual(3, inside(right, gvisor).cores);
}

test "topology: big and little cores of arm64, the little ones numbered first" {
    const big: Caches = .{ .l1 = 64 * KiB, .l2 = 512 * KiB, .l2_private = true, .l3 = 3 * MiB, .l2_sharers = 1, .l3_sharers = 8 };
    const little: Caches = .{ .l1 = 32 * KiB, .l2 = 128 * KiB, .l2_private = true, .l3 = 3 * MiB, .l2_sharers = 1, .l3_sharers = 8 };
    try expect(on(rk3588), 8, 8, &.{
        .{ .cores = 4, .capacity = 1024, .caches = big },
        .{ .cores = 4, .capacity = 414, .caches = little },
    });
}

test "topology: arm64 servers and boards" {
    try expect(on(graviton2), 64, 64, &.{.{
        .cores = 64,
        .capacity = 1024,
        .caches = .{ .l1 = 64 * KiB, .l2 = 1 * MiB, .l2_private = true, .l3 = 32 * MiB, .l2_sharers = 1, .l3_sharers = 64 },
    }});
    try expect(on(pi_4), 4, 4, &.{.{
        .cores = 4,
        .capacity = 1024,
        .caches = .{ .l1 = 32 * KiB, .l2 = 1 * MiB, .l2_private = false, .l3 = 0, .l2_sharers = 4 },
    }});
    try expect(on(pi_5), 4, 4, &.{.{
        .cores = 4,
        .capacity = 1024,
        .caches = .{ .l1 = 64 * KiB, .l2 = 512 * KiB, .l2_private = true, .l3 = 2 * MiB, .l2_sharers = 1, .l3_sharers = 4 },
    }});
}

test "topology: caches that sysfs does not tell are assumed, and no more than those" {
    // The device trees of older kernels have no sizes for a Raspberry Pi.
    const without_sizes = linux.understand(Tree{ .texts = &.{pi_5}, .unreadable = "/size", .arch = .aarch64 });
    try testing.expectEqual(Caches{ .l1 = 32 * KiB, .l2 = 1 * MiB, .l2_private = false, .l3 = 0, .l2_sharers = 4 }, without_sizes.caches);
    try testing.expectEqual(4, without_sizes.cores);
    // A virtual machine may hide its third level: then there is none to count on.
    const without_l3 = linux.understand(Tree{ .texts = &.{epyc}, .unreadable = "/index3/" });
    var caches = ccx;
    caches.l3 = 0;
    caches.l3_sharers = 1;
    try testing.expectEqual(caches, without_l3.caches);
}

test "topology: a sandbox that hides sysfs, or all of it, still gives its processors" {
    const assumed: Caches = .{ .l1 = 32 * KiB, .l2 = 512 * KiB, .l2_private = true, .l3 = 8 * MiB, .l2_sharers = 1, .l3_sharers = 4 };
    try expect(on(gvisor), 4, 4, &.{.{ .cores = 4, .capacity = 1024, .caches = assumed }});
    const hidden = linux.understand(Tree{ .texts = &.{i9_13900k}, .unreadable = "/" });
    try testing.expectEqual(32, hidden.cores);
    try testing.expectEqual(1, hidden.class_count);
    // No mask either: the online processors count; without them there is one.
    try testing.expectEqual(4, linux.understand(Tree{ .texts = &.{gvisor}, .unreadable = "affinity" }).processors);
    try testing.expectEqual(1, linux.understand(Tree{ .texts = &.{} }).cores);
    try testing.expectEqual(1, masked(epyc, "").cores);
}

test "topology: a container that numbers its processors anew does not hide those of the mask" {
    const lxcfs = "affinity\t24\n/sys/devices/system/cpu/online\t0\n";
    try testing.expectEqual(1, inside(lxcfs, epyc).processors);
    const two = "affinity\t24,88,25\n/sys/devices/system/cpu/online\t0-2\n";
    try testing.expectEqual(2, inside(two, epyc).cores);
}

test "topology: cgroup 2 grants the least of the group and those above it" {
    const mounts = "/proc/self/mountinfo\t33 24 0:28 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw,nsdelegate\n";
    // Docker: a namespace shows the container's own group as the root.
    const docker = mounts ++ "/proc/self/cgroup\t0::/\n/sys/fs/cgroup/cpu.max\t250000 100000\n";
    try testing.expectEqual(2.5, inside(docker, i9_13900k).quota.?);
    try testing.expectEqual(3, inside(docker, i9_13900k).cores);
    // The quota takes cores away, not kinds of cores.
    try expect(inside(docker, i9_13900k), 3, 32, &.{
        .{ .cores = 8, .capacity = 1024, .caches = performance },
        .{ .cores = 16, .capacity = 569, .caches = efficiency },
    });
    // Nested groups: the middle one is the tightest.
    const nested = mounts ++ "/proc/self/cgroup\t0::/app.slice/job/worker\n/sys/fs/cgroup/app.slice/cpu.max\t800000 100000\n" ++
        "/sys/fs/cgroup/app.slice/job/cpu.max\t200000 100000\n/sys/fs/cgroup/app.slice/job/worker/cpu.max\tmax 100000\n";
    try testing.expectEqual(2, inside(nested, i9_13900k).quota.?);
    // A mount that shows only the container's group, under a name that the process has outside.
    const outside = mounts ++ "/proc/self/cgroup\t0::/kubepods.slice/pod1/cri-2.scope\n/sys/fs/cgroup/cpu.max\t400000 100000\n";
    try testing.expectEqual(4, inside(outside, i9_13900k).quota.?);
    const unlimited = mounts ++ "/proc/self/cgroup\t0::/\n/sys/fs/cgroup/cpu.max\tmax 100000\n";
    try testing.expectEqual(null, inside(unlimited, i9_13900k).quota);
    try testing.expectEqual(24, inside(unlimited, i9_13900k).cores);
    // A quota of more than the mask has grants no more cores.
    const wide = mounts ++ "/proc/self/cgroup\t0::/\n/sys/fs/cgroup/cpu.max\t9000000 100000\n";
    try testing.expectEqual(24, inside(wide, i9_13900k).cores);
    // The top of the whole hierarchy has no cpu.max, and a group beyond the namespace is not shown.
    try testing.expectEqual(null, inside(mounts ++ "/proc/self/cgroup\t0::/../other\n", i9_13900k).quota);
}

test "topology: cgroup 1 grants by the cpu controller, alone or with cpuacct, wherever it is mounted" {
    // Docker without a namespace: the group has its name outside, and the mount shows it as the top.
    const docker = "/proc/self/cgroup\t11:cpuset:/docker/1e\n/proc/self/cgroup\t4:cpu,cpuacct:/docker/1e\n" ++
        "/proc/self/mountinfo\t741 740 0:29 /docker/1e /sys/fs/cgroup/cpuset ro master:9 - cgroup cgroup rw,cpuset\n" ++
        "/proc/self/mountinfo\t742 740 0:32 /docker/1e /sys/fs/cgroup/cpu,cpuacct ro master:11 - cgroup cgroup rw,cpu,cpuacct\n" ++
        "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us\t150000\n/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us\t100000\n";
    try testing.expectEqual(1.5, inside(docker, i9_13900k).quota.?);
    try testing.expectEqual(2, inside(docker, i9_13900k).cores);
    // A group above it has less; its own period differs.
    const nested = "/proc/self/cgroup\t1:cpu:/a/b\n/proc/self/mountinfo\t32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n" ++
        "/cg/cpu/cpu.cfs_quota_us\t-1\n/cg/cpu/cpu.cfs_period_us\t100000\n" ++
        "/cg/cpu/a/cpu.cfs_quota_us\t30000\n/cg/cpu/a/cpu.cfs_period_us\t10000\n" ++
        "/cg/cpu/a/b/cpu.cfs_quota_us\t500000\n/cg/cpu/a/b/cpu.cfs_period_us\t100000\n";
    try testing.expectEqual(3, inside(nested, i9_13900k).quota.?);
    // Mounts that cannot be read: the usual place.
    const usual = "/proc/self/cgroup\t1:cpu:/a\n/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us\t200000\n/sys/fs/cgroup/cpu/a/cpu.cfs_period_us\t100000\n";
    try testing.expectEqual(2, inside(usual, i9_13900k).quota.?);
    // Both versions: the lesser.
    const both = usual ++ "/proc/self/cgroup\t0::/b\n/sys/fs/cgroup/b/cpu.max\t100000 100000\n";
    try testing.expectEqual(1, inside(both, i9_13900k).quota.?);
}

test "topology: lists and sizes are read as far as they make sense" {
    try testing.expectEqual(6, linux.parseList("0-3,8,10\n").count());
    try testing.expect(linux.parseList("3,9\n").isSet(9));
    try testing.expectEqual(model.processors_max, linux.parseList("0-4294967295").count());
    for ([_][]const u8{ "", "\n", "-", "3-1", "x", "8192", "99999999999", "1-2-", "-1", "," }) |text| {
        try testing.expect(linux.parseList(text).count() <= 2);
    }
    try testing.expectEqual(0, linux.parseList("5-").count());
    try testing.expectEqual(48 * KiB, linux.parseSize("48K\n").?);
    try testing.expectEqual(300 * MiB, linux.parseSize("300M").?);
    try testing.expectEqual(512, linux.parseSize("512").?);
    for ([_][]const u8{ "", "K", "0K", "-1K", "12T", "99999999999K", "\x00" }) |text| try testing.expectEqual(null, linux.parseSize(text));
}

test "topology: trees that are damaged anywhere never stop a process" {
    try slow.skip();
    var random = std.Random.DefaultPrng.init(testing.random_seed);
    const r = random.random();
    const damage = "0123456789-,\t\n KMG\x00\xff/:";
    var buffer: [32 << 10]u8 = undefined;
    for (machines) |machine| for (0..8) |_| {
        const text = buffer[0..machine.len];
        @memcpy(text, machine);
        for (0..1 + r.uintLessThan(usize, 200)) |_| text[r.uintLessThan(usize, text.len)] = damage[r.uintLessThan(usize, damage.len)];
        const t = linux.understand(Tree{ .texts = &.{text[0 .. text.len - r.uintLessThan(usize, text.len)]} });
        try testing.expect(t.cores >= 1 and t.cores <= t.processors);
        try testing.expect(t.class_count >= 1 and t.class_count <= model.classes_max);
        for (t.all()) |class| {
            try testing.expect(class.cores >= 1 and class.cores <= t.processors);
            try testing.expect(class.capacity <= 1024);
            try testing.expect(class.caches.l1 > 0 and class.caches.l2 > 0);
            try testing.expect(class.caches.l2_sharers >= 1 and class.caches.l2_sharers <= t.processors);
        }
        if (t.quota) |q| try testing.expect(q > 0);
    };
}

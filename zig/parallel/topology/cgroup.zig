//! The processor time that Linux control groups grant a process, version 1 and 2. Texts come from a `source` (linux.zig tells what it is).

const std = @import("std");

const Version = enum { v1, v2 };

/// The least quota of the process's group and the groups above it, in processors; null for no limit.
pub fn quota(source: anytype) ?f64 {
    var groups_buffer: [8 << 10]u8 = undefined;
    const groups = source.read("/proc/self/cgroup", &groups_buffer) orelse return null;
    // A list of mounts may be long, but those of control groups are made at boot, before others.
    var mounts_buffer: [64 << 10]u8 = undefined;
    const mounts = source.read("/proc/self/mountinfo", &mounts_buffer) orelse "";
    var least: ?f64 = null;
    for ([_]Version{ .v2, .v1 }) |version| {
        const group = groupOf(groups, version) orelse continue;
        const mount = mountOf(mounts, version, group) orelse usual(version);
        // Every group up to the top of what is mounted may be the tightest. A group that the mount does not show has no files here, but what
        // the mount shows as its top is then the process's own group or one above it.
        var inside = mount.inside(group) orelse "";
        while (true) : (inside = inside[0 .. std.mem.lastIndexOfScalar(u8, inside, '/') orelse 0]) {
            if (grant(source, version, mount.point, inside)) |q| least = @min(q, least orelse q);
            if (inside.len == 0) break;
        }
    }
    return least;
}

fn grant(source: anytype, version: Version, point: []const u8, group: []const u8) ?f64 {
    var a: [128]u8 = undefined;
    var b: [128]u8 = undefined;
    return switch (version) {
        .v2 => quotaV2(file(source, &a, point, group, "cpu.max") orelse return null),
        .v1 => quotaV1(
            file(source, &a, point, group, "cpu.cfs_quota_us") orelse return null,
            file(source, &b, point, group, "cpu.cfs_period_us") orelse return null,
        ),
    };
}

fn file(source: anytype, buffer: []u8, point: []const u8, group: []const u8, name: []const u8) ?[]const u8 {
    var path: [4096]u8 = undefined;
    return source.read(std.fmt.bufPrint(&path, "{s}{s}/{s}", .{ point, group, name }) catch return null, buffer);
}

/// `cpu.max` of version 2: "QUOTA PERIOD" or "max PERIOD".
pub fn quotaV2(text: []const u8) ?f64 {
    var words = std.mem.tokenizeAny(u8, text, " \t\n");
    return ratio(words.next() orelse return null, words.next() orelse "100000");
}

/// `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1; a quota of -1 is no limit.
pub fn quotaV1(granted: []const u8, period: []const u8) ?f64 {
    return ratio(std.mem.trim(u8, granted, " \t\n"), std.mem.trim(u8, period, " \t\n"));
}

/// Words that are no positive numbers, as "max" and "-1", are no limit.
fn ratio(granted: []const u8, period: []const u8) ?f64 {
    const q = std.fmt.parseInt(u63, granted, 10) catch return null;
    const p = std.fmt.parseInt(u63, period, 10) catch return null;
    if (q == 0 or p == 0) return null;
    return @as(f64, @floatFromInt(q)) / @as(f64, @floatFromInt(p));
}

/// The group's path in /proc/self/cgroup: "ID:CONTROLLERS:PATH", where version 2 has no controllers and the quota of version 1 is with "cpu".
fn groupOf(text: []const u8, version: Version) ?[]const u8 {
    var lines = std.mem.tokenizeScalar(u8, text, '\n');
    while (lines.next()) |line| {
        var fields = std.mem.splitScalar(u8, line, ':');
        _ = fields.first();
        const controllers = fields.next() orelse continue;
        const path = fields.rest();
        if (!std.mem.startsWith(u8, path, "/")) continue;
        if (if (version == .v2) controllers.len == 0 else has(controllers, "cpu")) return path;
    }
    return null;
}

/// Where a hierarchy is mounted, and which of its groups is seen there as the top.
const Mount = struct {
    root: []const u8,
    point: []const u8,

    /// A group's path below the mount's top: "" is the top itself. Null where the mount does not show the group.
    fn inside(m: Mount, group: []const u8) ?[]const u8 {
        const rest = if (std.mem.eql(u8, m.root, "/"))
            group
        else if (std.mem.startsWith(u8, group, m.root)) group[m.root.len..] else return null;
        if (rest.len == 0 or std.mem.eql(u8, rest, "/")) return "";
        return if (rest[0] == '/') rest else null;
    }
};

/// Where a hierarchy is found when the mounts cannot be read.
fn usual(version: Version) Mount {
    return .{ .root = "/", .point = if (version == .v2) "/sys/fs/cgroup" else "/sys/fs/cgroup/cpu" };
}

/// The first mount of the hierarchy that shows the group, else the first one. A line of /proc/self/mountinfo is
/// "ID PARENT DEVICE ROOT POINT OPTIONS [TAGS …] - TYPE SOURCE SUPEROPTIONS".
fn mountOf(text: []const u8, version: Version, group: []const u8) ?Mount {
    var first: ?Mount = null;
    var lines = std.mem.tokenizeScalar(u8, text, '\n');
    while (lines.next()) |line| {
        var fields = std.mem.tokenizeScalar(u8, line, ' ');
        for (0..3) |_| _ = fields.next();
        const root = fields.next() orelse continue;
        const point = fields.next() orelse continue;
        while (fields.next()) |field| {
            if (std.mem.eql(u8, field, "-")) break;
        }
        const kind = fields.next() orelse continue;
        _ = fields.next();
        const options = fields.next() orelse continue;
        switch (version) {
            .v2 => if (!std.mem.eql(u8, kind, "cgroup2")) continue,
            .v1 => if (!std.mem.eql(u8, kind, "cgroup") or !has(options, "cpu")) continue,
        }
        const mount: Mount = .{ .root = root, .point = point };
        if (mount.inside(group) != null) return mount;
        if (first == null) first = mount;
    }
    return first;
}

/// Whether a list with commas holds a word.
fn has(list: []const u8, wanted: []const u8) bool {
    var words = std.mem.splitScalar(u8, list, ',');
    while (words.next()) |name| if (std.mem.eql(u8, name, wanted)) return true;
    return false;
}

const testing = std.testing;

test "topology: the texts of cgroups give processors" {
    try testing.expectEqual(2.0, quotaV2("200000 100000\n").?);
    try testing.expectEqual(1.5, quotaV2("150000 100000").?);
    try testing.expectEqual(0.5, quotaV2("50000 100000").?);
    try testing.expectEqual(4.0, quotaV2("400000").?);
    try testing.expectEqual(3.0, quotaV1("300000\n", "100000\n").?);
    for ([_][]const u8{ "max 100000", "", "\n", "0 100000", "100000 0", "-1 100000", "1e5 100000", "99999999999999999999 100000" }) |text| {
        try testing.expectEqual(null, quotaV2(text));
    }
    try testing.expectEqual(null, quotaV1("-1\n", "100000\n"));
}

test "topology: a group is found by its controller" {
    const text = "12:cpu,cpuacct:/x:y\n11:cpuset:/z\n0::/a/b\n";
    try testing.expectEqualStrings("/a/b", groupOf(text, .v2).?);
    try testing.expectEqualStrings("/x:y", groupOf(text, .v1).?);
    try testing.expectEqual(null, groupOf("11:cpuset:/z\n", .v1));
    try testing.expectEqual(null, groupOf("nonsense\n0:\n:::\n", .v2));
}

test "topology: a group is looked for below the mount's root" {
    const docker: Mount = .{ .root = "/docker/1e", .point = "/sys/fs/cgroup/cpu" };
    try testing.expectEqualStrings("", docker.inside("/docker/1e").?);
    try testing.expectEqualStrings("/sub", docker.inside("/docker/1e/sub").?);
    try testing.expectEqual(null, docker.inside("/docker/1e7"));
    try testing.expectEqual(null, docker.inside("/"));
    const top: Mount = .{ .root = "/", .point = "/sys/fs/cgroup" };
    try testing.expectEqualStrings("", top.inside("/").?);
    try testing.expectEqualStrings("/a/b", top.inside("/a/b").?);
}

test "topology: the mount that shows the group comes before one that shows another" {
    const text =
        "31 23 0:26 /other /mnt/a-b rw shared:4 master:2 - cgroup2 cgroup2 rw,nsdelegate\n" ++
        "32 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n" ++
        "33 23 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" ++
        "34 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
    try testing.expectEqualStrings("/sys/fs/cgroup", mountOf(text, .v2, "/mine").?.point);
    try testing.expectEqualStrings("/mnt/a-b", mountOf(text, .v2, "/other/x").?.point);
    try testing.expectEqualStrings("/sys/fs/cgroup/cpu,cpuacct", mountOf(text, .v1, "/mine").?.point);
    try testing.expectEqual(null, mountOf("1 2 3\n\n- - -\n", .v2, "/"));
}

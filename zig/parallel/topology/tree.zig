//! A machine for tests: the files of a recorded tree, in the format that trees/README.md tells.

const std = @import("std");
const linux = @import("linux.zig");
const model = @import("model.zig");
const processor = @import("processor.zig");

pub const Tree = struct {
    /// The first text that has a file tells all of it, so that a container can stand over a machine.
    texts: []const []const u8,
    /// The mask instead of the recorded one.
    mask: ?[]const u8 = null,
    /// Files whose path holds this cannot be read.
    unreadable: ?[]const u8 = null,
    arch: std.Target.Cpu.Arch = .x86_64,

    pub fn read(t: Tree, path: []const u8, buffer: []u8) ?[]const u8 {
        if (t.unreadable) |part| if (std.mem.indexOf(u8, path, part) != null) return null;
        for (t.texts) |text| {
            var length: usize = 0;
            var found = false;
            var lines = std.mem.splitScalar(u8, text, '\n');
            while (lines.next()) |line| {
                if (std.mem.startsWith(u8, line, "#")) continue;
                const tab = std.mem.indexOfScalar(u8, line, '\t') orelse continue;
                if (!matches(line[0..tab], path)) continue;
                found = true;
                for ([_][]const u8{ line[tab + 1 ..], "\n" }) |piece| {
                    const taken = @min(piece.len, buffer.len - length);
                    @memcpy(buffer[length..][0..taken], piece[0..taken]);
                    length += taken;
                }
            }
            if (found) return buffer[0..length];
        }
        return null;
    }

    pub fn affinity(t: Tree) ?model.Processors {
        var buffer: [4096]u8 = undefined;
        return linux.parseList(t.mask orelse t.read("affinity", &buffer) orelse return null);
    }

    pub fn unknownCaches(t: Tree, cores: u32) model.Caches {
        return processor.assumed(t.arch, cores);
    }
};

/// Whether a path is one of those that a pattern such as "cpu[0-3,8]/online" stands for.
fn matches(pattern: []const u8, path: []const u8) bool {
    const open = std.mem.indexOfScalar(u8, pattern, '[') orelse return std.mem.eql(u8, pattern, path);
    if (!std.mem.startsWith(u8, path, pattern[0..open])) return false;
    const close = std.mem.indexOfScalarPos(u8, pattern, open, ']') orelse return false;
    const digits = path[open..][0 .. std.mem.indexOfNone(u8, path[open..], "0123456789") orelse path.len - open];
    const number = std.fmt.parseInt(u32, digits, 10) catch return false;
    return lists(pattern[open + 1 .. close], number) and matches(pattern[close + 1 ..], path[open + digits.len ..]);
}

/// Asked for every line of a tree, so it makes no set.
fn lists(list: []const u8, number: u32) bool {
    var ranges = std.mem.splitScalar(u8, list, ',');
    while (ranges.next()) |range| {
        var ends = std.mem.splitScalar(u8, range, '-');
        const first = std.fmt.parseInt(u32, ends.first(), 10) catch continue;
        const last = if (ends.next()) |end| std.fmt.parseInt(u32, end, 10) catch continue else first;
        if (first <= number and number <= last) return true;
    }
    return false;
}

test "topology: a path of a recorded tree may stand for many" {
    const t: Tree = .{ .texts = &.{ "a\tover\n", "# a\tno\na\tunder\nb[0-2,8]/c[1]\tx\nb[0]/c[1]\ty\n" } };
    var buffer: [16]u8 = undefined;
    try std.testing.expectEqualStrings("over\n", t.read("a", &buffer).?);
    try std.testing.expectEqualStrings("x\ny\n", t.read("b0/c1", &buffer).?);
    try std.testing.expectEqualStrings("x\n", t.read("b8/c1", &buffer).?);
    try std.testing.expectEqualStrings("x", t.read("b8/c1", buffer[0..1]).?);
    for ([_][]const u8{ "b3/c1", "b0/c2", "b/c1", "b0/c12", "b00", "" }) |path| try std.testing.expectEqual(null, t.read(path, &buffer));
}

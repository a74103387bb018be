//! Memory for tests whose last byte borders on a page that may not be touched: a read or a write past the end faults.

const std = @import("std");
const builtin = @import("builtin");

/// Whether this system can guard a page; elsewhere tests that need one are skipped.
pub const supported = builtin.os.tag != .windows;

pub const Guarded = struct {
    pages: []align(std.heap.page_size_min) u8,
    /// The bytes before the border.
    usable: usize,

    pub fn init(bytes: usize) !Guarded {
        if (!supported) return error.SkipZigTest;
        const page = std.heap.pageSize();
        const usable = std.mem.alignForward(usize, @max(bytes, 1), page);
        const pages = try std.posix.mmap(null, usable + page, .{ .READ = true, .WRITE = true }, .{ .TYPE = .PRIVATE, .ANONYMOUS = true }, -1, 0);
        if (std.c.mprotect(@ptrCast(@alignCast(pages.ptr + usable)), page, .{}) != 0) return error.Unexpected;
        return .{ .pages = pages, .usable = usable };
    }

    pub fn deinit(g: Guarded) void {
        std.posix.munmap(g.pages);
    }

    /// The last `count` elements before the border.
    pub fn last(g: Guarded, comptime T: type, count: usize) []T {
        const begin = g.usable - count * @sizeOf(T);
        const at: [*]T = @ptrCast(@alignCast(g.pages.ptr + begin));
        return at[0..count];
    }
};

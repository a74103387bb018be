//! Memory for tests whose last byte borders on a page that may not be touched: a read or a write past the end faults.

const std = @import("std");
const builtin = @import("builtin");

pub const Guarded = struct {
    pages: []align(std.heap.page_size_min) u8,
    /// The bytes before the border.
    usable: usize,

    pub fn init(bytes: usize) !Guarded {
        const page = std.heap.pageSize();
        const usable = std.mem.alignForward(usize, @max(bytes, 1), page);
        const g: Guarded = .{ .pages = try system.map(usable + page), .usable = usable };
        try system.open(g.pages[0..usable]);
        return g;
    }

    pub fn deinit(g: Guarded) void {
        system.unmap(g.pages);
    }

    /// The last `count` elements before the border.
    pub fn last(g: Guarded, comptime T: type, count: usize) []T {
        const begin = g.usable - count * @sizeOf(T);
        const at: [*]T = @ptrCast(@alignCast(g.pages.ptr + begin));
        return at[0..count];
    }
};

/// Addresses without memory, of which a test opens the few that it uses.
pub const Sparse = struct {
    pages: []align(std.heap.page_size_min) u8,

    pub fn init(bytes: usize) !Sparse {
        return .{ .pages = try system.map(bytes) };
    }

    pub fn deinit(s: Sparse) void {
        system.unmap(s.pages);
    }

    /// Elements that may be used, zero at first.
    pub fn open(s: Sparse, comptime T: type, begin: usize, count: usize) ![]T {
        const bytes = s.pages[begin * @sizeOf(T) ..][0 .. count * @sizeOf(T)];
        try system.open(bytes);
        const at: [*]T = @ptrCast(@alignCast(bytes.ptr));
        return at[0..count];
    }
};

/// Pages that may not be touched, and those among them that may.
const system = if (builtin.os.tag == .windows) struct {
    const reserve = 0x2000;
    const commit = 0x1000;
    const release = 0x8000;
    const no_access = 1;
    const read_write = 4;

    fn map(bytes: usize) ![]align(std.heap.page_size_min) u8 {
        const at = VirtualAlloc(null, bytes, reserve, no_access) orelse return error.OutOfMemory;
        return @as([*]align(std.heap.page_size_min) u8, @ptrCast(@alignCast(at)))[0..bytes];
    }
    fn open(bytes: []u8) !void {
        if (VirtualAlloc(bytes.ptr, bytes.len, commit, read_write) == null) return error.OutOfMemory;
    }
    fn unmap(pages: []align(std.heap.page_size_min) u8) void {
        _ = VirtualFree(pages.ptr, 0, release);
    }

    extern "kernel32" fn VirtualAlloc(address: ?*anyopaque, bytes: usize, kind: u32, protection: u32) callconv(.winapi) ?*anyopaque;
    extern "kernel32" fn VirtualFree(address: *anyopaque, bytes: usize, kind: u32) callconv(.winapi) i32;
} else struct {
    fn map(bytes: usize) ![]align(std.heap.page_size_min) u8 {
        return std.posix.mmap(null, bytes, .{}, .{ .TYPE = .PRIVATE, .ANONYMOUS = true, .NORESERVE = true }, -1, 0);
    }
    fn open(bytes: []u8) !void {
        const begin = std.mem.alignBackward(usize, @intFromPtr(bytes.ptr), std.heap.pageSize());
        const end = std.mem.alignForward(usize, @intFromPtr(bytes.ptr) + bytes.len, std.heap.pageSize());
        if (std.c.mprotect(@ptrFromInt(begin), end - begin, .{ .READ = true, .WRITE = true }) != 0) return error.OutOfMemory;
    }
    fn unmap(pages: []align(std.heap.page_size_min) u8) void {
        std.posix.munmap(pages);
    }
};

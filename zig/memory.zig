//! Native memory for tensors and scratch: 64-byte aligned blocks in size classes, kept for reuse.
//!
//! A training step asks for the same few hundred blocks again and again. From the C heap each large one is mapped, zeroed page by page by the
//! kernel and unmapped again; kept blocks cost nothing. As much is kept as was in use at the peak since the last `trim`, so the process holds at
//! most twice its peak. A block that was not taken while `stale_peaks` times the peak was freed makes room for others; a younger one does not, or phases
//! that take turns would drive out each other's blocks. Blocks are not cleared.

const std = @import("std");
const builtin = @import("builtin");
const Mutex = @import("parallel/futex.zig").Mutex;
const root = @import("root");

/// A program that looks for stray reads and writes brings memory of its own, each block between pages that may not be touched.
const replaced = @hasDecl(root, "Memory");

pub const alignment = 64;
const huge_page = 2 << 20;
const class_count = 4 * 64;

/// If blocks never made room, layer norm's gradient at 8192×768, called after 512×50257 tensors were freed, would have its result mapped again in each call: 13.3 in
/// place of 21.0 GB/s on one thread, 9.4 in place of 19.9 on two (Zen 3).
const stale_peaks = 2;

/// A free block, at its own beginning.
const Free = struct {
    older: ?*Free,
    /// Of the newest one it says nothing.
    newer: *Free,
    /// What `freed_bytes` was.
    at: u64,
};

/// The free blocks of one class, taken from the newest on.
const Class = struct {
    newest: ?*Free = null,
    oldest: *Free = undefined,
    /// That of `oldest`; nothing is older than a class without blocks.
    oldest_at: u64 = never,

    const never = std.math.maxInt(u64);

    fn push(class: *Class, block: *Free) void {
        block.* = .{ .older = class.newest, .newer = undefined, .at = freed_bytes };
        if (class.newest) |newest| {
            newest.newer = block;
        } else {
            class.oldest = block;
            class.oldest_at = block.at;
        }
        class.newest = block;
    }

    fn pop(class: *Class) ?*Free {
        const block = class.newest orelse return null;
        class.newest = block.older;
        if (block.older == null) class.oldest_at = never;
        return block;
    }

    fn dropOldest(class: *Class) *Free {
        const block = class.oldest;
        if (block == class.newest) return class.pop().?;
        class.oldest = block.newer;
        class.oldest.older = null;
        class.oldest_at = class.oldest.at;
        return block;
    }
};

var lock: Mutex = .{};
var kept: [class_count]Class = @splat(.{});
var kept_bytes: usize = 0;
/// Bytes of all blocks that were ever freed: the clock by which blocks age.
var freed_bytes: u64 = 0;
var used_bytes: usize = 0;
var peak_bytes: usize = 0;

/// Four classes to each power of two, so that rounding wastes less than a quarter.
pub fn classOf(bytes: usize) struct { index: usize, bytes: usize } {
    if (bytes <= 256) return .{ .index = 0, .bytes = 256 };
    const log = std.math.log2_int(usize, bytes - 1);
    const step = @as(usize, 1) << @intCast(log - 2);
    const quarter = (bytes - 1 - (@as(usize, 1) << @intCast(log))) / step;
    return .{ .index = 4 * @as(usize, log) + quarter, .bytes = (@as(usize, 1) << @intCast(log)) + (quarter + 1) * step };
}

/// The bytes of the blocks of a class.
fn bytesOf(index: usize) usize {
    if (index == 0) return 256;
    const base = @as(usize, 1) << @intCast(index / 4);
    return base + (index % 4 + 1) * (base / 4);
}

/// For tests: of how many allocations of this thread, `alloc` and `gpa` alike and those on a GPU, the last one fails. 0: none does.
threadlocal var failing_in: u32 = 0;

/// Whether the allocation that this thread is about to make is to fail.
pub fn fails() bool {
    if (failing_in == 0) return false;
    failing_in -= 1;
    return failing_in == 0;
}

/// The C heap, for what is no tensor's content: lists of a call, tables.
pub const gpa: std.mem.Allocator = .{ .ptr = undefined, .vtable = &.{
    .alloc = counted,
    .resize = std.heap.c_allocator.vtable.resize,
    .remap = std.heap.c_allocator.vtable.remap,
    .free = std.heap.c_allocator.vtable.free,
} };

fn counted(context: *anyopaque, len: usize, to: std.mem.Alignment, address: usize) ?[*]u8 {
    if (fails()) return null;
    return std.heap.c_allocator.vtable.alloc(context, len, to, address);
}

pub const entries = struct {
    /// For tests: the `nth` allocation of this thread from here on fails, once; 0 lets all pass. Returns how many were left until the one asked for before.
    pub fn memory_fail(nth: u32) callconv(.c) u32 {
        defer failing_in = nth;
        return failing_in;
    }
};

/// At least `bytes` bytes at a 64-byte border, with undefined content.
pub fn alloc(bytes: usize) error{OutOfMemory}![*]align(alignment) u8 {
    if (fails()) return error.OutOfMemory;
    if (replaced) return root.Memory.alloc(bytes);
    if (bytes > std.math.maxInt(isize) / 2) return error.OutOfMemory;
    const class = classOf(bytes);
    {
        lock.lock();
        defer lock.unlock();
        if (kept[class.index].pop()) |block| {
            kept_bytes -= class.bytes;
            count(class.bytes);
            return @ptrCast(@alignCast(block));
        }
    }
    const fresh = system.alloc(class.bytes) orelse retry: {
        trim();
        break :retry system.alloc(class.bytes) orelse return error.OutOfMemory;
    };
    lock.lock();
    defer lock.unlock();
    count(class.bytes);
    return fresh;
}

/// Gives back a block of `alloc(bytes)`.
pub fn free(block: [*]align(alignment) u8, bytes: usize) void {
    if (replaced) return root.Memory.free(block);
    const class = classOf(bytes);
    var released: ?*Free = null;
    {
        lock.lock();
        defer lock.unlock();
        used_bytes -= class.bytes;
        freed_bytes += class.bytes;
        const own: *Free = @ptrCast(block);
        if (makeRoom(class.bytes, &released)) {
            kept[class.index].push(own);
            kept_bytes += class.bytes;
        } else {
            own.older = released;
            released = own;
        }
    }
    release(released);
}

/// Whether `bytes` more may be kept, after stale blocks were put before `released` as far as that takes. Holds `lock`.
fn makeRoom(bytes: usize, released: *?*Free) bool {
    while (kept_bytes + bytes > peak_bytes) {
        var index: usize = 0;
        for (&kept, 0..) |*class, i| {
            if (class.oldest_at < kept[index].oldest_at) index = i;
        }
        const oldest_at = kept[index].oldest_at;
        if (oldest_at == Class.never or freed_bytes - oldest_at <= stale_peaks * @as(u64, peak_bytes)) return false;
        const block = kept[index].dropOldest();
        block.older = released.*;
        released.* = block;
        kept_bytes -= bytesOf(index);
    }
    return true;
}

/// Gives a list of blocks back to the system.
fn release(blocks: ?*Free) void {
    var next = blocks;
    while (next) |block| {
        next = block.older;
        system.free(@ptrCast(@alignCast(block)));
    }
}

/// Returns every kept block to the system and forgets the peak.
pub fn trim() void {
    var classes: [class_count]Class = undefined;
    {
        lock.lock();
        defer lock.unlock();
        classes = kept;
        kept = @splat(.{});
        kept_bytes = 0;
        peak_bytes = used_bytes;
    }
    for (classes) |class| release(class.newest);
}

pub const Statistics = struct { used: usize, peak: usize, kept: usize };

pub fn statistics() Statistics {
    lock.lock();
    defer lock.unlock();
    return .{ .used = used_bytes, .peak = peak_bytes, .kept = kept_bytes };
}

fn count(bytes: usize) void {
    used_bytes += bytes;
    peak_bytes = @max(peak_bytes, used_bytes);
}

const system = switch (builtin.os.tag) {
    .windows => struct {
        extern "c" fn _aligned_malloc(size: usize, alignment: usize) ?*anyopaque;
        extern "c" fn _aligned_free(block: ?*anyopaque) void;

        fn alloc(bytes: usize) ?[*]align(alignment) u8 {
            return @ptrCast(@alignCast(_aligned_malloc(bytes, alignment) orelse return null));
        }
        fn free(block: [*]align(alignment) u8) void {
            _aligned_free(block);
        }
    },
    else => struct {
        fn alloc(bytes: usize) ?[*]align(alignment) u8 {
            var block: ?*anyopaque = null;
            const large = bytes >= 2 * huge_page;
            if (std.c.posix_memalign(&block, if (large) huge_page else alignment, bytes) != 0) return null;
            // Large operands are walked with big strides: huge pages spare most of the address translations.
            if (large and builtin.os.tag == .linux) _ = std.os.linux.madvise(@ptrCast(@alignCast(block.?)), bytes, std.os.linux.MADV.HUGEPAGE);
            return @ptrCast(@alignCast(block.?));
        }
        fn free(block: [*]align(alignment) u8) void {
            std.c.free(block);
        }
    },
};

test "size classes hold what they promise and waste less than a quarter" {
    var bytes: usize = 1;
    var last: usize = 0;
    while (bytes < 1 << 40) : (bytes += bytes / 7 + 1) {
        const class = classOf(bytes);
        try std.testing.expect(class.bytes >= bytes and class.index >= last);
        if (bytes > 256) try std.testing.expect(class.bytes - bytes <= bytes / 4);
        try std.testing.expectEqual(class.index, classOf(class.bytes).index);
        try std.testing.expectEqual(class.bytes, bytesOf(class.index));
        last = class.index;
    }
}

test "kept blocks that are not taken make room for those in use, but phases that take turns keep theirs" {
    const small = 5 << 18;
    const large = 4 << 20;
    trim();
    const before = statistics().used;
    var blocks: [8][*]align(alignment) u8 = undefined;
    for (&blocks) |*b| b.* = try alloc(small);
    for (blocks) |b| free(b, small);
    try std.testing.expectEqual(before + 8 * small, statistics().peak);
    try std.testing.expectEqual(8 * small, statistics().kept);
    // Taken in turn, none is ever `stale_peaks` old.
    for (0..10) |_| {
        for (&blocks) |*b| b.* = try alloc(small);
        try std.testing.expectEqual(0, statistics().kept);
        for (blocks) |b| free(b, small);
        free(try alloc(large), large);
        try std.testing.expectEqual(8 * small, statistics().kept);
    }
    for (0..10) |_| free(try alloc(large), large);
    // As many went as stood in the way of the large one, which is taken from now on.
    var left: usize = 8;
    while (left * small + large > before + 8 * small) left -= 1;
    for (0..10) |_| {
        try std.testing.expectEqual(left * small + large, statistics().kept);
        const b = try alloc(large);
        try std.testing.expectEqual(left * small, statistics().kept);
        free(b, large);
    }
    for (blocks[0..left]) |*b| b.* = try alloc(small);
    try std.testing.expectEqual(large, statistics().kept);
    for (blocks[0..left]) |b| free(b, small);
    trim();
    try std.testing.expectEqual(0, statistics().kept);
}

test "the allocation that is asked to fail does, once" {
    _ = entries.memory_fail(2);
    free(try alloc(10), 10);
    try std.testing.expectError(error.OutOfMemory, alloc(10));
    free(try alloc(10), 10);
    _ = entries.memory_fail(3);
    gpa.free(try gpa.alloc(u8, 3));
    try std.testing.expectEqual(2, entries.memory_fail(1));
    try std.testing.expectError(error.OutOfMemory, gpa.alloc(u8, 3));
    try std.testing.expectEqual(0, entries.memory_fail(0));
}

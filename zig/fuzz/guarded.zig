//! The memory of the fuzzer: every block lies between pages that may not be touched, at the end of its own pages or at their
//! beginning, and what of these pages is not the block itself is known. A copy of each block shows what has changed since the last look.

const std = @import("std");
const Mutex = @import("../parallel/futex.zig").Mutex;

/// At least a page of the system.
const page = std.heap.page_size_max;
const page_align = std.heap.page_size_min;
/// What is not the block, and what has been freed: as an f32 or f64 a NaN, as a u32 an index that is in no range.
const filler = 0xff;
/// Blocks of more pages are given back to the system, and only the page at each end is filled and looked at.
const kept_pages_max = 16;
/// More is out of memory at once.
const bytes_max = 1 << 28;

pub const Block = struct {
    pages: []align(page_align) u8,
    /// The block within its pages.
    begin: usize,
    bytes: usize,
    /// What the pages held when they were last looked at; null before the first time.
    copy: ?[]u8 = null,
    /// Whether the copy is behind, after the fuzzer itself wrote to the block.
    stale: bool = true,

    pub fn holds(b: *const Block, address: usize) bool {
        return address >= @intFromPtr(b.pages.ptr) and address < @intFromPtr(b.pages.ptr) + b.pages.len;
    }

    pub fn changed(b: *const Block) bool {
        return !same(b.pages, b.copy.?);
    }

    /// Takes the pages as they are.
    pub fn look(b: *Block) void {
        if (b.copy == null) b.copy = std.heap.c_allocator.alloc(u8, b.pages.len) catch @panic("no memory for a copy");
        @memcpy(b.copy.?, b.pages);
        b.stale = false;
    }
};

extern "c" fn memcmp(a: [*]const u8, b: [*]const u8, bytes: usize) c_int;

/// Of the C library, which is fast in every build.
pub fn same(a: []const u8, b: []const u8) bool {
    return memcmp(a.ptr, b.ptr, a.len) == 0;
}

pub var blocks: [1 << 12]Block = undefined;
pub var count: usize = 0;
/// The block that an address lies in.
pub fn blockOf(address: [*]const u8) ?*Block {
    for (blocks[0..count]) |*b| if (b.holds(@intFromPtr(address))) return b;
    return null;
}

/// Takes over all that is not known yet.
pub fn look() void {
    for (blocks[0..count]) |*b| if (b.stale) b.look();
}

/// Decides whether a block lies at the end of its pages.
pub var at_end: bool = true;
/// The allocation that fails, counted down; negative for none.
pub var fails_at: isize = -1;
/// What was found wrong with the memory; said by whoever looks next, since there may be no way to stop here.
pub var fault: ?[]const u8 = null;

var lock: Mutex = .{};
var free_pages: [kept_pages_max + 1][64][]align(page_align) u8 = undefined;
var free_counts: [kept_pages_max + 1]usize = @splat(0);

/// What memory.zig asks in place of the system.
pub const Memory = struct {
    pub fn alloc(bytes: usize) error{OutOfMemory}![*]align(64) u8 {
        lock.lock();
        defer lock.unlock();
        if (fails_at >= 0) {
            fails_at -= 1;
            if (fails_at < 0) return error.OutOfMemory;
        }
        if (bytes > bytes_max or count == blocks.len) return error.OutOfMemory;
        const pages = try takePages(@max(1, (bytes + page - 1) / page));
        // 64-byte borders are part of what is promised, so up to 63 bytes may lie behind the block.
        const begin = if (at_end) std.mem.alignBackward(usize, pages.len - bytes, 64) else 0;
        blocks[count] = .{ .pages = pages, .begin = begin, .bytes = bytes };
        count += 1;
        return @alignCast(pages.ptr + begin);
    }

    pub fn free(block: [*]align(64) u8) void {
        lock.lock();
        defer lock.unlock();
        var i = count;
        while (i > 0) {
            i -= 1;
            const b = &blocks[i];
            if (block != b.pages.ptr + b.begin) continue;
            checkBorders(b);
            if (b.copy) |copy| std.heap.c_allocator.free(copy);
            givePages(b.pages);
            count -= 1;
            b.* = blocks[count];
            return;
        }
        fault = "a block was freed that there is not";
    }
};

/// Bytes of whole pages, between two that may not be touched.
fn mapped(bytes: usize) error{OutOfMemory}![]align(page_align) u8 {
    const flags: std.posix.MAP = .{ .TYPE = .PRIVATE, .ANONYMOUS = true, .NORESERVE = true };
    const all = std.posix.mmap(null, bytes + 2 * page, .{}, flags, -1, 0) catch return error.OutOfMemory;
    const pages: []align(page_align) u8 = @alignCast(all[page..][0..bytes]);
    if (std.c.mprotect(pages.ptr, pages.len, .{ .READ = true, .WRITE = true }) != 0) return error.OutOfMemory;
    return pages;
}

fn takePages(number: usize) error{OutOfMemory}![]align(page_align) u8 {
    if (number <= kept_pages_max and free_counts[number] > 0) {
        free_counts[number] -= 1;
        const pages = free_pages[number][free_counts[number]];
        if (!filled(pages)) {
            fault = "a block was written after it had been freed";
            @memset(pages, filler);
        }
        return pages;
    }
    const pages = try mapped(number * page);
    fillEnds(pages);
    return pages;
}

fn givePages(pages: []align(page_align) u8) void {
    const number = pages.len / page;
    if (number <= kept_pages_max and free_counts[number] < free_pages[number].len) {
        @memset(pages, filler);
        free_pages[number][free_counts[number]] = pages;
        free_counts[number] += 1;
        return;
    }
    const all: []align(page_align) u8 = @alignCast((pages.ptr - page)[0 .. pages.len + 2 * page]);
    std.posix.munmap(all);
}

fn fillEnds(pages: []u8) void {
    if (pages.len <= kept_pages_max * page) return @memset(pages, filler);
    @memset(pages[0..page], filler);
    @memset(pages[pages.len - page ..], filler);
}

const filler_pages: [kept_pages_max * page]u8 = @splat(filler);

fn filled(bytes: []const u8) bool {
    return same(bytes, filler_pages[0..bytes.len]);
}

/// What of the pages is not the block has to be as it was.
fn checkBorders(b: *const Block) void {
    const behind = b.pages[b.begin + b.bytes ..];
    if (!filled(b.pages[0..@min(b.begin, page)]) or !filled(behind[behind.len -| page..])) fault = "memory beside a block was written";
}

/// A buffer as JavaScript passes them: exactly as long as it was asked to be, between pages that may not be touched.
pub const Buffer = struct {
    pages: []align(page_align) u8,

    pub fn init(bytes: usize) !Buffer {
        const pages = try mapped(std.mem.alignForward(usize, bytes, page));
        @memset(pages, filler);
        return .{ .pages = pages };
    }

    /// The last bytes, or the first.
    pub fn take(b: Buffer, bytes: usize, end: bool) []u8 {
        return if (end) b.pages[b.pages.len - bytes ..] else b.pages[0..bytes];
    }
};

const testing = std.testing;

test "guarded memory: what is written beside a block, or after it was freed, is found" {
    for ([_]bool{ true, false }) |end| {
        at_end = end;
        // Neither at the beginning of its pages nor, with 64-byte borders, at their end.
        const block = try Memory.alloc(100);
        block[99] = 1;
        Memory.free(block);
        try testing.expectEqual(null, fault);
        const other = try Memory.alloc(100);
        other[100] = 1;
        Memory.free(other);
        try testing.expect(fault != null);
        fault = null;
        other[5] = 1;
        Memory.free(try Memory.alloc(100));
        try testing.expect(fault != null);
        fault = null;
    }
    try testing.expectEqual(0, count);
}

test "guarded memory: a copy tells what has changed since the last look, and an allocation fails when it is told to" {
    const block = try Memory.alloc(4096);
    defer Memory.free(block);
    look();
    try testing.expect(!blockOf(block).?.changed());
    block[4095] +%= 1;
    try testing.expect(blockOf(block).?.changed());
    fails_at = 1;
    Memory.free(try Memory.alloc(1));
    try testing.expectError(error.OutOfMemory, Memory.alloc(1));
    Memory.free(try Memory.alloc(1));
    try testing.expectError(error.OutOfMemory, Memory.alloc(bytes_max + 1));
}

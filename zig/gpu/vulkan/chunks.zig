//! Pieces of device memory, and the addresses that tensors carry for them.
//!
//! A tensor of a GPU holds a pointer like any other, so that entries, views and checks for overlap need no second kind. It points nowhere: bits 62 and 55
//! are set, which no processor maps for a program (x86-64 wants bits 47 to 63 alike; aarch64 ignores the top byte, and bit 55 then means the kernel's
//! half), so a stray access faults instead of corrupting. Above bit 36 stands the chunk, below it the byte in the chunk.

const std = @import("std");
const memory = @import("../../memory.zig");
const api = @import("api.zig");
const Block = @import("heap.zig").Block;
const Mutex = @import("../../parallel/futex.zig").Mutex;
const assert = std.debug.assert;

const base: usize = 1 << 62 | 1 << 55;
const offset_bits = 36;
const chunks_max = 1 << (55 - offset_bits);
const segment_len = 1024;

/// The most bytes that one chunk can have.
pub const bytes_max = 1 << offset_bits;

pub const Chunk = struct {
    block: *Block,
    /// In the block's buffer.
    offset: u64,
    bytes: u64,
    /// The stretch between two barriers in which it was last written and last read.
    written: u64 = 0,
    read: u64 = 0,
    /// Its own number, and that of the next one of the list it is in.
    index: u32,
    next: u32 = none,
    used: bool = true,

    pub fn address(c: *const Chunk) [*]align(64) u8 {
        return @ptrFromInt(base | @as(usize, c.index) << offset_bits);
    }
};

pub const none = std.math.maxInt(u32);

var lock: Mutex = .{};
var segments: [chunks_max / segment_len]?*[segment_len]Chunk = @splat(null);
var made: u32 = 0;
var spare: u32 = none;

/// The chunk of a number. Numbers come from `add` and from addresses alone.
pub fn at(index: u32) *Chunk {
    return &segments[index / segment_len].?[index % segment_len];
}

pub const Place = struct { chunk: *Chunk, offset: u64 };

/// Where an address lies.
pub fn locate(address: usize) Place {
    assert(address & base == base);
    return .{ .chunk = at(@intCast((address & ~base) >> offset_bits)), .offset = address & (bytes_max - 1) };
}

pub fn add(block: *Block, offset: u64, bytes: u64) error{OutOfMemory}!*Chunk {
    lock.lock();
    defer lock.unlock();
    const index = if (spare != none) reuse: {
        const index = spare;
        spare = at(index).next;
        break :reuse index;
    } else fresh: {
        if (made == chunks_max) return error.OutOfMemory;
        const segment = &segments[made / segment_len];
        if (segment.* == null) segment.* = memory.gpa.create([segment_len]Chunk) catch return error.OutOfMemory;
        made += 1;
        break :fresh made - 1;
    };
    const chunk = at(index);
    chunk.* = .{ .block = block, .offset = offset, .bytes = bytes, .index = index };
    return chunk;
}

/// Forgets a chunk whose block goes.
pub fn remove(chunk: *Chunk) void {
    lock.lock();
    defer lock.unlock();
    chunk.next = spare;
    spare = chunk.index;
}

test "chunks: an address leads back to its chunk and byte" {
    var block: Block = undefined;
    const a = try add(&block, 256, 1 << 20);
    const b = try add(&block, 0, 64);
    defer remove(a);
    defer remove(b);
    const place = locate(@intFromPtr(a.address()) + 4096);
    try std.testing.expectEqual(a, place.chunk);
    try std.testing.expectEqual(4096, place.offset);
    try std.testing.expectEqual(b, locate(@intFromPtr(b.address())).chunk);
    try std.testing.expect(@as(isize, @bitCast(@intFromPtr(b.address()))) > 0);
}

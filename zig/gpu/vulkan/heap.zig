//! Memory of one kind of a device: blocks asked of the driver, cut into chunks of the classes that memory.zig has, which are kept for reuse.
//!
//! All work of a device runs in one queue in the order in which it was recorded, so a chunk may be used again as soon as it is freed: what its last owner
//! still has to do comes first, and the chunk remembers that for the barriers.

const std = @import("std");
const api = @import("api.zig");
const chunks = @import("chunks.zig");
const memory = @import("../../memory.zig");
const Chunk = chunks.Chunk;
const Gpu = @import("gpu.zig").Gpu;

/// What is asked of the driver at a time. Larger tensors get a block of their own.
const block_bytes = 64 << 20;
const dedicated_bytes = 16 << 20;
/// Parameters are few hundred bytes a call, and the window through which the host sees the device's memory can be 256 MiB.
const parameter_block_bytes = 1 << 20;

pub const Block = struct {
    gpu: *Gpu,
    heap: *Heap,
    memory: api.Memory,
    buffer: api.Buffer,
    bytes: u64,
    /// Bytes that were cut off so far.
    cut: u64,
    /// Chunks in use.
    used: u32,
    /// Where the host sees it; null where it does not.
    mapped: ?[*]u8,
    next: ?*Block,
};

/// Tensors; copies on their way from and to the host; and what the host writes for shaders to read in place.
pub const Kind = enum { device, host, parameters };

/// The memory type for a kind, among those that `allowed` has a bit for; null where none will do. Every device has host memory that is coherent, so nothing
/// is ever flushed.
fn pick(memory_: *const api.MemoryProperties, allowed: u32, kind: Kind) ?u32 {
    const T = api.MemoryType;
    const wishes: [2]u32 = switch (kind) {
        .device => .{ T.device_local, 0 },
        // The host reads results there: cached memory is many times faster for that.
        .host => .{ T.host_visible | T.host_coherent | T.host_cached, T.host_visible | T.host_coherent },
        .parameters => .{ T.device_local | T.host_visible | T.host_coherent, T.host_visible | T.host_coherent },
    };
    for (wishes) |wish| {
        var best: ?u32 = null;
        for (memory_.types[0..memory_.type_count], 0..) |t, i| {
            if (allowed >> @intCast(i) & 1 == 0 or t.flags & wish != wish) continue;
            // Memory that is protected, made as it is touched, or of a vendor's own kind is for those who have asked for its feature.
            if (t.flags & ~@as(u32, T.plain) != 0) continue;
            const before = memory_.types[
                best orelse {
                    best = @intCast(i);
                    continue;
                }
            ];
            // The host reaches its own memory faster than the device's. Then the largest heap counts: a window into the device's memory can be small.
            const worse = kind == .host and before.flags & T.device_local == 0 and t.flags & T.device_local != 0;
            const better = kind == .host and before.flags & T.device_local != 0 and t.flags & T.device_local == 0;
            if (better or (!worse and memory_.heaps[t.heap].size > memory_.heaps[before.heap].size)) best = @intCast(i);
        }
        if (best) |index| return index;
    }
    return null;
}

pub const Fault = error{ OutOfMemory, DeviceLost };

pub const Heap = struct {
    kind: Kind,
    type_index: u32 = 0,
    blocks: ?*Block = null,
    free: [256]u32 = @splat(chunks.none),
    used_bytes: u64 = 0,
    block_total: u64 = 0,

    /// Settles which memory it is.
    pub fn init(h: *Heap, gpu: *Gpu) error{ OutOfMemory, DeviceLost, Unsupported }!void {
        // What suits one buffer suits every one of the same usage.
        const buffer = try newBuffer(gpu, 256);
        defer gpu.vk.vkDestroyBuffer(gpu.device, buffer, null);
        h.type_index = pick(&gpu.adapter.memory, needsOf(gpu, buffer).type_bits, h.kind) orelse return error.Unsupported;
    }

    /// A chunk of at least `bytes` bytes, with undefined content. The caller holds the device's lock.
    pub fn alloc(h: *Heap, gpu: *Gpu, bytes: u64) Fault!*Chunk {
        if (memory.fails()) return error.OutOfMemory;
        // Bindings start at multiples of 256 bytes at the most.
        const rounded = std.mem.alignForward(u64, @max(1, bytes), 256);
        const class = memory.classOf(rounded);
        // Rounded up to its class it could be longer than a binding may be.
        const size = if (class.bytes > gpu.rangeMax()) rounded else class.bytes;
        const chunk = h.take(gpu, class.index, size) catch |e| again: {
            if (e != error.OutOfMemory) return e;
            try gpu.drain();
            // What copies have read is free again once they are done; nothing has to be asked of the driver then.
            if (h.kind != .device) if (h.take(gpu, class.index, size)) |chunk| break :again chunk else |_| {};
            gpu.trimLocked();
            break :again try h.take(gpu, class.index, size);
        };
        chunk.used = true;
        chunk.block.used += 1;
        h.used_bytes += chunk.bytes;
        return chunk;
    }

    fn take(h: *Heap, gpu: *Gpu, class: usize, size: u64) Fault!*Chunk {
        // Those of a class longer than bindings may be differ in size.
        var link: ?*Chunk = null;
        var index = h.free[class];
        while (index != chunks.none) {
            const chunk = chunks.at(index);
            if (chunk.bytes >= size) {
                if (link) |before| before.next = chunk.next else h.free[class] = chunk.next;
                return chunk;
            }
            link = chunk;
            index = chunk.next;
        }
        const block = if (size >= dedicated_bytes) try h.grow(gpu, size, .whole) else open: {
            if (h.blocks) |b| if (b.bytes - b.cut >= size) break :open b;
            break :open try h.grow(gpu, if (h.kind == .parameters) @max(parameter_block_bytes, size) else block_bytes, .cut);
        };
        const chunk = try chunks.add(block, block.cut, size);
        block.cut += size;
        return chunk;
    }

    pub fn release(h: *Heap, chunk: *Chunk) void {
        h.used_bytes -= chunk.bytes;
        chunk.block.used -= 1;
        chunk.used = false;
        const class = memory.classOf(chunk.bytes).index;
        chunk.next = h.free[class];
        h.free[class] = chunk.index;
    }

    /// A new block, for one chunk as a whole or to be cut.
    fn grow(h: *Heap, gpu: *Gpu, bytes: u64, use: enum { whole, cut }) Fault!*Block {
        if (gpu.blocks >= gpu.adapter.properties.limits.memory_allocation_count) return error.OutOfMemory;
        const vk = &gpu.vk;
        const block = memory.gpa.create(Block) catch return error.OutOfMemory;
        errdefer memory.gpa.destroy(block);
        const buffer = try newBuffer(gpu, bytes);
        errdefer vk.vkDestroyBuffer(gpu.device, buffer, null);
        var memory_: api.Memory = .none;
        try gpu.done(vk.vkAllocateMemory(gpu.device, &.{ .size = needsOf(gpu, buffer).size, .memory_type = h.type_index }, null, &memory_));
        errdefer vk.vkFreeMemory(gpu.device, memory_, null);
        try gpu.done(vk.vkBindBufferMemory(gpu.device, buffer, memory_, 0));
        var mapped: ?[*]u8 = null;
        if (h.kind != .device) {
            var pointer: [*]u8 = undefined;
            try gpu.done(vk.vkMapMemory(gpu.device, memory_, 0, api.whole_size, 0, &pointer));
            mapped = pointer;
        }
        block.* = .{ .gpu = gpu, .heap = h, .memory = memory_, .buffer = buffer, .bytes = bytes, .cut = 0, .used = 0, .mapped = mapped, .next = h.blocks };
        gpu.counts.allocations += 1;
        gpu.blocks += 1;
        h.block_total += bytes;
        // The one that is being cut stays in front.
        if (h.blocks != null and use == .whole) {
            block.next = h.blocks.?.next;
            h.blocks.?.next = block;
        } else h.blocks = block;
        return block;
    }

    fn newBuffer(gpu: *Gpu, bytes: u64) Fault!api.Buffer {
        var buffer: api.Buffer = .none;
        try gpu.done(gpu.vk.vkCreateBuffer(gpu.device, &.{
            .size = bytes,
            .usage = api.BufferCreateInfo.storage | api.BufferCreateInfo.transfer_source | api.BufferCreateInfo.transfer_destination,
        }, null, &buffer));
        return buffer;
    }

    fn needsOf(gpu: *const Gpu, buffer: api.Buffer) api.MemoryRequirements {
        var needs: api.MemoryRequirements = undefined;
        gpu.vk.vkGetBufferMemoryRequirements(gpu.device, buffer, &needs);
        return needs;
    }

    /// Gives blocks back of which nothing is in use. Nothing of the device may be running.
    pub fn trim(h: *Heap, gpu: *Gpu) void {
        for (&h.free) |*head| {
            var index = head.*;
            head.* = chunks.none;
            while (index != chunks.none) {
                const chunk = chunks.at(index);
                index = chunk.next;
                if (chunk.block.used == 0) {
                    chunks.remove(chunk);
                } else {
                    chunk.next = head.*;
                    head.* = chunk.index;
                }
            }
        }
        var link = &h.blocks;
        while (link.*) |block| {
            if (block.used > 0) {
                link = &block.next;
                continue;
            }
            link.* = block.next;
            h.block_total -= block.bytes;
            gpu.blocks -= 1;
            gpu.vk.vkDestroyBuffer(gpu.device, block.buffer, null);
            gpu.vk.vkFreeMemory(gpu.device, block.memory, null);
            memory.gpa.destroy(block);
        }
    }
};

const testing = std.testing;

fn memoryOf(types: []const api.MemoryType, heaps: []const u64) api.MemoryProperties {
    var m: api.MemoryProperties = .{ .type_count = @intCast(types.len), .types = undefined, .heap_count = @intCast(heaps.len), .heaps = undefined };
    @memcpy(m.types[0..types.len], types);
    for (heaps, m.heaps[0..heaps.len]) |size, *heap| heap.* = .{ .size = size, .flags = 0 };
    return m;
}

test "heap: tensors go to the largest heap of the device, copies to cached memory of the host" {
    const all = ~@as(u32, 0);
    // As a discrete GPU lists it: its own memory, the host's, cached and not, and a small window through which the host sees the device's.
    const discrete = memoryOf(&.{
        .{ .flags = 0, .heap = 1 },
        .{ .flags = 7, .heap = 2 },
        .{ .flags = 1, .heap = 0 },
        .{ .flags = 6, .heap = 1 },
        .{ .flags = 14, .heap = 1 },
    }, &.{ 80 << 30, 64 << 30, 256 << 20 });
    try testing.expectEqual(2, pick(&discrete, all, .device));
    try testing.expectEqual(4, pick(&discrete, all, .host));
    // Parameters go through the window, or where there is none stay with the host.
    try testing.expectEqual(1, pick(&discrete, all, .parameters));
    try testing.expectEqual(3, pick(&discrete, all & ~@as(u32, 1 << 1 | 1 << 4), .parameters));
    // What buffers may not use is not taken, however well it would suit.
    try testing.expectEqual(1, pick(&discrete, all & ~@as(u32, 1 << 2), .device));
    try testing.expectEqual(3, pick(&discrete, all & ~@as(u32, 1 << 4), .host));
    try testing.expectEqual(null, pick(&discrete, 0b101, .host));
    // Without cached memory the host's own, though the window is larger.
    const uncached = memoryOf(&.{ .{ .flags = 7, .heap = 0 }, .{ .flags = 6, .heap = 1 }, .{ .flags = 7, .heap = 0 } }, &.{ 80 << 30, 8 << 30 });
    try testing.expectEqual(1, pick(&uncached, all, .host));
    try testing.expectEqual(0, pick(&uncached, all, .device));
    // Cached memory that is not coherent is no choice.
    const incoherent = memoryOf(&.{ .{ .flags = 11, .heap = 0 }, .{ .flags = 7, .heap = 0 } }, &.{8 << 30});
    try testing.expectEqual(1, pick(&incoherent, all, .host));
    // One memory for both.
    const unified = memoryOf(&.{.{ .flags = 15, .heap = 0 }}, &.{8 << 30});
    try testing.expectEqual(0, pick(&unified, all, .host));
    try testing.expectEqual(0, pick(&unified, all, .device));
    // Protected, lazily made, and a vendor's uncached memory want features.
    const special = memoryOf(&.{ .{ .flags = 1 | 0x20, .heap = 0 }, .{ .flags = 1 | 0x10, .heap = 0 }, .{ .flags = 14 | 0xc0, .heap = 0 }, .{ .flags = 15, .heap = 1 } }, &.{ 80 << 30, 8 << 30 });
    try testing.expectEqual(3, pick(&special, all, .device));
    try testing.expectEqual(3, pick(&special, all, .host));
}

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

pub const Block = struct {
    gpu: *Gpu,
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

pub const Kind = enum { device, host };

pub const Fault = error{ OutOfMemory, DeviceLost };

pub const Heap = struct {
    kind: Kind,
    type_index: u32,
    flags: u32,
    blocks: ?*Block = null,
    free: [256]u32 = @splat(chunks.none),
    used_bytes: u64 = 0,
    block_total: u64 = 0,

    pub fn init(gpu: *const Gpu, kind: Kind) error{Unsupported}!Heap {
        const wanted = switch (kind) {
            // Device-local memory, else any.
            .device => [_]u32{ api.MemoryType.device_local, 0 },
            // The host reads results there: cached memory is many times faster for that.
            .host => [_]u32{
                api.MemoryType.host_visible | api.MemoryType.host_coherent | api.MemoryType.host_cached,
                api.MemoryType.host_visible | api.MemoryType.host_coherent,
            },
        };
        const types = gpu.adapter.memory.types[0..gpu.adapter.memory.type_count];
        for (wanted) |flags| {
            var best: ?usize = null;
            for (types, 0..) |t, i| {
                if (t.flags & flags != flags) continue;
                // Of several the one on the largest heap.
                if (best == null or gpu.adapter.memory.heaps[t.heap].size > gpu.adapter.memory.heaps[types[best.?].heap].size) best = i;
            }
            if (best) |i| return .{ .kind = kind, .type_index = @intCast(i), .flags = types[i].flags };
        }
        return error.Unsupported;
    }

    /// A chunk of at least `bytes` bytes, with undefined content. The caller holds the device's lock.
    pub fn alloc(h: *Heap, gpu: *Gpu, bytes: u64) Fault!*Chunk {
        // Bindings start at multiples of 256 bytes at the most.
        const rounded = std.mem.alignForward(u64, @max(1, bytes), 256);
        const class = memory.classOf(rounded);
        // Rounded up to its class it could be longer than a binding may be.
        const size = if (class.bytes > gpu.rangeMax()) rounded else class.bytes;
        const chunk = h.take(gpu, class.index, size) catch |e| again: {
            if (e != error.OutOfMemory) return e;
            try gpu.trimLocked();
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
        const block = if (size >= dedicated_bytes) try h.grow(gpu, size) else open: {
            if (h.blocks) |b| if (b.bytes - b.cut >= size) break :open b;
            break :open try h.grow(gpu, block_bytes);
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

    fn grow(h: *Heap, gpu: *Gpu, bytes: u64) Fault!*Block {
        const vk = &gpu.vk;
        const block = std.heap.c_allocator.create(Block) catch return error.OutOfMemory;
        errdefer std.heap.c_allocator.destroy(block);
        var buffer: api.Buffer = .none;
        try gpu.done(vk.vkCreateBuffer(gpu.device, &.{
            .size = bytes,
            .usage = api.BufferCreateInfo.storage | api.BufferCreateInfo.transfer_source | api.BufferCreateInfo.transfer_destination,
        }, null, &buffer));
        errdefer vk.vkDestroyBuffer(gpu.device, buffer, null);
        var needs: api.MemoryRequirements = undefined;
        vk.vkGetBufferMemoryRequirements(gpu.device, buffer, &needs);
        if (needs.type_bits >> @intCast(h.type_index) & 1 == 0) return error.OutOfMemory;
        var memory_: api.Memory = .none;
        try gpu.done(vk.vkAllocateMemory(gpu.device, &.{ .size = needs.size, .memory_type = h.type_index }, null, &memory_));
        errdefer vk.vkFreeMemory(gpu.device, memory_, null);
        try gpu.done(vk.vkBindBufferMemory(gpu.device, buffer, memory_, 0));
        var mapped: ?[*]u8 = null;
        if (h.kind == .host) {
            var pointer: [*]u8 = undefined;
            try gpu.done(vk.vkMapMemory(gpu.device, memory_, 0, api.whole_size, 0, &pointer));
            mapped = pointer;
        }
        block.* = .{ .gpu = gpu, .memory = memory_, .buffer = buffer, .bytes = bytes, .cut = 0, .used = 0, .mapped = mapped, .next = h.blocks };
        gpu.counts.allocations += 1;
        h.block_total += bytes;
        // A block of its own is full at once: the one that is being cut stays in front.
        if (h.blocks != null and bytes != block_bytes) {
            block.next = h.blocks.?.next;
            h.blocks.?.next = block;
        } else h.blocks = block;
        return block;
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
            gpu.vk.vkDestroyBuffer(gpu.device, block.buffer, null);
            gpu.vk.vkFreeMemory(gpu.device, block.memory, null);
            std.heap.c_allocator.destroy(block);
        }
    }
};

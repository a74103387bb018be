//! A slot map: u32 handles to values that never move.
//!
//! A handle is a slot index (20 bits) below a generation (12 bits, never 0, so 0 is never a handle). Slots are reused oldest first, and only once
//! `reuse_after` of them wait, so a stale handle is told apart until about 4096·4095 later allocations. Generations wrap: retiring worn-out
//! slots would end a training run of a few days instead, and a wrapped handle still names a live value of its own thread, never a bad pointer.

const std = @import("std");
const assert = std.debug.assert;
const memory = @import("memory.zig");
const Mutex = @import("parallel/futex.zig").Mutex;

const index_bits = 20;
const generation_max = (1 << (32 - index_bits)) - 1;
const segment_len = 1024;
const reuse_after = 4096;
pub const capacity = 1 << index_bits;

pub fn Slots(comptime T: type) type {
    return struct {
        const Self = @This();
        const none = std.math.maxInt(u32);

        const Slot = struct {
            /// The generation of the value, or 0 while the slot is free. Published last.
            live: std.atomic.Value(u32) = .init(0),
            generation: u32 = 0,
            next_free: u32 = none,
            value: T = undefined,
        };

        lock: Mutex = .{},
        segments: [capacity / segment_len]?*[segment_len]Slot = @splat(null),
        made: u32 = 0,
        free_first: u32 = none,
        free_last: u32 = none,
        free_count: u32 = 0,

        pub fn add(self: *Self, value: T) error{OutOfMemory}!u32 {
            self.lock.lock();
            defer self.lock.unlock();
            const index = if (self.free_count > reuse_after or self.made == capacity) self.takeFree() orelse return error.OutOfMemory else try self.grow();
            const slot = self.at(index);
            slot.generation = if (slot.generation == generation_max) 1 else slot.generation + 1;
            slot.value = value;
            slot.live.store(slot.generation, .release);
            return slot.generation << index_bits | index;
        }

        /// The value behind a handle, or null if there is none (any more).
        pub fn get(self: *Self, handle: u32) ?*T {
            const index = handle & (capacity - 1);
            const segment = @atomicLoad(?*[segment_len]Slot, &self.segments[index / segment_len], .acquire) orelse return null;
            const slot = &segment[index % segment_len];
            const generation = handle >> index_bits;
            if (generation == 0 or slot.live.load(.acquire) != generation) return null;
            return &slot.value;
        }

        /// Frees the slot of a handle that `get` has just found.
        pub fn remove(self: *Self, handle: u32) void {
            self.lock.lock();
            defer self.lock.unlock();
            const index = handle & (capacity - 1);
            const slot = self.at(index);
            assert(slot.live.load(.monotonic) == handle >> index_bits);
            slot.live.store(0, .release);
            slot.next_free = none;
            if (self.free_count == 0) self.free_first = index else self.at(self.free_last).next_free = index;
            self.free_last = index;
            self.free_count += 1;
        }

        /// The live handle of slot `index`, or 0. Walk `index` up to `made` to see all.
        pub fn liveHandle(self: *Self, index: u32) u32 {
            const generation = self.at(index).live.load(.acquire);
            return if (generation == 0) 0 else generation << index_bits | index;
        }

        fn at(self: *Self, index: u32) *Slot {
            return &self.segments[index / segment_len].?[index % segment_len];
        }

        fn takeFree(self: *Self) ?u32 {
            if (self.free_count == 0) return null;
            const index = self.free_first;
            self.free_first = self.at(index).next_free;
            self.free_count -= 1;
            return index;
        }

        fn grow(self: *Self) error{OutOfMemory}!u32 {
            const index = self.made;
            const segment = &self.segments[index / segment_len];
            if (segment.* == null) {
                const fresh = memory.gpa.create([segment_len]Slot) catch return error.OutOfMemory;
                fresh.* = @splat(.{});
                @atomicStore(?*[segment_len]Slot, segment, fresh, .release);
            }
            self.made += 1;
            return index;
        }
    };
}

test "a handle is valid until its value is removed, and never again" {
    const gpa = std.testing.allocator;
    const slots = try gpa.create(Slots(u64));
    defer gpa.destroy(slots);
    slots.* = .{};
    const a = try slots.add(7);
    const b = try slots.add(8);
    try std.testing.expectEqual(@as(u64, 7), slots.get(a).?.*);
    slots.remove(a);
    try std.testing.expectEqual(null, slots.get(a));
    try std.testing.expectEqual(@as(u64, 8), slots.get(b).?.*);
    for ([_]u32{ 0, 1, 0xffff_ffff, b + 1, b +% (1 << index_bits) }) |forged| try std.testing.expectEqual(null, slots.get(forged));
    // 20 000 more allocations reuse slots, and the stale handle stays unknown.
    for (0..20_000) |i| {
        const h = try slots.add(i);
        try std.testing.expectEqual(null, slots.get(a));
        try std.testing.expectEqual(@as(u64, i), slots.get(h).?.*);
        slots.remove(h);
    }
    for (slots.segments) |segment| if (segment) |s| memory.gpa.destroy(s);
}

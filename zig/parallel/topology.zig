//! What the process may use: cores by speed, their caches, the affinity mask and the quota. Read once, from the system that it runs on.

const std = @import("std");
const builtin = @import("builtin");
const linux = @import("topology/linux.zig");
const macos = @import("topology/macos.zig");
const model = @import("topology/model.zig");
const processor = @import("topology/processor.zig");
const windows = @import("topology/windows.zig");
const Mutex = @import("futex.zig").Mutex;

pub const Caches = model.Caches;
pub const Class = model.Class;
pub const Topology = model.Topology;
pub const classes_max = model.classes_max;

var lock: Mutex = .{};
var ready: std.atomic.Value(bool) = .init(false);
var known: Topology = undefined;

/// The machine as this process sees it, read at the first call.
pub fn get() *const Topology {
    if (!ready.load(.acquire)) {
        lock.lock();
        defer lock.unlock();
        if (!ready.load(.monotonic)) {
            known = read();
            ready.store(true, .release);
        }
    }
    return &known;
}

fn read() Topology {
    return switch (builtin.os.tag) {
        .linux => linux.understand(linux.System{}),
        .macos => macos.understand(macos.System{}),
        .windows => windows.read(),
        else => .init(null, 1, &.{.{ .cores = 1, .capacity = 1024, .caches = processor.caches(1) }}),
    };
}

const testing = std.testing;

test "topology: this machine has a core, caches, and as many processors as the process may run on" {
    const t = get();
    try testing.expect(t.cores >= 1 and t.cores <= t.processors);
    try testing.expectEqual(try std.Thread.getCpuCount(), t.processors);
    try testing.expect(t.class_count >= 1);
    try testing.expectEqual(1024, t.all()[0].capacity);
    try testing.expect(t.caches.l1 >= 8 << 10 and t.caches.l2 >= t.caches.l1);
    try testing.expectEqual(t, get());
}

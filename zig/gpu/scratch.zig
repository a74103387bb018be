//! Memory of a GPU for the length of a call. It may be freed as soon as its work is recorded: whatever uses it next comes later in the same queue.

const device = @import("../device.zig");
const Chunk = @import("vulkan/chunks.zig").Chunk;
const Error = @import("../status.zig").Error;

pub const Scratch = struct {
    chunk: *Chunk,

    pub fn init(d: *const device.Device, bytes: usize) Error!Scratch {
        return .{ .chunk = try d.gpu.?.alloc(bytes) };
    }

    pub fn deinit(s: Scratch) void {
        s.chunk.block.gpu.free(s.chunk);
    }

    pub fn ptr(s: Scratch, comptime T: type) [*]T {
        return @ptrCast(s.chunk.address());
    }
};

//! Memory of a GPU for the length of a call. Scratch may be freed as soon as its work is recorded: whatever uses it next comes later in the same queue.

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

/// What a call's shaders read that does not fit their push constants. The host writes it in place, before the call records what reads it.
pub const Parameters = struct {
    chunk: *Chunk,

    pub fn init(d: *const device.Device, bytes: usize) Error!Parameters {
        return .{ .chunk = try d.gpu.?.allocParameters(bytes) };
    }

    pub fn deinit(p: Parameters) void {
        p.chunk.block.gpu.freeParameters(p.chunk);
    }

    /// Where the host writes.
    pub fn written(p: Parameters, comptime T: type) [*]T {
        return @ptrCast(@alignCast(p.chunk.block.mapped.? + p.chunk.offset));
    }

    /// Where shaders read.
    pub fn read(p: Parameters, comptime T: type) [*]const T {
        return @ptrCast(p.chunk.address());
    }
};

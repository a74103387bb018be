//! Elementwise sum with broadcasting: out = a + b. Integers wrap.

const binary = @import("../row/binary.zig");
const device = @import("../device.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");

const Formula = struct {
    pub inline fn apply(a: anytype, b: @TypeOf(a)) @TypeOf(a) {
        return if (comptime binary.wraps(@TypeOf(a))) a +% b else a + b;
    }
};

pub const ukernels = struct {
    pub const add_f32_rows = binary.Kernel(f32, Formula).rows;
    pub const add_f64_rows = binary.Kernel(f64, Formula).rows;
    pub const add_u32_rows = binary.Kernel(u32, Formula).rows;
};

fn checked(device_: u32, out: u32, a: u32, b: u32) status.Error!void {
    return binary.submit("add", try device.get(device_), try tensor.get(out), try tensor.get(a), try tensor.get(b));
}

pub const entries = struct {
    /// Up to eight axes, any strides. `out` may be the very same view as an operand of its shape.
    pub fn add(device_: u32, out: u32, a: u32, b: u32) callconv(.c) i32 {
        return status.of(checked(device_, out, a, b));
    }
};

const Plain = struct {
    pub fn apply(comptime T: type, a: T, b: T) T {
        return if (@typeInfo(T) == .int) a +% b else a + b;
    }
};

test "add: every dtype, every layout, every cut equals the plain loop" {
    try binary.expectPlainLoop("add", Plain);
}

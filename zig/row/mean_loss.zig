//! Losses that are means over rows: a kernel of rows leaves one number of each row, and these are summed in f64 in their order.

const device = @import("../device.zig");
const memory = @import("../memory.zig");
const split = @import("split.zig");
const Device = device.Device;
const Error = @import("../status.zig").Error;

/// The kernel of `pass` over rows as by `split.overRows`, with `losses` in scratch memory, and their mean in `loss`: `count` of them count.
pub fn overRows(
    comptime T: type,
    d: *const Device,
    comptime pass: device.Pass,
    args: anytype,
    group: usize,
    bytes: u64,
    loss: *T,
    count: usize,
) Error!void {
    const scratch_bytes = args.rows * @sizeOf(T);
    const scratch = try memory.alloc(scratch_bytes);
    defer memory.free(scratch, scratch_bytes);
    var own = args;
    own.losses = @ptrCast(scratch);
    split.overRows(d, pass, own, group, bytes);
    if (d.explanation) |e| return e.noteScratch(scratch_bytes);
    loss.* = mean(T, own.losses[0..args.rows], count);
}

/// The mean of the losses of which `count` count, the others being 0.
pub fn mean(comptime T: type, losses: []const T, count: usize) T {
    var sum: f64 = 0;
    for (losses) |loss| sum += loss;
    return if (count == 0) 0 else @floatCast(sum / @as(f64, @floatFromInt(count)));
}

/// What a row that counts has its gradient multiplied by.
pub fn share(comptime T: type, dloss: T, count: usize) T {
    return dloss / @as(T, @floatFromInt(@max(1, count)));
}

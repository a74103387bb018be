//! Losses that are means over rows: a kernel of rows leaves one number of each row, and these are summed in f64 in their order, on a GPU as fold.zig sums.

const device = @import("../device.zig");
const fold = @import("fold.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
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

/// On a GPU: the shader `name` over `args.rows` rows, with `losses` in scratch memory, and the mean of them all in `loss`.
pub fn dispatch(d: *const Device, comptime name: []const u8, args: anytype, work: launch.Work, loss: *f32) Error!void {
    const scratch: Scratch = try .init(d, args.rows * @sizeOf(f32));
    defer scratch.deinit();
    var own = args;
    own.losses = scratch.ptr(f32);
    try launch.launch(d, name, own, work);
    const divisor: f32 = @floatFromInt(@max(1, args.rows));
    try fold.dispatchRows(f32, d, own.losses, .{ .rows = 1, .cols = args.rows, .stride = args.rows }, .{ .out = @ptrCast(loss), .divisor = divisor });
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

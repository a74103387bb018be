//! How row-wise and elementwise work is cut: by rows, or, where each element is treated by itself, inside the row where there is only one.
//!
//! A kernel of rows takes one extern struct. It has `rows`, and `cols` for a task of this file; a pointer that moves with the rows has its step in
//! elements beside it, `x` and `x_stride`, a constant of the struct where it is always the same, and may be null; one without a step is the same for
//! all rows. Where there is a `row`, it is the place of the first row, and where there is a `first`, that of the first element along all rows. The
//! first field points to elements of the type that the kernel computes in.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const Device = device.Device;
const Error = @import("../status.zig").Error;

/// Elements that stay together when one long row is cut: whole cache lines, whole vectors.
const together = 256;

/// The kernel of `pass` over the rows of `args`, cut between whole groups of `group` rows, for a call that touches `bytes` bytes.
pub fn overRows(d: *const Device, comptime pass: device.Pass, args: anytype, group: usize, bytes: u64) void {
    const Of = Call(@TypeOf(args));
    d.overRange(pass, args.rows, group, bytes, Of.of(d, args, pass), Of.byRow);
}

/// A task: the kernel of `pass` over the rows of `args`, for a call that touches `streams` matrices.
pub fn Rows(comptime Args: type, comptime pass: device.Pass, comptime streams: comptime_int) type {
    return struct {
        args: Args,

        /// Any number of rows without columns, of which no statistics are wanted.
        pub fn isEmpty(self: *const @This()) bool {
            return self.args.cols == 0 and (!@hasField(Args, "stats") or self.args.stats == null);
        }

        pub fn run(self: @This(), d: *const Device) void {
            overRows(d, pass, self.args, 1, bytesOf(self.args, streams));
        }

        /// The shader of the kernel's name, a workgroup a row, which passes over it three times unless the arguments' type says more.
        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (comptime !launch.exists(pass.kernel.?)) return error.Unsupported;
            return launch.launch(d, pass.kernel.?, self.args, launch.byRow(self.args.rows, self.args.cols, if (@hasDecl(Args, "passes")) Args.passes else 3));
        }
    };
}

/// As `Rows`, where a result's element depends on the elements at its place alone.
pub fn Elements(comptime Args: type, comptime pass: device.Pass, comptime streams: comptime_int) type {
    return struct {
        args: Args,

        pub fn run(self: @This(), d: *const Device) void {
            if (self.args.rows != 1) return (Rows(Args, pass, streams){ .args = self.args }).run(d);
            d.overRange(pass, self.args.cols, together, bytesOf(self.args, streams), Call(Args).of(d, self.args, pass), Call(Args).inside);
        }

        /// The shader of the kernel's name, a thread an element.
        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (comptime !launch.exists(pass.kernel.?)) return error.Unsupported;
            return launch.launch(d, pass.kernel.?, self.args, launch.byElement(pass.kernel.?, self.args.rows * self.args.cols));
        }
    };
}

fn bytesOf(args: anytype, comptime streams: comptime_int) u64 {
    return streams * @sizeOf(Element(@TypeOf(args))) * args.rows * args.cols;
}

fn Element(comptime Args: type) type {
    const First = @FieldType(Args, std.meta.fieldNames(Args)[0]);
    return switch (@typeInfo(First)) {
        .optional => |o| @typeInfo(o.child).pointer.child,
        else => @typeInfo(First).pointer.child,
    };
}

fn Call(comptime Args: type) type {
    return struct {
        args: Args,
        kernel: *const fn (*const Args) callconv(.c) void,

        fn of(d: *const Device, args: Args, comptime pass: device.Pass) @This() {
            return .{ .args = args, .kernel = d.kernel(fn (*const Args) callconv(.c) void, pass.kernel.?) };
        }

        fn byRow(c: @This(), begin: usize, end: usize) void {
            c.kernel(&part(c.args, begin, end - begin));
        }

        fn inside(c: @This(), begin: usize, end: usize) void {
            var args = c.args;
            move(&args, begin, true);
            args.cols = end - begin;
            if (@hasField(Args, "first")) args.first += begin;
            c.kernel(&args);
        }
    };
}

/// The arguments for `rows` rows from `row` on.
pub fn part(args: anytype, row: usize, rows: usize) @TypeOf(args) {
    var some = args;
    move(&some, row, false);
    some.rows = rows;
    if (@hasField(@TypeOf(args), "row")) some.row += row;
    if (@hasField(@TypeOf(args), "first")) some.first += row * args.cols;
    return some;
}

/// Moves the pointers on by so many rows, or so many columns.
fn move(args: anytype, steps: usize, comptime columns: bool) void {
    const Args = @TypeOf(args.*);
    inline for (comptime std.meta.fieldNames(Args)) |name| if (@hasField(Args, name ++ "_stride") or @hasDecl(Args, name ++ "_stride")) {
        const stride = if (@hasField(Args, name ++ "_stride")) @field(args, name ++ "_stride") else @field(Args, name ++ "_stride");
        const by = if (columns) steps else steps * stride;
        const pointer = &@field(args, name);
        if (@typeInfo(@TypeOf(pointer.*)) == .optional) {
            if (pointer.*) |p| pointer.* = p + by;
        } else pointer.* += by;
    };
}

test "split: pointers move by their own strides, null and constant ones stay" {
    const Args = extern struct {
        out: [*]f32,
        mask: ?[*]const f32,
        other: ?[*]const f32,
        pairs: [*]const f32,
        weight: [*]const f32,
        rows: usize,
        cols: usize,
        out_stride: usize,
        mask_stride: usize,
        other_stride: usize,
        row: usize,
        first: usize,

        pub const pairs_stride = 2;
    };
    var memory: [64]f32 = undefined;
    const args: Args = .{
        .out = &memory,
        .mask = &memory,
        .other = null,
        .pairs = &memory,
        .weight = &memory,
        .rows = 9,
        .cols = 5,
        .out_stride = 5,
        .mask_stride = 0,
        .other_stride = 3,
        .row = 1,
        .first = 7,
    };
    const some = part(args, 4, 2);
    try std.testing.expectEqual(args.out + 20, some.out);
    try std.testing.expectEqual(args.mask, some.mask);
    try std.testing.expectEqual(null, some.other);
    try std.testing.expectEqual(args.pairs + 8, some.pairs);
    try std.testing.expectEqual(args.weight, some.weight);
    try std.testing.expectEqual(2, some.rows);
    try std.testing.expectEqual(5, some.row);
    try std.testing.expectEqual(7 + 20, some.first);
    try std.testing.expectEqual(3 * 4 * 9 * 5, bytesOf(args, 3));
}

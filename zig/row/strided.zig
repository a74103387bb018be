//! Walks tensors of one shape together, whatever their strides, in blocks of rows × columns that micro-kernels take.
//!
//! Axes of one element are dropped, a broadcast axis has stride 0, the axes are ordered by the stride of the first operand, and neighbours that every
//! operand walks with one stride become one axis. So contiguous tensors are one long row, and a slice of columns is two axes, whatever their rank.
//! For work that treats each element by itself: the cut into blocks must not show in the result.

const std = @import("std");
const assert = std.debug.assert;
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const tensor = @import("../tensor.zig");
const Error = @import("../status.zig").Error;
const Tensor = tensor.Tensor;

/// Chunks are cut at multiples of this many elements: whole cache lines where the output is contiguous.
const unit = 64;

/// A block: for each operand the element that it starts at and its steps, in elements.
pub fn Block(comptime operands: usize) type {
    return struct {
        rows: usize,
        cols: usize,
        at: [operands]isize,
        row: [operands]isize,
        col: [operands]isize,
    };
}

/// Axes that a shader walks; those beyond are walked here.
const gpu_axes = 4;

/// A walk as shaders take it: elements, sizes, and the steps of each operand along the axes.
pub fn Axes(comptime operands: usize) type {
    return extern struct { count: usize, sizes: [gpu_axes]usize, strides: [operands * gpu_axes]isize };
}

pub fn Walk(comptime operands: usize) type {
    return struct {
        const Self = @This();

        rank: usize = 0,
        /// The fastest axis first.
        sizes: [tensor.rank_max]usize = undefined,
        strides: [tensor.rank_max][operands]isize = undefined,
        count: usize = 1,

        /// The first operand is written: its shape is the one that the others broadcast to, and no two of its elements may be one.
        pub fn init(all: [operands]*const Tensor) Error!Self {
            var self: Self = .{};
            const out = all[0];
            var rank: usize = 0;
            for (all[1..]) |x| rank = @max(rank, x.rank);
            if (operands > 1 and out.rank != rank) return error.ShapeMismatch;
            for (0..out.rank) |i| {
                const size = out.fromEnd(i);
                var stretched = operands > 1;
                var strides: [operands]isize = undefined;
                for (all, 0..) |x, k| {
                    const own = x.fromEnd(i);
                    if (own != size and own != 1) return error.ShapeMismatch;
                    strides[k] = if (own == 1) 0 else x.strideFromEnd(i);
                    if (k > 0 and own == size) stretched = false;
                }
                if (stretched) return error.ShapeMismatch;
                self.count *|= size; // more than there can be only where a size of 0 follows
                if (size != 1) self.insert(size, strides);
            }
            if (self.count == 0) return self;
            if (!self.distinct()) return error.Overlap;
            self.merge();
            return self;
        }

        /// Keeps the axes ordered by the first operand's stride, an axis that comes later behind those of the same stride.
        fn insert(self: *Self, size: usize, strides: [operands]isize) void {
            var i = self.rank;
            while (i > 0 and @abs(self.strides[i - 1][0]) > @abs(strides[0])) : (i -= 1) {
                self.sizes[i] = self.sizes[i - 1];
                self.strides[i] = self.strides[i - 1];
            }
            self.sizes[i] = size;
            self.strides[i] = strides;
            self.rank += 1;
        }

        /// Whether the first operand's elements are surely apart: each axis steps over all that the faster ones reach.
        fn distinct(self: *const Self) bool {
            var reach: usize = 0;
            for (self.sizes[0..self.rank], self.strides[0..self.rank]) |size, strides| {
                const step = @abs(strides[0]);
                if (step <= reach) return false;
                reach += step * (size - 1);
            }
            return true;
        }

        fn merge(self: *Self) void {
            var kept: usize = 0;
            for (0..self.rank) |i| {
                if (kept > 0 and self.continues(kept - 1, i)) {
                    self.sizes[kept - 1] *= self.sizes[i];
                    continue;
                }
                self.sizes[kept] = self.sizes[i];
                self.strides[kept] = self.strides[i];
                kept += 1;
            }
            self.rank = kept;
        }

        fn continues(self: *const Self, inner: usize, outer: usize) bool {
            for (self.strides[inner], self.strides[outer]) |s, t| if (t != s * @as(isize, @intCast(self.sizes[inner]))) return false;
            return true;
        }

        pub fn cols(self: *const Self) usize {
            return if (self.rank == 0) 1 else self.sizes[0];
        }

        /// Calls `body(ctx, block)` for blocks that cover every element once, on the workers that a call over `bytes` bytes deserves.
        pub fn run(
            self: *const Self,
            d: *const device.Device,
            comptime pass: device.Pass,
            bytes: u64,
            ctx: anytype,
            comptime body: fn (@TypeOf(ctx), Block(operands)) void,
        ) void {
            const Part = struct {
                walk: *const Self,
                inner: @TypeOf(ctx),
                fn range(p: @This(), begin: usize, end: usize) void {
                    p.walk.blocks(begin, end, p.inner, body);
                }
            };
            d.overRange(pass, self.count, unit, bytes, Part{ .walk = self, .inner = ctx }, Part.range);
        }

        /// Records the shader `name` for every element. The first fields of `args` are the operands' pointers; its field `axes` is filled in here.
        pub fn dispatch(self: *const Self, d: *const device.Device, comptime name: []const u8, args: anytype) Error!void {
            return self.dispatchAs(d, name, args, .{});
        }

        pub const How = struct {
            /// What part of its op it is, for `explain`.
            step: ?[]const u8 = null,
            /// A workgroup takes a square of so many elements along the first two axes; without it a thread takes an element.
            square: ?usize = null,
        };

        pub fn dispatchAs(self: *const Self, d: *const device.Device, comptime name: []const u8, args: anytype, how: How) Error!void {
            var a = args;
            a.axes = .{ .count = @intFromBool(self.count > 0), .sizes = @splat(1), .strides = @splat(0) };
            const inner = @min(self.rank, gpu_axes);
            for (0..inner) |i| {
                a.axes.count *= self.sizes[i];
                a.axes.sizes[i] = self.sizes[i];
                for (0..operands) |k| a.axes.strides[k * gpu_axes + i] = self.strides[i][k];
            }
            var outer: usize = 1;
            for (self.sizes[inner..self.rank]) |size| outer *= size;
            var work = launch.byElement(name, a.axes.count);
            work.step = how.step;
            if (how.square) |edge| {
                work.groups = 1;
                for (a.axes.sizes, 0..) |size, i| work.groups *= if (i < 2) std.math.divCeil(usize, size, edge) catch unreachable else size;
            }
            for (0..outer) |index| {
                var some = a;
                var rest = index;
                for (inner..self.rank) |i| {
                    const at: isize = @intCast(rest % self.sizes[i]);
                    rest /= self.sizes[i];
                    inline for (comptime std.meta.fieldNames(@TypeOf(args))[0..operands], 0..) |field, k| {
                        @field(some, field) = offset(@field(some, field), at * self.strides[i][k]);
                    }
                }
                try launch.launch(d, name, some, work);
            }
        }

        /// The walk of the first `count` operands alone.
        pub fn only(self: *const Self, comptime count: usize) Walk(count) {
            var some: Walk(count) = .{ .rank = self.rank, .sizes = self.sizes, .count = self.count };
            for (some.strides[0..self.rank], self.strides[0..self.rank]) |*to, from| to.* = from[0..count].*;
            return some;
        }

        /// The same elements with another axis in the second place.
        pub fn withSecond(self: *const Self, axis: usize) Self {
            var some = self.*;
            std.mem.swap(usize, &some.sizes[1], &some.sizes[axis]);
            std.mem.swap([operands]isize, &some.strides[1], &some.strides[axis]);
            return some;
        }

        fn blocks(self: *const Self, begin: usize, end: usize, ctx: anytype, comptime body: fn (@TypeOf(ctx), Block(operands)) void) void {
            const n = self.cols();
            const zero: [operands]isize = @splat(0);
            const col = if (self.rank > 0) self.strides[0] else zero;
            const row = if (self.rank > 1) self.strides[1] else zero;
            const rows = if (self.rank > 1) self.sizes[1] else 1;
            // Where the chunk begins: index of each axis from 1 on, and the offset they make.
            var index: [tensor.rank_max]usize = @splat(0);
            var base = zero;
            var rest = begin / n;
            for (1..@max(self.rank, 1)) |axis| {
                index[axis] = rest % self.sizes[axis];
                rest /= self.sizes[axis];
                move(&base, self.strides[axis], index[axis]);
            }
            var first = begin % n;
            var left = end - begin;
            while (left > 0) {
                var at = base;
                move(&at, col, first);
                var taken: usize = 1;
                if (first > 0 or left < n) {
                    const some = @min(n - first, left);
                    body(ctx, .{ .rows = 1, .cols = some, .at = at, .row = row, .col = col });
                    left -= some;
                    if (first + some < n) return;
                    first = 0;
                } else {
                    taken = @min(rows - index[1], left / n);
                    body(ctx, .{ .rows = taken, .cols = n, .at = at, .row = row, .col = col });
                    left -= taken * n;
                }
                index[1] += taken;
                move(&base, row, taken);
                var axis: usize = 1;
                while (axis < self.rank and index[axis] == self.sizes[axis]) {
                    // Back to the start of this axis, one step on the next.
                    for (&base, self.strides[axis]) |*b, s| b.* -= s * @as(isize, @intCast(self.sizes[axis]));
                    index[axis] = 0;
                    axis += 1;
                    if (axis == self.rank) break;
                    index[axis] += 1;
                    move(&base, self.strides[axis], 1);
                }
            }
        }

        fn move(at: *[operands]isize, strides: [operands]isize, steps: usize) void {
            for (at, strides) |*a, s| a.* += s * @as(isize, @intCast(steps));
        }
    };
}

/// The pointer `elements` elements on, which may be back.
pub inline fn offset(pointer: anytype, elements: isize) @TypeOf(pointer) {
    const size = @sizeOf(@typeInfo(@TypeOf(pointer)).pointer.child);
    return @ptrFromInt(@intFromPtr(pointer) +% @as(usize, @bitCast(elements * size)));
}

const testing = std.testing;

fn example(sizes: []const usize, strides: []const isize) Tensor {
    var t: Tensor = undefined;
    t.rank = @intCast(sizes.len);
    for (sizes, strides, 0..) |size, stride, i| {
        t.shape_[i] = size;
        t.strides_[i] = stride;
    }
    return t;
}

test "walk: axes merge where every operand allows it" {
    const out = example(&.{ 2, 3, 4, 5 }, &.{ 60, 20, 5, 1 });
    try testing.expectEqual(1, (try Walk(2).init(.{ &out, &out })).rank);
    const row = example(&.{5}, &.{1});
    const w = try Walk(3).init(.{ &out, &out, &row });
    try testing.expectEqual(2, w.rank);
    try testing.expectEqualSlices(usize, &.{ 5, 24 }, w.sizes[0..2]);
    const turned = example(&.{ 2, 3, 4, 5 }, &.{ 60, 1, 15, 3 });
    try testing.expectEqual(3, (try Walk(2).init(.{ &out, &turned })).rank);
    // Written in the order of the output's memory.
    try testing.expectEqual(1, (try Walk(2).init(.{ &turned, &turned })).rank);
}

test "walk: shapes that do not fit and outputs that meet themselves are errors" {
    const a = example(&.{ 2, 3 }, &.{ 3, 1 });
    const b = example(&.{3}, &.{1});
    const one = example(&.{ 1, 3 }, &.{ 3, 1 });
    try testing.expectError(error.ShapeMismatch, Walk(2).init(.{ &b, &a }));
    try testing.expectError(error.ShapeMismatch, Walk(2).init(.{ &a, &b }));
    try testing.expectError(error.ShapeMismatch, Walk(3).init(.{ &a, &one, &b }));
    _ = try Walk(3).init(.{ &a, &a, &b });
    try testing.expectError(error.Overlap, Walk(2).init(.{ &example(&.{ 2, 3 }, &.{ 0, 1 }), &a }));
    try testing.expectError(error.Overlap, Walk(2).init(.{ &example(&.{ 2, 3 }, &.{ 2, 1 }), &a }));
    try testing.expectEqual(0, (try Walk(2).init(.{ &example(&.{ 0, 3 }, &.{ 0, 0 }), &example(&.{ 0, 3 }, &.{ 3, 1 }) })).count);
}

test "walk: every element is met once, at the right place, for every cut" {
    const out = example(&.{ 3, 2, 5, 4 }, &.{ 40, 20, 4, 1 });
    const x = example(&.{ 3, 2, 5, 4 }, &.{ 1, 0, 3, 15 });
    const w = try Walk(2).init(.{ &out, &x });
    const Mark = struct {
        seen: *[120]isize,
        fn body(m: @This(), b: Block(2)) void {
            for (0..b.rows) |i| for (0..b.cols) |j| {
                var at = b.at;
                Walk(2).move(&at, b.row, i);
                Walk(2).move(&at, b.col, j);
                assert(m.seen[@intCast(at[0])] == -1);
                m.seen[@intCast(at[0])] = at[1];
            };
        }
    };
    for ([_]usize{ 1, 3, 4, 7, 20, 39, 120 }) |step| {
        var seen: [120]isize = @splat(-1);
        var begin: usize = 0;
        while (begin < 120) : (begin += step) w.blocks(begin, @min(begin + step, 120), Mark{ .seen = &seen }, Mark.body);
        for (seen, 0..) |at, i| {
            const wanted = (i / 40) + (i / 4 % 5) * 3 + (i % 4) * 15;
            try testing.expectEqual(@as(isize, @intCast(wanted)), at);
        }
    }
}

//! What the tests of ops share: tensors from numbers, random inputs, and comparison with an f64 reference.

const std = @import("std");
const tensor = @import("../tensor.zig");
const Guarded = @import("guard.zig").Guarded;
const testing = std.testing;

/// Tensors of one test, freed together.
pub const Tensors = struct {
    handles: [64]u32 = undefined,
    count: usize = 0,

    pub fn free(self: *Tensors) void {
        for (self.handles[0..self.count]) |h| _ = tensor.entries.tensor_free(h);
        self.count = 0;
    }

    fn own(self: *Tensors, handle: u32) u32 {
        self.handles[self.count] = handle;
        self.count += 1;
        return handle;
    }

    pub fn empty(self: *Tensors, comptime T: type, shape: []const usize) !u32 {
        return self.own(try tensor.create(tensor.Dtype.of(T), shape));
    }

    /// A tensor that holds `values`, row by row.
    pub fn from(self: *Tensors, comptime T: type, shape: []const usize, values: []const T) !u32 {
        const handle = try self.empty(T, shape);
        @memcpy(data(T, handle), values);
        return handle;
    }

    pub fn filled(self: *Tensors, comptime T: type, shape: []const usize, value: T) !u32 {
        const handle = try self.empty(T, shape);
        @memset(data(T, handle), value);
        return handle;
    }

    /// A tensor of normally distributed numbers of the given deviation.
    pub fn normal(self: *Tensors, comptime T: type, shape: []const usize, random: std.Random, deviation: f64) !u32 {
        const handle = try self.empty(T, shape);
        for (data(T, handle)) |*x| x.* = @floatCast(random.floatNorm(f64) * deviation);
        return handle;
    }

    pub fn view(self: *Tensors, base: u32, offset: usize, shape: []const usize, strides: []const usize) !u32 {
        var layout: [1 + 2 * tensor.rank_max]f64 = undefined;
        layout[0] = @floatFromInt(offset);
        for (shape, strides, 0..) |size, stride, i| {
            layout[1 + i] = @floatFromInt(size);
            layout[1 + shape.len + i] = @floatFromInt(stride);
        }
        const handle = tensor.entries.tensor_view(base, @intCast(shape.len), &layout);
        try testing.expect(handle != 0);
        return self.own(handle);
    }
};

/// The elements of a tensor without gaps, or all that follow a view's first element as far as its last one.
pub fn data(comptime T: type, handle: u32) []T {
    const t = tensor.get(handle) catch unreachable;
    if (t.count() == 0) return &.{};
    var last: usize = 0;
    for (t.shape(), t.strides()) |size, stride| last += (size - 1) * @as(usize, @intCast(stride));
    return t.ptr(T)[0 .. last + 1];
}

/// The last elements before a page that cannot be touched, holding `values`. The caller calls `memory.deinit`.
pub fn atBorder(comptime T: type, values: []const T) !struct { memory: Guarded, items: []T } {
    const memory = try Guarded.init(values.len * @sizeOf(T));
    const items = memory.last(T, values.len);
    @memcpy(items, values);
    return .{ .memory = memory, .items = items };
}

/// Tensors of one length, all `value`, each of which ends at a page that cannot be touched. The caller calls `free`.
pub fn AtBorder(comptime count: usize) type {
    return struct {
        all: Tensors = .{},
        tensors: [count]tensor.Tensor = undefined,
        memory: [count]Guarded = undefined,

        pub fn init(comptime T: type, n: usize, value: T) !@This() {
            var self: @This() = .{};
            errdefer self.all.free();
            for (&self.tensors, &self.memory) |*t, *memory| {
                t.* = (try tensor.get(try self.all.empty(T, &.{n}))).*;
                memory.* = try .init(n * @sizeOf(T));
                t.data = @ptrCast(memory.last(T, n).ptr);
                @memset(t.ptr(T)[0..n], value);
            }
            return self;
        }

        pub fn free(self: *@This()) void {
            for (self.memory) |memory| memory.deinit();
            self.all.free();
        }

        pub fn pointers(self: *const @This()) [count]*const tensor.Tensor {
            var all: [count]*const tensor.Tensor = undefined;
            for (&all, &self.tensors) |*pointer, *t| pointer.* = t;
            return all;
        }
    };
}

/// A part of the largest reference value within which results of a chain of a few hundred operations in T have to lie.
pub fn tolerance(comptime T: type) f64 {
    return if (T == f32) 1e-5 else 1e-13;
}

/// Compares with an f64 reference: the largest error has to stay below `limit` of the largest finite reference value (at least `least`).
/// NaN and infinities have to be where the reference has them.
pub fn expectScaled(comptime T: type, reference: []const f64, found: []const T, limit: f64, least: f64) !void {
    try testing.expectEqual(reference.len, found.len);
    var scale: f64 = least;
    for (reference) |r| if (std.math.isFinite(r)) {
        scale = @max(scale, @abs(r));
    };
    for (reference, found, 0..) |r, f, i| {
        const value: f64 = f;
        const same = if (std.math.isNan(r)) std.math.isNan(value) else if (std.math.isInf(r)) value == r else @abs(value - r) <= limit * scale;
        if (!same) {
            std.debug.print("element {d} of {d}: want {d}, got {d} (largest {d})\n", .{ i, reference.len, r, value, scale });
            return error.TestUnexpectedResult;
        }
    }
}

pub fn expectWithin(comptime T: type, reference: []const f64, found: []const T, limit: f64) !void {
    return expectScaled(T, reference, found, limit, 1e-12);
}

pub fn expectClose(comptime T: type, reference: []const f64, found: []const T) !void {
    return expectWithin(T, reference, found, tolerance(T));
}

/// Equal bits; any NaN equals any NaN.
pub fn expectSameBits(comptime T: type, wanted: []const T, found: []const T) !void {
    try testing.expectEqual(wanted.len, found.len);
    const U = @Int(.unsigned, @bitSizeOf(T));
    for (wanted, found, 0..) |w, f, i| {
        if (w != w and f != f) continue;
        if (@as(U, @bitCast(w)) != @as(U, @bitCast(f))) {
            std.debug.print("element {d}: bits of {d} and {d} differ\n", .{ i, w, f });
            return error.TestUnexpectedResult;
        }
    }
}

/// The numbers as f64.
pub fn widen(comptime T: type, values: []const T) ![]f64 {
    const out = try testing.allocator.alloc(f64, values.len);
    for (out, values) |*o, v| o.* = v;
    return out;
}

/// Lengths around the vector of 16 and the block of 64.
pub const lengths = blk: {
    var list: [41 + 14]usize = undefined;
    for (0..41) |i| list[i] = i;
    for ([_]usize{ 47, 48, 49, 63, 64, 65, 70, 79, 80, 81, 127, 128, 129, 200 }, 41..) |n, i| list[i] = n;
    break :blk list;
};

/// The tensors of a random order by expert: `order` u32 [rows·slots] and `places` u32 [rows, slots], which undo each other.
pub fn permutation(t: *Tensors, rows: usize, slots: usize, random: std.Random) !struct { order: u32, places: u32 } {
    const order = try t.empty(u32, &.{rows * slots});
    const places = try t.empty(u32, &.{ rows, slots });
    for (data(u32, order), 0..) |*o, i| o.* = @intCast(i);
    random.shuffle(u32, data(u32, order));
    for (data(u32, order), 0..) |o, p| data(u32, places)[o] = @intCast(p);
    return .{ .order = order, .places = places };
}

//! Clipping by a global norm, over all gradients at once: norm = √Σ x² of every element, and the factor limit / norm where the norm is finite and above the
//! limit, else 1. A norm that is NaN or infinite leaves the gradients as they are, so that the caller sees what happened.

const std = @import("std");
const binary = @import("../row/binary.zig");
const list = @import("../row/list.zig");
const simd = @import("../isa/simd.zig");
const sum_of_squares = @import("sum_of_squares.zig");
const device = @import("../device.zig");
const fold = @import("../row/fold.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Where a number goes, in f32 or f64.
const Place = union(enum) {
    f32: *f32,
    f64: *f64,

    fn of(t: *const Tensor) Error!Place {
        if (t.count() != 1) return error.ShapeMismatch;
        return switch (t.dtype) {
            .f32 => .{ .f32 = &t.ptr(f32)[0] },
            .f64 => .{ .f64 = &t.ptr(f64)[0] },
            else => error.Unsupported,
        };
    }

    /// The place of an f32; null for an f64.
    fn single(p: Place) ?[*]f32 {
        return if (p == .f32) @ptrCast(p.f32) else null;
    }

    fn set(p: Place, value: f64) void {
        switch (p) {
            inline else => |at| at.* = @floatCast(value),
        }
    }
};

fn Factor(comptime T: type) type {
    return struct {
        norm: Place,
        factor: Place,
        gradients: []const *const Tensor,
        limit: f64,

        pub fn run(self: *const @This(), d: *const Device) Error!void {
            const gpa = std.heap.c_allocator;
            const sums = gpa.alloc(f64, self.gradients.len) catch return error.OutOfMemory;
            defer gpa.free(sums);
            try sum_of_squares.sums(T, d, self.gradients, sums);
            if (d.explains()) return;
            var total: f64 = 0;
            for (sums) |s| total += s;
            const norm = @sqrt(total);
            const clips = std.math.isFinite(norm) and norm > self.limit;
            self.norm.set(norm);
            self.factor.set(if (clips) self.limit / norm else 1);
        }

        const Parts = extern struct { out: [*]f32, x: [*]const f32, count: usize, each: usize };
        const Joined = extern struct { norm: [*]f32, factor: [*]f32, parts: [*]const f32, count: usize, limit: f32 };

        /// The squares are added in f32 there: a norm beyond 1e19 is infinite, and then nothing is clipped.
        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const norm, const factor = .{ self.norm.single() orelse return error.Unsupported, self.factor.single() orelse return error.Unsupported };
            var count: usize = 0;
            for (self.gradients) |g| {
                if (!g.contiguous()) return error.LayoutMismatch;
                count += partsOf(g.count());
            }
            const scratch: Scratch = try .init(d, count * @sizeOf(f32));
            defer scratch.deinit();
            var at: usize = 0;
            for (self.gradients) |g| {
                const n = g.count();
                const parts = partsOf(n);
                try launch.launch(d, "norm_parts_f32", Parts{ .out = scratch.ptr(f32) + at, .x = g.ptr(f32), .count = n, .each = fold.partLen(n) }, .{
                    .groups = parts,
                    .cost = 2 * n,
                    .rounds = fold.rounds(fold.partLen(n)),
                });
                at += parts;
            }
            try launch.launch(d, "clip_factor_f32", Joined{
                .norm = norm,
                .factor = factor,
                .parts = scratch.ptr(f32),
                .count = count,
                .limit = @floatCast(self.limit),
            }, .{ .groups = 1, .cost = count, .rounds = fold.rounds(count), .step = "join" });
        }

        fn partsOf(n: usize) usize {
            return std.math.divCeil(usize, n, fold.partLen(n)) catch unreachable;
        }
    };
}

fn factorOn(d: *const Device, norm: *const Tensor, factor: *const Tensor, gradients: []const *const Tensor, limit: f64) Error!void {
    if (!(limit >= 0)) return error.InvalidArgument;
    const dtype = gradients[0].dtype;
    try tensor.checkApart(norm, factor);
    for (gradients) |g| {
        if (g.dtype != dtype) return error.DtypeMismatch;
        for ([_]*const Tensor{ norm, factor }) |out| try tensor.checkApart(out, g);
    }
    switch (dtype) {
        inline .f32, .f64 => |of| {
            const T = if (of == .f32) f32 else f64;
            try d.submit(&Factor(T){ .norm = try .of(norm), .factor = try .of(factor), .gradients = gradients, .limit = limit });
        },
        else => return error.Unsupported,
    }
}

fn Step(comptime T: type) type {
    return extern struct { factor: T };
}

fn Formula(comptime T: type) type {
    return struct {
        const V = simd.Vec(T);

        pub inline fn next(s: *const Step(T), x: [1]V) [1]V {
            return .{x[0] * @as(V, @splat(s.factor))};
        }
    };
}

pub const ukernels = struct {
    pub const scale_by_f32_update = list.Kernel(f32, 1, 1, Step(f32), Formula(f32)).update;
    pub const scale_by_f64_update = list.Kernel(f64, 1, 1, Step(f64), Formula(f64)).update;
};

/// x = x · factor in place, for a factor known only on the device; a factor of 1 touches nothing.
fn ScaleBy(comptime T: type) type {
    return struct {
        x: *const list.List(1, 1),
        factor: *const T,

        pub fn run(self: *const @This(), d: *const Device) void {
            if (self.factor.* == 1 and !d.explains()) return;
            const steps = [1]Step(T){.{ .factor = self.factor.* }};
            self.x.update(d, T, "scale_by_" ++ @typeName(T) ++ "_update", @as([]const Step(T), &steps), null);
        }

        const Args = extern struct { x: [*]T, factor: *const T, count: usize };

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            const name = "scale_by_" ++ @typeName(T) ++ "_update";
            if (comptime !launch.exists(name)) return error.Unsupported;
            for (self.x.items) |*item| {
                try launch.launch(d, name, Args{ .x = item.ptr(T, 0), .factor = self.factor, .count = item.count }, launch.byElement(name, item.count));
            }
        }
    };
}

/// The same for one tensor of any strides.
fn ScaleView(comptime T: type) type {
    return struct {
        product: binary.Task(T, "mul"),
        factor: *const T,

        pub fn run(self: *const @This(), d: *const Device) void {
            if (self.factor.* == 1 and !d.explains()) return;
            var product = self.product;
            product.b = @ptrCast(self.factor);
            product.run(d);
        }

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            var product = self.product;
            product.b = @ptrCast(self.factor);
            return product.dispatch(d);
        }
    };
}

fn scaleOn(d: *const Device, x: []const *const Tensor, factor: *const Tensor) Error!void {
    if (factor.dtype != x[0].dtype) return error.DtypeMismatch;
    if (factor.count() != 1) return error.ShapeMismatch;
    switch (factor.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const number = &factor.ptr(T)[0];
            if (x.len == 1 and !x[0].contiguous()) {
                try tensor.checkApart(x[0], factor);
                return d.submit(&ScaleView(T){ .product = try .withNumber(x[0], x[0]), .factor = number });
            }
            const all: list.List(1, 1) = try .init(x, &.{factor});
            defer all.deinit();
            try d.submit(&ScaleBy(T){ .x = &all, .factor = number });
        },
        else => return error.Unsupported,
    }
}

fn clipChecked(device_: u32, norm: u32, factor: u32, handles: []const u32, limit: f64) Error!void {
    const d = try device.get(device_);
    if (handles.len == 0) return error.InvalidArgument;
    const gradients = try list.lookUp(handles);
    defer list.free(gradients);
    return factorOn(d, try tensor.get(norm), try tensor.get(factor), gradients, limit);
}

fn scaleChecked(device_: u32, handles: []const u32, factor: u32) Error!void {
    const d = try device.get(device_);
    if (handles.len == 0) return;
    const x = try list.lookUp(handles);
    defer list.free(x);
    return scaleOn(d, x, try tensor.get(factor));
}

pub const entries = struct {
    /// `norm` and `factor` hold one element each, f32 or f64. `handles`: `count` gradients of one dtype, f32 or f64, of any strides; at least one.
    pub fn clip_factor(device_: u32, norm: u32, factor: u32, handles: [*]const u32, count: u32, limit: f64) callconv(.c) i32 {
        return status.of(clipChecked(device_, norm, factor, handles[0..count], limit));
    }

    /// `handles`: `count` tensors of one dtype, f32 or f64, contiguous unless there is only one. `factor` holds one element of that dtype.
    pub fn scale_by(device_: u32, handles: [*]const u32, count: u32, factor: u32) callconv(.c) i32 {
        return status.of(scaleChecked(device_, handles[0..count], factor));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// Clips gradients in place, each a view of every other element or not, and answers the norm.
fn clip(comptime T: type, limit: f64, gradients: []const []T, strided: bool, workers: u32) !T {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(workers);
    const norm = try tensor.get(try all.filled(T, &.{}, 7));
    const factor = try tensor.get(try all.filled(T, &.{}, 7));
    var tensors: [4]*const Tensor = undefined;
    for (gradients, tensors[0..gradients.len]) |values, *t| {
        const step: usize = if (strided) 2 else 1;
        const whole = try all.filled(T, &.{values.len * step + 1}, 9);
        t.* = try tensor.get(try all.view(whole, 0, &.{values.len}, &.{step}));
        for (values, 0..) |x, i| t.*.ptr(T)[i * step] = x;
    }
    const x = tensors[0..gradients.len];
    try factorOn(&d, norm, factor, x, limit);
    if (strided) {
        for (x) |*t| try scaleOn(&d, t[0..1], factor);
    } else try scaleOn(&d, x, factor);
    for (gradients, x) |values, t| {
        const step: usize = @intCast(t.strides_[0]);
        for (values, 0..) |*y, i| y.* = t.ptr(T)[i * step];
        try testing.expectEqual(9, t.ptr(T)[values.len * step]);
    }
    return norm.ptr(T)[0];
}

test "clip: a norm above the limit is brought down to it" {
    inline for (.{ f32, f64 }) |T| for ([_]bool{ false, true }) |strided| {
        var g = [_]T{300};
        try testing.expectEqual(300, try clip(T, 1, &.{&g}, strided, 1));
        try testing.expectApproxEqRel(@as(T, 1), g[0], 1e-7);
        var h = [_]T{ 3, 0 };
        var k = [_]T{4};
        var none = [_]T{};
        try testing.expectEqual(5, try clip(T, 10, &.{ &h, &none, &k }, strided, 2));
        try testing.expectEqualSlices(T, &.{ 3, 0, 4 }, &(h ++ k));
        try testing.expectEqual(5, try clip(T, 2.5, &.{ &h, &none, &k }, strided, 3));
        try testing.expectEqualSlices(T, &.{ 1.5, 0, 2 }, &(h ++ k));
        try testing.expectEqual(0, try clip(T, 1, &.{&none}, strided, 1));
    };
}

test "clip: a norm that is not finite changes nothing" {
    const inf = std.math.inf(f32);
    var g = [_]f32{ inf, 1 };
    try testing.expectEqual(inf, try clip(f32, 1, &.{&g}, false, 1));
    try testing.expectEqualSlices(f32, &.{ inf, 1 }, &g);
    var h = [_]f32{ std.math.nan(f32), 1 };
    try testing.expect(std.math.isNan(try clip(f32, 1, &.{&h}, false, 1)));
    try testing.expectEqual(1, h[1]);
}

test "clip: the same bits for any workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        var first: [3][3000]T = undefined;
        for (&first) |*g| for (g) |*x| {
            x.* = @floatCast(prng.random().floatNorm(f64));
        };
        var wanted = first;
        const norm = try clip(T, 1, &.{ &wanted[0], wanted[1][0..17], &wanted[2] }, false, 1);
        for ([_]u32{ 2, 3, 8 }) |workers| {
            var found = first;
            try testing.expectEqual(norm, try clip(T, 1, &.{ &found[0], found[1][0..17], &found[2] }, false, workers));
            for (wanted, found) |w, f| try arrays.expectSameBits(T, &w, &f);
        }
    }
}

test "clip: what does not fit is an error" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(1);
    const one = try tensor.get(try all.filled(f32, &.{1}, 1));
    const other = try tensor.get(try all.filled(f32, &.{1}, 1));
    const g = try tensor.get(try all.filled(f32, &.{2}, 1));
    const wide = try tensor.get(try all.filled(f64, &.{2}, 1));
    const expect = testing.expectError;
    try expect(error.InvalidArgument, factorOn(&d, one, other, &.{g}, std.math.nan(f64)));
    try expect(error.InvalidArgument, factorOn(&d, one, other, &.{g}, -1));
    try expect(error.InvalidArgument, clipChecked(device.defaultForTest(), 0, 0, &.{}, 1));
    try expect(error.Overlap, factorOn(&d, one, one, &.{g}, 1));
    try expect(error.Overlap, factorOn(&d, one, other, &.{ g, other }, 1));
    try expect(error.DtypeMismatch, factorOn(&d, one, other, &.{ g, wide }, 1));
    try expect(error.ShapeMismatch, factorOn(&d, g, one, &.{wide}, 1));
    try expect(error.DtypeMismatch, scaleOn(&d, &.{one}, wide));
    try expect(error.ShapeMismatch, scaleOn(&d, &.{one}, g));
    try expect(error.Overlap, scaleOn(&d, &.{one}, one));
    try expect(error.Overlap, scaleOn(&d, &.{ g, g }, one));
    for (g.ptr(f32)[0..2]) |x| try testing.expectEqual(1, x);
}

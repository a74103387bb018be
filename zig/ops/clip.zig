//! Norms that tensors are divided by. Clipping by a global norm, over all gradients at once: norm = √Σ x² of every element, and the factor limit / norm where
//! every element is finite and the norm above the limit, else 1. Normalising: each tensor over its own norm; one of zeros stays.
//!
//! No square overflows or vanishes: those of f32 are added in f64; those of f64 are added anew, scaled, where their sum shows that some left the range (after
//! Blue, "A portable Fortran program to find the Euclidean norm of a vector", 1978); a GPU adds large, usual and small elements apart, each scaled, by the
//! code that its sum of squares has (shaders/common/squares.slang). A norm or a factor that its type does not hold in full is no special case either: a factor
//! is applied in two parts.

const std = @import("std");
const binary = @import("../row/binary.zig");
const copy = @import("copy.zig");
const list = @import("../row/list.zig");
const simd = @import("../isa/simd.zig");
const sum_of_squares = @import("sum_of_squares.zig");
const device = @import("../device.zig");
const fold = @import("../row/fold.zig");
const launch = @import("../gpu/launch.zig");
const memory = @import("../memory.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const status = @import("../status.zig");
const offset = @import("../row/strided.zig").offset;
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// x·2^n. The standard library's own makes something else of 0 for large n.
fn timesPower(x: anytype, n: i32) @TypeOf(x) {
    return if (x == 0) x else std.math.ldexp(x, n);
}

/// A number that no float type need hold: `value`·2^`exponent`.
const Wide = struct {
    value: f64,
    exponent: i32 = 0,

    fn in(w: Wide, comptime T: type) T {
        return @floatCast(timesPower(w.value, w.exponent));
    }

    fn over(w: Wide, divisor: Wide) Wide {
        return .{ .value = w.value / divisor.value, .exponent = w.exponent - divisor.exponent };
    }

    fn isFinite(w: Wide) bool {
        return std.math.isFinite(w.value);
    }

    fn above(w: Wide, limit: f64) bool {
        return w.value > timesPower(limit, -w.exponent);
    }

    /// Two factors whose product this is, the second a power of two: 1 where T holds it in full. Multiplied one after the other, a product in range stays so.
    fn parts(w: Wide, comptime T: type) [2]T {
        const whole = @abs(timesPower(w.value, w.exponent));
        const shift = if (T == f32) 64 else 512;
        const by: i32 = if (whole >= std.math.floatMin(T) and whole <= std.math.floatMax(T) / 2 or w.value == 0 or !w.isFinite())
            0
        else if (whole < 1) shift else -shift;
        return .{ (Wide{ .value = w.value, .exponent = w.exponent + by }).in(T), timesPower(@as(T, 1), -by) };
    }
};

/// The root of a sum of squares of T, of which these are the vectors. One of f64 that may have left the range on the way is found anew from them.
fn rootOf(comptime T: type, sum: f64, vectors: []const *const Tensor) Wide {
    // Above the lower bound nothing is missing that counts: what vanished of 2^40 squares is below 2^-980.
    if (T == f32 or (sum >= 0x1p-900 and std.math.isFinite(sum))) return .{ .value = @sqrt(sum) };
    var largest: f64 = 0;
    for (vectors) |x| {
        var walk: Elements = .{ .x = x };
        while (walk.next()) |v| {
            if (!std.math.isFinite(v)) return .{ .value = @sqrt(sum) };
            largest = @max(largest, @abs(v));
        }
    }
    if (largest == 0) return .{ .value = 0 };
    const exponent = std.math.frexp(largest).exponent;
    var scaled: f64 = 0;
    for (vectors) |x| {
        var walk: Elements = .{ .x = x };
        while (walk.next()) |v| {
            const y = timesPower(v, -exponent);
            scaled += y * y;
        }
    }
    return .{ .value = @sqrt(scaled), .exponent = exponent };
}

/// The elements of an f64 tensor of any strides, row-major.
const Elements = struct {
    x: *const Tensor,
    i: usize = 0,

    fn next(e: *Elements) ?f64 {
        if (e.i == e.x.count()) return null;
        var rest = e.i;
        e.i += 1;
        if (e.x.contiguous()) return e.x.ptr(f64)[rest];
        var at: isize = 0;
        var axis = e.x.rank;
        while (axis > 0) {
            axis -= 1;
            at += @as(isize, @intCast(rest % e.x.shape_[axis])) * e.x.strides_[axis];
            rest /= e.x.shape_[axis];
        }
        return offset(e.x.ptr(f64), at)[0];
    }
};

/// The sums of squares of a list, in memory that the caller gives back with `memory.gpa`.
fn sumsOf(comptime T: type, d: *const Device, tensors: []const *const Tensor) Error![]f64 {
    const sums = memory.gpa.alloc(f64, tensors.len) catch return error.OutOfMemory;
    errdefer memory.gpa.free(sums);
    try sum_of_squares.sums(T, d, tensors, sums);
    return sums;
}

/// A GPU's sums of squares of parts of some tensors.
const Parts = struct {
    scratch: Scratch,
    count: usize,

    /// What shaders/common/squares.slang has of a part: the sums of large, usual and small elements, each with what it lost in rounding.
    const Squares = [6]f32;
    const Args = extern struct { out: [*]Squares, x: [*]const f32, count: usize, each: usize };

    fn of(d: *const Device, tensors: []const *const Tensor) Error!Parts {
        var count: usize = 0;
        for (tensors) |x| count += partsOf(x.count());
        const scratch: Scratch = try .init(d, count * @sizeOf(Squares));
        errdefer scratch.deinit();
        var at: usize = 0;
        for (tensors) |x| {
            const out = scratch.ptr(Squares) + at;
            if (x.contiguous()) try launchParts(d, x, out) else {
                const block: Scratch = try .init(d, x.count() * @sizeOf(f32));
                defer block.deinit();
                try launchParts(d, &try copy.compact(d, x, block.chunk.address()), out);
            }
            at += partsOf(x.count());
        }
        return .{ .scratch = scratch, .count = count };
    }

    fn launchParts(d: *const Device, x: *const Tensor, out: [*]Squares) Error!void {
        const n = x.count();
        return launch.launch(d, "norm_parts_f32", Args{ .out = out, .x = x.ptr(f32), .count = n, .each = fold.partLen(n) }, .{
            .groups = partsOf(n),
            .cost = 4 * n,
            .rounds = fold.rounds(fold.partLen(n)),
            .step = "parts",
        });
    }

    fn partsOf(n: usize) usize {
        return std.math.divCeil(usize, n, fold.partLen(n)) catch unreachable;
    }

    const Joined = extern struct { norm: ?[*]f32, factor: [*]f32, parts: [*]const Squares, count: usize, limit: f32, limit_down: f32, always: bool, two: bool };

    /// Joins them into a norm and a factor that brings it to the limit, in two parts if `two`; always, or only a norm above the limit.
    fn join(p: Parts, d: *const Device, norm: ?[*]f32, factor: [*]f32, limit: f64, always: bool, two: bool) Error!void {
        return launch.launch(d, "clip_factor_f32", Joined{
            .norm = norm,
            .factor = factor,
            .parts = p.scratch.ptr(Squares),
            .count = p.count,
            .limit = @floatCast(limit),
            .limit_down = @floatCast(limit * 0x1p-96),
            .always = always,
            .two = two,
        }, .{ .groups = 1, .cost = p.count, .rounds = fold.rounds(p.count), .step = "join" });
    }
};

fn Factor(comptime T: type) type {
    return struct {
        norm: *T,
        /// One number, or two whose product is the factor.
        factor: []T,
        gradients: []const *const Tensor,
        limit: f64,

        pub fn run(self: *const @This(), d: *const Device) Error!void {
            const sums = try sumsOf(T, d, self.gradients);
            defer memory.gpa.free(sums);
            if (d.explains()) return;
            var total: f64 = 0;
            for (sums) |s| total += s;
            const norm = rootOf(T, total, self.gradients);
            const clips = norm.isFinite() and norm.above(self.limit);
            const factor = if (clips) (Wide{ .value = self.limit }).over(norm) else Wide{ .value = 1 };
            self.norm.* = norm.in(T);
            if (self.factor.len == 2) self.factor[0..2].* = factor.parts(T) else self.factor[0] = factor.in(T);
        }

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const parts: Parts = try .of(d, self.gradients);
            defer parts.scratch.deinit();
            return parts.join(d, @ptrCast(self.norm), self.factor.ptr, self.limit, false, self.factor.len == 2);
        }
    };
}

fn factorOn(d: *const Device, norm: *const Tensor, factor: *const Tensor, gradients: []const *const Tensor, limit: f64) Error!void {
    if (!(limit >= 0)) return error.InvalidArgument;
    const dtype = gradients[0].dtype;
    try tensor.checkApart(norm, factor);
    for (gradients) |g| if (g.dtype != dtype) return error.DtypeMismatch;
    for ([_]*const Tensor{ norm, factor }) |out| {
        if (out.dtype != dtype) return error.DtypeMismatch;
        if (!out.contiguous()) return error.LayoutMismatch;
        for (gradients) |g| try tensor.checkApart(out, g);
    }
    if (norm.count() != 1) return error.ShapeMismatch;
    try checkFactor(factor);
    switch (dtype) {
        inline .f32, .f64 => |of| {
            const T = if (of == .f32) f32 else f64;
            try d.submit(&Factor(T){ .norm = &norm.ptr(T)[0], .factor = factor.ptr(T)[0..factor.count()], .gradients = gradients, .limit = limit });
        },
        else => return error.Unsupported,
    }
}

/// A factor is one number, or two side by side whose product it is.
fn checkFactor(factor: *const Tensor) Error!void {
    if (factor.count() != 1 and factor.count() != 2) return error.ShapeMismatch;
    if (!factor.contiguous()) return error.LayoutMismatch;
}

fn Step(comptime T: type) type {
    return extern struct {
        factor: T,
        second: T,

        fn of(parts: []const T) @This() {
            return .{ .factor = parts[0], .second = if (parts.len == 2) parts[1] else 1 };
        }
    };
}

fn Formula(comptime T: type) type {
    return struct {
        const V = simd.Vec(T);

        pub inline fn next(s: *const Step(T), x: [1]V) [1]V {
            return .{x[0] * @as(V, @splat(s.factor)) * @as(V, @splat(s.second))};
        }
    };
}

pub const ukernels = struct {
    pub const scale_by_f32_update = list.Kernel(f32, 1, 1, Step(f32), Formula(f32)).update;
    pub const scale_by_f64_update = list.Kernel(f64, 1, 1, Step(f64), Formula(f64)).update;
};

const Single = list.List(1, 1);

fn scaleKernel(comptime T: type) []const u8 {
    return "scale_by_" ++ @typeName(T) ++ "_update";
}

fn launchScale(d: *const Device, comptime T: type, item: *const Single.Item, factor: [*]const T, two: bool) Error!void {
    const Args = extern struct { x: [*]T, factor: [*]const T, count: usize, two: bool };
    const name = comptime scaleKernel(T);
    if (comptime !launch.exists(name)) return error.Unsupported;
    return launch.launch(d, name, Args{ .x = item.ptr(T, 0), .factor = factor, .count = item.count, .two = two }, launch.byElement(name, item.count));
}

/// x = x · factor in place, for a factor known only on the device; a factor of 1 touches nothing.
fn ScaleBy(comptime T: type) type {
    return struct {
        x: Single,
        factor: []const T,

        pub fn run(self: *const @This(), d: *const Device) void {
            const steps = [1]Step(T){.of(self.factor)};
            if (steps[0].factor == 1 and steps[0].second == 1 and !d.explains()) return;
            self.x.update(d, T, comptime scaleKernel(T), @as([]const Step(T), &steps));
        }

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            for (self.x.items) |*item| try launchScale(d, T, item, self.factor.ptr, self.factor.len == 2);
        }

        pub fn deinit(self: *const @This()) void {
            self.x.deinit();
        }
    };
}

/// The same for one tensor of any strides.
fn ScaleView(comptime T: type) type {
    return struct {
        product: binary.Task(T, "mul"),
        factor: []const T,

        pub fn run(self: *const @This(), d: *const Device) void {
            if (d.explains()) return self.by(&self.factor[0]).run(d);
            for (self.factor) |*f| if (f.* != 1) self.by(f).run(d);
        }

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            for (self.factor) |*f| try self.by(f).dispatch(d);
        }

        fn by(self: *const @This(), factor: *const T) binary.Task(T, "mul") {
            var product = self.product;
            product.b = @ptrCast(factor);
            return product;
        }

        pub fn deinit(_: *const @This()) void {}
    };
}

fn scaleOn(d: *const Device, x: []const *const Tensor, factor: *const Tensor) Error!void {
    if (factor.dtype != x[0].dtype) return error.DtypeMismatch;
    try checkFactor(factor);
    switch (factor.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const parts = factor.ptr(T)[0..factor.count()];
            if (x.len == 1 and !x[0].contiguous()) {
                try tensor.checkApart(x[0], factor);
                return list.submit(d, ScaleView(T){ .product = try .withNumber(x[0], x[0]), .factor = parts });
            }
            return list.submit(d, ScaleBy(T){ .x = try .init(x, &.{factor}, null), .factor = parts });
        },
        else => return error.Unsupported,
    }
}

/// Each of some tensors over its norm, in place. Where one holds what is not finite, all of it becomes NaN.
fn Normalize(comptime T: type) type {
    return struct {
        x: Single,
        tensors: []const *const Tensor,

        pub fn run(self: *const @This(), d: *const Device) Error!void {
            const steps = memory.gpa.alloc(Step(T), self.tensors.len) catch return error.OutOfMemory;
            defer memory.gpa.free(steps);
            const sums = try sumsOf(T, d, self.tensors);
            defer memory.gpa.free(sums);
            if (!d.explains()) for (steps, sums, self.tensors) |*step, sum, *x| {
                const norm = rootOf(T, sum, x[0..1]);
                const one: Wide = .{ .value = if (norm.isFinite()) 1 else std.math.nan(f64) };
                step.* = .of(&(if (norm.value == 0) one else one.over(norm)).parts(T));
            };
            self.x.update(d, T, comptime scaleKernel(T), @as([]const Step(T), steps));
        }

        pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const factors: Scratch = try .init(d, 2 * self.tensors.len * @sizeOf(T));
            defer factors.deinit();
            for (self.tensors, 0..) |*x, i| {
                const parts: Parts = try .of(d, x[0..1]);
                defer parts.scratch.deinit();
                try parts.join(d, null, factors.ptr(T) + 2 * i, 1, true, true);
            }
            for (self.x.items, 0..) |*item, i| try launchScale(d, T, item, factors.ptr(T) + 2 * i, true);
        }
    };
}

fn normalizeOn(d: *const Device, x: []const *const Tensor) Error!void {
    switch (x[0].dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const choices = memory.gpa.alloc(u32, x.len) catch return error.OutOfMemory;
            defer memory.gpa.free(choices);
            for (choices, 0..) |*choice, i| choice.* = @intCast(i);
            const all: Single = try .init(x, &.{}, choices);
            defer all.deinit();
            try d.submit(&Normalize(T){ .x = all, .tensors = x });
        },
        else => return error.Unsupported,
    }
}

fn normalizeChecked(device_: u32, handles: []const u32) Error!void {
    const d = try device.get(device_);
    if (handles.len == 0) return;
    const x = try list.lookUp(handles);
    defer list.free(x);
    return normalizeOn(d, x);
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
    /// `norm` holds one element, `factor` one or two, whose product it is then. `handles`: `count` gradients of their dtype, f32 or f64, of any strides; at
    /// least one.
    pub fn clip_factor(device_: u32, norm: u32, factor: u32, handles: [*]const u32, count: u32, limit: f64) callconv(.c) i32 {
        return status.of(clipChecked(device_, norm, factor, handles[0..count], limit));
    }

    /// `handles`: `count` tensors of one dtype, f32 or f64, contiguous unless there is only one. `factor` holds one element of that dtype, or two whose product
    /// it is.
    pub fn scale_by(device_: u32, handles: [*]const u32, count: u32, factor: u32) callconv(.c) i32 {
        return status.of(scaleChecked(device_, handles[0..count], factor));
    }

    /// `handles`: `count` contiguous tensors of one dtype, f32 or f64, each of which is divided by its norm.
    pub fn normalize(device_: u32, handles: [*]const u32, count: u32) callconv(.c) i32 {
        return status.of(normalizeChecked(device_, handles[0..count]));
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

test "clip: squares that leave the range of their type, in lists and views" {
    inline for (.{ f32, f64 }) |T| {
        const tiny = std.math.floatTrueMin(T);
        const max = std.math.floatMax(T);
        for ([_]bool{ false, true }) |strided| for ([_]T{ 5 * tiny, 0x1p-120, 0x1p-60, 1, 0x1p60, max / 8 }) |size| {
            var a = [_]T{ 3 * size, 0 };
            var b = [_]T{-4 * size};
            try testing.expectApproxEqRel(5 * size, try clip(T, 0x1p-10 * size, &.{ &a, &b }, strided, 2), 1e-6);
            // Of the smallest numbers a thousandth is none.
            if (size > 1e4 * tiny) try testing.expectApproxEqRel(0x1p-10 * size, std.math.hypot(a[0], b[0]), 1e-6);
        };
        // The norm is beyond the type; clipped all the same, and by a factor that is no number of T in full.
        var g = [_]T{ max, -max, max };
        try testing.expectEqual(std.math.inf(T), try clip(T, 1, &.{&g}, false, 1));
    }
    // A limit of 0, and zeros among what is scaled.
    var zeroed = [_]f64{ 1e-320, 0, 1e300 };
    try testing.expectEqual(1e300, try clip(f64, 0, &.{&zeroed}, false, 1));
    try testing.expectEqualSlices(f64, &.{ 0, 0, 0 }, &zeroed);
    var few = [_]f64{ 3e-320, 0, 4e-320 };
    try testing.expectApproxEqRel(5e-320, try clip(f64, 1, &.{&few}, false, 1), 1e-3);
    var f = [_]f64{ 1.5e308, 1.5e308 };
    try testing.expectEqual(std.math.inf(f64), try clip(f64, 1, &.{&f}, false, 1));
    for (f) |x| try testing.expectApproxEqRel(@sqrt(0.5), x, 1e-13);
}

/// Normalises these numbers in place, for any number of workers.
fn normalized(comptime T: type, values: []const T, workers: u32) ![4]T {
    var all: arrays.Tensors = .{};
    defer all.free();
    const x = try tensor.get(try all.from(T, &.{values.len}, values));
    const other = try tensor.get(try all.from(T, &.{2}, &.{ 6, -8 }));
    try normalizeOn(&device.forTest(workers), &.{ x, other });
    try testing.expectApproxEqRel(0.6, other.ptr(T)[0], 1e-6);
    try testing.expectApproxEqRel(-0.8, other.ptr(T)[1], 1e-6);
    return x.ptr(T)[0..4].*;
}

test "normalize: each over its own norm, of any size; zeros stay, and what is not finite shows" {
    inline for (.{ f32, f64 }) |T| for (1..4) |workers| {
        const tiny = std.math.floatTrueMin(T);
        for ([_]T{ tiny, 100 * tiny, 0x1p-126, 0x1p-64, 1, 0x1p64, std.math.floatMax(T) / 16 }) |size| {
            const y = try normalized(T, &.{ 3 * size, 0, -4 * size, 12 * size }, @intCast(workers));
            for ([_]T{ 3.0 / 13.0, 0, -4.0 / 13.0, 12.0 / 13.0 }, y) |want, found| try testing.expectApproxEqAbs(want, found, 2e-7);
        }
        const max = std.math.floatMax(T);
        for (try normalized(T, &.{ max, max, -max, max }, 1)) |v| try testing.expectApproxEqAbs(@as(T, 0.5), @abs(v), 1e-7);
        for (try normalized(T, &.{ 0, 0, 0, 0 }, 1)) |v| try testing.expectEqual(0, v);
        for ([_]T{ std.math.inf(T), std.math.nan(T) }) |odd| {
            for (try normalized(T, &.{ 1, odd, 0, 2 }, 1)) |v| try testing.expect(std.math.isNan(v));
        }
    };
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
    try expect(error.ShapeMismatch, factorOn(&d, g, one, &.{try tensor.get(try all.filled(f32, &.{3}, 1))}, 1));
    try expect(error.ShapeMismatch, factorOn(&d, one, try tensor.get(try all.filled(f32, &.{3}, 1)), &.{g}, 1));
    try expect(error.DtypeMismatch, factorOn(&d, one, other, &.{wide}, 1));
    try expect(error.DtypeMismatch, scaleOn(&d, &.{one}, wide));
    try expect(error.ShapeMismatch, scaleOn(&d, &.{one}, try tensor.get(try all.filled(f32, &.{3}, 1))));
    try expect(error.Overlap, scaleOn(&d, &.{one}, one));
    try expect(error.Overlap, scaleOn(&d, &.{ g, g }, one));
    for (g.ptr(f32)[0..2]) |x| try testing.expectEqual(1, x);
}

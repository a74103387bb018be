//! Mean squared error: loss = Σ (x − target)² / n. Backward: dx = dloss·2/n·(x − target), dtarget = −dx.
//!
//! Differences are taken in the element type; their squares are added in f64. The elements are cut into the parts of row/fold.zig; inside a part element i
//! goes to lane i mod 32, the lanes join as a tree, the parts in order.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const fold = @import("../row/fold.zig");
const memory = @import("../memory.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const split = @import("../row/split.zig");
const status = @import("../status.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

/// The sum of one part for each row; all rows but the last have `cols` elements.
fn Forward(comptime T: type) type {
    return extern struct { x: [*]const T, target: [*]const T, sums: [*]f64, rows: usize, cols: usize, last: usize };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dx: ?[*]T,
        dtarget: ?[*]T,
        x: [*]const T,
        target: [*]const T,
        rows: usize,
        cols: usize,
        dx_stride: usize,
        dtarget_stride: usize,
        x_stride: usize,
        target_stride: usize,
        factor: T,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const Wide = Vec(f64);

        fn forward(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const n = if (i + 1 == p.rows) p.last else p.cols;
                p.sums[i] = sweep.sums(f64, 1, 2, n, Squares{ .x = p.x + i * p.cols, .target = p.target + i * p.cols })[0];
            }
        }

        const Squares = struct {
            x: [*]const T,
            target: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]Wide {
                const difference = sweep.read(T, whole, s.x + j, left, 0) - sweep.read(T, whole, s.target + j, left, 0);
                const wide: Wide = if (T == f32) @floatCast(difference) else difference;
                return .{wide * wide};
            }
        };

        fn backward(p: *const Backward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            if (p.dx == null) slopes(false, true, p) else if (p.dtarget == null) slopes(true, false, p) else slopes(true, true, p);
        }

        fn slopes(comptime want_dx: bool, comptime want_dtarget: bool, p: *const Backward(T)) void {
            for (0..p.rows) |i| sweep.each(p.cols, Slopes(want_dx, want_dtarget){
                .dx = if (want_dx) p.dx.? + i * p.dx_stride,
                .dtarget = if (want_dtarget) p.dtarget.? + i * p.dtarget_stride,
                .x = p.x + i * p.x_stride,
                .target = p.target + i * p.target_stride,
                .factor = @splat(p.factor),
            });
        }

        fn Slopes(comptime want_dx: bool, comptime want_dtarget: bool) type {
            return struct {
                dx: if (want_dx) [*]T else void,
                dtarget: if (want_dtarget) [*]T else void,
                x: [*]const T,
                target: [*]const T,
                factor: Vec(T),

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    const slope = s.factor * (sweep.read(T, whole, s.x + j, left, 0) - sweep.read(T, whole, s.target + j, left, 0));
                    if (want_dx) sweep.write(T, whole, s.dx + j, slope, left);
                    if (want_dtarget) sweep.write(T, whole, s.dtarget + j, -slope, left);
                }
            };
        }
    };
}

pub const ukernels = struct {
    pub const mse_f32_rows = Kernels(f32).forward;
    pub const mse_f64_rows = Kernels(f64).forward;
    pub const mse_backward_f32_rows = Kernels(f32).backward;
    pub const mse_backward_f64_rows = Kernels(f64).backward;
};

fn ForwardTask(comptime T: type) type {
    return struct {
        const Self = @This();

        loss: *T,
        x: [*]const T,
        target: [*]const T,
        count: usize,

        pub fn run(self: Self, d: *const Device) Error!void {
            const len = fold.partLen(self.count);
            const parts = @max(1, std.math.divCeil(usize, self.count, len) catch unreachable);
            const bytes = parts * @sizeOf(f64);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            const Part = struct {
                task: *const Self,
                sums: [*]f64,
                len: usize,
                kernel: *const fn (*const Forward(T)) callconv(.c) void,

                fn some(p: @This(), begin: usize, end: usize) void {
                    const at = begin * p.len;
                    p.kernel(&.{
                        .x = p.task.x + at,
                        .target = p.task.target + at,
                        .sums = p.sums + begin,
                        .rows = end - begin,
                        .cols = p.len,
                        .last = @min(p.task.count, end * p.len) - (end - 1) * p.len,
                    });
                }
            };
            const pass: device.Pass = .{ .kernel = "mse_" ++ @typeName(T) ++ "_rows" };
            const kernel = d.kernel(fn (*const Forward(T)) callconv(.c) void, pass.kernel.?);
            const sums: [*]f64 = @ptrCast(block);
            d.overRange(pass, parts, 1, 2 * @sizeOf(T) * self.count, Part{ .task = &self, .sums = sums, .len = len, .kernel = kernel }, Part.some);
            if (d.explanation) |e| return e.noteScratch(bytes);
            var total = sums[0];
            for (sums[1..parts]) |s| total += s;
            self.loss.* = @floatCast(total / @as(f64, @floatFromInt(@max(1, self.count))));
        }

        const Parts = extern struct {
            out: [*]f32,
            lost: ?[*]f32,
            x: [*]const f32,
            target: [*]const f32,
            count: usize,
            part: usize,
            parts: usize,
            divisor: f32,
        };

        pub fn dispatch(self: Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const name = "mse_f32_rows";
            const part = fold.partLen(self.count);
            const to: fold.Closed(f32) = .{ .out = @ptrCast(self.loss), .divisor = @floatFromInt(@max(1, self.count)) };
            var args: Parts = .{
                .out = to.out,
                .lost = null,
                .x = self.x,
                .target = self.target,
                .count = self.count,
                .part = part,
                .parts = @max(1, std.math.divCeil(usize, self.count, part) catch unreachable),
                .divisor = to.divisor,
            };
            if (args.parts == 1) return launch.launch(d, name, args, .{ .groups = 1, .cost = self.count, .rounds = fold.rounds(part) });
            const partials: fold.Partials(f32) = try .init(d, args.parts);
            defer partials.deinit();
            args.out = partials.out;
            args.lost = partials.lost;
            try launch.launch(d, name, args, .{ .groups = args.parts, .cost = 3 * self.count, .rounds = fold.rounds(part), .step = "parts" });
            try fold.dispatchJoin(f32, d, partials, 1, args.parts, to);
        }
    };
}

fn BackwardTask(comptime T: type, comptime streams: comptime_int) type {
    return struct {
        /// `factor` is filled in here: it needs the gradient of the loss, which may lie on a device.
        args: Backward(T),
        dloss: *const T,
        count: usize,

        pub fn run(self: @This(), d: *const Device) void {
            var args = self.args;
            args.factor = if (d.explains()) 0 else 2 * self.dloss.* / self.divisor();
            const task: split.Elements(Backward(T), .{ .kernel = "mse_backward_" ++ @typeName(T) ++ "_rows" }, streams) = .{ .args = args };
            task.run(d);
        }

        fn divisor(self: @This()) T {
            return @floatFromInt(@max(1, self.count));
        }

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const p = &self.args;
            const Args = extern struct {
                dx: ?[*]f32,
                dtarget: ?[*]f32,
                x: [*]const f32,
                target: [*]const f32,
                dloss: *const f32,
                rows: usize,
                cols: usize,
                dx_stride: usize,
                dtarget_stride: usize,
                x_stride: usize,
                target_stride: usize,
                count: f32,
            };
            const name = "mse_backward_f32_rows";
            return launch.launch(d, name, Args{
                .dx = p.dx,
                .dtarget = p.dtarget,
                .x = p.x,
                .target = p.target,
                .dloss = self.dloss,
                .rows = p.rows,
                .cols = p.cols,
                .dx_stride = p.dx_stride,
                .dtarget_stride = p.dtarget_stride,
                .x_stride = p.x_stride,
                .target_stride = p.target_stride,
                .count = self.divisor(),
            }, launch.byElement(name, p.rows * p.cols));
        }
    };
}

fn forward(d: *const Device, loss_: u32, x_: u32, target_: u32) Error!void {
    const x = try tensor.get(x_);
    const loss = try tensor.typed(loss_, x.dtype);
    const target = try tensor.typed(target_, x.dtype);
    if (loss.count() != 1 or !target.sameShape(x)) return error.ShapeMismatch;
    if (!x.contiguous() or !target.contiguous()) return error.LayoutMismatch;
    for ([_]*const tensor.Tensor{ x, target }) |in| try tensor.checkApart(loss, in);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){ .loss = &loss.ptr(T)[0], .x = x.ptr(T), .target = target.ptr(T), .count = x.count() });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dx_: u32, dtarget_: u32, dloss_: u32, x_: u32, target_: u32) Error!void {
    const x = try tensor.get(x_);
    const dx = try tensor.optional(dx_, x.dtype);
    const dtarget = try tensor.optional(dtarget_, x.dtype);
    const dloss = try tensor.typed(dloss_, x.dtype);
    const target = try tensor.typed(target_, x.dtype);
    if (dloss.count() != 1 or (dx == null and dtarget == null)) return error.ShapeMismatch;
    for ([_]?*const tensor.Tensor{ dx, dtarget }) |written| if (written) |out| {
        _ = try shape.written(out);
        for ([_]*const tensor.Tensor{ x, target }) |in| try tensor.checkInPlace(out, in);
        try tensor.checkApart(out, dloss);
    };
    if (dx != null and dtarget != null) try tensor.checkApart(dx.?, dtarget.?);
    // What is not wanted has the layout of x.
    const rows = try shape.flattened(4, .{ dx orelse x, dtarget orelse x, x, target });
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            const args: Backward(T) = .{
                .dx = if (dx) |t| t.ptr(T) else null,
                .dtarget = if (dtarget) |t| t.ptr(T) else null,
                .x = x.ptr(T),
                .target = target.ptr(T),
                .rows = rows[0].rows,
                .cols = rows[0].cols,
                .dx_stride = rows[0].stride,
                .dtarget_stride = rows[1].stride,
                .x_stride = rows[2].stride,
                .target_stride = rows[3].stride,
                .factor = undefined,
            };
            const slope = &dloss.ptr(T)[0];
            if (dx != null and dtarget != null) return d.submit(BackwardTask(T, 4){ .args = args, .dloss = slope, .count = x.count() });
            try d.submit(BackwardTask(T, 3){ .args = args, .dloss = slope, .count = x.count() });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, loss: u32, x: u32, target: u32) Error!void {
    return forward(try device.get(device_), loss, x, target);
}

fn backwardOn(device_: u32, dx: u32, dtarget: u32, dloss: u32, x: u32, target: u32) Error!void {
    return backward(try device.get(device_), dx, dtarget, dloss, x, target);
}

pub const entries = struct {
    /// `x` and `target` are contiguous. The loss of nothing is 0.
    pub fn mse(device_: u32, loss: u32, x: u32, target: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, loss, x, target));
    }

    /// `dx` and `dtarget` are 0 where they are not wanted, but one is; each may be `x` or `target`.
    pub fn mse_backward(device_: u32, dx: u32, dtarget: u32, dloss: u32, x: u32, target: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dx, dtarget, dloss, x, target));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

test "mse: value and gradients as in f64 at every length, the same bits for any number of workers and for views" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{ 257, 1000 }) |cols| for ([_]usize{ 1, 7 }) |rows| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const dims = [_]usize{ rows, cols };
        const x = try t.normal(T, &dims, prng.random(), 2);
        const target = try t.normal(T, &dims, prng.random(), 1);
        const dloss = try t.from(T, &.{}, &.{1.5});
        const n: f64 = @floatFromInt(@max(1, rows * cols));
        var want: f64 = 0;
        const want_dx = try testing.allocator.alloc(f64, rows * cols);
        defer testing.allocator.free(want_dx);
        for (arrays.data(T, x), arrays.data(T, target), want_dx) |a, b, *w| {
            const difference = @as(f64, a) - b;
            want += difference * difference / n;
            w.* = 1.5 * 2 / n * difference;
        }
        var first: [3]u32 = undefined;
        for ([_]u32{ 1, 2, 3, 8 }) |workers| {
            const d = device.forTest(workers);
            const outs = [3]u32{ try t.empty(T, &.{}), try t.empty(T, &dims), try t.empty(T, &dims) };
            try forward(&d, outs[0], x, target);
            try backward(&d, outs[1], outs[2], dloss, x, target);
            if (workers == 1) first = outs;
            for (first, outs) |a, b| try arrays.expectSameBits(T, arrays.data(T, a), arrays.data(T, b));
        }
        try arrays.expectClose(T, &.{want}, arrays.data(T, first[0]));
        try arrays.expectClose(T, want_dx, arrays.data(T, first[1]));
        for (want_dx) |*w| w.* = -w.*;
        try arrays.expectClose(T, want_dx, arrays.data(T, first[2]));

        const d = device.forTest(2);
        const gap = cols + 7;
        const base = try t.filled(T, &.{ rows, gap }, 42);
        const view = try t.view(base, 3, &dims, &.{ gap, 1 });
        for (0..rows) |i| @memcpy(arrays.data(T, base)[i * gap + 3 ..][0..cols], arrays.data(T, x)[i * cols ..][0..cols]);
        // Each gradient alone, one of them in place of x.
        try backward(&d, 0, target, dloss, view, target);
        try arrays.expectSameBits(T, arrays.data(T, first[2]), arrays.data(T, target));
        try backward(&d, view, 0, dloss, view, try t.filled(T, &dims, 0));
        const zeros = try t.filled(T, &dims, 0);
        try backward(&d, x, 0, dloss, x, zeros);
        for (arrays.data(T, base), 0..) |v, i| {
            const inside = i % gap >= 3 and i % gap < 3 + cols;
            try testing.expectEqual(if (inside) arrays.data(T, x)[i / gap * cols + i % gap - 3] else 42, v);
        }
    };
}

test "mse: long sums keep every term, NaN and infinities show" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(2);
    // A running sum in f32 stops growing at 2^24 terms, and the squares of the second pair overflow there.
    const n = (1 << 24) + 3;
    const loss = try t.empty(f32, &.{});
    try forward(&d, loss, try t.filled(f32, &.{n}, 1), try t.filled(f32, &.{n}, 4));
    try testing.expectEqual(9, arrays.data(f32, loss)[0]);
    try forward(&d, loss, try t.from(f32, &.{4}, &.{ 2e19, 0, 0, 0 }), try t.filled(f32, &.{4}, 0));
    try testing.expectApproxEqRel(1e38, arrays.data(f32, loss)[0], 1e-6);
    const x = try t.from(f32, &.{2}, &.{ 1, std.math.nan(f32) });
    try forward(&d, loss, x, try t.filled(f32, &.{2}, 1));
    try testing.expect(std.math.isNan(arrays.data(f32, loss)[0]));
    arrays.data(f32, x)[1] = std.math.inf(f32);
    try forward(&d, loss, x, try t.filled(f32, &.{2}, 1));
    try testing.expectEqual(std.math.inf(f32), arrays.data(f32, loss)[0]);
}

test "mse: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 4 }, 1);
    const y = try t.filled(f32, &.{ 2, 4 }, 42);
    const one = try t.filled(f32, &.{}, 42);
    try testing.expectError(error.ShapeMismatch, forward(&d, one, x, try t.filled(f32, &.{8}, 1)));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, x, x));
    try testing.expectError(error.DtypeMismatch, forward(&d, one, x, try t.filled(f64, &.{ 2, 4 }, 1)));
    try testing.expectError(error.LayoutMismatch, forward(&d, one, x, try t.view(x, 0, &.{ 2, 4 }, &.{ 1, 2 })));
    try testing.expectError(error.ShapeMismatch, backward(&d, 0, 0, one, x, x));
    try testing.expectError(error.Overlap, backward(&d, y, y, one, x, x));
    try testing.expectError(error.ShapeMismatch, backward(&d, y, 0, y, x, x));
    const integers = try t.filled(i32, &.{4}, 1);
    try testing.expectError(error.Unsupported, forward(&d, try t.filled(i32, &.{}, 1), integers, integers));
    for ([_]u32{ y, one }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "mse: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("mse_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("mse_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const values: [70]T = @splat(1);
        for (1..71) |n| {
            const x = try arrays.atBorder(T, values[0..n]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0..n]);
            defer out.memory.deinit();
            const other = try arrays.atBorder(T, values[0..n]);
            defer other.memory.deinit();
            var sum: f64 = 42;
            forward_kernel(&.{ .x = x.items.ptr, .target = x.items.ptr, .sums = @ptrCast(&sum), .rows = 1, .cols = n, .last = n });
            try testing.expectEqual(0, sum);
            backward_kernel(&.{
                .dx = out.items.ptr,
                .dtarget = other.items.ptr,
                .x = x.items.ptr,
                .target = x.items.ptr,
                .rows = 1,
                .cols = n,
                .dx_stride = n,
                .dtarget_stride = n,
                .x_stride = n,
                .target_stride = n,
                .factor = 2,
            });
            for (out.items, other.items) |a, b| try testing.expect(a == 0 and b == 0);
        }
    }
}

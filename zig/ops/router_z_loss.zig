//! Router z-loss: the mean over rows of (log Σ_e exp(x_e))², which keeps logits small (Zoph et al., "ST-MoE", 2022, equation 5).
//! Backward, with z_r = log Σ_e exp(x_re) and p the row's softmax: dx_re = dloss/rows · 2·z_r·p_re.
//!
//! z = m + log Σ_e exp(x_e − m), with m the row's maximum. A row of nothing but −Inf counts as 0 and has no gradient. The rows' terms are summed in
//! f64 in their order.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const math = @import("../isa/math.zig");
const mean_loss = @import("../row/mean_loss.zig");
const shape = @import("../row/shape.zig");
const simd = @import("../isa/simd.zig");
const Softmax = @import("../row/exponentials.zig").Softmax;
const split = @import("../row/split.zig");
const status = @import("../status.zig");
const sweep = @import("../row/sweep.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Vec = simd.Vec;

fn Forward(comptime T: type) type {
    return extern struct {
        /// One for each row.
        losses: [*]T,
        logits: [*]const T,
        rows: usize,
        experts: usize,
        logits_stride: usize,

        pub const losses_stride = 1;
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dlogits: [*]T,
        logits: [*]const T,
        rows: usize,
        experts: usize,
        dlogits_stride: usize,
        logits_stride: usize,
        /// 2·dloss / rows.
        slope: T,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        /// The softmax of 16 rows, or as many as there are, and their z: one vector of logarithms.
        const Group = struct {
            softmax: [simd.lanes]Softmax(T),
            z: V,

            inline fn of(logits: [*]const T, stride: usize, experts: usize, count: usize) Group {
                var g: Group = undefined;
                var m: [simd.lanes]T = @splat(0);
                var sums: [simd.lanes]T = @splat(1);
                for (0..count) |i| {
                    g.softmax[i] = .of(logits + i * stride, experts);
                    m[i] = g.softmax[i].m;
                    if (g.softmax[i].sum != 0) sums[i] = g.softmax[i].sum;
                }
                g.z = math.log(@as(V, sums)) + @as(V, m);
                return g;
            }
        };

        fn forward(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var first: usize = 0;
            while (first < p.rows) : (first += simd.lanes) {
                const count = @min(simd.lanes, p.rows - first);
                const g: Group = .of(p.logits + first * p.logits_stride, p.logits_stride, p.experts, count);
                const losses = g.z * g.z;
                if (count == simd.lanes) simd.store(p.losses + first, losses) else simd.storePartial(p.losses + first, losses, count);
            }
        }

        fn backward(p: *const Backward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var first: usize = 0;
            while (first < p.rows) : (first += simd.lanes) {
                const count = @min(simd.lanes, p.rows - first);
                const g: Group = .of(p.logits + first * p.logits_stride, p.logits_stride, p.experts, count);
                const slopes: [simd.lanes]T = g.z * @as(V, @splat(p.slope));
                for (0..count) |i| {
                    const out = p.dlogits + (first + i) * p.dlogits_stride;
                    sweep.each(p.experts, Gradient{ .out = out, .softmax = g.softmax[i], .slope = @splat(slopes[i]) });
                }
            }
        }

        const Gradient = struct {
            out: [*]T,
            softmax: Softmax(T),
            slope: V,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                sweep.write(T, whole, s.out + j, s.softmax.at(whole, j, left) * s.slope, left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const router_z_loss_f32_rows = Kernels(f32).forward;
    pub const router_z_loss_f64_rows = Kernels(f64).forward;
    pub const router_z_loss_backward_f32_rows = Kernels(f32).backward;
    pub const router_z_loss_backward_f64_rows = Kernels(f64).backward;
};

fn ForwardTask(comptime T: type) type {
    return struct {
        args: Forward(T),
        loss: *T,

        pub fn run(self: @This(), d: *const Device) Error!void {
            const rows = self.args.rows;
            try mean_loss.overRows(T, d, .{ .kernel = name }, self.args, simd.lanes, @sizeOf(T) * rows * (1 + self.args.experts), self.loss, rows);
        }

        const name = "router_z_loss_" ++ @typeName(T) ++ "_rows";

        const Args = extern struct { losses: [*]f32, logits: [*]const f32, rows: usize, experts: usize, logits_stride: usize, across: usize };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = self.args;
            try mean_loss.dispatch(d, name, Args{
                .losses = undefined,
                .logits = a.logits,
                .rows = a.rows,
                .experts = a.experts,
                .logits_stride = a.logits_stride,
                .across = launch.across(name, a.experts),
            }, launch.byTeam(name, a.rows, a.experts, 2), self.loss);
        }
    };
}

fn BackwardTask(comptime T: type) type {
    return struct {
        args: Backward(T),
        dloss: *const T,

        pub fn run(self: @This(), d: *const Device) void {
            var args = self.args;
            if (!d.explains()) args.slope = mean_loss.share(T, 2 * self.dloss.*, args.rows);
            split.overRows(d, .{ .kernel = name }, args, simd.lanes, 2 * @sizeOf(T) * args.rows * args.experts);
        }

        const name = "router_z_loss_backward_" ++ @typeName(T) ++ "_rows";

        const Args = extern struct {
            dlogits: [*]f32,
            dloss: *const f32,
            logits: [*]const f32,
            rows: usize,
            experts: usize,
            dlogits_stride: usize,
            logits_stride: usize,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = self.args;
            try launch.launch(d, name, Args{
                .dlogits = a.dlogits,
                .dloss = self.dloss,
                .logits = a.logits,
                .rows = a.rows,
                .experts = a.experts,
                .dlogits_stride = a.dlogits_stride,
                .logits_stride = a.logits_stride,
                .across = launch.across(name, a.experts),
            }, launch.byTeam(name, a.rows, a.experts, 3));
        }
    };
}

fn forward(d: *const Device, loss_: u32, logits_: u32) Error!void {
    const logits = try tensor.get(logits_);
    const loss = try tensor.typed(loss_, logits.dtype);
    if (logits.rank != 2 or loss.count() != 1) return error.ShapeMismatch;
    const rows = try logits.rows();
    try tensor.checkApart(loss, logits);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){
                .args = .{ .losses = undefined, .logits = logits.ptr(T), .rows = rows.nonempty(), .experts = rows.cols, .logits_stride = rows.stride },
                .loss = &loss.ptr(T)[0],
            });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dlogits_: u32, dloss_: u32, logits_: u32) Error!void {
    const logits = try tensor.get(logits_);
    const dlogits = try tensor.typed(dlogits_, logits.dtype);
    const dloss = try tensor.typed(dloss_, logits.dtype);
    if (logits.rank != 2 or dloss.count() != 1 or !dlogits.sameShape(logits)) return error.ShapeMismatch;
    const rows = try logits.rows();
    const dlogits_rows = try shape.written(dlogits);
    try tensor.checkInPlace(dlogits, logits);
    try tensor.checkApart(dlogits, dloss);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .args = .{
                    .dlogits = dlogits.ptr(T),
                    .logits = logits.ptr(T),
                    .rows = rows.nonempty(),
                    .experts = rows.cols,
                    .dlogits_stride = dlogits_rows.stride,
                    .logits_stride = rows.stride,
                    .slope = 0,
                },
                .dloss = &dloss.ptr(T)[0],
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, loss: u32, logits: u32) Error!void {
    return forward(try device.get(device_), loss, logits);
}

fn backwardOn(device_: u32, dlogits: u32, dloss: u32, logits: u32) Error!void {
    return backward(try device.get(device_), dlogits, dloss, logits);
}

pub const entries = struct {
    /// `logits` [rows, experts].
    pub fn router_z_loss(device_: u32, loss: u32, logits: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, loss, logits));
    }

    /// `dlogits` may be `logits`.
    pub fn router_z_loss_backward(device_: u32, dlogits: u32, dloss: u32, logits: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dlogits, dloss, logits));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

test "router_z_loss: value and gradient as in f64 for every number of experts and rows around a group" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| for (arrays.lengths) |experts| for ([_]usize{ 1, 15, 16, 17, 33 }) |rows| {
        if (experts == 0) continue;
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const x = try t.normal(T, &.{ rows, experts }, random, 3);
        const want_dx = try testing.allocator.alloc(f64, rows * experts);
        defer testing.allocator.free(want_dx);
        const n: f64 = @floatFromInt(rows);
        var want: f64 = 0;
        for (0..rows) |r| {
            const row = arrays.data(T, x)[r * experts ..][0..experts];
            var sum: f64 = 0;
            for (row) |v| sum += @exp(@as(f64, v));
            want += @log(sum) * @log(sum) / n;
            for (want_dx[r * experts ..][0..experts], row) |*g, v| g.* = 1.5 * 2 / n * @log(sum) * @exp(@as(f64, v)) / sum;
        }
        const loss = try t.filled(T, &.{}, 42);
        try forward(&d, loss, x);
        try arrays.expectClose(T, &.{want}, arrays.data(T, loss));
        const dloss = try t.filled(T, &.{}, 1.5);
        const dx = try t.filled(T, &.{ rows, experts }, 42);
        try backward(&d, dx, dloss, x);
        try arrays.expectClose(T, want_dx, arrays.data(T, dx));
        // In place.
        try backward(&d, x, dloss, x);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, x));
    };
}

test "router_z_loss: large logits, masked rows, NaN and no rows" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const loss = try t.filled(f32, &.{}, 42);
    const one = try t.filled(f32, &.{}, 1);
    const dx = try t.filled(f32, &.{ 2, 2 }, 42);
    const Case = struct { x: [4]f32, loss: f64, dx: [4]f64 };
    for ([_]Case{
        .{ .x = .{ 1000, 0, 0, -1000 }, .loss = 500000, .dx = .{ 1000, 0, 0, 0 } },
        .{ .x = .{ -inf, 3, -inf, -inf }, .loss = 4.5, .dx = .{ 0, 3, 0, 0 } },
        .{ .x = .{ 0, -inf, 0, -inf }, .loss = 0, .dx = .{ 0, 0, 0, 0 } },
        .{ .x = .{ nan, 1, 3, -inf }, .loss = nan, .dx = .{ nan, nan, 3, 0 } },
        .{ .x = .{ inf, 1, 3, -inf }, .loss = nan, .dx = .{ nan, nan, 3, 0 } },
        .{ .x = .{ nan, -inf, nan, nan }, .loss = nan, .dx = .{ nan, nan, nan, nan } },
    }) |case| {
        const x = try t.from(f32, &.{ 2, 2 }, &case.x);
        try forward(&d, loss, x);
        try arrays.expectWithin(f32, &.{case.loss}, arrays.data(f32, loss), 1e-6);
        try backward(&d, dx, one, x);
        try arrays.expectWithin(f32, &case.dx, arrays.data(f32, dx), 1e-6);
    }
    try forward(&d, loss, try t.empty(f32, &.{ 0, 4 }));
    try testing.expectEqual(0, arrays.data(f32, loss)[0]);
    try backward(&d, try t.empty(f32, &.{ 0, 4 }), one, try t.empty(f32, &.{ 0, 4 }));
}

test "router_z_loss: the same bits for any number of workers, and for views of logits" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const rows = 101;
    const experts = 37;
    var t: arrays.Tensors = .{};
    defer t.free();
    const wide = try t.normal(f32, &.{ rows, 40 }, random, 2);
    const x = try t.empty(f32, &.{ rows, experts });
    for (0..rows) |i| @memcpy(arrays.data(f32, x)[i * experts ..][0..experts], arrays.data(f32, wide)[i * 40 + 2 ..][0..experts]);
    const view = try t.view(wide, 2, &.{ rows, experts }, &.{ 40, 1 });
    const one = try t.filled(f32, &.{}, 1);
    var first: [2]u32 = undefined;
    for (1..9) |workers| {
        const d = device.forTest(@intCast(workers));
        const outs = [2]u32{ try t.empty(f32, &.{}), try t.empty(f32, &.{ rows, experts }) };
        const from = if (workers % 2 == 0) view else x;
        try forward(&d, outs[0], from);
        try backward(&d, outs[1], one, from);
        if (workers == 1) first = outs;
        for (first, outs) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
    }
}

test "router_z_loss: a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 3 }, 1);
    const dx = try t.filled(f32, &.{ 2, 3 }, 42);
    const loss = try t.filled(f32, &.{}, 42);
    try testing.expectError(error.ShapeMismatch, forward(&d, dx, x));
    try testing.expectError(error.ShapeMismatch, forward(&d, loss, try t.filled(f32, &.{3}, 1)));
    try testing.expectError(error.DtypeMismatch, forward(&d, try t.filled(f64, &.{}, 1), x));
    try testing.expectError(error.Overlap, forward(&d, try t.view(x, 0, &.{}, &.{}), x));
    try testing.expectError(error.ShapeMismatch, backward(&d, dx, x, x));
    try testing.expectError(error.ShapeMismatch, backward(&d, loss, loss, x));
    try testing.expectError(error.Overlap, backward(&d, dx, try t.view(dx, 0, &.{}, &.{}), x));
    for ([_]u32{ dx, loss }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "router_z_loss: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("router_z_loss_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("router_z_loss_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const rows = 3;
        const values: [rows * 70]T = @splat(1);
        for (1..71) |experts| {
            const x = try arrays.atBorder(T, values[0 .. rows * experts]);
            defer x.memory.deinit();
            const dx = try arrays.atBorder(T, values[0 .. rows * experts]);
            defer dx.memory.deinit();
            const losses = try arrays.atBorder(T, values[0..rows]);
            defer losses.memory.deinit();
            forward_kernel(&.{ .losses = losses.items.ptr, .logits = x.items.ptr, .rows = rows, .experts = experts, .logits_stride = experts });
            backward_kernel(&.{
                .dlogits = dx.items.ptr,
                .logits = x.items.ptr,
                .rows = rows,
                .experts = experts,
                .dlogits_stride = experts,
                .logits_stride = experts,
                .slope = 1,
            });
        }
    }
}

//! Load-balance loss of a router: experts · Σ_e f_e · P_e, with f_e the part of all choices that fell on expert e, and P_e its mean probability over
//! the rows (Fedus, Zoph and Shazeer, "Switch Transformers", 2022, equations 4 to 6). It is 1 where choices or probabilities are even, whatever the
//! number of choices a row.
//!
//! Probabilities are the softmax of a row's logits, or logistic scores divided by their sum (DeepSeek-AI, "DeepSeek-V3 technical report", 2024,
//! equation 18). f is a constant, so the loss is a sum over rows: with c_e = experts·f_e, loss = 1/rows · Σ_r Σ_e c_e·p_re. Backward, with d_r = Σ_e
//! c_e·p_re: dx_re = dloss/rows · p_re·(c_e − d_r), for logistic scores times 1 − σ(x_re).
//!
//! The rows' terms are summed in f64 in their order.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const math = @import("../isa/math.zig");
const mean_loss = @import("../row/mean_loss.zig");
const memory = @import("../memory.zig");
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

/// Bit of `flags`.
const logistic = 1;

fn Forward(comptime T: type) type {
    return extern struct {
        /// One for each row.
        losses: [*]T,
        logits: [*]const T,
        /// c of each expert.
        factors: [*]const T,
        rows: usize,
        experts: usize,
        logits_stride: usize,
        flags: u32,

        pub const losses_stride = 1;
    };
}

fn Backward(comptime T: type) type {
    return extern struct {
        dlogits: [*]T,
        logits: [*]const T,
        factors: [*]const T,
        rows: usize,
        experts: usize,
        dlogits_stride: usize,
        logits_stride: usize,
        /// dloss / rows.
        slope: T,
        flags: u32,
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);

        fn forward(p: *const Forward(T)) callconv(.c) void {
            if (p.flags & logistic == 0) terms(Softmax(T), p) else terms(Logistic, p);
        }

        fn terms(comptime P: type, p: *const Forward(T)) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| p.losses[i] = mean(P, .of(p.logits + i * p.logits_stride, p.experts), p.factors, p.experts);
        }

        inline fn mean(comptime P: type, p: P, factors: [*]const T, n: usize) T {
            return sweep.sums(T, 1, 1, n, Products(P){ .p = p, .factors = factors })[0];
        }

        fn backward(p: *const Backward(T)) callconv(.c) void {
            if (p.flags & logistic == 0) differentiate(Softmax(T), p) else differentiate(Logistic, p);
        }

        fn differentiate(comptime P: type, p: *const Backward(T)) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const probabilities: P = .of(p.logits + i * p.logits_stride, p.experts);
                sweep.each(p.experts, Gradient(P){
                    .out = p.dlogits + i * p.dlogits_stride,
                    .p = probabilities,
                    .factors = p.factors,
                    .mean = @splat(mean(P, probabilities, p.factors, p.experts)),
                    .slope = @splat(p.slope),
                });
            }
        }

        fn Products(comptime P: type) type {
            return struct {
                p: P,
                factors: [*]const T,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                    return .{s.p.at(whole, j, left) * sweep.read(T, whole, s.factors + j, left, 0)};
                }
            };
        }

        fn Gradient(comptime P: type) type {
            return struct {
                out: [*]T,
                p: P,
                factors: [*]const T,
                mean: V,
                slope: V,

                pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                    var g = s.p.at(whole, j, left) * (sweep.read(T, whole, s.factors + j, left, 0) - s.mean) * s.slope;
                    if (P == Logistic) g *= math.sigmoid(-sweep.read(T, whole, s.p.x + j, left, 0));
                    sweep.write(T, whole, s.out + j, g, left);
                }
            };
        }

        /// σ(x_j)/Σ_k σ(x_k); zeros where all of them are.
        const Logistic = struct {
            x: [*]const T,
            divisor: V,

            inline fn of(x: [*]const T, n: usize) Logistic {
                const sum = sweep.sums(T, 1, 1, n, Scores{ .x = x })[0];
                return .{ .x = x, .divisor = @splat(if (sum == 0) 1 else sum) };
            }

            // A quotient, since the reciprocal of a tiny sum would be infinite.
            pub inline fn at(s: Logistic, comptime whole: bool, j: usize, left: usize) V {
                return (Scores{ .x = s.x }).at(whole, j, left)[0] / s.divisor;
            }
        };

        const Scores = struct {
            x: [*]const T,

            /// Missing lanes are zeros.
            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                const score = math.sigmoid(sweep.read(T, whole, s.x + j, left, 0));
                if (whole) return .{score};
                const count: @Vector(simd.lanes, usize) = @splat(left);
                const zero: V = @splat(0);
                return .{@select(T, std.simd.iota(usize, simd.lanes) < count, score, zero)};
            }
        };
    };
}

pub const ukernels = struct {
    pub const load_balance_loss_f32_rows = Kernels(f32).forward;
    pub const load_balance_loss_f64_rows = Kernels(f64).forward;
    pub const load_balance_loss_backward_f32_rows = Kernels(f32).backward;
    pub const load_balance_loss_backward_f64_rows = Kernels(f64).backward;
};

/// c of each expert, by the first places of the experts; zeros where nothing was chosen.
fn Factors(comptime T: type) type {
    return struct {
        items: []T,

        fn of(d: *const Device, offsets: []const u32) Error!@This() {
            const experts = offsets.len - 1;
            const items = @as([*]T, @ptrCast(try memory.alloc(experts * @sizeOf(T))))[0..experts];
            if (d.explains()) return .{ .items = items };
            const total: f64 = @floatFromInt(@max(1, offsets[experts]));
            const count: f64 = @floatFromInt(experts);
            for (items, offsets[0..experts], offsets[1..]) |*f, begin, end| f.* = @floatCast(count * @as(f64, @floatFromInt(end - begin)) / total);
            return .{ .items = items };
        }

        /// Where the call is explained, they are scratch memory of its last step.
        fn free(f: @This(), d: *const Device) void {
            const bytes = f.items.len * @sizeOf(T);
            if (d.explanation) |e| e.noteScratch(bytes);
            memory.free(@ptrCast(@alignCast(f.items.ptr)), bytes);
        }
    };
}

fn ForwardTask(comptime T: type) type {
    return struct {
        args: Forward(T),
        loss: *T,
        offsets: []const u32,

        pub fn run(self: @This(), d: *const Device) Error!void {
            var args = self.args;
            const factors: Factors(T) = try .of(d, self.offsets);
            defer factors.free(d);
            args.factors = factors.items.ptr;
            try mean_loss.overRows(T, d, .{ .kernel = name }, args, 1, @sizeOf(T) * args.rows * (1 + args.experts), self.loss, args.rows);
        }

        const name = "load_balance_loss_" ++ @typeName(T) ++ "_rows";

        const Args = extern struct {
            losses: [*]f32,
            logits: [*]const f32,
            offsets: [*]const u32,
            rows: usize,
            experts: usize,
            logits_stride: usize,
            flags: u32,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = self.args;
            try mean_loss.dispatch(d, name, Args{
                .losses = undefined,
                .logits = a.logits,
                .offsets = self.offsets.ptr,
                .rows = a.rows,
                .experts = a.experts,
                .logits_stride = a.logits_stride,
                .flags = a.flags,
                .across = launch.across(name, a.experts),
            }, launch.byTeam(name, a.rows, a.experts, 3), self.loss);
        }
    };
}

fn BackwardTask(comptime T: type) type {
    return struct {
        args: Backward(T),
        dloss: *const T,
        offsets: []const u32,

        pub fn run(self: @This(), d: *const Device) Error!void {
            var args = self.args;
            const factors: Factors(T) = try .of(d, self.offsets);
            defer factors.free(d);
            args.factors = factors.items.ptr;
            if (!d.explains()) args.slope = mean_loss.share(T, self.dloss.*, args.rows);
            split.overRows(d, .{ .kernel = name }, args, 1, 2 * @sizeOf(T) * args.rows * args.experts);
        }

        const name = "load_balance_loss_backward_" ++ @typeName(T) ++ "_rows";

        const Args = extern struct {
            dlogits: [*]f32,
            dloss: *const f32,
            logits: [*]const f32,
            offsets: [*]const u32,
            rows: usize,
            experts: usize,
            dlogits_stride: usize,
            logits_stride: usize,
            flags: u32,
            across: usize,
        };

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const a = self.args;
            try launch.launch(d, name, Args{
                .dlogits = a.dlogits,
                .dloss = self.dloss,
                .logits = a.logits,
                .offsets = self.offsets.ptr,
                .rows = a.rows,
                .experts = a.experts,
                .dlogits_stride = a.dlogits_stride,
                .logits_stride = a.logits_stride,
                .flags = a.flags,
                .across = launch.across(name, a.experts),
            }, launch.byTeam(name, a.rows, a.experts, 4));
        }
    };
}

/// The first places of `experts` experts: from 0 on, never falling. One that is not so is named; on a GPU it makes the loss NaN.
fn checkedOffsets(d: *const Device, offsets: *const tensor.Tensor, experts: usize) Error![]const u32 {
    if (offsets.rank != 1 or offsets.count() != experts + 1) return error.ShapeMismatch;
    if (!offsets.contiguous()) return error.LayoutMismatch;
    const places = offsets.ptr(u32)[0 .. experts + 1];
    if (!d.sees()) return places;
    var least: u32 = 0;
    for (places, 0..) |p, e| {
        if (p < least or (e == 0 and p != 0)) return status.outOfRange(e, p);
        least = p;
    }
    return places;
}

fn forward(d: *const Device, loss_: u32, logits_: u32, offsets_: u32, flags: u32) Error!void {
    const logits = try tensor.get(logits_);
    const loss = try tensor.typed(loss_, logits.dtype);
    const offsets = try tensor.typed(offsets_, .u32);
    if (flags >> 1 != 0) return error.InvalidArgument;
    if (logits.rank != 2 or loss.count() != 1) return error.ShapeMismatch;
    const rows = try logits.rows();
    for ([_]*const tensor.Tensor{ logits, offsets }) |in| try tensor.checkApart(loss, in);
    const places = try checkedOffsets(d, offsets, logits.shape_[1]);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){
                .args = .{
                    .losses = undefined,
                    .logits = logits.ptr(T),
                    .factors = undefined,
                    .rows = rows.nonempty(),
                    .experts = rows.cols,
                    .logits_stride = rows.stride,
                    .flags = flags,
                },
                .loss = &loss.ptr(T)[0],
                .offsets = places,
            });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dlogits_: u32, dloss_: u32, logits_: u32, offsets_: u32, flags: u32) Error!void {
    const logits = try tensor.get(logits_);
    const dlogits = try tensor.typed(dlogits_, logits.dtype);
    const dloss = try tensor.typed(dloss_, logits.dtype);
    const offsets = try tensor.typed(offsets_, .u32);
    if (flags >> 1 != 0) return error.InvalidArgument;
    if (logits.rank != 2 or dloss.count() != 1 or !dlogits.sameShape(logits)) return error.ShapeMismatch;
    const rows = try logits.rows();
    const dlogits_rows = try shape.written(dlogits);
    try tensor.checkInPlace(dlogits, logits);
    for ([_]*const tensor.Tensor{ dloss, offsets }) |in| try tensor.checkApart(dlogits, in);
    const places = try checkedOffsets(d, offsets, logits.shape_[1]);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .args = .{
                    .dlogits = dlogits.ptr(T),
                    .logits = logits.ptr(T),
                    .factors = undefined,
                    .rows = rows.nonempty(),
                    .experts = rows.cols,
                    .dlogits_stride = dlogits_rows.stride,
                    .logits_stride = rows.stride,
                    .slope = 0,
                    .flags = flags,
                },
                .dloss = &dloss.ptr(T)[0],
                .offsets = places,
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, loss: u32, logits: u32, offsets: u32, flags: u32) Error!void {
    return forward(try device.get(device_), loss, logits, offsets, flags);
}

fn backwardOn(device_: u32, dlogits: u32, dloss: u32, logits: u32, offsets: u32, flags: u32) Error!void {
    return backward(try device.get(device_), dlogits, dloss, logits, offsets, flags);
}

pub const entries = struct {
    /// `logits` [rows, experts], `offsets` u32 [experts + 1] as `expert_order` left them; one that falls is IndexOutOfRange with its position and
    /// value, and on a GPU makes the loss NaN. `flags`: 1 takes logistic scores.
    pub fn load_balance_loss(device_: u32, loss: u32, logits: u32, offsets: u32, flags: u32) callconv(.c) i32 {
        return status.of(forwardOn(device_, loss, logits, offsets, flags));
    }

    /// `dlogits` may be `logits`.
    pub fn load_balance_loss_backward(device_: u32, dlogits: u32, dloss: u32, logits: u32, offsets: u32, flags: u32) callconv(.c) i32 {
        return status.of(backwardOn(device_, dlogits, dloss, logits, offsets, flags));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

/// Plain loops in f64: the loss by the mean probabilities, and the gradient for dloss through each row's Jacobian.
fn reference(dx: []f64, x: []const f64, offsets: []const u32, flags: u32, dloss: f64) !f64 {
    const experts = offsets.len - 1;
    const rows = x.len / experts;
    const p = try testing.allocator.alloc(f64, 2 * experts);
    defer testing.allocator.free(p);
    const means = p[experts..];
    @memset(means, 0);
    const n: f64 = @floatFromInt(experts);
    const total: f64 = @floatFromInt(offsets[experts]);
    for (0..rows) |r| {
        const row = x[r * experts ..][0..experts];
        var sum: f64 = 0;
        for (p[0..experts], row) |*o, v| {
            o.* = if (flags & logistic != 0) 1 / (1 + @exp(-v)) else @exp(v);
            sum += o.*;
        }
        for (p[0..experts], means) |*o, *m| {
            o.* /= sum;
            m.* += o.* / @as(f64, @floatFromInt(rows));
        }
        for (dx[r * experts ..][0..experts], row, p[0..experts], 0..) |*o, v, own, j| {
            o.* = 0;
            for (p[0..experts], 0..) |other, e| {
                const c = n * @as(f64, @floatFromInt(offsets[e + 1] - offsets[e])) / total;
                o.* += c * ((if (e == j) own else 0) - other * own);
            }
            o.* *= dloss / @as(f64, @floatFromInt(rows));
            if (flags & logistic != 0) o.* /= 1 + @exp(v);
        }
    }
    var loss: f64 = 0;
    for (means, offsets[0..experts], offsets[1..]) |m, begin, end| loss += n * @as(f64, @floatFromInt(end - begin)) / total * m;
    return loss;
}

fn randomOffsets(t: *arrays.Tensors, experts: usize, random: std.Random) !u32 {
    const offsets = try t.empty(u32, &.{experts + 1});
    var sum: u32 = 0;
    for (arrays.data(u32, offsets)) |*o| {
        o.* = sum;
        sum += random.uintLessThan(u32, 3);
    }
    arrays.data(u32, offsets)[experts] += 1;
    return offsets;
}

test "load_balance_loss: value and gradient as in f64 for every number of experts, both scores" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| for ([_]u32{ 0, logistic }) |flags| for (arrays.lengths) |experts| for ([_]usize{ 1, 7, 33 }) |rows| {
        if (experts == 0) continue;
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const x = try t.normal(T, &.{ rows, experts }, random, 2);
        const offsets = try randomOffsets(&t, experts, random);
        const wide = try arrays.widen(T, arrays.data(T, x));
        defer testing.allocator.free(wide);
        const want_dx = try testing.allocator.alloc(f64, rows * experts);
        defer testing.allocator.free(want_dx);
        const want = try reference(want_dx, wide, arrays.data(u32, offsets), flags, 1.5);
        const loss = try t.filled(T, &.{}, 42);
        try forward(&d, loss, x, offsets, flags);
        try arrays.expectClose(T, &.{want}, arrays.data(T, loss));
        const dloss = try t.filled(T, &.{}, 1.5);
        const dx = try t.filled(T, &.{ rows, experts }, 42);
        try backward(&d, dx, dloss, x, offsets, flags);
        // One expert has a probability of 1: its gradient is rounding alone.
        try arrays.expectScaled(T, want_dx, arrays.data(T, dx), arrays.tolerance(T), 0.1);
        // In place.
        try backward(&d, x, dloss, x, offsets, flags);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, x));
    };
}

test "load_balance_loss: 1 where all is even, experts where all goes to one, 0 without rows" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const loss = try t.filled(f32, &.{}, 42);
    const even = try t.from(u32, &.{5}, &.{ 0, 2, 4, 6, 8 });
    const one = try t.from(u32, &.{5}, &.{ 0, 0, 8, 8, 8 });
    const peaks = try t.from(f32, &.{ 2, 4 }, &.{ 0, 200, 0, 0, 0, 200, 0, 0 });
    const flat = try t.filled(f32, &.{ 2, 4 }, -3);
    for ([_]u32{ 0, logistic }) |flags| {
        try forward(&d, loss, flat, even, flags);
        try testing.expectApproxEqAbs(1, arrays.data(f32, loss)[0], 1e-6);
        try forward(&d, loss, flat, one, flags);
        try testing.expectApproxEqAbs(1, arrays.data(f32, loss)[0], 1e-6);
        try forward(&d, loss, try t.empty(f32, &.{ 0, 4 }), even, flags);
        try testing.expectEqual(0, arrays.data(f32, loss)[0]);
        try backward(&d, try t.empty(f32, &.{ 0, 4 }), loss, try t.empty(f32, &.{ 0, 4 }), even, flags);
    }
    try forward(&d, loss, peaks, one, 0);
    try testing.expectEqual(4, arrays.data(f32, loss)[0]);
    // Nothing was chosen.
    try forward(&d, loss, peaks, try t.filled(u32, &.{5}, 0), 0);
    try testing.expectEqual(0, arrays.data(f32, loss)[0]);
}

test "load_balance_loss: NaN and infinities" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const loss = try t.filled(f32, &.{}, 1);
    const offsets = try t.from(u32, &.{3}, &.{ 0, 1, 4 });
    const dx = try t.filled(f32, &.{ 2, 2 }, 42);
    // A masked expert has no probability, a row of masked ones none at all; neither has a gradient.
    const masked = try t.from(f32, &.{ 2, 2 }, &.{ 0, -inf, -inf, -inf });
    for ([_]u32{ 0, logistic }) |flags| {
        try forward(&d, loss, masked, offsets, flags);
        try testing.expectEqual(0.25, arrays.data(f32, loss)[0]);
        try backward(&d, dx, loss, masked, offsets, flags);
        for (arrays.data(f32, dx)) |v| try testing.expectEqual(0, v);
    }
    for ([_]f32{ nan, inf }) |bad| for ([_]f32{ 1, -inf, nan }) |beside| {
        const x = try t.from(f32, &.{ 2, 2 }, &.{ beside, bad, 1, 2 });
        try forward(&d, loss, x, offsets, 0);
        try testing.expect(std.math.isNan(arrays.data(f32, loss)[0]));
        arrays.data(f32, loss)[0] = 1;
        try backward(&d, dx, loss, x, offsets, 0);
        for (arrays.data(f32, dx), [_]bool{ true, true, false, false }) |v, lost| try testing.expectEqual(lost, std.math.isNan(v));
    };
}

test "load_balance_loss: the same bits for any number of workers, and for views of logits" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const rows = 101;
    const experts = 37;
    for ([_]u32{ 0, logistic }) |flags| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const wide = try t.normal(f32, &.{ rows, 40 }, random, 2);
        const x = try t.empty(f32, &.{ rows, experts });
        for (0..rows) |i| @memcpy(arrays.data(f32, x)[i * experts ..][0..experts], arrays.data(f32, wide)[i * 40 + 2 ..][0..experts]);
        const view = try t.view(wide, 2, &.{ rows, experts }, &.{ 40, 1 });
        const offsets = try randomOffsets(&t, experts, random);
        const one = try t.filled(f32, &.{}, 1);
        var first: [2]u32 = undefined;
        for (1..9) |workers| {
            const d = device.forTest(@intCast(workers));
            const outs = [2]u32{ try t.empty(f32, &.{}), try t.empty(f32, &.{ rows, experts }) };
            const from = if (workers % 2 == 0) view else x;
            try forward(&d, outs[0], from, offsets, flags);
            try backward(&d, outs[1], one, from, offsets, flags);
            if (workers == 1) first = outs;
            for (first, outs) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
        }
    }
}

test "load_balance_loss: offsets that fall are named, and a refused call writes nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 2, 3 }, 1);
    const dx = try t.filled(f32, &.{ 2, 3 }, 42);
    const loss = try t.filled(f32, &.{}, 42);
    const wrong = [_]u32{ try t.from(u32, &.{4}, &.{ 0, 3, 2, 5 }), try t.from(u32, &.{4}, &.{ 1, 2, 2, 5 }) };
    for (wrong, [_][2]f64{ .{ 2, 2 }, .{ 0, 1 } }) |offsets, detail| {
        status.detail = .{ 9, 9 };
        try testing.expectError(error.IndexOutOfRange, forward(&d, loss, x, offsets, 0));
        try testing.expectEqual(detail, status.detail);
        try testing.expectError(error.IndexOutOfRange, backward(&d, dx, loss, x, offsets, 0));
    }
    const good = try t.from(u32, &.{4}, &.{ 0, 2, 2, 5 });
    try testing.expectError(error.InvalidArgument, forward(&d, loss, x, good, 2));
    try testing.expectError(error.ShapeMismatch, forward(&d, loss, x, try t.filled(u32, &.{3}, 0), 0));
    try testing.expectError(error.ShapeMismatch, forward(&d, dx, x, good, 0));
    try testing.expectError(error.DtypeMismatch, forward(&d, loss, x, try t.filled(i32, &.{4}, 0), 0));
    try testing.expectError(error.ShapeMismatch, backward(&d, loss, loss, x, good, 0));
    try testing.expectError(error.Overlap, backward(&d, dx, try t.view(dx, 0, &.{}, &.{}), x, good, 0));
    for ([_]u32{ dx, loss }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "load_balance_loss: kernels read and write nothing past the last element" {
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("load_balance_loss_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("load_balance_loss_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const rows = 3;
        const values: [rows * 70]T = @splat(1);
        for (1..71) |experts| for ([_]u32{ 0, logistic }) |flags| {
            const x = try arrays.atBorder(T, values[0 .. rows * experts]);
            defer x.memory.deinit();
            const dx = try arrays.atBorder(T, values[0 .. rows * experts]);
            defer dx.memory.deinit();
            const factors = try arrays.atBorder(T, values[0..experts]);
            defer factors.memory.deinit();
            const losses = try arrays.atBorder(T, values[0..rows]);
            defer losses.memory.deinit();
            forward_kernel(&.{
                .losses = losses.items.ptr,
                .logits = x.items.ptr,
                .factors = factors.items.ptr,
                .rows = rows,
                .experts = experts,
                .logits_stride = experts,
                .flags = flags,
            });
            for (losses.items) |v| try testing.expectApproxEqAbs(@as(T, 1), v, 1e-5);
            backward_kernel(&.{
                .dlogits = dx.items.ptr,
                .logits = x.items.ptr,
                .factors = factors.items.ptr,
                .rows = rows,
                .experts = experts,
                .dlogits_stride = experts,
                .logits_stride = experts,
                .slope = 1,
                .flags = flags,
            });
        };
    }
}

//! Cross-entropy of logits against labels, over the last axis: the mean, over the rows whose label is not the ignored one, of
//! log Σ_j exp(x_j) − x_label = log Σ_j exp(x_j − m) + (m − x_label), with m the row's maximum. Without such rows it is 0.
//! Backward: dx_j = dloss/count · (exp(x_j − m)/Σ_k exp(x_k − m) − [j = label]), and 0 in ignored rows.
//!
//! Forward keeps (m, Σ exp(x − m)) of each row rather than their logarithm: the gradient then has softmax's own accuracy, also for large logits.
//! A row is read from memory once: block by block, the block's own maximum and sum, then s ← s·exp(m − m') + s_block·exp(m_block − m') with m' the larger
//! maximum, blocks in their order (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, but of blocks rather than elements: two
//! exponentials more for each 1024). The losses of the rows are summed in f64 in their order.
//!
//! On a GPU only the device knows the labels: it counts those that are not ignored, and one that is no class makes the loss NaN and a gradient of 0.
//!
//! Time per logit on one core of a Xeon of 2023: 0.25 ns forward and as much backward while they are in its caches, which is what the exponential takes;
//! 512×50257 logits, beyond them, pass at 0.8 to 1.0 of the speed of a copy (0.5 with two passes over whole rows).

const std = @import("std");
const device = @import("../device.zig");
const fold = @import("../row/fold.zig");
const launch = @import("../gpu/launch.zig");
const Scratch = @import("../gpu/scratch.zig").Scratch;
const Labels = @import("../row/labels.zig").Labels;
const math = @import("../isa/math.zig");
const mean_loss = @import("../row/mean_loss.zig");
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

pub fn Forward(comptime T: type) type {
    return extern struct {
        /// One for each row, 0 where it is ignored.
        losses: [*]T,
        /// (m, Σ exp(x − m)) of each row; (0, 1) where it is ignored.
        stats: [*]T,
        logits: [*]const T,
        labels: [*]const u32,
        rows: usize,
        cols: usize,
        logits_stride: usize,
        /// Whether there is an ignored label, and which.
        ignores: u32,
        ignored: u32,

        pub const losses_stride = 1;
        pub const stats_stride = 2;
        pub const labels_stride = 1;
    };
}

pub fn Backward(comptime T: type) type {
    return extern struct {
        dlogits: [*]T,
        logits: [*]const T,
        labels: [*]const u32,
        stats: [*]const T,
        rows: usize,
        cols: usize,
        dlogits_stride: usize,
        logits_stride: usize,
        /// dloss / count.
        factor: T,
        ignores: u32,
        ignored: u32,

        pub const labels_stride = 1;
        pub const stats_stride = 2;
    };
}

fn Kernels(comptime T: type) type {
    return struct {
        const V = Vec(T);
        const infinity = std.math.inf(T);

        /// Classes of a block: four of them lie in the first cache while they are looked through twice. Part of the order of the sums.
        const block = 1024;

        inline fn all(v: T) V {
            return @splat(v);
        }

        /// Rows go in groups of 16, whose logarithms are one vector.
        fn forward(p: *const Forward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            var first: usize = 0;
            while (first < p.rows) : (first += simd.lanes) {
                const group = @min(simd.lanes, p.rows - first);
                var rows: Rows = .{};
                for (0..group) |g| {
                    const label = p.labels[first + g];
                    if (p.ignores != 0 and label == p.ignored) {
                        rows.max[g] = 0;
                        rows.sum[g] = 1;
                        continue;
                    }
                    const x = p.logits + (first + g) * p.logits_stride;
                    var j: usize = 0;
                    while (j < p.cols) : (j += block) rows.add(x + j, @min(block, p.cols - j), g);
                }
                rows.finish();
                var gaps: [simd.lanes]T = @splat(0);
                for (0..group) |g| {
                    const i = first + g;
                    const label = p.labels[i];
                    p.stats[2 * i] = rows.max[g];
                    p.stats[2 * i + 1] = rows.sum[g];
                    if (p.ignores == 0 or label != p.ignored) gaps[g] = rows.max[g] - p.logits[i * p.logits_stride + label];
                }
                const losses = math.log(@as(V, rows.sum)) + @as(V, gaps);
                if (group == simd.lanes) simd.store(p.losses + first, losses) else simd.storePartial(p.losses + first, losses, group);
            }
        }

        /// The statistics of up to 16 rows, made of those of their blocks. Blocks are looked through four at a time, all maxima before all sums: what one
        /// waits for the others fill, and memory is asked for what comes next.
        const Rows = struct {
            max: [simd.lanes]T = @splat(-infinity),
            sum: [simd.lanes]T = @splat(0),
            waiting: [4]Block = undefined,
            count: usize = 0,

            inline fn add(r: *Rows, x: [*]const T, len: usize, row: usize) void {
                r.waiting[r.count] = .{ .x = x, .len = len, .row = row };
                r.count += 1;
                if (r.count < 4) return;
                r.join(4, 0);
                r.count = 0;
            }

            fn finish(r: *Rows) void {
                for (0..r.count) |i| r.join(1, i);
            }

            noinline fn join(r: *Rows, comptime count: usize, at: usize) void {
                @setEvalBranchQuota(20_000);
                var max: [count]T = undefined;
                var sum: [count]T = undefined;
                for (0..count) |i| {
                    const b = &r.waiting[at + i];
                    max[i] = sweep.largest(T, b.len, Logits{ .x = b.x });
                }
                for (0..count) |i| {
                    const b = &r.waiting[at + i];
                    // Of nothing but -Inf the exponentials are 0, and NaN of NaN.
                    const m = if (max[i] == -infinity) 0 else max[i];
                    sum[i] = sweep.sums(T, 1, 2, b.len, Exponentials{ .x = b.x, .m = all(m), .ahead = count * block })[0];
                }
                for (0..count) |i| {
                    const g = r.waiting[at + i].row;
                    if (max[i] > r.max[g]) {
                        r.sum[g] = r.sum[g] * math.expNegative(all(r.max[g] - max[i]))[0] + sum[i];
                        r.max[g] = max[i];
                    } else if (max[i] == r.max[g]) {
                        r.sum[g] += sum[i];
                    } else {
                        r.sum[g] += sum[i] * math.expNegative(all(max[i] - r.max[g]))[0];
                    }
                }
            }
        };

        const Block = struct { x: [*]const T, len: usize, row: usize };

        const Logits = struct {
            x: [*]const T,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) V {
                return sweep.read(T, whole, s.x + j, left, -infinity);
            }
        };

        const Exponentials = struct {
            x: [*]const T,
            m: V,
            /// How far before the element in work memory is asked for.
            ahead: usize,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) [1]V {
                if (whole) inline for (0..@sizeOf(V) / 64) |line| @prefetch(s.x + j + s.ahead + line * 64 / @sizeOf(T), .{});
                return .{math.expNegative(sweep.read(T, whole, s.x + j, left, -infinity) - s.m)};
            }
        };

        fn backward(p: *const Backward(T)) callconv(.c) void {
            @setEvalBranchQuota(20_000);
            for (0..p.rows) |i| {
                const out = p.dlogits + i * p.dlogits_stride;
                const label = p.labels[i];
                if (p.ignores != 0 and label == p.ignored) {
                    @memset(out[0..p.cols], 0);
                    continue;
                }
                const x = p.logits + i * p.logits_stride;
                const m = all(p.stats[2 * i]);
                const factor = all(p.factor * (1 / p.stats[2 * i + 1]));
                // Before the pass: `out` may be `x`.
                const at_label = math.expNegative(all(x[label]) - m) * factor - all(p.factor);
                sweep.each(p.cols, Gradient{ .out = out, .x = x, .m = m, .factor = factor });
                out[label] = at_label[0];
            }
        }

        const Gradient = struct {
            out: [*]T,
            x: [*]const T,
            m: V,
            factor: V,

            pub inline fn at(s: @This(), comptime whole: bool, j: usize, left: usize) void {
                const e = math.expNegative(sweep.read(T, whole, s.x + j, left, 0) - s.m);
                sweep.write(T, whole, s.out + j, e * s.factor, left);
            }
        };
    };
}

pub const ukernels = struct {
    pub const cross_entropy_f32_rows = Kernels(f32).forward;
    pub const cross_entropy_f64_rows = Kernels(f64).forward;
    pub const cross_entropy_backward_f32_rows = Kernels(f32).backward;
    pub const cross_entropy_backward_f64_rows = Kernels(f64).backward;
};

/// Losses and statistics of rows.
pub fn forwardRows(comptime T: type, d: *const Device, comptime step: ?[]const u8, a: Forward(T)) void {
    const pass: device.Pass = .{ .step = step, .kernel = "cross_entropy_" ++ @typeName(T) ++ "_rows" };
    split.overRows(d, pass, a, simd.lanes, @sizeOf(T) * a.rows * a.cols);
}

/// Gradients of rows.
pub fn backwardRows(comptime T: type, d: *const Device, comptime step: ?[]const u8, a: Backward(T)) void {
    const pass: device.Pass = .{ .step = step, .kernel = "cross_entropy_backward_" ++ @typeName(T) ++ "_rows" };
    split.overRows(d, pass, a, 1, 2 * @sizeOf(T) * a.rows * a.cols);
}

/// On a GPU: losses and statistics of rows.
pub fn dispatchForward(d: *const Device, step: ?[]const u8, a: Forward(f32)) Error!void {
    // Rows without classes have losses too.
    return launch.launch(d, "cross_entropy_f32_rows", a, .{ .groups = a.rows, .cost = 8 * a.rows * a.cols, .rounds = a.cols / 1024 + launch.few_rounds, .step = step });
}

/// On a GPU: gradients of rows, `dloss` being 1 where it is null. The device knows how many count.
pub fn dispatchBackward(d: *const Device, step: ?[]const u8, a: Backward(f32), dloss: ?*const f32, count: [*]const u32) Error!void {
    const Args = extern struct {
        dlogits: [*]f32,
        logits: [*]const f32,
        labels: [*]const u32,
        stats: [*]const f32,
        dloss: ?*const f32,
        count: [*]const u32,
        rows: usize,
        cols: usize,
        dlogits_stride: usize,
        logits_stride: usize,
        ignores: u32,
        ignored: u32,
    };
    const name = "cross_entropy_backward_f32";
    var work = launch.byElement(name, a.rows * a.cols);
    work.step = step;
    return launch.launch(d, name, Args{
        .dlogits = a.dlogits,
        .logits = a.logits,
        .labels = a.labels,
        .stats = a.stats,
        .dloss = dloss,
        .count = count,
        .rows = a.rows,
        .cols = a.cols,
        .dlogits_stride = a.dlogits_stride,
        .logits_stride = a.logits_stride,
        .ignores = a.ignores,
        .ignored = a.ignored,
    }, work);
}

/// On a GPU: how many labels are not ignored, in `out`.
pub fn dispatchKept(d: *const Device, out: [*]u32, labels: [*]const u32, rows: usize, ignores: u32, ignored: u32) Error!void {
    const Args = extern struct { out: [*]u32, labels: [*]const u32, rows: usize, part: usize, parts: usize, ignores: u32, ignored: u32 };
    const part = fold.partLen(rows);
    const parts = @max(1, std.math.divCeil(usize, rows, part) catch unreachable);
    var args: Args = .{ .out = out, .labels = labels, .rows = rows, .part = part, .parts = parts, .ignores = ignores, .ignored = ignored };
    const work: launch.Work = .{ .groups = parts, .cost = rows, .rounds = fold.rounds(part), .step = "count" };
    if (parts == 1) return launch.launch(d, "cross_entropy_kept", args, work);
    const partials: fold.Partials(u32) = try .init(d, parts);
    defer partials.deinit();
    args.out = partials.out;
    try launch.launch(d, "cross_entropy_kept", args, work);
    try fold.dispatchJoin(u32, d, partials, 1, parts, .{ .out = out });
}

/// On a GPU: the mean of the losses of which as many count as the device knows, the others being 0.
pub fn dispatchMean(d: *const Device, loss: *f32, losses: [*]const f32, rows: usize, count: [*]const u32) Error!void {
    return fold.dispatchRows(f32, d, losses, .{ .rows = 1, .cols = rows, .stride = rows }, .{ .out = @ptrCast(loss), .count = count });
}

fn ForwardTask(comptime T: type) type {
    return struct {
        args: Forward(T),
        loss: *T,
        count: usize,
        /// Whether the statistics go to scratch memory: nobody wants them.
        own_stats: bool,

        pub fn run(self: @This(), d: *const Device) Error!void {
            var args = self.args;
            const words = args.rows * @as(usize, if (self.own_stats) 3 else 1);
            const bytes = words * @sizeOf(T);
            const scratch = try memory.alloc(bytes);
            defer memory.free(scratch, bytes);
            args.losses = @ptrCast(scratch);
            if (self.own_stats) args.stats = args.losses + args.rows;
            forwardRows(T, d, null, args);
            if (d.explanation) |e| return e.noteScratch(bytes);
            self.loss.* = mean_loss.mean(T, args.losses[0..args.rows], self.count);
        }

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            var args = self.args;
            const words = 1 + args.rows * @as(usize, if (self.own_stats) 3 else 1);
            const scratch: Scratch = try .init(d, words * @sizeOf(T));
            defer scratch.deinit();
            const count = scratch.ptr(u32);
            args.losses = scratch.ptr(T) + 1;
            if (self.own_stats) args.stats = args.losses + args.rows;
            try dispatchKept(d, count, args.labels, args.rows, args.ignores, args.ignored);
            try dispatchForward(d, null, args);
            try dispatchMean(d, self.loss, args.losses, args.rows, count);
        }
    };
}

fn BackwardTask(comptime T: type) type {
    return struct {
        /// `factor` is filled in here: it needs the gradient of the loss, which may lie on a device.
        args: Backward(T),
        dloss: *const T,
        /// Rows that count; known to the host's own devices.
        count: usize,

        pub fn run(self: @This(), d: *const Device) void {
            var args = self.args;
            args.factor = if (d.explains()) 0 else mean_loss.share(T, self.dloss.*, self.count);
            backwardRows(T, d, null, args);
        }

        pub fn dispatch(self: @This(), d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const count: Scratch = try .init(d, @sizeOf(u32));
            defer count.deinit();
            const args = &self.args;
            try dispatchKept(d, count.ptr(u32), args.labels, args.rows, args.ignores, args.ignored);
            try dispatchBackward(d, null, args.*, self.dloss, count.ptr(u32));
        }
    };
}

/// Checks that labels have the shape of the logits without its last axis.
pub fn match(logits: *const tensor.Tensor, targets: *const tensor.Tensor) Error!void {
    if (logits.rank == 0 or targets.rank != logits.rank - 1) return error.ShapeMismatch;
    for (targets.shape(), logits.shape()[0..targets.rank]) |a, b| if (a != b) return error.ShapeMismatch;
}

fn statistics(t: *const tensor.Tensor, rows: usize) Error!void {
    if (t.fromEnd(0) != 2 or t.count() != 2 * rows) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
}

fn forward(d: *const Device, loss_: u32, stats_: u32, logits_: u32, targets_: u32, ignore_index: f64) Error!void {
    const logits = try tensor.get(logits_);
    const loss = try tensor.typed(loss_, logits.dtype);
    const stats = try tensor.optional(stats_, logits.dtype);
    const targets = try tensor.get(targets_);
    const labels = try Labels.of(targets);
    if (loss.count() != 1) return error.ShapeMismatch;
    try match(logits, targets);
    const rows = try logits.rows();
    const count = labels.bits.len;
    for ([_]*const tensor.Tensor{ logits, targets }) |in| try tensor.checkApart(loss, in);
    if (stats) |s| {
        try statistics(s, count);
        for ([_]*const tensor.Tensor{ logits, targets, loss }) |other| try tensor.checkApart(s, other);
    }
    const ignored = labels.bitsOf(ignore_index);
    const kept = try labels.checkOn(d, rows.cols, ignored);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(ForwardTask(T){
                .args = .{
                    .losses = undefined,
                    .stats = if (stats) |s| s.ptr(T) else undefined,
                    .logits = logits.ptr(T),
                    .labels = labels.bits.ptr,
                    .rows = count,
                    .cols = rows.cols,
                    .logits_stride = rows.stride,
                    .ignores = @intFromBool(ignored != null),
                    .ignored = ignored orelse 0,
                },
                .loss = &loss.ptr(T)[0],
                .count = kept,
                .own_stats = stats == null,
            });
        },
        else => return error.Unsupported,
    }
}

fn backward(d: *const Device, dlogits_: u32, dloss_: u32, logits_: u32, targets_: u32, stats_: u32, ignore_index: f64) Error!void {
    const logits = try tensor.get(logits_);
    const dlogits = try tensor.typed(dlogits_, logits.dtype);
    const dloss = try tensor.typed(dloss_, logits.dtype);
    const targets = try tensor.get(targets_);
    const stats = try tensor.typed(stats_, logits.dtype);
    const labels = try Labels.of(targets);
    if (dloss.count() != 1 or !dlogits.sameShape(logits)) return error.ShapeMismatch;
    try match(logits, targets);
    const rows = try logits.rows();
    const dlogits_rows = try shape.written(dlogits);
    try statistics(stats, labels.bits.len);
    try tensor.checkInPlace(dlogits, logits);
    for ([_]*const tensor.Tensor{ dloss, targets, stats }) |in| try tensor.checkApart(dlogits, in);
    const ignored = labels.bitsOf(ignore_index);
    const kept = try labels.checkOn(d, rows.cols, ignored);
    switch (logits.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            try d.submit(BackwardTask(T){
                .args = .{
                    .dlogits = dlogits.ptr(T),
                    .logits = logits.ptr(T),
                    .labels = labels.bits.ptr,
                    .stats = stats.ptr(T),
                    .rows = labels.bits.len,
                    .cols = rows.cols,
                    .dlogits_stride = dlogits_rows.stride,
                    .logits_stride = rows.stride,
                    .factor = undefined,
                    .ignores = @intFromBool(ignored != null),
                    .ignored = ignored orelse 0,
                },
                .dloss = &dloss.ptr(T)[0],
                .count = kept,
            });
        },
        else => return error.Unsupported,
    }
}

fn forwardOn(device_: u32, loss: u32, stats: u32, logits: u32, targets: u32, ignore_index: f64) Error!void {
    return forward(try device.get(device_), loss, stats, logits, targets, ignore_index);
}

fn backwardOn(device_: u32, dlogits: u32, dloss: u32, logits: u32, targets: u32, stats: u32, ignore_index: f64) Error!void {
    return backward(try device.get(device_), dlogits, dloss, logits, targets, stats, ignore_index);
}

pub const entries = struct {
    /// `stats` has two numbers for each row, kept for the gradient; 0 is none. `targets` are i32 or u32 without gaps, of the logits' leading shape; one
    /// that is neither a class nor `ignore_index` is IndexOutOfRange with its row and value.
    pub fn cross_entropy(device_: u32, loss: u32, stats: u32, logits: u32, targets: u32, ignore_index: f64) callconv(.c) i32 {
        return status.of(forwardOn(device_, loss, stats, logits, targets, ignore_index));
    }

    /// `stats` as `cross_entropy` left it. `dlogits` may be `logits`.
    pub fn cross_entropy_backward(device_: u32, dlogits: u32, dloss: u32, logits: u32, targets: u32, stats: u32, ignore_index: f64) callconv(.c) i32 {
        return status.of(backwardOn(device_, dlogits, dloss, logits, targets, stats, ignore_index));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const pick = @import("../isa/pick.zig");

/// Plain loops in f64: the loss, and the gradient for dloss in `dx`.
fn reference(dx: []f64, x: []const f64, labels: []const i32, cols: usize, ignored: i32, dloss: f64) f64 {
    var count: f64 = 0;
    for (labels) |label| count += if (label == ignored) 0 else 1;
    @memset(dx, 0);
    var loss: f64 = 0;
    for (labels, 0..) |label, i| if (label != ignored) {
        const row = x[i * cols ..][0..cols];
        var m = -std.math.inf(f64);
        for (row) |v| m = @max(m, v);
        var sum: f64 = 0;
        for (row) |v| sum += @exp(v - m);
        loss += (@log(sum) + (m - row[@intCast(label)])) / count;
        for (row, dx[i * cols ..][0..cols], 0..) |v, *g, j| {
            g.* = dloss / count * (@exp(v - m) / sum - @as(f64, if (j == label) 1 else 0));
        }
    };
    return loss;
}

test "cross_entropy: loss and gradient as in f64 at every number of classes and rows around a group" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    inline for (.{ f32, f64 }) |T| for (arrays.lengths) |cols| for ([_]usize{ 0, 1, 15, 16, 17, 33 }) |rows| {
        if (cols == 0) continue;
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const x = try t.normal(T, &.{ rows, cols }, random, 3);
        const targets = try t.empty(i32, &.{rows});
        for (arrays.data(i32, targets)) |*label| label.* = if (random.uintLessThan(u32, 4) == 0) -100 else random.intRangeLessThan(i32, 0, @intCast(cols));
        const wide = try arrays.widen(T, arrays.data(T, x));
        defer testing.allocator.free(wide);
        const want_dx = try testing.allocator.alloc(f64, rows * cols);
        defer testing.allocator.free(want_dx);
        const want = reference(want_dx, wide, arrays.data(i32, targets), cols, -100, 1.5);
        const loss = try t.filled(T, &.{}, 42);
        const alone = try t.filled(T, &.{}, 42);
        const stats = try t.empty(T, &.{ rows, 2 });
        try forward(&d, loss, stats, x, targets, -100);
        try forward(&d, alone, 0, x, targets, -100);
        // One class: log 1 = 0 but for rounding.
        try arrays.expectScaled(T, &.{want}, arrays.data(T, loss), arrays.tolerance(T), 0.1);
        try arrays.expectSameBits(T, arrays.data(T, loss), arrays.data(T, alone));
        const dloss = try t.filled(T, &.{}, 1.5);
        const dx = try t.filled(T, &.{ rows, cols }, 42);
        try backward(&d, dx, dloss, x, targets, stats, -100);
        try arrays.expectScaled(T, want_dx, arrays.data(T, dx), arrays.tolerance(T), 0.1);
        // In place.
        try backward(&d, x, dloss, x, targets, stats, -100);
        try arrays.expectSameBits(T, arrays.data(T, dx), arrays.data(T, x));
    };
}

test "cross_entropy: ignored rows do not count, whatever they hold, and none counting is 0" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const one = try t.filled(f32, &.{}, 1);
    const loss = try t.filled(f32, &.{}, 42);
    {
        const x = try t.filled(f32, &.{ 2, 4 }, 0);
        for (arrays.data(f32, x)[4..]) |*v| v.* = std.math.nan(f32);
        const targets = try t.from(i32, &.{2}, &.{ 1, -100 });
        const stats = try t.empty(f32, &.{ 2, 2 });
        const dx = try t.filled(f32, &.{ 2, 4 }, 42);
        try forward(&d, loss, stats, x, targets, -100);
        try testing.expectApproxEqAbs(1.386294, arrays.data(f32, loss)[0], 1e-6);
        try backward(&d, dx, one, x, targets, stats, -100);
        try arrays.expectWithin(f32, &.{ 0.25, -0.75, 0.25, 0.25, 0, 0, 0, 0 }, arrays.data(f32, dx), 0);
    }
    {
        const x = try t.filled(f32, &.{ 3, 3 }, 1);
        const targets = try t.filled(u32, &.{3}, 255);
        const stats = try t.empty(f32, &.{ 3, 2 });
        const dx = try t.filled(f32, &.{ 3, 3 }, 42);
        try forward(&d, loss, stats, x, targets, 255);
        try testing.expectEqual(0, arrays.data(f32, loss)[0]);
        try backward(&d, dx, one, x, targets, stats, 255);
        for (arrays.data(f32, dx)) |v| try testing.expectEqual(0, v);
    }
}

test "cross_entropy: rows of several blocks, whatever the order of their maxima" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| for ([_]usize{ 1023, 1024, 1025, 2047, 3072, 4096, 5000, 9001 }) |cols| {
        const rows = 5;
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(2);
        const x = try t.normal(T, &.{ rows, cols }, prng.random(), 2);
        // Row 1 rises from block to block, row 2 falls, row 3 has one peak far above the rest, row 4 blocks that are masked.
        for (arrays.data(T, x)[cols .. 3 * cols], 0..) |*v, i| {
            const place: T = @floatFromInt(i % cols);
            v.* += if (i < cols) 0.01 * place else -0.01 * place;
        }
        arrays.data(T, x)[3 * cols + cols / 2] = 80;
        for (arrays.data(T, x)[4 * cols ..][0 .. cols - 5], 0..) |*v, i| if (i / 512 % 5 < 3) {
            v.* = -std.math.inf(T);
        };
        const targets = try t.empty(i32, &.{rows});
        for (arrays.data(i32, targets)) |*label| label.* = @intCast(cols - 1 - prng.random().uintLessThan(u32, 5));
        const wide = try arrays.widen(T, arrays.data(T, x));
        defer testing.allocator.free(wide);
        const want_dx = try testing.allocator.alloc(f64, rows * cols);
        defer testing.allocator.free(want_dx);
        const want = reference(want_dx, wide, arrays.data(i32, targets), cols, -100, 1);
        const loss = try t.empty(T, &.{});
        const stats = try t.empty(T, &.{ rows, 2 });
        const dx = try t.filled(T, &.{ rows, cols }, 42);
        try forward(&d, loss, stats, x, targets, -100);
        try arrays.expectClose(T, &.{want}, arrays.data(T, loss));
        try backward(&d, dx, try t.filled(T, &.{}, 1), x, targets, stats, -100);
        try arrays.expectClose(T, want_dx, arrays.data(T, dx));
    };
}

test "cross_entropy: NaN and infinities in any block make the loss NaN, masked blocks do not" {
    const inf = std.math.inf(f32);
    const nan = std.math.nan(f32);
    const cols = 3000;
    const Case = struct { fill: f32, at: usize, value: f32, finite: bool };
    const cases = [_]Case{
        .{ .fill = 0, .at = 2900, .value = nan, .finite = false },
        .{ .fill = 0, .at = 0, .value = nan, .finite = false },
        .{ .fill = 0, .at = 1500, .value = inf, .finite = false },
        .{ .fill = 0, .at = 1500, .value = -inf, .finite = true },
        .{ .fill = -inf, .at = 7, .value = -inf, .finite = false },
        .{ .fill = -inf, .at = 1500, .value = nan, .finite = false },
        .{ .fill = -inf, .at = 1500, .value = inf, .finite = false },
        // The label's own logit alone is left: a probability of 1.
        .{ .fill = -inf, .at = 2999, .value = -3, .finite = true },
    };
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const targets = try t.filled(u32, &.{1}, cols - 1);
    for (cases) |case| {
        const x = try t.filled(f32, &.{ 1, cols }, case.fill);
        arrays.data(f32, x)[case.at] = case.value;
        const loss = try t.filled(f32, &.{}, 42);
        const stats = try t.empty(f32, &.{ 1, 2 });
        const dx = try t.empty(f32, &.{ 1, cols });
        try forward(&d, loss, stats, x, targets, -100);
        try backward(&d, dx, try t.filled(f32, &.{}, 1), x, targets, stats, -100);
        var total: f32 = 0;
        for (arrays.data(f32, dx)) |v| total += v;
        try testing.expectEqual(case.finite, std.math.isFinite(arrays.data(f32, loss)[0]));
        try testing.expectEqual(case.finite, std.math.isFinite(total));
    }
}

test "cross_entropy: large logits" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.from(f32, &.{3}, &.{ -431, 279, 427 });
    const targets = try t.filled(u32, &.{}, 0);
    const loss = try t.empty(f32, &.{});
    const stats = try t.empty(f32, &.{2});
    const dx = try t.empty(f32, &.{3});
    try forward(&d, loss, stats, x, targets, -100);
    try backward(&d, dx, try t.filled(f32, &.{}, 1), x, targets, stats, -100);
    try testing.expectEqual(858, arrays.data(f32, loss)[0]);
    try arrays.expectWithin(f32, &.{ -1, 0, 1 }, arrays.data(f32, dx), 1e-7);
}

test "cross_entropy: a label outside the classes is named and nothing is written" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 3, 3 }, 1);
    const loss = try t.filled(f32, &.{}, 42);
    const stats = try t.filled(f32, &.{ 3, 2 }, 42);
    const dx = try t.filled(f32, &.{ 3, 3 }, 42);
    const wrong = [_]u32{
        try t.from(i32, &.{3}, &.{ 0, 2, -1 }),
        try t.from(i32, &.{3}, &.{ 0, 2, 3 }),
        try t.from(u32, &.{3}, &.{ 0, 2, 1 << 31 }),
    };
    for (wrong, [_]f64{ -1, 3, 2147483648 }) |targets, value| {
        status.detail = .{ 0, 0 };
        try testing.expectError(error.IndexOutOfRange, forward(&d, loss, stats, x, targets, -100));
        try testing.expectEqual([2]f64{ 2, value }, status.detail);
        try testing.expectError(error.IndexOutOfRange, backward(&d, dx, loss, x, targets, stats, -100));
    }
    const good = try t.from(i32, &.{3}, &.{ 0, 2, 1 });
    try testing.expectError(error.ShapeMismatch, forward(&d, loss, stats, x, try t.from(i32, &.{2}, &.{ 0, 1 }), -100));
    try testing.expectError(error.ShapeMismatch, forward(&d, stats, stats, x, good, -100));
    try testing.expectError(error.ShapeMismatch, forward(&d, loss, dx, x, good, -100));
    try testing.expectError(error.DtypeMismatch, forward(&d, loss, stats, x, try t.filled(f32, &.{3}, 0), -100));
    for ([_]u32{ loss, stats, dx }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

test "cross_entropy: the same bits for any number of workers, and for views of logits" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    var t: arrays.Tensors = .{};
    defer t.free();
    const rows = 101;
    const cols = 37;
    const wide = try t.normal(f32, &.{ rows, 40 }, random, 2);
    const x = try t.empty(f32, &.{ rows, cols });
    for (0..rows) |i| @memcpy(arrays.data(f32, x)[i * cols ..][0..cols], arrays.data(f32, wide)[i * 40 + 2 ..][0..cols]);
    const view = try t.view(wide, 2, &.{ rows, cols }, &.{ 40, 1 });
    const targets = try t.empty(u32, &.{rows});
    for (arrays.data(u32, targets)) |*label| label.* = random.uintLessThan(u32, cols);
    const one = try t.filled(f32, &.{}, 1);
    var first: [3]u32 = undefined;
    for (1..9) |workers| {
        const d = device.forTest(@intCast(workers));
        const outs = [3]u32{ try t.empty(f32, &.{}), try t.empty(f32, &.{ rows, 2 }), try t.empty(f32, &.{ rows, cols }) };
        const from = if (workers % 2 == 0) view else x;
        try forward(&d, outs[0], outs[1], from, targets, -100);
        try backward(&d, outs[2], one, from, targets, outs[1], -100);
        if (workers == 1) first = outs;
        for (first, outs) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
    }
}

test "cross_entropy: kernels read and write nothing past the last element" {
    const rows = 3;
    inline for (.{ f32, f64 }) |T| {
        const forward_kernel = pick.testKernel("cross_entropy_" ++ @typeName(T) ++ "_rows", fn (*const Forward(T)) callconv(.c) void);
        const backward_kernel = pick.testKernel("cross_entropy_backward_" ++ @typeName(T) ++ "_rows", fn (*const Backward(T)) callconv(.c) void);
        const values: [rows * 70]T = @splat(1);
        const labels: [rows]u32 = @splat(0);
        const at = try arrays.atBorder(u32, &labels);
        defer at.memory.deinit();
        for (1..71) |cols| {
            const x = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer x.memory.deinit();
            const out = try arrays.atBorder(T, values[0 .. rows * cols]);
            defer out.memory.deinit();
            const losses = try arrays.atBorder(T, values[0..rows]);
            defer losses.memory.deinit();
            const stats = try arrays.atBorder(T, values[0 .. 2 * rows]);
            defer stats.memory.deinit();
            forward_kernel(&.{
                .losses = losses.items.ptr,
                .stats = stats.items.ptr,
                .logits = x.items.ptr,
                .labels = at.items.ptr,
                .rows = rows,
                .cols = cols,
                .logits_stride = cols,
                .ignores = 0,
                .ignored = 0,
            });
            backward_kernel(&.{
                .dlogits = out.items.ptr,
                .logits = x.items.ptr,
                .labels = at.items.ptr,
                .stats = stats.items.ptr,
                .rows = rows,
                .cols = cols,
                .dlogits_stride = cols,
                .logits_stride = cols,
                .factor = 1,
                .ignores = 0,
                .ignored = 0,
            });
        }
    }
}

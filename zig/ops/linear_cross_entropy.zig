//! Cross-entropy of a linear layer's outputs, whose logits never exist all at once: the mean, over the rows whose label is not the ignored one, of
//! log Σ_v exp(z_v) − z_label, z = W·x + b.
//!
//! Rows go in chunks. The logits of a chunk are computed into scratch memory, their losses taken and, where gradients are wanted, turned in place into
//! dz = (softmax(z) − [v = label])/count, from which dX = dZ @ W follows at once, and dW += dZᵀ @ X and db += Σ_rows dZ, chunk after chunk. So the three
//! products of a layer's training step are three here too; a backward pass that computes the logits anew would have four. The gradients are those of the
//! loss itself: what comes after it multiplies them by one number.
//!
//! The number of rows in a chunk depends on the number of classes alone. It is a multiple of the products' depth of 256, so that dW, too, has the bits of
//! the product over all rows; loss and dX have those of `linear` and `cross_entropy` anyway. Only db of more than one chunk is summed in another order.

const std = @import("std");
const blocking = @import("../gemm/blocking.zig");
const cross_entropy = @import("cross_entropy.zig");
const device = @import("../device.zig");
const driver = @import("../gemm/driver.zig");
const gpu_product = @import("../gemm/gpu_product.zig");
const gpu_scratch = @import("../gpu/scratch.zig");
const Explanation = @import("../explain.zig").Explanation;
const Labels = @import("../row/labels.zig").Labels;
const launch = @import("../gpu/launch.zig");
const linear = @import("linear.zig");
const mean_loss = @import("../row/mean_loss.zig");
const memory = @import("../memory.zig");
const note = @import("../gemm/note.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Rows whose logits exist at a time: about a million numbers, but no fewer rows than one depth block, below which dW would be read and written more often
/// than its product hides.
fn chunkRows(classes: usize) usize {
    const fitting = (1 << 20) / @max(1, classes);
    return @max(blocking.kc, fitting / blocking.kc * blocking.kc);
}

fn Task(comptime T: type) type {
    return struct {
        loss: *T,
        /// Each null where it is not wanted.
        dx: ?[*]T,
        dw: ?[*]T,
        db: ?[*]T,
        x: [*]const T,
        x_stride: usize,
        w: [*]const T,
        w_row: isize,
        w_col: isize,
        bias: ?[*]const T,
        labels: [*]const u32,
        rows: usize,
        width: usize,
        classes: usize,
        /// Labels that are not ignored.
        count: usize,
        ignored: ?u32,

        const Self = @This();

        /// Memory of one call.
        const Scratch = struct { logits: [*]T, stats: [*]T, losses: [*]T };

        fn wantsGradients(self: *const Self) bool {
            return self.dx != null or self.dw != null or self.db != null;
        }

        fn logits(self: *const Self, s: Scratch, first: usize, rows: usize) driver.Product(T) {
            return .{
                .m = rows,
                .n = self.classes,
                .k = self.width,
                .a = self.x + first * self.x_stride,
                .a_row = @intCast(self.x_stride),
                .a_col = 1,
                .b = self.w,
                .b_row = self.w_col,
                .b_col = self.w_row,
                .c = s.logits,
                .ldc = self.classes,
                .bias = self.bias,
            };
        }

        fn losses(self: *const Self, s: Scratch, first: usize, rows: usize) cross_entropy.Forward(T) {
            return .{
                .losses = s.losses + first,
                .stats = s.stats,
                .logits = s.logits,
                .labels = self.labels + first,
                .rows = rows,
                .cols = self.classes,
                .logits_stride = self.classes,
                .ignores = @intFromBool(self.ignored != null),
                .ignored = self.ignored orelse 0,
            };
        }

        fn dlogits(self: *const Self, s: Scratch, first: usize, rows: usize) cross_entropy.Backward(T) {
            return .{
                .dlogits = s.logits,
                .logits = s.logits,
                .labels = self.labels + first,
                .stats = s.stats,
                .rows = rows,
                .cols = self.classes,
                .dlogits_stride = self.classes,
                .logits_stride = self.classes,
                .factor = mean_loss.share(T, 1, self.count),
                .ignores = @intFromBool(self.ignored != null),
                .ignored = self.ignored orelse 0,
            };
        }

        /// Chunks after the first add to dw and db.
        fn gradients(self: *const Self, s: Scratch, first: usize, rows: usize) linear.Task(T) {
            return .{
                .dx = if (self.dx) |dx| .{
                    .m = rows,
                    .n = self.width,
                    .k = self.classes,
                    .a = s.logits,
                    .a_row = @intCast(self.classes),
                    .a_col = 1,
                    .b = self.w,
                    .b_row = self.w_row,
                    .b_col = self.w_col,
                    .c = dx + first * self.width,
                    .ldc = self.width,
                } else null,
                .dw = if (self.dw) |dw| .{
                    .m = self.classes,
                    .n = self.width,
                    .k = rows,
                    .a = s.logits,
                    .a_row = 1,
                    .a_col = @intCast(self.classes),
                    .b = self.x + first * self.x_stride,
                    .b_row = @intCast(self.x_stride),
                    .b_col = 1,
                    .c = dw,
                    .ldc = self.width,
                    .beta = if (first > 0) 1 else 0,
                } else null,
                .db = if (self.db) |db| .{
                    .out = db,
                    .x = s.logits,
                    .rows = rows,
                    .cols = self.classes,
                    .stride = self.classes,
                    .accumulate = first > 0,
                } else null,
            };
        }

        fn scratchLen(self: *const Self) usize {
            const rows = @min(chunkRows(self.classes), self.rows);
            return rows *| self.classes +| 2 * rows +| self.rows;
        }

        fn cut(self: *const Self, block: [*]T) Scratch {
            const rows = @min(chunkRows(self.classes), self.rows);
            const stats = block + rows * self.classes;
            return .{ .logits = block, .stats = stats, .losses = stats + 2 * rows };
        }

        pub fn run(self: *const Self, d: *const Device) Error!void {
            // Ignored rows alone: nothing flows, whatever x and w hold.
            if (self.count == 0) return self.nothing();
            const bytes = self.scratchLen() *| @sizeOf(T);
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            const s = self.cut(@ptrCast(block));
            var first: usize = 0;
            while (first < self.rows) : (first += chunkRows(self.classes)) {
                const rows = @min(chunkRows(self.classes), self.rows - first);
                try driver.multiply(T, d, &self.logits(s, first, rows));
                cross_entropy.forwardRows(T, d, "loss", self.losses(s, first, rows));
                if (!self.wantsGradients()) continue;
                cross_entropy.backwardRows(T, d, "dlogits", self.dlogits(s, first, rows));
                try self.gradients(s, first, rows).run(d);
            }
            self.loss.* = mean_loss.mean(T, s.losses[0..self.rows], self.count);
        }

        /// As `run`; that all rows are ignored only the device knows, so the products run then too, and their results are cleared.
        pub fn dispatch(self: *const Self, d: *const Device) Error!void {
            if (T != f32) return error.Unsupported;
            const g = d.gpu.?;
            // Logits of a chunk are one binding.
            const each = std.math.clamp(g.rangeMax() / @sizeOf(T) / @max(1, self.classes), 1, chunkRows(self.classes));
            const chunk = @min(each, self.rows);
            const block: gpu_scratch.Scratch = try .init(d, chunk *| self.classes *| @sizeOf(T));
            defer block.deinit();
            const rest: gpu_scratch.Scratch = try .init(d, (1 + 2 * chunk + self.rows) * @sizeOf(T));
            defer rest.deinit();
            const count = rest.ptr(u32);
            const stats = rest.ptr(T) + 1;
            const s: Scratch = .{ .logits = block.ptr(T), .stats = stats, .losses = stats + 2 * chunk };
            try cross_entropy.dispatchKept(d, count, self.labels, self.rows, @intFromBool(self.ignored != null), self.ignored orelse 0);
            var first: usize = 0;
            while (first < self.rows) : (first += chunk) {
                const rows = @min(chunk, self.rows - first);
                try gpu_product.single(T, d, &self.logits(s, first, rows));
                try cross_entropy.dispatchForward(d, "loss", self.losses(s, first, rows));
                if (!self.wantsGradients()) continue;
                try cross_entropy.dispatchBackward(d, "dlogits", self.dlogits(s, first, rows), null, count);
                try self.gradients(s, first, rows).dispatch(d);
            }
            if (self.rows == 0) try self.gradients(s, 0, 0).dispatch(d);
            try self.dispatchNothing(d, count);
            try cross_entropy.dispatchMean(d, self.loss, s.losses, self.rows, count);
        }

        /// Clears the gradients where no row counts.
        fn dispatchNothing(self: *const Self, d: *const Device, kept: [*]const u32) Error!void {
            const Args = extern struct { out: [*]f32, kept: [*]const u32, count: usize };
            const name = "linear_cross_entropy_f32_nothing";
            const outs = [_]?[*]T{ self.dx, self.dw, self.db };
            for (outs, [_]usize{ self.rows * self.width, self.classes * self.width, self.classes }) |out, n| {
                if (out) |o| try launch.launch(d, name, Args{ .out = o, .kept = kept, .count = n }, launch.byElement(name, n));
            }
        }

        fn nothing(self: *const Self) void {
            self.loss.* = 0;
            if (self.dx) |dx| @memset(dx[0 .. self.rows * self.width], 0);
            if (self.dw) |dw| @memset(dw[0 .. self.classes * self.width], 0);
            if (self.db) |db| @memset(db[0..self.classes], 0);
        }

        /// The steps of the first chunk stand for those of all.
        pub fn explain(self: *const Self, d: *const Device, e: *Explanation) Error!void {
            const rows = @min(chunkRows(self.classes), self.rows);
            if (rows == 0) return;
            // An address for operands that nobody reads or writes.
            const nowhere: [*]T = @ptrCast(self.loss);
            const s: Scratch = .{ .logits = nowhere, .stats = nowhere, .losses = nowhere };
            note.batch(T, d, e, &.{ .p = self.logits(s, 0, rows) });
            e.noteScratch(self.scratchLen() *| @sizeOf(T));
            cross_entropy.forwardRows(T, d, "loss", self.losses(s, 0, rows));
            if (!self.wantsGradients()) return;
            cross_entropy.backwardRows(T, d, "dlogits", self.dlogits(s, 0, rows));
            self.gradients(s, 0, rows).explain(d, e);
        }
    };
}

const Gradients = struct { x: ?*const Tensor, w: ?*const Tensor, b: ?*const Tensor };

fn prepare(
    comptime T: type,
    d: *const Device,
    loss: *const Tensor,
    grads: Gradients,
    x: *const Tensor,
    w: *const Tensor,
    bias: ?*const Tensor,
    targets: *const Tensor,
    ignore_index: f64,
) Error!Task(T) {
    const labels = try Labels.of(targets);
    try cross_entropy.match(x, targets);
    const rows = try x.rows();
    if (loss.count() != 1 or w.rank != 2 or w.shape_[1] != rows.cols) return error.ShapeMismatch;
    const classes = w.shape_[0];
    for ([_]?*const Tensor{ bias, grads.b }) |v| if (v) |b| {
        if (b.rank != 1 or b.shape_[0] != classes) return error.ShapeMismatch;
        if (!b.contiguous()) return error.LayoutMismatch;
    };
    if (grads.x) |dx| if (!dx.sameShape(x)) return error.ShapeMismatch;
    if (grads.w) |dw| if (!dw.sameShape(w)) return error.ShapeMismatch;
    const outputs = [_]?*const Tensor{ loss, grads.x, grads.w, grads.b };
    for (outputs, 0..) |o, i| {
        const out = o orelse continue;
        if (!out.contiguous()) return error.LayoutMismatch;
        for ([_]?*const Tensor{ x, w, bias, targets }) |in| if (in) |t| try tensor.checkApart(out, t);
        for (outputs[0..i]) |other| if (other) |t| try tensor.checkApart(out, t);
    }
    const ignored = labels.bitsOf(ignore_index);
    return .{
        .loss = &loss.ptr(T)[0],
        .dx = if (grads.x) |t| t.ptr(T) else null,
        .dw = if (grads.w) |t| t.ptr(T) else null,
        .db = if (grads.b) |t| t.ptr(T) else null,
        .x = x.ptr(T),
        .x_stride = rows.stride,
        .w = w.ptr(T),
        .w_row = w.strides_[0],
        .w_col = w.strides_[1],
        .bias = if (bias) |t| t.ptr(T) else null,
        .labels = labels.bits.ptr,
        .rows = labels.bits.len,
        .width = rows.cols,
        .classes = classes,
        .count = try labels.checkOn(d, classes, ignored),
        .ignored = ignored,
    };
}

fn compute(d: *const Device, loss_: u32, grads: [3]u32, x_: u32, w_: u32, bias_: u32, targets_: u32, ignore_index: f64) Error!void {
    const x = try tensor.get(x_);
    const loss = try tensor.typed(loss_, x.dtype);
    const w = try tensor.typed(w_, x.dtype);
    const bias = try tensor.optional(bias_, x.dtype);
    const targets = try tensor.get(targets_);
    const wanted: Gradients = .{
        .x = try tensor.optional(grads[0], x.dtype),
        .w = try tensor.optional(grads[1], x.dtype),
        .b = try tensor.optional(grads[2], x.dtype),
    };
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const task = try prepare(if (dtype == .f32) f32 else f64, d, loss, wanted, x, w, bias, targets, ignore_index);
            try d.submit(&task);
        },
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// `grads`: dx as x, dw as w and db [classes], each 0 where it is not wanted: the gradients of the loss. x [T, width], w [classes, width], bias [classes]
    /// or 0, targets [T] as for `cross_entropy`, T being any leading axes.
    pub fn linear_cross_entropy(device_: u32, loss: u32, grads: *const [3]u32, x: u32, w: u32, bias: u32, targets: u32, ignore_index: f64) callconv(.c) i32 {
        const d = device.get(device_) catch |e| return status.code(e);
        return status.of(compute(d, loss, grads.*, x, w, bias, targets, ignore_index));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const slow = @import("../testing/slow.zig");

const Wanted = struct { loss: f64 = 0, dx: []f64, dw: []f64, db: []f64 };

/// Plain loops in f64.
fn reference(out: *Wanted, z: []f64, x: []const f64, w: []const f64, bias: ?[]const f64, labels: []const i32, width: usize, ignored: i32) void {
    const classes = out.db.len;
    var count: f64 = 0;
    for (labels) |label| count += if (label == ignored) 0 else 1;
    for ([_][]f64{ out.dx, out.dw, out.db }) |g| @memset(g, 0);
    out.loss = 0;
    for (labels, 0..) |label, t| if (label != ignored) {
        const row = x[t * width ..][0..width];
        var m = -std.math.inf(f64);
        for (z, 0..) |*v, o| {
            v.* = if (bias) |b| b[o] else 0;
            for (row, w[o * width ..][0..width]) |a, b| v.* += a * b;
            m = @max(m, v.*);
        }
        var sum: f64 = 0;
        for (z) |v| sum += @exp(v - m);
        out.loss += (@log(sum) + m - z[@intCast(label)]) / count;
        for (0..classes) |o| {
            const g = (@exp(z[o] - m) / sum - @as(f64, if (o == label) 1 else 0)) / count;
            out.db[o] += g;
            for (0..width) |i| {
                out.dx[t * width + i] += g * w[o * width + i];
                out.dw[o * width + i] += g * row[i];
            }
        }
    };
}

fn testAgainstLoops(comptime T: type, rows: usize, width: usize, classes: usize, with_bias: bool, random: std.Random) !void {
    var t: arrays.Tensors = .{};
    defer t.free();
    const gpa = testing.allocator;
    const x = try t.normal(T, &.{ rows, width }, random, 1);
    const w = try t.normal(T, &.{ classes, width }, random, 1);
    const bias = if (with_bias) try t.normal(T, &.{classes}, random, 1) else 0;
    const targets = try t.empty(i32, &.{rows});
    for (arrays.data(i32, targets)) |*label| {
        label.* = if (random.uintLessThan(u32, 4) == 0) -100 else random.intRangeLessThan(i32, 0, @intCast(classes));
    }
    const wide_x = try arrays.widen(T, arrays.data(T, x));
    defer gpa.free(wide_x);
    const wide_w = try arrays.widen(T, arrays.data(T, w));
    defer gpa.free(wide_w);
    const wide_bias = if (with_bias) try arrays.widen(T, arrays.data(T, bias)) else null;
    defer if (wide_bias) |b| gpa.free(b);
    var want: Wanted = .{
        .dx = try gpa.alloc(f64, rows * width),
        .dw = try gpa.alloc(f64, classes * width),
        .db = try gpa.alloc(f64, classes),
    };
    defer for ([_][]f64{ want.dx, want.dw, want.db }) |g| gpa.free(g);
    const z = try gpa.alloc(f64, classes);
    defer gpa.free(z);
    reference(&want, z, wide_x, wide_w, wide_bias, arrays.data(i32, targets), width, -100);
    const d = device.forTest(2);
    const loss = try t.filled(T, &.{}, 42);
    const alone = try t.filled(T, &.{}, 42);
    const grads = [3]u32{ try t.filled(T, &.{ rows, width }, 42), try t.filled(T, &.{ classes, width }, 42), try t.filled(T, &.{classes}, 42) };
    try compute(&d, loss, grads, x, w, bias, targets, -100);
    try arrays.expectScaled(T, &.{want.loss}, arrays.data(T, loss), arrays.tolerance(T), 0.1);
    // Each gradient is a sum of terms of up to 1, which may cancel.
    for ([_][]const f64{ want.dx, want.dw, want.db }, grads) |g, got| try arrays.expectScaled(T, g, arrays.data(T, got), arrays.tolerance(T), 0.1);
    // No gradient, or one of them, changes nothing else.
    try compute(&d, alone, @splat(0), x, w, bias, targets, -100);
    try arrays.expectSameBits(T, arrays.data(T, loss), arrays.data(T, alone));
    for (0..3) |i| {
        var one: [3]u32 = @splat(0);
        one[i] = try t.filled(T, &.{arrays.data(T, grads[i]).len}, 42);
        one[i] = switch (i) {
            0 => try t.view(one[i], 0, &.{ rows, width }, &.{ width, 1 }),
            1 => try t.view(one[i], 0, &.{ classes, width }, &.{ width, 1 }),
            else => one[i],
        };
        try compute(&d, alone, one, x, w, bias, targets, -100);
        try arrays.expectSameBits(T, arrays.data(T, grads[i]), arrays.data(T, one[i]));
    }
}

test "linear_cross_entropy: loss and gradients as in f64, with and without bias, in one chunk and several" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    inline for (.{ f32, f64 }) |T| {
        for ([_]usize{ 0, 1, 15, 16, 17, 33 }) |rows| for ([_][2]usize{ .{ 1, 1 }, .{ 5, 17 }, .{ 33, 7 }, .{ 16, 64 } }) |size| {
            try testAgainstLoops(T, rows, size[0], size[1], rows % 2 == 0, prng.random());
        };
        try testing.expectEqual(256, chunkRows(5000));
        for (slow.some(usize, &.{515}, 0)) |rows| try testAgainstLoops(T, rows, 3, 5000, true, prng.random());
    }
}

test "linear_cross_entropy: the bits of linear and cross_entropy, for any number of workers" {
    try slow.skip();
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const cross = cross_entropy.entries;
    const rows = 300;
    const width = 19;
    const classes = 4500;
    var t: arrays.Tensors = .{};
    defer t.free();
    const x = try t.normal(f32, &.{ rows, width }, random, 1);
    const w = try t.normal(f32, &.{ classes, width }, random, 1);
    const bias = try t.normal(f32, &.{classes}, random, 1);
    const targets = try t.empty(u32, &.{rows});
    for (arrays.data(u32, targets)) |*label| label.* = random.uintLessThan(u32, classes);
    const z = try t.empty(f32, &.{ rows, classes });
    const stats = try t.empty(f32, &.{ rows, 2 });
    const want = [4]u32{ try t.empty(f32, &.{}), try t.empty(f32, &.{ rows, width }), try t.empty(f32, &.{ classes, width }), try t.empty(f32, &.{classes}) };
    const plain = device.defaultForTest();
    const one = try t.filled(f32, &.{}, 1);
    try testing.expectEqual(0, @import("matmul.zig").entries.matmul(plain, z, x, w, bias, 2, 1, 0));
    try testing.expectEqual(0, cross.cross_entropy(plain, want[0], stats, z, targets, -100));
    try testing.expectEqual(0, cross.cross_entropy_backward(plain, z, one, z, targets, stats, -100));
    try testing.expectEqual(0, linear.entries.linear_backward(plain, want[1], want[2], want[3], z, x, w, 0));
    var first: u32 = 0;
    for ([_]u32{ 1, 2, 3, 8 }) |workers| {
        const d = device.forTest(workers);
        const got = [4]u32{ try t.empty(f32, &.{}), try t.empty(f32, &.{ rows, width }), try t.empty(f32, &.{ classes, width }), try t.empty(f32, &.{classes}) };
        try compute(&d, got[0], got[1..4].*, x, w, bias, targets, -100);
        for (want[0..3], got[0..3]) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
        if (first == 0) first = got[3];
        try arrays.expectSameBits(f32, arrays.data(f32, first), arrays.data(f32, got[3]));
    }
}

test "linear_cross_entropy: with all rows ignored everything is 0, whatever the operands hold" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(2);
    const x = try t.filled(f32, &.{ 3, 2 }, std.math.nan(f32));
    const w = try t.filled(f32, &.{ 4, 2 }, std.math.inf(f32));
    const targets = try t.filled(i32, &.{3}, -100);
    const loss = try t.filled(f32, &.{}, 42);
    const grads = [3]u32{ try t.filled(f32, &.{ 3, 2 }, 42), try t.filled(f32, &.{ 4, 2 }, 42), try t.filled(f32, &.{4}, 42) };
    try compute(&d, loss, grads, x, w, 0, targets, -100);
    for ([_]u32{ loss, grads[0], grads[1], grads[2] }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(0, v);
}

test "linear_cross_entropy: views as inputs" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(2);
    const wide = try t.normal(f32, &.{ 6, 10 }, prng.random(), 1);
    const turned = try t.normal(f32, &.{ 4, 9 }, prng.random(), 1);
    const x = try t.empty(f32, &.{ 6, 4 });
    const w = try t.empty(f32, &.{ 9, 4 });
    for (0..6) |i| @memcpy(arrays.data(f32, x)[4 * i ..][0..4], arrays.data(f32, wide)[10 * i + 3 ..][0..4]);
    for (0..9) |i| for (0..4) |j| {
        arrays.data(f32, w)[4 * i + j] = arrays.data(f32, turned)[9 * j + i];
    };
    const targets = try t.from(u32, &.{6}, &.{ 0, 8, 3, 3, 1, 7 });
    var outs: [2][4]u32 = undefined;
    for (&outs, [2][2]u32{ .{ x, w }, .{ try t.view(wide, 3, &.{ 6, 4 }, &.{ 10, 1 }), try t.view(turned, 0, &.{ 9, 4 }, &.{ 1, 9 }) } }) |*out, in| {
        out.* = .{ try t.empty(f32, &.{}), try t.empty(f32, &.{ 6, 4 }), try t.empty(f32, &.{ 9, 4 }), try t.empty(f32, &.{9}) };
        try compute(&d, out[0], out[1..4].*, in[0], in[1], 0, targets, -100);
    }
    for (outs[0], outs[1]) |a, b| try arrays.expectSameBits(f32, arrays.data(f32, a), arrays.data(f32, b));
}

test "linear_cross_entropy: what does not fit is refused and nothing is written" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const x = try t.filled(f32, &.{ 3, 2 }, 1);
    const w = try t.filled(f32, &.{ 4, 2 }, 1);
    const bias = try t.filled(f32, &.{4}, 1);
    const targets = try t.from(i32, &.{3}, &.{ 0, 3, 1 });
    const loss = try t.filled(f32, &.{}, 42);
    const dx = try t.filled(f32, &.{ 3, 2 }, 42);
    const dw = try t.filled(f32, &.{ 4, 2 }, 42);
    const db = try t.filled(f32, &.{4}, 42);
    const grads = [3]u32{ dx, dw, db };
    status.detail = .{ 0, 0 };
    try testing.expectError(error.IndexOutOfRange, compute(&d, loss, grads, x, w, bias, try t.from(i32, &.{3}, &.{ 0, 4, 1 }), -100));
    try testing.expectEqual([2]f64{ 1, 4 }, status.detail);
    try testing.expectError(error.ShapeMismatch, compute(&d, loss, grads, x, w, bias, try t.filled(i32, &.{2}, 0), -100));
    try testing.expectError(error.ShapeMismatch, compute(&d, loss, grads, x, try t.filled(f32, &.{ 4, 3 }, 1), bias, targets, -100));
    try testing.expectError(error.ShapeMismatch, compute(&d, loss, grads, x, w, try t.filled(f32, &.{3}, 1), targets, -100));
    try testing.expectError(error.ShapeMismatch, compute(&d, loss, .{ dw, dw, db }, x, w, bias, targets, -100));
    try testing.expectError(error.Overlap, compute(&d, loss, .{ x, dw, db }, x, w, bias, targets, -100));
    try testing.expectError(error.Overlap, compute(&d, loss, .{ dx, dw, bias }, x, w, bias, targets, -100));
    try testing.expectError(error.DtypeMismatch, compute(&d, loss, grads, x, try t.filled(f64, &.{ 4, 2 }, 1), bias, targets, -100));
    try testing.expectError(error.DtypeMismatch, compute(&d, loss, grads, x, w, bias, try t.filled(f32, &.{3}, 0), -100));
    for ([_]u32{ loss, dx, dw, db }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(42, v);
}

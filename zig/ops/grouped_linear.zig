//! A linear layer whose rows are shared out among experts: rows lie sorted by expert, `offsets[e]..offsets[e + 1]` are those of expert e, and
//! Y[r, :] = X[r, :] @ W[e]ᵀ + b[e]. Backward: dX[r, :] = dY[r, :] @ W[e], dW[e] = dY_eᵀ @ X_e, db[e] = Σ of dY's rows, in one fork of the pool. The bits
//! are those of a linear layer over each expert's rows.

const std = @import("std");
const device = @import("../device.zig");
const Explanation = @import("../explain.zig").Explanation;
const gpu_grouped = @import("../gemm/gpu_grouped.zig");
const grouped = @import("../gemm/grouped.zig");
const shape = @import("../row/shape.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Bits of `flags`: add to what dx, dw or db holds.
const accumulate_dx = 1;
const accumulate_dw = 2;
const accumulate_db = 4;

/// The checked call. The groups lie in it, so it is not moved once `work` is made.
fn Task(comptime T: type) type {
    return struct {
        experts: grouped.Experts,
        groups: [2]grouped.Group(T) = undefined,
        count: usize = 0,
        sums: ?grouped.Sums(T) = null,

        fn add(self: *@This(), group: grouped.Group(T)) void {
            self.groups[self.count] = group;
            self.count += 1;
        }

        fn work(self: *const @This()) grouped.Work(T) {
            return .{ .experts = self.experts, .groups = self.groups[0..self.count], .sums = self.sums };
        }

        pub fn isEmpty(self: *const @This()) bool {
            return self.experts.count == 0;
        }

        pub fn run(self: *const @This(), d: *const device.Device) Error!void {
            return self.work().run(d);
        }

        pub fn explain(self: *const @This(), d: *const device.Device, e: *Explanation) Error!void {
            return self.work().note(d, e);
        }

        pub fn dispatch(self: *const @This(), d: *const device.Device) Error!void {
            return gpu_grouped.dispatch(T, d, &self.work());
        }
    };
}

/// The rows of each of `count` experts, out of `rows`. Offsets begin with 0, do not fall and end with `rows`; the first that is wrong is an error. Where the
/// call is only explained they may not be computed yet, and are not read; nor are those of a GPU.
fn expertsOf(d: *const device.Device, offsets: *const Tensor, count: usize, rows: usize) Error!grouped.Experts {
    if (offsets.dtype != .u32) return error.DtypeMismatch;
    if (!offsets.contiguous()) return error.LayoutMismatch;
    if (offsets.rank != 1 or offsets.shape_[0] != count + 1) return error.ShapeMismatch;
    if (d.gpu != null) {
        // Resolved there, where each row has an expert.
        if (count == 0 and rows > 0) return error.ShapeMismatch;
        return .{ .count = count, .rows = rows, .offsets = offsets.ptr(u32) };
    }
    if (d.explains()) return .{ .count = count, .rows = rows, .offsets = null };
    const list = offsets.ptr(u32)[0 .. count + 1];
    var least: usize = 0;
    for (list, 0..) |offset, i| {
        const most = if (i == 0) 0 else rows;
        if (i == count) least = rows;
        if (offset < least or offset > most) return status.outOfRange(i, offset);
        least = offset;
    }
    return .{ .count = count, .rows = rows, .offsets = list.ptr };
}

/// The weight [experts, out, in] between rows of `in` and rows of `out`.
fn checkWeight(w: *const Tensor, in: ?usize, out: usize) Error!void {
    if (w.rank != 3 or w.shape_[1] != out) return error.ShapeMismatch;
    if (in) |n| if (w.shape_[2] != n) return error.ShapeMismatch;
}

fn matrix(t: *const Tensor) Error!tensor.Rows {
    if (t.rank != 2) return error.ShapeMismatch;
    return t.rows();
}

fn addForward(comptime T: type, task: *Task(T), y: *const Tensor, x: *const Tensor, w: *const Tensor, bias: ?*const Tensor) Error!void {
    const in = try matrix(x);
    const out = try matrix(y);
    try checkWeight(w, in.cols, out.cols);
    if (in.rows != out.rows) return error.ShapeMismatch;
    const written = try shape.written(y);
    var group: grouped.Group(T) = .{
        .p = .{
            .m = in.rows,
            .n = out.cols,
            .k = in.cols,
            .a = x.ptr(T),
            .a_row = @intCast(in.stride),
            .a_col = 1,
            .b = w.ptr(T),
            .b_row = w.strides_[2],
            .b_col = w.strides_[1],
            .c = y.ptr(T),
            .ldc = written.stride,
        },
        .ragged = .rows,
        .stride = w.strides_[0],
    };
    try tensor.checkApart(y, x);
    try tensor.checkApart(y, w);
    if (bias) |b| {
        const r = try matrix(b);
        if (r.rows != w.shape_[0] or r.cols != out.cols) return error.ShapeMismatch;
        try tensor.checkApart(y, b);
        group.p.bias = b.ptr(T);
        group.bias_stride = r.stride;
    }
    task.add(group);
}

fn addBackward(comptime T: type, task: *Task(T), h: Handles(?*const Tensor), dy: *const Tensor, flags: u32) Error!void {
    if (flags > 7) return error.InvalidArgument;
    const y = try matrix(dy);
    if (h.dx) |o| {
        const w = h.w orelse return error.InvalidArgument;
        const r = try matrix(o);
        try checkWeight(w, r.cols, y.cols);
        if (w.shape_[0] != task.experts.count or r.rows != y.rows) return error.ShapeMismatch;
        task.add(.{
            .step = "dx",
            .p = .{
                .m = y.rows,
                .n = r.cols,
                .k = y.cols,
                .a = dy.ptr(T),
                .a_row = @intCast(y.stride),
                .a_col = 1,
                .b = w.ptr(T),
                .b_row = w.strides_[1],
                .b_col = w.strides_[2],
                .c = o.ptr(T),
                .ldc = (try shape.written(o)).stride,
                .beta = if (flags & accumulate_dx != 0) 1 else 0,
            },
            .ragged = .rows,
            .stride = w.strides_[0],
        });
    }
    if (h.dw) |o| {
        const x = h.x orelse return error.InvalidArgument;
        const in = try matrix(x);
        try checkWeight(o, in.cols, y.cols);
        if (o.shape_[0] != task.experts.count or in.rows != y.rows) return error.ShapeMismatch;
        const r = try shape.written(o);
        task.add(.{
            .step = "dw",
            .p = .{
                .m = y.cols,
                .n = in.cols,
                .k = y.rows,
                .a = dy.ptr(T),
                .a_row = 1,
                .a_col = @intCast(y.stride),
                .b = x.ptr(T),
                .b_row = @intCast(in.stride),
                .b_col = 1,
                .c = o.ptr(T),
                .ldc = r.stride,
                .beta = if (flags & accumulate_dw != 0) 1 else 0,
            },
            .ragged = .depth,
            .stride = if (o.count() == 0) 0 else @intCast(r.stride * y.cols),
        });
    }
    if (h.db) |o| {
        if (o.rank != 2 or o.shape_[0] != task.experts.count or o.shape_[1] != y.cols) return error.ShapeMismatch;
        const r = try shape.written(o);
        task.sums = .{ .out = o.ptr(T), .stride = r.stride, .x = dy.ptr(T), .x_stride = y.stride, .cols = y.cols, .accumulate = flags & accumulate_db != 0 };
    }
    // Jobs of all outputs run at once: none may lie on what another reads or writes.
    const outputs = [_]?*const Tensor{ h.dx, h.dw, h.db };
    for (outputs, 0..) |o, i| {
        const a = o orelse continue;
        for ([_]?*const Tensor{ dy, h.x, h.offsets, h.w }) |input| if (input) |b| try tensor.checkApart(a, b);
        for (outputs[0..i]) |other| if (other) |b| try tensor.checkApart(a, b);
    }
}

fn forward(d: *const device.Device, y_: u32, x_: u32, offsets_: u32, w_: u32, bias_: u32) Error!void {
    const x = try tensor.get(x_);
    const y = try tensor.typed(y_, x.dtype);
    const w = try tensor.typed(w_, x.dtype);
    const offsets = try tensor.get(offsets_);
    const bias = try tensor.optional(bias_, x.dtype);
    if (w.rank != 3 or x.rank != 2) return error.ShapeMismatch;
    try tensor.checkApart(y, offsets);
    const experts = try expertsOf(d, offsets, w.shape_[0], x.shape_[0]);
    switch (x.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            var task: Task(T) = .{ .experts = experts };
            try addForward(T, &task, y, x, w, bias);
            try d.submit(@as(*const Task(T), &task));
        },
        else => return error.Unsupported,
    }
}

/// The tensors of a backward call but dy, in the order in which they cross.
fn Handles(comptime Handle: type) type {
    return struct { dx: Handle, dw: Handle, db: Handle, x: Handle, offsets: Handle, w: Handle };
}

fn backward(d: *const device.Device, handles: *const [6]u32, dy_: u32, flags: u32) Error!void {
    const dy = try tensor.get(dy_);
    var h: Handles(?*const Tensor) = undefined;
    inline for (comptime std.meta.fieldNames(Handles(u32)), handles) |name, handle| {
        @field(h, name) = try tensor.optional(handle, if (comptime std.mem.eql(u8, name, "offsets")) .u32 else dy.dtype);
    }
    const offsets = h.offsets orelse return error.InvalidArgument;
    if (dy.rank != 2 or offsets.rank != 1 or offsets.shape_[0] == 0) return error.ShapeMismatch;
    const experts = try expertsOf(d, offsets, offsets.shape_[0] - 1, dy.shape_[0]);
    switch (dy.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            var task: Task(T) = .{ .experts = experts };
            try addBackward(T, &task, h, dy, flags);
            try d.submit(@as(*const Task(T), &task));
        },
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// y [rows, out] from x [rows, in], offsets [experts + 1] of u32, w [experts, out, in] and bias [experts, out], which may be 0. The first offset that is
    /// wrong is an index out of range.
    pub fn grouped_linear(device_: u32, y: u32, x: u32, offsets: u32, w: u32, bias: u32) callconv(.c) i32 {
        const d = device.get(device_) catch |e| return status.code(e);
        return status.of(forward(d, y, x, offsets, w, bias));
    }

    /// `handles`: dx [rows, in], dw [experts, out, in], db [experts, out], each 0 where it is not wanted, x [rows, in], offsets, w [experts, out, in]; of x
    /// and w those may be 0 that no wanted output takes. `flags`: 1, 2, 4 add to what dx, dw, db hold.
    pub fn grouped_linear_backward(device_: u32, handles: [*]const u32, dy: u32, flags: u32) callconv(.c) i32 {
        const d = device.get(device_) catch |e| return status.code(e);
        return status.of(backward(d, handles[0..6], dy, flags));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const slow = @import("../testing/slow.zig");
const Guarded = @import("../testing/guard.zig").Guarded;
const columns = @import("../gemm/columns.zig");
const driver = @import("../gemm/driver.zig");
const pool = @import("../parallel/pool.zig");

const Case = struct { rows: []const u32, in: usize, out: usize, bias: bool = true, flags: u32 = 0 };

fn offsetsOf(made: *arrays.Tensors, rows: []const u32) !u32 {
    const handle = try made.empty(u32, &.{rows.len + 1});
    const list = arrays.data(u32, handle);
    list[0] = 0;
    for (rows, 0..) |n, e| list[e + 1] = list[e] + n;
    return handle;
}

/// y, dx, dw and db of a call.
fn Results(comptime T: type) type {
    return [4][]T;
}

/// Plain loops in f64, each sum added to `base`.
fn reference(comptime T: type, out: Results(f64), case: Case, x: []const T, w: []const T, bias: ?[]const T, dy: []const T, base: f64) void {
    const in = case.in;
    for (out[1..]) |list| @memset(list, base);
    var row: usize = 0;
    for (case.rows, 0..) |n, e| for (0..n) |_| {
        for (0..case.out) |o| {
            const g: f64 = dy[row * case.out + o];
            var sum: f64 = 0;
            const weight = w[(e * case.out + o) * in ..];
            for (0..in) |i| {
                sum += @as(f64, x[row * in + i]) * weight[i];
                out[1][row * in + i] += g * weight[i];
                out[2][(e * case.out + o) * in + i] += g * x[row * in + i];
            }
            out[0][row * case.out + o] = sum + if (bias) |b| b[e * case.out + o] else 0;
            out[3][e * case.out + o] += g;
        }
        row += 1;
    };
}

/// The loop over experts: the plain products of each, whose bits are wanted.
fn loop(comptime T: type, d: *const device.Device, out: Results(T), case: Case, x: []const T, w: []const T, bias: ?[]const T, dy: []const T) !void {
    const in = case.in;
    var row: usize = 0;
    for (case.rows, 0..) |m, e| {
        const weight = w.ptr + e * case.out * in;
        try driver.multiply(T, d, &.{
            .m = m,
            .n = case.out,
            .k = in,
            .a = x.ptr + row * in,
            .a_row = @intCast(in),
            .a_col = 1,
            .b = weight,
            .b_row = 1,
            .b_col = @intCast(in),
            .c = out[0].ptr + row * case.out,
            .ldc = case.out,
            .bias = if (bias) |b| b.ptr + e * case.out else null,
        });
        try driver.multiply(T, d, &.{
            .m = m,
            .n = in,
            .k = case.out,
            .a = dy.ptr + row * case.out,
            .a_row = @intCast(case.out),
            .a_col = 1,
            .b = weight,
            .b_row = @intCast(in),
            .b_col = 1,
            .c = out[1].ptr + row * in,
            .ldc = in,
            .beta = if (case.flags & accumulate_dx != 0) 1 else 0,
        });
        try driver.multiply(T, d, &.{
            .m = case.out,
            .n = in,
            .k = m,
            .a = dy.ptr + row * case.out,
            .a_row = 1,
            .a_col = @intCast(case.out),
            .b = x.ptr + row * in,
            .b_row = @intCast(in),
            .b_col = 1,
            .c = out[2].ptr + e * case.out * in,
            .ldc = in,
            .beta = if (case.flags & accumulate_dw != 0) 1 else 0,
        });
        const sum: columns.Sum(T) = .{
            .out = out[3].ptr + e * case.out,
            .x = dy.ptr + row * case.out,
            .rows = m,
            .cols = case.out,
            .stride = case.out,
            .accumulate = case.flags & accumulate_db != 0,
        };
        const partials = try testing.allocator.alloc(T, sum.partialLen());
        defer testing.allocator.free(partials);
        var alone: pool.Worker = .alone;
        sum.run(d, .of(d), partials.ptr, &alone);
        row += m;
    }
}

fn testGrouped(comptime T: type, case: Case, random: std.Random) !void {
    const experts = case.rows.len;
    var rows: usize = 0;
    for (case.rows) |n| rows += n;
    var made: arrays.Tensors = .{};
    defer made.free();
    const offsets = try offsetsOf(&made, case.rows);
    const x = try made.normal(T, &.{ rows, case.in }, random, 1);
    const w = try made.normal(T, &.{ experts, case.out, case.in }, random, 1);
    const bias = if (case.bias) try made.normal(T, &.{ experts, case.out }, random, 1) else 0;
    const dy = try made.normal(T, &.{ rows, case.out }, random, 1);
    const shapes = [4][]const usize{ &.{ rows, case.out }, &.{ rows, case.in }, &.{ experts, case.out, case.in }, &.{ experts, case.out } };
    // What an output holds must not be read where nothing is added.
    const base: T = if (case.flags == 0) std.math.nan(T) else 0.5;
    const gpa = testing.allocator;
    var exact: Results(f64) = undefined;
    var wanted: Results(T) = undefined;
    for (&exact, &wanted, shapes) |*r, *l, sizes| {
        var len: usize = 1;
        for (sizes) |size| len *= size;
        r.* = try gpa.alloc(f64, len);
        l.* = try gpa.alloc(T, len);
        @memset(l.*, base);
    }
    defer for (exact, wanted) |r, l| {
        gpa.free(r);
        gpa.free(l);
    };
    const bias_data: ?[]const T = if (case.bias) arrays.data(T, bias) else null;
    reference(T, exact, case, arrays.data(T, x), arrays.data(T, w), bias_data, arrays.data(T, dy), if (case.flags == 0) 0 else base);
    try loop(T, &device.forTest(1), wanted, case, arrays.data(T, x), arrays.data(T, w), bias_data, arrays.data(T, dy));
    for ([_]u32{ 1, 2, 3, 8 }) |workers| {
        var outs: [4]u32 = undefined;
        for (&outs, shapes) |*o, sizes| o.* = try made.filled(T, sizes, base);
        const d = device.forTest(workers);
        try forward(&d, outs[0], x, offsets, w, bias);
        try backward(&d, &.{ outs[1], outs[2], outs[3], x, offsets, w }, dy, case.flags);
        for (outs, exact, wanted) |o, r, l| {
            try arrays.expectWithin(T, r, arrays.data(T, o), arrays.tolerance(T) * 4);
            try arrays.expectSameBits(T, l, arrays.data(T, o));
        }
    }
}

test "grouped_linear: plain sums for any shares of rows, and the bits of a loop over the experts for any number of workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const cases = [_]Case{
        .{ .rows = &.{ 3, 0, 1, 17 }, .in = 5, .out = 7 },
        .{ .rows = &.{ 0, 33, 0, 0 }, .in = 40, .out = 33, .bias = false },
        .{ .rows = &.{ 1, 1, 1 }, .in = 16, .out = 31, .flags = 7 },
        .{ .rows = &.{ 5, 7 }, .in = 1, .out = 20 },
        .{ .rows = &.{ 5, 7 }, .in = 20, .out = 1 },
        .{ .rows = &.{ 5, 0, 7 }, .in = 0, .out = 4, .flags = 7 },
        .{ .rows = &.{ 5, 0, 7 }, .in = 4, .out = 0 },
        .{ .rows = &.{ 0, 0 }, .in = 4, .out = 5 },
        .{ .rows = &.{ 0, 0 }, .in = 4, .out = 5, .flags = 7 },
        .{ .rows = &.{}, .in = 4, .out = 5 },
        .{ .rows = &.{ 130, 15, 2, 64 }, .in = 48, .out = 65, .flags = 7 },
        // Several depth blocks each way; few rows, which are computed as the transpose, and many.
        .{ .rows = &.{ 20, 300, 1, 70 }, .in = 300, .out = 290 },
        .{ .rows = &.{ 9, 0, 40 }, .in = 530, .out = 150, .flags = 7 },
        .{ .rows = &.{600}, .in = 33, .out = 70 },
    };
    for (slow.some(Case, &cases, 10)) |case| {
        try testGrouped(f32, case, random);
        try testGrouped(f64, case, random);
    }
    for (0..12) |_| {
        var rows: [6]u32 = undefined;
        for (&rows) |*n| n.* = if (random.boolean()) random.uintLessThan(u32, 4) else random.uintLessThan(u32, 90);
        try testGrouped(f32, .{
            .rows = rows[0..random.intRangeAtMost(usize, 1, rows.len)],
            .in = random.intRangeAtMost(usize, 1, 70),
            .out = random.intRangeAtMost(usize, 1, 70),
            .bias = random.boolean(),
            .flags = if (random.boolean()) 7 else 0,
        }, random);
    }
}

test "grouped_linear: offsets that make no sense are refused with their place, and nothing is written" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(2);
    const x = try made.filled(f32, &.{ 5, 3 }, 1);
    const w = try made.filled(f32, &.{ 3, 2, 3 }, 1);
    const dy = try made.filled(f32, &.{ 5, 2 }, 1);
    const y = try made.filled(f32, &.{ 5, 2 }, 777);
    const dw = try made.filled(f32, &.{ 3, 2, 3 }, 777);
    for ([_]struct { [4]u32, f64 }{
        .{ .{ 0, 3, 2, 5 }, 2 },
        .{ .{ 1, 2, 2, 5 }, 0 },
        .{ .{ 0, 2, 2, 4 }, 3 },
        .{ .{ 0, 2, 2, 6 }, 3 },
        .{ .{ std.math.maxInt(u32), 2, 2, 5 }, 0 },
        .{ .{ 0, 2, 6, 5 }, 2 },
        .{ .{ 0, 2, 2, 1 << 31 }, 3 },
    }) |case| {
        const offsets = try made.from(u32, &.{4}, &case[0]);
        try testing.expectError(error.IndexOutOfRange, forward(&d, y, x, offsets, w, 0));
        try testing.expectEqual(case[1], status.detail[0]);
        try testing.expectError(error.IndexOutOfRange, backward(&d, &.{ 0, dw, 0, x, offsets, w }, dy, 0));
        try testing.expectEqual(case[1], status.detail[0]);
    }
    const short = try made.from(u32, &.{3}, &.{ 0, 2, 5 });
    const right = try made.from(u32, &.{4}, &.{ 0, 2, 2, 5 });
    const signed = try made.from(i32, &.{4}, &.{ 0, 2, 2, 5 });
    const wrong = try made.filled(f32, &.{ 3, 3, 2 }, 1);
    try testing.expectError(error.ShapeMismatch, forward(&d, y, x, short, w, 0));
    try testing.expectError(error.ShapeMismatch, forward(&d, y, x, right, wrong, 0));
    try testing.expectError(error.DtypeMismatch, forward(&d, y, x, signed, w, 0));
    try testing.expectError(error.ShapeMismatch, backward(&d, &.{ 0, dw, 0, x, short, w }, dy, 0));
    try testing.expectError(error.ShapeMismatch, backward(&d, &.{ 0, wrong, 0, x, right, w }, dy, 0));
    try testing.expectError(error.Overlap, backward(&d, &.{ x, dw, 0, x, right, w }, dy, 0));
    try testing.expectError(error.InvalidArgument, backward(&d, &.{ 0, dw, 0, 0, right, w }, dy, 0));
    try testing.expectError(error.InvalidArgument, backward(&d, &.{ 0, dw, 0, x, right, w }, dy, 8));
    for ([_]u32{ y, dw }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(777, v);
}

test "grouped_linear: strided operands are read in place, and nothing is touched beside them" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    for ([_][3]usize{ .{ 21, 17, 33 }, .{ 40, 260, 37 }, .{ 5, 31, 16 } }) |sizes| {
        const rows, const in, const out = sizes;
        const experts = 3;
        const shares = [experts]u32{ @intCast(rows - 4), 0, 4 };
        const ldx, const ldy = .{ in + 3, out + 5 };
        var made: arrays.Tensors = .{};
        defer made.free();
        const offsets = try offsetsOf(&made, &shares);
        // The weight as it lies for a product that is not transposed: [experts, in, out], between two others.
        const w_base = try made.normal(f32, &.{ experts, 2, in, out }, random, 1);
        const w = try made.view(w_base, in * out, &.{ experts, out, in }, &.{ 2 * in * out, 1, out });
        const x_base = try made.normal(f32, &.{ rows, ldx }, random, 1);
        const x = try made.view(x_base, 0, &.{ rows, in }, &.{ ldx, 1 });
        const x_dense = try made.empty(f32, &.{ rows, in });
        const w_dense = try made.empty(f32, &.{ experts, out, in });
        for (0..rows) |r| @memcpy(arrays.data(f32, x_dense)[r * in ..][0..in], arrays.data(f32, x_base)[r * ldx ..][0..in]);
        for (0..experts) |e| for (0..out) |o| for (0..in) |i| {
            arrays.data(f32, w_dense)[(e * out + o) * in + i] = arrays.data(f32, w_base)[(2 * e + 1) * in * out + i * out + o];
        };
        const y_base = try made.filled(f32, &.{ rows, ldy }, 5);
        const y = try made.view(y_base, 0, &.{ rows, out }, &.{ ldy, 1 });
        const dx_base = try made.filled(f32, &.{ rows, ldx }, 5);
        const dx = try made.view(dx_base, 0, &.{ rows, in }, &.{ ldx, 1 });
        const plain = try made.empty(f32, &.{ rows, out });
        const dx_plain = try made.empty(f32, &.{ rows, in });
        const d = device.forTest(3);
        try forward(&d, y, x, offsets, w, 0);
        try forward(&d, plain, x_dense, offsets, w_dense, 0);
        try backward(&d, &.{ dx, 0, 0, 0, offsets, w }, y, 0);
        try backward(&d, &.{ dx_plain, 0, 0, 0, offsets, w_dense }, plain, 0);
        for ([_][4]usize{ .{ y_base, ldy, out, plain }, .{ dx_base, ldx, in, dx_plain } }) |o| for (0..rows) |r| {
            const row = arrays.data(f32, @intCast(o[0]))[r * o[1] ..][0..o[1]];
            try arrays.expectSameBits(f32, arrays.data(f32, @intCast(o[3]))[r * o[2] ..][0..o[2]], row[0..o[2]]);
            for (row[o[2]..]) |v| try testing.expectEqual(5, v);
        };
    }
    // Operands end at a page that may not be touched.
    const d = device.forTest(1);
    var noise: [2 * 40 * 40]f32 = undefined;
    for (&noise) |*v| v.* = random.floatNorm(f32);
    for (0..200) |_| {
        const in = random.intRangeAtMost(usize, 1, 40);
        const out = random.intRangeAtMost(usize, 1, 40);
        const offsets = [_]u32{ 0, random.uintLessThan(u32, 30), 30 };
        const x = try arrays.atBorder(f32, noise[0 .. 30 * in]);
        const w = try arrays.atBorder(f32, noise[0 .. 2 * out * in]);
        const y = try arrays.atBorder(f32, noise[0 .. 30 * out]);
        const dw = try arrays.atBorder(f32, noise[0 .. 2 * out * in]);
        defer for ([_]Guarded{ x.memory, w.memory, y.memory, dw.memory }) |m| m.deinit();
        const experts: grouped.Experts = .{ .count = 2, .rows = 30, .offsets = &offsets };
        var groups = [_]grouped.Group(f32){
            .{
                .p = .{
                    .m = 30,
                    .n = out,
                    .k = in,
                    .a = x.items.ptr,
                    .a_row = @intCast(in),
                    .a_col = 1,
                    .b = w.items.ptr,
                    .b_row = 1,
                    .b_col = @intCast(in),
                    .c = y.items.ptr,
                    .ldc = out,
                },
                .ragged = .rows,
                .stride = @intCast(out * in),
            },
            .{
                .p = .{
                    .m = out,
                    .n = in,
                    .k = 30,
                    .a = y.items.ptr,
                    .a_row = 1,
                    .a_col = @intCast(out),
                    .b = x.items.ptr,
                    .b_row = @intCast(in),
                    .b_col = 1,
                    .c = dw.items.ptr,
                    .ldc = in,
                },
                .ragged = .depth,
                .stride = @intCast(out * in),
            },
        };
        for (0..2) |i| try (grouped.Work(f32){ .experts = experts, .groups = groups[i..][0..1] }).run(&d);
        // And back again, by the weight as it lies.
        groups[0].p.n, groups[0].p.k = .{ in, out };
        groups[0].p.a, groups[0].p.c = .{ y.items.ptr, x.items.ptr };
        groups[0].p.a_row, groups[0].p.ldc = .{ @intCast(out), in };
        groups[0].p.b_row, groups[0].p.b_col = .{ @intCast(in), 1 };
        try (grouped.Work(f32){ .experts = experts, .groups = groups[0..1] }).run(&d);
    }
}

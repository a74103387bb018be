//! Matrix product: out = epilogue(alpha · op(a) @ op(b) + beta · out + bias), over the last two axes, batched over broadcast leading axes.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("../gemm/driver.zig");
const Explanation = @import("../explain.zig").Explanation;
const gpu_product = @import("../gemm/gpu_product.zig");
const note = @import("../gemm/note.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Bits of `flags`: 0 transposes a, 1 transposes b, 2 and 3 hold the epilogue.
pub const transpose_a = 1;
pub const transpose_b = 2;

/// The task of one call, checked: what the device runs now, or a recorder would keep.
fn Task(comptime T: type) type {
    return struct {
        batch: driver.Batch(T),

        pub fn isEmpty(self: *const @This()) bool {
            return self.batch.isEmpty();
        }

        pub fn run(self: *const @This(), d: *const device.Device) Error!void {
            return driver.multiplyBatch(T, d, &self.batch);
        }

        pub fn explain(self: *const @This(), d: *const device.Device, e: *Explanation) void {
            note.batch(T, d, e, &self.batch);
        }

        pub fn dispatch(self: *const @This(), d: *const device.Device) Error!void {
            return gpu_product.dispatch(T, d, &self.batch);
        }
    };
}

/// The product over the last two axes, of the first matrices of a batch. A prepacked b has its order in it, so that `flags` may not transpose it, and it
/// has to be packed for the device's own tile.
pub inline fn product(
    comptime T: type,
    d: *const device.Device,
    out: *const Tensor,
    a: *const Tensor,
    b: *const Tensor,
    bias: ?*const Tensor,
    flags: u32,
    alpha: f64,
    beta: f64,
) Error!driver.Product(T) {
    if (flags >> 4 != 0) return error.InvalidArgument;
    if (a.rank < 2 or b.rank < 2 or out.rank < 2) return error.ShapeMismatch;
    const a_turned: usize = @intFromBool(flags & transpose_a != 0);
    const b_turned: usize = @intFromBool(flags & transpose_b != 0);
    if (b.panels) |panels| {
        if (b_turned != 0) return error.InvalidArgument;
        const tile = driver.Kernels(T).of(d).tile;
        if (panels.nr != tile.nr or panels.w != tile.w) return error.LayoutMismatch;
    }
    var p: driver.Product(T) = .{
        .m = a.fromEnd(1 - a_turned),
        .k = a.fromEnd(a_turned),
        .n = b.fromEnd(b_turned),
        .a = a.ptr(T),
        .a_row = a.strideFromEnd(1 - a_turned),
        .a_col = a.strideFromEnd(a_turned),
        .b = b.ptr(T),
        .b_row = b.strideFromEnd(1 - b_turned),
        .b_col = b.strideFromEnd(b_turned),
        .b_packed = b.panels != null,
        .c = out.ptr(T),
        .ldc = undefined,
        .alpha = @floatCast(alpha),
        .beta = @floatCast(beta),
        .bias = null,
        .epilogue = @fromBackingInt(flags >> 2),
    };
    if (b.fromEnd(1 - b_turned) != p.k or out.fromEnd(1) != p.m or out.fromEnd(0) != p.n) return error.ShapeMismatch;
    // Rows of out have to be contiguous and apart.
    if (p.n > 1 and out.strideFromEnd(0) != 1) return error.LayoutMismatch;
    if (out.strideFromEnd(1) < 0 or (p.m > 1 and @as(usize, @intCast(out.strideFromEnd(1))) < p.n)) return error.LayoutMismatch;
    p.ldc = @intCast(out.strideFromEnd(1));
    if (bias) |v| {
        if (v.rank != 1 or v.shape_[0] != p.n) return error.ShapeMismatch;
        if (p.n > 1 and v.strides_[0] != 1) return error.LayoutMismatch;
        p.bias = v.ptr(T);
    }
    return p;
}

/// Builds the task of `out = epilogue(alpha · op(a) @ op(b) + beta · out + bias)`, in its place: it is large, and a small product takes less time than a copy.
fn prepare(
    comptime T: type,
    task: *Task(T),
    d: *const device.Device,
    out: *const Tensor,
    a: *const Tensor,
    b: *const Tensor,
    bias: ?*const Tensor,
    flags: u32,
    alpha: f64,
    beta: f64,
) Error!void {
    const batch = &task.batch;
    batch.list = null;
    batch.rank = 0;
    batch.p = try product(T, d, out, a, b, bias, flags, alpha, beta);
    const p = &batch.p;
    if (bias) |v| try tensor.checkApart(out, v);
    try tensor.checkApart(out, a);
    try tensor.checkApart(out, b);
    const lead = @max(a.rank, b.rank) - 2;
    if (out.rank - 2 != lead) return error.ShapeMismatch;
    const empty = out.count() == 0;
    // Leading axes, the last first; neighbours that every operand walks with one stride become one axis.
    for (0..lead) |i| {
        const axis = 2 + i;
        const size = out.fromEnd(axis);
        for ([_]*const Tensor{ a, b }) |x| if (x.fromEnd(axis) != size and x.fromEnd(axis) != 1) return error.ShapeMismatch;
        if (empty or size == 1) continue;
        const sa = if (a.fromEnd(axis) == 1) 0 else a.strideFromEnd(axis);
        const sb = if (b.fromEnd(axis) == 1) 0 else b.strideFromEnd(axis);
        const sc = out.strideFromEnd(axis);
        if (sc == 0) return error.Overlap;
        // One matrix b for all: the axis is only more rows, so the product sees it whole.
        if (batch.rank == 0 and sb == 0 and size > 0 and p.m > 0 and sa == p.a_row * @as(isize, @intCast(p.m)) and sc == @as(isize, @intCast(p.ldc * p.m))) {
            p.m *= size;
            continue;
        }
        batch.sizes[batch.rank] = size;
        batch.a[batch.rank] = sa;
        batch.b[batch.rank] = sb;
        batch.c[batch.rank] = sc;
        batch.rank += 1;
    }
    if (empty) p.m = 0; // whichever size it was
}

pub fn checked(d: *const device.Device, out_: u32, a_: u32, b_: u32, bias_: u32, flags: u32, alpha: f64, beta: f64) Error!void {
    const a = try tensor.get(a_);
    const out = try tensor.typed(out_, a.dtype);
    const b = try tensor.getWeight(b_, a.dtype);
    const bias = try tensor.optional(bias_, a.dtype);
    switch (a.dtype) {
        inline .f32, .f64 => |dtype| {
            const T = if (dtype == .f32) f32 else f64;
            var task: Task(T) = undefined;
            try prepare(T, &task, d, out, a, b, bias, flags, alpha, beta);
            try d.submit(&task);
        },
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// `flags`: 1 transposes a, 2 transposes b, epilogue · 4 (0 none, 1 ReLU, 2 GELU, 3 SiLU). `bias` 0 is none. `b` may be what `prepack` answered.
    pub fn matmul(device_: u32, out: u32, a: u32, b: u32, bias: u32, flags: u32, alpha: f64, beta: f64) callconv(.c) i32 {
        const d = device.get(device_) catch |e| return status.code(e);
        return status.of(checked(d, out, a, b, bias, flags, alpha, beta));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");
const Guarded = @import("../testing/guard.zig").Guarded;

/// The plain loop in f64.
fn reference(comptime T: type, out: []f64, a: [*]const T, a_row: usize, a_col: usize, b: [*]const T, b_row: usize, b_col: usize, m: usize, n: usize, k: usize, alpha: f64, beta: f64, c: f64) void {
    for (0..m) |i| for (0..n) |j| {
        var sum: f64 = 0;
        for (0..k) |p| sum += @as(f64, a[i * a_row + p * a_col]) * b[p * b_row + j * b_col];
        out[i * n + j] = alpha * sum + (if (beta == 0) 0 else beta * c);
    };
}

const Case = struct { m: usize, n: usize, k: usize, flags: u32 = 0, alpha: f64 = 1, beta: f64 = 0 };

/// One product of contiguous operands: against the reference, and the same bits for every number of workers.
fn testProduct(comptime T: type, case: Case, random: std.Random) !void {
    const m, const n, const k = .{ case.m, case.n, case.k };
    const ta = case.flags & transpose_a != 0;
    const tb = case.flags & transpose_b != 0;
    var made: arrays.Tensors = .{};
    defer made.free();
    const a = try made.normal(T, if (ta) &.{ k, m } else &.{ m, k }, random, 1);
    const b = try made.normal(T, if (tb) &.{ n, k } else &.{ k, n }, random, 1);
    const want = try testing.allocator.alloc(f64, m * n);
    defer testing.allocator.free(want);
    // An operand of no elements has no address to start from.
    const a_data = (try tensor.get(a)).ptr(T);
    const b_data = (try tensor.get(b)).ptr(T);
    reference(T, want, a_data, if (ta) 1 else k, if (ta) m else 1, b_data, if (tb) 1 else n, if (tb) k else 1, m, n, k, case.alpha, case.beta, 2);
    var serial: u32 = 0;
    for ([_]u32{ 1, 2, 5, 8 }) |workers| {
        const d = device.forTest(workers);
        // With beta 0 what C holds must not be read.
        const out = try made.filled(T, &.{ m, n }, if (case.beta == 0) std.math.nan(T) else 2);
        try checked(&d, out, a, b, 0, case.flags, case.alpha, case.beta);
        try arrays.expectWithin(T, want, arrays.data(T, out), arrays.tolerance(T) * 4);
        if (serial == 0) serial = out else try arrays.expectSameBits(T, arrays.data(T, serial), arrays.data(T, out));
    }
}

test "matmul: sizes around vectors, tiles and depth blocks, each transposition" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    for ([_][3]usize{ .{ 1, 1, 1 }, .{ 1, 33, 5 }, .{ 14, 32, 256 }, .{ 15, 33, 257 }, .{ 7, 31, 16 }, .{ 29, 65, 17 }, .{ 3, 5, 600 }, .{ 70, 9, 40 }, .{ 64, 50, 31 } }) |s| {
        for (0..4) |flags| {
            try testProduct(f32, .{ .m = s[0], .n = s[1], .k = s[2], .flags = @intCast(flags) }, random);
            try testProduct(f64, .{ .m = s[0], .n = s[1], .k = s[2], .flags = @intCast(flags) }, random);
        }
    }
    try testProduct(f32, .{ .m = 20, .n = 40, .k = 530, .alpha = 0.5, .beta = 3 }, random);
    try testProduct(f64, .{ .m = 20, .n = 40, .k = 530, .alpha = -2, .beta = 1 }, random);
    for ([_][3]usize{ .{ 3, 4, 0 }, .{ 0, 4, 5 }, .{ 3, 0, 5 } }) |s| {
        try testProduct(f32, .{ .m = s[0], .n = s[1], .k = s[2] }, random);
        try testProduct(f32, .{ .m = s[0], .n = s[1], .k = s[2], .beta = 0.5 }, random);
    }
}

test "matmul: NaN in C is not read with beta 0, in every edge of a tile" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(2);
    const a = try made.filled(f32, &.{ 33, 3 }, 1);
    const b = try made.filled(f32, &.{ 3, 33 }, 1);
    for (1..34) |m| for (1..34) |n| {
        const c = try made.filled(f32, &.{ m, n }, std.math.nan(f32));
        const am = try made.view(a, 0, &.{ m, 3 }, &.{ 3, 1 });
        const bn = try made.view(b, 0, &.{ 3, n }, &.{ 33, 1 });
        try checked(&d, c, am, bn, 0, 0, 1, 0);
        for (arrays.data(f32, c)) |v| try testing.expectEqual(3, v);
        for (0..3) |_| {
            made.count -= 1;
            _ = tensor.entries.tensor_free(made.handles[made.count]);
        }
    };
}

test "matmul: alpha 0 and k 0 read neither operand; nothing else is skipped for being zero" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(1);
    const nan = try made.filled(f32, &.{ 3, 3 }, std.math.nan(f32));
    const ones = try made.filled(f32, &.{ 3, 3 }, 1);
    const c = try made.filled(f32, &.{ 3, 3 }, 3);
    try checked(&d, c, nan, ones, 0, 0, 0, 2);
    for (arrays.data(f32, c)) |v| try testing.expectEqual(6, v);
    try checked(&d, c, nan, ones, 0, 0, 0, 0);
    for (arrays.data(f32, c)) |v| try testing.expectEqual(0, v);
    const infinite = try made.filled(f32, &.{ 1, 1 }, std.math.inf(f32));
    const zero = try made.filled(f32, &.{ 1, 1 }, 0);
    const one = try made.filled(f32, &.{ 1, 1 }, 0);
    try checked(&d, one, infinite, zero, 0, 0, 1, 0);
    try testing.expect(std.math.isNan(arrays.data(f32, one)[0]));
    // k = 0 leaves bias alone.
    const empty_a = try made.empty(f32, &.{ 3, 0 });
    const empty_b = try made.empty(f32, &.{ 0, 4 });
    const bias = try made.from(f32, &.{4}, &.{ 10, 20, 30, 40 });
    const out = try made.filled(f32, &.{ 3, 4 }, std.math.nan(f32));
    try checked(&d, out, empty_a, empty_b, bias, 0, 1, 0);
    for (arrays.data(f32, out), 0..) |v, i| try testing.expectEqual(@as(f32, @floatFromInt(10 * (i % 4 + 1))), v);
}

test "matmul: a row has the same bits in a product of any height" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(1);
    const a = try made.normal(f32, &.{ 50, 300 }, prng.random(), 1);
    const b = try made.normal(f32, &.{ 300, 40 }, prng.random(), 1);
    const whole = try made.empty(f32, &.{ 50, 40 });
    try checked(&d, whole, a, b, 0, 0, 1, 0);
    for ([_]usize{ 0, 13, 49 }) |i| {
        const row = try made.view(a, i * 300, &.{ 1, 300 }, &.{ 300, 1 });
        const out = try made.empty(f32, &.{ 1, 40 });
        try checked(&d, out, row, b, 0, 0, 1, 0);
        try arrays.expectSameBits(f32, arrays.data(f32, whole)[i * 40 ..][0..40], arrays.data(f32, out));
    }
}

test "matmul: batches broadcast, and strided operands and outputs are used in place" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    var made: arrays.Tensors = .{};
    defer made.free();
    // a: [2, 3, 5, 4] read from a [3, 5, 2, 4] block; b: [3, 4, 6] broadcast over the first axis; out: [2, 3, 5, 6] inside rows of 9.
    const a_base = try made.normal(f32, &.{ 3, 5, 2, 4 }, prng.random(), 1);
    const a = try made.view(a_base, 0, &.{ 2, 3, 5, 4 }, &.{ 4, 40, 8, 1 });
    const b = try made.normal(f32, &.{ 3, 4, 6 }, prng.random(), 1);
    for ([_]u32{ 1, 2, 4 }) |workers| {
        const d = device.forTest(workers);
        const out_base = try made.filled(f32, &.{ 2, 3, 5, 9 }, 77);
        const out = try made.view(out_base, 0, &.{ 2, 3, 5, 6 }, &.{ 135, 45, 9, 1 });
        try checked(&d, out, a, b, 0, 0, 1, 0);
        const got = arrays.data(f32, out_base);
        for (0..2) |p| for (0..3) |q| {
            var want: [30]f64 = undefined;
            reference(f32, &want, arrays.data(f32, a_base).ptr + p * 4 + q * 40, 8, 1, arrays.data(f32, b).ptr + q * 24, 6, 1, 5, 6, 4, 1, 0, 0);
            for (0..5) |i| {
                const row = got[p * 135 + q * 45 + i * 9 ..][0..9];
                for (row[0..6], want[i * 6 ..][0..6]) |v, w| try testing.expectApproxEqAbs(w, v, 1e-5);
                for (row[6..]) |v| try testing.expectEqual(77, v);
            }
        };
    }
}

test "matmul: epilogues act on the finished sum" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(1);
    const a = try made.from(f64, &.{ 3, 1 }, &.{ -1, 0.5, 1.25 });
    const b = try made.from(f64, &.{ 1, 2 }, &.{ 1, 2 });
    const bias = try made.from(f64, &.{2}, &.{ 0.25, -1 });
    for (0..4) |epilogue| {
        const out = try made.empty(f64, &.{ 3, 2 });
        try checked(&d, out, a, b, bias, @intCast(epilogue << 2), 1, 0);
        for (arrays.data(f64, out), 0..) |v, i| {
            const x = arrays.data(f64, a)[i / 2] * arrays.data(f64, b)[i % 2] + arrays.data(f64, bias)[i % 2];
            // Φ by the integral of its series, far inside its radius.
            const want = switch (epilogue) {
                0 => x,
                1 => @max(x, 0),
                2 => x * cdf(x),
                else => x / (1 + @exp(-x)),
            };
            try testing.expectApproxEqAbs(want, v, 1e-12);
        }
    }
}

fn cdf(x: f64) f64 {
    var term = x;
    var sum = x;
    var n: f64 = 1;
    while (n < 200) : (n += 1) {
        term *= -x * x / (2 * n);
        sum += term / (2 * n + 1);
    }
    return 0.5 + sum / @sqrt(2 * std.math.pi);
}

test "matmul: nothing is read behind an operand, whatever its size, transposition and stride" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const d = device.forTest(1);
    const a_memory = try Guarded.init(40 * 43 * 4);
    defer a_memory.deinit();
    const b_memory = try Guarded.init(40 * 43 * 4);
    defer b_memory.deinit();
    const c_memory = try Guarded.init(40 * 43 * 4);
    defer c_memory.deinit();
    for (0..600) |round| {
        const m = random.intRangeAtMost(usize, 1, 40);
        const n = random.intRangeAtMost(usize, 1, 40);
        const k = random.intRangeAtMost(usize, 1, 40);
        const gap: usize = if (round % 2 == 0) 0 else 3;
        const ta = round & 2 != 0;
        const tb = round & 4 != 0;
        const lda = (if (ta) m else k) + gap;
        const ldb = (if (tb) k else n) + gap;
        const ldc = n + gap;
        const a = a_memory.last(f32, (if (ta) k - 1 else m - 1) * lda + (if (ta) m else k));
        const b = b_memory.last(f32, (if (tb) n - 1 else k - 1) * ldb + (if (tb) k else n));
        const c = c_memory.last(f32, (m - 1) * ldc + n);
        for (a) |*x| x.* = random.floatNorm(f32);
        for (b) |*x| x.* = random.floatNorm(f32);
        @memset(c, 5);
        try driver.multiply(f32, &d, &.{
            .m = m,
            .n = n,
            .k = k,
            .a = a.ptr,
            .a_row = @intCast(if (ta) 1 else lda),
            .a_col = @intCast(if (ta) lda else 1),
            .b = b.ptr,
            .b_row = @intCast(if (tb) 1 else ldb),
            .b_col = @intCast(if (tb) ldb else 1),
            .c = c.ptr,
            .ldc = ldc,
        });
        var want: [1600]f64 = undefined;
        reference(f32, &want, a.ptr, if (ta) 1 else lda, if (ta) lda else 1, b.ptr, if (tb) 1 else ldb, if (tb) ldb else 1, m, n, k, 1, 0, 0);
        for (0..m) |i| {
            for (0..n) |j| try testing.expectApproxEqAbs(want[i * n + j], c[i * ldc + j], 1e-4);
            if (i + 1 < m) for (c[i * ldc + n ..][0..gap]) |v| try testing.expectEqual(5, v);
        }
    }
}

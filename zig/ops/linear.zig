//! Gradients of a linear layer Y = X @ Wᵀ + b: dX = dY @ W, dW = dYᵀ @ X, db = Σ_rows dY, in one fork of the pool.

const std = @import("std");
const device = @import("../device.zig");
const driver = @import("../gemm/driver.zig");
const gpu_product = @import("../gemm/gpu_product.zig");
const Explanation = @import("../explain.zig").Explanation;
const note = @import("../gemm/note.zig");
const blocking = @import("../gemm/blocking.zig");
const columns = @import("../gemm/columns.zig");
const memory = @import("../memory.zig");
const pool = @import("../parallel/pool.zig");
const resolve = @import("../parallel/resolve.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// Bits of `flags`: add to what dx, dw or db holds.
const accumulate_dx = 1;
const accumulate_dw = 2;
const accumulate_db = 4;

/// The three products; each null where its gradient is not wanted.
pub fn Task(comptime T: type) type {
    return struct {
        dx: ?driver.Product(T),
        dw: ?driver.Product(T),
        db: ?columns.Sum(T),

        /// The three parts share workers.
        fn decide(self: *const @This(), d: *const device.Device, tile: blocking.Tile) resolve.Decision {
            var products: [2]driver.Product(T) = undefined;
            var count: usize = 0;
            for ([_]?driver.Product(T){ self.dx, self.dw }) |product| {
                products[count] = product orelse continue;
                count += 1;
            }
            if (count > 0) return driver.workersFor(T, d, tile, products[0..count]);
            const db = self.db orelse return .{ .workers = 1, .why = .work };
            return resolve.bandwidth(&d.machine, d.request, &d.knobs, @as(u64, db.rows) *| db.cols *| @sizeOf(T), db.jobsMax());
        }

        pub fn explain(self: @This(), d: *const device.Device, e: *Explanation) void {
            const kernels: driver.Kernels(T) = .of(d);
            const decision = self.decide(d, kernels.tile);
            inline for (.{ "dx", "dw" }) |name| if (@field(self, name)) |*p| {
                const route: driver.Route(T) = .init(d, kernels, p.*, decision.workers);
                note.product(T, e, p, kernels.tile, &route, .one(T, p, name, decision));
            };
            if (self.db) |s| e.note(.{
                .step = "db",
                .kernel = columns.Kernel(T).name,
                .workers = decision.workers,
                .tier = decision.tier,
                .why = @tagName(decision.why),
                .jobs = s.cut(d, decision.workers).jobs(),
                .grain = 1,
                .bytes = (s.rows *| s.cols +| s.cols) *| @sizeOf(T),
                .scratch_bytes = s.partialLen() *| @sizeOf(T),
            });
        }

        pub fn run(self: @This(), d: *const device.Device) Error!void {
            const kernels: driver.Kernels(T) = .of(d);
            const workers = self.decide(d, kernels.tile).workers;
            var region: Region = .{
                .dx = if (self.dx) |p| .init(d, kernels, p, workers) else null,
                .dw = if (self.dw) |p| .init(d, kernels, p, workers) else null,
                .db = self.db,
                .d = d,
                .kernel = .of(d),
                .scratch = undefined,
            };
            var len: usize = if (self.db) |s| s.partialLen() else 0;
            if (region.dx) |*route| len = @max(len, route.scratchLen(workers));
            if (region.dw) |*route| len = @max(len, route.scratchLen(workers));
            const block = try memory.alloc(len * @sizeOf(T));
            defer memory.free(block, len * @sizeOf(T));
            region.scratch = @ptrCast(@alignCast(block));
            pool.run(workers, d.exact(), &region, Region.body);
        }

        pub fn dispatch(self: @This(), d: *const device.Device) Error!void {
            if (self.dx) |*p| try gpu_product.single(T, d, p);
            if (self.dw) |*p| try gpu_product.single(T, d, p);
            if (self.db) |*s| try s.dispatch(d);
        }

        /// What the workers run: product after product, each dealt through the cursor. A phase ends in a barrier, so they share one scratch.
        const Region = struct {
            dx: ?driver.Route(T),
            dw: ?driver.Route(T),
            db: ?columns.Sum(T),
            d: *const device.Device,
            kernel: columns.Kernel(T),
            scratch: [*]T,

            fn body(self: *Region, w: *pool.Worker) void {
                if (self.dx) |*route| route.run(self.scratch, w);
                if (self.dw) |*route| route.run(self.scratch, w);
                if (self.db) |*s| s.run(self.d, self.kernel, self.scratch, w);
            }
        };
    };
}

fn prepare(comptime T: type, dx: ?*const Tensor, dw: ?*const Tensor, db: ?*const Tensor, dy: *const Tensor, x: ?*const Tensor, w: ?*const Tensor, flags: u32) Error!Task(T) {
    if (flags > 7) return error.InvalidArgument;
    const y = try dy.rows();
    var out: Task(T) = .{ .dx = null, .dw = null, .db = null };
    if (dx) |o| {
        const weight = w orelse return error.InvalidArgument;
        if (weight.rank != 2 or weight.shape_[0] != y.cols) return error.ShapeMismatch;
        const r = try o.rows();
        if (r.rows != y.rows or r.cols != weight.shape_[1] or o.rank != dy.rank) return error.ShapeMismatch;
        out.dx = .{
            .m = y.rows,
            .n = r.cols,
            .k = y.cols,
            .a = dy.ptr(T),
            .a_row = @intCast(y.stride),
            .a_col = 1,
            .b = weight.ptr(T),
            .b_row = weight.strides_[0],
            .b_col = weight.strides_[1],
            .c = o.ptr(T),
            .ldc = try rowStride(r),
            .beta = if (flags & accumulate_dx != 0) 1 else 0,
        };
    }
    if (dw) |o| {
        const input = x orelse return error.InvalidArgument;
        const in = try input.rows();
        if (in.rows != y.rows or o.rank != 2 or o.shape_[0] != y.cols or o.shape_[1] != in.cols) return error.ShapeMismatch;
        const r = try o.rows();
        out.dw = .{
            .m = y.cols,
            .n = in.cols,
            .k = y.rows,
            .a = dy.ptr(T),
            .a_row = 1,
            .a_col = @intCast(y.stride),
            .b = input.ptr(T),
            .b_row = @intCast(in.stride),
            .b_col = 1,
            .c = o.ptr(T),
            .ldc = try rowStride(r),
            .beta = if (flags & accumulate_dw != 0) 1 else 0,
        };
    }
    if (db) |o| {
        if (o.rank != 1 or o.shape_[0] != y.cols) return error.ShapeMismatch;
        if (y.cols > 1 and o.strides_[0] != 1) return error.LayoutMismatch;
        out.db = .{ .out = o.ptr(T), .x = dy.ptr(T), .rows = y.rows, .cols = y.cols, .stride = y.stride, .accumulate = flags & accumulate_db != 0 };
    }
    // The products run one after another: no output may lie on what a later one reads or writes.
    const outputs = [_]?*const Tensor{ dx, dw, db };
    for (outputs, 0..) |o, i| {
        const a = o orelse continue;
        for ([_]?*const Tensor{ dy, x, w }) |input| if (input) |b| try tensor.checkApart(a, b);
        for (outputs[0..i]) |other| if (other) |b| try tensor.checkApart(a, b);
    }
    return out;
}

/// An output's rows may not lie on top of each other.
fn rowStride(r: tensor.Rows) Error!usize {
    if (r.rows > 1 and r.stride < r.cols) return error.Overlap;
    return r.stride;
}

fn checked(d: *const device.Device, dx_: u32, dw_: u32, db_: u32, dy_: u32, x_: u32, w_: u32, flags: u32) Error!void {
    const dy = try tensor.get(dy_);
    const dx = try tensor.optional(dx_, dy.dtype);
    const dw = try tensor.optional(dw_, dy.dtype);
    const db = try tensor.optional(db_, dy.dtype);
    const x = try tensor.optional(x_, dy.dtype);
    const w = try tensor.optional(w_, dy.dtype);
    switch (dy.dtype) {
        inline .f32, .f64 => |dtype| try d.submit(try prepare(if (dtype == .f32) f32 else f64, dx, dw, db, dy, x, w, flags)),
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// dx [T, in], dw [out, in], db [out], each 0 where it is not wanted, from dy [T, out], x [T, in] and w [out, in], T being any leading axes.
    /// `flags`: 1, 2, 4 add to what dx, dw, db hold.
    pub fn linear_backward(device_: u32, dx: u32, dw: u32, db: u32, dy: u32, x: u32, w: u32, flags: u32) callconv(.c) i32 {
        const d = device.get(device_) catch |e| return status.code(e);
        return status.of(checked(d, dx, dw, db, dy, x, w, flags));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

fn testGradients(comptime T: type, size: [3]usize, flags: u32, random: std.Random) !void {
    const rows, const in, const out = size;
    var made: arrays.Tensors = .{};
    defer made.free();
    const x = try made.normal(T, &.{ rows, in }, random, 1);
    const w = try made.normal(T, &.{ out, in }, random, 1);
    const dy = try made.normal(T, &.{ rows, out }, random, 1);
    const base: f64 = if (flags == 0) 0 else 0.5;

    const gpa = testing.allocator;
    const dx_want = try gpa.alloc(f64, rows * in);
    defer gpa.free(dx_want);
    const dw_want = try gpa.alloc(f64, out * in);
    defer gpa.free(dw_want);
    const db_want = try gpa.alloc(f64, out);
    defer gpa.free(db_want);
    @memset(dx_want, base);
    @memset(dw_want, base);
    @memset(db_want, base);
    for (0..rows) |t| for (0..out) |o| {
        const g: f64 = arrays.data(T, dy)[t * out + o];
        db_want[o] += g;
        for (0..in) |i| {
            dx_want[t * in + i] += g * arrays.data(T, w)[o * in + i];
            dw_want[o * in + i] += g * arrays.data(T, x)[t * in + i];
        }
    };
    var first: [3]u32 = undefined;
    for ([_]u32{ 1, 2, 3, 8 }, 0..) |workers, run| {
        const d = device.forTest(workers);
        const grads = [3]u32{ try made.filled(T, &.{ rows, in }, 0.5), try made.filled(T, &.{ out, in }, 0.5), try made.filled(T, &.{out}, 0.5) };
        try checked(&d, grads[0], grads[1], grads[2], dy, x, w, flags);
        if (run == 0) first = grads;
        for ([_][]const f64{ dx_want, dw_want, db_want }, grads, first) |want, got, serial| {
            try arrays.expectClose(T, want, arrays.data(T, got));
            try arrays.expectSameBits(T, arrays.data(T, serial), arrays.data(T, got));
        }
    }
}

test "linear_backward: plain sums at any size, added or not, with the same bits for any number of workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    // One row takes routes of its own, outer products and vectors: around vectors, tiles and panels, and larger.
    const one_row = [_][3]usize{ .{ 1, 1, 1 }, .{ 1, 15, 17 }, .{ 1, 16, 16 }, .{ 1, 17, 15 }, .{ 1, 31, 65 }, .{ 1, 64, 33 }, .{ 1, 129, 63 }, .{ 1, 257, 300 }, .{ 1, 700, 1025 }, .{ 1, 300, 2000 } };
    for (one_row ++ [_][3]usize{ .{ 0, 3, 5 }, .{ 1, 5, 7 }, .{ 3, 33, 17 }, .{ 130, 20, 31 }, .{ 300, 9, 70 }, .{ 40, 3, 1500 }, .{ 100, 2, 700 } }) |size| {
        for ([_]u32{ 0, 7 }) |flags| {
            try testGradients(f32, size, flags, prng.random());
            try testGradients(f64, size, flags, prng.random());
        }
    }
}

test "linear_backward: what does not fit is refused and nothing is written" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(2);
    const x = try made.filled(f32, &.{ 4, 3 }, 1);
    const w = try made.filled(f32, &.{ 5, 3 }, 1);
    const dy = try made.filled(f32, &.{ 4, 5 }, 1);
    const dx = try made.filled(f32, &.{ 4, 3 }, 7);
    const db = try made.filled(f32, &.{5}, 7);
    const wrong = try made.filled(f32, &.{ 3, 5 }, 7);
    const other = try made.filled(f64, &.{ 4, 3 }, 7);
    try testing.expectError(error.ShapeMismatch, checked(&d, dx, wrong, db, dy, x, w, 0));
    try testing.expectError(error.DtypeMismatch, checked(&d, other, 0, db, dy, x, w, 0));
    try testing.expectError(error.Overlap, checked(&d, x, w, db, dy, x, w, 0));
    try testing.expectError(error.InvalidArgument, checked(&d, dx, 0, db, dy, x, 0, 0));
    try testing.expectError(error.InvalidArgument, checked(&d, dx, 0, db, dy, x, w, 8));
    for ([_]u32{ dx, db }) |h| for (arrays.data(f32, h)) |v| try testing.expectEqual(7, v);
}

//! Matrix products of a list: out[i] = epilogue(alpha · op(a[i]) @ op(b[i]) + beta · out[i] + bias), of one size, each matrix anywhere in memory.

const std = @import("std");
const device = @import("../device.zig");
const memory = @import("../memory.zig");
const driver = @import("../gemm/driver.zig");
const Explanation = @import("../explain.zig").Explanation;
const gpu_product = @import("../gemm/gpu_product.zig");
const note = @import("../gemm/note.zig");
const matmul = @import("matmul.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;

/// The task of one call, checked. `items` is the entry's: a recorder would take it over.
fn Task(comptime T: type) type {
    return struct {
        p: driver.Product(T),
        items: []const driver.Item(T),

        pub fn run(self: *const @This(), d: *const device.Device) Error!void {
            return driver.multiplyBatch(T, d, &.{ .p = self.p, .list = self.items });
        }

        pub fn explain(self: *const @This(), d: *const device.Device, e: *Explanation) void {
            note.batch(T, d, e, &.{ .p = self.p, .list = self.items });
        }

        pub fn dispatch(self: *const @This(), d: *const device.Device) Error!void {
            return gpu_product.dispatch(T, d, &.{ .p = self.p, .list = self.items });
        }
    };
}

/// Sizes, strides and layout as those of the list's first one. An axis of one element may have any stride.
fn checkLike(x: *const Tensor, first: *const Tensor) Error!void {
    if (!x.sameShape(first)) return error.ShapeMismatch;
    if (!std.meta.eql(x.panels, first.panels)) return error.LayoutMismatch;
    for (x.shape(), x.strides(), first.strides()) |size, stride, wanted| if (size > 1 and stride != wanted) return error.LayoutMismatch;
}

const Extent = struct {
    low: usize,
    high: usize,

    fn of(x: *const Tensor) Extent {
        const low, const high = x.extent();
        return .{ .low = low, .high = high };
    }

    fn before(_: void, x: Extent, y: Extent) bool {
        return x.low < y.low;
    }
};

/// Sorts extents and joins those that meet; returns how many are left.
fn join(extents: []Extent) usize {
    std.sort.pdq(Extent, extents, {}, Extent.before);
    var count: usize = 0;
    for (extents) |x| {
        if (x.low == x.high) continue;
        if (count > 0 and x.low <= extents[count - 1].high) {
            extents[count - 1].high = @max(extents[count - 1].high, x.high);
            continue;
        }
        extents[count] = x;
        count += 1;
    }
    return count;
}

/// Whether a tensor lies between the first and the last byte of one of these.
fn meets(extents: []const Extent, x: *const Tensor) bool {
    const e: Extent = .of(x);
    if (e.low == e.high) return false;
    // The first that ends behind x's begin: they are apart and sorted.
    var low: usize = 0;
    var high = extents.len;
    while (low < high) {
        const middle = low + (high - low) / 2;
        if (extents[middle].high <= e.low) low = middle + 1 else high = middle;
    }
    return low < extents.len and extents[low].low < e.high;
}

/// Matrices of m rows of n, rows `ldc` apart, as rectangles of one size in a plane of their memory's rows: two of them share an element where their
/// corners are less than n columns and less than m rows apart. Cut into cells of that size, a plane has at most one corner a cell, or two matrices
/// overlap; and what overlaps has its corners in neighbouring cells.
const Corner = struct {
    storage: usize,
    cell_row: isize,
    cell_col: isize,
    row: isize,
    col: isize,

    fn order(x: Corner, y: Corner) std.math.Order {
        inline for (.{ "storage", "cell_row", "cell_col" }) |name| {
            const o = std.math.order(@field(x, name), @field(y, name));
            if (o != .eq) return o;
        }
        return .eq;
    }

    fn before(_: void, x: Corner, y: Corner) bool {
        return order(x, y) == .lt;
    }
};

/// Whether two of these matrices, all of one shape and one row stride, share an element. n·log n comparisons: lists may be long.
fn anyOverlap(comptime T: type, outs: []const *const Tensor, m: usize, n: usize, ldc: usize) Error!bool {
    if (m == 0 or n == 0) return false;
    const rows: isize = @intCast(m);
    const cols: isize = @intCast(n);
    const corners = memory.gpa.alloc(Corner, 2 * outs.len) catch return error.OutOfMemory;
    defer memory.gpa.free(corners);
    var count: usize = 0;
    for (outs) |out| {
        const place: usize = (@intFromPtr(out.data) - @intFromPtr(out.storage.block)) / @sizeOf(T);
        var row: isize = if (m > 1) @intCast(place / ldc) else 0;
        var col: isize = @intCast(if (m > 1) place % ldc else place);
        // What goes on at the begin of the plane's next row stands there once more.
        const images: usize = if (m > 1 and col + cols > @as(isize, @intCast(ldc))) 2 else 1;
        for (0..images) |_| {
            corners[count] = .{
                .storage = @intFromPtr(out.storage),
                .cell_row = @divFloor(row, rows),
                .cell_col = @divFloor(col, cols),
                .row = row,
                .col = col,
            };
            count += 1;
            row += 1;
            col -= @intCast(ldc);
        }
    }
    const all = corners[0..count];
    std.sort.pdq(Corner, all, {}, Corner.before);
    for (all, 0..) |x, i| {
        if (i > 0 and Corner.order(all[i - 1], x) == .eq) return true;
        // The other four neighbours look here themselves.
        for ([_][2]isize{ .{ 0, 1 }, .{ 1, -1 }, .{ 1, 0 }, .{ 1, 1 } }) |way| {
            var wanted = x;
            wanted.cell_row += way[0];
            wanted.cell_col += way[1];
            const y = all[std.sort.binarySearch(Corner, all, wanted, Corner.order) orelse continue];
            if (@abs(y.row - x.row) < m and @abs(y.col - x.col) < n) return true;
        }
    }
    return false;
}

/// What the outputs may not touch: operands and the bias by first and last byte, each other exactly.
fn checkApart(
    comptime T: type,
    outs: []const *const Tensor,
    operands: []const *const Tensor,
    bias: ?*const Tensor,
    p: *const driver.Product(T),
) Error!void {
    const extents = memory.gpa.alloc(Extent, outs.len) catch return error.OutOfMemory;
    defer memory.gpa.free(extents);
    for (extents, outs) |*extent, out| extent.* = .of(out);
    const written = extents[0..join(extents)];
    for (operands) |x| if (meets(written, x)) return error.Overlap;
    if (bias) |x| if (meets(written, x)) return error.Overlap;
    if (try anyOverlap(T, outs, p.m, p.n, p.ldc)) return error.Overlap;
}

fn compute(
    comptime T: type,
    d: *const device.Device,
    tensors: []const *const Tensor,
    bias: ?*const Tensor,
    flags: u32,
    alpha: f64,
    beta: f64,
) Error!void {
    const count = tensors.len / 3;
    const outs, const a, const b = .{ tensors[0..count], tensors[count .. 2 * count], tensors[2 * count ..] };
    if (a[0].rank != 2 or b[0].rank != 2 or outs[0].rank != 2) return error.ShapeMismatch;
    var p = try matmul.product(T, d, outs[0], a[0], b[0], bias, flags, alpha, beta);
    for (outs, a, b) |out, x, y| {
        try checkLike(out, outs[0]);
        try checkLike(x, a[0]);
        try checkLike(y, b[0]);
    }
    try checkApart(T, outs, tensors[count..], bias, &p);
    // Of rows without elements there may be any number: nobody walks over them.
    if (p.n == 0) p.m = 0;
    const items = memory.gpa.alloc(driver.Item(T), count) catch return error.OutOfMemory;
    defer memory.gpa.free(items);
    for (items, outs, a, b) |*item, out, x, y| item.* = .{ .a = x.ptr(T), .b = y.ptr(T), .c = out.ptr(T) };
    const task: Task(T) = .{ .p = p, .items = items };
    try d.submit(&task);
}

fn checked(d: *const device.Device, handles: []const u32, bias_: u32, flags: u32, alpha: f64, beta: f64) Error!void {
    if (handles.len == 0) return;
    const count = handles.len / 3;
    const dtype = (try tensor.get(handles[0])).dtype;
    const tensors = memory.gpa.alloc(*const Tensor, handles.len) catch return error.OutOfMemory;
    defer memory.gpa.free(tensors);
    for (tensors, handles, 0..) |*t, handle, i| t.* = if (i < 2 * count) try tensor.typed(handle, dtype) else try tensor.getWeight(handle, dtype);
    const bias = try tensor.optional(bias_, dtype);
    switch (dtype) {
        inline .f32, .f64 => |each| try compute(if (each == .f32) f32 else f64, d, tensors, bias, flags, alpha, beta),
        else => return error.Unsupported,
    }
}

pub const entries = struct {
    /// `handles`: `count` outputs, as many a, as many b, each kind of one shape and one layout. The rest as for matmul.
    pub fn matmul_list(device_: u32, handles: [*]const u32, count: u32, bias: u32, flags: u32, alpha: f64, beta: f64) callconv(.c) i32 {
        const d = device.get(device_) catch |e| return status.code(e);
        return status.of(checked(d, handles[0 .. 3 * @as(usize, count)], bias, flags, alpha, beta));
    }
};

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

test "matmul_list: the bits of the products one by one, of matrices anywhere" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const sizes = [_][3]usize{ .{ 5, 16, 7 }, .{ 15, 33, 300 }, .{ 1, 20, 40 }, .{ 20, 1, 9 }, .{ 3, 4, 0 }, .{ 0, 4, 2 }, .{ 3, 5, 1 } };
    inline for (.{ f32, f64 }) |T| for (sizes) |size| for (0..4) |ways| for ([_]u32{ 1, 3 }) |workers| {
        const m, const n, const k = size;
        const flags: u32 = @intCast(ways | 3 << 2);
        var made: arrays.Tensors = .{};
        defer made.free();
        const d = device.forTest(workers);
        const bias = try made.normal(T, &.{n}, prng.random(), 1);
        var handles: [3 * 4]u32 = undefined;
        var want: [4]u32 = undefined;
        // Outputs are column slices of one matrix, with a gap after each two; operands are slices of wider ones.
        const ldc = 4 * n + 3;
        const whole = try made.filled(T, &.{ m, ldc }, 0.5);
        for (0..4) |i| {
            handles[i] = try made.view(whole, if (m == 0) 0 else i * n + i / 2, &.{ m, n }, &.{ ldc, 1 });
            const a: [2]usize = if (flags & matmul.transpose_a != 0) .{ k, m } else .{ m, k };
            const b: [2]usize = if (flags & matmul.transpose_b != 0) .{ n, k } else .{ k, n };
            handles[4 + i] = try made.view(try made.normal(T, &.{ a[0], a[1] + 2 }, prng.random(), 1), 0, &a, &.{ a[1] + 2, 1 });
            handles[8 + i] = try made.view(try made.normal(T, &.{ b[0], b[1] + 1 }, prng.random(), 1), 0, &b, &.{ b[1] + 1, 1 });
            want[i] = try made.filled(T, &.{ m, n }, 0.5);
            try matmul.checked(&d, want[i], handles[4 + i], handles[8 + i], bias, flags, 0.3, -2);
        }
        try checked(&d, &handles, bias, flags, 0.3, -2);
        for (0..4) |i| for (0..m) |row| {
            const at = row * ldc + i * n + i / 2;
            try arrays.expectSameBits(T, arrays.data(T, want[i])[row * n ..][0..n], arrays.data(T, whole)[at..][0..n]);
        };
        // Between and behind the slices nothing was written.
        for (0..m) |row| for ([_]usize{ 2 * n, 4 * n + 1, 4 * n + 2 }) |col| try testing.expectEqual(0.5, arrays.data(T, whole)[row * ldc + col]);
    };
}

test "matmul_list: what does not fit or overlaps is refused, and nothing is written" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const d = device.forTest(1);
    const a = try made.filled(f32, &.{ 2, 3 }, 1);
    const b = try made.filled(f32, &.{ 3, 4 }, 1);
    const base = try made.filled(f32, &.{ 6, 8 }, 7);
    const c = [_]u32{
        try made.view(base, 0, &.{ 2, 4 }, &.{ 8, 1 }),
        try made.view(base, 4, &.{ 2, 4 }, &.{ 8, 1 }),
        try made.view(base, 16, &.{ 2, 4 }, &.{ 8, 1 }),
    };
    const expect = testing.expectError;
    const near = try made.view(base, 3, &.{ 2, 4 }, &.{ 8, 1 });
    try expect(error.Overlap, checked(&d, &.{ c[0], c[0], a, a, b, b }, 0, 0, 1, 0));
    try expect(error.Overlap, checked(&d, &.{ c[0], c[2], near, a, a, a, b, b, b }, 0, 0, 1, 0));
    // What goes on at the begin of the next row of the base.
    const around = try made.view(base, 14, &.{ 2, 4 }, &.{ 8, 1 });
    try expect(error.Overlap, checked(&d, &.{ c[2], around, a, a, b, b }, 0, 0, 1, 0));
    const inside = try made.view(base, 32, &.{ 2, 3 }, &.{ 8, 1 });
    const on_inside = try made.view(base, 35, &.{ 2, 4 }, &.{ 8, 1 });
    try expect(error.Overlap, checked(&d, &.{ c[0], on_inside, inside, inside, b, b }, 0, 0, 1, 0));
    const bias = try made.view(base, 8, &.{4}, &.{1});
    try expect(error.Overlap, checked(&d, &.{ c[0], c[1], a, a, b, b }, bias, 0, 1, 0));
    // Shapes, layouts, types, ranks.
    const short = try made.filled(f32, &.{ 1, 3 }, 1);
    try expect(error.ShapeMismatch, checked(&d, &.{ c[0], c[1], a, short, b, b }, 0, 0, 1, 0));
    const apart = try made.view(try made.filled(f32, &.{ 2, 6 }, 1), 0, &.{ 2, 3 }, &.{ 6, 2 });
    try expect(error.LayoutMismatch, checked(&d, &.{ c[0], c[1], a, apart, b, b }, 0, 0, 1, 0));
    const fresh = try made.filled(f32, &.{ 2, 4 }, 7);
    try expect(error.LayoutMismatch, checked(&d, &.{ c[0], fresh, a, a, b, b }, 0, 0, 1, 0));
    const doubles = try made.filled(f64, &.{ 2, 3 }, 1);
    try expect(error.DtypeMismatch, checked(&d, &.{ c[0], c[1], a, doubles, b, b }, 0, 0, 1, 0));
    const tile = driver.Kernels(f32).of(&d).tile;
    const fast = try tensor.createPanels(.f32, 3, 4, .{ .nr = @intCast(tile.nr), .w = @intCast(tile.w) }, 3 * tile.nr);
    defer _ = tensor.entries.tensor_free(fast);
    try expect(error.LayoutMismatch, checked(&d, &.{ c[0], c[1], a, a, b, fast }, 0, 0, 1, 0));
    try expect(error.LayoutMismatch, checked(&d, &.{ c[0], c[1], a, fast, b, b }, 0, 0, 1, 0));
    const cube = try made.filled(f32, &.{ 1, 2, 3 }, 1);
    try expect(error.ShapeMismatch, checked(&d, &.{ c[0], cube, b }, 0, 0, 1, 0));
    try expect(error.InvalidArgument, checked(&d, &.{ c[0], a, b }, 0, 16, 1, 0));
    try expect(error.InvalidHandle, checked(&d, &.{ c[0], a, 0 }, 0, 0, 1, 0));
    for ([_]u32{ base, fresh }) |h| for (arrays.data(f32, h)) |x| try testing.expectEqual(7, x);
    try checked(&d, &.{}, 0, 0, 1, 0);
    try checked(&d, &.{ c[0], c[2], c[1], a, a, a, b, b, b }, 0, 0, 1, 0);
    for (arrays.data(f32, base), 0..) |x, i| try testing.expectEqual(@as(f32, if (i < 16 or (i < 32 and i % 8 < 4)) 3 else 7), x);
}

test "matmul_list: any number of rows without elements, or of columns, is not walked over" {
    var made: arrays.Tensors = .{};
    defer made.free();
    const huge = 1 << 40;
    const a = try made.empty(f32, &.{ 0, huge });
    const none = try made.empty(f32, &.{ 0, 0 });
    const tall = [_]u32{ try made.empty(f32, &.{ huge, 0 }), try made.empty(f32, &.{ huge, 0 }) };
    const wide = [_]u32{ try made.empty(f32, &.{ 0, huge }), try made.empty(f32, &.{ 0, huge }) };
    const bias = try made.empty(f32, &.{0});
    for ([_]u32{ 1, 3 }) |workers| for ([_]f64{ 0, 1 }) |beta| {
        const d = device.forTest(workers);
        try checked(&d, &.{ tall[0], tall[1], a, a, none, none }, bias, 1 | 1 << 2, 1, beta);
        try checked(&d, &.{ wide[0], wide[1], none, none, a, a }, 0, 0, 1, beta);
    };
}

test "matmul_list: outputs overlap where they share an element, and only there" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    var verdicts: [2]usize = @splat(0);
    for (0..3000) |_| {
        var made: arrays.Tensors = .{};
        defer made.free();
        const m = random.intRangeAtMost(usize, 1, 4);
        const n = random.intRangeAtMost(usize, 1, 5);
        const ldc = n + random.intRangeAtMost(usize, 0, 9);
        const len = 80;
        const memories = [_]u32{ try made.filled(f32, &.{len}, 0), try made.filled(f32, &.{len}, 0) };
        var outs: [6]*const Tensor = undefined;
        const count = random.intRangeAtMost(usize, 1, outs.len);
        var written: [2][len]bool = @splat(@splat(false));
        var overlaps = false;
        for (outs[0..count]) |*out| {
            const which = random.uintLessThan(usize, 2);
            const place = random.uintAtMost(usize, len - (m - 1) * ldc - n);
            out.* = try tensor.get(try made.view(memories[which], place, &.{ m, n }, &.{ ldc, 1 }));
            for (0..m) |i| for (written[which][place + i * ldc ..][0..n]) |*element| {
                overlaps = overlaps or element.*;
                element.* = true;
            };
        }
        try testing.expectEqual(overlaps, try anyOverlap(f32, outs[0..count], m, n, ldc));
        verdicts[@intFromBool(overlaps)] += 1;
    }
    try testing.expect(verdicts[0] > 300 and verdicts[1] > 300);
}

//! Elementwise ops of two operands with broadcasting: the micro-kernel over a block of rows, and the task around it. An op gives its name and formula.
//!
//! All of it waits for memory. One core of a Xeon with AVX-512 and 2 MiB of second-level cache, f32, operands and result counted: 90 GB/s at 16 384
//! elements, 29 at 262 144, 11 from memory; a row or a column broadcast over 512×512 took 45.

const std = @import("std");
const launch = @import("../gpu/launch.zig");
const simd = @import("../isa/simd.zig");
const strided = @import("strided.zig");
const tensor = @import("../tensor.zig");
const device = @import("../device.zig");
const Device = device.Device;
const arrays = @import("../testing/arrays.zig");
const Error = @import("../status.zig").Error;
const Tensor = tensor.Tensor;

/// Rows × columns of `out = f(a, b)`; steps in elements, 0 where an operand is broadcast.
pub fn Rows(comptime T: type) type {
    return extern struct {
        out: [*]T,
        a: [*]const T,
        b: [*]const T,
        rows: usize,
        cols: usize,
        out_row: isize,
        a_row: isize,
        b_row: isize,
        out_col: isize,
        a_col: isize,
        b_col: isize,
    };
}

/// Whether the lanes of T, a scalar or a vector, are integers: their arithmetic wraps.
pub fn wraps(comptime T: type) bool {
    return @typeInfo(if (@typeInfo(T) == .vector) std.meta.Child(T) else T) == .int;
}

/// `formula.apply(a, b)` takes vectors and scalars of T alike.
pub fn Kernel(comptime T: type, comptime formula: type) type {
    return struct {
        const w = simd.width(T);
        const V = @Vector(w, T);

        pub fn rows(p: *const Rows(T)) callconv(.c) void {
            const step = p.cols > 1;
            if (!step or p.out_col == 1) {
                if (!step or (p.a_col == 1 and p.b_col == 1)) return each(1, 1, p);
                if (p.a_col == 1 and p.b_col == 0) return each(1, 0, p);
                if (p.a_col == 0 and p.b_col == 1) return each(0, 1, p);
            }
            scattered(p);
        }

        fn each(comptime a_step: usize, comptime b_step: usize, p: *const Rows(T)) void {
            var out = p.out;
            var a = p.a;
            var b = p.b;
            for (0..p.rows) |_| {
                row(a_step, b_step, out, a, b, p.cols);
                out = strided.offset(out, p.out_row);
                a = strided.offset(a, p.a_row);
                b = strided.offset(b, p.b_row);
            }
        }

        inline fn row(comptime a_step: usize, comptime b_step: usize, out: [*]T, a: [*]const T, b: [*]const T, n: usize) void {
            const a0: V = @splat(a[0]);
            const b0: V = @splat(b[0]);
            var j: usize = 0;
            while (j + 4 * w <= n) : (j += 4 * w) {
                inline for (0..4) |k| {
                    const at = j + k * w;
                    const va = if (a_step == 0) a0 else simd.load(V, a + at);
                    const vb = if (b_step == 0) b0 else simd.load(V, b + at);
                    simd.store(out + at, formula.apply(va, vb));
                }
            }
            while (j + w <= n) : (j += w) {
                const va = if (a_step == 0) a0 else simd.load(V, a + j);
                const vb = if (b_step == 0) b0 else simd.load(V, b + j);
                simd.store(out + j, formula.apply(va, vb));
            }
            if (j < n) {
                const va = if (a_step == 0) a0 else simd.loadPartial(V, a + j, n - j, 0);
                const vb = if (b_step == 0) b0 else simd.loadPartial(V, b + j, n - j, 0);
                simd.storePartial(out + j, formula.apply(va, vb), n - j);
            }
        }

        fn scattered(p: *const Rows(T)) void {
            for (0..p.rows) |i| {
                var out = strided.offset(p.out, p.out_row * @as(isize, @intCast(i)));
                var a = strided.offset(p.a, p.a_row * @as(isize, @intCast(i)));
                var b = strided.offset(p.b, p.b_row * @as(isize, @intCast(i)));
                for (0..p.cols) |_| {
                    out[0] = formula.apply(a[0], b[0]);
                    out = strided.offset(out, p.out_col);
                    a = strided.offset(a, p.a_col);
                    b = strided.offset(b, p.b_col);
                }
            }
        }
    };
}

/// What the shader takes.
fn Dispatch(comptime T: type) type {
    return extern struct { out: [*]T, a: [*]const T, b: [*]const T, axes: strided.Axes(3) = undefined };
}

/// The task of `out = name(a, b)`. T is the storage type of the kernel: i32 shares that of u32, since wrapping arithmetic is the same bits.
pub fn Task(comptime T: type, comptime name: []const u8) type {
    return struct {
        const Self = @This();

        walk: strided.Walk(3),
        out: [*]T,
        a: [*]const T,
        b: [*]const T,
        bytes: u64,

        /// In place is the very same view; a partial overlap is an error.
        pub fn init(out: *const Tensor, a: *const Tensor, b: *const Tensor) Error!Self {
            const walk: strided.Walk(3) = try .init(.{ out, a, b });
            try tensor.checkInPlace(out, a);
            try tensor.checkInPlace(out, b);
            return .{
                .walk = walk,
                .out = out.ptr(T),
                .a = a.ptr(T),
                .b = b.ptr(T),
                .bytes = (walk.count +| a.count() +| b.count()) *| @sizeOf(T),
            };
        }

        pub fn dispatch(self: *const Self, d: *const Device) Error!void {
            const shader = name ++ "_" ++ @typeName(T);
            if (comptime !launch.exists(shader)) return error.Unsupported;
            return self.walk.dispatch(d, shader, Dispatch(T){ .out = self.out, .a = self.a, .b = self.b });
        }

        /// One number in the place of `b`; the caller sets its address before the task runs.
        pub fn withNumber(out: *const Tensor, a: *const Tensor) Error!Self {
            if (!out.sameShape(a)) return error.ShapeMismatch;
            try tensor.checkInPlace(out, a);
            var number = a.*;
            number.rank = 0;
            const walk: strided.Walk(3) = try .init(.{ out, a, &number });
            return .{ .walk = walk, .out = out.ptr(T), .a = a.ptr(T), .b = undefined, .bytes = walk.count *| 2 *| @sizeOf(T) };
        }

        pub fn run(self: Self, d: *const Device) void {
            const Run = struct {
                task: *const Self,
                kernel: *const fn (*const Rows(T)) callconv(.c) void,
                fn block(r: @This(), k: strided.Block(3)) void {
                    r.kernel(&.{
                        .out = strided.offset(r.task.out, k.at[0]),
                        .a = strided.offset(r.task.a, k.at[1]),
                        .b = strided.offset(r.task.b, k.at[2]),
                        .rows = k.rows,
                        .cols = k.cols,
                        .out_row = k.row[0],
                        .a_row = k.row[1],
                        .b_row = k.row[2],
                        .out_col = k.col[0],
                        .a_col = k.col[1],
                        .b_col = k.col[2],
                    });
                }
            };
            const pass: device.Pass = .{ .kernel = name ++ "_" ++ @typeName(T) ++ "_rows" };
            const kernel = d.kernel(fn (*const Rows(T)) callconv(.c) void, pass.kernel.?);
            self.walk.run(d, pass, self.bytes, Run{ .task = &self, .kernel = kernel }, Run.block);
        }
    };
}

/// Checks three tensors of one dtype and submits the op's task.
pub fn submit(comptime name: []const u8, d: *const Device, out: *const Tensor, a: *const Tensor, b: *const Tensor) Error!void {
    if (out.dtype != a.dtype or b.dtype != a.dtype) return error.DtypeMismatch;
    switch (a.dtype) {
        .f32 => try d.submit(try Task(f32, name).init(out, a, b)),
        .f64 => try d.submit(try Task(f64, name).init(out, a, b)),
        .i32, .u32 => try d.submit(try Task(u32, name).init(out, a, b)),
    }
}

const testing = std.testing;

/// A test of the op `name` against a plain loop.
pub fn expectPlainLoop(comptime name: []const u8, comptime plain: type) !void {
    inline for (.{ f32, f64, i32, u32 }) |T| try Case(T, name, plain).all();
}

fn Case(comptime T: type, comptime name: []const u8, comptime plain: type) type {
    return struct {
        fn all() !void {
            var prng: std.Random.DefaultPrng = .init(testing.random_seed);
            try lengths(prng.random());
            try layouts(prng.random());
            try border(prng.random());
            try wide(prng.random());
        }

        fn operand(all_: *arrays.Tensors, shape: []const usize, random: std.Random) !u32 {
            const handle = try all_.empty(T, shape);
            fill(arrays.data(T, handle), random);
            return handle;
        }

        fn fill(items: []T, random: std.Random) void {
            for (items) |*x| x.* = switch (@typeInfo(T)) {
                .int => random.int(T),
                else => switch (random.uintLessThan(u32, 16)) {
                    0 => std.math.nan(T),
                    1 => std.math.inf(T),
                    2 => -std.math.inf(T),
                    3 => -0.0,
                    4 => std.math.floatTrueMin(T),
                    5 => std.math.floatMax(T),
                    else => @floatCast(random.floatNorm(f64)),
                },
            };
        }

        /// Runs the op and compares each element of `out`.
        fn expect(workers: u32, out: *const Tensor, a: *const Tensor, b: *const Tensor) !void {
            const n = out.count();
            const wanted = try testing.allocator.alloc(T, n);
            defer testing.allocator.free(wanted);
            const found = try testing.allocator.alloc(T, n);
            defer testing.allocator.free(found);
            for (wanted, 0..) |*x, i| x.* = plain.apply(T, element(out, a, i).*, element(out, b, i).*);
            const d = device.forTest(workers);
            try submit(name, &d, out, a, b);
            for (found, 0..) |*x, i| x.* = element(out, out, i).*;
            try arrays.expectSameBits(T, wanted, found);
        }

        /// Element `i` of `x` broadcast to the shape of `out`, row-major.
        fn element(out: *const Tensor, x: *const Tensor, i: usize) *T {
            var rest = i;
            var at: isize = 0;
            for (0..out.rank) |axis| {
                const index = rest % out.fromEnd(axis);
                rest /= out.fromEnd(axis);
                if (x.fromEnd(axis) != 1) at += x.strideFromEnd(axis) * @as(isize, @intCast(index));
            }
            return &strided.offset(x.ptr(T), at)[0];
        }

        fn lengths(random: std.Random) !void {
            for (arrays.lengths) |n| {
                var all_: arrays.Tensors = .{};
                defer all_.free();
                const out = try tensor.get(try operand(&all_, &.{n}, random));
                const a = try tensor.get(try operand(&all_, &.{n}, random));
                const b = try tensor.get(try operand(&all_, &.{n}, random));
                const one = try tensor.get(try operand(&all_, &.{}, random));
                try expect(1, out, a, b);
                try expect(1, out, a, one);
                try expect(1, out, one, b);
                try expect(1, a, a, b); // in place
                try expect(1, b, a, b);
                try expect(1, a, a, a);
            }
        }

        fn layouts(random: std.Random) !void {
            const shapes = [_][3][]const usize{
                .{ &.{}, &.{}, &.{} },
                .{ &.{ 5, 37 }, &.{ 5, 37 }, &.{37} },
                .{ &.{ 5, 37 }, &.{ 5, 1 }, &.{ 1, 37 } },
                .{ &.{ 5, 37 }, &.{1}, &.{ 5, 37 } },
                .{ &.{ 3, 4, 19 }, &.{ 4, 19 }, &.{ 3, 1, 19 } },
                .{ &.{ 3, 4, 19 }, &.{ 3, 4, 1 }, &.{ 4, 19 } },
                .{ &.{ 2, 3, 2, 1, 2, 3, 2, 5 }, &.{ 2, 1, 2, 1, 1, 3, 1, 5 }, &.{ 3, 1, 1, 2, 1, 2, 5 } },
                .{ &.{ 0, 4 }, &.{ 0, 4 }, &.{4} },
                .{ &.{ 0, 4 }, &.{ 1, 4 }, &.{ 0, 1 } },
                .{ &.{ 4, 0 }, &.{ 4, 0 }, &.{ 1, 0 } },
            };
            for (shapes) |s| for ([_]u32{ 1, 2, 3, 8 }) |workers| {
                var all_: arrays.Tensors = .{};
                defer all_.free();
                const out = try tensor.get(try operand(&all_, s[0], random));
                const a = try tensor.get(try operand(&all_, s[1], random));
                const b = try tensor.get(try operand(&all_, s[2], random));
                try expect(workers, out, a, b);
                try expect(workers, out, b, a);
            };
            // Columns 5…24 of 40 into columns 7…26: the rest of the output stays as it was. Then a transposed operand, then every other column.
            var all_: arrays.Tensors = .{};
            defer all_.free();
            const whole = try operand(&all_, &.{ 20, 40 }, random);
            const source = try operand(&all_, &.{ 20, 40 }, random);
            const b = try tensor.get(try operand(&all_, &.{20}, random));
            const out = try tensor.get(try all_.view(whole, 7, &.{ 20, 20 }, &.{ 40, 1 }));
            const before = try testing.allocator.dupe(T, arrays.data(T, whole));
            defer testing.allocator.free(before);
            const views = [_]u32{
                try all_.view(source, 5, &.{ 20, 20 }, &.{ 40, 1 }),
                try all_.view(source, 0, &.{ 20, 20 }, &.{ 1, 40 }),
                try all_.view(source, 0, &.{ 20, 20 }, &.{ 40, 2 }),
            };
            for (views) |a| {
                for ([_]u32{ 1, 4 }) |workers| {
                    try expect(workers, out, try tensor.get(a), b);
                    try expect(workers, out, b, try tensor.get(a));
                    try expect(workers, out, out, try tensor.get(a));
                }
            }
            for (before, arrays.data(T, whole), 0..) |x, y, i| {
                if (i % 40 < 7 or i % 40 >= 27) try testing.expectEqual(@as([@sizeOf(T)]u8, @bitCast(x)), @as([@sizeOf(T)]u8, @bitCast(y)));
            }
            const d = device.forTest(1);
            const other = try tensor.get(try all_.view(whole, 8, &.{ 20, 20 }, &.{ 40, 1 }));
            try testing.expectError(error.Overlap, submit(name, &d, out, other, b));
            try testing.expectError(error.ShapeMismatch, submit(name, &d, out, b, b));
            try testing.expectError(error.DtypeMismatch, submit(name, &d, out, out, try tensor.get(try all_.empty(if (T == f32) f64 else f32, &.{20}))));
        }

        fn border(random: std.Random) !void {
            for (1..71) |n| {
                var at: arrays.AtBorder(3) = try .init(T, n, 0);
                defer at.free();
                for (&at.tensors) |*t| fill(t.ptr(T)[0..n], random);
                try expect(1, &at.tensors[0], &at.tensors[1], &at.tensors[2]);
            }
        }

        /// Long enough that several workers take part.
        fn wide(random: std.Random) !void {
            var all_: arrays.Tensors = .{};
            defer all_.free();
            const out = try tensor.get(try operand(&all_, &.{ 61, 157 }, random));
            const a = try tensor.get(try operand(&all_, &.{ 61, 157 }, random));
            const row = try tensor.get(try operand(&all_, &.{157}, random));
            for (1..9) |workers| {
                try expect(@intCast(workers), out, a, row);
                try expect(@intCast(workers), out, a, out);
            }
        }
    };
}

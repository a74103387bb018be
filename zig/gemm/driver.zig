//! The matrix product C := epilogue(alpha·A·B + beta·C + bias): how many workers it deserves, which route it takes, and the same for batches. Knows no
//! instruction set; the kernels come from the device.

const std = @import("std");
const kernel = @import("kernel.zig");
const blocking = @import("blocking.zig");
const product = @import("product.zig");
const memory = @import("../memory.zig");
const pool = @import("../parallel/pool.zig");
const resolve = @import("../parallel/resolve.zig");
const Device = @import("../device.zig").Device;

pub const Product = product.Product;
pub const Kernels = product.Kernels;
pub const Epilogue = product.Epilogue;
pub const Route = @import("route.zig").Route;

/// Workers for products that one call computes together.
pub fn workersFor(comptime T: type, d: *const Device, tile: blocking.Tile, products: []const Product(T)) resolve.Decision {
    var mnk: u64 = 0;
    var bytes: u64 = 0;
    var jobs: u64 = 1;
    var by_memory = true;
    for (products) |*p| {
        mnk +|= resolve.work(p.sizes());
        bytes +|= resolve.touched(p.sizes(), @sizeOf(T));
        by_memory = by_memory and product.boundByMemory(T, p);
        jobs = @max(jobs, if (product.boundByMemory(T, p)) product.rowPanels(p.m, 1) *| product.rowPanels(p.n, 64) else product.tiles(tile, p.m, p.n));
    }
    return if (by_memory) resolve.bandwidth(&d.machine, d.request, &d.knobs, bytes, jobs) else d.compute(mnk, jobs);
}

/// Room on the stack for products that need little: no trip to the allocator.
const stack_bytes = 32 << 10;

/// Runs one product on the workers that it deserves.
pub fn multiply(comptime T: type, d: *const Device, p: *const Product(T)) error{OutOfMemory}!void {
    const kernels: Kernels(T) = .of(d);
    // The serial gate first: what is below it needs no other question answered.
    const gated = resolve.work(p.sizes()) < d.knobs.parallel_threshold;
    const workers = if (gated and !product.boundByMemory(T, p)) 1 else workersFor(T, d, kernels.tile, p[0..1]).workers;
    if (workers == 1 and isDirect(T, d, kernels.tile, p)) return direct(T, kernels, p);
    const route: Route(T) = .init(d, kernels, p.*, workers);
    const len = route.scratchLen(workers);
    var stack: [stack_bytes]u8 align(memory.alignment) = undefined;
    const heap = len * @sizeOf(T) > stack_bytes;
    const block = if (heap) try memory.alloc(len * @sizeOf(T)) else &stack;
    defer if (heap) memory.free(block, len * @sizeOf(T));
    const scratch: [*]T = @ptrCast(@alignCast(block));
    if (workers == 1) {
        var alone: pool.Worker = .alone;
        return route.run(scratch, &alone);
    }
    const Region = struct {
        route: *const Route(T),
        scratch: [*]T,
        fn body(r: @This(), w: *pool.Worker) void {
            r.route.run(r.scratch, w);
        }
    };
    pool.run(workers, d.exact(), Region{ .route = &route, .scratch = scratch }, Region.body);
}

/// Whether a product is small and its operands are read where they are: calls of the kernel, no plan, no scratch. A 16×16×16 product took 137 ns that way
/// and 185 with a plan, each in its quietest run.
pub inline fn isDirect(comptime T: type, d: *const Device, tile: blocking.Tile, p: *const Product(T)) bool {
    if (p.m <= 1 or p.n <= 1 or p.k <= 1 or p.k > blocking.kc or p.alpha == 0 or p.b_packed) return false;
    if (p.a_col != 1 or p.b_col != 1 or p.a_row <= 0 or p.b_row <= 0 or p.n % tile.w != 0) return false;
    return blocking.keepB(d.machine.caches.l2, tile, p.m, p.n, p.k, @intCast(p.b_row), @sizeOf(T));
}

inline fn direct(comptime T: type, kernels: Kernels(T), p: *const Product(T)) void {
    const tile = kernels.tile;
    const lda: usize = @intCast(p.a_row);
    const ldb: usize = @intCast(p.b_row);
    kernels.strip(&.{
        .a = p.a,
        .a_form = .k_contiguous,
        .lda = lda,
        .panel_rows = blocking.panelRows(tile, lda, @sizeOf(T)),
        .b = p.b,
        .ldb = ldb,
        .b_next = tile.nr,
        .b_last = p.b + p.n / tile.nr * tile.nr,
        .ldb_last = ldb,
        .b_far = 0,
        .a_far = 0,
        .c = p.c,
        .ldc = p.ldc,
        .rows = p.m,
        .cols = p.n,
        .k = p.k,
        .alpha = p.alpha,
        .beta = p.beta,
        .read_c = @intFromBool(p.beta != 0),
        .closes = @intFromBool(p.bias != null or p.epilogue != .none),
        .bias = p.bias,
        .epilogue = p.epilogue,
    });
}

/// The matrices of one product of a list.
pub fn Item(comptime T: type) type {
    return struct { a: [*]const T, b: [*]const T, c: [*]T };
}

/// Products of one size over a batch: a list of matrices, or its axes, the fastest first, with each operand's strides, 0 where it is broadcast.
pub fn Batch(comptime T: type) type {
    return struct {
        p: Product(T),
        list: ?[]const Item(T) = null,
        rank: usize = 0,
        sizes: [8]usize = undefined,
        a: [8]isize = undefined,
        b: [8]isize = undefined,
        c: [8]isize = undefined,

        pub fn count(self: *const @This()) usize {
            if (self.list) |list| return list.len;
            var n: usize = 1;
            for (self.sizes[0..self.rank]) |size| n *|= size; // more than there can be only where a size of 0 follows
            return n;
        }

        /// Whether no product has an element, however many there are.
        pub fn isEmpty(self: *const @This()) bool {
            return self.p.m == 0 or self.p.n == 0 or self.count() == 0;
        }

        /// How many of the products have an operand of their own, given the operand's strides.
        pub fn distinct(self: *const @This(), strides: *const [8]isize) usize {
            if (self.list) |list| return list.len;
            var n: usize = 1;
            for (self.sizes[0..self.rank], strides[0..self.rank]) |size, stride| {
                if (stride != 0) n *|= size;
            }
            return n;
        }

        fn at(self: *const @This(), index: usize) Product(T) {
            var p = self.p;
            if (self.list) |list| {
                p.a, p.b, p.c = .{ list[index].a, list[index].b, list[index].c };
                return p;
            }
            var rest = index;
            var a: isize = 0;
            var b: isize = 0;
            var c: isize = 0;
            for (0..self.rank) |axis| {
                const i: isize = @intCast(rest % self.sizes[axis]);
                rest /= self.sizes[axis];
                a += i * self.a[axis];
                b += i * self.b[axis];
                c += i * self.c[axis];
            }
            p.a = kernel.step(T, p.a, a);
            p.b = kernel.step(T, p.b, b);
            p.c = @constCast(kernel.step(T, p.c, c));
            return p;
        }
    };
}

/// Runs a batch as its plan says: whole products dealt to the workers, or one after another with all workers inside.
pub fn multiplyBatch(comptime T: type, d: *const Device, batch: *const Batch(T)) error{OutOfMemory}!void {
    const n = batch.count();
    if (n == 0) return;
    if (n == 1) return if (batch.list == null and batch.rank == 0) multiply(T, d, &batch.p) else multiply(T, d, &batch.at(0));
    const sizes = batch.p.sizes();
    const workers: u32 = switch (resolve.batched(&d.machine, d.request, &d.knobs, sizes, n, resolve.touched(sizes, @sizeOf(T)), d.awake(resolve.work(sizes) *| n))) {
        .serial => 1,
        .batch_parallel => |workers| workers,
        .sequential_internal => {
            for (0..n) |i| try multiply(T, d, &batch.at(i));
            return;
        },
    };
    const kernels: Kernels(T) = .of(d);
    const own = d.apart(workers);
    const first: Route(T) = .init(&own, kernels, batch.at(0), 1);
    const whole: Whole(T) = .{ .batch = batch, .d = &own, .kernels = kernels, .len = first.scratchLen(1), .scratch = undefined };
    return whole.run(n, workers);
}

/// Whole products: no barrier inside, each worker packs for itself.
fn Whole(comptime T: type) type {
    return struct {
        const Self = @This();

        batch: *const Batch(T),
        d: *const Device,
        kernels: Kernels(T),
        /// Elements of scratch that a product takes.
        len: usize,
        scratch: [*]T,

        fn run(w: Self, n: usize, workers: u32) error{OutOfMemory}!void {
            const bytes = w.len * @sizeOf(T) * workers;
            const block = try memory.alloc(bytes);
            defer memory.free(block, bytes);
            var self = w;
            self.scratch = @ptrCast(@alignCast(block));
            if (workers == 1) return self.products(0, n);
            const Region = struct {
                all: *const Self,
                n: usize,
                grain: usize,

                fn body(r: @This(), worker: *pool.Worker) void {
                    var mine = r.all.*;
                    mine.scratch += worker.id * mine.len;
                    worker.phase(r.n, r.grain, &mine, products);
                }
            };
            pool.run(workers, w.d.exact(), Region{ .all = &self, .n = n, .grain = w.d.grain(n, workers, 1) }, Region.body);
        }

        fn products(self: *const Self, begin: usize, end: usize) void {
            for (begin..end) |i| {
                const p = self.batch.at(i);
                if (isDirect(T, self.d, self.kernels.tile, &p)) {
                    direct(T, self.kernels, &p);
                    continue;
                }
                const route: Route(T) = .init(self.d, self.kernels, p, 1);
                var alone: pool.Worker = .alone;
                route.run(self.scratch, &alone);
            }
        }
    };
}

const testing = std.testing;
const device = @import("../device.zig");

test "A packed once for all workers gives the bits that each worker's own packing gives" {
    const m, const n, const k = .{ 70, 300, 300 };
    const gpa = testing.allocator;
    const a = try gpa.alloc(f32, k * m);
    defer gpa.free(a);
    const b = try gpa.alloc(f32, k * n);
    defer gpa.free(b);
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    for (a) |*x| x.* = prng.random().floatNorm(f32);
    for (b) |*x| x.* = prng.random().floatNorm(f32);
    var results: [2][]f32 = undefined;
    for (&results, 0..) |*c, i| {
        c.* = try gpa.alloc(f32, m * n);
        var d = device.forTest(3);
        d.knobs.shared_a_workers = if (i == 0) 100 else 2;
        const p: Product(f32) = .{ .m = m, .n = n, .k = k, .a = a.ptr, .a_row = 1, .a_col = m, .b = b.ptr, .b_row = n, .b_col = 1, .c = c.ptr, .ldc = n };
        const plan: @import("tiles.zig").Plan(f32) = .init(&d, .of(&d), p, 3);
        try testing.expectEqual(i == 1, plan.shared_a_len > 0);
        try multiply(f32, &d, &p);
    }
    defer for (results) |c| gpa.free(c);
    try testing.expectEqualSlices(f32, results[0], results[1]);
}

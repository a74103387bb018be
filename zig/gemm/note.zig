//! What the driver would do with a product, noted instead of done: the same decisions, and no arithmetic.

const std = @import("std");
const assert = std.debug.assert;
const driver = @import("driver.zig");
const blocking = @import("blocking.zig");
const Plan = @import("tiles.zig").Plan;
const resolve = @import("../parallel/resolve.zig");
const Device = @import("../device.zig").Device;
const explain = @import("../explain.zig");
const Explanation = explain.Explanation;

/// What a note says beside the product itself.
pub const How = struct {
    /// Which part of its op it is.
    step: ?[]const u8 = null,
    decision: resolve.Decision,
    batch: usize = 1,
    /// Elements that the operands of all products have.
    a_len: usize,
    b_len: usize,
    c_len: usize,
    /// In place of the route's own.
    route: ?explain.Route = null,
    scratch_bytes: ?usize = null,
    jobs: ?usize = null,
    grain: ?usize = null,

    /// One product.
    pub fn one(comptime T: type, p: *const driver.Product(T), step: ?[]const u8, decision: resolve.Decision) How {
        return .{ .step = step, .decision = decision, .a_len = p.m *| p.k, .b_len = p.k *| p.n, .c_len = p.m *| p.n };
    }
};

/// What a route comes to.
const Way = struct {
    kernel: []const u8,
    route: explain.Route,
    jobs: usize,
    grain: usize,
    a: explain.Packing = .@"in place",
    b: explain.Packing = .@"in place",
    tile: bool = false,
    blocking: ?explain.Blocking = null,
    scratch: usize = 0,
};

fn wayOfPlan(comptime T: type, plan: *const Plan(T), tile: blocking.Tile, workers: usize) Way {
    const columns = std.math.divCeil(usize, @min(plan.cut.nc, plan.p.n), tile.nr) catch unreachable;
    const own = plan.own_tiles > 0;
    return .{
        .kernel = "gemm_" ++ @typeName(T) ++ "_strip",
        .route = .tiles,
        .jobs = if (own) std.math.divCeil(usize, plan.p.n, plan.own_tiles * tile.nr) catch unreachable else plan.cut.blocks * columns,
        .grain = if (own) 1 else @min(plan.cut.grain, columns),
        .a = if (plan.a_form != .panels) .@"in place" else if (plan.shared_a_len > 0) .@"packed" else .@"packed by each worker",
        .b = switch (plan.b_form) {
            .packed_here => if (own) .@"packed by each worker" else .@"packed",
            .in_place => .@"in place",
            .prepacked => .prepacked,
        },
        .tile = true,
        .blocking = .{ .mc = plan.cut.mc, .nc = plan.cut.nc, .kc = @min(blocking.kc, plan.p.k) },
        .scratch = plan.scratchLen(workers),
    };
}

fn wayOf(comptime T: type, p: *const driver.Product(T), tile: blocking.Tile, route: *const driver.Route(T), workers: usize) Way {
    const t = @typeName(T);
    return switch (route.*) {
        .nothing => |*x| .{ .kernel = "gemm_" ++ t ++ "_scale", .route = .@"scaling only", .jobs = p.m, .grain = x.grain(workers) },
        .outer => |*x| .{ .kernel = "outer_" ++ t, .route = .outer, .jobs = p.m, .grain = x.grain(workers) },
        .vector => |*v| {
            const x: explain.Packing = if (v.x_step == 1) .@"in place" else .@"packed";
            const matrix: explain.Packing = switch (v.form) {
                .rows => .@"in place",
                .turned => .@"turned in registers",
                .panels => .prepacked,
            };
            return .{
                .kernel = switch (v.form) {
                    .rows => "gemv_" ++ t ++ "_rows",
                    .turned => "gemv_" ++ t ++ "_turned",
                    .panels => "gemv_" ++ t ++ "_panels",
                },
                .route = .gemv,
                .jobs = v.jobs(workers),
                .grain = v.grain(workers),
                .a = if (v.is_row) x else matrix,
                .b = if (v.is_row) matrix else x,
                .scratch = v.scratchLen(workers),
            };
        },
        .tiles => |*plan| wayOfPlan(T, plan, tile, workers),
        .swapped => |*x| {
            var way = wayOfPlan(T, &x.plan, tile, workers);
            way.route = .transposed;
            std.mem.swap(explain.Packing, &way.a, &way.b);
            way.scratch = x.scratchLen(workers);
            return way;
        },
    };
}

/// Notes a product that takes `route`, or is one call of the kernel where there is none.
pub fn product(comptime T: type, e: *Explanation, p: *const driver.Product(T), tile: blocking.Tile, route: ?*const driver.Route(T), how: How) void {
    if (p.m == 0 or p.n == 0) return;
    const nothing = p.k == 0 or p.alpha == 0;
    const workers = how.decision.workers;
    const way: Way = if (route) |r|
        wayOf(T, p, tile, r, workers)
    else
        .{ .kernel = "gemm_" ++ @typeName(T) ++ "_strip", .route = .direct, .jobs = 1, .grain = 1, .tile = true };
    const len = (if (nothing) 0 else how.a_len +| how.b_len) +| how.c_len *| @as(usize, if (p.beta != 0) 2 else 1);
    e.note(.{
        .step = how.step,
        .kernel = way.kernel,
        .workers = workers,
        .tier = how.decision.tier,
        .why = @tagName(how.decision.why),
        .jobs = how.jobs orelse way.jobs,
        .grain = how.grain orelse @min(way.grain, way.jobs),
        .bytes = len *| @sizeOf(T),
        .flops = if (nothing) 0 else 2 *| resolve.work(p.sizes()) *| how.batch,
        .scratch_bytes = how.scratch_bytes orelse way.scratch * @sizeOf(T),
        .product = .{
            .route = how.route orelse way.route,
            .m = p.m,
            .n = p.n,
            .k = p.k,
            .batch = how.batch,
            .tile = if (way.tile) .{ .mr = tile.mr, .nr = tile.nr } else null,
            .blocking = way.blocking,
            .a = way.a,
            .b = way.b,
        },
    });
}

/// Notes what `driver.multiply` does, for each product of a batch.
fn multiply(comptime T: type, d: *const Device, e: *Explanation, p: *const driver.Product(T), each: How) void {
    const kernels: driver.Kernels(T) = .of(d);
    var how = each;
    how.decision = driver.workersFor(T, d, kernels.tile, &.{p.*});
    if (how.decision.workers == 1 and driver.isDirect(T, d, kernels.tile, p)) return product(T, e, p, kernels.tile, null, how);
    const route: driver.Route(T) = .init(d, kernels, p.*, how.decision.workers);
    product(T, e, p, kernels.tile, &route, how);
}

/// Notes what `driver.multiplyBatch` does.
pub fn batch(comptime T: type, d: *const Device, e: *Explanation, b: *const driver.Batch(T)) void {
    const n = b.count();
    if (n == 0) return;
    const p = &b.p;
    var how: How = .{
        .decision = undefined,
        .batch = n,
        .a_len = p.m *| p.k *| b.distinct(&b.a),
        .b_len = p.k *| p.n *| b.distinct(&b.b),
        .c_len = p.m *| p.n *| n,
    };
    if (n == 1) return multiply(T, d, e, p, how);
    const sizes = p.sizes();
    const bytes = resolve.touched(sizes, @sizeOf(T));
    const workers: u32 = switch (resolve.batched(&d.machine, d.request, &d.knobs, sizes, n, bytes, 0)) {
        .serial => 1,
        .batch_parallel => |workers| workers,
        .sequential_internal => {
            how.route = .@"sequential-internal";
            return multiply(T, d, e, p, how);
        },
    };
    // What the plan for whole products has asked.
    how.decision = if (p.m == 1 or p.n == 1)
        resolve.bandwidth(&d.machine, d.request, &d.knobs, bytes *| n, n)
    else
        d.compute(resolve.work(sizes) *| n, n);
    assert(how.decision.workers == workers);
    const kernels: driver.Kernels(T) = .of(d);
    const own = d.apart(workers);
    const route: driver.Route(T) = .init(&own, kernels, p.*, 1);
    how.route = if (workers == 1) .@"batch-serial" else .@"batch-parallel";
    how.scratch_bytes = route.scratchLen(1) * @sizeOf(T) * workers;
    how.jobs = n;
    how.grain = d.grain(n, workers, 1);
    product(T, e, p, kernels.tile, if (driver.isDirect(T, &own, kernels.tile, p)) null else &route, how);
}

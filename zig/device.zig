//! CPU devices: what was asked for when they were made, kept for their life. All share one pool.
//!
//! Two devices made with the same settings are one device. A device is never freed: there are as many as distinct settings.

const std = @import("std");
const builtin = @import("builtin");
const detect = @import("isa/detect.zig");
const pick_ = @import("isa/pick.zig");
const pool = @import("parallel/pool.zig");
const resolve = @import("parallel/resolve.zig");
const topology = @import("parallel/topology.zig");
const cursor = @import("parallel/cursor.zig");
const status = @import("status.zig");
const Mutex = @import("parallel/futex.zig").Mutex;
const Error = status.Error;

pub const Device = struct {
    request: resolve.Request,
    isa: detect.Level,
    knobs: resolve.Knobs,
    cores: u32,
    caches: topology.Caches,

    /// The micro-kernel `name` for this device's instruction set.
    pub inline fn kernel(d: *const Device, comptime Fn: type, comptime name: []const u8) *const Fn {
        return pick_.pick(d.isa, Fn, name);
    }

    /// Runs a task that an entry has checked. Every entry ends here, so that a later recorder can append the task instead.
    pub fn submit(d: *const Device, task: anytype) Error!void {
        const result = task.run(d);
        if (@TypeOf(result) == void) return;
        return result;
    }

    pub fn exact(d: *const Device) bool {
        return d.request == .exactly;
    }

    /// Runs `body(ctx, begin, end)` over chunks of `0..jobs` for a call that touches `bytes` bytes. No chunk but the last has a length that is
    /// not a multiple of `unit`; a body's result must not depend on the cut.
    pub fn overRange(d: *const Device, jobs: usize, unit: usize, bytes: u64, ctx: anytype, comptime body: fn (@TypeOf(ctx), usize, usize) void) void {
        if (jobs == 0) return;
        const units = std.math.divCeil(usize, jobs, unit) catch unreachable;
        const workers = resolve.bandwidth(d.request, d.knobs, d.caches, d.cores, bytes, units);
        if (workers == 1) return body(ctx, 0, jobs);
        const Range = struct {
            jobs: usize,
            grain: usize,
            inner: @TypeOf(ctx),
            fn region(r: @This(), w: *pool.Worker) void {
                w.phase(r.jobs, r.grain, r.inner, body);
            }
        };
        const grain = cursor.grainFor(jobs, workers, @intCast(d.knobs.parallel_oversample), unit);
        pool.run(workers, d.exact(), Range{ .jobs = jobs, .grain = grain, .inner = ctx }, Range.region);
    }
};

const devices_max = 4096;
var devices: [devices_max]Device = undefined;
var made: std.atomic.Value(u32) = .init(0);
var lock: Mutex = .{};

/// The device behind a handle: 1 is the first one made.
pub fn get(handle: u32) Error!*const Device {
    if (handle == 0 or handle > made.load(.acquire)) return error.InvalidDevice;
    return &devices[handle - 1];
}

/// A device for tests: the level under test and an exact number of workers.
pub fn forTest(workers: u32) Device {
    return .{ .request = .{ .exactly = workers }, .isa = pick_.testLevel(), .knobs = .{ .parallel_threshold = 0, .gemv_parallel_bytes = 0 }, .cores = 64, .caches = topology.get().caches };
}

/// Positions in the settings that TypeScript passes; a negative number is "not given".
const Setting = enum { threads, isa, cores, parallel_threshold, par_mnk_per_worker, parallel_oversample, packed_oversample, gemv_parallel_bytes };
const setting_count = std.enums.values(Setting).len;

/// The variable behind a setting, its range, and whether a device may be given its own.
const Knob = struct { variable: [*:0]const u8, low: f64, high: f64 };

fn knob(s: Setting) Knob {
    return switch (s) {
        .threads => .{ .variable = "TILEWORK_THREADS", .low = 0, .high = pool.workers_max },
        .isa => .{ .variable = "TILEWORK_ISA", .low = 0, .high = 3 },
        .cores => .{ .variable = "TILEWORK_CORES", .low = 1, .high = pool.workers_max },
        .parallel_threshold => .{ .variable = "TILEWORK_PARALLEL_THRESHOLD", .low = 0, .high = 9007199254740991 },
        .par_mnk_per_worker => .{ .variable = "TILEWORK_PAR_MNK_PER_WORKER", .low = 1, .high = 9007199254740991 },
        .parallel_oversample => .{ .variable = "TILEWORK_PARALLEL_OVERSAMPLE", .low = 1, .high = 1024 },
        .packed_oversample => .{ .variable = "TILEWORK_PACKED_OVERSAMPLE", .low = 1, .high = 1024 },
        .gemv_parallel_bytes => .{ .variable = "TILEWORK_GEMV_PARALLEL_BYTES", .low = 0, .high = 9007199254740991 },
    };
}

/// The number that stands for a variable's text, or null where there is none. For threads 0 is automatic.
fn parseVariable(s: Setting, text: []const u8) ?f64 {
    if (s == .isa) {
        const level = std.meta.stringToEnum(detect.Level, text) orelse return null;
        return @floatFromInt(@backingInt(level));
    }
    if (s == .threads) {
        if (std.mem.eql(u8, text, "auto")) return 0;
        if (std.mem.eql(u8, text, "serial")) return 1;
    }
    const v = std.fmt.parseInt(u53, text, 10) catch return null;
    if (s == .threads and v == 0) return null; // automatic has a name
    return @floatFromInt(v);
}

/// The value of a setting: given, else from the environment, else null. InvalidArgument with the setting's position where it is out of range.
fn lookUp(given: [*]const f64, s: Setting) Error!?f64 {
    const k = knob(s);
    const i = @backingInt(s);
    var value = given[i];
    if (!(value >= 0)) {
        const text = std.c.getenv(k.variable) orelse return null;
        if (std.mem.span(text).len == 0) return null;
        value = parseVariable(s, std.mem.span(text)) orelse {
            status.detail = .{ @floatFromInt(i), std.math.nan(f64) };
            return error.InvalidArgument;
        };
    }
    if (value < k.low or value > k.high or value != @trunc(value)) {
        status.detail = .{ @floatFromInt(i), value };
        return error.InvalidArgument;
    }
    return value;
}

fn make(given: [*]const f64) Error!u32 {
    const top = topology.get();
    var d: Device = .{ .request = .auto, .isa = detect.best(), .knobs = .{}, .cores = top.cores, .caches = top.caches };
    if (try lookUp(given, .threads)) |v| d.request = switch (@as(u32, @intFromFloat(v))) {
        0 => .auto,
        1 => .serial,
        else => |n| .{ .exactly = n },
    };
    if (try lookUp(given, .isa)) |v| {
        d.isa = @fromBackingInt(@as(u8, @intFromFloat(v)));
        if (!detect.usable(d.isa)) {
            status.detail = .{ @backingInt(Setting.isa), v };
            return error.Unsupported;
        }
    }
    if (try lookUp(given, .cores)) |v| d.cores = @intFromFloat(v);
    inline for (.{ "parallel_threshold", "par_mnk_per_worker", "parallel_oversample", "packed_oversample", "gemv_parallel_bytes" }) |name| {
        if (try lookUp(given, @field(Setting, name))) |v| @field(d.knobs, name) = @intFromFloat(v);
    }
    lock.lock();
    defer lock.unlock();
    const n = made.load(.monotonic);
    for (devices[0..n], 1..) |*other, handle| if (std.meta.eql(other.*, d)) return @intCast(handle);
    if (n == devices_max) return error.OutOfMemory;
    devices[n] = d;
    made.store(n + 1, .release);
    return n + 1;
}

pub const entries = struct {
    /// A CPU device of the given settings, in the order of `Setting`, each negative where it was not given. Answers its handle, or 0.
    pub fn device_new(settings: [*]const f64, count: u32) callconv(.c) u32 {
        if (count != setting_count) return status.handle(error.InvalidArgument);
        return status.handle(make(settings));
    }

    /// What a device holds: request (0 automatic, else workers), instruction set, cores, the knobs, then L1, L2 and L3 bytes.
    pub fn device_describe(out: [*]f64, device: u32) callconv(.c) i32 {
        const d = get(device) catch |e| return status.code(e);
        out[0] = switch (d.request) {
            .auto => 0,
            .serial => 1,
            .exactly => |n| @floatFromInt(n),
        };
        out[1] = @floatFromInt(@backingInt(d.isa));
        out[2] = @floatFromInt(d.cores);
        out[3] = @floatFromInt(d.knobs.parallel_threshold);
        out[4] = @floatFromInt(d.knobs.par_mnk_per_worker);
        out[5] = @floatFromInt(d.knobs.parallel_oversample);
        out[6] = @floatFromInt(d.knobs.packed_oversample);
        out[7] = @floatFromInt(resolve.bandwidthFloor(d.knobs, d.caches));
        out[8] = @floatFromInt(d.caches.l1);
        out[9] = @floatFromInt(d.caches.l2);
        out[10] = @floatFromInt(d.caches.l3);
        return 0;
    }
};

//! Devices: what was asked for when they were made, kept for their life. Those of the CPU share one pool.
//!
//! Two devices made with the same settings are one device. A CPU device is freed when every thread that made it has freed it as often, or has ended; that of
//! a GPU stays.

const std = @import("std");
const builtin = @import("builtin");
const detect = @import("isa/detect.zig");
const environment = @import("environment.zig");
const knobs = @import("knobs.zig");
const pick_ = @import("isa/pick.zig");
const futex = @import("parallel/futex.zig");
const pool = @import("parallel/pool.zig");
const resolve = @import("parallel/resolve.zig");
const Stream = @import("parallel/stream.zig").Stream;
const topology = @import("parallel/topology.zig");
const cursor = @import("parallel/cursor.zig");
const explain = @import("explain.zig");
const tensor = @import("tensor.zig");
const Gpu = @import("gpu/vulkan/gpu.zig").Gpu;
const status = @import("status.zig");
const Mutex = futex.Mutex;
const Error = status.Error;

pub const Device = struct {
    request: resolve.Request,
    isa: detect.Level,
    knobs: resolve.Knobs,
    machine: resolve.Machine,
    /// What computes in the place of this processor.
    gpu: ?*Gpu = null,
    /// Where a call notes what it would do, instead of doing it.
    explanation: ?*explain.Explanation = null,

    /// The micro-kernel `name` for this device's instruction set.
    pub inline fn kernel(d: *const Device, comptime Fn: type, comptime name: []const u8) *const Fn {
        return pick_.pick(d.isa, Fn, name);
    }

    /// Runs a task that an entry has checked. Every entry ends here, so that a later recorder can append the task instead. A task whose
    /// sizes are divided by, or walked over though nothing lies there, has an `isEmpty`: none that answers true goes on, on any device.
    pub fn submit(d: *const Device, task: anytype) Error!void {
        if (@hasDecl(TaskOf(@TypeOf(task)), "isEmpty")) if (task.isEmpty()) return d.skip();
        if (d.gpu != null) return d.dispatch(task);
        if (d.explanation) |e| return d.told(task, e);
        const result = task.run(d);
        if (@TypeOf(result) == void) return;
        return result;
    }

    /// Records a task on the GPU: by its own `dispatch(d)`. One that has none has no shader.
    noinline fn dispatch(d: *const Device, task: anytype) Error!void {
        if (!@hasDecl(TaskOf(@TypeOf(task)), "dispatch")) return error.Unsupported;
        // Where a driver ends long loops, a call whose loops would be too long is found by explaining it first: nothing of it has been recorded then.
        if (d.gpu.?.adapter.rounds_max < std.math.maxInt(usize) and !d.explains()) {
            var notes: explain.Explanation = .{ .isa = null, .cores = d.machine.cores, .pool_classes = d.machine.pool_classes, .knobs = d.knobs };
            var alike = d.*;
            alike.explanation = &notes;
            try task.dispatch(&alike);
        }
        try task.dispatch(d);
        if (d.explains()) return error.Explained;
    }

    /// Explains a task: by its own `explain(d, e)` where it has one; others run, and `overRange` notes what it is asked for.
    noinline fn told(d: *const Device, task: anytype, e: *explain.Explanation) Error!void {
        const result = if (@hasDecl(TaskOf(@TypeOf(task)), "explain")) task.explain(d, e) else task.run(d);
        if (@TypeOf(result) != void) try result;
        return if (e.count == 0) d.skip() else error.Explained;
    }

    /// What is left of a call that has nothing to do.
    fn skip(d: *const Device) Error!void {
        const e = d.explanation orelse return;
        e.note(.{ .workers = 0, .why = "nothing", .bytes = 0 });
        return error.Explained;
    }

    fn TaskOf(comptime Given: type) type {
        return switch (@typeInfo(Given)) {
            .pointer => |p| p.child,
            else => Given,
        };
    }

    /// Whether an entry may look at what tensors hold: not where a call is only explained, nor in a GPU's memory.
    pub inline fn sees(d: *const Device) bool {
        return d.gpu == null and !d.explains();
    }

    /// Whether this device only notes what it would do. What a task computes outside `overRange` has to ask.
    pub inline fn explains(d: *const Device) bool {
        return d.explanation != null;
    }

    pub fn exact(d: *const Device) bool {
        return d.request == .exactly;
    }

    /// The device as each of some workers sees it that share nothing, with its share of the second level.
    pub fn apart(d: *const Device, workers: usize) Device {
        var own = d.*;
        own.machine.caches.l2 = d.machine.caches.l2Of(workers);
        own.machine.caches.l2_sharers = 1;
        return own;
    }

    /// Jobs of a chunk that a worker claims, a multiple of `unit`: `parallel_oversample` chunks for each worker, or all jobs for one.
    pub fn grain(d: *const Device, jobs: usize, workers: usize, unit: usize) usize {
        return if (workers == 1) jobs else cursor.grainFor(jobs, workers, @intCast(d.knobs.parallel_oversample), unit);
    }

    /// Workers for a compute-bound call of `mnk` multiply-adds that can be cut into `jobs` jobs. To be asked once for a call.
    pub fn compute(d: *const Device, mnk: u64, jobs: u64) resolve.Decision {
        return resolve.compute(&d.machine, d.request, &d.knobs, mnk, jobs, d.awake(mnk));
    }

    /// Threads that a call of `mnk` multiply-adds may count on as awake: those that are, or all where a stream of such calls has lasted long enough for
    /// them to be woken. An explained call counts on none.
    pub fn awake(d: *const Device, mnk: u64) u32 {
        if (!resolve.mindsAwake(&d.machine, d.request, &d.knobs, mnk) or d.explains()) return 0;
        const all = d.machine.cores - 1;
        const n = pool.awake(all);
        if (n > 0) {
            stream.found();
            return n;
        }
        return if (stream.wakes(futex.monotonic_ns())) all else 0;
    }

    /// The calls of this thread that would rather have threads awake.
    threadlocal var stream: Stream = .{};

    /// Runs `body(ctx, begin, end)` over chunks of `0..jobs` for a call that touches `bytes` bytes. No chunk but the last has a length that is
    /// not a multiple of `unit`; a body's result must not depend on the cut.
    pub fn overRange(
        d: *const Device,
        comptime pass: Pass,
        jobs: usize,
        unit: usize,
        bytes: u64,
        ctx: anytype,
        comptime body: fn (@TypeOf(ctx), usize, usize) void,
    ) void {
        if (jobs == 0) return;
        const units = std.math.divCeil(usize, jobs, unit) catch unreachable;
        const decision = resolve.bandwidth(&d.machine, d.request, &d.knobs, bytes *| pass.weight, units);
        const workers = decision.workers;
        if (d.explanation) |e| return d.noteRange(e, pass, jobs, unit, bytes, decision);
        if (workers == 1) return body(ctx, 0, jobs);
        const Range = struct {
            jobs: usize,
            grain: usize,
            inner: @TypeOf(ctx),
            fn region(r: @This(), w: *pool.Worker) void {
                w.phase(r.jobs, r.grain, r.inner, body);
            }
        };
        pool.run(workers, d.exact(), Range{ .jobs = jobs, .grain = d.grain(jobs, workers, unit), .inner = ctx }, Range.region);
    }

    noinline fn noteRange(
        d: *const Device,
        e: *explain.Explanation,
        pass: Pass,
        jobs: usize,
        unit: usize,
        bytes: u64,
        decision: resolve.Decision,
    ) void {
        const workers = decision.workers;
        e.note(.{
            .step = pass.step,
            .kernel = pass.kernel,
            .workers = workers,
            .tier = decision.tier,
            .why = @tagName(decision.why),
            .jobs = jobs,
            .grain = d.grain(jobs, workers, unit),
            .bytes = bytes,
            .weight = pass.weight,
        });
    }
};

/// What runs over a range: what it is called where a call is explained, and what its bytes count.
pub const Pass = struct {
    /// The micro-kernel without its instruction set; null where there is none.
    kernel: ?[]const u8,
    /// The part of its op, where that has several.
    step: ?[]const u8 = null,
    /// How many bytes that are only copied one of this pass stands for, its arithmetic being dear.
    weight: u64 = 1,
};

/// A handle is a place in the table below a generation, which is never 0, below the bit that explains.
const place_bits = 12;
const places = 1 << place_bits;
const generation_max = (1 << (31 - place_bits)) - 1;
/// Places that only the device of default settings and those of GPUs may take: whatever a program does with `cpuDevice`, these can be had.
const reserved = 64;
const Place = struct {
    /// The handle of the device, or 0. Published last.
    live: std.atomic.Value(u32) = .init(0),
    device: ?*Device = null,
};
var table: [places]Place = @splat(.{});
/// Guards everything below, and the table's changes.
var lock: Mutex = .{};
/// Generations of the places that were taken.
var generations: [places]u32 = @splat(0);
/// How many places were ever taken, and where the search for a free one goes on: a place rests as long as others are free.
var taken_once: u32 = 0;
var next_place: u32 = 0;
var live_count: u32 = 0;
/// How often each thread that has made a device has made it and not freed it.
const Reference = struct { handle: u32, thread: u32, count: u32 };
var references: std.ArrayList(Reference) = .empty;

/// The device behind a handle. With the highest bit set it is this thread's explaining copy of that device. No lock: who names a device has a reference.
pub fn get(handle: u32) Error!*const Device {
    const place = &table[handle % places];
    if (handle == 0 or place.live.load(.acquire) != handle) return explaining(handle);
    const d = place.device.?;
    tensor.place = d.gpu;
    return d;
}

const explain_bit = 1 << 31;
threadlocal var explaining_copy: Device = undefined;

noinline fn explaining(handle: u32) Error!*const Device {
    const plain = handle & ~@as(u32, explain_bit);
    if (handle == plain or plain == 0 or table[plain % places].live.load(.acquire) != plain) return error.InvalidDevice;
    const notes = explain.notes orelse return error.InvalidDevice;
    explaining_copy = table[plain % places].device.?.*;
    tensor.place = explaining_copy.gpu;
    const machine = &explaining_copy.machine;
    notes.* = .{ .isa = if (explaining_copy.gpu == null) explaining_copy.isa else null, .cores = machine.cores, .pool_classes = machine.pool_classes, .knobs = explaining_copy.knobs };
    notes.knobs.gemv_parallel_bytes = resolve.bandwidthFloor(machine, &notes.knobs);
    explaining_copy.explanation = notes;
    return &explaining_copy;
}

test "device: an explaining copy is there while its thread explains, and notes instead of working" {
    const plain = defaultForTest();
    try std.testing.expectError(error.InvalidDevice, get(plain | explain_bit));
    try std.testing.expectEqual(0, explain.entries.explain_begin());
    const d = try get(plain | explain_bit);
    try std.testing.expect(d.explains() and !(try get(plain)).explains());
    try std.testing.expectError(error.InvalidDevice, get(explain_bit));
    try std.testing.expectError(error.InvalidDevice, get(explain_bit | 4000));
    const Task = struct {
        pub fn run(_: @This(), on: *const Device) void {
            on.overRange(.{ .kernel = "none_f32_rows" }, 100, 1, 400, @as(void, {}), work);
        }
        fn work(_: void, _: usize, _: usize) void {
            unreachable;
        }
    };
    try std.testing.expectError(error.Explained, d.submit(Task{}));
    const e = d.explanation.?;
    try std.testing.expectEqual(1, e.count);
    try std.testing.expectEqualStrings("none_f32_rows", e.steps[0].kernel.?);
    try std.testing.expectEqual(100, e.steps[0].jobs);
    // The next call notes afresh.
    try std.testing.expectEqual(0, (try get(plain | explain_bit)).explanation.?.count);
    explain.entries.explain_end();
    try std.testing.expectError(error.InvalidDevice, get(plain | explain_bit));
}

/// The handle of a device of default settings, for tests of entries.
pub fn defaultForTest() u32 {
    const given: [knobs.table.len]f64 = @splat(-1);
    return entries.device_new(&given, given.len);
}

/// A device for tests: the level under test and an exact number of workers.
pub fn forTest(workers: u32) Device {
    return .{
        .request = .{ .exactly = workers },
        .isa = pick_.testLevel(),
        .knobs = .{ .parallel_threshold = 0, .gemv_parallel_bytes = 0 },
        .machine = .init(64, resolve.pool_classes_default, topology.get().caches),
    };
}

/// The variables that hold for the whole process, as they were when a device first looked at them; null where unset. Guarded by `lock`.
var of_process: [knobs.table.len]??u64 = @splat(null);

/// The value of a setting: given, else from the environment, else null. InvalidArgument leaves the setting's position behind, and what was given, or NaN
/// where the fault is in the variable.
fn lookUp(given: [*]const f64, comptime name: []const u8) Error!?u64 {
    const i = comptime knobs.position(name);
    const s = knobs.table[i];
    const value = given[i];
    if (!(value < 0)) {
        if (s.allows(value)) return @intFromFloat(value);
        status.detail = .{ i, value };
        return error.InvalidArgument;
    }
    if (s.of_process) if (of_process[i]) |known| return known;
    const read: ?u64 = read: {
        var buffer: environment.Buffer = undefined;
        const text = environment.get(knobs.variable(name), &buffer) orelse break :read null;
        break :read s.parse(text) orelse {
            status.detail = .{ i, std.math.nan(f64) };
            return error.InvalidArgument;
        };
    };
    if (s.of_process) of_process[i] = read;
    return read;
}

fn make(given: [*]const f64) Error!u32 {
    lock.lock();
    defer lock.unlock();
    const top = topology.get();
    var d: Device = .{ .request = .auto, .isa = detect.best(), .knobs = .{}, .machine = undefined };
    if (try lookUp(given, "threads")) |n| d.request = switch (n) {
        0 => .auto,
        1 => .serial,
        else => .{ .exactly = @intCast(n) },
    };
    if (try lookUp(given, "isa")) |n| {
        d.isa = @fromBackingInt(@as(u8, @intCast(n)));
        if (!detect.usable(d.isa)) {
            status.detail = .{ knobs.position("isa"), @floatFromInt(n) };
            return error.Unsupported;
        }
    }
    const cores = try lookUp(given, "cores") orelse top.cores;
    const classes = try lookUp(given, "pool_classes") orelse resolve.pool_classes_default;
    d.machine = .init(@intCast(cores), @intCast(@min(classes, resolve.tiers_max)), top.caches);
    inline for (comptime std.meta.fieldNames(resolve.Knobs)) |name| {
        if (try lookUp(given, name)) |n| @field(d.knobs, name) = n;
    }
    const thread = try tensor.thisThread(&releaseOfThread);
    try references.ensureUnusedCapacity(std.heap.c_allocator, 1);
    const of_defaults = for (given[0..knobs.table.len]) |value| {
        if (!(value < 0)) break false;
    } else true;
    const handle = find(d) orelse try add(d, if (of_defaults) 0 else reserved);
    for (references.items) |*r| {
        if (r.handle != handle or r.thread != thread) continue;
        r.count += 1;
        return handle;
    }
    references.appendAssumeCapacity(.{ .handle = handle, .thread = thread, .count = 1 });
    return handle;
}

/// The device of a GPU.
pub fn ofGpu(g: *Gpu) Error!u32 {
    lock.lock();
    defer lock.unlock();
    const d: Device = .{ .request = .serial, .isa = .portable, .knobs = .{}, .machine = .init(1, 0, topology.get().caches), .gpu = g };
    return find(d) orelse try add(d, 0);
}

/// The handle of the device that is like this one. The lock is held.
fn find(d: Device) ?u32 {
    for (table[0..taken_once]) |*place| {
        const handle = place.live.load(.monotonic);
        if (handle != 0 and std.meta.eql(place.device.?.*, d)) return handle;
    }
    return null;
}

/// A handle for a device, which leaves so many places free. The lock is held. OutOfMemory leaves the number of devices behind where that is the reason.
fn add(d: Device, spare: u32) Error!u32 {
    status.detail = .{ 0, 0 };
    if (live_count >= places - spare) {
        status.detail = .{ @floatFromInt(live_count), 0 };
        return error.OutOfMemory;
    }
    const device = std.heap.c_allocator.create(Device) catch return error.OutOfMemory;
    device.* = d;
    while (table[next_place].live.load(.monotonic) != 0) next_place = (next_place + 1) % places;
    const place = next_place;
    next_place = (next_place + 1) % places;
    taken_once = @max(taken_once, place + 1);
    generations[place] = generations[place] % generation_max + 1;
    table[place].device = device;
    live_count += 1;
    const handle = generations[place] << place_bits | place;
    table[place].live.store(handle, .release);
    return handle;
}

/// Takes back one reference of this thread.
fn release(handle: u32) Error!void {
    lock.lock();
    defer lock.unlock();
    const thread = try tensor.thisThread(&releaseOfThread);
    for (references.items, 0..) |*r, i| {
        if (r.handle != handle or r.thread != thread) continue;
        r.count -= 1;
        if (r.count == 0) forget(i);
        return;
    }
    return error.InvalidDevice;
}

/// Takes back all references of a thread that ends.
fn releaseOfThread(thread: u32) void {
    lock.lock();
    defer lock.unlock();
    var i = references.items.len;
    while (i > 0) {
        i -= 1;
        if (references.items[i].thread == thread) forget(i);
    }
}

/// Removes a thread's references to a device, and the device with the last ones. The lock is held.
fn forget(index: usize) void {
    const handle = references.swapRemove(index).handle;
    for (references.items) |r| if (r.handle == handle) return;
    const place = &table[handle % places];
    place.live.store(0, .release);
    std.heap.c_allocator.destroy(place.device.?);
    live_count -= 1;
}

test "device: a device is freed with its last reference, and its handle names no later one" {
    var given: [knobs.table.len]f64 = @splat(-1);
    const at = knobs.position("parallel_threshold");
    given[at] = 123;
    const first = entries.device_new(&given, given.len);
    try std.testing.expectEqual(first, entries.device_new(&given, given.len));
    try std.testing.expectEqual(0, entries.device_free(first));
    try std.testing.expectEqual(123, (try get(first)).knobs.parallel_threshold);
    try std.testing.expectEqual(0, entries.device_free(first));
    const invalid = status.code(error.InvalidDevice);
    try std.testing.expectError(error.InvalidDevice, get(first));
    try std.testing.expectEqual(invalid, entries.device_free(first));
    // More than a round of the table: the place is taken again, by another handle.
    for (0..places + 10) |i| {
        given[at] = @floatFromInt(i);
        const handle = entries.device_new(&given, given.len);
        try std.testing.expect(handle != 0 and handle != first);
        try std.testing.expectEqual(i, (try get(handle)).knobs.parallel_threshold);
        try std.testing.expectEqual(0, entries.device_free(handle));
    }
    try std.testing.expectError(error.InvalidDevice, get(first));
    for ([_]u32{ 0, explain_bit, generation_max << place_bits, std.math.maxInt(u32) }) |forged| try std.testing.expectEqual(invalid, entries.device_free(forged));
}

test "device: too many fail by themselves, and the default one can still be had" {
    var given: [knobs.table.len]f64 = @splat(-1);
    const at = knobs.position("par_mnk_per_worker");
    var made: std.ArrayList(u32) = .empty;
    defer made.deinit(std.testing.allocator);
    defer for (made.items) |handle| std.debug.assert(entries.device_free(handle) == 0);
    while (made.items.len < places) {
        given[at] = @floatFromInt(made.items.len + 1);
        const handle = entries.device_new(&given, given.len);
        if (handle == 0) break;
        try made.append(std.testing.allocator, handle);
    }
    try std.testing.expectEqual(status.code(error.OutOfMemory), status.last);
    try std.testing.expect(made.items.len < places and made.items.len > places / 2);
    const default = defaultForTest();
    try std.testing.expect((try get(default)).knobs.par_mnk_per_worker != 0);
    given[at] = 1;
    try std.testing.expectEqual(made.items[0], entries.device_new(&given, given.len));
    try std.testing.expectEqual(0, entries.device_free(made.items[0]));
}

test "device: what a thread that ends has not freed is freed with it" {
    const Other = struct {
        fn work(both: *u32, own: *u32) void {
            var given: [knobs.table.len]f64 = @splat(-1);
            given[knobs.position("full_width_mnk")] = 5;
            both.* = entries.device_new(&given, given.len);
            given[knobs.position("full_width_mnk")] = 6;
            own.* = entries.device_new(&given, given.len);
            _ = entries.device_new(&given, given.len);
        }
    };
    var given: [knobs.table.len]f64 = @splat(-1);
    given[knobs.position("full_width_mnk")] = 5;
    const mine = entries.device_new(&given, given.len);
    var both: u32 = undefined;
    var own: u32 = undefined;
    const thread = try std.Thread.spawn(.{}, Other.work, .{ &both, &own });
    thread.join();
    try std.testing.expectEqual(mine, both);
    try std.testing.expectEqual(5, (try get(mine)).knobs.full_width_mnk);
    try std.testing.expectError(error.InvalidDevice, get(own));
    try std.testing.expectEqual(0, entries.device_free(mine));
    try std.testing.expectError(error.InvalidDevice, get(mine));
}

/// What a setting came to.
fn resolved(d: *const Device, comptime name: []const u8) u64 {
    if (comptime std.mem.eql(u8, name, "threads")) return switch (d.request) {
        .auto => 0,
        .serial => 1,
        .exactly => |n| n,
    };
    if (comptime std.mem.eql(u8, name, "isa")) return @backingInt(d.isa);
    if (comptime std.mem.eql(u8, name, "cores")) return d.machine.cores;
    if (comptime std.mem.eql(u8, name, "pool_classes")) return d.machine.pool_classes;
    if (comptime std.mem.eql(u8, name, "gemv_parallel_bytes")) return resolve.bandwidthFloor(&d.machine, &d.knobs);
    return @field(d.knobs, name);
}

/// Numbers that describe a device: its settings in the order of the table, L1, L2 and L3 bytes, the widths of its tiers, 0 where there is none; then of the
/// machine its processors, the quota or -1, and of each kind of cores their number, speed, L1, L2 and L3 bytes.
pub const description_len = knobs.table.len + 3 + resolve.tiers_max + 2 + 5 * topology.classes_max;

pub const entries = struct {
    /// A CPU device of the given settings, in the order of the table in knobs.zig, each negative where it was not given. Answers its handle, or 0.
    pub fn device_new(settings: [*]const f64, count: u32) callconv(.c) u32 {
        if (count != knobs.table.len) return status.handle(error.InvalidArgument);
        return status.handle(make(settings));
    }

    /// Gives back what `device_new` answered; with as many as it has answered, in each thread, the device is gone. InvalidDevice where this thread has none.
    pub fn device_free(device: u32) callconv(.c) i32 {
        return status.of(release(device));
    }

    /// Copies the text of a setting's variable as far as it fits, for the message that refuses it: under --allow-ffi alone TypeScript cannot read it.
    /// Answers how many bytes were copied.
    pub fn device_variable(out: [*]u8, capacity: u32, setting: u32) callconv(.c) u32 {
        inline for (knobs.table, 0..) |s, i| if (i == setting) {
            var buffer: environment.Buffer = undefined;
            const text = environment.get(knobs.variable(s.name), &buffer) orelse return 0;
            const len = @min(text.len, capacity);
            @memcpy(out[0..len], text[0..len]);
            return @intCast(len);
        };
        return 0;
    }

    /// What a device holds: see `description_len`.
    pub fn device_describe(out: [*]f64, count: u32, device: u32) callconv(.c) i32 {
        const d = get(device) catch |e| return status.code(e);
        if (count != description_len) return status.code(error.InvalidArgument);
        inline for (knobs.table, 0..) |s, i| out[i] = @floatFromInt(resolved(d, s.name));
        const caches = d.machine.caches;
        const rest = [_]usize{ caches.l1, caches.l2, caches.l3 } ++ d.machine.tier_buffer;
        for (out[knobs.table.len..][0..rest.len], rest) |*o, value| o.* = @floatFromInt(value);
        const top = topology.get();
        const machine = out[knobs.table.len + rest.len ..];
        machine[0] = @floatFromInt(top.processors);
        machine[1] = top.quota orelse -1;
        for (&top.classes, 0..) |class, i| {
            const used = i < top.class_count;
            const row = [_]usize{ if (used) class.cores else 0, class.capacity, class.caches.l1, class.caches.l2, class.caches.l3 };
            for (machine[2 + 5 * i ..][0..5], row) |*o, value| o.* = @floatFromInt(value);
        }
        return 0;
    }
};

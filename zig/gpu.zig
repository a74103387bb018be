//! GPUs: what there is, which one is meant, and the entries that only they have. Ops reach a GPU through `Device.submit`.

const std = @import("std");
const builtin = @import("builtin");
const choice = @import("gpu/choice.zig");
const device = @import("device.zig");
const environment = @import("environment.zig");
const instance = @import("gpu/vulkan/instance.zig");
const launch = @import("gpu/launch.zig");
const Scratch = @import("gpu/scratch.zig").Scratch;
const status = @import("status.zig");
const tensor = @import("tensor.zig");
const Gpu = @import("gpu/vulkan/gpu.zig").Gpu;
const Mutex = @import("parallel/futex.zig").Mutex;
const Error = status.Error;

var lock: Mutex = .{};
var opened: [instance.adapters_max]?*Gpu = @splat(null);

/// The GPU of an adapter, opened once; one that was lost is opened anew.
fn open(index: u32) Error!u32 {
    const system = instance.system();
    if (index >= system.count) return error.InvalidArgument;
    lock.lock();
    defer lock.unlock();
    const known = opened[index];
    const g = if (known != null and !known.?.lost.load(.acquire)) known.? else try Gpu.open(index);
    opened[index] = g;
    if (g.adapter.kind() == .software) try leaveQuietly(g);
    return device.ofGpu(g);
}

var leaves_quietly: bool = false;

/// A processor that plays a GPU works on threads of this process. They must be done before the exit of the process takes apart what the driver's compiler
/// holds: without that, a third of the programs that ended with work under way were aborted inside LLVM. What is registered last is called first, and the
/// compiler registers its own as it is first used: so it is used first. Windows ends threads before it gets there, and devices of their own do not care.
fn leaveQuietly(g: *Gpu) Error!void {
    if (leaves_quietly or builtin.os.tag == .windows) return;
    try g.warm();
    leaves_quietly = __cxa_atexit(finishAll, null, null) == 0;
}

extern "c" fn __cxa_atexit(handler: *const fn (?*anyopaque) callconv(.c) void, argument: ?*anyopaque, library: ?*anyopaque) c_int;

fn finishAll(_: ?*anyopaque) callconv(.c) void {
    status.endProcess();
    for (opened) |known| if (known) |g| if (g.adapter.kind() == .software) g.leave();
}

fn candidates(system: *const instance.System, list: *[instance.adapters_max]choice.Candidate) []const choice.Candidate {
    for (list[0..system.count], system.adapters[0..system.count]) |*c, *a| {
        c.* = .{ .kind = a.kind(), .name = a.name(), .uuid = a.uuid, .usable = a.family != null and a.unusable.len == 0, .memory_bytes = a.memoryBytes() };
    }
    return list[0..system.count];
}

fn of(handle: u32) Error!*Gpu {
    return (try device.get(handle)).gpu orelse error.InvalidDevice;
}

/// A ticket that was given out: nobody waits for one that never comes.
fn ticketOf(g: *Gpu, value: f64) Error!u64 {
    if (!(value >= 0 and value < 9007199254740992.0)) return error.InvalidArgument;
    const ticket: u64 = @intFromFloat(value);
    return if (g.gave(ticket)) ticket else error.InvalidArgument;
}

fn create(device_: u32, dtype: u32, rank: u32, sizes: [*]const f64) Error!u32 {
    return tensor.newChecked(try of(device_), dtype, rank, sizes);
}

fn submitOn(device_: u32) Error!f64 {
    return @floatFromInt(try (try of(device_)).flush());
}

fn reachedOn(device_: u32, ticket: f64) Error!i32 {
    const g = try of(device_);
    return @intFromBool(try g.reached(try ticketOf(g, ticket)));
}

fn waitOn(device_: u32, ticket: f64) Error!void {
    const g = try of(device_);
    try g.wait(try ticketOf(g, ticket));
}

fn beginSpanOn(device_: u32) Error!i32 {
    return @intCast(try (try of(device_)).beginSpan());
}

fn endSpanOn(device_: u32, span: u32) Error!void {
    try (try of(device_)).endSpan(span);
}

fn spanSecondsOn(device_: u32, span: u32) Error!f64 {
    return (try of(device_)).spanSeconds(span);
}

fn freeSpanOn(device_: u32, span: u32) Error!void {
    (try of(device_)).freeSpan(span);
}

fn trimOn(device_: u32) Error!void {
    try (try of(device_)).trim();
}

/// What the shader `peak_f32` takes, and the operations that a thread of it does in an iteration: shaders/peak.slang has eight steps of eight chains.
const Loop = extern struct { out: [*]f32, jobs: u32, iterations: u32, a: f32 = 0.5, b: f32 = 0.25 };
const loop_flops = 2 * 8 * 8;

fn multiplyAddOn(device_: u32, groups: u32, iterations: u32) Error!f64 {
    const d = try device.get(device_);
    if (d.gpu == null) return error.InvalidDevice;
    if (groups == 0 or iterations == 0) return error.InvalidArgument;
    const threads: u64 = @as(u64, groups) * launch.threads("peak_f32");
    const flops = threads * iterations *| loop_flops;
    const sums: Scratch = try .init(d, threads * @sizeOf(f32));
    defer sums.deinit();
    try launch.launch(d, "peak_f32", Loop{ .out = sums.ptr(f32), .jobs = groups, .iterations = iterations }, .{ .groups = groups, .cost = flops, .rounds = iterations });
    return @floatFromInt(flops);
}

fn copyOn(device_: u32, out: u32, x: u32) Error!void {
    const g = try of(device_);
    const to = try tensor.get(out);
    const from = try tensor.get(x);
    if (to.dtype != from.dtype) return error.DtypeMismatch;
    if (!to.sameShape(from)) return error.ShapeMismatch;
    if (!to.contiguous() or !from.contiguous()) return error.LayoutMismatch;
    try tensor.checkApart(to, from);
    const bytes = to.count() * to.dtype.bytes();
    if (bytes > 0) try g.copy(@intFromPtr(to.data), @intFromPtr(from.data), bytes);
}

/// Numbers of a description: kind, usable, bytes of memory, longest tensor in bytes, shared memory of a workgroup, threads of a workgroup, workgroups,
/// subgroup width, and whether the instance validates.
const description_len = 9;

pub const entries = struct {
    /// GPUs that the system lists, usable or not.
    pub fn gpu_count() callconv(.c) u32 {
        return @intCast(instance.system().count);
    }

    /// Numbers that describe a GPU: see `description_len`.
    pub fn gpu_describe(out: [*]f64, count: u32, index: u32) callconv(.c) i32 {
        const system = instance.system();
        if (count != description_len or index >= system.count) return status.code(error.InvalidArgument);
        const a = &system.adapters[index];
        const limits = &a.properties.limits;
        out[0..description_len].* = .{
            @floatFromInt(@backingInt(a.kind())),
            @floatFromInt(@intFromBool(a.family != null and a.unusable.len == 0)),
            @floatFromInt(a.memoryBytes()),
            @floatFromInt(a.tensorBytesMax()),
            @floatFromInt(limits.compute_shared_memory_size),
            @floatFromInt(limits.compute_work_group_invocations),
            @floatFromInt(limits.compute_work_group_count[0]),
            @floatFromInt(a.subgroup_size),
            @floatFromInt(@intFromBool(system.validated)),
        };
        return 0;
    }

    /// Copies a text as far as it fits and answers its length there: 0 the name of a GPU, 1 its UUID, 2 why it cannot be used, 3 why there is none,
    /// 4 the last message of the validation layer.
    pub fn gpu_text(out: [*]u8, capacity: u32, index: u32, which: u32) callconv(.c) u32 {
        const system = instance.system();
        if (which == 4) return @intCast(instance.lastMessage(out[0..capacity]));
        var digits: [32]u8 = undefined;
        const text: []const u8 = switch (which) {
            3 => system.reason,
            else => if (index >= system.count) "" else switch (which) {
                0 => system.adapters[index].name(),
                1 => std.fmt.bufPrint(&digits, "{x}", .{&system.adapters[index].uuid}) catch "",
                else => system.adapters[index].unusable,
            },
        };
        const len = @min(text.len, capacity);
        @memcpy(out[0..len], text[0..len]);
        return @intCast(len);
    }

    /// The index of the GPU that is meant: by an index unless negative, else by text of `len` bytes, else by the variable TILEWORK_GPU, else the best one.
    /// -1 where there is none.
    pub fn gpu_choose(text: [*]const u8, len: u32, index: f64) callconv(.c) i32 {
        const system = instance.system();
        var list: [instance.adapters_max]choice.Candidate = undefined;
        var buffer: environment.Buffer = undefined;
        const wish: choice.Wish = if (index >= 0)
            .{ .index = if (index < 4096) @intFromFloat(index) else 4096 }
        else if (len > 0)
            .{ .text = text[0..len] }
        else if (environment.get("TILEWORK_GPU", &buffer)) |variable|
            .{ .text = variable }
        else
            .best;
        return @intCast(choice.choose(candidates(system, &list), wish) orelse return -1);
    }

    /// The device of a GPU, or 0.
    pub fn gpu_open(index: u32) callconv(.c) u32 {
        return status.handle(open(index));
    }

    /// As `tensor_new`, in the memory of a GPU.
    pub fn gpu_tensor(device_: u32, dtype: u32, rank: u32, sizes: [*]const f64) callconv(.c) u32 {
        return status.handle(create(device_, dtype, rank, sizes));
    }

    /// Submits what was recorded. Answers the ticket that stands for all work so far, or the negative of what went wrong.
    pub fn gpu_submit(device_: u32) callconv(.c) f64 {
        return submitOn(device_) catch |e| -@as(f64, @floatFromInt(status.code(e)));
    }

    /// 1 where a ticket's work is done, 0 where it is not, else the negative of what went wrong.
    pub fn gpu_reached(device_: u32, ticket: f64) callconv(.c) i32 {
        return reachedOn(device_, ticket) catch |e| -status.code(e);
    }

    /// Waits for a ticket's work.
    pub fn gpu_wait(device_: u32, ticket: f64) callconv(.c) i32 {
        return status.of(waitOn(device_, ticket));
    }

    /// Measures what is recorded from here on. Answers the span, or the negative of what went wrong: InvalidArgument where too many wait for their results.
    pub fn gpu_span_begin(device_: u32) callconv(.c) i32 {
        return beginSpanOn(device_) catch |e| -status.code(e);
    }

    /// Ends a span here.
    pub fn gpu_span_end(device_: u32, span: u32) callconv(.c) i32 {
        return status.of(endSpanOn(device_, span));
    }

    /// Seconds that a span took on the device, once its work is done, or the negative of what went wrong.
    pub fn gpu_span_seconds(device_: u32, span: u32) callconv(.c) f64 {
        return spanSecondsOn(device_, span) catch |e| -@as(f64, @floatFromInt(status.code(e)));
    }

    /// Lets a span go, ended or not.
    pub fn gpu_span_free(device_: u32, span: u32) callconv(.c) i32 {
        return status.of(freeSpanOn(device_, span));
    }

    /// Records a loop of multiply-adds that touches no memory. Answers the floating-point operations of all workgroups, or the negative of what went wrong.
    pub fn gpu_peak_multiply_add(device_: u32, groups: u32, iterations: u32) callconv(.c) f64 {
        return multiplyAddOn(device_, groups, iterations) catch |e| -@as(f64, @floatFromInt(status.code(e)));
    }

    /// Records the driver's own copy of one contiguous tensor to another: what the copies and passes of shaders are held against.
    pub fn gpu_peak_copy(device_: u32, out: u32, x: u32) callconv(.c) i32 {
        return status.of(copyOn(device_, out, x));
    }

    /// Gives the memory of a GPU that is kept for reuse back to its driver.
    pub fn gpu_trim(device_: u32) callconv(.c) i32 {
        return status.of(trimOn(device_));
    }

    /// Counts of a GPU since it was opened: bytes in use, bytes asked of the driver, allocations, dispatches, submissions, barriers, pipelines, copies,
    /// and messages of the validation layer in this process.
    pub fn gpu_statistics(out: [*]f64, count: u32, device_: u32) callconv(.c) i32 {
        const g = of(device_) catch |e| return status.code(e);
        if (count != 9) return status.code(error.InvalidArgument);
        g.lock.lock();
        defer g.lock.unlock();
        const c = &g.counts;
        const numbers = [_]u64{ g.device_heap.used_bytes, g.device_heap.block_total, c.allocations, c.dispatches, c.submissions, c.barriers, c.pipelines, c.copies, instance.messages.load(.monotonic) };
        for (out[0..9], numbers) |*o, n| o.* = @floatFromInt(n);
        return 0;
    }
};

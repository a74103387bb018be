//! Tensors behind u32 handles: dtype, shape and strides over a block of native memory that views share.
//!
//! A tensor belongs to the thread that made it. Only that thread can name it, so no lock is needed while an op reads or writes it, and a handle
//! from another Worker is an error. When the thread ends (a Worker is closed or terminated) its tensors are freed.

const std = @import("std");
const builtin = @import("builtin");
const memory = @import("memory.zig");
const chunks = @import("gpu/vulkan/chunks.zig");
const environment = @import("environment.zig");
const gpu_ = @import("gpu/vulkan/gpu.zig");
const pin = @import("parallel/pin.zig");
const status = @import("status.zig");
const Slots = @import("slots.zig").Slots;
const Error = status.Error;
const Gpu = gpu_.Gpu;

pub const rank_max = 8;

pub const Dtype = enum(u8) {
    f32,
    f64,
    i32,
    u32,

    pub fn bytes(dtype: Dtype) usize {
        return switch (dtype) {
            .f32, .i32, .u32 => 4,
            .f64 => 8,
        };
    }

    pub fn of(comptime T: type) Dtype {
        return @field(Dtype, @typeName(T));
    }
};

/// The memory of one or more tensors, counted by the one thread that owns them.
const Storage = struct {
    block: [*]align(memory.alignment) u8,
    bytes: usize,
    references: u32,
    /// The chunk of a GPU's memory that `block` stands for.
    chunk: ?*chunks.Chunk = null,

    fn gpu(s: *const Storage) ?*Gpu {
        return if (s.chunk) |c| c.block.gpu else null;
    }
};

/// Column panels of a matrix, side by side: `nr` columns each, the last one cut to whole vectors of `w`. An instruction set reads those of its own
/// register tile.
pub const Panels = struct { nr: u16, w: u16 };

pub const Tensor = struct {
    storage: *Storage,
    /// Address of the element at index zero of every axis.
    data: [*]u8,
    owner: u32,
    dtype: Dtype,
    rank: u8,
    shape_: [rank_max]usize,
    /// In elements.
    strides_: [rank_max]isize,
    /// Of a prepacked matrix, whose strides mean nothing: only `getWeight` hands one out.
    panels: ?Panels = null,

    pub fn shape(t: *const Tensor) []const usize {
        return t.shape_[0..t.rank];
    }

    pub fn strides(t: *const Tensor) []const isize {
        return t.strides_[0..t.rank];
    }

    pub fn count(t: *const Tensor) usize {
        var n: usize = 1;
        for (t.shape()) |size| n *|= size; // only an empty tensor's can leave the range before its 0 comes
        return n;
    }

    pub fn ptr(t: *const Tensor, comptime T: type) [*]T {
        return @ptrCast(@alignCast(t.data));
    }

    /// Size of axis `i` counted from the end, 0 being the last; 1 beyond the first axis.
    pub fn fromEnd(t: *const Tensor, i: usize) usize {
        return if (i < t.rank) t.shape_[t.rank - 1 - i] else 1;
    }

    /// Stride of axis `i` counted from the end; 0 beyond the first axis.
    pub fn strideFromEnd(t: *const Tensor, i: usize) isize {
        return if (i < t.rank) t.strides_[t.rank - 1 - i] else 0;
    }

    /// A tensor without elements is, whatever its strides.
    pub fn contiguous(t: *const Tensor) bool {
        var expected: isize = 1;
        var dense = true;
        var i: usize = t.rank;
        while (i > 0) {
            i -= 1;
            if (t.shape_[i] == 0) return true;
            if (t.shape_[i] != 1 and t.strides_[i] != expected) dense = false;
            expected *%= @bitCast(t.shape_[i]); // wraps only where an axis further out is empty
        }
        return dense;
    }

    pub fn sameShape(t: *const Tensor, other: *const Tensor) bool {
        return std.mem.eql(usize, t.shape(), other.shape());
    }

    /// The tensor as a matrix of its last axis, with one stride between rows; LayoutMismatch where it has no such form.
    pub fn rows(t: *const Tensor) Error!Rows {
        const cols = t.fromEnd(0);
        var r: Rows = .{ .rows = 1, .cols = cols, .stride = cols };
        for (t.shape()[0..t.rank -| 1]) |size| r.rows *|= size;
        if (r.rows == 0 or cols == 0) return r;
        if (cols > 1 and t.strideFromEnd(0) != 1) return error.LayoutMismatch;
        var found = false;
        var expected: isize = 0;
        var i: usize = 1;
        while (i < t.rank) : (i += 1) {
            const size = t.fromEnd(i);
            if (size == 1) continue;
            const stride = t.strideFromEnd(i);
            if (!found) {
                if (stride < 0) return error.LayoutMismatch;
                r.stride = @intCast(stride);
                found = true;
            } else if (stride != expected) return error.LayoutMismatch;
            expected = stride * @as(isize, @intCast(size));
        }
        return r;
    }

    /// First byte and byte behind the last that the tensor can touch.
    pub fn extent(t: *const Tensor) struct { usize, usize } {
        if (t.count() == 0) return .{ 0, 0 };
        var low: isize = 0;
        var high: isize = 0;
        for (t.shape(), t.strides()) |size, stride| {
            const reach = stride * @as(isize, @intCast(size - 1));
            if (reach < 0) low += reach else high += reach;
        }
        const bytes: isize = @intCast(t.dtype.bytes());
        const base: isize = @bitCast(@intFromPtr(t.data));
        return .{ @bitCast(base + low * bytes), @bitCast(base + (high + 1) * bytes) };
    }
};

pub const Rows = struct {
    rows: usize,
    cols: usize,
    stride: usize,

    /// How many rows have elements.
    pub fn nonempty(r: Rows) usize {
        return if (r.cols == 0) 0 else r.rows;
    }
};

/// Whether two tensors may share a byte. Exact for views whose bytes lie in disjoint ranges and for parts of one period: columns of one matrix, heads.
pub fn overlap(a: *const Tensor, b: *const Tensor) bool {
    if (a.storage != b.storage) return false;
    const a_low, const a_high = a.extent();
    const b_low, const b_high = b.extent();
    if (a_high <= b_low or b_high <= a_low) return false;
    if (a.dtype != b.dtype) return true;
    const first = @min(a_low, b_low);
    for (a.shape(), a.strides()) |size, stride| {
        if (size < 2 or stride < 2) continue;
        const period: usize = @intCast(stride);
        const x = within(a, first, period) orelse continue;
        const y = within(b, first, period) orelse continue;
        if (x.end <= y.begin or y.end <= x.begin) return false;
    }
    return true;
}

/// The part of every `period` elements, counted from the address `first`, that a tensor lies in; null where it lies in no such part.
fn within(t: *const Tensor, first: usize, period: usize) ?struct { begin: usize, end: usize } {
    const begin = (@intFromPtr(t.data) - first) / t.dtype.bytes() % period;
    var end = begin + 1;
    for (t.shape(), t.strides()) |size, stride| {
        if (size < 2) continue;
        if (stride < 0) return null;
        const step: usize = @intCast(stride);
        if (step < period) end += (size - 1) * step else if (step % period != 0) return null;
    }
    return if (end <= period) .{ .begin = begin, .end = end } else null;
}

/// Whether two tensors are the very same elements in the same order.
pub fn identical(a: *const Tensor, b: *const Tensor) bool {
    return a.data == b.data and a.dtype == b.dtype and a.sameShape(b) and std.mem.eql(isize, a.strides(), b.strides());
}

/// An output that may stand in for an input only as the very same view.
pub fn checkInPlace(out: *const Tensor, in: *const Tensor) Error!void {
    if (overlap(out, in) and !identical(out, in)) return error.Overlap;
}

pub fn checkApart(out: *const Tensor, in: *const Tensor) Error!void {
    if (overlap(out, in)) return error.Overlap;
}

var tensors: Slots(Tensor) = .{};

/// The live tensor of this thread behind a handle, whatever its layout.
pub fn find(handle: u32) Error!*Tensor {
    const t = tensors.get(handle) orelse return error.InvalidHandle;
    if (t.owner != thread_id) return error.InvalidHandle;
    return t;
}

/// Where the tensors of the running entry have to live: on this GPU, or where the processor reads them. Set by `device.get`.
pub threadlocal var place: ?*Gpu = null;

/// The live tensor of this thread behind a handle, on the device of the running entry. A prepacked matrix is none to an op that reads by strides.
pub fn get(handle: u32) Error!*Tensor {
    const t = try anywhere(handle);
    if (t.storage.gpu() != place) return error.InvalidDevice;
    return t;
}

/// As `get`, on whatever device.
fn anywhere(handle: u32) Error!*Tensor {
    const t = try find(handle);
    if (t.panels != null) return error.LayoutMismatch;
    return t;
}

/// As `typed`, but lets prepacked matrices through: for the right operand of a product.
pub fn getWeight(handle: u32, dtype: Dtype) Error!*Tensor {
    const t = try find(handle);
    if (t.storage.gpu() != place) return error.InvalidDevice;
    if (t.dtype != dtype) return error.DtypeMismatch;
    return t;
}

/// As `get`, with the dtype that is wanted.
pub fn typed(handle: u32, dtype: Dtype) Error!*Tensor {
    const t = try get(handle);
    if (t.dtype != dtype) return error.DtypeMismatch;
    return t;
}

/// As `typed`, or null for handle 0, which stands for an argument that was left out.
pub fn optional(handle: u32, dtype: Dtype) Error!?*Tensor {
    return if (handle == 0) null else try typed(handle, dtype);
}

// Threads. Each names itself at its first tensor and leaves a destructor behind.

threadlocal var thread_id: u32 = 0;
var thread_count: std.atomic.Value(u32) = .init(0);
var exit_key_state: std.atomic.Value(u32) = .init(0);
var exit_key: ExitKey = undefined;

const ExitKey = if (builtin.os.tag == .windows) u32 else std.c.pthread_key_t;

extern "kernel32" fn FlsAlloc(callback: *const fn (?*anyopaque) callconv(.winapi) void) callconv(.winapi) u32;
extern "kernel32" fn FlsSetValue(index: u32, value: ?*anyopaque) callconv(.winapi) i32;
extern "ntdll" fn RtlDllShutdownInProgress() callconv(.winapi) u8;

/// Called for each thread that ends, with its number.
var at_thread_end: std.atomic.Value(?*const fn (u32) void) = .init(null);

/// The number of this thread. `at_end`, which is one function for the whole process, is called with it when the thread has ended.
pub fn thisThread(at_end: *const fn (u32) void) Error!u32 {
    at_thread_end.store(at_end, .release);
    if (thread_id == 0) try nameThread();
    return thread_id;
}

fn nameThread() Error!void {
    pin.library(); // a runtime may unload it when a Worker ends, and the destructor runs after that
    const id = thread_count.fetchAdd(1, .monotonic) + 1;
    // One key for the process, made by whoever comes first: 0 not yet, 1 being made, 2 made.
    if (exit_key_state.cmpxchgStrong(0, 1, .acquire, .acquire) == null) {
        const made = if (builtin.os.tag == .windows) windows: {
            exit_key = FlsAlloc(&freeOfThreadWindows);
            break :windows exit_key != std.math.maxInt(u32);
        } else std.c.pthread_key_create(&exit_key, &freeOfThread) == .SUCCESS;
        exit_key_state.store(if (made) 2 else 0, .release);
        if (!made) return error.OutOfMemory;
    }
    while (exit_key_state.load(.acquire) == 1) std.atomic.spinLoopHint();
    const value: ?*anyopaque = @ptrFromInt(id);
    if (builtin.os.tag == .windows) {
        if (FlsSetValue(exit_key, value) == 0) return error.OutOfMemory;
    } else if (std.c.pthread_setspecific(exit_key, value) != 0) return error.OutOfMemory;
    thread_id = id;
}

fn freeOfThread(value: *anyopaque) callconv(.c) void {
    const id: u32 = @intCast(@intFromPtr(value));
    var index: u32 = 0;
    while (index < @atomicLoad(u32, &tensors.made, .acquire)) : (index += 1) {
        const handle = tensors.liveHandle(index);
        const t = tensors.get(handle) orelse continue;
        if (t.owner == id) release(handle, t);
    }
    index = 0;
    while (index < @atomicLoad(u32, &requests.made, .acquire)) : (index += 1) {
        const handle = requests.liveHandle(index);
        const r = (requests.get(handle) orelse continue).*;
        if (r.owner != id) continue;
        requests.remove(handle);
        r.copy.gpu.abandon(r.copy);
    }
    if (at_thread_end.load(.acquire)) |end| end(id);
}

/// Called for the thread that ends the process too, when all others have been stopped wherever they were, with a lock in hand perhaps: to wait for one would
/// be forever. The system takes the memory anyway.
fn freeOfThreadWindows(value: ?*anyopaque) callconv(.winapi) void {
    if (RtlDllShutdownInProgress() != 0) return;
    if (value) |v| freeOfThread(v);
}

// Making and freeing.

var live_count: std.atomic.Value(u64) = .init(0);

fn exactSize(value: f64) Error!usize {
    // 2^53 is the first integer that a JavaScript number cannot tell from its neighbour.
    if (!(value >= 0 and value < 9007199254740992.0) or value != @trunc(value)) return error.InvalidArgument;
    return @intFromFloat(value);
}

/// The elements of a shape, or null where they take more bytes than an address can tell apart. None, where any size is 0, whatever the
/// others are. Every shape passes here when it is made: what an op then multiplies of the sizes of one tensor that is not empty does not
/// overflow.
fn countOf(sizes: []const usize, bytes: usize) ?usize {
    if (std.mem.findScalar(usize, sizes, 0) != null) return 0;
    var n: usize = 1;
    for (sizes) |size| n = std.math.mul(usize, n, size) catch return null;
    const all = std.math.mul(usize, n, bytes) catch return null;
    return if (all <= std.math.maxInt(isize)) n else null;
}

/// Gives a tensor the strides of its shape without gaps. Those of a tensor without elements mean nothing and stop at the largest number.
fn setDense(t: *Tensor) void {
    var stride: isize = 1;
    var axis: usize = t.rank;
    while (axis > 0) {
        axis -= 1;
        t.strides_[axis] = stride;
        stride *|= std.math.cast(isize, @max(t.shape_[axis], 1)) orelse std.math.maxInt(isize);
    }
}

/// A contiguous tensor with undefined content.
pub fn create(dtype: Dtype, sizes: []const usize) Error!u32 {
    return createOn(null, dtype, sizes);
}

/// As `create`, in the memory of a GPU where there is one.
pub fn createOn(g: ?*Gpu, dtype: Dtype, sizes: []const usize) Error!u32 {
    if (sizes.len > rank_max) return error.InvalidArgument;
    var t: Tensor = .{
        .storage = undefined,
        .data = undefined,
        .owner = undefined,
        .dtype = dtype,
        .rank = @intCast(sizes.len),
        .shape_ = @splat(1),
        .strides_ = @splat(0),
    };
    @memcpy(t.shape_[0..sizes.len], sizes);
    const n = countOf(sizes, dtype.bytes()) orelse return error.OutOfMemory;
    setDense(&t);
    return store(g, t, n);
}

/// A k×n matrix as column panels of `len` elements in all, with undefined content.
pub fn createPanels(dtype: Dtype, k: usize, n: usize, panels: Panels, len: usize) Error!u32 {
    var t: Tensor = .{
        .storage = undefined,
        .data = undefined,
        .owner = undefined,
        .dtype = dtype,
        .rank = 2,
        .shape_ = @splat(1),
        .strides_ = @splat(0),
        .panels = panels,
    };
    t.shape_[0..2].* = .{ k, n };
    return store(null, t, len);
}

/// Gives a tensor memory for `len` elements, and a handle.
fn store(g: ?*Gpu, tensor: Tensor, len: usize) Error!u32 {
    if (thread_id == 0) try nameThread();
    var t = tensor;
    t.owner = thread_id;
    const bytes = std.math.mul(usize, len, t.dtype.bytes()) catch return error.OutOfMemory;
    const storage = memory.gpa.create(Storage) catch return error.OutOfMemory;
    errdefer memory.gpa.destroy(storage);
    storage.* = .{ .block = undefined, .bytes = bytes, .references = 1 };
    if (g) |gpu| {
        storage.chunk = try gpu.alloc(bytes);
        storage.block = storage.chunk.?.address();
    } else storage.block = try memory.alloc(bytes);
    errdefer freeBlock(storage);
    t.storage = storage;
    t.data = storage.block;
    const handle = try tensors.add(t);
    _ = live_count.fetchAdd(1, .monotonic);
    return handle;
}

fn view(base: u32, rank: u32, layout: [*]const f64) Error!u32 {
    const whole = try anywhere(base);
    if (rank > rank_max) return error.InvalidArgument;
    var t = whole.*;
    t.rank = @intCast(rank);
    t.shape_ = @splat(1);
    t.strides_ = @splat(0);
    const offset = try exactSize(layout[0]);
    if (offset > whole.storage.bytes / t.dtype.bytes()) return error.IndexOutOfRange;
    for (t.shape_[0..rank], layout[1..][0..rank]) |*size, given| size.* = try exactSize(given);
    const n = countOf(t.shape(), t.dtype.bytes()) orelse return error.InvalidArgument;
    if (n == 0) {
        setDense(&t); // as every op takes it
    } else {
        // Every element has to lie inside the storage; in 128 bits nothing wraps.
        var low: i128 = @intCast(offset);
        var high: i128 = low;
        for (t.shape(), t.strides_[0..rank], layout[1 + rank ..][0..rank]) |size, *stride, given| {
            if (!(@abs(given) < 9007199254740992.0) or given != @trunc(given)) return error.InvalidArgument;
            stride.* = @intFromFloat(given);
            const reach = @as(i128, stride.*) * (@as(i128, @intCast(size)) - 1);
            if (reach < 0) low += reach else high += reach;
        }
        if (low < 0 or high >= t.storage.bytes / t.dtype.bytes()) return error.IndexOutOfRange;
    }
    t.data = t.storage.block + offset * t.dtype.bytes();
    const handle = try tensors.add(t);
    t.storage.references += 1;
    _ = live_count.fetchAdd(1, .monotonic);
    return handle;
}

/// Blocks that this thread has freed: who keeps addresses of tensors from one entry to a later one looks whether any was.
pub threadlocal var blocks_freed: u64 = 0;

fn release(handle: u32, t: *Tensor) void {
    const storage = t.storage;
    tensors.remove(handle);
    _ = live_count.fetchSub(1, .monotonic);
    storage.references -= 1;
    if (storage.references > 0) return;
    blocks_freed += 1;
    freeBlock(storage);
    memory.gpa.destroy(storage);
}

fn freeBlock(storage: *const Storage) void {
    if (storage.chunk) |chunk| chunk.block.gpu.free(chunk) else memory.free(storage.block, storage.bytes);
}

/// Calls `body(ctx, pointer, elements, done)` for each run of contiguous elements, in row-major order.
fn eachRun(t: *const Tensor, ctx: anytype, comptime body: fn (@TypeOf(ctx), [*]u8, usize, usize) void) void {
    const n = t.count();
    if (n == 0) return;
    if (t.contiguous()) return body(ctx, t.data, n, 0);
    const bytes: isize = @intCast(t.dtype.bytes());
    const inner = t.fromEnd(0);
    const dense = inner == 1 or t.strideFromEnd(0) == 1;
    var index: [rank_max]usize = @splat(0);
    var at: isize = 0;
    var done: usize = 0;
    while (done < n) {
        if (dense) {
            body(ctx, @ptrFromInt(@as(usize, @bitCast(@as(isize, @bitCast(@intFromPtr(t.data))) + at * bytes))), inner, done);
            done += inner;
        } else for (0..inner) |i| {
            const here = at + @as(isize, @intCast(i)) * t.strideFromEnd(0);
            body(ctx, @ptrFromInt(@as(usize, @bitCast(@as(isize, @bitCast(@intFromPtr(t.data))) + here * bytes))), 1, done);
            done += 1;
        }
        var axis: usize = t.rank - 1;
        while (axis > 0) {
            axis -= 1;
            index[axis] += 1;
            at += t.strides_[axis];
            if (index[axis] < t.shape_[axis]) break;
            at -= t.strides_[axis] * @as(isize, @intCast(t.shape_[axis]));
            index[axis] = 0;
        }
    }
}

const Copy = struct { buffer: [*]u8, bytes: usize };

fn toBuffer(c: Copy, run: [*]u8, n: usize, done: usize) void {
    @memcpy(c.buffer[done * c.bytes ..][0 .. n * c.bytes], run[0 .. n * c.bytes]);
}

fn fromBuffer(c: Copy, run: [*]u8, n: usize, done: usize) void {
    @memcpy(run[0 .. n * c.bytes], c.buffer[done * c.bytes ..][0 .. n * c.bytes]);
}

fn transfer(handle: u32, buffer: [*]u8, bytes: f64, comptime body: fn (Copy, [*]u8, usize, usize) void) Error!void {
    const t = try anywhere(handle);
    if (try exactSize(bytes) != t.count() * t.dtype.bytes()) return error.ShapeMismatch;
    if (t.storage.gpu() != null) return error.InvalidDevice;
    eachRun(t, Copy{ .buffer = buffer, .bytes = t.dtype.bytes() }, body);
}

/// Copies row-major elements to a tensor of a GPU, which must have no gaps.
fn upload(handle: u32, data: [*]const u8, bytes: f64) Error!void {
    const t = try anywhere(handle);
    const g = t.storage.gpu() orelse return error.InvalidDevice;
    if (try exactSize(bytes) != t.count() * t.dtype.bytes()) return error.ShapeMismatch;
    if (!t.contiguous()) return error.LayoutMismatch;
    try g.upload(@intFromPtr(t.data), data[0..@intFromFloat(bytes)]);
}

/// Copies of GPU memory that the thread which asked for them has not yet taken.
var requests: Slots(struct { owner: u32, copy: gpu_.Readback }) = .{};

fn requested(request: u32) Error!gpu_.Readback {
    const r = requests.get(request) orelse return error.InvalidHandle;
    return if (r.owner == thread_id) r.copy else error.InvalidHandle;
}

fn download(handle: u32) Error!u32 {
    const t = try anywhere(handle);
    const g = t.storage.gpu() orelse return error.InvalidDevice;
    if (!t.contiguous()) return error.LayoutMismatch;
    const r = try g.download(@intFromPtr(t.data), t.count() * t.dtype.bytes());
    return requests.add(.{ .owner = thread_id, .copy = r }) catch |e| {
        g.abandon(r);
        return e;
    };
}

fn downloaded(request: u32) Error!i32 {
    const r = try requested(request);
    return @intFromBool(try r.gpu.reached(r.ticket));
}

fn finish(data: [*]u8, request: u32, bytes: f64) Error!void {
    const r = try requested(request);
    if (try exactSize(bytes) != r.bytes) return error.ShapeMismatch;
    requests.remove(request);
    try r.gpu.finish(r, data[0..r.bytes]);
}

pub const entries = struct {
    /// A contiguous tensor of `rank` sizes, not cleared. Answers its handle, or 0.
    pub fn tensor_new(dtype: u32, rank: u32, sizes: [*]const f64) callconv(.c) u32 {
        return status.handle(newChecked(null, dtype, rank, sizes));
    }

    /// As `tensor_write`, to a tensor of a GPU without gaps. What was asked of the GPU before comes first; `data` may change at once.
    pub fn tensor_upload(out: u32, data: [*]const u8, bytes: f64) callconv(.c) i32 {
        return status.of(upload(out, data, bytes));
    }

    /// Asks for a copy of a GPU's tensor without gaps. Answers a request, or 0; `tensor_downloaded` tells when it is there, `tensor_finish` takes it.
    pub fn tensor_download(x: u32) callconv(.c) u32 {
        return status.handle(download(x));
    }

    /// 1 where a request's copy is there, 0 where it is not yet, else the negative of what went wrong.
    pub fn tensor_downloaded(request: u32) callconv(.c) i32 {
        return downloaded(request) catch |e| -status.code(e);
    }

    /// Copies what was asked for to `data`, which holds `bytes` bytes, waiting for it where it is not there yet. The request is over then.
    pub fn tensor_finish(data: [*]u8, request: u32, bytes: f64) callconv(.c) i32 {
        return status.of(finish(data, request, bytes));
    }

    /// A view of `base`: `layout` holds the offset in its storage, then `rank` sizes, then `rank` strides, all in elements.
    pub fn tensor_view(base: u32, rank: u32, layout: [*]const f64) callconv(.c) u32 {
        return status.handle(view(base, rank, layout));
    }

    pub fn tensor_free(handle: u32) callconv(.c) i32 {
        const t = find(handle) catch |e| return status.code(e);
        release(handle, t);
        return 0;
    }

    /// Copies `bytes` bytes of row-major elements from `data`.
    pub fn tensor_write(out: u32, data: [*]const u8, bytes: f64) callconv(.c) i32 {
        return status.of(transfer(out, @constCast(data), bytes, fromBuffer));
    }

    /// Copies the elements, row-major, to `data`, which holds `bytes` bytes.
    pub fn tensor_read(data: [*]u8, x: u32, bytes: f64) callconv(.c) i32 {
        return status.of(transfer(x, data, bytes, toBuffer));
    }

    /// Live tensors, bytes in use, peak bytes in use, bytes kept for reuse.
    pub fn memory_statistics(out: [*]f64) callconv(.c) void {
        const s = memory.statistics();
        out[0..4].* = .{ @floatFromInt(live_count.load(.monotonic)), @floatFromInt(s.used), @floatFromInt(s.peak), @floatFromInt(s.kept) };
    }

    /// Whether it is to be remembered where tensors are made: `TILEWORK_LEAKS` is 1. Under --allow-ffi alone TypeScript cannot read it.
    pub fn memory_traces() callconv(.c) u32 {
        return @intFromBool(environment.isOn("TILEWORK_LEAKS"));
    }

    /// Returns the memory kept for reuse to the system.
    pub fn memory_trim() callconv(.c) void {
        memory.trim();
    }

    /// The status behind a handle of 0.
    pub fn last_status() callconv(.c) i32 {
        return status.last;
    }

    /// Position and value behind an IndexOutOfRange or InvalidArgument.
    pub fn error_detail(out: [*]f64) callconv(.c) void {
        out[0..2].* = status.detail;
    }
};

pub fn newChecked(g: ?*Gpu, dtype: u32, rank: u32, sizes: [*]const f64) Error!u32 {
    if (dtype >= std.enums.values(Dtype).len or rank > rank_max) return error.InvalidArgument;
    var shape: [rank_max]usize = undefined;
    for (0..rank) |i| shape[i] = try exactSize(sizes[i]);
    return createOn(g, @fromBackingInt(@as(u8, @intCast(dtype))), shape[0..rank]);
}

const testing = std.testing;

test "tensors: views stay inside their storage and see each other's bytes" {
    const base = try create(.f32, &.{ 4, 6 });
    defer _ = entries.tensor_free(base);
    for (0..24) |i| (try get(base)).ptr(f32)[i] = @floatFromInt(i);
    // Transposed: sizes [6, 4], strides [1, 6].
    const turned = try view(base, 2, &.{ 0, 6, 4, 1, 6 });
    defer _ = entries.tensor_free(turned);
    var out: [24]f32 = undefined;
    try testing.expectEqual(0, entries.tensor_read(@ptrCast(&out), turned, 96));
    for (0..6) |r| for (0..4) |c| try testing.expectEqual(@as(f32, @floatFromInt(c * 6 + r)), out[r * 4 + c]);
    try testing.expectError(error.IndexOutOfRange, view(base, 1, &.{ 1, 24, 1 }));
    try testing.expectError(error.IndexOutOfRange, view(base, 1, &.{ 0, 2, -1 }));
    try testing.expectError(error.IndexOutOfRange, view(base, 2, &.{ 0, 9007199254740991.0, 2, 9007199254740991.0, 1 }));
    try testing.expectError(error.InvalidArgument, view(base, 1, &.{ 0, 1.5, 1 }));
    try testing.expectEqual(status.code(error.ShapeMismatch), entries.tensor_read(@ptrCast(&out), turned, 92));
}

test "tensors: the count of a shape does not wrap, and is 0 beside a size of 0" {
    const one = try create(.f32, &.{1});
    defer _ = entries.tensor_free(one);
    // The sizes multiply to 2^64 + 1.
    try testing.expectError(error.InvalidArgument, view(one, 2, &.{ 0, 274177, 67280421310721, 0, 0 }));
    try testing.expectError(error.OutOfMemory, create(.f32, &.{ 274177, 67280421310721 }));
    try testing.expectError(error.OutOfMemory, create(.f64, &.{ 1 << 30, 1 << 30 }));
    const huge = 1 << 40;
    for ([_][3]usize{ .{ 0, huge, huge }, .{ huge, 0, huge }, .{ huge, huge, 0 } }) |sizes| {
        const none = try create(.f32, &sizes);
        defer _ = entries.tensor_free(none);
        const again = try view(none, 3, &.{ 0, @floatFromInt(sizes[2]), @floatFromInt(sizes[0]), @floatFromInt(sizes[1]), 1e300, -1, 0.5 });
        defer _ = entries.tensor_free(again);
        for ([_]u32{ none, again }) |handle| {
            const t = try get(handle);
            try testing.expectEqual(0, t.count());
            try testing.expect(t.contiguous());
            try testing.expectEqual(.{ 0, 0 }, t.extent());
            for (t.strides()) |stride| try testing.expect(stride > 0);
            _ = try t.rows();
            try testing.expectEqual(0, entries.tensor_read(undefined, handle, 0));
        }
        try testing.expect(!overlap(try get(none), try get(again)));
    }
}

test "tensors: overlap is told apart for column slices" {
    const base = try create(.f32, &.{ 4, 6 });
    defer _ = entries.tensor_free(base);
    const left = try view(base, 2, &.{ 0, 4, 3, 6, 1 });
    defer _ = entries.tensor_free(left);
    const right = try view(base, 2, &.{ 3, 4, 3, 6, 1 });
    defer _ = entries.tensor_free(right);
    const middle = try view(base, 2, &.{ 2, 4, 2, 6, 1 });
    defer _ = entries.tensor_free(middle);
    try testing.expect(!overlap(try get(left), try get(right)));
    try testing.expect(!overlap(try get(right), try get(left)));
    try testing.expect(overlap(try get(left), try get(middle)));
    try testing.expect(overlap(try get(middle), try get(right)));
    try testing.expect(overlap(try get(base), try get(right)));
}

test "tensors: only a product's right operand may be prepacked" {
    const handle = try createPanels(.f32, 5, 3, .{ .nr = 32, .w = 16 }, 80);
    defer _ = entries.tensor_free(handle);
    var bytes: [60]u8 = undefined;
    try testing.expectError(error.LayoutMismatch, get(handle));
    try testing.expectError(error.LayoutMismatch, typed(handle, .f32));
    try testing.expectError(error.LayoutMismatch, optional(handle, .f32));
    try testing.expectError(error.LayoutMismatch, view(handle, 1, &.{ 0, 15, 1 }));
    try testing.expectEqual(status.code(error.LayoutMismatch), entries.tensor_read(&bytes, handle, 60));
    try testing.expectEqual(status.code(error.LayoutMismatch), entries.tensor_write(handle, &bytes, 60));
    try testing.expectError(error.DtypeMismatch, getWeight(handle, .f64));
    try testing.expectEqual(5, (try getWeight(handle, .f32)).fromEnd(1));
    try testing.expectError(error.OutOfMemory, createPanels(.f64, 1, 1, .{ .nr = 16, .w = 8 }, std.math.maxInt(usize) / 2));
}

test "tensors: those of a thread that ends are freed, and no other thread can name them" {
    const before = live_count.load(.monotonic);
    const mine = try create(.f32, &.{3});
    defer _ = entries.tensor_free(mine);
    const Other = struct {
        fn run(handle: u32, refused: *bool) void {
            _ = create(.f32, &.{ 100, 100 }) catch unreachable;
            refused.* = if (get(handle)) |_| false else |e| e == error.InvalidHandle;
        }
    };
    var refused = false;
    const thread = try std.Thread.spawn(.{}, Other.run, .{ mine, &refused });
    thread.join();
    try testing.expect(refused);
    try testing.expectEqual(before + 1, live_count.load(.monotonic));
}

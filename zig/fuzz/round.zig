//! A round of the fuzzer: some thousand calls in a process of their own, made from the seed and the number of the round alone, so
//! that any call of it can be made again.

const std = @import("std");
const contracts = @import("contracts.zig");
const detect = @import("../isa/detect.zig");
const device = @import("../device.zig");
const explain = @import("../explain.zig");
const gpu = @import("../gpu.zig");
const guarded = @import("guarded.zig");
const knobs = @import("../knobs.zig");
const list = @import("../ops.zig");
const status = @import("../status.zig");
const prepack = @import("../ops/prepack.zig");
const tensor = @import("../tensor.zig");
const futex = @import("../parallel/futex.zig");
const Argument = contracts.Argument;
const Tensor = tensor.Tensor;

const parameters_max = 12;
const explain_bit = 1 << 31;

pub const Result = union(enum) { none, u32: u32, i32: i32, f64: f64 };

pub const Entry = struct {
    name: []const u8,
    templates: []const []const Argument,
    call: *const fn (arguments: *const [parameters_max]u64) Result,
    /// Whether each parameter is a buffer that the entry writes to.
    fills: [parameters_max]bool,
    parameters: usize,
};

fn Invoke(comptime f: anytype) type {
    return struct {
        fn call(arguments: *const [parameters_max]u64) Result {
            var all: std.meta.ArgsTuple(@TypeOf(f)) = undefined;
            inline for (&all, 0..) |*argument, i| argument.* = switch (@typeInfo(@TypeOf(argument.*))) {
                .pointer => @ptrFromInt(arguments[i]),
                .float => @bitCast(arguments[i]),
                else => @truncate(arguments[i]),
            };
            const result = @call(.auto, f, all);
            return switch (@TypeOf(result)) {
                void => .none,
                u32 => .{ .u32 = result },
                i32 => .{ .i32 = result },
                f64 => .{ .f64 = result },
                else => @compileError("no entry answers " ++ @typeName(@TypeOf(result))),
            };
        }
    };
}

pub const entries = blk: {
    @setEvalBranchQuota(1_000_000);
    var all: []const Entry = &.{};
    for (list.entry_files) |file| for (std.meta.declarations(file.entries)) |name| {
        const f = @field(file.entries, name);
        const parameters = @typeInfo(@TypeOf(f)).@"fn".param_types;
        var fills: [parameters_max]bool = @splat(false);
        for (parameters, 0..) |P, i| if (@typeInfo(P.?) == .pointer) {
            fills[i] = !@typeInfo(P.?).pointer.attrs.@"const";
        };
        all = all ++ .{Entry{
            .name = name,
            .templates = contracts.of(name, @TypeOf(f)),
            .call = Invoke(f).call,
            .fills = fills,
            .parameters = parameters.len,
        }};
    };
    break :blk all[0..all.len].*;
};

pub const Outcome = enum { ok, explained, refused };

/// What the processes share with the one that watches them.
pub const Shared = struct {
    /// Calls begun, of the round that runs.
    begun: std.atomic.Value(u64) = .init(0),
    entry: std.atomic.Value(u32) = .init(0),
    message: [1024]u8 = undefined,
    message_len: usize = 0,
    counts: [entries.len][3]u64 = @splat(@splat(0)),
    longest_ns: [entries.len]u64 = @splat(0),
};

const Base = struct { handle: u32, dtype: tensor.Dtype, len: usize, used_by: u64 = 0 };

/// A live tensor as it was before a call.
const Written = struct { handle: u32, tensor: Tensor };

/// How likely an argument is made up instead of made to fit.
const Mood = enum { fits, odd, arbitrary };

/// Sizes of one call.
const Sizes = struct {
    known: [26]?usize = @splat(null),
    lead: [3]usize = undefined,
    lead_len: usize = 0,
};

const Device = struct {
    handle: u32,
    name: []const u8,
    gpu: bool = false,
    /// Of one that the round has made: so many threads, of the instruction set that is its name.
    threads: f64 = 0,
};

const pool_max = 48;
const words_max = 512;
/// Bytes of a buffer of JavaScript.
const buffer_max = 1 << 17;
/// Elements of a tensor that later calls may come upon. A view may have any number of them, all in one place, and work on it takes as long.
const count_max = 1 << 16;

pub const Round = struct {
    shared: *Shared,
    prng: std.Random.DefaultPrng,
    with_gpu: bool,
    devices: [24]Device = undefined,
    device_count: usize = 0,
    fixed_devices: usize = 0,
    bases: [24]Base = undefined,
    base_count: usize = 0,
    pool: [pool_max]u32 = undefined,
    pool_count: usize = 0,
    freed: [32]u32 = @splat(0),
    freed_count: usize = 0,
    requests: [8]u32 = @splat(0),
    foreign: [3]u32 = @splat(0),
    buffer: guarded.Buffer,

    // Of the call that is being made.
    number: u64 = 0,
    entry: *const Entry = undefined,
    template: []const Argument = undefined,
    arguments: [parameters_max]u64 = @splat(0),
    mood: Mood = .fits,
    sizes: Sizes = .{},
    float: tensor.Dtype = .f32,
    on: Device = undefined,
    explained: bool = false,
    repeats: usize = 1,
    words: [words_max]u32 = undefined,
    word_count: usize = 0,
    temporary: [words_max]u32 = undefined,
    temporary_count: usize = 0,
    written: [words_max]Written = undefined,
    written_count: usize = 0,
    /// Tensors that were made to fit, for one that shall be the same.
    made: [8]struct { handle: u32, dims: []const u8, dtype: u8 } = undefined,
    made_count: usize = 0,
    permutation: [4096]u32 = undefined,
    permutation_len: ?usize = null,
    bytes: []u8 = &.{},
    bytes_before: [buffer_max]u8 = undefined,

    pub fn init(self: *Round, shared: *Shared, seed: u64, number: u64, with_gpu: bool) !void {
        self.* = .{
            .shared = shared,
            .prng = .init(std.hash.Wyhash.hash(seed, std.mem.asBytes(&number))),
            .with_gpu = with_gpu,
            .buffer = try .init(buffer_max),
        };
        _ = explain.entries.explain_begin();
        for (detect.built) |level| {
            if (!detect.usable(level)) continue;
            for ([_]f64{ 1, 2, 3 }) |threads| self.addDevice(level, threads);
        }
        self.fixed_devices = self.device_count;
        if (with_gpu) {
            const handle = gpu.entries.gpu_open(0);
            if (handle != 0) {
                self.devices[self.device_count] = .{ .handle = handle, .name = "gpu", .gpu = true };
                self.device_count += 1;
                self.fixed_devices += 1;
            }
        }
        const small = [_]tensor.Dtype{ .f32, .f32, .f32, .f32, .f64, .f64, .f64, .f64, .u32, .u32, .u32, .i32, .i32 };
        for (small) |dtype| self.addBase(dtype, 4096 / dtype.bytes());
        for ([_]tensor.Dtype{ .f32, .f32, .f64, .f64 }) |dtype| self.addBase(dtype, 16384 / dtype.bytes());
        const Other = struct {
            fn make(handles: *[3]u32, done: *std.atomic.Value(u32)) void {
                for (handles, [_]tensor.Dtype{ .f32, .f64, .u32 }) |*handle, dtype| handle.* = tensor.create(dtype, &.{16}) catch 0;
                done.store(1, .release);
                while (true) futex.wait(&never, 0);
            }
            var never: std.atomic.Value(u32) = .init(0);
        };
        var done: std.atomic.Value(u32) = .init(0);
        (try std.Thread.spawn(.{}, Other.make, .{ &self.foreign, &done })).detach();
        while (done.load(.acquire) == 0) std.atomic.spinLoopHint();
        guarded.look();
    }

    fn addDevice(self: *Round, level: detect.Level, threads: f64) void {
        self.devices[self.device_count] = .{ .handle = newDevice(level, threads), .name = @tagName(level), .threads = threads };
        self.device_count += 1;
    }

    fn newDevice(level: detect.Level, threads: f64) u32 {
        var given: [knobs.table.len]f64 = @splat(-1);
        given[knobs.position("threads")] = threads;
        given[knobs.position("isa")] = @floatFromInt(@backingInt(level));
        if (threads > 1) {
            // Several workers at small sizes too.
            given[knobs.position("parallel_threshold")] = 0;
            given[knobs.position("gemv_parallel_bytes")] = 0;
        }
        return device.entries.device_new(&given, given.len);
    }

    /// Makes those that the round began with again, if an entry has freed them, and forgets others.
    fn renewDevices(self: *Round) void {
        var i: usize = 0;
        while (i < self.device_count) {
            const d = &self.devices[i];
            if (device.get(d.handle)) |_| {
                i += 1;
            } else |_| if (d.threads > 0) {
                d.handle = newDevice(std.meta.stringToEnum(detect.Level, d.name).?, d.threads);
            } else {
                self.device_count -= 1;
                d.* = self.devices[self.device_count];
            }
        }
    }

    fn addBase(self: *Round, dtype: tensor.Dtype, len: usize) void {
        const handle = tensor.create(dtype, &.{len}) catch @panic("no memory for the fuzzer");
        self.bases[self.base_count] = .{ .handle = handle, .dtype = dtype, .len = len };
        self.base_count += 1;
        const view = find(handle).?;
        for (0..len) |i| self.put(view, view.data + i * dtype.bytes());
        self.addLive(handle);
    }

    // Chance.

    fn below(self: *Round, n: usize) usize {
        return if (n == 0) 0 else self.prng.random().uintLessThan(usize, n);
    }

    fn chance(self: *Round, percent: usize) bool {
        return self.below(100) < percent;
    }

    fn pick(self: *Round, comptime T: type, from: []const T) T {
        return from[self.below(from.len)];
    }

    /// Whether the next argument is made up.
    fn odd(self: *Round) bool {
        return switch (self.mood) {
            .fits => false,
            .odd => self.chance(15),
            .arbitrary => self.chance(80),
        };
    }

    fn anyFloat(self: *Round) f64 {
        const special = [_]f64{
            0,                -0.0,  std.math.nan(f64), std.math.inf(f64),    -std.math.inf(f64),  5e-324,               -5e-324,
            1e-310,           1e-45, 2147483648,        -2147483648,          4294967295,          4294967296,           9007199254740991,
            9007199254740992, -1,    -9007199254740992, 18446744073709551616, 1e308,               -1e308,               0.5,
            1,                2,     3,                 1e39,                 9223372036854775808, -9223372036854775808, 1099511627776,
        };
        return switch (self.below(4)) {
            0 => self.prng.random().floatNorm(f64) * 10,
            1 => @bitCast(self.prng.random().int(u64)),
            else => self.pick(f64, &special),
        };
    }

    fn anyInteger(self: *Round) u32 {
        return switch (self.below(4)) {
            0 => self.prng.random().int(u32),
            1 => @as(u32, 1) << @intCast(self.below(32)),
            2 => self.pick(u32, &.{ 0, 1, 2, 3, 7, 15, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff }),
            else => @intCast(self.below(20)),
        };
    }

    /// A size of a tensor.
    fn anySize(self: *Round) usize {
        return switch (self.below(100)) {
            0...4 => 0,
            5...19 => 1,
            20...69 => 2 + self.below(8),
            70...94 => 10 + self.below(31),
            else => 41 + self.below(90),
        };
    }

    /// A number for a tensor: mostly an ordinary one.
    fn put(self: *Round, t: *const Tensor, at: [*]u8) void {
        const strange = self.chance(1);
        switch (t.dtype) {
            inline .f32, .f64 => |dtype| {
                const T = if (dtype == .f32) f32 else f64;
                const value: f64 = if (strange) self.anyFloat() else self.prng.random().floatNorm(f64);
                @as(*align(1) T, @ptrCast(at)).* = @floatCast(value);
            },
            .u32, .i32 => @as(*align(1) u32, @ptrCast(at)).* = if (strange) self.anyInteger() else @intCast(self.below(8)),
        }
    }

    // Handles.

    fn addLive(self: *Round, handle: u32) void {
        if (self.pool_count < pool_max) {
            self.pool[self.pool_count] = handle;
            self.pool_count += 1;
            return;
        }
        const i = self.below(pool_max);
        const old = self.pool[i];
        self.pool[i] = handle;
        if (!self.isBase(old)) self.release(old);
    }

    fn isBase(self: *const Round, handle: u32) bool {
        for (self.bases[0..self.base_count]) |base| if (base.handle == handle) return true;
        return false;
    }

    fn release(self: *Round, handle: u32) void {
        if (tensor.entries.tensor_free(handle) == 0) self.remember(handle);
    }

    fn remember(self: *Round, handle: u32) void {
        self.freed[self.freed_count % self.freed.len] = handle;
        self.freed_count += 1;
    }

    /// A handle that has nothing to do with the call.
    fn anyHandle(self: *Round) u32 {
        return switch (self.below(20)) {
            0, 1 => self.pick(u32, &self.freed),
            2 => self.prng.random().int(u32),
            3 => 0,
            4 => self.pick(u32, &self.foreign),
            5 => self.pool[self.below(self.pool_count)] +% (@as(u32, 1) << 20), // the next generation of its slot
            6 => self.pick(u32, &.{ 1, 0xffff_ffff, 1 << 20, 0x7fff_ffff }),
            else => self.pool[self.below(self.pool_count)],
        };
    }

    /// Tensors beyond those of the round, freed after the call.
    fn keep(self: *Round, handle: u32) u32 {
        if (handle == 0) return 0;
        if (self.temporary_count == self.temporary.len) {
            self.release(handle);
            return 0;
        }
        self.temporary[self.temporary_count] = handle;
        self.temporary_count += 1;
        return handle;
    }

    fn deviceArgument(self: *Round) u32 {
        self.on = if (self.wantsGpu()) self.gpuDevice() else self.devices[self.below(self.device_count)];
        if (self.odd()) return switch (self.below(4)) {
            0 => 0,
            1 => self.anyInteger(),
            2 => @intCast(self.device_count + self.below(600)),
            else => explain_bit | self.anyInteger(),
        };
        self.explained = self.chance(12);
        return if (self.explained) self.on.handle | explain_bit else self.on.handle;
    }

    /// Whether a call is better made of a GPU, being of no use elsewhere.
    fn wantsGpu(self: *Round) bool {
        if (!self.with_gpu or !self.chance(80)) return false;
        for ([_][]const u8{ "gpu_", "tensor_upload", "tensor_download", "tensor_finish" }) |start| {
            if (std.mem.startsWith(u8, self.entry.name, start)) return true;
        }
        return false;
    }

    fn gpuDevice(self: *const Round) Device {
        for (self.devices[0..self.device_count]) |known| if (known.gpu) return known;
        return self.devices[0];
    }

    // Tensors that fit.

    fn sizeOf(self: *Round, letter: u8) usize {
        const known = &self.sizes.known[letter - 'A'];
        if (known.* == null) known.* = switch (letter) {
            // Few axes are long where there are many of them.
            'B', 'G', 'H', 'S' => if (self.chance(4)) 0 else 1 + self.below(3),
            'E' => if (self.chance(4)) 0 else 1 + self.below(9),
            else => self.anySize(),
        };
        return known.*.?;
    }

    fn shapeOf(self: *Round, dims: []const u8, shape: *[tensor.rank_max]usize) []usize {
        var rank: usize = 0;
        var i: usize = 0;
        while (i < dims.len) : (i += 1) {
            switch (dims[i]) {
                '.' => for (self.sizes.lead[0..self.sizes.lead_len]) |size| {
                    shape[rank] = size;
                    rank += 1;
                },
                '(' => {
                    const end = std.mem.indexOfScalarPos(u8, dims, i, ')').?;
                    shape[rank] = 1;
                    for (dims[i + 1 .. end]) |letter| shape[rank] *|= self.sizeOf(letter);
                    i = end;
                    rank += 1;
                },
                '0'...'9' => |digit| {
                    shape[rank] = digit - '0';
                    rank += 1;
                },
                else => |letter| {
                    shape[rank] = self.sizeOf(letter);
                    if (i + 1 < dims.len and dims[i + 1] == '+') {
                        shape[rank] += 1;
                        i += 1;
                    }
                    rank += 1;
                },
            }
        }
        return shape[0..rank];
    }

    fn dtypeOf(self: *Round, letter: u8) tensor.Dtype {
        return switch (letter) {
            'f', 'p' => self.float,
            'u' => .u32,
            'i' => if (self.chance(50)) .i32 else .u32,
            else => if (self.chance(70)) self.float else self.pick(tensor.Dtype, std.enums.values(tensor.Dtype)),
        };
    }

    fn tensorArgument(self: *Round, argument: *const Argument) u32 {
        if (argument.dtype == '0') return if (self.odd()) self.anyHandle() else 0;
        if (argument.optional and self.chance(30)) return 0;
        if (self.odd()) return self.anyHandle();
        // In place.
        if (self.chance(8)) for (self.made[0..self.made_count]) |made| {
            if (made.dtype == argument.dtype and std.mem.eql(u8, made.dims, argument.dims)) return made.handle;
        };
        const handle = self.fitting(argument);
        if (handle != 0 and self.made_count < self.made.len) {
            self.made[self.made_count] = .{ .handle = handle, .dims = argument.dims, .dtype = argument.dtype };
            self.made_count += 1;
        }
        return handle;
    }

    fn fitting(self: *Round, argument: *const Argument) u32 {
        var buffer: [tensor.rank_max]usize = undefined;
        const shape = self.shapeOf(argument.dims, &buffer);
        const dtype = self.dtypeOf(argument.dtype);
        if (self.odd() and shape.len > 0) shape[self.below(shape.len)] = self.anySize();
        if (argument.dtype == 'p') return self.prepacked(shape, dtype);
        const handle = if (self.on.gpu) self.onGpu(shape, dtype) else self.layOut(shape, dtype, argument.dense, argument.written);
        const t = find(handle) orelse return handle;
        if (argument.content != .numbers or self.chance(25)) self.fill(t, argument);
        return handle;
    }

    fn prepacked(self: *Round, shape: []const usize, dtype: tensor.Dtype) u32 {
        const weight = self.layOut(shape, dtype, true, false);
        return self.keep(prepack.entries.prepacked_new(self.on.handle, weight, 0));
    }

    fn onGpu(self: *Round, shape: []const usize, dtype: tensor.Dtype) u32 {
        var sizes: [tensor.rank_max]f64 = undefined;
        for (sizes[0..shape.len], shape) |*to, size| to.* = @floatFromInt(size);
        return self.keep(gpu.entries.gpu_tensor(self.on.handle, @backingInt(dtype), @intCast(shape.len), &sizes));
    }

    /// A tensor of this shape: a new one, or a view of one that there is, in some order of its axes.
    fn layOut(self: *Round, shape: []const usize, dtype: tensor.Dtype, dense: bool, written: bool) u32 {
        if (self.chance(20)) return self.keep(tensor.create(dtype, shape) catch 0);
        var strides: [tensor.rank_max]isize = undefined;
        self.stridesOf(shape, strides[0..shape.len], dense, written);
        var low: usize = 0;
        var span: usize = 1;
        for (shape, strides[0..shape.len]) |size, stride| {
            if (size == 0) return self.keep(tensor.create(dtype, shape) catch 0);
            const reach = std.math.mul(usize, size - 1, @abs(stride)) catch return 0;
            span = std.math.add(usize, span, reach) catch return 0;
            if (stride < 0) low += reach;
        }
        const base = self.baseOf(dtype, span) orelse return self.keep(tensor.create(dtype, shape) catch 0);
        const room = base.len - span;
        const at = switch (self.below(4)) {
            0 => 0,
            1 => self.below(room + 1),
            else => room,
        };
        var layout: [1 + 2 * tensor.rank_max]f64 = undefined;
        layout[0] = @floatFromInt(at + low);
        for (shape, strides[0..shape.len], 0..) |size, stride, i| {
            layout[1 + i] = @floatFromInt(size);
            layout[1 + shape.len + i] = @floatFromInt(stride);
        }
        return self.keep(tensor.entries.tensor_view(base.handle, @intCast(shape.len), &layout));
    }

    fn stridesOf(self: *Round, shape: []const usize, strides: []isize, dense: bool, written: bool) void {
        const way = if (dense) 0 else self.below(10);
        const gap: isize = if (way >= 6) @intCast(1 + self.below(5)) else 0;
        var stride: isize = 1;
        var i = shape.len;
        while (i > 0) {
            i -= 1;
            strides[i] = stride;
            stride *|= @intCast(@min(@max(shape[i], 1), 1 << 40));
            if (i + 1 == shape.len) stride +|= gap;
        }
        if (shape.len >= 2 and way == 7) { // transposed
            strides[shape.len - 1] = @intCast(@min(shape[shape.len - 2], 1 << 40));
            strides[shape.len - 2] = 1;
        }
        if (shape.len >= 1 and way == 8) strides[self.below(shape.len)] *= -1;
        if (shape.len >= 1 and way == 9 and (!written or self.chance(20))) {
            const axis = self.below(shape.len);
            if (shape[axis] <= count_max) strides[axis] = 0;
        }
    }

    /// One that no other tensor of this call lies in.
    fn baseOf(self: *Round, dtype: tensor.Dtype, len: usize) ?*Base {
        const first = self.below(self.base_count);
        for (0..self.base_count) |i| {
            const base = &self.bases[(first + i) % self.base_count];
            if (base.dtype != dtype or base.len < len or base.used_by == self.number) continue;
            base.used_by = self.number;
            return base;
        }
        return null;
    }

    // Contents.

    fn fill(self: *Round, t: *const Tensor, argument: *const Argument) void {
        const n = countOf(t);
        if (n == 0 or n > 1 << 16) return;
        const limit = self.limitOf(argument.limit);
        if (t.storage.chunk != null) {
            var values: [1 << 14]u32 = undefined;
            if (t.dtype.bytes() != 4 or n > values.len) return;
            for (values[0..n], 0..) |*value, i| value.* = self.content(argument.content, i, n, limit);
            _ = tensor.entries.tensor_upload(self.temporary[self.temporary_count - 1], @ptrCast(&values), @floatFromInt(4 * n));
            return;
        }
        if (guarded.blockOf(t.storage.block)) |b| b.stale = true;
        var index: [tensor.rank_max]usize = @splat(0);
        for (0..n) |i| {
            const at = elementAt(t, &index);
            next(t, &index);
            if (argument.content == .numbers) {
                self.put(t, at);
                continue;
            }
            @as(*align(1) u32, @ptrCast(at)).* = self.content(argument.content, i, n, limit);
        }
    }

    fn content(self: *Round, what: contracts.Content, i: usize, n: usize, limit: usize) u32 {
        const value: usize = switch (what) {
            .numbers => self.prng.random().int(u32),
            .ids => self.below(limit),
            .offsets => if (i == 0) 0 else if (i + 1 == n) limit else limit * i / n,
            .order => self.permuted(n)[@min(i, self.permutation.len - 1)],
            .places => for (self.permuted(n), 0..) |o, p| {
                if (o == i) break p;
            } else 0,
        };
        return if (self.mood != .fits and self.chance(2)) self.anyInteger() else @truncate(value);
    }

    fn permuted(self: *Round, n: usize) []const u32 {
        const len = @min(n, self.permutation.len);
        if (self.permutation_len != len) {
            self.permutation_len = len;
            for (self.permutation[0..len], 0..) |*o, i| o.* = @intCast(i);
            self.prng.random().shuffle(u32, self.permutation[0..len]);
        }
        return self.permutation[0..len];
    }

    fn limitOf(self: *Round, dims: []const u8) usize {
        if (dims.len == 0) return 0;
        var shape: [tensor.rank_max]usize = undefined;
        return self.shapeOf(dims, &shape)[0];
    }

    // Arguments.

    fn begin(self: *Round, number: u64) void {
        self.number = number;
        self.entry = &entries[self.chooseEntry()];
        self.template = self.pick([]const Argument, self.entry.templates);
        self.mood = switch (self.below(20)) {
            0...10 => .fits,
            11...17 => .odd,
            else => .arbitrary,
        };
        self.sizes = .{};
        self.sizes.lead_len = self.pick(usize, &.{ 0, 0, 1, 1, 2 });
        for (self.sizes.lead[0..self.sizes.lead_len]) |*size| size.* = if (self.chance(5)) 0 else 1 + self.below(4);
        if (self.chance(2)) { // something huge beside nothing
            self.sizes.known[self.below(26)] = 0;
            for (0..4) |_| self.sizes.known[self.below(26)] = self.pick(usize, &.{ 0, 1 << 31, 1 << 32, 1 << 40, (1 << 53) - 1 });
        }
        self.float = if (self.chance(60)) .f32 else .f64;
        self.on = if (self.wantsGpu()) self.gpuDevice() else self.devices[0];
        self.explained = false;
        self.word_count = 0;
        self.temporary_count = 0;
        self.written_count = 0;
        self.made_count = 0;
        self.permutation_len = null;
        self.repeats = 1;
        self.bytes = &.{};
        for (self.template) |argument| if (argument.kind == .count) {
            self.repeats = if (self.odd()) self.below(30) else 1 + self.below(4);
        };
        guarded.at_end = self.chance(75);
        // Buffers last: how long they are, other arguments say.
        for (self.template, 0..) |*argument, i| if (!isBuffer(argument.kind) or argument.kind == .list) {
            self.arguments[i] = self.argumentOf(argument, i);
        };
        for (self.template, 0..) |*argument, i| if (isBuffer(argument.kind)) {
            self.arguments[i] = @intFromPtr(self.bufferFor(argument, i).ptr);
        };
        self.noteWritten();
    }

    fn chooseEntry(self: *Round) usize {
        while (true) {
            const i = self.below(entries.len);
            const name = entries[i].name;
            if (!self.with_gpu and std.mem.startsWith(u8, name, "gpu_")) continue;
            if (!isRare(name) or self.chance(5)) return i;
        }
    }

    /// Entries that take long, or change what many later calls do.
    fn isRare(name: []const u8) bool {
        const rare = .{ "device_new", "memory_trim", "explain_begin", "explain_end", "peak_multiply_add", "gpu_open", "gpu_trim" };
        inline for (rare) |other| if (std.mem.eql(u8, name, other)) return true;
        return false;
    }

    fn isBuffer(kind: contracts.Kind) bool {
        return switch (kind) {
            .list, .sizes, .layout, .data, .numbers, .text, .settings => true,
            else => false,
        };
    }

    fn argumentOf(self: *Round, argument: *const Argument, i: usize) u64 {
        return switch (argument.kind) {
            .device => self.deviceArgument(),
            .tensor => self.tensorArgument(argument),
            .list => list: {
                for (argument.elements) |*element| for (0..self.repeats) |_| self.addWord(switch (element.kind) {
                    .word => if (self.odd()) self.anyInteger() else @intCast(self.below(2)),
                    else => self.tensorArgument(element),
                });
                break :list 0;
            },
            .count => self.repeats,
            .words => words: {
                // Another number of them, and as many handles.
                if (self.odd()) self.word_count = @min(self.below(30), self.word_count);
                break :words self.word_count;
            },
            .word => self.below(2),
            .integer => self.integer(argument),
            .float => @bitCast(if (argument.choices.len == 0 or self.odd()) self.anyFloat() else self.pick(f64, argument.choices)),
            .dtype => if (self.odd()) self.anyInteger() else self.below(4),
            .rank => if (self.odd()) self.anyInteger() else self.below(5),
            .bytes => @bitCast(if (self.odd()) self.anyFloat() else self.bytesOf(i)),
            .request => if (self.odd()) self.anyHandle() else self.pick(u32, &self.requests),
            .base => if (self.odd()) self.anyHandle() else self.pool[self.below(self.pool_count)],
            .freed => self.toFree(),
            .capacity => if (argument.choices.len == 0 or self.odd()) self.below(300) else @intFromFloat(self.pick(f64, argument.choices)),
            .unknown => switch (self.below(10)) {
                0...6 => self.tensorArgument(argument),
                7 => self.anyHandle(),
                8 => self.anyInteger(),
                else => self.below(4),
            },
            .sizes, .layout, .data, .numbers, .text, .settings => unreachable,
        };
    }

    fn addWord(self: *Round, word: u32) void {
        if (self.word_count == words_max) @panic("too many words");
        self.words[self.word_count] = word;
        self.word_count += 1;
    }

    fn integer(self: *Round, argument: *const Argument) u64 {
        const chosen: u32 = @intFromFloat(self.pick(f64, argument.choices));
        if (argument.fixed or !self.odd()) return chosen;
        return (self.anyInteger() & ~argument.kept_bits) | (chosen & argument.kept_bits);
    }

    /// Bytes of the tensor or request that the same call names.
    fn bytesOf(self: *Round, i: usize) f64 {
        for (self.template[0..i], self.arguments[0..i]) |argument, handle| {
            if (argument.kind != .tensor) continue;
            const t = find(@truncate(handle)) orelse continue;
            const bytes = countOf(t) *| t.dtype.bytes();
            if (bytes <= buffer_max) return @floatFromInt(bytes);
        }
        return @floatFromInt(4 * self.below(30));
    }

    /// None of those that views are made of.
    fn toFree(self: *Round) u32 {
        if (self.odd()) {
            const handle = self.anyHandle();
            return if (self.isBase(handle)) 0 else handle;
        }
        return self.keep(tensor.create(.f32, &.{3}) catch 0);
    }

    fn bufferFor(self: *Round, argument: *const Argument, i: usize) []u8 {
        const after = if (i + 1 < self.entry.parameters) self.arguments[i + 1] else 0;
        const size: usize = switch (argument.kind) {
            .list => 4 * self.word_count,
            .sizes => 8 * self.rankOf(),
            .layout => 8 * (if (self.rankOf() == 0 and self.rankArgument() != 0) 0 else 1 + 2 * self.rankOf()),
            .data => self.dataBytes(),
            .numbers, .settings => 8 * if (argument.choices.len > 0) @as(usize, @intFromFloat(argument.choices[0])) else @min(after, 1000),
            .text => @min(after, buffer_max),
            else => unreachable,
        };
        self.bytes = self.buffer.take(size, self.chance(75));
        switch (argument.kind) {
            .list => @memcpy(self.bytes, std.mem.sliceAsBytes(self.words[0..self.word_count])),
            .sizes => for (std.mem.bytesAsSlice(f64, self.bytes)) |*number| {
                number.* = self.sizeNumber();
            },
            .layout => for (std.mem.bytesAsSlice(f64, self.bytes), 0..) |*number, k| {
                number.* = self.layoutNumber(k);
            },
            .settings => for (std.mem.bytesAsSlice(f64, self.bytes), 0..) |*number, k| {
                number.* = self.setting(k);
            },
            .data, .text => self.prng.random().bytes(self.bytes[0..@min(self.bytes.len, 256)]),
            else => {},
        }
        @memcpy(self.bytes_before[0..size], self.bytes);
        return self.bytes;
    }

    fn rankArgument(self: *const Round) u32 {
        for (self.template, 0..) |argument, i| if (argument.kind == .rank) return @truncate(self.arguments[i]);
        return 0;
    }

    /// Sizes that a buffer holds: none where there are more than a tensor has axes, since nobody may read them.
    fn rankOf(self: *const Round) usize {
        const rank = self.rankArgument();
        return if (rank > tensor.rank_max) 0 else rank;
    }

    /// None where the number is no number of bytes, or more than anything here has.
    fn dataBytes(self: *const Round) usize {
        for (self.template, 0..) |argument, i| if (argument.kind == .bytes) {
            const bytes: f64 = @bitCast(self.arguments[i]);
            return if (bytes >= 0 and bytes <= buffer_max) @intFromFloat(bytes) else 0;
        };
        return 0;
    }

    fn sizeNumber(self: *Round) f64 {
        return if (self.odd()) self.anyFloat() else @floatFromInt(self.below(9));
    }

    /// Offset, sizes and strides, mostly of a view of which something lies in its base.
    fn layoutNumber(self: *Round, k: usize) f64 {
        if (self.odd()) return self.anyFloat();
        if (k == 0) return @floatFromInt(self.below(40));
        if (k <= self.rankOf()) return @floatFromInt(self.below(6));
        return @as(f64, @floatFromInt(self.below(20))) - @as(f64, if (self.chance(20)) 5 else 0);
    }

    /// Never more than three threads: a device is used by the calls that follow.
    fn setting(self: *Round, k: usize) f64 {
        if (k == knobs.position("threads")) return self.pick(f64, &.{ -1, 1, 2, 3, std.math.nan(f64), 1e9, 2.5 });
        if (k == knobs.position("isa")) return self.pick(f64, &.{ -1, 0, 1, 2, 3, 4 });
        if (k >= knobs.table.len or self.chance(80)) return -1;
        return if (self.odd()) self.anyFloat() else self.pick(f64, &.{ 0, 1, 2, 64, 4096, 9007199254740991 });
    }

    // The call.

    /// The tensors that the call may change.
    fn noteWritten(self: *Round) void {
        // It runs earlier calls, of any tensors.
        if (std.mem.eql(u8, self.entry.name, "together_commit")) {
            for (self.pool[0..self.pool_count]) |handle| self.mayWrite(handle);
            for (self.bases[0..self.base_count]) |base| self.mayWrite(base.handle);
        }
        var word: usize = 0;
        for (self.template, 0..) |argument, i| switch (argument.kind) {
            .tensor, .unknown => if (argument.written) self.mayWrite(@truncate(self.arguments[i])),
            .list => for (argument.elements) |element| for (0..self.repeats) |_| {
                if (element.written and word < self.word_count) self.mayWrite(self.words[word]);
                word += 1;
            },
            else => {},
        };
    }

    fn mayWrite(self: *Round, handle: u32) void {
        const t = find(handle) orelse return;
        if (t.storage.chunk != null or self.written_count == self.written.len) return;
        self.written[self.written_count] = .{ .handle = handle, .tensor = t.* };
        self.written_count += 1;
    }

    /// Writes out call `number` in place of making it.
    pub fn describe(self: *Round, number: u64) void {
        self.begin(number + 1);
        self.print();
    }

    /// Makes call `number` of the round and looks at what became of everything.
    pub fn step(self: *Round, number: u64, told: bool) !void {
        self.shared.begun.store(number + 1, .release);
        self.begin(number + 1);
        const e = self.entryIndex();
        self.shared.entry.store(@intCast(e), .release);
        guarded.look();
        if (told) self.print();
        if (self.chance(2)) guarded.fails_at = @intCast(self.below(4));
        const begun = now();
        const result = self.entry.call(&self.arguments);
        const took = now() - begun;
        guarded.fails_at = -1;
        if (told) std.debug.print("answered {any}\n", .{result});
        const outcome = try self.outcomeOf(result);
        self.shared.counts[e][@backingInt(outcome)] += 1;
        self.shared.longest_ns[e] = @max(self.shared.longest_ns[e], took);
        try self.checkMemory(outcome);
        try self.checkBuffer(outcome, result);
        self.tidy(result);
        if (guarded.fault) |text| return self.fail("{s}", .{text});
    }

    fn entryIndex(self: *const Round) usize {
        return (@intFromPtr(self.entry) - @intFromPtr(&entries)) / @sizeOf(Entry);
    }

    fn outcomeOf(self: *Round, result: Result) !Outcome {
        if (std.mem.eql(u8, self.entry.name, "last_status")) return .ok;
        const counted = !std.mem.eql(u8, self.entry.name, "gpu_span_begin");
        const code: i64 = switch (result) {
            .none => return .ok,
            .u32 => |handle| return if (handle != 0) .ok else .refused,
            .f64 => |number| if (std.math.isNan(number)) return self.fail("answered NaN", .{}) else if (number >= 0) 0 else 1,
            .i32 => |code| if (counted) @abs(code) else if (code < 0) 1 else 0,
        };
        if (code >= status.names.len) return self.fail("answered {d}, which is no status", .{code});
        if (code == status.code(error.Explained)) return .explained;
        return if (code == 0) .ok else .refused;
    }

    /// Nothing may have changed but the outputs of a call that went well.
    fn checkMemory(self: *Round, outcome: Outcome) !void {
        for (guarded.blocks[0..guarded.count], 0..) |*b, i| {
            if (b.stale or !b.changed()) continue;
            if (outcome == .refused) return self.fail("changed memory and answered an error", .{});
            if (outcome == .explained or self.explained) return self.fail("changed memory, though it was only to be explained", .{});
            for (self.written[0..self.written_count]) |*written| self.allow(b, &written.tensor);
            if (!b.changed()) continue;
            const at = for (b.pages, b.copy.?, 0..) |x, y, k| {
                if (x != y) break k;
            } else 0;
            const where = .{ at, i, b.bytes, b.begin };
            return self.fail("changed byte {d} of block {d}, which holds {d} bytes from byte {d} on and is no output there", where);
        }
    }

    /// Takes over what an output's elements hold.
    fn allow(_: *Round, b: *guarded.Block, t: *const Tensor) void {
        const n = countOf(t);
        if (n == 0 or !b.holds(@intFromPtr(t.storage.block))) return;
        if (t.panels != null) {
            @memcpy(b.copy.?[b.begin..][0..b.bytes], b.pages[b.begin..][0..b.bytes]);
            return;
        }
        var index: [tensor.rank_max]usize = @splat(0);
        // What lies in a row goes together.
        const run = if (t.rank > 0 and t.strides_[t.rank - 1] == 1) t.shape_[t.rank - 1] else 1;
        var i: usize = 0;
        while (i < n) : (i += run) {
            const at = @intFromPtr(elementAt(t, &index)) - @intFromPtr(b.pages.ptr);
            const bytes = run * t.dtype.bytes();
            @memcpy(b.copy.?[at..][0..bytes], b.pages[at..][0..bytes]);
            if (run > 1) index[t.rank - 1] = run - 1;
            next(t, &index);
        }
    }

    fn checkBuffer(self: *Round, outcome: Outcome, result: Result) !void {
        for (self.template, 0..) |argument, i| if (isBuffer(argument.kind)) {
            const filled = self.entry.fills[i] and (outcome == .ok or result == .u32);
            const same = guarded.same(self.bytes, self.bytes_before[0..self.bytes.len]);
            if (!filled and !same) return self.fail("changed a buffer of JavaScript", .{});
        };
        // What lies beside it in its pages.
        const pages = self.buffer.pages;
        const begin_ = if (self.bytes.len == 0) pages.len else @intFromPtr(self.bytes.ptr) - @intFromPtr(pages.ptr);
        const end = begin_ + self.bytes.len;
        for ([2][]const u8{ pages[begin_ -| 256..begin_], pages[end..@min(end + 256, pages.len)] }) |beside| for (beside) |byte| {
            if (byte != 0xff) return self.fail("changed what lies beside a buffer of JavaScript", .{});
        };
        @memset(self.bytes, 0xff);
    }

    /// Takes what the call made, and lets go what was made for it.
    fn tidy(self: *Round, result: Result) void {
        const name = self.entry.name;
        if (std.mem.eql(u8, name, "device_free")) self.renewDevices();
        if (result == .u32 and result.u32 != 0) {
            const handle = result.u32;
            if (std.mem.eql(u8, name, "device_new") or std.mem.eql(u8, name, "gpu_open")) {
                self.takeDevice(handle);
            } else if (std.mem.eql(u8, name, "tensor_download")) {
                self.requests[self.below(self.requests.len)] = handle;
            } else if (find(handle) != null) _ = self.keep(handle);
        }
        for (self.temporary[0..self.temporary_count]) |handle| {
            if (find(handle) == null) {
                self.remember(handle);
            } else if (self.chance(10) and countOf(find(handle).?) <= count_max) self.addLive(handle) else self.release(handle);
        }
        // One that an entry freed is live no more.
        var i: usize = 0;
        while (i < self.pool_count) {
            if (find(self.pool[i]) != null) {
                i += 1;
                continue;
            }
            self.remember(self.pool[i]);
            self.pool_count -= 1;
            self.pool[i] = self.pool[self.pool_count];
        }
    }

    fn takeDevice(self: *Round, handle: u32) void {
        for (self.devices[0..self.device_count]) |known| if (known.handle == handle) return;
        const d = device.get(handle) catch return;
        const full = self.device_count == self.devices.len;
        const i = if (full) self.fixed_devices + self.below(self.devices.len - self.fixed_devices) else self.device_count;
        self.devices[i] = .{ .handle = handle, .name = @tagName(d.isa), .gpu = d.gpu != null };
        self.device_count = @max(self.device_count, i + 1);
    }

    fn fail(self: *Round, comptime text: []const u8, arguments: anytype) error{Found} {
        const said = std.fmt.bufPrint(&self.shared.message, text, arguments) catch self.shared.message[0..0];
        self.shared.message_len = said.len;
        return error.Found;
    }

    // Words.

    fn print(self: *Round) void {
        std.debug.print("tw_{s}\n", .{self.entry.name});
        for (self.template, 0..) |argument, i| switch (argument.kind) {
            .device => {
                const how = if (self.explained) ", explained" else "";
                std.debug.print("  device {d} ({s}{s})\n", .{ self.arguments[i], self.on.name, how });
            },
            .tensor, .base, .freed => printTensor(@truncate(self.arguments[i]), argument.written),
            .list => {
                var word: usize = 0;
                for (argument.elements) |element| for (0..self.repeats) |_| {
                    if (word >= self.word_count) break;
                    if (element.kind == .tensor) printTensor(self.words[word], element.written);
                    if (element.kind == .word) std.debug.print("  word {d}\n", .{self.words[word]});
                    word += 1;
                };
            },
            .float, .bytes => std.debug.print("  {e}\n", .{@as(f64, @bitCast(self.arguments[i]))}),
            .sizes, .layout, .settings => std.debug.print("  {any}\n", .{std.mem.bytesAsSlice(f64, self.bytes)}),
            .data, .text, .numbers => std.debug.print("  {d} bytes\n", .{self.bytes.len}),
            else => std.debug.print("  {d} (0x{x})\n", .{ self.arguments[i], self.arguments[i] }),
        };
    }

    fn printTensor(handle: u32, written: bool) void {
        std.debug.print("  {s} 0x{x}", .{ if (written) "output" else "input", handle });
        const t = find(handle) orelse return std.debug.print(", no tensor\n", .{});
        const first = @as(isize, @bitCast(@intFromPtr(t.data) -% @intFromPtr(t.storage.block)));
        std.debug.print(" {s} {any} strides {any} from byte {d} of {d}{s}\n", .{
            @tagName(t.dtype),
            t.shape(),
            t.strides(),
            first,
            t.storage.bytes,
            if (t.panels != null) " prepacked" else if (t.storage.chunk != null) " gpu" else "",
        });
    }
};

/// Any live tensor of this thread.
fn find(handle: u32) ?*Tensor {
    return tensor.find(handle) catch null;
}

fn countOf(t: *const Tensor) usize {
    var n: usize = 1;
    for (t.shape()) |size| if (size == 0) return 0;
    for (t.shape()) |size| n *|= size;
    return n;
}

fn elementAt(t: *const Tensor, index: *const [tensor.rank_max]usize) [*]u8 {
    var at: isize = 0;
    for (index[0..t.rank], t.strides()) |i, stride| at += stride * @as(isize, @intCast(i));
    const bytes: isize = @intCast(t.dtype.bytes());
    return @ptrFromInt(@as(usize, @bitCast(@as(isize, @bitCast(@intFromPtr(t.data))) + at * bytes)));
}

fn next(t: *const Tensor, index: *[tensor.rank_max]usize) void {
    var axis: usize = t.rank;
    while (axis > 0) {
        axis -= 1;
        index[axis] += 1;
        if (index[axis] < t.shape_[axis]) return;
        index[axis] = 0;
    }
}

fn now() u64 {
    var time: std.c.timespec = undefined;
    _ = std.c.clock_gettime(.MONOTONIC, &time);
    return @as(u64, @intCast(time.sec)) * std.time.ns_per_s + @as(u64, @intCast(time.nsec));
}

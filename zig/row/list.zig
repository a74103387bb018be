//! Elementwise work over lists of tensors in one call: element j of tensor i of every column goes together, as a parameter with its gradient and its state.
//!
//! A model has a few large tensors and many small ones. A call for each would wake the workers for each, and the small ones would be done by one; here the
//! elements of all are one flat list of jobs, and a chunk of it may begin in one tensor and end in another. For work that treats each element by itself: the
//! cut must not show in the result.

const std = @import("std");
const simd = @import("../isa/simd.zig");
const device = @import("../device.zig");
const launch = @import("../gpu/launch.zig");
const tensor = @import("../tensor.zig");
const Device = device.Device;
const status = @import("../status.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;
const gpa = @import("../memory.zig").gpa;

/// Elements of a job: whole cache lines, and enough of them that a job costs more than finding it.
const unit = 256;

fn unitsOf(count: usize) usize {
    return std.math.divCeil(usize, count, unit) catch unreachable;
}

/// Runs of `count` elements, one of each column, and the numbers of the step.
pub fn Run(comptime T: type, comptime columns: usize, comptime Step: type) type {
    return extern struct { data: [columns][*]T, count: usize, step: *const Step };
}

/// The micro-kernel of a step: `formula.next(step, columns)` answers the new elements of the first columns from those of all.
pub fn Kernel(comptime T: type, comptime columns: usize, comptime written: usize, comptime Step: type, comptime formula: type) type {
    return struct {
        const V = simd.Vec(T);

        pub fn update(p: *const Run(T, columns, Step)) callconv(.c) void {
            @setEvalBranchQuota(10_000);
            const lanes = simd.lanes;
            var x: [columns]V = undefined;
            var i: usize = 0;
            while (i + lanes <= p.count) : (i += lanes) {
                inline for (&x, p.data) |*v, from| v.* = simd.load(T, from + i);
                const next: [written]V = formula.next(p.step, x);
                inline for (0..written) |k| simd.store(p.data[k] + i, next[k]);
            }
            const left = p.count - i;
            if (left == 0) return;
            inline for (&x, p.data) |*v, from| v.* = simd.loadPartial(T, from + i, left, 0);
            const next: [written]V = formula.next(p.step, x);
            inline for (0..written) |k| simd.storePartial(p.data[k] + i, next[k], left);
        }
    };
}

const Extent = struct {
    low: usize,
    high: usize,
    written: bool,

    fn of(x: *const Tensor, written: bool) Extent {
        const low, const high = x.extent();
        return .{ .low = low, .high = high, .written = written };
    }

    fn before(_: void, x: Extent, y: Extent) bool {
        return x.low < y.low;
    }
};

/// Fails where something written shares a byte with anything else. Sorted by their begins, a range that meets an earlier one meets the furthest end so far.
fn checkApart(extents: []Extent) Error!void {
    std.sort.pdq(Extent, extents, {}, Extent.before);
    var end: usize = 0;
    var written_end: usize = 0;
    for (extents) |x| {
        if (x.low == x.high) continue;
        if (x.low < written_end or (x.written and x.low < end)) return error.Overlap;
        end = @max(end, x.high);
        if (x.written) written_end = @max(written_end, x.high);
    }
}

/// The tensors behind handles, in memory that the caller gives back with `free`.
pub fn lookUp(handles: []const u32) Error![]const *const Tensor {
    const tensors = gpa.alloc(*const Tensor, handles.len) catch return error.OutOfMemory;
    errdefer gpa.free(tensors);
    for (tensors, handles) |*t, handle| t.* = try tensor.get(handle);
    return tensors;
}

pub fn free(tensors: []const *const Tensor) void {
    gpa.free(tensors);
}

/// Contiguous tensors of one dtype in columns, of which the first `written` are changed.
pub fn List(comptime columns: usize, comptime written: usize) type {
    return struct {
        const Self = @This();

        pub const Item = struct {
            data: [columns][*]u8,
            count: usize,
            /// Jobs of the items before.
            first: usize,
            /// Which of a call's steps it takes.
            choice: u32,

            pub fn ptr(item: *const Item, comptime T: type, column: usize) [*]T {
                return @ptrCast(@alignCast(item.data[column]));
            }
        };

        items: []Item,
        dtype: tensor.Dtype,
        jobs: usize,
        elements: usize,

        /// `tensors` holds column after column, of one length that is not 0. `others` are further tensors that nothing written may touch. `choices` says for
        /// each item which step it takes; without, all take the first.
        pub fn init(tensors: []const *const Tensor, others: []const *const Tensor, choices: ?[]const u32) Error!Self {
            const count = tensors.len / columns;
            const extents = gpa.alloc(Extent, tensors.len + others.len) catch return error.OutOfMemory;
            defer gpa.free(extents);
            for (tensors, extents[0..tensors.len], 0..) |t, *extent, i| {
                if (t.dtype != tensors[0].dtype) return error.DtypeMismatch;
                if (!t.sameShape(tensors[i % count])) return error.ShapeMismatch;
                if (!t.contiguous()) return error.LayoutMismatch;
                extent.* = .of(t, i < written * count);
            }
            for (others, extents[tensors.len..]) |t, *extent| extent.* = .of(t, false);
            try checkApart(extents);

            const items = gpa.alloc(Item, count) catch return error.OutOfMemory;
            var self: Self = .{ .items = items, .dtype = tensors[0].dtype, .jobs = 0, .elements = 0 };
            for (items, tensors[0..count], 0..) |*item, t, i| {
                item.* = .{ .data = undefined, .count = t.count(), .first = self.jobs, .choice = if (choices) |c| c[i] else 0 };
                for (&item.data, 0..) |*data, column| data.* = tensors[column * count + i].data;
                self.jobs += unitsOf(item.count);
                self.elements += item.count;
            }
            return self;
        }

        pub fn deinit(self: *const Self) void {
            gpa.free(self.items);
        }

        /// Calls `body(ctx, item, from, to)` for ranges of elements that together are all of them.
        fn run(
            self: *const Self,
            d: *const Device,
            comptime pass: device.Pass,
            ctx: anytype,
            comptime body: fn (@TypeOf(ctx), usize, usize, usize) void,
        ) void {
            const Range = struct {
                list: *const Self,
                inner: @TypeOf(ctx),

                fn range(r: @This(), begin: usize, end: usize) void {
                    var i = r.list.itemOf(begin);
                    var at = begin;
                    while (at < end) : (i += 1) {
                        const item = &r.list.items[i];
                        const from = (at - item.first) * unit;
                        const to = @min(item.count, (end - item.first) * unit);
                        if (from < to) body(r.inner, i, from, to);
                        at = item.first + unitsOf(item.count);
                    }
                }
            };
            const bytes = self.elements *| (columns + written) *| self.dtype.bytes();
            d.overRange(pass, self.jobs, 1, bytes, Range{ .list = self, .inner = ctx }, Range.range);
        }

        /// Runs the micro-kernel `name` over all elements, each item with the one of `steps` that it takes.
        pub fn update(self: *const Self, d: *const Device, comptime T: type, comptime name: []const u8, steps: anytype) void {
            const Step = std.meta.Elem(@TypeOf(steps));
            const Kernel_ = fn (*const Run(T, columns, Step)) callconv(.c) void;
            const Update = struct {
                list: *const Self,
                steps: []const Step,
                kernel: *const Kernel_,

                fn body(u: *const @This(), i: usize, from: usize, to: usize) void {
                    const item = &u.list.items[i];
                    var r: Run(T, columns, Step) = .{ .data = undefined, .count = to - from, .step = &u.steps[item.choice] };
                    for (&r.data, 0..) |*data, column| data.* = item.ptr(T, column) + from;
                    u.kernel(&r);
                }
            };
            const pass: device.Pass = .{ .kernel = name };
            self.run(d, pass, &Update{ .list = self, .steps = steps, .kernel = d.kernel(Kernel_, name) }, Update.body);
        }

        /// The item that a job lies in: the last one that begins at or before it, which is not an empty one.
        fn itemOf(self: *const Self, job: usize) usize {
            var low: usize = 0;
            var high = self.items.len;
            while (high - low > 1) {
                const middle = low + (high - low) / 2;
                if (self.items[middle].first <= job) low = middle else high = middle;
            }
            return low;
        }
    };
}

/// Calls in place of which all take effect or none: between `begin` and `commit` each does what can fail for a want of memory, and waits. No tensor may be freed
/// in between, else none of them runs; outputs of one may not be read by another.
const Waiting = struct {
    next: ?*Waiting = null,
    device: *const Device,
    run: *const fn (*Waiting) Error!void,
    free: *const fn (*Waiting) void,

    threadlocal var collects = false;
    threadlocal var first: ?*Waiting = null;
    threadlocal var last: ?*Waiting = null;
    threadlocal var freed_before: u64 = 0;

    fn append(w: *Waiting) void {
        if (last) |before| before.next = w else first = w;
        last = w;
    }

    fn begin() void {
        clear();
        collects = true;
        freed_before = tensor.blocks_freed;
    }

    /// Runs them in their order.
    fn commit() Error!void {
        defer clear();
        if (first != null and tensor.blocks_freed != freed_before) return error.InvalidHandle;
        var next = first;
        while (next) |w| : (next = w.next) w.run(w) catch |e| {
            // A GPU records what a call asks for, which may fail by its driver. Those before it cannot be taken back.
            if (w == first) return e;
            if (w.device.gpu) |g| g.lost.store(true, .release);
            return if (w.device.gpu == null) e else error.DeviceLost;
        };
    }

    fn clear() void {
        collects = false;
        while (first) |w| {
            first = w.next;
            w.free(w);
        }
        last = null;
    }

    fn Of(comptime Task: type) type {
        return struct {
            waiting: Waiting,
            task: Task,

            fn make(d: *const Device, task: Task) Error!*Waiting {
                const self = gpa.create(@This()) catch return error.OutOfMemory;
                self.* = .{ .waiting = .{ .device = d, .run = run, .free = free_ }, .task = task };
                return &self.waiting;
            }

            fn run(w: *Waiting) Error!void {
                const self: *@This() = @fieldParentPtr("waiting", w);
                return w.device.submit(&self.task);
            }

            fn free_(w: *Waiting) void {
                const self: *@This() = @fieldParentPtr("waiting", w);
                self.task.deinit();
                gpa.destroy(self);
            }
        };
    }
};

/// Runs a task that owns what it holds, but for tensors; or keeps it until `commit`.
pub fn submit(d: *const Device, task: anytype) Error!void {
    if (!Waiting.collects or d.explains()) {
        defer task.deinit();
        return d.submit(&task);
    }
    errdefer task.deinit();
    Waiting.append(try Waiting.Of(@TypeOf(task)).make(d, task));
}

pub const entries = struct {
    /// From here on calls that change lists of tensors in place are only prepared, until `together_commit` runs them or `together_cancel` forgets them.
    pub fn together_begin() callconv(.c) void {
        Waiting.begin();
    }

    pub fn together_commit() callconv(.c) i32 {
        return status.of(Waiting.commit());
    }

    pub fn together_cancel() callconv(.c) void {
        Waiting.clear();
    }
};

/// A step's numbers, in a tensor so that a recorded program can refresh them; read when a task runs.
pub fn Scalars(comptime count: usize) type {
    return union(enum) {
        f32: *const [count]f32,
        f64: *const [count]f64,

        pub fn of(t: *const Tensor) Error!@This() {
            if (t.rank != 1 or t.shape_[0] != count) return error.ShapeMismatch;
            if (!t.contiguous()) return error.LayoutMismatch;
            return switch (t.dtype) {
                .f32 => .{ .f32 = t.ptr(f32)[0..count] },
                .f64 => .{ .f64 = t.ptr(f64)[0..count] },
                else => error.DtypeMismatch,
            };
        }

        pub fn values(self: @This()) [count]f64 {
            var all: [count]f64 = undefined;
            switch (self) {
                inline else => |from| for (&all, from) |*value, p| {
                    value.* = p;
                },
            }
            return all;
        }
    };
}

/// A step of an optimizer over lists of `columns` tensors, the gradients last, by the kernels `<op>_<dtype>_<kind>`. `Step(T).of(scalars, decays)` works out what
/// the formula needs of `count` scalars.
pub fn Optimizer(
    comptime op: []const u8,
    comptime kind: []const u8,
    comptime columns: usize,
    comptime count: usize,
    comptime Step: fn (type) type,
) type {
    return struct {
        pub const written = columns - 1;
        const Parameters = List(columns, written);

        /// The scalars are read when the task runs: on a device, or in a recorded program, something may have just written them.
        fn Task(comptime T: type) type {
            return struct {
                /// Each takes step 1 where it decays, else step 0.
                parameters: Parameters,
                scalars: Scalars(count),

                pub fn run(self: *const @This(), d: *const Device) void {
                    const scalars = self.scalars.values();
                    const steps = [2]Step(T){ .of(scalars, false), .of(scalars, true) };
                    self.parameters.update(d, T, op ++ "_" ++ @typeName(T) ++ "_" ++ kind, @as([]const Step(T), &steps));
                }

                pub fn deinit(self: *const @This()) void {
                    self.parameters.deinit();
                }

                /// What the shader takes: one parameter with its state, and where the step's numbers are.
                const Args = extern struct {
                    data: [columns - 1][*]f32,
                    gradient: [*]const f32,
                    scalars: *const anyopaque,
                    count: usize,
                    /// Whether the numbers are of f64.
                    wide: bool,
                    decays: u32,
                };

                pub fn dispatch(self: *const @This(), d: *const Device) Error!void {
                    const name = op ++ "_" ++ @typeName(T) ++ "_" ++ kind;
                    if (comptime !launch.exists(name)) return error.Unsupported;
                    for (self.parameters.items) |*item| {
                        var args: Args = .{
                            .data = undefined,
                            .gradient = item.ptr(f32, columns - 1),
                            .scalars = switch (self.scalars) {
                                inline else => |p| @ptrCast(p),
                            },
                            .count = item.count,
                            .wide = self.scalars == .f64,
                            .decays = item.choice,
                        };
                        for (&args.data, 0..) |*data, column| data.* = item.ptr(f32, column);
                        try launch.launch(d, name, args, launch.byElement(name, item.count));
                    }
                }
            };
        }

        pub fn onDevice(d: *const Device, tensors: []const *const Tensor, decays: []const u32, scalars: *const Tensor) Error!void {
            for (decays) |flag| if (flag > 1) return error.InvalidArgument;
            const numbers: Scalars(count) = try .of(scalars);
            switch (tensors[0].dtype) {
                inline .f32, .f64 => |dtype| {
                    const T = if (dtype == .f32) f32 else f64;
                    return submit(d, Task(T){ .parameters = try .init(tensors, &.{scalars}, decays), .scalars = numbers });
                },
                else => return error.Unsupported,
            }
        }

        /// `words`: the handles of each column, then for each parameter whether it decays.
        pub fn checked(device_: u32, words: []const u32, scalars: u32) Error!void {
            const d = try device.get(device_);
            const n = words.len / (columns + 1);
            if (n == 0) return;
            const tensors = try lookUp(words[0 .. columns * n]);
            defer free(tensors);
            return onDevice(d, tensors, words[columns * n ..], try tensor.get(scalars));
        }
    };
}

/// A call that updates the first of each pair of tensors in place. `Task(T)` has the `pairs`, which it owns, and `numbers` of the call, f64.
pub fn Pairs(comptime Task: fn (type) type) type {
    return struct {
        const Numbers = @FieldType(Task(f32), "numbers");

        pub fn onDevice(d: *const Device, tensors: []const *const Tensor, numbers: Numbers) Error!void {
            switch (tensors[0].dtype) {
                inline .f32, .f64 => |dtype| return submit(d, Task(if (dtype == .f32) f32 else f64){
                    .pairs = try .init(tensors, &.{}, null),
                    .numbers = numbers,
                }),
                else => return error.Unsupported,
            }
        }

        /// `handles`: those of the tensors to update, then their partners'.
        pub fn checked(device_: u32, handles: []const u32, numbers: Numbers) Error!void {
            const d = try device.get(device_);
            if (handles.len == 0) return;
            const tensors = try lookUp(handles);
            defer free(tensors);
            return onDevice(d, tensors, numbers);
        }
    };
}

const testing = std.testing;
const arrays = @import("../testing/arrays.zig");

/// Three steps of an optimizer over two parameters of every length, of which the first decays, equal `plain` in f64, with the same bits for any workers.
/// `at(t)` are the scalars of step t from 1 on; `plain` takes the values, the gradient, and the scalars with `decay` zeroed where nothing decays.
pub fn expectPlainSteps(
    comptime Op: type,
    comptime at: anytype,
    comptime decay: usize,
    comptime plain: fn ([]const *f64, f64, @TypeOf(at(1))) void,
) !void {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const kept = Op.written;
    inline for (.{ f32, f64 }) |T| for (arrays.lengths ++ [_]usize{ 1000, 5003 }) |n| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const lens = [2]usize{ n, (n + 7) % 100 };
        var reference: [kept][2][]f64 = undefined;
        var handles: [kept + 1][2]u32 = undefined;
        var twins: [kept + 1][2]u32 = undefined;
        for (0..kept) |k| for (lens, 0..) |len, i| {
            handles[k][i] = try all.normal(T, &.{len}, prng.random(), if (k == 0) 1 else 0);
            twins[k][i] = try all.from(T, &.{len}, arrays.data(T, handles[k][i]));
            reference[k][i] = try arrays.widen(T, arrays.data(T, handles[k][i]));
        };
        defer for (reference) |r| for (r) |x| testing.allocator.free(x);
        for (1..4) |t| {
            const p = at(@floatFromInt(t));
            var still = p;
            still[decay] = 0;
            const scalars = try tensor.get(try all.from(f64, &.{p.len}, &p));
            for (lens, 0..) |len, i| {
                const g = try all.normal(T, &.{len}, prng.random(), 1);
                if (len > 2) arrays.data(T, g)[1] = 0;
                handles[kept][i] = g;
                twins[kept][i] = g;
                for (arrays.data(T, g), 0..) |gradient, j| {
                    var values: [kept]*f64 = undefined;
                    for (&values, reference) |*value, r| value.* = &r[i][j];
                    plain(&values, gradient, if (i == 0) p else still);
                }
            }
            for ([_]u32{ 1, @intCast(1 + n % 8) }, [_]*const [kept + 1][2]u32{ &twins, &handles }) |workers, of| {
                const tensors = try lookUp(@as(*const [2 * (kept + 1)]u32, @ptrCast(of)));
                defer free(tensors);
                try Op.onDevice(&device.forTest(workers), tensors, &.{ 1, 0 }, scalars);
            }
        }
        for (0..kept) |k| for (0..2) |i| {
            try arrays.expectSameBits(T, arrays.data(T, twins[k][i]), arrays.data(T, handles[k][i]));
            try arrays.expectClose(T, reference[k][i], arrays.data(T, handles[k][i]));
        };
    };
}

test "list: every element of every tensor is visited once, for any workers" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const random = prng.random();
    const sizes = [_]usize{ 0, 1, 15, 16, 17, 255, 256, 257, 0, 700, 3000, 0 };
    for (0..20) |_| for ([_]u32{ 1, 2, 3, 8 }) |workers| {
        var all: arrays.Tensors = .{};
        defer all.free();
        const count = random.intRangeAtMost(usize, 1, 9);
        var handles: [18]u32 = undefined;
        for (0..count) |i| {
            const n = sizes[random.uintLessThan(usize, sizes.len)];
            handles[i] = try all.filled(f32, &.{n}, 0);
            handles[count + i] = try all.filled(f32, &.{n}, @floatFromInt(i + 1));
        }
        const tensors = try lookUp(handles[0 .. 2 * count]);
        defer free(tensors);
        const list: List(2, 1) = try .init(tensors, &.{}, null);
        defer list.deinit();
        const Visit = struct {
            fn body(l: *const List(2, 1), i: usize, from: usize, to: usize) void {
                const item = &l.items[i];
                for (item.ptr(f32, 0)[from..to], item.ptr(f32, 1)[from..to]) |*y, x| y.* += x;
            }
        };
        const d = device.forTest(workers);
        list.run(&d, .{ .kernel = null }, &list, Visit.body);
        for (0..count) |i| for (arrays.data(f32, handles[i])) |y| try testing.expectEqual(@as(f32, @floatFromInt(i + 1)), y);
    };
}

test "list: calls together take effect at the commit, or never" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const d = device.forTest(2);
    const Fill = struct {
        list: List(1, 1),
        value: f32,

        pub fn run(self: *const @This(), _: *const Device) void {
            for (self.list.items) |*item| @memset(item.ptr(f32, 0)[0..item.count], self.value);
        }

        pub fn deinit(self: *const @This()) void {
            self.list.deinit();
        }
    };
    const x = try tensor.get(try all.filled(f32, &.{300}, 1));
    const y = try tensor.get(try all.filled(f32, &.{5}, 1));
    const expect = testing.expectEqual;
    entries.together_begin();
    try submit(&d, Fill{ .list = try .init(&.{x}, &.{}, null), .value = 2 });
    try expect(1, x.ptr(f32)[0]);
    entries.together_cancel();
    try expect(0, entries.together_commit());
    try expect(1, x.ptr(f32)[0]);
    entries.together_begin();
    try submit(&d, Fill{ .list = try .init(&.{x}, &.{}, null), .value = 2 });
    try submit(&d, Fill{ .list = try .init(&.{ x, y }, &.{}, null), .value = 3 });
    try expect(1, y.ptr(f32)[4]);
    try expect(0, entries.together_commit());
    for ([_]*const Tensor{ x, y }) |t| for (t.ptr(f32)[0..t.count()]) |v| try expect(3, v);
    try submit(&d, Fill{ .list = try .init(&.{y}, &.{}, null), .value = 4 });
    try expect(4, y.ptr(f32)[0]);
    // Who frees a tensor in between has lost what waits: it may be the memory of one that it would write to.
    entries.together_begin();
    try submit(&d, Fill{ .list = try .init(&.{y}, &.{}, null), .value = 5 });
    try expect(0, tensor.entries.tensor_free(try tensor.create(.f32, &.{7})));
    try expect(status.code(error.InvalidHandle), entries.together_commit());
    try expect(4, y.ptr(f32)[0]);
    try expect(0, entries.together_commit());
}

test "list: what does not fit, and what is written and shares memory, is refused; what is only read may be shared" {
    var all: arrays.Tensors = .{};
    defer all.free();
    const memory = try all.filled(f32, &.{40}, 0);
    const part = struct {
        fn of(a: *arrays.Tensors, m: u32, offset: usize, len: usize) !u32 {
            return a.view(m, offset, &.{len}, &.{1});
        }
    }.of;
    const y = [_]u32{ try part(&all, memory, 0, 10), try part(&all, memory, 10, 5) };
    const x = [_]u32{ try part(&all, memory, 15, 10), try part(&all, memory, 25, 5) };
    const L = struct {
        fn init(handles: []const u32, others: []const *const Tensor) !List(2, 1) {
            const tensors = try lookUp(handles);
            defer free(tensors);
            return .init(tensors, others, null);
        }
    };
    (try L.init(&.{ y[0], y[1], x[0], x[1] }, &.{})).deinit();
    (try L.init(&.{ y[1], x[1] }, &.{try tensor.get(y[0])})).deinit();
    const same = try part(&all, memory, 30, 10);
    (try L.init(&.{ y[0], x[0], same, same }, &.{})).deinit();
    const expect = testing.expectError;
    try expect(error.Overlap, L.init(&.{ y[0], y[0], x[0], same }, &.{}));
    try expect(error.Overlap, L.init(&.{ y[0], y[0] }, &.{}));
    try expect(error.Overlap, L.init(&.{ y[0], try part(&all, memory, 9, 10) }, &.{}));
    try expect(error.Overlap, L.init(&.{ try part(&all, memory, 9, 10), y[0] }, &.{}));
    try expect(error.Overlap, L.init(&.{ y[0], x[0] }, &.{try tensor.get(try part(&all, memory, 4, 2))}));
    // A long range that is only read lies around a short one that is written.
    try expect(error.Overlap, L.init(&.{ try part(&all, memory, 12, 1), y[1], try part(&all, memory, 0, 1), y[1] }, &.{}));
    try expect(error.ShapeMismatch, L.init(&.{ y[0], x[1] }, &.{}));
    try expect(error.LayoutMismatch, L.init(&.{ try all.view(memory, 0, &.{5}, &.{2}), x[1] }, &.{}));
    try expect(error.DtypeMismatch, L.init(&.{ y[1], try all.filled(f64, &.{5}, 0) }, &.{}));
    try expect(error.InvalidHandle, L.init(&.{ y[1], 0 }, &.{}));
    // Empty tensors touch nothing.
    const none = try part(&all, memory, 3, 0);
    (try L.init(&.{ y[0], none, x[0], none }, &.{})).deinit();
}

//! From the arguments of a kernel to a dispatch of the shader of the same name.
//!
//! A shader takes what the kernel takes: one extern struct. Each of its pointers is a buffer of the shader, in their order, with the tensor's place in that
//! buffer as a push constant, `<pointer>_at`, in elements; a null pointer's place is `absent`. The other fields follow as push constants, 32 bits each.
//! Before them all stands `groups`, the number of workgroups: a shader takes rows or elements in strides of it, so any size fits any grid.
//!
//! The table that comes with the compiled shaders tells the names that each declares; a struct that does not fit its shader does not compile.

const std = @import("std");
const device = @import("../device.zig");
const chunks = @import("vulkan/chunks.zig");
const gpu = @import("vulkan/gpu.zig");
const shaders = @import("shaders");
const status = @import("../status.zig");
const Error = status.Error;

/// The place of a tensor that is not there.
pub const absent = std.math.maxInt(u32);

/// How much there is to do.
pub const Work = struct {
    /// Workgroups that would have something to do. None: nothing is dispatched.
    groups: usize,
    /// About how many operations in all.
    cost: u64,
    /// The most rounds that all loops of a thread go while its workgroup does one job, but for a few: see `Adapter.rounds_max`.
    rounds: usize = few_rounds,
    /// What part of its op it is, for `explain`.
    step: ?[]const u8 = null,
};

/// What a shader without a loop over its sizes stays below, trees of sums included.
pub const few_rounds = 64;

/// Rows, a workgroup each, which passes over them so many times at the most, as common/sums.slang does.
pub fn byRow(rows: usize, cols: usize, passes: usize) Work {
    return .{ .groups = if (cols == 0) 0 else rows, .cost = 8 * rows * cols, .rounds = passes * (cols / 1024 + 1) + few_rounds };
}

/// Elements, each a thread's.
pub fn byElement(comptime name: []const u8, count: usize) Work {
    return .{ .groups = std.math.divCeil(usize, count, comptime threads(name)) catch unreachable, .cost = 8 * count };
}

/// Columns of so many parts of the rows, each a thread's.
pub fn byColumn(comptime name: []const u8, rows: usize, cols: usize, parts: usize) Work {
    return .{ .groups = parts * byElement(name, cols).groups, .cost = 8 * rows * cols, .rounds = rows / parts + few_rounds };
}

/// Rows, a team of `across` threads each, which passes over them so many times.
pub fn byTeam(comptime name: []const u8, rows: usize, cols: usize, passes: usize) Work {
    const team = across(name, cols);
    return .{
        .groups = std.math.divCeil(usize, rows, threads(name) / team) catch unreachable,
        .cost = 8 * rows * @max(1, cols),
        .rounds = passes *| (cols / team + 2) +| few_rounds,
    };
}

/// Threads that take a row of so many columns together: a power of two, a whole workgroup at the most. Short rows share a workgroup.
pub fn across(comptime name: []const u8, cols: usize) usize {
    return @min(threads(name), std.math.ceilPowerOfTwoAssert(usize, @max(1, @min(cols, threads(name)))));
}

/// Whether there is a shader of this name.
pub fn exists(comptime name: []const u8) bool {
    return comptime find(name) != null;
}

/// Threads of a workgroup of a shader.
pub fn threads(comptime name: []const u8) comptime_int {
    return shaders.table[find(name).?].threads;
}

fn find(comptime name: []const u8) ?comptime_int {
    @setEvalBranchQuota(100_000);
    for (shaders.table, 0..) |shader, i| if (std.mem.eql(u8, shader.name, name)) return i;
    return null;
}

/// Records the shader `name` with `args`. Unsupported where a number does not fit 32 bits, TooLong where the driver would end its loops early.
pub fn launch(d: *const device.Device, comptime name: []const u8, args: anytype, work: Work) Error!void {
    const Args = @TypeOf(args);
    const index = comptime find(name) orelse @compileError("no shader " ++ name);
    comptime check(Args, shaders.table[index]);
    const g = d.gpu.?;
    const groups: u32 = @intCast(@min(work.groups, g.groups_max));
    if (groups > 0) {
        const rounds = (std.math.divCeil(usize, work.groups, groups) catch unreachable) *| work.rounds;
        if (rounds > g.adapter.rounds_max) return status.tooLong(rounds, g.adapter.rounds_max);
    }
    if (d.explanation) |e| {
        e.note(.{ .step = work.step, .kernel = name, .workers = 0, .why = if (groups == 0) "nothing" else "gpu", .jobs = groups, .grain = threads(name), .bytes = 0 });
        return;
    }
    if (groups == 0) return; // of sizes that may not fit a shader's words
    var call: Call(bindingsOf(Args), shaders.table[index].words.len) = .{ .words = undefined };
    call.words[0] = groups;
    call.buffers(args);
    try call.numbers(args);
    try g.launch(index, &call.bindings, &call.words, groups, work.cost);
}

/// The buffers and words of a dispatch, filled in the order in which `check` names them.
fn Call(comptime binding_count: usize, comptime word_count: usize) type {
    return struct {
        bindings: [binding_count]gpu.Binding = undefined,
        words: [word_count]u32,
        bound: usize = 0,
        said: usize = 1 + binding_count,

        fn buffers(c: *@This(), value: anytype) void {
            const T = @TypeOf(value);
            if (Pointed(T)) |Element| {
                const address: ?usize = if (@typeInfo(T) == .optional) (if (value) |p| @intFromPtr(p) else null) else @intFromPtr(value);
                c.bindings[c.bound] = .{ .address = address, .written = comptime !isConst(T) };
                c.words[1 + c.bound] = if (address) |a| @intCast(chunks.locate(a).offset / elementBytes(Element)) else absent;
                c.bound += 1;
            } else switch (@typeInfo(T)) {
                .@"struct" => inline for (comptime std.meta.fieldNames(T)) |field| c.buffers(@field(value, field)),
                .array => for (value) |element| c.buffers(element),
                else => {},
            }
        }

        fn numbers(c: *@This(), value: anytype) Error!void {
            const T = @TypeOf(value);
            if (Pointed(T) != null) return;
            switch (@typeInfo(T)) {
                .@"struct" => inline for (comptime std.meta.fieldNames(T)) |field| try c.numbers(@field(value, field)),
                .array => for (value) |element| try c.numbers(element),
                else => {
                    c.words[c.said] = try wordOf(value);
                    c.said += 1;
                },
            }
        }
    };
}

/// A buffer whose element type the shader decides holds 32 bits.
fn elementBytes(comptime Element: type) usize {
    return if (Element == anyopaque) 4 else @sizeOf(Element);
}

fn wordOf(value: anytype) Error!u32 {
    switch (@typeInfo(@TypeOf(value))) {
        .int => |info| {
            if (info.signedness == .signed) return @bitCast(std.math.cast(i32, value) orelse return error.Unsupported);
            return std.math.cast(u32, value) orelse error.Unsupported;
        },
        .float => return @bitCast(@as(f32, @floatCast(value))),
        .@"enum" => return @intCast(@backingInt(value)),
        .bool => return @intFromBool(value),
        else => @compileError("a shader takes no " ++ @typeName(@TypeOf(value))),
    }
}

/// What a pointer points to; null for any other type.
fn Pointed(comptime T: type) ?type {
    return switch (@typeInfo(T)) {
        .optional => |o| Pointed(o.child),
        .pointer => |p| p.child,
        else => null,
    };
}

fn isConst(comptime T: type) bool {
    return switch (@typeInfo(T)) {
        .optional => |o| isConst(o.child),
        .pointer => |p| p.attrs.@"const",
        else => unreachable,
    };
}

fn bindingsOf(comptime Args: type) comptime_int {
    return pointerNames(Args, "").len;
}

/// Names of the pointers in a struct and in the structs inside it, whose fields carry the name of the field that holds them before their own. A struct that
/// declares `spread` is a list that several shaders share: its fields have their own names alone.
fn pointerNames(comptime T: type, comptime name: []const u8) []const []const u8 {
    return leafNames(T, name, true);
}

/// Names of the pointers in a type, or of all else that it holds.
fn leafNames(comptime T: type, comptime name: []const u8, comptime pointers: bool) []const []const u8 {
    if (Pointed(T) != null) return if (pointers) &.{name} else &.{};
    var names: []const []const u8 = &.{};
    switch (@typeInfo(T)) {
        .@"struct" => for (std.meta.fieldNames(T)) |field| {
            names = names ++ leafNames(@FieldType(T, field), if (spreads(@FieldType(T, field))) name else prefixed(name, field), pointers);
        },
        .array => |array| for (0..array.len) |i| {
            names = names ++ leafNames(array.child, std.fmt.comptimePrint("{s}_{d}", .{ name, i }), pointers);
        },
        else => if (!pointers) {
            names = &.{name};
        },
    }
    return names;
}

fn numberNames(comptime T: type, comptime name: []const u8) []const []const u8 {
    return leafNames(T, name, false);
}

fn spreads(comptime T: type) bool {
    return @typeInfo(T) == .@"struct" and @hasDecl(T, "spread");
}

fn prefixed(comptime outer: []const u8, comptime field: []const u8) []const u8 {
    return if (outer.len == 0) field else outer ++ "_" ++ field;
}

/// That the shader declares the buffers and words of `Args`, in its order.
fn check(comptime Args: type, comptime shader: shaders.Shader) void {
    @setEvalBranchQuota(200_000);
    const buffers = pointerNames(Args, "");
    var words: []const []const u8 = &.{"groups"};
    for (buffers) |buffer| words = words ++ .{buffer ++ "_at"};
    words = words ++ numberNames(Args, "");
    same(shader.name ++ " buffers", buffers, shader.bindings);
    same(shader.name ++ " words", words, shader.words);
    if (buffers.len > gpu.bindings_max or words.len > gpu.push_words_max) @compileError(shader.name ++ " takes too much");
}

fn same(comptime what: []const u8, comptime wanted: []const []const u8, comptime declared: []const []const u8) void {
    for (0..@max(wanted.len, declared.len)) |i| {
        const w = if (i < wanted.len) wanted[i] else "nothing";
        const s = if (i < declared.len) declared[i] else "nothing";
        if (!std.mem.eql(u8, w, s)) @compileError(std.fmt.comptimePrint("{s}: {d} is {s}, the shader has {s}", .{ what, i, w, s }));
    }
}

test "launch: short rows share a workgroup, in teams of a power of two" {
    const name = "route_f32_rows";
    const expectEqual = std.testing.expectEqual;
    for ([_][2]usize{ .{ 0, 1 }, .{ 1, 1 }, .{ 2, 2 }, .{ 3, 4 }, .{ 8, 8 }, .{ 65, 128 }, .{ 128, 128 }, .{ 5000, 128 } }) |case| {
        try expectEqual(case[1], across(name, case[0]));
    }
    try expectEqual(128, threads(name));
    for ([_][3]usize{ .{ 0, 8, 0 }, .{ 16, 8, 1 }, .{ 17, 8, 2 }, .{ 17, 300, 17 } }) |case| try expectEqual(case[2], byTeam(name, case[0], case[1], 1).groups);
}

test "launch: names of nested structs carry their field's, but for those that are spread" {
    const Inner = extern struct { x: [*]const f32, step: u32 };
    const List = extern struct {
        pub const spread = {};
        y: ?[*]f32,
        inner: Inner,
        size: u32,
    };
    const Args = extern struct { out: [*]f32, list: List, pair: [2]Inner, last: f32 };
    try std.testing.expectEqualDeep(&[_][]const u8{ "out", "y", "inner_x", "pair_0_x", "pair_1_x" }, comptime pointerNames(Args, ""));
    try std.testing.expectEqualDeep(&[_][]const u8{ "inner_step", "size", "pair_0_step", "pair_1_step", "last" }, comptime numberNames(Args, ""));
}

//! What the arguments of each entry mean to the fuzzer: which tensors a call may change, how long its buffers have to be, and
//! shapes that fit together.
//!
//! An entry without a line here is fuzzed with a device, tensors of one shape, handles and flags of all kinds, and may change any tensor
//! that it is passed. One that takes a buffer must have a line, else the fuzzer does not compile. A line is one template or several,
//! each with a word for every parameter:
//!
//!     dev            a device
//!     >f[MN]         a tensor that is written; `<` is one that is read. Element types: f (f32 or f64, the same in a call), u (u32),
//!                    i (i32 or u32), x (any), p (f, prepacked)
//!     [.M(GH)E+2]    its sizes: `.` is some leading axes, a letter one size in a call, (GH) a product, E+ one more than E, a digit itself
//!     ?  !           may be 0; has no gaps
//!     :ids(C)        what it holds: numbers below C; also :offsets(N), which ascend from 0 to N, and :order and :places, which undo
//!                    each other
//!     {…}            a buffer of handles; `words` is the number of them. With a parameter `n` each of its words stands there n times
//!     01             a word of such a buffer that is no handle
//!     #0|1|2         an integer; of #0|2&1 bit 0 stays as chosen, since it decides how long a buffer is; =1|2 is always one of these
//!     @0|0.5         a number
//!     rank sizes layout dtype bytes data request base free
//!                    the arguments of the entries of tensors
//!     numbers:4      a buffer of so many numbers; without a length, of as many as the next parameter says, as are `text` and `settings`
//!     cap=0|64       that number

const std = @import("std");
const device = @import("../device.zig");
const knobs = @import("../knobs.zig");

pub const Kind = enum {
    device,
    tensor,
    list,
    word,
    count,
    words,
    integer,
    float,
    dtype,
    rank,
    sizes,
    layout,
    bytes,
    data,
    request,
    base,
    freed,
    numbers,
    text,
    settings,
    capacity,
    /// Of an entry without a contract: a handle, a flag or a size.
    unknown,
};

pub const Content = enum { numbers, ids, offsets, order, places };

pub const Argument = struct {
    kind: Kind,
    written: bool = false,
    dtype: u8 = 'x',
    dims: []const u8 = ".",
    optional: bool = false,
    dense: bool = false,
    content: Content = .numbers,
    /// The size that the content goes up to.
    limit: []const u8 = "",
    choices: []const f64 = &.{},
    /// Never anything but one of `choices`.
    fixed: bool = false,
    /// Bits of an integer that stay as chosen.
    kept_bits: u32 = 0,
    elements: []const Argument = &.{},
};

const factors = " @1|0|-0.5|1e-3 @0|1|0.5";
const orders = " <u[(RS)]!:order <u[RS]!:places";
const attention_outputs = " >f[B(GH)QD]? >f[BGKD]? >f[BGKD]? <f[B(GH)QD] <f[B(GH)QD] <f[2B(GH)Q]!";
const attention_inputs = " <f[B(GH)QD] <f[BGKD] <f[BGKD]";
const attention_options = " words @0|1|5|inf @0|2|inf @1|0.125|0";

/// The templates of each entry.
pub const table = .{
    .tensor_new = "dtype rank sizes",
    .tensor_upload = ">x[.] data bytes",
    .tensor_download = "<x[.]",
    .tensor_downloaded = "request",
    .tensor_finish = "data request bytes",
    .tensor_view = "base rank layout",
    .tensor_free = "free",
    .tensor_write = ">x[.] data bytes",
    .tensor_read = "data <x[.] bytes",
    .memory_statistics = "numbers:4",
    .error_detail = "numbers:2",
    .device_new = std.fmt.comptimePrint("settings cap={d}", .{knobs.table.len}),
    .device_free = "dev",
    .device_variable = "text cap=0|1|64|4096 #0|1|13",
    .device_describe = std.fmt.comptimePrint("numbers cap={d} dev", .{device.description_len}),
    .gpu_describe = "numbers cap=9 #0|1",
    .gpu_text = "text cap=0|1|64|4096 #0|1 #0|1|2|3|4",
    .gpu_choose = "text cap=0|4|8 @-1|0|1",
    .gpu_open = "#0|1",
    .gpu_tensor = "dev dtype rank sizes",
    .gpu_submit = "dev",
    .gpu_reached = "dev @0|1|2|100",
    .gpu_wait = "dev @0|1|2|100",
    .gpu_span_begin = "dev",
    .gpu_span_end = "dev #0|1|2",
    .gpu_span_seconds = "dev #0|1|2",
    .gpu_span_free = "dev #0|1|2",
    .gpu_peak_multiply_add = "dev =0|1|3 =0|1|100",
    .gpu_peak_copy = "dev >f[.N]! <f[.N]!",
    .gpu_trim = "dev",
    .gpu_statistics = "numbers cap=9 dev",
    .explain_read = "text cap=0|16|4096|16384",
    .peak_multiply_add = "dev =0|1|2|3 =0|1|50",
    .matmul = .{
        "dev >f[.MN] <f[.MK] <f[.KN] <f[N]? #0|4|8|12" ++ factors,
        "dev >f[.MN] <f[.KM] <f[.KN] <f[N]? #1|5|9|13" ++ factors,
        "dev >f[.MN] <f[.MK] <f[.NK] <f[N]? #2|6|10|14" ++ factors,
        "dev >f[.MN] <f[.KM] <f[NK] <f[N]? #3|7|11|15" ++ factors,
        "dev >f[.MN] <f[.MK] <p[KN] <f[N]? #0|4|8|12" ++ factors,
    },
    .matmul_list = .{
        "dev {>f[MN]! <f[MK]! <f[KN]!} n <f[N]? #0|4|8|12" ++ factors,
        "dev {>f[MN]! <f[KM]! <f[NK]!} n <f[N]? #3|7|11|15" ++ factors,
        "dev {>f[MN]! <f[MK]! <p[KN]} n <f[N]? #0" ++ factors,
    },
    .prepacked_new = .{"dev <f[KN] #0|1"},
    .prepack = .{ "dev >p[KN] <f[KN] #0", "dev >p[KN] <f[NK] #1" },
    .linear_backward = "dev >f[.TI]? >f[OI]? >f[O]? <f[.TO] <f[.TI] <f[OI] #0|1|2|4|7",
    .grouped_linear = "dev >f[RO] <f[RI] <u[E+]!:offsets(R) <f[EOI] <f[EO]?",
    .grouped_linear_backward = "dev {>f[RI]? >f[EOI]? >f[EO]? <f[RI] <u[E+]!:offsets(R) <f[EOI]} <f[RO] #0|1|2|4|7",
    .layer_norm = .{
        "dev >f[.C]? >f[.2]!? >f[.C] <f[.C] <f[.C] <f[C]! <f[C]!? @1e-5|0|1",
        "dev >f[.C]? >f[.2]!? >0 <f[.C] <0 <f[C]! <f[C]!? @1e-5|0|1",
    },
    .layer_norm_backward = "dev {>f[.C]? >f[C]!? >f[C]!?} <f[.C] <f[.C]? <f[.C] <f[C]! <f[.2]!? @1e-5|0|1",
    .add = .{ "dev >x[.MN] <x[.MN] <x[.MN]", "dev >x[.MN] <x[.MN] <x[N]", "dev >x[.MN] <x[M1] <x[.MN]" },
    .mul = .{ "dev >x[.MN] <x[.MN] <x[.MN]", "dev >x[.MN] <x[.MN] <x[N]", "dev >x[.MN] <x[M1] <x[.MN]" },
    .scale = "dev >f[.N] <f[.N] @2|0|-1",
    .rms_norm = "dev >f[.C]? >f[.]!? <f[.C] <f[C]! @1e-5|0|1",
    .rms_norm_backward = "dev >f[.C]? >f[C]!? <f[.C] <f[.C] <f[C]! <f[.]!? @1e-5|0|1",
    .softmax = .{
        "dev >f[.QC] <f[.QC] <0 #0|1 @1|0.125",
        "dev >f[.QC] <f[.QC] <f[QC]? #0|1 @1|0.125",
        "dev >f[.QC] <f[.QC] <u[.QC]?:ids(2) #0|1 @1|0.125",
    },
    .softmax_backward = "dev >f[.QC] <f[.QC] <f[.QC] #0|1 @1|0.125",
    .log_softmax = "dev >f[.C] <f[.C]",
    .log_softmax_backward = "dev >f[.C] <f[.C] <f[.C]",
    .activation = "dev >f[.C] <f[.C] #0|1|2|3|4|5",
    .activation_backward = "dev >f[.C] <f[.C] <f[.C] #0|1|2|3|4|5",
    .attention = .{
        "dev {>f[B(GH)QD] >f[2B(GH)Q]!?" ++ attention_inputs ++ " <f[QK]? <0 <0}" ++ attention_options,
        "dev {>f[B(GH)QD] >f[2B(GH)Q]!?" ++ attention_inputs ++ " <i[B1QK]?:ids(2) <0 <0}" ++ attention_options,
        "dev {>f[1(GH)QD] >f[21(GH)Q]!? <f[1(GH)QD] <f[1GKD] <f[1GKD] <0 <u[E+]!:offsets(Q) <u[E+]!:offsets(K)}" ++ attention_options,
    },
    .attention_backward = .{
        "dev {" ++ attention_outputs ++ attention_inputs ++ " <f[QK]? <0 <0}" ++ attention_options,
        "dev {" ++ attention_outputs ++ attention_inputs ++ " <i[B1QK]?:ids(2) <0 <0}" ++ attention_options,
        "dev {>f[1(GH)QD]? >f[1GKD]? >f[1GKD]? <f[1(GH)QD] <f[1(GH)QD] <f[21(GH)Q]! <f[1(GH)QD] <f[1GKD] <f[1GKD]" ++
            " <0 <u[E+]!:offsets(Q) <u[E+]!:offsets(K)}" ++ attention_options,
    },
    .gated_activation = "dev >f[.C] <f[.C] <f[.C] #0|1|2",
    .gated_activation_backward = "dev >f[.C] >f[.C] <f[.C] <f[.C] <f[.C] #0|1|2",
    .embedding = "dev >f[.TD] <i[.T]!:ids(V) <f[VD]",
    .embedding_backward = "dev >f[VD] <f[.TD] <i[.T]!:ids(V) #0|1",
    .cross_entropy = "dev >f[] >f[.2]!? <f[.C] <i[.]!:ids(C) @-100|0|4294967295",
    .cross_entropy_backward = "dev >f[.C] <f[] <f[.C] <i[.]!:ids(C) <f[.2]! @-100|0",
    .linear_cross_entropy = "dev >f[] {>f[.TI]? >f[CI]? >f[C]?} <f[.TI] <f[CI] <f[C]? <i[.T]!:ids(C) @-100|0",
    .route = "dev >u[RS]! >f[RS]! <f[RE] #0|1|2|3",
    .route_backward = "dev >f[RE] <f[RS]! <f[RE] <u[RS]!:ids(E) <f[RS]! #0|1|2|3",
    .expert_order = "dev >u[E+]! >u[(RS)]! >u[RS]! <i[RS]!:ids(E)",
    .gather_rows = "dev >f[(RS)C] <f[RC]" ++ orders,
    .gather_rows_backward = "dev >f[RC] <f[(RS)C]" ++ orders,
    .combine_rows = "dev >f[RC] <f[(RS)C] <f[RS]!" ++ orders,
    .combine_rows_backward = "dev >f[(RS)C]? >f[RS]!? <f[RC] <f[(RS)C] <f[RS]!" ++ orders,
    .load_balance_loss = "dev >f[] <f[RE] <u[E+]!:offsets(R) #0|1",
    .load_balance_loss_backward = "dev >f[RE] <f[] <f[RE] <u[E+]!:offsets(R) #0|1",
    .router_z_loss = "dev >f[] <f[RE]",
    .router_z_loss_backward = "dev >f[RE] <f[] <f[RE]",
    .copy = "dev >x[.N] <x[.N]",
    .fill = "dev >x[.N] @0|1|-1",
    .sum = .{
        "dev >x[.N]! <x[.MN] #4294967295 #0|1", // fits where there is one leading axis only by chance: shapes that do not are tried too
        "dev >f[]! <f[.MN] #4294967295 #0|1",
        "dev >f[N]! <f[MN] #0 #0|1",
        "dev >f[M1]! <f[MN] #1 #0|1",
        "dev >f[AC]! <f[ABC] #1 #0|1",
    },
    .sum_of_squares = "dev >f[] <f[.MN]",
    .memory_fail = "=0",
    .normalize = "dev {>f[.N]!} n",
    .clip_factor = "dev >f[] >f[] {<f[.N]} n @1|0|1e-3|inf",
    .scale_by = "dev {>f[.N]!} n <f[]",
    .adam_w = "dev {>f[.N]! >f[.N]! >f[.N]! <f[.N]! 01} n <f[8]!",
    .sgd = .{ "dev {>f[.N]! <f[.N]! 01} n <f[4]! #0&1", "dev {>f[.N]! >f[.N]! <f[.N]! 01} n <f[4]! #1|3&1" },
    .lion = "dev {>f[.N]! >f[.N]! <f[.N]! 01} n <f[5]!",
    .axpby = "dev {>f[.N]! <f[.N]!} n" ++ factors,
    .lerp = "dev {>f[.N]! <f[.N]!} n @0|0.1|1",
    .random_uniform = "dev >f[.N]! >u[6]! @0|-1 @1|2",
    .random_normal = "dev >f[.N]! >u[6]! @0|1 @1|0",
    .random_bits = "dev >u[.N]! >u[6]!",
    .random_categorical = "dev >u[.]! <f[.C] >u[6]! #0|1|3 @1|0|0.5 @1|0.9|0",
    .random_below = "dev >u[6]! @1|2|1000|9007199254740992",
    .rotary = .{
        "dev >f[BHTD] <f[BHTD] <0 #0|7 #0|2|4|8 #0|1|2|3 @10000|1",
        "dev >f[BHTD] <f[BHTD] <u[T]! #0 #0|2|4|8 #0|1|2|3 @10000|1",
        "dev >f[BHTD] <f[BHTD] <u[BT]! #0 #0|2|4|8 #0|1|2|3 @10000|1",
    },
    .dropout = "dev >f[.N] <f[.N] >u[6]! #0|1 @0|0.1|0.5|1",
    .mse = "dev >f[] <f[.N]! <f[.N]!",
    .mse_backward = "dev >f[.N]!? >f[.N]!? <f[] <f[.N]! <f[.N]!",
};

/// The templates of the entry `name` of type F.
pub fn of(comptime name: []const u8, comptime F: type) []const []const Argument {
    @setEvalBranchQuota(1_000_000);
    const parameters = @typeInfo(F).@"fn".param_types;
    if (!@hasField(@TypeOf(table), name)) {
        var all: [parameters.len]Argument = undefined;
        for (parameters, &all, 0..) |P, *argument, i| argument.* = switch (@typeInfo(P.?)) {
            .pointer => @compileError(name ++ " takes a buffer and has no line in fuzz/contracts.zig, which says how long it has to be"),
            .float => .{ .kind = .float },
            // As in every op, the first is a device.
            else => if (i == 0) .{ .kind = .device } else .{ .kind = .unknown, .written = true, .dtype = 'f', .dims = ".N" },
        };
        const final = all;
        return &.{&final};
    }
    const given = @field(table, name);
    if (@typeInfo(@TypeOf(given)) == .pointer) return &.{parseAll(name, parameters, given)};
    var all: [given.len][]const Argument = undefined;
    for (&all, 0..) |*one, i| one.* = parseAll(name, parameters, given[i]);
    const final = all;
    return &final;
}

fn parseAll(comptime name: []const u8, comptime parameters: anytype, comptime text: []const u8) []const Argument {
    const arguments = parseWords(text);
    if (arguments.len != parameters.len) @compileError("the contract of " ++ name ++ " has another number of parameters: " ++ text);
    for (arguments, parameters) |argument, P| {
        const fits = switch (@typeInfo(P.?)) {
            .pointer => switch (argument.kind) {
                .list, .sizes, .layout, .data, .numbers, .text, .settings => true,
                else => false,
            },
            .float => argument.kind == .float or argument.kind == .bytes,
            else => switch (argument.kind) {
                .list, .sizes, .layout, .data, .numbers, .text, .settings, .float, .bytes => false,
                else => true,
            },
        };
        if (!fits) @compileError("the contract of " ++ name ++ " does not fit its parameters: " ++ text);
    }
    return arguments;
}

fn parseWords(comptime text: []const u8) []const Argument {
    var all: []const Argument = &.{};
    var at: usize = 0;
    while (at < text.len) {
        if (text[at] == ' ') {
            at += 1;
            continue;
        }
        const end = if (text[at] == '{')
            std.mem.indexOfScalarPos(u8, text, at, '}').? + 1
        else
            std.mem.indexOfScalarPos(u8, text, at, ' ') orelse text.len;
        all = all ++ .{parse(text[at..end])};
        at = end;
    }
    return all;
}

fn parse(comptime word: []const u8) Argument {
    switch (word[0]) {
        '{' => return .{ .kind = .list, .elements = parseWords(word[1 .. word.len - 1]) },
        '<', '>' => return parseTensor(word),
        '#' => {
            const end = std.mem.indexOfScalar(u8, word, '&') orelse word.len;
            const kept = if (end == word.len) 0 else std.fmt.parseInt(u32, word[end + 1 ..], 10) catch unreachable;
            return .{ .kind = .integer, .choices = parseChoices(word[1..end]), .kept_bits = kept };
        },
        '=' => return .{ .kind = .integer, .choices = parseChoices(word[1..]), .fixed = true },
        '@' => return .{ .kind = .float, .choices = parseChoices(word[1..]) },
        else => {},
    }
    if (std.mem.startsWith(u8, word, "cap=")) return .{ .kind = .capacity, .choices = parseChoices(word[4..]) };
    if (std.mem.startsWith(u8, word, "numbers:")) return .{ .kind = .numbers, .choices = parseChoices(word[8..]) };
    const names = .{
        .dev = Kind.device,
        .n = Kind.count,
        .free = Kind.freed,
        .@"01" = Kind.word,
    };
    if (@hasField(@TypeOf(names), word)) return .{ .kind = @field(names, word) };
    return .{ .kind = std.meta.stringToEnum(Kind, word) orelse @compileError("no such word in a contract: " ++ word) };
}

fn parseTensor(comptime word: []const u8) Argument {
    // `<0` is always left out: of this template only, so it has a role all the same.
    var argument: Argument = .{ .kind = .tensor, .written = word[0] == '>', .dtype = word[1] };
    if (word[1] == '0') return argument;
    const end = std.mem.indexOfScalar(u8, word, ']').?;
    argument.dims = word[3..end];
    var rest: []const u8 = word[end + 1 ..];
    while (rest.len > 0) switch (rest[0]) {
        '?' => {
            argument.optional = true;
            rest = rest[1..];
        },
        '!' => {
            argument.dense = true;
            rest = rest[1..];
        },
        ':' => {
            const open = std.mem.indexOfScalar(u8, rest, '(') orelse rest.len;
            argument.content = std.meta.stringToEnum(Content, rest[1..open]).?;
            if (open < rest.len) argument.limit = rest[open + 1 .. rest.len - 1];
            rest = "";
        },
        else => @compileError("no such sign behind a tensor in a contract: " ++ word),
    };
    return argument;
}

fn parseChoices(comptime text: []const u8) []const f64 {
    var all: []const f64 = &.{};
    var words = std.mem.splitScalar(u8, text, '|');
    while (words.next()) |word| all = all ++ .{std.fmt.parseFloat(f64, word) catch unreachable};
    return all;
}

test "contracts: a word says role, element type, sizes and content" {
    const arguments = comptime parseWords("dev {>f[.M(GH)]!? <u[E+]:offsets(M) 01} n #0|2&1 @0.5");
    try std.testing.expectEqual(5, arguments.len);
    try std.testing.expectEqual(.list, arguments[1].kind);
    const out, const offsets, const word = arguments[1].elements[0..3].*;
    try std.testing.expect(out.written and out.optional and out.dense and out.dtype == 'f');
    try std.testing.expectEqualStrings(".M(GH)", out.dims);
    try std.testing.expect(!offsets.written and offsets.content == .offsets);
    try std.testing.expectEqualStrings("M", offsets.limit);
    try std.testing.expectEqual(.word, word.kind);
    try std.testing.expectEqual(.count, arguments[2].kind);
    try std.testing.expectEqual(1, arguments[3].kept_bits);
    try std.testing.expectEqualSlices(f64, &.{ 0, 2 }, arguments[3].choices);
    try std.testing.expectEqual(0.5, arguments[4].choices[0]);
}

test "contracts: an entry without a line may change every tensor that it is passed" {
    const templates = comptime of("not_in_the_table", fn (u32, u32, f64) callconv(.c) i32);
    try std.testing.expectEqual(1, templates.len);
    try std.testing.expectEqual(.device, templates[0][0].kind);
    try std.testing.expect(templates[0][1].kind == .unknown and templates[0][1].written);
    try std.testing.expectEqual(.float, templates[0][2].kind);
}

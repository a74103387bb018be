//! Attention on a GPU: the sheet that tells the shaders what a call is about, and their dispatches. The op has checked everything.

const std = @import("std");
const device = @import("../device.zig");
const launch = @import("launch.zig");
const Parameters = @import("scratch.zig").Parameters;
const Scratch = @import("scratch.zig").Scratch;
const Segments = @import("segments.zig").Segments;
const Error = @import("../status.zig").Error;
const Device = device.Device;

/// Rows of a tile.
const tile_rows = 32;
/// Numbers of a row's width that a job has, and that one of a `wide` shader has.
const narrow = 64;
const wide = 128;
/// A distance that hides nothing: with any position it stays within 32 bits.
const far = 0x3fffff00;

/// Where rows lie: elements from one batch, head and row to the next.
const Steps = extern struct {
    batch: i32 = 0,
    head: i32 = 0,
    row: i32 = 0,

    fn of(m: anytype) Error!Steps {
        return .{ .batch = try word(m.batch), .head = try word(m.head), .row = try word(m.row) };
    }
};

fn sizeOf(n: usize) Error!u32 {
    return std.math.cast(u32, n) orelse error.Unsupported;
}

fn word(n: anytype) Error!i32 {
    return std.math.cast(i32, n) orelse error.Unsupported;
}

const Sheet = extern struct {
    q: Steps,
    k: Steps,
    v: Steps,
    out: Steps,
    dy: Steps = .{},
    dq: Steps = .{},
    dk: Steps = .{},
    dv: Steps = .{},
    /// What the op calls it: 0 none, 1 numbers to add, 2 integers.
    mask_kind: u32,
    mask_batch: i32,
    mask_head: i32,
    mask_query: i32,
    mask_key: i32,
    sequences: u32,
    heads: u32,
    group: u32,
    queries: u32,
    keys: u32,
    width: u32,
    left: i32,
    right: i32,
    step: u32,
    scale: f32,
    query_tiles: u32,
    key_tiles: u32,
    parts: u32 = 1,
    part_keys: u32,
};

/// What every shader of a call takes: offsets resolved where there are any, and the sheet.
const Shared = struct {
    queries: ?Segments = null,
    keys: ?Segments = null,
    sheet: Sheet,
    memory: Parameters,

    /// `p` is the op's checked problem, `out` its result or what backward calls y.
    fn init(d: *const Device, p: anytype, out: anytype) Error!Shared {
        var self: Shared = .{
            .sheet = .{
                .q = try .of(p.q),
                .k = try .of(p.k),
                .v = try .of(p.v),
                .out = try .of(out),
                .mask_kind = @backingInt(p.mask.kind),
                .mask_batch = try word(p.mask.batch),
                .mask_head = try word(p.mask.head),
                .mask_query = try word(p.mask.query),
                .mask_key = try word(p.mask.key),
                .sequences = try sizeOf(p.sequences),
                .heads = try sizeOf(p.heads),
                .group = try sizeOf(p.group()),
                .queries = try sizeOf(p.queries),
                .keys = try sizeOf(p.keys),
                .width = try sizeOf(p.width),
                .left = @intCast(@min(p.left, far)),
                .right = @intCast(@min(p.right, far)),
                .step = @intCast(p.step),
                .scale = p.scale,
                .query_tiles = try sizeOf(ceil(p.queries, tile_rows)),
                .key_tiles = try sizeOf(ceil(p.keys, tile_rows)),
                .part_keys = try sizeOf(p.keys),
            },
            .memory = try .init(d, @sizeOf(Sheet)), // last: what fails before it leaves nothing to free
        };
        errdefer self.deinit();
        if (p.q_offsets) |offsets| {
            self.queries = try .init(d, offsets, p.sequences, p.queries, tile_rows);
            self.keys = try .init(d, p.k_offsets.?, p.sequences, p.keys, tile_rows);
            self.sheet.query_tiles = @intCast(self.queries.?.tiles_max);
            self.sheet.key_tiles = @intCast(self.keys.?.tiles_max);
        }
        return self;
    }

    fn deinit(self: *const Shared) void {
        if (self.queries) |s| s.deinit();
        if (self.keys) |s| s.deinit();
        self.memory.deinit();
    }

    fn send(self: *const Shared) void {
        self.memory.written(Sheet)[0] = self.sheet;
    }

    fn batches(self: *const Shared) usize {
        return if (self.queries == null) self.sheet.sequences else 1;
    }

    /// Tiles of all heads and pieces of the width, each with `products` products over `span` keys or queries.
    fn work(self: *const Shared, step: ?[]const u8, tiles: usize, heads: usize, products: u64, span: usize) launch.Work {
        const s = &self.sheet;
        const groups = self.batches() *| heads *| tiles *| @max(1, ceil(s.width, if (s.width > narrow) wide else narrow));
        // Of the shader's loops for 64 keys or queries: a product's steps along the width, and what is done with its tile.
        const width_steps = 34 * ceil(s.width, 16);
        const seen = @min(span, @as(usize, @intCast(s.left)) +| @as(usize, @intCast(s.right)) +| 2 * tile_rows);
        const window = @as(u64, @intCast(s.left)) + @as(u64, @intCast(s.right)) + 1;
        const pairs = @as(u64, self.batches()) *| s.heads *| s.queries *| @min(s.keys, window);
        return .{ .groups = groups, .cost = 2 *| products *| pairs *| s.width, .rounds = (seen / 64 + 1) *| (@min(products - 1, 2) * width_steps + 160), .step = step };
    }

    fn launchOf(self: *const Shared, d: *const Device, comptime name: []const u8, args: anytype, of: launch.Work) Error!void {
        return if (self.sheet.width > narrow) launch.launch(d, name ++ "_wide", args, of) else launch.launch(d, name, args, of);
    }

    /// What every shader of scores reads, in `tiles` of queries or of keys.
    fn inputs(self: *const Shared, p: anytype, tiles: *const ?Segments) Inputs {
        return .{
            .q = p.q.first,
            .k = p.k.first,
            .v = p.v.first,
            .mask = if (p.mask.first) |first| @ptrCast(@alignCast(first)) else null,
            .q_bounds = if (self.queries) |*s| s.bounds() else null,
            .k_bounds = if (self.keys) |*s| s.bounds() else null,
            .tiles = if (tiles.*) |*s| s.tiles() else null,
        };
    }
};

const Inputs = extern struct {
    pub const spread = {};

    q: [*]const f32,
    k: [*]const f32,
    v: [*]const f32,
    mask: ?[*]const u32,
    q_bounds: ?[*]const u32,
    k_bounds: ?[*]const u32,
    tiles: ?[*]const u32,
};

fn ceil(n: usize, by: usize) usize {
    return std.math.divCeil(usize, n, by) catch unreachable;
}

pub fn forward(d: *const Device, p: anytype, out: anytype, stats: ?[*]f32) Error!void {
    var shared: Shared = try .init(d, p, out);
    defer shared.deinit();
    const rows = shared.batches() * p.heads * p.queries;
    const tiles = shared.sheet.query_tiles;
    // No thread's loops may be longer than the driver lets them.
    const rounds = shared.work(null, tiles, p.heads, 2, p.keys).rounds;
    const parts = @max(partsOf(shared.batches() * p.heads * tiles, p.keys), ceil(rounds, d.gpu.?.adapter.rounds_max / 4));
    shared.sheet.parts = @intCast(parts);
    shared.sheet.part_keys = @intCast(std.mem.alignForward(usize, ceil(p.keys, parts), 64));
    const partial: ?Scratch = if (parts > 1) try .init(d, 4 * parts * rows * (p.width + 2)) else null;
    defer if (partial) |x| x.deinit();
    shared.send();
    const Args = extern struct {
        out: [*]f32,
        stats: ?[*]f32,
        inputs: Inputs,
        partial: ?[*]f32,
        sheet: [*]const Sheet,
    };
    var work = shared.work(null, tiles, p.heads, 2, shared.sheet.part_keys);
    work.groups *|= parts;
    try shared.launchOf(d, "attention_f32", Args{
        .out = out.first,
        .stats = stats,
        .inputs = shared.inputs(p, &shared.queries),
        .partial = if (partial) |x| x.ptr(f32) else null,
        .sheet = shared.memory.read(Sheet),
    }, work);
    const Join = extern struct { out: [*]f32, stats: ?[*]f32, partial: [*]const f32, sheet: [*]const Sheet, batches: usize };
    if (partial) |x| try launch.launch(d, "attention_f32_join", Join{
        .out = out.first,
        .stats = stats,
        .partial = x.ptr(f32),
        .sheet = shared.memory.read(Sheet),
        .batches = shared.batches(),
    }, .{ .groups = ceil(rows, 8), .cost = 2 *| parts *| rows *| p.width, .rounds = parts *| (p.width / 16 + 3) +| launch.few_rounds, .step = "join" });
}

/// Jobs that the keys of a tile of queries are dealt to. A GPU has a hundred or so multiprocessors: a few tiles over many keys, as when text is written one
/// position at a time, would leave most of them idle. By sizes alone, so that every GPU sums in one order.
fn partsOf(tiles: usize, keys: usize) usize {
    if (tiles == 0 or tiles >= 64) return 1;
    return std.math.clamp(keys / 256, 1, ceil(128, tiles));
}

/// `b` is the op's checked backward call.
pub fn backward(d: *const Device, b: anytype) Error!void {
    const p = &b.p;
    var shared: Shared = try .init(d, p, b.y);
    defer shared.deinit();
    shared.sheet.dy = try .of(b.dy);
    if (b.dq) |m| shared.sheet.dq = try .of(m);
    if (b.dk) |m| shared.sheet.dk = try .of(m);
    if (b.dv) |m| shared.sheet.dv = try .of(m);
    shared.send();
    const rows = shared.batches() * p.heads * p.queries;
    const delta: Scratch = try .init(d, 4 * rows);
    defer delta.deinit();
    const Delta = extern struct { delta: [*]f32, dy: [*]const f32, y: [*]const f32, sheet: [*]const Sheet, batches: usize };
    try launch.launch(d, "attention_backward_f32_delta", Delta{
        .delta = delta.ptr(f32),
        .dy = b.dy.first,
        .y = b.y.first,
        .sheet = shared.memory.read(Sheet),
        .batches = shared.batches(),
    }, .{ .groups = ceil(rows, 8), .cost = 2 *| rows *| p.width, .rounds = p.width / 16 + launch.few_rounds, .step = "delta" });
    if (b.dq) |dq| {
        const Queries = extern struct { dq: [*]f32, from: Slopes };
        const from: Slopes = .of(&shared, b, &delta, &shared.queries);
        try shared.launchOf(d, "attention_backward_f32_queries", Queries{ .dq = dq.first, .from = from }, shared.work("dq", shared.sheet.query_tiles, p.heads, 3, p.keys));
    }
    if (b.dk != null or b.dv != null) {
        const Keys = extern struct { dk: ?[*]f32, dv: ?[*]f32, from: Slopes };
        try shared.launchOf(d, "attention_backward_f32_keys", Keys{
            .dk = if (b.dk) |m| m.first else null,
            .dv = if (b.dv) |m| m.first else null,
            .from = .of(&shared, b, &delta, &shared.keys),
        }, shared.work("dk dv", shared.sheet.key_tiles, p.kv_heads, 4, p.queries *| @max(1, shared.sheet.group)));
    }
}

/// What the gradients of scores are made from.
const Slopes = extern struct {
    pub const spread = {};

    delta: [*]const f32,
    stats: [*]const f32,
    dy: [*]const f32,
    inputs: Inputs,
    sheet: [*]const Sheet,

    fn of(shared: *const Shared, b: anytype, delta: *const Scratch, tiles: *const ?Segments) Slopes {
        return .{ .delta = delta.ptr(f32), .stats = b.stats, .dy = b.dy.first, .inputs = shared.inputs(&b.p, tiles), .sheet = shared.memory.read(Sheet) };
    }
};

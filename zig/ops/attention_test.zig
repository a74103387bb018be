//! Attention and its gradients against the plain formulas in f64, at sizes around vectors, tiles and blocks, with every kind of mask; the same bits for any
//! number of workers, for a query alone and for any subset of the gradients; what a refused call leaves untouched.

const std = @import("std");
const attention = @import("attention.zig");
const device = @import("../device.zig");
const scores = @import("../row/scores.zig");
const slow = @import("../testing/slow.zig");
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const arrays = @import("../testing/arrays.zig");
const BackwardHandles = attention.BackwardHandles;
const Device = device.Device;
const ForwardHandles = attention.ForwardHandles;
const Options = attention.Options;
const backward = attention.backward;
const forward = attention.forward;
const testing = std.testing;
const wholeJobs = attention.wholeJobs;
const infinity = std.math.inf(f64);

const Trial = struct {
    batch: usize = 1,
    heads: usize = 2,
    kv_heads: usize = 2,
    queries: usize,
    keys: usize,
    width: usize,
    causal: bool = false,
    window: ?usize = null,
    mask: scores.MaskKind = .none,
    /// Offsets of packed sequences.
    packed_queries: []const u32 = &.{},
    packed_keys: []const u32 = &.{},
    scale: f64 = 0.3,
    deviation: f64 = 1,

    fn left(t: Trial) f64 {
        return if (t.window) |w| @floatFromInt(w - 1) else infinity;
    }

    fn right(t: Trial) f64 {
        return if (t.causal) 0 else t.left();
    }

    fn options(t: Trial) Options {
        return .{ .left = t.left(), .right = t.right(), .scale = t.scale };
    }
};

/// The plain formulas in f64, loop by loop: what is given is dense, `[batch, heads, rows, width]`.
fn Reference(comptime T: type) type {
    return struct {
        t: Trial,
        q: []const T,
        k: []const T,
        v: []const T,
        dy: []const T,
        /// What is added to the scores, `[batch, heads, queries, keys]`; -Inf hides a key.
        bias: []const f64,
        out: []f64,
        dq: []f64,
        dk: []f64,
        dv: []f64,

        fn run(r: *const @This()) !void {
            const t = r.t;
            for ([_][]f64{ r.out, r.dq, r.dk, r.dv }) |x| @memset(x, 0);
            for (0..t.batch) |b| for (0..t.heads) |h| {
                if (t.packed_queries.len == 0) try r.sequence(b, h, .{ 0, t.queries }, .{ 0, t.keys });
                for (1..@max(1, t.packed_queries.len)) |s| {
                    try r.sequence(b, h, .{ t.packed_queries[s - 1], t.packed_queries[s] }, .{ t.packed_keys[s - 1], t.packed_keys[s] });
                }
            };
        }

        fn sequence(r: *const @This(), b: usize, h: usize, of_q: [2]usize, of_k: [2]usize) !void {
            const t = r.t;
            const w = t.width;
            const p = try testing.allocator.alloc(f64, of_k[1] - of_k[0]);
            defer testing.allocator.free(p);
            const kv = b * t.kv_heads + h / (t.heads / t.kv_heads);
            for (of_q[0]..of_q[1]) |i| {
                const query = (b * t.heads + h) * t.queries + i;
                const position = @as(f64, @floatFromInt(i - of_q[0] + of_k[1] - of_k[0])) - @as(f64, @floatFromInt(of_q[1] - of_q[0]));
                var max = -infinity;
                for (p, 0..) |*s, j| {
                    const key = kv * t.keys + of_k[0] + j;
                    s.* = 0;
                    for (0..w) |x| s.* += @as(f64, r.q[query * w + x]) * r.k[key * w + x];
                    s.* = s.* * t.scale + r.bias[query * t.keys + of_k[0] + j];
                    const away = @as(f64, @floatFromInt(j)) - position;
                    if (-away > t.left() or away > t.right()) s.* = -infinity;
                    max = @max(max, s.*);
                }
                if (max == -infinity) continue;
                var sum: f64 = 0;
                for (p) |*s| {
                    s.* = @exp(s.* - max);
                    sum += s.*;
                }
                var delta: f64 = 0;
                for (p, of_k[0]..) |*s, j| {
                    s.* /= sum;
                    for (0..w) |x| {
                        r.out[query * w + x] += s.* * r.v[(kv * t.keys + j) * w + x];
                        r.dv[(kv * t.keys + j) * w + x] += s.* * r.dy[query * w + x];
                    }
                }
                for (0..w) |x| delta += r.out[query * w + x] * r.dy[query * w + x];
                for (p, of_k[0]..) |s, j| {
                    const key = (kv * t.keys + j) * w;
                    var slope: f64 = 0;
                    for (0..w) |x| slope += @as(f64, r.dy[query * w + x]) * r.v[key + x];
                    slope = s * (slope - delta) * t.scale;
                    for (0..w) |x| {
                        r.dq[query * w + x] += slope * r.k[key + x];
                        r.dk[key + x] += slope * r.q[query * w + x];
                    }
                }
            }
        }
    };
}

/// Tensors of one trial.
fn Made(comptime T: type) type {
    return struct {
        q: u32,
        k: u32,
        v: u32,
        dy: u32,
        out: u32,
        stats: u32,
        dq: u32,
        dk: u32,
        dv: u32,
        mask: u32 = 0,
        q_offsets: u32 = 0,
        k_offsets: u32 = 0,

        fn of(own: *arrays.Tensors, t: Trial, random: std.Random) !@This() {
            const q_shape = [4]usize{ t.batch, t.heads, t.queries, t.width };
            const k_shape = [4]usize{ t.batch, t.kv_heads, t.keys, t.width };
            var m: @This() = .{
                .q = try own.normal(T, &q_shape, random, t.deviation),
                .k = try own.normal(T, &k_shape, random, 1),
                .v = try own.normal(T, &k_shape, random, 1),
                .dy = try own.normal(T, &q_shape, random, 1),
                .out = try own.filled(T, &q_shape, 42),
                .stats = try own.filled(T, &.{ 2, t.batch, t.heads, t.queries }, 42),
                .dq = try own.filled(T, &q_shape, 42),
                .dk = try own.filled(T, &k_shape, 42),
                .dv = try own.filled(T, &k_shape, 42),
            };
            const mask_shape = [4]usize{ t.batch, 1, t.queries, t.keys };
            switch (t.mask) {
                .none => {},
                // The third query sees nothing at all.
                .added => {
                    m.mask = try own.normal(T, &mask_shape, random, 1);
                    for (arrays.data(T, m.mask), 0..) |*x, i| if (random.int(u32) % 4 == 0 or i / t.keys % t.queries == 2) {
                        x.* = -std.math.inf(T);
                    };
                },
                .seen => {
                    m.mask = try own.empty(u32, &mask_shape);
                    for (arrays.data(u32, m.mask), 0..) |*x, i| x.* = if (i / t.keys % t.queries == 2) 0 else random.int(u32) % 3;
                },
            }
            if (t.packed_queries.len > 0) {
                m.q_offsets = try own.from(u32, &.{t.packed_queries.len}, t.packed_queries);
                m.k_offsets = try own.from(u32, &.{t.packed_keys.len}, t.packed_keys);
            }
            return m;
        }

        fn forwardHandles(m: @This()) ForwardHandles {
            return .{ .out = m.out, .stats = m.stats, .q = m.q, .k = m.k, .v = m.v, .mask = m.mask, .q_offsets = m.q_offsets, .k_offsets = m.k_offsets };
        }

        fn backwardHandles(m: @This()) BackwardHandles {
            var h: BackwardHandles = .{ .dq = m.dq, .dk = m.dk, .dv = m.dv, .dy = m.dy, .y = m.out, .stats = m.stats, .q = m.q, .k = m.k, .v = m.v, .mask = m.mask, .q_offsets = m.q_offsets, .k_offsets = m.k_offsets };
            if (m.dq == m.dk) h.dk = 0;
            return h;
        }

        fn run(m: @This(), d: *const Device, t: Trial) !void {
            try forward(d, m.forwardHandles(), t.options());
            try backward(d, m.backwardHandles(), t.options());
        }

        fn results(m: @This()) [4]u32 {
            return .{ m.out, m.dq, m.dk, m.dv };
        }
    };
}

fn check(comptime T: type, d: *const Device, t: Trial, random: std.Random) !void {
    errdefer std.debug.print("{s}: {any}\n", .{ @typeName(T), t });
    var own: arrays.Tensors = .{};
    defer own.free();
    const m: Made(T) = try .of(&own, t, random);
    try m.run(d, t);
    const bias = try testing.allocator.alloc(f64, t.batch * t.heads * t.queries * t.keys);
    defer testing.allocator.free(bias);
    for (bias, 0..) |*x, i| {
        const pair = i / (t.heads * t.queries * t.keys) * t.queries * t.keys + i % (t.queries * t.keys);
        x.* = switch (t.mask) {
            .none => 0,
            .added => arrays.data(T, m.mask)[pair],
            .seen => if (arrays.data(u32, m.mask)[pair] == 0) -infinity else 0,
        };
    }
    var r: Reference(T) = .{
        .t = t,
        .q = arrays.data(T, m.q),
        .k = arrays.data(T, m.k),
        .v = arrays.data(T, m.v),
        .dy = arrays.data(T, m.dy),
        .bias = bias,
        .out = undefined,
        .dq = undefined,
        .dk = undefined,
        .dv = undefined,
    };
    const want = [_]*[]f64{ &r.out, &r.dq, &r.dk, &r.dv };
    for (want, m.results()) |to, h| to.* = try testing.allocator.alloc(f64, arrays.data(T, h).len);
    defer for (want) |to| testing.allocator.free(to.*);
    try r.run();
    // Gradients are differences of sums over hundreds of keys, of terms as large as those of dv.
    for (want, m.results()) |to, h| try arrays.expectScaled(T, to.*, arrays.data(T, h), 2 * arrays.tolerance(T), 1);
}

test "attention: results and gradients as in f64, at sizes around vectors, tiles and blocks, open and causal" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const d = device.forTest(2);
    inline for (.{ f32, f64 }) |T| for ([_]bool{ false, true }) |causal| {
        const sizes = [_][3]usize{
            .{ 1, 1, 1 },      .{ 15, 15, 3 },   .{ 16, 16, 16 }, .{ 17, 17, 17 },   .{ 33, 33, 8 },   .{ 9, 2, 7 },    .{ 3, 255, 5 },  .{ 2, 256, 16 },
            .{ 4, 20, 70 },    .{ 20, 257, 33 }, .{ 65, 65, 24 }, .{ 127, 127, 32 }, .{ 70, 530, 12 }, .{ 1, 300, 64 }, .{ 4, 20, 270 }, .{ 300, 40, 4 },
            // More of the queries than a job of backward keeps.
            .{ 65, 257, 300 },
        };
        for (slow.some([3]usize, &sizes, 9)) |s| try check(T, &d, .{ .queries = s[0], .keys = s[1], .width = s[2], .causal = causal }, prng.random());
    };
}

test "attention: shared heads, windows and masks, also where whole rows are hidden" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const d = device.forTest(3);
    inline for (.{ f32, f64 }) |T| {
        for (slow.some([2]usize, &.{ .{ 4, 2 }, .{ 6, 1 }, .{ 3, 3 } }, 2)) |heads| for (slow.some([2]usize, &.{ .{ 1, 40 }, .{ 35, 35 }, .{ 20, 300 } }, 2)) |s| {
            try check(T, &d, .{ .batch = 2, .heads = heads[0], .kv_heads = heads[1], .queries = s[0], .keys = s[1], .width = 16, .causal = true }, prng.random());
        };
        for (slow.some(usize, &.{ 17, 1, 100, 1000 }, 1)) |window| for ([_]bool{ false, true }) |causal| {
            try check(T, &d, .{ .queries = 70, .keys = 70, .width = 8, .causal = causal, .window = window }, prng.random());
            try check(T, &d, .{ .queries = 20, .keys = 530, .width = 8, .causal = causal, .window = window }, prng.random());
            try check(T, &d, .{ .heads = 4, .queries = 1, .keys = 300, .width = 16, .causal = causal, .window = window }, prng.random());
        };
        // Edges of what is seen at every place of a vector of queries, of a tile and of a block, also where they pass from one block of keys to the next.
        for (slow.some([2]usize, &.{ .{ 70, 81 }, .{ 64, 330 }, .{ 130, 130 }, .{ 95, 61 }, .{ 33, 272 } }, 3)) |s| for ([_]?usize{ null, 15, 40 }) |window| {
            try check(T, &d, .{ .queries = s[0], .keys = s[1], .width = 8, .causal = true, .window = window }, prng.random());
        };
        for ([_]scores.MaskKind{ .added, .seen }) |mask| for (slow.some([2]usize, &.{ .{ 3, 5 }, .{ 17, 16 }, .{ 1, 33 }, .{ 40, 47 }, .{ 5, 290 } }, 3)) |s| for ([_]bool{ false, true }) |causal| {
            try check(T, &d, .{ .batch = 2, .heads = 4, .kv_heads = 2, .queries = s[0], .keys = s[1], .width = 12, .causal = causal, .mask = mask }, prng.random());
        };
    }
}

test "attention: sequences packed on one axis, empty ones too" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const d = device.forTest(3);
    inline for (.{ f32, f64 }) |T| for ([_]bool{ false, true }) |causal| for ([_]?usize{ null, 9 }) |window| {
        const all = [_][2][]const u32{
            .{ &.{ 0, 1, 1, 34, 34, 98, 131 }, &.{ 0, 1, 1, 34, 34, 98, 131 } },
            .{ &.{ 0, 0, 40, 41, 60 }, &.{ 0, 300, 340, 340, 620 } },
            .{ &.{ 0, 5, 6, 7 }, &.{ 0, 0, 270, 271 } },
            .{ &.{ 0, 0 }, &.{ 0, 4 } },
        };
        for (all) |o| {
            try check(T, &d, .{
                .heads = 4,
                .kv_heads = 2,
                .queries = o[0][o[0].len - 1],
                .keys = o[1][o[1].len - 1],
                .width = 16,
                .causal = causal,
                .window = window,
                .packed_queries = o[0],
                .packed_keys = o[1],
            }, prng.random());
        }
    };
}

test "attention: large logits keep their probabilities in backward" {
    var own: arrays.Tensors = .{};
    defer own.free();
    const d = device.forTest(1);
    const t: Trial = .{ .heads = 1, .kv_heads = 1, .queries = 1, .keys = 2, .width = 1, .scale = 1 };
    var prng: std.Random.DefaultPrng = .init(1);
    const m: Made(f32) = try .of(&own, t, prng.random());
    arrays.data(f32, m.q)[0] = 1e30;
    for ([_]u32{ m.k, m.v }, [_][2]f32{ .{ 1, 1 }, .{ 3, 5 } }) |h, values| @memcpy(arrays.data(f32, h), &values);
    arrays.data(f32, m.dy)[0] = 1;
    try m.run(&d, t);
    try testing.expectEqual(4, arrays.data(f32, m.out)[0]);
    // As one number, 1e30 + log 2 is 1e30, and both probabilities would be 1.
    try testing.expectEqualSlices(f32, &.{ 0.5, 0.5 }, arrays.data(f32, m.dv));
}

test "attention: NaN and infinities stay in the queries that see them" {
    var own: arrays.Tensors = .{};
    defer own.free();
    const d = device.forTest(1);
    const t: Trial = .{ .heads = 1, .kv_heads = 1, .queries = 40, .keys = 40, .width = 4, .causal = true };
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    for ([_]f32{ std.math.nan(f32), std.math.inf(f32) }) |bad| {
        const m: Made(f32) = try .of(&own, t, prng.random());
        arrays.data(f32, m.k)[20 * 4] = bad;
        for (arrays.data(f32, m.q)) |*x| x.* = 1;
        try forward(&d, m.forwardHandles(), t.options());
        for (arrays.data(f32, m.out), 0..) |x, i| try testing.expectEqual(i / 4 >= 20, x != x);
    }
}

/// The bits of a trial's results on a device.
fn expectBits(comptime T: type, d: *const Device, t: Trial, m: Made(T), own: *arrays.Tensors) !void {
    var again = m;
    inline for (.{ "out", "stats", "dq", "dk", "dv" }) |name| @field(again, name) = try own.empty(T, (try tensor.get(@field(m, name))).shape());
    try again.run(d, t);
    for (m.results(), again.results()) |a, b| try arrays.expectSameBits(T, arrays.data(T, a), arrays.data(T, b));
}

test "attention: the same bits for any number of workers, whole heads or blocks as jobs" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const trials = [_]Trial{
        .{ .heads = 1, .kv_heads = 1, .queries = 70, .keys = 40, .width = 8, .causal = true },
        .{ .batch = 2, .heads = 2, .kv_heads = 1, .queries = 150, .keys = 530, .width = 12, .causal = true },
        .{ .heads = 3, .kv_heads = 3, .queries = 300, .keys = 300, .width = 16, .window = 40, .causal = true },
    };
    inline for (.{ f32, f64 }) |T| for (slow.some(Trial, &trials, 1)) |t| {
        var own: arrays.Tensors = .{};
        defer own.free();
        const m: Made(T) = try .of(&own, t, prng.random());
        const one = device.forTest(1);
        try m.run(&one, t);
        for (2..9) |workers| {
            const d = device.forTest(@intCast(workers));
            try expectBits(T, &d, t, m, &own);
        }
    };
    try testing.expect(wholeJobs(64, 1) and wholeJobs(64, 2) and wholeJobs(3, 2) and !wholeJobs(2, 8) and !wholeJobs(1, 2));
}

test "attention: a query has the same bits alone, with only the keys that it sees, and with its head's group as rows of one tile" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const d = device.forTest(1);
    inline for (.{ f32, f64 }) |T| {
        const t: Trial = .{ .heads = 4, .kv_heads = 2, .queries = 300, .keys = 300, .width = 16, .causal = true };
        for ([_]usize{ 1, 16, 17, 255, 256, 257, 300 }) |keys| {
            var own: arrays.Tensors = .{};
            defer own.free();
            const m: Made(T) = try .of(&own, t, prng.random());
            try forward(&d, m.forwardHandles(), t.options());
            const w = t.width;
            var last = m;
            last.q = try own.view(m.q, (keys - 1) * w, &.{ 1, 4, 1, w }, &.{ 1, 300 * w, w, 1 });
            last.k = try own.view(m.k, 0, &.{ 1, 2, keys, w }, &.{ 1, 300 * w, w, 1 });
            last.v = try own.view(m.v, 0, &.{ 1, 2, keys, w }, &.{ 1, 300 * w, w, 1 });
            last.out = try own.empty(T, &.{ 1, 4, 1, w });
            last.stats = try own.empty(T, &.{ 2, 1, 4, 1 });
            try forward(&d, last.forwardHandles(), t.options());
            // Each of a group's heads for itself: a row instead of a tile.
            var alone = last;
            for (0..4) |h| {
                alone.q = try own.view(m.q, (h * 300 + keys - 1) * w, &.{ 1, 1, 1, w }, &.{ 1, 1, w, 1 });
                alone.k = try own.view(m.k, h / 2 * 300 * w, &.{ 1, 1, keys, w }, &.{ 1, 1, w, 1 });
                alone.v = try own.view(m.v, h / 2 * 300 * w, &.{ 1, 1, keys, w }, &.{ 1, 1, w, 1 });
                alone.out = try own.empty(T, &.{ 1, 1, 1, w });
                alone.stats = 0;
                try forward(&d, alone.forwardHandles(), t.options());
                const whole = arrays.data(T, m.out)[(h * 300 + keys - 1) * w ..][0..w];
                try arrays.expectSameBits(T, whole, arrays.data(T, last.out)[h * w ..][0..w]);
                try arrays.expectSameBits(T, whole, arrays.data(T, alone.out));
            }
        }
    }
}

test "attention: rows far apart, and gradients beside each other in one memory" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const d = device.forTest(2);
    // A job of backward meets the queries once, or with each of two blocks of keys.
    inline for (.{ f32, f64 }) |T| for ([_]usize{ 16, 5 }) |w| for ([_]usize{ 70, 300 }) |time| {
        var own: arrays.Tensors = .{};
        defer own.free();
        const heads = 3;
        const t: Trial = .{ .batch = 2, .heads = heads, .kv_heads = heads, .queries = time, .keys = time, .width = w, .causal = true };
        const plain: Made(T) = try .of(&own, t, prng.random());
        const shape = [4]usize{ 2, heads, time, w };
        const row = 3 * heads * w;
        const strides = [4]usize{ time * row, w, row, 1 };
        const inputs = try own.empty(T, &.{ 2, time, row });
        const gradients = try own.empty(T, &.{ 2, time, row });
        var m = plain;
        inline for (.{ "q", "k", "v" }, 0..) |name, i| {
            const part = try own.view(inputs, i * heads * w, &shape, &strides);
            for (0..2) |b| for (0..heads) |h| for (0..time) |j| {
                const from = arrays.data(T, @field(plain, name))[((b * heads + h) * time + j) * w ..][0..w];
                @memcpy(arrays.data(T, inputs)[(b * time + j) * row + (i * heads + h) * w ..][0..w], from);
            };
            @field(m, name) = part;
            @field(m, "d" ++ name) = try own.view(gradients, i * heads * w, &shape, &strides);
        }
        m.out = try own.view(try own.empty(T, &.{ 2, time, heads * w }), 0, &shape, &.{ time * heads * w, w, heads * w, 1 });
        m.stats = try own.empty(T, &.{ 2, 2, heads, time });
        try plain.run(&d, t);
        try m.run(&d, t);
        for (plain.results(), m.results()) |a, b| {
            const x = try tensor.get(b);
            for (0..2) |i| for (0..heads) |h| for (0..time) |j| {
                const at = i * @as(usize, @intCast(x.strides_[0])) + h * @as(usize, @intCast(x.strides_[1])) + j * @as(usize, @intCast(x.strides_[2]));
                try arrays.expectSameBits(T, arrays.data(T, a)[((i * heads + h) * time + j) * w ..][0..w], x.ptr(T)[at..][0..w]);
            };
        }
    };
}

test "attention: some gradients alone have the same bits" {
    var prng: std.Random.DefaultPrng = .init(testing.random_seed);
    const t: Trial = .{ .heads = 2, .queries = 70, .keys = 300, .width = 16, .causal = true };
    for ([_]u32{ 1, 8 }) |workers| {
        var own: arrays.Tensors = .{};
        defer own.free();
        const d = device.forTest(workers);
        const m: Made(f32) = try .of(&own, t, prng.random());
        try m.run(&d, t);
        for (1..7) |wanted| {
            var h = m.backwardHandles();
            const all = [3]*u32{ &h.dq, &h.dk, &h.dv };
            for (all, 0..) |to, i| to.* = if (wanted >> @intCast(i) & 1 != 0) try own.empty(f32, (try tensor.get(to.*)).shape()) else 0;
            try backward(&d, h, t.options());
            for (all, [_]u32{ m.dq, m.dk, m.dv }) |to, whole| if (to.* != 0) try arrays.expectSameBits(f32, arrays.data(f32, whole), arrays.data(f32, to.*));
        }
    }
}

test "attention: gradients beside any number of heads without queries, or of keys' heads without anything, are there at once" {
    const huge = 1 << 40;
    for ([_]u32{ 1, 3 }) |workers| {
        var t: arrays.Tensors = .{};
        defer t.free();
        const d = device.forTest(workers);
        const o: Options = .{ .left = infinity, .right = infinity, .scale = 1 };
        const q = try t.empty(f32, &.{ 2, huge, 0, 5 });
        const k = try t.filled(f32, &.{ 2, 2, 3, 5 }, 1);
        const dk = try t.filled(f32, &.{ 2, 2, 3, 5 }, std.math.nan(f32));
        const dq = try t.empty(f32, &.{ 2, huge, 0, 5 });
        const stats = try t.empty(f32, &.{ 2, 2, huge, 0 });
        const none = std.mem.zeroes(BackwardHandles);
        var h = none;
        h.dq, h.dk = .{ dq, dk };
        h.dy, h.y, h.stats, h.q, h.k, h.v = .{ q, q, stats, q, k, k };
        try backward(&d, h, o);
        for (arrays.data(f32, dk)) |x| try testing.expectEqual(0, x);

        const headless = try t.empty(f32, &.{ 1, 0, 9, 5 });
        const keys = try t.empty(f32, &.{ 1, huge, 0, 5 });
        h = none;
        h.dk = try t.empty(f32, &.{ 1, huge, 0, 5 });
        h.dy, h.y, h.q, h.k, h.v = .{ headless, headless, headless, keys, keys };
        h.stats = try t.empty(f32, &.{ 2, 1, 0, 9 });
        try backward(&d, h, o);

        // Packed sequences have their queries, though no head has any.
        h.k, h.v = .{ try t.filled(f32, &.{ 1, 2, 3, 5 }, 1), try t.filled(f32, &.{ 1, 2, 3, 5 }, 1) };
        h.dk = try t.filled(f32, &.{ 1, 2, 3, 5 }, std.math.nan(f32));
        h.q_offsets, h.k_offsets = .{ try t.from(u32, &.{2}, &.{ 0, 9 }), try t.from(u32, &.{2}, &.{ 0, 3 }) };
        try backward(&d, h, o);
        for (arrays.data(f32, h.dk)) |x| try testing.expectEqual(0, x);
    }
}

test "attention: any number of keys without elements is not walked over" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const q = try t.empty(f32, &.{ 2, 3, 2, 0 });
    const k = try t.empty(f32, &.{ 2, 1, 1 << 40, 0 });
    const y = try t.empty(f32, &.{ 2, 3, 2, 0 });
    const stats = try t.empty(f32, &.{ 2, 2, 3, 2 });
    const o: Options = .{ .left = infinity, .right = 0, .scale = 1 };
    try forward(&d, .{ .out = y, .stats = stats, .q = q, .k = k, .v = k, .mask = 0, .q_offsets = 0, .k_offsets = 0 }, o);
}

test "attention: heads of any size in no sequence at all are nothing" {
    var t: arrays.Tensors = .{};
    defer t.free();
    const d = device.forTest(1);
    const heads = (1 << 54) - 2;
    const q = try t.empty(f32, &.{ 0, heads, 1, 1 << 32 });
    const k = try t.empty(f32, &.{ 0, 2, 16, 1 << 32 });
    const y = try t.empty(f32, &.{ 0, heads, 1, 1 << 32 });
    const stats = try t.empty(f32, &.{ 2, 0, heads, 1 });
    const mask = try t.filled(f32, &.{ 1, 16 }, 0);
    const o: Options = .{ .left = infinity, .right = infinity, .scale = 1 };
    try forward(&d, .{ .out = y, .stats = stats, .q = q, .k = k, .v = k, .mask = mask, .q_offsets = 0, .k_offsets = 0 }, o);
}

test "attention: a refused call writes nothing" {
    var own: arrays.Tensors = .{};
    defer own.free();
    const d = device.forTest(1);
    const t: Trial = .{ .heads = 4, .kv_heads = 2, .queries = 3, .keys = 5, .width = 2 };
    var prng: std.Random.DefaultPrng = .init(1);
    const m: Made(f32) = try .of(&own, t, prng.random());
    const o = t.options();
    const good = m.forwardHandles();
    const three = try own.from(u32, &.{3}, &.{ 0, 2, 3 });
    const wrong = try own.filled(f64, &.{ 1, 2, 5, 2 }, 1);
    const narrow = try own.filled(f32, &.{ 3, 4 }, 1);
    inline for (.{
        .{ "out", m.k, error.ShapeMismatch },
        .{ "out", m.q, error.Overlap },
        .{ "stats", m.dq, error.ShapeMismatch },
        .{ "k", m.q, error.ShapeMismatch },
        .{ "v", try own.filled(f32, &.{ 1, 2, 4, 2 }, 1), error.ShapeMismatch },
        .{ "v", wrong, error.DtypeMismatch },
        .{ "mask", narrow, error.ShapeMismatch },
        .{ "mask", wrong, error.DtypeMismatch },
        .{ "q_offsets", three, error.InvalidArgument },
    }) |f| {
        var h = good;
        @field(h, f[0]) = f[1];
        try testing.expectError(f[2], forward(&d, h, o));
    }
    // Three heads of two.
    var odd = good;
    odd.q = try own.filled(f32, &.{ 1, 3, 3, 2 }, 1);
    odd.out = try own.filled(f32, &.{ 1, 3, 3, 2 }, 42);
    odd.stats = 0;
    try testing.expectError(error.ShapeMismatch, forward(&d, odd, o));
    for ([_]Options{
        .{ .left = -1, .right = 0, .scale = 1 },
        .{ .left = 0.5, .right = 0, .scale = 1 },
        .{ .left = 0, .right = std.math.nan(f64), .scale = 1 },
        .{ .left = 0, .right = 0, .scale = infinity },
    }) |bad| try testing.expectError(error.InvalidArgument, forward(&d, good, bad));
    var of_packed = good;
    of_packed.q_offsets = three;
    const offsets = [_][3]u32{ .{ 1, 2, 5 }, .{ 0, 6, 5 }, .{ 0, 2, 4 }, .{ 0, 2, 1 << 31 } };
    for (offsets, [_][2]f64{ .{ 0, 1 }, .{ 2, 5 }, .{ 2, 4 }, .{ 2, 1 << 31 } }) |values, detail| {
        of_packed.k_offsets = try own.from(u32, &.{3}, &values);
        try testing.expectError(error.IndexOutOfRange, forward(&d, of_packed, o));
        try testing.expectEqual(detail, status.detail);
    }
    of_packed.k_offsets = try own.from(u32, &.{2}, &.{ 0, 5 });
    try testing.expectError(error.ShapeMismatch, forward(&d, of_packed, o));
    for ([_]u32{ m.out, m.stats, odd.out }) |h| for (arrays.data(f32, h)) |x| try testing.expectEqual(42, x);

    try forward(&d, good, o);
    var twice = m.backwardHandles();
    twice.dv = m.dk;
    try testing.expectError(error.Overlap, backward(&d, twice, o));
    var onto = m.backwardHandles();
    onto.dq = m.dy;
    try testing.expectError(error.Overlap, backward(&d, onto, o));
    for ([_]u32{ m.dq, m.dk, m.dv }) |h| for (arrays.data(f32, h)) |x| try testing.expectEqual(42, x);
}

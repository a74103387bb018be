//! What a call would do, told without doing it. An explaining copy of a device (device.zig) carries an `Explanation`: where a call of that device would
//! hand work to kernels, it notes a step here instead. TypeScript reads the notes of the last call as JSON.

const std = @import("std");
const detect = @import("isa/detect.zig");
const resolve = @import("parallel/resolve.zig");
const status = @import("status.zig");

/// How one product, or a batch of them, is carried out.
pub const Route = enum { direct, tiles, transposed, gemv, outer, @"batch-serial", @"batch-parallel", @"sequential-internal", grouped, @"scaling only" };

/// Where the kernel reads an operand.
pub const Packing = enum { @"in place", @"packed", @"packed by each worker", prepacked, @"turned in registers" };

/// Rows of A, columns of B and depth that are worked on at a time.
pub const Blocking = struct { mc: u64, nc: u64, kc: u64 };

/// A matrix product: `batch` times m×n×k.
pub const Product = struct {
    route: Route,
    m: u64,
    n: u64,
    k: u64,
    batch: u64 = 1,
    /// The register tile; null where a vector is read.
    tile: ?struct { mr: u64, nr: u64 } = null,
    /// Null where the kernel takes the product as it is.
    blocking: ?Blocking = null,
    a: Packing,
    b: Packing,
};

/// One parallel step of a call, or a serial one.
pub const Step = struct {
    /// Which part of its op it is: `dweight`, `join`, `copy`; the op itself where it has one step.
    step: ?[]const u8 = null,
    /// The micro-kernel without its instruction set; null where plain loops do the work.
    kernel: ?[]const u8 = null,
    /// The instruction set of the kernel, null on a GPU; filled in by `note`.
    isa: ?detect.Level = null,
    workers: u32,
    /// The width that `workers` stands on; 0 where the count stands for itself.
    tier: u32 = 0,
    /// The rule of parallel/resolve.zig that settled the count, or `nothing` or `serial_loop`; TypeScript makes a sentence of it.
    why: []const u8,
    /// Jobs on the cursor and jobs a chunk.
    jobs: u64 = 1,
    grain: u64 = 1,
    /// Bytes of the large inputs and outputs, each once.
    bytes: u64,
    /// Null where the step is bound by memory and nobody counts.
    flops: ?u64 = null,
    /// Scratch memory beside the tensors.
    scratch_bytes: u64 = 0,
    product: ?Product = null,
    /// How many copied bytes one of `bytes` counted as, its arithmetic being dear.
    weight: u64 = 1,
};

/// More than any op has steps.
const steps_max = 16;

pub const Explanation = struct {
    isa: ?detect.Level,
    cores: u32,
    pool_classes: u32,
    knobs: resolve.Knobs,
    count: usize = 0,
    /// Steps that found no room.
    missed: u32 = 0,
    steps: [steps_max]Step = undefined,

    pub fn note(e: *Explanation, step: Step) void {
        if (e.count == steps_max) {
            e.missed += 1;
            return;
        }
        e.steps[e.count] = step;
        e.steps[e.count].isa = e.isa;
        e.count += 1;
    }

    /// A plain loop on the calling thread.
    pub fn noteSerial(e: *Explanation, step: ?[]const u8, bytes: u64) void {
        e.note(.{ .step = step, .workers = 1, .bytes = bytes, .why = "serial_loop" });
    }

    /// Scratch memory of the step noted last, beside what it has already.
    pub fn noteScratch(e: *Explanation, bytes: u64) void {
        if (e.count > 0) e.steps[e.count - 1].scratch_bytes +|= bytes;
    }

    /// The notes as JSON, or null where `out` is too small.
    fn json(e: *const Explanation, out: []u8) ?usize {
        var writer: std.Io.Writer = .fixed(out);
        std.json.Stringify.value(.{ .steps = e.steps[0..e.count], .missed = e.missed, .cores = e.cores, .pool_classes = e.pool_classes, .knobs = e.knobs }, .{}, &writer) catch return null;
        return writer.end;
    }
};

/// The notes of the calling thread, between `explain_begin` and `explain_end`. Only a pointer: a library that asks for much thread-local storage may fail to
/// load.
pub threadlocal var notes: ?*Explanation = null;

pub const entries = struct {
    /// From now on this thread may explain calls.
    pub fn explain_begin() callconv(.c) i32 {
        if (notes == null) notes = std.heap.c_allocator.create(Explanation) catch return status.code(error.OutOfMemory);
        notes.?.* = .{ .isa = .portable, .cores = 1, .pool_classes = 0, .knobs = .{} };
        return 0;
    }

    /// Nothing is explained any more.
    pub fn explain_end() callconv(.c) void {
        if (notes) |e| std.heap.c_allocator.destroy(e);
        notes = null;
    }

    /// Copies the notes of this thread's last explained call to `out` as JSON and answers their length, or 0 where `capacity` bytes do not hold them.
    pub fn explain_read(out: [*]u8, capacity: u32) callconv(.c) u32 {
        const e = notes orelse return 0;
        return @intCast(e.json(out[0..capacity]) orelse 0);
    }
};

const testing = std.testing;

test "explain: notes are read as JSON, and what found no room is counted" {
    var e: Explanation = .{ .isa = .avx2, .cores = 8, .pool_classes = 2, .knobs = .{} };
    e.note(.{ .kernel = "add_f32_rows", .workers = 2, .why = "below_floor", .bytes = 96, .jobs = 64, .grain = 8 });
    e.noteScratch(32);
    var buffer: [16 << 10]u8 = undefined;
    const text = buffer[0..e.json(&buffer).?];
    try testing.expectEqualStrings(
        \\{"steps":[{"step":null,"kernel":"add_f32_rows","isa":"avx2","workers":2,"tier":0,"why":"below_floor",
    ++
        \\"jobs":64,"grain":8,"bytes":96,"flops":null,"scratch_bytes":32,"product":null,"weight":1}],"missed":0,"cores":8,"pool_classes":2,
    , text[0..std.mem.indexOf(u8, text, "\"knobs\"").?]);
    try testing.expectEqual(null, e.json(buffer[0..20]));
    // The largest notes that there can be fit the buffer of TypeScript.
    for (0..steps_max) |_| e.note(.{
        .step = "a step of some length",
        .kernel = "cross_entropy_backward_f32_rows",
        .workers = 256,
        .tier = 256,
        .why = "serial_request",
        .jobs = 1 << 60,
        .grain = 1 << 60,
        .bytes = 1 << 60,
        .flops = 1 << 60,
        .scratch_bytes = 1 << 60,
        .product = .{
            .route = .@"sequential-internal",
            .m = 1 << 60,
            .n = 1 << 60,
            .k = 1 << 60,
            .batch = 1 << 60,
            .tile = .{ .mr = 14, .nr = 32 },
            .blocking = .{ .mc = 1 << 60, .nc = 1 << 60, .kc = 256 },
            .a = .@"packed by each worker",
            .b = .@"turned in registers",
        },
    });
    try testing.expectEqual(1, e.missed);
    try testing.expect(e.json(&buffer) != null);
}

//! Runs every unit test for the instruction set in `TILEWORK_ISA` and prints one line of counts. A set that the machine lacks is skipped, and said so.

const std = @import("std");
const builtin = @import("builtin");

/// Exported by tests.zig: a file may belong to one module only, so the runner cannot import what it asks for.
extern fn testLevelName() [*:0]const u8;
extern fn testLevelUsable() bool;

pub const std_options: std.Options = .{ .signal_stack_size = null };

pub fn main() void {
    const name = testLevelName();
    if (!testLevelUsable()) {
        std.debug.print("isa {s}: 0 passed, 0 failed, {d} skipped (this machine lacks it)\n", .{ name, builtin.test_functions.len });
        return;
    }
    std.testing.random_seed = if (std.c.getenv("TILEWORK_SEED")) |text| std.fmt.parseInt(u32, std.mem.span(text), 10) catch 1 else 0x5eed;
    const only = if (std.c.getenv("TILEWORK_TEST")) |text| std.mem.span(text) else "";
    var passed: usize = 0;
    var failed: usize = 0;
    var skipped: usize = 0;
    for (builtin.test_functions) |t| {
        if (std.mem.indexOf(u8, t.name, only) == null) continue;
        std.testing.allocator_instance = .init(std.heap.page_allocator, .{});
        if (t.func()) |_| {
            passed += 1;
        } else |e| if (e == error.SkipZigTest) {
            skipped += 1;
        } else {
            failed += 1;
            std.debug.print("FAILED {s}: {s} (seed {d})\n", .{ t.name, @errorName(e), std.testing.random_seed });
            if (@errorReturnTrace()) |trace| std.debug.dumpErrorReturnTrace(trace);
        }
        if (std.testing.allocator_instance.deinit() != 0) {
            failed += 1;
            std.debug.print("LEAKED {s}\n", .{t.name});
        }
    }
    std.debug.print("isa {s}: {d} passed, {d} failed, {d} skipped\n", .{ name, passed, failed, skipped });
    if (failed > 0) std.process.exit(1);
}

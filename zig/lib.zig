//! Root of the shared library: exports every entry as `tw_<entry>` and the manifest that describes them.

const std = @import("std");
const abi = @import("abi.zig");
const list = @import("ops.zig");

/// Without this the standard library keeps 256 KiB of thread-local storage for signal stacks.
pub const std_options: std.Options = .{ .signal_stack_size = null };

/// A library never prints; a broken promise inside it traps.
pub const panic = std.debug.simple_panic;

comptime {
    for (list.entry_files) |file| {
        for (std.meta.declarations(file.entries)) |name|
            @export(&@field(file.entries, name), .{ .name = "tw_" ++ name });
    }
    @export(&tw_manifest, .{ .name = "tw_manifest" });
}

/// Copies the manifest into `out` if `capacity` bytes hold it, and returns its length. A copy, because Deno refuses
/// pointer views under a scoped `--allow-ffi=<path>`.
fn tw_manifest(out: [*]u8, capacity: u32) callconv(.c) u32 {
    if (capacity >= abi.manifest.len) @memcpy(out[0..abi.manifest.len], abi.manifest);
    return abi.manifest.len;
}

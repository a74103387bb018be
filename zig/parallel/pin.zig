//! Keeps the library mapped for the life of the process. Deno unmaps it when the last Worker that loaded it ends, while pool threads still run its
//! code and the Worker's own thread has yet to call the destructor of its tensors.

const std = @import("std");
const builtin = @import("builtin");

var pinned: std.atomic.Value(bool) = .init(false);

/// Called before the first pool thread starts and before the first thread leaves a destructor behind.
pub fn library() void {
    if (pinned.load(.acquire)) return;
    // Two threads that come here at once pin it twice, which is as good.
    pin();
    pinned.store(true, .release);
}

fn pin() void {
    if (builtin.os.tag == .windows) {
        var module: ?*anyopaque = null;
        _ = GetModuleHandleExW(0x4 | 0x1, @ptrCast(&pinned), &module);
        return;
    }
    if (builtin.output_mode == .Exe) return;
    var info: DlInfo = undefined;
    if (dladdr(@ptrCast(&pinned), &info) == 0) return;
    // By the very name under which it is loaded: then this copy is found even if a rebuild has replaced the file since.
    _ = std.c.dlopen(info.file orelse return, .{ .NOW = true });
}

const DlInfo = extern struct { file: ?[*:0]const u8, base: ?*anyopaque, symbol: ?[*:0]const u8, address: ?*anyopaque };
extern "c" fn dladdr(address: *const anyopaque, info: *DlInfo) c_int;
extern "kernel32" fn GetModuleHandleExW(flags: u32, address: *const anyopaque, module: *?*anyopaque) callconv(.winapi) i32;

//! Variables of the environment as the process has them now. The C runtime of Windows keeps a copy, taken when it starts: what the program itself has set
//! since is not in it.

const std = @import("std");
const builtin = @import("builtin");

pub const Buffer = [2048]u8;

/// The text of a variable; null where it is unset or empty, on Windows also where it does not fit, which nothing sensible does. The text may lie in
/// the buffer.
pub fn get(name: [*:0]const u8, buffer: *Buffer) ?[:0]const u8 {
    if (builtin.os.tag == .windows) {
        const len = GetEnvironmentVariableA(name, buffer, buffer.len);
        return if (len == 0 or len >= buffer.len) null else buffer[0..len :0];
    }
    const text = std.mem.span(std.c.getenv(name) orelse return null);
    return if (text.len == 0) null else text;
}

/// Whether a switch is on.
pub fn isOn(name: [*:0]const u8) bool {
    var buffer: Buffer = undefined;
    return if (get(name, &buffer)) |text| text[0] == '1' else false;
}

extern "kernel32" fn GetEnvironmentVariableA(name: [*:0]const u8, buffer: [*]u8, size: u32) callconv(.winapi) u32;

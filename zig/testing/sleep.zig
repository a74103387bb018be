//! Sleeping for a while, without std.Io.

const std = @import("std");
const builtin = @import("builtin");

pub fn sleep(ns: u32) void {
    if (builtin.os.tag == .windows) {
        const interval: i64 = -@as(i64, ns / 100); // in tenths of a microsecond, relative where it is negative
        _ = std.os.windows.ntdll.NtDelayExecution(.FALSE, &interval);
    } else {
        _ = std.c.nanosleep(&.{ .sec = 0, .nsec = ns }, null);
    }
}

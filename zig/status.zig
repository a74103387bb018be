//! What an entry can answer: one code for each fault, shared with TypeScript through the manifest.

const std = @import("std");
const builtin = @import("builtin");

/// The order is part of the boundary: codes are positions in this list, 0 is success.
pub const Error = error{
    OutOfMemory,
    InvalidHandle,
    InvalidDevice,
    InvalidArgument,
    DtypeMismatch,
    ShapeMismatch,
    LayoutMismatch,
    Overlap,
    IndexOutOfRange,
    Unsupported,
    /// A GPU that failed; nothing runs on it any more.
    DeviceLost,
    /// A GPU whose driver ends loops that go on for as long as this call's would.
    TooLong,
    /// No fault: the call was only explained (explain.zig), and has computed nothing.
    Explained,
};

pub const names = [_][:0]const u8{
    "ok",
    "OutOfMemory",
    "InvalidHandle",
    "InvalidDevice",
    "InvalidArgument",
    "DtypeMismatch",
    "ShapeMismatch",
    "LayoutMismatch",
    "Overlap",
    "IndexOutOfRange",
    "Unsupported",
    "DeviceLost",
    "TooLong",
    "Explained",
};

/// Position and value behind the last IndexOutOfRange or InvalidArgument of this thread, or rounds and their limit behind the last TooLong.
pub threadlocal var detail: [2]f64 = .{ 0, 0 };
/// The code behind the last entry of this thread that answers a handle and answered 0.
pub threadlocal var last: i32 = 0;

/// Whether the process ends, and by this thread.
var ending: std.atomic.Value(bool) = .init(false);
threadlocal var ends_here: bool = false;

/// Called by the thread that ends the process, before it takes the GPUs from the other threads.
pub fn endProcess() void {
    ends_here = true;
    ending.store(true, .release);
}

/// Holds a thread whose GPU was taken from it because the process ends: to report that as an error would print it. The thread ends with the
/// process. The limit is for a runtime that would wait for its threads at that point; none is known to.
fn awaitEnd() void {
    if (builtin.os.tag == .windows or ends_here or !ending.load(.acquire)) return; // Windows ends the threads first
    const limit: std.c.timespec = .{ .sec = 10, .nsec = 0 };
    _ = std.c.nanosleep(&limit, null);
}

/// The code of an error. Entries call it last, when they hold no lock any more.
pub fn code(e: Error) i32 {
    if (e == error.DeviceLost) awaitEnd();
    inline for (names, 0..) |name, i| {
        if (i > 0 and e == @field(Error, name)) return i;
    }
    unreachable;
}

/// The C status of an entry's body.
pub fn of(result: Error!void) i32 {
    result catch |e| return code(e);
    return 0;
}

/// The handle of an entry's body, or 0 with the code left in `last`.
pub fn handle(result: Error!u32) u32 {
    return result catch |e| {
        last = code(e);
        return 0;
    };
}

/// TooLong that tells TypeScript how many rounds a thread's loops would go, and after how many the driver ends them.
pub fn tooLong(rounds: usize, rounds_max: usize) Error {
    detail = .{ @floatFromInt(rounds), @floatFromInt(rounds_max) };
    return error.TooLong;
}

/// IndexOutOfRange that tells TypeScript which element held which value.
pub fn outOfRange(index: usize, value: i64) Error {
    detail = .{ @floatFromInt(index), @floatFromInt(value) };
    return error.IndexOutOfRange;
}

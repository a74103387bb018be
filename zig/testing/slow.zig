//! Whether the tests run where everything takes some forty times as long: under valgrind, or on an emulated processor.

const std = @import("std");

/// Whether this is such a place.
fn here() bool {
    return std.c.getenv("TILEWORK_VALGRIND") != null or std.c.getenv("TILEWORK_EMULATED") != null;
}

/// For the head of a test that repeats much of what quicker ones have done by every path of memory, or touches none that matters.
pub fn skip() error{SkipZigTest}!void {
    if (here()) return error.SkipZigTest;
}

/// The cases of a test, which begin with those that take little time: there only the first `few`.
pub fn some(comptime T: type, cases: []const T, few: usize) []const T {
    return if (here()) cases[0..few] else cases;
}

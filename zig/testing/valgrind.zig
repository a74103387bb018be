//! Whether the tests run under valgrind, which takes some forty times as long.

const std = @import("std");

/// For the head of a test that repeats much of what quicker ones have done by every path of memory, or touches none that matters.
pub fn skip() error{SkipZigTest}!void {
    if (std.c.getenv("TILEWORK_VALGRIND") != null) return error.SkipZigTest;
}

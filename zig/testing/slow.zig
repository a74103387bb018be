//! Whether the tests run where everything takes some forty times as long: under valgrind, or on an emulated processor.

const std = @import("std");

/// For the head of a test that repeats much of what quicker ones have done by every path of memory, or touches none that matters.
pub fn skip() error{SkipZigTest}!void {
    if (std.c.getenv("TILEWORK_VALGRIND") != null or std.c.getenv("TILEWORK_EMULATED") != null) return error.SkipZigTest;
}

//! The C boundary as data, reflected from the entries' signatures at compile time.

const std = @import("std");
const status = @import("status.zig");
const knobs = @import("knobs.zig");
const list = @import("ops.zig");

/// The FFI type names that Deno.dlopen and bun:ffi share. A pointer is a JavaScript buffer, valid during the call only.
fn ffiType(comptime T: type) []const u8 {
    return switch (@typeInfo(T)) {
        .pointer => "buffer",
        .int, .float => @typeName(T),
        .void => "void",
        else => @compileError("no FFI type for " ++ @typeName(T)),
    };
}

/// JSON of `{ version, statuses: [name…], settings: [{ name, variable, words, range }…], symbols: { tw_<entry>: { parameters: […], result } } }`; TypeScript
/// carries the same text and compares. It is the same for every platform: defaults, which differ, are what `device_describe` answers.
pub const manifest: [:0]const u8 = blk: {
    @setEvalBranchQuota(1_000_000);
    const package = @import("build.zig.zon");
    var s: [:0]const u8 = "{\n  \"version\": \"" ++ package.version ++ "\",\n  \"statuses\": [";
    for (status.names, 0..) |name, i| s = s ++ (if (i == 0) "" else ", ") ++ "\"" ++ name ++ "\"";
    s = s ++ "],\n  \"settings\": [";
    for (knobs.table, 0..) |setting, i| {
        s = s ++ (if (i == 0) "" else ",") ++ "\n    { \"name\": \"" ++ knobs.camel(setting.name) ++ "\", \"variable\": \"" ++ knobs.variable(setting.name);
        s = s ++ "\", \"words\": [";
        for (setting.words, 0..) |word, j| s = s ++ (if (j == 0) "" else ", ") ++ "\"" ++ word ++ "\"";
        s = s ++ "], \"range\": " ++ (if (setting.range) |r| std.fmt.comptimePrint("[{d}, {d}]", .{ r[0], r[1] }) else "null") ++ " }";
    }
    s = s ++ "\n  ],\n  \"symbols\": {";
    var first = true;
    for (list.entry_files) |file| {
        for (std.meta.declarations(file.entries)) |name| {
            const F = @typeInfo(@TypeOf(@field(file.entries, name))).@"fn";
            if (F.param_types.len > 12) @compileError(name ++ " has too many parameters");
            var integers = 0;
            s = s ++ (if (first) "" else ",") ++ "\n    \"tw_" ++ name ++ "\": { \"parameters\": [";
            first = false;
            for (F.param_types, 0..) |T, i| {
                if (@typeInfo(T.?) != .float) integers += 1;
                s = s ++ (if (i == 0) "" else ", ") ++ "\"" ++ ffiType(T.?) ++ "\"";
            }
            // Beyond eight, Apple's arm64 convention packs integer arguments in a way that the runtimes do not follow.
            if (integers > 8) @compileError(name ++ " has more than eight integer parameters");
            s = s ++ "], \"result\": \"" ++ ffiType(F.return_type.?) ++ "\" }";
        }
    }
    break :blk s ++ "\n  }\n}";
};

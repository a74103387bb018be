//! Compiled pipelines, kept on disk between runs: a driver takes from a millisecond to a second for each. One file for each device and version of its
//! driver, in the folder for caches of the system or in `TILEWORK_CACHE`; `TILEWORK_GPU_CACHE=0` keeps none. Whatever goes wrong with the file, pipelines are
//! compiled anew.

const std = @import("std");
const builtin = @import("builtin");
const api = @import("api.zig");
const environment = @import("../../environment.zig");
const instance = @import("instance.zig");
const gpa = std.heap.c_allocator;

/// Before the driver's data: a file that was cut or changed is not shown to the driver, of which some trust what they read.
const Header = extern struct { magic: u64, hash: u64, bytes: u64 };
const magic: u64 = 0x3163_6570_6970_7774;
const bytes_max = 64 << 20;

/// The file of a device, or null where no folder is known.
fn pathOf(adapter: *const instance.Adapter, buffer: *[1024]u8) ?[:0]const u8 {
    var text: environment.Buffer = undefined;
    if (environment.get("TILEWORK_GPU_CACHE", &text)) |keep| if (keep[0] == '0') return null;
    const p = &adapter.properties;
    var folder: [768]u8 = undefined;
    return std.fmt.bufPrintSentinel(buffer, "{s}/pipelines-{x}-{x}-{x}-{x}.bin", .{ folderOf(&folder) orelse return null, p.vendor, p.device, p.driver_version, &p.pipeline_cache_uuid }, 0) catch null;
}

fn folderOf(buffer: *[768]u8) ?[]const u8 {
    var text: environment.Buffer = undefined;
    if (environment.get("TILEWORK_CACHE", &text)) |own| return std.fmt.bufPrint(buffer, "{s}", .{own}) catch null;
    const name, const below = switch (builtin.os.tag) {
        .windows => .{ "LOCALAPPDATA", "tilework" },
        .macos => .{ "HOME", "Library/Caches/tilework" },
        else => if (environment.get("XDG_CACHE_HOME", &text) != null) .{ "XDG_CACHE_HOME", "tilework" } else .{ "HOME", ".cache/tilework" },
    };
    return std.fmt.bufPrint(buffer, "{s}/{s}", .{ environment.get(name, &text) orelse return null, below }) catch null;
}

/// What is on disk for a device, for `gpa` to free; null where there is nothing sound.
pub fn load(adapter: *const instance.Adapter) ?[]const u8 {
    var buffer: [1024]u8 = undefined;
    const file = c.fopen(pathOf(adapter, &buffer) orelse return null, "rb") orelse return null;
    defer _ = c.fclose(file);
    var header: Header = undefined;
    if (c.fread(&header, @sizeOf(Header), 1, file) != 1 or header.magic != magic or header.bytes > bytes_max) return null;
    const data = gpa.alloc(u8, @intCast(header.bytes)) catch return null;
    if (c.fread(data.ptr, 1, data.len, file) == data.len and std.hash.Wyhash.hash(magic, data) == header.hash) return data;
    gpa.free(data);
    return null;
}

/// Writes what a device's cache holds. The file is made beside its place and moved there, so that nobody reads half of one.
pub fn save(adapter: *const instance.Adapter, vk: *const api.DeviceTable, device: api.Device, cache: api.PipelineCache) void {
    var buffer: [1024]u8 = undefined;
    const path = pathOf(adapter, &buffer) orelse return;
    var bytes: usize = 0;
    if (vk.vkGetPipelineCacheData(device, cache, &bytes, null) != .success or bytes == 0 or bytes > bytes_max) return;
    const data = gpa.alloc(u8, bytes) catch return;
    defer gpa.free(data);
    if (vk.vkGetPipelineCacheData(device, cache, &bytes, data.ptr) != .success) return;
    const header: Header = .{ .magic = magic, .hash = std.hash.Wyhash.hash(magic, data[0..bytes]), .bytes = bytes };
    makeFolder(path);
    var fresh_buffer: [1100]u8 = undefined;
    const fresh = std.fmt.bufPrintSentinel(&fresh_buffer, "{s}.{x}", .{ path, @intFromPtr(&fresh_buffer) ^ processId() << 20 }, 0) catch return;
    const file = c.fopen(fresh, "wb") orelse return;
    const whole = c.fwrite(&header, @sizeOf(Header), 1, file) == 1 and c.fwrite(data.ptr, 1, bytes, file) == bytes;
    if (c.fclose(file) != 0 or !whole or !replace(fresh, path)) _ = c.remove(fresh);
}

/// The folders above a file, made one by one where they are missing.
fn makeFolder(path: [:0]const u8) void {
    var buffer: [1024]u8 = undefined;
    for (path, 0..) |letter, i| if (i > 0 and (letter == '/' or letter == '\\')) {
        @memcpy(buffer[0..i], path[0..i]);
        buffer[i] = 0;
        if (builtin.os.tag == .windows) _ = c._mkdir(buffer[0..i :0]) else _ = c.mkdir(buffer[0..i :0], 0o755);
    };
}

/// Gives a file the name of another one, which is no more then.
fn replace(path: [*:0]const u8, other: [*:0]const u8) bool {
    if (builtin.os.tag != .windows) return c.rename(path, other) == 0;
    const replace_existing = 1; // what rename() of the C runtime does not do there
    return MoveFileExA(path, other, replace_existing) != 0;
}

fn processId() usize {
    return if (builtin.os.tag == .windows) GetCurrentProcessId() else @intCast(c.getpid());
}

extern "kernel32" fn MoveFileExA(from: [*:0]const u8, to: [*:0]const u8, flags: u32) callconv(.winapi) i32;
extern "kernel32" fn GetCurrentProcessId() callconv(.winapi) u32;

const c = struct {
    const File = opaque {};
    extern "c" fn fopen(path: [*:0]const u8, mode: [*:0]const u8) ?*File;
    extern "c" fn fclose(file: *File) c_int;
    extern "c" fn fread(data: *anyopaque, size: usize, count: usize, file: *File) usize;
    extern "c" fn fwrite(data: *const anyopaque, size: usize, count: usize, file: *File) usize;
    extern "c" fn rename(from: [*:0]const u8, to: [*:0]const u8) c_int;
    extern "c" fn remove(path: [*:0]const u8) c_int;
    extern "c" fn mkdir(path: [*:0]const u8, mode: c_uint) c_int;
    extern "c" fn _mkdir(path: [*:0]const u8) c_int;
    extern "c" fn getpid() c_int;
};

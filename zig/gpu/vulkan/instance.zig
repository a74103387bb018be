//! The Vulkan loader of the system, one instance of it for the process, and the devices that it lists.
//!
//! No loader and no driver are normal: the list is empty then, a sentence says why, and nothing is printed.

const std = @import("std");
const builtin = @import("builtin");
const api = @import("api.zig");
const choice = @import("../choice.zig");
const environment = @import("../../environment.zig");
const float_modes = @import("float_modes.zig");
const pin = @import("../../parallel/pin.zig");
const chunks = @import("chunks.zig");
const shaders = @import("shaders");
const Mutex = @import("../../parallel/futex.zig").Mutex;

/// A physical device as the instance lists it.
pub const Adapter = struct {
    physical: api.PhysicalDevice,
    properties: api.Properties,
    uuid: [16]u8,
    subgroup_size: u32,
    memory: api.MemoryProperties,
    /// The queue family that computes; null where the device cannot be used, and `unusable` says why.
    family: ?u32,
    timestamp_bits: u32,
    unusable: []const u8,
    push_descriptors: bool,
    portability: bool,
    /// The most bytes of one allocation.
    allocation_bytes: u64,
    /// The rounds after which the driver ends a thread's loops, all of them together, and goes on behind them as if they were done. llvmpipe, on which Mesa's
    /// lavapipe stands, counts 65 535; other drivers have no such limit.
    rounds_max: usize,
    /// What its shaders ask for.
    float_modes: float_modes.Modes,

    pub fn name(a: *const Adapter) []const u8 {
        return std.mem.sliceTo(&a.properties.name, 0);
    }

    pub fn kind(a: *const Adapter) choice.Kind {
        return switch (a.properties.device_type) {
            .discrete => .discrete,
            .integrated => .integrated,
            .virtual => .virtual,
            .cpu => .software,
            else => .other,
        };
    }

    /// The most bytes that a tensor may have: of a binding, and of an allocation.
    pub fn tensorBytesMax(a: *const Adapter) u64 {
        return @min(a.properties.limits.storage_buffer_range & ~@as(u64, 255), a.allocation_bytes & ~@as(u64, 255), chunks.bytes_max);
    }

    /// Bytes of the largest heap that is the device's own.
    pub fn memoryBytes(a: *const Adapter) u64 {
        var most: u64 = 0;
        for (a.memory.heaps[0..a.memory.heap_count]) |heap| if (heap.flags & api.MemoryType.device_local != 0) {
            most = @max(most, heap.size);
        };
        return most;
    }
};

pub const adapters_max = 16;

/// The most buffers of a shader.
pub const bindings_max = 16;

/// The most threads of a shader's workgroup.
const threads_max = most: {
    var most = 0;
    for (shaders.table) |shader| most = @max(most, shader.threads);
    break :most most;
};

pub const System = struct {
    instance: api.Instance = undefined,
    table: api.InstanceTable = undefined,
    count: usize = 0,
    adapters: [adapters_max]Adapter = undefined,
    /// Why the list is empty.
    reason: []const u8 = "",
    validated: bool = false,
};

var lock: Mutex = .{};
var looked: bool = false;
var found: System = .{};

/// Messages of the validation layer since the library was loaded, and the last one.
pub var messages: std.atomic.Value(u32) = .init(0);
var last_message: [4096]u8 = undefined;
var last_len: usize = 0;
/// Any thread that calls the driver may be told something.
var message_lock: Mutex = .{};

/// Copies the last message as far as it fits and answers how much.
pub fn lastMessage(out: []u8) usize {
    message_lock.lock();
    defer message_lock.unlock();
    const len = @min(last_len, out.len);
    @memcpy(out[0..len], last_message[0..len]);
    return len;
}

/// What there is on this machine, found out once.
pub fn system() *const System {
    lock.lock();
    defer lock.unlock();
    if (looked) return &found;
    looked = true;
    find() catch |e| {
        found.count = 0;
        found.reason = switch (e) {
            error.NoLoader => "there is no Vulkan loader (libvulkan.so.1, vulkan-1.dll, libMoltenVK.dylib)",
            error.BrokenLoader => "the Vulkan loader lacks functions of Vulkan 1.2",
            error.NoInstance => "the Vulkan loader could not make an instance: no driver is installed, or none of Vulkan 1.2",
            error.NoDevices => "the Vulkan drivers list no device",
        };
    };
    return &found;
}

const Fault = error{ NoLoader, BrokenLoader, NoInstance, NoDevices };

const Lookup = *const fn (?api.Instance, [*:0]const u8) callconv(.c) ?*const anyopaque;

fn find() Fault!void {
    pin.library(); // a driver may call back into the validation handler as long as the process lives
    const look: Lookup = @ptrCast(@alignCast(try symbol("vkGetInstanceProcAddr")));
    const global = api.fill(api.Global, @as(?api.Instance, null), look) orelse return error.BrokenLoader;
    const wants_validation = environment.isOn("TILEWORK_GPU_VALIDATION");
    var layers: [1][*:0]const u8 = undefined;
    var layer_count: u32 = 0;
    var extensions: [2][*:0]const u8 = undefined;
    var extension_count: u32 = 0;
    if (wants_validation and hasLayer(&global, validation_layer)) {
        layers[0] = validation_layer;
        layer_count = 1;
        extensions[0] = "VK_EXT_debug_utils";
        extension_count = 1;
    }
    const portable = hasExtension(&global, "VK_KHR_portability_enumeration");
    if (portable) {
        extensions[extension_count] = "VK_KHR_portability_enumeration";
        extension_count += 1;
    }
    const messenger: api.MessengerCreateInfo = .{ .callback = heard };
    const application: api.ApplicationInfo = .{ .engine_name = "tilework" };
    const created = global.vkCreateInstance(&.{
        .next = if (layer_count > 0) &messenger else null,
        .flags = if (portable) api.InstanceCreateInfo.enumerate_portability else 0,
        .application = &application,
        .layer_count = layer_count,
        .layers = &layers,
        .extension_count = extension_count,
        .extensions = &extensions,
    }, null, &found.instance);
    if (created != .success) return error.NoInstance;
    found.table = api.fill(api.InstanceTable, @as(?api.Instance, found.instance), look) orelse return error.BrokenLoader;
    if (layer_count > 0) {
        const debug = api.fill(api.DebugTable, @as(?api.Instance, found.instance), look) orelse return error.BrokenLoader;
        var handle: api.Messenger = .none;
        found.validated = debug.vkCreateDebugUtilsMessengerEXT(found.instance, &messenger, null, &handle) == .success;
    }
    var physical: [adapters_max]api.PhysicalDevice = undefined;
    var count: u32 = adapters_max;
    const listed = found.table.vkEnumeratePhysicalDevices(found.instance, &count, &physical);
    if ((listed != .success and listed != .incomplete) or count == 0) return error.NoDevices;
    found.count = count;
    for (physical[0..count], found.adapters[0..count]) |p, *a| describe(p, a);
}

const validation_layer = "VK_LAYER_KHRONOS_validation";

fn heard(_: u32, _: u32, data: *const api.MessageData, _: ?*anyopaque) callconv(.c) u32 {
    const text = std.mem.span(data.message orelse "");
    const len = @min(text.len, last_message.len);
    // Drivers and the loader warn of themselves through the same channel; only what names a rule of Vulkan counts.
    const id = std.mem.span(data.id_name orelse "");
    if (!std.mem.startsWith(u8, id, "VUID") and !std.mem.startsWith(u8, id, "SYNC") and !std.mem.startsWith(u8, id, "UNASSIGNED")) return 0;
    message_lock.lock();
    defer message_lock.unlock();
    @memcpy(last_message[0..len], text[0..len]);
    last_len = len;
    _ = messages.fetchAdd(1, .monotonic);
    return 0;
}

fn hasLayer(global: *const api.Global, name: []const u8) bool {
    var layers: [64]api.LayerProperties = undefined;
    var count: u32 = layers.len;
    _ = global.vkEnumerateInstanceLayerProperties(&count, &layers);
    for (layers[0..@min(count, layers.len)]) |*layer| if (std.mem.eql(u8, std.mem.sliceTo(&layer.name, 0), name)) return true;
    return false;
}

fn hasExtension(global: *const api.Global, name: []const u8) bool {
    var extensions: [64]api.ExtensionProperties = undefined;
    var count: u32 = extensions.len;
    _ = global.vkEnumerateInstanceExtensionProperties(null, &count, &extensions);
    for (extensions[0..@min(count, extensions.len)]) |*e| if (std.mem.eql(u8, std.mem.sliceTo(&e.name, 0), name)) return true;
    return false;
}

fn describe(physical: api.PhysicalDevice, a: *Adapter) void {
    const table = &found.table;
    a.* = .{
        .physical = physical,
        .properties = undefined,
        .uuid = @splat(0),
        .subgroup_size = 0,
        .memory = undefined,
        .family = null,
        .timestamp_bits = 0,
        .unusable = "",
        .push_descriptors = false,
        .portability = false,
        .allocation_bytes = 0,
        .rounds_max = std.math.maxInt(usize),
        .float_modes = .empty,
    };
    var controls: api.FloatControlsProperties = .{};
    var driver: api.DriverProperties = .{ .next = &controls };
    var eleven: api.Vulkan11Properties = .{ .next = &driver, .subgroup_size = 0, .device_uuid = @splat(0) };
    var properties: api.Properties2 = .{ .next = &eleven };
    table.vkGetPhysicalDeviceProperties2(physical, &properties);
    a.properties = properties.properties;
    a.uuid = eleven.device_uuid;
    a.subgroup_size = eleven.subgroup_size;
    a.allocation_bytes = eleven.memory_allocation_size;
    a.float_modes = float_modes.offered(&controls);
    if (driver.id == api.DriverProperties.mesa_llvmpipe) a.rounds_max = 65535;
    table.vkGetPhysicalDeviceMemoryProperties(physical, &a.memory);
    if (a.properties.api_version < api.version_1_2) {
        a.unusable = "its driver is older than Vulkan 1.2";
        return;
    }
    var twelve: api.Vulkan12Features = .{};
    var features: api.Features2 = .{ .next = &twelve };
    table.vkGetPhysicalDeviceFeatures2(physical, &features);
    if (twelve.features[api.Vulkan12Features.timeline_semaphore] == 0) {
        a.unusable = "its driver has no timeline semaphores";
        return;
    }
    const limits = &a.properties.limits;
    if (limits.per_stage_storage_buffers < bindings_max) {
        a.unusable = std.fmt.comptimePrint("its shaders take fewer than {d} buffers", .{bindings_max});
        return;
    }
    if (limits.compute_work_group_invocations < threads_max or limits.compute_work_group_size[0] < threads_max) {
        a.unusable = std.fmt.comptimePrint("its workgroups have fewer than {d} threads", .{threads_max});
        return;
    }
    var families: [32]api.QueueFamilyProperties = undefined;
    var count: u32 = families.len;
    table.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, &families);
    for (families[0..count], 0..) |family, i| if (family.flags & api.QueueFamilyProperties.compute != 0) {
        // One that only computes is not held up by what draws the screen.
        const alone = family.flags & api.QueueFamilyProperties.graphics == 0;
        if (a.family != null and !alone) continue;
        a.family = @intCast(i);
        a.timestamp_bits = family.timestamp_bits;
        if (alone) break;
    };
    if (a.family == null) a.unusable = "it has no queue that computes";
    var extensions: [512]api.ExtensionProperties = undefined;
    var extension_count: u32 = extensions.len;
    _ = table.vkEnumerateDeviceExtensionProperties(physical, null, &extension_count, &extensions);
    for (extensions[0..@min(extension_count, extensions.len)]) |*e| {
        const name = std.mem.sliceTo(&e.name, 0);
        if (std.mem.eql(u8, name, "VK_KHR_push_descriptor")) a.push_descriptors = true;
        if (std.mem.eql(u8, name, "VK_KHR_portability_subset")) a.portability = true;
    }
}

/// A function of the loader: of the file that `TILEWORK_VULKAN_LIBRARY` names, or of the system's.
fn symbol(name: [*:0]const u8) Fault!*const anyopaque {
    var buffer: environment.Buffer = undefined;
    if (environment.get("TILEWORK_VULKAN_LIBRARY", &buffer)) |path| {
        const library = open(path, .named) orelse return error.NoLoader;
        return lookUp(library, name) orelse error.BrokenLoader;
    }
    const names: []const [*:0]const u8 = switch (builtin.os.tag) {
        .windows => &.{"vulkan-1.dll"},
        .macos => &.{ "libvulkan.1.dylib", "libMoltenVK.dylib", "/opt/homebrew/lib/libvulkan.1.dylib", "/usr/local/lib/libvulkan.1.dylib", "/opt/homebrew/lib/libMoltenVK.dylib" },
        else => &.{ "libvulkan.so.1", "libvulkan.so" },
    };
    for (names) |file| if (open(file, .of_system)) |library| return lookUp(library, name) orelse error.BrokenLoader;
    return error.NoLoader;
}

/// Windows looks for a bare name in the current folder too, where anybody may have put a file of that name, unless it is told to leave that out.
fn open(file: [*:0]const u8, from: enum { named, of_system }) ?*anyopaque {
    const search_default_dirs = 0x1000; // of the program and of the system
    if (builtin.os.tag == .windows) return LoadLibraryExA(file, null, if (from == .named) 0 else search_default_dirs);
    return std.c.dlopen(file, .{ .NOW = true });
}

fn lookUp(library: *anyopaque, name: [*:0]const u8) ?*const anyopaque {
    if (builtin.os.tag == .windows) return GetProcAddress(library, name);
    return std.c.dlsym(library, name);
}

extern "kernel32" fn LoadLibraryExA(name: [*:0]const u8, file: ?*anyopaque, flags: u32) callconv(.winapi) ?*anyopaque;
extern "kernel32" fn GetProcAddress(module: *anyopaque, name: [*:0]const u8) callconv(.winapi) ?*const anyopaque;

//! A Vulkan loader that fails on demand, for tests: it passes everything on to the real one but for what `TILEWORK_FAKE_VULKAN` names:
//!
//!     instance            no instance can be made, as without a driver
//!     none                no device is listed
//!     device              no device can be made
//!     lost:N              from the N-th submission on the device is lost
//!     wait:N              the N-th wait, or look whether work is done, finds that it was lost while running
//!     memory:N            there is no memory for allocations of N MiB and more
//!     once:N              the N-th allocation fails, and none after it
//!     timeless            no queue has timestamps
//!     room:N              there is memory for N allocations, and for none after them
//!     full:N              from the N-th on submissions lack memory; with :only behind it only that one
//!     gone:N              the N-th wait, or look whether work is done, says so as for a device that is no more: by the largest count
//!     making:N:only       the N-th object that a device is made of cannot be made
//!     small               the least limits that Vulkan allows, but for a storage range of 1 MiB
//!     buffers:N           a shader takes N buffers
//!     threads:N           a workgroup has N threads
//!     blocks:N            there may be N allocations at a time
//!     largest:N           an allocation has N MiB at the most
//!     uncached            no memory of the host is cached
//!     unordered           barriers are left out
//!
//! Built by `zig build fake`; `TILEWORK_VULKAN_LIBRARY` names it to the library.

const std = @import("std");
const api = @import("gpu/vulkan/api.zig");

pub const std_options: std.Options = .{ .signal_stack_size = null };

const Get = *const fn (?api.Instance, [*:0]const u8) callconv(.c) ?*const anyopaque;
const GetOfDevice = *const fn (api.Device, [*:0]const u8) callconv(.c) ?*const anyopaque;

var real: ?Get = null;
var real_of_device: GetOfDevice = undefined;

fn wish() []const u8 {
    return std.mem.span(std.c.getenv("TILEWORK_FAKE_VULKAN") orelse return "");
}

/// The number behind the wish `name`; null where that is not the wish.
fn amount(name: []const u8) ?u32 {
    var parts = std.mem.splitScalar(u8, wish(), ':');
    if (!std.mem.eql(u8, parts.first(), name)) return null;
    return std.fmt.parseInt(u32, parts.next() orelse return null, 10) catch null;
}

/// Whether the wish is `name` and this the call that it means.
fn hit(name: []const u8, count: u64) bool {
    var parts = std.mem.splitScalar(u8, wish(), ':');
    if (!std.mem.eql(u8, parts.first(), name)) return false;
    const n = std.fmt.parseInt(u64, parts.next() orelse return true, 10) catch return false;
    return if (parts.next() != null) count == n else count >= n;
}

export fn vkGetInstanceProcAddr(instance: ?api.Instance, name: [*:0]const u8) callconv(.c) ?*const anyopaque {
    const get = real orelse first: {
        const library = std.c.dlopen("libvulkan.so.1", .{ .NOW = true }) orelse return null;
        real = @ptrCast(std.c.dlsym(library, "vkGetInstanceProcAddr") orelse return null);
        break :first real.?;
    };
    const found = get(instance, name);
    return if (found == null) null else replaced(std.mem.span(name), found);
}

fn ofDevice(device: api.Device, name: [*:0]const u8) callconv(.c) ?*const anyopaque {
    return replaced(std.mem.span(name), real_of_device(device, name));
}

/// The originals of what is replaced.
var originals: struct {
    vkCreateInstance: @FieldType(api.Global, "vkCreateInstance") = undefined,
    vkEnumeratePhysicalDevices: @FieldType(api.InstanceTable, "vkEnumeratePhysicalDevices") = undefined,
    vkGetPhysicalDeviceProperties2: @FieldType(api.InstanceTable, "vkGetPhysicalDeviceProperties2") = undefined,
    vkGetPhysicalDeviceQueueFamilyProperties: @FieldType(api.InstanceTable, "vkGetPhysicalDeviceQueueFamilyProperties") = undefined,
    vkGetPhysicalDeviceMemoryProperties: @FieldType(api.InstanceTable, "vkGetPhysicalDeviceMemoryProperties") = undefined,
    vkCreateDevice: @FieldType(api.InstanceTable, "vkCreateDevice") = undefined,
    vkGetDeviceProcAddr: @FieldType(api.InstanceTable, "vkGetDeviceProcAddr") = undefined,
    vkQueueSubmit: @FieldType(api.DeviceTable, "vkQueueSubmit") = undefined,
    vkWaitSemaphores: @FieldType(api.DeviceTable, "vkWaitSemaphores") = undefined,
    vkGetSemaphoreCounterValue: @FieldType(api.DeviceTable, "vkGetSemaphoreCounterValue") = undefined,
    vkAllocateMemory: @FieldType(api.DeviceTable, "vkAllocateMemory") = undefined,
    vkCreateBuffer: @FieldType(api.DeviceTable, "vkCreateBuffer") = undefined,
    vkCreateSemaphore: @FieldType(api.DeviceTable, "vkCreateSemaphore") = undefined,
    vkCreatePipelineCache: @FieldType(api.DeviceTable, "vkCreatePipelineCache") = undefined,
    vkCreateCommandPool: @FieldType(api.DeviceTable, "vkCreateCommandPool") = undefined,
    vkAllocateCommandBuffers: @FieldType(api.DeviceTable, "vkAllocateCommandBuffers") = undefined,
    vkCreateDescriptorPool: @FieldType(api.DeviceTable, "vkCreateDescriptorPool") = undefined,
    vkCmdPipelineBarrier: @FieldType(api.DeviceTable, "vkCmdPipelineBarrier") = undefined,
} = .{};

fn replaced(name: []const u8, found: ?*const anyopaque) ?*const anyopaque {
    inline for (comptime std.meta.fieldNames(@TypeOf(originals))) |field| if (std.mem.eql(u8, field, name)) {
        @field(originals, field) = @ptrCast(@alignCast(found));
        if (comptime std.mem.eql(u8, field, "vkGetDeviceProcAddr")) real_of_device = @ptrCast(@alignCast(found));
        return @ptrCast(&@field(fakes, field));
    };
    return found;
}

const fakes = struct {
    fn vkCreateInstance(info: *const api.InstanceCreateInfo, allocator: ?*const anyopaque, out: *api.Instance) callconv(.c) api.Result {
        if (hit("instance", 0)) return @fromBackingInt(-9);
        return originals.vkCreateInstance(info, allocator, out);
    }

    fn vkEnumeratePhysicalDevices(instance: api.Instance, count: *u32, out: ?[*]api.PhysicalDevice) callconv(.c) api.Result {
        if (!hit("none", 0)) return originals.vkEnumeratePhysicalDevices(instance, count, out);
        count.* = 0;
        return .success;
    }

    fn vkGetPhysicalDeviceProperties2(physical: api.PhysicalDevice, out: *api.Properties2) callconv(.c) void {
        originals.vkGetPhysicalDeviceProperties2(physical, out);
        const limits = &out.properties.limits;
        if (amount("buffers")) |n| limits.per_stage_storage_buffers = n;
        if (amount("threads")) |n| limits.compute_work_group_invocations = n;
        if (amount("blocks")) |n| limits.memory_allocation_count = n;
        if (amount("largest")) |n| {
            const eleven: *api.Vulkan11Properties = @ptrCast(@alignCast(out.next.?));
            eleven.memory_allocation_size = @as(u64, n) << 20;
        }
        if (!hit("small", 0)) return;
        limits.storage_buffer_range = 1 << 20;
        limits.push_constants_size = 128;
        limits.compute_shared_memory_size = 16384;
        limits.compute_work_group_count = @splat(65535);
        limits.compute_work_group_invocations = 256;
    }

    fn vkGetPhysicalDeviceQueueFamilyProperties(physical: api.PhysicalDevice, count: *u32, out: ?[*]api.QueueFamilyProperties) callconv(.c) void {
        originals.vkGetPhysicalDeviceQueueFamilyProperties(physical, count, out);
        if (hit("timeless", 0)) if (out) |families| for (families[0..count.*]) |*family| {
            family.timestamp_bits = 0;
        };
    }

    fn vkGetPhysicalDeviceMemoryProperties(physical: api.PhysicalDevice, out: *api.MemoryProperties) callconv(.c) void {
        originals.vkGetPhysicalDeviceMemoryProperties(physical, out);
        if (hit("uncached", 0)) for (out.types[0..out.type_count]) |*t| {
            t.flags &= ~@as(u32, api.MemoryType.host_cached);
        };
    }

    fn vkCreateDevice(physical: api.PhysicalDevice, info: *const api.DeviceCreateInfo, allocator: ?*const anyopaque, out: *api.Device) callconv(.c) api.Result {
        if (hit("device", 0)) return .initialization_failed;
        return originals.vkCreateDevice(physical, info, allocator, out);
    }

    const vkGetDeviceProcAddr = ofDevice;

    var submissions: u64 = 0;
    fn vkQueueSubmit(queue: api.Queue, count: u32, info: *const api.SubmitInfo, fence: u64) callconv(.c) api.Result {
        submissions += 1;
        if (hit("full", submissions)) return .out_of_device_memory;
        return if (hit("lost", submissions)) .device_lost else originals.vkQueueSubmit(queue, count, info, fence);
    }

    var waits: u64 = 0;
    fn vkWaitSemaphores(device: api.Device, info: *const api.SemaphoreWaitInfo, timeout: u64) callconv(.c) api.Result {
        waits += 1;
        if (hit("gone", waits)) return .success;
        return if (hit("wait", waits)) .device_lost else originals.vkWaitSemaphores(device, info, timeout);
    }

    fn vkGetSemaphoreCounterValue(device: api.Device, semaphore: api.Semaphore, out: *u64) callconv(.c) api.Result {
        waits += 1;
        if (hit("gone", waits)) {
            out.* = std.math.maxInt(u64);
            return .success;
        }
        return if (hit("wait", waits)) .device_lost else originals.vkGetSemaphoreCounterValue(device, semaphore, out);
    }

    var allocations: u64 = 0;
    fn vkAllocateMemory(device: api.Device, info: *const api.MemoryAllocateInfo, allocator: ?*const anyopaque, out: *api.Memory) callconv(.c) api.Result {
        allocations += 1;
        const refused = hit("memory", info.size >> 20) or (hit("once", allocations) and !hit("once", allocations - 1)) or hit("room", allocations -| 1) or unmade();
        return if (refused) .out_of_device_memory else originals.vkAllocateMemory(device, info, allocator, out);
    }

    var objects: u64 = 0;
    /// Whether the next object cannot be made.
    fn unmade() bool {
        objects += 1;
        return hit("making", objects);
    }

    fn vkCreateBuffer(device: api.Device, info: *const api.BufferCreateInfo, allocator: ?*const anyopaque, out: *api.Buffer) callconv(.c) api.Result {
        return if (unmade()) .out_of_host_memory else originals.vkCreateBuffer(device, info, allocator, out);
    }

    fn vkCreateSemaphore(device: api.Device, info: *const api.SemaphoreCreateInfo, allocator: ?*const anyopaque, out: *api.Semaphore) callconv(.c) api.Result {
        return if (unmade()) .out_of_host_memory else originals.vkCreateSemaphore(device, info, allocator, out);
    }

    fn vkCreatePipelineCache(device: api.Device, info: *const api.PipelineCacheCreateInfo, allocator: ?*const anyopaque, out: *api.PipelineCache) callconv(.c) api.Result {
        return if (unmade()) .out_of_host_memory else originals.vkCreatePipelineCache(device, info, allocator, out);
    }

    fn vkCreateCommandPool(device: api.Device, info: *const api.CommandPoolCreateInfo, allocator: ?*const anyopaque, out: *api.CommandPool) callconv(.c) api.Result {
        return if (unmade()) .out_of_host_memory else originals.vkCreateCommandPool(device, info, allocator, out);
    }

    fn vkAllocateCommandBuffers(device: api.Device, info: *const api.CommandBufferAllocateInfo, out: *api.CommandBuffer) callconv(.c) api.Result {
        return if (unmade()) .out_of_host_memory else originals.vkAllocateCommandBuffers(device, info, out);
    }

    fn vkCreateDescriptorPool(device: api.Device, info: *const api.DescriptorPoolCreateInfo, allocator: ?*const anyopaque, out: *api.DescriptorPool) callconv(.c) api.Result {
        return if (unmade()) .out_of_host_memory else originals.vkCreateDescriptorPool(device, info, allocator, out);
    }

    fn vkCmdPipelineBarrier(commands: api.CommandBuffer, source: u32, destination: u32, flags: u32, count: u32, barriers: ?[*]const api.MemoryBarrier, buffer_count: u32, buffers: ?*const anyopaque, image_count: u32, images: ?*const anyopaque) callconv(.c) void {
        if (!hit("unordered", 0)) originals.vkCmdPipelineBarrier(commands, source, destination, flags, count, barriers, buffer_count, buffers, image_count, images);
    }
};

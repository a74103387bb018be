//! The part of Vulkan 1.2 that compute needs, declared by hand from the specification: no SDK at build time, no loader at link time.

const std = @import("std");
const assert = std.debug.assert;

pub const Instance = *opaque {};
pub const PhysicalDevice = *opaque {};
pub const Device = *opaque {};
pub const Queue = *opaque {};
pub const CommandBuffer = *opaque {};

/// A handle that is a number on every 64-bit system; none is 0.
fn Handle(comptime _: @EnumLiteral()) type {
    return enum(u64) { none = 0, _ };
}
pub const Buffer = Handle(.buffer);
pub const Memory = Handle(.memory);
pub const Semaphore = Handle(.semaphore);
pub const ShaderModule = Handle(.shader_module);
pub const Pipeline = Handle(.pipeline);
pub const PipelineCache = Handle(.pipeline_cache);
pub const PipelineLayout = Handle(.pipeline_layout);
pub const SetLayout = Handle(.set_layout);
pub const DescriptorPool = Handle(.descriptor_pool);
pub const DescriptorSet = Handle(.descriptor_set);
pub const CommandPool = Handle(.command_pool);
pub const QueryPool = Handle(.query_pool);
pub const Messenger = Handle(.messenger);

pub const Result = enum(i32) {
    success = 0,
    not_ready = 1,
    timeout = 2,
    incomplete = 5,
    out_of_host_memory = -1,
    out_of_device_memory = -2,
    initialization_failed = -3,
    device_lost = -4,
    memory_map_failed = -5,
    too_many_objects = -10,
    out_of_pool_memory = -1000069000,
    fragmented_pool = -12,
    _,
};

pub const version_1_2 = 1 << 22 | 2 << 12;
pub const whole_size: u64 = ~@as(u64, 0);

pub const ApplicationInfo = extern struct {
    type: u32 = 0,
    next: ?*const anyopaque = null,
    application_name: ?[*:0]const u8 = null,
    application_version: u32 = 0,
    engine_name: ?[*:0]const u8 = null,
    engine_version: u32 = 0,
    api_version: u32 = version_1_2,
};

pub const InstanceCreateInfo = extern struct {
    type: u32 = 1,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    application: *const ApplicationInfo,
    layer_count: u32 = 0,
    layers: ?[*]const [*:0]const u8 = null,
    extension_count: u32 = 0,
    extensions: ?[*]const [*:0]const u8 = null,

    /// Devices that lack parts of Vulkan, as those of MoltenVK do, are listed too.
    pub const enumerate_portability = 1;
};

pub const ExtensionProperties = extern struct {
    name: [256]u8,
    version: u32,
};

pub const LayerProperties = extern struct {
    name: [256]u8,
    spec_version: u32,
    version: u32,
    description: [256]u8,
};

pub const DeviceType = enum(u32) { other, integrated, discrete, virtual, cpu, _ };

pub const Limits = extern struct {
    image: [5]u32,
    texel_buffer_elements: u32,
    uniform_buffer_range: u32,
    storage_buffer_range: u32,
    push_constants_size: u32,
    memory_allocation_count: u32,
    sampler_allocation_count: u32,
    buffer_image_granularity: u64,
    sparse_address_space_size: u64,
    bound_descriptor_sets: u32,
    per_stage_samplers: u32,
    per_stage_uniform_buffers: u32,
    per_stage_storage_buffers: u32,
    per_stage_images: [3]u32,
    per_stage_resources: u32,
    set: [8]u32,
    vertex: [5]u32,
    tessellation: [8]u32,
    geometry: [5]u32,
    fragment: [4]u32,
    compute_shared_memory_size: u32,
    compute_work_group_count: [3]u32,
    compute_work_group_invocations: u32,
    compute_work_group_size: [3]u32,
    precision: [3]u32,
    draw: [2]u32,
    sampler: [2]f32,
    viewports: [3]u32,
    viewport_bounds: [2]f32,
    viewport_sub_pixel_bits: u32,
    memory_map_alignment: usize,
    texel_buffer_offset_alignment: u64,
    uniform_buffer_offset_alignment: u64,
    storage_buffer_offset_alignment: u64,
    texel_offsets: [4]i32,
    interpolation: [2]f32,
    interpolation_bits: u32,
    framebuffer: [3]u32,
    sample_counts: [4]u32,
    color_attachments: u32,
    sampled_image_sample_counts: [4]u32,
    storage_image_sample_counts: u32,
    sample_mask_words: u32,
    timestamp_compute_and_graphics: u32,
    timestamp_period: f32,
    clip: [3]u32,
    discrete_queue_priorities: u32,
    point_and_line: [6]f32,
    strict_lines: u32,
    standard_sample_locations: u32,
    copy_offset_alignment: u64,
    copy_row_pitch_alignment: u64,
    non_coherent_atom_size: u64,

    comptime {
        assert(@sizeOf(Limits) == 504);
    }
};

pub const Properties = extern struct {
    api_version: u32,
    driver_version: u32,
    vendor: u32,
    device: u32,
    device_type: DeviceType,
    name: [256]u8,
    pipeline_cache_uuid: [16]u8,
    limits: Limits,
    sparse: [5]u32,

    comptime {
        assert(@sizeOf(Properties) == 824);
    }
};

pub const Properties2 = extern struct {
    type: u32 = 1000059001,
    next: ?*anyopaque = null,
    properties: Properties = undefined,
};

pub const Vulkan11Properties = extern struct {
    type: u32 = 50,
    next: ?*anyopaque = null,
    device_uuid: [16]u8 = undefined,
    driver_uuid: [16]u8 = undefined,
    device_luid: [8]u8 = undefined,
    node_mask: u32 = undefined,
    luid_valid: u32 = undefined,
    subgroup_size: u32 = undefined,
    subgroup_stages: u32 = undefined,
    subgroup_operations: u32 = undefined,
    quad_operations: u32 = undefined,
    point_clipping: u32 = undefined,
    multiview: [2]u32 = undefined,
    protected_no_fault: u32 = undefined,
    per_set_descriptors: u32 = undefined,
    memory_allocation_size: u64 = 0,
};

pub const DriverProperties = extern struct {
    type: u32 = 1000196000,
    next: ?*anyopaque = null,
    id: u32 = 0,
    name: [256]u8 = undefined,
    info: [256]u8 = undefined,
    conformance: [4]u8 = undefined,

    pub const mesa_llvmpipe = 13;
};

/// Of numbers of 16, 32 and 64 bits.
const ByWidth = [3]u32;

pub const FloatControlsProperties = extern struct {
    type: u32 = 1000197000,
    next: ?*anyopaque = null,
    denorm_independence: u32 = 0,
    rounding_independence: u32 = 0,
    signed_zero_inf_nan_preserve: ByWidth = @splat(0),
    denorm_preserve: ByWidth = @splat(0),
    denorm_flush_to_zero: ByWidth = @splat(0),
    rounding_mode_rte: ByWidth = @splat(0),
    rounding_mode_rtz: ByWidth = @splat(0),

    pub const independence_none = 2;
};

pub const Features2 = extern struct {
    type: u32 = 1000059000,
    next: ?*anyopaque = null,
    /// VkPhysicalDeviceFeatures: none of them is needed, so they are named by number only.
    features: [55]u32 = @splat(0),
};

pub const Vulkan12Features = extern struct {
    type: u32 = 51,
    next: ?*anyopaque = null,
    /// The features in the order of the specification.
    features: [47]u32 = @splat(0),

    pub const timeline_semaphore = 37;

    comptime {
        assert(@sizeOf(Vulkan12Features) == 16 + 47 * 4 + 4);
    }
};

pub const MemoryType = extern struct {
    flags: u32,
    heap: u32,

    pub const device_local = 1;
    pub const host_visible = 2;
    pub const host_coherent = 4;
    pub const host_cached = 8;
    /// Those that every program may use.
    pub const plain = device_local | host_visible | host_coherent | host_cached;
};
pub const MemoryHeap = extern struct { size: u64, flags: u32 };
pub const MemoryProperties = extern struct {
    type_count: u32,
    types: [32]MemoryType,
    heap_count: u32,
    heaps: [16]MemoryHeap,
};

pub const QueueFamilyProperties = extern struct {
    flags: u32,
    count: u32,
    timestamp_bits: u32,
    granularity: [3]u32,

    pub const graphics = 1;
    pub const compute = 2;
};

pub const DeviceQueueCreateInfo = extern struct {
    type: u32 = 2,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    family: u32,
    count: u32 = 1,
    priorities: [*]const f32,
};

pub const DeviceCreateInfo = extern struct {
    type: u32 = 3,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    queue_count: u32 = 1,
    queues: [*]const DeviceQueueCreateInfo,
    layer_count: u32 = 0,
    layers: ?[*]const [*:0]const u8 = null,
    extension_count: u32 = 0,
    extensions: ?[*]const [*:0]const u8 = null,
    features: ?*const anyopaque = null,
};

pub const MemoryAllocateInfo = extern struct {
    type: u32 = 5,
    next: ?*const anyopaque = null,
    size: u64,
    memory_type: u32,
};

pub const BufferCreateInfo = extern struct {
    type: u32 = 12,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    size: u64,
    usage: u32,
    sharing: u32 = 0,
    family_count: u32 = 0,
    families: ?[*]const u32 = null,

    pub const transfer_source = 1;
    pub const transfer_destination = 2;
    pub const storage = 0x20;
};

pub const MemoryRequirements = extern struct { size: u64, alignment: u64, type_bits: u32 };

pub const ShaderModuleCreateInfo = extern struct {
    type: u32 = 16,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    size: usize,
    code: [*]const u32,
};

pub const PipelineCacheCreateInfo = extern struct {
    type: u32 = 17,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    size: usize = 0,
    data: ?[*]const u8 = null,
};

pub const ShaderStageCreateInfo = extern struct {
    type: u32 = 18,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    stage: u32 = stage_compute,
    module: ShaderModule,
    name: [*:0]const u8,
    specialization: ?*const anyopaque = null,
};

pub const stage_compute = 0x20;

pub const ComputePipelineCreateInfo = extern struct {
    type: u32 = 29,
    next: ?*const anyopaque = null,
    /// VK_PIPELINE_CREATE_DISPATCH_BASE_BIT: a dispatch may begin with any workgroup.
    flags: u32 = 0x10,
    stage: ShaderStageCreateInfo,
    layout: PipelineLayout,
    base: Pipeline = .none,
    base_index: i32 = -1,
};

pub const SetLayoutBinding = extern struct {
    binding: u32,
    type: u32 = storage_buffer,
    count: u32 = 1,
    stages: u32 = stage_compute,
    samplers: ?*const anyopaque = null,
};

pub const storage_buffer = 7;

pub const SetLayoutCreateInfo = extern struct {
    type: u32 = 32,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    count: u32,
    bindings: [*]const SetLayoutBinding,

    pub const push_descriptor = 1;
};

pub const PushConstantRange = extern struct { stages: u32 = stage_compute, offset: u32 = 0, size: u32 };

pub const PipelineLayoutCreateInfo = extern struct {
    type: u32 = 30,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    set_count: u32 = 1,
    sets: *const SetLayout,
    range_count: u32 = 1,
    ranges: *const PushConstantRange,
};

pub const DescriptorPoolSize = extern struct { type: u32 = storage_buffer, count: u32 };

pub const DescriptorPoolCreateInfo = extern struct {
    type: u32 = 33,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    sets_max: u32,
    size_count: u32 = 1,
    sizes: *const DescriptorPoolSize,
};

pub const DescriptorSetAllocateInfo = extern struct {
    type: u32 = 34,
    next: ?*const anyopaque = null,
    pool: DescriptorPool,
    count: u32 = 1,
    layouts: *const SetLayout,
};

pub const DescriptorBufferInfo = extern struct { buffer: Buffer, offset: u64, range: u64 };

pub const WriteDescriptorSet = extern struct {
    type: u32 = 35,
    next: ?*const anyopaque = null,
    set: DescriptorSet = .none,
    binding: u32 = 0,
    element: u32 = 0,
    count: u32,
    descriptor_type: u32 = storage_buffer,
    images: ?*const anyopaque = null,
    buffers: [*]const DescriptorBufferInfo,
    texels: ?*const anyopaque = null,
};

pub const CommandPoolCreateInfo = extern struct {
    type: u32 = 39,
    next: ?*const anyopaque = null,
    flags: u32 = transient,
    family: u32,

    pub const transient = 1;
};

pub const CommandBufferAllocateInfo = extern struct {
    type: u32 = 40,
    next: ?*const anyopaque = null,
    pool: CommandPool,
    level: u32 = 0,
    count: u32 = 1,
};

pub const CommandBufferBeginInfo = extern struct {
    type: u32 = 42,
    next: ?*const anyopaque = null,
    flags: u32 = 1,
    inheritance: ?*const anyopaque = null,
};

pub const MemoryBarrier = extern struct { type: u32 = 46, next: ?*const anyopaque = null, source: u32, destination: u32 };

pub const access = struct {
    pub const shader_read = 0x20;
    pub const shader_write = 0x40;
    pub const transfer_read = 0x800;
    pub const transfer_write = 0x1000;
    pub const host_read = 0x2000;
};

pub const stage = struct {
    pub const bottom_of_pipe = 0x2000;
    pub const compute_shader = 0x800;
    pub const transfer = 0x1000;
    pub const host = 0x4000;
};

pub const BufferCopy = extern struct { source: u64, destination: u64, size: u64 };

pub const SemaphoreTypeCreateInfo = extern struct {
    type: u32 = 1000207002,
    next: ?*const anyopaque = null,
    semaphore_type: u32 = 1,
    initial: u64 = 0,
};
pub const SemaphoreCreateInfo = extern struct { type: u32 = 9, next: ?*const anyopaque, flags: u32 = 0 };

pub const TimelineSubmitInfo = extern struct {
    type: u32 = 1000207003,
    next: ?*const anyopaque = null,
    wait_count: u32 = 0,
    waits: ?[*]const u64 = null,
    signal_count: u32 = 1,
    signals: *const u64,
};

pub const SubmitInfo = extern struct {
    type: u32 = 4,
    next: ?*const anyopaque,
    wait_count: u32 = 0,
    waits: ?*const anyopaque = null,
    wait_stages: ?*const anyopaque = null,
    buffer_count: u32 = 1,
    buffers: *const CommandBuffer,
    signal_count: u32 = 1,
    signals: *const Semaphore,
};

pub const SemaphoreWaitInfo = extern struct {
    type: u32 = 1000207004,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    count: u32 = 1,
    semaphores: *const Semaphore,
    values: *const u64,
};

/// Results of queries are 64 bits each.
pub const query_result_64 = 1;

pub const QueryPoolCreateInfo = extern struct {
    type: u32 = 11,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    query_type: u32 = 2,
    count: u32,
    statistics: u32 = 0,
};

pub const MessageData = extern struct {
    type: u32,
    next: ?*const anyopaque,
    flags: u32,
    id_name: ?[*:0]const u8,
    id: i32,
    message: ?[*:0]const u8,
};

pub const MessengerCreateInfo = extern struct {
    type: u32 = 1000128004,
    next: ?*const anyopaque = null,
    flags: u32 = 0,
    /// Warnings and errors.
    severities: u32 = 0x100 | 0x1000,
    /// General, validation, performance.
    types: u32 = 1 | 2 | 4,
    callback: *const fn (severity: u32, types: u32, data: *const MessageData, user: ?*anyopaque) callconv(.c) u32,
    user: ?*anyopaque = null,
};

/// Functions that exist before there is an instance.
pub const Global = struct {
    vkCreateInstance: *const fn (*const InstanceCreateInfo, ?*const anyopaque, *Instance) callconv(.c) Result,
    vkEnumerateInstanceExtensionProperties: *const fn (?[*:0]const u8, *u32, ?[*]ExtensionProperties) callconv(.c) Result,
    vkEnumerateInstanceLayerProperties: *const fn (*u32, ?[*]LayerProperties) callconv(.c) Result,
};

pub const InstanceTable = struct {
    vkEnumeratePhysicalDevices: *const fn (Instance, *u32, ?[*]PhysicalDevice) callconv(.c) Result,
    vkGetPhysicalDeviceProperties2: *const fn (PhysicalDevice, *Properties2) callconv(.c) void,
    vkGetPhysicalDeviceFeatures2: *const fn (PhysicalDevice, *Features2) callconv(.c) void,
    vkGetPhysicalDeviceMemoryProperties: *const fn (PhysicalDevice, *MemoryProperties) callconv(.c) void,
    vkGetPhysicalDeviceQueueFamilyProperties: *const fn (PhysicalDevice, *u32, ?[*]QueueFamilyProperties) callconv(.c) void,
    vkEnumerateDeviceExtensionProperties: *const fn (PhysicalDevice, ?[*:0]const u8, *u32, ?[*]ExtensionProperties) callconv(.c) Result,
    vkCreateDevice: *const fn (PhysicalDevice, *const DeviceCreateInfo, ?*const anyopaque, *Device) callconv(.c) Result,
    vkGetDeviceProcAddr: *const fn (Device, [*:0]const u8) callconv(.c) ?*const anyopaque,
};

/// Of the extension VK_EXT_debug_utils.
pub const DebugTable = struct {
    vkCreateDebugUtilsMessengerEXT: *const fn (Instance, *const MessengerCreateInfo, ?*const anyopaque, *Messenger) callconv(.c) Result,
};

pub const DeviceTable = struct {
    vkDestroyDevice: *const fn (Device, ?*const anyopaque) callconv(.c) void,
    vkGetDeviceQueue: *const fn (Device, u32, u32, *Queue) callconv(.c) void,
    vkDeviceWaitIdle: *const fn (Device) callconv(.c) Result,
    vkAllocateMemory: *const fn (Device, *const MemoryAllocateInfo, ?*const anyopaque, *Memory) callconv(.c) Result,
    vkFreeMemory: *const fn (Device, Memory, ?*const anyopaque) callconv(.c) void,
    vkMapMemory: *const fn (Device, Memory, u64, u64, u32, *[*]u8) callconv(.c) Result,
    vkCreateBuffer: *const fn (Device, *const BufferCreateInfo, ?*const anyopaque, *Buffer) callconv(.c) Result,
    vkDestroyBuffer: *const fn (Device, Buffer, ?*const anyopaque) callconv(.c) void,
    vkGetBufferMemoryRequirements: *const fn (Device, Buffer, *MemoryRequirements) callconv(.c) void,
    vkBindBufferMemory: *const fn (Device, Buffer, Memory, u64) callconv(.c) Result,
    vkCreateShaderModule: *const fn (Device, *const ShaderModuleCreateInfo, ?*const anyopaque, *ShaderModule) callconv(.c) Result,
    vkDestroyShaderModule: *const fn (Device, ShaderModule, ?*const anyopaque) callconv(.c) void,
    vkCreateDescriptorSetLayout: *const fn (Device, *const SetLayoutCreateInfo, ?*const anyopaque, *SetLayout) callconv(.c) Result,
    vkCreatePipelineLayout: *const fn (Device, *const PipelineLayoutCreateInfo, ?*const anyopaque, *PipelineLayout) callconv(.c) Result,
    vkCreatePipelineCache: *const fn (Device, *const PipelineCacheCreateInfo, ?*const anyopaque, *PipelineCache) callconv(.c) Result,
    vkDestroyPipelineCache: *const fn (Device, PipelineCache, ?*const anyopaque) callconv(.c) void,
    vkGetPipelineCacheData: *const fn (Device, PipelineCache, *usize, ?[*]u8) callconv(.c) Result,
    vkCreateComputePipelines: *const fn (Device, PipelineCache, u32, *const ComputePipelineCreateInfo, ?*const anyopaque, *Pipeline) callconv(.c) Result,
    vkCreateDescriptorPool: *const fn (Device, *const DescriptorPoolCreateInfo, ?*const anyopaque, *DescriptorPool) callconv(.c) Result,
    vkDestroyDescriptorPool: *const fn (Device, DescriptorPool, ?*const anyopaque) callconv(.c) void,
    vkResetDescriptorPool: *const fn (Device, DescriptorPool, u32) callconv(.c) Result,
    vkAllocateDescriptorSets: *const fn (Device, *const DescriptorSetAllocateInfo, *DescriptorSet) callconv(.c) Result,
    vkUpdateDescriptorSets: *const fn (Device, u32, [*]const WriteDescriptorSet, u32, ?*const anyopaque) callconv(.c) void,
    vkCreateCommandPool: *const fn (Device, *const CommandPoolCreateInfo, ?*const anyopaque, *CommandPool) callconv(.c) Result,
    vkDestroyCommandPool: *const fn (Device, CommandPool, ?*const anyopaque) callconv(.c) void,
    vkResetCommandPool: *const fn (Device, CommandPool, u32) callconv(.c) Result,
    vkAllocateCommandBuffers: *const fn (Device, *const CommandBufferAllocateInfo, *CommandBuffer) callconv(.c) Result,
    vkBeginCommandBuffer: *const fn (CommandBuffer, *const CommandBufferBeginInfo) callconv(.c) Result,
    vkEndCommandBuffer: *const fn (CommandBuffer) callconv(.c) Result,
    vkCmdPipelineBarrier: *const fn (CommandBuffer, u32, u32, u32, u32, ?[*]const MemoryBarrier, u32, ?*const anyopaque, u32, ?*const anyopaque) callconv(.c) void,
    vkCmdBindPipeline: *const fn (CommandBuffer, u32, Pipeline) callconv(.c) void,
    vkCmdBindDescriptorSets: *const fn (CommandBuffer, u32, PipelineLayout, u32, u32, *const DescriptorSet, u32, ?*const anyopaque) callconv(.c) void,
    vkCmdPushConstants: *const fn (CommandBuffer, PipelineLayout, u32, u32, u32, *const anyopaque) callconv(.c) void,
    vkCmdDispatch: *const fn (CommandBuffer, u32, u32, u32) callconv(.c) void,
    vkCmdDispatchBase: *const fn (CommandBuffer, u32, u32, u32, u32, u32, u32) callconv(.c) void,
    vkCmdCopyBuffer: *const fn (CommandBuffer, Buffer, Buffer, u32, [*]const BufferCopy) callconv(.c) void,
    vkCreateSemaphore: *const fn (Device, *const SemaphoreCreateInfo, ?*const anyopaque, *Semaphore) callconv(.c) Result,
    vkDestroySemaphore: *const fn (Device, Semaphore, ?*const anyopaque) callconv(.c) void,
    vkWaitSemaphores: *const fn (Device, *const SemaphoreWaitInfo, u64) callconv(.c) Result,
    vkGetSemaphoreCounterValue: *const fn (Device, Semaphore, *u64) callconv(.c) Result,
    vkQueueSubmit: *const fn (Queue, u32, *const SubmitInfo, u64) callconv(.c) Result,
    vkCreateQueryPool: *const fn (Device, *const QueryPoolCreateInfo, ?*const anyopaque, *QueryPool) callconv(.c) Result,
    vkCmdResetQueryPool: *const fn (CommandBuffer, QueryPool, u32, u32) callconv(.c) void,
    vkCmdWriteTimestamp: *const fn (CommandBuffer, u32, QueryPool, u32) callconv(.c) void,
    vkGetQueryPoolResults: *const fn (Device, QueryPool, u32, u32, usize, *anyopaque, u64, u32) callconv(.c) Result,
};

/// Of the extension VK_KHR_push_descriptor.
pub const PushTable = struct {
    vkCmdPushDescriptorSetKHR: *const fn (CommandBuffer, u32, PipelineLayout, u32, u32, [*]const WriteDescriptorSet) callconv(.c) void,
};

/// Fills a table by name; null where a function is missing.
pub fn fill(comptime Table: type, context: anytype, look: *const fn (@TypeOf(context), [*:0]const u8) callconv(.c) ?*const anyopaque) ?Table {
    var table: Table = undefined;
    inline for (comptime std.meta.fieldNames(Table)) |name| {
        @field(table, name) = @ptrCast(@alignCast(look(context, name) orelse return null));
    }
    return table;
}

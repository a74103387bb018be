//! A Vulkan device: its queue, its memory, and the recording of work.
//!
//! Work is recorded into a batch of commands, and a batch is submitted when it is full, when a result is asked for, or when somebody waits. Batches run
//! one after another in one queue; a ticket counts them, and a timeline semaphore tells which was the last one done. A barrier is recorded where a command
//! touches what an earlier one since the last barrier wrote, or writes what one read.
//!
//! One lock guards it all: Workers share a device, and Vulkan's queues and command buffers want one thread at a time.

const std = @import("std");
const api = @import("api.zig");
const cache = @import("cache.zig");
const chunks = @import("chunks.zig");
const environment = @import("../../environment.zig");
const float_modes = @import("float_modes.zig");
const heap = @import("heap.zig");
const instance = @import("instance.zig");
const shaders = @import("shaders");
const Mutex = @import("../../parallel/futex.zig").Mutex;
const Chunk = chunks.Chunk;

pub const Fault = heap.Fault;

/// Dispatches and copies of a batch.
const commands_max = 64;
/// Bytes on their way to the device in one batch.
const staged_max = 64 << 20;
/// What is copied to the device at a time.
const piece_bytes = 16 << 20;
/// Batches that are recorded, waiting or running at a time.
const batches_max = 4;
/// The most buffers of a shader. Push constants hold a word for each, within the 128 bytes that every device has.
pub const bindings_max = instance.bindings_max;
pub const push_words_max = 32;
/// Spans of work that are measured at a time, two queries each.
pub const spans_max = 256;
const Spans = @Int(.unsigned, spans_max);

const Batch = struct {
    pool: api.CommandPool = .none,
    commands: api.CommandBuffer = undefined,
    descriptors: api.DescriptorPool = .none,
    ticket: u64 = 0,
    count: u32 = 0,
    cost: u64 = 0,
    /// Chunks that the host wrote, and that its copies and shaders read.
    staged: u32 = chunks.none,
    staged_bytes: u64 = 0,
};

const Layout = struct { set: api.SetLayout = .none, pipeline: api.PipelineLayout = .none };

pub const Counts = struct { dispatches: u64 = 0, submissions: u64 = 0, barriers: u64 = 0, pipelines: u64 = 0, allocations: u64 = 0, copies: u64 = 0 };

pub const Binding = struct {
    /// Null where the shader is told that there is nothing.
    address: ?usize,
    written: bool,
};

/// A copy of device memory on its way to the host.
pub const Readback = struct { gpu: *Gpu, chunk: *Chunk, bytes: usize, ticket: u64 };

pub const Gpu = struct {
    adapter: *const instance.Adapter,
    vk: api.DeviceTable,
    push: ?api.PushTable,
    device: api.Device,
    queue: api.Queue,
    timeline: api.Semaphore = .none,
    /// Of the driver; `pipelines_saved` of the pipelines in it are on disk.
    cache: api.PipelineCache = .none,
    pipelines_saved: u64 = 0,
    device_heap: heap.Heap = .{ .kind = .device },
    host_heap: heap.Heap = .{ .kind = .host },
    parameter_heap: heap.Heap = .{ .kind = .parameters },
    /// Allocations of all that the driver holds.
    blocks: u32 = 0,
    lock: Mutex = .{},
    lost: std.atomic.Value(bool) = .init(false),
    batches: [batches_max]Batch = @splat(.{}),
    current: u32 = 0,
    recording: bool = false,
    /// The ticket of the batch submitted last.
    submitted: u64 = 0,
    /// Counts barriers; see `Chunk.written`.
    stretch: u64 = 1,
    /// The most workgroups of one dispatch.
    groups_max: u32,
    nothing: *Chunk,
    layouts: [bindings_max + 1]Layout = @splat(.{}),
    pipelines: [shaders.table.len]api.Pipeline = @splat(.none),
    counts: Counts = .{},
    /// Of timestamps; made when somebody first measures. A bit for each span that is taken, and for each whose end is recorded.
    queries: api.QueryPool = .none,
    spans_taken: Spans = 0,
    spans_ended: Spans = 0,

    /// Makes the device of an adapter.
    pub fn open(index: u32) error{ OutOfMemory, Unsupported, DeviceLost }!*Gpu {
        const system = instance.system();
        const adapter = &system.adapters[index];
        const family = adapter.family orelse return error.Unsupported;
        const g = std.heap.c_allocator.create(Gpu) catch return error.OutOfMemory;
        errdefer std.heap.c_allocator.destroy(g);
        var extensions: [2][*:0]const u8 = undefined;
        var extension_count: u32 = 0;
        const pushes = adapter.push_descriptors and !pooled();
        if (pushes) {
            extensions[extension_count] = "VK_KHR_push_descriptor";
            extension_count += 1;
        }
        if (adapter.portability) {
            extensions[extension_count] = "VK_KHR_portability_subset";
            extension_count += 1;
        }
        var twelve: api.Vulkan12Features = .{};
        twelve.features[api.Vulkan12Features.timeline_semaphore] = 1;
        const features: api.Features2 = .{ .next = &twelve };
        const priority: f32 = 1;
        const queues: api.DeviceQueueCreateInfo = .{ .family = family, .priorities = @ptrCast(&priority) };
        var device: api.Device = undefined;
        switch (system.table.vkCreateDevice(adapter.physical, &.{
            .next = &features,
            .queues = @ptrCast(&queues),
            .extension_count = extension_count,
            .extensions = &extensions,
        }, null, &device)) {
            .success => {},
            .out_of_host_memory, .out_of_device_memory => return error.OutOfMemory,
            .device_lost => return error.DeviceLost,
            else => return error.Unsupported,
        }
        const vk = api.fill(api.DeviceTable, device, system.table.vkGetDeviceProcAddr) orelse return error.Unsupported;
        g.* = .{
            .adapter = adapter,
            .vk = vk,
            .push = if (pushes) api.fill(api.PushTable, device, system.table.vkGetDeviceProcAddr) else null,
            .device = device,
            .queue = undefined,
            .groups_max = groupsMax(adapter.properties.limits.compute_work_group_count[0]),
            .nothing = undefined,
        };
        errdefer g.close();
        vk.vkGetDeviceQueue(device, family, 0, &g.queue);
        try g.device_heap.init(g);
        try g.host_heap.init(g);
        try g.parameter_heap.init(g);
        const timeline: api.SemaphoreTypeCreateInfo = .{};
        try g.done(vk.vkCreateSemaphore(device, &.{ .next = &timeline }, null, &g.timeline));
        const known = cache.load(adapter);
        defer if (known) |data| std.heap.c_allocator.free(data);
        const taken = if (known) |data| vk.vkCreatePipelineCache(device, &.{ .size = data.len, .data = data.ptr }, null, &g.cache) == .success else false;
        if (!taken) try g.done(vk.vkCreatePipelineCache(device, &.{}, null, &g.cache));
        for (&g.batches) |*batch| {
            try g.done(vk.vkCreateCommandPool(device, &.{ .family = family }, null, &batch.pool));
            try g.done(vk.vkAllocateCommandBuffers(device, &.{ .pool = batch.pool }, &batch.commands));
            if (g.push == null) {
                const size: api.DescriptorPoolSize = .{ .count = commands_max * bindings_max };
                try g.done(vk.vkCreateDescriptorPool(device, &.{ .sets_max = commands_max, .sizes = &size }, null, &batch.descriptors));
            }
        }
        g.nothing = try g.device_heap.alloc(g, 256);
        return g;
    }

    /// Gives everything back. Nothing of the device may be running.
    fn close(g: *Gpu) void {
        const vk = &g.vk;
        g.trimLocked();
        for (&g.batches) |*batch| {
            vk.vkDestroyDescriptorPool(g.device, batch.descriptors, null);
            vk.vkDestroyCommandPool(g.device, batch.pool, null);
        }
        vk.vkDestroyPipelineCache(g.device, g.cache, null);
        vk.vkDestroySemaphore(g.device, g.timeline, null);
        vk.vkDestroyDevice(g.device, null);
    }

    /// Descriptor sets from pools even where they could be pushed: for tests.
    fn pooled() bool {
        return environment.isOn("TILEWORK_GPU_POOLED_SETS");
    }

    /// The most bytes that a binding may have, and so a tensor.
    pub fn rangeMax(g: *const Gpu) u64 {
        return g.adapter.tensorBytesMax();
    }

    /// What a result of the driver means. Whatever it does not explain leaves the device in no state that could be trusted.
    pub fn done(g: *Gpu, result: api.Result) Fault!void {
        switch (result) {
            .success => return,
            .out_of_host_memory, .out_of_device_memory, .out_of_pool_memory, .fragmented_pool, .memory_map_failed, .too_many_objects => return error.OutOfMemory,
            else => {
                g.lost.store(true, .release);
                return error.DeviceLost;
            },
        }
    }

    fn enter(g: *Gpu) Fault!void {
        g.lock.lock();
        if (!g.lost.load(.acquire)) return;
        g.lock.unlock();
        return error.DeviceLost;
    }

    // Memory.

    pub fn alloc(g: *Gpu, bytes: usize) error{ OutOfMemory, DeviceLost, Unsupported }!*Chunk {
        if (bytes > g.rangeMax()) return error.Unsupported;
        try g.enter();
        defer g.lock.unlock();
        return g.device_heap.alloc(g, bytes);
    }

    pub fn free(g: *Gpu, chunk: *Chunk) void {
        g.lock.lock();
        defer g.lock.unlock();
        g.release(&g.device_heap, chunk);
    }

    fn release(g: *Gpu, from: *heap.Heap, chunk: *Chunk) void {
        from.release(chunk);
        // Nobody will ask a lost device for memory again. Its driver ends what it had begun.
        if (chunk.block.used > 0 or !g.lost.load(.acquire)) return;
        _ = g.vk.vkDeviceWaitIdle(g.device);
        for (&g.batches) |*batch| recycle(batch);
        g.trimLocked();
    }

    /// Memory that the host writes and shaders read in place: no copy, and no barrier, since a submission makes visible what the host wrote before it.
    pub fn allocParameters(g: *Gpu, bytes: usize) Fault!*Chunk {
        try g.enter();
        defer g.lock.unlock();
        // The window into the device's memory may be full.
        return g.parameter_heap.alloc(g, bytes) catch |e| if (e == error.OutOfMemory) g.host_heap.alloc(g, bytes) else e;
    }

    /// Frees it when all that is recorded so far is done: the host may not write there before.
    pub fn freeParameters(g: *Gpu, chunk: *Chunk) void {
        g.lock.lock();
        defer g.lock.unlock();
        const batch = &g.batches[if (g.recording) g.current else (g.current + batches_max - 1) % batches_max];
        if (g.lost.load(.acquire) or (!g.recording and g.submitted == 0)) return g.release(chunk.block.heap, chunk);
        keepFor(batch, chunk);
    }

    /// Gives kept memory back to the driver.
    pub fn trim(g: *Gpu) Fault!void {
        try g.enter();
        defer g.lock.unlock();
        try g.drain();
        g.trimLocked();
    }

    /// Submits what was recorded, waits for all work, and frees what its copies have read.
    pub fn drain(g: *Gpu) Fault!void {
        try g.flushLocked();
        try g.waitLocked(g.submitted);
        for (&g.batches) |*batch| recycle(batch);
    }

    /// Nothing of the device may be running.
    pub fn trimLocked(g: *Gpu) void {
        for ([_]*heap.Heap{ &g.device_heap, &g.host_heap, &g.parameter_heap }) |h| h.trim(g);
    }

    // Recording.

    /// The batch that is being recorded.
    fn open_(g: *Gpu) Fault!*Batch {
        const batch = &g.batches[g.current];
        if (g.recording) return batch;
        try g.waitLocked(batch.ticket);
        recycle(batch);
        try g.done(g.vk.vkResetCommandPool(g.device, batch.pool, 0));
        if (batch.descriptors != .none) try g.done(g.vk.vkResetDescriptorPool(g.device, batch.descriptors, 0));
        try g.done(g.vk.vkBeginCommandBuffer(batch.commands, &.{}));
        batch.count = 0;
        batch.cost = 0;
        g.recording = true;
        return batch;
    }

    /// Frees what the copies and shaders of a batch that is done have read of the host.
    fn recycle(batch: *Batch) void {
        var index = batch.staged;
        batch.staged = chunks.none;
        batch.staged_bytes = 0;
        while (index != chunks.none) {
            const chunk = chunks.at(index);
            index = chunk.next;
            chunk.block.heap.release(chunk);
        }
    }

    /// Keeps what the host wrote until a batch is done.
    fn keepFor(batch: *Batch, chunk: *Chunk) void {
        chunk.next = batch.staged;
        batch.staged = chunk.index;
    }

    fn flushLocked(g: *Gpu) Fault!void {
        if (!g.recording) return;
        const batch = &g.batches[g.current];
        const ticket = g.submitted + 1;
        g.submit(batch, ticket) catch {
            // The ops in it have returned, so nobody can try them again: what they were to write is lost.
            g.lost.store(true, .release);
            return error.DeviceLost;
        };
        g.submitted = ticket;
        batch.ticket = ticket;
        g.counts.submissions += 1;
        g.recording = false;
        g.current = (g.current + 1) % batches_max;
    }

    fn submit(g: *Gpu, batch: *Batch, ticket: u64) Fault!void {
        try g.done(g.vk.vkEndCommandBuffer(batch.commands));
        const timeline: api.TimelineSubmitInfo = .{ .signals = &ticket };
        const info: api.SubmitInfo = .{ .next = &timeline, .buffers = &batch.commands, .signals = &g.timeline };
        g.done(g.vk.vkQueueSubmit(g.queue, 1, &info, 0)) catch |e| {
            if (e != error.OutOfMemory) return e;
            // There is more memory when earlier work is done.
            try g.waitLocked(g.submitted);
            try g.done(g.vk.vkQueueSubmit(g.queue, 1, &info, 0));
        };
    }

    fn waitLocked(g: *Gpu, ticket: u64) Fault!void {
        if (ticket == 0) return;
        try g.done(g.vk.vkWaitSemaphores(g.device, &.{ .semaphores = &g.timeline, .values = &ticket }, std.math.maxInt(u64)));
        if (try g.reached(ticket)) return;
        g.lost.store(true, .release);
        return error.DeviceLost;
    }

    /// Whether a ticket was given out.
    pub fn gave(g: *Gpu, ticket: u64) bool {
        g.lock.lock();
        defer g.lock.unlock();
        return ticket <= g.submitted;
    }

    /// Submits what was recorded; the ticket that stands for all work so far.
    pub fn flush(g: *Gpu) Fault!u64 {
        try g.enter();
        defer g.lock.unlock();
        try g.flushLocked();
        g.keepPipelines();
        return g.submitted;
    }

    /// Puts new pipelines on disk, when somebody is about to wait anyway.
    fn keepPipelines(g: *Gpu) void {
        if (g.pipelines_saved == g.counts.pipelines) return;
        g.pipelines_saved = g.counts.pipelines;
        cache.save(g.adapter, &g.vk, g.device, g.cache);
    }

    /// Whether a ticket's work is done.
    pub fn reached(g: *Gpu, ticket: u64) Fault!bool {
        if (g.lost.load(.acquire)) return error.DeviceLost;
        var value: u64 = 0;
        try g.done(g.vk.vkGetSemaphoreCounterValue(g.device, g.timeline, &value));
        // Drivers let everyone go who waits for a device that they have lost, by a count that no work can reach.
        if (value == std.math.maxInt(u64)) {
            g.lost.store(true, .release);
            return error.DeviceLost;
        }
        return value >= ticket;
    }

    /// Waits for a ticket, without the lock: others may record meanwhile.
    pub fn wait(g: *Gpu, ticket: u64) Fault!void {
        if (g.lost.load(.acquire)) return error.DeviceLost;
        return g.waitLocked(ticket);
    }

    /// Has the driver compile a shader and run it over nothing.
    pub fn warm(g: *Gpu) Fault!void {
        const shader = shaders.table[0];
        const bindings: [shader.bindings.len]Binding = @splat(.{ .address = null, .written = false });
        const words: [shader.words.len]u32 = @splat(0);
        try g.launch(0, &bindings, &words, 1, 1);
        try g.wait(try g.flush());
    }

    /// The process ends: waits for what was submitted, for as long as the batches may take and no longer, and submits nothing more. Takes no lock, for the
    /// thread that has it may be no more.
    pub fn leave(g: *Gpu) void {
        if (g.lost.swap(true, .acq_rel)) return;
        const ticket = @atomicLoad(u64, &g.submitted, .monotonic);
        const nanoseconds_max = 5_000_000_000;
        if (ticket > 0) _ = g.vk.vkWaitSemaphores(g.device, &.{ .semaphores = &g.timeline, .values = &ticket }, nanoseconds_max);
    }

    /// The work after which a batch is closed. A short batch keeps below the time that systems let a submission run; a processor is the slower by a thousand.
    fn batchCost(g: *const Gpu) u64 {
        return if (g.adapter.kind() == .software) 1 << 28 else 1 << 38;
    }

    /// Closes a batch that is full.
    fn maybeFlush(g: *Gpu, batch: *Batch) Fault!void {
        if (batch.count >= commands_max or batch.cost >= g.batchCost() or batch.staged_bytes >= staged_max) try g.flushLocked();
    }

    const shader_and_transfer = api.stage.compute_shader | api.stage.transfer;
    const writes = api.access.shader_write | api.access.transfer_write;

    /// A barrier if what comes next must wait for what is recorded already.
    fn order(g: *Gpu, batch: *Batch, touched: []const ?*Chunk, written: []const bool) void {
        for (touched, written) |chunk_, write| {
            const chunk = chunk_ orelse continue;
            if (chunk.written != g.stretch and !(write and chunk.read == g.stretch)) continue;
            g.separate(batch);
            break;
        }
        for (touched, written) |chunk_, write| {
            const chunk = chunk_ orelse continue;
            if (write) chunk.written = g.stretch else chunk.read = g.stretch;
        }
    }

    /// What is recorded from here on waits for what is recorded already.
    fn separate(g: *Gpu, batch: *Batch) void {
        const all: api.MemoryBarrier = .{ .source = writes, .destination = writes | api.access.shader_read | api.access.transfer_read };
        g.vk.vkCmdPipelineBarrier(batch.commands, shader_and_transfer, shader_and_transfer, 0, 1, @ptrCast(&all), 0, null, 0, null);
        g.counts.barriers += 1;
        g.stretch += 1;
    }

    /// Records a dispatch of `groups` workgroups. `cost` is about how many operations they do: more than a GPU of 10^12 a second does within a second are
    /// cut into several dispatches, each a batch of its own, since systems end what runs for two.
    pub fn launch(g: *Gpu, shader: usize, bindings: []const Binding, words: []const u32, groups: u32, cost: u64) Fault!void {
        try g.enter();
        defer g.lock.unlock();
        const pieces = std.math.clamp(std.math.divCeil(u64, cost, 4 * g.batchCost()) catch unreachable, 1, groups);
        var first: u32 = 0;
        for (0..pieces) |i| {
            // A part of an op is recorded already: nobody could try again.
            errdefer if (first > 0) g.lost.store(true, .release);
            const end: u32 = @intCast(@as(u64, groups) * (i + 1) / pieces);
            try g.record(shader, bindings, words, first, end - first, cost / pieces);
            first = end;
        }
    }

    /// Records the workgroups from `first` on.
    fn record(g: *Gpu, shader: usize, bindings: []const Binding, words: []const u32, first: u32, groups: u32, cost: u64) Fault!void {
        const pipeline = try g.pipelineOf(shader);
        const layout = &g.layouts[bindings.len];
        const batch = try g.open_();
        var touched: [bindings_max]?*Chunk = undefined;
        var written: [bindings_max]bool = undefined;
        var buffers: [bindings_max]api.DescriptorBufferInfo = undefined;
        for (bindings, 0..) |b, i| {
            const chunk = if (b.address) |address| chunks.locate(address).chunk else g.nothing;
            touched[i] = if (b.address == null) null else chunk;
            written[i] = b.written;
            buffers[i] = .{ .buffer = chunk.block.buffer, .offset = chunk.offset, .range = @min(chunk.bytes, g.rangeMax()) };
        }
        var sets: [bindings_max]api.WriteDescriptorSet = undefined;
        for (0..bindings.len) |i| sets[i] = .{ .binding = @intCast(i), .count = 1, .buffers = @ptrCast(&buffers[i]) };
        var set: api.DescriptorSet = .none;
        if (g.push == null) {
            try g.done(g.vk.vkAllocateDescriptorSets(g.device, &.{ .pool = batch.descriptors, .layouts = &layout.set }, &set));
            for (sets[0..bindings.len]) |*s| s.set = set;
            g.vk.vkUpdateDescriptorSets(g.device, @intCast(bindings.len), &sets, 0, null);
        }
        g.order(batch, touched[0..bindings.len], written[0..bindings.len]);
        g.vk.vkCmdBindPipeline(batch.commands, bind_compute, pipeline);
        if (g.push) |push| {
            push.vkCmdPushDescriptorSetKHR(batch.commands, bind_compute, layout.pipeline, 0, @intCast(bindings.len), &sets);
        } else g.vk.vkCmdBindDescriptorSets(batch.commands, bind_compute, layout.pipeline, 0, 1, &set, 0, null);
        g.vk.vkCmdPushConstants(batch.commands, layout.pipeline, api.stage_compute, 0, @intCast(4 * words.len), words.ptr);
        // Synchronisation validation follows plain dispatches alone.
        if (first == 0) g.vk.vkCmdDispatch(batch.commands, groups, 1, 1) else g.vk.vkCmdDispatchBase(batch.commands, first, 0, 0, groups, 1, 1);
        g.counts.dispatches += 1;
        batch.count += 1;
        batch.cost += cost;
        try g.maybeFlush(batch);
    }

    const bind_compute = 1;

    /// The most workgroups of one dispatch: the device's limit, which `TILEWORK_GPU_GROUPS` lowers, so that tests see shaders go round in small tensors.
    fn groupsMax(limit: u32) u32 {
        var buffer: environment.Buffer = undefined;
        const text = environment.get("TILEWORK_GPU_GROUPS", &buffer) orelse return limit;
        return std.math.clamp(std.fmt.parseInt(u32, text, 10) catch limit, 1, limit);
    }

    fn layoutOf(g: *Gpu, count: usize) Fault!*const Layout {
        const layout = &g.layouts[count];
        if (layout.pipeline != .none) return layout;
        var bindings: [bindings_max]api.SetLayoutBinding = undefined;
        for (bindings[0..count], 0..) |*b, i| b.* = .{ .binding = @intCast(i) };
        if (layout.set == .none) try g.done(g.vk.vkCreateDescriptorSetLayout(g.device, &.{
            .flags = if (g.push != null) api.SetLayoutCreateInfo.push_descriptor else 0,
            .count = @intCast(count),
            .bindings = &bindings,
        }, null, &layout.set));
        const range: api.PushConstantRange = .{ .size = 4 * push_words_max };
        try g.done(g.vk.vkCreatePipelineLayout(g.device, &.{ .sets = &layout.set, .ranges = &range }, null, &layout.pipeline));
        return layout;
    }

    fn pipelineOf(g: *Gpu, shader: usize) Fault!api.Pipeline {
        if (g.pipelines[shader] != .none) return g.pipelines[shader];
        const entry = &shaders.table[shader];
        const layout = try g.layoutOf(entry.bindings.len);
        const plain: []const u32 = @ptrCast(entry.code);
        const words = std.heap.c_allocator.alloc(u32, float_modes.wordsMax(plain)) catch return error.OutOfMemory;
        defer std.heap.c_allocator.free(words);
        const code = float_modes.ask(words, plain, g.adapter.float_modes);
        var module: api.ShaderModule = .none;
        try g.done(g.vk.vkCreateShaderModule(g.device, &.{ .size = 4 * code.len, .code = code.ptr }, null, &module));
        defer g.vk.vkDestroyShaderModule(g.device, module, null);
        try g.done(g.vk.vkCreateComputePipelines(g.device, g.cache, 1, &.{
            .stage = .{ .module = module, .name = entry.name.ptr },
            .layout = layout.pipeline,
        }, null, &g.pipelines[shader]));
        g.counts.pipelines += 1;
        return g.pipelines[shader];
    }

    // Copies.

    /// Records the copy of `bytes` bytes. Vulkan has no copy of nothing.
    fn transfer(g: *Gpu, batch: *Batch, to: chunks.Place, from: chunks.Place, bytes: usize) void {
        g.counts.copies += 1;
        if (bytes == 0) return;
        const region: api.BufferCopy = .{ .source = from.chunk.offset + from.offset, .destination = to.chunk.offset + to.offset, .size = bytes };
        g.vk.vkCmdCopyBuffer(batch.commands, from.chunk.block.buffer, to.chunk.block.buffer, 1, @ptrCast(&region));
    }

    /// Records the copy of `data` to an address. The data may change once this returns.
    pub fn upload(g: *Gpu, address: usize, data: []const u8) Fault!void {
        try g.enter();
        defer g.lock.unlock();
        var done_: usize = 0;
        while (done_ < data.len) {
            const piece = data[done_..][0..@min(piece_bytes, data.len - done_)];
            // All pieces ask for the same: where no more is to be had, the first one's memory serves the rest, and no copy ends half way.
            const staging = try g.host_heap.alloc(g, @min(piece_bytes, data.len));
            const batch = g.open_() catch |e| {
                g.host_heap.release(staging);
                return e;
            };
            keepFor(batch, staging);
            batch.staged_bytes += piece.len;
            @memcpy(staging.block.mapped.?[staging.offset..][0..piece.len], piece);
            const place = chunks.locate(address + done_);
            g.order(batch, &.{place.chunk}, &.{true});
            g.transfer(batch, place, .{ .chunk = staging, .offset = 0 }, piece.len);
            batch.count += 1;
            done_ += piece.len;
            try g.maybeFlush(batch);
        }
    }

    /// Records the copy of `bytes` bytes from one address to another.
    pub fn copy(g: *Gpu, to: usize, from: usize, bytes: usize) Fault!void {
        try g.enter();
        defer g.lock.unlock();
        const batch = try g.open_();
        const out = chunks.locate(to);
        const x = chunks.locate(from);
        g.order(batch, &.{ out.chunk, x.chunk }, &.{ true, false });
        g.transfer(batch, out, x, bytes);
        batch.count += 1;
        batch.cost += bytes;
        try g.maybeFlush(batch);
    }

    /// Submits the copy of `bytes` bytes at an address to the host; `finish` has them.
    pub fn download(g: *Gpu, address: usize, bytes: usize) Fault!Readback {
        try g.enter();
        defer g.lock.unlock();
        const chunk = try g.host_heap.alloc(g, bytes);
        errdefer g.host_heap.release(chunk);
        const batch = try g.open_();
        const place = chunks.locate(address);
        g.order(batch, &.{place.chunk}, &.{false});
        g.transfer(batch, .{ .chunk = chunk, .offset = 0 }, place, bytes);
        const barrier: api.MemoryBarrier = .{ .source = api.access.transfer_write, .destination = api.access.host_read };
        g.vk.vkCmdPipelineBarrier(batch.commands, api.stage.transfer, api.stage.host, 0, 1, @ptrCast(&barrier), 0, null, 0, null);
        try g.flushLocked();
        g.keepPipelines();
        return .{ .gpu = g, .chunk = chunk, .bytes = bytes, .ticket = g.submitted };
    }

    /// Waits for a copy, moves it to `out` and frees it. The work's success is looked at before its result.
    pub fn finish(g: *Gpu, r: Readback, out: []u8) Fault!void {
        defer g.forget(r);
        try g.wait(r.ticket);
        if (g.lost.load(.acquire)) return error.DeviceLost;
        @memcpy(out, r.chunk.block.mapped.?[r.chunk.offset..][0..out.len]);
    }

    fn forget(g: *Gpu, r: Readback) void {
        g.lock.lock();
        defer g.lock.unlock();
        g.release(&g.host_heap, r.chunk);
    }

    /// Frees a copy that nobody will take, without waiting for it: with its batch, where that may still run.
    pub fn abandon(g: *Gpu, r: Readback) void {
        g.lock.lock();
        defer g.lock.unlock();
        if (!g.lost.load(.acquire)) for (&g.batches) |*batch| if (batch.ticket == r.ticket) {
            keepFor(batch, r.chunk);
            return;
        };
        g.release(&g.host_heap, r.chunk);
    }

    // Time.

    /// Measures what is recorded from here to `endSpan`: answers the span, for `spanSeconds` and `freeSpan`. InvalidArgument where all are taken.
    pub fn beginSpan(g: *Gpu) error{ OutOfMemory, DeviceLost, Unsupported, InvalidArgument }!u32 {
        if (g.adapter.timestamp_bits == 0) return error.Unsupported;
        try g.enter();
        defer g.lock.unlock();
        if (g.queries == .none) try g.done(g.vk.vkCreateQueryPool(g.device, &.{ .count = 2 * spans_max }, null, &g.queries));
        if (~g.spans_taken == 0) return error.InvalidArgument;
        const span: u32 = @ctz(~g.spans_taken);
        const batch = try g.open_();
        g.vk.vkCmdResetQueryPool(batch.commands, g.queries, 2 * span, 2);
        // Nothing of the span may run before its first timestamp, which is taken when all that was recorded before is done.
        g.separate(batch);
        g.vk.vkCmdWriteTimestamp(batch.commands, api.stage.bottom_of_pipe, g.queries, 2 * span);
        g.spans_taken |= bitOf(span);
        g.spans_ended &= ~bitOf(span);
        return span;
    }

    pub fn endSpan(g: *Gpu, span: u32) error{ OutOfMemory, DeviceLost, InvalidArgument }!void {
        try g.enter();
        defer g.lock.unlock();
        if (span >= spans_max or g.spans_taken & ~g.spans_ended & bitOf(span) == 0) return error.InvalidArgument;
        const batch = try g.open_();
        g.vk.vkCmdWriteTimestamp(batch.commands, api.stage.bottom_of_pipe, g.queries, 2 * span + 1);
        g.spans_ended |= bitOf(span);
    }

    /// How long a span took on the device. InvalidArgument where it has not ended, or its work is not done.
    pub fn spanSeconds(g: *Gpu, span: u32) error{ OutOfMemory, DeviceLost, InvalidArgument }!f64 {
        try g.enter();
        defer g.lock.unlock();
        if (span >= spans_max or g.spans_taken & g.spans_ended & bitOf(span) == 0) return error.InvalidArgument;
        var stamps: [2]u64 = undefined;
        switch (g.vk.vkGetQueryPoolResults(g.device, g.queries, 2 * span, 2, @sizeOf(@TypeOf(stamps)), &stamps, @sizeOf(u64), api.query_result_64)) {
            .not_ready => return error.InvalidArgument,
            else => |result| try g.done(result),
        }
        return elapsed(stamps, g.adapter.timestamp_bits, g.adapter.properties.limits.timestamp_period);
    }

    /// Lets others have a span. Its timestamps may still be ahead: those of its next owner come later in the same queue.
    pub fn freeSpan(g: *Gpu, span: u32) void {
        g.lock.lock();
        defer g.lock.unlock();
        if (span < spans_max) g.spans_taken &= ~bitOf(span);
    }

    fn bitOf(span: u32) Spans {
        return @as(Spans, 1) << @intCast(span);
    }
};

/// Seconds between two timestamps of so many bits, of `period` nanoseconds each. The counter may have begun anew between them.
fn elapsed(stamps: [2]u64, bits: u32, period: f32) f64 {
    const mask = if (bits >= 64) std.math.maxInt(u64) else (@as(u64, 1) << @intCast(bits)) - 1;
    return @as(f64, @floatFromInt((stamps[1] -% stamps[0]) & mask)) * period * 1e-9;
}

test "gpu: seconds between timestamps, also where their counter wraps, and whatever stands above its bits" {
    try std.testing.expectApproxEqRel(2e-6, elapsed(.{ 1000, 2000 }, 64, 2), 1e-12);
    try std.testing.expectApproxEqRel(30e-9, elapsed(.{ std.math.maxInt(u64) - 9, 20 }, 64, 1), 1e-12);
    try std.testing.expectApproxEqRel(15e-9, elapsed(.{ (1 << 36) - 5, 10 }, 36, 1), 1e-12);
    try std.testing.expectApproxEqRel(15e-9, elapsed(.{ (7 << 40) + (1 << 36) - 5, 10 }, 36, 1), 1e-12);
    try std.testing.expectEqual(0, elapsed(.{ 5, 5 }, 36, 1));
}

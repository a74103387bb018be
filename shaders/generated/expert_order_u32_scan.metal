#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Scan_0
{
    uint groups_0;
    uint counters_at_0;
    uint offsets_at_0;
    uint experts_0;
    uint chunks_0;
};

struct EntryPointParams_0
{
    Scan_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_counters_0;
    uint device* entryPointParams_offsets_0;
    array<uint, int(256)> threadgroup* running_0;
};

uint scanOfGroup_0(uint value_0, uint thread_0, uint thread* total_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->running_0)[thread_0] = value_0;
    uint step_0 = 1U;
    for(;;)
    {
        if(step_0 < 256U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint before_0;
        if(thread_0 >= step_0)
        {
            before_0 = (*kernelContext_0->running_0)[thread_0 - step_0];
        }
        else
        {
            before_0 = 0U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*kernelContext_0->running_0)[thread_0] = (*kernelContext_0->running_0)[thread_0] + before_0;
        step_0 = step_0 * 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *total_0 = (*kernelContext_0->running_0)[255U];
    return (*kernelContext_0->running_0)[thread_0];
}

[[kernel]] void expert_order_u32_scan(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_counters_1 [[buffer(1)]], uint device* entryPointParams_offsets_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_counters_0 = entryPointParams_counters_1;
    (&kernelContext_1)->entryPointParams_offsets_0 = entryPointParams_offsets_1;
    threadgroup array<uint, int(256)> running_1;
    (&kernelContext_1)->running_0 = &running_1;
    uint _S1 = thread_1.x;
    uint e_0 = group_0.x;
    for(;;)
    {
        if(e_0 < ((&kernelContext_1)->entryPointParams_0->a_0.experts_0))
        {
        }
        else
        {
            break;
        }
        thread uint total_1;
        uint first_0 = 0U;
        uint sum_0 = 0U;
        for(;;)
        {
            if(first_0 < ((&kernelContext_1)->entryPointParams_0->a_0.chunks_0))
            {
            }
            else
            {
                break;
            }
            uint q_0 = first_0 + _S1;
            uint at_0 = (&kernelContext_1)->entryPointParams_0->a_0.counters_at_0 + e_0 * (&kernelContext_1)->entryPointParams_0->a_0.chunks_0 + q_0;
            uint own_0;
            if(q_0 < ((&kernelContext_1)->entryPointParams_0->a_0.chunks_0))
            {
                own_0 = *((&kernelContext_1)->entryPointParams_counters_0+at_0);
            }
            else
            {
                own_0 = 0U;
            }
            uint _S2 = scanOfGroup_0(own_0, _S1, &total_1, &kernelContext_1);
            if(q_0 < ((&kernelContext_1)->entryPointParams_0->a_0.chunks_0))
            {
                *((&kernelContext_1)->entryPointParams_counters_0+at_0) = sum_0 + _S2 - own_0;
            }
            uint sum_1 = sum_0 + total_1;
            first_0 = first_0 + 256U;
            sum_0 = sum_1;
        }
        if(_S1 == 0U)
        {
            *((&kernelContext_1)->entryPointParams_offsets_0+((&kernelContext_1)->entryPointParams_0->a_0.offsets_at_0 + 1U + e_0)) = sum_0;
        }
        e_0 = e_0 + (&kernelContext_1)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


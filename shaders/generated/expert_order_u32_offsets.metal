#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Offsets_0
{
    uint groups_0;
    uint offsets_at_0;
    uint experts_0;
};

struct EntryPointParams_0
{
    Offsets_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
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

[[kernel]] void expert_order_u32_offsets(uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_offsets_1 [[buffer(1)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_offsets_0 = entryPointParams_offsets_1;
    threadgroup array<uint, int(256)> running_1;
    (&kernelContext_1)->running_0 = &running_1;
    uint t_0 = thread_1.x;
    thread uint total_1;
    if(t_0 == 0U)
    {
        *((&kernelContext_1)->entryPointParams_offsets_0+(&kernelContext_1)->entryPointParams_0->a_0.offsets_at_0) = 0U;
    }
    uint first_0 = 0U;
    uint sum_0 = 0U;
    for(;;)
    {
        if(first_0 < ((&kernelContext_1)->entryPointParams_0->a_0.experts_0))
        {
        }
        else
        {
            break;
        }
        uint e_0 = first_0 + t_0;
        uint at_0 = (&kernelContext_1)->entryPointParams_0->a_0.offsets_at_0 + 1U + e_0;
        uint _S1;
        if(e_0 < ((&kernelContext_1)->entryPointParams_0->a_0.experts_0))
        {
            _S1 = *((&kernelContext_1)->entryPointParams_offsets_0+at_0);
        }
        else
        {
            _S1 = 0U;
        }
        uint _S2 = scanOfGroup_0(_S1, t_0, &total_1, &kernelContext_1);
        if(e_0 < ((&kernelContext_1)->entryPointParams_0->a_0.experts_0))
        {
            *((&kernelContext_1)->entryPointParams_offsets_0+at_0) = sum_0 + _S2;
        }
        uint sum_1 = sum_0 + total_1;
        first_0 = first_0 + 256U;
        sum_0 = sum_1;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Count_0
{
    uint groups_0;
    uint counters_at_0;
    uint indices_at_0;
    uint count_0;
    uint experts_0;
    uint chunk_len_0;
    uint chunks_0;
};

struct EntryPointParams_0
{
    Count_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_counters_0;
    uint device* entryPointParams_indices_0;
    array<uint, int(1024)> threadgroup* tally_0;
};

[[kernel]] void expert_order_u32_count(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_counters_1 [[buffer(1)]], uint device* entryPointParams_indices_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_counters_0 = entryPointParams_counters_1;
    (&kernelContext_0)->entryPointParams_indices_0 = entryPointParams_indices_1;
    threadgroup array<uint, int(1024)> tally_1;
    (&kernelContext_0)->tally_0 = &tally_1;
    uint _S1 = thread_0.x;
    uint q_0 = group_0.x;
    for(;;)
    {
        if(q_0 < ((&kernelContext_0)->entryPointParams_0->a_0.chunks_0))
        {
        }
        else
        {
            break;
        }
        uint from_0 = q_0 * (&kernelContext_0)->entryPointParams_0->a_0.chunk_len_0;
        uint _S2 = min((&kernelContext_0)->entryPointParams_0->a_0.count_0, from_0 + (&kernelContext_0)->entryPointParams_0->a_0.chunk_len_0);
        uint first_0 = 0U;
        for(;;)
        {
            if(first_0 < ((&kernelContext_0)->entryPointParams_0->a_0.experts_0))
            {
            }
            else
            {
                break;
            }
            uint _S3 = min(1024U, (&kernelContext_0)->entryPointParams_0->a_0.experts_0 - first_0);
            uint e_0 = _S1;
            for(;;)
            {
                if(e_0 < _S3)
                {
                }
                else
                {
                    break;
                }
                (*(&kernelContext_0)->tally_0)[e_0] = 0U;
                e_0 = e_0 + 256U;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint i_0 = from_0 + _S1;
            for(;;)
            {
                if(i_0 < _S2)
                {
                }
                else
                {
                    break;
                }
                uint e_1 = min((&kernelContext_0)->entryPointParams_indices_0[(&kernelContext_0)->entryPointParams_0->a_0.indices_at_0 + i_0], (&kernelContext_0)->entryPointParams_0->a_0.experts_0 - 1U) - first_0;
                if(e_1 < _S3)
                {
                    uint _S4 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*(&kernelContext_0)->tally_0)[e_1])), 1U, memory_order_relaxed);
                }
                i_0 = i_0 + 256U;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint e_2 = _S1;
            for(;;)
            {
                if(e_2 < _S3)
                {
                }
                else
                {
                    break;
                }
                *((&kernelContext_0)->entryPointParams_counters_0+((&kernelContext_0)->entryPointParams_0->a_0.counters_at_0 + (first_0 + e_2) * (&kernelContext_0)->entryPointParams_0->a_0.chunks_0 + q_0)) = (*(&kernelContext_0)->tally_0)[e_2];
                e_2 = e_2 + 256U;
            }
            first_0 = first_0 + 1024U;
        }
        q_0 = q_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


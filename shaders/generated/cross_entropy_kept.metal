#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Kept_0
{
    uint groups_0;
    uint out_at_0;
    uint labels_at_0;
    uint rows_0;
    uint part_0;
    uint parts_0;
    uint ignores_0;
    uint ignored_0;
};

struct EntryPointParams_0
{
    Kept_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    uint device* entryPointParams_labels_0;
    array<uint, int(128)> threadgroup* shared_count_0;
};

[[kernel]] void cross_entropy_kept(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_labels_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_labels_0 = entryPointParams_labels_1;
    threadgroup array<uint, int(128)> shared_count_1;
    (&kernelContext_0)->shared_count_0 = &shared_count_1;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < ((&kernelContext_0)->entryPointParams_0->a_0.parts_0))
        {
        }
        else
        {
            break;
        }
        uint _S1 = min((&kernelContext_0)->entryPointParams_0->a_0.rows_0, (job_0 + 1U) * (&kernelContext_0)->entryPointParams_0->a_0.part_0);
        uint _S2 = thread_0.x;
        uint i_0 = job_0 * (&kernelContext_0)->entryPointParams_0->a_0.part_0 + _S2;
        uint n_0 = 0U;
        for(;;)
        {
            if(i_0 < _S1)
            {
            }
            else
            {
                break;
            }
            bool _S3;
            if(((&kernelContext_0)->entryPointParams_0->a_0.ignores_0) == 0U)
            {
                _S3 = true;
            }
            else
            {
                _S3 = (&kernelContext_0)->entryPointParams_labels_0[(&kernelContext_0)->entryPointParams_0->a_0.labels_at_0 + i_0] != ((&kernelContext_0)->entryPointParams_0->a_0.ignored_0);
            }
            if(_S3)
            {
                n_0 = n_0 + 1U;
            }
            i_0 = i_0 + 128U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_0)->shared_count_0)[_S2] = n_0;
        uint half_0 = 64U;
        for(;;)
        {
            if(half_0 > 0U)
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(_S2 < half_0)
            {
                (*(&kernelContext_0)->shared_count_0)[_S2] = (*(&kernelContext_0)->shared_count_0)[_S2] + (*(&kernelContext_0)->shared_count_0)[_S2 + half_0];
            }
            half_0 = half_0 / 2U;
        }
        if(_S2 == 0U)
        {
            *((&kernelContext_0)->entryPointParams_out_0+((&kernelContext_0)->entryPointParams_0->a_0.out_at_0 + job_0)) = (*(&kernelContext_0)->shared_count_0)[int(0)];
        }
        job_0 = job_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


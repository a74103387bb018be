#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct WholeRows_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint rows_0;
    uint cols_0;
    uint stride_0;
    uint part_0;
    uint parts_0;
};

struct EntryPointParams_0
{
    WholeRows_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    uint device* entryPointParams_x_0;
    array<uint, int(128)> threadgroup* shared_whole_0;
};

[[kernel]] void sum_u32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    threadgroup array<uint, int(128)> shared_whole_1;
    (&kernelContext_0)->shared_whole_0 = &shared_whole_1;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < ((&kernelContext_0)->entryPointParams_0->a_0.rows_0 * (&kernelContext_0)->entryPointParams_0->a_0.parts_0))
        {
        }
        else
        {
            break;
        }
        uint _S1 = job_0 / (&kernelContext_0)->entryPointParams_0->a_0.parts_0;
        uint _S2 = _S1 * (&kernelContext_0)->entryPointParams_0->a_0.stride_0;
        uint _S3 = job_0 % (&kernelContext_0)->entryPointParams_0->a_0.parts_0;
        uint from_0 = _S3 * (&kernelContext_0)->entryPointParams_0->a_0.part_0;
        uint _S4 = min((&kernelContext_0)->entryPointParams_0->a_0.cols_0, from_0 + (&kernelContext_0)->entryPointParams_0->a_0.part_0);
        uint _S5 = thread_0.x;
        uint j_0 = from_0 + _S5;
        uint sum_0 = 0U;
        for(;;)
        {
            if(j_0 < _S4)
            {
            }
            else
            {
                break;
            }
            uint sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_x_0[(&kernelContext_0)->entryPointParams_0->a_0.x_at_0 + _S2 + j_0];
            j_0 = j_0 + 128U;
            sum_0 = sum_1;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_0)->shared_whole_0)[_S5] = sum_0;
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
            if(_S5 < half_0)
            {
                (*(&kernelContext_0)->shared_whole_0)[_S5] = (*(&kernelContext_0)->shared_whole_0)[_S5] + (*(&kernelContext_0)->shared_whole_0)[_S5 + half_0];
            }
            half_0 = half_0 / 2U;
        }
        if(_S5 == 0U)
        {
            *((&kernelContext_0)->entryPointParams_out_0+((&kernelContext_0)->entryPointParams_0->a_0.out_at_0 + job_0)) = (*(&kernelContext_0)->shared_whole_0)[int(0)];
        }
        job_0 = job_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


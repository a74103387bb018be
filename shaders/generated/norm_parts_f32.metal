#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Parts_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint count_0;
    uint each_0;
};

struct EntryPointParams_0
{
    Parts_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    array<float, int(128)> threadgroup* shared_value_0;
};

float sumOfGroup_0(float value_0, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_value_0)[thread_0] = value_0;
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
        if(thread_0 < half_0)
        {
            (*kernelContext_0->shared_value_0)[thread_0] = (*kernelContext_0->shared_value_0)[thread_0] + (*kernelContext_0->shared_value_0)[thread_0 + half_0];
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[int(0)];
}

[[kernel]] void norm_parts_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_1)->shared_value_0 = &shared_value_1;
    uint part_0 = group_0.x;
    for(;;)
    {
        if((part_0 * (&kernelContext_1)->entryPointParams_0->a_0.each_0) < ((&kernelContext_1)->entryPointParams_0->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        uint _S1 = min((&kernelContext_1)->entryPointParams_0->a_0.count_0, (part_0 + 1U) * (&kernelContext_1)->entryPointParams_0->a_0.each_0);
        uint _S2 = thread_1.x;
        uint _S3 = part_0 * (&kernelContext_1)->entryPointParams_0->a_0.each_0 + _S2;
        float sum_0 = 0.0f;
        uint i_0 = _S3;
        for(;;)
        {
            if(i_0 < _S1)
            {
            }
            else
            {
                break;
            }
            float v_0 = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_0.x_at_0 + i_0];
            float _S4 = fma(v_0, v_0, sum_0);
            uint i_1 = i_0 + 128U;
            sum_0 = _S4;
            i_0 = i_1;
        }
        float _S5 = sumOfGroup_0(sum_0, _S2, &kernelContext_1);
        if(_S2 == 0U)
        {
            *((&kernelContext_1)->entryPointParams_out_0+((&kernelContext_1)->entryPointParams_0->a_0.out_at_0 + part_0)) = _S5;
        }
        part_0 = part_0 + (&kernelContext_1)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


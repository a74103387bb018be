#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Factor_0
{
    uint groups_0;
    uint norm_at_0;
    uint factor_at_0;
    uint parts_at_0;
    uint count_0;
    float limit_0;
};

struct EntryPointParams_0
{
    Factor_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_norm_0;
    float device* entryPointParams_factor_0;
    float device* entryPointParams_parts_0;
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

[[kernel]] void clip_factor_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_norm_1 [[buffer(1)]], float device* entryPointParams_factor_1 [[buffer(2)]], float device* entryPointParams_parts_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_norm_0 = entryPointParams_norm_1;
    (&kernelContext_1)->entryPointParams_factor_0 = entryPointParams_factor_1;
    (&kernelContext_1)->entryPointParams_parts_0 = entryPointParams_parts_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_1)->shared_value_0 = &shared_value_1;
    uint _S1 = thread_1.x;
    uint i_0 = _S1;
    float sum_0 = 0.0f;
    for(;;)
    {
        if(i_0 < ((&kernelContext_1)->entryPointParams_0->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        float sum_1 = sum_0 + (&kernelContext_1)->entryPointParams_parts_0[(&kernelContext_1)->entryPointParams_0->a_0.parts_at_0 + i_0];
        i_0 = i_0 + 128U;
        sum_0 = sum_1;
    }
    float _S2 = sumOfGroup_0(sum_0, _S1, &kernelContext_1);
    float n_0 = sqrt(_S2);
    if(_S1 != 0U)
    {
        return;
    }
    *((&kernelContext_1)->entryPointParams_norm_0+(&kernelContext_1)->entryPointParams_0->a_0.norm_at_0) = n_0;
    float device* _S3 = (&kernelContext_1)->entryPointParams_factor_0+(&kernelContext_1)->entryPointParams_0->a_0.factor_at_0;
    bool _S4;
    if(((as_type<uint>((n_0))) & 2139095040U) != 2139095040U)
    {
        _S4 = n_0 > ((&kernelContext_1)->entryPointParams_0->a_0.limit_0);
    }
    else
    {
        _S4 = false;
    }
    if(_S4)
    {
        sum_0 = (&kernelContext_1)->entryPointParams_0->a_0.limit_0 / n_0;
    }
    else
    {
        sum_0 = 1.0f;
    }
    *_S3 = sum_0;
    return;
}


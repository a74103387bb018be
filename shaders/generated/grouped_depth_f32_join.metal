#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct DepthParts_0
{
    uint groups_0;
    uint c_at_0;
    uint partials_at_0;
    uint bounds_at_0;
    uint m_0;
    uint n_0;
    uint ldc_0;
    uint c_expert_0;
    uint experts_0;
    uint accumulate_0;
    uint parts_0;
    uint part_0;
};

struct EntryPointParams_0
{
    DepthParts_0 p_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_partials_0;
    uint device* entryPointParams_bounds_0;
};

[[kernel]] void grouped_depth_f32_join(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_partials_1 [[buffer(2)]], uint device* entryPointParams_bounds_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_0)->entryPointParams_partials_0 = entryPointParams_partials_1;
    (&kernelContext_0)->entryPointParams_bounds_0 = entryPointParams_bounds_1;
    uint size_0 = entryPointParams_1->p_0.m_0 * entryPointParams_1->p_0.n_0;
    uint _S1 = size_0 * entryPointParams_1->p_0.experts_0;
    uint i_0 = group_0.x * 64U + thread_0.x;
    for(;;)
    {
        if(i_0 < _S1)
        {
        }
        else
        {
            break;
        }
        uint e_0 = i_0 / size_0;
        uint _S2 = i_0 % size_0;
        uint row_0 = _S2 / entryPointParams_1->p_0.n_0;
        uint col_0 = i_0 % entryPointParams_1->p_0.n_0;
        uint _S3 = (&kernelContext_0)->entryPointParams_bounds_0[entryPointParams_1->p_0.bounds_at_0 + e_0 + 1U] - (&kernelContext_0)->entryPointParams_bounds_0[entryPointParams_1->p_0.bounds_at_0 + e_0];
        uint s_0 = 0U;
        float sum_0 = 0.0f;
        for(;;)
        {
            bool _S4;
            if(s_0 == 0U)
            {
                _S4 = true;
            }
            else
            {
                _S4 = (s_0 * entryPointParams_1->p_0.part_0) < _S3;
            }
            if(_S4)
            {
            }
            else
            {
                break;
            }
            float sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_partials_0[entryPointParams_1->p_0.partials_at_0 + s_0 * _S1 + i_0];
            s_0 = s_0 + 1U;
            sum_0 = sum_1;
        }
        uint at_0 = entryPointParams_1->p_0.c_at_0 + e_0 * entryPointParams_1->p_0.c_expert_0 + row_0 * entryPointParams_1->p_0.ldc_0 + col_0;
        float device* _S5 = (&kernelContext_0)->entryPointParams_c_0+at_0;
        float _S6;
        if((entryPointParams_1->p_0.accumulate_0) != 0U)
        {
            _S6 = sum_0 + *((&kernelContext_0)->entryPointParams_c_0+at_0);
        }
        else
        {
            _S6 = sum_0;
        }
        *_S5 = _S6;
        i_0 = i_0 + entryPointParams_1->p_0.groups_0 * 64U;
    }
    return;
}


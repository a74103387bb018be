#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S1;
        if(half_0 > 0U)
        {
            _S1 = half_0 >= count_0;
        }
        else
        {
            _S1 = false;
        }
        if(_S1)
        {
        }
        else
        {
            break;
        }
        half_0 = half_0 / 2U;
    }
    return half_0;
}

struct Factor_0
{
    uint groups_0;
    uint norm_at_0;
    uint factor_at_0;
    uint parts_at_0;
    uint count_1;
    float limit_0;
    float limit_down_0;
    uint always_0;
    uint two_0;
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
    array<float4, int(128)> threadgroup* shared_values_0;
};

float4 sumsOfGroup_0(float4 values_0, uint thread_0, uint count_2, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_values_0)[thread_0] = values_0;
    uint half_1 = firstHalf_0(count_2);
    for(;;)
    {
        if(half_1 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(thread_0 < half_1)
        {
            (*kernelContext_0->shared_values_0)[thread_0] = (*kernelContext_0->shared_values_0)[thread_0] + (*kernelContext_0->shared_values_0)[thread_0 + half_1];
        }
        half_1 = half_1 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_values_0)[int(0)];
}

bool isFinite_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2139095040U) != 2139095040U;
}

bool isNormal_0(float x_1)
{
    uint exponent_0 = ((as_type<uint>((x_1))) >> 23U) & 255U;
    bool _S2;
    if(exponent_0 != 0U)
    {
        _S2 = exponent_0 != 255U;
    }
    else
    {
        _S2 = false;
    }
    return _S2;
}

[[kernel]] void clip_factor_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_norm_1 [[buffer(1)]], float device* entryPointParams_factor_1 [[buffer(2)]], float device* entryPointParams_parts_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_norm_0 = entryPointParams_norm_1;
    (&kernelContext_1)->entryPointParams_factor_0 = entryPointParams_factor_1;
    (&kernelContext_1)->entryPointParams_parts_0 = entryPointParams_parts_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_1)->shared_values_0 = &shared_values_1;
    float3 _S3 = float3(int3(int(0)) );
    uint _S4 = thread_1.x;
    uint i_0 = _S4;
    float3 sum_0 = _S3;
    for(;;)
    {
        if(i_0 < ((&kernelContext_1)->entryPointParams_0->a_0.count_1))
        {
        }
        else
        {
            break;
        }
        uint at_0 = (&kernelContext_1)->entryPointParams_0->a_0.parts_at_0 + 3U * i_0;
        float3 sum_1 = sum_0 + float3((&kernelContext_1)->entryPointParams_parts_0[at_0], (&kernelContext_1)->entryPointParams_parts_0[at_0 + 1U], (&kernelContext_1)->entryPointParams_parts_0[at_0 + 2U]);
        i_0 = i_0 + 128U;
        sum_0 = sum_1;
    }
    float4 _S5 = sumsOfGroup_0(float4(sum_0, 0.0f), _S4, 128U, &kernelContext_1);
    float3 sum_2 = _S5.xyz;
    if(_S4 != 0U)
    {
        return;
    }
    float _S6 = sum_2.x;
    bool large_0 = _S6 != 0.0f;
    float _S7 = sum_2.y;
    bool usual_0 = _S7 != 0.0f;
    float scale_0;
    if(large_0)
    {
        scale_0 = (as_type<float>((1870659584U)));
    }
    else
    {
        if(usual_0)
        {
            scale_0 = 1.0f;
        }
        else
        {
            scale_0 = (as_type<float>((260046848U)));
        }
    }
    float first_0;
    if(large_0)
    {
        first_0 = _S6 + _S7 * (as_type<float>((260046848U))) * (as_type<float>((260046848U)));
    }
    else
    {
        if(usual_0)
        {
            first_0 = _S7 + sum_2.z * (as_type<float>((260046848U))) * (as_type<float>((260046848U)));
        }
        else
        {
            first_0 = sum_2.z;
        }
    }
    float root_0 = sqrt(first_0);
    float n_0 = root_0 * scale_0;
    if(((&kernelContext_1)->entryPointParams_0->a_0.norm_at_0) != 4294967295U)
    {
        *((&kernelContext_1)->entryPointParams_norm_0+(&kernelContext_1)->entryPointParams_0->a_0.norm_at_0) = n_0;
    }
    bool scaled_0;
    if(!isFinite_0(n_0))
    {
        scaled_0 = true;
    }
    else
    {
        scaled_0 = !isFinite_0((&kernelContext_1)->entryPointParams_0->a_0.limit_0);
    }
    bool above_0;
    if(scaled_0)
    {
        if(large_0)
        {
            above_0 = root_0 > ((&kernelContext_1)->entryPointParams_0->a_0.limit_down_0);
        }
        else
        {
            above_0 = false;
        }
    }
    else
    {
        above_0 = n_0 > ((&kernelContext_1)->entryPointParams_0->a_0.limit_0);
    }
    float second_0;
    if(!isFinite_0(root_0))
    {
        if(((&kernelContext_1)->entryPointParams_0->a_0.always_0) != 0U)
        {
            first_0 = (as_type<float>((2143289344U)));
        }
        else
        {
            first_0 = 1.0f;
        }
        second_0 = 1.0f;
    }
    else
    {
        if(root_0 != 0.0f)
        {
            if(((&kernelContext_1)->entryPointParams_0->a_0.always_0) != 0U)
            {
                above_0 = true;
            }
        }
        else
        {
            above_0 = false;
        }
        if(above_0)
        {
            if(scaled_0)
            {
                first_0 = (&kernelContext_1)->entryPointParams_0->a_0.limit_down_0 / root_0;
            }
            else
            {
                first_0 = (&kernelContext_1)->entryPointParams_0->a_0.limit_0 / n_0;
            }
            bool whole_0;
            if(isNormal_0(first_0))
            {
                if(scaled_0)
                {
                    scale_0 = (&kernelContext_1)->entryPointParams_0->a_0.limit_down_0;
                }
                else
                {
                    scale_0 = n_0;
                }
                whole_0 = isNormal_0(scale_0);
            }
            else
            {
                whole_0 = false;
            }
            if(((&kernelContext_1)->entryPointParams_0->a_0.two_0) != 0U)
            {
                scaled_0 = !whole_0;
            }
            else
            {
                scaled_0 = false;
            }
            if(scaled_0)
            {
                if(large_0)
                {
                    scale_0 = (as_type<float>((528482304U)));
                }
                else
                {
                    if(usual_0)
                    {
                        scale_0 = 1.0f;
                    }
                    else
                    {
                        scale_0 = (as_type<float>((1602224128U)));
                    }
                }
                float _S8 = (&kernelContext_1)->entryPointParams_0->a_0.limit_0 / root_0;
                if(large_0)
                {
                    first_0 = (as_type<float>((796917760U)));
                }
                else
                {
                    if(usual_0)
                    {
                        first_0 = 1.0f;
                    }
                    else
                    {
                        first_0 = (as_type<float>((1333788672U)));
                    }
                }
                first_0 = _S8 * first_0;
                second_0 = scale_0;
            }
            else
            {
                second_0 = 1.0f;
            }
        }
        else
        {
            first_0 = 1.0f;
            second_0 = 1.0f;
        }
    }
    *((&kernelContext_1)->entryPointParams_factor_0+(&kernelContext_1)->entryPointParams_0->a_0.factor_at_0) = first_0;
    if(((&kernelContext_1)->entryPointParams_0->a_0.two_0) != 0U)
    {
        *((&kernelContext_1)->entryPointParams_factor_0+((&kernelContext_1)->entryPointParams_0->a_0.factor_at_0 + 1U)) = second_0;
    }
    return;
}


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

struct Parts_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint count_1;
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

[[kernel]] void norm_parts_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_1)->shared_values_0 = &shared_values_1;
    uint part_0 = group_0.x;
    for(;;)
    {
        if((part_0 * (&kernelContext_1)->entryPointParams_0->a_0.each_0) < ((&kernelContext_1)->entryPointParams_0->a_0.count_1))
        {
        }
        else
        {
            break;
        }
        uint _S2 = min((&kernelContext_1)->entryPointParams_0->a_0.count_1, (part_0 + 1U) * (&kernelContext_1)->entryPointParams_0->a_0.each_0);
        float3 _S3 = float3(int3(int(0)) );
        uint _S4 = thread_1.x;
        uint i_0 = part_0 * (&kernelContext_1)->entryPointParams_0->a_0.each_0 + _S4;
        float3 sum_0 = _S3;
        for(;;)
        {
            if(i_0 < _S2)
            {
            }
            else
            {
                break;
            }
            float v_0 = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_0.x_at_0 + i_0];
            uint size_0 = (as_type<uint>((v_0))) & 2147483647U;
            bool large_0 = size_0 >= 1468006400U;
            bool small_0 = size_0 < 662700032U;
            float _S5;
            if(large_0)
            {
                _S5 = (as_type<float>((260046848U)));
            }
            else
            {
                if(small_0)
                {
                    _S5 = (as_type<float>((1870659584U)));
                }
                else
                {
                    _S5 = 1.0f;
                }
            }
            float v_1 = v_0 * _S5;
            float square_0 = v_1 * v_1;
            float _S6;
            if(large_0)
            {
                _S6 = square_0;
            }
            else
            {
                _S6 = 0.0f;
            }
            bool _S7;
            if(large_0)
            {
                _S7 = true;
            }
            else
            {
                _S7 = small_0;
            }
            float _S8;
            if(_S7)
            {
                _S8 = 0.0f;
            }
            else
            {
                _S8 = square_0;
            }
            float _S9;
            if(small_0)
            {
                _S9 = square_0;
            }
            else
            {
                _S9 = 0.0f;
            }
            float3 sum_1 = sum_0 + float3(_S6, _S8, _S9);
            i_0 = i_0 + 128U;
            sum_0 = sum_1;
        }
        float4 _S10 = sumsOfGroup_0(float4(sum_0, 0.0f), _S4, 128U, &kernelContext_1);
        float3 _S11 = _S10.xyz;
        if(_S4 == 0U)
        {
            uint k_0 = 0U;
            for(;;)
            {
                if(k_0 < 3U)
                {
                }
                else
                {
                    break;
                }
                *((&kernelContext_1)->entryPointParams_out_0+((&kernelContext_1)->entryPointParams_0->a_0.out_at_0 + 3U * part_0 + k_0)) = _S11[k_0];
                k_0 = k_0 + 1U;
            }
        }
        part_0 = part_0 + (&kernelContext_1)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


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

struct Forward_0
{
    uint groups_0;
    uint out_at_0;
    uint stats_at_0;
    uint x_at_0;
    uint weight_at_0;
    uint rows_0;
    uint cols_0;
    uint out_stride_0;
    uint stats_stride_0;
    uint x_stride_0;
    float eps_0;
};

struct EntryPointParams_0
{
    Forward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_stats_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_weight_0;
    array<float4, int(128)> threadgroup* shared_values_0;
};

float4 sumsOfGroup_0(float4 values_0, uint thread_0, uint count_1, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_values_0)[thread_0] = values_0;
    uint half_1 = firstHalf_0(count_1);
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

float meanOf_0(float sum_0, uint count_2)
{
    return sum_0 / float(max(1U, count_2));
}

[[kernel]] void rms_norm_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_weight_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_1)->entryPointParams_weight_0 = entryPointParams_weight_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_1)->shared_values_0 = &shared_values_1;
    uint _S2 = thread_1.x;
    bool _S3 = (entryPointParams_1->a_0.cols_0) <= 1024U;
    uint i_0 = group_0.x;
    for(;;)
    {
        if(i_0 < (entryPointParams_1->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S4 = entryPointParams_1->a_0.x_at_0 + i_0 * entryPointParams_1->a_0.x_stride_0;
        thread array<float, int(8)> v_0;
        uint base_0 = _S2;
        float squares_0 = 0.0f;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            float squares_1;
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S5 = (&kernelContext_1)->entryPointParams_x_0[_S4 + base_0];
                v_0[0U] = _S5;
                squares_1 = fma(_S5, _S5, squares_0);
            }
            else
            {
                squares_1 = squares_0;
            }
            uint j_0 = base_0 + 128U;
            float squares_2;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S6 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_0];
                v_0[1U] = _S6;
                squares_2 = fma(_S6, _S6, squares_1);
            }
            else
            {
                squares_2 = squares_1;
            }
            uint j_1 = base_0 + 256U;
            float squares_3;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                float _S7 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_1];
                v_0[2U] = _S7;
                squares_3 = fma(_S7, _S7, squares_2);
            }
            else
            {
                squares_3 = squares_2;
            }
            uint j_2 = base_0 + 384U;
            float squares_4;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                float _S8 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_2];
                v_0[3U] = _S8;
                squares_4 = fma(_S8, _S8, squares_3);
            }
            else
            {
                squares_4 = squares_3;
            }
            uint j_3 = base_0 + 512U;
            float squares_5;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                float _S9 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_3];
                v_0[4U] = _S9;
                squares_5 = fma(_S9, _S9, squares_4);
            }
            else
            {
                squares_5 = squares_4;
            }
            uint j_4 = base_0 + 640U;
            float squares_6;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                float _S10 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_4];
                v_0[5U] = _S10;
                squares_6 = fma(_S10, _S10, squares_5);
            }
            else
            {
                squares_6 = squares_5;
            }
            uint j_5 = base_0 + 768U;
            float squares_7;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                float _S11 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_5];
                v_0[6U] = _S11;
                squares_7 = fma(_S11, _S11, squares_6);
            }
            else
            {
                squares_7 = squares_6;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                float _S12 = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_6];
                v_0[7U] = _S12;
                squares_0 = fma(_S12, _S12, squares_7);
            }
            else
            {
                squares_0 = squares_7;
            }
            base_0 = base_0 + 1024U;
        }
        float4 _S13 = sumsOfGroup_0(float4(squares_0, 0.0f, 0.0f, 0.0f), _S2, entryPointParams_1->a_0.cols_0, &kernelContext_1);
        float r_0 = 1.0f / sqrt(meanOf_0(_S13.x, entryPointParams_1->a_0.cols_0) + entryPointParams_1->a_0.eps_0);
        bool _S14;
        if((entryPointParams_1->a_0.stats_at_0) != 4294967295U)
        {
            _S14 = _S2 == 0U;
        }
        else
        {
            _S14 = false;
        }
        if(_S14)
        {
            *((&kernelContext_1)->entryPointParams_stats_0+(entryPointParams_1->a_0.stats_at_0 + i_0 * entryPointParams_1->a_0.stats_stride_0)) = r_0;
        }
        if((entryPointParams_1->a_0.out_at_0) == 4294967295U)
        {
            i_0 = i_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S15 = entryPointParams_1->a_0.out_at_0 + i_0 * entryPointParams_1->a_0.out_stride_0;
        uint base_1 = _S2;
        for(;;)
        {
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[0U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + base_1];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + base_1)) = v_0[0U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_1];
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[1U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_7];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_7)) = v_0[1U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_7];
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[2U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_8];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_8)) = v_0[2U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_8];
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[3U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_9];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_9)) = v_0[3U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_9];
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[4U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_10];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_10)) = v_0[4U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_10];
            }
            uint j_11 = base_1 + 640U;
            if(j_11 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[5U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_11];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_11)) = v_0[5U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_11];
            }
            uint j_12 = base_1 + 768U;
            if(j_12 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[6U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_12];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_12)) = v_0[6U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_12];
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S3)
                {
                    v_0[7U] = (&kernelContext_1)->entryPointParams_x_0[_S4 + j_13];
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S15 + j_13)) = v_0[7U] * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_13];
            }
            base_1 = base_1 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


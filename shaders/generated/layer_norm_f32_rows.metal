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
    uint sum_at_0;
    uint x_at_0;
    uint residual_at_0;
    uint weight_at_0;
    uint bias_at_0;
    uint rows_0;
    uint cols_0;
    uint out_stride_0;
    uint stats_stride_0;
    uint sum_stride_0;
    uint x_stride_0;
    uint residual_stride_0;
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
    float device* entryPointParams_sum_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_residual_0;
    float device* entryPointParams_weight_0;
    float device* entryPointParams_bias_0;
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

[[kernel]] void layer_norm_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_sum_1 [[buffer(3)]], float device* entryPointParams_x_1 [[buffer(4)]], float device* entryPointParams_residual_1 [[buffer(5)]], float device* entryPointParams_weight_1 [[buffer(6)]], float device* entryPointParams_bias_1 [[buffer(7)]])
{
    float _S2;
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_1)->entryPointParams_sum_0 = entryPointParams_sum_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_1)->entryPointParams_residual_0 = entryPointParams_residual_1;
    (&kernelContext_1)->entryPointParams_weight_0 = entryPointParams_weight_1;
    (&kernelContext_1)->entryPointParams_bias_0 = entryPointParams_bias_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_1)->shared_values_0 = &shared_values_1;
    uint _S3 = thread_1.x;
    bool _S4 = (entryPointParams_1->a_0.residual_at_0) != 4294967295U;
    bool _S5 = (entryPointParams_1->a_0.cols_0) <= 1024U;
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
        uint _S6 = entryPointParams_1->a_0.x_at_0 + i_0 * entryPointParams_1->a_0.x_stride_0;
        uint _S7 = entryPointParams_1->a_0.sum_at_0 + i_0 * entryPointParams_1->a_0.sum_stride_0;
        uint _S8 = entryPointParams_1->a_0.residual_at_0 + i_0 * entryPointParams_1->a_0.residual_stride_0;
        thread array<float, int(8)> v_0;
        uint base_0 = _S3;
        float total_0 = 0.0f;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            v_0[0U] = 0.0f;
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[0U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + base_0];
                if(_S4)
                {
                    float _S9 = v_0[0U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + base_0];
                    v_0[0U] = _S9;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + base_0)) = _S9;
                }
            }
            float total_1 = total_0 + v_0[0U];
            uint j_0 = base_0 + 128U;
            v_0[1U] = 0.0f;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[1U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_0];
                if(_S4)
                {
                    float _S10 = v_0[1U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_0];
                    v_0[1U] = _S10;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_0)) = _S10;
                }
            }
            float total_2 = total_1 + v_0[1U];
            uint j_1 = base_0 + 256U;
            v_0[2U] = 0.0f;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[2U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_1];
                if(_S4)
                {
                    float _S11 = v_0[2U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_1];
                    v_0[2U] = _S11;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_1)) = _S11;
                }
            }
            float total_3 = total_2 + v_0[2U];
            uint j_2 = base_0 + 384U;
            v_0[3U] = 0.0f;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[3U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_2];
                if(_S4)
                {
                    float _S12 = v_0[3U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_2];
                    v_0[3U] = _S12;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_2)) = _S12;
                }
            }
            float total_4 = total_3 + v_0[3U];
            uint j_3 = base_0 + 512U;
            v_0[4U] = 0.0f;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[4U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_3];
                if(_S4)
                {
                    float _S13 = v_0[4U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_3];
                    v_0[4U] = _S13;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_3)) = _S13;
                }
            }
            float total_5 = total_4 + v_0[4U];
            uint j_4 = base_0 + 640U;
            v_0[5U] = 0.0f;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[5U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_4];
                if(_S4)
                {
                    float _S14 = v_0[5U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_4];
                    v_0[5U] = _S14;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_4)) = _S14;
                }
            }
            float total_6 = total_5 + v_0[5U];
            uint j_5 = base_0 + 768U;
            v_0[6U] = 0.0f;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[6U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_5];
                if(_S4)
                {
                    float _S15 = v_0[6U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_5];
                    v_0[6U] = _S15;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_5)) = _S15;
                }
            }
            float total_7 = total_6 + v_0[6U];
            uint j_6 = base_0 + 896U;
            v_0[7U] = 0.0f;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[7U] = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_6];
                if(_S4)
                {
                    float _S16 = v_0[7U] + (&kernelContext_1)->entryPointParams_residual_0[_S8 + j_6];
                    v_0[7U] = _S16;
                    *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_6)) = _S16;
                }
            }
            float total_8 = total_7 + v_0[7U];
            base_0 = base_0 + 1024U;
            total_0 = total_8;
        }
        float4 _S17 = sumsOfGroup_0(float4(total_0, 0.0f, 0.0f, 0.0f), _S3, entryPointParams_1->a_0.cols_0, &kernelContext_1);
        float m_0 = meanOf_0(_S17.x, entryPointParams_1->a_0.cols_0);
        float2 _S18 = float2(int2(int(0)) );
        uint base_1 = _S3;
        float2 deviations_0 = _S18;
        for(;;)
        {
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            float2 deviations_1;
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + base_1));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + base_1];
                    }
                    v_0[0U] = _S2;
                }
                float d_0 = v_0[0U] - m_0;
                deviations_1 = deviations_0 + float2(d_0, d_0 * d_0);
            }
            else
            {
                deviations_1 = deviations_0;
            }
            uint j_7 = base_1 + 128U;
            float2 deviations_2;
            if(j_7 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_7));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_7];
                    }
                    v_0[1U] = _S2;
                }
                float d_1 = v_0[1U] - m_0;
                deviations_2 = deviations_1 + float2(d_1, d_1 * d_1);
            }
            else
            {
                deviations_2 = deviations_1;
            }
            uint j_8 = base_1 + 256U;
            float2 deviations_3;
            if(j_8 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_8));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_8];
                    }
                    v_0[2U] = _S2;
                }
                float d_2 = v_0[2U] - m_0;
                deviations_3 = deviations_2 + float2(d_2, d_2 * d_2);
            }
            else
            {
                deviations_3 = deviations_2;
            }
            uint j_9 = base_1 + 384U;
            float2 deviations_4;
            if(j_9 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_9));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_9];
                    }
                    v_0[3U] = _S2;
                }
                float d_3 = v_0[3U] - m_0;
                deviations_4 = deviations_3 + float2(d_3, d_3 * d_3);
            }
            else
            {
                deviations_4 = deviations_3;
            }
            uint j_10 = base_1 + 512U;
            float2 deviations_5;
            if(j_10 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_10));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_10];
                    }
                    v_0[4U] = _S2;
                }
                float d_4 = v_0[4U] - m_0;
                deviations_5 = deviations_4 + float2(d_4, d_4 * d_4);
            }
            else
            {
                deviations_5 = deviations_4;
            }
            uint j_11 = base_1 + 640U;
            float2 deviations_6;
            if(j_11 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_11));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_11];
                    }
                    v_0[5U] = _S2;
                }
                float d_5 = v_0[5U] - m_0;
                deviations_6 = deviations_5 + float2(d_5, d_5 * d_5);
            }
            else
            {
                deviations_6 = deviations_5;
            }
            uint j_12 = base_1 + 768U;
            float2 deviations_7;
            if(j_12 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_12));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_12];
                    }
                    v_0[6U] = _S2;
                }
                float d_6 = v_0[6U] - m_0;
                deviations_7 = deviations_6 + float2(d_6, d_6 * d_6);
            }
            else
            {
                deviations_7 = deviations_6;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        _S2 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_13));
                    }
                    else
                    {
                        _S2 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_13];
                    }
                    v_0[7U] = _S2;
                }
                float d_7 = v_0[7U] - m_0;
                deviations_0 = deviations_7 + float2(d_7, d_7 * d_7);
            }
            else
            {
                deviations_0 = deviations_7;
            }
            base_1 = base_1 + 1024U;
        }
        float4 _S19 = sumsOfGroup_0(float4(deviations_0, 0.0f, 0.0f), _S3, entryPointParams_1->a_0.cols_0, &kernelContext_1);
        float2 deviations_8 = _S19.xy;
        float c_0 = meanOf_0(deviations_8.x, entryPointParams_1->a_0.cols_0);
        float v2_0 = meanOf_0(deviations_8.y, entryPointParams_1->a_0.cols_0) - c_0 * c_0;
        if(v2_0 < 0.0f)
        {
            _S2 = 0.0f;
        }
        else
        {
            _S2 = v2_0;
        }
        float r_0 = 1.0f / sqrt(_S2 + entryPointParams_1->a_0.eps_0);
        bool _S20;
        if((entryPointParams_1->a_0.stats_at_0) != 4294967295U)
        {
            _S20 = _S3 == 0U;
        }
        else
        {
            _S20 = false;
        }
        if(_S20)
        {
            *((&kernelContext_1)->entryPointParams_stats_0+(entryPointParams_1->a_0.stats_at_0 + i_0 * entryPointParams_1->a_0.stats_stride_0)) = m_0 + c_0;
            *((&kernelContext_1)->entryPointParams_stats_0+(entryPointParams_1->a_0.stats_at_0 + i_0 * entryPointParams_1->a_0.stats_stride_0 + 1U)) = r_0;
        }
        if((entryPointParams_1->a_0.out_at_0) == 4294967295U)
        {
            i_0 = i_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S21 = entryPointParams_1->a_0.out_at_0 + i_0 * entryPointParams_1->a_0.out_stride_0;
        uint base_2 = _S3;
        for(;;)
        {
            if(base_2 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            float y_0;
            if(base_2 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + base_2));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + base_2];
                    }
                    v_0[0U] = y_0;
                }
                float y_1 = (v_0[0U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_2];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_1 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + base_2];
                }
                else
                {
                    y_0 = y_1;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + base_2)) = y_0;
            }
            uint j_14 = base_2 + 128U;
            if(j_14 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_14));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_14];
                    }
                    v_0[1U] = y_0;
                }
                float y_2 = (v_0[1U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_14];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_2 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_14];
                }
                else
                {
                    y_0 = y_2;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_14)) = y_0;
            }
            uint j_15 = base_2 + 256U;
            if(j_15 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_15));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_15];
                    }
                    v_0[2U] = y_0;
                }
                float y_3 = (v_0[2U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_15];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_3 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_15];
                }
                else
                {
                    y_0 = y_3;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_15)) = y_0;
            }
            uint j_16 = base_2 + 384U;
            if(j_16 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_16));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_16];
                    }
                    v_0[3U] = y_0;
                }
                float y_4 = (v_0[3U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_16];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_4 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_16];
                }
                else
                {
                    y_0 = y_4;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_16)) = y_0;
            }
            uint j_17 = base_2 + 512U;
            if(j_17 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_17));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_17];
                    }
                    v_0[4U] = y_0;
                }
                float y_5 = (v_0[4U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_17];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_5 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_17];
                }
                else
                {
                    y_0 = y_5;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_17)) = y_0;
            }
            uint j_18 = base_2 + 640U;
            if(j_18 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_18));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_18];
                    }
                    v_0[5U] = y_0;
                }
                float y_6 = (v_0[5U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_18];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_6 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_18];
                }
                else
                {
                    y_0 = y_6;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_18)) = y_0;
            }
            uint j_19 = base_2 + 768U;
            if(j_19 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_19));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_19];
                    }
                    v_0[6U] = y_0;
                }
                float y_7 = (v_0[6U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_19];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_7 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_19];
                }
                else
                {
                    y_0 = y_7;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_19)) = y_0;
            }
            uint j_20 = base_2 + 896U;
            if(j_20 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S5)
                {
                    if(_S4)
                    {
                        y_0 = *((&kernelContext_1)->entryPointParams_sum_0+(_S7 + j_20));
                    }
                    else
                    {
                        y_0 = (&kernelContext_1)->entryPointParams_x_0[_S6 + j_20];
                    }
                    v_0[7U] = y_0;
                }
                float y_8 = (v_0[7U] - m_0 - c_0) * r_0 * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_20];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_8 + (&kernelContext_1)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_20];
                }
                else
                {
                    y_0 = y_8;
                }
                *((&kernelContext_1)->entryPointParams_out_0+(_S21 + j_20)) = y_0;
            }
            base_2 = base_2 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


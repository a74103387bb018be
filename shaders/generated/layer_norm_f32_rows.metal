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
    array<float, int(128)> threadgroup* shared_value_0;
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

bool isUsual_0(float r_0)
{
    bool _S2;
    if(r_0 >= (as_type<float>((645922816U))))
    {
        _S2 = r_0 <= (as_type<float>((1484783616U)));
    }
    else
    {
        _S2 = false;
    }
    return _S2;
}

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

float largerOf_0(float a_1, float b_0)
{
    bool _S3;
    if(a_1 > b_0)
    {
        _S3 = true;
    }
    else
    {
        _S3 = isNaN_0(a_1);
    }
    float _S4;
    if(_S3)
    {
        _S4 = a_1;
    }
    else
    {
        _S4 = b_0;
    }
    return _S4;
}

float largestOfGroup_0(float value_0, uint thread_1, uint count_3, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->shared_value_0)[thread_1] = value_0;
    uint half_2 = firstHalf_0(count_3);
    for(;;)
    {
        if(half_2 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(thread_1 < half_2)
        {
            (*kernelContext_1->shared_value_0)[thread_1] = largerOf_0((*kernelContext_1->shared_value_0)[thread_1], (*kernelContext_1->shared_value_0)[thread_1 + half_2]);
        }
        half_2 = half_2 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_1->shared_value_0)[int(0)];
}

float scaleFor_0(float largest_0)
{
    uint biased_0 = ((as_type<uint>((largest_0))) >> 23U) & 255U;
    bool _S5;
    if(largest_0 == 0.0f)
    {
        _S5 = true;
    }
    else
    {
        _S5 = biased_0 == 255U;
    }
    float _S6;
    if(_S5)
    {
        _S6 = 1.0f;
    }
    else
    {
        _S6 = (as_type<float>(((max(1U, 254U - biased_0)) << 23U)));
    }
    return _S6;
}

float keptFactor_0(float factor_0, float scale_0)
{
    float r_1 = factor_0 * scale_0;
    bool _S7;
    if(r_1 < (as_type<float>((645922816U))))
    {
        _S7 = factor_0 > 0.0f;
    }
    else
    {
        _S7 = false;
    }
    float _S8;
    if(_S7)
    {
        _S8 = - (factor_0 * (scale_0 * (as_type<float>((1602224128U)))));
    }
    else
    {
        _S8 = r_1;
    }
    return _S8;
}

[[kernel]] void layer_norm_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_sum_1 [[buffer(3)]], float device* entryPointParams_x_1 [[buffer(4)]], float device* entryPointParams_residual_1 [[buffer(5)]], float device* entryPointParams_weight_1 [[buffer(6)]], float device* entryPointParams_bias_1 [[buffer(7)]])
{
    float _S9;
    float largest_1;
    float largest_2;
    float largest_3;
    float total_0;
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_2)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_2)->entryPointParams_sum_0 = entryPointParams_sum_1;
    (&kernelContext_2)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_2)->entryPointParams_residual_0 = entryPointParams_residual_1;
    (&kernelContext_2)->entryPointParams_weight_0 = entryPointParams_weight_1;
    (&kernelContext_2)->entryPointParams_bias_0 = entryPointParams_bias_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_2)->shared_values_0 = &shared_values_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_2)->shared_value_0 = &shared_value_1;
    uint _S10 = thread_2.x;
    bool _S11 = (entryPointParams_1->a_0.residual_at_0) != 4294967295U;
    bool _S12 = (entryPointParams_1->a_0.cols_0) <= 1024U;
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
        uint x_row_0 = entryPointParams_1->a_0.x_at_0 + i_0 * entryPointParams_1->a_0.x_stride_0;
        uint sum_row_0 = entryPointParams_1->a_0.sum_at_0 + i_0 * entryPointParams_1->a_0.sum_stride_0;
        uint _S13 = entryPointParams_1->a_0.residual_at_0 + i_0 * entryPointParams_1->a_0.residual_stride_0;
        thread array<float, int(8)> v_0;
        uint base_0 = _S10;
        float total_1 = 0.0f;
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
                v_0[0U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + base_0];
                if(_S11)
                {
                    float _S14 = v_0[0U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + base_0];
                    v_0[0U] = _S14;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + base_0)) = _S14;
                }
            }
            float total_2 = total_1 + v_0[0U];
            uint j_0 = base_0 + 128U;
            v_0[1U] = 0.0f;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[1U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_0];
                if(_S11)
                {
                    float _S15 = v_0[1U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_0];
                    v_0[1U] = _S15;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_0)) = _S15;
                }
            }
            float total_3 = total_2 + v_0[1U];
            uint j_1 = base_0 + 256U;
            v_0[2U] = 0.0f;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[2U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_1];
                if(_S11)
                {
                    float _S16 = v_0[2U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_1];
                    v_0[2U] = _S16;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_1)) = _S16;
                }
            }
            float total_4 = total_3 + v_0[2U];
            uint j_2 = base_0 + 384U;
            v_0[3U] = 0.0f;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[3U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_2];
                if(_S11)
                {
                    float _S17 = v_0[3U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_2];
                    v_0[3U] = _S17;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_2)) = _S17;
                }
            }
            float total_5 = total_4 + v_0[3U];
            uint j_3 = base_0 + 512U;
            v_0[4U] = 0.0f;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[4U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_3];
                if(_S11)
                {
                    float _S18 = v_0[4U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_3];
                    v_0[4U] = _S18;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_3)) = _S18;
                }
            }
            float total_6 = total_5 + v_0[4U];
            uint j_4 = base_0 + 640U;
            v_0[5U] = 0.0f;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[5U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_4];
                if(_S11)
                {
                    float _S19 = v_0[5U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_4];
                    v_0[5U] = _S19;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_4)) = _S19;
                }
            }
            float total_7 = total_6 + v_0[5U];
            uint j_5 = base_0 + 768U;
            v_0[6U] = 0.0f;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[6U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_5];
                if(_S11)
                {
                    float _S20 = v_0[6U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_5];
                    v_0[6U] = _S20;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_5)) = _S20;
                }
            }
            float total_8 = total_7 + v_0[6U];
            uint j_6 = base_0 + 896U;
            v_0[7U] = 0.0f;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                v_0[7U] = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_6];
                if(_S11)
                {
                    float _S21 = v_0[7U] + (&kernelContext_2)->entryPointParams_residual_0[_S13 + j_6];
                    v_0[7U] = _S21;
                    *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_6)) = _S21;
                }
            }
            float total_9 = total_8 + v_0[7U];
            base_0 = base_0 + 1024U;
            total_1 = total_9;
        }
        float4 _S22 = sumsOfGroup_0(float4(total_1, 0.0f, 0.0f, 0.0f), _S10, entryPointParams_1->a_0.cols_0, &kernelContext_2);
        float m_0 = meanOf_0(_S22.x, entryPointParams_1->a_0.cols_0);
        float2 _S23 = float2(int2(int(0)) );
        uint base_1 = _S10;
        float2 deviations_0 = _S23;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + base_1));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + base_1];
                    }
                    v_0[0U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_7));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_7];
                    }
                    v_0[1U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_8));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_8];
                    }
                    v_0[2U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_9));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_9];
                    }
                    v_0[3U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_10));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_10];
                    }
                    v_0[4U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_11));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_11];
                    }
                    v_0[5U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_12));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_12];
                    }
                    v_0[6U] = _S9;
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
                if(!_S12)
                {
                    if(_S11)
                    {
                        _S9 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_13));
                    }
                    else
                    {
                        _S9 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_13];
                    }
                    v_0[7U] = _S9;
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
        float4 _S24 = sumsOfGroup_0(float4(deviations_0, 0.0f, 0.0f), _S10, entryPointParams_1->a_0.cols_0, &kernelContext_2);
        float2 deviations_8 = _S24.xy;
        float c_0 = meanOf_0(deviations_8.x, entryPointParams_1->a_0.cols_0);
        float v2_0 = meanOf_0(deviations_8.y, entryPointParams_1->a_0.cols_0) - c_0 * c_0;
        if(v2_0 < 0.0f)
        {
            _S9 = 0.0f;
        }
        else
        {
            _S9 = v2_0;
        }
        float r_2 = 1.0f / sqrt(_S9 + entryPointParams_1->a_0.eps_0);
        float _S25 = m_0 + c_0;
        thread float2 f_0 = float2(1.0f, r_2);
        uint base_2;
        float mean_0;
        float m_1;
        float y_0;
        float c_1;
        float r_3;
        bool _S26;
        if(!isUsual_0(r_2))
        {
            float _S27 = sqrt(entryPointParams_1->a_0.eps_0);
            base_2 = _S10;
            mean_0 = _S27;
            for(;;)
            {
                if(base_2 < (entryPointParams_1->a_0.cols_0))
                {
                }
                else
                {
                    break;
                }
                if(base_2 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            m_1 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + base_2));
                        }
                        else
                        {
                            m_1 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + base_2];
                        }
                        v_0[0U] = m_1;
                    }
                    m_1 = largerOf_0(abs(v_0[0U]), mean_0);
                }
                else
                {
                    m_1 = mean_0;
                }
                uint j_14 = base_2 + 128U;
                if(j_14 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_14));
                        }
                        else
                        {
                            y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_14];
                        }
                        v_0[1U] = y_0;
                    }
                    y_0 = largerOf_0(abs(v_0[1U]), m_1);
                }
                else
                {
                    y_0 = m_1;
                }
                uint j_15 = base_2 + 256U;
                if(j_15 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            c_1 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_15));
                        }
                        else
                        {
                            c_1 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_15];
                        }
                        v_0[2U] = c_1;
                    }
                    c_1 = largerOf_0(abs(v_0[2U]), y_0);
                }
                else
                {
                    c_1 = y_0;
                }
                uint j_16 = base_2 + 384U;
                if(j_16 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            r_3 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_16));
                        }
                        else
                        {
                            r_3 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_16];
                        }
                        v_0[3U] = r_3;
                    }
                    r_3 = largerOf_0(abs(v_0[3U]), c_1);
                }
                else
                {
                    r_3 = c_1;
                }
                uint j_17 = base_2 + 512U;
                if(j_17 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            largest_1 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_17));
                        }
                        else
                        {
                            largest_1 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_17];
                        }
                        v_0[4U] = largest_1;
                    }
                    largest_1 = largerOf_0(abs(v_0[4U]), r_3);
                }
                else
                {
                    largest_1 = r_3;
                }
                uint j_18 = base_2 + 640U;
                if(j_18 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            largest_2 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_18));
                        }
                        else
                        {
                            largest_2 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_18];
                        }
                        v_0[5U] = largest_2;
                    }
                    largest_2 = largerOf_0(abs(v_0[5U]), largest_1);
                }
                else
                {
                    largest_2 = largest_1;
                }
                uint j_19 = base_2 + 768U;
                if(j_19 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            largest_3 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_19));
                        }
                        else
                        {
                            largest_3 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_19];
                        }
                        v_0[6U] = largest_3;
                    }
                    largest_3 = largerOf_0(abs(v_0[6U]), largest_2);
                }
                else
                {
                    largest_3 = largest_2;
                }
                uint j_20 = base_2 + 896U;
                if(j_20 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S12)
                    {
                        if(_S11)
                        {
                            total_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_20));
                        }
                        else
                        {
                            total_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_20];
                        }
                        v_0[7U] = total_0;
                    }
                    mean_0 = largerOf_0(abs(v_0[7U]), largest_3);
                }
                else
                {
                    mean_0 = largest_3;
                }
                base_2 = base_2 + 1024U;
            }
            float _S28 = largestOfGroup_0(mean_0, _S10, 128U, &kernelContext_2);
            f_0.x = scaleFor_0(_S28);
            if(_S10 == 0U)
            {
                float _S29 = f_0.x;
                if(_S11)
                {
                    m_1 = *((&kernelContext_2)->entryPointParams_sum_0+sum_row_0);
                }
                else
                {
                    m_1 = (&kernelContext_2)->entryPointParams_x_0[x_row_0];
                }
                m_1 = _S29 * m_1;
            }
            else
            {
                m_1 = 0.0f;
            }
            float4 _S30 = sumsOfGroup_0(float4(m_1, 0.0f, 0.0f, 0.0f), _S10, entryPointParams_1->a_0.cols_0, &kernelContext_2);
            float m_2 = _S30.x;
            uint pass_0 = 0U;
            y_0 = 0.0f;
            c_1 = 0.0f;
            for(;;)
            {
                if(pass_0 < 2U)
                {
                }
                else
                {
                    break;
                }
                uint base_3 = _S10;
                r_3 = y_0;
                for(;;)
                {
                    if(base_3 < (entryPointParams_1->a_0.cols_0))
                    {
                    }
                    else
                    {
                        break;
                    }
                    if(base_3 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                largest_1 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + base_3));
                            }
                            else
                            {
                                largest_1 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + base_3];
                            }
                            v_0[0U] = largest_1;
                        }
                        float d_8 = v_0[0U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            largest_1 = d_8;
                        }
                        else
                        {
                            largest_1 = d_8 * d_8;
                        }
                        largest_1 = r_3 + largest_1;
                    }
                    else
                    {
                        largest_1 = r_3;
                    }
                    uint j_21 = base_3 + 128U;
                    if(j_21 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                largest_2 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_21));
                            }
                            else
                            {
                                largest_2 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_21];
                            }
                            v_0[1U] = largest_2;
                        }
                        float d_9 = v_0[1U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            largest_2 = d_9;
                        }
                        else
                        {
                            largest_2 = d_9 * d_9;
                        }
                        largest_2 = largest_1 + largest_2;
                    }
                    else
                    {
                        largest_2 = largest_1;
                    }
                    uint j_22 = base_3 + 256U;
                    if(j_22 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                largest_3 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_22));
                            }
                            else
                            {
                                largest_3 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_22];
                            }
                            v_0[2U] = largest_3;
                        }
                        float d_10 = v_0[2U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            largest_3 = d_10;
                        }
                        else
                        {
                            largest_3 = d_10 * d_10;
                        }
                        largest_3 = largest_2 + largest_3;
                    }
                    else
                    {
                        largest_3 = largest_2;
                    }
                    uint j_23 = base_3 + 384U;
                    if(j_23 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                total_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_23));
                            }
                            else
                            {
                                total_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_23];
                            }
                            v_0[3U] = total_0;
                        }
                        float d_11 = v_0[3U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            total_0 = d_11;
                        }
                        else
                        {
                            total_0 = d_11 * d_11;
                        }
                        total_0 = largest_3 + total_0;
                    }
                    else
                    {
                        total_0 = largest_3;
                    }
                    uint j_24 = base_3 + 512U;
                    float total_10;
                    if(j_24 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                total_10 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_24));
                            }
                            else
                            {
                                total_10 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_24];
                            }
                            v_0[4U] = total_10;
                        }
                        float d_12 = v_0[4U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            total_10 = d_12;
                        }
                        else
                        {
                            total_10 = d_12 * d_12;
                        }
                        total_10 = total_0 + total_10;
                    }
                    else
                    {
                        total_10 = total_0;
                    }
                    uint j_25 = base_3 + 640U;
                    float total_11;
                    if(j_25 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                total_11 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_25));
                            }
                            else
                            {
                                total_11 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_25];
                            }
                            v_0[5U] = total_11;
                        }
                        float d_13 = v_0[5U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            total_11 = d_13;
                        }
                        else
                        {
                            total_11 = d_13 * d_13;
                        }
                        total_11 = total_10 + total_11;
                    }
                    else
                    {
                        total_11 = total_10;
                    }
                    uint j_26 = base_3 + 768U;
                    float total_12;
                    if(j_26 < (entryPointParams_1->a_0.cols_0))
                    {
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                total_12 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_26));
                            }
                            else
                            {
                                total_12 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_26];
                            }
                            v_0[6U] = total_12;
                        }
                        float d_14 = v_0[6U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            total_12 = d_14;
                        }
                        else
                        {
                            total_12 = d_14 * d_14;
                        }
                        total_12 = total_11 + total_12;
                    }
                    else
                    {
                        total_12 = total_11;
                    }
                    uint j_27 = base_3 + 896U;
                    if(j_27 < (entryPointParams_1->a_0.cols_0))
                    {
                        float _S31;
                        if(!_S12)
                        {
                            if(_S11)
                            {
                                _S31 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_27));
                            }
                            else
                            {
                                _S31 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_27];
                            }
                            v_0[7U] = _S31;
                        }
                        float d_15 = v_0[7U] * f_0.x - m_2 - c_1;
                        if(pass_0 == 0U)
                        {
                            _S31 = d_15;
                        }
                        else
                        {
                            _S31 = d_15 * d_15;
                        }
                        r_3 = total_12 + _S31;
                    }
                    else
                    {
                        r_3 = total_12;
                    }
                    base_3 = base_3 + 1024U;
                }
                float4 _S32 = sumsOfGroup_0(float4(r_3, 0.0f, 0.0f, 0.0f), _S10, entryPointParams_1->a_0.cols_0, &kernelContext_2);
                float total_13 = meanOf_0(_S32.x, entryPointParams_1->a_0.cols_0);
                if(pass_0 == 0U)
                {
                    c_1 = total_13;
                    y_0 = 0.0f;
                }
                else
                {
                    y_0 = total_13;
                }
                pass_0 = pass_0 + 1U;
            }
            f_0.y = 1.0f / sqrt(y_0 + entryPointParams_1->a_0.eps_0 * f_0.x * f_0.x);
            float _S33 = (m_2 + c_1) / f_0.x;
            float _S34 = keptFactor_0(f_0.y, f_0.x);
            if(y_0 == 0.0f)
            {
                _S26 = (entryPointParams_1->a_0.eps_0) > 0.0f;
            }
            else
            {
                _S26 = false;
            }
            if(_S26)
            {
                f_0.y = 0.0f;
                r_3 = 1.0f / sqrt(entryPointParams_1->a_0.eps_0);
            }
            else
            {
                r_3 = _S34;
            }
            mean_0 = _S33;
            m_1 = m_2;
        }
        else
        {
            mean_0 = _S25;
            r_3 = r_2;
            m_1 = m_0;
            c_1 = c_0;
        }
        if((entryPointParams_1->a_0.stats_at_0) != 4294967295U)
        {
            _S26 = _S10 == 0U;
        }
        else
        {
            _S26 = false;
        }
        if(_S26)
        {
            *((&kernelContext_2)->entryPointParams_stats_0+(entryPointParams_1->a_0.stats_at_0 + i_0 * entryPointParams_1->a_0.stats_stride_0)) = mean_0;
            *((&kernelContext_2)->entryPointParams_stats_0+(entryPointParams_1->a_0.stats_at_0 + i_0 * entryPointParams_1->a_0.stats_stride_0 + 1U)) = r_3;
        }
        if((entryPointParams_1->a_0.out_at_0) == 4294967295U)
        {
            i_0 = i_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S35 = entryPointParams_1->a_0.out_at_0 + i_0 * entryPointParams_1->a_0.out_stride_0;
        base_2 = _S10;
        for(;;)
        {
            if(base_2 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_2 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + base_2));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + base_2];
                    }
                    v_0[0U] = y_0;
                }
                float y_1 = (v_0[0U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_2];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_1 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + base_2];
                }
                else
                {
                    y_0 = y_1;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + base_2)) = y_0;
            }
            uint j_28 = base_2 + 128U;
            if(j_28 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_28));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_28];
                    }
                    v_0[1U] = y_0;
                }
                float y_2 = (v_0[1U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_28];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_2 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_28];
                }
                else
                {
                    y_0 = y_2;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_28)) = y_0;
            }
            uint j_29 = base_2 + 256U;
            if(j_29 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_29));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_29];
                    }
                    v_0[2U] = y_0;
                }
                float y_3 = (v_0[2U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_29];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_3 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_29];
                }
                else
                {
                    y_0 = y_3;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_29)) = y_0;
            }
            uint j_30 = base_2 + 384U;
            if(j_30 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_30));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_30];
                    }
                    v_0[3U] = y_0;
                }
                float y_4 = (v_0[3U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_30];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_4 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_30];
                }
                else
                {
                    y_0 = y_4;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_30)) = y_0;
            }
            uint j_31 = base_2 + 512U;
            if(j_31 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_31));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_31];
                    }
                    v_0[4U] = y_0;
                }
                float y_5 = (v_0[4U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_31];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_5 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_31];
                }
                else
                {
                    y_0 = y_5;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_31)) = y_0;
            }
            uint j_32 = base_2 + 640U;
            if(j_32 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_32));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_32];
                    }
                    v_0[5U] = y_0;
                }
                float y_6 = (v_0[5U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_32];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_6 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_32];
                }
                else
                {
                    y_0 = y_6;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_32)) = y_0;
            }
            uint j_33 = base_2 + 768U;
            if(j_33 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_33));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_33];
                    }
                    v_0[6U] = y_0;
                }
                float y_7 = (v_0[6U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_33];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_7 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_33];
                }
                else
                {
                    y_0 = y_7;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_33)) = y_0;
            }
            uint j_34 = base_2 + 896U;
            if(j_34 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S12)
                {
                    if(_S11)
                    {
                        y_0 = *((&kernelContext_2)->entryPointParams_sum_0+(sum_row_0 + j_34));
                    }
                    else
                    {
                        y_0 = (&kernelContext_2)->entryPointParams_x_0[x_row_0 + j_34];
                    }
                    v_0[7U] = y_0;
                }
                float y_8 = (v_0[7U] * f_0.x - m_1 - c_1) * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_34];
                if((entryPointParams_1->a_0.bias_at_0) != 4294967295U)
                {
                    y_0 = y_8 + (&kernelContext_2)->entryPointParams_bias_0[entryPointParams_1->a_0.bias_at_0 + j_34];
                }
                else
                {
                    y_0 = y_8;
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S35 + j_34)) = y_0;
            }
            base_2 = base_2 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


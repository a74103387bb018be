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

[[kernel]] void rms_norm_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_weight_1 [[buffer(4)]])
{
    float squares_0;
    float squares_1;
    float squares_2;
    float squares_3;
    float squares_4;
    float squares_5;
    float squares_6;
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_2)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_2)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_2)->entryPointParams_weight_0 = entryPointParams_weight_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_2)->shared_values_0 = &shared_values_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_2)->shared_value_0 = &shared_value_1;
    uint _S9 = thread_2.x;
    bool _S10 = (entryPointParams_1->a_0.cols_0) <= 1024U;
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
        uint _S11 = entryPointParams_1->a_0.x_at_0 + i_0 * entryPointParams_1->a_0.x_stride_0;
        thread array<float, int(8)> v_0;
        uint base_0 = _S9;
        float squares_7 = 0.0f;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S12 = (&kernelContext_2)->entryPointParams_x_0[_S11 + base_0];
                v_0[0U] = _S12;
                squares_0 = fma(_S12, _S12, squares_7);
            }
            else
            {
                squares_0 = squares_7;
            }
            uint j_0 = base_0 + 128U;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S13 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_0];
                v_0[1U] = _S13;
                squares_1 = fma(_S13, _S13, squares_0);
            }
            else
            {
                squares_1 = squares_0;
            }
            uint j_1 = base_0 + 256U;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                float _S14 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_1];
                v_0[2U] = _S14;
                squares_2 = fma(_S14, _S14, squares_1);
            }
            else
            {
                squares_2 = squares_1;
            }
            uint j_2 = base_0 + 384U;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                float _S15 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_2];
                v_0[3U] = _S15;
                squares_3 = fma(_S15, _S15, squares_2);
            }
            else
            {
                squares_3 = squares_2;
            }
            uint j_3 = base_0 + 512U;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                float _S16 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_3];
                v_0[4U] = _S16;
                squares_4 = fma(_S16, _S16, squares_3);
            }
            else
            {
                squares_4 = squares_3;
            }
            uint j_4 = base_0 + 640U;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                float _S17 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_4];
                v_0[5U] = _S17;
                squares_5 = fma(_S17, _S17, squares_4);
            }
            else
            {
                squares_5 = squares_4;
            }
            uint j_5 = base_0 + 768U;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                float _S18 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_5];
                v_0[6U] = _S18;
                squares_6 = fma(_S18, _S18, squares_5);
            }
            else
            {
                squares_6 = squares_5;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                float _S19 = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_6];
                v_0[7U] = _S19;
                squares_7 = fma(_S19, _S19, squares_6);
            }
            else
            {
                squares_7 = squares_6;
            }
            base_0 = base_0 + 1024U;
        }
        float4 _S20 = sumsOfGroup_0(float4(squares_7, 0.0f, 0.0f, 0.0f), _S9, entryPointParams_1->a_0.cols_0, &kernelContext_2);
        float r_2 = 1.0f / sqrt(meanOf_0(_S20.x, entryPointParams_1->a_0.cols_0) + entryPointParams_1->a_0.eps_0);
        thread float2 f_0 = float2(1.0f, r_2);
        uint base_1;
        float r_3;
        if(!isUsual_0(r_2))
        {
            float _S21 = sqrt(entryPointParams_1->a_0.eps_0);
            base_1 = _S9;
            r_3 = _S21;
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
                    if(!_S10)
                    {
                        v_0[0U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + base_1];
                    }
                    squares_0 = largerOf_0(abs(v_0[0U]), r_3);
                }
                else
                {
                    squares_0 = r_3;
                }
                uint j_7 = base_1 + 128U;
                if(j_7 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[1U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_7];
                    }
                    squares_1 = largerOf_0(abs(v_0[1U]), squares_0);
                }
                else
                {
                    squares_1 = squares_0;
                }
                uint j_8 = base_1 + 256U;
                if(j_8 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[2U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_8];
                    }
                    squares_2 = largerOf_0(abs(v_0[2U]), squares_1);
                }
                else
                {
                    squares_2 = squares_1;
                }
                uint j_9 = base_1 + 384U;
                if(j_9 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[3U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_9];
                    }
                    squares_3 = largerOf_0(abs(v_0[3U]), squares_2);
                }
                else
                {
                    squares_3 = squares_2;
                }
                uint j_10 = base_1 + 512U;
                if(j_10 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[4U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_10];
                    }
                    squares_4 = largerOf_0(abs(v_0[4U]), squares_3);
                }
                else
                {
                    squares_4 = squares_3;
                }
                uint j_11 = base_1 + 640U;
                if(j_11 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[5U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_11];
                    }
                    squares_5 = largerOf_0(abs(v_0[5U]), squares_4);
                }
                else
                {
                    squares_5 = squares_4;
                }
                uint j_12 = base_1 + 768U;
                if(j_12 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[6U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_12];
                    }
                    squares_6 = largerOf_0(abs(v_0[6U]), squares_5);
                }
                else
                {
                    squares_6 = squares_5;
                }
                uint j_13 = base_1 + 896U;
                if(j_13 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[7U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_13];
                    }
                    r_3 = largerOf_0(abs(v_0[7U]), squares_6);
                }
                else
                {
                    r_3 = squares_6;
                }
                base_1 = base_1 + 1024U;
            }
            float _S22 = largestOfGroup_0(r_3, _S9, 128U, &kernelContext_2);
            f_0.x = scaleFor_0(_S22);
            uint base_2 = _S9;
            squares_0 = 0.0f;
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
                    if(!_S10)
                    {
                        v_0[0U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + base_2];
                    }
                    squares_1 = fma(v_0[0U] * f_0.x, v_0[0U] * f_0.x, squares_0);
                }
                else
                {
                    squares_1 = squares_0;
                }
                uint j_14 = base_2 + 128U;
                if(j_14 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[1U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_14];
                    }
                    squares_2 = fma(v_0[1U] * f_0.x, v_0[1U] * f_0.x, squares_1);
                }
                else
                {
                    squares_2 = squares_1;
                }
                uint j_15 = base_2 + 256U;
                if(j_15 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[2U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_15];
                    }
                    squares_3 = fma(v_0[2U] * f_0.x, v_0[2U] * f_0.x, squares_2);
                }
                else
                {
                    squares_3 = squares_2;
                }
                uint j_16 = base_2 + 384U;
                if(j_16 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[3U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_16];
                    }
                    squares_4 = fma(v_0[3U] * f_0.x, v_0[3U] * f_0.x, squares_3);
                }
                else
                {
                    squares_4 = squares_3;
                }
                uint j_17 = base_2 + 512U;
                if(j_17 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[4U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_17];
                    }
                    squares_5 = fma(v_0[4U] * f_0.x, v_0[4U] * f_0.x, squares_4);
                }
                else
                {
                    squares_5 = squares_4;
                }
                uint j_18 = base_2 + 640U;
                if(j_18 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[5U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_18];
                    }
                    squares_6 = fma(v_0[5U] * f_0.x, v_0[5U] * f_0.x, squares_5);
                }
                else
                {
                    squares_6 = squares_5;
                }
                uint j_19 = base_2 + 768U;
                float squares_8;
                if(j_19 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[6U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_19];
                    }
                    squares_8 = fma(v_0[6U] * f_0.x, v_0[6U] * f_0.x, squares_6);
                }
                else
                {
                    squares_8 = squares_6;
                }
                uint j_20 = base_2 + 896U;
                if(j_20 < (entryPointParams_1->a_0.cols_0))
                {
                    if(!_S10)
                    {
                        v_0[7U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_20];
                    }
                    squares_0 = fma(v_0[7U] * f_0.x, v_0[7U] * f_0.x, squares_8);
                }
                else
                {
                    squares_0 = squares_8;
                }
                base_2 = base_2 + 1024U;
            }
            float4 _S23 = sumsOfGroup_0(float4(squares_0, 0.0f, 0.0f, 0.0f), _S9, entryPointParams_1->a_0.cols_0, &kernelContext_2);
            f_0.y = 1.0f / sqrt(meanOf_0(_S23.x, entryPointParams_1->a_0.cols_0) + entryPointParams_1->a_0.eps_0 * f_0.x * f_0.x);
            r_3 = keptFactor_0(f_0.y, f_0.x);
        }
        else
        {
            r_3 = r_2;
        }
        bool _S24;
        if((entryPointParams_1->a_0.stats_at_0) != 4294967295U)
        {
            _S24 = _S9 == 0U;
        }
        else
        {
            _S24 = false;
        }
        if(_S24)
        {
            *((&kernelContext_2)->entryPointParams_stats_0+(entryPointParams_1->a_0.stats_at_0 + i_0 * entryPointParams_1->a_0.stats_stride_0)) = r_3;
        }
        if((entryPointParams_1->a_0.out_at_0) == 4294967295U)
        {
            i_0 = i_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S25 = entryPointParams_1->a_0.out_at_0 + i_0 * entryPointParams_1->a_0.out_stride_0;
        base_1 = _S9;
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
                if(!_S10)
                {
                    v_0[0U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + base_1];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + base_1)) = v_0[0U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_1];
            }
            uint j_21 = base_1 + 128U;
            if(j_21 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[1U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_21];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_21)) = v_0[1U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_21];
            }
            uint j_22 = base_1 + 256U;
            if(j_22 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[2U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_22];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_22)) = v_0[2U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_22];
            }
            uint j_23 = base_1 + 384U;
            if(j_23 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[3U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_23];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_23)) = v_0[3U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_23];
            }
            uint j_24 = base_1 + 512U;
            if(j_24 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[4U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_24];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_24)) = v_0[4U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_24];
            }
            uint j_25 = base_1 + 640U;
            if(j_25 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[5U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_25];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_25)) = v_0[5U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_25];
            }
            uint j_26 = base_1 + 768U;
            if(j_26 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[6U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_26];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_26)) = v_0[6U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_26];
            }
            uint j_27 = base_1 + 896U;
            if(j_27 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S10)
                {
                    v_0[7U] = (&kernelContext_2)->entryPointParams_x_0[_S11 + j_27];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S25 + j_27)) = v_0[7U] * f_0.x * f_0.y * (&kernelContext_2)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_27];
            }
            base_1 = base_1 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


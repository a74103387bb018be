#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

float largerOf_0(float a_0, float b_0)
{
    bool _S1;
    if(a_0 > b_0)
    {
        _S1 = true;
    }
    else
    {
        _S1 = isNaN_0(a_0);
    }
    float _S2;
    if(_S1)
    {
        _S2 = a_0;
    }
    else
    {
        _S2 = b_0;
    }
    return _S2;
}

uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S3;
        if(half_0 > 0U)
        {
            _S3 = half_0 >= count_0;
        }
        else
        {
            _S3 = false;
        }
        if(_S3)
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
    uint x_at_0;
    uint rows_0;
    uint cols_0;
    uint out_stride_0;
    uint x_stride_0;
};

struct EntryPointParams_0
{
    Forward_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    array<float, int(128)> threadgroup* shared_value_0;
    array<float4, int(128)> threadgroup* shared_values_0;
};

float largestOfGroup_0(float value_0, uint thread_0, uint count_1, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_value_0)[thread_0] = value_0;
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
            (*kernelContext_0->shared_value_0)[thread_0] = largerOf_0((*kernelContext_0->shared_value_0)[thread_0], (*kernelContext_0->shared_value_0)[thread_0 + half_1]);
        }
        half_1 = half_1 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[int(0)];
}

float expOfRest_0(float x_1, float n_0)
{
    float r_0 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_1));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

float expNegative_0(float x_2)
{
    float rounded_0 = fma(x_2, 1.4426950216293335f, 1.2583039e+07f);
    float e_0 = expOfRest_0(x_2, rounded_0 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_0))) << 23U)));
    float _S4;
    if(isNaN_0(x_2))
    {
        _S4 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S4 = 0.0f;
        }
        else
        {
            _S4 = e_0;
        }
    }
    return _S4;
}

float4 sumsOfGroup_0(float4 values_0, uint thread_1, uint count_2, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->shared_values_0)[thread_1] = values_0;
    uint half_2 = firstHalf_0(count_2);
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
            (*kernelContext_1->shared_values_0)[thread_1] = (*kernelContext_1->shared_values_0)[thread_1] + (*kernelContext_1->shared_values_0)[thread_1 + half_2];
        }
        half_2 = half_2 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_1->shared_values_0)[int(0)];
}

float logOf_0(float x_3)
{
    if(isNaN_0(x_3))
    {
        return x_3;
    }
    float _S5;
    if(!(x_3 > 0.0f))
    {
        if(x_3 == 0.0f)
        {
            _S5 = (as_type<float>((4286578688U)));
        }
        else
        {
            _S5 = (as_type<float>((2143289344U)));
        }
        return _S5;
    }
    if(x_3 == (as_type<float>((2139095040U))))
    {
        return x_3;
    }
    bool small_0 = x_3 < 1.17549435082228751e-38f;
    if(small_0)
    {
        _S5 = x_3 * 8.388608e+06f;
    }
    else
    {
        _S5 = x_3;
    }
    uint bits_0 = (as_type<uint>((_S5))) + 4913933U;
    float f_0 = (as_type<float>(((bits_0 & 8388607U) + 1060439283U))) - 1.0f;
    int _S6 = int(bits_0 >> 23U);
    int _S7;
    if(small_0)
    {
        _S7 = int(150);
    }
    else
    {
        _S7 = int(127);
    }
    float k_0 = float(_S6 - _S7);
    float square_0 = f_0 * f_0;
    return fma(k_0, 0.69314718246459961f, f_0 + fma(square_0, -0.5f, fma(square_0 * f_0, fma(fma(fma(fma(fma(fma(fma(-0.07640374451875687f, f_0, 0.12766213715076447f), f_0, -0.13159836828708649f), f_0, 0.14201110601425171f), f_0, -0.16623353958129883f), f_0, 0.20001256465911865f), f_0, -0.250008225440979f), f_0, 0.33333331346511841f), k_0 * -1.90465421212593355e-09f)));
}

[[kernel]] void log_softmax_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    float m_0;
    float m_1;
    float m_2;
    float m_3;
    float m_4;
    float m_5;
    float m_6;
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_2)->entryPointParams_x_0 = entryPointParams_x_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_2)->shared_value_0 = &shared_value_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_2)->shared_values_0 = &shared_values_1;
    uint _S8 = thread_2.x;
    bool _S9 = (entryPointParams_1->a_1.cols_0) <= 1024U;
    uint i_0 = group_0.x;
    for(;;)
    {
        if(i_0 < (entryPointParams_1->a_1.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S10 = entryPointParams_1->a_1.x_at_0 + i_0 * entryPointParams_1->a_1.x_stride_0;
        thread array<float, int(8)> v_0;
        float _S11 = - (as_type<float>((2139095040U)));
        uint base_0 = _S8;
        float m_7 = _S11;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_1.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_0 < (entryPointParams_1->a_1.cols_0))
            {
                float _S12 = (&kernelContext_2)->entryPointParams_x_0[_S10 + base_0];
                v_0[0U] = _S12;
                m_0 = largerOf_0(m_7, _S12);
            }
            else
            {
                m_0 = m_7;
            }
            uint j_0 = base_0 + 128U;
            if(j_0 < (entryPointParams_1->a_1.cols_0))
            {
                float _S13 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_0];
                v_0[1U] = _S13;
                m_1 = largerOf_0(m_0, _S13);
            }
            else
            {
                m_1 = m_0;
            }
            uint j_1 = base_0 + 256U;
            if(j_1 < (entryPointParams_1->a_1.cols_0))
            {
                float _S14 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_1];
                v_0[2U] = _S14;
                m_2 = largerOf_0(m_1, _S14);
            }
            else
            {
                m_2 = m_1;
            }
            uint j_2 = base_0 + 384U;
            if(j_2 < (entryPointParams_1->a_1.cols_0))
            {
                float _S15 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_2];
                v_0[3U] = _S15;
                m_3 = largerOf_0(m_2, _S15);
            }
            else
            {
                m_3 = m_2;
            }
            uint j_3 = base_0 + 512U;
            if(j_3 < (entryPointParams_1->a_1.cols_0))
            {
                float _S16 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_3];
                v_0[4U] = _S16;
                m_4 = largerOf_0(m_3, _S16);
            }
            else
            {
                m_4 = m_3;
            }
            uint j_4 = base_0 + 640U;
            if(j_4 < (entryPointParams_1->a_1.cols_0))
            {
                float _S17 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_4];
                v_0[5U] = _S17;
                m_5 = largerOf_0(m_4, _S17);
            }
            else
            {
                m_5 = m_4;
            }
            uint j_5 = base_0 + 768U;
            if(j_5 < (entryPointParams_1->a_1.cols_0))
            {
                float _S18 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_5];
                v_0[6U] = _S18;
                m_6 = largerOf_0(m_5, _S18);
            }
            else
            {
                m_6 = m_5;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < (entryPointParams_1->a_1.cols_0))
            {
                float _S19 = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_6];
                v_0[7U] = _S19;
                m_7 = largerOf_0(m_6, _S19);
            }
            else
            {
                m_7 = m_6;
            }
            base_0 = base_0 + 1024U;
        }
        float _S20 = largestOfGroup_0(m_7, _S8, entryPointParams_1->a_1.cols_0, &kernelContext_2);
        if(_S20 == _S11)
        {
            m_0 = 0.0f;
        }
        else
        {
            m_0 = _S20;
        }
        uint base_1 = _S8;
        m_1 = 0.0f;
        for(;;)
        {
            if(base_1 < (entryPointParams_1->a_1.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_1 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[0U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + base_1];
                }
                m_2 = m_1 + expNegative_0(v_0[0U] - m_0);
            }
            else
            {
                m_2 = m_1;
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[1U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_7];
                }
                m_3 = m_2 + expNegative_0(v_0[1U] - m_0);
            }
            else
            {
                m_3 = m_2;
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[2U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_8];
                }
                m_4 = m_3 + expNegative_0(v_0[2U] - m_0);
            }
            else
            {
                m_4 = m_3;
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[3U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_9];
                }
                m_5 = m_4 + expNegative_0(v_0[3U] - m_0);
            }
            else
            {
                m_5 = m_4;
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[4U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_10];
                }
                m_6 = m_5 + expNegative_0(v_0[4U] - m_0);
            }
            else
            {
                m_6 = m_5;
            }
            uint j_11 = base_1 + 640U;
            float sum_0;
            if(j_11 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[5U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_11];
                }
                sum_0 = m_6 + expNegative_0(v_0[5U] - m_0);
            }
            else
            {
                sum_0 = m_6;
            }
            uint j_12 = base_1 + 768U;
            float sum_1;
            if(j_12 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[6U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_12];
                }
                sum_1 = sum_0 + expNegative_0(v_0[6U] - m_0);
            }
            else
            {
                sum_1 = sum_0;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[7U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_13];
                }
                m_1 = sum_1 + expNegative_0(v_0[7U] - m_0);
            }
            else
            {
                m_1 = sum_1;
            }
            base_1 = base_1 + 1024U;
        }
        float4 _S21 = sumsOfGroup_0(float4(m_1, 0.0f, 0.0f, 0.0f), _S8, entryPointParams_1->a_1.cols_0, &kernelContext_2);
        float sum_2 = _S21.x;
        if(sum_2 == 0.0f)
        {
            m_2 = 1.0f;
        }
        else
        {
            m_2 = sum_2;
        }
        float _S22 = logOf_0(m_2);
        uint _S23 = entryPointParams_1->a_1.out_at_0 + i_0 * entryPointParams_1->a_1.out_stride_0;
        uint base_2 = _S8;
        for(;;)
        {
            if(base_2 < (entryPointParams_1->a_1.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_2 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[0U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + base_2];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + base_2)) = v_0[0U] - m_0 - _S22;
            }
            uint j_14 = base_2 + 128U;
            if(j_14 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[1U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_14];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_14)) = v_0[1U] - m_0 - _S22;
            }
            uint j_15 = base_2 + 256U;
            if(j_15 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[2U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_15];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_15)) = v_0[2U] - m_0 - _S22;
            }
            uint j_16 = base_2 + 384U;
            if(j_16 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[3U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_16];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_16)) = v_0[3U] - m_0 - _S22;
            }
            uint j_17 = base_2 + 512U;
            if(j_17 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[4U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_17];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_17)) = v_0[4U] - m_0 - _S22;
            }
            uint j_18 = base_2 + 640U;
            if(j_18 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[5U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_18];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_18)) = v_0[5U] - m_0 - _S22;
            }
            uint j_19 = base_2 + 768U;
            if(j_19 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[6U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_19];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_19)) = v_0[6U] - m_0 - _S22;
            }
            uint j_20 = base_2 + 896U;
            if(j_20 < (entryPointParams_1->a_1.cols_0))
            {
                if(!_S9)
                {
                    v_0[7U] = (&kernelContext_2)->entryPointParams_x_0[_S10 + j_20];
                }
                *((&kernelContext_2)->entryPointParams_out_0+(_S23 + j_20)) = v_0[7U] - m_0 - _S22;
            }
            base_2 = base_2 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_1.groups_0;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint seen_0(uint row_0, uint queries_0, uint cols_0)
{
    if(queries_0 == 0U)
    {
        return cols_0;
    }
    uint _S1 = row_0 % queries_0;
    uint end_0 = _S1 + 1U + cols_0;
    uint _S2;
    if(end_0 < queries_0)
    {
        _S2 = 0U;
    }
    else
    {
        _S2 = end_0 - queries_0;
    }
    return _S2;
}

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

float largerOf_0(float a_0, float b_0)
{
    bool _S3;
    if(a_0 > b_0)
    {
        _S3 = true;
    }
    else
    {
        _S3 = isNaN_0(a_0);
    }
    float _S4;
    if(_S3)
    {
        _S4 = a_0;
    }
    else
    {
        _S4 = b_0;
    }
    return _S4;
}

uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S5;
        if(half_0 > 0U)
        {
            _S5 = half_0 >= count_0;
        }
        else
        {
            _S5 = false;
        }
        if(_S5)
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
    uint mask_data_at_0;
    uint mask_kind_0;
    uint mask_rank_0;
    array<uint, int(7)> mask_sizes_0;
    array<int, int(7)> mask_strides_0;
    uint rows_0;
    uint cols_1;
    uint out_stride_0;
    uint x_stride_0;
    uint row_1;
    uint queries_1;
    float scale_0;
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
    uint device* entryPointParams_mask_data_0;
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
    float _S6;
    if(isNaN_0(x_2))
    {
        _S6 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S6 = 0.0f;
        }
        else
        {
            _S6 = e_0;
        }
    }
    return _S6;
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

uint maskRow_0(uint _S7, KernelContext_0 thread* kernelContext_2)
{
    uint i_0 = 0U;
    uint _S8 = _S7;
    int at_0 = int(0);
    for(;;)
    {
        if(i_0 < ((&kernelContext_2->entryPointParams_0->a_1)->mask_rank_0))
        {
        }
        else
        {
            break;
        }
        int _S9 = (&kernelContext_2->entryPointParams_0->a_1)->mask_strides_0[i_0];
        uint _S10 = (&kernelContext_2->entryPointParams_0->a_1)->mask_sizes_0[i_0];
        uint _S11 = _S8 % (&kernelContext_2->entryPointParams_0->a_1)->mask_sizes_0[i_0];
        int at_1 = at_0 + _S9 * int(_S11);
        uint _S12 = _S8 / _S10;
        i_0 = i_0 + 1U;
        _S8 = _S12;
        at_0 = at_1;
    }
    return (&kernelContext_2->entryPointParams_0->a_1)->mask_data_at_0 + uint(at_0);
}

float logit_0(float device* _S13, uint device* _S14, uint _S15, uint _S16, uint _S17, KernelContext_0 thread* kernelContext_3)
{
    uint _S18 = _S15 + _S17;
    float _S19 = (&kernelContext_3->entryPointParams_0->a_1)->scale_0;
    float v_0 = _S13[_S18] * (&kernelContext_3->entryPointParams_0->a_1)->scale_0;
    uint _S20 = (&kernelContext_3->entryPointParams_0->a_1)->mask_kind_0;
    if(((&kernelContext_3->entryPointParams_0->a_1)->mask_kind_0) == 0U)
    {
        return v_0;
    }
    uint m_0 = _S14[_S16 + _S17];
    float _S21;
    if(_S20 == 1U)
    {
        if(m_0 == 0U)
        {
            _S21 = - (as_type<float>((2139095040U)));
        }
        else
        {
            _S21 = v_0;
        }
        return _S21;
    }
    float added_0 = (as_type<float>((m_0)));
    float _S22 = - (as_type<float>((2139095040U)));
    if(added_0 == _S22)
    {
        _S21 = _S22;
    }
    else
    {
        _S21 = fma(_S13[_S18], _S19, added_0);
    }
    return _S21;
}

[[kernel]] void softmax_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], uint device* entryPointParams_mask_data_1 [[buffer(3)]])
{
    float m_1;
    float m_2;
    float m_3;
    float m_4;
    float m_5;
    float m_6;
    float m_7;
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_4)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_4)->entryPointParams_mask_data_0 = entryPointParams_mask_data_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_4)->shared_value_0 = &shared_value_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_4)->shared_values_0 = &shared_values_1;
    uint _S23 = thread_2.x;
    bool _S24 = ((&entryPointParams_1->a_1)->cols_1) <= 1024U;
    uint i_1 = group_0.x;
    for(;;)
    {
        if(i_1 < ((&entryPointParams_1->a_1)->rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S25 = seen_0((&entryPointParams_1->a_1)->row_1 + i_1, (&entryPointParams_1->a_1)->queries_1, (&entryPointParams_1->a_1)->cols_1);
        uint _S26 = min(_S25, (&entryPointParams_1->a_1)->cols_1);
        uint _S27 = (&entryPointParams_1->a_1)->x_at_0 + i_1 * (&entryPointParams_1->a_1)->x_stride_0;
        uint _S28 = (&entryPointParams_1->a_1)->out_at_0 + i_1 * (&entryPointParams_1->a_1)->out_stride_0;
        uint _S29;
        if(((&entryPointParams_1->a_1)->mask_kind_0) == 0U)
        {
            _S29 = 0U;
        }
        else
        {
            uint _S30 = maskRow_0((&entryPointParams_1->a_1)->row_1 + i_1, &kernelContext_4);
            _S29 = _S30;
        }
        thread array<float, int(8)> z_0;
        float _S31 = - (as_type<float>((2139095040U)));
        uint base_0 = _S23;
        float m_8 = _S31;
        for(;;)
        {
            bool _S32 = base_0 < _S26;
            if(_S32)
            {
            }
            else
            {
                break;
            }
            if(_S32)
            {
                float _S33 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, base_0, &kernelContext_4);
                z_0[0U] = _S33;
                m_1 = largerOf_0(m_8, _S33);
            }
            else
            {
                m_1 = m_8;
            }
            uint j_0 = base_0 + 128U;
            if(j_0 < _S26)
            {
                float _S34 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_0, &kernelContext_4);
                z_0[1U] = _S34;
                m_2 = largerOf_0(m_1, _S34);
            }
            else
            {
                m_2 = m_1;
            }
            uint j_1 = base_0 + 256U;
            if(j_1 < _S26)
            {
                float _S35 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_1, &kernelContext_4);
                z_0[2U] = _S35;
                m_3 = largerOf_0(m_2, _S35);
            }
            else
            {
                m_3 = m_2;
            }
            uint j_2 = base_0 + 384U;
            if(j_2 < _S26)
            {
                float _S36 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_2, &kernelContext_4);
                z_0[3U] = _S36;
                m_4 = largerOf_0(m_3, _S36);
            }
            else
            {
                m_4 = m_3;
            }
            uint j_3 = base_0 + 512U;
            if(j_3 < _S26)
            {
                float _S37 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_3, &kernelContext_4);
                z_0[4U] = _S37;
                m_5 = largerOf_0(m_4, _S37);
            }
            else
            {
                m_5 = m_4;
            }
            uint j_4 = base_0 + 640U;
            if(j_4 < _S26)
            {
                float _S38 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_4, &kernelContext_4);
                z_0[5U] = _S38;
                m_6 = largerOf_0(m_5, _S38);
            }
            else
            {
                m_6 = m_5;
            }
            uint j_5 = base_0 + 768U;
            if(j_5 < _S26)
            {
                float _S39 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_5, &kernelContext_4);
                z_0[6U] = _S39;
                m_7 = largerOf_0(m_6, _S39);
            }
            else
            {
                m_7 = m_6;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < _S26)
            {
                float _S40 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_6, &kernelContext_4);
                z_0[7U] = _S40;
                m_8 = largerOf_0(m_7, _S40);
            }
            else
            {
                m_8 = m_7;
            }
            base_0 = base_0 + 1024U;
        }
        float _S41 = largestOfGroup_0(m_8, _S23, _S26, &kernelContext_4);
        uint base_1 = _S23;
        m_1 = 0.0f;
        for(;;)
        {
            bool _S42 = base_1 < _S26;
            if(_S42)
            {
            }
            else
            {
                break;
            }
            if(_S42)
            {
                if(!_S24)
                {
                    float _S43 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, base_1, &kernelContext_4);
                    z_0[0U] = _S43;
                }
                m_2 = m_1 + expNegative_0(z_0[0U] - _S41);
            }
            else
            {
                m_2 = m_1;
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < _S26)
            {
                if(!_S24)
                {
                    float _S44 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_7, &kernelContext_4);
                    z_0[1U] = _S44;
                }
                m_3 = m_2 + expNegative_0(z_0[1U] - _S41);
            }
            else
            {
                m_3 = m_2;
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < _S26)
            {
                if(!_S24)
                {
                    float _S45 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_8, &kernelContext_4);
                    z_0[2U] = _S45;
                }
                m_4 = m_3 + expNegative_0(z_0[2U] - _S41);
            }
            else
            {
                m_4 = m_3;
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < _S26)
            {
                if(!_S24)
                {
                    float _S46 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_9, &kernelContext_4);
                    z_0[3U] = _S46;
                }
                m_5 = m_4 + expNegative_0(z_0[3U] - _S41);
            }
            else
            {
                m_5 = m_4;
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < _S26)
            {
                if(!_S24)
                {
                    float _S47 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_10, &kernelContext_4);
                    z_0[4U] = _S47;
                }
                m_6 = m_5 + expNegative_0(z_0[4U] - _S41);
            }
            else
            {
                m_6 = m_5;
            }
            uint j_11 = base_1 + 640U;
            if(j_11 < _S26)
            {
                if(!_S24)
                {
                    float _S48 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_11, &kernelContext_4);
                    z_0[5U] = _S48;
                }
                m_7 = m_6 + expNegative_0(z_0[5U] - _S41);
            }
            else
            {
                m_7 = m_6;
            }
            uint j_12 = base_1 + 768U;
            float sum_0;
            if(j_12 < _S26)
            {
                if(!_S24)
                {
                    float _S49 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_12, &kernelContext_4);
                    z_0[6U] = _S49;
                }
                sum_0 = m_7 + expNegative_0(z_0[6U] - _S41);
            }
            else
            {
                sum_0 = m_7;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < _S26)
            {
                if(!_S24)
                {
                    float _S50 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_13, &kernelContext_4);
                    z_0[7U] = _S50;
                }
                m_1 = sum_0 + expNegative_0(z_0[7U] - _S41);
            }
            else
            {
                m_1 = sum_0;
            }
            base_1 = base_1 + 1024U;
        }
        float4 _S51 = sumsOfGroup_0(float4(m_1, 0.0f, 0.0f, 0.0f), _S23, _S26, &kernelContext_4);
        float sum_1 = _S51.x;
        bool _S52 = _S41 == _S31;
        if(_S52)
        {
            m_2 = 0.0f;
        }
        else
        {
            m_2 = 1.0f / sum_1;
        }
        uint base_2 = _S23;
        for(;;)
        {
            if(base_2 < ((&entryPointParams_1->a_1)->cols_1))
            {
            }
            else
            {
                break;
            }
            bool _S53;
            bool _S54;
            if(base_2 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = base_2 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S55 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, base_2, &kernelContext_4);
                    z_0[0U] = _S55;
                }
                float device* _S56 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + base_2);
                if(base_2 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[0U] - _S41) * m_2;
                }
                *_S56 = m_3;
            }
            uint j_14 = base_2 + 128U;
            if(j_14 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_14 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S57 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_14, &kernelContext_4);
                    z_0[1U] = _S57;
                }
                float device* _S58 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_14);
                if(j_14 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[1U] - _S41) * m_2;
                }
                *_S58 = m_3;
            }
            uint j_15 = base_2 + 256U;
            if(j_15 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_15 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S59 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_15, &kernelContext_4);
                    z_0[2U] = _S59;
                }
                float device* _S60 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_15);
                if(j_15 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[2U] - _S41) * m_2;
                }
                *_S60 = m_3;
            }
            uint j_16 = base_2 + 384U;
            if(j_16 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_16 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S61 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_16, &kernelContext_4);
                    z_0[3U] = _S61;
                }
                float device* _S62 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_16);
                if(j_16 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[3U] - _S41) * m_2;
                }
                *_S62 = m_3;
            }
            uint j_17 = base_2 + 512U;
            if(j_17 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_17 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S63 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_17, &kernelContext_4);
                    z_0[4U] = _S63;
                }
                float device* _S64 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_17);
                if(j_17 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[4U] - _S41) * m_2;
                }
                *_S64 = m_3;
            }
            uint j_18 = base_2 + 640U;
            if(j_18 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_18 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S65 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_18, &kernelContext_4);
                    z_0[5U] = _S65;
                }
                float device* _S66 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_18);
                if(j_18 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[5U] - _S41) * m_2;
                }
                *_S66 = m_3;
            }
            uint j_19 = base_2 + 768U;
            if(j_19 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_19 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S67 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_19, &kernelContext_4);
                    z_0[6U] = _S67;
                }
                float device* _S68 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_19);
                if(j_19 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[6U] - _S41) * m_2;
                }
                *_S68 = m_3;
            }
            uint j_20 = base_2 + 896U;
            if(j_20 < ((&entryPointParams_1->a_1)->cols_1))
            {
                if(!_S24)
                {
                    _S53 = j_20 < _S26;
                }
                else
                {
                    _S53 = false;
                }
                if(_S53)
                {
                    float _S69 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S27, _S29, j_20, &kernelContext_4);
                    z_0[7U] = _S69;
                }
                float device* _S70 = (&kernelContext_4)->entryPointParams_out_0+(_S28 + j_20);
                if(j_20 >= _S26)
                {
                    _S54 = true;
                }
                else
                {
                    _S54 = _S52;
                }
                if(_S54)
                {
                    m_3 = 0.0f;
                }
                else
                {
                    m_3 = expNegative_0(z_0[7U] - _S41) * m_2;
                }
                *_S70 = m_3;
            }
            base_2 = base_2 + 1024U;
        }
        i_1 = i_1 + (&entryPointParams_1->a_1)->groups_0;
    }
    return;
}


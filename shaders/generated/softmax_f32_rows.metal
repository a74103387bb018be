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
};

float maxOfGroup_0(float value_0, uint thread_0, KernelContext_0 thread* kernelContext_0)
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
            (*kernelContext_0->shared_value_0)[thread_0] = largerOf_0((*kernelContext_0->shared_value_0)[thread_0], (*kernelContext_0->shared_value_0)[thread_0 + half_0]);
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[int(0)];
}

float sumOfGroup_0(float value_1, uint thread_1, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->shared_value_0)[thread_1] = value_1;
    uint half_1 = 64U;
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
        if(thread_1 < half_1)
        {
            (*kernelContext_1->shared_value_0)[thread_1] = (*kernelContext_1->shared_value_0)[thread_1] + (*kernelContext_1->shared_value_0)[thread_1 + half_1];
        }
        half_1 = half_1 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_1->shared_value_0)[int(0)];
}

uint maskRow_0(uint _S5, KernelContext_0 thread* kernelContext_2)
{
    uint i_0 = 0U;
    uint _S6 = _S5;
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
        int _S7 = (&kernelContext_2->entryPointParams_0->a_1)->mask_strides_0[i_0];
        uint _S8 = (&kernelContext_2->entryPointParams_0->a_1)->mask_sizes_0[i_0];
        uint _S9 = _S6 % (&kernelContext_2->entryPointParams_0->a_1)->mask_sizes_0[i_0];
        int at_1 = at_0 + _S7 * int(_S9);
        uint _S10 = _S6 / _S8;
        i_0 = i_0 + 1U;
        _S6 = _S10;
        at_0 = at_1;
    }
    return (&kernelContext_2->entryPointParams_0->a_1)->mask_data_at_0 + uint(at_0);
}

float logit_0(float device* _S11, uint device* _S12, uint _S13, uint _S14, uint _S15, KernelContext_0 thread* kernelContext_3)
{
    uint _S16 = _S13 + _S15;
    float _S17 = (&kernelContext_3->entryPointParams_0->a_1)->scale_0;
    float v_0 = _S11[_S16] * (&kernelContext_3->entryPointParams_0->a_1)->scale_0;
    uint _S18 = (&kernelContext_3->entryPointParams_0->a_1)->mask_kind_0;
    if(((&kernelContext_3->entryPointParams_0->a_1)->mask_kind_0) == 0U)
    {
        return v_0;
    }
    uint m_0 = _S12[_S14 + _S15];
    float _S19;
    if(_S18 == 1U)
    {
        if(m_0 == 0U)
        {
            _S19 = - (as_type<float>((2139095040U)));
        }
        else
        {
            _S19 = v_0;
        }
        return _S19;
    }
    float added_0 = (as_type<float>((m_0)));
    float _S20 = - (as_type<float>((2139095040U)));
    if(added_0 == _S20)
    {
        _S19 = _S20;
    }
    else
    {
        _S19 = fma(_S11[_S16], _S17, added_0);
    }
    return _S19;
}

[[kernel]] void softmax_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], uint device* entryPointParams_mask_data_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_4)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_4)->entryPointParams_mask_data_0 = entryPointParams_mask_data_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_4)->shared_value_0 = &shared_value_1;
    uint _S21 = thread_2.x;
    uint i_1 = group_0.x;
    for(;;)
    {
        if(i_1 < ((&(&kernelContext_4)->entryPointParams_0->a_1)->rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S22 = seen_0((&(&kernelContext_4)->entryPointParams_0->a_1)->row_1 + i_1, (&(&kernelContext_4)->entryPointParams_0->a_1)->queries_1, (&(&kernelContext_4)->entryPointParams_0->a_1)->cols_1);
        uint _S23 = min(_S22, (&(&kernelContext_4)->entryPointParams_0->a_1)->cols_1);
        uint _S24 = (&(&kernelContext_4)->entryPointParams_0->a_1)->x_at_0 + i_1 * (&(&kernelContext_4)->entryPointParams_0->a_1)->x_stride_0;
        uint _S25 = (&(&kernelContext_4)->entryPointParams_0->a_1)->out_at_0 + i_1 * (&(&kernelContext_4)->entryPointParams_0->a_1)->out_stride_0;
        uint _S26;
        if(((&(&kernelContext_4)->entryPointParams_0->a_1)->mask_kind_0) == 0U)
        {
            _S26 = 0U;
        }
        else
        {
            uint _S27 = maskRow_0((&(&kernelContext_4)->entryPointParams_0->a_1)->row_1 + i_1, &kernelContext_4);
            _S26 = _S27;
        }
        float _S28 = - (as_type<float>((2139095040U)));
        float m_1 = _S28;
        uint j_0 = _S21;
        for(;;)
        {
            if(j_0 < _S23)
            {
            }
            else
            {
                break;
            }
            float _S29 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S24, _S26, j_0, &kernelContext_4);
            float _S30 = largerOf_0(m_1, _S29);
            uint j_1 = j_0 + 128U;
            m_1 = _S30;
            j_0 = j_1;
        }
        float _S31 = maxOfGroup_0(m_1, _S21, &kernelContext_4);
        uint j_2 = _S21;
        float sum_0 = 0.0f;
        for(;;)
        {
            if(j_2 < _S23)
            {
            }
            else
            {
                break;
            }
            float _S32 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S24, _S26, j_2, &kernelContext_4);
            float sum_1 = sum_0 + exp(_S32 - _S31);
            j_2 = j_2 + 128U;
            sum_0 = sum_1;
        }
        float _S33 = sumOfGroup_0(sum_0, _S21, &kernelContext_4);
        bool _S34 = _S31 == _S28;
        float _S35;
        if(_S34)
        {
            _S35 = 0.0f;
        }
        else
        {
            _S35 = 1.0f / _S33;
        }
        uint j_3 = _S21;
        for(;;)
        {
            if(j_3 < ((&(&kernelContext_4)->entryPointParams_0->a_1)->cols_1))
            {
            }
            else
            {
                break;
            }
            float z_0;
            if(j_3 < _S23)
            {
                float _S36 = logit_0((&kernelContext_4)->entryPointParams_x_0, (&kernelContext_4)->entryPointParams_mask_data_0, _S24, _S26, j_3, &kernelContext_4);
                z_0 = _S36;
            }
            else
            {
                z_0 = _S28;
            }
            float device* _S37 = (&kernelContext_4)->entryPointParams_out_0+(_S25 + j_3);
            bool _S38;
            if(_S34)
            {
                _S38 = true;
            }
            else
            {
                _S38 = z_0 == _S28;
            }
            float _S39;
            if(_S38)
            {
                _S39 = 0.0f;
            }
            else
            {
                _S39 = exp(z_0 - _S31) * _S35;
            }
            *_S37 = _S39;
            j_3 = j_3 + 128U;
        }
        i_1 = i_1 + (&(&kernelContext_4)->entryPointParams_0->a_1)->groups_0;
    }
    return;
}


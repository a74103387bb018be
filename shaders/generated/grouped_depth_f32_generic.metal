#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
void listed_0(const array<array<float, int(4)>, int(4)> thread* sum_0, array<float, int(16)> thread* list_0)
{
    (*list_0)[int(0)] = (*sum_0)[int(0)][int(0)];
    (*list_0)[int(1)] = (*sum_0)[int(0)][int(1)];
    (*list_0)[int(2)] = (*sum_0)[int(0)][int(2)];
    (*list_0)[int(3)] = (*sum_0)[int(0)][int(3)];
    (*list_0)[int(4)] = (*sum_0)[int(1)][int(0)];
    (*list_0)[int(5)] = (*sum_0)[int(1)][int(1)];
    (*list_0)[int(6)] = (*sum_0)[int(1)][int(2)];
    (*list_0)[int(7)] = (*sum_0)[int(1)][int(3)];
    (*list_0)[int(8)] = (*sum_0)[int(2)][int(0)];
    (*list_0)[int(9)] = (*sum_0)[int(2)][int(1)];
    (*list_0)[int(10)] = (*sum_0)[int(2)][int(2)];
    (*list_0)[int(11)] = (*sum_0)[int(2)][int(3)];
    (*list_0)[int(12)] = (*sum_0)[int(3)][int(0)];
    (*list_0)[int(13)] = (*sum_0)[int(3)][int(1)];
    (*list_0)[int(14)] = (*sum_0)[int(3)][int(2)];
    (*list_0)[int(15)] = (*sum_0)[int(3)][int(3)];
    return;
}

struct Stretch_0
{
    uint e_0;
    uint begin_0;
    uint end_0;
    bool empty_0;
};

Stretch_0 Stretch_x24init_0(uint e_1, uint begin_1, uint end_1, bool empty_1)
{
    thread Stretch_0 _S1;
    (&_S1)->e_0 = e_1;
    (&_S1)->begin_0 = begin_1;
    (&_S1)->end_0 = end_1;
    (&_S1)->empty_0 = empty_1;
    return _S1;
}

Stretch_0 stretchOf_0(uint device* bounds_0, uint bounds_at_0, uint experts_0, uint part_0, uint index_0)
{
    uint e_2 = index_0 % experts_0;
    uint _S2 = index_0 / experts_0;
    uint from_0 = _S2 * part_0;
    uint _S3 = bounds_at_0 + e_2;
    uint begin_2 = bounds_0[_S3];
    uint end_2 = bounds_0[_S3 + 1U];
    thread Stretch_0 s_0;
    uint _S4 = begin_2 + from_0;
    bool _S5;
    if(from_0 > 0U)
    {
        _S5 = from_0 >= (end_2 - begin_2);
    }
    else
    {
        _S5 = false;
    }
    s_0 = Stretch_x24init_0(e_2, _S4, end_2, _S5);
    if(!(&s_0)->empty_0)
    {
        (&s_0)->end_0 = min(end_2, (&s_0)->begin_0 + part_0);
    }
    return s_0;
}

struct Operand_0
{
    uint at_0;
    int next_0;
    int along_0;
    uint count_0;
};

Operand_0 Operand_x24init_0(uint at_1, int next_1, int along_1, uint count_1)
{
    thread Operand_0 _S6;
    (&_S6)->at_0 = at_1;
    (&_S6)->next_0 = next_1;
    (&_S6)->along_0 = along_1;
    (&_S6)->count_0 = count_1;
    return _S6;
}

struct Depth_0
{
    uint groups_0;
    uint c_at_0;
    uint a_at_0;
    uint b_at_0;
    uint bounds_at_1;
    uint m_0;
    uint n_0;
    int a_row_0;
    int a_col_0;
    int b_row_0;
    int b_col_0;
    uint ldc_0;
    uint c_expert_0;
    uint experts_1;
    uint accumulate_0;
    uint parts_0;
    uint part_1;
};

Operand_0 leftOf_0(const Depth_0 constant* p_0, uint begin_3, uint row_0)
{
    return Operand_x24init_0(uint(int(p_0->a_at_0) + int(begin_3) * p_0->a_col_0 + int(row_0) * p_0->a_row_0), p_0->a_row_0, p_0->a_col_0, p_0->m_0 - row_0);
}

Operand_0 rightOf_0(const Depth_0 constant* p_1, uint begin_4, uint col_0)
{
    return Operand_x24init_0(uint(int(p_1->b_at_0) + int(begin_4) * p_1->b_row_0 + int(col_0) * p_1->b_col_0), p_1->b_col_0, p_1->b_row_0, p_1->n_0 - col_0);
}

float tileElement_0(float device* x_0, const Operand_0 thread* o_0, uint2 place_0, uint k0_0, uint k_0)
{
    uint _S7 = place_0.x;
    bool _S8;
    if(_S7 < (o_0->count_0))
    {
        _S8 = (k0_0 + place_0.y) < k_0;
    }
    else
    {
        _S8 = false;
    }
    float v_0;
    if(_S8)
    {
        v_0 = x_0[o_0->at_0 + uint(int(_S7) * o_0->next_0 + int(k0_0 + place_0.y) * o_0->along_0)];
    }
    else
    {
        v_0 = 0.0f;
    }
    return v_0;
}

struct EntryPointParams_0
{
    Depth_0 p_2;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_a_0;
    float device* entryPointParams_b_0;
    uint device* entryPointParams_bounds_0;
    array<float, int(528)> threadgroup* plain_a_0;
    array<float, int(528)> threadgroup* plain_b_0;
};

void plainSums_0(array<array<float, int(4)>, int(4)> thread* sum_1, float device* a_0, const Operand_0 thread* x_1, float device* b_0, const Operand_0 thread* y_0, uint k_1, uint t_0, KernelContext_0 thread* kernelContext_0)
{
    (*sum_1)[int(0)][int(0)] = 0.0f;
    (*sum_1)[int(0)][int(1)] = 0.0f;
    (*sum_1)[int(0)][int(2)] = 0.0f;
    (*sum_1)[int(0)][int(3)] = 0.0f;
    (*sum_1)[int(1)][int(0)] = 0.0f;
    (*sum_1)[int(1)][int(1)] = 0.0f;
    (*sum_1)[int(1)][int(2)] = 0.0f;
    (*sum_1)[int(1)][int(3)] = 0.0f;
    (*sum_1)[int(2)][int(0)] = 0.0f;
    (*sum_1)[int(2)][int(1)] = 0.0f;
    (*sum_1)[int(2)][int(2)] = 0.0f;
    (*sum_1)[int(2)][int(3)] = 0.0f;
    (*sum_1)[int(3)][int(0)] = 0.0f;
    (*sum_1)[int(3)][int(1)] = 0.0f;
    (*sum_1)[int(3)][int(2)] = 0.0f;
    (*sum_1)[int(3)][int(3)] = 0.0f;
    uint k0_1 = 0U;
    for(;;)
    {
        if(k0_1 < k_1)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint e_3 = t_0;
        for(;;)
        {
            if(e_3 < 512U)
            {
            }
            else
            {
                break;
            }
            uint2 to_0;
            if((x_1->along_0) == int(1))
            {
                to_0 = uint2(e_3 / 16U, e_3 % 16U);
            }
            else
            {
                to_0 = uint2(e_3 % 32U, e_3 / 32U);
            }
            float _S9 = tileElement_0(a_0, x_1, to_0, k0_1, k_1);
            (*kernelContext_0->plain_a_0)[to_0.y * 33U + to_0.x] = _S9;
            uint2 to_1;
            if((y_0->along_0) == int(1))
            {
                to_1 = uint2(e_3 / 16U, e_3 % 16U);
            }
            else
            {
                to_1 = uint2(e_3 % 32U, e_3 / 32U);
            }
            float _S10 = tileElement_0(b_0, y_0, to_1, k0_1, k_1);
            (*kernelContext_0->plain_b_0)[to_1.y * 33U + to_1.x] = _S10;
            e_3 = e_3 + 64U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S11 = min(16U, k_1 - k0_1);
        uint d_0 = 0U;
        for(;;)
        {
            if(d_0 < _S11)
            {
            }
            else
            {
                break;
            }
            uint _S12 = d_0 * 33U;
            uint _S13 = _S12 + t_0 % 8U * 4U;
            (*sum_1)[int(0)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S13], (*sum_1)[int(0)][int(0)]);
            (*sum_1)[int(0)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S13 + 1U], (*sum_1)[int(0)][int(1)]);
            (*sum_1)[int(0)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S13 + 2U], (*sum_1)[int(0)][int(2)]);
            (*sum_1)[int(0)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S13 + 3U], (*sum_1)[int(0)][int(3)]);
            (*sum_1)[int(1)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S13], (*sum_1)[int(1)][int(0)]);
            (*sum_1)[int(1)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S13 + 1U], (*sum_1)[int(1)][int(1)]);
            (*sum_1)[int(1)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S13 + 2U], (*sum_1)[int(1)][int(2)]);
            (*sum_1)[int(1)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S13 + 3U], (*sum_1)[int(1)][int(3)]);
            (*sum_1)[int(2)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S13], (*sum_1)[int(2)][int(0)]);
            (*sum_1)[int(2)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S13 + 1U], (*sum_1)[int(2)][int(1)]);
            (*sum_1)[int(2)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S13 + 2U], (*sum_1)[int(2)][int(2)]);
            (*sum_1)[int(2)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S13 + 3U], (*sum_1)[int(2)][int(3)]);
            (*sum_1)[int(3)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S13], (*sum_1)[int(3)][int(0)]);
            (*sum_1)[int(3)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S13 + 1U], (*sum_1)[int(3)][int(1)]);
            (*sum_1)[int(3)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S13 + 2U], (*sum_1)[int(3)][int(2)]);
            (*sum_1)[int(3)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S12 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S13 + 3U], (*sum_1)[int(3)][int(3)]);
            d_0 = d_0 + 1U;
        }
        k0_1 = k0_1 + 16U;
    }
    return;
}

void putOwn_0(const Depth_0 constant* p_3, float device* c_0, uint index_1, uint e_4, uint row_1, uint col_1, float sum_2)
{
    uint _S14 = p_3->m_0;
    bool _S15;
    if(row_1 >= (p_3->m_0))
    {
        _S15 = true;
    }
    else
    {
        _S15 = col_1 >= (p_3->n_0);
    }
    if(_S15)
    {
        return;
    }
    if((p_3->parts_0) > 1U)
    {
        *(c_0+(p_3->c_at_0 + (index_1 * _S14 + row_1) * p_3->n_0 + col_1)) = sum_2;
        return;
    }
    uint at_2 = p_3->c_at_0 + e_4 * p_3->c_expert_0 + row_1 * p_3->ldc_0 + col_1;
    float device* _S16 = c_0+at_2;
    float _S17;
    if((p_3->accumulate_0) != 0U)
    {
        _S17 = sum_2 + *(c_0+at_2);
    }
    else
    {
        _S17 = sum_2;
    }
    *_S16 = _S17;
    return;
}

[[kernel]] void grouped_depth_f32_generic(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], uint device* entryPointParams_bounds_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_1)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_1)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_1)->entryPointParams_bounds_0 = entryPointParams_bounds_1;
    threadgroup array<float, int(528)> plain_a_1;
    (&kernelContext_1)->plain_a_0 = &plain_a_1;
    threadgroup array<float, int(528)> plain_b_1;
    (&kernelContext_1)->plain_b_0 = &plain_b_1;
    uint _S18 = thread_0.x;
    uint _S19 = (entryPointParams_1->p_2.n_0 + 31U) / 32U;
    uint _S20 = (entryPointParams_1->p_2.m_0 + 31U) / 32U;
    uint job_0 = group_0.x;
    for(;;)
    {
        uint _S21 = _S19 * _S20;
        if(job_0 < (_S21 * entryPointParams_1->p_2.experts_1 * entryPointParams_1->p_2.parts_0))
        {
        }
        else
        {
            break;
        }
        uint index_2 = job_0 / _S21;
        uint _S22 = job_0 / _S19;
        uint _S23 = _S22 % _S20;
        uint row0_0 = _S23 * 32U;
        uint _S24 = job_0 % _S19;
        uint col0_0 = _S24 * 32U;
        Stretch_0 s_1 = stretchOf_0((&kernelContext_1)->entryPointParams_bounds_0, entryPointParams_1->p_2.bounds_at_1, entryPointParams_1->p_2.experts_1, entryPointParams_1->p_2.part_1, index_2);
        if(s_1.empty_0)
        {
            job_0 = job_0 + entryPointParams_1->p_2.groups_0;
            continue;
        }
        Operand_0 _S25 = leftOf_0(&entryPointParams_1->p_2, s_1.begin_0, row0_0);
        Operand_0 _S26 = rightOf_0(&entryPointParams_1->p_2, s_1.begin_0, col0_0);
        uint _S27 = s_1.end_0 - s_1.begin_0;
        thread Operand_0 _S28 = _S25;
        thread Operand_0 _S29 = _S26;
        thread array<array<float, int(4)>, int(4)> sum_3;
        plainSums_0(&sum_3, (&kernelContext_1)->entryPointParams_a_0, &_S28, (&kernelContext_1)->entryPointParams_b_0, &_S29, _S27, _S18, &kernelContext_1);
        thread array<array<float, int(4)>, int(4)> _S30 = sum_3;
        thread array<float, int(16)> list_1;
        listed_0(&_S30, &list_1);
        uint i_0 = 0U;
        for(;;)
        {
            if(i_0 < 16U)
            {
            }
            else
            {
                break;
            }
            putOwn_0(&entryPointParams_1->p_2, (&kernelContext_1)->entryPointParams_c_0, index_2, s_1.e_0, row0_0 + _S18 / 8U * 4U + i_0 / 4U, col0_0 + _S18 % 8U * 4U + i_0 % 4U, list_1[i_0]);
            i_0 = i_0 + 1U;
        }
        job_0 = job_0 + entryPointParams_1->p_2.groups_0;
    }
    return;
}


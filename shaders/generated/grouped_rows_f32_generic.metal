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

struct Rows_0
{
    uint groups_0;
    uint c_at_0;
    uint a_at_0;
    uint b_at_0;
    uint bias_at_0;
    uint bounds_at_0;
    uint tiles_at_0;
    uint m_0;
    uint n_0;
    uint k_0;
    int a_row_0;
    int a_col_0;
    int b_row_0;
    int b_col_0;
    int b_expert_0;
    uint ldc_0;
    uint bias_stride_0;
    uint experts_0;
    uint tiles_max_0;
    uint accumulate_0;
};

uint expertOf_0(uint device* bounds_0, const Rows_0 constant* p_0, uint row_0)
{
    uint _S1 = p_0->experts_0 - 1U;
    uint low_0 = 0U;
    uint high_0 = _S1;
    for(;;)
    {
        if(low_0 < high_0)
        {
        }
        else
        {
            break;
        }
        uint middle_0 = (low_0 + high_0) / 2U;
        if(row_0 < bounds_0[p_0->bounds_at_0 + middle_0 + 1U])
        {
            high_0 = middle_0;
        }
        else
        {
            low_0 = middle_0 + 1U;
        }
    }
    return low_0;
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
    thread Operand_0 _S2;
    (&_S2)->at_0 = at_1;
    (&_S2)->next_0 = next_1;
    (&_S2)->along_0 = along_1;
    (&_S2)->count_0 = count_1;
    return _S2;
}

Operand_0 rowsOf_0(const Rows_0 constant* p_1, uint row_1, uint count_2)
{
    return Operand_x24init_0(uint(int(p_1->a_at_0) + int(row_1) * p_1->a_row_0), p_1->a_row_0, p_1->a_col_0, count_2);
}

Operand_0 weightOf_0(const Rows_0 constant* p_2, uint e_0, uint col_0)
{
    return Operand_x24init_0(uint(int(p_2->b_at_0) + int(e_0) * p_2->b_expert_0 + int(col_0) * p_2->b_col_0), p_2->b_col_0, p_2->b_row_0, p_2->n_0 - col_0);
}

float tileElement_0(float device* x_0, const Operand_0 thread* o_0, uint2 place_0, uint k0_0, uint k_1)
{
    uint _S3 = place_0.x;
    bool _S4;
    if(_S3 < (o_0->count_0))
    {
        _S4 = (k0_0 + place_0.y) < k_1;
    }
    else
    {
        _S4 = false;
    }
    float v_0;
    if(_S4)
    {
        v_0 = x_0[o_0->at_0 + uint(int(_S3) * o_0->next_0 + int(k0_0 + place_0.y) * o_0->along_0)];
    }
    else
    {
        v_0 = 0.0f;
    }
    return v_0;
}

struct EntryPointParams_0
{
    Rows_0 p_3;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_a_0;
    float device* entryPointParams_b_0;
    float device* entryPointParams_bias_0;
    uint device* entryPointParams_bounds_0;
    array<float, int(528)> threadgroup* plain_a_0;
    array<float, int(528)> threadgroup* plain_b_0;
};

void plainSums_0(array<array<float, int(4)>, int(4)> thread* sum_1, float device* a_0, const Operand_0 thread* x_1, float device* b_0, const Operand_0 thread* y_0, uint k_2, uint t_0, KernelContext_0 thread* kernelContext_0)
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
        if(k0_1 < k_2)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint e_1 = t_0;
        for(;;)
        {
            if(e_1 < 512U)
            {
            }
            else
            {
                break;
            }
            uint2 to_0;
            if((x_1->along_0) == int(1))
            {
                to_0 = uint2(e_1 / 16U, e_1 % 16U);
            }
            else
            {
                to_0 = uint2(e_1 % 32U, e_1 / 32U);
            }
            float _S5 = tileElement_0(a_0, x_1, to_0, k0_1, k_2);
            (*kernelContext_0->plain_a_0)[to_0.y * 33U + to_0.x] = _S5;
            uint2 to_1;
            if((y_0->along_0) == int(1))
            {
                to_1 = uint2(e_1 / 16U, e_1 % 16U);
            }
            else
            {
                to_1 = uint2(e_1 % 32U, e_1 / 32U);
            }
            float _S6 = tileElement_0(b_0, y_0, to_1, k0_1, k_2);
            (*kernelContext_0->plain_b_0)[to_1.y * 33U + to_1.x] = _S6;
            e_1 = e_1 + 64U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S7 = min(16U, k_2 - k0_1);
        uint d_0 = 0U;
        for(;;)
        {
            if(d_0 < _S7)
            {
            }
            else
            {
                break;
            }
            uint _S8 = d_0 * 33U;
            uint _S9 = _S8 + t_0 % 8U * 4U;
            (*sum_1)[int(0)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S9], (*sum_1)[int(0)][int(0)]);
            (*sum_1)[int(0)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S9 + 1U], (*sum_1)[int(0)][int(1)]);
            (*sum_1)[int(0)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S9 + 2U], (*sum_1)[int(0)][int(2)]);
            (*sum_1)[int(0)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S9 + 3U], (*sum_1)[int(0)][int(3)]);
            (*sum_1)[int(1)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S9], (*sum_1)[int(1)][int(0)]);
            (*sum_1)[int(1)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S9 + 1U], (*sum_1)[int(1)][int(1)]);
            (*sum_1)[int(1)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S9 + 2U], (*sum_1)[int(1)][int(2)]);
            (*sum_1)[int(1)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S9 + 3U], (*sum_1)[int(1)][int(3)]);
            (*sum_1)[int(2)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S9], (*sum_1)[int(2)][int(0)]);
            (*sum_1)[int(2)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S9 + 1U], (*sum_1)[int(2)][int(1)]);
            (*sum_1)[int(2)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S9 + 2U], (*sum_1)[int(2)][int(2)]);
            (*sum_1)[int(2)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S9 + 3U], (*sum_1)[int(2)][int(3)]);
            (*sum_1)[int(3)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S9], (*sum_1)[int(3)][int(0)]);
            (*sum_1)[int(3)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S9 + 1U], (*sum_1)[int(3)][int(1)]);
            (*sum_1)[int(3)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S9 + 2U], (*sum_1)[int(3)][int(2)]);
            (*sum_1)[int(3)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S8 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S9 + 3U], (*sum_1)[int(3)][int(3)]);
            d_0 = d_0 + 1U;
        }
        k0_1 = k0_1 + 16U;
    }
    return;
}

void put_0(const Rows_0 constant* p_4, float device* c_0, float device* bias_0, uint e_2, uint row_2, uint row_end_0, uint col_1, float sum_2)
{
    bool _S10;
    if(row_2 >= row_end_0)
    {
        _S10 = true;
    }
    else
    {
        _S10 = col_1 >= (p_4->n_0);
    }
    if(_S10)
    {
        return;
    }
    uint at_2 = p_4->c_at_0 + row_2 * p_4->ldc_0 + col_1;
    float v_1;
    if((p_4->accumulate_0) != 0U)
    {
        v_1 = sum_2 + *(c_0+at_2);
    }
    else
    {
        v_1 = sum_2;
    }
    uint _S11 = p_4->bias_at_0;
    if((p_4->bias_at_0) != 4294967295U)
    {
        v_1 = v_1 + bias_0[_S11 + e_2 * p_4->bias_stride_0 + col_1];
    }
    *(c_0+at_2) = v_1;
    return;
}

[[kernel]] void grouped_rows_f32_generic(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], float device* entryPointParams_bias_1 [[buffer(4)]], uint device* entryPointParams_bounds_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_1)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_1)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_1)->entryPointParams_bias_0 = entryPointParams_bias_1;
    (&kernelContext_1)->entryPointParams_bounds_0 = entryPointParams_bounds_1;
    threadgroup array<float, int(528)> plain_a_1;
    (&kernelContext_1)->plain_a_0 = &plain_a_1;
    threadgroup array<float, int(528)> plain_b_1;
    (&kernelContext_1)->plain_b_0 = &plain_b_1;
    uint _S12 = thread_0.x;
    uint across_0 = (entryPointParams_1->p_3.n_0 + 31U) / 32U;
    uint _S13 = (entryPointParams_1->p_3.m_0 + 31U) / 32U * across_0;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < _S13)
        {
        }
        else
        {
            break;
        }
        uint _S14 = job_0 / across_0;
        uint row0_0 = _S14 * 32U;
        uint _S15 = min(entryPointParams_1->p_3.m_0, row0_0 + 32U);
        uint _S16 = job_0 % across_0;
        uint col0_0 = _S16 * 32U;
        uint _S17 = expertOf_0((&kernelContext_1)->entryPointParams_bounds_0, &entryPointParams_1->p_3, row0_0);
        uint _S18 = _S15 - 1U;
        uint _S19 = expertOf_0((&kernelContext_1)->entryPointParams_bounds_0, &entryPointParams_1->p_3, _S18);
        uint i_0;
        if(_S17 == _S19)
        {
            Operand_0 _S20 = rowsOf_0(&entryPointParams_1->p_3, row0_0, _S15 - row0_0);
            Operand_0 _S21 = weightOf_0(&entryPointParams_1->p_3, _S17, col0_0);
            thread Operand_0 _S22 = _S20;
            thread Operand_0 _S23 = _S21;
            thread array<array<float, int(4)>, int(4)> sum_3;
            plainSums_0(&sum_3, (&kernelContext_1)->entryPointParams_a_0, &_S22, (&kernelContext_1)->entryPointParams_b_0, &_S23, entryPointParams_1->p_3.k_0, _S12, &kernelContext_1);
            thread array<array<float, int(4)>, int(4)> _S24 = sum_3;
            thread array<float, int(16)> list_1;
            listed_0(&_S24, &list_1);
            i_0 = 0U;
            for(;;)
            {
                if(i_0 < 16U)
                {
                }
                else
                {
                    break;
                }
                put_0(&entryPointParams_1->p_3, (&kernelContext_1)->entryPointParams_c_0, (&kernelContext_1)->entryPointParams_bias_0, _S17, row0_0 + _S12 / 8U * 4U + i_0 / 4U, _S15, col0_0 + _S12 % 8U * 4U + i_0 % 4U, list_1[i_0]);
                i_0 = i_0 + 1U;
            }
        }
        else
        {
            i_0 = 0U;
            for(;;)
            {
                if(i_0 < 16U)
                {
                }
                else
                {
                    break;
                }
                uint _S25 = min(row0_0 + _S12 / 8U * 4U + i_0 / 4U, _S18);
                uint _S26 = col0_0 + _S12 % 8U * 4U + i_0 % 4U;
                uint _S27 = min(_S26, entryPointParams_1->p_3.n_0 - 1U);
                uint _S28 = expertOf_0((&kernelContext_1)->entryPointParams_bounds_0, &entryPointParams_1->p_3, _S25);
                Operand_0 _S29 = rowsOf_0(&entryPointParams_1->p_3, _S25, 1U);
                Operand_0 _S30 = weightOf_0(&entryPointParams_1->p_3, _S28, _S27);
                float sum_4 = 0.0f;
                uint k_3 = 0U;
                for(;;)
                {
                    if(k_3 < (entryPointParams_1->p_3.k_0))
                    {
                    }
                    else
                    {
                        break;
                    }
                    int _S31 = int(k_3);
                    float _S32 = fma((&kernelContext_1)->entryPointParams_a_0[_S29.at_0 + uint(_S31 * _S29.along_0)], (&kernelContext_1)->entryPointParams_b_0[_S30.at_0 + uint(_S31 * _S30.along_0)], sum_4);
                    uint _S33 = k_3 + 1U;
                    sum_4 = _S32;
                    k_3 = _S33;
                }
                put_0(&entryPointParams_1->p_3, (&kernelContext_1)->entryPointParams_c_0, (&kernelContext_1)->entryPointParams_bias_0, _S28, row0_0 + _S12 / 8U * 4U + i_0 / 4U, _S15, _S26, sum_4);
                i_0 = i_0 + 1U;
            }
        }
        job_0 = job_0 + entryPointParams_1->p_3.groups_0;
    }
    return;
}


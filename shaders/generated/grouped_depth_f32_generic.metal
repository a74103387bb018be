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

struct Operand_0
{
    uint at_0;
    int next_0;
    int along_0;
    uint count_0;
};

Operand_0 Operand_x24init_0(uint at_1, int next_1, int along_1, uint count_1)
{
    thread Operand_0 _S1;
    (&_S1)->at_0 = at_1;
    (&_S1)->next_0 = next_1;
    (&_S1)->along_0 = along_1;
    (&_S1)->count_0 = count_1;
    return _S1;
}

struct Depth_0
{
    uint groups_0;
    uint c_at_0;
    uint a_at_0;
    uint b_at_0;
    uint bounds_at_0;
    uint m_0;
    uint n_0;
    int a_row_0;
    int a_col_0;
    int b_row_0;
    int b_col_0;
    uint ldc_0;
    uint c_expert_0;
    uint experts_0;
    uint accumulate_0;
};

Operand_0 leftOf_0(const Depth_0 constant* p_0, uint begin_0, uint row_0)
{
    return Operand_x24init_0(uint(int(p_0->a_at_0) + int(begin_0) * p_0->a_col_0 + int(row_0) * p_0->a_row_0), p_0->a_row_0, p_0->a_col_0, p_0->m_0 - row_0);
}

Operand_0 rightOf_0(const Depth_0 constant* p_1, uint begin_1, uint col_0)
{
    return Operand_x24init_0(uint(int(p_1->b_at_0) + int(begin_1) * p_1->b_row_0 + int(col_0) * p_1->b_col_0), p_1->b_col_0, p_1->b_row_0, p_1->n_0 - col_0);
}

float tileElement_0(float device* x_0, const Operand_0 thread* o_0, uint2 place_0, uint k0_0, uint k_0)
{
    uint _S2 = place_0.x;
    bool _S3;
    if(_S2 < (o_0->count_0))
    {
        _S3 = (k0_0 + place_0.y) < k_0;
    }
    else
    {
        _S3 = false;
    }
    float v_0;
    if(_S3)
    {
        v_0 = x_0[o_0->at_0 + uint(int(_S2) * o_0->next_0 + int(k0_0 + place_0.y) * o_0->along_0)];
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
        uint e_0 = t_0;
        for(;;)
        {
            if(e_0 < 512U)
            {
            }
            else
            {
                break;
            }
            uint2 to_0;
            if((x_1->along_0) == int(1))
            {
                to_0 = uint2(e_0 / 16U, e_0 % 16U);
            }
            else
            {
                to_0 = uint2(e_0 % 32U, e_0 / 32U);
            }
            float _S4 = tileElement_0(a_0, x_1, to_0, k0_1, k_1);
            (*kernelContext_0->plain_a_0)[to_0.y * 33U + to_0.x] = _S4;
            uint2 to_1;
            if((y_0->along_0) == int(1))
            {
                to_1 = uint2(e_0 / 16U, e_0 % 16U);
            }
            else
            {
                to_1 = uint2(e_0 % 32U, e_0 / 32U);
            }
            float _S5 = tileElement_0(b_0, y_0, to_1, k0_1, k_1);
            (*kernelContext_0->plain_b_0)[to_1.y * 33U + to_1.x] = _S5;
            e_0 = e_0 + 64U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S6 = min(16U, k_1 - k0_1);
        uint d_0 = 0U;
        for(;;)
        {
            if(d_0 < _S6)
            {
            }
            else
            {
                break;
            }
            uint _S7 = d_0 * 33U;
            uint _S8 = _S7 + t_0 % 8U * 4U;
            (*sum_1)[int(0)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S8], (*sum_1)[int(0)][int(0)]);
            (*sum_1)[int(0)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S8 + 1U], (*sum_1)[int(0)][int(1)]);
            (*sum_1)[int(0)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S8 + 2U], (*sum_1)[int(0)][int(2)]);
            (*sum_1)[int(0)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U], (*kernelContext_0->plain_b_0)[_S8 + 3U], (*sum_1)[int(0)][int(3)]);
            (*sum_1)[int(1)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S8], (*sum_1)[int(1)][int(0)]);
            (*sum_1)[int(1)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S8 + 1U], (*sum_1)[int(1)][int(1)]);
            (*sum_1)[int(1)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S8 + 2U], (*sum_1)[int(1)][int(2)]);
            (*sum_1)[int(1)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 1U], (*kernelContext_0->plain_b_0)[_S8 + 3U], (*sum_1)[int(1)][int(3)]);
            (*sum_1)[int(2)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S8], (*sum_1)[int(2)][int(0)]);
            (*sum_1)[int(2)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S8 + 1U], (*sum_1)[int(2)][int(1)]);
            (*sum_1)[int(2)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S8 + 2U], (*sum_1)[int(2)][int(2)]);
            (*sum_1)[int(2)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 2U], (*kernelContext_0->plain_b_0)[_S8 + 3U], (*sum_1)[int(2)][int(3)]);
            (*sum_1)[int(3)][int(0)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S8], (*sum_1)[int(3)][int(0)]);
            (*sum_1)[int(3)][int(1)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S8 + 1U], (*sum_1)[int(3)][int(1)]);
            (*sum_1)[int(3)][int(2)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S8 + 2U], (*sum_1)[int(3)][int(2)]);
            (*sum_1)[int(3)][int(3)] = fma((*kernelContext_0->plain_a_0)[_S7 + t_0 / 8U * 4U + 3U], (*kernelContext_0->plain_b_0)[_S8 + 3U], (*sum_1)[int(3)][int(3)]);
            d_0 = d_0 + 1U;
        }
        k0_1 = k0_1 + 16U;
    }
    return;
}

void putOwn_0(const Depth_0 constant* p_3, float device* c_0, uint e_1, uint row_1, uint col_1, float sum_2)
{
    bool _S9;
    if(row_1 >= (p_3->m_0))
    {
        _S9 = true;
    }
    else
    {
        _S9 = col_1 >= (p_3->n_0);
    }
    if(_S9)
    {
        return;
    }
    uint at_2 = p_3->c_at_0 + e_1 * p_3->c_expert_0 + row_1 * p_3->ldc_0 + col_1;
    float device* _S10 = c_0+at_2;
    float _S11;
    if((p_3->accumulate_0) != 0U)
    {
        _S11 = sum_2 + *(c_0+at_2);
    }
    else
    {
        _S11 = sum_2;
    }
    *_S10 = _S11;
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
    uint _S12 = thread_0.x;
    uint _S13 = (entryPointParams_1->p_2.n_0 + 31U) / 32U;
    uint _S14 = (entryPointParams_1->p_2.m_0 + 31U) / 32U;
    uint job_0 = group_0.x;
    for(;;)
    {
        uint _S15 = _S13 * _S14;
        if(job_0 < (_S15 * entryPointParams_1->p_2.experts_0))
        {
        }
        else
        {
            break;
        }
        uint e_2 = job_0 / _S15;
        uint _S16 = job_0 / _S13;
        uint _S17 = _S16 % _S14;
        uint row0_0 = _S17 * 32U;
        uint _S18 = job_0 % _S13;
        uint col0_0 = _S18 * 32U;
        uint begin_2 = (&kernelContext_1)->entryPointParams_bounds_0[entryPointParams_1->p_2.bounds_at_0 + e_2];
        uint end_0 = (&kernelContext_1)->entryPointParams_bounds_0[entryPointParams_1->p_2.bounds_at_0 + e_2 + 1U];
        Operand_0 _S19 = leftOf_0(&entryPointParams_1->p_2, begin_2, row0_0);
        Operand_0 _S20 = rightOf_0(&entryPointParams_1->p_2, begin_2, col0_0);
        uint _S21 = end_0 - begin_2;
        thread Operand_0 _S22 = _S19;
        thread Operand_0 _S23 = _S20;
        thread array<array<float, int(4)>, int(4)> sum_3;
        plainSums_0(&sum_3, (&kernelContext_1)->entryPointParams_a_0, &_S22, (&kernelContext_1)->entryPointParams_b_0, &_S23, _S21, _S12, &kernelContext_1);
        thread array<array<float, int(4)>, int(4)> _S24 = sum_3;
        thread array<float, int(16)> list_1;
        listed_0(&_S24, &list_1);
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
            putOwn_0(&entryPointParams_1->p_2, (&kernelContext_1)->entryPointParams_c_0, e_2, row0_0 + _S12 / 8U * 4U + i_0 / 4U, col0_0 + _S12 % 8U * 4U + i_0 % 4U, list_1[i_0]);
            i_0 = i_0 + 1U;
        }
        job_0 = job_0 + entryPointParams_1->p_2.groups_0;
    }
    return;
}


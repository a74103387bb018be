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
    uint parts_0;
    uint part_0;
};

struct EntryPointParams_0
{
    Depth_0 p_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_a_0;
    float device* entryPointParams_b_0;
    uint device* entryPointParams_bounds_0;
    array<float, int(1056)> threadgroup* tile_a_0;
    array<float, int(1056)> threadgroup* tile_b_0;
};

uint2 tileSource_0(uint t_0, uint width_0, bool along_1)
{
    uint2 _S1;
    if(along_1)
    {
        _S1 = uint2(t_0 / 8U, t_0 % 8U);
    }
    else
    {
        uint _S2 = t_0 % width_0;
        uint _S3 = t_0 / width_0;
        _S1 = uint2(_S2, _S3);
    }
    return _S1;
}

float tileElement_0(float device* x_0, const Operand_0 thread* o_0, uint2 place_0, uint k0_0, uint k_0)
{
    uint _S4 = place_0.x;
    bool _S5;
    if(_S4 < (o_0->count_0))
    {
        _S5 = (k0_0 + place_0.y) < k_0;
    }
    else
    {
        _S5 = false;
    }
    float v_0;
    if(_S5)
    {
        v_0 = x_0[o_0->at_0 + uint(int(_S4) * o_0->next_0 + int(k0_0 + place_0.y) * o_0->along_0)];
    }
    else
    {
        v_0 = 0.0f;
    }
    return v_0;
}

uint tilePlace_0(uint i_0, uint t_1)
{
    return i_0 / 4U * 64U + t_1 * 4U + i_0 % 4U;
}

void tileSums_0(array<array<float, int(4)>, int(4)> thread* sum_1, float device* a_0, const Operand_0 thread* x_1, float device* b_0, const Operand_0 thread* y_0, uint k_1, uint t_2, KernelContext_0 thread* kernelContext_0)
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
        bool _S6 = (x_1->along_0) == int(1);
        uint2 to_0 = tileSource_0(t_2, 64U, _S6);
        float _S7 = tileElement_0(a_0, x_1, to_0, k0_1, k_1);
        (*kernelContext_0->tile_a_0)[to_0.y * 68U + to_0.x] = _S7;
        bool _S8 = (y_0->along_0) == int(1);
        uint2 to_1 = tileSource_0(t_2, 64U, _S8);
        float _S9 = tileElement_0(b_0, y_0, to_1, k0_1, k_1);
        (*kernelContext_0->tile_b_0)[to_1.y * 68U + to_1.x] = _S9;
        uint _S10 = 256U + t_2;
        uint2 to_2 = tileSource_0(_S10, 64U, _S6);
        float _S11 = tileElement_0(a_0, x_1, to_2, k0_1, k_1);
        (*kernelContext_0->tile_a_0)[to_2.y * 68U + to_2.x] = _S11;
        uint2 to_3 = tileSource_0(_S10, 64U, _S8);
        float _S12 = tileElement_0(b_0, y_0, to_3, k0_1, k_1);
        (*kernelContext_0->tile_b_0)[to_3.y * 68U + to_3.x] = _S12;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S13 = min(8U, k_1 - k0_1);
        uint d_0 = 0U;
        for(;;)
        {
            if(d_0 < _S13)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(4)> u_0;
            thread array<float, int(4)> v_1;
            uint _S14 = d_0 * 68U;
            float _S15 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(0U, t_2 / 16U)];
            u_0[int(0)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(0U, t_2 / 16U)];
            float _S16 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(1U, t_2 / 16U)];
            u_0[int(1)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(1U, t_2 / 16U)];
            float _S17 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(2U, t_2 / 16U)];
            u_0[int(2)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(2U, t_2 / 16U)];
            float _S18 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(3U, t_2 / 16U)];
            u_0[int(3)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(3U, t_2 / 16U)];
            uint _S19 = t_2 % 16U;
            float _S20 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(0U, _S19)];
            v_1[int(0)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(0U, _S19)];
            float _S21 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(1U, _S19)];
            v_1[int(1)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(1U, _S19)];
            float _S22 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(2U, _S19)];
            v_1[int(2)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(2U, _S19)];
            float _S23 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(3U, _S19)];
            v_1[int(3)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(3U, _S19)];
            (*sum_1)[int(0)][int(0)] = fma(_S15, _S20, (*sum_1)[int(0)][int(0)]);
            (*sum_1)[int(0)][int(1)] = fma(_S15, _S21, (*sum_1)[int(0)][int(1)]);
            (*sum_1)[int(0)][int(2)] = fma(_S15, _S22, (*sum_1)[int(0)][int(2)]);
            (*sum_1)[int(0)][int(3)] = fma(_S15, _S23, (*sum_1)[int(0)][int(3)]);
            (*sum_1)[int(1)][int(0)] = fma(_S16, _S20, (*sum_1)[int(1)][int(0)]);
            (*sum_1)[int(1)][int(1)] = fma(_S16, _S21, (*sum_1)[int(1)][int(1)]);
            (*sum_1)[int(1)][int(2)] = fma(_S16, _S22, (*sum_1)[int(1)][int(2)]);
            (*sum_1)[int(1)][int(3)] = fma(_S16, _S23, (*sum_1)[int(1)][int(3)]);
            (*sum_1)[int(2)][int(0)] = fma(_S17, _S20, (*sum_1)[int(2)][int(0)]);
            (*sum_1)[int(2)][int(1)] = fma(_S17, _S21, (*sum_1)[int(2)][int(1)]);
            (*sum_1)[int(2)][int(2)] = fma(_S17, _S22, (*sum_1)[int(2)][int(2)]);
            (*sum_1)[int(2)][int(3)] = fma(_S17, _S23, (*sum_1)[int(2)][int(3)]);
            (*sum_1)[int(3)][int(0)] = fma(_S18, _S20, (*sum_1)[int(3)][int(0)]);
            (*sum_1)[int(3)][int(1)] = fma(_S18, _S21, (*sum_1)[int(3)][int(1)]);
            (*sum_1)[int(3)][int(2)] = fma(_S18, _S22, (*sum_1)[int(3)][int(2)]);
            (*sum_1)[int(3)][int(3)] = fma(_S18, _S23, (*sum_1)[int(3)][int(3)]);
            d_0 = d_0 + 1U;
        }
        k0_1 = k0_1 + 8U;
    }
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
    thread Stretch_0 _S24;
    (&_S24)->e_0 = e_1;
    (&_S24)->begin_0 = begin_1;
    (&_S24)->end_0 = end_1;
    (&_S24)->empty_0 = empty_1;
    return _S24;
}

Stretch_0 stretchOf_0(uint device* bounds_0, uint bounds_at_1, uint experts_1, uint part_1, uint index_0)
{
    uint e_2 = index_0 % experts_1;
    uint _S25 = index_0 / experts_1;
    uint from_0 = _S25 * part_1;
    uint _S26 = bounds_at_1 + e_2;
    uint begin_2 = bounds_0[_S26];
    uint end_2 = bounds_0[_S26 + 1U];
    thread Stretch_0 s_0;
    uint _S27 = begin_2 + from_0;
    bool _S28;
    if(from_0 > 0U)
    {
        _S28 = from_0 >= (end_2 - begin_2);
    }
    else
    {
        _S28 = false;
    }
    s_0 = Stretch_x24init_0(e_2, _S27, end_2, _S28);
    if(!(&s_0)->empty_0)
    {
        (&s_0)->end_0 = min(end_2, (&s_0)->begin_0 + part_1);
    }
    return s_0;
}

Operand_0 Operand_x24init_0(uint at_1, int next_1, int along_2, uint count_1)
{
    thread Operand_0 _S29;
    (&_S29)->at_0 = at_1;
    (&_S29)->next_0 = next_1;
    (&_S29)->along_0 = along_2;
    (&_S29)->count_0 = count_1;
    return _S29;
}

Operand_0 leftOf_0(const Depth_0 constant* p_1, uint begin_3, uint row_0)
{
    return Operand_x24init_0(uint(int(p_1->a_at_0) + int(begin_3) * p_1->a_col_0 + int(row_0) * p_1->a_row_0), p_1->a_row_0, p_1->a_col_0, p_1->m_0 - row_0);
}

Operand_0 rightOf_0(const Depth_0 constant* p_2, uint begin_4, uint col_0)
{
    return Operand_x24init_0(uint(int(p_2->b_at_0) + int(begin_4) * p_2->b_row_0 + int(col_0) * p_2->b_col_0), p_2->b_col_0, p_2->b_row_0, p_2->n_0 - col_0);
}

void putOwn_0(const Depth_0 constant* p_3, float device* c_0, uint index_1, uint e_3, uint row_1, uint col_1, float sum_2)
{
    uint _S30 = p_3->m_0;
    bool _S31;
    if(row_1 >= (p_3->m_0))
    {
        _S31 = true;
    }
    else
    {
        _S31 = col_1 >= (p_3->n_0);
    }
    if(_S31)
    {
        return;
    }
    if((p_3->parts_0) > 1U)
    {
        *(c_0+(p_3->c_at_0 + (index_1 * _S30 + row_1) * p_3->n_0 + col_1)) = sum_2;
        return;
    }
    uint at_2 = p_3->c_at_0 + e_3 * p_3->c_expert_0 + row_1 * p_3->ldc_0 + col_1;
    float device* _S32 = c_0+at_2;
    float _S33;
    if((p_3->accumulate_0) != 0U)
    {
        _S33 = sum_2 + *(c_0+at_2);
    }
    else
    {
        _S33 = sum_2;
    }
    *_S32 = _S33;
    return;
}

[[kernel]] void grouped_depth_f32_tiled(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], uint device* entryPointParams_bounds_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_1)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_1)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_1)->entryPointParams_bounds_0 = entryPointParams_bounds_1;
    threadgroup array<float, int(1056)> tile_a_1;
    (&kernelContext_1)->tile_a_0 = &tile_a_1;
    threadgroup array<float, int(1056)> tile_b_1;
    (&kernelContext_1)->tile_b_0 = &tile_b_1;
    uint _S34 = thread_0.x;
    uint _S35 = (entryPointParams_1->p_0.n_0 + 63U) / 64U;
    uint _S36 = (entryPointParams_1->p_0.m_0 + 63U) / 64U;
    uint job_0 = group_0.x;
    for(;;)
    {
        uint _S37 = _S35 * _S36;
        if(job_0 < (_S37 * entryPointParams_1->p_0.experts_0 * entryPointParams_1->p_0.parts_0))
        {
        }
        else
        {
            break;
        }
        uint index_2 = job_0 / _S37;
        uint _S38 = job_0 / _S35;
        uint _S39 = _S38 % _S36;
        uint row0_0 = _S39 * 64U;
        uint _S40 = job_0 % _S35;
        uint col0_0 = _S40 * 64U;
        Stretch_0 s_1 = stretchOf_0((&kernelContext_1)->entryPointParams_bounds_0, entryPointParams_1->p_0.bounds_at_0, entryPointParams_1->p_0.experts_0, entryPointParams_1->p_0.part_0, index_2);
        if(s_1.empty_0)
        {
            job_0 = job_0 + entryPointParams_1->p_0.groups_0;
            continue;
        }
        Operand_0 _S41 = leftOf_0(&entryPointParams_1->p_0, s_1.begin_0, row0_0);
        Operand_0 _S42 = rightOf_0(&entryPointParams_1->p_0, s_1.begin_0, col0_0);
        uint _S43 = s_1.end_0 - s_1.begin_0;
        thread Operand_0 _S44 = _S41;
        thread Operand_0 _S45 = _S42;
        thread array<array<float, int(4)>, int(4)> sum_3;
        tileSums_0(&sum_3, (&kernelContext_1)->entryPointParams_a_0, &_S44, (&kernelContext_1)->entryPointParams_b_0, &_S45, _S43, _S34, &kernelContext_1);
        thread array<array<float, int(4)>, int(4)> _S46 = sum_3;
        thread array<float, int(16)> list_1;
        listed_0(&_S46, &list_1);
        uint i_1 = 0U;
        for(;;)
        {
            if(i_1 < 16U)
            {
            }
            else
            {
                break;
            }
            putOwn_0(&entryPointParams_1->p_0, (&kernelContext_1)->entryPointParams_c_0, index_2, s_1.e_0, row0_0 + tilePlace_0(i_1 / 4U, _S34 / 16U), col0_0 + tilePlace_0(i_1 % 4U, _S34 % 16U), list_1[i_1]);
            i_1 = i_1 + 1U;
        }
        job_0 = job_0 + entryPointParams_1->p_0.groups_0;
    }
    return;
}


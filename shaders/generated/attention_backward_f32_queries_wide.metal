#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
void listed_0(const array<array<float, int(8)>, int(4)> thread* sum_0, array<float, int(32)> thread* list_0)
{
    (*list_0)[0U] = (*sum_0)[0U][int(0)];
    (*list_0)[1U] = (*sum_0)[0U][int(1)];
    (*list_0)[2U] = (*sum_0)[0U][int(2)];
    (*list_0)[3U] = (*sum_0)[0U][int(3)];
    (*list_0)[4U] = (*sum_0)[0U][int(4)];
    (*list_0)[5U] = (*sum_0)[0U][int(5)];
    (*list_0)[6U] = (*sum_0)[0U][int(6)];
    (*list_0)[7U] = (*sum_0)[0U][int(7)];
    (*list_0)[8U] = (*sum_0)[1U][int(0)];
    (*list_0)[9U] = (*sum_0)[1U][int(1)];
    (*list_0)[10U] = (*sum_0)[1U][int(2)];
    (*list_0)[11U] = (*sum_0)[1U][int(3)];
    (*list_0)[12U] = (*sum_0)[1U][int(4)];
    (*list_0)[13U] = (*sum_0)[1U][int(5)];
    (*list_0)[14U] = (*sum_0)[1U][int(6)];
    (*list_0)[15U] = (*sum_0)[1U][int(7)];
    (*list_0)[16U] = (*sum_0)[2U][int(0)];
    (*list_0)[17U] = (*sum_0)[2U][int(1)];
    (*list_0)[18U] = (*sum_0)[2U][int(2)];
    (*list_0)[19U] = (*sum_0)[2U][int(3)];
    (*list_0)[20U] = (*sum_0)[2U][int(4)];
    (*list_0)[21U] = (*sum_0)[2U][int(5)];
    (*list_0)[22U] = (*sum_0)[2U][int(6)];
    (*list_0)[23U] = (*sum_0)[2U][int(7)];
    (*list_0)[24U] = (*sum_0)[3U][int(0)];
    (*list_0)[25U] = (*sum_0)[3U][int(1)];
    (*list_0)[26U] = (*sum_0)[3U][int(2)];
    (*list_0)[27U] = (*sum_0)[3U][int(3)];
    (*list_0)[28U] = (*sum_0)[3U][int(4)];
    (*list_0)[29U] = (*sum_0)[3U][int(5)];
    (*list_0)[30U] = (*sum_0)[3U][int(6)];
    (*list_0)[31U] = (*sum_0)[3U][int(7)];
    return;
}

struct Queries_0
{
    uint groups_0;
    uint dq_at_0;
    uint delta_at_0;
    uint stats_at_0;
    uint dy_at_0;
    uint q_at_0;
    uint k_at_0;
    uint v_at_0;
    uint mask_at_0;
    uint q_bounds_at_0;
    uint k_bounds_at_0;
    uint tiles_at_0;
    uint sheet_at_0;
};

struct EntryPointParams_0
{
    Queries_0 a_0;
};

struct Sheet_0
{
    int q_batch_0;
    int q_head_0;
    int q_row_0;
    int k_batch_0;
    int k_head_0;
    int k_row_0;
    int v_batch_0;
    int v_head_0;
    int v_row_0;
    int out_batch_0;
    int out_head_0;
    int out_row_0;
    int dy_batch_0;
    int dy_head_0;
    int dy_row_0;
    int dq_batch_0;
    int dq_head_0;
    int dq_row_0;
    int dk_batch_0;
    int dk_head_0;
    int dk_row_0;
    int dv_batch_0;
    int dv_head_0;
    int dv_row_0;
    uint mask_kind_0;
    int mask_batch_0;
    int mask_head_0;
    int mask_query_0;
    int mask_key_0;
    uint sequences_0;
    uint heads_0;
    uint group_0;
    uint queries_0;
    uint keys_0;
    uint width_0;
    int left_0;
    int right_0;
    uint step_0;
    float scale_0;
    uint query_tiles_0;
    uint key_tiles_0;
    uint parts_0;
    uint part_keys_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dq_0;
    float device* entryPointParams_delta_0;
    float device* entryPointParams_stats_0;
    float device* entryPointParams_dy_0;
    float device* entryPointParams_q_0;
    float device* entryPointParams_k_0;
    float device* entryPointParams_v_0;
    uint device* entryPointParams_mask_0;
    uint device* entryPointParams_q_bounds_0;
    uint device* entryPointParams_k_bounds_0;
    uint device* entryPointParams_tiles_0;
    Sheet_0 device* entryPointParams_sheet_0;
    array<float, int(2080)> threadgroup* tile_of_0;
    array<float, int(32)> threadgroup* row_max_0;
    array<float, int(32)> threadgroup* row_sum_0;
    array<float, int(32)> threadgroup* row_keep_0;
    array<float, int(544)> threadgroup* left_tile_0;
    array<float, int(1088)> threadgroup* right_tile_0;
};

void add_0(array<array<float, int(8)>, int(4)> thread* sum_1, float device* y_0, uint y_at_0, int y_row_0, uint count_0, uint width_1, uint col0_0, uint t_0, KernelContext_0 thread* kernelContext_0)
{
    thread array<uint, int(8)> col_0;
    uint _S1 = col0_0 + t_0 % 16U;
    uint _S2 = max(width_1, 1U) - 1U;
    col_0[int(0)] = min(_S1, _S2);
    col_0[int(1)] = min(_S1 + 16U, _S2);
    col_0[int(2)] = min(_S1 + 32U, _S2);
    col_0[int(3)] = min(_S1 + 48U, _S2);
    col_0[int(4)] = min(_S1 + 64U, _S2);
    col_0[int(5)] = min(_S1 + 80U, _S2);
    col_0[int(6)] = min(_S1 + 96U, _S2);
    col_0[int(7)] = min(_S1 + 112U, _S2);
    if(width_1 == 0U)
    {
        return;
    }
    uint j_0 = 0U;
    for(;;)
    {
        if(j_0 < count_0)
        {
        }
        else
        {
            break;
        }
        uint _S3 = uint(int(y_at_0) + int(j_0) * y_row_0);
        thread array<float, int(4)> p_0;
        float _S4 = (*kernelContext_0->tile_of_0)[t_0 / 16U * 4U * 65U + j_0];
        p_0[0U] = (*kernelContext_0->tile_of_0)[t_0 / 16U * 4U * 65U + j_0];
        float _S5 = (*kernelContext_0->tile_of_0)[(t_0 / 16U * 4U + 1U) * 65U + j_0];
        p_0[1U] = (*kernelContext_0->tile_of_0)[(t_0 / 16U * 4U + 1U) * 65U + j_0];
        float _S6 = (*kernelContext_0->tile_of_0)[(t_0 / 16U * 4U + 2U) * 65U + j_0];
        p_0[2U] = (*kernelContext_0->tile_of_0)[(t_0 / 16U * 4U + 2U) * 65U + j_0];
        float _S7 = (*kernelContext_0->tile_of_0)[(t_0 / 16U * 4U + 3U) * 65U + j_0];
        p_0[3U] = (*kernelContext_0->tile_of_0)[(t_0 / 16U * 4U + 3U) * 65U + j_0];
        float _S8 = y_0[_S3 + col_0[int(0)]];
        (*sum_1)[0U][int(0)] = fma(_S4, _S8, (*sum_1)[0U][int(0)]);
        (*sum_1)[1U][int(0)] = fma(_S5, _S8, (*sum_1)[1U][int(0)]);
        (*sum_1)[2U][int(0)] = fma(_S6, _S8, (*sum_1)[2U][int(0)]);
        (*sum_1)[3U][int(0)] = fma(_S7, _S8, (*sum_1)[3U][int(0)]);
        float _S9 = y_0[_S3 + col_0[int(1)]];
        (*sum_1)[0U][int(1)] = fma(_S4, _S9, (*sum_1)[0U][int(1)]);
        (*sum_1)[1U][int(1)] = fma(_S5, _S9, (*sum_1)[1U][int(1)]);
        (*sum_1)[2U][int(1)] = fma(_S6, _S9, (*sum_1)[2U][int(1)]);
        (*sum_1)[3U][int(1)] = fma(_S7, _S9, (*sum_1)[3U][int(1)]);
        float _S10 = y_0[_S3 + col_0[int(2)]];
        (*sum_1)[0U][int(2)] = fma(_S4, _S10, (*sum_1)[0U][int(2)]);
        (*sum_1)[1U][int(2)] = fma(_S5, _S10, (*sum_1)[1U][int(2)]);
        (*sum_1)[2U][int(2)] = fma(_S6, _S10, (*sum_1)[2U][int(2)]);
        (*sum_1)[3U][int(2)] = fma(_S7, _S10, (*sum_1)[3U][int(2)]);
        float _S11 = y_0[_S3 + col_0[int(3)]];
        (*sum_1)[0U][int(3)] = fma(_S4, _S11, (*sum_1)[0U][int(3)]);
        (*sum_1)[1U][int(3)] = fma(_S5, _S11, (*sum_1)[1U][int(3)]);
        (*sum_1)[2U][int(3)] = fma(_S6, _S11, (*sum_1)[2U][int(3)]);
        (*sum_1)[3U][int(3)] = fma(_S7, _S11, (*sum_1)[3U][int(3)]);
        float _S12 = y_0[_S3 + col_0[int(4)]];
        (*sum_1)[0U][int(4)] = fma(_S4, _S12, (*sum_1)[0U][int(4)]);
        (*sum_1)[1U][int(4)] = fma(_S5, _S12, (*sum_1)[1U][int(4)]);
        (*sum_1)[2U][int(4)] = fma(_S6, _S12, (*sum_1)[2U][int(4)]);
        (*sum_1)[3U][int(4)] = fma(_S7, _S12, (*sum_1)[3U][int(4)]);
        float _S13 = y_0[_S3 + col_0[int(5)]];
        (*sum_1)[0U][int(5)] = fma(_S4, _S13, (*sum_1)[0U][int(5)]);
        (*sum_1)[1U][int(5)] = fma(_S5, _S13, (*sum_1)[1U][int(5)]);
        (*sum_1)[2U][int(5)] = fma(_S6, _S13, (*sum_1)[2U][int(5)]);
        (*sum_1)[3U][int(5)] = fma(_S7, _S13, (*sum_1)[3U][int(5)]);
        float _S14 = y_0[_S3 + col_0[int(6)]];
        (*sum_1)[0U][int(6)] = fma(_S4, _S14, (*sum_1)[0U][int(6)]);
        (*sum_1)[1U][int(6)] = fma(_S5, _S14, (*sum_1)[1U][int(6)]);
        (*sum_1)[2U][int(6)] = fma(_S6, _S14, (*sum_1)[2U][int(6)]);
        (*sum_1)[3U][int(6)] = fma(_S7, _S14, (*sum_1)[3U][int(6)]);
        float _S15 = y_0[_S3 + col_0[int(7)]];
        (*sum_1)[0U][int(7)] = fma(_S4, _S15, (*sum_1)[0U][int(7)]);
        (*sum_1)[1U][int(7)] = fma(_S5, _S15, (*sum_1)[1U][int(7)]);
        (*sum_1)[2U][int(7)] = fma(_S6, _S15, (*sum_1)[2U][int(7)]);
        (*sum_1)[3U][int(7)] = fma(_S7, _S15, (*sum_1)[3U][int(7)]);
        j_0 = j_0 + 1U;
    }
    return;
}

void clear_0(array<array<float, int(8)>, int(4)> thread* sum_2)
{
    (*sum_2)[0U][int(0)] = 0.0f;
    (*sum_2)[0U][int(1)] = 0.0f;
    (*sum_2)[0U][int(2)] = 0.0f;
    (*sum_2)[0U][int(3)] = 0.0f;
    (*sum_2)[0U][int(4)] = 0.0f;
    (*sum_2)[0U][int(5)] = 0.0f;
    (*sum_2)[0U][int(6)] = 0.0f;
    (*sum_2)[0U][int(7)] = 0.0f;
    (*sum_2)[1U][int(0)] = 0.0f;
    (*sum_2)[1U][int(1)] = 0.0f;
    (*sum_2)[1U][int(2)] = 0.0f;
    (*sum_2)[1U][int(3)] = 0.0f;
    (*sum_2)[1U][int(4)] = 0.0f;
    (*sum_2)[1U][int(5)] = 0.0f;
    (*sum_2)[1U][int(6)] = 0.0f;
    (*sum_2)[1U][int(7)] = 0.0f;
    (*sum_2)[2U][int(0)] = 0.0f;
    (*sum_2)[2U][int(1)] = 0.0f;
    (*sum_2)[2U][int(2)] = 0.0f;
    (*sum_2)[2U][int(3)] = 0.0f;
    (*sum_2)[2U][int(4)] = 0.0f;
    (*sum_2)[2U][int(5)] = 0.0f;
    (*sum_2)[2U][int(6)] = 0.0f;
    (*sum_2)[2U][int(7)] = 0.0f;
    (*sum_2)[3U][int(0)] = 0.0f;
    (*sum_2)[3U][int(1)] = 0.0f;
    (*sum_2)[3U][int(2)] = 0.0f;
    (*sum_2)[3U][int(3)] = 0.0f;
    (*sum_2)[3U][int(4)] = 0.0f;
    (*sum_2)[3U][int(5)] = 0.0f;
    (*sum_2)[3U][int(6)] = 0.0f;
    (*sum_2)[3U][int(7)] = 0.0f;
    return;
}

uint batches_0(const Sheet_0 thread* s_0, uint q_bounds_at_1)
{
    uint _S16;
    if(q_bounds_at_1 == 4294967295U)
    {
        _S16 = s_0->sequences_0;
    }
    else
    {
        _S16 = 1U;
    }
    return _S16;
}

struct Sequence_0
{
    uint batch_0;
    uint q_0;
    uint k_0;
    uint queries_1;
    uint keys_1;
};

struct Tile_0
{
    Sequence_0 one_0;
    uint head_0;
    uint from_0;
    uint count_1;
    bool found_0;
};

Sequence_0 Sequence_x24init_0(uint batch_1, uint q_1, uint k_1, uint queries_2, uint keys_2)
{
    thread Sequence_0 _S17;
    (&_S17)->batch_0 = batch_1;
    (&_S17)->q_0 = q_1;
    (&_S17)->k_0 = k_1;
    (&_S17)->queries_1 = queries_2;
    (&_S17)->keys_1 = keys_2;
    return _S17;
}

Sequence_0 packedSequence_0(uint device* q_bounds_0, uint q_at_1, uint device* k_bounds_0, uint k_at_1, uint s_1)
{
    uint _S18 = q_at_1 + s_1;
    uint q_2 = q_bounds_0[_S18];
    uint _S19 = k_at_1 + s_1;
    uint k_2 = k_bounds_0[_S19];
    return Sequence_x24init_0(0U, q_2, k_2, q_bounds_0[_S18 + 1U] - q_2, k_bounds_0[_S19 + 1U] - k_2);
}

Tile_0 tileOf_0(const Sheet_0 thread* s_2, uint device* q_bounds_1, uint q_at_2, uint device* k_bounds_1, uint k_at_2, uint device* tiles_0, uint tiles_at_1, uint job_0, uint heads_1, bool of_keys_0)
{
    uint most_0;
    if(of_keys_0)
    {
        most_0 = s_2->key_tiles_0;
    }
    else
    {
        most_0 = s_2->query_tiles_0;
    }
    uint _S20 = most_0 - 1U;
    uint _S21 = job_0 % most_0;
    uint place_0 = _S20 - _S21;
    uint _S22 = job_0 / most_0;
    uint head_1 = _S22 % heads_1;
    thread Tile_0 tile_0;
    (&tile_0)->head_0 = head_1;
    uint all_0;
    if(q_at_2 == 4294967295U)
    {
        if(of_keys_0)
        {
            all_0 = s_2->keys_0;
        }
        else
        {
            all_0 = s_2->queries_0;
        }
        uint _S23 = job_0 / most_0;
        uint _S24 = _S23 / heads_1;
        (&tile_0)->one_0 = Sequence_x24init_0(_S24, 0U, 0U, s_2->queries_0, s_2->keys_0);
        uint _S25 = place_0 * 32U;
        (&tile_0)->from_0 = _S25;
        (&tile_0)->count_1 = min(32U, all_0 - _S25);
        (&tile_0)->found_0 = true;
    }
    else
    {
        bool _S26 = place_0 < tiles_0[tiles_at_1];
        (&tile_0)->found_0 = _S26;
        uint _S27 = tiles_at_1 + 1U;
        if(_S26)
        {
            most_0 = place_0;
        }
        else
        {
            most_0 = 0U;
        }
        uint at_0 = _S27 + 3U * most_0;
        if((&tile_0)->found_0)
        {
            all_0 = tiles_0[at_0];
        }
        else
        {
            all_0 = 0U;
        }
        (&tile_0)->one_0 = packedSequence_0(q_bounds_1, q_at_2, k_bounds_1, k_at_2, all_0);
        if((&tile_0)->found_0)
        {
            uint _S28 = tiles_0[at_0 + 1U];
            if(of_keys_0)
            {
                most_0 = (&(&tile_0)->one_0)->k_0;
            }
            else
            {
                most_0 = (&(&tile_0)->one_0)->q_0;
            }
            most_0 = _S28 - most_0;
        }
        else
        {
            most_0 = 0U;
        }
        (&tile_0)->from_0 = most_0;
        if((&tile_0)->found_0)
        {
            most_0 = tiles_0[at_0 + 2U] - tiles_0[at_0 + 1U];
        }
        else
        {
            most_0 = 0U;
        }
        (&tile_0)->count_1 = most_0;
    }
    return tile_0;
}

uint ownRows_0(uint count_2, uint t_1)
{
    return min(4U, count_2 - min(count_2, t_1 / 16U * 4U));
}

uint first_0(uint at_1, int batch_step_0, int head_step_0, int row_step_0, uint batch_2, uint head_2, uint row_0)
{
    return uint(int(at_1) + int(batch_2) * batch_step_0 + int(head_2) * head_step_0 + int(row_0) * row_step_0);
}

int position_0(const Sheet_0 thread* s_3, const Sequence_0 thread* one_1, uint query_0)
{
    int _S29;
    if((s_3->step_0) == 0U)
    {
        _S29 = int(one_1->keys_1) - int(1);
    }
    else
    {
        _S29 = int(query_0) + int(one_1->keys_1) - int(one_1->queries_1);
    }
    return _S29;
}

uint statAt_0(const Sheet_0 thread* s_4, const Sequence_0 thread* one_2, uint head_3, uint query_1)
{
    return (one_2->batch_0 * s_4->heads_0 + head_3) * s_4->queries_0 + one_2->q_0 + query_1;
}

void dots_0(float device* x_0, uint x_at_0, int x_row_0, uint x_count_0, float device* y_1, uint y_at_1, int y_row_1, uint y_count_0, uint width_2, uint t_2, array<array<float, int(4)>, int(4)> thread* dot_0, KernelContext_0 thread* kernelContext_1)
{
    bool _S30;
    float v_0;
    (*dot_0)[0U][0U] = 0.0f;
    (*dot_0)[0U][1U] = 0.0f;
    (*dot_0)[0U][2U] = 0.0f;
    (*dot_0)[0U][3U] = 0.0f;
    (*dot_0)[1U][0U] = 0.0f;
    (*dot_0)[1U][1U] = 0.0f;
    (*dot_0)[1U][2U] = 0.0f;
    (*dot_0)[1U][3U] = 0.0f;
    (*dot_0)[2U][0U] = 0.0f;
    (*dot_0)[2U][1U] = 0.0f;
    (*dot_0)[2U][2U] = 0.0f;
    (*dot_0)[2U][3U] = 0.0f;
    (*dot_0)[3U][0U] = 0.0f;
    (*dot_0)[3U][1U] = 0.0f;
    (*dot_0)[3U][2U] = 0.0f;
    (*dot_0)[3U][3U] = 0.0f;
    uint d0_0 = 0U;
    for(;;)
    {
        if(d0_0 < width_2)
        {
        }
        else
        {
            break;
        }
        uint _S31 = t_2 % 16U;
        uint _S32 = d0_0 + _S31;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint r_0 = t_2 / 16U;
        for(;;)
        {
            if(r_0 < 32U)
            {
            }
            else
            {
                break;
            }
            if(r_0 < x_count_0)
            {
                _S30 = _S32 < width_2;
            }
            else
            {
                _S30 = false;
            }
            if(_S30)
            {
                v_0 = x_0[uint(int(x_at_0) + int(r_0) * x_row_0) + _S32];
            }
            else
            {
                v_0 = 0.0f;
            }
            (*kernelContext_1->left_tile_0)[r_0 * 17U + _S31] = v_0;
            r_0 = r_0 + 8U;
        }
        uint r_1 = t_2 / 16U;
        for(;;)
        {
            if(r_1 < 64U)
            {
            }
            else
            {
                break;
            }
            if(r_1 < y_count_0)
            {
                _S30 = _S32 < width_2;
            }
            else
            {
                _S30 = false;
            }
            if(_S30)
            {
                v_0 = y_1[uint(int(y_at_1) + int(r_1) * y_row_1) + _S32];
            }
            else
            {
                v_0 = 0.0f;
            }
            (*kernelContext_1->right_tile_0)[r_1 * 17U + _S31] = v_0;
            r_1 = r_1 + 8U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S33 = min(16U, width_2 - d0_0);
        uint k_3 = 0U;
        for(;;)
        {
            if(k_3 < _S33)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(4)> u_0;
            thread array<float, int(4)> v_1;
            float _S34 = (*kernelContext_1->left_tile_0)[t_2 / 16U * 4U * 17U + k_3];
            u_0[0U] = (*kernelContext_1->left_tile_0)[t_2 / 16U * 4U * 17U + k_3];
            float _S35 = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 1U) * 17U + k_3];
            u_0[1U] = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 1U) * 17U + k_3];
            float _S36 = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 2U) * 17U + k_3];
            u_0[2U] = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 2U) * 17U + k_3];
            float _S37 = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 3U) * 17U + k_3];
            u_0[3U] = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 3U) * 17U + k_3];
            float _S38 = (*kernelContext_1->right_tile_0)[_S31 * 17U + k_3];
            v_1[0U] = (*kernelContext_1->right_tile_0)[_S31 * 17U + k_3];
            float _S39 = (*kernelContext_1->right_tile_0)[(_S31 + 16U) * 17U + k_3];
            v_1[1U] = (*kernelContext_1->right_tile_0)[(_S31 + 16U) * 17U + k_3];
            float _S40 = (*kernelContext_1->right_tile_0)[(_S31 + 32U) * 17U + k_3];
            v_1[2U] = (*kernelContext_1->right_tile_0)[(_S31 + 32U) * 17U + k_3];
            float _S41 = (*kernelContext_1->right_tile_0)[(_S31 + 48U) * 17U + k_3];
            v_1[3U] = (*kernelContext_1->right_tile_0)[(_S31 + 48U) * 17U + k_3];
            (*dot_0)[0U][0U] = fma(_S34, _S38, (*dot_0)[0U][0U]);
            (*dot_0)[0U][1U] = fma(_S34, _S39, (*dot_0)[0U][1U]);
            (*dot_0)[0U][2U] = fma(_S34, _S40, (*dot_0)[0U][2U]);
            (*dot_0)[0U][3U] = fma(_S34, _S41, (*dot_0)[0U][3U]);
            (*dot_0)[1U][0U] = fma(_S35, _S38, (*dot_0)[1U][0U]);
            (*dot_0)[1U][1U] = fma(_S35, _S39, (*dot_0)[1U][1U]);
            (*dot_0)[1U][2U] = fma(_S35, _S40, (*dot_0)[1U][2U]);
            (*dot_0)[1U][3U] = fma(_S35, _S41, (*dot_0)[1U][3U]);
            (*dot_0)[2U][0U] = fma(_S36, _S38, (*dot_0)[2U][0U]);
            (*dot_0)[2U][1U] = fma(_S36, _S39, (*dot_0)[2U][1U]);
            (*dot_0)[2U][2U] = fma(_S36, _S40, (*dot_0)[2U][2U]);
            (*dot_0)[2U][3U] = fma(_S36, _S41, (*dot_0)[2U][3U]);
            (*dot_0)[3U][0U] = fma(_S37, _S38, (*dot_0)[3U][0U]);
            (*dot_0)[3U][1U] = fma(_S37, _S39, (*dot_0)[3U][1U]);
            (*dot_0)[3U][2U] = fma(_S37, _S40, (*dot_0)[3U][2U]);
            (*dot_0)[3U][3U] = fma(_S37, _S41, (*dot_0)[3U][3U]);
            k_3 = k_3 + 1U;
        }
        d0_0 = d0_0 + 16U;
    }
    return;
}

uint place_1(uint i_0, uint j_1, uint t_3)
{
    return (t_3 / 16U * 4U + i_0) * 65U + t_3 % 16U + 16U * j_1;
}

void put_0(const array<array<float, int(4)>, int(4)> thread* dot_1, uint t_4, KernelContext_0 thread* kernelContext_2)
{
    (*kernelContext_2->tile_of_0)[place_1(0U, 0U, t_4)] = (*dot_1)[0U][0U];
    (*kernelContext_2->tile_of_0)[place_1(0U, 1U, t_4)] = (*dot_1)[0U][1U];
    (*kernelContext_2->tile_of_0)[place_1(0U, 2U, t_4)] = (*dot_1)[0U][2U];
    (*kernelContext_2->tile_of_0)[place_1(0U, 3U, t_4)] = (*dot_1)[0U][3U];
    (*kernelContext_2->tile_of_0)[place_1(1U, 0U, t_4)] = (*dot_1)[1U][0U];
    (*kernelContext_2->tile_of_0)[place_1(1U, 1U, t_4)] = (*dot_1)[1U][1U];
    (*kernelContext_2->tile_of_0)[place_1(1U, 2U, t_4)] = (*dot_1)[1U][2U];
    (*kernelContext_2->tile_of_0)[place_1(1U, 3U, t_4)] = (*dot_1)[1U][3U];
    (*kernelContext_2->tile_of_0)[place_1(2U, 0U, t_4)] = (*dot_1)[2U][0U];
    (*kernelContext_2->tile_of_0)[place_1(2U, 1U, t_4)] = (*dot_1)[2U][1U];
    (*kernelContext_2->tile_of_0)[place_1(2U, 2U, t_4)] = (*dot_1)[2U][2U];
    (*kernelContext_2->tile_of_0)[place_1(2U, 3U, t_4)] = (*dot_1)[2U][3U];
    (*kernelContext_2->tile_of_0)[place_1(3U, 0U, t_4)] = (*dot_1)[3U][0U];
    (*kernelContext_2->tile_of_0)[place_1(3U, 1U, t_4)] = (*dot_1)[3U][1U];
    (*kernelContext_2->tile_of_0)[place_1(3U, 2U, t_4)] = (*dot_1)[3U][2U];
    (*kernelContext_2->tile_of_0)[place_1(3U, 3U, t_4)] = (*dot_1)[3U][3U];
    return;
}

float score_0(const Sheet_0 thread* s_5, const Sequence_0 thread* one_3, uint device* mask_0, uint mask_at_1, uint head_4, uint query_2, uint key_0, float dot_2)
{
    int _S42 = position_0(s_5, one_3, query_2);
    bool _S43;
    if(query_2 >= (one_3->queries_1))
    {
        _S43 = true;
    }
    else
    {
        _S43 = key_0 >= (one_3->keys_1);
    }
    if(_S43)
    {
        _S43 = true;
    }
    else
    {
        _S43 = int(key_0) < (_S42 - s_5->left_0);
    }
    if(_S43)
    {
        _S43 = true;
    }
    else
    {
        _S43 = int(key_0) > (_S42 + s_5->right_0);
    }
    if(_S43)
    {
        return - (as_type<float>((2139095040U)));
    }
    float v_2 = s_5->scale_0 * dot_2;
    if(mask_at_1 == 4294967295U)
    {
        return v_2;
    }
    uint m_0 = mask_0[uint(int(mask_at_1) + int(one_3->batch_0) * s_5->mask_batch_0 + int(head_4) * s_5->mask_head_0 + int(query_2) * s_5->mask_query_0 + int(key_0) * s_5->mask_key_0)];
    float _S44;
    if((s_5->mask_kind_0) == 1U)
    {
        float _S45 = (as_type<float>((m_0)));
        float _S46 = - (as_type<float>((2139095040U)));
        if(_S45 == _S46)
        {
            _S44 = _S46;
        }
        else
        {
            _S44 = v_2 + _S45;
        }
        return _S44;
    }
    if(m_0 == 0U)
    {
        _S44 = - (as_type<float>((2139095040U)));
    }
    else
    {
        _S44 = v_2;
    }
    return _S44;
}

float expOfRest_0(float x_1, float n_0)
{
    float r_2 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_1));
    return fma(r_2 * r_2, fma(fma(fma(fma(0.00138390657957643f, r_2, 0.00836919713765383f), r_2, 0.04166810214519501f), r_2, 0.16666516661643982f), r_2, 0.49999994039535522f), r_2) + 1.0f;
}

bool isNaN_0(float x_2)
{
    return ((as_type<uint>((x_2))) & 2147483647U) > 2139095040U;
}

float expNegative_0(float x_3)
{
    float rounded_0 = fma(x_3, 1.4426950216293335f, 1.2583039e+07f);
    float e_0 = expOfRest_0(x_3, rounded_0 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_0))) << 23U)));
    float _S47;
    if(isNaN_0(x_3))
    {
        _S47 = x_3;
    }
    else
    {
        if((as_type<uint>((x_3))) > (as_type<uint>((-87.0f))))
        {
            _S47 = 0.0f;
        }
        else
        {
            _S47 = e_0;
        }
    }
    return _S47;
}

float probability_0(float z_0, float m_1, float scale_1)
{
    float _S48;
    if(z_0 == (- (as_type<float>((2139095040U)))))
    {
        _S48 = 0.0f;
    }
    else
    {
        _S48 = expNegative_0(z_0 - m_1) * scale_1;
    }
    return _S48;
}

float slope_0(float p_1, float dp_0, float d_0)
{
    float _S49;
    if(p_1 == 0.0f)
    {
        _S49 = 0.0f;
    }
    else
    {
        _S49 = p_1 * (dp_0 - d_0);
    }
    return _S49;
}

void queriesOf_0(uint group_1, uint t_5, float device* dq_0, float device* delta_0, float device* stats_0, float device* dy_0, float device* q_3, float device* k_4, float device* v_3, uint device* mask_1, uint device* q_bounds_2, uint device* k_bounds_2, uint device* tiles_1, Sheet_0 device* sheet_0, const Queries_0 constant* a_1, KernelContext_0 thread* kernelContext_3)
{
    uint i_1;
    uint column_0;
    Sheet_0 s_6 = sheet_0[a_1->sheet_at_0];
    uint _S50 = max(1U, (s_6.width_0 + 128U - 1U) / 128U);
    uint _S51 = a_1->q_bounds_at_0;
    thread Sheet_0 _S52 = s_6;
    uint _S53 = batches_0(&_S52, a_1->q_bounds_at_0);
    uint _S54 = _S53 * s_6.heads_0;
    uint _S55 = _S54 * s_6.query_tiles_0 * _S50;
    uint _S56 = _S54 * s_6.queries_0;
    uint job_1 = group_1;
    for(;;)
    {
        if(job_1 < _S55)
        {
        }
        else
        {
            break;
        }
        uint _S57 = job_1 % _S50;
        uint _S58 = _S57 * 128U;
        uint _S59 = a_1->k_bounds_at_0;
        uint _S60 = a_1->tiles_at_0;
        uint _S61 = job_1 / _S50;
        thread Sheet_0 _S62 = s_6;
        Tile_0 _S63 = tileOf_0(&_S62, q_bounds_2, _S51, k_bounds_2, _S59, tiles_1, _S60, _S61, s_6.heads_0, false);
        if(!_S63.found_0)
        {
            job_1 = job_1 + a_1->groups_0;
            continue;
        }
        uint _S64 = ownRows_0(_S63.count_1, t_5);
        uint _S65 = _S63.head_0 / s_6.group_0;
        uint _S66 = _S63.one_0.q_0 + _S63.from_0;
        uint _S67 = first_0(a_1->q_at_0, s_6.q_batch_0, s_6.q_head_0, s_6.q_row_0, _S63.one_0.batch_0, _S63.head_0, _S66);
        uint _S68 = first_0(a_1->dy_at_0, s_6.dy_batch_0, s_6.dy_head_0, s_6.dy_row_0, _S63.one_0.batch_0, _S63.head_0, _S66);
        uint _S69 = _S63.from_0 + _S63.count_1 - 1U;
        thread Sheet_0 _S70 = s_6;
        thread Sequence_0 _S71 = _S63.one_0;
        int _S72 = position_0(&_S70, &_S71, _S69);
        uint end_0 = uint(clamp(_S72 + s_6.right_0 + int(1), int(0), int(_S63.one_0.keys_1)));
        thread Sheet_0 _S73 = s_6;
        thread Sequence_0 _S74 = _S63.one_0;
        int _S75 = position_0(&_S73, &_S74, _S63.from_0);
        uint begin_0 = uint(clamp(_S75 - s_6.left_0, int(0), int(end_0)));
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(t_5 < (_S63.count_1))
        {
            uint _S76 = _S63.from_0 + t_5;
            thread Sheet_0 _S77 = s_6;
            thread Sequence_0 _S78 = _S63.one_0;
            uint _S79 = statAt_0(&_S77, &_S78, _S63.head_0, _S76);
            uint _S80 = a_1->stats_at_0;
            (*kernelContext_3->row_max_0)[t_5] = stats_0[a_1->stats_at_0 + _S79];
            (*kernelContext_3->row_sum_0)[t_5] = stats_0[_S80 + _S56 + _S79];
            (*kernelContext_3->row_keep_0)[t_5] = delta_0[a_1->delta_at_0 + _S79];
        }
        thread array<array<float, int(8)>, int(4)> sum_3;
        clear_0(&sum_3);
        uint key_1 = begin_0;
        for(;;)
        {
            if(key_1 < end_0)
            {
            }
            else
            {
                break;
            }
            uint _S81 = min(64U, end_0 - key_1);
            uint _S82 = _S63.one_0.k_0 + key_1;
            uint k_first_0 = first_0(a_1->k_at_0, s_6.k_batch_0, s_6.k_head_0, s_6.k_row_0, _S63.one_0.batch_0, _S65, _S82);
            uint v_first_0 = first_0(a_1->v_at_0, s_6.v_batch_0, s_6.v_head_0, s_6.v_row_0, _S63.one_0.batch_0, _S65, _S82);
            thread array<array<float, int(4)>, int(4)> dot_3;
            dots_0(q_3, _S67, s_6.q_row_0, _S63.count_1, k_4, k_first_0, s_6.k_row_0, _S81, s_6.width_0, t_5, &dot_3, kernelContext_3);
            thread array<array<float, int(4)>, int(4)> dp_1;
            dots_0(dy_0, _S68, s_6.dy_row_0, _S63.count_1, v_3, v_first_0, s_6.v_row_0, _S81, s_6.width_0, t_5, &dp_1, kernelContext_3);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            thread array<array<float, int(4)>, int(4)> _S83 = dot_3;
            put_0(&_S83, t_5, kernelContext_3);
            i_1 = 0U;
            for(;;)
            {
                if(i_1 < _S64)
                {
                }
                else
                {
                    break;
                }
                column_0 = t_5 % 16U;
                for(;;)
                {
                    if(column_0 < _S81)
                    {
                    }
                    else
                    {
                        break;
                    }
                    uint row_1 = t_5 / 16U * 4U + i_1;
                    uint _S84 = _S63.from_0 + row_1;
                    uint _S85 = key_1 + column_0;
                    float _S86 = (*kernelContext_3->tile_of_0)[row_1 * 65U + column_0];
                    thread Sheet_0 _S87 = s_6;
                    thread Sequence_0 _S88 = _S63.one_0;
                    float _S89 = score_0(&_S87, &_S88, mask_1, a_1->mask_at_0, _S63.head_0, _S84, _S85, _S86);
                    (*kernelContext_3->tile_of_0)[row_1 * 65U + column_0] = probability_0(_S89, (*kernelContext_3->row_max_0)[row_1], (*kernelContext_3->row_sum_0)[row_1]);
                    column_0 = column_0 + 16U;
                }
                i_1 = i_1 + 1U;
            }
            (*kernelContext_3->tile_of_0)[place_1(0U, 0U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(0U, 0U, t_5)], dp_1[0U][0U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U]);
            (*kernelContext_3->tile_of_0)[place_1(0U, 1U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(0U, 1U, t_5)], dp_1[0U][1U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U]);
            (*kernelContext_3->tile_of_0)[place_1(0U, 2U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(0U, 2U, t_5)], dp_1[0U][2U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U]);
            (*kernelContext_3->tile_of_0)[place_1(0U, 3U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(0U, 3U, t_5)], dp_1[0U][3U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U]);
            (*kernelContext_3->tile_of_0)[place_1(1U, 0U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(1U, 0U, t_5)], dp_1[1U][0U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 1U]);
            (*kernelContext_3->tile_of_0)[place_1(1U, 1U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(1U, 1U, t_5)], dp_1[1U][1U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 1U]);
            (*kernelContext_3->tile_of_0)[place_1(1U, 2U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(1U, 2U, t_5)], dp_1[1U][2U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 1U]);
            (*kernelContext_3->tile_of_0)[place_1(1U, 3U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(1U, 3U, t_5)], dp_1[1U][3U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 1U]);
            (*kernelContext_3->tile_of_0)[place_1(2U, 0U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(2U, 0U, t_5)], dp_1[2U][0U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 2U]);
            (*kernelContext_3->tile_of_0)[place_1(2U, 1U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(2U, 1U, t_5)], dp_1[2U][1U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 2U]);
            (*kernelContext_3->tile_of_0)[place_1(2U, 2U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(2U, 2U, t_5)], dp_1[2U][2U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 2U]);
            (*kernelContext_3->tile_of_0)[place_1(2U, 3U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(2U, 3U, t_5)], dp_1[2U][3U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 2U]);
            (*kernelContext_3->tile_of_0)[place_1(3U, 0U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(3U, 0U, t_5)], dp_1[3U][0U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 3U]);
            (*kernelContext_3->tile_of_0)[place_1(3U, 1U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(3U, 1U, t_5)], dp_1[3U][1U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 3U]);
            (*kernelContext_3->tile_of_0)[place_1(3U, 2U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(3U, 2U, t_5)], dp_1[3U][2U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 3U]);
            (*kernelContext_3->tile_of_0)[place_1(3U, 3U, t_5)] = slope_0((*kernelContext_3->tile_of_0)[place_1(3U, 3U, t_5)], dp_1[3U][3U], (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 3U]);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            add_0(&sum_3, k_4, k_first_0, s_6.k_row_0, _S81, s_6.width_0, _S58, t_5, kernelContext_3);
            key_1 = key_1 + 64U;
        }
        thread array<array<float, int(8)>, int(4)> _S90 = sum_3;
        thread array<float, int(32)> list_1;
        listed_0(&_S90, &list_1);
        i_1 = 0U;
        for(;;)
        {
            if(i_1 < _S64)
            {
            }
            else
            {
                break;
            }
            uint _S91 = first_0(a_1->dq_at_0, s_6.dq_batch_0, s_6.dq_head_0, s_6.dq_row_0, _S63.one_0.batch_0, _S63.head_0, _S66 + t_5 / 16U * 4U + i_1);
            uint _S92 = _S58 + t_5 % 16U;
            column_0 = 0U;
            uint col_1 = _S92;
            for(;;)
            {
                bool _S93;
                if(column_0 < 8U)
                {
                    _S93 = col_1 < (s_6.width_0);
                }
                else
                {
                    _S93 = false;
                }
                if(_S93)
                {
                }
                else
                {
                    break;
                }
                *(dq_0+(_S91 + col_1)) = s_6.scale_0 * list_1[8U * i_1 + column_0];
                uint col_2 = col_1 + 16U;
                column_0 = column_0 + 1U;
                col_1 = col_2;
            }
            i_1 = i_1 + 1U;
        }
        job_1 = job_1 + a_1->groups_0;
    }
    return;
}

[[kernel]] void attention_backward_f32_queries_wide(uint3 group_2 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dq_1 [[buffer(1)]], float device* entryPointParams_delta_1 [[buffer(2)]], float device* entryPointParams_stats_1 [[buffer(3)]], float device* entryPointParams_dy_1 [[buffer(4)]], float device* entryPointParams_q_1 [[buffer(5)]], float device* entryPointParams_k_1 [[buffer(6)]], float device* entryPointParams_v_1 [[buffer(7)]], uint device* entryPointParams_mask_1 [[buffer(8)]], uint device* entryPointParams_q_bounds_1 [[buffer(9)]], uint device* entryPointParams_k_bounds_1 [[buffer(10)]], uint device* entryPointParams_tiles_1 [[buffer(11)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(12)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_dq_0 = entryPointParams_dq_1;
    (&kernelContext_4)->entryPointParams_delta_0 = entryPointParams_delta_1;
    (&kernelContext_4)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_4)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_4)->entryPointParams_q_0 = entryPointParams_q_1;
    (&kernelContext_4)->entryPointParams_k_0 = entryPointParams_k_1;
    (&kernelContext_4)->entryPointParams_v_0 = entryPointParams_v_1;
    (&kernelContext_4)->entryPointParams_mask_0 = entryPointParams_mask_1;
    (&kernelContext_4)->entryPointParams_q_bounds_0 = entryPointParams_q_bounds_1;
    (&kernelContext_4)->entryPointParams_k_bounds_0 = entryPointParams_k_bounds_1;
    (&kernelContext_4)->entryPointParams_tiles_0 = entryPointParams_tiles_1;
    (&kernelContext_4)->entryPointParams_sheet_0 = entryPointParams_sheet_1;
    threadgroup array<float, int(2080)> tile_of_1;
    (&kernelContext_4)->tile_of_0 = &tile_of_1;
    threadgroup array<float, int(32)> row_max_1;
    (&kernelContext_4)->row_max_0 = &row_max_1;
    threadgroup array<float, int(32)> row_sum_1;
    (&kernelContext_4)->row_sum_0 = &row_sum_1;
    threadgroup array<float, int(32)> row_keep_1;
    (&kernelContext_4)->row_keep_0 = &row_keep_1;
    threadgroup array<float, int(544)> left_tile_1;
    (&kernelContext_4)->left_tile_0 = &left_tile_1;
    threadgroup array<float, int(1088)> right_tile_1;
    (&kernelContext_4)->right_tile_0 = &right_tile_1;
    queriesOf_0(group_2.x, thread_0.x, entryPointParams_dq_1, entryPointParams_delta_1, entryPointParams_stats_1, entryPointParams_dy_1, entryPointParams_q_1, entryPointParams_k_1, entryPointParams_v_1, entryPointParams_mask_1, entryPointParams_q_bounds_1, entryPointParams_k_bounds_1, entryPointParams_tiles_1, entryPointParams_sheet_1, &entryPointParams_1->a_0, &kernelContext_4);
    return;
}


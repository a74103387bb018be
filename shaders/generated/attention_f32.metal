#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
void listed_0(const array<array<float, int(4)>, int(4)> thread* sum_0, array<float, int(16)> thread* list_0)
{
    (*list_0)[0U] = (*sum_0)[0U][int(0)];
    (*list_0)[1U] = (*sum_0)[0U][int(1)];
    (*list_0)[2U] = (*sum_0)[0U][int(2)];
    (*list_0)[3U] = (*sum_0)[0U][int(3)];
    (*list_0)[4U] = (*sum_0)[1U][int(0)];
    (*list_0)[5U] = (*sum_0)[1U][int(1)];
    (*list_0)[6U] = (*sum_0)[1U][int(2)];
    (*list_0)[7U] = (*sum_0)[1U][int(3)];
    (*list_0)[8U] = (*sum_0)[2U][int(0)];
    (*list_0)[9U] = (*sum_0)[2U][int(1)];
    (*list_0)[10U] = (*sum_0)[2U][int(2)];
    (*list_0)[11U] = (*sum_0)[2U][int(3)];
    (*list_0)[12U] = (*sum_0)[3U][int(0)];
    (*list_0)[13U] = (*sum_0)[3U][int(1)];
    (*list_0)[14U] = (*sum_0)[3U][int(2)];
    (*list_0)[15U] = (*sum_0)[3U][int(3)];
    return;
}

struct Forward_0
{
    uint groups_0;
    uint out_at_0;
    uint stats_at_0;
    uint q_at_0;
    uint k_at_0;
    uint v_at_0;
    uint mask_at_0;
    uint q_bounds_at_0;
    uint k_bounds_at_0;
    uint tiles_at_0;
    uint partial_at_0;
    uint sheet_at_0;
};

struct EntryPointParams_0
{
    Forward_0 a_0;
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
    float device* entryPointParams_out_0;
    float device* entryPointParams_stats_0;
    float device* entryPointParams_q_0;
    float device* entryPointParams_k_0;
    float device* entryPointParams_v_0;
    uint device* entryPointParams_mask_0;
    uint device* entryPointParams_q_bounds_0;
    uint device* entryPointParams_k_bounds_0;
    uint device* entryPointParams_tiles_0;
    float device* entryPointParams_partial_0;
    Sheet_0 device* entryPointParams_sheet_0;
    array<float, int(2080)> threadgroup* tile_of_0;
    array<float, int(32)> threadgroup* row_max_0;
    array<float, int(32)> threadgroup* row_sum_0;
    array<float, int(544)> threadgroup* left_tile_0;
    array<float, int(1088)> threadgroup* right_tile_0;
    array<float, int(128)> threadgroup* parts_1;
    array<float, int(32)> threadgroup* row_keep_0;
};

void add_0(array<array<float, int(4)>, int(4)> thread* sum_1, float device* y_0, uint y_at_0, int y_row_0, uint count_0, uint width_1, uint col0_0, uint t_0, KernelContext_0 thread* kernelContext_0)
{
    thread array<uint, int(4)> col_0;
    uint _S1 = col0_0 + t_0 % 16U;
    uint _S2 = max(width_1, 1U) - 1U;
    col_0[int(0)] = min(_S1, _S2);
    col_0[int(1)] = min(_S1 + 16U, _S2);
    col_0[int(2)] = min(_S1 + 32U, _S2);
    col_0[int(3)] = min(_S1 + 48U, _S2);
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
        j_0 = j_0 + 1U;
    }
    return;
}

void clear_0(array<array<float, int(4)>, int(4)> thread* sum_2)
{
    (*sum_2)[0U][int(0)] = 0.0f;
    (*sum_2)[0U][int(1)] = 0.0f;
    (*sum_2)[0U][int(2)] = 0.0f;
    (*sum_2)[0U][int(3)] = 0.0f;
    (*sum_2)[1U][int(0)] = 0.0f;
    (*sum_2)[1U][int(1)] = 0.0f;
    (*sum_2)[1U][int(2)] = 0.0f;
    (*sum_2)[1U][int(3)] = 0.0f;
    (*sum_2)[2U][int(0)] = 0.0f;
    (*sum_2)[2U][int(1)] = 0.0f;
    (*sum_2)[2U][int(2)] = 0.0f;
    (*sum_2)[2U][int(3)] = 0.0f;
    (*sum_2)[3U][int(0)] = 0.0f;
    (*sum_2)[3U][int(1)] = 0.0f;
    (*sum_2)[3U][int(2)] = 0.0f;
    (*sum_2)[3U][int(3)] = 0.0f;
    return;
}

uint batches_0(const Sheet_0 thread* s_0, uint q_bounds_at_1)
{
    uint _S12;
    if(q_bounds_at_1 == 4294967295U)
    {
        _S12 = s_0->sequences_0;
    }
    else
    {
        _S12 = 1U;
    }
    return _S12;
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
    thread Sequence_0 _S13;
    (&_S13)->batch_0 = batch_1;
    (&_S13)->q_0 = q_1;
    (&_S13)->k_0 = k_1;
    (&_S13)->queries_1 = queries_2;
    (&_S13)->keys_1 = keys_2;
    return _S13;
}

Sequence_0 packedSequence_0(uint device* q_bounds_0, uint q_at_1, uint device* k_bounds_0, uint k_at_1, uint s_1)
{
    uint _S14 = q_at_1 + s_1;
    uint q_2 = q_bounds_0[_S14];
    uint _S15 = k_at_1 + s_1;
    uint k_2 = k_bounds_0[_S15];
    return Sequence_x24init_0(0U, q_2, k_2, q_bounds_0[_S14 + 1U] - q_2, k_bounds_0[_S15 + 1U] - k_2);
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
    uint _S16 = most_0 - 1U;
    uint _S17 = job_0 % most_0;
    uint place_0 = _S16 - _S17;
    uint _S18 = job_0 / most_0;
    uint head_1 = _S18 % heads_1;
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
        uint _S19 = job_0 / most_0;
        uint _S20 = _S19 / heads_1;
        (&tile_0)->one_0 = Sequence_x24init_0(_S20, 0U, 0U, s_2->queries_0, s_2->keys_0);
        uint _S21 = place_0 * 32U;
        (&tile_0)->from_0 = _S21;
        (&tile_0)->count_1 = min(32U, all_0 - _S21);
        (&tile_0)->found_0 = true;
    }
    else
    {
        bool _S22 = place_0 < tiles_0[tiles_at_1];
        (&tile_0)->found_0 = _S22;
        uint _S23 = tiles_at_1 + 1U;
        if(_S22)
        {
            most_0 = place_0;
        }
        else
        {
            most_0 = 0U;
        }
        uint at_0 = _S23 + 3U * most_0;
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
            uint _S24 = tiles_0[at_0 + 1U];
            if(of_keys_0)
            {
                most_0 = (&(&tile_0)->one_0)->k_0;
            }
            else
            {
                most_0 = (&(&tile_0)->one_0)->q_0;
            }
            most_0 = _S24 - most_0;
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
    int _S25;
    if((s_3->step_0) == 0U)
    {
        _S25 = int(one_1->keys_1) - int(1);
    }
    else
    {
        _S25 = int(query_0) + int(one_1->keys_1) - int(one_1->queries_1);
    }
    return _S25;
}

void dots_0(float device* x_0, uint x_at_0, int x_row_0, uint x_count_0, float device* y_1, uint y_at_1, int y_row_1, uint y_count_0, uint width_2, uint t_2, array<array<float, int(4)>, int(4)> thread* dot_0, KernelContext_0 thread* kernelContext_1)
{
    bool _S26;
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
        uint _S27 = t_2 % 16U;
        uint _S28 = d0_0 + _S27;
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
                _S26 = _S28 < width_2;
            }
            else
            {
                _S26 = false;
            }
            if(_S26)
            {
                v_0 = x_0[uint(int(x_at_0) + int(r_0) * x_row_0) + _S28];
            }
            else
            {
                v_0 = 0.0f;
            }
            (*kernelContext_1->left_tile_0)[r_0 * 17U + _S27] = v_0;
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
                _S26 = _S28 < width_2;
            }
            else
            {
                _S26 = false;
            }
            if(_S26)
            {
                v_0 = y_1[uint(int(y_at_1) + int(r_1) * y_row_1) + _S28];
            }
            else
            {
                v_0 = 0.0f;
            }
            (*kernelContext_1->right_tile_0)[r_1 * 17U + _S27] = v_0;
            r_1 = r_1 + 8U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S29 = min(16U, width_2 - d0_0);
        uint k_3 = 0U;
        for(;;)
        {
            if(k_3 < _S29)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(4)> u_0;
            thread array<float, int(4)> v_1;
            float _S30 = (*kernelContext_1->left_tile_0)[t_2 / 16U * 4U * 17U + k_3];
            u_0[0U] = (*kernelContext_1->left_tile_0)[t_2 / 16U * 4U * 17U + k_3];
            float _S31 = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 1U) * 17U + k_3];
            u_0[1U] = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 1U) * 17U + k_3];
            float _S32 = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 2U) * 17U + k_3];
            u_0[2U] = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 2U) * 17U + k_3];
            float _S33 = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 3U) * 17U + k_3];
            u_0[3U] = (*kernelContext_1->left_tile_0)[(t_2 / 16U * 4U + 3U) * 17U + k_3];
            float _S34 = (*kernelContext_1->right_tile_0)[_S27 * 17U + k_3];
            v_1[0U] = (*kernelContext_1->right_tile_0)[_S27 * 17U + k_3];
            float _S35 = (*kernelContext_1->right_tile_0)[(_S27 + 16U) * 17U + k_3];
            v_1[1U] = (*kernelContext_1->right_tile_0)[(_S27 + 16U) * 17U + k_3];
            float _S36 = (*kernelContext_1->right_tile_0)[(_S27 + 32U) * 17U + k_3];
            v_1[2U] = (*kernelContext_1->right_tile_0)[(_S27 + 32U) * 17U + k_3];
            float _S37 = (*kernelContext_1->right_tile_0)[(_S27 + 48U) * 17U + k_3];
            v_1[3U] = (*kernelContext_1->right_tile_0)[(_S27 + 48U) * 17U + k_3];
            (*dot_0)[0U][0U] = fma(_S30, _S34, (*dot_0)[0U][0U]);
            (*dot_0)[0U][1U] = fma(_S30, _S35, (*dot_0)[0U][1U]);
            (*dot_0)[0U][2U] = fma(_S30, _S36, (*dot_0)[0U][2U]);
            (*dot_0)[0U][3U] = fma(_S30, _S37, (*dot_0)[0U][3U]);
            (*dot_0)[1U][0U] = fma(_S31, _S34, (*dot_0)[1U][0U]);
            (*dot_0)[1U][1U] = fma(_S31, _S35, (*dot_0)[1U][1U]);
            (*dot_0)[1U][2U] = fma(_S31, _S36, (*dot_0)[1U][2U]);
            (*dot_0)[1U][3U] = fma(_S31, _S37, (*dot_0)[1U][3U]);
            (*dot_0)[2U][0U] = fma(_S32, _S34, (*dot_0)[2U][0U]);
            (*dot_0)[2U][1U] = fma(_S32, _S35, (*dot_0)[2U][1U]);
            (*dot_0)[2U][2U] = fma(_S32, _S36, (*dot_0)[2U][2U]);
            (*dot_0)[2U][3U] = fma(_S32, _S37, (*dot_0)[2U][3U]);
            (*dot_0)[3U][0U] = fma(_S33, _S34, (*dot_0)[3U][0U]);
            (*dot_0)[3U][1U] = fma(_S33, _S35, (*dot_0)[3U][1U]);
            (*dot_0)[3U][2U] = fma(_S33, _S36, (*dot_0)[3U][2U]);
            (*dot_0)[3U][3U] = fma(_S33, _S37, (*dot_0)[3U][3U]);
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

float score_0(const Sheet_0 thread* s_4, const Sequence_0 thread* one_2, uint device* mask_0, uint mask_at_1, uint head_3, uint query_1, uint key_0, float dot_2)
{
    int _S38 = position_0(s_4, one_2, query_1);
    bool _S39;
    if(query_1 >= (one_2->queries_1))
    {
        _S39 = true;
    }
    else
    {
        _S39 = key_0 >= (one_2->keys_1);
    }
    if(_S39)
    {
        _S39 = true;
    }
    else
    {
        _S39 = int(key_0) < (_S38 - s_4->left_0);
    }
    if(_S39)
    {
        _S39 = true;
    }
    else
    {
        _S39 = int(key_0) > (_S38 + s_4->right_0);
    }
    if(_S39)
    {
        return - (as_type<float>((2139095040U)));
    }
    float v_2 = s_4->scale_0 * dot_2;
    if(mask_at_1 == 4294967295U)
    {
        return v_2;
    }
    uint m_0 = mask_0[uint(int(mask_at_1) + int(one_2->batch_0) * s_4->mask_batch_0 + int(head_3) * s_4->mask_head_0 + int(query_1) * s_4->mask_query_0 + int(key_0) * s_4->mask_key_0)];
    float _S40;
    if((s_4->mask_kind_0) == 1U)
    {
        float _S41 = (as_type<float>((m_0)));
        float _S42 = - (as_type<float>((2139095040U)));
        if(_S41 == _S42)
        {
            _S40 = _S42;
        }
        else
        {
            _S40 = v_2 + _S41;
        }
        return _S40;
    }
    if(m_0 == 0U)
    {
        _S40 = - (as_type<float>((2139095040U)));
    }
    else
    {
        _S40 = v_2;
    }
    return _S40;
}

bool isNaN_0(float x_1)
{
    return ((as_type<uint>((x_1))) & 2147483647U) > 2139095040U;
}

float larger_0(float a_1, float b_0)
{
    bool _S43;
    if(a_1 > b_0)
    {
        _S43 = true;
    }
    else
    {
        _S43 = isNaN_0(a_1);
    }
    float _S44;
    if(_S43)
    {
        _S44 = a_1;
    }
    else
    {
        _S44 = b_0;
    }
    return _S44;
}

float expOfRest_0(float x_2, float n_0)
{
    float r_2 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_2));
    return fma(r_2 * r_2, fma(fma(fma(fma(0.00138390657957643f, r_2, 0.00836919713765383f), r_2, 0.04166810214519501f), r_2, 0.16666516661643982f), r_2, 0.49999994039535522f), r_2) + 1.0f;
}

float expNegative_0(float x_3)
{
    float rounded_0 = fma(x_3, 1.4426950216293335f, 1.2583039e+07f);
    float e_0 = expOfRest_0(x_3, rounded_0 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_0))) << 23U)));
    float _S45;
    if(isNaN_0(x_3))
    {
        _S45 = x_3;
    }
    else
    {
        if((as_type<uint>((x_3))) > (as_type<uint>((-87.0f))))
        {
            _S45 = 0.0f;
        }
        else
        {
            _S45 = e_0;
        }
    }
    return _S45;
}

uint statAt_0(const Sheet_0 thread* s_5, const Sequence_0 thread* one_3, uint head_4, uint query_2)
{
    return (one_3->batch_0 * s_5->heads_0 + head_4) * s_5->queries_0 + one_3->q_0 + query_2;
}

uint partialAt_0(const Sheet_0 thread* s_6, uint at_2, uint rows_all_0, uint part_0, const Sequence_0 thread* one_4, uint head_5, uint query_3)
{
    uint _S46 = part_0 * rows_all_0;
    uint _S47 = statAt_0(s_6, one_4, head_5, query_3);
    return at_2 + (_S46 + _S47) * (s_6->width_0 + 2U);
}

void forwardOf_0(uint group_1, uint t_5, float device* out_0, float device* stats_0, float device* q_3, float device* k_4, float device* v_3, uint device* mask_1, uint device* q_bounds_2, uint device* k_bounds_2, uint device* tiles_1, float device* partial_0, Sheet_0 device* sheet_0, const Forward_0 constant* a_2, KernelContext_0 thread* kernelContext_3)
{
    uint i_1;
    uint column_0;
    uint at_3;
    float m_1;
    float base_0;
    float p_1;
    bool _S48;
    Sheet_0 s_7 = sheet_0[a_2->sheet_at_0];
    uint _S49 = max(1U, (s_7.width_0 + 64U - 1U) / 64U);
    uint _S50 = a_2->q_bounds_at_0;
    thread Sheet_0 _S51 = s_7;
    uint _S52 = batches_0(&_S51, a_2->q_bounds_at_0);
    uint _S53 = _S52 * s_7.heads_0;
    uint _S54 = _S53 * s_7.queries_0;
    uint _S55 = _S53 * s_7.query_tiles_0 * _S49 * s_7.parts_0;
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
        uint _S56 = job_1 % _S49;
        uint col0_1 = _S56 * 64U;
        uint _S57 = job_1 / _S49;
        uint part_1 = _S57 % s_7.parts_0;
        uint _S58 = a_2->k_bounds_at_0;
        uint _S59 = a_2->tiles_at_0;
        uint _S60 = job_1 / _S49;
        uint _S61 = _S60 / s_7.parts_0;
        thread Sheet_0 _S62 = s_7;
        Tile_0 _S63 = tileOf_0(&_S62, q_bounds_2, _S50, k_bounds_2, _S58, tiles_1, _S59, _S61, s_7.heads_0, false);
        if(!_S63.found_0)
        {
            job_1 = job_1 + a_2->groups_0;
            continue;
        }
        uint _S64 = ownRows_0(_S63.count_1, t_5);
        uint _S65 = _S63.head_0 / s_7.group_0;
        uint _S66 = _S63.one_0.q_0 + _S63.from_0;
        uint _S67 = first_0(a_2->q_at_0, s_7.q_batch_0, s_7.q_head_0, s_7.q_row_0, _S63.one_0.batch_0, _S63.head_0, _S66);
        uint _S68 = _S63.from_0 + _S63.count_1 - 1U;
        thread Sheet_0 _S69 = s_7;
        thread Sequence_0 _S70 = _S63.one_0;
        int _S71 = position_0(&_S69, &_S70, _S68);
        uint end_0 = uint(clamp(_S71 + s_7.right_0 + int(1), int(0), int(_S63.one_0.keys_1)));
        thread Sheet_0 _S72 = s_7;
        thread Sequence_0 _S73 = _S63.one_0;
        int _S74 = position_0(&_S72, &_S73, _S63.from_0);
        uint _S75 = max(uint(clamp(_S74 - s_7.left_0, int(0), int(end_0))), part_1 * s_7.part_keys_0);
        uint _S76 = max(_S75, min(end_0, (part_1 + 1U) * s_7.part_keys_0));
        thread array<array<float, int(4)>, int(4)> sum_3;
        clear_0(&sum_3);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(t_5 < 32U)
        {
            (*kernelContext_3->row_max_0)[t_5] = - (as_type<float>((2139095040U)));
            (*kernelContext_3->row_sum_0)[t_5] = 0.0f;
        }
        uint key_1 = _S75;
        for(;;)
        {
            if(key_1 < _S76)
            {
            }
            else
            {
                break;
            }
            uint _S77 = min(64U, _S76 - key_1);
            uint _S78 = _S63.one_0.k_0 + key_1;
            thread array<array<float, int(4)>, int(4)> dot_3;
            dots_0(q_3, _S67, s_7.q_row_0, _S63.count_1, k_4, first_0(a_2->k_at_0, s_7.k_batch_0, s_7.k_head_0, s_7.k_row_0, _S63.one_0.batch_0, _S65, _S78), s_7.k_row_0, _S77, s_7.width_0, t_5, &dot_3, kernelContext_3);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            thread array<array<float, int(4)>, int(4)> _S79 = dot_3;
            put_0(&_S79, t_5, kernelContext_3);
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
                    if(column_0 < _S77)
                    {
                    }
                    else
                    {
                        break;
                    }
                    uint row_1 = t_5 / 16U * 4U + i_1;
                    uint _S80 = _S63.from_0 + row_1;
                    uint _S81 = key_1 + column_0;
                    float _S82 = (*kernelContext_3->tile_of_0)[row_1 * 65U + column_0];
                    thread Sheet_0 _S83 = s_7;
                    thread Sequence_0 _S84 = _S63.one_0;
                    float _S85 = score_0(&_S83, &_S84, mask_1, a_2->mask_at_0, _S63.head_0, _S80, _S81, _S82);
                    (*kernelContext_3->tile_of_0)[row_1 * 65U + column_0] = _S85;
                    column_0 = column_0 + 16U;
                }
                i_1 = i_1 + 1U;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint row_2 = t_5 / 4U;
            uint _S86 = row_2 * 65U;
            uint _S87 = t_5 % 4U;
            uint _S88 = _S87 * 16U;
            uint from_1 = _S86 + _S88;
            uint _S89 = _S86 + min(_S77, _S88 + 16U);
            float _S90 = - (as_type<float>((2139095040U)));
            column_0 = from_1;
            m_1 = _S90;
            for(;;)
            {
                if(column_0 < _S89)
                {
                }
                else
                {
                    break;
                }
                float _S91 = larger_0(m_1, (*kernelContext_3->tile_of_0)[column_0]);
                column_0 = column_0 + 1U;
                m_1 = _S91;
            }
            (*kernelContext_3->parts_1)[t_5] = m_1;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float before_0 = (*kernelContext_3->row_max_0)[row_2];
            uint _S92 = 4U * row_2;
            float now_0 = larger_0(larger_0(larger_0((*kernelContext_3->parts_1)[_S92], (*kernelContext_3->parts_1)[_S92 + 1U]), larger_0((*kernelContext_3->parts_1)[_S92 + 2U], (*kernelContext_3->parts_1)[_S92 + 3U])), (*kernelContext_3->row_max_0)[row_2]);
            if(now_0 == _S90)
            {
                base_0 = 0.0f;
            }
            else
            {
                base_0 = now_0;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            at_3 = from_1;
            float total_0 = 0.0f;
            for(;;)
            {
                if(at_3 < _S89)
                {
                }
                else
                {
                    break;
                }
                float z_0 = (*kernelContext_3->tile_of_0)[at_3];
                if(((*kernelContext_3->tile_of_0)[at_3]) == _S90)
                {
                    p_1 = 0.0f;
                }
                else
                {
                    p_1 = expNegative_0(z_0 - base_0);
                }
                (*kernelContext_3->tile_of_0)[at_3] = p_1;
                float total_1 = total_0 + p_1;
                at_3 = at_3 + 1U;
                total_0 = total_1;
            }
            (*kernelContext_3->parts_1)[t_5] = total_0;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(_S87 == 0U)
            {
                if(before_0 == _S90)
                {
                    p_1 = 0.0f;
                }
                else
                {
                    p_1 = expNegative_0(before_0 - base_0);
                }
                (*kernelContext_3->row_keep_0)[row_2] = p_1;
                (*kernelContext_3->row_sum_0)[row_2] = fma((*kernelContext_3->row_sum_0)[row_2], p_1, (*kernelContext_3->parts_1)[t_5] + (*kernelContext_3->parts_1)[t_5 + 1U] + ((*kernelContext_3->parts_1)[t_5 + 2U] + (*kernelContext_3->parts_1)[t_5 + 3U]));
                (*kernelContext_3->row_max_0)[row_2] = now_0;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _S93 = (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U];
            sum_3[0U][int(0)] = sum_3[0U][int(0)] * (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U];
            sum_3[0U][int(1)] = sum_3[0U][int(1)] * _S93;
            sum_3[0U][int(2)] = sum_3[0U][int(2)] * _S93;
            sum_3[0U][int(3)] = sum_3[0U][int(3)] * _S93;
            float _S94 = (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 1U];
            sum_3[1U][int(0)] = sum_3[1U][int(0)] * (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 1U];
            sum_3[1U][int(1)] = sum_3[1U][int(1)] * _S94;
            sum_3[1U][int(2)] = sum_3[1U][int(2)] * _S94;
            sum_3[1U][int(3)] = sum_3[1U][int(3)] * _S94;
            float _S95 = (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 2U];
            sum_3[2U][int(0)] = sum_3[2U][int(0)] * (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 2U];
            sum_3[2U][int(1)] = sum_3[2U][int(1)] * _S95;
            sum_3[2U][int(2)] = sum_3[2U][int(2)] * _S95;
            sum_3[2U][int(3)] = sum_3[2U][int(3)] * _S95;
            float _S96 = (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 3U];
            sum_3[3U][int(0)] = sum_3[3U][int(0)] * (*kernelContext_3->row_keep_0)[t_5 / 16U * 4U + 3U];
            sum_3[3U][int(1)] = sum_3[3U][int(1)] * _S96;
            sum_3[3U][int(2)] = sum_3[3U][int(2)] * _S96;
            sum_3[3U][int(3)] = sum_3[3U][int(3)] * _S96;
            add_0(&sum_3, v_3, first_0(a_2->v_at_0, s_7.v_batch_0, s_7.v_head_0, s_7.v_row_0, _S63.one_0.batch_0, _S65, _S78), s_7.v_row_0, _S77, s_7.width_0, col0_1, t_5, kernelContext_3);
            key_1 = key_1 + 64U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        thread array<array<float, int(4)>, int(4)> _S97 = sum_3;
        thread array<float, int(16)> list_1;
        listed_0(&_S97, &list_1);
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
            uint row_3 = t_5 / 16U * 4U + i_1;
            float _S98 = (*kernelContext_3->row_sum_0)[row_3];
            uint _S99 = first_0(a_2->out_at_0, s_7.out_batch_0, s_7.out_head_0, s_7.out_row_0, _S63.one_0.batch_0, _S63.head_0, _S66 + row_3);
            uint _S100 = _S63.from_0 + row_3;
            thread Sheet_0 _S101 = s_7;
            thread Sequence_0 _S102 = _S63.one_0;
            uint _S103 = partialAt_0(&_S101, a_2->partial_at_0, _S54, part_1, &_S102, _S63.head_0, _S100);
            uint _S104 = _S103 + 2U;
            uint _S105 = col0_1 + t_5 % 16U;
            column_0 = 0U;
            at_3 = _S105;
            for(;;)
            {
                if(column_0 < 4U)
                {
                    _S48 = at_3 < (s_7.width_0);
                }
                else
                {
                    _S48 = false;
                }
                if(_S48)
                {
                }
                else
                {
                    break;
                }
                if((s_7.parts_0) == 1U)
                {
                    float device* _S106 = out_0+(_S99 + at_3);
                    if(_S98 == 0.0f)
                    {
                        m_1 = 0.0f;
                    }
                    else
                    {
                        m_1 = list_1[4U * i_1 + column_0] * (1.0f / _S98);
                    }
                    *_S106 = m_1;
                }
                else
                {
                    *(partial_0+(_S104 + at_3)) = list_1[4U * i_1 + column_0];
                }
                uint col_1 = at_3 + 16U;
                column_0 = column_0 + 1U;
                at_3 = col_1;
            }
            i_1 = i_1 + 1U;
        }
        if((s_7.parts_0) > 1U)
        {
            _S48 = col0_1 == 0U;
        }
        else
        {
            _S48 = false;
        }
        bool _S107;
        if(_S48)
        {
            _S107 = t_5 < (_S63.count_1);
        }
        else
        {
            _S107 = false;
        }
        if(_S107)
        {
            uint _S108 = _S63.from_0 + t_5;
            thread Sheet_0 _S109 = s_7;
            thread Sequence_0 _S110 = _S63.one_0;
            uint _S111 = partialAt_0(&_S109, a_2->partial_at_0, _S54, part_1, &_S110, _S63.head_0, _S108);
            *(partial_0+_S111) = (*kernelContext_3->row_max_0)[t_5];
            *(partial_0+(_S111 + 1U)) = (*kernelContext_3->row_sum_0)[t_5];
        }
        bool _S112;
        if((s_7.parts_0) == 1U)
        {
            _S112 = (a_2->stats_at_0) != 4294967295U;
        }
        else
        {
            _S112 = false;
        }
        bool _S113;
        if(_S112)
        {
            _S113 = col0_1 == 0U;
        }
        else
        {
            _S113 = false;
        }
        bool _S114;
        if(_S113)
        {
            _S114 = t_5 < (_S63.count_1);
        }
        else
        {
            _S114 = false;
        }
        if(_S114)
        {
            uint _S115 = _S63.from_0 + t_5;
            thread Sheet_0 _S116 = s_7;
            thread Sequence_0 _S117 = _S63.one_0;
            uint _S118 = statAt_0(&_S116, &_S117, _S63.head_0, _S115);
            uint at_4 = a_2->stats_at_0 + _S118;
            bool none_0 = ((*kernelContext_3->row_sum_0)[t_5]) == 0.0f;
            float device* _S119 = stats_0+at_4;
            if(none_0)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = (*kernelContext_3->row_max_0)[t_5];
            }
            *_S119 = m_1;
            float device* _S120 = stats_0+(at_4 + _S54);
            if(none_0)
            {
                base_0 = 0.0f;
            }
            else
            {
                base_0 = 1.0f / (*kernelContext_3->row_sum_0)[t_5];
            }
            *_S120 = base_0;
        }
        job_1 = job_1 + a_2->groups_0;
    }
    return;
}

[[kernel]] void attention_f32(uint3 group_2 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_q_1 [[buffer(3)]], float device* entryPointParams_k_1 [[buffer(4)]], float device* entryPointParams_v_1 [[buffer(5)]], uint device* entryPointParams_mask_1 [[buffer(6)]], uint device* entryPointParams_q_bounds_1 [[buffer(7)]], uint device* entryPointParams_k_bounds_1 [[buffer(8)]], uint device* entryPointParams_tiles_1 [[buffer(9)]], float device* entryPointParams_partial_1 [[buffer(10)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(11)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_4)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_4)->entryPointParams_q_0 = entryPointParams_q_1;
    (&kernelContext_4)->entryPointParams_k_0 = entryPointParams_k_1;
    (&kernelContext_4)->entryPointParams_v_0 = entryPointParams_v_1;
    (&kernelContext_4)->entryPointParams_mask_0 = entryPointParams_mask_1;
    (&kernelContext_4)->entryPointParams_q_bounds_0 = entryPointParams_q_bounds_1;
    (&kernelContext_4)->entryPointParams_k_bounds_0 = entryPointParams_k_bounds_1;
    (&kernelContext_4)->entryPointParams_tiles_0 = entryPointParams_tiles_1;
    (&kernelContext_4)->entryPointParams_partial_0 = entryPointParams_partial_1;
    (&kernelContext_4)->entryPointParams_sheet_0 = entryPointParams_sheet_1;
    threadgroup array<float, int(2080)> tile_of_1;
    (&kernelContext_4)->tile_of_0 = &tile_of_1;
    threadgroup array<float, int(32)> row_max_1;
    (&kernelContext_4)->row_max_0 = &row_max_1;
    threadgroup array<float, int(32)> row_sum_1;
    (&kernelContext_4)->row_sum_0 = &row_sum_1;
    threadgroup array<float, int(544)> left_tile_1;
    (&kernelContext_4)->left_tile_0 = &left_tile_1;
    threadgroup array<float, int(1088)> right_tile_1;
    (&kernelContext_4)->right_tile_0 = &right_tile_1;
    threadgroup array<float, int(128)> parts_2;
    (&kernelContext_4)->parts_1 = &parts_2;
    threadgroup array<float, int(32)> row_keep_1;
    (&kernelContext_4)->row_keep_0 = &row_keep_1;
    forwardOf_0(group_2.x, thread_0.x, entryPointParams_out_1, entryPointParams_stats_1, entryPointParams_q_1, entryPointParams_k_1, entryPointParams_v_1, entryPointParams_mask_1, entryPointParams_q_bounds_1, entryPointParams_k_bounds_1, entryPointParams_tiles_1, entryPointParams_partial_1, entryPointParams_sheet_1, &entryPointParams_1->a_0, &kernelContext_4);
    return;
}


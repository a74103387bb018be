#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Sequence_0
{
    uint batch_0;
    uint q_0;
    uint k_0;
    uint queries_0;
    uint keys_0;
};

Sequence_0 Sequence_x24init_0(uint batch_1, uint q_1, uint k_1, uint queries_1, uint keys_1)
{
    thread Sequence_0 _S1;
    (&_S1)->batch_0 = batch_1;
    (&_S1)->q_0 = q_1;
    (&_S1)->k_0 = k_1;
    (&_S1)->queries_0 = queries_1;
    (&_S1)->keys_0 = keys_1;
    return _S1;
}

Sequence_0 packedSequence_0(uint device* q_bounds_0, uint q_at_0, uint device* k_bounds_0, uint k_at_0, uint s_0)
{
    uint _S2 = q_at_0 + s_0;
    uint q_2 = q_bounds_0[_S2];
    uint _S3 = k_at_0 + s_0;
    uint k_2 = k_bounds_0[_S3];
    return Sequence_x24init_0(0U, q_2, k_2, q_bounds_0[_S2 + 1U] - q_2, k_bounds_0[_S3 + 1U] - k_2);
}

uint first_0(uint at_0, int batch_step_0, int head_step_0, int row_step_0, uint batch_2, uint head_0, uint row_0)
{
    return uint(int(at_0) + int(batch_2) * batch_step_0 + int(head_0) * head_step_0 + int(row_0) * row_step_0);
}

void clear_0(array<array<float, int(8)>, int(4)> thread* sum_0)
{
    (*sum_0)[0U][0U] = 0.0f;
    (*sum_0)[0U][1U] = 0.0f;
    (*sum_0)[0U][2U] = 0.0f;
    (*sum_0)[0U][3U] = 0.0f;
    (*sum_0)[0U][4U] = 0.0f;
    (*sum_0)[0U][5U] = 0.0f;
    (*sum_0)[0U][6U] = 0.0f;
    (*sum_0)[0U][7U] = 0.0f;
    (*sum_0)[1U][0U] = 0.0f;
    (*sum_0)[1U][1U] = 0.0f;
    (*sum_0)[1U][2U] = 0.0f;
    (*sum_0)[1U][3U] = 0.0f;
    (*sum_0)[1U][4U] = 0.0f;
    (*sum_0)[1U][5U] = 0.0f;
    (*sum_0)[1U][6U] = 0.0f;
    (*sum_0)[1U][7U] = 0.0f;
    (*sum_0)[2U][0U] = 0.0f;
    (*sum_0)[2U][1U] = 0.0f;
    (*sum_0)[2U][2U] = 0.0f;
    (*sum_0)[2U][3U] = 0.0f;
    (*sum_0)[2U][4U] = 0.0f;
    (*sum_0)[2U][5U] = 0.0f;
    (*sum_0)[2U][6U] = 0.0f;
    (*sum_0)[2U][7U] = 0.0f;
    (*sum_0)[3U][0U] = 0.0f;
    (*sum_0)[3U][1U] = 0.0f;
    (*sum_0)[3U][2U] = 0.0f;
    (*sum_0)[3U][3U] = 0.0f;
    (*sum_0)[3U][4U] = 0.0f;
    (*sum_0)[3U][5U] = 0.0f;
    (*sum_0)[3U][6U] = 0.0f;
    (*sum_0)[3U][7U] = 0.0f;
    return;
}

struct Forward_0
{
    uint groups_0;
    uint out_at_0;
    uint stats_at_0;
    uint q_at_1;
    uint k_at_1;
    uint v_at_0;
    uint mask_at_0;
    uint q_bounds_at_0;
    uint k_bounds_at_0;
    uint tiles_at_0;
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
    uint queries_2;
    uint keys_2;
    uint width_0;
    int left_0;
    int right_0;
    uint step_0;
    float scale_0;
    uint query_tiles_0;
    uint key_tiles_0;
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
    Sheet_0 device* entryPointParams_sheet_0;
    array<float, int(32)> threadgroup* row_max_0;
    array<float, int(32)> threadgroup* row_sum_0;
    array<float, int(544)> threadgroup* left_tile_0;
    array<float, int(1088)> threadgroup* right_tile_0;
    array<float, int(2080)> threadgroup* tile_of_0;
    array<float, int(128)> threadgroup* parts_0;
    array<float, int(32)> threadgroup* row_keep_0;
};

void dots_0(float device* x_0, uint x_at_0, int x_row_0, uint x_count_0, float device* y_0, uint y_at_0, int y_row_0, uint y_count_0, uint width_1, uint t_0, array<array<float, int(4)>, int(4)> thread* dot_0, KernelContext_0 thread* kernelContext_0)
{
    bool _S4;
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
        if(d0_0 < width_1)
        {
        }
        else
        {
            break;
        }
        uint _S5 = t_0 % 16U;
        uint _S6 = d0_0 + _S5;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint r_0 = t_0 / 16U;
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
                _S4 = _S6 < width_1;
            }
            else
            {
                _S4 = false;
            }
            if(_S4)
            {
                v_0 = x_0[uint(int(x_at_0) + int(r_0) * x_row_0) + _S6];
            }
            else
            {
                v_0 = 0.0f;
            }
            (*kernelContext_0->left_tile_0)[r_0 * 17U + _S5] = v_0;
            r_0 = r_0 + 8U;
        }
        uint r_1 = t_0 / 16U;
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
                _S4 = _S6 < width_1;
            }
            else
            {
                _S4 = false;
            }
            if(_S4)
            {
                v_0 = y_0[uint(int(y_at_0) + int(r_1) * y_row_0) + _S6];
            }
            else
            {
                v_0 = 0.0f;
            }
            (*kernelContext_0->right_tile_0)[r_1 * 17U + _S5] = v_0;
            r_1 = r_1 + 8U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S7 = min(16U, width_1 - d0_0);
        uint k_3 = 0U;
        for(;;)
        {
            if(k_3 < _S7)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(4)> u_0;
            thread array<float, int(4)> v_1;
            float _S8 = (*kernelContext_0->left_tile_0)[t_0 / 16U * 4U * 17U + k_3];
            u_0[0U] = (*kernelContext_0->left_tile_0)[t_0 / 16U * 4U * 17U + k_3];
            float _S9 = (*kernelContext_0->left_tile_0)[(t_0 / 16U * 4U + 1U) * 17U + k_3];
            u_0[1U] = (*kernelContext_0->left_tile_0)[(t_0 / 16U * 4U + 1U) * 17U + k_3];
            float _S10 = (*kernelContext_0->left_tile_0)[(t_0 / 16U * 4U + 2U) * 17U + k_3];
            u_0[2U] = (*kernelContext_0->left_tile_0)[(t_0 / 16U * 4U + 2U) * 17U + k_3];
            float _S11 = (*kernelContext_0->left_tile_0)[(t_0 / 16U * 4U + 3U) * 17U + k_3];
            u_0[3U] = (*kernelContext_0->left_tile_0)[(t_0 / 16U * 4U + 3U) * 17U + k_3];
            float _S12 = (*kernelContext_0->right_tile_0)[_S5 * 17U + k_3];
            v_1[0U] = (*kernelContext_0->right_tile_0)[_S5 * 17U + k_3];
            float _S13 = (*kernelContext_0->right_tile_0)[(_S5 + 16U) * 17U + k_3];
            v_1[1U] = (*kernelContext_0->right_tile_0)[(_S5 + 16U) * 17U + k_3];
            float _S14 = (*kernelContext_0->right_tile_0)[(_S5 + 32U) * 17U + k_3];
            v_1[2U] = (*kernelContext_0->right_tile_0)[(_S5 + 32U) * 17U + k_3];
            float _S15 = (*kernelContext_0->right_tile_0)[(_S5 + 48U) * 17U + k_3];
            v_1[3U] = (*kernelContext_0->right_tile_0)[(_S5 + 48U) * 17U + k_3];
            (*dot_0)[0U][0U] = fma(_S8, _S12, (*dot_0)[0U][0U]);
            (*dot_0)[0U][1U] = fma(_S8, _S13, (*dot_0)[0U][1U]);
            (*dot_0)[0U][2U] = fma(_S8, _S14, (*dot_0)[0U][2U]);
            (*dot_0)[0U][3U] = fma(_S8, _S15, (*dot_0)[0U][3U]);
            (*dot_0)[1U][0U] = fma(_S9, _S12, (*dot_0)[1U][0U]);
            (*dot_0)[1U][1U] = fma(_S9, _S13, (*dot_0)[1U][1U]);
            (*dot_0)[1U][2U] = fma(_S9, _S14, (*dot_0)[1U][2U]);
            (*dot_0)[1U][3U] = fma(_S9, _S15, (*dot_0)[1U][3U]);
            (*dot_0)[2U][0U] = fma(_S10, _S12, (*dot_0)[2U][0U]);
            (*dot_0)[2U][1U] = fma(_S10, _S13, (*dot_0)[2U][1U]);
            (*dot_0)[2U][2U] = fma(_S10, _S14, (*dot_0)[2U][2U]);
            (*dot_0)[2U][3U] = fma(_S10, _S15, (*dot_0)[2U][3U]);
            (*dot_0)[3U][0U] = fma(_S11, _S12, (*dot_0)[3U][0U]);
            (*dot_0)[3U][1U] = fma(_S11, _S13, (*dot_0)[3U][1U]);
            (*dot_0)[3U][2U] = fma(_S11, _S14, (*dot_0)[3U][2U]);
            (*dot_0)[3U][3U] = fma(_S11, _S15, (*dot_0)[3U][3U]);
            k_3 = k_3 + 1U;
        }
        d0_0 = d0_0 + 16U;
    }
    return;
}

uint place_0(uint i_0, uint j_0, uint t_1)
{
    return (t_1 / 16U * 4U + i_0) * 65U + t_1 % 16U + 16U * j_0;
}

bool isNaN_0(float x_1)
{
    return ((as_type<uint>((x_1))) & 2147483647U) > 2139095040U;
}

float larger_0(float a_1, float b_0)
{
    bool _S16;
    if(a_1 > b_0)
    {
        _S16 = true;
    }
    else
    {
        _S16 = isNaN_0(a_1);
    }
    float _S17;
    if(_S16)
    {
        _S17 = a_1;
    }
    else
    {
        _S17 = b_0;
    }
    return _S17;
}

void add_0(array<array<float, int(8)>, int(4)> thread* sum_1, float device* y_1, uint y_at_1, int y_row_1, uint count_0, uint width_2, uint col0_0, uint t_2, KernelContext_0 thread* kernelContext_1)
{
    thread array<uint, int(8)> col_0;
    uint _S18 = col0_0 + t_2 % 16U;
    uint _S19 = max(width_2, 1U) - 1U;
    col_0[0U] = min(_S18, _S19);
    col_0[1U] = min(_S18 + 16U, _S19);
    col_0[2U] = min(_S18 + 32U, _S19);
    col_0[3U] = min(_S18 + 48U, _S19);
    col_0[4U] = min(_S18 + 64U, _S19);
    col_0[5U] = min(_S18 + 80U, _S19);
    col_0[6U] = min(_S18 + 96U, _S19);
    col_0[7U] = min(_S18 + 112U, _S19);
    if(width_2 == 0U)
    {
        return;
    }
    uint j_1 = 0U;
    for(;;)
    {
        if(j_1 < count_0)
        {
        }
        else
        {
            break;
        }
        uint _S20 = uint(int(y_at_1) + int(j_1) * y_row_1);
        thread array<float, int(4)> p_0;
        float _S21 = (*kernelContext_1->tile_of_0)[t_2 / 16U * 4U * 65U + j_1];
        p_0[0U] = (*kernelContext_1->tile_of_0)[t_2 / 16U * 4U * 65U + j_1];
        float _S22 = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 1U) * 65U + j_1];
        p_0[1U] = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 1U) * 65U + j_1];
        float _S23 = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 2U) * 65U + j_1];
        p_0[2U] = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 2U) * 65U + j_1];
        float _S24 = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 3U) * 65U + j_1];
        p_0[3U] = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 3U) * 65U + j_1];
        float _S25 = y_1[_S20 + col_0[0U]];
        (*sum_1)[0U][0U] = fma(_S21, _S25, (*sum_1)[0U][0U]);
        (*sum_1)[1U][0U] = fma(_S22, _S25, (*sum_1)[1U][0U]);
        (*sum_1)[2U][0U] = fma(_S23, _S25, (*sum_1)[2U][0U]);
        (*sum_1)[3U][0U] = fma(_S24, _S25, (*sum_1)[3U][0U]);
        float _S26 = y_1[_S20 + col_0[1U]];
        (*sum_1)[0U][1U] = fma(_S21, _S26, (*sum_1)[0U][1U]);
        (*sum_1)[1U][1U] = fma(_S22, _S26, (*sum_1)[1U][1U]);
        (*sum_1)[2U][1U] = fma(_S23, _S26, (*sum_1)[2U][1U]);
        (*sum_1)[3U][1U] = fma(_S24, _S26, (*sum_1)[3U][1U]);
        float _S27 = y_1[_S20 + col_0[2U]];
        (*sum_1)[0U][2U] = fma(_S21, _S27, (*sum_1)[0U][2U]);
        (*sum_1)[1U][2U] = fma(_S22, _S27, (*sum_1)[1U][2U]);
        (*sum_1)[2U][2U] = fma(_S23, _S27, (*sum_1)[2U][2U]);
        (*sum_1)[3U][2U] = fma(_S24, _S27, (*sum_1)[3U][2U]);
        float _S28 = y_1[_S20 + col_0[3U]];
        (*sum_1)[0U][3U] = fma(_S21, _S28, (*sum_1)[0U][3U]);
        (*sum_1)[1U][3U] = fma(_S22, _S28, (*sum_1)[1U][3U]);
        (*sum_1)[2U][3U] = fma(_S23, _S28, (*sum_1)[2U][3U]);
        (*sum_1)[3U][3U] = fma(_S24, _S28, (*sum_1)[3U][3U]);
        float _S29 = y_1[_S20 + col_0[4U]];
        (*sum_1)[0U][4U] = fma(_S21, _S29, (*sum_1)[0U][4U]);
        (*sum_1)[1U][4U] = fma(_S22, _S29, (*sum_1)[1U][4U]);
        (*sum_1)[2U][4U] = fma(_S23, _S29, (*sum_1)[2U][4U]);
        (*sum_1)[3U][4U] = fma(_S24, _S29, (*sum_1)[3U][4U]);
        float _S30 = y_1[_S20 + col_0[5U]];
        (*sum_1)[0U][5U] = fma(_S21, _S30, (*sum_1)[0U][5U]);
        (*sum_1)[1U][5U] = fma(_S22, _S30, (*sum_1)[1U][5U]);
        (*sum_1)[2U][5U] = fma(_S23, _S30, (*sum_1)[2U][5U]);
        (*sum_1)[3U][5U] = fma(_S24, _S30, (*sum_1)[3U][5U]);
        float _S31 = y_1[_S20 + col_0[6U]];
        (*sum_1)[0U][6U] = fma(_S21, _S31, (*sum_1)[0U][6U]);
        (*sum_1)[1U][6U] = fma(_S22, _S31, (*sum_1)[1U][6U]);
        (*sum_1)[2U][6U] = fma(_S23, _S31, (*sum_1)[2U][6U]);
        (*sum_1)[3U][6U] = fma(_S24, _S31, (*sum_1)[3U][6U]);
        float _S32 = y_1[_S20 + col_0[7U]];
        (*sum_1)[0U][7U] = fma(_S21, _S32, (*sum_1)[0U][7U]);
        (*sum_1)[1U][7U] = fma(_S22, _S32, (*sum_1)[1U][7U]);
        (*sum_1)[2U][7U] = fma(_S23, _S32, (*sum_1)[2U][7U]);
        (*sum_1)[3U][7U] = fma(_S24, _S32, (*sum_1)[3U][7U]);
        j_1 = j_1 + 1U;
    }
    return;
}

uint batches_0(uint _S33, uint _S34, KernelContext_0 thread* kernelContext_2)
{
    Sheet_0 device* _S35 = kernelContext_2->entryPointParams_sheet_0+_S33;
    uint _S36;
    if(_S34 == 4294967295U)
    {
        _S36 = _S35->sequences_0;
    }
    else
    {
        _S36 = 1U;
    }
    return _S36;
}

struct Tile_0
{
    Sequence_0 one_0;
    uint head_1;
    uint from_0;
    uint count_1;
    bool found_0;
};

Tile_0 tileOf_0(uint _S37, uint device* _S38, uint _S39, uint device* _S40, uint _S41, uint device* _S42, uint _S43, uint _S44, uint _S45, bool _S46, KernelContext_0 thread* kernelContext_3)
{
    Sheet_0 device* _S47 = kernelContext_3->entryPointParams_sheet_0+_S37;
    uint most_0;
    if(_S46)
    {
        most_0 = _S47->key_tiles_0;
    }
    else
    {
        most_0 = _S47->query_tiles_0;
    }
    uint _S48 = most_0 - 1U;
    uint _S49 = _S44 % most_0;
    uint place_1 = _S48 - _S49;
    uint _S50 = _S44 / most_0;
    uint head_2 = _S50 % _S45;
    thread Tile_0 tile_0;
    (&tile_0)->head_1 = head_2;
    uint all_0;
    if(_S39 == 4294967295U)
    {
        if(_S46)
        {
            all_0 = _S47->keys_2;
        }
        else
        {
            all_0 = _S47->queries_2;
        }
        uint _S51 = _S44 / most_0;
        uint _S52 = _S51 / _S45;
        (&tile_0)->one_0 = Sequence_x24init_0(_S52, 0U, 0U, _S47->queries_2, _S47->keys_2);
        uint _S53 = place_1 * 32U;
        (&tile_0)->from_0 = _S53;
        (&tile_0)->count_1 = min(32U, all_0 - _S53);
        (&tile_0)->found_0 = true;
    }
    else
    {
        bool _S54 = place_1 < _S42[_S43];
        (&tile_0)->found_0 = _S54;
        uint _S55 = _S43 + 1U;
        if(_S54)
        {
            most_0 = place_1;
        }
        else
        {
            most_0 = 0U;
        }
        uint at_1 = _S55 + 3U * most_0;
        if((&tile_0)->found_0)
        {
            all_0 = _S42[at_1];
        }
        else
        {
            all_0 = 0U;
        }
        (&tile_0)->one_0 = packedSequence_0(_S38, _S39, _S40, _S41, all_0);
        if((&tile_0)->found_0)
        {
            uint _S56 = _S42[at_1 + 1U];
            if(_S46)
            {
                most_0 = (&(&tile_0)->one_0)->k_0;
            }
            else
            {
                most_0 = (&(&tile_0)->one_0)->q_0;
            }
            most_0 = _S56 - most_0;
        }
        else
        {
            most_0 = 0U;
        }
        (&tile_0)->from_0 = most_0;
        if((&tile_0)->found_0)
        {
            most_0 = _S42[at_1 + 2U] - _S42[at_1 + 1U];
        }
        else
        {
            most_0 = 0U;
        }
        (&tile_0)->count_1 = most_0;
    }
    return tile_0;
}

int position_0(uint _S57, const Sequence_0 thread* _S58, uint _S59, KernelContext_0 thread* kernelContext_4)
{
    int _S60;
    if(((kernelContext_4->entryPointParams_sheet_0+_S57)->step_0) == 0U)
    {
        _S60 = int(_S58->keys_0) - int(1);
    }
    else
    {
        _S60 = int(_S59) + int(_S58->keys_0) - int(_S58->queries_0);
    }
    return _S60;
}

float score_0(uint _S61, const Sequence_0 thread* _S62, uint device* _S63, uint _S64, uint _S65, uint _S66, uint _S67, float _S68, KernelContext_0 thread* kernelContext_5)
{
    Sheet_0 device* _S69 = kernelContext_5->entryPointParams_sheet_0+_S61;
    int _S70 = position_0(_S61, _S62, _S66, kernelContext_5);
    bool _S71;
    if(_S66 >= (_S62->queries_0))
    {
        _S71 = true;
    }
    else
    {
        _S71 = _S67 >= (_S62->keys_0);
    }
    if(_S71)
    {
        _S71 = true;
    }
    else
    {
        _S71 = int(_S67) < (_S70 - _S69->left_0);
    }
    if(_S71)
    {
        _S71 = true;
    }
    else
    {
        _S71 = int(_S67) > (_S70 + _S69->right_0);
    }
    if(_S71)
    {
        return - (as_type<float>((2139095040U)));
    }
    float v_2 = _S69->scale_0 * _S68;
    if(_S64 == 4294967295U)
    {
        return v_2;
    }
    uint m_0 = _S63[uint(int(_S64) + int(_S62->batch_0) * _S69->mask_batch_0 + int(_S65) * _S69->mask_head_0 + int(_S66) * _S69->mask_query_0 + int(_S67) * _S69->mask_key_0)];
    if((_S69->mask_kind_0) == 1U)
    {
        return v_2 + (as_type<float>((m_0)));
    }
    float _S72;
    if(m_0 == 0U)
    {
        _S72 = - (as_type<float>((2139095040U)));
    }
    else
    {
        _S72 = v_2;
    }
    return _S72;
}

uint statAt_0(uint _S73, const Sequence_0 thread* _S74, uint _S75, uint _S76, KernelContext_0 thread* kernelContext_6)
{
    Sheet_0 device* _S77 = kernelContext_6->entryPointParams_sheet_0+_S73;
    return (_S74->batch_0 * _S77->heads_0 + _S75) * _S77->queries_2 + _S74->q_0 + _S76;
}

[[kernel]] void attention_f32(uint3 group_1 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_q_1 [[buffer(3)]], float device* entryPointParams_k_1 [[buffer(4)]], float device* entryPointParams_v_1 [[buffer(5)]], uint device* entryPointParams_mask_1 [[buffer(6)]], uint device* entryPointParams_q_bounds_1 [[buffer(7)]], uint device* entryPointParams_k_bounds_1 [[buffer(8)]], uint device* entryPointParams_tiles_1 [[buffer(9)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(10)]])
{
    float m_1;
    float base_0;
    float p_1;
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_7)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_7)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_7)->entryPointParams_q_0 = entryPointParams_q_1;
    (&kernelContext_7)->entryPointParams_k_0 = entryPointParams_k_1;
    (&kernelContext_7)->entryPointParams_v_0 = entryPointParams_v_1;
    (&kernelContext_7)->entryPointParams_mask_0 = entryPointParams_mask_1;
    (&kernelContext_7)->entryPointParams_q_bounds_0 = entryPointParams_q_bounds_1;
    (&kernelContext_7)->entryPointParams_k_bounds_0 = entryPointParams_k_bounds_1;
    (&kernelContext_7)->entryPointParams_tiles_0 = entryPointParams_tiles_1;
    (&kernelContext_7)->entryPointParams_sheet_0 = entryPointParams_sheet_1;
    threadgroup array<float, int(32)> row_max_1;
    (&kernelContext_7)->row_max_0 = &row_max_1;
    threadgroup array<float, int(32)> row_sum_1;
    (&kernelContext_7)->row_sum_0 = &row_sum_1;
    threadgroup array<float, int(544)> left_tile_1;
    (&kernelContext_7)->left_tile_0 = &left_tile_1;
    threadgroup array<float, int(1088)> right_tile_1;
    (&kernelContext_7)->right_tile_0 = &right_tile_1;
    threadgroup array<float, int(2080)> tile_of_1;
    (&kernelContext_7)->tile_of_0 = &tile_of_1;
    threadgroup array<float, int(128)> parts_1;
    (&kernelContext_7)->parts_0 = &parts_1;
    threadgroup array<float, int(32)> row_keep_1;
    (&kernelContext_7)->row_keep_0 = &row_keep_1;
    Forward_0 _S78 = entryPointParams_1->a_0;
    Sheet_0 device* _S79 = entryPointParams_sheet_1+entryPointParams_1->a_0.sheet_at_0;
    uint _S80 = thread_0.x;
    uint _S81 = _S79->width_0;
    uint _S82 = max(1U, (_S79->width_0 + 128U - 1U) / 128U);
    uint _S83 = batches_0(entryPointParams_1->a_0.sheet_at_0, entryPointParams_1->a_0.q_bounds_at_0, &kernelContext_7);
    uint _S84 = _S79->heads_0;
    uint _S85 = _S83 * _S79->heads_0 * _S79->query_tiles_0 * _S82;
    uint job_0 = group_1.x;
    for(;;)
    {
        if(job_0 < _S85)
        {
        }
        else
        {
            break;
        }
        uint _S86 = job_0 % _S82;
        uint col0_1 = _S86 * 128U;
        Forward_0 _S87 = entryPointParams_1->a_0;
        Forward_0 _S88 = entryPointParams_1->a_0;
        Forward_0 _S89 = entryPointParams_1->a_0;
        uint _S90 = job_0 / _S82;
        Tile_0 _S91 = tileOf_0(_S78.sheet_at_0, (&kernelContext_7)->entryPointParams_q_bounds_0, _S87.q_bounds_at_0, (&kernelContext_7)->entryPointParams_k_bounds_0, _S88.k_bounds_at_0, (&kernelContext_7)->entryPointParams_tiles_0, _S89.tiles_at_0, _S90, _S84, false, &kernelContext_7);
        if(!_S91.found_0)
        {
            job_0 = job_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S92 = _S91.head_1 / _S79->group_0;
        int _S93 = _S79->q_row_0;
        uint _S94 = _S91.one_0.q_0 + _S91.from_0;
        uint _S95 = first_0(entryPointParams_1->a_0.q_at_1, _S79->q_batch_0, _S79->q_head_0, _S79->q_row_0, _S91.one_0.batch_0, _S91.head_1, _S94);
        uint _S96 = _S91.from_0 + _S91.count_1 - 1U;
        thread Sequence_0 _S97 = _S91.one_0;
        int _S98 = position_0(_S78.sheet_at_0, &_S97, _S96, &kernelContext_7);
        uint end_0 = uint(clamp(_S98 + _S79->right_0 + int(1), int(0), int(_S91.one_0.keys_0)));
        thread Sequence_0 _S99 = _S91.one_0;
        int _S100 = position_0(_S78.sheet_at_0, &_S99, _S91.from_0, &kernelContext_7);
        uint begin_0 = uint(clamp(_S100 - _S79->left_0, int(0), int(end_0)));
        thread array<array<float, int(8)>, int(4)> sum_2;
        clear_0(&sum_2);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(_S80 < 32U)
        {
            (*(&kernelContext_7)->row_max_0)[_S80] = - (as_type<float>((2139095040U)));
            (*(&kernelContext_7)->row_sum_0)[_S80] = 0.0f;
        }
        uint key_0 = begin_0;
        for(;;)
        {
            if(key_0 < end_0)
            {
            }
            else
            {
                break;
            }
            uint _S101 = min(64U, end_0 - key_0);
            uint _S102 = _S91.one_0.k_0 + key_0;
            thread array<array<float, int(4)>, int(4)> dot_1;
            dots_0((&kernelContext_7)->entryPointParams_q_0, _S95, _S93, _S91.count_1, (&kernelContext_7)->entryPointParams_k_0, first_0(entryPointParams_1->a_0.k_at_1, _S79->k_batch_0, _S79->k_head_0, _S79->k_row_0, _S91.one_0.batch_0, _S92, _S102), _S79->k_row_0, _S101, _S81, _S80, &dot_1, &kernelContext_7);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 0U, _S80)] = dot_1[0U][0U];
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 1U, _S80)] = dot_1[0U][1U];
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 2U, _S80)] = dot_1[0U][2U];
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 3U, _S80)] = dot_1[0U][3U];
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 0U, _S80)] = dot_1[1U][0U];
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 1U, _S80)] = dot_1[1U][1U];
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 2U, _S80)] = dot_1[1U][2U];
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 3U, _S80)] = dot_1[1U][3U];
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 0U, _S80)] = dot_1[2U][0U];
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 1U, _S80)] = dot_1[2U][1U];
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 2U, _S80)] = dot_1[2U][2U];
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 3U, _S80)] = dot_1[2U][3U];
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 0U, _S80)] = dot_1[3U][0U];
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 1U, _S80)] = dot_1[3U][1U];
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 2U, _S80)] = dot_1[3U][2U];
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 3U, _S80)] = dot_1[3U][3U];
            uint e_0 = 0U;
            for(;;)
            {
                if(e_0 < 16U)
                {
                }
                else
                {
                    break;
                }
                uint i_1 = e_0 / 4U;
                uint _S103 = e_0 % 4U;
                uint column_0 = _S80 % 16U + 16U * _S103;
                if(column_0 < _S101)
                {
                    uint _S104 = _S91.from_0 + _S80 / 16U * 4U + i_1;
                    uint _S105 = key_0 + column_0;
                    float _S106 = (*(&kernelContext_7)->tile_of_0)[place_0(i_1, _S103, _S80)];
                    thread Sequence_0 _S107 = _S91.one_0;
                    float _S108 = score_0(_S78.sheet_at_0, &_S107, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S91.head_1, _S104, _S105, _S106, &kernelContext_7);
                    m_1 = _S108;
                }
                else
                {
                    m_1 = - (as_type<float>((2139095040U)));
                }
                (*(&kernelContext_7)->tile_of_0)[place_0(i_1, _S103, _S80)] = m_1;
                e_0 = e_0 + 1U;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint row_1 = _S80 / 4U;
            uint _S109 = _S80 % 4U;
            uint _S110 = row_1 * 65U + _S109 * 16U;
            float _S111 = - (as_type<float>((2139095040U)));
            uint j_2 = 0U;
            m_1 = _S111;
            for(;;)
            {
                if(j_2 < 16U)
                {
                }
                else
                {
                    break;
                }
                float _S112 = larger_0(m_1, (*(&kernelContext_7)->tile_of_0)[_S110 + j_2]);
                j_2 = j_2 + 1U;
                m_1 = _S112;
            }
            (*(&kernelContext_7)->parts_0)[_S80] = m_1;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float before_0 = (*(&kernelContext_7)->row_max_0)[row_1];
            uint _S113 = 4U * row_1;
            float now_0 = larger_0(larger_0(larger_0((*(&kernelContext_7)->parts_0)[_S113], (*(&kernelContext_7)->parts_0)[_S113 + 1U]), larger_0((*(&kernelContext_7)->parts_0)[_S113 + 2U], (*(&kernelContext_7)->parts_0)[_S113 + 3U])), (*(&kernelContext_7)->row_max_0)[row_1]);
            if(now_0 == _S111)
            {
                base_0 = 0.0f;
            }
            else
            {
                base_0 = now_0;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint j_3 = 0U;
            float total_0 = 0.0f;
            for(;;)
            {
                if(j_3 < 16U)
                {
                }
                else
                {
                    break;
                }
                float z_0 = (*(&kernelContext_7)->tile_of_0)[_S110 + j_3];
                if(((*(&kernelContext_7)->tile_of_0)[_S110 + j_3]) == _S111)
                {
                    p_1 = 0.0f;
                }
                else
                {
                    p_1 = exp(z_0 - base_0);
                }
                (*(&kernelContext_7)->tile_of_0)[_S110 + j_3] = p_1;
                float total_1 = total_0 + p_1;
                j_3 = j_3 + 1U;
                total_0 = total_1;
            }
            (*(&kernelContext_7)->parts_0)[_S80] = total_0;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(_S109 == 0U)
            {
                if(before_0 == _S111)
                {
                    p_1 = 0.0f;
                }
                else
                {
                    p_1 = exp(before_0 - base_0);
                }
                (*(&kernelContext_7)->row_keep_0)[row_1] = p_1;
                (*(&kernelContext_7)->row_sum_0)[row_1] = fma((*(&kernelContext_7)->row_sum_0)[row_1], p_1, (*(&kernelContext_7)->parts_0)[_S80] + (*(&kernelContext_7)->parts_0)[_S80 + 1U] + ((*(&kernelContext_7)->parts_0)[_S80 + 2U] + (*(&kernelContext_7)->parts_0)[_S80 + 3U]));
                (*(&kernelContext_7)->row_max_0)[row_1] = now_0;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _S114 = (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U];
            sum_2[0U][0U] = sum_2[0U][0U] * (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U];
            sum_2[0U][1U] = sum_2[0U][1U] * _S114;
            sum_2[0U][2U] = sum_2[0U][2U] * _S114;
            sum_2[0U][3U] = sum_2[0U][3U] * _S114;
            sum_2[0U][4U] = sum_2[0U][4U] * _S114;
            sum_2[0U][5U] = sum_2[0U][5U] * _S114;
            sum_2[0U][6U] = sum_2[0U][6U] * _S114;
            sum_2[0U][7U] = sum_2[0U][7U] * _S114;
            float _S115 = (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U + 1U];
            sum_2[1U][0U] = sum_2[1U][0U] * (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U + 1U];
            sum_2[1U][1U] = sum_2[1U][1U] * _S115;
            sum_2[1U][2U] = sum_2[1U][2U] * _S115;
            sum_2[1U][3U] = sum_2[1U][3U] * _S115;
            sum_2[1U][4U] = sum_2[1U][4U] * _S115;
            sum_2[1U][5U] = sum_2[1U][5U] * _S115;
            sum_2[1U][6U] = sum_2[1U][6U] * _S115;
            sum_2[1U][7U] = sum_2[1U][7U] * _S115;
            float _S116 = (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U + 2U];
            sum_2[2U][0U] = sum_2[2U][0U] * (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U + 2U];
            sum_2[2U][1U] = sum_2[2U][1U] * _S116;
            sum_2[2U][2U] = sum_2[2U][2U] * _S116;
            sum_2[2U][3U] = sum_2[2U][3U] * _S116;
            sum_2[2U][4U] = sum_2[2U][4U] * _S116;
            sum_2[2U][5U] = sum_2[2U][5U] * _S116;
            sum_2[2U][6U] = sum_2[2U][6U] * _S116;
            sum_2[2U][7U] = sum_2[2U][7U] * _S116;
            float _S117 = (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U + 3U];
            sum_2[3U][0U] = sum_2[3U][0U] * (*(&kernelContext_7)->row_keep_0)[_S80 / 16U * 4U + 3U];
            sum_2[3U][1U] = sum_2[3U][1U] * _S117;
            sum_2[3U][2U] = sum_2[3U][2U] * _S117;
            sum_2[3U][3U] = sum_2[3U][3U] * _S117;
            sum_2[3U][4U] = sum_2[3U][4U] * _S117;
            sum_2[3U][5U] = sum_2[3U][5U] * _S117;
            sum_2[3U][6U] = sum_2[3U][6U] * _S117;
            sum_2[3U][7U] = sum_2[3U][7U] * _S117;
            add_0(&sum_2, (&kernelContext_7)->entryPointParams_v_0, first_0(entryPointParams_1->a_0.v_at_0, _S79->v_batch_0, _S79->v_head_0, _S79->v_row_0, _S91.one_0.batch_0, _S92, _S102), _S79->v_row_0, _S101, _S81, col0_1, _S80, &kernelContext_7);
            key_0 = key_0 + 64U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S118 = _S80 / 16U * 4U;
        float _S119 = (*(&kernelContext_7)->row_sum_0)[_S118];
        int _S120 = _S79->out_batch_0;
        int _S121 = _S79->out_head_0;
        int _S122 = _S79->out_row_0;
        uint _S123 = first_0(entryPointParams_1->a_0.out_at_0, _S79->out_batch_0, _S79->out_head_0, _S79->out_row_0, _S91.one_0.batch_0, _S91.head_1, _S94 + _S118);
        uint _S124 = col0_1 + _S80 % 16U;
        bool _S125 = _S118 < (_S91.count_1);
        bool _S126;
        if(_S125)
        {
            _S126 = _S124 < _S81;
        }
        else
        {
            _S126 = false;
        }
        if(_S126)
        {
            float device* _S127 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + _S124);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][0U] * (1.0f / _S119);
            }
            *_S127 = m_1;
        }
        uint col_1 = _S124 + 16U;
        bool _S128;
        if(_S125)
        {
            _S128 = col_1 < _S81;
        }
        else
        {
            _S128 = false;
        }
        if(_S128)
        {
            float device* _S129 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_1);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][1U] * (1.0f / _S119);
            }
            *_S129 = m_1;
        }
        uint col_2 = _S124 + 32U;
        bool _S130;
        if(_S125)
        {
            _S130 = col_2 < _S81;
        }
        else
        {
            _S130 = false;
        }
        if(_S130)
        {
            float device* _S131 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_2);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][2U] * (1.0f / _S119);
            }
            *_S131 = m_1;
        }
        uint col_3 = _S124 + 48U;
        bool _S132;
        if(_S125)
        {
            _S132 = col_3 < _S81;
        }
        else
        {
            _S132 = false;
        }
        if(_S132)
        {
            float device* _S133 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_3);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][3U] * (1.0f / _S119);
            }
            *_S133 = m_1;
        }
        uint col_4 = _S124 + 64U;
        bool _S134;
        if(_S125)
        {
            _S134 = col_4 < _S81;
        }
        else
        {
            _S134 = false;
        }
        if(_S134)
        {
            float device* _S135 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_4);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][4U] * (1.0f / _S119);
            }
            *_S135 = m_1;
        }
        uint col_5 = _S124 + 80U;
        bool _S136;
        if(_S125)
        {
            _S136 = col_5 < _S81;
        }
        else
        {
            _S136 = false;
        }
        if(_S136)
        {
            float device* _S137 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_5);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][5U] * (1.0f / _S119);
            }
            *_S137 = m_1;
        }
        uint col_6 = _S124 + 96U;
        bool _S138;
        if(_S125)
        {
            _S138 = col_6 < _S81;
        }
        else
        {
            _S138 = false;
        }
        if(_S138)
        {
            float device* _S139 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_6);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][6U] * (1.0f / _S119);
            }
            *_S139 = m_1;
        }
        uint col_7 = _S124 + 112U;
        bool _S140;
        if(_S125)
        {
            _S140 = col_7 < _S81;
        }
        else
        {
            _S140 = false;
        }
        if(_S140)
        {
            float device* _S141 = (&kernelContext_7)->entryPointParams_out_0+(_S123 + col_7);
            if(_S119 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[0U][7U] * (1.0f / _S119);
            }
            *_S141 = m_1;
        }
        uint row_2 = _S80 / 16U * 4U + 1U;
        float _S142 = (*(&kernelContext_7)->row_sum_0)[row_2];
        uint _S143 = first_0(entryPointParams_1->a_0.out_at_0, _S120, _S121, _S122, _S91.one_0.batch_0, _S91.head_1, _S94 + row_2);
        bool _S144 = row_2 < (_S91.count_1);
        bool _S145;
        if(_S144)
        {
            _S145 = _S124 < _S81;
        }
        else
        {
            _S145 = false;
        }
        if(_S145)
        {
            float device* _S146 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + _S124);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][0U] * (1.0f / _S142);
            }
            *_S146 = m_1;
        }
        bool _S147;
        if(_S144)
        {
            _S147 = col_1 < _S81;
        }
        else
        {
            _S147 = false;
        }
        if(_S147)
        {
            float device* _S148 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_1);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][1U] * (1.0f / _S142);
            }
            *_S148 = m_1;
        }
        bool _S149;
        if(_S144)
        {
            _S149 = col_2 < _S81;
        }
        else
        {
            _S149 = false;
        }
        if(_S149)
        {
            float device* _S150 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_2);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][2U] * (1.0f / _S142);
            }
            *_S150 = m_1;
        }
        bool _S151;
        if(_S144)
        {
            _S151 = col_3 < _S81;
        }
        else
        {
            _S151 = false;
        }
        if(_S151)
        {
            float device* _S152 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_3);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][3U] * (1.0f / _S142);
            }
            *_S152 = m_1;
        }
        bool _S153;
        if(_S144)
        {
            _S153 = col_4 < _S81;
        }
        else
        {
            _S153 = false;
        }
        if(_S153)
        {
            float device* _S154 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_4);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][4U] * (1.0f / _S142);
            }
            *_S154 = m_1;
        }
        bool _S155;
        if(_S144)
        {
            _S155 = col_5 < _S81;
        }
        else
        {
            _S155 = false;
        }
        if(_S155)
        {
            float device* _S156 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_5);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][5U] * (1.0f / _S142);
            }
            *_S156 = m_1;
        }
        bool _S157;
        if(_S144)
        {
            _S157 = col_6 < _S81;
        }
        else
        {
            _S157 = false;
        }
        if(_S157)
        {
            float device* _S158 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_6);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][6U] * (1.0f / _S142);
            }
            *_S158 = m_1;
        }
        bool _S159;
        if(_S144)
        {
            _S159 = col_7 < _S81;
        }
        else
        {
            _S159 = false;
        }
        if(_S159)
        {
            float device* _S160 = (&kernelContext_7)->entryPointParams_out_0+(_S143 + col_7);
            if(_S142 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[1U][7U] * (1.0f / _S142);
            }
            *_S160 = m_1;
        }
        uint row_3 = _S80 / 16U * 4U + 2U;
        float _S161 = (*(&kernelContext_7)->row_sum_0)[row_3];
        uint _S162 = first_0(entryPointParams_1->a_0.out_at_0, _S120, _S121, _S122, _S91.one_0.batch_0, _S91.head_1, _S94 + row_3);
        bool _S163 = row_3 < (_S91.count_1);
        bool _S164;
        if(_S163)
        {
            _S164 = _S124 < _S81;
        }
        else
        {
            _S164 = false;
        }
        if(_S164)
        {
            float device* _S165 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + _S124);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][0U] * (1.0f / _S161);
            }
            *_S165 = m_1;
        }
        bool _S166;
        if(_S163)
        {
            _S166 = col_1 < _S81;
        }
        else
        {
            _S166 = false;
        }
        if(_S166)
        {
            float device* _S167 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_1);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][1U] * (1.0f / _S161);
            }
            *_S167 = m_1;
        }
        bool _S168;
        if(_S163)
        {
            _S168 = col_2 < _S81;
        }
        else
        {
            _S168 = false;
        }
        if(_S168)
        {
            float device* _S169 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_2);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][2U] * (1.0f / _S161);
            }
            *_S169 = m_1;
        }
        bool _S170;
        if(_S163)
        {
            _S170 = col_3 < _S81;
        }
        else
        {
            _S170 = false;
        }
        if(_S170)
        {
            float device* _S171 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_3);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][3U] * (1.0f / _S161);
            }
            *_S171 = m_1;
        }
        bool _S172;
        if(_S163)
        {
            _S172 = col_4 < _S81;
        }
        else
        {
            _S172 = false;
        }
        if(_S172)
        {
            float device* _S173 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_4);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][4U] * (1.0f / _S161);
            }
            *_S173 = m_1;
        }
        bool _S174;
        if(_S163)
        {
            _S174 = col_5 < _S81;
        }
        else
        {
            _S174 = false;
        }
        if(_S174)
        {
            float device* _S175 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_5);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][5U] * (1.0f / _S161);
            }
            *_S175 = m_1;
        }
        bool _S176;
        if(_S163)
        {
            _S176 = col_6 < _S81;
        }
        else
        {
            _S176 = false;
        }
        if(_S176)
        {
            float device* _S177 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_6);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][6U] * (1.0f / _S161);
            }
            *_S177 = m_1;
        }
        bool _S178;
        if(_S163)
        {
            _S178 = col_7 < _S81;
        }
        else
        {
            _S178 = false;
        }
        if(_S178)
        {
            float device* _S179 = (&kernelContext_7)->entryPointParams_out_0+(_S162 + col_7);
            if(_S161 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[2U][7U] * (1.0f / _S161);
            }
            *_S179 = m_1;
        }
        uint row_4 = _S80 / 16U * 4U + 3U;
        float _S180 = (*(&kernelContext_7)->row_sum_0)[row_4];
        uint _S181 = first_0(entryPointParams_1->a_0.out_at_0, _S120, _S121, _S122, _S91.one_0.batch_0, _S91.head_1, _S94 + row_4);
        bool _S182 = row_4 < (_S91.count_1);
        bool _S183;
        if(_S182)
        {
            _S183 = _S124 < _S81;
        }
        else
        {
            _S183 = false;
        }
        if(_S183)
        {
            float device* _S184 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + _S124);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][0U] * (1.0f / _S180);
            }
            *_S184 = m_1;
        }
        bool _S185;
        if(_S182)
        {
            _S185 = col_1 < _S81;
        }
        else
        {
            _S185 = false;
        }
        if(_S185)
        {
            float device* _S186 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_1);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][1U] * (1.0f / _S180);
            }
            *_S186 = m_1;
        }
        bool _S187;
        if(_S182)
        {
            _S187 = col_2 < _S81;
        }
        else
        {
            _S187 = false;
        }
        if(_S187)
        {
            float device* _S188 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_2);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][2U] * (1.0f / _S180);
            }
            *_S188 = m_1;
        }
        bool _S189;
        if(_S182)
        {
            _S189 = col_3 < _S81;
        }
        else
        {
            _S189 = false;
        }
        if(_S189)
        {
            float device* _S190 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_3);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][3U] * (1.0f / _S180);
            }
            *_S190 = m_1;
        }
        bool _S191;
        if(_S182)
        {
            _S191 = col_4 < _S81;
        }
        else
        {
            _S191 = false;
        }
        if(_S191)
        {
            float device* _S192 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_4);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][4U] * (1.0f / _S180);
            }
            *_S192 = m_1;
        }
        bool _S193;
        if(_S182)
        {
            _S193 = col_5 < _S81;
        }
        else
        {
            _S193 = false;
        }
        if(_S193)
        {
            float device* _S194 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_5);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][5U] * (1.0f / _S180);
            }
            *_S194 = m_1;
        }
        bool _S195;
        if(_S182)
        {
            _S195 = col_6 < _S81;
        }
        else
        {
            _S195 = false;
        }
        if(_S195)
        {
            float device* _S196 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_6);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][6U] * (1.0f / _S180);
            }
            *_S196 = m_1;
        }
        bool _S197;
        if(_S182)
        {
            _S197 = col_7 < _S81;
        }
        else
        {
            _S197 = false;
        }
        if(_S197)
        {
            float device* _S198 = (&kernelContext_7)->entryPointParams_out_0+(_S181 + col_7);
            if(_S180 == 0.0f)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = sum_2[3U][7U] * (1.0f / _S180);
            }
            *_S198 = m_1;
        }
        bool _S199;
        if((entryPointParams_1->a_0.stats_at_0) != 4294967295U)
        {
            _S199 = col0_1 == 0U;
        }
        else
        {
            _S199 = false;
        }
        bool _S200;
        if(_S199)
        {
            _S200 = _S80 < (_S91.count_1);
        }
        else
        {
            _S200 = false;
        }
        if(_S200)
        {
            uint _S201 = _S91.from_0 + _S80;
            thread Sequence_0 _S202 = _S91.one_0;
            uint _S203 = statAt_0(_S78.sheet_at_0, &_S202, _S91.head_1, _S201, &kernelContext_7);
            uint at_2 = entryPointParams_1->a_0.stats_at_0 + _S203;
            bool none_0 = ((*(&kernelContext_7)->row_sum_0)[_S80]) == 0.0f;
            float device* _S204 = (&kernelContext_7)->entryPointParams_stats_0+at_2;
            if(none_0)
            {
                m_1 = 0.0f;
            }
            else
            {
                m_1 = (*(&kernelContext_7)->row_max_0)[_S80];
            }
            *_S204 = m_1;
            uint _S205 = batches_0(_S78.sheet_at_0, entryPointParams_1->a_0.q_bounds_at_0, &kernelContext_7);
            float device* _S206 = (&kernelContext_7)->entryPointParams_stats_0+(at_2 + _S205 * _S84 * _S79->queries_2);
            if(none_0)
            {
                base_0 = 0.0f;
            }
            else
            {
                base_0 = 1.0f / (*(&kernelContext_7)->row_sum_0)[_S80];
            }
            *_S206 = base_0;
        }
        job_0 = job_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


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

struct Keys_0
{
    uint groups_0;
    uint dk_at_0;
    uint dv_at_0;
    uint delta_at_0;
    uint stats_at_0;
    uint dy_at_0;
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
    Keys_0 a_0;
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
    float device* entryPointParams_dk_0;
    float device* entryPointParams_dv_0;
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
    array<float, int(544)> threadgroup* left_tile_0;
    array<float, int(1088)> threadgroup* right_tile_0;
    array<float, int(2080)> threadgroup* tile_of_0;
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

float probability_0(float z_0, float m_0, float scale_1)
{
    float _S16;
    if(z_0 == (- (as_type<float>((2139095040U)))))
    {
        _S16 = 0.0f;
    }
    else
    {
        _S16 = exp(z_0 - m_0) * scale_1;
    }
    return _S16;
}

uint place_0(uint i_0, uint j_0, uint t_1)
{
    return (t_1 / 16U * 4U + i_0) * 65U + t_1 % 16U + 16U * j_0;
}

float slope_0(float p_0, float dp_0, float d_0)
{
    float _S17;
    if(p_0 == 0.0f)
    {
        _S17 = 0.0f;
    }
    else
    {
        _S17 = p_0 * (dp_0 - d_0);
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
        thread array<float, int(4)> p_1;
        float _S21 = (*kernelContext_1->tile_of_0)[t_2 / 16U * 4U * 65U + j_1];
        p_1[0U] = (*kernelContext_1->tile_of_0)[t_2 / 16U * 4U * 65U + j_1];
        float _S22 = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 1U) * 65U + j_1];
        p_1[1U] = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 1U) * 65U + j_1];
        float _S23 = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 2U) * 65U + j_1];
        p_1[2U] = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 2U) * 65U + j_1];
        float _S24 = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 3U) * 65U + j_1];
        p_1[3U] = (*kernelContext_1->tile_of_0)[(t_2 / 16U * 4U + 3U) * 65U + j_1];
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

uint statAt_0(uint _S57, const Sequence_0 thread* _S58, uint _S59, uint _S60, KernelContext_0 thread* kernelContext_4)
{
    Sheet_0 device* _S61 = kernelContext_4->entryPointParams_sheet_0+_S57;
    return (_S58->batch_0 * _S61->heads_0 + _S59) * _S61->queries_2 + _S58->q_0 + _S60;
}

int position_0(uint _S62, const Sequence_0 thread* _S63, uint _S64, KernelContext_0 thread* kernelContext_5)
{
    int _S65;
    if(((kernelContext_5->entryPointParams_sheet_0+_S62)->step_0) == 0U)
    {
        _S65 = int(_S63->keys_0) - int(1);
    }
    else
    {
        _S65 = int(_S64) + int(_S63->keys_0) - int(_S63->queries_0);
    }
    return _S65;
}

float score_0(uint _S66, const Sequence_0 thread* _S67, uint device* _S68, uint _S69, uint _S70, uint _S71, uint _S72, float _S73, KernelContext_0 thread* kernelContext_6)
{
    Sheet_0 device* _S74 = kernelContext_6->entryPointParams_sheet_0+_S66;
    int _S75 = position_0(_S66, _S67, _S71, kernelContext_6);
    bool _S76;
    if(_S71 >= (_S67->queries_0))
    {
        _S76 = true;
    }
    else
    {
        _S76 = _S72 >= (_S67->keys_0);
    }
    if(_S76)
    {
        _S76 = true;
    }
    else
    {
        _S76 = int(_S72) < (_S75 - _S74->left_0);
    }
    if(_S76)
    {
        _S76 = true;
    }
    else
    {
        _S76 = int(_S72) > (_S75 + _S74->right_0);
    }
    if(_S76)
    {
        return - (as_type<float>((2139095040U)));
    }
    float v_2 = _S74->scale_0 * _S73;
    if(_S69 == 4294967295U)
    {
        return v_2;
    }
    uint m_1 = _S68[uint(int(_S69) + int(_S67->batch_0) * _S74->mask_batch_0 + int(_S70) * _S74->mask_head_0 + int(_S71) * _S74->mask_query_0 + int(_S72) * _S74->mask_key_0)];
    if((_S74->mask_kind_0) == 1U)
    {
        return v_2 + (as_type<float>((m_1)));
    }
    float _S77;
    if(m_1 == 0U)
    {
        _S77 = - (as_type<float>((2139095040U)));
    }
    else
    {
        _S77 = v_2;
    }
    return _S77;
}

[[kernel]] void attention_backward_f32_keys(uint3 group_1 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dk_1 [[buffer(1)]], float device* entryPointParams_dv_1 [[buffer(2)]], float device* entryPointParams_delta_1 [[buffer(3)]], float device* entryPointParams_stats_1 [[buffer(4)]], float device* entryPointParams_dy_1 [[buffer(5)]], float device* entryPointParams_q_1 [[buffer(6)]], float device* entryPointParams_k_1 [[buffer(7)]], float device* entryPointParams_v_1 [[buffer(8)]], uint device* entryPointParams_mask_1 [[buffer(9)]], uint device* entryPointParams_q_bounds_1 [[buffer(10)]], uint device* entryPointParams_k_bounds_1 [[buffer(11)]], uint device* entryPointParams_tiles_1 [[buffer(12)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(13)]])
{
    bool _S78;
    bool _S79;
    bool _S80;
    bool _S81;
    bool _S82;
    bool _S83;
    bool _S84;
    bool _S85;
    bool _S86;
    bool _S87;
    bool _S88;
    bool _S89;
    bool _S90;
    bool _S91;
    bool _S92;
    bool _S93;
    int _S94;
    int _S95;
    int _S96;
    int _S97;
    int _S98;
    int _S99;
    uint _S100;
    bool _S101;
    uint _S102;
    uint _S103;
    uint _S104;
    uint _S105;
    uint _S106;
    uint _S107;
    uint _S108;
    bool _S109;
    bool _S110;
    bool _S111;
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_7)->entryPointParams_dk_0 = entryPointParams_dk_1;
    (&kernelContext_7)->entryPointParams_dv_0 = entryPointParams_dv_1;
    (&kernelContext_7)->entryPointParams_delta_0 = entryPointParams_delta_1;
    (&kernelContext_7)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_7)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_7)->entryPointParams_q_0 = entryPointParams_q_1;
    (&kernelContext_7)->entryPointParams_k_0 = entryPointParams_k_1;
    (&kernelContext_7)->entryPointParams_v_0 = entryPointParams_v_1;
    (&kernelContext_7)->entryPointParams_mask_0 = entryPointParams_mask_1;
    (&kernelContext_7)->entryPointParams_q_bounds_0 = entryPointParams_q_bounds_1;
    (&kernelContext_7)->entryPointParams_k_bounds_0 = entryPointParams_k_bounds_1;
    (&kernelContext_7)->entryPointParams_tiles_0 = entryPointParams_tiles_1;
    (&kernelContext_7)->entryPointParams_sheet_0 = entryPointParams_sheet_1;
    threadgroup array<float, int(544)> left_tile_1;
    (&kernelContext_7)->left_tile_0 = &left_tile_1;
    threadgroup array<float, int(1088)> right_tile_1;
    (&kernelContext_7)->right_tile_0 = &right_tile_1;
    threadgroup array<float, int(2080)> tile_of_1;
    (&kernelContext_7)->tile_of_0 = &tile_of_1;
    Keys_0 _S112 = entryPointParams_1->a_0;
    Sheet_0 device* _S113 = entryPointParams_sheet_1+entryPointParams_1->a_0.sheet_at_0;
    uint _S114 = thread_0.x;
    uint _S115 = _S113->width_0;
    uint _S116 = max(1U, (_S113->width_0 + 128U - 1U) / 128U);
    uint _S117 = _S113->heads_0;
    uint _S118 = _S113->group_0;
    uint kv_heads_0 = _S113->heads_0 / max(1U, _S113->group_0);
    uint _S119 = batches_0(_S112.sheet_at_0, entryPointParams_1->a_0.q_bounds_at_0, &kernelContext_7);
    uint _S120 = _S119 * kv_heads_0 * _S113->key_tiles_0 * _S116;
    uint _S121 = batches_0(_S112.sheet_at_0, entryPointParams_1->a_0.q_bounds_at_0, &kernelContext_7);
    uint _S122 = _S121 * _S117 * _S113->queries_2;
    uint job_0 = group_1.x;
    for(;;)
    {
        if(job_0 < _S120)
        {
        }
        else
        {
            break;
        }
        uint _S123 = job_0 % _S116;
        uint _S124 = _S123 * 128U;
        Keys_0 _S125 = entryPointParams_1->a_0;
        Keys_0 _S126 = entryPointParams_1->a_0;
        Keys_0 _S127 = entryPointParams_1->a_0;
        uint _S128 = job_0 / _S116;
        Tile_0 _S129 = tileOf_0(_S112.sheet_at_0, (&kernelContext_7)->entryPointParams_q_bounds_0, _S125.q_bounds_at_0, (&kernelContext_7)->entryPointParams_k_bounds_0, _S126.k_bounds_at_0, (&kernelContext_7)->entryPointParams_tiles_0, _S127.tiles_at_0, _S128, kv_heads_0, true, &kernelContext_7);
        if(!_S129.found_0)
        {
            job_0 = job_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        int _S130 = _S113->k_row_0;
        uint _S131 = _S129.one_0.k_0 + _S129.from_0;
        uint _S132 = first_0(entryPointParams_1->a_0.k_at_1, _S113->k_batch_0, _S113->k_head_0, _S113->k_row_0, _S129.one_0.batch_0, _S129.head_1, _S131);
        int _S133 = _S113->v_row_0;
        uint _S134 = first_0(entryPointParams_1->a_0.v_at_0, _S113->v_batch_0, _S113->v_head_0, _S113->v_row_0, _S129.one_0.batch_0, _S129.head_1, _S131);
        int _S135 = int(_S129.one_0.queries_0);
        int back_0 = int(_S129.one_0.keys_0) - _S135;
        uint begin_0 = uint(clamp(int(_S129.from_0) - _S113->right_0 - back_0, int(0), _S135));
        uint _S136 = uint(clamp(int(_S129.from_0 + _S129.count_1) + _S113->left_0 - back_0, int(begin_0), _S135));
        thread array<array<float, int(8)>, int(4)> dk_sum_0;
        clear_0(&dk_sum_0);
        thread array<array<float, int(8)>, int(4)> dv_sum_0;
        clear_0(&dv_sum_0);
        uint h_0 = 0U;
        for(;;)
        {
            if(h_0 < _S118)
            {
            }
            else
            {
                break;
            }
            uint _S137 = _S129.head_1 * _S118 + h_0;
            uint query_0 = begin_0;
            for(;;)
            {
                if(query_0 < _S136)
                {
                }
                else
                {
                    break;
                }
                uint _S138 = min(64U, _S136 - query_0);
                int _S139 = _S113->q_row_0;
                uint _S140 = _S129.one_0.q_0 + query_0;
                uint q_first_0 = first_0(entryPointParams_1->a_0.q_at_1, _S113->q_batch_0, _S113->q_head_0, _S113->q_row_0, _S129.one_0.batch_0, _S137, _S140);
                int _S141 = _S113->dy_row_0;
                uint dy_first_0 = first_0(entryPointParams_1->a_0.dy_at_0, _S113->dy_batch_0, _S113->dy_head_0, _S113->dy_row_0, _S129.one_0.batch_0, _S137, _S140);
                thread array<array<float, int(4)>, int(4)> dp_1;
                thread array<array<float, int(4)>, int(4)> dot_1;
                dots_0((&kernelContext_7)->entryPointParams_k_0, _S132, _S130, _S129.count_1, (&kernelContext_7)->entryPointParams_q_0, q_first_0, _S113->q_row_0, _S138, _S115, _S114, &dot_1, &kernelContext_7);
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dots_0((&kernelContext_7)->entryPointParams_v_0, _S134, _S133, _S129.count_1, (&kernelContext_7)->entryPointParams_dy_0, dy_first_0, _S141, _S138, _S115, _S114, &dp_1, &kernelContext_7);
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _S142 = _S114 % 16U;
                uint _S143 = _S138 - 1U;
                uint _S144 = query_0 + min(_S142, _S143);
                thread Sequence_0 _S145 = _S129.one_0;
                uint _S146 = statAt_0(_S112.sheet_at_0, &_S145, _S137, _S144, &kernelContext_7);
                float _S147 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S146];
                float _S148 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S122 + _S146];
                float _S149 = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S146];
                uint _S150 = _S114 / 16U * 4U;
                float _S151 = - (as_type<float>((2139095040U)));
                if(_S150 < (_S129.count_1))
                {
                    _S78 = _S142 < _S138;
                }
                else
                {
                    _S78 = false;
                }
                float z_1;
                if(_S78)
                {
                    uint _S152 = query_0 + _S142;
                    uint _S153 = _S129.from_0 + _S150;
                    thread Sequence_0 _S154 = _S129.one_0;
                    float _S155 = score_0(_S112.sheet_at_0, &_S154, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S152, _S153, dot_1[0U][0U], &kernelContext_7);
                    z_1 = _S155;
                }
                else
                {
                    z_1 = _S151;
                }
                float p_2 = probability_0(z_1, _S147, _S148);
                (*(&kernelContext_7)->tile_of_0)[place_0(0U, 0U, _S114)] = p_2;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[0U][0U] = slope_0(p_2, dp_1[0U][0U], _S149);
                }
                uint row_1 = _S114 / 16U * 4U + 1U;
                if(row_1 < (_S129.count_1))
                {
                    _S79 = _S142 < _S138;
                }
                else
                {
                    _S79 = false;
                }
                float z_2;
                if(_S79)
                {
                    uint _S156 = query_0 + _S142;
                    uint _S157 = _S129.from_0 + row_1;
                    thread Sequence_0 _S158 = _S129.one_0;
                    float _S159 = score_0(_S112.sheet_at_0, &_S158, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S156, _S157, dot_1[1U][0U], &kernelContext_7);
                    z_2 = _S159;
                }
                else
                {
                    z_2 = _S151;
                }
                float p_3 = probability_0(z_2, _S147, _S148);
                (*(&kernelContext_7)->tile_of_0)[place_0(1U, 0U, _S114)] = p_3;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[1U][0U] = slope_0(p_3, dp_1[1U][0U], _S149);
                }
                uint row_2 = _S114 / 16U * 4U + 2U;
                if(row_2 < (_S129.count_1))
                {
                    _S80 = _S142 < _S138;
                }
                else
                {
                    _S80 = false;
                }
                float z_3;
                if(_S80)
                {
                    uint _S160 = query_0 + _S142;
                    uint _S161 = _S129.from_0 + row_2;
                    thread Sequence_0 _S162 = _S129.one_0;
                    float _S163 = score_0(_S112.sheet_at_0, &_S162, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S160, _S161, dot_1[2U][0U], &kernelContext_7);
                    z_3 = _S163;
                }
                else
                {
                    z_3 = _S151;
                }
                float p_4 = probability_0(z_3, _S147, _S148);
                (*(&kernelContext_7)->tile_of_0)[place_0(2U, 0U, _S114)] = p_4;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[2U][0U] = slope_0(p_4, dp_1[2U][0U], _S149);
                }
                uint row_3 = _S114 / 16U * 4U + 3U;
                if(row_3 < (_S129.count_1))
                {
                    _S81 = _S142 < _S138;
                }
                else
                {
                    _S81 = false;
                }
                float z_4;
                if(_S81)
                {
                    uint _S164 = query_0 + _S142;
                    uint _S165 = _S129.from_0 + row_3;
                    thread Sequence_0 _S166 = _S129.one_0;
                    float _S167 = score_0(_S112.sheet_at_0, &_S166, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S164, _S165, dot_1[3U][0U], &kernelContext_7);
                    z_4 = _S167;
                }
                else
                {
                    z_4 = _S151;
                }
                float p_5 = probability_0(z_4, _S147, _S148);
                (*(&kernelContext_7)->tile_of_0)[place_0(3U, 0U, _S114)] = p_5;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[3U][0U] = slope_0(p_5, dp_1[3U][0U], _S149);
                }
                uint column_0 = _S142 + 16U;
                uint _S168 = query_0 + min(column_0, _S143);
                thread Sequence_0 _S169 = _S129.one_0;
                uint _S170 = statAt_0(_S112.sheet_at_0, &_S169, _S137, _S168, &kernelContext_7);
                float _S171 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S170];
                float _S172 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S122 + _S170];
                float _S173 = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S170];
                uint _S174 = _S114 / 16U * 4U;
                if(_S174 < (_S129.count_1))
                {
                    _S82 = column_0 < _S138;
                }
                else
                {
                    _S82 = false;
                }
                float z_5;
                if(_S82)
                {
                    uint _S175 = query_0 + column_0;
                    uint _S176 = _S129.from_0 + _S174;
                    thread Sequence_0 _S177 = _S129.one_0;
                    float _S178 = score_0(_S112.sheet_at_0, &_S177, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S175, _S176, dot_1[0U][1U], &kernelContext_7);
                    z_5 = _S178;
                }
                else
                {
                    z_5 = _S151;
                }
                float p_6 = probability_0(z_5, _S171, _S172);
                (*(&kernelContext_7)->tile_of_0)[place_0(0U, 1U, _S114)] = p_6;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[0U][1U] = slope_0(p_6, dp_1[0U][1U], _S173);
                }
                uint row_4 = _S114 / 16U * 4U + 1U;
                if(row_4 < (_S129.count_1))
                {
                    _S83 = column_0 < _S138;
                }
                else
                {
                    _S83 = false;
                }
                float z_6;
                if(_S83)
                {
                    uint _S179 = query_0 + column_0;
                    uint _S180 = _S129.from_0 + row_4;
                    thread Sequence_0 _S181 = _S129.one_0;
                    float _S182 = score_0(_S112.sheet_at_0, &_S181, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S179, _S180, dot_1[1U][1U], &kernelContext_7);
                    z_6 = _S182;
                }
                else
                {
                    z_6 = _S151;
                }
                float p_7 = probability_0(z_6, _S171, _S172);
                (*(&kernelContext_7)->tile_of_0)[place_0(1U, 1U, _S114)] = p_7;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[1U][1U] = slope_0(p_7, dp_1[1U][1U], _S173);
                }
                uint row_5 = _S114 / 16U * 4U + 2U;
                if(row_5 < (_S129.count_1))
                {
                    _S84 = column_0 < _S138;
                }
                else
                {
                    _S84 = false;
                }
                float z_7;
                if(_S84)
                {
                    uint _S183 = query_0 + column_0;
                    uint _S184 = _S129.from_0 + row_5;
                    thread Sequence_0 _S185 = _S129.one_0;
                    float _S186 = score_0(_S112.sheet_at_0, &_S185, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S183, _S184, dot_1[2U][1U], &kernelContext_7);
                    z_7 = _S186;
                }
                else
                {
                    z_7 = _S151;
                }
                float p_8 = probability_0(z_7, _S171, _S172);
                (*(&kernelContext_7)->tile_of_0)[place_0(2U, 1U, _S114)] = p_8;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[2U][1U] = slope_0(p_8, dp_1[2U][1U], _S173);
                }
                uint row_6 = _S114 / 16U * 4U + 3U;
                if(row_6 < (_S129.count_1))
                {
                    _S85 = column_0 < _S138;
                }
                else
                {
                    _S85 = false;
                }
                float z_8;
                if(_S85)
                {
                    uint _S187 = query_0 + column_0;
                    uint _S188 = _S129.from_0 + row_6;
                    thread Sequence_0 _S189 = _S129.one_0;
                    float _S190 = score_0(_S112.sheet_at_0, &_S189, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S187, _S188, dot_1[3U][1U], &kernelContext_7);
                    z_8 = _S190;
                }
                else
                {
                    z_8 = _S151;
                }
                float p_9 = probability_0(z_8, _S171, _S172);
                (*(&kernelContext_7)->tile_of_0)[place_0(3U, 1U, _S114)] = p_9;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[3U][1U] = slope_0(p_9, dp_1[3U][1U], _S173);
                }
                uint column_1 = _S142 + 32U;
                uint _S191 = query_0 + min(column_1, _S143);
                thread Sequence_0 _S192 = _S129.one_0;
                uint _S193 = statAt_0(_S112.sheet_at_0, &_S192, _S137, _S191, &kernelContext_7);
                float _S194 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S193];
                float _S195 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S122 + _S193];
                float _S196 = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S193];
                uint _S197 = _S114 / 16U * 4U;
                if(_S197 < (_S129.count_1))
                {
                    _S86 = column_1 < _S138;
                }
                else
                {
                    _S86 = false;
                }
                float z_9;
                if(_S86)
                {
                    uint _S198 = query_0 + column_1;
                    uint _S199 = _S129.from_0 + _S197;
                    thread Sequence_0 _S200 = _S129.one_0;
                    float _S201 = score_0(_S112.sheet_at_0, &_S200, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S198, _S199, dot_1[0U][2U], &kernelContext_7);
                    z_9 = _S201;
                }
                else
                {
                    z_9 = _S151;
                }
                float p_10 = probability_0(z_9, _S194, _S195);
                (*(&kernelContext_7)->tile_of_0)[place_0(0U, 2U, _S114)] = p_10;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[0U][2U] = slope_0(p_10, dp_1[0U][2U], _S196);
                }
                uint row_7 = _S114 / 16U * 4U + 1U;
                if(row_7 < (_S129.count_1))
                {
                    _S87 = column_1 < _S138;
                }
                else
                {
                    _S87 = false;
                }
                float z_10;
                if(_S87)
                {
                    uint _S202 = query_0 + column_1;
                    uint _S203 = _S129.from_0 + row_7;
                    thread Sequence_0 _S204 = _S129.one_0;
                    float _S205 = score_0(_S112.sheet_at_0, &_S204, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S202, _S203, dot_1[1U][2U], &kernelContext_7);
                    z_10 = _S205;
                }
                else
                {
                    z_10 = _S151;
                }
                float p_11 = probability_0(z_10, _S194, _S195);
                (*(&kernelContext_7)->tile_of_0)[place_0(1U, 2U, _S114)] = p_11;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[1U][2U] = slope_0(p_11, dp_1[1U][2U], _S196);
                }
                uint row_8 = _S114 / 16U * 4U + 2U;
                if(row_8 < (_S129.count_1))
                {
                    _S88 = column_1 < _S138;
                }
                else
                {
                    _S88 = false;
                }
                float z_11;
                if(_S88)
                {
                    uint _S206 = query_0 + column_1;
                    uint _S207 = _S129.from_0 + row_8;
                    thread Sequence_0 _S208 = _S129.one_0;
                    float _S209 = score_0(_S112.sheet_at_0, &_S208, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S206, _S207, dot_1[2U][2U], &kernelContext_7);
                    z_11 = _S209;
                }
                else
                {
                    z_11 = _S151;
                }
                float p_12 = probability_0(z_11, _S194, _S195);
                (*(&kernelContext_7)->tile_of_0)[place_0(2U, 2U, _S114)] = p_12;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[2U][2U] = slope_0(p_12, dp_1[2U][2U], _S196);
                }
                uint row_9 = _S114 / 16U * 4U + 3U;
                if(row_9 < (_S129.count_1))
                {
                    _S89 = column_1 < _S138;
                }
                else
                {
                    _S89 = false;
                }
                float z_12;
                if(_S89)
                {
                    uint _S210 = query_0 + column_1;
                    uint _S211 = _S129.from_0 + row_9;
                    thread Sequence_0 _S212 = _S129.one_0;
                    float _S213 = score_0(_S112.sheet_at_0, &_S212, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S210, _S211, dot_1[3U][2U], &kernelContext_7);
                    z_12 = _S213;
                }
                else
                {
                    z_12 = _S151;
                }
                float p_13 = probability_0(z_12, _S194, _S195);
                (*(&kernelContext_7)->tile_of_0)[place_0(3U, 2U, _S114)] = p_13;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[3U][2U] = slope_0(p_13, dp_1[3U][2U], _S196);
                }
                uint column_2 = _S142 + 48U;
                uint _S214 = query_0 + min(column_2, _S143);
                thread Sequence_0 _S215 = _S129.one_0;
                uint _S216 = statAt_0(_S112.sheet_at_0, &_S215, _S137, _S214, &kernelContext_7);
                float _S217 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S216];
                float _S218 = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S122 + _S216];
                float _S219 = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S216];
                uint _S220 = _S114 / 16U * 4U;
                if(_S220 < (_S129.count_1))
                {
                    _S90 = column_2 < _S138;
                }
                else
                {
                    _S90 = false;
                }
                float z_13;
                if(_S90)
                {
                    uint _S221 = query_0 + column_2;
                    uint _S222 = _S129.from_0 + _S220;
                    thread Sequence_0 _S223 = _S129.one_0;
                    float _S224 = score_0(_S112.sheet_at_0, &_S223, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S221, _S222, dot_1[0U][3U], &kernelContext_7);
                    z_13 = _S224;
                }
                else
                {
                    z_13 = _S151;
                }
                float p_14 = probability_0(z_13, _S217, _S218);
                (*(&kernelContext_7)->tile_of_0)[place_0(0U, 3U, _S114)] = p_14;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[0U][3U] = slope_0(p_14, dp_1[0U][3U], _S219);
                }
                uint row_10 = _S114 / 16U * 4U + 1U;
                if(row_10 < (_S129.count_1))
                {
                    _S91 = column_2 < _S138;
                }
                else
                {
                    _S91 = false;
                }
                float z_14;
                if(_S91)
                {
                    uint _S225 = query_0 + column_2;
                    uint _S226 = _S129.from_0 + row_10;
                    thread Sequence_0 _S227 = _S129.one_0;
                    float _S228 = score_0(_S112.sheet_at_0, &_S227, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S225, _S226, dot_1[1U][3U], &kernelContext_7);
                    z_14 = _S228;
                }
                else
                {
                    z_14 = _S151;
                }
                float p_15 = probability_0(z_14, _S217, _S218);
                (*(&kernelContext_7)->tile_of_0)[place_0(1U, 3U, _S114)] = p_15;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[1U][3U] = slope_0(p_15, dp_1[1U][3U], _S219);
                }
                uint row_11 = _S114 / 16U * 4U + 2U;
                if(row_11 < (_S129.count_1))
                {
                    _S92 = column_2 < _S138;
                }
                else
                {
                    _S92 = false;
                }
                float z_15;
                if(_S92)
                {
                    uint _S229 = query_0 + column_2;
                    uint _S230 = _S129.from_0 + row_11;
                    thread Sequence_0 _S231 = _S129.one_0;
                    float _S232 = score_0(_S112.sheet_at_0, &_S231, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S229, _S230, dot_1[2U][3U], &kernelContext_7);
                    z_15 = _S232;
                }
                else
                {
                    z_15 = _S151;
                }
                float p_16 = probability_0(z_15, _S217, _S218);
                (*(&kernelContext_7)->tile_of_0)[place_0(2U, 3U, _S114)] = p_16;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[2U][3U] = slope_0(p_16, dp_1[2U][3U], _S219);
                }
                uint row_12 = _S114 / 16U * 4U + 3U;
                if(row_12 < (_S129.count_1))
                {
                    _S93 = column_2 < _S138;
                }
                else
                {
                    _S93 = false;
                }
                float z_16;
                if(_S93)
                {
                    uint _S233 = query_0 + column_2;
                    uint _S234 = _S129.from_0 + row_12;
                    thread Sequence_0 _S235 = _S129.one_0;
                    float _S236 = score_0(_S112.sheet_at_0, &_S235, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S137, _S233, _S234, dot_1[3U][3U], &kernelContext_7);
                    z_16 = _S236;
                }
                else
                {
                    z_16 = _S151;
                }
                float p_17 = probability_0(z_16, _S217, _S218);
                (*(&kernelContext_7)->tile_of_0)[place_0(3U, 3U, _S114)] = p_17;
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    dp_1[3U][3U] = slope_0(p_17, dp_1[3U][3U], _S219);
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                {
                    add_0(&dv_sum_0, (&kernelContext_7)->entryPointParams_dy_0, dy_first_0, _S141, _S138, _S115, _S124, _S114, &kernelContext_7);
                }
                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                {
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    (*(&kernelContext_7)->tile_of_0)[place_0(0U, 0U, _S114)] = dp_1[0U][0U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(0U, 1U, _S114)] = dp_1[0U][1U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(0U, 2U, _S114)] = dp_1[0U][2U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(0U, 3U, _S114)] = dp_1[0U][3U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(1U, 0U, _S114)] = dp_1[1U][0U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(1U, 1U, _S114)] = dp_1[1U][1U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(1U, 2U, _S114)] = dp_1[1U][2U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(1U, 3U, _S114)] = dp_1[1U][3U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(2U, 0U, _S114)] = dp_1[2U][0U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(2U, 1U, _S114)] = dp_1[2U][1U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(2U, 2U, _S114)] = dp_1[2U][2U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(2U, 3U, _S114)] = dp_1[2U][3U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(3U, 0U, _S114)] = dp_1[3U][0U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(3U, 1U, _S114)] = dp_1[3U][1U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(3U, 2U, _S114)] = dp_1[3U][2U];
                    (*(&kernelContext_7)->tile_of_0)[place_0(3U, 3U, _S114)] = dp_1[3U][3U];
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    add_0(&dk_sum_0, (&kernelContext_7)->entryPointParams_q_0, q_first_0, _S139, _S138, _S115, _S124, _S114, &kernelContext_7);
                }
                query_0 = query_0 + 64U;
            }
            h_0 = h_0 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S237 = _S114 / 16U * 4U;
                    uint key_0 = _S131 + _S237;
                    _S94 = _S113->dk_batch_0;
                    _S95 = _S113->dk_head_0;
                    _S96 = _S113->dk_row_0;
                    uint _S238 = first_0(entryPointParams_1->a_0.dk_at_0, _S113->dk_batch_0, _S113->dk_head_0, _S113->dk_row_0, _S129.one_0.batch_0, _S129.head_1, key_0);
                    _S97 = _S113->dv_batch_0;
                    _S98 = _S113->dv_head_0;
                    _S99 = _S113->dv_row_0;
                    uint _S239 = first_0(entryPointParams_1->a_0.dv_at_0, _S113->dv_batch_0, _S113->dv_head_0, _S113->dv_row_0, _S129.one_0.batch_0, _S129.head_1, key_0);
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                uint _S240 = _S124 + _S114 % 16U;
                                _S100 = _S240;
                                bool _S241 = _S237 >= (_S129.count_1);
                                _S101 = _S241;
                                if(_S241)
                                {
                                    _S78 = true;
                                }
                                else
                                {
                                    _S78 = _S240 >= _S115;
                                }
                                if(_S78)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + _S240)) = _S113->scale_0 * dk_sum_0[0U][0U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + _S240)) = dv_sum_0[0U][0U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_1 = _S100 + 16U;
                                _S102 = col_1;
                                if(_S101)
                                {
                                    _S79 = true;
                                }
                                else
                                {
                                    _S79 = col_1 >= _S115;
                                }
                                if(_S79)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_1)) = _S113->scale_0 * dk_sum_0[0U][1U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_1)) = dv_sum_0[0U][1U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_2 = _S100 + 32U;
                                _S103 = col_2;
                                if(_S101)
                                {
                                    _S80 = true;
                                }
                                else
                                {
                                    _S80 = col_2 >= _S115;
                                }
                                if(_S80)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_2)) = _S113->scale_0 * dk_sum_0[0U][2U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_2)) = dv_sum_0[0U][2U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_3 = _S100 + 48U;
                                _S104 = col_3;
                                if(_S101)
                                {
                                    _S81 = true;
                                }
                                else
                                {
                                    _S81 = col_3 >= _S115;
                                }
                                if(_S81)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_3)) = _S113->scale_0 * dk_sum_0[0U][3U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_3)) = dv_sum_0[0U][3U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_4 = _S100 + 64U;
                                _S105 = col_4;
                                if(_S101)
                                {
                                    _S82 = true;
                                }
                                else
                                {
                                    _S82 = col_4 >= _S115;
                                }
                                if(_S82)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_4)) = _S113->scale_0 * dk_sum_0[0U][4U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_4)) = dv_sum_0[0U][4U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_5 = _S100 + 80U;
                                _S106 = col_5;
                                if(_S101)
                                {
                                    _S83 = true;
                                }
                                else
                                {
                                    _S83 = col_5 >= _S115;
                                }
                                if(_S83)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_5)) = _S113->scale_0 * dk_sum_0[0U][5U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_5)) = dv_sum_0[0U][5U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_6 = _S100 + 96U;
                                _S107 = col_6;
                                if(_S101)
                                {
                                    _S84 = true;
                                }
                                else
                                {
                                    _S84 = col_6 >= _S115;
                                }
                                if(_S84)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_6)) = _S113->scale_0 * dk_sum_0[0U][6U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_6)) = dv_sum_0[0U][6U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                uint col_7 = _S100 + 112U;
                                _S108 = col_7;
                                if(_S101)
                                {
                                    _S85 = true;
                                }
                                else
                                {
                                    _S85 = col_7 >= _S115;
                                }
                                if(_S85)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S238 + col_7)) = _S113->scale_0 * dk_sum_0[0U][7U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S239 + col_7)) = dv_sum_0[0U][7U];
                                }
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint row_13 = _S114 / 16U * 4U + 1U;
                    uint key_1 = _S131 + row_13;
                    uint _S242 = first_0(entryPointParams_1->a_0.dk_at_0, _S94, _S95, _S96, _S129.one_0.batch_0, _S129.head_1, key_1);
                    uint _S243 = first_0(entryPointParams_1->a_0.dv_at_0, _S97, _S98, _S99, _S129.one_0.batch_0, _S129.head_1, key_1);
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S244 = row_13 >= (_S129.count_1);
                                _S109 = _S244;
                                if(_S244)
                                {
                                    _S86 = true;
                                }
                                else
                                {
                                    _S86 = _S100 >= _S115;
                                }
                                if(_S86)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S100)) = _S113->scale_0 * dk_sum_0[1U][0U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S100)) = dv_sum_0[1U][0U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S87 = true;
                                }
                                else
                                {
                                    _S87 = _S102 >= _S115;
                                }
                                if(_S87)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S102)) = _S113->scale_0 * dk_sum_0[1U][1U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S102)) = dv_sum_0[1U][1U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S88 = true;
                                }
                                else
                                {
                                    _S88 = _S103 >= _S115;
                                }
                                if(_S88)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S103)) = _S113->scale_0 * dk_sum_0[1U][2U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S103)) = dv_sum_0[1U][2U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S89 = true;
                                }
                                else
                                {
                                    _S89 = _S104 >= _S115;
                                }
                                if(_S89)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S104)) = _S113->scale_0 * dk_sum_0[1U][3U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S104)) = dv_sum_0[1U][3U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S90 = true;
                                }
                                else
                                {
                                    _S90 = _S105 >= _S115;
                                }
                                if(_S90)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S105)) = _S113->scale_0 * dk_sum_0[1U][4U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S105)) = dv_sum_0[1U][4U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S91 = true;
                                }
                                else
                                {
                                    _S91 = _S106 >= _S115;
                                }
                                if(_S91)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S106)) = _S113->scale_0 * dk_sum_0[1U][5U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S106)) = dv_sum_0[1U][5U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S92 = true;
                                }
                                else
                                {
                                    _S92 = _S107 >= _S115;
                                }
                                if(_S92)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S107)) = _S113->scale_0 * dk_sum_0[1U][6U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S107)) = dv_sum_0[1U][6U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S109)
                                {
                                    _S93 = true;
                                }
                                else
                                {
                                    _S93 = _S108 >= _S115;
                                }
                                if(_S93)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S242 + _S108)) = _S113->scale_0 * dk_sum_0[1U][7U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S243 + _S108)) = dv_sum_0[1U][7U];
                                }
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint row_14 = _S114 / 16U * 4U + 2U;
                    uint key_2 = _S131 + row_14;
                    uint _S245 = first_0(entryPointParams_1->a_0.dk_at_0, _S94, _S95, _S96, _S129.one_0.batch_0, _S129.head_1, key_2);
                    uint _S246 = first_0(entryPointParams_1->a_0.dv_at_0, _S97, _S98, _S99, _S129.one_0.batch_0, _S129.head_1, key_2);
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S247 = row_14 >= (_S129.count_1);
                                _S110 = _S247;
                                bool _S248;
                                if(_S247)
                                {
                                    _S248 = true;
                                }
                                else
                                {
                                    _S248 = _S100 >= _S115;
                                }
                                if(_S248)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S100)) = _S113->scale_0 * dk_sum_0[2U][0U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S100)) = dv_sum_0[2U][0U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S249;
                                if(_S110)
                                {
                                    _S249 = true;
                                }
                                else
                                {
                                    _S249 = _S102 >= _S115;
                                }
                                if(_S249)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S102)) = _S113->scale_0 * dk_sum_0[2U][1U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S102)) = dv_sum_0[2U][1U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S250;
                                if(_S110)
                                {
                                    _S250 = true;
                                }
                                else
                                {
                                    _S250 = _S103 >= _S115;
                                }
                                if(_S250)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S103)) = _S113->scale_0 * dk_sum_0[2U][2U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S103)) = dv_sum_0[2U][2U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S251;
                                if(_S110)
                                {
                                    _S251 = true;
                                }
                                else
                                {
                                    _S251 = _S104 >= _S115;
                                }
                                if(_S251)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S104)) = _S113->scale_0 * dk_sum_0[2U][3U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S104)) = dv_sum_0[2U][3U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S252;
                                if(_S110)
                                {
                                    _S252 = true;
                                }
                                else
                                {
                                    _S252 = _S105 >= _S115;
                                }
                                if(_S252)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S105)) = _S113->scale_0 * dk_sum_0[2U][4U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S105)) = dv_sum_0[2U][4U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S253;
                                if(_S110)
                                {
                                    _S253 = true;
                                }
                                else
                                {
                                    _S253 = _S106 >= _S115;
                                }
                                if(_S253)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S106)) = _S113->scale_0 * dk_sum_0[2U][5U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S106)) = dv_sum_0[2U][5U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S254;
                                if(_S110)
                                {
                                    _S254 = true;
                                }
                                else
                                {
                                    _S254 = _S107 >= _S115;
                                }
                                if(_S254)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S107)) = _S113->scale_0 * dk_sum_0[2U][6U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S107)) = dv_sum_0[2U][6U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S255;
                                if(_S110)
                                {
                                    _S255 = true;
                                }
                                else
                                {
                                    _S255 = _S108 >= _S115;
                                }
                                if(_S255)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S245 + _S108)) = _S113->scale_0 * dk_sum_0[2U][7U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S246 + _S108)) = dv_sum_0[2U][7U];
                                }
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint row_15 = _S114 / 16U * 4U + 3U;
                    uint key_3 = _S131 + row_15;
                    uint _S256 = first_0(entryPointParams_1->a_0.dk_at_0, _S94, _S95, _S96, _S129.one_0.batch_0, _S129.head_1, key_3);
                    uint _S257 = first_0(entryPointParams_1->a_0.dv_at_0, _S97, _S98, _S99, _S129.one_0.batch_0, _S129.head_1, key_3);
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S258 = row_15 >= (_S129.count_1);
                                _S111 = _S258;
                                bool _S259;
                                if(_S258)
                                {
                                    _S259 = true;
                                }
                                else
                                {
                                    _S259 = _S100 >= _S115;
                                }
                                if(_S259)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S100)) = _S113->scale_0 * dk_sum_0[3U][0U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S100)) = dv_sum_0[3U][0U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S260;
                                if(_S111)
                                {
                                    _S260 = true;
                                }
                                else
                                {
                                    _S260 = _S102 >= _S115;
                                }
                                if(_S260)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S102)) = _S113->scale_0 * dk_sum_0[3U][1U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S102)) = dv_sum_0[3U][1U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S261;
                                if(_S111)
                                {
                                    _S261 = true;
                                }
                                else
                                {
                                    _S261 = _S103 >= _S115;
                                }
                                if(_S261)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S103)) = _S113->scale_0 * dk_sum_0[3U][2U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S103)) = dv_sum_0[3U][2U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S262;
                                if(_S111)
                                {
                                    _S262 = true;
                                }
                                else
                                {
                                    _S262 = _S104 >= _S115;
                                }
                                if(_S262)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S104)) = _S113->scale_0 * dk_sum_0[3U][3U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S104)) = dv_sum_0[3U][3U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S263;
                                if(_S111)
                                {
                                    _S263 = true;
                                }
                                else
                                {
                                    _S263 = _S105 >= _S115;
                                }
                                if(_S263)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S105)) = _S113->scale_0 * dk_sum_0[3U][4U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S105)) = dv_sum_0[3U][4U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S264;
                                if(_S111)
                                {
                                    _S264 = true;
                                }
                                else
                                {
                                    _S264 = _S106 >= _S115;
                                }
                                if(_S264)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S106)) = _S113->scale_0 * dk_sum_0[3U][5U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S106)) = dv_sum_0[3U][5U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S265;
                                if(_S111)
                                {
                                    _S265 = true;
                                }
                                else
                                {
                                    _S265 = _S107 >= _S115;
                                }
                                if(_S265)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S107)) = _S113->scale_0 * dk_sum_0[3U][6U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S107)) = dv_sum_0[3U][6U];
                                }
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S266;
                                if(_S111)
                                {
                                    _S266 = true;
                                }
                                else
                                {
                                    _S266 = _S108 >= _S115;
                                }
                                if(_S266)
                                {
                                    break;
                                }
                                if((entryPointParams_1->a_0.dk_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dk_0+(_S256 + _S108)) = _S113->scale_0 * dk_sum_0[3U][7U];
                                }
                                if((entryPointParams_1->a_0.dv_at_0) != 4294967295U)
                                {
                                    *((&kernelContext_7)->entryPointParams_dv_0+(_S257 + _S108)) = dv_sum_0[3U][7U];
                                }
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            break;
        }
        job_0 = job_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


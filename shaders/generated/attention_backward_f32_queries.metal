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

struct Queries_0
{
    uint groups_0;
    uint dq_at_0;
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

uint place_0(uint i_0, uint j_0, uint t_1)
{
    return (t_1 / 16U * 4U + i_0) * 65U + t_1 % 16U + 16U * j_0;
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

uint statAt_0(uint _S61, const Sequence_0 thread* _S62, uint _S63, uint _S64, KernelContext_0 thread* kernelContext_5)
{
    Sheet_0 device* _S65 = kernelContext_5->entryPointParams_sheet_0+_S61;
    return (_S62->batch_0 * _S65->heads_0 + _S63) * _S65->queries_2 + _S62->q_0 + _S64;
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

[[kernel]] void attention_backward_f32_queries(uint3 group_1 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dq_1 [[buffer(1)]], float device* entryPointParams_delta_1 [[buffer(2)]], float device* entryPointParams_stats_1 [[buffer(3)]], float device* entryPointParams_dy_1 [[buffer(4)]], float device* entryPointParams_q_1 [[buffer(5)]], float device* entryPointParams_k_1 [[buffer(6)]], float device* entryPointParams_v_1 [[buffer(7)]], uint device* entryPointParams_mask_1 [[buffer(8)]], uint device* entryPointParams_q_bounds_1 [[buffer(9)]], uint device* entryPointParams_k_bounds_1 [[buffer(10)]], uint device* entryPointParams_tiles_1 [[buffer(11)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(12)]])
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
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_7)->entryPointParams_dq_0 = entryPointParams_dq_1;
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
    Queries_0 _S94 = entryPointParams_1->a_0;
    Sheet_0 device* _S95 = entryPointParams_sheet_1+entryPointParams_1->a_0.sheet_at_0;
    uint _S96 = thread_0.x;
    uint _S97 = _S95->width_0;
    uint _S98 = max(1U, (_S95->width_0 + 128U - 1U) / 128U);
    uint _S99 = batches_0(entryPointParams_1->a_0.sheet_at_0, entryPointParams_1->a_0.q_bounds_at_0, &kernelContext_7);
    uint _S100 = _S95->heads_0;
    uint _S101 = _S99 * _S95->heads_0 * _S95->query_tiles_0 * _S98;
    uint _S102 = batches_0(entryPointParams_1->a_0.sheet_at_0, entryPointParams_1->a_0.q_bounds_at_0, &kernelContext_7);
    uint _S103 = _S102 * _S95->heads_0 * _S95->queries_2;
    uint job_0 = group_1.x;
    for(;;)
    {
        if(job_0 < _S101)
        {
        }
        else
        {
            break;
        }
        uint _S104 = job_0 % _S98;
        uint _S105 = _S104 * 128U;
        Queries_0 _S106 = entryPointParams_1->a_0;
        Queries_0 _S107 = entryPointParams_1->a_0;
        Queries_0 _S108 = entryPointParams_1->a_0;
        uint _S109 = job_0 / _S98;
        Tile_0 _S110 = tileOf_0(_S94.sheet_at_0, (&kernelContext_7)->entryPointParams_q_bounds_0, _S106.q_bounds_at_0, (&kernelContext_7)->entryPointParams_k_bounds_0, _S107.k_bounds_at_0, (&kernelContext_7)->entryPointParams_tiles_0, _S108.tiles_at_0, _S109, _S100, false, &kernelContext_7);
        if(!_S110.found_0)
        {
            job_0 = job_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S111 = _S110.head_1 / _S95->group_0;
        int _S112 = _S95->q_row_0;
        uint _S113 = _S110.one_0.q_0 + _S110.from_0;
        uint _S114 = first_0(entryPointParams_1->a_0.q_at_1, _S95->q_batch_0, _S95->q_head_0, _S95->q_row_0, _S110.one_0.batch_0, _S110.head_1, _S113);
        int _S115 = _S95->dy_row_0;
        uint _S116 = first_0(entryPointParams_1->a_0.dy_at_0, _S95->dy_batch_0, _S95->dy_head_0, _S95->dy_row_0, _S110.one_0.batch_0, _S110.head_1, _S113);
        uint _S117 = _S110.from_0 + _S110.count_1 - 1U;
        thread Sequence_0 _S118 = _S110.one_0;
        int _S119 = position_0(_S94.sheet_at_0, &_S118, _S117, &kernelContext_7);
        uint end_0 = uint(clamp(_S119 + _S95->right_0 + int(1), int(0), int(_S110.one_0.keys_0)));
        thread Sequence_0 _S120 = _S110.one_0;
        int _S121 = position_0(_S94.sheet_at_0, &_S120, _S110.from_0, &kernelContext_7);
        uint begin_0 = uint(clamp(_S121 - _S95->left_0, int(0), int(end_0)));
        thread array<float, int(4)> m_2;
        thread array<float, int(4)> scale_2;
        thread array<float, int(4)> d_1;
        uint _S122 = _S110.count_1 - 1U;
        uint _S123 = _S110.from_0 + min(_S96 / 16U * 4U, _S122);
        thread Sequence_0 _S124 = _S110.one_0;
        uint _S125 = statAt_0(_S94.sheet_at_0, &_S124, _S110.head_1, _S123, &kernelContext_7);
        m_2[0U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S125];
        scale_2[0U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S103 + _S125];
        d_1[0U] = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S125];
        uint _S126 = _S110.from_0 + min(_S96 / 16U * 4U + 1U, _S122);
        thread Sequence_0 _S127 = _S110.one_0;
        uint _S128 = statAt_0(_S94.sheet_at_0, &_S127, _S110.head_1, _S126, &kernelContext_7);
        m_2[1U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S128];
        scale_2[1U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S103 + _S128];
        d_1[1U] = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S128];
        uint _S129 = _S110.from_0 + min(_S96 / 16U * 4U + 2U, _S122);
        thread Sequence_0 _S130 = _S110.one_0;
        uint _S131 = statAt_0(_S94.sheet_at_0, &_S130, _S110.head_1, _S129, &kernelContext_7);
        m_2[2U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S131];
        scale_2[2U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S103 + _S131];
        d_1[2U] = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S131];
        uint _S132 = _S110.from_0 + min(_S96 / 16U * 4U + 3U, _S122);
        thread Sequence_0 _S133 = _S110.one_0;
        uint _S134 = statAt_0(_S94.sheet_at_0, &_S133, _S110.head_1, _S132, &kernelContext_7);
        m_2[3U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S134];
        scale_2[3U] = (&kernelContext_7)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S103 + _S134];
        d_1[3U] = (&kernelContext_7)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + _S134];
        thread array<array<float, int(8)>, int(4)> sum_2;
        clear_0(&sum_2);
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
            uint _S135 = min(64U, end_0 - key_0);
            int _S136 = _S95->k_row_0;
            uint _S137 = _S110.one_0.k_0 + key_0;
            uint k_first_0 = first_0(entryPointParams_1->a_0.k_at_1, _S95->k_batch_0, _S95->k_head_0, _S95->k_row_0, _S110.one_0.batch_0, _S111, _S137);
            int _S138 = _S95->v_row_0;
            uint v_first_0 = first_0(entryPointParams_1->a_0.v_at_0, _S95->v_batch_0, _S95->v_head_0, _S95->v_row_0, _S110.one_0.batch_0, _S111, _S137);
            thread array<array<float, int(4)>, int(4)> dot_1;
            dots_0((&kernelContext_7)->entryPointParams_q_0, _S114, _S112, _S110.count_1, (&kernelContext_7)->entryPointParams_k_0, k_first_0, _S95->k_row_0, _S135, _S97, _S96, &dot_1, &kernelContext_7);
            thread array<array<float, int(4)>, int(4)> dp_1;
            dots_0((&kernelContext_7)->entryPointParams_dy_0, _S116, _S115, _S110.count_1, (&kernelContext_7)->entryPointParams_v_0, v_first_0, _S138, _S135, _S97, _S96, &dp_1, &kernelContext_7);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _S139 = _S96 / 16U * 4U;
            uint _S140 = _S96 % 16U;
            float _S141 = - (as_type<float>((2139095040U)));
            if(_S139 < (_S110.count_1))
            {
                _S78 = _S140 < _S135;
            }
            else
            {
                _S78 = false;
            }
            float z_1;
            if(_S78)
            {
                uint _S142 = _S110.from_0 + _S139;
                uint _S143 = key_0 + _S140;
                thread Sequence_0 _S144 = _S110.one_0;
                float _S145 = score_0(_S94.sheet_at_0, &_S144, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S142, _S143, dot_1[0U][0U], &kernelContext_7);
                z_1 = _S145;
            }
            else
            {
                z_1 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 0U, _S96)] = slope_0(probability_0(z_1, m_2[0U], scale_2[0U]), dp_1[0U][0U], d_1[0U]);
            uint _S146 = _S96 / 16U * 4U;
            uint column_0 = _S140 + 16U;
            if(_S146 < (_S110.count_1))
            {
                _S79 = column_0 < _S135;
            }
            else
            {
                _S79 = false;
            }
            float z_2;
            if(_S79)
            {
                uint _S147 = _S110.from_0 + _S146;
                uint _S148 = key_0 + column_0;
                thread Sequence_0 _S149 = _S110.one_0;
                float _S150 = score_0(_S94.sheet_at_0, &_S149, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S147, _S148, dot_1[0U][1U], &kernelContext_7);
                z_2 = _S150;
            }
            else
            {
                z_2 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 1U, _S96)] = slope_0(probability_0(z_2, m_2[0U], scale_2[0U]), dp_1[0U][1U], d_1[0U]);
            uint _S151 = _S96 / 16U * 4U;
            uint column_1 = _S140 + 32U;
            if(_S151 < (_S110.count_1))
            {
                _S80 = column_1 < _S135;
            }
            else
            {
                _S80 = false;
            }
            float z_3;
            if(_S80)
            {
                uint _S152 = _S110.from_0 + _S151;
                uint _S153 = key_0 + column_1;
                thread Sequence_0 _S154 = _S110.one_0;
                float _S155 = score_0(_S94.sheet_at_0, &_S154, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S152, _S153, dot_1[0U][2U], &kernelContext_7);
                z_3 = _S155;
            }
            else
            {
                z_3 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 2U, _S96)] = slope_0(probability_0(z_3, m_2[0U], scale_2[0U]), dp_1[0U][2U], d_1[0U]);
            uint _S156 = _S96 / 16U * 4U;
            uint column_2 = _S140 + 48U;
            if(_S156 < (_S110.count_1))
            {
                _S81 = column_2 < _S135;
            }
            else
            {
                _S81 = false;
            }
            float z_4;
            if(_S81)
            {
                uint _S157 = _S110.from_0 + _S156;
                uint _S158 = key_0 + column_2;
                thread Sequence_0 _S159 = _S110.one_0;
                float _S160 = score_0(_S94.sheet_at_0, &_S159, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S157, _S158, dot_1[0U][3U], &kernelContext_7);
                z_4 = _S160;
            }
            else
            {
                z_4 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(0U, 3U, _S96)] = slope_0(probability_0(z_4, m_2[0U], scale_2[0U]), dp_1[0U][3U], d_1[0U]);
            uint row_1 = _S96 / 16U * 4U + 1U;
            if(row_1 < (_S110.count_1))
            {
                _S82 = _S140 < _S135;
            }
            else
            {
                _S82 = false;
            }
            float z_5;
            if(_S82)
            {
                uint _S161 = _S110.from_0 + row_1;
                uint _S162 = key_0 + _S140;
                thread Sequence_0 _S163 = _S110.one_0;
                float _S164 = score_0(_S94.sheet_at_0, &_S163, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S161, _S162, dot_1[1U][0U], &kernelContext_7);
                z_5 = _S164;
            }
            else
            {
                z_5 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 0U, _S96)] = slope_0(probability_0(z_5, m_2[1U], scale_2[1U]), dp_1[1U][0U], d_1[1U]);
            uint row_2 = _S96 / 16U * 4U + 1U;
            if(row_2 < (_S110.count_1))
            {
                _S83 = column_0 < _S135;
            }
            else
            {
                _S83 = false;
            }
            float z_6;
            if(_S83)
            {
                uint _S165 = _S110.from_0 + row_2;
                uint _S166 = key_0 + column_0;
                thread Sequence_0 _S167 = _S110.one_0;
                float _S168 = score_0(_S94.sheet_at_0, &_S167, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S165, _S166, dot_1[1U][1U], &kernelContext_7);
                z_6 = _S168;
            }
            else
            {
                z_6 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 1U, _S96)] = slope_0(probability_0(z_6, m_2[1U], scale_2[1U]), dp_1[1U][1U], d_1[1U]);
            uint row_3 = _S96 / 16U * 4U + 1U;
            if(row_3 < (_S110.count_1))
            {
                _S84 = column_1 < _S135;
            }
            else
            {
                _S84 = false;
            }
            float z_7;
            if(_S84)
            {
                uint _S169 = _S110.from_0 + row_3;
                uint _S170 = key_0 + column_1;
                thread Sequence_0 _S171 = _S110.one_0;
                float _S172 = score_0(_S94.sheet_at_0, &_S171, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S169, _S170, dot_1[1U][2U], &kernelContext_7);
                z_7 = _S172;
            }
            else
            {
                z_7 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 2U, _S96)] = slope_0(probability_0(z_7, m_2[1U], scale_2[1U]), dp_1[1U][2U], d_1[1U]);
            uint row_4 = _S96 / 16U * 4U + 1U;
            if(row_4 < (_S110.count_1))
            {
                _S85 = column_2 < _S135;
            }
            else
            {
                _S85 = false;
            }
            float z_8;
            if(_S85)
            {
                uint _S173 = _S110.from_0 + row_4;
                uint _S174 = key_0 + column_2;
                thread Sequence_0 _S175 = _S110.one_0;
                float _S176 = score_0(_S94.sheet_at_0, &_S175, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S173, _S174, dot_1[1U][3U], &kernelContext_7);
                z_8 = _S176;
            }
            else
            {
                z_8 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(1U, 3U, _S96)] = slope_0(probability_0(z_8, m_2[1U], scale_2[1U]), dp_1[1U][3U], d_1[1U]);
            uint row_5 = _S96 / 16U * 4U + 2U;
            if(row_5 < (_S110.count_1))
            {
                _S86 = _S140 < _S135;
            }
            else
            {
                _S86 = false;
            }
            float z_9;
            if(_S86)
            {
                uint _S177 = _S110.from_0 + row_5;
                uint _S178 = key_0 + _S140;
                thread Sequence_0 _S179 = _S110.one_0;
                float _S180 = score_0(_S94.sheet_at_0, &_S179, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S177, _S178, dot_1[2U][0U], &kernelContext_7);
                z_9 = _S180;
            }
            else
            {
                z_9 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 0U, _S96)] = slope_0(probability_0(z_9, m_2[2U], scale_2[2U]), dp_1[2U][0U], d_1[2U]);
            uint row_6 = _S96 / 16U * 4U + 2U;
            if(row_6 < (_S110.count_1))
            {
                _S87 = column_0 < _S135;
            }
            else
            {
                _S87 = false;
            }
            float z_10;
            if(_S87)
            {
                uint _S181 = _S110.from_0 + row_6;
                uint _S182 = key_0 + column_0;
                thread Sequence_0 _S183 = _S110.one_0;
                float _S184 = score_0(_S94.sheet_at_0, &_S183, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S181, _S182, dot_1[2U][1U], &kernelContext_7);
                z_10 = _S184;
            }
            else
            {
                z_10 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 1U, _S96)] = slope_0(probability_0(z_10, m_2[2U], scale_2[2U]), dp_1[2U][1U], d_1[2U]);
            uint row_7 = _S96 / 16U * 4U + 2U;
            if(row_7 < (_S110.count_1))
            {
                _S88 = column_1 < _S135;
            }
            else
            {
                _S88 = false;
            }
            float z_11;
            if(_S88)
            {
                uint _S185 = _S110.from_0 + row_7;
                uint _S186 = key_0 + column_1;
                thread Sequence_0 _S187 = _S110.one_0;
                float _S188 = score_0(_S94.sheet_at_0, &_S187, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S185, _S186, dot_1[2U][2U], &kernelContext_7);
                z_11 = _S188;
            }
            else
            {
                z_11 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 2U, _S96)] = slope_0(probability_0(z_11, m_2[2U], scale_2[2U]), dp_1[2U][2U], d_1[2U]);
            uint row_8 = _S96 / 16U * 4U + 2U;
            if(row_8 < (_S110.count_1))
            {
                _S89 = column_2 < _S135;
            }
            else
            {
                _S89 = false;
            }
            float z_12;
            if(_S89)
            {
                uint _S189 = _S110.from_0 + row_8;
                uint _S190 = key_0 + column_2;
                thread Sequence_0 _S191 = _S110.one_0;
                float _S192 = score_0(_S94.sheet_at_0, &_S191, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S189, _S190, dot_1[2U][3U], &kernelContext_7);
                z_12 = _S192;
            }
            else
            {
                z_12 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(2U, 3U, _S96)] = slope_0(probability_0(z_12, m_2[2U], scale_2[2U]), dp_1[2U][3U], d_1[2U]);
            uint row_9 = _S96 / 16U * 4U + 3U;
            if(row_9 < (_S110.count_1))
            {
                _S90 = _S140 < _S135;
            }
            else
            {
                _S90 = false;
            }
            float z_13;
            if(_S90)
            {
                uint _S193 = _S110.from_0 + row_9;
                uint _S194 = key_0 + _S140;
                thread Sequence_0 _S195 = _S110.one_0;
                float _S196 = score_0(_S94.sheet_at_0, &_S195, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S193, _S194, dot_1[3U][0U], &kernelContext_7);
                z_13 = _S196;
            }
            else
            {
                z_13 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 0U, _S96)] = slope_0(probability_0(z_13, m_2[3U], scale_2[3U]), dp_1[3U][0U], d_1[3U]);
            uint row_10 = _S96 / 16U * 4U + 3U;
            if(row_10 < (_S110.count_1))
            {
                _S91 = column_0 < _S135;
            }
            else
            {
                _S91 = false;
            }
            float z_14;
            if(_S91)
            {
                uint _S197 = _S110.from_0 + row_10;
                uint _S198 = key_0 + column_0;
                thread Sequence_0 _S199 = _S110.one_0;
                float _S200 = score_0(_S94.sheet_at_0, &_S199, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S197, _S198, dot_1[3U][1U], &kernelContext_7);
                z_14 = _S200;
            }
            else
            {
                z_14 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 1U, _S96)] = slope_0(probability_0(z_14, m_2[3U], scale_2[3U]), dp_1[3U][1U], d_1[3U]);
            uint row_11 = _S96 / 16U * 4U + 3U;
            if(row_11 < (_S110.count_1))
            {
                _S92 = column_1 < _S135;
            }
            else
            {
                _S92 = false;
            }
            float z_15;
            if(_S92)
            {
                uint _S201 = _S110.from_0 + row_11;
                uint _S202 = key_0 + column_1;
                thread Sequence_0 _S203 = _S110.one_0;
                float _S204 = score_0(_S94.sheet_at_0, &_S203, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S201, _S202, dot_1[3U][2U], &kernelContext_7);
                z_15 = _S204;
            }
            else
            {
                z_15 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 2U, _S96)] = slope_0(probability_0(z_15, m_2[3U], scale_2[3U]), dp_1[3U][2U], d_1[3U]);
            uint row_12 = _S96 / 16U * 4U + 3U;
            if(row_12 < (_S110.count_1))
            {
                _S93 = column_2 < _S135;
            }
            else
            {
                _S93 = false;
            }
            float z_16;
            if(_S93)
            {
                uint _S205 = _S110.from_0 + row_12;
                uint _S206 = key_0 + column_2;
                thread Sequence_0 _S207 = _S110.one_0;
                float _S208 = score_0(_S94.sheet_at_0, &_S207, (&kernelContext_7)->entryPointParams_mask_0, entryPointParams_1->a_0.mask_at_0, _S110.head_1, _S205, _S206, dot_1[3U][3U], &kernelContext_7);
                z_16 = _S208;
            }
            else
            {
                z_16 = _S141;
            }
            (*(&kernelContext_7)->tile_of_0)[place_0(3U, 3U, _S96)] = slope_0(probability_0(z_16, m_2[3U], scale_2[3U]), dp_1[3U][3U], d_1[3U]);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            add_0(&sum_2, (&kernelContext_7)->entryPointParams_k_0, k_first_0, _S136, _S135, _S97, _S105, _S96, &kernelContext_7);
            key_0 = key_0 + 64U;
        }
        uint _S209 = _S96 / 16U * 4U;
        int _S210 = _S95->dq_batch_0;
        int _S211 = _S95->dq_head_0;
        int _S212 = _S95->dq_row_0;
        uint _S213 = first_0(entryPointParams_1->a_0.dq_at_0, _S95->dq_batch_0, _S95->dq_head_0, _S95->dq_row_0, _S110.one_0.batch_0, _S110.head_1, _S113 + _S209);
        uint _S214 = _S105 + _S96 % 16U;
        bool _S215 = _S209 < (_S110.count_1);
        if(_S215)
        {
            _S78 = _S214 < _S97;
        }
        else
        {
            _S78 = false;
        }
        if(_S78)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + _S214)) = _S95->scale_0 * sum_2[0U][0U];
        }
        uint col_1 = _S214 + 16U;
        if(_S215)
        {
            _S79 = col_1 < _S97;
        }
        else
        {
            _S79 = false;
        }
        if(_S79)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_1)) = _S95->scale_0 * sum_2[0U][1U];
        }
        uint col_2 = _S214 + 32U;
        if(_S215)
        {
            _S80 = col_2 < _S97;
        }
        else
        {
            _S80 = false;
        }
        if(_S80)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_2)) = _S95->scale_0 * sum_2[0U][2U];
        }
        uint col_3 = _S214 + 48U;
        if(_S215)
        {
            _S81 = col_3 < _S97;
        }
        else
        {
            _S81 = false;
        }
        if(_S81)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_3)) = _S95->scale_0 * sum_2[0U][3U];
        }
        uint col_4 = _S214 + 64U;
        if(_S215)
        {
            _S82 = col_4 < _S97;
        }
        else
        {
            _S82 = false;
        }
        if(_S82)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_4)) = _S95->scale_0 * sum_2[0U][4U];
        }
        uint col_5 = _S214 + 80U;
        if(_S215)
        {
            _S83 = col_5 < _S97;
        }
        else
        {
            _S83 = false;
        }
        if(_S83)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_5)) = _S95->scale_0 * sum_2[0U][5U];
        }
        uint col_6 = _S214 + 96U;
        if(_S215)
        {
            _S84 = col_6 < _S97;
        }
        else
        {
            _S84 = false;
        }
        if(_S84)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_6)) = _S95->scale_0 * sum_2[0U][6U];
        }
        uint col_7 = _S214 + 112U;
        if(_S215)
        {
            _S85 = col_7 < _S97;
        }
        else
        {
            _S85 = false;
        }
        if(_S85)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S213 + col_7)) = _S95->scale_0 * sum_2[0U][7U];
        }
        uint row_13 = _S96 / 16U * 4U + 1U;
        uint _S216 = first_0(entryPointParams_1->a_0.dq_at_0, _S210, _S211, _S212, _S110.one_0.batch_0, _S110.head_1, _S113 + row_13);
        bool _S217 = row_13 < (_S110.count_1);
        if(_S217)
        {
            _S86 = _S214 < _S97;
        }
        else
        {
            _S86 = false;
        }
        if(_S86)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + _S214)) = _S95->scale_0 * sum_2[1U][0U];
        }
        if(_S217)
        {
            _S87 = col_1 < _S97;
        }
        else
        {
            _S87 = false;
        }
        if(_S87)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_1)) = _S95->scale_0 * sum_2[1U][1U];
        }
        if(_S217)
        {
            _S88 = col_2 < _S97;
        }
        else
        {
            _S88 = false;
        }
        if(_S88)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_2)) = _S95->scale_0 * sum_2[1U][2U];
        }
        if(_S217)
        {
            _S89 = col_3 < _S97;
        }
        else
        {
            _S89 = false;
        }
        if(_S89)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_3)) = _S95->scale_0 * sum_2[1U][3U];
        }
        if(_S217)
        {
            _S90 = col_4 < _S97;
        }
        else
        {
            _S90 = false;
        }
        if(_S90)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_4)) = _S95->scale_0 * sum_2[1U][4U];
        }
        if(_S217)
        {
            _S91 = col_5 < _S97;
        }
        else
        {
            _S91 = false;
        }
        if(_S91)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_5)) = _S95->scale_0 * sum_2[1U][5U];
        }
        if(_S217)
        {
            _S92 = col_6 < _S97;
        }
        else
        {
            _S92 = false;
        }
        if(_S92)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_6)) = _S95->scale_0 * sum_2[1U][6U];
        }
        if(_S217)
        {
            _S93 = col_7 < _S97;
        }
        else
        {
            _S93 = false;
        }
        if(_S93)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S216 + col_7)) = _S95->scale_0 * sum_2[1U][7U];
        }
        uint row_14 = _S96 / 16U * 4U + 2U;
        uint _S218 = first_0(entryPointParams_1->a_0.dq_at_0, _S210, _S211, _S212, _S110.one_0.batch_0, _S110.head_1, _S113 + row_14);
        bool _S219 = row_14 < (_S110.count_1);
        bool _S220;
        if(_S219)
        {
            _S220 = _S214 < _S97;
        }
        else
        {
            _S220 = false;
        }
        if(_S220)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + _S214)) = _S95->scale_0 * sum_2[2U][0U];
        }
        bool _S221;
        if(_S219)
        {
            _S221 = col_1 < _S97;
        }
        else
        {
            _S221 = false;
        }
        if(_S221)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_1)) = _S95->scale_0 * sum_2[2U][1U];
        }
        bool _S222;
        if(_S219)
        {
            _S222 = col_2 < _S97;
        }
        else
        {
            _S222 = false;
        }
        if(_S222)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_2)) = _S95->scale_0 * sum_2[2U][2U];
        }
        bool _S223;
        if(_S219)
        {
            _S223 = col_3 < _S97;
        }
        else
        {
            _S223 = false;
        }
        if(_S223)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_3)) = _S95->scale_0 * sum_2[2U][3U];
        }
        bool _S224;
        if(_S219)
        {
            _S224 = col_4 < _S97;
        }
        else
        {
            _S224 = false;
        }
        if(_S224)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_4)) = _S95->scale_0 * sum_2[2U][4U];
        }
        bool _S225;
        if(_S219)
        {
            _S225 = col_5 < _S97;
        }
        else
        {
            _S225 = false;
        }
        if(_S225)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_5)) = _S95->scale_0 * sum_2[2U][5U];
        }
        bool _S226;
        if(_S219)
        {
            _S226 = col_6 < _S97;
        }
        else
        {
            _S226 = false;
        }
        if(_S226)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_6)) = _S95->scale_0 * sum_2[2U][6U];
        }
        bool _S227;
        if(_S219)
        {
            _S227 = col_7 < _S97;
        }
        else
        {
            _S227 = false;
        }
        if(_S227)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S218 + col_7)) = _S95->scale_0 * sum_2[2U][7U];
        }
        uint row_15 = _S96 / 16U * 4U + 3U;
        uint _S228 = first_0(entryPointParams_1->a_0.dq_at_0, _S210, _S211, _S212, _S110.one_0.batch_0, _S110.head_1, _S113 + row_15);
        bool _S229 = row_15 < (_S110.count_1);
        bool _S230;
        if(_S229)
        {
            _S230 = _S214 < _S97;
        }
        else
        {
            _S230 = false;
        }
        if(_S230)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + _S214)) = _S95->scale_0 * sum_2[3U][0U];
        }
        bool _S231;
        if(_S229)
        {
            _S231 = col_1 < _S97;
        }
        else
        {
            _S231 = false;
        }
        if(_S231)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_1)) = _S95->scale_0 * sum_2[3U][1U];
        }
        bool _S232;
        if(_S229)
        {
            _S232 = col_2 < _S97;
        }
        else
        {
            _S232 = false;
        }
        if(_S232)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_2)) = _S95->scale_0 * sum_2[3U][2U];
        }
        bool _S233;
        if(_S229)
        {
            _S233 = col_3 < _S97;
        }
        else
        {
            _S233 = false;
        }
        if(_S233)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_3)) = _S95->scale_0 * sum_2[3U][3U];
        }
        bool _S234;
        if(_S229)
        {
            _S234 = col_4 < _S97;
        }
        else
        {
            _S234 = false;
        }
        if(_S234)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_4)) = _S95->scale_0 * sum_2[3U][4U];
        }
        bool _S235;
        if(_S229)
        {
            _S235 = col_5 < _S97;
        }
        else
        {
            _S235 = false;
        }
        if(_S235)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_5)) = _S95->scale_0 * sum_2[3U][5U];
        }
        bool _S236;
        if(_S229)
        {
            _S236 = col_6 < _S97;
        }
        else
        {
            _S236 = false;
        }
        if(_S236)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_6)) = _S95->scale_0 * sum_2[3U][6U];
        }
        bool _S237;
        if(_S229)
        {
            _S237 = col_7 < _S97;
        }
        else
        {
            _S237 = false;
        }
        if(_S237)
        {
            *((&kernelContext_7)->entryPointParams_dq_0+(_S228 + col_7)) = _S95->scale_0 * sum_2[3U][7U];
        }
        job_0 = job_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


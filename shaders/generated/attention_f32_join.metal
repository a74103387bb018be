#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

float larger_0(float a_0, float b_0)
{
    bool _S1;
    if(a_0 > b_0)
    {
        _S1 = true;
    }
    else
    {
        _S1 = isNaN_0(a_0);
    }
    float _S2;
    if(_S1)
    {
        _S2 = a_0;
    }
    else
    {
        _S2 = b_0;
    }
    return _S2;
}

float expOfRest_0(float x_1, float n_0)
{
    float r_0 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_1));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

float expNegative_0(float x_2)
{
    float rounded_0 = fma(x_2, 1.4426950216293335f, 1.2583039e+07f);
    float e_0 = expOfRest_0(x_2, rounded_0 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_0))) << 23U)));
    float _S3;
    if(isNaN_0(x_2))
    {
        _S3 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S3 = 0.0f;
        }
        else
        {
            _S3 = e_0;
        }
    }
    return _S3;
}

uint first_0(uint at_0, int batch_step_0, int head_step_0, int row_step_0, uint batch_0, uint head_0, uint row_0)
{
    return uint(int(at_0) + int(batch_0) * batch_step_0 + int(head_0) * head_step_0 + int(row_0) * row_step_0);
}

struct Join_0
{
    uint groups_0;
    uint out_at_0;
    uint stats_at_0;
    uint partial_at_0;
    uint sheet_at_0;
    uint batches_0;
};

struct EntryPointParams_0
{
    Join_0 a_1;
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
    float device* entryPointParams_partial_0;
    Sheet_0 device* entryPointParams_sheet_0;
};

[[kernel]] void attention_f32_join(uint3 group_1 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_partial_1 [[buffer(3)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(4)]])
{
    uint _S4;
    float sum_0;
    float _S5;
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_0)->entryPointParams_partial_0 = entryPointParams_partial_1;
    (&kernelContext_0)->entryPointParams_sheet_0 = entryPointParams_sheet_1;
    Sheet_0 device* _S6 = entryPointParams_sheet_1+entryPointParams_1->a_1.sheet_at_0;
    uint t_0 = thread_0.x;
    uint _S7 = _S6->heads_0;
    uint _S8 = _S6->queries_0;
    uint all_0 = entryPointParams_1->a_1.batches_0 * _S6->heads_0 * _S6->queries_0;
    uint _S9 = _S6->width_0;
    uint _S10 = _S6->width_0 + 2U;
    uint _S11 = all_0 * _S10;
    uint row_1 = group_1.x * 8U + t_0 / 16U;
    for(;;)
    {
        if(row_1 < all_0)
        {
        }
        else
        {
            break;
        }
        uint _S12 = entryPointParams_1->a_1.partial_at_0 + row_1 * _S10;
        float _S13 = - (as_type<float>((2139095040U)));
        float m_0 = _S13;
        uint i_0 = 0U;
        for(;;)
        {
            _S4 = _S6->parts_0;
            if(i_0 < (_S6->parts_0))
            {
            }
            else
            {
                break;
            }
            float _S14 = larger_0(m_0, (&kernelContext_0)->entryPointParams_partial_0[_S12 + i_0 * _S11]);
            uint _S15 = i_0 + 1U;
            m_0 = _S14;
            i_0 = _S15;
        }
        float _S16;
        if(m_0 == _S13)
        {
            _S16 = 0.0f;
        }
        else
        {
            _S16 = m_0;
        }
        float total_0 = 0.0f;
        uint i_1 = 0U;
        for(;;)
        {
            if(i_1 < _S4)
            {
            }
            else
            {
                break;
            }
            uint _S17 = _S12 + i_1 * _S11;
            float _S18 = fma((&kernelContext_0)->entryPointParams_partial_0[_S17 + 1U], expNegative_0((&kernelContext_0)->entryPointParams_partial_0[_S17] - _S16), total_0);
            uint _S19 = i_1 + 1U;
            total_0 = _S18;
            i_1 = _S19;
        }
        bool none_0 = total_0 == 0.0f;
        Join_0 _S20 = entryPointParams_1->a_1;
        int _S21 = _S6->out_batch_0;
        int _S22 = _S6->out_head_0;
        int _S23 = _S6->out_row_0;
        uint _S24 = row_1 / _S8;
        uint _S25 = _S24 / _S7;
        uint _S26 = row_1 / _S8;
        uint _S27 = _S26 % _S7;
        uint _S28 = row_1 % _S8;
        uint _S29 = first_0(_S20.out_at_0, _S21, _S22, _S23, _S25, _S27, _S28);
        uint _S30 = t_0 % 16U;
        uint c_0 = _S30;
        for(;;)
        {
            if(c_0 < _S9)
            {
            }
            else
            {
                break;
            }
            sum_0 = 0.0f;
            uint i_2 = 0U;
            for(;;)
            {
                if(i_2 < _S4)
                {
                }
                else
                {
                    break;
                }
                uint _S31 = _S12 + i_2 * _S11;
                float _S32 = fma((&kernelContext_0)->entryPointParams_partial_0[_S31 + 2U + c_0], expNegative_0((&kernelContext_0)->entryPointParams_partial_0[_S31] - _S16), sum_0);
                uint _S33 = i_2 + 1U;
                sum_0 = _S32;
                i_2 = _S33;
            }
            float device* _S34 = (&kernelContext_0)->entryPointParams_out_0+(_S29 + c_0);
            if(none_0)
            {
                _S5 = 0.0f;
            }
            else
            {
                _S5 = sum_0 * (1.0f / total_0);
            }
            *_S34 = _S5;
            c_0 = c_0 + 16U;
        }
        bool _S35;
        if((entryPointParams_1->a_1.stats_at_0) != 4294967295U)
        {
            _S35 = _S30 == 0U;
        }
        else
        {
            _S35 = false;
        }
        if(_S35)
        {
            float device* _S36 = (&kernelContext_0)->entryPointParams_stats_0+(entryPointParams_1->a_1.stats_at_0 + row_1);
            if(none_0)
            {
                sum_0 = 0.0f;
            }
            else
            {
                sum_0 = m_0;
            }
            *_S36 = sum_0;
            float device* _S37 = (&kernelContext_0)->entryPointParams_stats_0+(entryPointParams_1->a_1.stats_at_0 + all_0 + row_1);
            if(none_0)
            {
                _S5 = 0.0f;
            }
            else
            {
                _S5 = 1.0f / total_0;
            }
            *_S37 = _S5;
        }
        row_1 = row_1 + entryPointParams_1->a_1.groups_0 * 8U;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint laneOf_0(uint thread_0, uint across_0)
{
    return thread_0 & (across_0 - 1U);
}

uint teamsOf_0(uint across_1)
{
    uint _S1 = 128U / across_1;
    return _S1;
}

uint teamOf_0(uint thread_1, uint across_2)
{
    uint _S2 = thread_1 / across_2;
    return _S2;
}

float expOfRest_0(float x_0, float n_0)
{
    float r_0 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_0));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

bool isNaN_0(float x_1)
{
    return ((as_type<uint>((x_1))) & 2147483647U) > 2139095040U;
}

float expOf_0(float x_2)
{
    float limited_0;
    if(x_2 > 89.0f)
    {
        limited_0 = 89.0f;
    }
    else
    {
        if(x_2 < -104.0f)
        {
            limited_0 = -104.0f;
        }
        else
        {
            limited_0 = x_2;
        }
    }
    float rounded_0 = fma(limited_0, 1.4426950216293335f, 1.2583166e+07f);
    uint bits_0 = (as_type<uint>((rounded_0)));
    uint half_0 = bits_0 >> 1U;
    float e_0 = expOfRest_0(limited_0, rounded_0 - 1.2583166e+07f) * (as_type<float>((half_0 << 23U))) * (as_type<float>(((bits_0 - half_0) << 23U)));
    if(isNaN_0(x_2))
    {
        limited_0 = x_2;
    }
    else
    {
        limited_0 = e_0;
    }
    return limited_0;
}

float logistic_0(float x_3)
{
    float e_1 = expOf_0(- abs(x_3));
    float _S3;
    if(x_3 < 0.0f)
    {
        _S3 = e_1;
    }
    else
    {
        _S3 = 1.0f;
    }
    return _S3 / (1.0f + e_1);
}

struct Backward_0
{
    uint groups_0;
    uint dlogits_at_0;
    uint dloss_at_0;
    uint logits_at_0;
    uint offsets_at_0;
    uint rows_0;
    uint experts_0;
    uint dlogits_stride_0;
    uint logits_stride_0;
    uint flags_0;
    uint across_3;
};

struct EntryPointParams_0
{
    Backward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dlogits_0;
    float device* entryPointParams_dloss_0;
    float device* entryPointParams_logits_0;
    uint device* entryPointParams_offsets_0;
    array<float, int(128)> threadgroup* shared_value_0;
};

float sumOfTeam_0(float value_0, uint thread_2, uint across_4, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_value_0)[thread_2] = value_0;
    uint lane_0 = laneOf_0(thread_2, across_4);
    uint half_1 = across_4 / 2U;
    for(;;)
    {
        if(half_1 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(lane_0 < half_1)
        {
            (*kernelContext_0->shared_value_0)[thread_2] = (*kernelContext_0->shared_value_0)[thread_2] + (*kernelContext_0->shared_value_0)[thread_2 + half_1];
        }
        half_1 = half_1 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[thread_2 - lane_0];
}

float largerOf_0(float a_1, float b_0)
{
    bool _S4;
    if(a_1 > b_0)
    {
        _S4 = true;
    }
    else
    {
        _S4 = isNaN_0(a_1);
    }
    float _S5;
    if(_S4)
    {
        _S5 = a_1;
    }
    else
    {
        _S5 = b_0;
    }
    return _S5;
}

float maxOfTeam_0(float value_1, uint thread_3, uint across_5, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->shared_value_0)[thread_3] = value_1;
    uint lane_1 = laneOf_0(thread_3, across_5);
    uint half_2 = across_5 / 2U;
    for(;;)
    {
        if(half_2 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(lane_1 < half_2)
        {
            (*kernelContext_1->shared_value_0)[thread_3] = largerOf_0((*kernelContext_1->shared_value_0)[thread_3], (*kernelContext_1->shared_value_0)[thread_3 + half_2]);
        }
        half_2 = half_2 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_1->shared_value_0)[thread_3 - lane_1];
}

float expNegative_0(float x_4)
{
    float rounded_1 = fma(x_4, 1.4426950216293335f, 1.2583039e+07f);
    float e_2 = expOfRest_0(x_4, rounded_1 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_1))) << 23U)));
    float _S6;
    if(isNaN_0(x_4))
    {
        _S6 = x_4;
    }
    else
    {
        if((as_type<uint>((x_4))) > (as_type<uint>((-87.0f))))
        {
            _S6 = 0.0f;
        }
        else
        {
            _S6 = e_2;
        }
    }
    return _S6;
}

struct RowSoftmax_0
{
    float m_0;
    float sum_0;
    float factor_0;
};

RowSoftmax_0 softmaxFrom_0(float largest_0, float device* x_5, uint row_0, uint n_1, uint thread_4, uint across_6, KernelContext_0 thread* kernelContext_2)
{
    thread RowSoftmax_0 s_0;
    float sum_1;
    if(largest_0 == (as_type<float>((4286578688U))))
    {
        sum_1 = 0.0f;
    }
    else
    {
        sum_1 = largest_0;
    }
    (&s_0)->m_0 = sum_1;
    uint j_0 = laneOf_0(thread_4, across_6);
    sum_1 = 0.0f;
    for(;;)
    {
        if(j_0 < n_1)
        {
        }
        else
        {
            break;
        }
        float sum_2 = sum_1 + expNegative_0(x_5[row_0 + j_0] - (&s_0)->m_0);
        j_0 = j_0 + across_6;
        sum_1 = sum_2;
    }
    float _S7 = sumOfTeam_0(sum_1, thread_4, across_6, kernelContext_2);
    (&s_0)->sum_0 = _S7;
    if(_S7 == 0.0f)
    {
        sum_1 = 0.0f;
    }
    else
    {
        sum_1 = 1.0f / (&s_0)->sum_0;
    }
    (&s_0)->factor_0 = sum_1;
    return s_0;
}

RowSoftmax_0 softmaxOfTeam_0(float device* x_6, uint row_1, uint n_2, uint thread_5, uint across_7, KernelContext_0 thread* kernelContext_3)
{
    uint _S8 = laneOf_0(thread_5, across_7);
    float m_1 = (as_type<float>((4286578688U)));
    uint j_1 = _S8;
    for(;;)
    {
        if(j_1 < n_2)
        {
        }
        else
        {
            break;
        }
        float _S9 = largerOf_0(m_1, x_6[row_1 + j_1]);
        uint j_2 = j_1 + across_7;
        m_1 = _S9;
        j_1 = j_2;
    }
    float _S10 = maxOfTeam_0(m_1, thread_5, across_7, kernelContext_3);
    RowSoftmax_0 _S11 = softmaxFrom_0(_S10, x_6, row_1, n_2, thread_5, across_7, kernelContext_3);
    return _S11;
}

struct Probabilities_0
{
    bool scores_0;
    RowSoftmax_0 softmax_0;
    float divisor_0;
};

Probabilities_0 probabilitiesOf_0(uint flags_1, float device* logits_0, uint row_2, uint n_3, uint thread_6, uint across_8, KernelContext_0 thread* kernelContext_4)
{
    thread Probabilities_0 p_0;
    bool _S12 = (flags_1 & 1U) != 0U;
    (&p_0)->scores_0 = _S12;
    (&p_0)->divisor_0 = 1.0f;
    (&(&p_0)->softmax_0)->m_0 = 0.0f;
    (&(&p_0)->softmax_0)->sum_0 = 0.0f;
    (&(&p_0)->softmax_0)->factor_0 = 0.0f;
    if(_S12)
    {
        uint j_3 = laneOf_0(thread_6, across_8);
        float sum_3 = 0.0f;
        for(;;)
        {
            if(j_3 < n_3)
            {
            }
            else
            {
                break;
            }
            float sum_4 = sum_3 + logistic_0(logits_0[row_2 + j_3]);
            j_3 = j_3 + across_8;
            sum_3 = sum_4;
        }
        float _S13 = sumOfTeam_0(sum_3, thread_6, across_8, kernelContext_4);
        if(_S13 == 0.0f)
        {
            sum_3 = 1.0f;
        }
        else
        {
            sum_3 = _S13;
        }
        (&p_0)->divisor_0 = sum_3;
    }
    else
    {
        RowSoftmax_0 _S14 = softmaxOfTeam_0(logits_0, row_2, n_3, thread_6, across_8, kernelContext_4);
        (&p_0)->softmax_0 = _S14;
    }
    return p_0;
}

float probability_0(const Probabilities_0 thread* p_1, float x_7)
{
    float _S15;
    if(p_1->scores_0)
    {
        _S15 = logistic_0(x_7) / p_1->divisor_0;
    }
    else
    {
        _S15 = expNegative_0(x_7 - (&p_1->softmax_0)->m_0) * (&p_1->softmax_0)->factor_0;
    }
    return _S15;
}

float factorOf_0(uint device* offsets_0, uint at_0, uint experts_1, uint e_3)
{
    uint _S16 = at_0 + e_3;
    uint begin_0 = offsets_0[_S16];
    uint end_0 = offsets_0[_S16 + 1U];
    bool _S17;
    if(end_0 < begin_0)
    {
        _S17 = true;
    }
    else
    {
        if(e_3 == 0U)
        {
            _S17 = begin_0 != 0U;
        }
        else
        {
            _S17 = false;
        }
    }
    if(_S17)
    {
        return (as_type<float>((2143289344U)));
    }
    return float(experts_1) * float(end_0 - begin_0) / float(max(1U, offsets_0[at_0 + experts_1]));
}

[[kernel]] void load_balance_loss_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_7 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dlogits_1 [[buffer(1)]], float device* entryPointParams_dloss_1 [[buffer(2)]], float device* entryPointParams_logits_1 [[buffer(3)]], uint device* entryPointParams_offsets_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_5;
    (&kernelContext_5)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_5)->entryPointParams_dlogits_0 = entryPointParams_dlogits_1;
    (&kernelContext_5)->entryPointParams_dloss_0 = entryPointParams_dloss_1;
    (&kernelContext_5)->entryPointParams_logits_0 = entryPointParams_logits_1;
    (&kernelContext_5)->entryPointParams_offsets_0 = entryPointParams_offsets_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_5)->shared_value_0 = &shared_value_1;
    uint t_0 = thread_7.x;
    uint _S18 = laneOf_0(t_0, entryPointParams_1->a_0.across_3);
    uint teams_0 = teamsOf_0(entryPointParams_1->a_0.across_3);
    float _S19 = entryPointParams_dloss_1[entryPointParams_1->a_0.dloss_at_0] / float(entryPointParams_1->a_0.rows_0);
    uint first_0 = group_0.x * teams_0;
    for(;;)
    {
        if(first_0 < (entryPointParams_1->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S20 = teamOf_0(t_0, entryPointParams_1->a_0.across_3);
        uint r_1 = first_0 + _S20;
        uint n_4;
        if(r_1 < (entryPointParams_1->a_0.rows_0))
        {
            n_4 = entryPointParams_1->a_0.experts_0;
        }
        else
        {
            n_4 = 0U;
        }
        uint row_3 = entryPointParams_1->a_0.logits_at_0 + r_1 * entryPointParams_1->a_0.logits_stride_0;
        Probabilities_0 _S21 = probabilitiesOf_0(entryPointParams_1->a_0.flags_0, (&kernelContext_5)->entryPointParams_logits_0, row_3, n_4, t_0, entryPointParams_1->a_0.across_3, &kernelContext_5);
        float mean_0 = 0.0f;
        uint j_4 = _S18;
        for(;;)
        {
            if(j_4 < n_4)
            {
            }
            else
            {
                break;
            }
            float _S22 = (&kernelContext_5)->entryPointParams_logits_0[row_3 + j_4];
            thread Probabilities_0 _S23 = _S21;
            float _S24 = probability_0(&_S23, _S22);
            float _S25 = fma(_S24, factorOf_0((&kernelContext_5)->entryPointParams_offsets_0, entryPointParams_1->a_0.offsets_at_0, entryPointParams_1->a_0.experts_0, j_4), mean_0);
            uint j_5 = j_4 + entryPointParams_1->a_0.across_3;
            mean_0 = _S25;
            j_4 = j_5;
        }
        float _S26 = sumOfTeam_0(mean_0, t_0, entryPointParams_1->a_0.across_3, &kernelContext_5);
        uint j_6 = _S18;
        for(;;)
        {
            if(j_6 < n_4)
            {
            }
            else
            {
                break;
            }
            float x_8 = (&kernelContext_5)->entryPointParams_logits_0[row_3 + j_6];
            thread Probabilities_0 _S27 = _S21;
            float _S28 = probability_0(&_S27, x_8);
            float g_0 = _S28 * (factorOf_0((&kernelContext_5)->entryPointParams_offsets_0, entryPointParams_1->a_0.offsets_at_0, entryPointParams_1->a_0.experts_0, j_6) - _S26) * _S19;
            float device* _S29 = (&kernelContext_5)->entryPointParams_dlogits_0+(entryPointParams_1->a_0.dlogits_at_0 + r_1 * entryPointParams_1->a_0.dlogits_stride_0 + j_6);
            float _S30;
            if(_S21.scores_0)
            {
                _S30 = g_0 * logistic_0(- x_8);
            }
            else
            {
                _S30 = g_0;
            }
            *_S29 = _S30;
            j_6 = j_6 + entryPointParams_1->a_0.across_3;
        }
        first_0 = first_0 + entryPointParams_1->a_0.groups_0 * teams_0;
    }
    return;
}


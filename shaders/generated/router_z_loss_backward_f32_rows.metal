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

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

float largerOf_0(float a_0, float b_0)
{
    bool _S3;
    if(a_0 > b_0)
    {
        _S3 = true;
    }
    else
    {
        _S3 = isNaN_0(a_0);
    }
    float _S4;
    if(_S3)
    {
        _S4 = a_0;
    }
    else
    {
        _S4 = b_0;
    }
    return _S4;
}

struct Backward_0
{
    uint groups_0;
    uint dlogits_at_0;
    uint dloss_at_0;
    uint logits_at_0;
    uint rows_0;
    uint experts_0;
    uint dlogits_stride_0;
    uint logits_stride_0;
    uint across_3;
};

struct EntryPointParams_0
{
    Backward_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dlogits_0;
    float device* entryPointParams_dloss_0;
    float device* entryPointParams_logits_0;
    array<float, int(128)> threadgroup* shared_value_0;
};

float maxOfTeam_0(float value_0, uint thread_2, uint across_4, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_value_0)[thread_2] = value_0;
    uint lane_0 = laneOf_0(thread_2, across_4);
    uint half_0 = across_4 / 2U;
    for(;;)
    {
        if(half_0 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(lane_0 < half_0)
        {
            (*kernelContext_0->shared_value_0)[thread_2] = largerOf_0((*kernelContext_0->shared_value_0)[thread_2], (*kernelContext_0->shared_value_0)[thread_2 + half_0]);
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[thread_2 - lane_0];
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
    float _S5;
    if(isNaN_0(x_2))
    {
        _S5 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S5 = 0.0f;
        }
        else
        {
            _S5 = e_0;
        }
    }
    return _S5;
}

float sumOfTeam_0(float value_1, uint thread_3, uint across_5, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->shared_value_0)[thread_3] = value_1;
    uint lane_1 = laneOf_0(thread_3, across_5);
    uint half_1 = across_5 / 2U;
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
        if(lane_1 < half_1)
        {
            (*kernelContext_1->shared_value_0)[thread_3] = (*kernelContext_1->shared_value_0)[thread_3] + (*kernelContext_1->shared_value_0)[thread_3 + half_1];
        }
        half_1 = half_1 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_1->shared_value_0)[thread_3 - lane_1];
}

struct RowSoftmax_0
{
    float m_0;
    float sum_0;
    float factor_0;
};

RowSoftmax_0 softmaxFrom_0(float largest_0, float device* x_3, uint row_0, uint n_1, uint thread_4, uint across_6, KernelContext_0 thread* kernelContext_2)
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
        float sum_2 = sum_1 + expNegative_0(x_3[row_0 + j_0] - (&s_0)->m_0);
        j_0 = j_0 + across_6;
        sum_1 = sum_2;
    }
    float _S6 = sumOfTeam_0(sum_1, thread_4, across_6, kernelContext_2);
    (&s_0)->sum_0 = _S6;
    if(_S6 == 0.0f)
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

RowSoftmax_0 softmaxOfTeam_0(float device* x_4, uint row_1, uint n_2, uint thread_5, uint across_7, KernelContext_0 thread* kernelContext_3)
{
    uint _S7 = laneOf_0(thread_5, across_7);
    float m_1 = (as_type<float>((4286578688U)));
    uint j_1 = _S7;
    for(;;)
    {
        if(j_1 < n_2)
        {
        }
        else
        {
            break;
        }
        float _S8 = largerOf_0(m_1, x_4[row_1 + j_1]);
        uint j_2 = j_1 + across_7;
        m_1 = _S8;
        j_1 = j_2;
    }
    float _S9 = maxOfTeam_0(m_1, thread_5, across_7, kernelContext_3);
    RowSoftmax_0 _S10 = softmaxFrom_0(_S9, x_4, row_1, n_2, thread_5, across_7, kernelContext_3);
    return _S10;
}

float logOf_0(float x_5)
{
    if(isNaN_0(x_5))
    {
        return x_5;
    }
    float _S11;
    if(!(x_5 > 0.0f))
    {
        if(x_5 == 0.0f)
        {
            _S11 = (as_type<float>((4286578688U)));
        }
        else
        {
            _S11 = (as_type<float>((2143289344U)));
        }
        return _S11;
    }
    if(x_5 == (as_type<float>((2139095040U))))
    {
        return x_5;
    }
    bool small_0 = x_5 < 1.17549435082228751e-38f;
    if(small_0)
    {
        _S11 = x_5 * 8.388608e+06f;
    }
    else
    {
        _S11 = x_5;
    }
    uint bits_0 = (as_type<uint>((_S11))) + 4913933U;
    float f_0 = (as_type<float>(((bits_0 & 8388607U) + 1060439283U))) - 1.0f;
    int _S12 = int(bits_0 >> 23U);
    int _S13;
    if(small_0)
    {
        _S13 = int(150);
    }
    else
    {
        _S13 = int(127);
    }
    float k_0 = float(_S12 - _S13);
    float square_0 = f_0 * f_0;
    return fma(k_0, 0.69314718246459961f, f_0 + fma(square_0, -0.5f, fma(square_0 * f_0, fma(fma(fma(fma(fma(fma(fma(-0.07640374451875687f, f_0, 0.12766213715076447f), f_0, -0.13159836828708649f), f_0, 0.14201110601425171f), f_0, -0.16623353958129883f), f_0, 0.20001256465911865f), f_0, -0.250008225440979f), f_0, 0.33333331346511841f), k_0 * -1.90465421212593355e-09f)));
}

float logOfSum_0(const RowSoftmax_0 thread* s_1)
{
    float _S14 = s_1->sum_0;
    if(isNaN_0(s_1->sum_0))
    {
        return _S14;
    }
    float _S15;
    if(_S14 == 0.0f)
    {
        _S15 = 0.0f;
    }
    else
    {
        _S15 = logOf_0(_S14);
    }
    return _S15 + s_1->m_0;
}

[[kernel]] void router_z_loss_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_6 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dlogits_1 [[buffer(1)]], float device* entryPointParams_dloss_1 [[buffer(2)]], float device* entryPointParams_logits_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_dlogits_0 = entryPointParams_dlogits_1;
    (&kernelContext_4)->entryPointParams_dloss_0 = entryPointParams_dloss_1;
    (&kernelContext_4)->entryPointParams_logits_0 = entryPointParams_logits_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_4)->shared_value_0 = &shared_value_1;
    uint t_0 = thread_6.x;
    uint _S16 = laneOf_0(t_0, entryPointParams_1->a_1.across_3);
    uint teams_0 = teamsOf_0(entryPointParams_1->a_1.across_3);
    float _S17 = 2.0f * entryPointParams_dloss_1[entryPointParams_1->a_1.dloss_at_0] / float(entryPointParams_1->a_1.rows_0);
    uint first_0 = group_0.x * teams_0;
    for(;;)
    {
        if(first_0 < (entryPointParams_1->a_1.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S18 = teamOf_0(t_0, entryPointParams_1->a_1.across_3);
        uint r_1 = first_0 + _S18;
        uint n_3;
        if(r_1 < (entryPointParams_1->a_1.rows_0))
        {
            n_3 = entryPointParams_1->a_1.experts_0;
        }
        else
        {
            n_3 = 0U;
        }
        uint row_2 = entryPointParams_1->a_1.logits_at_0 + r_1 * entryPointParams_1->a_1.logits_stride_0;
        RowSoftmax_0 _S19 = softmaxOfTeam_0((&kernelContext_4)->entryPointParams_logits_0, row_2, n_3, t_0, entryPointParams_1->a_1.across_3, &kernelContext_4);
        thread RowSoftmax_0 _S20 = _S19;
        float _S21 = logOfSum_0(&_S20);
        float _S22 = _S21 * _S17;
        uint j_3 = _S16;
        for(;;)
        {
            if(j_3 < n_3)
            {
            }
            else
            {
                break;
            }
            *((&kernelContext_4)->entryPointParams_dlogits_0+(entryPointParams_1->a_1.dlogits_at_0 + r_1 * entryPointParams_1->a_1.dlogits_stride_0 + j_3)) = expNegative_0((&kernelContext_4)->entryPointParams_logits_0[row_2 + j_3] - _S19.m_0) * _S19.factor_0 * _S22;
            j_3 = j_3 + entryPointParams_1->a_1.across_3;
        }
        first_0 = first_0 + entryPointParams_1->a_1.groups_0 * teams_0;
    }
    return;
}


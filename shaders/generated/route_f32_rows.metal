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

struct Stand_0
{
    int key_0;
    uint index_0;
};

Stand_0 Stand_x24init_0(int key_1, uint index_1)
{
    thread Stand_0 _S3;
    (&_S3)->key_0 = key_1;
    (&_S3)->index_0 = index_1;
    return _S3;
}

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

int keyOf_0(float x_1)
{
    if(isNaN_0(x_1))
    {
        return int(2147483647);
    }
    uint bits_0 = (as_type<uint>((x_1)));
    uint bits_1;
    if(bits_0 == 2147483648U)
    {
        bits_1 = 0U;
    }
    else
    {
        bits_1 = bits_0;
    }
    int _S4 = int(bits_1);
    int _S5;
    if(_S4 < int(0))
    {
        _S5 = int(bits_1 ^ 2147483647U);
    }
    else
    {
        _S5 = _S4;
    }
    return _S5;
}

bool before_0(const Stand_0 thread* a_0, const Stand_0 thread* b_0)
{
    int _S6 = a_0->key_0;
    int _S7 = b_0->key_0;
    bool _S8;
    if((a_0->key_0) > (b_0->key_0))
    {
        _S8 = true;
    }
    else
    {
        if(_S6 == _S7)
        {
            _S8 = (a_0->index_0) < (b_0->index_0);
        }
        else
        {
            _S8 = false;
        }
    }
    return _S8;
}

struct Forward_0
{
    uint groups_0;
    uint indices_at_0;
    uint weights_at_0;
    uint logits_at_0;
    uint rows_0;
    uint experts_0;
    uint k_0;
    uint logits_stride_0;
    uint flags_0;
    uint across_3;
};

struct EntryPointParams_0
{
    Forward_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_indices_0;
    float device* entryPointParams_weights_0;
    float device* entryPointParams_logits_0;
    array<int, int(128)> threadgroup* shared_key_0;
    array<uint, int(128)> threadgroup* shared_index_0;
    array<float, int(128)> threadgroup* shared_value_0;
};

Stand_0 firstOfTeam_0(const Stand_0 thread* s_0, uint thread_2, uint across_4, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_key_0)[thread_2] = s_0->key_0;
    (*kernelContext_0->shared_index_0)[thread_2] = s_0->index_0;
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
            Stand_0 own_0 = Stand_x24init_0((*kernelContext_0->shared_key_0)[thread_2], (*kernelContext_0->shared_index_0)[thread_2]);
            uint _S9 = thread_2 + half_0;
            Stand_0 other_0 = Stand_x24init_0((*kernelContext_0->shared_key_0)[_S9], (*kernelContext_0->shared_index_0)[_S9]);
            thread Stand_0 _S10 = other_0;
            thread Stand_0 _S11 = own_0;
            bool _S12 = before_0(&_S10, &_S11);
            if(_S12)
            {
                (*kernelContext_0->shared_key_0)[thread_2] = other_0.key_0;
                (*kernelContext_0->shared_index_0)[thread_2] = other_0.index_0;
            }
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _S13 = thread_2 - lane_0;
    return Stand_x24init_0((*kernelContext_0->shared_key_0)[_S13], (*kernelContext_0->shared_index_0)[_S13]);
}

float expOfRest_0(float x_2, float n_0)
{
    float r_0 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_2));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

float expOf_0(float x_3)
{
    float limited_0;
    if(x_3 > 89.0f)
    {
        limited_0 = 89.0f;
    }
    else
    {
        if(x_3 < -104.0f)
        {
            limited_0 = -104.0f;
        }
        else
        {
            limited_0 = x_3;
        }
    }
    float rounded_0 = fma(limited_0, 1.4426950216293335f, 1.2583166e+07f);
    uint bits_2 = (as_type<uint>((rounded_0)));
    uint half_1 = bits_2 >> 1U;
    float e_0 = expOfRest_0(limited_0, rounded_0 - 1.2583166e+07f) * (as_type<float>((half_1 << 23U))) * (as_type<float>(((bits_2 - half_1) << 23U)));
    if(isNaN_0(x_3))
    {
        limited_0 = x_3;
    }
    else
    {
        limited_0 = e_0;
    }
    return limited_0;
}

float logistic_0(float x_4)
{
    float e_1 = expOf_0(- abs(x_4));
    float _S14;
    if(x_4 < 0.0f)
    {
        _S14 = e_1;
    }
    else
    {
        _S14 = 1.0f;
    }
    return _S14 / (1.0f + e_1);
}

float expNegative_0(float x_5)
{
    float rounded_1 = fma(x_5, 1.4426950216293335f, 1.2583039e+07f);
    float e_2 = expOfRest_0(x_5, rounded_1 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_1))) << 23U)));
    float _S15;
    if(isNaN_0(x_5))
    {
        _S15 = x_5;
    }
    else
    {
        if((as_type<uint>((x_5))) > (as_type<uint>((-87.0f))))
        {
            _S15 = 0.0f;
        }
        else
        {
            _S15 = e_2;
        }
    }
    return _S15;
}

float scoreOf_0(uint flags_1, float x_6, float m_0)
{
    float _S16;
    if((flags_1 & 1U) != 0U)
    {
        _S16 = logistic_0(x_6);
    }
    else
    {
        _S16 = expNegative_0(x_6 - m_0);
    }
    return _S16;
}

float sumOfTeam_0(float value_0, uint thread_3, uint across_5, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->shared_value_0)[thread_3] = value_0;
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
            (*kernelContext_1->shared_value_0)[thread_3] = (*kernelContext_1->shared_value_0)[thread_3] + (*kernelContext_1->shared_value_0)[thread_3 + half_2];
        }
        half_2 = half_2 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_1->shared_value_0)[thread_3 - lane_1];
}

struct RowSoftmax_0
{
    float m_1;
    float sum_0;
    float factor_0;
};

RowSoftmax_0 softmaxFrom_0(float largest_0, float device* x_7, uint row_0, uint n_1, uint thread_4, uint across_6, KernelContext_0 thread* kernelContext_2)
{
    thread RowSoftmax_0 s_1;
    float sum_1;
    if(largest_0 == (as_type<float>((4286578688U))))
    {
        sum_1 = 0.0f;
    }
    else
    {
        sum_1 = largest_0;
    }
    (&s_1)->m_1 = sum_1;
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
        float sum_2 = sum_1 + expNegative_0(x_7[row_0 + j_0] - (&s_1)->m_1);
        j_0 = j_0 + across_6;
        sum_1 = sum_2;
    }
    float _S17 = sumOfTeam_0(sum_1, thread_4, across_6, kernelContext_2);
    (&s_1)->sum_0 = _S17;
    if(_S17 == 0.0f)
    {
        sum_1 = 0.0f;
    }
    else
    {
        sum_1 = 1.0f / (&s_1)->sum_0;
    }
    (&s_1)->factor_0 = sum_1;
    return s_1;
}

[[kernel]] void route_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_5 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_indices_1 [[buffer(1)]], float device* entryPointParams_weights_1 [[buffer(2)]], float device* entryPointParams_logits_1 [[buffer(3)]])
{
    uint j_1;
    float largest_1;
    float sum_3;
    bool after_0;
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_3)->entryPointParams_indices_0 = entryPointParams_indices_1;
    (&kernelContext_3)->entryPointParams_weights_0 = entryPointParams_weights_1;
    (&kernelContext_3)->entryPointParams_logits_0 = entryPointParams_logits_1;
    threadgroup array<int, int(128)> shared_key_1;
    (&kernelContext_3)->shared_key_0 = &shared_key_1;
    threadgroup array<uint, int(128)> shared_index_1;
    (&kernelContext_3)->shared_index_0 = &shared_index_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_3)->shared_value_0 = &shared_value_1;
    uint t_0 = thread_5.x;
    uint _S18 = laneOf_0(t_0, entryPointParams_1->a_1.across_3);
    uint teams_0 = teamsOf_0(entryPointParams_1->a_1.across_3);
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
        uint _S19 = teamOf_0(t_0, entryPointParams_1->a_1.across_3);
        uint r_1 = first_0 + _S19;
        uint n_2;
        if(r_1 < (entryPointParams_1->a_1.rows_0))
        {
            n_2 = entryPointParams_1->a_1.experts_0;
        }
        else
        {
            n_2 = 0U;
        }
        uint _S20;
        if(r_1 < (entryPointParams_1->a_1.rows_0))
        {
            _S20 = entryPointParams_1->a_1.k_0;
        }
        else
        {
            _S20 = 0U;
        }
        uint row_1 = entryPointParams_1->a_1.logits_at_0 + r_1 * entryPointParams_1->a_1.logits_stride_0;
        int last_key_0 = int(2147483647);
        int last_index_0 = int(-1);
        float largest_2 = (as_type<float>((4286578688U)));
        uint s_2 = 0U;
        float sum_4 = 0.0f;
        for(;;)
        {
            if(s_2 < (entryPointParams_1->a_1.k_0))
            {
            }
            else
            {
                break;
            }
            thread Stand_0 best_0 = Stand_x24init_0(int(-2147483648), 4294967295U);
            j_1 = _S18;
            for(;;)
            {
                if(j_1 < n_2)
                {
                }
                else
                {
                    break;
                }
                int key_2 = keyOf_0((&kernelContext_3)->entryPointParams_logits_0[row_1 + j_1]);
                if(key_2 < last_key_0)
                {
                    after_0 = true;
                }
                else
                {
                    if(key_2 == last_key_0)
                    {
                        after_0 = int(j_1) > last_index_0;
                    }
                    else
                    {
                        after_0 = false;
                    }
                }
                bool _S21;
                if(after_0)
                {
                    _S21 = key_2 > ((&best_0)->key_0);
                }
                else
                {
                    _S21 = false;
                }
                if(_S21)
                {
                    (&best_0)->key_0 = key_2;
                    (&best_0)->index_0 = j_1;
                }
                j_1 = j_1 + entryPointParams_1->a_1.across_3;
            }
            thread Stand_0 _S22 = best_0;
            Stand_0 _S23 = firstOfTeam_0(&_S22, t_0, entryPointParams_1->a_1.across_3, &kernelContext_3);
            best_0 = _S23;
            int _S24 = (&best_0)->key_0;
            int _S25 = int((&best_0)->index_0);
            if(s_2 >= _S20)
            {
                uint _S26 = s_2 + 1U;
                last_key_0 = _S24;
                last_index_0 = _S25;
                s_2 = _S26;
                continue;
            }
            float x_8 = (&kernelContext_3)->entryPointParams_logits_0[row_1 + (&best_0)->index_0];
            if(s_2 == 0U)
            {
                largest_1 = x_8;
            }
            else
            {
                largest_1 = largest_2;
            }
            Forward_0 _S27 = entryPointParams_1->a_1;
            if(largest_1 == (as_type<float>((4286578688U))))
            {
                sum_3 = 0.0f;
            }
            else
            {
                sum_3 = largest_1;
            }
            float sum_5 = sum_4 + scoreOf_0(_S27.flags_0, x_8, sum_3);
            if((laneOf_0(s_2, entryPointParams_1->a_1.across_3)) == _S18)
            {
                *((&kernelContext_3)->entryPointParams_indices_0+(entryPointParams_1->a_1.indices_at_0 + r_1 * entryPointParams_1->a_1.k_0 + s_2)) = (&best_0)->index_0;
                *((&kernelContext_3)->entryPointParams_weights_0+(entryPointParams_1->a_1.weights_at_0 + r_1 * entryPointParams_1->a_1.k_0 + s_2)) = x_8;
            }
            largest_2 = largest_1;
            sum_4 = sum_5;
            uint _S26 = s_2 + 1U;
            last_key_0 = _S24;
            last_index_0 = _S25;
            s_2 = _S26;
        }
        if(largest_2 == (as_type<float>((4286578688U))))
        {
            largest_1 = 0.0f;
        }
        else
        {
            largest_1 = largest_2;
        }
        if((entryPointParams_1->a_1.flags_0) == 0U)
        {
            RowSoftmax_0 _S28 = softmaxFrom_0(largest_2, (&kernelContext_3)->entryPointParams_logits_0, row_1, n_2, t_0, entryPointParams_1->a_1.across_3, &kernelContext_3);
            sum_3 = _S28.sum_0;
        }
        else
        {
            sum_3 = sum_4;
        }
        j_1 = _S18;
        for(;;)
        {
            if(j_1 < _S20)
            {
            }
            else
            {
                break;
            }
            float w_0 = scoreOf_0(entryPointParams_1->a_1.flags_0, *((&kernelContext_3)->entryPointParams_weights_0+(entryPointParams_1->a_1.weights_at_0 + r_1 * entryPointParams_1->a_1.k_0 + j_1)), largest_1);
            if((entryPointParams_1->a_1.flags_0) != 1U)
            {
                after_0 = sum_3 != 0.0f;
            }
            else
            {
                after_0 = false;
            }
            float w_1;
            if(after_0)
            {
                w_1 = w_0 / sum_3;
            }
            else
            {
                w_1 = w_0;
            }
            *((&kernelContext_3)->entryPointParams_weights_0+(entryPointParams_1->a_1.weights_at_0 + r_1 * entryPointParams_1->a_1.k_0 + j_1)) = w_1;
            j_1 = j_1 + entryPointParams_1->a_1.across_3;
        }
        first_0 = first_0 + entryPointParams_1->a_1.groups_0 * teams_0;
    }
    return;
}


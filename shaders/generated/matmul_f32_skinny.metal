#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Place_0
{
    uint c_0;
    uint a_0;
    uint b_0;
    uint k_0;
};

Place_0 Place_x24init_0(uint c_1, uint a_1, uint b_1, uint k_1)
{
    thread Place_0 _S1;
    (&_S1)->c_0 = c_1;
    (&_S1)->a_0 = a_1;
    (&_S1)->b_0 = b_1;
    (&_S1)->k_0 = k_1;
    return _S1;
}

float lostOf_0(float a_2, float b_2, float p_0)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_2))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_2))) & 4294963200U)));
    float a_low_0 = a_2 - a_high_0;
    float b_low_0 = b_2 - b_high_0;
    return a_high_0 * b_high_0 - p_0 + a_high_0 * b_low_0 + a_low_0 * b_high_0 + a_low_0 * b_low_0;
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

float bell_0(float a_3)
{
    float limited_1;
    if(a_3 > 16.0f)
    {
        limited_1 = 16.0f;
    }
    else
    {
        limited_1 = a_3;
    }
    float square_0 = limited_1 * limited_1;
    float e_1 = expOf_0(-0.5f * square_0);
    return fma(e_1, -0.5f * lostOf_0(limited_1, limited_1, square_0), e_1);
}

float mills_0(float a_4)
{
    float inverse_0 = 1.0f / (a_4 + 5.0f);
    float t_0 = fma(a_4 * inverse_0, 2.0f, -1.0f);
    return inverse_0 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.00040502843330614f, t_0, -0.0009714913321659f), t_0, -0.00296137784607708f), t_0, 0.020876569673419f), t_0, -0.06911593675613403f), t_0, 0.16500671207904816f), t_0, -0.31353393197059631f), t_0, 0.49530637264251709f), t_0, -0.6653825044631958f), t_0, 0.76919305324554443f);
}

float normalCdf_0(float x_3)
{
    float a_5 = abs(x_3);
    float _S2 = bell_0(a_5);
    float _S3;
    if(a_5 > 16.0f)
    {
        _S3 = 16.0f;
    }
    else
    {
        _S3 = a_5;
    }
    float tail_0 = _S2 * mills_0(_S3);
    if(x_3 < 0.0f)
    {
        _S3 = tail_0;
    }
    else
    {
        _S3 = 1.0f - tail_0;
    }
    return _S3;
}

float geluErf_0(float x_4)
{
    float _S4;
    if(x_4 < -16.0f)
    {
        _S4 = 0.0f;
    }
    else
    {
        if(x_4 > 16.0f)
        {
            _S4 = x_4;
        }
        else
        {
            _S4 = x_4 * normalCdf_0(x_4);
        }
    }
    return _S4;
}

float logistic_0(float x_5)
{
    float e_2 = expOf_0(- abs(x_5));
    float _S5;
    if(x_5 < 0.0f)
    {
        _S5 = e_2;
    }
    else
    {
        _S5 = 1.0f;
    }
    return _S5 / (1.0f + e_2);
}

float siluOf_0(float x_6)
{
    float _S6;
    if(x_6 < -100.0f)
    {
        _S6 = 0.0f;
    }
    else
    {
        _S6 = x_6 * logistic_0(x_6);
    }
    return _S6;
}

float closed_0(uint epilogue_0, float v_0)
{
    switch(epilogue_0)
    {
    case 1U:
        {
            float _S7;
            if(v_0 < 0.0f)
            {
                _S7 = 0.0f;
            }
            else
            {
                _S7 = v_0;
            }
            return _S7;
        }
    case 2U:
        {
            return geluErf_0(v_0);
        }
    case 3U:
        {
            return siluOf_0(v_0);
        }
    default:
        {
            return v_0;
        }
    }
}

void close_0(float device* c_2, uint c_at_0, uint ldc_0, float device* bias_0, uint bias_at_0, uint turned_0, float alpha_0, float beta_0, uint epilogue_1, uint row_0, uint col_0, float sum_0)
{
    bool _S8 = turned_0 != 0U;
    uint _S9;
    if(_S8)
    {
        _S9 = col_0 * ldc_0 + row_0;
    }
    else
    {
        _S9 = row_0 * ldc_0 + col_0;
    }
    uint place_0 = c_at_0 + _S9;
    float v_1 = alpha_0 * sum_0;
    float v_2;
    if(beta_0 != 0.0f)
    {
        v_2 = fma(beta_0, *(c_2+place_0), v_1);
    }
    else
    {
        v_2 = v_1;
    }
    if(bias_at_0 != 4294967295U)
    {
        if(_S8)
        {
            _S9 = row_0;
        }
        else
        {
            _S9 = col_0;
        }
        v_2 = v_2 + bias_0[bias_at_0 + _S9];
    }
    *(c_2+place_0) = closed_0(epilogue_1, v_2);
    return;
}

struct Product_0
{
    uint groups_0;
    uint c_at_1;
    uint a_at_0;
    uint b_at_0;
    uint bias_at_1;
    uint m_0;
    uint n_1;
    uint k_2;
    int a_row_0;
    int a_col_0;
    int b_row_0;
    int b_col_0;
    uint ldc_1;
    float alpha_1;
    float beta_1;
    uint epilogue_2;
    uint count_0;
    array<uint, int(3)> sizes_0;
    array<int, int(3)> batch_a_0;
    array<int, int(3)> batch_b_0;
    array<int, int(3)> batch_c_0;
    uint turned_1;
    uint parts_0;
    uint part_0;
};

struct EntryPointParams_0
{
    Product_0 p_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_a_0;
    float device* entryPointParams_b_0;
    float device* entryPointParams_bias_0;
    array<float, int(1024)> threadgroup* few_sums_0;
};

Place_0 placeOf_0(uint _S10, KernelContext_0 thread* kernelContext_0)
{
    uint _S11 = (&kernelContext_0->entryPointParams_0->p_1)->count_0;
    uint _S12 = _S10 % (&kernelContext_0->entryPointParams_0->p_1)->count_0;
    uint _S13 = _S10 / _S11;
    uint _S14 = (&kernelContext_0->entryPointParams_0->p_1)->part_0;
    uint from_0 = _S13 * (&kernelContext_0->entryPointParams_0->p_1)->part_0;
    int _S15 = int(from_0);
    int _S16 = _S15 * (&kernelContext_0->entryPointParams_0->p_1)->a_col_0;
    int _S17 = _S15 * (&kernelContext_0->entryPointParams_0->p_1)->b_row_0;
    uint i_0 = 0U;
    uint rest_0 = _S12;
    int c_3 = int(0);
    int a_6 = _S16;
    int b_3 = _S17;
    for(;;)
    {
        if(i_0 < 3U)
        {
        }
        else
        {
            break;
        }
        array<uint, int(3)> _S18 = (&kernelContext_0->entryPointParams_0->p_1)->sizes_0;
        uint _S19 = i_0;
        uint _S20 = rest_0 % (&kernelContext_0->entryPointParams_0->p_1)->sizes_0[i_0];
        int at_0 = int(_S20);
        uint rest_1 = rest_0 / _S18[_S19];
        int c_4 = c_3 + at_0 * (&kernelContext_0->entryPointParams_0->p_1)->batch_c_0[i_0];
        int a_7 = a_6 + at_0 * (&kernelContext_0->entryPointParams_0->p_1)->batch_a_0[i_0];
        int b_4 = b_3 + at_0 * (&kernelContext_0->entryPointParams_0->p_1)->batch_b_0[i_0];
        i_0 = i_0 + 1U;
        rest_0 = rest_1;
        c_3 = c_4;
        a_6 = a_7;
        b_3 = b_4;
    }
    if(((&kernelContext_0->entryPointParams_0->p_1)->parts_0) > 1U)
    {
        c_3 = int(_S10 * (&kernelContext_0->entryPointParams_0->p_1)->m_0 * (&kernelContext_0->entryPointParams_0->p_1)->n_1);
    }
    return Place_x24init_0((&kernelContext_0->entryPointParams_0->p_1)->c_at_1 + uint(c_3), (&kernelContext_0->entryPointParams_0->p_1)->a_at_0 + uint(a_6), (&kernelContext_0->entryPointParams_0->p_1)->b_at_0 + uint(b_3), min(_S14, (&kernelContext_0->entryPointParams_0->p_1)->k_2 - from_0));
}

void finish_0(const Place_0 thread* _S21, float device* _S22, float device* _S23, uint _S24, uint _S25, float _S26, KernelContext_0 thread* kernelContext_1)
{
    bool _S27;
    if(_S24 >= ((&kernelContext_1->entryPointParams_0->p_1)->m_0))
    {
        _S27 = true;
    }
    else
    {
        _S27 = _S25 >= ((&kernelContext_1->entryPointParams_0->p_1)->n_1);
    }
    if(_S27)
    {
        return;
    }
    if(((&kernelContext_1->entryPointParams_0->p_1)->parts_0) > 1U)
    {
        *(_S22+(_S21->c_0 + _S24 * (&kernelContext_1->entryPointParams_0->p_1)->n_1 + _S25)) = _S26;
    }
    else
    {
        close_0(_S22, _S21->c_0, (&kernelContext_1->entryPointParams_0->p_1)->ldc_1, _S23, (&kernelContext_1->entryPointParams_0->p_1)->bias_at_1, (&kernelContext_1->entryPointParams_0->p_1)->turned_1, (&kernelContext_1->entryPointParams_0->p_1)->alpha_1, (&kernelContext_1->entryPointParams_0->p_1)->beta_1, (&kernelContext_1->entryPointParams_0->p_1)->epilogue_2, _S24, _S25, _S26);
    }
    return;
}

[[kernel]] void matmul_f32_skinny(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], float device* entryPointParams_bias_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_2)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_2)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_2)->entryPointParams_bias_0 = entryPointParams_bias_1;
    threadgroup array<float, int(1024)> few_sums_1;
    (&kernelContext_2)->few_sums_0 = &few_sums_1;
    uint t_1 = thread_0.x;
    bool along_0 = ((&entryPointParams_1->p_1)->b_row_0) == int(1);
    int _S28;
    if(along_0)
    {
        _S28 = int(32);
    }
    else
    {
        _S28 = int(8);
    }
    uint parts_1 = uint(_S28);
    uint cols_0 = 256U / parts_1;
    uint _S29;
    if(along_0)
    {
        _S29 = t_1 % 32U;
    }
    else
    {
        _S29 = t_1 / 32U;
    }
    uint _S30;
    if(along_0)
    {
        _S30 = t_1 / 32U;
    }
    else
    {
        _S30 = t_1 % 32U;
    }
    uint _S31 = ((&entryPointParams_1->p_1)->n_1 + cols_0 - 1U) / cols_0;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S31 * (&entryPointParams_1->p_1)->count_0 * (&entryPointParams_1->p_1)->parts_0))
        {
        }
        else
        {
            break;
        }
        uint _S32 = job_0 / _S31;
        Place_0 _S33 = placeOf_0(_S32, &kernelContext_2);
        uint _S34 = job_0 % _S31;
        uint col_1 = _S34 * cols_0 + _S30;
        uint _S35 = _S33.b_0 + uint(int(min(col_1, (&entryPointParams_1->p_1)->n_1 - 1U)) * (&entryPointParams_1->p_1)->b_col_0);
        thread array<float, int(4)> sum_1;
        sum_1[0U] = 0.0f;
        sum_1[1U] = 0.0f;
        sum_1[2U] = 0.0f;
        sum_1[3U] = 0.0f;
        uint k_3 = _S29;
        for(;;)
        {
            if(k_3 < (_S33.k_0))
            {
            }
            else
            {
                break;
            }
            int _S36 = int(k_3);
            float _S37 = (&kernelContext_2)->entryPointParams_b_0[_S35 + uint(_S36 * (&entryPointParams_1->p_1)->b_row_0)];
            uint _S38 = _S33.a_0 + uint(_S36 * (&entryPointParams_1->p_1)->a_col_0);
            if(0U < ((&entryPointParams_1->p_1)->m_0))
            {
                sum_1[0U] = fma((&kernelContext_2)->entryPointParams_a_0[_S38], _S37, sum_1[0U]);
            }
            if(1U < ((&entryPointParams_1->p_1)->m_0))
            {
                sum_1[1U] = fma((&kernelContext_2)->entryPointParams_a_0[_S38 + uint((&entryPointParams_1->p_1)->a_row_0)], _S37, sum_1[1U]);
            }
            if(2U < ((&entryPointParams_1->p_1)->m_0))
            {
                sum_1[2U] = fma((&kernelContext_2)->entryPointParams_a_0[_S38 + uint(int(2) * (&entryPointParams_1->p_1)->a_row_0)], _S37, sum_1[2U]);
            }
            if(3U < ((&entryPointParams_1->p_1)->m_0))
            {
                sum_1[3U] = fma((&kernelContext_2)->entryPointParams_a_0[_S38 + uint(int(3) * (&entryPointParams_1->p_1)->a_row_0)], _S37, sum_1[3U]);
            }
            k_3 = k_3 + parts_1;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S39 = _S30 * parts_1 + _S29;
        (*(&kernelContext_2)->few_sums_0)[_S39] = sum_1[0U];
        uint _S40 = 256U + _S39;
        (*(&kernelContext_2)->few_sums_0)[_S40] = sum_1[1U];
        uint _S41 = 512U + _S39;
        (*(&kernelContext_2)->few_sums_0)[_S41] = sum_1[2U];
        uint _S42 = 768U + _S39;
        (*(&kernelContext_2)->few_sums_0)[_S42] = sum_1[3U];
        uint half_1 = parts_1 / 2U;
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
            if(_S29 < half_1)
            {
                (*(&kernelContext_2)->few_sums_0)[_S39] = (*(&kernelContext_2)->few_sums_0)[_S39] + (*(&kernelContext_2)->few_sums_0)[_S39 + half_1];
                (*(&kernelContext_2)->few_sums_0)[_S40] = (*(&kernelContext_2)->few_sums_0)[_S40] + (*(&kernelContext_2)->few_sums_0)[_S40 + half_1];
                (*(&kernelContext_2)->few_sums_0)[_S41] = (*(&kernelContext_2)->few_sums_0)[_S41] + (*(&kernelContext_2)->few_sums_0)[_S41 + half_1];
                (*(&kernelContext_2)->few_sums_0)[_S42] = (*(&kernelContext_2)->few_sums_0)[_S42] + (*(&kernelContext_2)->few_sums_0)[_S42 + half_1];
            }
            half_1 = half_1 / 2U;
        }
        bool _S43;
        if(_S29 == 0U)
        {
            _S43 = col_1 < ((&entryPointParams_1->p_1)->n_1);
        }
        else
        {
            _S43 = false;
        }
        if(_S43)
        {
            uint i_1 = 0U;
            for(;;)
            {
                if(i_1 < ((&entryPointParams_1->p_1)->m_0))
                {
                }
                else
                {
                    break;
                }
                float _S44 = (*(&kernelContext_2)->few_sums_0)[i_1 * 256U + _S39];
                thread Place_0 _S45 = _S33;
                finish_0(&_S45, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, i_1, col_1, _S44, &kernelContext_2);
                i_1 = i_1 + 1U;
            }
        }
        job_0 = job_0 + (&entryPointParams_1->p_1)->groups_0;
    }
    return;
}


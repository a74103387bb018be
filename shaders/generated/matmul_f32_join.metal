#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
float lostOf_0(float a_0, float b_0, float p_0)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_0))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_0))) & 4294963200U)));
    float a_low_0 = a_0 - a_high_0;
    float b_low_0 = b_0 - b_high_0;
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

float bell_0(float a_1)
{
    float limited_1;
    if(a_1 > 16.0f)
    {
        limited_1 = 16.0f;
    }
    else
    {
        limited_1 = a_1;
    }
    float square_0 = limited_1 * limited_1;
    float e_1 = expOf_0(-0.5f * square_0);
    return fma(e_1, -0.5f * lostOf_0(limited_1, limited_1, square_0), e_1);
}

float mills_0(float a_2)
{
    float inverse_0 = 1.0f / (a_2 + 5.0f);
    float t_0 = fma(a_2 * inverse_0, 2.0f, -1.0f);
    return inverse_0 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.00040502843330614f, t_0, -0.0009714913321659f), t_0, -0.00296137784607708f), t_0, 0.020876569673419f), t_0, -0.06911593675613403f), t_0, 0.16500671207904816f), t_0, -0.31353393197059631f), t_0, 0.49530637264251709f), t_0, -0.6653825044631958f), t_0, 0.76919305324554443f);
}

float normalCdf_0(float x_3)
{
    float a_3 = abs(x_3);
    float _S1 = bell_0(a_3);
    float _S2;
    if(a_3 > 16.0f)
    {
        _S2 = 16.0f;
    }
    else
    {
        _S2 = a_3;
    }
    float tail_0 = _S1 * mills_0(_S2);
    if(x_3 < 0.0f)
    {
        _S2 = tail_0;
    }
    else
    {
        _S2 = 1.0f - tail_0;
    }
    return _S2;
}

float geluErf_0(float x_4)
{
    float _S3;
    if(x_4 < -16.0f)
    {
        _S3 = 0.0f;
    }
    else
    {
        if(x_4 > 16.0f)
        {
            _S3 = x_4;
        }
        else
        {
            _S3 = x_4 * normalCdf_0(x_4);
        }
    }
    return _S3;
}

float logistic_0(float x_5)
{
    float e_2 = expOf_0(- abs(x_5));
    float _S4;
    if(x_5 < 0.0f)
    {
        _S4 = e_2;
    }
    else
    {
        _S4 = 1.0f;
    }
    return _S4 / (1.0f + e_2);
}

float siluOf_0(float x_6)
{
    float _S5;
    if(x_6 < -100.0f)
    {
        _S5 = 0.0f;
    }
    else
    {
        _S5 = x_6 * logistic_0(x_6);
    }
    return _S5;
}

float closed_0(uint epilogue_0, float v_0)
{
    switch(epilogue_0)
    {
    case 1U:
        {
            float _S6;
            if(v_0 < 0.0f)
            {
                _S6 = 0.0f;
            }
            else
            {
                _S6 = v_0;
            }
            return _S6;
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

void close_0(float device* c_0, uint c_at_0, uint ldc_0, float device* bias_0, uint bias_at_0, uint turned_0, float alpha_0, float beta_0, uint epilogue_1, uint row_0, uint col_0, float sum_0)
{
    bool _S7 = turned_0 != 0U;
    uint _S8;
    if(_S7)
    {
        _S8 = col_0 * ldc_0 + row_0;
    }
    else
    {
        _S8 = row_0 * ldc_0 + col_0;
    }
    uint place_0 = c_at_0 + _S8;
    float v_1 = alpha_0 * sum_0;
    float v_2;
    if(beta_0 != 0.0f)
    {
        v_2 = fma(beta_0, *(c_0+place_0), v_1);
    }
    else
    {
        v_2 = v_1;
    }
    if(bias_at_0 != 4294967295U)
    {
        if(_S7)
        {
            _S8 = row_0;
        }
        else
        {
            _S8 = col_0;
        }
        v_2 = v_2 + bias_0[bias_at_0 + _S8];
    }
    *(c_0+place_0) = closed_0(epilogue_1, v_2);
    return;
}

struct Parts_0
{
    uint groups_0;
    uint c_at_1;
    uint partials_at_0;
    uint bias_at_1;
    uint m_0;
    uint n_1;
    uint ldc_1;
    float alpha_1;
    float beta_1;
    uint epilogue_2;
    uint count_0;
    array<uint, int(3)> sizes_0;
    array<int, int(3)> batch_c_0;
    uint turned_1;
    uint parts_0;
};

struct EntryPointParams_0
{
    Parts_0 p_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_partials_0;
    float device* entryPointParams_bias_0;
};

[[kernel]] void matmul_f32_join(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_partials_1 [[buffer(2)]], float device* entryPointParams_bias_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_0)->entryPointParams_partials_0 = entryPointParams_partials_1;
    (&kernelContext_0)->entryPointParams_bias_0 = entryPointParams_bias_1;
    uint size_0 = (&entryPointParams_1->p_1)->m_0 * (&entryPointParams_1->p_1)->n_1;
    uint _S9 = size_0 * (&entryPointParams_1->p_1)->count_0;
    uint i_0 = group_0.x * 64U + thread_0.x;
    for(;;)
    {
        if(i_0 < _S9)
        {
        }
        else
        {
            break;
        }
        uint s_0 = 0U;
        float sum_1 = 0.0f;
        for(;;)
        {
            if(s_0 < ((&entryPointParams_1->p_1)->parts_0))
            {
            }
            else
            {
                break;
            }
            thread array<float, int(8)> v_3;
            v_3[0U] = 0.0f;
            if(s_0 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[0U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + s_0 * _S9 + i_0];
            }
            v_3[1U] = 0.0f;
            uint _S10 = s_0 + 1U;
            if(_S10 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[1U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S10 * _S9 + i_0];
            }
            v_3[2U] = 0.0f;
            uint _S11 = s_0 + 2U;
            if(_S11 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[2U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S11 * _S9 + i_0];
            }
            v_3[3U] = 0.0f;
            uint _S12 = s_0 + 3U;
            if(_S12 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[3U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S12 * _S9 + i_0];
            }
            v_3[4U] = 0.0f;
            uint _S13 = s_0 + 4U;
            if(_S13 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[4U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S13 * _S9 + i_0];
            }
            v_3[5U] = 0.0f;
            uint _S14 = s_0 + 5U;
            if(_S14 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[5U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S14 * _S9 + i_0];
            }
            v_3[6U] = 0.0f;
            uint _S15 = s_0 + 6U;
            if(_S15 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[6U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S15 * _S9 + i_0];
            }
            v_3[7U] = 0.0f;
            uint _S16 = s_0 + 7U;
            if(_S16 < ((&entryPointParams_1->p_1)->parts_0))
            {
                v_3[7U] = (&kernelContext_0)->entryPointParams_partials_0[(&entryPointParams_1->p_1)->partials_at_0 + _S16 * _S9 + i_0];
            }
            float sum_2;
            if(s_0 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_2 = sum_1 + v_3[0U];
            }
            else
            {
                sum_2 = sum_1;
            }
            float sum_3;
            if(_S10 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_3 = sum_2 + v_3[1U];
            }
            else
            {
                sum_3 = sum_2;
            }
            float sum_4;
            if(_S11 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_4 = sum_3 + v_3[2U];
            }
            else
            {
                sum_4 = sum_3;
            }
            float sum_5;
            if(_S12 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_5 = sum_4 + v_3[3U];
            }
            else
            {
                sum_5 = sum_4;
            }
            float sum_6;
            if(_S13 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_6 = sum_5 + v_3[4U];
            }
            else
            {
                sum_6 = sum_5;
            }
            float sum_7;
            if(_S14 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_7 = sum_6 + v_3[5U];
            }
            else
            {
                sum_7 = sum_6;
            }
            float sum_8;
            if(_S15 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_8 = sum_7 + v_3[6U];
            }
            else
            {
                sum_8 = sum_7;
            }
            if(_S16 < ((&entryPointParams_1->p_1)->parts_0))
            {
                sum_1 = sum_8 + v_3[7U];
            }
            else
            {
                sum_1 = sum_8;
            }
            s_0 = s_0 + 8U;
        }
        uint _S17 = i_0 / size_0;
        uint _S18 = i_0 % size_0;
        uint row_1 = _S18 / (&entryPointParams_1->p_1)->n_1;
        uint col_1 = i_0 % (&entryPointParams_1->p_1)->n_1;
        uint axis_0 = 0U;
        uint index_0 = _S17;
        int at_0 = int(0);
        for(;;)
        {
            if(axis_0 < 3U)
            {
            }
            else
            {
                break;
            }
            uint _S19 = index_0 % (&entryPointParams_1->p_1)->sizes_0[axis_0];
            int at_1 = at_0 + int(_S19) * (&entryPointParams_1->p_1)->batch_c_0[axis_0];
            uint index_1 = index_0 / (&entryPointParams_1->p_1)->sizes_0[axis_0];
            axis_0 = axis_0 + 1U;
            index_0 = index_1;
            at_0 = at_1;
        }
        close_0((&kernelContext_0)->entryPointParams_c_0, (&entryPointParams_1->p_1)->c_at_1 + uint(at_0), (&entryPointParams_1->p_1)->ldc_1, (&kernelContext_0)->entryPointParams_bias_0, (&entryPointParams_1->p_1)->bias_at_1, (&entryPointParams_1->p_1)->turned_1, (&entryPointParams_1->p_1)->alpha_1, (&entryPointParams_1->p_1)->beta_1, (&entryPointParams_1->p_1)->epilogue_2, row_1, col_1, sum_1);
        i_0 = i_0 + (&entryPointParams_1->p_1)->groups_0 * 64U;
    }
    return;
}


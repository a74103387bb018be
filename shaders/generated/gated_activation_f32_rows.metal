#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint place_0(uint i_0, uint cols_0, uint stride_0)
{
    uint _S1;
    if(stride_0 == cols_0)
    {
        _S1 = i_0;
    }
    else
    {
        uint _S2 = i_0 / cols_0;
        uint _S3 = _S2 * stride_0;
        uint _S4 = i_0 % cols_0;
        _S1 = _S3 + _S4;
    }
    return _S1;
}

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
    float _S5 = bell_0(a_3);
    float _S6;
    if(a_3 > 16.0f)
    {
        _S6 = 16.0f;
    }
    else
    {
        _S6 = a_3;
    }
    float tail_0 = _S5 * mills_0(_S6);
    if(x_3 < 0.0f)
    {
        _S6 = tail_0;
    }
    else
    {
        _S6 = 1.0f - tail_0;
    }
    return _S6;
}

float geluErf_0(float x_4)
{
    float _S7;
    if(x_4 < -16.0f)
    {
        _S7 = 0.0f;
    }
    else
    {
        if(x_4 > 16.0f)
        {
            _S7 = x_4;
        }
        else
        {
            _S7 = x_4 * normalCdf_0(x_4);
        }
    }
    return _S7;
}

float logistic_0(float x_5)
{
    float e_2 = expOf_0(- abs(x_5));
    float _S8;
    if(x_5 < 0.0f)
    {
        _S8 = e_2;
    }
    else
    {
        _S8 = 1.0f;
    }
    return _S8 / (1.0f + e_2);
}

float geluTanh_0(float x_6)
{
    if(x_6 < -16.0f)
    {
        return 0.0f;
    }
    if(x_6 > 16.0f)
    {
        return x_6;
    }
    return x_6 * logistic_0(1.59576916694641113f * fma(0.04471499845385551f * x_6 * x_6, x_6, x_6));
}

float siluOf_0(float x_7)
{
    float _S9;
    if(x_7 < -100.0f)
    {
        _S9 = 0.0f;
    }
    else
    {
        _S9 = x_7 * logistic_0(x_7);
    }
    return _S9;
}

float activated_0(uint kind_0, float gate_0)
{
    switch(kind_0)
    {
    case 0U:
        {
            return geluErf_0(gate_0);
        }
    case 1U:
        {
            return geluTanh_0(gate_0);
        }
    default:
        {
            return siluOf_0(gate_0);
        }
    }
}

struct Forward_0
{
    uint groups_0;
    uint out_at_0;
    uint gate_at_0;
    uint up_at_0;
    uint rows_0;
    uint cols_1;
    uint out_stride_0;
    uint gate_stride_0;
    uint up_stride_0;
    uint kind_1;
};

struct EntryPointParams_0
{
    Forward_0 a_4;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_gate_0;
    float device* entryPointParams_up_0;
};

[[kernel]] void gated_activation_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_gate_1 [[buffer(2)]], float device* entryPointParams_up_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_gate_0 = entryPointParams_gate_1;
    (&kernelContext_0)->entryPointParams_up_0 = entryPointParams_up_1;
    uint _S10 = entryPointParams_1->a_4.rows_0 * entryPointParams_1->a_4.cols_1;
    uint i_1 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_1 < _S10)
        {
        }
        else
        {
            break;
        }
        uint _S11 = place_0(i_1, entryPointParams_1->a_4.cols_1, entryPointParams_1->a_4.gate_stride_0);
        float g_0 = (&kernelContext_0)->entryPointParams_gate_0[entryPointParams_1->a_4.gate_at_0 + _S11];
        uint _S12 = place_0(i_1, entryPointParams_1->a_4.cols_1, entryPointParams_1->a_4.up_stride_0);
        float u_0 = (&kernelContext_0)->entryPointParams_up_0[entryPointParams_1->a_4.up_at_0 + _S12];
        uint _S13 = place_0(i_1, entryPointParams_1->a_4.cols_1, entryPointParams_1->a_4.out_stride_0);
        *((&kernelContext_0)->entryPointParams_out_0+(entryPointParams_1->a_4.out_at_0 + _S13)) = activated_0(entryPointParams_1->a_4.kind_1, g_0) * u_0;
        i_1 = i_1 + entryPointParams_1->a_4.groups_0 * 256U;
    }
    return;
}


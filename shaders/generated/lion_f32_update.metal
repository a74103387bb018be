#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
float2 wideNumber_0(uint device* words_0, uint at_0, uint i_0, bool is_f64_0)
{
    if(!is_f64_0)
    {
        return float2((as_type<float>((words_0[at_0 + i_0]))), 0.0f);
    }
    uint _S1 = at_0 + 2U * i_0;
    uint low_0 = words_0[_S1];
    uint high_0 = words_0[_S1 + 1U];
    int exponent_0 = int((high_0 >> 20U) & 2047U) - int(1023);
    if(exponent_0 < int(-126))
    {
        return float2(0.0f, 0.0f);
    }
    if(exponent_0 > int(127))
    {
        bool nan_0;
        if(exponent_0 == int(1024))
        {
            nan_0 = ((high_0 & 1048575U) | low_0) != 0U;
        }
        else
        {
            nan_0 = false;
        }
        uint _S2 = high_0 & 2147483648U;
        uint _S3;
        if(nan_0)
        {
            _S3 = 2143289344U;
        }
        else
        {
            _S3 = 2139095040U;
        }
        return float2((as_type<float>((_S2 | _S3))), 0.0f);
    }
    float power_0 = (as_type<float>((uint(exponent_0 + int(127)) << 23U)));
    float first_0 = float(((1048576U | (high_0 & 1048575U)) << 3U) | (low_0 >> 29U)) * 1.1920928955078125e-07f;
    float rest_0 = float(low_0 & 536870911U) * 1.86264514923095703e-09f * 1.1920928955078125e-07f;
    int _S4;
    if((high_0 & 2147483648U) != 0U)
    {
        _S4 = int(-1);
    }
    else
    {
        _S4 = int(1);
    }
    float sign_0 = float(_S4);
    return float2(sign_0 * first_0 * power_0, sign_0 * rest_0 * power_0);
}

float narrow_0(float2 x_0)
{
    return x_0.x + x_0.y;
}

float2 oneMinus_0(float2 x_1)
{
    float _S5 = x_1.x;
    float d_0 = 1.0f - _S5;
    return float2(d_0, 1.0f - d_0 - _S5 - x_1.y);
}

float lostOf_0(float a_0, float b_0, float p_0)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_0))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_0))) & 4294963200U)));
    float a_low_0 = a_0 - a_high_0;
    float b_low_0 = b_0 - b_high_0;
    return a_high_0 * b_high_0 - p_0 + a_high_0 * b_low_0 + a_low_0 * b_high_0 + a_low_0 * b_low_0;
}

float2 times_0(float2 x_2, float2 y_0)
{
    float _S6 = x_2.x;
    float _S7 = y_0.x;
    float p_1 = _S6 * _S7;
    return float2(p_1, lostOf_0(_S6, _S7, p_1) + (_S6 * y_0.y + x_2.y * _S7));
}

struct Step_0
{
    uint groups_0;
    uint data_0_at_0;
    uint data_1_at_0;
    uint gradient_at_0;
    uint scalars_at_0;
    uint count_0;
    uint wide_0;
    uint decays_0;
};

struct EntryPointParams_0
{
    Step_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_data_0_0;
    float device* entryPointParams_data_1_0;
    float device* entryPointParams_gradient_0;
    uint device* entryPointParams_scalars_0;
};

[[kernel]] void lion_f32_update(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_data_0_1 [[buffer(1)]], float device* entryPointParams_data_1_1 [[buffer(2)]], float device* entryPointParams_gradient_1 [[buffer(3)]], uint device* entryPointParams_scalars_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_data_0_0 = entryPointParams_data_0_1;
    (&kernelContext_0)->entryPointParams_data_1_0 = entryPointParams_data_1_1;
    (&kernelContext_0)->entryPointParams_gradient_0 = entryPointParams_gradient_1;
    (&kernelContext_0)->entryPointParams_scalars_0 = entryPointParams_scalars_1;
    bool _S8 = (entryPointParams_1->a_1.wide_0) != 0U;
    thread array<float2, int(5)> p_2;
    uint i_1 = 0U;
    for(;;)
    {
        if(i_1 < 5U)
        {
        }
        else
        {
            break;
        }
        p_2[i_1] = wideNumber_0((&kernelContext_0)->entryPointParams_scalars_0, entryPointParams_1->a_1.scalars_at_0, i_1, _S8);
        i_1 = i_1 + 1U;
    }
    float _S9 = narrow_0(p_2[int(0)]);
    float _S10 = narrow_0(p_2[int(1)]);
    float _S11 = narrow_0(p_2[int(2)]);
    float _S12 = narrow_0(p_2[int(4)]);
    float _S13 = narrow_0(oneMinus_0(p_2[int(1)]));
    float _S14 = narrow_0(oneMinus_0(p_2[int(2)]));
    float _S15;
    if((entryPointParams_1->a_1.decays_0) != 0U)
    {
        _S15 = narrow_0(oneMinus_0(times_0(p_2[int(0)], p_2[int(3)])));
    }
    else
    {
        _S15 = 1.0f;
    }
    i_1 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_1 < (entryPointParams_1->a_1.count_0))
        {
        }
        else
        {
            break;
        }
        float g_0 = (&kernelContext_0)->entryPointParams_gradient_0[entryPointParams_1->a_1.gradient_at_0 + i_1] * _S12;
        float device* _S16 = (&kernelContext_0)->entryPointParams_data_1_0+(entryPointParams_1->a_1.data_1_at_0 + i_1);
        float m_0 = *_S16;
        float way_0 = _S10 * *_S16 + _S13 * g_0;
        float sign_1;
        if(way_0 > 0.0f)
        {
            sign_1 = 1.0f;
        }
        else
        {
            if(way_0 < 0.0f)
            {
                sign_1 = -1.0f;
            }
            else
            {
                sign_1 = way_0;
            }
        }
        *((&kernelContext_0)->entryPointParams_data_1_0+(entryPointParams_1->a_1.data_1_at_0 + i_1)) = _S11 * m_0 + _S14 * g_0;
        *((&kernelContext_0)->entryPointParams_data_0_0+(entryPointParams_1->a_1.data_0_at_0 + i_1)) = *((&kernelContext_0)->entryPointParams_data_0_0+(entryPointParams_1->a_1.data_0_at_0 + i_1)) * _S15 - _S9 * sign_1;
        i_1 = i_1 + entryPointParams_1->a_1.groups_0 * 256U;
    }
    return;
}


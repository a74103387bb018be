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

float numberOf_0(uint device* scalars_0, uint at_1, uint i_1, uint wide_0)
{
    return narrow_0(wideNumber_0(scalars_0, at_1, i_1, wide_0 != 0U));
}

struct Momentum_0
{
    uint groups_0;
    uint data_0_at_0;
    uint data_1_at_0;
    uint gradient_at_0;
    uint scalars_at_0;
    uint count_0;
    uint wide_1;
    uint decays_0;
};

void step_0(float device* data_0_0, float device* data_1_0, float device* gradient_0, uint device* scalars_1, const Momentum_0 constant* a_0, uint first_1, bool looks_ahead_0)
{
    uint _S5 = a_0->scalars_at_0;
    uint _S6 = a_0->wide_1;
    float _S7 = numberOf_0(scalars_1, a_0->scalars_at_0, 0U, a_0->wide_1);
    float _S8 = numberOf_0(scalars_1, _S5, 1U, _S6);
    float _S9 = numberOf_0(scalars_1, _S5, 3U, _S6);
    float _S10;
    if((a_0->decays_0) != 0U)
    {
        _S10 = numberOf_0(scalars_1, _S5, 2U, _S6);
    }
    else
    {
        _S10 = 0.0f;
    }
    uint i_2 = first_1;
    for(;;)
    {
        if(i_2 < (a_0->count_0))
        {
        }
        else
        {
            break;
        }
        uint _S11 = a_0->data_0_at_0 + i_2;
        float device* _S12 = data_0_0+_S11;
        float w_0 = *_S12;
        float g_0 = gradient_0[a_0->gradient_at_0 + i_2] * _S9 + _S10 * *_S12;
        uint _S13 = a_0->data_1_at_0 + i_2;
        float b_0 = _S8 * *(data_1_0+_S13) + g_0;
        *(data_1_0+_S13) = b_0;
        float device* _S14 = data_0_0+_S11;
        float _S15;
        if(looks_ahead_0)
        {
            _S15 = g_0 + _S8 * b_0;
        }
        else
        {
            _S15 = b_0;
        }
        *_S14 = w_0 - _S7 * _S15;
        i_2 = i_2 + a_0->groups_0 * 256U;
    }
    return;
}

struct EntryPointParams_0
{
    Momentum_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_data_0_0;
    float device* entryPointParams_data_1_0;
    float device* entryPointParams_gradient_0;
    uint device* entryPointParams_scalars_0;
};

[[kernel]] void sgd_f32_momentum(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_data_0_1 [[buffer(1)]], float device* entryPointParams_data_1_1 [[buffer(2)]], float device* entryPointParams_gradient_1 [[buffer(3)]], uint device* entryPointParams_scalars_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_data_0_0 = entryPointParams_data_0_1;
    (&kernelContext_0)->entryPointParams_data_1_0 = entryPointParams_data_1_1;
    (&kernelContext_0)->entryPointParams_gradient_0 = entryPointParams_gradient_1;
    (&kernelContext_0)->entryPointParams_scalars_0 = entryPointParams_scalars_1;
    step_0(entryPointParams_data_0_1, entryPointParams_data_1_1, entryPointParams_gradient_1, entryPointParams_scalars_1, &entryPointParams_1->a_1, group_0.x * 256U + thread_0.x, false);
    return;
}


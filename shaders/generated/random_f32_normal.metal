#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint2 mulWide_0(uint a_0, uint b_0)
{
    uint _S1 = a_0 * b_0;
    uint _S2 = (mulhi((a_0), (b_0)));
    return uint2(_S1, _S2);
}

uint4 philox_0(uint device* state_0, uint at_0, uint n_0)
{
    uint2 _S3 = uint2(state_0[at_0], state_0[at_0 + 1U]);
    thread uint4 c_0 = uint4(state_0[at_0 + 2U], state_0[at_0 + 3U], state_0[at_0 + 4U], state_0[at_0 + 5U]);
    c_0.x = c_0.x + n_0;
    bool _S4;
    if((c_0.x) < n_0)
    {
        uint _S5 = c_0.y + 1U;
        c_0.y = _S5;
        _S4 = _S5 == 0U;
    }
    else
    {
        _S4 = false;
    }
    if(_S4)
    {
        uint _S6 = c_0.z + 1U;
        c_0.z = _S6;
        _S4 = _S6 == 0U;
    }
    else
    {
        _S4 = false;
    }
    if(_S4)
    {
        c_0.w = c_0.w + 1U;
    }
    uint round_0 = 0U;
    uint2 key_0 = _S3;
    for(;;)
    {
        if(round_0 < 10U)
        {
        }
        else
        {
            break;
        }
        uint2 a_1 = mulWide_0(c_0.x, 3528531795U);
        uint2 b_1 = mulWide_0(c_0.z, 3449720151U);
        c_0 = uint4(((b_1.y) ^ (c_0.y)) ^ (key_0.x), b_1.x, ((a_1.y) ^ (c_0.w)) ^ (key_0.y), a_1.x);
        uint2 key_1 = key_0 + uint2(2654435769U, 3144134277U);
        round_0 = round_0 + 1U;
        key_0 = key_1;
    }
    return c_0;
}

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

float logOf_0(float x_1)
{
    if(isNaN_0(x_1))
    {
        return x_1;
    }
    float _S7;
    if(!(x_1 > 0.0f))
    {
        if(x_1 == 0.0f)
        {
            _S7 = (as_type<float>((4286578688U)));
        }
        else
        {
            _S7 = (as_type<float>((2143289344U)));
        }
        return _S7;
    }
    if(x_1 == (as_type<float>((2139095040U))))
    {
        return x_1;
    }
    bool small_0 = x_1 < 1.17549435082228751e-38f;
    if(small_0)
    {
        _S7 = x_1 * 8.388608e+06f;
    }
    else
    {
        _S7 = x_1;
    }
    uint bits_0 = (as_type<uint>((_S7))) + 4913933U;
    float f_0 = (as_type<float>(((bits_0 & 8388607U) + 1060439283U))) - 1.0f;
    int _S8 = int(bits_0 >> 23U);
    int _S9;
    if(small_0)
    {
        _S9 = int(150);
    }
    else
    {
        _S9 = int(127);
    }
    float k_0 = float(_S8 - _S9);
    float square_0 = f_0 * f_0;
    return fma(k_0, 0.69314718246459961f, f_0 + fma(square_0, -0.5f, fma(square_0 * f_0, fma(fma(fma(fma(fma(fma(fma(-0.07640374451875687f, f_0, 0.12766213715076447f), f_0, -0.13159836828708649f), f_0, 0.14201110601425171f), f_0, -0.16623353958129883f), f_0, 0.20001256465911865f), f_0, -0.250008225440979f), f_0, 0.33333331346511841f), k_0 * -1.90465421212593355e-09f)));
}

float2 sinCosOfTurn_0(uint turn_0)
{
    uint quarter_0 = (turn_0 + 536870912U) >> 30U;
    float r_0 = float(int(turn_0 - (quarter_0 << 30U))) * (as_type<float>((805306368U)));
    float square_1 = r_0 * r_0;
    float sine_0 = fma(r_0, 3.14159274101257324f, r_0 * fma(square_1, fma(fma(-0.58957618474960327f, square_1, 2.5498197078704834f), square_1, -5.1677093505859375f), -8.74227765734758577e-08f));
    float cosine_0 = fma(square_1, fma(fma(fma(0.22898854315280914f, square_1, -1.33475816249847412f), square_1, 4.05869674682617188f), square_1, -4.93480205535888672f), 1.0f);
    float2 swapped_0;
    if((quarter_0 & 1U) != 0U)
    {
        swapped_0 = float2(cosine_0, sine_0);
    }
    else
    {
        swapped_0 = float2(sine_0, cosine_0);
    }
    float _S10;
    if((quarter_0 & 2U) != 0U)
    {
        _S10 = - swapped_0.x;
    }
    else
    {
        _S10 = swapped_0.x;
    }
    float _S11;
    if(((quarter_0 + 1U) & 2U) != 0U)
    {
        _S11 = - swapped_0.y;
    }
    else
    {
        _S11 = swapped_0.y;
    }
    return float2(_S10, _S11);
}

struct Draw_0
{
    uint groups_0;
    uint out_at_0;
    uint state_at_0;
    uint count_0;
    float a_2;
    float b_2;
    float limit_0;
    float top_0;
};

uint4 normal_0(const Draw_0 constant* a_3, uint4 words_0)
{
    thread uint4 out_0;
    uint k_1 = 0U;
    for(;;)
    {
        if(k_1 < 4U)
        {
        }
        else
        {
            break;
        }
        float radius_0 = sqrt(-2.0f * logOf_0(fma(fma(float((words_0[k_1]) >> 16U), 6.5536e+04f, float((words_0[k_1]) & 65535U)), (as_type<float>((796917760U))), (as_type<float>((788529152U))))));
        uint _S12 = k_1 + 1U;
        float2 angle_0 = sinCosOfTurn_0((words_0[_S12]) & 4294967040U);
        out_0[k_1] = (as_type<uint>((fma(a_3->b_2, radius_0 * angle_0.y, a_3->a_2))));
        out_0[_S12] = (as_type<uint>((fma(a_3->b_2, radius_0 * angle_0.x, a_3->a_2))));
        k_1 = k_1 + 2U;
    }
    return out_0;
}

struct EntryPointParams_0
{
    Draw_0 a_4;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    uint device* entryPointParams_state_0;
    array<uint, int(1056)> threadgroup* drawn_0;
};

void exchange_0(uint4 words_1, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint k_2 = 0U;
    for(;;)
    {
        if(k_2 < 4U)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_0->drawn_0)[k_2 * 264U + thread_0] = words_1[k_2];
        k_2 = k_2 + 1U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return;
}

uint exchanged_0(uint e_0, KernelContext_0 thread* kernelContext_1)
{
    return (*kernelContext_1->drawn_0)[e_0 % 4U * 264U + e_0 / 4U];
}

[[kernel]] void random_f32_normal(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_state_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_2)->entryPointParams_state_0 = entryPointParams_state_1;
    threadgroup array<uint, int(1056)> drawn_1;
    (&kernelContext_2)->drawn_0 = &drawn_1;
    uint first_0 = group_0.x * 1024U;
    for(;;)
    {
        if(first_0 < ((&kernelContext_2)->entryPointParams_0->a_4.count_0))
        {
        }
        else
        {
            break;
        }
        uint _S13 = thread_1.x;
        uint4 _S14 = philox_0((&kernelContext_2)->entryPointParams_state_0, (&kernelContext_2)->entryPointParams_0->a_4.state_at_0, first_0 / 4U + _S13);
        uint4 _S15 = normal_0(&(&kernelContext_2)->entryPointParams_0->a_4, _S14);
        exchange_0(_S15, _S13, &kernelContext_2);
        uint e_1 = _S13;
        for(;;)
        {
            if(e_1 < (min(1024U, (&kernelContext_2)->entryPointParams_0->a_4.count_0 - first_0)))
            {
            }
            else
            {
                break;
            }
            uint device* _S16 = (&kernelContext_2)->entryPointParams_out_0+((&kernelContext_2)->entryPointParams_0->a_4.out_at_0 + first_0 + e_1);
            uint _S17 = exchanged_0(e_1, &kernelContext_2);
            *_S16 = _S17;
            e_1 = e_1 + 256U;
        }
        first_0 = first_0 + (&kernelContext_2)->entryPointParams_0->a_4.groups_0 * 1024U;
    }
    return;
}


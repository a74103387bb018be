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

struct Dropout_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint state_at_0;
    uint rows_0;
    uint cols_0;
    uint out_stride_0;
    uint x_stride_0;
    uint least_0;
    float factor_0;
};

struct EntryPointParams_0
{
    Dropout_0 a_2;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    uint device* entryPointParams_state_0;
    array<uint, int(1056)> threadgroup* drawn_0;
};

void exchange_0(uint4 words_0, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint k_0 = 0U;
    for(;;)
    {
        if(k_0 < 4U)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_0->drawn_0)[k_0 * 264U + thread_0] = words_0[k_0];
        k_0 = k_0 + 1U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return;
}

uint exchanged_0(uint e_0, KernelContext_0 thread* kernelContext_1)
{
    return (*kernelContext_1->drawn_0)[e_0 % 4U * 264U + e_0 / 4U];
}

uint place_0(uint i_0, uint cols_1, uint stride_0)
{
    uint _S7;
    if(stride_0 == cols_1)
    {
        _S7 = i_0;
    }
    else
    {
        uint _S8 = i_0 / cols_1;
        uint _S9 = _S8 * stride_0;
        uint _S10 = i_0 % cols_1;
        _S7 = _S9 + _S10;
    }
    return _S7;
}

[[kernel]] void dropout_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], uint device* entryPointParams_state_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_2)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_2)->entryPointParams_state_0 = entryPointParams_state_1;
    threadgroup array<uint, int(1056)> drawn_1;
    (&kernelContext_2)->drawn_0 = &drawn_1;
    uint _S11 = entryPointParams_1->a_2.rows_0 * entryPointParams_1->a_2.cols_0;
    uint first_0 = group_0.x * 1024U;
    for(;;)
    {
        if(first_0 < _S11)
        {
        }
        else
        {
            break;
        }
        uint _S12 = thread_1.x;
        uint4 _S13 = philox_0((&kernelContext_2)->entryPointParams_state_0, entryPointParams_1->a_2.state_at_0, first_0 / 4U + _S12);
        exchange_0(_S13, _S12, &kernelContext_2);
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
            uint e_1 = k_1 * 256U + _S12;
            uint i_1 = first_0 + e_1;
            if(i_1 >= _S11)
            {
                break;
            }
            uint _S14 = exchanged_0(e_1, &kernelContext_2);
            bool kept_0 = (_S14 >> 8U) >= (entryPointParams_1->a_2.least_0);
            uint _S15 = place_0(i_1, entryPointParams_1->a_2.cols_0, entryPointParams_1->a_2.out_stride_0);
            float device* _S16 = (&kernelContext_2)->entryPointParams_out_0+(entryPointParams_1->a_2.out_at_0 + _S15);
            float _S17;
            if(kept_0)
            {
                uint _S18 = place_0(i_1, entryPointParams_1->a_2.cols_0, entryPointParams_1->a_2.x_stride_0);
                _S17 = (&kernelContext_2)->entryPointParams_x_0[entryPointParams_1->a_2.x_at_0 + _S18] * entryPointParams_1->a_2.factor_0;
            }
            else
            {
                _S17 = 0.0f;
            }
            *_S16 = _S17;
            k_1 = k_1 + 1U;
        }
        first_0 = first_0 + entryPointParams_1->a_2.groups_0 * 1024U;
    }
    return;
}


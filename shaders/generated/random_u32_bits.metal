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

uint4 plain_0(const Draw_0 constant* a_3, uint4 words_0)
{
    return words_0;
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
        (*kernelContext_0->drawn_0)[k_0 * 264U + thread_0] = words_1[k_0];
        k_0 = k_0 + 1U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return;
}

uint exchanged_0(uint e_0, KernelContext_0 thread* kernelContext_1)
{
    return (*kernelContext_1->drawn_0)[e_0 % 4U * 264U + e_0 / 4U];
}

[[kernel]] void random_u32_bits(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_state_1 [[buffer(2)]])
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
        uint _S7 = thread_1.x;
        uint4 _S8 = philox_0((&kernelContext_2)->entryPointParams_state_0, (&kernelContext_2)->entryPointParams_0->a_4.state_at_0, first_0 / 4U + _S7);
        uint4 _S9 = plain_0(&(&kernelContext_2)->entryPointParams_0->a_4, _S8);
        exchange_0(_S9, _S7, &kernelContext_2);
        uint e_1 = _S7;
        for(;;)
        {
            if(e_1 < (min(1024U, (&kernelContext_2)->entryPointParams_0->a_4.count_0 - first_0)))
            {
            }
            else
            {
                break;
            }
            uint device* _S10 = (&kernelContext_2)->entryPointParams_out_0+((&kernelContext_2)->entryPointParams_0->a_4.out_at_0 + first_0 + e_1);
            uint _S11 = exchanged_0(e_1, &kernelContext_2);
            *_S10 = _S11;
            e_1 = e_1 + 256U;
        }
        first_0 = first_0 + (&kernelContext_2)->entryPointParams_0->a_4.groups_0 * 1024U;
    }
    return;
}


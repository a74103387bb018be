#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Place_0
{
    uint groups_0;
    uint order_at_0;
    uint places_at_0;
    uint offsets_at_0;
    uint counters_at_0;
    uint indices_at_0;
    uint count_0;
    uint experts_0;
    uint chunk_len_0;
    uint chunks_0;
};

struct EntryPointParams_0
{
    Place_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_places_0;
    uint device* entryPointParams_offsets_0;
    uint device* entryPointParams_counters_0;
    uint device* entryPointParams_indices_0;
    array<uint, int(256)> threadgroup* chosen_0;
};

[[kernel]] void expert_order_u32_place(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_order_1 [[buffer(1)]], uint device* entryPointParams_places_1 [[buffer(2)]], uint device* entryPointParams_offsets_1 [[buffer(3)]], uint device* entryPointParams_counters_1 [[buffer(4)]], uint device* entryPointParams_indices_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_order_0 = entryPointParams_order_1;
    (&kernelContext_0)->entryPointParams_places_0 = entryPointParams_places_1;
    (&kernelContext_0)->entryPointParams_offsets_0 = entryPointParams_offsets_1;
    (&kernelContext_0)->entryPointParams_counters_0 = entryPointParams_counters_1;
    (&kernelContext_0)->entryPointParams_indices_0 = entryPointParams_indices_1;
    threadgroup array<uint, int(256)> chosen_1;
    (&kernelContext_0)->chosen_0 = &chosen_1;
    uint _S1 = thread_0.x;
    uint q_0 = group_0.x;
    for(;;)
    {
        if(q_0 < ((&kernelContext_0)->entryPointParams_0->a_0.chunks_0))
        {
        }
        else
        {
            break;
        }
        uint from_0 = q_0 * (&kernelContext_0)->entryPointParams_0->a_0.chunk_len_0;
        uint _S2 = min((&kernelContext_0)->entryPointParams_0->a_0.count_0, from_0 + (&kernelContext_0)->entryPointParams_0->a_0.chunk_len_0);
        uint first_0 = from_0;
        for(;;)
        {
            if(first_0 < _S2)
            {
            }
            else
            {
                break;
            }
            uint i_0 = first_0 + _S1;
            bool _S3 = i_0 < _S2;
            uint own_0;
            if(_S3)
            {
                own_0 = min((&kernelContext_0)->entryPointParams_indices_0[(&kernelContext_0)->entryPointParams_0->a_0.indices_at_0 + i_0], (&kernelContext_0)->entryPointParams_0->a_0.experts_0 - 1U);
            }
            else
            {
                own_0 = 0U;
            }
            uint part_0 = from_0;
            uint before_0 = 0U;
            for(;;)
            {
                if(part_0 <= first_0)
                {
                }
                else
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if((part_0 + _S1) < _S2)
                {
                    (*(&kernelContext_0)->chosen_0)[_S1] = min((&kernelContext_0)->entryPointParams_indices_0[(&kernelContext_0)->entryPointParams_0->a_0.indices_at_0 + part_0 + _S1], (&kernelContext_0)->entryPointParams_0->a_0.experts_0 - 1U);
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _S4;
                if(part_0 < first_0)
                {
                    _S4 = 256U;
                }
                else
                {
                    _S4 = _S1;
                }
                uint j_0 = 0U;
                for(;;)
                {
                    bool _S5 = j_0 < _S4;
                    if(_S5)
                    {
                    }
                    else
                    {
                        break;
                    }
                    bool _S6;
                    if(((*(&kernelContext_0)->chosen_0)[j_0]) == own_0)
                    {
                        _S6 = _S5;
                    }
                    else
                    {
                        _S6 = false;
                    }
                    int _S7;
                    if(_S6)
                    {
                        _S7 = int(1);
                    }
                    else
                    {
                        _S7 = int(0);
                    }
                    uint before_1 = before_0 + uint(_S7);
                    uint _S8 = j_0 + 1U;
                    bool _S9;
                    if(((*(&kernelContext_0)->chosen_0)[_S8]) == own_0)
                    {
                        _S9 = _S8 < _S4;
                    }
                    else
                    {
                        _S9 = false;
                    }
                    int _S10;
                    if(_S9)
                    {
                        _S10 = int(1);
                    }
                    else
                    {
                        _S10 = int(0);
                    }
                    uint before_2 = before_1 + uint(_S10);
                    uint _S11 = j_0 + 2U;
                    bool _S12;
                    if(((*(&kernelContext_0)->chosen_0)[_S11]) == own_0)
                    {
                        _S12 = _S11 < _S4;
                    }
                    else
                    {
                        _S12 = false;
                    }
                    int _S13;
                    if(_S12)
                    {
                        _S13 = int(1);
                    }
                    else
                    {
                        _S13 = int(0);
                    }
                    uint before_3 = before_2 + uint(_S13);
                    uint _S14 = j_0 + 3U;
                    bool _S15;
                    if(((*(&kernelContext_0)->chosen_0)[_S14]) == own_0)
                    {
                        _S15 = _S14 < _S4;
                    }
                    else
                    {
                        _S15 = false;
                    }
                    int _S16;
                    if(_S15)
                    {
                        _S16 = int(1);
                    }
                    else
                    {
                        _S16 = int(0);
                    }
                    uint before_4 = before_3 + uint(_S16);
                    j_0 = j_0 + 4U;
                    before_0 = before_4;
                }
                part_0 = part_0 + 256U;
            }
            if(_S3)
            {
                uint place_0 = (&kernelContext_0)->entryPointParams_offsets_0[(&kernelContext_0)->entryPointParams_0->a_0.offsets_at_0 + own_0] + (&kernelContext_0)->entryPointParams_counters_0[(&kernelContext_0)->entryPointParams_0->a_0.counters_at_0 + own_0 * (&kernelContext_0)->entryPointParams_0->a_0.chunks_0 + q_0] + before_0;
                *((&kernelContext_0)->entryPointParams_order_0+((&kernelContext_0)->entryPointParams_0->a_0.order_at_0 + place_0)) = i_0;
                *((&kernelContext_0)->entryPointParams_places_0+((&kernelContext_0)->entryPointParams_0->a_0.places_at_0 + i_0)) = place_0;
            }
            first_0 = first_0 + 256U;
        }
        q_0 = q_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


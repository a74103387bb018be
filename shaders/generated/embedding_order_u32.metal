#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Order_0
{
    uint groups_0;
    uint order_at_0;
    uint runs_at_0;
    uint ids_at_0;
    uint count_0;
    uint limit_0;
};

struct EntryPointParams_0
{
    Order_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_runs_0;
    uint device* entryPointParams_ids_0;
    array<uint, int(256)> threadgroup* tile_0;
};

[[kernel]] void embedding_order_u32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_order_1 [[buffer(1)]], uint device* entryPointParams_runs_1 [[buffer(2)]], uint device* entryPointParams_ids_1 [[buffer(3)]])
{
    uint _S1;
    bool _S2;
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_order_0 = entryPointParams_order_1;
    (&kernelContext_0)->entryPointParams_runs_0 = entryPointParams_runs_1;
    (&kernelContext_0)->entryPointParams_ids_0 = entryPointParams_ids_1;
    threadgroup array<uint, int(256)> tile_1;
    (&kernelContext_0)->tile_0 = &tile_1;
    uint first_0 = group_0.x * 256U;
    for(;;)
    {
        if(first_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        uint _S3 = thread_0.x;
        uint i_0 = first_0 + _S3;
        uint own_0;
        if(i_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
            own_0 = (&kernelContext_0)->entryPointParams_ids_0[(&kernelContext_0)->entryPointParams_0->a_0.ids_at_0 + i_0];
        }
        else
        {
            own_0 = 0U;
        }
        uint from_0 = 0U;
        uint smaller_0 = 0U;
        uint same_0 = 0U;
        uint same_before_0 = 0U;
        for(;;)
        {
            if(from_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if((from_0 + _S3) < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
            {
                _S1 = (&kernelContext_0)->entryPointParams_ids_0[(&kernelContext_0)->entryPointParams_0->a_0.ids_at_0 + from_0 + _S3];
            }
            else
            {
                _S1 = 4294967295U;
            }
            (*(&kernelContext_0)->tile_0)[_S3] = _S1;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint k_0 = 0U;
            for(;;)
            {
                if(k_0 < 256U)
                {
                }
                else
                {
                    break;
                }
                uint other_0 = (*(&kernelContext_0)->tile_0)[k_0];
                int _S4;
                if(((*(&kernelContext_0)->tile_0)[k_0]) < own_0)
                {
                    _S4 = int(1);
                }
                else
                {
                    _S4 = int(0);
                }
                uint smaller_1 = smaller_0 + uint(_S4);
                bool _S5 = other_0 == own_0;
                int _S6;
                if(_S5)
                {
                    _S6 = int(1);
                }
                else
                {
                    _S6 = int(0);
                }
                uint same_1 = same_0 + uint(_S6);
                if(_S5)
                {
                    _S2 = (from_0 + k_0) < i_0;
                }
                else
                {
                    _S2 = false;
                }
                int _S7;
                if(_S2)
                {
                    _S7 = int(1);
                }
                else
                {
                    _S7 = int(0);
                }
                uint same_before_1 = same_before_0 + uint(_S7);
                k_0 = k_0 + 1U;
                smaller_0 = smaller_1;
                same_0 = same_1;
                same_before_0 = same_before_1;
            }
            from_0 = from_0 + 256U;
        }
        if(i_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
            uint place_0 = smaller_0 + same_before_0;
            *((&kernelContext_0)->entryPointParams_order_0+((&kernelContext_0)->entryPointParams_0->a_0.order_at_0 + place_0)) = i_0;
            uint device* _S8 = (&kernelContext_0)->entryPointParams_runs_0+((&kernelContext_0)->entryPointParams_0->a_0.runs_at_0 + place_0);
            if(same_before_0 == 0U)
            {
                _S2 = own_0 < ((&kernelContext_0)->entryPointParams_0->a_0.limit_0);
            }
            else
            {
                _S2 = false;
            }
            if(_S2)
            {
                _S1 = same_0;
            }
            else
            {
                _S1 = 0U;
            }
            *_S8 = _S1;
        }
        first_0 = first_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0 * 256U;
    }
    return;
}


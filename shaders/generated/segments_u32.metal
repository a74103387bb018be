#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Segments_0
{
    uint groups_0;
    uint bounds_at_0;
    uint tiles_at_0;
    uint offsets_at_0;
    uint count_0;
    uint rows_0;
    uint tile_0;
};

struct EntryPointParams_0
{
    Segments_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_bounds_0;
    uint device* entryPointParams_tiles_0;
    uint device* entryPointParams_offsets_0;
    array<uint, int(256)> threadgroup* ends_0;
    array<uint, int(256)> threadgroup* sums_0;
};

[[kernel]] void segments_u32(uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_bounds_1 [[buffer(1)]], uint device* entryPointParams_tiles_1 [[buffer(2)]], uint device* entryPointParams_offsets_1 [[buffer(3)]])
{
    uint before_0;
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_bounds_0 = entryPointParams_bounds_1;
    (&kernelContext_0)->entryPointParams_tiles_0 = entryPointParams_tiles_1;
    (&kernelContext_0)->entryPointParams_offsets_0 = entryPointParams_offsets_1;
    threadgroup array<uint, int(256)> ends_1;
    (&kernelContext_0)->ends_0 = &ends_1;
    threadgroup array<uint, int(256)> sums_1;
    (&kernelContext_0)->sums_0 = &sums_1;
    uint t_0 = thread_0.x;
    uint first_row_0 = 0U;
    uint e0_0 = 0U;
    uint first_tile_0 = 0U;
    for(;;)
    {
        if(e0_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        uint e_0 = e0_0 + t_0;
        uint _S1 = e_0 + 1U;
        uint end_0;
        if(_S1 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
            end_0 = min((&kernelContext_0)->entryPointParams_offsets_0[(&kernelContext_0)->entryPointParams_0->a_0.offsets_at_0 + e_0 + 1U], (&kernelContext_0)->entryPointParams_0->a_0.rows_0);
        }
        else
        {
            if(_S1 == ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
            {
                end_0 = (&kernelContext_0)->entryPointParams_0->a_0.rows_0;
            }
            else
            {
                end_0 = 0U;
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_0)->ends_0)[t_0] = max(end_0, first_row_0);
        uint step_0 = 1U;
        for(;;)
        {
            if(step_0 < 256U)
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(t_0 >= step_0)
            {
                before_0 = (*(&kernelContext_0)->ends_0)[t_0 - step_0];
            }
            else
            {
                before_0 = 0U;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            (*(&kernelContext_0)->ends_0)[t_0] = max((*(&kernelContext_0)->ends_0)[t_0], before_0);
            step_0 = step_0 * 2U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint begin_0;
        if(t_0 == 0U)
        {
            begin_0 = first_row_0;
        }
        else
        {
            begin_0 = (*(&kernelContext_0)->ends_0)[t_0 - 1U];
        }
        if(e_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
            *((&kernelContext_0)->entryPointParams_bounds_0+((&kernelContext_0)->entryPointParams_0->a_0.bounds_at_0 + e_0 + 1U)) = (*(&kernelContext_0)->ends_0)[t_0];
        }
        uint _S2;
        if(e_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
            uint _S3 = ((*(&kernelContext_0)->ends_0)[t_0] - begin_0 + (&kernelContext_0)->entryPointParams_0->a_0.tile_0 - 1U) / (&kernelContext_0)->entryPointParams_0->a_0.tile_0;
            _S2 = _S3;
        }
        else
        {
            _S2 = 0U;
        }
        (*(&kernelContext_0)->sums_0)[t_0] = _S2;
        uint step_1 = 1U;
        for(;;)
        {
            if(step_1 < 256U)
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(t_0 >= step_1)
            {
                before_0 = (*(&kernelContext_0)->sums_0)[t_0 - step_1];
            }
            else
            {
                before_0 = 0U;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            (*(&kernelContext_0)->sums_0)[t_0] = (*(&kernelContext_0)->sums_0)[t_0] + before_0;
            step_1 = step_1 * 2U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint total_0 = (*(&kernelContext_0)->sums_0)[255U];
        before_0 = t_0;
        for(;;)
        {
            if(before_0 < total_0)
            {
            }
            else
            {
                break;
            }
            uint low_0 = 0U;
            uint high_0 = 255U;
            for(;;)
            {
                if(low_0 < high_0)
                {
                }
                else
                {
                    break;
                }
                uint middle_0 = (low_0 + high_0) / 2U;
                if(((*(&kernelContext_0)->sums_0)[middle_0]) > before_0)
                {
                    high_0 = middle_0;
                }
                else
                {
                    low_0 = middle_0 + 1U;
                }
            }
            bool _S4 = low_0 == 0U;
            uint own_0;
            if(_S4)
            {
                own_0 = 0U;
            }
            else
            {
                own_0 = (*(&kernelContext_0)->sums_0)[low_0 - 1U];
            }
            uint _S5;
            if(_S4)
            {
                _S5 = first_row_0;
            }
            else
            {
                _S5 = (*(&kernelContext_0)->ends_0)[low_0 - 1U];
            }
            uint row_0 = _S5 + (before_0 - own_0) * (&kernelContext_0)->entryPointParams_0->a_0.tile_0;
            uint to_0 = (&kernelContext_0)->entryPointParams_0->a_0.tiles_at_0 + 1U + 3U * (first_tile_0 + before_0);
            *((&kernelContext_0)->entryPointParams_tiles_0+to_0) = e0_0 + low_0;
            *((&kernelContext_0)->entryPointParams_tiles_0+(to_0 + 1U)) = row_0;
            *((&kernelContext_0)->entryPointParams_tiles_0+(to_0 + 2U)) = min(row_0 + (&kernelContext_0)->entryPointParams_0->a_0.tile_0, (*(&kernelContext_0)->ends_0)[low_0]);
            before_0 = before_0 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S6 = (*(&kernelContext_0)->ends_0)[255U];
        uint first_tile_1 = first_tile_0 + total_0;
        uint e0_1 = e0_0 + 256U;
        first_row_0 = _S6;
        e0_0 = e0_1;
        first_tile_0 = first_tile_1;
    }
    if(t_0 == 0U)
    {
        *((&kernelContext_0)->entryPointParams_bounds_0+(&kernelContext_0)->entryPointParams_0->a_0.bounds_at_0) = 0U;
        *((&kernelContext_0)->entryPointParams_tiles_0+(&kernelContext_0)->entryPointParams_0->a_0.tiles_at_0) = first_tile_0;
    }
    return;
}


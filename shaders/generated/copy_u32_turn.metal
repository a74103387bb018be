#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Copy_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint axes_count_0;
    array<uint, int(4)> axes_sizes_0;
    array<int, int(8)> axes_strides_0;
};

struct EntryPointParams_0
{
    Copy_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    uint device* entryPointParams_x_0;
    array<uint, int(1056)> threadgroup* words_0;
};

[[kernel]] void copy_u32_turn(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_x_1 [[buffer(2)]])
{
    bool _S1;
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    threadgroup array<uint, int(1056)> words_1;
    (&kernelContext_0)->words_0 = &words_1;
    uint _S2 = thread_0.x;
    uint _S3 = _S2 % 32U;
    uint _S4 = _S2 / 32U;
    uint _S5 = ((&entryPointParams_1->a_0)->axes_sizes_0[int(0)] + 32U - 1U) / 32U;
    uint _S6 = ((&entryPointParams_1->a_0)->axes_sizes_0[int(1)] + 32U - 1U) / 32U;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S5 * _S6 * (&entryPointParams_1->a_0)->axes_sizes_0[int(2)] * (&entryPointParams_1->a_0)->axes_sizes_0[int(3)]))
        {
        }
        else
        {
            break;
        }
        uint _S7 = job_0 % _S5;
        uint _S8 = _S7 * 32U;
        uint _S9 = job_0 / _S5;
        uint _S10 = _S9 % _S6;
        uint _S11 = _S10 * 32U;
        uint _S12 = job_0 / _S5;
        uint rest_0 = _S12 / _S6;
        uint _S13 = rest_0 % (&entryPointParams_1->a_0)->axes_sizes_0[int(2)];
        int outer_0 = int(_S13);
        uint _S14 = rest_0 / (&entryPointParams_1->a_0)->axes_sizes_0[int(2)];
        int outermost_0 = int(_S14);
        int _S15 = int((&entryPointParams_1->a_0)->out_at_0) + outer_0 * (&entryPointParams_1->a_0)->axes_strides_0[int(2)] + outermost_0 * (&entryPointParams_1->a_0)->axes_strides_0[int(3)];
        int _S16 = int((&entryPointParams_1->a_0)->x_at_0) + outer_0 * (&entryPointParams_1->a_0)->axes_strides_0[int(6)] + outermost_0 * (&entryPointParams_1->a_0)->axes_strides_0[int(7)];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint k_0 = _S4;
        for(;;)
        {
            if(k_0 < 32U)
            {
            }
            else
            {
                break;
            }
            uint i_0 = _S11 + _S3;
            uint j_0 = _S8 + k_0;
            if(i_0 < ((&entryPointParams_1->a_0)->axes_sizes_0[int(1)]))
            {
                _S1 = j_0 < ((&entryPointParams_1->a_0)->axes_sizes_0[int(0)]);
            }
            else
            {
                _S1 = false;
            }
            if(_S1)
            {
                (*(&kernelContext_0)->words_0)[k_0 * 33U + _S3] = (&kernelContext_0)->entryPointParams_x_0[uint(_S16 + int(j_0) * (&entryPointParams_1->a_0)->axes_strides_0[int(4)] + int(i_0))];
            }
            k_0 = k_0 + 8U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint k_1 = _S4;
        for(;;)
        {
            if(k_1 < 32U)
            {
            }
            else
            {
                break;
            }
            uint i_1 = _S11 + k_1;
            uint j_1 = _S8 + _S3;
            if(i_1 < ((&entryPointParams_1->a_0)->axes_sizes_0[int(1)]))
            {
                _S1 = j_1 < ((&entryPointParams_1->a_0)->axes_sizes_0[int(0)]);
            }
            else
            {
                _S1 = false;
            }
            if(_S1)
            {
                *((&kernelContext_0)->entryPointParams_out_0+uint(_S15 + int(i_1) * (&entryPointParams_1->a_0)->axes_strides_0[int(1)] + int(j_1))) = (*(&kernelContext_0)->words_0)[_S3 * 33U + k_1];
            }
            k_1 = k_1 + 8U;
        }
        job_0 = job_0 + (&entryPointParams_1->a_0)->groups_0;
    }
    return;
}


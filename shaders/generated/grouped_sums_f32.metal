#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Sums_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint bounds_at_0;
    uint stride_0;
    uint x_stride_0;
    uint cols_0;
    uint experts_0;
    uint accumulate_0;
};

struct EntryPointParams_0
{
    Sums_0 p_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    uint device* entryPointParams_bounds_0;
    array<float, int(256)> threadgroup* slices_0;
};

[[kernel]] void grouped_sums_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], uint device* entryPointParams_bounds_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_bounds_0 = entryPointParams_bounds_1;
    threadgroup array<float, int(256)> slices_1;
    (&kernelContext_0)->slices_0 = &slices_1;
    uint _S1 = thread_0.x;
    uint _S2 = (entryPointParams_1->p_0.cols_0 + 31U) / 32U;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S2 * entryPointParams_1->p_0.experts_0))
        {
        }
        else
        {
            break;
        }
        uint e_0 = job_0 / _S2;
        uint _S3 = job_0 % _S2;
        uint col_0 = _S3 * 32U + _S1 % 32U;
        uint _S4 = (&kernelContext_0)->entryPointParams_bounds_0[entryPointParams_1->p_0.bounds_at_0 + e_0 + 1U];
        uint half_0;
        float sum_0;
        if(col_0 < (entryPointParams_1->p_0.cols_0))
        {
            half_0 = (&kernelContext_0)->entryPointParams_bounds_0[entryPointParams_1->p_0.bounds_at_0 + e_0] + _S1 / 32U;
            sum_0 = 0.0f;
            for(;;)
            {
                if(half_0 < _S4)
                {
                }
                else
                {
                    break;
                }
                float sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_x_0[entryPointParams_1->p_0.x_at_0 + half_0 * entryPointParams_1->p_0.x_stride_0 + col_0];
                half_0 = half_0 + 8U;
                sum_0 = sum_1;
            }
        }
        else
        {
            sum_0 = 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_0)->slices_0)[_S1] = sum_0;
        half_0 = 128U;
        for(;;)
        {
            if(half_0 >= 32U)
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(_S1 < half_0)
            {
                (*(&kernelContext_0)->slices_0)[_S1] = (*(&kernelContext_0)->slices_0)[_S1] + (*(&kernelContext_0)->slices_0)[_S1 + half_0];
            }
            half_0 = half_0 / 2U;
        }
        uint at_0 = entryPointParams_1->p_0.out_at_0 + e_0 * entryPointParams_1->p_0.stride_0 + col_0;
        bool _S5;
        if(_S1 < 32U)
        {
            _S5 = col_0 < (entryPointParams_1->p_0.cols_0);
        }
        else
        {
            _S5 = false;
        }
        if(_S5)
        {
            float device* _S6 = (&kernelContext_0)->entryPointParams_out_0+at_0;
            float _S7;
            if((entryPointParams_1->p_0.accumulate_0) != 0U)
            {
                _S7 = *((&kernelContext_0)->entryPointParams_out_0+at_0) + (*(&kernelContext_0)->slices_0)[_S1];
            }
            else
            {
                _S7 = (*(&kernelContext_0)->slices_0)[_S1];
            }
            *_S6 = _S7;
        }
        job_0 = job_0 + entryPointParams_1->p_0.groups_0;
    }
    return;
}


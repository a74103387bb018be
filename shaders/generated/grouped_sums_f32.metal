#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Stretch_0
{
    uint e_0;
    uint begin_0;
    uint end_0;
    bool empty_0;
};

Stretch_0 Stretch_x24init_0(uint e_1, uint begin_1, uint end_1, bool empty_1)
{
    thread Stretch_0 _S1;
    (&_S1)->e_0 = e_1;
    (&_S1)->begin_0 = begin_1;
    (&_S1)->end_0 = end_1;
    (&_S1)->empty_0 = empty_1;
    return _S1;
}

Stretch_0 stretchOf_0(uint device* bounds_0, uint bounds_at_0, uint experts_0, uint part_0, uint index_0)
{
    uint e_2 = index_0 % experts_0;
    uint _S2 = index_0 / experts_0;
    uint from_0 = _S2 * part_0;
    uint _S3 = bounds_at_0 + e_2;
    uint begin_2 = bounds_0[_S3];
    uint end_2 = bounds_0[_S3 + 1U];
    thread Stretch_0 s_0;
    uint _S4 = begin_2 + from_0;
    bool _S5;
    if(from_0 > 0U)
    {
        _S5 = from_0 >= (end_2 - begin_2);
    }
    else
    {
        _S5 = false;
    }
    s_0 = Stretch_x24init_0(e_2, _S4, end_2, _S5);
    if(!(&s_0)->empty_0)
    {
        (&s_0)->end_0 = min(end_2, (&s_0)->begin_0 + part_0);
    }
    return s_0;
}

struct Sums_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint bounds_at_1;
    uint stride_0;
    uint x_stride_0;
    uint cols_0;
    uint experts_1;
    uint accumulate_0;
    uint parts_0;
    uint part_1;
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
    uint _S6 = thread_0.x;
    uint _S7 = (entryPointParams_1->p_0.cols_0 + 31U) / 32U;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S7 * entryPointParams_1->p_0.experts_1 * entryPointParams_1->p_0.parts_0))
        {
        }
        else
        {
            break;
        }
        uint index_1 = job_0 / _S7;
        uint _S8 = job_0 % _S7;
        uint col_0 = _S8 * 32U + _S6 % 32U;
        Stretch_0 s_1 = stretchOf_0((&kernelContext_0)->entryPointParams_bounds_0, entryPointParams_1->p_0.bounds_at_1, entryPointParams_1->p_0.experts_1, entryPointParams_1->p_0.part_1, index_1);
        if(s_1.empty_0)
        {
            job_0 = job_0 + entryPointParams_1->p_0.groups_0;
            continue;
        }
        uint half_0;
        float sum_0;
        if(col_0 < (entryPointParams_1->p_0.cols_0))
        {
            half_0 = s_1.begin_0 + _S6 / 32U;
            sum_0 = 0.0f;
            for(;;)
            {
                if(half_0 < (s_1.end_0))
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
        (*(&kernelContext_0)->slices_0)[_S6] = sum_0;
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
            if(_S6 < half_0)
            {
                (*(&kernelContext_0)->slices_0)[_S6] = (*(&kernelContext_0)->slices_0)[_S6] + (*(&kernelContext_0)->slices_0)[_S6 + half_0];
            }
            half_0 = half_0 / 2U;
        }
        bool _S9;
        if(_S6 >= 32U)
        {
            _S9 = true;
        }
        else
        {
            _S9 = col_0 >= (entryPointParams_1->p_0.cols_0);
        }
        if(_S9)
        {
            job_0 = job_0 + entryPointParams_1->p_0.groups_0;
            continue;
        }
        uint at_0;
        if((entryPointParams_1->p_0.parts_0) > 1U)
        {
            at_0 = entryPointParams_1->p_0.out_at_0 + index_1 * entryPointParams_1->p_0.cols_0 + col_0;
        }
        else
        {
            at_0 = entryPointParams_1->p_0.out_at_0 + s_1.e_0 * entryPointParams_1->p_0.stride_0 + col_0;
        }
        float device* _S10 = (&kernelContext_0)->entryPointParams_out_0+at_0;
        bool _S11;
        if((entryPointParams_1->p_0.accumulate_0) != 0U)
        {
            _S11 = (entryPointParams_1->p_0.parts_0) == 1U;
        }
        else
        {
            _S11 = false;
        }
        float _S12;
        if(_S11)
        {
            _S12 = *((&kernelContext_0)->entryPointParams_out_0+at_0) + (*(&kernelContext_0)->slices_0)[_S6];
        }
        else
        {
            _S12 = (*(&kernelContext_0)->slices_0)[_S6];
        }
        *_S10 = _S12;
        job_0 = job_0 + entryPointParams_1->p_0.groups_0;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint seen_0(uint row_0, uint queries_0, uint cols_0)
{
    if(queries_0 == 0U)
    {
        return cols_0;
    }
    uint _S1 = row_0 % queries_0;
    uint end_0 = _S1 + 1U + cols_0;
    uint _S2;
    if(end_0 < queries_0)
    {
        _S2 = 0U;
    }
    else
    {
        _S2 = end_0 - queries_0;
    }
    return _S2;
}

struct Backward_0
{
    uint groups_0;
    uint dx_at_0;
    uint dy_at_0;
    uint y_at_0;
    uint rows_0;
    uint cols_1;
    uint dx_stride_0;
    uint dy_stride_0;
    uint y_stride_0;
    uint row_1;
    uint queries_1;
    float scale_0;
};

struct EntryPointParams_0
{
    Backward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dx_0;
    float device* entryPointParams_dy_0;
    float device* entryPointParams_y_0;
    array<float, int(128)> threadgroup* shared_value_0;
};

float sumOfGroup_0(float value_0, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_value_0)[thread_0] = value_0;
    uint half_0 = 64U;
    for(;;)
    {
        if(half_0 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(thread_0 < half_0)
        {
            (*kernelContext_0->shared_value_0)[thread_0] = (*kernelContext_0->shared_value_0)[thread_0] + (*kernelContext_0->shared_value_0)[thread_0 + half_0];
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[int(0)];
}

[[kernel]] void softmax_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], float device* entryPointParams_y_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_1)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_1)->entryPointParams_y_0 = entryPointParams_y_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_1)->shared_value_0 = &shared_value_1;
    uint _S3 = thread_1.x;
    uint i_0 = group_0.x;
    for(;;)
    {
        if(i_0 < ((&kernelContext_1)->entryPointParams_0->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S4 = seen_0((&kernelContext_1)->entryPointParams_0->a_0.row_1 + i_0, (&kernelContext_1)->entryPointParams_0->a_0.queries_1, (&kernelContext_1)->entryPointParams_0->a_0.cols_1);
        uint _S5 = min(_S4, (&kernelContext_1)->entryPointParams_0->a_0.cols_1);
        uint _S6 = (&kernelContext_1)->entryPointParams_0->a_0.y_at_0 + i_0 * (&kernelContext_1)->entryPointParams_0->a_0.y_stride_0;
        uint _S7 = (&kernelContext_1)->entryPointParams_0->a_0.dy_at_0 + i_0 * (&kernelContext_1)->entryPointParams_0->a_0.dy_stride_0;
        uint _S8 = (&kernelContext_1)->entryPointParams_0->a_0.dx_at_0 + i_0 * (&kernelContext_1)->entryPointParams_0->a_0.dx_stride_0;
        float dot_0 = 0.0f;
        uint j_0 = _S3;
        for(;;)
        {
            if(j_0 < _S5)
            {
            }
            else
            {
                break;
            }
            float v_0 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_0];
            if(v_0 != 0.0f)
            {
                dot_0 = fma((&kernelContext_1)->entryPointParams_dy_0[_S7 + j_0], v_0, dot_0);
            }
            j_0 = j_0 + 128U;
        }
        float _S9 = sumOfGroup_0(dot_0, _S3, &kernelContext_1);
        uint j_1 = _S3;
        for(;;)
        {
            if(j_1 < ((&kernelContext_1)->entryPointParams_0->a_0.cols_1))
            {
            }
            else
            {
                break;
            }
            float v_1;
            if(j_1 < _S5)
            {
                v_1 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_1];
            }
            else
            {
                v_1 = 0.0f;
            }
            float device* _S10 = (&kernelContext_1)->entryPointParams_dx_0+(_S8 + j_1);
            float _S11;
            if(v_1 == 0.0f)
            {
                _S11 = 0.0f;
            }
            else
            {
                _S11 = (&kernelContext_1)->entryPointParams_0->a_0.scale_0 * v_1 * ((&kernelContext_1)->entryPointParams_dy_0[_S7 + j_1] - _S9);
            }
            *_S10 = _S11;
            j_1 = j_1 + 128U;
        }
        i_0 = i_0 + (&kernelContext_1)->entryPointParams_0->a_0.groups_0;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint place_0(uint i_0, uint cols_0, uint stride_0)
{
    uint _S1;
    if(stride_0 == cols_0)
    {
        _S1 = i_0;
    }
    else
    {
        uint _S2 = i_0 / cols_0;
        uint _S3 = _S2 * stride_0;
        uint _S4 = i_0 % cols_0;
        _S1 = _S3 + _S4;
    }
    return _S1;
}

struct Backward_0
{
    uint groups_0;
    uint dx_at_0;
    uint dtarget_at_0;
    uint x_at_0;
    uint target_at_0;
    uint dloss_at_0;
    uint rows_0;
    uint cols_1;
    uint dx_stride_0;
    uint dtarget_stride_0;
    uint x_stride_0;
    uint target_stride_0;
    float count_0;
};

struct EntryPointParams_0
{
    Backward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dx_0;
    float device* entryPointParams_dtarget_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_target_0;
    float device* entryPointParams_dloss_0;
};

[[kernel]] void mse_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_dtarget_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_target_1 [[buffer(4)]], float device* entryPointParams_dloss_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_0)->entryPointParams_dtarget_0 = entryPointParams_dtarget_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_target_0 = entryPointParams_target_1;
    (&kernelContext_0)->entryPointParams_dloss_0 = entryPointParams_dloss_1;
    float _S5 = 2.0f * entryPointParams_dloss_1[entryPointParams_1->a_0.dloss_at_0] / entryPointParams_1->a_0.count_0;
    uint i_1 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_1 < (entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.cols_1))
        {
        }
        else
        {
            break;
        }
        uint _S6 = place_0(i_1, entryPointParams_1->a_0.cols_1, entryPointParams_1->a_0.x_stride_0);
        float _S7 = (&kernelContext_0)->entryPointParams_x_0[entryPointParams_1->a_0.x_at_0 + _S6];
        uint _S8 = place_0(i_1, entryPointParams_1->a_0.cols_1, entryPointParams_1->a_0.target_stride_0);
        float slope_0 = _S5 * (_S7 - (&kernelContext_0)->entryPointParams_target_0[entryPointParams_1->a_0.target_at_0 + _S8]);
        if((entryPointParams_1->a_0.dx_at_0) != 4294967295U)
        {
            uint _S9 = place_0(i_1, entryPointParams_1->a_0.cols_1, entryPointParams_1->a_0.dx_stride_0);
            *((&kernelContext_0)->entryPointParams_dx_0+(entryPointParams_1->a_0.dx_at_0 + _S9)) = slope_0;
        }
        if((entryPointParams_1->a_0.dtarget_at_0) != 4294967295U)
        {
            uint _S10 = place_0(i_1, entryPointParams_1->a_0.cols_1, entryPointParams_1->a_0.dtarget_stride_0);
            *((&kernelContext_0)->entryPointParams_dtarget_0+(entryPointParams_1->a_0.dtarget_at_0 + _S10)) = - slope_0;
        }
        i_1 = i_1 + entryPointParams_1->a_0.groups_0 * 256U;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Scale_0
{
    uint groups_0;
    uint x_at_0;
    uint factor_at_0;
    uint count_0;
    uint two_0;
};

struct EntryPointParams_0
{
    Scale_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_factor_0;
};

[[kernel]] void scale_by_f32_update(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_x_1 [[buffer(1)]], float device* entryPointParams_factor_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_factor_0 = entryPointParams_factor_1;
    float f_0 = entryPointParams_factor_1[entryPointParams_1->a_0.factor_at_0];
    float g_0;
    if((entryPointParams_1->a_0.two_0) != 0U)
    {
        g_0 = (&kernelContext_0)->entryPointParams_factor_0[entryPointParams_1->a_0.factor_at_0 + 1U];
    }
    else
    {
        g_0 = 1.0f;
    }
    bool _S1;
    if(f_0 == 1.0f)
    {
        _S1 = g_0 == 1.0f;
    }
    else
    {
        _S1 = false;
    }
    if(_S1)
    {
        return;
    }
    uint i_0 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_0 < (entryPointParams_1->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        *((&kernelContext_0)->entryPointParams_x_0+(entryPointParams_1->a_0.x_at_0 + i_0)) = *((&kernelContext_0)->entryPointParams_x_0+(entryPointParams_1->a_0.x_at_0 + i_0)) * f_0 * g_0;
        i_0 = i_0 + entryPointParams_1->a_0.groups_0 * 256U;
    }
    return;
}


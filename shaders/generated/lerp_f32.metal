#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Step_0
{
    uint groups_0;
    uint y_at_0;
    uint x_at_0;
    uint count_0;
    float t_0;
    float rest_0;
    uint far_0;
};

struct EntryPointParams_0
{
    Step_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_y_0;
    float device* entryPointParams_x_0;
};

[[kernel]] void lerp_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_y_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_y_0 = entryPointParams_y_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    uint i_0 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_0 < ((&kernelContext_0)->entryPointParams_0->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        float from_0 = *((&kernelContext_0)->entryPointParams_y_0+((&kernelContext_0)->entryPointParams_0->a_0.y_at_0 + i_0));
        float to_0 = (&kernelContext_0)->entryPointParams_x_0[(&kernelContext_0)->entryPointParams_0->a_0.x_at_0 + i_0];
        float device* _S1 = (&kernelContext_0)->entryPointParams_y_0+((&kernelContext_0)->entryPointParams_0->a_0.y_at_0 + i_0);
        float _S2;
        if(((&kernelContext_0)->entryPointParams_0->a_0.far_0) != 0U)
        {
            _S2 = to_0 - (to_0 - from_0) * (&kernelContext_0)->entryPointParams_0->a_0.rest_0;
        }
        else
        {
            _S2 = from_0 + (&kernelContext_0)->entryPointParams_0->a_0.t_0 * (to_0 - from_0);
        }
        *_S1 = _S2;
        i_0 = i_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0 * 256U;
    }
    return;
}


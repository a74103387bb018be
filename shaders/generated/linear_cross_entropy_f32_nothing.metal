#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Nothing_0
{
    uint groups_0;
    uint out_at_0;
    uint kept_at_0;
    uint count_0;
};

struct EntryPointParams_0
{
    Nothing_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    uint device* entryPointParams_kept_0;
};

[[kernel]] void linear_cross_entropy_f32_nothing(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_kept_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_kept_0 = entryPointParams_kept_1;
    if(entryPointParams_kept_1[entryPointParams_1->a_0.kept_at_0] != 0U)
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
        *((&kernelContext_0)->entryPointParams_out_0+(entryPointParams_1->a_0.out_at_0 + i_0)) = 0.0f;
        i_0 = i_0 + entryPointParams_1->a_0.groups_0 * 256U;
    }
    return;
}


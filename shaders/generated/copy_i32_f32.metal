#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
int walk_0(uint i_0, const array<uint, int(4)> constant* sizes_0, int s0_0, int s1_0, int s2_0, int s3_0)
{
    uint _S1 = (*sizes_0)[int(0)];
    if(i_0 < (*sizes_0)[int(0)])
    {
        return int(i_0) * s0_0;
    }
    uint _S2 = i_0 % _S1;
    int at_0 = int(_S2) * s0_0;
    uint _S3 = i_0 / _S1;
    uint _S4 = (*sizes_0)[int(1)];
    uint _S5 = _S3 % (*sizes_0)[int(1)];
    int at_1 = at_0 + int(_S5) * s1_0;
    uint _S6 = _S3 / _S4;
    uint _S7 = (*sizes_0)[int(2)];
    uint _S8 = _S6 % (*sizes_0)[int(2)];
    int _S9 = at_1 + int(_S8) * s2_0;
    uint _S10 = _S6 / _S7;
    return _S9 + int(_S10) * s3_0;
}

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

int signedOf_0(float x_1)
{
    if(isNaN_0(x_1))
    {
        return int(0);
    }
    if(x_1 >= 2.147483648e+09f)
    {
        return int(2147483647);
    }
    if(x_1 <= -2.147483648e+09f)
    {
        return int(-2147483648);
    }
    return int(x_1);
}

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
    int device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
};

[[kernel]] void copy_i32_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], int device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    uint i_1 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_1 < ((&(&kernelContext_0)->entryPointParams_0->a_0)->axes_count_0))
        {
        }
        else
        {
            break;
        }
        int _S11 = int((&(&kernelContext_0)->entryPointParams_0->a_0)->out_at_0);
        int _S12 = walk_0(i_1, &(&(&kernelContext_0)->entryPointParams_0->a_0)->axes_sizes_0, (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(0)], (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(1)], (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(2)], (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(3)]);
        int device* _S13 = (&kernelContext_0)->entryPointParams_out_0+uint(_S11 + _S12);
        int _S14 = int((&(&kernelContext_0)->entryPointParams_0->a_0)->x_at_0);
        int _S15 = walk_0(i_1, &(&(&kernelContext_0)->entryPointParams_0->a_0)->axes_sizes_0, (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(4)], (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(5)], (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(6)], (&(&kernelContext_0)->entryPointParams_0->a_0)->axes_strides_0[int(7)]);
        *_S13 = signedOf_0((&kernelContext_0)->entryPointParams_x_0[uint(_S14 + _S15)]);
        i_1 = i_1 + (&(&kernelContext_0)->entryPointParams_0->a_0)->groups_0 * 256U;
    }
    return;
}


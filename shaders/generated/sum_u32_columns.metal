#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct WholeColumns_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint outer_0;
    uint rows_0;
    uint cols_0;
    uint matrix_stride_0;
    int row_stride_0;
    uint chunk_0;
    uint chunks_0;
};

struct EntryPointParams_0
{
    WholeColumns_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    uint device* entryPointParams_x_0;
};

[[kernel]] void sum_u32_columns(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    uint i_0 = group_0.x * 128U + thread_0.x;
    for(;;)
    {
        if(i_0 < ((&kernelContext_0)->entryPointParams_0->a_0.outer_0 * (&kernelContext_0)->entryPointParams_0->a_0.chunks_0 * (&kernelContext_0)->entryPointParams_0->a_0.cols_0))
        {
        }
        else
        {
            break;
        }
        uint _S1 = i_0 % (&kernelContext_0)->entryPointParams_0->a_0.cols_0;
        uint _S2 = i_0 / (&kernelContext_0)->entryPointParams_0->a_0.cols_0;
        uint chunk_1 = _S2 % (&kernelContext_0)->entryPointParams_0->a_0.chunks_0;
        uint _S3 = i_0 / (&kernelContext_0)->entryPointParams_0->a_0.cols_0;
        uint _S4 = _S3 / (&kernelContext_0)->entryPointParams_0->a_0.chunks_0;
        uint _S5 = _S4 * (&kernelContext_0)->entryPointParams_0->a_0.matrix_stride_0;
        uint _S6 = min((&kernelContext_0)->entryPointParams_0->a_0.rows_0, chunk_1 * (&kernelContext_0)->entryPointParams_0->a_0.chunk_0);
        uint _S7 = min((&kernelContext_0)->entryPointParams_0->a_0.rows_0, _S6 + (&kernelContext_0)->entryPointParams_0->a_0.chunk_0);
        uint r_0 = _S6;
        uint sum_0 = 0U;
        for(;;)
        {
            if(r_0 < _S7)
            {
            }
            else
            {
                break;
            }
            uint sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_x_0[(&kernelContext_0)->entryPointParams_0->a_0.x_at_0 + _S5 + _S1 + uint(int(r_0) * (&kernelContext_0)->entryPointParams_0->a_0.row_stride_0)];
            r_0 = r_0 + 1U;
            sum_0 = sum_1;
        }
        *((&kernelContext_0)->entryPointParams_out_0+((&kernelContext_0)->entryPointParams_0->a_0.out_at_0 + i_0)) = sum_0;
        i_0 = i_0 + (&kernelContext_0)->entryPointParams_0->a_0.groups_0 * 128U;
    }
    return;
}


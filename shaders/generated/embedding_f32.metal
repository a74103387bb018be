#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Lookup_0
{
    uint groups_0;
    uint out_at_0;
    uint weight_at_0;
    uint ids_at_0;
    uint rows_0;
    uint cols_0;
    uint out_stride_0;
    uint weight_stride_0;
    uint limit_0;
};

struct EntryPointParams_0
{
    Lookup_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    uint device* entryPointParams_weight_0;
    uint device* entryPointParams_ids_0;
};

[[kernel]] void embedding_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], uint device* entryPointParams_weight_1 [[buffer(2)]], uint device* entryPointParams_ids_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_weight_0 = entryPointParams_weight_1;
    (&kernelContext_0)->entryPointParams_ids_0 = entryPointParams_ids_1;
    uint _S1 = entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.cols_0;
    uint i_0 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(i_0 < _S1)
        {
        }
        else
        {
            break;
        }
        uint row_0 = i_0 / entryPointParams_1->a_0.cols_0;
        uint col_0 = i_0 % entryPointParams_1->a_0.cols_0;
        uint id_0 = (&kernelContext_0)->entryPointParams_ids_0[entryPointParams_1->a_0.ids_at_0 + row_0];
        uint bits_0;
        if(id_0 < (entryPointParams_1->a_0.limit_0))
        {
            bits_0 = (&kernelContext_0)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + id_0 * entryPointParams_1->a_0.weight_stride_0 + col_0];
        }
        else
        {
            bits_0 = 2143289344U;
        }
        *((&kernelContext_0)->entryPointParams_out_0+(entryPointParams_1->a_0.out_at_0 + row_0 * entryPointParams_1->a_0.out_stride_0 + col_0)) = bits_0;
        i_0 = i_0 + entryPointParams_1->a_0.groups_0 * 256U;
    }
    return;
}


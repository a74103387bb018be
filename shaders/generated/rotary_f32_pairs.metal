#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Pairs_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint table_at_0;
    uint batch_0;
    uint heads_0;
    uint times_0;
    uint width_0;
    uint rotated_0;
    array<int, int(3)> out_strides_0;
    array<int, int(3)> x_strides_0;
    uint interleaved_0;
    uint per_batch_0;
};

struct EntryPointParams_0
{
    Pairs_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    packed_float2 device* entryPointParams_table_0;
};

[[kernel]] void rotary_f32_pairs(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], packed_float2 device* entryPointParams_table_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_table_0 = entryPointParams_table_1;
    uint pairs_0 = (&entryPointParams_1->a_0)->rotated_0 / 2U;
    uint jobs_0 = (&entryPointParams_1->a_0)->width_0 - pairs_0;
    uint _S1 = (&entryPointParams_1->a_0)->batch_0 * (&entryPointParams_1->a_0)->heads_0 * (&entryPointParams_1->a_0)->times_0 * jobs_0;
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
        uint job_0 = i_0 % jobs_0;
        uint row_0 = i_0 / jobs_0;
        uint time_0 = row_0 % (&entryPointParams_1->a_0)->times_0;
        uint _S2 = row_0 / (&entryPointParams_1->a_0)->times_0;
        uint head_0 = _S2 % (&entryPointParams_1->a_0)->heads_0;
        uint _S3 = row_0 / (&entryPointParams_1->a_0)->times_0;
        uint batch_1 = _S3 / (&entryPointParams_1->a_0)->heads_0;
        int _S4 = int(batch_1);
        int _S5 = int(head_0);
        int _S6 = int(time_0);
        uint from_0 = uint(int((&entryPointParams_1->a_0)->x_at_0) + _S4 * (&entryPointParams_1->a_0)->x_strides_0[int(0)] + _S5 * (&entryPointParams_1->a_0)->x_strides_0[int(1)] + _S6 * (&entryPointParams_1->a_0)->x_strides_0[int(2)]);
        uint to_0 = uint(int((&entryPointParams_1->a_0)->out_at_0) + _S4 * (&entryPointParams_1->a_0)->out_strides_0[int(0)] + _S5 * (&entryPointParams_1->a_0)->out_strides_0[int(1)] + _S6 * (&entryPointParams_1->a_0)->out_strides_0[int(2)]);
        if(job_0 >= pairs_0)
        {
            uint e_0 = job_0 + pairs_0;
            *((&kernelContext_0)->entryPointParams_out_0+(to_0 + e_0)) = (&kernelContext_0)->entryPointParams_x_0[from_0 + e_0];
            i_0 = i_0 + (&entryPointParams_1->a_0)->groups_0 * 256U;
            continue;
        }
        uint _S7 = (&entryPointParams_1->a_0)->table_at_0;
        uint _S8;
        if(((&entryPointParams_1->a_0)->per_batch_0) != 0U)
        {
            _S8 = batch_1 * (&entryPointParams_1->a_0)->times_0;
        }
        else
        {
            _S8 = 0U;
        }
        float2 _S9 = float2(*((&kernelContext_0)->entryPointParams_table_0+(_S7 + (_S8 + time_0) * pairs_0 + job_0))) ;
        uint first_0;
        if(((&entryPointParams_1->a_0)->interleaved_0) != 0U)
        {
            first_0 = 2U * job_0;
        }
        else
        {
            first_0 = job_0;
        }
        uint second_0;
        if(((&entryPointParams_1->a_0)->interleaved_0) != 0U)
        {
            second_0 = first_0 + 1U;
        }
        else
        {
            second_0 = job_0 + pairs_0;
        }
        float u_0 = (&kernelContext_0)->entryPointParams_x_0[from_0 + first_0];
        float v_0 = (&kernelContext_0)->entryPointParams_x_0[from_0 + second_0];
        float _S10 = _S9.x;
        float _S11 = _S9.y;
        *((&kernelContext_0)->entryPointParams_out_0+(to_0 + first_0)) = u_0 * _S10 - v_0 * _S11;
        *((&kernelContext_0)->entryPointParams_out_0+(to_0 + second_0)) = v_0 * _S10 + u_0 * _S11;
        i_0 = i_0 + (&entryPointParams_1->a_0)->groups_0 * 256U;
    }
    return;
}


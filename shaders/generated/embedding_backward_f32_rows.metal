#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Sums_0
{
    uint groups_0;
    uint dweight_at_0;
    uint dy_at_0;
    uint ids_at_0;
    uint order_at_0;
    uint runs_at_0;
    uint count_0;
    uint cols_0;
    uint dweight_stride_0;
    uint lddy_0;
};

struct EntryPointParams_0
{
    Sums_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dweight_0;
    float device* entryPointParams_dy_0;
    uint device* entryPointParams_ids_0;
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_runs_0;
};

[[kernel]] void embedding_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dweight_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], uint device* entryPointParams_ids_1 [[buffer(3)]], uint device* entryPointParams_order_1 [[buffer(4)]], uint device* entryPointParams_runs_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_dweight_0 = entryPointParams_dweight_1;
    (&kernelContext_0)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_0)->entryPointParams_ids_0 = entryPointParams_ids_1;
    (&kernelContext_0)->entryPointParams_order_0 = entryPointParams_order_1;
    (&kernelContext_0)->entryPointParams_runs_0 = entryPointParams_runs_1;
    uint _S1 = (entryPointParams_1->a_0.cols_0 + 63U) / 64U;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S1 * entryPointParams_1->a_0.count_0))
        {
        }
        else
        {
            break;
        }
        uint slot_0 = job_0 / _S1;
        uint _S2 = job_0 % _S1;
        uint c_0 = _S2 * 64U + thread_0.x;
        uint run_0 = (&kernelContext_0)->entryPointParams_runs_0[entryPointParams_1->a_0.runs_at_0 + slot_0];
        bool _S3;
        if(run_0 == 0U)
        {
            _S3 = true;
        }
        else
        {
            _S3 = c_0 >= (entryPointParams_1->a_0.cols_0);
        }
        if(_S3)
        {
            job_0 = job_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint place_0 = entryPointParams_1->a_0.dweight_at_0 + (&kernelContext_0)->entryPointParams_ids_0[entryPointParams_1->a_0.ids_at_0 + (&kernelContext_0)->entryPointParams_order_0[entryPointParams_1->a_0.order_at_0 + slot_0]] * entryPointParams_1->a_0.dweight_stride_0 + c_0;
        float device* _S4 = (&kernelContext_0)->entryPointParams_dweight_0+place_0;
        uint s_0 = slot_0;
        float sum_0 = *_S4;
        for(;;)
        {
            if(s_0 < (slot_0 + run_0))
            {
            }
            else
            {
                break;
            }
            float sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_dy_0[entryPointParams_1->a_0.dy_at_0 + (&kernelContext_0)->entryPointParams_order_0[entryPointParams_1->a_0.order_at_0 + s_0] * entryPointParams_1->a_0.lddy_0 + c_0];
            s_0 = s_0 + 1U;
            sum_0 = sum_1;
        }
        *((&kernelContext_0)->entryPointParams_dweight_0+place_0) = sum_0;
        job_0 = job_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


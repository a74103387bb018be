#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Sums_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint rows_0;
    uint cols_0;
    uint stride_0;
    uint chunk_rows_0;
    uint chunks_0;
    uint accumulate_0;
};

struct EntryPointParams_0
{
    Sums_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
};

[[kernel]] void column_sums_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    uint _S1 = (entryPointParams_1->a_0.cols_0 + 63U) / 64U;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S1 * entryPointParams_1->a_0.chunks_0))
        {
        }
        else
        {
            break;
        }
        uint chunk_0 = job_0 / _S1;
        uint _S2 = job_0 % _S1;
        uint c_0 = _S2 * 64U + thread_0.x;
        if(c_0 >= (entryPointParams_1->a_0.cols_0))
        {
            job_0 = job_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S3 = min(entryPointParams_1->a_0.rows_0, chunk_0 * entryPointParams_1->a_0.chunk_rows_0);
        uint _S4 = min(entryPointParams_1->a_0.rows_0, _S3 + entryPointParams_1->a_0.chunk_rows_0);
        uint r_0 = _S3;
        float sum_0 = 0.0f;
        for(;;)
        {
            if(r_0 < _S4)
            {
            }
            else
            {
                break;
            }
            float sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_x_0[entryPointParams_1->a_0.x_at_0 + r_0 * entryPointParams_1->a_0.stride_0 + c_0];
            r_0 = r_0 + 1U;
            sum_0 = sum_1;
        }
        uint place_0 = entryPointParams_1->a_0.out_at_0 + chunk_0 * entryPointParams_1->a_0.cols_0 + c_0;
        float device* _S5 = (&kernelContext_0)->entryPointParams_out_0+place_0;
        float _S6;
        if((entryPointParams_1->a_0.accumulate_0) != 0U)
        {
            _S6 = *((&kernelContext_0)->entryPointParams_out_0+place_0) + sum_0;
        }
        else
        {
            _S6 = sum_0;
        }
        *_S5 = _S6;
        job_0 = job_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


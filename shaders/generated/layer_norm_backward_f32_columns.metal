#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
float2 factorsOf_0(float kept_0)
{
    float2 _S1;
    if(kept_0 < 0.0f)
    {
        _S1 = float2(1.0f / (as_type<float>((1602224128U))), - kept_0);
    }
    else
    {
        _S1 = float2(1.0f, kept_0);
    }
    return _S1;
}

struct Columns_0
{
    uint groups_0;
    uint sums_at_0;
    uint dy_at_0;
    uint x_at_0;
    uint stats_at_0;
    uint delta_at_0;
    uint rows_0;
    uint cols_0;
    uint dy_stride_0;
    uint x_stride_0;
    uint chunk_rows_0;
    uint chunks_0;
};

struct EntryPointParams_0
{
    Columns_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_sums_0;
    float device* entryPointParams_dy_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_stats_0;
    float device* entryPointParams_delta_0;
};

[[kernel]] void layer_norm_backward_f32_columns(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_sums_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_stats_1 [[buffer(4)]], float device* entryPointParams_delta_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_sums_0 = entryPointParams_sums_1;
    (&kernelContext_0)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_0)->entryPointParams_delta_0 = entryPointParams_delta_1;
    uint _S2 = (entryPointParams_1->a_0.cols_0 + 63U) / 64U;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < (_S2 * entryPointParams_1->a_0.chunks_0))
        {
        }
        else
        {
            break;
        }
        uint chunk_0 = job_0 / _S2;
        uint _S3 = job_0 % _S2;
        uint c_0 = _S3 * 64U + thread_0.x;
        if(c_0 >= (entryPointParams_1->a_0.cols_0))
        {
            job_0 = job_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S4 = min(entryPointParams_1->a_0.rows_0, chunk_0 * entryPointParams_1->a_0.chunk_rows_0);
        uint _S5 = min(entryPointParams_1->a_0.rows_0, _S4 + entryPointParams_1->a_0.chunk_rows_0);
        uint r_0 = _S4;
        float dweight_0 = 0.0f;
        float dbias_0 = 0.0f;
        for(;;)
        {
            if(r_0 < _S5)
            {
            }
            else
            {
                break;
            }
            float g_0 = (&kernelContext_0)->entryPointParams_dy_0[entryPointParams_1->a_0.dy_at_0 + r_0 * entryPointParams_1->a_0.dy_stride_0 + c_0];
            uint _S6 = 2U * r_0;
            float2 f_0 = factorsOf_0((&kernelContext_0)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S6 + 1U]);
            float _S7 = f_0.x;
            float dweight_1 = dweight_0 + g_0 * (((&kernelContext_0)->entryPointParams_x_0[entryPointParams_1->a_0.x_at_0 + r_0 * entryPointParams_1->a_0.x_stride_0 + c_0] * _S7 - (&kernelContext_0)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S6] * _S7) * f_0.y - (&kernelContext_0)->entryPointParams_delta_0[entryPointParams_1->a_0.delta_at_0 + r_0]);
            float dbias_1 = dbias_0 + g_0;
            r_0 = r_0 + 1U;
            dweight_0 = dweight_1;
            dbias_0 = dbias_1;
        }
        *((&kernelContext_0)->entryPointParams_sums_0+(entryPointParams_1->a_0.sums_at_0 + chunk_0 * entryPointParams_1->a_0.cols_0 + c_0)) = dweight_0;
        *((&kernelContext_0)->entryPointParams_sums_0+(entryPointParams_1->a_0.sums_at_0 + (entryPointParams_1->a_0.chunks_0 + chunk_0) * entryPointParams_1->a_0.cols_0 + c_0)) = dbias_0;
        job_0 = job_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


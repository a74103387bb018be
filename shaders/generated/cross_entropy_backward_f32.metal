#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
float expOfRest_0(float x_0, float n_0)
{
    float r_0 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_0));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

bool isNaN_0(float x_1)
{
    return ((as_type<uint>((x_1))) & 2147483647U) > 2139095040U;
}

float expNegative_0(float x_2)
{
    float rounded_0 = fma(x_2, 1.4426950216293335f, 1.2583039e+07f);
    float e_0 = expOfRest_0(x_2, rounded_0 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_0))) << 23U)));
    float _S1;
    if(isNaN_0(x_2))
    {
        _S1 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S1 = 0.0f;
        }
        else
        {
            _S1 = e_0;
        }
    }
    return _S1;
}

struct Backward_0
{
    uint groups_0;
    uint dlogits_at_0;
    uint logits_at_0;
    uint labels_at_0;
    uint stats_at_0;
    uint dloss_at_0;
    uint count_at_0;
    uint rows_0;
    uint cols_0;
    uint dlogits_stride_0;
    uint logits_stride_0;
    uint ignores_0;
    uint ignored_0;
};

struct EntryPointParams_0
{
    Backward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dlogits_0;
    float device* entryPointParams_logits_0;
    uint device* entryPointParams_labels_0;
    float device* entryPointParams_stats_0;
    float device* entryPointParams_dloss_0;
    uint device* entryPointParams_count_0;
};

[[kernel]] void cross_entropy_backward_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dlogits_1 [[buffer(1)]], float device* entryPointParams_logits_1 [[buffer(2)]], uint device* entryPointParams_labels_1 [[buffer(3)]], float device* entryPointParams_stats_1 [[buffer(4)]], float device* entryPointParams_dloss_1 [[buffer(5)]], uint device* entryPointParams_count_1 [[buffer(6)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_dlogits_0 = entryPointParams_dlogits_1;
    (&kernelContext_0)->entryPointParams_logits_0 = entryPointParams_logits_1;
    (&kernelContext_0)->entryPointParams_labels_0 = entryPointParams_labels_1;
    (&kernelContext_0)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_0)->entryPointParams_dloss_0 = entryPointParams_dloss_1;
    (&kernelContext_0)->entryPointParams_count_0 = entryPointParams_count_1;
    float _S2 = 1.0f / float(max(1U, entryPointParams_count_1[entryPointParams_1->a_0.count_at_0]));
    float factor_0;
    if((entryPointParams_1->a_0.dloss_at_0) != 4294967295U)
    {
        factor_0 = (&kernelContext_0)->entryPointParams_dloss_0[entryPointParams_1->a_0.dloss_at_0] / float(max(1U, (&kernelContext_0)->entryPointParams_count_0[entryPointParams_1->a_0.count_at_0]));
    }
    else
    {
        factor_0 = _S2;
    }
    uint e_1 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(e_1 < (entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.cols_0))
        {
        }
        else
        {
            break;
        }
        uint i_0 = e_1 / entryPointParams_1->a_0.cols_0;
        uint j_0 = e_1 % entryPointParams_1->a_0.cols_0;
        uint label_0 = (&kernelContext_0)->entryPointParams_labels_0[entryPointParams_1->a_0.labels_at_0 + i_0];
        bool _S3;
        if((entryPointParams_1->a_0.ignores_0) != 0U)
        {
            _S3 = label_0 == (entryPointParams_1->a_0.ignored_0);
        }
        else
        {
            _S3 = false;
        }
        bool _S4;
        if(!_S3)
        {
            _S4 = label_0 < (entryPointParams_1->a_0.cols_0);
        }
        else
        {
            _S4 = false;
        }
        float g_0;
        if(_S4)
        {
            uint _S5 = 2U * i_0;
            float g_1 = expNegative_0((&kernelContext_0)->entryPointParams_logits_0[entryPointParams_1->a_0.logits_at_0 + i_0 * entryPointParams_1->a_0.logits_stride_0 + j_0] - (&kernelContext_0)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S5]) * (factor_0 * (1.0f / (&kernelContext_0)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S5 + 1U]));
            if(j_0 == label_0)
            {
                g_0 = g_1 - factor_0;
            }
            else
            {
                g_0 = g_1;
            }
        }
        else
        {
            g_0 = 0.0f;
        }
        *((&kernelContext_0)->entryPointParams_dlogits_0+(entryPointParams_1->a_0.dlogits_at_0 + i_0 * entryPointParams_1->a_0.dlogits_stride_0 + j_0)) = g_0;
        e_1 = e_1 + entryPointParams_1->a_0.groups_0 * 256U;
    }
    return;
}


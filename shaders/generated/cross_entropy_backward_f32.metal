#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
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
    float _S1 = 1.0f / float(max(1U, entryPointParams_count_1[entryPointParams_1->a_0.count_at_0]));
    float factor_0;
    if((entryPointParams_1->a_0.dloss_at_0) != 4294967295U)
    {
        factor_0 = (&kernelContext_0)->entryPointParams_dloss_0[entryPointParams_1->a_0.dloss_at_0] / float(max(1U, (&kernelContext_0)->entryPointParams_count_0[entryPointParams_1->a_0.count_at_0]));
    }
    else
    {
        factor_0 = _S1;
    }
    uint e_0 = group_0.x * 256U + thread_0.x;
    for(;;)
    {
        if(e_0 < (entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.cols_0))
        {
        }
        else
        {
            break;
        }
        uint i_0 = e_0 / entryPointParams_1->a_0.cols_0;
        uint j_0 = e_0 % entryPointParams_1->a_0.cols_0;
        uint label_0 = (&kernelContext_0)->entryPointParams_labels_0[entryPointParams_1->a_0.labels_at_0 + i_0];
        bool _S2;
        if((entryPointParams_1->a_0.ignores_0) != 0U)
        {
            _S2 = label_0 == (entryPointParams_1->a_0.ignored_0);
        }
        else
        {
            _S2 = false;
        }
        bool _S3;
        if(!_S2)
        {
            _S3 = label_0 < (entryPointParams_1->a_0.cols_0);
        }
        else
        {
            _S3 = false;
        }
        float g_0;
        if(_S3)
        {
            uint _S4 = 2U * i_0;
            float g_1 = exp((&kernelContext_0)->entryPointParams_logits_0[entryPointParams_1->a_0.logits_at_0 + i_0 * entryPointParams_1->a_0.logits_stride_0 + j_0] - (&kernelContext_0)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S4]) * (factor_0 * (1.0f / (&kernelContext_0)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S4 + 1U]));
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
        e_0 = e_0 + entryPointParams_1->a_0.groups_0 * 256U;
    }
    return;
}


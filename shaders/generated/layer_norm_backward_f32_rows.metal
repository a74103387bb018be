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

uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S2;
        if(half_0 > 0U)
        {
            _S2 = half_0 >= count_0;
        }
        else
        {
            _S2 = false;
        }
        if(_S2)
        {
        }
        else
        {
            break;
        }
        half_0 = half_0 / 2U;
    }
    return half_0;
}

struct Backward_0
{
    uint groups_0;
    uint dx_at_0;
    uint delta_at_0;
    uint dy_at_0;
    uint dsum_at_0;
    uint x_at_0;
    uint weight_at_0;
    uint stats_at_0;
    uint rows_0;
    uint cols_0;
    uint dx_stride_0;
    uint dy_stride_0;
    uint dsum_stride_0;
    uint x_stride_0;
};

struct EntryPointParams_0
{
    Backward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dx_0;
    float device* entryPointParams_delta_0;
    float device* entryPointParams_dy_0;
    float device* entryPointParams_dsum_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_weight_0;
    float device* entryPointParams_stats_0;
    array<float4, int(128)> threadgroup* shared_values_0;
};

float4 sumsOfGroup_0(float4 values_0, uint thread_0, uint count_1, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_values_0)[thread_0] = values_0;
    uint half_1 = firstHalf_0(count_1);
    for(;;)
    {
        if(half_1 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(thread_0 < half_1)
        {
            (*kernelContext_0->shared_values_0)[thread_0] = (*kernelContext_0->shared_values_0)[thread_0] + (*kernelContext_0->shared_values_0)[thread_0 + half_1];
        }
        half_1 = half_1 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_values_0)[int(0)];
}

float meanOf_0(float sum_0, uint count_2)
{
    return sum_0 / float(max(1U, count_2));
}

[[kernel]] void layer_norm_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_delta_1 [[buffer(2)]], float device* entryPointParams_dy_1 [[buffer(3)]], float device* entryPointParams_dsum_1 [[buffer(4)]], float device* entryPointParams_x_1 [[buffer(5)]], float device* entryPointParams_weight_1 [[buffer(6)]], float device* entryPointParams_stats_1 [[buffer(7)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_1)->entryPointParams_delta_0 = entryPointParams_delta_1;
    (&kernelContext_1)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_1)->entryPointParams_dsum_0 = entryPointParams_dsum_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_1)->entryPointParams_weight_0 = entryPointParams_weight_1;
    (&kernelContext_1)->entryPointParams_stats_0 = entryPointParams_stats_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_1)->shared_values_0 = &shared_values_1;
    uint _S3 = thread_1.x;
    bool _S4 = (entryPointParams_1->a_0.cols_0) <= 1024U;
    uint i_0 = group_0.x;
    for(;;)
    {
        if(i_0 < (entryPointParams_1->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S5 = entryPointParams_1->a_0.x_at_0 + i_0 * entryPointParams_1->a_0.x_stride_0;
        uint _S6 = entryPointParams_1->a_0.dy_at_0 + i_0 * entryPointParams_1->a_0.dy_stride_0;
        uint _S7 = 2U * i_0;
        float2 f_0 = factorsOf_0((&kernelContext_1)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S7 + 1U]);
        float _S8 = f_0.x;
        float _S9 = (&kernelContext_1)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + _S7] * _S8;
        thread array<float, int(8)> u_0;
        thread array<float, int(8)> z_0;
        float3 _S10 = float3(int3(int(0)) );
        uint base_0 = _S3;
        float3 sums_0 = _S10;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            float3 sums_1;
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S11 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + base_0] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_0];
                u_0[0U] = _S11;
                float _S12 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + base_0] * _S8 - _S9) * f_0.y;
                z_0[0U] = _S12;
                sums_1 = sums_0 + float3(_S11, _S11 * _S12, _S12);
            }
            else
            {
                sums_1 = sums_0;
            }
            uint j_0 = base_0 + 128U;
            float3 sums_2;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S13 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_0] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_0];
                u_0[1U] = _S13;
                float _S14 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_0] * _S8 - _S9) * f_0.y;
                z_0[1U] = _S14;
                sums_2 = sums_1 + float3(_S13, _S13 * _S14, _S14);
            }
            else
            {
                sums_2 = sums_1;
            }
            uint j_1 = base_0 + 256U;
            float3 sums_3;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                float _S15 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_1] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_1];
                u_0[2U] = _S15;
                float _S16 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_1] * _S8 - _S9) * f_0.y;
                z_0[2U] = _S16;
                sums_3 = sums_2 + float3(_S15, _S15 * _S16, _S16);
            }
            else
            {
                sums_3 = sums_2;
            }
            uint j_2 = base_0 + 384U;
            float3 sums_4;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                float _S17 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_2] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_2];
                u_0[3U] = _S17;
                float _S18 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_2] * _S8 - _S9) * f_0.y;
                z_0[3U] = _S18;
                sums_4 = sums_3 + float3(_S17, _S17 * _S18, _S18);
            }
            else
            {
                sums_4 = sums_3;
            }
            uint j_3 = base_0 + 512U;
            float3 sums_5;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                float _S19 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_3] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_3];
                u_0[4U] = _S19;
                float _S20 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_3] * _S8 - _S9) * f_0.y;
                z_0[4U] = _S20;
                sums_5 = sums_4 + float3(_S19, _S19 * _S20, _S20);
            }
            else
            {
                sums_5 = sums_4;
            }
            uint j_4 = base_0 + 640U;
            float3 sums_6;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                float _S21 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_4] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_4];
                u_0[5U] = _S21;
                float _S22 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_4] * _S8 - _S9) * f_0.y;
                z_0[5U] = _S22;
                sums_6 = sums_5 + float3(_S21, _S21 * _S22, _S22);
            }
            else
            {
                sums_6 = sums_5;
            }
            uint j_5 = base_0 + 768U;
            float3 sums_7;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                float _S23 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_5] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_5];
                u_0[6U] = _S23;
                float _S24 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_5] * _S8 - _S9) * f_0.y;
                z_0[6U] = _S24;
                sums_7 = sums_6 + float3(_S23, _S23 * _S24, _S24);
            }
            else
            {
                sums_7 = sums_6;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                float _S25 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_6] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_6];
                u_0[7U] = _S25;
                float _S26 = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_6] * _S8 - _S9) * f_0.y;
                z_0[7U] = _S26;
                sums_0 = sums_7 + float3(_S25, _S25 * _S26, _S26);
            }
            else
            {
                sums_0 = sums_7;
            }
            base_0 = base_0 + 1024U;
        }
        float4 _S27 = sumsOfGroup_0(float4(sums_0, 0.0f), _S3, entryPointParams_1->a_0.cols_0, &kernelContext_1);
        float3 sums_8 = _S27.xyz;
        float shift_0 = meanOf_0(sums_8.z, entryPointParams_1->a_0.cols_0);
        float level_0 = meanOf_0(sums_8.x, entryPointParams_1->a_0.cols_0);
        float _S28 = meanOf_0(sums_8.y, entryPointParams_1->a_0.cols_0) - shift_0 * level_0;
        bool _S29;
        if((entryPointParams_1->a_0.delta_at_0) != 4294967295U)
        {
            _S29 = _S3 == 0U;
        }
        else
        {
            _S29 = false;
        }
        if(_S29)
        {
            *((&kernelContext_1)->entryPointParams_delta_0+(entryPointParams_1->a_0.delta_at_0 + i_0)) = shift_0;
        }
        if((entryPointParams_1->a_0.dx_at_0) == 4294967295U)
        {
            i_0 = i_0 + entryPointParams_1->a_0.groups_0;
            continue;
        }
        uint _S30 = entryPointParams_1->a_0.dx_at_0 + i_0 * entryPointParams_1->a_0.dx_stride_0;
        uint _S31 = entryPointParams_1->a_0.dsum_at_0 + i_0 * entryPointParams_1->a_0.dsum_stride_0;
        uint base_1 = _S3;
        for(;;)
        {
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            float g_0;
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[0U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + base_1] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_1];
                    z_0[0U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + base_1] * _S8 - _S9) * f_0.y;
                }
                float g_1 = f_0.y * (u_0[0U] - level_0 - (z_0[0U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_1 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + base_1];
                }
                else
                {
                    g_0 = g_1;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + base_1)) = g_0;
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[1U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_7] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_7];
                    z_0[1U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_7] * _S8 - _S9) * f_0.y;
                }
                float g_2 = f_0.y * (u_0[1U] - level_0 - (z_0[1U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_2 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_7];
                }
                else
                {
                    g_0 = g_2;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_7)) = g_0;
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[2U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_8] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_8];
                    z_0[2U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_8] * _S8 - _S9) * f_0.y;
                }
                float g_3 = f_0.y * (u_0[2U] - level_0 - (z_0[2U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_3 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_8];
                }
                else
                {
                    g_0 = g_3;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_8)) = g_0;
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[3U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_9] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_9];
                    z_0[3U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_9] * _S8 - _S9) * f_0.y;
                }
                float g_4 = f_0.y * (u_0[3U] - level_0 - (z_0[3U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_4 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_9];
                }
                else
                {
                    g_0 = g_4;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_9)) = g_0;
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[4U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_10] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_10];
                    z_0[4U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_10] * _S8 - _S9) * f_0.y;
                }
                float g_5 = f_0.y * (u_0[4U] - level_0 - (z_0[4U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_5 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_10];
                }
                else
                {
                    g_0 = g_5;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_10)) = g_0;
            }
            uint j_11 = base_1 + 640U;
            if(j_11 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[5U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_11] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_11];
                    z_0[5U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_11] * _S8 - _S9) * f_0.y;
                }
                float g_6 = f_0.y * (u_0[5U] - level_0 - (z_0[5U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_6 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_11];
                }
                else
                {
                    g_0 = g_6;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_11)) = g_0;
            }
            uint j_12 = base_1 + 768U;
            if(j_12 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[6U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_12] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_12];
                    z_0[6U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_12] * _S8 - _S9) * f_0.y;
                }
                float g_7 = f_0.y * (u_0[6U] - level_0 - (z_0[6U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_7 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_12];
                }
                else
                {
                    g_0 = g_7;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_12)) = g_0;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[7U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_13] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_13];
                    z_0[7U] = ((&kernelContext_1)->entryPointParams_x_0[_S5 + j_13] * _S8 - _S9) * f_0.y;
                }
                float g_8 = f_0.y * (u_0[7U] - level_0 - (z_0[7U] - shift_0) * _S28) * _S8;
                if((entryPointParams_1->a_0.dsum_at_0) != 4294967295U)
                {
                    g_0 = g_8 + (&kernelContext_1)->entryPointParams_dsum_0[_S31 + j_13];
                }
                else
                {
                    g_0 = g_8;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S30 + j_13)) = g_0;
            }
            base_1 = base_1 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


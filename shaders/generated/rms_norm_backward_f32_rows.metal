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
    uint dy_at_0;
    uint x_at_0;
    uint weight_at_0;
    uint stats_at_0;
    uint rows_0;
    uint cols_0;
    uint dx_stride_0;
    uint dy_stride_0;
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
    float device* entryPointParams_dy_0;
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

[[kernel]] void rms_norm_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_weight_1 [[buffer(4)]], float device* entryPointParams_stats_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_1)->entryPointParams_dy_0 = entryPointParams_dy_1;
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
        float2 _S7 = factorsOf_0((&kernelContext_1)->entryPointParams_stats_0[entryPointParams_1->a_0.stats_at_0 + i_0]);
        thread array<float, int(8)> u_0;
        thread array<float, int(8)> v_0;
        uint base_0 = _S3;
        float products_0 = 0.0f;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            float products_1;
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S8 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + base_0] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_0];
                u_0[0U] = _S8;
                float _S9 = (&kernelContext_1)->entryPointParams_x_0[_S5 + base_0] * _S7.x * _S7.y;
                v_0[0U] = _S9;
                products_1 = fma(_S8, _S9, products_0);
            }
            else
            {
                products_1 = products_0;
            }
            uint j_0 = base_0 + 128U;
            float products_2;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                float _S10 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_0] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_0];
                u_0[1U] = _S10;
                float _S11 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_0] * _S7.x * _S7.y;
                v_0[1U] = _S11;
                products_2 = fma(_S10, _S11, products_1);
            }
            else
            {
                products_2 = products_1;
            }
            uint j_1 = base_0 + 256U;
            float products_3;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                float _S12 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_1] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_1];
                u_0[2U] = _S12;
                float _S13 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_1] * _S7.x * _S7.y;
                v_0[2U] = _S13;
                products_3 = fma(_S12, _S13, products_2);
            }
            else
            {
                products_3 = products_2;
            }
            uint j_2 = base_0 + 384U;
            float products_4;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                float _S14 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_2] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_2];
                u_0[3U] = _S14;
                float _S15 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_2] * _S7.x * _S7.y;
                v_0[3U] = _S15;
                products_4 = fma(_S14, _S15, products_3);
            }
            else
            {
                products_4 = products_3;
            }
            uint j_3 = base_0 + 512U;
            float products_5;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                float _S16 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_3] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_3];
                u_0[4U] = _S16;
                float _S17 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_3] * _S7.x * _S7.y;
                v_0[4U] = _S17;
                products_5 = fma(_S16, _S17, products_4);
            }
            else
            {
                products_5 = products_4;
            }
            uint j_4 = base_0 + 640U;
            float products_6;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                float _S18 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_4] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_4];
                u_0[5U] = _S18;
                float _S19 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_4] * _S7.x * _S7.y;
                v_0[5U] = _S19;
                products_6 = fma(_S18, _S19, products_5);
            }
            else
            {
                products_6 = products_5;
            }
            uint j_5 = base_0 + 768U;
            float products_7;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                float _S20 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_5] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_5];
                u_0[6U] = _S20;
                float _S21 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_5] * _S7.x * _S7.y;
                v_0[6U] = _S21;
                products_7 = fma(_S20, _S21, products_6);
            }
            else
            {
                products_7 = products_6;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                float _S22 = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_6] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_6];
                u_0[7U] = _S22;
                float _S23 = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_6] * _S7.x * _S7.y;
                v_0[7U] = _S23;
                products_0 = fma(_S22, _S23, products_7);
            }
            else
            {
                products_0 = products_7;
            }
            base_0 = base_0 + 1024U;
        }
        float4 _S24 = sumsOfGroup_0(float4(products_0, 0.0f, 0.0f, 0.0f), _S3, entryPointParams_1->a_0.cols_0, &kernelContext_1);
        float _S25 = meanOf_0(_S24.x, entryPointParams_1->a_0.cols_0);
        uint _S26 = entryPointParams_1->a_0.dx_at_0 + i_0 * entryPointParams_1->a_0.dx_stride_0;
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
            if(base_1 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[0U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + base_1] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + base_1];
                    v_0[0U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + base_1] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + base_1)) = _S7.y * (u_0[0U] - v_0[0U] * _S25) * _S7.x;
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[1U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_7] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_7];
                    v_0[1U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_7] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_7)) = _S7.y * (u_0[1U] - v_0[1U] * _S25) * _S7.x;
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[2U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_8] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_8];
                    v_0[2U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_8] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_8)) = _S7.y * (u_0[2U] - v_0[2U] * _S25) * _S7.x;
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[3U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_9] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_9];
                    v_0[3U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_9] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_9)) = _S7.y * (u_0[3U] - v_0[3U] * _S25) * _S7.x;
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[4U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_10] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_10];
                    v_0[4U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_10] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_10)) = _S7.y * (u_0[4U] - v_0[4U] * _S25) * _S7.x;
            }
            uint j_11 = base_1 + 640U;
            if(j_11 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[5U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_11] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_11];
                    v_0[5U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_11] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_11)) = _S7.y * (u_0[5U] - v_0[5U] * _S25) * _S7.x;
            }
            uint j_12 = base_1 + 768U;
            if(j_12 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[6U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_12] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_12];
                    v_0[6U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_12] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_12)) = _S7.y * (u_0[6U] - v_0[6U] * _S25) * _S7.x;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    u_0[7U] = (&kernelContext_1)->entryPointParams_dy_0[_S6 + j_13] * (&kernelContext_1)->entryPointParams_weight_0[entryPointParams_1->a_0.weight_at_0 + j_13];
                    v_0[7U] = (&kernelContext_1)->entryPointParams_x_0[_S5 + j_13] * _S7.x * _S7.y;
                }
                *((&kernelContext_1)->entryPointParams_dx_0+(_S26 + j_13)) = _S7.y * (u_0[7U] - v_0[7U] * _S25) * _S7.x;
            }
            base_1 = base_1 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


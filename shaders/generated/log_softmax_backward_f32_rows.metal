#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S1;
        if(half_0 > 0U)
        {
            _S1 = half_0 >= count_0;
        }
        else
        {
            _S1 = false;
        }
        if(_S1)
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
    uint y_at_0;
    uint rows_0;
    uint cols_0;
    uint dx_stride_0;
    uint dy_stride_0;
    uint y_stride_0;
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
    float device* entryPointParams_y_0;
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
    float _S2;
    if(isNaN_0(x_2))
    {
        _S2 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S2 = 0.0f;
        }
        else
        {
            _S2 = e_0;
        }
    }
    return _S2;
}

[[kernel]] void log_softmax_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], float device* entryPointParams_y_1 [[buffer(3)]])
{
    float sum_0;
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_1)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_1)->entryPointParams_y_0 = entryPointParams_y_1;
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
        uint _S5 = entryPointParams_1->a_0.dy_at_0 + i_0 * entryPointParams_1->a_0.dy_stride_0;
        uint _S6 = entryPointParams_1->a_0.y_at_0 + i_0 * entryPointParams_1->a_0.y_stride_0;
        thread array<float, int(8)> g_0;
        thread array<float, int(8)> l_0;
        uint base_0 = _S3;
        float sum_1 = 0.0f;
        for(;;)
        {
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
            }
            else
            {
                break;
            }
            if(base_0 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[0U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + base_0];
                float _S7 = (&kernelContext_1)->entryPointParams_y_0[_S6 + base_0];
                l_0[0U] = _S7;
                if(_S7 != (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = sum_1 + g_0[0U];
                }
                else
                {
                    sum_0 = sum_1;
                }
            }
            else
            {
                sum_0 = sum_1;
            }
            uint j_0 = base_0 + 128U;
            float sum_2;
            if(j_0 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[1U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_0];
                float _S8 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_0];
                l_0[1U] = _S8;
                if(_S8 != (- (as_type<float>((2139095040U)))))
                {
                    sum_2 = sum_0 + g_0[1U];
                }
                else
                {
                    sum_2 = sum_0;
                }
            }
            else
            {
                sum_2 = sum_0;
            }
            uint j_1 = base_0 + 256U;
            float sum_3;
            if(j_1 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[2U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_1];
                float _S9 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_1];
                l_0[2U] = _S9;
                if(_S9 != (- (as_type<float>((2139095040U)))))
                {
                    sum_3 = sum_2 + g_0[2U];
                }
                else
                {
                    sum_3 = sum_2;
                }
            }
            else
            {
                sum_3 = sum_2;
            }
            uint j_2 = base_0 + 384U;
            float sum_4;
            if(j_2 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[3U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_2];
                float _S10 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_2];
                l_0[3U] = _S10;
                if(_S10 != (- (as_type<float>((2139095040U)))))
                {
                    sum_4 = sum_3 + g_0[3U];
                }
                else
                {
                    sum_4 = sum_3;
                }
            }
            else
            {
                sum_4 = sum_3;
            }
            uint j_3 = base_0 + 512U;
            float sum_5;
            if(j_3 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[4U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_3];
                float _S11 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_3];
                l_0[4U] = _S11;
                if(_S11 != (- (as_type<float>((2139095040U)))))
                {
                    sum_5 = sum_4 + g_0[4U];
                }
                else
                {
                    sum_5 = sum_4;
                }
            }
            else
            {
                sum_5 = sum_4;
            }
            uint j_4 = base_0 + 640U;
            float sum_6;
            if(j_4 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[5U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_4];
                float _S12 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_4];
                l_0[5U] = _S12;
                if(_S12 != (- (as_type<float>((2139095040U)))))
                {
                    sum_6 = sum_5 + g_0[5U];
                }
                else
                {
                    sum_6 = sum_5;
                }
            }
            else
            {
                sum_6 = sum_5;
            }
            uint j_5 = base_0 + 768U;
            float sum_7;
            if(j_5 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[6U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_5];
                float _S13 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_5];
                l_0[6U] = _S13;
                if(_S13 != (- (as_type<float>((2139095040U)))))
                {
                    sum_7 = sum_6 + g_0[6U];
                }
                else
                {
                    sum_7 = sum_6;
                }
            }
            else
            {
                sum_7 = sum_6;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < (entryPointParams_1->a_0.cols_0))
            {
                g_0[7U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_6];
                float _S14 = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_6];
                l_0[7U] = _S14;
                float sum_8;
                if(_S14 != (- (as_type<float>((2139095040U)))))
                {
                    sum_8 = sum_7 + g_0[7U];
                }
                else
                {
                    sum_8 = sum_7;
                }
                sum_1 = sum_8;
            }
            else
            {
                sum_1 = sum_7;
            }
            base_0 = base_0 + 1024U;
        }
        float4 _S15 = sumsOfGroup_0(float4(sum_1, 0.0f, 0.0f, 0.0f), _S3, entryPointParams_1->a_0.cols_0, &kernelContext_1);
        float _S16 = _S15.x;
        uint _S17 = entryPointParams_1->a_0.dx_at_0 + i_0 * entryPointParams_1->a_0.dx_stride_0;
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
                    g_0[0U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + base_1];
                    l_0[0U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + base_1];
                }
                float device* _S18 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + base_1);
                if((l_0[0U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[0U]), _S16, g_0[0U]);
                }
                *_S18 = sum_0;
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[1U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_7];
                    l_0[1U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_7];
                }
                float device* _S19 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_7);
                if((l_0[1U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[1U]), _S16, g_0[1U]);
                }
                *_S19 = sum_0;
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[2U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_8];
                    l_0[2U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_8];
                }
                float device* _S20 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_8);
                if((l_0[2U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[2U]), _S16, g_0[2U]);
                }
                *_S20 = sum_0;
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[3U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_9];
                    l_0[3U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_9];
                }
                float device* _S21 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_9);
                if((l_0[3U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[3U]), _S16, g_0[3U]);
                }
                *_S21 = sum_0;
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[4U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_10];
                    l_0[4U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_10];
                }
                float device* _S22 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_10);
                if((l_0[4U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[4U]), _S16, g_0[4U]);
                }
                *_S22 = sum_0;
            }
            uint j_11 = base_1 + 640U;
            if(j_11 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[5U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_11];
                    l_0[5U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_11];
                }
                float device* _S23 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_11);
                if((l_0[5U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[5U]), _S16, g_0[5U]);
                }
                *_S23 = sum_0;
            }
            uint j_12 = base_1 + 768U;
            if(j_12 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[6U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_12];
                    l_0[6U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_12];
                }
                float device* _S24 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_12);
                if((l_0[6U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[6U]), _S16, g_0[6U]);
                }
                *_S24 = sum_0;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_0.cols_0))
            {
                if(!_S4)
                {
                    g_0[7U] = (&kernelContext_1)->entryPointParams_dy_0[_S5 + j_13];
                    l_0[7U] = (&kernelContext_1)->entryPointParams_y_0[_S6 + j_13];
                }
                float device* _S25 = (&kernelContext_1)->entryPointParams_dx_0+(_S17 + j_13);
                if((l_0[7U]) == (- (as_type<float>((2139095040U)))))
                {
                    sum_0 = 0.0f;
                }
                else
                {
                    sum_0 = fma(- expNegative_0(l_0[7U]), _S16, g_0[7U]);
                }
                *_S25 = sum_0;
            }
            base_1 = base_1 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


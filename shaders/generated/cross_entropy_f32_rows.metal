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

float2 together_0(float2 a_0, float2 b_0)
{
    float _S2 = b_0.x;
    float _S3 = a_0.x;
    if(_S2 > _S3)
    {
        return float2(_S2, a_0.y * expNegative_0(_S3 - _S2) + b_0.y);
    }
    if(_S2 == _S3)
    {
        return float2(_S3, a_0.y + b_0.y);
    }
    return float2(_S3, a_0.y + b_0.y * expNegative_0(_S2 - _S3));
}

uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S4;
        if(half_0 > 0U)
        {
            _S4 = half_0 >= count_0;
        }
        else
        {
            _S4 = false;
        }
        if(_S4)
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

float logOf_0(float x_3)
{
    if(isNaN_0(x_3))
    {
        return x_3;
    }
    float _S5;
    if(!(x_3 > 0.0f))
    {
        if(x_3 == 0.0f)
        {
            _S5 = (as_type<float>((4286578688U)));
        }
        else
        {
            _S5 = (as_type<float>((2143289344U)));
        }
        return _S5;
    }
    if(x_3 == (as_type<float>((2139095040U))))
    {
        return x_3;
    }
    bool small_0 = x_3 < 1.17549435082228751e-38f;
    if(small_0)
    {
        _S5 = x_3 * 8.388608e+06f;
    }
    else
    {
        _S5 = x_3;
    }
    uint bits_0 = (as_type<uint>((_S5))) + 4913933U;
    float f_0 = (as_type<float>(((bits_0 & 8388607U) + 1060439283U))) - 1.0f;
    int _S6 = int(bits_0 >> 23U);
    int _S7;
    if(small_0)
    {
        _S7 = int(150);
    }
    else
    {
        _S7 = int(127);
    }
    float k_0 = float(_S6 - _S7);
    float square_0 = f_0 * f_0;
    return fma(k_0, 0.69314718246459961f, f_0 + fma(square_0, -0.5f, fma(square_0 * f_0, fma(fma(fma(fma(fma(fma(fma(-0.07640374451875687f, f_0, 0.12766213715076447f), f_0, -0.13159836828708649f), f_0, 0.14201110601425171f), f_0, -0.16623353958129883f), f_0, 0.20001256465911865f), f_0, -0.250008225440979f), f_0, 0.33333331346511841f), k_0 * -1.90465421212593355e-09f)));
}

struct Forward_0
{
    uint groups_0;
    uint losses_at_0;
    uint stats_at_0;
    uint logits_at_0;
    uint labels_at_0;
    uint rows_0;
    uint cols_0;
    uint logits_stride_0;
    uint ignores_0;
    uint ignored_0;
};

struct EntryPointParams_0
{
    Forward_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_losses_0;
    float device* entryPointParams_stats_0;
    float device* entryPointParams_logits_0;
    uint device* entryPointParams_labels_0;
    array<float2, int(128)> threadgroup* shared_stats_0;
};

[[kernel]] void cross_entropy_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_losses_1 [[buffer(1)]], float device* entryPointParams_stats_1 [[buffer(2)]], float device* entryPointParams_logits_1 [[buffer(3)]], uint device* entryPointParams_labels_1 [[buffer(4)]])
{
    float largest_0;
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_losses_0 = entryPointParams_losses_1;
    (&kernelContext_0)->entryPointParams_stats_0 = entryPointParams_stats_1;
    (&kernelContext_0)->entryPointParams_logits_0 = entryPointParams_logits_1;
    (&kernelContext_0)->entryPointParams_labels_0 = entryPointParams_labels_1;
    threadgroup array<float2, int(128)> shared_stats_1;
    (&kernelContext_0)->shared_stats_0 = &shared_stats_1;
    uint _S8 = thread_0.x;
    uint i_0 = group_0.x;
    for(;;)
    {
        if(i_0 < ((&kernelContext_0)->entryPointParams_0->a_1.rows_0))
        {
        }
        else
        {
            break;
        }
        uint label_0 = (&kernelContext_0)->entryPointParams_labels_0[(&kernelContext_0)->entryPointParams_0->a_1.labels_at_0 + i_0];
        bool _S9;
        if(((&kernelContext_0)->entryPointParams_0->a_1.ignores_0) != 0U)
        {
            _S9 = label_0 == ((&kernelContext_0)->entryPointParams_0->a_1.ignored_0);
        }
        else
        {
            _S9 = false;
        }
        if(_S9)
        {
            if(_S8 == 0U)
            {
                *((&kernelContext_0)->entryPointParams_losses_0+((&kernelContext_0)->entryPointParams_0->a_1.losses_at_0 + i_0)) = 0.0f;
                uint _S10 = 2U * i_0;
                *((&kernelContext_0)->entryPointParams_stats_0+((&kernelContext_0)->entryPointParams_0->a_1.stats_at_0 + _S10)) = 0.0f;
                *((&kernelContext_0)->entryPointParams_stats_0+((&kernelContext_0)->entryPointParams_0->a_1.stats_at_0 + _S10 + 1U)) = 1.0f;
            }
            i_0 = i_0 + (&kernelContext_0)->entryPointParams_0->a_1.groups_0;
            continue;
        }
        uint row_0 = (&kernelContext_0)->entryPointParams_0->a_1.logits_at_0 + i_0 * (&kernelContext_0)->entryPointParams_0->a_1.logits_stride_0;
        float _S11 = - (as_type<float>((2139095040U)));
        float2 _S12 = float2(_S11, 0.0f);
        uint base_0 = _S8;
        float2 seen_0 = _S12;
        for(;;)
        {
            if(base_0 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
            }
            else
            {
                break;
            }
            thread array<float, int(8)> v_0;
            v_0[0U] = _S11;
            if(base_0 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[0U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + base_0];
            }
            if((v_0[0U]) > _S11)
            {
                largest_0 = v_0[0U];
            }
            else
            {
                largest_0 = _S11;
            }
            uint j_0 = base_0 + 128U;
            v_0[1U] = _S11;
            if(j_0 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[1U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_0];
            }
            float largest_1;
            if((v_0[1U]) > largest_0)
            {
                largest_1 = v_0[1U];
            }
            else
            {
                largest_1 = largest_0;
            }
            uint j_1 = base_0 + 256U;
            v_0[2U] = _S11;
            if(j_1 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[2U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_1];
            }
            float largest_2;
            if((v_0[2U]) > largest_1)
            {
                largest_2 = v_0[2U];
            }
            else
            {
                largest_2 = largest_1;
            }
            uint j_2 = base_0 + 384U;
            v_0[3U] = _S11;
            if(j_2 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[3U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_2];
            }
            float largest_3;
            if((v_0[3U]) > largest_2)
            {
                largest_3 = v_0[3U];
            }
            else
            {
                largest_3 = largest_2;
            }
            uint j_3 = base_0 + 512U;
            v_0[4U] = _S11;
            if(j_3 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[4U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_3];
            }
            float largest_4;
            if((v_0[4U]) > largest_3)
            {
                largest_4 = v_0[4U];
            }
            else
            {
                largest_4 = largest_3;
            }
            uint j_4 = base_0 + 640U;
            v_0[5U] = _S11;
            if(j_4 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[5U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_4];
            }
            float largest_5;
            if((v_0[5U]) > largest_4)
            {
                largest_5 = v_0[5U];
            }
            else
            {
                largest_5 = largest_4;
            }
            uint j_5 = base_0 + 768U;
            v_0[6U] = _S11;
            if(j_5 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[6U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_5];
            }
            float largest_6;
            if((v_0[6U]) > largest_5)
            {
                largest_6 = v_0[6U];
            }
            else
            {
                largest_6 = largest_5;
            }
            uint j_6 = base_0 + 896U;
            v_0[7U] = _S11;
            if(j_6 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
            {
                v_0[7U] = (&kernelContext_0)->entryPointParams_logits_0[row_0 + j_6];
            }
            float largest_7;
            if((v_0[7U]) > largest_6)
            {
                largest_7 = v_0[7U];
            }
            else
            {
                largest_7 = largest_6;
            }
            float _S13;
            if(largest_7 == _S11)
            {
                _S13 = 0.0f;
            }
            else
            {
                _S13 = largest_7;
            }
            float2 _S14 = together_0(seen_0, float2(largest_7, expNegative_0(v_0[0U] - _S13) + expNegative_0(v_0[1U] - _S13) + expNegative_0(v_0[2U] - _S13) + expNegative_0(v_0[3U] - _S13) + expNegative_0(v_0[4U] - _S13) + expNegative_0(v_0[5U] - _S13) + expNegative_0(v_0[6U] - _S13) + expNegative_0(v_0[7U] - _S13)));
            base_0 = base_0 + 1024U;
            seen_0 = _S14;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_0)->shared_stats_0)[_S8] = seen_0;
        uint half_1 = firstHalf_0((&kernelContext_0)->entryPointParams_0->a_1.cols_0);
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
            if(_S8 < half_1)
            {
                (*(&kernelContext_0)->shared_stats_0)[_S8] = together_0((*(&kernelContext_0)->shared_stats_0)[_S8], (*(&kernelContext_0)->shared_stats_0)[_S8 + half_1]);
            }
            half_1 = half_1 / 2U;
        }
        if(_S8 != 0U)
        {
            i_0 = i_0 + (&kernelContext_0)->entryPointParams_0->a_1.groups_0;
            continue;
        }
        float2 seen_1 = (*(&kernelContext_0)->shared_stats_0)[int(0)];
        float device* _S15 = (&kernelContext_0)->entryPointParams_losses_0+((&kernelContext_0)->entryPointParams_0->a_1.losses_at_0 + i_0);
        if(label_0 < ((&kernelContext_0)->entryPointParams_0->a_1.cols_0))
        {
            largest_0 = logOf_0(seen_1.y) + (seen_1.x - (&kernelContext_0)->entryPointParams_logits_0[row_0 + label_0]);
        }
        else
        {
            largest_0 = (as_type<float>((2143289344U)));
        }
        *_S15 = largest_0;
        uint _S16 = 2U * i_0;
        *((&kernelContext_0)->entryPointParams_stats_0+((&kernelContext_0)->entryPointParams_0->a_1.stats_at_0 + _S16)) = seen_1.x;
        *((&kernelContext_0)->entryPointParams_stats_0+((&kernelContext_0)->entryPointParams_0->a_1.stats_at_0 + _S16 + 1U)) = seen_1.y;
        i_0 = i_0 + (&kernelContext_0)->entryPointParams_0->a_1.groups_0;
    }
    return;
}


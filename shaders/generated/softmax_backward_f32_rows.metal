#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint seen_0(uint row_0, uint queries_0, uint cols_0)
{
    if(queries_0 == 0U)
    {
        return cols_0;
    }
    uint _S1 = row_0 % queries_0;
    uint end_0 = _S1 + 1U + cols_0;
    uint _S2;
    if(end_0 < queries_0)
    {
        _S2 = 0U;
    }
    else
    {
        _S2 = end_0 - queries_0;
    }
    return _S2;
}

uint firstHalf_0(uint count_0)
{
    uint half_0 = 64U;
    for(;;)
    {
        bool _S3;
        if(half_0 > 0U)
        {
            _S3 = half_0 >= count_0;
        }
        else
        {
            _S3 = false;
        }
        if(_S3)
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
    uint cols_1;
    uint dx_stride_0;
    uint dy_stride_0;
    uint y_stride_0;
    uint row_1;
    uint queries_1;
    float scale_0;
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

[[kernel]] void softmax_backward_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], float device* entryPointParams_y_1 [[buffer(3)]])
{
    float dot_0;
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_1)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_1)->entryPointParams_y_0 = entryPointParams_y_1;
    threadgroup array<float4, int(128)> shared_values_1;
    (&kernelContext_1)->shared_values_0 = &shared_values_1;
    uint _S4 = thread_1.x;
    bool _S5 = (entryPointParams_1->a_0.cols_1) <= 1024U;
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
        uint _S6 = seen_0(entryPointParams_1->a_0.row_1 + i_0, entryPointParams_1->a_0.queries_1, entryPointParams_1->a_0.cols_1);
        uint _S7 = min(_S6, entryPointParams_1->a_0.cols_1);
        uint _S8 = entryPointParams_1->a_0.y_at_0 + i_0 * entryPointParams_1->a_0.y_stride_0;
        uint _S9 = entryPointParams_1->a_0.dy_at_0 + i_0 * entryPointParams_1->a_0.dy_stride_0;
        uint _S10 = entryPointParams_1->a_0.dx_at_0 + i_0 * entryPointParams_1->a_0.dx_stride_0;
        thread array<float, int(8)> v_0;
        thread array<float, int(8)> g_0;
        uint base_0 = _S4;
        float dot_1 = 0.0f;
        for(;;)
        {
            bool _S11 = base_0 < _S7;
            if(_S11)
            {
            }
            else
            {
                break;
            }
            if(_S11)
            {
                float _S12 = (&kernelContext_1)->entryPointParams_y_0[_S8 + base_0];
                v_0[0U] = _S12;
                g_0[0U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + base_0];
                if(_S12 != 0.0f)
                {
                    dot_0 = fma(g_0[0U], v_0[0U], dot_1);
                }
                else
                {
                    dot_0 = dot_1;
                }
            }
            else
            {
                dot_0 = dot_1;
            }
            uint j_0 = base_0 + 128U;
            float dot_2;
            if(j_0 < _S7)
            {
                float _S13 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_0];
                v_0[1U] = _S13;
                g_0[1U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_0];
                if(_S13 != 0.0f)
                {
                    dot_2 = fma(g_0[1U], v_0[1U], dot_0);
                }
                else
                {
                    dot_2 = dot_0;
                }
            }
            else
            {
                dot_2 = dot_0;
            }
            uint j_1 = base_0 + 256U;
            float dot_3;
            if(j_1 < _S7)
            {
                float _S14 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_1];
                v_0[2U] = _S14;
                g_0[2U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_1];
                if(_S14 != 0.0f)
                {
                    dot_3 = fma(g_0[2U], v_0[2U], dot_2);
                }
                else
                {
                    dot_3 = dot_2;
                }
            }
            else
            {
                dot_3 = dot_2;
            }
            uint j_2 = base_0 + 384U;
            float dot_4;
            if(j_2 < _S7)
            {
                float _S15 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_2];
                v_0[3U] = _S15;
                g_0[3U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_2];
                if(_S15 != 0.0f)
                {
                    dot_4 = fma(g_0[3U], v_0[3U], dot_3);
                }
                else
                {
                    dot_4 = dot_3;
                }
            }
            else
            {
                dot_4 = dot_3;
            }
            uint j_3 = base_0 + 512U;
            float dot_5;
            if(j_3 < _S7)
            {
                float _S16 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_3];
                v_0[4U] = _S16;
                g_0[4U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_3];
                if(_S16 != 0.0f)
                {
                    dot_5 = fma(g_0[4U], v_0[4U], dot_4);
                }
                else
                {
                    dot_5 = dot_4;
                }
            }
            else
            {
                dot_5 = dot_4;
            }
            uint j_4 = base_0 + 640U;
            float dot_6;
            if(j_4 < _S7)
            {
                float _S17 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_4];
                v_0[5U] = _S17;
                g_0[5U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_4];
                if(_S17 != 0.0f)
                {
                    dot_6 = fma(g_0[5U], v_0[5U], dot_5);
                }
                else
                {
                    dot_6 = dot_5;
                }
            }
            else
            {
                dot_6 = dot_5;
            }
            uint j_5 = base_0 + 768U;
            float dot_7;
            if(j_5 < _S7)
            {
                float _S18 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_5];
                v_0[6U] = _S18;
                g_0[6U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_5];
                if(_S18 != 0.0f)
                {
                    dot_7 = fma(g_0[6U], v_0[6U], dot_6);
                }
                else
                {
                    dot_7 = dot_6;
                }
            }
            else
            {
                dot_7 = dot_6;
            }
            uint j_6 = base_0 + 896U;
            if(j_6 < _S7)
            {
                float _S19 = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_6];
                v_0[7U] = _S19;
                g_0[7U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_6];
                float dot_8;
                if(_S19 != 0.0f)
                {
                    dot_8 = fma(g_0[7U], v_0[7U], dot_7);
                }
                else
                {
                    dot_8 = dot_7;
                }
                dot_1 = dot_8;
            }
            else
            {
                dot_1 = dot_7;
            }
            base_0 = base_0 + 1024U;
        }
        float4 _S20 = sumsOfGroup_0(float4(dot_1, 0.0f, 0.0f, 0.0f), _S4, _S7, &kernelContext_1);
        float _S21 = _S20.x;
        uint base_1 = _S4;
        for(;;)
        {
            if(base_1 < (entryPointParams_1->a_0.cols_1))
            {
            }
            else
            {
                break;
            }
            bool _S22;
            bool _S23;
            if(base_1 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = base_1 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[0U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + base_1];
                    g_0[0U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + base_1];
                }
                float device* _S24 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + base_1);
                if(base_1 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[0U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[0U] * (g_0[0U] - _S21);
                }
                *_S24 = dot_0;
            }
            uint j_7 = base_1 + 128U;
            if(j_7 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_7 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[1U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_7];
                    g_0[1U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_7];
                }
                float device* _S25 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_7);
                if(j_7 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[1U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[1U] * (g_0[1U] - _S21);
                }
                *_S25 = dot_0;
            }
            uint j_8 = base_1 + 256U;
            if(j_8 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_8 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[2U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_8];
                    g_0[2U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_8];
                }
                float device* _S26 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_8);
                if(j_8 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[2U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[2U] * (g_0[2U] - _S21);
                }
                *_S26 = dot_0;
            }
            uint j_9 = base_1 + 384U;
            if(j_9 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_9 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[3U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_9];
                    g_0[3U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_9];
                }
                float device* _S27 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_9);
                if(j_9 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[3U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[3U] * (g_0[3U] - _S21);
                }
                *_S27 = dot_0;
            }
            uint j_10 = base_1 + 512U;
            if(j_10 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_10 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[4U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_10];
                    g_0[4U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_10];
                }
                float device* _S28 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_10);
                if(j_10 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[4U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[4U] * (g_0[4U] - _S21);
                }
                *_S28 = dot_0;
            }
            uint j_11 = base_1 + 640U;
            if(j_11 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_11 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[5U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_11];
                    g_0[5U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_11];
                }
                float device* _S29 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_11);
                if(j_11 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[5U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[5U] * (g_0[5U] - _S21);
                }
                *_S29 = dot_0;
            }
            uint j_12 = base_1 + 768U;
            if(j_12 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_12 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[6U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_12];
                    g_0[6U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_12];
                }
                float device* _S30 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_12);
                if(j_12 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[6U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[6U] * (g_0[6U] - _S21);
                }
                *_S30 = dot_0;
            }
            uint j_13 = base_1 + 896U;
            if(j_13 < (entryPointParams_1->a_0.cols_1))
            {
                if(!_S5)
                {
                    _S22 = j_13 < _S7;
                }
                else
                {
                    _S22 = false;
                }
                if(_S22)
                {
                    v_0[7U] = (&kernelContext_1)->entryPointParams_y_0[_S8 + j_13];
                    g_0[7U] = (&kernelContext_1)->entryPointParams_dy_0[_S9 + j_13];
                }
                float device* _S31 = (&kernelContext_1)->entryPointParams_dx_0+(_S10 + j_13);
                if(j_13 >= _S7)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (v_0[7U]) == 0.0f;
                }
                if(_S23)
                {
                    dot_0 = 0.0f;
                }
                else
                {
                    dot_0 = entryPointParams_1->a_0.scale_0 * v_0[7U] * (g_0[7U] - _S21);
                }
                *_S31 = dot_0;
            }
            base_1 = base_1 + 1024U;
        }
        i_0 = i_0 + entryPointParams_1->a_0.groups_0;
    }
    return;
}


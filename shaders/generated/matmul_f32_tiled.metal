#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Place_0
{
    uint c_0;
    uint a_0;
    uint b_0;
};

Place_0 Place_x24init_0(uint c_1, uint a_1, uint b_1)
{
    thread Place_0 _S1;
    (&_S1)->c_0 = c_1;
    (&_S1)->a_0 = a_1;
    (&_S1)->b_0 = b_1;
    return _S1;
}

float bell_0(float a_2)
{
    float limited_0;
    if(a_2 > 16.0f)
    {
        limited_0 = 16.0f;
    }
    else
    {
        limited_0 = a_2;
    }
    float square_0 = limited_0 * limited_0;
    float e_0 = exp(-0.5f * square_0);
    return fma(e_0, -0.5f * fma(limited_0, limited_0, - square_0), e_0);
}

float mills_0(float a_3)
{
    float inverse_0 = 1.0f / (a_3 + 5.0f);
    float t_0 = fma(a_3 * inverse_0, 2.0f, -1.0f);
    return inverse_0 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.00040502843330614f, t_0, -0.0009714913321659f), t_0, -0.00296137784607708f), t_0, 0.020876569673419f), t_0, -0.06911593675613403f), t_0, 0.16500671207904816f), t_0, -0.31353393197059631f), t_0, 0.49530637264251709f), t_0, -0.6653825044631958f), t_0, 0.76919305324554443f);
}

float normalCdf_0(float x_0)
{
    float a_4 = abs(x_0);
    float _S2 = bell_0(a_4);
    float _S3;
    if(a_4 > 16.0f)
    {
        _S3 = 16.0f;
    }
    else
    {
        _S3 = a_4;
    }
    float tail_0 = _S2 * mills_0(_S3);
    if(x_0 < 0.0f)
    {
        _S3 = tail_0;
    }
    else
    {
        _S3 = 1.0f - tail_0;
    }
    return _S3;
}

float geluErf_0(float x_1)
{
    float _S4;
    if(x_1 < -16.0f)
    {
        _S4 = 0.0f;
    }
    else
    {
        if(x_1 > 16.0f)
        {
            _S4 = x_1;
        }
        else
        {
            _S4 = x_1 * normalCdf_0(x_1);
        }
    }
    return _S4;
}

float logistic_0(float x_2)
{
    float e_1 = exp(- abs(x_2));
    float _S5;
    if(x_2 < 0.0f)
    {
        _S5 = e_1;
    }
    else
    {
        _S5 = 1.0f;
    }
    return _S5 / (1.0f + e_1);
}

float siluOf_0(float x_3)
{
    float _S6;
    if(x_3 < -100.0f)
    {
        _S6 = 0.0f;
    }
    else
    {
        _S6 = x_3 * logistic_0(x_3);
    }
    return _S6;
}

float closed_0(uint epilogue_0, float v_0)
{
    switch(epilogue_0)
    {
    case 1U:
        {
            float _S7;
            if(v_0 < 0.0f)
            {
                _S7 = 0.0f;
            }
            else
            {
                _S7 = v_0;
            }
            return _S7;
        }
    case 2U:
        {
            return geluErf_0(v_0);
        }
    case 3U:
        {
            return siluOf_0(v_0);
        }
    default:
        {
            return v_0;
        }
    }
}

struct Product_0
{
    uint groups_0;
    uint c_at_0;
    uint a_at_0;
    uint b_at_0;
    uint bias_at_0;
    uint m_0;
    uint n_0;
    uint k_0;
    int a_row_0;
    int a_col_0;
    int b_row_0;
    int b_col_0;
    uint ldc_0;
    float alpha_0;
    float beta_0;
    uint epilogue_1;
    uint count_0;
    array<uint, int(3)> sizes_0;
    array<int, int(3)> batch_a_0;
    array<int, int(3)> batch_b_0;
    array<int, int(3)> batch_c_0;
};

struct EntryPointParams_0
{
    Product_0 p_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_a_0;
    float device* entryPointParams_b_0;
    float device* entryPointParams_bias_0;
    array<float, int(2112)> threadgroup* a_tile_0;
    array<float, int(2112)> threadgroup* b_tile_0;
};

Place_0 placeOf_0(uint _S8, KernelContext_0 thread* kernelContext_0)
{
    uint i_0 = 0U;
    uint _S9 = _S8;
    int c_2 = int(0);
    int a_5 = int(0);
    int b_2 = int(0);
    for(;;)
    {
        if(i_0 < 3U)
        {
        }
        else
        {
            break;
        }
        array<uint, int(3)> _S10 = (&kernelContext_0->entryPointParams_0->p_0)->sizes_0;
        uint _S11 = i_0;
        uint _S12 = _S9 % (&kernelContext_0->entryPointParams_0->p_0)->sizes_0[i_0];
        int at_0 = int(_S12);
        uint _S13 = _S9 / _S10[_S11];
        int c_3 = c_2 + at_0 * (&kernelContext_0->entryPointParams_0->p_0)->batch_c_0[i_0];
        int a_6 = a_5 + at_0 * (&kernelContext_0->entryPointParams_0->p_0)->batch_a_0[i_0];
        int b_3 = b_2 + at_0 * (&kernelContext_0->entryPointParams_0->p_0)->batch_b_0[i_0];
        i_0 = i_0 + 1U;
        _S9 = _S13;
        c_2 = c_3;
        a_5 = a_6;
        b_2 = b_3;
    }
    return Place_x24init_0((&kernelContext_0->entryPointParams_0->p_0)->c_at_0 + uint(c_2), (&kernelContext_0->entryPointParams_0->p_0)->a_at_0 + uint(a_5), (&kernelContext_0->entryPointParams_0->p_0)->b_at_0 + uint(b_2));
}

void finish_0(const Place_0 thread* _S14, float device* _S15, float device* _S16, uint _S17, uint _S18, float _S19, KernelContext_0 thread* kernelContext_1)
{
    uint place_0 = _S14->c_0 + _S17 * (&kernelContext_1->entryPointParams_0->p_0)->ldc_0 + _S18;
    float v_1 = (&kernelContext_1->entryPointParams_0->p_0)->alpha_0 * _S19;
    float _S20 = (&kernelContext_1->entryPointParams_0->p_0)->beta_0;
    float v_2;
    if(((&kernelContext_1->entryPointParams_0->p_0)->beta_0) != 0.0f)
    {
        v_2 = fma(_S20, *(_S15+place_0), v_1);
    }
    else
    {
        v_2 = v_1;
    }
    uint _S21 = (&kernelContext_1->entryPointParams_0->p_0)->bias_at_0;
    if(((&kernelContext_1->entryPointParams_0->p_0)->bias_at_0) != 4294967295U)
    {
        v_2 = v_2 + _S16[_S21 + _S18];
    }
    *(_S15+place_0) = closed_0((&kernelContext_1->entryPointParams_0->p_0)->epilogue_1, v_2);
    return;
}

[[kernel]] void matmul_f32_tiled(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], float device* entryPointParams_bias_1 [[buffer(4)]])
{
    bool inside_0;
    bool b_inside_0;
    bool inside_1;
    bool b_inside_1;
    bool inside_2;
    bool b_inside_2;
    bool inside_3;
    bool b_inside_3;
    bool inside_4;
    bool b_inside_4;
    bool inside_5;
    bool b_inside_5;
    bool inside_6;
    bool b_inside_6;
    bool inside_7;
    bool b_inside_7;
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_2)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_2)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_2)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_2)->entryPointParams_bias_0 = entryPointParams_bias_1;
    threadgroup array<float, int(2112)> a_tile_1;
    (&kernelContext_2)->a_tile_0 = &a_tile_1;
    threadgroup array<float, int(2112)> b_tile_1;
    (&kernelContext_2)->b_tile_0 = &b_tile_1;
    uint _S22 = thread_0.x;
    uint _S23 = ((&entryPointParams_1->p_0)->n_0 + 128U - 1U) / 128U;
    uint _S24 = ((&entryPointParams_1->p_0)->m_0 + 128U - 1U) / 128U;
    uint job_0 = group_0.x;
    for(;;)
    {
        uint _S25 = _S23 * _S24;
        if(job_0 < (_S25 * (&entryPointParams_1->p_0)->count_0))
        {
        }
        else
        {
            break;
        }
        uint _S26 = job_0 / _S25;
        Place_0 _S27 = placeOf_0(_S26, &kernelContext_2);
        uint index_0 = job_0 % _S25;
        uint _S28 = index_0 / _S23;
        uint _S29 = _S28 * 128U;
        uint _S30 = index_0 % _S23;
        uint _S31 = _S30 * 128U;
        uint _S32 = _S22 / 16U;
        uint _S33 = _S22 % 16U;
        thread array<array<float, int(8)>, int(8)> sum_0;
        sum_0[0U][0U] = 0.0f;
        sum_0[0U][1U] = 0.0f;
        sum_0[0U][2U] = 0.0f;
        sum_0[0U][3U] = 0.0f;
        sum_0[0U][4U] = 0.0f;
        sum_0[0U][5U] = 0.0f;
        sum_0[0U][6U] = 0.0f;
        sum_0[0U][7U] = 0.0f;
        sum_0[1U][0U] = 0.0f;
        sum_0[1U][1U] = 0.0f;
        sum_0[1U][2U] = 0.0f;
        sum_0[1U][3U] = 0.0f;
        sum_0[1U][4U] = 0.0f;
        sum_0[1U][5U] = 0.0f;
        sum_0[1U][6U] = 0.0f;
        sum_0[1U][7U] = 0.0f;
        sum_0[2U][0U] = 0.0f;
        sum_0[2U][1U] = 0.0f;
        sum_0[2U][2U] = 0.0f;
        sum_0[2U][3U] = 0.0f;
        sum_0[2U][4U] = 0.0f;
        sum_0[2U][5U] = 0.0f;
        sum_0[2U][6U] = 0.0f;
        sum_0[2U][7U] = 0.0f;
        sum_0[3U][0U] = 0.0f;
        sum_0[3U][1U] = 0.0f;
        sum_0[3U][2U] = 0.0f;
        sum_0[3U][3U] = 0.0f;
        sum_0[3U][4U] = 0.0f;
        sum_0[3U][5U] = 0.0f;
        sum_0[3U][6U] = 0.0f;
        sum_0[3U][7U] = 0.0f;
        sum_0[4U][0U] = 0.0f;
        sum_0[4U][1U] = 0.0f;
        sum_0[4U][2U] = 0.0f;
        sum_0[4U][3U] = 0.0f;
        sum_0[4U][4U] = 0.0f;
        sum_0[4U][5U] = 0.0f;
        sum_0[4U][6U] = 0.0f;
        sum_0[4U][7U] = 0.0f;
        sum_0[5U][0U] = 0.0f;
        sum_0[5U][1U] = 0.0f;
        sum_0[5U][2U] = 0.0f;
        sum_0[5U][3U] = 0.0f;
        sum_0[5U][4U] = 0.0f;
        sum_0[5U][5U] = 0.0f;
        sum_0[5U][6U] = 0.0f;
        sum_0[5U][7U] = 0.0f;
        sum_0[6U][0U] = 0.0f;
        sum_0[6U][1U] = 0.0f;
        sum_0[6U][2U] = 0.0f;
        sum_0[6U][3U] = 0.0f;
        sum_0[6U][4U] = 0.0f;
        sum_0[6U][5U] = 0.0f;
        sum_0[6U][6U] = 0.0f;
        sum_0[6U][7U] = 0.0f;
        sum_0[7U][0U] = 0.0f;
        sum_0[7U][1U] = 0.0f;
        sum_0[7U][2U] = 0.0f;
        sum_0[7U][3U] = 0.0f;
        sum_0[7U][4U] = 0.0f;
        sum_0[7U][5U] = 0.0f;
        sum_0[7U][6U] = 0.0f;
        sum_0[7U][7U] = 0.0f;
        uint k0_0 = 0U;
        for(;;)
        {
            if(k0_0 < ((&entryPointParams_1->p_0)->k_0))
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            bool a_by_k_0 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_0;
            if(a_by_k_0)
            {
                r_0 = _S22 / 16U;
            }
            else
            {
                r_0 = _S22 % 128U;
            }
            uint k_1;
            if(a_by_k_0)
            {
                k_1 = _S33;
            }
            else
            {
                k_1 = _S22 / 128U;
            }
            uint _S34 = _S29 + r_0;
            if(_S34 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_0 = (k0_0 + k_1) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_0 = false;
            }
            float v_3;
            if(inside_0)
            {
                v_3 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S34) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_1) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_3 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_1 * 132U + r_0] = v_3;
            bool b_by_k_0 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_0;
            if(b_by_k_0)
            {
                col_0 = _S22 / 16U;
            }
            else
            {
                col_0 = _S22 % 128U;
            }
            uint kb_0;
            if(b_by_k_0)
            {
                kb_0 = _S33;
            }
            else
            {
                kb_0 = _S22 / 128U;
            }
            uint _S35 = _S31 + col_0;
            if(_S35 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_0 = (k0_0 + kb_0) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_0 = false;
            }
            float w_0;
            if(b_inside_0)
            {
                w_0 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_0) * (&entryPointParams_1->p_0)->b_row_0 + int(_S35) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_0 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_0 * 132U + col_0] = w_0;
            uint at_1 = 256U + _S22;
            bool a_by_k_1 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_1;
            if(a_by_k_1)
            {
                r_1 = at_1 / 16U;
            }
            else
            {
                r_1 = at_1 % 128U;
            }
            uint k_2;
            if(a_by_k_1)
            {
                k_2 = at_1 % 16U;
            }
            else
            {
                k_2 = at_1 / 128U;
            }
            uint _S36 = _S29 + r_1;
            if(_S36 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_1 = (k0_0 + k_2) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_1 = false;
            }
            float v_4;
            if(inside_1)
            {
                v_4 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S36) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_2) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_4 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_2 * 132U + r_1] = v_4;
            bool b_by_k_1 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_1;
            if(b_by_k_1)
            {
                col_1 = at_1 / 16U;
            }
            else
            {
                col_1 = at_1 % 128U;
            }
            uint kb_1;
            if(b_by_k_1)
            {
                kb_1 = at_1 % 16U;
            }
            else
            {
                kb_1 = at_1 / 128U;
            }
            uint _S37 = _S31 + col_1;
            if(_S37 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_1 = (k0_0 + kb_1) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_1 = false;
            }
            float w_1;
            if(b_inside_1)
            {
                w_1 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_1) * (&entryPointParams_1->p_0)->b_row_0 + int(_S37) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_1 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_1 * 132U + col_1] = w_1;
            uint at_2 = 512U + _S22;
            bool a_by_k_2 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_2;
            if(a_by_k_2)
            {
                r_2 = at_2 / 16U;
            }
            else
            {
                r_2 = at_2 % 128U;
            }
            uint k_3;
            if(a_by_k_2)
            {
                k_3 = at_2 % 16U;
            }
            else
            {
                k_3 = at_2 / 128U;
            }
            uint _S38 = _S29 + r_2;
            if(_S38 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_2 = (k0_0 + k_3) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_2 = false;
            }
            float v_5;
            if(inside_2)
            {
                v_5 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S38) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_3) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_5 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_3 * 132U + r_2] = v_5;
            bool b_by_k_2 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_2;
            if(b_by_k_2)
            {
                col_2 = at_2 / 16U;
            }
            else
            {
                col_2 = at_2 % 128U;
            }
            uint kb_2;
            if(b_by_k_2)
            {
                kb_2 = at_2 % 16U;
            }
            else
            {
                kb_2 = at_2 / 128U;
            }
            uint _S39 = _S31 + col_2;
            if(_S39 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_2 = (k0_0 + kb_2) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_2 = false;
            }
            float w_2;
            if(b_inside_2)
            {
                w_2 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_2) * (&entryPointParams_1->p_0)->b_row_0 + int(_S39) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_2 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_2 * 132U + col_2] = w_2;
            uint at_3 = 768U + _S22;
            bool a_by_k_3 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_3;
            if(a_by_k_3)
            {
                r_3 = at_3 / 16U;
            }
            else
            {
                r_3 = at_3 % 128U;
            }
            uint k_4;
            if(a_by_k_3)
            {
                k_4 = at_3 % 16U;
            }
            else
            {
                k_4 = at_3 / 128U;
            }
            uint _S40 = _S29 + r_3;
            if(_S40 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_3 = (k0_0 + k_4) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_3 = false;
            }
            float v_6;
            if(inside_3)
            {
                v_6 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S40) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_4) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_6 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_4 * 132U + r_3] = v_6;
            bool b_by_k_3 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_3;
            if(b_by_k_3)
            {
                col_3 = at_3 / 16U;
            }
            else
            {
                col_3 = at_3 % 128U;
            }
            uint kb_3;
            if(b_by_k_3)
            {
                kb_3 = at_3 % 16U;
            }
            else
            {
                kb_3 = at_3 / 128U;
            }
            uint _S41 = _S31 + col_3;
            if(_S41 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_3 = (k0_0 + kb_3) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_3 = false;
            }
            float w_3;
            if(b_inside_3)
            {
                w_3 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_3) * (&entryPointParams_1->p_0)->b_row_0 + int(_S41) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_3 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_3 * 132U + col_3] = w_3;
            uint at_4 = 1024U + _S22;
            bool a_by_k_4 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_4;
            if(a_by_k_4)
            {
                r_4 = at_4 / 16U;
            }
            else
            {
                r_4 = at_4 % 128U;
            }
            uint k_5;
            if(a_by_k_4)
            {
                k_5 = at_4 % 16U;
            }
            else
            {
                k_5 = at_4 / 128U;
            }
            uint _S42 = _S29 + r_4;
            if(_S42 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_4 = (k0_0 + k_5) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_4 = false;
            }
            float v_7;
            if(inside_4)
            {
                v_7 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S42) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_5) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_7 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_5 * 132U + r_4] = v_7;
            bool b_by_k_4 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_4;
            if(b_by_k_4)
            {
                col_4 = at_4 / 16U;
            }
            else
            {
                col_4 = at_4 % 128U;
            }
            uint kb_4;
            if(b_by_k_4)
            {
                kb_4 = at_4 % 16U;
            }
            else
            {
                kb_4 = at_4 / 128U;
            }
            uint _S43 = _S31 + col_4;
            if(_S43 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_4 = (k0_0 + kb_4) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_4 = false;
            }
            float w_4;
            if(b_inside_4)
            {
                w_4 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_4) * (&entryPointParams_1->p_0)->b_row_0 + int(_S43) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_4 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_4 * 132U + col_4] = w_4;
            uint at_5 = 1280U + _S22;
            bool a_by_k_5 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_5;
            if(a_by_k_5)
            {
                r_5 = at_5 / 16U;
            }
            else
            {
                r_5 = at_5 % 128U;
            }
            uint k_6;
            if(a_by_k_5)
            {
                k_6 = at_5 % 16U;
            }
            else
            {
                k_6 = at_5 / 128U;
            }
            uint _S44 = _S29 + r_5;
            if(_S44 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_5 = (k0_0 + k_6) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_5 = false;
            }
            float v_8;
            if(inside_5)
            {
                v_8 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S44) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_6) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_8 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_6 * 132U + r_5] = v_8;
            bool b_by_k_5 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_5;
            if(b_by_k_5)
            {
                col_5 = at_5 / 16U;
            }
            else
            {
                col_5 = at_5 % 128U;
            }
            uint kb_5;
            if(b_by_k_5)
            {
                kb_5 = at_5 % 16U;
            }
            else
            {
                kb_5 = at_5 / 128U;
            }
            uint _S45 = _S31 + col_5;
            if(_S45 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_5 = (k0_0 + kb_5) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_5 = false;
            }
            float w_5;
            if(b_inside_5)
            {
                w_5 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_5) * (&entryPointParams_1->p_0)->b_row_0 + int(_S45) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_5 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_5 * 132U + col_5] = w_5;
            uint at_6 = 1536U + _S22;
            bool a_by_k_6 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_6;
            if(a_by_k_6)
            {
                r_6 = at_6 / 16U;
            }
            else
            {
                r_6 = at_6 % 128U;
            }
            uint k_7;
            if(a_by_k_6)
            {
                k_7 = at_6 % 16U;
            }
            else
            {
                k_7 = at_6 / 128U;
            }
            uint _S46 = _S29 + r_6;
            if(_S46 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_6 = (k0_0 + k_7) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_6 = false;
            }
            float v_9;
            if(inside_6)
            {
                v_9 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S46) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_7) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_9 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_7 * 132U + r_6] = v_9;
            bool b_by_k_6 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_6;
            if(b_by_k_6)
            {
                col_6 = at_6 / 16U;
            }
            else
            {
                col_6 = at_6 % 128U;
            }
            uint kb_6;
            if(b_by_k_6)
            {
                kb_6 = at_6 % 16U;
            }
            else
            {
                kb_6 = at_6 / 128U;
            }
            uint _S47 = _S31 + col_6;
            if(_S47 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_6 = (k0_0 + kb_6) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_6 = false;
            }
            float w_6;
            if(b_inside_6)
            {
                w_6 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_6) * (&entryPointParams_1->p_0)->b_row_0 + int(_S47) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_6 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_6 * 132U + col_6] = w_6;
            uint at_7 = 1792U + _S22;
            bool a_by_k_7 = ((&entryPointParams_1->p_0)->a_col_0) == int(1);
            uint r_7;
            if(a_by_k_7)
            {
                r_7 = at_7 / 16U;
            }
            else
            {
                r_7 = at_7 % 128U;
            }
            uint k_8;
            if(a_by_k_7)
            {
                k_8 = at_7 % 16U;
            }
            else
            {
                k_8 = at_7 / 128U;
            }
            uint _S48 = _S29 + r_7;
            if(_S48 < ((&entryPointParams_1->p_0)->m_0))
            {
                inside_7 = (k0_0 + k_8) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                inside_7 = false;
            }
            float v_10;
            if(inside_7)
            {
                v_10 = (&kernelContext_2)->entryPointParams_a_0[_S27.a_0 + uint(int(_S48) * (&entryPointParams_1->p_0)->a_row_0 + int(k0_0 + k_8) * (&entryPointParams_1->p_0)->a_col_0)];
            }
            else
            {
                v_10 = 0.0f;
            }
            (*(&kernelContext_2)->a_tile_0)[k_8 * 132U + r_7] = v_10;
            bool b_by_k_7 = ((&entryPointParams_1->p_0)->b_row_0) == int(1);
            uint col_7;
            if(b_by_k_7)
            {
                col_7 = at_7 / 16U;
            }
            else
            {
                col_7 = at_7 % 128U;
            }
            uint kb_7;
            if(b_by_k_7)
            {
                kb_7 = at_7 % 16U;
            }
            else
            {
                kb_7 = at_7 / 128U;
            }
            uint _S49 = _S31 + col_7;
            if(_S49 < ((&entryPointParams_1->p_0)->n_0))
            {
                b_inside_7 = (k0_0 + kb_7) < ((&entryPointParams_1->p_0)->k_0);
            }
            else
            {
                b_inside_7 = false;
            }
            float w_7;
            if(b_inside_7)
            {
                w_7 = (&kernelContext_2)->entryPointParams_b_0[_S27.b_0 + uint(int(k0_0 + kb_7) * (&entryPointParams_1->p_0)->b_row_0 + int(_S49) * (&entryPointParams_1->p_0)->b_col_0)];
            }
            else
            {
                w_7 = 0.0f;
            }
            (*(&kernelContext_2)->b_tile_0)[kb_7 * 132U + col_7] = w_7;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _S50 = min(16U, (&entryPointParams_1->p_0)->k_0 - k0_0);
            uint k_9 = 0U;
            for(;;)
            {
                if(k_9 < _S50)
                {
                }
                else
                {
                    break;
                }
                thread array<float, int(8)> x_4;
                thread array<float, int(8)> y_0;
                uint _S51 = k_9 * 132U;
                uint _S52 = _S32 * 4U;
                uint _S53 = _S51 + _S52;
                float _S54 = (*(&kernelContext_2)->a_tile_0)[_S53];
                x_4[0U] = (*(&kernelContext_2)->a_tile_0)[_S53];
                float _S55 = (*(&kernelContext_2)->a_tile_0)[_S53 + 1U];
                x_4[1U] = (*(&kernelContext_2)->a_tile_0)[_S53 + 1U];
                float _S56 = (*(&kernelContext_2)->a_tile_0)[_S53 + 2U];
                x_4[2U] = (*(&kernelContext_2)->a_tile_0)[_S53 + 2U];
                float _S57 = (*(&kernelContext_2)->a_tile_0)[_S53 + 3U];
                x_4[3U] = (*(&kernelContext_2)->a_tile_0)[_S53 + 3U];
                uint _S58 = _S51 + 64U;
                uint _S59 = _S58 + _S52;
                float _S60 = (*(&kernelContext_2)->a_tile_0)[_S59];
                x_4[4U] = (*(&kernelContext_2)->a_tile_0)[_S59];
                float _S61 = (*(&kernelContext_2)->a_tile_0)[_S59 + 1U];
                x_4[5U] = (*(&kernelContext_2)->a_tile_0)[_S59 + 1U];
                float _S62 = (*(&kernelContext_2)->a_tile_0)[_S59 + 2U];
                x_4[6U] = (*(&kernelContext_2)->a_tile_0)[_S59 + 2U];
                float _S63 = (*(&kernelContext_2)->a_tile_0)[_S59 + 3U];
                x_4[7U] = (*(&kernelContext_2)->a_tile_0)[_S59 + 3U];
                uint _S64 = _S33 * 4U;
                uint _S65 = _S51 + _S64;
                float _S66 = (*(&kernelContext_2)->b_tile_0)[_S65];
                y_0[0U] = (*(&kernelContext_2)->b_tile_0)[_S65];
                float _S67 = (*(&kernelContext_2)->b_tile_0)[_S65 + 1U];
                y_0[1U] = (*(&kernelContext_2)->b_tile_0)[_S65 + 1U];
                float _S68 = (*(&kernelContext_2)->b_tile_0)[_S65 + 2U];
                y_0[2U] = (*(&kernelContext_2)->b_tile_0)[_S65 + 2U];
                float _S69 = (*(&kernelContext_2)->b_tile_0)[_S65 + 3U];
                y_0[3U] = (*(&kernelContext_2)->b_tile_0)[_S65 + 3U];
                uint _S70 = _S58 + _S64;
                float _S71 = (*(&kernelContext_2)->b_tile_0)[_S70];
                y_0[4U] = (*(&kernelContext_2)->b_tile_0)[_S70];
                float _S72 = (*(&kernelContext_2)->b_tile_0)[_S70 + 1U];
                y_0[5U] = (*(&kernelContext_2)->b_tile_0)[_S70 + 1U];
                float _S73 = (*(&kernelContext_2)->b_tile_0)[_S70 + 2U];
                y_0[6U] = (*(&kernelContext_2)->b_tile_0)[_S70 + 2U];
                float _S74 = (*(&kernelContext_2)->b_tile_0)[_S70 + 3U];
                y_0[7U] = (*(&kernelContext_2)->b_tile_0)[_S70 + 3U];
                sum_0[0U][0U] = fma(_S54, _S66, sum_0[0U][0U]);
                sum_0[0U][1U] = fma(_S54, _S67, sum_0[0U][1U]);
                sum_0[0U][2U] = fma(_S54, _S68, sum_0[0U][2U]);
                sum_0[0U][3U] = fma(_S54, _S69, sum_0[0U][3U]);
                sum_0[0U][4U] = fma(_S54, _S71, sum_0[0U][4U]);
                sum_0[0U][5U] = fma(_S54, _S72, sum_0[0U][5U]);
                sum_0[0U][6U] = fma(_S54, _S73, sum_0[0U][6U]);
                sum_0[0U][7U] = fma(_S54, _S74, sum_0[0U][7U]);
                sum_0[1U][0U] = fma(_S55, _S66, sum_0[1U][0U]);
                sum_0[1U][1U] = fma(_S55, _S67, sum_0[1U][1U]);
                sum_0[1U][2U] = fma(_S55, _S68, sum_0[1U][2U]);
                sum_0[1U][3U] = fma(_S55, _S69, sum_0[1U][3U]);
                sum_0[1U][4U] = fma(_S55, _S71, sum_0[1U][4U]);
                sum_0[1U][5U] = fma(_S55, _S72, sum_0[1U][5U]);
                sum_0[1U][6U] = fma(_S55, _S73, sum_0[1U][6U]);
                sum_0[1U][7U] = fma(_S55, _S74, sum_0[1U][7U]);
                sum_0[2U][0U] = fma(_S56, _S66, sum_0[2U][0U]);
                sum_0[2U][1U] = fma(_S56, _S67, sum_0[2U][1U]);
                sum_0[2U][2U] = fma(_S56, _S68, sum_0[2U][2U]);
                sum_0[2U][3U] = fma(_S56, _S69, sum_0[2U][3U]);
                sum_0[2U][4U] = fma(_S56, _S71, sum_0[2U][4U]);
                sum_0[2U][5U] = fma(_S56, _S72, sum_0[2U][5U]);
                sum_0[2U][6U] = fma(_S56, _S73, sum_0[2U][6U]);
                sum_0[2U][7U] = fma(_S56, _S74, sum_0[2U][7U]);
                sum_0[3U][0U] = fma(_S57, _S66, sum_0[3U][0U]);
                sum_0[3U][1U] = fma(_S57, _S67, sum_0[3U][1U]);
                sum_0[3U][2U] = fma(_S57, _S68, sum_0[3U][2U]);
                sum_0[3U][3U] = fma(_S57, _S69, sum_0[3U][3U]);
                sum_0[3U][4U] = fma(_S57, _S71, sum_0[3U][4U]);
                sum_0[3U][5U] = fma(_S57, _S72, sum_0[3U][5U]);
                sum_0[3U][6U] = fma(_S57, _S73, sum_0[3U][6U]);
                sum_0[3U][7U] = fma(_S57, _S74, sum_0[3U][7U]);
                sum_0[4U][0U] = fma(_S60, _S66, sum_0[4U][0U]);
                sum_0[4U][1U] = fma(_S60, _S67, sum_0[4U][1U]);
                sum_0[4U][2U] = fma(_S60, _S68, sum_0[4U][2U]);
                sum_0[4U][3U] = fma(_S60, _S69, sum_0[4U][3U]);
                sum_0[4U][4U] = fma(_S60, _S71, sum_0[4U][4U]);
                sum_0[4U][5U] = fma(_S60, _S72, sum_0[4U][5U]);
                sum_0[4U][6U] = fma(_S60, _S73, sum_0[4U][6U]);
                sum_0[4U][7U] = fma(_S60, _S74, sum_0[4U][7U]);
                sum_0[5U][0U] = fma(_S61, _S66, sum_0[5U][0U]);
                sum_0[5U][1U] = fma(_S61, _S67, sum_0[5U][1U]);
                sum_0[5U][2U] = fma(_S61, _S68, sum_0[5U][2U]);
                sum_0[5U][3U] = fma(_S61, _S69, sum_0[5U][3U]);
                sum_0[5U][4U] = fma(_S61, _S71, sum_0[5U][4U]);
                sum_0[5U][5U] = fma(_S61, _S72, sum_0[5U][5U]);
                sum_0[5U][6U] = fma(_S61, _S73, sum_0[5U][6U]);
                sum_0[5U][7U] = fma(_S61, _S74, sum_0[5U][7U]);
                sum_0[6U][0U] = fma(_S62, _S66, sum_0[6U][0U]);
                sum_0[6U][1U] = fma(_S62, _S67, sum_0[6U][1U]);
                sum_0[6U][2U] = fma(_S62, _S68, sum_0[6U][2U]);
                sum_0[6U][3U] = fma(_S62, _S69, sum_0[6U][3U]);
                sum_0[6U][4U] = fma(_S62, _S71, sum_0[6U][4U]);
                sum_0[6U][5U] = fma(_S62, _S72, sum_0[6U][5U]);
                sum_0[6U][6U] = fma(_S62, _S73, sum_0[6U][6U]);
                sum_0[6U][7U] = fma(_S62, _S74, sum_0[6U][7U]);
                sum_0[7U][0U] = fma(_S63, _S66, sum_0[7U][0U]);
                sum_0[7U][1U] = fma(_S63, _S67, sum_0[7U][1U]);
                sum_0[7U][2U] = fma(_S63, _S68, sum_0[7U][2U]);
                sum_0[7U][3U] = fma(_S63, _S69, sum_0[7U][3U]);
                sum_0[7U][4U] = fma(_S63, _S71, sum_0[7U][4U]);
                sum_0[7U][5U] = fma(_S63, _S72, sum_0[7U][5U]);
                sum_0[7U][6U] = fma(_S63, _S73, sum_0[7U][6U]);
                sum_0[7U][7U] = fma(_S63, _S74, sum_0[7U][7U]);
                k_9 = k_9 + 1U;
            }
            k0_0 = k0_0 + 16U;
        }
        uint _S75 = _S32 * 4U;
        uint _S76 = _S29 + _S75;
        uint _S77 = _S33 * 4U;
        uint _S78 = _S31 + _S77;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_0 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_0 = false;
        }
        if(inside_0)
        {
            thread Place_0 _S79 = _S27;
            finish_0(&_S79, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, _S78, sum_0[0U][0U], &kernelContext_2);
        }
        uint col_8 = _S78 + 1U;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_0 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_0 = false;
        }
        if(b_inside_0)
        {
            thread Place_0 _S80 = _S27;
            finish_0(&_S80, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, col_8, sum_0[0U][1U], &kernelContext_2);
        }
        uint col_9 = _S78 + 2U;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_1 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_1 = false;
        }
        if(inside_1)
        {
            thread Place_0 _S81 = _S27;
            finish_0(&_S81, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, col_9, sum_0[0U][2U], &kernelContext_2);
        }
        uint col_10 = _S78 + 3U;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_1 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_1 = false;
        }
        if(b_inside_1)
        {
            thread Place_0 _S82 = _S27;
            finish_0(&_S82, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, col_10, sum_0[0U][3U], &kernelContext_2);
        }
        uint _S83 = _S31 + 64U + _S77;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_2 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_2 = false;
        }
        if(inside_2)
        {
            thread Place_0 _S84 = _S27;
            finish_0(&_S84, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, _S83, sum_0[0U][4U], &kernelContext_2);
        }
        uint col_11 = _S83 + 1U;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_2 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_2 = false;
        }
        if(b_inside_2)
        {
            thread Place_0 _S85 = _S27;
            finish_0(&_S85, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, col_11, sum_0[0U][5U], &kernelContext_2);
        }
        uint col_12 = _S83 + 2U;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_3 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_3 = false;
        }
        if(inside_3)
        {
            thread Place_0 _S86 = _S27;
            finish_0(&_S86, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, col_12, sum_0[0U][6U], &kernelContext_2);
        }
        uint col_13 = _S83 + 3U;
        if(_S76 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_3 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_3 = false;
        }
        if(b_inside_3)
        {
            thread Place_0 _S87 = _S27;
            finish_0(&_S87, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S76, col_13, sum_0[0U][7U], &kernelContext_2);
        }
        uint row_0 = _S76 + 1U;
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_4 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_4 = false;
        }
        if(inside_4)
        {
            thread Place_0 _S88 = _S27;
            finish_0(&_S88, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, _S78, sum_0[1U][0U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_4 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_4 = false;
        }
        if(b_inside_4)
        {
            thread Place_0 _S89 = _S27;
            finish_0(&_S89, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, col_8, sum_0[1U][1U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_5 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_5 = false;
        }
        if(inside_5)
        {
            thread Place_0 _S90 = _S27;
            finish_0(&_S90, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, col_9, sum_0[1U][2U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_5 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_5 = false;
        }
        if(b_inside_5)
        {
            thread Place_0 _S91 = _S27;
            finish_0(&_S91, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, col_10, sum_0[1U][3U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_6 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_6 = false;
        }
        if(inside_6)
        {
            thread Place_0 _S92 = _S27;
            finish_0(&_S92, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, _S83, sum_0[1U][4U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_6 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_6 = false;
        }
        if(b_inside_6)
        {
            thread Place_0 _S93 = _S27;
            finish_0(&_S93, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, col_11, sum_0[1U][5U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            inside_7 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            inside_7 = false;
        }
        if(inside_7)
        {
            thread Place_0 _S94 = _S27;
            finish_0(&_S94, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, col_12, sum_0[1U][6U], &kernelContext_2);
        }
        if(row_0 < ((&entryPointParams_1->p_0)->m_0))
        {
            b_inside_7 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            b_inside_7 = false;
        }
        if(b_inside_7)
        {
            thread Place_0 _S95 = _S27;
            finish_0(&_S95, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_0, col_13, sum_0[1U][7U], &kernelContext_2);
        }
        uint row_1 = _S76 + 2U;
        bool _S96;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S96 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S96 = false;
        }
        if(_S96)
        {
            thread Place_0 _S97 = _S27;
            finish_0(&_S97, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, _S78, sum_0[2U][0U], &kernelContext_2);
        }
        bool _S98;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S98 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S98 = false;
        }
        if(_S98)
        {
            thread Place_0 _S99 = _S27;
            finish_0(&_S99, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, col_8, sum_0[2U][1U], &kernelContext_2);
        }
        bool _S100;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S100 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S100 = false;
        }
        if(_S100)
        {
            thread Place_0 _S101 = _S27;
            finish_0(&_S101, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, col_9, sum_0[2U][2U], &kernelContext_2);
        }
        bool _S102;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S102 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S102 = false;
        }
        if(_S102)
        {
            thread Place_0 _S103 = _S27;
            finish_0(&_S103, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, col_10, sum_0[2U][3U], &kernelContext_2);
        }
        bool _S104;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S104 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S104 = false;
        }
        if(_S104)
        {
            thread Place_0 _S105 = _S27;
            finish_0(&_S105, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, _S83, sum_0[2U][4U], &kernelContext_2);
        }
        bool _S106;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S106 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S106 = false;
        }
        if(_S106)
        {
            thread Place_0 _S107 = _S27;
            finish_0(&_S107, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, col_11, sum_0[2U][5U], &kernelContext_2);
        }
        bool _S108;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S108 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S108 = false;
        }
        if(_S108)
        {
            thread Place_0 _S109 = _S27;
            finish_0(&_S109, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, col_12, sum_0[2U][6U], &kernelContext_2);
        }
        bool _S110;
        if(row_1 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S110 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S110 = false;
        }
        if(_S110)
        {
            thread Place_0 _S111 = _S27;
            finish_0(&_S111, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_1, col_13, sum_0[2U][7U], &kernelContext_2);
        }
        uint row_2 = _S76 + 3U;
        bool _S112;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S112 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S112 = false;
        }
        if(_S112)
        {
            thread Place_0 _S113 = _S27;
            finish_0(&_S113, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, _S78, sum_0[3U][0U], &kernelContext_2);
        }
        bool _S114;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S114 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S114 = false;
        }
        if(_S114)
        {
            thread Place_0 _S115 = _S27;
            finish_0(&_S115, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, col_8, sum_0[3U][1U], &kernelContext_2);
        }
        bool _S116;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S116 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S116 = false;
        }
        if(_S116)
        {
            thread Place_0 _S117 = _S27;
            finish_0(&_S117, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, col_9, sum_0[3U][2U], &kernelContext_2);
        }
        bool _S118;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S118 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S118 = false;
        }
        if(_S118)
        {
            thread Place_0 _S119 = _S27;
            finish_0(&_S119, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, col_10, sum_0[3U][3U], &kernelContext_2);
        }
        bool _S120;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S120 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S120 = false;
        }
        if(_S120)
        {
            thread Place_0 _S121 = _S27;
            finish_0(&_S121, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, _S83, sum_0[3U][4U], &kernelContext_2);
        }
        bool _S122;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S122 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S122 = false;
        }
        if(_S122)
        {
            thread Place_0 _S123 = _S27;
            finish_0(&_S123, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, col_11, sum_0[3U][5U], &kernelContext_2);
        }
        bool _S124;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S124 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S124 = false;
        }
        if(_S124)
        {
            thread Place_0 _S125 = _S27;
            finish_0(&_S125, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, col_12, sum_0[3U][6U], &kernelContext_2);
        }
        bool _S126;
        if(row_2 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S126 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S126 = false;
        }
        if(_S126)
        {
            thread Place_0 _S127 = _S27;
            finish_0(&_S127, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_2, col_13, sum_0[3U][7U], &kernelContext_2);
        }
        uint _S128 = _S29 + 64U + _S75;
        bool _S129;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S129 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S129 = false;
        }
        if(_S129)
        {
            thread Place_0 _S130 = _S27;
            finish_0(&_S130, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, _S78, sum_0[4U][0U], &kernelContext_2);
        }
        bool _S131;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S131 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S131 = false;
        }
        if(_S131)
        {
            thread Place_0 _S132 = _S27;
            finish_0(&_S132, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, col_8, sum_0[4U][1U], &kernelContext_2);
        }
        bool _S133;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S133 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S133 = false;
        }
        if(_S133)
        {
            thread Place_0 _S134 = _S27;
            finish_0(&_S134, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, col_9, sum_0[4U][2U], &kernelContext_2);
        }
        bool _S135;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S135 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S135 = false;
        }
        if(_S135)
        {
            thread Place_0 _S136 = _S27;
            finish_0(&_S136, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, col_10, sum_0[4U][3U], &kernelContext_2);
        }
        bool _S137;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S137 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S137 = false;
        }
        if(_S137)
        {
            thread Place_0 _S138 = _S27;
            finish_0(&_S138, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, _S83, sum_0[4U][4U], &kernelContext_2);
        }
        bool _S139;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S139 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S139 = false;
        }
        if(_S139)
        {
            thread Place_0 _S140 = _S27;
            finish_0(&_S140, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, col_11, sum_0[4U][5U], &kernelContext_2);
        }
        bool _S141;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S141 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S141 = false;
        }
        if(_S141)
        {
            thread Place_0 _S142 = _S27;
            finish_0(&_S142, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, col_12, sum_0[4U][6U], &kernelContext_2);
        }
        bool _S143;
        if(_S128 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S143 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S143 = false;
        }
        if(_S143)
        {
            thread Place_0 _S144 = _S27;
            finish_0(&_S144, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, _S128, col_13, sum_0[4U][7U], &kernelContext_2);
        }
        uint row_3 = _S128 + 1U;
        bool _S145;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S145 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S145 = false;
        }
        if(_S145)
        {
            thread Place_0 _S146 = _S27;
            finish_0(&_S146, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, _S78, sum_0[5U][0U], &kernelContext_2);
        }
        bool _S147;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S147 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S147 = false;
        }
        if(_S147)
        {
            thread Place_0 _S148 = _S27;
            finish_0(&_S148, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, col_8, sum_0[5U][1U], &kernelContext_2);
        }
        bool _S149;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S149 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S149 = false;
        }
        if(_S149)
        {
            thread Place_0 _S150 = _S27;
            finish_0(&_S150, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, col_9, sum_0[5U][2U], &kernelContext_2);
        }
        bool _S151;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S151 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S151 = false;
        }
        if(_S151)
        {
            thread Place_0 _S152 = _S27;
            finish_0(&_S152, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, col_10, sum_0[5U][3U], &kernelContext_2);
        }
        bool _S153;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S153 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S153 = false;
        }
        if(_S153)
        {
            thread Place_0 _S154 = _S27;
            finish_0(&_S154, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, _S83, sum_0[5U][4U], &kernelContext_2);
        }
        bool _S155;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S155 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S155 = false;
        }
        if(_S155)
        {
            thread Place_0 _S156 = _S27;
            finish_0(&_S156, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, col_11, sum_0[5U][5U], &kernelContext_2);
        }
        bool _S157;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S157 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S157 = false;
        }
        if(_S157)
        {
            thread Place_0 _S158 = _S27;
            finish_0(&_S158, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, col_12, sum_0[5U][6U], &kernelContext_2);
        }
        bool _S159;
        if(row_3 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S159 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S159 = false;
        }
        if(_S159)
        {
            thread Place_0 _S160 = _S27;
            finish_0(&_S160, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_3, col_13, sum_0[5U][7U], &kernelContext_2);
        }
        uint row_4 = _S128 + 2U;
        bool _S161;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S161 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S161 = false;
        }
        if(_S161)
        {
            thread Place_0 _S162 = _S27;
            finish_0(&_S162, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, _S78, sum_0[6U][0U], &kernelContext_2);
        }
        bool _S163;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S163 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S163 = false;
        }
        if(_S163)
        {
            thread Place_0 _S164 = _S27;
            finish_0(&_S164, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, col_8, sum_0[6U][1U], &kernelContext_2);
        }
        bool _S165;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S165 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S165 = false;
        }
        if(_S165)
        {
            thread Place_0 _S166 = _S27;
            finish_0(&_S166, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, col_9, sum_0[6U][2U], &kernelContext_2);
        }
        bool _S167;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S167 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S167 = false;
        }
        if(_S167)
        {
            thread Place_0 _S168 = _S27;
            finish_0(&_S168, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, col_10, sum_0[6U][3U], &kernelContext_2);
        }
        bool _S169;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S169 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S169 = false;
        }
        if(_S169)
        {
            thread Place_0 _S170 = _S27;
            finish_0(&_S170, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, _S83, sum_0[6U][4U], &kernelContext_2);
        }
        bool _S171;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S171 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S171 = false;
        }
        if(_S171)
        {
            thread Place_0 _S172 = _S27;
            finish_0(&_S172, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, col_11, sum_0[6U][5U], &kernelContext_2);
        }
        bool _S173;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S173 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S173 = false;
        }
        if(_S173)
        {
            thread Place_0 _S174 = _S27;
            finish_0(&_S174, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, col_12, sum_0[6U][6U], &kernelContext_2);
        }
        bool _S175;
        if(row_4 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S175 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S175 = false;
        }
        if(_S175)
        {
            thread Place_0 _S176 = _S27;
            finish_0(&_S176, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_4, col_13, sum_0[6U][7U], &kernelContext_2);
        }
        uint row_5 = _S128 + 3U;
        bool _S177;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S177 = _S78 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S177 = false;
        }
        if(_S177)
        {
            thread Place_0 _S178 = _S27;
            finish_0(&_S178, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, _S78, sum_0[7U][0U], &kernelContext_2);
        }
        bool _S179;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S179 = col_8 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S179 = false;
        }
        if(_S179)
        {
            thread Place_0 _S180 = _S27;
            finish_0(&_S180, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, col_8, sum_0[7U][1U], &kernelContext_2);
        }
        bool _S181;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S181 = col_9 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S181 = false;
        }
        if(_S181)
        {
            thread Place_0 _S182 = _S27;
            finish_0(&_S182, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, col_9, sum_0[7U][2U], &kernelContext_2);
        }
        bool _S183;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S183 = col_10 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S183 = false;
        }
        if(_S183)
        {
            thread Place_0 _S184 = _S27;
            finish_0(&_S184, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, col_10, sum_0[7U][3U], &kernelContext_2);
        }
        bool _S185;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S185 = _S83 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S185 = false;
        }
        if(_S185)
        {
            thread Place_0 _S186 = _S27;
            finish_0(&_S186, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, _S83, sum_0[7U][4U], &kernelContext_2);
        }
        bool _S187;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S187 = col_11 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S187 = false;
        }
        if(_S187)
        {
            thread Place_0 _S188 = _S27;
            finish_0(&_S188, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, col_11, sum_0[7U][5U], &kernelContext_2);
        }
        bool _S189;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S189 = col_12 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S189 = false;
        }
        if(_S189)
        {
            thread Place_0 _S190 = _S27;
            finish_0(&_S190, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, col_12, sum_0[7U][6U], &kernelContext_2);
        }
        bool _S191;
        if(row_5 < ((&entryPointParams_1->p_0)->m_0))
        {
            _S191 = col_13 < ((&entryPointParams_1->p_0)->n_0);
        }
        else
        {
            _S191 = false;
        }
        if(_S191)
        {
            thread Place_0 _S192 = _S27;
            finish_0(&_S192, (&kernelContext_2)->entryPointParams_c_0, (&kernelContext_2)->entryPointParams_bias_0, row_5, col_13, sum_0[7U][7U], &kernelContext_2);
        }
        job_0 = job_0 + (&entryPointParams_1->p_0)->groups_0;
    }
    return;
}


#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
void listed_0(const array<array<float, int(4)>, int(4)> thread* sum_0, array<float, int(16)> thread* list_0)
{
    (*list_0)[int(0)] = (*sum_0)[int(0)][int(0)];
    (*list_0)[int(1)] = (*sum_0)[int(0)][int(1)];
    (*list_0)[int(2)] = (*sum_0)[int(0)][int(2)];
    (*list_0)[int(3)] = (*sum_0)[int(0)][int(3)];
    (*list_0)[int(4)] = (*sum_0)[int(1)][int(0)];
    (*list_0)[int(5)] = (*sum_0)[int(1)][int(1)];
    (*list_0)[int(6)] = (*sum_0)[int(1)][int(2)];
    (*list_0)[int(7)] = (*sum_0)[int(1)][int(3)];
    (*list_0)[int(8)] = (*sum_0)[int(2)][int(0)];
    (*list_0)[int(9)] = (*sum_0)[int(2)][int(1)];
    (*list_0)[int(10)] = (*sum_0)[int(2)][int(2)];
    (*list_0)[int(11)] = (*sum_0)[int(2)][int(3)];
    (*list_0)[int(12)] = (*sum_0)[int(3)][int(0)];
    (*list_0)[int(13)] = (*sum_0)[int(3)][int(1)];
    (*list_0)[int(14)] = (*sum_0)[int(3)][int(2)];
    (*list_0)[int(15)] = (*sum_0)[int(3)][int(3)];
    return;
}

struct Operand_0
{
    uint at_0;
    int next_0;
    int along_0;
    uint count_0;
};

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
    uint epilogue_0;
    uint count_1;
    array<uint, int(3)> sizes_0;
    array<int, int(3)> batch_a_0;
    array<int, int(3)> batch_b_0;
    array<int, int(3)> batch_c_0;
    uint turned_0;
    uint parts_0;
    uint part_0;
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
    array<float, int(1056)> threadgroup* tile_a_0;
    array<float, int(1056)> threadgroup* tile_b_0;
};

uint2 tileSource_0(uint t_0, uint width_0, bool along_1)
{
    uint2 _S1;
    if(along_1)
    {
        _S1 = uint2(t_0 / 8U, t_0 % 8U);
    }
    else
    {
        uint _S2 = t_0 % width_0;
        uint _S3 = t_0 / width_0;
        _S1 = uint2(_S2, _S3);
    }
    return _S1;
}

float tileElement_0(float device* x_0, const Operand_0 thread* o_0, uint2 place_0, uint k0_0, uint k_1)
{
    uint _S4 = place_0.x;
    bool _S5;
    if(_S4 < (o_0->count_0))
    {
        _S5 = (k0_0 + place_0.y) < k_1;
    }
    else
    {
        _S5 = false;
    }
    float v_0;
    if(_S5)
    {
        v_0 = x_0[o_0->at_0 + uint(int(_S4) * o_0->next_0 + int(k0_0 + place_0.y) * o_0->along_0)];
    }
    else
    {
        v_0 = 0.0f;
    }
    return v_0;
}

uint tilePlace_0(uint i_0, uint t_1)
{
    return i_0 / 4U * 64U + t_1 * 4U + i_0 % 4U;
}

void tileSums_0(array<array<float, int(4)>, int(4)> thread* sum_1, float device* a_0, const Operand_0 thread* x_1, float device* b_0, const Operand_0 thread* y_0, uint k_2, uint t_2, KernelContext_0 thread* kernelContext_0)
{
    (*sum_1)[int(0)][int(0)] = 0.0f;
    (*sum_1)[int(0)][int(1)] = 0.0f;
    (*sum_1)[int(0)][int(2)] = 0.0f;
    (*sum_1)[int(0)][int(3)] = 0.0f;
    (*sum_1)[int(1)][int(0)] = 0.0f;
    (*sum_1)[int(1)][int(1)] = 0.0f;
    (*sum_1)[int(1)][int(2)] = 0.0f;
    (*sum_1)[int(1)][int(3)] = 0.0f;
    (*sum_1)[int(2)][int(0)] = 0.0f;
    (*sum_1)[int(2)][int(1)] = 0.0f;
    (*sum_1)[int(2)][int(2)] = 0.0f;
    (*sum_1)[int(2)][int(3)] = 0.0f;
    (*sum_1)[int(3)][int(0)] = 0.0f;
    (*sum_1)[int(3)][int(1)] = 0.0f;
    (*sum_1)[int(3)][int(2)] = 0.0f;
    (*sum_1)[int(3)][int(3)] = 0.0f;
    uint k0_1 = 0U;
    for(;;)
    {
        if(k0_1 < k_2)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        bool _S6 = (x_1->along_0) == int(1);
        uint2 to_0 = tileSource_0(t_2, 64U, _S6);
        float _S7 = tileElement_0(a_0, x_1, to_0, k0_1, k_2);
        (*kernelContext_0->tile_a_0)[to_0.y * 68U + to_0.x] = _S7;
        bool _S8 = (y_0->along_0) == int(1);
        uint2 to_1 = tileSource_0(t_2, 64U, _S8);
        float _S9 = tileElement_0(b_0, y_0, to_1, k0_1, k_2);
        (*kernelContext_0->tile_b_0)[to_1.y * 68U + to_1.x] = _S9;
        uint _S10 = 256U + t_2;
        uint2 to_2 = tileSource_0(_S10, 64U, _S6);
        float _S11 = tileElement_0(a_0, x_1, to_2, k0_1, k_2);
        (*kernelContext_0->tile_a_0)[to_2.y * 68U + to_2.x] = _S11;
        uint2 to_3 = tileSource_0(_S10, 64U, _S8);
        float _S12 = tileElement_0(b_0, y_0, to_3, k0_1, k_2);
        (*kernelContext_0->tile_b_0)[to_3.y * 68U + to_3.x] = _S12;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S13 = min(8U, k_2 - k0_1);
        uint d_0 = 0U;
        for(;;)
        {
            if(d_0 < _S13)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(4)> u_0;
            thread array<float, int(4)> v_1;
            uint _S14 = d_0 * 68U;
            float _S15 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(0U, t_2 / 16U)];
            u_0[int(0)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(0U, t_2 / 16U)];
            float _S16 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(1U, t_2 / 16U)];
            u_0[int(1)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(1U, t_2 / 16U)];
            float _S17 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(2U, t_2 / 16U)];
            u_0[int(2)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(2U, t_2 / 16U)];
            float _S18 = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(3U, t_2 / 16U)];
            u_0[int(3)] = (*kernelContext_0->tile_a_0)[_S14 + tilePlace_0(3U, t_2 / 16U)];
            uint _S19 = t_2 % 16U;
            float _S20 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(0U, _S19)];
            v_1[int(0)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(0U, _S19)];
            float _S21 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(1U, _S19)];
            v_1[int(1)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(1U, _S19)];
            float _S22 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(2U, _S19)];
            v_1[int(2)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(2U, _S19)];
            float _S23 = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(3U, _S19)];
            v_1[int(3)] = (*kernelContext_0->tile_b_0)[_S14 + tilePlace_0(3U, _S19)];
            (*sum_1)[int(0)][int(0)] = fma(_S15, _S20, (*sum_1)[int(0)][int(0)]);
            (*sum_1)[int(0)][int(1)] = fma(_S15, _S21, (*sum_1)[int(0)][int(1)]);
            (*sum_1)[int(0)][int(2)] = fma(_S15, _S22, (*sum_1)[int(0)][int(2)]);
            (*sum_1)[int(0)][int(3)] = fma(_S15, _S23, (*sum_1)[int(0)][int(3)]);
            (*sum_1)[int(1)][int(0)] = fma(_S16, _S20, (*sum_1)[int(1)][int(0)]);
            (*sum_1)[int(1)][int(1)] = fma(_S16, _S21, (*sum_1)[int(1)][int(1)]);
            (*sum_1)[int(1)][int(2)] = fma(_S16, _S22, (*sum_1)[int(1)][int(2)]);
            (*sum_1)[int(1)][int(3)] = fma(_S16, _S23, (*sum_1)[int(1)][int(3)]);
            (*sum_1)[int(2)][int(0)] = fma(_S17, _S20, (*sum_1)[int(2)][int(0)]);
            (*sum_1)[int(2)][int(1)] = fma(_S17, _S21, (*sum_1)[int(2)][int(1)]);
            (*sum_1)[int(2)][int(2)] = fma(_S17, _S22, (*sum_1)[int(2)][int(2)]);
            (*sum_1)[int(2)][int(3)] = fma(_S17, _S23, (*sum_1)[int(2)][int(3)]);
            (*sum_1)[int(3)][int(0)] = fma(_S18, _S20, (*sum_1)[int(3)][int(0)]);
            (*sum_1)[int(3)][int(1)] = fma(_S18, _S21, (*sum_1)[int(3)][int(1)]);
            (*sum_1)[int(3)][int(2)] = fma(_S18, _S22, (*sum_1)[int(3)][int(2)]);
            (*sum_1)[int(3)][int(3)] = fma(_S18, _S23, (*sum_1)[int(3)][int(3)]);
            d_0 = d_0 + 1U;
        }
        k0_1 = k0_1 + 8U;
    }
    return;
}

struct Place_0
{
    uint c_0;
    uint a_1;
    uint b_1;
    uint k_3;
};

Place_0 Place_x24init_0(uint c_1, uint a_2, uint b_2, uint k_4)
{
    thread Place_0 _S24;
    (&_S24)->c_0 = c_1;
    (&_S24)->a_1 = a_2;
    (&_S24)->b_1 = b_2;
    (&_S24)->k_3 = k_4;
    return _S24;
}

Operand_0 Operand_x24init_0(uint at_1, int next_1, int along_2, uint count_2)
{
    thread Operand_0 _S25;
    (&_S25)->at_0 = at_1;
    (&_S25)->next_0 = next_1;
    (&_S25)->along_0 = along_2;
    (&_S25)->count_0 = count_2;
    return _S25;
}

float lostOf_0(float a_3, float b_3, float p_1)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_3))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_3))) & 4294963200U)));
    float a_low_0 = a_3 - a_high_0;
    float b_low_0 = b_3 - b_high_0;
    return a_high_0 * b_high_0 - p_1 + a_high_0 * b_low_0 + a_low_0 * b_high_0 + a_low_0 * b_low_0;
}

float expOfRest_0(float x_2, float n_1)
{
    float r_0 = fma(n_1, 0.00021219444170129f, fma(n_1, -0.693359375f, x_2));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

bool isNaN_0(float x_3)
{
    return ((as_type<uint>((x_3))) & 2147483647U) > 2139095040U;
}

float expOf_0(float x_4)
{
    float limited_0;
    if(x_4 > 89.0f)
    {
        limited_0 = 89.0f;
    }
    else
    {
        if(x_4 < -104.0f)
        {
            limited_0 = -104.0f;
        }
        else
        {
            limited_0 = x_4;
        }
    }
    float rounded_0 = fma(limited_0, 1.4426950216293335f, 1.2583166e+07f);
    uint bits_0 = (as_type<uint>((rounded_0)));
    uint half_0 = bits_0 >> 1U;
    float e_0 = expOfRest_0(limited_0, rounded_0 - 1.2583166e+07f) * (as_type<float>((half_0 << 23U))) * (as_type<float>(((bits_0 - half_0) << 23U)));
    if(isNaN_0(x_4))
    {
        limited_0 = x_4;
    }
    else
    {
        limited_0 = e_0;
    }
    return limited_0;
}

float bell_0(float a_4)
{
    float limited_1;
    if(a_4 > 16.0f)
    {
        limited_1 = 16.0f;
    }
    else
    {
        limited_1 = a_4;
    }
    float square_0 = limited_1 * limited_1;
    float e_1 = expOf_0(-0.5f * square_0);
    return fma(e_1, -0.5f * lostOf_0(limited_1, limited_1, square_0), e_1);
}

float mills_0(float a_5)
{
    float inverse_0 = 1.0f / (a_5 + 5.0f);
    float t_3 = fma(a_5 * inverse_0, 2.0f, -1.0f);
    return inverse_0 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.00040502843330614f, t_3, -0.0009714913321659f), t_3, -0.00296137784607708f), t_3, 0.020876569673419f), t_3, -0.06911593675613403f), t_3, 0.16500671207904816f), t_3, -0.31353393197059631f), t_3, 0.49530637264251709f), t_3, -0.6653825044631958f), t_3, 0.76919305324554443f);
}

float normalCdf_0(float x_5)
{
    float a_6 = abs(x_5);
    float _S26 = bell_0(a_6);
    float _S27;
    if(a_6 > 16.0f)
    {
        _S27 = 16.0f;
    }
    else
    {
        _S27 = a_6;
    }
    float tail_0 = _S26 * mills_0(_S27);
    if(x_5 < 0.0f)
    {
        _S27 = tail_0;
    }
    else
    {
        _S27 = 1.0f - tail_0;
    }
    return _S27;
}

float geluErf_0(float x_6)
{
    float _S28;
    if(x_6 < -16.0f)
    {
        _S28 = 0.0f;
    }
    else
    {
        if(x_6 > 16.0f)
        {
            _S28 = x_6;
        }
        else
        {
            _S28 = x_6 * normalCdf_0(x_6);
        }
    }
    return _S28;
}

float logistic_0(float x_7)
{
    float e_2 = expOf_0(- abs(x_7));
    float _S29;
    if(x_7 < 0.0f)
    {
        _S29 = e_2;
    }
    else
    {
        _S29 = 1.0f;
    }
    return _S29 / (1.0f + e_2);
}

float siluOf_0(float x_8)
{
    float _S30;
    if(x_8 < -100.0f)
    {
        _S30 = 0.0f;
    }
    else
    {
        _S30 = x_8 * logistic_0(x_8);
    }
    return _S30;
}

float closed_0(uint epilogue_1, float v_2)
{
    switch(epilogue_1)
    {
    case 1U:
        {
            float _S31;
            if(v_2 < 0.0f)
            {
                _S31 = 0.0f;
            }
            else
            {
                _S31 = v_2;
            }
            return _S31;
        }
    case 2U:
        {
            return geluErf_0(v_2);
        }
    case 3U:
        {
            return siluOf_0(v_2);
        }
    default:
        {
            return v_2;
        }
    }
}

void close_0(float device* c_2, uint c_at_1, uint ldc_1, float device* bias_0, uint bias_at_1, uint turned_1, float alpha_1, float beta_1, uint epilogue_2, uint row_0, uint col_0, float sum_2)
{
    bool _S32 = turned_1 != 0U;
    uint _S33;
    if(_S32)
    {
        _S33 = col_0 * ldc_1 + row_0;
    }
    else
    {
        _S33 = row_0 * ldc_1 + col_0;
    }
    uint place_1 = c_at_1 + _S33;
    float v_3 = alpha_1 * sum_2;
    float v_4;
    if(beta_1 != 0.0f)
    {
        v_4 = fma(beta_1, *(c_2+place_1), v_3);
    }
    else
    {
        v_4 = v_3;
    }
    if(bias_at_1 != 4294967295U)
    {
        if(_S32)
        {
            _S33 = row_0;
        }
        else
        {
            _S33 = col_0;
        }
        v_4 = v_4 + bias_0[bias_at_1 + _S33];
    }
    *(c_2+place_1) = closed_0(epilogue_2, v_4);
    return;
}

Place_0 placeOf_0(uint _S34, KernelContext_0 thread* kernelContext_1)
{
    uint _S35 = (&kernelContext_1->entryPointParams_0->p_0)->count_1;
    uint _S36 = _S34 % (&kernelContext_1->entryPointParams_0->p_0)->count_1;
    uint _S37 = _S34 / _S35;
    uint _S38 = (&kernelContext_1->entryPointParams_0->p_0)->part_0;
    uint from_0 = _S37 * (&kernelContext_1->entryPointParams_0->p_0)->part_0;
    int _S39 = int(from_0);
    int _S40 = _S39 * (&kernelContext_1->entryPointParams_0->p_0)->a_col_0;
    int _S41 = _S39 * (&kernelContext_1->entryPointParams_0->p_0)->b_row_0;
    uint i_1 = 0U;
    uint rest_0 = _S36;
    int c_3 = int(0);
    int a_7 = _S40;
    int b_4 = _S41;
    for(;;)
    {
        if(i_1 < 3U)
        {
        }
        else
        {
            break;
        }
        array<uint, int(3)> _S42 = (&kernelContext_1->entryPointParams_0->p_0)->sizes_0;
        uint _S43 = i_1;
        uint _S44 = rest_0 % (&kernelContext_1->entryPointParams_0->p_0)->sizes_0[i_1];
        int at_2 = int(_S44);
        uint rest_1 = rest_0 / _S42[_S43];
        int c_4 = c_3 + at_2 * (&kernelContext_1->entryPointParams_0->p_0)->batch_c_0[i_1];
        int a_8 = a_7 + at_2 * (&kernelContext_1->entryPointParams_0->p_0)->batch_a_0[i_1];
        int b_5 = b_4 + at_2 * (&kernelContext_1->entryPointParams_0->p_0)->batch_b_0[i_1];
        i_1 = i_1 + 1U;
        rest_0 = rest_1;
        c_3 = c_4;
        a_7 = a_8;
        b_4 = b_5;
    }
    if(((&kernelContext_1->entryPointParams_0->p_0)->parts_0) > 1U)
    {
        c_3 = int(_S34 * (&kernelContext_1->entryPointParams_0->p_0)->m_0 * (&kernelContext_1->entryPointParams_0->p_0)->n_0);
    }
    return Place_x24init_0((&kernelContext_1->entryPointParams_0->p_0)->c_at_0 + uint(c_3), (&kernelContext_1->entryPointParams_0->p_0)->a_at_0 + uint(a_7), (&kernelContext_1->entryPointParams_0->p_0)->b_at_0 + uint(b_4), min(_S38, (&kernelContext_1->entryPointParams_0->p_0)->k_0 - from_0));
}

void finish_0(const Place_0 thread* _S45, float device* _S46, float device* _S47, uint _S48, uint _S49, float _S50, KernelContext_0 thread* kernelContext_2)
{
    bool _S51;
    if(_S48 >= ((&kernelContext_2->entryPointParams_0->p_0)->m_0))
    {
        _S51 = true;
    }
    else
    {
        _S51 = _S49 >= ((&kernelContext_2->entryPointParams_0->p_0)->n_0);
    }
    if(_S51)
    {
        return;
    }
    if(((&kernelContext_2->entryPointParams_0->p_0)->parts_0) > 1U)
    {
        *(_S46+(_S45->c_0 + _S48 * (&kernelContext_2->entryPointParams_0->p_0)->n_0 + _S49)) = _S50;
    }
    else
    {
        close_0(_S46, _S45->c_0, (&kernelContext_2->entryPointParams_0->p_0)->ldc_0, _S47, (&kernelContext_2->entryPointParams_0->p_0)->bias_at_0, (&kernelContext_2->entryPointParams_0->p_0)->turned_0, (&kernelContext_2->entryPointParams_0->p_0)->alpha_0, (&kernelContext_2->entryPointParams_0->p_0)->beta_0, (&kernelContext_2->entryPointParams_0->p_0)->epilogue_0, _S48, _S49, _S50);
    }
    return;
}

void byTiles_0(uint _S52, uint _S53, float device* _S54, float device* _S55, float device* _S56, float device* _S57, KernelContext_0 thread* kernelContext_3)
{
    uint _S58 = (&kernelContext_3->entryPointParams_0->p_0)->n_0;
    uint _S59 = ((&kernelContext_3->entryPointParams_0->p_0)->n_0 + 64U - 1U) / 64U;
    uint _S60 = (&kernelContext_3->entryPointParams_0->p_0)->m_0;
    uint _S61 = ((&kernelContext_3->entryPointParams_0->p_0)->m_0 + 64U - 1U) / 64U;
    uint job_0 = _S52;
    for(;;)
    {
        uint _S62 = _S59 * _S61;
        if(job_0 < (_S62 * (&kernelContext_3->entryPointParams_0->p_0)->count_1 * (&kernelContext_3->entryPointParams_0->p_0)->parts_0))
        {
        }
        else
        {
            break;
        }
        uint _S63 = job_0 / _S62;
        Place_0 _S64 = placeOf_0(_S63, kernelContext_3);
        uint tile_0 = job_0 % _S62;
        uint _S65 = tile_0 / _S59;
        uint row0_0 = _S65 * 64U;
        uint _S66 = tile_0 % _S59;
        uint col0_0 = _S66 * 64U;
        Operand_0 y_1 = Operand_x24init_0(_S64.b_1 + uint(int(col0_0) * (&kernelContext_3->entryPointParams_0->p_0)->b_col_0), (&kernelContext_3->entryPointParams_0->p_0)->b_col_0, (&kernelContext_3->entryPointParams_0->p_0)->b_row_0, _S58 - col0_0);
        thread Operand_0 _S67 = Operand_x24init_0(_S64.a_1 + uint(int(row0_0) * (&kernelContext_3->entryPointParams_0->p_0)->a_row_0), (&kernelContext_3->entryPointParams_0->p_0)->a_row_0, (&kernelContext_3->entryPointParams_0->p_0)->a_col_0, _S60 - row0_0);
        thread Operand_0 _S68 = y_1;
        thread array<array<float, int(4)>, int(4)> sum_3;
        tileSums_0(&sum_3, _S55, &_S67, _S56, &_S68, _S64.k_3, _S53, kernelContext_3);
        thread array<array<float, int(4)>, int(4)> _S69 = sum_3;
        thread array<float, int(16)> list_1;
        listed_0(&_S69, &list_1);
        uint e_3 = 0U;
        for(;;)
        {
            if(e_3 < 16U)
            {
            }
            else
            {
                break;
            }
            uint _S70 = row0_0 + tilePlace_0(e_3 / 4U, _S53 / 16U);
            uint _S71 = col0_0 + tilePlace_0(e_3 % 4U, _S53 % 16U);
            thread Place_0 _S72 = _S64;
            finish_0(&_S72, _S54, _S57, _S70, _S71, list_1[e_3], kernelContext_3);
            e_3 = e_3 + 1U;
        }
        job_0 = job_0 + (&kernelContext_3->entryPointParams_0->p_0)->groups_0;
    }
    return;
}

[[kernel]] void matmul_f32_tiled_64(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], float device* entryPointParams_bias_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_4)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_4)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_4)->entryPointParams_bias_0 = entryPointParams_bias_1;
    threadgroup array<float, int(1056)> tile_a_1;
    (&kernelContext_4)->tile_a_0 = &tile_a_1;
    threadgroup array<float, int(1056)> tile_b_1;
    (&kernelContext_4)->tile_b_0 = &tile_b_1;
    byTiles_0(group_0.x, thread_0.x, entryPointParams_c_1, entryPointParams_a_1, entryPointParams_b_1, entryPointParams_bias_1, &kernelContext_4);
    return;
}


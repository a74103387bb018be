#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
constant array<uint2, int(18)> series_0 = { uint2(2475754826U, 683565275U), uint2(2123799483U, 473811343U), uint2(1847957952U, 164210498U), uint2(1439213337U, 37940681U), uint2(317766411U, 6574619U), uint2(3156276003U, 911435U), uint2(794491719U, 105293U), uint2(1027296332U, 10426U), uint2(1566748055U, 903U), uint2(2464717137U, 69U), uint2(3532578845U, 4U), uint2(1305161359U, 0U), uint2(75389076U, 0U), uint2(4019671U, 0U), uint2(199016U, 0U), uint2(9196U, 0U), uint2(398U, 0U), uint2(16U, 0U) };
uint2 mulWide_0(uint a_0, uint b_0)
{
    uint _S1 = a_0 * b_0;
    uint _S2 = (mulhi((a_0), (b_0)));
    return uint2(_S1, _S2);
}

uint2 addWide_0(uint2 a_1, uint2 b_1)
{
    uint _S3 = a_1.x;
    uint low_0 = _S3 + b_1.x;
    uint _S4 = a_1.y + b_1.y;
    int _S5;
    if(low_0 < _S3)
    {
        _S5 = int(1);
    }
    else
    {
        _S5 = int(0);
    }
    return uint2(low_0, _S4 + uint(_S5));
}

uint4 mulWideFull_0(uint2 a_2, uint2 b_2)
{
    uint _S6 = a_2.x;
    uint _S7 = b_2.x;
    uint2 ends_0 = mulWide_0(_S6, _S7);
    uint _S8 = b_2.y;
    uint2 one_0 = mulWide_0(_S6, _S8);
    uint _S9 = a_2.y;
    uint2 other_0 = mulWide_0(_S9, _S7);
    uint2 middle_0 = addWide_0(addWide_0(uint2(ends_0.y, 0U), uint2(one_0.x, 0U)), uint2(other_0.x, 0U));
    uint2 _S10 = mulWide_0(_S9, _S8);
    return uint4(ends_0.x, middle_0.x, addWide_0(addWide_0(_S10, uint2(one_0.y, 0U)), addWide_0(uint2(other_0.y, 0U), uint2(middle_0.y, 0U))));
}

uint2 subWide_0(uint2 a_3, uint2 b_3)
{
    uint _S11 = a_3.x;
    uint _S12 = b_3.x;
    uint _S13 = _S11 - _S12;
    uint _S14 = a_3.y - b_3.y;
    int _S15;
    if(_S11 < _S12)
    {
        _S15 = int(1);
    }
    else
    {
        _S15 = int(0);
    }
    return uint2(_S13, _S14 - uint(_S15));
}

uint2 shiftDownWide_0(uint2 a_4, uint by_0)
{
    if(by_0 >= 64U)
    {
        return uint2(0U, 0U);
    }
    if(by_0 >= 32U)
    {
        return uint2((a_4.y) >> (by_0 - 32U), 0U);
    }
    uint2 _S16;
    if(by_0 == 0U)
    {
        _S16 = a_4;
    }
    else
    {
        uint _S17 = a_4.y;
        _S16 = uint2(((a_4.x) >> by_0) | (_S17 << (32U - by_0)), _S17 >> by_0);
    }
    return _S16;
}

uint2 turnsOf_0(uint pair_0, const array<uint, int(3)> constant* exponent_0)
{
    uint2 low_1 = mulWide_0(pair_0, (*exponent_0)[int(0)]);
    uint2 _S18 = mulWide_0(pair_0, (*exponent_0)[int(1)]);
    uint2 high_0 = addWide_0(_S18, uint2(low_1.y, 0U));
    uint2 _S19 = uint2(low_1.x, high_0.x);
    uint2 sum_0 = uint2(16U, 0U);
    int n_0 = int(16);
    for(;;)
    {
        if(n_0 >= int(0))
        {
        }
        else
        {
            break;
        }
        uint4 _S20 = mulWideFull_0(_S19, sum_0);
        uint2 _S21 = subWide_0(series_0[n_0], _S20.zw);
        int _S22 = n_0 - int(1);
        sum_0 = _S21;
        n_0 = _S22;
    }
    return shiftDownWide_0(sum_0, pair_0 * (*exponent_0)[int(2)] + high_0.y);
}

float2 sinCosOfTurn_0(uint turn_0)
{
    uint quarter_0 = (turn_0 + 536870912U) >> 30U;
    float r_0 = float(int(turn_0 - (quarter_0 << 30U))) * (as_type<float>((805306368U)));
    float square_0 = r_0 * r_0;
    float sine_0 = fma(r_0, 3.14159274101257324f, r_0 * fma(square_0, fma(fma(-0.58957618474960327f, square_0, 2.5498197078704834f), square_0, -5.1677093505859375f), -8.74227765734758577e-08f));
    float cosine_0 = fma(square_0, fma(fma(fma(0.22898854315280914f, square_0, -1.33475816249847412f), square_0, 4.05869674682617188f), square_0, -4.93480205535888672f), 1.0f);
    float2 swapped_0;
    if((quarter_0 & 1U) != 0U)
    {
        swapped_0 = float2(cosine_0, sine_0);
    }
    else
    {
        swapped_0 = float2(sine_0, cosine_0);
    }
    float _S23;
    if((quarter_0 & 2U) != 0U)
    {
        _S23 = - swapped_0.x;
    }
    else
    {
        _S23 = swapped_0.x;
    }
    float _S24;
    if(((quarter_0 + 1U) & 2U) != 0U)
    {
        _S24 = - swapped_0.y;
    }
    else
    {
        _S24 = swapped_0.y;
    }
    return float2(_S23, _S24);
}

struct Angles_0
{
    uint groups_0;
    uint table_at_0;
    uint positions_at_0;
    uint first_0;
    uint rows_0;
    uint pairs_0;
    array<uint, int(3)> exponent_1;
    uint back_0;
};

struct EntryPointParams_0
{
    Angles_0 a_5;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    packed_float2 device* entryPointParams_table_0;
    uint device* entryPointParams_positions_0;
};

[[kernel]] void rotary_f32_angles(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], packed_float2 device* entryPointParams_table_1 [[buffer(1)]], uint device* entryPointParams_positions_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_table_0 = entryPointParams_table_1;
    (&kernelContext_0)->entryPointParams_positions_0 = entryPointParams_positions_1;
    uint _S25 = ((&entryPointParams_1->a_5)->rows_0 + 16U - 1U) / 16U;
    uint i_0 = group_0.x * 64U + thread_0.x;
    for(;;)
    {
        if(i_0 < ((&entryPointParams_1->a_5)->pairs_0 * _S25))
        {
        }
        else
        {
            break;
        }
        uint pair_1 = i_0 % (&entryPointParams_1->a_5)->pairs_0;
        uint _S26 = i_0 / (&entryPointParams_1->a_5)->pairs_0;
        uint row_0 = _S26 * 16U;
        uint _S27 = min((&entryPointParams_1->a_5)->rows_0, row_0 + 16U);
        uint2 _S28 = turnsOf_0(pair_1, &(&entryPointParams_1->a_5)->exponent_1);
        uint row_1 = row_0;
        for(;;)
        {
            if(row_1 < _S27)
            {
            }
            else
            {
                break;
            }
            uint position_0;
            if(((&entryPointParams_1->a_5)->positions_at_0) == 4294967295U)
            {
                position_0 = (&entryPointParams_1->a_5)->first_0 + row_1;
            }
            else
            {
                position_0 = (&kernelContext_0)->entryPointParams_positions_0[(&entryPointParams_1->a_5)->positions_at_0 + row_1];
            }
            uint _S29 = position_0 * _S28.y;
            uint _S30 = (mulhi((position_0), (_S28.x)));
            float2 both_0 = sinCosOfTurn_0(_S29 + _S30);
            packed_float2 device* _S31 = (&kernelContext_0)->entryPointParams_table_0+((&entryPointParams_1->a_5)->table_at_0 + row_1 * (&entryPointParams_1->a_5)->pairs_0 + pair_1);
            float _S32 = both_0.y;
            float _S33;
            if(((&entryPointParams_1->a_5)->back_0) != 0U)
            {
                _S33 = - both_0.x;
            }
            else
            {
                _S33 = both_0.x;
            }
            *_S31 = packed_float2(float2(_S32, _S33)) ;
            row_1 = row_1 + 1U;
        }
        i_0 = i_0 + (&entryPointParams_1->a_5)->groups_0 * 64U;
    }
    return;
}


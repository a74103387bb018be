#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint laneOf_0(uint thread_0, uint across_0)
{
    return thread_0 & (across_0 - 1U);
}

struct Order_0
{
    uint order_at_0;
    uint places_at_0;
    uint count_0;
};

Order_0 Order_x24init_0(uint order_at_1, uint places_at_1, uint count_1)
{
    thread Order_0 _S1;
    (&_S1)->order_at_0 = order_at_1;
    (&_S1)->places_at_0 = places_at_1;
    (&_S1)->count_0 = count_1;
    return _S1;
}

uint teamsOf_0(uint across_1)
{
    uint _S2 = 128U / across_1;
    return _S2;
}

uint teamOf_0(uint thread_1, uint across_2)
{
    uint _S3 = thread_1 / across_2;
    return _S3;
}

uint placeOf_0(uint device* order_0, uint device* places_0, const Order_0 thread* o_0, uint i_0)
{
    uint place_0 = places_0[o_0->places_at_0 + i_0];
    bool _S4;
    if(place_0 < (o_0->count_0))
    {
        _S4 = order_0[o_0->order_at_0 + place_0] == i_0;
    }
    else
    {
        _S4 = false;
    }
    uint _S5;
    if(_S4)
    {
        _S5 = place_0;
    }
    else
    {
        _S5 = 4294967295U;
    }
    return _S5;
}

struct Forward_0
{
    uint groups_0;
    uint y_at_0;
    uint h_at_0;
    uint weights_at_0;
    uint order_at_2;
    uint places_at_2;
    uint rows_0;
    uint slots_0;
    uint cols_0;
    uint y_stride_0;
    uint ldh_0;
    uint across_3;
};

struct EntryPointParams_0
{
    Forward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_y_0;
    float device* entryPointParams_h_0;
    float device* entryPointParams_weights_0;
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_places_0;
};

[[kernel]] void combine_rows_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_y_1 [[buffer(1)]], float device* entryPointParams_h_1 [[buffer(2)]], float device* entryPointParams_weights_1 [[buffer(3)]], uint device* entryPointParams_order_1 [[buffer(4)]], uint device* entryPointParams_places_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_y_0 = entryPointParams_y_1;
    (&kernelContext_0)->entryPointParams_h_0 = entryPointParams_h_1;
    (&kernelContext_0)->entryPointParams_weights_0 = entryPointParams_weights_1;
    (&kernelContext_0)->entryPointParams_order_0 = entryPointParams_order_1;
    (&kernelContext_0)->entryPointParams_places_0 = entryPointParams_places_1;
    uint _S6 = thread_2.x;
    uint _S7 = laneOf_0(_S6, entryPointParams_1->a_0.across_3);
    Order_0 _S8 = Order_x24init_0(entryPointParams_1->a_0.order_at_2, entryPointParams_1->a_0.places_at_2, entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.slots_0);
    uint _S9 = group_0.x;
    uint _S10 = teamsOf_0(entryPointParams_1->a_0.across_3);
    uint _S11 = _S9 * _S10;
    uint _S12 = teamOf_0(_S6, entryPointParams_1->a_0.across_3);
    uint r_0 = _S11 + _S12;
    for(;;)
    {
        if(r_0 < (entryPointParams_1->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint first_0 = 0U;
        for(;;)
        {
            bool _S13 = first_0 == 0U;
            bool _S14;
            if(_S13)
            {
                _S14 = true;
            }
            else
            {
                _S14 = first_0 < (entryPointParams_1->a_0.slots_0);
            }
            if(_S14)
            {
            }
            else
            {
                break;
            }
            thread array<uint, int(4)> from_0;
            thread array<float, int(4)> weight_0;
            from_0[0U] = 4294967295U;
            weight_0[0U] = 0.0f;
            float start_0;
            if(first_0 < (entryPointParams_1->a_0.slots_0))
            {
                uint _S15 = r_0 * entryPointParams_1->a_0.slots_0 + first_0;
                thread Order_0 _S16 = _S8;
                uint _S17 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S16, _S15);
                from_0[0U] = _S17;
                weight_0[0U] = (&kernelContext_0)->entryPointParams_weights_0[entryPointParams_1->a_0.weights_at_0 + _S15];
                if(_S17 == 4294967295U)
                {
                    start_0 = (as_type<float>((2143289344U)));
                }
                else
                {
                    start_0 = 0.0f;
                }
            }
            else
            {
                start_0 = 0.0f;
            }
            from_0[1U] = 4294967295U;
            weight_0[1U] = 0.0f;
            float start_1;
            if((first_0 + 1U) < (entryPointParams_1->a_0.slots_0))
            {
                uint i_1 = r_0 * entryPointParams_1->a_0.slots_0 + first_0 + 1U;
                thread Order_0 _S18 = _S8;
                uint _S19 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S18, i_1);
                from_0[1U] = _S19;
                weight_0[1U] = (&kernelContext_0)->entryPointParams_weights_0[entryPointParams_1->a_0.weights_at_0 + i_1];
                if(_S19 == 4294967295U)
                {
                    start_1 = (as_type<float>((2143289344U)));
                }
                else
                {
                    start_1 = start_0;
                }
            }
            else
            {
                start_1 = start_0;
            }
            from_0[2U] = 4294967295U;
            weight_0[2U] = 0.0f;
            float start_2;
            if((first_0 + 2U) < (entryPointParams_1->a_0.slots_0))
            {
                uint i_2 = r_0 * entryPointParams_1->a_0.slots_0 + first_0 + 2U;
                thread Order_0 _S20 = _S8;
                uint _S21 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S20, i_2);
                from_0[2U] = _S21;
                weight_0[2U] = (&kernelContext_0)->entryPointParams_weights_0[entryPointParams_1->a_0.weights_at_0 + i_2];
                if(_S21 == 4294967295U)
                {
                    start_2 = (as_type<float>((2143289344U)));
                }
                else
                {
                    start_2 = start_1;
                }
            }
            else
            {
                start_2 = start_1;
            }
            from_0[3U] = 4294967295U;
            weight_0[3U] = 0.0f;
            float start_3;
            if((first_0 + 3U) < (entryPointParams_1->a_0.slots_0))
            {
                uint i_3 = r_0 * entryPointParams_1->a_0.slots_0 + first_0 + 3U;
                thread Order_0 _S22 = _S8;
                uint _S23 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S22, i_3);
                from_0[3U] = _S23;
                weight_0[3U] = (&kernelContext_0)->entryPointParams_weights_0[entryPointParams_1->a_0.weights_at_0 + i_3];
                if(_S23 == 4294967295U)
                {
                    start_3 = (as_type<float>((2143289344U)));
                }
                else
                {
                    start_3 = start_2;
                }
            }
            else
            {
                start_3 = start_2;
            }
            uint c_0 = _S7;
            for(;;)
            {
                if(c_0 < (entryPointParams_1->a_0.cols_0))
                {
                }
                else
                {
                    break;
                }
                float _S24;
                if(_S13)
                {
                    _S24 = start_3;
                }
                else
                {
                    _S24 = start_3 + *((&kernelContext_0)->entryPointParams_y_0+(entryPointParams_1->a_0.y_at_0 + r_0 * entryPointParams_1->a_0.y_stride_0 + c_0));
                }
                float sum_0;
                if((from_0[0U]) != 4294967295U)
                {
                    sum_0 = _S24 + weight_0[0U] * (&kernelContext_0)->entryPointParams_h_0[entryPointParams_1->a_0.h_at_0 + from_0[0U] * entryPointParams_1->a_0.ldh_0 + c_0];
                }
                else
                {
                    sum_0 = _S24;
                }
                float sum_1;
                if((from_0[1U]) != 4294967295U)
                {
                    sum_1 = sum_0 + weight_0[1U] * (&kernelContext_0)->entryPointParams_h_0[entryPointParams_1->a_0.h_at_0 + from_0[1U] * entryPointParams_1->a_0.ldh_0 + c_0];
                }
                else
                {
                    sum_1 = sum_0;
                }
                float sum_2;
                if((from_0[2U]) != 4294967295U)
                {
                    sum_2 = sum_1 + weight_0[2U] * (&kernelContext_0)->entryPointParams_h_0[entryPointParams_1->a_0.h_at_0 + from_0[2U] * entryPointParams_1->a_0.ldh_0 + c_0];
                }
                else
                {
                    sum_2 = sum_1;
                }
                float sum_3;
                if((from_0[3U]) != 4294967295U)
                {
                    sum_3 = sum_2 + weight_0[3U] * (&kernelContext_0)->entryPointParams_h_0[entryPointParams_1->a_0.h_at_0 + from_0[3U] * entryPointParams_1->a_0.ldh_0 + c_0];
                }
                else
                {
                    sum_3 = sum_2;
                }
                *((&kernelContext_0)->entryPointParams_y_0+(entryPointParams_1->a_0.y_at_0 + r_0 * entryPointParams_1->a_0.y_stride_0 + c_0)) = sum_3;
                c_0 = c_0 + entryPointParams_1->a_0.across_3;
            }
            first_0 = first_0 + 4U;
        }
        uint _S25 = teamsOf_0(entryPointParams_1->a_0.across_3);
        r_0 = r_0 + entryPointParams_1->a_0.groups_0 * _S25;
    }
    return;
}


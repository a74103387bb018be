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

struct Backward_0
{
    uint groups_0;
    uint dx_at_0;
    uint dy_at_0;
    uint order_at_2;
    uint places_at_2;
    uint rows_0;
    uint slots_0;
    uint cols_0;
    uint dx_stride_0;
    uint lddy_0;
    uint across_3;
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
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_places_0;
};

[[kernel]] void gather_rows_backward_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dx_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], uint device* entryPointParams_order_1 [[buffer(3)]], uint device* entryPointParams_places_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_dx_0 = entryPointParams_dx_1;
    (&kernelContext_0)->entryPointParams_dy_0 = entryPointParams_dy_1;
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
            uint _S15;
            if(first_0 < (entryPointParams_1->a_0.slots_0))
            {
                uint _S16 = r_0 * entryPointParams_1->a_0.slots_0 + first_0;
                thread Order_0 _S17 = _S8;
                uint _S18 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S17, _S16);
                _S15 = _S18;
            }
            else
            {
                _S15 = 4294967295U;
            }
            from_0[0U] = _S15;
            uint _S19;
            if((first_0 + 1U) < (entryPointParams_1->a_0.slots_0))
            {
                uint _S20 = r_0 * entryPointParams_1->a_0.slots_0 + first_0 + 1U;
                thread Order_0 _S21 = _S8;
                uint _S22 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S21, _S20);
                _S19 = _S22;
            }
            else
            {
                _S19 = 4294967295U;
            }
            from_0[1U] = _S19;
            uint _S23;
            if((first_0 + 2U) < (entryPointParams_1->a_0.slots_0))
            {
                uint _S24 = r_0 * entryPointParams_1->a_0.slots_0 + first_0 + 2U;
                thread Order_0 _S25 = _S8;
                uint _S26 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S25, _S24);
                _S23 = _S26;
            }
            else
            {
                _S23 = 4294967295U;
            }
            from_0[2U] = _S23;
            uint _S27;
            if((first_0 + 3U) < (entryPointParams_1->a_0.slots_0))
            {
                uint _S28 = r_0 * entryPointParams_1->a_0.slots_0 + first_0 + 3U;
                thread Order_0 _S29 = _S8;
                uint _S30 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S29, _S28);
                _S27 = _S30;
            }
            else
            {
                _S27 = 4294967295U;
            }
            from_0[3U] = _S27;
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
                float _S31;
                if(_S13)
                {
                    _S31 = 0.0f;
                }
                else
                {
                    _S31 = *((&kernelContext_0)->entryPointParams_dx_0+(entryPointParams_1->a_0.dx_at_0 + r_0 * entryPointParams_1->a_0.dx_stride_0 + c_0));
                }
                float sum_0;
                if((from_0[0U]) != 4294967295U)
                {
                    sum_0 = _S31 + (&kernelContext_0)->entryPointParams_dy_0[entryPointParams_1->a_0.dy_at_0 + from_0[0U] * entryPointParams_1->a_0.lddy_0 + c_0];
                }
                else
                {
                    sum_0 = _S31;
                }
                float sum_1;
                if((from_0[1U]) != 4294967295U)
                {
                    sum_1 = sum_0 + (&kernelContext_0)->entryPointParams_dy_0[entryPointParams_1->a_0.dy_at_0 + from_0[1U] * entryPointParams_1->a_0.lddy_0 + c_0];
                }
                else
                {
                    sum_1 = sum_0;
                }
                float sum_2;
                if((from_0[2U]) != 4294967295U)
                {
                    sum_2 = sum_1 + (&kernelContext_0)->entryPointParams_dy_0[entryPointParams_1->a_0.dy_at_0 + from_0[2U] * entryPointParams_1->a_0.lddy_0 + c_0];
                }
                else
                {
                    sum_2 = sum_1;
                }
                float sum_3;
                if((from_0[3U]) != 4294967295U)
                {
                    sum_3 = sum_2 + (&kernelContext_0)->entryPointParams_dy_0[entryPointParams_1->a_0.dy_at_0 + from_0[3U] * entryPointParams_1->a_0.lddy_0 + c_0];
                }
                else
                {
                    sum_3 = sum_2;
                }
                *((&kernelContext_0)->entryPointParams_dx_0+(entryPointParams_1->a_0.dx_at_0 + r_0 * entryPointParams_1->a_0.dx_stride_0 + c_0)) = sum_3;
                c_0 = c_0 + entryPointParams_1->a_0.across_3;
            }
            first_0 = first_0 + 4U;
        }
        uint _S32 = teamsOf_0(entryPointParams_1->a_0.across_3);
        r_0 = r_0 + entryPointParams_1->a_0.groups_0 * _S32;
    }
    return;
}


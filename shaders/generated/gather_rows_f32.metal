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

uint entryAt_0(uint device* order_1, uint device* places_1, const Order_0 thread* o_1, uint place_1)
{
    uint i_1 = order_1[o_1->order_at_0 + place_1];
    bool _S6;
    if(i_1 < (o_1->count_0))
    {
        _S6 = places_1[o_1->places_at_0 + i_1] == place_1;
    }
    else
    {
        _S6 = false;
    }
    uint _S7;
    if(_S6)
    {
        _S7 = i_1;
    }
    else
    {
        _S7 = 4294967295U;
    }
    return _S7;
}

struct Forward_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint order_at_2;
    uint places_at_2;
    uint rows_0;
    uint slots_0;
    uint cols_0;
    uint out_stride_0;
    uint x_stride_0;
    uint across_3;
};

struct EntryPointParams_0
{
    Forward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_places_0;
};

[[kernel]] void gather_rows_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], uint device* entryPointParams_order_1 [[buffer(3)]], uint device* entryPointParams_places_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_order_0 = entryPointParams_order_1;
    (&kernelContext_0)->entryPointParams_places_0 = entryPointParams_places_1;
    uint _S8 = thread_2.x;
    uint _S9 = laneOf_0(_S8, entryPointParams_1->a_0.across_3);
    Order_0 _S10 = Order_x24init_0(entryPointParams_1->a_0.order_at_2, entryPointParams_1->a_0.places_at_2, entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.slots_0);
    uint _S11 = group_0.x;
    uint _S12 = teamsOf_0(entryPointParams_1->a_0.across_3);
    uint _S13 = _S11 * _S12;
    uint _S14 = teamOf_0(_S8, entryPointParams_1->a_0.across_3);
    uint r_0 = _S13 + _S14;
    for(;;)
    {
        if(r_0 < (entryPointParams_1->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S15 = entryPointParams_1->a_0.x_at_0 + r_0 * entryPointParams_1->a_0.x_stride_0;
        uint s_0 = r_0 * entryPointParams_1->a_0.slots_0;
        for(;;)
        {
            if(s_0 < ((r_0 + 1U) * entryPointParams_1->a_0.slots_0))
            {
            }
            else
            {
                break;
            }
            thread Order_0 _S16 = _S10;
            uint _S17 = placeOf_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S16, s_0);
            uint c_0;
            if(_S17 != 4294967295U)
            {
                c_0 = _S9;
                for(;;)
                {
                    if(c_0 < (entryPointParams_1->a_0.cols_0))
                    {
                    }
                    else
                    {
                        break;
                    }
                    *((&kernelContext_0)->entryPointParams_out_0+(entryPointParams_1->a_0.out_at_0 + _S17 * entryPointParams_1->a_0.out_stride_0 + c_0)) = (&kernelContext_0)->entryPointParams_x_0[_S15 + c_0];
                    c_0 = c_0 + entryPointParams_1->a_0.across_3;
                }
            }
            thread Order_0 _S18 = _S10;
            uint _S19 = entryAt_0((&kernelContext_0)->entryPointParams_order_0, (&kernelContext_0)->entryPointParams_places_0, &_S18, s_0);
            if(_S19 == 4294967295U)
            {
                c_0 = _S9;
                for(;;)
                {
                    if(c_0 < (entryPointParams_1->a_0.cols_0))
                    {
                    }
                    else
                    {
                        break;
                    }
                    *((&kernelContext_0)->entryPointParams_out_0+(entryPointParams_1->a_0.out_at_0 + s_0 * entryPointParams_1->a_0.out_stride_0 + c_0)) = (as_type<float>((2143289344U)));
                    c_0 = c_0 + entryPointParams_1->a_0.across_3;
                }
            }
            s_0 = s_0 + 1U;
        }
        uint _S20 = teamsOf_0(entryPointParams_1->a_0.across_3);
        r_0 = r_0 + entryPointParams_1->a_0.groups_0 * _S20;
    }
    return;
}


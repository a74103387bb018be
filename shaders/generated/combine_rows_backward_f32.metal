#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint laneOf_0(uint thread_0, uint across_0)
{
    return thread_0 & (across_0 - 1U);
}

uint teamsOf_0(uint across_1)
{
    uint _S1 = 128U / across_1;
    return _S1;
}

struct Order_0
{
    uint order_at_0;
    uint places_at_0;
    uint count_0;
};

Order_0 Order_x24init_0(uint order_at_1, uint places_at_1, uint count_1)
{
    thread Order_0 _S2;
    (&_S2)->order_at_0 = order_at_1;
    (&_S2)->places_at_0 = places_at_1;
    (&_S2)->count_0 = count_1;
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
    uint dh_at_0;
    uint dweights_at_0;
    uint dy_at_0;
    uint h_at_0;
    uint weights_at_0;
    uint order_at_2;
    uint places_at_2;
    uint rows_0;
    uint slots_0;
    uint cols_0;
    uint dy_stride_0;
    uint lddh_0;
    uint ldh_0;
    uint across_3;
};

struct EntryPointParams_0
{
    Backward_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_dh_0;
    float device* entryPointParams_dweights_0;
    float device* entryPointParams_dy_0;
    float device* entryPointParams_h_0;
    float device* entryPointParams_weights_0;
    uint device* entryPointParams_order_0;
    uint device* entryPointParams_places_0;
    array<float, int(128)> threadgroup* shared_value_0;
};

float sumOfTeam_0(float value_0, uint thread_2, uint across_4, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_value_0)[thread_2] = value_0;
    uint lane_0 = laneOf_0(thread_2, across_4);
    uint half_0 = across_4 / 2U;
    for(;;)
    {
        if(half_0 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(lane_0 < half_0)
        {
            (*kernelContext_0->shared_value_0)[thread_2] = (*kernelContext_0->shared_value_0)[thread_2] + (*kernelContext_0->shared_value_0)[thread_2 + half_0];
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_value_0)[thread_2 - lane_0];
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

[[kernel]] void combine_rows_backward_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_3 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_dh_1 [[buffer(1)]], float device* entryPointParams_dweights_1 [[buffer(2)]], float device* entryPointParams_dy_1 [[buffer(3)]], float device* entryPointParams_h_1 [[buffer(4)]], float device* entryPointParams_weights_1 [[buffer(5)]], uint device* entryPointParams_order_1 [[buffer(6)]], uint device* entryPointParams_places_1 [[buffer(7)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_dh_0 = entryPointParams_dh_1;
    (&kernelContext_1)->entryPointParams_dweights_0 = entryPointParams_dweights_1;
    (&kernelContext_1)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_1)->entryPointParams_h_0 = entryPointParams_h_1;
    (&kernelContext_1)->entryPointParams_weights_0 = entryPointParams_weights_1;
    (&kernelContext_1)->entryPointParams_order_0 = entryPointParams_order_1;
    (&kernelContext_1)->entryPointParams_places_0 = entryPointParams_places_1;
    threadgroup array<float, int(128)> shared_value_1;
    (&kernelContext_1)->shared_value_0 = &shared_value_1;
    uint t_0 = thread_3.x;
    uint _S8 = laneOf_0(t_0, entryPointParams_1->a_0.across_3);
    uint teams_0 = teamsOf_0(entryPointParams_1->a_0.across_3);
    Order_0 _S9 = Order_x24init_0(entryPointParams_1->a_0.order_at_2, entryPointParams_1->a_0.places_at_2, entryPointParams_1->a_0.rows_0 * entryPointParams_1->a_0.slots_0);
    bool _S10 = (entryPointParams_1->a_0.dh_at_0) != 4294967295U;
    bool _S11 = (entryPointParams_1->a_0.dweights_at_0) != 4294967295U;
    uint first_0 = group_0.x * teams_0;
    for(;;)
    {
        if(first_0 < (entryPointParams_1->a_0.rows_0))
        {
        }
        else
        {
            break;
        }
        uint _S12 = teamOf_0(t_0, entryPointParams_1->a_0.across_3);
        uint r_0 = first_0 + _S12;
        bool _S13 = r_0 < (entryPointParams_1->a_0.rows_0);
        uint _S14 = entryPointParams_1->a_0.dy_at_0 + r_0 * entryPointParams_1->a_0.dy_stride_0;
        uint s_0 = 0U;
        for(;;)
        {
            if(s_0 < (entryPointParams_1->a_0.slots_0))
            {
            }
            else
            {
                break;
            }
            uint i_2 = r_0 * entryPointParams_1->a_0.slots_0 + s_0;
            uint place_2;
            if(_S13)
            {
                thread Order_0 _S15 = _S9;
                uint _S16 = placeOf_0((&kernelContext_1)->entryPointParams_order_0, (&kernelContext_1)->entryPointParams_places_0, &_S15, i_2);
                place_2 = _S16;
            }
            else
            {
                place_2 = 4294967295U;
            }
            uint n_0;
            if(place_2 != 4294967295U)
            {
                n_0 = entryPointParams_1->a_0.cols_0;
            }
            else
            {
                n_0 = 0U;
            }
            float _S17;
            if(n_0 > 0U)
            {
                _S17 = (&kernelContext_1)->entryPointParams_weights_0[entryPointParams_1->a_0.weights_at_0 + i_2];
            }
            else
            {
                _S17 = 0.0f;
            }
            float sum_0 = 0.0f;
            uint c_0 = _S8;
            for(;;)
            {
                if(c_0 < n_0)
                {
                }
                else
                {
                    break;
                }
                float g_0 = (&kernelContext_1)->entryPointParams_dy_0[_S14 + c_0];
                if(_S11)
                {
                    sum_0 = fma(g_0, (&kernelContext_1)->entryPointParams_h_0[entryPointParams_1->a_0.h_at_0 + place_2 * entryPointParams_1->a_0.ldh_0 + c_0], sum_0);
                }
                if(_S10)
                {
                    *((&kernelContext_1)->entryPointParams_dh_0+(entryPointParams_1->a_0.dh_at_0 + place_2 * entryPointParams_1->a_0.lddh_0 + c_0)) = _S17 * g_0;
                }
                c_0 = c_0 + entryPointParams_1->a_0.across_3;
            }
            bool _S18;
            if(_S11)
            {
                float _S19 = sumOfTeam_0(sum_0, t_0, entryPointParams_1->a_0.across_3, &kernelContext_1);
                if(_S13)
                {
                    _S18 = _S8 == 0U;
                }
                else
                {
                    _S18 = false;
                }
                if(_S18)
                {
                    *((&kernelContext_1)->entryPointParams_dweights_0+(entryPointParams_1->a_0.dweights_at_0 + i_2)) = _S19;
                }
            }
            if(_S10)
            {
                _S18 = _S13;
            }
            else
            {
                _S18 = false;
            }
            bool _S20;
            if(_S18)
            {
                thread Order_0 _S21 = _S9;
                uint _S22 = entryAt_0((&kernelContext_1)->entryPointParams_order_0, (&kernelContext_1)->entryPointParams_places_0, &_S21, i_2);
                _S20 = _S22 == 4294967295U;
            }
            else
            {
                _S20 = false;
            }
            if(_S20)
            {
                uint c_1 = _S8;
                for(;;)
                {
                    if(c_1 < (entryPointParams_1->a_0.cols_0))
                    {
                    }
                    else
                    {
                        break;
                    }
                    *((&kernelContext_1)->entryPointParams_dh_0+(entryPointParams_1->a_0.dh_at_0 + i_2 * entryPointParams_1->a_0.lddh_0 + c_1)) = 0.0f;
                    c_1 = c_1 + entryPointParams_1->a_0.across_3;
                }
            }
            s_0 = s_0 + 1U;
        }
        first_0 = first_0 + entryPointParams_1->a_0.groups_0 * teams_0;
    }
    return;
}


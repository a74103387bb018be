#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Pair_0
{
    float sum_0;
    float lost_0;
};

Pair_0 Pair_x24init_0(float sum_1, float lost_1)
{
    thread Pair_0 _S1;
    (&_S1)->sum_0 = sum_1;
    (&_S1)->lost_0 = lost_1;
    return _S1;
}

Pair_0 pairOf_0(float sum_2, float lost_2)
{
    return Pair_x24init_0(sum_2, lost_2);
}

struct Squares_0
{
    Pair_0 large_0;
    Pair_0 usual_0;
    Pair_0 small_0;
};

Squares_0 Squares_x24init_0(const Pair_0 thread* large_1, const Pair_0 thread* usual_1, const Pair_0 thread* small_1)
{
    thread Squares_0 _S2;
    (&_S2)->large_0 = *large_1;
    (&_S2)->usual_0 = *usual_1;
    (&_S2)->small_0 = *small_1;
    return _S2;
}

Squares_0 Squares_x24init_1(const Pair_0 thread* large_2, const Pair_0 thread* usual_2, const Pair_0 thread* small_2)
{
    thread Squares_0 _S3;
    (&_S3)->large_0 = *large_2;
    (&_S3)->usual_0 = *usual_2;
    (&_S3)->small_0 = *small_2;
    return _S3;
}

Squares_0 noSquares_0()
{
    Pair_0 _S4 = pairOf_0(0.0f, 0.0f);
    thread Pair_0 _S5 = _S4;
    thread Pair_0 _S6 = _S4;
    thread Pair_0 _S7 = _S4;
    Squares_0 _S8 = Squares_x24init_0(&_S5, &_S6, &_S7);
    return _S8;
}

Pair_0 joined_0(const Pair_0 thread* a_0, const Pair_0 thread* b_0)
{
    float sum_3 = a_0->sum_0 + b_0->sum_0;
    float b_part_0 = sum_3 - a_0->sum_0;
    return pairOf_0(sum_3, a_0->sum_0 - (sum_3 - b_part_0) + (b_0->sum_0 - b_part_0) + (a_0->lost_0 + b_0->lost_0));
}

Squares_0 joinedSquares_0(const Squares_0 thread* a_1, const Squares_0 thread* b_1)
{
    Pair_0 _S9 = joined_0(&a_1->large_0, &b_1->large_0);
    Pair_0 _S10 = joined_0(&a_1->usual_0, &b_1->usual_0);
    Pair_0 _S11 = joined_0(&a_1->small_0, &b_1->small_0);
    thread Pair_0 _S12 = _S9;
    thread Pair_0 _S13 = _S10;
    thread Pair_0 _S14 = _S11;
    Squares_0 _S15 = Squares_x24init_1(&_S12, &_S13, &_S14);
    return _S15;
}

struct Factor_0
{
    uint groups_0;
    uint norm_at_0;
    uint factor_at_0;
    uint parts_at_0;
    uint count_0;
    float limit_0;
    float limit_down_0;
    uint always_0;
    uint two_0;
};

struct EntryPointParams_0
{
    Factor_0 a_2;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_norm_0;
    float device* entryPointParams_factor_0;
    Squares_0 device* entryPointParams_parts_0;
    array<Squares_0, int(128)> threadgroup* shared_squares_0;
};

Squares_0 squaresOfGroup_0(const Squares_0 thread* s_0, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_squares_0)[thread_0] = *s_0;
    Squares_0 _S16 = *s_0;
    uint half_0 = 64U;
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
        if(thread_0 < half_0)
        {
            Squares_0 _S17 = (*kernelContext_0->shared_squares_0)[thread_0 + half_0];
            thread Squares_0 _S18 = _S16;
            thread Squares_0 _S19 = _S17;
            Squares_0 _S20 = joinedSquares_0(&_S18, &_S19);
            (*kernelContext_0->shared_squares_0)[thread_0] = _S20;
            _S16 = _S20;
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_squares_0)[int(0)];
}

Pair_0 scaledPair_0(const Pair_0 thread* p_0, float by_0)
{
    return pairOf_0(p_0->sum_0 * by_0 * by_0, p_0->lost_0 * by_0 * by_0);
}

float closedPair_0(const Pair_0 thread* p_1)
{
    float _S21 = p_1->sum_0;
    float _S22;
    if(((as_type<uint>((p_1->sum_0))) & 2139095040U) != 2139095040U)
    {
        _S22 = _S21 + p_1->lost_0;
    }
    else
    {
        _S22 = _S21;
    }
    return _S22;
}

struct Norm_0
{
    float root_0;
    float scale_0;
};

Norm_0 Norm_x24init_0(float root_1, float scale_1)
{
    thread Norm_0 _S23;
    (&_S23)->root_0 = root_1;
    (&_S23)->scale_0 = scale_1;
    return _S23;
}

Norm_0 normOf_0(const Squares_0 thread* s_1)
{
    bool large_3 = ((&s_1->large_0)->sum_0) != 0.0f;
    bool usual_3 = ((&s_1->usual_0)->sum_0) != 0.0f;
    Pair_0 sum_4;
    if(large_3)
    {
        Pair_0 _S24 = scaledPair_0(&s_1->usual_0, (as_type<float>((260046848U))));
        thread Pair_0 _S25 = _S24;
        Pair_0 _S26 = joined_0(&s_1->large_0, &_S25);
        sum_4 = _S26;
    }
    else
    {
        if(usual_3)
        {
            Pair_0 _S27 = scaledPair_0(&s_1->small_0, (as_type<float>((260046848U))));
            thread Pair_0 _S28 = _S27;
            Pair_0 _S29 = joined_0(&s_1->usual_0, &_S28);
            sum_4 = _S29;
        }
        else
        {
            sum_4 = s_1->small_0;
        }
    }
    thread Pair_0 _S30 = sum_4;
    float _S31 = closedPair_0(&_S30);
    float _S32 = sqrt(_S31);
    float _S33;
    if(large_3)
    {
        _S33 = (as_type<float>((1870659584U)));
    }
    else
    {
        if(usual_3)
        {
            _S33 = 1.0f;
        }
        else
        {
            _S33 = (as_type<float>((260046848U)));
        }
    }
    return Norm_x24init_0(_S32, _S33);
}

bool isFinite_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2139095040U) != 2139095040U;
}

bool isNormal_0(float x_1)
{
    uint exponent_0 = ((as_type<uint>((x_1))) >> 23U) & 255U;
    bool _S34;
    if(exponent_0 != 0U)
    {
        _S34 = exponent_0 != 255U;
    }
    else
    {
        _S34 = false;
    }
    return _S34;
}

[[kernel]] void clip_factor_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_norm_1 [[buffer(1)]], float device* entryPointParams_factor_1 [[buffer(2)]], Squares_0 device* entryPointParams_parts_1 [[buffer(3)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_norm_0 = entryPointParams_norm_1;
    (&kernelContext_1)->entryPointParams_factor_0 = entryPointParams_factor_1;
    (&kernelContext_1)->entryPointParams_parts_0 = entryPointParams_parts_1;
    threadgroup array<Squares_0, int(128)> shared_squares_1;
    (&kernelContext_1)->shared_squares_0 = &shared_squares_1;
    uint _S35 = thread_1.x;
    Squares_0 s_2 = noSquares_0();
    uint i_0 = _S35;
    for(;;)
    {
        if(i_0 < ((&kernelContext_1)->entryPointParams_0->a_2.count_0))
        {
        }
        else
        {
            break;
        }
        Squares_0 _S36 = (&kernelContext_1)->entryPointParams_parts_0[(&kernelContext_1)->entryPointParams_0->a_2.parts_at_0 + i_0];
        thread Squares_0 _S37 = s_2;
        thread Squares_0 _S38 = _S36;
        Squares_0 _S39 = joinedSquares_0(&_S37, &_S38);
        uint i_1 = i_0 + 128U;
        s_2 = _S39;
        i_0 = i_1;
    }
    thread Squares_0 _S40 = s_2;
    Squares_0 _S41 = squaresOfGroup_0(&_S40, _S35, &kernelContext_1);
    if(_S35 != 0U)
    {
        return;
    }
    thread Squares_0 _S42 = _S41;
    Norm_0 _S43 = normOf_0(&_S42);
    bool large_4 = (_S43.scale_0) > 1.0f;
    bool usual_4 = (_S43.scale_0) == 1.0f;
    float n_0 = _S43.root_0 * _S43.scale_0;
    if(((&kernelContext_1)->entryPointParams_0->a_2.norm_at_0) != 4294967295U)
    {
        *((&kernelContext_1)->entryPointParams_norm_0+(&kernelContext_1)->entryPointParams_0->a_2.norm_at_0) = n_0;
    }
    bool scaled_0;
    if(!isFinite_0(n_0))
    {
        scaled_0 = true;
    }
    else
    {
        scaled_0 = !isFinite_0((&kernelContext_1)->entryPointParams_0->a_2.limit_0);
    }
    bool above_0;
    if(scaled_0)
    {
        if(large_4)
        {
            above_0 = (_S43.root_0) > ((&kernelContext_1)->entryPointParams_0->a_2.limit_down_0);
        }
        else
        {
            above_0 = false;
        }
    }
    else
    {
        above_0 = n_0 > ((&kernelContext_1)->entryPointParams_0->a_2.limit_0);
    }
    float first_0;
    float second_0;
    if(!isFinite_0(_S43.root_0))
    {
        if(((&kernelContext_1)->entryPointParams_0->a_2.always_0) != 0U)
        {
            first_0 = (as_type<float>((2143289344U)));
        }
        else
        {
            first_0 = 1.0f;
        }
        second_0 = 1.0f;
    }
    else
    {
        if((_S43.root_0) != 0.0f)
        {
            if(((&kernelContext_1)->entryPointParams_0->a_2.always_0) != 0U)
            {
                above_0 = true;
            }
        }
        else
        {
            above_0 = false;
        }
        if(above_0)
        {
            if(scaled_0)
            {
                first_0 = (&kernelContext_1)->entryPointParams_0->a_2.limit_down_0 / _S43.root_0;
            }
            else
            {
                first_0 = (&kernelContext_1)->entryPointParams_0->a_2.limit_0 / n_0;
            }
            bool whole_0;
            if(isNormal_0(first_0))
            {
                if(scaled_0)
                {
                    second_0 = (&kernelContext_1)->entryPointParams_0->a_2.limit_down_0;
                }
                else
                {
                    second_0 = n_0;
                }
                whole_0 = isNormal_0(second_0);
            }
            else
            {
                whole_0 = false;
            }
            if(((&kernelContext_1)->entryPointParams_0->a_2.two_0) != 0U)
            {
                scaled_0 = !whole_0;
            }
            else
            {
                scaled_0 = false;
            }
            if(scaled_0)
            {
                if(large_4)
                {
                    first_0 = (as_type<float>((528482304U)));
                }
                else
                {
                    if(usual_4)
                    {
                        first_0 = 1.0f;
                    }
                    else
                    {
                        first_0 = (as_type<float>((1602224128U)));
                    }
                }
                float _S44 = (&kernelContext_1)->entryPointParams_0->a_2.limit_0 / _S43.root_0;
                if(large_4)
                {
                    second_0 = (as_type<float>((796917760U)));
                }
                else
                {
                    if(usual_4)
                    {
                        second_0 = 1.0f;
                    }
                    else
                    {
                        second_0 = (as_type<float>((1333788672U)));
                    }
                }
                float _S45 = first_0;
                first_0 = _S44 * second_0;
                second_0 = _S45;
            }
            else
            {
                second_0 = 1.0f;
            }
        }
        else
        {
            first_0 = 1.0f;
            second_0 = 1.0f;
        }
    }
    *((&kernelContext_1)->entryPointParams_factor_0+(&kernelContext_1)->entryPointParams_0->a_2.factor_at_0) = first_0;
    if(((&kernelContext_1)->entryPointParams_0->a_2.two_0) != 0U)
    {
        *((&kernelContext_1)->entryPointParams_factor_0+((&kernelContext_1)->entryPointParams_0->a_2.factor_at_0 + 1U)) = second_0;
    }
    return;
}

